//! Where a Redfish service is, and which paths belong to it.
//!
//! Paths come from the service itself: links, locations, targets of actions. A broken or malicious
//! one must not make us send a password to somebody else, so a path is only taken when it leads to
//! the same origin and means what it says.

use reqwest::Url;
use std::fmt;

/// What a path starts with when the address has none.
pub const ROOT: &str = "/redfish/v1/";

/// Longer than any path that was ever seen.
const LONGEST_PATH: usize = 2048;

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin(Url);

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl Origin {
    /// The origin and the root path that an address means. `port` is the one to use where the
    /// address names none.
    pub fn parse(address: &str, port: Option<u16>) -> Option<(Self, String)> {
        let bare = address.parse::<std::net::Ipv6Addr>();
        let address = match (&bare, address.contains("://")) {
            (Ok(bare), _) => format!("https://[{bare}]"),
            (_, true) => address.to_owned(),
            (_, false) => format!("https://{address}"),
        };
        // A URL parser forgives much that is a mistake here.
        if address.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
            return None;
        }
        let mut url = Url::parse(&address).ok()?;
        let is_known = ["http", "https"].contains(&url.scheme());
        // An origin is shown in errors and logs, so it holds no name and no password.
        let names_somebody = !url.username().is_empty() || url.password().is_some();
        if !is_known
            || names_somebody
            || !url.has_host()
            || url.query().is_some()
            || url.fragment().is_some()
        {
            return None;
        }
        if let Some(port) = port.filter(|_| url.port().is_none()) {
            url.set_port(Some(port)).ok()?;
        }
        let root = match url.path() {
            "/" => ROOT.to_owned(),
            path => path.to_owned(),
        };
        url.set_path("/");
        Some((Self(url), root))
    }

    pub fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    pub fn port(&self) -> u16 {
        // Both schemes that an origin can have come with a port.
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// The path that a reference of the service means, without what follows a `#`; nothing if it
    /// leads elsewhere.
    pub fn path(&self, reference: &str) -> Option<String> {
        let reference = reference.split('#').next().unwrap_or_default();
        let is_absolute = reference.starts_with("http://") || reference.starts_with("https://");
        let is_path = reference.starts_with('/') && !reference.starts_with("//");
        let is_odd = reference.contains(|c: char| c.is_control() || c == '\\');
        if reference.len() > LONGEST_PATH || is_odd || !(is_absolute || is_path) {
            return None;
        }
        let url = if is_absolute {
            Url::parse(reference).ok()?
        } else {
            self.0.join(reference).ok()?
        };
        // A path with two slashes at its start would name a host when it is joined again.
        if url.origin() != self.0.origin() || url.path().starts_with("//") {
            return None;
        }
        // What climbs up has been resolved by now, and does not mean what it says.
        let written = reference
            .split('?')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let climbs = |part: &str| [".", ".."].contains(&part.replace("%2e", ".").as_str());
        if written.split('/').any(climbs) {
            return None;
        }
        Some(match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        })
    }

    /// The address of a path that [`Origin::path`] has let through.
    pub fn url(&self, path: &str) -> Option<Url> {
        let url = self.0.join(path).ok()?;
        (url.origin() == self.0.origin()).then_some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_an_origin_and_a_root() {
        for (address, port, origin, root) in [
            ("https://bmc", None, "https://bmc", ROOT),
            ("bmc.example", None, "https://bmc.example", ROOT),
            (
                "bmc.example:8443",
                Some(1),
                "https://bmc.example:8443",
                ROOT,
            ),
            ("bmc.example", Some(8443), "https://bmc.example:8443", ROOT),
            ("http://10.0.0.1:8000/", None, "http://10.0.0.1:8000", ROOT),
            ("fd00::1", None, "https://[fd00::1]", ROOT),
            ("[fd00::1]:8443", None, "https://[fd00::1]:8443", ROOT),
            ("https://h/other/v1", None, "https://h", "/other/v1"),
        ] {
            let (found, prefix) = Origin::parse(address, port).expect(address);
            assert_eq!(
                (found.to_string().as_str(), prefix.as_str()),
                (origin, root)
            );
        }
        for address in [
            "",
            "ftp://h",
            "https://",
            "h/?a=b",
            "h#a",
            "a b",
            "http://h:99999",
            "https://admin:secret@h",
            "admin@h",
        ] {
            assert_eq!(Origin::parse(address, None), None, "{address}");
        }
    }

    #[test]
    fn paths_stay_where_they_belong() {
        let (origin, _) = Origin::parse("https://bmc:8443", None).unwrap();
        for (reference, expected) in [
            ("/redfish/v1/Systems/1", "/redfish/v1/Systems/1"),
            ("/a#/Fans/0", "/a"),
            ("/a?$skip=2", "/a?$skip=2"),
            ("/Disk.Bay.0:Enclosure 1", "/Disk.Bay.0:Enclosure%201"),
            ("https://bmc:8443/a/b", "/a/b"),
        ] {
            assert_eq!(origin.path(reference).as_deref(), Some(expected));
        }
        let long = format!("/{}", "a".repeat(LONGEST_PATH));
        for reference in [
            "",
            "a",
            "//evil/a",
            "/\\evil",
            "/a/../b",
            "/a/%2E%2e/b",
            "/a/./b",
            "https://evil:8443/a",
            "http://bmc:8443/a",
            "https://bmc/a",
            "/a\r\nb",
            &long,
        ] {
            assert_eq!(origin.path(reference), None, "{reference}");
        }
    }
}
