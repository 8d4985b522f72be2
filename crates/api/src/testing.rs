//! For tests: a conductor that writes straight to the store, and a service to send requests to.
//!
//! The fake does none of the conductor's checks; a test that needs a refusal sets one.

use crate::{
    ApiState, Settings,
    policy::{Policy, PolicyOptions},
};
use axum::{
    body::Body,
    http::{HeaderMap, Request, StatusCode},
    response::Response,
};
use http_body_util::BodyExt;
use serde_json::Value;
use std::{
    cell::RefCell,
    collections::BTreeSet,
    net::IpAddr,
    path::Path,
    sync::{Arc, Mutex},
};
use store::{
    Db, KeyRing, Location, Upgrade,
    node::{Fence, Log},
};
use tower::ServiceExt;
use types::{
    Allocation, AllocationId, Caller, Conductor, Fault, Inventory, JsonMap, Node, NodeId, Port,
    PortId, Portgroup, PortgroupId, PowerTarget, VolumeConnector, VolumeConnectorId, VolumeTarget,
    VolumeTargetId,
    console::{ConsoleLine, ConsoleWish},
    pass::PassReport,
    progress::{Live, Progress},
    recording::Recording,
    rpc::{
        BootDevice, ConsoleState, Heartbeat, Indicator, NodeUpdate, ProvisionRequest, Validation,
        VendorAnswer, VendorMethod, VirtualMedia,
    },
    status::ConductorReport,
};

