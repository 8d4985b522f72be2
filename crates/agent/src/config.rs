//! The agent's configuration: from the kernel's command line, virtual media, files and flags.
//!
//! The names are IPA's, so that our ramdisk boots with the parameters of IPA's: a kernel parameter
//! `ipa-lookup-timeout` is the option `lookup_timeout` of a configuration file. Flags win over
//! files, files over parameters from virtual media, and those over the kernel's. What the service
//! sets at lookup is in [`Adopted`].

mod adopted;
mod args;
mod cmdline;
mod ini;
mod media;
mod option;

pub use adopted::Adopted;
pub use args::Args;
pub(crate) use media::{has_medium, network_data};

use crate::safety::Permit;
use option::Options;
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    time::Duration,
};
use subtle::ConstantTimeEq;
use tls::Trust;

/// Where IPA keeps its configuration, under the root.
const FOLDERS: &[&str] = &["etc/ironic-python-agent", "etc/ironic-python-agent.d"];

/// Invalid configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("invalid value '{value}' for {name}: expected {expected}")]
    Value {
        name: String,
        value: String,
        expected: String,
    },
    #[error("invalid kernel parameter '{0}': expected NAME=VALUE")]
    Parameter(String),
    #[error("cannot read {path}")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// A secret shared with the service. It never shows in logs, and is compared in constant time.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The text, for the one place where it is sent.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `other` equals this token. An empty token matches nothing.
    pub fn is(&self, other: &str) -> bool {
        !self.0.is_empty() && bool::from(self.0.as_bytes().ct_eq(other.as_bytes()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(******)")
    }
}

/// An address to listen on or to advertise; without a host it is detected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub host: Option<String>,
    pub port: u16,
}

/// When and how inspection data is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// Where to; several are tried in turn.
    pub callback_urls: Vec<String>,
    /// What to collect; `None` is the usual, which alone does not make inspection happen.
    pub collectors: Option<Vec<String>>,
    /// How long interfaces may take to get an address before it.
    pub dhcp_wait: Duration,
    /// Whether all interfaces are waited for, rather than the one booted from.
    pub dhcp_all: bool,
}

/// How images are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    pub connection_timeout: Duration,
    pub retries: u32,
    pub retry_interval: Duration,
    /// `None` is no limit.
    pub max_duration: Option<Duration>,
}

/// The credentials for servers of images, unless a request brings its own.
#[derive(Debug, Clone)]
pub struct ImageServer {
    pub auth_strategy: String,
    pub user: Option<String>,
    pub password: Option<Token>,
}

/// CA and client certificates for TLS connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTls {
    pub insecure: bool,
    pub cafile: Option<PathBuf>,
    /// Certificate and key to show.
    pub identity: Option<(PathBuf, PathBuf)>,
}

impl ClientTls {
    pub(crate) fn trust(&self) -> Trust {
        match &self.cafile {
            _ if self.insecure => Trust::Anyone,
            Some(file) => Trust::Path(file.clone()),
            None => Trust::Machine,
        }
    }
}

/// TLS of the agent's own API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerTls {
    /// Certificate and key from files, instead of a generated one.
    pub files: Option<(PathBuf, PathBuf)>,
    /// Generate a certificate when the service understands that.
    pub auto: bool,
    /// How far the service's clock may be behind.
    pub clock_skew: Duration,
}

/// The configuration before the first contact with the service.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where proc, sys, dev and etc are: `/` but in tests.
    pub root: PathBuf,
    /// Standalone: no lookup and no heartbeat; a command sets the node.
    pub standalone: bool,
    pub debug: bool,
    pub api_urls: Vec<String>,
    /// The version of the service's API, rather than what it says itself.
    pub api_version: Option<(u16, u16)>,
    pub agent_token: Option<Token>,
    pub global_request_id: Option<String>,
    pub http_request_timeout: Duration,
    pub client_tls: ClientTls,
    pub server_tls: ServerTls,
    pub listen: Endpoint,
    pub advertise: Endpoint,
    /// Scheme of the advertised URL: `http` or `https`.
    pub advertise_protocol: String,
    pub ip_lookup_attempts: u32,
    pub ip_lookup_sleep: Duration,
    /// The network interface whose address is advertised, instead of the one on the route to the
    /// service.
    pub network_interface: Option<String>,
    pub lookup_timeout: Duration,
    pub lookup_interval: Duration,
    pub inspection: Inspection,
    pub collect_lldp: bool,
    pub lldp_timeout: Duration,
    pub ntp_server: Option<String>,
    pub fail_if_clock_not_set: bool,
    pub hardware_initialization_delay: Duration,
    pub disk_wait_attempts: u32,
    pub disk_wait_delay: Duration,
    pub download: Download,
    pub image_server: ImageServer,
    pub ignore_bootloader_failure: bool,
    pub inject_files_priority: u8,
    pub guard_special_filesystems: bool,
    pub enable_discard_erase: bool,
    pub config_drive_rebuild: bool,
    pub disable_bootc_deploy: bool,
    /// The interface that the firmware booted from, as PXE loaders write it: `01-` and the MAC.
    pub bootif: Option<String>,
    /// Post progress to Corten (`ipa-corten-progress=1`): no other service has the endpoint.
    pub progress: bool,
    /// What the lookup may change.
    pub adopted: Adopted,
}

