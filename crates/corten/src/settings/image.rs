//! Where images come from, where they are kept, and which of them are taken.

use super::SettingsError;
use ::boot::dnsmasq::Dnsmasq;
use ::conductor::{Download, ImageSettings};
use ::image::{
    Format,
    inspect::Rules,
    library::LibrarySettings,
    source::{Credentials, FileRules, HttpSettings},
    store::{Shelf, StoreSettings, address},
};
use config::{
    Config, Setting, Url,
    choice::{BootMode, ImageServerAuth, ImageSource, InstanceParams, TlsVersion},
};
use drivers::{
    BootImageSettings, BootOption, NetbootSettings,
    boot_image::{Configured, InstanceParameters},
    redfish::{DiscContainer, DiscSettings},
};
use std::{collections::BTreeMap, path::PathBuf, time::Duration};
use tls::{Oldest, Spoken};

/// Folders in the data folder that are for what operators put there: images, and the ramdisk that
/// machines are deployed with.
const IMAGES: &str = "images";
pub const RAMDISK: &str = "ramdisk";

/// The caches of images.
pub fn images(config: &Config) -> Result<StoreSettings, SettingsError> {
    let (general, pxe, deploy) = (&config.default, &config.pxe, &config.deploy);
    let conductor = &config.conductor;
    let shelf = |name: &str, folder: &PathBuf, mebibytes: i64, minutes: i64| {
        if folder.as_os_str().is_empty() {
            // Nothing is to be kept. What is fetched is still put together somewhere.
            return Shelf {
                folder: config.corten.data_dir.join("cache").join(name),
                most_bytes: 0,
                ttl: Duration::ZERO,
            };
        }
        let positive = |number: i64| u64::try_from(number).unwrap_or(0);
        Shelf {
            folder: folder.clone(),
            most_bytes: positive(mebibytes).saturating_mul(1 << 20),
            ttl: Duration::from_secs(positive(minutes).saturating_mul(60)),
        }
    };
    let of_pxe = |name, folder| shelf(name, folder, *pxe.image_cache_size, *pxe.image_cache_ttl);
    let allowed = conductor.file_url_allowed_paths.iter();
    let mut allowed: Vec<PathBuf> = allowed.map(|path| path.as_path().to_owned()).collect();
    if !conductor.file_url_allowed_paths.is_set() {
        // Not the whole data folder, where the keys are.
        allowed.extend([IMAGES, RAMDISK].map(|name| config.corten.data_dir.join(name)));
    }
    Ok(StoreSettings {
        boot: of_pxe("boot", &pxe.tftp_master_path),
        instance: of_pxe("instance", &pxe.instance_master_path),
        iso: shelf(
            "iso",
            &deploy.iso_master_path,
            *deploy.iso_cache_size,
            *deploy.iso_cache_ttl,
        ),
        library: LibrarySettings {
            folder: library(config),
            most_bytes: u64::from(*config.corten.image_store_max_size) << 20,
        },
        http: HttpSettings {
            outbound: super::outbound::outbound(config)?,
            operators: operators(config),
            ..http(config)?
        },
        files: FileRules {
            allowed,
            excluded: kept(config),
            data: Some((*config.corten.data_dir).clone()),
            operators: operators(config)
                .iter()
                .filter_map(|href| address(href).ok())
                .collect(),
        },
        reserve: u64::from(*config.corten.image_disk_reserve) << 20,
        downloads: usize::try_from(*general.image_download_concurrency).unwrap_or(1),
        growth: *general.raw_image_growth_factor,
        rules: Rules {
            permitted: formats(config)?,
            deep: !*conductor.disable_deep_image_inspection,
        },
        unpack: !*conductor.disable_zstandard_decompression,
    })
}

/// Where images with names are kept.
pub(super) fn library(config: &Config) -> PathBuf {
    let folder = config.corten.image_store_path.as_ref().cloned();
    folder.unwrap_or_else(|| config.corten.data_dir.join("image-store"))
}

fn http(config: &Config) -> Result<HttpSettings, SettingsError> {
    let general = &config.default;
    let timeout = general.webserver_connection_timeout.duration();
    Ok(HttpSettings {
        trust: general.webserver_verify_ca.trust(),
        spoken: spoken(
            *general.webserver_tls_minimum_version,
            &general.webserver_tls_ciphers,
            "[DEFAULT]webserver_tls_ciphers",
        )?,
        credentials: credentials(config),
        connect_timeout: timeout,
        read_timeout: timeout,
        verify_timeout: general.webserver_verify_timeout.duration(),
        ..HttpSettings::default()
    })
}

