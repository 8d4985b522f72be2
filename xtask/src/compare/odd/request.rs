//! Makes up odd requests: ordinary ones in which a few things are strange.
//!
//! What is strange is what the files of scenarios have little of, because people write ordinary
//! requests: the order and number of path elements, slashes, escapes and suffixes, headers that are
//! missing or empty, values that are empty, null or of another type, and pointers in patches.

use super::value;
use scenario::random::Random;
use serde_json::{Value, json};

/// The objects of one round.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) node: String,
    pub(super) name: String,
    pub(super) port: String,
    pub(super) group: String,
    pub(super) chassis: String,
    pub(super) allocation: String,
    connector: String,
    target: String,
    template: String,
    runbook: String,
    rule: String,
    round: usize,
    mac: String,
}

impl Objects {
    pub(super) fn of_round(round: usize) -> Self {
        let id = |kind: &str| format!("00000000-0000-0fff-{round:04x}-0000000000{kind}");
        Self {
            node: id("01"),
            name: format!("odd-{round}"),
            port: id("0e"),
            group: id("0d"),
            chassis: id("0c"),
            allocation: id("0a"),
            connector: id("c1"),
            target: id("c2"),
            template: id("d1"),
            runbook: id("d2"),
            rule: id("d3"),
            round,
            mac: format!("52:54:00:{:02x}:{:02x}:01", round / 256, round % 256),
        }
    }

    /// Requests that make them.
    pub(super) fn made(&self) -> Vec<Value> {
        let post = |list: &str, body: Value| {
            json!({"name": format!("make {list}"), "method": "POST", "path": format!("/v1/{list}"),
                "version": "1.115", "body": body})
        };
        vec![
            post("chassis", json!({"uuid": self.chassis})),
            post(
                "nodes",
                json!({"uuid": self.node, "name": self.name, "driver": "fake-hardware",
                    "resource_class": self.name, "chassis_uuid": self.chassis}),
            ),
            post(
                "portgroups",
                json!({"uuid": self.group, "node_uuid": self.node}),
            ),
            post(
                "ports",
                json!({"uuid": self.port, "node_uuid": self.node, "address": self.mac}),
            ),
            post(
                "allocations",
                json!({"uuid": self.allocation, "resource_class": "nothing has this"}),
            ),
            post(
                "volume/connectors",
                json!({"uuid": self.connector, "node_uuid": self.node, "type": "iqn",
                    "connector_id": format!("iqn.{}", self.name)}),
            ),
            post(
                "volume/targets",
                json!({"uuid": self.target, "node_uuid": self.node, "volume_type": "iscsi",
                    "boot_index": 0, "volume_id": "odd"}),
            ),
            post(
                "deploy_templates",
                json!({"uuid": self.template, "name": format!("CUSTOM_ODD_{}", self.round),
                    "steps": [{"interface": "bios", "step": "x", "args": {}, "priority": 1}]}),
            ),
            post(
                "runbooks",
                json!({"uuid": self.runbook, "name": format!("CUSTOM_ODD_{}", self.round),
                    "steps": [{"interface": "bios", "step": "x", "args": {}, "order": 1}]}),
            ),
            post(
                "inspection_rules",
                json!({"uuid": self.rule, "conditions": [],
                    "actions": [{"op": "log", "args": {"msg": "x", "level": "info"}}]}),
            ),
        ]
    }

    /// Requests that remove what may be left of them.
    pub(super) fn removed(&self) -> Vec<Value> {
        let paths = [
            format!("/v1/allocations/{}", self.allocation),
            format!("/v1/deploy_templates/{}", self.template),
            format!("/v1/runbooks/{}", self.runbook),
            format!("/v1/inspection_rules/{}", self.rule),
            format!("/v1/volume/connectors/{}", self.connector),
            format!("/v1/volume/targets/{}", self.target),
            format!("/v1/nodes/{}/maintenance", self.node),
            format!("/v1/ports/{}", self.port),
            format!("/v1/portgroups/{}", self.group),
            format!("/v1/nodes/{}", self.node),
            format!("/v1/chassis/{}", self.chassis),
        ];
        let delete = |path: String| json!({"name": format!("remove {path}"), "method": "DELETE", "path": path, "version": "1.115"});
        paths.into_iter().map(delete).collect()
    }

