//! What is to be served, found to be sound, with nothing opened yet but the files of users,
//! certificates and secrets.

use crate::{
    db::DatabaseConfig,
    listen::{Certificate, Limits},
    settings::{self, Access, Address, Cluster, Notifications, SettingsError},
};
use anyhow::Context;
use config::Config;
use drivers::{Registry, RegistrySettings, boot_image::Configured};
use std::{path::Path, sync::Arc};

/// Which parts of the service are in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    All,
    Api,
    Conductor,
}

pub(crate) struct Plan {
    pub(super) front: Option<Front>,
    pub(super) back: Option<Back>,
    pub(super) cluster: Option<Cluster>,
    pub(super) notifications: Option<Notifications>,
    pub(super) database: DatabaseConfig,
}

/// The API.
pub(super) struct Front {
    pub(super) access: Access,
    pub(super) address: Address,
    pub(super) limits: Limits,
    pub(super) certificate: Option<Certificate>,
    pub(super) api: api::Settings,
    pub(super) inventories: Option<Arc<dyn api::InventoryArchive>>,
    /// Whether there is a web page.
    pub(super) has_page: bool,
}

/// The conductor and what it hands out to machines.
pub(super) struct Back {
    pub(super) conductor: conductor::Settings,
    pub(super) hardware: RegistrySettings,
    pub(super) boot: Option<boot::Settings>,
    pub(super) images: image::store::StoreSettings,
}

impl Plan {
    pub(crate) fn new(config: &Config, role: Role) -> anyhow::Result<Self> {
        config.check_served()?;
        let cluster = settings::cluster(config)?;
        if role != Role::All && cluster.is_none() {
            return Err(SettingsError::NoCluster(ALONE).into());
        }
        if let Some(remark) = settings::notification_remark(config) {
            tracing::warn!("{remark}");
        }
        let back = match role {
            Role::All | Role::Conductor => Some(Back::new(config)?),
            Role::Api => None,
        };
        let services = back
            .as_ref()
            .and_then(|back| back.hardware.openstack.clone());
        Ok(Self {
            front: match role {
                Role::All | Role::Api => Some(Front::new(config, role, services)?),
                Role::Conductor => None,
            },
            back,
            cluster,
            notifications: settings::notifications(config)?,
            database: DatabaseConfig::of(config)?,
        })
    }
}

impl Plan {
    /// Whether the hardware types and interfaces that are enabled fit together.
    pub(crate) fn check_hardware(&self) -> anyhow::Result<()> {
        if let Some(back) = &self.back {
            Registry::new(&back.hardware)?;
        }
        Ok(())
    }
}

const ALONE: &str = "an API or a conductor by itself needs others: set cluster_secret_file (or \
    cluster_secret) in [corten] and a [database]connection on a server, the same for all of them; \
    'corten serve' needs neither";

impl Front {
    pub(super) fn new(
        config: &Config,
        role: Role,
        services: Option<Arc<openstack::Services>>,
    ) -> anyhow::Result<Self> {
        let access = settings::access(config)?;
        if matches!(access, Access::Keystone(_)) {
            for remark in settings::keystone_remarks(config) {
                tracing::warn!("{remark}");
            }
        }
        let mut api = settings::api(config, &access)?;
        if role == Role::Api {
            api.role = "api".to_owned();
        }
        for warning in api.policy.warnings() {
            tracing::warn!("policy: {warning}");
        }
        Ok(Self {
            address: settings::address(config),
            limits: settings::limits(config),
            certificate: settings::tls(config)?
                .map(Certificate::open)
                .transpose()
                .context("cannot set up HTTPS")?,
            inventories: crate::inventory::archive(config, services)?,
            has_page: *config.corten.ui,
            api,
            access,
        })
    }
}

impl Back {
    fn new(config: &Config) -> anyhow::Result<Self> {
        let mut hardware = settings::with_drivers(settings::hardware(config)?, config)?;
        let built = config.corten.data_dir.join(settings::RAMDISK);
        deploy_with(&mut hardware.boot_images.deploy, &built);
        Ok(Self {
            conductor: settings::conductor(config)?,
            hardware,
            boot: settings::boot(config)?,
            images: settings::images(config)?,
        })
    }
}

