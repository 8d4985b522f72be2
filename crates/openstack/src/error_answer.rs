//! What a service says when it refuses a request.
//!
//! Services wrap their message in different ways: `{"NeutronError": {"type", "message"}}`,
//! `{"badRequest": {"code", "message"}}`, `{"error": {…}}`, a page of HTML, plain text. The message
//! is for people only: it is shortened, freed of control characters and of what looks like a
//! secret. The type, where a service has one, is an identifier and can be matched on.

use serde_json::Value;
use std::fmt;
use types::mask;

/// How much of a message is kept, in characters.
const LONGEST_MESSAGE: usize = 500;
/// Longer identifiers are none.
const LONGEST_CODE: usize = 100;

/// A status of 300 and above, with the message of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorAnswer {
    pub status: u16,
    /// One line, possibly empty.
    pub message: String,
    /// The identifier of the error, which Neutron calls `type`.
    pub code: Option<String>,
}

impl ErrorAnswer {
    /// Reads the body of an answer.
    pub fn read(status: u16, content_type: &str, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let mut code = None;
        let message = if content_type.contains("json") {
            match serde_json::from_slice::<Value>(body) {
                Ok(document) => {
                    code = error_type(&document);
                    messages(&document).unwrap_or_else(|| text.into_owned())
                }
                Err(_) => text.into_owned(),
            }
        } else if content_type.contains("html") {
            without_tags(&text)
        } else {
            text.into_owned()
        };
        Self {
            status,
            message: cleaned(&message),
            code,
        }
    }

    /// The text that openstacksdk has for this answer, which Ironic quotes in `last_error` and in
    /// answers of its own.
    pub fn sdk_text(&self, url: &str) -> String {
        let class = match self.status {
            400 => "BadRequestException",
            403 => "ForbiddenException",
            404 => "NotFoundException",
            409 => "ConflictException",
            412 => "PreconditionFailedException",
            _ => "HttpException",
        };
        let side = match self.status {
            ..500 => "Client",
            _ => "Server",
        };
        let Self {
            status, message, ..
        } = self;
        let text = format!("{class}: {status}: {side} Error for url: {url}");
        match (message.as_str(), reason_phrase(*status)) {
            ("", "") => text,
            ("", phrase) => format!("{text}, {phrase}"),
            (message, _) => format!("{text}, {message}"),
        }
    }
}

impl fmt::Display for ErrorAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phrase = reason_phrase(self.status);
        write!(f, "HTTP {}", self.status)?;
        if !phrase.is_empty() {
            write!(f, " {phrase}")?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

fn reason_phrase(status: u16) -> &'static str {
    let status = reqwest::StatusCode::from_u16(status).ok();
    status
        .and_then(|status| status.canonical_reason())
        .unwrap_or_default()
}

/// The messages one level below the top, or at the top.
fn messages(document: &Value) -> Option<String> {
    let members = document.as_object()?;
    let mut found: Vec<&str> = members.values().filter_map(message_of).collect();
    if found.is_empty() {
        found.extend(message_of(document));
    }
    (!found.is_empty()).then(|| found.join("; "))
}

fn message_of(value: &Value) -> Option<&str> {
    let names = ["message", "faultstring"];
    let mut values = names.iter().filter_map(|name| value.get(name)?.as_str());
    values.find(|message| !message.is_empty())
}

fn error_type(document: &Value) -> Option<String> {
    let code = document.get("NeutronError")?.get("type")?.as_str()?;
    let is_identifier = code.len() <= LONGEST_CODE && code.chars().all(char::is_alphanumeric);
    is_identifier.then(|| code.to_owned())
}

/// The text of a page. Lines that repeat (title and heading do) count once.
fn without_tags(page: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in page.lines() {
        let mut is_tag = false;
        let text: String = line
            .chars()
            .filter(|letter| {
                let was_tag = is_tag;
                is_tag = match letter {
                    '<' => true,
                    '>' => false,
                    _ => is_tag,
                };
                !was_tag && !is_tag
            })
            .collect();
        let text = text.trim().to_owned();
        if !text.is_empty() && !lines.contains(&text) && lines.len() < 20 {
            lines.push(text);
        }
    }
    lines.join(": ")
}

fn cleaned(message: &str) -> String {
    let words = message.split(|letter: char| letter.is_control() || letter.is_whitespace());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    let mut shown = mask::text(&line).into_owned();
    if let Some((end, _)) = shown.char_indices().nth(LONGEST_MESSAGE) {
        shown.truncate(end);
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const JSON: &str = "application/json; charset=UTF-8";

    #[track_caller]
    fn check(content_type: &str, body: &str, message: &str, code: Option<&str>) {
        let answer = ErrorAnswer::read(409, content_type, body.as_bytes());
        assert_eq!(answer.message, message);
        assert_eq!(answer.code.as_deref(), code);
    }

    #[test]
    fn every_service_has_its_own_envelope() {
        check(
            JSON,
            r#"{"NeutronError": {"type": "PortBound", "message": "Unable to\ncomplete", "detail": ""}}"#,
            "Unable to complete",
            Some("PortBound"),
        );
        check(
            JSON,
            r#"{"badRequest": {"code": 400, "message": "Invalid volume"}}"#,
            "Invalid volume",
            None,
        );
        check(
            JSON,
            r#"{"error": {"code": 401, "title": "Unauthorized", "message": "It requires authentication."}}"#,
            "It requires authentication.",
            None,
        );
        check(JSON, "{", "{", None);
        check(JSON, r#"{"message": "top"}"#, "top", None);
        check("", "busy", "busy", None);
        check(
            "text/html; charset=UTF-8",
            "<html>\n <head>\n  <title>404 Not Found</title>\n </head>\n <body>\n  <h1>404 Not Found</h1>\n  No image found with ID X<br /><br />\n </body>\n</html>",
            "404 Not Found: No image found with ID X",
            None,
        );
        check(
            JSON,
            r#"{"NeutronError": {"type": "<b>", "message": "password=hunter2 is wrong"}}"#,
            "password=****** is wrong",
            None,
        );
    }

    #[test]
    fn the_text_of_the_sdk_is_known() {
        let answer = ErrorAnswer::read(503, "text/plain", b"busy");
        assert_eq!(
            answer.sdk_text("http://n/v2.0/networks/x"),
            "HttpException: 503: Server Error for url: http://n/v2.0/networks/x, busy"
        );
        let body = r#"{"badRequest": {"code": 400, "message": "Invalid volume: Volume status must be available to reserve, but the status is attaching."}}"#;
        let answer = ErrorAnswer::read(400, JSON, body.as_bytes());
        assert_eq!(
            answer.sdk_text("URL"),
            "BadRequestException: 400: Client Error for url: URL, Invalid volume: Volume status \
             must be available to reserve, but the status is attaching."
        );
        assert_eq!(
            answer.to_string().split(": ").next(),
            Some("HTTP 400 Bad Request")
        );
    }

    proptest! {
        #[test]
        fn any_answer_becomes_one_short_line(status: u16, kind in "(json|html|)", body: Vec<u8>) {
            let answer = ErrorAnswer::read(status, &kind, &body);
            prop_assert!(answer.message.chars().count() <= LONGEST_MESSAGE + 1);
            prop_assert!(!answer.message.contains(char::is_control));
        }
    }
}
