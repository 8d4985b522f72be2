//! The services that machines boot from.

mod network;

use super::SettingsError;
use super::ramdisk::api_url;
use crate::listen::open_files;
use ::boot::{
    Artifact, BootFiles, Discovery, Settings,
    config::operator::{self, Templates},
    dhcp4, dhcp6, http,
    template::Template,
    tftp,
};
use config::{
    Config, Setting, Source,
    choice::{DhcpOthers, DhcpRole},
};
use network::Network;
use std::{
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4},
    path::{Path, PathBuf},
};
use types::site_network::Prefix;

/// What to serve, or nothing if no service is switched on and nobody says where another server has
/// its files.
pub fn boot(config: &Config) -> Result<Option<Settings>, SettingsError> {
    let options = &config.corten;
    let off = *options.dhcp == DhcpRole::Off;
    let (pxe, deploy) = (&config.pxe, &config.deploy);
    let elsewhere =
        deploy.http_url.is_some() || deploy.http_root.is_set() || pxe.tftp_root.is_set();
    if off && options.tftp_listen.is_empty() && options.http_listen.is_empty() && !elsewhere {
        return Ok(None);
    }
    let mut settings = Settings {
        files: files(config)?,
        state_dir: options.data_dir.join("boot"),
        ..Settings::default()
    };
    let tftp = listeners(
        "tftp_listen",
        &options.tftp_listen,
        options.tftp_listen.source(),
    )?;
    if !tftp.is_empty() {
        let usual = tftp::Settings::default();
        settings.tftp = Some(tftp::Settings {
            listeners: tftp,
            transfers: usual.transfers.min(open_files() / 8),
            ..usual
        });
    }
    let http = listeners(
        "http_listen",
        &options.http_listen,
        options.http_listen.source(),
    )?;
    if !http.is_empty() {
        let usual = http::Settings::default();
        settings.http = Some(http::Settings {
            listeners: http,
            // The API has half of the files that the process may open.
            connections: usual.connections.min(open_files() / 4),
            ..usual
        });
    }
    if !off {
        dhcp(config, &mut settings)?;
    }
    Ok(Some(settings))
}

fn files(config: &Config) -> Result<BootFiles, SettingsError> {
    let (pxe, deploy) = (&config.pxe, &config.deploy);
    let url = deploy
        .http_url
        .as_ref()
        .map(|url| url.as_str().trim_end_matches('/').to_owned());
    let loaders = pxe.loader_file_paths.iter();
    Ok(BootFiles {
        tftp_server: pxe.tftp_server.to_string(),
        tftp_server_v6: config.default.my_ipv6.map(|address| address.to_string()),
        http_url: url,
        tftp_root: (*pxe.tftp_root).clone(),
        http_root: (*deploy.http_root).clone(),
        linked: vec![(*pxe.images_path).clone(), super::image::library(config)],
        dir_mode: *pxe.dir_permission,
        file_mode: *pxe.file_permission,
        config_subdir: pxe.pxe_config_subdir.to_string(),
        pxe_loader: pxe.pxe_bootfile_name.to_string(),
        uefi_pxe_loader: pxe.uefi_pxe_bootfile_name.to_string(),
        ipxe_loader: pxe.ipxe_bootfile_name.to_string(),
        uefi_ipxe_loader: pxe.uefi_ipxe_bootfile_name.to_string(),
        pxe_loader_by_arch: (*pxe.pxe_bootfile_name_by_arch).clone(),
        ipxe_loader_by_arch: (*pxe.ipxe_bootfile_name_by_arch).clone(),
        ipxe_fallback_script: (*pxe.ipxe_fallback_script).clone(),
        discovery: discovery(config),
        ipxe_timeout: pxe.ipxe_timeout.duration(),
        loaders: loaders
            .map(|(name, path)| (name.clone(), PathBuf::from(path)))
            .collect(),
        templates: templates(config)?,
    })
}