    pub(super) fn filled(&self, path: &str) -> String {
        path.replace("{node}", &self.node)
            .replace("{name}", &self.name)
            .replace("{port}", &self.port)
            .replace("{group}", &self.group)
            .replace("{chassis}", &self.chassis)
            .replace("{allocation}", &self.allocation)
            .replace("{connector}", &self.connector)
            .replace("{target}", &self.target)
            .replace("{template}", &self.template)
            .replace("{runbook}", &self.runbook)
            .replace("{rule}", &self.rule)
    }
}

/// Ordinary paths, and the body that goes with their `POST` or `PUT`.
const PATHS: &[(&str, &str)] = &[
    ("nodes", r#"{"driver": "fake-hardware"}"#),
    ("nodes/{node}", ""),
    ("nodes/{name}", ""),
    ("nodes/{node}/states", ""),
    ("nodes/{node}/states/power", r#"{"target": "power on"}"#),
    ("nodes/{node}/states/provision", r#"{"target": "manage"}"#),
    ("nodes/{node}/states/raid", r#"{"logical_disks": []}"#),
    ("nodes/{node}/states/console", r#"{"enabled": false}"#),
    ("nodes/{node}/states/boot_mode", r#"{"target": "uefi"}"#),
    ("nodes/{node}/states/secure_boot", r#"{"target": true}"#),
    (
        "nodes/{node}/management/boot_device",
        r#"{"boot_device": "pxe"}"#,
    ),
    ("nodes/{node}/management/boot_device/supported", ""),
    ("nodes/{node}/management/inject_nmi", ""),
    ("nodes/{node}/management/indicators", ""),
    (
        "nodes/{node}/management/indicators/led@chassis",
        r#"{"state": "on"}"#,
    ),
    ("nodes/{node}/maintenance", r#"{"reason": "why"}"#),
    ("nodes/{node}/traits", r#"{"traits": ["CUSTOM_ODD"]}"#),
    ("nodes/{node}/traits/CUSTOM_ODD", ""),
    ("nodes/{node}/vifs", r#"{"id": "odd"}"#),
    ("nodes/{node}/vmedia", ""),
    ("nodes/{node}/ports", ""),
    ("nodes/{node}/portgroups", ""),
    ("nodes/{node}/volume", ""),
    ("nodes/{node}/volume/connectors", ""),
    ("nodes/{node}/volume/targets", ""),
    ("nodes/{node}/bios", ""),
    ("nodes/{node}/firmware", ""),
    ("nodes/{node}/history", ""),
    ("nodes/{node}/inventory", ""),
    ("nodes/{node}/children", ""),
    ("nodes/{node}/allocation", ""),
    ("nodes/{node}/validate", ""),
    ("nodes/{node}/vendor_passthru/methods", ""),
    ("ports", ""),
    ("ports/{port}", ""),
    ("portgroups/{group}", ""),
    ("portgroups/{group}/ports", ""),
    ("chassis/{chassis}", ""),
    ("chassis/{chassis}/nodes", ""),
    ("allocations/{allocation}", ""),
    ("drivers", ""),
    ("drivers/fake-hardware", ""),
    ("drivers/fake-hardware/properties", ""),
    ("drivers/fake-hardware/raid/logical_disk_properties", ""),
    ("drivers/fake-hardware/vendor_passthru/methods", ""),
    ("deploy_templates", ""),
    ("runbooks", ""),
    ("inspection_rules", ""),
    ("volume", ""),
    ("volume/connectors", ""),
    ("volume/targets", ""),
    ("volume/connectors/{connector}", ""),
    ("volume/targets/{target}", ""),
    ("deploy_templates/{template}", ""),
    ("runbooks/{runbook}", ""),
    ("runbooks/{runbook}/traits", r#"{"traits": ["CUSTOM_ODD"]}"#),
    ("inspection_rules/{rule}", ""),
    ("nodes/{node}/portgroups/{group}", ""),
    ("nodes/{node}/portgroups/{group}/ports", ""),
    ("nodes/{node}/ports/{port}", ""),
    ("nodes/{node}/volume/connectors/{connector}", ""),
    ("nodes/{node}/bios/nothing", ""),
    ("nodes/{node}/history/nothing", ""),
    ("nodes/{node}/vifs/odd", ""),
    ("nodes/detail", ""),
    ("nodes/validate", ""),
    ("ports/detail", ""),
    ("portgroups", ""),
    ("portgroups/detail", ""),
    ("chassis", ""),
    ("chassis/detail", ""),
    ("allocations", ""),
    ("conductors", ""),
    ("continue_inspection", ""),
    ("shards", ""),
    ("lookup", ""),
    (
        "heartbeat/{node}",
        r#"{"callback_url": "http://192.0.2.1", "agent_token": "x"}"#,
    ),
    (
        "heartbeat",
        r#"{"node_ident": "{name}", "callback_url": "http://192.0.2.1"}"#,
    ),
    ("events", r#"{"events": []}"#),
];

const VERSIONS: &[&str] = &[
    "1.115", "1.115", "1.115", "1.115", "1.1", "1.7", "1.23", "1.31", "1.46", "1.61", "1.81",
];

/// What a query may say, fitting or not.
const QUERIES: &[&str] = &[
    "limit=",
    "limit=0",
    "limit=x",
    "marker=",
    "sort_key=",
    "sort_key=uuid",
    "sort_dir=",
    "sort_dir=up",
    "fields=",
    "fields=uuid",
    "fields=,",
    "fields=uuid,nothing",
    "detail=",
    "detail=true",
    "node_ident=",
    "node_ident={name}",
    "x=1",
    "=1",
    "&&",
    "limit=1&limit=2",
    "fields=uuid&fields=name",
    "node={name}",
    "node=",
    "address=",
    "owner=",
    "associated=",
    "maintenance=",
    "provision_state=",
    "resource_class=",
    "%66ields=uuid",
    "fields=%75uid",
    "fields=u+d",
    "fields=uuid,uuid",
    "fields=uuid,%20name",
    "fields=UUID",
    "fields=%ff",
    "%ff=1",
    "limit=%31",
    "limit=-1",
    "limit=1.5",
    "limit=99999999999999999999",
    "marker=nothing",
    "marker={node}",
    "sort_key=nothing",
    "sort_key=created_at",
    "sort_dir=ASC",
    "sort_dir=desc",
    "detail=1",
    "detail=maybe",
    "node_uuid={node}",
    "instance_uuid=x",
    "driver=fake-hardware",
    "parent_node={name}",
    "include_children=maybe",
    "sharded=maybe",
    "retired=maybe",
    "fault=",
    "conductor=nothing",
    "conductor_group=",
    "project=",
    "lessee=",
    "shard=a,,b",
    "description_contains=",
    "type=nothing",
    "state=nothing",
    "portgroup={group}",
    "addresses=x",
    "reset_interfaces=maybe",
];

const PATCHES: &[&str] = &[
    r#"[]"#,
    r#"[{"op": "add", "path": "/extra/a", "value": 1}]"#,
    r#"[{"op": "add", "path": "/extra/a~1b", "value": 1}]"#,
    r#"[{"op": "add", "path": "/extra/a~0b", "value": 1}]"#,
    r#"[{"op": "add", "path": "/extra/a~2", "value": 1}]"#,
    r#"[{"op": "add", "path": "/extra/", "value": 1}]"#,
    r#"[{"op": "add", "path": "/extra//a", "value": 1}]"#,
    r#"[{"op": "add", "path": "//extra", "value": 1}]"#,
    r#"[{"op": "add", "path": "/", "value": 1}]"#,
    r#"[{"op": "add", "path": "extra", "value": {}}]"#,
    r#"[{"op": "add", "path": "/extra", "value": ""}]"#,
    r#"[{"op": "add", "path": "/extra"}]"#,
    r#"[{"op": "replace", "path": "/extra", "value": {}}]"#,
    r#"[{"op": "replace", "path": "/name", "value": ""}]"#,
    r#"[{"op": "remove", "path": "/extra/nothing"}]"#,
    r#"[{"op": "remove", "path": "/extra", "value": 1}]"#,
    r#"[{"op": "remove", "path": "/description"}]"#,
    r#"[{"op": "add", "path": "/description", "value": ""}]"#,
    r#"[{"op": "", "path": "/extra"}]"#,
    r#"[{"path": "/extra"}]"#,
    r#"[null]"#,
    r#"{}"#,
    r#"null"#,
];

/// Values that are no objects are left out: Ironic ignores them where ours refuses them, which is
/// known.
const BODIES: &[&str] = &["{}", "[]", "null", "{\"x\": 1}", "{\"\": 1}"];

const TYPES: &[Option<&str>] = &[
    None,
    Some(""),
    Some("text/plain"),
    Some("application/x-www-form-urlencoded"),
    Some("application/json; charset=utf-8"),
    Some("application/json-patch+json"),
];

const ACCEPTS: &[Option<&str>] = &[
    None,
    Some(""),
    Some("*/*"),
    Some("text/html"),
    Some("application/json;q=0.5"),
    Some("application/xml"),
    Some("application/*"),
];

const METHODS: &[&str] = &[
    "GET", "GET", "GET", "GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS",
];

/// Version headers that are missing, wrong or written in another way.
const ODD_VERSIONS: &[Option<&str>] = &[
    None,
    Some(""),
    Some("latest"),
    Some("LATEST"),
    Some("1.0"),
    Some("1.116"),
    Some("2.1"),
    Some("1"),
    Some("1."),
    Some("1.05"),
    Some("1.1.1"),
    Some("+1.1"),
    Some("x"),
];

/// One request.
pub(super) fn make(random: &mut Random, objects: &Objects) -> Value {
    if random.chance(25) {
        return with_odd_value(random, objects);
    }
    let (path, fitting) = *random.pick(PATHS);
    let method = match *random.pick(METHODS) {
        // Ironic asks the vendor's interface for methods of such a name.
        "HEAD" if path.contains("vendor_passthru") => "GET",
        method => method,
    };
    let mut path = format!("/v1/{}", objects.filled(path));
    // Either the path is strange or the query: which of two mistakes is told first is no use to know.
    let turns = random.below(3);
    for _ in 0..turns {
        path = strange_path(random, &path, objects);
    }
    // Two slashes at the beginning are an address of another form, which Ironic's server refuses.
    path = format!("/{}", path.trim_start_matches('/'));
    if turns == 0 && random.chance(60) {
        let query = *random.pick(QUERIES);
        let query = objects.filled(query);
        path = format!("{path}?{query}");
    }
    let path_has_query = path.contains('?');
    let version = match random.chance(6) {
        true => *random.pick(ODD_VERSIONS),
        false => Some(*random.pick(VERSIONS)),
    };
    let mut entry = json!({"method": method, "path": path, "version": version});
    let body = match method {
        "HEAD" | "OPTIONS" => None,
        "GET" | "DELETE" if !random.chance(10) => None,
        "PATCH" if random.chance(85) => Some((*random.pick(PATCHES)).to_owned()),
        _ if random.chance(60) && !fitting.is_empty() => Some(objects.filled(fitting)),
        _ if random.chance(20) => None,
        _ if path_has_query => None,
        _ => Some((*random.pick(BODIES)).to_owned()),
    };
    let mut headers = json!({});
    if let Some(mut body) = body {
        // Names that nobody expects are told in no order: there is at most one.
        if !path_has_query {
            body = strange_body(random, &body);
        }
        entry["raw_body"] = body.into();
        if random.chance(25) && !path_has_query {
            headers["Content-Type"] = json!(random.pick(TYPES));
        }
    }
    if random.chance(15) {
        headers["Accept"] = json!(random.pick(ACCEPTS));
    }
    entry["headers"] = headers;
    entry["name"] = named(&entry).into();
    entry
}

/// An ordinary request about an object, in which one value is odd.
fn with_odd_value(random: &mut Random, objects: &Objects) -> Value {
    let (method, (path, body)) = match random.chance(50) {
        true => ("PATCH", value::patch(random, objects)),
        false => ("POST", value::creation(random, objects)),
    };
    let mut entry = json!({
        "method": method, "path": format!("/v1/{path}"), "version": random.pick(VERSIONS),
        "raw_body": body, "headers": {},
    });
    entry["name"] = named(&entry).into();
    entry
}

/// What the request is, so that it can be found among the known differences.
fn named(entry: &Value) -> String {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    let version = entry["version"].as_str().unwrap_or("none");
    let mut name = format!("{} {} @{version}", text("method"), text("path"));
    if let Some(body) = entry["raw_body"].as_str() {
        name = format!("{name} {body}");
    }
    if entry["headers"].as_object().is_some_and(|h| !h.is_empty()) {
        name = format!("{name} {}", entry["headers"]);
    }
    name
}

/// One value of an object becomes empty, null or another type.
fn strange_body(random: &mut Random, body: &str) -> String {
    let Ok(Value::Object(mut map)) = serde_json::from_str(body) else {
        return body.to_owned();
    };
    if random.chance(30)
        && !map.is_empty()
        && let Some(value) = {
            let at = random.below(map.len());
            map.values_mut().nth(at)
        }
    {
        *value = random
            .pick(&[json!(""), json!(null), json!(0), json!([]), json!({})])
            .clone();
    }
    Value::Object(map).to_string()
}

fn strange_path(random: &mut Random, path: &str, objects: &Objects) -> String {
    let mut elements: Vec<String> = path[1..].split('/').map(str::to_owned).collect();
    let count = elements.len();
    match random.below(13) {
        0 => return format!("{path}/"),
        1 => return format!("{path}//"),
        2 => elements.insert(random.below(count) + 1, String::new()),
        3 => {
            let word = random.pick(&["x", "uuid", "detail", "1", "power", "states", "nodes"]);
            elements.push((*word).to_owned());
        }
        4 => {
            let words = ["x", "detail", "ports", "console", &*objects.name];
            let word = (*random.pick(&words)).to_owned();
            elements.insert(random.below(count) + 1, word);
        }
        5 | 6 if count > 3 => {
            let at = 1 + random.below(count - 2);
            elements.swap(at, at + 1);
        }
        7 if count > 2 => {
            elements.remove(1 + random.below(count - 1));
        }
        8 => {
            let last = elements[count - 1].clone();
            elements[count - 1] = format!("{last}%2F");
        }
        9 => {
            let at = random.below(count);
            if let Some(first) = elements[at].chars().next().filter(char::is_ascii) {
                let rest = &elements[at][1..];
                elements[at] = format!("%{:02X}{rest}", u32::from(first));
            }
        }
        10 => return format!("{path}.json"),
        // Names stay as they are: MariaDB, which Ironic runs on, finds them in either case.
        11 if elements[count - 1].contains("-0fff-") => {
            elements[count - 1] = elements[count - 1].to_uppercase();
        }
        _ => {
            elements.remove(0);
        }
    }
    format!("/{}", elements.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn some(seed: u64) -> Vec<Value> {
        let mut random = Random::seeded(seed);
        let objects = Objects::of_round(0);
        (0..500).map(|_| make(&mut random, &objects)).collect()
    }

    #[test]
    fn a_seed_makes_the_same_requests_again() {
        assert_eq!(some(7), some(7));
        assert_ne!(some(7), some(8));
    }

    #[test]
    fn requests_are_of_many_kinds_and_can_be_sent() {
        let requests = some(1);
        let names: HashSet<&str> = requests.iter().filter_map(|r| r["name"].as_str()).collect();
        assert!(names.len() > 450, "{} are different", names.len());
        for request in &requests {
            let path = request["path"].as_str().unwrap_or_default();
            let plain = path.starts_with('/') && path.bytes().all(|b| b.is_ascii_graphic());
            assert!(plain, "{path}");
        }
    }
}
