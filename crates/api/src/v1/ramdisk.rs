//! What a ramdisk asks before anybody has told it anything: which node it runs on, and where to
//! report.
//!
//! Both are open to everybody on the provisioning network. A lookup tells the agent's token once,
//! to the first who asks; a report must show it.

use crate::{
    args::{self, Args},
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    settings::Settings,
    view::{ViewContext, secret},
};
use axum::http::StatusCode;
use reqwest::Url;
use serde_json::{Value, json};
use std::net::IpAddr;
use types::{
    Fault, JsonMap, Node, NodeId, ProvisionState as S, id,
    mask::{self, MASK},
    port::MacAddress,
    rpc::{Heartbeat, WRONG_TOKEN},
    version::since,
};

/// Where a node expects a ramdisk to look it up.
const EXPECTING: &[S] = &[
    S::Deploying,
    S::DeployWait,
    S::Cleaning,
    S::CleanWait,
    S::Inspecting,
    S::InspectWait,
    S::Rescuing,
    S::RescueWait,
    S::ServiceWait,
];
/// Where it also may when agents stay up between operations.
const EXPECTING_FAST: &[S] = &[
    S::Enroll,
    S::Manageable,
    S::Available,
    S::Servicing,
    S::ServiceHold,
];

/// What a heartbeat says besides the node.
const HEARTBEAT_ARGS: &[&str] = &[
    "callback_url",
    "agent_version",
    "agent_token",
    "agent_verify_ca",
    "agent_status",
    "agent_status_message",
];
/// More than any machine has.
const MOST_ADDRESSES: usize = 256;

pub(crate) async fn lookup(call: Call) -> Result<Reply, ApiError> {
    check_enabled(&call, "/v1/lookup")?;
    let args = call.args(&["addresses", "node_uuid"])?;
    let addresses = args.string_list("addresses")?.unwrap_or_default();
    let uuid = args.uuid("node_uuid")?.map(str::to_owned);
    call.require_endpoint(since::RAMDISK_ENDPOINTS)?;
    call.permit(Rule::DriverIpaLookup, &Target::NONE)?;
    let addresses: Vec<MacAddress> = addresses.iter().filter_map(|a| a.parse().ok()).collect();
    if addresses.len() > MOST_ADDRESSES {
        return Err(ApiError::invalid(format!(
            "At most {MOST_ADDRESSES} addresses can be looked up"
        )));
    }
    if addresses.is_empty() && uuid.is_none() {
        return Err(ApiError::invalid(
            "At least one of 'addresses' and 'node_uuid' parameters is required",
        ));
    }
    let uuid = uuid.map(Value::String);
    let node = expecting(&call, uuid.as_ref(), &addresses).await?;
    let node = node.ok_or_else(ApiError::resource_not_found)?;
    let (node, token) = if call.version() >= since::AGENT_TOKEN {
        node_with_token(&call, node.id).await?
    } else {
        (node, Value::Null)
    };
    Ok(Reply::ok(document(&call, &node, &token)))
}

/// The node that a ramdisk looks for, by its id or by the addresses of its machine.
pub(super) async fn expecting(
    call: &Call,
    uuid: Option<&Value>,
    addresses: &[MacAddress],
) -> Result<Option<Node>, ApiError> {
    let node = match uuid.and_then(Value::as_str) {
        Some(uuid) => by_uuid(call, uuid).await?,
        None => by_addresses(call, addresses).await?,
    };
    Ok(node.filter(|node| !call.state.settings.restrict_lookup || expects(call, node)))
}

/// The node as its ramdisk may see it, and the token for the ramdisk: masked if it was told before.
pub(super) async fn node_with_token(call: &Call, node: NodeId) -> Result<(Node, Value), ApiError> {
    let conductor = &call.state.conductor;
    let told = match call.agent_origin {
        Some(from) => conductor.node_for_agent_at(node, from).await,
        None => conductor.node_for_agent(node).await,
    };
    let (node, token) = told.map_err(ApiError::from_node_write)?;
    Ok((node, token.unwrap_or_else(|| MASK.to_owned()).into()))
}

