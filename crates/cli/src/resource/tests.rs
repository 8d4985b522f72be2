//! Resources as they are listed, shown, created and changed.

use serde_json::{Value, json};

use crate::canned::Answer;
use crate::tests::{ran, ran_on_terminal};

#[test]
fn ports_are_created_changed_and_shown() {
    let (created, asked) = ran(
        "port create 52:54:00:00:00:01 --node u --pxe-enabled false \
         --local-link-connection port_id=7 --is-smartnic -f json",
        [Answer::new(
            201,
            json!({"uuid": "p", "address": "52:54:00:00:00:01", "links": []}),
        )],
    );
    assert_eq!(
        asked[0].body,
        json!({"local_link_connection": {"port_id": 7}, "pxe_enabled": false, "is_smartnic": true,
               "address": "52:54:00:00:00:01", "node_uuid": "u"})
    );
    let shown: Value = serde_json::from_str(&created.out).unwrap();
    assert_eq!(
        (&shown["uuid"], &shown["vendor"], shown.get("links")),
        (&json!("p"), &json!(""), None)
    );

    let (_, asked) = ran(
        "port set p --pxe-disabled --name eth0",
        [Answer::new(200, "{}")],
    );
    assert_eq!(
        asked[0].body,
        json!([{"op": "add", "path": "/pxe_enabled", "value": false},
               {"op": "add", "path": "/name", "value": "eth0"}])
    );

    let found = json!({"ports": [{"uuid": "p", "address": "m", "links": []}]});
    let (shown, asked) = ran("port show m --address -f value", [Answer::new(200, found)]);
    assert_eq!(asked[0].line, "GET /v1/ports/detail?address=m");
    assert_eq!(shown.out, "m\np\n");
    let (missing, _) = ran(
        "port show m --address",
        [Answer::new(200, json!({"ports": []}))],
    );
    assert_eq!(
        missing.notes,
        "error: no port has the address m\n\
         hint: `corten port list --fields uuid address` shows which there are\n"
    );
}

#[test]
fn the_node_of_a_new_port_may_be_given_by_name() {
    const UUID: &str = "b18a02f4-6d8d-46c3-ac57-95e14b3b7e33";
    let refused = || Answer::new(400, json!({"error": "Expected UUID for node_uuid: m1"}));
    let (created, asked) = ran(
        "port create 52:54:00:00:00:01 --node m1",
        [
            refused(),
            Answer::new(200, json!({"uuid": UUID, "name": "m1"})),
            Answer::new(201, json!({"uuid": "p"})),
        ],
    );
    assert_eq!(created.code, 0, "{}", created.notes);
    assert_eq!(asked[1].line, "GET /v1/nodes/m1");
    assert_eq!(asked[2].line, "POST /v1/ports");
    assert_eq!(asked[2].body["node_uuid"], UUID);
    // What no node is called is refused as before.
    let (missing, _) = ran(
        "port create 52:54:00:00:00:01 --node m1",
        [
            refused(),
            Answer::new(404, json!({"error": "no such node"})),
        ],
    );
    assert_eq!(
        missing.notes,
        "error: new port: Expected UUID for node_uuid: m1\n"
    );
    let (refused, asked) = ran(
        &format!("port create 52:54:00:00:00:01 --node {UUID}"),
        [Answer::new(400, json!({"error": "no"}))],
    );
    assert_eq!((refused.code, asked.len()), (1, 1));
}

#[test]
fn drivers_join_their_lists() {
    let drivers = json!({"drivers": [{"name": "redfish", "hosts": ["b"]},
                                     {"name": "ipmi", "hosts": ["a", "b"]}]});
    let (ran, _) = ran("driver list", [Answer::new(200, drivers)]);
    assert_eq!(
        ran.out,
        "\
+---------+-------+
| name    | hosts |
+---------+-------+
| ipmi    | a, b  |
| redfish | b     |
+---------+-------+
"
    );
}

#[test]
fn driver_properties_are_sorted() {
    let answer = Answer::new(200, json!({"b": "B. Required.", "a": "A."}));
    let (ran, asked) = ran("driver property list redfish -f value", [answer]);
    assert_eq!(asked[0].line, "GET /v1/drivers/redfish/properties");
    assert_eq!(ran.out, "a A.\nb B. Required.\n");
}

