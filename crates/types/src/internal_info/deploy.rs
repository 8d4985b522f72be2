//! What a deployment found out and its instance needs, besides its steps.

use super::{InternalInfo, key};
use crate::{JsonMap, Timestamp, pyrepr, step::StepKind};
use serde::{Deserialize, Serialize};

/// The image of an instance as its agent will get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedImage {
    /// Whether agents fetch it from this service; otherwise from where the instance says.
    pub published: bool,
    pub disk_format: Option<String>,
    /// Of what is published; the user's own holds otherwise.
    pub checksum: Option<ImageChecksum>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageChecksum {
    pub algorithm: String,
    pub value: String,
}

/// What Glance says of the image of an instance, asked once when its deployment begins. That it is
/// there means that the image may be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlanceImage {
    pub id: String,
    /// Whether it is of a whole disk, not of a partition.
    pub is_whole_disk: bool,
    pub kernel_id: Option<String>,
    pub ramdisk_id: Option<String>,
    pub rootfs_uuid: Option<String>,
    /// The second stage of the installer that installs it, and the kickstart template for that.
    #[serde(default)]
    pub stage2_id: Option<String>,
    #[serde(default)]
    pub ks_template: Option<String>,
    /// What the name of its file ends with, for an installer that goes by that.
    #[serde(default)]
    pub disk_file_extension: Option<String>,
    pub disk_format: Option<String>,
    pub container_format: Option<String>,
    /// MD5.
    pub checksum: Option<String>,
    pub os_hash: Option<ImageChecksum>,
}

impl GlanceImage {
    /// As `instance_info` says it.
    pub fn image_type(&self) -> &'static str {
        match self.is_whole_disk {
            true => "whole-disk",
            false => "partition",
        }
    }
}

impl InternalInfo {
    /// What Glance says of the image of the instance.
    pub fn glance_image(&self) -> Option<GlanceImage> {
        GlanceImage::deserialize(self.0.get(key::GLANCE_IMAGE)?).ok()
    }

    pub fn set_glance_image(&mut self, image: &GlanceImage) {
        // Texts and flags are always JSON.
        if let Ok(value) = serde_json::to_value(image) {
            self.set(key::GLANCE_IMAGE, value);
        }
    }

    /// The next deployment asks Glance again.
    pub fn forget_glance_image(&mut self) {
        self.remove(key::GLANCE_IMAGE);
    }

    /// What is known of the image of a deployment under way.
    pub fn prepared_image(&self) -> Option<PreparedImage> {
        PreparedImage::deserialize(self.0.get(key::PREPARED_IMAGE)?).ok()
    }

    pub fn set_prepared_image(&mut self, image: &PreparedImage) {
        self.remove(key::IMAGE_URL_EXPIRES);
        // Texts and flags are always JSON.
        if let Ok(value) = serde_json::to_value(image) {
            self.set(key::PREPARED_IMAGE, value);
        }
    }

    pub fn forget_prepared_image(&mut self) {
        self.remove_all(&[key::PREPARED_IMAGE, key::IMAGE_URL_EXPIRES]);
    }

    /// When the address runs out by which the agent fetches the image; most last for ever.
    pub fn image_url_expires(&self) -> Option<Timestamp> {
        self.stamp(key::IMAGE_URL_EXPIRES)
    }

    pub fn set_image_url_expires(&mut self, at: Timestamp) {
        self.set(key::IMAGE_URL_EXPIRES, at.naive());
    }

    /// Whether the image is one of a whole disk, not of a partition.
    pub fn is_whole_disk_image(&self) -> bool {
        self.flag(key::IS_WHOLE_DISK_IMAGE)
    }

    pub fn set_whole_disk_image(&mut self, is_whole: bool) {
        self.set(key::IS_WHOLE_DISK_IMAGE, is_whole);
    }

