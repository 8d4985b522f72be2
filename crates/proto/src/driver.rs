//! What is said between Corten and programs of vendors: one JSON object a line, in both directions.
//!
//! Drivers of the service and hardware managers of the agent are such programs. A call has a number,
//! a method and parameters; its answer has the number and either a result or an error, whose code
//! says what kind of failure it is. `docs/hardware/external-drivers.md` describes the methods.

mod lines;

pub use lines::Lines;

use serde_json::{Value, json};
use types::{JsonMap, json_shape::Shape};

/// The version of the protocol that this build speaks.
pub const VERSION: u64 = 1;

/// Longest line of a program, without its end.
pub const LONGEST_LINE: usize = 1 << 20;

/// Deeper values are not taken: they become part of larger documents.
const DEEPEST: usize = 64;

/// How much of the text of an error is kept, in characters.
const LONGEST_TEXT: usize = 1000;

/// The first call: who are you, and what can you do?
pub const HELLO: &str = "hello";
/// Whether anybody is there; it changes nothing.
pub const PING: &str = "ping";
/// Nobody waits for a call any more. It has no number and no answer.
pub const CANCEL: &str = "cancel";

types::wire_enum! {
    /// What kind of failure an error is.
    pub enum Code {
        /// The machine's management does not answer.
        Unreachable = "unreachable",
        /// User, password or privilege are wrong.
        Refused = "refused",
        /// It cannot just now.
        Busy = "busy",
        /// It says what makes no sense.
        Protocol = "protocol",
        /// It understood, and cannot or will not do this.
        Rejected = "rejected",
        /// It accepted the work and has not done it in time.
        Unfinished = "unfinished",
        /// Something besides the machine fails, the program itself for instance.
        Environment = "environment",
        /// The program does not have this. Another hardware manager may.
        Unsupported = "unsupported",
        /// What the node says or the client asks for is wrong.
        Invalid = "invalid",
        /// It contradicts what is there already.
        Conflict = "conflict",
    }
}

/// A line with a call, its end included.
pub fn call(id: u64, method: &str, params: &JsonMap) -> Vec<u8> {
    line(&json!({"id": id, "method": method, "params": params}))
}

/// A line that says that nobody waits for a call any more.
pub fn cancel(id: u64) -> Vec<u8> {
    line(&json!({"method": CANCEL, "params": {"id": id}}))
}

fn line(value: &Value) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub id: u64,
    pub outcome: Result<JsonMap, Refusal>,
}

/// The answer of a program that did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub code: Code,
    /// For people, on one line and not longer than a paragraph.
    pub message: String,
}

/// Why a line is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("it is not a JSON object")]
    NoObject,
    #[error("it has too many values, or nests them too deeply")]
    TooMuch,
    #[error("it has no id, which is a whole number")]
    NoId,
    #[error("it has neither a result that is an object nor an error with a code")]
    NoOutcome,
    #[error("it has a result and an error")]
    Both,
}

impl Answer {
    /// Reads a line.
    pub fn parse(line: &[u8]) -> Result<Self, NoAnswer> {
        let shape = Shape::within_bounds(line).map_err(|_| NoAnswer::TooMuch)?;
        if shape.depth > DEEPEST {
            return Err(NoAnswer::TooMuch);
        }
        let mut said: JsonMap = serde_json::from_slice(line).map_err(|_| NoAnswer::NoObject)?;
        let id = said.get("id").and_then(Value::as_u64);
        let id = id.ok_or(NoAnswer::NoId)?;
        let outcome = match (said.remove("result"), said.remove("error")) {
            (Some(_), Some(_)) => return Err(NoAnswer::Both),
            (Some(Value::Object(result)), None) => Ok(result),
            (None, Some(Value::Object(error))) => Err(Refusal::of(&error)?),
            _ => return Err(NoAnswer::NoOutcome),
        };
        Ok(Self { id, outcome })
    }
}

impl Refusal {
    /// A code that is not known says that the program makes no sense.
    fn of(error: &JsonMap) -> Result<Self, NoAnswer> {
        let code = error.get("code").and_then(Value::as_str);
        let code = code.ok_or(NoAnswer::NoOutcome)?;
        let message = error.get("message").and_then(Value::as_str);
        let message = plain(message.unwrap_or("no reason was given"), LONGEST_TEXT);
        Ok(match code.parse() {
            Ok(code) => Self { code, message },
            Err(_) => Self {
                code: Code::Protocol,
                message: format!("error code '{}' is not known: {message}", plain(code, 40)),
            },
        })
    }
}

/// A text of a program on one line, without control characters and not too long.
pub fn plain(text: &str, longest: usize) -> String {
    let mut out: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(longest)
        .collect();
    if text.trim().chars().nth(longest).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_a_number_and_one_outcome() {
        let good = Answer::parse(br#"{"id": 7, "result": {"state": "power on"}}"#).unwrap();
        assert_eq!(good.id, 7);
        assert_eq!(good.outcome.unwrap()["state"], "power on");
        let bad = br#"{"id":1,"error":{"code":"busy","message":" a\nb "}}"#;
        let refusal = Answer::parse(bad).unwrap().outcome.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.message.as_str()),
            (Code::Busy, "a b")
        );
        for (line, why) in [
            (&b""[..], NoAnswer::NoObject),
            (b"[]", NoAnswer::NoObject),
            (b"{", NoAnswer::NoObject),
            (b"\xff", NoAnswer::NoObject),
            (br#"{"result":{}}"#, NoAnswer::NoId),
            (br#"{"id":-1,"result":{}}"#, NoAnswer::NoId),
            (br#"{"id":1.5,"result":{}}"#, NoAnswer::NoId),
            (br#"{"id":1}"#, NoAnswer::NoOutcome),
            (br#"{"id":1,"result":null}"#, NoAnswer::NoOutcome),
            (br#"{"id":1,"error":{}}"#, NoAnswer::NoOutcome),
            (br#"{"id":1,"error":"x"}"#, NoAnswer::NoOutcome),
            (br#"{"id":1,"result":{},"error":{}}"#, NoAnswer::Both),
        ] {
            let text = String::from_utf8_lossy(line);
            assert_eq!(Answer::parse(line), Err(why), "{text}");
        }
        let deep = format!(
            r#"{{"id":1,"result":{{"a":{}{}}}}}"#,
            "[".repeat(70),
            "]".repeat(70)
        );
        assert_eq!(Answer::parse(deep.as_bytes()), Err(NoAnswer::TooMuch));
    }

    #[test]
    fn a_code_that_is_not_known_is_an_answer_all_the_same() {
        let line = br#"{"id":1,"error":{"code":"tired","message":"m"}}"#;
        let refusal = Answer::parse(line).unwrap().outcome.unwrap_err();
        assert_eq!(refusal.code, Code::Protocol);
        assert_eq!(refusal.message, "error code 'tired' is not known: m");
    }

    #[test]
    fn what_is_said_is_one_line() {
        let mut params = JsonMap::new();
        params.insert("text".into(), "a\nb".into());
        let line = call(3, "power.get", &params);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert!(line.ends_with(b"\n"));
        assert_eq!(
            cancel(3),
            b"{\"method\":\"cancel\",\"params\":{\"id\":3}}\n"
        );
    }

    #[test]
    fn texts_are_cut_and_tamed() {
        assert_eq!(plain(" a\tb\u{1b}[0m ", 10), "a b [0m");
        assert_eq!(plain("ääää", 2), "ää…");
    }
}
