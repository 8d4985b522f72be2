//! `corten db backup` and `corten db restore`: the embedded database as one file, and back.
//!
//! A backup is made beside a running service. What appears under the name that was asked for is
//! whole, checked and on the disk, or nothing appears. Keys are not put into it: a backup that
//! opens its own secrets is a list of all passwords.
//!
//! A restoration needs the database for itself. What was there is kept under another name; at no
//! moment is there no database, from which a service that starts just then would make an empty one.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a command of its own, which serves nothing"
)]

use super::{DatabaseConfig, Lock, load};
use crate::{
    args,
    console::{note, print},
    owner, sources,
};
use anyhow::{Context, bail};
use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
    process::ExitCode,
};
use store::{
    KeyRing, Location, SchemaState,
    backup::{self, Contents, Retired},
};
use tempfile::TempPath;
use types::Timestamp;

/// What lies beside a database that is in use.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

pub(super) fn backup(args: &args::Backup) -> anyhow::Result<ExitCode> {
    let place = DatabaseConfig::of(&load(&args.common)?)?;
    let database = place.file("back it up")?;
    let contents = write(&place, database, &args.file, args.force)?;
    let size = fs::metadata(&args.file).map_or(0, |found| found.len());
    print(&format!(
        "{}: {}, {}.{} MB",
        args.file.display(),
        told(&contents),
        size / 1_000_000,
        size % 1_000_000 / 100_000
    ))?;
    if !contents.keys.is_empty() {
        note(&format!(
            "The keys that open the passwords in it are not in it. Keep a copy of {}, apart from \
             the backup: without it, all passwords must be entered anew.",
            place.key_file.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn told(contents: &Contents) -> String {
    let Contents { nodes, schema, .. } = contents;
    let event = contents.newest_event;
    format!("{nodes} nodes, schema version {schema}, events up to {event}")
}

fn write(
    place: &DatabaseConfig,
    database: &Path,
    target: &Path,
    force: bool,
) -> anyhow::Result<Contents> {
    match place.found()? {
        SchemaState::Version(_) => {}
        SchemaState::Empty => bail!("{place}: the database is empty: nothing to back up"),
    }
    refuse_own_files(database, target)?;
    let named = || target.display().to_string();
    if !force && target.symlink_metadata().is_ok() {
        bail!("{}: the file exists; --force replaces it", named());
    }
    let folder = folder_of(target);
    let copy = empty_file(folder, "corten-backup-").with_context(named)?;
    backup::copy(database, &copy).with_context(|| place.to_string())?;
    let contents = backup::examine(&copy).context("verification of the backup failed")?;
    on_disk(&copy).with_context(named)?;
    match force {
        true => copy.persist(target).map_err(|error| error.error),
        // The file may have been created meanwhile.
        false => copy.persist_noclobber(target).map_err(|error| error.error),
    }
    .with_context(named)?;
    on_disk(folder).with_context(named)?;
    Ok(contents)
}

/// A backup over the database, or over what belongs to it, would be the end of both.
fn refuse_own_files(database: &Path, target: &Path) -> anyhow::Result<()> {
    let own = COMPANIONS.iter().copied().chain(["", ".lock"]);
    let whole = |path: &Path| {
        let folder = fs::canonicalize(folder_of(path)).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let target = fs::canonicalize(target).ok().or_else(|| whole(target));
    let database = fs::canonicalize(database).ok();
    let (Some(target), Some(database)) = (target, database) else {
        return Ok(());
    };
    for suffix in own {
        if beside(&database, suffix) == target {
            bail!(
                "{}: this is a file of the database itself",
                target.display()
            );
        }
    }
    Ok(())
}

pub(super) fn restore(args: &args::Restore) -> anyhow::Result<ExitCode> {
    let config = load(&args.common)?;
    let place = DatabaseConfig::of(&config)?;
    let database = place.file("restore it")?;
    sources::create_data_dir(&config)?;
    owner::write_as_owner(&config);
    let lock = Lock::take(&place.location)?;
    let copy = fetched(&args.file, database)?;
    let contents = backup::examine(&copy)
        .with_context(|| format!("{}: not a usable backup", args.file.display()))?;
    place.needs(&contents, args.without_keys)?;
    let aside = replace(database, copy)?;
    drop(lock);
    print(&format!(
        "{place}: restored from {}: {}",
        args.file.display(),
        told(&contents)
    ))?;
    if let Some(aside) = aside {
        print(&format!("what was there is now {}", aside.display()))?;
    }
    note(
        "Start the service: it takes up what was under way at the time of the backup, as after a \
         crash. It knows nothing of what happened later; compare it with the machines before you \
         deploy or delete anything.",
    );
    Ok(ExitCode::SUCCESS)
}

/// The backup beside the database, as a file of our own: what is looked at is what is used.
fn fetched(backup: &Path, database: &Path) -> anyhow::Result<TempPath> {
    let named = || backup.display().to_string();
    let found = fs::metadata(backup).with_context(named)?;
    if !found.is_file() {
        bail!("{}: not a regular file", named());
    }
    let is_itself = fs::metadata(database)
        .is_ok_and(|old| (old.dev(), old.ino()) == (found.dev(), found.ino()));
    if is_itself {
        bail!("{}: this is the database itself", named());
    }
    let wal = beside(backup, "-wal");
    if fs::metadata(&wal).is_ok_and(|wal| wal.len() > 0) {
        bail!(
            "{}: not a backup, but a database in use or a copy of one: part of it is \
             in {}. Make one with 'corten db backup'",
            named(),
            wal.display()
        );
    }
    let copy = empty_file(folder_of(database), "corten-restore-")
        .with_context(|| format!("cannot create a file next to {}", database.display()))?;
    let mut from = File::open(backup).with_context(named)?;
    let mut to = fs::OpenOptions::new().write(true).open(&copy)?;
    io::copy(&mut from, &mut to).with_context(|| format!("cannot copy {}", named()))?;
    Ok(copy)
}

/// Puts a copy in the place of the database; says where the old one is now.
fn replace(database: &Path, copy: TempPath) -> anyhow::Result<Option<PathBuf>> {
    let named = || format!("database {}", database.display());
    let old = fs::metadata(database).ok();
    let retired = match old {
        Some(_) => Some(backup::retire(database).with_context(named)?),
        None => None,
    };
    let floor = match retired {
        Some(Retired::Whole(newest)) => newest.unwrap_or(0),
        Some(Retired::Broken) | None => 0,
    };
    backup::revive(&copy, floor).context("cannot prepare the backup")?;
    // This command may run as another user than the service.
    let owner = old.map_or_else(|| fs::metadata(folder_of(database)), Ok)?;
    belongs_to(&copy, &owner).with_context(named)?;
    belongs_to(&Lock::path(database), &owner).with_context(named)?;
    on_disk(&copy).with_context(named)?;
    let aside = match retired {
        Some(_) => Some(set_aside(database).with_context(named)?),
        None => None,
    };
    copy.persist(database)
        .map_err(|error| error.error)
        .with_context(named)?;
    on_disk(folder_of(database)).with_context(named)?;
    Ok(aside)
}

/// Gives the old database a second name, and takes away what would be read together with the new
/// one.
fn set_aside(database: &Path) -> io::Result<PathBuf> {
    let now = Timestamp::now().naive();
    let digits = now.split('.').next().unwrap_or_default();
    let digits = digits.replace(['-', ':'], "");
    let mut aside = beside(database, &format!(".before-restore-{digits}"));
    for again in 1.. {
        if aside.symlink_metadata().is_err() {
            break;
        }
        aside = beside(database, &format!(".before-restore-{digits}-{again}"));
    }
    fs::hard_link(database, &aside)?;
    for companion in COMPANIONS {
        match fs::rename(beside(database, companion), beside(&aside, companion)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}

impl DatabaseConfig {
    /// The file of an embedded database; a server has better means.
    fn file(&self, wish: &str) -> anyhow::Result<&Path> {
        let tools = match &self.location {
            Location::Sqlite(file) => return Ok(file),
            Location::Postgres(_) => "pg_dump and pg_restore",
            Location::MariaDb(_) => {
                "mariadb-dump --single-transaction and mariadb, or with mariabackup"
            }
        };
        bail!(
            "{self} is on a server: {wish} with {tools}, and keep a copy of the key file {} apart \
             from the backup",
            self.key_file.display()
        )
    }

    /// Makes sure that there are keys for the secrets of a backup.
    fn needs(&self, contents: &Contents, without_keys: bool) -> anyhow::Result<()> {
        let file = self.key_file.display();
        if !self.key_file.exists() {
            if contents.keys.is_empty() {
                KeyRing::load_or_create(&self.key_file)?;
                return Ok(());
            }
            if !without_keys {
                bail!(
                    "key file {file} not found, and the passwords in the backup are encrypted with \
                     keys of one: put the copy there that was kept with the backup, or use \
                     --without-keys and enter all passwords anew"
                );
            }
            return Ok(());
        }
        let missing = KeyRing::load(&self.key_file)?.missing(&contents.keys);
        if !missing.is_empty() && !without_keys {
            bail!(
                "the key file {file} does not have {}, which passwords in the backup are encrypted \
                 with: add the lines of the key file that belongs to it, or use --without-keys and \
                 enter those passwords anew",
                missing.join(", ")
            );
        }
        Ok(())
    }
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file that only its owner can read, deleted when dropped.
fn empty_file(folder: &Path, prefix: &str) -> io::Result<TempPath> {
    let made = tempfile::Builder::new()
        .prefix(prefix)
        .suffix(".partial")
        .permissions(fs::Permissions::from_mode(0o600))
        .tempfile_in(folder)?;
    Ok(made.into_temp_path())
}

/// Returns when the disk has it: a file, or the names in a folder.
fn on_disk(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn belongs_to(path: &Path, owner: &fs::Metadata) -> io::Result<()> {
    let now = fs::metadata(path)?;
    if (now.uid(), now.gid()) == (owner.uid(), owner.gid()) {
        return Ok(());
    }
    chown(path, Some(owner.uid()), Some(owner.gid()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{Db, Postgres, node::Log};
    use types::{Node, NodeId};

    struct Fixture {
        folder: tempfile::TempDir,
        place: DatabaseConfig,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let place = DatabaseConfig {
                location: Location::Sqlite(folder.path().join("db")),
                key_file: folder.path().join("keys"),
            };
            Self { folder, place }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn write(&self, name: &str, force: bool) -> anyhow::Result<Contents> {
            write(&self.place, &self.path("db"), &self.path(name), force)
        }

        /// What `corten db restore` does, short of reading its arguments.
        fn restore(&self, name: &str) -> anyhow::Result<Option<PathBuf>> {
            let database = self.path("db");
            let _lock = Lock::take(&self.place.location)?;
            let copy = fetched(&self.path(name), &database)?;
            self.place.needs(&backup::examine(&copy)?, false)?;
            replace(&database, copy)
        }

        /// Returns when nobody has the database open any more. The threads that own connections end
        /// by themselves, a moment after the last handle; the last of them leaves one file.
        fn rests(&self) {
            while self.path("db-wal").exists() {
                std::thread::yield_now();
            }
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.folder.path()).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        }
    }

    fn node(db: &Db) {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        let password = serde_json::json!("hunter2");
        node.driver_info.insert("password".into(), password);
        let insert = store::node::insert(db, node, Log::default());
        crate::serve::in_runtime(async { Ok(insert.await?) }).unwrap();
    }

    #[track_caller]
    fn refused<T: std::fmt::Debug>(outcome: anyhow::Result<T>, words: &str) {
        let error = format!("{:#}", outcome.unwrap_err());
        assert!(error.contains(words), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn a_backup_is_made_beside_a_service_and_restored_without_one() {
        let scene = Fixture::new();
        refused(scene.write("b", false), "nothing to back up");
        let (db, lock) = scene.place.open().unwrap();
        node(&db);
        let contents = scene.write("b", false).unwrap();
        assert_eq!((contents.nodes, contents.keys.len()), (1, 1));
        let mode = fs::metadata(scene.path("b")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let bytes = fs::read(scene.path("b")).unwrap();
        assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
        refused(scene.write("b", false), "--force replaces it");
        assert_eq!(fs::read(scene.path("b")).unwrap(), bytes, "it is untouched");
        node(&db);
        assert_eq!(scene.write("b", true).unwrap().nodes, 2);
        refused(scene.write("missing/b", false), "No such file");
        node(&db);
        refused(scene.restore("b"), "another service uses the database");
        drop((db, lock));
        scene.rests();
        let aside = scene.restore("b").unwrap().unwrap();
        let left: Vec<String> = scene.names();
        assert!(
            !left.iter().any(|name| name.contains("partial")),
            "{left:?}"
        );
        assert!(!left.iter().any(|name| name.ends_with("-wal")), "{left:?}");
        let nodes = |file: &Path| backup::examine(file).unwrap().nodes;
        assert_eq!((nodes(&scene.path("db")), nodes(&aside)), (2, 3));
        let mode = fs::metadata(scene.path("db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // A second one keeps the first one's.
        let second = scene.restore("b").unwrap().unwrap();
        assert_ne!(aside, second);
        assert!(aside.exists() && second.exists());
        assert!(scene.place.open().is_ok());
    }

    #[test]
    fn what_belongs_to_the_database_is_not_written_over() {
        let scene = Fixture::new();
        let _open = scene.place.open().unwrap();
        std::os::unix::fs::symlink(scene.path("db"), scene.path("link")).unwrap();
        for name in ["db", "db-wal", "db.lock", "link"] {
            refused(scene.write(name, true), "a file of the database itself");
        }
    }

    #[test]
    fn a_backup_without_its_keys_is_refused() {
        let scene = Fixture::new();
        let (db, lock) = scene.place.open().unwrap();
        node(&db);
        scene.write("b", false).unwrap();
        drop((db, lock));
        let elsewhere = Fixture::new();
        fs::copy(scene.path("b"), elsewhere.path("b")).unwrap();
        refused(elsewhere.restore("b"), "not found, and the passwords");
        KeyRing::load_or_create(&elsewhere.path("keys")).unwrap();
        refused(elsewhere.restore("b"), "does not have k");
        assert!(!elsewhere.path("db").exists());
        fs::copy(scene.path("keys"), elsewhere.path("keys")).unwrap();
        assert_eq!(elsewhere.restore("b").unwrap(), None);
        assert!(elsewhere.place.open().is_ok());
    }

    #[test]
    fn what_is_no_backup_changes_nothing() {
        let scene = Fixture::new();
        drop(scene.place.open().unwrap());
        scene.rests();
        let before = fs::read(scene.path("db")).unwrap();
        fs::write(scene.path("text"), "words ".repeat(999)).unwrap();
        refused(scene.restore("text"), "not a database");
        refused(scene.restore("missing"), "No such file");
        refused(scene.restore("db"), "the database itself");
        fs::create_dir(scene.path("folder")).unwrap();
        refused(scene.restore("folder"), "not a regular file");
        fs::write(scene.path("used"), "x").unwrap();
        fs::write(scene.path("used-wal"), "y").unwrap();
        refused(scene.restore("used"), "not a backup");
        assert_eq!(fs::read(scene.path("db")).unwrap(), before);
        let names = scene.names();
        assert!(
            !names.iter().any(|name| name.contains("partial")),
            "{names:?}"
        );
        assert!(
            !names.iter().any(|name| name.contains("before")),
            "{names:?}"
        );
    }

    #[test]
    fn a_broken_database_is_set_aside_with_all_that_belongs_to_it() {
        let scene = Fixture::new();
        let (db, lock) = scene.place.open().unwrap();
        node(&db);
        scene.write("b", false).unwrap();
        drop((db, lock));
        scene.rests();
        fs::write(scene.path("db"), "broken ".repeat(999)).unwrap();
        fs::write(scene.path("db-wal"), "rest").unwrap();
        let aside = scene.restore("b").unwrap().unwrap();
        assert_eq!(fs::read(beside(&aside, "-wal")).unwrap(), b"rest");
        assert!(!scene.path("db-wal").exists());
        assert_eq!(backup::examine(&scene.path("db")).unwrap().nodes, 1);
    }

    #[test]
    fn servers_have_tools_of_their_own() {
        let place = DatabaseConfig {
            location: Location::Postgres(Postgres::parse("postgresql://u:hunter2@h/d").unwrap()),
            key_file: "keys".into(),
        };
        refused(place.file("back it up"), "pg_dump");
    }
}
