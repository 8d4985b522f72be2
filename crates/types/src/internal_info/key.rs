//! The keys of `driver_internal_info`. They are part of the API and of the database: Ironic's keep
//! Ironic's names, and ours keep the names that older versions of this service wrote.

use crate::step::StepKind;

/// What the keys begin with that Ironic has not.
pub(super) const OWN_PREFIX: &str = "corten_";

pub(super) const AGENT_LAST_HEARTBEAT: &str = "agent_last_heartbeat";
pub(super) const AGENT_SECRET_TOKEN: &str = "agent_secret_token";
/// The token came to the machine with what it boots.
pub(super) const AGENT_SECRET_TOKEN_PREGENERATED: &str = "agent_secret_token_pregenerated";
/// The token was told to nobody: the agent is of a release that knows none.
pub(super) const AGENT_WITHOUT_TOKEN: &str = "corten_agent_without_token";
pub(super) const AGENT_START_ATTEMPTED: &str = "agent_start_attempted";
pub(super) const AGENT_STATUS: &str = "agent_status";
pub(super) const AGENT_STATUS_MESSAGE: &str = "agent_status_message";
pub(super) const AGENT_URL: &str = "agent_url";
pub(super) const AGENT_VERIFY_CA: &str = "agent_verify_ca";
pub(super) const AGENT_VERSION: &str = "agent_version";
pub(super) const HARDWARE_MANAGER_VERSION: &str = "hardware_manager_version";

pub(super) const CLEANING_DISABLE_RAMDISK: &str = "cleaning_disable_ramdisk";
pub(super) const DECLARATIVE_CLEANING: &str = "declarative_cleaning";
pub(super) const SERVICE_DISABLE_RAMDISK: &str = "service_disable_ramdisk";
pub(super) const STEPS_VALIDATED: &str = "steps_validated";
pub(super) const USER_DEPLOY_STEPS: &str = "user_deploy_steps";
/// When a step that looks after its hardware wants to be called again. The store searches for it.
pub const STEP_POLL_DUE: &str = "step_poll_due";
pub(super) const STEP_POLL_RAMDISK: &str = "step_poll_ramdisk";
pub(super) const STEP_POLL_REBOOT: &str = "step_poll_reboot";
pub(super) const STEP_STATE: &str = "step_state";

pub(super) const AUTOMATIC_LESSEE: &str = "automatic_lessee";
pub(super) const DEPLOY_BOOT_MODE: &str = "deploy_boot_mode";
pub(super) const BASH_RAMDISK: &str = "corten_bash_ramdisk";
/// Its name makes it a secret.
pub(super) const DEPLOY_KEY: &str = "corten_deploy_secret";
/// How the partitions of a written disk are known.
pub(super) const DEPLOYMENT_UUIDS: &str = "deployment_uuids";
pub(super) const GLANCE_IMAGE: &str = "corten_glance_image";
/// When the address runs out by which the agent fetches the image.
pub(super) const IMAGE_URL_EXPIRES: &str = "corten_image_url_expires";
pub(super) const IMAGE_SOURCE: &str = "image_source";
pub(super) const INSTANCE: &str = "instance";
pub(super) const IS_SOURCE_A_PATH: &str = "is_source_a_path";
pub(super) const IS_WHOLE_DISK_IMAGE: &str = "is_whole_disk_image";
pub(super) const INSTALLER_STAGE2: &str = "stage2";
pub(super) const INSTALLER_TEMPLATE: &str = "ks_template";
pub(super) const KEXEC: &str = "corten_kexec";
pub(super) const ORIGINAL_DEPLOY_INTERFACE: &str = "original_deploy_interface";
pub(super) const PREPARED_IMAGE: &str = "corten_image";
pub(super) const ROOT_UUID_OR_DISK_ID: &str = "root_uuid_or_disk_id";
/// Objects that are kept for the node elsewhere.
pub(super) const STORED_OBJECTS: &str = "corten_objects";
pub(super) const TARGET_RAID_CONFIG: &str = "target_raid_config";
pub(super) const WIPE_SPECIAL_FILESYSTEMS: &str = "wipe_special_filesystems";

pub(super) const BOOT_FROM_VOLUME: &str = "boot_from_volume";
pub(super) const VOLUME_ATTACHMENTS: &str = "corten_volumes";

/// The networks that the machine may be on.
pub(super) const NETWORKS: &str = "corten_networks";

