//! `corten migrate …`: from Ironic's database to ours.
//!
//! A report comes first, then the import, then what could not be taken as it was.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "commands of their own, which serve nothing"
)]

use crate::{
    args,
    console::{note, print},
    db::{DatabaseConfig, Lock},
    settings, sources,
};
use anyhow::{Context, bail};
use config::{Config, Shown};
use drivers::Registry;
use migrate::{
    Import, Offer, Outcome, Survey,
    lines::{self, Secrets},
};
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
};
use store::load::{Existing, Load};

pub(crate) fn run(command: &args::Migrate) -> anyhow::Result<ExitCode> {
    match command {
        args::Migrate::FromIronic(args) => aside(|| from_ironic(args)),
        args::Migrate::ToIronic(args) => aside(|| to_ironic(args)),
    }
}

/// `corten export`.
pub(crate) fn export(args: &args::Export) -> anyhow::Result<ExitCode> {
    aside(|| {
        let config = load_config(&args.common)?;
        let secrets = match passphrase(args.secrets.passphrase_file.as_deref())? {
            Some(passphrase) => Secrets::Sealed { passphrase },
            None => Secrets::LeftOut,
        };
        let place = DatabaseConfig::of(&config)?;
        let own = place.dump()?;
        let resources = if args.file == Path::new("-") {
            lines::write(own, &secrets, &mut BufWriter::new(io::stdout().lock()))?
        } else {
            let mut new = OpenOptions::new();
            let new = new
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&args.file);
            let new = new.with_context(|| args.file.display().to_string())?;
            let mut out = BufWriter::new(new);
            let resources = lines::write(own, &secrets, &mut out)?;
            out.get_ref().sync_all()?;
            resources
        };
        note(&format!("{resources} resources exported"));
        Ok(ExitCode::SUCCESS)
    })
}

