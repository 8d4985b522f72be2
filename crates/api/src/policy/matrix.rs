//! Personas against rules: what Ironic said, row by row.
//!
//! `decisions.tsv` has its policy engine's word on every rule for every persona, `rbac.tsv` of the
//! golden files the statuses that a running service gave to requests, `truth.tsv` what it makes of
//! expressions. The answers are played at the level of rules: which are asked, in which order, and
//! how a refusal shows. What else a request can fail of is not looked at: the whole service is
//! played against the same file elsewhere.

use super::*;
use crate::patch::Patch;

/// Rows of a table, without its comments.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

fn personas() -> Vec<(&'static str, Credentials)> {
    rows(include_str!("matrix/personas.tsv"))
        .map(|row| {
            let text = |i: usize| (row[i] != "-").then(|| row[i].to_owned());
            let roles = text(1).unwrap_or_default();
            let caller = Credentials {
                roles: Roles::listed(roles.split(',').filter(|role| !role.is_empty())),
                project_id: text(2),
                project_name: text(3),
                project_domain_id: text(4),
                domain_id: text(5),
                system_scope: text(6),
                is_admin_project: row[7] == "True",
                ..Credentials::default()
            };
            (row[0], caller)
        })
        .collect()
}

fn target(name: &str) -> Target<'static> {
    match name {
        "-" => Target::NONE,
        "N" => Target::owned_node(Some("P1"), Some("P2")),
        "M" => Target::owned_node(None, None),
        "A1" => Target::allocation(Some("P1")),
        "A0" => Target::allocation(None),
        "R1" => Target::runbook(Some("P1")),
        "R0" => Target::runbook(None),
        _ => panic!("no target {name}"),
    }
}

fn load(options: PolicyOptions) -> Policy {
    Policy::load(None, &options).unwrap()
}

/// Rules that we let administrators of projects pass: Ironic has them for tokens of the system only,
/// so that Horizon cannot show the drivers that its users enroll nodes with.
const WIDER: &[Rule] = &[Rule::DriverGet, Rule::DriverGetProperties];

#[test]
fn administrators_of_projects_see_drivers_and_others_do_not() {
    let policy = load(PolicyOptions::default());
    for rule in WIDER {
        for (name, caller) in personas() {
            let is_system = caller.system_scope.is_some();
            let is_admin = caller.project_id.is_some() && caller.roles.contains("admin");
            let said = policy.allows(*rule, &caller, &Target::NONE);
            assert_eq!(said, is_system || is_admin, "{rule:?} {name}");
        }
    }
}

