//! The conductor as others see it.

use crate::{Settings, core::Core, enrolment::Ports, passes};
use cluster::View;
use drivers::Registry;
use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};
use store::{
    Db, StoreError,
    member::Registration,
    notification::{Announced, begin, begin_with},
};
use types::{
    Allocation, AllocationId, Caller, Conductor, Fault, Inventory, JsonMap, Node, NodeId, Port,
    PortId, Portgroup, PortgroupId, PowerTarget, VolumeConnector, VolumeConnectorId, VolumeTarget,
    VolumeTargetId,
    console::{ConsoleLine, ConsoleWish},
    notification::Action,
    pass::PassReport,
    progress::{Live, Progress},
    recording::Recording,
    rpc::{
        BootDevice, ConsoleState, Heartbeat, Indicator, NodeUpdate, ProvisionRequest, Validation,
        VendorAnswer, VendorMethod, VirtualMedia,
    },
    sensor::NodeReadings,
    status::ConductorReport,
};

/// A running conductor.
pub struct Service {
    pub(crate) core: Arc<Core>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service")
            .field("host", &self.core.settings.host)
            .finish_non_exhaustive()
    }
}

impl Service {
    /// Registers, takes up what an earlier incarnation left, and starts the periodic passes.
    pub async fn start(
        db: Db,
        registry: Registry,
        settings: Settings,
    ) -> Result<Arc<Self>, StoreError> {
        let started = Instant::now();
        let me = store::member::register(&db, registration(&registry, &settings)).await?;
        tracing::info!(host = me.host, epoch = me.epoch, "conductor registered");
        if let Some(boot) = registry.boot() {
            boot.ask_about_ports(Arc::new(Ports(db.clone())));
        }
        let core = Core::new(db, registry, settings, me, started);
        passes::keepalive::spawn(&core);
        core.view.refresh().await?;
        passes::resume_own(&core).await?;
        passes::spawn(&core);
        if !core.settings.sync_local_state_interval.is_zero() {
            passes::local_state::begin(&core).await;
        }
        Ok(Arc::new(Self { core }))
    }

    /// The name of this conductor.
    pub fn host(&self) -> &str {
        &self.core.settings.host
    }

    /// Who is alive, as this conductor sees it.
    pub fn view(&self) -> Arc<View> {
        Arc::clone(&self.core.view)
    }

    /// How the periodic passes of this conductor fare.
    pub fn passes(&self) -> Vec<PassReport> {
        self.core.ledger.reports()
    }

    /// The newest readings of the sensors of this conductor's machines.
    pub fn readings(&self) -> Vec<Arc<NodeReadings>> {
        self.core.ledger.readings()
    }

    /// Takes no more work up by itself and leaves the ring, so that the others take requests and
    /// nodes over. What is under way goes on.
    pub async fn leave(&self) {
        let core = &self.core;
        if core.leaving.is_cancelled() {
            return;
        }
        core.leaving.cancel();
        if core.stays_registered() {
            return;
        }
        if let Err(error) = store::member::renew(&core.db, &core.me(), false).await {
            tracing::warn!(error = %types::error::chain(&error), "the conductor could not leave the ring");
        }
    }

    /// From now on the conductor stays in the ring when it stops: it will be back soon.
    pub fn stay_registered(&self) {
        self.core.stay_registered();
    }

    /// Leaves, waits until nobody works under a lease any more, and stops.
    pub async fn drain(&self) {
        self.leave().await;
        let core = &self.core;
        let limit = core.settings.drain_shutdown_timeout;
        if !within(limit, core.hands.empty()).await {
            tracing::warn!("some work did not end in time; it goes on elsewhere or later");
        }
        self.stop().await;
    }

