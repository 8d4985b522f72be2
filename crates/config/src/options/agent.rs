//! The program in the ramdisk, and what it is told to run.

use crate::{
    Seconds, VerifyCa,
    choice::{ContainerRunner, ImageSource, LogCollection, LogStorage, TlsVersion},
    section::section,
};
use std::path::PathBuf;

section! {
    /// Conversations with the agent.
    Agent = "agent" {
        /// Boot the agent by the node's boot interface; without it, operators see to that themselves,
        /// and an instance boots from disk.
        acts manage_agent_boot: bool = "true",
        /// Memory in MiB that the agent itself needs on a node; where it is set, images that are not
        /// streamed and do not fit beside it are refused.
        acts memory_consumed_by_agent: i64 = "0",
        /// Let the agent write raw images as they arrive.
        acts stream_raw_images: bool = "true",
        /// How many times to look whether a deployed machine has switched itself off.
        acts post_deploy_get_power_state_retries: i64 = "6",
        /// How long to wait between those.
        acts post_deploy_get_power_state_retry_interval: Seconds = "5",
        /// Version of the agent's API.
        warns("agents have one version of their API, v1")
        agent_api_version: String = "v1",
        /// When to fetch the agent's logs.
        acts deploy_logs_collect: LogCollection = "on_failure",
        /// Where to keep them.
        acts deploy_logs_storage_backend: LogStorage = "local",
        /// Folder to keep them in.
        acts deploy_logs_local_path: PathBuf = "$corten.data_dir/deploy-logs",
        /// Swift container to keep them in.
        acts deploy_logs_swift_container: String = "ironic_deploy_logs_container",
        /// Days for which Swift keeps them.
        acts deploy_logs_swift_days_to_expire: u32 = "30",
        /// How the agent gets images.
        acts image_download_source: ImageSource = "http",
        /// Time-out of a call to the agent.
        acts command_timeout: Seconds = "60",
        /// How many times a call is tried.
        acts max_command_attempts: i64 = "3",
        /// How many times to ask whether a command has ended.
        acts command_wait_attempts: i64 = "100",
        /// How long to wait between those.
        acts command_wait_interval: Seconds = "6",
        /// How long smart NICs take after their machine was switched on.
        acts neutron_agent_poll_interval: Seconds = "2",
        /// How many times to ask Neutron for a port or an agent.
        acts neutron_agent_max_attempts: i64 = "100",
        /// How long to wait between those.
        acts neutron_agent_status_retry_interval: Seconds = "10",
        /// Talk to agents by HTTPS only.
        acts require_tls: bool = "true",
        /// Folder for the certificates that agents send.
        warns("certificates of agents are kept with their nodes, in the database")
        certificates_path: PathBuf = "$corten.data_dir/certificates",
        /// Authorities trusted when an agent has sent no certificate.
        acts verify_ca: VerifyCa = "True",
        /// Authorities the agent is to trust, put into its ISO image.
        acts api_ca_file: Option<PathBuf>,
        /// Oldest TLS version accepted with agents.
        acts tls_minimum_version: TlsVersion = "1.3",
        /// TLS ciphers offered to agents; the library's choice if unset.
        acts tls_ciphers: Option<String>,
        /// Let agents accept MD5 checksums.
        acts allow_md5_checksum: bool = "true",
        /// Let agents install a boot loader on BIOS machines.
        acts enable_bios_bootloader_install: bool = "false",
    }
}

section! {
    /// Steps that run in containers in the ramdisk.
    AgentContainers = "agent_containers" {
        /// Run any container that is asked for.
        acts allow_arbitrary_containers: bool = "false",
        /// Containers that may run otherwise.
        acts allowed_containers: Vec<String>,
        /// File in the ramdisk that describes steps.
        acts container_steps_file: PathBuf = "/etc/ironic-python-agent.d/mysteps.yaml",
        /// Program that runs containers.
        acts runner: ContainerRunner = "podman",
        /// Options for pulling a container.
        acts pull_options: Vec<String>,
        /// Options for running a container.
        acts run_options: Vec<String> = "--rm,--network=host",
    }
}

section! {
    /// Installation by kickstart files.
    Anaconda = "anaconda" {
        /// Template of the kickstart file; built in if unset.
        acts default_ks_template: Option<PathBuf>,
        /// Let the installer send heartbeats without checking certificates.
        acts insecure_heartbeat: bool = "false",
    }
}
