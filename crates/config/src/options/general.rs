//! `[DEFAULT]`: identity of the service, enabled hardware and interfaces, images, notifications.

use crate::{
    Seconds, SecretUrl, VerifyCa,
    choice::{AuthStrategy, HashAlgorithm, NotificationLevel, RpcTransport, TlsVersion},
    section::section,
};
use std::{net::IpAddr, path::PathBuf};

section! {
    /// What concerns the service as a whole.
    General = "DEFAULT" {
        /// Authentication of callers of the API. Ironic does not have `local`: users, groups, roles
        /// and tokens in the database.
        acts auth_strategy: AuthStrategy = "keystone",
        /// File with user names and bcrypt hashes of passwords, for `http_basic`.
        acts http_basic_auth_user_file: PathBuf = "/etc/ironic/htpasswd",
        /// Log more, and tell the agent to do so.
        acts debug: bool = "false",
        /// Log lines are JSON, unless `[corten]log_format` is set.
        acts use_json: bool = "false",
        /// Put stack traces into error answers of the API.
        warns("answers of the API never tell what the program was doing; the log does")
        debug_tracebacks_in_api: bool = "false",
        /// Debug mode of Ironic's web framework.
        warns("answers of the API never tell what the program was doing; the log does")
        pecan_debug: bool = "false",
        /// Name of this conductor in reservations and in the ring; the full host name if unset.
        acts host: String,
        /// Address of this machine, mostly for other options to refer to; detected if unset.
        acts my_ip: IpAddr = "127.0.0.1",
        /// IPv6 address of this machine, where both are needed.
        acts my_ipv6: Option<IpAddr>,
        /// How the API reaches conductors.
        warns("processes always speak HTTP with each other, as [json_rpc] says")
        rpc_transport: RpcTransport = "oslo",
        /// Message bus for notifications: `rabbit://user:password@host:port,…/vhost?ssl=1`.
        acts transport_url: SecretUrl = "rabbit://",
        /// Exchange that notifications are published to.
        acts control_exchange: String = "ironic",
        /// Speak the versions of an older release while an upgrade is under way.
        warns("two neighbouring versions serve one database without being told")
        pin_release_version: Option<String>,
        /// Let processes reach the database through a conductor.
        warns("every process speaks with the database itself")
        use_rpc_for_database: bool = "false",
        /// Folder that other paths are relative to by default.
        acts pybasedir: PathBuf = "$corten.data_dir",
        /// Folder of programs.
        acts bindir: PathBuf = "$pybasedir/bin",
        /// Folder of the state of the service.
        acts state_path: PathBuf = "$pybasedir",
        /// Folder for short-lived files; that of the system if unset.
        acts tempdir: PathBuf = "/tmp",

        /// Hardware types that nodes may have.
        acts enabled_hardware_types: Vec<String> = "ipmi,redfish",
        /// Names that drivers had in releases up to 10, such as `pxe_ipmitool`, that nodes may have;
        /// what each stands for is enabled with it.
        acts enabled_drivers: Vec<String>,
        /// BIOS interfaces that nodes may use.
        acts enabled_bios_interfaces: Vec<String> = "no-bios,redfish",
        /// Boot interfaces that nodes may use.
        acts enabled_boot_interfaces: Vec<String> = "ipxe,pxe,redfish-virtual-media",
        /// Console interfaces that nodes may use.
        acts enabled_console_interfaces: Vec<String> = "no-console",
        /// Deploy interfaces that nodes may use.
        acts enabled_deploy_interfaces: Vec<String> = "autodetect,direct,ramdisk,bootc",
        /// Firmware interfaces that nodes may use.
        acts enabled_firmware_interfaces: Vec<String> = "no-firmware",
        /// Inspect interfaces that nodes may use.
        acts enabled_inspect_interfaces: Vec<String> = "no-inspect,redfish",
        /// Management interfaces that nodes may use; if unset, the first of each hardware type.
        acts enabled_management_interfaces: Option<Vec<String>>,
        /// Network interfaces that nodes may use.
        acts enabled_network_interfaces: Vec<String> = "flat,noop",
        /// Power interfaces that nodes may use; if unset, the first of each hardware type.
        acts enabled_power_interfaces: Option<Vec<String>>,
        /// RAID interfaces that nodes may use.
        acts enabled_raid_interfaces: Vec<String> = "agent,no-raid,redfish",
        /// Rescue interfaces that nodes may use.
        acts enabled_rescue_interfaces: Vec<String> = "no-rescue",
        /// Storage interfaces that nodes may use.
        acts enabled_storage_interfaces: Vec<String> = "cinder,noop",
        /// Vendor interfaces that nodes may use.
        acts enabled_vendor_interfaces: Vec<String> = "ipmitool,redfish,no-vendor",
        /// BIOS interface of nodes that name none; the hardware type's first choice if unset.
        acts default_bios_interface: Option<String>,
        /// Boot interface of nodes that name none.
        acts default_boot_interface: Option<String>,
        /// Console interface of nodes that name none.
        acts default_console_interface: Option<String>,
        /// Deploy interface of nodes that name none.
        acts default_deploy_interface: Option<String>,
        /// Firmware interface of nodes that name none.
        acts default_firmware_interface: Option<String>,
        /// Inspect interface of nodes that name none.
        acts default_inspect_interface: Option<String>,
        /// Management interface of nodes that name none.
        acts default_management_interface: Option<String>,
        /// Network interface of nodes that name none.
        acts default_network_interface: Option<String>,
        /// Power interface of nodes that name none.
        acts default_power_interface: Option<String>,
        /// RAID interface of nodes that name none.
        acts default_raid_interface: Option<String>,
        /// Rescue interface of nodes that name none.
        acts default_rescue_interface: Option<String>,
        /// Storage interface of nodes that name none.
        acts default_storage_interface: Option<String> = "noop",
        /// Vendor interface of nodes that name none.
        acts default_vendor_interface: Option<String>,
        /// Deploy interfaces that `autodetect` tries, in order; the last one is taken as it is.
        acts autodetect_deploy_interfaces: Vec<String> = "ramdisk,bootc,direct",
        /// Resource class of new nodes that name none.
        acts default_resource_class: Option<String>,
        /// Conductor group of new nodes that name none.
        acts default_conductor_group: String = "",
        /// Mode of new port groups that name none.
        acts default_portgroup_mode: String = "active-backup",

        /// Two to this power is the number of points a conductor has on the ring.
        acts hash_partition_exponent: u32 [0..=16] = "5",
        /// How long a computed ring may be used.
        acts hash_ring_reset_interval: Seconds = "15",
        /// Hash that places nodes and conductors on the ring.
        acts hash_ring_algorithm: HashAlgorithm = "md5",

        /// Convert images to raw when they are cached.
        acts force_raw_images: bool = "true",
        /// How much larger a raw image may be than the one it is converted from.
        acts raw_image_growth_factor: f64 [1.0..] = "2.0",
        /// How many images may be downloaded at a time.
        acts image_download_concurrency: u32 [1..] = "20",
        /// Download the images of a node at the same time; no longer used upstream.
        warns("Ironic does not apply it either; image_download_concurrency limits downloads")
        parallel_image_downloads: bool = "true",
        /// Pass callers' tokens on to image services; no longer used upstream.
        acts allow_image_access_via_auth_token: bool = "false",
        /// Let administrators use images of any project.
        acts ignore_project_check_for_admin_tasks: bool = "true",
        /// Boot loader for ISO images on BIOS machines.
        acts isolinux_bin: PathBuf = "/usr/lib/syslinux/isolinux.bin",
        /// Template of that boot loader's configuration; built in if unset.
        acts isolinux_config_template: Option<PathBuf>,
        /// Where the GRUB configuration lies inside an ISO image.
        acts grub_config_path: String = "EFI/BOOT/grub.cfg",
        /// Template of the GRUB configuration; built in if unset.
        acts grub_config_template: Option<PathBuf>,
        /// File `ldlinux.c32`, needed in ISO images by newer isolinux.
        acts ldlinux_c32: Option<PathBuf>,
        /// EFI system partition to put into ISO images.
        acts esp_image: Option<PathBuf>,

        /// Send notifications of this level and above; none if unset.
        acts notification_level: Option<NotificationLevel>,
        /// Topics that versioned notifications are sent to.
        acts versioned_notifications_topics: Vec<String> = "ironic_versioned_notifications",
        /// Longest error text kept for a node, in characters.
        acts log_in_db_max_size: i64 = "4096",
        /// Memory in MiB that must be free before an image is converted.
        warns("images are converted with little memory, whatever their size")
        minimum_required_memory: i64 = "1024",
        /// How long to wait for that memory before looking again.
        warns("images are converted with little memory, whatever their size")
        minimum_memory_wait_time: Seconds = "15",
        /// How many times to look again.
        warns("images are converted with little memory, whatever their size")
        minimum_memory_wait_retries: i64 = "6",
        /// Only log when memory is short.
        warns("images are converted with little memory, whatever their size")
        minimum_memory_warning_only: bool = "false",
        /// How long a conductor that was told to drain waits for its work to end.
        acts drain_shutdown_timeout: Seconds = "1800",
        /// Authorities trusted when images are fetched.
        acts webserver_verify_ca: VerifyCa = "True",
        /// Time-out when images are fetched.
        acts webserver_connection_timeout: Seconds = "60",
        /// Time-out when only the existence of an image is asked for.
        acts webserver_verify_timeout: Seconds = "5",
        /// Oldest TLS version accepted with image servers.
        acts webserver_tls_minimum_version: TlsVersion = "1.3",
        /// TLS ciphers offered to image servers; the library's choice if unset.
        acts webserver_tls_ciphers: Option<String>,
        /// Let the role `service` do what an administrator may do.
        acts rbac_service_role_elevated_access: bool = "false",
        /// Project whose `service` role is meant by that.
        acts rbac_service_project_name: String = "service",
    }
}
