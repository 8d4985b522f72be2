//! The manager of every machine, with IPA's steps, names, priorities and versions.

mod bootc;
mod inject;
mod step;

use super::{Call, Context, HardwareManager, Refusal, StepKind, support};
use crate::{
    AgentError,
    block::{self, BlockDevice},
    command::invalid_params,
    disk::{
        self, bootloader, burnin, erase,
        export::{self, Export},
        image::Written,
        kexec, nvram,
        raid::{self, Created},
    },
    inventory,
    safety::Permit,
};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::{
    fs,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{task::spawn_blocking, time::sleep};
use types::{JsonMap, pyrepr};

/// How long the answer to the command has to leave the machine.
const LEAVE: Duration = Duration::from_secs(2);

/// The manager of every machine.
#[derive(Debug, Default)]
pub struct Generic {
    /// What was written last, which is asked for afterwards and not written twice.
    written: Mutex<Option<Written>>,
    /// The array that was made to be installed on, which wins over hints.
    root_volume: Mutex<Option<String>>,
    /// The disk while a service writes it over iSCSI.
    export: Export,
}

impl Generic {
    fn written(&self) -> Option<Written> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.clone()
    }

    /// What was written last, which counts no longer: whatever comes next changes the disk, and
    /// may fail half-way.
    fn forget_written(&self) -> Option<Written> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.take()
    }

    /// The disk that the node is installed on, which may take a while to appear.
    async fn install_device(
        &self,
        context: &Context,
        node: &JsonMap,
    ) -> Result<BlockDevice, AgentError> {
        let config = &context.config;
        let node = Value::Object(node.clone());
        let volume = {
            let volume = self
                .root_volume
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            volume.clone()
        };
        let mut attempts = config.disk_wait_attempts.max(1);
        loop {
            attempts -= 1;
            let kept = raid::kept(&node, config)?;
            let mut devices = block::list(&config.root);
            devices.retain(|device| !kept.contains(&device.name));
            if let Some(name) = &volume
                && let Some(device) = devices.iter().find(|device| device.name == *name)
            {
                return Ok(device.clone());
            }
            match block::hints::root_device(&devices, &node) {
                Ok(device) => return Ok(device.clone()),
                Err(error) if attempts == 0 => return Err(error),
                Err(error) => tracing::info!("waiting for a root disk to appear: {error}"),
            }
            sleep(config.disk_wait_delay).await;
        }
    }

    /// The configuration that was made, as the service reads it.
    fn made(&self, created: Option<Created>) -> Value {
        let (raid_config, volume) = match created {
            Some(created) => (created.raid_config, created.root_device),
            None => (json!({}), None),
        };
        let mut kept = self
            .root_volume
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = volume;
        raid_config
    }

    /// Does what changes disks or firmware.
    async fn change(
        &self,
        context: &Context,
        permit: &Permit,
        call: &Call<'_>,
    ) -> Result<Value, Refusal> {
        let Context {
            config, progress, ..
        } = context;
        let args = call.args;
        let node = Value::Object(call.node.clone());
        if WIPES.contains(&call.method) {
            self.forget_written();
        }
        if !SPARES.contains(&call.method) {
            context.exchanges.end();
        }
        if call.method != START_EXPORT {
            // Nobody else writes from here on.
            self.export.stop().await?;
        }
        match call.method {
            START_EXPORT => {
                let request = export::Request::read(args)?;
                let device = self.install_device(context, call.node).await?;
                raid::release(permit, device.path(), config).await;
                return Ok(self.export.start(permit, device.path(), request).await?);
            }
            "stop_iscsi_target" => {}
            "erase_devices" => {
                let report = erase::devices(permit, &node, config, progress).await?;
                return Ok(report.to_result());
            }
            "erase_devices_metadata" => {
                let report = erase::metadata(permit, &node, config, progress).await?;
                return Ok(report.to_result());
            }
            "erase_devices_express" => {
                let report = erase::express(permit, &node, config, progress).await?;
                return Ok(report.to_result());
            }
            "erase_pstore" => erase::pstore(permit, config).await?,
            "clean_uefi_nvram" => {
                let patterns = args.get("match_patterns").filter(|p| !p.is_null());
                nvram::clean(permit, &config.root, patterns)?;
            }
            "write_image" => return Ok(self.write_image(context, permit, call).await?),
            "install_bootloader" => {
                let device = self.install_device(context, call.node).await?;
                let request = boot_request(args);
                progress.phase("setting up the boot loader");
                bootloader::install(permit, device.path(), &request, config).await?;
            }
            "inject_files" => {
                let device = self.install_device(context, call.node).await?;
                inject::run(context, permit, call.node, call.ports, args, &device).await?;
            }
            "execute_bootc_install" => {
                let device = self.install_device(context, call.node).await?;
                let text = bootc::run(context, permit, call.node, args, &device).await?;
                return Ok(json!({"result": format!("execute_bootc_install: {text}")}));
            }
            "create_configuration" => {
                let created = raid::create(permit, &node, config, progress).await?;
                return Ok(self.made(created));
            }
            "apply_configuration" => {
                let raid_config = args
                    .get("raid_config")
                    .ok_or_else(|| invalid_params("raid_config is missing"))?;
                let replace = args.get("delete_existing").is_none_or(pyrepr::truth);
                let created =
                    raid::apply(permit, &node, raid_config, replace, config, progress).await?;
                return Ok(self.made(created));
            }
            "delete_configuration" => {
                raid::delete(permit, &node, config, progress).await?;
                self.made(None);
            }
            "burnin_cpu" => return Ok(burnin::cpu(permit, &node).await?.to_result()),
            "burnin_memory" => return Ok(burnin::memory(permit, &node).await?.to_result()),
            "burnin_disk" => return Ok(burnin::disk(permit, &node, config).await?.to_result()),
            "burnin_network" => return Ok(burnin::network(permit, &node).await?.to_result()),
            "burnin_gpu" => return Ok(burnin::gpu(permit, &node).await?.to_result()),
            "kexec" => {
                let device = self.install_device(context, call.node).await?;
                kexec::load(permit, device.path()).await?;
                let permit = permit.clone();
                tokio::spawn(async move {
                    sleep(LEAVE).await;
                    if let Err(error) = kexec::jump(&permit) {
                        tracing::error!("kexec failed, the ramdisk keeps running: {error}");
                    }
                });
            }
            _ => return Err(Refusal::Incompatible),
        }
        Ok(Value::Null)
    }

    async fn write_image(
        &self,
        context: &Context,
        permit: &Permit,
        call: &Call<'_>,
    ) -> Result<Value, AgentError> {
        let Some(Value::Object(info)) = call.args.get("image_info") else {
            return Err(invalid_params("image_info must be an object"));
        };
        let mut info = info.clone();
        if let Some(drive) = call
            .args
            .get("configdrive")
            .filter(|drive| !drive.is_null())
        {
            info.insert("configdrive".to_owned(), drive.clone());
        }
        let device = self.install_device(context, call.node).await?;
        let is_forced = call.args.get("force").is_some_and(pyrepr::truth);
        let before = self.forget_written().filter(|_| !is_forced);
        let target = disk::image::Target {
            device: device.path(),
            previous: before.as_ref(),
        };
        let written = disk::image::write(permit, &info, target, context).await?;
        // IPA tells it through its command, whose name is in the text.
        let result = json!({"result": format!("prepare_image: {}", written.text())});
        let mut kept = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(written);
        Ok(result)
    }
}