/// Each with what it is to boot from; the second of AMT says whether for good.
pub(super) const AMT_BOOT_DEVICE: &str = "amt_boot_device";
pub(super) const AMT_BOOT_PERSISTENT: &str = "amt_boot_persistent";
pub(super) const DRAC_BOOT_DEVICE: &str = "drac_boot_device";
pub(super) const BOOT_DEVICE_WARNING: &str = "boot_device_warning";
pub(super) const DNSMASQ_TAG: &str = "dnsmasq_tag";
pub(super) const IS_NEXT_BOOT_PERSISTENT: &str = "is_next_boot_persistent";
pub(super) const PERSISTENT_BOOT_DEVICE: &str = "persistent_boot_device";
pub(super) const PREPARED_RAMDISK: &str = "corten_ramdisk";
pub(super) const REDFISH_BOOT_DEVICE: &str = "redfish_boot_device";
pub(super) const REDFISH_UEFI_HTTP_URL: &str = "redfish_uefi_http_url";

/// Where the RFB server of a console is, and the token of those who look at it.
pub(super) const VNC_HOST: &str = "vnc_host";
pub(super) const VNC_PORT: &str = "vnc_port";
pub(super) const NOVNC_SECRET_TOKEN: &str = "novnc_secret_token";
pub(super) const NOVNC_SECRET_TOKEN_CREATED: &str = "novnc_secret_token_created";

/// Its name makes it a secret.
pub(super) const PENDING_BMC_PASSWORD: &str = "corten_pending_bmc_password";
pub(super) const ALLOCATED_IPMI_TERMINAL_PORT: &str = "allocated_ipmi_terminal_port";
/// The machine was not enrolled by anybody. The store counts the nodes that have it.
pub const AUTO_DISCOVERED: &str = "auto_discovered";
pub(super) const INSPECTOR_MANAGE_BOOT: &str = "inspector_manage_boot";
pub(super) const LAST_ERROR_CODE: &str = "last_error_code";
pub(super) const LAST_POWER_STATE_CHANGE: &str = "last_power_state_change";
/// The addresses of the node's BMC while an inspection waits. The store searches in it.
pub const LOOKUP_BMC_ADDRESSES: &str = "lookup_bmc_addresses";

pub(super) const FAKE_POWER_OVERRULED: &str = "fake_power_overruled";
pub(super) const FAKE_RAMDISK: &str = "fake_ramdisk";

pub(super) const ERASE_ITERATIONS: &str = "agent_erase_devices_iterations";
pub(super) const ERASE_ZEROIZE: &str = "agent_erase_devices_zeroize";
pub(super) const ERASE_CONTINUE: &str = "agent_continue_if_secure_erase_failed";
/// The name that agents of older releases know it by.
pub(super) const ERASE_CONTINUE_ATA: &str = "agent_continue_if_ata_erase_failed";
pub(super) const ERASE_ATA: &str = "agent_enable_ata_secure_erase";
pub(super) const ERASE_NVME: &str = "agent_enable_nvme_secure_erase";
pub(super) const ERASE_DISCARD: &str = "agent_enable_discard_erase";
pub(super) const ERASE_CONCURRENCY: &str = "disk_erasure_concurrency";
pub(super) const ERASE_SKIP_READ_ONLY: &str = "agent_erase_skip_read_only";

/// The list of steps of a flow.
pub(super) const fn list(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Clean => "clean_steps",
        StepKind::Deploy => "deploy_steps",
        StepKind::Service => "service_steps",
        StepKind::Verify => "verify_steps",
    }
}

/// The index of the current step in that list.
pub(super) const fn index(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Clean => "clean_step_index",
        StepKind::Deploy => "deploy_step_index",
        StepKind::Service => "service_step_index",
        StepKind::Verify => "verify_step_index",
    }
}

/// The machine was rebooted at the end of the current step.
pub(super) const fn reboot(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Clean => "cleaning_reboot",
        StepKind::Deploy => "deployment_reboot",
        StepKind::Service | StepKind::Verify => "servicing_reboot",
    }
}

/// False: the current step is to be run once more. Drivers of Ironic leave it.
pub(super) const fn skip(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Clean => "skip_current_clean_step",
        StepKind::Deploy => "skip_current_deploy_step",
        StepKind::Service | StepKind::Verify => "skip_current_service_step",
    }
}

/// A driver of Ironic looks after the current step.
pub(super) const fn polling(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Clean => "cleaning_polling",
        StepKind::Deploy => "deployment_polling",
        StepKind::Service | StepKind::Verify => "servicing_polling",
    }
}

/// The steps that the agent offers.
pub(super) const fn agent_steps(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Clean => "agent_cached_clean_steps",
        StepKind::Deploy => "agent_cached_deploy_steps",
        StepKind::Service => "agent_cached_service_steps",
        StepKind::Verify => "agent_cached_verify_steps",
    }
}

/// When the agent told them.
pub(super) const fn agent_steps_refreshed(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Clean => "agent_cached_clean_steps_refreshed",
        StepKind::Deploy => "agent_cached_deploy_steps_refreshed",
        StepKind::Service => "agent_cached_service_steps_refreshed",
        StepKind::Verify => "agent_cached_verify_steps_refreshed",
    }
}
