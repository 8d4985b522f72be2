//! A failed conversation with hardware.

use std::time::Duration;

/// Variants are what a caller decides on. The message never repeats the source: whoever logs
/// prints the whole chain.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    #[error("no answer from {peer} within {after:?}")]
    Unreachable { peer: String, after: Duration },
    #[error("{peer} refused our credentials")]
    Refused { peer: String },
    /// The implementation cannot do this; `what` completes "Driver X does not support …".
    #[error("{what} is not supported")]
    Unsupported { what: &'static str },
    /// What the node says is not enough to boot it for an inspection; it may be inspected without
    /// our doing so.
    #[error("Insufficient information provided for managed inspection: {0}")]
    UnmanagedInspection(String),
    /// What the node says about its hardware is incomplete or wrong.
    #[error("{0}")]
    InvalidParameter(String),
    /// The hardware did something else than it was asked to.
    #[error("{0}")]
    Failed(String),
    /// The hardware accepted a change and did not make it.
    #[error(
        "BMC {peer} accepted a new {what} and did not keep it: asked for {asked}, found {found}"
    )]
    NotKept {
        peer: String,
        what: &'static str,
        asked: String,
        found: String,
    },
    /// Our own lease lapsed: somebody else may be talking to this machine by now.
    #[error("this conductor lost touch with the database and lets go of the node")]
    LeaseLapsed,
}
