//! What `node deploy` sends, in which order, and what it refuses before it does.

use super::*;
use crate::canned::{self, Answer, Canned, RecordedRequest};
use crate::tests::{Ran, corten};

fn node(state: &str) -> Value {
    json!({"uuid": "u", "provision_state": state, "instance_info": {
        "image_source": "http://old/i", "image_checksum": "old", "other": 1}})
}

fn valid() -> Value {
    json!({"power": {"result": true}, "deploy": {"result": true}, "boot": {"result": true},
        "rescue": {"result": false, "reason": "not configured"}})
}

/// Runs a command against a service that has the node m1 and the image debian-13.
fn service(
    line: &str,
    state: &'static str,
    verdict: Value,
    refuses: bool,
) -> (Ran, Vec<RecordedRequest>) {
    at(line, state, verdict, refuses, false)
}

/// The same; Ironic itself makes no plans.
fn at(
    line: &str,
    state: &'static str,
    verdict: Value,
    refuses: bool,
    is_ironic: bool,
) -> (Ran, Vec<RecordedRequest>) {
    let validation: Vec<Value> = verdict
        .as_object()
        .unwrap()
        .iter()
        .map(|(interface, said)| {
            json!({"interface": interface, "result": said["result"], "reason": said["reason"]})
        })
        .collect();
    let answer = move |asked: &RecordedRequest| match asked.line.as_str() {
        line if line.starts_with("GET /v1/nodes/m1?") => Answer::new(200, node(state)),
        "GET /corten/v1/images/debian-13" => {
            Answer::new(200, json!({"state": "ready", "sha256": "ab"}))
        }
        "GET /corten/v1/images/half" => {
            Answer::new(200, json!({"state": "fetching", "sha256": null}))
        }
        "POST /corten/v1/nodes/m1/plan" if asked.body["deploy_steps"] != Value::Null => {
            let refusal = json!({"status": 400, "text": "There is no such step."});
            Answer::new(200, json!({"refusal": refusal, "validation": null}))
        }
        "POST /corten/v1/nodes/m1/plan" if is_ironic => Answer::fault(404, "Not Found"),
        "POST /corten/v1/nodes/m1/plan" => {
            Answer::new(200, json!({"refusal": null, "validation": validation}))
        }
        "GET /v1/nodes/m1/validate" => Answer::new(200, verdict.clone()),
        "PATCH /v1/nodes/m1" => Answer::new(200, json!({})),
        "PUT /v1/nodes/m1/states/provision" if refuses => Answer::fault(400, "It is refused."),
        "PUT /v1/nodes/m1/states/provision" => Answer::new(202, ""),
        _ => Answer::fault(404, "Image x could not be found."),
    };
    canned::run(async {
        let server = Canned::with(answer).await;
        let ran = corten(&server, line).await;
        (ran, server.asked())
    })
}

fn lines(asked: &[RecordedRequest]) -> Vec<&str> {
    asked
        .iter()
        .map(|asked| asked.line.split('?').next().unwrap())
        .collect()
}

fn add(key: &str, value: Value) -> Value {
    patch::add(&format!("instance_info/{key}"), value)
}

#[test]
fn an_image_and_a_host_name_are_all_it_takes() {
    let line = "node deploy m1 --image debian-13 --hostname web-1 --disk serial=S1";
    let (ran, asked) = service(line, "available", valid(), false);
    assert_eq!(ran.code, 0, "{}", ran.notes);
    assert_eq!(
        lines(&asked),
        [
            "GET /v1/nodes/m1",
            "GET /corten/v1/images/debian-13",
            "PATCH /v1/nodes/m1",
            "POST /corten/v1/nodes/m1/plan",
            "PUT /v1/nodes/m1/states/provision",
        ]
    );
    assert_eq!(
        asked[2].body,
        json!([
            add("image_source", json!("image://debian-13")),
            patch::remove("instance_info/image_checksum"),
            add("root_device", json!({"serial": "S1"})),
        ])
    );
    assert_eq!(
        asked[4].body,
        json!({"target": "active", "configdrive": {"meta_data": {"hostname": "web-1"}}})
    );
}

#[test]
fn a_node_that_cannot_be_deployed_is_as_it_was() {
    let verdict = json!({"power": {"result": true},
        "boot": {"result": false, "reason": "no kernel"}, "deploy": {"result": false, "reason": "no image"}});
    let line = "node deploy m1 --image debian-13";
    let (ran, asked) = service(line, "available", verdict, false);
    assert_eq!(ran.code, 1);
    for reason in ["boot: no kernel", "deploy: no image", "nothing was changed"] {
        assert!(ran.notes.contains(reason), "{}", ran.notes);
    }
    let undone = json!([
        add("image_source", json!("http://old/i")),
        add("image_checksum", json!("old")),
    ]);
    assert_eq!(asked.last().unwrap().body, undone);
    // The same if the service refuses the request itself.
    let (ran, asked) = service(line, "available", valid(), true);
    assert!(ran.notes.contains("It is refused."), "{}", ran.notes);
    assert_eq!(asked.last().unwrap().body, undone);
}

