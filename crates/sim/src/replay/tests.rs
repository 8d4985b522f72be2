//! What a recording answers, and what it cannot.

use super::*;
use std::sync::{Arc, mpsc};

const HEADER: &str = r#"{"format":"corten-recording","version":1,"node":"n"}"#;

fn at(second: u32) -> String {
    format!("2026-01-01T00:00:{second:02}Z")
}

fn line(times: (u32, u32, u32), question: &str, outcome: &str) -> String {
    let (first, last) = (at(times.0), at(times.1));
    format!(
        r#"{{"first":"{first}","last":"{last}","count":{},"took_ms":1,"peer":"p","operation":"o","question":{question},{outcome}}}"#,
        times.2
    )
}

fn ipmi(times: (u32, u32, u32), command: u8, data: &str, answer: &str) -> String {
    let question = format!(r#"{{"ipmi":{{"netfn":0,"command":{command},"data":"{data}"}}}}"#);
    let answer = format!(r#""answer":{{"ipmi":{{"completion":0,"data":"{answer}"}}}}"#);
    line(times, &question, &answer)
}

fn replay(lines: &[String]) -> (Replay, mpsc::Receiver<String>) {
    let (to, reports) = mpsc::channel();
    let text = format!("{HEADER}\n{}\n", lines.join("\n"));
    let report = move |text: &str| to.send(text.to_owned()).unwrap();
    (Replay::read(&text, report).unwrap(), reports)
}

fn data(told: ReplayAnswer) -> Vec<u8> {
    match told {
        ReplayAnswer::Answer(answer) => answer.data.into_vec(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn answers_come_in_their_order_and_the_last_one_stays() {
    let (replay, _) = replay(&[
        ipmi((1, 3, 2), 1, "", "01"),
        ipmi((4, 4, 1), 1, "", "02"),
        ipmi((5, 9, 5), 1, "", "03"),
    ]);
    let told: Vec<u8> = (0..6)
        .flat_map(|_| data(replay.ipmi(BMC, 0, 1, &[])))
        .collect();
    assert_eq!(told, [1, 1, 2, 3, 3, 3]);
}

#[test]
fn what_came_between_ends_what_was_before() {
    let (replay, _) = replay(&[
        ipmi((1, 10, 10_000), 1, "", "00"),
        ipmi((11, 11, 1), 2, "01", ""),
        ipmi((12, 20, 10_000), 1, "", "01"),
        ipmi((15, 15, 1), 3, "", "07"),
    ]);
    // What was asked long after says nothing about what came between.
    assert_eq!(data(replay.ipmi(BMC, 0, 3, &[])), [7]);
    assert_eq!(data(replay.ipmi(BMC, 0, 1, &[])), [0]);
    assert_eq!(data(replay.ipmi(BMC, 0, 2, &[1])), Vec::<u8>::new());
    assert_eq!(data(replay.ipmi(BMC, 0, 1, &[])), [1]);
}

#[test]
fn what_is_not_there_is_reported_once() {
    let silent = line(
        (1, 1, 1),
        r#"{"ipmi":{"netfn":6,"command":1,"data":""}}"#,
        r#""failure":"it did not answer""#,
    );
    let secret = line(
        (1, 1, 1),
        r#"{"ipmi":{"netfn":6,"command":71,"data":"0202","hidden_from":2}}"#,
        r#""answer":{"ipmi":{"completion":0,"data":""}}"#,
    );
    let satellite = line(
        (1, 1, 1),
        r#"{"ipmi":{"netfn":6,"command":1,"data":"","via":"0x82 on channel 7, 0x2c on channel 0"}}"#,
        r#""answer":{"ipmi":{"completion":193,"data":""}}"#,
    );
    let (replay, reports) = replay(&[silent, secret, satellite]);
    assert_eq!(replay.ipmi(BMC, 6, 1, &[]), ReplayAnswer::Silence);
    assert_eq!(
        data(replay.ipmi(BMC, 6, 71, &[2, 2, 9, 9])),
        Vec::<u8>::new()
    );
    assert!(matches!(
        replay.ipmi(0x2c, 6, 1, &[]),
        ReplayAnswer::Answer(_)
    ));
    for _ in 0..2 {
        assert_eq!(replay.ipmi(BMC, 6, 1, &[1]), ReplayAnswer::Unknown);
    }
    assert_eq!(replay.ipmi(0x2e, 6, 1, &[]), ReplayAnswer::Unknown);
    let reported: Vec<String> = reports.try_iter().collect();
    let unknown = [
        "IPMI request 0x06 0x01 0x01",
        "IPMI request of 0x2e 0x06 0x01",
    ];
    assert_eq!(reported, unknown);
    assert_eq!(replay.unknown().len(), 2);
}

#[test]
fn bodies_fit_where_something_was_hidden() {
    let login = line(
        (1, 1, 1),
        r#"{"http":{"method":"POST","path":"/redfish/v1/SessionService/Sessions","body":{"content":{"UserName":"a","Password":"******"}}}}"#,
        r#""answer":{"http":{"status":201,"headers":[["location","/s/1"]]}}"#,
    );
    let system = line(
        (2, 2, 1),
        r#"{"http":{"method":"GET","path":"/redfish/v1/Systems/1"}}"#,
        r#""answer":{"http":{"status":200,"body":{"content":{"PowerState":"On"}}}}"#,
    );
    let (replay, reports) = replay(&[login, system]);
    assert!(replay.has_redfish() && !replay.has_ipmi());
    let path = "/redfish/v1/SessionService/Sessions";
    let body = serde_json::json!({"UserName": "a", "Password": "anything"});
    let answer = replay.http("POST", path, Some(&body)).unwrap().unwrap();
    assert_eq!(answer.status, 201);
    let other = serde_json::json!({"UserName": "b", "Password": "anything"});
    assert_eq!(replay.http("POST", path, Some(&other)), None);
    let slashed = replay.http("GET", "/redfish/v1/Systems/1/", None);
    assert_eq!(slashed.unwrap().unwrap().status, 200);
    assert_eq!(replay.http("GET", "/redfish/v1/", None), None);
    let reported: Vec<String> = reports.try_iter().collect();
    assert_eq!(
        reported,
        [format!("POST {path}"), "GET /redfish/v1/".into()]
    );
}

#[test]
fn other_files_are_refused() {
    let read = |text: &str| Replay::read(text, |_| ()).map(|_| ()).unwrap_err();
    assert!(matches!(read(""), ReplayError::Empty));
    assert!(matches!(read("hello"), ReplayError::Header(_)));
    let other = HEADER.replace("corten-recording", "x");
    assert!(matches!(read(&other), ReplayError::Format(_)));
    let newer = HEADER.replace(":1,", ":2,");
    assert!(matches!(read(&newer), ReplayError::Version(2)));
    let bad = format!("{HEADER}\n\n{{}}\n");
    assert!(matches!(read(&bad), ReplayError::Line { line: 3, .. }));
    let replay = Arc::new(Replay::read(HEADER, |_| ()).unwrap());
    assert!(!replay.has_ipmi() && !replay.has_redfish());
}
