//! A node goes in and comes out as it was, field by field.

use super::{entry, holder, insert, map, named, new_node, news, stored};
use crate::database::{Database, Engine};
use serde_json::json;
use store::{
    Page, StoreError,
    node::{Children, Column, Columns, Fence, Log, NodeFilter, NodeRow},
};
use types::{
    Chassis, ChassisId, InterfaceKind, Node, NodeId, Port, PortId, PowerState, PowerTarget,
    ProvisionState, Timestamp, Work, interface::Interfaces, node::NodeFault, work::Phase,
};

every_engine!(
    every_field_survives,
    a_full_node_can_be_emptied_again,
    what_is_not_there_is_not_found,
    a_deleted_node_takes_its_belongings_along,
    nodes_in_states_are_found_and_counted,
    a_summary_has_what_the_short_list_shows,
    nodes_that_somebody_else_served_are_found,
);

/// A node with a value in every field. There is no `..` here, so a new field must be added.
async fn full_node(db: &store::Db, id: NodeId, label: &str, at: i64) -> Node {
    let chassis = Chassis::new(ChassisId::generate());
    let chassis = store::chassis::insert(db, chassis, Log::default())
        .await
        .unwrap()
        .id;
    let mut interfaces = Interfaces::default();
    for &kind in InterfaceKind::ALL {
        interfaces.set(kind, format!("{label}-{kind}"));
    }
    let text = |field: &str| Some(format!("{label} {field} Grüße \u{1f40d}"));
    let json = |field: &str| map(json!({"z": field, "a": {"deep": [1, 2.5, null, label]}}));
    Node {
        row: 0,
        id,
        version: 0,
        created_at: Timestamp(at),
        updated_at: Some(Timestamp(at + 1)),
        name: Some(format!("{label}-name")),
        driver: format!("{label}-driver"),
        driver_info: map(json!({"address": "192.0.2.1", "ipmi_password": label})),
        driver_internal_info: map(json!({"agent_secret_token": label, "clean_steps": null})).into(),
        properties: json("properties"),
        extra: json("extra"),
        instance_info: map(json!({"image_source": "http://i/", "configdrive": label})),
        instance_uuid: Some(NodeId::generate().to_string()),
        instance_name: text("instance_name"),
        chassis: Some(chassis),
        conductor_group: format!("{label}-group"),
        resource_class: Some(format!("{label}-class")),
        owner: text("owner"),
        lessee: text("lessee"),
        shard: text("shard"),
        parent_node: Some(NodeId::generate().to_string()),
        description: text("description"),
        power_state: Some(PowerState::On),
        target_power_state: Some(PowerTarget::Reboot),
        provision_state: ProvisionState::UnrescueFailed,
        target_provision_state: Some(ProvisionState::InspectFailed),
        provision_updated_at: Some(Timestamp(at + 2)),
        maintenance: true,
        maintenance_reason: text("maintenance_reason"),
        fault: Some(NodeFault::RescueAbort),
        last_error: text("last_error"),
        reservation: None,
        lease_epoch: 7,
        lease_generation: 9,
        work: Some(Work::Deploy {
            phase: Phase::Steps,
        }),
        console_enabled: true,
        automated_clean: Some(false),
        protected: true,
        protected_reason: text("protected_reason"),
        retired: Some(true),
        retired_reason: text("retired_reason"),
        disable_power_off: Some(true),
        network_data: json("network_data"),
        boot_mode: Some("uefi".into()),
        secure_boot: Some(true),
        interfaces,
        clean_step: json("clean_step"),
        deploy_step: json("deploy_step"),
        service_step: json("service_step"),
        raid_config: json("raid_config"),
        target_raid_config: json("target_raid_config"),
        inspection_started_at: Some(Timestamp(at + 3)),
        inspection_finished_at: Some(Timestamp(at + 4)),
        traits: vec!["CUSTOM_A".into(), "HW_CPU_X86_VMX".into()],
        allocation_uuid: Some(NodeId::generate().to_string()),
        health: Some("OK".into()),
        conductor_affinity: text("conductor_affinity"),
    }
}

