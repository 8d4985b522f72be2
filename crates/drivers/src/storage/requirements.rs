//! What a node must say before volumes can be connected to it.

use crate::{DriverError, Failure, boot_mode, iface::Machine};
use types::{Node, words};

pub(super) const NO_IPXE: &str = "The [pxe]/ipxe_enabled option must be set to True or the boot \
    interface must be set to ``ipxe`` to support network booting to an iSCSI volume.";

/// Whether connectors, targets and capabilities of the node fit each other, in the words of Ironic.
pub(super) fn check(machine: &Machine<'_>) -> Result<(), DriverError> {
    let node = machine.node.id;
    let told = |reason: &str| {
        format!("Failed to validate cinder storage interface for node {node}. {reason}")
    };
    let refused = |reason: &str| Err(DriverError::InvalidParameter(told(reason)));
    let connectors = &machine.volumes.connectors;
    let count = |kind: &str| connectors.iter().filter(|one| one.kind == kind).count();
    let (iqns, wwpns, wwnns) = (count("iqn"), count("wwpn"), count("wwnn"));
    if iqns > 0 && !machine.volumes.are_bootable {
        return refused(NO_IPXE);
    }
    if wwpns != wwnns {
        let reason = format!(
            "Cinder requires both wwnn and wwpn entries for FCoE connections. There must be a wwpn \
             entry for every wwnn entry. There are {wwpns} wwpn entries and {wwnns} wwnn entries."
        );
        return Err(DriverError::Environment(Failure::new(told(&reason))));
    }
    let iscsi_boot = has_capability(machine.node, "iscsi_boot");
    let fibre_channel_boot = has_capability(machine.node, "fibre_channel_boot");
    if iscsi_boot && iqns == 0 {
        return refused(
            "In order to enable the 'iscsi_boot' capability for the node, an associated \
             volume_connector type must be valid for iSCSI (iqn).",
        );
    }
    if fibre_channel_boot && wwpns == 0 {
        return refused(
            "In order to enable the 'fibre_channel_boot' capability for the node, an associated \
             volume_connector type must be valid for Fibre Channel (wwpn, wwnn).",
        );
    }
    for target in &machine.volumes.targets {
        let id = target.id;
        if target.volume_id.is_empty() {
            return refused(&format!("volume_id missing from target {id}."));
        }
        let (capability, has) = match target.volume_type.as_str() {
            "iscsi" => ("iscsi_boot", iscsi_boot),
            "fibre_channel" => ("fibre_channel_boot", fibre_channel_boot),
            other => {
                return refused(&format!(
                    "Volume target {id} is of an unknown type '{other}'. Supported types: 'iscsi' \
                     or 'fibre_channel'"
                ));
            }
        };
        if !has {
            return refused(&format!(
                "Volume target {id} is configured for '{}', however the capability '{capability}' \
                 is not set for the node.",
                target.volume_type
            ));
        }
    }
    Ok(())
}

fn has_capability(node: &Node, name: &str) -> bool {
    boot_mode::capability(node, name).is_some_and(|value| words::boolean(&value) == Some(true))
}
