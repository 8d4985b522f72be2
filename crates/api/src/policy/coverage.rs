//! No route without a rule.
//!
//! Every row of the route table is asked by an administrator, whom it must serve, and then by
//! callers who must get nothing from it. A handler that forgets to ask the policy fails here, and a
//! new route does until this file knows what a request to it looks like. Which rule it is, and for
//! whom, is for other tests.

use crate::{
    route::Method,
    route_table::ROUTES,
    testing::{Answer, Service},
};
use serde_json::{Value, json};
use store::{member::Registration, node::Log};
use types::{
    AllocationId, BiosSetting, Caller, FirmwareComponent, HistoryId, InterfaceKind, Inventory,
    Node, NodeId, ProvisionState, Timestamp,
    event::{EventKind, HistoryEntry, NewEvent},
    member::OfferedInterface,
};

const UUID: &str = "11111111-2222-3333-4444-555555555555";

/// A batch that has ended; the other one runs.
const ENDED_BATCH: &str = "11111111-2222-3333-4444-666666666666";

/// Stands in everything that the project `p1` has.
const SECRET: &str = "secret-of-p1";

/// What everybody may ask: ramdisks have no tokens, and what the API looks like is no secret.
const PUBLIC: &[&str] = &[
    "GET lookup",
    "POST heartbeat/{node}",
    "POST corten/v1/agent/progress/{node}",
    "POST continue_inspection",
    "GET corten/v1/me",
    "GET corten/v1/nodes/{node}/screen",
    "GET corten/v1/session",
    "POST corten/v1/session",
    "DELETE corten/v1/session",
    "GET corten/v1/openapi.json",
    "GET corten/v1/openapi",
];

