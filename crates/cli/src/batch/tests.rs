//! Batches, as they are typed, sent and shown.

use serde_json::{Value, json};

use crate::canned::{self, Answer, Canned, RecordedRequest};
use crate::tests::{Ran, corten};

const UUID: &str = "6d0e6f0e-6f0a-4d53-9b1b-0f1d7c6f0001";

fn ran(line: &str, answers: Vec<Answer>) -> (Ran, Vec<RecordedRequest>) {
    canned::run(async {
        let server = Canned::answers(answers).await;
        let line = format!("batch {line} --retry-interval 0");
        let ran = corten(&server, &line).await;
        (ran, server.asked())
    })
}

fn batch(state: &str, failed: u64) -> Value {
    json!({
        "uuid": UUID, "state": state, "cursor": 7, "waves": [1, 2], "action": "power",
        "counts": {"done": 3 - failed, "failed": failed, "skipped": 0},
    })
}

#[test]
fn a_batch_is_asked_for_with_all_that_was_said() {
    let line = "create provision clean --where state:manageable --wave 1 --wave 50% --at-once 5 \
                --max-failures 2 --clean-steps [] --disable-ramdisk --description d -f value -c state";
    let (ran, asked) = ran(line, vec![Answer::new(201, batch("running", 0))]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "running\n"),
        "{}",
        ran.notes
    );
    assert_eq!(asked[0].line, "POST /corten/v1/batches");
    assert_eq!(
        asked[0].body,
        json!({
            "action": "provision", "query": "state:manageable", "waves": ["1", "50%"],
            "at_once": 5, "max_failures": 2, "description": "d",
            "arguments": {"target": "clean", "clean_steps": [], "disable_ramdisk": true},
        })
    );
}

#[test]
fn nodes_or_a_query_must_be_said() {
    for line in [
        "create power rebooting",
        "create power rebooting m1 --where a",
    ] {
        let (ran, asked) = ran(line, Vec::new());
        assert_eq!((ran.code, asked.len()), (2, 0), "{}", ran.notes);
    }
}

#[test]
fn a_dry_run_tells_of_each_machine() {
    let planned = json!({
        "node_count": 3, "accepted": 1, "refused": 1, "left_out": 1, "nodes": [
            {"wave": 1, "node": "u1", "name": "m1", "refusal": null, "states": ["enroll", "verifying"]},
            {"wave": 2, "node": "u2", "name": null, "states": [],
                "refusal": {"status": 409, "text": "it is locked"}},
        ],
    });
    let line = "create provision manage m1 u2 m3 --dry-run";
    let (ran, asked) = ran(line, vec![Answer::new(200, planned)]);
    assert_eq!(asked[0].line, "POST /corten/v1/batches?dry_run=true");
    assert_eq!(
        ran.out,
        "wave 1  m1                    enroll -> verifying\n\
         wave 2  u2                    refused: it is locked\n\
         3 machines: 1 would accept, 1 would refuse, 1 not looked at. Nothing was done.\n"
    );
}

#[test]
fn a_batch_is_watched_to_its_end_and_others_are_not() {
    let event = |cursor: u64, batch: &str, data: Value| {
        let mut event = json!({"cursor": cursor, "at": "t", "node_name": "m1", "kind": "batch",
            "text": format!("event {cursor}"), "data": data});
        event["data"]["batch"] = json!(batch);
        event
    };
    let events = json!({"events": [
        event(8, UUID, json!({"node_state": "done"})),
        event(9, "another", json!({"state": "done"})),
        event(10, UUID, json!({"state": "done"})),
    ], "next": 10});
    let answers = |failed| {
        vec![
            Answer::new(200, batch("running", 0)),
            Answer::new(200, &events),
            Answer::new(200, batch("done", failed)),
        ]
    };
    let (good, asked) = ran(&format!("watch {UUID}"), answers(0));
    assert_eq!(good.code, 0, "{}", good.notes);
    assert_eq!(
        good.out,
        "t  m1        event 8\nt  m1        event 10\ndone: 3 done, 0 failed, 0 skipped\n"
    );
    assert_eq!(
        asked[1].line,
        "GET /corten/v1/events?after=7&limit=200&wait=30&kind=batch"
    );
    let (bad, _) = ran(&format!("watch {UUID}"), answers(1));
    assert_eq!(bad.code, 1);
    assert!(bad.notes.contains("1 failed"), "{}", bad.notes);
}

#[test]
fn nodes_are_read_page_by_page() {
    let node = |name: &str| json!({"name": name, "state": "failed", "reason": "r"});
    let answers = vec![
        Answer::new(200, json!({"nodes": [node("m1")], "next": 4})),
        Answer::new(200, json!({"nodes": [node("m2")], "next": null})),
    ];
    let line = format!("nodes {UUID} --state failed -f value -c name -c reason");
    let (ran, asked) = ran(&line, answers);
    assert_eq!(ran.out, "m1 r\nm2 r\n");
    let path = format!("GET /corten/v1/batches/{UUID}/nodes?state=failed");
    assert_eq!(asked[0].line, format!("{path}&limit=1000"));
    assert_eq!(asked[1].line, format!("{path}&after=4&limit=1000"));
}

#[test]
fn a_batch_is_changed_and_removed() {
    for verb in ["pause", "resume", "abort"] {
        let (ran, asked) = ran(&format!("{verb} {UUID}"), vec![Answer::new(202, "")]);
        assert_eq!(ran.code, 0, "{}", ran.notes);
        assert_eq!(
            asked[0].line,
            format!("POST /corten/v1/batches/{UUID}/{verb}")
        );
    }
    let refused = Answer::fault(409, "Batch b has not ended: it is running.");
    let (ran, asked) = ran("rm a b", vec![Answer::new(204, ""), refused]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "Removed batch a\n"));
    assert_eq!(asked[0].line, "DELETE /corten/v1/batches/a");
    assert!(ran.notes.contains("has not ended"), "{}", ran.notes);
}
