//! Which images of Glance are used, and where Glance keeps them in Swift.

use ::openstack::{Secret, glance::access::AccessRules, swift::image_store::ImageStoreSettings};
use config::Config;
use drivers::glance::GlanceSettings;

pub(super) fn glance(config: &Config) -> GlanceSettings {
    let (general, options) = (&config.default, &config.glance);
    let key = options.swift_temp_url_key.as_ref();
    GlanceSettings {
        access: AccessRules {
            allow_via_auth_token: *general.allow_image_access_via_auth_token,
            ignore_project_for_admins: *general.ignore_project_check_for_admin_tasks,
        },
        reads_files: options
            .allowed_direct_url_schemes
            .iter()
            .any(|scheme| scheme == "file"),
        store: ImageStoreSettings {
            temp_url_key: key.map(|key| Secret::new(key.expose())),
            temp_url_duration: options.swift_temp_url_duration.duration(),
            temp_url_cache_enabled: *options.swift_temp_url_cache_enabled,
            expected_download_start_delay: options
                .swift_temp_url_expected_download_start_delay
                .duration(),
            endpoint_url: options.swift_endpoint_url.as_ref().map(ToString::to_string),
            api_version: options.swift_api_version.to_string(),
            account: (*options.swift_account).clone(),
            account_prefix: options.swift_account_prefix.to_string(),
            container: options.swift_container.to_string(),
            multiple_containers_seed: u8::try_from(*options.swift_store_multiple_containers_seed)
                .unwrap_or(u8::MAX),
        },
        ipxe_from_swift: *config.pxe.ipxe_use_swift,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Sources;
    use std::time::Duration;

    #[test]
    fn options_reach_the_client() {
        let sets = [
            "glance.allowed_direct_url_schemes=file",
            "glance.swift_temp_url_key=secret",
            "glance.swift_temp_url_duration=60",
            "glance.swift_store_multiple_containers_seed=3",
            "DEFAULT.ignore_project_check_for_admin_tasks=false",
            "pxe.ipxe_use_swift=true",
        ];
        let sources = Sources {
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
            ..Sources::default()
        };
        let (config, _) = Config::load(sources).unwrap();
        let read = glance(&config);
        assert!(read.reads_files && read.ipxe_from_swift);
        assert!(!read.access.ignore_project_for_admins && !read.access.allow_via_auth_token);
        let key = read.store.temp_url_key.as_ref().map(Secret::expose);
        assert_eq!(key, Some("secret"));
        assert_eq!(read.store.temp_url_duration, Duration::from_secs(60));
        assert_eq!(read.store.multiple_containers_seed, 3);
        assert!(!format!("{read:?}").contains("\"secret\""));
    }
}
