//! `GET /corten/v1/status`: how the whole service fares, for `corten status`.
//!
//! What the database knows is counted by the database; what only conductors know they are asked,
//! all at once, and one that does not answer is shown so. The answer comes within seconds and is
//! 200 whatever it says: that the database is away is one of the things it is there to tell.

mod document;
mod trouble;

use crate::{
    ApiState,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    standing::Standing,
};
use document::{Conductor, Database, Leases, Nodes, Part, Process, Status, Webhooks};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};
use store::{
    Census, Page, StoreError,
    overview::{self, Facts, Placement},
};
use types::{
    Timestamp, error::chain, lease::Holder, member::Member, status::ConductorReport,
    webhook::Webhook,
};

/// How old numbers may be that take long to count.
const AGE: Duration = Duration::from_secs(15);
/// How long the database may take; whoever asks how things are does not wait for ever.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenStatusGet, &Target::NONE)?;
    let status = status(&call.state).await;
    let document = serde_json::to_value(&status)
        .map_err(|error| ApiError::from(types::Fault::Internal(error.to_string())))?;
    Ok(Reply::ok(JsonWriter::document(&document)))
}

async fn status(state: &ApiState) -> Status {
    let asked = Instant::now();
    let read = async {
        state.db.ping().await?;
        let latency = asked.elapsed();
        Ok::<_, StoreError>((latency, StatusFacts::read(state).await?))
    };
    let read = tokio::time::timeout(PATIENCE, read).await;
    let mut status = match read {
        Ok(Ok((latency, found))) => found.told(state, latency).await,
        Ok(Err(error)) => away(state, chain(&error)),
        Err(_) => away(
            state,
            format!("no answer within {} seconds", PATIENCE.as_secs()),
        ),
    };
    status.problems = trouble::found(&status);
    status.verdict = trouble::verdict(&status.problems);
    status
}

/// What the database knows.
struct StatusFacts {
    members: Vec<Member>,
    placements: Vec<Placement>,
    leases: overview::Leases,
    facts: Facts,
    webhooks: Vec<Webhook>,
    census: Census,
}

impl StatusFacts {
    async fn read(state: &ApiState) -> Result<Self, StoreError> {
        let db = &state.db;
        Ok(Self {
            members: store::member::list(db, Page::first(u32::MAX)).await?,
            placements: overview::placements(db, AGE).await?,
            leases: overview::leases(db).await?,
            facts: overview::facts(db).await?,
            webhooks: store::webhook::list(db).await?,
            census: store::census(db, AGE).await?,
        })
    }

    /// The whole story, with what conductors add to it.
    async fn told(self, state: &ApiState, latency: Duration) -> Status {
        let now = Timestamp::now();
        // Asked before the ring is looked at: who answers and was not known to the ring is then.
        let asked = self.members.iter();
        let asked = asked.map(|member| self.seen(state, member, now));
        let mut conductors = futures_util::future::join_all(asked).await;
        let ring: Vec<Part> = self.placements.iter().map(|p| part(state, p)).collect();
        let nodes = expected(&ring);
        for conductor in &mut conductors {
            conductor.nodes = nodes.get(&conductor.host).map_or(0, |nodes| whole(*nodes));
        }
        Status {
            nodes: Some(Nodes::of(self.census)),
            leases: Some(Leases::of(&self.leases, &self.members, now)),
            database: Database::of(&state.db, &self.facts, latency),
            webhooks: Some(Webhooks::of(&self.webhooks, self.facts.dead_letters)),
            conductors,
            ring,
            ..Status::of(process(state))
        }
    }

    /// A conductor as its row, the others and it itself tell of it.
    async fn seen(&self, state: &ApiState, member: &Member, now: Timestamp) -> Conductor {
        let watched = state.conductor.is_alive(&member.hostname);
        let limit = i64::try_from(state.settings.heartbeat_timeout_s).unwrap_or(i64::MAX);
        let standing = Standing::of(member, watched, limit, now);
        let mut shown = Conductor::of(member, standing.as_str(), now);
        let holder = Holder {
            host: member.hostname.clone(),
            epoch: member.epoch,
        };
        let held = self.leases.holders.iter().find(|(by, _)| *by == holder);
        shown.leases = held.map_or(0, |(_, count)| *count);
        if matches!(shown.state, "alive" | "leaving") {
            let host = types::rpc::HostName(member.hostname.clone());
            match state.conductor.report(host).await {
                Ok(report) => shown.hear(report),
                Err(fault) => shown.error = Some(fault.to_string()),
            }
        }
        shown
    }
}

/// What there is to tell without the database.
fn away(state: &ApiState, error: String) -> Status {
    Status {
        database: Database::away(&state.db, error),
        ..Status::of(process(state))
    }
}

fn process(state: &ApiState) -> Process {
    Process {
        host: state.settings.host.clone(),
        role: state.settings.role.clone(),
        version: env!("CARGO_PKG_VERSION"),
    }
}

