//! The database and its keys: opening them for the service, and `corten db …`.
//!
//! A SQLite database belongs to one service at a time, which holds a lock beside it; commands that
//! only read or reseal work next to it. Keys are made here only together with a new database:
//! fresh keys for an old one would hide that its own are lost.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a command of its own, which serves nothing"
)]

mod backup;
mod check;

use crate::{args, console::print, owner, settings, sources};
use anyhow::{Context, bail};
use config::Config;
use std::{
    fmt,
    fs::{File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    process::ExitCode,
};
use store::{
    Db, KeyRing, Location, SCHEMA_AHEAD, SchemaState, Upgrade,
    dump::Dump,
    load::{Existing, Load},
    schema_version,
};

pub(crate) fn run(command: &args::Db) -> anyhow::Result<ExitCode> {
    match command {
        args::Db::Upgrade(common) => upgrade(&load(common)?),
        args::Db::Version(common) => version(&load(common)?),
        args::Db::Check(common) => check::run(&load(common)?),
        args::Db::RotateKey(common) => rotate_key(&load(common)?),
        args::Db::Backup(args) => backup::backup(args),
        args::Db::Restore(args) => backup::restore(args),
    }
}

/// Loads the configuration and prints its warnings.
fn load(common: &args::Common) -> anyhow::Result<Config> {
    let (config, warnings) = sources::load(common)?;
    for warning in warnings {
        crate::console::note(&format!("warning: {warning}"));
    }
    Ok(config)
}

/// Exclusive use of a database, for as long as this value lives. Only files are locked: servers
/// are made to be shared.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Option<File>,
}

impl Lock {
    fn take(location: &Location) -> anyhow::Result<Self> {
        let Location::Sqlite(database) = location else {
            return Ok(Self { _file: None });
        };
        let path = Self::path(database);
        let cannot = || format!("cannot lock {}", path.display());
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .with_context(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => bail!(
                "another service uses the database {}; stop it, or use another --data-dir",
                database.display()
            ),
            Err(TryLockError::Error(error)) => Err(error).with_context(cannot),
        }
    }

    /// Whether it is certain that no service uses the database now.
    fn is_free(location: &Location) -> bool {
        match location {
            Location::Sqlite(database) => {
                File::open(Self::path(database)).is_ok_and(|file| file.try_lock_shared().is_ok())
            }
            Location::Postgres(_) | Location::MariaDb(_) => false,
        }
    }

    fn path(database: &Path) -> PathBuf {
        let mut path = database.as_os_str().to_owned();
        path.push(".lock");
        PathBuf::from(path)
    }
}

/// The database, and the key file for its secrets.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseConfig {
    location: Location,
    key_file: PathBuf,
}

impl DatabaseConfig {
    pub(crate) fn of(config: &Config) -> Result<Self, settings::SettingsError> {
        Ok(Self {
            location: settings::database(config)?,
            key_file: settings::key_file(config),
        })
    }

    /// An embedded database that is not that of a configuration.
    pub(crate) fn embedded(file: PathBuf, key_file: PathBuf) -> Self {
        Self {
            location: Location::Sqlite(file),
            key_file,
        }
    }

    /// Opens the database for a service. An embedded one is brought up to date on the way; one
    /// that may be shared is only created, since other processes may still need the older schema.
    pub(crate) fn open(&self) -> anyhow::Result<(Db, Lock)> {
        // A foreign database is refused here, before anything is put beside it.
        let found = self.found()?;
        let lock = Lock::take(&self.location)?;
        let upgrade = match self.location {
            Location::Sqlite(_) => Upgrade::Run,
            Location::Postgres(_) | Location::MariaDb(_) => Upgrade::OnlyCreate,
        };
        let keys = self.keys(found)?;
        let db = Db::open(&self.location, keys, upgrade).with_context(|| self.to_string())?;
        Ok((db, lock))
    }

