//! The XML API of Cisco UCS Manager and of Cisco's IMC.
//!
//! One element is posted, and the same element comes back with what it came to. Objects are elements
//! named by their class whose properties are attributes; they have a distinguished name (`dn`), and
//! those within another one a relative name (`rn`). Errors are attributes too, under HTTP status 200.
//! An object that does not exist is no error: the answer is empty.

use crate::xml::{Element, XmlError};

/// Where requests are posted.
pub const PATH: &str = "/nuova";
/// The type of their content, whatever is in it.
pub const CONTENT_TYPE: &str = "application/x-www-form-urlencoded";

/// User or password are wrong.
pub const AUTHENTICATION_FAILED: u32 = 551;
/// The cookie is missing, wrong or too old.
pub const AUTHORIZATION_REQUIRED: u32 = 552;
/// There is no such session any more.
pub const SESSION_NOT_FOUND: u32 = 555;

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("error {code}: {text}")]
pub struct Refusal {
    pub code: u32,
    pub text: String,
}

/// An answer that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    #[error("{0}")]
    Xml(#[from] XmlError),
    #[error("it answers '{found}' to '{asked}'")]
    Other { asked: String, found: String },
}

/// Asks for a session.
pub fn login(user: &str, password: &str) -> Element {
    Element::new("aaaLogin")
        .with("inName", user)
        .with("inPassword", password)
}

/// Ends a session.
pub fn logout(cookie: &str) -> Element {
    Element::new("aaaLogout").with("inCookie", cookie)
}

fn method(name: &str, cookie: &str, hierarchical: bool) -> Element {
    Element::new(name).with("cookie", cookie).with(
        "inHierarchical",
        if hierarchical { "true" } else { "false" },
    )
}

/// Asks for the object of a name.
pub fn resolve_dn(cookie: &str, dn: &str) -> Element {
    method("configResolveDn", cookie, false).with("dn", dn)
}

/// Asks for all objects of a class, with what is in them.
pub fn resolve_class(cookie: &str, class: &str) -> Element {
    method("configResolveClass", cookie, true).with("classId", class)
}

/// Asks for what is directly in an object.
pub fn resolve_children(cookie: &str, dn: &str) -> Element {
    method("configResolveChildren", cookie, false).with("inDn", dn)
}

/// Changes an object, which may be within the one of this name.
pub fn change(cookie: &str, dn: &str, object: Element) -> Element {
    method("configConfMo", cookie, false)
        .with("dn", dn)
        .holding(Element::new("inConfig").holding(object))
}

/// Changes several objects at once, each with its `dn`.
pub fn change_all(cookie: &str, objects: Vec<Element>) -> Element {
    let pairs = objects.into_iter().map(|object| {
        let key = object.attribute("dn").unwrap_or_default().to_owned();
        Element::new("pair").with("key", &key).holding(object)
    });
    let mut configs = Element::new("inConfigs");
    configs.children.extend(pairs);
    method("configConfMos", cookie, false).holding(configs)
}

/// What came back to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply(Element);

impl Reply {
    /// Reads the answer to a request of this name.
    pub fn parse(asked: &str, text: &str) -> Result<Result<Self, Refusal>, ReplyError> {
        let root = Element::parse(text)?;
        // Errors of some versions come in an element of their own.
        if let Some(code) = root.attribute("errorCode") {
            return Ok(Err(Refusal {
                code: code.trim().parse().unwrap_or_default(),
                text: root.attribute("errorDescr").unwrap_or_default().to_owned(),
            }));
        }
        match root.name == asked {
            true => Ok(Ok(Self(root))),
            false => Err(ReplyError::Other {
                asked: asked.to_owned(),
                found: root.name,
            }),
        }
    }

    /// The cookie of a session that was asked for.
    pub fn cookie(&self) -> Option<&str> {
        self.0.attribute("outCookie").filter(|it| !it.is_empty())
    }

    /// The objects in it.
    pub fn objects(&self) -> Vec<&Element> {
        let configs = self.0.children.iter();
        let configs = configs.filter(|it| it.name == "outConfig" || it.name == "outConfigs");
        let inner = configs.flat_map(|configs| &configs.children);
        inner
            .flat_map(|object| match object.name.as_str() {
                "pair" => object.children.iter().collect(),
                _ => vec![object],
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_written_as_clients_write_them() {
        assert_eq!(
            login("admin", "<&>").to_xml(),
            "<aaaLogin inName=\"admin\" inPassword=\"&lt;&amp;&gt;\"/>"
        );
        assert_eq!(
            resolve_dn("C", "sys/rack-unit-1").to_xml(),
            "<configResolveDn cookie=\"C\" inHierarchical=\"false\" dn=\"sys/rack-unit-1\"/>"
        );
        let object = Element::new("lsPower")
            .with("dn", "org-root/ls-a/power")
            .with("state", "up");
        assert_eq!(
            change_all("C", vec![object]).to_xml(),
            "<configConfMos cookie=\"C\" inHierarchical=\"false\"><inConfigs>\
             <pair key=\"org-root/ls-a/power\"><lsPower dn=\"org-root/ls-a/power\" state=\"up\"/></pair>\
             </inConfigs></configConfMos>"
        );
    }

    #[test]
    fn objects_are_found_in_every_form_of_an_answer() {
        for text in [
            "<m response=\"yes\"><outConfig><o dn=\"a\"/></outConfig></m>",
            "<m><outConfigs><o dn=\"a\"/></outConfigs></m>",
            "<m><outConfigs><pair key=\"a\"><o dn=\"a\"/></pair></outConfigs></m>",
        ] {
            let reply = Reply::parse("m", text).unwrap().unwrap();
            let [object] = reply.objects()[..] else {
                panic!("{text}");
            };
            assert_eq!(object.attribute("dn"), Some("a"));
        }
        let empty = Reply::parse("m", "<m><outConfig/></m>").unwrap().unwrap();
        assert!(empty.objects().is_empty());
    }

    #[test]
    fn errors_are_told_from_answers() {
        let text = "<aaaLogin cookie=\"\" response=\"yes\" errorCode=\"551\" \
                    invocationResult=\"unidentified-fail\" errorDescr=\"Authentication failed\"/>";
        let refusal = Reply::parse("aaaLogin", text).unwrap().unwrap_err();
        assert_eq!(refusal.code, AUTHENTICATION_FAILED);
        assert_eq!(refusal.to_string(), "error 551: Authentication failed");
        let other = Reply::parse("aaaLogin", "<html/>").unwrap_err();
        assert_eq!(other.to_string(), "it answers 'html' to 'aaaLogin'");
        assert!(Reply::parse("aaaLogin", "no").is_err());
        let cookie = Reply::parse("aaaLogin", "<aaaLogin outCookie=\"C\"/>").unwrap();
        assert_eq!(cookie.unwrap().cookie(), Some("C"));
    }
}
