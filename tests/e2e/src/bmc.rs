//! The BMC in front of a machine: our simulator, or what others wrote.

use crate::{
    lan::ADDRESS,
    leg::{Bmc, Leg},
    machine::Machine,
    program::{Daemon, command, run},
};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::{fs, path::Path, time::Duration};

const PATIENCE: Duration = Duration::from_secs(120);
/// Of the machines whose BMC does not make up an identity for them.
const MAC: &str = "52:54:00:e2:e0:01";
const UUID: &str = "e2e00000-0000-4000-8000-000000000001";
const USER: &str = "admin";
const PASSWORD: &str = "password";

/// A BMC that answers.
#[derive(Debug)]
pub(crate) struct Control {
    _daemon: Daemon,
    pub(crate) mac: String,
    pub(crate) driver: &'static str,
    pub(crate) driver_info: Vec<(&'static str, String)>,
    /// Where the simulator is told what no BMC can do.
    knobs: Option<String>,
}

impl Control {
    /// Pulls the plug.
    pub(crate) fn pull_the_plug(&self) -> Result<()> {
        let knobs = self.knobs.as_ref().context("no simulator")?;
        let url = format!("{knobs}/sim/v1/machines/0/power");
        let body = r#"{"action": "off"}"#;
        let kind = "content-type: application/json";
        run("curl", &["-sSf", "-X", "PUT", "-H", kind, "-d", body, &url])?;
        Ok(())
    }
}

/// Installs the BMCs in Python that these legs need: a leg's own network reaches no package index.
pub(crate) fn install(legs: &[Leg]) -> Result<()> {
    legs.iter().try_for_each(|leg| match leg.bmc {
        Bmc::Pyghmi | Bmc::Sushy => python(leg.bmc).map(drop),
        Bmc::SimIpmi | Bmc::SimRedfish => Ok(()),
    })
}

/// The path of a Python that has the packages of this BMC; it is installed on the first use.
fn python(bmc: Bmc) -> Result<String> {
    let script = match bmc {
        Bmc::Sushy => "with-sushy-tools",
        _ => "with-pyghmi",
    };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = tests.join("../peers").join(script);
    let path = run(&script.display().to_string(), &[])?;
    Ok(path.trim().to_owned())
}

/// Starts the BMC; the machine behind it is off.
pub(crate) fn start(leg: &Leg, machine: &Machine, corten: &Path, folder: &Path) -> Result<Control> {
    let log = folder.join("bmc.log");
    let mut knobs = None;
    let (daemon, mac, port) = match leg.bmc {
        Bmc::SimIpmi | Bmc::SimRedfish => sim(leg, machine, corten, &log, &mut knobs)?,
        Bmc::Pyghmi => script(leg.bmc, "ipmi.py", machine, folder)?,
        Bmc::Sushy => script(leg.bmc, "redfish.py", machine, folder)?,
    };
    let mut driver_info = Vec::new();
    if leg.speaks_redfish() {
        driver_info.push(("redfish_address", format!("http://{ADDRESS}:{port}")));
        driver_info.push(("redfish_username", USER.to_owned()));
        driver_info.push(("redfish_password", PASSWORD.to_owned()));
    } else {
        driver_info.push(("ipmi_address", ADDRESS.to_owned()));
        driver_info.push(("ipmi_port", port.to_string()));
        driver_info.push(("ipmi_username", USER.to_owned()));
        driver_info.push(("ipmi_password", PASSWORD.to_owned()));
    }
    Ok(Control {
        _daemon: daemon,
        mac,
        driver: if leg.speaks_redfish() {
            "redfish"
        } else {
            "ipmi"
        },
        driver_info,
        knobs,
    })
}

fn sim(
    leg: &Leg,
    machine: &Machine,
    corten: &Path,
    log: &Path,
    knobs: &mut Option<String>,
) -> Result<(Daemon, String, u16)> {
    let mut command = command(corten);
    command
        .args(["sim", "--listen", ADDRESS, "--insecure", "--format", "json"])
        .args(["--ipmi-port", "6230", "--redfish-port", "8000"])
        .args(["--user", USER, "--qemu", "qemu-system-x86_64"])
        .arg("--qemu-serial-log")
        .arg(&machine.serial)
        .env("CORTEN_SIM_PASSWORD", PASSWORD);
    for argument in &machine.arguments {
        command.arg(format!("--qemu-arg={argument}"));
    }
    let mut daemon = Daemon::start(&mut command, log)?;
    let line = daemon.says("\"machines\"", PATIENCE)?;
    let told: Value = serde_json::from_str(&line).context("the simulator's own words")?;
    *knobs = told["control"].as_str().map(str::to_owned);
    let mac = told
        .pointer("/machines/0/macs/0")
        .and_then(Value::as_str)
        .with_context(|| format!("the simulator names no MAC address: {line}"))?;
    let port = if leg.speaks_redfish() { 8000 } else { 6230 };
    Ok((daemon, mac.to_owned(), port))
}

/// A BMC in Python, with the machine described in a file.
fn script(
    bmc: Bmc,
    script: &str,
    machine: &Machine,
    folder: &Path,
) -> Result<(Daemon, String, u16)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let description = folder.join("machine.json");
    let arguments = machine
        .arguments
        .iter()
        .map(|text| text.replace("{mac}", MAC));
    let machine = json!({
        "program": "qemu-system-x86_64",
        "arguments": arguments.collect::<Vec<_>>(),
        "uuid": UUID,
        "mac": MAC,
        "serial": machine.serial,
        "user": USER,
        "password": PASSWORD,
        "address": ADDRESS,
        "port": 6230,
        "folder": folder,
    });
    fs::write(&description, machine.to_string())?;
    let mut command = command(python(bmc)?);
    command.arg(tests.join("bmc").join(script)).arg(description);
    let mut daemon = Daemon::start(&mut command, &folder.join("bmc.log"))?;
    daemon.says("ready", PATIENCE)?;
    Ok((daemon, MAC.to_owned(), 6230))
}
