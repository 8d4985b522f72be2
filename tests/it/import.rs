//! A database of Ironic is imported, served, and written back.

mod back;
mod group;
mod killed;
mod names;
mod servers;
mod trouble;

use crate::{
    database::{Database, Engine},
    lab::{Lab, Options},
};
use migrate::{
    ExportFault, Import, Offer, Outcome, Prospect, RowProblem,
    lines::{self, LinesFault, Secrets},
};
use serde_json::{Value, json};
use std::{path::Path, thread, time::Duration};
use store::{
    Db, KeyRing, Location, StoreError,
    dump::Dump,
    load::{Existing, Load, LoadFault, Purpose},
    member::{self, Registration},
};
use types::ProvisionState as S;

const SCHEMA_AND_ROWS: &str = include_str!("import/ironic.sql");
pub(crate) const ACTIVE: &str = "10000000-0000-4000-8000-000000000001";
const WAITS: &str = "10000000-0000-4000-8000-000000000002";
const WORKS: &str = "10000000-0000-4000-8000-000000000003";
const REBOOTS: &str = "10000000-0000-4000-8000-000000000004";
const DAMAGED: &str = "10000000-0000-4000-8000-00000000000a";

every_engine!(
    rows_come_as_they_are_and_damage_is_reported,
    importing_twice_gives_the_same_and_changes_are_not_lost,
    nodes_in_flight_go_on_or_end_with_a_reason,
    what_was_imported_can_be_written_back,
    two_services_do_not_have_the_same_nodes,
    an_export_is_read_as_what_it_was_written_from,
);

/// Ironic's database, after some more statements.
pub(crate) fn ironic(folder: &Path, more: &str) -> Location {
    let file = folder.join("ironic.sqlite");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch(SCHEMA_AND_ROWS).unwrap();
    connection.execute_batch(more).unwrap();
    Location::Sqlite(file)
}

/// Runs what blocks where it may.
async fn aside<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::spawn(run);
    tokio::task::spawn_blocking(move || thread.join().unwrap())
        .await
        .unwrap()
}

async fn import(source: Location, database: &Database) -> Result<Outcome, LoadFault> {
    import_for(source, database, Purpose::Move).await
}

pub(crate) async fn import_for(
    source: Location,
    database: &Database,
    purpose: Purpose,
) -> Result<Outcome, LoadFault> {
    drop(database.open());
    let (target, key_file) = (database.location(), database.key_file());
    aside(move || {
        let keys = KeyRing::load(&key_file).unwrap();
        let load = Load::begin(&target, keys, Existing::Keep, purpose)?;
        Ok(Import::open(&source).unwrap().run(load).unwrap())
    })
    .await
}

