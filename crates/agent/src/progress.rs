//! How far the command under way is: its phase, and how many bytes of how many.
//!
//! Workers report, and readers look at the newest report. A report costs no more than an
//! uncontended lock, so it may be made for every chunk. Reports that are not read in time are
//! dropped: such a short phase is of no interest.

use tokio::sync::watch;

/// The newest report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The command, such as `deploy.execute_deploy_step`; empty before the first.
    pub command: String,
    /// What is being done, such as `writing image`; empty before the first.
    pub phase: String,
    /// How many bytes of this phase are done.
    pub bytes: u64,
    /// Out of how many, where that is known.
    pub total: Option<u64>,
}

/// Where work reports how far it is. Clones report to the same place.
#[derive(Debug, Clone, Default)]
pub struct Progress(watch::Sender<Report>);

impl Progress {
    /// A command begins; the phase of the one before is over.
    pub fn command(&self, name: &str) {
        self.0.send_replace(Report {
            command: name.to_owned(),
            ..Report::default()
        });
    }

    /// A phase begins; it has no bytes yet.
    pub fn phase(&self, phase: &str) {
        self.0.send_modify(|report| {
            phase.clone_into(&mut report.phase);
            report.bytes = 0;
            report.total = None;
        });
    }

    /// So many bytes of this phase are done.
    pub fn bytes(&self, done: u64, total: Option<u64>) {
        self.0.send_modify(|report| {
            report.bytes = done;
            report.total = total;
        });
    }

    /// The newest report, and a way to wait for the next.
    pub fn watch(&self) -> watch::Receiver<Report> {
        self.0.subscribe()
    }

    /// How many wait for reports.
    #[cfg(test)]
    pub(crate) fn watchers(&self) -> usize {
        self.0.receiver_count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watcher_sees_the_newest_and_a_phase_starts_at_nothing() {
        let progress = Progress::default();
        let mut watcher = progress.watch();
        let worker = progress.clone();
        worker.command("standby.prepare_image");
        worker.phase("writing image");
        worker.bytes(5, Some(10));
        watcher.changed().await.unwrap();
        let seen = watcher.borrow_and_update().clone();
        assert_eq!(
            (seen.command.as_str(), seen.phase.as_str()),
            ("standby.prepare_image", "writing image")
        );
        assert_eq!((seen.bytes, seen.total), (5, Some(10)));
        worker.phase("config drive");
        assert_eq!(watcher.borrow().bytes, 0);
        assert_eq!(watcher.borrow().total, None);
    }
}
