//! `PATCH /nodes/{node}`.

use crate::{
    call::Call,
    check::network_data,
    error::ApiError,
    lookup,
    patch::{Patch, Verb},
    policy::{self, Rule, Target},
    reply::Reply,
    schema::{self, node as shape},
    v1::node::{attribute, create, guard, name},
    view::node as view,
};
use serde_json::Value;
use types::{Fault, InterfaceKind, JsonMap, Node, ProvisionState, rpc::NodeUpdate, version::since};

/// What may be patched, in the order in which a refusal lists it.
pub(super) const ALLOWED: &[&str] = &[
    "automated_clean",
    "bios_interface",
    "boot_interface",
    "chassis_uuid",
    "conductor_group",
    "console_interface",
    "deploy_interface",
    "description",
    "disable_power_off",
    "driver",
    "driver_info",
    "extra",
    "inspect_interface",
    "instance_info",
    "instance_name",
    "instance_uuid",
    "lessee",
    "maintenance",
    "management_interface",
    "name",
    "network_data",
    "network_interface",
    "owner",
    "power_interface",
    "properties",
    "protected",
    "protected_reason",
    "raid_interface",
    "rescue_interface",
    "resource_class",
    "retired",
    "retired_reason",
    "shard",
    "storage_interface",
    "vendor_interface",
    "parent_node",
    "firmware_interface",
];

/// How often a patch is applied anew when somebody else changed the node meanwhile.
const ATTEMPTS: usize = 3;

/// `PATCH /nodes/{node}`.
pub(crate) async fn patch(call: Call) -> Result<Reply, ApiError> {
    let (body, args) = call.body_and_args(&["reset_interfaces"])?;
    let reset = args.boolean("reset_interfaces")?;
    let patch = Patch::parse(&body)?;
    if reset.is_some() {
        call.require(since::RESET_INTERFACES)?;
    }
    let reset = reset.unwrap_or(false);
    check_operations(&call, &patch, reset)?;
    let rules = policy::patch_rules(&patch);
    let mut attempt = 1;
    let mut node = loop {
        // Asked again with every reading: the node may have got another owner meanwhile.
        let node = lookup::node_at_end(&call, call.param("node")).await?;
        for rule in &rules {
            call.permit(*rule, &Target::node(&node))?;
        }
        let update = NodeUpdate {
            base_version: node.version,
            node: patched(&call, node, &patch).await?,
            reset_interfaces: reset,
        };
        let conductor = &call.state.conductor;
        match conductor.update_node(&call.ctx.caller, update).await {
            Err(Fault::Stale(_)) if attempt < ATTEMPTS => attempt += 1,
            result => break result.map_err(ApiError::from_node_write)?,
        }
    };
    // Ironic answers while it still holds its lock, and clients have seen that ever since.
    if node.reservation.is_none() {
        node.reservation = call
            .state
            .conductor
            .owner(node.id, &node.driver, &node.conductor_group);
    }
    Ok(Reply::ok(view::full(&call, &node)?))
}

/// Everything that can be said without looking at the node.
fn check_operations(call: &Call, patch: &Patch, reset: bool) -> Result<(), ApiError> {
    for capabilities in patch.values("/properties/capabilities") {
        create::check_capabilities(call, capabilities.as_str().unwrap_or_default())?;
    }
    patch.allow(ALLOWED)?;
    let written: Vec<&str> = patch
        .0
        .iter()
        .filter(|op| op.verb != Verb::Remove && op.path.matches('/').count() == 1)
        .map(|op| op.root())
        .collect();
    view::check_versions(call.version(), written)?;
    if reset && patch.values("/driver").next().is_none() {
        return Err(ApiError::invalid(
            "The reset_interfaces parameter can only be used when changing the node's driver.",
        ));
    }
    let description = patch.values("/description").next().and_then(Value::as_str);
    if description.is_some_and(|text| text.chars().count() > shape::DESCRIPTION_LENGTH) {
        return Err(ApiError::invalid(format!(
            "Cannot update node with description exceeding {} characters",
            shape::DESCRIPTION_LENGTH
        )));
    }
    for value in patch.values("/network_data") {
        network_data::check(value, call.state.settings.node_shapes.network_data)
            .map_err(ApiError::invalid)?;
    }
    Ok(())
}

