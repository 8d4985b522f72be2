//! Power sync and recovery round by round, with fake hardware that changes behind our back.

use super::{power_recovery, power_sync, purge, round::Round};
use crate::{
    Service, Settings,
    lab::{database, fake_hardware},
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use store::{
    Db, Page,
    candidate::{self, CandidateQuery},
    event::EventFilter,
    node::{Fence, Log},
};
use types::{
    InterfaceKind, Node, NodeId, PowerState, ProvisionState as S, Timestamp,
    event::{EventKind, HistoryEntry},
    node::NodeFault,
};

/// A conductor whose passes only run when they are told to.
struct Bench {
    db: Db,
    service: Arc<Service>,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let (db, folder) = database();
        let mut settings = Settings {
            sync_power_state_interval: Duration::ZERO,
            power_failure_recovery_interval: Duration::ZERO,
            spread_passes: false,
            power_state_sync_max_retries: 1,
            ..Settings::default()
        };
        change(&mut settings);
        let service = Service::start(db.clone(), fake_hardware(), settings)
            .await
            .unwrap();
        Self {
            db,
            service,
            _folder: folder,
        }
    }

    /// A machine that is on, in use, and found as `surprise` says.
    async fn machine(&self, surprise: Option<&str>, change: impl FnOnce(&mut Node)) -> NodeId {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.provision_state = S::Active;
        node.power_state = Some(PowerState::On);
        // Ours already: whoever is in use and served by nobody is taken over, and that may be in the
        // midst of a round.
        node.conductor_affinity = Some(self.service.core.settings.host.clone());
        if let Some(surprise) = surprise {
            node.driver_info
                .insert("fake_power".into(), surprise.into());
        }
        change(&mut node);
        let stored = store::node::insert(&self.db, node, Log::default()).await;
        stored.unwrap().id
    }

    async fn show(&self, id: NodeId) -> Node {
        store::node::find(&self.db, id).await.unwrap().unwrap()
    }

    async fn change(&self, id: NodeId, change: impl FnOnce(&mut Node)) {
        let mut node = self.show(id).await;
        change(&mut node);
        let saved = store::node::save(&self.db, node, Fence::Free, Log::default()).await;
        saved.unwrap();
    }

    /// One round of power sync, and the work that it began.
    async fn sync(&self) -> Round {
        let round = power_sync::pass(Arc::clone(&self.service.core)).await;
        self.service.core.workers.idle().await;
        round
    }

    async fn recover(&self) -> Round {
        power_recovery::pass(Arc::clone(&self.service.core)).await
    }

    async fn events(&self, id: NodeId) -> Vec<(EventKind, Value)> {
        let page = store::event::after(&self.db, 0, 100, EventFilter::from(id)).await;
        let events = page.unwrap().events.into_iter();
        events.map(|event| (event.kind, event.data)).collect()
    }

    async fn history(&self, id: NodeId) -> Vec<HistoryEntry> {
        let page = Page::first(100);
        store::history::list(&self.db, id, page).await.unwrap()
    }
}

fn round(visited: u64, failed: u64) -> Round {
    Round { visited, failed }
}

fn fails(node: &mut Node, what: &str) {
    node.driver_info.insert("fake_fail".into(), what.into());
}

#[tokio::test]
async fn a_machine_that_is_as_it_should_be_costs_no_write() {
    let bench = Bench::new(|_| {}).await;
    let id = bench
        .machine(None, |node| node.last_error = Some("older".into()))
        .await;
    let before = bench.show(id).await;
    assert_eq!(bench.sync().await, round(1, 0));
    assert_eq!(bench.show(id).await, before, "and its last error is kept");
    assert_eq!(bench.events(id).await, []);
}

