//! The session with an exported disk: from the login to the logout.

use super::{Fence, plan::Plan, target::Exported, write};
use crate::task::Task;
use drivers::{
    DriverError,
    iscsi::{InitiatorSettings, IscsiDisk, IscsiError, IscsiMedium, Reservation},
};
use image::{convert::Options, source::FileSource};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};
use types::LeaseProof;

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error(
        "iSCSI connection did not become active after attempting to verify {attempts} times. Last error: {}",
        types::error::chain(last)
    )]
    Inactive { attempts: u32, last: IscsiError },
    #[error("{}", types::error::chain(.0))]
    Refused(IscsiError),
    #[error("another conductor writes this disk")]
    Reserved,
    #[error("{}", types::error::chain(.0))]
    Lease(DriverError),
    #[error("the conductor is being stopped")]
    Stopping,
}

/// A disk that nobody else writes.
#[derive(Debug)]
pub(super) struct Session {
    disk: Arc<IscsiDisk>,
    /// Where the target knows reservations.
    reservation: Option<Reservation>,
}

impl Session {
    /// Logs in, and makes sure that nobody else writes.
    pub(super) async fn open(task: &mut Task, exported: &Exported) -> Result<Self, SessionError> {
        let settings = task.settings().ramdisk.iscsi.clone();
        let core = Arc::clone(&task.core);
        let (lease, _) = task.hands().map_err(SessionError::Lease)?;
        let mut attempt = 0;
        let disk = loop {
            attempt += 1;
            let initiator = InitiatorSettings {
                chap: exported.chap.clone(),
                lun: exported.lun,
                timeouts: settings.timeouts,
                ..InitiatorSettings::new(&exported.initiator, exported.portal, &exported.target)
            };
            match IscsiDisk::connect(initiator).await {
                Ok(disk) => break disk,
                Err(last) if !last.is_transient() => return Err(SessionError::Refused(last)),
                Err(last) if attempt >= settings.verify_attempts => {
                    let attempts = settings.verify_attempts;
                    return Err(SessionError::Inactive { attempts, last });
                }
                Err(_) => {}
            }
            let pause = tokio::time::sleep(settings.verify_pause);
            if core.stop.run_until_cancelled(pause).await.is_none() {
                return Err(SessionError::Stopping);
            }
        };
        let reservation = match reserve(&disk, lease).await {
            Ok(reservation) => reservation,
            Err(error) => {
                // Whatever the answer: nothing of ours may stay.
                let _ = disk.logout().await;
                return Err(error);
            }
        };
        Ok(Self {
            disk: Arc::new(disk),
            reservation,
        })
    }

    /// Writes the disk. Dropping the future ends the write. Nothing of a write that may not go on
    /// arrives any more when this returns.
    pub(super) async fn write(
        &self,
        image: &Path,
        plan: Plan,
        ephemeral: Option<PathBuf>,
        options: &Options,
        fence: Fence,
    ) -> Result<write::Written, write::WriteError> {
        let fence = Arc::new(fence);
        let mut end = End {
            disk: Arc::clone(&self.disk),
            fence: Arc::clone(&fence),
            is_orderly: false,
        };
        let medium = IscsiMedium::new(Arc::clone(&self.disk));
        let (image, options) = (image.to_owned(), options.clone());
        let work = tokio::task::spawn_blocking(move || {
            let source = FileSource::open(&image)?;
            write::run(
                medium,
                &|| fence.holds(),
                &source,
                &options,
                plan,
                ephemeral.as_deref(),
                &mut |now| fence.pass(now),
            )
        });
        let written = work
            .await
            .unwrap_or_else(|error| Err(write::WriteError::Io(std::io::Error::other(error))));
        end.is_orderly = written.is_ok() || end.fence.holds();
        written
    }

    /// Ends the session. Whatever is still under way fails. What is to be on the medium is there
    /// before, so a target that does not take leave spoils nothing: the connection is cut then. A
    /// disk that is finished stays reserved for as long as it is exported, so that nothing arrives
    /// late of a conductor that had the node before and stood still.
    pub(super) async fn close(self, is_finished: bool) {
        if let Some(reservation) = self.reservation.filter(|_| !is_finished)
            && let Err(error) = self.disk.release(reservation).await
        {
            let error = types::error::chain(&error);
            tracing::info!(error, "the reservation of a disk goes with its session");
        }
        if let Err(error) = self.disk.logout().await {
            let error = types::error::chain(&error);
            tracing::info!(error, "an iSCSI session ended without a logout");
        }
    }
}

/// Ends a write when whoever waits for it is gone.
struct End {
    disk: Arc<IscsiDisk>,
    fence: Arc<Fence>,
    /// Whether nothing is on its way to the disk that must not arrive.
    is_orderly: bool,
}

impl Drop for End {
    fn drop(&mut self) {
        self.fence.dropped.store(true, Ordering::Relaxed);
        if !self.is_orderly {
            self.disk.abandon();
        }
    }
}

/// Reserves a disk with the generation of the lease: a later holder takes over, an earlier one is
/// refused.
async fn reserve(
    disk: &IscsiDisk,
    lease: &LeaseProof,
) -> Result<Option<Reservation>, SessionError> {
    let key = u64::try_from(lease.generation()).unwrap_or(0).max(1);
    match disk.reserve(key).await {
        Ok(reservation) => Ok(Some(reservation)),
        Err(IscsiError::Reserved) => Err(SessionError::Reserved),
        // It knows no reservations; the lease alone fences then.
        Err(IscsiError::Sense { .. } | IscsiError::Unsupported(_)) => Ok(None),
        Err(error) => Err(SessionError::Refused(error)),
    }
}
