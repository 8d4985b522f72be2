//! Deploy templates, runbooks and inspection rules.

use crate::{finding::RowProblem, row::SourceRow};
use types::{
    DeployTemplate, InspectionRule, InterfaceKind, JsonMap, Runbook, Timestamp,
    deploy_template::{Rank, TemplateStep},
    inspection_rule::MAIN_PHASE,
    runbook::RunbookStep,
};

/// A step of a template or a runbook.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    /// Nothing if there is no such interface.
    interface: Option<InterfaceKind>,
    step: String,
    args: JsonMap,
    rank: i64,
}

/// Reads a step; `rank` is the column that orders it.
pub(crate) fn step(row: &mut SourceRow<'_>, rank: &'static str) -> Step {
    Step {
        interface: row.text("interface").and_then(|name| name.parse().ok()),
        step: row.text("step").unwrap_or_default(),
        args: row.map("args"),
        rank: row.int(rank).unwrap_or(0),
    }
}

/// The steps with an interface that exists, each as `make` has it.
fn steps<T>(
    row: &mut SourceRow<'_>,
    steps: Vec<Step>,
    make: impl Fn(InterfaceKind, Step) -> T,
) -> Vec<T> {
    let mut made = Vec::with_capacity(steps.len());
    for (number, step) in (1..).zip(steps) {
        match step.interface {
            Some(interface) => made.push(make(interface, step)),
            None => row.note(None, RowProblem::BadStep(number)),
        }
    }
    made
}

pub(crate) fn template(
    row: &mut SourceRow<'_>,
    given: Vec<Step>,
    now: Timestamp,
) -> Option<DeployTemplate> {
    let id = row.id()?;
    let name = row.short_text("name", 255).unwrap_or_default();
    let steps = steps(row, given, |interface, step| TemplateStep {
        interface,
        step: step.step,
        args: step.args,
        priority: Rank::Number(step.rank),
    });
    let mut template = DeployTemplate::new(id, name, steps);
    template.extra = row.map("extra");
    (template.created_at, template.updated_at) = row.times(now);
    Some(template)
}

/// A runbook. Where Ironic had no traits of runbooks yet (`traits` is none), a runbook has its own
/// name as its trait: that is what its migration does.
pub(crate) fn runbook(
    row: &mut SourceRow<'_>,
    given: Vec<Step>,
    traits: Option<Vec<String>>,
    now: Timestamp,
) -> Option<Runbook> {
    let id = row.id()?;
    let name = row.short_text("name", 255).unwrap_or_default();
    let steps = steps(row, given, |interface, step| RunbookStep {
        interface,
        step: step.step,
        args: step.args,
        order: Rank::Number(step.rank),
    });
    let mut runbook = Runbook::new(id, name, steps);
    runbook.traits = traits.unwrap_or_else(|| vec![runbook.name.clone()]);
    if runbook.traits.is_empty() {
        row.note(None, RowProblem::NoTraits);
    }
    runbook.traits.sort();
    runbook.traits.dedup();
    runbook.description = row.short_text("description", 255);
    runbook.public = row.flag("public").unwrap_or(false);
    runbook.disable_ramdisk = row.flag("disable_ramdisk").unwrap_or(false);
    runbook.owner = row.short_text("owner", 255);
    runbook.extra = row.map("extra");
    (runbook.created_at, runbook.updated_at) = row.times(now);
    Some(runbook)
}

pub(crate) fn rule(row: &mut SourceRow<'_>, now: Timestamp) -> Option<InspectionRule> {
    let id = row.id()?;
    let conditions = row.list("conditions").unwrap_or_default();
    let Some(actions) = row.list("actions") else {
        row.note(None, RowProblem::Lacks("actions"));
        return None;
    };
    let mut rule = InspectionRule::new(id, conditions, actions);
    rule.description = row.short_text("description", 255);
    rule.priority = row.int("priority").unwrap_or(0);
    let phase = row.short_text("phase", 16);
    rule.phase = phase.unwrap_or_else(|| MAIN_PHASE.to_owned());
    rule.sensitive = row.flag_or("sensitive", false);
    rule.scope = row.short_text("scope", 255);
    (rule.created_at, rule.updated_at) = row.times(now);
    Some(rule)
}
