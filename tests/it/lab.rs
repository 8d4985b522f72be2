//! A whole service in this process: database, fake hardware, conductor and API on a free port.

use crate::{
    database::{Database, Engine},
    http::{Answer, Client},
};
use api::webhook::Sender;
use conductor::Service;
use drivers::{Registry, registry::RegistrySettings};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use store::Db;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};
use types::{
    InterfaceKind, NodeId, ProvisionState,
    event::{EventKind, LoggedEvent},
    provision::StateClass,
};

/// The name of the conductor, which reservations show.
pub(crate) const HOST: &str = "lab-conductor";

/// No healthy wait takes that long; a test that runs into it fails and tells what it saw.
const PATIENCE: Duration = Duration::from_secs(90);

/// What can be changed about a lab before it starts.
pub(crate) struct Options {
    pub(crate) conductor: conductor::Settings,
    /// Boxed: futures of tests hold several of these.
    pub(crate) hardware: Box<RegistrySettings>,
    pub(crate) api: api::Settings,
}

impl Default for Options {
    /// The configuration of tests/golden/README.md as far as this build has the interfaces, with a
    /// conductor that says at once when a node is locked.
    fn default() -> Self {
        use InterfaceKind as K;
        let mut hardware = RegistrySettings::default();
        hardware.enable_hardware_types(vec!["fake-hardware".into()]);
        for &kind in K::ALL {
            let names: &[&str] = match kind {
                K::Boot | K::Deploy | K::Power => &["fake"],
                K::Management => &["fake", "noop"],
                K::Network | K::Storage => &["noop"],
                K::Bios => &["fake", "no-bios"],
                K::Console => &["fake", "no-console"],
                K::Firmware => &["fake", "no-firmware"],
                K::Inspect => &["fake", "no-inspect"],
                K::Raid => &["fake", "no-raid"],
                K::Rescue => &["fake", "no-rescue"],
                K::Vendor => &["fake", "no-vendor"],
            };
            hardware.enable_interfaces(kind, names.iter().map(|&n| n.to_owned()).collect());
        }
        hardware.set_default(K::Network, Some("noop".into()));
        Self {
            conductor: conductor::Settings {
                host: HOST.into(),
                automated_clean: false,
                node_locked_retry_attempts: 1,
                ..conductor::Settings::default()
            },
            hardware: Box::new(hardware),
            api: api::Settings::default(),
        }
    }
}

/// A running service.
pub(crate) struct Lab {
    pub(crate) client: Client,
    pub(crate) db: Db,
    service: Arc<Service>,
    /// Posts to webhooks, unless a test took it away.
    pub(crate) sender: Option<Sender>,
    stop_serving: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    /// Last, so that it is removed when nobody uses it any more.
    pub(crate) database: Database,
}

impl Lab {
    pub(crate) async fn start(engine: Engine) -> Self {
        Self::with(engine, Options::default()).await
    }

    pub(crate) async fn with(engine: Engine, options: Options) -> Self {
        Self::on(Database::create(engine), options).await
    }

    /// A service on a database that may hold something already.
    pub(crate) async fn on(database: Database, options: Options) -> Self {
        // Not in every caller's future: there is a lot to set.
        Box::pin(Self::assembled(database, Box::new(options))).await
    }

    async fn assembled(database: Database, options: Box<Options>) -> Self {
        let db = database.open();
        let registry = Registry::new(&options.hardware).unwrap();
        let service = Service::start(db.clone(), registry, options.conductor)
            .await
            .unwrap();
        let sender = Sender::start(db.clone(), options.api.webhooks.clone(), HOST);
        let conductor = Arc::clone(&service) as Arc<dyn types::Conductor>;
        service.run_batches(Arc::clone(&conductor));
        let state = api::ApiState::new(db.clone(), conductor, Arc::new(options.api));
        let router = api::router(state);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop_serving, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            let served = axum::serve(listener, router).with_graceful_shutdown(stopped);
            served.await.unwrap();
        });
        Self {
            client: Client { address },
            db,
            service,
            sender: Some(sender),
            stop_serving,
            serving,
            database,
        }
    }

    /// Stops everything and hands the database back.
    pub(crate) async fn stop(self) -> Database {
        let _ = self.stop_serving.send(());
        self.serving.await.unwrap();
        if let Some(sender) = self.sender {
            sender.stop().await;
        }
        self.service.stop().await;
        self.database
    }

    /// What the API asks, for requests in the name of a user.
    pub(crate) fn conductor(&self) -> &dyn types::Conductor {
        &*self.service
    }

    /// How the pass of this name fares.
    pub(crate) fn pass(&self, name: &str) -> types::pass::PassReport {
        let all = self.service.passes();
        let found = all.into_iter().find(|report| report.name == name);
        found.unwrap_or_else(|| panic!("there is no pass {name}"))
    }

    /// Waits until a whole round of a pass has gone by; returns how the pass fares then.
    pub(crate) async fn goes_round(&self, name: &str) -> types::pass::PassReport {
        let before = self.pass(name).rounds;
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let report = self.pass(name);
            // The first to end may have begun before we asked.
            if report.rounds >= before + 2 {
                return report;
            }
            assert!(tokio::time::Instant::now() < deadline, "{report:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until a whole round of a pass has gone by in which so many nodes were visited and so
    /// many of them failed: on a busy machine a BMC that is well may seem silent for once.
    pub(crate) async fn has_round(&self, name: &str, visited: u64, failed: u64) {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let report = self.goes_round(name).await;
            if (report.last_visited, report.last_failed) == (visited, failed) {
                return;
            }
            assert!(tokio::time::Instant::now() < deadline, "{report:?}");
        }
    }

    /// The newest readings of sensors.
    pub(crate) fn readings(&self) -> Vec<Arc<types::sensor::NodeReadings>> {
        self.service.readings()
    }

    /// Enrolls a machine.
    pub(crate) async fn enroll(&self, mut body: Value) -> Machine<'_> {
        if body.get("driver").is_none() {
            body["driver"] = json!("fake-hardware");
        }
        let created = self.client.post("/v1/nodes", body).await.expect(201).json();
        Machine {
            lab: self,
            id: created["uuid"].as_str().unwrap().parse().unwrap(),
        }
    }

    /// A machine that exists already.
    pub(crate) fn machine(&self, id: &str) -> Machine<'_> {
        Machine {
            lab: self,
            id: id.parse().unwrap(),
        }
    }

    /// What the log says about a node, one line an event.
    pub(crate) async fn told(&self, id: NodeId) -> Vec<String> {
        let events = self.events(id).await;
        events
            .iter()
            .map(|e| format!("{} {}", e.kind, e.text))
            .collect()
    }

    /// Everything that was committed about a node.
    async fn events(&self, id: NodeId) -> Vec<LoggedEvent> {
        self.log_settles().await;
        let page = store::event::after(&self.db, 0, 1000, id.into()).await;
        page.unwrap().events
    }

    /// On a server rows get their place in the log a moment after the commit: waits until all have
    /// one.
    pub(crate) async fn log_settles(&self) {
        let waiting = "SELECT COUNT(*) FROM events WHERE sequence IS NULL";
        while self.database.number(waiting) > 0 {
            let seen = store::event::newest(&self.db).await.unwrap();
            store::event::wait(&self.db, seen, Duration::from_millis(200))
                .await
                .unwrap();
        }
    }
}

