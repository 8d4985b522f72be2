//! What can go wrong, and how it is told: one line naming the thing and the cause, and where it
//! helps a second line with a way out.
//!
//! The kinds follow the exit codes, because that is what a script can act on. Failures that the
//! caller branches on (a conflict that passes, a cursor that is too old) are asked for by method;
//! nobody matches on message texts.

use serde_json::Value;

/// What the help says about exit codes.
pub const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the service refused, or what was asked for failed
  2  the command line is wrong
  3  the service cannot be reached";

/// Boxed, since results that carry it are passed through every function here.
#[derive(Debug)]
pub(crate) struct Error(Box<ErrorDetails>);

#[derive(Debug)]
struct ErrorDetails {
    kind: ErrorClass,
    subject: Option<String>,
    message: String,
    hint: Option<String>,
    others: Vec<Error>,
}

#[derive(Debug, Clone, PartialEq)]
enum ErrorClass {
    Usage,
    Failed,
    Unreachable,
    /// The service answered with an error status; the body is kept for the few callers that need
    /// more of it than its message.
    Refused {
        status: u16,
        body: Value,
        /// The service says that the same request may succeed in a moment.
        passes: bool,
    },
    /// Whoever read our output has gone. Nothing is wrong and nobody is left to tell.
    OutputClosed,
}

impl Error {
    fn new(kind: ErrorClass, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorDetails {
            kind,
            subject: None,
            message: message.into(),
            hint: None,
            others: Vec::new(),
        }))
    }

    /// The command line does not make sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Usage, message)
    }

    /// What was asked for did not come to pass.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Failed, message)
    }

    /// No answer came from the service.
    pub(crate) fn unreachable(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Unreachable, message)
    }

    /// The service answered with an error status.
    pub(crate) fn refused(status: u16, body: &[u8]) -> Self {
        let body = serde_json::from_slice(body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
        let message = fault(&body).unwrap_or_else(|| bare_status(status, &body));
        let hint = match status {
            401 => Some(
                "the service wants to know who you are: OS_CLOUD, or OS_AUTH_URL, OS_USERNAME, \
                 OS_PASSWORD and OS_PROJECT_NAME for Keystone, or OS_AUTH_TYPE=http_basic",
            ),
            _ => None,
        };
        let hint = hint.map(str::to_owned).or_else(|| advice(&message));
        let passes = false;
        let kind = ErrorClass::Refused {
            status,
            body,
            passes,
        };
        let error = Self::new(kind, message);
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    /// Notes that the service, or what is known of the node, says that this will pass.
    pub(crate) fn passing(mut self) -> Self {
        if let ErrorClass::Refused { status, passes, .. } = &mut self.0.kind {
            *passes = true;
            if *status == 409 {
                return self.with_hint("the node is busy; try again, or raise --max-retries");
            }
        }
        self
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Names what the error is about, unless something nearer to the cause already did.
    pub(crate) fn about(mut self, subject: impl Into<String>) -> Self {
        self.0.subject.get_or_insert_with(|| subject.into());
        self
    }

    /// Several things were tried and these failed; nothing if none did.
    pub(crate) fn all(errors: Vec<Self>) -> Result<(), Self> {
        let mut errors = errors.into_iter();
        match errors.next() {
            None => Ok(()),
            Some(mut first) => {
                first.0.others.extend(errors);
                Err(first)
            }
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self.0.kind {
            ErrorClass::OutputClosed => 0,
            ErrorClass::Failed | ErrorClass::Refused { .. } => 1,
            ErrorClass::Usage => 2,
            ErrorClass::Unreachable => 3,
        }
    }

    /// The status the service refused with.
    pub(crate) fn status(&self) -> Option<u16> {
        match self.0.kind {
            ErrorClass::Refused { status, .. } => Some(status),
            _ => None,
        }
    }

    /// The body the service refused with.
    pub(crate) fn body(&self) -> Option<&Value> {
        match &self.0.kind {
            ErrorClass::Refused { body, .. } => Some(body),
            _ => None,
        }
    }

    pub(crate) fn is_unreachable(&self) -> bool {
        self.0.kind == ErrorClass::Unreachable
    }

    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// Whether asking again may help: the node is locked, or the service is overloaded.
    ///
    /// A 409 also says that a name is taken or a state is the wrong one, and waiting helps with
    /// neither, so it passes only if that is known. Whoever answers 503 means to recover.
    pub(crate) fn may_pass(&self) -> bool {
        match self.0.kind {
            ErrorClass::Refused { status, passes, .. } => passes || status == 503,
            _ => false,
        }
    }

    /// The lines to print, without line ends.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.0.kind == ErrorClass::OutputClosed {
            return Vec::new();
        }
        let mut lines = Vec::new();
        lines.push(match &self.0.subject {
            Some(subject) => format!("error: {subject}: {}", self.0.message),
            None => format!("error: {}", self.0.message),
        });
        lines.extend(self.0.hint.iter().map(|hint| format!("hint: {hint}")));
        lines.extend(self.0.others.iter().flat_map(Error::lines));
        lines
    }
}

impl From<std::io::Error> for Error {
    /// Only writing output yields these; reading files names the file and uses `failed`.
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            Self::new(ErrorClass::OutputClosed, "")
        } else {
            Self::failed(format!("cannot write the output: {error}"))
        }
    }
}

