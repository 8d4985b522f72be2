//! Notifications on their way out: written with the change and only then, in order, by one sender.

use super::{insert, new_node};
use crate::database::{Database, Engine};
use serde_json::Value;
use store::{
    Db, StoreError,
    node::{Fence, Log},
    notification::{self, Claim, Claimant, NotificationFilter, Seen},
};
use types::{
    Caller, Chassis, ChassisId, NodeId, Port, PortId, Timestamp,
    notification::{Action, Level, Notice, Status},
};

every_engine!(
    a_notification_is_there_exactly_if_its_change_is,
    who_wants_none_pays_for_none,
    only_what_is_grave_enough_is_written,
    requests_are_announced_and_come_to_an_end,
    one_sender_at_a_time,
    what_nobody_takes_is_given_up,
);

fn wanting(db: &Db, level: Level) {
    db.want_notifications(NotificationFilter {
        level,
        host: "h".into(),
    });
}

fn log(action: Action, status: Status) -> Log {
    Log {
        notices: vec![Notice::new(action, status)],
        caller: Caller {
            user: Some("u".into()),
            project: None,
            request_id: "req-1".into(),
            token: None,
        },
        ..Log::default()
    }
}

/// Everything that waits, as the consumer reads it.
async fn waiting(db: &Db) -> Vec<Value> {
    let pending = notification::pending(db, 1000).await.unwrap();
    let body = |pending: &notification::Pending| serde_json::from_str(&pending.body).unwrap();
    pending.iter().map(body).collect()
}

async fn event_types(db: &Db) -> Vec<String> {
    let all = waiting(db).await;
    let event_type = |message: &Value| message["event_type"].as_str().unwrap().to_owned();
    all.iter().map(event_type).collect()
}

fn claimant(host: &str, token: &str) -> Claimant {
    Claimant {
        host: host.into(),
        token: token.into(),
    }
}

async fn a_notification_is_there_exactly_if_its_change_is(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    wanting(&db, Level::Debug);
    let created = store::node::insert(&db, new_node(), log(Action::Create, Status::End)).await;
    let mut node = created.unwrap();
    node.description = Some("as it was saved".into());
    let update = || log(Action::Update, Status::End);
    let saved = store::node::save(&db, node.clone(), Fence::Free, update()).await;
    let saved = saved.unwrap();
    // The same version again: nothing is saved, so nothing is told.
    let refused = store::node::save(&db, node, Fence::Free, update()).await;
    assert!(matches!(refused, Err(StoreError::Stale)), "{refused:?}");

    let port = Port::new(PortId::generate(), saved.id, [2; 6].into());
    let port = store::port::insert(&db, port, log(Action::Create, Status::End)).await;
    let gone = store::port::delete(&db, port.unwrap().id, log(Action::Delete, Status::End)).await;
    gone.unwrap();
    store::node::delete(&db, &saved, log(Action::Delete, Status::End))
        .await
        .unwrap();

    assert_eq!(
        event_types(&db).await,
        [
            "baremetal.node.create.end",
            "baremetal.node.update.end",
            "baremetal.port.create.end",
            "baremetal.port.delete.end",
            "baremetal.node.delete.end",
        ]
    );
    let messages = waiting(&db).await;
    let update = &messages[1];
    let data = &update["payload"]["ironic_object.data"];
    assert_eq!(data["description"], "as it was saved");
    assert_eq!(data["updated_at"], saved.updated_at.unwrap().zulu());
    assert_eq!(update["publisher_id"], "ironic-api.h");
    assert_eq!(update["_context_request_id"], "req-1");
    assert_eq!(update["_context_user"], "u");
    assert_ne!(update["message_id"], messages[0]["message_id"]);
    let port = &messages[3]["payload"]["ironic_object.data"];
    assert_eq!(port["address"], "02:02:02:02:02:02");
}

async fn who_wants_none_pays_for_none(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let node = store::node::insert(&db, new_node(), log(Action::Create, Status::End)).await;
    let node = node.unwrap();
    let notice = Notice::new(Action::Console, Status::Start);
    notification::tell(&db, &Caller::service(), &node, notice).await;
    let told = notification::begin(&db, &Caller::service(), Action::Update, &node).await;
    let failed = told.failed(Err::<(), ()>(())).await;
    assert!(failed.is_err());
    assert!(event_types(&db).await.is_empty());
    assert_eq!(notification::oldest(&db).await.unwrap(), None);
}

async fn only_what_is_grave_enough_is_written(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    wanting(&db, Level::Error);
    let node = insert(&db, new_node()).await;
    for status in [Status::Start, Status::End, Status::Error] {
        let notice = Notice::new(Action::Maintenance, status);
        notification::tell(&db, &Caller::service(), &node, notice).await;
    }
    let told = notification::begin(&db, &Caller::service(), Action::Delete, &node).await;
    let _ = told.failed(Err::<(), ()>(())).await;
    assert_eq!(
        event_types(&db).await,
        [
            "baremetal.node.maintenance_set.error",
            "baremetal.node.delete.error"
        ]
    );
}

