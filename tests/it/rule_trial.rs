//! Trying inspection rules, and the steps and operators that recipes are written of.

use crate::{
    database::Engine,
    lab::{Lab, Machine, Options},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use types::{InterfaceKind, ProvisionState as S};

every_engine!(
    a_rule_is_tried_and_nothing_happens,
    a_trial_shows_no_secrets,
    steps_and_operators_are_told,
);

const TRY: &str = "/corten/v1/inspection_rules/try";
const MAC: &str = "52:54:00:00:00:01";

/// A machine that was inspected.
async fn inspected(lab: &Lab) -> Machine<'_> {
    let body = json!({
        "inspect_interface": "agent", "name": "m1",
        "driver_info": {"ipmi_password": "bmc-secret"},
    });
    let machine = lab.enroll(body).await;
    machine.asks("manage").await.reaches(S::Manageable).await;
    let port = json!({"address": MAC, "node_uuid": machine.id.to_string()});
    lab.client.post("/v1/ports", port).await.expect(201);
    machine.asks("inspect").await.reaches(S::InspectWait).await;
    let found = json!({"inventory": {
        "interfaces": [{"name": "eth0", "mac_address": MAC}],
        "cpu": {"architecture": "x86_64", "count": 4},
        "memory": {"physical_mb": 1024}, "disks": [], "bmc_password": "hidden",
    }});
    lab.client
        .post("/v1/continue_inspection", found)
        .await
        .expect(202);
    machine.reaches(S::Manageable).await;
    machine
}

async fn lab(engine: Engine) -> Lab {
    let mut options = Options::default();
    let names = ["agent", "fake"].map(str::to_owned).to_vec();
    options
        .hardware
        .enable_interfaces(InterfaceKind::Inspect, names);
    options.hardware.agent.require_managed_boot = false;
    Lab::with(engine, options).await
}

fn act(op: &str, args: Value) -> Value {
    json!({"op": op, "args": args})
}

async fn tried(lab: &Lab, body: Value) -> Value {
    lab.client.post(TRY, body).await.expect(200).json()
}

async fn a_rule_is_tried_and_nothing_happens(engine: Engine) {
    let lab = lab(engine).await;
    let machine = inspected(&lab).await;
    let before = machine.show().await;
    let events = "/corten/v1/events?after=0&limit=1000";
    let newest = lab.client.get(events).await.expect(200).json()["next"].clone();
    // Whoever calls here would be heard.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let rule = json!({
        "conditions": [
            act("eq", json!({"values": ["{inventory[cpu][architecture]}", "x86_64"]})),
            act("gt", json!({"values": ["{inventory[cpu][count]}", "2"]})),
        ],
        "actions": [
            act("set-attribute", json!({"path": "resource_class", "value": "bm-{inventory[cpu][count]}"})),
            act("add-trait", json!({"name": "CUSTOM_SEEN"})),
            act("log", json!({"msg": "seen {node.name}"})),
            act("api-call", json!({"url": url})),
            act("set-plugin-data", json!({"path": "a.b", "value": 1})),
        ],
    });
    let report = tried(&lab, json!({"node": "m1", "rule": rule})).await;
    assert_eq!(report["error"], Value::Null);
    let [one] = report["rules"].as_array().unwrap().as_slice() else {
        panic!("{report}");
    };
    assert_eq!(one["applies"], true);
    assert_eq!(
        one["conditions"][0]["seen"][0]["values"],
        json!(["x86_64", "x86_64"])
    );
    assert_eq!(
        one["actions"][2]["effects"],
        json!(["would log (info): seen m1"])
    );
    let calls = one["actions"][3]["effects"][0].as_str().unwrap();
    assert_eq!(calls, format!("would call GET {url}"));
    let change = |subject: &str, path: &str| {
        let changes = report["changes"].as_array().unwrap();
        let found = changes
            .iter()
            .find(|one| one["subject"] == subject && one["path"] == path);
        found.unwrap_or_else(|| panic!("no {path} in {report}"))["after"].clone()
    };
    assert_eq!(change("node", "resource_class"), "bm-4");
    assert_eq!(change("node", "traits"), json!(["CUSTOM_SEEN"]));
    assert_eq!(change("plugin_data", "a"), json!({"b": 1}));
    // Nothing of it has happened.
    assert_eq!(machine.show().await, before);
    let now = lab.client.get(events).await.expect(200).json()["next"].clone();
    assert_eq!(now, newest);

    // One that does not hold changes nothing, and all conditions are judged.
    let rule = json!({
        "conditions": [
            act("!eq", json!({"values": ["{inventory[cpu][architecture]}", "x86_64"]})),
            act("matches", json!({"value": "{node.name}", "regex": "m["})),
        ],
        "actions": [act("fail", json!({"msg": "no"}))],
    });
    let report = tried(&lab, json!({"node": "m1", "rule": rule})).await;
    let one = &report["rules"][0];
    assert_eq!(one["applies"], false);
    assert_eq!(one["conditions"][0]["holds"], false);
    assert_eq!(one["conditions"][1]["holds"], Value::Null);
    assert_eq!(one["actions"][0]["done"], false);
    assert_eq!(report["changes"], json!([]));
    assert_eq!(report["error"], Value::Null);

    // One that fails says how the inspection would end.
    let rule = json!({"actions": [act("fail", json!({"msg": "wrong rack"}))]});
    let report = tried(&lab, json!({"node": "m1", "rule": rule})).await;
    assert!(report["error"].as_str().unwrap().contains("wrong rack"));

    // All that are stored run in their order, each on what the one before left.
    for (priority, value) in [(1, "low-{node.resource_class}"), (9, "high")] {
        let set = act(
            "set-attribute",
            json!({"path": "resource_class", "value": value}),
        );
        let rule = json!({"priority": priority, "conditions": [], "actions": [set]});
        lab.client
            .post("/v1/inspection_rules", rule)
            .await
            .expect(201);
    }
    let report = tried(&lab, json!({"node": "m1"})).await;
    let last = report["changes"].as_array().unwrap().iter();
    let last = last.filter(|one| one["path"] == "resource_class");
    let last: Vec<_> = last.map(|one| one["after"].clone()).collect();
    assert_eq!(last, ["low-high"]);

    // Without an inventory there is nothing to try on.
    lab.enroll(json!({"name": "m2"})).await;
    let answer = lab.client.post(TRY, json!({"node": "m2"})).await;
    assert!(answer.expect(404).fault().contains("Inspect it first"));
    lab.stop().await;
}

