//! Finding the network that a ramdisk is to be on.

use super::{NodeNetwork, failed};
use crate::{
    DriverError, boot_image,
    iface::{Machine, NetworkPurpose},
};
use openstack::{Reason, neutron};

impl NodeNetwork {
    /// The network for a purpose: what the node says, or the configuration.
    pub(super) async fn find(
        &self,
        machine: &Machine<'_>,
        purpose: NetworkPurpose,
    ) -> Result<neutron::Network, DriverError> {
        // The odd one is Ironic's.
        let label = match purpose {
            NetworkPurpose::Servicing => "servicing network".to_owned(),
            _ => format!("{purpose}_network"),
        };
        // Ironic's words, and then what can be done about it.
        let option = format!("{purpose}_network");
        let remedy = format!("set {option} in [neutron], or in driver_info of the node");
        let own = boot_image::text(machine.driver_info, &option);
        let configured = self.settings.network(purpose);
        let configured = configured.and_then(|configured| configured.network.clone());
        let name = own.or(configured).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| {
            DriverError::InvalidParameter(format!(
                "UUID or name of {label} is not set in configuration or in node driver_info."
            ))
        })?;
        let found = self.neutron.network(&name, &self.caller, self.deadline());
        found.await.map_err(|error| match &error.reason {
            Reason::NotFound(_) | Reason::InvalidId(_) => DriverError::InvalidParameter(format!(
                "{label} with name or UUID {name} was not found; compare it with what Neutron shows (openstack network list), and {remedy}"
            )),
            Reason::Ambiguous(ids) => DriverError::InvalidParameter(format!(
                "More than one {label} was found for name {name}: {}; choose one of these UUIDs of Neutron, and {remedy}",
                ids.join(", ")
            )),
            _ => failed("Could not retrieve network:", &error),
        })
    }
}
