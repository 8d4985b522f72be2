//! `states` and what can be changed below it, except for the provision state.

use crate::{
    call::Call, check::raid, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply,
    v1::subject, view,
};
use serde_json::Value;
use types::{Fault, Node, PowerTarget, ProvisionState, pyrepr, version::since};

const BOOT_MODES: &[&str] = &["bios", "uefi"];

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeGetStates).await?;
    let (version, node) = (call.version(), &node);
    let mut w = JsonWriter::with_capacity(512);
    w.begin_object();
    w.key("console_enabled");
    w.bool(node.console_enabled);
    w.key("last_error");
    w.opt_str(node.last_error.as_deref());
    w.key("power_state");
    w.opt_str(node.power_state.map(|state| state.as_str()));
    w.key("provision_state");
    w.opt_str(view::node::provision_state(node.provision_state, version));
    w.key("target_power_state");
    w.opt_str(node.target_power_state.map(|state| state.as_str()));
    w.key("target_provision_state");
    w.opt_str(node.target_provision_state.map(|state| state.as_str()));
    w.key("provision_updated_at");
    w.opt_time(node.provision_updated_at);
    if version >= since::RAID {
        w.key("raid_config");
        w.map(&node.raid_config);
        w.key("target_raid_config");
        w.map(&node.target_raid_config);
    }
    if version >= since::BOOT_MODE {
        w.key("boot_mode");
        w.opt_str(node.boot_mode.as_deref());
        w.key("secure_boot");
        w.opt_bool(node.secure_boot);
    }
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn put_power(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["target", "timeout"])?;
    args.require("target")?;
    let word = args.string("target")?;
    let timeout = args.integer("timeout")?;
    let node = subject::node_for(&call, Rule::NodeSetPowerState).await?;
    subject::served(&call, &node).await?;
    let target = word.and_then(|word| word.parse().ok());
    let soft = matches!(target, Some(PowerTarget::SoftReboot | PowerTarget::SoftOff));
    // A time-out of zero slips through here, as in Ironic, and is refused below.
    if soft || timeout.is_some_and(|seconds| seconds != 0) {
        call.require(since::SOFT_POWER)?;
    }
    let timeout = timeout
        .map(|seconds| match u64::try_from(seconds) {
            Ok(0) | Err(_) => Err(ApiError::invalid("timeout has to be positive integer")),
            Ok(seconds) => Ok(seconds),
        })
        .transpose()?;
    let target = check_power(&call, &node, word, target)?;
    let conductor = &call.state.conductor;
    conductor
        .set_power(&call.ctx.caller, node.id, target, timeout)
        .await?;
    Ok(Reply::accepted().at(subject::states_url(&call)))
}

fn check_power(
    call: &Call,
    node: &Node,
    word: Option<&str>,
    target: Option<PowerTarget>,
) -> Result<PowerTarget, ApiError> {
    let refuse = |state: &str| Fault::InvalidStateRequested {
        action: word.unwrap_or("None").to_owned(),
        node: call.param("node").to_owned(),
        state: state.to_owned(),
    };
    let Some(target) = target else {
        return Err(refuse(node.power_state.map_or("None", |state| state.as_str())).into());
    };
    // Whoever cleans a node switches it himself.
    if matches!(
        node.provision_state,
        ProvisionState::Cleaning | ProvisionState::CleanWait
    ) {
        return Err(refuse(node.provision_state.as_str()).into());
    }
    if node.stays_on() && matches!(target, PowerTarget::Off | PowerTarget::SoftOff) {
        return Err(Fault::PowerOffDisabled(target).into());
    }
    Ok(target)
}

pub(crate) async fn put_raid(call: Call) -> Result<Reply, ApiError> {
    let in_path = call.path_args.first();
    let given = call.body()?;
    let config = match in_path.map_or(given, |(_, text)| text.as_str().into()) {
        Value::Object(config) => config,
        other => {
            return Err(ApiError::invalid(format!(
                "Expected types <class 'dict'> for target_raid_config: {}",
                pyrepr::to_str(&other)
            )));
        }
    };
    let node = subject::node_for(&call, Rule::NodeSetRaidState).await?;
    call.require(since::RAID)?;
    subject::served(&call, &node).await?;
    raid::check(&config).map_err(ApiError::invalid)?;
    let conductor = &call.state.conductor;
    conductor
        .set_target_raid(&call.ctx.caller, node.id, config)
        .await?;
    Ok(Reply::no_content())
}

