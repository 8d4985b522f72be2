//! Bad days of one service: a full disk, a database that may only be read, one that answers after
//! half a minute, clocks that jump. Each has to end in clear errors, then in work as usual without
//! anybody's help, with everything in the database that was accepted.

mod clock;
mod disk;
mod read_only;
mod single;
mod slow;

use crate::{
    network::{self, Host},
    postgres::Postgres,
    say,
};
use anyhow::Result;
use std::{
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
    process::ExitCode,
    time::Instant,
};

/// What the legs share.
#[derive(Debug)]
struct TestBed {
    folder: PathBuf,
    corten: PathBuf,
    host: Host,
    database: Postgres,
}

/// How a leg ended well.
#[derive(Debug, PartialEq, Eq)]
enum Passed {
    Yes(String),
    /// Something that it needs is missing here.
    Skipped(String),
}

type Leg = for<'a> fn(&'a TestBed) -> Pin<Box<dyn Future<Output = Result<Passed>> + 'a>>;

const LEGS: &[(&str, Leg)] = &[
    ("a full disk", |place| Box::pin(disk::full(place))),
    ("a disk that may only be read", |place| {
        Box::pin(disk::read_only(place))
    }),
    ("a database that may only be read", |place| {
        Box::pin(read_only::leg(place))
    }),
    ("a database that answers after 30 s", |place| {
        Box::pin(slow::leg(place))
    }),
    ("clocks that jump", |place| Box::pin(clock::leg(place))),
];

/// Runs every leg that has `only` in its name; to be called inside the namespaces.
pub(crate) async fn run(folder: &Path, corten: &Path, only: &str) -> Result<ExitCode> {
    let (server, host) = (Host::new("db", 2), Host::new("s1", 3));
    network::set_up(&[server.clone(), host.clone()]).await?;
    let database = Postgres::create(server, &folder.join("database.log")).await?;
    let place = TestBed {
        folder: folder.to_owned(),
        corten: corten.to_owned(),
        host,
        database,
    };
    let mut failed = 0;
    for (name, leg) in LEGS.iter().filter(|(name, _)| name.contains(only)) {
        let started = Instant::now();
        let result = match leg(&place).await {
            Ok(Passed::Yes(told)) => format!("ok: {told}"),
            Ok(Passed::Skipped(why)) => format!("SKIPPED: {why}"),
            Err(error) => {
                failed += 1;
                format!("FAILED: {error:#}")
            }
        };
        let seconds = started.elapsed().as_secs();
        say(&format!("{name} ({seconds} s): {result}"));
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
