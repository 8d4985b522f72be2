//! Sensor collection: what is sent, and what is kept.

use super::{OFTEN, enroll, options, rack};
use crate::{
    database::Engine,
    lab::{Lab, Options},
    redfish_steps::machine::{self as redfish, Sim},
};
use async_trait::async_trait;
use serde_json::{Value, json};
use sim::fault::Faults;
use std::sync::{Arc, Mutex};
use types::sensor::{SensorMessage, SensorSink};

every_engine!(
    readings_of_ipmi_machines_are_sent_and_kept,
    readings_of_redfish_machines_are_sent,
    only_wanted_readings_are_sent,
);

/// Keeps what it is given.
#[derive(Debug, Default)]
struct Mailbox(Mutex<Vec<SensorMessage>>);

#[async_trait]
impl SensorSink for Mailbox {
    async fn send(&self, message: SensorMessage) -> Result<(), String> {
        self.0.lock().unwrap().push(message);
        Ok(())
    }
}

impl Mailbox {
    /// What has come since the last look.
    fn empty(&self) -> Vec<SensorMessage> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Collects the sensors of all machines into the mailbox.
fn collecting(options: &mut Options) -> Arc<Mailbox> {
    let mailbox = Arc::new(Mailbox::default());
    let sensors = &mut options.conductor.sensors;
    sensors.is_on = true;
    sensors.interval = OFTEN;
    sensors.enable_for_undeployed_nodes = true;
    sensors.sink = Some(mailbox.clone());
    mailbox
}

async fn readings_of_ipmi_machines_are_sent_and_kept(engine: Engine) {
    let rack = rack(3).await;
    let mut options = options();
    let mailbox = collecting(&mut options);
    let lab = Lab::with(engine, options).await;
    let nodes = enroll(&lab, &rack).await;
    lab.goes_round("sensors").await;
    mailbox.empty();
    lab.has_round("sensors", 3, 0).await;
    let sent = mailbox.empty();
    let id = nodes[1].id.to_string();
    let message = sent
        .iter()
        .find(|m| m.payload["node_uuid"] == id.as_str())
        .unwrap();
    assert_eq!(message.event_type, "hardware.ipmi.metrics");
    let body = &message.payload;
    let keys: Vec<&String> = body.keys().collect();
    let known = [
        "message_id",
        "instance_uuid",
        "node_uuid",
        "timestamp",
        "node_name",
        "event_type",
        "payload",
    ];
    assert_eq!(keys, known);
    assert_eq!(body["event_type"], "hardware.ipmi.metrics.update");
    assert_eq!(body["node_name"], "machine-1");
    assert_eq!(body["instance_uuid"], Value::Null);
    let ids: std::collections::BTreeSet<&str> = sent
        .iter()
        .map(|m| m.payload["message_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), sent.len(), "each message has its own id");
    let timestamp = body["timestamp"].as_str().unwrap();
    assert!(types::Timestamp::from_naive(timestamp).is_some() && !timestamp.ends_with('Z'));
    let (sensor, fields) = body["payload"]["Temperature"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    assert_eq!(fields["Sensor ID"], sensor.as_str());
    assert!(fields["Sensor Reading"].is_string());

    let kept = lab.readings();
    assert_eq!(kept.len(), 3);
    let ours = kept.iter().find(|r| r.node == nodes[1].id).unwrap();
    assert_eq!(ours.driver, "ipmi");
    assert!(!ours.readings.is_empty());

    // Nobody asks a machine in maintenance, and what one said that is silent now is not repeated.
    let path = nodes[0].path("/maintenance");
    lab.client.put(&path, json!({})).await.expect(202);
    let silent = Faults {
        silent: true,
        ..Faults::default()
    };
    rack.machines[2].set_faults(Some(silent));
    lab.has_round("sensors", 2, 1).await;
    let kept: Vec<_> = lab.readings().iter().map(|r| r.node).collect();
    assert_eq!(kept, [nodes[1].id]);
    lab.stop().await;
}

async fn readings_of_redfish_machines_are_sent(engine: Engine) {
    let sim = Sim::start("dell").await;
    let mut options = redfish::options();
    let mailbox = collecting(&mut options);
    options.conductor.sensors.conductor_metrics = true;
    let lab = Lab::with(engine, options).await;
    let node = redfish::enroll(&lab, &sim, "redfish").await;
    lab.goes_round("sensors").await;
    let sent = mailbox.empty();
    let id = node.id.to_string();
    let ours = |m: &&SensorMessage| m.payload.get("node_uuid") == Some(&json!(id));
    let message = sent.iter().find(ours).unwrap();
    assert_eq!(message.event_type, "hardware.redfish.metrics");
    let kinds: Vec<&String> = message.payload["payload"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(kinds, ["Extra", "Fan", "Temperature", "Power", "Drive"]);
    let about = sent
        .iter()
        .find(|m| m.event_type == "ironic.metrics")
        .unwrap();
    let body = &about.payload;
    assert_eq!(body["event_type"], "ironic.metrics.update");
    assert_eq!(body["hostname"], crate::lab::HOST);
    assert_eq!(
        body["payload"]["ConductorManager._send_sensor_data"]["type"],
        "timer"
    );
    lab.stop().await;
}

async fn only_wanted_readings_are_sent(engine: Engine) {
    let rack = rack(1).await;
    let mut options = options();
    let mailbox = collecting(&mut options);
    options.conductor.sensors.data_types = vec!["fan".into()];
    let lab = Lab::with(engine, options).await;
    enroll(&lab, &rack).await;
    lab.goes_round("sensors").await;
    mailbox.empty();
    lab.has_round("sensors", 1, 0).await;
    let sent = mailbox.empty();
    assert!(!sent.is_empty());
    for message in sent {
        let kinds: Vec<String> = message.payload["payload"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        assert_eq!(kinds, ["Fan"]);
    }
    lab.stop().await;

    let mut options = super::options();
    let mailbox = collecting(&mut options);
    options.conductor.sensors.enable_for_undeployed_nodes = false;
    let lab = Lab::with(engine, options).await;
    enroll(&lab, &rack).await;
    let report = lab.goes_round("sensors").await;
    assert_eq!(report.last_visited, 0, "nothing is deployed");
    assert_eq!(mailbox.empty(), []);
    lab.stop().await;
}
