//! Policies as a whole: files over defaults, and the questions that handlers ask.

use super::*;
use proptest::{collection::vec, option, prelude::*, sample};
use std::sync::LazyLock;

fn try_parse(text: &str, options: &PolicyOptions) -> Result<Policy, String> {
    Policy::parse(text, Path::new("policy.yaml"), options)
        .map_err(|error| types::error::chain(&error))
}

fn parse(text: &str) -> Policy {
    try_parse(text, &PolicyOptions::default()).unwrap()
}

fn legacy() -> PolicyOptions {
    PolicyOptions {
        enforce_new_defaults: false,
        ..PolicyOptions::default()
    }
}

fn member(role: &str, project: &str) -> Credentials {
    Credentials {
        roles: Roles::with_implied([role]),
        project_id: Some(project.into()),
        ..Credentials::default()
    }
}

fn system(role: &str) -> Credentials {
    Credentials {
        roles: Roles::with_implied([role]),
        system_scope: Some("all".into()),
        ..Credentials::default()
    }
}

fn text_of(policy: &Policy, name: &str) -> String {
    let mut rules = policy.effective_rules();
    rules.find(|rule| rule.name == name).unwrap().expression
}

#[test]
fn admins_are_readers_and_services_are_nothing_else() {
    let has = |roles: Roles, folded: &str| roles.contains(folded);
    assert!(has(Roles::with_implied(["Admin"]), "reader"));
    assert!(has(Roles::with_implied(["member"]), "reader"));
    assert!(!has(Roles::with_implied(["member"]), "manager"));
    assert!(!has(Roles::with_implied(["service"]), "reader"));
    assert!(!has(Roles::listed(["admin"]), "reader"));
    let both = Roles::with_implied(["reader", "admin"]);
    assert_eq!(
        both,
        Roles::listed(["reader", "admin", "manager", "member"])
    );
}

#[test]
fn a_file_replaces_rules_and_their_parts() {
    const GET: &str = "baremetal:node:get";
    const HISTORY: &str = "baremetal:node:history:get";
    let old = "rule:is_admin or rule:is_observer";
    let policy = parse(&format!("\"{GET}\": role:x"));
    assert_eq!(text_of(&policy, GET), "role:x");
    assert_eq!(text_of(&policy, HISTORY), "role:x");
    assert_eq!(
        text_of(&policy, "baremetal:node:list"),
        "role:reader or role:service"
    );
    let policy = parse(&format!("\"{GET}\": role:x\n\"{HISTORY}\": role:y"));
    assert_eq!(text_of(&policy, HISTORY), "role:y");
    // Writing down the old default, or pointing to the part, changes nothing for the part.
    let untouched = text_of(&parse(""), HISTORY);
    for text in [old, "rule:baremetal:node:history:get"] {
        let policy = parse(&format!("\"{GET}\": {text}"));
        assert_eq!(text_of(&policy, GET), text);
        assert_eq!(text_of(&policy, HISTORY), untouched);
    }
    let policy = try_parse(&format!("\"{GET}\": role:x"), &legacy()).unwrap();
    assert_eq!(text_of(&policy, GET), "role:x");
    assert_eq!(
        text_of(&policy, "baremetal:node:list"),
        "role:reader or role:service or rule:baremetal:node:get"
    );
}

#[test]
fn files_come_from_disk() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("policy.json");
    std::fs::write(&path, r#"{"baremetal:shards:get": "role:x"}"#).unwrap();
    let policy = Policy::load(Some(path.as_path()), &PolicyOptions::default()).unwrap();
    let caller = member("x", "p");
    assert!(policy.allows(Rule::ShardsGet, &caller, &Target::NONE));
    let missing = dir.path().join("none.yaml");
    let error = Policy::load(Some(missing.as_path()), &PolicyOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot read {}", missing.display())
    );
}

