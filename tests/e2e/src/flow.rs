//! What happens to a machine: enrolled, inspected, cleaned, deployed, booted, and taken back.
//!
//! Everything is asked for with the command line, as an operator would.

mod fault;
mod login;
mod older;
mod raid;
mod rebuild;

use crate::{
    bmc::Control,
    image::{Image, Images},
    lan::{Lan, VLAN},
    leg::{Extra, Firmware, Leg, Load},
    machine::{Machine, SECOND_MAC},
    report::Phases,
    service::{Ramdisk, Service},
};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::{fs, path::Path, time::Duration};

/// What the command line waits for, in seconds: a machine on a busy host takes its time.
const WAIT: &str = "--wait=1200";
/// From power on to the marker.
const BOOT_PATIENCE: Duration = Duration::from_secs(600);
const NODE: &str = "machine";
/// What a config drive holds that nothing else could.
const SECRET: &str = "e2e-secret-of-the-config-drive";

/// A leg under way.
pub(crate) struct Flow<'a> {
    pub(crate) leg: &'a Leg,
    pub(crate) lan: &'a Lan,
    pub(crate) machine: &'a Machine,
    pub(crate) control: &'a Control,
    pub(crate) service: &'a Service,
    pub(crate) images: &'a Images,
    /// The bash ramdisk of old releases, for the leg that boots it.
    pub(crate) bash: Option<&'a Ramdisk>,
    pub(crate) folder: &'a Path,
}

