//! Addresses of services, and the paths below them.
//!
//! Identifiers come from users, and many WSGI servers decode `%2F` before they route. So an
//! identifier in a path may only have letters that mean nothing there: with `../` in it, a request
//! with our token would reach another object.

use crate::Service;
use reqwest::Url;

/// An address that cannot be one of a service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an http or https URL of a service")]
pub(crate) struct InvalidEndpoint(String);

/// The root of the API that we speak, below an address that may or may not name a version and the
/// service's project: `http://h/volume/v3/PROJECT` and `http://h/volume` both become
/// `http://h/volume/v3`.
pub(crate) fn api_root(
    service: Service,
    address: &str,
    project: Option<&str>,
) -> Result<Url, InvalidEndpoint> {
    let mut url = parse(address)?;
    let Some(version) = service.version_segment() else {
        return Ok(url);
    };
    let mut segments: Vec<String> = url
        .path_segments()
        .into_iter()
        .flatten()
        .map(str::to_owned)
        .collect();
    segments.retain(|segment| !segment.is_empty());
    if segments.last().is_some_and(|last| Some(&**last) == project) {
        segments.pop();
    }
    if segments.last().is_some_and(|last| is_version(last)) {
        segments.pop();
    }
    let path = segments.iter().map(String::as_str).chain([version]);
    let path: Vec<&str> = path.collect();
    url.set_path(&path.join("/"));
    Ok(url)
}

/// An address without credentials, query and a slash at the end.
pub(crate) fn parse(address: &str) -> Result<Url, InvalidEndpoint> {
    let invalid = || InvalidEndpoint(types::mask::address(address).into_owned());
    let mut url = Url::parse(address).map_err(|_| invalid())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(invalid());
    }
    // These cannot fail for a URL with a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|number| {
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

/// Whether a text can be the identifier of an object in a path.
pub(crate) fn is_id(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= 255 && text.chars().all(is_plain)
}

/// Escapes everything but the letters that mean nothing in a URL (RFC 3986, 2.3), and slashes.
pub(crate) fn escape_path(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        let letter = char::from(byte);
        if letter.is_ascii_alphanumeric() || "-._~/".contains(letter) {
            escaped.push(letter);
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

/// A URL as it may be shown: tokens of temporary URLs are in the query.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_have_our_version_and_no_project() {
        for (service, address, expected) in [
            (Service::Keystone, "http://k:5000", "http://k:5000/v3"),
            (
                Service::Keystone,
                "http://k/identity/v2.0/",
                "http://k/identity/v3",
            ),
            (Service::Glance, "http://g:9292", "http://g:9292/v2"),
            (Service::Neutron, "http://n:9696/", "http://n:9696/v2.0"),
            (
                Service::Neutron,
                "http://h/networking",
                "http://h/networking/v2.0",
            ),
            (Service::Neutron, "http://n:9696/v2.0", "http://n:9696/v2.0"),
            (Service::Cinder, "http://c:8776/v3/p1", "http://c:8776/v3"),
            (Service::Cinder, "http://c/volume/v3", "http://c/volume/v3"),
            (Service::Nova, "https://u:p@n/v2/p1?x=y", "https://n/v2.1"),
            (
                Service::Swift,
                "http://s:8080/v1/AUTH_p1/",
                "http://s:8080/v1/AUTH_p1",
            ),
            (Service::Baremetal, "http://b:6385/", "http://b:6385/"),
        ] {
            let root = api_root(service, address, Some("p1")).unwrap();
            assert_eq!(root.as_str(), expected, "{address}");
        }
        for wrong in ["", "n:9696", "ftp://n/", "http://", "/v3"] {
            assert!(api_root(Service::Nova, wrong, None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn identifiers_cannot_leave_their_path() {
        for good in ["9986ef93-e6c6-4515-a114-3042c0164264", "prov-net", "a_b"] {
            assert!(is_id(good), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "a%2fb",
            "a?b",
            "a b",
            "é",
            &"a".repeat(256),
        ] {
            assert!(!is_id(bad), "{bad}");
        }
        assert_eq!(escape_path("a b/ü?#%"), "a%20b/%C3%BC%3F%23%25");
    }

    #[test]
    fn what_is_shown_has_no_secrets() {
        let url = Url::parse("http://u:p@h/v1/a/c/o?temp_url_sig=abc#x").unwrap();
        assert_eq!(shown(&url), "http://h/v1/a/c/o");
    }
}
