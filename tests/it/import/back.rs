//! The way back, into the servers that an Ironic is likely to have; and those as sources.

use super::*;

every_server!(what_was_written_back_is_read_as_the_same);

/// A database of Ironic on a server, with types as Ironic has them and the rows of
/// [`SCHEMA_AND_ROWS`].
pub(super) fn ironic_on(engine: Engine) -> Database {
    let database = Database::create(engine);
    schema(&database, engine);
    let folder = tempfile::tempdir().unwrap();
    let Location::Sqlite(file) = ironic(folder.path(), "") else {
        panic!("a file")
    };
    let from = rusqlite::Connection::open(file).unwrap();
    for table in tables() {
        let mut rows = from
            .prepare(&format!("SELECT * FROM {}", table.name))
            .unwrap();
        let names: Vec<String> = rows.column_names().map(str::to_owned).collect();
        let mut found = rows.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values: Vec<String> = names
                .iter()
                .enumerate()
                .map(|(at, name)| literal(engine, name, row.get_ref(at).unwrap()))
                .collect();
            let columns: Vec<String> = names.iter().map(|name| quoted(engine, name)).collect();
            database.session(|session| {
                session.batch(&format!(
                    "INSERT INTO {} ({}) VALUES ({})",
                    table.name,
                    columns.join(", "),
                    values.join(", ")
                ));
            });
        }
    }
    database
}

/// Makes Ironic's tables, and nothing in them but the revision.
fn schema(database: &Database, engine: Engine) {
    database.session(|session| {
        for table in tables() {
            let columns: Vec<String> = table
                .columns
                .iter()
                .map(|name| format!("{} {}", quoted(engine, name), kind(engine, name)))
                .collect();
            let words = match engine {
                Engine::MariaDb => " CHARACTER SET utf8mb4",
                _ => "",
            };
            session.batch(&format!(
                "CREATE TABLE {} ({}){words}",
                table.name,
                columns.join(", ")
            ));
        }
    });
}

struct Table {
    name: String,
    columns: Vec<String>,
}

/// The tables and columns of [`SCHEMA_AND_ROWS`].
fn tables() -> Vec<Table> {
    let statements = SCHEMA_AND_ROWS.split("CREATE TABLE ").skip(1);
    let table = |text: &str| {
        let (name, rest) = text.split_once(" (").unwrap();
        let (columns, _) = rest.split_once(");").unwrap();
        let first = |column: &str| {
            let name = column.split_whitespace().next().unwrap();
            name.trim_matches('"').to_owned()
        };
        Table {
            name: name.to_owned(),
            columns: columns.split(',').map(first).collect(),
        }
    };
    statements.map(table).collect()
}

fn quoted(engine: Engine, name: &str) -> String {
    match engine {
        Engine::MariaDb => format!("`{name}`"),
        _ => format!("\"{name}\""),
    }
}

const FLAGS: &[&str] = &[
    "maintenance",
    "console_enabled",
    "automated_clean",
    "protected",
    "retired",
    "secure_boot",
    "disable_power_off",
    "standalone_ports_supported",
    "dynamic_portgroup",
    "pxe_enabled",
    "is_smartnic",
    "available_for_dynamic_portgroup",
    "read_only",
    "reset_required",
    "unique",
    "public",
    "disable_ramdisk",
    "sensitive",
    "online",
];
const NUMBERS: &[&str] = &[
    "node_id",
    "chassis_id",
    "allocation_id",
    "portgroup_id",
    "deploy_template_id",
    "runbook_id",
    "conductor_affinity",
    "priority",
    "order",
    "boot_index",
    "lower_bound",
    "upper_bound",
    "min_length",
    "max_length",
    "duration_seconds",
];