fn credentials(config: &Config) -> Option<Credentials> {
    let deploy = &config.deploy;
    let user = (*deploy.image_server_user).clone();
    let password = deploy.image_server_password.as_ref();
    match (user, password) {
        (Some(user), Some(password))
            if *deploy.image_server_auth_strategy == ImageServerAuth::HttpBasic =>
        {
            let hosts: Vec<String> = deploy.image_server_auth_hosts.to_vec();
            // Hosts that are named are the only ones, whatever is said about unknown ones.
            let somebody = !hosts.is_empty() || *deploy.image_server_auth_permit_unknown_hosts;
            somebody.then(|| Credentials {
                user,
                password: password.expose().to_owned(),
                hosts,
            })
        }
        _ => None,
    }
}

/// Where copies of images and keys are, whatever folders they are in.
fn kept(config: &Config) -> Vec<PathBuf> {
    let (pxe, deploy) = (&config.pxe, &config.deploy);
    let caches = [
        &pxe.tftp_master_path,
        &pxe.instance_master_path,
        &deploy.iso_master_path,
        &pxe.images_path,
    ];
    let caches = caches.into_iter().map(|path| (**path).clone());
    let others = [
        Some(library(config)),
        Some(super::key_file(config)),
        (*config.corten.cluster_secret_file).clone(),
    ];
    let all = caches.chain(others.into_iter().flatten());
    all.filter(|path| !path.as_os_str().is_empty()).collect()
}

/// Addresses that the configuration names itself.
fn operators(config: &Config) -> Vec<String> {
    let conductor = &config.conductor;
    let single = [
        &conductor.deploy_kernel,
        &conductor.deploy_ramdisk,
        &conductor.rescue_kernel,
        &conductor.rescue_ramdisk,
        &conductor.bootloader,
    ];
    let by_arch = [
        &conductor.deploy_kernel_by_arch,
        &conductor.deploy_ramdisk_by_arch,
        &conductor.rescue_kernel_by_arch,
        &conductor.rescue_ramdisk_by_arch,
        &conductor.bootloader_by_arch,
    ];
    let single = single.into_iter().filter_map(|value| (**value).clone());
    let by_arch = by_arch
        .into_iter()
        .flat_map(|table| table.values().cloned());
    single.chain(by_arch).collect()
}

/// TLS versions and ciphers from options of the form `…tls_minimum_version` and `…tls_ciphers`.
pub(super) fn spoken(
    minimum: TlsVersion,
    ciphers: &Setting<Option<String>>,
    option: &'static str,
) -> Result<Spoken, SettingsError> {
    let spoken = Spoken {
        oldest: match minimum {
            TlsVersion::V1_2 => Oldest::V12,
            TlsVersion::V1_3 => Oldest::V13,
        },
        ciphers: (**ciphers).clone(),
    };
    spoken.check().map_err(|source| SettingsError::Ciphers {
        place: ciphers.source().clone(),
        option,
        source,
    })?;
    Ok(spoken)
}

fn formats(config: &Config) -> Result<Vec<Format>, SettingsError> {
    let option = &config.conductor.permitted_image_formats;
    let names = option.iter().map(|name| {
        name.trim().parse().map_err(|_| SettingsError::Image {
            place: option.source().clone(),
            option: "permitted_image_formats",
            reason: format!("unknown image format '{name}'"),
        })
    });
    names.collect()
}

/// What machines boot that name nothing themselves.
/// Where instances get their kernels that do not say.
pub(super) fn boot_option(config: &Config) -> BootOption {
    match *config.deploy.default_boot_option {
        config::choice::BootOption::Local => BootOption::Local,
        config::choice::BootOption::Netboot => BootOption::Network,
    }
}

pub(super) fn boot_images(config: &Config) -> BootImageSettings {
    let conductor = &config.conductor;
    BootImageSettings {
        deploy: Configured {
            kernel: (*conductor.deploy_kernel).clone(),
            ramdisk: (*conductor.deploy_ramdisk).clone(),
            kernel_by_arch: (*conductor.deploy_kernel_by_arch).clone(),
            ramdisk_by_arch: (*conductor.deploy_ramdisk_by_arch).clone(),
        },
        rescue: Configured {
            kernel: (*conductor.rescue_kernel).clone(),
            ramdisk: (*conductor.rescue_ramdisk).clone(),
            kernel_by_arch: (*conductor.rescue_kernel_by_arch).clone(),
            ramdisk_by_arch: (*conductor.rescue_ramdisk_by_arch).clone(),
        },
        strict: *conductor.error_on_ramdisk_config_inconsistency,
        automated_clean: *conductor.automated_clean,
        boot_option: boot_option(config),
        instance_parameters: match *config.corten.instance_params_for_ramdisk {
            InstanceParams::Never => InstanceParameters::Never,
            InstanceParams::Checked => InstanceParameters::Checked,
            InstanceParams::Always => InstanceParameters::Always,
        },
    }
}

