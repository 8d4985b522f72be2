//! What tapes keep, what they count, what they forget and what they never learn.

use super::*;
use types::recording::{
    Answer, Body, HttpAnswer, HttpQuestion, IpmiAnswer, IpmiQuestion, Question,
};

const CANARY: &str = "c4nary-passw0rd";
const TOOK: Duration = Duration::from_millis(12);

fn ipmi(netfn: u8, command: u8, data: &[u8], answer: &[u8]) -> Exchange {
    Exchange {
        peer: "192.0.2.1:623".into(),
        operation: "test".into(),
        question: Question::Ipmi(IpmiQuestion {
            netfn,
            command,
            data: data.into(),
            via: None,
            hidden_from: None,
        }),
        answer: Some(Answer::Ipmi(IpmiAnswer {
            completion: 0,
            data: answer.into(),
        })),
        failure: None,
    }
}

fn http(path: &str, sent: Option<&str>, headers: &[(&str, &str)], got: &str) -> Exchange {
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let body = |text: &str| Body::json(text.into()).unwrap_or_else(|| Body::text(text));
    Exchange {
        peer: "https://192.0.2.1".into(),
        operation: "test".into(),
        question: Question::Http(HttpQuestion {
            protocol: None,
            method: "POST".into(),
            path: path.into(),
            headers: headers.clone(),
            body: sent.map(body),
        }),
        answer: Some(Answer::Http(HttpAnswer {
            status: 200,
            headers,
            body: Some(body(got)),
        })),
        failure: None,
    }
}

fn power(on: bool) -> Exchange {
    ipmi(0, 1, &[], &[u8::from(on), 0, 0])
}

fn counts(recorder: &Recorder, node: NodeId) -> Vec<(u64, String)> {
    let recording = recorder.read(node);
    let all = recording.exchanges.into_iter();
    all.map(|entry| (entry.count, entry.summary)).collect()
}

#[test]
fn what_repeats_itself_is_counted_and_the_order_of_answers_is_kept() {
    let recorder = Recorder::default();
    let node = NodeId::generate();
    let tape = recorder.of(node);
    let id = ipmi(6, 1, &[], &[0x20, 1]);
    for exchange in [
        power(true),
        id.clone(),
        power(true),
        id,
        power(false),
        power(true),
        power(true),
    ] {
        tape.note(exchange, TOOK);
    }
    assert_eq!(
        counts(&recorder, node),
        [
            (2, "Get Chassis Status → power is on".to_owned()),
            (2, "Get Device ID → ok, 20 01".to_owned()),
            (1, "Get Chassis Status → power is off".to_owned()),
            (2, "Get Chassis Status → power is on".to_owned()),
        ]
    );
    let recording = recorder.read(node);
    let entry = &recording.exchanges[0];
    assert!(entry.first < entry.last && entry.took_ms == 12);
    assert_eq!(recorder.read(NodeId::generate()), Recording::default());
}

#[test]
fn the_time_of_day_makes_no_difference() {
    let recorder = Recorder::default();
    let node = NodeId::generate();
    for date in ["Mon", "Tue"] {
        let polled = http("/x", None, &[("Date", date), ("ETag", "1")], "{}");
        recorder.of(node).note(polled, TOOK);
    }
    assert_eq!(counts(&recorder, node), [(2, "POST /x → 200".to_owned())]);
}

#[test]
fn the_oldest_goes_when_a_tape_is_full() {
    let recorder = Recorder::new(RecorderSettings {
        node_bytes: 4096,
        ..RecorderSettings::default()
    });
    let node = NodeId::generate();
    for number in 0..100 {
        recorder
            .of(node)
            .note(ipmi(4, 0x2d, &[number], &[number]), TOOK);
    }
    let recording = recorder.read(node);
    let kept = recording.exchanges.len();
    assert!((3..40).contains(&kept), "{kept}");
    assert_eq!(recording.dropped, 100 - kept as u64);
    let last = recording.exchanges.last().unwrap();
    assert_eq!(last.summary, "Get Sensor Reading: 63 → ok, 63");
    assert!(recorder.bytes() <= 4096);
    recorder.forget(node);
    assert_eq!(recorder.bytes(), 0);
    assert!(recorder.read(node).exchanges.is_empty());
}

