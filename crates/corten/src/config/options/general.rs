//! `[DEFAULT]`: identity of the service, enabled hardware and interfaces, images, notifications.

use crate::config::{
    Seconds, SecretUrl, VerifyCa,
    choice::{AuthStrategy, HashAlgorithm, NotificationLevel, RpcTransport, TlsVersion},
    section::section,
};
use std::{net::IpAddr, path::PathBuf};

section! {
    /// What concerns the service as a whole.
    General = "DEFAULT" {
        /// How callers of the API prove who they are.
        auth_strategy: AuthStrategy = "keystone",
        /// File with names and bcrypt hashes of those who may call, for `http_basic`.
        http_basic_auth_user_file: PathBuf = "/etc/ironic/htpasswd",
        /// Log more, and tell the agent to do so.
        debug: bool = "false",
        /// Put stack traces into error answers of the API.
        debug_tracebacks_in_api: bool = "false",
        /// Debug mode of the reference's web framework.
        pecan_debug: bool = "false",
        /// Name of this conductor in reservations and in the ring; the full host name if unset.
        host: String,
        /// Address of this machine, mostly for other options to refer to; detected if unset.
        my_ip: IpAddr = "127.0.0.1",
        /// IPv6 address of this machine, where both are needed.
        my_ipv6: Option<IpAddr>,
        /// How the API reaches conductors.
        rpc_transport: RpcTransport = "oslo",
        /// Message bus for notifications: `rabbit://user:password@host:port,…/vhost?ssl=1`.
        transport_url: SecretUrl = "rabbit://",
        /// Exchange that notifications are published to.
        control_exchange: String = "ironic",
        /// Speak the versions of an older release while an upgrade is under way.
        pin_release_version: Option<String>,
        /// Let processes reach the database through a conductor.
        use_rpc_for_database: bool = "false",
        /// Folder that other paths are relative to by default.
        pybasedir: PathBuf = "$corten.data_dir",
        /// Folder of programs.
        bindir: PathBuf = "$pybasedir/bin",
        /// Folder of the state of the service.
        state_path: PathBuf = "$pybasedir",
        /// Folder for short-lived files; that of the system if unset.
        tempdir: PathBuf = "/tmp",

        /// Hardware types that nodes may have.
        enabled_hardware_types: Vec<String> = "ipmi,redfish",
        /// BIOS interfaces that nodes may use.
        enabled_bios_interfaces: Vec<String> = "no-bios,redfish",
        /// Boot interfaces that nodes may use.
        enabled_boot_interfaces: Vec<String> = "ipxe,pxe,redfish-virtual-media",
        /// Console interfaces that nodes may use.
        enabled_console_interfaces: Vec<String> = "no-console",
        /// Deploy interfaces that nodes may use.
        enabled_deploy_interfaces: Vec<String> = "autodetect,direct,ramdisk,bootc",
        /// Firmware interfaces that nodes may use.
        enabled_firmware_interfaces: Vec<String> = "no-firmware",
        /// Inspect interfaces that nodes may use.
        enabled_inspect_interfaces: Vec<String> = "no-inspect,redfish",
        /// Management interfaces that nodes may use; if unset, the first of each hardware type.
        enabled_management_interfaces: Option<Vec<String>>,
        /// Network interfaces that nodes may use.
        enabled_network_interfaces: Vec<String> = "flat,noop",
        /// Power interfaces that nodes may use; if unset, the first of each hardware type.
        enabled_power_interfaces: Option<Vec<String>>,
        /// RAID interfaces that nodes may use.
        enabled_raid_interfaces: Vec<String> = "agent,no-raid,redfish",
        /// Rescue interfaces that nodes may use.
        enabled_rescue_interfaces: Vec<String> = "no-rescue",
        /// Storage interfaces that nodes may use.
        enabled_storage_interfaces: Vec<String> = "cinder,noop",
        /// Vendor interfaces that nodes may use.
        enabled_vendor_interfaces: Vec<String> = "ipmitool,redfish,no-vendor",
        /// BIOS interface of nodes that name none; the hardware type's first choice if unset.
        default_bios_interface: Option<String>,
        /// Boot interface of nodes that name none.
        default_boot_interface: Option<String>,
        /// Console interface of nodes that name none.
        default_console_interface: Option<String>,
        /// Deploy interface of nodes that name none.
        default_deploy_interface: Option<String>,
        /// Firmware interface of nodes that name none.
        default_firmware_interface: Option<String>,
        /// Inspect interface of nodes that name none.
        default_inspect_interface: Option<String>,
        /// Management interface of nodes that name none.
        default_management_interface: Option<String>,
        /// Network interface of nodes that name none.
        default_network_interface: Option<String>,
        /// Power interface of nodes that name none.
        default_power_interface: Option<String>,
        /// RAID interface of nodes that name none.
        default_raid_interface: Option<String>,
        /// Rescue interface of nodes that name none.
        default_rescue_interface: Option<String>,
        /// Storage interface of nodes that name none.
        default_storage_interface: Option<String> = "noop",
        /// Vendor interface of nodes that name none.
        default_vendor_interface: Option<String>,
        /// Deploy interfaces that `autodetect` tries, in order; the last one is taken as it is.
        autodetect_deploy_interfaces: Vec<String> = "ramdisk,bootc,direct",
        /// Resource class of new nodes that name none.
        default_resource_class: Option<String>,
        /// Conductor group of new nodes that name none.
        default_conductor_group: String = "",
        /// Mode of new port groups that name none.
        default_portgroup_mode: String = "active-backup",

        /// Two to this power is the number of points a conductor has on the ring.
        hash_partition_exponent: u32 [0..=16] = "5",
        /// How long a computed ring may be used.
        hash_ring_reset_interval: Seconds = "15",
        /// Hash that places nodes and conductors on the ring.
        hash_ring_algorithm: HashAlgorithm = "md5",

        /// Convert images to raw when they are cached.
        force_raw_images: bool = "true",
        /// How much larger a raw image may be than the one it is converted from.
        raw_image_growth_factor: f64 [1.0..] = "2.0",
        /// How many images may be downloaded at a time.
        image_download_concurrency: u32 [1..] = "20",
        /// Download the images of a node at the same time; no longer used upstream.
        parallel_image_downloads: bool = "true",
        /// Pass callers' tokens on to image services; no longer used upstream.
        allow_image_access_via_auth_token: bool = "false",
        /// Let administrators use images of any project.
        ignore_project_check_for_admin_tasks: bool = "true",
        /// Boot loader for ISO images on BIOS machines.
        isolinux_bin: PathBuf = "/usr/lib/syslinux/isolinux.bin",
        /// Template of that boot loader's configuration; built in if unset.
        isolinux_config_template: Option<PathBuf>,
        /// Where the GRUB configuration lies inside an ISO image.
        grub_config_path: String = "EFI/BOOT/grub.cfg",
        /// Template of the GRUB configuration; built in if unset.
        grub_config_template: Option<PathBuf>,
        /// File `ldlinux.c32`, needed in ISO images by newer isolinux.
        ldlinux_c32: Option<PathBuf>,
        /// EFI system partition to put into ISO images.
        esp_image: Option<PathBuf>,

        /// Send notifications of this level and above; none if unset.
        notification_level: Option<NotificationLevel>,
        /// Topics that versioned notifications are sent to.
        versioned_notifications_topics: Vec<String> = "ironic_versioned_notifications",
        /// Longest error text kept for a node, in characters.
        log_in_db_max_size: i64 = "4096",
        /// Memory in MiB that must be free before an image is converted.
        minimum_required_memory: i64 = "1024",
        /// How long to wait for that memory before looking again.
        minimum_memory_wait_time: Seconds = "15",
        /// How many times to look again.
        minimum_memory_wait_retries: i64 = "6",
        /// Only log when memory is short.
        minimum_memory_warning_only: bool = "false",
        /// How long a conductor that was told to drain waits for its work to end.
        drain_shutdown_timeout: Seconds = "1800",
        /// Authorities trusted when images are fetched.
        webserver_verify_ca: VerifyCa = "True",
        /// Time-out when images are fetched.
        webserver_connection_timeout: Seconds = "60",
        /// Time-out when only the existence of an image is asked for.
        webserver_verify_timeout: Seconds = "5",
        /// Oldest TLS version spoken with image servers.
        webserver_tls_minimum_version: TlsVersion = "1.3",
        /// TLS ciphers offered to image servers; the library's choice if unset.
        webserver_tls_ciphers: Option<String>,
        /// Let the role `service` do what an administrator may do.
        rbac_service_role_elevated_access: bool = "false",
        /// Project whose `service` role is meant by that.
        rbac_service_project_name: String = "service",
    }
}
