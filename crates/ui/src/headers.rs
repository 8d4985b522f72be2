//! What a browser is told about everything below `/ui/`: run and load nothing from elsewhere, show it in
//! no frame of another page, and take no text for a program.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header::HOST};

const FIXED: &[(&str, &str)] = &[
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// Adds the headers to an answer. `asked` are those of the request; `is_screen` says that it is for the
/// document with the screen of a machine.
pub(crate) fn guard(answer: &mut HeaderMap, asked: &HeaderMap, is_secure: bool, is_screen: bool) {
    for &(name, value) in FIXED {
        let name = HeaderName::from_static(name);
        answer.insert(name, HeaderValue::from_static(value));
    }
    let host = asked.get(HOST).and_then(|host| host.to_str().ok());
    let policy = policy(host.filter(|host| is_host(host)), is_secure, is_screen);
    // It has nothing but what may be in a header.
    if let Ok(policy) = HeaderValue::try_from(policy) {
        answer.insert(HeaderName::from_static("content-security-policy"), policy);
    }
}

/// Consoles are WebSockets; not every browser takes them for `'self'`. Parts of a screen come as pictures
/// that stand in their addresses.
fn policy(host: Option<&str>, is_secure: bool, is_screen: bool) -> String {
    let pictures = if is_screen { " data:" } else { "" };
    let scheme = if is_secure { "wss" } else { "ws" };
    let sockets = host.map_or_else(String::new, |host| format!(" {scheme}://{host}"));
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'{pictures}; \
         connect-src 'self'{sockets}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

/// Whether this can stand in the policy without changing it: a name or an address, and a port.
fn is_host(host: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
    !host.is_empty() && host.len() <= 255 && host.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_allows_our_own_files_and_sockets_only() {
        assert_eq!(
            policy(Some("localhost:6385"), false, false),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
             connect-src 'self' ws://localhost:6385; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        );
        assert!(policy(None, true, true).contains("img-src 'self' data:; "));
        assert!(policy(Some("a.example"), true, false).contains("'self' wss://a.example;"));
    }

    #[test]
    fn a_host_that_would_change_the_policy_is_left_out() {
        for host in ["a; script-src *", "a b", "a,b", "", "'unsafe-inline'"] {
            assert!(!is_host(host), "{host}");
        }
        for host in ["a.example:6385", "[::1]:6385", "127.0.0.1"] {
            assert!(is_host(host), "{host}");
        }
    }
}
