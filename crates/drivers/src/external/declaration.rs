//! What a program says it has.
//!
//! A declaration is read once, when the service starts, and kept as long as it runs: hardware types,
//! steps and names are `'static` everywhere else, and so they are here.

mod raw;

use crate::hardware_type::HardwareType;
use std::collections::{BTreeMap, BTreeSet};
use types::{
    InterfaceKind, JsonMap, PowerTarget, mask,
    rpc::VendorMethod,
    step::{ArgSpec, OnRestart, StepKind, StepSpec},
};

types::wire_enum! {
    /// Calls that a program need not have.
    pub enum Feature {
        Validate = "validate",
        BootMode = "boot_mode",
        SetBootMode = "set_boot_mode",
        SecureBoot = "secure_boot",
        SetSecureBoot = "set_secure_boot",
        InjectNmi = "inject_nmi",
        Indicators = "indicators",
        Sensors = "sensors",
        Health = "health",
        Vendor = "vendor",
        MacAddresses = "mac_addresses",
    }
}

/// Why a declaration is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct Unfit {
    /// `interfaces[0].steps[1]`, for instance.
    pub place: String,
    pub reason: String,
}

impl Unfit {
    fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            reason: reason.into(),
        }
    }
}

/// A declaration that can be served.
#[derive(Debug)]
pub struct Declaration {
    pub name: String,
    pub version: String,
    pub hardware_types: Vec<&'static HardwareType>,
    pub interfaces: Vec<&'static InterfaceSpec>,
    /// `driver_info` of a machine that the conformance test may work on.
    pub example: Option<JsonMap>,
    /// As it was said. A process that is started later must say the same.
    pub said: JsonMap,
}

/// One implementation of one kind.
#[derive(Debug)]
pub struct InterfaceSpec {
    pub kind: InterfaceKind,
    pub name: &'static str,
    pub properties: Vec<Property>,
    /// The same for clients.
    pub(super) meanings: &'static [(&'static str, &'static str)],
    pub steps: &'static [StepSpec],
    pub targets: &'static [PowerTarget],
    pub boot_devices: &'static [&'static str],
    pub methods: Vec<Method>,
    pub(super) disk_properties: &'static [(&'static str, &'static str)],
    pub features: BTreeSet<Feature>,
    pub(super) on_restart: OnRestart,
}

/// A key of `driver_info`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub name: &'static str,
    pub is_required: bool,
    pub is_secret: bool,
    /// It says where the BMC is.
    pub is_address: bool,
}

/// A method of vendor passthru.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    pub about: VendorMethod,
    pub required: Vec<String>,
    pub optional: Vec<String>,
}

/// Kinds that a program can have. The others steer services of this process.
const KINDS: &[InterfaceKind] = &[
    InterfaceKind::Bios,
    InterfaceKind::Firmware,
    InterfaceKind::Inspect,
    InterfaceKind::Management,
    InterfaceKind::Power,
    InterfaceKind::Raid,
    InterfaceKind::Vendor,
];

/// More than any hardware needs.
const MOST: usize = 64;
const LONGEST_NAME: usize = 63;
const LONGEST_TEXT: usize = 1000;
const LONGEST_PRIORITY: i64 = 100_000;

