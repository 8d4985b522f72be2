//! Messages in the form of Redfish: the registry that the service uses, and errors made of it.
//!
//! The table holds the messages of the Base registry that this service can say; it is served as
//! that registry, so that clients which look messages up find what they were told.

use crate::machine::refusal::Refusal;
use hyper::StatusCode;
use serde_json::{Value, json};

/// The registry and its version, as message ids begin.
pub(crate) const REGISTRY: &str = "Base.1.18";
pub(crate) const VERSION: &str = "1.18.0";

/// A message of the registry.
pub(crate) struct RegistryMessage {
    pub(crate) key: &'static str,
    /// `%1` stands for the first argument.
    pub(crate) text: &'static str,
    pub(crate) severity: &'static str,
    pub(crate) resolution: &'static str,
    status: StatusCode,
}

const CRITICAL: &str = "Critical";
const WARNING: &str = "Warning";
const OK: &str = "OK";
const CHANGE: &str = "Correct the request and send it again.";
const LATER: &str = "Send the request again later.";
const NONE: &str = "None.";

const fn entry(
    key: &'static str,
    status: StatusCode,
    severity: &'static str,
    text: &'static str,
    resolution: &'static str,
) -> RegistryMessage {
    RegistryMessage {
        key,
        text,
        severity,
        resolution,
        status,
    }
}