pub(crate) async fn put_boot_mode(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["target"])?;
    args.require("target")?;
    let mode = args.string("target")?;
    let node = subject::node_for(&call, Rule::NodeSetBootMode).await?;
    subject::served(&call, &node).await?;
    boot_endpoint(&call)?;
    let Some(mode) = mode.filter(|mode| BOOT_MODES.contains(mode)) else {
        return Err(ApiError::invalid(format!(
            "Invalid boot mode {} requested for node. Allowed boot modes are: {}",
            mode.unwrap_or("None"),
            BOOT_MODES.join(", ")
        )));
    };
    settled(&node)?;
    let conductor = &call.state.conductor;
    conductor
        .set_boot_mode(&call.ctx.caller, node.id, mode.to_owned())
        .await?;
    Ok(Reply::accepted().at(subject::states_url(&call)))
}

pub(crate) async fn put_secure_boot(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["target"])?;
    args.require("target")?;
    let on = args.boolean("target")?;
    let node = subject::node_for(&call, Rule::NodeSetSecureBoot).await?;
    subject::served(&call, &node).await?;
    boot_endpoint(&call)?;
    let Some(on) = on else {
        // The stray bracket and blank are Ironic's.
        return Err(ApiError::invalid(
            "Invalid secure_boot None requested for node. Allowed secure_boot states are: True, False) ",
        ));
    };
    settled(&node)?;
    let conductor = &call.state.conductor;
    conductor
        .set_secure_boot(&call.ctx.caller, node.id, on)
        .await?;
    Ok(Reply::accepted().at(subject::states_url(&call)))
}

fn boot_endpoint(call: &Call) -> Result<(), ApiError> {
    if call.version() < since::SET_BOOT_MODE {
        return Err(ApiError::not_found(format!(
            "This endpoint is supported starting with the API version {}",
            since::SET_BOOT_MODE
        )));
    }
    Ok(())
}

/// Refuses a change of boot settings while somebody else may be changing them.
fn settled(node: &Node) -> Result<(), ApiError> {
    if ProvisionState::UNSTABLE.contains(&node.provision_state) {
        // Ironic forgets to fill in the state, for secure boot as well.
        return Err(ApiError::conflict(
            "Node is in %(state)s state. Since node is transitioning, the boot mode will not be set as this may interfere with ongoing changes and result in erroneous modification. Try again later.",
        ));
    }
    Ok(())
}

