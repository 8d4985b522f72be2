//! LLDP: what a switch tells its neighbours, from bytes to names and values.
//!
//! IEEE 802.1AB with the sets of 802.1Q (annex D) and 802.3 (clause 79). A field that is cut short
//! or not understood is left out; the others still count.

use serde_json::{Value, json};
use std::net::{Ipv4Addr, Ipv6Addr};
use types::{JsonMap, hex, port::MacAddress};

pub(super) const CHASSIS_ID: u64 = 1;
pub(super) const PORT_ID: u64 = 2;
pub(super) const SYSTEM_NAME: u64 = 5;
const PORT_DESCRIPTION: u64 = 4;
const SYSTEM_DESCRIPTION: u64 = 6;
const CAPABILITIES: u64 = 7;
const MANAGEMENT_ADDRESS: u64 = 8;
const ORGANISATION: u64 = 127;

/// The longest value there can be.
const LONGEST: usize = 511;
const DOT1: [u8; 3] = [0x00, 0x80, 0xc2];
const DOT3: [u8; 3] = [0x00, 0x12, 0x0f];

/// The bytes of a text of hexadecimal digits.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    digits
        .chunks(2)
        .map(|pair| u8::try_from(value(pair[0])? * 16 + value(pair[1])?).ok())
        .collect()
}

/// Which switch it is: the subtype and the value.
pub(super) fn chassis_id(data: &[u8]) -> Option<(u8, String)> {
    let (&subtype, rest) = data.split_first()?;
    let value = match subtype {
        1..=3 | 6 | 7 => text(rest)?,
        4 => mac(rest)?,
        5 => network_address(rest)?,
        _ => return None,
    };
    Some((subtype, value))
}

/// The subtype of a chassis that is known by its MAC address.
pub(super) const CHASSIS_MAC: u8 = 4;

/// Which port of the switch it is.
pub(super) fn port_id(data: &[u8]) -> Option<String> {
    let (&subtype, rest) = data.split_first()?;
    match subtype {
        1 | 2 | 5 | 7 => text(rest),
        3 => mac(rest),
        4 => network_address(rest),
        _ => None,
    }
}

pub(super) fn text(data: &[u8]) -> Option<String> {
    std::str::from_utf8(data).ok().map(str::to_owned)
}

fn mac(data: &[u8]) -> Option<String> {
    let octets = *data.first_chunk::<6>()?;
    Some(MacAddress::from(octets).to_string())
}

/// An address after the number of its family.
fn network_address(data: &[u8]) -> Option<String> {
    let (&family, rest) = data.split_first()?;
    match family {
        1 => Some(Ipv4Addr::from(<[u8; 4]>::try_from(rest.get(..4)?).ok()?).to_string()),
        2 => Some(Ipv6Addr::from(<[u8; 16]>::try_from(rest.get(..16)?).ok()?).to_string()),
        6 => mac(rest),
        _ => None,
    }
}

fn number16(data: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(data.get(..2)?.try_into().ok()?))
}

fn number32(data: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(data.get(..4)?.try_into().ok()?))
}

/// Adds what one field says. What was said before stays; lists grow.
pub(super) fn describe(kind: u64, data: &[u8], told: &mut JsonMap) {
    if data.len() <= LONGEST {
        // Fields that are cut short say nothing.
        let _ = told_by(kind, data, told);
    }
}

fn told_by(kind: u64, data: &[u8], told: &mut JsonMap) -> Option<()> {
    match kind {
        CHASSIS_ID => set(told, "switch_chassis_id", chassis_id(data)?.1),
        PORT_ID => set(told, "switch_port_id", port_id(data)?),
        PORT_DESCRIPTION => set(told, "switch_port_description", text(data)?),
        SYSTEM_NAME => set(told, "switch_system_name", text(data)?),
        SYSTEM_DESCRIPTION => set(told, "switch_system_description", text(data)?),
        CAPABILITIES if data.len() == 4 => {
            let (able, on) = (number16(data)?, number16(&data[2..])?);
            set(told, "switch_capabilities_support", capabilities(able));
            set(told, "switch_capabilities_enabled", capabilities(on));
        }
        MANAGEMENT_ADDRESS => {
            let address = network_address(data.get(1..)?)?;
            append(told, "switch_mgmt_addresses", address);
        }
        ORGANISATION => {
            let (organisation, rest) = (data.get(..3)?, data.get(4..)?);
            let subtype = data[3];
            if organisation == DOT1 {
                dot1(subtype, rest, told)?;
            } else if organisation == DOT3 {
                dot3(subtype, rest, told)?;
            }
        }
        _ => {}
    }
    Some(())
}

/// IEEE 802.1Q: VLANs and link aggregation.
fn dot1(subtype: u8, data: &[u8], told: &mut JsonMap) -> Option<()> {
    match subtype {
        1 => set(told, "switch_port_untagged_vlan_id", number16(data)?),
        2 if data.len() == 3 => {
            let on = |bit: u8| data[0] & bit != 0;
            set(told, "switch_port_protocol_vlan_enabled", on(0x04));
            set(told, "switch_port_protocol_vlan_support", on(0x02));
            append(told, "switch_port_protocol_vlan_ids", number16(&data[1..])?);
        }
        3 => {
            let length = usize::from(*data.get(2)?);
            let name = text(data.get(3..3 + length)?)?;
            let name = name.trim_end_matches('\0');
            let vlan = json!({"name": name, "id": number16(data)?});
            append(told, "switch_port_vlans", vlan);
        }
        4 => {
            let length = usize::from(*data.first()?);
            let bytes = data.get(1..1 + length)?;
            append(told, "switch_protocol_identities", hex::encode(bytes));
        }
        6 => set(told, "switch_port_management_vlan_id", number16(data)?),
        7 => link_aggregation(data, told)?,
        _ => {}
    }
    Some(())
}

