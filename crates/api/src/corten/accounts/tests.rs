//! Local users as clients meet them.

use crate::{
    auth::{Auth, LocalUsers},
    policy::{Policy, PolicyOptions},
    settings::Settings,
    testing::{Answer, Service},
};
use axum::{body::Body, http::Request};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use std::sync::Arc;
use types::account::{Grant, PasswordHash, RoleHolder};

/// A service with local users and the default policy.
struct Local {
    service: Service,
    users: Arc<LocalUsers>,
}

/// How somebody proves who it is, and what else the request says.
#[derive(Clone, Copy)]
enum As<'a> {
    Password(&'a str, &'a str),
    Bearer(&'a str),
    Token(&'a str),
    Nobody,
}

impl Local {
    async fn new() -> Self {
        let users = Arc::<LocalUsers>::default();
        let policy = Policy::load(None, &PolicyOptions::default()).unwrap();
        let service = Service::with(Settings {
            auth: Auth::Local(Arc::clone(&users)),
            policy: Arc::new(policy),
            ..Settings::default()
        });
        let local = Self { service, users };
        local.add("root", &[("system", "admin")]).await;
        local
    }

    /// A user whose password is the name, with roles.
    async fn add(&self, name: &str, roles: &[(&str, &str)]) {
        let db = &self.service.db;
        let new = store::account::user::NewUser {
            name: name.parse().unwrap(),
            description: None,
            password: Some(PasswordHash::new(bcrypt::hash(name, 4).unwrap())),
        };
        let author = store::account::Author::default;
        store::account::user::insert(db, new, author())
            .await
            .unwrap();
        for (place, role) in roles {
            let holder = RoleHolder::User(name.parse().unwrap());
            let grant = Grant {
                place: place.parse().unwrap(),
                role: role.parse().unwrap(),
            };
            store::account::role::grant(db, &holder, &grant, author())
                .await
                .unwrap();
        }
    }

    async fn ask(&self, who: As<'_>, line: &str, body: Value) -> Answer {
        self.ask_with(who, line, body, &[]).await
    }

    async fn ask_with(
        &self,
        who: As<'_>,
        line: &str,
        body: Value,
        headers: &[(&str, &str)],
    ) -> Answer {
        let (method, path) = line.split_once(' ').unwrap();
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "h:6385")
            .header("x-openstack-ironic-api-version", "1.115");
        request = match who {
            As::Password(user, password) => {
                let pair = BASE64_STANDARD.encode(format!("{user}:{password}"));
                request.header("authorization", format!("Basic {pair}"))
            }
            As::Bearer(token) => request.header("authorization", format!("Bearer {token}")),
            As::Token(token) => request.header("x-auth-token", token),
            As::Nobody => request,
        };
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = match body.is_null() {
            true => Body::empty(),
            false => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
        };
        self.service.request(request.body(body).unwrap()).await
    }

    async fn status(&self, who: As<'_>, line: &str, body: Value) -> u16 {
        self.ask(who, line, body).await.status.as_u16()
    }

    async fn token(&self, who: As<'_>, body: Value) -> String {
        let made = self.ask(who, "POST /corten/v1/tokens", body).await;
        assert_eq!(made.status, 201, "{made:?}");
        made.json()["token"].as_str().unwrap().to_owned()
    }
}

const ROOT: As<'_> = As::Password("root", "root");
const USERS: &str = "GET /corten/v1/users";
const NODES: &str = "GET /v1/nodes";

#[tokio::test]
async fn users_prove_who_they_are_by_a_password() {
    let local = Local::new().await;
    assert_eq!(local.status(ROOT, NODES, Value::Null).await, 200);
    let wrong = local
        .ask(As::Password("root", "x"), NODES, Value::Null)
        .await;
    assert_eq!(wrong.status, 401);
    assert!(wrong.header("www-authenticate").starts_with("Basic"));
    assert_eq!(
        local
            .status(As::Password("eve", "x"), NODES, Value::Null)
            .await,
        401
    );
    assert_eq!(local.status(As::Nobody, NODES, Value::Null).await, 401);
    // What anybody can write counts for nothing.
    let claims = [("x-roles", "admin"), ("x-user-id", "root")];
    let claimed = local
        .ask_with(As::Nobody, NODES, Value::Null, &claims)
        .await;
    assert_eq!(claimed.status, 401);
    assert_eq!(local.status(As::Nobody, "GET /v1", Value::Null).await, 200);
}

