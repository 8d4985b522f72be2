//! A conductor dies in the middle of everything, and another one goes on.

use super::{
    journal::{check_order, check_overlap},
    team::{Member, Team, active, available, manageable},
};
use crate::{database::Engine, lab::Options};
use serde_json::{Value, json};
use std::time::Duration;
use store::node::Log;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    every_flow_goes_on_or_fails_with_a_reason,
    what_waits_times_out_at_its_new_owner,
    a_search_for_a_machine_goes_on,
    a_dead_conductor_that_comes_back_takes_nothing_twice,
);

fn log_step() -> Value {
    json!({"interface": "vendor", "step": "log_passthrough"})
}

/// Hardware that never gets done.
fn slow(mut options: Options) -> Options {
    for kind in [K::Inspect, K::Deploy, K::Rescue, K::Power, K::Vendor] {
        let fake = &mut options.hardware.fake;
        fake.set_delay(kind, "3600".parse().unwrap());
    }
    // It would take machines over for an hour each.
    options.conductor.sync_local_state_interval = Duration::ZERO;
    options
}

async fn every_flow_goes_on_or_fails_with_a_reason(engine: Engine) {
    let team = Team::new(engine);
    let heir = team.join("heir").await;
    let verifying = heir.enroll(json!({})).await;
    let inspecting = manageable(&team, &heir).await;
    let deploying = available(&team, &heir).await;
    let cleaning = manageable(&team, &heir).await;
    let providing = manageable(&team, &heir).await;
    let rescuing = active(&team, &heir).await;
    let deleting = active(&team, &heir).await;
    let servicing = active(&team, &heir).await;
    let powering = manageable(&team, &heir).await;
    let rebooting = manageable(&team, &heir).await;
    let parent = manageable(&team, &heir).await;
    let child = heir.enroll(json!({"parent_node": parent})).await;
    heir.asks(child, "manage").await;
    team.reaches(child, S::Manageable).await;

    let mut doomed = team.join_with("doomed", slow(team.options("doomed"))).await;
    doomed.asks(verifying, "manage").await;
    doomed.asks(inspecting, "inspect").await;
    doomed.asks(deploying, "active").await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    doomed.asks_with(cleaning, clean).await;
    let on_children = json!({
        "interface": "vendor", "step": "log_passthrough", "execute_on_child_nodes": true,
    });
    let clean = json!({"target": "clean", "clean_steps": [on_children], "disable_ramdisk": true});
    doomed.asks_with(parent, clean).await;
    doomed.asks(providing, "provide").await;
    let rescue = json!({"target": "rescue", "rescue_password": "pw"});
    doomed.asks_with(rescuing, rescue).await;
    doomed.asks(deleting, "deleted").await;
    let service = json!({"target": "service", "service_steps": [log_step()]});
    doomed.asks_with(servicing, service).await;
    doomed.power(powering, "power on").await;
    doomed.power(rebooting, "rebooting").await;
    let mine = "SELECT COUNT(*) FROM nodes WHERE reservation = 'doomed'";
    // Providing without cleaning is over at once; what the child does belongs to its parent.
    assert!(team.database.number(mine) >= 10);
    team.called(inspecting, "inspect.inspect").await;
    doomed.kill();

    for (id, state) in [
        (verifying, S::Manageable),
        (inspecting, S::Manageable),
        (deploying, S::Active),
        (cleaning, S::Manageable),
        (rescuing, S::Rescue),
        (deleting, S::Available),
        (servicing, S::Active),
        (powering, S::Manageable),
    ] {
        let node = team.reaches(id, state).await;
        assert_eq!(node.last_error, None, "{node:#?}");
        assert_eq!(node.target_power_state, None);
        let told = team.told(id).await.join("\n");
        assert!(told.contains("in place of doomed"), "{told}");
    }
    let node = team.rests(rebooting).await;
    let error = node.last_error.unwrap();
    let expected = "Pending power operation (rebooting) was aborted due to conductor take over: ";
    assert!(error.starts_with(expected), "{error}");
    assert_eq!(node.target_power_state, None);
    let node = team.rests(parent).await;
    assert_eq!(node.provision_state, S::CleanFailed);
    assert!(node.maintenance, "a step may have left anything behind");
    let error = node.last_error.unwrap();
    let expected = "Operation was aborted due to conductor take over: ";
    assert!(error.starts_with(expected), "{error}");
    team.rests(child).await;
    team.rests(providing).await;
    let lines = team.journal();
    check_order(&lines);
    check_overlap(&lines);
    let by_heir = lines.iter().filter(|line| line.who == "heir").count();
    assert!(by_heir > 20, "the witness saw only {by_heir} lines");
}

