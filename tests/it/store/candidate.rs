//! What periodic passes read of nodes.

use super::{holder, insert, new_node};
use crate::database::{Database, Engine};
use serde_json::json;
use store::candidate::{CandidateQuery, stretch, with_key};
use types::{
    InterfaceKind, Node, NodeId, PowerState, PowerTarget, ProvisionState as S, node::NodeFault,
};

every_engine!(
    candidates_come_in_stretches_and_in_order,
    each_pass_gets_the_nodes_it_wants,
    a_candidate_has_what_its_hardware_needs,
    keys_are_found_in_waiting_nodes,
);

fn active() -> Node {
    let mut node = new_node();
    node.provision_state = S::Active;
    node
}

async fn candidates_come_in_stretches_and_in_order(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut made = Vec::new();
    for n in 0..7 {
        let mut node = active();
        node.conductor_group = if n == 2 { "other" } else { "" }.into();
        made.push(insert(&db, node).await.id);
    }
    let theirs = made.remove(2);
    let (mut found, mut rows, mut last) = (Vec::new(), Vec::new(), 0);
    loop {
        let mine = |_, _: &str, group: &str| group.is_empty();
        let page = stretch(&db, CandidateQuery::PowerSync, last, 3, mine)
            .await
            .unwrap();
        found.extend(page.candidates.into_iter().map(|c| c.node.id));
        rows.push(page.rows);
        last = page.last;
        if page.is_end {
            break;
        }
    }
    assert_eq!(found, made);
    assert_eq!(rows, [3, 3, 1], "those of others count as rows");
    let only = move |id: NodeId, _: &str, _: &str| id == theirs;
    let page = stretch(&db, CandidateQuery::PowerSync, 0, 7, only)
        .await
        .unwrap();
    assert_eq!(page.candidates[0].node.id, theirs);
    assert!(!page.is_end, "there may be more behind a full page");
}

async fn each_pass_gets_the_nodes_it_wants(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    type Change = (&'static str, fn(&mut Node));
    let changes: [Change; 8] = [
        ("active", |_| {}),
        ("available", |node| node.provision_state = S::Available),
        ("enroll", |node| node.provision_state = S::Enroll),
        ("maintenance", |node| node.maintenance = true),
        ("power failure", |node| {
            node.maintenance = true;
            node.fault = Some(NodeFault::Power);
        }),
        ("clean failure", |node| {
            node.maintenance = true;
            node.fault = Some(NodeFault::Clean);
        }),
        ("switching", |node| {
            node.target_power_state = Some(PowerTarget::On);
        }),
        ("held", |_| {}),
    ];
    for (name, change) in changes {
        let mut node = active();
        node.name = Some(name.into());
        change(&mut node);
        let node = insert(&db, node).await;
        if name == "held" {
            store::lease::take(&db, node, &holder("c", 1))
                .await
                .unwrap();
        }
    }
    let all = CandidateQuery::Sensors { undeployed: true };
    let deployed = CandidateQuery::Sensors { undeployed: false };
    for (wanted, expected) in [
        (CandidateQuery::PowerSync, vec!["active", "available"]),
        (CandidateQuery::PowerRecovery, vec!["power failure"]),
        (deployed, vec!["active", "switching", "held"]),
        (
            all,
            vec!["active", "available", "enroll", "switching", "held"],
        ),
    ] {
        let page = stretch(&db, wanted, 0, 100, |_, _, _| true).await.unwrap();
        let names = page.candidates.into_iter().map(|c| c.node.name.unwrap());
        assert_eq!(names.collect::<Vec<_>>(), expected, "{wanted:?}");
        assert!(page.is_end);
    }
}

async fn a_candidate_has_what_its_hardware_needs(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut node = active();
    node.name = Some("n".into());
    node.instance_uuid = Some("5e1fbb4d-0b0d-4d0f-8a4e-000000000001".into());
    node.driver_info = super::map(json!({"ipmi_password": "secret", "ipmi_address": "h"}));
    node.driver_internal_info = super::map(json!({"k": 1})).into();
    node.properties = super::map(json!({"vendor": "v"}));
    node.instance_info = super::map(json!({"power_interface": "p", "image_source": "i"}));
    node.power_state = Some(PowerState::Off);
    node.disable_power_off = Some(true);
    node.boot_mode = Some("uefi".into());
    node.secure_boot = Some(true);
    node.health = Some("OK".into());
    node.interfaces.set(InterfaceKind::Power, "ipmitool");
    node.interfaces.set(InterfaceKind::Management, "noop");
    let stored = insert(&db, node).await;
    let mut plain = active();
    plain.instance_info = super::map(json!({"image_source": "i"}));
    insert(&db, plain).await;

    let page = stretch(&db, CandidateQuery::PowerSync, 0, 10, |_, _, _| true).await;
    let mut found = page.unwrap().candidates.into_iter();
    let (first, second) = (found.next().unwrap(), found.next().unwrap());
    let found = first.node;
    assert_eq!(first.version, stored.version);
    assert_eq!(
        (found.id, found.row, &found.name),
        (stored.id, stored.row, &stored.name)
    );
    assert_eq!(found.instance_uuid, stored.instance_uuid);
    assert_eq!(
        found.driver_info, stored.driver_info,
        "sealed as it is stored"
    );
    let opened = db
        .keys()
        .open_map(&found.driver_info, &found.id.to_string());
    assert_eq!(opened.unwrap()["ipmi_password"], "secret");
    assert_eq!(found.driver_internal_info, stored.driver_internal_info);
    assert_eq!(found.properties, stored.properties);
    assert_eq!(found.instance_info, stored.instance_info);
    assert_eq!(found.power_state, stored.power_state);
    assert_eq!(found.provision_state, stored.provision_state);
    assert!(found.stays_on());
    assert_eq!(
        (&found.boot_mode, found.secure_boot, &found.health),
        (&stored.boot_mode, stored.secure_boot, &stored.health)
    );
    assert_eq!(found.interfaces.get(InterfaceKind::Power), "ipmitool");
    assert_eq!(found.interfaces.get(InterfaceKind::Management), "noop");
    assert!(
        second.node.instance_info.is_empty(),
        "it chooses no interface"
    );
}

async fn keys_are_found_in_waiting_nodes(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut waiting = Vec::new();
    for (state, info) in [
        (S::CleanWait, json!({"due": "now", "more": 1})),
        (S::CleanWait, json!({"other": "due"})),
        (S::Active, json!({"due": "now"})),
    ] {
        let mut node = new_node();
        node.provision_state = state;
        node.driver_internal_info = super::map(info).into();
        waiting.push(insert(&db, node).await);
    }
    let states = [S::CleanWait, S::DeployWait];
    let found = with_key(&db, &states, "due", |_, _, _| true).await.unwrap();
    let expected = waiting.remove(0);
    assert_eq!(found, [(expected.id, expected.driver_internal_info)]);
    let nobody = with_key(&db, &states, "due", |_, _, _| false).await;
    assert_eq!(nobody.unwrap(), []);
}
