//! `POST /nodes`.

use crate::{
    args,
    call::Call,
    error::ApiError,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, node as shape},
    v1::node::{attribute, guard, name},
    view::node as view,
};
use serde_json::Value;
use types::{InterfaceKind, JsonMap, Node, NodeId, ProvisionState, pyrepr, version::since};

/// `POST /nodes`.
pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check("node", &body, call.state.settings.node_shapes.create)?;
    let Value::Object(mut document) = body else {
        // Ironic breaks on a body of `null`, which its schema lets through.
        return Err(ApiError::missing_parameter("node"));
    };
    attribute::convert(&mut document)?;
    check_boot_mode(&call, document.get("properties"))?;
    let for_own_project = permit(&call)?;
    reject_newer(&call, &document)?;
    if let Some(given) = document.get("name").filter(|value| !value.is_null()) {
        name::check(&call, given, "Cannot create node with invalid name")?;
    }
    if for_own_project {
        choose_owner(&call, &mut document)?;
    }
    let node = new_node(&call, document).await?;
    guard::check_new(&call, &node.driver_info)?;
    let node = call
        .state
        .conductor
        .create_node(&call.ctx.caller, node)
        .await
        .map_err(ApiError::from_node_write)?;
    let location = call.ctx.url(&format!("nodes/{}", node.id));
    Ok(Reply::created(view::full(&call, &node)?, location))
}

/// `POST /nodes/{node}`: the element is taken for the body, and it is none.
pub(crate) async fn create_at(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    schema::check("node", &Value::from(call.param("node")), &shape::CREATE)?;
    Err(ApiError::resource_not_found())
}

/// The node that the document describes, with the defaults of the service.
async fn new_node(call: &Call, mut document: JsonMap) -> Result<Node, ApiError> {
    let settings = &call.state.settings;
    let id = match document.remove("uuid").filter(|value| !value.is_null()) {
        Some(value) => args::uuid("uuid", &value)?.parse().map_err(|_| {
            ApiError::invalid(format!(
                "Expected UUID for uuid: {}",
                pyrepr::to_str(&value)
            ))
        })?,
        None => NodeId::generate(),
    };
    let mut node = Node::new(id, "");
    node.provision_state = if call.version() < since::ENROLL_STATE {
        ProvisionState::Available
    } else {
        ProvisionState::Enroll
    };
    let absent = |document: &JsonMap, name: &str| {
        document
            .get(name)
            .is_none_or(|value| value.is_null() || value == "")
    };
    if absent(&document, "conductor_group") {
        document.insert(
            "conductor_group".into(),
            settings.default_conductor_group.clone().into(),
        );
    }
    if absent(&document, "resource_class") {
        document.insert(
            "resource_class".into(),
            settings.default_resource_class.clone().into(),
        );
    }
    for (name, value) in document {
        // Null is how a client says that it has nothing to say.
        if value.is_null() {
            continue;
        }
        if let Some(kind) = InterfaceKind::of_field(&name)
            && value == ""
        {
            return Err(no_such_interface(call, kind).await?);
        }
        let value = match name.as_str() {
            "secure_boot" => Value::Bool(args::boolean(&name, &value)?),
            _ => value,
        };
        attribute::set(&mut node, &name, value)?;
    }
    if let Some(chassis) = node.chassis {
        let uuid = chassis.to_string();
        lookup::linked_chassis(call, &uuid)
            .await
            .map_err(ApiError::as_bad_request)?;
    }
    if let Some(parent) = node.parent_node.take().filter(|ident| !ident.is_empty()) {
        node.parent_node = Some(parent_id(call, &node, &parent).await?);
    }
    Ok(node)
}

/// Whether the caller creates nodes as somebody who may for the own project; the alternative is
/// somebody who may for everybody.
fn permit(call: &Call) -> Result<bool, ApiError> {
    let own = call.state.settings.project_admin_can_manage_own_nodes
        && call.allows(Rule::NodeCreateSelfOwnedNode, &Target::NONE);
    if !own {
        call.permit(Rule::NodeCreate, &Target::NONE)?;
    }
    Ok(own)
}

/// A caller who does not speak for the whole system creates nodes of its own project only.
fn choose_owner(call: &Call, document: &mut JsonMap) -> Result<(), ApiError> {
    if call.ctx.system_scope {
        return Ok(());
    }
    let project = call.ctx.caller.project.as_deref();
    let asked = document
        .get("owner")
        .and_then(Value::as_str)
        .filter(|owner| !owner.is_empty());
    if asked.is_some() && asked != project {
        return Err(ApiError::invalid(
            "Cannot create a node as a project scoped admin with an owner other than your own project.",
        ));
    }
    document.insert("owner".into(), Value::from(project));
    Ok(())
}

