//! What a DHCP server granted, read from its answer.

use proto::dhcp::{
    options::{Options, Route, code, routes},
    v4::Message,
};
use std::{net::Ipv4Addr, time::Duration};

/// The smallest size of packets that IPv4 allows a link to have.
const LEAST_MTU: u16 = 68;

/// An address on loan, with what came along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lease {
    pub(super) address: Ipv4Addr,
    pub(super) prefix: u8,
    pub(super) server: Ipv4Addr,
    pub(super) routes: Vec<Route>,
    pub(super) dns: Vec<Ipv4Addr>,
    pub(super) domain: Option<String>,
    pub(super) host_name: Option<String>,
    pub(super) mtu: Option<u16>,
    pub(super) ntp: Vec<Ipv4Addr>,
    /// For how long; `None` is for ever.
    pub(super) lasts: Option<Duration>,
    pub(super) renew_after: Duration,
    pub(super) rebind_after: Duration,
}

impl Lease {
    /// `None` if the answer grants no address.
    pub(super) fn of(answer: &Message) -> Option<Self> {
        let options = &answer.options;
        let address = answer.yiaddr;
        if address.is_unspecified() || address.is_broadcast() || address.is_multicast() {
            return None;
        }
        let mask = options.address(code::SUBNET_MASK).map(Ipv4Addr::to_bits);
        // An invalid mask (not contiguous) is ignored; then the class of the address decides.
        let mask = mask.filter(|mask| mask.leading_ones() == mask.count_ones());
        let prefix = mask.map_or_else(|| class(address), u32::leading_ones);
        let lasts = options
            .u32(code::LEASE_TIME)
            .filter(|seconds| *seconds != u32::MAX)
            .map(|seconds| Duration::from_secs(seconds.max(30).into()));
        let whole = lasts.unwrap_or(Duration::MAX);
        let within = |code, default| {
            let asked = options.u32(code);
            let asked = asked.map(|seconds| Duration::from_secs(seconds.into()));
            // At once would be again and again.
            let usable = asked.filter(|asked| !asked.is_zero() && *asked < whole);
            usable.unwrap_or(default)
        };
        let rebind_after = within(code::REBIND_AFTER, whole.mul_f64(0.875).min(whole));
        let renew_after = within(code::RENEW_AFTER, whole / 2).min(rebind_after);
        Some(Self {
            address,
            prefix: u8::try_from(prefix).unwrap_or(32),
            server: options.address(code::SERVER_ID).unwrap_or(answer.siaddr),
            routes: all_routes(options),
            dns: addresses(options, code::DNS),
            domain: options.text(code::DOMAIN).filter(|text| is_name(text)),
            host_name: options.text(code::HOST_NAME).filter(|text| is_name(text)),
            mtu: options
                .u16(code::INTERFACE_MTU)
                .filter(|mtu| *mtu >= LEAST_MTU),
            ntp: addresses(options, code::NTP),
            lasts,
            renew_after,
            rebind_after,
        })
    }
}

/// RFC 3442: routers do not count where there are classless routes.
fn all_routes(options: &Options) -> Vec<Route> {
    if let Some(Ok(routes)) = options.get(code::CLASSLESS_ROUTES).map(routes)
        && !routes.is_empty()
    {
        return routes;
    }
    let first = addresses(options, code::ROUTER).into_iter().next();
    let default = first.map(|gateway| Route {
        network: Ipv4Addr::UNSPECIFIED,
        prefix: 0,
        gateway,
    });
    default.into_iter().collect()
}

fn addresses(options: &Options, code: u8) -> Vec<Ipv4Addr> {
    let bytes = options.get(code).unwrap_or_default();
    let (all, _) = bytes.as_chunks::<4>();
    all.iter().map(|octets| Ipv4Addr::from(*octets)).collect()
}

fn class(address: Ipv4Addr) -> u32 {
    match address.octets()[0] {
        0..=127 => 8,
        128..=191 => 16,
        _ => 24,
    }
}

/// Names go into files that programs read line by line.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !text.is_empty() && text.len() <= 253 && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::dhcp::{options::write_routes, v4::MessageType};

    fn answer() -> Message {
        let request = Message::request(MessageType::Request, 7, [2, 0, 0, 0, 0, 1]);
        let mut answer = request.reply(MessageType::Ack, Ipv4Addr::new(10, 0, 0, 1));
        answer.yiaddr = Ipv4Addr::new(10, 0, 0, 9);
        answer
    }

    #[test]
    fn everything_that_a_server_says() {
        let mut answer = answer();
        let gateway = Ipv4Addr::new(10, 0, 0, 254);
        let options = &mut answer.options;
        options.set_address(code::SUBNET_MASK, Ipv4Addr::new(255, 255, 252, 0));
        options.set_addresses(code::ROUTER, &[gateway]);
        options.set_addresses(code::DNS, &[gateway, Ipv4Addr::LOCALHOST]);
        options.set(code::HOST_NAME, "node-1");
        options.set(code::DOMAIN, "a b\nnameserver 1.2.3.4");
        options.set(code::INTERFACE_MTU, 9000u16.to_be_bytes());
        options.set_u32(code::LEASE_TIME, 3600);
        let lease = Lease::of(&answer).unwrap();
        assert_eq!(lease.prefix, 22);
        assert_eq!(lease.server, Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(lease.routes.len(), 1);
        assert_eq!(
            (lease.routes[0].prefix, lease.routes[0].gateway),
            (0, gateway)
        );
        assert_eq!(lease.dns.len(), 2);
        assert_eq!(lease.host_name.as_deref(), Some("node-1"));
        assert_eq!(lease.domain, None);
        assert_eq!(lease.mtu, Some(9000));
        assert_eq!(lease.renew_after, Duration::from_secs(1800));
        assert_eq!(lease.rebind_after, Duration::from_secs(3150));
    }

    #[test]
    fn classless_routes_win_over_routers() {
        let mut answer = answer();
        let route = Route {
            network: Ipv4Addr::new(192, 168, 7, 0),
            prefix: 24,
            gateway: Ipv4Addr::new(10, 0, 0, 3),
        };
        let options = &mut answer.options;
        options.set_addresses(code::ROUTER, &[Ipv4Addr::new(10, 0, 0, 1)]);
        options.set(code::CLASSLESS_ROUTES, write_routes(&[route]));
        assert_eq!(Lease::of(&answer).unwrap().routes, [route]);
    }

    #[test]
    fn a_lease_without_an_end_or_an_address() {
        let mut answer = answer();
        let lease = Lease::of(&answer).unwrap();
        assert_eq!((lease.prefix, lease.lasts), (8, None));
        assert!(lease.renew_after > Duration::from_secs(1 << 40));
        answer.options.set_u32(code::LEASE_TIME, 1);
        answer.options.set_u32(code::RENEW_AFTER, u32::MAX);
        let lease = Lease::of(&answer).unwrap();
        assert_eq!(lease.lasts, Some(Duration::from_secs(30)));
        assert_eq!(lease.renew_after, Duration::from_secs(15));
        answer.options.set_u32(code::RENEW_AFTER, 0);
        let lease = Lease::of(&answer).unwrap();
        assert_eq!(lease.renew_after, Duration::from_secs(15));
        answer.yiaddr = Ipv4Addr::UNSPECIFIED;
        assert_eq!(Lease::of(&answer), None);
    }
}
