//! The other side: what a client asks for, and what it is answered.

use super::{ENUMERATION, EnvelopeError, envelope, opened};
use crate::xml::Element;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub action: String,
    pub resource: String,
    pub id: String,
    pub selectors: Vec<(String, String)>,
    /// What the body has; without a name where there is nothing.
    pub input: Element,
}

impl Call {
    pub fn parse(text: &str) -> Result<Self, EnvelopeError> {
        let (header, body) = opened(text)?;
        let said = |name: &str| header.text_of(name).unwrap_or_default().to_owned();
        let set = header.child("SelectorSet");
        let selectors = set.map_or(&[][..], |set| set.children.as_slice());
        let selectors = selectors.iter().filter_map(|one| {
            let name = one.attribute("Name")?;
            Some((name.to_owned(), one.text.trim().to_owned()))
        });
        Ok(Self {
            action: said("Action"),
            resource: said("ResourceURI"),
            id: said("MessageID"),
            selectors: selectors.collect(),
            input: body.children.into_iter().next().unwrap_or_default(),
        })
    }

    /// The value of a selector.
    pub fn selector(&self, name: &str) -> Option<&str> {
        let found = self.selectors.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The method that is called, if one of the resource is.
    pub fn method(&self) -> Option<&str> {
        let method = self.action.strip_prefix(self.resource.as_str())?;
        method.strip_prefix('/')
    }

    /// The texts of all arguments with this name.
    pub fn arguments(&self, name: &str) -> Vec<&str> {
        let all = self.input.children.iter();
        all.filter(|one| one.name == name)
            .map(|one| one.text.trim())
            .collect()
    }

    /// The text of the first argument with this name.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments(name).first().copied()
    }

    /// The query that chooses objects, if there is one.
    pub fn query(&self) -> Option<&str> {
        self.input.text_of("Filter")
    }
}

/// An answer with this in its body.
pub fn response(call: &Call, body: Element) -> String {
    let header = Element::new("s:Header")
        .holding(Element::new("wsa:Action").saying(&format!("{}Response", call.action)))
        .holding(Element::new("wsa:RelatesTo").saying(&call.id));
    envelope()
        .with("xmlns:wsen", ENUMERATION)
        .holding(header)
        .holding(Element::new("s:Body").holding(body))
        .to_xml()
}

/// An answer that says what went wrong. `code` has its prefix.
pub fn fault(code: &str, text: &str) -> String {
    let value = |text: &str| Element::new("s:Value").saying(text);
    let code = Element::new("s:Code")
        .holding(value("s:Sender"))
        .holding(Element::new("s:Subcode").holding(value(code)));
    let reason = Element::new("s:Reason")
        .holding(Element::new("s:Text").with("xml:lang", "en").saying(text));
    let fault = Element::new("s:Fault").holding(code).holding(reason);
    envelope()
        .with("xmlns:wsen", ENUMERATION)
        .holding(Element::new("s:Header"))
        .holding(Element::new("s:Body").holding(fault))
        .to_xml()
}