/// How machines boot from virtual media.
pub(super) fn discs(config: &Config) -> DiscSettings {
    let (general, deploy, conductor) = (&config.default, &config.deploy, &config.conductor);
    let paths = |table: &BTreeMap<String, String>| {
        let pairs = table.iter();
        pairs
            .map(|(arch, path)| (arch.clone(), PathBuf::from(path)))
            .collect()
    };
    DiscSettings {
        http_root: (*deploy.http_root).clone(),
        url: plain(&deploy.external_http_url).or_else(|| plain(&deploy.http_url)),
        callback_url: plain(&deploy.external_callback_url),
        append: config.redfish.kernel_append_params.to_string(),
        file_mode: *config.redfish.file_permission,
        dir_mode: *config.pxe.dir_permission,
        default_uefi: *deploy.default_boot_mode == BootMode::Uefi,
        force_dhcp: *config.inspector.force_dhcp,
        ca_file: (*config.agent.api_ca_file).clone(),
        bootloader: (*conductor.bootloader).clone(),
        bootloader_by_arch: (*conductor.bootloader_by_arch).clone(),
        esp_image: (*general.esp_image).clone(),
        grub_by_arch: paths(&config.corten.grub_by_arch),
        shim_by_arch: paths(&config.corten.shim_by_arch),
        grub_config_path: general.grub_config_path.to_string(),
        grub_template: (*general.grub_config_template).clone(),
        isolinux: (*general.isolinux_bin).clone(),
        isolinux_template: (*general.isolinux_config_template).clone(),
        ldlinux: (*general.ldlinux_c32).clone(),
        local: *deploy.ramdisk_image_download_source == ImageSource::Local,
        swift: config.redfish.use_swift.then(|| DiscContainer {
            name: config.redfish.swift_container.to_string(),
            lifetime: config.redfish.swift_object_expiry_timeout.duration(),
        }),
    }
}

/// An address without the slash at its end.
fn plain(url: &Option<Url>) -> Option<String> {
    let text = url.as_ref()?.as_str().trim_end_matches('/');
    Some(text.to_owned())
}

/// How the images of instances reach their agents.
pub(super) fn publishing(config: &Config) -> ImageSettings {
    let (pxe, deploy) = (&config.pxe, &config.deploy);
    ImageSettings {
        download: match *config.agent.image_download_source {
            ImageSource::Http => Download::Http,
            ImageSource::Local => Download::Local,
            ImageSource::Swift => Download::Swift,
        },
        raw: *config.default.force_raw_images && *config.agent.stream_raw_images,
        folder: (*pxe.images_path).clone(),
        http_root: (*deploy.http_root).clone(),
        subdir: deploy.http_image_subdir.to_string(),
        http_url: plain(&deploy.http_url),
        allow_md5: *config.agent.allow_md5_checksum,
        checksum_files: !*config.conductor.disable_support_for_checksum_files,
        ephemeral_format: pxe.default_ephemeral_format.to_string(),
        always_validate: *config.conductor.conductor_always_validates_images,
        agent_memory: u64::try_from(*config.agent.memory_consumed_by_agent).unwrap_or(0),
        credentials: credentials(config),
        peers: *config.corten.image_peers,
        registry_logins: (*config.oci.authentication_config).clone(),
    }
}