/// A node of a lab.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    lab: &'a Lab,
    pub(crate) id: NodeId,
}

impl Machine<'_> {
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v1/nodes/{}{rest}", self.id)
    }

    pub(crate) async fn show(&self) -> Value {
        self.lab.client.get(&self.path("")).await.expect(200).json()
    }

    pub(crate) async fn patch(&self, changes: Value) -> Answer {
        self.lab.client.patch(&self.path(""), changes).await
    }

    /// Sets one value under `driver_info`, or removes it.
    pub(crate) async fn behave(&self, key: &str, value: Option<&str>) {
        let path = format!("/driver_info/{key}");
        let change = match value {
            Some(value) => json!([{"op": "add", "path": path, "value": value}]),
            None => json!([{"op": "remove", "path": path}]),
        };
        self.patch(change).await.expect(200);
    }

    /// Asks for a provision verb, which must be accepted.
    pub(crate) async fn asks(&self, target: &str) -> Self {
        self.asks_with(json!({"target": target})).await
    }

    pub(crate) async fn asks_with(&self, body: Value) -> Self {
        let answer = self.provision(body).await;
        answer.expect(202);
        *self
    }

    pub(crate) async fn provision(&self, body: Value) -> Answer {
        self.lab
            .client
            .put(&self.path("/states/provision"), body)
            .await
    }

    /// Waits until the node is in this state and nobody works on it; returns its document.
    pub(crate) async fn reaches(&self, state: ProvisionState) -> Value {
        self.until(&format!("'{state}'"), |node| {
            let now: ProvisionState = node["provision_state"].as_str().unwrap().parse().unwrap();
            if now == state {
                return Some(node["reservation"].is_null());
            }
            // Whoever ended elsewhere never comes.
            let over = matches!(now.class(), StateClass::Failed) || now == ProvisionState::Error;
            (!over || !node["reservation"].is_null()).then_some(false)
        })
        .await
    }

    /// Waits until nobody works on the node.
    pub(crate) async fn rests(&self) -> Value {
        self.until("nobody works on it", |node| {
            Some(node["reservation"].is_null())
        })
        .await
    }

    /// Waits until the document fits; `None` gives up. Follows the event log, so that nothing is
    /// missed and nobody sleeps.
    pub(crate) async fn until(&self, what: &str, fits: impl Fn(&Value) -> Option<bool>) -> Value {
        let db = &self.lab.db;
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            let seen = store::event::newest(db).await.unwrap();
            let node = self.show().await;
            let fitting = fits(&node);
            if fitting == Some(true) {
                return node;
            }
            if fitting.is_none() || tokio::time::Instant::now() >= deadline {
                let told = self.lab.told(self.id).await.join("\n  ");
                panic!(
                    "node {} waited for {what} in vain:\n  {told}\n{node:#}",
                    self.id
                );
            }
            // A lease may be given back without an event, so the wait is short and repeated.
            store::event::wait(db, seen, Duration::from_millis(200))
                .await
                .unwrap();
        }
    }

    /// Texts and kinds of the node's history, oldest first.
    pub(crate) async fn history(&self) -> Vec<Value> {
        let path = self.path("/history?detail=true");
        let answer = self.lab.client.get(&path).await.expect(200).json();
        answer["history"].as_array().unwrap().clone()
    }

    /// The provision states that the node went through, first to last.
    pub(crate) async fn states(&self) -> Vec<String> {
        let events = self.lab.events(self.id).await;
        let moves = events.iter().filter(|e| e.kind == EventKind::Provision);
        moves
            .map(|e| e.data["to"].as_str().unwrap().to_owned())
            .collect()
    }
}