fn boot_request(args: &JsonMap) -> bootloader::Request {
    let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
    bootloader::Request {
        root_uuid: text("root_uuid"),
        efi_system_part_uuid: text("efi_system_part_uuid"),
        prep_boot_part_uuid: text("prep_boot_part_uuid"),
        target_boot_mode: text("target_boot_mode"),
        ignore_failure: args
            .get("ignore_bootloader_failure")
            .and_then(Value::as_bool),
    }
}

#[async_trait]
impl HardwareManager for Generic {
    fn class(&self) -> &str {
        "GenericHardwareManager"
    }

    fn version(&self) -> (&str, &str) {
        ("generic_hardware_manager", "1.2")
    }

    async fn evaluate(&self, context: &Context) -> u32 {
        // Managers are asked once, when the agent starts: a system may be on an array.
        if let Some(permit) = &context.permit {
            raid::assemble(permit, &context.config).await;
        }
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
            "list_hardware_info" => inventory(context).await,
            "get_partition_uuids" => {
                let uuids = self.written().map(|written| written.uuids());
                Ok(Value::Object(uuids.unwrap_or_default()))
            }
            "full_sync" => {
                sync(context);
                Ok(Value::Null)
            }
            method if CHANGES.contains(&method) => {
                let permit = context.permit(method)?;
                self.change(context, permit, call).await
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
    "kexec",
    START_EXPORT,
    "stop_iscsi_target",
];

const START_EXPORT: &str = "start_iscsi_target";

/// What comes after an image was written and leaves most of it as it is, so that others may have it
/// meanwhile.
const SPARES: &[&str] = &["inject_files", "install_bootloader", "kexec"];

/// What leaves no image on the disk that had one.
const WIPES: &[&str] = &[
    "erase_devices",
    "erase_devices_metadata",
    "erase_devices_express",
    "delete_configuration",
    "create_configuration",
    "apply_configuration",
    "burnin_disk",
    "execute_bootc_install",
    START_EXPORT,
];

async fn inventory(context: &Context) -> Result<Value, Refusal> {
    let config = Arc::clone(&context.config);
    let collected = spawn_blocking(move || inventory::of_machine(&config)).await;
    collected.map_err(|error| {
        let what = "Error collecting the inventory";
        AgentError::failed("HardwareDetectionError", what, error.to_string()).into()
    })
}

/// Has the kernel write what it holds, and forget it.
fn sync(context: &Context) {
    rustix::fs::sync();
    if context.permit.is_some()
        && let Err(error) = fs::write(context.config.root.join("proc/sys/vm/drop_caches"), "3")
    {
        tracing::warn!("cannot drop the kernel's caches: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{disk::lab::Machine, hardware::tests::context};

    #[tokio::test]
    async fn an_image_that_was_erased_is_not_there_any_more() {
        // A machine without disks.
        let root = tempfile::tempdir().unwrap();
        let mut context = context();
        Arc::make_mut(&mut context.config).root = root.path().to_owned();
        context.permit = Some(Permit::from_operator());
        let generic = Generic::default();
        let nothing = JsonMap::new();
        for (method, is_kept) in [
            ("get_partition_uuids", true),
            ("erase_devices_metadata", false),
        ] {
            *generic.written.lock().unwrap() = Some(Written::default());
            let call = Call {
                method,
                kind: None,
                node: &nothing,
                ports: &[],
                args: &nothing,
            };
            generic.call(&context, &call).await.unwrap();
            assert_eq!(generic.written().is_some(), is_kept, "{method}");
        }
    }

    #[tokio::test]
    async fn nothing_is_installed_on_an_array_that_is_to_be_left_alone() {
        let machine = Machine::new();
        machine.disk("sda", 6, &[1]);
        machine.disk("sdb", 6, &[1]);
        machine.disk("sdc", 9, &[]);
        machine.array("md0", 5, "data", &["sda1", "sdb1"]);
        let mut context = context();
        context.config = Arc::new(machine.config());
        let generic = Generic::default();
        let mut node = JsonMap::new();
        // The smallest disk, unless told otherwise.
        let found = generic.install_device(&context, &node).await.unwrap();
        assert_eq!(found.name, "/dev/md0");
        let skip = json!({"skip_block_devices": [{"volume_name": "data"}]});
        node.insert("properties".into(), skip);
        let found = generic.install_device(&context, &node).await.unwrap();
        assert_eq!(found.name, "/dev/sdc");
    }
}
