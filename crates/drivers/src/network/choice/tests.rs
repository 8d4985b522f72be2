//! Which port or port group a virtual interface gets.

use super::*;
use serde_json::json;
use types::{JsonMap, Node, NodeId, PortId, Portgroup, PortgroupId};

struct Lab {
    node: Node,
    ports: Vec<Port>,
    groups: Vec<Portgroup>,
}

impl Lab {
    fn new() -> Self {
        Self {
            node: Node::new(NodeId::generate(), "fake-hardware"),
            ports: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// A wired port; the text says its physical network.
    fn port(&mut self, network: Option<&str>) -> &mut Port {
        let last = u8::try_from(self.ports.len()).unwrap();
        let mac = [0x52, 0x54, 0, 0, 0, last].into();
        let mut port = Port::new(PortId::generate(), self.node.id, mac);
        let link = json!({"switch_id": "s", "port_id": "p"});
        port.local_link_connection = link.as_object().cloned().unwrap();
        port.physical_network = network.map(str::to_owned);
        self.ports.push(port);
        self.ports.last_mut().unwrap()
    }

    fn group(&mut self, members: &[usize]) -> PortgroupId {
        let group = Portgroup::new(PortgroupId::generate(), self.node.id);
        for &member in members {
            self.ports[member].portgroup = Some(group.id.to_string());
        }
        let id = group.id;
        self.groups.push(group);
        id
    }

    fn choose(
        &mut self,
        networks: &[&str],
        only: Option<String>,
    ) -> Result<VifHolder, DriverError> {
        let info = JsonMap::new();
        let machine =
            Machine::new(&mut self.node, &info, &self.ports).with_portgroups(&self.groups, true);
        let wish = Wish {
            vif: "v",
            physical_networks: networks.iter().map(|&name| name.to_owned()).collect(),
            only,
        };
        choose(Style::Neutron, &machine, &wish)
    }

    #[track_caller]
    fn takes_port(&mut self, networks: &[&str], expected: usize) {
        let holder = VifHolder::Port(self.ports[expected].id);
        assert_eq!(self.choose(networks, None).unwrap(), holder);
    }

    fn occupy(&mut self, port: usize) {
        let vif = json!({"tenant_vif_port_id": "other"});
        self.ports[port].internal_info = vif.as_object().cloned().unwrap();
    }
}

#[test]
fn the_physical_network_counts_first_then_whether_a_machine_boots_from_it() {
    let mut lab = Lab::new();
    lab.port(None);
    lab.port(Some("a")).pxe_enabled = false;
    lab.port(Some("a"));
    lab.port(Some("b"));
    lab.takes_port(&["a"], 2);
    lab.takes_port(&["b"], 3);
    lab.takes_port(&["c"], 0);
    // A network without a physical one can be reached from anywhere.
    lab.takes_port(&[], 2);
    let second = lab.ports[1].id;
    let chosen = lab.choose(&["a"], Some(second.to_string())).unwrap();
    assert_eq!(chosen, VifHolder::Port(second));
}

#[test]
fn a_group_is_used_as_a_whole_unless_a_member_is_used_alone() {
    let mut lab = Lab::new();
    for _ in 0..3 {
        lab.port(None);
    }
    let group = lab.group(&[0, 1]);
    assert_eq!(lab.choose(&[], None).unwrap(), VifHolder::Group(group));
    lab.occupy(0);
    lab.takes_port(&[], 1);
    lab.occupy(1);
    lab.takes_port(&[], 2);
}

#[test]
fn members_of_a_group_are_on_one_physical_network() {
    let mut lab = Lab::new();
    lab.port(Some("a"));
    lab.port(None);
    let group = lab.group(&[0, 1]);
    let error = lab.choose(&["a"], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "Port group {group} has member ports with inconsistent physical networks (None, a). All ports in a port group must have the same physical network."
        )
    );
}

#[test]
fn what_is_taken_or_not_wired_is_no_choice() {
    let mut lab = Lab::new();
    lab.port(None).local_link_connection.clear();
    let error = lab.choose(&[], None).unwrap_err();
    let text = "Unable to attach VIF v, not enough free physical ports.";
    assert_eq!(error.to_string(), text);
    assert!(matches!(error, DriverError::InvalidParameter(_)));
    lab.port(None);
    lab.takes_port(&[], 1);
    let vif = json!({"tenant_vif_port_id": "v"});
    lab.ports[1].internal_info = vif.as_object().cloned().unwrap();
    let error = lab.choose(&[], None).unwrap_err();
    let text = format!(
        "Unable to attach VIF because VIF v is already attached to Ironic Port {}",
        lab.ports[1].id
    );
    assert_eq!(error.to_string(), text);
    assert!(matches!(error, DriverError::Conflict(_)));
}
