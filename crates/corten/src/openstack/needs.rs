//! What a configuration needs of the services around it.
//!
//! An option that is written counts; Ironic's defaults do not, since they name services that many
//! sites do not have.

use crate::settings;
use ::openstack::{Service, glance::ImageReference};
use config::{
    Config, Setting,
    choice::{AuthStrategy, ImageSource},
};

/// What is looked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    logins: Vec<(Service, Login)>,
    /// Options that do nothing without a service.
    reasons: Vec<(Service, String)>,
    pub(super) networks: Vec<NamedNetwork>,
    /// Options of networks that machines need, but that are not set.
    pub(super) unset_networks: Vec<&'static str>,
    /// Containers that are made when they are needed.
    pub(super) containers: Vec<String>,
    /// The container that Glance keeps images in, where machines fetch them from it.
    pub(super) image_container: Option<String>,
    /// An option that needs temporary URLs, signed with the key of our account.
    pub(super) temp_urls: Option<&'static str>,
    /// Images that options name: the option, and the id.
    pub(super) images: Vec<(String, String)>,
}

/// Whom a section logs in as, for commands that are printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) user: Option<String>,
    pub(super) project: Option<String>,
    pub(super) region: Option<String>,
}

macro_rules! login {
    ($options:expr) => {{
        let options = $options;
        Login {
            user: (*options.username)
                .clone()
                .or_else(|| (*options.user_id).clone()),
            project: (*options.project_name)
                .clone()
                .or_else(|| (*options.project_id).clone()),
            region: (*options.region_name).clone(),
        }
    }};
}

/// A network that an option names, with its security groups.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NamedNetwork {
    pub(super) option: &'static str,
    pub(super) name: String,
    pub(super) groups: Vec<String>,
}

impl Needs {
    pub(super) fn of(config: &Config) -> Self {
        let mut needs = Self {
            logins: vec![
                (Service::Keystone, login!(&config.keystone_authtoken)),
                (Service::Glance, login!(&config.glance)),
                (Service::Swift, login!(&config.swift)),
                (Service::Neutron, login!(&config.neutron)),
                (Service::Cinder, login!(&config.cinder)),
                (Service::Nova, login!(&config.nova)),
                (Service::Baremetal, login!(&config.service_catalog)),
            ],
            ..Self::default()
        };
        needs.of_access(config);
        needs.of_networks(config);
        needs.of_objects(config);
        needs.of_images(config);
        let storage = &config.default.enabled_storage_interfaces;
        if written(storage, "cinder") {
            needs.add(Service::Cinder, "enabled_storage_interfaces has cinder");
        }
        needs
    }

    /// What a service is needed for.
    pub(super) fn reason(&self, service: Service) -> Option<&str> {
        let mut reasons = self.reasons.iter();
        let reason = reasons.find(|(needed, _)| *needed == service)?;
        Some(&reason.1)
    }

    pub(super) fn login(&self, service: Service) -> Login {
        let mut logins = self.logins.iter();
        let login = logins.find(|(of, _)| *of == service);
        login.map(|(_, login)| login.clone()).unwrap_or_default()
    }

    fn add(&mut self, service: Service, reason: impl Into<String>) {
        self.reasons.push((service, reason.into()));
    }

    fn of_access(&mut self, config: &Config) {
        if settings::auth_strategy(config) == AuthStrategy::Keystone {
            self.add(Service::Keystone, "auth_strategy is keystone");
        }
    }

    fn of_networks(&mut self, config: &Config) {
        let interfaces = &config.default.enabled_network_interfaces;
        let (flat, neutron) = (written(interfaces, "flat"), written(interfaces, "neutron"));
        for (name, is_enabled) in [("flat", flat), ("neutron", neutron)] {
            if is_enabled {
                let reason = format!("enabled_network_interfaces has {name}");
                self.add(Service::Neutron, reason);
            }
        }
        let provider = &config.dhcp.dhcp_provider;
        if provider.is_set() && provider.as_str() == "neutron" {
            self.add(Service::Neutron, "[dhcp]dhcp_provider is neutron");
        }
        let options = &config.neutron;
        let networks = [
            (
                "cleaning_network",
                &options.cleaning_network,
                &options.cleaning_network_security_groups,
                flat || neutron,
            ),
            (
                "provisioning_network",
                &options.provisioning_network,
                &options.provisioning_network_security_groups,
                neutron,
            ),
            (
                "rescuing_network",
                &options.rescuing_network,
                &options.rescuing_network_security_groups,
                false,
            ),
            (
                "inspection_network",
                &options.inspection_network,
                &options.inspection_network_security_groups,
                false,
            ),
            (
                "servicing_network",
                &options.servicing_network,
                &options.servicing_network_security_groups,
                false,
            ),
        ];
        for (option, network, groups, is_needed) in networks {
            match &**network {
                Some(name) => self.networks.push(NamedNetwork {
                    option,
                    name: name.clone(),
                    groups: groups.to_vec(),
                }),
                None if is_needed => self.unset_networks.push(option),
                None => {}
            }
        }
    }

