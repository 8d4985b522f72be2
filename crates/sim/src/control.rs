//! The operator's side of the simulator: looking at machines and turning their knobs, over HTTP.
//!
//! It has no authentication and is meant for loopback only. Tests use it to make things go wrong
//! at the right moment, people to play.

use crate::{
    Machine, Machines,
    fault::Faults,
    machine::{Summary, power::Action, sensor::Sensor},
};
use axum::{
    Json, Router,
    extract::{Path, Query, State, rejection::JsonRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{delete, get, post, put},
};
use proto::ipmi::{command::sel::SelEntry, message::BMC};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// How many machines a list has at most.
const PAGE: usize = 1000;

/// Everything that can be asked.
pub fn router(machines: Machines) -> Router {
    Router::new()
        .route("/sim/v1/machines", get(list))
        .route("/sim/v1/machines/{index}", get(show))
        .route("/sim/v1/machines/{index}/faults", put(set_faults))
        .route("/sim/v1/machines/{index}/faults", delete(unset_faults))
        .route("/sim/v1/machines/{index}/faults", get(faults))
        .route("/sim/v1/machines/{index}/power", put(power))
        .route("/sim/v1/machines/{index}/bmc/restart", post(restart))
        .route("/sim/v1/machines/{index}/sensors/{number}", put(sensor))
        .route("/sim/v1/machines/{index}/log", post(log))
        .route("/sim/v1/faults", put(set_all_faults))
        .with_state(machines)
}

/// Why a request is refused.
#[derive(Debug)]
enum Refused {
    NoMachine(u32),
    NoSensor(u8),
    LogFull,
    Body(JsonRejection),
    Power(crate::machine::power::Refused),
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::NoMachine(index) => (
                StatusCode::NOT_FOUND,
                format!("There is no machine {index}."),
            ),
            Self::NoSensor(number) => (
                StatusCode::NOT_FOUND,
                format!("There is no sensor {number}."),
            ),
            Self::LogFull => (StatusCode::CONFLICT, "The event log is full.".to_owned()),
            Self::Body(rejection) => (StatusCode::BAD_REQUEST, rejection.body_text()),
            Self::Power(refused) => (StatusCode::CONFLICT, refused.to_string()),
        };
        (status, Json(json!({"error": text}))).into_response()
    }
}

type Body<T> = Result<Json<T>, JsonRejection>;

fn body<T>(body: Body<T>) -> Result<T, Refused> {
    body.map(|Json(value)| value).map_err(Refused::Body)
}

fn find(machines: &Machines, index: u32) -> Result<&Arc<Machine>, Refused> {
    usize::try_from(index)
        .ok()
        .and_then(|at| machines.get(at))
        .ok_or(Refused::NoMachine(index))
}

/// Which part of a list is wanted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Range {
    from: usize,
    limit: Option<usize>,
}

async fn list(State(machines): State<Machines>, Query(range): Query<Range>) -> Json<Vec<Summary>> {
    let limit = range.limit.unwrap_or(PAGE).min(PAGE);
    let part = machines.iter().skip(range.from).take(limit);
    Json(part.map(|machine| machine.summary()).collect())
}

async fn show(
    State(machines): State<Machines>,
    Path(index): Path<u32>,
) -> Result<Json<Summary>, Refused> {
    Ok(Json(find(&machines, index)?.summary()))
}

async fn faults(
    State(machines): State<Machines>,
    Path(index): Path<u32>,
) -> Result<Json<Faults>, Refused> {
    Ok(Json(Faults::clone(&find(&machines, index)?.faults())))
}

async fn set_faults(
    State(machines): State<Machines>,
    Path(index): Path<u32>,
    faults: Body<Faults>,
) -> Result<StatusCode, Refused> {
    find(&machines, index)?.set_faults(Some(body(faults)?));
    Ok(StatusCode::NO_CONTENT)
}

async fn unset_faults(
    State(machines): State<Machines>,
    Path(index): Path<u32>,
) -> Result<StatusCode, Refused> {
    find(&machines, index)?.set_faults(None);
    Ok(StatusCode::NO_CONTENT)
}

async fn set_all_faults(
    State(machines): State<Machines>,
    faults: Body<Faults>,
) -> Result<StatusCode, Refused> {
    let faults = body(faults)?;
    for machine in machines.iter() {
        machine.set_faults(Some(faults.clone()));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Presses a button on the machine's front panel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Press {
    action: Action,
}

async fn power(
    State(machines): State<Machines>,
    Path(index): Path<u32>,
    press: Body<Press>,
) -> Result<StatusCode, Refused> {
    let machine = find(&machines, index)?;
    let Press { action } = body(press)?;
    machine.control(action).map_err(Refused::Power)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn restart(
    State(machines): State<Machines>,
    Path(index): Path<u32>,
) -> Result<StatusCode, Refused> {
    find(&machines, index)?.restart_bmc();
    Ok(StatusCode::NO_CONTENT)
}

/// The raw number that a sensor is to show; none lets it go back to its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    raw: Option<u8>,
}

/// An event that the BMC is to log, as numbers of IPMI.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Logged {
    sensor_type: u8,
    sensor: u8,
    event_type: u8,
    #[serde(default)]
    is_deassertion: bool,
    data: [u8; 3],
}

async fn log(
    State(machines): State<Machines>,
    Path(index): Path<u32>,
    logged: Body<Logged>,
) -> Result<StatusCode, Refused> {
    let machine = find(&machines, index)?;
    let logged = body(logged)?;
    let entry = SelEntry {
        id: 0,
        kind: SelEntry::SYSTEM_EVENT,
        time: 0,
        generator: BMC.into(),
        sensor_kind: logged.sensor_type,
        sensor: logged.sensor,
        is_deassertion: logged.is_deassertion,
        event_kind: logged.event_type & 0x7f,
        data: logged.data,
    };
    machine.log_event(entry).ok_or(Refused::LogFull)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn sensor(
    State(machines): State<Machines>,
    Path((index, number)): Path<(u32, u8)>,
    shown: Body<Shown>,
) -> Result<StatusCode, Refused> {
    let machine = find(&machines, index)?;
    let sensor = Sensor::of_number(number).ok_or(Refused::NoSensor(number))?;
    machine.set_reading(sensor, body(shown)?.raw);
    Ok(StatusCode::NO_CONTENT)
}
