//! `GET /corten/v1/steps`: the steps that runbooks, deploy templates and requests can have.
//!
//! Each conductor knows those of its implementations; what is alike in several hardware types is told
//! once. An agent may have more than those that are listed.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use types::rpc::{DriverName, recipe::OfferedStep};

/// How many hardware types are asked about.
const MOST: usize = 100;

/// A step, the hardware types that have it, and those in which nodes have it without choosing.
struct StepOffer {
    step: OfferedStep,
    drivers: BTreeSet<String>,
    default_in: BTreeSet<String>,
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["driver"])?;
    let only = args.string("driver")?.map(str::to_owned);
    call.permit(Rule::DriverGet, &Target::NONE)?;
    let drivers = match only {
        Some(driver) => BTreeSet::from([driver]),
        None => drivers(&call).await?,
    };
    let mut all: BTreeMap<_, StepOffer> = BTreeMap::new();
    for driver in drivers.iter().take(MOST) {
        let name = DriverName(driver.clone());
        for step in call.state.conductor.offered_steps(name).await? {
            let key = (
                step.kind,
                step.interface,
                step.step.clone(),
                step.implementation.clone(),
            );
            let is_default = step.is_default;
            let found = all.entry(key).or_insert_with(|| StepOffer {
                step,
                drivers: BTreeSet::new(),
                default_in: BTreeSet::new(),
            });
            found.drivers.insert(driver.clone());
            if is_default {
                found.default_in.insert(driver.clone());
            }
        }
    }
    let steps: Vec<Value> = all.values().map(document).collect();
    let document = json!({"drivers": drivers, "steps": steps});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// Those that a conductor serves that is alive.
async fn drivers(call: &Call) -> Result<BTreeSet<String>, ApiError> {
    let conductor = &call.state.conductor;
    let offered = store::member::interfaces(&call.state.db).await?;
    let alive = offered
        .into_iter()
        .filter(|(host, _)| conductor.is_alive(host) != Some(false));
    Ok(alive.map(|(_, offered)| offered.hardware_type).collect())
}

fn document(found: &StepOffer) -> Value {
    let step = &found.step;
    json!({
        "kind": step.kind,
        "interface": step.interface,
        "step": step.step,
        "implementation": step.implementation,
        "priority": step.priority,
        "abortable": step.abortable,
        "requires_ramdisk": step.requires_ramdisk,
        "args": step.args,
        "drivers": found.drivers,
        "default_in": found.default_in,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::json;
    use store::member::Registration;
    use types::{InterfaceKind, member::OfferedInterface};

    #[tokio::test]
    async fn steps_that_are_alike_are_told_once() {
        let service = Service::new();
        let offer = |hardware_type: &str| OfferedInterface {
            hardware_type: hardware_type.into(),
            kind: InterfaceKind::Power,
            name: "fake".into(),
            is_default: true,
        };
        let new = Registration {
            hostname: "cond1".into(),
            conductor_group: String::new(),
            drivers: vec!["ipmi".into(), "redfish".into()],
            interfaces: vec![offer("ipmi"), offer("redfish")],
            url: None,
        };
        store::member::register(&service.db, new).await.unwrap();
        let shown = service.get("/corten/v1/steps", 1).await.json();
        assert_eq!(shown["drivers"], json!(["ipmi", "redfish"]));
        assert_eq!(shown["steps"].as_array().unwrap().len(), 1);
        assert_eq!(shown["steps"][0]["drivers"], json!(["ipmi", "redfish"]));
        let one = service.get("/corten/v1/steps?driver=ipmi", 1).await.json();
        assert_eq!(one["steps"][0]["drivers"], json!(["ipmi"]));
        assert_eq!(one["steps"][0]["args"][0]["name"], "settings");
    }
}