/// Compares with the secrets opened; `row` is the database's own.
#[track_caller]
fn assert_same(db: &store::Db, found: &Node, expected: &Node) {
    let subject = found.id.to_string();
    let mut found = found.clone();
    for map in [
        &mut found.driver_info,
        found.driver_internal_info.raw_json_mut(),
        &mut found.instance_info,
    ] {
        *map = db.keys().open_map(map, &subject).unwrap();
    }
    found.row = expected.row;
    assert_eq!(&found, expected);
}

/// A row that is only shown has the same values as the node.
#[track_caller]
fn assert_shown(row: &NodeRow, node: &Node) {
    let expected = NodeRow::of(node);
    let mut compared = 0;
    for name in COLUMNS.split_whitespace() {
        let column = Column::find(name).unwrap();
        assert_eq!(row.text(column), expected.text(column), "{name}");
        assert_eq!(row.int(column), expected.int(column), "{name}");
        compared += usize::from(row.text(column).is_some() || row.int(column).is_some());
    }
    assert!(compared > 50, "{compared}");
}

const COLUMNS: &str = "uuid version created_at updated_at name driver driver_info \
    driver_internal_info properties extra instance_info instance_uuid instance_name chassis_uuid \
    conductor_group resource_class owner lessee shard parent_node description power_state \
    target_power_state provision_state target_provision_state provision_updated_at maintenance \
    maintenance_reason fault last_error reservation console_enabled automated_clean protected \
    protected_reason retired retired_reason disable_power_off network_data boot_mode secure_boot \
    bios_interface boot_interface console_interface deploy_interface firmware_interface \
    inspect_interface management_interface network_interface power_interface raid_interface \
    rescue_interface storage_interface vendor_interface clean_step deploy_step service_step \
    raid_config target_raid_config inspection_started_at inspection_finished_at traits \
    allocation_uuid health";

async fn every_field_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let first = full_node(&db, NodeId::generate(), "first", 1_700_000_000_123_456).await;
    let inserted = insert(&db, first.clone()).await;
    assert_same(&db, &inserted, &first);
    assert!(inserted.row > 0);

    let by_name = store::node::find_by_name(&db, "first-name").await.unwrap();
    assert_eq!(by_name.as_ref(), Some(&inserted));
    assert_eq!(stored(&db, first.id).await, inserted);
    let row = store::node::find_row(&db, first.id).await.unwrap();
    assert_shown(&row.unwrap(), &inserted);
    let row = store::node::find_row_by_name(&db, "first-name").await;
    assert_shown(&row.unwrap().unwrap(), &inserted);
    let page = Page::first(10);
    let listed = store::node::list(&db, NodeFilter::all(), page, Columns::Full).await;
    assert_eq!(listed.unwrap(), std::slice::from_ref(&inserted));

    // Every field changes, so that a column missing in the update would show.
    let mut second = full_node(&db, first.id, "second", 1_600_000_000_000_001).await;
    second.power_state = Some(PowerState::Error);
    second.target_power_state = Some(PowerTarget::On);
    second.provision_state = ProvisionState::DeployWait;
    second.target_provision_state = Some(ProvisionState::Active);
    second.fault = Some(NodeFault::Power);
    second.work = Some(Work::TearDown {
        from: ProvisionState::Rescue,
    });
    second.maintenance = false;
    second.console_enabled = false;
    second.automated_clean = Some(true);
    second.protected = false;
    second.retired = None;
    second.disable_power_off = None;
    second.boot_mode = Some("bios".into());
    second.secure_boot = Some(false);
    second.traits = vec!["CUSTOM_B".into()];
    second.health = Some("CRITICAL".into());
    let saved = store::node::save(&db, second.clone(), Fence::Free, Log::default())
        .await
        .unwrap();
    second.version = 1;
    second.updated_at = saved.updated_at;
    assert!(saved.updated_at > Some(Timestamp(1_700_000_000_000_000)));
    assert_same(&db, &saved, &second);
    assert_same(&db, &stored(&db, first.id).await, &second);
}

