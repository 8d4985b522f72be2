//! XML as chassis and BMCs speak it: elements, attributes and text.
//!
//! What a document declares is not followed: one with a document type is refused, so that no entity
//! can name a file or grow without end. Names lose their prefix, comments and instructions are left
//! out. A document may have only so many elements, attributes and levels.

use std::fmt::Write as _;

/// No answer of a device has more elements and attributes.
const MOST: usize = 50_000;
const DEEPEST: usize = 64;

/// An element with all that is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Element {
    /// Without a prefix.
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// What stands between its tags, that of its children left out.
    pub text: String,
}

/// A document that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    #[error("it is no XML document: {what} at byte {at}")]
    Syntax { what: &'static str, at: usize },
    #[error("it declares a document type, which is not followed")]
    DocumentType,
    #[error("it has more than {MOST} elements and attributes")]
    TooMany,
    #[error("its elements are nested more than {DEEPEST} levels deep")]
    TooDeep,
}

impl Element {
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// The same with one more attribute.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.attributes.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with one more child.
    #[must_use]
    pub fn holding(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    /// The same with this text.
    #[must_use]
    pub fn saying(mut self, text: &str) -> Self {
        text.clone_into(&mut self.text);
        self
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of a child, without blanks around it.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.trim())
    }

    /// The document with this as its root.
    pub fn to_xml(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        out.push('<');
        out.push_str(&self.name);
        for (name, value) in &self.attributes {
            // Writing to a string never fails.
            let _ = write!(out, " {name}=\"");
            escape(value, out);
            out.push('"');
        }
        if self.children.is_empty() && self.text.is_empty() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        escape(&self.text, out);
        for child in &self.children {
            child.write(out);
        }
        let _ = write!(out, "</{}>", self.name);
    }

    /// Reads a document; the answer is its root.
    pub fn parse(text: &str) -> Result<Self, XmlError> {
        let mut reader = Parser {
            text,
            at: 0,
            count: 0,
        };
        reader.skip_prolog()?;
        let root = reader.element()?;
        reader.skip_prolog()?;
        match reader.rest().is_empty() {
            true => Ok(root),
            false => Err(reader.wrong("something follows the root")),
        }
    }
}

/// Text as documents write it.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(text, &mut out);
    out
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            // XML has no way to write these.
            c if !is_sayable(c) => {}
            c => out.push(c),
        }
    }
}

fn is_sayable(c: char) -> bool {
    !c.is_control() || "\t\n\r".contains(c)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    count: usize,
}