impl Flow<'_> {
    pub(crate) fn run(&self, phases: &mut Phases) -> Result<()> {
        phases.time("enrol", || self.enrol())?;
        if self.leg.extra == Some(Extra::NoDhcp) {
            return phases.time("inspect", || self.is_not_answered());
        }
        phases.time("inspect", || self.inspect())?;
        phases.time("clean", || self.clean())?;
        match self.leg.extra {
            Some(Extra::SoftwareRaid) => phases.time("raid", || self.make_raid())?,
            // The volumes are the simulator's, so there is nothing to install on.
            Some(Extra::RedfishRaid) => return phases.time("raid", || self.bmc_makes_raid()),
            Some(Extra::Netboot | Extra::BashRamdisk) => return self.boots_from_network(phases),
            Some(Extra::Ephemeral) => return self.keeps_ephemeral(phases),
            _ => {}
        }
        let before = self.machine.said();
        if self.leg.extra == Some(Extra::PowerLost) {
            phases.time("deploy", || self.loses_power())?;
            return phases.time("undeploy", || self.undeploy());
        }
        phases.time("deploy", || self.deploy())?;
        phases.time("boot", || self.boots(before))?;
        match self.leg.extra {
            Some(Extra::Rescue) => {
                phases.time("login", || self.lets_in(before))?;
                phases.time("rescue", || self.rescue())?;
            }
            Some(Extra::Rebuild) => phases.time("rebuild", || self.rebuilds())?,
            _ => {}
        }
        phases.time("undeploy", || self.undeploy())
    }

    /// Only starts the image from the disk, to tell faults of the tests from faults of the service.
    pub(crate) fn dry_run(&self, phases: &mut Phases) -> Result<()> {
        phases.time("enrol", || self.enrol())?;
        self.machine.write(&self.image().qcow2)?;
        phases.time("boot", || {
            let before = self.machine.said();
            self.service.cli(&[
                "node",
                "boot",
                "device",
                "set",
                NODE,
                "disk",
                "--persistent",
            ])?;
            self.service.cli(&["node", "power", "on", NODE])?;
            self.machine.says("E2E up", before, BOOT_PATIENCE)?;
            self.service.cli(&["node", "power", "off", NODE])?;
            Ok(())
        })
    }

    /// What the service knows of a machine that went wrong.
    pub(crate) fn explain(&self) -> String {
        let mut told = String::new();
        for arguments in [
            &["node", "show", NODE, "-f", "json"][..],
            &["node", "history", "list", NODE],
            &["node", "timeline", NODE],
            &["node", "boot-log", NODE],
        ] {
            let text = match self.service.cli(arguments) {
                Ok(text) => text,
                Err(error) => format!("{error:#}"),
            };
            told += &format!("--- corten {}\n{}\n", arguments.join(" "), text.trim());
        }
        told
    }

    fn enrol(&self) -> Result<()> {
        let mode = if self.leg.is_uefi() { "uefi" } else { "bios" };
        let mut capabilities = format!("capabilities=boot_mode:{mode}");
        if self.leg.firmware == Firmware::SecureUefi {
            capabilities += ",secure_boot:true";
        }
        let mut arguments = vec!["node".to_owned(), "create".to_owned()];
        let driver = self.leg.old_name.unwrap_or(self.control.driver);
        for (name, value) in [
            ("--driver", driver),
            ("--name", NODE),
            ("--property", "cpu_arch=x86_64"),
            ("--property", &capabilities),
        ] {
            arguments.extend([name.to_owned(), value.to_owned()]);
        }
        // An old name says all by itself.
        if self.leg.old_name.is_none() {
            for (name, value) in [
                ("--boot-interface", self.leg.boot),
                ("--deploy-interface", self.leg.deploy),
            ] {
                arguments.extend([name.to_owned(), value.to_owned()]);
            }
        }
        // Without hints an agent takes no disk below 4 GiB.
        if self.leg.has_hint() {
            let root = json!({"serial": "E2E0"});
            arguments.extend(["--property".to_owned(), format!("root_device={root}")]);
        }
        for (name, value) in &self.control.driver_info {
            arguments.extend(["--driver-info".to_owned(), format!("{name}={value}")]);
        }
        match self.leg.extra {
            Some(Extra::BondByNetworkData) => {
                arguments.extend(["--network-data".to_owned(), self.bond_as_document()]);
            }
            Some(Extra::BondByParameters) => {
                let words = format!("kernel_append_params=%default% {}", self.bond_as_words());
                arguments.extend(["--driver-info".to_owned(), words]);
            }
            _ => {}
        }
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let node = self.service.json(&words)?;
        // By this the machine is recognised when it tells what it is.
        let id = node["uuid"].as_str().context("a node without uuid")?;
        let port = ["port", "create", &self.control.mac, "--node", id];
        self.service.cli(&port)?;
        self.asks(&["manage"], "manageable")
    }

    /// The MAC addresses of the machine's cards.
    fn macs(&self) -> Vec<String> {
        let second = (self.leg.cards() > 1).then(|| SECOND_MAC.to_owned());
        [self.control.mac.clone()]
            .into_iter()
            .chain(second)
            .collect()
    }

    /// The bond and its VLAN in the words of dracut.
    fn bond_as_words(&self) -> String {
        let links = self.macs().join(",").replace(':', "-");
        format!(
            "bond=bond0:{links}:mode=802.3ad,miimon=100,lacp_rate=fast vlan=bond0.{VLAN}:bond0 \
             ip=bond0.{VLAN}:dhcp"
        )
    }

    /// The same with a fixed address, in OpenStack's words.
    fn bond_as_document(&self) -> String {
        let macs = self.macs();
        let phy =
            |id: &str, mac: &String| json!({"id": id, "type": "phy", "ethernet_mac_address": mac});
        let data = json!({
            "links": [
                phy("card0", &macs[0]),
                phy("card1", &macs[1]),
                {
                    "id": "bond0", "type": "bond", "bond_links": ["card0", "card1"],
                    "bond_mode": "802.3ad", "bond_miimon": 100, "ethernet_mac_address": macs[0],
                },
                {
                    "id": "vlan", "type": "vlan", "vlan_link": "bond0", "vlan_id": VLAN,
                    "vlan_mac_address": macs[0],
                },
            ],
            "networks": [{
                "id": "provisioning", "network_id": "provisioning", "link": "vlan", "type": "ipv4",
                "ip_address": "10.77.0.50", "netmask": "255.255.255.0", "routes": [],
            }],
            "services": [],
        });
        data.to_string()
    }

    /// Asks for something and sees that it led where it should.
    fn asks(&self, words: &[&str], state: &str) -> Result<()> {
        let (verb, options) = words.split_first().context("no verb")?;
        let mut arguments = vec!["node", verb, NODE, WAIT];
        arguments.extend(options);
        let outcome = self.service.cli(&arguments);
        let node = self.node()?;
        let is = node["provision_state"].as_str().unwrap_or_default();
        if outcome.is_err() || is != state {
            let error = node["last_error"].as_str().unwrap_or("no error");
            let said = outcome.err().map(|error| format!("; {error:#}"));
            bail!(
                "{verb} led to '{is}' and not to '{state}': {error}{}",
                said.unwrap_or_default()
            );
        }
        ensure!(node["maintenance"] != true, "{verb} led to maintenance");
        Ok(())
    }

    fn node(&self) -> Result<Value> {
        self.service.json(&["node", "show", NODE])
    }

    fn inspect(&self) -> Result<()> {
        self.asks(&["inspect"], "manageable")?;
        let file = self.folder.join("inventory.json");
        let name = file.display().to_string();
        self.service
            .cli(&["node", "inventory", "save", NODE, "--file", &name])?;
        let saved: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
        let inventory = &saved["inventory"];
        let listed = |what: &str| inventory[what].as_array().cloned().unwrap_or_default();
        let mut macs: Vec<_> = listed("interfaces")
            .iter()
            .filter_map(|card| card["mac_address"].as_str().map(str::to_owned))
            .collect();
        macs.sort();
        // A bond and its VLAN are listed too, as by Ironic's agent, with the address of a card.
        macs.dedup();
        let mut cards = self.macs();
        cards.sort();
        ensure!(macs == cards, "the interfaces are {macs:?}");
        if self.leg.is_bonded() {
            self.lan.bonds_all(self.leg)?;
        }
        let disks = listed("disks");
        let sizes: Vec<_> = disks
            .iter()
            .filter_map(|disk| disk["size"].as_u64())
            .collect();
        let expected = vec![self.leg.disk_size(); self.leg.disks()];
        ensure!(sizes == expected, "the disks are {disks:?}");
        let mode = inventory["boot"]["current_boot_mode"].as_str();
        let expected = if self.leg.is_uefi() { "uefi" } else { "bios" };
        ensure!(mode == Some(expected), "the boot mode is {mode:?}");
        let ports = self.service.json(&["port", "list", "--node", NODE])?;
        let ports = ports.to_string();
        ensure!(ports.contains(&self.control.mac), "the ports are {ports}");
        Ok(())
    }

    fn clean(&self) -> Result<()> {
        self.asks(&["provide"], "available")?;
        self.is_clean()
    }

    fn is_clean(&self) -> Result<()> {
        if self.leg.erases_all() {
            self.machine.is_empty()
        } else {
            self.machine.has_no_metadata()
        }
    }

    fn make_raid(&self) -> Result<()> {
        self.asks(&["manage"], "manageable")?;
        let layout = json!({"logical_disks": [
            {"size_gb": "MAX", "raid_level": "1", "controller": "software", "is_root_volume": true},
        ]});
        self.service.cli(&[
            "node",
            "set",
            NODE,
            "--no-automated-clean",
            "--target-raid-config",
            &layout.to_string(),
        ])?;
        let steps = json!([
            {"interface": "raid", "step": "delete_configuration"},
            {"interface": "raid", "step": "create_configuration"},
        ]);
        let steps = steps.to_string();
        self.asks(&["clean", "--clean-steps", &steps], "manageable")?;
        self.asks(&["provide"], "available")
    }

    fn image(&self) -> &Image {
        &self.images.image
    }

    fn deploy(&self) -> Result<()> {
        let drive = self.describe_instance()?;
        self.asks(&["deploy", "--config-drive", &drive], "active")
    }

    /// Tells the node what it is to become, and returns its config drive.
    fn describe_instance(&self) -> Result<String> {
        let image = self.image();
        let mut facts = vec![
            format!("image_source={}", self.images.address(&image.qcow2)?),
            "image_os_hash_algo=sha512".to_owned(),
            format!("image_os_hash_value={}", image.sha512),
        ];
        if self.leg.load.is_partition() {
            facts.push("root_gb=1".to_owned());
            facts.push("image_type=partition".to_owned());
        }
        let mut arguments = vec!["node", "set", NODE];
        for fact in &facts {
            arguments.extend(["--instance-info", fact]);
        }
        self.service.cli(&arguments)?;
        self.config_drive()
    }

    fn config_drive(&self) -> Result<String> {
        let drive = json!({
            "meta_data": {
                "uuid": NODE, "name": NODE, "secret": SECRET, "public_keys": {"e2e": self.key()?},
            },
            "user_data": "#!/bin/sh\necho user data\n",
            "network_data": {"links": [], "networks": [], "services": []},
        });
        Ok(drive.to_string())
    }

    /// The system on the disk has started and found its config drive.
    fn boots(&self, from: usize) -> Result<()> {
        let said = self.machine.says(self.marker(), from, BOOT_PATIENCE)?;
        let line = |start: &str| {
            said.lines()
                .find(|line| line.contains(start))
                .with_context(|| format!("the console does not say '{start}'"))
        };
        let up = line(self.marker())?;
        let firmware = if self.leg.is_uefi() { "uefi" } else { "bios" };
        ensure!(up.contains(&format!("firmware={firmware} ")), "{up}");
        if self.leg.load.is_built() {
            // Its name and the key come from the config drive.
            ensure!(up.contains(&format!("hostname={NODE} ")), "{up}");
            ensure!(
                up.contains("root=/dev/vda") && up.contains("keys=1"),
                "{up}"
            );
            return Ok(());
        }
        if self.leg.firmware == Firmware::SecureUefi {
            ensure!(up.contains("secure=yes "), "{up}");
        }
        if self.leg.load == Load::Partition {
            ensure!(!up.contains("root=none"), "{up}");
        }
        if self.leg.extra == Some(Extra::Kexec) {
            line("kexec_core: Starting new kernel")?;
        }
        let data = line("E2E drive meta_data.json: ")?;
        ensure!(data.contains(SECRET), "{data}");
        ensure!(line("E2E drive user_data: ")?.contains("user data"));
        line("E2E drive network_data.json: ")?;
        if self.leg.erases_all() {
            self.machine.has_no_old_data(self.image().size)?;
        }
        Ok(())
    }

    /// What the console says when the system is there.
    fn marker(&self) -> &'static str {
        match self.leg.load.is_built() {
            true => "corten-image: up",
            false => "E2E up",
        }
    }

    fn undeploy(&self) -> Result<()> {
        let set = |option: &str| self.service.cli(&["node", "set", NODE, option]);
        if self.leg.extra == Some(Extra::SoftwareRaid) {
            set("--automated-clean")?;
        }
        self.asks(&["undeploy"], "available")?;
        if self.leg.extra == Some(Extra::SoftwareRaid) {
            // Cleaning empties an array and leaves it for the next user; it is taken apart on demand.
            self.asks(&["manage"], "manageable")?;
            let steps = json!([{"interface": "raid", "step": "delete_configuration"}]);
            let steps = steps.to_string();
            self.asks(&["clean", "--clean-steps", &steps], "manageable")?;
        }
        self.is_clean()
    }
}