/// The node as the patch leaves it.
async fn patched(call: &Call, node: Node, patch: &Patch) -> Result<Node, ApiError> {
    let ident = call.param("node");
    let parent = match patch.values("/parent_node").next() {
        Some(Value::String(parent)) => Some(create::parent_id(call, &node, parent).await?),
        _ => None,
    };
    check_state(call, &node, patch)?;
    check_owner(call, &node, patch).await?;
    for value in patch.values("/name") {
        let complaint = format!("Node {ident}: Cannot change name to invalid name");
        name::check(call, value, &complaint)?;
    }
    let mut document = apply(call, &node, patch)?;
    // A node that names itself keeps the word it used, as in Ironic.
    if let Some(parent) = parent.filter(|parent| *parent != node.id.to_string()) {
        document.insert("parent_node".into(), parent.into());
    }
    let had_chassis = node.chassis.is_some();
    let driver = node.driver.clone();
    let before = node.instance_info.clone();
    let driver_info = node.driver_info.clone();
    let mut node = node;
    // Once each: a patch may have thousands of operations on one large attribute.
    for root in patch.roots() {
        let value = document.get(root).cloned().unwrap_or(Value::Null);
        if let Some(kind) = InterfaceKind::of_field(root)
            && value == ""
        {
            return Err(create::no_such_interface(call, kind).await?);
        }
        attribute::set(&mut node, root, value)?;
    }
    guard::check_change(call, patch, &driver_info, &node.driver_info)?;
    if patch.touches("chassis_uuid") {
        check_chassis(call, had_chassis, &node).await?;
    }
    // Groups are compared in lower case, and the group decides who gets the update.
    node.conductor_group = node.conductor_group.to_lowercase();
    if node.instance_name.is_none() && node.instance_info != before {
        let display_name = node.instance_info.get("display_name");
        node.instance_name = display_name.and_then(Value::as_str).map(str::to_owned);
    }
    if node.driver != driver && node.console_enabled {
        return Err(ApiError::conflict(format!(
            "Node {ident} can not update the driver while the console is enabled. Please stop the console first."
        )));
    }
    Ok(node)
}

/// Applies the patch to the attributes it touches, and checks what becomes of them.
fn apply(call: &Call, node: &Node, patch: &Patch) -> Result<JsonMap, ApiError> {
    let mut document = JsonMap::new();
    // The driver is always looked at, because no node can do without.
    document.insert("driver".into(), Value::from(node.driver.clone()));
    for op in &patch.0 {
        document
            .entry(op.root())
            .or_insert_with(|| attribute::get(node, op.root()));
    }
    let document = Value::Object(patch.apply(document)?);
    schema::check("patch", &document, call.state.settings.node_shapes.patch)?;
    match document {
        Value::Object(mut document) => {
            attribute::convert(&mut document)?;
            Ok(document)
        }
        other => Err(ApiError::internal(format!("a patched node became {other}"))),
    }
}

/// Whether the node may be changed at this moment.
fn check_state(call: &Call, node: &Node, patch: &Patch) -> Result<(), ApiError> {
    let only_frees_instance = matches!(
        patch.0.as_slice(),
        [op] if op.verb == Verb::Remove && op.path == "/instance_uuid" && op.value.is_none()
    );
    if node.maintenance && only_frees_instance {
        return Ok(());
    }
    if node.target_provision_state.is_some()
        && !ProvisionState::UPDATE_ALLOWED.contains(&node.provision_state)
    {
        return Err(ApiError::conflict(format!(
            "Node {} can not be updated while a state transition is in progress.",
            call.param("node")
        )));
    }
    if node.provision_state == ProvisionState::Inspecting
        && call.version() >= since::INSPECT_WAIT_STATE
    {
        return Err(ApiError::conflict(format!(
            "Cannot update node \"{}\" while it is in state \"inspecting\".",
            node.id
        )));
    }
    Ok(())
}

/// Whether the node may get another owner: not while somebody uses it.
async fn check_owner(call: &Call, node: &Node, patch: &Patch) -> Result<(), ApiError> {
    if patch.values("/owner").next().is_none() {
        return Ok(());
    }
    let target = Target::node(node);
    if node.provision_state == ProvisionState::Active
        && !call.allows(Rule::NodeUpdateOwnerProvisioned, &target)
    {
        return Err(ApiError::conflict(format!(
            "Cannot update owner of node \"{}\" while it is in state \"active\".",
            node.id
        )));
    }
    let Some(uuid) = &node.allocation_uuid else {
        return Ok(());
    };
    let allocation = store::allocation::find(&call.state.db, &uuid.as_str().into()).await?;
    if allocation.is_some_and(|allocation| allocation.owner.is_some()) {
        // The second blank is Ironic's.
        return Err(ApiError::conflict(format!(
            "Cannot update owner of node \"{}\" while it is allocated to an allocation with an  owner.",
            node.id
        )));
    }
    Ok(())
}