/// What refuses everybody, because nothing can be done there.
const NEVER: &[&str] = &[
    "PATCH nodes",
    "DELETE nodes",
    "POST nodes/{node}",
    "GET nodes/{node}/detail",
    "POST nodes/{node}/vifs/{vif}",
    "DELETE nodes/{node}/vifs",
    "POST nodes/{node}/ports",
    "PATCH nodes/{node}/ports",
    "DELETE nodes/{node}/ports",
    "GET nodes/{node}/ports/{port}",
    "POST nodes/{node}/ports/{port}",
    "PATCH nodes/{node}/ports/{port}",
    "DELETE nodes/{node}/ports/{port}",
    "POST nodes/{node}/portgroups",
    "PATCH nodes/{node}/portgroups",
    "GET nodes/{node}/portgroups/{portgroup}",
    "PATCH nodes/{node}/portgroups/{portgroup}",
    "DELETE nodes/{node}/portgroups/{portgroup}",
    "GET nodes/{node}/portgroups/{portgroup}/ports",
    "GET nodes/{node}/portgroups/{portgroup}/ports/detail",
    "GET nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "PATCH nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "DELETE nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "GET nodes/{node}/portgroups/{portgroup}/{part}",
    "POST nodes/{node}/portgroups/{portgroup}",
    "POST nodes/{node}/portgroups/{portgroup}/ports",
    "PATCH nodes/{node}/portgroups/{portgroup}/ports",
    "DELETE nodes/{node}/portgroups/{portgroup}/ports",
    "POST nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "POST nodes/{node}/portgroups/{portgroup}/{part}",
    "PATCH nodes/{node}/portgroups/{portgroup}/{part}",
    "POST nodes/{node}/volume/connectors/{connector}",
    "POST nodes/{node}/volume/targets/{target}",
    "DELETE ports/{port}/{part}",
    "POST chassis/nodes",
    "PATCH chassis/nodes",
    "DELETE chassis/nodes",
    "DELETE chassis/{chassis}/{part}",
    "DELETE volume/connectors/{connector}/{part}",
    "DELETE volume/targets/{target}/{part}",
    "POST nodes/{node}/volume/connectors",
    "PATCH nodes/{node}/volume/connectors",
    "DELETE nodes/{node}/volume/connectors",
    "GET nodes/{node}/volume/connectors/{connector}",
    "PATCH nodes/{node}/volume/connectors/{connector}",
    "DELETE nodes/{node}/volume/connectors/{connector}",
    "POST nodes/{node}/volume/targets",
    "PATCH nodes/{node}/volume/targets",
    "DELETE nodes/{node}/volume/targets",
    "GET nodes/{node}/volume/targets/{target}",
    "PATCH nodes/{node}/volume/targets/{target}",
    "DELETE nodes/{node}/volume/targets/{target}",
    "POST nodes/{node}/vmedia/{device}",
    "POST nodes/{node}/{fields}",
    "PATCH nodes/{node}/{fields}",
    "DELETE nodes/{node}/{fields}",
    "POST heartbeat",
    "PATCH ports",
    "DELETE ports",
    "POST ports/{port}",
    "PATCH portgroups",
    "DELETE portgroups",
    "POST portgroups/{portgroup}",
    "POST portgroups/{portgroup}/ports",
    "GET portgroups/{portgroup}/ports/{port}",
    "POST portgroups/{portgroup}/ports/{port}",
    "PATCH portgroups/{portgroup}/ports/{port}",
    "DELETE portgroups/{portgroup}/ports/{port}",
    "GET portgroups/{portgroup}/detail",
    "PATCH chassis",
    "DELETE chassis",
    "GET chassis/nodes",
    "POST chassis/{chassis}",
    "PATCH portgroups/{portgroup}/ports",
    "DELETE portgroups/{portgroup}/ports",
    "POST allocations/{allocation}",
    "POST allocations/{allocation}/{part}",
    "PATCH allocations/{allocation}/{part}",
    "DELETE allocations/{allocation}/{part}",
    "POST chassis/{chassis}/nodes",
    "PATCH chassis/{chassis}/nodes",
    "DELETE chassis/{chassis}/nodes",
    "POST chassis/{chassis}/nodes/{fields}",
    "POST ports/{port}/{part}",
    "PATCH ports/{port}/{part}",
    "POST portgroups/{portgroup}/{part}",
    "PATCH portgroups/{portgroup}/{part}",
    "POST chassis/{chassis}/{part}",
    "PATCH chassis/{chassis}/{part}",
    "POST volume/connectors/{connector}/{part}",
    "PATCH volume/connectors/{connector}/{part}",
    "POST volume/targets/{target}/{part}",
    "PATCH volume/targets/{target}/{part}",
    "POST deploy_templates/{template}/{part}",
    "PATCH deploy_templates/{template}/{part}",
    "POST runbooks/{runbook}/{part}",
    "PATCH runbooks/{runbook}/{part}",
    "PATCH inspection_rules/{rule}/{part}",
    "GET chassis/{chassis}/nodes/{fields}",
    "PATCH chassis/{chassis}/nodes/{fields}",
    "DELETE chassis/{chassis}/nodes/{fields}",
    "GET drivers/properties",
    "PATCH volume/connectors",
    "DELETE volume/connectors",
    "POST volume/connectors/{connector}",
    "PATCH volume/targets",
    "DELETE volume/targets",
    "POST volume/targets/{target}",
    "PATCH deploy_templates",
    "DELETE deploy_templates",
    "POST deploy_templates/{template}",
    "PATCH runbooks",
    "DELETE runbooks",
    "POST runbooks/{runbook}",
    "PATCH inspection_rules",
    "DELETE inspection_rules",
    "GET shards/{shard}",
    "GET drivers/{driver}/vendor_passthru",
    "POST drivers/{driver}/vendor_passthru",
    "PUT drivers/{driver}/vendor_passthru",
    "PATCH drivers/{driver}/vendor_passthru",
    "DELETE drivers/{driver}/vendor_passthru",
    "GET drivers/{driver}/vendor_passthru/{method}",
    "POST drivers/{driver}/vendor_passthru/{method}",
    "PUT drivers/{driver}/vendor_passthru/{method}",
    "PATCH drivers/{driver}/vendor_passthru/{method}",
    "DELETE drivers/{driver}/vendor_passthru/{method}",
    "GET corten/v1/nodes/{node}/console",
    "GET corten/v1/nodes/{node}/screen",
    "PATCH allocations",
    "DELETE allocations",
];

