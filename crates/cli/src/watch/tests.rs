//! Watching a scripted event log.

use serde_json::json;

use super::*;
use crate::canned::{self, Answer, Canned};
use crate::tests::{Ran, corten};

fn event(cursor: u64, node: &str, kind: &str, text: &str, data: Value) -> Value {
    json!({
        "cursor": cursor, "at": "2026-11-15T03:20:21Z", "node": format!("u-{node}"),
        "node_name": node, "kind": kind, "text": text, "data": data,
    })
}

/// A service with nodes `m1`, `m2`, … in one state, and an event log that answers by a script.
async fn service(state: &'static str, log: Vec<Answer>) -> Canned {
    service_with(state, log, Vec::new()).await
}

/// The same with timelines.
async fn service_with(state: &'static str, log: Vec<Answer>, timelines: Vec<Value>) -> Canned {
    let mut log = log.into_iter();
    let mut timelines = timelines.into_iter();
    Canned::with(move |asked| {
        let path = asked.line.strip_prefix("GET ").unwrap();
        if path.starts_with("/corten/v1/events") {
            return log
                .next()
                .unwrap_or_else(|| Answer::fault(400, "end of script"));
        }
        if path.ends_with("/timeline") {
            return match timelines.next() {
                Some(timeline) => Answer::new(200, timeline),
                None => Answer::fault(404, "not here"),
            };
        }
        let name = path
            .strip_prefix("/v1/nodes/")
            .unwrap()
            .split('?')
            .next()
            .unwrap();
        let uuid = format!("u-{}", name.trim_start_matches("u-"));
        Answer::new(
            200,
            json!({"uuid": uuid, "provision_state": state, "target_provision_state": "x"}),
        )
    })
    .await
}

fn page(next: u64, events: &[Value]) -> Answer {
    Answer::new(200, json!({"events": events, "next": next}))
}

fn watched(state: &'static str, log: Vec<Answer>, line: &str) -> (Ran, Vec<String>) {
    canned::run(async {
        let server = service(state, log).await;
        let ran = corten(&server, &format!("node watch {line}")).await;
        let events = server.lines();
        (
            ran,
            events
                .into_iter()
                .filter(|line| line.contains("/events"))
                .collect(),
        )
    })
}

#[test]
fn begins_at_the_end_and_prints_what_comes() {
    let log = vec![
        page(40, &[]),
        page(41, &[event(41, "m1", "power", "powered on", json!({}))]),
        page(42, &[]),
    ];
    let (ran, asked) = watched("active", log, "");
    assert!(ran.out.ends_with("  m1        powered on\n"), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 1);
    assert_eq!(
        asked,
        [
            "GET /corten/v1/events?limit=200&wait=0",
            "GET /corten/v1/events?after=40&limit=200&wait=30",
            "GET /corten/v1/events?after=41&limit=200&wait=30",
            "GET /corten/v1/events?after=42&limit=200&wait=30",
        ]
    );
    // The script ends with a refusal, which ends the watch.
    assert_eq!(
        (ran.code, ran.notes.as_str()),
        (1, "error: end of script\n")
    );
}

#[test]
fn passes_over_the_past_when_the_service_begins_with_it() {
    let old = event(1, "m1", "power", "long ago", json!({}));
    let log = vec![page(1, &[old]), page(2, &[]), page(3, &[])];
    let (ran, asked) = watched("active", log, "");
    assert_eq!(ran.out, "");
    assert!(
        asked[1].contains("after=1&") && asked[1].contains("wait=0"),
        "{asked:?}"
    );
    assert!(
        asked[2].contains("after=2&") && asked[2].contains("wait=30"),
        "{asked:?}"
    );
}

#[test]
fn json_events_are_passed_on_as_they_are() {
    let sent = event(8, "m1", "step", "wrote the image", json!({"percent": 100}));
    let (ran, asked) = watched(
        "active",
        vec![page(8, std::slice::from_ref(&sent))],
        "-f json --after 7",
    );
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), sent);
    assert!(asked[0].contains("after=7&"), "{asked:?}");
}

#[test]
fn one_node_is_asked_for_and_several_are_picked_out() {
    let (_, asked) = watched("active", vec![page(1, &[])], "m1");
    assert!(asked[0].ends_with("&node=u-m1"), "{asked:?}");
    let events = ["m1", "m2", "m3"].map(|node| event(5, node, "power", "powered off", json!({})));
    let (ran, asked) = watched("active", vec![page(5, &events)], "m1 m3 --after 4 -f json");
    assert!(!asked[0].contains("node="), "{asked:?}");
    assert_eq!(ran.out.lines().count(), 2);
    assert!(!ran.out.contains("u-m2"));
}

#[test]
fn a_forgotten_cursor_is_told_and_the_oldest_event_not_skipped() {
    let gone = json!({"error": {"message": "too old"}, "oldest": 90});
    let log = vec![
        Answer::new(410, gone),
        page(90, &[event(90, "m1", "power", "powered on", json!({}))]),
    ];
    let (ran, asked) = watched("active", log, "--after 3 -f json");
    assert!(
        ran.notes
            .starts_with("the service no longer remembers what came after 3")
    );
    assert!(asked[1].contains("after=89&"), "{asked:?}");
    assert_eq!(ran.out.lines().count(), 1);
}

