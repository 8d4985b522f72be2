//! Networks of instances: what files may say, and the document that becomes of it.

use super::*;
use serde_json::json;

fn parsed(text: &str) -> Result<Networks, String> {
    let value = crate::input::yaml(text).unwrap();
    read(&value).map_err(|error| error.to_string())
}

pub(super) const RACK: &str = "\
links:
  - {name: eno1, mac: '52:54:00:AA:00:01'}
  - {name: eno2, mac: '52:54:00:aa:00:02'}
  - {name: eno3, mac: '52:54:00:aa:00:03', dhcp: [4, slaac]}
bonds:
  - {name: bond0, links: [eno1, eno2], mtu: 9000}
vlans:
  - name: bond0.100
    link: bond0
    id: 100
    addresses: [10.0.0.17/24, 10.0.0.18/24, '2001:db8::17/64']
    gateway: [10.0.0.1, 'fe80::1']
    routes: [{to: 10.1.0.0/16, via: 10.0.0.254}]
dns: [10.0.0.53]
";

#[test]
fn bonds_vlans_and_both_kinds_of_addresses_become_openstacks_document() {
    let networks = parsed(RACK).unwrap();
    assert_eq!(networks.first_address().unwrap().to_string(), "10.0.0.17");
    assert_eq!(
        networks.document(),
        json!({
            "links": [
                {"id": "eno1", "name": "eno1", "type": "phy", "ethernet_mac_address": "52:54:00:aa:00:01"},
                {"id": "eno2", "name": "eno2", "type": "phy", "ethernet_mac_address": "52:54:00:aa:00:02"},
                {"id": "eno3", "name": "eno3", "type": "phy", "ethernet_mac_address": "52:54:00:aa:00:03"},
                {"id": "bond0", "type": "bond", "ethernet_mac_address": "52:54:00:aa:00:01",
                    "bond_links": ["eno1", "eno2"], "bond_mode": "802.3ad", "bond_miimon": 100, "mtu": 9000},
                {"id": "bond0.100", "type": "vlan", "vlan_link": "bond0", "vlan_id": 100,
                    "vlan_mac_address": "52:54:00:aa:00:01"},
            ],
            "networks": [
                {"id": "network0", "link": "eno3", "type": "ipv4_dhcp"},
                {"id": "network1", "link": "eno3", "type": "ipv6_slaac"},
                {"id": "network2", "link": "bond0.100", "type": "ipv4", "ip_address": "10.0.0.17",
                    "netmask": "255.255.255.0", "routes": [
                        {"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "10.0.0.1"},
                        {"network": "10.1.0.0", "netmask": "255.255.0.0", "gateway": "10.0.0.254"}]},
                {"id": "network3", "link": "bond0.100", "type": "ipv4", "ip_address": "10.0.0.18",
                    "netmask": "255.255.255.0"},
                {"id": "network4", "link": "bond0.100", "type": "ipv6", "ip_address": "2001:db8::17",
                    "netmask": "ffff:ffff:ffff:ffff::", "routes": [
                        {"network": "::", "netmask": "::", "gateway": "fe80::1"}]},
            ],
            "services": [{"type": "dns", "address": "10.0.0.53"}],
        })
    );
}

#[test]
fn masks_are_right_at_both_ends() {
    let mask = |text: &str, bits| {
        let address = text.parse().unwrap();
        Prefix { address, bits }.mask().to_string()
    };
    assert_eq!(mask("10.0.0.1", 0), "0.0.0.0");
    assert_eq!(mask("10.0.0.1", 32), "255.255.255.255");
    assert_eq!(mask("::1", 0), "::");
    assert_eq!(mask("::1", 128), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

#[test]
fn what_makes_no_sense_is_told_with_its_place() {
    let card = |rest: &str| format!("links: [{{name: a, mac: '52:54:00:00:00:01'{rest}}}]");
    for (text, why) in [
        ("[]".to_owned(), "it is no object"),
        ("dns: []".to_owned(), "describes no interface"),
        ("bridges: [{}]".to_owned(), "bridges: a config drive cannot"),
        (
            card(", gatway: 10.0.0.1"),
            "links[0]: 'gatway' is not known",
        ),
        (card(", mtu: 5"), "links[0].mtu: it is a number from 576"),
        (card(", addresses: [10.0.0.1]"), "with a prefix length"),
        (card(", addresses: [10.0.0.1/33]"), "with a prefix length"),
        (card(", dhcp: maybe"), "true, 4, 6 or slaac"),
        (
            card(", addresses: [10.0.0.2/24], gateway: 10.0.1.1"),
            "in none of the networks of a",
        ),
        (card(", gateway: 10.0.1.1"), "in none of the networks of a"),
        (
            card(", addresses: [10.0.0.2/24], gateway: [10.0.0.1, 10.0.0.3]"),
            "two gateways",
        ),
        (
            "links: [{name: a, mac: '52-54'}]".to_owned(),
            "links[0].mac",
        ),
        (
            "links: [{name: 'a b', mac: '52:54:00:00:00:01'}]".to_owned(),
            "links[0].name",
        ),
        (
            card("}, {name: a, mac: '52:54:00:00:00:02'"),
            "two interfaces a",
        ),
        (card("}, {name: b, mac: '52:54:00:00:00:01'"), "two cards"),
        (
            card("") + "\nbonds: [{name: b, links: [x]}]",
            "bonds[0]: there is no card x",
        ),
        (
            card("") + "\nbonds: [{name: b, links: []}]",
            "bonds[0].links",
        ),
        (
            card("") + "\nbonds: [{name: b, links: [a], mode: fast}]",
            "bonds[0].mode",
        ),
        (
            card("") + "\nbonds: [{name: b, links: [a]}, {name: c, links: [a]}]",
            "two bonds",
        ),
        (
            card(", dhcp: true") + "\nbonds: [{name: b, links: [a]}]",
            "a card in a bond",
        ),
        (
            card("") + "\nvlans: [{name: v, link: a, id: 4095}]",
            "vlans[0].id",
        ),
        (
            card("") + "\nvlans: [{name: v, link: a}]",
            "vlans[0].id: it is missing",
        ),
        (
            card("") + "\nvlans: [{name: v, link: z, id: 7}]",
            "no card or bond z",
        ),
        (
            card("") + "\nbonds: [{name: b, links: [a]}]\nvlans: [{name: v, link: a, id: 7}]",
            "name the bond",
        ),
    ] {
        let refused = parsed(&text).unwrap_err();
        assert!(refused.contains(why), "{text}: {refused}");
    }
}
