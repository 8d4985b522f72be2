//! Input that makes no sense: refused with a 4xx in the right envelope, nothing changed, and nothing
//! in the log that would wake an operator.

mod catalog;

use crate::{
    database::Engine,
    http::{Answer, Request},
    lab::{Lab, Options},
    logs,
};
use catalog::{CHASSIS, NODE, PORT};
use serde_json::{Value, json};
use std::time::Duration;

every_engine!(
    bodies_that_are_no_json_or_of_the_wrong_type,
    bodies_with_unknown_fields,
    bodies_that_are_too_large_or_too_deep,
    versions_that_do_not_exist,
    queries_that_make_no_sense,
    texts_that_only_some_databases_take,
    texts_that_every_database_must_take,
    steps_with_strange_names_leave_no_node_behind,
    bytes_that_are_no_http,
);

/// A service with one object of each kind.
async fn lab(engine: Engine) -> Lab {
    logs::listen();
    let mut options = Options::default();
    // The sign of life would change the database while we compare it. It is given several times
    // before its absence counts, so both are far away.
    options.conductor.heartbeat_interval = Duration::from_secs(3600);
    options.conductor.heartbeat_timeout = Duration::from_secs(36_000);
    let lab = Lab::with(engine, options).await;
    let client = &lab.client;
    let node = json!({"uuid": NODE, "name": "victim", "driver": "fake-hardware"});
    client.post("/v1/nodes", node).await.expect(201);
    let port = json!({"uuid": PORT, "node_uuid": NODE, "address": "52:54:00:00:00:01"});
    client.post("/v1/ports", port).await.expect(201);
    client
        .post("/v1/chassis", json!({"uuid": CHASSIS}))
        .await
        .expect(201);
    lab
}

/// Sends requests and collects those that were not refused as they should be.
struct Judge<'a> {
    lab: &'a Lab,
    before: String,
    complaints: Vec<String>,
    sent: usize,
}

impl<'a> Judge<'a> {
    async fn new(lab: &'a Lab) -> Self {
        Self {
            lab,
            before: state(lab).await,
            complaints: Vec::new(),
            sent: 0,
        }
    }

    async fn refuses(&mut self, what: &str, request: Request) {
        let answer = self.lab.client.send(request).await;
        self.judge(what, &answer);
    }

    fn judge(&mut self, what: &str, answer: &Answer) {
        self.sent += 1;
        if !(400..500).contains(&answer.status) {
            let text: String = answer.text().chars().take(200).collect();
            self.complaints
                .push(format!("{what}: {} {text}", answer.status));
        } else if let Err(problem) = check_envelope(answer) {
            self.complaints.push(format!("{what}: {problem}"));
        }
    }

    async fn finish(self) {
        assert!(self.sent > 0);
        let (count, sent) = (self.complaints.len(), self.sent);
        let list = self.complaints.join("\n  ");
        assert!(
            count == 0,
            "{count} of {sent} requests were not refused:\n  {list}"
        );
        assert_eq!(
            state(self.lab).await,
            self.before,
            "a refused request changed something"
        );
        assert_eq!(logs::errors(), Vec::<String>::new());
    }
}

/// Everything there is, but for what every lock of a node changes.
async fn state(lab: &Lab) -> String {
    lab.log_settles().await;
    // Rows of nodes carry versions and leases; their documents show the rest.
    let rows = lab.database.dump();
    let rows = rows.lines().filter(|line| !line.starts_with("nodes "));
    let path = "/v1/nodes/detail?include_children=true";
    let mut nodes = lab.client.get(path).await.expect(200).json();
    for node in nodes["nodes"].as_array_mut().unwrap() {
        node["updated_at"] = Value::Null;
    }
    format!("{}\n{nodes:#}", rows.collect::<Vec<_>>().join("\n"))
}

/// `{"error_message": "<JSON>"}` with a fault of the service or of the router inside, or the bare
/// fault that a body over the limits gets.
fn check_envelope(answer: &Answer) -> Result<(), String> {
    let wrong = || {
        Err(format!(
            "not an error envelope: {} {}",
            answer.status,
            answer.text()
        ))
    };
    let Ok(outer) = serde_json::from_slice::<Value>(&answer.body) else {
        return wrong();
    };
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let bare = outer["faultcode"] == "Client" && is_text(&outer["faultstring"]);
    if bare {
        return Ok(());
    }
    let inner = outer["error_message"]
        .as_str()
        .map(serde_json::from_str::<Value>);
    let Some(Ok(inner)) = inner else {
        return wrong();
    };
    let service = inner["faultcode"] == "Client" && is_text(&inner["faultstring"]);
    let router = inner["code"] == answer.status && inner["description"].is_string();
    if service || router { Ok(()) } else { wrong() }
}

