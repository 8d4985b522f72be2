//! Vendor methods: settings of the BIOS, and the jobs that take them over.
//!
//! The answers have the keys of all releases of Ironic that had these methods.

use super::{
    BIOS_SERVICE, DONE, DracServer, TARGET,
    bios::{self, Settings},
    class, fields, jobs, order,
};
use crate::{
    DriverError,
    iface::{Machine, Vendor},
    wsman::WsMan,
};
use async_trait::async_trait;
use proto::wsman::Argument;
use serde_json::{Value, json};
use types::{JsonMap, LeaseProof, pyrepr, rpc::VendorMethod};

const GET: &str = "get_bios_config";
const SET: &str = "set_bios_config";
const COMMIT: &str = "commit_bios_config";
const ABANDON: &str = "abandon_bios_config";
const JOBS: &str = "list_unfinished_jobs";

/// Method, how it is asked for, and what it does; sorted by name.
const METHODS: [(&str, &str, &str); 5] = [
    (
        ABANDON,
        "DELETE",
        "Abandon BIOS settings that are pending in the iDRAC.",
    ),
    (
        COMMIT,
        "POST",
        "Create the job that takes over pending BIOS settings at the next start. Optional argument: 'reboot' (Boolean) - restart the server at once; false by default.",
    ),
    (
        GET,
        "GET",
        "Get all BIOS settings with their ranges and pending values.",
    ),
    (
        JOBS,
        "GET",
        "List the jobs of the lifecycle controller that are not over.",
    ),
    (
        SET,
        "POST",
        "Change BIOS settings, which are pending then. The arguments are names of settings with their new values.",
    ),
];

async fn settings(talk: &mut WsMan<'_>) -> Result<Settings, DriverError> {
    let mut all = Settings::new();
    for (class, kind) in bios::CLASSES {
        let found = talk.enumerate(class, None).await?;
        if let Err(name) = bios::add(&mut all, kind, &found) {
            let name = talk.quoted(&name);
            let text = format!("two of its BIOS settings are called {name}");
            return Err(talk.error(DriverError::Protocol, text));
        }
    }
    Ok(all)
}

/// What `reboot` of a request says.
fn reboot(arguments: &JsonMap) -> Result<bool, DriverError> {
    match arguments.get("reboot") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(reboot)) => Ok(*reboot),
        Some(other) => match pyrepr::to_str(other).to_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(DriverError::InvalidParameter(
                "Argument reboot must be true or false.".to_owned(),
            )),
        },
    }
}

impl DracServer {
    async fn set_bios(&self, machine: &Machine<'_>, asked: &JsonMap) -> Result<Value, DriverError> {
        let mut talk = self.open_ready(machine, "set BIOS settings").await?;
        // Passwords of the BIOS are settings like any other.
        for (name, value) in asked {
            if name.to_lowercase().contains("password") {
                talk.hide(&pyrepr::to_str(value));
            }
        }
        jobs::none_unfinished(&mut talk).await?;
        let all = settings(&mut talk).await?;
        let change = bios::change(&all, asked).map_err(DriverError::InvalidParameter)?;
        if !change.unknown.is_empty() {
            let names = change.unknown.join(", ");
            tracing::warn!(node = %machine.node.id, names, "BIOS settings that the server does not have are left out");
        }
        if change.values.is_empty() {
            return Ok(set_answer(false));
        }
        let mut arguments = vec![Argument::Text("Target", TARGET)];
        let values = change.values.iter();
        arguments.extend(
            values
                .clone()
                .map(|(name, _)| Argument::Text("AttributeName", name)),
        );
        arguments.extend(values.map(|(_, value)| Argument::Text("AttributeValue", value)));
        let service = (class!("DCIM_BIOSService"), BIOS_SERVICE);
        let reply = order(&mut talk, service, "SetAttributes", &arguments, DONE).await?;
        let wanted = fields(reply.content(), "RebootRequired");
        Ok(set_answer(
            wanted.iter().any(|one| one.eq_ignore_ascii_case("yes")),
        ))
    }
}

fn set_answer(is_needed: bool) -> Value {
    json!({
        "commit_needed": is_needed, "commit_required": is_needed,
        "is_commit_required": is_needed, "is_reboot_required": is_needed,
    })
}

#[async_trait]
impl Vendor for DracServer {
    fn methods(&self) -> Vec<VendorMethod> {
        let all = METHODS
            .iter()
            .map(|(name, method, description)| VendorMethod {
                name: (*name).to_owned(),
                http_methods: vec![(*method).to_owned()],
                r#async: false,
                description: (*description).to_owned(),
                attach: false,
                require_exclusive_lock: *method != "GET",
            });
        all.collect()
    }

    fn check(&self, method: &str, arguments: &JsonMap) -> Result<(), DriverError> {
        match method {
            COMMIT => reboot(arguments).map(|_| ()),
            SET if arguments.is_empty() => Err(DriverError::InvalidParameter(
                "No BIOS setting was given.".to_owned(),
            )),
            known if METHODS.iter().any(|(name, _, _)| *name == known) => Ok(()),
            other => Err(DriverError::InvalidParameter(format!(
                "No handler for method {other}"
            ))),
        }
    }

    async fn call(
        &self,
        _lease: Option<&LeaseProof>,
        machine: &mut Machine<'_>,
        method: &str,
        arguments: &JsonMap,
    ) -> Result<Value, DriverError> {
        Vendor::check(self, method, arguments)?;
        let machine: &Machine<'_> = machine;
        match method {
            SET => self.set_bios(machine, arguments).await,
            COMMIT => {
                let reboot = reboot(arguments)?;
                let mut talk = self.open_ready(machine, "commit BIOS settings").await?;
                jobs::none_unfinished(&mut talk).await?;
                let job = jobs::create(&mut talk, reboot).await?;
                Ok(json!({
                    "committing": null, "job_id": job, "reboot_needed": !reboot,
                    "reboot_required": !reboot, "is_reboot_required": !reboot,
                }))
            }
            ABANDON => {
                let mut talk = self.open_ready(machine, "abandon BIOS settings").await?;
                let service = (class!("DCIM_BIOSService"), BIOS_SERVICE);
                let arguments = [Argument::Text("Target", TARGET)];
                let method = "DeletePendingConfiguration";
                order(&mut talk, service, method, &arguments, DONE).await?;
                Ok(json!({"abandoned": null}))
            }
            JOBS => {
                let mut talk = self.open(machine, "unfinished jobs").await?;
                let found = jobs::unfinished(&mut talk).await?;
                let records: Vec<Value> = found.iter().map(jobs::Job::record).collect();
                Ok(json!({ "unfinished_jobs": records }))
            }
            _ => {
                let mut talk = self.open_ready(machine, "BIOS settings").await?;
                let all = settings(&mut talk).await?;
                let records = all
                    .iter()
                    .map(|(name, setting)| (name.clone(), setting.record(name)));
                Ok(Value::Object(records.collect()))
            }
        }
    }
}
