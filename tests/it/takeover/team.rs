//! Conductors of one cluster, in this process.

use super::journal::{self, Line};
use crate::{
    database::{Database, Engine},
    http::{Answer, Client},
    lab::Options,
};
use conductor::Service;
use drivers::Registry;
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::{Arc, mpsc as blocking},
    thread,
    time::Duration,
};
use store::Db;
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
    time::Instant,
};
use types::{Node, NodeId, ProvisionState as S, provision::StateClass};

/// After this long a silent conductor is dead, and after two thirds of it it does nothing more by
/// itself. On a busy machine a living one is silent for seconds now and then.
pub(super) const TTL: Duration = Duration::from_secs(7);
/// No healthy wait takes that long.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

enum Order {
    /// Stands still until the other side is dropped.
    Freeze(blocking::Receiver<()>),
    Stop(oneshot::Sender<()>),
    Drain(oneshot::Sender<()>),
}

/// A conductor with its API.
pub(super) struct Member {
    pub(super) host: &'static str,
    pub(super) client: Client,
    orders: Option<mpsc::UnboundedSender<Order>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// Where a member stands still until this is dropped.
pub(super) struct Frozen(#[allow(dead_code, reason = "it is dropped")] blocking::Sender<()>);

impl Member {
    /// As `kill -9`: nothing is told to anybody.
    pub(super) fn kill(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    fn order(&self, order: Order) {
        let orders = self.orders.as_ref().expect("it was killed");
        assert!(orders.send(order).is_ok(), "{} is gone", self.host);
    }

    /// As SIGSTOP; dropping what comes back is SIGCONT.
    pub(super) fn freeze(&self) -> Frozen {
        let (melt, frozen) = blocking::channel();
        self.order(Order::Freeze(frozen));
        Frozen(melt)
    }

    pub(super) async fn stop(&mut self) {
        let (done, ended) = oneshot::channel();
        self.order(Order::Stop(done));
        ended.await.unwrap();
        self.kill();
    }

    pub(super) fn begin_drain(&self) -> oneshot::Receiver<()> {
        let (done, ended) = oneshot::channel();
        self.order(Order::Drain(done));
        ended
    }

    pub(super) async fn put(&self, id: NodeId, rest: &str, body: Value) -> Answer {
        self.client
            .put(&format!("/v1/nodes/{id}{rest}"), body)
            .await
    }

    /// Asks for a provision verb, which must be accepted.
    pub(super) async fn asks(&self, id: NodeId, target: &str) {
        self.asks_with(id, json!({"target": target})).await;
    }

    pub(super) async fn asks_with(&self, id: NodeId, body: Value) {
        self.put(id, "/states/provision", body).await.expect(202);
    }

    pub(super) async fn power(&self, id: NodeId, target: &str) {
        let body = json!({"target": target});
        self.put(id, "/states/power", body).await.expect(202);
    }

    /// Asks for power until that is accepted: whoever has just registered anew may not have heard
    /// of it yet.
    pub(super) async fn power_at_last(&self, id: NodeId, target: &str) {
        let body = json!({"target": target});
        loop {
            let answer = self.put(id, "/states/power", body.clone()).await;
            // Without any conductor there is no host for it, without its own nobody to ask.
            if !matches!(answer.status, 404 | 503) {
                answer.expect(202);
                return;
            }
        }
    }

    pub(super) async fn enroll(&self, mut body: Value) -> NodeId {
        body["driver"] = json!("fake-hardware");
        let created = self.client.post("/v1/nodes", body).await.expect(201).json();
        created["uuid"].as_str().unwrap().parse().unwrap()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.orders = None;
    }
}

/// A database and everybody's witness.
pub(super) struct Team {
    pub(super) db: Db,
    /// Last, so that it is removed when nobody uses it any more.
    pub(super) database: Database,
}

impl Team {
    pub(super) fn new(engine: Engine) -> Self {
        let database = Database::create(engine);
        Self {
            db: database.open(),
            database,
        }
    }

    fn journal_file(&self) -> PathBuf {
        self.database.directory().join("journal")
    }

    pub(super) fn journal(&self) -> Vec<Line> {
        journal::read(&self.journal_file())
    }

    /// The options of a member that looks and renews often.
    pub(super) fn options(&self, host: &'static str) -> Options {
        self.adapted(host, Options::default())
    }

    /// The same for hardware of another kind.
    pub(super) fn adapted(&self, host: &'static str, mut options: Options) -> Options {
        options.conductor.host = host.into();
        options.conductor.heartbeat_interval = Duration::from_millis(100);
        options.conductor.heartbeat_timeout = TTL;
        options.conductor.check_allocations_interval = Duration::from_millis(100);
        // Nobody calls them there, but they share their nodes by the ring.
        options.conductor.url = Some(format!("http://{host}.test:8089"));
        options.conductor.ring_max_age = Duration::from_millis(200);
        options.conductor.graceful_shutdown_timeout = Duration::from_secs(20);
        options.hardware.fake.host = host.into();
        options.hardware.fake.journal = Some(self.journal_file());
        options
    }

    pub(super) async fn join(&self, host: &'static str) -> Member {
        self.join_with(host, self.options(host)).await
    }

    pub(super) async fn join_with(&self, host: &'static str, options: Options) -> Member {
        let db = self.database.open();
        let (orders, given) = mpsc::unbounded_channel();
        let (ready, up) = oneshot::channel();
        let thread = thread::Builder::new()
            .name(host.into())
            // Flows are deep without optimisation.
            .stack_size(16 << 20)
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                runtime.block_on(live(db, Box::new(options), ready, given));
                runtime.shutdown_background();
            })
            .unwrap();
        Member {
            host,
            client: up.await.unwrap(),
            orders: Some(orders),
            thread: Some(thread),
        }
    }

    pub(super) async fn node(&self, id: NodeId) -> Node {
        store::node::find(&self.db, id).await.unwrap().unwrap()
    }

    /// Waits until the node fits; `None` gives up.
    pub(super) async fn until(
        &self,
        id: NodeId,
        what: &str,
        fits: impl Fn(&Node) -> Option<bool>,
    ) -> Node {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = store::event::newest(&self.db).await.unwrap();
            let node = self.node(id).await;
            let fitting = fits(&node);
            if fitting == Some(true) {
                return node;
            }
            if fitting.is_none() || Instant::now() >= deadline {
                let told = self.told(id).await.join("\n  ");
                panic!("node {id} waited for {what} in vain:\n  {told}\n{node:#?}");
            }
            store::event::wait(&self.db, seen, Duration::from_millis(100))
                .await
                .unwrap();
        }
    }