#[test]
fn rules_that_never_end_are_refused() {
    let refused = |text: &str| try_parse(text, &PolicyOptions::default()).unwrap_err();
    assert_eq!(
        refused("a: rule:b or role:x\nb: not rule:c\nc: rule:a and role:y"),
        "these rules lead back to where they start: a, b, c, a"
    );
    assert_eq!(
        refused("\"baremetal:node:get\": rule:baremetal:node:get"),
        "these rules lead back to where they start: baremetal:node:get, baremetal:node:get"
    );
    let chain = |length: usize| -> String {
        let link = |i: usize| format!("r{i}: rule:r{}\n", i + 1);
        (1..length).map(link).collect::<String>() + &format!("r{length}: '@'\n")
    };
    let backwards = |text: &str| text.lines().rev().collect::<Vec<_>>().join("\n");
    assert!(try_parse(&chain(32), &PolicyOptions::default()).is_ok());
    assert_eq!(
        refused(&chain(33)),
        "the rule r1 leads through too many others"
    );
    assert_eq!(
        refused(&backwards(&chain(33))),
        "the rule r1 leads through too many others"
    );
    assert_eq!(
        refused(&chain(2_000)),
        "the rule r1 leads through too many others"
    );
}

#[test]
fn what_names_nothing_lets_nobody_in() {
    let text = "\
\"baremetal:node:get\": rule:nope or user:%(x)s or role:%(roles)s
used: role:%(project_id)s
\"baremetal:step:execute:bios.x\": rule:used
unused: '@'
";
    let policy = parse(text);
    let warned: Vec<String> = policy.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warned,
        [
            "line 1: the rule baremetal:node:get refers to rule:nope, which does not exist",
            "line 1: the rule baremetal:node:get compares user, which no caller has",
            "line 1: the rule baremetal:node:get asks for %(x)s, which nothing has",
            "line 4: nothing asks for the rule unused",
        ]
    );
    let node = Target::owned_node(None, None);
    for caller in [system("admin"), member("admin", "p")] {
        assert!(!policy.allows(Rule::NodeGet, &caller, &node));
    }
    assert!(parse("").warnings().is_empty());
    let refused = try_parse("a: role:x and not (rule:nope)", &PolicyOptions::default());
    assert_eq!(
        refused.unwrap_err(),
        "the rule a negates rule:nope, which does not exist"
    );
}

#[test]
fn a_default_rule_stands_for_what_does_not_exist() {
    let policy = parse("default: role:x\na: rule:nope\nb: not rule:nope");
    assert!(
        policy
            .warnings()
            .iter()
            .all(|w| matches!(w, PolicyWarning::UnknownRule { .. }))
    );
    let caller = member("x", "p");
    let said = |name| policy.check_named(name, &caller, &Target::NONE);
    assert_eq!(said("a"), Some(Decision::Allowed));
    assert_eq!(said("b"), Some(Decision::Denied));
    assert_eq!(said("nope"), None);
}

/// What a rule with this expression says. It may refer to `is_node_owner`.
fn holds(expression: &str, caller: &Credentials, target: &Target<'_>) -> bool {
    let expression = parser::parse(expression).unwrap();
    let owner = parser::parse("project_id:%(node.owner)s").unwrap();
    let rules = [("x", &expression), ("is_node_owner", &owner)];
    let program = Program::build(&rules, None, None).unwrap();
    program.holds(0, caller, target)
}

#[test]
fn comparisons_are_by_text() {
    let caller = Credentials {
        user_id: Some("u".into()),
        project_name: Some("demo".into()),
        service: ServiceCredentials {
            roles: Roles::listed(["Glance"]),
            ..ServiceCredentials::default()
        },
        ..member("member", "p")
    };
    let node = Target::owned_node(Some("p"), None);
    for expression in [
        "role:MEMBER",
        "roles:member",
        "service_roles:Glance",
        "user_id:u",
        "user_id:%(user_id)s",
        "project_domain_id:None",
        "project_domain_id:%(user_domain_id)s",
        "is_public_api:False",
        "is_admin_project:True",
        "'p':%(node.owner)s",
        "True:%(is_admin_project)s",
        "None:%(domain_id)s",
        "project_id:%(node.owner)s",
        "project_name:de%(none)smo or project_name:demo",
        "'x-p-y':x-%(node.owner)s-y",
        "user_id:%(user_id)s and not system:all",
    ] {
        assert!(holds(expression, &caller, &node), "{expression}");
    }
    for expression in [
        "roles:MEMBER",
        "role:glance",
        "user_id:U",
        "user_id:",
        "project_id:%(node.lessee)s",
        "project_id:%(allocation.owner)s",
        "project_name:%(config.service_project_name)s",
        "system:None",
        "system_scope:all",
        "1:%(is_admin_project)s",
        "'p':x%(node.owner)s",
        "'None':%(node.lessee)s",
        "roles:%(roles)s",
    ] {
        assert!(!holds(expression, &caller, &node), "{expression}");
    }
    assert!(holds("system:all", &system("reader"), &node));
}