/// What somebody of another project may ask, about things of that project alone.
const OF_ONES_OWN: &[&str] = &[
    "GET nodes",
    "POST nodes",
    "GET nodes/detail",
    "GET ports",
    "GET ports/detail",
    "GET portgroups",
    "GET portgroups/detail",
    "GET chassis/{chassis}/nodes",
    "GET chassis/{chassis}/nodes/detail",
    "GET volume/connectors",
    "GET volume/targets",
    "GET runbooks",
    "POST runbooks",
    "GET allocations",
    "POST allocations",
    "GET corten/v1/events",
    "GET corten/v1/batches",
    "GET corten/v1/nodes",
    "GET corten/v1/fleet",
    "GET corten/v1/fleet/map",
    "GET corten/v1/failures",
    "GET corten/v1/work",
];

/// What administrators of any project see, because they enroll nodes.
const OF_ADMINS: &[&str] = &[
    "GET drivers",
    "GET drivers/{driver}",
    "GET drivers/{driver}/properties",
    "GET drivers/{driver}/{part}",
    "GET corten/v1/steps",
    "GET corten/v1/certificate-keys",
];

/// A route with a method.
#[derive(Clone, Copy)]
struct Operation {
    method: Method,
    route: &'static str,
}

impl Operation {
    fn all() -> impl Iterator<Item = Self> {
        ROUTES.iter().flat_map(|row| {
            let methods = row.methods.iter();
            methods.map(|(method, _)| Self {
                method: *method,
                route: row.path,
            })
        })
    }

    fn name(self) -> String {
        format!("{} {}", self.method.as_str(), self.route)
    }

    fn is_among(self, names: &[&str]) -> bool {
        names.contains(&self.name().as_str())
    }

    /// The path to something that exists.
    fn path(self) -> String {
        let parts = self.route.split('/').map(|part| match part {
            "{trait}" => "CUSTOM_A",
            "{driver}" => "fake-hardware",
            "{conductor}" => "cond1",
            "{vif}" => "vif-1",
            "{setting}" => "boot",
            "{method}" => "m",
            "{indicator}" => "led@chassis",
            "{component}" => "bmc",
            "{device}" => "cdrom",
            "{user}" => "ada",
            "{group}" => "ops",
            "{part}" if self.route.starts_with("drivers/") => "name",
            "{part}" if self.route.starts_with("conductors/") => "hostname",
            "{fields}" | "{part}" => "uuid",
            "{shard}" => "s1",
            "{network}" => "rack1",
            "{resource_class}" => "gold",
            "{address}" => "10.0.0.8",
            "{batch}" if self.method == Method::Delete => ENDED_BATCH,
            part if part.starts_with('{') => UUID,
            part => part,
        });
        let path = parts.collect::<Vec<_>>().join("/");
        let query = match self.name().as_str() {
            "GET nodes/validate" => format!("?node={UUID}"),
            "GET lookup" => format!("?node_uuid={UUID}"),
            "GET corten/v1/events" => "?after=0".to_owned(),
            "DELETE corten/v1/roles" => "?user=ada&role=reader&project=p1".to_owned(),
            name if name.ends_with("nodes/{node}/vendor_passthru") => "?method=m".to_owned(),
            _ => String::new(),
        };
        let root = if path.starts_with("corten/") {
            ""
        } else {
            "/v1"
        };
        format!("{root}/{path}{query}")
    }