    /// Leaves, lets workers reach the end of their step, and signs off.
    ///
    /// Who ended in time gives the others what is left at once. Otherwise nobody can tell what the
    /// hardware is doing at this moment, and the others wait until we have been silent for as long
    /// as a dead conductor.
    pub async fn stop(&self) {
        self.leave().await;
        let core = &self.core;
        core.stop.cancel();
        core.tasks.close();
        let ended = within(core.settings.graceful_shutdown_timeout, core.tasks.wait()).await;
        if !ended {
            tracing::warn!(
                "some workers did not end in time; their work goes on after the next start"
            );
        }
        core.incarnation().end();
        core.over.cancel();
        core.vital.close();
        core.vital.wait().await;
        if !ended || core.stays_registered() {
            return;
        }
        if let Err(error) = store::member::sign_off(&core.db, &core.me()).await {
            tracing::warn!(error = %types::error::chain(&error), "the conductor could not sign off");
        }
    }
}

/// Whether something ended within a limit, of which zero is none.
async fn within(limit: Duration, end: impl Future<Output = ()>) -> bool {
    if limit.is_zero() {
        end.await;
        return true;
    }
    tokio::time::timeout(limit, end).await.is_ok()
}

impl Service {
    /// Tells that a request about a node begins; `change` is what it wants.
    async fn about(
        &self,
        who: &Caller,
        node: NodeId,
        action: Action,
        change: impl FnOnce(&mut Node) + Send,
    ) -> Announced {
        let db = &self.core.db;
        let find = async {
            let mut found = store::node::find(db, node).await;
            if let Ok(Some(node)) = &mut found {
                change(node);
            }
            found
        };
        begin_with(db, who, action, find).await
    }

    async fn traits(
        &self,
        who: &Caller,
        node: NodeId,
        change: impl Fn(&Node) -> Result<Vec<String>, Fault> + Send + Sync,
    ) -> Result<(), Fault> {
        let wanted = |node: &mut Node| {
            if let Ok(traits) = change(node) {
                node.traits = traits;
            }
        };
        let told = self.about(who, node, Action::Update, wanted).await;
        told.failed(self.core.change_traits(who, node, &change).await)
            .await
    }
}

pub(crate) fn registration(registry: &Registry, settings: &Settings) -> Registration {
    Registration {
        hostname: settings.host.clone(),
        conductor_group: settings.conductor_group.clone(),
        drivers: registry.hardware_types().map(str::to_owned).collect(),
        interfaces: registry.offered(),
        url: settings.url.clone(),
    }
}

#[async_trait::async_trait]
impl Conductor for Service {
    fn owner(&self, node: NodeId, driver: &str, group: &str) -> Option<String> {
        self.core.owner_of(node, driver, group)
    }

    fn is_alive(&self, host: &str) -> Option<bool> {
        self.core.view.is_alive(host)
    }

    fn shares(&self, driver: &str, group: &str) -> Vec<(String, f64)> {
        self.core.view.shares(driver, group)
    }