#[tokio::test]
async fn a_wrong_password_is_not_sent_every_round() {
    let refuses = |node: &mut Node| {
        let info = &mut node.driver_info;
        info.insert("fake_refuse".into(), "power.get".into());
    };
    let bench = Bench::new(|settings| settings.power_state_sync_max_retries = 5).await;
    let id = bench.machine(None, refuses).await;
    assert_eq!(bench.sync().await, round(1, 1));
    let skipped = bench.sync().await;
    assert_eq!(skipped, round(0, 0), "the account would be locked");
    bench
        .change(id, |node| {
            node.driver_info.insert("fake_password".into(), "x".into());
        })
        .await;
    assert_eq!(bench.sync().await, round(1, 1), "it may be right now");
    let given_up = |node: &mut Node| {
        refuses(node);
        node.maintenance = true;
        node.fault = Some(NodeFault::Power);
    };
    bench.machine(None, given_up).await;
    assert_eq!(bench.recover().await, round(1, 1));
    assert_eq!(bench.recover().await, round(0, 0));
}

#[tokio::test]
async fn what_was_not_known_is_noted() {
    let bench = Bench::new(|_| {}).await;
    let unknown = |node: &mut Node| node.power_state = None;
    let id = bench.machine(Some("power off"), unknown).await;
    let silent = bench.machine(None, unknown).await;
    let invalid = bench
        .machine(Some("power on"), |node| {
            node.power_state = None;
            fails(node, "power.validate");
        })
        .await;
    assert_eq!(bench.sync().await, round(2, 0), "one cannot be asked");
    assert_eq!(bench.show(id).await.power_state, Some(PowerState::Off));
    let told = json!({"from": null, "to": "power off", "corrected": true});
    assert_eq!(bench.events(id).await, [(EventKind::Power, told)]);
    for id in [silent, invalid] {
        assert_eq!(bench.show(id).await.power_state, None);
        assert_eq!(bench.events(id).await, []);
    }
}

#[tokio::test]
async fn a_machine_is_brought_into_the_state_of_its_row() {
    let bench = Bench::new(|_| {}).await;
    let id = bench.machine(Some("power off"), |_| {}).await;
    assert_eq!(bench.sync().await, round(1, 0));
    let node = bench.show(id).await;
    assert_eq!(node.power_state, Some(PowerState::On));
    assert_eq!(
        node.driver_internal_info.raw_json()["fake_power_overruled"],
        "power off",
        "it was switched"
    );
    assert_eq!((node.target_power_state, node.reservation), (None, None));
    assert_eq!(node.last_error, None);
    assert_eq!(bench.history(id).await, []);
    let asked = json!({"asked": "power on", "was": "power on", "found": "power off"});
    let done = json!({"asked": "power on", "is": "power on"});
    let expected = [(EventKind::Power, asked), (EventKind::Power, done)];
    assert_eq!(bench.events(id).await, expected);
    assert_eq!(bench.sync().await, round(1, 0));
    assert_eq!(bench.events(id).await.len(), 2, "and stays there");
}

#[tokio::test]
async fn a_row_follows_its_machine_where_nobody_is_to_switch_it() {
    for forced in [false, true] {
        let bench = Bench::new(|s| s.force_power_state_during_sync = forced).await;
        let id = bench
            .machine(Some("power off"), |node| {
                node.disable_power_off = Some(forced)
            })
            .await;
        bench.sync().await;
        let node = bench.show(id).await;
        assert_eq!(node.power_state, Some(PowerState::Off));
        assert!(
            !node
                .driver_internal_info
                .raw_json()
                .contains_key("fake_power_overruled")
        );
        let told = json!({"from": "power on", "to": "power off", "corrected": true});
        assert_eq!(bench.events(id).await, [(EventKind::Power, told)]);
    }
}

