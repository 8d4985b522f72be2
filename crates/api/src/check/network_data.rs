//! `network_data`: the network configuration that a node gets on its config drive, in the format
//! that OpenStack instances know.
//!
//! Keys that the format does not have are let through, as in Ironic.

use crate::schema::{self, Pattern, Schema, Type};
use serde_json::Value;
use std::net::{Ipv4Addr, Ipv6Addr};

const TEXT: Schema = Schema::of(&[Type::String]);

const fn one_of(options: &'static [&'static str]) -> Schema {
    Schema {
        types: &[Type::String],
        options,
        ..Schema::ANY
    }
}

const fn matching(text: &'static str, test: fn(&str) -> bool) -> Schema {
    Schema {
        types: &[Type::String],
        pattern: Some(Pattern { text, test }),
        ..Schema::ANY
    }
}

const fn object(
    properties: &'static [(&'static str, Schema)],
    required: &'static [&'static str],
) -> Schema {
    Schema {
        types: &[Type::Object],
        required,
        properties,
        ..Schema::ANY
    }
}

const fn list(items: &'static Schema) -> Schema {
    Schema {
        types: &[Type::Array],
        items: Some(items),
        ..Schema::ANY
    }
}

const MAC: Schema = matching("(?i)^([0-9A-F]{2}[:-]){5}([0-9A-F]{2})$", is_mac);
const MTU: Schema = Schema {
    any_of: &[
        Schema {
            types: &[Type::Number],
            minimum: Some(1),
            maximum: Some(65535),
            ..Schema::ANY
        },
        Schema::of(&[Type::Null]),
    ],
    ..Schema::ANY
};

const LINK: Schema = object(
    &[
        ("id", TEXT),
        ("ethernet_mac_address", MAC),
        ("mtu", MTU),
        (
            "type",
            one_of(&[
                "bridge",
                "dvs",
                "hw_veb",
                "hyperv",
                "ovs",
                "tap",
                "vhostuser",
                "vif",
                "phy",
            ]),
        ),
        ("vif_id", TEXT),
    ],
    &["ethernet_mac_address", "id", "type"],
);

const BOND: Schema = object(
    &[
        ("id", TEXT),
        ("ethernet_mac_address", MAC),
        ("mtu", MTU),
        ("type", one_of(&["bond"])),
        ("vif_id", TEXT),
        (
            "bond_mode",
            one_of(&[
                "802.3ad",
                "balance-rr",
                "active-backup",
                "balance-xor",
                "broadcast",
                "balance-tlb",
                "balance-alb",
            ]),
        ),
        ("bond_links", list(&TEXT)),
    ],
    &[
        "ethernet_mac_address",
        "id",
        "type",
        "bond_mode",
        "bond_links",
    ],
);

const VLAN: Schema = object(
    &[
        ("id", TEXT),
        ("vlan_mac_address", MAC),
        ("mtu", MTU),
        ("type", one_of(&["vlan"])),
        ("vif_id", TEXT),
        ("vlan_id", Schema::of(&[Type::Integer])),
        ("vlan_link", TEXT),
    ],
    &["vlan_mac_address", "id", "type", "vlan_link", "vlan_id"],
);

// The texts of the patterns are what clients read; the functions are what decides.
const V4_HOST: Schema = matching(
    r"^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$",
    is_v4,
);
const V4_MASK: Schema = matching(
    r"^(254|252|248|240|224|192|128|0)\.0\.0\.0|255\.(254|252|248|240|224|192|128|0)\.0\.0|255\.255\.(254|252|248|240|224|192|128|0)\.0|255\.255\.255\.(254|252|248|240|224|192|128|0)$",
    is_v4_mask,
);
const V4_NETWORK: Schema = matching(
    r"^(([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\.){3}([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$",
    is_v4,
);
const V6_HOST: Schema = matching("an IPv6 address", is_v6_host);
const V6_ANY: Schema = matching("an IPv6 address", is_v6);

const V4_SERVICE: Schema = object(
    &[("address", V4_HOST), ("type", one_of(&["dns"]))],
    &["address", "type"],
);
const V6_SERVICE: Schema = object(
    &[("address", V6_HOST), ("type", one_of(&["dns"]))],
    &["address", "type"],
);

const V4_ROUTE: Schema = object(
    &[
        ("network", V4_NETWORK),
        ("netmask", V4_MASK),
        ("gateway", V4_HOST),
        ("services", list(&V4_SERVICE)),
    ],
    &["gateway", "netmask", "network"],
);
const V6_ROUTE: Schema = object(
    &[
        ("network", V6_ANY),
        ("netmask", V6_ANY),
        ("gateway", V6_ANY),
        ("services", list(&V6_SERVICE)),
    ],
    &["gateway", "netmask", "network"],
);

const NETWORK_KEYS: &[&str] = &["id", "link", "network_id", "type"];

const V4: Schema = object(
    &[
        ("id", TEXT),
        ("link", TEXT),
        ("network_id", TEXT),
        ("type", one_of(&["ipv4", "ipv4_dhcp"])),
        ("ip_address", V4_HOST),
        ("netmask", V4_MASK),
        ("routes", list(&V4_ROUTE)),
    ],
    NETWORK_KEYS,
);
const V6: Schema = object(
    &[
        ("id", TEXT),
        ("link", TEXT),
        ("network_id", TEXT),
        ("type", one_of(&["ipv6", "ipv6_dhcp", "ipv6_slaac"])),
        ("ip_address", V6_HOST),
        ("netmask", V6_ANY),
        ("routes", list(&V6_ROUTE)),
    ],
    NETWORK_KEYS,
);

