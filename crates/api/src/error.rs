//! The only place that knows which failure has which status code, and how it looks on the wire.
//!
//! Ironic has two error envelopes, both a JSON text inside the JSON string `error_message`:
//! one for failures inside an operation ("service"), one for requests that never reached one
//! ("router"). Router errors carry no version headers. Every layer below speaks its own language
//! (`Fault`, `StoreError`); handlers turn both into an [`ApiError`] with `?`.

use crate::json_writer::JsonWriter;
use axum::http::StatusCode;
use store::StoreError;
use types::Fault;

/// Why a request was refused or failed.
#[derive(Debug)]
pub enum ApiError {
    /// An operation said no, or broke.
    Service {
        status: StatusCode,
        text: String,
        /// What the operator needs and the client must not see.
        detail: Option<String>,
        /// Whether the same request may succeed in a moment; a header says so.
        passes: bool,
        /// Whether the same request is welcome a little later.
        try_later: bool,
    },
    /// The request did not reach an operation.
    Router {
        status: StatusCode,
        description: String,
        /// The value of the `Allow` header of a 405.
        allow: Option<String>,
        /// Whether the supported version range is shown.
        version_range: bool,
    },
}

/// The longest text about a failure, in bytes. Texts quote what was sent, which may be long, and is
/// written with escapes twice.
const LONGEST_TEXT: usize = 16 * 1024;

/// As much of a text as a refusal can quote.
pub(crate) fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_TEXT)]
}

/// A text as it is, or its beginning.
pub(crate) fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

impl ApiError {
    pub fn service(status: StatusCode, text: impl Into<String>) -> Self {
        Self::Service {
            status,
            text: shortened(text.into()),
            detail: None,
            passes: false,
            try_later: false,
        }
    }

    /// 503 for what is only too much at the moment.
    pub fn busy(text: impl Into<String>) -> Self {
        Self::Service {
            status: StatusCode::SERVICE_UNAVAILABLE,
            text: format!("{} Please try again later.", text.into()),
            detail: None,
            passes: true,
            try_later: true,
        }
    }

    pub fn router(status: StatusCode, description: impl Into<String>) -> Self {
        Self::Router {
            status,
            description: description.into(),
            allow: None,
            version_range: false,
        }
    }

