//! Serial and graphical consoles.

use crate::config::{HostAddress, PortRange, Seconds, choice::TlsVersion, section::section};
use std::{net::IpAddr, path::PathBuf};

section! {
    /// Serial consoles.
    Console = "console" {
        /// Folder for process ids of the reference's consoles.
        terminal_pid_dir: Option<PathBuf>,
        /// How long an idle console stays open; zero for ever.
        terminal_timeout: Seconds [0..] = "600",
        /// How long to wait between looks whether a console has started.
        subprocess_checking_interval: Seconds = "1",
        /// How long a console may take to start.
        subprocess_timeout: Seconds = "10",
        /// How long a console may take to end.
        kill_timeout: Seconds = "1",
        /// Address to listen on.
        socat_address: IpAddr = "$my_ip",
        /// Ports to listen on for nodes that name none.
        port_range: Option<Vec<PortRange>>,
    }
}

section! {
    /// Graphical consoles.
    Vnc = "vnc" {
        /// Serve them.
        enabled: bool = "false",
        /// Address to listen on.
        host_ip: HostAddress = "0.0.0.0",
        /// Port to listen on.
        port: u16 = "6090",
        /// Address given to users.
        public_url: Option<String>,
        /// Serve HTTPS.
        enable_ssl: bool = "false",
        /// Certificate for HTTPS, as a PEM file.
        cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        key_file: Option<PathBuf>,
        /// Oldest TLS version accepted.
        tls_minimum_version: TlsVersion = "1.2",
        /// TLS ciphers accepted; the library's choice if unset.
        tls_ciphers: Option<String>,
        /// Folder of the web client.
        novnc_web: PathBuf = "/usr/share/novnc",
        /// Prefix of files that sessions are recorded in.
        novnc_record: Option<String>,
        /// How the VNC server may ask for credentials.
        novnc_auth_schemes: Vec<String> = "none",
        /// Show the screen only.
        read_only: bool = "false",
        /// How long a token is good for.
        token_timeout: Seconds [10..] = "600",
        /// How often old sessions are looked for.
        expire_console_session_interval: Seconds [1..] = "120",
        /// What runs the containers that draw the screens.
        container_provider: String = "fake",
        /// Image of those containers.
        console_image: Option<String>,
        /// Template of their systemd unit; built in if unset.
        systemd_container_template: Option<PathBuf>,
        /// Address and port their units publish.
        systemd_container_publish_port: String = "$my_ip::5900",
        /// Template of their pods; built in if unset.
        kubernetes_container_template: Option<PathBuf>,
        /// How long a pod may take to start.
        kubernetes_pod_timeout: Seconds = "120",
        /// Program that runs containers.
        container_executable: String = "docker",
        /// Address at which that program is reached.
        container_host: Option<String>,
        /// Address and port that containers publish.
        container_publish_port: String = "$my_ip::5900",
        /// Template of that program's command line; built in if unset.
        container_command_template: Option<PathBuf>,
        /// How long a container may take to start.
        wait_for_ready_timeout: Seconds [1..] = "10",
    }
}
