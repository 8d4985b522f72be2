//! The certificate of a step that erased disks: what the agent reports, put into a document that the
//! key ring signs.
//!
//! It is written in the transaction that goes past the step, so there is one for each such step that
//! was done, whenever the process dies. An agent that reports nothing, as ironic-python-agent does,
//! leaves nothing to certify.

use crate::task::Task;
use serde_json::{Value, json};
use store::KeyRing;
use types::{
    CertificateId, Inventory, JsonMap, Node, Timestamp, canonical,
    erasure::{DiskOutcome, EraseCertificate, ErasureReport, bounded},
    step::{Step, StepKind},
};

/// Names the form of the document; another form takes another name.
const FORMAT: &str = "corten-erase-certificate-1";
/// So that nobody takes the one for the other.
const STATEMENT: &str = "The service certifies that the agent which it had booted on this node \
    reported the following when the step ended. The disks, the times, the methods and the samples \
    are the agent's word; the service saw no disk itself. A disk of the method 'metadata' still \
    holds its data.";

/// Certifies what the agent reports of a step that it has done.
pub(super) async fn note(task: &mut Task, step: &Step, result: &Value, kind: StepKind) {
    let result = result.get(format!("{kind}_result")).unwrap_or(&Value::Null);
    let report = match ErasureReport::of_result(result) {
        None => return,
        Some(Ok(report)) if !report.has_erased() => return,
        Some(Ok(report)) => report,
        Some(Err(why)) => {
            let why = bounded(&why);
            let text = format!(
                "there is no erase certificate for step {}: the agent's report is invalid: {why}",
                step.name()
            );
            tracing::warn!(node = %task.id(), name = task.node.name, "{text}");
            task.warn(vec![text]);
            return;
        }
    };
    // Without an inspection nothing is known of the machine but its name.
    let found = store::inventory::find(&task.core.db, task.id()).await;
    let found = found.ok().flatten();
    let issuer = &task.settings().host;
    let facts = Facts {
        node: &task.node,
        found: found.as_ref(),
        issuer,
        step,
        kind,
    };
    match certified(task.core.db.keys(), &facts, &report) {
        Ok(certificate) => {
            let text = format!("erase certificate {}: {}", certificate.id, summary(&report));
            tracing::info!(node = %task.id(), name = task.node.name, "{text}");
            task.note(text);
            task.certify(certificate);
        }
        Err(error) => {
            let why = types::error::chain(&error);
            let text = format!("the erase certificate cannot be signed: {why}");
            tracing::error!(node = %task.id(), name = task.node.name, "{text}");
            task.warn(vec![text]);
        }
    }
}

/// What the service itself knows.
struct Facts<'f> {
    node: &'f Node,
    found: Option<&'f Inventory>,
    issuer: &'f str,
    step: &'f Step,
    kind: StepKind,
}

fn certified(
    keys: &KeyRing,
    facts: &Facts<'_>,
    report: &ErasureReport,
) -> Result<EraseCertificate, store::StoreError> {
    let (id, issued_at) = (CertificateId::generate(), Timestamp::now());
    let Facts { node, step, .. } = facts;
    let info = &node.driver_internal_info;
    let document = json!({
        "format": FORMAT,
        "uuid": id,
        "issued_at": issued_at.to_string(),
        "issuer": facts.issuer,
        "statement": STATEMENT,
        "node": {
            "uuid": node.id,
            "name": node.name,
            "resource_class": node.resource_class,
        },
        "machine_by_inspection": facts.found.map(|found| machine(&found.inventory)),
        "operation": {
            "kind": facts.kind,
            "step": step.name(),
            "automated_cleaning": facts.kind == StepKind::Clean && !node.is_manual_clean(),
        },
        "agent": {
            "version": info.agent_version().map(bounded),
            "disks": report.disks,
        },
    });
    let document = canonical::text(&document);
    let signature = keys.sign(document.as_bytes())?;
    Ok(EraseCertificate {
        row: 0,
        id,
        node: node.id,
        node_name: node.name.clone(),
        issued_at,
        document,
        signature,
    })
}