pub(crate) async fn get_console(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeGetConsole).await?;
    subject::served(&call, &node).await?;
    let mut console = call.state.conductor.console(node.id).await?;
    // The page of this service has the address under which it is asked.
    if console.info["type"] == "vnc"
        && let Some(url) = console.info["url"].as_str()
        && url.starts_with('/')
    {
        console.info["url"] = format!("{}{url}", call.ctx.base).into();
    }
    let mut w = JsonWriter::with_capacity(128);
    w.begin_object();
    w.key("console_enabled");
    w.bool(console.enabled);
    w.key("console_info");
    w.value(&console.info);
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn put_console(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["enabled"])?;
    args.require("enabled")?;
    let on = args.boolean("enabled")?.unwrap_or(false);
    let node = subject::node_for(&call, Rule::NodeSetConsoleState).await?;
    subject::served(&call, &node).await?;
    let conductor = &call.state.conductor;
    conductor.set_console(&call.ctx.caller, node.id, on).await?;
    let url = call
        .ctx
        .url(&format!("nodes/{}/states/console", call.param("node")));
    Ok(Reply::accepted().at(url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::json;
    use types::{NodeId, PowerState};

    async fn with_node(change: impl FnOnce(&mut Node)) -> Service {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        change(&mut node);
        service.store_node(node).await;
        service
    }

    async fn put(service: &Service, what: &str, minor: u16, body: Value) -> crate::testing::Answer {
        let path = format!("/v1/nodes/n1/states/{what}");
        service.send("PUT", &path, minor, body).await
    }

    fn asked(service: &Service) -> Vec<String> {
        service.conductor.asked.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn states_grow_with_the_version() {
        let service = with_node(|node| {
            node.provision_state = ProvisionState::InspectWait;
            node.target_provision_state = Some(ProvisionState::Manageable);
            node.power_state = Some(PowerState::On);
            node.secure_boot = Some(false);
        })
        .await;
        let old = service.get("/v1/nodes/n1/states", 11).await.json();
        assert_eq!(old["provision_state"], "inspecting");
        assert_eq!(old.as_object().unwrap().len(), 7);
        let new = service.get("/v1/nodes/n1/states", 115).await.json();
        assert_eq!(new["provision_state"], "inspect wait");
        assert_eq!(new["raid_config"], json!({}));
        assert_eq!(new["secure_boot"], false);
        assert_eq!(new["boot_mode"], Value::Null);
    }

    #[tokio::test]
    async fn power_is_passed_on() {
        let service = with_node(|_| ()).await;
        let answer = put(
            &service,
            "power",
            115,
            json!({"target": "soft power off", "timeout": "15"}),
        )
        .await;
        assert_eq!(answer.status.as_u16(), 202);
        assert_eq!(
            answer.header("location"),
            "http://h:6385/v1/nodes/n1/states"
        );
        let path = "/v1/nodes/n1/states/power?target=power%20on";
        assert_eq!(
            service
                .send("PUT", path, 115, Value::Null)
                .await
                .status
                .as_u16(),
            202
        );
        assert_eq!(
            asked(&service),
            [
                r#"set_power "soft power off" 15"#,
                r#"set_power "power on" null"#
            ]
        );
    }

    #[tokio::test]
    async fn power_is_refused_in_order() {
        let service = with_node(|node| {
            node.disable_power_off = Some(true);
            node.provision_state = ProvisionState::Cleaning;
        })
        .await;
        for (minor, body, status, text) in [
            (
                26,
                json!({"target": "soft rebooting"}),
                406,
                "Request not acceptable.",
            ),
            (
                26,
                json!({"target": "fly", "timeout": 5}),
                406,
                "Request not acceptable.",
            ),
            (
                115,
                json!({"target": "fly", "timeout": 0}),
                400,
                "timeout has to be positive integer",
            ),
            (
                115,
                json!({"target": "fly"}),
                400,
                "The requested action \"fly\" can not be performed on node \"n1\" while it is in state \"None\".",
            ),
            (
                115,
                json!({"target": "power off"}),
                400,
                "The requested action \"power off\" can not be performed on node \"n1\" while it is in state \"cleaning\".",
            ),
        ] {
            let answer = put(&service, "power", minor, body.clone()).await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault().as_str()),
                (status, text),
                "{body}"
            );
        }
        let service = with_node(|node| node.disable_power_off = Some(true)).await;
        let answer = put(&service, "power", 115, json!({"target": "soft power off"})).await;
        assert_eq!(answer.status.as_u16(), 409);
        assert_eq!(
            answer.fault(),
            "Failed to set node power state to soft power off."
        );
        assert!(asked(&service).is_empty());
    }

    #[tokio::test]
    async fn boot_settings_wait_for_a_settled_node() {
        let service = with_node(|_| ()).await;
        assert_eq!(
            put(&service, "boot_mode", 115, json!({"target": "uefi"}))
                .await
                .status
                .as_u16(),
            202
        );
        assert_eq!(
            put(&service, "secure_boot", 115, json!({"target": "on"}))
                .await
                .status
                .as_u16(),
            202
        );
        assert_eq!(
            asked(&service),
            [r#"set_boot_mode "uefi""#, "set_secure_boot true"]
        );
        let old = put(&service, "boot_mode", 75, json!({"target": "uefi"})).await;
        assert_eq!(old.status.as_u16(), 404);
        assert_eq!(
            old.fault(),
            "This endpoint is supported starting with the API version 1.76"
        );
        let busy = with_node(|node| node.provision_state = ProvisionState::Verifying).await;
        for (what, target) in [("boot_mode", json!("bios")), ("secure_boot", json!(false))] {
            let answer = put(&busy, what, 115, json!({"target": target})).await;
            assert_eq!(answer.status.as_u16(), 409, "{what}");
        }
        let wrong = put(&busy, "secure_boot", 115, json!({"target": null})).await;
        assert!(
            wrong
                .fault()
                .starts_with("Invalid secure_boot None requested")
        );
    }

    #[tokio::test]
    async fn raid_takes_the_whole_body() {
        let service = with_node(|_| ()).await;
        let config = json!({"logical_disks": [{"raid_level": "1", "size_gb": "MAX"}]});
        assert_eq!(put(&service, "raid", 12, config).await.status.as_u16(), 204);
        assert_eq!(
            put(&service, "raid", 115, json!({})).await.status.as_u16(),
            204
        );
        assert_eq!(asked(&service).len(), 2);
        assert_eq!(
            put(&service, "raid", 11, json!({})).await.status.as_u16(),
            406
        );
        let wrong = put(&service, "raid", 115, json!([])).await;
        assert_eq!(
            wrong.fault(),
            "Expected types <class 'dict'> for target_raid_config: []"
        );
    }

    #[tokio::test]
    async fn the_console_is_switched_and_shown() {
        let service = with_node(|_| ()).await;
        let answer = put(&service, "console", 115, json!({"enabled": null})).await;
        assert_eq!(
            answer.header("location"),
            "http://h:6385/v1/nodes/n1/states/console"
        );
        let shown = service.get("/v1/nodes/n1/states/console", 115).await;
        assert_eq!(
            shown.text,
            r#"{"console_enabled": false, "console_info": null}"#
        );
        assert_eq!(asked(&service), ["set_console false", "console"]);
    }
}