#[test]
fn all_tapes_together_stay_below_the_limit_and_each_keeps_its_share() {
    const TOTAL: usize = 1024 * 1024;
    let recorder = Recorder::new(RecorderSettings {
        total_bytes: TOTAL,
        ..RecorderSettings::default()
    });
    let nodes: Vec<NodeId> = (0..50).map(|_| NodeId::generate()).collect();
    for round in 0..100 {
        for node in &nodes {
            let body = format!(r#"{{"round":{round},"text":"{}"}}"#, "x".repeat(1000));
            recorder.of(*node).note(http("/x", None, &[], &body), TOOK);
        }
        assert!(recorder.bytes() <= TOTAL);
    }
    for node in nodes {
        let recording = recorder.read(node);
        let body = match &recording.exchanges.last().unwrap().exchange.answer {
            Some(Answer::Http(answer)) => answer.body.clone().unwrap(),
            other => panic!("{other:?}"),
        };
        assert!(
            body.as_json().contains(r#""round":99"#),
            "the newest is there"
        );
        assert!(recording.exchanges.len() > 3);
    }
}

#[test]
fn a_fleet_that_is_polled_costs_little() {
    let recorder = Recorder::default();
    let nodes: Vec<NodeId> = (0..10_000).map(|_| NodeId::generate()).collect();
    for _ in 0..5 {
        for node in &nodes {
            let tape = recorder.of(*node);
            tape.note(ipmi(6, 0x3b, &[4], &[4]), TOOK);
            tape.note(power(true), TOOK);
        }
    }
    assert!(recorder.bytes() < 10 * 1024 * 1024, "{}", recorder.bytes());
    assert_eq!(recorder.read(nodes[0]).exchanges[1].count, 5);
}

#[test]
fn a_body_that_is_too_long_leaves_its_length() {
    let recorder = Recorder::new(RecorderSettings {
        node_bytes: 4096,
        ..RecorderSettings::default()
    });
    let node = NodeId::generate();
    let long = format!(r#"{{"x":"{}"}}"#, "y".repeat(5000));
    recorder.of(node).note(http("/x", None, &[], &long), TOOK);
    let text = serde_json::to_string(&recorder.read(node)).unwrap();
    assert!(text.contains(r#""content":null,"cut":5008"#), "{text}");
}

#[test]
fn secrets_are_not_on_the_tape() {
    let recorder = Recorder::default();
    let node = NodeId::generate();
    let tape = recorder.of(node).hiding([CANARY.as_bytes()]);
    let blind = recorder.of(node);
    let mut padded = vec![2, 2];
    padded.extend(CANARY.as_bytes());
    padded.resize(22, 0);
    // To another controller, as `Send Message` carries it.
    let mut bridged = vec![0x40, 0x20, 0x18, 0xc8, 0x81, 0, 0x47];
    bridged.extend(&padded);
    let quoted = format!(r#"{{"UserName":"admin","Password":"{CANARY}"}}"#);
    let nested = format!(r#"{{"a":[{{"SessionToken":"{CANARY}","n":1}}]}}"#);
    let url = format!(r#"{{"Image":"http://u:{CANARY}@h/i?sig={CANARY}"}}"#);
    let private = format!(r#"{{"Key":"-----BEGIN PRIVATE KEY-----{CANARY}"}}"#);
    let headers = [
        ("X-Auth-Token", CANARY),
        ("Authorization", CANARY),
        ("Set-Cookie", CANARY),
        ("ETag", "\"1\""),
    ];
    for tape in [&tape, &blind] {
        tape.note(ipmi(6, 0x47, &padded, &[]), TOOK);
        tape.note(ipmi(6, 0x56, &padded, &[]), TOOK);
        tape.note(ipmi(6, 0x34, &bridged, &[]), TOOK);
        tape.note(http("/s", Some(&quoted), &headers, &quoted), TOOK);
        tape.note(http("/s", Some(&nested), &headers, &nested), TOOK);
        tape.note(http("/s", Some(&url), &headers, &url), TOOK);
        tape.note(http("/s", Some(&private), &headers, &private), TOOK);
    }
    // Only whoever knows the secret can tell that this is one.
    tape.note(ipmi(0x30, 1, CANARY.as_bytes(), CANARY.as_bytes()), TOOK);
    let odd = format!(r#"{{"Comment":"it is {CANARY}"}}"#);
    tape.note(http(&format!("/{CANARY}"), Some(&odd), &[], &odd), TOOK);
    let text = format!("said {CANARY}");
    let mut failed = http("/s", None, &[], &text);
    failed.failure = Some(text);
    tape.note(failed, TOOK);

    let recording = recorder.read(node);
    let text = serde_json::to_string(&recording).unwrap();
    let hex: String = CANARY.bytes().map(|b| format!("{b:02x}")).collect();
    assert!(!text.contains(CANARY), "{text}");
    assert!(!text.contains(&hex), "{text}");
    assert!(text.contains(r#"["etag","\"1\""]"#), "{text}");
    assert!(text.contains(r#""UserName":"admin""#), "{text}");
    assert!(text.contains("Set User Password (with a secret)"), "{text}");
    assert!(!format!("{tape:?}").contains(CANARY));
}

#[test]
fn what_only_speaks_of_secrets_is_kept() {
    let recorder = Recorder::default();
    let node = NodeId::generate();
    let body = r#"{"MinPasswordLength":8,"PasswordExpiration":null,"@odata.id":"/redfish/v1/x?$expand=."}"#;
    recorder
        .of(node)
        .note(http("/x?$expand=.", None, &[], body), TOOK);
    let text = serde_json::to_string(&recorder.read(node)).unwrap();
    assert!(text.contains(body), "{text}");
    assert!(text.contains("POST /x?$expand=. → 200"), "{text}");
}

#[test]
fn a_recorder_without_room_keeps_nothing() {
    let recorder = Recorder::new(RecorderSettings {
        node_bytes: 0,
        ..RecorderSettings::default()
    });
    let node = NodeId::generate();
    let tape = recorder.of(node);
    assert!(!tape.is_running());
    tape.note(power(true), TOOK);
    assert!(recorder.read(node).exchanges.is_empty());
}
