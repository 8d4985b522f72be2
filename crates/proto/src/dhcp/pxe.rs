//! What firmware says of itself when it boots from the network, and what PXE and iPXE add to DHCP.
//!
//! The numbers of architectures are IANA's ("Processor Architecture Types"). RFC 4578 §2.1 gave 9
//! to x86-64 UEFI and 7 to EFI byte code, firmware did it the other way round, and IANA followed;
//! both mean x86-64 UEFI here.

use super::options::{Options, nest};
use std::fmt;

/// The prefix of the vendor class (option 60) of PXE clients and servers.
pub const PXE_CLASS: &str = "PXEClient";
/// The prefix of the vendor class of UEFI HTTP boot clients.
pub const HTTP_CLASS: &str = "HTTPClient";
/// The user class (option 77) that iPXE sends.
pub const IPXE_CLASS: &str = "iPXE";

/// Sub-option `PXE_DISCOVERY_CONTROL` of option 43 (PXE 2.1): how the client finds a boot server.
pub const DISCOVERY_CONTROL: u8 = 6;
/// Bit 3 of it: download the boot file that this offer names, without a menu or boot server
/// discovery.
pub const USE_THIS_FILE: u8 = 8;

/// Sub-options of option 175.
pub mod ipxe {
    /// `no-pxedhcp`: do not wait for a proxyDHCP server.
    pub const NO_PROXY: u8 = 0xb0;
}

/// A processor family.
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
    /// The name that `cpu_arch` has for it in a node's properties.
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

/// The kind of firmware that sent a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Firmware {
    Bios,
    Uefi,
    /// Firmware that is neither: OPAL, U-Boot, s390.
    Other,
}

/// A client's architecture: option 93 (RFC 4578 §2.1), or option 61 of DHCPv6 (RFC 5970 §3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arch(pub u16);

impl Arch {
    /// The processor family that an architecture number stands for.
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

    /// The firmware that an architecture number stands for.
    pub fn firmware(self) -> Firmware {
        match self.0 {
            0 | 20 => Firmware::Bios,
            6 | 7 | 9..=11 | 15 | 16 | 18 | 19 | 25..=28 | 39..=42 => Firmware::Uefi,
            _ => Firmware::Other,
        }
    }

    /// Whether the client boots by HTTP instead of TFTP.
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

/// The architectures of option 93. A client may list several; the first is its own.
pub fn architectures(bytes: &[u8]) -> Vec<Arch> {
    let (pairs, _) = bytes.as_chunks::<2>();
    pairs
        .iter()
        .map(|pair| Arch(u16::from_be_bytes(*pair)))
        .collect()
}

/// Whether a user class (option 77) names `class`.
///
/// RFC 3004 §4 puts a length before each class; iPXE and others send the bare text.
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

/// The value of option 43 that makes a PXE client use the boot file of this offer.
pub fn take_this_file() -> Vec<u8> {
    nest(
        &[(DISCOVERY_CONTROL, vec![USE_THIS_FILE])]
            .into_iter()
            .collect(),
    )
}

/// The value of option 175 that keeps iPXE from waiting for a proxyDHCP offer.
pub fn no_proxy() -> Vec<u8> {
    let options: Options = [(ipxe::NO_PROXY, vec![1])].into_iter().collect();
    let mut bytes = nest(&options);
    // iPXE's encapsulated options have no END.
    bytes.pop();
    bytes
}

/// The version of a client's network driver interface (option 94, RFC 4578 §2.2), as text.
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