/// Takes the ramdisk that was built into this folder where the configuration names none.
#[expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]
fn deploy_with(configured: &mut Configured, built: &Path) {
    let (kernel, ramdisk) = (built.join("kernel"), built.join("initramfs"));
    if configured.kernel.is_some() || configured.ramdisk.is_some() {
        return;
    }
    if kernel.is_file() && ramdisk.is_file() {
        let url = |path: &Path| Some(format!("file://{}", path.display()));
        configured.kernel = url(&kernel);
        configured.ramdisk = url(&ramdisk);
        tracing::info!("using the deploy ramdisk in {}", built.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Sources;

    fn refusal(role: Role, sets: &[&str]) -> String {
        let sources = Sources {
            sets: sets.iter().map(|&set| set.to_owned()).collect(),
            ..Sources::default()
        };
        let (config, _) = Config::load(sources).unwrap();
        match Plan::new(&config, role) {
            Ok(_) => panic!("{role:?} is not refused"),
            Err(error) => error.to_string(),
        }
    }

    /// What stands in documents and packages can be served as it is, and writes nowhere but below
    /// the data folder: the units allow nothing else.
    #[test]
    fn configurations_that_we_hand_out_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("htpasswd");
        std::fs::write(
            &users,
            "admin:$2y$05$mWv6lB5KyBdbQ9bb8uOeJOVnFg2m9RMXxYjDmTmSu.VvTXUqcAXs.\n",
        )
        .unwrap();
        let boot = include_str!("../../../../docs/operate/boot.md");
        let (_, example) = boot.split_once("## A complete example").unwrap();
        let (_, example) = example.split_once("```ini\n").unwrap();
        let (example, _) = example.split_once("```").unwrap();
        let packaged = include_str!("../../../../packaging/corten.conf");
        for (name, text) in [("boot.md", example), ("corten.conf", packaged)] {
            let file = folder.path().join(name);
            let text = text.replace("/etc/corten/htpasswd", users.to_str().unwrap());
            std::fs::write(&file, text).unwrap();
            let sources = Sources {
                files: vec![file],
                ..Sources::default()
            };
            let (config, warnings) = Config::load(sources).unwrap();
            assert!(warnings.is_empty(), "{name}: {warnings:?}");
            let back = Plan::new(&config, Role::All).unwrap().back.unwrap();
            drivers::Registry::new(&back.hardware).unwrap();
            let data = Path::new("/var/lib/corten");
            let mut written = vec![
                back.images.boot.folder.clone(),
                back.images.instance.folder.clone(),
                back.images.iso.folder.clone(),
                back.conductor.images.folder.clone(),
            ];
            // Without boot services no files are written.
            if let Some(boot) = &back.boot {
                written.push(boot.files.tftp_root.clone());
                written.push(boot.files.http_root.clone());
            }
            assert_eq!(back.boot.is_some(), name == "boot.md");
            for path in written {
                assert!(path.starts_with(data), "{name}: {}", path.display());
            }
            // What operators put there is kept apart from what the service makes and takes away.
            let own = &back.conductor.images.folder;
            let mut allowed = back.images.files.allowed.iter();
            assert!(!allowed.any(|allowed| own.starts_with(allowed)), "{name}");
        }
    }

    /// The first block of a page that begins like this.
    fn block<'a>(page: &'a str, heading: &str) -> &'a str {
        let (_, rest) = page.split_once(heading).unwrap();
        let (_, rest) = rest.split_once("```ini\n").unwrap();
        rest.split_once("```").unwrap().0
    }

    /// The smallest file of the reference serves what it says, and so do the pages of hardware, whose
    /// files only add to it.
    #[test]
    fn files_of_the_documentation_serve_the_hardware_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let users = folder.path().join("htpasswd");
        std::fs::write(
            &users,
            "admin:$2y$05$mWv6lB5KyBdbQ9bb8uOeJOVnFg2m9RMXxYjDmTmSu.VvTXUqcAXs.\n",
        )
        .unwrap();
        let reference = include_str!("../../../../docs/reference/configuration.md");
        let (page, rest) = reference
            .split_once("The smallest file that starts")
            .unwrap();
        assert!(page.ends_with("what remains serves `ipmi` and `redfish`. "));
        let smallest = block(rest, ":");
        let smallest = smallest.replace("/etc/corten/htpasswd", users.to_str().unwrap());
        let ipmi = block(include_str!("../../../../docs/hardware/ipmi.md"), "# IPMI");
        let redfish = block(
            include_str!("../../../../docs/hardware/redfish.md"),
            "# Redfish",
        );
        for (name, more, served) in [
            ("smallest", "", ["ipmi", "redfish"]),
            ("ipmi", ipmi, ["ipmi", "redfish"]),
            ("redfish", redfish, ["redfish", "idrac"]),
        ] {
            let file = folder.path().join(name);
            // Both are about [DEFAULT].
            std::fs::write(
                &file,
                format!("{smallest}{}", more.replace("[DEFAULT]\n", "")),
            )
            .unwrap();
            let sources = Sources {
                files: vec![file],
                ..Sources::default()
            };
            let (config, warnings) = Config::load(sources).unwrap();
            assert!(warnings.is_empty(), "{name}: {warnings:?}");
            let back = Plan::new(&config, Role::All).unwrap().back.unwrap();
            let registry = drivers::Registry::new(&back.hardware).unwrap();
            let types: Vec<&str> = registry.hardware_types().collect();
            for driver in served {
                assert!(types.contains(&driver), "{name}: {types:?}");
                registry.defaults(driver).unwrap();
            }
        }
    }

    #[test]
    fn a_ramdisk_in_the_data_folder_is_used_unless_another_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut nothing = Configured::default();
        deploy_with(&mut nothing, folder.path());
        assert_eq!(nothing, Configured::default());
        for name in ["kernel", "initramfs"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let mut unnamed = Configured::default();
        deploy_with(&mut unnamed, folder.path());
        let (kernel, ramdisk) = (unnamed.kernel.unwrap(), unnamed.ramdisk.unwrap());
        assert!(kernel.starts_with("file:///") && kernel.ends_with("/kernel"));
        assert!(ramdisk.ends_with("/initramfs"));
        let named = Configured {
            kernel: Some("http://h/k".to_owned()),
            ..Configured::default()
        };
        let mut kept = named.clone();
        deploy_with(&mut kept, folder.path());
        assert_eq!(kept, named);
    }

    #[test]
    fn a_part_alone_is_refused_and_so_is_one_on_a_file() {
        let secret = "corten.cluster_secret=0123456789abcdef";
        for role in [Role::Api, Role::Conductor] {
            let refused = refusal(role, &[]);
            assert!(refused.contains("cluster_secret_file"), "{refused}");
            let refused = refusal(role, &[secret]);
            assert!(refused.contains("SQLite"), "{refused}");
        }
        assert!(refusal(Role::All, &[secret]).contains("SQLite"));
    }
}
