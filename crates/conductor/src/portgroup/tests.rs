//! Port groups and their ports, through a running conductor on a database of its own.

use crate::lab::Lab;
use types::{
    Caller, Conductor, Fault, Node, NodeId, Port, PortId, Portgroup, PortgroupId, ProvisionState,
};

impl Lab {
    async fn group(&self, node: NodeId, network: Option<&str>) -> Portgroup {
        let mut group = Portgroup::new(PortgroupId::generate(), node);
        group.physical_network = network.map(str::to_owned);
        let who = Caller::default();
        self.service.create_portgroup(&who, group).await.unwrap()
    }

    async fn port(
        &self,
        group: &Portgroup,
        last_octet: u8,
        network: Option<&str>,
    ) -> Result<Port, Fault> {
        let address = format!("52:54:00:00:00:{last_octet:02x}");
        let mut port = Port::new(PortId::generate(), group.node, address.parse().unwrap());
        port.portgroup = Some(group.id.to_string());
        port.physical_network = network.map(str::to_owned);
        self.service.create_port(&Caller::default(), port).await
    }

    async fn network(&self, group: &Portgroup) -> Option<String> {
        let found = store::portgroup::find(&self.db, group.id).await.unwrap();
        found.unwrap().physical_network
    }

    async fn update(&self, group: Portgroup) -> Result<Portgroup, Fault> {
        let base = group.version;
        let who = Caller::default();
        self.service.update_portgroup(&who, group, base).await
    }
}

#[tokio::test]
async fn all_ports_of_a_group_are_in_one_network() {
    let lab = Lab::new().await;
    let node = lab.node(|_| ()).await;
    let group = lab.group(node, Some("a")).await;
    let refused = lab.port(&group, 1, None).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "Port with physical network None cannot become a member of port group {} which has ports in physical network a.",
            group.id
        )
    );
    lab.port(&group, 1, Some("a")).await.unwrap();
    let plain = lab.group(node, None).await;
    lab.port(&plain, 2, None).await.unwrap();
    let refused = lab.port(&plain, 3, Some("a")).await;
    assert!(
        matches!(refused, Err(Fault::InvalidState(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_group_takes_over_the_network_of_its_first_port() {
    let lab = Lab::new().await;
    let node = lab.node(|_| ()).await;
    let group = lab.group(node, None).await;
    let port = lab.port(&group, 1, Some("a")).await.unwrap();
    assert_eq!(lab.network(&group).await.as_deref(), Some("a"));
    let stored = store::port::find(&lab.db, port.id).await.unwrap().unwrap();
    assert_eq!(stored.updated_at, None, "the port itself did not change");
    let mut group = store::portgroup::find(&lab.db, group.id).await.unwrap();
    let group = group.as_mut().unwrap();
    group.physical_network = Some("b".into());
    lab.update(group.clone()).await.unwrap();
    let stored = store::port::find(&lab.db, port.id).await.unwrap().unwrap();
    assert_eq!(stored.physical_network.as_deref(), Some("b"));
}

#[tokio::test]
async fn an_empty_group_moves_to_a_node_that_is_not_in_use() {
    let lab = Lab::new().await;
    let node = lab.node(|_| ()).await;
    let in_use = |node: &mut Node| node.provision_state = ProvisionState::Active;
    let active = lab.node(in_use).await;
    let group = lab.group(node, None).await;
    let to = |target: NodeId| Portgroup {
        node: target,
        ..group.clone()
    };
    let refused = lab.update(to(active)).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "Portgroup {} can not be associated to node {active} unless the node is in a enroll, inspecting, inspect wait, manageable state or in maintenance mode. Current state is 'active'.",
            group.id
        )
    );
    let serviced = lab
        .node(|node| {
            in_use(node);
            node.maintenance = true;
        })
        .await;
    let moved = lab.update(to(serviced)).await.unwrap();
    assert_eq!(moved.node, serviced);
    lab.port(&moved, 1, None).await.unwrap();
    let back = Portgroup { node, ..moved };
    let refused = lab.update(back).await.unwrap_err();
    assert_eq!(
        refused,
        Fault::InvalidParameter(format!(
            "Portgroup {} can not be associated with node {node} because there are ports associated with this portgroup.",
            group.id
        ))
    );
}

#[tokio::test]
async fn a_group_with_ports_stays() {
    let lab = Lab::new().await;
    let node = lab.node(|_| ()).await;
    let group = lab.group(node, None).await;
    let port = lab.port(&group, 1, None).await.unwrap();
    let who = Caller::default();
    let refused = lab.service.destroy_portgroup(&who, group.id).await;
    assert_eq!(
        refused,
        Err(Fault::InvalidParameter(format!(
            "Cannot complete the requested action because portgroup {} contains ports.",
            group.row
        )))
    );
    lab.service.destroy_port(&who, port.id).await.unwrap();
    let gone = lab.service.destroy_portgroup(&who, group.id).await;
    assert_eq!(gone, Ok(()));
    let again = lab.service.destroy_portgroup(&who, group.id).await;
    let missing = Fault::PortgroupNotFound(group.id.to_string());
    assert_eq!(again, Err(missing));
}

#[tokio::test]
async fn groups_of_a_reserved_node_stay_as_they_are() {
    let lab = Lab::new().await;
    let node = lab
        .node(|node| node.reservation = Some("elsewhere".into()))
        .await;
    let group = lab.group(node, None).await;
    let locked = lab.update(group.clone()).await;
    assert!(matches!(locked, Err(Fault::Locked { .. })), "{locked:?}");
    let who = Caller::default();
    let locked = lab.service.destroy_portgroup(&who, group.id).await;
    assert!(matches!(locked, Err(Fault::Locked { .. })), "{locked:?}");
}