/// A request without a body, up to it.
pub(crate) fn parts(path: &str, headers: &[(&str, &str)]) -> axum::http::request::Parts {
    let mut request = Request::builder().uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

/// A conductor that agrees to everything.
pub(crate) struct FakeConductor {
    db: Db,
    /// What the next writes answer instead of writing, first one first.
    pub(crate) refusals: Mutex<Vec<Fault>>,
    /// What somebody else makes of nodes just before the next updates, which are stale then.
    pub(crate) meanwhile: Mutex<Vec<Node>>,
    /// What was asked for, in words.
    pub(crate) asked: Mutex<Vec<String>>,
    /// How far work is.
    pub(crate) live: Mutex<Live>,
    /// How the passes fare.
    pub(crate) passes: Mutex<Vec<PassReport>>,
}

impl FakeConductor {
    fn ask(&self, what: String) -> Result<(), Fault> {
        self.asked.lock().unwrap().push(what);
        let mut refusals = self.refusals.lock().unwrap();
        if refusals.is_empty() {
            Ok(())
        } else {
            Err(refusals.remove(0))
        }
    }
}

fn broken(error: store::StoreError) -> Fault {
    Fault::Internal(types::error::chain(&error))
}

#[async_trait::async_trait]
impl Conductor for FakeConductor {
    fn owner(&self, _: NodeId, driver: &str, _: &str) -> Option<String> {
        (driver == "fake-hardware").then(|| "cond1".to_owned())
    }
    fn is_alive(&self, _: &str) -> Option<bool> {
        None
    }
    fn shares(&self, driver: &str, _: &str) -> Vec<(String, f64)> {
        match driver {
            "fake-hardware" => vec![("cond1".to_owned(), 1.0)],
            _ => Vec::new(),
        }
    }
    async fn report(&self, host: &str) -> Result<ConductorReport, Fault> {
        self.ask(format!("report {host}"))?;
        Ok(ConductorReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            epoch: 1,
            uptime_s: 60.0,
            may_act: true,
            is_leaving: false,
            workers_busy: 1,
            workers: 300,
            passes: self.passes.lock().unwrap().clone(),
        })
    }
    async fn create_node(&self, _: &Caller, node: Node) -> Result<Node, Fault> {
        self.ask(format!("create {}", node.driver))?;
        store::node::insert(&self.db, node, Log::default())
            .await
            .map_err(broken)
    }
    async fn update_node(&self, _: &Caller, update: NodeUpdate) -> Result<Node, Fault> {
        self.ask(format!("update {}", update.reset_interfaces))?;
        let other = self.meanwhile.lock().unwrap().pop();
        if let Some(other) = other {
            store::node::save(&self.db, other, Fence::Free, Log::default())
                .await
                .map_err(broken)?;
            return Err(Fault::Stale(update.node.id));
        }
        store::node::save(&self.db, update.node, Fence::Free, Log::default())
            .await
            .map_err(broken)
    }
    async fn destroy_node(&self, _: &Caller, node: NodeId) -> Result<(), Fault> {
        self.ask(format!("destroy {node}"))?;
        let node = store::node::find(&self.db, node).await.map_err(broken)?;
        let node = node.ok_or_else(|| Fault::Internal("no node".into()))?;
        store::node::delete(&self.db, &node, Log::default())
            .await
            .map_err(broken)
    }
    async fn set_maintenance(
        &self,
        _: &Caller,
        _: NodeId,
        on: bool,
        reason: Option<String>,
    ) -> Result<(), Fault> {
        self.ask(format!("maintenance {on} {reason:?}"))
    }
    async fn set_traits(&self, _: &Caller, _: NodeId, traits: Vec<String>) -> Result<(), Fault> {
        self.ask(format!("traits {traits:?}"))
    }
    async fn add_trait(&self, _: &Caller, _: NodeId, name: String) -> Result<(), Fault> {
        self.ask(format!("add trait {name}"))
    }
    async fn remove_trait(&self, _: &Caller, _: NodeId, name: String) -> Result<(), Fault> {
        self.ask(format!("remove trait {name}"))
    }
    async fn provision(
        &self,
        _: &Caller,
        _: NodeId,
        action: &str,
        request: ProvisionRequest,
    ) -> Result<(), Fault> {
        self.ask(format!("provision {action} {request:?}"))
    }
    async fn set_power(
        &self,
        _: &Caller,
        _: NodeId,
        target: PowerTarget,
        timeout_s: Option<u64>,
    ) -> Result<(), Fault> {
        self.ask(format!("power {target} {timeout_s:?}"))
    }
    async fn set_target_raid(&self, _: &Caller, _: NodeId, config: JsonMap) -> Result<(), Fault> {
        self.ask(format!("raid {}", Value::Object(config)))
    }
    async fn set_boot_mode(&self, _: &Caller, _: NodeId, mode: String) -> Result<(), Fault> {
        self.ask(format!("boot mode {mode}"))
    }
    async fn set_secure_boot(&self, _: &Caller, _: NodeId, on: bool) -> Result<(), Fault> {
        self.ask(format!("secure boot {on}"))
    }
    async fn set_console(&self, _: &Caller, _: NodeId, on: bool) -> Result<(), Fault> {
        self.ask(format!("console {on}"))
    }
    async fn console(&self, _: NodeId) -> Result<ConsoleState, Fault> {
        self.ask("console".into())?;
        Ok(ConsoleState {
            enabled: false,
            info: Value::Null,
        })
    }
    async fn join_console(
        &self,
        _: &Caller,
        _: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        self.ask(format!("{wish:?}"))?;
        Err(Fault::InvalidState("the console is off".into()))
    }
    async fn sensors(&self, _: NodeId) -> Result<JsonMap, Fault> {
        self.ask("sensors".into())?;
        let readings = serde_json::json!({"Fan": {"FAN 1": {"Sensor Reading": "1200 RPM"}}});
        Ok(readings.as_object().cloned().unwrap_or_default())
    }
    async fn recording(&self, _: NodeId) -> Result<Recording, Fault> {
        self.ask("recording".into())?;
        Ok(Recording::default())
    }
    async fn leases(&self, _: NodeId) -> Result<Option<Vec<std::net::IpAddr>>, Fault> {
        Ok(None)
    }
    async fn boot_log(&self, _: NodeId) -> Result<JsonMap, Fault> {
        self.ask("boot log".into())?;
        let report = serde_json::json!({"diagnosis": {"cause": "under_way"}, "events": []});
        Ok(report.as_object().cloned().unwrap_or_default())
    }
    async fn live(&self, _: NodeId) -> Result<Live, Fault> {
        Ok(self.live.lock().unwrap().clone())
    }
    async fn note_progress(
        &self,
        id: NodeId,
        token: Option<&str>,
        progress: Progress,
    ) -> Result<(), Fault> {
        self.ask(format!("progress {id} {token:?} {progress}"))
    }
    async fn validate(&self, _: NodeId) -> Result<Vec<Validation>, Fault> {
        self.ask("validate".into())?;
        Ok(Vec::new())
    }
    async fn boot_device(&self, _: NodeId) -> Result<BootDevice, Fault> {
        self.ask("boot device".into())?;
        Ok(BootDevice {
            device: Some("pxe".into()),
            persistent: Some(false),
        })
    }
    async fn set_boot_device(
        &self,
        _: &Caller,
        _: NodeId,
        device: String,
        persistent: bool,
    ) -> Result<(), Fault> {
        self.ask(format!("boot device {device} {persistent}"))
    }
    async fn supported_boot_devices(&self, _: NodeId) -> Result<Vec<String>, Fault> {
        Ok(vec!["pxe".into()])
    }
    async fn inject_nmi(&self, _: &Caller, _: NodeId) -> Result<(), Fault> {
        self.ask("nmi".into())
    }
    async fn indicators(&self, _: NodeId) -> Result<Vec<Indicator>, Fault> {
        Ok(Vec::new())
    }
    async fn indicator(&self, _: NodeId, component: &str, name: &str) -> Result<String, Fault> {
        self.ask(format!("indicator {component} {name}"))?;
        Ok("on".into())
    }
    async fn set_indicator(
        &self,
        _: &Caller,
        _: NodeId,
        component: &str,
        name: &str,
        state: &str,
    ) -> Result<(), Fault> {
        self.ask(format!("indicator {component} {name} {state}"))
    }
    async fn virtual_media(&self, _: NodeId) -> Result<Vec<JsonMap>, Fault> {
        let media = serde_json::json!({"media_types": ["CD"]});
        Ok(vec![media.as_object().unwrap().clone()])
    }
    async fn attach_virtual_media(
        &self,
        _: &Caller,
        _: NodeId,
        media: VirtualMedia,
    ) -> Result<(), Fault> {
        let VirtualMedia {
            device,
            image_url,
            source,
        } = media;
        self.ask(format!("attach media {device} {image_url} {source}"))
    }
    async fn detach_virtual_media(
        &self,
        _: &Caller,
        _: NodeId,
        devices: Option<Vec<String>>,
    ) -> Result<(), Fault> {
        self.ask(format!("detach media {devices:?}"))
    }
    async fn create_port(&self, _: &Caller, port: Port) -> Result<Port, Fault> {
        self.ask(format!("create port {}", port.address))?;
        store::port::insert(&self.db, port, Log::default())
            .await
            .map_err(broken)
    }
    async fn update_port(&self, _: &Caller, port: Port, _: i64) -> Result<Port, Fault> {
        self.ask("update port".into())?;
        store::port::update(&self.db, port, Log::default())
            .await
            .map_err(broken)
    }
    async fn destroy_port(&self, _: &Caller, port: PortId) -> Result<(), Fault> {
        self.ask("destroy port".into())?;
        store::port::delete(&self.db, port, Log::default())
            .await
            .map_err(broken)
    }
    async fn create_portgroup(&self, _: &Caller, group: Portgroup) -> Result<Portgroup, Fault> {
        self.ask("create portgroup".into())?;
        store::portgroup::insert(&self.db, group, Log::default())
            .await
            .map_err(broken)
    }
    async fn update_portgroup(
        &self,
        _: &Caller,
        group: Portgroup,
        _: i64,
    ) -> Result<Portgroup, Fault> {
        self.ask("update portgroup".into())?;
        store::portgroup::update(&self.db, group, Log::default())
            .await
            .map_err(broken)
    }
    async fn destroy_portgroup(&self, _: &Caller, group: PortgroupId) -> Result<(), Fault> {
        self.ask("destroy portgroup".into())?;
        store::portgroup::delete(&self.db, group, Log::default())
            .await
            .map_err(broken)
    }
    async fn create_connector(
        &self,
        _: &Caller,
        connector: VolumeConnector,
    ) -> Result<VolumeConnector, Fault> {
        self.ask("create connector".into())?;
        store::volume::connector::insert(&self.db, connector, Log::default())
            .await
            .map_err(broken)
    }
    async fn update_connector(
        &self,
        _: &Caller,
        connector: VolumeConnector,
        _: i64,
    ) -> Result<VolumeConnector, Fault> {
        self.ask("update connector".into())?;
        store::volume::connector::update(&self.db, connector, Log::default())
            .await
            .map_err(broken)
    }
    async fn destroy_connector(&self, _: &Caller, id: VolumeConnectorId) -> Result<(), Fault> {
        self.ask("destroy connector".into())?;
        store::volume::connector::delete(&self.db, id, Log::default())
            .await
            .map_err(broken)
    }
    async fn create_target(&self, _: &Caller, target: VolumeTarget) -> Result<VolumeTarget, Fault> {
        self.ask("create target".into())?;
        store::volume::target::insert(&self.db, target, Log::default())
            .await
            .map_err(broken)
    }
    async fn update_target(
        &self,
        _: &Caller,
        target: VolumeTarget,
        _: i64,
    ) -> Result<VolumeTarget, Fault> {
        self.ask("update target".into())?;
        store::volume::target::update(&self.db, target, Log::default())
            .await
            .map_err(broken)
    }
    async fn destroy_target(&self, _: &Caller, id: VolumeTargetId) -> Result<(), Fault> {
        self.ask("destroy target".into())?;
        store::volume::target::delete(&self.db, id, Log::default())
            .await
            .map_err(broken)
    }
    async fn vifs(&self, _: NodeId) -> Result<Vec<String>, Fault> {
        Ok(vec!["vif-1".into()])
    }
    async fn attach_vif(&self, _: &Caller, _: NodeId, vif: JsonMap) -> Result<(), Fault> {
        self.ask(format!("attach {}", Value::Object(vif)))
    }
    async fn detach_vif(&self, _: &Caller, _: NodeId, id: &str) -> Result<(), Fault> {
        self.ask(format!("detach {id}"))
    }
    async fn vendor_methods(&self, _: NodeId) -> Result<Vec<VendorMethod>, Fault> {
        Ok(Vec::new())
    }
    async fn vendor_call(
        &self,
        _: &Caller,
        _: NodeId,
        method: &str,
        verb: &str,
        arguments: JsonMap,
    ) -> Result<VendorAnswer, Fault> {
        self.ask(format!(
            "vendor {verb} {method} {}",
            Value::Object(arguments)
        ))?;
        Ok(VendorAnswer::Accepted)
    }
    async fn create_allocation(
        &self,
        _: &Caller,
        allocation: Allocation,
    ) -> Result<Allocation, Fault> {
        self.ask(format!("allocate {:?}", allocation.resource_class))?;
        store::allocation::insert(&self.db, allocation, Log::default())
            .await
            .map_err(broken)
    }
    async fn destroy_allocation(&self, _: &Caller, id: AllocationId) -> Result<(), Fault> {
        self.ask(format!("deallocate {id}"))?;
        let found = store::allocation::find(&self.db, &id).await;
        let holder = match found.map_err(broken)?.and_then(|found| found.node) {
            Some(node) => store::node::find(&self.db, node).await.map_err(broken)?,
            None => None,
        };
        store::allocation::delete(&self.db, &id, holder.as_ref(), Log::default())
            .await
            .map_err(broken)
    }
    async fn node_for_agent(
        &self,
        id: NodeId,
        _: Option<IpAddr>,
    ) -> Result<(Node, Option<String>), Fault> {
        self.ask(format!("node_for_agent {id}"))?;
        let found = store::node::find(&self.db, id).await.map_err(broken)?;
        let node = found.ok_or_else(|| Fault::NodeNotFound(id.to_string()))?;
        Ok((node, Some("fresh-token".into())))
    }
    async fn heartbeat(&self, id: NodeId, heartbeat: Heartbeat) -> Result<(), Fault> {
        self.ask(format!("heartbeat {id} {heartbeat:?}"))
    }
    async fn continue_inspection(&self, id: NodeId, found: Inventory) -> Result<(), Fault> {
        self.ask(format!("continue_inspection {id} {found:?}"))
    }
    async fn driver_properties(&self, _: &str) -> Result<Vec<(String, String)>, Fault> {
        Ok(Vec::new())
    }
    async fn raid_properties(&self, _: &str) -> Result<Vec<(String, String)>, Fault> {
        Ok(Vec::new())
    }
}

