//! Files of resources, and what is asked of the service for them.

use serde_json::{Value, json};

use crate::canned::{Answer, RecordedRequest};
use crate::tests::{Ran, ran};

/// Runs `create` with a file of this name and contents.
fn create(name: &str, contents: &str, answers: Vec<Answer>) -> (Ran, Vec<RecordedRequest>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, contents).unwrap();
    ran(&format!("create {}", file.display()), answers)
}

#[test]
fn resources_in_files_belong_to_what_they_stand_in() {
    let contents = "
chassis:
- description: case
  nodes:
  - name: a
    driver: redfish
    traits: [CUSTOM_A]
    portgroups:
    - name: bond
      ports: [{address: '52:54:00:00:00:01'}]
nodes:
- name: b
  driver: redfish
";
    let made = ["c", "n", "", "g", "p", "b"].map(|uuid| Answer::new(201, json!({"uuid": uuid})));
    let (ran, asked) = create("all.yaml", contents, made.to_vec());
    assert_eq!(ran.code, 0, "{}", ran.notes);
    let sent: Vec<(&str, &Value)> = asked
        .iter()
        .map(|asked| (asked.line.as_str(), &asked.body))
        .collect();
    assert_eq!(
        sent,
        [
            ("POST /v1/chassis", &json!({"description": "case"})),
            (
                "POST /v1/nodes",
                &json!({"name": "a", "driver": "redfish", "chassis_uuid": "c"})
            ),
            ("PUT /v1/nodes/n/traits", &json!({"traits": ["CUSTOM_A"]})),
            (
                "POST /v1/portgroups",
                &json!({"name": "bond", "node_uuid": "n"})
            ),
            (
                "POST /v1/ports",
                &json!({"address": "52:54:00:00:00:01", "node_uuid": "n",
                        "portgroup_uuid": "g"})
            ),
            ("POST /v1/nodes", &json!({"name": "b", "driver": "redfish"})),
        ]
    );
}

#[test]
fn what_cannot_be_created_does_not_stop_the_rest() {
    let contents = r#"{"nodes": [{"name": "a", "ports": [{"address": "x"}]},
                                 {"name": "b", "ports": [{"address": "y", "node_uuid": "z"}]}]}"#;
    let answers = vec![
        Answer::fault(400, "no driver"),
        Answer::new(201, json!({"uuid": "u"})),
    ];
    let (ran, asked) = create("all.json", contents, answers);
    assert_eq!((ran.code, asked.len()), (1, 2));
    assert_eq!(
        ran.notes,
        "error: node a: no driver\n\
         error: port y: stands inside u and has node_uuid z\n\
         hint: leave the field out, or move it to where it belongs\n"
    );
}

#[test]
fn files_that_make_no_sense_change_nothing() {
    for (name, contents) in [
        ("a.txt", "{}"),
        ("a.json", "{"),
        ("a.json", "[]"),
        ("a.yaml", "machines: []"),
        ("a.yaml", "nodes: {name: a}"),
        ("a.yaml", "nodes: [a]"),
    ] {
        let (ran, asked) = create(name, contents, Vec::new());
        assert_eq!((ran.code, asked.len()), (1, 0), "{name} {contents}");
        assert!(ran.notes.contains(name), "{}", ran.notes);
    }
}