/// `POST /heartbeat`: the node is named beside the rest.
pub(crate) async fn heartbeat_of_none(call: Call) -> Result<Reply, ApiError> {
    check_enabled(&call, "/v1/heartbeat")?;
    let args = call.args(&[&["node_ident"], HEARTBEAT_ARGS].concat())?;
    args.require("node_ident")?;
    let ident = args.uuid_or_name("node_ident")?;
    let ident = ident
        .ok_or_else(|| ApiError::invalid("Expected a logical name or UUID but received None."))?;
    take_heartbeat(&call, ident, &args).await
}

pub(crate) async fn heartbeat(call: Call) -> Result<Reply, ApiError> {
    check_enabled(&call, &format!("/v1/heartbeat/{}", call.param("node")))?;
    if call.body.is_large() {
        call.permit(Rule::NodeIpaHeartbeat, &Target::NONE)?;
        call.prepare_body().await?;
    }
    args::uuid_or_name("node_ident", &Value::from(call.param("node")))?;
    let args = call.args(HEARTBEAT_ARGS)?;
    take_heartbeat(&call, call.param("node"), &args).await
}

async fn take_heartbeat(call: &Call, ident: &str, args: &Args) -> Result<Reply, ApiError> {
    args.require("callback_url")?;
    let heartbeat = Heartbeat {
        from: call.agent_origin,
        ..read_heartbeat(args)?
    };
    call.require_endpoint(since::RAMDISK_ENDPOINTS)?;
    call.permit(Rule::NodeIpaHeartbeat, &Target::NONE)?;
    check_fields(call, &heartbeat)?;
    check_report(&heartbeat)?;
    let node = reporting_node(call, ident).await?;
    let taken = call.state.conductor.heartbeat(node.id, heartbeat).await;
    taken.map_err(|fault| not_taken(&node, fault))?;
    Ok(Reply::accepted())
}

/// The node that an agent reports for. The answer is the same for a node that does not exist and for
/// a wrong token: agents retry in both cases, and callers without a token cannot enumerate nodes.
pub(crate) async fn reporting_node(call: &Call, ident: &str) -> Result<Node, ApiError> {
    match lookup::any_node_at_end(call, ident).await {
        Err(error) if error.status() == StatusCode::NOT_FOUND => {
            tracing::info!(ident, "an agent reports for a node that does not exist");
            Err(ApiError::invalid(WRONG_TOKEN))
        }
        found => found,
    }
}

/// Why a report is not taken. What goes wrong before the token is looked at does not show that the
/// node exists.
pub(crate) fn not_taken(node: &Node, fault: Fault) -> ApiError {
    match fault {
        Fault::NodeNotFound(_) | Fault::NoValidHost { .. } | Fault::DriverUnknown(_) => {
            tracing::warn!(node = %node.id, %fault, "the report of an agent cannot be taken");
            ApiError::invalid(WRONG_TOKEN)
        }
        fault => ApiError::from_node_write(fault),
    }
}

pub(crate) fn check_enabled(call: &Call, path: &str) -> Result<(), ApiError> {
    if call.state.settings.enable_ramdisk_endpoints {
        return Ok(());
    }
    Err(ApiError::forbidden(format!(
        "Access was denied to the following resource: {path}"
    )))
}

async fn by_uuid(call: &Call, uuid: &str) -> Result<Option<Node>, ApiError> {
    match id::canonical::<NodeId>(uuid) {
        Some(id) => Ok(store::node::find(&call.state.db, id).await?),
        None => Ok(None),
    }
}

/// The one node that all known addresses belong to.
async fn by_addresses(call: &Call, addresses: &[MacAddress]) -> Result<Option<Node>, ApiError> {
    let owners = store::port::owners(&call.state.db, addresses).await?;
    let mut owners = owners.into_iter();
    match (owners.next(), owners.next()) {
        (Some(id), None) => Ok(store::node::find(&call.state.db, id).await?),
        _ => Ok(None),
    }
}

fn expects(call: &Call, node: &Node) -> bool {
    let fast = node.fast_track(call.state.settings.fast_track);
    EXPECTING.contains(&node.provision_state)
        || (fast && EXPECTING_FAST.contains(&node.provision_state))
}

