//! Things of several projects, each with texts in it that nobody else may ever read.
//!
//! They are written past the API, so that a mistake there cannot hide itself.

use crate::lab::HOST;
use scenario::random::Random;
use serde_json::json;
use std::collections::BTreeMap;
use store::{
    Db, Page,
    allocation::AllocationFilter,
    node::{Children, Columns, Log, NodeFilter},
    port::PortFilter,
    portgroup::PortgroupFilter,
    runbook::RunbookFilter,
    volume::VolumeFilter,
};
use types::{
    Allocation, AllocationId, BiosSetting, Caller, Chassis, ChassisId, DeployTemplate,
    DeployTemplateId, FirmwareComponent, HistoryId, InspectionRule, InspectionRuleId,
    InterfaceKind, Inventory, JsonMap, Node, NodeId, Port, PortId, Portgroup, PortgroupId,
    PowerState, ProvisionState, Runbook, RunbookId, Timestamp, VolumeConnector, VolumeConnectorId,
    VolumeTarget, VolumeTargetId,
    allocation::AllocationState,
    deploy_template::{Rank, TemplateStep},
    event::{EventKind, HistoryEntry, NewEvent},
    runbook::RunbookStep,
};

pub(super) const PROJECTS: [&str; 3] = ["project-one", "project-two", "project-three"];

/// Every thing fits on one page.
const ALL: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThingKind {
    Node,
    Port,
    Portgroup,
    Connector,
    Target,
    History,
    Allocation,
    Runbook,
    Chassis,
    Template,
    Rule,
}

/// Who may read a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// Owner and lessee of the node.
    Parties,
    /// Of those, only who is also an administrator.
    Administrators,
    /// The owner of the node alone.
    Owner,
    /// The owner of the allocation.
    Claimant,
    /// The owner of the allocation, and who has to do with its node.
    ClaimantAndParties,
    /// The owner of the runbook.
    Author,
    /// Nobody who speaks for a project.
    Nobody,
}

/// Something that a request can name.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    pub(super) kind: ThingKind,
    /// What it can be named by; the first is its UUID.
    pub(super) idents: Vec<String>,
    pub(super) address: Option<String>,
    pub(super) secrets: Vec<(String, Readers)>,
    /// Where its row is in a [`Snapshot`]; that of its node, for what has no row there.
    pub(super) key: String,
    /// The node that shows its UUID, for what belongs to no node.
    pub(super) shown_by: Option<String>,
}

/// Everything that can be named.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) things: Vec<Thing>,
}

/// A text that occurs nowhere else.
pub(super) fn marker(random: &mut Random, what: &str) -> String {
    format!("{what}{:012x}", random.number() & 0xffff_ffff_ffff)
}

pub(super) fn address(random: &mut Random) -> String {
    let bytes = random.number().to_be_bytes();
    let pairs: Vec<String> = bytes[..5].iter().map(|b| format!("{b:02x}")).collect();
    format!("52:{}", pairs.join(":"))
}

fn map(value: serde_json::Value) -> JsonMap {
    value.as_object().unwrap().clone()
}

impl World {
    fn add(
        &mut self,
        kind: ThingKind,
        key: String,
        idents: Vec<String>,
        secrets: Vec<(String, Readers)>,
    ) -> &mut Thing {
        self.things.push(Thing {
            kind,
            idents,
            address: None,
            secrets,
            key,
            shown_by: None,
        });
        self.things.last_mut().unwrap()
    }

