//! Names of containers in registries, as `oci://` addresses have them.
//!
//! Programs take them as arguments, so nothing else than what such a name consists of is taken: above
//! all no option, which a host with a leading dash would be.

/// The scheme of addresses in container registries.
pub const SCHEME: &str = "oci://";

/// The name in an address: `HOST[:PORT]/PATH[:TAG][@ALGORITHM:SUM]`. `None` if it is anything else.
pub fn name(address: &str) -> Option<&str> {
    let name = address.strip_prefix(SCHEME)?;
    let (registry, rest) = name.split_once('/')?;
    let (rest, digest) = match rest.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (rest, None),
    };
    let (path, tag) = match rest.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (rest, None),
    };
    let is_good = is_registry(registry)
        && path.split('/').all(is_word)
        && tag.is_none_or(is_word)
        && digest.is_none_or(is_digest);
    is_good.then_some(name)
}

/// A host with a port, or without.
fn is_registry(text: &str) -> bool {
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    if let Some(rest) = text.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else {
            return false;
        };
        let is_address = address.parse::<std::net::Ipv6Addr>().is_ok();
        return is_address && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
    }
    match text.split_once(':') {
        Some((host, port)) => is_word(host) && is_port(port),
        None => is_word(text),
    }
}

fn is_word(text: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && text.chars().all(is_known)
}

fn is_digest(text: &str) -> bool {
    let parts = text.split_once(':');
    parts.is_some_and(|(algorithm, sum)| {
        is_word(algorithm) && !sum.is_empty() && sum.chars().all(|c| c.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_everything_else() {
        for good in [
            "quay.example/a",
            "quay.example:5000/a/b-c/d_e.f:v1.2-rc",
            "[fe80::1]:5000/a",
            "10.0.0.1/a@sha256:00ff",
            "h/a:tag@sha512:00ff",
        ] {
            assert_eq!(name(&format!("{SCHEME}{good}")), Some(good));
        }
        for bad in [
            "",
            "h",
            "h/",
            "/a",
            "--authfile=/etc/shadow",
            "--authfile=x/a",
            "-h/a",
            "h/-a",
            "h/a:-t",
            "h/a?b",
            "h/a#b",
            "h/a b",
            "h/a\nb",
            "h/a%20b",
            "h//a",
            "h:x/a",
            "h:99999/a",
            "user:password@h/a",
            "h/a@sha256:",
            "h/a@sha256:xyz",
            "[::1/a",
            "[--x]/a",
        ] {
            assert_eq!(name(&format!("{SCHEME}{bad}")), None, "{bad}");
        }
        assert_eq!(name("https://h/a"), None);
        assert_eq!(name("h/a"), None);
    }
}