    /// Waits until the node is in this state and nobody works on it.
    pub(super) async fn reaches(&self, id: NodeId, state: S) -> Node {
        self.until(id, &format!("'{state}'"), |node| {
            if node.provision_state == state {
                return Some(node.reservation.is_none());
            }
            let over = node.provision_state.class() == StateClass::Failed;
            (!over || node.reservation.is_some()).then_some(false)
        })
        .await
    }

    /// Waits until nobody works on the node.
    pub(super) async fn rests(&self, id: NodeId) -> Node {
        self.until(id, "rest", |node| Some(node.reservation.is_none()))
            .await
    }

    /// Waits until hardware is called.
    pub(super) async fn called(&self, id: NodeId, operation: &str) {
        self.until(id, operation, |_| {
            let lines = self.journal();
            Some(
                lines
                    .iter()
                    .any(|line| line.node == id && line.operation == operation),
            )
        })
        .await;
    }

    /// What the log says about a node, one line an event.
    pub(super) async fn told(&self, id: NodeId) -> Vec<String> {
        let waiting = "SELECT COUNT(*) FROM events WHERE sequence IS NULL";
        while self.database.number(waiting) > 0 {
            let seen = store::event::newest(&self.db).await.unwrap();
            store::event::wait(&self.db, seen, Duration::from_millis(100))
                .await
                .unwrap();
        }
        let page = store::event::after(&self.db, 0, 1000, id.into()).await;
        let events = page.unwrap().events;
        events
            .iter()
            .map(|e| format!("{} {}", e.kind, e.text))
            .collect()
    }

    /// The epoch of a conductor, and whether it is there for others.
    pub(super) async fn row(&self, host: &str) -> (i64, bool) {
        let row = store::member::find(&self.db, host).await.unwrap().unwrap();
        (row.epoch, row.online)
    }
}

pub(super) async fn manageable(team: &Team, by: &Member) -> NodeId {
    let id = by.enroll(json!({})).await;
    by.asks(id, "manage").await;
    team.reaches(id, S::Manageable).await;
    id
}

pub(super) async fn available(team: &Team, by: &Member) -> NodeId {
    let id = manageable(team, by).await;
    by.asks(id, "provide").await;
    team.reaches(id, S::Available).await;
    id
}

pub(super) async fn active(team: &Team, by: &Member) -> NodeId {
    let id = available(team, by).await;
    by.asks(id, "active").await;
    team.reaches(id, S::Active).await;
    id
}

/// The whole life of a member.
async fn live(
    db: Db,
    options: Box<Options>,
    ready: oneshot::Sender<Client>,
    mut orders: mpsc::UnboundedReceiver<Order>,
) {
    let registry = Registry::new(&options.hardware).unwrap();
    let service = Service::start(db.clone(), registry, options.conductor)
        .await
        .unwrap();
    let conductor = Arc::clone(&service) as Arc<dyn types::Conductor>;
    let state = api::ApiState::new(db, conductor, Arc::new(options.api));
    let router = api::router(state);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let _ = ready.send(Client { address });
    // Who is killed has nobody left to give orders.
    while let Some(order) = orders.recv().await {
        match order {
            Order::Freeze(until) => {
                let _ = until.recv();
            }
            Order::Stop(done) => {
                service.stop().await;
                let _ = done.send(());
            }
            Order::Drain(done) => {
                let service = Arc::clone(&service);
                tokio::spawn(async move {
                    service.drain().await;
                    let _ = done.send(());
                });
            }
        }
    }
}
