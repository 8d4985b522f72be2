//! Inspection rules: field by field, their order, and what is hidden in sensitive ones.

use crate::database::{Database, Engine};
use serde_json::{Value, json};
use store::{Page, StoreError, inspection_rule as rule, node::Log};
use types::{InspectionRule, InspectionRuleId, Timestamp, inspection_rule::MAIN_PHASE};

every_engine!(
    every_field_of_a_rule_survives,
    rules_run_in_the_order_of_their_priority,
    a_sensitive_rule_is_sealed,
);

fn new(message: &str) -> InspectionRule {
    let conditions = vec![json!({"op": "eq", "args": {"values": [1, message]}})];
    let actions = vec![
        json!({"op": "set-attribute", "args": {"path": "/driver_info/x", "value": message}}),
        json!({"op": "log", "args": {"msg": "visible-text", "password": message}}),
    ];
    InspectionRule::new(InspectionRuleId::generate(), conditions, actions)
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str) {
    let refused = outcome.unwrap_err();
    assert_eq!(format!("{refused:?}"), expected);
}

async fn every_field_of_a_rule_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut first = new("a");
    // The UUID is any text, as with Ironic.
    first.id = "not a uuid".into();
    first.description = Some("Grüße".into());
    (first.priority, first.phase) = (9999, "other".into());
    first.scope = Some("rack".into());
    (first.created_at, first.updated_at) = (Timestamp(5), Some(Timestamp(6)));
    let found = rule::insert(&db, first.clone(), Log::default())
        .await
        .unwrap();
    first.row = found.row;
    assert_eq!(found, first, "a rule that is not sensitive is as it was");
    let expected = "Duplicate(InspectionRuleUuid(\"not a uuid\"))";
    assert_refused(
        rule::insert(&db, first.clone(), Log::default()).await,
        expected,
    );
    let mut second = new("b");
    (second.id, second.row) = (first.id.clone(), first.row);
    let saved = rule::update(&db, second.clone(), Log::default())
        .await
        .unwrap();
    assert!(saved.updated_at.is_some());
    (second.version, second.updated_at) = (1, saved.updated_at);
    assert_eq!(saved, second);
    let found = rule::find(&db, &first.id).await.unwrap();
    assert_eq!(found, Some(second));
    assert_refused(
        rule::update(&db, first.clone(), Log::default()).await,
        "Stale",
    );
    rule::delete(&db, &first.id, Log::default()).await.unwrap();
    assert_refused(
        rule::delete(&db, &first.id, Log::default()).await,
        "NotFound",
    );
    assert_refused(rule::update(&db, first, Log::default()).await, "NotFound");
}

async fn rules_run_in_the_order_of_their_priority(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut ids = Vec::new();
    for (priority, phase) in [
        (5, MAIN_PHASE),
        (0, MAIN_PHASE),
        (9, "x"),
        (10, MAIN_PHASE),
        (5, MAIN_PHASE),
    ] {
        let mut new = new("a");
        (new.priority, new.phase) = (priority, phase.into());
        new.sensitive = priority == 10;
        ids.push(rule::insert(&db, new, Log::default()).await.unwrap().id);
    }
    let found = rule::of_phase(&db, MAIN_PHASE).await.unwrap();
    let order: Vec<_> = found.iter().map(|rule| rule.id.clone()).collect();
    let expected = [3, 0, 4, 1].map(|n: usize| ids[n].clone());
    assert_eq!(order, expected);
    assert_eq!(found[0].actions, new("a").actions, "and open");
    let page = Page {
        sort_key: "priority".into(),
        marker: Some(ids[4].to_string()),
        ..Page::first(9)
    };
    let listed = rule::list(&db, page).await.unwrap();
    let listed: Vec<_> = listed.into_iter().map(|rule| rule.id).collect();
    assert_eq!(listed, [ids[2].clone(), ids[3].clone()]);
}

async fn a_sensitive_rule_is_sealed(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut plain = new("s3cr3t");
    plain.sensitive = true;
    // A text that only looks sealed is a text.
    plain.actions.push(Value::from("corten:sealed:k0:AAAA"));
    let stored = rule::insert(&db, plain.clone(), Log::default())
        .await
        .unwrap();
    let items = |rule: &InspectionRule| [rule.conditions.clone(), rule.actions.clone()].concat();
    assert_eq!(items(&stored).len(), 4);
    assert!(items(&stored).iter().all(Value::is_string), "{stored:?}");
    let opened = rule::opened(&db, stored.clone()).unwrap();
    assert_eq!(items(&opened), items(&plain));
    // What was read can be written again, sealed or open.
    let again = rule::update(&db, stored, Log::default()).await.unwrap();
    assert_eq!(
        items(&rule::opened(&db, again.clone()).unwrap()),
        items(&plain)
    );
    let mut changed = rule::opened(&db, again).unwrap();
    changed.conditions.clear();
    let changed = rule::update(&db, changed, Log::default()).await.unwrap();
    let opened = rule::opened(&db, changed.clone()).unwrap();
    assert_eq!(opened.actions, plain.actions);
    let raw = database.raw();
    let has = |text: &str| raw.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(has("corten:sealed:"), "this looks at the wrong bytes");
    assert!(!has("s3cr3t") && !has("visible-text"));

    let newest = db.keys().add_key().unwrap();
    assert_eq!(store::rotate_secrets(&db).await.unwrap().rewritten, 1);
    let rotated = rule::find(&db, &changed.id).await.unwrap().unwrap();
    for item in items(&rotated) {
        assert!(item.as_str().unwrap().contains(&newest), "{item}");
    }
    let opened = rule::opened(&db, rotated.clone()).unwrap();
    assert_eq!(opened.actions, plain.actions);
    assert_refused(rule::update(&db, changed, Log::default()).await, "Stale");
    // Sealed for this rule only.
    let mut stolen = rotated;
    stolen.id = InspectionRuleId::generate();
    assert!(rule::opened(&db, stolen).is_err());
}
