//! Webhooks as administrators see them, without anybody who posts.

use crate::testing::{Answer, Service};
use serde_json::{Value, json};

const ROOT: &str = "/corten/v1/webhooks";

async fn create(service: &Service, body: Value) -> Answer {
    service.send("POST", ROOT, 1, body).await
}

async fn created(service: &Service, body: Value) -> Value {
    let answer = create(service, body).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

#[tokio::test]
async fn a_secret_is_shown_once_and_stored_sealed() {
    let service = Service::new();
    let own = created(&service, json!({"url": "http://h/x"})).await;
    let secret = own["secret"].as_str().unwrap();
    assert_eq!(secret.len(), 64);
    let given = "sixteen letters!";
    let theirs = created(&service, json!({"url": "http://h/x", "secret": given})).await;
    assert_eq!(theirs["secret"], given);
    for webhook in [&own, &theirs] {
        let path = format!("{ROOT}/{}", webhook["uuid"].as_str().unwrap());
        let shown = service.get(&path, 1).await;
        let mut expected = (*webhook).clone();
        expected.as_object_mut().unwrap().remove("secret");
        assert_eq!(shown.json(), expected);
    }
    let list = service.get(ROOT, 1).await;
    assert_eq!(list.json()["webhooks"].as_array().unwrap().len(), 2);
    assert!(!list.text.contains(secret) && !list.text.contains(given));
    let rows = store::webhook::list(&service.db).await.unwrap();
    assert!(!format!("{rows:?}").contains(given));
    assert_eq!(
        store::webhook::secret_of(&service.db, &rows[1]).unwrap(),
        given
    );
    // Another one, made by the service, is shown once as well; one that is given is known.
    let path = format!("{ROOT}/{}", theirs["uuid"].as_str().unwrap());
    let fresh = service
        .send("PATCH", &path, 1, json!({"secret": null}))
        .await;
    assert_eq!(fresh.json()["secret"].as_str().unwrap().len(), 64);
    let told = json!({"secret": "another sixteen letters"});
    let told = service.send("PATCH", &path, 1, told).await;
    assert!(told.json().get("secret").is_none());
    let row = store::webhook::list(&service.db).await.unwrap().remove(1);
    let now = store::webhook::secret_of(&service.db, &row).unwrap();
    assert_eq!(now, "another sixteen letters");
}

#[tokio::test]
async fn what_is_said_is_kept_and_can_be_changed() {
    let service = Service::new();
    let node = json!({"driver": "fake-hardware", "name": "n1"});
    let node = service.send("POST", "/v1/nodes", 115, node).await.json();
    let webhook = created(
        &service,
        json!({"url": "https://h/x", "description": "d", "kinds": ["error", "power"],
            "node": "n1", "project": "p1", "verify_ca": false, "enabled": false}),
    )
    .await;
    assert_eq!(webhook["kinds"], json!(["error", "power"]));
    assert_eq!(webhook["node"], node["uuid"]);
    assert_eq!(
        (&webhook["verify_ca"], &webhook["enabled"]),
        (&json!(false), &json!(false))
    );
    let path = format!("{ROOT}/{}", webhook["uuid"].as_str().unwrap());
    let changes = json!({"node": null, "kinds": [], "enabled": true, "url": "http://other/"});
    let changed = service.send("PATCH", &path, 1, changes).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let changed = changed.json();
    assert_eq!(
        (&changed["node"], &changed["kinds"], &changed["url"]),
        (&Value::Null, &json!([]), &json!("http://other/"))
    );
    assert_eq!(
        (&changed["project"], &changed["description"]),
        (&json!("p1"), &json!("d"))
    );
    assert_eq!(
        service.send("DELETE", &path, 1, Value::Null).await.status,
        204
    );
    assert_eq!(service.get(&path, 1).await.status, 404);
    assert_eq!(service.get(&format!("{ROOT}/n1"), 1).await.status, 404);
}

#[tokio::test]
async fn mistakes_are_refused() {
    let service = Service::new();
    for (body, word) in [
        (json!({}), "url"),
        (json!({"url": "ftp://h/"}), "http://"),
        (json!({"url": "http://u:p@h/"}), "password"),
        (json!({"url": "http://h/x\r\nX: y"}), "control characters"),
        (json!({"url": "http://h/", "secret": "short"}), "short"),
        (json!({"url": "http://h/", "kinds": ["nothing"]}), "nothing"),
        (json!({"url": "http://h/", "node": "no-such"}), "no-such"),
        (json!({"url": "http://h/", "verify_ca": "x"}), "verify_ca"),
        (json!({"url": "http://h/", "other": 1}), "other"),
    ] {
        let refused = create(&service, body.clone()).await;
        assert!(refused.status.is_client_error(), "{body}: {refused:?}");
        assert!(refused.text.contains(word), "{body}: {refused:?}");
    }
    assert!(store::webhook::list(&service.db).await.unwrap().is_empty());
    let webhook = created(&service, json!({"url": "http://h/"})).await;
    let path = format!("{ROOT}/{}/replay", webhook["uuid"].as_str().unwrap());
    for (body, status) in [
        (json!({}), 400),
        (json!({"dead_letter": 1, "after": 1}), 400),
        (json!({"dead_letters": false}), 400),
        (json!({"dead_letter": 1}), 404),
        (json!({"after": 10_000}), 202),
        (json!({"dead_letters": true}), 202),
    ] {
        let answer = service.send("POST", &path, 1, body.clone()).await;
        assert_eq!(answer.status, status, "{body}: {answer:?}");
    }
}

#[tokio::test]
async fn there_are_only_so_many() {
    let service = Service::new();
    for _ in 0..store::webhook::MOST {
        created(&service, json!({"url": "http://h/"})).await;
    }
    let refused = create(&service, json!({"url": "http://h/"})).await;
    assert_eq!(refused.status, 409);
}

#[tokio::test]
async fn only_administrators_of_the_system_have_webhooks() {
    let service = Service::guarded();
    let body = json!({"url": "http://127.0.0.1:9/"});
    let made = service
        .send_as("admin@system", "POST", ROOT, body.clone())
        .await;
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("{ROOT}/{}", made.json()["uuid"].as_str().unwrap());
    let below = |name: &str| format!("{path}/{name}");
    let requests = [
        ("GET", ROOT.to_owned(), Value::Null, "get"),
        ("POST", ROOT.to_owned(), body, "create"),
        ("GET", path.clone(), Value::Null, "get"),
        ("PATCH", path.clone(), json!({"enabled": false}), "update"),
        ("POST", below("test"), Value::Null, "test"),
        ("GET", below("dead-letters"), Value::Null, "get"),
        ("POST", below("replay"), json!({"after": 0}), "replay"),
        ("DELETE", path.clone(), Value::Null, "delete"),
    ];
    for persona in ["admin@p1", "member@system", "reader@system", "member@p1"] {
        for (method, path, body, rule) in &requests {
            let refused = service.send_as(persona, method, path, body.clone()).await;
            assert_eq!(refused.status, 403, "{persona} {method} {path}");
            let rule = format!("corten:webhook:{rule}");
            assert!(refused.fault().ends_with(&rule), "{}", refused.fault());
        }
    }
    for (method, path, body, _) in &requests {
        let fine = service
            .send_as("admin@system", method, path, body.clone())
            .await;
        assert!(fine.status.is_success(), "{method} {path}: {fine:?}");
    }
}
