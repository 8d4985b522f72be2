//! Webhooks: who posts and who asks for a replay do not undo each other's work.

use crate::database::{Database, Engine};
use serde_json::json;
use store::{
    StoreError,
    webhook::{self, Fence},
};
use types::{WebhookId, webhook::Webhook};

every_engine!(a_replay_that_is_asked_for_during_another_is_made);

async fn a_replay_that_is_asked_for_during_another_is_made(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut row = Webhook::new(WebhookId::generate(), "http://127.0.0.1/".into(), 0);
    row.secret = json!("a secret that both know");
    let row = webhook::insert(&db, row).await.unwrap().unwrap();
    let lease = &row.delivery.lease;
    assert!(webhook::claim(&db, row.id, lease, "me").await.unwrap());
    let fence = async || {
        let row = webhook::find(&db, row.id).await.unwrap().unwrap();
        Fence {
            id: row.id,
            version: row.version,
            holder: "me".into(),
            generation: row.delivery.lease.generation,
        }
    };
    let first = fence().await;
    let event = json!({"kind": "updated"});
    webhook::bury(&db, &first, 1, event, 3, "no").await.unwrap();
    assert_eq!(webhook::next_replay(&db, row.id).await.unwrap(), None);
    webhook::mark_for_replay(&db, row.id, Some(1))
        .await
        .unwrap();
    let before = fence().await;
    let letter = webhook::next_replay(&db, row.id).await.unwrap().unwrap();
    assert_eq!((letter.cursor, letter.attempts), (1, 3));
    // Somebody asks once more, before it is known that this try was in vain.
    webhook::mark_for_replay(&db, row.id, Some(1))
        .await
        .unwrap();
    let told = webhook::replayed(&db, &before, 1, Some("in vain")).await;
    assert!(matches!(told, Err(StoreError::Stale)), "{told:?}");
    assert_eq!(
        webhook::next_replay(&db, row.id).await.unwrap(),
        Some(letter)
    );
    let now = fence().await;
    let told = webhook::replayed(&db, &now, 1, Some("in vain")).await;
    told.unwrap();
    assert_eq!(webhook::next_replay(&db, row.id).await.unwrap(), None);
    let letters = webhook::dead_letters(&db, row.id, 0, 10).await.unwrap();
    assert_eq!((letters.len(), letters[0].attempts), (1, 4));
}