impl Config {
    /// Reads all sources. Virtual media is searched only when the kernel's command line says so and
    /// there is a permit, because reading it means mounting it.
    pub fn read(args: &Args, permit: Option<&Permit>) -> Result<Self, ConfigError> {
        let mut options = Options::default();
        let path = args.root.join("proc/cmdline");
        let parameters = fs::read_to_string(&path)
            .map_err(|source| ConfigError::Unreadable { path, source })
            .map(|line| cmdline::parse(&line))?;
        let is_vmedia = parameters.get("boot_method").is_some_and(|m| m == "vmedia");
        options.add_parameters(parameters);
        if is_vmedia && let Some(permit) = permit {
            options.add_parameters(cmdline::parse(&media::parameters(&args.root, permit)));
            media::copy_config(&args.root, permit);
        }
        for text in FOLDERS
            .iter()
            .flat_map(|folder| files(&args.root.join(folder)))
        {
            options.add(ini::parse(&text));
        }
        for parameter in &args.param {
            let Some((name, value)) = parameter.split_once('=') else {
                return Err(ConfigError::Parameter(parameter.clone()));
            };
            options.add_parameters([(name.to_owned(), value.to_owned())].into());
        }
        options.add_flags(args)?;
        Self::from_options(&options, args)
    }

    /// What these kernel parameters mean; for tests and for those who have them from elsewhere.
    pub fn from_parameters(line: &str) -> Result<Self, ConfigError> {
        let mut options = Options::default();
        options.add_parameters(cmdline::parse(line));
        let args = Args {
            root: PathBuf::from("/"),
            ..Args::default()
        };
        Self::from_options(&options, &args)
    }

    fn from_options(options: &Options, args: &Args) -> Result<Self, ConfigError> {
        let pair = |first: &str, second: &str| {
            let path = |name| options.text(name).map(PathBuf::from);
            path(first).zip(path(second))
        };
        let listen_tls = options.flag("listen_tls", false)?;
        Ok(Self {
            root: args.root.clone(),
            standalone: args.standalone,
            debug: options.flag("debug", false)?,
            api_urls: options.urls("api_url")?,
            api_version: options.version("ironic_api_version")?,
            agent_token: options.text("agent_token").map(Token::new),
            global_request_id: options.text("global_request_id"),
            http_request_timeout: options.seconds("http_request_timeout", 30)?,
            client_tls: ClientTls {
                insecure: options.flag("insecure", false)?,
                cafile: options.text("cafile").map(PathBuf::from),
                identity: pair("certfile", "keyfile"),
            },
            server_tls: ServerTls {
                files: pair("tls_cert_file", "tls_key_file").filter(|_| listen_tls),
                auto: !listen_tls && options.flag("enable_auto_tls", true)?,
                clock_skew: options.seconds("auto_tls_allowed_clock_skew", 3600)?,
            },
            listen: Endpoint {
                host: options.text("listen_host"),
                port: options.number("listen_port", 9999)?,
            },
            advertise: Endpoint {
                host: options.text("advertise_host"),
                port: options.number("advertise_port", 9999)?,
            },
            advertise_protocol: options.choice("advertise_protocol", &["http", "https"])?,
            ip_lookup_attempts: options.number("ip_lookup_attempts", 6)?,
            ip_lookup_sleep: options.seconds("ip_lookup_sleep", 10)?,
            network_interface: options.text("network_interface"),
            lookup_timeout: options.seconds("lookup_timeout", 600)?,
            lookup_interval: options.seconds("lookup_interval", 1)?,
            inspection: Inspection {
                callback_urls: options.urls("inspection_callback_url")?,
                collectors: options
                    .text("inspection_collectors")
                    .map(|text| list(&text)),
                dhcp_wait: options.seconds("inspection_dhcp_wait_timeout", 60)?,
                dhcp_all: options.flag("inspection_dhcp_all_interfaces", false)?,
            },
            collect_lldp: options.flag("collect_lldp", false)?,
            lldp_timeout: options.seconds("lldp_timeout", 30)?,
            ntp_server: options.text("ntp_server"),
            fail_if_clock_not_set: options.flag("fail_if_clock_not_set", false)?,
            hardware_initialization_delay: options.seconds("hardware_initialization_delay", 0)?,
            disk_wait_attempts: options.number("disk_wait_attempts", 10)?,
            disk_wait_delay: options.seconds("disk_wait_delay", 3)?,
            download: Download {
                connection_timeout: options.seconds("image_download_connection_timeout", 60)?,
                retries: options.number("image_download_connection_retries", 9)?,
                retry_interval: options.seconds("image_download_connection_retry_interval", 10)?,
                max_duration: Some(options.seconds("image_download_max_duration", 0)?)
                    .filter(|limit| !limit.is_zero()),
            },
            image_server: ImageServer {
                auth_strategy: options
                    .text("image_server_auth_strategy")
                    .unwrap_or_else(|| "noauth".to_owned()),
                user: options.text("image_server_user"),
                password: options.text("image_server_password").map(Token::new),
            },
            ignore_bootloader_failure: options.flag("ignore_bootloader_failure", false)?,
            inject_files_priority: options.number("inject_files_priority", 0)?,
            guard_special_filesystems: options.flag("guard_special_filesystems", true)?,
            enable_discard_erase: options.flag("enable_discard_erase", false)?,
            config_drive_rebuild: options.flag("config_drive_rebuild", false)?,
            disable_bootc_deploy: options.flag("disable_bootc_deploy", false)?,
            bootif: options.text("BOOTIF"),
            progress: options.flag("corten_progress", false)?,
            adopted: Adopted::from_options(options)?,
        })
    }
}