/// `corten import`.
pub(crate) fn import(args: &args::Import) -> anyhow::Result<ExitCode> {
    aside(|| {
        let config = load_config(&args.common)?;
        let passphrase = passphrase(args.passphrase_file.as_deref())?;
        let mut input: Box<dyn BufRead> = if args.file == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            let file = File::open(&args.file);
            Box::new(BufReader::new(
                file.with_context(|| args.file.display().to_string())?,
            ))
        };
        let (load, _lock) = begin_load(&config, args.replace)?;
        let resources = lines::read(&mut *input, passphrase.as_deref(), load)
            .with_context(|| args.file.display().to_string())?;
        print(&format!("{resources} resources imported"))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The first line of a file.
fn passphrase(file: Option<&Path>) -> anyhow::Result<Option<String>> {
    let Some(file) = file else {
        return Ok(None);
    };
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    match text.lines().next().unwrap_or_default() {
        "" => bail!("{}: the passphrase is empty", file.display()),
        line => Ok(Some(line.to_owned())),
    }
}

fn load_config(common: &args::Common) -> anyhow::Result<Config> {
    let (config, warnings) = sources::load(common)?;
    for warning in warnings {
        note(&format!("warning: {warning}"));
    }
    Ok(config)
}

/// Begins to fill the database of a configuration; no other process may use it meanwhile.
fn begin_load(config: &Config, replace: bool) -> anyhow::Result<(Load, Lock)> {
    let place = DatabaseConfig::of(config)?;
    sources::create_data_dir(config)?;
    let (db, lock) = place.open()?;
    let (target, keys) = (db.location().clone(), db.keys().clone());
    drop(db);
    let existing = if replace {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let load = Load::begin(&target, keys, existing).with_context(|| place.to_string())?;
    Ok((load, lock))
}

/// Runs on a thread of its own: the clients of database servers bring runtimes along.
fn aside(run: impl FnOnce() -> anyhow::Result<ExitCode> + Send) -> anyhow::Result<ExitCode> {
    thread::scope(|scope| {
        let outcome = scope.spawn(run).join();
        outcome.unwrap_or_else(|_| bail!("the import ended by a defect of this program"))
    })
}

fn from_ironic(args: &args::FromIronic) -> anyhow::Result<ExitCode> {
    let config = load_config(&args.common)?;
    let source = settings::database_at(&args.source)
        .map_err(|reason| anyhow::anyhow!("--source: {reason}"))?;
    let mut import = Import::open(&source).with_context(|| source.public())?;
    let revision = import.revision();
    print(&format!(
        "source: {}, schema {} of Ironic {}",
        source.public(),
        revision.id,
        revision.release
    ))?;
    let survey = import.survey(&offer(&config)?)?;
    print_survey(&survey)?;
    let tags = import.tags()?;
    if tags > 0 {
        print(&format!(
            "{tags} tags of nodes are not imported: no version of the API shows them"
        ))?;
    }
    if !args.ironic_conf.is_empty() {
        print_options(&args.ironic_conf)?;
    }
    if args.dry_run {
        let outcome = import.run(None)?;
        print_outcome(&outcome)?;
        print("dry run: nothing was written")?;
        return Ok(ExitCode::SUCCESS);
    }
    if survey.working_count > 0 && !args.with_working {
        bail!(
            "conductors are at work on {} nodes; nothing was imported. Wait until they are done, or \
             stop the conductors and say --with-working: what cannot be taken up then fails with its \
             reason when the service starts",
            survey.working_count
        );
    }
    let (load, _lock) = begin_load(&config, args.replace)?;
    let outcome = import.run(Some(load))?;
    print_outcome(&outcome)?;
    print(&format!(
        "imported {} nodes into {}",
        outcome.taken("nodes"),
        DatabaseConfig::of(&config)?
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn to_ironic(args: &args::ToIronic) -> anyhow::Result<ExitCode> {
    let config = load_config(&args.common)?;
    let target = settings::database_at(&args.target)
        .map_err(|reason| anyhow::anyhow!("--target: {reason}"))?;
    let place = DatabaseConfig::of(&config)?;
    let own = place.dump()?;
    let written = migrate::to_ironic(own, &target).with_context(|| target.public())?;
    for (table, rows) in written {
        print(&format!("{table}: {rows} rows"))?;
    }
    print(&format!("written into {}", target.public()))?;
    Ok(ExitCode::SUCCESS)
}

/// What this configuration serves.
fn offer(config: &Config) -> anyhow::Result<Offer> {
    let hardware = settings::with_drivers(settings::hardware(config)?, config)?;
    let registry = Registry::new(&hardware)?;
    let mut offer = Offer::default();
    for name in registry.hardware_types() {
        offer.0.insert(name.to_owned(), BTreeSet::new());
    }
    for offered in registry.offered() {
        let of_type = offer.0.entry(offered.hardware_type).or_default();
        of_type.insert((offered.kind, offered.name));
    }
    Ok(offer)
}

fn print_survey(survey: &Survey) -> anyhow::Result<()> {
    print(&format!("{} nodes", survey.nodes))?;
    let groups = survey.groups.iter().filter(|(name, _)| !name.is_empty());
    for (group, nodes) in groups {
        print(&format!(
            "conductor group '{group}': {nodes} nodes need a conductor of this group"
        ))?;
    }
    for (driver, nodes) in &survey.missing_types {
        print(&format!(
            "hardware type '{driver}' is not enabled here: {nodes} nodes will be shown, and not served"
        ))?;
    }
    for ((driver, kind, name), nodes) in &survey.missing_interfaces {
        print(&format!(
            "{kind} interface '{name}' of hardware type '{driver}' is not enabled here: {nodes} nodes"
        ))?;
    }
    let parts = [
        (
            "waits for its agent, and goes on here",
            &survey.waiting,
            survey.waiting_count,
        ),
        (
            "is being worked on by a conductor",
            &survey.working,
            survey.working_count,
        ),
    ];
    for (words, named, count) in parts {
        for node in named {
            let holder = node.reservation.as_ref();
            let holder = holder.map_or_else(String::new, |host| format!(", reserved by {host}"));
            print(&format!(
                "node {} {words}: {}{holder}",
                node.node, node.state
            ))?;
        }
        let more = count - named.len() as u64;
        if more > 0 {
            print(&format!("and {more} more"))?;
        }
    }
    Ok(())
}

/// Which options of an `ironic.conf` act here, and which do not.
fn print_options(files: &[PathBuf]) -> anyhow::Result<()> {
    let common = args::Common {
        config_file: files.to_vec(),
        data_dir: None,
        set: Vec::new(),
    };
    let (config, warnings) = sources::load(&common).context("--ironic-conf")?;
    print("options of Ironic's configuration that act here:")?;
    print(config.to_ini(Shown::Set).trim_end())?;
    for warning in warnings {
        print(&format!("does not act: {warning}"))?;
    }
    Ok(())
}

fn print_outcome(outcome: &Outcome) -> anyhow::Result<()> {
    for finding in outcome.findings.kept() {
        print(&finding.to_string())?;
    }
    if outcome.findings.more() > 0 {
        print(&format!("and {} more findings", outcome.findings.more()))?;
    }
    for count in &outcome.tables {
        let left_out = outcome.findings.left_out(count.table);
        let changed = outcome.findings.changed(count.table);
        print(&format!(
            "{}: {} read, {} taken, {left_out} left out, {changed} values changed",
            count.table, count.read, count.taken
        ))?;
    }
    Ok(())
}
