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
use serde_json::{Value, json, value::RawValue};
use std::{
    cell::RefCell,
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};
use store::{
    Db, KeyRing, Location, Upgrade,
    node::{Fence, Log},
};
use types::{
    Caller, Fault, InterfaceKind, Node, NodeId,
    console::{ConsoleLine, ConsoleWish, ScreenToken},
    hardware_log::{HardwareLog, LogEntry, LogSeverity},
    pass::PassReport,
    progress::Live,
    recording::Recording,
    rpc::{
        Carrier, Consoles, Membership, Request as Call, VendorAnswer,
        holdings::{BootReport, ImageCaches},
        recipe::{OfferedStep, StepArgument, TrialReport},
        write_answer,
    },
    status::{ConductorReport, OutageReport},
    step::StepKind,
};

/// A request without a body, up to it.
pub(crate) fn parts(path: &str, headers: &[(&str, &str)]) -> axum::http::request::Parts {
    let mut request = Request::builder().uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

/// Who asks, of a service with an empty database.
pub(crate) async fn authenticate(
    auth: &crate::Auth,
    parts: &axum::http::request::Parts,
) -> Result<crate::auth::Identity, crate::auth::AuthRefusal> {
    let service = Service::with(Settings {
        auth: auth.clone(),
        ..Settings::default()
    });
    let state = service.state();
    crate::auth::authenticate(&crate::auth::Gate::of(&state), parts).await
}

/// A conductor that agrees to everything.
pub(crate) struct FakeConductor {
    db: Db,
    /// What the next writes answer instead of writing, first one first.
    pub(crate) refusals: Mutex<Vec<Fault>>,
    /// What somebody else makes of nodes just before the next updates, which are stale then.
    pub(crate) meanwhile: Mutex<Vec<Node>>,
    /// What was asked for, see [`words`].
    pub(crate) asked: Mutex<Vec<String>>,
    /// How far work is.
    pub(crate) live: Mutex<Live>,
    /// How the passes fare.
    pub(crate) passes: Mutex<Vec<PassReport>>,
    /// How often conductors came and went.
    pub(crate) revision: AtomicU64,
    /// The services that the conductor does not reach.
    pub(crate) outages: Mutex<Vec<OutageReport>>,
}

impl FakeConductor {
    fn ask(&self, request: &Call) -> Result<(), Fault> {
        self.asked.lock().unwrap().push(words(request));
        let mut refusals = self.refusals.lock().unwrap();
        if refusals.is_empty() {
            Ok(())
        } else {
            Err(refusals.remove(0))
        }
    }
}

/// The name of a call and its arguments, without the first, which says where it goes.
fn words(request: &Call) -> String {
    if let Call::update_node(update) = request {
        return format!("update_node reset_interfaces={}", update.reset_interfaces);
    }
    let request = json!(request);
    let (name, arguments) = request.as_object().unwrap().iter().next().unwrap();
    let others = arguments.as_array().into_iter().flatten().skip(1);
    others.fold(name.clone(), |text, argument| format!("{text} {argument}"))
}

fn broken(error: store::StoreError) -> Fault {
    Fault::Internal(types::error::chain(&error))
}

impl Membership for FakeConductor {
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
    fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }
}

#[async_trait::async_trait]
impl Consoles for FakeConductor {
    async fn join_console(
        &self,
        _: &Caller,
        node: NodeId,
        wish: ConsoleWish,
    ) -> Result<ConsoleLine, Fault> {
        self.ask(&Call::join_console(node, wish))?;
        Err(Fault::InvalidState("the console is off".into()))
    }

    async fn join_screen(
        &self,
        _: &Caller,
        node: NodeId,
        token: ScreenToken,
    ) -> Result<ConsoleLine, Fault> {
        self.ask(&Call::join_screen(node, token))?;
        Err(Fault::WrongScreenToken)
    }
}

#[async_trait::async_trait]
impl Carrier for FakeConductor {
    async fn carry(&self, _: &Caller, request: Box<Call>) -> Result<Box<RawValue>, Fault> {
        match &*request {
            // Handlers read this on their way to something else; tests do not ask about it.
            Call::live(_) => return write_answer(&*self.live.lock().unwrap()),
            Call::leases(_) => return write_answer(&Value::Null),
            Call::virtual_media(_) => return write_answer(&json!([{"media_types": ["CD"]}])),
            Call::vifs(_) => return write_answer(&["vif-1"]),
            Call::supported_boot_devices(_) => return write_answer(&["pxe"]),
            Call::indicators(_)
            | Call::vendor_methods(_)
            | Call::driver_properties(_)
            | Call::raid_properties(_) => return write_answer(&json!([])),
            _ => {}
        }
        self.ask(&request)?;
        self.answer(*request).await
    }
}