fn kind(engine: Engine, name: &str) -> &'static str {
    match (name, engine) {
        ("id", Engine::MariaDb) => "INTEGER PRIMARY KEY AUTO_INCREMENT",
        ("id", _) => "SERIAL PRIMARY KEY",
        (name, Engine::MariaDb) if FLAGS.contains(&name) => "TINYINT(1)",
        (name, _) if FLAGS.contains(&name) => "BOOLEAN",
        (name, _) if NUMBERS.contains(&name) => "BIGINT",
        (name, Engine::MariaDb) if name.ends_with("_at") => "DATETIME",
        (name, _) if name.ends_with("_at") => "TIMESTAMP WITHOUT TIME ZONE",
        _ => "TEXT",
    }
}

fn literal(engine: Engine, name: &str, value: rusqlite::types::ValueRef<'_>) -> String {
    use rusqlite::types::ValueRef as V;
    match value {
        V::Null => "NULL".to_owned(),
        V::Integer(number) if engine == Engine::Postgres && FLAGS.contains(&name) => {
            (number != 0).to_string()
        }
        V::Integer(number) => number.to_string(),
        V::Text(text) => {
            let text = std::str::from_utf8(text).unwrap().replace('\'', "''");
            match engine {
                Engine::MariaDb => format!("'{}'", text.replace('\\', "\\\\")),
                _ => format!("'{text}'"),
            }
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// Everything in a database of ours as lines, without secrets, and without what going back changes.
pub(super) async fn lines_of(database: &Database) -> Vec<Value> {
    let (own, key_file) = (database.location(), database.key_file());
    aside(move || {
        let own = Dump::open(&own, KeyRing::load(&key_file).unwrap()).unwrap();
        let mut out = Vec::new();
        lines::write(own, &Secrets::LeftOut, &mut out).unwrap();
        let mut lines: Vec<Value> = String::from_utf8(out)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        // Numbers of rows are drawn anew.
        let items = lines.iter_mut().filter_map(Value::as_object_mut);
        for item in items.flat_map(|line| line.values_mut()) {
            if item["row"].is_i64() {
                item["row"].take();
            }
        }
        for node in lines.iter_mut().filter_map(|line| line.get_mut("node")) {
            let Some(node) = node.as_object_mut() else {
                continue;
            };
            // Ironic counts from now, and switches no power.
            if node.get("id") == Some(&json!(WAITS)) {
                node.remove("provision_updated_at");
            }
            node.remove("target_power_state");
        }
        lines
    })
    .await
}

async fn what_was_written_back_is_read_as_the_same(engine: Engine) {
    let theirs = ironic_on(engine);
    let ours = Database::create(engine);
    let outcome = import(theirs.location(), &ours).await.unwrap();
    assert_eq!(outcome.taken("nodes"), 5);

    let back = Database::create(engine);
    schema(&back, engine);
    let revision = "INSERT INTO alembic_version VALUES ('9fb44677ef15')";
    back.session(|session| session.batch(revision));
    let (own, key_file, target) = (ours.location(), ours.key_file(), back.location());
    aside(move || {
        let dump = Dump::open(&own, KeyRing::load(&key_file).unwrap()).unwrap();
        migrate::to_ironic(dump, &target, Purpose::Move).unwrap()
    })
    .await;
    // Whoever adds a node now gets a number that is free.
    back.session(|session| session.batch("INSERT INTO chassis (uuid) VALUES ('new')"));
    back.session(|session| session.batch("DELETE FROM chassis WHERE uuid = 'new'"));

    let again = Database::create(engine);
    let outcome = import(back.location(), &again).await.unwrap();
    assert_eq!(outcome.taken("nodes"), 5);
    assert_eq!(outcome.findings.kept(), [], "written rows need no mending");
    let (first, second) = (lines_of(&ours).await, lines_of(&again).await);
    assert_eq!(first.len(), second.len());
    for (first, second) in first.iter().zip(&second) {
        assert_eq!(first, second);
    }
    let db = again.open();
    let node = store::node::find(&db, ACTIVE.parse().unwrap()).await;
    let opened = db
        .keys()
        .open_map(&node.unwrap().unwrap().driver_info, ACTIVE);
    assert_eq!(opened.unwrap()["ipmi_password"], "hunter2");
}