#[tokio::test]
async fn a_machine_that_cannot_be_asked_goes_into_maintenance_and_comes_back() {
    let bench = Bench::new(|_| {}).await;
    let id = bench.machine(None, |node| fails(node, "power.get")).await;
    let before = bench.show(id).await;
    assert_eq!(bench.sync().await, round(1, 1));
    assert_eq!(bench.show(id).await, before, "one failure is only counted");
    assert_eq!(bench.sync().await, round(1, 1));
    let node = bench.show(id).await;
    let text = format!(
        "During sync_power_state, max retries exceeded for node {id}, node state None does not \
         match expected state 'power on'. Updating DB state to 'None' Switching node to \
         maintenance mode. Error: fake hardware was told to fail power.get"
    );
    assert_eq!(node.last_error.as_deref(), Some(text.as_str()));
    assert_eq!(node.maintenance_reason, node.last_error);
    assert_eq!(
        (node.maintenance, node.fault),
        (true, Some(NodeFault::Power))
    );
    assert_eq!(node.power_state, None);
    let history = bench.history(id).await;
    let [entry] = &history[..] else {
        panic!("{history:?}")
    };
    assert_eq!(
        (entry.event_type.as_deref(), entry.is_error),
        (Some("monitoring"), Some(true))
    );
    assert_eq!(entry.event, text);
    let kinds: Vec<EventKind> = bench.events(id).await.into_iter().map(|e| e.0).collect();
    assert_eq!(
        kinds,
        [EventKind::Error, EventKind::Maintenance, EventKind::Power]
    );
    assert_eq!(bench.sync().await, round(0, 0), "not while in maintenance");

    assert_eq!(bench.recover().await, round(1, 1), "still silent");
    assert!(bench.show(id).await.maintenance);
    bench
        .change(id, |node| {
            node.driver_info.remove("fake_fail");
            node.driver_info
                .insert("fake_power".into(), "power on".into());
        })
        .await;
    assert_eq!(bench.recover().await, round(1, 0));
    let node = bench.show(id).await;
    assert_eq!((node.maintenance, node.fault), (false, None));
    assert_eq!(node.maintenance_reason, None);
    assert_eq!(node.power_state, Some(PowerState::On));
    assert_eq!(node.last_error.as_deref(), Some(text.as_str()));
    assert_eq!(bench.history(id).await.len(), 1, "recovery is no entry");
    let told = json!({"from": null, "to": "power on", "corrected": true});
    assert_eq!(bench.events(id).await.last().unwrap().1, told);
    assert_eq!(bench.recover().await, round(0, 0));
    bench.sync().await;
    assert_eq!(
        bench.show(id).await.last_error,
        None,
        "it speaks of the sync"
    );
}

#[tokio::test]
async fn a_machine_that_says_error_is_not_asked_for_ever() {
    let bench = Bench::new(|s| s.power_state_sync_max_retries = 0).await;
    let id = bench.machine(Some("error#always"), |_| {}).await;
    bench.sync().await;
    let node = bench.show(id).await;
    assert_eq!(node.fault, Some(NodeFault::Power));
    assert!(
        node.last_error
            .unwrap()
            .ends_with("while trying to sync power state.")
    );
}

#[tokio::test]
async fn a_machine_that_does_not_stay_on_goes_into_maintenance() {
    let bench = Bench::new(|s| s.power_state_sync_max_retries = 2).await;
    let id = bench.machine(Some("power off#always"), |_| {}).await;
    for _ in 0..2 {
        bench.sync().await;
        let node = bench.show(id).await;
        assert_eq!((node.power_state, node.fault), (Some(PowerState::On), None));
    }
    bench.sync().await;
    let node = bench.show(id).await;
    assert_eq!(node.power_state, Some(PowerState::Off), "as it was found");
    assert_eq!(
        (node.maintenance, node.fault),
        (true, Some(NodeFault::Power))
    );
    let text = node.last_error.unwrap();
    assert!(
        text.contains("node state power off does not match expected state 'power on'")
            && text.ends_with("Switching node to maintenance mode."),
        "{text}"
    );
}