async fn rows_come_as_they_are_and_damage_is_reported(engine: Engine) {
    let database = Database::create(engine);
    let source = ironic(database.directory(), "");
    let outcome = import(source.clone(), &database).await.unwrap();
    // A dry run says the same.
    let rehearsed = aside(move || {
        let load = Load::rehearsal().unwrap();
        Import::open(&source).unwrap().run(load).unwrap()
    });
    let rehearsed = rehearsed.await;
    assert_eq!(rehearsed.findings.kept(), outcome.findings.kept());
    assert_eq!(rehearsed.tables, outcome.tables);
    let of = |row: &str| -> Vec<RowProblem> {
        let kept = outcome.findings.kept().iter();
        let of_row = kept.filter(|finding| finding.row == row);
        of_row.map(|finding| finding.trouble.clone()).collect()
    };
    assert_eq!(of(ACTIVE), []);
    assert_eq!(of("not-a-uuid"), [RowProblem::BadUuid("not-a-uuid".into())]);
    assert_eq!(of(&DAMAGED.to_uppercase()).len(), 8, "{outcome:#?}");
    assert_eq!(
        of("20000000-0000-4000-8000-000000000002"),
        [RowProblem::NoOwner("node")]
    );
    assert!(matches!(
        of("20000000-0000-4000-8000-000000000004")[..],
        [RowProblem::Refused(_)]
    ));
    assert_eq!((outcome.taken("nodes"), outcome.taken("ports")), (5, 2));

    // Nothing that a conductor does: the rows are read as they were stored.
    let db = database.open();
    let node = store::node::find(&db, ACTIVE.parse().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(node.retired, None);
    assert_eq!(node.traits, ["CUSTOM_A", "CUSTOM_B"]);
    assert_eq!(
        node.allocation_uuid.as_deref(),
        node.instance_uuid.as_deref()
    );
    assert_eq!(node.extra["rocket"], "\u{1f680}");
    assert!(node.chassis.is_some());
    let stored = node.driver_info["ipmi_password"].as_str().unwrap();
    assert!(stored.starts_with("corten:sealed:"), "{stored}");
    let opened = db.keys().open_map(&node.driver_info, ACTIVE).unwrap();
    assert_eq!(opened["ipmi_password"], "hunter2");
    let damaged = store::node::find(&db, DAMAGED.parse().unwrap())
        .await
        .unwrap();
    let damaged = damaged.unwrap();
    assert_eq!(
        Value::Object(damaged.extra),
        json!({"n": "NaN", "s": "\u{fffd}"})
    );
    assert_eq!(damaged.conductor_group, "rack-b");
    let inventory = store::inventory::find(&db, node.id).await.unwrap().unwrap();
    assert_eq!(Value::Object(inventory.inventory), json!({"new": true}));
    let history = store::history::list(&db, node.id, store::Page::first(9)).await;
    let [entry] = &history.unwrap()[..] else {
        panic!("one entry")
    };
    assert_eq!((entry.is_error, entry.state), (None, None));
}

async fn importing_twice_gives_the_same_and_changes_are_not_lost(engine: Engine) {
    let database = Database::create(engine);
    let source = ironic(database.directory(), "");
    import(source.clone(), &database).await.unwrap();
    let again = import(source.clone(), &database).await.unwrap();
    assert_eq!(again.taken("nodes"), 5);
    assert_eq!(database.number("SELECT COUNT(*) FROM nodes"), 5);
    let db = database.open();
    let node = store::node::find(&db, ACTIVE.parse().unwrap())
        .await
        .unwrap();
    let save = store::node::save(
        &db,
        node.unwrap(),
        store::node::Fence::Free,
        store::node::Log::default(),
    );
    save.await.unwrap();
    drop(db);
    let refused = import(source, &database).await.unwrap_err();
    assert!(matches!(refused, LoadFault::Changed { .. }), "{refused}");
}

async fn nodes_in_flight_go_on_or_end_with_a_reason(engine: Engine) {
    let database = Database::create(engine);
    let console = format!(
        "UPDATE nodes SET driver_internal_info = '{{\"allocated_ipmi_terminal_port\": 20101, \
         \"vnc_host\": \"ctl1\", \"vnc_port\": 5901, \"novnc_secret_token\": \"t\", \
         \"novnc_secret_token_created\": \"2024-03-09T18:45:41.000000\", \
         \"agent_version\": \"vnc_\"}}' WHERE uuid = '{REBOOTS}'"
    );
    import(ironic(database.directory(), &console), &database)
        .await
        .unwrap();
    let mut options = Options::default();
    options.conductor.agent_require_tls = false;
    let lab = Lab::on(database, options).await;

    // A conductor was deploying it by a step that is not known here.
    let node = lab.machine(WORKS).reaches(S::DeployFailed).await;
    let error = node["last_error"].as_str().unwrap();
    assert!(
        error.contains("there is no step deploy.no_such_step"),
        "{error}"
    );

    // The agent goes on with its token; the old time does not count.
    let answer = lab
        .client
        .post(
            &format!("/v1/heartbeat/{WAITS}"),
            json!({"callback_url": "http://192.0.2.1:9999", "agent_token": "t0ken",
                   "agent_version": "13.0"}),
        )
        .await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let wrong = json!({"callback_url": "http://192.0.2.1:9999", "agent_token": "other"});
    let answer = lab
        .client
        .post(&format!("/v1/heartbeat/{WAITS}"), wrong)
        .await;
    assert_ne!(answer.status, 202, "{answer:?}");

    let rebooted = lab.client.get(&format!("/v1/nodes/{REBOOTS}")).await.json();
    assert_eq!(rebooted["target_power_state"], Value::Null);
    assert_eq!(
        rebooted["last_error"],
        "Pending power operation was aborted due to conductor restart"
    );
    let info = &rebooted["driver_internal_info"];
    assert_eq!(info["agent_version"], "vnc_");
    for stale in [
        "allocated_ipmi_terminal_port",
        "vnc_host",
        "vnc_port",
        "novnc_secret_token",
    ] {
        assert_eq!(info[stale], Value::Null, "{stale}");
    }
}

async fn what_was_imported_can_be_written_back(engine: Engine) {
    let database = Database::create(engine);
    let source = ironic(database.directory(), "");
    import(source, &database).await.unwrap();
    let back = database.directory().join("back.sqlite");
    let connection = rusqlite::Connection::open(&back).unwrap();
    let rows = SCHEMA_AND_ROWS.find("INSERT INTO chassis").unwrap();
    connection.execute_batch(&SCHEMA_AND_ROWS[..rows]).unwrap();
    let (own, key_file) = (database.location(), database.key_file());
    let target = Location::Sqlite(back.clone());
    let write = {
        let (own, key_file, target) = (own.clone(), key_file.clone(), target.clone());
        move |purpose| {
            let dump = Dump::open(&own, KeyRing::load(&key_file).unwrap()).unwrap();
            migrate::to_ironic(dump, &target, purpose).map_err(|error| error.to_string())
        }
    };
    let written = {
        let write = write.clone();
        aside(move || write(Purpose::Move)).await
    };
    written.unwrap();
    let text = |sql: &str| -> String { connection.query_row(sql, [], |row| row.get(0)).unwrap() };
    assert_eq!(
        text(&format!(
            "SELECT driver_info FROM nodes WHERE uuid = '{ACTIVE}'"
        )),
        r#"{"ipmi_username": "admin", "ipmi_password": "hunter2"}"#
    );
    assert_eq!(
        text(&format!("SELECT extra FROM nodes WHERE uuid = '{ACTIVE}'")),
        r#"{"rocket": "\ud83d\ude80"}"#
    );
    assert_eq!(text("SELECT version FROM nodes"), "1.44");
    let refused = aside(move || write(Purpose::Move)).await.unwrap_err();
    assert!(refused.contains("not empty"), "{refused}");
    // What was written can be read again.
    let again = Database::create(engine);
    assert_eq!(import(target, &again).await.unwrap().taken("nodes"), 5);
}

async fn two_services_do_not_have_the_same_nodes(engine: Engine) {
    let database = Database::create(engine);
    let source = ironic(database.directory(), "");
    let register = |db: Db| async move {
        let conductor = Registration {
            hostname: "ctl".to_owned(),
            conductor_group: String::new(),
            drivers: Vec::new(),
            interfaces: Vec::new(),
            url: None,
        };
        member::register(&db, conductor).await
    };

    // No conductor serves a shadow, and an import in earnest replaces it.
    import_for(source.clone(), &database, Purpose::Shadow)
        .await
        .unwrap();
    let refused = register(database.open()).await.unwrap_err();
    assert!(matches!(refused, StoreError::Shadow), "{refused}");
    import(source.clone(), &database).await.unwrap();

    let empty = |name: &str| {
        let file = database.directory().join(name);
        let rows = SCHEMA_AND_ROWS.find("INSERT INTO chassis").unwrap();
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.execute_batch(&SCHEMA_AND_ROWS[..rows]).unwrap();
        Location::Sqlite(file)
    };
    let dump = || {
        let (own, key_file) = (database.location(), database.key_file());
        aside(move || Dump::open(&own, KeyRing::load(&key_file).unwrap()).unwrap())
    };
    let write = |dump, target: &Location, purpose| {
        let target = target.clone();
        aside(move || migrate::to_ironic(dump, &target, purpose))
    };

    // What changes while Ironic's rows are written would be lost there.
    let target = empty("changed.sqlite");
    let mut before = dump().await;
    before = aside(move || {
        before.state().unwrap();
        before
    })
    .await;
    let db = database.open();
    let node = store::node::find(&db, ACTIVE.parse().unwrap()).await;
    let (fence, log) = (store::node::Fence::Free, store::node::Log::default());
    store::node::save(&db, node.unwrap().unwrap(), fence, log)
        .await
        .unwrap();
    let refused = write(before, &target, Purpose::Move).await.unwrap_err();
    assert!(matches!(refused, ExportFault::Changed), "{refused}");

    register(db).await.unwrap();
    let refused = write(dump().await, &target, Purpose::Move).await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, ExportFault::InUse { .. }), "{refused}");
    let again = import(source, &database).await.unwrap_err();
    assert!(matches!(again, LoadFault::InUse { .. }), "{again}");
    write(dump().await, &target, Purpose::Shadow).await.unwrap();
    let Location::Sqlite(file) = target else {
        panic!("a file")
    };
    let connection = rusqlite::Connection::open(file).unwrap();
    let free = "SELECT COUNT(*) FROM nodes WHERE reservation IS NULL";
    let free: i64 = connection.query_row(free, [], |row| row.get(0)).unwrap();
    assert_eq!(free, 0);
}

