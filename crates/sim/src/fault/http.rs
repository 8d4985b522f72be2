//! What goes wrong with a web service only.

use serde::{Deserialize, Serialize};

/// The knobs of the Redfish service.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpFaults {
    /// Only requests whose path contains this are hit by `status`, `truncate` and `hang`.
    pub path: Option<String>,
    /// Only requests by this method are.
    pub method: Option<String>,
    /// Answers with this status, and does nothing.
    pub status: Option<u16>,
    /// Does what was asked and ends in the middle of the answer.
    pub truncate: bool,
    /// Does what was asked and never answers.
    pub hang: bool,
    /// Forgets all sessions at every n-th request; zero never does.
    pub forget_tokens_every: u32,
    /// Refuses changes as a machine does whose firmware is just starting.
    pub busy_in_post: bool,
    /// Refuses to power on with 409.
    pub refuse_on: bool,
    /// Tasks end as failed.
    pub fail_tasks: bool,
}

impl HttpFaults {
    /// Whether a request is hit by those faults that can be aimed.
    pub fn hits(&self, method: &str, path: &str) -> bool {
        let is_method = self.method.as_ref().is_none_or(|wanted| wanted == method);
        is_method
            && self
                .path
                .as_ref()
                .is_none_or(|wanted| path.contains(wanted))
    }
}
