//! An import that is killed again and again ends as one that never was.

use super::*;
use crate::program;
use std::{
    process::{Child, Command, Stdio},
    time::Instant,
};

every_engine!(an_import_that_is_killed_again_and_again_ends_as_any_other);

/// Enough rows for a kill to find the import in the middle of each table.
const MANY: &str = "
    WITH RECURSIVE numbers(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 499)
    INSERT INTO nodes (id, uuid, name, provision_state, driver, driver_info, extra)
        SELECT n, printf('11000000-0000-4000-8000-%012d', n), printf('many-%d', n), 'available',
            'fake-hardware', '{\"ipmi_password\": \"hunter2\"}', '{\"a\": \"b\"}' FROM numbers;
    WITH RECURSIVE numbers(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 499)
    INSERT INTO ports (id, uuid, address, node_id, pxe_enabled, created_at)
        SELECT n, printf('21000000-0000-4000-8000-%012d', n), printf('52:54:01:00:%02x:%02x', n / 256,
            n % 256), n, 1, '2024-03-09 18:45:41' FROM numbers;
    WITH RECURSIVE numbers(n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 499)
    INSERT INTO node_history (id, uuid, node_id, event, created_at)
        SELECT n, printf('31000000-0000-4000-8000-%012d', n), n, 'old', '2024-03-09 18:45:41'
        FROM numbers;";
const KILLS: u32 = 20;

async fn an_import_that_is_killed_again_and_again_ends_as_any_other(engine: Engine) {
    let folder = tempfile::tempdir().unwrap();
    let Location::Sqlite(source) = ironic(folder.path(), MANY) else {
        panic!("a file")
    };
    let nodes = |database: &Database| database.number("SELECT COUNT(*) FROM nodes");
    let start = |database: &Database| start(&source, database);

    let undisturbed = Database::create(engine);
    drop(undisturbed.open());
    let began = Instant::now();
    assert!(start(&undisturbed).wait().unwrap().success());
    let length = began.elapsed();
    assert_eq!(nodes(&undisturbed), 405);

    let killed = Database::create(engine);
    drop(killed.open());
    let mut is_there = false;
    for number in 0..KILLS {
        let mut import = start(&killed);
        // At another moment each time: this is no wait for something.
        tokio::time::sleep(length * number / KILLS).await;
        import.kill().unwrap();
        import.wait().unwrap();
        let found = nodes(&killed);
        // What came whole stays, until another import replaces it whole.
        assert!(
            found == 405 || found == 0 && !is_there,
            "kill {number}: {found} nodes"
        );
        is_there |= found == 405;
    }
    assert!(start(&killed).wait().unwrap().success());
    let (expected, found) = (
        back::lines_of(&undisturbed).await,
        back::lines_of(&killed).await,
    );
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected, found);
    }
}

fn start(source: &Path, database: &Database) -> Child {
    Command::new(program::path())
        .args(["migrate", "from-ironic", "--with-working", "--source"])
        .arg(format!("sqlite:///{}", source.display()))
        .arg("--data-dir")
        .arg(database.directory())
        .args(["--set", &format!("database.connection={}", database.url())])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}