    /// A body that makes sense.
    fn body(self) -> Value {
        let step = json!([{"interface": "bios", "step": "x", "args": {}, "order": 1}]);
        let patch = |path: &str| json!([{"op": "add", "path": path, "value": {"a": 1}}]);
        match self.name().as_str() {
            "POST nodes" => json!({"driver": "fake-hardware"}),
            "POST nodes/{node}/vifs" => json!({"id": "v"}),
            "PUT nodes/{node}/maintenance" => json!({"reason": "r"}),
            "PUT nodes/{node}/states/power" => json!({"target": "power on"}),
            "PUT nodes/{node}/states/provision" => json!({"target": "manage"}),
            "PUT nodes/{node}/states/raid" => {
                json!({"logical_disks": [{"size_gb": 1, "raid_level": "1"}]})
            }
            "PUT nodes/{node}/states/boot_mode" => json!({"target": "uefi"}),
            "PUT nodes/{node}/states/secure_boot" => json!({"target": true}),
            "PUT nodes/{node}/states/console" => json!({"enabled": true}),
            "PUT nodes/{node}/management/boot_device" => json!({"boot_device": "pxe"}),
            "PUT nodes/{node}/management/inject_nmi"
            | "POST corten/v1/nodes/{node}/bmc-password" => {
                json!({})
            }
            "PUT nodes/{node}/management/indicators/{indicator}" => {
                json!({"state": "on"})
            }
            "PUT nodes/{node}/traits" | "PUT runbooks/{runbook}/traits" => {
                json!({"traits": ["CUSTOM_B"]})
            }
            "PUT nodes/{node}/traits/{trait}" | "PUT runbooks/{runbook}/traits/{trait}" => {
                Value::Null
            }
            "POST ports" => json!({"node_uuid": UUID, "address": "52:54:00:00:00:02"}),
            "POST portgroups" => json!({"node_uuid": UUID}),
            "POST chassis" => json!({}),
            "POST volume/connectors" => {
                json!({"node_uuid": UUID, "type": "iqn", "connector_id": "other"})
            }
            "POST volume/targets" => {
                json!({"node_uuid": UUID, "volume_type": "iscsi", "volume_id": "v", "boot_index": 7})
            }
            "PATCH volume/connectors/{connector}" => {
                json!([{"op": "replace", "path": "/connector_id", "value": "c"}])
            }
            "PATCH inspection_rules/{rule}" => {
                json!([{"op": "replace", "path": "/description", "value": "d"}])
            }
            "POST deploy_templates" => {
                json!({"name": "CUSTOM_NEW", "steps": [
                    {"interface": "bios", "step": "x", "args": {}, "priority": 1}]})
            }
            "POST runbooks" => json!({"name": "new", "steps": step}),
            "POST inspection_rules"
            | "POST inspection_rules/{rule}"
            | "POST inspection_rules/{rule}/{part}" => {
                json!({"actions": [{"op": "fail", "args": {"msg": "m"}}]})
            }
            "POST events" | "POST events/{event}" => json!({"events": [{
                "event": "network.bind_port", "status": "ACTIVE", "port_id": UUID,
                "mac_address": "52:54:00:00:00:01"}]}),
            "POST nodes/{node}/vmedia" => {
                json!({"device_type": "cdrom", "image_url": "http://x"})
            }
            "POST allocations" => json!({"resource_class": "x"}),
            "POST continue_inspection" => json!({"inventory": {}}),
            "POST heartbeat/{node}" => {
                json!({"callback_url": "http://a", "agent_token": "t", "agent_version": "13"})
            }
            "POST corten/v1/agent/progress/{node}" => json!({"phase": "writing"}),
            "POST corten/v1/session" => json!({}),
            "POST corten/v1/nodes/{node}/plan" => json!({"target": "manage"}),
            "POST corten/v1/inspection_rules/try" => json!({"node": UUID}),
            "POST corten/v1/webhooks" => json!({"url": "http://127.0.0.1:9/"}),
            "PATCH corten/v1/webhooks/{webhook}" => json!({"enabled": false}),
            "POST corten/v1/users" => json!({"name": "eve", "password": "x"}),
            "PATCH corten/v1/users/{user}" => json!({"enabled": false}),
            "PUT corten/v1/users/{user}/password" => json!({"password": "x"}),
            "POST corten/v1/groups" => json!({"name": "others"}),
            "PUT corten/v1/groups/{group}/members/{user}" => Value::Null,
            "PUT corten/v1/roles" => json!({"user": "ada", "role": "admin", "system": true}),
            "POST corten/v1/tokens" => json!({"name": "new", "user": "ada"}),
            "POST corten/v1/images" => json!({"name": "new", "url": "http://127.0.0.1:9/"}),
            "PUT corten/v1/images/{image}/content" => json!({"offset": 0, "data": ""}),
            "POST corten/v1/images/{image}/refresh" => Value::Null,
            "PUT corten/v1/baselines/{resource_class}" => json!({"firmware": {"bmc": "1"}}),
            "POST corten/v1/networks" => json!({"name": "new", "prefix": "10.9.0.0/24"}),
            "PATCH corten/v1/networks/{network}" => json!({"vlan": 7}),
            "POST corten/v1/networks/{network}/reservations" => {
                json!({"port": "52:54:00:00:00:99", "address": "10.0.0.9"})
            }
            "POST corten/v1/webhooks/{webhook}/test" => Value::Null,
            "POST corten/v1/webhooks/{webhook}/replay" => json!({"after": 0}),
            "POST corten/v1/batches" => json!({
                "action": "maintenance", "arguments": {"target": "on"}, "nodes": [UUID]}),
            "POST corten/v1/batches/{batch}/pause"
            | "POST corten/v1/batches/{batch}/resume"
            | "POST corten/v1/batches/{batch}/abort" => Value::Null,
            name if name.starts_with("GET ") || name.starts_with("DELETE ") => Value::Null,
            name if name.contains("vendor_passthru") => json!({}),
            name if name.starts_with("PATCH ") => patch("/extra"),
            name => panic!("say what a request to {name} looks like"),
        }
    }

