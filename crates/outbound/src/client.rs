//! How every HTTP client of ours begins.
//!
//! A client says who it is, follows no redirect and uses no proxy that the environment names. What
//! a caller needs besides, timeouts and TLS above all, it adds itself. `clippy.toml` refuses
//! builders that do not begin here.

use reqwest::{Client, ClientBuilder, Url, redirect};
use std::net::IpAddr;

/// A client that connects to the server itself, whatever `http_proxy` and its kin say.
pub fn client() -> ClientBuilder {
    client_by_proxy().no_proxy()
}

/// A client for one server, which may lie behind a proxy of the environment. No proxy can reach our
/// own loopback, so none is used for that.
pub fn client_for(url: &str) -> ClientBuilder {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    match host.is_some_and(is_loopback) {
        true => client(),
        false => client_by_proxy(),
    }
}

/// A client for servers that may lie behind a proxy of the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where clients begin"
)]
pub fn client_by_proxy() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("corten/", env!("CARGO_PKG_VERSION")))
        // Tokens and signatures are for the host that was named.
        .redirect(redirect::Policy::none())
}

/// Whether the host of a URL is this machine, as far as can be told without resolving names.
pub fn is_loopback(host: &str) -> bool {
    let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    host == "localhost" || ip.is_some_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_told_by_its_address() {
        for (url, expected) in [
            ("http://127.0.0.1:6385", true),
            ("http://[::1]:6385", true),
            ("https://localhost", true),
            ("http://10.0.0.1", false),
            ("http://loop.example", false),
        ] {
            let url: Url = url.parse().unwrap();
            assert_eq!(is_loopback(url.host_str().unwrap()), expected, "{url}");
        }
    }
}
