//! `corten sim replay`: a recording as a BMC, until a signal ends it.

#![expect(clippy::disallowed_methods, reason = "only before anything is served")]

use crate::{
    args::{self, Format},
    console::{note, print},
    serve,
    signals::Signals,
};
use anyhow::{Context, bail};
use serde_json::json;
use sim::{
    Layout, Settings,
    ipmi::{Options, server::Server},
    machine::account::User,
    replay::{self, Replay},
};
use std::{fs, net::SocketAddr, process::ExitCode, sync::Arc};
use tokio::net::TcpListener;

pub(crate) fn run(args: &args::Replay) -> anyhow::Result<ExitCode> {
    if !args.listen.is_loopback() && !args.insecure {
        let address = args.listen;
        bail!(
            "refusing to listen on --listen {address}, which other machines can reach; --insecure allows it"
        );
    }
    let file = args.file.display();
    let text = fs::read_to_string(&args.file).with_context(|| format!("cannot read {file}"))?;
    let report = |question: &str| note(&format!("not in the recording: {question}"));
    let replay = Replay::read(&text, report);
    let replay = Arc::new(replay.with_context(|| format!("cannot replay {file}"))?);
    if !replay.has_ipmi() && !replay.has_redfish() {
        bail!("{file} has no exchanges to replay");
    }
    serve::in_runtime(async {
        let mut signals = Signals::listen()?;
        let ipmi = match replay.has_ipmi() {
            true => Some(ipmi(args, &replay).await?),
            false => None,
        };
        let redfish = match replay.has_redfish() {
            true => Some(redfish(args, &replay).await?),
            false => None,
        };
        announce(args, &replay, ipmi.as_ref(), redfish)?;
        signals.next().await;
        let unknown = replay.unknown().len();
        if unknown > 0 {
            note(&format!("{unknown} questions were not in the recording"));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// The account for logging in.
fn user<'a>(args: &'a args::Replay, replay: &'a Replay) -> &'a str {
    args.user.as_deref().or(replay.user()).unwrap_or("admin")
}

async fn ipmi(args: &args::Replay, replay: &Arc<Replay>) -> anyhow::Result<Server> {
    let settings = Settings {
        users: Arc::new([User::administrator(user(args, replay), &args.password)]),
        ..Settings::default()
    };
    let options = Options {
        replay: Some(Arc::clone(replay)),
        ..Options::default()
    };
    let layout = Layout::Ports {
        address: args.listen,
        first: args.ipmi_port,
    };
    let machines = sim::machines(1, &Arc::new(settings));
    Server::start(&machines, options, layout)
        .await
        .context("cannot start the IPMI server")
}

async fn redfish(args: &args::Replay, replay: &Arc<Replay>) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((args.listen, args.redfish_port))
        .await
        .context("cannot start the Redfish server")?;
    let address = listener.local_addr()?;
    let router = replay::router(Arc::clone(replay));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

fn announce(
    args: &args::Replay,
    replay: &Replay,
    ipmi: Option<&Server>,
    redfish: Option<SocketAddr>,
) -> anyhow::Result<()> {
    let ipmi = ipmi.and_then(|server| server.endpoint(0));
    let user = user(args, replay);
    match args.format {
        Format::Json => {
            let place = json!({
                "node": replay.header().node,
                "ipmi_address": ipmi.map(|at| at.ip().to_string()),
                "ipmi_port": ipmi.map(|at| at.port()),
                "ipmi_username": ipmi.map(|_| user),
                "redfish_address": redfish.map(|at| format!("http://{at}")),
            });
            print(&place.to_string())?;
        }
        Format::Table => {
            print(&format!(
                "recorded: node {} at {}",
                replay.header().node,
                replay.header().at
            ))?;
            if let Some(at) = ipmi {
                print(&format!("IPMI:     {at}, user {user:?}"))?;
            }
            if let Some(at) = redfish {
                print(&format!("Redfish:  http://{at}"))?;
            }
        }
    }
    print("ready")?;
    note("Ctrl-C ends it.");
    Ok(())
}
