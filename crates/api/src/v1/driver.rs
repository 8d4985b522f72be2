//! `drivers`: which hardware types the conductors serve, and with which interfaces.
//!
//! What a driver can do is read from what the conductors registered; only the meaning of its
//! properties is asked of a conductor. Vendor methods are not served here.

use crate::{
    args::{self, Args},
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use types::{
    ApiVersion, InterfaceKind,
    member::OfferedInterface,
    pyrepr::{repr_list, repr_str},
    rpc::DriverName,
    version::since,
};

/// The kinds of interface in the order of the documents, with the version that shows them.
pub(crate) const KINDS: &[(InterfaceKind, ApiVersion)] = &[
    (InterfaceKind::Boot, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Console, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Deploy, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Inspect, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Management, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Network, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Power, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Raid, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Vendor, since::DYNAMIC_DRIVERS),
    (InterfaceKind::Storage, since::STORAGE_INTERFACE),
    (InterfaceKind::Rescue, since::RESCUE),
    (InterfaceKind::Bios, since::BIOS),
    (InterfaceKind::Firmware, since::FIRMWARE),
];

/// A hardware type as its conductors offer it together.
#[derive(Debug, Default)]
struct HardwareType {
    hosts: BTreeSet<String>,
    interfaces: Vec<OfferedInterface>,
}

type Catalogue = BTreeMap<String, HardwareType>;

async fn catalogue(call: &Call) -> Result<Catalogue, ApiError> {
    let mut found = Catalogue::new();
    let conductor = &call.state.conductor;
    for (host, offered) in store::member::interfaces(&call.state.db).await? {
        if conductor.is_alive(&host) == Some(false) {
            continue;
        }
        let entry = found.entry(offered.hardware_type.clone()).or_default();
        entry.hosts.insert(host);
        entry.interfaces.push(offered);
    }
    Ok(found)
}

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["type", "detail", "fields"])?;
    let (kind, detail) = (args.string("type")?, args.boolean("detail")?);
    let fields = fields(&args, call.version())?;
    call.permit(Rule::DriverGet, &Target::NONE)?;
    if detail == Some(true) && fields.is_some() {
        return Err(ApiError::invalid(
            "Can not specify ?detail=True and fields in the same request.",
        ));
    }
    if kind.is_some() || detail.is_some() {
        call.require_named(since::DYNAMIC_DRIVERS)?;
    }
    if fields.is_some() {
        call.require(since::DRIVER_FIELDS_QUERY)?;
    }
    if !matches!(kind, None | Some("classic" | "dynamic")) {
        return Err(ApiError::invalid(
            "\"type\" filter must be one of \"classic\" or \"dynamic\", if specified.",
        ));
    }
    let detail = detail.unwrap_or(false);
    let mut w = JsonWriter::with_capacity(4096);
    w.begin_object();
    w.key("drivers");
    w.begin_array();
    // Classic drivers are long gone; asking for them is still legal.
    if kind != Some("classic") {
        for (name, driver) in &catalogue(&call).await? {
            document(&mut w, &call, name, driver, detail, fields.as_deref())?;
        }
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["fields"])?;
    let fields = fields(&args, call.version())?;
    show(&call, fields.as_deref()).await
}

/// One attribute, named in the path.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    show(&call, Some(&fields)).await
}

async fn show(call: &Call, fields: Option<&[String]>) -> Result<Reply, ApiError> {
    call.permit(Rule::DriverGet, &Target::NONE)?;
    if fields.is_some() {
        call.require(since::DRIVER_FIELDS_QUERY)?;
    }
    let name = call.param("driver");
    let catalogue = catalogue(call).await?;
    let Some(driver) = catalogue.get(name) else {
        return Err(ApiError::not_found(format!(
            "Could not find the following driver(s) or hardware type(s): {name}."
        )));
    };
    let mut w = JsonWriter::with_capacity(4096);
    document(&mut w, call, name, driver, true, fields)?;
    Ok(Reply::ok(w.finish()))
}

/// `/drivers/properties`: the name is missing.
pub(crate) async fn no_name(_: Call) -> Result<Reply, ApiError> {
    Err(ApiError::missing_parameter("driver_name"))
}

