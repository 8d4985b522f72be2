//! Why hardware did not do what it was asked to.
//!
//! The variants are what a caller decides on: whether to ask again, whether the machine is to blame
//! or what the node says about it, and what to tell the operator to do. `Display` says what was
//! tried and `source()` why it failed; to show an error, print the whole chain
//! ([`types::error::chain`]).

use std::{error::Error, fmt};
use types::{NodeId, PowerTarget, step::Step};

/// What was tried, and why it failed.
#[derive(Debug)]
pub struct Failure {
    tried: String,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    pub fn new(tried: impl Into<String>) -> Self {
        Self {
            tried: tried.into(),
            cause: None,
        }
    }

    pub fn because(
        tried: impl Into<String>,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self {
            tried: tried.into(),
            cause: Some(cause.into()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tried)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<String> for Failure {
    fn from(tried: String) -> Self {
        Self::new(tried)
    }
}

impl From<&str> for Failure {
    fn from(tried: &str) -> Self {
        Self::new(tried)
    }
}

/// A constructor of those variants that hold a [`Failure`].
pub type Variant = fn(Failure) -> DriverError;

#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// There is no connection, or no answer. Nobody knows how the machine is.
    #[error(transparent)]
    Unreachable(Failure),
    /// It does not let us in, or not do this: user, password, key or privilege are wrong. Asking
    /// again may lock the account.
    #[error(transparent)]
    Refused(Failure),
    /// It cannot just now; the same question may be answered in a moment.
    #[error(transparent)]
    Busy(Failure),
    /// It says what makes no sense, or lacks what its protocol demands.
    #[error(transparent)]
    Protocol(Failure),
    /// It understood, and answered that it cannot do this or that it failed.
    #[error(transparent)]
    Rejected(Failure),
    /// It accepted a setting, and another one is there when it is read again.
    #[error(
        "BMC {peer} accepted a new {what} and did not keep it: asked for {asked}, found {found}"
    )]
    NotKept {
        peer: String,
        what: &'static str,
        asked: String,
        found: String,
    },
    /// It accepted the work and has not done it in time.
    #[error(transparent)]
    Unfinished(Failure),
    /// Something besides the machine fails: a file, an image, a service or the database.
    #[error(transparent)]
    Environment(Failure),
    /// The implementation cannot do this; `what` completes "Driver X does not support …".
    #[error("{what} is not supported")]
    Unsupported { what: &'static str },
    /// What the node says is not enough to boot it for an inspection; it may be inspected without
    /// our doing so.
    #[error("Insufficient information provided for managed inspection: {0}")]
    UnmanagedInspection(String),
    /// What the node says about its hardware, or what the client asks for, is incomplete or wrong.
    #[error("{0}")]
    InvalidParameter(String),
    /// What is asked for contradicts what is there already.
    #[error("{0}")]
    Conflict(String),
    /// Our own lease lapsed: somebody else may be talking to this machine by now.
    #[error("this conductor lost touch with the database and lets go of the node")]
    LeaseLapsed,
    /// Fake hardware was told to fail; nothing else may use this.
    #[error("{0}")]
    Failed(String),
}

impl DriverError {
    /// There is no such step; the list of steps says what there is.
    pub fn no_step(step: &Step) -> Self {
        Self::InvalidParameter(format!("there is no step {}", step.name()))
    }

    /// The interface does not know this power state. The words are Ironic's.
    pub(crate) fn no_power_target(target: PowerTarget) -> Self {
        Self::InvalidParameter(format!(
            "set_power_state called with invalid power state {target}."
        ))
    }

    /// What was asked for would switch a machine off that has `disable_power_off`.
    pub(crate) fn must_stay_on(node: NodeId, why: &str) -> Self {
        Self::InvalidParameter(format!(
            "Node {node} must never be without power, and {why}."
        ))
    }

    /// The variant for an error that happened because of this one.
    pub fn variant(&self) -> Variant {
        match self {
            Self::Unreachable(_) => Self::Unreachable,
            Self::Refused(_) => Self::Refused,
            Self::Busy(_) => Self::Busy,
            Self::Protocol(_) => Self::Protocol,
            Self::Unfinished(_) => Self::Unfinished,
            Self::Environment(_) | Self::LeaseLapsed => Self::Environment,
            Self::Rejected(_)
            | Self::NotKept { .. }
            | Self::Unsupported { .. }
            | Self::UnmanagedInspection(_)
            | Self::InvalidParameter(_)
            | Self::Conflict(_)
            | Self::Failed(_) => Self::Rejected,
        }
    }

    /// Whether the same request may succeed in a while, though nobody changes anything.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Busy(_))
    }

    /// One word for logs and events.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Refused(_) => "refused",
            Self::Busy(_) => "busy",
            Self::Protocol(_) => "protocol",
            Self::Rejected(_) => "rejected",
            Self::NotKept { .. } => "not_kept",
            Self::Unfinished(_) => "unfinished",
            Self::Environment(_) => "environment",
            Self::Unsupported { .. } => "unsupported",
            Self::UnmanagedInspection(_) | Self::InvalidParameter(_) | Self::Conflict(_) => {
                "invalid"
            }
            Self::LeaseLapsed => "lease_lapsed",
            Self::Failed(_) => "failed",
        }
    }

    /// What an operator does about a machine whose management answers like this.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unreachable(_) => {
                "check the address in driver_info, the network to the BMC, and whether it has power"
            }
            Self::Refused(_) => {
                "check the user, the password and the privilege level in driver_info; the BMC may \
                 have locked the account"
            }
            Self::Protocol(_) => {
                "check that the driver fits the BMC; the flight recorder shows what it answered"
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_one_sentence() {
        let cause = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = DriverError::Unreachable(Failure::because("talking to BMC b", cause));
        assert_eq!(error.to_string(), "talking to BMC b");
        let text = types::error::chain(&error);
        assert_eq!(text, "talking to BMC b: connection refused");
        let again = error.variant()(Failure::because("a step failed", error));
        assert_eq!(again.kind(), "unreachable");
        let text = types::error::chain(&again);
        assert_eq!(text, "a step failed: talking to BMC b: connection refused");
    }
}
