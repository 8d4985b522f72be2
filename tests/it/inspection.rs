//! Inspection by a ramdisk: from the machine that reports to the node that knows it.

use crate::{
    database::Engine,
    http::Request,
    lab::{Lab, Machine, Options},
};
use api::discovery::DiscoveryGate;
use conductor::inspection::{Hook, KeepPorts};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use types::{InterfaceKind, ProvisionState as S};

every_engine!(
    a_report_becomes_an_inventory,
    both_forms_of_the_answer,
    machines_are_recognised,
    bodies_of_the_wrong_shape_are_refused,
    hooks_that_fail_fail_the_inspection,
    rules_change_the_machine,
    rules_that_fail_fail_the_inspection,
    what_cannot_be_stored_changes_nothing,
    unknown_machines_are_enrolled_where_that_is_wanted,
    only_so_many_unknown_machines_become_nodes,
    reports_of_unknown_machines_are_small,
    an_interface_without_reports_fails,
    a_boot_that_must_be_managed_is_refused,
    reports_survive_a_restart,
    ports_and_data_follow_the_configuration,
    an_abort_forgets_the_addresses,
);

const PATH: &str = "/v1/continue_inspection";
const MAC: &str = "52:54:00:00:00:01";

fn options() -> Options {
    let mut options = Options::default();
    let names = ["agent", "fake", "no-inspect"].map(str::to_owned).to_vec();
    options
        .hardware
        .enable_interfaces(InterfaceKind::Inspect, names);
    options.hardware.agent.require_managed_boot = false;
    options
}

async fn lab(engine: Engine) -> Lab {
    Lab::with(engine, options()).await
}

/// A machine with a port that is about to report.
async fn waiting<'l>(lab: &'l Lab, body: Value) -> Machine<'l> {
    let machine = manageable(lab, body).await;
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    machine
}

