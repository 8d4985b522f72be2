//! `management`: what the machine boots from, its indicators, and the non-maskable interrupt.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use types::version::since;

pub(crate) async fn get_boot_device(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeGetBootDevice).await?;
    let current = call.state.conductor.boot_device(node.id).await?;
    let mut w = JsonWriter::with_capacity(64);
    w.begin_object();
    w.key("boot_device");
    w.opt_str(current.device.as_deref());
    w.key("persistent");
    w.opt_bool(current.persistent);
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn put_boot_device(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["boot_device", "persistent"])?;
    args.require("boot_device")?;
    // An explicit null is looked up under the name that Python gives it, and found invalid.
    let device = args.string("boot_device")?.unwrap_or("None").to_owned();
    let persistent = args.boolean("persistent")?.unwrap_or(false);
    let node = subject::node_for(&call, Rule::NodeSetBootDevice).await?;
    let conductor = &call.state.conductor;
    conductor
        .set_boot_device(&call.ctx.caller, node.id, device, persistent)
        .await?;
    Ok(Reply::no_content())
}

pub(crate) async fn get_supported(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeGetBootDevice).await?;
    let devices = call.state.conductor.supported_boot_devices(node.id).await?;
    let mut w = JsonWriter::with_capacity(128);
    w.begin_object();
    w.key("supported_boot_devices");
    w.begin_array();
    for device in &devices {
        w.str(device);
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn put_inject_nmi(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.require_endpoint(since::INJECT_NMI)?;
    let node = subject::node_for(&call, Rule::NodeInjectNmi).await?;
    let conductor = &call.state.conductor;
    conductor.inject_nmi(&call.ctx.caller, node.id).await?;
    Ok(Reply::no_content())
}

pub(crate) async fn get_indicators(call: Call) -> Result<Reply, ApiError> {
    // Unlike elsewhere, unknown arguments are ignored here.
    let node = subject::node_for(&call, Rule::NodeGetIndicatorState).await?;
    let indicators = call.state.conductor.indicators(node.id).await?;
    let (base, ident) = (call.ctx.base.as_str(), call.param("node"));
    let mut w = JsonWriter::with_capacity(1024);
    w.begin_object();
    w.key("indicators");
    w.begin_array();
    for indicator in &indicators {
        let name = format!("{}@{}", indicator.name, indicator.component);
        w.begin_object();
        w.key("name");
        w.str(&name);
        w.key("component");
        w.str(&indicator.component);
        w.key("readonly");
        w.bool(indicator.readonly);
        w.key("states");
        w.begin_array();
        for state in &indicator.states {
            w.str(state);
        }
        w.end_array();
        w.key("links");
        w.begin_array();
        for (prefix, rel) in [("/v1/nodes/", "self"), ("/nodes/", "bookmark")] {
            w.link(
                &[base, prefix, ident, "/management/indicators/", &name],
                rel,
            );
        }
        w.end_array();
        w.end_object();
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn get_indicator(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeGetIndicatorState).await?;
    let (name, component) = split_indicator(call.param("indicator"))?;
    let conductor = &call.state.conductor;
    let state = conductor.indicator(node.id, component, name).await?;
    let mut w = JsonWriter::with_capacity(32);
    w.begin_object();
    w.key("state");
    w.str(&state);
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn put_indicator(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["state"])?;
    args.require("state")?;
    let state = args.string("state")?.unwrap_or("None");
    let node = subject::node_for(&call, Rule::NodeSetIndicatorState).await?;
    let (name, component) = split_indicator(call.param("indicator"))?;
    let conductor = &call.state.conductor;
    conductor
        .set_indicator(&call.ctx.caller, node.id, component, name, state.to_owned())
        .await?;
    Ok(Reply::no_content())
}

/// Name and component out of `led-0@chassis`.
fn split_indicator(unique: &str) -> Result<(String, String), ApiError> {
    unique
        .split_once('@')
        .map(|(name, component)| (name.to_owned(), component.to_owned()))
        .ok_or_else(|| ApiError::invalid(format!("Malformed indicator name \"{unique}\"")))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{Node, NodeId};

    async fn service() -> (Service, String) {
        let service = Service::new();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let id = service.store_node(node).await.id;
        (service, format!("/v1/nodes/{id}/management"))
    }

    #[tokio::test]
    async fn boot_devices() {
        let (service, path) = service().await;
        let path = format!("{path}/boot_device");
        let shown = service.get(&path, 1).await;
        assert_eq!(shown.text, r#"{"boot_device": "pxe", "persistent": false}"#);
        let supported = service.get(&format!("{path}/supported"), 1).await;
        assert_eq!(supported.text, r#"{"supported_boot_devices": ["pxe"]}"#);
        let body = json!({"boot_device": "disk", "persistent": true});
        assert_eq!(
            service.send("PUT", &path, 1, body).await.status.as_u16(),
            204
        );
        let asked = service.conductor.asked.lock().unwrap().clone();
        assert_eq!(asked, ["boot_device", r#"set_boot_device "disk" true"#]);
        let wrong = service.send("POST", &path, 1, json!({})).await;
        assert_eq!((wrong.status.as_u16(), wrong.header("allow")), (405, ""));
    }

    #[tokio::test]
    async fn an_interrupt_takes_no_arguments_and_a_version() {
        let (service, path) = service().await;
        let path = format!("{path}/inject_nmi");
        assert_eq!(
            service
                .send("PUT", &path, 29, Value::Null)
                .await
                .status
                .as_u16(),
            204
        );
        assert_eq!(
            service
                .send("PUT", &path, 28, Value::Null)
                .await
                .status
                .as_u16(),
            404
        );
        let refused = service.send("PUT", &path, 115, json!({"a": 1})).await;
        assert_eq!(refused.fault(), "Unexpected arguments: a");
    }

    #[tokio::test]
    async fn indicators_are_named_with_their_component() {
        let (service, path) = service().await;
        let led = format!("{path}/indicators/led-0@chassis");
        assert_eq!(service.get(&led, 63).await.text, r#"{"state": "on"}"#);
        let set = service.send("PUT", &led, 63, json!({"state": "off"})).await;
        assert_eq!(set.status.as_u16(), 204);
        let asked = service.conductor.asked.lock().unwrap().clone();
        assert_eq!(
            asked,
            [
                r#"indicator "chassis" "led-0""#,
                r#"set_indicator "chassis" "led-0" "off""#
            ]
        );
        let wrong = service.get(&format!("{path}/indicators/led"), 63).await;
        assert_eq!(wrong.fault(), "Malformed indicator name \"led\"");
        let all = service.get(&format!("{path}/indicators"), 63).await;
        assert_eq!(all.text, r#"{"indicators": []}"#);
    }
}
