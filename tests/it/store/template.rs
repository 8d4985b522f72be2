//! Deploy templates and runbooks: field by field, the order of steps, and sealed arguments.

use super::map;
use crate::database::{Database, Engine};
use serde_json::json;
use store::{
    Page, StoreError, deploy_template,
    node::Log,
    runbook::{self, RunbookFilter},
};
use types::{
    DeployTemplate, DeployTemplateId, InterfaceKind, JsonMap, Runbook, RunbookId, Timestamp,
    deploy_template::{Rank, TemplateStep},
    runbook::RunbookStep,
};

every_engine!(
    every_field_of_a_template_survives,
    templates_are_found_by_the_traits_that_name_them,
    every_field_of_a_runbook_survives,
    runbooks_are_shown_to_their_owner_or_to_all,
    traits_of_a_runbook_change_one_by_one,
    names_are_unique,
    secrets_of_steps_are_sealed_and_rotated,
);

const INTERFACES: [InterfaceKind; 3] = [
    InterfaceKind::Raid,
    InterfaceKind::Bios,
    InterfaceKind::Deploy,
];

/// Steps in an order that no sorting gives.
fn template_steps(label: &str) -> Vec<TemplateStep> {
    let ranks = [Rank::Number(10), Rank::Digits("007".into()), 80.into()];
    let steps = INTERFACES.iter().zip(ranks);
    steps
        .map(|(&interface, priority)| TemplateStep {
            interface,
            step: format!("{label} of {interface}"),
            args: map(json!({"z": 1, "a": {"list": [label]}})),
            priority,
        })
        .collect()
}

fn runbook_steps(label: &str) -> Vec<RunbookStep> {
    let steps = template_steps(label).into_iter();
    steps
        .map(|step| RunbookStep {
            interface: step.interface,
            step: step.step,
            args: step.args,
            order: step.priority,
        })
        .collect()
}

fn new_template(name: &str) -> DeployTemplate {
    DeployTemplate::new(DeployTemplateId::generate(), name, template_steps(name))
}

fn new_runbook(name: &str) -> Runbook {
    Runbook::new(RunbookId::generate(), name, runbook_steps(name))
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(outcome: Result<T, StoreError>, expected: &str) {
    let refused = outcome.unwrap_err();
    assert_eq!(format!("{refused:?}"), expected);
}

async fn every_field_of_a_template_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut first = new_template("CUSTOM_FIRST");
    first.extra = map(json!({"a": [1]}));
    (first.created_at, first.updated_at) = (Timestamp(5), Some(Timestamp(6)));
    let found = deploy_template::insert(&db, first.clone(), Log::default())
        .await
        .unwrap();
    first.row = found.row;
    assert_eq!(found, first);
    let by_name = deploy_template::find_by_name(&db, "CUSTOM_FIRST").await;
    assert_eq!(by_name.unwrap(), Some(first.clone()));
    let mut second = first.clone();
    second.name = "CUSTOM_SECOND".into();
    second.steps.reverse();
    (second.extra, second.created_at) = (JsonMap::new(), Timestamp(9));
    let saved = deploy_template::update(&db, second.clone(), Log::default())
        .await
        .unwrap();
    assert!(saved.updated_at > Some(Timestamp(6)));
    (second.version, second.updated_at) = (1, saved.updated_at);
    assert_eq!(saved, second);
    let found = deploy_template::find(&db, first.id).await.unwrap();
    assert_eq!(found, Some(second));
    assert_refused(
        deploy_template::update(&db, first.clone(), Log::default()).await,
        "Stale",
    );
    deploy_template::delete(&db, first.id, Log::default())
        .await
        .unwrap();
    assert_refused(
        deploy_template::delete(&db, first.id, Log::default()).await,
        "NotFound",
    );
    assert_refused(
        deploy_template::update(&db, first, Log::default()).await,
        "NotFound",
    );
}

async fn templates_are_found_by_the_traits_that_name_them(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut stored = Vec::new();
    for name in ["CUSTOM_C", "CUSTOM_A", "CUSTOM_B"] {
        let new = deploy_template::insert(&db, new_template(name), Log::default()).await;
        stored.push(new.unwrap());
    }
    let named = async |names: &[&str]| {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        deploy_template::named(&db, names).await.unwrap()
    };
    assert_eq!(named(&[]).await, []);
    assert_eq!(named(&["CUSTOM_X", "custom_a"]).await, []);
    let found = named(&["CUSTOM_A", "CUSTOM_X", "CUSTOM_C"]).await;
    assert_eq!(found, stored[..2]);
    let page = Page {
        sort_key: "name".into(),
        marker: Some(stored[1].id.to_string()),
        ..Page::first(9)
    };
    let listed = deploy_template::list(&db, page).await.unwrap();
    assert_eq!(listed, [stored[2].clone(), stored[0].clone()]);
}

