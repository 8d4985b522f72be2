//! Sensor collection: readings of machines, as messages for whoever listens and as numbers.
//!
//! A machine is asked all of its sensors in one visit, which takes a BMC seconds; visits are spread
//! over the interval. The messages are those of Ironic, which Ceilometer and the exporters for
//! Prometheus read. The numbers in them are kept, of each machine the newest, for our own metrics.

use super::round::{Plan, Round, Visit, sweep};
use crate::core::Core;
use drivers::{DriverError, iface::Machine};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use store::candidate::{Candidate, CandidateQuery};
use types::{
    Fault, JsonMap, NodeId, Timestamp,
    pass::PassReport,
    sensor::{NodeReadings, SensorMessage, readings},
};

/// How many machines are asked at once for each worker of Ironic, which has a thread for it.
const ASKED_PER_WORKER: usize = 16;

/// The newest readings of each machine.
#[derive(Debug, Default)]
pub(super) struct Newest(Mutex<HashMap<NodeId, Arc<NodeReadings>>>);

impl Newest {
    fn locked(&self) -> MutexGuard<'_, HashMap<NodeId, Arc<NodeReadings>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn all(&self) -> Vec<Arc<NodeReadings>> {
        self.locked().values().cloned().collect()
    }

    fn keep(&self, new: NodeReadings) {
        self.locked().insert(new.node, Arc::new(new));
    }

    /// Readings that were not renewed are of machines that are gone, or not ours any more.
    fn forget_older_than(&self, before: Timestamp) {
        self.locked().retain(|_, kept| kept.at >= before);
    }
}

pub(super) async fn pass(core: Arc<Core>) -> Round {
    let settings = &core.settings.sensors;
    let began = Timestamp::now();
    if settings.enable_for_conductor
        && let Some(message) = about_conductor(&core)
    {
        send(&core, message).await;
    }
    if !settings.enable_for_nodes {
        return Round::default();
    }
    let asked = settings.workers.saturating_mul(ASKED_PER_WORKER);
    let plan = Plan::new(&core, settings.interval, asked);
    let undeployed = settings.enable_for_undeployed_nodes;
    let round = sweep(&core, CandidateQuery::Sensors { undeployed }, plan, visit).await;
    let took = Timestamp::now().seconds_since(began);
    if i64::try_from(settings.wait_timeout.as_secs()).is_ok_and(|limit| limit > 0 && took > limit) {
        let nodes = round.visited;
        tracing::warn!(
            nodes,
            took_s = took,
            "reading the sensors takes long; more [sensor_data]workers or more conductors would help"
        );
    }
    core.ledger.sensors.forget_older_than(began);
    round
}

async fn visit(core: Arc<Core>, candidate: Candidate) -> Visit {
    let id = candidate.node.id;
    let limit = core.settings.sensors.wait_timeout;
    let collected = collect(&core, candidate);
    let collected = if limit.is_zero() {
        Ok(collected.await)
    } else {
        tokio::time::timeout(limit, collected).await
    };
    match collected {
        Ok(Ok(visit)) => visit,
        Ok(Err(fault)) => {
            let fault = fault.to_string();
            tracing::warn!(node = %id, error = %types::mask::text(&fault), "the sensors cannot be read");
            Visit::Failed
        }
        Err(_) => {
            tracing::warn!(node = %id, limit_s = limit.as_secs(), "reading the sensors took too long");
            Visit::Failed
        }
    }
}

/// The readings without the names that Redfish sensors have for people: consumers of notifications
/// make labels of every field, and know this one of drives only.
fn without_names(mut payload: JsonMap) -> JsonMap {
    for kind in ["Fan", "Temperature", "Power"] {
        let all = payload.get_mut(kind).and_then(Value::as_object_mut);
        for sensor in all.into_iter().flat_map(|all| all.values_mut()) {
            if let Some(fields) = sensor.as_object_mut() {
                fields.remove("name");
            }
        }
    }
    payload
}

