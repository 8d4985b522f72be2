//! Serial and graphical consoles.

use crate::{HostAddress, PortRange, Seconds, choice::TlsVersion, section::section};
use std::{net::IpAddr, path::PathBuf};

/// Why options about them have no effect.
const CONTAINERS: &str =
    "screens come from VNC servers of machines, and no containers are run for them";

section! {
    /// Serial consoles.
    Console = "console" {
        /// Folder for process ids of Ironic's consoles.
        warns("consoles are served by this process and not by others")
        terminal_pid_dir: Option<PathBuf>,
        /// How long an idle console stays open; zero for ever.
        acts terminal_timeout: Seconds [0..] = "600",
        /// How long to wait between looks whether a console has started.
        warns("consoles are served by this process and not by others")
        subprocess_checking_interval: Seconds = "1",
        /// How long a console may take to start.
        warns("consoles are served by this process and not by others")
        subprocess_timeout: Seconds = "10",
        /// How long a console may take to end.
        warns("consoles are served by this process and not by others")
        kill_timeout: Seconds = "1",
        /// Address to listen on.
        acts socat_address: IpAddr = "$my_ip",
        /// Ports to listen on for nodes that name none.
        acts port_range: Option<Vec<PortRange>>,
    }
}

section! {
    /// Graphical consoles. The service passes screens on by itself, at the address of its API, from
    /// VNC servers of machines.
    Vnc = "vnc" {
        /// Serve them.
        acts enabled: bool = "false",
        /// Address to listen on.
        warns("screens are served at the address of the API")
        host_ip: HostAddress = "0.0.0.0",
        /// Port to listen on.
        warns("screens are served at the port of the API")
        port: u16 = "6090",
        /// Address of the page that shows screens, given to users. Unset, it is the page of this
        /// service, at the address under which it is asked.
        acts public_url: Option<String>,
        /// Serve HTTPS.
        warns("screens are served by the API, and with TLS where that is")
        enable_ssl: bool = "false",
        /// Certificate for HTTPS, as a PEM file.
        warns("screens are served by the API, with its certificate")
        cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        warns("screens are served by the API, with its certificate")
        key_file: Option<PathBuf>,
        /// Oldest TLS version accepted.
        warns("screens are served by the API, with its TLS")
        tls_minimum_version: TlsVersion = "1.2",
        /// TLS ciphers accepted; the library's choice if unset.
        warns("screens are served by the API, with its TLS")
        tls_ciphers: Option<String>,
        /// Folder of the web client.
        warns("the web client is part of the program")
        novnc_web: PathBuf = "/usr/share/novnc",
        /// Prefix of files that sessions are recorded in.
        warns("screens are not recorded")
        novnc_record: Option<String>,
        /// How the VNC server may ask for credentials.
        warns("no password and the password of VNC are both spoken; the node's vnc_password decides")
        novnc_auth_schemes: Vec<String> = "none",
        /// Show the screen only.
        acts read_only: bool = "false",
        /// How long a token, and the sessions that it opened, are good for.
        acts token_timeout: Seconds [10..] = "600",
        /// How often consoles are looked for whose token has ended; they are switched off.
        acts expire_console_session_interval: Seconds [1..] = "120",
        /// What runs the containers that draw the screens.
        warns(CONTAINERS)
        container_provider: String = "fake",
        /// Image of those containers.
        warns(CONTAINERS)
        console_image: Option<String>,
        /// Template of their systemd unit; built in if unset.
        warns(CONTAINERS)
        systemd_container_template: Option<PathBuf>,
        /// Address and port their units publish.
        warns(CONTAINERS)
        systemd_container_publish_port: String = "$my_ip::5900",
        /// Template of their pods; built in if unset.
        warns(CONTAINERS)
        kubernetes_container_template: Option<PathBuf>,
        /// How long a pod may take to start.
        warns(CONTAINERS)
        kubernetes_pod_timeout: Seconds = "120",
        /// Program that runs containers.
        warns(CONTAINERS)
        container_executable: String = "docker",
        /// Address at which that program is reached.
        warns(CONTAINERS)
        container_host: Option<String>,
        /// Address and port that containers publish.
        warns(CONTAINERS)
        container_publish_port: String = "$my_ip::5900",
        /// Template of that program's command line; built in if unset.
        warns(CONTAINERS)
        container_command_template: Option<PathBuf>,
        /// How long a VNC server may take to answer when its console is switched on.
        acts wait_for_ready_timeout: Seconds [1..] = "10",
    }
}
