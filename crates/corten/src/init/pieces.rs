//! What a service needs besides its configuration: keys, users, a certificate, a ramdisk, a folder
//! of images.
//!
//! Everything is made in a hidden folder inside the data folder and moved to its place when all of
//! it is there. What is in its place already is kept: keys because nothing else opens the secrets in
//! the database, the rest because the operator may have changed it.

use super::{
    answers::{Answers, Auth, Password},
    place::{InstallPaths, Owner},
};
use crate::{
    account::add_administrator, args, console::note, db::DatabaseConfig, serve, settings::DATABASE,
};
use anyhow::{Context, bail};
use api::auth::users;
use clap::Parser;
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SanType};
use std::{
    fs::{self, File, TryLockError},
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};
use store::KeyRing;

/// Where the parts are, for the configuration.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) users: PathBuf,
    pub(super) certificate: PathBuf,
    pub(super) certificate_key: PathBuf,
    pub(super) ramdisk: PathBuf,
    pub(super) images: PathBuf,
}

/// The folder in which things are made. Removed at the end; one that a crash left is removed by the
/// next run.
#[derive(Debug)]
pub(super) struct Staging {
    folder: tempfile::TempDir,
    _lock: File,
}

const STAGING: &str = ".init-";
/// The file of names and passwords.
pub(super) const USERS: &str = "htpasswd";
const KEYS: &str = "keys";

impl Staging {
    pub(super) fn open(place: &InstallPaths) -> anyhow::Result<Self> {
        let data = &place.data;
        let cannot = || format!("cannot use the data folder {}", data.display());
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(data)
            .with_context(cannot)?;
        let lock = File::create(data.join(".init.lock")).with_context(cannot)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("another `corten init` is at work there"),
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        for entry in fs::read_dir(data).with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            if entry.file_name().to_string_lossy().starts_with(STAGING) && entry.path().is_dir() {
                fs::remove_dir_all(entry.path()).with_context(cannot)?;
            }
        }
        let folder = tempfile::Builder::new()
            .prefix(STAGING)
            .tempdir_in(data)
            .with_context(cannot)?;
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn close(self) -> anyhow::Result<()> {
        self.folder.close().context("cannot tidy up")
    }
}

/// One thing that is made, and where it goes.
#[derive(Debug)]
struct Piece {
    made: PathBuf,
    goes: PathBuf,
}

