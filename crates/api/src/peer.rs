//! Where a request comes from.

use axum::http::{Extensions, HeaderMap};
use outbound::Network;
use std::{fmt, net::IpAddr};

/// The address at the other end of the connection. Whoever accepts connections puts it into the
/// extensions of each request; over a Unix socket there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl Peer {
    pub fn of(extensions: &Extensions) -> Option<Self> {
        extensions.get().copied()
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The client as a proxy names it, where proxies are believed; else the other end itself.
///
/// What a header says is only ever logged, so it need not be an address, but it must be short.
pub fn client(believe_proxy: bool, headers: &HeaderMap, peer: Option<Peer>) -> String {
    const LONGEST: usize = 64;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let first = |list: &str| list.split(',').next().unwrap_or_default().trim().to_owned();
    let named = believe_proxy.then(|| {
        let forwarded = text("forwarded").map(first).and_then(|hop| {
            hop.split(';').find_map(|pair| {
                let (key, value) = pair.split_once('=')?;
                let is_client = key.trim().eq_ignore_ascii_case("for");
                is_client.then(|| value.trim().trim_matches('"').to_owned())
            })
        });
        forwarded.or_else(|| text("x-forwarded-for").map(first))
    });
    match named.flatten() {
        Some(name) if !name.is_empty() && name.len() <= LONGEST => name,
        _ => peer.map(|peer| peer.to_string()).unwrap_or_default(),
    }
}

/// The address whose attempts to guess a password are counted together: of a proxy that is believed,
/// what it says itself about its client, not what the client wrote before it. Of IPv6 a network of
/// 64 bits, because one machine has so many addresses; empty for a Unix socket.
pub(crate) fn counted(believe_proxy: bool, headers: &HeaderMap, peer: Option<Peer>) -> String {
    let hops = headers.get_all("x-forwarded-for").iter().next_back();
    let named = hops.filter(|_| believe_proxy).and_then(|hops| {
        let last = hops.to_str().ok()?.rsplit(',').next()?.trim();
        last.parse::<IpAddr>().ok()
    });
    match named
        .or(peer.map(|peer| peer.0))
        .map(|ip| ip.to_canonical())
    {
        Some(IpAddr::V6(ip)) => {
            let [a, b, c, d, ..] = ip.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        Some(IpAddr::V4(ip)) => ip.to_string(),
        None => String::new(),
    }
}

/// Where an agent speaks from, if that is to be judged.
///
/// A proxy that is known names its client in the last place of `X-Forwarded-For`; what stands
/// before it anybody can have written. A known address that names nobody is not judged, nor is a
/// Unix socket, where a proxy is always in between.
pub fn agent(proxies: &[Network], headers: &HeaderMap, peer: Option<Peer>) -> Option<IpAddr> {
    let is_proxy = |address: IpAddr| proxies.iter().any(|known| known.contains(address));
    let mut from = peer.map(|peer| peer.0.to_canonical());
    if from.is_some_and(|peer| !is_proxy(peer)) {
        return from;
    }
    let values = headers.get_all("x-forwarded-for").iter();
    let texts: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
    let hops: Vec<&str> = texts.iter().flat_map(|text| text.split(',')).collect();
    for hop in hops.iter().rev() {
        from = hop
            .trim()
            .parse()
            .ok()
            .map(|hop: IpAddr| hop.to_canonical());
        match from {
            Some(hop) if is_proxy(hop) => {}
            other => return other,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_a_known_proxy_speaks_for_an_agent() {
        let proxies = ["10.0.0.1".parse().unwrap(), "10.9.0.0/16".parse().unwrap()];
        let from = |peer: &str, hops: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for hop in hops {
                headers.append("x-forwarded-for", HeaderValue::from_static(hop));
            }
            agent(&proxies, &headers, peer.parse().ok().map(Peer))
        };
        let address = |text: &str| Some(text.parse().unwrap());
        assert_eq!(from("10.0.0.7", &["10.0.0.8"]), address("10.0.0.7"));
        assert_eq!(from("::ffff:10.0.0.7", &[]), address("10.0.0.7"));
        // The proxy names its client last; the client wrote the rest itself.
        assert_eq!(
            from("10.0.0.1", &["6.6.6.6, 10.0.0.8"]),
            address("10.0.0.8")
        );
        assert_eq!(
            from("10.0.0.1", &["6.6.6.6", "10.0.0.8"]),
            address("10.0.0.8")
        );
        assert_eq!(
            from("10.9.1.1", &["10.0.0.8, 10.0.0.1"]),
            address("10.0.0.8")
        );
        // Who does not say for whom it speaks is not judged.
        assert_eq!(from("10.0.0.1", &[]), None);
        assert_eq!(from("10.0.0.1", &["unknown"]), None);
        assert_eq!(from("10.9.0.9", &["10.9.0.8"]), None);
        assert_eq!(from("", &[]), None);
        assert_eq!(from("", &["10.0.0.8"]), address("10.0.0.8"));
    }

    #[test]
    fn attempts_are_counted_by_what_a_client_cannot_make_up() {
        let mut headers = HeaderMap::new();
        let hops = HeaderValue::from_static("6.6.6.6, 10.0.0.9");
        headers.insert("x-forwarded-for", hops);
        let peer = |text: &str| text.parse().ok().map(Peer);
        assert_eq!(counted(true, &headers, peer("10.0.0.1")), "10.0.0.9");
        assert_eq!(counted(false, &headers, peer("10.0.0.1")), "10.0.0.1");
        assert_eq!(
            counted(false, &headers, peer("::ffff:10.0.0.1")),
            "10.0.0.1"
        );
        let one = counted(false, &headers, peer("2001:db8:0:1::5"));
        assert_eq!(one, counted(false, &headers, peer("2001:db8:0:1:9::")));
        assert_ne!(one, counted(false, &headers, peer("2001:db8:0:2::5")));
        assert_eq!(counted(false, &headers, None), "");
    }

    #[test]
    fn only_a_believed_proxy_names_the_client() {
        let peer = Some(Peer([127, 0, 0, 1].into()));
        let mut headers = HeaderMap::new();
        assert_eq!(client(true, &headers, None), "");
        assert_eq!(client(true, &headers, peer), "127.0.0.1");
        headers.insert(
            "x-forwarded-for",
            HeaderValue::from_static("10.0.0.9, 10.0.0.1"),
        );
        assert_eq!(client(false, &headers, peer), "127.0.0.1");
        assert_eq!(client(true, &headers, peer), "10.0.0.9");
        let hops = HeaderValue::from_static("proto=https;For=\"[2001:db8::1]\", for=x");
        headers.insert("forwarded", hops);
        assert_eq!(client(true, &headers, peer), "[2001:db8::1]");
    }
}
