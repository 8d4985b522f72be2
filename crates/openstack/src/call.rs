//! One request, before it is known where it goes and whose token it carries.

use crate::{
    Service,
    caller::Access,
    endpoint::{escape_path, is_id},
    error::Reason,
};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use reqwest::{Method, Url};
use serde_json::Value;
use std::{fmt, io, sync::Arc};

/// Answers are far shorter; lists of ports have their own limit.
pub(crate) const ANSWER_LIMIT: usize = 2 << 20;

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    /// Escaped, below the root of the API; with a leading slash, or empty.
    path: String,
    /// Below the host instead, for Swift's `/info`.
    pub(crate) base: Option<Url>,
    query: Vec<(&'static str, String)>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Content,
    pub(crate) access: Access,
    /// What is to be done to what, for errors.
    pub(crate) action: String,
    pub(crate) limit: usize,
    /// A status beside 2xx that is an answer, not a failure.
    pub(crate) also_accepted: Option<u16>,
}

/// What a request carries.
#[derive(Clone)]
pub(crate) enum Content {
    Nothing,
    Json(Bytes),
    Bytes(Bytes),
    Upload(Arc<dyn Upload>),
}

/// Something to send that is too large for memory. It may be sent more than once.
pub trait Upload: Send + Sync {
    fn length(&self) -> u64;
    /// All bytes from the beginning.
    fn open(&self) -> BoxStream<'static, io::Result<Bytes>>;
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Bodies hold passwords of volumes and config drives.
        match self {
            Self::Nothing => f.write_str("Nothing"),
            Self::Json(bytes) | Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Upload(upload) => write!(f, "{} bytes", upload.length()),
        }
    }
}

impl Call {
    fn new(method: Method, access: Access, path: String, action: String) -> Self {
        Self {
            method,
            path,
            base: None,
            query: Vec::new(),
            headers: Vec::new(),
            body: Content::Nothing,
            access,
            action,
            limit: ANSWER_LIMIT,
            also_accepted: None,
        }
    }

    /// A request about something whose path is fixed.
    pub(crate) fn fixed(method: Method, path: &str, action: impl Into<String>) -> Self {
        let access = if method == Method::GET || method == Method::HEAD {
            Access::Read
        } else {
            Access::Write
        };
        Self::new(method, access, escape_path(path), action.into())
    }

    /// A request about an object: `/PARENT/ID` and what follows. The id may come from a user.
    pub(crate) fn about(
        method: Method,
        parent: &str,
        id: &str,
        rest: &str,
        action: impl Into<String>,
    ) -> Result<Self, (String, Reason)> {
        let action = action.into();
        if !is_id(id) {
            let shown: String = id.chars().filter(|c| !c.is_control()).take(64).collect();
            return Err((action, Reason::InvalidId(shown)));
        }
        Ok(Self::fixed(
            method,
            &format!("/{parent}/{id}{rest}"),
            action,
        ))
    }

    pub(crate) fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.query.push((name, value.into()));
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.body = Content::Json(body.to_string().into());
        self
    }

    pub(crate) fn content(mut self, body: Content) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Whether sending it twice has the effect of sending it once (RFC 9110, 9.2.2).
    pub(crate) fn is_idempotent(&self) -> bool {
        self.method != Method::POST
    }

    /// The URL below the root of an API.
    pub(crate) fn url(&self, root: &Url) -> Url {
        let root = self.base.as_ref().unwrap_or(root);
        let mut url = root.clone();
        url.set_path(&format!(
            "{}{}",
            root.path().trim_end_matches('/'),
            self.path
        ));
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }
}

/// A microversion header, as `OpenStack-API-Version` has it.
pub(crate) fn microversion(service: Service, version: &str) -> String {
    let name = match service {
        Service::Cinder => "volume",
        Service::Nova => "compute",
        other => other.default_type(),
    };
    format!("{name} {version}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_escaped() {
        let root = Url::parse("http://n/v2.0").unwrap();
        let call = Call::fixed(Method::GET, "/ports", "list ports")
            .query("mac_address", "52:54:00:00:10:0a")
            .query("mac_address", "52:54:00:00:10:0c")
            .query("network_id", "dd3a");
        // As recorded.
        assert_eq!(
            call.url(&root).as_str(),
            "http://n/v2.0/ports?mac_address=52%3A54%3A00%3A00%3A10%3A0a\
             &mac_address=52%3A54%3A00%3A00%3A10%3A0c&network_id=dd3a"
        );
        let call = Call::about(Method::POST, "volumes", "v1", "/action", "x").unwrap();
        assert_eq!(call.url(&root).as_str(), "http://n/v2.0/volumes/v1/action");
        assert!(!call.is_idempotent() && call.access == Access::Write);
        let (_, reason) = Call::about(Method::GET, "ports", "../agents", "", "x").unwrap_err();
        assert_eq!(reason, Reason::InvalidId("../agents".into()));
    }
}
