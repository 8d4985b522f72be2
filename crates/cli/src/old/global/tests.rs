//! Options before the sub-command, with variables behind them.

use super::*;
use crate::endpoint::Auth;
use crate::old::parse;

fn with<T>(line: &str, variables: &[(&str, &str)], act: impl FnOnce(Globals<'_>) -> T) -> T {
    let options: Vec<&Argument> = OPTIONS.iter().collect();
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let given = parse::leading(&options, &words).unwrap().given;
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let around = Surroundings {
        variable: &variable,
        folders: Vec::new(),
    };
    act(Globals::new(&given, &around))
}

const KEYSTONE: &[(&str, &str)] = &[
    ("OS_AUTH_URL", "http://keystone:5000/v2.0"),
    ("OS_USERNAME", "admin"),
    ("OS_PASSWORD", "secret"),
    ("OS_TENANT_NAME", "service"),
];

#[test]
fn an_address_alone_needs_nobody_to_log_in() {
    for (line, variables) in [
        ("--ironic-url http://h:6385/v1", &[][..]),
        ("--os-endpoint http://h:6385/", &[]),
        ("", &[("IRONIC_URL", "http://h:6385")]),
        ("", &[("OS_SERVICE_ENDPOINT", "http://h:6385")]),
    ] {
        let endpoint = with(line, variables, |globals| globals.endpoint()).unwrap();
        assert_eq!(endpoint.address.as_deref(), Some("http://h:6385"), "{line}");
        assert_eq!(endpoint.auth, Auth::None);
    }
}

#[test]
fn an_address_and_a_token_need_no_keystone() {
    let line = "--os-auth-token x --ironic-url http://h:6385";
    let endpoint = with(line, KEYSTONE, |globals| globals.endpoint()).unwrap();
    assert!(matches!(endpoint.auth, Auth::Token(token) if token.reveal() == "x"));
}

#[test]
fn tenants_are_projects_and_the_second_keystone_is_the_third() {
    let endpoint = with("", KEYSTONE, |globals| globals.endpoint()).unwrap();
    let Auth::Keystone(login) = endpoint.auth else {
        panic!("{:?}", endpoint.auth);
    };
    assert_eq!(login.url(), "http://keystone:5000/v3");
    assert_eq!(endpoint.address, None);
    // With an address as well, that one is used and not the catalog's.
    let line = "--ironic-url http://h:6385";
    let endpoint = with(line, KEYSTONE, |globals| globals.endpoint()).unwrap();
    assert!(matches!(endpoint.auth, Auth::Keystone(_)));
    assert_eq!(endpoint.address.as_deref(), Some("http://h:6385"));
}

#[test]
fn what_is_missing_is_asked_for_in_the_old_words() {
    for (missing, expected) in [
        ("OS_USERNAME", "a username via either --os-username"),
        ("OS_TENANT_NAME", "a project name or project id via"),
        ("OS_AUTH_URL", "an auth url via either --os-auth-url"),
    ] {
        let some: Vec<(&str, &str)> = KEYSTONE
            .iter()
            .copied()
            .filter(|(name, _)| *name != missing)
            .collect();
        let failure = with("", &some, |globals| globals.endpoint()).unwrap_err();
        let text = failure.text();
        assert!(text.contains(expected), "{missing}: {text}");
    }
}

#[test]
fn retries_have_limits() {
    let retries = |line: &str, variables: &[(&str, &str)]| {
        with(line, variables, |globals| globals.retries())
            .map(|retries| (retries.most, retries.interval))
            .map_err(|failure| failure.text())
    };
    assert_eq!(retries("", &[]), Ok((5, 2)));
    assert_eq!(
        retries("--max-retries 0", &[("IRONIC_RETRY_INTERVAL", "7")]),
        Ok((0, 7))
    );
    assert_eq!(
        retries("--max-retries -1", &[]),
        Err("You must provide value >= 0 for --max-retries".to_owned())
    );
    assert_eq!(
        retries("--retry-interval 0", &[]),
        Err("You must provide value >= 1 for --retry-interval".to_owned())
    );
    assert_eq!(
        retries("", &[("IRONIC_MAX_RETRIES", "many")]),
        Err("argument --max-retries: invalid int value: 'many'".to_owned())
    );
}