#[tokio::test]
async fn a_life_of_a_user() {
    let local = Local::new().await;
    let body = json!({"name": "ada", "password": "first", "description": "d"});
    let made = local.ask(ROOT, "POST /corten/v1/users", body.clone()).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert!(
        !made.text.contains("first") && !made.text.contains("$2"),
        "{made:?}"
    );
    assert_eq!(local.status(ROOT, "POST /corten/v1/users", body).await, 409);
    let ada = As::Password("ada", "first");
    // Without a role nothing is allowed but what is one's own.
    assert_eq!(local.status(ada, NODES, Value::Null).await, 403);
    assert_eq!(local.status(ada, USERS, Value::Null).await, 403);
    assert_eq!(
        local
            .status(ada, "GET /corten/v1/users/ada", Value::Null)
            .await,
        200
    );
    assert_eq!(
        local
            .status(ada, "GET /corten/v1/users/root", Value::Null)
            .await,
        403
    );
    let role = json!({"user": "ada", "role": "reader", "project": "P1"});
    assert_eq!(
        local
            .status(ada, "PUT /corten/v1/roles", role.clone())
            .await,
        403
    );
    assert_eq!(local.status(ROOT, "PUT /corten/v1/roles", role).await, 204);
    assert_eq!(local.status(ada, NODES, Value::Null).await, 200);
    let set = json!({"password": "second"});
    let own = "PUT /corten/v1/users/ada/password";
    assert_eq!(
        local
            .status(ada, "PUT /corten/v1/users/root/password", set.clone())
            .await,
        403
    );
    assert_eq!(local.status(ada, own, set).await, 204);
    // What was remembered ends with the password.
    assert_eq!(local.status(ada, NODES, Value::Null).await, 401);
    let ada = As::Password("ada", "second");
    assert_eq!(local.status(ada, NODES, Value::Null).await, 200);
    let off = json!({"enabled": false});
    let path = "PATCH /corten/v1/users/ada";
    assert_eq!(local.status(ROOT, path, off).await, 200);
    assert_eq!(local.status(ada, NODES, Value::Null).await, 401);
    assert_eq!(
        local.status(ROOT, path, json!({"enabled": true})).await,
        200
    );
    assert_eq!(local.status(ada, NODES, Value::Null).await, 200);
    assert_eq!(
        local
            .status(ROOT, "DELETE /corten/v1/users/ada", Value::Null)
            .await,
        204
    );
    assert_eq!(
        local
            .status(ROOT, "DELETE /corten/v1/users/ada", Value::Null)
            .await,
        404
    );
    assert_eq!(local.status(ada, NODES, Value::Null).await, 401);
    let log = local
        .ask(ROOT, "GET /corten/v1/account-changes", Value::Null)
        .await;
    let log = log.json()["account_changes"].as_array().unwrap().clone();
    let kinds: Vec<&str> = log
        .iter()
        .filter_map(|entry| entry["kind"].as_str())
        .collect();
    let expected = [
        "user_removed",
        "user_enabled",
        "user_disabled",
        "password_changed",
        "role_granted",
        "user_added",
    ];
    assert_eq!(&kinds[..6], expected);
    assert_eq!(log[3]["actor"], "ada");
    assert!(log[3]["request_id"].as_str().unwrap().starts_with("req-"));
}