/// The items of a comma-separated list.
fn list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// What the `.conf` files of a folder hold, in the order of their names.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "conf"))
        .collect();
    paths.sort();
    let text = |path: &PathBuf| match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) => {
            tracing::warn!("ignoring configuration file {}: {error}", path.display());
            None
        }
    };
    paths.iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(cmdline: &str) -> (tempfile::TempDir, Args) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("proc")).unwrap();
        fs::write(dir.path().join("proc/cmdline"), cmdline).unwrap();
        let args = Args {
            root: dir.path().to_owned(),
            ..Args::default()
        };
        (dir, args)
    }

    #[test]
    fn parameters_have_the_originals_names_and_defaults() {
        let config = Config::from_parameters("quiet").unwrap();
        assert_eq!(config.api_urls, Vec::<String>::new());
        assert_eq!((config.listen.port, config.advertise.port), (9999, 9999));
        assert_eq!(config.lookup_timeout, Duration::from_secs(600));
        assert_eq!(config.download.retries, 9);
        assert_eq!(config.download.max_duration, None);
        assert!(config.guard_special_filesystems && !config.progress);
        let config = Config::from_parameters(
            "ipa-api-url=http://a:6385/,https://b BOOTIF=01-aa-bb-cc-dd-ee-ff ipa-corten-progress=1 \
             ipa-ip-lookup-timeout=3 ipa-agent-token=abc ipa-guard-special-filesystems=False \
             ipa-inspection-collectors=default,logs ipa-image-download-max-duration=5 ipa-debug=1",
        )
        .unwrap();
        assert_eq!(config.api_urls, ["http://a:6385", "https://b"]);
        assert_eq!(config.bootif.as_deref(), Some("01-aa-bb-cc-dd-ee-ff"));
        assert_eq!(config.ip_lookup_sleep, Duration::from_secs(3));
        assert!(config.progress && config.debug && !config.guard_special_filesystems);
        assert_eq!(config.inspection.collectors.unwrap(), ["default", "logs"]);
        assert_eq!(config.download.max_duration, Some(Duration::from_secs(5)));
        let token = config.agent_token.unwrap();
        assert!(token.is("abc") && !token.is("abd") && !Token::new("").is(""));
        assert!(!format!("{token:?}").contains("abc"));
    }

    #[test]
    fn flags_win_over_files_and_files_over_parameters() {
        let (dir, mut args) = machine("ipa-api-url=http://kernel ipa-lookup-timeout=1");
        let folder = dir.path().join(FOLDERS[1]);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("b.conf"), "api_url = http://second\n").unwrap();
        fs::write(
            folder.join("a.conf"),
            "api_url = http://first\ncafile=/ca\n",
        )
        .unwrap();
        fs::write(folder.join("c.txt"), "api_url = http://other\n").unwrap();
        let config = Config::read(&args, None).unwrap();
        assert_eq!(config.api_urls, ["http://second"]);
        assert_eq!(config.lookup_timeout, Duration::from_secs(1));
        assert_eq!(config.client_tls.cafile, Some("/ca".into()));
        args.api_url = Some("http://flag".into());
        args.listen = Some("[::1]:1234".into());
        args.advertise = Some("10.0.0.1:4321".into());
        args.param = vec!["ipa-lookup-timeout=7".into()];
        let config = Config::read(&args, None).unwrap();
        assert_eq!(config.api_urls, ["http://flag"]);
        assert_eq!(config.lookup_timeout, Duration::from_secs(7));
        assert_eq!(config.listen.host.as_deref(), Some("::1"));
        assert_eq!((config.listen.port, config.advertise.port), (1234, 4321));
    }

    #[test]
    fn nonsense_is_named() {
        let refused = |line: &str| Config::from_parameters(line).unwrap_err().to_string();
        assert!(refused("ipa-listen-port=x").contains("listen_port"));
        assert!(refused("ipa-api-url=ftp://h").contains("api_url"));
        assert!(refused("ipa-insecure=perhaps").contains("insecure"));
        assert!(refused("ipa-tls-min-version=1.1").contains("tls_min_version"));
        assert!(refused("ipa-ironic-api-version=new").contains("ironic_api_version"));
        let (_dir, mut args) = machine("");
        args.listen = Some("nowhere".into());
        assert!(Config::read(&args, None).is_err());
        args.listen = None;
        args.param = vec!["quiet".into()];
        assert!(Config::read(&args, None).is_err());
    }
}
