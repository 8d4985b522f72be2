//! The methods of [`Conductor`], one call each.

use super::{Remote, broken};
use crate::call::{Place, Request as R};
use std::net::IpAddr;
use types::{
    Allocation, AllocationId, Caller, Conductor, Fault, Inventory, JsonMap, Node, NodeId, Port,
    PortId, Portgroup, PortgroupId, PowerTarget, VolumeConnector, VolumeConnectorId, VolumeTarget,
    VolumeTargetId,
    console::{ConsoleLine, ConsoleWish},
    progress::{Live, Progress},
    recording::Recording,
    rpc::{
        BootDevice, ConsoleState, Heartbeat, Indicator, NodeUpdate, ProvisionRequest, Validation,
        VendorAnswer, VendorMethod, VirtualMedia, WRONG_TOKEN,
    },
    status::ConductorReport,
};

#[async_trait::async_trait]
impl Conductor for Remote {
    fn owner(&self, node: NodeId, driver: &str, group: &str) -> Option<String> {
        self.view.owner(node, driver, group)
    }

    async fn check_served(&self, node: NodeId, driver: &str, group: &str) -> Result<(), Fault> {
        let (driver, group) = (driver.to_owned(), group.to_owned());
        let place = Place::Node {
            node,
            driver,
            group,
        };
        self.find(&place).await.map(|_| ())
    }

    fn is_alive(&self, host: &str) -> Option<bool> {
        self.view.is_alive(host)
    }

    fn shares(&self, driver: &str, group: &str) -> Vec<(String, f64)> {
        self.view.shares(driver, group)
    }

    async fn report(&self, host: &str) -> Result<ConductorReport, Fault> {
        self.ask_about(host).await
    }

    async fn create_node(&self, who: &Caller, node: Node) -> Result<Node, Fault> {
        let place = Place::of(&node);
        self.call(place, who, R::CreateNode(Box::new(node))).await
    }

    async fn update_node(&self, who: &Caller, update: NodeUpdate) -> Result<Node, Fault> {
        let place = Place::of(&update.node);
        self.call(place, who, R::UpdateNode(Box::new(update))).await
    }

    async fn destroy_node(&self, who: &Caller, node: NodeId) -> Result<(), Fault> {
        self.on_node(who, node, R::DestroyNode(node)).await
    }

