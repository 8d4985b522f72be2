//! Options that only Corten has.

use crate::{
    Seconds, Secret, Url,
    choice::{DhcpOthers, DhcpRole, InstanceParams, LogFormat},
    section::section,
};
use std::{collections::BTreeMap, path::PathBuf};

section! {
    /// What Ironic has no word for.
    Corten = "corten" {
        /// Folder of the database and of everything else the service keeps.
        acts data_dir: PathBuf = "/var/lib/corten",
        /// File with the ring of keys that secrets in the database are encrypted with.
        acts key_file: Option<PathBuf>,
        /// Collector that traces are posted to, as OTLP in JSON (`http://host:4318/v1/traces`); none
        /// are made if unset.
        acts otlp_endpoint: Option<Url>,
        /// Authorities that are trusted to know the collector; those of the machine if unset.
        acts otlp_ca_file: Option<PathBuf>,
        /// How many of a hundred traces that begin here are kept. Those that a client begins are
        /// kept as it says.
        acts otlp_percent: u32 [0..=100] = "100",
        /// Whether log lines are for people or for machines.
        acts log_format: LogFormat = "text",
        /// How many days events are kept in the log of changes.
        acts event_retention_days: u32 [1..] = "30",
        /// How often an event is posted to a webhook in vain before it is put aside.
        acts webhook_attempts: u32 [1..=100] = "12",
        /// How long the receiver of a webhook may take to answer.
        acts webhook_timeout: Seconds [1..=10] = "10",
        /// How many events this process posts to webhooks at a time.
        acts webhook_deliveries: u32 [1..=1000] = "16",
        /// Addresses (`address:port`) at which metrics are shown to everybody; none if empty.
        acts metrics_listen: Vec<String>,
        /// Addresses (`address:port`) at which conductors take SNMP traps and platform event traps of
        /// BMCs, which become events; none if empty.
        acts trap_listen: Vec<String>,
        /// How often the conductor looks for steps that want to know how far their hardware is.
        /// Zero means never.
        acts step_poll_interval: Seconds [0..] = "2",
        /// Visit machines one after the other over the interval of a periodic pass, rather than all
        /// at its beginning.
        acts spread_passes: bool = "true",
        /// How long a client may take to send the head of a request, to take a part of its answer,
        /// and to ask again on a connection that stays open.
        acts client_timeout: Seconds [1..] = "60",
        /// How long a client may take to send the body of a request.
        acts body_timeout: Seconds [1..] = "300",
        /// Longest head of a request in KiB.
        acts max_head_size: u32 [8..=1024] = "64",
        /// Names under which the API may be asked without authentication on an address of this
        /// machine, besides the names of this machine and `[api]public_endpoint`.
        acts allowed_hosts: Vec<String>,
        /// Whether the API's address serves the web page, below `/ui/`.
        acts ui: bool = "true",
        /// How long a user who signed in to the web page stays signed in, in hours.
        acts ui_session_hours: u32 [1..=720] = "8",
        /// A key of the `extra` of nodes by which the web page can group them, such as `rack`.
        acts ui_group_key: Option<String>,
        /// Provider of OpenID Connect whose tokens are accepted with `[DEFAULT]auth_strategy=local`,
        /// exactly as it stands in them (`iss`); none if unset.
        acts oidc_issuer: Option<String>,
        /// Whom tokens of the provider must be for (`aud`).
        acts oidc_audience: Option<String>,
        /// Where the groups or roles of a user stand in a token, with dots between names.
        acts oidc_roles_claim: String = "groups",
        /// What these groups or roles of the provider are here: `VALUE=>ROLE@system` or
        /// `VALUE=>ROLE@project:NAME`, several with commas between.
        acts oidc_roles: Vec<String>,
        /// Authorities that are trusted to know the provider; those of the machine if unset.
        acts oidc_ca_file: Option<PathBuf>,
        /// How many streams of events one user may read at a time; one address without users.
        acts max_streams_per_user: u32 [1..] = "32",
        /// How many nodes of `[auto_discovery]` may be in `enroll` before further machines are
        /// turned away.
        acts auto_discovery_limit: u32 [0..] = "100",
        /// How many connections the API keeps open at a time. When all are taken, the one that has
        /// been idle for the longest time is closed.
        acts max_connections: u32 [1..] = "1000",
        /// A conductor without a heartbeat for this long counts as dead.
        acts membership_ttl: Seconds [1..] = "60",
        /// Shared secret of the processes of a cluster: at least 16 characters, the same
        /// everywhere.
        acts cluster_secret: Option<Secret>,
        /// File with that secret, which only the service should be able to read.
        acts cluster_secret_file: Option<PathBuf>,
        /// Where other processes call this conductor; `[json_rpc]host_ip` or `[DEFAULT]host`, and
        /// `[json_rpc]port`, if unset.
        acts cluster_url: Option<String>,
        /// CA certificate (PEM) that must have signed the certificates of all processes of a
        /// cluster, with `[json_rpc]use_ssl`.
        acts cluster_ca_file: Option<PathBuf>,
        /// Timeout of a call to a conductor in another process.
        acts cluster_timeout: Seconds [1..] = "60",
        /// How long a call that no conductor accepted is retried, while conductors come and go.
        acts cluster_patience: Seconds [0..] = "10",
        /// File to which fake hardware appends a line for the beginning and for the end of every
        /// change, for tests that look for two conductors working on one machine.
        acts fake_journal: Option<PathBuf>,
        /// Room for what was said to one node's BMC, in KiB; zero for no flight recorder.
        acts recorder_node_size: u32 [0..=65536] = "256",
        /// Room for all nodes together, in MiB; zero for no flight recorder.
        acts recorder_total_size: u32 [0..=65536] = "64",
        /// Folder of drivers that are programs of their own; each is asked at the start what it has.
        acts driver_path: Option<PathBuf>,
        /// User that these programs run as, by name; needed where the service runs as root.
        acts driver_user: Option<String>,
        /// Folder in which each of these programs has a folder to work in; `drivers` in `data_dir` if
        /// unset, or `/var/lib/corten-drivers` where they run as another user.
        acts driver_state_dir: Option<PathBuf>,
        /// How long a call to such a program may take.
        acts driver_timeout: Seconds [1..=3600] = "60",
        /// Most address space of such a program in MiB, stacks of threads included; zero for no limit.
        acts driver_memory: u32 [0..=1048576] = "4096",
        /// How many calls such a program has at a time.
        acts driver_calls: u32 [1..=4096] = "128",
        /// Addresses (`address:port`) at which `[pxe]tftp_root` is served by TFTP; none if empty.
        acts tftp_listen: Vec<String>,
        /// Addresses (`address:port`) at which `[deploy]http_root` is served by HTTP; none if empty.
        acts http_listen: Vec<String>,
        /// Whether machines get their addresses from this service (`server`), or from another one
        /// and only what to boot from here (`proxy`).
        acts dhcp: DhcpRole = "off",
        /// Networks of machines: `10.0.0.0/24 interface=eth1 range=10.0.0.100-10.0.0.199
        /// server=10.0.0.1 router=10.0.0.1 dns=10.0.0.53 domain=example.org mtu=1500 lease=3600`.
        /// All but the network may be left out; a network without an interface is for relays.
        acts dhcp_networks: Vec<String>,
        /// File of the names and addresses of machines with a lease, in the form of `/etc/hosts`; none
        /// if unset. It is replaced as a whole.
        acts hosts_file: Option<PathBuf>,
        /// DNS server (`address` or `address:port`) that is told the names of machines with a lease,
        /// by dynamic updates (RFC 2136); none if unset.
        acts dns_update_server: Option<String>,
        /// Zone of the names there.
        acts dns_update_zone: Option<String>,
        /// Zones of reverse names there, such as `1.0.10.in-addr.arpa`; none are told if empty.
        acts dns_update_reverse_zone: Vec<String>,
        /// Name of the key that updates are signed with (TSIG, hmac-sha256).
        acts dns_update_key_name: Option<String>,
        /// That key, in base64, as `tsig-keygen` prints it.
        acts dns_update_key: Option<Secret>,
        /// What machines get that are no port of any node: nothing, an address, or an address and the
        /// usual iPXE script.
        acts dhcp_others: DhcpOthers = "ignore",
        /// How long a machine that is to boot from this service's DHCP server may say nothing at all
        /// before its operation fails; zero for as long as any other. Without a file, and unless set,
        /// ten minutes.
        acts boot_silence_timeout: Seconds [0..] = "0",
        /// Proxies and address translators in front of the API, and networks of agents whose
        /// addresses are given by others than this service's DHCP server: addresses and networks
        /// (`10.0.0.5`, `10.1.0.0/16`). Agents are known by their address, which a proxy tells in
        /// `X-Forwarded-For`; without that, agents behind one of these are not judged by it.
        acts agent_proxies: Vec<String>,
        /// Whether ramdisks of releases up to 6 are served: the bash ramdisk, and agents from before
        /// the API had endpoints for them. Nobody needs credentials for what they call.
        acts legacy_ramdisk: bool = "false",
        /// Whether an agent of this service starts the system it has installed by itself, instead of
        /// having the machine restarted.
        acts kexec: bool = "false",
        /// GRUB for discs that machines boot by UEFI, by CPU architecture, where there is no image of
        /// a system partition.
        acts grub_by_arch: BTreeMap<String, String> = "x86_64:/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed,aarch64:/usr/lib/grub/arm64-efi-signed/grubaa64.efi.signed",
        /// The first loader on such discs, for secure boot; left out where it does not exist.
        acts shim_by_arch: BTreeMap<String, String> = "x86_64:/usr/lib/shim/shimx64.efi.signed,aarch64:/usr/lib/shim/shimaa64.efi.signed",
        /// Whether a serial console can only be switched on with a TCP port: one that the node names,
        /// or one of `[console]port_range`. Without, it is reached by `corten node console` and by
        /// WebSocket alone. The default is false where there is no configuration file.
        acts console_needs_port: bool = "true",
        /// Folder for logs of what machines say on their serial consoles; none are kept if unset.
        acts console_log_dir: Option<PathBuf>,
        /// How large the log of a console may grow before it is put aside, in MiB.
        acts console_log_size: u32 [1..=65536] = "10",
        /// How many logs that were put aside are kept for each console.
        acts console_log_files: u32 [0..=100] = "2",
        /// Files and folders of certificate authorities that `driver_info` may name
        /// (`redfish_verify_ca`, `agent_verify_ca`) where somebody writes it who may not enrol nodes
        /// for everybody.
        acts verify_ca_paths: Vec<PathBuf> = "/etc/ssl/certs,/etc/pki/tls/certs,/etc/pki/ca-trust,/usr/share/ca-certificates,/usr/local/share/ca-certificates",
        /// Folders besides `[ansible]playbooks_path` below which nodes may have playbooks of their own
        /// (`ansible_playbooks_path`). Playbooks run programs as this service.
        acts ansible_playbooks_paths: Vec<PathBuf>,
        /// Folders below which nodes may have SSH keys for playbooks of their own
        /// (`ansible_key_file`), besides that of `[ansible]default_key_file`.
        acts ansible_key_paths: Vec<PathBuf>,
        /// Folders below which nodes may have SSH keys for hypervisors (`ssh_key_filename`).
        acts ssh_key_paths: Vec<PathBuf>,
        /// File with the host keys of hypervisors. If unset it is what SSH reads itself:
        /// `~/.ssh/known_hosts` of the service's user, and `/etc/ssh/ssh_known_hosts`.
        acts ssh_known_hosts: Option<PathBuf>,
        /// Whether somebody who may not enrol nodes for everybody must give the secrets of a BMC
        /// anew when its address, port, system or certificate verification changes.
        acts bmc_change_needs_secrets: bool = "true",
        /// Whether Redfish services are only talked to over TLS; nodes whose `redfish_address` says
        /// `http` are refused then.
        acts bmc_require_tls: bool = "false",
        /// Where images, BMCs, agents and webhooks that users of the API name may not be: networks
        /// (`10.0.0.0/8`), addresses, and the words `loopback`, `link-local`, `multicast`,
        /// `unspecified`, `metadata` (of clouds) and `self` (where this service listens, but for
        /// what it serves to machines that boot). If unset, and unless `auth_strategy` is
        /// `keystone`, without `self` and `loopback`: there are no tenants then.
        acts networks_denied: Vec<String> = "self,loopback,link-local,multicast,unspecified,metadata",
        /// Exceptions from that.
        acts networks_allowed: Vec<String>,
        /// Whether the kernel of the agent's ramdisk is told `kernel_append_params` of
        /// `instance_info`, which tenants write: never, if nothing in it takes the ramdisk over
        /// (`checked`), or always, as in Ironic. `driver_info` is heeded in any case.
        acts instance_params_for_ramdisk: InstanceParams = "never",
        /// How much of a disk the caches of images leave free, in MiB.
        acts image_disk_reserve: u32 [0..] = "256",
        /// Folder of the images that are kept under names (`image://debian-13`); `image-store` in
        /// the data folder if unset. On the disk of `[pxe]images_path` they are linked, else copied.
        acts image_store_path: Option<PathBuf>,
        /// The largest image that is kept under a name, in MiB.
        acts image_store_max_size: u32 [1..] = "102400",
        /// Whether agents that write the same raw image at the same time get its blocks from one
        /// another too, not only from this service.
        acts image_peers: bool = "false",
    }
}
