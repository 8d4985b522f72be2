//! Trying inspection rules: what they would do to a node, by the engine that inspection uses.
//!
//! Everything happens on a copy in memory. The two actions that reach further, calls and lines in
//! the log, are told about and not done. Rules see secrets masked, whatever the configuration says:
//! the outcome is shown to whoever asked.

mod difference;

use super::{
    process::check_hardware,
    rule::{
        self, Rule, RuleError,
        fetch::{Call, Fetch},
    },
    settings::InspectionSettings,
    subject::Subject,
};
use crate::{core::Core, lock};
use async_trait::async_trait;
use difference::changes;
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use types::{
    Fault, JsonMap, NodeId,
    inspection_rule::MAIN_PHASE,
    mask,
    rpc::recipe::{RuleTrial, TrialReport, TriedAction, TriedCondition, TriedRule, TriedRules},
};

/// How many operations one trial takes, and how many items their loops have together.
const MOST_OPERATIONS: usize = 500;
const MOST_ITEMS: usize = 5_000;
/// How many items of a loop are shown with what they saw, and how long a value may be.
const MOST_SEEN: usize = 10;
pub(super) const MOST_SHOWN: usize = 4_096;

/// A rule, and what it is called.
struct Named {
    rule: Rule,
    uuid: Option<String>,
    description: Option<String>,
}

impl Core {
    pub(crate) async fn try_rules(
        &self,
        id: NodeId,
        trial: RuleTrial,
    ) -> Result<TrialReport, Fault> {
        let node = self.load(id).await?;
        let ports = store::port::of_node(&self.db, id).await;
        let ports = ports.map_err(|error| lock::fault(error, id))?;
        let settings = &self.settings.inspection;
        let mut rules = self.rules_of(trial.rules, settings, id).await?;
        check_size(&rules)?;
        rules.sort_by_key(|named| std::cmp::Reverse(named.rule.priority));
        let before = Subject::new(node, ports, trial.data);
        let mut subject = before.clone();
        let mut report = TrialReport::default();
        for named in rules {
            let tried = apply(&mut subject, named).await;
            report.error.clone_from(&tried.error);
            report.rules.push(tried);
            if report.error.is_some() {
                break;
            }
        }
        if report.error.is_none() {
            let checked = check_hardware(self, &before.node, &mut subject.node);
            report.error = checked.err();
        }
        let hides = report.rules.iter().any(|rule| rule.sensitive);
        if !hides {
            report.changes = changes(&before, &subject);
        }
        Ok(report)
    }

    async fn rules_of(
        &self,
        wanted: TriedRules,
        settings: &InspectionSettings,
        id: NodeId,
    ) -> Result<Vec<Named>, Fault> {
        let only = match wanted {
            TriedRules::Draft {
                conditions,
                actions,
            } => {
                return Ok(vec![Named {
                    rule: Rule {
                        uuid: "draft".to_owned(),
                        priority: 0,
                        sensitive: false,
                        conditions,
                        actions,
                    },
                    uuid: None,
                    description: None,
                }]);
            }
            TriedRules::Stored(only) => Some(only),
            TriedRules::All => None,
        };
        let stored = store::inspection_rule::of_phase(&self.db, MAIN_PHASE).await;
        let stored = stored.map_err(|error| lock::fault(error, id))?;
        let stored = stored.into_iter().map(|rule| Named {
            uuid: Some(rule.id.to_string()),
            description: rule.description.clone(),
            rule: Rule::of(rule),
        });
        let mut rules: Vec<Named> = stored.collect();
        if let Some(file) = settings.built_in_rules.clone() {
            let read = tokio::task::spawn_blocking(move || rule::file::read(&file)).await;
            let read = read.unwrap_or_else(|error| Err(error.to_string()));
            rules.extend(
                read.map_err(Fault::InvalidParameter)?
                    .into_iter()
                    .map(|rule| Named {
                        uuid: Some(rule.uuid.clone()),
                        description: None,
                        rule,
                    }),
            );
        }
        if let Some(only) = only {
            rules.retain(|named| named.uuid.as_ref() == Some(&only));
            if rules.is_empty() {
                return Err(Fault::InvalidParameter(format!(
                    "There is no inspection rule {only}."
                )));
            }
        }
        Ok(rules)
    }
}

fn check_size(rules: &[Named]) -> Result<(), Fault> {
    let operations = || {
        let rules = rules.iter().map(|named| &named.rule);
        rules.flat_map(|rule| rule.conditions.iter().chain(&rule.actions))
    };
    let items = operations().map(|operation| rule::items(operation).len());
    if operations().count() > MOST_OPERATIONS || items.sum::<usize>() > MOST_ITEMS {
        return Err(Fault::InvalidParameter(format!(
            "A trial has at most {MOST_OPERATIONS} conditions and actions, and {MOST_ITEMS} items \
             in their loops. Try the rules one by one."
        )));
    }
    Ok(())
}

