//! Simulated machines in this process, and the programs that talk to them.

use crate::ipmi::peer::{self, Bench};
use serde_json::{Value, json};
use sim::{
    Layout, Machine, Machines, Settings,
    fault::Faults,
    ipmi::{Options, server::Server},
};
use std::{net::Ipv4Addr, process::Output, sync::Arc};
use tokio::process::Command;
use types::JsonMap;

pub(crate) const USER: &str = "admin";
pub(crate) const PASSWORD: &str = "password";

/// Machines whose BMCs listen, for as long as the value lives.
pub(crate) struct Rack {
    pub(crate) machines: Machines,
    pub(crate) server: Server,
}

impl Rack {
    /// One machine, on any port.
    pub(crate) async fn new() -> Self {
        Self::with(Settings::default(), Options::default()).await
    }

    pub(crate) async fn with(settings: Settings, options: Options) -> Self {
        let layout = Layout::Ports {
            address: Ipv4Addr::LOCALHOST.into(),
            first: 0,
        };
        Self::of(1, settings, options, layout).await
    }

    /// One machine on a port below 32768.
    pub(super) async fn on_low_port(settings: Settings) -> Self {
        let settings = Arc::new(settings);
        let machines = sim::machines(1, &settings);
        for first in 30_000..32_768 {
            let address = Ipv4Addr::LOCALHOST.into();
            let layout = Layout::Ports { address, first };
            if let Ok(server) = Server::start(&machines, Options::default(), layout).await {
                return Self { machines, server };
            }
        }
        panic!("all low ports are taken");
    }

    pub(crate) async fn of(
        count: u32,
        settings: Settings,
        options: Options,
        layout: Layout,
    ) -> Self {
        let machines = sim::machines(count, &Arc::new(settings));
        let server = Server::start(&machines, options, layout).await.unwrap();
        Self { machines, server }
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machines[0]
    }

    pub(super) fn port(&self) -> u16 {
        self.server.endpoint(0).unwrap().port()
    }

    pub(crate) fn set_faults(&self, faults: Faults) {
        self.machine().set_faults(Some(faults));
    }

    /// What ipmitool does with these arguments after those that name the BMC.
    pub(super) async fn ipmitool(&self, arguments: &str) -> Output {
        let account = format!("-U {USER} -P {PASSWORD}");
        self.ipmitool_as(&format!("-I lanplus {account}"), arguments)
            .await
    }

    pub(super) async fn ipmitool_as(&self, account: &str, arguments: &str) -> Output {
        // One try is enough on loopback, and the wait is long on a busy machine.
        let at = format!("-H 127.0.0.1 -p {} -R 1 -N 20", self.port());
        run("ipmitool", &format!("{at} {account} {arguments}")).await
    }

    /// What a program of FreeIPMI does with these arguments after those that name the BMC.
    pub(super) async fn freeipmi(&self, program: &str, arguments: &str) -> Output {
        let at = format!("-D LAN_2_0 -h 127.0.0.1:{} -l ADMIN", self.port());
        let account = format!("-u {USER} -p {PASSWORD}");
        run(program, &format!("{at} {account} {arguments}")).await
    }

    pub(crate) fn driver_info(&self) -> JsonMap {
        let Value::Object(info) = json!({
            "ipmi_address": "127.0.0.1", "ipmi_port": self.port(), "ipmi_username": USER,
            "ipmi_password": PASSWORD,
        }) else {
            unreachable!()
        };
        info
    }

    pub(super) fn bench(&self) -> Bench {
        Bench::new(self.driver_info(), peer::settings())
    }
}

async fn run(program: &str, arguments: &str) -> Output {
    Command::new(program)
        .args(arguments.split(' ').filter(|argument| !argument.is_empty()))
        .kill_on_drop(true)
        .output()
        .await
        .unwrap()
}

/// What a program printed, which must have been pleased.
pub(super) fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What a program complained about, which must have failed.
pub(super) fn complaint(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(!output.status.success(), "{text}");
    text
}
