//! Tables of machines, what is asked of the service for them, and what is printed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::canned::{self, Answer, Canned, RecordedRequest};
use crate::tests::{Ran, corten};

/// A service that keeps what it is told, and refuses what `refuse` says.
#[derive(Default)]
struct Service {
    nodes: Vec<Value>,
    ports: Vec<Value>,
    /// Requests that are refused, by line and a word of the body.
    refuse: HashMap<&'static str, &'static str>,
}

impl Service {
    fn answer(&mut self, asked: &RecordedRequest) -> Answer {
        let body = asked.body.to_string();
        if let Some((_, word)) = self.refuse.iter().find(|(line, _)| asked.line == **line)
            && body.contains(word)
        {
            return Answer::fault(500, "out of order");
        }
        let path = asked.line.split('?').next().unwrap_or_default();
        match path {
            "GET /v1/drivers" => Answer::new(
                200,
                json!({"drivers": [{"name": "ipmi"}, {"name": "redfish"}]}),
            ),
            "GET /v1/nodes" => Answer::new(200, json!({"nodes": self.nodes})),
            "GET /v1/ports" => Answer::new(200, json!({"ports": self.ports})),
            "POST /v1/nodes" => {
                let mut node = asked.body.clone();
                node["uuid"] = json!(format!("uuid-{}", self.nodes.len()));
                node["provision_state"] = json!("enroll");
                self.nodes.push(node.clone());
                Answer::new(201, node)
            }
            "POST /v1/ports" => {
                self.ports.push(asked.body.clone());
                Answer::new(201, asked.body.clone())
            }
            other => self.about_node(other, &asked.body),
        }
    }

    /// A machine is where it was told to go, or in `clean failed`, at once.
    fn about_node(&mut self, line: &str, body: &Value) -> Answer {
        let (verb, path) = line.split_once(' ').unwrap();
        let uuid = path.split('/').nth(3).unwrap_or_default();
        let node = self.nodes.iter_mut().find(|node| node["uuid"] == uuid);
        let node = node.unwrap_or_else(|| panic!("{line}"));
        if verb == "PUT" {
            let state = match (body["target"].as_str(), &node["name"]) {
                (Some("manage"), _) => "manageable",
                (_, name) if name == "b" => "clean failed",
                _ => "available",
            };
            node["provision_state"] = json!(state);
            return Answer::new(202, "");
        }
        Answer::new(200, node.clone())
    }
}

type Shared = Rc<RefCell<Service>>;

/// Runs `node enrol` with a file of this name and contents.
fn enrol(service: &Shared, name: &str, contents: &str, more: &str) -> (Ran, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, contents).unwrap();
    let service = Rc::clone(service);
    canned::run(async move {
        let server = Canned::with(move |asked| service.borrow_mut().answer(asked)).await;
        let line = format!("node enrol -f json --file {} {more}", file.display());
        let ran = corten(&server, &line).await;
        (ran, server.lines())
    })
}

fn results(ran: &Ran) -> Vec<(String, String)> {
    let rows: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| (text(row, "result"), text(row, "detail")))
        .collect()
}

const TABLE: &str = "\
name,driver,address,username,password,macs,properties.cpu_arch,system_id
a,redfish,10.0.0.1,admin,s3cret,52:54:00:00:00:01 52-54-00-00-00-02,x86_64,/redfish/v1/Systems/1
b,ipmi,10.0.0.2,admin,s3cret,52:54:00:00:00:03,,
";

fn writes(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("POST")).count()
}

#[test]
fn a_table_becomes_nodes_with_ports() {
    let service = Shared::default();
    let (ran, _) = enrol(&service, "t.csv", TABLE, "");
    assert_eq!(ran.code, 0, "{}", ran.notes);
    let service = service.borrow();
    assert_eq!(
        service.nodes[0],
        json!({"name": "a", "driver": "redfish", "uuid": "uuid-0", "provision_state": "enroll",
               "properties": {"cpu_arch": "x86_64"},
               "driver_info": {"redfish_address": "10.0.0.1", "redfish_username": "admin",
                               "redfish_password": "s3cret",
                               "redfish_system_id": "/redfish/v1/Systems/1"}})
    );
    assert_eq!(service.nodes[1]["driver_info"]["ipmi_address"], "10.0.0.2");
    assert_eq!(
        service.ports[1],
        json!({"node_uuid": "uuid-0", "address": "52:54:00:00:00:02"})
    );
    assert_eq!(service.ports.len(), 3);
}

