//! `corten migrate move-group` and `corten migrate groups`: conductor groups that come over one by one,
//! while Ironic goes on with the others.

use super::{
    DATABASE_VARIABLE, HEARTBEAT_TIMEOUT, ironic_database, load_config, offer, print_outcome,
    print_survey,
};
use crate::{args, args::Side, console::print, db::DatabaseConfig, owner, sources};
use anyhow::Context;
use config::Config;
use migrate::{GroupMover, Import, TakeOver, Waiting};
use std::{env, process::ExitCode, time::Duration};
use store::{Location, group_move::GroupName, ironic::GroupRows};

pub(super) fn run(args: &args::MoveGroup) -> anyhow::Result<ExitCode> {
    let config = load_config(&args.common)?;
    let group: GroupName = args.group.parse()?;
    let source = ironic_database(
        "--source",
        args.source.as_deref(),
        args.source_file.as_deref(),
        env::var(DATABASE_VARIABLE).ok(),
    )?;
    if args.dry_run {
        return dry_run(&config, &source, group);
    }
    let place = DatabaseConfig::of(&config)?;
    sources::create_data_dir(&config)?;
    owner::write_as_owner(&config);
    // With SQLite no service may run: it would not notice rows that others write into its file.
    let (db, _lock) = place.open()?;
    let (target, keys) = (db.location().clone(), db.keys().clone());
    drop(db);
    let mut mover = GroupMover::open(source, target, keys, group.clone())?;
    match args.to {
        Side::Corten => take_over(&mut mover, &group, args),
        Side::Ironic => give_back(&mut mover, &group, args),
    }
}

/// Says what is waited for, whenever that changes.
fn teller() -> impl FnMut(&Waiting) {
    let mut said = 0;
    move |waiting| {
        if waiting.0.count != said {
            said = waiting.0.count;
            // Standard output may be closed, and the move goes on.
            let _ = print(&format!("waiting: {waiting}"));
        }
    }
}

fn give_back(
    mover: &mut GroupMover,
    group: &GroupName,
    args: &args::MoveGroup,
) -> anyhow::Result<ExitCode> {
    let written = mover.give_back(Duration::from_secs(args.wait), &mut teller())?;
    for (table, rows) in written.iter().filter(|(_, rows)| *rows > 0) {
        print(&format!("{table}: {rows} rows"))?;
    }
    print(&format!(
        "{group} is Ironic's again, and nothing of it is here"
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn take_over(
    mover: &mut GroupMover,
    group: &GroupName,
    args: &args::MoveGroup,
) -> anyhow::Result<ExitCode> {
    let how = TakeOver {
        patience: Duration::from_secs(args.wait),
        with_working: args.with_working,
        heartbeat_timeout: HEARTBEAT_TIMEOUT,
    };
    let taken = mover.take_over(how, &mut teller())?;
    print_outcome(&taken.outcome)?;
    print(&format!(
        "{group}: {} nodes are here, and locked in Ironic",
        taken.outcome.taken("nodes")
    ))?;
    if taken.newcomers > 0 {
        print(&format!(
            "{} nodes were made in Ironic meanwhile: run this again",
            taken.newcomers
        ))?;
    }
    let conductors = mover.conductors()?;
    print(&match conductors.is_empty() {
        true => format!("{group}: no conductor of this service serves it yet; start one"),
        false => format!("{group}: served by {}", conductors.join(", ")),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn dry_run(config: &Config, source: &Location, group: GroupName) -> anyhow::Result<ExitCode> {
    let mut import = Import::open(source).with_context(|| source.public())?;
    import.restrict(GroupRows::All(group));
    let survey = import.survey(&offer(config)?, HEARTBEAT_TIMEOUT)?;
    print_survey(&survey)?;
    print("dry run: nothing was changed")?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn list(common: &args::Common) -> anyhow::Result<ExitCode> {
    let config = load_config(common)?;
    let db = DatabaseConfig::of(&config)?.open_existing()?;
    let moves = store::group_move::read(db.location())?;
    if moves.is_empty() {
        print("no conductor group was taken over")?;
    }
    for one in moves {
        let since = one.updated_at.unwrap_or(one.started_at);
        print(&format!("{}: {} since {since}", one.group, one.phase))?;
    }
    Ok(ExitCode::SUCCESS)
}