    /// Opens a database that must be there and up to date, and changes neither.
    pub(crate) fn open_existing(&self) -> anyhow::Result<Db> {
        if self.found()? == SchemaState::Empty {
            bail!("{self}: the database has no schema yet");
        }
        let keys = KeyRing::load(&self.key_file)?;
        Db::open(&self.location, keys, Upgrade::OnlyCreate).with_context(|| self.to_string())
    }

    /// Keeps services from a database that exists, where that can be done.
    pub(crate) fn lock_existing(&self) -> anyhow::Result<Lock> {
        if self.found()? == SchemaState::Empty {
            bail!("{self}: the database has no schema yet");
        }
        Lock::take(&self.location)
    }

    /// All rows of a database that exists, as they are at one moment.
    pub(crate) fn dump(&self) -> anyhow::Result<Dump> {
        let db = self.open_existing()?;
        Dump::open(db.location(), db.keys().clone()).with_context(|| self.to_string())
    }

    /// Why an import into this database would be refused as it is now. Nothing is changed.
    pub(crate) fn import_refusal(&self, existing: Existing) -> Option<String> {
        let asked = self.ask_for_import(existing);
        asked.err().map(|reason| format!("{reason:#}"))
    }

    fn ask_for_import(&self, existing: Existing) -> anyhow::Result<()> {
        let found = self.found()?;
        match (&self.location, found) {
            // It is made, or brought up to date, by the import.
            (Location::Sqlite(_), SchemaState::Empty) => return Ok(()),
            (Location::Sqlite(_), SchemaState::Version(version)) if version < schema_version() => {
                return Ok(());
            }
            (Location::Sqlite(file), _) => {
                if Lock::path(file).exists() && !Lock::is_free(&self.location) {
                    bail!("a service uses {self}");
                }
            }
            (_, SchemaState::Empty) => return self.keys(found).map(drop),
            (_, SchemaState::Version(_)) => {}
        }
        drop(self.open_existing()?);
        Load::refusal(&self.location, existing).with_context(|| self.to_string())
    }

    /// The keys of a database that holds what was found; made on the spot for a new embedded one.
    fn keys(&self, found: SchemaState) -> anyhow::Result<KeyRing> {
        let file = &self.key_file;
        if file.exists() {
            return Ok(KeyRing::load(file)?);
        }
        match self.location {
            Location::Sqlite(_) if found == SchemaState::Empty => {
                Ok(KeyRing::load_or_create(file)?)
            }
            Location::Sqlite(_) => bail!(
                "the database exists, but the key file for its secrets is missing: restore {}, \
                 or let 'corten db rotate-key' make a new one and enter all passwords again",
                file.display()
            ),
            Location::Postgres(_) | Location::MariaDb(_) => bail!(
                "key file {} not found: copy it from another host of this service, or make the \
                 first one with 'corten db rotate-key'",
                file.display()
            ),
        }
    }

    /// What the database holds. A file that is not there is not created by asking.
    pub(crate) fn found(&self) -> anyhow::Result<SchemaState> {
        match &self.location {
            Location::Sqlite(file) if !file.exists() => Ok(SchemaState::Empty),
            location => store::inspect(location).with_context(|| self.to_string()),
        }
    }
}

impl fmt::Display for DatabaseConfig {
    /// How the database is called in messages; never with its password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Location::Sqlite(file) => write!(f, "database {}", file.display()),
            Location::Postgres(_) | Location::MariaDb(_) => {
                f.write_str("the database of [database]connection")
            }
        }
    }
}

