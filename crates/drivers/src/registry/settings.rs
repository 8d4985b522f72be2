//! Which hardware types and interfaces the operator wants.
//!
//! The stock lists of Ironic name more than this build implements. They are nobody's
//! wish, so they are cut down without complaint; what an operator wrote is served or refused.
//! Therefore every list remembers where it comes from.

use crate::{
    agent::AgentSettings,
    amt::AmtSettings,
    ansible::AnsibleSettings,
    boot_image::BootImageSettings,
    catalog::Preferences,
    chassis::ChassisSettings,
    cisco::CiscoSettings,
    external::ExternalDriver,
    fake::FakeSettings,
    glance::{GlanceImages, GlanceSettings},
    iboot::IbootSettings,
    ipmi::IpmiSettings,
    netboot::NetbootSettings,
    network::NetworkSettings,
    recorder::RecorderSettings,
    redfish::{DiscSettings, RedfishSettings},
    screen::ScreenSettings,
    seamicro::SeaMicroSettings,
    snmp::SnmpSettings,
    ssh::SshSettings,
    storage::CinderSettings,
};
use image::store::ImageStore;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use types::InterfaceKind;

/// A list of names, and whether somebody asked for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EnabledNames {
    pub(super) names: Vec<String>,
    pub(super) explicit: bool,
}

impl EnabledNames {
    fn stock(names: &[&str]) -> Self {
        Self {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            explicit: false,
        }
    }

    /// Empty names are left out, as Ironic does.
    fn explicit(names: Vec<String>) -> Self {
        Self {
            names: names.into_iter().filter(|name| !name.is_empty()).collect(),
            explicit: true,
        }
    }
}

/// The `enabled_…` and `default_…` options, starting out as in the stock configuration.
#[derive(Debug, Clone)]
pub struct RegistrySettings {
    pub fake: FakeSettings,
    pub agent: AgentSettings,
    pub ansible: AnsibleSettings,
    pub ipmi: IpmiSettings,
    pub redfish: RedfishSettings,
    pub snmp: SnmpSettings,
    pub iboot: IbootSettings,
    pub chassis: ChassisSettings,
    pub cisco: CiscoSettings,
    pub seamicro: SeaMicroSettings,
    pub ssh: SshSettings,
    pub amt: AmtSettings,
    pub screens: ScreenSettings,
    pub recorder: RecorderSettings,
    /// The services of OpenStack that network and storage interfaces call, and that have images.
    pub openstack: Option<Arc<openstack::Services>>,
    pub cinder: CinderSettings,
    /// The networks of ramdisks, and how Neutron is waited for.
    pub networks: NetworkSettings,
    /// Which images of Glance are used, and how they get to machines.
    pub glance: GlanceSettings,
    /// Where packets that wake machines may be sent.
    pub outbound: outbound::Policy,
    /// The boot services of this process, if it has any.
    pub boot: Option<boot::Boot>,
    /// Where images are kept, if this process fetches any.
    pub images: Option<Arc<ImageStore>>,
    pub boot_images: BootImageSettings,
    pub netboot: NetbootSettings,
    pub discs: DiscSettings,
    /// Programs of vendors, each asked already what it has.
    pub external: Vec<ExternalDriver>,
    /// What `autodetect` chooses from; the last is taken when none suits.
    pub autodetect: Vec<String>,
    pub(super) hardware_types: EnabledNames,
    pub(super) old_names: Vec<String>,
    pub(super) interfaces: BTreeMap<InterfaceKind, EnabledNames>,
    /// Kinds of which everything is enabled that the enabled hardware types support.
    pub(super) complete: BTreeSet<InterfaceKind>,
    pub(super) defaults: BTreeMap<InterfaceKind, String>,
    pub(super) preferred: Preferences,
}

impl RegistrySettings {
    /// The images of Glance, if it can be called.
    pub(super) fn glance_images(&self) -> Option<GlanceImages> {
        let services = self.openstack.as_ref()?;
        Some(GlanceImages::new(Arc::clone(services), self.glance.clone()))
    }