/// An API of its own, with an empty database.
pub(crate) struct Service {
    pub(crate) conductor: Arc<FakeConductor>,
    pub(crate) db: Db,
    settings: Settings,
    _dir: tempfile::TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The `faultstring` or `description` of an error.
    pub(crate) fn fault(&self) -> String {
        let outer = self.json();
        let inner = outer["error_message"].as_str().unwrap();
        let inner: Value = serde_json::from_str(inner).unwrap();
        let text = inner.get("faultstring").or(inner.get("description"));
        text.and_then(Value::as_str).unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }
}

impl Service {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    /// A service with the default policy, so that it matters who sends a request.
    pub(crate) fn guarded() -> Self {
        Self::guarded_by("")
    }

    /// As [`Service::guarded`], with a policy file of this text.
    pub(crate) fn guarded_by(text: &str) -> Self {
        let options = PolicyOptions::default();
        let policy = Policy::parse(text, Path::new("policy.yaml"), &options).unwrap();
        Self::with(Settings {
            policy: Arc::new(policy),
            ..Settings::default()
        })
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let location = Location::Sqlite(dir.path().join("test.sqlite"));
        let db = Db::open(&location, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap();
        Self {
            conductor: Arc::new(FakeConductor {
                db: db.clone(),
                refusals: Mutex::default(),
                meanwhile: Mutex::default(),
                asked: Mutex::default(),
                live: Mutex::default(),
                passes: Mutex::default(),
            }),
            db,
            settings,
            _dir: dir,
        }
    }

    pub(crate) async fn store_node(&self, node: Node) -> Node {
        store::node::insert(&self.db, node, Log::default())
            .await
            .unwrap()
    }

    /// Sends a request at a minor version, with a JSON body unless that is null.
    pub(crate) async fn send(&self, method: &str, path: &str, minor: u16, body: Value) -> Answer {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "h:6385")
            .header("x-openstack-ironic-api-version", format!("1.{minor}"));
        let body = if body.is_null() {
            Body::empty()
        } else {
            request = request.header("content-type", "application/json");
            Body::from(body.to_string())
        };
        self.request(request.body(body).unwrap()).await
    }