pub(crate) async fn get_properties(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::DriverGetProperties, &Target::NONE)?;
    let driver = DriverName(call.param("driver").to_owned());
    let properties = call.state.conductor.driver_properties(driver).await?;
    Ok(descriptions(&properties))
}

pub(crate) async fn get_raid_properties(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::DriverGetRaidLogicalDiskProperties, &Target::NONE)?;
    call.require(since::RAID)?;
    let driver = DriverName(call.param("driver").to_owned());
    let properties = call.state.conductor.raid_properties(driver).await?;
    Ok(descriptions(&properties))
}

fn descriptions(properties: &[(String, String)]) -> Reply {
    let mut w = JsonWriter::with_capacity(4096);
    w.begin_object();
    for (name, meaning) in properties {
        w.any_key(name);
        w.str(meaning);
    }
    w.end_object();
    Reply::ok(w.finish())
}

/// The requested fields. Versions that know the argument refuse unknown names, older ones the
/// argument itself.
fn fields(args: &Args, version: ApiVersion) -> Result<Option<Vec<String>>, ApiError> {
    let fields = args.string_list("fields")?;
    if version < since::DRIVER_FIELDS_QUERY {
        return Ok(fields);
    }
    let known = field_names(version);
    let unknown = fields.iter().flatten().find(|field| !known.contains(field));
    match unknown {
        None => Ok(fields),
        Some(unknown) => Err(ApiError::invalid(format!(
            "Schema error: {} is not one of {}",
            repr_str(unknown),
            repr_list(known.iter().map(String::as_str)),
        ))),
    }
}

/// Every field that a driver has, in the order of Ironic's message.
fn field_names(version: ApiVersion) -> Vec<String> {
    let plain = ["hosts", "links", "name"].map(str::to_owned);
    let interfaces = KINDS
        .iter()
        .filter(|(_, first)| version >= *first)
        .flat_map(|(kind, _)| [default_key(*kind), enabled_key(*kind)]);
    let last = ["properties", "type"].map(str::to_owned);
    plain.into_iter().chain(interfaces).chain(last).collect()
}

fn default_key(kind: InterfaceKind) -> String {
    format!("default_{kind}_interface")
}

fn enabled_key(kind: InterfaceKind) -> String {
    format!("enabled_{kind}_interfaces")
}

/// Writes a driver; with `fields`, only those, and the links.
fn document(
    w: &mut JsonWriter,
    call: &Call,
    name: &str,
    driver: &HardwareType,
    detail: bool,
    fields: Option<&[String]>,
) -> Result<(), ApiError> {
    let wanted = |field: &str| fields.is_none_or(|fields| fields.iter().any(|f| f == field));
    let mut shown = vec!["links".to_owned()];
    let mut key = |w: &mut JsonWriter, field: &str| {
        shown.push(field.to_owned());
        let wanted = wanted(field);
        if wanted {
            w.key(field);
        }
        wanted
    };
    let version = call.version();
    w.begin_object();
    if key(w, "name") {
        w.str(name);
    }
    if key(w, "hosts") {
        texts(w, driver.hosts.iter().map(String::as_str));
    }
    w.key("links");
    links(w, &call.ctx.base, name, "");
    if version >= since::STATES_LINK && key(w, "properties") {
        links(w, &call.ctx.base, name, "/properties");
    }
    if version >= since::DYNAMIC_DRIVERS && key(w, "type") {
        w.str("dynamic");
    }
    if detail && version >= since::DYNAMIC_DRIVERS {
        for (kind, first) in KINDS {
            if version < *first {
                continue;
            }
            let offered = || driver.interfaces.iter().filter(|i| i.kind == *kind);
            if key(w, &default_key(*kind)) {
                let default = offered().find(|interface| interface.is_default);
                w.opt_str(default.map(|interface| interface.name.as_str()));
            }
            if key(w, &enabled_key(*kind)) {
                let names: BTreeSet<&str> = offered().map(|i| i.name.as_str()).collect();
                texts(w, names.into_iter());
            }
        }
    }
    w.end_object();
    let missing: Vec<&str> = fields
        .unwrap_or_default()
        .iter()
        .map(String::as_str)
        .filter(|field| !shown.iter().any(|known| known == field))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(format!(
        "Field(s) \"{}\" are not valid",
        missing.join(", ")
    )))
}