#[test]
fn machines_in_enroll_are_provided_and_no_others() {
    let service = Shared::default();
    let (ran, _) = enrol(&service, "t.csv", TABLE, "");
    assert_eq!(ran.code, 0, "{}", ran.notes);
    let kept = json!({"name": "c", "uuid": "uuid-c", "provision_state": "manageable",
        "driver": "ipmi", "driver_info": {"ipmi_address": "10.0.0.3"}});
    service.borrow_mut().nodes.push(kept);
    let table = format!("{TABLE}c,ipmi,10.0.0.3,admin,s3cret,,,\n");
    let (ran, _) = enrol(&service, "t.csv", &table, "--provide");
    assert_eq!(ran.code, 1, "{}", ran.notes);
    let states: Vec<_> = service
        .borrow()
        .nodes
        .iter()
        .map(|n| n["provision_state"].clone())
        .collect();
    assert_eq!(states, ["available", "clean failed", "manageable"]);
    for text in [
        "c is manageable, and is left so",
        "b: ended up in state 'clean failed' instead of 'available'",
    ] {
        assert!(ran.notes.contains(text), "{text}: {}", ran.notes);
    }
    assert!(ran.out.contains("a is available"), "{}", ran.out);
}

#[test]
fn the_same_table_in_json_and_yaml_asks_for_the_same() {
    let yaml = "
nodes:
- {name: a, driver: redfish, address: 10.0.0.1, macs: ['52:54:00:00:00:01'], extra: {rack: 7}}
";
    let json = r#"[{"name": "a", "driver": "redfish", "driver_info": {"redfish_address": "10.0.0.1"},
                    "macs": "52:54:00:00:00:01", "extra.rack": 7, "owner": null}]"#;
    let (first, second) = (Shared::default(), Shared::default());
    assert_eq!(enrol(&first, "t.yaml", yaml, "").0.code, 0);
    assert_eq!(enrol(&second, "t.json", json, "").0.code, 0);
    assert_eq!(first.borrow().nodes, second.borrow().nodes);
    assert_eq!(first.borrow().ports, second.borrow().ports);
    assert_eq!(first.borrow().nodes[0]["extra"]["rack"], 7);
}

#[test]
fn a_dry_run_says_what_would_be_done_and_writes_nothing() {
    let service = Shared::default();
    let (ran, lines) = enrol(&service, "t.csv", TABLE, "--dry-run");
    assert_eq!((ran.code, writes(&lines)), (0, 0));
    let planned = results(&ran);
    assert!(
        planned
            .iter()
            .all(|(result, _)| result == "would be enrolled")
    );
    assert!(!ran.out.contains("s3cret") && !ran.notes.contains("s3cret"));
}

#[test]
fn one_wrong_row_keeps_all_others_from_being_written() {
    let owner = json!({"uuid": "old", "name": "taken",
                       "driver_info": {"ipmi_address": "10.9.9.9"}});
    let port = json!({"address": "52:54:00:00:00:09", "node_uuid": "old"});
    for (row, why) in [
        ("x,,10.0.0.3,admin,s3cret,,,", "there is no driver"),
        (
            "x,nova,10.0.0.3,admin,s3cret,,,",
            "for nova use driver_info.X",
        ),
        ("x,ipmi,,admin,s3cret,,,", "there is no address of its BMC"),
        (
            "x,ipmi,10.0.0.3,admin,s3cret,52:54,,",
            "'52:54' is no MAC address",
        ),
        (
            "x,ipmi,10.0.0.3,admin,s3cret,,,/s",
            "the column system_id is for",
        ),
        (
            "a,ipmi,10.0.0.3,admin,s3cret,,,",
            "line 2 has the same name",
        ),
        ("x,ipmi,10.0.0.2,admin,s3cret,,,", "line 3 has the same BMC"),
        (
            "x,ipmi,10.0.0.3,admin,s3cret,52:54:00:00:00:03,,",
            "line 3 has the MAC address",
        ),
        (
            "taken,ipmi,10.0.0.3,admin,s3cret,,,",
            "the name belongs to another machine",
        ),
        (
            "x,ipmi,10.0.0.3,admin,s3cret,52:54:00:00:00:09,,",
            "belongs to node old",
        ),
    ] {
        let service = Shared::default();
        service.borrow_mut().nodes.push(owner.clone());
        service.borrow_mut().ports.push(port.clone());
        let (ran, lines) = enrol(&service, "t.csv", &format!("{TABLE}{row}\n"), "");
        assert_eq!((ran.code, writes(&lines)), (1, 0), "{row}");
        let told = results(&ran);
        assert_eq!(told[2].0, "wrong", "{row}");
        assert!(told[2].1.contains(why), "{row}: {}", told[2].1);
        assert!(!ran.out.contains("s3cret") && !ran.notes.contains("s3cret"));
        assert!(ran.notes.contains("1 of 3 rows"), "{}", ran.notes);
    }
}