/// What inspection said that the machine is.
fn machine(inventory: &JsonMap) -> Value {
    let part = |name: &str| {
        let text = inventory.get("system_vendor")?.get(name)?.as_str()?;
        Some(bounded(text))
    };
    json!({
        "manufacturer": part("manufacturer"),
        "product": part("product_name"),
        "serial": part("serial_number"),
    })
}

fn summary(report: &ErasureReport) -> String {
    let mut methods: Vec<(&str, usize)> = Vec::new();
    for disk in &report.disks {
        let word = match &disk.outcome {
            DiskOutcome::Erased(erasure) => erasure.method.as_str(),
            DiskOutcome::Skipped { .. } => "skipped",
        };
        match methods.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => methods.push((word, 1)),
        }
    }
    let told = methods.iter().map(|(word, count)| match count {
        1 => format!("1 disk {word}"),
        count => format!("{count} disks {word}"),
    });
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{
        InterfaceKind, NodeId,
        erasure::{ErasedDisk, Erasure, ErasureMethod},
        step::UserStep,
    };

    fn disk(outcome: DiskOutcome) -> ErasedDisk {
        ErasedDisk {
            name: "/dev/sda".into(),
            vendor: None,
            model: None,
            serial: Some("S1".into()),
            wwn: None,
            size: 10,
            outcome,
        }
    }

    fn report() -> ErasureReport {
        let erased = disk(DiskOutcome::Erased(Erasure {
            method: ErasureMethod::Metadata,
            random_passes: None,
            zero_passes: None,
            started_at: "2026-01-01T00:00:00+00:00".into(),
            finished_at: "2026-01-01T00:00:00+00:00".into(),
            verification: None,
        }));
        let skipped = disk(DiskOutcome::Skipped {
            reason: "it is read-only".into(),
        });
        ErasureReport {
            disks: vec![erased.clone(), erased, skipped],
        }
    }

    #[test]
    fn a_certificate_says_whose_word_it_is() {
        let keys = KeyRing::ephemeral().unwrap();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("m1".into());
        let user = UserStep {
            interface: InterfaceKind::Deploy,
            step: "erase_devices_metadata".into(),
            args: JsonMap::new(),
            priority: None,
            execute_on_child_nodes: false,
            limit_child_node_execution: Vec::new(),
            given: JsonMap::new(),
        };
        let mut found = Inventory::default();
        let vendor = json!({"serial_number": "X".repeat(1000)});
        found.inventory.insert("system_vendor".into(), vendor);
        let facts = Facts {
            node: &node,
            found: Some(&found),
            issuer: "conductor-1",
            step: &Step::asked(&user, None),
            kind: StepKind::Clean,
        };
        let certificate = certified(&keys, &facts, &report()).unwrap();
        let told: Value = serde_json::from_str(&certificate.document).unwrap();
        assert_eq!(told["node"]["name"], "m1");
        assert_eq!(told["agent"]["disks"][0]["method"], "metadata");
        assert_eq!(told["agent"]["disks"][2]["reason"], "it is read-only");
        assert_eq!(told["operation"]["step"], "deploy.erase_devices_metadata");
        assert!(told["statement"].as_str().unwrap().contains("agent's word"));
        let serial = told["machine_by_inspection"]["serial"].as_str().unwrap();
        assert_eq!(serial.len(), 128);
        // What is signed is what is kept.
        assert_eq!(canonical::text(&told), certificate.document);
        let again = keys.sign(certificate.document.as_bytes()).unwrap();
        assert_eq!(again, certificate.signature);
    }

    #[test]
    fn the_note_counts_disks_by_method() {
        assert_eq!(summary(&report()), "2 disks metadata, 1 disk skipped");
    }
}