/// The shape of `network_data`.
pub(crate) const SCHEMA: Schema = object(
    &[
        (
            "links",
            list(&Schema {
                one_of: &[LINK, BOND, VLAN],
                ..Schema::ANY
            }),
        ),
        (
            "networks",
            list(&Schema {
                one_of: &[V4, V6],
                ..Schema::ANY
            }),
        ),
        (
            "services",
            list(&Schema {
                any_of: &[V4_SERVICE, V6_SERVICE],
                ..Schema::ANY
            }),
        ),
    ],
    &["links", "networks", "services"],
);

/// Judges a value that a patch puts in the place of `network_data`.
pub(crate) fn check(data: &Value, schema: &Schema) -> Result<(), String> {
    match schema::violation(data, schema) {
        None => Ok(()),
        // The blank at the end is Ironic's.
        Some(found) => Err(format!("Invalid network_data: {} ", found.message)),
    }
}

fn is_mac(text: &str) -> bool {
    let octets: Vec<&str> = text.split([':', '-']).collect();
    octets.len() == 6
        && octets
            .iter()
            .all(|octet| octet.len() == 2 && octet.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_v4(text: &str) -> bool {
    let octets: Vec<&str> = text.split('.').collect();
    let fits = |octet: &str| {
        (1..=3).contains(&octet.len())
            && octet.bytes().all(|b| b.is_ascii_digit())
            && octet.parse::<u8>().is_ok()
    };
    octets.len() == 4 && octets.into_iter().all(fits)
}

/// Ones from the left, then zeros; not all of them ones.
fn is_v4_mask(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok_and(|mask| {
        let bits = u32::from(mask);
        bits.leading_ones() + bits.trailing_zeros() >= 32 && bits != u32::MAX
    })
}

fn is_v6(text: &str) -> bool {
    // A zone belongs to link-local addresses.
    let address = match text.split_once('%') {
        Some((address, zone)) if address.starts_with("fe80:") && !zone.is_empty() => address,
        Some(_) => return false,
        None => text,
    };
    address.parse::<Ipv6Addr>().is_ok()
}

/// An address with or without the length of its prefix.
fn is_v6_host(text: &str) -> bool {
    match text.split_once('/') {
        Some((address, length)) => {
            let digits = length.bytes().all(|b| b.is_ascii_digit());
            is_v6(address) && digits && (1..=2).contains(&length.len())
        }
        None => is_v6(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sample() -> Value {
        json!({
            "links": [
                {"id": "p0", "type": "phy", "ethernet_mac_address": "52:54:00:11:11:11", "mtu": null},
                {"id": "b0", "type": "bond", "ethernet_mac_address": "52-54-00-11-11-12",
                 "bond_mode": "802.3ad", "bond_links": ["p0"], "vif_id": "v", "extra": 1},
                {"id": "v0", "type": "vlan", "vlan_mac_address": "52:54:00:11:11:13",
                 "vlan_link": "b0", "vlan_id": 7, "mtu": 1500},
            ],
            "networks": [
                {"id": "n0", "type": "ipv4", "link": "p0", "network_id": "a",
                 "ip_address": "192.0.2.7", "netmask": "255.255.252.0",
                 "routes": [{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "192.0.2.1"}]},
                {"id": "n1", "type": "ipv6", "link": "v0", "network_id": "b",
                 "ip_address": "2001:db8::7/64", "netmask": "ffff:ffff::",
                 "routes": [{"network": "::", "netmask": "::", "gateway": "fe80::1%eth0"}]},
            ],
            "services": [{"type": "dns", "address": "192.0.2.53"},
                         {"type": "dns", "address": "2001:db8::53"}],
        })
    }

    #[test]
    fn a_rich_configuration_is_fine() {
        assert_eq!(check(&sample(), &SCHEMA), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(
            check(&json!({}), &SCHEMA),
            Err("Invalid network_data: 'links' is a required property ".into())
        );
        assert_eq!(
            check(&Value::Null, &SCHEMA),
            Err("Invalid network_data: None is not of type 'object' ".into())
        );
        let broken = |pointer: &str, value: Value| {
            let mut data = sample();
            *data.pointer_mut(pointer).unwrap() = value;
            check(&data, &SCHEMA).is_err()
        };
        assert!(broken("/links/0/type", json!("nope")));
        assert!(broken("/links/1/bond_mode", json!("nope")));
        assert!(broken("/links/2/vlan_id", json!("7")));
        assert!(broken("/networks/0/ip_address", json!("192.0.2.256")));
        assert!(broken("/networks/0/netmask", json!("255.0.255.0")));
        assert!(broken("/networks/1/ip_address", json!("192.0.2.7")));
        assert!(broken("/services/0/type", json!("ntp")));
        assert!(broken("/services", json!({})));
    }

    #[test]
    fn addresses() {
        for good in ["2001:db8::1", "::", "::ffff:192.0.2.1", "fe80::1%eth0"] {
            assert!(is_v6(good), "{good}");
        }
        for bad in ["", "1.2.3.4", "2001:db8::1%eth0", "::1/64", "g::"] {
            assert!(!is_v6(bad), "{bad}");
        }
        for (mask, fine) in [
            ("255.255.255.0", true),
            ("0.0.0.0", true),
            ("255.255.255.255", false),
            ("255.0.255.0", false),
            ("x", false),
        ] {
            assert_eq!(is_v4_mask(mask), fine, "{mask}");
        }
    }
}
