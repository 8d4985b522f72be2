//! The file as it is written, taken apart. A word that is not known is an error: a mistyped
//! `gatway` would otherwise be a machine without a route.

use std::net::IpAddr;

use serde_json::{Map, Value};

use super::{Dhcp, Interface, LinkKind, MOST, Networks, Prefix, Route, Wrong, wrong};

/// What every interface may have.
const COMMON: &[&str] = &["name", "mtu", "dhcp", "addresses", "gateway", "routes"];
const MODES: &[&str] = &[
    "balance-rr",
    "active-backup",
    "balance-xor",
    "broadcast",
    "802.3ad",
    "balance-tlb",
    "balance-alb",
];

pub(super) fn networks(value: &Value) -> Result<Networks, Wrong> {
    let Some(file) = value.as_object() else {
        return wrong("", "it is no object with links, bonds, vlans and dns");
    };
    if file.contains_key("bridges") {
        return wrong(
            "bridges",
            "a config drive cannot describe bridges; make them by user data",
        );
    }
    known(file, &["links", "bonds", "vlans", "dns"], "")?;
    let mut interfaces = Vec::new();
    for (section, own) in [
        ("links", &["mac"][..]),
        ("bonds", &["links", "mode"]),
        ("vlans", &["link", "id"]),
    ] {
        for (index, item) in list(file, section, "")?.iter().enumerate() {
            let place = format!("{section}[{index}]");
            let Some(item) = item.as_object() else {
                return wrong(&place, "it is no object");
            };
            known(item, &[COMMON, own].concat(), &place)?;
            let kind = match section {
                "links" => LinkKind::Card {
                    mac: mac(text(item, "mac", &place)?, &place)?,
                },
                "bonds" => bond(item, &place)?,
                _ => vlan(item, &place)?,
            };
            interfaces.push(interface(item, kind, place)?);
        }
    }
    let dns = list(file, "dns", "")?;
    let dns = dns.iter().map(|value| address(value, "dns"));
    Ok(Networks {
        interfaces,
        dns: dns.collect::<Result<_, _>>()?,
    })
}

fn interface(item: &Map<String, Value>, kind: LinkKind, place: String) -> Result<Interface, Wrong> {
    let name = text(item, "name", &place)?.to_owned();
    let is_name = name.len() <= 15
        && !matches!(name.as_str(), "" | "." | "..")
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b".-_".contains(&b));
    if !is_name {
        let why = "a name has 1 to 15 letters, digits, dots, hyphens and underscores";
        return wrong(&format!("{place}.name"), why);
    }
    let mtu = number(item, "mtu", 576..=65_535, &place)?;
    let addresses = list(item, "addresses", &place)?;
    let addresses = addresses
        .iter()
        .map(|value| prefix(value, &format!("{place}.addresses")));
    let gateways = match item.get("gateway") {
        Some(Value::Array(many)) => many.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    let gateways = gateways
        .iter()
        .map(|value| address(value, &format!("{place}.gateway")));
    let routes = list(item, "routes", &place)?;
    let routes = routes.iter().enumerate().map(|(index, value)| {
        let place = format!("{place}.routes[{index}]");
        let Some(route) = value.as_object() else {
            return wrong(&place, "a route has to and via");
        };
        known(route, &["to", "via"], &place)?;
        Ok(Route {
            to: prefix(
                route.get("to").unwrap_or(&Value::Null),
                &format!("{place}.to"),
            )?,
            via: address(
                route.get("via").unwrap_or(&Value::Null),
                &format!("{place}.via"),
            )?,
        })
    });
    Ok(Interface {
        kind,
        mtu,
        dhcp: dhcp(item.get("dhcp"), &place)?,
        addresses: addresses.collect::<Result<_, _>>()?,
        gateways: gateways.collect::<Result<_, _>>()?,
        routes: routes.collect::<Result<_, _>>()?,
        name,
        place,
    })
}

fn bond(item: &Map<String, Value>, place: &str) -> Result<LinkKind, Wrong> {
    let links = list(item, "links", place)?;
    let links: Option<Vec<String>> = links
        .iter()
        .map(|link| link.as_str().map(str::to_owned))
        .collect();
    let Some(links) = links.filter(|links| !links.is_empty()) else {
        return wrong(&format!("{place}.links"), "it is a list of names of links");
    };
    let mode = match item.get("mode") {
        None => "802.3ad",
        Some(_) => text(item, "mode", place)?,
    };
    if !MODES.contains(&mode) {
        let why = format!("there are {}", MODES.join(", "));
        return wrong(&format!("{place}.mode"), why);
    }
    Ok(LinkKind::Bond {
        links,
        mode: mode.to_owned(),
    })
}