/// How machines boot from the network.
pub(super) fn netboot(config: &Config) -> NetbootSettings {
    let dnsmasq = &config.dnsmasq;
    NetbootSettings {
        append: config.pxe.kernel_append_params.to_string(),
        fallback: *config.pxe.enable_netboot_fallback,
        default_uefi: *config.deploy.default_boot_mode == BootMode::Uefi,
        dnsmasq: (config.dhcp.dhcp_provider.as_str() == "dnsmasq").then(|| Dnsmasq {
            options_dir: (*dnsmasq.dhcp_optsdir).clone(),
            hosts_dir: (*dnsmasq.dhcp_hostsdir).clone(),
            lease_file: (*dnsmasq.dhcp_leasefile).clone(),
        }),
        // It is known where the clients of other services are made.
        neutron: None,
        kickstart_template: (*config.anaconda.default_ks_template).clone(),
        insecure_heartbeat: *config.anaconda.insecure_heartbeat,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn options_become_settings() {
        let config = filed(
            "[pxe]\ntftp_master_path = /t\ninstance_master_path =\nimage_cache_size = 2\n\
             image_cache_ttl = 3\n[deploy]\niso_cache_size = 5\nimage_server_user = u\n\
             image_server_password = p\nimage_server_auth_strategy = http_basic\n\
             image_server_auth_permit_unknown_hosts = false\nimage_server_auth_hosts = h\n\
             [conductor]\nfile_url_allowed_paths = /a,/b\npermitted_image_formats = raw,vmdk\n\
             deploy_kernel = /k\ndeploy_kernel_by_arch = aarch64:/ka\n\
             [DEFAULT]\nwebserver_verify_ca = false\n[corten]\ndata_dir = /d\n\
             [dhcp]\ndhcp_provider = dnsmasq\n",
        );
        let settings = images(&config).unwrap();
        assert_eq!(settings.boot.folder, PathBuf::from("/t"));
        assert_eq!(settings.boot.most_bytes, 2 << 20);
        assert_eq!(settings.boot.ttl, Duration::from_secs(180));
        assert_eq!(settings.instance.folder, PathBuf::from("/d/cache/instance"));
        assert_eq!(settings.instance.most_bytes, 0);
        assert_eq!(settings.iso.most_bytes, 5 << 20);
        assert_eq!(settings.http.trust, tls::Trust::Anyone);
        assert_eq!(settings.http.credentials.unwrap().hosts, ["h"]);
        assert_eq!(settings.files.allowed.len(), 2);
        assert_eq!(settings.rules.permitted, [Format::Raw, Format::Vmdk]);
        let boot = boot_images(&config);
        assert_eq!(boot.deploy.kernel.as_deref(), Some("/k"));
        assert_eq!(boot.deploy.kernel_by_arch["aarch64"], "/ka");
        assert!(boot.automated_clean && netboot(&config).dnsmasq.is_some());
    }

    #[test]
    fn tls_with_image_servers_is_as_old_as_operators_allow() {
        let spoken = |text: &str| http(&filed(text)).map(|settings| settings.spoken);
        assert_eq!(spoken("[DEFAULT]\n").unwrap().oldest, Oldest::V13);
        let unknown = "[DEFAULT]\nwebserver_tls_ciphers = RC4-MD5\n";
        let refused = spoken(unknown).unwrap_err().to_string();
        assert!(
            refused.contains(":2: [DEFAULT]webserver_tls_ciphers"),
            "{refused}"
        );
        let spoken = spoken(
            "[DEFAULT]\nwebserver_tls_minimum_version = 1.2\nwebserver_tls_ciphers = AES256\n",
        )
        .unwrap();
        assert_eq!(spoken.oldest, Oldest::V12);
        assert_eq!(spoken.ciphers.as_deref(), Some("AES256"));
    }

    #[test]
    fn credentials_go_to_named_hosts_only_if_any_is_named() {
        let account = "[deploy]\nimage_server_user = u\nimage_server_password = p\n\
                       image_server_auth_strategy = http_basic\n";
        let for_address = |more: &str, href: &str| {
            let credentials = credentials(&filed(&format!("{account}{more}")));
            credentials.is_some_and(|own| own.are_for_address(href))
        };
        let named = "image_server_auth_hosts = images.example,.safe.example\n";
        for unknown in ["true", "false"] {
            let file = format!("{named}image_server_auth_permit_unknown_hosts = {unknown}\n");
            assert!(for_address(&file, "https://images.example:8443/i"));
            assert!(for_address(&file, "https://a.safe.example/i"));
            assert!(!for_address(&file, "https://elsewhere.example/i"));
            assert!(!for_address(&file, "https://safe.example/i"));
        }
        assert!(for_address("", "https://elsewhere.example/i"));
        let nobody = "image_server_auth_permit_unknown_hosts = false\n";
        assert!(!for_address(nobody, "https://images.example/i"));
    }

    #[test]
    fn a_format_that_nobody_knows_is_refused_with_its_place() {
        let config = filed("[conductor]\npermitted_image_formats = raw,tape\n");
        let refused = images(&config).unwrap_err().to_string();
        assert!(refused.contains("unknown image format 'tape'"), "{refused}");
    }
}
