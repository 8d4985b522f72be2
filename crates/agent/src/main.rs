//! `corten-agent`.

use agent::{
    config::{Args, Config},
    journal::Journal,
    safety::Permit,
    start::{self, End},
};
use anyhow::{Context, bail};
use clap::Parser;
use std::{io, process::ExitCode};
use tracing_subscriber::{
    EnvFilter, Registry, fmt, layer::SubscriberExt, reload, util::SubscriberInitExt,
};

/// The variable with a filter that wins over `--debug`.
const VARIABLE: &str = "CORTEN_AGENT_LOG";

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    // The kernel's own helper, which is a link to this program in the ramdisk.
    if arguments
        .next()
        .is_some_and(|called| called.ends_with("/modprobe"))
    {
        return agent::init::modprobe(arguments);
    }
    if std::process::id() == 1 {
        agent::init::run();
    }
    let args = Args::parse();
    let journal = Journal::default();
    match run(&args, journal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args, journal: Journal) -> anyhow::Result<()> {
    let log = start_log(args.debug, journal.clone())?;
    let permit = match args.allow_destructive {
        true => Some(Permit::from_operator()),
        false => Permit::from_marks(&args.root),
    };
    let config = Config::read(args, permit.as_ref())?;
    if config.debug {
        log.modify(|filter| *filter = wanted(true))
            .context("cannot raise the log level to debug")?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    let is_ramdisk = permit.is_some();
    let end = runtime.block_on(start::run(config, permit, journal))?;
    match end {
        End::Rescued => tracing::info!("agent done: the machine was handed over"),
        End::LockedDown if is_ramdisk => {
            tracing::info!("lockdown: the machine was cut off the network")
        }
        End::LockedDown => bail!("lockdown was requested but is refused outside a Corten ramdisk"),
    }
    if is_ramdisk {
        // Do not exit: the supervisor would restart the agent.
        runtime.block_on(std::future::pending::<()>());
    }
    Ok(())
}

/// What is logged: by the variable, or usually.
fn wanted(is_debug: bool) -> EnvFilter {
    let usual = if is_debug { "info,agent=debug" } else { "info" };
    EnvFilter::try_from_env(VARIABLE).unwrap_or_else(|_| EnvFilter::new(usual))
}

/// Log lines on standard error, and in memory for the command that returns logs.
fn start_log(
    is_debug: bool,
    journal: Journal,
) -> anyhow::Result<reload::Handle<EnvFilter, Registry>> {
    let (filter, handle) = reload::Layer::new(wanted(is_debug));
    let shown = fmt::layer().compact().with_ansi(false);
    let kept = fmt::layer().compact().with_ansi(false);
    tracing_subscriber::registry()
        .with(filter)
        .with(shown.with_writer(io::stderr))
        .with(kept.with_writer(journal))
        .try_init()
        .context("cannot start logging")?;
    Ok(handle)
}