/// The service's own sentence, from either envelope in use.
///
/// Ironic wraps an object as text inside `error_message`; our own endpoints, Keystone and most
/// proxies in front of either say `{"error": {"message": …}}`.
pub(crate) fn fault(body: &Value) -> Option<String> {
    if let Some(wrapped) = body.get("error_message") {
        return match wrapped {
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(inner @ Value::Object(_)) => sentence(&inner),
                _ => non_empty(text),
            },
            inner => sentence(inner),
        };
    }
    match body.get("error")? {
        Value::String(text) => non_empty(text),
        inner => sentence(inner),
    }
}

/// What Ironic's sentences leave out: which option of the service would help. The sentences are the
/// same wherever they come from, so that clients of either service can go by them.
fn advice(message: &str) -> Option<String> {
    if message.contains("No conductor service registered which supports driver") {
        let advice = "`corten driver list` shows what is served; [DEFAULT]enabled_hardware_types in \
                      the configuration of the service names it";
        return Some(advice.to_owned());
    }
    let (before, _) = message.split_once(" (disabled or not implemented)")?;
    let (_, what) = before.rsplit_once(" does not support ")?;
    let kind = INTERFACES.iter().find(|kind| what.contains(*kind))?;
    Some(format!(
        "choose another interface: corten node set NODE --{kind}-interface NAME; `corten driver \
         show DRIVER` lists them, and [DEFAULT]enabled_{kind}_interfaces in the configuration of the \
         service names them"
    ))
}

/// Kinds of interfaces that nodes can do without.
const INTERFACES: &[&str] = &[
    "bios", "console", "firmware", "inspect", "raid", "rescue", "vendor",
];

fn sentence(inner: &Value) -> Option<String> {
    ["faultstring", "description", "message"]
        .iter()
        .filter_map(|key| inner.get(key).and_then(Value::as_str))
        .find_map(non_empty)
}

