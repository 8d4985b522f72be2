//! One row as a machine: which node it makes, and what is wrong with it.

use serde_json::{Map, Value, json};

use super::Row;
use super::bmc::Bmc;

/// Fields of a node that a column may set as they are, besides those that end in `_interface`.
const PLAIN: &[&str] = &[
    "name",
    "uuid",
    "driver",
    "resource_class",
    "owner",
    "lessee",
    "description",
    "conductor_group",
    "chassis_uuid",
    "shard",
    "automated_clean",
];

/// Fields of a node whose members a column may set: `properties.cpu_arch`.
const NESTED: &[&str] = &["properties", "driver_info", "extra"];

/// What the columns about the BMC are called by the drivers that have one.
struct Words {
    drivers: &'static [&'static str],
    address: &'static str,
    username: &'static str,
    password: &'static str,
    port: Option<&'static str>,
}

const WORDS: &[Words] = &[
    Words {
        drivers: &["ipmi"],
        address: "ipmi_address",
        username: "ipmi_username",
        password: "ipmi_password",
        port: Some("ipmi_port"),
    },
    Words {
        drivers: &["redfish", "idrac", "ilo", "ilo5", "irmc"],
        address: "redfish_address",
        username: "redfish_username",
        password: "redfish_password",
        port: None,
    },
];

/// A row that makes sense by itself.
pub(super) struct Machine {
    pub(super) name: String,
    pub(super) driver: String,
    pub(super) bmc: Option<Bmc>,
    /// What the machine calls itself, where the row says.
    pub(super) system_uuid: Option<String>,
    pub(super) macs: Vec<String>,
    pub(super) body: Map<String, Value>,
}

/// Reads a row. The error never quotes a value that may be secret.
pub(super) fn machine(row: &Row) -> Result<Machine, String> {
    let fields = &row.fields;
    let text = |name: &str| fields.get(name).map(words);
    let Some(driver) = text("driver").filter(|driver| !driver.is_empty()) else {
        return Err("there is no driver".to_owned());
    };
    let mut body = Map::new();
    let mut nested: [Map<String, Value>; 3] = Default::default();
    for (column, value) in fields {
        if PLAIN.contains(&column.as_str()) || column.ends_with("_interface") {
            body.insert(column.clone(), value.clone());
        } else if let Some((outer, inner)) = column.split_once('.') {
            let place = NESTED.iter().position(|known| *known == outer);
            let Some(place) = place.and_then(|place| nested.get_mut(place)) else {
                return Err(unknown(column));
            };
            if inner.is_empty() {
                return Err(unknown(column));
            }
            place.insert(inner.to_owned(), value.clone());
        } else if !ABOUT_BMC.contains(&column.as_str()) && column != "macs" {
            return Err(unknown(column));
        }
    }
    let [properties, mut driver_info, extra] = nested;
    about_bmc(fields, &driver, &mut driver_info)?;
    let system_uuid = extra
        .get("system_uuid")
        .map(|uuid| words(uuid).to_lowercase());
    let macs = macs(fields.get("macs"))?;
    for (name, map) in NESTED.iter().zip([properties, driver_info, extra]) {
        if !map.is_empty() {
            body.insert((*name).to_owned(), Value::Object(map));
        }
    }
    let driver_info = body.get("driver_info").and_then(Value::as_object);
    Ok(Machine {
        name: text("name").unwrap_or_default(),
        bmc: driver_info.and_then(Bmc::of),
        driver,
        system_uuid,
        macs,
        body,
    })
}

const ABOUT_BMC: &[&str] = &[
    "address",
    "username",
    "password",
    "port",
    "system_id",
    "verify_ca",
];

fn unknown(column: &str) -> String {
    let column: String = column.chars().take(40).collect();
    format!("no column is called '{column}'; see `corten node enrol --help`")
}

/// Puts the columns about the BMC where the driver looks for them.
fn about_bmc(
    fields: &Map<String, Value>,
    driver: &str,
    driver_info: &mut Map<String, Value>,
) -> Result<(), String> {
    let given = |name: &&&str| fields.contains_key(**name);
    let Some(first) = ABOUT_BMC.iter().find(given) else {
        return Ok(());
    };
    let known = WORDS.iter().find(|words| words.drivers.contains(&driver));
    let Some(known) = known else {
        return Err(format!(
            "the column {first} is for machines with ipmi or redfish; for {driver} use driver_info.X"
        ));
    };
    let is_redfish = known.port.is_none();
    let mut set = |column: &str, key: &str| -> Result<(), String> {
        let Some(value) = fields.get(column) else {
            return Ok(());
        };
        match driver_info.insert(key.to_owned(), value.clone()) {
            None => Ok(()),
            Some(_) => Err(format!("both {column} and driver_info.{key} are given")),
        }
    };
    set("address", known.address)?;
    set("username", known.username)?;
    set("password", known.password)?;
    if let Some(port) = known.port {
        set("port", port)?;
    }
    if is_redfish {
        set("system_id", "redfish_system_id")?;
        set("verify_ca", "redfish_verify_ca")?;
    }
    for column in ["system_id", "verify_ca"] {
        if !is_redfish && fields.contains_key(column) {
            return Err(format!("the column {column} is for machines with redfish"));
        }
    }
    let Some(address) = driver_info.get(known.address).map(words) else {
        return Err(format!(
            "there is no address of its BMC ({})",
            known.address
        ));
    };
    if address.is_empty() || address.contains(char::is_whitespace) {
        return Err("the address of its BMC is none".to_owned());
    }
    if let (true, Some(port)) = (is_redfish, fields.get("port")) {
        let port: u16 = words(port)
            .parse()
            .map_err(|_| "the port of its BMC is no number up to 65535".to_owned())?;
        let host = match address.parse::<std::net::Ipv6Addr>() {
            Ok(address) => format!("[{address}]"),
            Err(_) => address,
        };
        driver_info.insert(known.address.to_owned(), json!(format!("{host}:{port}")));
    }
    Ok(())
}

fn macs(value: Option<&Value>) -> Result<Vec<String>, String> {
    let texts: Vec<String> = match value {
        None => Vec::new(),
        Some(Value::Array(list)) => list.iter().map(words).collect(),
        Some(text) => {
            let text = words(text);
            let parts = text.split([' ', ',', ';', '\t']).map(str::trim);
            parts
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        }
    };
    let mut macs: Vec<String> = Vec::new();
    for text in texts {
        let mac = text.to_lowercase().replace('-', ":");
        let parts: Vec<&str> = mac.split(':').collect();
        let is_byte = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
        if parts.len() != 6 || !parts.iter().all(is_byte) {
            return Err(format!(
                "'{}' is no MAC address",
                crate::console::printable(&text)
            ));
        }
        if !macs.contains(&mac) {
            macs.push(mac);
        }
    }
    Ok(macs)
}

/// A value as it would stand in a cell.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}
