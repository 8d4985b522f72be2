//! The hardware types and interfaces that this conductor serves.
//!
//! A registry is made once at start from the configuration, and refuses a configuration that it
//! could not keep up to later: an interface is either there for every node that may name it, or the
//! service does not start. Which names a node may use is the [`Catalog`]'s to say; the registry
//! adds the implementations behind the names.

mod implementations;
mod offer;
mod selection;
mod settings;

pub use selection::Reduction;
pub use settings::RegistrySettings;

use crate::{
    autodetect,
    catalog::{Catalog, InterfaceError},
    external::External,
    glance::GlanceImages,
    iface::{Hardware, Interface, Monitor},
    recorder::Recorder,
};
use image::store::ImageStore;
use implementations::Implementations;
use std::{io, sync::Arc};
use types::{InterfaceKind, Node, NodeId, interface::Interfaces, member::OfferedInterface};

/// A configuration that cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error(
        "the option [DEFAULT]{option} names '{name}', which this build does not have (it has: {available})"
    )]
    Unavailable {
        option: String,
        name: String,
        available: String,
    },
    #[error("the option [DEFAULT]{option} names what is no hardware type any more: {reason}")]
    OldName { option: String, reason: String },
    #[error(
        "the option [DEFAULT]{option} leaves hardware type '{hardware_type}' with nothing to use (this build has: {available})"
    )]
    NoDefault {
        hardware_type: &'static str,
        option: String,
        available: String,
        source: InterfaceError,
    },
    #[error(
        "driver program {program} has a {what} '{name}', and there is another of that name already"
    )]
    Taken {
        program: String,
        what: String,
        name: &'static str,
    },
    #[error(
        "driver program {program} names the {kind} interface '{name}' for hardware type '{hardware_type}', which this build does not have (it has: {available})"
    )]
    NoSuchInterface {
        program: String,
        hardware_type: &'static str,
        kind: InterfaceKind,
        name: &'static str,
        available: String,
    },
    #[error("the journal of the fake hardware cannot be opened")]
    Journal(#[source] io::Error),
}

/// What this conductor serves, with the implementations.
pub struct Registry {
    catalog: Catalog,
    implementations: Implementations,
    recorder: Recorder,
    boot: Option<boot::Boot>,
    images: Option<Arc<ImageStore>>,
    openstack: Option<Arc<openstack::Services>>,
    glance: Option<GlanceImages>,
    autodetect: Vec<String>,
    reductions: Vec<Reduction>,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Registry").field(&self.catalog).finish()
    }
}

impl Registry {
    /// A registry may come out without any hardware type when the operator named none and the
    /// stock ones are not in this build; see [`Registry::reductions`].
    pub fn new(settings: &RegistrySettings) -> Result<Self, RegistryError> {
        let recorder = Recorder::new(settings.recorder.clone());
        let mut implementations =
            Implementations::new(settings, &recorder).map_err(RegistryError::Journal)?;
        for driver in &settings.external {
            let added = implementations.add(External::all(driver, &recorder));
            added.map_err(|(kind, name)| RegistryError::Taken {
                program: driver.program().to_owned(),
                what: format!("{kind} interface"),
                name,
            })?;
        }
        let names = implementations.names();
        let declared = selection::declared(&settings.external, &names)?;
        let (catalog, reductions) = selection::select(settings, &names, &declared)?;
        Ok(Self {
            catalog,
            implementations,
            recorder,
            boot: settings.boot.clone(),
            images: settings.images.clone(),
            openstack: settings.openstack.clone(),
            glance: settings.glance_images(),
            autodetect: settings.autodetect.clone(),
            reductions,
        })
    }

    /// What makes machines boot from the network.
    pub fn boot(&self) -> Option<&boot::Boot> {
        self.boot.as_ref()
    }

    /// Takes away what is kept here for a node that may no longer exist, as far as that can be told
    /// without it.
    pub async fn forget(&self, node: NodeId) {
        use boot::BootServices;
        if let Some(boot) = &self.boot
            && let Err(error) = boot.withdraw(node).await
        {
            tracing::warn!(%node, error = %types::error::chain(&error), "boot files of a node stay");
        }
    }

    /// Where images are kept.
    pub fn images(&self) -> Option<&Arc<ImageStore>> {
        self.images.as_ref()
    }

    /// The services of OpenStack around this one.
    pub fn openstack(&self) -> Option<&Arc<openstack::Services>> {
        self.openstack.as_ref()
    }

    /// The images of Glance.
    pub fn glance(&self) -> Option<&GlanceImages> {
        self.glance.as_ref()
    }

