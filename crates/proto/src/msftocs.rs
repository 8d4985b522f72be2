//! What the chassis manager of Microsoft's Open CloudServer answers.
//!
//! It is asked by HTTP GET with parameters in the query, and answers small XML documents. Whether it
//! did what it was asked for is in the document, not in the status of HTTP.

use crate::xml::{Element, XmlError};

/// The namespace of all elements.
pub const NAMESPACE: &str = "http://schemas.datacontract.org/2004/07/Microsoft.GFS.WCS.Contracts";
/// The completion code of what was done.
pub const SUCCESS: &str = "Success";

/// What a blade boots from next, as the manager counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextBoot {
    Unknown,
    NoOverride,
    Pxe,
    Disk,
    Setup,
    Removable,
}

impl NextBoot {
    pub const ALL: [Self; 6] = [
        Self::Unknown,
        Self::NoOverride,
        Self::Pxe,
        Self::Disk,
        Self::Setup,
        Self::Removable,
    ];

    /// In answers.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unknown => "Unknown",
            Self::NoOverride => "NoOverride",
            Self::Pxe => "ForcePxe",
            Self::Disk => "ForceDefaultHdd",
            Self::Setup => "ForceIntoBiosSetup",
            Self::Removable => "ForceFloppyOrRemovable",
        }
    }

    /// In questions.
    pub const fn number(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::NoOverride => 1,
            Self::Pxe => 2,
            Self::Disk => 3,
            Self::Setup => 4,
            Self::Removable => 5,
        }
    }

    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.word() == word)
    }

    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.number() == number)
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response(Element);

/// A document that is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResponseError {
    #[error("{0}")]
    Xml(#[from] XmlError),
    #[error("it has no completionCode")]
    NoCode,
}

impl Response {
    pub fn parse(text: &str) -> Result<Self, ResponseError> {
        let root = Element::parse(text)?;
        match root.text_of("completionCode") {
            Some(_) => Ok(Self(root)),
            None => Err(ResponseError::NoCode),
        }
    }

    /// The code and its description, where it is not success.
    pub fn refusal(&self) -> Option<String> {
        let code = self.field("completionCode").unwrap_or_default();
        if code == SUCCESS {
            return None;
        }
        let more = self.field("statusDescription").unwrap_or_default();
        Some(match more {
            "" => code.to_owned(),
            more => format!("{code}: {more}"),
        })
    }

    /// The text of an element.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.0.text_of(name)
    }
}

/// An answer, as the manager writes it.
pub fn response(root: &str, code: &str, description: &str, fields: &[(&str, &str)]) -> String {
    let common = [
        ("completionCode", code),
        ("apiVersion", "1"),
        ("statusDescription", description),
    ];
    let fields = common.iter().chain(fields);
    let root = fields.fold(
        Element::new(root).with("xmlns", NAMESPACE),
        |root, (name, text)| root.holding(Element::new(name).saying(text)),
    );
    root.to_xml()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read() {
        let text = "<BladeStateResponse xmlns=\"http://schemas.datacontract.org/2004/07/Microsoft.GFS.WCS.Contracts\">\
                    <completionCode>Success</completionCode><apiVersion>1</apiVersion><statusDescription/>\
                    <bladeNumber>3</bladeNumber><bladeState>OFF</bladeState></BladeStateResponse>";
        let read = Response::parse(text).unwrap();
        assert_eq!(read.refusal(), None);
        assert_eq!(read.field("bladeState"), Some("OFF"));
        let written = response(
            "BladeStateResponse",
            SUCCESS,
            "",
            &[("bladeNumber", "3"), ("bladeState", "OFF")],
        );
        assert_eq!(written, text);
    }

    #[test]
    fn what_was_not_done_says_why() {
        let refusal = |code, more| {
            let text = response("BladeResponse", code, more, &[]);
            Response::parse(&text).unwrap().refusal().unwrap()
        };
        assert_eq!(refusal("Timeout", ""), "Timeout");
        assert_eq!(refusal("Failure", "no blade <9>"), "Failure: no blade <9>");
        assert_eq!(Response::parse("<a/>"), Err(ResponseError::NoCode));
        assert!(matches!(Response::parse("<a>"), Err(ResponseError::Xml(_))));
    }

    #[test]
    fn boot_devices_have_a_word_and_a_number() {
        for known in NextBoot::ALL {
            assert_eq!(NextBoot::of_word(known.word()), Some(known));
            assert_eq!(NextBoot::of_number(known.number()), Some(known));
        }
        assert_eq!(NextBoot::of_word("ForceTape"), None);
        assert_eq!(NextBoot::of_number(6), None);
    }
}
