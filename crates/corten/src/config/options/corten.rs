//! Options that only Corten has.

use crate::config::{Seconds, choice::LogFormat, section::section};
use std::path::PathBuf;

section! {
    /// What Ironic has no word for.
    Corten = "corten" {
        /// Folder of the database and of everything else the service keeps.
        data_dir: PathBuf = "/var/lib/corten",
        /// File with the ring of keys that secrets in the database are encrypted with.
        key_file: Option<PathBuf>,
        /// Whether log lines are for people or for machines.
        log_format: LogFormat = "text",
        /// How many days events are kept in the log of changes.
        event_retention_days: u32 [1..] = "30",
        /// A conductor whose sign of life stands still this long counts as dead.
        membership_ttl: Seconds [1..] = "60",
    }
}