    /// As [`Service::send`] at the newest version, with the roles and the scope of `persona`:
    /// `member@p1`, `reader@system`.
    pub(crate) async fn send_as(
        &self,
        persona: &str,
        method: &str,
        path: &str,
        body: Value,
    ) -> Answer {
        let (role, scope) = persona.split_once('@').unwrap();
        let roles = match role {
            "admin" => "admin,manager,member,reader",
            "manager" => "manager,member,reader",
            "member" => "member,reader",
            other => other,
        };
        let (header, value) = match scope {
            "system" => ("openstack-system-scope", "all"),
            project => ("x-project-id", project),
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "h:6385")
            .header("x-openstack-ironic-api-version", "1.115")
            .header("content-type", "application/json")
            .header("x-roles", roles)
            .header(header, value);
        let body = if body.is_null() {
            Body::empty()
        } else {
            Body::from(body.to_string())
        };
        self.request(request.body(body).unwrap()).await
    }

    pub(crate) async fn get_as(&self, persona: &str, path: &str) -> Answer {
        self.send_as(persona, "GET", path, Value::Null).await
    }

    pub(crate) async fn get(&self, path: &str, minor: u16) -> Answer {
        self.send("GET", path, minor, Value::Null).await
    }

    /// The answer while it still comes.
    pub(crate) async fn respond(&self, request: Request<Body>) -> Response {
        let state = ApiState {
            db: self.db.clone(),
            conductor: self.conductor.clone(),
            settings: Arc::new(self.settings.clone()),
        };
        crate::router(state).oneshot(request).await.unwrap()
    }

    pub(crate) async fn request(&self, request: Request<Body>) -> Answer {
        let (parts, body) = self.respond(request).await.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }
}

thread_local! {
    static ALLOWED: RefCell<BTreeSet<String>> = RefCell::default();
}

/// Remembers which arguments a handler takes, for the test that compares them with the document.
pub(crate) fn note_allowed(names: &[&str]) {
    ALLOWED.with_borrow_mut(|allowed| allowed.extend(names.iter().map(|&name| name.to_owned())));
}

/// The arguments that handlers have taken on this thread since this was last asked.
pub(crate) fn allowed() -> BTreeSet<String> {
    ALLOWED.take()
}
