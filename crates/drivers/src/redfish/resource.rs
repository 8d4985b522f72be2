//! A resource of a Redfish service, and how it is read.
//!
//! Services differ in what they leave out and in the types of what they send, so every accessor
//! says `None` to what is not there or not of the kind asked for. Whether that is a mistake is for
//! the caller to know.

use crate::answer::{self, AnswerError};
use bytes::Bytes;
use serde_json::Value;
use types::JsonMap;

/// A JSON object, where it is, and which version of it this is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resource {
    pub path: String,
    pub etag: Option<String>,
    pub body: JsonMap,
}

/// Something that a resource can be asked to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Action<'a> {
    pub target: &'a str,
    body: &'a JsonMap,
}

impl<'a> Action<'a> {
    /// The values that a parameter may have, where the action itself tells.
    pub fn allowed(&self, parameter: &str) -> Option<Vec<&'a str>> {
        let key = format!("{parameter}@Redfish.AllowableValues");
        Some(texts(self.body.get(&key)?))
    }

    /// Where the values are told, if not by the action itself.
    pub fn info(&self) -> Option<&'a str> {
        self.body.get("@Redfish.ActionInfo")?.as_str()
    }
}

/// Why bytes are no resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("it is no JSON")]
    Syntax,
    #[error("it is JSON, but no object")]
    NoObject,
    #[error("it has too many values for its size")]
    TooManyValues,
    #[error("too many large answers of machines are being read at the moment")]
    NoMemory,
}

impl From<AnswerError> for DecodeError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::TooManyValues(_) => Self::TooManyValues,
            AnswerError::NoMemory => Self::NoMemory,
            _ => Self::Syntax,
        }
    }
}

/// The object that the body of a short answer is.
pub fn decode(bytes: &[u8]) -> Result<JsonMap, DecodeError> {
    object(answer::parse_here(bytes)?)
}

/// The object that the body of an answer is, which may be large.
pub async fn decode_large(bytes: &Bytes) -> Result<JsonMap, DecodeError> {
    object(answer::parse(bytes.clone()).await?)
}

fn object(value: Value) -> Result<JsonMap, DecodeError> {
    match value {
        Value::Object(body) => Ok(body),
        _ => Err(DecodeError::NoObject),
    }
}

impl Resource {
    pub fn new(path: impl Into<String>, etag: Option<String>, body: JsonMap) -> Self {
        let told = || body.get("@odata.etag")?.as_str().map(str::to_owned);
        Self {
            path: path.into(),
            etag: etag.or_else(told).filter(|etag| !etag.is_empty()),
            body,
        }
    }

    /// What is at `A/B/C`; nothing if it is null.
    pub fn at(&self, place: &str) -> Option<&Value> {
        at(&self.body, place)
    }

    pub fn str(&self, place: &str) -> Option<&str> {
        self.at(place)?.as_str()
    }

    pub fn bool(&self, place: &str) -> Option<bool> {
        self.at(place)?.as_bool()
    }

    pub fn u64(&self, place: &str) -> Option<u64> {
        self.at(place)?.as_u64()
    }

    /// A number, also where it is written as a text.
    pub fn f64(&self, place: &str) -> Option<f64> {
        match self.at(place)? {
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_f64(),
        }
    }

    pub fn map(&self, place: &str) -> Option<&JsonMap> {
        self.at(place)?.as_object()
    }

    /// The objects of a list; what is none is left out.
    pub fn list(&self, place: &str) -> impl Iterator<Item = &JsonMap> {
        let list = self.at(place).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_object)
    }

    /// The texts of a list; what is none is left out.
    pub fn texts(&self, place: &str) -> Vec<&str> {
        self.at(place).map(texts).unwrap_or_default()
    }

    /// Where another resource is: `A/B` is `{"@odata.id": …}`.
    pub fn link(&self, place: &str) -> Option<&str> {
        link(self.at(place)?)
    }

    /// Where the resources of a list are.
    pub fn links(&self, place: &str) -> Vec<&str> {
        let list = self.at(place).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(link).collect()
    }

    /// Where the next part of a collection is.
    pub fn next(&self) -> Option<&str> {
        ["Members@odata.nextLink", "@odata.nextLink"]
            .iter()
            .find_map(|key| match self.body.get(*key)? {
                Value::String(path) => Some(path.as_str()),
                other => link(other),
            })
    }

    /// Where settings wait that take effect later; the resource itself where there is no such
    /// place.
    pub fn pending(&self) -> Option<&str> {
        self.link("@Redfish.Settings/SettingsObject")
    }

    /// An action by its full name, `#ComputerSystem.Reset`, or by that without the `#` among those
    /// of the maker.
    pub fn action(&self, name: &str) -> Option<Action<'_>> {
        let all = self.body.get("Actions")?.as_object()?;
        let of_maker = || all.get("Oem")?.as_object()?.get(name);
        let body = all.get(name).or_else(of_maker)?.as_object()?;
        Some(Action {
            target: body.get("target")?.as_str()?,
            body,
        })
    }

    /// The name that the service gave to the resource.
    pub fn id(&self) -> &str {
        self.str("Id").unwrap_or_else(|| {
            let path = self.path.trim_end_matches('/');
            path.rsplit('/').next().unwrap_or_default()
        })
    }
}