    /// 400 with an explanation.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::service(StatusCode::BAD_REQUEST, text)
    }

    /// 403 with an explanation.
    pub fn forbidden(text: impl Into<String>) -> Self {
        Self::service(StatusCode::FORBIDDEN, text)
    }

    /// 404 with an explanation.
    pub fn not_found(text: impl Into<String>) -> Self {
        Self::service(StatusCode::NOT_FOUND, text)
    }

    /// 404 for something whose name is nobody's business.
    pub fn resource_not_found() -> Self {
        Self::not_found("Resource could not be found.")
    }

    /// 404 for an endpoint that is newer than the requested version.
    pub fn not_in_this_version() -> Self {
        Self::not_found("The API is not supported for this version")
    }

    pub fn node_not_found(ident: &str) -> Self {
        Fault::NodeNotFound(ident.to_owned()).into()
    }

    pub fn port_not_found(ident: &str) -> Self {
        Fault::PortNotFound(ident.to_owned()).into()
    }

    pub fn portgroup_not_found(ident: &str) -> Self {
        Fault::PortgroupNotFound(ident.to_owned()).into()
    }

    pub fn allocation_not_found(ident: &str) -> Self {
        Self::not_found(format!("Allocation {ident} could not be found."))
    }

    pub fn chassis_not_found(ident: &str) -> Self {
        Fault::ChassisNotFound(ident.to_owned()).into()
    }

    /// 406: the requested version is too old for something in the request.
    pub fn not_acceptable() -> Self {
        Self::service(StatusCode::NOT_ACCEPTABLE, "Request not acceptable.")
    }

    /// 406 that says which version would do.
    pub fn needs_version(version: types::ApiVersion) -> Self {
        Self::service(
            StatusCode::NOT_ACCEPTABLE,
            format!("Request not acceptable. The minimal required API version should be {version}"),
        )
    }

    /// 409 with an explanation.
    pub fn conflict(text: impl Into<String>) -> Self {
        Self::service(StatusCode::CONFLICT, text)
    }

    pub fn unexpected_arguments(names: &[&str]) -> Self {
        let shown: Vec<&str> = names.iter().map(|name| start_of(name)).collect();
        Self::invalid(format!("Unexpected arguments: {}", shown.join(", ")))
    }

    pub fn missing_parameter(name: &str) -> Self {
        Self::invalid(format!("Missing mandatory parameter: {name}"))
    }

    /// Our own failure; only the log gets the details.
    pub fn internal(detail: impl Into<String>) -> Self {
        Self::Service {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            text: "Internal error; the log has the details under the request id.".into(),
            detail: Some(detail.into()),
            passes: false,
            try_later: false,
        }
    }

    /// The same refusal, of which the client is told that it will pass.
    fn passing(mut self) -> Self {
        if let Self::Service { passes, .. } = &mut self {
            *passes = true;
        }
        self
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::Service { status, .. } | Self::Router { status, .. } => *status,
        }
    }

    /// What clients are told.
    pub fn text(&self) -> &str {
        match self {
            Self::Service { text, .. } => text,
            Self::Router { description, .. } => description,
        }
    }

    /// The same refusal, said by an operation.
    pub fn as_service(&self) -> Self {
        match self {
            Self::Router {
                status,
                description: text,
                ..
            }
            | Self::Service { status, text, .. } => Self::service(*status, text.as_str()),
        }
    }

    /// The same refusal as 400: for objects that the body names rather than the path.
    pub fn as_bad_request(mut self) -> Self {
        if let Self::Service { status, .. } = &mut self {
            *status = StatusCode::BAD_REQUEST;
        }
        self
    }

    /// A conductor's refusal where "no conductor serves this driver" is the client's mistake (400)
    /// rather than a missing resource (404): node create, update, delete and maintenance.
    pub fn from_node_write(fault: Fault) -> Self {
        let client_chose_driver = matches!(fault, Fault::NoValidHost { .. });
        let error = Self::from(fault);
        if client_chose_driver {
            error.as_bad_request()
        } else {
            error
        }
    }

    /// The text inside `error_message`.
    pub fn envelope(&self) -> String {
        let mut w = JsonWriter::with_capacity(256);
        w.begin_object();
        match self {
            Self::Service { status, text, .. } => {
                w.key("faultcode");
                w.str(if status.is_server_error() {
                    "Server"
                } else {
                    "Client"
                });
                w.key("faultstring");
                w.str(text);
                w.key("debuginfo");
                w.null();
            }
            Self::Router {
                status,
                description,
                ..
            } => {
                w.key("code");
                w.int(i64::from(status.as_u16()));
                w.key("title");
                w.str(status.canonical_reason().unwrap_or_default());
                w.key("description");
                w.str(description);
            }
        }
        w.end_object();
        String::from_utf8(w.finish()).unwrap_or_default()
    }
}

