//! Deploying, erasing, and where images come from.

use super::reasons::NO_SHARES;
use crate::{
    Seconds, Secret, Url, VerifyCa,
    choice::{BootMode, BootOption, ImageServerAuth, ImageSource},
    section::section,
};
use std::path::PathBuf;

section! {
    /// Deploying and cleaning in general.
    Deploy = "deploy" {
        /// Address at which `http_root` is served to nodes.
        acts http_url: Option<Url>,
        /// Folder of files served to nodes; `/httpboot` if a file leaves serving to another program.
        acts http_root: PathBuf = "$corten.data_dir/http",
        /// Address of the same for BMCs, which may be on another network.
        acts external_http_url: Option<Url>,
        /// Address of the API for nodes booted by virtual media.
        acts external_callback_url: Option<Url>,
        /// Authentication at image servers.
        acts image_server_auth_strategy: ImageServerAuth = "noauth",
        /// User name for image servers.
        acts image_server_user: Option<String>,
        /// Password for image servers.
        acts image_server_password: Option<Secret>,
        /// Image servers that may see that password, and if any is named, no others: names, or
        /// `.example.org` for all below it.
        acts image_server_auth_hosts: Vec<String>,
        /// Let all image servers see it where none is named.
        acts image_server_auth_permit_unknown_hosts: bool = "true",
        /// Boot mode of nodes that name none.
        acts default_boot_mode: BootMode = "uefi",
        /// Where instances get their kernel that the deploy interface `iscsi` wrote, if they do not
        /// say: from their disk, or from the network at every boot.
        acts default_boot_option: BootOption = "local",
        /// Erase ATA disks by their own command.
        acts enable_ata_secure_erase: bool = "true",
        /// Erase NVMe disks by their own command.
        acts enable_nvme_secure_erase: bool = "true",
        /// Priority of the step that erases disks; the agent's own if unset, never if zero.
        acts erase_devices_priority: Option<i64>,
        /// Priority of the step that erases partition tables.
        acts erase_devices_metadata_priority: Option<i64>,
        /// Priority of the step that deletes RAID volumes.
        acts delete_configuration_priority: Option<i64>,
        /// Priority of the step that creates RAID volumes.
        acts create_configuration_priority: Option<i64>,
        /// How many times disks are overwritten with noise.
        acts shred_random_overwrite_iterations: u32 [0..] = "1",
        /// Overwrite disks with zeros at the end.
        acts shred_final_overwrite_with_zeros: bool = "true",
        /// Overwrite a disk when its own command fails.
        acts continue_if_disk_secure_erase_fails: bool = "false",
        /// How many disks are erased at a time.
        acts disk_erasure_concurrency: u32 [1..] = "4",
        /// Skip disks that cannot be written.
        acts erase_skip_read_only: bool = "false",
        /// Switch machines off when a deploy failed.
        acts power_off_after_deploy_failure: bool = "true",
        /// Keep config drives in Swift.
        acts configdrive_use_object_store: bool = "false",
        /// Folder below `http_root` for images of nodes.
        acts http_image_subdir: String = "agent_images",
        /// Go on with an agent that is already running.
        acts fast_track: bool = "false",
        /// How old its last heartbeat may be.
        acts fast_track_timeout: Seconds [0..=300] = "300",
        /// How ISO images of the `ramdisk` deploy interface get to nodes.
        acts ramdisk_image_download_source: ImageSource = "local",
        /// Folder for cached ISO images.
        acts iso_master_path: PathBuf = "$corten.data_dir/cache/iso",
        /// Largest size of that folder in MiB.
        acts iso_cache_size: i64 = "20480",
        /// How many minutes unused images stay there.
        acts iso_cache_ttl: i64 = "10080",
    }
}

section! {
    /// Conversion of images.
    DiskUtils = "disk_utils" {
        /// Size in MiB of the EFI system partition that the deploy interface `iscsi` makes.
        acts efi_system_partition_size: u32 [1..] = "200",
        /// Most memory in MiB that a conversion may take.
        warns("images are converted in this process, with little memory")
        image_convert_memory_limit: i64 = "2048",
        /// How many times a conversion is tried.
        warns("images are converted in this process, with little memory")
        image_convert_attempts: i64 = "3",
    }
}

section! {
    /// Images from container registries.
    Oci = "oci" {
        /// Registries that answer with links to another server, which must not see credentials.
        warns("images in container registries are not served by this build yet")
        secure_cdn_registries: Vec<String> =
            "registry.redhat.io,registry.access.redhat.com,docker.io,registry-1.docker.io",
        /// File with credentials for registries.
        acts authentication_config: Option<PathBuf>,
        /// Speak HTTP with registries that speak no HTTPS.
        warns("images in container registries are not served by this build yet")
        permit_fallback_to_http_transport: bool = "false",
        /// Authorities trusted when speaking with registries.
        warns("images in container registries are not served by this build yet")
        verify_ca: Option<VerifyCa>,
    }
}

section! {
    /// Virtual media served by NFS.
    Nfs = "nfs" {
        /// Address of the share.
        warns(NO_SHARES)
        base_url: Option<String>,
        /// Path of the share on the server.
        warns(NO_SHARES)
        share_path: Option<String>,
    }
}

section! {
    /// Virtual media served by CIFS.
    Cifs = "cifs" {
        /// Address of the share.
        warns(NO_SHARES)
        base_url: Option<String>,
        /// Path of the share on the server.
        warns(NO_SHARES)
        share_path: Option<String>,
        /// User name for the share.
        warns(NO_SHARES)
        username: Option<String>,
        /// Password for the share.
        warns(NO_SHARES)
        password: Option<Secret>,
    }
}