async fn a_full_node_can_be_emptied_again(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let full = insert(&db, full_node(&db, NodeId::generate(), "full", 1).await).await;
    let mut empty = Node::new(full.id, "fake-hardware");
    empty.version = full.version;
    store::node::save(&db, empty.clone(), Fence::Free, Log::default())
        .await
        .unwrap();
    let found = stored(&db, full.id).await;
    empty.version += 1;
    empty.updated_at = found.updated_at;
    assert_same(&db, &found, &empty);
    assert_eq!(found.row, full.row);
}

async fn what_is_not_there_is_not_found(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let absent = new_node();
    assert_eq!(store::node::find(&db, absent.id).await.unwrap(), None);
    assert_eq!(
        store::node::find_by_name(&db, "nobody").await.unwrap(),
        None
    );
    for fence in [Fence::Free, Fence::Held, Fence::Release] {
        let refused = store::node::save(&db, absent.clone(), fence, Log::default()).await;
        assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    }
    let refused = store::node::delete(&db, &absent, Log::default()).await;
    assert!(matches!(refused, Err(StoreError::NotFound)), "{refused:?}");
    let mut homeless = new_node();
    homeless.chassis = Some(ChassisId::generate());
    let refused = store::node::insert(&db, homeless, Log::default()).await;
    assert!(
        matches!(refused, Err(StoreError::NoChassis(_))),
        "{refused:?}"
    );
}

async fn a_deleted_node_takes_its_belongings_along(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let (gone, stays) = (
        insert(&db, named("gone")).await,
        insert(&db, named("stays")).await,
    );
    for (node, mac) in [(&gone, "52:54:00:00:00:01"), (&stays, "52:54:00:00:00:02")] {
        let port = Port::new(PortId::generate(), node.id, mac.parse().unwrap());
        let log = Log {
            events: Vec::new(),
            history: vec![entry(node, "went wrong")],
            ..Log::default()
        };
        store::port::insert(&db, port, log).await.unwrap();
    }
    let told = Log::event(news(&gone, json!({"deleted": true})));
    store::node::delete(&db, &gone, told).await.unwrap();
    assert_eq!(store::node::find(&db, gone.id).await.unwrap(), None);
    for (node, expected) in [(&gone, 0), (&stays, 1)] {
        let ports = store::port::of_node(&db, node.id).await.unwrap();
        let history = store::history::list(&db, node.id, Page::first(10)).await;
        assert_eq!(ports.len(), expected);
        assert_eq!(history.unwrap().len(), expected);
    }
    // The event outlives its node.
    let number = "SELECT COUNT(*) FROM events WHERE data = '{\"deleted\":true}'";
    assert_eq!(database.number(number), 1);
    // Name and address are free again.
    let again = insert(&db, named("gone")).await;
    let mac = "52:54:00:00:00:01".parse().unwrap();
    let port = Port::new(PortId::generate(), again.id, mac);
    store::port::insert(&db, port, Log::default())
        .await
        .unwrap();
}