#[test]
fn volumes_are_below_a_path_of_two_words() {
    let target = json!({"uuid": "t", "volume_type": "iscsi", "boot_index": 0, "links": []});
    let (ran_, asked) = ran(
        "volume target create --node n --type iscsi --boot-index 0 --volume-id v -f json",
        [Answer::new(201, target)],
    );
    assert_eq!(ran_.code, 0, "{}", ran_.notes);
    assert_eq!(asked[0].line, "POST /v1/volume/targets");
    assert_eq!(
        asked[0].body,
        json!({"node_uuid": "n", "volume_type": "iscsi", "boot_index": 0, "volume_id": "v"})
    );
    let (listed, asked) = ran(
        "volume connector list --long --node n -f value",
        [Answer::new(200, json!({"connectors": [{"uuid": "c"}]}))],
    );
    assert_eq!(listed.code, 0, "{}", listed.notes);
    assert_eq!(
        asked[0].line,
        "GET /v1/volume/connectors?detail=True&node=n"
    );
    let wrong = ran("volume connector create --node n --type x", []).0;
    assert_eq!(wrong.code, 2);
}

#[test]
fn an_allocation_can_be_waited_for() {
    let at = |state: &str, error: Value| {
        Answer::new(
            200,
            json!({"uuid": "a", "state": state, "last_error": error}),
        )
    };
    let line = "allocation create --resource-class c --trait CUSTOM_A --wait -f value -c state";
    let (active, asked) = ran(
        line,
        [at("allocating", json!(null)), at("active", json!(null))],
    );
    assert_eq!((active.code, active.out.as_str()), (0, "active\n"));
    assert_eq!(
        asked[0].body,
        json!({"resource_class": "c", "traits": ["CUSTOM_A"]})
    );
    assert_eq!(asked[1].line, "GET /v1/allocations/a");
    let (failed, _) = ran(
        line,
        [
            at("allocating", json!(null)),
            at("error", json!("no node fits")),
        ],
    );
    assert_eq!(
        (failed.code, failed.notes.as_str()),
        (1, "error: allocation a: no node fits\n")
    );
}

/// A list of two nodes with names, or without.
fn two_nodes(named: bool) -> Answer {
    let node = |number: u8| {
        json!({"uuid": format!("54b92a79-2c9b-4db0-9b4a-01d5bd2608f{number}"),
            "name": named.then(|| format!("m{number}")), "instance_uuid": null,
            "power_state": "power on", "provision_state": "deploy failed", "maintenance": false})
    };
    Answer::new(200, json!({"nodes": [node(1), node(2)]}))
}

#[test]
fn nodes_fit_a_narrow_terminal_by_their_names() {
    let (narrow, _) = ran_on_terminal(80, "node list", |_| two_nodes(true));
    assert!(!narrow.out.contains("uuid"), "{}", narrow.out);
    let whole = |line: &str| line.contains("m1") && line.contains("deploy failed");
    assert!(narrow.out.lines().any(whole), "{}", narrow.out);
    assert!(narrow.out.lines().all(|line| line.len() <= 80));
    let (wide, _) = ran_on_terminal(200, "node list", |_| two_nodes(true));
    assert!(wide.out.contains("| uuid "), "{}", wide.out);
    // Whoever says what they want gets it, and so does a program that reads.
    let (chosen, _) = ran_on_terminal(60, "node list -c uuid -c name", |_| two_nodes(true));
    assert!(chosen.out.contains("| uuid "), "{}", chosen.out);
    let (piped, _) = ran("node list", [two_nodes(true)]);
    assert!(piped.out.contains("| instance_uuid "), "{}", piped.out);
    let (nameless, _) = ran_on_terminal(80, "node list", |_| two_nodes(false));
    assert!(nameless.out.contains("uuid"), "{}", nameless.out);
}

#[test]
fn ports_on_a_terminal_say_whose_they_are() {
    let answer = |asked: &crate::canned::RecordedRequest| match asked
        .line
        .starts_with("GET /v1/nodes")
    {
        true => Answer::new(200, json!({"nodes": [{"uuid": "n-1", "name": "m1"}]})),
        false => Answer::new(
            200,
            json!({"ports": [{"uuid": "p-1", "address": "52:54:00:00:00:01", "node_uuid": "n-1"},
                {"uuid": "p-2", "address": "52:54:00:00:00:02", "node_uuid": "n-2"}]}),
        ),
    };
    let (shown, asked) = ran_on_terminal(80, "port list", answer);
    assert_eq!(
        asked[0].line,
        "GET /v1/ports?fields=uuid%2Caddress%2Cnode_uuid"
    );
    assert!(
        shown.out.contains("52:54:00:00:00:01 | m1"),
        "{}",
        shown.out
    );
    assert!(
        shown.out.contains("52:54:00:00:00:02 | n-2"),
        "{}",
        shown.out
    );
    let (piped, asked) = ran("port list", [Answer::new(200, json!({"ports": []}))]);
    assert_eq!(
        (piped.code, asked.len(), asked[0].line.as_str()),
        (0, 1, "GET /v1/ports")
    );
}
