//! Who asked for something.

use serde::{Deserialize, Serialize};

/// The identity behind a request, as far as logs, history and events need it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// User id, or user name under http_basic.
    pub user: Option<String>,
    /// Project of the token, or of the header under noauth.
    pub project: Option<String>,
    /// The request id that was answered to the client.
    pub request_id: String,
}

impl Caller {
    /// Work that the service started by itself.
    pub fn service() -> Self {
        Self::default()
    }
}