async fn every_field_of_a_runbook_survives(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut first = new_runbook("first");
    first.description = Some("Grüße".into());
    first.traits = vec!["CUSTOM_A".into(), "CUSTOM_B".into()];
    (first.disable_ramdisk, first.public) = (true, true);
    first.owner = Some("p1".into());
    first.extra = map(json!({"a": [1]}));
    (first.created_at, first.updated_at) = (Timestamp(5), Some(Timestamp(6)));
    let found = runbook::insert(&db, first.clone(), Log::default())
        .await
        .unwrap();
    first.row = found.row;
    assert_eq!(found, first);
    let by_name = runbook::find_by_name(&db, "first").await.unwrap();
    assert_eq!(by_name, Some(first.clone()));
    let mut second = new_runbook("second");
    (second.id, second.row) = (first.id, first.row);
    let saved = runbook::update(&db, second.clone(), Log::default())
        .await
        .unwrap();
    assert!(saved.updated_at.is_some());
    (second.version, second.updated_at) = (1, saved.updated_at);
    assert_eq!(saved, second);
    let found = runbook::find(&db, first.id).await.unwrap();
    assert_eq!(found, Some(second));
    assert_refused(
        runbook::update(&db, first.clone(), Log::default()).await,
        "Stale",
    );
    runbook::delete(&db, first.id, Log::default())
        .await
        .unwrap();
    assert_refused(
        runbook::delete(&db, first.id, Log::default()).await,
        "NotFound",
    );
    assert_refused(
        runbook::update(&db, first, Log::default()).await,
        "NotFound",
    );
}

async fn runbooks_are_shown_to_their_owner_or_to_all(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let mut stored = Vec::new();
    for (name, owner, public) in [
        ("d", Some("p1"), false),
        ("c", None, true),
        ("b", Some("p2"), false),
        ("a", None, false),
    ] {
        let mut new = new_runbook(name);
        (new.owner, new.public) = (owner.map(str::to_owned), public);
        stored.push(runbook::insert(&db, new, Log::default()).await.unwrap());
    }
    for (project, expected) in [
        (None, vec![0, 1, 2, 3]),
        (Some("p1"), vec![0, 1]),
        (Some("p2"), vec![1, 2]),
        (Some("True"), vec![1]),
    ] {
        let filter = RunbookFilter {
            project: project.map(str::to_owned),
        };
        let found = runbook::list(&db, filter, Page::first(9)).await.unwrap();
        let expected: Vec<_> = expected.iter().map(|&n: &usize| &stored[n]).collect();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{project:?}");
    }
    let page = Page {
        sort_key: "name".into(),
        marker: Some(stored[2].id.to_string()),
        ..Page::first(9)
    };
    let filter = RunbookFilter {
        project: Some("p1".into()),
    };
    let found = runbook::list(&db, filter, page).await.unwrap();
    assert_eq!(found, [stored[1].clone(), stored[0].clone()]);
}

async fn traits_of_a_runbook_change_one_by_one(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let new = runbook::insert(&db, new_runbook("r"), Log::default())
        .await
        .unwrap();
    let id = new.id;
    let traits = async || runbook::find(&db, id).await.unwrap().unwrap().traits;
    let names = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
    runbook::set_traits(&db, id, names(&["CUSTOM_B", "CUSTOM_A", "CUSTOM_B"]))
        .await
        .unwrap();
    assert_eq!(traits().await, ["CUSTOM_A", "CUSTOM_B"]);
    for _ in 0..2 {
        runbook::add_trait(&db, id, "CUSTOM_AA").await.unwrap();
        assert_eq!(traits().await, ["CUSTOM_A", "CUSTOM_AA", "CUSTOM_B"]);
    }
    for _ in 0..2 {
        runbook::remove_trait(&db, id, "CUSTOM_A").await.unwrap();
        assert_eq!(traits().await, ["CUSTOM_AA", "CUSTOM_B"]);
    }
    let now = runbook::find(&db, id).await.unwrap().unwrap();
    assert_eq!(now.updated_at, None);
    assert_refused(runbook::update(&db, new, Log::default()).await, "Stale");
    runbook::set_traits(&db, id, Vec::new()).await.unwrap();
    assert!(traits().await.is_empty());
    let absent = RunbookId::generate();
    assert_refused(
        runbook::add_trait(&db, absent, "CUSTOM_A").await,
        "NotFound",
    );

    // None is lost when many are added at once.
    let processes = [db.clone(), database.open()];
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..20 {
        let db = processes[n % 2].clone();
        tasks.spawn(async move { runbook::add_trait(&db, id, &format!("CUSTOM_{n}")).await });
    }
    for outcome in tasks.join_all().await {
        outcome.unwrap();
    }
    assert_eq!(traits().await.len(), 20);
}