/// Templates of operators, which are read once: a change needs a restart, as in Ironic.
fn templates(config: &Config) -> Result<Templates, SettingsError> {
    let pxe = &config.pxe;
    let of_nodes = |option: &'static str, setting: &Setting<Option<PathBuf>>| {
        let path = setting.as_deref();
        path.map(|path| node_template(option, setting.source(), path))
            .transpose()
    };
    let common = |option: &'static str, setting: &Setting<Option<PathBuf>>| {
        let path = setting.as_deref();
        path.map(|path| template(option, setting.source(), path))
            .transpose()
    };
    let by_arch = &pxe.pxe_config_template_by_arch;
    let of_arch = by_arch.iter().map(|(arch, path)| {
        let option = "pxe_config_template_by_arch";
        let read = node_template(option, by_arch.source(), Path::new(path));
        read.map(|template| (arch.clone(), template))
    });
    Ok(Templates {
        pxelinux: of_nodes("pxe_config_template", &pxe.pxe_config_template)?,
        grub: of_nodes("uefi_pxe_config_template", &pxe.uefi_pxe_config_template)?,
        ipxe: of_nodes("ipxe_config_template", &pxe.ipxe_config_template)?,
        by_arch: of_arch.collect::<Result<_, _>>()?,
        boot_script: common("ipxe_boot_script", &pxe.ipxe_boot_script)?,
        first_stage: common("initial_grub_template", &pxe.initial_grub_template)?,
    })
}

/// A template for configurations of nodes, which is also tried: not all mistakes show before.
fn node_template(
    option: &'static str,
    place: &Source,
    path: &Path,
) -> Result<Template, SettingsError> {
    let template = template(option, place, path)?;
    operator::check(&template).map_err(|error| unusable(option, place, path, &error))?;
    Ok(template)
}

#[expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]
fn template(option: &'static str, place: &Source, path: &Path) -> Result<Template, SettingsError> {
    let text = fs::read_to_string(path).map_err(|error| unusable(option, place, path, &error))?;
    Template::parse(&text).map_err(|error| unusable(option, place, path, &error))
}

fn unusable(
    option: &'static str,
    place: &Source,
    path: &Path,
    reason: &dyn std::fmt::Display,
) -> SettingsError {
    SettingsError::Template {
        place: place.clone(),
        option,
        reason: format!("{}: {reason}", path.display()),
    }
}

/// What discovered machines boot, if discovery is enabled.
fn discovery(config: &Config) -> Option<Discovery> {
    let (options, wanted) = (&config.corten, &config.auto_discovery);
    let boots = *options.dhcp != DhcpRole::Off && *options.dhcp_others == DhcpOthers::Boot;
    if !boots || !*wanted.enabled || config.pxe.ipxe_fallback_script.is_some() {
        return None;
    }
    let conductor = &config.conductor;
    let artifact = |text: Option<&str>| {
        let text = text?;
        let path = text.strip_prefix("file://").unwrap_or(text);
        match path.starts_with('/') {
            true => Some(Artifact::File(PathBuf::from(path))),
            false if text.starts_with("http") => Some(Artifact::Url(text.to_owned())),
            false => None,
        }
    };
    let kernel = artifact(conductor.deploy_kernel.as_deref());
    let (Some(kernel), Some(ramdisk)) = (kernel, artifact(conductor.deploy_ramdisk.as_deref()))
    else {
        tracing::warn!(
            "[corten]dhcp_others = boot lets unknown machines boot and [auto_discovery]enabled has \
             them enrolled, but there is nothing for them to boot: set [conductor]deploy_kernel and \
             deploy_ramdisk to files or http addresses"
        );
        return None;
    };
    let mut append = config.pxe.kernel_append_params.to_string();
    for word in config.inspector.extra_kernel_params.split_whitespace() {
        append += &format!(" {word}");
    }
    // No `ipa-api-url`: there is no node to look up before the report has made one.
    let api = api_url(config);
    append += &format!(" ipa-inspection-callback-url={api}/v1/continue_inspection");
    Some(Discovery {
        kernel,
        ramdisk,
        append,
    })
}