    async fn set_maintenance(
        &self,
        who: &Caller,
        node: NodeId,
        on: bool,
        reason: Option<String>,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::SetMaintenance(node, on, reason))
            .await
    }

    async fn set_traits(
        &self,
        who: &Caller,
        node: NodeId,
        traits: Vec<String>,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::SetTraits(node, traits)).await
    }

    async fn add_trait(&self, who: &Caller, node: NodeId, name: String) -> Result<(), Fault> {
        self.on_node(who, node, R::AddTrait(node, name)).await
    }

    async fn remove_trait(&self, who: &Caller, node: NodeId, name: String) -> Result<(), Fault> {
        self.on_node(who, node, R::RemoveTrait(node, name)).await
    }

    async fn provision(
        &self,
        who: &Caller,
        node: NodeId,
        action: &str,
        request: ProvisionRequest,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::Provision(node, action.to_owned(), request))
            .await
    }

    async fn set_power(
        &self,
        who: &Caller,
        node: NodeId,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::SetPower(node, target, timeout_s))
            .await
    }

    async fn set_target_raid(
        &self,
        who: &Caller,
        node: NodeId,
        config: JsonMap,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::SetTargetRaid(node, config))
            .await
    }

    async fn set_boot_mode(&self, who: &Caller, node: NodeId, mode: String) -> Result<(), Fault> {
        self.on_node(who, node, R::SetBootMode(node, mode)).await
    }

    async fn set_secure_boot(&self, who: &Caller, node: NodeId, on: bool) -> Result<(), Fault> {
        self.on_node(who, node, R::SetSecureBoot(node, on)).await
    }

    async fn set_console(&self, who: &Caller, node: NodeId, on: bool) -> Result<(), Fault> {
        self.on_node(who, node, R::SetConsole(node, on)).await
    }

    async fn console(&self, node: NodeId) -> Result<ConsoleState, Fault> {
        self.on_node(&Caller::service(), node, R::Console(node))
            .await
    }

    async fn join_console(
        &self,
        who: &Caller,
        node: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        self.join(who, node, wish).await
    }

    async fn sensors(&self, node: NodeId) -> Result<JsonMap, Fault> {
        self.on_node(&Caller::service(), node, R::Sensors(node))
            .await
    }

    async fn recording(&self, node: NodeId) -> Result<Recording, Fault> {
        self.on_node(&Caller::service(), node, R::Recording(node))
            .await
    }

    async fn leases(&self, node: NodeId) -> Result<Option<Vec<IpAddr>>, Fault> {
        Ok(self.all_leases(node).await.found)
    }

    async fn boot_log(&self, node: NodeId) -> Result<JsonMap, Fault> {
        self.on_node(&Caller::service(), node, R::BootLog(node))
            .await
    }

    async fn live(&self, node: NodeId) -> Result<Live, Fault> {
        self.on_node(&Caller::service(), node, R::Live(node)).await
    }

    async fn note_progress(
        &self,
        node: NodeId,
        token: Option<&str>,
        progress: Progress,
    ) -> Result<(), Fault> {
        self.on_node(
            &Caller::service(),
            node,
            R::NoteProgress(node, token.map(str::to_owned), progress),
        )
        .await
    }

    async fn validate(&self, node: NodeId) -> Result<Vec<Validation>, Fault> {
        self.on_node(&Caller::service(), node, R::Validate(node))
            .await
    }

    async fn boot_device(&self, node: NodeId) -> Result<BootDevice, Fault> {
        self.on_node(&Caller::service(), node, R::BootDevice(node))
            .await
    }

    async fn set_boot_device(
        &self,
        who: &Caller,
        node: NodeId,
        device: String,
        persistent: bool,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::SetBootDevice(node, device, persistent))
            .await
    }

    async fn supported_boot_devices(&self, node: NodeId) -> Result<Vec<String>, Fault> {
        self.on_node(&Caller::service(), node, R::SupportedBootDevices(node))
            .await
    }

    async fn inject_nmi(&self, who: &Caller, node: NodeId) -> Result<(), Fault> {
        self.on_node(who, node, R::InjectNmi(node)).await
    }

    async fn indicators(&self, node: NodeId) -> Result<Vec<Indicator>, Fault> {
        self.on_node(&Caller::service(), node, R::Indicators(node))
            .await
    }

    async fn indicator(&self, node: NodeId, component: &str, name: &str) -> Result<String, Fault> {
        self.on_node(
            &Caller::service(),
            node,
            R::Indicator(node, component.to_owned(), name.to_owned()),
        )
        .await
    }

    async fn set_indicator(
        &self,
        who: &Caller,
        node: NodeId,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), Fault> {
        self.on_node(
            who,
            node,
            R::SetIndicator(
                node,
                component.to_owned(),
                name.to_owned(),
                state.to_owned(),
            ),
        )
        .await
    }

    async fn virtual_media(&self, node: NodeId) -> Result<Vec<JsonMap>, Fault> {
        self.on_node(&Caller::service(), node, R::VirtualMedia(node))
            .await
    }

    async fn attach_virtual_media(
        &self,
        who: &Caller,
        node: NodeId,
        media: VirtualMedia,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::AttachVirtualMedia(node, media))
            .await
    }

    async fn detach_virtual_media(
        &self,
        who: &Caller,
        node: NodeId,
        devices: Option<Vec<String>>,
    ) -> Result<(), Fault> {
        self.on_node(who, node, R::DetachVirtualMedia(node, devices))
            .await
    }

    async fn create_port(&self, who: &Caller, port: Port) -> Result<Port, Fault> {
        let node = port.node;
        self.on_node(who, node, R::CreatePort(Box::new(port))).await
    }

    async fn update_port(
        &self,
        who: &Caller,
        port: Port,
        base_version: i64,
    ) -> Result<Port, Fault> {
        let node = port.node;
        let request = R::UpdatePort(Box::new(port), base_version);
        self.on_node(who, node, request).await
    }

    async fn destroy_port(&self, who: &Caller, port: PortId) -> Result<(), Fault> {
        let found = store::port::find(&self.db, port).await.map_err(broken)?;
        let found = found.ok_or_else(|| Fault::PortNotFound(port.to_string()))?;
        self.on_node(who, found.node, R::DestroyPort(port)).await
    }

    async fn create_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
    ) -> Result<Portgroup, Fault> {
        let node = portgroup.node;
        self.on_node(who, node, R::CreatePortgroup(Box::new(portgroup)))
            .await
    }

    async fn update_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
        base_version: i64,
    ) -> Result<Portgroup, Fault> {
        let node = portgroup.node;
        let request = R::UpdatePortgroup(Box::new(portgroup), base_version);
        self.on_node(who, node, request).await
    }

    async fn destroy_portgroup(&self, who: &Caller, portgroup: PortgroupId) -> Result<(), Fault> {
        let found = store::portgroup::find(&self.db, portgroup)
            .await
            .map_err(broken)?;
        let found = found.ok_or_else(|| Fault::PortgroupNotFound(portgroup.to_string()))?;
        self.on_node(who, found.node, R::DestroyPortgroup(portgroup))
            .await
    }

    async fn create_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
    ) -> Result<VolumeConnector, Fault> {
        let node = connector.node;
        self.on_node(who, node, R::CreateConnector(Box::new(connector)))
            .await
    }

    async fn update_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
        base_version: i64,
    ) -> Result<VolumeConnector, Fault> {
        let node = connector.node;
        let request = R::UpdateConnector(Box::new(connector), base_version);
        self.on_node(who, node, request).await
    }

    async fn destroy_connector(
        &self,
        who: &Caller,
        connector: VolumeConnectorId,
    ) -> Result<(), Fault> {
        let found = store::volume::connector::find(&self.db, connector)
            .await
            .map_err(broken)?;
        let found = found.ok_or_else(|| Fault::ConnectorNotFound(connector.to_string()))?;
        self.on_node(who, found.node, R::DestroyConnector(connector))
            .await
    }

    async fn create_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
    ) -> Result<VolumeTarget, Fault> {
        let node = target.node;
        self.on_node(who, node, R::CreateTarget(Box::new(target)))
            .await
    }

    async fn update_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
        base_version: i64,
    ) -> Result<VolumeTarget, Fault> {
        let node = target.node;
        let request = R::UpdateTarget(Box::new(target), base_version);
        self.on_node(who, node, request).await
    }

    async fn destroy_target(&self, who: &Caller, target: VolumeTargetId) -> Result<(), Fault> {
        let found = store::volume::target::find(&self.db, target)
            .await
            .map_err(broken)?;
        let found = found.ok_or_else(|| Fault::TargetNotFound(target.to_string()))?;
        self.on_node(who, found.node, R::DestroyTarget(target))
            .await
    }

    async fn vifs(&self, node: NodeId) -> Result<Vec<String>, Fault> {
        self.on_node(&Caller::service(), node, R::Vifs(node)).await
    }

    async fn attach_vif(&self, who: &Caller, node: NodeId, vif: JsonMap) -> Result<(), Fault> {
        self.on_node(who, node, R::AttachVif(node, vif)).await
    }

    async fn detach_vif(&self, who: &Caller, node: NodeId, id: &str) -> Result<(), Fault> {
        self.on_node(who, node, R::DetachVif(node, id.to_owned()))
            .await
    }

    async fn vendor_methods(&self, node: NodeId) -> Result<Vec<VendorMethod>, Fault> {
        self.on_node(&Caller::service(), node, R::VendorMethods(node))
            .await
    }

    async fn vendor_call(
        &self,
        who: &Caller,
        node: NodeId,
        method: &str,
        verb: &str,
        arguments: JsonMap,
    ) -> Result<VendorAnswer, Fault> {
        self.on_node(
            who,
            node,
            R::VendorCall(node, method.to_owned(), verb.to_owned(), arguments),
        )
        .await
    }

    async fn create_allocation(
        &self,
        who: &Caller,
        allocation: Allocation,
    ) -> Result<Allocation, Fault> {
        let request = R::CreateAllocation(Box::new(allocation));
        self.call(Place::Anybody, who, request).await
    }

    async fn destroy_allocation(&self, who: &Caller, id: AllocationId) -> Result<(), Fault> {
        self.call(Place::Anybody, who, R::DestroyAllocation(id))
            .await
    }

    async fn node_for_agent(
        &self,
        node: NodeId,
        from: Option<IpAddr>,
    ) -> Result<(Node, Option<String>), Fault> {
        if let Some(from) = from {
            let row = self.row(node).await?;
            if !self.comes_from_machine(&row, "lookup", from).await {
                return Err(Fault::NotFound);
            }
        }
        let request = match from {
            Some(from) => R::NodeForAgentAt(node, from),
            None => R::NodeForAgent(node),
        };
        self.on_node(&Caller::service(), node, request).await
    }

    async fn heartbeat(&self, node: NodeId, heartbeat: Heartbeat) -> Result<(), Fault> {
        if let Some(from) = heartbeat.from {
            let row = self.row(node).await?;
            // Who reported from there before was judged then.
            let is_known = row.internal_text("agent_url") == Some(&heartbeat.callback_url);
            if !is_known && !self.comes_from_machine(&row, "heartbeat", from).await {
                // The token is not verified yet, so the answer is the one for a wrong token.
                return Err(Fault::InvalidParameter(WRONG_TOKEN.to_owned()));
            }
        }
        // Where it comes from is judged; older conductors would not understand this.
        let heartbeat = Heartbeat {
            from: None,
            ..heartbeat
        };
        self.on_node(&Caller::service(), node, R::Heartbeat(node, heartbeat))
            .await
    }

    async fn continue_inspection(&self, node: NodeId, found: Inventory) -> Result<(), Fault> {
        self.on_node(&Caller::service(), node, R::ContinueInspection(node, found))
            .await
    }

    async fn driver_properties(&self, driver: &str) -> Result<Vec<(String, String)>, Fault> {
        let place = Place::Driver(driver.to_owned());
        let request = R::DriverProperties(driver.to_owned());
        self.call(place, &Caller::service(), request).await
    }

    async fn raid_properties(&self, driver: &str) -> Result<Vec<(String, String)>, Fault> {
        let place = Place::Driver(driver.to_owned());
        let request = R::RaidProperties(driver.to_owned());
        self.call(place, &Caller::service(), request).await
    }
}