async fn requests_are_announced_and_come_to_an_end(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    wanting(&db, Level::Info);
    let who = Caller::service();
    let new = Chassis::new(ChassisId::generate());
    let create = |new: Chassis| {
        let (db, who) = (&db, &who);
        async move {
            let told = notification::begin(db, who, Action::Create, &new).await;
            let made = store::chassis::insert(db, new, told.end()).await;
            told.failed(made).await
        }
    };
    create(new.clone()).await.unwrap();
    create(new.clone()).await.unwrap_err();
    // Not stored, hence not found, hence nothing to tell of.
    let find = store::node::find(&db, NodeId::generate());
    let told = notification::begin_with(&db, &who, Action::Delete, find).await;
    assert!(told.end().notices.is_empty());
    let _ = told.failed(Err::<(), ()>(())).await;
    assert_eq!(
        event_types(&db).await,
        [
            "baremetal.chassis.create.start",
            "baremetal.chassis.create.end",
            "baremetal.chassis.create.start",
            "baremetal.chassis.create.error",
        ]
    );
    let messages = waiting(&db).await;
    let created_at =
        |message: &Value| message["payload"]["ironic_object.data"]["created_at"].clone();
    assert_eq!(created_at(&messages[0]), Value::Null);
    assert_eq!(created_at(&messages[1]), new.created_at.zulu());
}

async fn one_sender_at_a_time(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    wanting(&db, Level::Debug);
    let node = insert(&db, new_node()).await;
    for _ in 0..3 {
        let notice = Notice::new(Action::Console, Status::Start);
        notification::tell(&db, &Caller::service(), &node, notice).await;
    }
    let ids = || async {
        let pending = notification::pending(&db, 2).await.unwrap();
        pending.iter().map(|one| one.id).collect::<Vec<_>>()
    };
    let (first, second) = (claimant("a", "1"), claimant("b", "2"));
    let claim = |me: Claimant, dead: Option<Seen>| {
        let db = db.clone();
        async move { notification::claim(&db, &me, dead).await.unwrap() }
    };
    assert_eq!(claim(first.clone(), None).await, Claim::Mine);
    assert_eq!(claim(first.clone(), None).await, Claim::Mine);
    let Claim::Other(seen) = claim(second.clone(), None).await else {
        panic!("two claims");
    };
    // The first one lives, so that what the second saw is not what there is.
    assert!(notification::renew(&db, &first).await.unwrap());
    let Claim::Other(still) = claim(second.clone(), Some(seen)).await else {
        panic!("a living sender was replaced");
    };
    assert_ne!(seen, still);
    // Now its beat stands still.
    assert_eq!(claim(second.clone(), Some(still)).await, Claim::Mine);
    assert!(!notification::renew(&db, &first).await.unwrap());
    let batch = ids().await;
    assert_eq!(batch.len(), 2);
    assert!(
        !notification::sent(&db, &first, batch.clone())
            .await
            .unwrap()
    );
    assert_eq!(
        event_types(&db).await.len(),
        3,
        "the old one removes nothing"
    );
    assert!(notification::sent(&db, &second, batch).await.unwrap());
    assert_eq!(event_types(&db).await.len(), 1);
    // An incarnation of the same host needs not wait, and neither does anybody after a farewell.
    let third = claimant("b", "3");
    assert_eq!(claim(third.clone(), None).await, Claim::Mine);
    notification::release(&db, &second).await.unwrap();
    assert!(matches!(claim(first.clone(), None).await, Claim::Other(_)));
    notification::release(&db, &third).await.unwrap();
    assert_eq!(claim(first, None).await, Claim::Mine);
}

async fn what_nobody_takes_is_given_up(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    wanting(&db, Level::Debug);
    let node = insert(&db, new_node()).await;
    let notice = Notice::new(Action::Console, Status::Start);
    notification::tell(&db, &Caller::service(), &node, notice).await;
    notification::tell(&db, &Caller::service(), &node, notice).await;
    notification::tell(&db, &Caller::service(), &node, notice).await;
    let now = Timestamp::now();
    let discard = |before: i64| notification::discard(&db, now.plus_seconds(before), 2);
    assert_eq!(discard(-60).await.unwrap(), 0);
    let oldest = notification::oldest(&db).await.unwrap();
    assert!(oldest.is_some_and(|at| at <= now));
    assert_eq!(discard(60).await.unwrap(), 2);
    assert_eq!(discard(60).await.unwrap(), 1);
    assert_eq!(discard(60).await.unwrap(), 0);
    assert!(event_types(&db).await.is_empty());
}
