//! What operators can set about ramdisks and the agents in them.

use drivers::{BootOption, agent::client::ClientSettings, iscsi::InitiatorTimeouts};
use std::{path::PathBuf, time::Duration};
use types::internal_info::Erasure;

/// When the logs of ramdisks are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectLogs {
    Always,
    OnFailure,
    Never,
}

/// Names and defaults follow the options of Ironic.
#[derive(Debug, Clone)]
pub struct RamdiskSettings {
    /// Where agents reach the API, without a slash at the end.
    pub api_url: Option<String>,
    /// Whether the service catalogue is asked instead.
    pub api_in_catalogue: bool,
    pub client: ClientSettings,
    /// `[agent]manage_agent_boot`: ramdisks are booted by the node's boot interface. Otherwise
    /// operators see to that.
    pub manages_boot: bool,
    /// `[DEFAULT]debug`: agents log more too.
    pub debug: bool,
    /// `[deploy]default_boot_mode`.
    pub default_uefi: bool,
    /// `[deploy]fast_track_timeout`: for how long an agent counts as there after a report.
    pub fast_track_timeout: Duration,
    /// `[agent]stream_raw_images`.
    pub stream_raw_images: bool,
    /// How often to look, and how long to wait in between, until a machine is off that its agent
    /// switches off.
    pub power_off_looks: u32,
    pub power_off_pause: Duration,
    /// `[corten]kexec`: whether an agent of ours starts the instance without a restart.
    pub kexec: bool,
    /// `[agent]deploy_logs_collect`.
    pub logs: CollectLogs,
    /// `[agent]deploy_logs_local_path`: the folder that logs of ramdisks go to.
    pub logs_folder: PathBuf,
    /// `[deploy]power_off_after_deploy_failure`.
    pub off_after_failure: bool,
    /// Priorities of the agent's clean steps, by `interface.step`.
    pub clean_priorities: Vec<(String, i64)>,
    /// How agents are to erase disks.
    pub erasure: Erasure,
    pub iscsi: IscsiDeploySettings,
}

/// What the deploy interface `iscsi` goes by.
#[derive(Debug, Clone)]
pub struct IscsiDeploySettings {
    /// `[iscsi]portal_port`: where agents export their disk.
    pub portal_port: u16,
    /// `[iscsi]verify_attempts`: how often a disk is looked for, and the pause in between.
    pub verify_attempts: u32,
    pub verify_pause: Duration,
    /// How long the disk's network and the disk itself may take.
    pub timeouts: InitiatorTimeouts,
    /// How long a bash ramdisk takes from its report until it listens, and where it does if that is
    /// not port 10000.
    pub ramdisk_pause: Duration,
    pub ramdisk_port: Option<u16>,
    /// `[disk_utils]efi_system_partition_size`.
    pub efi_mib: u64,
    /// `[deploy]default_boot_option`.
    pub boot_option: BootOption,
}

impl Default for IscsiDeploySettings {
    fn default() -> Self {
        Self {
            portal_port: 3260,
            verify_attempts: 3,
            verify_pause: Duration::from_secs(1),
            timeouts: InitiatorTimeouts::default(),
            ramdisk_pause: Duration::from_secs(3),
            ramdisk_port: None,
            efi_mib: 200,
            boot_option: BootOption::Local,
        }
    }
}

impl Default for RamdiskSettings {
    fn default() -> Self {
        Self {
            api_url: None,
            api_in_catalogue: false,
            client: ClientSettings::default(),
            manages_boot: true,
            debug: false,
            default_uefi: true,
            fast_track_timeout: Duration::from_secs(300),
            stream_raw_images: true,
            power_off_looks: 6,
            power_off_pause: Duration::from_secs(5),
            kexec: false,
            logs: CollectLogs::OnFailure,
            logs_folder: PathBuf::from("/var/log/ironic/deploy"),
            off_after_failure: true,
            clean_priorities: Vec::new(),
            erasure: Erasure::default(),
            iscsi: IscsiDeploySettings::default(),
        }
    }
}
