//! LLDP: which switch and port each interface is wired to.

use super::{HookError, Subject, object, objects, text, tlv};
use serde_json::Value;
use types::{JsonMap, port::MacAddress};

/// The most interfaces whose neighbours are described; a machine has fewer.
const MOST_INTERFACES: usize = 64;

/// A field of a packet: its type and its bytes as hexadecimal digits.
type Field<'d> = (u64, &'d str);

/// `local-link-connection`: `local_link_connection` of the ports, where it says nothing yet.
pub(super) fn local_link(subject: &mut Subject) -> Result<(), HookError> {
    let known = object(&subject.plugin_data, "all_interfaces")?
        .ok_or_else(|| HookError::missing("all_interfaces"))?;
    let mut links: Vec<(MacAddress, JsonMap)> = Vec::new();
    for interface in objects(&subject.inventory, "interfaces")? {
        let name = text(interface, "name")?;
        if !known.contains_key(name) {
            continue;
        }
        if let Ok(address) = text(interface, "mac_address")?.parse()
            && let Some(fields) = fields(subject, interface, name)?
            && let Some(link) = link(&fields)
        {
            links.push((address, link));
        }
    }
    for (address, link) in links {
        if let Some(port) = subject.port_mut(&address) {
            for (key, value) in link {
                port.local_link_connection.entry(key).or_insert(value);
            }
        }
    }
    Ok(())
}

/// What a packet says about the other end; none when one of its fields is garbled.
fn link(fields: &[Field<'_>]) -> Option<JsonMap> {
    let mut link = JsonMap::new();
    for (kind, digits) in fields {
        let data = tlv::unhex(digits)?;
        let (key, value) = match *kind {
            tlv::PORT_ID => ("port_id", tlv::port_id(&data)),
            tlv::CHASSIS_ID => {
                let mac = tlv::chassis_id(&data).filter(|(kind, _)| *kind == tlv::CHASSIS_MAC);
                ("switch_id", mac.map(|(_, value)| value))
            }
            tlv::SYSTEM_NAME => ("switch_info", tlv::text(&data)),
            _ => continue,
        };
        if let Some(value) = value {
            link.insert(key.into(), value.into());
        }
    }
    Some(link)
}

/// `parse-lldp`: everything that the neighbours tell, as `parsed_lldp` in the plugin data.
pub(super) fn parse(subject: &mut Subject) -> Result<(), HookError> {
    let mut all = match subject.plugin_data.get("parsed_lldp") {
        Some(Value::Object(before)) => before.clone(),
        _ => JsonMap::new(),
    };
    let interfaces = objects(&subject.inventory, "interfaces")?;
    for interface in interfaces.into_iter().take(MOST_INTERFACES) {
        let name = text(interface, "name")?;
        let mut told = JsonMap::new();
        for (kind, digits) in fields(subject, interface, name)?.unwrap_or_default() {
            if let Some(data) = tlv::unhex(digits) {
                tlv::describe(kind, &data, &mut told);
            }
        }
        if !told.is_empty() {
            all.insert(name.to_owned(), told.into());
        }
    }
    if !all.is_empty() {
        subject.plugin_data.insert("parsed_lldp".into(), all.into());
    }
    Ok(())
}

/// The packet that an interface received: beside the inventory, or in it as older ramdisks do.
fn fields<'s>(
    subject: &'s Subject,
    interface: &'s JsonMap,
    name: &str,
) -> Result<Option<Vec<Field<'s>>>, HookError> {
    let raw = object(&subject.plugin_data, "lldp_raw")?.and_then(|raw| raw.get(name));
    let raw = raw.filter(|fields| super::is_truthy(fields));
    let packet = match raw.or_else(|| interface.get("lldp")) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(fields)) => fields,
        Some(other) => return Err(HookError::not_a("a list", other)),
    };
    let field = |field: &'s Value| Some((field.get(0)?.as_u64()?, field.get(1)?.as_str()?));
    Ok(Some(packet.iter().filter_map(field).collect()))
}
