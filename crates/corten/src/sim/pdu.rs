//! `corten sim pdu`: a power strip behind SNMP, until a signal ends it.

use crate::{
    args::{self, Format},
    console::print,
    serve,
    signals::Signals,
};
use anyhow::{Context, bail};
use proto::snmp::usm::{Auth, Hiding, Privacy, Secret, Signing, User};
use serde_json::json;
use sim::pdu::{self, Accounts, Agent, Strip, make};
use std::{process::ExitCode, sync::Arc};
use tokio::net::UdpSocket;

/// What the engine calls itself: a text, under the number that net-snmp uses.
const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x04corten-sim";

pub(crate) fn run(args: &args::Pdu) -> anyhow::Result<ExitCode> {
    if !args.listen.is_loopback() && !args.insecure {
        let address = args.listen;
        bail!(
            "refusing to listen on --listen {address}, which other machines can reach; --insecure allows it"
        );
    }
    let names = || make::MAKES.iter().map(|make| make.name);
    let make = make::find(&args.make).with_context(|| {
        format!(
            "invalid --make: expected one of {}",
            names().collect::<Vec<_>>().join(", ")
        )
    })?;
    let accounts = Accounts {
        read: args.read.clone().into_bytes(),
        write: args.write.clone().into_bytes(),
        users: vec![user(args)?],
    };
    let salt = getrandom::u64().context("the operating system provides no random numbers")?;
    let strip = Strip::new(make, args.outlets);
    // An engine that forgot its past must not count from where it counted before.
    let boots = i32::try_from(salt >> 34).unwrap_or(1);
    let agent = Arc::new(Agent::new(strip, accounts, ENGINE, boots, salt));
    serve::in_runtime(async {
        let mut signals = Signals::listen()?;
        let socket = UdpSocket::bind((args.listen, args.port)).await;
        let socket =
            socket.with_context(|| format!("cannot listen on {}:{}", args.listen, args.port))?;
        let address = socket.local_addr()?;
        print(&match args.format {
            Format::Json => json!({
                "make": make.name, "outlets": args.outlets,
                "snmp": {"address": address.ip(), "port": address.port()},
            })
            .to_string(),
            Format::Table => format!(
                "{} with {} outlets at {address}, over SNMP 1, 2c and 3",
                make.name, args.outlets
            ),
        })?;
        print("ready")?;
        tokio::select! {
            _ = signals.next() => Ok(ExitCode::SUCCESS),
            ended = pdu::serve(socket, agent) => {
                ended.context("the SNMP socket of the PDU failed")?;
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

fn user(args: &args::Pdu) -> anyhow::Result<User> {
    let secret = |text: &str| Secret(text.as_bytes().to_vec());
    let privacy = match args.priv_protocol.as_str() {
        "none" => None,
        name => Some(Privacy::of_name(name).context("unknown --priv-protocol")?),
    };
    Ok(User {
        name: args.user.clone().into_bytes(),
        signing: Some(Signing {
            auth: Auth::of_name(&args.auth_protocol).context("unknown --auth-protocol")?,
            password: secret(&args.auth_key),
            hiding: privacy.map(|privacy| Hiding {
                privacy,
                password: secret(&args.priv_key),
            }),
        }),
    })
}