async fn apply(subject: &mut Subject, named: Named) -> TriedRule {
    let Named {
        rule,
        uuid,
        description,
    } = named;
    let conditions: Vec<TriedCondition> = rule
        .conditions
        .iter()
        .map(|condition| judged(subject, condition))
        .collect();
    // Inspection stops at the first that does not hold; what comes behind it does not matter.
    let first = conditions.iter().find(|one| one.holds != Some(true));
    let mut tried = TriedRule {
        uuid,
        description,
        priority: rule.priority,
        sensitive: rule.sensitive,
        applies: first.is_none(),
        error: first.and_then(|one| one.error.clone()),
        conditions,
        actions: Vec::new(),
    };
    for action in &rule.actions {
        let reached = tried.applies && tried.error.is_none();
        let done = match reached {
            true => carried_out(subject, action).await,
            false => unreached(action),
        };
        tried.error = tried.error.or_else(|| done.error.clone());
        tried.actions.push(done);
    }
    if tried.sensitive {
        hide(&mut tried);
    }
    tried
}

/// What others may see of a sensitive rule: whether it applies.
fn hide(tried: &mut TriedRule) {
    for condition in &mut tried.conditions {
        condition.seen.clear();
        condition.error = condition.error.take().map(|_| mask::MASK.to_owned());
    }
    for action in &mut tried.actions {
        action.changes.clear();
        action.effects.clear();
        action.error = action.error.take().map(|_| mask::MASK.to_owned());
    }
    if tried.error.is_some() {
        tried.error = Some("A sensitive rule fails.".to_owned());
    }
}

fn op(operation: &Value) -> String {
    let op = operation.get("op").and_then(Value::as_str);
    op.unwrap_or_default().to_owned()
}

fn judged(subject: &Subject, condition: &Value) -> TriedCondition {
    let seen = rule::seen(subject, condition, MOST_SEEN);
    let (holds, error) = match rule::holds(subject, condition) {
        Ok(holds) => (Some(holds), None),
        Err(error) => (None, Some(text(error))),
    };
    TriedCondition {
        op: op(condition),
        holds,
        seen: seen.into_iter().map(shown_map).collect(),
        error,
    }
}

async fn carried_out(subject: &mut Subject, action: &Value) -> TriedAction {
    let before = subject.clone();
    let notes = Notes::default();
    let mut error = None;
    for item in rule::items(action) {
        if let Err(failed) = rule::carry_out(subject, action, item, &notes).await {
            error = Some(text(failed));
            break;
        }
    }
    TriedAction {
        op: op(action),
        done: error.is_none(),
        effects: notes.0.into_inner().unwrap_or_else(PoisonError::into_inner),
        changes: changes(&before, subject),
        error,
    }
}

fn unreached(action: &Value) -> TriedAction {
    TriedAction {
        op: op(action),
        done: false,
        effects: Vec::new(),
        changes: Vec::new(),
        error: None,
    }
}

fn text(error: RuleError) -> String {
    let (RuleError::Said(text) | RuleError::Unexpected(text)) = error;
    cut(mask::text(&text).into_owned())
}

/// A value as it is shown: without secrets, and cut where it is long.
pub(super) fn shown(value: &Value) -> Value {
    let masked = match value {
        Value::Object(map) => Value::Object(mask::masked(map)),
        Value::String(text) => mask::text(text).into_owned().into(),
        other => other.clone(),
    };
    match &masked {
        Value::String(text) if text.len() > MOST_SHOWN => cut(text.clone()).into(),
        Value::Array(_) | Value::Object(_) => {
            let text = masked.to_string();
            if text.len() > MOST_SHOWN {
                return cut(text).into();
            }
            masked
        }
        _ => masked,
    }
}

fn shown_map(map: JsonMap) -> JsonMap {
    let map = mask::masked(&map);
    let each = map.iter().map(|(key, value)| (key.clone(), shown(value)));
    each.collect()
}

fn cut(mut text: String) -> String {
    if text.len() > MOST_SHOWN {
        text.truncate(text.floor_char_boundary(MOST_SHOWN));
        text.push('…');
    }
    text
}

/// Writes down what would be done beyond the node.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn add(&self, text: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < MOST_SEEN {
            notes.push(cut(mask::text(&text).into_owned()));
        }
    }
}

#[async_trait]
impl Fetch for Notes {
    async fn get(&self, call: &Call) -> Result<(), String> {
        self.add(format!("would call GET {}", call.url));
        Ok(())
    }

    fn log(&self, level: tracing::Level, message: &str) {
        self.add(format!(
            "would log ({}): {message}",
            level.as_str().to_lowercase()
        ));
    }
}
