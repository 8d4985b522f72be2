//! How far work on a machine is, in more detail than its row tells.
//!
//! It changes by the second and is of no use afterwards, so it lives in the memory of the conductor
//! that serves the node and never in the database.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// How far an agent says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// What it is doing, such as `writing image`.
    pub phase: String,
    /// How many bytes of this phase are done.
    pub bytes: u64,
    /// Out of how many, where that is known.
    pub total: Option<u64>,
    /// Bytes in a second.
    pub rate: Option<u64>,
    /// The command that it is carrying out.
    pub command: Option<String>,
}

impl Progress {
    /// Seconds that are left at this rate.
    pub fn eta(&self) -> Option<u64> {
        let left = self.total?.saturating_sub(self.bytes);
        self.rate
            .filter(|rate| *rate > 0)
            .map(|rate| left.div_ceil(rate))
    }
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.phase, self.bytes)?;
        match self.total {
            Some(total) => write!(f, " of {total} bytes"),
            None => f.write_str(" bytes"),
        }
    }
}

/// What a conductor knows about a node besides its row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// The newest word of the agent, and when it came.
    pub progress: Option<(Progress, Timestamp)>,
    /// What the conductor itself is waiting for right now, and since when.
    pub awaits: Option<(String, Timestamp)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_takes_its_time() {
        let mut progress = Progress {
            phase: "writing image".into(),
            bytes: 100,
            total: Some(1000),
            rate: Some(90),
            command: None,
        };
        assert_eq!(progress.eta(), Some(10));
        assert_eq!(progress.to_string(), "writing image, 100 of 1000 bytes");
        progress.bytes = 2000;
        assert_eq!(progress.eta(), Some(0));
        progress.rate = Some(0);
        assert_eq!(progress.eta(), None);
        progress.total = None;
        assert_eq!(progress.to_string(), "writing image, 2000 bytes");
    }
}