/// All things that were made.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    place: &'a InstallPaths,
    new: Vec<Piece>,
    staged: Paths,
    settled: Paths,
    has_certificate: bool,
    has_ramdisk: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn make(
        args: &args::Init,
        answers: &Answers,
        place: &'a InstallPaths,
        staging: &Staging,
    ) -> anyhow::Result<Self> {
        let settled = Paths {
            users: place.data.join(USERS),
            certificate: place.data.join("tls/api.crt"),
            certificate_key: place.data.join("tls/api.key"),
            ramdisk: place.data.join(crate::settings::RAMDISK),
            images: answers.images.clone(),
        };
        let mut pieces = Self {
            place,
            new: Vec::new(),
            staged: settled.clone(),
            settled,
            has_certificate: answers.has_tls,
            has_ramdisk: false,
        };
        pieces.keys(staging)?;
        match &answers.auth {
            Auth::Local { user, password } => pieces.database(staging, user, password)?,
            Auth::HttpBasic { user, password } => pieces.users(staging, user, password)?,
            Auth::None | Auth::Keystone { .. } => {}
        }
        let is_new_certificate = answers.has_tls && pieces.tls(staging, answers)?;
        pieces.ramdisk(staging, args, is_new_certificate)?;
        Ok(pieces)
    }

    /// Says what is to be moved from where to where, unless something is there already.
    fn stage(&mut self, staging: &Staging, name: &str) -> Option<PathBuf> {
        let goes = self.place.data.join(name);
        if goes.exists() {
            note(&format!("{} is there already, and kept", goes.display()));
            return None;
        }
        let made = staging.path().join(name);
        self.new.push(Piece {
            made: made.clone(),
            goes,
        });
        Some(made)
    }

    fn keys(&mut self, staging: &Staging) -> anyhow::Result<()> {
        if let Some(file) = self.stage(staging, KEYS) {
            KeyRing::load_or_create(&file)?;
        }
        Ok(())
    }

    /// A password that was made up is kept in a file. It is moved before the users, so that a run that
    /// is cut off never leaves users whose password is lost.
    fn password(&mut self, staging: &Staging, password: &Password) -> anyhow::Result<()> {
        if let Password::MadeUp(text) = password {
            let made = staging.path().join("admin-password");
            let mut options = fs::OpenOptions::new();
            let file = options.create_new(true).write(true).mode(0o600).open(&made);
            file.and_then(|mut file| writeln!(file, "{text}"))
                .context("cannot write the password")?;
            self.new.push(Piece {
                made,
                goes: self.place.password_file(),
            });
        }
        Ok(())
    }

    /// A database with the first user, who is administrator.
    fn database(
        &mut self,
        staging: &Staging,
        user: &str,
        password: &Password,
    ) -> anyhow::Result<()> {
        self.password(staging, password)?;
        let Some(file) = self.stage(staging, DATABASE) else {
            return Ok(());
        };
        let Some(text) = password.text() else {
            bail!("{} is gone; start again", file.display());
        };
        let new_keys = staging.path().join(KEYS);
        let keys = match new_keys.exists() {
            true => new_keys,
            false => self.place.data.join(KEYS),
        };
        let filled = staging.path().join("filled.db");
        let (db, _lock) = DatabaseConfig::embedded(filled.clone(), keys).open()?;
        serve::in_runtime(add_administrator(db, "this host", user, text))?;
        // What is moved is one file, and whole.
        store::backup::copy(&filled, &file).context("cannot write the database")?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))
            .context("cannot write the database")
    }

    fn users(&mut self, staging: &Staging, user: &str, password: &Password) -> anyhow::Result<()> {
        self.password(staging, password)?;
        if let Some(file) = self.stage(staging, USERS)
            && let Some(text) = password.text()
        {
            users::add(&file, user, text)?;
            self.staged.users = file;
        }
        Ok(())
    }

    /// A certificate that is signed by itself, and that clients and agents trust by name; whether it is
    /// new.
    fn tls(&mut self, staging: &Staging, answers: &Answers) -> anyhow::Result<bool> {
        let Some(folder) = self.stage(staging, "tls") else {
            return Ok(false);
        };
        let mut params = CertificateParams::new(vec!["localhost".to_owned()])?;
        params.distinguished_name = DistinguishedName::new();
        params
            .distinguished_name
            .push(DnType::CommonName, "Corten API");
        for address in [answers.attached.address, std::net::Ipv4Addr::LOCALHOST] {
            params
                .subject_alt_names
                .push(SanType::IpAddress(address.into()));
        }
        let key = KeyPair::generate().context("cannot make a key")?;
        let certificate = params.self_signed(&key).context("cannot sign")?;
        fs::DirBuilder::new()
            .mode(0o755)
            .create(&folder)
            .context("cannot make a folder for the certificate")?;
        let write = |name: &str, mode: u32, text: &str| -> anyhow::Result<PathBuf> {
            let path = folder.join(name);
            let mut options = fs::OpenOptions::new();
            let file = options.create_new(true).write(true).mode(mode).open(&path);
            file.and_then(|mut file| file.write_all(text.as_bytes()))
                .context("cannot write the certificate")?;
            Ok(path)
        };
        self.staged.certificate = write("api.crt", 0o644, &certificate.pem())?;
        self.staged.certificate_key = write("api.key", 0o600, &key.serialize_pem())?;
        Ok(true)
    }

    fn ramdisk(
        &mut self,
        staging: &Staging,
        args: &args::Init,
        is_new_certificate: bool,
    ) -> anyhow::Result<()> {
        let built = &self.settled.ramdisk;
        let is_there = ["kernel", "initramfs"]
            .iter()
            .all(|name| built.join(name).is_file());
        self.has_ramdisk = is_there;
        if is_there && is_new_certificate {
            note(&format!(
                "note: the ramdisk in {} does not know the new certificate; build it anew with --ca {}",
                built.display(),
                self.settled.certificate.display()
            ));
        }
        if is_there || args.no_ramdisk {
            return Ok(());
        }
        if built.exists() {
            bail!(
                "{} is there and holds no ramdisk; remove it, or use --no-ramdisk",
                built.display()
            );
        }
        let Some(folder) = self.stage(staging, crate::settings::RAMDISK) else {
            return Ok(());
        };
        note("building the ramdisk, which takes a minute or two");
        let mut build = Builder::parse_from(["init"]).build;
        build.output = folder.clone();
        build.agent = args.agent.clone();
        if self.has_certificate {
            build.ca = vec![self.staged.certificate.clone()];
        }
        // What is told is where it will be.
        let staged = staging.path().display().to_string();
        let settled = self.place.data.display().to_string();
        let tell = |line: &str| note(&line.replace(&staged, &settled));
        ramdisk::build(&build, tell).context(
            "the ramdisk cannot be built, so nothing was written; --no-ramdisk leaves it for later",
        )?;
        self.staged.ramdisk = folder;
        self.has_ramdisk = true;
        Ok(())
    }

    /// The paths while things are being made.
    pub(super) fn staged(&self) -> Paths {
        self.staged.clone()
    }

    /// The paths when everything is in its place.
    pub(super) fn settled(&self) -> Paths {
        self.settled.clone()
    }

    pub(super) fn certificate(&self) -> Option<&Path> {
        self.has_certificate.then_some(&*self.settled.certificate)
    }

    pub(super) fn has_ramdisk(&self) -> bool {
        self.has_ramdisk
    }

    pub(super) fn has_password_file(&self) -> bool {
        self.place.password_file().exists()
    }

    /// Moves everything to its place.
    pub(super) fn settle(&self) -> anyhow::Result<()> {
        let images = &self.settled.images;
        if !images.exists() {
            fs::create_dir_all(images)
                .with_context(|| format!("cannot make {}", images.display()))?;
            self.place.hand_over(images, Owner::Whole)?;
        }
        for piece in &self.new {
            self.give(&piece.made)?;
            fs::rename(&piece.made, &piece.goes)
                .with_context(|| format!("cannot move {} into place", piece.goes.display()))?;
        }
        fs::File::open(&self.place.data)
            .and_then(|folder| folder.sync_all())
            .context("cannot write the data folder")
    }

    /// Hands a file, or a folder with what is in it, to the owner of the data folder.
    fn give(&self, path: &Path) -> anyhow::Result<()> {
        if path.is_dir() {
            let entries = fs::read_dir(path).context("cannot read a folder")?;
            for entry in entries {
                self.give(&entry.context("cannot read a folder")?.path())?;
            }
        } else {
            let synced = File::open(path).and_then(|file| file.sync_all());
            synced.with_context(|| format!("cannot write {}", path.display()))?;
        }
        self.place.hand_over(path, Owner::Whole)
    }
}

/// The defaults of `corten ramdisk build`, which stand with its flags.
#[derive(Debug, Parser)]
struct Builder {
    #[command(flatten)]
    build: ramdisk::Build,
}