/// Nobody holds a lease while a ramdisk is waited for; it is the new owner who must notice that it
/// never comes.
async fn what_waits_times_out_at_its_new_owner(engine: Engine) {
    let team = Team::new(engine);
    let mut doomed = team.join("doomed").await;
    let waits = |operation: &str| json!({"driver_info": {"fake_wait": operation}});
    let ready = async |by: &Member, operation: &str, verbs: &[(&str, S)]| {
        let id = by.enroll(waits(operation)).await;
        for (verb, state) in verbs {
            by.asks(id, verb).await;
            team.reaches(id, *state).await;
        }
        id
    };
    let to_active = [
        ("manage", S::Manageable),
        ("provide", S::Available),
        ("active", S::Active),
    ];
    let cleaning = ready(&doomed, "log_passthrough", &to_active[..1]).await;
    let clean = json!({"target": "clean", "clean_steps": [log_step()]});
    doomed.asks_with(cleaning, clean).await;
    let deploying = ready(&doomed, "deploy.deploy", &to_active[..2]).await;
    doomed.asks(deploying, "active").await;
    let inspecting = ready(&doomed, "inspect", &to_active[..1]).await;
    doomed.asks(inspecting, "inspect").await;
    let rescuing = ready(&doomed, "rescue", &to_active).await;
    let rescue = json!({"target": "rescue", "rescue_password": "pw"});
    doomed.asks_with(rescuing, rescue).await;
    let servicing = ready(&doomed, "service.log_passthrough", &to_active).await;
    let service = json!({"target": "service", "service_steps": [log_step()]});
    doomed.asks_with(servicing, service).await;
    let waiting = [
        (cleaning, S::CleanWait, S::CleanFailed),
        (deploying, S::DeployWait, S::DeployFailed),
        (inspecting, S::InspectWait, S::InspectFailed),
        (rescuing, S::RescueWait, S::RescueFailed),
        (servicing, S::ServiceWait, S::ServiceFailed),
    ];
    for (id, state, _) in waiting {
        team.reaches(id, state).await;
    }
    doomed.kill();

    let mut options = team.options("heir");
    let (soon, often) = (Duration::from_secs(1), Duration::from_millis(200));
    options.conductor.clean_callback_timeout = soon;
    options.conductor.deploy_callback_timeout = soon;
    options.conductor.inspect_wait_timeout = soon;
    options.conductor.rescue_callback_timeout = soon;
    options.conductor.service_callback_timeout = soon;
    options.conductor.check_provision_state_interval = often;
    options.conductor.check_rescue_state_interval = often;
    let _heir = team.join_with("heir", options).await;
    for (id, _, state) in waiting {
        let node = team
            .until(id, "its time-out", |node| {
                Some(node.provision_state == state && node.reservation.is_none())
            })
            .await;
        let error = node.last_error.unwrap();
        assert!(error.starts_with("Timeout reached"), "{error}");
    }
}

/// The conductor that looked for a machine died before it found one.
async fn a_search_for_a_machine_goes_on(engine: Engine) {
    let team = Team::new(engine);
    let heir = team.join("heir").await;
    let id = heir
        .enroll(json!({"name": "m1", "resource_class": "gold"}))
        .await;
    heir.asks(id, "manage").await;
    team.reaches(id, S::Manageable).await;
    heir.power(id, "power off").await;
    team.rests(id).await;
    heir.asks(id, "provide").await;
    team.reaches(id, S::Available).await;
    let dead = store::member::register(
        &team.db,
        store::member::Registration {
            hostname: "dead".into(),
            conductor_group: String::new(),
            drivers: vec!["fake-hardware".into()],
            interfaces: Vec::new(),
            url: None,
        },
    )
    .await
    .unwrap();
    let mut found = Vec::new();
    for class in ["gold", "silver"] {
        let made = types::Allocation {
            resource_class: Some(class.into()),
            holder: Some(dead.clone()),
            ..types::Allocation::new(types::AllocationId::generate())
        };
        let made = store::allocation::insert(&team.db, made, Log::default())
            .await
            .unwrap();
        let settled = loop {
            let seen = store::event::newest(&team.db).await.unwrap();
            let now = store::allocation::find(&team.db, &made.id).await.unwrap();
            let now = now.unwrap();
            if now.state != types::allocation::AllocationState::Allocating {
                break now;
            }
            store::event::wait(&team.db, seen, Duration::from_millis(100))
                .await
                .unwrap();
        };
        found.push(settled);
    }
    assert_eq!(found[0].node, Some(id), "{:?}", found[0]);
    let error = found[1].last_error.as_deref().unwrap();
    assert!(error.contains("no available nodes match"), "{error}");
}

/// The old name comes back while its work is being done elsewhere.
async fn a_dead_conductor_that_comes_back_takes_nothing_twice(engine: Engine) {
    let team = Team::new(engine);
    let heir = team.join("heir").await;
    let mut nodes = Vec::new();
    for _ in 0..6 {
        nodes.push(available(&team, &heir).await);
    }
    let mut doomed = team.join_with("doomed", slow(team.options("doomed"))).await;
    for &id in &nodes {
        doomed.asks(id, "active").await;
    }
    for &id in &nodes {
        team.called(id, "deploy.prepare").await;
    }
    doomed.kill();
    // Its leases are dead from this moment on, for itself and for the other.
    let doomed = team.join("doomed").await;
    for &id in &nodes {
        let node = team.reaches(id, S::Active).await;
        assert_eq!(node.last_error, None);
        let told = team.told(id).await;
        let resumed = told.iter().filter(|line| line.starts_with("resumed"));
        assert_eq!(resumed.count(), 1, "{told:#?}");
    }
    let (epoch, online) = team.row(doomed.host).await;
    assert!(epoch >= 2 && online);
    let lines = team.journal();
    check_order(&lines);
    check_overlap(&lines);
}