    /// It is not known yet which the image is.
    pub fn forget_whole_disk_image(&mut self) {
        self.remove(key::IS_WHOLE_DISK_IMAGE);
    }

    /// How the instance's root file system or disk is identified.
    pub fn root_identifier(&self) -> Option<&str> {
        self.text(key::ROOT_UUID_OR_DISK_ID)
    }

    pub fn set_root_identifier(&mut self, identifier: &str) {
        self.set(key::ROOT_UUID_OR_DISK_ID, identifier);
    }

    /// How the partitions of the disk are known that the conductor wrote, in the words of agents.
    pub fn deployment_uuids(&self) -> Option<&JsonMap> {
        self.0.get(key::DEPLOYMENT_UUIDS)?.as_object()
    }

    pub fn set_deployment_uuids(&mut self, uuids: JsonMap) {
        self.set(key::DEPLOYMENT_UUIDS, uuids);
    }

    /// The sizes by which the disk of the instance was divided.
    pub fn deployed_sizes(&self) -> Option<&JsonMap> {
        self.0.get(key::INSTANCE)?.as_object()
    }

    pub fn set_deployed_sizes(&mut self, sizes: JsonMap) {
        self.set(key::INSTANCE, sizes);
    }

    /// The boot mode that the machine was found in or put into, as nobody asked for one.
    pub fn deploy_boot_mode(&self) -> Option<String> {
        let mode = self.0.get(key::DEPLOY_BOOT_MODE)?;
        pyrepr::truth(mode).then(|| pyrepr::to_str(mode))
    }

    pub fn set_deploy_boot_mode(&mut self, mode: &str) {
        self.set(key::DEPLOY_BOOT_MODE, mode);
    }

    /// The agent has left the machine to the instance's kernel, without a restart.
    pub fn mark_started_by_kexec(&mut self) {
        self.set(key::KEXEC, true);
    }

    /// Whether the agent has started the instance already. Asking forgets it.
    pub fn take_started_by_kexec(&mut self) -> bool {
        self.remove(key::KEXEC).is_some()
    }

    /// The lessee was chosen by the deployment, and goes with the instance.
    pub fn mark_automatic_lessee(&mut self) {
        self.set(key::AUTOMATIC_LESSEE, true);
    }

    /// Whether the lessee goes with the instance. Asking forgets it.
    pub fn take_automatic_lessee(&mut self) -> bool {
        let marked = self.remove(key::AUTOMATIC_LESSEE);
        marked.is_some_and(|marked| marked == true)
    }

    /// The deploy interface that the node goes back to when a chosen one is not needed any more.
    pub fn set_original_deploy_interface(&mut self, name: &str) {
        self.set(key::ORIGINAL_DEPLOY_INTERFACE, name);
    }

    /// That interface, which is forgotten by asking.
    pub fn take_original_deploy_interface(&mut self) -> Option<String> {
        let name = self.remove(key::ORIGINAL_DEPLOY_INTERFACE)?;
        name.as_str().map(str::to_owned)
    }

    /// Leaves word for the agent which logical disks to make.
    pub fn set_target_raid_config(&mut self, target: JsonMap) {
        self.set(key::TARGET_RAID_CONFIG, target);
    }

    /// The instance is no more: nobody may find its data on the node.
    pub fn forget_instance(&mut self) {
        self.remove_all(&[
            key::INSTANCE,
            key::DEPLOYMENT_UUIDS,
            key::GLANCE_IMAGE,
            key::ROOT_UUID_OR_DISK_ID,
            key::IS_WHOLE_DISK_IMAGE,
            key::IS_SOURCE_A_PATH,
            key::DEPLOY_BOOT_MODE,
            key::USER_DEPLOY_STEPS,
            key::BOOT_FROM_VOLUME,
        ]);
        self.forget_step_index(StepKind::Deploy);
        self.forget_agent();
        self.forget_bash_ramdisk();
        self.remove(key::DEPLOY_KEY);
    }
}
