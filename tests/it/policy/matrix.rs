//! Every request of `golden/rbac.tsv`, tried by every caller of it.
//!
//! Callers are told apart by the headers that `noauth` believes, with the default policy in force:
//! what is proven about tokens is proven elsewhere. Requests are played in the order of the file on
//! one service, because some change what later ones find.

use crate::{
    database::Engine,
    http::{Answer, Request},
    lab::{Lab, Options},
};
use api::policy::{Policy, PolicyOptions};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc, time::Duration};
use types::NodeId;

every_engine!(callers_get_what_they_got_from_the_original);

const TABLE: &str = include_str!("../../golden/rbac.tsv");

/// Where we answer otherwise than Ironic, and why: the start of the request, Ironic's
/// status, ours.
const DIFFERENT: &[(&str, &str, &str, &str)] = &[
    (
        "",
        "500",
        "403",
        "a token of the wrong scope is refused like one with the wrong roles",
    ),
    (
        "GET /v1/nodes/{N}/allocation",
        "404",
        "400",
        "a node that does not exist is 400 there, so one that must not be seen is too",
    ),
];

/// What administrators of projects are shown, where Ironic fails: Horizon asks for it.
const SHOWN_TO_ADMINS: &[&str] = &[
    "GET /v1/drivers",
    "GET /v1/drivers/fake-hardware",
    "GET /v1/drivers/fake-hardware/properties",
];

/// Callers who may not see the node N.
const STRANGERS: &[&str] = &["Lsvc", "Xadm", "Xmem", "Xrd", "SvcP", "none"];