/// Every message, ordered by its key.
pub(crate) const ENTRIES: &[RegistryMessage] = &[
    entry(
        "AccessDenied",
        StatusCode::UNAUTHORIZED,
        CRITICAL,
        "While attempting to establish a connection to '%1', the service denied access.",
        "Attempt to ensure that the URI is correct and that the service has the appropriate credentials.",
    ),
    entry(
        "ActionParameterMissing",
        StatusCode::BAD_REQUEST,
        CRITICAL,
        "The action '%1' requires the parameter '%2' to be present in the request body.",
        CHANGE,
    ),
    entry(
        "ActionParameterNotSupported",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The parameter '%1' for the action '%2' is not supported on the target resource.",
        CHANGE,
    ),
    entry(
        "ActionParameterUnknown",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The action '%1' was submitted with the invalid parameter '%2'.",
        CHANGE,
    ),
    entry(
        "ActionParameterValueNotInList",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The value '%1' for the parameter '%2' in the action '%3' is not in the list of acceptable values.",
        CHANGE,
    ),
    entry(
        "ActionParameterValueTypeError",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The value '%1' for the parameter '%2' in the action '%3' is not a type that the parameter can accept.",
        CHANGE,
    ),
    entry(
        "CreateLimitReachedForResource",
        StatusCode::SERVICE_UNAVAILABLE,
        CRITICAL,
        "The create operation failed because the resource has reached the limit of possible resources.",
        "Delete some of the resources, then send the request again.",
    ),
    entry(
        "Created",
        StatusCode::CREATED,
        OK,
        "The resource was created successfully.",
        NONE,
    ),
    entry(
        "EmptyJSON",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The request body submitted contained an empty JSON object and the service is unable to process it.",
        CHANGE,
    ),
    entry(
        "GeneralError",
        StatusCode::BAD_REQUEST,
        CRITICAL,
        "A general error has occurred. See Resolution for information on how to resolve the error.",
        NONE,
    ),
    entry(
        "InsufficientPrivilege",
        StatusCode::FORBIDDEN,
        CRITICAL,
        "There are insufficient privileges for the account or credentials associated with the current session to perform the requested operation.",
        "Either abandon the operation or change the associated access rights and send the request again.",
    ),
    entry(
        "InternalError",
        StatusCode::INTERNAL_SERVER_ERROR,
        CRITICAL,
        "The request failed due to an internal service error. The service is still operational.",
        LATER,
    ),
    entry(
        "MalformedJSON",
        StatusCode::BAD_REQUEST,
        CRITICAL,
        "The request body submitted was malformed JSON and could not be parsed by the receiving service.",
        CHANGE,
    ),
    entry(
        "NoValidSession",
        StatusCode::UNAUTHORIZED,
        CRITICAL,
        "There is no valid session established with the implementation.",
        "Establish a session before attempting any operations.",
    ),
    entry(
        "OperationNotAllowed",
        StatusCode::METHOD_NOT_ALLOWED,
        WARNING,
        "The HTTP method is not allowed on this resource.",
        NONE,
    ),
    entry(
        "PreconditionFailed",
        StatusCode::PRECONDITION_FAILED,
        CRITICAL,
        "The ETag supplied did not match the ETag required to change this resource.",
        "Read the resource again and send the request with its ETag.",
    ),
    entry(
        "PreconditionRequired",
        StatusCode::PRECONDITION_REQUIRED,
        CRITICAL,
        "A precondition header or annotation is required to change this resource.",
        "Send the request with the header If-Match.",
    ),
    entry(
        "PropertyMissing",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The property '%1' is a required property and must be included in the request.",
        CHANGE,
    ),
    entry(
        "PropertyNotWritable",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The property '%1' is a read-only property and cannot be assigned a value.",
        CHANGE,
    ),
    entry(
        "PropertyUnknown",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The property '%1' is not in the list of valid properties for the resource.",
        CHANGE,
    ),
    entry(
        "PropertyValueConflict",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The property '%1' could not be written because its value would conflict with the value of the '%2' property.",
        CHANGE,
    ),
    entry(
        "PropertyValueFormatError",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The value '%1' for the property '%2' is not a format that the property can accept.",
        CHANGE,
    ),
    entry(
        "PropertyValueNotInList",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The value '%1' for the property '%2' is not in the list of acceptable values.",
        CHANGE,
    ),
    entry(
        "PropertyValueOutOfRange",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The value '%1' for the property '%2' is not in the supported range of acceptable values.",
        CHANGE,
    ),
    entry(
        "PropertyValueTypeError",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The value '%1' for the property '%2' is not a type that the property can accept.",
        CHANGE,
    ),
    entry(
        "QueryNotSupported",
        StatusCode::NOT_IMPLEMENTED,
        WARNING,
        "Querying is not supported by the implementation.",
        CHANGE,
    ),
    entry(
        "QueryParameterValueTypeError",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The value '%1' for the query parameter '%2' is not a type that the parameter can accept.",
        CHANGE,
    ),
    entry(
        "ResourceAtUriUnauthorized",
        StatusCode::UNAUTHORIZED,
        CRITICAL,
        "While accessing the resource at '%1', the service received an authorization error '%2'.",
        "Send the request with valid credentials.",
    ),
    entry(
        "ResourceCannotBeDeleted",
        StatusCode::METHOD_NOT_ALLOWED,
        CRITICAL,
        "The delete request failed because the resource requested cannot be deleted.",
        NONE,
    ),
    entry(
        "ResourceInUse",
        StatusCode::CONFLICT,
        WARNING,
        "The change to the requested resource failed because the resource is in use or in transition.",
        LATER,
    ),
    entry(
        "ResourceMissingAtURI",
        StatusCode::NOT_FOUND,
        CRITICAL,
        "The resource at the URI '%1' was not found.",
        "Place a valid resource at the URI or correct the URI and send the request again.",
    ),
    entry(
        "ResourceNotFound",
        StatusCode::NOT_FOUND,
        CRITICAL,
        "The requested resource of type '%1' named '%2' was not found.",
        "Provide a valid resource identifier and send the request again.",
    ),
    entry(
        "ServiceTemporarilyUnavailable",
        StatusCode::SERVICE_UNAVAILABLE,
        CRITICAL,
        "The service is temporarily unavailable. Retry in %1 seconds.",
        LATER,
    ),
    entry(
        "SessionLimitExceeded",
        StatusCode::SERVICE_UNAVAILABLE,
        CRITICAL,
        "The session establishment failed due to the number of simultaneous sessions exceeding the limit of the implementation.",
        "Reduce the number of other sessions before trying to establish the session.",
    ),
    entry(
        "Success",
        StatusCode::OK,
        OK,
        "The request completed successfully.",
        NONE,
    ),
    entry(
        "UnrecognizedRequestBody",
        StatusCode::BAD_REQUEST,
        WARNING,
        "The service detected a malformed request body that it was unable to interpret.",
        CHANGE,
    ),
];

/// A message with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    key: &'static str,
    args: Vec<String>,
    property: Option<String>,
    /// Words of our own instead of the registry's.
    said: Option<String>,
    /// The id within a maker's registry instead.
    id: Option<&'static str>,
}

impl Message {
    pub(crate) fn new(key: &'static str, args: &[&str]) -> Self {
        Self {
            key,
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            property: None,
            said: None,
            id: None,
        }
    }

