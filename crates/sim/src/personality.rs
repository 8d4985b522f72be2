//! Makers: how a machine introduces itself, and where its firmware goes its own way.
//!
//! A table, because the differences are data: whoever meets another oddity adds a field and its
//! value for those that have it.

/// A maker's line of machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Personality {
    /// The name by which it is chosen.
    pub name: &'static str,
    pub manufacturer: &'static str,
    pub model: &'static str,
    /// The maker's number, as registered with IANA.
    pub iana: u32,
    pub product: u16,
    pub bmc_model: &'static str,
    /// Major, and minor in decimal digits.
    pub bmc_firmware: (u8, u8),
    pub bios_version: &'static str,
    /// The first three bytes of MAC addresses.
    pub oui: [u8; 3],
    pub serial_prefix: &'static str,
    pub oddities: Oddities,
}

/// Where a firmware goes its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oddities {
    /// Refuses to cycle or reset a machine that is off, as the standard allows.
    pub refuses_cycle_when_off: bool,
    /// Refuses to set the time-out of the boot flags (IPMI parameter 3).
    pub refuses_boot_timeout: bool,
    /// Has no UEFI in its boot flags.
    pub is_legacy_only: bool,
}

impl Oddities {
    const NONE: Self = Self {
        refuses_cycle_when_off: false,
        refuses_boot_timeout: false,
        is_legacy_only: false,
    };
}

impl Personality {
    pub const ALL: &[Self] = &[
        Self {
            name: "generic",
            manufacturer: "Corten",
            model: "Simulated Machine",
            iana: 0,
            product: 1,
            bmc_model: "Simulated BMC",
            bmc_firmware: (1, 0x00),
            bios_version: "1.0.0",
            oui: [0x52, 0x54, 0x00],
            serial_prefix: "SIM",
            oddities: Oddities::NONE,
        },
        Self {
            name: "dell",
            manufacturer: "Dell Inc.",
            model: "PowerEdge R640",
            iana: 674,
            product: 0x0100,
            bmc_model: "14G Monolithic",
            bmc_firmware: (7, 0x00),
            bios_version: "2.21.2",
            oui: [0xd0, 0x94, 0x66],
            serial_prefix: "DL",
            oddities: Oddities {
                refuses_cycle_when_off: true,
                ..Oddities::NONE
            },
        },
        Self {
            name: "hpe",
            manufacturer: "HPE",
            model: "ProLiant DL360 Gen10",
            iana: 11,
            product: 0x2020,
            bmc_model: "iLO 5",
            bmc_firmware: (2, 0x98),
            bios_version: "U32 v2.90",
            oui: [0x94, 0x40, 0xc9],
            serial_prefix: "CZ",
            oddities: Oddities {
                refuses_cycle_when_off: true,
                ..Oddities::NONE
            },
        },
        Self {
            name: "supermicro",
            manufacturer: "Supermicro",
            model: "SYS-6019P-MTR",
            iana: 10876,
            product: 0x0916,
            bmc_model: "ASPEED",
            bmc_firmware: (1, 0x74),
            bios_version: "3.9",
            oui: [0xac, 0x1f, 0x6b],
            serial_prefix: "S",
            oddities: Oddities::NONE,
        },
        Self {
            name: "lenovo",
            manufacturer: "Lenovo",
            model: "ThinkSystem SR630",
            iana: 19046,
            product: 0x0147,
            bmc_model: "Lenovo XClarity Controller",
            bmc_firmware: (8, 0x40),
            bios_version: "IVE180G",
            oui: [0x7c, 0xd3, 0x0a],
            serial_prefix: "J",
            oddities: Oddities::NONE,
        },
        Self {
            name: "fujitsu",
            manufacturer: "FUJITSU",
            model: "PRIMERGY RX2540 M5",
            iana: 10368,
            product: 0x0346,
            bmc_model: "iRMC S5",
            bmc_firmware: (3, 0x15),
            bios_version: "V5.0.0.14 R1.50.0",
            oui: [0x90, 0x1b, 0x0e],
            serial_prefix: "MA",
            oddities: Oddities::NONE,
        },
        Self {
            name: "ami",
            manufacturer: "American Megatrends",
            model: "MegaRAC Reference Server",
            iana: 20974,
            product: 0x0202,
            bmc_model: "MegaRAC SP-X",
            bmc_firmware: (12, 0x04),
            bios_version: "5.12",
            oui: [0x00, 0x30, 0x48],
            serial_prefix: "AM",
            oddities: Oddities {
                refuses_cycle_when_off: true,
                refuses_boot_timeout: true,
                ..Oddities::NONE
            },
        },
        Self {
            name: "old",
            manufacturer: "Intel Corporation",
            model: "S5000PAL",
            iana: 343,
            product: 0x0028,
            bmc_model: "Baseboard Management Controller",
            bmc_firmware: (0, 0x66),
            bios_version: "S5000.86B.15",
            oui: [0x00, 0x15, 0x17],
            serial_prefix: "BZ",
            oddities: Oddities {
                refuses_cycle_when_off: true,
                refuses_boot_timeout: true,
                is_legacy_only: true,
            },
        },
    ];

    /// The one that is taken when none is asked for.
    pub fn generic() -> &'static Self {
        &Self::ALL[0]
    }

    pub fn of_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|known| known.name == name)
    }
}
