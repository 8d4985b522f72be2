//! What stands behind a machine that is more than a model: a process that takes orders.
//!
//! The model decides what is asked (it knows the faults and the boot device) and sends an order; the
//! process reports back what became of it ([`crate::Machine::report_power`]).

pub mod qemu;
mod qmp;
mod screen;

use crate::machine::{
    boot::{Device, Firmware},
    power::Action,
};

/// What the process is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Start, and boot from there.
    On(Firmware, Device),
    Off,
    /// Off, and on again from there.
    Cycle(Firmware, Device),
    Reset(Firmware, Device),
    Soft,
    Nmi,
    /// Characters for the serial port.
    Type(Vec<u8>),
    /// Puts an image into the CD drive, or takes it out.
    Media(Option<std::path::PathBuf>),
}

impl Order {
    pub(crate) fn of(action: Action, firmware: Firmware, device: Device) -> Self {
        match action {
            Action::On => Self::On(firmware, device),
            Action::Off => Self::Off,
            Action::Cycle => Self::Cycle(firmware, device),
            Action::Reset => Self::Reset(firmware, device),
            Action::Soft => Self::Soft,
            Action::Nmi => Self::Nmi,
        }
    }
}
