//! A node while what a ramdisk found is processed: everything that hooks and rules may change.
//!
//! Nothing here talks to the database. Hooks and rules work on these values one after the other;
//! what came of it is written once, at the end ([`Subject::findings`]).

use std::collections::HashSet;
use store::inspection::Findings;
use types::{Inventory, JsonMap, Node, Port, PortId, port::MacAddress};

/// A node, its ports, and the data about it.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// Secrets are open in here. They are sealed again when the node is written.
    pub(crate) node: Node,
    /// The ports that the node has by now.
    pub(crate) ports: Vec<Port>,
    /// Addresses that belong to ports of other nodes.
    pub(crate) taken: HashSet<MacAddress>,
    /// What the ramdisk found.
    pub(crate) inventory: JsonMap,
    /// What its collectors sent, and what hooks and rules make of it.
    pub(crate) plugin_data: JsonMap,
    /// The inventory of the inspection before.
    pub(crate) previous: Option<JsonMap>,
    /// The ports as they were found.
    before: Vec<Port>,
}

impl Subject {
    pub(crate) fn new(node: Node, ports: Vec<Port>, data: Inventory) -> Self {
        Self {
            node,
            before: ports.clone(),
            ports,
            taken: HashSet::new(),
            inventory: data.inventory,
            plugin_data: data.plugin_data,
            previous: None,
        }
    }

    /// The node's port with this address.
    pub(crate) fn port_mut(&mut self, address: &MacAddress) -> Option<&mut Port> {
        self.ports.iter_mut().find(|port| port.address == *address)
    }

    /// Adds a port unless its address is taken, as whoever creates ports by hand would.
    pub(crate) fn add_port(&mut self, port: Port) {
        let known = self.ports.iter().any(|p| p.address == port.address);
        if known || self.taken.contains(&port.address) {
            tracing::debug!(node = %self.node.id, address = %port.address, "the port exists already");
            return;
        }
        tracing::info!(node = %self.node.id, address = %port.address, "inspection adds a port");
        self.ports.push(port);
    }

    /// What is to be written beside the node.
    pub(crate) fn findings(&self, inventory: Option<Inventory>) -> Findings {
        let old = |id: PortId| self.before.iter().find(|port| port.id == id);
        let (added, kept): (Vec<&Port>, Vec<&Port>) =
            self.ports.iter().partition(|port| old(port.id).is_none());
        let changed = kept
            .into_iter()
            .filter(|port| old(port.id) != Some(port))
            .cloned()
            .collect();
        let gone = |port: &&Port| self.ports.iter().all(|p| p.id != port.id);
        Findings {
            added: added.into_iter().cloned().collect(),
            changed,
            removed: self.before.iter().filter(gone).map(|p| p.id).collect(),
            inventory,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::{Value, json};
    use types::NodeId;

    pub(in crate::inspection) fn map(value: Value) -> JsonMap {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is no object"),
        }
    }

    pub(in crate::inspection) fn mac(last: u8) -> MacAddress {
        format!("52:54:00:00:00:{last:02x}").parse().unwrap()
    }

    /// A machine with one port, 52:54:00:00:00:01, that found this.
    pub(in crate::inspection) fn subject(inventory: Value, plugin_data: Value) -> Subject {
        let id: NodeId = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123".parse().unwrap();
        let node = Node::new(id, "fake-hardware");
        let port = Port::new(PortId::generate(), id, mac(1));
        let data = Inventory {
            inventory: map(inventory),
            plugin_data: map(plugin_data),
        };
        Subject::new(node, vec![port], data)
    }

    #[test]
    fn findings_are_what_differs() {
        let mut subject = subject(json!({}), json!({}));
        assert_eq!(subject.findings(None), Findings::default());
        let id = subject.node.id;
        subject.taken.insert(mac(3));
        for last in [1, 2, 2, 3] {
            subject.add_port(Port::new(PortId::generate(), id, mac(last)));
        }
        subject.ports[0].pxe_enabled = false;
        let findings = subject.findings(None);
        assert_eq!(findings.changed, subject.ports[..1]);
        assert_eq!(findings.added, subject.ports[1..]);
        assert_eq!(findings.added.len(), 1);
        let first = subject.ports.remove(0);
        assert_eq!(subject.findings(None).removed, [first.id]);
    }
}