async fn names_are_unique(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let first = deploy_template::insert(&db, new_template("A"), Log::default())
        .await
        .unwrap();
    let mut second = deploy_template::insert(&db, new_template("B"), Log::default())
        .await
        .unwrap();
    let by_name = "Duplicate(DeployTemplateName(\"A\"))";
    let refused = deploy_template::insert(&db, new_template("A"), Log::default()).await;
    assert_refused(refused, by_name);
    second.name = "A".into();
    assert_refused(
        deploy_template::update(&db, second, Log::default()).await,
        by_name,
    );
    let mut same_uuid = new_template("C");
    same_uuid.id = first.id;
    let expected = format!("Duplicate(DeployTemplateUuid({:?}))", first.id.to_string());
    assert_refused(
        deploy_template::insert(&db, same_uuid, Log::default()).await,
        &expected,
    );

    let first = runbook::insert(&db, new_runbook("A"), Log::default())
        .await
        .unwrap();
    let mut second = runbook::insert(&db, new_runbook("B"), Log::default())
        .await
        .unwrap();
    let by_name = "Duplicate(RunbookName(\"A\"))";
    assert_refused(
        runbook::insert(&db, new_runbook("A"), Log::default()).await,
        by_name,
    );
    second.name = "A".into();
    assert_refused(runbook::update(&db, second, Log::default()).await, by_name);
    let mut same_uuid = new_runbook("C");
    same_uuid.id = first.id;
    let expected = format!("Duplicate(RunbookUuid({:?}))", first.id.to_string());
    assert_refused(
        runbook::insert(&db, same_uuid, Log::default()).await,
        &expected,
    );

    let processes = [db, database.open()];
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..12 {
        let db = processes[n % 2].clone();
        tasks.spawn(async move {
            runbook::insert(&db, new_runbook("wanted"), Log::default())
                .await
                .map(|_| ())
        });
        let db = processes[n % 2].clone();
        tasks.spawn(async move {
            deploy_template::insert(&db, new_template("wanted"), Log::default())
                .await
                .map(|_| ())
        });
    }
    let outcomes = tasks.join_all().await;
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 2);
    for refused in outcomes.into_iter().filter_map(Result::err) {
        assert!(matches!(refused, StoreError::Duplicate(_)), "{refused:?}");
    }
}

async fn secrets_of_steps_are_sealed_and_rotated(engine: Engine) {
    let database = Database::create(engine);
    let db = database.open();
    let args = map(json!({"ipmi_password": "s3cr3t", "address": "visible-address"}));
    let mut template = new_template("A");
    template.steps[1].args = args.clone();
    let template = deploy_template::insert(&db, template, Log::default())
        .await
        .unwrap();
    let mut book = new_runbook("A");
    book.steps[2].args = args.clone();
    let book = runbook::insert(&db, book, Log::default()).await.unwrap();
    // Writing what was read seals nothing twice.
    let template = deploy_template::update(&db, template, Log::default())
        .await
        .unwrap();
    let book = runbook::update(&db, book, Log::default()).await.unwrap();
    let raw = database.raw();
    let has = |text: &str| raw.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(has("visible-address"), "this looks at the wrong bytes");
    assert!(!has("s3cr3t"));
    let check = async |key: Option<&str>| {
        let template = deploy_template::find(&db, template.id).await;
        let template = template.unwrap().unwrap();
        let book = runbook::find(&db, book.id).await.unwrap().unwrap();
        for (subject, sealed) in [
            (template.id.to_string(), &template.steps[1].args),
            (book.id.to_string(), &book.steps[2].args),
        ] {
            assert_eq!(db.keys().open_map(sealed, &subject).unwrap(), args);
            let text = sealed["ipmi_password"].as_str().unwrap();
            if let Some(key) = key {
                assert!(text.contains(&format!(":{key}:")), "{text}, not {key}");
            }
            assert!(db.keys().open_map(sealed, "elsewhere").is_err());
        }
        (template, book)
    };
    check(None).await;
    let newest = db.keys().add_key().unwrap();
    assert_eq!(store::rotate_secrets(&db).await.unwrap().rewritten, 2);
    assert_eq!(store::rotate_secrets(&db).await.unwrap().rewritten, 0);
    let (now, _) = check(Some(&newest)).await;
    assert_eq!(now.updated_at, template.updated_at);
    // What was read before carries the old key along: it has to be read again.
    assert_refused(
        deploy_template::update(&db, template, Log::default()).await,
        "Stale",
    );
    assert_refused(runbook::update(&db, book, Log::default()).await, "Stale");
}