impl FakeConductor {
    async fn answer(&self, request: Call) -> Result<Box<RawValue>, Fault> {
        /// What the store makes of a row.
        macro_rules! stored {
            ($write:expr) => {
                write_answer(&$write.await.map_err(broken)?)
            };
        }
        use store::volume::{connector, target};
        let (db, log) = (&self.db, Log::default());
        match request {
            Call::create_node(node) => stored!(store::node::insert(db, node, log)),
            Call::update_node(update) => {
                let other = self.meanwhile.lock().unwrap().pop();
                if let Some(other) = other {
                    let saved = store::node::save(db, other, Fence::Free, log).await;
                    saved.map_err(broken)?;
                    return Err(Fault::Stale(update.node.id));
                }
                stored!(store::node::save(db, update.node, Fence::Free, log))
            }
            Call::destroy_node(id) => {
                let node = self.find_node(id).await?;
                stored!(store::node::delete(db, &node, log))
            }
            Call::create_port(port) => stored!(store::port::insert(db, port, log)),
            Call::update_port(port, _) => stored!(store::port::update(db, port, log)),
            Call::destroy_port(id) => stored!(store::port::delete(db, id, log)),
            Call::create_portgroup(group) => stored!(store::portgroup::insert(db, group, log)),
            Call::update_portgroup(group, _) => stored!(store::portgroup::update(db, group, log)),
            Call::destroy_portgroup(id) => stored!(store::portgroup::delete(db, id, log)),
            Call::create_connector(new) => stored!(connector::insert(db, new, log)),
            Call::update_connector(new, _) => stored!(connector::update(db, new, log)),
            Call::destroy_connector(id) => stored!(connector::delete(db, id, log)),
            Call::create_target(new) => stored!(target::insert(db, new, log)),
            Call::update_target(new, _) => stored!(target::update(db, new, log)),
            Call::destroy_target(id) => stored!(target::delete(db, id, log)),
            Call::create_allocation(new) => stored!(store::allocation::insert(db, new, log)),
            Call::destroy_allocation(id) => {
                let found = store::allocation::find(db, &id).await.map_err(broken)?;
                let holder = match found.and_then(|found| found.node) {
                    Some(node) => store::node::find(db, node).await.map_err(broken)?,
                    None => None,
                };
                stored!(store::allocation::delete(db, &id, holder.as_ref(), log))
            }
            Call::node_for_agent(id) | Call::node_for_agent_at(id, _) => {
                write_answer(&(self.find_node(id).await?, "fresh-token"))
            }
            other => write_answer(&self.told(&other)),
        }
    }

    /// What is told about machines and the conductor; nothing, of changes.
    fn told(&self, request: &Call) -> Value {
        match request {
            Call::report(_) => json!(ConductorReport {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                epoch: 1,
                uptime_s: 60.0,
                may_act: true,
                is_leaving: false,
                workers_busy: 1,
                workers: 300,
                passes: self.passes.lock().unwrap().clone(),
                outages: self.outages.lock().unwrap().clone(),
            }),
            Call::console(_) => json!({"enabled": false, "info": null}),
            Call::sensors(_) => json!({"Fan": {"FAN 1": {"Sensor Reading": "1200 RPM"}}}),
            Call::system_event_log(_) => json!(HardwareLog {
                entries: vec![LogEntry {
                    id: "1".to_owned(),
                    log: "SEL".to_owned(),
                    at: Some(types::Timestamp(0)),
                    severity: Some(LogSeverity::Critical),
                    sensor_type: Some("Fan".to_owned()),
                    sensor: Some("FAN 1".to_owned()),
                    text: "lower critical, going low".to_owned(),
                    is_asserted: Some(true),
                    raw: None,
                }],
                is_cut: false,
                has_overflown: Some(true),
            }),
            Call::recording(_) => json!(Recording::default()),
            Call::boot_log(_) => json!({"diagnosis": {"cause": "under_way"}, "events": []}),
            Call::validate(_) => json!([]),
            Call::offered_steps(_) => json!([OfferedStep {
                interface: InterfaceKind::Bios,
                implementation: "fake".to_owned(),
                is_default: true,
                kind: StepKind::Clean,
                step: "apply_configuration".to_owned(),
                priority: 0,
                abortable: false,
                requires_ramdisk: true,
                args: vec![StepArgument {
                    name: "settings".to_owned(),
                    description: "Names and values.".to_owned(),
                    required: true,
                }],
            }]),
            Call::try_rules(..) => json!(TrialReport::default()),
            Call::image_caches(_) => json!(ImageCaches::default()),
            Call::boot_services(..) => json!(BootReport::default()),
            Call::plan(..) => json!(types::rpc::Plan::default()),
            Call::boot_device(_) => json!({"device": "pxe", "persistent": false}),
            Call::indicator(..) => json!("on"),
            Call::begin_upload(_) => json!("cond1"),
            Call::upload_part(_, _, offset, _) => json!(offset),
            Call::vendor_call(..) => json!(VendorAnswer::Accepted),
            _ => Value::Null,
        }
    }

    async fn find_node(&self, id: NodeId) -> Result<Node, Fault> {
        let found = store::node::find(&self.db, id).await.map_err(broken)?;
        found.ok_or_else(|| Fault::NodeNotFound(id.to_string()))
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
                revision: AtomicU64::default(),
                outages: Mutex::default(),
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

    /// What requests share; each gets its own, unless a test asks for it.
    pub(crate) fn state(&self) -> ApiState {
        let settings = Arc::new(self.settings.clone());
        ApiState::new(self.db.clone(), self.conductor.clone(), settings)
    }

    /// The answer while it still comes.
    pub(crate) async fn respond(&self, request: Request<Body>) -> Response {
        crate::respond(self.state(), request).await
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