    /// A node with everything that can belong to one.
    pub(super) async fn add_node(&mut self, db: &Db, random: &mut Random) {
        let projects = PROJECTS.map(str::to_owned);
        let (open, inner) = (marker(random, "open"), marker(random, "inner"));
        // Ironic hides it from lessees everywhere but below `/states`.
        let failed = marker(random, "failed");
        let name = marker(random, "node");
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some(name.clone());
        node.owner = random.maybe(&projects);
        node.lessee = random.maybe(&projects);
        node.extra = map(json!({"a": open}));
        node.description = Some(open.clone());
        node.shard = Some(marker(random, "shard"));
        node.resource_class = Some("baremetal".into());
        node.properties = map(json!({"cpus": 1, "serial": open}));
        node.instance_info = map(json!({"a": open}));
        node.driver_info = map(json!({"where": inner}));
        node.driver_internal_info = map(json!({"where": inner})).into();
        node.last_error = Some(failed.clone());
        node.traits = vec![format!("CUSTOM_{}", open.to_uppercase())];
        node.provision_state = *random.pick(&[
            ProvisionState::Enroll,
            ProvisionState::Manageable,
            ProvisionState::Available,
            ProvisionState::Active,
        ]);
        node.power_state = Some(PowerState::Off);
        // Whoever is in use and served by nobody is taken over, which would be a change.
        node.conductor_affinity = Some(HOST.to_owned());
        for (kind, interface) in [
            (InterfaceKind::Power, "fake"),
            (InterfaceKind::Management, "fake"),
            (InterfaceKind::Deploy, "fake"),
            (InterfaceKind::Boot, "fake"),
            (InterfaceKind::Network, "noop"),
            (InterfaceKind::Storage, "noop"),
            (InterfaceKind::Console, "fake"),
            (InterfaceKind::Raid, "fake"),
            (InterfaceKind::Bios, "fake"),
            (InterfaceKind::Vendor, "fake"),
            (InterfaceKind::Inspect, "fake"),
            (InterfaceKind::Rescue, "fake"),
            (InterfaceKind::Firmware, "fake"),
        ] {
            node.interfaces.set(kind, interface);
        }
        node.chassis = Some(self.add_chassis(db, random, node.id).await);
        let history = HistoryEntry {
            row: 0,
            id: HistoryId::generate(),
            node: node.id,
            created_at: Timestamp::now(),
            conductor: Some("c".into()),
            user: None,
            project: None,
            is_error: Some(true),
            event_type: Some("t".into()),
            event: inner.clone(),
            state: Some(node.provision_state),
            target_provision_state: None,
            duration_seconds: None,
        };
        let history_id = history.id.to_string();
        let caller = Caller::service();
        let event = |kind, text: &str| NewEvent::new(&node, kind, text, json!({}), &caller);
        let log = Log {
            events: vec![
                event(EventKind::Updated, &open),
                event(EventKind::Error, &inner),
                event(EventKind::Provision, &format!("a -> b: {inner}")),
            ],
            history: vec![history],
            ..Log::default()
        };
        let node = store::node::insert(db, node, log).await.unwrap();
        let (uuid, key) = (node.id.to_string(), format!("node {}", node.id));
        let shard = node.shard.clone().unwrap();
        self.add(
            ThingKind::Node,
            key.clone(),
            vec![uuid.clone(), name.clone()],
            vec![
                (uuid, Readers::Parties),
                (name, Readers::Parties),
                (shard, Readers::Parties),
                (open.clone(), Readers::Parties),
                (failed, Readers::Parties),
                (inner.clone(), Readers::Owner),
            ],
        );
        self.add(
            ThingKind::History,
            key.clone(),
            vec![history_id.clone()],
            vec![(history_id, Readers::Owner)],
        );
        let found = Inventory {
            inventory: map(json!({"a": inner})),
            plugin_data: map(json!({"a": inner})),
        };
        store::inventory::save(db, node.id, found).await.unwrap();
        let settings = vec![BiosSetting::new("boot", Some(open.clone()))];
        store::bios::replace(db, node.id, settings).await.unwrap();
        let parts = vec![FirmwareComponent::new("bmc", Some(open))];
        store::firmware::observe(db, node.id, parts).await.unwrap();
        self.add_ports(db, random, &node).await;
        self.add_volumes(db, random, &node).await;
        if random.chance(60) {
            self.add_claim(db, random, node).await;
        }
    }

    /// UUIDs of chassis are shown with their nodes; what is written on one is not.
    async fn add_chassis(&mut self, db: &Db, random: &mut Random, node: NodeId) -> ChassisId {
        let mut chassis = Chassis::new(ChassisId::generate());
        let text = marker(random, "rack");
        chassis.description = Some(text.clone());
        let chassis = store::chassis::insert(db, chassis, Log::default())
            .await
            .unwrap();
        let uuid = chassis.id.to_string();
        let key = format!("chassis {uuid}");
        let secrets = vec![(text, Readers::Nobody)];
        self.add(ThingKind::Chassis, key, vec![uuid], secrets)
            .shown_by = Some(format!("node {node}"));
        chassis.id
    }