fn read_heartbeat(args: &Args) -> Result<Heartbeat, ApiError> {
    let text = |name| args.string(name).map(|found| found.map(str::to_owned));
    Ok(Heartbeat {
        callback_url: text("callback_url")?.unwrap_or_default(),
        agent_version: text("agent_version")?,
        agent_token: text("agent_token")?,
        agent_verify_ca: text("agent_verify_ca")?,
        agent_status: text("agent_status")?,
        agent_status_message: text("agent_status_message")?,
        from: None,
    })
}

/// Fields that are newer than the version are refused by name.
fn check_fields(call: &Call, heartbeat: &Heartbeat) -> Result<(), ApiError> {
    let version = call.version();
    if heartbeat.agent_version.is_some() && version < since::AGENT_VERSION {
        return Err(ApiError::invalid("Field \"agent_version\" not recognised"));
    }
    let tells_status = heartbeat.agent_status.is_some() || heartbeat.agent_status_message.is_some();
    if tells_status && version < since::AGENT_STATUS {
        return Err(ApiError::invalid(
            "Fields \"agent_status\" and \"agent_status_message\" not recognised.",
        ));
    }
    if heartbeat.agent_verify_ca.is_some() && version < since::AGENT_VERIFY_CA {
        return Err(ApiError::invalid(
            "Field \"agent_verify_ca\" not recognised in this version",
        ));
    }
    Ok(())
}

/// What can be said of a report before anybody knows whether the token is right: nothing that
/// depends on the node, so that nobody learns from the answer which nodes there are.
fn check_report(heartbeat: &Heartbeat) -> Result<(), ApiError> {
    if !heartbeat.callback_url.is_empty() {
        check_callback(&heartbeat.callback_url, heartbeat.from)?;
    }
    if let Some(status) = &heartbeat.agent_status
        && !["start", "end", "error"].contains(&status.as_str())
    {
        return Err(ApiError::invalid(
            "Agent status is invalid. Valid states are start,end,error.",
        ));
    }
    if heartbeat.agent_token.is_none() {
        return Err(ApiError::invalid(
            "Agent token is required for heartbeat processing.",
        ));
    }
    Ok(heartbeat.check_version()?)
}

/// Whether an agent can be called at an address, and is what calls from there: nobody is to have
/// us send commands to others.
fn check_callback(text: &str, from: Option<IpAddr>) -> Result<(), ApiError> {
    let wrong =
        || ApiError::invalid("An issue with the supplied \"callback_url\" has been detected.");
    // What the parser would pass over is not passed over by everybody who reads the address later.
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(wrong());
    }
    let url = Url::parse(text).map_err(|_| wrong())?;
    // Agents ask for no password, and none is kept in clear.
    if !matches!(url.scheme(), "http" | "https") || url.password().is_some() {
        return Err(wrong());
    }
    let Some(from) = from else { return Ok(()) };
    let host = url.host_str().unwrap_or_default();
    let host: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    if host.map(|host| host.to_canonical()) == Some(from) {
        return Ok(());
    }
    tracing::warn!(
        %from,
        callback_url = %mask::text(text),
        "a heartbeat was refused, because its callback_url names another address than it came from; \
         [corten]agent_proxies names proxies and networks where that is right"
    );
    Err(ApiError::invalid(format!(
        "The \"callback_url\" must name the address that the heartbeat comes from, which is {from}."
    )))
}

/// A map without passwords in the addresses in it: agents are told by commands what to fetch.
fn without_passwords(map: &JsonMap) -> JsonMap {
    fn cleaned(value: &Value) -> Value {
        match value {
            Value::String(text) if text.contains("://") => mask::text(text).into_owned().into(),
            Value::Object(inner) => Value::Object(without_passwords(inner)),
            Value::Array(items) => items.iter().map(cleaned).collect(),
            other => other.clone(),
        }
    }
    map.iter()
        .map(|(key, value)| (key.clone(), cleaned(value)))
        .collect()
}

