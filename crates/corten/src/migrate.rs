//! `corten migrate …`: from Ironic's database to ours.
//!
//! A report comes first, then the import, then what could not be taken as it was.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "commands of their own, which serve nothing"
)]

mod group;

use crate::{
    args,
    console::{note, print},
    db::{DatabaseConfig, Lock},
    owner, settings, sources,
};
use anyhow::{Context, bail};
use config::{Config, Shown, Warning};
use drivers::Registry;
use migrate::{
    Import, InFlight, Offer, Outcome, Prospect, Survey,
    lines::{self, Secrets},
};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    env,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
    time::Duration,
};
use store::{
    Location,
    load::{Existing, Load, Purpose},
};
use types::mask;

pub(crate) fn run(command: &args::Migrate) -> anyhow::Result<ExitCode> {
    match command {
        args::Migrate::FromIronic(args) => aside(|| from_ironic(args)),
        args::Migrate::ToIronic(args) => aside(|| to_ironic(args)),
        args::Migrate::MoveGroup(args) => aside(|| group::run(args)),
        args::Migrate::Groups(common) => aside(|| group::list(common)),
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
        let (load, _lock) = begin_load(&config, args.replace, Purpose::Move)?;
        let resources = lines::read(&mut *input, passphrase.as_deref(), load)
            .with_context(|| args.file.display().to_string())?;
        print(&format!("{resources} resources imported"))?;
        Ok(ExitCode::SUCCESS)
    })
}

fn passphrase(file: Option<&Path>) -> anyhow::Result<Option<String>> {
    file.map(first_line).transpose()
}

fn first_line(file: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    match text.lines().next().unwrap_or_default() {
        "" => bail!("{}: its first line is empty", file.display()),
        line => Ok(line.to_owned()),
    }
}

/// What names Ironic's database where no option does.
pub(crate) const DATABASE_VARIABLE: &str = "CORTEN_IRONIC_DATABASE";

/// Where Ironic's database is, by the options of this name. Others see the command line, and errors go
/// into logs: neither says a password.
pub(crate) fn ironic_database(
    option: &str,
    url: Option<&str>,
    file: Option<&Path>,
    variable: Option<String>,
) -> anyhow::Result<Location> {
    let (url, named) = match (url, file, variable) {
        (Some(url), ..) => {
            if matches!(mask::address(url), Cow::Owned(_)) {
                note(&format!(
                    "warning: other users of this machine see the password in {option}; \
                     {option}-file and {DATABASE_VARIABLE} do not show it"
                ));
            }
            (url.to_owned(), option.to_owned())
        }
        (None, Some(file), _) => (first_line(file)?, file.display().to_string()),
        (None, None, Some(variable)) => (variable, DATABASE_VARIABLE.to_owned()),
        (None, None, None) => bail!(
            "nothing says where Ironic's database is: name a file with its URL by {option}-file, set \
             {DATABASE_VARIABLE}, or say {option} URL"
        ),
    };
    settings::database_at(&url).map_err(|reason| anyhow::anyhow!("{named}: {reason}"))
}

fn load_config(common: &args::Common) -> anyhow::Result<Config> {
    let (config, warnings) = sources::load(common)?;
    for warning in warnings {
        note(&format!("warning: {warning}"));
    }
    Ok(config)
}

/// Begins to fill the database of a configuration; no other process may use it meanwhile.
fn begin_load(config: &Config, replace: bool, purpose: Purpose) -> anyhow::Result<(Load, Lock)> {
    let place = DatabaseConfig::of(config)?;
    sources::create_data_dir(config)?;
    owner::write_as_owner(config);
    let (db, lock) = place.open()?;
    let (target, keys) = (db.location().clone(), db.keys().clone());
    drop(db);
    let load = Load::begin(&target, keys, existing(replace), purpose);
    let load = load.with_context(|| place.to_string())?;
    Ok((load, lock))
}

fn existing(replace: bool) -> Existing {
    match replace {
        true => Existing::Replace,
        false => Existing::Keep,
    }
}

/// Runs on a thread of its own: the clients of database servers bring runtimes along.
fn aside(run: impl FnOnce() -> anyhow::Result<ExitCode> + Send) -> anyhow::Result<ExitCode> {
    thread::scope(|scope| {
        // As much stack as the first thread has: without optimisation a configuration takes more
        // than other threads get.
        let thread = thread::Builder::new().stack_size(8 * 1024 * 1024);
        let outcome = thread.spawn_scoped(scope, run)?.join();
        outcome.unwrap_or_else(|_| bail!("the import ended by a defect of this program"))
    })
}

