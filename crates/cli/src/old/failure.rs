//! How a command of the old client ends badly, in the old client's words.

use crate::error::Error;

#[derive(Debug)]
pub(super) enum Failure {
    /// The options before the sub-command make no sense.
    Program(String),
    /// The words of the sub-command make no sense, alone or together.
    Usage(String),
    Failed(String),
    /// The service refused.
    Refused {
        status: u16,
        message: String,
        /// By which the service's log knows the request.
        request: Option<String>,
    },
    /// No answer came from this address.
    Unreachable {
        url: String,
        cause: String,
    },
    /// What happened on the way, before there was a request.
    Other(Error),
}

impl Failure {
    pub(super) fn program(text: impl Into<String>) -> Self {
        Self::Program(text.into())
    }

    pub(super) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    pub(super) fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// What was asked for is not there.
    pub(super) fn not_found() -> Self {
        Self::Refused {
            status: 404,
            message: "Not Found".to_owned(),
            request: None,
        }
    }

    /// Whether the same request may succeed in a moment. The old client takes every conflict for one
    /// that passes.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 409 | 503),
            Self::Unreachable { .. } => true,
            _ => false,
        }
    }

    /// The sentence to print.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Refused { status: 401, .. } => {
                "Invalid OpenStack Identity credentials".to_owned()
            }
            other => other.detail(),
        }
    }

    /// The same as part of another sentence.
    pub(super) fn detail(&self) -> String {
        match self {
            Self::Program(text) | Self::Usage(text) | Self::Failed(text) => text.clone(),
            Self::Refused {
                status,
                message,
                request: None,
            } => format!("{message} (HTTP {status})"),
            Self::Refused {
                status,
                message,
                request: Some(id),
            } => format!("{message} (HTTP {status}) (Request-ID: {id})"),
            Self::Unreachable { url, cause } => {
                format!("Unable to establish connection to {url}: {cause}")
            }
            Self::Other(error) => error.lines().join("\n"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}