#[test]
fn a_driver_that_the_service_lacks_is_named_with_those_it_has() {
    let service = Shared::default();
    let (ran, lines) = enrol(&service, "t.csv", "driver,driver_info.x\nsnmp,1\n", "");
    assert_eq!((ran.code, writes(&lines)), (1, 0));
    assert!(
        results(&ran)[0]
            .1
            .contains("no driver snmp; it has ipmi, redfish")
    );
}

#[test]
fn the_same_table_again_changes_nothing() {
    let service = Shared::default();
    assert_eq!(enrol(&service, "t.csv", TABLE, "").0.code, 0);
    let (ran, lines) = enrol(&service, "t.csv", TABLE, "");
    assert_eq!((ran.code, writes(&lines)), (0, 0));
    let planned = results(&ran);
    assert_eq!(planned[0], ("is enrolled".to_owned(), "uuid-0".to_owned()));
}

/// The name of a machine may have been changed since, and it may be spoken to by another protocol.
#[test]
fn a_machine_is_recognised_by_its_bmc_and_by_its_system() {
    let service = Shared::default();
    let old = json!({"uuid": "old", "name": "renamed", "extra": {"system_uuid": "4C4C"},
                     "driver_info": {"redfish_address": "https://10.0.0.2/"}});
    service.borrow_mut().nodes.push(old);
    let by_bmc = "name,driver,address\nb,ipmi,10.0.0.2\n";
    let (ran, lines) = enrol(&service, "t.csv", by_bmc, "");
    assert_eq!((ran.code, writes(&lines)), (0, 0), "{}", ran.out);
    let moved = "name,driver,address,extra.system_uuid\nb,ipmi,10.0.0.77,4c4c\n";
    let (ran, lines) = enrol(&service, "t.csv", moved, "");
    assert_eq!((ran.code, writes(&lines)), (0, 0), "{}", ran.out);
}

#[test]
fn what_was_interrupted_is_taken_up_where_it_stopped() {
    let service = Shared::default();
    let broken = HashMap::from([("POST /v1/ports", "52:54:00:00:00:02")]);
    service.borrow_mut().refuse = broken;
    let (ran, _) = enrol(&service, "t.csv", TABLE, "");
    assert_eq!(ran.code, 1);
    let told = results(&ran);
    assert!(told[0].1.contains("with 1 of 2 ports"), "{}", told[0].1);
    assert_eq!(told[1].0, "enrolled");
    service.borrow_mut().refuse.clear();
    let (ran, lines) = enrol(&service, "t.csv", TABLE, "");
    assert_eq!((ran.code, writes(&lines)), (0, 1), "{}", ran.out);
    assert_eq!(results(&ran)[0].0, "ports added");
    assert_eq!(service.borrow().ports.len(), 3);
}

#[test]
fn files_that_are_no_tables_are_refused_without_being_quoted() {
    for (name, contents) in [
        ("t.txt", "s3cret"),
        ("t.json", "{\"password\": \"s3cret\","),
        ("t.json", "{\"s3cret\": []}"),
        ("t.yaml", "- s3cret"),
        ("t.yaml", "a: [s3cret"),
        ("t.csv", "driver,driver\nipmi,s3cret\n"),
        ("t.csv", "driver,\nipmi,s3cret\n"),
        ("t.csv", "driver\nipmi,s3cret\n"),
        ("t.csv", "driver\n\"s3cret"),
        ("t.csv", "driver\n"),
    ] {
        let service = Shared::default();
        let (ran, lines) = enrol(&service, name, contents, "");
        assert_eq!((ran.code, lines.len()), (1, 0), "{name} {contents}");
        assert!(ran.notes.contains(name), "{}", ran.notes);
        assert!(!ran.notes.contains("s3cret"), "{}", ran.notes);
    }
}
