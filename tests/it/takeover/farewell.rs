//! A conductor that is asked to stop, or to stop when its work is done.
//!
//! A dead conductor would only be noticed after longer than these tests wait, so that whatever
//! happens to its nodes happens because it said good-bye.

use super::{
    journal::{check_order, check_overlap},
    team::{Team, available, manageable},
};
use crate::{database::Engine, lab::Options};
use serde_json::{Value, json};
use std::time::Duration;
use types::{InterfaceKind as K, ProvisionState as S};

every_engine!(
    what_is_left_at_a_stop_goes_on_elsewhere_at_once,
    a_drain_brings_everything_to_its_end,
    what_does_not_end_in_time_waits_for_the_silence,
);

/// Silence alone tells nothing for an hour; steps take so many seconds.
fn patient(mut options: Options, step: &str) -> Options {
    options.conductor.heartbeat_timeout = Duration::from_secs(3600);
    options
        .hardware
        .fake
        .set_delay(K::Vendor, step.parse().unwrap());
    options
}

fn clean(steps: usize) -> Value {
    let step = json!({"interface": "vendor", "step": "log_passthrough"});
    json!({"target": "clean", "clean_steps": vec![step; steps]})
}

async fn what_is_left_at_a_stop_goes_on_elsewhere_at_once(engine: Engine) {
    let team = Team::new(engine);
    let heir = patient(team.options("heir"), "0.1");
    let heir = team.join_with("heir", heir).await;
    let id = manageable(&team, &heir).await;
    // Not done before it can be told to stop.
    let leaver = patient(team.options("leaver"), "3");
    let mut leaver = team.join_with("leaver", leaver).await;
    leaver.asks_with(id, clean(5)).await;
    team.called(id, "clean.log_passthrough").await;
    leaver.stop().await;
    assert_eq!(team.row("leaver").await, (2, false));
    let node = team.reaches(id, S::Manageable).await;
    assert_eq!(node.last_error, None);
    let told = team.told(id).await.join("\n");
    assert!(
        told.contains("going on with cleaning in place of leaver"),
        "{told}"
    );
    let lines = team.journal();
    check_order(&lines);
    check_overlap(&lines);
    let steps = |who: &str| {
        let of = |line: &&super::journal::Line| {
            line.begins && line.who == who && line.operation == "clean.log_passthrough"
        };
        lines.iter().filter(of).count()
    };
    // It stopped between two steps: none is done twice.
    assert_eq!(steps("leaver") + steps("heir"), 5, "{lines:#?}");
    assert!(steps("heir") > 0);
}

async fn a_drain_brings_everything_to_its_end(engine: Engine) {
    let team = Team::new(engine);
    let heir = patient(team.options("heir"), "0.4");
    let heir = team.join_with("heir", heir).await;
    let id = manageable(&team, &heir).await;
    let leaver = patient(team.options("leaver"), "0.4");
    let mut leaver = team.join_with("leaver", leaver).await;
    leaver.asks_with(id, clean(4)).await;
    team.called(id, "clean.log_passthrough").await;
    let ended = leaver.begin_drain();
    team.until(id, "the leaver to leave the ring", |_| {
        let gone = "SELECT COUNT(*) FROM conductors WHERE hostname = 'leaver' AND NOT online";
        Some(team.database.number(gone) == 1)
    })
    .await;
    ended.await.unwrap();
    let node = team.node(id).await;
    assert_eq!(node.provision_state, S::Manageable);
    assert_eq!((node.reservation, node.last_error), (None, None));
    assert_eq!(team.row("leaver").await, (2, false));
    let told = team.told(id).await.join("\n");
    assert!(!told.contains("resumed"), "{told}");
    let others = team
        .journal()
        .into_iter()
        .filter(|line| line.who == "heir" && line.operation == "clean.log_passthrough");
    assert_eq!(others.count(), 0);
    leaver.kill();
}

/// Nobody knows what hardware does that was left in the middle of a call.
async fn what_does_not_end_in_time_waits_for_the_silence(engine: Engine) {
    let team = Team::new(engine);
    let heir = team.join("heir").await;
    let id = available(&team, &heir).await;
    let mut options = team.options("leaver");
    options.conductor.graceful_shutdown_timeout = Duration::from_millis(50);
    options
        .hardware
        .fake
        .set_delay(K::Deploy, "3600".parse().unwrap());
    let mut leaver = team.join_with("leaver", options).await;
    leaver.asks(id, "active").await;
    team.called(id, "deploy.prepare").await;
    leaver.stop().await;
    let row = store::member::find(&team.db, "leaver").await.unwrap();
    let row = row.unwrap();
    assert!(
        !row.online && row.counter >= 0,
        "it cannot vouch for its work, and must not sign off: {row:?}"
    );
    let node = team.reaches(id, S::Active).await;
    assert_eq!(node.last_error, None);
    check_order(&team.journal());
}