    async fn send(self, service: &Service, persona: &str) -> Answer {
        let body = if self.is_among(NEVER) {
            Value::Null
        } else {
            self.body()
        };
        service
            .send_as(persona, self.method.as_str(), &self.path(), body)
            .await
    }
}

/// A service with one thing of each kind, all of them of the project `p1`.
async fn service() -> Service {
    let service = Service::guarded();
    register(&service).await;
    let mut node = Node::new(UUID.parse().unwrap(), "fake-hardware");
    node.name = Some(SECRET.into());
    node.owner = Some("p1".into());
    node.chassis = None;
    node.shard = Some("s1".into());
    node.traits = vec!["CUSTOM_A".into()];
    node.provision_state = ProvisionState::Enroll;
    let node = service.store_node(node).await;
    belongings(&service, node.id).await;
    for (path, body) in [
        ("chassis", json!({"uuid": UUID, "description": SECRET})),
        (
            "ports",
            json!({"uuid": UUID, "node_uuid": UUID, "address": "52:54:00:00:00:01", "name": SECRET}),
        ),
        (
            "portgroups",
            json!({"uuid": UUID, "node_uuid": UUID, "name": SECRET}),
        ),
        (
            "volume/connectors",
            json!({"uuid": UUID, "node_uuid": UUID, "type": "iqn", "connector_id": SECRET}),
        ),
        (
            "volume/targets",
            json!({"uuid": UUID, "node_uuid": UUID, "volume_type": "iscsi", "volume_id": SECRET,
                "boot_index": 0}),
        ),
        (
            "deploy_templates",
            json!({"uuid": UUID, "name": "CUSTOM_T", "extra": {"a": SECRET}, "steps": [
                {"interface": "bios", "step": "x", "args": {}, "priority": 1}]}),
        ),
        (
            "runbooks",
            json!({"uuid": UUID, "name": SECRET, "owner": "p1", "steps": [
                {"interface": "bios", "step": "x", "args": {}, "order": 1}]}),
        ),
        (
            "inspection_rules",
            json!({"uuid": UUID, "description": SECRET,
                "actions": [{"op": "fail", "args": {"msg": "m"}}]}),
        ),
    ] {
        let path = format!("/v1/{path}");
        let made = service.send_as("admin@system", "POST", &path, body).await;
        assert_eq!(made.status.as_u16(), 201, "{path}: {made:?}");
    }
    let mut allocation = types::Allocation::new(AllocationId::from(UUID));
    allocation.name = Some(SECRET.into());
    allocation.owner = Some("p1".into());
    allocation.node = Some(node.id);
    let current = store::node::find(&service.db, node.id).await.unwrap();
    store::allocation::insert_bound(&service.db, allocation, current.unwrap(), Log::default())
        .await
        .unwrap();
    let id = UUID.parse().unwrap();
    let mut webhook = types::webhook::Webhook::new(id, "http://127.0.0.1:9/".into(), 0);
    webhook.description = Some(SECRET.into());
    webhook.secret = json!("its secret");
    store::webhook::insert(&service.db, webhook).await.unwrap();
    image(&service).await;
    network(&service).await;
    batches(&service, node.id).await;
    accounts(&service).await;
    certificate(&service, node.id).await;
    let baseline = json!({"firmware": {"bmc": SECRET}});
    let path = "/corten/v1/baselines/gold";
    let made = service.send_as("admin@system", "PUT", path, baseline).await;
    assert_eq!(made.status, 200, "{made:?}");
    service.conductor.asked.lock().unwrap().clear();
    service
}

