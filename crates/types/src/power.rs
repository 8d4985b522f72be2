//! Power states and the changes that can be asked for.

crate::wire_enum! {
    /// What a machine's power is, or is about to be.
    pub enum PowerState {
        On = "power on",
        Off = "power off",
        /// The BMC answered, but with an error.
        Error = "error",
    }
}

crate::wire_enum! {
    /// A power change that a user or a step asks for.
    pub enum PowerTarget {
        On = "power on",
        Off = "power off",
        Reboot = "rebooting",
        SoftReboot = "soft rebooting",
        SoftOff = "soft power off",
    }
}

impl PowerTarget {
    /// The state the machine is in once the change is done.
    pub fn end_state(self) -> PowerState {
        match self {
            Self::On | Self::Reboot | Self::SoftReboot => PowerState::On,
            Self::Off | Self::SoftOff => PowerState::Off,
        }
    }

    /// What the node shows as its target meanwhile: on or off.
    pub fn shown(self) -> Self {
        match self {
            Self::On | Self::Reboot | Self::SoftReboot => Self::On,
            Self::Off | Self::SoftOff => Self::Off,
        }
    }

    /// Whether the machine is without power at some point of the change.
    pub fn cuts_power(self) -> bool {
        !matches!(self, Self::On)
    }

    /// Whether the change may simply be asked for again after an interruption.
    pub fn is_idempotent(self) -> bool {
        matches!(self, Self::On | Self::Off | Self::SoftOff)
    }
}
