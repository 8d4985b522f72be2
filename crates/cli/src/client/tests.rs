//! The client against a scripted service: versions, retries, paging, credentials, failures.

use serde_json::json;

use super::*;
use crate::canned::{self, Answer, Canned};
use crate::console::capture;
use crate::endpoint::Surroundings;

/// A client of this server, with these variables, and what it remarks.
async fn client(server: &Canned, variables: &[(&str, &str)]) -> (Client, capture::Captured) {
    let (console, _, notes) = capture::console();
    let variable = |name: &str| {
        if name == "OS_ENDPOINT" {
            return Some(server.base.clone());
        }
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let mut global = Global::default();
    global.max_retries = 2;
    let around = Surroundings {
        variable: &variable,
        folders: Vec::new(),
    };
    let endpoint = Endpoint::find(&global, &around).unwrap();
    (
        Client::new(endpoint, &global, console.notes())
            .await
            .unwrap(),
        notes,
    )
}

#[test]
fn goes_down_to_the_version_the_service_knows_and_stays_there() {
    canned::run(async {
        let server = Canned::answers([
            Answer::fault(406, "too new").header("X-OpenStack-Ironic-API-Maximum-Version", "1.90"),
            Answer::new(200, json!({"a": 1})),
            Answer::new(200, json!({})),
        ])
        .await;
        let (client, _) = client(&server, &[]).await;
        let call = Call::get(&["nodes"]).unwrap();
        assert_eq!(client.send(&call).await.unwrap(), json!({"a": 1}));
        client.send(&call).await.unwrap();
        let versions: Vec<Option<String>> = server
            .asked()
            .iter()
            .map(|asked| asked.header(VERSION).map(str::to_owned))
            .collect();
        assert_eq!(
            versions,
            ["1.115", "1.90", "1.90"].map(|v| Some(v.to_owned()))
        );
    });
}

#[test]
fn a_version_somebody_insists_on_is_kept() {
    canned::run(async {
        let refusal =
            Answer::fault(406, "too new").header("X-OpenStack-Ironic-API-Maximum-Version", "1.90");
        let server = Canned::answers([refusal]).await;
        let (client, _) = client(&server, &[("OS_BAREMETAL_API_VERSION", "1.100")]).await;
        let error = client
            .send(&Call::get(&["nodes"]).unwrap())
            .await
            .unwrap_err();
        assert_eq!((error.status(), error.message()), (Some(406), "too new"));
        assert_eq!(server.asked()[0].header(VERSION), Some("1.100"));
    });
}

#[test]
fn tries_again_when_the_node_is_locked_and_says_so() {
    canned::run(async {
        let locked = Answer::fault(409, "Node x is locked by host h").header(PASSES, "2");
        let server = Canned::answers([locked.clone(), locked, Answer::new(202, "")]).await;
        let (client, notes) = client(&server, &[]).await;
        let call = Call::new(Method::PUT, &["nodes", "x", "states", "power"]).unwrap();
        let call = call.body(json!({"target": "power on"}));
        assert_eq!(client.send(&call).await.unwrap(), Value::Null);
        assert_eq!(
            notes.text(),
            "Node x is locked by host h\ntrying again (1 of 2)\ntrying again (2 of 2)\n"
        );
        assert_eq!(server.asked()[2].body, json!({"target": "power on"}));
    });
}

#[test]
fn gives_up_after_the_last_try_and_at_once_when_it_will_not_pass() {
    canned::run(async {
        let locked = Answer::fault(409, "Node x is locked by host h").header(PASSES, "2");
        let server = Canned::answers(vec![locked; 9]).await;
        let (client, _) = client(&server, &[]).await;
        let error = client
            .send(&Call::get(&["nodes"]).unwrap())
            .await
            .unwrap_err();
        assert_eq!((error.status(), server.lines().len()), (Some(409), 3));
    });
    canned::run(async {
        let taken = Answer::fault(409, "Sentences do not decide: please retry, it is locked.");
        let server = Canned::answers(vec![taken; 9]).await;
        let (client, _) = client(&server, &[]).await;
        client
            .send(&Call::get(&["nodes"]).unwrap())
            .await
            .unwrap_err();
        assert_eq!(server.lines().len(), 1);
    });
}

#[test]
fn a_reservation_tells_a_lock_of_ironic_from_a_wrong_state() {
    let asked = |reservation: Value| {
        canned::run(async {
            let server = Canned::with(move |asked| {
                if asked.line.starts_with("GET") {
                    return Answer::new(200, json!({"reservation": reservation}));
                }
                Answer::fault(409, "It cannot be done.")
            })
            .await;
            let (client, _) = client(&server, &[]).await;
            let call = Call::new(Method::DELETE, &["nodes", "m7"]).unwrap();
            let error = client.send(&call).await.unwrap_err();
            assert_eq!(error.status(), Some(409));
            server.lines()
        })
    };
    let look = "GET /v1/nodes/m7?fields=reservation";
    assert_eq!(asked(Value::Null), ["DELETE /v1/nodes/m7", look]);
    let tries = asked(json!("conductor-1"));
    let deletes = tries.iter().filter(|line| line.starts_with("DELETE"));
    assert_eq!(deletes.count(), 3);
}

/// Three pages of two, linked under a name the client does not know the service by.
async fn three_pages() -> Canned {
    Canned::with(|asked| {
        let marker = asked
            .line
            .split_once("marker=")
            .map_or("0", |(_, marker)| marker);
        let last: u32 = marker.parse().unwrap();
        let nodes = json!([{"uuid": last + 1}, {"uuid": last + 2}]);
        let next = format!(
            "https://front.example/metal/v1/nodes?limit=2&marker={}",
            last + 2
        );
        let next = if last < 4 { json!(next) } else { json!(null) };
        Answer::new(200, json!({"nodes": nodes, "next": next}))
    })
    .await
}

#[test]
fn follows_pages_up_to_the_limit() {
    for (limit, expected) in [
        (Some(0), 6),
        (Some(3), 3),
        (Some(4), 4),
        (Some(100), 6),
        (None, 2),
    ] {
        canned::run(async {
            let server = three_pages().await;
            let (client, notes) = client(&server, &[]).await;
            let call = Call::get(&["nodes"]).unwrap();
            let found = client.list(&call, "nodes", limit).await.unwrap();
            assert_eq!(found.len(), expected, "limit {limit:?}");
            assert_eq!(notes.text().contains("--limit 0"), limit.is_none());
        });
    }
}

#[test]
fn pages_are_asked_for_where_the_service_was_named() {
    canned::run(async {
        let server = three_pages().await;
        let (client, _) = client(&server, &[]).await;
        client
            .list(&Call::get(&["nodes"]).unwrap(), "nodes", Some(0))
            .await
            .unwrap();
        assert_eq!(
            server.lines(),
            [
                "GET /v1/nodes",
                "GET /v1/nodes?limit=2&marker=2",
                "GET /v1/nodes?limit=2&marker=4"
            ]
        );
    });
}

#[test]
fn shows_who_we_are() {
    canned::run(async {
        let server = Canned::answers(vec![Answer::new(200, "{}"); 3]).await;
        let call = Call::get(&["nodes"]).unwrap();
        let basic = [
            ("OS_AUTH_TYPE", "http_basic"),
            ("OS_USERNAME", "ada"),
            ("OS_PASSWORD", "s:3"),
        ];
        for variables in [&basic[..], &[("OS_TOKEN", "t0k3n")], &[]] {
            client(&server, variables)
                .await
                .0
                .send(&call)
                .await
                .unwrap();
        }
        let asked = server.asked();
        assert_eq!(asked[0].header("authorization"), Some("Basic YWRhOnM6Mw=="));
        assert_eq!(asked[1].header("x-auth-token"), Some("t0k3n"));
        assert_eq!(
            asked[2]
                .header("authorization")
                .or(asked[2].header("x-auth-token")),
            None
        );
    });
}

#[test]
fn names_cannot_leave_their_place_in_the_path() {
    let path = |name: &str| Call::get(&["nodes", name]).map(|call| call.path);
    assert_eq!(path("../chassis").unwrap(), "/v1/nodes/..%2Fchassis");
    assert_eq!(path("a b?c#d%").unwrap(), "/v1/nodes/a%20b%3Fc%23d%25");
    assert_eq!(path("größe").unwrap(), "/v1/nodes/gr%C3%B6%C3%9Fe");
    for wrong in ["", ".", ".."] {
        assert_eq!(path(wrong).unwrap_err().exit_code(), 2);
    }
}

#[test]
fn nobody_there_is_told_with_a_way_out() {
    canned::run(async {
        let mut server = Canned::answers([]).await;
        // Binding and dropping a listener leaves a port on which nobody listens.
        let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        server.base = format!("http://{}", gone.local_addr().unwrap());
        drop(gone);
        let (client, _) = client(&server, &[]).await;
        let error = client
            .send(&Call::get(&["nodes"]).unwrap())
            .await
            .unwrap_err();
        assert_eq!(error.exit_code(), 3);
        let lines = error.lines();
        assert!(lines[0].contains("Connection refused"), "{lines:?}");
        assert!(lines[1].contains("corten serve"), "{lines:?}");
    });
}

#[test]
fn redirects_and_other_services_are_not_mistaken_for_ours() {
    canned::run(async {
        let server = Canned::answers([
            Answer::new(301, "").header("location", "https://else.example/"),
            Answer::new(200, "<html>hello</html>"),
            Answer::new(200, json!({"something": 1})),
        ])
        .await;
        let (client, _) = client(&server, &[]).await;
        let call = Call::get(&["nodes"]).unwrap();
        let moved = client.send(&call).await.unwrap_err();
        assert!(
            moved.message().contains("https://else.example/"),
            "{}",
            moved.message()
        );
        let page = client.send(&call).await.unwrap_err();
        assert!(
            page.message().contains("does not answer in JSON"),
            "{}",
            page.message()
        );
        let list = client.list(&call, "nodes", None).await.unwrap_err();
        assert!(
            list.message().contains("without nodes"),
            "{}",
            list.message()
        );
    });
}