    async fn report(&self, host: &str) -> Result<ConductorReport, Fault> {
        if host != self.host() {
            return Err(Fault::NotNow(format!("This is conductor {}.", self.host())));
        }
        let core = &self.core;
        let incarnation = core.incarnation();
        let (workers_busy, workers) = core.workers.count();
        Ok(ConductorReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: incarnation.holder.epoch,
            uptime_s: core.clock().as_secs_f64(),
            may_act: incarnation.is_open(),
            is_leaving: core.leaving.is_cancelled(),
            workers_busy,
            workers,
            passes: self.passes(),
        })
    }

    async fn create_node(&self, who: &Caller, node: Node) -> Result<Node, Fault> {
        let told = begin(&self.core.db, who, Action::Create, &node).await;
        told.failed(self.core.create_node(who, node).await).await
    }

    async fn update_node(&self, who: &Caller, update: NodeUpdate) -> Result<Node, Fault> {
        let told = begin(&self.core.db, who, Action::Update, &update.node).await;
        told.failed(self.core.update_node(who, update).await).await
    }

    async fn destroy_node(&self, who: &Caller, node: NodeId) -> Result<(), Fault> {
        let told = self.about(who, node, Action::Delete, |_| {}).await;
        told.failed(self.core.destroy_node(who, node).await).await
    }

    async fn set_maintenance(
        &self,
        who: &Caller,
        node: NodeId,
        on: bool,
        reason: Option<String>,
    ) -> Result<(), Fault> {
        let wanted = reason.clone().filter(|_| on);
        let change = |node: &mut Node| (node.maintenance, node.maintenance_reason) = (on, wanted);
        let told = self.about(who, node, Action::Maintenance, change).await;
        let outcome = self.core.set_maintenance(who, node, on, reason).await;
        told.failed(outcome).await
    }

    async fn set_traits(
        &self,
        who: &Caller,
        node: NodeId,
        traits: Vec<String>,
    ) -> Result<(), Fault> {
        self.traits(who, node, |_| Ok(traits.clone())).await
    }

    async fn add_trait(&self, who: &Caller, node: NodeId, name: String) -> Result<(), Fault> {
        self.traits(who, node, |node| {
            Ok(node.traits.iter().cloned().chain([name.clone()]).collect())
        })
        .await
    }

    async fn remove_trait(&self, who: &Caller, node: NodeId, name: String) -> Result<(), Fault> {
        self.traits(who, node, |node| {
            if !node.traits.contains(&name) {
                return Err(Fault::TraitNotFound {
                    node: node.id,
                    name: name.clone(),
                });
            }
            let others = node.traits.iter().filter(|t| **t != name);
            Ok(others.cloned().collect())
        })
        .await
    }

    async fn provision(
        &self,
        who: &Caller,
        node: NodeId,
        action: &str,
        request: ProvisionRequest,
    ) -> Result<(), Fault> {
        self.core.provision(who, node, action, request).await
    }

    async fn set_power(
        &self,
        who: &Caller,
        node: NodeId,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), Fault> {
        self.core.set_power(who, node, target, timeout_s).await
    }

    async fn set_target_raid(
        &self,
        who: &Caller,
        node: NodeId,
        config: JsonMap,
    ) -> Result<(), Fault> {
        // Whatever can do nothing with a wish can still be left without one.
        if !config.is_empty() {
            self.core.check_raid(node).await?;
        }
        self.core.set_target_raid(who, node, config).await
    }

    async fn set_boot_mode(&self, who: &Caller, node: NodeId, mode: String) -> Result<(), Fault> {
        self.core.set_boot_mode(who, node, mode).await
    }

    async fn set_secure_boot(&self, who: &Caller, node: NodeId, on: bool) -> Result<(), Fault> {
        self.core.set_secure_boot(who, node, on).await
    }

    async fn set_console(&self, who: &Caller, node: NodeId, on: bool) -> Result<(), Fault> {
        self.core.set_console(who, node, on).await
    }

    async fn console(&self, node: NodeId) -> Result<ConsoleState, Fault> {
        self.core.console(node).await
    }

    async fn join_console(
        &self,
        who: &Caller,
        node: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        self.core.join_console(who, node, wish).await
    }

    async fn sensors(&self, node: NodeId) -> Result<JsonMap, Fault> {
        self.core.sensors(node).await
    }

    async fn recording(&self, node: NodeId) -> Result<Recording, Fault> {
        self.core.recording(node).await
    }

    async fn leases(&self, node: NodeId) -> Result<Option<Vec<IpAddr>>, Fault> {
        Ok(self.core.leases(node).await)
    }

    async fn boot_log(&self, node: NodeId) -> Result<JsonMap, Fault> {
        self.core.boot_log(node).await
    }

    async fn live(&self, node: NodeId) -> Result<Live, Fault> {
        Ok(self.core.live.read(node))
    }

    async fn note_progress(
        &self,
        node: NodeId,
        token: Option<&str>,
        progress: Progress,
    ) -> Result<(), Fault> {
        self.core.note_progress(node, token, progress).await
    }

    async fn validate(&self, node: NodeId) -> Result<Vec<Validation>, Fault> {
        self.core.validate(node).await
    }

    async fn boot_device(&self, node: NodeId) -> Result<BootDevice, Fault> {
        self.core.boot_device(node).await
    }

    async fn set_boot_device(
        &self,
        who: &Caller,
        node: NodeId,
        device: String,
        persistent: bool,
    ) -> Result<(), Fault> {
        self.core
            .set_boot_device(who, node, device, persistent)
            .await
    }

    async fn supported_boot_devices(&self, node: NodeId) -> Result<Vec<String>, Fault> {
        self.core.supported_boot_devices(node).await
    }

    async fn inject_nmi(&self, who: &Caller, node: NodeId) -> Result<(), Fault> {
        self.core.inject_nmi(who, node).await
    }

    async fn indicators(&self, node: NodeId) -> Result<Vec<Indicator>, Fault> {
        self.core.indicators(node).await
    }

    async fn indicator(&self, node: NodeId, component: &str, name: &str) -> Result<String, Fault> {
        self.core.indicator(node, component, name).await
    }

    async fn set_indicator(
        &self,
        who: &Caller,
        node: NodeId,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), Fault> {
        self.core
            .set_indicator(who, node, component, name, state)
            .await
    }

    async fn virtual_media(&self, node: NodeId) -> Result<Vec<JsonMap>, Fault> {
        self.core.virtual_media(node).await
    }

    async fn attach_virtual_media(
        &self,
        who: &Caller,
        node: NodeId,
        media: VirtualMedia,
    ) -> Result<(), Fault> {
        self.core.attach_virtual_media(who, node, media).await
    }

    async fn detach_virtual_media(
        &self,
        who: &Caller,
        node: NodeId,
        devices: Option<Vec<String>>,
    ) -> Result<(), Fault> {
        self.core.detach_virtual_media(who, node, devices).await
    }

    async fn create_port(&self, who: &Caller, port: Port) -> Result<Port, Fault> {
        let told = begin(&self.core.db, who, Action::Create, &port).await;
        told.failed(self.core.create_port(who, port).await).await
    }

    async fn update_port(
        &self,
        who: &Caller,
        port: Port,
        base_version: i64,
    ) -> Result<Port, Fault> {
        let told = begin(&self.core.db, who, Action::Update, &port).await;
        told.failed(self.core.update_port(who, port, base_version).await)
            .await
    }

    async fn destroy_port(&self, who: &Caller, port: PortId) -> Result<(), Fault> {
        let db = &self.core.db;
        let told = begin_with(db, who, Action::Delete, store::port::find(db, port)).await;
        told.failed(self.core.destroy_port(who, port).await).await
    }

    async fn create_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
    ) -> Result<Portgroup, Fault> {
        let told = begin(&self.core.db, who, Action::Create, &portgroup).await;
        told.failed(self.core.create_portgroup(who, portgroup).await)
            .await
    }

    async fn update_portgroup(
        &self,
        who: &Caller,
        portgroup: Portgroup,
        base_version: i64,
    ) -> Result<Portgroup, Fault> {
        let told = begin(&self.core.db, who, Action::Update, &portgroup).await;
        let outcome = self
            .core
            .update_portgroup(who, portgroup, base_version)
            .await;
        told.failed(outcome).await
    }

    async fn destroy_portgroup(&self, who: &Caller, portgroup: PortgroupId) -> Result<(), Fault> {
        let db = &self.core.db;
        let find = store::portgroup::find(db, portgroup);
        let told = begin_with(db, who, Action::Delete, find).await;
        told.failed(self.core.destroy_portgroup(who, portgroup).await)
            .await
    }

    async fn create_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
    ) -> Result<VolumeConnector, Fault> {
        let told = begin(&self.core.db, who, Action::Create, &connector).await;
        told.failed(self.core.create_connector(who, connector).await)
            .await
    }

    async fn update_connector(
        &self,
        who: &Caller,
        connector: VolumeConnector,
        base_version: i64,
    ) -> Result<VolumeConnector, Fault> {
        let told = begin(&self.core.db, who, Action::Update, &connector).await;
        let outcome = self
            .core
            .update_connector(who, connector, base_version)
            .await;
        told.failed(outcome).await
    }

    async fn destroy_connector(
        &self,
        who: &Caller,
        connector: VolumeConnectorId,
    ) -> Result<(), Fault> {
        let db = &self.core.db;
        let find = store::volume::connector::find(db, connector);
        let told = begin_with(db, who, Action::Delete, find).await;
        told.failed(self.core.destroy_connector(who, connector).await)
            .await
    }

    async fn create_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
    ) -> Result<VolumeTarget, Fault> {
        let told = begin(&self.core.db, who, Action::Create, &target).await;
        told.failed(self.core.create_target(who, target).await)
            .await
    }

    async fn update_target(
        &self,
        who: &Caller,
        target: VolumeTarget,
        base_version: i64,
    ) -> Result<VolumeTarget, Fault> {
        let told = begin(&self.core.db, who, Action::Update, &target).await;
        let outcome = self.core.update_target(who, target, base_version).await;
        told.failed(outcome).await
    }

    async fn destroy_target(&self, who: &Caller, target: VolumeTargetId) -> Result<(), Fault> {
        let db = &self.core.db;
        let find = store::volume::target::find(db, target);
        let told = begin_with(db, who, Action::Delete, find).await;
        told.failed(self.core.destroy_target(who, target).await)
            .await
    }

    async fn vifs(&self, node: NodeId) -> Result<Vec<String>, Fault> {
        self.core.vifs(node).await
    }

    async fn attach_vif(&self, who: &Caller, node: NodeId, vif: JsonMap) -> Result<(), Fault> {
        self.core.attach_vif(who, node, vif).await
    }

    async fn detach_vif(&self, who: &Caller, node: NodeId, id: &str) -> Result<(), Fault> {
        self.core.detach_vif(who, node, id).await
    }

    async fn vendor_methods(&self, node: NodeId) -> Result<Vec<VendorMethod>, Fault> {
        self.core.vendor_methods(node).await
    }

    async fn vendor_call(
        &self,
        who: &Caller,
        node: NodeId,
        method: &str,
        verb: &str,
        arguments: JsonMap,
    ) -> Result<VendorAnswer, Fault> {
        self.core
            .vendor_call(who, node, method, verb, arguments)
            .await
    }

    async fn create_allocation(
        &self,
        who: &Caller,
        allocation: Allocation,
    ) -> Result<Allocation, Fault> {
        let told = begin(&self.core.db, who, Action::Create, &allocation).await;
        told.failed(self.core.create_allocation(who, allocation).await)
            .await
    }

    async fn destroy_allocation(&self, who: &Caller, id: AllocationId) -> Result<(), Fault> {
        let db = &self.core.db;
        let told = begin_with(db, who, Action::Delete, store::allocation::find(db, &id)).await;
        told.failed(self.core.destroy_allocation(who, id).await)
            .await
    }

    async fn node_for_agent(
        &self,
        node: NodeId,
        from: Option<IpAddr>,
    ) -> Result<(Node, Option<String>), Fault> {
        self.core.node_for_agent(node, from).await
    }

    async fn heartbeat(&self, node: NodeId, heartbeat: Heartbeat) -> Result<(), Fault> {
        self.core.heartbeat(node, heartbeat).await
    }

    async fn continue_inspection(&self, node: NodeId, found: Inventory) -> Result<(), Fault> {
        self.core.continue_inspection(node, found).await
    }

    async fn driver_properties(&self, driver: &str) -> Result<Vec<(String, String)>, Fault> {
        self.core
            .registry
            .driver_properties(driver)
            .map_err(Fault::from)
    }

    async fn raid_properties(&self, driver: &str) -> Result<Vec<(String, String)>, Fault> {
        self.core
            .registry
            .raid_properties(driver)
            .map_err(Fault::from)
    }
}