    async fn add_ports(&mut self, db: &Db, random: &mut Random, node: &Node) {
        let mut group = Portgroup::new(PortgroupId::generate(), node.id);
        let (name, text, mac) = (
            marker(random, "group"),
            marker(random, "open"),
            address(random),
        );
        group.name = Some(name.clone());
        group.extra = map(json!({"a": text}));
        group.address = Some(mac.parse().unwrap());
        let group = store::portgroup::insert(db, group, Log::default())
            .await
            .unwrap();
        let uuid = group.id.to_string();
        let texts = [uuid.clone(), name.clone(), text, mac.clone()];
        let secrets = texts.map(|text| (text, Readers::Parties)).to_vec();
        let key = format!("portgroup {uuid}");
        self.add(ThingKind::Portgroup, key, vec![uuid.clone(), name], secrets)
            .address = Some(mac);

        let (name, text, mac) = (
            marker(random, "port"),
            marker(random, "open"),
            address(random),
        );
        let mut port = Port::new(PortId::generate(), node.id, mac.parse().unwrap());
        port.name = Some(name.clone());
        port.extra = map(json!({"a": text}));
        port.description = Some(text.clone());
        port.portgroup = random.chance(50).then_some(uuid);
        let port = store::port::insert(db, port, Log::default()).await.unwrap();
        let uuid = port.id.to_string();
        let texts = [uuid.clone(), name.clone(), text, mac.clone()];
        let secrets = texts.map(|text| (text, Readers::Parties)).to_vec();
        let key = format!("port {uuid}");
        self.add(ThingKind::Port, key, vec![uuid, name], secrets)
            .address = Some(mac);
    }

    async fn add_volumes(&mut self, db: &Db, random: &mut Random, node: &Node) {
        let text = marker(random, "open");
        let connector =
            VolumeConnector::new(VolumeConnectorId::generate(), node.id, "iqn", text.clone());
        let connector = store::volume::connector::insert(db, connector, Log::default())
            .await
            .unwrap();
        let uuid = connector.id.to_string();
        let secrets = vec![(uuid.clone(), Readers::Parties), (text, Readers::Parties)];
        let key = format!("connector {uuid}");
        self.add(ThingKind::Connector, key, vec![uuid], secrets);

        let (text, inner) = (marker(random, "open"), marker(random, "inner"));
        let mut target = VolumeTarget::new(
            VolumeTargetId::generate(),
            node.id,
            "iscsi",
            0,
            text.clone(),
        );
        target.properties = map(json!({"target_portal": inner}));
        let target = store::volume::target::insert(db, target, Log::default())
            .await
            .unwrap();
        let uuid = target.id.to_string();
        let secrets = vec![
            (uuid.clone(), Readers::Parties),
            (text, Readers::Parties),
            (inner, Readers::Administrators),
        ];
        let key = format!("target {uuid}");
        self.add(ThingKind::Target, key, vec![uuid], secrets);
    }

    /// An allocation of the node, for somebody who has to do with it.
    async fn add_claim(&mut self, db: &Db, random: &mut Random, node: Node) {
        let parties: Vec<String> = [node.owner.clone(), node.lessee.clone()]
            .into_iter()
            .flatten()
            .collect();
        let mut allocation = Allocation::new(AllocationId::generate());
        let (name, text) = (marker(random, "claim"), marker(random, "open"));
        allocation.name = Some(name.clone());
        allocation.extra = map(json!({"a": text}));
        allocation.resource_class = Some("baremetal".into());
        allocation.owner = (!parties.is_empty()).then(|| random.pick(&parties).clone());
        let (allocation, _) = store::allocation::insert_bound(db, allocation, node, Log::default())
            .await
            .unwrap();
        let uuid = allocation.id.to_string();
        let secrets = vec![
            (uuid.clone(), Readers::ClaimantAndParties),
            (name.clone(), Readers::Claimant),
            (text, Readers::Claimant),
        ];
        let key = format!("allocation {uuid}");
        self.add(ThingKind::Allocation, key, vec![uuid, name], secrets);
    }

    /// What belongs to a project, or to nobody, without a node.
    pub(super) async fn add_plans(&mut self, db: &Db, random: &mut Random) {
        let (name, text) = (marker(random, "book"), marker(random, "open"));
        let step = RunbookStep {
            interface: InterfaceKind::Bios,
            step: "apply_configuration".into(),
            args: map(json!({"a": text})),
            order: Rank::Number(1),
        };
        let mut runbook = Runbook::new(RunbookId::generate(), name.clone(), vec![step]);
        runbook.owner = random.maybe(&PROJECTS.map(str::to_owned));
        runbook.public = runbook.owner.is_none() && random.chance(50);
        runbook.extra = map(json!({"a": text}));
        let runbook = store::runbook::insert(db, runbook, Log::default())
            .await
            .unwrap();
        let uuid = runbook.id.to_string();
        let texts = [uuid.clone(), name.clone(), text];
        let secrets = texts.map(|text| (text, Readers::Author)).to_vec();
        let key = format!("runbook {uuid}");
        self.add(ThingKind::Runbook, key, vec![uuid, name], secrets);

        let name = format!("CUSTOM_{}", marker(random, "T").to_uppercase());
        let step = TemplateStep {
            interface: InterfaceKind::Bios,
            step: "apply_configuration".into(),
            args: JsonMap::new(),
            priority: Rank::Number(1),
        };
        let template = DeployTemplate::new(DeployTemplateId::generate(), name.clone(), vec![step]);
        let template = store::deploy_template::insert(db, template, Log::default())
            .await
            .unwrap();
        let uuid = template.id.to_string();
        let texts = [uuid.clone(), name.clone()];
        let secrets = texts.map(|text| (text, Readers::Nobody)).to_vec();
        let key = format!("template {uuid}");
        self.add(ThingKind::Template, key, vec![uuid, name], secrets);

        let text = marker(random, "rule");
        let actions = vec![json!({"op": "fail", "args": {"msg": text}})];
        let mut rule = InspectionRule::new(InspectionRuleId::generate(), Vec::new(), actions);
        rule.description = Some(text.clone());
        let rule = store::inspection_rule::insert(db, rule, Log::default())
            .await
            .unwrap();
        let uuid = rule.id.to_string();
        let secrets = vec![(uuid.clone(), Readers::Nobody), (text, Readers::Nobody)];
        let key = format!("rule {uuid}");
        self.add(ThingKind::Rule, key, vec![uuid], secrets);
    }
}