impl Declaration {
    /// Reads the answer to `hello`.
    pub fn of(said: JsonMap) -> Result<Self, Unfit> {
        let read = serde_json::from_value::<raw::Declaration>(said.clone().into());
        let raw = read.map_err(|error| Unfit::new("hello", error.to_string()))?;
        if raw.protocol != proto::driver::VERSION {
            return Err(Unfit::new(
                "protocol",
                format!(
                    "the program speaks version {}, and this service version {}",
                    raw.protocol,
                    proto::driver::VERSION
                ),
            ));
        }
        name("name", &raw.name)?;
        text("version", &raw.version)?;
        count("hardware_types", raw.hardware_types.len())?;
        count("interfaces", raw.interfaces.len())?;
        if raw.interfaces.is_empty() {
            return Err(Unfit::new("interfaces", "there is none"));
        }
        let mut interfaces: Vec<&'static InterfaceSpec> = Vec::new();
        for (at, interface) in raw.interfaces.into_iter().enumerate() {
            let place = format!("interfaces[{at}]");
            let spec = interface_spec(&place, interface)?;
            if interfaces
                .iter()
                .any(|known| (known.kind, known.name) == (spec.kind, spec.name))
            {
                let reason = format!("there are two {} interfaces '{}'", spec.kind, spec.name);
                return Err(Unfit::new(place, reason));
            }
            interfaces.push(Box::leak(Box::new(spec)));
        }
        let mut hardware_types: Vec<&'static HardwareType> = Vec::new();
        for (at, raw) in raw.hardware_types.into_iter().enumerate() {
            let place = format!("hardware_types[{at}]");
            let hardware_type = hardware_type(&place, raw)?;
            if hardware_types.iter().any(|t| t.name == hardware_type.name) {
                let reason = format!("there are two hardware types '{}'", hardware_type.name);
                return Err(Unfit::new(place, reason));
            }
            hardware_types.push(Box::leak(Box::new(hardware_type)));
        }
        Ok(Self {
            name: raw.name,
            version: raw.version,
            hardware_types,
            interfaces,
            example: raw.example.map(|example| example.driver_info),
            said,
        })
    }
}

fn hardware_type(place: &str, raw: raw::HardwareType) -> Result<HardwareType, Unfit> {
    name(&format!("{place}.name"), &raw.name)?;
    let mut lists: BTreeMap<InterfaceKind, &'static [&'static str]> = BTreeMap::new();
    for (kind, names) in raw.interfaces {
        let place = format!("{place}.interfaces.{kind}");
        count(&place, names.len())?;
        if names.is_empty() {
            return Err(Unfit::new(place, "the list is empty; leave the kind out"));
        }
        let mut list = Vec::new();
        for one in names {
            name(&place, &one)?;
            if list.contains(&&*one) {
                return Err(Unfit::new(place, format!("'{one}' is there twice")));
            }
            list.push(kept(one));
        }
        lists.insert(kind, list.leak());
    }
    for kind in [InterfaceKind::Power, InterfaceKind::Management] {
        if !lists.contains_key(&kind) {
            let place = format!("{place}.interfaces.{kind}");
            return Err(Unfit::new(place, "a hardware type must name one"));
        }
    }
    Ok(HardwareType::declared(kept(raw.name), &lists))
}

fn interface_spec(place: &str, raw: raw::Interface) -> Result<InterfaceSpec, Unfit> {
    let at = |field: &str| format!("{place}.{field}");
    name(&at("name"), &raw.name)?;
    let kind = raw.kind;
    if !KINDS.contains(&kind) {
        let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.as_str()).collect();
        let reason = format!(
            "a program cannot have a {kind} interface; it can have: {}",
            kinds.join(", ")
        );
        return Err(Unfit::new(at("kind"), reason));
    }
    let only = |field: &str, wanted: InterfaceKind, is_empty: bool| match (kind == wanted, is_empty)
    {
        (false, false) => Err(Unfit::new(at(field), format!("only {wanted} has this"))),
        _ => Ok(()),
    };
    only("targets", InterfaceKind::Power, raw.targets.is_empty())?;
    only(
        "boot_devices",
        InterfaceKind::Management,
        raw.boot_devices.is_empty(),
    )?;
    only("methods", InterfaceKind::Vendor, raw.methods.is_empty())?;
    only(
        "disk_properties",
        InterfaceKind::Raid,
        raw.disk_properties.is_empty(),
    )?;
    if kind == InterfaceKind::Power
        && ![PowerTarget::On, PowerTarget::Off]
            .iter()
            .all(|needed| raw.targets.contains(needed))
    {
        let reason = "a power interface has at least 'power on' and 'power off'";
        return Err(Unfit::new(at("targets"), reason));
    }
    count(&at("properties"), raw.properties.len())?;
    let mut properties: Vec<Property> = Vec::new();
    let mut meanings = Vec::new();
    for (i, property) in raw.properties.into_iter().enumerate() {
        let place = format!("{place}.properties[{i}]");
        let meaning = meaning(&place, &property)?;
        if properties.iter().any(|known| known.name == property.name) {
            return Err(Unfit::new(
                place,
                format!("'{}' is there twice", property.name),
            ));
        }
        let name = kept(property.name);
        meanings.push((name, kept(meaning)));
        properties.push(Property {
            name,
            is_required: property.required,
            is_secret: property.secret,
            is_address: property.address,
        });
    }
    count(&at("steps"), raw.steps.len())?;
    let mut steps: Vec<StepSpec> = Vec::new();
    for (i, step) in raw.steps.into_iter().enumerate() {
        let place = format!("{place}.steps[{i}]");
        let spec = step_spec(&place, step)?;
        if steps
            .iter()
            .any(|s| (s.kind, s.step) == (spec.kind, spec.step))
        {
            let reason = format!("there are two {} steps '{}'", spec.kind, spec.step);
            return Err(Unfit::new(place, reason));
        }
        steps.push(spec);
    }
    count(&at("boot_devices"), raw.boot_devices.len())?;
    let mut boot_devices = Vec::new();
    for device in raw.boot_devices {
        name(&at("boot_devices"), &device)?;
        boot_devices.push(kept(device));
    }
    count(&at("disk_properties"), raw.disk_properties.len())?;
    let mut disk_properties = Vec::new();
    for (key, meaning) in raw.disk_properties {
        property_name(&at("disk_properties"), &key)?;
        text(&at("disk_properties"), &meaning)?;
        disk_properties.push((kept(key), kept(meaning)));
    }
    Ok(InterfaceSpec {
        kind,
        name: kept(raw.name),
        properties,
        meanings: meanings.leak(),
        steps: steps.leak(),
        targets: raw.targets.leak(),
        boot_devices: boot_devices.leak(),
        methods: methods(place, raw.methods)?,
        disk_properties: disk_properties.leak(),
        features: raw.features.into_iter().collect(),
        on_restart: match raw.on_restart {
            None => OnRestart::Fail("it cannot be told how far the hardware came"),
            Some(restart) => on_restart(&at("on_restart"), restart, false)?,
        },
    })
}