/// IEEE 802.3: the wire itself.
fn dot3(subtype: u8, data: &[u8], told: &mut JsonMap) -> Option<()> {
    match subtype {
        1 if data.len() == 5 => {
            let medium = MEDIA.get(usize::from(number16(&data[3..])?))?;
            let on = |bit: u8| data[0] & bit != 0;
            set(told, "switch_port_autonegotiation_enabled", on(0x02));
            set(told, "switch_port_autonegotiation_support", on(0x01));
            let modes = modes(number16(&data[1..])?);
            set(told, "switch_port_physical_capabilities", modes);
            set(told, "switch_port_mau_type", *medium);
        }
        3 => link_aggregation(data, told)?,
        4 => set(told, "switch_port_mtu", number16(data)?),
        _ => {}
    }
    Some(())
}

fn link_aggregation(data: &[u8], told: &mut JsonMap) -> Option<()> {
    if data.len() != 5 {
        return None;
    }
    let on = |bit: u8| data[0] & bit != 0;
    set(told, "switch_port_link_aggregation_enabled", on(0x02));
    set(told, "switch_port_link_aggregation_support", on(0x01));
    set(
        told,
        "switch_port_link_aggregation_id",
        number32(&data[1..])?,
    );
    Some(())
}

fn set(told: &mut JsonMap, name: &str, value: impl Into<Value>) {
    told.entry(name).or_insert_with(|| value.into());
}

fn append(told: &mut JsonMap, name: &str, value: impl Into<Value>) {
    let list = told.entry(name).or_insert_with(|| json!([]));
    if let Value::Array(items) = list {
        items.push(value.into());
    }
}

/// Names of the system capabilities, from the lowest bit but one.
fn capabilities(bits: u16) -> Vec<&'static str> {
    const NAMES: [&str; 10] = [
        "Repeater",
        "Bridge",
        "WLAN",
        "Router",
        "Telephone",
        "DOCSIS cable device",
        "Station only",
        "C-Vlan",
        "S-Vlan",
        "TPMR",
    ];
    let set = NAMES
        .iter()
        .zip(1..)
        .filter(|(_, bit)| bits >> bit & 1 == 1);
    set.map(|(name, _)| *name).collect()
}

/// Names of the modes that are negotiated, sorted; the bits of IANAifMauAutoNegCapBits.
fn modes(bits: u16) -> Vec<&'static str> {
    const NAMES: [(u16, &str); 15] = [
        (14, "10BASE-T hdx"),
        // Ironic takes both duplex modes of 10BASE-T from the same bit.
        (14, "10BASE-T fdx"),
        (12, "10BASE-T4"),
        (11, "100BASE-TX hdx"),
        (10, "100BASE-TX fdx"),
        (9, "100BASE-T2 hdx"),
        (8, "100BASE-T2 fdx"),
        (7, "PAUSE fdx"),
        (6, "Asym PAUSE fdx"),
        (5, "Sym PAUSE fdx"),
        (4, "Asym and Sym PAUSE fdx"),
        (3, "1000BASE-X hdx"),
        (2, "1000BASE-X fdx"),
        (1, "1000BASE-T hdx"),
        (0, "1000BASE-T fdx"),
    ];
    let set = NAMES.iter().filter(|(bit, _)| bits >> bit & 1 == 1);
    let mut names: Vec<&str> = set.map(|(_, name)| *name).collect();
    names.sort_unstable();
    names
}

/// Names of the operational MAU types, by their number in RFC 4836.
const MEDIA: [&str; 54] = [
    "Unknown",
    "AUI",
    "10BASE-5",
    "FOIRL",
    "10BASE-2",
    "10BASE-T duplex mode unknown",
    "10BASE-FP",
    "10BASE-FB",
    "10BASE-FL duplex mode unknown",
    "10BROAD36",
    "10BASE-T half duplex",
    "10BASE-T full duplex",
    "10BASE-FL half duplex",
    "10BASE-FL full duplex",
    "100 BASE-T4",
    "100BASE-TX half duplex",
    "100BASE-TX full duplex",
    "100BASE-FX half duplex",
    "100BASE-FX full duplex",
    "100BASE-T2 half duplex",
    "100BASE-T2 full duplex",
    "1000BASE-X half duplex",
    "1000BASE-X full duplex",
    "1000BASE-LX half duplex",
    "1000BASE-LX full duplex",
    "1000BASE-SX half duplex",
    "1000BASE-SX full duplex",
    "1000BASE-CX half duplex",
    "1000BASE-CX full duplex",
    "1000BASE-T half duplex",
    "1000BASE-T full duplex",
    "10GBASE-X",
    "10GBASE-LX4",
    "10GBASE-R",
    "10GBASE-ER",
    "10GBASE-LR",
    "10GBASE-SR",
    "10GBASE-W",
    "10GBASE-EW",
    "10GBASE-LW",
    "10GBASE-SW",
    "10GBASE-CX4",
    "2BASE-TL",
    "10PASS-TS",
    "100BASE-BX10D",
    "100BASE-BX10U",
    "100BASE-LX10",
    "1000BASE-BX10D",
    "1000BASE-BX10U",
    "1000BASE-LX10",
    "1000BASE-PX10D",
    "1000BASE-PX10U",
    "1000BASE-PX20D",
    "1000BASE-PX20U",
];
