//! Exchanges in words.

use proto::ipmi::message::Completion;
use types::recording::{Answer, Exchange, HttpQuestion, IpmiQuestion, Question, SnmpMessage};

/// Question and answer, as people call them.
pub(super) fn summary(exchange: &Exchange) -> String {
    let question = match &exchange.question {
        Question::Login(login) => {
            format!(
                "log in as \"{}\", {}, IPMI {}",
                login.user, login.privilege, login.version
            )
        }
        Question::Ipmi(asked) => ipmi(asked),
        Question::Http(HttpQuestion { method, path, .. }) => format!("{method} {path}"),
        Question::Snmp(SnmpMessage { kind, variables }) => {
            let each = |(name, value): &(String, String)| match value.as_str() {
                "" => name.clone(),
                value => format!("{name} = {value}"),
            };
            let names: Vec<String> = variables.iter().map(each).collect();
            format!("{kind} {}", names.join(", "))
        }
        Question::Driver(asked) => asked.method.to_string(),
        Question::Words(said) | Question::Command(said) => said.words.clone(),
    };
    let answer = match &exchange.answer {
        Some(Answer::Login {}) => "ok".to_owned(),
        Some(Answer::Ipmi(answer)) => match (Completion(answer.completion), &exchange.question) {
            (Completion::OK, Question::Ipmi(asked)) => said(asked, &answer.data),
            (code, _) => code.to_string(),
        },
        Some(Answer::Http(answer)) => answer.status.to_string(),
        Some(Answer::Snmp(answer)) => {
            let values: Vec<&str> = answer.variables.iter().map(|(_, v)| v.as_str()).collect();
            match &*answer.kind {
                "response" => values.join(", "),
                refusal => refusal.to_owned(),
            }
        }
        Some(Answer::Driver(answer)) => match &answer.error {
            Some((code, text)) => format!("{code}: {text}"),
            None => "ok".to_owned(),
        },
        Some(Answer::Words(said)) => said.words.clone(),
        None => String::new(),
    };
    let failure = exchange.failure.as_deref();
    let parts = [
        Some(answer.as_str()).filter(|text| !text.is_empty()),
        failure,
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    format!("{question} → {}", parts.join("; "))
}

fn ipmi(asked: &IpmiQuestion) -> String {
    let (netfn, command) = (asked.netfn, asked.command);
    let named = COMMANDS
        .iter()
        .find(|(n, c, _)| (*n, *c) == (netfn, command));
    let mut text = match named {
        Some((_, _, name)) => (*name).to_owned(),
        None => format!("command {netfn:#04x} {command:#04x}"),
    };
    let detail = match (netfn, command) {
        (CHASSIS, CONTROL) => asked.data.first().and_then(|code| {
            let codes = [
                "power off",
                "power on",
                "power cycle",
                "hard reset",
                "diagnostic interrupt",
                "soft shutdown",
            ];
            codes
                .get(usize::from(*code & 0x0f))
                .map(|word| (*word).to_owned())
        }),
        (CHASSIS, SET_BOOT_OPTION | GET_BOOT_OPTION) => asked
            .data
            .first()
            .map(|parameter| format!("parameter {}", parameter & 0x7f)),
        _ if named.is_none() || netfn == SENSOR => hex(&asked.data),
        _ => None,
    };
    if let Some(detail) = detail {
        text.push_str(": ");
        text.push_str(&detail);
    }
    if asked.hidden_from.is_some() {
        text.push_str(" (with a secret)");
    }
    if let Some(via) = &asked.via {
        text.push_str(" via ");
        text.push_str(via);
    }
    text
}

/// What a good answer says, where that is a word.
fn said(asked: &IpmiQuestion, data: &[u8]) -> String {
    let word = match (asked.netfn, asked.command) {
        (CHASSIS, STATUS) => data.first().map(|state| match state & 1 {
            1 => "power is on",
            _ => "power is off",
        }),
        _ => None,
    };
    match word {
        Some(word) => word.to_owned(),
        None if data.len() <= 16 => hex(data).map_or("ok".into(), |data| format!("ok, {data}")),
        None => format!("ok, {} bytes", data.len()),
    }
}

fn hex(data: &[u8]) -> Option<String> {
    let bytes: Vec<String> = data.iter().map(|byte| format!("{byte:02x}")).collect();
    (!bytes.is_empty()).then(|| bytes.join(" "))
}

const CHASSIS: u8 = 0x00;
const SENSOR: u8 = 0x04;
const APP: u8 = 0x06;
const STORAGE: u8 = 0x0a;
const GROUP: u8 = 0x2c;
const TRANSPORT: u8 = 0x0c;
const STATUS: u8 = 0x01;
const CONTROL: u8 = 0x02;
const SET_BOOT_OPTION: u8 = 0x08;
const GET_BOOT_OPTION: u8 = 0x09;

/// The names that the specification gives.
const COMMANDS: &[(u8, u8, &str)] = &[
    (CHASSIS, 0x00, "Get Chassis Capabilities"),
    (CHASSIS, STATUS, "Get Chassis Status"),
    (CHASSIS, CONTROL, "Chassis Control"),
    (CHASSIS, 0x04, "Chassis Identify"),
    (CHASSIS, 0x07, "Get System Restart Cause"),
    (CHASSIS, SET_BOOT_OPTION, "Set System Boot Options"),
    (CHASSIS, GET_BOOT_OPTION, "Get System Boot Options"),
    (SENSOR, 0x20, "Get Device SDR Info"),
    (SENSOR, 0x21, "Get Device SDR"),
    (SENSOR, 0x22, "Reserve Device SDR Repository"),
    (SENSOR, 0x23, "Get Sensor Reading Factors"),
    (SENSOR, 0x27, "Get Sensor Thresholds"),
    (SENSOR, 0x2d, "Get Sensor Reading"),
    (APP, 0x01, "Get Device ID"),
    (APP, 0x02, "Cold Reset"),
    (APP, 0x03, "Warm Reset"),
    (APP, 0x37, "Get System GUID"),
    (APP, 0x38, "Get Channel Authentication Capabilities"),
    (APP, 0x3b, "Set Session Privilege Level"),
    (APP, 0x3c, "Close Session"),
    (APP, 0x34, "Send Message"),
    (APP, 0x46, "Get User Name"),
    (APP, 0x47, "Set User Password"),
    (APP, 0x48, "Activate Payload"),
    (APP, 0x49, "Deactivate Payload"),
    (APP, 0x4a, "Get Payload Activation Status"),
    (APP, 0x4b, "Get Payload Instance Info"),
    (APP, 0x54, "Get Channel Cipher Suites"),
    (APP, 0x56, "Set Channel Security Keys"),
    (STORAGE, 0x10, "Get FRU Inventory Area Info"),
    (STORAGE, 0x11, "Read FRU Data"),
    (STORAGE, 0x20, "Get SDR Repository Info"),
    (STORAGE, 0x22, "Reserve SDR Repository"),
    (STORAGE, 0x23, "Get SDR"),
    (STORAGE, 0x40, "Get SEL Info"),
    (STORAGE, 0x42, "Reserve SEL"),
    (STORAGE, 0x43, "Get SEL Entry"),
    (STORAGE, 0x47, "Clear SEL"),
    (GROUP, 0x02, "Get Power Reading"),
    (TRANSPORT, 0x01, "Set LAN Configuration Parameters"),
    (TRANSPORT, 0x02, "Get LAN Configuration Parameters"),
    (TRANSPORT, 0x21, "Set SOL Configuration Parameters"),
    (TRANSPORT, 0x22, "Get SOL Configuration Parameters"),
];
