//! Every request of `golden/rbac.tsv`, tried by every caller of it.
//!
//! Callers are told apart by the headers that `noauth` believes, with the default policy in force:
//! what is proven about tokens is proven elsewhere. Once more they are local users, who have the same
//! roles in the database and prove by a password who they are. Requests are played in the order of
//! the file on one service, because some change what later ones find.

use crate::{
    database::Engine,
    http::{Answer, Request},
    lab::{Lab, Options},
};
use api::{
    Auth,
    policy::{Policy, PolicyOptions},
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc, time::Duration};
use store::account::{Author, role, user};
use types::{
    NodeId,
    account::{Grant, PasswordHash, RoleHolder, RoleScope},
};

every_engine!(callers_get_what_they_got_from_the_original);
on_engine!(local, Sqlite, local_users_get_the_same);

/// Of the password `pw`, at the least cost.
const HASH: &str = "$2b$04$abcdefghijklmnopqrstuuyvPXIbu7xe6/CED2DzX8z6Si09MlzlW";

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
    play_all(Lab::with(engine, options).await, false).await;
}

async fn local_users_get_the_same(engine: Engine) {
    let mut options = Options::default();
    let policy = Policy::load(None, &PolicyOptions::default()).unwrap();
    options.api.policy = Arc::new(policy);
    options.api.auth = Auth::Local(Arc::default());
    play_all(Lab::with(engine, options).await, true).await;
}

/// A local user of the name of a caller, with the roles that it has.
async fn add_user(lab: &Lab, caller: &str) {
    let new = user::NewUser {
        name: caller.parse().unwrap(),
        description: None,
        password: Some(PasswordHash::new(HASH)),
    };
    let author = Author::default;
    user::insert(&lab.db, new, author()).await.unwrap();
    let (roles, header, value) = identity(caller);
    let place = match header {
        "X-Project-Id" => RoleScope::Project(value.parse().unwrap()),
        _ => RoleScope::System,
    };
    // The first one implies the others.
    for role in roles.split(',').take(1).filter(|role| !role.is_empty()) {
        let holder = RoleHolder::User(caller.parse().unwrap());
        let grant = Grant {
            place: place.clone(),
            role: role.parse().unwrap(),
        };
        role::grant(&lab.db, &holder, &grant, author())
            .await
            .unwrap();
    }
}

async fn play_all(lab: Lab, is_local: bool) {
    let callers = TABLE.lines().find(|line| !line.starts_with('#')).unwrap();
    let callers: Vec<&str> = callers.split('\t').nth(2).unwrap().split(' ').collect();
    if is_local {
        for caller in &callers {
            add_user(&lab, caller).await;
        }
    }
    let mut world = World {
        lab: &lab,
        is_local,
        uuids: HashMap::new(),
    };
    world.set_up().await;
    let rows = TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>());
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
    /// Whether callers are local users.
    is_local: bool,
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
        let mut request = Request::new(method, path);
        request = if self.is_local {
            let pair = BASE64_STANDARD.encode(format!("{caller}:pw"));
            request.header("Authorization", &format!("Basic {pair}"))
        } else {
            let (roles, header, value) = identity(caller);
            request.header("X-Roles", roles).header(header, value)
        };
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