/// What says how its disks were erased.
async fn certificate(service: &Service, node: NodeId) {
    let document = json!({"serial": SECRET}).to_string();
    let signature = service.db.keys().sign(document.as_bytes()).unwrap();
    let certificate = types::erasure::EraseCertificate {
        row: 0,
        id: UUID.parse().unwrap(),
        node,
        node_name: Some(SECRET.into()),
        issued_at: Timestamp::now(),
        document,
        signature,
    };
    let stored = store::node::find(&service.db, node).await.unwrap().unwrap();
    let log = Log {
        certificates: vec![certificate],
        ..Log::default()
    };
    store::node::save(&service.db, stored, store::node::Fence::Free, log)
        .await
        .unwrap();
}

/// A network with a reservation.
async fn network(service: &Service) {
    let plan = types::site_network::NetworkPlan {
        domain: Some(SECRET.into()),
        ..types::site_network::NetworkPlan::new("10.0.0.0/24".parse().unwrap())
    };
    let name: types::site_network::NetworkName = "rack1".parse().unwrap();
    let stored = store::site_network::insert(&service.db, name.clone(), plan).await;
    assert!(matches!(stored, Ok(store::site_network::Stored::Row(_))));
    let mac = "52:54:00:00:00:98".parse().unwrap();
    let address = "10.0.0.8".parse().unwrap();
    let reserved = store::site_network::reserve(&service.db, name, mac, address).await;
    reserved.unwrap();
}

/// A user in a group, with a role and a token.
async fn accounts(service: &Service) {
    let admin = async |method: &str, path: &str, body: Value| {
        let path = format!("/corten/v1/{path}");
        let done = service.send_as("admin@system", method, &path, body).await;
        assert!(done.status.is_success(), "{path}: {done:?}");
    };
    let user = json!({"name": "ada", "description": SECRET});
    admin("POST", "users", user).await;
    let group = json!({"name": "ops", "description": SECRET});
    admin("POST", "groups", group).await;
    admin("PUT", "groups/ops/members/ada", Value::Null).await;
    let role = json!({"user": "ada", "role": "reader", "project": "p1"});
    admin("PUT", "roles", role).await;
    let token = types::account::AccessToken {
        id: UUID.parse().unwrap(),
        user: "ada".parse().unwrap(),
        name: SECRET.parse().unwrap(),
        place: None,
        role: None,
        created_at: Timestamp::now(),
        expires_at: None,
        last_used_at: None,
    };
    let author = store::account::Author::default();
    store::account::token::insert(&service.db, token, "hash".into(), author)
        .await
        .unwrap();
}

