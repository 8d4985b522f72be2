//! The way from the table to a server that is played here.

use super::*;
use crate::bus::tests::{Peer, bus, listener};
use proto::amqp::Method;
use store::{KeyRing, Location, Upgrade, notification::NotificationFilter};
use types::{
    Caller, Node, NodeId,
    notification::{Action, Level, Notice, Status},
};

fn sender(db: &Db, bus: Bus, topics: &[&str]) -> Sender {
    let settings = SenderSettings {
        host: "h".into(),
        topics: topics.iter().map(|&topic| topic.to_owned()).collect(),
        enveloped: true,
    };
    Sender::new(db.clone(), bus, settings)
}

/// Levels of what waits, oldest first.
async fn waiting(db: &Db) -> Vec<Level> {
    let pending = notification::pending(db, 100).await.unwrap();
    pending.iter().map(|pending| pending.level).collect()
}

#[tokio::test]
async fn only_what_the_bus_took_leaves_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let place = Location::Sqlite(directory.path().join("db"));
    let db = Db::open(&place, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap();
    db.want_notifications(NotificationFilter {
        level: Level::Debug,
        host: "h".into(),
    });
    let node = Node::new(NodeId::generate(), "fake-hardware");
    for status in [Status::Start, Status::Error, Status::End] {
        let notice = Notice::new(Action::Maintenance, status);
        notification::tell(&db, &Caller::service(), &node, notice).await;
    }
    let (listener, login) = listener().await;
    let (bus, stop) = bus(&format!("rabbit://{login}/v"));
    let running = tokio::spawn(sender(&db, bus, &["a", "b"]).run(stop.clone()));
    let mut server = Peer::accept(&listener).await;
    server.welcome(0).await;
    let mut queues = Vec::new();
    for _ in 0..6 {
        queues.push(server.message().await.0);
    }
    assert_eq!(
        queues,
        ["a.info", "b.info", "a.error", "b.error", "a.info", "b.info"]
    );
    // One of two topics does not take the second message.
    for tag in 1..=6 {
        let (flags, refused) = (0, tag == 4);
        let answer = match refused {
            true => Method::BasicNack { tag, flags },
            false => Method::BasicAck { tag, flags },
        };
        server.say(1, answer).await;
    }
    // It comes again, to both, and alone.
    assert_eq!(server.message().await.0, "a.error");
    assert_eq!(waiting(&db).await, [Level::Error]);
    assert_eq!(server.message().await.0, "b.error");
    for tag in [7, 8] {
        server.say(1, Method::BasicAck { tag, flags: 0 }).await;
    }
    while !waiting(&db).await.is_empty() {
        tokio::task::yield_now().await;
    }
    stop.cancel();
    running.await.unwrap();
    // It has let go, so that nobody has to wait for it.
    let other = Claimant {
        host: "other".into(),
        token: "t".into(),
    };
    let claim = notification::claim(&db, &other, None).await.unwrap();
    assert_eq!(claim, Claim::Mine);
}