    /// Whether the configuration says how to log in to Neutron. Nobody asked for what a stock list
    /// has that works through it only.
    pub(super) fn has_neutron(&self) -> bool {
        let services = self.openstack.as_ref();
        services.is_some_and(|services| services.has_login(openstack::Service::Neutron))
    }

    /// `enabled_hardware_types` as written by the operator.
    pub fn enable_hardware_types(&mut self, names: Vec<String>) {
        self.hardware_types = EnabledNames::explicit(names);
    }

    /// `enabled_drivers`: names of releases up to 10. What they stand for is enabled with them.
    pub fn enable_old_names(&mut self, names: Vec<String>) {
        self.old_names = names.into_iter().filter(|name| !name.is_empty()).collect();
    }

    /// `enabled_<kind>_interfaces` as written by the operator. An empty list means the best
    /// interface of each enabled hardware type.
    pub fn enable_interfaces(&mut self, kind: InterfaceKind, names: Vec<String>) {
        self.interfaces.insert(kind, EnabledNames::explicit(names));
    }

    /// Enables every interface of a kind that this build has and one of the enabled hardware types
    /// supports.
    pub fn enable_supported_interfaces(&mut self, kind: InterfaceKind) {
        self.complete.insert(kind);
    }

    /// Which interface nodes of a hardware type get that name none, if it is enabled and no
    /// `default_<kind>_interface` says otherwise.
    pub fn prefer(&mut self, hardware_type: &str, kind: InterfaceKind, name: &str) {
        let key = (hardware_type.to_owned(), kind);
        self.preferred.insert(key, name.to_owned());
    }

    /// `default_<kind>_interface`; `None` goes by the priorities of the hardware type.
    pub fn set_default(&mut self, kind: InterfaceKind, name: Option<String>) {
        match name {
            Some(name) => self.defaults.insert(kind, name),
            None => self.defaults.remove(&kind),
        };
    }
}

impl Default for RegistrySettings {
    fn default() -> Self {
        use InterfaceKind as K;
        let stock = |kind| match kind {
            K::Bios => &["no-bios", "redfish"][..],
            K::Boot => &["ipxe", "pxe", "redfish-virtual-media"],
            K::Console => &["no-console"],
            K::Deploy => &["autodetect", "direct", "ramdisk", "bootc"],
            K::Firmware => &["no-firmware"],
            K::Inspect => &["no-inspect", "redfish"],
            K::Management | K::Power => &[],
            K::Network => &["flat", "noop"],
            K::Raid => &["agent", "no-raid", "redfish"],
            K::Rescue => &["no-rescue"],
            K::Storage => &["cinder", "noop"],
            K::Vendor => &["ipmitool", "redfish", "no-vendor"],
        };
        Self {
            fake: FakeSettings::default(),
            agent: AgentSettings::default(),
            ansible: AnsibleSettings::default(),
            ipmi: IpmiSettings::default(),
            redfish: RedfishSettings::default(),
            snmp: SnmpSettings::default(),
            iboot: IbootSettings::default(),
            chassis: ChassisSettings::default(),
            cisco: CiscoSettings::default(),
            seamicro: SeaMicroSettings::default(),
            ssh: SshSettings::default(),
            amt: AmtSettings::default(),
            screens: ScreenSettings::default(),
            recorder: RecorderSettings::default(),
            openstack: None,
            cinder: CinderSettings::default(),
            networks: NetworkSettings::default(),
            glance: GlanceSettings::default(),
            outbound: outbound::Policy::default(),
            boot: None,
            images: None,
            boot_images: BootImageSettings::default(),
            netboot: NetbootSettings::default(),
            discs: DiscSettings::default(),
            external: Vec::new(),
            autodetect: ["ramdisk", "bootc", "direct"].map(str::to_owned).to_vec(),
            hardware_types: EnabledNames::stock(&["ipmi", "redfish"]),
            old_names: Vec::new(),
            interfaces: K::ALL
                .iter()
                .map(|&kind| (kind, EnabledNames::stock(stock(kind))))
                .collect(),
            complete: BTreeSet::new(),
            defaults: BTreeMap::from([(K::Storage, "noop".to_owned())]),
            preferred: Preferences::new(),
        }
    }
}