#[test]
fn nothing_is_not_a_project_of_that_name() {
    let nobodys = Target::owned_node(None, None);
    let odd = member("member", "None");
    assert!(!holds("project_id:%(node.owner)s", &odd, &nobodys));
    assert!(holds(
        "project_id:%(node.owner)s",
        &system("member"),
        &nobodys
    ));
    let named = Target::owned_node(Some("None"), Some(""));
    assert!(!holds(
        "project_id:%(node.owner)s",
        &system("member"),
        &named
    ));
    assert!(!holds(
        "project_id:%(node.lessee)s",
        &system("member"),
        &named
    ));
}

#[test]
fn the_scope_counts_before_the_roles() {
    let policy = parse("\"baremetal:chassis:get\": '@'\n\"baremetal:shards:get\": '@'");
    let said = |rule, caller: &Credentials| policy.check(rule, caller, &Target::NONE);
    let domain = Credentials {
        domain_id: Some("d".into()),
        ..system("admin")
    };
    let only_domain = Credentials {
        system_scope: None,
        ..domain.clone()
    };
    let nobody = Credentials {
        roles: Roles::with_implied(["admin"]),
        ..Credentials::default()
    };
    assert_eq!(said(Rule::ChassisGet, &system("x")), Decision::Allowed);
    assert_eq!(said(Rule::ChassisGet, &domain), Decision::Allowed);
    assert_eq!(
        said(Rule::ChassisGet, &member("admin", "p")),
        Decision::WrongScope
    );
    assert_eq!(said(Rule::ShardsGet, &member("x", "p")), Decision::Allowed);
    for caller in [only_domain, nobody] {
        assert_eq!(said(Rule::ShardsGet, &caller), Decision::WrongScope);
        assert_eq!(said(Rule::NodeIpaHeartbeat, &caller), Decision::Allowed);
    }
}

#[test]
fn an_open_policy_keeps_only_secrets() {
    let nobody = Credentials::default();
    let opened = parse("show_password: '@'\n\"baremetal:node:get\": '!'").opened();
    for (policy, password) in [(Policy::open(), false), (opened, true)] {
        assert!(policy.is_open());
        for &rule in Rule::ALL {
            let expected = match rule {
                Rule::ShowPassword => password,
                Rule::ShowInstanceSecrets => false,
                _ => true,
            };
            assert_eq!(
                policy.allows(rule, &nobody, &Target::NONE),
                expected,
                "{rule:?}"
            );
        }
        let all = policy.reach(Rule::NodeListAll, Rule::NodeList, &nobody, Some("p"));
        assert_eq!(all, Ok(Reach::Everything));
    }
}

#[test]
fn access_hides_before_it_refuses() {
    let policy = parse("");
    let node = Target::owned_node(Some("p1"), Some("p2"));
    let wanted = [Rule::NodeUpdateExtra, Rule::NodeUpdateDriverInfo];
    let access = |caller| policy.access(Rule::NodeGet, &wanted, &caller, &node);
    assert_eq!(access(member("member", "p1")), Ok(()));
    assert_eq!(
        access(member("admin", "p2")),
        Err(Obstacle::Refused(Refusal(Rule::NodeUpdateDriverInfo)))
    );
    assert_eq!(access(member("admin", "p3")), Err(Obstacle::Invisible));
    let missing = || ApiError::node_not_found("n");
    let error = Obstacle::Invisible.into_error(missing);
    assert_eq!(error.status().as_u16(), 404);
    let error = Obstacle::Refused(Refusal(Rule::NodeUpdate)).into_error(missing);
    assert_eq!(error.status().as_u16(), 403);
    assert!(
        error
            .envelope()
            .contains("Access was denied to the following resource: baremetal:node:update\"")
    );
}

#[test]
fn lists_reach_as_far_as_the_caller() {
    let policy = parse("");
    let nodes = |caller: &Credentials, asked| {
        let reach = policy.reach(Rule::NodeListAll, Rule::NodeList, caller, asked);
        reach
            .map(|reach| format!("{reach:?}"))
            .map_err(|refusal| refusal.0)
    };
    let own = Ok("Project(\"p\")".to_owned());
    let everything = Ok("Everything".to_owned());
    assert_eq!(nodes(&system("reader"), Some("q")), everything);
    assert_eq!(nodes(&member("reader", "p"), None), own);
    assert_eq!(nodes(&member("reader", "p"), Some("")), own);
    assert_eq!(nodes(&member("reader", "p"), Some("p")), own);
    assert_eq!(
        nodes(&member("admin", "p"), Some("q")),
        Err(Rule::NodeListAll)
    );
    assert_eq!(nodes(&member("x", "p"), None), Err(Rule::NodeList));
    assert_eq!(nodes(&member("reader", ""), None), Err(Rule::NodeListAll));
    assert_eq!(nodes(&system("x"), None), Err(Rule::NodeListAll));
}

