//! The manager of every machine, with the original's steps, names, priorities and versions.

mod inject;
mod step;

use super::{Call, Context, HardwareManager, Refusal, StepKind, support};
use crate::{
    AgentError,
    block::{self, BlockDevice},
    safety::Permit,
};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::fs;
use tokio::time::sleep;
use types::JsonMap;

/// The manager of every machine.
#[derive(Debug, Default)]
pub struct Generic {}

#[async_trait]
impl HardwareManager for Generic {
    fn class(&self) -> &str {
        "GenericHardwareManager"
    }

    fn version(&self) -> (&str, &str) {
        ("generic_hardware_manager", "1.2")
    }

    async fn evaluate(&self, _context: &Context) -> u32 {
        support::GENERIC
    }

    async fn steps(
        &self,
        context: &Context,
        kind: StepKind,
        _node: &JsonMap,
        _ports: &[Value],
    ) -> Result<Vec<JsonMap>, Refusal> {
        Ok(step::list(kind, context.config.inject_files_priority))
    }

    async fn call(&self, context: &Context, call: &Call<'_>) -> Result<Value, Refusal> {
        match call.method {
            "list_hardware_info" => Ok(inventory(context)),
            "full_sync" => {
                sync(context);
                Ok(Value::Null)
            }
            method if CHANGES.contains(&method) => {
                let permit = context.permit(method)?;
                change(context, permit, call).await
            }
            _ => Err(Refusal::Incompatible),
        }
    }
}

/// What changes disks or firmware.
const CHANGES: &[&str] = &[
    "erase_devices",
    "erase_devices_metadata",
    "erase_devices_express",
    "erase_pstore",
    "clean_uefi_nvram",
    "delete_configuration",
    "create_configuration",
    "apply_configuration",
    "burnin_cpu",
    "burnin_gpu",
    "burnin_disk",
    "burnin_memory",
    "burnin_network",
    "write_image",
    "inject_files",
    "execute_bootc_install",
    "install_bootloader",
];

async fn change(context: &Context, permit: &Permit, call: &Call<'_>) -> Result<Value, Refusal> {
    match call.method {
        "inject_files" => {
            let device = install_device(context, call.node).await?;
            inject::run(context, permit, call.node, call.ports, call.args, &device).await?;
            Ok(Value::Null)
        }
        _ => Err(Refusal::Incompatible),
    }
}

/// The disk that the node is installed on, which may take a while to appear.
async fn install_device(context: &Context, node: &JsonMap) -> Result<BlockDevice, AgentError> {
    let config = &context.config;
    let node = Value::Object(node.clone());
    let mut attempts = config.disk_wait_attempts.max(1);
    loop {
        attempts -= 1;
        match block::hints::root_device(&block::list(&config.root), &node) {
            Ok(device) => return Ok(device.clone()),
            Err(error) if attempts == 0 => return Err(error),
            Err(error) => tracing::info!("waiting for a disk: {error}"),
        }
        sleep(config.disk_wait_delay).await;
    }
}

fn inventory(context: &Context) -> Value {
    let folder = context.config.root.join("sys/class/net");
    let Ok(entries) = fs::read_dir(folder) else {
        return json!({"interfaces": []});
    };
    let interface = |entry: fs::DirEntry| {
        let mac = fs::read_to_string(entry.path().join("address")).ok()?;
        let mac = mac.trim();
        let name = entry.file_name().into_string().ok()?;
        (name != "lo").then(|| json!({"name": name, "mac_address": mac}))
    };
    let interfaces: Vec<Value> = entries.filter_map(|entry| interface(entry.ok()?)).collect();
    json!({"interfaces": interfaces})
}

/// Has the kernel write what it holds, and forget it.
fn sync(context: &Context) {
    rustix::fs::sync();
    if context.permit.is_some()
        && let Err(error) = fs::write(context.config.root.join("proc/sys/vm/drop_caches"), "3")
    {
        tracing::warn!("the kernel keeps its caches: {error}");
    }
}