pub(super) fn listeners(
    option: &'static str,
    texts: &[String],
    place: &Source,
) -> Result<Vec<SocketAddr>, SettingsError> {
    let read = texts.iter().map(|text| {
        text.trim().parse().map_err(|_| SettingsError::Boot {
            place: place.clone(),
            option,
            reason: format!(
                "invalid address '{text}': expected an address with a port such as 10.0.0.1:8080"
            ),
        })
    });
    read.collect()
}

/// The networks that the configuration has; what cannot be read is refused elsewhere.
pub(super) fn configured_networks(config: &Config) -> Vec<Prefix> {
    let texts = config.corten.dhcp_networks.iter();
    let read = texts.filter_map(|text| network::parse(text, Ipv4Addr::UNSPECIFIED).ok());
    read.filter_map(|network| network.prefix()).collect()
}

fn dhcp(config: &Config, settings: &mut Settings) -> Result<(), SettingsError> {
    let options = &config.corten;
    let refuse = |reason: String| SettingsError::Boot {
        place: options.dhcp_networks.source().clone(),
        option: "dhcp_networks",
        reason,
    };
    let proxy = *options.dhcp == DhcpRole::Proxy;
    if options.dhcp_networks.is_empty() && proxy {
        return Err(refuse(
            "names no network, and [corten]dhcp = proxy needs one".to_owned(),
        ));
    }
    let own = match *config.default.my_ip {
        IpAddr::V4(address) => address,
        IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED,
    };
    let others = match *options.dhcp_others {
        DhcpOthers::Ignore => dhcp4::Others::Ignore,
        DhcpOthers::Address => dhcp4::Others::Address,
        DhcpOthers::Boot => dhcp4::Others::Boot,
    };
    let role = if proxy {
        dhcp4::Role::Proxy
    } else {
        dhcp4::Role::Server
    };
    let (mut v4, mut v6) = (Vec::new(), Vec::new());
    for text in options.dhcp_networks.iter() {
        match network::parse(text, own).map_err(|why| refuse(format!("'{text}': {why}")))? {
            Network::V4(subnet) => v4.push(subnet),
            Network::V6(_) if proxy => return Err(refuse("IPv6 has no proxy DHCP".to_owned())),
            Network::V6(subnet) => v6.push(subnet),
        }
    }
    // A server has both, because the database may have networks of either version.
    if !proxy || !v4.is_empty() {
        let interfaces = unique(v4.iter().map(|subnet| subnet.interface.clone()));
        let listener = |interface| dhcp4::Listener {
            interface,
            address: SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 67),
        };
        settings.dhcp4 = Some(dhcp4::Settings {
            role,
            listeners: interfaces.into_iter().map(listener).collect(),
            proxy_listener: proxy.then(|| SocketAddrV4::new(v4[0].server, 4011)),
            subnets: v4,
            own,
            others,
            ..dhcp4::Settings::default()
        });
    }
    if !proxy {
        let interfaces = unique(v6.iter().map(|subnet| subnet.interface.clone()));
        let listener = |interface| dhcp6::Listener {
            interface,
            address: dhcp6::wire::any(547),
        };
        settings.dhcp6 = Some(dhcp6::Settings {
            listeners: interfaces.into_iter().map(listener).collect(),
            subnets: v6,
            others,
            ..dhcp6::Settings::default()
        });
    }
    Ok(())
}

