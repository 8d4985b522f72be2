//! What firmware says of itself when it boots from the network, and what PXE and iPXE add to DHCP.
//!
//! The numbers of architectures are IANA's ("Processor Architecture Types"); a few firmwares use
//! 7 and 9 for the same thing, so both are 64-bit PCs here.

use super::options::{Options, nest};
use std::fmt;

/// The option class that PXE clients and servers name.
pub const PXE_CLASS: &str = "PXEClient";
/// The same for UEFI's HTTP boot.
pub const HTTP_CLASS: &str = "HTTPClient";
/// How iPXE names itself in its user class.
pub const IPXE_CLASS: &str = "iPXE";

/// Sub-option of option 43: what a PXE client shall do with the answer.
pub const DISCOVERY_CONTROL: u8 = 6;
/// Take the boot file of this answer; ask no boot server.
pub const USE_THIS_FILE: u8 = 8;

/// Sub-options of option 175.
pub mod ipxe {
    /// Do not wait for proxies.
    pub const NO_PROXY: u8 = 0xb0;
}

/// A processor family, by the name that `cpu_arch` has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cpu {
    X86,
    X86_64,
    Arm,
    Aarch64,
    Ppc64le,
    Riscv64,
    Loongarch64,
    S390x,
    Other,
}

impl Cpu {
    pub fn name(self) -> &'static str {
        match self {
            Self::X86 => "i386",
            Self::X86_64 => "x86_64",
            Self::Arm => "armv7l",
            Self::Aarch64 => "aarch64",
            Self::Ppc64le => "ppc64le",
            Self::Riscv64 => "riscv64",
            Self::Loongarch64 => "loongarch64",
            Self::S390x => "s390x",
            Self::Other => "unknown",
        }
    }
}

/// What kind of firmware asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Firmware {
    Bios,
    Uefi,
    /// Firmware that is neither: OPAL, U-Boot, s390.
    Other,
}

/// A client's architecture, as option 93 (or 61 of version 6) tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arch(pub u16);

impl Arch {
    pub fn cpu(self) -> Cpu {
        match self.0 {
            0 | 7 | 9 | 16 | 20 => Cpu::X86_64,
            6 | 15 => Cpu::X86,
            10 | 18 | 21 | 23 => Cpu::Arm,
            11 | 19 | 22 | 24 => Cpu::Aarch64,
            12..=14 => Cpu::Ppc64le,
            27 | 28 => Cpu::Riscv64,
            31 | 32 => Cpu::S390x,
            39..=42 => Cpu::Loongarch64,
            _ => Cpu::Other,
        }
    }

    pub fn firmware(self) -> Firmware {
        match self.0 {
            0 | 20 => Firmware::Bios,
            6 | 7 | 9..=11 | 15 | 16 | 18 | 19 | 25..=28 | 39..=42 => Firmware::Uefi,
            _ => Firmware::Other,
        }
    }

    /// Whether this is the number of a client that fetches by HTTP.
    pub fn by_http(self) -> bool {
        matches!(self.0, 15 | 16 | 18..=20 | 23 | 24 | 26 | 28 | 40 | 42)
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let firmware = match self.firmware() {
            Firmware::Bios => "BIOS",
            Firmware::Uefi => "UEFI",
            Firmware::Other => "other firmware",
        };
        let way = if self.by_http() { ", HTTP" } else { "" };
        write!(f, "{} {firmware}{way} ({})", self.cpu().name(), self.0)
    }
}

/// The architectures of option 93: a client may name several, the first is the one it is.
pub fn architectures(bytes: &[u8]) -> Vec<Arch> {
    let (pairs, _) = bytes.as_chunks::<2>();
    pairs
        .iter()
        .map(|pair| Arch(u16::from_be_bytes(*pair)))
        .collect()
}

/// Whether a user class (option 77) names `class`.
///
/// RFC 3004 wants each class preceded by its length; iPXE and others send the bare text.
pub fn is_user_class(bytes: &[u8], class: &str) -> bool {
    if bytes == class.as_bytes() {
        return true;
    }
    let mut rest = bytes;
    while let Some((length, tail)) = rest.split_first() {
        let Some((value, tail)) = tail.split_at_checked(usize::from(*length)) else {
            return false;
        };
        if value == class.as_bytes() {
            return true;
        }
        rest = tail;
    }
    false
}

/// Option 43 of an answer that shall be taken as it is.
pub fn take_this_file() -> Vec<u8> {
    nest(
        &[(DISCOVERY_CONTROL, vec![USE_THIS_FILE])]
            .into_iter()
            .collect(),
    )
}

/// Option 175 of an answer after which no other need be waited for.
pub fn no_proxy() -> Vec<u8> {
    let options: Options = [(ipxe::NO_PROXY, vec![1])].into_iter().collect();
    let mut bytes = nest(&options);
    // iPXE's list has no end mark.
    bytes.pop();
    bytes
}

/// The version of a client's network driver interface (option 94), as text.
pub fn driver_interface(bytes: &[u8]) -> Option<String> {
    match bytes {
        [1, major, minor] => Some(format!("UNDI {major}.{minor}")),
        [kind, major, minor] => Some(format!("{kind} {major}.{minor}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_have_a_processor_and_a_firmware() {
        let table: [(u16, Cpu, Firmware, bool); 10] = [
            (0, Cpu::X86_64, Firmware::Bios, false),
            (6, Cpu::X86, Firmware::Uefi, false),
            (7, Cpu::X86_64, Firmware::Uefi, false),
            (9, Cpu::X86_64, Firmware::Uefi, false),
            (10, Cpu::Arm, Firmware::Uefi, false),
            (11, Cpu::Aarch64, Firmware::Uefi, false),
            (15, Cpu::X86, Firmware::Uefi, true),
            (16, Cpu::X86_64, Firmware::Uefi, true),
            (18, Cpu::Arm, Firmware::Uefi, true),
            (19, Cpu::Aarch64, Firmware::Uefi, true),
        ];
        for (number, cpu, firmware, http) in table {
            let arch = Arch(number);
            assert_eq!(
                (arch.cpu(), arch.firmware(), arch.by_http()),
                (cpu, firmware, http),
                "{number}"
            );
        }
        assert_eq!(architectures(&[0, 7, 0, 9, 1]), [Arch(7), Arch(9)]);
        assert_eq!(Arch(16).to_string(), "x86_64 UEFI, HTTP (16)");
    }

    #[test]
    fn user_classes_come_with_and_without_lengths() {
        assert!(is_user_class(b"iPXE", IPXE_CLASS));
        assert!(is_user_class(b"\x03abc\x04iPXE", IPXE_CLASS));
        assert!(!is_user_class(b"\x09iPXE", IPXE_CLASS));
        assert!(!is_user_class(b"gPXE", IPXE_CLASS));
    }

    #[test]
    fn nested_options_are_as_the_firmware_wants_them() {
        assert_eq!(take_this_file(), [6, 1, 8, 255]);
        assert_eq!(no_proxy(), [0xb0, 1, 1]);
        assert_eq!(driver_interface(&[1, 3, 16]).as_deref(), Some("UNDI 3.16"));
        assert_eq!(driver_interface(&[1, 3]), None);
    }
}