/// The UUID of the node that may become the parent of `node`.
pub(super) async fn parent_id(call: &Call, node: &Node, ident: &str) -> Result<String, ApiError> {
    match lookup::node(call, ident).await {
        Ok(parent) if parent.owner == node.owner => Ok(parent.id.to_string()),
        Err(error) if error.status().is_server_error() => Err(error),
        // Whether the node exists is not said: it may be somebody else's.
        _ => Err(ApiError::invalid(format!(
            "Unable to apply the requested parent_node '{ident}'. Requested value was invalid."
        ))),
    }
}

/// 406 for attributes that the version does not have, unless they say nothing.
fn reject_newer(call: &Call, document: &JsonMap) -> Result<(), ApiError> {
    let says_nothing = |name: &str, value: &Value| match name {
        "conductor_group" => value == "",
        _ => value.is_null(),
    };
    view::check_versions(
        call.version(),
        document
            .iter()
            .filter(|(name, value)| !says_nothing(name, value))
            .map(|(name, _)| name.as_str()),
    )
}

/// Refuses the boot modes that the operator does not want.
fn check_boot_mode(call: &Call, properties: Option<&Value>) -> Result<(), ApiError> {
    let capabilities = properties
        .and_then(|p| p.get("capabilities"))
        .and_then(Value::as_str);
    capabilities.map_or(Ok(()), |text| check_capabilities(call, text))
}

/// The same for the text of the `capabilities` property.
pub(super) fn check_capabilities(call: &Call, capabilities: &str) -> Result<(), ApiError> {
    let disallowed = &call.state.settings.disallowed_enrollment_boot_modes;
    if disallowed.is_empty() {
        return Ok(());
    }
    for item in capabilities.to_lowercase().split(',') {
        if let Some((key, mode)) = item.split_once(':')
            && key.trim() == "boot_mode"
            && disallowed.iter().any(|bad| bad == mode.trim())
        {
            return Err(ApiError::invalid(format!(
                "'{}' boot mode is not allowed for provisioning operation.",
                mode.trim()
            )));
        }
    }
    Ok(())
}

/// The refusal of an empty interface name, which a row could not tell from "not chosen".
pub(super) async fn no_such_interface(
    call: &Call,
    kind: InterfaceKind,
) -> Result<ApiError, ApiError> {
    let offered = store::member::interfaces(&call.state.db).await?;
    let mut names: Vec<String> = offered
        .into_iter()
        .filter(|(_, interface)| interface.kind == kind)
        .map(|(_, interface)| interface.name)
        .collect();
    names.sort_unstable();
    names.dedup();
    Ok(ApiError::invalid(format!(
        "Could not find the following interface in the 'ironic.hardware.interfaces.{kind}' entrypoint: . Valid interfaces are {}.",
        pyrepr::repr_list(names.iter().map(String::as_str))
    )))
}

#[cfg(test)]
mod tests {
    use crate::{Settings, testing::Service};
    use axum::{body::Body, http::Request};
    use serde_json::{Value, json};

    async fn create(service: &Service, minor: u16, body: Value) -> crate::testing::Answer {
        service.send("POST", "/v1/nodes", minor, body).await
    }