#[test]
fn steps_are_free_unless_a_rule_speaks_of_them() {
    let policy = parse("\"baremetal:step:execute:bios.reset\": project_id:%(node.owner)s");
    let node = Target::owned_node(Some("p1"), None);
    let said = |step, project| policy.check_step("bios", step, &member("member", project), &node);
    assert_eq!(said("reset", "p1"), Decision::Allowed);
    assert_eq!(said("reset", "p2"), Decision::Denied);
    assert_eq!(said("other", "p2"), Decision::Allowed);
    let open = Policy::open().check_step("bios", "reset", &Credentials::default(), &node);
    assert_eq!(open, Decision::Allowed);
}

const ROLES: &[&str] = &[
    "admin", "manager", "member", "reader", "service", "observer", "Admin", "other",
];
const PROJECTS: &[&str] = &["p1", "p2", "p3", "None", ""];

fn project() -> impl Strategy<Value = Option<String>> {
    option::of(sample::select(PROJECTS).prop_map(str::to_owned))
}

fn tenant() -> impl Strategy<Value = Credentials> {
    (
        vec(sample::select(ROLES), 0..4),
        any::<bool>(),
        project(),
        project(),
    )
        .prop_map(|(roles, implied, project_id, project_name)| Credentials {
            roles: if implied {
                Roles::with_implied(roles)
            } else {
                Roles::listed(roles)
            },
            project_id,
            project_name,
            ..Credentials::default()
        })
}

proptest! {
    /// No rule about nodes or allocations lets a tenant at what its project has no share in.
    #[test]
    fn tenants_stay_in_their_projects(
        caller in tenant(),
        (owner, lessee) in (project(), project()),
    ) {
        static DEFAULTS: LazyLock<Policy> = LazyLock::new(|| parse(""));
        let policy = &*DEFAULTS;
        let node = Target::owned_node(owner.as_deref(), lessee.as_deref());
        let allocation = Target::allocation(owner.as_deref());
        let mine = |project: &Option<String>| project.is_some() && *project == caller.project_id;
        for (rule, effective) in Rule::ALL.iter().zip(policy.effective_rules()) {
            let about = |name: &str| effective.expression.contains(name) && effective.scopes.is_some();
            if about("node.owner") && policy.allows(*rule, &caller, &node) {
                prop_assert!(mine(&owner) || mine(&lessee), "{:?}", rule);
            }
            if about("allocation.owner") && policy.allows(*rule, &caller, &allocation) {
                prop_assert!(mine(&owner), "{:?}", rule);
            }
        }
        if let Ok(reach) = policy.reach(Rule::NodeListAll, Rule::NodeList, &caller, None) {
            prop_assert_eq!(Some(reach), caller.project_id.as_deref().map(Reach::Project));
        }
    }

    /// `not`, `and` and `or` mean what they mean in logic, whatever stands between them.
    #[test]
    fn operators_obey_logic(
        caller in tenant(),
        owner in project(),
        checks in vec(sample::select(&[
            "@", "!", "role:admin", "project_id:%(node.owner)s", "project_name:p1",
            "rule:is_node_owner", "roles:other", "None:%(node.owner)s",
        ][..]), 2),
    ) {
        let (a, b) = (checks[0], checks[1]);
        let node = Target::owned_node(owner.as_deref(), None);
        let said = |text: String| holds(&text, &caller, &node);
        let (x, y) = (said(a.into()), said(b.into()));
        prop_assert_eq!(said(format!("not {a}")), !x);
        prop_assert_eq!(said(format!("{a} and {b}")), x && y);
        prop_assert_eq!(said(format!("{a} or {b}")), x || y);
        prop_assert_eq!(said(format!("not ({a} or {b})")), !x && !y);
        prop_assert_eq!(said(format!("{a} or {b} and not {a}")), x || y);
    }
}
