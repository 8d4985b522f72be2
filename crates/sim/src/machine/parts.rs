//! What the web service shows of a machine beyond power and boot device, in one place.
//!
//! Most machines of a large simulator are only asked for their power, so all of this is made when
//! it is first needed. Times are those since 1970, because clients see them.

use super::{
    Machine, State,
    bios::{self, Bios},
    boot,
    event::Subscriptions,
    firmware::{Component, Firmware},
    media::Media,
    secure_boot::SecureBoot,
    session::Sessions,
    storage::Storage,
    task::{Tasks, Work},
};
use std::time::Duration;
use tempfile::TempPath;
use types::time::Timestamp;

/// The parts of a machine that few protocols show.
#[derive(Debug, Default)]
pub struct Parts {
    pub bios: Bios,
    pub secure_boot: SecureBoot,
    pub media: Media,
    pub storage: Storage,
    pub firmware: Firmware,
    pub tasks: Tasks,
    pub sessions: Sessions,
    pub subscriptions: Subscriptions,
    /// Where a machine gets its boot file that boots by HTTP.
    pub http_boot_uri: Option<String>,
    /// The copy of an image that a process reads.
    pub image_file: Option<TempPath>,
    /// Whether the light, when it is on, is steady.
    pub is_light_steady: bool,
    /// What clients wrote and the machine only remembers, by the name of the property.
    pub asset_tag: Option<String>,
    pub utc_offset: Option<String>,
    /// How far the clock of the BMC is from ours, in seconds.
    pub clock_error: i64,
    /// How many requests there were, for faults that hit every n-th.
    pub requests: u32,
    /// Idle timeout of sessions, if it was changed.
    pub session_timeout: Option<Duration>,
}

/// The time since 1970.
pub(crate) fn now() -> Duration {
    Duration::from_micros(u64::try_from(Timestamp::now().0).unwrap_or_default())
}

impl Machine {
    /// Looks at the parts, or changes them; what had its time to come has come.
    pub(crate) fn parts<T>(&self, look: impl FnOnce(&mut Parts) -> T) -> T {
        let (result, restarts) = {
            let mut state = self.state();
            let restarts = self.settle_parts(&mut state);
            (look(state.parts.get_or_insert_default()), restarts)
        };
        if restarts {
            self.restart_bmc();
        }
        result
    }

    /// The work that is due is done. Whether the BMC has to restart after it.
    fn settle_parts(&self, state: &mut State) -> bool {
        let fails = self.faults_in(state).http.fail_tasks;
        let Some(parts) = state.parts.as_deref_mut() else {
            return false;
        };
        let mut restarts = false;
        for (number, at, work) in parts.tasks.due(now()) {
            let result = if fails {
                Err("injected fault: the simulator lets this task fail".to_owned())
            } else {
                parts.work(&work).map_err(|refusal| refusal.to_string())
            };
            restarts |= result.is_ok() && is_for_bmc(&work);
            if let (Ok(()), Work::BootOnce { is_optical, once }) = (&result, &work) {
                state.boot.chosen = virtual_boot(state.boot.chosen, *is_optical, *once);
            }
            parts.tasks.end(number, at, result);
        }
        restarts
    }

    /// The machine starts: what waited for it begins or takes effect.
    pub(super) fn start_parts(&self, state: &mut State) {
        let Some(parts) = state.parts.as_deref_mut() else {
            return;
        };
        let now = now();
        match parts.bios.start(now) {
            Some(bios::BootMode::Uefi) => state.boot.chosen.mode = boot::Firmware::Uefi,
            Some(bios::BootMode::Bios) => state.boot.chosen.mode = boot::Firmware::Legacy,
            None => {}
        }
        parts
            .secure_boot
            .start(state.boot.chosen.mode == boot::Firmware::Uefi);
        parts.tasks.start(now);
    }
}

impl Parts {
    fn work(&mut self, work: &Work) -> Result<(), super::refusal::Refusal> {
        match work {
            Work::CreateVolume(wanted) => self.storage.create(wanted).map(drop),
            Work::DeleteVolume { controller, number } => self.storage.delete(*controller, *number),
            Work::InitializeVolume { controller, number } => {
                self.storage.volume(*controller, *number).map(drop)
            }
            Work::SetRaw { drives, raw } => drives
                .iter()
                .try_for_each(|&drive| self.storage.set_raw(drive, *raw)),
            Work::Install(install) => self.firmware.install(install),
            Work::BootOnce { .. } | Work::Export | Work::Pass => Ok(()),
        }
    }
}

fn is_for_bmc(work: &Work) -> bool {
    matches!(work, Work::Install(install) if install.component == Component::Bmc)
}

fn virtual_boot(old: boot::Override, is_optical: bool, once: bool) -> boot::Override {
    boot::Override {
        device: if is_optical {
            boot::Device::Cdrom
        } else {
            boot::Device::Floppy
        },
        enabled: if once {
            boot::Enabled::Once
        } else {
            boot::Enabled::Continuous
        },
        mode: old.mode,
    }
}
