//! What goes wrong with a BMC.
//!
//! Every knob works on both protocols and may be turned while the simulator runs. Knobs that change
//! what a write does are obeyed by the model of the machine; those that change what is sent are
//! obeyed by the servers.

mod http;

pub use http::HttpFaults;

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The knobs. The default is a BMC with which nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Faults {
    /// How long every answer takes.
    pub latency_ms: u32,
    /// Answers nothing at all.
    pub silent: bool,
    /// Loses every n-th answer (HTTP: closes the connection instead); zero loses none.
    pub lose_every: u32,
    /// Takes `slow_ms` longer for every n-th answer; zero stands for every one.
    pub slow_every: u32,
    pub slow_ms: u32,
    /// Answers with bytes that mean nothing.
    pub garbage: bool,
    /// Answers every command with this completion code (HTTP: 503 for busy codes, else 500).
    pub completion: Option<u8>,
    /// Writes that are accepted and do nothing.
    pub ignore: Ignore,
    /// A boot device that is to stay is used once.
    pub lose_persistence: bool,
    /// A boot device by UEFI becomes one by legacy BIOS.
    pub lose_efi: bool,
    /// How many sessions there may be at once, for each protocol by itself.
    pub session_limit: Option<u16>,
    /// After so many wrong passwords in a row an account is locked.
    pub lockout_after: Option<u8>,
    /// For how long; zero stands for ever.
    pub lockout_seconds: u32,
    /// How long a restart of the BMC takes; zero leaves it to the settings.
    pub reboot_seconds: u32,
    /// IPMI answers have room for eight bytes of a record or an entry only.
    pub small_answers: bool,
    /// What goes wrong with the web service only.
    pub http: HttpFaults,
}

/// Which writes are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ignore {
    #[default]
    Nothing,
    Power,
    Boot,
    Everything,
}

/// What a write is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    Power,
    Boot,
    Other,
}

impl Faults {
    /// Whether a write is accepted and forgotten.
    pub fn ignores(&self, write: Write) -> bool {
        match self.ignore {
            Ignore::Nothing => false,
            Ignore::Power => write == Write::Power,
            Ignore::Boot => write == Write::Boot,
            Ignore::Everything => true,
        }
    }

    /// What becomes of the n-th answer (counted from one).
    pub fn delivery(&self, count: u32) -> Delivery {
        if self.silent || is_nth(count, self.lose_every) {
            return Delivery::Lost;
        }
        let mut delay = u64::from(self.latency_ms);
        if self.slow_ms > 0 && (self.slow_every == 0 || is_nth(count, self.slow_every)) {
            delay += u64::from(self.slow_ms);
        }
        Delivery::Sent {
            after: Duration::from_millis(delay),
            as_garbage: self.garbage,
        }
    }
}

fn is_nth(count: u32, every: u32) -> bool {
    every > 0 && count.is_multiple_of(every)
}

/// How an answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Lost,
    Sent { after: Duration, as_garbage: bool },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lost_and_late_by_count() {
        let faults = Faults {
            latency_ms: 5,
            lose_every: 3,
            slow_every: 2,
            slow_ms: 100,
            ..Faults::default()
        };
        let after = |ms| Delivery::Sent {
            after: Duration::from_millis(ms),
            as_garbage: false,
        };
        assert_eq!(
            [1, 2, 3, 4].map(|count| faults.delivery(count)),
            [after(5), after(105), Delivery::Lost, after(105)]
        );
    }

    #[test]
    fn writes_are_ignored_by_what_they_are_about() {
        let faults = |ignore| Faults {
            ignore,
            ..Faults::default()
        };
        assert!(!faults(Ignore::Nothing).ignores(Write::Power));
        assert!(faults(Ignore::Power).ignores(Write::Power));
        assert!(!faults(Ignore::Power).ignores(Write::Boot));
        assert!(faults(Ignore::Everything).ignores(Write::Other));
    }

    #[test]
    fn knobs_are_read_by_name_and_unknown_ones_refused() {
        let faults: Faults = serde_json::from_str(r#"{"silent": true, "ignore": "boot"}"#).unwrap();
        assert_eq!((faults.silent, faults.ignore), (true, Ignore::Boot));
        assert!(serde_json::from_str::<Faults>(r#"{"loud": true}"#).is_err());
    }
}
