//! Logging in: what is asked of Keystone, and where the service is found.

use super::*;
use crate::canned::{self, Answer, Canned};

fn login(pairs: &[(&'static str, &str)]) -> Result<Login, Error> {
    let settings = pairs
        .iter()
        .fold(Settings::default(), |settings, (key, value)| {
            settings.with(key, value)
        });
    let method = settings.get("auth_type").unwrap_or("password").to_owned();
    Login::resolve(&method, &settings)
}

/// What is sent for these settings, beside an address.
fn sent(pairs: &[(&'static str, &str)]) -> Value {
    let pairs = [&[("auth_url", "http://k")], pairs].concat();
    login(&pairs).unwrap().request
}

#[test]
fn a_user_asks_for_a_project_by_name_and_domain() {
    let user = [
        ("username", "u"),
        ("password", "p"),
        ("project_name", "lab"),
        ("user_domain_name", "people"),
        ("project_domain_id", "d1"),
    ];
    assert_eq!(
        sent(&user),
        json!({"auth": {
            "identity": {"methods": ["password"], "password": {"user": {
                "name": "u", "domain": {"name": "people"}, "password": "p"}}},
            "scope": {"project": {"name": "lab", "domain": {"id": "d1"}}},
        }})
    );
}

#[test]
fn every_scope_is_spelled_as_keystone_wants_it() {
    for (key, value, scope) in [
        ("system_scope", "all", json!({"system": {"all": true}})),
        ("project_id", "p1", json!({"project": {"id": "p1"}})),
        (
            "project_name",
            "lab",
            json!({"project": {"name": "lab", "domain": {"id": "default"}}}),
        ),
        ("domain_id", "d", json!({"domain": {"id": "d"}})),
        ("domain_name", "d", json!({"domain": {"name": "d"}})),
        ("trust_id", "t", json!({"OS-TRUST:trust": {"id": "t"}})),
    ] {
        let request = sent(&[("user_id", "u"), ("password", "p"), (key, value)]);
        assert_eq!(request["auth"]["scope"], scope, "{key}");
    }
    let request = sent(&[("user_id", "u"), ("password", "p")]);
    assert!(request["auth"].get("scope").is_none());
}

#[test]
fn application_credentials_need_no_scope() {
    let by_id = [
        ("auth_type", "v3applicationcredential"),
        ("application_credential_id", "c"),
        ("application_credential_secret", "s"),
        ("project_name", "lab"),
    ];
    assert_eq!(
        sent(&by_id),
        json!({"auth": {"identity": {"methods": ["application_credential"],
                        "application_credential": {"id": "c", "secret": "s"}}}})
    );
    let by_name = [
        ("auth_type", "v3applicationcredential"),
        ("application_credential_name", "c"),
        ("application_credential_secret", "s"),
        ("username", "u"),
        ("default_domain_name", "people"),
    ];
    assert_eq!(
        sent(&by_name)["auth"]["identity"]["application_credential"],
        json!({"name": "c", "secret": "s",
               "user": {"name": "u", "domain": {"name": "people"}}})
    );
}

#[test]
fn a_token_can_be_exchanged() {
    let token = [("auth_type", "token"), ("token", "t"), ("project_id", "p")];
    assert_eq!(
        sent(&token),
        json!({"auth": {"identity": {"methods": ["token"], "token": {"id": "t"}},
                        "scope": {"project": {"id": "p"}}}})
    );
}

#[test]
fn what_is_missing_is_named_by_its_variable() {
    for (pairs, variable) in [
        (vec![("username", "u")], "OS_AUTH_URL"),
        (vec![("auth_url", "http://k")], "OS_USERNAME"),
        (
            vec![("auth_url", "http://k"), ("username", "u")],
            "OS_PASSWORD",
        ),
        (
            vec![
                ("auth_url", "http://k"),
                ("auth_type", "v3applicationcredential"),
            ],
            "OS_APPLICATION_CREDENTIAL_SECRET",
        ),
        (
            vec![
                ("auth_url", "http://k"),
                ("user_id", "u"),
                ("password", "p"),
                ("system_scope", "some"),
            ],
            "OS_SYSTEM_SCOPE",
        ),
    ] {
        let error = login(&pairs).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.message().contains(variable), "{}", error.message());
    }
}

#[test]
fn the_version_is_part_of_no_address() {
    for given in [
        "http://k/identity",
        "http://k/identity/",
        "http://k/identity/v3",
        "http://k/identity/v3/",
        "http://k/identity/v2.0",
    ] {
        assert_eq!(versioned(given).unwrap(), "http://k/identity/v3");
    }
    assert!(versioned("k:5000").is_err());
}

fn catalog() -> Value {
    let endpoint = |interface: &str, region: &str| {
        json!({"interface": interface, "region_id": region, "region": region,
               "url": format!("http://{interface}.{region}/v1")})
    };
    json!([
        {"type": "compute", "endpoints": [endpoint("public", "nova")]},
        {"type": "baremetal", "endpoints": [
            endpoint("admin", "r1"), endpoint("public", "r1"), endpoint("public", "r2")]},
    ])
}

fn found(pairs: &[(&'static str, &str)], catalog: Value) -> Result<String, Error> {
    let user = [
        ("auth_url", "http://k"),
        ("user_id", "u"),
        ("password", "p"),
    ];
    let entry = KeystoneSession {
        token: Secret("t".into()),
        catalog,
    };
    login(&[&user, pairs].concat()).unwrap().find(&entry)
}

#[test]
fn the_service_is_found_by_interface_and_region() {
    for (pairs, expected) in [
        (vec![], "http://public.r1"),
        (vec![("region_name", "r2")], "http://public.r2"),
        (vec![("interface", "admin")], "http://admin.r1"),
        (vec![("interface", "publicURL")], "http://public.r1"),
    ] {
        assert_eq!(found(&pairs, catalog()).unwrap(), expected);
    }
}

#[test]
fn a_catalog_without_it_is_told_with_what_there_is() {
    let lines = found(&[("region_name", "r9")], catalog())
        .unwrap_err()
        .lines();
    assert_eq!(
        lines,
        [
            "error: the catalog has no public endpoint of a bare metal service in r9",
            "hint: it has: admin in r1, public in r1, public in r2; choose with OS_INTERFACE and \
             OS_REGION_NAME"
        ]
    );
    let lines = found(&[], Value::Null).unwrap_err().lines();
    assert!(lines[1].contains("OS_PROJECT_NAME"), "{lines:?}");
}

#[test]
fn secrets_do_not_show() {
    let login = login(&[
        ("auth_url", "http://k"),
        ("user_id", "u"),
        ("password", "hunter2"),
    ]);
    assert!(!format!("{login:?}").contains("hunter2"));
}

/// Runs a command as somebody known to this Keystone.
async fn run(keystone: &Canned, line: &str) -> crate::tests::Ran {
    let base = keystone.base.clone();
    let variables = move |name: &str| match name {
        "OS_AUTH_URL" => Some(base.clone()),
        "OS_USERNAME" => Some("u".to_owned()),
        "OS_PASSWORD" => Some("p".to_owned()),
        "OS_PROJECT_NAME" => Some("lab".to_owned()),
        _ => None,
    };
    crate::tests::corten_with(&variables, line).await
}

#[test]
fn a_command_logs_in_and_goes_where_the_catalog_says() {
    canned::run(async {
        let service = Canned::answers([
            Answer::new(200, json!({"conductors": []})),
            Answer::new(
                401,
                json!({"error": {"message": "Authentication required"}}),
            ),
            Answer::new(200, json!({"conductors": []})),
        ])
        .await;
        let url = format!("{}/v1", service.base);
        let mut logins = 0;
        let keystone = Canned::with(move |_| {
            logins += 1;
            let endpoint = json!({"interface": "public", "region": "r", "url": url});
            let catalog = json!([{"type": "baremetal", "endpoints": [endpoint]}]);
            Answer::new(201, json!({"token": {"catalog": catalog}}))
                .header("x-subject-token", &format!("token-{logins}"))
        })
        .await;

        let first = run(&keystone, "conductor list").await;
        assert_eq!(first.code, 0, "{}", first.notes);
        let second = run(&keystone, "conductor list").await;
        assert_eq!(second.code, 0, "{}", second.notes);

        let tokens: Vec<Option<String>> = service
            .asked()
            .iter()
            .map(|asked| asked.header("x-auth-token").map(str::to_owned))
            .collect();
        let expected = ["token-1", "token-2", "token-3"].map(|token| Some(token.to_owned()));
        assert_eq!(tokens, expected, "a token that is refused is renewed once");
        assert!(
            keystone
                .lines()
                .iter()
                .all(|line| line == "POST /v3/auth/tokens")
        );
    });
}

#[test]
fn a_wrong_password_is_told_with_what_to_check() {
    canned::run(async {
        let refusal = json!({"error": {"code": 401,
            "message": "The request you have made requires authentication."}});
        let keystone = Canned::answers([Answer::new(401, refusal)]).await;
        let ran = run(&keystone, "node list").await;
        assert_eq!(ran.code, 1);
        assert_eq!(
            ran.notes,
            format!(
                "error: Keystone at {}/v3: The request you have made requires authentication.\n\
                 hint: check user name, password, project and domains: OS_USERNAME, OS_PASSWORD, \
                 OS_PROJECT_NAME, OS_USER_DOMAIN_NAME, OS_PROJECT_DOMAIN_NAME\n",
                keystone.base
            )
        );
    });
}

#[test]
fn a_keystone_that_is_not_there_is_exit_code_three() {
    canned::run(async {
        let mut keystone = Canned::answers([]).await;
        let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        keystone.base = format!("http://{}", gone.local_addr().unwrap());
        drop(gone);
        let ran = run(&keystone, "node list").await;
        assert_eq!(ran.code, 3);
        assert!(ran.notes.contains("OS_AUTH_URL"), "{}", ran.notes);
    });
}
