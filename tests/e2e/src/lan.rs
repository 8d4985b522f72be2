//! A network of one's own for each leg: a bridge in a namespace.
//!
//! The program starts itself again in new namespaces for network, mounts and processes. They have
//! no names, so nothing can be in the way and nothing remains: when the first process of a process
//! namespace ends, the kernel ends all others, and the network goes with the last of them.

use crate::program::{command, run};
use anyhow::Result;
use std::{env, path::Path, process::Command};

/// The address of the service, and everything before the last number of the machines'.
pub(crate) const ADDRESS: &str = "10.77.0.1";
pub(crate) const BRIDGE: &str = "br0";
pub(crate) const TAP: &str = "tap0";

/// This program with these arguments, in namespaces of its own.
pub(crate) fn enclosed(arguments: &[&str]) -> Result<Command> {
    // Ends with the thread that starts it: unshare itself does not care for signals, so without
    // this a Ctrl-C would end everything but the machines.
    let mut command = command("setpriv");
    command
        .args(["--pdeathsig", "KILL", "unshare", "--net", "--mount"])
        .args(["--pid", "--mount-proc", "--kill-child", "--fork"])
        .arg(env::current_exe()?)
        .args(arguments);
    Ok(command)
}

/// Makes the bridge and the tap; to be called inside.
pub(crate) fn set_up() -> Result<()> {
    run("mount", &["-t", "tmpfs", "tmpfs", "/run"])?;
    run("mount", &["-t", "sysfs", "sysfs", "/sys"])?;
    for words in [
        "link set lo up",
        "link add br0 type bridge forward_delay 0",
        "addr add 10.77.0.1/24 dev br0",
        "link set br0 up",
        "tuntap add tap0 mode tap",
        "link set tap0 master br0 up",
    ] {
        run("ip", &words.split(' ').collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Whether all of this can be done here.
pub(crate) fn is_possible() -> bool {
    let works = command("unshare").args(["--net", "true"]).output();
    works.is_ok_and(|output| output.status.success()) && Path::new("/dev/net/tun").exists()
}
