//! `cargo xtask ui-types`: the web page's tables of states, from those of the program.
//!
//! The page draws the life of a machine and knows which verbs a state accepts. Both come from
//! `types`, so that a state that is added here is known there, and `make check` says when they
//! differ.

use anyhow::{Context, Result};
use std::{fmt::Write as _, fs, path::Path};
use types::{ProvisionState, Verb, provision::StateClass, rpc::is_actionable};

const FILE: &str = "ui/src/api/states.ts";

pub(crate) fn run(root: &Path, check_only: bool) -> Result<String> {
    let text = states();
    let path = root.join(FILE);
    let is_current = fs::read_to_string(&path).is_ok_and(|there| there == text);
    let mut findings = Vec::new();
    if !is_current && check_only {
        findings.push(format!("{FILE} is stale: run `cargo xtask ui-types`"));
    } else if !is_current {
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    super::verdict(findings, format!("{} states", ProvisionState::ALL.len()))
}

/// The class of a state as the page shows it.
fn look(state: ProvisionState) -> &'static str {
    match state.class() {
        StateClass::Stable => match state {
            ProvisionState::Active | ProvisionState::Rescue => "in_use",
            ProvisionState::Error => "failed",
            _ => "ready",
        },
        StateClass::Transient => "working",
        StateClass::Waiting => "waiting",
        StateClass::Hold => "held",
        StateClass::Failed => "failed",
    }
}

/// The module: every state with its class, its target, and the verbs of users that it accepts.
fn states() -> String {
    let mut text = String::from(
        "// Provision states and what they accept. Written by `cargo xtask ui-types`; not by hand.\n\n\
         export type Look = 'ready' | 'in_use' | 'working' | 'waiting' | 'held' | 'failed';\n\n",
    );
    let verbs = Verb::ALL.iter().filter(|verb| verb.is_user_verb());
    let verbs: Vec<String> = verbs.map(|verb| format!("'{}'", verb.as_str())).collect();
    // Writing to a string does not fail.
    let _ = writeln!(text, "export type Verb =\n  | {};\n", verbs.join("\n  | "));
    text.push_str(
        "export interface StateRow {\n  look: Look;\n  target: string | null;\n  \
         verbs: Partial<Record<Verb, string>>;\n}\n\n\
         export const STATES: Record<string, StateRow> = {\n",
    );
    for &state in ProvisionState::ALL {
        let target = state.default_target();
        let target = target.map_or("null".to_owned(), |target| format!("'{}'", target.as_str()));
        let accepted = Verb::ALL
            .iter()
            .filter(|verb| verb.is_user_verb() && is_actionable(state, **verb));
        let rows = accepted.filter_map(|verb| {
            let to = state.after(*verb)?;
            Some(format!("{}: '{}'", verb.as_str(), to.as_str()))
        });
        let rows: Vec<String> = rows.collect();
        let verbs = match rows.is_empty() {
            true => "{}".to_owned(),
            false => format!("{{ {} }}", rows.join(", ")),
        };
        let _ = writeln!(
            text,
            "  '{}': {{ look: '{}', target: {target}, verbs: {verbs} }},",
            state.as_str(),
            look(state),
        );
    }
    text.push_str("};\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_say_what_they_accept() {
        let text = states();
        assert!(
            text.contains(
                "'enroll': { look: 'ready', target: null, verbs: { manage: 'verifying' } }"
            )
        );
        assert!(text.contains("'error': { look: 'failed'"));
        assert!(!text.contains("resume:"), "only the conductor says it");
    }
}
