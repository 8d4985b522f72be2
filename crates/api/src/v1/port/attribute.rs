//! From the attributes in a body to those of a port: what creation and patches have in common.
//!
//! The shape has been checked by then; here values are brought into their canonical form, in the
//! order in which Ironic judges them.

use crate::{args, call::Call, check::local_link, error::ApiError, lookup};
use serde_json::Value;
use types::{JsonMap, NodeId, Port, Portgroup, port::MacAddress};

/// What the body says, as far as it says something. `null` stands for the default; a flag that a
/// patch removed stays without a value.
#[derive(Debug)]
pub(super) struct Attributes {
    pub(super) address: MacAddress,
    pub(super) is_smartnic: Option<bool>,
    pub(super) local_link_connection: Option<JsonMap>,
    pub(super) portgroup: Option<String>,
    pub(super) pxe_enabled: bool,
    pub(super) available_for_dynamic_portgroup: bool,
}

impl Attributes {
    pub(super) fn read(body: &JsonMap) -> Result<Self, ApiError> {
        let given = |name: &str| body.get(name).filter(|value| !value.is_null());
        let switch = |name: &str| given(name).map(|v| args::boolean(name, v)).transpose();
        let uuid = |name: &str| {
            let value = given(name)
                .map(|value| args::uuid(name, value))
                .transpose()?;
            Ok::<_, ApiError>(value.map(str::to_owned))
        };
        let address = args::mac("address", body.get("address").unwrap_or(&Value::Null))?;
        uuid("node_uuid")?;
        let is_smartnic = switch("is_smartnic")?;
        let local_link_connection = given("local_link_connection")
            .map(|link| local_link::read(link).map_err(ApiError::invalid))
            .transpose()?;
        let portgroup = uuid("portgroup_uuid")?;
        let pxe_enabled = switch("pxe_enabled")?.unwrap_or(true);
        uuid("uuid")?;
        Ok(Self {
            address,
            is_smartnic,
            local_link_connection,
            portgroup,
            pxe_enabled,
            available_for_dynamic_portgroup: switch("available_for_dynamic_portgroup")?
                .unwrap_or(true),
        })
    }

    /// Sets all attributes of a port but its identity and its node.
    pub(super) fn apply(self, body: &JsonMap, port: &mut Port) {
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        port.address = self.address;
        port.is_smartnic = self.is_smartnic;
        port.local_link_connection = self.local_link_connection.unwrap_or_default();
        port.portgroup = self.portgroup;
        port.pxe_enabled = self.pxe_enabled;
        port.available_for_dynamic_portgroup = self.available_for_dynamic_portgroup;
        port.name = text("name");
        port.description = text("description");
        port.vendor = text("vendor");
        port.category = text("category");
        port.physical_network = text("physical_network");
        port.extra = body
            .get("extra")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
    }
}

/// 400 for a network whose name is empty.
pub(super) fn check_network(body: &JsonMap) -> Result<(), ApiError> {
    if body.get("physical_network") == Some(&Value::from("")) {
        return Err(ApiError::invalid(
            "A non-empty value is required when setting physical_network",
        ));
    }
    Ok(())
}

/// The port group that the body names by its UUID: one of the same node.
pub(super) async fn portgroup(
    call: &Call,
    uuid: Option<&str>,
    node: NodeId,
) -> Result<Option<Portgroup>, ApiError> {
    let Some(uuid) = uuid else {
        return Ok(None);
    };
    let portgroup = lookup::portgroup_by_uuid(call, uuid)
        .await
        .map_err(ApiError::as_bad_request)?;
    if portgroup.node != node {
        return Err(ApiError::invalid(
            "Port can not be added to a portgroup belonging to a different node.",
        ));
    }
    Ok(Some(portgroup))
}