async fn nodes_in_states_are_found_and_counted(engine: Engine) {
    use ProvisionState as S;
    let database = Database::create(engine);
    let db = database.open();
    let mut made = Vec::new();
    for (state, changed, maintenance) in [
        (S::DeployWait, 30, false),
        (S::CleanWait, 10, false),
        (S::DeployWait, 20, false),
        (S::DeployWait, 40, false),
        (S::DeployWait, 5, true),
        (S::Active, 5, false),
    ] {
        let mut node = new_node();
        node.provision_state = state;
        node.provision_updated_at = Some(Timestamp(changed));
        node.maintenance = maintenance;
        made.push(insert(&db, node).await);
    }
    let mut held = new_node();
    held.provision_state = S::DeployWait;
    held.provision_updated_at = Some(Timestamp(1));
    let held = insert(&db, held).await;
    store::lease::take(&db, held, &super::holder("c", 1))
        .await
        .unwrap();

    let late = |state, driver: &'static str| {
        let db = db.clone();
        async move {
            let mine = move |_, found: &str, _: &str| found == driver;
            let found = store::candidate::late(&db, state, Timestamp(40), mine).await;
            found.unwrap()
        }
    };
    let oldest_first = [made[2].id, made[0].id];
    assert_eq!(
        late(S::DeployWait, "fake-hardware").await,
        oldest_first,
        "neither held nor in maintenance nor too young"
    );
    assert_eq!(late(S::CleanWait, "fake-hardware").await, [made[1].id]);
    assert_eq!(late(S::DeployWait, "somebody-elses").await, []);
    let count = |states: &'static [S]| {
        let db = db.clone();
        async move {
            let counted = store::node::count_in_states(&db, states, None);
            counted.await.unwrap()
        }
    };
    let of_group = store::node::count_in_states(&db, &[S::DeployWait], Some("elsewhere"));
    assert_eq!(of_group.await.unwrap(), 0);
    let of_none = store::node::count_in_states(&db, &[S::DeployWait], Some(""));
    assert_eq!(of_none.await.unwrap(), 5);
    assert_eq!(count(&[S::DeployWait]).await, 5);
    assert_eq!(count(&[S::DeployWait, S::Active]).await, 6);
    assert_eq!(count(&[S::Error]).await, 0);
}

async fn a_summary_has_what_the_short_list_shows(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let full = insert(&db, full_node(&db, NodeId::generate(), "full", 1).await).await;
    let children_too = NodeFilter {
        children: Children::Include,
        ..NodeFilter::default()
    };
    let short = store::node::list(&db, children_too, Page::first(1), Columns::Summary)
        .await
        .unwrap()
        .remove(0);
    assert_eq!(
        (short.id, &short.name, &short.instance_uuid, short.row),
        (full.id, &full.name, &full.instance_uuid, full.row)
    );
    assert_eq!(
        (short.maintenance, short.power_state, short.provision_state),
        (full.maintenance, full.power_state, full.provision_state)
    );
    assert_eq!(
        (short.driver, short.conductor_group),
        (full.driver, full.conductor_group)
    );
}

async fn nodes_that_somebody_else_served_are_found(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut ids = Vec::new();
    for (state, console, maintenance, served_by) in [
        (ProvisionState::Active, false, false, Some("a")),
        (ProvisionState::Active, false, false, Some("b")),
        (ProvisionState::Active, false, false, None),
        (ProvisionState::Active, true, true, Some("b")),
        (ProvisionState::Available, false, false, Some("b")),
        (ProvisionState::Available, true, false, Some("b")),
        (ProvisionState::Available, true, false, Some("a")),
    ] {
        let mut node = new_node();
        node.provision_state = state;
        node.console_enabled = console;
        node.maintenance = maintenance;
        node.conductor_affinity = served_by.map(str::to_owned);
        ids.push(insert(&db, node).await.id);
    }
    let unserved = async |all_consoles: bool| -> Vec<usize> {
        let found = store::affinity::unserved(&db, "a", all_consoles)
            .await
            .unwrap();
        let place = |id: NodeId| ids.iter().position(|known| *known == id).unwrap();
        found.iter().map(|one| place(one.node)).collect()
    };
    assert_eq!(unserved(false).await, [1, 2, 5]);
    assert_eq!(unserved(true).await, [1, 2, 5, 6]);
    let taken = stored(&db, ids[1]).await;
    store::lease::take(&db, taken, &holder("b", 1))
        .await
        .unwrap();
    assert_eq!(unserved(false).await, [2, 5]);
    let served = store::affinity::served_by(&db, "a").await.unwrap();
    assert_eq!(served, [ids[0], ids[6]]);
}