async fn bodies_that_are_no_json_or_of_the_wrong_type(engine: Engine) {
    let lab = lab(engine).await;
    let mut judge = Judge::new(&lab).await;
    for write in catalog::WRITES {
        for body in catalog::BROKEN.iter().chain(write.wrong_types()) {
            let request = Request::new(write.method, write.path).raw(body.to_vec());
            let shown = String::from_utf8_lossy(body);
            judge.refuses(&format!("{write} {shown}"), request).await;
        }
    }
    judge.finish().await;
    lab.stop().await;
}

async fn bodies_with_unknown_fields(engine: Engine) {
    let lab = lab(engine).await;
    let mut judge = Judge::new(&lab).await;
    for write in catalog::WRITES {
        for body in write.unknown_fields() {
            let request = Request::new(write.method, write.path).json(&body);
            judge.refuses(&format!("{write} {body}"), request).await;
        }
    }
    judge.finish().await;
    lab.stop().await;
}

async fn bodies_that_are_too_large_or_too_deep(engine: Engine) {
    const DEPTH: usize = 1000;
    let lab = lab(engine).await;
    let mut judge = Judge::new(&lab).await;
    let large = json!({"target": "nothing", "pad": "x".repeat(2 * 1024 * 1024)}).to_string();
    let lists = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
    let objects = r#"{"extra":"#.repeat(DEPTH) + "1" + &"}".repeat(DEPTH);
    let unclosed = "[".repeat(100_000);
    let bodies = [
        ("large", large),
        ("deep lists", lists),
        ("deep objects", objects),
        ("unclosed lists", unclosed),
    ];
    for write in catalog::WRITES {
        for (name, body) in &bodies {
            for kind in [
                "application/json",
                "text/plain",
                "application/x-www-form-urlencoded",
            ] {
                // A text that is not said to be JSON is not read where nothing has to be said.
                if kind == "text/plain" && write.body_is_optional() {
                    continue;
                }
                let request = Request::new(write.method, write.path)
                    .header("Content-Type", kind)
                    .raw(body.clone().into_bytes());
                judge
                    .refuses(&format!("{write} {name} as {kind}"), request)
                    .await;
            }
        }
    }
    judge.finish().await;
    lab.stop().await;
}

async fn versions_that_do_not_exist(engine: Engine) {
    let lab = lab(engine).await;
    let mut judge = Judge::new(&lab).await;
    let long = format!("1.{}", "9".repeat(1000));
    let mut versions = catalog::VERSIONS.to_vec();
    versions.push(&long);
    for version in versions {
        for (method, path) in [
            ("GET", "/v1/nodes"),
            ("POST", "/v1/nodes"),
            ("GET", "/v1/nope"),
        ] {
            let mut request = Request::bare(method, path).version(version);
            if method == "POST" {
                request = request.json(&json!({"driver": "fake-hardware"}));
            }
            let shown: String = version.chars().take(30).collect();
            judge
                .refuses(&format!("{method} {path} @{shown}"), request)
                .await;
        }
    }
    judge.finish().await;
    lab.stop().await;
}

async fn queries_that_make_no_sense(engine: Engine) {
    let lab = lab(engine).await;
    let mut judge = Judge::new(&lab).await;
    for list in catalog::LISTS {
        for query in catalog::QUERIES.iter().chain(list.queries) {
            let path = format!("{}?{query}", list.path);
            judge.refuses(&path, Request::new("GET", &path)).await;
        }
    }
    for path in catalog::PATHS {
        judge.refuses(path, Request::new("GET", path)).await;
    }
    judge.finish().await;
    lab.stop().await;
}