fn upgrade(config: &Config) -> anyhow::Result<ExitCode> {
    let place = DatabaseConfig::of(config)?;
    owner::write_as_owner(config);
    let found = place.found()?;
    if matches!(place.location, Location::Sqlite(_)) {
        sources::create_data_dir(config)?;
        place.keys(found)?;
    }
    let (before, after) = store::upgrade(&place.location).with_context(|| place.to_string())?;
    print(&match before {
        0 => format!("{place}: schema created at version {after}"),
        same if same == after => format!("{place}: the schema is at version {after} already"),
        older => format!("{place}: schema upgraded from version {older} to {after}"),
    })?;
    if before > 0 && after - before > SCHEMA_AHEAD {
        let least = after - SCHEMA_AHEAD;
        crate::console::note(&format!(
            "note: programs older than version {least} cannot serve this database any more; those \
             that run end by themselves"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn version(config: &Config) -> anyhow::Result<ExitCode> {
    let place = DatabaseConfig::of(config)?;
    let mine = schema_version();
    print(&match place.found()? {
        SchemaState::Empty => {
            format!("{place}: no schema yet; this program makes version {mine} on its first start")
        }
        SchemaState::Version(version) if version == mine => {
            format!("{place}: schema version {mine}, which this program needs")
        }
        SchemaState::Version(version) if version > mine => format!(
            "{place}: schema version {version}; this program is made for {mine} and serves it as \
             well, until it is replaced by a later one"
        ),
        SchemaState::Version(version) => format!(
            "{place}: schema version {version}; this program needs {mine}, and 'corten db \
             upgrade' brings it there"
        ),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn rotate_key(config: &Config) -> anyhow::Result<ExitCode> {
    let place = DatabaseConfig::of(config)?;
    owner::write_as_owner(config);
    let file = place.key_file.display();
    if place.key_file.exists() {
        let db = place.open_existing()?;
        let key = db.keys().add_key()?;
        print(&format!("{file}: key {key} is the newest now"))?;
        return reseal(&db);
    }
    let found = place.found()?;
    sources::create_data_dir(config)?;
    KeyRing::load_or_create(&place.key_file)?;
    print(&format!("{file}: created with a fresh key"))?;
    match found {
        // Before the first start there is nothing to seal anew.
        SchemaState::Empty => Ok(ExitCode::SUCCESS),
        SchemaState::Version(_) => reseal(&place.open_existing()?),
    }
}

fn reseal(db: &Db) -> anyhow::Result<ExitCode> {
    let rotation = crate::serve::in_runtime(async {
        store::rotate_secrets(db)
            .await
            .context("cannot re-encrypt the secrets")
    })?;
    let rewritten = rotation.rewritten;
    print(&format!("secrets in {rewritten} rows re-encrypted"))?;
    if rotation.failures.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    for failure in &rotation.failures {
        print(failure)?;
    }
    bail!(
        "no key decrypts {} secrets: they were left unchanged; enter them again",
        rotation.failures.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: &tempfile::TempDir) -> DatabaseConfig {
        DatabaseConfig {
            location: Location::Sqlite(folder.path().join("db")),
            key_file: folder.path().join("keys"),
        }
    }

    #[track_caller]
    fn refused(opened: anyhow::Result<(Db, Lock)>, words: &str) {
        let error = format!("{:#}", opened.map(|_| ()).unwrap_err());
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn a_database_belongs_to_one_service_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(&folder);
        assert!(!Lock::is_free(&place.location), "nothing is known yet");
        let first = place.open().unwrap();
        refused(place.open(), "another service uses the database");
        assert!(!Lock::is_free(&place.location));
        assert!(
            place.open_existing().is_ok(),
            "commands work beside a service"
        );
        drop(first);
        assert!(Lock::is_free(&place.location));
        assert!(place.open().is_ok());
    }

    #[test]
    fn lost_keys_are_not_replaced_in_silence() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(&folder);
        drop(place.open().unwrap());
        std::fs::remove_file(&place.key_file).unwrap();
        refused(place.open(), "is missing: restore");
        assert!(!place.key_file.exists());
    }

    #[test]
    fn a_shared_database_brings_no_keys_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let place = DatabaseConfig {
            location: Location::Postgres(store::Postgres::parse("").unwrap()),
            key_file: folder.path().join("keys"),
        };
        let error = place.keys(SchemaState::Empty).unwrap_err().to_string();
        assert!(error.contains("corten db rotate-key"), "{error}");
    }

    #[test]
    fn asking_about_a_database_does_not_create_it() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(&folder);
        assert_eq!(place.found().unwrap(), SchemaState::Empty);
        assert!(place.open_existing().is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