/// A tag that opens an element.
struct Tag<'t> {
    /// As it is written, prefix included.
    written: &'t str,
    element: Element,
    is_closed: bool,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn wrong(&self, what: &'static str) -> XmlError {
        XmlError::Syntax { what, at: self.at }
    }

    /// Goes on behind this, if it is there.
    fn takes(&mut self, token: &str) -> bool {
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    /// What stands before this; goes on behind it.
    fn until(&mut self, token: &str, what: &'static str) -> Result<&'t str, XmlError> {
        let (found, _) = self.rest().split_once(token).ok_or(self.wrong(what))?;
        self.at += found.len() + token.len();
        Ok(found)
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Instructions, comments and blanks.
    fn skip_prolog(&mut self) -> Result<(), XmlError> {
        self.takes("\u{feff}");
        loop {
            self.skip_blanks();
            if self.takes("<?") {
                self.until("?>", "an instruction does not end")?;
            } else if self.takes("<!--") {
                self.until("-->", "a comment does not end")?;
            } else if self.rest().starts_with("<!") {
                return Err(XmlError::DocumentType);
            } else {
                return Ok(());
            }
        }
    }

    fn name(&mut self) -> Result<&'t str, XmlError> {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || ":_-.".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        let is_name = |name: &str| name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !is_name(name) || !is_name(local(name)) {
            return Err(self.wrong("a name is expected"));
        }
        self.at += end;
        Ok(name)
    }

    fn counted(&mut self) -> Result<(), XmlError> {
        self.count += 1;
        match self.count > MOST {
            true => Err(XmlError::TooMany),
            false => Ok(()),
        }
    }

    fn tag(&mut self) -> Result<Tag<'t>, XmlError> {
        if !self.takes("<") {
            return Err(self.wrong("an element is expected"));
        }
        self.counted()?;
        let written = self.name()?;
        let mut element = Element::new(local(written));
        loop {
            self.skip_blanks();
            let is_closed = self.takes("/>");
            if is_closed || self.takes(">") {
                return Ok(Tag {
                    written,
                    element,
                    is_closed,
                });
            }
            self.counted()?;
            let name = self.name()?;
            self.skip_blanks();
            if !self.takes("=") {
                return Err(self.wrong("an attribute has no value"));
            }
            self.skip_blanks();
            let quote = if self.takes("\"") {
                "\""
            } else if self.takes("'") {
                "'"
            } else {
                return Err(self.wrong("a value is not quoted"));
            };
            let start = self.at;
            let value = self.until(quote, "a value does not end")?;
            if value.contains('<') {
                return Err(XmlError::Syntax {
                    what: "a value has a tag in it",
                    at: start,
                });
            }
            let value = unescaped(value, start)?;
            element.attributes.push((local(name).to_owned(), value));
        }
    }

    fn element(&mut self) -> Result<Element, XmlError> {
        let mut open: Vec<Tag<'t>> = Vec::new();
        loop {
            let tag = self.tag()?;
            if !tag.is_closed {
                open.push(tag);
                if open.len() > DEEPEST {
                    return Err(XmlError::TooDeep);
                }
            } else {
                let Some(parent) = open.last_mut() else {
                    return Ok(tag.element);
                };
                parent.element.children.push(tag.element);
            }
            // Up to the next tag that opens something.
            while let Some(tag) = open.last_mut() {
                let start = self.at;
                let (text, _) = self
                    .rest()
                    .split_once('<')
                    .ok_or(self.wrong("an element does not end"))?;
                self.at += text.len();
                tag.element.text.push_str(&unescaped(text, start)?);
                if self.takes("<!--") {
                    self.until("-->", "a comment does not end")?;
                } else if self.takes("<![CDATA[") {
                    let text = self.until("]]>", "a section does not end")?;
                    tag.element.text.push_str(text);
                } else if self.takes("<?") {
                    self.until("?>", "an instruction does not end")?;
                } else if self.rest().starts_with("<!") {
                    return Err(XmlError::DocumentType);
                } else if self.takes("</") {
                    let name = self.name()?;
                    self.skip_blanks();
                    if name != tag.written || !self.takes(">") {
                        return Err(self.wrong("another element is open"));
                    }
                    let ended = open.pop().map(|tag| tag.element).unwrap_or_default();
                    match open.last_mut() {
                        Some(parent) => parent.element.children.push(ended),
                        None => return Ok(ended),
                    }
                } else {
                    break;
                }
            }
        }
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Text with the characters that references in it stand for.
fn unescaped(text: &str, at: usize) -> Result<String, XmlError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let wrong = XmlError::Syntax {
            what: "a reference means nothing",
            at,
        };
        let (name, after) = after.split_once(';').ok_or(wrong)?;
        out.push(meaning(name).ok_or(wrong)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn meaning(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number).filter(|c| is_sayable(*c))?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrong(text: &str) -> XmlError {
        Element::parse(text).unwrap_err()
    }

    #[test]
    fn a_document_is_read() {
        let text = "\u{feff}<?xml version='1.0'?>\n<!-- x --><s:a xmlns:s=\"urn:x\" s:k = 'v &lt; &#x41;'>\
                    \n one<b/><b n=\"2\">two<![CDATA[<&]]></b><!-- y --> end</s:a>\n<!-- z -->";
        let root = Element::parse(text).unwrap();
        assert_eq!(root.name, "a");
        assert_eq!(root.attribute("k"), Some("v < A"));
        assert_eq!(root.text, "\n one end");
        assert_eq!(root.children.len(), 2);
        assert_eq!(root.child("b").unwrap().attribute("n"), None);
        assert_eq!(root.children[1].text, "two<&");
        assert_eq!(root.text_of("b"), Some(""));
        assert_eq!(root.text_of("c"), None);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let root = Element::new("a")
            .with("k", "<'\"&>\n")
            .holding(Element::new("b").saying("1 < 2 & 3"))
            .holding(Element::new("c"));
        assert_eq!(
            root.to_xml(),
            "<a k=\"&lt;&apos;&quot;&amp;&gt;&#10;\"><b>1 &lt; 2 &amp; 3</b><c/></a>"
        );
        assert_eq!(Element::parse(&root.to_xml()), Ok(root));
    }

    #[test]
    fn nothing_that_is_declared_is_followed() {
        for text in [
            "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
            "<a><!DOCTYPE b></a>",
            "<a/><!ELEMENT b>",
        ] {
            assert_eq!(wrong(text), XmlError::DocumentType);
        }
    }

    #[test]
    fn broken_documents_are_refused() {
        for text in [
            "",
            "text",
            "<a",
            "<a>",
            "<a></b>",
            "<a/><b/>",
            "<a></a>x",
            "<a k></a>",
            "<a k=v/>",
            "<a k=\"<\"/>",
            "<a k=\"v/>",
            "<a>&x;</a>",
            "<a>&amp</a>",
            "<a>&#xd800;</a>",
            "<a>&#1;</a>",
            "<a:/>",
            "<a:1/>",
            "<a><!-- </a>",
            "<a><![CDATA[</a>",
            "<1/>",
            "<a><b></a></b>",
            "<?xml",
        ] {
            assert!(matches!(wrong(text), XmlError::Syntax { .. }), "{text}");
        }
    }

    #[test]
    fn documents_are_bounded() {
        let deep = "<a>".repeat(DEEPEST + 1);
        assert_eq!(wrong(&deep), XmlError::TooDeep);
        let many = format!("<a>{}</a>", "<b/>".repeat(MOST));
        assert_eq!(wrong(&many), XmlError::TooMany);
        let ends = format!("{}{}", "<a>".repeat(DEEPEST), "</a>".repeat(DEEPEST));
        assert!(Element::parse(&ends).is_ok());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[<>/a-c&;='\" !?#x1-3-]{0,60}") {
            if let Ok(root) = Element::parse(&text) {
                prop_assert_eq!(Element::parse(&root.to_xml()), Ok(root));
            }
        }
    }
}
