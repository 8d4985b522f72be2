//! Rows that hang on nothing, texts in another encoding, and what would be refused.

use super::*;
use migrate::Finding;

every_engine!(
    what_hangs_on_nothing_is_reported_and_links_end_somewhere,
    bytes_in_another_encoding_are_replaced,
);

/// Rows of nothing: some say so by a number, some by a text, as only SQLite lets them.
const ASTRAY: &str = "
    INSERT INTO node_traits (node_id, trait) VALUES (99, 'CUSTOM_LOST'), ('abc', 'CUSTOM_ODD'),
        (NULL, 'CUSTOM_NULL');
    INSERT INTO bios_settings (node_id, name, value, created_at) VALUES
        ('abc', 'Odd', '1', '2024-03-09 18:45:41'), (99, 'Lost', '1', '2024-03-09 18:45:41');
    INSERT INTO deploy_template_steps (id, deploy_template_id, interface, step, args, priority) VALUES
        (8, 99, 'deploy', 'deploy', '{}', 1);
    INSERT INTO runbook_steps (id, runbook_id, interface, step, args, \"order\") VALUES
        (9, 99, 'deploy', 'deploy', '{}', 1);
    INSERT INTO runbook_traits (runbook_id, trait) VALUES (99, 'CUSTOM_LOST');";

/// A node whose name is taken, with all that hangs on it; a port group whose name is taken, with a
/// port; and an allocation whose name is taken, with its node.
const REFUSED: &str = "
    INSERT INTO nodes (id, uuid, name, provision_state, driver, allocation_id, instance_uuid) VALUES
        (7, '10000000-0000-4000-8000-000000000007', 'web-1', 'active', 'fake-hardware', 3,
         'a0000000-0000-4000-8000-000000000003');
    UPDATE nodes SET allocation_id = 4, instance_uuid = 'a0000000-0000-4000-8000-000000000004'
        WHERE id = 4;
    INSERT INTO allocations (id, uuid, name, node_id, state, created_at) VALUES
        (3, 'a0000000-0000-4000-8000-000000000003', 'db', 7, 'active', '2024-03-09 18:45:41'),
        (4, 'a0000000-0000-4000-8000-000000000004', 'web', 4, 'active', '2024-03-09 18:45:41');
    INSERT INTO portgroups (id, uuid, name, node_id, standalone_ports_supported, created_at) VALUES
        (1, '60000000-0000-4000-8000-00000000000A', 'bond', 1, 1, '2024-03-09 18:45:41'),
        (2, '60000000-0000-4000-8000-000000000002', 'bond', 1, 1, '2024-03-09 18:45:41'),
        (3, '60000000-0000-4000-8000-000000000003', 'other', 7, 1, '2024-03-09 18:45:41');
    INSERT INTO ports (id, uuid, address, node_id, portgroup_id, pxe_enabled, created_at) VALUES
        (5, '20000000-0000-4000-8000-000000000005', '52:54:00:00:00:05', 1, 1, 1, '2024-03-09 18:45:41'),
        (6, '20000000-0000-4000-8000-000000000006', '52:54:00:00:00:06', 1, 2, 1, '2024-03-09 18:45:41'),
        (7, '20000000-0000-4000-8000-000000000007', '52:54:00:00:00:07', 7, 3, 1, '2024-03-09 18:45:41');
    INSERT INTO bios_settings (node_id, name, value, created_at) VALUES
        (7, 'Boot', 'Uefi', '2024-03-09 18:45:41');
    INSERT INTO firmware_information (id, node_id, component, initial_version, created_at) VALUES
        (1, 7, 'bios', '1', '2024-03-09 18:45:41');
    INSERT INTO node_inventory (id, inventory_data, plugin_data, node_id, created_at) VALUES
        (3, '{}', '{}', 7, '2024-03-09 18:45:41');
    INSERT INTO node_history (id, uuid, node_id, event, created_at) VALUES
        (2, '30000000-0000-4000-8000-000000000002', 7, 'old', '2024-03-09 18:45:41');";

fn said(outcome: &Outcome) -> Vec<String> {
    let kept = outcome.findings.kept().iter();
    kept.map(Finding::to_string).collect()
}

async fn what_hangs_on_nothing_is_reported_and_links_end_somewhere(engine: Engine) {
    let database = Database::create(engine);
    let source = ironic(database.directory(), &format!("{ASTRAY}{REFUSED}"));
    let outcome = import(source, &database).await.unwrap();
    let said = said(&outcome);
    for expected in [
        "node_traits node_id 99 CUSTOM_LOST: left out: it belongs to no node",
        "node_traits node_id abc CUSTOM_ODD: left out: it belongs to no node",
        "node_traits node_id NULL CUSTOM_NULL: left out: it belongs to no node",
        "bios_settings node_id abc Odd: left out: it belongs to no node",
        "bios_settings id 99: left out: it belongs to no node",
        "deploy_template_steps id 8: left out: it belongs to no deploy template",
        "runbook_steps id 9: left out: it belongs to no runbook",
        "runbook_traits runbook_id 99 CUSTOM_LOST: left out: it belongs to no runbook",
        "ports 20000000-0000-4000-8000-000000000006: portgroup_id names a port group that was left \
         out; the link is dropped",
        "ports 20000000-0000-4000-8000-000000000007: left out: the node that it belongs to was left out",
        "firmware_information 10000000-0000-4000-8000-000000000007 bios: left out: the node that it \
         belongs to was left out",
        "node_inventory 10000000-0000-4000-8000-000000000007: left out: the node that it belongs to \
         was left out",
        "allocations a0000000-0000-4000-8000-000000000003: node_id names a node that was left out; \
         the link is dropped",
        "nodes 10000000-0000-4000-8000-000000000004: allocation_id names an allocation that was left \
         out; the link is dropped",
    ] {
        assert!(
            said.iter().any(|line| line == expected),
            "{expected}: {said:#?}"
        );
    }
    for count in &outcome.tables {
        let left_out = outcome.findings.left_out(count.table);
        assert_eq!(count.read, count.taken + left_out, "{count:?}: {said:#?}");
    }
    assert_eq!(outcome.taken("firmware_information"), 0);
    let dangling = |table: &str, column: &str, other: &str| {
        database.number(&format!(
            "SELECT COUNT(*) FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN \
             (SELECT uuid FROM {other})"
        ))
    };
    for (table, column, other) in [
        ("ports", "node_uuid", "nodes"),
        ("ports", "portgroup_uuid", "portgroups"),
        ("allocations", "node_uuid", "nodes"),
        ("nodes", "allocation_uuid", "allocations"),
        ("nodes", "chassis_uuid", "chassis"),
    ] {
        assert_eq!(dangling(table, column, other), 0, "{table}.{column}");
    }
    // A port finds its port group, however its UUID was spelled.
    let grouped = "SELECT COUNT(*) FROM ports WHERE portgroup_uuid IS NOT NULL";
    assert_eq!(database.number(grouped), 1);
}

async fn bytes_in_another_encoding_are_replaced(engine: Engine) {
    let database = Database::create(engine);
    let latin1 = format!(
        "UPDATE nodes SET description = CAST(x'53fc64' AS TEXT), \
         extra = CAST(x'7b2261223a2022fc227d' AS TEXT) WHERE uuid = '{ACTIVE}'"
    );
    let source = ironic(database.directory(), &latin1);
    let outcome = import(source, &database).await.unwrap();
    let said = said(&outcome);
    for column in ["description", "extra"] {
        let expected = format!(
            "nodes {ACTIVE}: {column} is not valid UTF-8; what cannot be read is replaced by U+FFFD"
        );
        assert!(said.contains(&expected), "{said:#?}");
    }
    let db = database.open();
    let node = store::node::find(&db, ACTIVE.parse().unwrap()).await;
    let node = node.unwrap().unwrap();
    assert_eq!(node.description.as_deref(), Some("S\u{fffd}d"));
    assert_eq!(Value::Object(node.extra), json!({"a": "\u{fffd}"}));
}

#[test]
fn a_dry_run_says_what_the_import_would_refuse() {
    let folder = tempfile::tempdir().unwrap();
    let more = "INSERT INTO conductors (id, hostname, online, conductor_group, updated_at) VALUES \
        (1, 'ctl1', 1, '', strftime('%Y-%m-%d %H:%M:%S', 'now'))";
    let Location::Sqlite(source) = ironic(folder.path(), more) else {
        panic!("a file")
    };
    let migrate = |words: &[&str]| -> (bool, String) { from_ironic(&source, folder.path(), words) };
    let (went_well, said) = migrate(&["--dry-run"]);
    assert!(went_well, "{said}");
    for expected in [
        "the import would be refused: conductors are at work on 1 nodes",
        "ports: 4 read, 2 taken, 2 left out",
        "dry run: nothing was written",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(!folder.path().join("corten.db").exists());
    let (went_well, said) = migrate(&["--dry-run", "--with-working"]);
    assert!(went_well && said.contains("would be refused: conductors of Ironic are alive (ctl1)"));
    let (went_well, said) = migrate(&["--with-working"]);
    assert!(!went_well && said.contains("nothing was imported: conductors of Ironic are alive"));
    let anyway = ["--with-working", "--with-conductors"];
    let (went_well, said) = migrate(&anyway);
    assert!(went_well && said.contains("imported 5 nodes"), "{said}");
    let (went_well, said) = migrate(&[&anyway[..], &["--dry-run"]].concat());
    assert!(went_well && !said.contains("would be refused"), "{said}");
    let changed = rusqlite::Connection::open(folder.path().join("corten.db")).unwrap();
    changed
        .execute("UPDATE nodes SET version = version + 1", [])
        .unwrap();
    drop(changed);
    let (went_well, said) = migrate(&[&anyway[..], &["--dry-run"]].concat());
    let expected = "was changed since the last import";
    assert!(went_well && said.contains(expected), "{said}");
}

/// Runs `corten migrate from-ironic` with a database in a folder; whether it went well, and all that
/// it said.
fn from_ironic(source: &Path, folder: &Path, words: &[&str]) -> (bool, String) {
    let output = std::process::Command::new(crate::program::path())
        .args(["migrate", "from-ironic", "--source"])
        .arg(format!("sqlite:///{}", source.display()))
        .arg("--data-dir")
        .arg(folder)
        .args(words)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    (output.status.success(), said)
}