fn vlan(item: &Map<String, Value>, place: &str) -> Result<LinkKind, Wrong> {
    let Some(id) = number(item, "id", 1..=4094, place)? else {
        return wrong(&format!("{place}.id"), "it is missing");
    };
    Ok(LinkKind::Vlan {
        link: text(item, "link", place)?.to_owned(),
        id,
    })
}

/// `true` or `4` for DHCP, `6` for DHCPv6, `slaac` for what routers announce; or a list of these.
fn dhcp(value: Option<&Value>, place: &str) -> Result<Vec<Dhcp>, Wrong> {
    let one = |value: &Value| match value {
        Value::Bool(true) => Ok(Dhcp::V4),
        Value::Number(number) if number.as_u64() == Some(4) => Ok(Dhcp::V4),
        Value::Number(number) if number.as_u64() == Some(6) => Ok(Dhcp::V6),
        Value::String(word) if word == "slaac" => Ok(Dhcp::Slaac),
        _ => wrong(&format!("{place}.dhcp"), "it is true, 4, 6 or slaac"),
    };
    match value {
        None | Some(Value::Bool(false)) => Ok(Vec::new()),
        Some(Value::Array(many)) if many.len() <= 3 => many.iter().map(one).collect(),
        Some(value) => Ok(vec![one(value)?]),
    }
}

fn known(object: &Map<String, Value>, names: &[&str], place: &str) -> Result<(), Wrong> {
    match object.keys().find(|key| !names.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let key: String = key.chars().take(40).collect();
            let why = format!("'{key}' is not known; there are {}", names.join(", "));
            wrong(place, why)
        }
    }
}

fn list<'a>(object: &'a Map<String, Value>, name: &str, place: &str) -> Result<&'a [Value], Wrong> {
    let place = match place.is_empty() {
        true => name.to_owned(),
        false => format!("{place}.{name}"),
    };
    match object.get(name) {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(items)) if items.len() <= MOST => Ok(items),
        Some(Value::Array(_)) => wrong(&place, format!("it has more than {MOST} entries")),
        Some(_) => wrong(&place, "it is no list"),
    }
}

fn text<'a>(object: &'a Map<String, Value>, name: &str, place: &str) -> Result<&'a str, Wrong> {
    match object.get(name).and_then(Value::as_str) {
        Some(text) => Ok(text),
        None => wrong(&format!("{place}.{name}"), "it must be a text"),
    }
}

fn number(
    object: &Map<String, Value>,
    name: &str,
    range: std::ops::RangeInclusive<u64>,
    place: &str,
) -> Result<Option<u64>, Wrong> {
    let Some(value) = object.get(name) else {
        return Ok(None);
    };
    match value.as_u64().filter(|number| range.contains(number)) {
        Some(number) => Ok(Some(number)),
        None => {
            let why = format!("it is a number from {} to {}", range.start(), range.end());
            wrong(&format!("{place}.{name}"), why)
        }
    }
}

fn mac(text: &str, place: &str) -> Result<String, Wrong> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_byte =
        |part: &&str| part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_hexdigit());
    match parts.len() == 6 && parts.iter().all(is_byte) {
        true => Ok(text.to_ascii_lowercase()),
        false => wrong(
            &format!("{place}.mac"),
            "it is no MAC address such as 52:54:00:01:02:03",
        ),
    }
}

fn address(value: &Value, place: &str) -> Result<IpAddr, Wrong> {
    let parsed = value.as_str().and_then(|text| text.parse().ok());
    parsed.map_or_else(|| wrong(place, "it is no IP address"), Ok)
}

fn prefix(value: &Value, place: &str) -> Result<Prefix, Wrong> {
    let text = value.as_str().unwrap_or_default();
    let parsed = text.split_once('/').and_then(|(address, bits)| {
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits: u8 = bits.parse().ok()?;
        (bits <= most).then_some(Prefix { address, bits })
    });
    let why = "it is no address with a prefix length, such as 10.0.0.17/24";
    parsed.map_or_else(|| wrong(place, why), Ok)
}
