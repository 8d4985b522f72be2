//! Bodies beside those that Ironic sent.

use super::*;
use crate::neutron::{Port, dhcp::DhcpOption};
use types::{NodeId, PortgroupId};

const NODE: &str = "9c306ece-9213-4eed-87a4-dc0a1a023a10";
const NET: &str = "dd3ad833-7c73-4acc-8ae5-303acbc0acf2";
const CLIENT_ID: &str = "ff:00:00:00:00:00:02:00:00:02:c9:00:7c:fe:90:03:00:29:24:4f";

fn mac() -> MacAddress {
    "52:54:00:00:10:02".parse().unwrap()
}

fn connection(port: &str) -> JsonMap {
    let link = json!({
        "switch_id": "00:11:22:33:44:55", "port_id": port, "switch_info": "lab-switch",
    });
    serde_json::from_value(link).unwrap()
}

#[track_caller]
fn check(body: &PortBody, expected: &Value) {
    assert_eq!(body.document(), json!({"port": expected}));
}

#[test]
fn boot_ports_are_made_in_two_steps() {
    let port = BootPort {
        network: NET,
        device: NODE,
        vnic_type: VnicType::Baremetal,
        security_groups: &[],
        pxe_enabled: true,
        client_id: None,
    };
    let plain = json!({
        "network_id": NET, "admin_state_up": true, "binding:vnic_type": "baremetal",
        "device_id": NODE,
    });
    check(&create_boot_port(&port), &plain);
    let groups = ["cebc866a-4144-4af1-8312-7b34e47701ea".to_owned()];
    let other = BootPort {
        security_groups: &groups,
        pxe_enabled: false,
        client_id: Some(CLIENT_ID),
        ..port
    };
    let mut more = plain;
    more["security_groups"] = json!(groups);
    more["fixed_ips"] = json!([]);
    more["extra_dhcp_opts"] = json!([{"opt_name": "61", "opt_value": CLIENT_ID}]);
    check(&create_boot_port(&other), &more);

    let connection = connection("Ethernet1/2");
    let link = Link {
        connections: vec![&connection],
        physical_network: Some("physnet1"),
        group: None,
    };
    check(
        &bind_boot_port(mac(), NODE, &link),
        &json!({
            "mac_address": "52:54:00:00:10:02", "device_owner": "baremetal:none",
            "binding:host_id": NODE,
            "binding:profile": {
                "local_link_information": [{"switch_id": "00:11:22:33:44:55",
                    "port_id": "Ethernet1/2", "switch_info": "lab-switch"}],
                "physical_network": "physnet1",
            },
        }),
    );
    let empty = JsonMap::new();
    let unknown = Link {
        connections: vec![&empty],
        ..Link::default()
    };
    let body = bind_boot_port(mac(), NODE, &unknown).document();
    assert_eq!(
        body["port"]["binding:profile"],
        json!({"local_link_information": [{}]})
    );
}

#[test]
fn tenant_ports_are_plugged_and_unplugged() {
    let connection = connection("Ethernet1/2");
    let link = Link {
        connections: vec![&connection],
        physical_network: Some("physnet1"),
        group: None,
    };
    check(
        &plug(NODE, Some(mac()), VnicType::Baremetal, &link, None),
        &json!({
            "mac_address": "52:54:00:00:10:02", "binding:host_id": NODE,
            "binding:profile": {
                "local_link_information": [{"switch_id": "00:11:22:33:44:55",
                    "port_id": "Ethernet1/2", "switch_info": "lab-switch"}],
                "physical_network": "physnet1"},
            "binding:vnic_type": "baremetal",
        }),
    );
    check(
        &bind_flat(NODE, Some(mac())),
        &json!({"mac_address": "52:54:00:00:10:02", "binding:vnic_type": "baremetal",
                "binding:host_id": NODE}),
    );
    check(
        &claim_for_host(NODE),
        &json!({"binding:host_id": NODE, "binding:vnic_type": "baremetal", "binding:profile": {}}),
    );
    check(
        &unbind(),
        &json!({"binding:host_id": "", "binding:profile": {}}),
    );
    check(&reset_mac(), &json!({"mac_address": null}));
    check(
        &set_mac(mac()),
        &json!({"mac_address": "52:54:00:00:10:02"}),
    );
    check(
        &set_client_id(Some(CLIENT_ID)),
        &json!({"extra_dhcp_opts": [{"opt_name": "61", "opt_value": CLIENT_ID}]}),
    );
    check(
        &set_client_id(None),
        &json!({"extra_dhcp_opts": [{"opt_name": "61", "opt_value": null}]}),
    );
}

#[test]
fn a_group_is_one_port_with_all_links() {
    let group_id: PortgroupId = "50736b22-c74c-4bdd-83a0-7ba80b89baec".parse().unwrap();
    let mut group = Portgroup::new(group_id, NodeId::generate());
    group.name = Some("bond0".into());
    group.mode = Some("802.3ad".into());
    let properties = json!({"miimon": "100", "bond_xmit_hash_policy": "layer3+4"});
    group.properties = serde_json::from_value(properties).unwrap();
    let connections = [connection("Ethernet1/5"), connection("Ethernet1/6")];
    let link = Link {
        connections: connections.iter().collect(),
        physical_network: Some("physnet1"),
        group: Some(&group),
    };
    // Without an address of the group, that of the port stays.
    check(
        &plug(NODE, None, VnicType::Baremetal, &link, None),
        &json!({
            "binding:host_id": NODE,
            "binding:profile": {
                "local_link_information": [
                    {"switch_id": "00:11:22:33:44:55", "port_id": "Ethernet1/5",
                     "switch_info": "lab-switch"},
                    {"switch_id": "00:11:22:33:44:55", "port_id": "Ethernet1/6",
                     "switch_info": "lab-switch"}],
                "local_group_information": {
                    "id": "50736b22-c74c-4bdd-83a0-7ba80b89baec", "name": "bond0",
                    "bond_mode": "802.3ad",
                    "bond_properties": {"bond_miimon": "100",
                                        "bond_xmit_hash_policy": "layer3+4"}},
                "physical_network": "physnet1"},
            "binding:vnic_type": "baremetal",
        }),
    );
}

#[test]
fn stateful_subnets_get_several_addresses() {
    let document = json!({
        "id": "p", "network_id": "n",
        "fixed_ips": [{"subnet_id": "b840", "ip_address": "2001:db8:1::253"}],
    });
    let port = Port::read(document.to_string().as_bytes()).unwrap();
    check(
        &add_addresses(&port, 4).unwrap(),
        &json!({"fixed_ips": [
            {"subnet_id": "b840", "ip_address": "2001:db8:1::253"},
            {"subnet_id": "b840"}, {"subnet_id": "b840"}, {"subnet_id": "b840"},
        ]}),
    );
    let bare = json!({"id": "p", "network_id": "n"});
    let bare = Port::read(bare.to_string().as_bytes()).unwrap();
    assert_eq!(add_addresses(&bare, 4), None);
}

#[test]
fn dhcp_options_are_written_as_they_are() {
    let option = DhcpOption {
        name: "67".into(),
        value: "bootx64.efi".into(),
        ip_version: 4,
    };
    check(
        &set_dhcp_options(&[option]),
        &json!({"extra_dhcp_opts": [
            {"opt_name": "67", "opt_value": "bootx64.efi", "ip_version": 4}]}),
    );
    check(&set_dhcp_options(&[]), &json!({"extra_dhcp_opts": []}));
}
