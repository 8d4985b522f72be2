//! What a conductor keeps for a machine besides its row moves with the machine.

use super::team::{Member, PATIENCE, Team, active, manageable};
use crate::{agent::place::AgentHome, database::Engine, lab::Options};
use serde_json::json;
use std::time::Duration;
use types::{NodeId, ProvisionState as S};

every_engine!(
    machines_in_use_and_consoles_are_taken_over,
    what_cannot_be_taken_over_is_told_once_and_tried_again,
    consoles_are_restored_at_the_start,
    boot_files_move_with_their_machine,
);

fn syncing(mut options: Options) -> Options {
    options.conductor.sync_local_state_interval = Duration::from_millis(200);
    options
}

async fn console_on(team: &Team, by: &Member, id: NodeId) {
    let on = json!({"enabled": true});
    by.put(id, "/states/console", on).await.expect(202);
    team.until(id, "its console", |node| {
        Some(node.console_enabled && node.reservation.is_none())
    })
    .await;
}

fn operations(team: &Team, who: &str, id: NodeId) -> Vec<String> {
    let lines = team.journal().into_iter();
    let own = lines.filter(|line| line.begins && line.who == who && line.node == id);
    own.map(|line| line.operation).collect()
}

async fn machines_in_use_and_consoles_are_taken_over(engine: Engine) {
    let team = Team::new(engine);
    let mut first = team.join("first").await;
    let (plain, watched) = (active(&team, &first).await, active(&team, &first).await);
    console_on(&team, &first, watched).await;
    let idle = manageable(&team, &first).await;
    assert_eq!(
        team.node(plain).await.conductor_affinity.as_deref(),
        Some("first")
    );
    first.stop().await;

    let _heir = team.join_with("heir", syncing(team.options("heir"))).await;
    for id in [plain, watched] {
        let node = team
            .until(id, "its new conductor", |node| {
                let heir = node.conductor_affinity.as_deref() == Some("heir");
                Some(heir && node.reservation.is_none())
            })
            .await;
        assert_eq!(node.last_error, None);
        let told = team.told(id).await.join("\n");
        assert!(told.contains("taken over by conductor heir"), "{told}");
    }
    assert_eq!(
        operations(&team, "heir", plain),
        ["deploy.prepare", "deploy.take_over"]
    );
    assert_eq!(
        operations(&team, "heir", watched),
        ["deploy.prepare", "deploy.take_over", "console.start"]
    );
    assert!(team.node(watched).await.console_enabled);
    assert_eq!(team.node(idle).await.conductor_affinity, None);
}

async fn what_cannot_be_taken_over_is_told_once_and_tried_again(engine: Engine) {
    let team = Team::new(engine);
    let mut first = team.join("first").await;
    let id = active(&team, &first).await;
    let dark = active(&team, &first).await;
    console_on(&team, &first, dark).await;
    let fail = |id: NodeId, what: &str| {
        let path = format!("/v1/nodes/{id}");
        let change = json!([{"op": "add", "path": "/driver_info/fake_fail", "value": what}]);
        let client = first.client.clone();
        async move { client.patch(&path, change).await.expect(200) }
    };
    fail(id, "deploy.take_over").await;
    fail(dark, "console.start").await;
    first.stop().await;

    let heir = team.join_with("heir", syncing(team.options("heir"))).await;
    let node = team
        .until(id, "the failure", |node| Some(node.last_error.is_some()))
        .await;
    let error = node.last_error.unwrap();
    let expected = "Async execution of _do_takeover failed with error: ";
    assert!(error.starts_with(expected), "{error}");
    assert_eq!(node.conductor_affinity.as_deref(), Some("first"));
    let node = team
        .until(dark, "the console's failure", |node| {
            Some(node.last_error.is_some())
        })
        .await;
    let error = node.last_error.unwrap();
    let expected = format!("Failed to start console while taking over the node {dark}: ");
    assert!(error.starts_with(&expected), "{error}");
    assert!(!node.console_enabled);

    let path = format!("/v1/nodes/{id}");
    let mended = json!([{"op": "remove", "path": "/driver_info/fake_fail"}]);
    loop {
        // It is being tried all the time.
        match heir.client.patch(&path, mended.clone()).await.status {
            200 => break,
            409 => tokio::task::yield_now().await,
            other => panic!("{other}"),
        }
    }
    team.until(id, "its new conductor", |node| {
        Some(node.conductor_affinity.as_deref() == Some("heir"))
    })
    .await;
    let told = team.told(id).await;
    let errors = told.iter().filter(|line| line.starts_with("error"));
    assert_eq!(errors.count(), 1, "{told:#?}");
}

async fn consoles_are_restored_at_the_start(engine: Engine) {
    let team = Team::new(engine);
    let mut first = team.join("first").await;
    let id = manageable(&team, &first).await;
    console_on(&team, &first, id).await;
    first.stop().await;
    let _again = team.join("first").await;
    team.until(id, "its console", |_| {
        let started = operations(&team, "first", id);
        Some(
            started
                .iter()
                .filter(|name| *name == "console.start")
                .count()
                == 2,
        )
    })
    .await;
}

/// Both live; the machine is given from one to the other by its conductor group.
async fn boot_files_move_with_their_machine(engine: Engine) {
    const MAC: &str = "52:54:00:bb:00:09";
    let team = Team::new(engine);
    let (here, there) = (AgentHome::make().await, AgentHome::make().await);
    // What the instance boots is found from both.
    std::fs::create_dir_all(here.path("http")).unwrap();
    for name in ["k", "r"] {
        std::fs::write(here.path("http").join(name), name).unwrap();
    }
    let first = syncing(team.adapted("first", here.options()));
    let first = team.join_with("first", first).await;
    let mut second = syncing(team.adapted("second", there.options()));
    second.conductor.conductor_group = "x".into();
    let _second = team.join_with("second", second).await;

    let id = first
        .enroll(json!({
            "boot_interface": "ipxe", "deploy_interface": "ramdisk", "automated_clean": false,
            "management_interface": "noop",
            "instance_info": {
                "kernel": format!("{}/k", here.url()), "ramdisk": format!("{}/r", here.url()),
            },
        }))
        .await;
    let port = json!({"address": MAC, "node_uuid": id.to_string()});
    first.client.post("/v1/ports", port).await.expect(201);
    for (verb, state) in [
        ("manage", S::Manageable),
        ("provide", S::Available),
        ("active", S::Active),
    ] {
        first.asks(id, verb).await;
        team.reaches(id, state).await;
    }
    let config = format!("/pxelinux.cfg/{}", MAC.replace(':', "-"));
    assert!(here.text(&config).await.unwrap().contains("boot_ramdisk"));
    assert_eq!(there.get(&config).await, None);

    team.database
        .execute("UPDATE nodes SET conductor_group = 'x'");
    team.until(id, "its new conductor", |node| {
        Some(node.conductor_affinity.as_deref() == Some("second") && node.reservation.is_none())
    })
    .await;
    let moved = there.text(&config).await.unwrap();
    assert!(
        moved.contains("boot_ramdisk") && moved.contains(&there.url()),
        "{moved}"
    );
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while here.get(&config).await.is_some() {
        let is_over = tokio::time::Instant::now() >= deadline;
        assert!(!is_over, "the files stay where nobody needs them");
        let seen = store::event::newest(&team.db).await.unwrap();
        store::event::wait(&team.db, seen, Duration::from_millis(100))
            .await
            .unwrap();
    }
    let kernel = format!("/{id}/kernel");
    assert_eq!(here.get(&kernel).await, None);
    assert!(there.get(&kernel).await.is_some());
}
