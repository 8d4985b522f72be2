//! Addresses: IP, host names, URLs, ranges of ports, and which authorities to trust.
//!
//! Only the form is checked here. Whether a host exists or a file can be read is found out by
//! whoever uses it.

use super::{
    error::Reason,
    value::{OptionValue, ValueKind},
};
use std::{
    fmt,
    net::IpAddr,
    path::{Path, PathBuf},
};
use types::words;

impl OptionValue for IpAddr {
    const KIND: ValueKind = ValueKind::IpAddress;

    fn parse(text: &str) -> Result<Self, Reason> {
        text.trim().parse().map_err(|_| Reason::NotIpAddress)
    }

    fn texts(&self) -> Vec<String> {
        vec![self.to_string()]
    }
}

/// An IP address or a host name to listen on or to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostAddress(String);

impl HostAddress {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HostAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl OptionValue for HostAddress {
    const KIND: ValueKind = ValueKind::HostAddress;

    fn parse(text: &str) -> Result<Self, Reason> {
        let text = text.trim();
        if text.parse::<IpAddr>().is_ok() || is_host_name(text) {
            return Ok(Self(text.to_owned()));
        }
        Err(Reason::NotHostAddress)
    }

    fn texts(&self) -> Vec<String> {
        vec![self.0.clone()]
    }
}

/// RFC 1123 §2.1, and the underscore that some sites use all the same. A last label of digits is
/// refused, because the whole is then a mistyped IPv4 address.
fn is_host_name(text: &str) -> bool {
    let name = text.strip_suffix('.').unwrap_or(text);
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    let ends_in_number = name
        .rsplit('.')
        .next()
        .is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    name.len() <= 253 && name.split('.').all(label) && !ends_in_number
}

/// An absolute URL with a scheme and a host, kept as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url(String);

impl Url {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl OptionValue for Url {
    const KIND: ValueKind = ValueKind::Url;

    fn parse(text: &str) -> Result<Self, Reason> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").ok_or(Reason::NotUrl)?;
        let scheme_is_sound = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
        let host_is_there = !rest.is_empty() && !rest.starts_with(['/', '?', '#']);
        let printable = rest.chars().all(|c| !c.is_whitespace() && !c.is_control());
        if scheme_is_sound && host_is_there && printable {
            return Ok(Self(text.to_owned()));
        }
        Err(Reason::NotUrl)
    }

    fn texts(&self) -> Vec<String> {
        vec![self.0.clone()]
    }
}

/// Ports from `start` up to, but (as in Ironic) not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRange {
    pub start: u16,
    pub end: u16,
}

impl OptionValue for PortRange {
    const KIND: ValueKind = ValueKind::PortRange;

    fn parse(text: &str) -> Result<Self, Reason> {
        let (start, end) = text.split_once(':').ok_or(Reason::NotPortRange)?;
        let port = |text: &str| u16::parse(text).map_err(|_| Reason::NotPortRange);
        let range = Self {
            start: port(start)?,
            end: port(end)?,
        };
        if range.start <= range.end {
            Ok(range)
        } else {
            Err(Reason::NotPortRange)
        }
    }

    fn texts(&self) -> Vec<String> {
        vec![format!("{}:{}", self.start, self.end)]
    }
}

/// Which CAs to trust as a TLS client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifyCa {
    /// Those the system trusts.
    System,
    /// Do not look at the certificate at all.
    Off,
    /// Those in this file or folder.
    Path(PathBuf),
}

impl VerifyCa {
    /// The same in the words of TLS.
    pub fn trust(&self) -> tls::Trust {
        match self {
            Self::System => tls::Trust::Machine,
            Self::Off => tls::Trust::Anyone,
            Self::Path(path) => tls::Trust::Path(path.clone()),
        }
    }

    /// The file or folder to read authorities from, if one was named.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::System | Self::Off => None,
        }
    }
}

impl OptionValue for VerifyCa {
    const KIND: ValueKind = ValueKind::VerifyCa;

    fn parse(text: &str) -> Result<Self, Reason> {
        // One-letter forms count here though they do not for plain booleans, as in Ironic.
        match words::boolean(text) {
            Some(true) => Ok(Self::System),
            Some(false) => Ok(Self::Off),
            None => Ok(Self::Path(PathBuf::from(text.trim()))),
        }
    }

    fn texts(&self) -> Vec<String> {
        match self {
            Self::System => true.texts(),
            Self::Off => false.texts(),
            Self::Path(path) => path.texts(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_addresses_or_names() {
        for text in [
            "0.0.0.0",
            "::",
            "fe80::1",
            "host",
            "a-b.example.org.",
            "node_1.lab",
        ] {
            assert_eq!(HostAddress::parse(text).unwrap().as_str(), text);
        }
        for text in [
            "",
            "1.2.3",
            "1.2.3.400",
            "-a",
            "a..b",
            "a b",
            "host:80",
            "[::1]",
        ] {
            assert_eq!(
                HostAddress::parse(text),
                Err(Reason::NotHostAddress),
                "{text:?}"
            );
        }
        assert_eq!(IpAddr::parse("host"), Err(Reason::NotIpAddress));
    }

    #[test]
    fn urls_need_a_scheme_and_a_host() {
        for text in ["http://h", "https://[::1]:80/p?q", "git+ssh://u@h/"] {
            assert_eq!(Url::parse(text).unwrap().as_str(), text);
        }
        for text in [
            "",
            "h:80",
            "http:/h",
            "http://",
            "http:///p",
            "1http://h",
            "http://a b",
        ] {
            assert_eq!(Url::parse(text), Err(Reason::NotUrl), "{text:?}");
        }
    }

    #[test]
    fn port_ranges_go_upwards() {
        assert_eq!(
            PortRange::parse("10:20"),
            Ok(PortRange { start: 10, end: 20 })
        );
        for text in ["", "10", "20:10", "a:b", "1:70000", "1:2:3"] {
            assert_eq!(
                PortRange::parse(text),
                Err(Reason::NotPortRange),
                "{text:?}"
            );
        }
    }

    #[test]
    fn trust_is_a_switch_or_a_path() {
        assert_eq!(VerifyCa::parse("True"), Ok(VerifyCa::System));
        assert_eq!(VerifyCa::parse("n"), Ok(VerifyCa::Off));
        let path = VerifyCa::parse("/etc/ca.pem").unwrap();
        assert_eq!(path.path(), Some(Path::new("/etc/ca.pem")));
    }
}
