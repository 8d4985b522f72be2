//! WS-Management (DMTF DSP0226), as far as management controllers are asked by it: Get, Enumerate
//! with Pull, and Invoke.
//!
//! One SOAP 1.2 envelope is posted and another comes back. Prefixes are free, and what is read here
//! has lost its own; the names alone are taken for the same in all namespaces. Whoever answers may
//! leave out `Response` at the end of an action and `RelatesTo`, as firmware does.

mod call;

pub use call::{Call, fault, response};

use crate::xml::{Element, XmlError};
use std::fmt;

/// Where controllers serve it.
pub const PATH: &str = "/wsman";
pub const CONTENT_TYPE: &str = "application/soap+xml;charset=UTF-8";
/// How many objects a controller may send at a time.
const PAGE: &str = "100";

const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";
const ADDRESSING: &str = "http://schemas.xmlsoap.org/ws/2004/08/addressing";
const ANONYMOUS: &str = "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous";
const MANAGEMENT: &str = "http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd";
const ENUMERATION: &str = "http://schemas.xmlsoap.org/ws/2004/09/enumeration";
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// Queries in the language of the CIM (DMTF DSP0202).
const CQL: &str = "http://schemas.dmtf.org/wbem/cql/1/dsp0202.pdf";

pub const GET: &str = "http://schemas.xmlsoap.org/ws/2004/09/transfer/Get";
pub const ENUMERATE: &str = "http://schemas.xmlsoap.org/ws/2004/09/enumeration/Enumerate";
pub const PULL: &str = "http://schemas.xmlsoap.org/ws/2004/09/enumeration/Pull";

/// What a request is about.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The URL that it is posted to.
    pub to: &'a str,
    /// The URI of a class.
    pub resource: &'a str,
    /// Which object of the class.
    pub selectors: &'a [(&'a str, &'a str)],
}

/// What is handed to a method.
#[derive(Debug, Clone, Copy)]
pub enum Argument<'a> {
    Text(&'a str, &'a str),
    /// An object, by its class and one selector.
    Reference {
        name: &'a str,
        resource: &'a str,
        selector: (&'a str, &'a str),
    },
}

impl Target<'_> {
    /// Reads an object. `id` is a UUID that no other request has.
    pub fn get(&self, id: &str) -> String {
        self.envelope(GET, id, Element::new("s:Body"))
    }

    /// Calls a method of an object.
    pub fn invoke(&self, id: &str, method: &str, arguments: &[Argument<'_>]) -> String {
        let input = Element::new(&format!("p:{method}_INPUT")).with("xmlns:p", self.resource);
        let input = arguments
            .iter()
            .fold(input, |input, argument| input.holding(argument.element()));
        let action = format!("{}/{method}", self.resource);
        self.envelope(&action, id, Element::new("s:Body").holding(input))
    }

    /// Begins to read all objects of a class, or those that a query chooses.
    pub fn enumerate(&self, id: &str, query: Option<&str>) -> String {
        let ask = Element::new("wsen:Enumerate").with("xmlns:wsen", ENUMERATION);
        let ask = match query {
            None => ask,
            Some(query) => ask.holding(
                Element::new("wsman:Filter")
                    .with("Dialect", CQL)
                    .saying(query),
            ),
        };
        let ask = ask
            .holding(Element::new("wsman:OptimizeEnumeration"))
            .holding(Element::new("wsman:MaxElements").saying(PAGE));
        self.envelope(ENUMERATE, id, Element::new("s:Body").holding(ask))
    }

    /// Goes on reading, from where an answer ended.
    pub fn pull(&self, id: &str, context: &str) -> String {
        let ask = Element::new("wsen:Pull")
            .with("xmlns:wsen", ENUMERATION)
            .holding(Element::new("wsen:EnumerationContext").saying(context))
            .holding(Element::new("wsman:MaxElements").saying(PAGE));
        self.envelope(PULL, id, Element::new("s:Body").holding(ask))
    }

    fn envelope(&self, action: &str, id: &str, body: Element) -> String {
        let said = |name: &str, text: &str| {
            Element::new(name)
                .with("s:mustUnderstand", "true")
                .saying(text)
        };
        let mut header = Element::new("s:Header")
            .holding(said("wsa:To", self.to))
            .holding(said("wsa:Action", action))
            .holding(said("wsman:ResourceURI", self.resource))
            .holding(said("wsa:MessageID", &format!("uuid:{id}")))
            .holding(
                Element::new("wsa:ReplyTo").holding(Element::new("wsa:Address").saying(ANONYMOUS)),
            );
        if !self.selectors.is_empty() {
            header = header.holding(selector_set(self.selectors));
        }
        envelope().holding(header).holding(body).to_xml()
    }
}

fn envelope() -> Element {
    Element::new("s:Envelope")
        .with("xmlns:s", SOAP)
        .with("xmlns:wsa", ADDRESSING)
        .with("xmlns:wsman", MANAGEMENT)
}

fn selector_set(selectors: &[(&str, &str)]) -> Element {
    let set = Element::new("wsman:SelectorSet");
    selectors.iter().fold(set, |set, (name, value)| {
        set.holding(
            Element::new("wsman:Selector")
                .with("Name", name)
                .saying(value),
        )
    })
}

