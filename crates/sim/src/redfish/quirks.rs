//! Quirks of makers' Redfish services: names of resources, and deviating behaviour.
//!
//! A table beside [`Personality`], which names the maker. For another quirk, add a field and its
//! value for the makers that have it.

use crate::personality::Personality;

/// The quirks of a maker's service.
#[derive(Debug)]
pub struct Quirks {
    /// The name of the personality.
    pub name: &'static str,
    /// What the root says of the service.
    pub vendor: &'static str,
    pub product: &'static str,
    /// Names of the resources of a service with one machine.
    pub system: &'static str,
    pub manager: &'static str,
    pub chassis: &'static str,
    /// Names of the controllers of drives.
    pub storage: [&'static str; 2],
    /// Names of the virtual drives: the optical one and the other.
    pub slots: [&'static str; 2],
    /// Where staged BIOS settings are, below `Bios`.
    pub bios_settings: &'static str,
    pub bios_registry: &'static str,
    /// Values that the action Reset takes.
    pub resets: &'static [&'static str],
    /// Values of `BootSourceOverrideTarget`.
    pub targets: &'static [&'static str],
    pub media: MediaQuirks,
    pub boot: BootQuirks,
    pub etag: EtagQuirks,
    /// Whether systems and chassis have `IndicatorLED`, or only `LocationIndicatorActive`.
    pub has_indicator_led: bool,
    /// Whether drives' changes wait for a start unless they are to be made at once.
    pub volumes_on_reset: bool,
    /// Whether the maker's own resources are there (jobs, lifecycle controller, RAID service).
    pub has_dell_oem: bool,
}

/// Quirks of virtual media.
#[derive(Debug)]
pub struct MediaQuirks {
    pub under_systems: bool,
    pub under_managers: bool,
    /// There are no actions; the resource is patched.
    pub by_patch: bool,
    /// InsertMedia refuses `Inserted` and `WriteProtected`.
    pub refuses_flags: bool,
    /// InsertMedia wants to be told the protocol and the method.
    pub needs_protocol: bool,
    /// EjectMedia wants a body, if an empty one.
    pub eject_needs_body: bool,
}

/// Quirks of boot overrides.
#[derive(Debug)]
pub struct BootQuirks {
    pub refuses_continuous: bool,
    /// A device is accepted together with the mode only.
    pub needs_mode: bool,
    /// A device without `BootSourceOverrideEnabled` disables the override.
    pub needs_enabled: bool,
    /// The mode cannot be changed here (but in the BIOS settings).
    pub refuses_mode: bool,
}

/// Quirks of entity tags.
#[derive(Debug)]
pub struct EtagQuirks {
    pub are_weak: bool,
    /// A change of a system without `If-Match` is refused.
    pub are_needed: bool,
    /// The tag of the staged settings is told in `@Redfish.Settings`.
    pub in_settings: bool,
}

const RESETS: &[&str] = &[
    "On",
    "ForceOff",
    "GracefulShutdown",
    "GracefulRestart",
    "ForceRestart",
    "Nmi",
    "ForceOn",
    "PushPowerButton",
    "PowerCycle",
];

const TARGETS: &[&str] = &[
    "None",
    "Pxe",
    "Floppy",
    "Cd",
    "Usb",
    "Hdd",
    "BiosSetup",
    "Utilities",
    "Diags",
    "UefiHttp",
];

const SETTINGS: &str = "Settings";

const GENERIC: Quirks = Quirks {
    name: "generic",
    vendor: "Corten",
    product: "Corten Simulator",
    system: "1",
    manager: "BMC",
    chassis: "1",
    storage: ["1", "2"],
    slots: ["Cd", "Usb"],
    bios_settings: SETTINGS,
    bios_registry: "BiosAttributeRegistry.v1_0_0",
    resets: RESETS,
    targets: TARGETS,
    media: MediaQuirks {
        under_systems: false,
        under_managers: true,
        by_patch: false,
        refuses_flags: false,
        needs_protocol: false,
        eject_needs_body: false,
    },
    boot: BootQuirks {
        refuses_continuous: false,
        needs_mode: false,
        needs_enabled: false,
        refuses_mode: false,
    },
    etag: EtagQuirks {
        are_weak: false,
        are_needed: false,
        in_settings: false,
    },
    has_indicator_led: true,
    volumes_on_reset: false,
    has_dell_oem: false,
};

