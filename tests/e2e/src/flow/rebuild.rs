//! Instances are installed again, twice from each kind of source.

use super::{Flow, NODE, WAIT};
use crate::service::{HTTP, IMAGES};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;

impl Flow<'_> {
    /// From a server without ranges, from a file, and from a server with ranges. Nothing is ever
    /// said about the format.
    pub(super) fn rebuilds(&self) -> Result<()> {
        let image = self.image();
        let name = image.qcow2.file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        fs::copy(&image.qcow2, self.folder.join("http").join(&*name))?;
        for source in [
            format!("{IMAGES}/{name}"),
            format!("file://{}", image.qcow2.display()),
            format!("{HTTP}/{name}"),
        ] {
            let fact = format!("image_source={source}");
            self.service
                .cli(&["node", "set", NODE, "--instance-info", &fact])?;
            let said = self.instance()?;
            for time in 1..=2 {
                let before = self.machine.said();
                let drive = self.config_drive()?;
                self.asks(&["rebuild", "--config-drive", &drive], "active")
                    .with_context(|| format!("rebuild {time} from {source}"))?;
                self.boots(before)?;
            }
            ensure!(self.instance()? == said, "the instance was changed");
        }
        self.is_left_running()
    }

    /// What the instance says about its image.
    fn instance(&self) -> Result<Value> {
        let mut info = self.node()?["instance_info"].clone();
        if let Some(info) = info.as_object_mut() {
            info.retain(|key, _| key != "configdrive");
        }
        Ok(info)
    }

    /// A rebuild that cannot work does not touch the machine.
    fn is_left_running(&self) -> Result<()> {
        let fact = format!("image_source={IMAGES}/there-is-none.qcow2");
        self.service
            .cli(&["node", "set", NODE, "--instance-info", &fact])?;
        let refused = self.service.cli(&["node", "rebuild", NODE, WAIT]);
        ensure!(refused.is_err(), "an image that is not there was installed");
        let node = self.node()?;
        ensure!(
            node["provision_state"] == "deploy failed" && node["power_state"] == "power on",
            "the machine is {} and {}",
            node["provision_state"],
            node["power_state"]
        );
        Ok(())
    }
}