#[test]
fn every_rule_says_to_every_persona_what_the_original_says() {
    let policies = [
        load(PolicyOptions::default()),
        load(PolicyOptions {
            enforce_new_defaults: false,
            ..PolicyOptions::default()
        }),
        load(PolicyOptions {
            service_project: Some("service".into()),
            ..PolicyOptions::default()
        }),
    ];
    let personas = personas();
    let mut asked = HashSet::new();
    let mut wrong = Vec::new();
    for row in rows(include_str!("matrix/decisions.tsv")) {
        let rule = Rule::of_name(row[0]).unwrap();
        asked.insert(rule);
        for (policy, (expected, mode)) in policies
            .iter()
            .zip(row[2..].iter().zip(["default", "legacy", "elevated"]))
        {
            assert_eq!(expected.len(), personas.len());
            for ((persona, caller), expected) in personas.iter().zip(expected.chars()) {
                let said = match policy.check(rule, caller, &target(row[1])) {
                    Decision::Allowed => 'y',
                    Decision::Denied => 'n',
                    Decision::WrongScope => 's',
                };
                let is_ours = WIDER.contains(&rule) && caller.project_id.is_some();
                if said != expected && !is_ours {
                    wrong.push(format!("{mode} {} {} {persona}: {said}", row[0], row[1]));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // Ironic has no opinion on rules of our own.
    let shared = |rule: &&Rule| !rule.name().starts_with("corten:");
    assert_eq!(asked.len(), Rule::ALL.iter().filter(shared).count());
}

#[test]
fn expressions_mean_what_they_mean_to_the_original() {
    for row in rows(include_str!("matrix/truth.tsv")) {
        let text = format!("x: \"{}\"", row[1]);
        let policy =
            Policy::parse(&text, Path::new("policy.yaml"), &PolicyOptions::default()).unwrap();
        let said: String = (0..8)
            .map(|set| {
                let held = ["a", "b", "c"].into_iter().enumerate();
                let roles = held
                    .filter(|(i, _)| set >> i & 1 == 1)
                    .map(|(_, role)| role);
                let caller = Credentials {
                    roles: Roles::listed(roles),
                    ..Credentials::default()
                };
                let decision = policy.check_named("x", &caller, &Target::NONE).unwrap();
                if decision.is_allowed() { '1' } else { '0' }
            })
            .collect();
        assert_eq!(said, row[0], "{}", row[1]);
    }
}

/// How a request fares, as far as policy goes.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    /// Passed, and this many items are in the list.
    Listed(usize),
    Hidden,
    Refused,
    WrongScope,
}

/// What is in the lists: (node's or own owner, lessee, whether everybody may see it).
fn items(kind: &str, of: Option<&str>) -> Vec<(Option<&'static str>, Option<&'static str>, bool)> {
    let on_n = (Some("P1"), Some("P2"), false);
    let nobodys = (None, None, false);
    match (kind, of) {
        (_, Some("nothing")) => vec![],
        (_, Some("N")) | ("portgroup" | "volume", _) => vec![on_n],
        ("node" | "port", _) => vec![on_n, nobodys],
        ("allocation", _) => vec![(Some("P1"), None, false), nobodys],
        ("runbook", _) => vec![(Some("P1"), None, false), (None, None, true)],
        _ => panic!("no list of {kind}"),
    }
}

struct ViewContext<'a> {
    policy: &'a Policy,
    caller: &'a Credentials,
    request: &'static str,
}

impl ViewContext<'_> {
    fn play(&self, plan: &str) -> Outcome {
        let mut outcome = Outcome::Passed;
        let mut steps = plan.split(' ').peekable();
        while let Some(step) = steps.next() {
            let option = steps.next_if(|word| word.contains('=') && !word.contains(':'));
            outcome = self.step(step, option);
            if !matches!(outcome, Outcome::Passed | Outcome::Listed(_)) {
                break;
            }
        }
        outcome
    }

    fn step(&self, step: &str, option: Option<&str>) -> Outcome {
        if let Some(kind) = step.strip_prefix("list:") {
            return self.list(kind, option);
        }
        if let Some(rest) = step.strip_prefix("own:") {
            let (name, project) = rest.split_once('=').unwrap();
            let own = self.caller.project_id.as_deref() == Some(project);
            return if own {
                Outcome::Passed
            } else {
                self.need(&rule(name), "-")
            };
        }
        let (what, on) = step.rsplit_once('@').unwrap();
        match what.split_once(':') {
            None => {
                let (_, body) = self.request.split_once(" [").unwrap();
                let body = serde_json::from_str(&format!("[{body}")).unwrap();
                self.need(&patch_rules(&Patch::parse(&body).unwrap()), on)
            }
            Some(("need", name)) => self.need(&rule(name), on),
            Some(("hide", name)) => match self.need(&rule(name), on) {
                Outcome::Passed => Outcome::Passed,
                _ => Outcome::Hidden,
            },
            Some(("either", names)) => {
                let outcomes = names.split('|').map(|name| self.need(&rule(name), on));
                outcomes
                    .reduce(|a, b| if a == Outcome::Passed { a } else { b })
                    .unwrap()
            }
            _ => panic!("no step {step}"),
        }
    }

    fn need(&self, rules: &[Rule], on: &str) -> Outcome {
        let decisions = rules
            .iter()
            .map(|rule| self.policy.check(*rule, self.caller, &target(on)));
        for decision in decisions {
            match decision {
                Decision::Allowed => {}
                Decision::Denied => return Outcome::Refused,
                Decision::WrongScope => return Outcome::WrongScope,
            }
        }
        Outcome::Passed
    }

    fn list(&self, kind: &str, option: Option<&str>) -> Outcome {
        let given = |name: &str| option?.strip_prefix(name)?.strip_prefix('=');
        let all = rule(&format!("{kind}:list_all"))[0];
        let own = rule(&format!("{kind}:list"))[0];
        let Ok(reach) = self.policy.reach(all, own, self.caller, given("project")) else {
            return Outcome::Refused;
        };
        let mut items = items(kind, given("of"));
        items.retain(|(owner, lessee, everybodys)| {
            let project = match reach {
                Reach::Everything => given("project"),
                Reach::Project(project) => Some(project),
            };
            let shared = |project| [*owner, *lessee].contains(&Some(project)) || *everybodys;
            project.is_none_or(shared) && given("owner").is_none_or(|want| *owner == Some(want))
        });
        // Ironic looks at each allocation once more, and services may not get single ones.
        let each = |(owner, ..): &(Option<&str>, _, _)| {
            let rules = [Rule::AllocationGet];
            let target = Target::allocation(*owner);
            rules
                .iter()
                .all(|rule| self.policy.allows(*rule, self.caller, &target))
        };
        if kind == "allocation" && !items.iter().all(each) {
            return Outcome::Refused;
        }
        Outcome::Listed(items.len())
    }
}

fn rule(name: &str) -> [Rule; 1] {
    let known = Rule::of_name(&format!("baremetal:{name}"));
    [known.unwrap_or_else(|| panic!("no rule {name}"))]
}

/// Whether a plan asks nothing but rules that are wider than Ironic's.
fn is_wider(plan: &str) -> bool {
    let mut wider = WIDER.iter();
    wider.any(|rule| plan == format!("need:{}@-", rule.name().trim_start_matches("baremetal:")))
}

/// What a measured status says about policy. `own` is the status of who may do everything.
fn measured(status: &str, own: &str) -> Outcome {
    match status {
        "403" => Outcome::Refused,
        "500" => Outcome::WrongScope,
        "404" if own != "404" => Outcome::Hidden,
        _ => match status.split_once('/') {
            Some((_, count)) => Outcome::Listed(count.parse().unwrap()),
            None => Outcome::Passed,
        },
    }
}

#[test]
fn requests_fare_as_they_fared_with_the_original() {
    let policy = load(PolicyOptions::default());
    let personas = personas();
    let mut table = rows(include_str!("../../../../tests/golden/rbac.tsv"));
    let header: Vec<&str> = table.next().unwrap()[2].split(' ').collect();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for row in table.filter(|row| row[1] != "-") {
        let statuses: Vec<&str> = row[2].split(' ').collect();
        assert_eq!(statuses.len(), header.len());
        for (name, status) in header
            .iter()
            .zip(&statuses)
            .filter(|(_, status)| **status != "-")
        {
            let (_, caller) = personas.iter().find(|(known, _)| known == name).unwrap();
            let scene = ViewContext {
                policy: &policy,
                caller,
                request: row[0],
            };
            let said = match (scene.play(row[1]), *status) {
                // Where everybody gets 404, being hidden and being absent look alike.
                (Outcome::Hidden, "404") => continue,
                // A list below a node shows no count when something else went wrong first.
                (Outcome::Listed(_), status) if !status.contains('/') => Outcome::Passed,
                (said, _) => said,
            };
            compared += 1;
            let expected = measured(status, statuses[0]);
            let is_ours = expected == Outcome::WrongScope && is_wider(row[1]);
            if said != expected && !is_ours {
                wrong.push(format!("{} {name}: {said:?}, not {expected:?}", row[0]));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(compared > 1500, "{compared}");
}
