//! A boot port from its creation to its end, and a network by its name.

use super::{ask, cloud, make, patience};
use crate::{
    Caller, ConflictCode, Reason,
    neutron::{
        BindingProgress, Neutron, Port, PortFilter, Unbinding,
        body::{self, BootPort, Link, VnicType},
        dhcp::{BootFiles, BootMethod, for_port},
    },
};
use reqwest::Method;
use serde_json::json;
use std::{env, time::Duration};
use types::{JsonMap, port::MacAddress};

const NODE: &str = "7d1d4ac0-4f0a-4c9e-9d3e-0c0c5a8d1a01";

fn link(switch: &str) -> JsonMap {
    let link = json!({
        "switch_id": switch, "port_id": "Ethernet1/41", "switch_info": "lab-switch",
    });
    serde_json::from_value(link).unwrap()
}

async fn settled(neutron: &Neutron, id: &str) -> Port {
    let deadline = patience();
    loop {
        let port = neutron
            .port(id, &Caller::service(), deadline)
            .await
            .unwrap();
        if port.binding_progress() != BindingProgress::Waiting {
            return port;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn a_boot_port_is_made_bound_and_deleted() {
    let Some(services) = cloud() else { return };
    let neutron = services.neutron();
    let caller = Caller::service();
    let name = format!("corten-peers-{}", getrandom::u32().unwrap());
    let network = json!({"network": {"name": name}});
    let network = make(&neutron.session, "/networks", &network).await;
    let network = network["network"]["id"].as_str().unwrap().to_owned();
    let subnet = json!({"subnet": {
        "network_id": network, "ip_version": 4, "cidr": "198.51.100.0/24", "enable_dhcp": false,
    }});
    make(&neutron.session, "/subnets", &subnet).await;

    let by_name = neutron.network(&name, &caller, patience()).await.unwrap();
    let by_id = neutron
        .network(&network, &caller, patience())
        .await
        .unwrap();
    assert_eq!(by_name, by_id);
    let absent = neutron
        .network("no such network", &caller, patience())
        .await;
    assert!(absent.unwrap_err().is_not_found());
    let groups = ["11111111-2222-3333-4444-555555555555".to_owned()];
    let missing = neutron.missing_security_groups(&groups, patience()).await;
    assert_eq!(missing.unwrap(), groups);

    let boot_port = BootPort {
        network: &network,
        device: NODE,
        vnic_type: VnicType::Baremetal,
        security_groups: &[],
        pxe_enabled: true,
        client_id: None,
    };
    let created = neutron
        .create_port(&body::create_boot_port(&boot_port), patience())
        .await;
    let created = created.unwrap();
    assert!(!created.is_bound());
    let mac: MacAddress = "52:54:00:c0:47:e1".parse().unwrap();
    let switch = env::var("CORTEN_TEST_OPENSTACK_SWITCH_ID");
    let connection = link(switch.as_deref().unwrap_or("00:11:22:33:44:55"));
    let physical_network = by_id.physical_networks().first().copied();
    let wired = Link {
        connections: vec![&connection],
        physical_network,
        group: None,
    };
    let bound = body::bind_boot_port(mac, NODE, &wired);
    let bound = neutron
        .change_port(&created.id, &bound, &caller, patience())
        .await;
    assert!(bound.unwrap().is_bound());
    let port = settled(neutron, &created.id).await;
    assert_eq!(port.binding_progress(), BindingProgress::Active, "{port:?}");
    let filter = PortFilter {
        mac_addresses: vec![mac],
        network: Some(network.clone()),
        device: None,
    };
    let listed = neutron.ports(&filter, patience()).await.unwrap();
    assert_eq!(
        listed.iter().map(|port| &port.id).collect::<Vec<_>>(),
        [&port.id]
    );

    let files = BootFiles {
        method: BootMethod::Ipxe,
        tftp_server: "192.0.2.1",
        ipv6_server: None,
        http_url: "http://192.0.2.1:8080",
        boot_file: "snponly.efi",
        ipxe_script: "boot.ipxe",
    };
    let options = for_port(&files, &port).unwrap();
    assert_eq!(options.len(), 5);
    let options = body::set_dhcp_options(&options);
    neutron
        .change_port(&port.id, &options, &caller, patience())
        .await
        .unwrap();

    // A bound port keeps its address until it is unbound.
    let other: MacAddress = "52:54:00:c0:47:e2".parse().unwrap();
    let refused = neutron
        .update_port(&port.id, &body::set_mac(other), patience())
        .await;
    let refused = refused.unwrap_err();
    let is_bound = matches!(
        refused.reason,
        Reason::Conflict {
            code: ConflictCode::PortBound,
            ..
        }
    );
    assert!(is_bound, "{refused:?}");
    let unbound = async |host: &str| {
        let unbound = neutron.unbind_port(&port.id, host, Some(other), &caller, patience());
        unbound.await.unwrap()
    };
    let elsewhere = Unbinding::Elsewhere(NODE.to_owned());
    assert_eq!(unbound("another host").await, elsewhere);
    assert_eq!(unbound(NODE).await, Unbinding::Done);
    let free = neutron.port(&port.id, &caller, patience()).await.unwrap();
    assert!(
        !free.is_bound() && free.mac_address != mac.to_string(),
        "{free:?}"
    );

    // A switch that nobody knows.
    let mut unknown = link("aa:aa:aa:aa:aa:aa");
    unknown.remove("switch_info");
    let wired = Link {
        connections: vec![&unknown],
        ..wired
    };
    let bound = body::bind_boot_port(mac, NODE, &wired);
    neutron
        .update_port(&port.id, &bound, patience())
        .await
        .unwrap();
    let failed = settled(neutron, &port.id).await;
    assert_eq!(
        failed.binding_progress(),
        BindingProgress::Failed,
        "{failed:?}"
    );

    assert!(neutron.delete_port(&port.id, patience()).await.unwrap());
    assert!(!neutron.delete_port(&port.id, patience()).await.unwrap());
    let path = format!("/networks/{network}");
    ask(&neutron.session, Method::DELETE, &path, None)
        .await
        .unwrap();
}