fn step_spec(place: &str, raw: raw::Step) -> Result<StepSpec, Unfit> {
    let at = |field: &str| format!("{place}.{field}");
    step_name(&at("name"), &raw.name)?;
    if raw.kind == StepKind::Verify {
        let reason = "a program can have steps of the kinds clean, deploy and service";
        return Err(Unfit::new(at("kind"), reason));
    }
    if types::step::Reserved::of(&raw.name).is_some() {
        let reason = format!("the service itself carries out steps named '{}'", raw.name);
        return Err(Unfit::new(at("name"), reason));
    }
    if !(0..=LONGEST_PRIORITY).contains(&raw.priority) {
        let reason = format!("must be between 0 and {LONGEST_PRIORITY}");
        return Err(Unfit::new(at("priority"), reason));
    }
    count(&at("args"), raw.args.len())?;
    let mut args: Vec<ArgSpec> = Vec::new();
    for arg in raw.args {
        property_name(&at("args"), &arg.name)?;
        text(&at("args"), &arg.description)?;
        if args.iter().any(|known| known.name == arg.name) {
            return Err(Unfit::new(
                at("args"),
                format!("'{}' is there twice", arg.name),
            ));
        }
        args.push(ArgSpec {
            name: kept(arg.name),
            description: kept(arg.description),
            required: arg.required,
        });
    }
    Ok(StepSpec {
        kind: raw.kind,
        step: kept(raw.name),
        priority: raw.priority,
        abortable: raw.abortable,
        requires_ramdisk: raw.requires_ramdisk,
        args: args.leak(),
        on_restart: on_restart(&at("on_restart"), raw.on_restart, true)?,
    })
}

fn on_restart(place: &str, raw: raw::OnRestart, is_step: bool) -> Result<OnRestart, Unfit> {
    match raw {
        raw::OnRestart::Repeat => Ok(OnRestart::Repeat),
        raw::OnRestart::Fail(reason) => {
            text(place, &reason)?;
            Ok(OnRestart::Fail(kept(reason)))
        }
        raw::OnRestart::Poll(reason) if is_step => {
            text(place, &reason)?;
            Ok(OnRestart::GoOn(kept(reason)))
        }
        raw::OnRestart::Poll(_) => Err(Unfit::new(place, "only steps can be polled")),
    }
}

