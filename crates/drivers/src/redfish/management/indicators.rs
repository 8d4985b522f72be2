//! Lights that tell which machine, chassis or drive it is.
//!
//! Older services have an `IndicatorLED` with a word in it; newer ones only say whether the
//! location indicator is active. Both are served.

use super::{first, put};
use crate::{
    DriverError,
    redfish::{Info, Redfish, RedfishError, Resource, Talk},
};
use serde_json::Value;
use types::{NodeId, rpc::Indicator};

const SYSTEM: &str = "system";
const CHASSIS: &str = "chassis";
const DISK: &str = "disk";

const LED: &str = "IndicatorLED";
const ACTIVE: &str = "LocationIndicatorActive";

const WORDS: &[(&str, &str)] = &[
    ("Lit", "on"),
    ("Off", "off"),
    ("Blinking", "blinking"),
    ("Unknown", "unknown"),
];

/// Something that may have a light.
#[derive(Debug)]
struct Lamp {
    component: &'static str,
    name: String,
    resource: Resource,
}

impl Lamp {
    fn new(component: &'static str, resource: Resource) -> Self {
        // Not all services know the UUIDs of what they have.
        let name = first([resource.str("UUID"), resource.str("Id")], &resource.path);
        Self {
            component,
            name,
            resource,
        }
    }

    fn state(&self) -> Option<&'static str> {
        if let Some(word) = self.resource.str(LED) {
            let known = WORDS.iter().find(|(known, _)| *known == word);
            return Some(known.map_or("unknown", |(_, state)| *state));
        }
        let is_active = self.resource.bool(ACTIVE)?;
        Some(if is_active { "on" } else { "off" })
    }

    fn states(&self) -> &'static [&'static str] {
        if self.resource.str(LED).is_some() {
            &["blinking", "off", "on"]
        } else {
            &["off", "on"]
        }
    }
}

/// The lights of one kind of component, or of all.
async fn lamps(talk: &Talk<'_>, component: Option<&str>) -> Result<Vec<Lamp>, RedfishError> {
    let wants = |kind: &str| component.is_none_or(|component| component == kind);
    let system = talk.system().await?;
    let mut all = Vec::new();
    // What one of these cannot tell is no reason to keep quiet about the others.
    if wants(CHASSIS) {
        match talk.chassis(&system).await {
            Ok(found) => all.extend(found.into_iter().map(|one| Lamp::new(CHASSIS, one))),
            Err(error) => unavailable(talk, CHASSIS, error)?,
        }
    }
    if wants(DISK) {
        match drives(talk, &system).await {
            Ok(found) => all.extend(found),
            Err(error) => unavailable(talk, DISK, error)?,
        }
    }
    if wants(SYSTEM) {
        all.insert(0, Lamp::new(SYSTEM, system));
    }
    all.retain(|lamp| lamp.state().is_some());
    Ok(all)
}

fn unavailable(talk: &Talk<'_>, what: &str, error: RedfishError) -> Result<(), RedfishError> {
    if error.status().is_none() {
        return Err(error);
    }
    tracing::debug!(bmc = talk.peer(), what, %error, "no indicators");
    Ok(())
}

async fn drives(talk: &Talk<'_>, system: &Resource) -> Result<Vec<Lamp>, RedfishError> {
    let Some(storage) = system.link("Storage") else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for storage in talk.collection(storage).await? {
        for drive in talk.all(&storage, "Drives").await? {
            all.push(Lamp {
                component: DISK,
                name: format!("{}:{}", storage.id(), drive.id()),
                resource: drive,
            });
        }
    }
    Ok(all)
}

pub(super) async fn list(redfish: &Redfish, info: &Info) -> Result<Vec<Indicator>, DriverError> {
    let talk = redfish.talk(info, "listing the indicators").await?;
    let all = lamps(&talk, None).await?;
    Ok(all
        .into_iter()
        .map(|lamp| Indicator {
            component: lamp.component.to_owned(),
            readonly: false,
            states: lamp.states().iter().map(|&s| s.to_owned()).collect(),
            name: lamp.name,
        })
        .collect())
}

async fn find(
    talk: &Talk<'_>,
    node: NodeId,
    component: &str,
    name: &str,
) -> Result<Lamp, DriverError> {
    let all = lamps(talk, Some(component)).await?;
    all.into_iter()
        .find(|lamp| lamp.component == component && lamp.name == name)
        .ok_or_else(|| {
            DriverError::InvalidParameter(format!(
                "Unknown indicator {name} for component {component} of node {node}"
            ))
        })
}

pub(super) async fn get(
    redfish: &Redfish,
    info: &Info,
    component: &str,
    name: &str,
) -> Result<String, DriverError> {
    let talk = redfish.talk(info, "reading an indicator").await?;
    let lamp = find(&talk, info.node, component, name).await?;
    Ok(lamp.state().unwrap_or("unknown").to_owned())
}

pub(super) async fn set(
    redfish: &Redfish,
    info: &Info,
    component: &str,
    name: &str,
    state: &str,
) -> Result<(), DriverError> {
    let state = state.to_lowercase();
    let word = WORDS.iter().find(|(_, known)| *known == state);
    let Some((word, _)) = word.filter(|(_, known)| *known != "unknown") else {
        return Err(DriverError::InvalidParameter(format!(
            "Invalid indicator state {state} specified."
        )));
    };
    let talk = redfish.talk(info, "setting an indicator").await?;
    let lamp = find(&talk, info.node, component, name).await?;
    if !lamp.states().contains(&state.as_str()) {
        return Err(DriverError::InvalidParameter(format!(
            "Invalid indicator state {state} specified; {component} {name} has {}.",
            lamp.states().join(", ")
        )));
    }
    let body = if lamp.resource.str(LED).is_some() {
        put(LED, (*word).into())
    } else {
        put(ACTIVE, Value::Bool(state == "on"))
    };
    talk.patch(&lamp.resource, &body).await?;
    let found = Lamp {
        resource: talk.get(&lamp.resource.path).await?,
        ..lamp
    };
    let kept = found.state().unwrap_or("unknown");
    // Many services do not know a light that is on without blinking, or the other way round.
    let is_lit = |state: &str| state == "on" || state == "blinking";
    if kept == state || kept == "unknown" || is_lit(kept) && is_lit(&state) {
        return Ok(());
    }
    Err(DriverError::NotKept {
        peer: talk.peer().to_owned(),
        what: "indicator",
        asked: state,
        found: kept.to_owned(),
    })
}
