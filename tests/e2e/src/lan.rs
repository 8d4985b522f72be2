//! A network of one's own for each leg: a bridge in a namespace.
//!
//! The program starts itself again in new namespaces for network, mounts and processes. They have
//! no names, so nothing can be in the way and nothing remains: when the first process of a process
//! namespace ends, the kernel ends all others, and the network goes with the last of them.

use crate::{
    leg::Leg,
    program::{Daemon, command, run, text, wait},
};
use anyhow::{Context, Result};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// The address of the service, and everything before the last number of the machines'.
pub(crate) const ADDRESS: &str = "10.77.0.1";
pub(crate) const BRIDGE: &str = "br0";
/// The one VLAN that the switch of a bonded machine lets through.
pub(crate) const VLAN: u16 = 105;
/// How long the switch may take to answer its control socket.
const PATIENCE: Duration = Duration::from_secs(60);

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

/// What the machines are plugged into.
#[derive(Debug)]
pub(crate) struct Lan {
    /// The switch of a bonded machine, which ends with this.
    switch: Option<Switch>,
}

#[derive(Debug)]
struct Switch {
    _database: Daemon,
    _daemon: Daemon,
    log: PathBuf,
}

/// The name of the tap for a machine's card.
pub(crate) fn tap(card: usize) -> String {
    format!("tap{card}")
}

impl Lan {
    /// Makes the taps and what joins them; to be called inside.
    pub(crate) fn set_up(leg: &Leg, folder: &Path) -> Result<Self> {
        run("mount", &["-t", "tmpfs", "tmpfs", "/run"])?;
        run("mount", &["-t", "sysfs", "sysfs", "/sys"])?;
        ip("link set lo up")?;
        for card in 0..leg.cards() {
            ip(&format!("tuntap add {} mode tap", tap(card)))?;
        }
        if leg.is_bonded() {
            let switch = Some(Switch::start(leg.cards(), folder)?);
            return Ok(Self { switch });
        }
        ip("link add br0 type bridge forward_delay 0")?;
        for card in 0..leg.cards() {
            ip(&format!("link set {} master br0 up", tap(card)))?;
        }
        has_address()?;
        Ok(Self { switch: None })
    }

    /// Waits until the switch has taken the cards into its bond, which it does for those that speak
    /// LACP and for no others.
    pub(crate) fn bonds_all(&self, leg: &Leg) -> Result<()> {
        let switch = self.switch.as_ref().context("there is no switch")?;
        for card in 0..leg.cards() {
            let line = format!("member {}: enabled", tap(card));
            wait(PATIENCE, || {
                Ok(text(&switch.log).contains(&line).then_some(()))
            })
            .with_context(|| format!("the switch does not say '{line}'"))?;
        }
        Ok(())
    }
}

impl Switch {
    /// Open vSwitch in user space: the taps are one bond (LACP without fallback) that carries tagged
    /// frames of one VLAN only, and the bridge's address is in that VLAN. The kernels that tests run on
    /// rarely have bonds and VLANs themselves.
    fn start(cards: usize, folder: &Path) -> Result<Self> {
        let root = PathBuf::from(open_vswitch()?);
        let libraries = root.join("usr/lib/x86_64-linux-gnu");
        let program = |path: &str| {
            let mut command = command(root.join(path));
            command
                .env("LD_LIBRARY_PATH", &libraries)
                .env("OVS_RUNDIR", "/run/switch");
            command
        };
        let finish = |command: &mut Command| crate::program::output(command);
        fs::create_dir_all("/run/switch")?;
        let schema = root.join("usr/share/openvswitch/vswitch.ovsschema");
        finish(
            program("usr/bin/ovsdb-tool")
                .args(["create", "/run/switch/conf.db"])
                .arg(schema),
        )?;
        let database = Daemon::start(
            program("usr/sbin/ovsdb-server")
                .args(["/run/switch/conf.db", "--remote=punix:/run/switch/db.sock"]),
            &folder.join("switch-database.log"),
        )?;
        let socket = Path::new("/run/switch/db.sock");
        wait(PATIENCE, || Ok(socket.exists().then_some(())))
            .context("the switch's database does not listen")?;
        let configure = || {
            let mut command = program("usr/bin/ovs-vsctl");
            command.args(["--db=unix:/run/switch/db.sock", "--timeout=60"]);
            command
        };
        finish(configure().args(["--no-wait", "init"]))?;
        let log = folder.join("switch.log");
        let daemon = Daemon::start(
            program("usr/lib/openvswitch-switch/ovs-vswitchd")
                .args(["unix:/run/switch/db.sock", "--disable-system"]),
            &log,
        )?;
        let taps: Vec<String> = (0..cards).map(tap).collect();
        for tap in &taps {
            ip(&format!("link set {tap} up"))?;
        }
        let vlan = format!("tag={VLAN}");
        let trunks = format!("trunks={VLAN}");
        finish(
            configure()
                .args(["add-br", "switch0", "--"])
                .args(["set", "bridge", "switch0", "datapath_type=netdev", "--"])
                .args(["add-port", "switch0", BRIDGE, &vlan, "--"])
                .args(["set", "interface", BRIDGE, "type=internal", "--"])
                .args(["add-bond", "switch0", "bond0"])
                .args(&taps)
                // What arrives on either card counts.
                .args(["lacp=active", "bond_mode=balance-tcp", &trunks, "--"])
                .args(["set", "port", "bond0", "vlan_mode=trunk"])
                .arg("other_config:lacp-time=fast"),
        )?;
        has_address()?;
        Ok(Self {
            _database: database,
            _daemon: daemon,
            log,
        })
    }
}

/// The folder of Open vSwitch; it is unpacked on the first use, which needs Debian's packages.
pub(crate) fn open_vswitch() -> Result<String> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = tests.join("../peers/with-openvswitch");
    Ok(run(&script.display().to_string(), &[])?.trim().to_owned())
}

fn has_address() -> Result<()> {
    ip(&format!("addr add {ADDRESS}/24 dev {BRIDGE}"))?;
    ip(&format!("link set {BRIDGE} up"))
}

fn ip(words: &str) -> Result<()> {
    run("ip", &words.split(' ').collect::<Vec<_>>()).map(drop)
}

/// Whether all of this can be done here.
pub(crate) fn is_possible() -> bool {
    let works = command("unshare").args(["--net", "true"]).output();
    works.is_ok_and(|output| output.status.success()) && Path::new("/dev/net/tun").exists()
}