/// A row as it is in the database.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) content: String,
    /// The key of the node that it belongs to.
    pub(super) node: Option<String>,
    pub(super) owner: Option<String>,
    pub(super) lessee: Option<String>,
    pub(super) public: bool,
    busy: bool,
}

/// Every row there is.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Snapshot(pub(super) BTreeMap<String, Row>);

impl Snapshot {
    /// Whether somebody still works on something.
    pub(super) fn is_busy(&self) -> bool {
        self.0.values().any(|row| row.busy)
    }

    pub(super) async fn take(db: &Db) -> Self {
        let mut rows = Self::default();
        let page = || Page::first(ALL);
        // Before the nodes: one that is done has changed its node, so what is read below is newer.
        let list = store::allocation::list(db, AllocationFilter::default(), page()).await;
        for allocation in list.unwrap() {
            let key = format!("allocation {}", allocation.id);
            let row = rows.put(&key, format!("{allocation:?}"), allocation.node);
            row.busy = allocation.state == AllocationState::Allocating;
            row.owner = allocation.owner;
        }
        let all = NodeFilter {
            children: Children::Include,
            ..NodeFilter::default()
        };
        let nodes = store::node::list(db, all, page(), Columns::Full)
            .await
            .unwrap();
        for node in nodes {
            let key = format!("node {}", node.id);
            let row = rows.put(&key, format!("{node:?}"), Some(node.id));
            row.busy = node.reservation.is_some() || node.work.is_some();
            (row.owner, row.lessee) = (node.owner, node.lessee);
        }
        let list = store::port::list(db, PortFilter::default(), page()).await;
        for row in list.unwrap() {
            rows.put(
                &format!("port {}", row.id),
                format!("{row:?}"),
                Some(row.node),
            );
        }
        let list = store::portgroup::list(db, PortgroupFilter::default(), page()).await;
        for row in list.unwrap() {
            let key = format!("portgroup {}", row.id);
            rows.put(&key, format!("{row:?}"), Some(row.node));
        }
        let list = store::volume::connector::list(db, VolumeFilter::default(), page()).await;
        for row in list.unwrap() {
            let key = format!("connector {}", row.id);
            rows.put(&key, format!("{row:?}"), Some(row.node));
        }
        let list = store::volume::target::list(db, VolumeFilter::default(), page()).await;
        for row in list.unwrap() {
            let key = format!("target {}", row.id);
            rows.put(&key, format!("{row:?}"), Some(row.node));
        }
        let list = store::runbook::list(db, RunbookFilter::default(), page()).await;
        for runbook in list.unwrap() {
            let key = format!("runbook {}", runbook.id);
            let row = rows.put(&key, format!("{runbook:?}"), None);
            (row.owner, row.public) = (runbook.owner, runbook.public);
        }
        for row in store::chassis::list(db, page()).await.unwrap() {
            rows.put(&format!("chassis {}", row.id), format!("{row:?}"), None);
        }
        for row in store::deploy_template::list(db, page()).await.unwrap() {
            rows.put(&format!("template {}", row.id), format!("{row:?}"), None);
        }
        for row in store::inspection_rule::list(db, page()).await.unwrap() {
            rows.put(&format!("rule {}", row.id), format!("{row:?}"), None);
        }
        rows
    }

    fn put(&mut self, key: &str, content: String, node: Option<NodeId>) -> &mut Row {
        let row = Row {
            content,
            node: node.map(|id| format!("node {id}")),
            owner: None,
            lessee: None,
            public: false,
            busy: false,
        };
        self.0.entry(key.to_owned()).insert_entry(row).into_mut()
    }
}