/// What one database takes and another refuses is refused before it reaches either.
async fn texts_that_only_some_databases_take(engine: Engine) {
    let lab = lab(engine).await;
    let mut judge = Judge::new(&lab).await;
    let nodes = "/v1/nodes";
    for field in catalog::TEXT_FIELDS {
        let long = "x".repeat(field.width + 1);
        for (what, text) in [("NUL", "a\u{0}b"), ("too long", long.as_str())] {
            let what = format!("{} {} {what}", field.path, field.name);
            let patch = json!([{"op": "add", "path": format!("/{}", field.name), "value": text}]);
            let request = Request::new("PATCH", field.path).json(&patch);
            judge.refuses(&format!("PATCH {what}"), request).await;
            if field.path.starts_with(nodes) {
                let body = json!({"driver": "fake-hardware", field.name: text});
                let request = Request::new("POST", nodes).json(&body);
                judge.refuses(&format!("POST {what}"), request).await;
            }
        }
    }
    let path = format!("/v1/nodes/{NODE}/maintenance");
    let request = Request::new("PUT", &path).json(&json!({"reason": "a\u{0}b"}));
    judge.refuses("maintenance NUL", request).await;
    judge.finish().await;
    lab.stop().await;
}

/// Under the keys of JSON fields every text is welcome, and who asks may call himself anything.
async fn texts_that_every_database_must_take(engine: Engine) {
    let lab = lab(engine).await;
    let node = lab.machine(NODE);
    let long = "x".repeat(10_000);
    for text in [
        "a\u{0}b",
        "",
        &long,
        "\u{ffff}\u{10ffff}",
        "'; DROP TABLE nodes; --",
        "%s\\",
    ] {
        for field in ["extra", "properties", "driver_info", "instance_info"] {
            let patch = json!([{"op": "add", "path": format!("/{field}/key"), "value": text}]);
            node.patch(patch).await.expect(200);
            assert_eq!(node.show().await[field]["key"], text, "{field}");
        }
    }
    let path = node.path("/maintenance");
    for caller in ["alice", &"x".repeat(300), &"x".repeat(5000)] {
        let request = Request::new("PUT", &path)
            .header("X-User-Id", caller)
            .header("X-Project-Id", caller)
            .json(&json!({}));
        lab.client.send(request).await.expect(202);
    }
    assert_eq!(logs::errors(), Vec::<String>::new());
    lab.stop().await;
}

/// Names of steps reach error texts and the history; whatever they are, the flow must end.
async fn steps_with_strange_names_leave_no_node_behind(engine: Engine) {
    let lab = lab(engine).await;
    let node = lab.machine(NODE);
    node.asks("manage").await.rests().await;
    node.asks("adopt").await.rests().await;
    for name in ["a\u{0}b", "", "\u{10ffff}", "'", &"x".repeat(5000), "{0}%s"] {
        let steps = json!([{"interface": "deploy", "step": name}]);
        let answer = node
            .provision(json!({"target": "service", "service_steps": steps}))
            .await;
        if (400..500).contains(&answer.status) {
            continue;
        }
        answer.expect(202);
        let failed = node.rests().await;
        assert_eq!(failed["provision_state"], "service failed");
        assert!(!node.history().await.is_empty());
        lab.client
            .delete(&node.path("/maintenance"))
            .await
            .expect(202);
        node.asks("abort").await.rests().await;
    }
    lab.stop().await;
}

async fn bytes_that_are_no_http(engine: Engine) {
    let lab = lab(engine).await;
    let before = state(&lab).await;
    let version = b"X-OpenStack-Ironic-API-Version: 1.115\r\n";
    let mut requests: Vec<Vec<u8>> = catalog::BYTES.iter().map(|b| b.to_vec()).collect();
    requests.push(
        [
            &b"GET /v1/nodes HTTP/1.1\r\nHost: h\r\n"[..],
            &version[..12],
            b"\xff: 1\r\n\r\n",
        ]
        .concat(),
    );
    requests.push(vec![b'A'; 1024 * 1024]);
    for bytes in requests {
        // Closing without an answer is an answer too; hanging or a 5xx is not.
        if let Ok(answer) = lab.client.send_bytes(&bytes).await {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
            let fine = (400..500).contains(&answer.status);
            assert!(fine, "{shown:?}: {} {}", answer.status, answer.text());
        }
    }
    lab.client.get("/v1/nodes").await.expect(200);
    assert_eq!(state(&lab).await, before);
    assert_eq!(logs::errors(), Vec::<String>::new());
    lab.stop().await;
}
