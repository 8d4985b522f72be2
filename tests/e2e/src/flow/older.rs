//! Instances of the time when the conductor wrote disks over iSCSI: they boot from the network or
//! from their disk, and keep their ephemeral partition when they are installed again.

use super::{BOOT_PATIENCE, Flow, NODE};
use crate::report::Phases;
use anyhow::{Context, Result, ensure};
use serde_json::json;

impl Flow<'_> {
    /// Boots from the network, also after the conductor was killed, and then from the disk.
    pub(super) fn boots_from_network(&self, phases: &mut Phases) -> Result<()> {
        let before = self.machine.said();
        self.uses_bash_ramdisk(true)?;
        phases.time("deploy", || {
            let drive = self.describe_instance()?;
            self.asks_to_boot_from("netboot")?;
            self.asks(&["deploy", "--config-drive", &drive], "active")
        })?;
        phases.time("boot", || self.is_from_network(before, true))?;
        phases.time("kill", || {
            self.service.is_killed_and_returns()?;
            let before = self.machine.said();
            self.service.cli(&["node", "reboot", NODE])?;
            self.is_from_network(before, true)
        })?;
        let before = self.machine.said();
        phases.time("rebuild", || {
            self.asks_to_boot_from("local")?;
            let drive = self.config_drive()?;
            self.asks(&["rebuild", "--config-drive", &drive], "active")?;
            self.is_from_network(before, false)
        })?;
        self.uses_bash_ramdisk(false)?;
        phases.time("undeploy", || self.undeploy())
    }

    fn asks_to_boot_from(&self, option: &str) -> Result<()> {
        let facts = [
            format!("kernel={}", self.images.address(&self.images.kernel)?),
            format!("ramdisk={}", self.images.address(&self.images.ramdisk)?),
            format!("capabilities={}", json!({"boot_option": option})),
        ];
        let mut arguments = vec!["node", "set", NODE];
        for fact in &facts {
            arguments.extend(["--instance-info", fact]);
        }
        self.service.cli(&arguments).map(drop)
    }

    /// Whether deployments are done by the bash ramdisk; it can do nothing else.
    fn uses_bash_ramdisk(&self, does: bool) -> Result<()> {
        let Some(ramdisk) = self.bash else {
            return Ok(());
        };
        let facts = [
            ("deploy_kernel", &ramdisk.kernel),
            ("deploy_ramdisk", &ramdisk.initramfs),
        ];
        for (name, file) in facts {
            let fact = format!("{name}=file://{}", file.display());
            self.service.cli(&match does {
                true => ["node", "set", NODE, "--driver-info", &fact],
                false => ["node", "unset", NODE, "--driver-info", name],
            })?;
        }
        Ok(())
    }

    /// The system is up, and its kernel was told of the root by the network, or was not.
    fn is_from_network(&self, from: usize, expected: bool) -> Result<()> {
        self.boots(from)?;
        let node = self.node()?;
        let root = node["driver_internal_info"]["root_uuid_or_disk_id"]
            .as_str()
            .context("the node does not know its root")?;
        let said = self.machine.says(self.marker(), from, BOOT_PATIENCE)?;
        let told = said.contains(&format!("root=UUID={root} ro text"));
        ensure!(
            told == expected,
            "the kernel was {}told root=UUID={root} by the network",
            if told { "" } else { "not " }
        );
        Ok(())
    }

    /// A file on the ephemeral partition survives, one on the root does not.
    pub(super) fn keeps_ephemeral(&self, phases: &mut Phases) -> Result<()> {
        let before = self.machine.said();
        phases.time("deploy", || {
            let drive = self.describe_instance()?;
            let facts = ["ephemeral_gb=1", "swap_mb=16"];
            for fact in facts {
                self.service
                    .cli(&["node", "set", NODE, "--instance-info", fact])?;
            }
            self.asks(&["deploy", "--config-drive", &drive], "active")
        })?;
        let mut first = String::new();
        phases.time("boot", || {
            self.boots(before)?;
            let kept = self.kept(before)?;
            ensure!(
                (&*kept.ephemeral, &*kept.root) == ("none", "none"),
                "{kept:?}"
            );
            first = kept.boot;
            // Both files last.
            let before = self.machine.said();
            self.service.cli(&["node", "reboot", NODE])?;
            self.boots(before)?;
            let kept = self.kept(before)?;
            ensure!(
                (&kept.ephemeral, &kept.root) == (&first, &first),
                "{kept:?}"
            );
            Ok(())
        })?;
        phases.time("rebuild", || {
            let fact = "preserve_ephemeral=true";
            self.service
                .cli(&["node", "set", NODE, "--instance-info", fact])?;
            let before = self.machine.said();
            let drive = self.config_drive()?;
            self.asks(&["rebuild", "--config-drive", &drive], "active")?;
            self.boots(before)?;
            let kept = self.kept(before)?;
            ensure!(
                (&*kept.ephemeral, &*kept.root) == (&*first, "none"),
                "{kept:?}, and {first} was the first boot"
            );
            Ok(())
        })?;
        phases.time("undeploy", || self.undeploy())
    }

    /// What the system found of its boots before.
    fn kept(&self, from: usize) -> Result<Kept> {
        let said = self.machine.says("E2E kept ", from, BOOT_PATIENCE)?;
        let (_, line) = said.rsplit_once("E2E kept ").unwrap_or_default();
        let word = |name: &str| {
            let value = line.split_whitespace().find_map(|word| {
                let (key, value) = word.split_once('=')?;
                (key == name).then(|| value.to_owned())
            });
            value.with_context(|| format!("no {name} in '{line}'"))
        };
        Ok(Kept {
            ephemeral: word("ephemeral")?,
            root: word("root")?,
            boot: word("boot")?,
        })
    }
}

/// The boot that left its number on each filesystem first, and the boot of now.
#[derive(Debug)]
struct Kept {
    ephemeral: String,
    root: String,
    boot: String,
}