impl Argument<'_> {
    fn element(&self) -> Element {
        match self {
            Self::Text(name, value) => Element::new(&format!("p:{name}")).saying(value),
            Self::Reference {
                name,
                resource,
                selector,
            } => reference(&format!("p:{name}"), resource, &[*selector]),
        }
    }
}

/// An element that stands for an object: an endpoint reference of WS-Addressing.
pub fn reference(name: &str, resource: &str, selectors: &[(&str, &str)]) -> Element {
    let parameters = Element::new("wsa:ReferenceParameters")
        .holding(Element::new("wsman:ResourceURI").saying(resource))
        .holding(selector_set(selectors));
    Element::new(name)
        .holding(Element::new("wsa:Address").saying(ANONYMOUS))
        .holding(parameters)
}

/// A selector of an object that an element stands for.
pub fn selector<'e>(reference: &'e Element, name: &str) -> Option<&'e str> {
    let parameters = reference.child("ReferenceParameters")?;
    let set = parameters.child("SelectorSet")?;
    let found = set
        .children
        .iter()
        .find(|one| one.name == "Selector" && one.attribute("Name") == Some(name));
    found.map(|one| one.text.trim())
}

/// Whether an element says that its value is none (`xsi:nil`).
pub fn is_nil(element: &Element) -> bool {
    element
        .attribute("nil")
        .is_some_and(|nil| nil == "true" || nil == "1")
}

/// An element whose value is none.
pub fn nil(name: &str) -> Element {
    Element::new(name)
        .with("xmlns:xsi", INSTANCE)
        .with("xsi:nil", "true")
}

/// An answer that is no fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply(Element);

/// What went wrong, as the controller says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoapFault {
    /// The innermost code, without its prefix.
    pub code: Option<String>,
    /// Reason and detail, in the controller's words.
    pub text: String,
}

impl fmt::Display for SoapFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.code, self.text.as_str()) {
            (None, "") => f.write_str("without a reason"),
            (None, text) => f.write_str(text),
            (Some(code), "") => f.write_str(code),
            (Some(code), text) => write!(f, "{code}: {text}"),
        }
    }
}

/// A document that is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    #[error("{0}")]
    Xml(#[from] XmlError),
    #[error("it is no SOAP envelope with a body")]
    NoEnvelope,
}

impl Reply {
    pub fn parse(text: &str) -> Result<Result<Self, SoapFault>, EnvelopeError> {
        let (_, body) = opened(text)?;
        let content = body.children.into_iter().next().unwrap_or_default();
        Ok(match content.name.as_str() {
            "Fault" => Err(SoapFault::of(&content)),
            _ => Ok(Self(content)),
        })
    }

    /// The element that the body has: an object, or what a method gives back.
    pub fn content(&self) -> &Element {
        &self.0
    }

    /// What a method came to; 0 is success. `None` where it does not say.
    pub fn return_value(&self) -> Option<u32> {
        self.0.text_of("ReturnValue")?.parse().ok()
    }

    /// The objects of a page. They are in one element at the start of an enumeration and in another
    /// one later.
    pub fn items(&self) -> Vec<Element> {
        let lists = self.0.children.iter().filter(|it| it.name == "Items");
        lists.flat_map(|items| items.children.clone()).collect()
    }

    /// How to ask for the next page, if there is one. Some firmware sends an empty context at the end.
    pub fn context(&self) -> Option<&str> {
        if self.0.child("EndOfSequence").is_some() {
            return None;
        }
        let context = self.0.text_of("EnumerationContext");
        context.filter(|context| !context.is_empty())
    }
}

impl SoapFault {
    fn of(fault: &Element) -> Self {
        let mut code = None;
        let mut level = fault.child("Code");
        while let Some(inner) = level {
            if let Some(value) = inner.text_of("Value") {
                let name = value.rsplit(':').next().unwrap_or(value);
                code = Some(name.to_owned()).filter(|name| !name.is_empty());
            }
            level = inner.child("Subcode");
        }
        let mut words = Vec::new();
        for part in ["Reason", "Detail"] {
            collect(fault.child(part), &mut words);
        }
        Self {
            code,
            text: words.join("; "),
        }
    }
}

/// All text in an element, outer first.
fn collect(element: Option<&Element>, words: &mut Vec<String>) {
    let Some(element) = element else { return };
    let text = element.text.trim();
    if !text.is_empty() {
        words.push(text.to_owned());
    }
    for child in &element.children {
        collect(Some(child), words);
    }
}

/// Header and body.
fn opened(text: &str) -> Result<(Element, Element), EnvelopeError> {
    let root = Element::parse(text)?;
    if root.name != "Envelope" {
        return Err(EnvelopeError::NoEnvelope);
    }
    let mut parts = root.children.into_iter();
    let mut header = Element::default();
    let body = parts.find_map(|part| match part.name.as_str() {
        "Header" => {
            header = part;
            None
        }
        "Body" => Some(part),
        _ => None,
    });
    Ok((header, body.ok_or(EnvelopeError::NoEnvelope)?))
}

#[cfg(test)]
#[path = "wsman/tests.rs"]
mod tests;
