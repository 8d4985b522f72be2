//! The description of a virtual machine of libvirt, with another boot device.
//!
//! The text is changed where it has to be and nowhere else: what others wrote into it (metadata,
//! elements of other namespaces) must come back as it was.

use crate::xml::{Element, XmlError};

/// Why a description is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DomainError {
    #[error("{0}")]
    Xml(#[from] XmlError),
    #[error("it has no <os> that could be changed")]
    NoSystem,
}

/// A tag of a document that is known to be one.
struct Tag<'a> {
    name: &'a str,
    kind: TagKind,
    /// Where it begins and ends.
    from: usize,
    to: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Open,
    Close,
    Empty,
}

/// Boots from this device alone; `boot` elements of devices, which libvirt refuses beside it, go.
pub fn with_boot_device(domain: &str, device: &str) -> Result<String, DomainError> {
    let domain = domain.trim();
    Element::parse(domain)?;
    let boot = Element::new("boot").with("dev", device).to_xml();
    let mut out = String::with_capacity(domain.len() + boot.len());
    let mut path: Vec<&str> = Vec::new();
    // What was copied up to here, and where something begins that is left out.
    let mut copied = 0;
    let mut dropped: Option<usize> = None;
    let mut at = 0;
    while let Some(tag) = next_tag(domain, at) {
        at = tag.to;
        if tag.kind == TagKind::Close {
            path.pop();
        }
        let is_boot = tag.name == "boot" && is_place(&path);
        match tag.kind {
            TagKind::Empty if is_boot => {
                out.push_str(&domain[copied..tag.from]);
                copied = tag.to;
            }
            TagKind::Open if is_boot => dropped = Some(tag.from),
            TagKind::Close if is_boot => {
                if let Some(from) = dropped.take() {
                    out.push_str(&domain[copied..from]);
                    copied = tag.to;
                }
            }
            TagKind::Close if tag.name == "os" && path == ["domain"] => {
                out.push_str(&domain[copied..tag.from]);
                out.push_str(&boot);
                copied = tag.from;
            }
            _ => {}
        }
        if tag.kind == TagKind::Open {
            path.push(tag.name);
        }
    }
    out.push_str(&domain[copied..]);
    // A description that is odd in a way that was not thought of is left as it is.
    let changed = Element::parse(&out)?;
    let devices = changed.child("devices").map(|devices| &devices.children);
    let mut devices = devices.into_iter().flatten();
    let systems = changed.children.iter().filter(|child| child.name == "os");
    let boots: Vec<&Element> = systems
        .flat_map(|system| &system.children)
        .filter(|child| child.name == "boot")
        .collect();
    match boots.as_slice() {
        [only]
            if only.attribute("dev") == Some(device)
                && !devices.any(|device| device.child("boot").is_some()) =>
        {
            Ok(out)
        }
        _ => Err(DomainError::NoSystem),
    }
}

/// Whether a `boot` below this path is one that counts.
fn is_place(path: &[&str]) -> bool {
    matches!(path, ["domain", "os"] | ["domain", "devices", _])
}

/// The next tag from here on. What stands in comments, in instructions and in literal text is none.
fn next_tag(text: &str, mut at: usize) -> Option<Tag<'_>> {
    loop {
        let from = at + text.get(at..)?.find('<')?;
        let rest = &text[from..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((begin, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            let length = rest.get(begin.len()..)?.find(end)?;
            at = from + begin.len() + length + end.len();
            continue;
        }
        let length = end_of_tag(rest)?;
        let inside = &rest[1..length - 1];
        let (kind, inside) = match (inside.strip_prefix('/'), inside.strip_suffix('/')) {
            (Some(inside), _) => (TagKind::Close, inside),
            (None, Some(inside)) => (TagKind::Empty, inside),
            (None, None) => (TagKind::Open, inside),
        };
        return Some(Tag {
            name: inside.split_whitespace().next()?,
            kind,
            from,
            to: from + length,
        });
    }
}

/// How long a tag is; quotes may hold what would end it.
fn end_of_tag(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}
