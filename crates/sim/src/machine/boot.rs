//! Where a machine boots from: its own order, and what overrides it.

use super::{Change, Machine, State};
use crate::fault::Write;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What a machine can boot from or into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// What the machine's own order says.
    #[default]
    None,
    Pxe,
    Disk,
    /// The disk, in safe mode.
    SafeDisk,
    Diagnostic,
    Cdrom,
    /// The setup of the BIOS.
    Setup,
    Floppy,
    Usb,
    /// A disk or a CD that the BMC brings from elsewhere.
    RemoteDisk,
    RemoteCdrom,
    UefiHttp,
}

/// For how long an override counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enabled {
    #[default]
    Disabled,
    Once,
    Continuous,
}

/// What a machine boots with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Firmware {
    #[default]
    Legacy,
    Uefi,
}

/// An override of the boot order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Override {
    pub enabled: Enabled,
    pub device: Device,
    pub mode: Firmware,
}

/// How a machine boots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Boot {
    pub(crate) chosen: Override,
    /// What it booted from last.
    pub(crate) last: Option<(Firmware, Device)>,
    /// When the BMC forgets what was set over IPMI, unless a chassis command comes before.
    forgotten_at: Option<Instant>,
    /// What is kept for IPMI and means nothing to a simulated machine: the bits of the flags that
    /// lock buttons or silence the screen, which disk of several, and the small parameters.
    pub(crate) ipmi: IpmiOptions,
}

/// Boot options of IPMI that the model does not act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IpmiOptions {
    pub set_in_progress: u8,
    pub service_partition: u8,
    pub partition_scan: u8,
    /// Which events do not clear the flags; bit 3 is the time-out.
    pub keep: u8,
    pub acknowledged: u8,
    /// Bytes two to five of the flags, without the device.
    pub flags: [u8; 4],
}

impl IpmiOptions {
    /// The bit by which flags survive without a chassis command.
    pub const KEEP_ON_TIMEOUT: u8 = 0x08;
}

impl Boot {
    pub(super) fn new(by_uefi: bool) -> Self {
        let mut boot = Self::default();
        if by_uefi {
            boot.chosen.mode = Firmware::Uefi;
        }
        boot
    }

    /// What the machine would boot from now.
    pub(crate) fn choice(&self) -> (Firmware, Device) {
        match self.chosen {
            Override {
                enabled: Enabled::Once | Enabled::Continuous,
                device,
                mode,
            } if device != Device::None => (mode, device),
            Override { mode, .. } => (mode, Device::Disk),
        }
    }

    /// Boots, which uses up an override that counts once.
    pub(super) fn start(&mut self) -> (Firmware, Device) {
        let choice = self.choice();
        self.last = Some(choice);
        if self.chosen.enabled == Enabled::Once {
            self.chosen.enabled = Enabled::Disabled;
            self.chosen.device = Device::None;
        }
        choice
    }
}

impl Machine {
    pub fn boot(&self) -> Override {
        self.state().boot.chosen
    }

    /// What the machine booted from last.
    pub fn last_boot(&self) -> Option<(Firmware, Device)> {
        self.state().boot.last
    }

    /// Sets an override that stays until it is used or replaced.
    pub fn set_boot(&self, wanted: Override) {
        self.write_boot(wanted, |boot| boot.forgotten_at = None);
    }

    /// Sets an override as IPMI does: it is forgotten unless a chassis command follows soon, or
    /// the BMC was told to keep it.
    pub fn set_boot_flags(&self, wanted: Override, rest: [u8; 4]) {
        let time = self.settings().boot_flags_time;
        self.write_boot(wanted, |boot| {
            boot.ipmi.flags = rest;
            let keeps = boot.ipmi.keep & IpmiOptions::KEEP_ON_TIMEOUT != 0;
            boot.forgotten_at = (!keeps).then(|| Instant::now() + time);
        });
    }

    fn write_boot(&self, wanted: Override, then: impl FnOnce(&mut Boot)) {
        {
            let mut state = self.state();
            let faults = self.faults_in(&state);
            if faults.ignores(Write::Boot) {
                return;
            }
            let oddities = self.personality().oddities;
            let mut given = wanted;
            if faults.lose_persistence && given.enabled == Enabled::Continuous {
                given.enabled = Enabled::Once;
            }
            if faults.lose_efi || oddities.is_legacy_only {
                given.mode = Firmware::Legacy;
            }
            state.boot.chosen = given;
            then(&mut state.boot);
        }
        self.tell(Change::BootOverride);
    }

    pub fn ipmi_boot_options(&self) -> IpmiOptions {
        self.state().boot.ipmi
    }

    pub fn set_ipmi_boot_options(&self, change: impl FnOnce(&mut IpmiOptions)) {
        let mut state = self.state();
        if !self.faults_in(&state).ignores(Write::Boot) {
            change(&mut state.boot.ipmi);
        }
    }

    /// A chassis command came in time: the flags stay until they are used.
    pub(super) fn boot_flags_were_used(&self, state: &mut State) {
        state.boot.forgotten_at = None;
    }

    pub(super) fn forget_boot_flags(&self, state: &mut State, now: Instant) {
        if state.boot.forgotten_at.is_some_and(|at| at <= now) {
            state.boot.forgotten_at = None;
            state.boot.chosen.enabled = Enabled::Disabled;
        }
    }
}
