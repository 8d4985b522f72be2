//! What is done to a node, or to a driver by its vendor methods. Most of it prints nothing.

use reqwest::Method;
use serde_json::{Value, json};

use super::list::joined;
use super::record::{object, print_record};
use super::{document, node_call, pairs, truth};
use crate::old::Failure;
use crate::old::ask::Context;
use crate::old::grammar::Step;
use crate::old::parse::Given;
use crate::old::python;

pub(super) async fn passthru(
    context: &mut Context,
    given: &Given,
    path: &[Step],
) -> Result<(), Failure> {
    let arguments = pairs(given.all("arguments"))?;
    let method = given.text("http_method").unwrap_or("POST").to_uppercase();
    let method = match method.as_str() {
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        "PATCH" => Method::PATCH,
        "GET" => Method::GET,
        "DELETE" => Method::DELETE,
        other => return Err(Failure::failed(format!("Unknown HTTP method: {other}"))),
    };
    let takes_arguments = !matches!(method, Method::GET | Method::DELETE);
    let mut call = super::call(method, path, given)?;
    if takes_arguments {
        call = call.body(arguments);
    }
    let answer = context.ask(&call).await?;
    match python::is_true(&answer) {
        true => {
            let text = crate::console::printable(&python::text(&answer));
            context.print(&format!("{text}\n"))
        }
        false => Ok(()),
    }
}

pub(super) async fn supported_boot_devices(
    context: &mut Context,
    given: &Given,
) -> Result<(), Failure> {
    let path = ["management", "boot_device", "supported"];
    let call = node_call(Method::GET, given, &path)?;
    let mut answer = object(context.ask(&call).await?);
    let devices = match answer.get("supported_boot_devices") {
        Some(Value::Array(devices)) => joined(devices, ", "),
        _ => "".into(),
    };
    answer.insert("supported_boot_devices".to_owned(), devices);
    print_record(context, &answer, "Value", 72)
}

/// A request with a body whose answer nobody reads.
async fn put(
    context: &Context,
    given: &Given,
    path: &[&str],
    body: impl Into<Value>,
) -> Result<(), Failure> {
    let call = node_call(Method::PUT, given, path)?.body(body);
    context.ask(&call).await.map(drop)
}

pub(super) async fn set_boot_device(context: &Context, given: &Given) -> Result<(), Failure> {
    let body = json!({
        "boot_device": given.text("device"),
        "persistent": given.has("persistent"),
    });
    put(context, given, &["management", "boot_device"], body).await
}

pub(super) async fn set_console(context: &Context, given: &Given) -> Result<(), Failure> {
    let enabled = truth("<enabled>", given.text("enabled").unwrap_or_default())?;
    put(
        context,
        given,
        &["states", "console"],
        json!({"enabled": enabled}),
    )
    .await
}

pub(super) async fn set_maintenance(context: &Context, given: &Given) -> Result<(), Failure> {
    let word = given.text("maintenance_mode").unwrap_or_default();
    let reason = given.text("reason").filter(|reason| !reason.is_empty());
    match (truth("<maintenance-mode>", word)?, reason) {
        (true, _) => {
            let body = json!({"reason": given.text("reason")});
            put(context, given, &["maintenance"], body).await
        }
        (false, Some(_)) => Err(Failure::usage(
            "Cannot set \"reason\" when turning off maintenance mode.",
        )),
        (false, None) => {
            let call = node_call(Method::DELETE, given, &["maintenance"])?;
            context.ask(&call).await.map(drop)
        }
    }
}

pub(super) async fn set_power(context: &Context, given: &Given) -> Result<(), Failure> {
    let target = match (
        given.text("power_state").unwrap_or_default(),
        given.has("soft"),
    ) {
        ("on", true) => {
            let text = "'soft' option is invalid for the power-state 'on'";
            return Err(Failure::usage(text));
        }
        ("on", false) => "power on",
        ("off", false) => "power off",
        ("off", true) => "soft power off",
        (_, false) => "rebooting",
        (_, true) => "soft rebooting",
    };
    let mut body = json!({"target": target});
    if let Some(seconds) = given.number("power_timeout") {
        if seconds <= 0 {
            return Err(Failure::usage(
                "'timeout' option for setting power state must have positive integer value (> 0)",
            ));
        }
        body["timeout"] = seconds.into();
    }
    put(context, given, &["states", "power"], body).await
}

pub(super) async fn set_target_raid(context: &Context, given: &Given) -> Result<(), Failure> {
    let word = given.text("target_raid_config").unwrap_or_default();
    if word.is_empty() {
        return Err(Failure::failed("target RAID configuration not provided"));
    }
    put(context, given, &["states", "raid"], document(word)?).await
}

pub(super) async fn inject_nmi(context: &Context, given: &Given) -> Result<(), Failure> {
    put(context, given, &["management", "inject_nmi"], json!({})).await
}

pub(super) async fn vif_attach(context: &Context, given: &Given) -> Result<(), Failure> {
    let mut body = pairs(given.all("vif_info"))?;
    if body.contains_key("id") {
        let text = "The attribute 'id' can't be specified in vif-info";
        return Err(Failure::failed(text));
    }
    body.insert("id".to_owned(), given.text("vif_id").into());
    let call = node_call(Method::POST, given, &["vifs"])?.body(body);
    context.ask(&call).await.map(drop)
}

pub(super) async fn vif_detach(context: &Context, given: &Given) -> Result<(), Failure> {
    let vif = given.text("vif_id").unwrap_or_default();
    let call = node_call(Method::DELETE, given, &["vifs", vif])?;
    context.ask(&call).await.map(drop)
}