async fn manageable<'l>(lab: &'l Lab, mut body: Value) -> Machine<'l> {
    body["inspect_interface"] = json!("agent");
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let port = json!({"address": MAC, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine
}

fn inventory() -> Value {
    json!({
        "interfaces": [
            {"name": "eth0", "mac_address": MAC, "ipv4_address": "192.0.2.5"},
            {"name": "eth1", "mac_address": "52:54:00:00:00:02"},
        ],
        "cpu": {"architecture": "x86_64", "count": 2},
        "memory": {"physical_mb": 1024},
        "boot": {"pxe_interface": "52:54:00:00:00:02"},
        "disks": [], "bmc_password": "hidden",
    })
}

async fn report(lab: &Lab, body: Value) {
    lab.client.post(PATH, body).await.expect(202);
}

/// Addresses of the ports and whether they are for network boot, sorted.
async fn ports(machine: Machine<'_>, lab: &Lab) -> Vec<(String, bool)> {
    let path = machine.path("/ports?fields=address,pxe_enabled");
    let answer = lab.client.get(&path).await.expect(200).json();
    let ports = answer["ports"].as_array().unwrap().iter();
    let mut ports: Vec<_> = ports
        .map(|p| {
            (
                p["address"].as_str().unwrap().to_owned(),
                p["pxe_enabled"] == true,
            )
        })
        .collect();
    ports.sort();
    ports
}

async fn a_report_becomes_an_inventory(engine: Engine) {
    let lab = lab(engine).await;
    let body = json!({"driver_info": {"ipmi_address": "192.0.2.77", "ipmi_password": "pw"}});
    let machine = waiting(&lab, body).await;
    let before = machine.show().await;
    assert_eq!(before["power_state"], "power on");
    let info = &before["driver_internal_info"];
    assert_eq!(info["lookup_bmc_addresses"], json!(["192.0.2.77"]));
    assert_eq!(info["inspector_manage_boot"], false);

    let sent = json!({"inventory": inventory(), "logs": "secret", "root_disk": {"size": 1}});
    report(&lab, sent).await;
    let node = machine.reaches(S::Manageable).await;
    assert_eq!(node["power_state"], "power off");
    assert_eq!(node["properties"], json!({"cpu_arch": "x86_64"}));
    assert_eq!(node["last_error"], json!(null));
    assert_eq!(node["inspection_started_at"], json!(null));
    assert_ne!(node["inspection_finished_at"], json!(null));
    let info = node["driver_internal_info"].as_object().unwrap();
    let mut keys: Vec<&str> = info.keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected = [
        "agent_last_heartbeat",
        "last_power_state_change",
        "lookup_bmc_addresses",
    ];
    assert_eq!(keys, expected);
    assert_eq!(node["driver_info"]["ipmi_password"], "******");
    assert_eq!(
        ports(machine, &lab).await,
        [
            (MAC.to_owned(), false),
            ("52:54:00:00:00:02".to_owned(), true)
        ]
    );
    let kept = lab
        .client
        .get(&machine.path("/inventory"))
        .await
        .expect(200)
        .json();
    assert_eq!(kept["inventory"], inventory());
    let data = kept["plugin_data"].as_object().unwrap();
    assert_eq!(data["root_disk"], json!({"size": 1}));
    assert_eq!(data["macs"], json!(["52:54:00:00:00:02"]));
    assert!(!data.contains_key("logs") && !data.contains_key("inventory"));
    let states = machine.states().await;
    let last = &states[states.len() - 4..];
    assert_eq!(
        last,
        ["inspecting", "inspect wait", "inspecting", "manageable"]
    );
    let left = lab.database.number("SELECT COUNT(*) FROM inspection_inbox");
    assert_eq!(left, 0);
    lab.stop().await;
}

async fn both_forms_of_the_answer(engine: Engine) {
    let lab = lab(engine).await;
    let machine = waiting(&lab, json!({})).await;
    let post = |version: &str| {
        Request::new("POST", PATH)
            .version(version)
            .json(&json!({"inventory": inventory()}))
    };
    for version in ["1.2", "1.50", "1.83"] {
        let refused = lab.client.send(post(version)).await.expect(404);
        assert_eq!(refused.fault(), "API version 1.84 or newer is required");
    }
    let old = lab.client.send(post("1.1")).await.expect(202);
    assert_eq!(old.json(), json!({"uuid": machine.id.to_string()}));
    machine.reaches(S::Manageable).await;

    machine.asks("inspect").await.reaches(S::InspectWait).await;
    let by_uuid = |version: &str| {
        let path = format!("{PATH}?node_uuid={}", machine.id);
        Request::new("POST", &path)
            .version(version)
            .json(&json!({"inventory": inventory()}))
    };
    let refused = lab.client.send(by_uuid("1.1")).await.expect(404);
    assert_eq!(refused.fault(), "API version 1.84 or newer is required");
    let new = lab.client.send(by_uuid("1.84")).await.expect(202).json();
    assert_eq!(new["node"]["uuid"], machine.id.to_string());
    assert_eq!(new["config"]["agent_token"].as_str().unwrap().len(), 43);
    assert_eq!(new["config"]["agent_token_required"], true);
    machine.reaches(S::Manageable).await;
    lab.stop().await;
}

async fn machines_are_recognised(engine: Engine) {
    let lab = lab(engine).await;
    let body = |address: &str| json!({"driver_info": {"ipmi_address": address}});
    let one = waiting(&lab, body("192.0.2.77")).await;
    let two = lab
        .enroll(json!({"inspect_interface": "agent",
        "driver_info": {"ipmi_address": "192.0.2.78"}}))
        .await;
    two.asks("manage").await.reaches(S::Manageable).await;
    let port = json!({"address": "52:54:00:00:00:99", "node_uuid": two.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);

    let nobody = "Resource could not be found.";
    let with = |macs: &[&str], bmc: Option<&str>| {
        let interfaces: Vec<Value> = macs
            .iter()
            .map(|mac| json!({"name": mac, "mac_address": mac}))
            .collect();
        json!({"inventory": {"interfaces": interfaces, "bmc_address": bmc,
            "cpu": {"architecture": "x86_64"}}})
    };
    let other = "52:54:00:00:00:99";
    let unknown = "52:54:00:00:00:98";
    let by_one = format!("{PATH}?node_uuid={}", one.id);
    let by_two = format!("{PATH}?node_uuid={}", two.id);
    let by_none = format!("{PATH}?node_uuid={}", types::NodeId::generate());
    for (path, body) in [
        (PATH, with(&[unknown], None)),
        (PATH, with(&[unknown], Some("192.0.2.1"))),
        (PATH, with(&["zz"], Some("192.0.2.1"))),
        // It does not wait.
        (PATH, with(&[other], None)),
        (&by_two, with(&[unknown], None)),
        (&by_none, with(&[unknown], None)),
        // Contradictions.
        (PATH, with(&[MAC, other], None)),
        (&by_one, with(&[other], None)),
    ] {
        let refused = lab.client.post(path, body.clone()).await.expect(404);
        assert_eq!(refused.fault(), nobody, "{path} {body}");
    }
    two.asks("inspect").await.reaches(S::InspectWait).await;
    let refused = lab
        .client
        .post(PATH, with(&[MAC], Some("192.0.2.78")))
        .await;
    assert_eq!(refused.expect(404).fault(), nobody);
    for machine in [one, two] {
        assert_eq!(machine.show().await["provision_state"], "inspect wait");
    }
    report(&lab, with(&["zz"], Some("192.0.2.78"))).await;
    let failed = two
        .until("failed", |node| {
            Some(node["provision_state"] == "inspect failed")
        })
        .await;
    assert!(
        failed["last_error"]
            .as_str()
            .unwrap()
            .contains("no valid network interfaces")
    );
    report(
        &lab,
        with(&[&MAC.to_uppercase(), unknown], Some("192.0.2.77")),
    )
    .await;
    one.reaches(S::Manageable).await;
    lab.stop().await;
}

async fn bodies_of_the_wrong_shape_are_refused(engine: Engine) {
    let lab = lab(engine).await;
    let machine = waiting(&lab, json!({})).await;
    let mac = |mac: Value| json!({"inventory": {"interfaces": [{"mac_address": mac}]}});
    for (body, expected) in [
        (
            json!({}),
            "Schema error for data: 'inventory' is a required property",
        ),
        (
            json!([]),
            "Schema error for data: [] is not of type 'object'",
        ),
        (
            json!("a"),
            "Schema error for data: 'a' is not of type 'object'",
        ),
        (
            json!({"inventory": 1}),
            "Schema error for data: 1 is not of type 'object'",
        ),
        (
            json!({"inventory": {}}),
            "Schema error for data: 'interfaces' is a required property",
        ),
        (
            json!({"inventory": {"interfaces": []}}),
            "Schema error for data: [] should be non-empty",
        ),
        (
            json!({"inventory": {"interfaces": [{}]}}),
            "Schema error for data: 'mac_address' is a required property",
        ),
        (
            json!({"inventory": {"interfaces": [1]}}),
            "Schema error for data: 1 is not of type 'object'",
        ),
        (
            mac(json!(1)),
            "Schema error for data: 1 is not of type 'string'",
        ),
        (mac(json!("zz")), "No lookup information provided"),
        (
            json!({"inventory": {"interfaces": [{"mac_address": "zz"}], "bmc_address": 5}}),
            "Schema error for data: 5 is not of type 'string', 'null'",
        ),
        (
            json!({"inventory": {"interfaces": [{"mac_address": "zz"}], "bmc_address": null, "bmc_v6address": ""}}),
            "No lookup information provided",
        ),
        (
            json!({"node_uuid": machine.id.to_string(), "inventory": {"interfaces": [{"mac_address": "zz"}]}}),
            "No lookup information provided",
        ),
    ] {
        assert_eq!(
            lab.client
                .post(PATH, body.clone())
                .await
                .expect(400)
                .fault(),
            expected,
            "{body}"
        );
    }
    for (query, expected) in [
        ("?node_uuid=xx", "Expected UUID for node_uuid: xx"),
        ("?foo=1", "Unexpected arguments: foo"),
    ] {
        let refused = lab
            .client
            .post(&format!("{PATH}{query}"), mac(json!("zz")))
            .await;
        assert_eq!(refused.expect(400).fault(), expected);
    }
    let empty = lab
        .client
        .send(Request::new("POST", PATH))
        .await
        .expect(400);
    assert_eq!(
        empty.fault(),
        "Schema error for data: 'inventory' is a required property"
    );
    assert_eq!(machine.show().await["provision_state"], "inspect wait");
    lab.stop().await;
}

async fn hooks_that_fail_fail_the_inspection(engine: Engine) {
    let lab = lab(engine).await;
    let machine = waiting(&lab, json!({"driver_info": {"ipmi_address": "192.0.2.77"}})).await;
    report(&lab, json!({"inventory": inventory(), "error": "boom"})).await;
    let node = machine.reaches(S::InspectFailed).await;
    let reason = format!(
        "Failed to inspect hardware. Reason: failed to run inspection hooks: Failed to inspect hardware. Reason: The following failures happened while running preprocess hooks for node {}:\nError in preprocess hook ramdisk-error: Failed to inspect hardware. Reason: Ramdisk reported error: boom",
        machine.id
    );
    assert_eq!(
        node["last_error"],
        format!("Async execution of continue_inspection failed with error: {reason}")
    );
    assert_eq!(node["power_state"], "power off");
    assert_eq!(node["inspection_started_at"], json!(null));
    assert_eq!(
        node["driver_internal_info"].get("lookup_bmc_addresses"),
        None
    );
    let history = machine.history().await;
    let entry = history.last().unwrap();
    assert_eq!(
        entry["event"],
        format!("Failed to finish inspection: {reason}")
    );
    assert_eq!(entry["event_type"], "introspection");
    assert_eq!(entry["severity"], "ERROR");
    assert_eq!(entry["state"], "inspecting");
    lab.client
        .get(&machine.path("/inventory"))
        .await
        .expect(404);

    // What hooks did before one failed stays, as in Ironic.
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    let mut found = inventory();
    found.as_object_mut().unwrap().remove("cpu");
    report(&lab, json!({"inventory": found})).await;
    let node = machine.reaches(S::InspectFailed).await;
    assert!(node["last_error"].as_str().unwrap().ends_with(&format!(
        "Inventory has malformed or missing CPU architecture information: None for node {}.",
        machine.id
    )));
    assert_eq!(ports(machine, &lab).await.len(), 2);
    lab.client
        .get(&machine.path("/inventory"))
        .await
        .expect(404);
    lab.stop().await;
}

/// Replaces all rules by one.
async fn rule(lab: &Lab, rule: Value) {
    let all = lab
        .client
        .get("/v1/inspection_rules")
        .await
        .expect(200)
        .json();
    for known in all["inspection_rules"].as_array().unwrap() {
        let path = format!("/v1/inspection_rules/{}", known["uuid"].as_str().unwrap());
        lab.client.delete(&path).await.expect(204);
    }
    let mut rule = rule;
    if rule.get("conditions").is_none() {
        rule["conditions"] = json!([]);
    }
    lab.client
        .post("/v1/inspection_rules", rule)
        .await
        .expect(201);
}

async fn rules_change_the_machine(engine: Engine) {
    let lab = lab(engine).await;
    let machine = waiting(&lab, json!({"driver_info": {"ipmi_password": "pw"}})).await;
    let port = lab.client.get(&machine.path("/ports")).await.json()["ports"][0]["uuid"].clone();
    let act = |op: &str, args: Value| json!({"op": op, "args": args});
    rule(&lab, json!({
        "sensitive": true,
        "conditions": [
            act("eq", json!({"values": ["{inventory[cpu][architecture]}", "x86_64"]})),
            act("!is-empty", json!({"value": "{node.driver_info[ipmi_password]}"})),
        ],
        "actions": [
            act("set-attribute", json!({"path": "resource_class", "value": "bm-{inventory[cpu][count]}"})),
            act("set-attribute", json!({"path": "extra/secret", "value": "{inventory[bmc_password]}"})),
            act("set-attribute", json!({"path": "driver_info/deploy_kernel", "value": "k"})),
            act("set-capability", json!({"name": "boot_mode", "value": "uefi"})),
            act("add-trait", json!({"name": "CUSTOM_SEEN"})),
            act("set-plugin-data", json!({"path": "a.b", "value": "{node.uuid}"})),
            act("set-port-attribute", json!({"port_id": port, "path": "physical_network", "value": "net1"})),
        ],
    })).await;
    report(&lab, json!({"inventory": inventory()})).await;
    let node = machine.reaches(S::Manageable).await;
    assert_eq!(node["resource_class"], "bm-2");
    assert_eq!(node["extra"], json!({"secret": "***"}));
    assert_eq!(node["driver_info"]["deploy_kernel"], "k");
    assert_eq!(node["properties"]["capabilities"], "boot_mode:uefi");
    assert_eq!(node["traits"], json!(["CUSTOM_SEEN"]));
    let kept = lab
        .client
        .get(&machine.path("/inventory"))
        .await
        .expect(200)
        .json();
    assert_eq!(kept["plugin_data"]["a"]["b"], machine.id.to_string());
    let path = format!("/v1/ports/{}", port.as_str().unwrap());
    let port = lab.client.get(&path).await.expect(200).json();
    assert_eq!(port["physical_network"], "net1");
    // Secrets that went through the rules are sealed again.
    let stored = lab.database.dump();
    assert!(!format!("{stored:?}").contains("\"pw\""));
    lab.stop().await;
}

async fn rules_that_fail_fail_the_inspection(engine: Engine) {
    let lab = lab(engine).await;
    let machine = waiting(&lab, json!({})).await;
    rule(
        &lab,
        json!({"actions": [
            {"op": "set-attribute", "args": {"path": "extra/before", "value": 1}},
            {"op": "fail", "args": {"msg": "not good"}},
        ]}),
    )
    .await;
    report(&lab, json!({"inventory": inventory()})).await;
    let node = machine.reaches(S::InspectFailed).await;
    assert_eq!(
        node["last_error"],
        "Async execution of continue_inspection failed with error: Failed to inspect hardware. Reason: not good"
    );
    assert_eq!(node["extra"], json!({"before": 1}));
    lab.client
        .get(&machine.path("/inventory"))
        .await
        .expect(404);
    lab.stop().await;
}

async fn what_cannot_be_stored_changes_nothing(engine: Engine) {
    let lab = lab(engine).await;
    lab.enroll(json!({"name": "taken"})).await;
    let machine = waiting(&lab, json!({"name": "mine"})).await;
    for (path, value, expected) in [
        (
            "name",
            "taken".to_owned(),
            "A node with name taken already exists.",
        ),
        ("resource_class", "x".repeat(300), "at most"),
        ("driver", "nope".to_owned(), "nope"),
        ("boot_interface", "nope".to_owned(), "nope"),
    ] {
        rule(
            &lab,
            json!({"actions": [
                {"op": "set-attribute", "args": {"path": path, "value": value}},
            ]}),
        )
        .await;
        report(&lab, json!({"inventory": inventory()})).await;
        let node = machine.reaches(S::InspectFailed).await;
        let told = node["last_error"].as_str().unwrap();
        assert!(told.contains(expected), "{told}");
        assert_eq!(node["name"], "mine");
        assert_eq!(node["resource_class"], json!(null));
        assert_eq!(node["driver"], "fake-hardware");
        assert_eq!(node["boot_interface"], "fake");
        machine.asks("inspect").await.reaches(S::InspectWait).await;
    }
    lab.stop().await;
}

async fn unknown_machines_are_enrolled_where_that_is_wanted(engine: Engine) {
    let mut options = options();
    options.conductor.inspection.auto_discovery = true;
    options.api.auto_discovery = Some("fake-hardware".into());
    options.api.default_resource_class = Some("found".into());
    options
        .hardware
        .set_default(InterfaceKind::Inspect, Some("agent".into()));
    let lab = Lab::with(engine, options).await;
    rule(
        &lab,
        json!({
            "conditions": [{"op": "is-true", "args": {"value": "{plugin_data[auto_discovered]}"}}],
            "actions": [{"op": "set-attribute", "args": {"path": "name", "value": "discovered"}}],
        }),
    )
    .await;
    let body = json!({"inventory": inventory()});
    let answer = lab
        .client
        .send(Request::new("POST", PATH).version("1.1").json(&body))
        .await;
    let id = answer.expect(202).json()["uuid"]
        .as_str()
        .unwrap()
        .to_owned();
    let machine = lab.machine(&id);
    let node = machine
        .until("named", |node| Some(node["name"] == "discovered"))
        .await;
    assert_eq!(node["provision_state"], "enroll");
    assert_eq!(node["resource_class"], "found");
    machine.rests().await;
    assert_eq!(
        ports(machine, &lab).await,
        [("52:54:00:00:00:02".to_owned(), true)]
    );
    let kept = lab
        .client
        .get(&machine.path("/inventory"))
        .await
        .expect(200)
        .json();
    assert_eq!(kept["plugin_data"]["auto_discovered"], true);
    // It is known now, and nobody inspects it.
    lab.client.post(PATH, body).await.expect(404);
    // Failures are told and leave it where it is.
    let mut other = inventory();
    other["interfaces"] = json!([{"name": "eth0", "mac_address": "52:54:00:00:00:77"}]);
    other.as_object_mut().unwrap().remove("boot");
    let body = json!({"inventory": other, "error": "boom"});
    let answer = lab.client.post(PATH, body).await.expect(202).json();
    let failed = lab.machine(answer["node"]["uuid"].as_str().unwrap());
    let node = failed
        .until("failed", |node| Some(!node["last_error"].is_null()))
        .await;
    assert_eq!(node["provision_state"], "enroll");
    lab.stop().await;
}

/// A lab where unknown machines become nodes, so many at most.
async fn discovering(engine: Engine, limit: u32) -> Lab {
    let mut options = options();
    options.conductor.inspection.auto_discovery = true;
    options.api.auto_discovery = Some("fake-hardware".into());
    options.api.discovery = Arc::new(DiscoveryGate::new(limit));
    let default = Some("agent".into());
    options
        .hardware
        .set_default(InterfaceKind::Inspect, default);
    Lab::with(engine, options).await
}

/// What an unknown machine reports; its last byte tells machines apart.
fn unknown(machine: u8) -> Value {
    let mut found = inventory();
    let mac = format!("52:54:00:00:0a:{machine:02x}");
    found["interfaces"] = json!([{"name": "eth0", "mac_address": mac}]);
    found.as_object_mut().unwrap().remove("boot");
    json!({"inventory": found})
}

async fn names_of_nodes(lab: &Lab) -> usize {
    let nodes = lab.client.get("/v1/nodes").await.expect(200).json();
    nodes["nodes"].as_array().unwrap().len()
}

async fn only_so_many_unknown_machines_become_nodes(engine: Engine) {
    let lab = discovering(engine, 2).await;
    // Nodes that a user enrolled do not count.
    lab.enroll(json!({})).await;
    let mut found = Vec::new();
    for machine in 1..=2 {
        let answer = lab.client.post(PATH, unknown(machine)).await.expect(202);
        let id = answer.json()["node"]["uuid"].as_str().unwrap().to_owned();
        lab.machine(&id).rests().await;
        found.push(id);
    }
    // The answer is the same as for any unknown machine.
    lab.client.post(PATH, unknown(3)).await.expect(404);
    assert_eq!(names_of_nodes(&lab).await, 3);
    // A node that left enroll makes room for another.
    let seen = lab.machine(&found[0]);
    seen.asks("manage").await.reaches(S::Manageable).await;
    lab.client.post(PATH, unknown(3)).await.expect(202);
    lab.client.post(PATH, unknown(4)).await.expect(404);
    assert_eq!(names_of_nodes(&lab).await, 4);
    lab.stop().await;
}

async fn reports_of_unknown_machines_are_small(engine: Engine) {
    let lab = discovering(engine, 100).await;
    let large = |mut report: Value, bytes: usize| {
        report["padding"] = json!("");
        let rest = bytes - report.to_string().len();
        report["padding"] = json!("x".repeat(rest));
        assert_eq!(report.to_string().len(), bytes);
        report
    };
    const MIB: usize = 1 << 20;
    let refused = lab.client.post(PATH, large(unknown(1), MIB + 1)).await;
    assert_eq!(
        refused.expect(413).fault(),
        "The inspection data of an unknown machine is too large."
    );
    assert_eq!(names_of_nodes(&lab).await, 0);
    let taken = lab.client.post(PATH, large(unknown(1), MIB)).await;
    let id = taken.expect(202).json()["node"]["uuid"].clone();
    lab.machine(id.as_str().unwrap()).rests().await;
    assert_eq!(names_of_nodes(&lab).await, 1);
    // A machine that is being inspected may say more.
    let known = waiting(&lab, json!({})).await;
    let mut report = json!({"inventory": inventory()});
    report["inventory"]["interfaces"] = json!([{"name": "eth0", "mac_address": MAC}]);
    report["inventory"].as_object_mut().unwrap().remove("boot");
    let path = format!("{PATH}?node_uuid={}", known.id);
    let large = large(report, 3 * MIB);
    lab.client.post(&path, large).await.expect(202);
    known.reaches(S::Manageable).await;
    lab.stop().await;
}

async fn an_interface_without_reports_fails(engine: Engine) {
    let lab = lab(engine).await;
    let body = json!({"inspect_interface": "fake", "driver_info": {"fake_wait": "inspect"}});
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    let path = format!("{PATH}?node_uuid={}", machine.id);
    lab.client
        .post(&path, json!({"inventory": inventory()}))
        .await
        .expect(202);
    let node = machine.reaches(S::InspectFailed).await;
    assert_eq!(
        node["last_error"],
        "Async execution of continue_inspection failed with error: Driver fake-hardware does not support continue_inspection (disabled or not implemented)."
    );
    lab.stop().await;
}

async fn a_boot_that_must_be_managed_is_refused(engine: Engine) {
    let mut options = options();
    options.hardware.agent.require_managed_boot = true;
    let lab = Lab::with(engine, options).await;
    let machine = manageable(&lab, json!({})).await;
    let refused = machine
        .provision(json!({"target": "inspect"}))
        .await
        .expect(400);
    let text =
        "Driver fake-hardware does not support validate_inspection (disabled or not implemented).";
    assert!(refused.fault().contains(text), "{}", refused.fault());
    lab.stop().await;
}

async fn reports_survive_a_restart(engine: Engine) {
    let mut first = options();
    first.conductor.graceful_shutdown_timeout = Duration::from_millis(10);
    let lab = Lab::with(engine, first).await;
    let machine = waiting(&lab, json!({})).await;
    let id = machine.id.to_string();
    // A rule that calls somebody who takes his time.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let call = json!({"op": "api-call", "args": {"url": url, "timeout": 600, "retries": 0}});
    rule(&lab, json!({"actions": [call]})).await;
    report(&lab, json!({"inventory": inventory()})).await;
    let (_unanswered, _) = listener.accept().await.unwrap();
    let database = lab.stop().await;

    let lab = Lab::on(database, options()).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = [0; 1024];
    assert_ne!(stream.read(&mut request).await.unwrap(), 0);
    let answer = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    stream.write_all(answer).await.unwrap();
    let machine = lab.machine(&id);
    machine.reaches(S::Manageable).await;
    let kept = lab
        .client
        .get(&machine.path("/inventory"))
        .await
        .expect(200)
        .json();
    assert_eq!(kept["inventory"], inventory());
    lab.stop().await;
}

async fn ports_and_data_follow_the_configuration(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.yaml");
    std::fs::write(
        &file,
        "- actions:\n  - op: set-attribute\n    args: [extra/built_in, true]\n",
    )
    .unwrap();
    let mut options = options();
    let settings = &mut options.conductor.inspection;
    settings.hooks = Hook::list("validate-interfaces,ports,memory").unwrap();
    settings.keep_ports = KeepPorts::Added;
    settings.keep_data = false;
    settings.power_off = false;
    settings.built_in_rules = Some(file.clone());
    let lab = Lab::with(engine, options).await;
    let machine = waiting(&lab, json!({})).await;
    report(&lab, json!({"inventory": inventory()})).await;
    let node = machine.reaches(S::Manageable).await;
    assert_eq!(node["properties"], json!({"memory_mb": 1024}));
    assert_eq!(node["extra"], json!({"built_in": true}));
    assert_eq!(node["power_state"], "power on");
    assert_eq!(
        ports(machine, &lab).await,
        [("52:54:00:00:00:02".to_owned(), true)]
    );
    lab.client
        .get(&machine.path("/inventory"))
        .await
        .expect(404);
    // A file that cannot be read stops inspections rather than being passed over.
    std::fs::remove_file(&file).unwrap();
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    report(&lab, json!({"inventory": inventory()})).await;
    let node = machine.reaches(S::InspectFailed).await;
    assert!(
        node["last_error"]
            .as_str()
            .unwrap()
            .contains("Built-in rules file")
    );
    lab.stop().await;
}

async fn an_abort_forgets_the_addresses(engine: Engine) {
    let lab = lab(engine).await;
    let machine = waiting(&lab, json!({"driver_info": {"ipmi_address": "192.0.2.77"}})).await;
    machine.asks("abort").await;
    let node = machine.reaches(S::InspectFailed).await;
    assert_eq!(node["last_error"], "Inspection was aborted by request.");
    assert_eq!(node["power_state"], "power off");
    assert_eq!(
        node["driver_internal_info"].get("lookup_bmc_addresses"),
        None
    );
    lab.client
        .post(PATH, json!({"inventory": inventory()}))
        .await
        .expect(404);
    lab.stop().await;
}
