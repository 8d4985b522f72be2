//! What Prometheus reads from a whole service: by a strict reader of its text format.

use crate::{database::Engine, lab::Lab};
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use types::ProvisionState;

every_engine!(a_service_at_work_tells_its_numbers, what_failed_is_counted);

/// A sample: its labels in order, and its value.
type Sample = (Vec<(String, String)>, f64);

/// What a page says, by the names of families.
struct Page {
    kinds: HashMap<String, String>,
    /// By the full name of the sample.
    samples: BTreeMap<String, Vec<Sample>>,
}

impl Page {
    /// Refuses whatever the format does not allow.
    fn read(text: &str) -> Self {
        assert!(text.ends_with('\n'), "the last line has no end");
        let mut page = Self {
            kinds: HashMap::new(),
            samples: BTreeMap::new(),
        };
        let mut family = String::new();
        let mut seen = HashSet::new();
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, sentence) = help.split_once(' ').unwrap();
                assert!(sentence.ends_with('.'), "{line}");
                assert!(!page.kinds.contains_key(name), "twice: {line}");
                name.clone_into(&mut family);
                continue;
            }
            if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').unwrap();
                assert_eq!(name, family, "a type without help before it");
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                page.kinds.insert(name.to_owned(), kind.to_owned());
                continue;
            }
            let (name, labels, value) = sample(line);
            let kind = &page.kinds[&family];
            let allowed: &[&str] = match kind.as_str() {
                "histogram" => &["_bucket", "_sum", "_count"],
                _ => &[""],
            };
            let suffix = name.strip_prefix(family.as_str()).expect(line);
            assert!(allowed.contains(&suffix), "{line}");
            assert!(seen.insert((name.clone(), labels.clone())), "twice: {line}");
            page.samples.entry(name).or_default().push((labels, value));
        }
        for (name, kind) in &page.kinds {
            if kind == "histogram" {
                page.check_buckets(name);
            }
        }
        page
    }

    /// Buckets rise, end with infinity, and that one is the count.
    fn check_buckets(&self, name: &str) {
        let mut last: HashMap<Vec<(String, String)>, (f64, f64)> = HashMap::new();
        for (labels, value) in self.of(&format!("{name}_bucket")) {
            let mut labels = labels.clone();
            let (label, limit) = labels.pop().unwrap();
            assert_eq!(label, "le");
            let limit: f64 = limit.replace("+Inf", "inf").parse().unwrap();
            let before = last.insert(labels, (limit, *value));
            let (lower, fewer) = before.unwrap_or((-1.0, 0.0));
            assert!(lower < limit && fewer <= *value, "{name}");
        }
        for (labels, count) in self.of(&format!("{name}_count")) {
            assert_eq!(last[labels], (f64::INFINITY, *count), "{name} {labels:?}");
        }
    }

    fn of(&self, name: &str) -> &[Sample] {
        self.samples.get(name).map_or(&[], Vec::as_slice)
    }

    /// The one sample with these labels.
    #[track_caller]
    fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let fits = |sample: &&Sample| {
            labels
                .iter()
                .all(|(name, value)| sample.0.iter().any(|(n, v)| n == name && v == value))
        };
        let found: Vec<&Sample> = self.of(name).iter().filter(fits).collect();
        assert_eq!(found.len(), 1, "{name} {labels:?}: {found:?}");
        found[0].1
    }
}

/// A line: name, labels, value.
fn sample(line: &str) -> (String, Vec<(String, String)>, f64) {
    let end = line.find(['{', ' ']).expect(line);
    let (name, mut rest) = line.split_at(end);
    let is_name = |text: &str| {
        !text.is_empty()
            && !text.starts_with(|c: char| c.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    assert!(is_name(name), "{line}");
    let mut labels = Vec::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            let (label, value) = rest.split_once("=\"").expect(line);
            assert!(is_name(label), "{line}");
            let (mut text, mut escaped, mut length) = (String::new(), false, None);
            for (at, c) in value.char_indices() {
                match (escaped, c) {
                    (true, 'n') => text.push('\n'),
                    (true, '\\' | '"') => text.push(c),
                    (true, _) => panic!("{line}"),
                    (false, '\\') => {}
                    (false, '"') => {
                        length = Some(at + 1);
                        break;
                    }
                    (false, c) => text.push(c),
                }
                escaped = !escaped && c == '\\';
            }
            labels.push((label.to_owned(), text));
            rest = &value[length.expect(line)..];
            match rest.split_at(1) {
                (",", more) => rest = more,
                ("}", more) => {
                    rest = more;
                    break;
                }
                _ => panic!("{line}"),
            }
        }
    }
    let value = rest.strip_prefix(' ').expect(line);
    (name.to_owned(), labels, value.parse().expect(line))
}