fn non_empty(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// For answers that are not ours, such as a proxy's HTML page.
fn bare_status(status: u16, body: &Value) -> String {
    let reason = reqwest::StatusCode::from_u16(status)
        .ok()
        .and_then(|code| code.canonical_reason())
        .unwrap_or("no reason given");
    match body
        .as_str()
        .and_then(|text| text.lines().find(|line| !line.trim().is_empty()))
    {
        Some(line) if !line.trim_start().starts_with('<') => {
            let short: String = line.trim().chars().take(200).collect();
            format!("HTTP {status} {reason}: {short}")
        }
        _ => format!("HTTP {status} {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(status: u16, body: &str) -> String {
        Error::refused(status, body.as_bytes()).0.message
    }

    #[test]
    fn reads_the_sentence_out_of_every_envelope() {
        for (body, expected) in [
            (
                r#"{"error_message": "{\"faultstring\": \"Node x could not be found.\"}"}"#,
                "Node x could not be found.",
            ),
            (
                r#"{"error_message": "{\"faultstring\": null, \"description\": \"Nope\"}"}"#,
                "Nope",
            ),
            (
                r#"{"error_message": {"faultstring": "As an object"}}"#,
                "As an object",
            ),
            (r#"{"error_message": "plain words"}"#, "plain words"),
            (
                r#"{"error": {"message": "Authentication required", "code": 401}}"#,
                "Authentication required",
            ),
            (r#"{"error": "just text"}"#, "just text"),
        ] {
            assert_eq!(message(400, body), expected, "{body}");
        }
    }

    #[test]
    fn falls_back_to_the_status() {
        assert_eq!(
            message(502, "<html><body>Bad Gateway</body></html>"),
            "HTTP 502 Bad Gateway"
        );
        assert_eq!(
            message(502, "upstream gone\nmore"),
            "HTTP 502 Bad Gateway: upstream gone"
        );
        assert_eq!(message(500, ""), "HTTP 500 Internal Server Error");
        assert_eq!(message(500, "{}"), "HTTP 500 Internal Server Error");
    }

    #[test]
    fn names_the_subject_once_and_adds_the_hint() {
        let error = Error::refused(
            409,
            br#"{"error": "Node x is locked by host y, please retry"}"#,
        )
        .passing()
        .about("node compute-7")
        .about("nodes");
        assert_eq!(
            error.lines(),
            [
                "error: node compute-7: Node x is locked by host y, please retry",
                "hint: the node is busy; try again, or raise --max-retries",
            ]
        );
    }

    #[test]
    fn what_is_not_enabled_is_told_with_the_option() {
        let hint = |text: &str| {
            let body = format!(r#"{{"error": "{text}"}}"#);
            Error::refused(400, body.as_bytes()).lines().pop().unwrap()
        };
        let driver = hint(
            "No valid host was found. Reason: No conductor service registered which supports \
             driver ipmi for conductor group \\\"\\\". Ensure the driver is valid and enabled.",
        );
        assert!(
            driver.contains("[DEFAULT]enabled_hardware_types"),
            "{driver}"
        );
        let inspect = hint("Driver ipmi does not support inspect (disabled or not implemented).");
        assert!(
            inspect.starts_with("hint: ")
                && inspect.contains("--inspect-interface NAME")
                && inspect.contains("[DEFAULT]enabled_inspect_interfaces"),
            "{inspect}"
        );
        let other = hint("Driver ipmi does not support inject_nmi (disabled or not implemented).");
        assert!(other.starts_with("error: "), "{other}");
    }

    #[test]
    fn only_passing_conflicts_are_worth_another_try() {
        let refused = |status| Error::refused(status, b"{}");
        assert!(refused(503).may_pass());
        assert!(!refused(409).may_pass() && refused(409).passing().may_pass());
        assert!(!refused(400).may_pass());
        assert!(!Error::unreachable("away").passing().may_pass());
    }

    #[test]
    fn a_reader_that_left_is_no_failure() {
        let error = Error::from(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        assert_eq!(error.exit_code(), 0);
        assert!(error.lines().is_empty());
    }

    #[test]
    fn several_failures_are_all_told() {
        let error = Error::all(vec![Error::failed("a"), Error::failed("b")]).unwrap_err();
        assert_eq!(error.lines(), ["error: a", "error: b"]);
        assert!(Error::all(Vec::new()).is_ok());
    }
}
