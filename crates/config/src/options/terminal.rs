//! Serial and graphical consoles.

use crate::{HostAddress, PortRange, Seconds, choice::TlsVersion, section::section};
use std::{net::IpAddr, path::PathBuf};

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
    /// Graphical consoles.
    Vnc = "vnc" {
        /// Serve them.
        stops("this build does not serve graphical consoles; remove the option")
        enabled: bool = "false",
        /// Address to listen on.
        warns("this build does not serve graphical consoles yet")
        host_ip: HostAddress = "0.0.0.0",
        /// Port to listen on.
        warns("this build does not serve graphical consoles yet")
        port: u16 = "6090",
        /// Address given to users.
        warns("this build does not serve graphical consoles yet")
        public_url: Option<String>,
        /// Serve HTTPS.
        warns("this build does not serve graphical consoles yet")
        enable_ssl: bool = "false",
        /// Certificate for HTTPS, as a PEM file.
        warns("this build does not serve graphical consoles yet")
        cert_file: Option<PathBuf>,
        /// Private key for HTTPS, as a PEM file.
        warns("this build does not serve graphical consoles yet")
        key_file: Option<PathBuf>,
        /// Oldest TLS version accepted.
        warns("this build does not serve graphical consoles yet")
        tls_minimum_version: TlsVersion = "1.2",
        /// TLS ciphers accepted; the library's choice if unset.
        warns("this build does not serve graphical consoles yet")
        tls_ciphers: Option<String>,
        /// Folder of the web client.
        warns("this build does not serve graphical consoles yet")
        novnc_web: PathBuf = "/usr/share/novnc",
        /// Prefix of files that sessions are recorded in.
        warns("this build does not serve graphical consoles yet")
        novnc_record: Option<String>,
        /// How the VNC server may ask for credentials.
        warns("this build does not serve graphical consoles yet")
        novnc_auth_schemes: Vec<String> = "none",
        /// Show the screen only.
        warns("this build does not serve graphical consoles yet")
        read_only: bool = "false",
        /// How long a token is good for.
        warns("this build does not serve graphical consoles yet")
        token_timeout: Seconds [10..] = "600",
        /// How often old sessions are looked for.
        warns("this build does not serve graphical consoles yet")
        expire_console_session_interval: Seconds [1..] = "120",
        /// What runs the containers that draw the screens.
        warns("this build does not serve graphical consoles yet")
        container_provider: String = "fake",
        /// Image of those containers.
        warns("this build does not serve graphical consoles yet")
        console_image: Option<String>,
        /// Template of their systemd unit; built in if unset.
        warns("this build does not serve graphical consoles yet")
        systemd_container_template: Option<PathBuf>,
        /// Address and port their units publish.
        warns("this build does not serve graphical consoles yet")
        systemd_container_publish_port: String = "$my_ip::5900",
        /// Template of their pods; built in if unset.
        warns("this build does not serve graphical consoles yet")
        kubernetes_container_template: Option<PathBuf>,
        /// How long a pod may take to start.
        warns("this build does not serve graphical consoles yet")
        kubernetes_pod_timeout: Seconds = "120",
        /// Program that runs containers.
        warns("this build does not serve graphical consoles yet")
        container_executable: String = "docker",
        /// Address at which that program is reached.
        warns("this build does not serve graphical consoles yet")
        container_host: Option<String>,
        /// Address and port that containers publish.
        warns("this build does not serve graphical consoles yet")
        container_publish_port: String = "$my_ip::5900",
        /// Template of that program's command line; built in if unset.
        warns("this build does not serve graphical consoles yet")
        container_command_template: Option<PathBuf>,
        /// How long a container may take to start.
        warns("this build does not serve graphical consoles yet")
        wait_for_ready_timeout: Seconds [1..] = "10",
    }
}
