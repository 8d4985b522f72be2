//! Hosts that are network namespaces on a bridge, and ways to come between them.
//!
//! The program starts itself again in new namespaces for network, mounts and processes; the hosts
//! are further network namespaces inside. Nothing of it has a name outside, and when the first
//! process ends, the kernel ends and removes all the rest.
//!
//! Two hosts are parted by telling one a hardware address for the other that nobody has: its
//! packets vanish on the bridge without an error to anybody, in one direction or in both, and
//! connections stay open. That needs nothing of the kernel that a bridge does not need.

use anyhow::{Context, Result, bail};
use std::{env, ffi::OsStr, fmt, fs, process::Stdio};
use tokio::process::Command;

const BRIDGE: &str = "br0";
const NOBODY: &str = "02:00:00:00:00:fe";

/// A host of the world.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Host {
    pub(crate) name: String,
    number: u8,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Host {
    pub(crate) fn new(name: impl Into<String>, number: u8) -> Self {
        let name = name.into();
        Self { name, number }
    }

    pub(crate) fn address(&self) -> String {
        format!("10.78.0.{}", self.number)
    }

    /// A command that runs on this host, and with it ends whoever started it.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = command("nsenter");
        command
            .arg(format!("--net=/run/netns/{}", self.name))
            .arg("--")
            .arg(program);
        command
    }

    /// Puts the host on the bridge.
    async fn create(&self) -> Result<()> {
        let (name, address) = (&self.name, self.address());
        for words in [
            format!("netns add {name}"),
            format!("link add v-{name} type veth peer name eth0 netns {name}"),
            format!("link set v-{name} master {BRIDGE} up"),
            format!("-n {name} addr add {address}/24 dev eth0"),
            format!("-n {name} link set eth0 up"),
            format!("-n {name} link set lo up"),
        ] {
            ip(&words).await?;
        }
        Ok(())
    }

    /// Lets everything vanish that goes from here to the other.
    pub(crate) async fn lose(&self, other: &Host) -> Result<()> {
        let (name, address) = (&self.name, other.address());
        ip(&format!(
            "-n {name} neigh replace {address} lladdr {NOBODY} dev eth0 nud permanent"
        ))
        .await
    }

    /// The end of [`Host::lose`]; does nothing where nothing was lost.
    pub(crate) async fn find(&self, other: &Host) -> Result<()> {
        let (name, address) = (&self.name, other.address());
        // It is an error to take away what is not there.
        let _ = ip(&format!("-n {name} neigh del {address} dev eth0")).await;
        Ok(())
    }

    pub(crate) async fn unplug(&self) -> Result<()> {
        ip(&format!("link set v-{} down", self.name)).await
    }

    pub(crate) async fn plug(&self) -> Result<()> {
        ip(&format!("link set v-{} up", self.name)).await
    }
}

/// A program of that name, also from the folders that ordinary users do not have on their path.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let path = env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Runs a command to its end; a failure tells what it said.
pub(crate) async fn run(command: &mut Command) -> Result<String> {
    let name = command.as_std().get_program().to_owned();
    let name = name.to_string_lossy();
    let output = command
        .output()
        .await
        .with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        bail!("{:?}: {}: {}", command.as_std(), output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

async fn ip(words: &str) -> Result<()> {
    run(command("ip").args(words.split(' '))).await.map(|_| ())
}

/// This program with these arguments, in namespaces of its own.
pub(crate) fn enclosed(arguments: &[String]) -> Result<std::process::Command> {
    // Ends with the thread that starts it: unshare itself does not care for signals.
    let mut command = std::process::Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "unshare", "--net", "--mount"])
        .args(["--pid", "--mount-proc", "--kill-child", "--fork"])
        .arg(env::current_exe()?)
        .args(arguments)
        .stdin(Stdio::null());
    Ok(command)
}

/// Makes the bridge and the hosts; to be called inside.
pub(crate) async fn set_up(hosts: &[Host]) -> Result<()> {
    run(command("mount").args(["-t", "tmpfs", "tmpfs", "/run"])).await?;
    run(command("mount").args(["-t", "sysfs", "sysfs", "/sys"])).await?;
    fs::create_dir_all("/run/netns")?;
    for words in [
        "link set lo up",
        "link add br0 type bridge forward_delay 0",
        "addr add 10.78.0.1/24 dev br0",
        "link set br0 up",
    ] {
        ip(words).await?;
    }
    for host in hosts {
        host.create().await?;
    }
    Ok(())
}

/// Whether all of this can be done here.
pub(crate) fn is_possible() -> bool {
    let works = std::process::Command::new("unshare")
        .args(["--net", "--mount", "true"])
        .output();
    works.is_ok_and(|output| output.status.success())
}
