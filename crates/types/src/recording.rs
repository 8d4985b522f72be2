//! What was said between us and a machine's BMC, as the flight recorder keeps it.
//!
//! The same shapes are the answer of the API, the lines of an exported file, and what a simulator
//! replays, so they are plain data here. Nothing in them is secret: whoever makes an [`Exchange`]
//! for the recorder goes through its redaction. `docs/operate/recorder.md` describes the file.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
};

/// What the first line of an exported file calls itself.
pub const FORMAT: &str = "corten-recording";
/// The version of the file format that this build writes and reads.
pub const VERSION: u32 = 1;

/// The first line of an exported file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Always [`FORMAT`].
    pub format: String,
    pub version: u32,
    /// Uuid of the node.
    pub node: String,
    #[serde(default)]
    pub driver: String,
    /// When it was read from the recorder.
    #[serde(default)]
    pub at: String,
    /// How many exchanges the recorder had already let go.
    #[serde(default)]
    pub dropped: u64,
}

/// A node's recording, as far back as there was room.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// How many exchanges were let go to make room.
    pub dropped: u64,
    /// Those that happened last are at the end.
    pub exchanges: Vec<RecordedExchange>,
}

/// An exchange, and how often it happened just so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedExchange {
    /// When it happened first and last.
    #[serde(with = "instant")]
    pub first: Timestamp,
    #[serde(with = "instant")]
    pub last: Timestamp,
    pub count: u64,
    /// How long the last one took.
    pub took_ms: u64,
    #[serde(flatten)]
    pub exchange: Exchange,
    /// Question and answer in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
}

/// A question to a BMC and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Where the BMC is.
    pub peer: String,
    /// What it was asked for.
    pub operation: Cow<'static, str>,
    pub question: Question,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Why there is no answer, or none that is of use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// Opening an IPMI session; its messages are made of secrets.
    Login(Login),
    Ipmi(IpmiQuestion),
    Http(HttpQuestion),
    Snmp(SnmpMessage),
    /// A call of a driver that is a program of its own.
    Driver(DriverQuestion),
    /// Of a protocol that is of bytes, in words.
    Words(Words),
    /// A command that is run over SSH.
    Command(Words),
}

impl Question {
    /// `ipmi`, `redfish`, `snmp`, `external`, `iboot`, `chassis` or `ssh`.
    pub fn protocol(&self) -> &'static str {
        match self {
            Self::Login(_) | Self::Ipmi(_) => "ipmi",
            Self::Http(HttpQuestion {
                protocol: Some(_), ..
            }) => "chassis",
            Self::Http(_) => "redfish",
            Self::Words(_) => "iboot",
            Self::Command(_) => "ssh",
            Self::Snmp(_) => "snmp",
            Self::Driver(_) => "external",
        }
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The session is open.
    Login {},
    Ipmi(IpmiAnswer),
    Http(HttpAnswer),
    Snmp(SnmpMessage),
    Driver(DriverAnswer),
    Words(Words),
}

/// What was said in words that stand for bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Words {
    pub words: String,
}

/// How a session was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Login {
    pub user: String,
    pub privilege: String,
    /// `1.5`, or `2.0 suite 17`.
    pub version: String,
    /// The last thing sent, when it did not end well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Cow<'static, str>>,
}

/// An IPMI request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IpmiQuestion {
    pub netfn: u8,
    pub command: u8,
    #[serde(with = "hex")]
    pub data: Box<[u8]>,
    /// Addresses of the controllers that it went through, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The data holds a secret and was left out from this byte on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_from: Option<usize>,
}

/// An IPMI answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IpmiAnswer {
    pub completion: u8,
    #[serde(with = "hex")]
    pub data: Box<[u8]>,
}

/// An HTTP request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HttpQuestion {
    /// What is spoken over HTTP, where that is not Redfish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Cow<'static, str>>,
    pub method: Cow<'static, str>,
    /// Path and query.
    pub path: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// An HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HttpAnswer {
    pub status: u16,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
}

/// An SNMP message, without community or keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SnmpMessage {
    /// `get`, `set`, `response`, ….
    pub kind: Cow<'static, str>,
    /// Object identifiers and what they stand for, in words.
    pub variables: Vec<(String, String)>,
}