/// An image of the store that a conductor takes from a client.
async fn image(service: &Service) {
    use types::image::{ImageState, StoredImage};
    let image = StoredImage {
        id: UUID.parse().unwrap(),
        version: 0,
        name: "debian".parse().unwrap(),
        origin: Some(format!("http://h/{SECRET}")),
        checksum_origin: None,
        checksum: None,
        source: Value::Null,
        state: ImageState::Uploading,
        content: None,
        holder: None,
        done_bytes: 0,
        total_bytes: Some(1),
        last_error: None,
        created_at: types::Timestamp::now(),
        updated_at: None,
    };
    let source = types::image::ImageSource::default();
    let stored = store::image::insert(&service.db, image, source).await;
    let store::image::Inserted::Row(row) = stored.unwrap() else {
        panic!("it is the first one")
    };
    let me = types::lease::Holder {
        host: "cond1".into(),
        epoch: 1,
    };
    let claimed = store::image::claim(&service.db, &row, &me, ImageState::Uploading);
    claimed.await.unwrap();
}

/// A batch that runs and one that has ended.
async fn batches(service: &Service, node: NodeId) {
    use types::batch::{ActionKind, Batch, BatchAction, BatchState};
    for uuid in [UUID, ENDED_BATCH] {
        let batch = Batch {
            id: uuid.parse().unwrap(),
            version: 0,
            description: Some(SECRET.into()),
            query: None,
            action: ActionKind::Maintenance,
            word: "on".into(),
            request: Value::Null,
            state: BatchState::Running,
            reason: None,
            node_count: 1,
            wave_sizes: vec![1],
            wave: 0,
            at_once: 1,
            max_failures: None,
            forgiven: 0,
            user: None,
            project: Some("p1".into()),
            maker: None,
            holder: None,
            generation: 0,
            created_at: Timestamp::now(),
            updated_at: None,
            ended_at: None,
        };
        let action = BatchAction::Maintenance {
            on: true,
            reason: Some(SECRET.into()),
        };
        let nodes = vec![types::batch::Member {
            node,
            name: Some(SECRET.to_owned()),
            owners: (Some("p1".into()), None),
        }];
        let stored = store::batch::insert(&service.db, batch, action, nodes).await;
        let stored = stored.unwrap().unwrap();
        if uuid == ENDED_BATCH {
            let me = types::lease::Holder {
                host: "cond1".into(),
                epoch: 1,
            };
            let fence = store::batch::claim(&service.db, &stored, &me)
                .await
                .unwrap();
            let ended = store::batch::finish(&service.db, fence, BatchState::Running);
            ended.await.unwrap();
        }
    }
}

async fn register(service: &Service) {
    let new = Registration {
        hostname: "cond1".into(),
        conductor_group: String::new(),
        drivers: vec!["fake-hardware".into()],
        interfaces: vec![OfferedInterface {
            hardware_type: "fake-hardware".into(),
            kind: InterfaceKind::Power,
            name: "fake".into(),
            is_default: true,
        }],
        url: None,
    };
    store::member::register(&service.db, new).await.unwrap();
}