fn texts<'a>(w: &mut JsonWriter, items: impl Iterator<Item = &'a str>) {
    w.begin_array();
    for item in items {
        w.str(item);
    }
    w.end_array();
}

fn links(w: &mut JsonWriter, base: &str, name: &str, below: &str) {
    w.begin_array();
    w.link(&[base, "/v1/drivers/", name, below], "self");
    w.link(&[base, "/drivers/", name, below], "bookmark");
    w.end_array();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::{Value, json};
    use store::member::Registration;

    async fn service() -> Service {
        let service = Service::new();
        let offer = |kind, name: &str, is_default| OfferedInterface {
            hardware_type: "fake-hardware".into(),
            kind,
            name: name.into(),
            is_default,
        };
        for (host, deploy) in [("cond2", "direct"), ("cond1", "fake")] {
            let new = Registration {
                hostname: host.into(),
                conductor_group: String::new(),
                drivers: vec!["fake-hardware".into()],
                interfaces: vec![
                    offer(InterfaceKind::Power, "fake", true),
                    offer(InterfaceKind::Deploy, deploy, deploy == "fake"),
                    offer(InterfaceKind::Firmware, "no-firmware", true),
                ],
                url: None,
            };
            store::member::register(&service.db, new).await.unwrap();
        }
        service
    }

    #[tokio::test]
    async fn a_driver_is_what_all_its_conductors_offer() {
        let service = service().await;
        let driver = service.get("/v1/drivers/fake-hardware", 115).await.json();
        assert_eq!(driver["hosts"], json!(["cond1", "cond2"]));
        assert_eq!(driver["default_deploy_interface"], "fake");
        assert_eq!(
            driver["enabled_deploy_interfaces"],
            json!(["direct", "fake"])
        );
        assert_eq!(driver["default_bios_interface"], Value::Null);
        assert_eq!(driver["enabled_bios_interfaces"], json!([]));
    }

    #[tokio::test]
    async fn fields_grow_with_the_version() {
        let service = service().await;
        let keys = async |minor| {
            let driver = service.get("/v1/drivers/fake-hardware", minor).await;
            driver.json().as_object().unwrap().len()
        };
        for (minor, expected) in [
            (1, 3),
            (14, 4),
            (30, 5 + 18),
            (33, 5 + 20),
            (38, 5 + 22),
            (40, 5 + 24),
            (86, 5 + 26),
        ] {
            assert_eq!(keys(minor).await, expected, "1.{minor}");
        }
    }

    #[tokio::test]
    async fn lists_are_short_unless_asked_otherwise() {
        let service = service().await;
        let list = service.get("/v1/drivers", 115).await.json();
        assert_eq!(list["drivers"][0].as_object().unwrap().len(), 5);
        let detailed = service.get("/v1/drivers?detail=1", 115).await.json();
        assert_eq!(detailed["drivers"][0]["default_power_interface"], "fake");
        let classic = service.get("/v1/drivers?type=classic", 115).await;
        assert_eq!(classic.text, r#"{"drivers": []}"#);
        let named = service.get("/v1/drivers?fields=name", 115).await.json();
        assert_eq!(named["drivers"][0].as_object().unwrap().len(), 2);
        let missing = service
            .get("/v1/drivers?fields=default_power_interface", 115)
            .await;
        assert_eq!(
            missing.fault(),
            "Field(s) \"default_power_interface\" are not valid"
        );
    }

    #[tokio::test]
    async fn unknown_drivers_are_not_found() {
        let service = service().await;
        let answer = service.get("/v1/drivers/nope", 1).await;
        assert_eq!(answer.status.as_u16(), 404);
        assert_eq!(
            answer.fault(),
            "Could not find the following driver(s) or hardware type(s): nope."
        );
        let no_name = service.get("/v1/drivers/properties", 1).await;
        assert_eq!(no_name.fault(), "Missing mandatory parameter: driver_name");
    }
}