impl Quirks {
    pub const ALL: &[Self] = &[
        GENERIC,
        Self {
            name: "dell",
            vendor: "Dell",
            product: "Integrated Dell Remote Access Controller",
            system: "System.Embedded.1",
            manager: "iDRAC.Embedded.1",
            chassis: "System.Embedded.1",
            storage: ["RAID.Integrated.1-1", "AHCI.Embedded.1-1"],
            slots: ["CD", "RemovableDisk"],
            resets: &[
                "On",
                "ForceOff",
                "ForceRestart",
                "GracefulRestart",
                "GracefulShutdown",
                "PushPowerButton",
                "Nmi",
                "PowerCycle",
            ],
            boot: BootQuirks {
                refuses_mode: true,
                ..GENERIC.boot
            },
            volumes_on_reset: true,
            has_dell_oem: true,
            ..GENERIC
        },
        Self {
            name: "hpe",
            vendor: "HPE",
            product: "ProLiant DL360 Gen10",
            storage: ["DE00A000", "DE00B000"],
            manager: "1",
            slots: ["2", "1"],
            bios_settings: "settings",
            bios_registry: "BiosAttributeRegistryU32.v1_2_90",
            resets: &[
                "On",
                "ForceOff",
                "GracefulShutdown",
                "ForceRestart",
                "Nmi",
                "PushPowerButton",
                "GracefulRestart",
            ],
            media: MediaQuirks {
                eject_needs_body: true,
                ..GENERIC.media
            },
            etag: EtagQuirks {
                are_weak: true,
                ..GENERIC.etag
            },
            volumes_on_reset: true,
            ..GENERIC
        },
        Self {
            name: "supermicro",
            vendor: "Supermicro",
            product: "SMC X11 Redfish Server",
            manager: "1",
            storage: ["HBA", "SATA"],
            slots: ["VirtualMedia1", "VirtualMedia2"],
            bios_settings: "SD",
            targets: &[
                "None",
                "Pxe",
                "Floppy",
                "Cd",
                "Usb",
                "Hdd",
                "BiosSetup",
                "UsbCd",
                "UefiHttp",
            ],
            media: MediaQuirks {
                refuses_flags: true,
                eject_needs_body: true,
                ..GENERIC.media
            },
            boot: BootQuirks {
                needs_enabled: true,
                ..GENERIC.boot
            },
            ..GENERIC
        },
        Self {
            name: "lenovo",
            vendor: "Lenovo",
            product: "ThinkSystem SR630",
            manager: "1",
            storage: ["RAID_Slot1", "SATA"],
            slots: ["EXT1", "EXT2"],
            bios_settings: "Pending",
            media: MediaQuirks {
                by_patch: true,
                ..GENERIC.media
            },
            ..GENERIC
        },
        Self {
            name: "fujitsu",
            vendor: "FUJITSU",
            product: "iRMC S5",
            system: "0",
            manager: "iRMC",
            chassis: "0",
            storage: ["1000", "1001"],
            slots: ["0", "1"],
            boot: BootQuirks {
                refuses_continuous: true,
                ..GENERIC.boot
            },
            etag: EtagQuirks {
                are_needed: true,
                in_settings: true,
                ..GENERIC.etag
            },
            ..GENERIC
        },
        Self {
            name: "ami",
            vendor: "AMI",
            product: "AMI Redfish Server",
            system: "Self",
            manager: "Self",
            chassis: "Self",
            slots: ["CD1", "HD1"],
            bios_settings: "SD",
            media: MediaQuirks {
                under_systems: true,
                under_managers: false,
                needs_protocol: true,
                ..GENERIC.media
            },
            boot: BootQuirks {
                needs_mode: true,
                ..GENERIC.boot
            },
            etag: EtagQuirks {
                are_weak: true,
                are_needed: true,
                in_settings: true,
            },
            has_indicator_led: false,
            ..GENERIC
        },
    ];

    /// The quirks of a maker; those of the generic one by default.
    pub fn of(personality: &Personality) -> &'static Self {
        let own = Self::ALL
            .iter()
            .find(|quirks| quirks.name == personality.name);
        own.unwrap_or(&Self::ALL[0])
    }
}
