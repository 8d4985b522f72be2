//! Options and the logins that they describe.

use super::*;

fn options(pairs: &[(&str, &str)]) -> AuthOptions {
    let mut options = AuthOptions::default();
    for (name, value) in pairs {
        let text = Some((*value).to_owned());
        let secret = Some(Secret::from(*value));
        match *name {
            "auth_type" => options.auth_type = text,
            "auth_url" => options.auth_url = text,
            "username" => options.username = text,
            "user_id" => options.user_id = text,
            "password" => options.password = secret,
            "user_domain_id" => options.user_domain_id = text,
            "project_name" => options.project_name = text,
            "project_domain_name" => options.project_domain_name = text,
            "default_domain_id" => options.default_domain_id = text,
            "system_scope" => options.system_scope = text,
            "trust_id" => options.trust_id = text,
            "token" => options.token = secret,
            "application_credential_id" => options.application_credential_id = text,
            "application_credential_name" => options.application_credential_name = text,
            "application_credential_secret" => options.application_credential_secret = secret,
            other => panic!("{other}"),
        }
    }
    options
}

#[track_caller]
fn check(pairs: &[(&str, &str)], expected: &Value) {
    let mut all = vec![("auth_url", "http://k:5000")];
    all.extend(pairs);
    let auth = options(&all).read("glance").unwrap();
    let Auth::Keystone(login) = &auth else {
        panic!("{auth:?}")
    };
    assert_eq!(login.body()["auth"], *expected);
    assert!(!format!("{auth:?}").contains("hunter2"), "{auth:?}");
    assert!(!login.who().contains("hunter2"));
}

#[test]
fn every_way_of_logging_in_has_its_body() {
    // As recorded from Ironic.
    check(
        &[
            ("auth_type", "password"),
            ("username", "ironic"),
            ("password", "hunter2"),
            ("user_domain_id", "default"),
            ("project_name", "service"),
            ("project_domain_name", "Default"),
        ],
        &json!({
            "identity": {"methods": ["password"], "password": {"user": {
                "name": "ironic", "domain": {"id": "default"}, "password": "hunter2"}}},
            "scope": {"project": {"name": "service", "domain": {"name": "Default"}}},
        }),
    );
    check(
        &[
            ("auth_type", "v3password"),
            ("user_id", "u1"),
            ("password", "hunter2"),
            ("system_scope", "all"),
            ("project_name", "left out"),
        ],
        &json!({
            "identity": {"methods": ["password"], "password": {"user": {
                "id": "u1", "password": "hunter2"}}},
            "scope": {"system": {"all": true}},
        }),
    );
    check(
        &[
            ("auth_type", "v3applicationcredential"),
            ("application_credential_name", "key"),
            ("application_credential_secret", "hunter2"),
            ("username", "ironic"),
            ("default_domain_id", "d1"),
            ("project_name", "left out"),
        ],
        &json!({"identity": {
            "methods": ["application_credential"],
            "application_credential": {
                "name": "key", "secret": "hunter2",
                "user": {"name": "ironic", "domain": {"id": "d1"}}},
        }}),
    );
    check(
        &[
            ("auth_type", "v3applicationcredential"),
            ("application_credential_id", "a1"),
            ("application_credential_secret", "hunter2"),
        ],
        &json!({"identity": {
            "methods": ["application_credential"],
            "application_credential": {"id": "a1", "secret": "hunter2"},
        }}),
    );
    check(
        &[
            ("auth_type", "v3token"),
            ("token", "hunter2"),
            ("trust_id", "t1"),
        ],
        &json!({
            "identity": {"methods": ["token"], "token": {"id": "hunter2"}},
            "scope": {"OS-TRUST:trust": {"id": "t1"}},
        }),
    );
}

#[test]
fn services_without_keystone_need_no_login() {
    let none = options(&[("auth_type", "none")]).read("glance");
    assert_eq!(none, Ok(Auth::Disabled));
    assert_eq!(options(&[]).read("glance"), Ok(Auth::Unset));
    let basic = [
        ("auth_type", "http_basic"),
        ("username", "u"),
        ("password", "hunter2"),
    ];
    let basic = options(&basic).read("glance").unwrap();
    assert!(matches!(basic, Auth::HttpBasic { .. }));
    assert!(!format!("{basic:?}").contains("hunter2"));
}

#[test]
fn what_is_missing_is_named() {
    for (pairs, text) in [
        (
            vec![("auth_type", "password"), ("auth_url", "http://k")],
            "username is not set in [glance]",
        ),
        (
            vec![("auth_type", "password"), ("username", "u")],
            "password is not set in [glance]",
        ),
        (
            vec![("auth_type", "token"), ("token", "hunter2")],
            "auth_url is not set in [glance]",
        ),
        (
            vec![("auth_type", "v3oidcpassword")],
            "auth_type 'v3oidcpassword' in [glance] is not supported; there are password, \
             v3password, token, v3token, v3applicationcredential, http_basic and none",
        ),
    ] {
        let error = options(&pairs).read("glance").unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}