async fn a_trial_shows_no_secrets(engine: Engine) {
    let lab = lab(engine).await;
    inspected(&lab).await;
    let stolen = json!([
        act(
            "set-attribute",
            json!({"path": "extra/a", "value": "{node.driver_info[ipmi_password]}"})
        ),
        act(
            "set-attribute",
            json!({"path": "extra/b", "value": "{inventory[bmc_password]}"})
        ),
        act(
            "set-attribute",
            json!({"path": "driver_info/ipmi_password", "value": "bmc-other"})
        ),
        act("fail", json!({"msg": "{node.driver_info}"})),
    ]);
    let seen = json!([act("!is-empty", json!({"value": "{node.driver_info}"}))]);
    let sensitive = json!({
        "sensitive": true, "description": "d",
        "conditions": [act("!is-empty", json!({"value": "of the rule"}))],
        "actions": [act("set-attribute", json!({"path": "extra/c", "value": "of the rule"}))],
    });
    let stored = lab.client.post("/v1/inspection_rules", sensitive).await;
    let uuid = stored.expect(201).json()["uuid"].clone();
    let draft = json!({"conditions": seen, "actions": stolen, "sensitive": true});
    for (body, secrets) in [
        (
            json!({"node": "m1", "rule": draft}),
            &["bmc-secret", "hidden", "bmc-other"][..],
        ),
        (json!({"node": "m1", "uuid": uuid}), &["of the rule"]),
        (json!({"node": "m1"}), &["of the rule"]),
    ] {
        let shown = tried(&lab, body).await.to_string();
        for secret in secrets {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
        assert!(shown.contains("\"applies\":true"), "{shown}");
    }
    lab.stop().await;
}

async fn steps_and_operators_are_told(engine: Engine) {
    let lab = lab(engine).await;
    let steps = lab.client.get("/corten/v1/steps").await.expect(200).json();
    assert_eq!(steps["drivers"], json!(["fake-hardware"]));
    let steps = steps["steps"].as_array().unwrap();
    let find = |kind: &str, name: &str| {
        let found = steps.iter().find(|step| {
            let full = format!(
                "{}.{}",
                step["interface"].as_str().unwrap(),
                step["step"].as_str().unwrap()
            );
            step["kind"] == kind && full == name
        });
        found.unwrap_or_else(|| panic!("no {name} in {steps:?}"))
    };
    let bios = find("clean", "bios.apply_configuration");
    assert_eq!(bios["args"][0]["name"], "settings");
    assert_eq!(bios["drivers"], json!(["fake-hardware"]));
    assert_eq!(find("clean", "power.wait")["args"][0]["name"], "seconds");
    let unknown = lab.client.get("/corten/v1/steps?driver=none").await;
    unknown.expect(404);
    let path = "/corten/v1/inspection_rules/operators";
    let known = lab.client.get(path).await.expect(200).json();
    assert_eq!(known["conditions"].as_array().unwrap().len(), 11);
    assert_eq!(known["actions"].as_array().unwrap().len(), 16);

    // The rest of what an operator looks at, as far as a lab has it.
    let caches = lab.client.get("/corten/v1/image-caches").await.expect(200);
    assert_eq!(caches.json()["conductors"][0]["error"], Value::Null);
    let boot = lab
        .client
        .get("/corten/v1/boot?q=x&limit=5")
        .await
        .expect(200);
    assert_eq!(boot.json()["conductors"][0]["leases_total"], 0);
    let nobody = lab.client.get("/corten/v1/boot?conductor=nobody").await;
    nobody.expect(404);
    lab.client.get("/corten/v1/config").await.expect(200);
    lab.stop().await;
}
