//! Who may do what with nodes, and what of them one sees.
//!
//! The node `N` of every test belongs to the project p1 and is leased to p2; `M` has no owner.

use crate::{
    policy::{HiddenFields, Policy, PolicyOptions},
    route::Method,
    route_table::ROUTES,
    settings::Settings,
    testing::Service,
};
use serde_json::{Value, json};
use std::sync::Arc;
use store::node::{Fence, Log};
use types::{
    Allocation, AllocationId, Chassis, ChassisId, HistoryId, Node, NodeId, ProvisionState,
    Timestamp, event::HistoryEntry,
};

async fn node(service: &Service, owner: Option<&str>, change: impl FnOnce(&mut Node)) -> Node {
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.owner = owner.map(str::to_owned);
    change(&mut node);
    service.store_node(node).await
}

/// `N` and `M`.
async fn nodes(service: &Service) -> (Node, Node) {
    let n = node(service, Some("p1"), |n| {
        n.lessee = Some("p2".into());
        n.last_error = Some("oops".into());
        n.driver_info.insert("address".into(), json!("bmc"));
    });
    (n.await, node(service, None, |_| ()).await)
}

fn path(node: &Node) -> String {
    format!("/v1/nodes/{}", node.id)
}

fn replace(path: &str, value: Value) -> Value {
    json!([{"op": "replace", "path": path, "value": value}])
}

/// UUIDs that a list shows.
async fn listed(service: &Service, persona: &str, query: &str) -> Vec<String> {
    let answer = service.get_as(persona, query).await;
    assert_eq!(answer.status, 200, "{persona} {query}: {}", answer.text);
    let nodes = answer.json()["nodes"].as_array().unwrap().clone();
    let uuid = |node: &Value| node["uuid"].as_str().unwrap().to_owned();
    nodes.iter().map(uuid).collect()
}