async fn an_export_is_read_as_what_it_was_written_from(engine: Engine) {
    let database = Database::create(engine);
    import(ironic(database.directory(), ""), &database)
        .await
        .unwrap();
    let again = Database::create(engine);
    drop(again.open());
    let (own, keys) = (database.location(), database.key_file());
    let (other, other_keys) = (again.location(), again.key_file());
    aside(move || {
        let write = |secrets: &Secrets| {
            let own = Dump::open(&own, KeyRing::load(&keys).unwrap()).unwrap();
            let mut out = Vec::new();
            lines::write(own, secrets, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let read = |text: &str, passphrase: Option<&str>| {
            let keys = KeyRing::load(&other_keys).unwrap();
            let load = Load::begin(&other, keys, Existing::Keep, Purpose::Move).unwrap();
            lines::read(&mut text.as_bytes(), passphrase, load)
        };
        let without = write(&Secrets::LeftOut);
        let passphrase = "correct horse".to_owned();
        let sealed = write(&Secrets::Sealed { passphrase });
        for text in [&without, &sealed] {
            for secret in ["hunter2", "t0ken", "s3cret", "H4sI"] {
                assert!(!text.contains(secret), "{secret}");
            }
        }
        assert!(matches!(read(&sealed, None), Err(LinesFault::Locked)));
        let wrong = read(&sealed, Some("wrong"));
        assert!(
            matches!(wrong, Err(LinesFault::WrongPassphrase(_))),
            "{wrong:?}"
        );
        let cut = &sealed[..sealed.len() - 20];
        assert!(matches!(
            read(cut, Some("correct horse")),
            Err(LinesFault::Line { .. })
        ));
        assert!(matches!(read("{}", None), Err(LinesFault::NoHeader)));
        read(&without, None).unwrap();
        let resources = read(&sealed, Some("correct horse")).unwrap();
        assert_eq!(resources, sealed.lines().count() as u64 - 1);
    })
    .await;
    let db = again.open();
    let node = store::node::find(&db, ACTIVE.parse().unwrap())
        .await
        .unwrap();
    let opened = db
        .keys()
        .open_map(&node.unwrap().driver_info, ACTIVE)
        .unwrap();
    assert_eq!(opened["ipmi_password"], "hunter2");
    let rules = store::inspection_rule::of_phase(&db, "main").await.unwrap();
    assert_eq!(rules[0].actions[0]["args"]["msg"], "s3cret");
}

#[test]
fn sources_that_cannot_be_read_say_why() {
    let refusal = |more: &str| {
        let folder = tempfile::tempdir().unwrap();
        let source = ironic(folder.path(), more);
        types::error::chain(&Import::open(&source).unwrap_err())
    };
    for (more, expected) in [
        ("DROP TABLE alembic_version", "'alembic_version'"),
        (
            "UPDATE alembic_version SET version_num = '9ef41f07cb58'",
            "ironic-dbsync upgrade",
        ),
        ("DELETE FROM alembic_version", "has 0 rows"),
        ("DROP TABLE ports", "the table 'ports' must exist"),
        (
            "ALTER TABLE nodes DROP COLUMN shard",
            "'nodes.shard' must exist",
        ),
    ] {
        let text = refusal(more);
        assert!(text.contains(expected), "{text}");
    }
    let folder = tempfile::tempdir().unwrap();
    let absent = Location::Sqlite(folder.path().join("none.sqlite"));
    assert!(Import::open(&absent).is_err());
    assert!(!folder.path().join("none.sqlite").exists());
}

#[test]
fn a_first_look_names_nodes_in_flight_and_what_is_missing_here() {
    let folder = tempfile::tempdir().unwrap();
    let source = ironic(folder.path(), "");
    let survey = Import::open(&source)
        .unwrap()
        .survey(&Offer::default(), Duration::from_secs(60))
        .unwrap();
    assert_eq!(
        (survey.nodes, survey.working_count, survey.waiting_count),
        (6, 1, 1)
    );
    assert_eq!(survey.working[0].reservation.as_deref(), Some("ctl1"));
    assert_eq!(survey.alive, []);
    assert_eq!(survey.working[0].prospect, Prospect::WasLeft);
    assert!(matches!(survey.waiting[0].prospect, Prospect::Strands(_)));
    assert_eq!(survey.missing_types["fake-hardware"], 4);
    assert_eq!(survey.groups["rack-b"], 1);

    let folder = tempfile::tempdir().unwrap();
    let conductors = "INSERT INTO conductors (id, hostname, online, conductor_group, updated_at) VALUES \
        (1, 'ctl1', 1, '', strftime('%Y-%m-%d %H:%M:%S', 'now')), \
        (2, 'ctl2', 0, '', strftime('%Y-%m-%d %H:%M:%S', 'now')), \
        (3, 'ctl3', 1, '', '2024-03-09 18:45:41')";
    let source = ironic(folder.path(), conductors);
    let survey = Import::open(&source)
        .unwrap()
        .survey(&Offer::default(), Duration::from_secs(3600))
        .unwrap();
    let alive: Vec<&str> = survey.alive.iter().map(|one| one.host.as_str()).collect();
    assert_eq!(alive, ["ctl1"]);
    assert_eq!(survey.working[0].prospect, Prospect::IsWorkedOn);
}