fn unique(interfaces: impl Iterator<Item = Option<String>>) -> Vec<Option<String>> {
    let mut all: Vec<_> = interfaces.collect();
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn nothing_is_served_unless_asked_for() {
        assert!(boot(&filed("[DEFAULT]\nhost = h\n")).unwrap().is_none());
    }

    #[test]
    fn files_for_another_server_are_written_without_serving_them() {
        let config = filed("[deploy]\nhttp_url = http://10.0.0.1\nhttp_root = /h\n");
        let settings = boot(&config).unwrap().unwrap();
        assert!(settings.http.is_none() && settings.tftp.is_none() && settings.dhcp4.is_none());
    }

    #[test]
    fn options_become_settings() {
        let config = filed(
            "[DEFAULT]\nmy_ip = 10.0.0.1\n[pxe]\ntftp_root = /t\nloader_file_paths = a.efi:/x/a.efi\n\
             [deploy]\nhttp_url = http://10.0.0.1:8080/\nhttp_root = /h\n\
             [corten]\ntftp_listen = 10.0.0.1:69\nhttp_listen = 10.0.0.1:8080,[::1]:8080\ndhcp = server\n\
             dhcp_others = boot\ndhcp_networks = 10.0.0.0/24 interface=eth1 range=10.0.0.9-10.0.0.19,\
             10.9.0.0/16 range=10.9.0.9-10.9.0.19,fd00::/64 interface=eth1\n",
        );
        let settings = boot(&config).unwrap().unwrap();
        assert_eq!(settings.files.tftp_server, "10.0.0.1");
        assert_eq!(
            settings.files.http_url.as_deref(),
            Some("http://10.0.0.1:8080")
        );
        assert_eq!(settings.files.loaders["a.efi"], PathBuf::from("/x/a.efi"));
        assert_eq!(settings.http.unwrap().listeners.len(), 2);
        let dhcp4 = settings.dhcp4.unwrap();
        assert_eq!((dhcp4.listeners.len(), dhcp4.subnets.len()), (2, 2));
        assert_eq!(dhcp4.subnets[0].server, Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(dhcp4.others, dhcp4::Others::Boot);
        assert_eq!(settings.dhcp6.unwrap().subnets.len(), 1);
    }

    #[test]
    fn templates_of_operators_are_read_and_refused_with_their_place() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            let path = path.display();
            boot(&filed(&format!(
                "[deploy]\nhttp_url = http://h\n[pxe]\nipxe_config_template = {path}\n"
            )))
        };
        let settings = read("kernel {{ pxe_options.deployment_aki_path }}").unwrap();
        assert!(settings.unwrap().files.templates.ipxe.is_some());
        for text in ["\n{% include 'x' %}", "\n{% for i in x %}{% endfor %}"] {
            let refused = read(text).unwrap_err().to_string();
            assert!(
                refused.contains(":4: [pxe]ipxe_config_template"),
                "{refused}"
            );
            assert!(refused.contains("line 2: "), "{refused}");
        }
    }

    #[test]
    fn unknown_machines_boot_a_ramdisk_where_they_are_to_be_enrolled() {
        let text = "[DEFAULT]\nmy_ip = 10.0.0.1\n[service_catalog]\nendpoint_override = http://10.0.0.1:6385\n\
                    [conductor]\ndeploy_kernel = file:///r/kernel\ndeploy_ramdisk = http://images/ramdisk\n\
                    [auto_discovery]\nenabled = true\ndriver = redfish\n\
                    [corten]\ndhcp = server\ndhcp_networks = 10.0.0.0/24 interface=eth1\n";
        let of = |text: &str| boot(&filed(text)).unwrap().unwrap().files.discovery;
        assert_eq!(of(text), None);
        let discovery = of(&format!("{text}dhcp_others = boot\n")).unwrap();
        assert_eq!(discovery.kernel, Artifact::File("/r/kernel".into()));
        let ramdisk = "http://images/ramdisk".to_owned();
        assert_eq!(discovery.ramdisk, Artifact::Url(ramdisk));
        let callback = "ipa-inspection-callback-url=http://10.0.0.1:6385/v1/continue_inspection";
        assert!(discovery.append.ends_with(callback), "{discovery:?}");
        assert!(!discovery.append.contains("ipa-api-url"));
        let own = text.replace(
            "[corten]",
            "[pxe]\nipxe_fallback_script = own.ipxe\n[corten]",
        );
        assert_eq!(of(&format!("{own}dhcp_others = boot\n")), None);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_name() {
        for (text, word) in [
            ("tftp_listen = 10.0.0.1", "tftp_listen"),
            ("dhcp = proxy", "dhcp_networks"),
            ("dhcp = server\ndhcp_networks = 10.0.0.0/33", "10.0.0.0/33"),
            ("dhcp = proxy\ndhcp_networks = fd00::/64", "no proxy DHCP"),
        ] {
            let refused = boot(&filed(&format!("[corten]\n{text}\n")))
                .unwrap_err()
                .to_string();
            assert!(refused.contains(word), "{refused}");
        }
    }
}