    fn entry(&self) -> &'static RegistryMessage {
        let known = ENTRIES.iter().find(|entry| entry.key == self.key);
        known.unwrap_or(&ENTRIES[0])
    }

    fn text(&self) -> String {
        if let Some(said) = &self.said {
            return said.clone();
        }
        let mut text = self.entry().text.to_owned();
        for (number, arg) in self.args.iter().enumerate() {
            text = text.replace(&format!("%{}", number + 1), arg);
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let entry = self.entry();
        let mut value = json!({
            "@odata.type": "#Message.v1_1_1.Message",
            "MessageId": self.id.map_or_else(|| format!("{REGISTRY}.{}", self.key), str::to_owned),
            "Message": self.text(),
            "MessageArgs": self.args,
            "Severity": entry.severity,
            "MessageSeverity": entry.severity,
            "Resolution": entry.resolution,
        });
        if let Some(property) = &self.property {
            value["RelatedProperties"] = json!([format!("#/{property}")]);
        }
        value
    }
}

/// An error answer.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    message: Message,
    pub(crate) retry_after: Option<u32>,
}

impl Problem {
    pub(crate) fn new(key: &'static str, args: &[&str]) -> Self {
        let message = Message::new(key, args);
        Self {
            status: message.entry().status,
            message,
            retry_after: None,
        }
    }

    /// A general error in words of our own.
    pub(crate) fn said(status: StatusCode, words: &str) -> Self {
        let mut problem = Self::new("GeneralError", &[]);
        problem.status = status;
        problem.message.said = Some(words.to_owned());
        problem
    }

    /// Says what it is about.
    pub(crate) fn about(mut self, property: &str) -> Self {
        self.message.property = Some(property.replace('.', "/"));
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Says it with a message of a maker's registry.
    pub(crate) fn with_id(mut self, id: &'static str) -> Self {
        self.message.id = Some(id);
        self
    }

    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn not_found(kind: &str, name: &str) -> Self {
        Self::new("ResourceNotFound", &[kind, name])
    }

    pub(crate) fn unknown(property: &str) -> Self {
        Self::new("PropertyUnknown", &[property]).about(property)
    }

    pub(crate) fn missing(property: &str) -> Self {
        Self::new("PropertyMissing", &[property]).about(property)
    }

    pub(crate) fn not_writable(property: &str) -> Self {
        Self::new("PropertyNotWritable", &[property]).about(property)
    }

    pub(crate) fn wrong_type(property: &str, value: &Value) -> Self {
        Self::new("PropertyValueTypeError", &[&shown(value), property]).about(property)
    }

    pub(crate) fn not_in_list(property: &str, value: &str) -> Self {
        Self::new("PropertyValueNotInList", &[value, property]).about(property)
    }

    /// The JSON body.
    pub(crate) fn json(&self) -> Value {
        let message = self.message.json();
        json!({"error": {
            "code": message["MessageId"],
            "message": message["Message"],
            "@Message.ExtendedInfo": [message],
        }})
    }
}

/// A value as a message shows it: never more than fits a line.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars().take(80).collect()
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match &refusal {
            Refusal::Unknown(property) => Self::unknown(property),
            Refusal::ReadOnly(property) => Self::not_writable(property),
            Refusal::Missing(property) => Self::missing(property),
            Refusal::Type { property, value } => Self::wrong_type(property, value),
            Refusal::NotInList { property, value } => Self::not_in_list(property, &shown(value)),
            Refusal::OutOfRange { property, value } => {
                Self::new("PropertyValueOutOfRange", &[&shown(value), property]).about(property)
            }
            Refusal::Conflict { property, .. } => {
                Self::said(StatusCode::BAD_REQUEST, &refusal.to_string()).about(property)
            }
            Refusal::State(why) => Self::said(StatusCode::CONFLICT, why),
            Refusal::Password => Self::said(StatusCode::BAD_REQUEST, &refusal.to_string()),
            Refusal::Absent { what, name } => Self::not_found(what, name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_ordered_and_found() {
        assert!(ENTRIES.is_sorted_by_key(|entry| entry.key));
        for entry in ENTRIES {
            assert_eq!(Message::new(entry.key, &[]).entry().key, entry.key);
        }
    }

    #[test]
    fn a_problem_names_its_arguments_and_property() {
        let problem = Problem::not_in_list("Boot.BootSourceOverrideTarget", "Tape");
        let body = problem.json();
        let info = &body["error"]["@Message.ExtendedInfo"][0];
        assert_eq!(info["MessageId"], "Base.1.18.PropertyValueNotInList");
        assert_eq!(
            info["RelatedProperties"][0],
            "#/Boot/BootSourceOverrideTarget"
        );
        assert!(info["Message"].as_str().unwrap().contains("'Tape'"));
        assert_eq!(problem.status, StatusCode::BAD_REQUEST);
    }
}