fn part(state: &ApiState, placement: &Placement) -> Part {
    let shares = state.conductor.shares(&placement.driver, &placement.group);
    Part {
        group: placement.group.clone(),
        driver: placement.driver.clone(),
        nodes: placement.nodes,
        shares: shares.into_iter().map(document::Share::from).collect(),
    }
}

/// About how many nodes each conductor has: where each of them belongs is not asked.
fn expected(ring: &[Part]) -> BTreeMap<String, f64> {
    let mut nodes = BTreeMap::new();
    for part in ring {
        for share in &part.shares {
            let of_host: &mut f64 = nodes.entry(share.host.clone()).or_default();
            *of_host += share.share * part.nodes as f64;
        }
    }
    nodes
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "there are not so many nodes in the world"
)]
fn whole(nodes: f64) -> i64 {
    nodes.round() as i64
}

/// Times in documents are seconds with milliseconds.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// How long ago something was, by the wall clock.
fn ago(at: Timestamp, now: Timestamp) -> f64 {
    rounded(((now.0 - at.0) as f64 / 1e6).max(0.0))
}

impl Conductor {
    fn hear(&mut self, report: ConductorReport) {
        self.version = Some(report.version);
        self.uptime_s = Some(rounded(report.uptime_s));
        self.may_act = Some(report.may_act);
        self.workers_busy = Some(report.workers_busy);
        self.workers = Some(report.workers);
        if report.is_leaving {
            self.state = "leaving";
        }
        self.passes = report.passes.into_iter().map(Into::into).collect();
        self.outages = report.outages.into_iter().map(Into::into).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::{Value, json};
    use store::member::Registration;
    use types::{Fault, Node, NodeId, pass::PassReport, status::OutageReport};

    const PATH: &str = "/corten/v1/status";

    async fn register(service: &Service, host: &str) -> types::lease::Holder {
        let new = Registration {
            hostname: host.into(),
            conductor_group: String::new(),
            drivers: vec!["fake-hardware".into()],
            interfaces: Vec::new(),
            url: None,
        };
        store::member::register(&service.db, new).await.unwrap()
    }

    async fn ask(service: &Service) -> Value {
        let answer = service.get(PATH, 1).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    fn codes(status: &Value) -> Vec<&str> {
        let problems = status["problems"].as_array().unwrap().iter();
        problems.map(|p| p["code"].as_str().unwrap()).collect()
    }

    fn late(name: &str, lag_s: f64) -> PassReport {
        PassReport {
            name: name.into(),
            interval_s: 120.0,
            is_running: true,
            rounds: 3,
            last_began: Some(Timestamp::now()),
            last_duration_s: 2.0,
            last_visited: 7,
            last_failed: 0,
            total_duration_s: 6.0,
            total_visited: 21,
            total_failed: 0,
            lag_s,
        }
    }

    #[tokio::test]
    async fn a_healthy_service_says_so() {
        let service = Service::new();
        register(&service, "cond1").await;
        service
            .store_node(Node::new(NodeId::generate(), "fake-hardware"))
            .await;
        let on_time = late("power_sync", 0.1);
        service.conductor.passes.lock().unwrap().push(on_time);
        let status = ask(&service).await;
        assert_eq!(status["verdict"], "ok", "{status:#}");
        assert_eq!(status["problems"], json!([]));
        let conductor = &status["conductors"][0];
        assert_eq!(conductor["host"], "cond1");
        assert_eq!(conductor["state"], "alive");
        assert_eq!(conductor["nodes"], 1);
        assert_eq!(conductor["workers"], 300);
        assert_eq!(conductor["passes"][0]["name"], "power_sync");
        assert_eq!(status["ring"][0]["shares"][0]["share"], json!(1.0));
        assert_eq!(status["leases"]["count"], 0);
        assert_eq!(status["leases"]["quietest"], Value::Null);
        let database = &status["database"];
        assert_eq!(database["engine"], "sqlite");
        assert_eq!(database["schema"], store::SCHEMA_VERSION);
        assert!(database["size_bytes"].as_i64().unwrap() > 0, "{database}");
        let file = database["location"].as_str().unwrap();
        assert!(file.ends_with("test.sqlite"), "{file}");
        assert_eq!(status["webhooks"]["count"], 0);
    }

    #[tokio::test]
    async fn a_service_that_is_away_is_told_with_what_waits_for_it() {
        let service = Service::new();
        register(&service, "cond1").await;
        let outage = OutageReport {
            service: "Cinder".into(),
            since: Timestamp::parse("2026-11-16T03:50:42Z").unwrap(),
            last: Timestamp::now(),
            error: "cannot connect: connection refused".into(),
            waiting: 7,
            waiting_for: vec!["reserve volume V".into()],
        };
        service.conductor.outages.lock().unwrap().push(outage);
        let status = ask(&service).await;
        assert_eq!(codes(&status), ["service_away"]);
        let text = status["problems"][0]["text"].as_str().unwrap();
        for part in [
            "Cinder does not answer conductor cond1 since 2026-11-16T03:50:42",
            "connection refused",
            "7 calls wait for it: reserve volume V",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(status["conductors"][0]["outages"][0]["waiting"], 7);
    }

    #[tokio::test]
    async fn what_is_wrong_is_named_with_a_way_out() {
        assert_eq!(codes(&ask(&Service::new()).await), ["no_conductor"]);
        let service = Service::new();
        let me = register(&service, "cond1").await;
        let mut strange = Node::new(NodeId::generate(), "redfish");
        strange.conductor_group = "east".into();
        service.store_node(strange).await;
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let node = service.store_node(node).await;
        let gone = types::lease::Holder {
            epoch: me.epoch - 1,
            ..me
        };
        store::lease::take(&service.db, node, &gone).await.unwrap();
        let pass = late("power_sync", 500.0);
        service.conductor.passes.lock().unwrap().push(pass);
        let status = ask(&service).await;
        assert_eq!(status["verdict"], "problems");
        assert_eq!(
            codes(&status),
            ["unserved_nodes", "late_pass", "orphaned_leases"],
            "{status:#}"
        );
        let first = &status["problems"][0];
        assert_eq!(first["severity"], "error");
        let text = first["text"].as_str().unwrap();
        assert!(text.contains("redfish") && text.contains("east"), "{text}");
        assert!(
            first["advice"]
                .as_str()
                .unwrap()
                .contains("conductor_group")
        );
        assert_eq!(status["leases"]["count"], 1);
        assert_eq!(status["leases"]["quietest"]["conductor"], "cond1");

        let refusal = Fault::NotNow("http://h:8089: refused.".into());
        service.conductor.refusals.lock().unwrap().push(refusal);
        let status = ask(&service).await;
        assert!(codes(&status).contains(&"mute_conductor"), "{status:#}");
        let error = status["conductors"][0]["error"].as_str().unwrap();
        assert!(error.contains("refused"), "{error}");
    }

    #[tokio::test]
    async fn failed_nodes_are_told_of() {
        let service = Service::new();
        register(&service, "cond1").await;
        let mut failed = Node::new(NodeId::generate(), "fake-hardware");
        failed.provision_state = types::ProvisionState::DeployFailed;
        failed.maintenance = true;
        service.store_node(failed).await;
        let node = Node::new(NodeId::generate(), "fake-hardware");
        service.store_node(node).await;
        let status = ask(&service).await;
        assert_eq!(status["verdict"], "warnings", "{status:#}");
        assert_eq!(codes(&status), ["failed_nodes"]);
        assert_eq!(
            status["nodes"],
            json!({"count": 2, "failed": 1, "maintenance": 1,
                "by_state": {"deploy failed": 1, "enroll": 1}})
        );
        let text = status["problems"][0]["text"].as_str().unwrap();
        assert_eq!(text, "A node has failed: 1 deploy failed.");
    }

    #[tokio::test]
    async fn who_signed_off_is_no_problem() {
        let service = Service::new();
        register(&service, "cond1").await;
        let off = register(&service, "cond2").await;
        store::member::sign_off(&service.db, &off).await.unwrap();
        let status = ask(&service).await;
        assert_eq!(status["conductors"][1]["state"], "stopped");
        assert_eq!(status["verdict"], "ok", "{status:#}");
    }

    #[tokio::test]
    async fn conductors_stand_as_they_are_seen() {
        let service = Service::new();
        register(&service, "cond1").await;
        let member = store::member::find(&service.db, "cond1").await.unwrap();
        let mut member = member.unwrap();
        let (now, later) = (Timestamp::now(), Timestamp::now().plus_seconds(61));
        let stands = |member: &Member, watched, at| Standing::of(member, watched, 60, at).as_str();
        assert_eq!(stands(&member, None, now), "alive");
        assert_eq!(stands(&member, None, later), "silent");
        // Whoever watches needs no clock of the wall.
        assert_eq!(stands(&member, Some(true), later), "alive");
        assert_eq!(stands(&member, Some(false), later), "silent");
        // A watcher that has just started has not seen it yet.
        assert_eq!(stands(&member, Some(false), now), "alive");
        member.online = false;
        assert_eq!(stands(&member, Some(false), now), "leaving");
        assert_eq!(stands(&member, Some(false), later), "silent");
        member.counter = types::lease::SIGNED_OFF;
        assert_eq!(stands(&member, None, now), "stopped");
    }

    #[tokio::test]
    async fn only_readers_of_the_system_see_it() {
        let service = Service::guarded();
        for (persona, expected) in [
            ("reader@system", 200),
            ("admin@system", 200),
            ("admin@p1", 403),
            ("nothing@system", 403),
        ] {
            let answer = service.get_as(persona, PATH).await;
            assert_eq!(answer.status.as_u16(), expected, "{persona}");
        }
        let answer = service
            .get_as("reader@system", "/corten/v1/status?x=1")
            .await;
        assert_eq!(answer.status, 400);
    }
}