    fn of_objects(&mut self, config: &Config) {
        let (agent, redfish) = (&config.agent, &config.redfish);
        let kept = settings::objects(config);
        let logs = kept.logs.map(|container| container.name);
        let media = redfish
            .use_swift
            .then(|| redfish.swift_container.to_string());
        for (container, option) in [
            (
                kept.config_drives.map(|container| container.name),
                "[deploy]configdrive_use_object_store",
            ),
            (logs, "[agent]deploy_logs_storage_backend"),
            (kept.inspection_data, "[inventory]data_backend"),
            (media, "[redfish]use_swift"),
        ] {
            if let Some(container) = container {
                self.add(Service::Swift, format!("{option} puts objects there"));
                self.containers.push(container);
            }
        }
        let glance = &config.glance;
        let from_swift = *agent.image_download_source == ImageSource::Swift;
        let has_key = glance.swift_temp_url_key.is_some();
        let signed = [
            (
                *config.deploy.configdrive_use_object_store,
                "[deploy]configdrive_use_object_store",
            ),
            (*redfish.use_swift, "[redfish]use_swift"),
            (
                from_swift && !has_key,
                "[agent]image_download_source = swift",
            ),
            (
                *config.pxe.ipxe_use_swift && !has_key,
                "[pxe]ipxe_use_swift",
            ),
        ];
        let mut signed = signed.iter().filter(|(is_needed, _)| *is_needed);
        self.temp_urls = signed.next().map(|(_, option)| *option);
        if from_swift {
            self.add(Service::Swift, "[agent]image_download_source is swift");
            self.add(Service::Glance, "[agent]image_download_source is swift");
            // Images may be in many containers, or in another account.
            let is_one = *glance.swift_store_multiple_containers_seed == 0
                && glance.swift_account.is_none()
                && glance.swift_endpoint_url.is_none();
            self.image_container = is_one.then(|| glance.swift_container.to_string());
        }
    }

    fn of_images(&mut self, config: &Config) {
        let options = &config.conductor;
        for (option, image) in [
            ("deploy_kernel", &options.deploy_kernel),
            ("deploy_ramdisk", &options.deploy_ramdisk),
            ("rescue_kernel", &options.rescue_kernel),
            ("rescue_ramdisk", &options.rescue_ramdisk),
            ("bootloader", &options.bootloader),
        ] {
            if let Some(image) = &**image {
                self.image(option.to_owned(), image);
            }
        }
        for (option, images) in [
            ("deploy_kernel_by_arch", &options.deploy_kernel_by_arch),
            ("deploy_ramdisk_by_arch", &options.deploy_ramdisk_by_arch),
            ("rescue_kernel_by_arch", &options.rescue_kernel_by_arch),
            ("rescue_ramdisk_by_arch", &options.rescue_ramdisk_by_arch),
            ("bootloader_by_arch", &options.bootloader_by_arch),
        ] {
            for (arch, image) in images.iter() {
                self.image(format!("{option} ({arch})"), image);
            }
        }
    }

    fn image(&mut self, option: String, image: &str) {
        if let ImageReference::Glance(id) = ImageReference::read(image) {
            self.add(
                Service::Glance,
                format!("[conductor]{option} is one of its images"),
            );
            self.images.push((option, id));
        }
    }
}

/// Whether somebody wrote this name into a list.
fn written(list: &Setting<Vec<String>>, name: &str) -> bool {
    list.is_set() && list.iter().any(|entry| entry == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Sources;

    fn needs(sets: &[&str]) -> Needs {
        let sources = Sources {
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
            ..Sources::default()
        };
        Needs::of(&Config::load(sources).unwrap().0)
    }

    #[test]
    fn what_is_written_says_which_services_are_needed() {
        let open = "DEFAULT.auth_strategy=noauth";
        // As the service starts without a file.
        assert_eq!(needs(&[]).reasons, vec![]);
        let nothing = needs(&[open]);
        assert_eq!((&nothing.reasons, &nothing.networks), (&vec![], &vec![]));
        assert_eq!((&nothing.containers, nothing.temp_urls), (&vec![], None));
        let image = "38982591-be80-42a3-85a5-9d43d0e9c8ec";
        let needs = needs(&[
            open,
            "DEFAULT.enabled_network_interfaces=neutron,noop",
            "DEFAULT.enabled_storage_interfaces=cinder",
            "neutron.cleaning_network=cleaning",
            "neutron.cleaning_network_security_groups=g1,g2",
            "deploy.configdrive_use_object_store=true",
            "agent.image_download_source=swift",
            "glance.swift_temp_url_key=k",
            &format!("conductor.deploy_kernel={image}"),
            "conductor.deploy_ramdisk=http://h/ramdisk",
        ]);
        for service in [
            Service::Neutron,
            Service::Cinder,
            Service::Swift,
            Service::Glance,
        ] {
            assert!(needs.reason(service).is_some(), "{service}");
        }
        assert_eq!(needs.reason(Service::Keystone), None);
        assert_eq!(
            needs.networks,
            [NamedNetwork {
                option: "cleaning_network",
                name: "cleaning".into(),
                groups: vec!["g1".into(), "g2".into()],
            }]
        );
        assert_eq!(needs.unset_networks, ["provisioning_network"]);
        assert_eq!(needs.containers, ["ironic_configdrive_container"]);
        assert_eq!(needs.image_container.as_deref(), Some("glance"));
        let option = "[deploy]configdrive_use_object_store";
        assert_eq!(needs.temp_urls, Some(option));
        assert_eq!(needs.images, [("deploy_kernel".into(), image.into())]);
    }
}
