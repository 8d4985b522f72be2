//! Rights that are missing, and connections that break.

use super::*;
use migrate::ImportFault;
use std::sync::Arc;

every_server!(
    a_missing_right_is_no_fault_of_the_rows,
    a_lost_connection_leaves_nothing_behind,
);

async fn a_missing_right_is_no_fault_of_the_rows(engine: Engine) {
    let database = Database::create(engine);
    drop(database.open());
    let user = database.user_without("INSERT", "ports");
    let source = ironic(database.directory(), "");
    let (target, key_file) = (database.location_as(&user), database.key_file());
    let fault = aside(move || {
        let keys = KeyRing::load(&key_file).unwrap();
        let load = Load::begin(&target, keys, Existing::Keep, Purpose::Move).unwrap();
        Import::open(&source).unwrap().run(load).unwrap_err()
    });
    let fault = fault.await;
    assert!(matches!(fault, ImportFault::Target(_)), "{fault:?}");
    let reason = types::error::chain(&fault);
    assert!(reason.contains("denied"), "{reason}");
    assert_eq!(database.number("SELECT COUNT(*) FROM nodes"), 0);

    // Of a source, what may not be read does not count as empty.
    let source = back::ironic_on(engine);
    let user = source.user_without("SELECT", "ports");
    let (location, target, key_file) = (
        source.location_as(&user),
        database.location(),
        database.key_file(),
    );
    let fault = aside(move || {
        let keys = KeyRing::load(&key_file).unwrap();
        let load = Load::begin(&target, keys, Existing::Keep, Purpose::Move).unwrap();
        Import::open(&location).unwrap().run(load).unwrap_err()
    });
    let fault = fault.await;
    assert!(matches!(fault, ImportFault::Source(_)), "{fault:?}");
    let reason = types::error::chain(&fault);
    assert!(reason.contains("denied"), "{reason}");
    assert_eq!(database.number("SELECT COUNT(*) FROM nodes"), 0);
}

async fn a_lost_connection_leaves_nothing_behind(engine: Engine) {
    let database = Arc::new(Database::create(engine));
    let source = Arc::new(back::ironic_on(engine));
    drop(database.open());
    let load = |database: &Arc<Database>| {
        let keys = KeyRing::load(&database.key_file()).unwrap();
        Load::begin(&database.location(), keys, Existing::Keep, Purpose::Move).unwrap()
    };
    let (ours, theirs) = (Arc::clone(&database), Arc::clone(&source));
    aside(move || {
        let import = Import::open(&theirs.location()).unwrap();
        theirs.cut_connections();
        let fault = import.run(load(&ours)).unwrap_err();
        assert!(matches!(fault, ImportFault::Source(_)), "{fault:?}");

        let import = Import::open(&theirs.location()).unwrap();
        let begun = load(&ours);
        ours.cut_connections();
        let fault = import.run(begun).unwrap_err();
        assert!(matches!(fault, ImportFault::Target(_)), "{fault:?}");
        assert_eq!(ours.number("SELECT COUNT(*) FROM nodes"), 0);

        // It is simply run again.
        let import = Import::open(&theirs.location()).unwrap();
        import.run(load(&ours)).unwrap();
    })
    .await;
    assert_eq!(database.number("SELECT COUNT(*) FROM nodes"), 5);
}
