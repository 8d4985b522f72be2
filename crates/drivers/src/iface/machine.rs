//! The machine that a call of an interface is about, and what the call learned about it.

use crate::storage::{NO_VOLUMES, Volumes};
use types::{
    BiosSetting, Caller, FirmwareComponent, Inventory, JsonMap, Node, Port, Portgroup,
    VolumeTargetId, network::VifNote,
};

/// A machine as a driver sees it.
#[derive(Debug)]
pub struct Machine<'a> {
    /// A driver may change `driver_internal_info`, `instance_info`, `properties` and the like; the
    /// conductor saves the node after the call. Secrets in it stay sealed.
    pub node: &'a mut Node,
    /// `driver_info` with its secrets opened. Never to be stored or logged.
    pub driver_info: &'a JsonMap,
    pub ports: &'a [Port],
    /// Where its network interface looks at them.
    pub portgroups: &'a [Portgroup],
    /// Whether ramdisks are booted from the network.
    pub boots_from_network: bool,
    /// What a call learned about the machine beyond the node; the conductor stores it.
    pub found: Findings,
    /// The image of the instance's config drive, for a boot interface that takes one.
    pub config_drive: Option<Vec<u8>>,
    /// `instance_info` with the passwords of its addresses opened. Never to be stored or logged.
    pub instance_addresses: Option<JsonMap>,
    /// Its remote volumes, where its storage interface uses them.
    pub volumes: &'a Volumes,
    /// What a ramdisk that gets no address by DHCP is told about its networks.
    pub network_data: Option<JsonMap>,
    /// In whose name other services are called.
    pub caller: openstack::Caller,
}

/// What was read from a machine. Each list replaces what is stored; `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Findings {
    pub bios: Option<Vec<BiosSetting>>,
    pub firmware: Option<Vec<FirmwareComponent>>,
    /// What an inspection without a ramdisk found: hooks and rules go over it.
    pub inventory: Option<Inventory>,
    /// Where attached volumes are: the new properties of these targets, with open secrets.
    pub connections: Vec<(VolumeTargetId, JsonMap)>,
    /// Which virtual interfaces ports and port groups have now, or have no more.
    pub vifs: Vec<VifNote>,
    /// What the hardware did not quite do, in sentences for people; they become events.
    pub warnings: Vec<String>,
}

impl<'a> Machine<'a> {
    pub fn new(node: &'a mut Node, driver_info: &'a JsonMap, ports: &'a [Port]) -> Self {
        Self {
            node,
            driver_info,
            ports,
            portgroups: &[],
            boots_from_network: true,
            found: Findings::default(),
            config_drive: None,
            instance_addresses: None,
            volumes: &NO_VOLUMES,
            network_data: None,
            caller: openstack::Caller::service(),
        }
    }

    pub fn with_volumes(mut self, volumes: &'a Volumes) -> Self {
        self.volumes = volumes;
        self
    }

    /// The same machine, with what its network interface looks at.
    pub fn with_portgroups(mut self, groups: &'a [Portgroup], boots_from_network: bool) -> Self {
        self.portgroups = groups;
        self.boots_from_network = boots_from_network;
        self
    }

    /// The same machine, with other services called in the name of whoever asked.
    pub fn asked_for_by(mut self, caller: &Caller) -> Self {
        self.caller = match &caller.token {
            None => openstack::Caller::service(),
            Some(token) => {
                let scope = match token.system_scope {
                    true => openstack::TokenScope::System,
                    false => openstack::TokenScope::Project,
                };
                openstack::Caller::user(token.expose().into(), scope)
                    .with_admin_role(token.is_admin)
            }
        };
        if !caller.request_id.is_empty() {
            self.caller = self.caller.with_request_id(&caller.request_id);
        }
        self
    }

    /// What the instance says, with addresses that can be fetched from where they were opened.
    pub fn instance_info(&self) -> &JsonMap {
        let opened = self.instance_addresses.as_ref();
        opened.unwrap_or(&self.node.instance_info)
    }

    /// What the step left when it wanted to be called again; nothing when it is called first. Its
    /// secrets are opened.
    pub fn step_state(&self) -> Option<JsonMap> {
        self.node.driver_internal_info.step_state().cloned()
    }

    /// What the step has to know when it is called again.
    pub fn set_step_state(&mut self, state: JsonMap) {
        self.node.driver_internal_info.set_step_state(state);
    }
}