/// What is at `A/B/C` in an object; nothing if it is null.
pub fn at<'a>(body: &'a JsonMap, place: &str) -> Option<&'a Value> {
    // Annotations have slashes nowhere, and dots that are no separators.
    let mut parts = place.split('/');
    let mut found = body.get(parts.next()?)?;
    for part in parts {
        found = found.as_object()?.get(part)?;
    }
    (!found.is_null()).then_some(found)
}

fn link(value: &Value) -> Option<&str> {
    value.as_object()?.get("@odata.id")?.as_str()
}

fn texts(value: &Value) -> Vec<&str> {
    let list = value.as_array();
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn resource(body: Value) -> Resource {
        Resource::new("/s/1/", None, body.as_object().cloned().unwrap())
    }

    #[test]
    fn what_is_there_is_found_and_nothing_else() {
        let found = resource(json!({
            "@odata.etag": "W/\"1\"",
            "Boot": {"BootSourceOverrideTarget": "Pxe", "Nothing": null},
            "Bios": {"@odata.id": "/s/1/Bios"},
            "Links": {"Chassis": [{"@odata.id": "/c/1"}, 7, {"@odata.id": "/c/2"}]},
            "Reading": "12.5",
            "Members@odata.nextLink": "/s?$skip=1",
            "@Redfish.Settings": {"SettingsObject": {"@odata.id": "/s/1/Settings"}},
            "Actions": {
                "#ComputerSystem.Reset": {
                    "target": "/s/1/Reset",
                    "ResetType@Redfish.AllowableValues": ["On", 3, "Nmi"],
                },
                "Oem": {"#Maker.Do": {"target": "/s/1/Do", "@Redfish.ActionInfo": "/s/1/Info"}},
            },
        }));
        assert_eq!(found.etag.as_deref(), Some("W/\"1\""));
        assert_eq!(found.str("Boot/BootSourceOverrideTarget"), Some("Pxe"));
        assert_eq!(found.at("Boot/Nothing"), None);
        assert_eq!(found.str("Boot/Bios/Deep"), None);
        assert_eq!(found.link("Bios"), Some("/s/1/Bios"));
        assert_eq!(found.links("Links/Chassis"), ["/c/1", "/c/2"]);
        assert_eq!(found.f64("Reading"), Some(12.5));
        assert_eq!(found.next(), Some("/s?$skip=1"));
        assert_eq!(found.pending(), Some("/s/1/Settings"));
        let reset = found.action("#ComputerSystem.Reset").unwrap();
        assert_eq!(reset.target, "/s/1/Reset");
        assert_eq!(reset.allowed("ResetType"), Some(vec!["On", "Nmi"]));
        assert_eq!(reset.allowed("Other"), None);
        let own = found.action("#Maker.Do").unwrap();
        assert_eq!((own.target, own.info()), ("/s/1/Do", Some("/s/1/Info")));
        assert_eq!(found.action("#No.Such"), None);
        assert_eq!(found.id(), "1");
    }

    #[test]
    fn only_objects_are_resources() {
        assert_eq!(decode(b"{}"), Ok(JsonMap::new()));
        assert_eq!(decode(b"[]"), Err(DecodeError::NoObject));
        assert_eq!(decode(b"<html>"), Err(DecodeError::Syntax));
        assert_eq!(decode(&[0xff, 0]), Err(DecodeError::Syntax));
        let deep = "[".repeat(100_000);
        assert_eq!(decode(deep.as_bytes()), Err(DecodeError::Syntax));
    }
}