async fn callers_get_what_they_got_from_the_original(engine: Engine) {
    let mut options = Options::default();
    let policy = Policy::load(None, &PolicyOptions::default()).unwrap();
    options.api.policy = Arc::new(policy);
    let lab = Lab::with(engine, options).await;
    let mut world = World {
        lab: &lab,
        uuids: HashMap::new(),
    };
    world.set_up().await;
    let mut rows = TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let callers: Vec<&str> = rows.next().unwrap()[2].split(' ').collect();
    let (mut wrong, mut played) = (Vec::new(), 0);
    for row in rows {
        let (request, statuses) = (row[0], row[2].split(' '));
        for (caller, status) in callers.iter().zip(statuses) {
            if status == "-" {
                continue;
            }
            let expected = expected(request, caller, status);
            let got = world.play(request, caller, row[2].contains('/')).await;
            played += 1;
            if got != expected {
                wrong.push(format!("{request} as {caller}: {got}, not {expected}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{}", wrong.join("\n"));
    assert!(played > 2500, "{played}");
    lab.stop().await;
}

fn expected<'s>(request: &str, caller: &str, status: &'s str) -> &'s str {
    if SHOWN_TO_ADMINS.contains(&request) && caller.ends_with("adm") {
        return "200";
    }
    let different = DIFFERENT.iter().find(|(start, theirs, _, _)| {
        // What concerns one request concerns those who may not see what it is about.
        request.starts_with(start)
            && *theirs == status
            && (start.is_empty() || STRANGERS.contains(&caller))
    });
    different.map_or(status, |(_, _, ours, _)| ours)
}

/// The roles that a caller of the table has, and the header that tells the scope.
fn identity(caller: &str) -> (&'static str, &'static str, &'static str) {
    let project = "X-Project-Id";
    if caller == "none" {
        return ("", project, "P1");
    }
    if caller == "SvcP" {
        return ("service", project, "service");
    }
    let (scope, role) = caller.split_at(1);
    let (header, value) = match scope {
        "S" => ("OpenStack-System-Scope", "all"),
        "O" => (project, "P1"),
        "L" => (project, "P2"),
        "X" => (project, "P3"),
        _ => panic!("no scope in {caller}"),
    };
    let roles = match role {
        "adm" => "admin,manager,member,reader",
        "mgr" => "manager,member,reader",
        "mem" => "member,reader",
        "rd" => "reader",
        "svc" => "service",
        _ => panic!("no role in {caller}"),
    };
    (roles, header, value)
}

/// What the requests are about.
struct World<'a> {
    lab: &'a Lab,
    /// By the names that the table uses.
    uuids: HashMap<&'static str, String>,
}

impl World<'_> {
    async fn set_up(&mut self) {
        let steps = json!([{"interface": "bios", "step": "x", "args": {}, "order": 1}]);
        let deploy_steps = json!([{"interface": "bios", "step": "x", "args": {}, "priority": 1}]);
        let node = json!({"driver": "fake-hardware", "owner": "P1", "lessee": "P2"});
        self.create("N", "nodes", node).await;
        let node = json!({"driver": "fake-hardware"});
        self.create("M", "nodes", node).await;
        let (n, m) = (self.uuids["N"].clone(), self.uuids["M"].clone());
        for (name, path, body) in [
            ("CH", "chassis", json!({})),
            (
                "PT",
                "ports",
                json!({"node_uuid": n, "address": "52:54:00:00:00:01"}),
            ),
            (
                "PM",
                "ports",
                json!({"node_uuid": m, "address": "52:54:00:00:00:02"}),
            ),
            ("PG", "portgroups", json!({"node_uuid": n, "name": "pg"})),
            (
                "VC",
                "volume/connectors",
                json!({"node_uuid": n, "type": "iqn", "connector_id": "a"}),
            ),
            (
                "VT",
                "volume/targets",
                json!({"node_uuid": n, "volume_type": "iscsi", "volume_id": "v", "boot_index": 0}),
            ),
            (
                "ALp1",
                "allocations",
                json!({"resource_class": "x", "name": "al", "owner": "P1"}),
            ),
            ("ALnone", "allocations", json!({"resource_class": "x"})),
            (
                "DT",
                "deploy_templates",
                json!({"name": "CUSTOM_DT", "steps": deploy_steps}),
            ),
            (
                "RB",
                "runbooks",
                json!({"name": "rb", "owner": "P1", "steps": steps}),
            ),
            (
                "RBpub",
                "runbooks",
                json!({"name": "rbpub", "public": true, "steps": steps}),
            ),
            (
                "IR",
                "inspection_rules",
                json!({"actions": [{"op": "fail", "args": {"msg": "x"}}], "conditions": []}),
            ),
        ] {
            self.create(name, path, body).await;
        }
    }

    async fn create(&mut self, name: &'static str, path: &str, body: Value) {
        let answer = self
            .send("Sadm", "POST", &format!("/v1/{path}"), Some(&body))
            .await;
        assert_eq!(answer.status, 201, "{name}: {}", answer.text());
        let uuid = answer.json()["uuid"].as_str().unwrap().to_owned();
        self.uuids.insert(name, uuid);
    }

    /// The status of a request by a caller, with the length of the list where it is to be compared.
    async fn play(&mut self, request: &str, caller: &str, is_counted: bool) -> String {
        if request.contains("{D}") {
            let node = json!({"driver": "fake-hardware", "owner": "P1", "lessee": "P2"});
            self.create("D", "nodes", node).await;
        }
        let mut request = request.to_owned();
        for (name, uuid) in &self.uuids {
            request = request.replace(&format!("{{{name}}}"), uuid);
        }
        let mut parts = request.splitn(3, ' ');
        let (method, path) = (parts.next().unwrap(), parts.next().unwrap());
        let body = parts.next().map(|text| serde_json::from_str(text).unwrap());
        let answer = self.send(caller, method, path, body.as_ref()).await;
        // Some work goes on after the answer.
        if method != "GET" && answer.status < 300 {
            self.rests().await;
        }
        if is_counted && answer.status == 200 {
            return format!("200/{}", length(&answer.json()));
        }
        answer.status.to_string()
    }

    async fn send(&self, caller: &str, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let (roles, header, value) = identity(caller);
        let mut request = Request::new(method, path)
            .header("X-Roles", roles)
            .header(header, value);
        if let Some(body) = body {
            request = request.json(body);
        }
        self.lab.client.send(request).await
    }

    /// Waits until nobody works on the node N.
    async fn rests(&self) {
        let db = &self.lab.db;
        let id: NodeId = self.uuids["N"].parse().unwrap();
        loop {
            let seen = store::event::newest(db).await.unwrap();
            let node = store::node::find(db, id).await.unwrap().unwrap();
            if node.reservation.is_none() {
                return;
            }
            store::event::wait(db, seen, Duration::from_millis(200))
                .await
                .unwrap();
        }
    }
}

/// How many items the list in a document has.
fn length(document: &Value) -> usize {
    let mut lists = document.as_object().unwrap().values();
    lists.find_map(Value::as_array).map_or(0, Vec::len)
}
