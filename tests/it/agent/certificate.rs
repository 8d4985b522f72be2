//! What a cleaning leaves that erased disks: a document that others can verify, by OpenSSL here.

use super::{enrolled, options, puppet, puppet::Puppet, waits_for};
use crate::{
    database::Engine,
    ipmi::peer::has,
    lab::{Lab, Machine},
};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Command};
use types::ProvisionState as S;

every_engine!(
    a_cleaning_leaves_a_certificate_that_outlives_the_node,
    a_report_that_makes_no_sense_certifies_nothing,
    a_report_that_comes_while_nobody_listens_is_certified_once,
);

fn reported(serial: &str) -> Value {
    json!({"clean_result": {"corten_erasure": {"disks": [
        {"name": "/dev/sda", "vendor": "ACME", "model": "Disk ä", "serial": serial, "wwn": null,
         "size": 480_103_981_056_u64, "result": "erased", "method": "ata-secure-erase",
         "started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:10:00Z",
         "verification": {"samples": 64, "bytes_each": 4096, "blank": 60, "changed": 4,
            "remaining": 0, "undecided": 0}},
        {"name": "/dev/sdb", "vendor": null, "model": null, "serial": null, "wwn": null,
         "size": 1, "result": "skipped", "reason": "it is read-only"},
    ]}}})
}

/// A machine whose agent has cleared metadata, as one does that tells nothing of it, and erases now.
async fn erasing<'l>(lab: &'l Lab, agent: &Puppet) -> Machine<'l> {
    let machine = enrolled(lab).await;
    machine.asks("provide").await.reaches(S::CleanWait).await;
    agent.boots(lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices_metadata").await;
    agent.ends(Ok(json!({})));
    agent.reports(lab, machine).await;
    waits_for(machine, "clean_step", "erase_devices").await;
    machine
}

async fn certificates(lab: &Lab, path: &str) -> Vec<Value> {
    let answer = lab.client.get(path).await.expect(200).json();
    answer["certificates"].as_array().unwrap().clone()
}

async fn a_cleaning_leaves_a_certificate_that_outlives_the_node(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let agent = puppet().await;
    let machine = erasing(&lab, &agent).await;
    agent.ends(Ok(reported("S1\u{1b}[2J")));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Available).await;

    let path = format!("/corten/v1/nodes/{}/certificates", machine.id);
    let found = certificates(&lab, &path).await;
    assert_eq!(found.len(), 1, "the first step told nothing");
    let told = &found[0]["certificate"];
    assert_eq!(told["node"]["uuid"], machine.id.to_string());
    assert_eq!(told["operation"]["step"], "deploy.erase_devices");
    assert_eq!(told["operation"]["automated_cleaning"], true);
    let disks = &told["agent"]["disks"];
    assert_eq!(disks[0]["method"], "ata-secure-erase");
    assert_eq!(disks[0]["serial"], "S1\u{fffd}[2J");
    assert_eq!(disks[1]["reason"], "it is read-only");

    let keys = lab.client.get("/corten/v1/certificate-keys").await;
    let keys = keys.expect(200).json();
    let pem = keys["keys"][0]["pem"].as_str().unwrap();
    if has("openssl") && has("python3") {
        assert!(openssl_verifies(&found[0], pem));
        let mut forged = found[0].clone();
        forged["certificate"]["agent"]["disks"][0]["serial"] = "S2".into();
        assert!(!openssl_verifies(&forged, pem));
    }

    machine.asks("manage").await.reaches(S::Manageable).await;
    let node = format!("/v1/nodes/{}", machine.id);
    lab.client.delete(&node).await.expect(204);
    lab.client.get(&path).await.expect(404);
    let path = format!("/corten/v1/certificates?node={}", machine.id);
    assert_eq!(certificates(&lab, &path).await, found);
    lab.stop().await;
}

async fn a_report_that_makes_no_sense_certifies_nothing(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let agent = puppet().await;
    let machine = erasing(&lab, &agent).await;
    let mut report = reported("S1");
    report["clean_result"]["corten_erasure"]["disks"][0]["size"] = json!(u64::MAX);
    agent.ends(Ok(report));
    agent.reports(&lab, machine).await;
    machine.reaches(S::Available).await;
    let found = certificates(&lab, "/corten/v1/certificates").await;
    assert!(found.is_empty(), "{found:?}");
    let events = format!("/corten/v1/events?after=0&kind=warning&node={}", machine.id);
    let events = lab.client.get(&events).await.expect(200).json();
    let text = events["events"][0]["text"].as_str().unwrap();
    assert!(text.contains("there is no erase certificate"), "{events}");
    lab.stop().await;
}

async fn a_report_that_comes_while_nobody_listens_is_certified_once(engine: Engine) {
    let lab = Lab::with(engine, options()).await;
    let agent = puppet().await;
    let machine = erasing(&lab, &agent).await;
    let id = machine.id.to_string();
    let database = lab.stop().await;
    agent.ends(Ok(reported("S1")));
    let lab = Lab::on(database, options()).await;
    let machine = lab.machine(&id);
    agent.reports(&lab, machine).await;
    machine.reaches(S::Available).await;
    let found = certificates(&lab, "/corten/v1/certificates").await;
    assert_eq!(found.len(), 1);
    lab.stop().await;
}

/// What whoever has only the document and the key can find out.
fn openssl_verifies(envelope: &Value, pem: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("certificate.json"), format!("{envelope:#}")).unwrap();
    fs::write(at("key.pem"), pem).unwrap();
    let script = "import base64, json
envelope = json.load(open('certificate.json', encoding='utf-8'))
body = json.dumps(envelope['certificate'], sort_keys=True, separators=(',', ':'), ensure_ascii=False)
open('body', 'w', encoding='utf-8').write(body)
open('signature', 'wb').write(base64.b64decode(envelope['signature']['value']))
";
    let run = |folder: &Path, program: &str, args: &[&str]| {
        let done = Command::new(program)
            .args(args)
            .current_dir(folder)
            .output();
        done.unwrap().status.success()
    };
    assert!(run(folder.path(), "python3", &["-c", script]));
    let words = "pkeyutl -verify -pubin -inkey key.pem -rawin -in body -sigfile signature";
    let words: Vec<&str> = words.split(' ').collect();
    run(folder.path(), "openssl", &words)
}