#[tokio::test]
async fn a_switch_that_fails_is_told_and_forgotten_when_one_succeeds() {
    let bench = Bench::new(|s| s.power_state_sync_max_retries = 3).await;
    let id = bench
        .machine(Some("power off"), |node| fails(node, "power.set"))
        .await;
    bench.sync().await;
    let node = bench.show(id).await;
    assert_eq!(
        (node.power_state, node.target_power_state),
        (Some(PowerState::On), None)
    );
    let text = node.last_error.unwrap();
    assert!(
        text.starts_with("Failed to change power state to 'power on'"),
        "{text}"
    );
    bench.change(id, |node| fails(node, "")).await;
    bench.sync().await;
    let node = bench.show(id).await;
    assert_eq!(node.power_state, Some(PowerState::On));
    assert_eq!(node.last_error, None);
}

#[tokio::test]
async fn whoever_is_busy_or_not_ours_is_left_alone() {
    let bench = Bench::new(|_| {}).await;
    let states = [S::DeployWait, S::CleanWait, S::Enroll, S::AdoptFailed];
    let mut all = Vec::new();
    for state in states {
        all.push(
            bench
                .machine(Some("power off"), |node| node.provision_state = state)
                .await,
        );
    }
    let others: [fn(&mut Node); 6] = [
        |node| node.maintenance = true,
        |node| node.target_power_state = Some(types::PowerTarget::On),
        |node| node.driver = "somebody-elses".into(),
        |node| node.conductor_group = "elsewhere".into(),
        |node| {
            node.driver_internal_info
                .set_step_poll_due(Timestamp::now());
        },
        |node| {
            node.maintenance = true;
            node.fault = Some(NodeFault::Power);
            node.provision_state = S::Enroll;
        },
    ];
    for other in others {
        all.push(bench.machine(Some("power off"), other).await);
    }
    let held = bench.machine(Some("power off"), |_| {}).await;
    let node = bench.show(held).await;
    let elsewhere = types::lease::Holder {
        host: "other".into(),
        epoch: 1,
    };
    store::lease::take(&bench.db, node, &elsewhere)
        .await
        .unwrap();
    all.push(held);
    let mut before = Vec::new();
    for &id in &all {
        before.push(bench.show(id).await);
    }
    assert_eq!(bench.sync().await, round(0, 0));
    assert_eq!(bench.recover().await, round(0, 0));
    for node in before {
        assert_eq!(bench.show(node.id).await, node);
    }
}

#[tokio::test]
async fn what_was_found_about_a_row_that_changed_does_not_count() {
    let bench = Bench::new(|s| s.power_state_sync_max_retries = 0).await;
    let surprised = bench.machine(Some("power off"), |_| {}).await;
    let silent = bench.machine(None, |node| fails(node, "power.get")).await;
    let stretch =
        candidate::stretch(&bench.db, CandidateQuery::PowerSync, 0, 10, |_, _, _| true).await;
    let candidates = stretch.unwrap().candidates;
    assert_eq!(candidates.len(), 2);
    for id in [surprised, silent] {
        bench
            .change(id, |node| node.description = Some("changed".into()))
            .await;
    }
    for candidate in candidates {
        let before = bench.show(candidate.node.id).await;
        Box::pin(power_sync::visit(
            Arc::clone(&bench.service.core),
            candidate,
        ))
        .await;
        bench.service.core.workers.idle().await;
        assert_eq!(bench.show(before.id).await, before);
    }
}

#[tokio::test]
async fn a_candidate_cannot_be_stored() {
    let bench = Bench::new(|_| {}).await;
    let change = |node: &mut Node| {
        node.extra.insert("k".into(), 1.into());
    };
    let id = bench.machine(None, change).await;
    let stretch =
        candidate::stretch(&bench.db, CandidateQuery::PowerSync, 0, 10, |_, _, _| true).await;
    let half = stretch.unwrap().candidates.remove(0).node;
    let saved = store::node::save(&bench.db, half, Fence::Free, Log::default()).await;
    assert!(saved.is_err());
    assert_eq!(bench.show(id).await.extra["k"], 1);
}