#[test]
fn a_disk_of_before_is_told() {
    let prepared = |line: &str| {
        let answer = |asked: &RecordedRequest| match asked.line.as_str() {
            line if line.starts_with("GET /v1/nodes/m1?") => {
                let mut node = node("available");
                node["instance_info"]["root_device"] = json!({"serial": "S1"});
                Answer::new(200, node)
            }
            _ => Answer::new(200, json!({"sha256": "ab"})),
        };
        canned::run(async {
            let server = Canned::with(answer).await;
            corten(&server, line).await.notes
        })
    };
    let notes = prepared("node deploy m1 --image debian-13");
    assert!(
        notes.contains("root_device: {\"serial\":\"S1\"}"),
        "{notes}"
    );
    let notes = prepared("node deploy m1 --image debian-13 --disk serial=S2");
    assert!(!notes.contains("root_device"), "{notes}");
}

#[test]
fn what_the_plan_refuses_is_not_begun() {
    let line = "node deploy m1 --image debian-13 --deploy-steps \
                [{\"interface\":\"deploy\",\"step\":\"x\"}]";
    let (ran, asked) = service(line, "available", valid(), false);
    assert_eq!(ran.code, 1);
    let why = "it cannot be deployed, and nothing was changed: There is no such step.";
    assert!(ran.notes.contains(why), "{}", ran.notes);
    let put = lines(&asked)
        .into_iter()
        .find(|line| line.starts_with("PUT"));
    assert_eq!(put, None);
}

#[test]
fn ironic_itself_is_asked_what_its_interfaces_say() {
    let line = "node deploy m1 --image debian-13";
    let (ran, asked) = at(line, "available", valid(), false, true);
    assert_eq!(ran.code, 0, "{}", ran.notes);
    assert!(lines(&asked).contains(&"GET /v1/nodes/m1/validate"));
    let verdict = json!({"boot": {"result": false, "reason": "no kernel"}});
    let (ran, _) = at(line, "available", verdict, false, true);
    assert!(ran.notes.contains("boot: no kernel"), "{}", ran.notes);
}

#[test]
fn a_node_that_is_refused_keeps_none_of_the_others_back() {
    let line = "node deploy m0 m1 --image debian-13 --wait";
    let (ran, asked) = service(line, "available", valid(), false);
    assert_eq!(ran.code, 1);
    assert!(ran.notes.contains("m0"), "{}", ran.notes);
    assert!(
        ran.notes.contains("waiting for m1 to become"),
        "{}",
        ran.notes
    );
    assert!(lines(&asked).contains(&"PUT /v1/nodes/m1/states/provision"));
}

#[test]
fn nothing_is_written_where_it_can_be_seen_before() {
    for (line, state, why) in [
        (
            "node deploy m1 --image debian-13",
            "enroll",
            "corten node manage m1",
        ),
        (
            "node deploy m1 --image debian-13",
            "active",
            "this begins in available",
        ),
        (
            "node rebuild m1 --image debian-13",
            "available",
            "this begins in active",
        ),
        (
            "node deploy m1 --image half",
            "available",
            "fetching, not ready",
        ),
        (
            "node deploy m1 --image none",
            "available",
            "corten image add none",
        ),
        ("node deploy m1 --hostname a_b", "available", "no host name"),
        (
            "node deploy m1 m2 --hostname a",
            "available",
            "for one node only",
        ),
        (
            "node deploy m1 --ssh-key /no/such/key",
            "available",
            "cannot read",
        ),
        ("node deploy m1 --disk sda", "available", "--disk sda"),
        (
            "node deploy m1 --image debian-13 --checksum 00",
            "available",
            "--checksum is for",
        ),
    ] {
        let (ran, asked) = service(line, state, valid(), false);
        assert_ne!(ran.code, 0, "{line}");
        assert!(ran.notes.contains(why), "{line}: {}", ran.notes);
        let written = lines(&asked)
            .into_iter()
            .find(|line| !line.starts_with("GET "));
        assert_eq!(written, None, "{line}");
    }
}

#[test]
fn an_address_takes_its_checksum_along() {
    let line = "node deploy m1 --image https://h/i.qcow2 --checksum sha256:00";
    let (ran, asked) = service(line, "available", valid(), false);
    assert_eq!(ran.code, 0, "{}", ran.notes);
    assert_eq!(
        asked[1].body,
        json!([
            add("image_source", json!("https://h/i.qcow2")),
            add("image_checksum", json!("sha256:00")),
        ])
    );
}

#[test]
fn what_the_node_says_already_is_not_written_again() {
    let prepared = Prepared {
        image: Some(Image::Stored("a".into())),
        disk: None,
        drive: None,
    };
    let before = json!({"image_source": "image://a"});
    assert_eq!(Change::of(&prepared, Some(&before)), Change::default());
}
