//! Whole lives of machines over HTTP, on every engine.

mod failing;
mod history;
mod limits;
mod polling;
mod power;
mod restart;
mod waiting;
mod whole;

use crate::lab::{Lab, Machine};
use serde_json::{Value, json};
use types::ProvisionState as S;

/// A step of the fake vendor interface that needs no hardware.
fn log_step() -> Value {
    json!({"interface": "vendor", "step": "log_passthrough"})
}

async fn manageable(lab: &Lab) -> Machine<'_> {
    let machine = lab.enroll(json!({})).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine
}

async fn available(lab: &Lab) -> Machine<'_> {
    let machine = manageable(lab).await;
    machine.asks("provide").await.reaches(S::Available).await;
    machine
}

async fn active(lab: &Lab) -> Machine<'_> {
    let machine = available(lab).await;
    machine.asks("active").await.reaches(S::Active).await;
    machine
}