fn methods(place: &str, raw: Vec<raw::Method>) -> Result<Vec<Method>, Unfit> {
    count(&format!("{place}.methods"), raw.len())?;
    let mut methods: Vec<Method> = Vec::new();
    for (i, method) in raw.into_iter().enumerate() {
        let place = format!("{place}.methods[{i}]");
        step_name(&format!("{place}.name"), &method.name)?;
        text(&format!("{place}.description"), &method.description)?;
        if methods.iter().any(|known| known.about.name == method.name) {
            return Err(Unfit::new(
                place,
                format!("'{}' is there twice", method.name),
            ));
        }
        const VERBS: &[&str] = &["DELETE", "GET", "PATCH", "POST", "PUT"];
        let is_known = |verb: &String| VERBS.contains(&verb.as_str());
        if method.http_methods.is_empty() || !method.http_methods.iter().all(is_known) {
            let reason = format!("must name at least one of {}", VERBS.join(", "));
            return Err(Unfit::new(format!("{place}.http_methods"), reason));
        }
        count(&format!("{place}.args"), method.args.len())?;
        for arg in &method.args {
            property_name(&format!("{place}.args"), &arg.name)?;
            text(&format!("{place}.args"), &arg.description)?;
        }
        let (required, optional): (Vec<_>, Vec<_>) =
            method.args.into_iter().partition(|arg| arg.required);
        let names = |args: Vec<raw::Arg>| args.into_iter().map(|arg| arg.name).collect();
        methods.push(Method {
            about: VendorMethod {
                name: method.name,
                http_methods: method.http_methods,
                r#async: method.r#async,
                description: method.description,
                attach: false,
                require_exclusive_lock: method.exclusive,
            },
            required: names(required),
            optional: names(optional),
        });
    }
    methods.sort_unstable_by(|a, b| a.about.name.cmp(&b.about.name));
    Ok(methods)
}

/// What clients read about a property.
fn meaning(place: &str, raw: &raw::Property) -> Result<String, Unfit> {
    property_name(place, &raw.name)?;
    text(place, &raw.description)?;
    // The same rule seals values in the database and masks them on the wire.
    if raw.secret && !mask::is_secret_key(&raw.name) {
        let reason = format!(
            "'{}' is secret, and its name must say so: let it contain 'password', 'secret' or 'token'",
            raw.name
        );
        return Err(Unfit::new(place, reason));
    }
    let end = raw.description.trim_end_matches('.');
    Ok(match raw.required {
        true => format!("{end}. Required."),
        false => format!("{end}. Optional."),
    })
}

fn count(place: &str, count: usize) -> Result<(), Unfit> {
    match count > MOST {
        true => Err(Unfit::new(
            place,
            format!("there are {count}, and {MOST} are allowed"),
        )),
        false => Ok(()),
    }
}

/// A name of a type or an interface, as it stands in options.
fn name(place: &str, text: &str) -> Result<(), Unfit> {
    let is_good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    let starts = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    match starts && text.len() <= LONGEST_NAME && text.chars().all(is_good) {
        true => Ok(()),
        false => Err(Unfit::new(
            place,
            format!(
                "'{}' is no name: it has at most {LONGEST_NAME} of a-z, 0-9, '-', '_' and '.', and begins with a letter or digit",
                proto::driver::plain(text, 100)
            ),
        )),
    }
}

/// A key or an argument.
fn property_name(place: &str, text: &str) -> Result<(), Unfit> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic());
    match starts && text.len() <= LONGEST_NAME && text.chars().all(is_good) {
        true => Ok(()),
        false => Err(Unfit::new(
            place,
            format!(
                "'{}' is no name: it has at most {LONGEST_NAME} letters, digits and '_', and begins with a letter",
                proto::driver::plain(text, 100)
            ),
        )),
    }
}

fn step_name(place: &str, text: &str) -> Result<(), Unfit> {
    property_name(place, text)
}

fn text(place: &str, text: &str) -> Result<(), Unfit> {
    let is_control = text.chars().any(char::is_control);
    match text.trim().is_empty() || text.len() > LONGEST_TEXT || is_control {
        true => Err(Unfit::new(
            place,
            format!("a text is needed here, on one line of at most {LONGEST_TEXT} bytes"),
        )),
        false => Ok(()),
    }
}

fn kept(text: String) -> &'static str {
    String::leak(text)
}

#[cfg(test)]
mod tests;