#[tokio::test]
async fn groups_give_their_roles_to_members() {
    let local = Local::new().await;
    local.add("ada", &[]).await;
    let ada = As::Password("ada", "ada");
    let group = json!({"name": "ops"});
    assert_eq!(
        local.status(ROOT, "POST /corten/v1/groups", group).await,
        201
    );
    let role = json!({"group": "ops", "role": "reader", "system": true});
    assert_eq!(local.status(ROOT, "PUT /corten/v1/roles", role).await, 204);
    let member = "/corten/v1/groups/ops/members/ada";
    assert_eq!(local.status(ada, NODES, Value::Null).await, 403);
    for _ in 0..2 {
        assert_eq!(
            local
                .status(ROOT, &format!("PUT {member}"), Value::Null)
                .await,
            204
        );
    }
    assert_eq!(local.status(ada, NODES, Value::Null).await, 200);
    let shown = local
        .ask(ROOT, "GET /corten/v1/groups/ops", Value::Null)
        .await
        .json();
    assert_eq!(shown["members"], json!(["ada"]));
    assert_eq!(
        shown["roles"],
        json!([{"role": "reader", "place": "system"}])
    );
    let shown = local
        .ask(ada, "GET /corten/v1/users/ada", Value::Null)
        .await
        .json();
    assert_eq!(shown["groups"], json!(["ops"]));
    assert_eq!(
        shown["roles"],
        json!([{"role": "reader", "place": "system"}])
    );
    let revoked = "DELETE /corten/v1/roles?group=ops&role=reader&system=true";
    assert_eq!(local.status(ROOT, revoked, Value::Null).await, 204);
    assert_eq!(local.status(ROOT, revoked, Value::Null).await, 404);
    assert_eq!(local.status(ada, NODES, Value::Null).await, 403);
    assert_eq!(
        local
            .status(ROOT, &format!("DELETE {member}"), Value::Null)
            .await,
        204
    );
    assert_eq!(
        local
            .status(ROOT, &format!("DELETE {member}"), Value::Null)
            .await,
        404
    );
    for (line, body) in [
        ("PUT /corten/v1/groups/nope/members/ada", Value::Null),
        ("PUT /corten/v1/groups/ops/members/nope", Value::Null),
        (
            "PUT /corten/v1/roles",
            json!({"user": "nope", "role": "reader", "system": true}),
        ),
        (
            "PUT /corten/v1/roles",
            json!({"group": "nope", "role": "reader", "system": true}),
        ),
    ] {
        assert_eq!(local.status(ROOT, line, body).await, 404, "{line}");
    }
    for body in [
        json!({"user": "ada", "role": "reader"}),
        json!({"user": "ada", "group": "ops", "role": "reader", "system": true}),
        json!({"user": "ada", "role": "reader", "system": true, "project": "P"}),
        json!({"user": "ada", "role": "a b", "system": true}),
        json!({"user": "ada", "system": true}),
    ] {
        assert_eq!(
            local
                .status(ROOT, "PUT /corten/v1/roles", body.clone())
                .await,
            400,
            "{body}"
        );
    }
}

#[tokio::test]
async fn tokens_stand_for_their_owner_and_no_more() {
    let local = Local::new().await;
    local
        .add("ada", &[("system", "admin"), ("project:P1", "member")])
        .await;
    let ada = As::Password("ada", "ada");
    let all = local.token(ada, json!({"name": "all", "days": null})).await;
    let narrow = json!({"name": "narrow", "project": "P1", "role": "reader"});
    let narrow = local.token(ada, narrow).await;
    for who in [As::Bearer(&all), As::Token(&all), As::Password("ada", &all)] {
        assert_eq!(local.status(who, USERS, Value::Null).await, 200);
    }
    assert_eq!(
        local
            .status(As::Password("root", &all), USERS, Value::Null)
            .await,
        401
    );
    let me = local
        .ask(As::Bearer(&narrow), "GET /corten/v1/me", Value::Null)
        .await
        .json();
    assert_eq!(me["project"], "P1");
    assert_eq!(me["roles"], json!(["reader"]));
    assert_eq!(me["user"], "ada");
    assert_eq!(
        local.status(As::Bearer(&narrow), USERS, Value::Null).await,
        403
    );
    let wide = [("openstack-system-scope", "all")];
    let asked = local
        .ask_with(As::Bearer(&narrow), NODES, Value::Null, &wide)
        .await;
    assert_eq!(asked.status, 403);
    // A token makes no other one, and no password, for its owner; one of an administrator may.
    let more = json!({"name": "more"});
    let narrow = As::Bearer(&narrow);
    assert_eq!(
        local
            .status(narrow, "POST /corten/v1/tokens", more.clone())
            .await,
        403
    );
    let set = json!({"password": "stolen"});
    assert_eq!(
        local
            .status(narrow, "PUT /corten/v1/users/ada/password", set)
            .await,
        403
    );
    // What the owner loses its tokens lose.
    let lost = "DELETE /corten/v1/roles?user=ada&role=admin&system=true";
    assert_eq!(local.status(ROOT, lost, Value::Null).await, 204);
    assert_eq!(
        local.status(As::Bearer(&all), USERS, Value::Null).await,
        403
    );
    let shown = local.ask(ada, "GET /corten/v1/tokens", Value::Null).await;
    assert!(!shown.text.contains(&all), "{shown:?}");
    let tokens = shown.json()["tokens"].as_array().unwrap().clone();
    assert_eq!(tokens.len(), 2);
    assert_eq!(tokens[0]["expires_at"], Value::Null);
    assert!(tokens[1]["expires_at"].is_string());
    let path = format!(
        "DELETE /corten/v1/tokens/{}",
        tokens[0]["uuid"].as_str().unwrap()
    );
    local.add("eve", &[("system", "reader")]).await;
    let eve = As::Password("eve", "eve");
    assert_eq!(local.status(eve, &path, Value::Null).await, 403);
    assert_eq!(
        local
            .status(eve, "GET /corten/v1/tokens?user=ada", Value::Null)
            .await,
        403
    );
    assert_eq!(
        local
            .status(eve, "GET /corten/v1/tokens?all=true", Value::Null)
            .await,
        403
    );
    assert_eq!(
        local
            .status(eve, "GET /corten/v1/tokens", Value::Null)
            .await,
        200
    );
    // Nor does a token take away another one of its owner.
    assert_eq!(local.status(narrow, &path, Value::Null).await, 403);
    assert_eq!(local.status(ada, &path, Value::Null).await, 204);
    let gone = local.ask(As::Bearer(&all), NODES, Value::Null).await;
    assert_eq!(gone.status, 401);
    assert!(gone.header("www-authenticate").starts_with("Bearer"));
    for body in [
        json!({"name": "x", "role": "admin"}),
        json!({"name": "x", "project": "P2"}),
        json!({"name": "x", "days": 0}),
        json!({"name": "x y"}),
    ] {
        let line = "POST /corten/v1/tokens";
        assert_eq!(local.status(ada, line, body.clone()).await, 400, "{body}");
    }
    assert_eq!(
        local
            .status(ada, "POST /corten/v1/tokens", json!({"name": "narrow"}))
            .await,
        409
    );
}