/// A call of a driver that is a program of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DriverQuestion {
    pub method: Cow<'static, str>,
    pub params: Body,
}

/// What such a driver answered.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DriverAnswer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Body>,
    /// Code and text of an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<(Cow<'static, str>, String)>,
}

/// A document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Body {
    /// As it is when it is JSON, else a JSON string with its text. Null when it was too long.
    #[serde(deserialize_with = "raw")]
    content: Box<RawValue>,
    /// How many bytes there were, when it was too long to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<usize>,
}

impl Body {
    /// `None` for what is not JSON.
    pub fn json(text: String) -> Option<Self> {
        let content = RawValue::from_string(text).ok()?;
        Some(Self { content, cut: None })
    }

    /// Any text.
    pub fn text(text: &str) -> Self {
        let quoted = serde_json::Value::from(text).to_string();
        Self::json(quoted).unwrap_or_else(|| Self::too_long(text.len()))
    }

    /// In place of one that was too long.
    pub fn too_long(length: usize) -> Self {
        Self {
            content: RawValue::NULL.to_owned(),
            cut: Some(length),
        }
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        self.content.get()
    }
}

/// Raw values cannot be read from within a flattened struct, which [`RecordedExchange`] has.
fn raw<'d, D: serde::Deserializer<'d>>(from: D) -> Result<Box<RawValue>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    RawValue::from_string(value.to_string()).map_err(serde::de::Error::custom)
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.cut == other.cut && self.as_json() == other.as_json()
    }
}

impl Eq for Body {}

impl Hash for Body {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.cut.hash(state);
        self.as_json().hash(state);
    }
}

/// Bytes as hexadecimal digits.
mod hex {
    use crate::hex;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&hex::encode(bytes))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Box<[u8]>, D::Error> {
        let text = String::deserialize(from)?;
        let bytes = hex::decode(&text).ok_or_else(|| {
            D::Error::custom(match text.len() % 2 {
                0 => "no hexadecimal digits",
                _ => "an odd number of hexadecimal digits",
            })
        })?;
        Ok(bytes.into())
    }
}

/// Instants as RFC 3339 writes them.
mod instant {
    use crate::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{}Z", at.naive()))
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(from)?;
        Timestamp::parse(&text).ok_or_else(|| D::Error::custom("no instant"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(question: Question, answer: Option<Answer>) -> RecordedExchange {
        let failure = answer.is_none().then(|| "it did not answer".to_owned());
        RecordedExchange {
            first: Timestamp(1_700_000_000_000_000),
            last: Timestamp(1_700_000_000_000_001),
            count: 2,
            took_ms: 3,
            exchange: Exchange {
                peer: "192.0.2.1:623".into(),
                operation: "power status".into(),
                question,
                answer,
                failure,
            },
            summary: String::new(),
        }
    }

    #[test]
    fn entries_survive_the_file() {
        let body = Body::json(r#"{"PowerState":"On","@odata.id":"/x"}"#.into());
        let ipmi = Question::Ipmi(IpmiQuestion {
            netfn: 0,
            command: 1,
            data: [0, 0xab].into(),
            via: None,
            hidden_from: None,
        });
        let status = Answer::Ipmi(IpmiAnswer {
            completion: 0xc0,
            data: [].into(),
        });
        let http = Question::Http(HttpQuestion {
            protocol: None,
            method: "GET".into(),
            path: "/redfish/v1/Systems/1".into(),
            headers: vec![("accept".into(), "application/json".into())],
            body: None,
        });
        let ok = Answer::Http(HttpAnswer {
            status: 200,
            headers: Vec::new(),
            body,
        });
        for entry in [
            entry(ipmi.clone(), Some(status)),
            entry(ipmi, None),
            entry(http, Some(ok)),
        ] {
            let text = serde_json::to_string(&entry).unwrap();
            let back: RecordedExchange = serde_json::from_str(&text).unwrap();
            assert_eq!(back, entry, "{text}");
        }
    }

    #[test]
    fn bytes_are_pairs_of_digits() {
        for bad in [r#""0""#, r#""0g""#, r#""+1""#, r#""é""#, "1"] {
            let text = format!(r#"{{"netfn":0,"command":1,"data":{bad}}}"#);
            assert!(
                serde_json::from_str::<IpmiQuestion>(&text).is_err(),
                "{bad}"
            );
        }
    }
}