async fn check_chassis(call: &Call, had_chassis: bool, node: &Node) -> Result<(), ApiError> {
    match node.chassis {
        Some(id) => lookup::linked_chassis(call, &id.to_string())
            .await
            .map(|_| ())
            .map_err(ApiError::as_bad_request),
        None if had_chassis => call.require(since::UNSET_CHASSIS),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Answer, Service};
    use serde_json::{Value, json};
    use store::node::Log;
    use types::{Fault, InterfaceKind, Node, NodeId, ProvisionState};

    async fn service_with(change: impl FnOnce(&mut Node)) -> (Service, Node) {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        change(&mut node);
        let node = service.store_node(node).await;
        (service, node)
    }

    async fn patch(service: &Service, minor: u16, operations: Value) -> Answer {
        service
            .send("PATCH", "/v1/nodes/n1", minor, operations)
            .await
    }

    #[tokio::test]
    async fn a_patch_changes_the_node_and_shows_it_locked() {
        let (service, _) = service_with(|_| ()).await;
        let operations = json!([
            {"op": "add", "path": "/extra/foo", "value": "bar"},
            {"op": "replace", "path": "/maintenance", "value": "true"},
            {"op": "add", "path": "/conductor_group", "value": "EAST"},
            {"op": "add", "path": "/instance_info", "value": {"display_name": "d"}},
        ]);
        let node = patch(&service, 115, operations).await.json();
        assert_eq!(node["extra"], json!({"foo": "bar"}));
        assert_eq!(node["maintenance"], true);
        assert_eq!(node["conductor_group"], "east");
        assert_eq!(node["instance_name"], "d");
        assert_eq!(node["reservation"], "cond1");
        let read = service.get("/v1/nodes/n1", 115).await.json();
        assert_eq!(read["reservation"], Value::Null);
        let nothing = patch(&service, 115, json!([])).await;
        assert_eq!(nothing.status, 200);
    }

    #[tokio::test]
    async fn removing_an_attribute_empties_it() {
        let (service, _) = service_with(|node| {
            node.description = Some("x".into());
            node.extra.insert("a".into(), json!(1));
            node.interfaces.set(InterfaceKind::Bios, "fake");
        })
        .await;
        let operations = json!([
            {"op": "remove", "path": "/description"},
            {"op": "remove", "path": "/extra"},
            {"op": "remove", "path": "/bios_interface"},
            {"op": "remove", "path": "/name"},
        ]);
        let node = patch(&service, 115, operations).await.json();
        assert_eq!(node["description"], Value::Null);
        assert_eq!(node["extra"], json!({}));
        assert_eq!(node["bios_interface"], Value::Null);
        assert_eq!(node["name"], Value::Null);
    }

    #[tokio::test]
    async fn an_untouched_secret_stays_what_it_was() {
        let (service, node) = service_with(|node| {
            node.driver_info.insert("x_password".into(), json!("old"));
            node.driver_info.insert("y_password".into(), json!("old"));
        })
        .await;
        let operations =
            json!([{"op": "replace", "path": "/driver_info/y_password", "value": "new"}]);
        assert_eq!(patch(&service, 115, operations).await.status, 200);
        let stored = store::node::find(&service.db, node.id)
            .await
            .unwrap()
            .unwrap();
        let opened = service
            .db
            .keys()
            .open_map(&stored.driver_info, &node.id.to_string())
            .unwrap();
        assert_eq!(
            Value::Object(opened),
            json!({"x_password": "old", "y_password": "new"})
        );
    }

    #[tokio::test]
    async fn a_refusal_does_not_show_the_signed_address_of_an_image() {
        let signed = "http://store/image?signature=hunter2";
        let (service, node) = service_with(|node| {
            node.instance_info.insert("image_url".into(), json!(signed));
        })
        .await;
        let operations = json!([{"op": "add", "path": "/instance_info/nope/x", "value": 1}]);
        let refused = patch(&service, 115, operations).await;
        assert_eq!(refused.status, 400);
        assert!(refused.fault().contains("'image_url': '******'"));
        // Nor is it in clear where it is kept.
        let stored = store::node::find(&service.db, node.id).await;
        let stored = stored.unwrap().unwrap().instance_info;
        assert!(!stored["image_url"].to_string().contains("hunter2"));
        let opened = service.db.keys().open_map(&stored, &node.id.to_string());
        assert_eq!(opened.unwrap()["image_url"], signed);
    }

    #[tokio::test]
    async fn a_patch_is_applied_anew_when_the_node_changed_meanwhile() {
        let (service, node) = service_with(|_| ()).await;
        let operations = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
        let stale = |times: usize| {
            let mut refusals = service.conductor.refusals.lock().unwrap();
            *refusals = vec![Fault::Stale(node.id); times];
        };
        stale(2);
        assert_eq!(patch(&service, 115, operations.clone()).await.status, 200);
        stale(3);
        assert_eq!(patch(&service, 115, operations).await.status, 409);
    }

    #[tokio::test]
    async fn states_decide_whether_a_node_may_be_patched() {
        let operation = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
        for (state, minor, status) in [
            (ProvisionState::Enroll, 115, 200),
            (ProvisionState::Deploying, 115, 409),
            (ProvisionState::CleanHold, 115, 409),
            (ProvisionState::ServiceHold, 115, 200),
            (ProvisionState::Inspecting, 38, 200),
            (ProvisionState::Inspecting, 39, 409),
            (ProvisionState::InspectWait, 115, 200),
        ] {
            let (service, _) = service_with(|node| {
                node.provision_state = state;
                node.target_provision_state = state.default_target();
            })
            .await;
            let answer = patch(&service, minor, operation.clone()).await;
            assert_eq!(answer.status, status, "{state} {minor}");
        }
        let (service, _) = service_with(|node| {
            node.provision_state = ProvisionState::Deploying;
            node.target_provision_state = Some(ProvisionState::Active);
            node.instance_uuid = Some("u".into());
            node.maintenance = true;
        })
        .await;
        let free = json!([{"op": "remove", "path": "/instance_uuid"}]);
        assert_eq!(patch(&service, 115, free).await.status, 200);
    }

    #[tokio::test]
    async fn interfaces_can_be_reset_together_with_the_driver() {
        let (service, _) = service_with(|_| ()).await;
        let send = async |minor, query: &str, operations: Value| {
            let path = format!("/v1/nodes/n1?{query}");
            service.send("PATCH", &path, minor, operations).await
        };
        let driver = json!([
            {"op": "replace", "path": "/driver", "value": "fake-hardware"},
            {"op": "replace", "path": "/power_interface", "value": "other"},
        ]);
        let old = send(44, "reset_interfaces=true", driver.clone()).await;
        assert_eq!(old.status, 406);
        let alone = json!([{"op": "add", "path": "/extra/a", "value": 1}]);
        let alone = send(115, "reset_interfaces=true", alone).await;
        assert_eq!(
            alone.fault(),
            "The reset_interfaces parameter can only be used when changing the node's driver."
        );
        assert_eq!(send(115, "reset_interfaces=true", driver).await.status, 200);
        let asked = service.conductor.asked.lock().unwrap();
        assert_eq!(*asked, ["update_node reset_interfaces=true"]);
    }

    #[tokio::test]
    async fn refusals_say_why() {
        let (service, node) = service_with(|node| node.console_enabled = true).await;
        let id = node.id;
        for (operation, minor, status, text) in [
            (
                json!({"op": "replace", "path": "/name", "value": null}),
                115,
                400,
                "Node n1: Cannot change name to invalid name 'None'".to_owned(),
            ),
            (
                json!({"op": "add", "path": "/name", "value": "x"}),
                4,
                406,
                "Request not acceptable.".to_owned(),
            ),
            (
                json!({"op": "remove", "path": "/driver"}),
                115,
                400,
                "Schema error for patch: 'driver' is a required property".to_owned(),
            ),
            (
                json!({"op": "replace", "path": "/extra", "value": "x"}),
                115,
                400,
                "Schema error for patch: 'x' is not of type 'object', 'null'".to_owned(),
            ),
            (
                json!({"op": "add", "path": "/instance_uuid", "value": "abc"}),
                115,
                400,
                "Expected UUID for instance_uuid: abc".to_owned(),
            ),
            (
                json!({"op": "replace", "path": "/network_data", "value": null}),
                115,
                400,
                "Invalid network_data: None is not of type 'object' ".to_owned(),
            ),
            (
                json!({"op": "replace", "path": "/maintenance", "value": null}),
                115,
                400,
                "Field `maintenance' cannot be None".to_owned(),
            ),
            (
                json!({"op": "replace", "path": "/driver", "value": "other"}),
                115,
                409,
                format!(
                    "Node {id} can not update the driver while the console is enabled. Please stop the console first."
                ),
            ),
        ] {
            let path = format!(
                "/v1/nodes/{}",
                if minor < 5 || status == 409 {
                    id.to_string()
                } else {
                    "n1".into()
                }
            );
            let answer = service
                .send("PATCH", &path, minor, json!([operation]))
                .await;
            assert_eq!((answer.status.as_u16(), answer.fault()), (status, text));
        }
    }

    #[tokio::test]
    async fn a_chassis_can_be_unset_since_1_25() {
        let chassis = types::Chassis::new(types::ChassisId::generate());
        let (service, _) = service_with(|_| ()).await;
        store::chassis::insert(&service.db, chassis.clone(), Log::default())
            .await
            .unwrap();
        let set = json!([{"op": "add", "path": "/chassis_uuid", "value": chassis.id.to_string()}]);
        assert_eq!(
            patch(&service, 115, set).await.json()["chassis_uuid"],
            chassis.id.to_string()
        );
        let unset = json!([{"op": "remove", "path": "/chassis_uuid"}]);
        assert_eq!(patch(&service, 24, unset.clone()).await.status, 406);
        assert_eq!(patch(&service, 25, unset).await.status, 200);
    }
}