#[tokio::test]
async fn one_bad_node_stops_no_round() {
    let bench = Bench::new(|_| {}).await;
    let bad = bench
        .machine(None, |node| {
            node.interfaces.set(InterfaceKind::Power, "not-there");
        })
        .await;
    let mut good = Vec::new();
    // More than a page of candidates.
    for _ in 0..600 {
        good.push(
            bench
                .machine(Some("power off"), |node| node.power_state = None)
                .await,
        );
    }
    assert_eq!(bench.sync().await, round(601, 1));
    assert_eq!(bench.show(bad).await.power_state, Some(PowerState::On));
    for id in good {
        assert_eq!(bench.show(id).await.power_state, Some(PowerState::Off));
    }
}

#[tokio::test]
async fn history_is_thinned_in_batches_and_young_entries_stay() {
    for (days, left) in [(0, 3), (1, 6), (20, 10)] {
        let bench = Bench::new(|s| {
            s.node_history_max_entries = 3;
            s.node_history_cleanup_batch_count = 2;
            s.node_history_minimum_days = days;
        })
        .await;
        let id = bench.machine(None, |_| {}).await;
        let elsewhere = bench
            .machine(None, |n| n.conductor_group = "other".into())
            .await;
        for node in [id, elsewhere] {
            let node = bench.show(node).await;
            let entry = |n: i64| HistoryEntry {
                row: 0,
                id: types::HistoryId::generate(),
                node: node.id,
                // Seven old ones and three of today.
                created_at: Timestamp::now().plus_seconds(if n < 7 { -864_000 } else { -60 } + n),
                conductor: Some("c".into()),
                user: None,
                project: None,
                is_error: Some(false),
                event_type: Some("x".into()),
                event: n.to_string(),
                state: Some(S::Active),
                target_provision_state: None,
                duration_seconds: None,
            };
            let log = Log {
                history: (0..10).map(entry).collect(),
                ..Log::default()
            };
            store::node::save(&bench.db, node, Fence::Free, log)
                .await
                .unwrap();
        }
        let round = purge::history(Arc::clone(&bench.service.core)).await;
        assert_eq!(round.visited, 10 - left, "{days} days");
        let kept = bench.history(id).await;
        assert_eq!(kept.len() as u64, left);
        assert_eq!(kept.last().unwrap().event, "9", "the newest stay");
        assert_eq!(bench.history(elsewhere).await.len(), 10, "not ours");
        let again = purge::history(Arc::clone(&bench.service.core)).await;
        assert_eq!(again.visited, 0);
    }
}

#[tokio::test]
async fn a_machine_that_is_booted_again_goes_on_waiting() {
    let bench = Bench::new(|_| {}).await;
    for (fail, told) in [
        (None, EventKind::Power),
        (Some("power.set"), EventKind::Error),
    ] {
        let id = bench
            .machine(None, |node| {
                node.provision_state = S::CleanWait;
                fails(node, fail.unwrap_or_default());
            })
            .await;
        let mut node = bench.show(id).await;
        let since = node.provision_updated_at;
        node.work = Some(types::Work::BootAgain);
        let (core, caller) = (&bench.service.core, types::Caller::service());
        let place = core.workers.wait().await;
        let story = crate::record::ChangeLog::new(&caller);
        core.accept(node, &caller, story, place).await.unwrap();
        core.workers.idle().await;
        let node = bench.show(id).await;
        assert_eq!(
            (node.provision_state, node.reservation),
            (S::CleanWait, None)
        );
        assert_eq!(
            node.provision_updated_at, since,
            "the time-out comes all the same"
        );
        assert_eq!(node.power_state, Some(PowerState::On));
        assert_eq!(bench.events(id).await.last().unwrap().0, told);
        assert_eq!(node.last_error.is_some(), fail.is_some());
    }
}