/// What a ramdisk learns about its node and about us.
pub(super) fn document(call: &Call, node: &Node, token: &Value) -> Vec<u8> {
    let id = node.id.to_string();
    let scene = ViewContext::new(call, &id);
    let mut w = JsonWriter::with_capacity(2048);
    w.begin_object();
    w.key("node");
    w.begin_object();
    w.key("uuid");
    w.str(&id);
    w.key("properties");
    w.map(&node.properties);
    w.key("instance_info");
    secret::instance_info(&mut w, &without_passwords(&node.instance_info));
    w.key("driver_internal_info");
    secret::map(&mut w, &node.driver_internal_info.public_json());
    w.key("links");
    scene.links(&mut w, "nodes");
    w.end_object();
    w.key("config");
    w.value(&config(&call.state.settings, node, token));
    w.end_object();
    w.finish()
}

fn config(settings: &Settings, node: &Node, token: &Value) -> Value {
    let agent = &settings.agent;
    let (metrics, containers) = (&agent.metrics, &agent.containers);
    let management = node.interfaces.get(types::InterfaceKind::Management);
    json!({
        "metrics": {
            "backend": metrics.backend, "prepend_host": metrics.prepend_host,
            "prepend_uuid": metrics.prepend_uuid,
            "prepend_host_reverse": metrics.prepend_host_reverse,
            "global_prefix": metrics.global_prefix,
        },
        "metrics_statsd": {
            "statsd_host": metrics.statsd_host, "statsd_port": metrics.statsd_port,
        },
        "heartbeat_timeout": agent.heartbeat_timeout,
        "agent_containers": {
            "allow_arbitrary_containers": containers.allow_arbitrary,
            "allowed_containers": containers.allowed,
            "container_steps_file": containers.steps_file,
            "runner": containers.runner,
            "pull_options": containers.pull_options,
            "run_options": containers.run_options,
        },
        "agent_token": token,
        "agent_token_required": true,
        "agent_md5_checksum_enable": agent.allow_md5_checksum,
        "disable_deep_image_inspection": agent.disable_deep_image_inspection,
        "permitted_image_formats": agent.permitted_image_formats,
        "agent_skip_bmc_detect": matches!(management, "redfish" | "idrac-redfish"),
        "enable_bios_bootloader_install": agent.enable_bios_bootloader_install,
        "tls_min_version": agent.tls_minimum_version,
        "tls_cipher_suites": agent.tls_ciphers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_called_where_it_speaks_from() {
        let from = |text: &str| text.parse().ok();
        let fits = |url, address| check_callback(url, from(address)).is_ok();
        assert!(fits("https://10.0.0.5:9999", "10.0.0.5"));
        assert!(fits("https://[2001:db8::5]:9999", "2001:db8::5"));
        assert!(fits("https://[::ffff:10.0.0.5]:9999", "10.0.0.5"));
        assert!(!fits("https://10.0.0.6:9999", "10.0.0.5"));
        assert!(!fits("https://10.0.0.5@10.0.0.6:9999", "10.0.0.5"));
        assert!(!fits("https://localhost:9999", "127.0.0.1"));
        // Where nobody knows where it speaks from, it is believed.
        assert!(fits("https://agent.example:9999", ""));
        for wrong in [
            "x",
            "ftp://10.0.0.5",
            " http://10.0.0.5:9999",
            "ht\ttp://10.0.0.5:9999",
            "https://10.0.0.5:9999\n",
            "xhttp://10.0.0.5",
            "http://user:password@10.0.0.5:9999",
        ] {
            assert!(!fits(wrong, "10.0.0.5") && !fits(wrong, ""), "{wrong}");
        }
    }

    #[test]
    fn passwords_in_addresses_are_not_told() {
        let info = json!({
            "image_source": "https://user:hush@host/image", "root_gb": 4,
            "nested": [{"url": "http://u:hush@h/"}],
        });
        let told = Value::Object(without_passwords(info.as_object().unwrap()));
        assert!(!told.to_string().contains("hush"), "{told}");
        assert_eq!(told["root_gb"], 4);
        let plain = json!({"image_source": "https://host/image", "kernel": "abc"});
        let told = without_passwords(plain.as_object().unwrap());
        assert_eq!(Value::Object(told), plain);
    }
}