#[test]
fn a_service_that_comes_back_is_followed_on() {
    let down = Answer::new(502, "gateway");
    let log = vec![
        down.clone(),
        down,
        page(8, &[event(8, "m1", "power", "powered on", json!({}))]),
    ];
    let (ran, asked) = watched("active", log, "--after 7 --retry-interval 0 -f json");
    assert_eq!(ran.out.lines().count(), 1);
    assert!(asked[2].contains("after=7&"), "{asked:?}");
    assert_eq!(
        ran.notes,
        "HTTP 502 Bad Gateway: gateway; trying on\nthe service is back\nerror: end of script\n"
    );
}

#[test]
fn ends_when_all_have_been_in_the_state() {
    let provision =
        |cursor, node, state: &str| event(cursor, node, "provision", state, json!({"to": state}));
    let log = vec![
        page(1, &[]),
        page(2, &[provision(2, "m1", "available")]),
        page(
            4,
            &[
                provision(3, "m1", "deploying"),
                provision(4, "m2", "available"),
            ],
        ),
    ];
    // The nodes themselves are asked as well, and have moved on already.
    let (ran, _) = watched("deploying", log, "m1 m2 --until-state available");
    assert_eq!((ran.code, ran.out.lines().count()), (0, 3), "{}", ran.notes);
}

#[test]
fn ends_at_once_when_they_are_there_already() {
    let (ran, asked) = watched("active", vec![page(1, &[])], "m1 --until-state active");
    assert_eq!((ran.code, asked.len()), (0, 1));
}

#[test]
fn a_failure_on_the_way_is_a_failure() {
    let (ran, _) = watched(
        "deploy failed",
        vec![page(1, &[])],
        "m1 --until-state active",
    );
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.notes,
        "error: node m1: ended up in state 'deploy failed' instead of 'active'\n"
    );
}

#[test]
fn a_service_without_an_event_log_is_told() {
    let (ran, _) = watched("active", vec![Answer::fault(404, "not found")], "");
    assert_eq!(ran.code, 1);
    assert!(
        ran.notes
            .starts_with("error: this service keeps no event log to follow\nhint:")
    );
}

#[test]
fn a_state_needs_nodes_to_wait_for() {
    let (ran, asked) = watched("active", Vec::new(), "--until-state active");
    assert_eq!((ran.code, asked.len()), (2, 0));
}

#[test]
fn patience_ends_well_unless_there_was_something_to_wait_for() {
    let (ran, _) = watched("active", vec![Answer::never()], "--after 1 --timeout 1");
    assert_eq!((ran.code, ran.notes.as_str()), (0, ""));
    let line = "m1 m2 --after 1 --timeout 1 --until-state active";
    let arrived = event(2, "m2", "provision", "x", json!({"to": "active"}));
    let log = vec![page(2, &[arrived]), Answer::never()];
    let (ran, _) = watched("deploying", log, line);
    assert_eq!(
        (ran.code, ran.notes.as_str()),
        (1, "error: not active after 1 seconds: m1\n")
    );
}

fn writing(percent: u64) -> Value {
    json!({"at": "2026-11-15T03:20:21Z", "flows": [{
        "verb": "deploy", "state": "running", "duration": 60,
        "waiting": {"for": "agent command write_image", "duration": 30},
        "progress": {"phase": "writing image", "bytes": percent * 1_000_000,
            "total": 100_000_000, "rate": 10_000_000, "eta": 9},
    }]})
}

#[test]
fn one_machine_is_told_of_how_far_it_is() {
    let done = json!({"flows": [{"verb": "deploy", "state": "done"}]});
    let timelines = vec![writing(0), writing(4), writing(10), done];
    let log = vec![
        page(1, &[]),
        page(1, &[]),
        page(1, &[]),
        page(2, &[event(2, "m1", "step", "wrote the image", json!({}))]),
    ];
    let (ran, asked) = canned::run(async {
        let server = service_with("active", log, timelines).await;
        let ran = corten(&server, "node watch m1").await;
        (ran, server.lines())
    });
    let told: Vec<&str> = ran.out.lines().map(|line| line.split_at(31).1).collect();
    assert_eq!(
        told,
        [
            "writing image: 0 %, 0.0 of 100.0 MB, 10.0 MB/s, 9 s left",
            "waiting for agent command write_image",
            "writing image: 10 %, 10.0 of 100.0 MB, 10.0 MB/s, 9 s left",
            "wrote the image",
        ],
        "{}",
        ran.out
    );
    let waits: Vec<&str> = asked
        .iter()
        .filter_map(|line| line.split("wait=").nth(1)?.split('&').next())
        .collect();
    assert_eq!(waits, ["0", "1", "1", "1", "30"], "{asked:?}");
}
