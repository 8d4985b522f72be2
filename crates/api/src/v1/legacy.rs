//! What ramdisks of releases up to 6 call, where an operator lets them: vendor methods of nodes, and
//! `lookup` of drivers.
//!
//! These calls need no credentials. Whether a call is believed is the conductor's to say; here it is
//! noted where it came from.

use super::ramdisk;
use crate::{call::Call, error::ApiError, json_writer::JsonWriter, reply::Reply, route::Method};
use serde_json::{Value, json};
use types::{
    JsonMap,
    port::MacAddress,
    pyrepr,
    rpc::{LEGACY_PEER, VendorAnswer},
};

/// Vendor methods of nodes that ramdisks call. The first needs `/v1` before it.
const METHODS: [&str; 3] = [
    "heartbeat",
    "pass_deploy_info",
    "pass_bootloader_install_info",
];
/// The only version of what agents of that time send.
const VERSION: &str = "2";
/// More than any machine has.
const MOST_ADDRESSES: usize = 256;

/// Whether a path is one that such ramdisks call.
pub(crate) fn is_path(path: &str) -> bool {
    let plain = |part: &str| {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        !part.is_empty() && part.bytes().all(allowed) && !part.starts_with('.')
    };
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').skip(1).collect();
    match parts[..] {
        ["v1", "nodes", node, "vendor_passthru", method] => {
            plain(node) && METHODS.contains(&method)
        }
        ["nodes", node, "vendor_passthru", method] => plain(node) && METHODS[1..].contains(&method),
        ["v1", "drivers", driver, "vendor_passthru", "lookup"] => plain(driver),
        _ => false,
    }
}

/// Whether a vendor method is called by such a ramdisk.
pub(super) fn is_method(call: &Call, method: &str) -> bool {
    call.state.settings.legacy_ramdisk && METHODS.contains(&method)
}

/// Passes a ramdisk's call on.
pub(super) async fn report(call: &Call, method: &str, body: Value) -> Result<Reply, ApiError> {
    let Value::Object(mut arguments) = body else {
        return Err(ApiError::invalid("The request body must be a JSON object"));
    };
    arguments.remove(LEGACY_PEER);
    if let Some(from) = call.agent_origin {
        arguments.insert(LEGACY_PEER.to_owned(), from.to_string().into());
    }
    let node = ramdisk::reporting_node(call, call.param("node")).await?;
    let (verb, caller) = (call.method.as_str().to_owned(), &call.ctx.caller);
    let answer = call
        .state
        .conductor
        .vendor_call(caller, node.id, method.to_owned(), verb, arguments)
        .await
        .map_err(|fault| ramdisk::not_taken(&node, fault))?;
    Ok(match answer {
        VendorAnswer::Accepted => Reply::accepted(),
        VendorAnswer::Done(value) => Reply::ok(JsonWriter::document(&value)),
    })
}

/// Whether a driver's method is the lookup of such an agent.
pub(super) fn is_lookup(call: &Call) -> bool {
    call.state.settings.legacy_ramdisk
        && call.param("method") == "lookup"
        && call.method == Method::Post
}

/// The node of the machine that asks.
pub(super) async fn lookup(call: &Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    match body.get("version").map(pyrepr::to_str).as_deref() {
        None => return Err(ApiError::invalid("Missing parameter version")),
        Some(VERSION) => {}
        Some(other) => {
            return Err(ApiError::invalid(format!(
                "Unknown lookup payload version: {other}"
            )));
        }
    }
    let interfaces = body
        .get("inventory")
        .and_then(|inventory| inventory.get("interfaces"));
    let interfaces = interfaces.and_then(Value::as_array).into_iter().flatten();
    let addresses: Vec<MacAddress> = interfaces
        .filter_map(|interface| interface.get("mac_address")?.as_str()?.parse().ok())
        .take(MOST_ADDRESSES)
        .collect();
    let node = ramdisk::expecting(call, body.get("node_uuid"), &addresses).await?;
    let node = node.ok_or_else(|| {
        let shown = addresses.iter().map(ToString::to_string);
        let shown: Vec<String> = shown.collect();
        let shown = pyrepr::repr_list(shown.iter().map(String::as_str));
        ApiError::not_found(format!(
            "No ports matching the given MAC addresses {shown}exist in the database."
        ))
    })?;
    let told: Value =
        serde_json::from_slice(&ramdisk::document(call, &node, &Value::Null)).unwrap_or_default();
    let mut answer = JsonMap::new();
    answer.insert(
        "heartbeat_timeout".to_owned(),
        json!(call.state.settings.agent.heartbeat_timeout),
    );
    answer.insert("node".to_owned(), told["node"].clone());
    Ok(Reply::ok(JsonWriter::document(&Value::Object(answer))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ramdisks_call_is_open() {
        for path in [
            "/v1/nodes/1be26c0b-03f2-4d2e-ae87-c02d7f33c123/vendor_passthru/pass_deploy_info",
            "/nodes/m1/vendor_passthru/pass_bootloader_install_info/",
            "/v1/nodes/m1/vendor_passthru/heartbeat",
            "/v1/drivers/pxe_ipmitool/vendor_passthru/lookup",
        ] {
            assert!(is_path(path), "{path}");
        }
        for path in [
            "/nodes/m1/vendor_passthru/heartbeat",
            "/v1/nodes/m1/vendor_passthru/bmc_reset",
            "/v1/nodes/m1/vendor_passthru",
            "/v1/nodes/../vendor_passthru/heartbeat",
            "/v1/nodes/m1%2f/vendor_passthru/heartbeat",
            "/v1/nodes//vendor_passthru/heartbeat",
            "/v1/nodes/m1/vendor_passthru/heartbeat/x",
            "/v1/drivers/ipmi/vendor_passthru/other",
            "v1/nodes/m1/vendor_passthru/heartbeat",
        ] {
            assert!(!is_path(path), "{path}");
        }
    }
}