async fn a_service_at_work_tells_its_numbers(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({"name": "m1"})).await;
    machine
        .asks("manage")
        .await
        .reaches(ProvisionState::Manageable)
        .await;
    lab.enroll(json!({"name": "m2"})).await;
    lab.client.get("/v1/nodes/nobody").await.expect(404);
    lab.client.get("/nowhere/at/all").await.expect(404);
    let hook = json!({"url": "http://127.0.0.1:9/", "after": 0, "enabled": false});
    let hook = lab.client.post("/corten/v1/webhooks", hook).await;
    let hook = hook.expect(201).json()["uuid"].as_str().unwrap().to_owned();
    lab.log_settles().await;
    // A worker lets go of its node a moment before it goes.
    let page = loop {
        let answer = lab.client.get("/corten/v1/metrics").await.expect(200);
        let page = Page::read(&answer.text());
        if page.value("corten_workers_busy", &[]) == 0.0 {
            break page;
        }
    };
    for (state, count) in [("manageable", 1.0), ("enroll", 1.0)] {
        let label = [("provision_state", state)];
        assert_eq!(page.value("corten_nodes", &label), count);
    }
    let newest = store::event::newest(&lab.db).await.unwrap() as f64;
    assert!(newest > 0.0);
    assert_eq!(page.value("corten_event_log_position", &[]), newest);
    let hook = [("webhook", hook.as_str())];
    assert_eq!(page.value("corten_webhook_lag_events", &hook), newest);
    assert_eq!(page.value("corten_webhook_enabled", &hook), 0.0);
    assert_eq!(page.value("corten_notification_lag_seconds", &[]), 0.0);
    let requests = |route, status| {
        let labels = [("route", route), ("status", status)];
        page.value("corten_http_request_duration_seconds_count", &labels)
    };
    assert_eq!(requests("nodes/{node}", "4xx"), 1.0);
    assert_eq!(requests("nodes/{node}/states/provision", "2xx"), 1.0);
    assert_eq!(requests("none", "4xx"), 1.0);
    assert!(
        page.value(
            "corten_database_duration_seconds_count",
            &[("kind", "write")]
        ) > 3.0
    );
    assert!(page.value("corten_workers_limit", &[]) > 0.0);
    check_dashboard(&page);
    check_rules(&page);
    lab.stop().await;
}

/// What a monitor asks first: how many machines and operations failed, who is out of service, and
/// how the process itself fares.
async fn what_failed_is_counted(engine: Engine) {
    let lab = Lab::start(engine).await;
    let machine = lab.enroll(json!({"name": "m1"})).await;
    machine
        .asks("manage")
        .await
        .reaches(ProvisionState::Manageable)
        .await;
    machine
        .asks("provide")
        .await
        .reaches(ProvisionState::Available)
        .await;
    machine.behave("fake_fail", Some("deploy.deploy")).await;
    machine
        .asks("active")
        .await
        .reaches(ProvisionState::DeployFailed)
        .await;
    let kept = lab.enroll(json!({"name": "m2"})).await;
    let path = kept.path("/maintenance");
    lab.client.put(&path, json!({})).await.expect(202);
    let answer = lab.client.get("/corten/v1/metrics").await.expect(200);
    let page = Page::read(&answer.text());
    let failed = [("provision_state", "deploy failed")];
    assert_eq!(page.value("corten_nodes", &failed), 1.0);
    assert_eq!(page.value("corten_nodes_maintenance", &[]), 1.0);
    for (state, count) in [("alive", 1.0), ("silent", 0.0)] {
        assert_eq!(page.value("corten_conductors", &[("state", state)]), count);
    }
    for (operation, result, count) in [
        ("deploy", "failed", 1.0),
        ("verify", "done", 1.0),
        // Shown before it happens, so that the first one is a rise.
        ("rescue", "failed", 0.0),
    ] {
        let labels = [("operation", operation), ("result", result)];
        let counted = page.value("corten_operations_total", &labels);
        assert_eq!(counted, count, "{operation} {result}");
    }
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    assert_eq!(page.value("corten_build_info", &version), 1.0);
    for name in [
        "process_cpu_seconds_total",
        "process_start_time_seconds",
        "process_resident_memory_bytes",
        "process_open_fds",
        "process_max_fds",
    ] {
        assert!(page.value(name, &[]) > 0.0, "{name}");
    }
    lab.stop().await;
}

/// Every rule for Prometheus is about numbers that there are, or that another rule records.
fn check_rules(page: &Page) {
    let text = include_str!("../../packaging/prometheus/corten-rules.yml");
    let recorded: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- record: "))
        .collect();
    assert!(!recorded.is_empty());
    let mut rules = 0;
    for rule in text.split("expr: ").skip(1) {
        let ends = ["\n        for:", "\n        labels:", "\n      -"];
        let end = ends.iter().filter_map(|end| rule.find(end)).min();
        let expression = &rule[..end.unwrap_or(rule.len())];
        let plain = recorded
            .iter()
            .fold(expression.to_owned(), |plain, name| plain.replace(name, ""));
        names_are_known(page, &plain);
        rules += 1;
    }
    assert!(rules >= 10, "{rules}");
}

/// Checks the names of metrics in an expression, and returns them.
#[track_caller]
fn names_are_known(page: &Page, expression: &str) -> Vec<String> {
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|word| word.starts_with("corten_") || word.starts_with("process_"));
    let mut found = Vec::new();
    for name in names {
        let suffixes = ["_bucket", "_sum", "_count"].into_iter();
        let mut family = suffixes.filter_map(|suffix| name.strip_suffix(suffix));
        let is_histogram = |family| {
            page.kinds
                .get(family)
                .is_some_and(|kind| kind == "histogram")
        };
        let is_known = page.kinds.contains_key(name) || family.any(is_histogram);
        assert!(is_known, "there is no metric {name}: {expression}");
        found.push(name.to_owned());
    }
    found
}

/// Every expression of the dashboard is about numbers that there are.
fn check_dashboard(page: &Page) {
    let text = include_str!("../../packaging/grafana/corten-dashboard.json");
    let dashboard: serde_json::Value = serde_json::from_str(text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .filter_map(|panel| panel["targets"].as_array());
    let mut checked = HashSet::new();
    for target in targets.flatten() {
        let expression = target["expr"].as_str().unwrap();
        checked.extend(names_are_known(page, expression));
    }
    assert!(checked.len() >= 20, "{checked:?}");
}
