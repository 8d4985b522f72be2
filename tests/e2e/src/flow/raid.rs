//! RAID volumes that the BMC makes, while an agent runs on the machine.

use super::{Flow, NODE};
use crate::program::run;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

const STORAGE: &str = "redfish/v1/Systems/1/Storage/1/Volumes";

impl Flow<'_> {
    pub(super) fn bmc_makes_raid(&self) -> Result<()> {
        self.asks(&["manage"], "manageable")?;
        let layout = json!({"logical_disks": [
            {"size_gb": 100, "raid_level": "1", "is_root_volume": true, "volume_name": "root"},
        ]});
        let layout = layout.to_string();
        self.service.cli(&[
            "node",
            "set",
            NODE,
            "--raid-interface",
            "redfish",
            "--target-raid-config",
            &layout,
        ])?;
        let clean = |steps: Value| {
            let steps = steps.to_string();
            self.asks(&["clean", "--clean-steps", &steps], "manageable")
        };
        clean(json!([
            {"interface": "raid", "step": "delete_configuration"},
            {"interface": "raid", "step": "create_configuration"},
        ]))?;
        ensure!(self.volumes()? == 1, "the BMC has no volume");
        clean(json!([{"interface": "raid", "step": "delete_configuration"}]))?;
        ensure!(self.volumes()? == 0, "the BMC still has a volume");
        Ok(())
    }

    /// How many the BMC has, without the service in between.
    fn volumes(&self) -> Result<usize> {
        let info = |wanted: &str| {
            let mut all = self.control.driver_info.iter();
            let found = all.find(|(name, _)| *name == wanted);
            found.map(|(_, value)| value).context("no Redfish here")
        };
        let user = format!(
            "{}:{}",
            info("redfish_username")?,
            info("redfish_password")?
        );
        let url = format!("{}/{STORAGE}", info("redfish_address")?);
        let told = run("curl", &["-sSf", "-u", &user, &url])?;
        let told: Value = serde_json::from_str(&told)?;
        let members = told["Members"].as_array().context("no list of volumes")?;
        Ok(members.len())
    }
}