/// The body of an error: `text` inside `error_message`.
pub(crate) fn body(text: &str) -> Vec<u8> {
    let mut w = JsonWriter::with_capacity(text.len() + 64);
    w.begin_object();
    w.key("error_message");
    w.str(text);
    w.end_object();
    w.finish()
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        use StatusCode as S;
        let status = match &fault {
            Fault::NotFound
            | Fault::NodeNotFound(_)
            | Fault::AllocationNotFound(_)
            | Fault::RunbookNotFound(_)
            | Fault::PortNotFound(_)
            | Fault::PortgroupNotFound(_)
            | Fault::ConnectorNotFound(_)
            | Fault::TargetNotFound(_)
            | Fault::ChassisNotFound(_)
            | Fault::TraitNotFound { .. }
            | Fault::DriverUnknown(_)
            | Fault::NoSuchFeature { .. }
            | Fault::NoValidHost { .. } => S::NOT_FOUND,
            Fault::InvalidStateRequested { .. }
            | Fault::InvalidParameter(_)
            | Fault::InMaintenance { .. }
            | Fault::Retired { .. }
            | Fault::Unsupported { .. } => S::BAD_REQUEST,
            Fault::Protected(_) | Fault::WrongScreenToken => S::FORBIDDEN,
            Fault::Locked { .. }
            | Fault::Stale(_)
            | Fault::InvalidState(_)
            | Fault::Duplicate(_)
            | Fault::NodeAssociated { .. }
            | Fault::InstanceAssociated { .. }
            | Fault::PowerOffDisabled(_) => S::CONFLICT,
            Fault::NoFreeWorker
            | Fault::ConcurrentActionLimit(_)
            | Fault::Unavailable
            | Fault::NotNow(_) => S::SERVICE_UNAVAILABLE,
            Fault::Hardware(_) => S::INTERNAL_SERVER_ERROR,
            Fault::Internal(detail) => return Self::internal(detail.clone()),
        };
        // Every other 409 needs somebody to do something first.
        let passes = match &fault {
            Fault::Locked { .. } | Fault::Stale(_) => true,
            _ => status == S::SERVICE_UNAVAILABLE,
        };
        let error = Self::service(status, fault.to_string());
        if passes { error.passing() } else { error }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound | StoreError::MarkerNotFound => Self::resource_not_found(),
            StoreError::BadSortKey(key) => Self::invalid(format!(
                "The sort_key value \"{key}\" is an invalid field for sorting"
            )),
            StoreError::Duplicate(unique) => Self::conflict(unique.to_string()),
            StoreError::Stale => Self::conflict(
                "The resource was changed by another request meanwhile, please retry.",
            )
            .passing(),
            error @ StoreError::DoesNotFit { .. } => Self::invalid(error.to_string()),
            // The database is away for a moment; clients repeat what is answered by 503.
            StoreError::Unavailable(cause) => {
                tracing::warn!(cause = %types::error::chain(&*cause), "the database is not reachable");
                Fault::Unavailable.into()
            }
            error => Self::internal(types::error::chain(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: ApiError, expected: &str) {
        assert_eq!(
            String::from_utf8(body(&error.envelope())).unwrap(),
            expected
        );
    }

    #[test]
    fn both_envelopes_are_json_inside_json() {
        check(
            ApiError::not_acceptable(),
            r#"{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"Request not acceptable.\", \"debuginfo\": null}"}"#,
        );
        check(
            ApiError::router(StatusCode::METHOD_NOT_ALLOWED, ""),
            r#"{"error_message": "{\"code\": 405, \"title\": \"Method Not Allowed\", \"description\": \"\"}"}"#,
        );
        check(
            ApiError::from(Fault::Unavailable),
            r#"{"error_message": "{\"faultcode\": \"Server\", \"faultstring\": \"Resource temporarily unavailable, please retry.\", \"debuginfo\": null}"}"#,
        );
    }

    #[test]
    fn only_what_passes_by_itself_is_worth_a_retry() {
        let passes = |fault: Fault| match ApiError::from(fault) {
            ApiError::Service { passes, .. } => passes,
            ApiError::Router { .. } => panic!("no operation said this"),
        };
        assert!(passes(Fault::Unavailable) && passes(Fault::NoFreeWorker));
        assert!(passes(Fault::Stale(types::NodeId::generate())));
        assert!(!passes(Fault::InvalidState("It is active.".into())));
        assert!(!passes(Fault::Duplicate("Taken.".into())));
        assert!(!passes(Fault::Internal("x".into())));
    }

    #[test]
    fn a_driver_nobody_serves_is_400_only_for_node_writes() {
        let fault = Fault::NoValidHost {
            driver: "d".into(),
            group: String::new(),
        };
        assert_eq!(
            ApiError::from(fault.clone()).status(),
            StatusCode::NOT_FOUND
        );
        assert_eq!(
            ApiError::from_node_write(fault).status(),
            StatusCode::BAD_REQUEST
        );
    }
}