    /// What was said to BMCs.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// What of the stock configuration this build cannot serve, for the log.
    pub fn reductions(&self) -> &[Reduction] {
        &self.reductions
    }

    /// Names of the hardware types served, in the order of configuration.
    pub fn hardware_types(&self) -> impl Iterator<Item = &'static str> {
        self.catalog.hardware_types().iter().map(|t| t.name)
    }

    /// The enabled implementations of a kind, sorted by name.
    pub fn enabled(&self, kind: InterfaceKind) -> &[String] {
        self.catalog.enabled(kind)
    }

    /// Everything that is enabled and supported, to be registered with the cluster.
    pub fn offered(&self) -> Vec<OfferedInterface> {
        self.catalog.offered()
    }

    /// The interfaces that a node of this driver gets when it names none.
    pub fn defaults(&self, driver: &str) -> Result<Interfaces, InterfaceError> {
        self.catalog.defaults(driver)
    }

    /// Checks the interfaces that the node names and fills in the others. On failure the node is
    /// as it was.
    pub fn fill_interfaces(&self, node: &mut Node) -> Result<(), InterfaceError> {
        self.catalog.fill_interfaces(node)
    }

    /// The implementations that a node uses.
    pub fn hardware(&self, node: &Node) -> Result<Hardware, InterfaceError> {
        let hardware_type = self.catalog.hardware_type(&node.driver)?;
        self.implementations.hardware(
            |kind| self.catalog.chosen(hardware_type, kind, node),
            |kind| InterfaceError::NoDefault {
                kind,
                hardware_type: hardware_type.name,
                node: Some(node.id),
            },
        )
    }

    /// Those of them that tell how the machine is.
    pub fn monitor(&self, node: &Node) -> Result<Monitor, InterfaceError> {
        let hardware_type = self.catalog.hardware_type(&node.driver)?;
        let chosen = |kind| self.catalog.chosen(hardware_type, kind, node);
        let absent = |kind| InterfaceError::NoDefault {
            kind,
            hardware_type: hardware_type.name,
            node: Some(node.id),
        };
        let (power, management) = (InterfaceKind::Power, InterfaceKind::Management);
        let found = self
            .implementations
            .monitor(chosen(power)?, chosen(management)?);
        found.map_err(absent)
    }

    /// Which deploy interface it is for a node that leaves the choice: the first that suits its
    /// instance, or the last. `None` for a node that names its own.
    pub fn detected(&self, node: &Node) -> Option<&'static str> {
        let kind = InterfaceKind::Deploy;
        let hardware_type = self.catalog.hardware_type(&node.driver).ok()?;
        if self.catalog.chosen(hardware_type, kind, node).ok()? != autodetect::NAME {
            return None;
        }
        let names = self.autodetect.iter().filter(|name| {
            name.as_str() != autodetect::NAME
                && self.catalog.check(hardware_type, kind, name).is_ok()
        });
        let choices = names.filter_map(|name| self.implementations.deploy(name));
        let mut last = None;
        for deploy in choices {
            last = Some(deploy.name());
            if deploy.suits(node) {
                break;
            }
        }
        last
    }

    /// `driver_info` keys of the default interfaces of a hardware type, and what they mean.
    pub fn driver_properties(&self, driver: &str) -> Result<Vec<(String, String)>, InterfaceError> {
        let hardware_type = self.catalog.hardware_type(driver)?;
        let mut all: Vec<(String, String)> = Vec::new();
        for &kind in InterfaceKind::ALL {
            let name = self.catalog.default_interface(hardware_type, kind, None)?;
            let interface = self.implementations.interface(kind, name);
            for (key, meaning) in interface.map_or(&[][..], Interface::properties) {
                if !all.iter().any(|(known, _)| known == key) {
                    all.push(((*key).to_owned(), (*meaning).to_owned()));
                }
            }
        }
        Ok(all)
    }

    /// Keys of a logical disk for the default RAID interface of a hardware type.
    pub fn raid_properties(&self, driver: &str) -> Result<Vec<(String, String)>, InterfaceError> {
        let hardware_type = self.catalog.hardware_type(driver)?;
        let kind = InterfaceKind::Raid;
        let name = self.catalog.default_interface(hardware_type, kind, None)?;
        let raid = self.implementations.raid(name);
        let properties = raid.map_or(&[][..], |raid| raid.logical_disk_properties());
        Ok(properties
            .iter()
            .map(|(key, meaning)| ((*key).to_owned(), (*meaning).to_owned()))
            .collect())
    }
}

#[cfg(test)]
#[path = "registry/tests.rs"]
mod tests;