#[tokio::test]
async fn tokens_end() {
    let local = Local::new().await;
    let db = &local.service.db;
    let now = types::Timestamp::now();
    let secret = crate::auth::local::secret::generate().unwrap();
    let token = types::account::AccessToken {
        id: types::AccessTokenId::generate(),
        user: "root".parse().unwrap(),
        name: "old".parse().unwrap(),
        place: None,
        role: None,
        created_at: now,
        expires_at: Some(now.plus_seconds(-1)),
        last_used_at: None,
    };
    let hash = crate::auth::local::secret::hash(secret.as_bytes());
    let author = store::account::Author::default();
    store::account::token::insert(db, token, hash, author)
        .await
        .unwrap();
    assert_eq!(
        local.status(As::Bearer(&secret), NODES, Value::Null).await,
        401
    );
    assert_eq!(
        local
            .status(As::Bearer("corten_x"), NODES, Value::Null)
            .await,
        401
    );
    assert_eq!(
        local.status(As::Bearer("a.b.c"), NODES, Value::Null).await,
        401
    );
}

#[tokio::test]
async fn wrong_passwords_are_refused_after_a_few() {
    let local = Local::new().await;
    local.add("ada", &[("system", "reader")]).await;
    assert_eq!(
        local
            .status(As::Password("ada", "ada"), NODES, Value::Null)
            .await,
        200
    );
    for _ in 0..5 {
        let state = local.service.state();
        let gate = crate::auth::Gate::of(&state);
        let guess = local
            .users
            .verify(gate.db, "ada", b"guess".to_vec(), "6.6.6.6")
            .await;
        assert_eq!(guess.unwrap_err(), crate::auth::AuthRefusal::Wrong);
    }
    let db = &local.service.db;
    // Not even the right one is told from others.
    for password in ["ada", "guess"] {
        let refused = local
            .users
            .verify(db, "ada", password.into(), "6.6.6.6")
            .await;
        let refused = refused.unwrap_err().response(&Default::default());
        assert_eq!(refused.status(), 429);
        assert!(refused.headers().contains_key("retry-after"));
    }
    // The owner is let in from elsewhere.
    assert_eq!(
        local
            .status(As::Password("ada", "ada"), NODES, Value::Null)
            .await,
        200
    );
}

#[tokio::test]
async fn requests_at_once_share_the_work_of_one_password() {
    let local = Local::new().await;
    let asked = (0..40).map(|_| {
        local
            .users
            .verify(&local.service.db, "root", "root".into(), "1.1.1.1")
    });
    for verified in futures_util::future::join_all(asked).await {
        assert!(verified.is_ok());
    }
}

#[tokio::test]
async fn a_user_of_several_projects_names_one() {
    let local = Local::new().await;
    local
        .add("ada", &[("project:P1", "admin"), ("project:P2", "reader")])
        .await;
    let ada = As::Password("ada", "ada");
    let unclear = local.ask(ada, NODES, Value::Null).await;
    assert_eq!(unclear.status, 400);
    assert!(unclear.text.contains("P1, P2"), "{unclear:?}");
    for (project, status) in [("P1", 200), ("P2", 200), ("P3", 403)] {
        let named = [("x-project-id", project)];
        let asked = local.ask_with(ada, NODES, Value::Null, &named).await;
        assert_eq!(asked.status, status, "{project}");
    }
}