/// What is written by conductors only.
async fn belongings(service: &Service, node: NodeId) {
    let db = &service.db;
    let settings = vec![BiosSetting::new("boot", Some(SECRET.into()))];
    store::bios::replace(db, node, settings).await.unwrap();
    let parts = vec![FirmwareComponent::new("bmc", Some(SECRET.into()))];
    store::firmware::observe(db, node, parts).await.unwrap();
    let found = Inventory {
        inventory: json!({"a": SECRET}).as_object().unwrap().clone(),
        ..Inventory::default()
    };
    store::inventory::save(db, node, found).await.unwrap();
    let entry = HistoryEntry {
        row: 0,
        id: UUID.parse::<HistoryId>().unwrap(),
        node,
        created_at: Timestamp::now(),
        conductor: Some("cond1".into()),
        user: None,
        project: None,
        is_error: Some(true),
        event_type: Some("t".into()),
        event: SECRET.into(),
        state: Some(ProvisionState::Enroll),
        target_provision_state: None,
        duration_seconds: None,
    };
    let stored = store::node::find(db, node).await.unwrap().unwrap();
    let caller = Caller::service();
    let event = NewEvent::new(&stored, EventKind::Updated, SECRET, json!({}), &caller);
    let log = Log {
        history: vec![entry],
        events: vec![event],
        ..Log::default()
    };
    store::node::save(db, stored, store::node::Fence::Free, log)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_system_administrator_gets_everywhere() {
    let mut complaints = Vec::new();
    let shared = service().await;
    for operation in Operation::all() {
        let fresh;
        let service = if operation.method == Method::Delete {
            fresh = service().await;
            &fresh
        } else {
            &shared
        };
        let answer = operation.send(service, "admin@system").await;
        // What the fake conductor says behind the rules is no matter of rights, nor is it that no
        // ramdisk is expected now.
        let refused = answer.status.is_client_error();
        let nothing = operation.is_among(NEVER)
            || operation.is_among(&["GET lookup", "POST continue_inspection"]);
        if refused != nothing {
            complaints.push(format!(
                "{}: {} {}",
                operation.name(),
                answer.status,
                answer.text
            ));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[tokio::test]
async fn callers_without_roles_get_nothing() {
    let service = service().await;
    let mut complaints = Vec::new();
    for operation in Operation::all() {
        for persona in ["nothing@p1", "nothing@system"] {
            let answer = operation.send(&service, persona).await;
            let refused = matches!(answer.status.as_u16(), 400 | 403 | 404 | 405 | 406);
            if !refused && !operation.is_among(PUBLIC) || answer.text.contains(SECRET) {
                complaints.push(format!("{} by {persona}: {answer:?}", operation.name()));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let asked = service.conductor.asked.lock().unwrap();
    assert!(
        asked
            .iter()
            .all(|what| what.starts_with("heartbeat") || what.starts_with("note_progress")),
        "{asked:?}"
    );
}

#[tokio::test]
async fn callers_of_another_project_get_only_what_is_theirs() {
    let service = service().await;
    let mut complaints = Vec::new();
    for operation in Operation::all() {
        let answer = operation.send(&service, "admin@p2").await;
        let refused = matches!(answer.status.as_u16(), 400 | 403 | 404 | 405 | 406);
        let allowed = [PUBLIC, OF_ONES_OWN, OF_ADMINS];
        let fine = refused || allowed.iter().any(|names| operation.is_among(names));
        if !fine || answer.text.contains(SECRET) {
            complaints.push(format!("{}: {answer:?}", operation.name()));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let asked = service.conductor.asked.lock().unwrap();
    let own = [
        "heartbeat",
        "note_progress",
        "create_node",
        "create_allocation",
        "driver_properties",
        "offered_steps",
    ];
    let foreign = |what: &&String| !own.iter().any(|start| what.starts_with(start));
    assert_eq!(asked.iter().find(foreign), None);
}

#[tokio::test]
async fn lists_tell_nothing_about_what_their_arguments_name() {
    let service = service().await;
    for operation in Operation::all() {
        if operation.method != Method::Get || !operation.is_among(OF_ONES_OWN) {
            continue;
        }
        let path = operation.path();
        let list = service.get_as("admin@p2", &path).await;
        assert_eq!(list.status, 200, "{path}: {}", list.text);
        let joint = if path.contains('?') { '&' } else { '?' };
        for argument in ["marker", "node", "portgroup", "parent_node", "chassis_uuid"] {
            let answer = async |ident: &str| {
                let asked = format!("{path}{joint}{argument}={ident}");
                let answer = service.get_as("admin@p2", &asked).await;
                (answer.status, answer.text.replace(ident, "IT"))
            };
            let nothing = NodeId::generate().to_string();
            for (real, absent) in [(UUID, nothing.as_str()), (SECRET, "no-such-name")] {
                let told = answer(real).await;
                assert_eq!(told, answer(absent).await, "{path} {argument}={real}");
            }
        }
    }
}