fn from_ironic(args: &args::FromIronic) -> anyhow::Result<ExitCode> {
    let config = load_config(&args.common)?;
    let source = ironic_database(
        "--source",
        args.source.as_deref(),
        args.source_file.as_deref(),
        env::var(DATABASE_VARIABLE).ok(),
    )?;
    let ironic = ironic_conf(&args.ironic_conf)?;
    let mut import = Import::open(&source).with_context(|| source.public())?;
    let revision = import.revision();
    print(&format!(
        "source: {}, schema {} of Ironic {}",
        source.public(),
        revision.id,
        revision.release
    ))?;
    let timeout = ironic.as_ref().map_or(HEARTBEAT_TIMEOUT, |(config, _)| {
        config.conductor.heartbeat_timeout.duration()
    });
    let survey = import.survey(&offer(&config)?, timeout)?;
    print_survey(&survey)?;
    let tags = import.tags()?;
    if tags > 0 {
        print(&format!(
            "{tags} tags of nodes are not imported: no version of the API shows them"
        ))?;
    }
    if let Some((config, warnings)) = &ironic {
        print_options(config, warnings)?;
    }
    if args.dry_run {
        const TEMPORARY: &str = "what a dry run keeps in the folder for temporary files";
        let outcome = import.run(Load::rehearsal().context(TEMPORARY)?)?;
        print_outcome(&outcome)?;
        let place = DatabaseConfig::of(&config)?;
        let target = place.import_refusal(existing(args.replace));
        for reason in refusal(&survey, args).into_iter().chain(target) {
            print(&format!("the import would be refused: {reason}"))?;
        }
        print("dry run: nothing was written")?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(reason) = refusal(&survey, args) {
        bail!("nothing was imported: {reason}");
    }
    let purpose = match args.shadow {
        true => Purpose::Shadow,
        false => Purpose::Move,
    };
    let (load, _lock) = begin_load(&config, args.replace, purpose)?;
    let outcome = import.run(load)?;
    print_outcome(&outcome)?;
    print(&format!(
        "imported {} nodes into {}",
        outcome.taken("nodes"),
        DatabaseConfig::of(&config)?
    ))?;
    if args.shadow {
        print("the copy is to be looked at: 'corten api' shows it, and no conductor serves it")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Why nodes are not taken over as they are now. Whoever only looks at a copy disturbs nobody.
fn refusal(survey: &Survey, args: &args::FromIronic) -> Option<String> {
    if args.shadow {
        return None;
    }
    let working = survey.working_count;
    let alive = !survey.alive.is_empty();
    if working > 0 && !args.with_working {
        let rest = "what cannot be taken up then fails with its reason when the service starts";
        return Some(if alive {
            format!(
                "conductors are at work on {working} nodes. Wait until they are done and stop them, or \
                 stop them now and say --with-working: {rest}"
            )
        } else {
            format!(
                "{working} nodes were left in the middle of something. Let Ironic's conductors bring \
                 that to an end, or say --with-working: {rest}"
            )
        });
    }
    if alive && !args.with_conductors {
        let hosts: Vec<&str> = survey.alive.iter().map(|one| one.host.as_str()).collect();
        return Some(format!(
            "conductors of Ironic are alive ({}), and two services must not drive one machine. Stop them \
             all (one that was killed counts as alive until its heartbeat is old), say --shadow for a \
             copy to look at, or --with-conductors if they keep other conductor groups than those of \
             this service",
            hosts.join(", ")
        ));
    }
    None
}

fn to_ironic(args: &args::ToIronic) -> anyhow::Result<ExitCode> {
    let config = load_config(&args.common)?;
    let target = ironic_database(
        "--target",
        args.target.as_deref(),
        args.target_file.as_deref(),
        env::var(DATABASE_VARIABLE).ok(),
    )?;
    let place = DatabaseConfig::of(&config)?;
    let (own, purpose, _lock) = if args.shadow {
        (place.dump()?, Purpose::Shadow, None)
    } else {
        let lock = place.lock_existing()?;
        (place.dump()?, Purpose::Move, Some(lock))
    };
    let written = migrate::to_ironic(own, &target, purpose).with_context(|| target.public())?;
    for (table, rows) in written {
        print(&format!("{table}: {rows} rows"))?;
    }
    print(&format!("written into {}", target.public()))?;
    if args.shadow {
        print(
            "the copy is to be looked at: every node in it is locked, so that Ironic drives none",
        )?;
    }
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
    for one in &survey.alive {
        let nodes = survey.groups.get(&one.group).copied().unwrap_or(0);
        let group = match one.group.as_str() {
            "" => "of no conductor group".to_owned(),
            group => format!("of conductor group '{group}'"),
        };
        print(&format!(
            "conductor {} of Ironic is alive (heard of {} s ago): it serves nodes {group}, {nodes} in all",
            one.host, one.silent
        ))?;
    }
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
    for (named, count) in [
        (&survey.waiting, survey.waiting_count),
        (&survey.working, survey.working_count),
    ] {
        for node in named {
            print(&in_flight(node))?;
        }
        let more = count.saturating_sub(named.len() as u64);
        if more > 0 {
            print(&format!("and {more} more"))?;
        }
    }
    Ok(())
}

/// What becomes of a node that is in the middle of something.
fn in_flight(node: &InFlight) -> String {
    let holder = node.reservation.as_ref();
    let holder = holder.map_or_else(String::new, |host| format!(", reserved by {host}"));
    let words = match node.prospect {
        Prospect::IsWorkedOn => "is being worked on by a conductor".to_owned(),
        Prospect::WasLeft => "was left by a conductor in the middle of its work".to_owned(),
        Prospect::GoesOn(what) => format!("waits for {what}, and goes on here"),
        Prospect::Strands(why) => format!("waits, and does not go on here by itself ({why})"),
    };
    format!("node {} {words}: {}{holder}", node.node, node.state)
}

/// How long Ironic waits for a heartbeat of a conductor, if its configuration does not say so.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(60);

/// Ironic's own configuration, if it is named.
fn ironic_conf(files: &[PathBuf]) -> anyhow::Result<Option<(Config, Vec<Warning>)>> {
    if files.is_empty() {
        return Ok(None);
    }
    let common = args::Common {
        config_file: files.to_vec(),
        data_dir: None,
        set: Vec::new(),
    };
    Ok(Some(sources::load(&common).context("--ironic-conf")?))
}

/// Which options of an `ironic.conf` act here, and which do not.
fn print_options(config: &Config, warnings: &[Warning]) -> anyhow::Result<()> {
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
    let is_counted = |table: &str| outcome.tables.iter().any(|count| count.table == table);
    for table in outcome.findings.tables().filter(|table| !is_counted(table)) {
        let left_out = outcome.findings.left_out(table);
        let changed = outcome.findings.changed(table);
        print(&format!(
            "{table}: {left_out} left out, {changed} values changed"
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Program;
    use clap::Parser;
    use migrate::Alive;

    const SECRET: &str = "mysql://ironic:hunter2@db.example/ironic";

    fn wanted(flags: &str) -> args::FromIronic {
        let line = format!("corten migrate from-ironic --source sqlite:////x {flags}");
        match Program::parse_from(line.split_whitespace()).command {
            args::Command::Migrate(args::Migrate::FromIronic(args)) => args,
            _ => panic!("{line}"),
        }
    }

    #[test]
    fn nodes_are_not_taken_from_conductors_that_are_alive() {
        let alive = |working_count| Survey {
            alive: vec![Alive {
                host: "ctl1".to_owned(),
                group: String::new(),
                silent: 3,
            }],
            working_count,
            ..Survey::default()
        };
        let reason = |survey: &Survey, flags| refusal(survey, &wanted(flags)).unwrap();
        assert!(reason(&alive(0), "").contains("alive (ctl1)"));
        assert!(reason(&alive(0), "--with-working").contains("alive (ctl1)"));
        assert!(reason(&alive(2), "--with-conductors").contains("at work on 2 nodes"));
        let left = Survey {
            working_count: 2,
            ..Survey::default()
        };
        assert!(reason(&left, "").contains("2 nodes were left"));
        for (survey, flags) in [
            (&Survey::default(), ""),
            (&alive(2), "--shadow"),
            (&alive(0), "--with-conductors"),
            (&alive(2), "--with-conductors --with-working"),
            (&left, "--with-working"),
        ] {
            assert_eq!(refusal(survey, &wanted(flags)), None, "{flags}");
        }
    }

    #[test]
    fn the_database_is_named_by_an_option_a_file_or_a_variable_and_never_with_its_password() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("url");
        fs::write(&file, format!("{SECRET}\nmore\n")).unwrap();
        let shown = "mysql://db.example:3306/ironic";
        let public = |url, file, variable: Option<&str>| {
            let found = ironic_database("--source", url, file, variable.map(str::to_owned));
            found.unwrap().public()
        };
        assert_eq!(public(Some(SECRET), None, Some("sqlite:////y")), shown);
        assert_eq!(public(None, Some(&*file), Some("sqlite:////y")), shown);
        assert_eq!(public(None, None, Some(SECRET)), shown);

        fs::write(&file, format!("{SECRET}?hunter=2")).unwrap();
        for (url, file, variable, named) in [
            (Some("oracle://a:hunter2@b/c"), None, None, "--source: "),
            (None, Some(&*file), None, "/url: "),
            (None, None, Some("mysql://a:hunter2@b"), DATABASE_VARIABLE),
            (None, None, None, "--source-file"),
        ] {
            let found = ironic_database("--source", url, file, variable.map(str::to_owned));
            let reason = format!("{:#}", found.unwrap_err());
            assert!(
                reason.contains(named) && !reason.contains("hunter2"),
                "{reason}"
            );
        }
    }
}
