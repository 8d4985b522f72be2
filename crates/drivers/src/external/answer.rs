//! Reading results: what each method must answer, and the errors of the protocol as ours.

use super::redact::blot;
use crate::{DriverError, Failure};
use proto::driver::{Code, Refusal, plain};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use types::{JsonMap, step::StepOutcome};

/// How many warnings of one call are kept, and how long each may be.
const MOST_WARNINGS: usize = 20;
const LONGEST_WARNING: usize = 500;
/// Longest handle of a step in bytes of JSON.
const LONGEST_HANDLE: usize = 16 << 10;
/// The longest pause until a step is asked again.
const LONGEST_PAUSE: u64 = 24 * 60 * 60;

/// A result, and what errors need to speak of it.
pub(super) struct Answered {
    pub(super) program: String,
    pub(super) method: &'static str,
    pub(super) result: JsonMap,
    pub(super) secrets: Vec<String>,
}

impl Answered {
    /// A part of the result that must be there.
    pub(super) fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<T, DriverError> {
        let Some(value) = self.result.remove(key) else {
            return Err(self.nonsense(&format!("'{key}' is missing")));
        };
        self.read(key, value)
    }

    /// A part that may be missing, or null.
    pub(super) fn find<T: DeserializeOwned>(
        &mut self,
        key: &str,
    ) -> Result<Option<T>, DriverError> {
        match self.result.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.read(key, value).map(Some),
        }
    }

    fn read<T: DeserializeOwned>(&self, key: &str, value: Value) -> Result<T, DriverError> {
        serde_json::from_value(value).map_err(|error| {
            let text = blot(&plain(&error.to_string(), 200), self.secrets.iter());
            self.nonsense(&format!("'{key}' is wrong: {text}"))
        })
    }

    /// What it did not quite do, for people.
    pub(super) fn warnings(&mut self) -> Result<Vec<String>, DriverError> {
        let said: Vec<String> = self.find("warnings")?.unwrap_or_default();
        let short = |text: String| blot(&plain(&text, LONGEST_WARNING), self.secrets.iter());
        Ok(said.into_iter().take(MOST_WARNINGS).map(short).collect())
    }

    /// How a step is, with what it wants to be told when it is asked again.
    pub(super) fn outcome(mut self) -> Result<(StepOutcome, Option<JsonMap>), DriverError> {
        let Some(mut wait) = self.find::<JsonMap>("wait")? else {
            return Ok((StepOutcome::Done, None));
        };
        let handle = wait.remove("handle").unwrap_or_default();
        if handle.to_string().len() > LONGEST_HANDLE {
            let text = format!("the handle is longer than {} KiB", LONGEST_HANDLE >> 10);
            return Err(self.nonsense(&text));
        }
        self.result = wait;
        let reason: String = self.take("reason")?;
        let after: u64 = self.take("after_s")?;
        let reboot: Option<bool> = self.find("reboot")?;
        let outcome = StepOutcome::Again {
            reason: blot(&plain(&reason, LONGEST_WARNING), self.secrets.iter()),
            after: Duration::from_secs(after.min(LONGEST_PAUSE)),
            reboot: reboot.unwrap_or(false),
        };
        let state = json!({"handle": handle});
        Ok((outcome, state.as_object().cloned()))
    }

    pub(super) fn nonsense(&self, what: &str) -> DriverError {
        DriverError::Protocol(Failure::new(format!(
            "driver program {} answered {} with nonsense: {what}",
            self.program, self.method
        )))
    }
}

/// The error of a program as ours.
pub(super) fn refused(
    program: &str,
    method: &'static str,
    refusal: &Refusal,
    secrets: &[String],
) -> DriverError {
    let said = blot(&refusal.message, secrets.iter());
    let failure = |said| Failure::because(format!("{method} by driver program {program}"), said);
    match refusal.code {
        Code::Unreachable => DriverError::Unreachable(failure(said)),
        Code::Refused => DriverError::Refused(failure(said)),
        Code::Busy => DriverError::Busy(failure(said)),
        Code::Protocol => DriverError::Protocol(failure(said)),
        Code::Rejected => DriverError::Rejected(failure(said)),
        Code::Unfinished => DriverError::Unfinished(failure(said)),
        Code::Environment => DriverError::Environment(failure(said)),
        Code::Unsupported => DriverError::Unsupported { what: method },
        Code::Invalid => DriverError::InvalidParameter(said),
        Code::Conflict => DriverError::Conflict(said),
    }
}
