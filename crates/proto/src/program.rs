//! Programs that firmware starts: kernels of Linux, and EFI programs, by their headers.
//!
//! Only what tells kind and architecture is read: the boot protocols of Linux
//! (`Documentation/arch/x86/boot.rst`, `Documentation/arch/arm64/booting.rst` of the kernel) and the
//! header of PE. Whether a program is signed, or works, is not looked at.

use crate::field::{array, le16, le32};

/// How much of the start of a file is needed, at most.
pub const PREFIX: usize = 64 << 10;

/// The processors that a program is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Machine {
    Ia32,
    X64,
    Arm,
    Aa64,
    RiscV64,
    LoongArch64,
}

impl Machine {
    pub const ALL: [Self; 6] = [
        Self::Ia32,
        Self::X64,
        Self::Arm,
        Self::Aa64,
        Self::RiscV64,
        Self::LoongArch64,
    ];

    /// The word in `BOOT….EFI` (UEFI 2.10 §3.5.1.1).
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Ia32 => "IA32",
            Self::X64 => "X64",
            Self::Arm => "ARM",
            Self::Aa64 => "AA64",
            Self::RiscV64 => "RISCV64",
            Self::LoongArch64 => "LOONGARCH64",
        }
    }

    /// The name, as `uname -m` says it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ia32 => "i386",
            Self::X64 => "x86_64",
            Self::Arm => "arm",
            Self::Aa64 => "aarch64",
            Self::RiscV64 => "riscv64",
            Self::LoongArch64 => "loongarch64",
        }
    }

    /// The machine of an EFI program, from its first bytes; `None` if it is none.
    pub fn of_efi_program(prefix: &[u8]) -> Option<Self> {
        prefix.starts_with(b"MZ").then_some(())?;
        let header = usize::try_from(le32(prefix, 0x3c)?).ok()?;
        (array::<4>(prefix, header)? == *b"PE\0\0").then_some(())?;
        match le16(prefix, header.checked_add(4)?)? {
            0x014c => Some(Self::Ia32),
            0x8664 => Some(Self::X64),
            0x01c0 | 0x01c2 | 0x01c4 => Some(Self::Arm),
            0xaa64 => Some(Self::Aa64),
            0x5064 => Some(Self::RiscV64),
            0x6264 => Some(Self::LoongArch64),
            _ => None,
        }
    }
}

/// A kernel of Linux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    pub machine: Machine,
    /// What the kernel says of itself, where it does.
    pub version: Option<String>,
    /// Whether it is an EFI program as well, so that UEFI can start it without a boot loader.
    pub is_efi_program: bool,
}

impl Kernel {
    /// A kernel, from its first bytes.
    pub fn of(prefix: &[u8]) -> Option<Self> {
        let efi = Machine::of_efi_program(prefix);
        if array::<4>(prefix, 0x202) == Some(*b"HdrS") {
            // xloadflags, since protocol 2.12: bit 0 is a 64-bit entry point.
            let wide = le16(prefix, 0x236).is_some_and(|flags| flags & 1 == 1);
            return Some(Self {
                machine: if wide { Machine::X64 } else { Machine::Ia32 },
                version: x86_version(prefix),
                is_efi_program: efi.is_some(),
            });
        }
        let machine = if array::<4>(prefix, 56) == Some(*b"ARM\x64") {
            Machine::Aa64
        } else if array::<4>(prefix, 56) == Some(*b"RSC\x05") {
            Machine::RiscV64
        } else if array::<4>(prefix, 4) == Some(*b"zimg") {
            // Compressed kernels that unpack themselves as EFI programs.
            efi?
        } else {
            return None;
        };
        Some(Self {
            machine,
            version: None,
            is_efi_program: efi.is_some(),
        })
    }
}

fn x86_version(prefix: &[u8]) -> Option<String> {
    let at = usize::from(le16(prefix, 0x20e)?).checked_add(0x200)?;
    let text = prefix.get(at..)?;
    let end = text.iter().take(200).position(|byte| *byte == 0)?;
    let text = String::from_utf8_lossy(text.get(..end)?).into_owned();
    (!text.is_empty() && at > 0x200).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::put;
    use proptest::prelude::*;

    fn efi(machine: u16) -> Vec<u8> {
        let mut bytes = vec![0; 0x400];
        put(&mut bytes, 0, b"MZ");
        bytes[0x3c] = 0x80;
        put(&mut bytes, 0x80, b"PE\0\0");
        put(&mut bytes, 0x84, &machine.to_le_bytes());
        bytes
    }

    #[test]
    fn programs_tell_their_machine() {
        assert_eq!(Machine::of_efi_program(&efi(0x8664)), Some(Machine::X64));
        assert_eq!(Machine::of_efi_program(&efi(0xaa64)), Some(Machine::Aa64));
        assert_eq!(Machine::of_efi_program(&efi(1)), None);
        assert_eq!(Machine::of_efi_program(b"MZ"), None);
    }

    #[test]
    fn kernels_tell_their_version() {
        let mut bytes = efi(0x8664);
        put(&mut bytes, 0x202, b"HdrS");
        put(&mut bytes, 0x236, &[1, 0]);
        put(&mut bytes, 0x20e, &0x100u16.to_le_bytes());
        put(&mut bytes, 0x300, b"6.1.0-1-amd64 (debian) #1\0");
        let kernel = Kernel::of(&bytes).unwrap();
        assert_eq!(kernel.version.unwrap(), "6.1.0-1-amd64 (debian) #1");
        assert!(kernel.is_efi_program && kernel.machine == Machine::X64);
        let mut arm = efi(0xaa64);
        put(&mut arm, 56, b"ARM\x64");
        assert_eq!(Kernel::of(&arm).unwrap().machine, Machine::Aa64);
        assert_eq!(Kernel::of(&efi(0x8664)), None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..1200), kernel in any::<bool>()) {
            put(&mut bytes, 0, b"MZ");
            if kernel {
                put(&mut bytes, 0x202, b"HdrS");
            }
            let _ = (Kernel::of(&bytes), Machine::of_efi_program(&bytes));
        }
    }
}
