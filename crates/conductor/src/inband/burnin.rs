//! Reports of the steps that wear a machine in: what they showed, whether they were passed or failed.
//!
//! They are written in the transaction that ends the step. An agent that measures nothing, such as
//! ironic-python-agent, still passes or fails.

use crate::{record::truncated, task::Task};
use serde_json::Value;
use types::{
    InterfaceKind, ReportId, Timestamp,
    burnin::{BurninReport, BurninTest, BurninVerdict, CommissioningReport},
    erasure::bounded,
    step::{Step, StepKind},
};

/// The longest error that is kept, in characters.
const LONGEST_ERROR: usize = 4096;

/// The test that a step is, if it is one.
fn test(step: &Step) -> Option<BurninTest> {
    let is_agents = step.interface == InterfaceKind::Deploy;
    step.step.parse().ok().filter(|_| is_agents)
}

/// A test was passed.
pub(super) fn note_passed(task: &mut Task, step: &Step, result: &Value, kind: StepKind) {
    let Some(test) = test(step) else {
        return;
    };
    let result = result.get(format!("{kind}_result")).unwrap_or(&Value::Null);
    let measured = match BurninReport::of_result(result) {
        None => None,
        Some(Ok(measured)) => Some(measured),
        Some(Err(why)) => {
            let text = format!(
                "step {} was passed without figures: the agent's report is invalid: {}",
                step.name(),
                bounded(&why)
            );
            tracing::warn!(node = %task.id(), name = task.node.name, "{text}");
            task.warn(vec![text]);
            None
        }
    };
    let seconds = measured.as_ref().map(|measured| measured.seconds);
    let figures = measured.map(|measured| measured.figures);
    task.report(CommissioningReport {
        row: 0,
        id: ReportId::generate(),
        node: task.id(),
        test,
        verdict: BurninVerdict::Passed,
        ended_at: Timestamp::now(),
        seconds,
        figures: figures.unwrap_or_default(),
        error: None,
    });
}

/// A test failed, for the reason that the agent gives.
pub(super) fn note_failed(task: &mut Task, step: &Step, why: &str) {
    let Some(test) = test(step) else {
        return;
    };
    task.report(CommissioningReport {
        row: 0,
        id: ReportId::generate(),
        node: task.id(),
        test,
        verdict: BurninVerdict::Failed,
        ended_at: Timestamp::now(),
        seconds: None,
        figures: Vec::new(),
        error: Some(truncated(why, LONGEST_ERROR)),
    });
}
