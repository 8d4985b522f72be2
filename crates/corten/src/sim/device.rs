//! `corten sim device`: a device of an older protocol, until a signal ends it.

use crate::{
    args::{self, DeviceKind, Format},
    console::print,
    serve,
    signals::Signals,
};
use anyhow::{Context, bail};
use serde_json::json;
use sim::device::{self, Account, amt, drac, iboot, msftocs, nuova, seamicro};
use std::{io, net::SocketAddr, process::ExitCode, sync::Arc};
use tokio::net::TcpListener;

pub(crate) fn run(args: &args::Device) -> anyhow::Result<ExitCode> {
    if !args.listen.is_loopback() && !args.insecure {
        let address = args.listen;
        bail!(
            "refusing to listen on --listen {address}, which other machines can reach; --insecure allows it"
        );
    }
    serve::in_runtime(async {
        let mut signals = Signals::listen()?;
        let listener = TcpListener::bind((args.listen, args.port)).await;
        let listener =
            listener.with_context(|| format!("cannot listen on {}:{}", args.listen, args.port))?;
        let address = listener.local_addr()?;
        print(&match args.format {
            Format::Json => json!({
                "kind": args.kind.name(), "count": args.count,
                "address": address.ip(), "port": address.port(),
            })
            .to_string(),
            Format::Table => described(args, address),
        })?;
        print("ready")?;
        tokio::select! {
            _ = signals.next() => Ok(ExitCode::SUCCESS),
            ended = play(args, listener) => {
                ended.context("the socket of the device failed")?;
                Ok(ExitCode::SUCCESS)
            }
        }
    })
}

fn described(args: &args::Device, address: SocketAddr) -> String {
    let count = args.count;
    match args.kind {
        DeviceKind::Iboot => format!("an iBoot with relays 1 to {count} at {address}"),
        DeviceKind::Msftocs => {
            format!("a chassis manager with blades 1 to {count} at http://{address}")
        }
        DeviceKind::Ucsm => format!(
            "a UCS Manager with service profiles org-root/ls-node1 to {count} at http://{address}"
        ),
        DeviceKind::Cimc => format!("a Cisco IMC at http://{address}"),
        DeviceKind::Seamicro => {
            format!("a SeaMicro chassis with servers 1/0 to {count}/0 at http://{address}/v2.0")
        }
        DeviceKind::Amt => format!("a machine with Intel AMT at http://{address}"),
        DeviceKind::Drac => format!("an iDRAC at http://{address}"),
    }
}

async fn play(args: &args::Device, listener: TcpListener) -> io::Result<()> {
    let account = Account {
        user: args.user.clone(),
        password: args.password.clone(),
    };
    let count = u32::from(args.count);
    let router = match args.kind {
        DeviceKind::Iboot => {
            let device = Arc::new(iboot::Iboot::new(account, args.count));
            return iboot::serve(listener, device).await;
        }
        DeviceKind::Msftocs => msftocs::Manager::new(account, usize::from(args.count)).router(),
        DeviceKind::Ucsm => {
            nuova::Device::new(account, nuova::ManagerModel::UcsManager, count).router()
        }
        DeviceKind::Cimc => nuova::Device::new(account, nuova::ManagerModel::Imc, 1).router(),
        DeviceKind::Seamicro => seamicro::Chassis::new(account, count).router(),
        DeviceKind::Amt => amt::Device::new(account).router(),
        DeviceKind::Drac => drac::Device::new(account, false).router(),
    };
    device::serve(listener, router).await
}