async fn collect(core: &Core, candidate: Candidate) -> Result<Visit, Fault> {
    let mut node = candidate.node;
    let management = core.monitor(&node)?.management;
    let driver_info = core.opened_driver_info(&node)?;
    let machine = Machine::new(&mut node, &driver_info, &[]);
    let sensed = match management.validate(&machine).await {
        Ok(()) => management.sensors(&machine).await,
        Err(error) => Err(error),
    };
    let payload = match sensed {
        Ok(payload) => wanted(payload, &core.settings.sensors.data_types),
        // In a mixed fleet that is nothing to tell of.
        Err(DriverError::Unsupported { .. }) => return Ok(Visit::Skipped),
        Err(error) => return Err(crate::flow::fault(&node, &error)),
    };
    if payload.is_empty() {
        return Ok(Visit::Skipped);
    }
    let now = Timestamp::now();
    core.ledger.sensors.keep(NodeReadings {
        node: node.id,
        node_name: node.name.clone(),
        driver: node.driver.clone(),
        at: now,
        readings: readings(&payload),
    });
    let event_type = format!("hardware.{}.metrics", node.driver);
    let body = json!({
        "message_id": message_id(),
        "instance_uuid": node.instance_uuid,
        "node_uuid": node.id,
        "timestamp": now.naive(),
        "node_name": node.name,
        "event_type": format!("{event_type}.update"),
        "payload": without_names(payload),
    });
    let sent = send(core, message(event_type, body)).await;
    Ok(if sent { Visit::Done } else { Visit::Failed })
}

/// The types of sensors that somebody wants to hear of.
fn wanted(payload: JsonMap, types: &[String]) -> JsonMap {
    let is_listed = |kind: &str| types.iter().any(|wanted| wanted.eq_ignore_ascii_case(kind));
    if is_listed("ALL") {
        return payload;
    }
    let fitting = payload.into_iter().filter(|(kind, _)| is_listed(kind));
    fitting.collect()
}

/// What this conductor measures about itself, under the names that Ironic's readers know
/// where it has the like. Without the collecting backend there is nothing to tell.
fn about_conductor(core: &Core) -> Option<SensorMessage> {
    if !core.settings.sensors.conductor_metrics {
        return None;
    }
    let payload = measures(&core.ledger.reports());
    let event_type = "ironic.metrics".to_owned();
    let body = json!({
        "message_id": message_id(),
        "timestamp": Timestamp::now().naive(),
        "hostname": core.settings.host,
        "event_type": format!("{event_type}.update"),
        "payload": wanted(payload, &core.settings.sensors.data_types),
    });
    (!body["payload"].as_object().is_none_or(JsonMap::is_empty)).then(|| message(event_type, body))
}

fn measures(reports: &[PassReport]) -> JsonMap {
    let mut all = JsonMap::new();
    for report in reports {
        let known = match report.name.as_str() {
            "power_sync" => "_sync_power_states",
            "power_recovery" => "_power_failure_recovery",
            "rescue_timeouts" => "_check_rescuewait_timeouts",
            "sensors" => "_send_sensor_data",
            "history_purge" => "_manage_node_history",
            name => name,
        };
        let timer =
            json!({"count": report.rounds, "sum": report.total_duration_s * 1e3, "type": "timer"});
        all.insert(format!("ConductorManager.{known}"), timer);
        let gauge = match report.name.as_str() {
            "power_sync" => "ConductorManager.PowerSyncNodesCount",
            "power_recovery" => "ConductorManager.PowerSyncRecoveryNodeCount",
            _ => continue,
        };
        let value = json!({"value": report.last_visited, "type": "gauge"});
        all.insert(gauge.to_owned(), value);
    }
    all
}

fn message_id() -> String {
    // Ids of history entries are random UUIDs, which is all that is wanted here.
    types::HistoryId::generate().to_string()
}

fn message(event_type: String, body: serde_json::Value) -> SensorMessage {
    let payload = match body {
        serde_json::Value::Object(payload) => payload,
        _ => JsonMap::new(),
    };
    SensorMessage {
        event_type,
        payload,
    }
}

/// Whether the message went out, or nobody wants it.
async fn send(core: &Core, message: SensorMessage) -> bool {
    let Some(sink) = &core.settings.sensors.sink else {
        return true;
    };
    match sink.send(message).await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "a message about sensors was not sent");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(types: &[&str], left: &[&str]) {
        let payload = json!({"Fan": {"f": {}}, "Temperature": {"t": {}}});
        let types: Vec<String> = types.iter().map(|&t| t.to_owned()).collect();
        let kept = wanted(payload.as_object().unwrap().clone(), &types);
        assert_eq!(kept.keys().collect::<Vec<_>>(), left);
    }

    #[test]
    fn only_the_types_that_are_listed_are_told() {
        check(&["ALL"], &["Fan", "Temperature"]);
        check(&["all", "Fan"], &["Fan", "Temperature"]);
        check(&["temperature"], &["Temperature"]);
        check(&["Voltage"], &[]);
        check(&[], &[]);
    }
}
