//! From the attributes in a body to those of a port group: what creation and patches have in
//! common.

use crate::{args, error::ApiError};
use serde_json::Value;
use types::{JsonMap, Portgroup, port::MacAddress};

/// What needs judging before it is taken over.
#[derive(Debug)]
pub(super) struct Attributes {
    address: Option<MacAddress>,
    standalone_ports_supported: bool,
}

impl Attributes {
    pub(super) fn read(body: &JsonMap) -> Result<Self, ApiError> {
        let given = |name: &str| body.get(name).filter(|value| !value.is_null());
        let address = given("address").map(|value| args::mac("address", value));
        let address = address.transpose()?;
        let uuid = |name: &str| given(name).map(|v| args::uuid(name, v)).transpose();
        uuid("node_uuid")?;
        let standalone = "standalone_ports_supported";
        let standalone = given(standalone).map(|value| args::boolean(standalone, value));
        let standalone = standalone.transpose()?.unwrap_or(true);
        uuid("uuid")?;
        Ok(Self {
            address,
            standalone_ports_supported: standalone,
        })
    }

    /// Sets all attributes of a port group but its identity and its node.
    pub(super) fn apply(self, body: &JsonMap, portgroup: &mut Portgroup) {
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        let object = |name: &str| {
            let map = body.get(name).and_then(Value::as_object);
            map.cloned().unwrap_or_default()
        };
        portgroup.address = self.address;
        portgroup.standalone_ports_supported = self.standalone_ports_supported;
        portgroup.name = text("name");
        portgroup.mode = text("mode");
        portgroup.physical_network = text("physical_network");
        portgroup.category = text("category");
        portgroup.properties = object("properties");
        portgroup.extra = object("extra");
    }
}
