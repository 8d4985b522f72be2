//! How ramdisks find this service, and how the agents in them are talked to.

use super::SettingsError;
use ::conductor::{CollectLogs, IscsiDeploySettings, RamdiskSettings};
use config::{
    Config,
    choice::{BootMode, LogCollection},
};
use drivers::agent::client::ClientSettings;
use types::internal_info::Erasure;

pub(super) fn ramdisk(config: &Config) -> Result<RamdiskSettings, SettingsError> {
    let (agent, deploy) = (&config.agent, &config.deploy);
    let number = |n: i64| u32::try_from(n.max(0)).unwrap_or(u32::MAX);
    let erasure = Erasure {
        iterations: Some((*deploy.shred_random_overwrite_iterations).into()),
        zeroize: Some(*deploy.shred_final_overwrite_with_zeros),
        continue_if_secure_erase_failed: Some(*deploy.continue_if_disk_secure_erase_fails),
        ata_secure_erase: Some(*deploy.enable_ata_secure_erase),
        nvme_secure_erase: Some(*deploy.enable_nvme_secure_erase),
        // Ironic has no option for it.
        discard: None,
        concurrency: Some((*deploy.disk_erasure_concurrency).into()),
        skip_read_only: Some(*deploy.erase_skip_read_only),
    };
    let clean_priorities = [
        ("deploy.erase_devices", &deploy.erase_devices_priority),
        (
            "deploy.erase_devices_metadata",
            &deploy.erase_devices_metadata_priority,
        ),
        (
            "raid.delete_configuration",
            &deploy.delete_configuration_priority,
        ),
        (
            "raid.create_configuration",
            &deploy.create_configuration_priority,
        ),
    ];
    Ok(RamdiskSettings {
        api_url: Some(api_url(config)),
        api_in_catalogue: is_in_catalogue(config),
        manages_boot: *agent.manage_agent_boot,
        client: ClientSettings {
            timeout: agent.command_timeout.duration(),
            attempts: number(*agent.max_command_attempts).max(1),
            wait_attempts: number(*agent.command_wait_attempts),
            wait_interval: agent.command_wait_interval.duration(),
            verify: agent.verify_ca.trust(),
            outbound: super::outbound::outbound(config)?,
            spoken: super::image::spoken(
                *agent.tls_minimum_version,
                &agent.tls_ciphers,
                "[agent]tls_ciphers",
            )?,
        },
        debug: *config.default.debug,
        default_uefi: *deploy.default_boot_mode == BootMode::Uefi,
        fast_track_timeout: deploy.fast_track_timeout.duration(),
        stream_raw_images: *agent.stream_raw_images,
        power_off_looks: number(*agent.post_deploy_get_power_state_retries),
        power_off_pause: agent.post_deploy_get_power_state_retry_interval.duration(),
        kexec: *config.corten.kexec,
        logs: match *agent.deploy_logs_collect {
            LogCollection::Always => CollectLogs::Always,
            LogCollection::OnFailure => CollectLogs::OnFailure,
            LogCollection::Never => CollectLogs::Never,
        },
        logs_folder: (*agent.deploy_logs_local_path).clone(),
        off_after_failure: *deploy.power_off_after_deploy_failure,
        clean_priorities: clean_priorities
            .into_iter()
            .filter_map(|(step, priority)| Some((step.to_owned(), (**priority)?)))
            .collect(),
        erasure,
        iscsi: IscsiDeploySettings {
            portal_port: *config.iscsi.portal_port,
            verify_attempts: *config.iscsi.verify_attempts,
            efi_mib: (*config.disk_utils.efi_system_partition_size).into(),
            boot_option: super::image::boot_option(config),
            ..IscsiDeploySettings::default()
        },
    })
}

/// Whether the service catalogue says where agents reach the API: where there is a login for it, and
/// no address is written.
fn is_in_catalogue(config: &Config) -> bool {
    let section = &config.service_catalog;
    let logs_in = section
        .auth_type
        .as_deref()
        .is_some_and(|kind| kind != "none");
    logs_in && section.endpoint_override.is_none() && section.endpoint.is_none()
}

/// Where agents reach the API: as written, or where this host says it is.
pub(super) fn api_url(config: &Config) -> String {
    let written = config
        .service_catalog
        .endpoint_override
        .as_ref()
        .map(ToString::to_string)
        .or_else(|| config.api.public_endpoint.as_ref().map(ToString::to_string));
    let url = written.unwrap_or_else(|| {
        let scheme = if *config.api.enable_ssl_api {
            "https"
        } else {
            "http"
        };
        let ip = *config.default.my_ip;
        let host = if ip.is_ipv6() {
            format!("[{ip}]")
        } else {
            ip.to_string()
        };
        format!("{scheme}://{host}:{}", *config.api.port)
    });
    url.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn agents_are_told_what_is_written_or_where_this_host_is() {
        for (file, url) in [
            ("[DEFAULT]\nmy_ip = 10.0.0.1\n", "http://10.0.0.1:6385"),
            ("[DEFAULT]\nmy_ip = fd00::1\n", "http://[fd00::1]:6385"),
            (
                "[service_catalog]\nendpoint_override = https://api.example/bm/\n",
                "https://api.example/bm",
            ),
        ] {
            assert_eq!(api_url(&filed(file)), url);
        }
    }

    #[test]
    fn the_catalogue_is_asked_where_there_is_a_login_and_no_address() {
        let login = "[service_catalog]\nauth_type = password\n";
        let addressed = format!("{login}endpoint_override = http://api\n");
        for (file, expected) in [
            (login, true),
            (addressed.as_str(), false),
            ("[service_catalog]\nauth_type = none\n", false),
            ("", false),
        ] {
            assert_eq!(is_in_catalogue(&filed(file)), expected, "{file}");
        }
    }

    #[test]
    fn only_written_priorities_replace_the_agents_own() {
        let settings = ramdisk(&filed("[deploy]\nerase_devices_priority = 0\n")).unwrap();
        assert_eq!(
            settings.clean_priorities,
            [("deploy.erase_devices".to_owned(), 0)]
        );
    }
}