#[tokio::test]
async fn a_node_of_others_is_as_if_it_were_not_there() {
    let service = Service::guarded();
    let (n, _) = nodes(&service).await;
    let (own, absent) = (n.id.to_string(), NodeId::generate().to_string());
    let bodies = [
        Value::Null,
        json!({}),
        json!([]),
        json!({"target": "manage"}),
        json!({"target": true}),
        json!({"enabled": true}),
        json!({"state": "on"}),
        json!({"boot_device": "pxe"}),
        json!({"id": "v"}),
        replace("/extra", json!({})),
    ];
    let mut hidden = 0;
    let below = ROUTES.iter().filter(|r| r.path.starts_with("nodes/{node}"));
    for route in below {
        for (method, _) in route.methods {
            for body in &bodies {
                if *method == Method::Get && !body.is_null() {
                    continue;
                }
                let answer = async |uuid: &str| {
                    let path = route.path.replace("{node}", uuid);
                    let path = format!("/v1/{}", path.replace(['{', '}'], ""));
                    let body = body.clone();
                    let answer = service.send_as("admin@p3", method.as_str(), &path, body);
                    let answer = answer.await;
                    (answer.status.as_u16(), answer.text.replace(uuid, "*"))
                };
                let real = answer(&own).await;
                assert_eq!(real, answer(&absent).await, "{} {body}", route.path);
                hidden += usize::from(real.0 == 404);
            }
        }
    }
    // Most requests get as far as the node.
    assert!(hidden > 100, "{hidden}");
    assert_eq!(
        *service.conductor.asked.lock().unwrap(),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn lists_show_what_is_the_projects() {
    let service = Service::guarded();
    let (n, m) = nodes(&service).await;
    let other = node(&service, Some("p1"), |_| ()).await;
    let [n, m, other] = [n, m, other].map(|node| node.id.to_string());
    for (persona, query, expected) in [
        ("reader@system", "", vec![&n, &m, &other]),
        ("reader@p1", "", vec![&n, &other]),
        ("reader@p1", "?project=p1", vec![&n, &other]),
        ("reader@p1", "?project=", vec![&n, &other]),
        ("reader@system", "?project=p2", vec![&n]),
        ("service@p2", "", vec![&n]),
        ("reader@p2", "?owner=p1", vec![&n]),
        ("reader@p1", "?lessee=p2", vec![&n]),
        ("reader@p3", "?owner=p1", vec![]),
        ("reader@p3", "", vec![]),
        // The filter comes before the limit and the marker.
        ("reader@p1", "?limit=1&sort_dir=desc", vec![&other]),
        ("reader@p1", &format!("?marker={n}"), vec![&other]),
        ("service@p2", &format!("?marker={n}"), vec![]),
    ] {
        for list in ["/v1/nodes", "/v1/nodes/detail"] {
            let shown = listed(&service, persona, &format!("{list}{query}")).await;
            let shown: Vec<&String> = shown.iter().collect();
            assert_eq!(shown, expected, "{persona} {list}{query}");
        }
    }
    for (persona, query, rule) in [
        ("nobody@p1", "", "list"),
        ("nobody@system", "", "list_all"),
        ("admin@p2", "?project=p1", "list_all"),
        ("admin@p2", "?project=p1&driver=x&fields=nope", "list_all"),
    ] {
        let answer = service.get_as(persona, &format!("/v1/nodes{query}")).await;
        let text = format!("Access was denied to the following resource: baremetal:node:{rule}");
        assert_eq!((answer.status.as_u16(), answer.fault()), (403, text));
    }
}

#[tokio::test]
async fn lists_are_not_sorted_by_what_is_hidden() {
    let service = Service::guarded();
    nodes(&service).await;
    for (persona, key, status) in [
        ("reader@system", "reservation", 200),
        ("reader@system", "last_error", 200),
        ("reader@p2", "reservation", 400),
        ("reader@p2", "last_error", 400),
        ("reader@p2", "driver_info", 400),
        ("reader@p2", "owner", 200),
        ("reader@system", "work", 400),
        ("reader@system", "lease_epoch", 400),
    ] {
        for list in ["/v1/nodes", "/v1/nodes/detail"] {
            let path = format!("{list}?sort_key={key}");
            let answer = service.get_as(persona, &path).await;
            assert_eq!(answer.status, status, "{persona} {path}: {}", answer.text);
        }
    }
    // Where the rules show a field to lessees, they may sort by it.
    let service = Service::guarded_by("\"baremetal:node:get:reservation\": \"@\"\n");
    let sorted = service.get_as("reader@p2", "/v1/nodes?sort_key=reservation");
    assert_eq!(sorted.await.status, 200);
}

#[tokio::test]
async fn markers_and_filters_tell_nothing_about_others() {
    let service = Service::guarded();
    let (_, m) = nodes(&service).await;
    let chassis = Chassis::new(ChassisId::generate());
    store::chassis::insert(&service.db, chassis.clone(), Log::default())
        .await
        .unwrap();
    for (real, absent) in [
        (
            format!("?marker={}", m.id),
            format!("?marker={}", NodeId::generate()),
        ),
        (
            format!("?chassis_uuid={}", chassis.id),
            format!("?chassis_uuid={}", ChassisId::generate()),
        ),
    ] {
        for list in ["/v1/nodes", "/v1/nodes/detail"] {
            let answer = async |query: &str| {
                let answer = service.get_as("admin@p1", &format!("{list}{query}")).await;
                let uuid = query.split_once('=').unwrap().1;
                (answer.status, answer.text.replace(uuid, "*"))
            };
            assert_eq!(answer(&real).await, answer(&absent).await, "{list}{real}");
        }
    }
    let missing = format!("/v1/nodes?chassis_uuid={}", ChassisId::generate());
    let told = service.get_as("reader@system", &missing).await;
    assert_eq!(told.status, 404);
    let create = |chassis: ChassisId| {
        let body = json!({"driver": "fake-hardware", "chassis_uuid": chassis.to_string()});
        service.send_as("admin@p1", "POST", "/v1/nodes", body)
    };
    assert_eq!(create(chassis.id).await.status, 400);
    assert_eq!(create(ChassisId::generate()).await.status, 400);
}

#[tokio::test]
async fn lessees_see_notices_in_place_of_four_fields() {
    let service = Service::guarded();
    let (n, _) = nodes(&service).await;
    let notices = json!({
        "last_error": HiddenFields::LAST_ERROR,
        "reservation": HiddenFields::RESERVATION,
        "driver_info": {"content": HiddenFields::DRIVER_INFO},
        "driver_internal_info": {"content": HiddenFields::DRIVER_INTERNAL_INFO},
    });
    let values = json!({
        "last_error": "oops",
        "reservation": null,
        "driver_info": {"address": "bmc"},
        "driver_internal_info": {},
    });
    let names = "last_error,reservation,driver_info,driver_internal_info";
    for (persona, expected) in [
        ("admin@p2", &notices),
        ("reader@p1", &values),
        ("reader@system", &values),
    ] {
        let show = async |query: String| service.get_as(persona, &query).await.json();
        let shown = [
            show(path(&n)).await,
            show(format!("{}?fields={names}", path(&n))).await,
            show("/v1/nodes/detail".into()).await["nodes"][0].clone(),
            show("/v1/nodes?detail=true".into()).await["nodes"][0].clone(),
            show(format!("/v1/nodes?fields={names}")).await["nodes"][0].clone(),
        ];
        for shown in shown {
            for (name, value) in expected.as_object().unwrap() {
                assert_eq!(shown[name], *value, "{persona} {name}");
            }
        }
    }
    let states = format!("{}/states", path(&n));
    let states = service.get_as("admin@p2", &states).await.json();
    assert_eq!(states["last_error"], "oops");
    let patch = replace("/extra", json!({}));
    let patched = service.send_as("admin@p2", "PATCH", &path(&n), patch).await;
    assert_eq!(patched.json()["reservation"], HiddenFields::RESERVATION);
}

#[tokio::test]
async fn secrets_are_shown_to_whom_the_operator_wants() {
    let secrets = |n: &mut Node| {
        n.driver_info.insert("x_password".into(), json!("secret"));
        n.instance_info
            .insert("image_url".into(), json!("http://i"));
        n.instance_info.insert("x_password".into(), json!("secret"));
    };
    let policy = "show_password: \"role:admin\"\nshow_instance_secrets: \"role:member\"";
    let service = Service::guarded_by(policy);
    let n = node(&service, Some("p1"), secrets).await;
    for (persona, driver, image, instance) in [
        ("admin@p1", "secret", "http://i", "secret"),
        ("member@p1", "******", "http://i", "secret"),
        ("reader@p1", "******", "******", "******"),
    ] {
        let list = service.get_as(persona, "/v1/nodes/detail").await.json();
        let single = service.get_as(persona, &path(&n)).await.json();
        for shown in [&list["nodes"][0], &single] {
            assert_eq!(shown["driver_info"]["x_password"], driver, "{persona}");
            assert_eq!(shown["instance_info"]["image_url"], image, "{persona}");
            assert_eq!(shown["instance_info"]["x_password"], instance, "{persona}");
        }
    }
    let options = PolicyOptions::default();
    let open = Policy::parse("", std::path::Path::new("policy.yaml"), &options)
        .unwrap()
        .opened();
    let service = Service::with(Settings {
        policy: Arc::new(open),
        ..Settings::default()
    });
    let n = node(&service, None, secrets).await;
    let shown = service.get(&path(&n), 115).await.json();
    assert_eq!(shown["driver_info"]["x_password"], "******");
}

#[tokio::test]
async fn every_path_of_a_patch_has_its_rule() {
    let service = Service::guarded();
    let (n, m) = nodes(&service).await;
    for (persona, node, patch, status) in [
        ("member@p2", &n, replace("/extra", json!({})), 200),
        ("member@p2", &n, replace("/driver_info", json!({})), 403),
        ("member@p1", &n, replace("/driver_info", json!({})), 200),
        ("reader@p1", &n, json!([]), 403),
        ("admin@p1", &n, replace("/owner", json!("p1")), 403),
        ("member@system", &n, replace("/owner", json!("p1")), 200),
        ("admin@p1", &m, replace("/extra", json!({})), 404),
        // The shape of the patch is judged before the caller, the state of the node after.
        ("reader@p1", &n, replace("/nope", json!(1)), 400),
    ] {
        let path = path(node);
        let answer = service.send_as(persona, "PATCH", &path, patch.clone());
        assert_eq!(answer.await.status, status, "{persona} {patch}");
    }
    let both = json!([
        {"op": "add", "path": "/extra/a", "value": 1},
        {"op": "add", "path": "/driver_info/a", "value": 1},
    ]);
    let answer = service.send_as("admin@p2", "PATCH", &path(&n), both).await;
    assert_eq!(
        answer.fault(),
        "Access was denied to the following resource: baremetal:node:update:driver_info"
    );
}

#[tokio::test]
async fn a_node_that_got_another_owner_meanwhile_is_not_patched() {
    let service = Service::guarded();
    let (n, _) = nodes(&service).await;
    let mut sold = n.clone();
    sold.owner = Some("p3".into());
    sold.lessee = None;
    service.conductor.meanwhile.lock().unwrap().push(sold);
    let patch = replace("/extra", json!({"mine": true}));
    let answer = service.send_as("admin@p1", "PATCH", &path(&n), patch).await;
    assert_eq!(answer.status, 404);
    let stored = store::node::find(&service.db, n.id).await.unwrap().unwrap();
    assert!(stored.extra.is_empty());
}

#[tokio::test]
async fn a_node_in_use_keeps_its_owner() {
    let service = Service::guarded();
    let active = |n: &mut Node| n.provision_state = ProvisionState::Active;
    let n = node(&service, Some("p1"), active).await;
    let patch = replace("/owner", json!("p2"));
    let send = async |persona: &str, node: &Node| {
        let path = path(node);
        let answer = service.send_as(persona, "PATCH", &path, patch.clone());
        answer.await
    };
    let refused = send("member@system", &n).await;
    let text = format!(
        "Cannot update owner of node \"{}\" while it is in state \"active\".",
        n.id
    );
    assert_eq!((refused.status.as_u16(), refused.fault()), (409, text));
    assert_eq!(send("admin@system", &n).await.status, 200);

    let allocation = Allocation {
        owner: Some("p1".into()),
        ..Allocation::new(AllocationId::generate())
    };
    let allocation = store::allocation::insert(&service.db, allocation, Log::default())
        .await
        .unwrap();
    let allocated = |n: &mut Node| {
        n.allocation_uuid = Some(allocation.id.to_string());
        n.instance_uuid = Some(allocation.id.to_string());
    };
    let n = node(&service, Some("p1"), allocated).await;
    let refused = send("admin@system", &n).await;
    let text = format!(
        "Cannot update owner of node \"{}\" while it is allocated to an allocation with an  owner.",
        n.id
    );
    assert_eq!((refused.status.as_u16(), refused.fault()), (409, text));
}

#[tokio::test]
async fn projects_create_and_delete_nodes_of_their_own() {
    let settings = |on: bool| Settings {
        policy: Arc::new(Policy::load(None, &PolicyOptions::default()).unwrap()),
        project_admin_can_manage_own_nodes: on,
        ..Settings::default()
    };
    let create = async |service: &Service, persona: &str, owner: Option<&str>| {
        let mut body = json!({"driver": "fake-hardware"});
        if let Some(owner) = owner {
            body["owner"] = json!(owner);
        }
        let answer = service.send_as(persona, "POST", "/v1/nodes", body).await;
        let created = answer.status == 201;
        let owner = created.then(|| answer.json()["owner"].clone());
        (answer.status.as_u16(), owner.unwrap_or_default())
    };
    let service = Service::with(settings(true));
    for (persona, owner, expected) in [
        ("admin@system", None, (201, Value::Null)),
        ("admin@system", Some("p9"), (201, json!("p9"))),
        ("admin@p1", None, (201, json!("p1"))),
        ("service@p1", Some("p1"), (201, json!("p1"))),
        ("admin@p1", Some("p2"), (400, Value::Null)),
        ("manager@p1", None, (403, Value::Null)),
        ("member@system", None, (403, Value::Null)),
    ] {
        let got = create(&service, persona, owner).await;
        assert_eq!(got, expected, "{persona} {owner:?}");
    }
    let unknown = json!({"driver": "fake-hardware", "nope": 1});
    let unknown = service.send_as("reader@p1", "POST", "/v1/nodes", unknown);
    assert_eq!(unknown.await.status, 400);
    let delete = async |service: &Service, persona: &str| {
        let n = node(service, Some("p1"), |n| n.lessee = Some("p2".into())).await;
        let path = path(&n);
        let answer = service.send_as(persona, "DELETE", &path, Value::Null);
        let answer = answer.await;
        let refused = answer.status == 403;
        let rule = refused.then(|| answer.fault().rsplit_once(": ").unwrap().1.to_owned());
        (answer.status.as_u16(), rule.unwrap_or_default())
    };
    let own = "baremetal:node:delete:self_owned_node".to_owned();
    for (persona, expected) in [
        ("admin@system", (204, String::new())),
        ("admin@p1", (204, String::new())),
        ("manager@p1", (403, own.clone())),
        ("member@system", (403, own.clone())),
        ("admin@p2", (403, own)),
        ("admin@p3", (404, String::new())),
    ] {
        assert_eq!(delete(&service, persona).await, expected, "{persona}");
    }

    let service = Service::with(settings(false));
    assert_eq!(create(&service, "admin@p1", None).await.0, 403);
    assert_eq!(create(&service, "admin@system", None).await.0, 201);
    let rule = "baremetal:node:delete".to_owned();
    assert_eq!(delete(&service, "admin@p1").await, (403, rule));
}

#[tokio::test]
async fn parents_are_nodes_that_one_sees_and_owns() {
    let service = Service::guarded();
    let (n, m) = nodes(&service).await;
    let theirs = node(&service, Some("p3"), |_| ()).await;
    for (parent, status) in [
        (n.id, 201),
        (theirs.id, 400),
        (m.id, 400),
        (NodeId::generate(), 400),
    ] {
        let body = json!({"driver": "fake-hardware", "parent_node": parent.to_string()});
        let answer = service.send_as("admin@p1", "POST", "/v1/nodes", body).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        if status == 400 {
            let text = format!(
                "Unable to apply the requested parent_node '{parent}'. Requested value was invalid."
            );
            assert_eq!(answer.fault(), text);
        }
    }
    // Children of others are not shown; their parent is.
    let hidden = node(&service, Some("p3"), |c| {
        c.parent_node = Some(n.id.to_string());
    });
    let hidden = hidden.await.id.to_string();
    let children = format!("{}/children", path(&n));
    for (persona, count) in [("reader@p1", 1), ("reader@p2", 0), ("reader@system", 2)] {
        let answer = service.get_as(persona, &children).await;
        let shown = answer.json()["children"].as_array().unwrap().clone();
        assert_eq!(shown.len(), count, "{persona}");
        assert_eq!(shown.contains(&json!(hidden)), count == 2, "{persona}");
    }
}

#[tokio::test]
async fn steps_may_have_rules_of_their_own() {
    let service = Service::guarded_by(
        "\"baremetal:step:execute:deploy.erase_devices\": \"role:admin\"\n\
         \"baremetal:step:execute:bios.reset\": \"role:admin\"\n\
         \"baremetal:node:set_provision_state:clean_steps\": \"role:manager\"\n",
    );
    let manageable = |n: &mut Node| n.provision_state = ProvisionState::Manageable;
    let n = node(&service, Some("p1"), manageable).await;
    let put = async |persona: &str, body: Value| {
        let path = format!("{}/states/provision", path(&n));
        let answer = service.send_as(persona, "PUT", &path, body).await;
        let failed = !answer.text.is_empty();
        let text = failed.then(|| answer.fault());
        (answer.status.as_u16(), text.unwrap_or_default())
    };
    let clean = |steps: Value| json!({"target": "clean", "clean_steps": steps});
    let both = clean(json!([
        {"interface": "deploy", "step": "erase_devices"},
        {"interface": "bios", "step": "reset"},
        {"interface": "bios", "step": "other"},
    ]));
    let refused = put("manager@p1", both.clone()).await;
    assert_eq!(
        refused,
        (
            403,
            "insufficient privileges to execute step erase_devices on interface deploy; \
             insufficient privileges to execute step reset on interface bios"
                .into()
        )
    );
    let refused = put("member@p1", both.clone()).await.1;
    assert!(refused.ends_with("baremetal:node:set_provision_state:clean_steps"));
    assert_eq!(put("admin@p1", both.clone()).await.0, 202);
    assert_eq!(put("manager@p1", clean(json!(["nonsense"]))).await.0, 400);
    // The caller is judged before the state, the version of the verb before the caller.
    let mut wrong = both;
    wrong["target"] = json!("provide");
    assert_eq!(put("manager@p1", wrong).await.0, 403);

    let theirs = node(&service, Some("p3"), |_| ()).await;
    let leased = node(&service, Some("p3"), |n| n.lessee = Some("p1".into())).await;
    for (child, status) in [
        (n.id, 202),
        (leased.id, 202),
        (theirs.id, 404),
        (NodeId::generate(), 404),
    ] {
        let step = json!({
            "interface": "bios", "step": "other", "execute_on_child_nodes": true,
            "limit_child_node_execution": [child.to_string()],
        });
        let answer = put("manager@p1", clean(json!([step]))).await;
        assert_eq!(answer.0, status, "{child}");
    }
}

#[tokio::test]
async fn history_is_that_of_the_node() {
    let service = Service::guarded();
    let (n, m) = nodes(&service).await;
    let mut entries = Vec::new();
    for node in [&n, &m] {
        let entry = HistoryEntry {
            row: 0,
            id: HistoryId::generate(),
            node: node.id,
            created_at: Timestamp(1_000_000),
            conductor: Some("cond1".into()),
            user: None,
            project: None,
            is_error: Some(false),
            event_type: Some("x".into()),
            event: "x".into(),
            state: Some(ProvisionState::Enroll),
            target_provision_state: None,
            duration_seconds: None,
        };
        entries.push(entry.id);
        let log = Log {
            history: vec![entry],
            ..Log::default()
        };
        store::node::save(&service.db, node.clone(), Fence::Free, log)
            .await
            .unwrap();
    }
    let get = async |persona: &str, rest: String| {
        let path = format!("{}/history{rest}", path(&n));
        let answer = service.get_as(persona, &path);
        answer.await.status.as_u16()
    };
    let [own, other] = [entries[0], entries[1]];
    assert_eq!(get("reader@p1", format!("/{own}")).await, 200);
    assert_eq!(get("reader@p1", format!("/{other}")).await, 404);
    assert_eq!(get("reader@p1", format!("?marker={own}")).await, 200);
    assert_eq!(get("reader@p1", format!("?marker={other}")).await, 404);
    assert_eq!(get("reader@p2", String::new()).await, 403);
}

#[tokio::test]
async fn the_allocation_of_a_node_has_an_owner_of_its_own() {
    let service = Service::guarded();
    let (n, _) = nodes(&service).await;
    let allocation = Allocation {
        owner: Some("p2".into()),
        ..Allocation::new(AllocationId::generate())
    };
    let path = format!("{}/allocation", path(&n));
    store::allocation::insert_bound(&service.db, allocation, n, Log::default())
        .await
        .unwrap();
    for (persona, read, deleted) in [
        ("reader@p1", 403, 403),
        ("reader@p3", 400, 404),
        ("reader@p2", 200, 403),
        ("member@p2", 200, 204),
    ] {
        assert_eq!(
            service.get_as(persona, &path).await.status,
            read,
            "{persona}"
        );
        let delete = service.send_as(persona, "DELETE", &path, Value::Null);
        assert_eq!(delete.await.status, deleted, "{persona}");
    }
}