#[tokio::test]
async fn a_session_of_the_page_ends_with_the_password() {
    let local = Local::new().await;
    local
        .add("ada", &[("project:P1", "member"), ("project:P2", "reader")])
        .await;
    let key = (
        "x-corten-key",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    );
    let line = "POST /corten/v1/session";
    let sign_in =
        |project: Value| json!({"username": "ada", "password": "ada", "project": project});
    let mut unclear = sign_in(Value::Null);
    unclear.as_object_mut().unwrap().remove("project");
    let unclear = local.ask_with(As::Nobody, line, unclear, &[key]).await;
    assert_eq!(unclear.status, 400, "{unclear:?}");
    let foreign = sign_in(json!("P3"));
    let foreign = local.ask_with(As::Nobody, line, foreign, &[key]).await;
    assert_eq!(foreign.status, 403, "{foreign:?}");
    let signed_in = local
        .ask_with(As::Nobody, line, sign_in(json!("P1")), &[key])
        .await;
    assert_eq!(signed_in.status, 204, "{signed_in:?}");
    let cookie = signed_in
        .header("set-cookie")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let shown = [key, ("cookie", cookie.as_str())];
    let me = local
        .ask_with(As::Nobody, "GET /corten/v1/me", Value::Null, &shown)
        .await
        .json();
    assert_eq!((&me["user"], &me["project"]), (&json!("ada"), &json!("P1")));
    assert_eq!(
        (&me["mode"], &me["is_open"]),
        (&json!("local"), &json!(false))
    );
    // What is P1's own is judged by its owner; nothing in particular has none.
    let has = |list: &str, rule: &str| me[list].as_array().unwrap().contains(&json!(rule));
    for rule in ["corten:batch:update", "baremetal:allocation:delete"] {
        assert!(!has("rules", rule) && has("own_rules", rule), "{rule}");
    }
    assert!(!has("own_rules", "baremetal:runbook:update"), "of managers");
    // A session is as good as a password: it may make tokens.
    let token = json!({"name": "page"});
    let made = local
        .ask_with(As::Nobody, "POST /corten/v1/tokens", token, &shown)
        .await;
    assert_eq!(made.status, 201, "{made:?}");
    let set = json!({"password": "other"});
    assert_eq!(
        local
            .status(ROOT, "PUT /corten/v1/users/ada/password", set)
            .await,
        204
    );
    let ended = local.ask_with(As::Nobody, NODES, Value::Null, &shown).await;
    assert_eq!(ended.status, 401);
}

#[tokio::test]
async fn a_batch_runs_as_long_as_its_maker_has_the_roles() {
    let local = Local::new().await;
    local.add("ada", &[("project:P1", "member")]).await;
    let mut node = types::Node::new(types::NodeId::generate(), "fake-hardware");
    (node.name, node.owner) = (Some("m1".into()), Some("P1".into()));
    local.service.store_node(node).await;
    let body = json!({"action": "maintenance", "arguments": {"target": "on"}, "nodes": ["m1"]});
    let ada = As::Password("ada", "ada");
    let made = local.ask(ada, "POST /corten/v1/batches", body).await;
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json()["uuid"].as_str().unwrap().parse().unwrap();
    let db = &local.service.db;
    let batch = store::batch::find(db, id).await.unwrap().unwrap();
    let lost = async || {
        let maker = batch.maker.clone();
        let found = store::batch::hindrance(db, id, maker, vec![0]).await;
        found.unwrap().maker
    };
    assert_eq!(lost().await, None);
    let set = async |enabled: bool| {
        let line = "PATCH /corten/v1/users/ada";
        let set = local.status(ROOT, line, json!({"enabled": enabled})).await;
        assert_eq!(set, 200);
    };
    set(false).await;
    assert!(lost().await.unwrap().contains("is disabled"));
    set(true).await;
    assert_eq!(lost().await, None);
    let revoke = "DELETE /corten/v1/roles?user=ada&role=member&project=P1";
    assert_eq!(local.status(ROOT, revoke, Value::Null).await, 204);
    assert!(lost().await.unwrap().contains("the role member"));
    let remove = "DELETE /corten/v1/users/ada";
    assert_eq!(local.status(ROOT, remove, Value::Null).await, 204);
    assert!(lost().await.unwrap().contains("was removed"));
}