    #[tokio::test]
    async fn network_data_has_the_shape_that_the_operator_wants() {
        let schema = r#"{"type": "object", "required": ["vlan"], "additionalProperties": false,
            "properties": {"vlan": {"type": "integer", "maximum": 4094}}}"#;
        let shape = crate::schema::file::read(schema).unwrap();
        let service = Service::with(Settings {
            node_shapes: crate::schema::node::NodeShapes::with_network_data(shape),
            ..Settings::default()
        });
        let with =
            |data: Value| json!({"driver": "fake-hardware", "name": "n", "network_data": data});
        let ironics = json!({"links": [], "networks": [], "services": []});
        for data in [ironics.clone(), json!({"vlan": 4095})] {
            let refused = create(&service, 115, with(data)).await;
            assert_eq!(refused.status, 400, "{refused:?}");
            let refused = refused.fault();
            assert!(refused.starts_with("Schema error for node: "), "{refused}");
        }
        let made = create(&service, 115, with(json!({"vlan": 12}))).await;
        assert_eq!(made.status, 201, "{made:?}");
        let patch =
            |data: Value| json!([{"op": "replace", "path": "/network_data", "value": data}]);
        let refused = service
            .send("PATCH", "/v1/nodes/n", 115, patch(ironics))
            .await;
        assert_eq!(refused.status, 400);
        let refused = refused.fault();
        assert!(refused.starts_with("Invalid network_data: "), "{refused}");
        let changed = patch(json!({"vlan": 13}));
        let changed = service.send("PATCH", "/v1/nodes/n", 115, changed).await;
        assert_eq!(changed.status, 200, "{changed:?}");
    }

    #[tokio::test]
    async fn a_new_node_has_what_it_was_given_and_defaults() {
        let service = Service::with(Settings {
            default_resource_class: Some("bm".into()),
            default_conductor_group: "east".into(),
            ..Settings::default()
        });
        let uuid = "11111111-1111-1111-1111-111111111111";
        let body = json!({
            "driver": "fake-hardware", "uuid": uuid, "name": "n1", "extra": null,
            "properties": {"memory_mb": "1024"}, "maintenance": "yes", "network_data": {},
        });
        let answer = create(&service, 115, body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        assert_eq!(
            answer.header("location"),
            format!("http://h:6385/v1/nodes/{uuid}")
        );
        let node = answer.json();
        for (key, value) in [
            ("name", json!("n1")),
            ("extra", json!({})),
            ("maintenance", json!(true)),
            ("resource_class", json!("bm")),
            ("conductor_group", json!("east")),
            ("provision_state", json!("enroll")),
            ("reservation", json!(null)),
            ("updated_at", json!(null)),
        ] {
            assert_eq!(node[key], value, "{key}");
        }
        let old = create(&service, 10, json!({"driver": "fake-hardware"})).await;
        assert_eq!(old.json()["provision_state"], "available");
    }

    #[tokio::test]
    async fn attributes_of_later_versions_must_say_nothing() {
        let service = Service::new();
        for (minor, extra, status) in [
            (49, json!({"owner": "o"}), 406),
            (49, json!({"owner": null}), 201),
            (45, json!({"conductor_group": ""}), 201),
            (45, json!({"conductor_group": "g"}), 406),
            (4, json!({"name": null}), 201),
            (4, json!({"name": "n"}), 406),
            (30, json!({"deploy_interface": "fake"}), 406),
        ] {
            let mut body = extra.clone();
            body["driver"] = json!("fake-hardware");
            let answer = create(&service, minor, body).await;
            assert_eq!(answer.status, status, "{minor} {extra}");
        }
    }

    #[tokio::test]
    async fn the_owner_is_the_callers_project() {
        let service = Service::new();
        let send = async |headers: &[(&str, &str)], owner: Value| {
            let mut request = Request::post("/v1/nodes")
                .header("content-type", "application/json")
                .header("x-openstack-ironic-api-version", "latest");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let body = json!({"driver": "fake-hardware", "owner": owner}).to_string();
            service
                .request(request.body(Body::from(body)).unwrap())
                .await
        };
        let refused = send(&[], json!("o")).await;
        assert_eq!(
            refused.fault(),
            "Cannot create a node as a project scoped admin with an owner other than your own project."
        );
        let project = ("x-project-id", "P");
        assert_eq!(send(&[project], json!(null)).await.json()["owner"], "P");
        assert_eq!(send(&[project], json!("P")).await.json()["owner"], "P");
        assert_eq!(send(&[project], json!("Q")).await.status, 400);
        let system = ("openstack-system-scope", "all");
        assert_eq!(send(&[system], json!("Q")).await.json()["owner"], "Q");
    }

    #[tokio::test]
    async fn names_chassis_and_parents_are_checked() {
        let service = Service::new();
        let nobody = "00000000-0000-0000-0000-000000000000";
        for (extra, text) in [
            (json!({"name": "a b"}), "Cannot create node with invalid name 'a b'".to_owned()),
            (json!({"name": nobody}), format!("Cannot create node with invalid name '{nobody}'")),
            (
                json!({"name": "detail"}),
                "The word \"detail\" is reserved and can not be used as a node name. Reserved words are: maintenance, management, states, vendor_passthru, detail, validate.".to_owned(),
            ),
            (json!({"chassis_uuid": nobody}), format!("Chassis {nobody} could not be found.")),
            (
                json!({"parent_node": nobody}),
                format!("Unable to apply the requested parent_node '{nobody}'. Requested value was invalid."),
            ),
            (
                json!({"network_data": {"links": []}}),
                "Schema error for node: {'links': []} is not valid under any of the given schemas. Possible root cause: {'links': []} is not of type 'null'".to_owned(),
            ),
        ] {
            let mut body = extra;
            body["driver"] = json!("fake-hardware");
            let answer = create(&service, 115, body).await;
            assert_eq!((answer.status.as_u16(), answer.fault()), (400, text));
        }
        assert!(service.conductor.asked.lock().unwrap().is_empty());
        let parent = create(
            &service,
            115,
            json!({"driver": "fake-hardware", "name": "p"}),
        )
        .await;
        let child = json!({"driver": "fake-hardware", "parent_node": "p"});
        let child = create(&service, 115, child).await.json();
        assert_eq!(child["parent_node"], parent.json()["uuid"]);
    }

    #[tokio::test]
    async fn boot_modes_can_be_forbidden() {
        let service = Service::with(Settings {
            disallowed_enrollment_boot_modes: vec!["bios".into()],
            ..Settings::default()
        });
        let body = |mode: &str| {
            let capabilities = format!("a:b,boot_mode:{mode}");
            json!({"driver": "fake-hardware", "properties": {"capabilities": capabilities}})
        };
        assert_eq!(create(&service, 115, body("uefi")).await.status, 201);
        assert_eq!(
            create(&service, 115, body("BIOS")).await.fault(),
            "'bios' boot mode is not allowed for provisioning operation."
        );
    }
}
