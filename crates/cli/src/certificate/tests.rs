//! Documents that are genuine, and others.

use super::*;
use crate::canned::{self, Answer, Canned};
use crate::tests::{Ran, corten, ran};
use ring::signature::{Ed25519KeyPair, KeyPair};
use std::io::Write as _;
use tempfile::NamedTempFile;

fn pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}

fn keys(pair: &Ed25519KeyPair) -> Value {
    let public = pair.public_key().as_ref();
    let der = [
        &[
            0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
        ][..],
        public,
    ];
    let der = BASE64_STANDARD.encode(der.concat());
    json!({"keys": [{"key": "k1", "public_key": BASE64_STANDARD.encode(public),
        "pem": format!("-----BEGIN PUBLIC KEY-----\n{der}\n-----END PUBLIC KEY-----\n")}]})
}

fn signed(pair: &Ed25519KeyPair) -> Value {
    let erased = json!({"name": "/dev/sda", "serial": "S1", "size": 10, "result": "erased",
        "method": "overwrite", "verification": {"samples": 64, "bytes_each": 4096, "blank": 63,
        "changed": 0, "remaining": 0, "undecided": 1}});
    let document = json!({"uuid": "c1", "node": {"uuid": "u1", "name": "m1"}, "issuer": "h",
        "statement": "what it is", "issued_at": "now", "operation": {"step": "s"},
        "agent": {"disks": [erased,
            {"name": "/dev/sdb", "result": "skipped", "reason": "it is read-only"}]}});
    let value = pair.sign(ordered(&document).to_string().as_bytes());
    json!({"number": 7, "certificate": document, "signature": {"algorithm": "ed25519",
        "key": "k1", "public_key": BASE64_STANDARD.encode(pair.public_key().as_ref()),
        "value": BASE64_STANDARD.encode(value.as_ref())}})
}

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

fn verified(document: &str, trusted: Value) -> Ran {
    let file = file(document);
    let line = format!("certificate verify {}", file.path().display());
    ran(&line, [Answer::new(200, trusted)]).0
}

#[test]
fn a_genuine_document_is_told_from_others() {
    let (ours, other) = (pair(1), pair(2));
    let genuine = signed(&ours);
    // However it is indented.
    let good = verified(&format!("{genuine:#}"), keys(&ours));
    assert_eq!((good.code, good.notes.as_str()), (0, ""));
    let told = &good.out;
    assert!(told.contains("the signature is good, by key k1"), "{told}");
    assert!(told.contains("63 blank, 0 changed, 1 undecided"), "{told}");
    assert!(told.contains("it is read-only"), "{told}");

    let strange = verified(&genuine.to_string(), keys(&other));
    assert_eq!(strange.code, 1);
    assert!(strange.notes.contains("none of the trusted keys"));
    // Who forges a document signs it, but the key is not trusted.
    let forged = verified(&signed(&other).to_string(), keys(&ours));
    assert!(forged.notes.contains("none of the trusted keys"));
    for (pointer, value) in [
        ("/certificate/agent/disks/0/serial", json!("S2")),
        ("/certificate/node/name", Value::Null),
        ("/signature/value", json!(BASE64_STANDARD.encode([0; 64]))),
        ("/signature/value", json!("")),
    ] {
        let mut changed = genuine.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let ran = verified(&changed.to_string(), keys(&ours));
        assert_eq!(ran.code, 1, "{pointer}");
        assert!(ran.notes.contains("the signature is bad"), "{}", ran.notes);
        assert_eq!(ran.out, "");
    }
    for (text, why) in [
        ("no json", "no JSON document"),
        ("{}", "no signed certificate"),
        ("[1]", "no signed certificate"),
        (
            r#"{"certificate": {}, "signature": {"algorithm": "none"}}"#,
            "unknown signature algorithm",
        ),
    ] {
        let ran = verified(text, keys(&ours));
        assert_eq!(ran.code, 1, "{text}");
        assert!(ran.notes.contains(why), "{}", ran.notes);
    }
}

#[test]
fn with_a_key_nobody_is_asked() {
    let ours = pair(1);
    let (printed, asked) = ran("certificate keys", [Answer::new(200, keys(&ours))]);
    assert_eq!(asked[0].line, "GET /corten/v1/certificate-keys");
    assert!(printed.out.starts_with("# key k1\n-----BEGIN"));
    let document = file(&signed(&ours).to_string());
    let run = |pem: &str| {
        let key = file(pem);
        let (document, key) = (document.path().display(), key.path().display());
        let line = format!("certificate verify {document} --key {key}");
        let (ran, asked) = ran(&line, []);
        assert!(asked.is_empty());
        ran
    };
    let good = run(&printed.out);
    assert_eq!(good.code, 0, "{}", good.notes);
    assert!(good.out.contains("by key k1"), "{}", good.out);
    assert!(run("nothing").notes.contains("no public key"));
    let rsa = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n";
    assert!(run(rsa).notes.contains("not Ed25519"));
}

#[test]
fn the_last_certificate_of_a_machine_is_shown_or_printed_to_be_kept() {
    let envelope = signed(&pair(1));
    let answer = json!({"certificates": [envelope]});
    let (shown, asked) = ran("node certificate m1", [Answer::new(200, answer.clone())]);
    assert_eq!(
        asked[0].line,
        "GET /corten/v1/nodes/m1/certificates?limit=1"
    );
    assert!(
        shown.out.contains("certificate c1 of node m1"),
        "{}",
        shown.out
    );
    let (printed, _) = ran("node certificate m1 --json", [Answer::new(200, answer)]);
    let printed: Value = serde_json::from_str(&printed.out).unwrap();
    assert_eq!(printed["signature"], envelope["signature"]);
    assert_eq!(printed.get("number"), None);
    let none = json!({"certificates": []});
    let (none, _) = ran("node certificate m1", [Answer::new(200, none)]);
    assert!(none.notes.contains("has no erase certificate"));
}

#[test]
fn certificates_are_listed() {
    let ran = canned::run(async {
        let answer = json!({"certificates": [signed(&pair(1))]});
        let server = Canned::answers([Answer::new(200, answer)]).await;
        let ran = corten(&server, "certificate list --node m1 -f value").await;
        (ran, server.asked())
    });
    assert_eq!(
        ran.1[0].line,
        "GET /corten/v1/certificates?limit=20&node=m1"
    );
    assert_eq!(ran.0.out, "c1 m1 now s 1 overwrite, 1 skipped\n");
}
