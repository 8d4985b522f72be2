//! `corten discover`: which BMCs are in these ranges, and what machines do they belong to?
//!
//! How addresses are asked is in the crate `discover`. Here flags become a scan, what it found is
//! printed ([`report`]), and with `--enrol` handed to the client as rows of a table ([`rows`]), so
//! that machines are enrolled by the API and recognised as `corten node enrol` recognises them.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a command of its own, which serves nothing"
)]

mod report;
mod rows;

use crate::{
    args::{self, Format},
    console::{note, print},
    prompt, serve,
};
use ::discover::{Credentials, Limits, Ports, ProbeResult, Scan, addresses, listed};
use anyhow::{Context, bail, ensure};
use report::Report;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::{
    fs,
    io::Read,
    net::IpAddr,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};
use tls::Trust;
use tokio::sync::mpsc;

/// A file that is larger is another one than was meant.
const LARGEST_FILE: u64 = 4 << 20;
/// How many addresses are waited for at a time, where the system allows so many open files.
const OPEN: usize = 4096;

pub(crate) fn run(args: &args::Discover, global: &cli::Global) -> anyhow::Result<ExitCode> {
    let addresses = asked(args)?;
    let credentials = credentials(args)?;
    ensure!(
        !args.enrol || !credentials.is_empty(),
        "--enrol needs to log in: name a user with --username, or a file with --credentials"
    );
    let plan = Scan {
        ports: Ports {
            redfish: args
                .redfish_port
                .unwrap_or(if args.plain_http { 80 } else { 443 }),
            is_plain_http: args.plain_http,
            ipmi: args.ipmi_port,
        },
        verify: trust(&args.verify_ca)?,
        credentials: credentials.clone(),
        limits: Limits {
            rate: args.rate,
            open: OPEN.min(open_files() / 2),
            logins: args.logins.into(),
            patience: Duration::from_millis(args.timeout),
        },
    };
    let began = Instant::now();
    let asked = addresses.len();
    let found = serve::in_runtime(async { Ok(scan(plan, addresses).await) })?;
    let report = Report {
        found,
        asked,
        took: began.elapsed(),
    };
    match args.format {
        Format::Table => print(&report.table())?,
        Format::Json => print(&report.json().to_string())?,
    }
    note(&report.summary());
    if report.bmcs().next().is_none() {
        return Ok(ExitCode::FAILURE);
    }
    match args.enrol {
        true => enrol(args, &report, &credentials, global),
        false => Ok(ExitCode::SUCCESS),
    }
}

async fn scan(plan: Scan, addresses: Vec<IpAddr>) -> Vec<ProbeResult> {
    let (sender, mut receiver) = mpsc::channel(64);
    let running = tokio::spawn(plan.run(addresses, sender));
    let mut found = Vec::new();
    while let Some(one) = receiver.recv().await {
        found.push(one);
    }
    // It has let go of its end, so it is done.
    let _ = running.await;
    found.sort_by_key(ProbeResult::address);
    found
}

fn enrol(
    args: &args::Discover,
    report: &Report,
    credentials: &Credentials,
    global: &cli::Global,
) -> anyhow::Result<ExitCode> {
    let rows = rows::rows(report, credentials, args);
    let left = report.bmcs().filter(|bmc| bmc.systems.is_empty()).count();
    if left > 0 {
        note(&format!(
            "{left} BMCs were not logged in to, and are not enrolled; their notes say why"
        ));
    }
    if rows.is_empty() {
        bail!("there is nothing to enrol");
    }
    let code = cli::enrol(rows, args.provide, global);
    Ok(match left {
        0 => code,
        _ => ExitCode::FAILURE,
    })
}

fn asked(args: &args::Discover) -> anyhow::Result<Vec<IpAddr>> {
    let text = match &args.file {
        Some(file) => bounded(file)?,
        None => String::new(),
    };
    let ranges: Vec<&str> = args
        .range
        .iter()
        .map(String::as_str)
        .chain(listed(&text))
        .collect();
    Ok(addresses(&ranges)?)
}

fn credentials(args: &args::Discover) -> anyhow::Result<Credentials> {
    if let Some(file) = &args.credentials {
        let shown = file.display();
        let entry = fs::metadata(file).with_context(|| format!("cannot read {shown}"))?;
        ensure!(
            entry.permissions().mode() & 0o077 == 0,
            "others can read the passwords in {shown}; run: chmod 600 {shown}"
        );
        let text = bounded(file)?;
        return Credentials::parse(&text).with_context(|| format!("cannot use {shown}"));
    }
    Ok(match &args.username {
        Some(user) => {
            let password = prompt::password(&format!("Password of {user}: "))?;
            Credentials::everywhere(user.clone(), password)
        }
        None => Credentials::default(),
    })
}

fn bounded(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    let opened = fs::File::open(file).with_context(|| format!("cannot read {shown}"))?;
    let mut text = String::new();
    opened
        .take(LARGEST_FILE + 1)
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read {shown}"))?;
    ensure!(
        u64::try_from(text.len())? <= LARGEST_FILE,
        "{shown} has more than {} MiB",
        LARGEST_FILE >> 20
    );
    Ok(text)
}

fn trust(text: &str) -> anyhow::Result<Trust> {
    Ok(match text {
        "true" | "True" => Trust::Machine,
        "false" | "False" => Trust::Anyone,
        path => {
            let exists = Path::new(path).exists();
            ensure!(exists, "--verify-ca: there is no file or folder {path}");
            Trust::Path(path.into())
        }
    })
}

/// How many files may be open, after asking for as many as the system allows.
fn open_files() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum;
    let before = std::mem::replace(&mut limit.current, allowed);
    let current = match setrlimit(Resource::Nofile, limit) {
        Ok(()) => allowed,
        Err(_) => before,
    };
    current.map_or(usize::MAX, |files| {
        usize::try_from(files).unwrap_or(usize::MAX)
    })
}
