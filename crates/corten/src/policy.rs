//! `corten policy`: the rules as the service would apply them, and whom they let do what.
//!
//! Nothing is asked of a running service: the configuration decides, as it does at the start of
//! one. Where everybody may do everything, the rules are shown all the same, with a word about it.

use crate::{
    args,
    console::{note, print},
    settings, sources,
};
use api::policy::{Credentials, Decision, Policy, Roles, Target};
use std::process::ExitCode;

pub(crate) fn run(command: &args::Policy) -> anyhow::Result<ExitCode> {
    match command {
        args::Policy::Show(common) => show(&load(common)?),
        args::Policy::Check(args) => check(&load(&args.common)?, args),
    }
}

/// The rules, after saying what is odd about them.
fn load(common: &args::Common) -> anyhow::Result<Policy> {
    let (config, warnings) = sources::load(common)?;
    let policy = settings::policy(&config)?;
    for warning in warnings {
        note(&format!("warning: {warning}"));
    }
    for warning in policy.warnings() {
        note(&format!("warning: {warning}"));
    }
    if policy.is_open() {
        note(
            "note: with auth_strategy noauth or http_basic only the rules about secrets are \
             applied; everything else is open to whoever gets in",
        );
    }
    Ok(policy.enforced())
}

fn show(policy: &Policy) -> anyhow::Result<ExitCode> {
    let rules: Vec<String> = policy.effective_rules().map(|r| r.to_string()).collect();
    print(rules.join("\n").trim_end())?;
    Ok(ExitCode::SUCCESS)
}

fn check(policy: &Policy, args: &args::Check) -> anyhow::Result<ExitCode> {
    let caller = caller(args);
    let target = target(args);
    let Some(rule) = &args.rule else {
        for (name, decision) in policy.check_all(&caller, &target) {
            print(&format!("{:<11} {name}", word(decision)))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let decision = policy.check_named(rule, &caller, &target).ok_or_else(|| {
        anyhow::anyhow!("unknown policy rule {rule}; `corten policy show` prints all rules")
    })?;
    print(word(decision))?;
    Ok(if decision.is_allowed() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Credentials with these roles, and those that they imply in a default Keystone.
fn caller(args: &args::Check) -> Credentials {
    Credentials {
        roles: Roles::with_implied(args.role.clone()),
        user_id: args.user.clone(),
        project_id: args.project.clone(),
        project_name: args.project_name.clone(),
        domain_id: args.domain.clone(),
        system_scope: args.system.then(|| "all".to_owned()),
        ..Credentials::default()
    }
}

/// What is asked about: a rule only looks at the owner of its own kind of thing, so one owner can
/// stand for all kinds.
fn target(args: &args::Check) -> Target<'_> {
    let owner = args.owner.as_deref();
    Target::of_all_kinds(owner, args.lessee.as_deref())
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allowed => "allowed",
        Decision::Denied => "denied",
        Decision::WrongScope => "wrong scope",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Command, Program};
    use api::policy::PolicyOptions;
    use clap::Parser;

    /// What `corten policy check` decides, by its arguments.
    fn decision(line: &str) -> Decision {
        let words = format!("corten policy check {line}");
        let program = Program::try_parse_from(words.split(' ')).unwrap();
        let Command::Policy(args::Policy::Check(args)) = program.command else {
            panic!("not a check: {line}");
        };
        let policy = Policy::load(None, &PolicyOptions::default()).unwrap();
        let rule = args.rule.clone().unwrap();
        policy
            .check_named(&rule, &caller(&args), &target(&args))
            .unwrap()
    }

    #[test]
    fn callers_and_things_are_as_the_arguments_say() {
        for (line, expected) in [
            (
                "baremetal:node:set_power_state --role member --project p --lessee p",
                Decision::Allowed,
            ),
            (
                "baremetal:node:set_power_state --role member --project p --lessee q",
                Decision::Denied,
            ),
            (
                "baremetal:allocation:update --role admin --project p --owner p",
                Decision::Allowed,
            ),
            (
                "baremetal:runbook:update --role manager --project p --owner p",
                Decision::Allowed,
            ),
            (
                "baremetal:chassis:create --role admin --system",
                Decision::Allowed,
            ),
            (
                "baremetal:chassis:create --role admin --project p",
                Decision::WrongScope,
            ),
            (
                "baremetal:node:get --role admin --domain d",
                Decision::WrongScope,
            ),
        ] {
            assert_eq!(decision(line), expected, "{line}");
        }
    }

    #[test]
    fn a_token_has_one_scope() {
        let line = "corten policy check --role admin --system --project p";
        assert!(Program::try_parse_from(line.split(' ')).is_err());
    }
}
