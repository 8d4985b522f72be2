//! API versions ("microversions"): the minor number after `1.`.

use std::fmt;

/// The minor part of `X-OpenStack-Ironic-API-Version: 1.N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiVersion(pub u16);

impl ApiVersion {
    /// What a request without a version header gets, and the oldest we serve.
    pub const MIN: Self = Self(1);
    /// The newest we serve.
    pub const MAX: Self = Self(115);

    /// Every version there is.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::MIN.0..=Self::MAX.0).map(Self)
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

/// Named after the feature that arrived, so that handlers read as prose.
pub mod since {
    use super::ApiVersion;

    macro_rules! versions {
        ($($(#[$doc:meta])* $name:ident = $minor:literal),* $(,)?) => {
            $($(#[$doc])* pub const $name: ApiVersion = ApiVersion($minor);)*
        };
    }

    versions! {
        BASE = 1,
        /// The state `available` has a name of its own; before it is null.
        AVAILABLE_STATE = 2,
        DRIVER_INTERNAL_INFO = 3,
        MANAGE_PROVIDE_VERBS = 4,
        NODE_NAME = 5,
        INSPECTION = 6,
        CLEAN_STEP = 7,
        FIELDS_QUERY = 8,
        PROVISION_STATE_FILTER = 9,
        UNRESTRICTED_NAMES = 10,
        ENROLL_STATE = 11,
        RAID = 12,
        ABORT_VERB = 13,
        STATES_LINK = 14,
        CLEAN_VERB = 15,
        DRIVER_FILTER = 16,
        ADOPT_VERB = 17,
        PORT_INTERNAL_INFO = 18,
        PORT_CONNECTIVITY = 19,
        NETWORK_INTERFACE = 20,
        RESOURCE_CLASS = 21,
        RAMDISK_ENDPOINTS = 22,
        PORTGROUPS = 23,
        PORTGROUP_LINKS = 24,
        /// Port groups have a mode and properties.
        PORTGROUP_MODE = 26,
        UNSET_CHASSIS = 25,
        SOFT_POWER = 27,
        VIFS = 28,
        INJECT_NMI = 29,
        DYNAMIC_DRIVERS = 30,
        INTERFACE_FIELDS = 31,
        VOLUME = 32,
        STORAGE_INTERFACE = 33,
        PHYSICAL_NETWORK = 34,
        REBUILD_CONFIGDRIVE = 35,
        AGENT_VERSION = 36,
        TRAITS = 37,
        RESCUE = 38,
        INSPECT_WAIT_STATE = 39,
        BIOS = 40,
        ABORT_INSPECTION = 41,
        FAULT = 42,
        DETAIL_QUERY = 43,
        DEPLOY_STEP = 44,
        RESET_INTERFACES = 45,
        CONDUCTOR_GROUP = 46,
        AUTOMATED_CLEAN = 47,
        PROTECTED = 48,
        CONDUCTORS = 49,
        OWNER = 50,
        DESCRIPTION = 51,
        ALLOCATIONS = 52,
        SMARTNIC = 53,
        EVENTS = 54,
        DEPLOY_TEMPLATES = 55,
        CONFIGDRIVE_OBJECT = 56,
        ALLOCATION_UPDATE = 57,
        ALLOCATION_BACKFILL = 58,
        CONFIGDRIVE_VENDOR_DATA = 59,
        ALLOCATION_OWNER = 60,
        RETIRED = 61,
        /// A lookup makes and tells the agent's token.
        AGENT_TOKEN = 62,
        LINK_NETWORK_TYPE = 64,
        LESSEE = 65,
        NETWORK_DATA = 66,
        VIF_PORT = 67,
        AGENT_VERIFY_CA = 68,
        DEPLOY_STEPS_ARGUMENT = 69,
        DISABLE_RAMDISK = 70,
        AGENT_STATUS = 72,
        DEPLOY_VERBS = 73,
        /// BIOS settings tell what values they take.
        BIOS_REGISTRY = 74,
        BOOT_MODE = 75,
        SET_BOOT_MODE = 76,
        DRIVER_FIELDS_QUERY = 77,
        NODE_HISTORY = 78,
        NODE_INVENTORY = 81,
        SHARD = 82,
        PARENT_NODE = 83,
        CONTINUE_INSPECTION = 84,
        UNHOLD_VERB = 85,
        FIRMWARE = 86,
        SERVICE = 87,
        PORT_NAME = 88,
        VIRTUAL_MEDIA = 89,
        /// Link connections may carry the OVN VTEP keys from here …
        OVN_VTEP = 90,
        /// From here on a `.json` suffix is part of the name.
        NO_JSON_SUFFIX = 91,
        RUNBOOKS = 92,
        VIRTUAL_MEDIA_LIST = 93,
        PORT_NODE_IDENT = 94,
        DISABLE_POWER_OFF = 95,
        INSPECTION_RULES = 96,
        PORT_DESCRIPTION = 97,
        PORT_VENDOR = 100,
        PORT_CATEGORY = 101,
        PORTGROUP_PHYSICAL_NETWORK = 102,
        PORTGROUP_CATEGORY = 103,
        INSTANCE_NAME = 104,
        /// … up to here, where they are hidden again.
        NO_OVN_VTEP = 105,
        PORTGROUP_SHARD = 106,
        DISABLE_RAMDISK_SERVICE = 108,
        HEALTH = 109,
        ABORT_DEPLOY = 110,
        PORT_DYNAMIC_PORTGROUP = 111,
        /// Runbooks have free names, a description and traits.
        RUNBOOK_TRAITS = 112,
        HISTORY_PROJECT = 113,
        /// Firmware components tell their maker.
        FIRMWARE_MAKER = 114,
        HISTORY_STATE = 115,
    }
}
