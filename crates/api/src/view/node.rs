//! What a node looks like at each version.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{HiddenFields, Rule, Target},
    view::{self, Field, Scene, Selection, secret},
};
use store::KeyRing;
use types::{
    ApiVersion, InterfaceKind as Kind, JsonMap, Node, PowerState, ProvisionState, node::NodeFault,
    version::since,
};

/// Every field of a node.
pub static FIELDS: &[Field<Node>] = &[
    Field::new("uuid", since::BASE, |w, _, s| w.str(s.id)),
    Field::new("created_at", since::BASE, |w, n, _| w.time(n.created_at)),
    Field::new("updated_at", since::BASE, |w, n, _| {
        w.opt_time(n.updated_at)
    }),
    Field::new("allocation_uuid", since::ALLOCATIONS, |w, n, _| {
        w.opt_str(n.allocation_uuid.as_deref())
    }),
    Field::new("automated_clean", since::AUTOMATED_CLEAN, |w, n, _| {
        w.opt_bool(n.automated_clean)
    }),
    Field::new("bios_interface", since::BIOS, |w, n, _| {
        interface(w, n, Kind::Bios)
    }),
    Field::new("boot_interface", since::INTERFACE_FIELDS, |w, n, _| {
        interface(w, n, Kind::Boot)
    }),
    Field::new("boot_mode", since::BOOT_MODE, |w, n, _| {
        w.opt_str(n.boot_mode.as_deref())
    }),
    Field::new("chassis_uuid", since::BASE, |w, n, _| chassis(w, n)),
    Field::new("clean_step", since::CLEAN_STEP, |w, n, _| {
        w.map(&n.clean_step)
    }),
    Field::new("conductor", since::CONDUCTORS, conductor),
    Field::new("conductor_group", since::CONDUCTOR_GROUP, |w, n, _| {
        w.str(&n.conductor_group)
    }),
    Field::new("console_enabled", since::BASE, |w, n, _| {
        w.bool(n.console_enabled)
    }),
    Field::new("console_interface", since::INTERFACE_FIELDS, |w, n, _| {
        interface(w, n, Kind::Console)
    }),
    Field::new("deploy_interface", since::INTERFACE_FIELDS, |w, n, _| {
        interface(w, n, Kind::Deploy)
    }),
    Field::new("deploy_step", since::DEPLOY_STEP, |w, n, _| {
        w.map(&n.deploy_step)
    }),
    Field::new("description", since::DESCRIPTION, |w, n, _| {
        w.opt_str(n.description.as_deref())
    }),
    Field::new("disable_power_off", since::DISABLE_POWER_OFF, |w, n, _| {
        w.opt_bool(n.disable_power_off)
    }),
    Field::new("driver", since::BASE, |w, n, _| w.str(&n.driver)),
    Field::new("driver_info", since::BASE, driver_info),
    Field::new(
        "driver_internal_info",
        since::DRIVER_INTERNAL_INFO,
        driver_internal_info,
    ),
    Field::new("extra", since::BASE, |w, n, _| w.map(&n.extra)),
    Field::new("fault", since::FAULT, |w, n, _| {
        w.opt_str(n.fault.map(NodeFault::as_str))
    }),
    Field::new("firmware_interface", since::FIRMWARE, |w, n, _| {
        interface(w, n, Kind::Firmware)
    }),
    Field::new("health", since::HEALTH, |w, n, _| {
        w.opt_str(n.health.as_deref())
    }),
    Field::new("inspect_interface", since::INTERFACE_FIELDS, |w, n, _| {
        interface(w, n, Kind::Inspect)
    }),
    Field::new("inspection_finished_at", since::INSPECTION, |w, n, _| {
        w.opt_time(n.inspection_finished_at)
    }),
    Field::new("inspection_started_at", since::INSPECTION, |w, n, _| {
        w.opt_time(n.inspection_started_at)
    }),
    Field::new("instance_info", since::BASE, instance_info),
    Field::new("instance_name", since::INSTANCE_NAME, |w, n, _| {
        w.opt_str(n.instance_name.as_deref())
    }),
    Field::new("instance_uuid", since::BASE, |w, n, _| {
        w.opt_str(n.instance_uuid.as_deref())
    }),
    Field::new("last_error", since::BASE, |w, n, s| {
        let hidden = s.sight.hidden.last_error;
        let notice = hidden.then_some(HiddenFields::LAST_ERROR);
        w.opt_str(notice.or(n.last_error.as_deref()));
    }),
    Field::new("lessee", since::LESSEE, |w, n, _| {
        w.opt_str(n.lessee.as_deref())
    }),
    Field::new("maintenance", since::BASE, |w, n, _| w.bool(n.maintenance)),
    Field::new("maintenance_reason", since::BASE, |w, n, _| {
        w.opt_str(n.maintenance_reason.as_deref())
    }),
    Field::new(
        "management_interface",
        since::INTERFACE_FIELDS,
        |w, n, _| interface(w, n, Kind::Management),
    ),
    Field::new("name", since::NODE_NAME, |w, n, _| {
        w.opt_str(n.name.as_deref())
    }),
    Field::new("network_data", since::NETWORK_DATA, |w, n, _| {
        w.map(&n.network_data)
    }),
    Field::new("network_interface", since::NETWORK_INTERFACE, |w, n, _| {
        interface(w, n, Kind::Network)
    }),
    Field::new("owner", since::OWNER, |w, n, _| {
        w.opt_str(n.owner.as_deref())
    }),
    Field::new("parent_node", since::PARENT_NODE, |w, n, _| {
        w.opt_str(n.parent_node.as_deref())
    }),
    Field::new("power_interface", since::INTERFACE_FIELDS, |w, n, _| {
        interface(w, n, Kind::Power)
    }),
    Field::new("power_state", since::BASE, |w, n, _| {
        w.opt_str(n.power_state.map(PowerState::as_str))
    }),
    Field::new("properties", since::BASE, |w, n, _| w.map(&n.properties)),
    Field::new("protected", since::PROTECTED, |w, n, _| w.bool(n.protected)),
    Field::new("protected_reason", since::PROTECTED, |w, n, _| {
        w.opt_str(n.protected_reason.as_deref())
    }),
    Field::new("provision_state", since::BASE, |w, n, s| {
        w.opt_str(provision_state(n.provision_state, s.version))
    }),
    Field::new("provision_updated_at", since::BASE, |w, n, _| {
        w.opt_time(n.provision_updated_at)
    }),
    Field::new("raid_config", since::RAID, |w, n, _| w.map(&n.raid_config)),
    Field::new("raid_interface", since::INTERFACE_FIELDS, |w, n, _| {
        interface(w, n, Kind::Raid)
    }),
    Field::new("rescue_interface", since::RESCUE, |w, n, _| {
        interface(w, n, Kind::Rescue)
    }),
    Field::new("reservation", since::BASE, |w, n, s| {
        let hidden = s.sight.hidden.reservation;
        let notice = hidden.then_some(HiddenFields::RESERVATION);
        w.opt_str(notice.or(n.reservation.as_deref()));
    }),
    Field::new("resource_class", since::RESOURCE_CLASS, |w, n, _| {
        w.opt_str(n.resource_class.as_deref())
    }),
    Field::new("retired", since::RETIRED, |w, n, _| w.bool(n.retired)),
    Field::new("retired_reason", since::RETIRED, |w, n, _| {
        w.opt_str(n.retired_reason.as_deref())
    }),
    Field::new("secure_boot", since::BOOT_MODE, |w, n, _| {
        w.opt_bool(n.secure_boot)
    }),
    Field::new("service_step", since::SERVICE, |w, n, _| {
        w.map(&n.service_step)
    }),
    Field::new("shard", since::SHARD, |w, n, _| {
        w.opt_str(n.shard.as_deref())
    }),
    Field::new("storage_interface", since::STORAGE_INTERFACE, |w, n, _| {
        interface(w, n, Kind::Storage)
    }),
    Field::new("target_power_state", since::BASE, |w, n, _| {
        w.opt_str(n.target_power_state.map(PowerState::as_str))
    }),
    Field::new("target_provision_state", since::BASE, |w, n, _| {
        w.opt_str(n.target_provision_state.map(ProvisionState::as_str))
    }),
    Field::new("target_raid_config", since::RAID, |w, n, _| {
        w.map(&n.target_raid_config)
    }),
    Field::new("traits", since::TRAITS, traits),
    Field::new("vendor_interface", since::INTERFACE_FIELDS, |w, n, _| {
        interface(w, n, Kind::Vendor)
    }),
    Field::new("links", since::BASE, |w, _, s| s.links(w, "nodes")),
    Field::new("ports", since::BASE, |w, _, s| {
        s.links_below(w, "nodes", "ports")
    }),
    Field::new("states", since::STATES_LINK, |w, _, s| {
        s.links_below(w, "nodes", "states")
    }),
    Field::new("portgroups", since::PORTGROUP_LINKS, |w, _, s| {
        s.links_below(w, "nodes", "portgroups")
    }),
    Field::new("volume", since::VOLUME, |w, _, s| {
        s.links_below(w, "nodes", "volume")
    }),
];

/// What a list shows when nothing else is asked for, in the order of `next` links.
pub const DEFAULT_FIELDS: &[&str] = &[
    "instance_uuid",
    "maintenance",
    "power_state",
    "provision_state",
    "uuid",
    "name",
];

/// Fields that belong to the full document only: nobody may ask for them by name.
const UNQUERYABLE: &[&str] = &[
    "created_at",
    "updated_at",
    "links",
    "ports",
    "states",
    "portgroups",
    "volume",
];

/// Since when a field exists, if it does at all.
pub fn since(field: &str) -> Option<ApiVersion> {
    FIELDS.iter().find(|f| f.name == field).map(|f| f.since)
}

/// The fields of this name that the client may ask for, or why not.
pub fn select(version: ApiVersion, names: &[String]) -> Result<Selection, ApiError> {
    check_versions(version, names.iter().map(String::as_str))?;
    for name in names {
        if since(name).is_none() || UNQUERYABLE.contains(&name.as_str()) {
            return Err(ApiError::invalid(format!(
                "Field {name} is not a valid field."
            )));
        }
    }
    Ok(Selection::named(FIELDS, version, names))
}

/// 406 when one of the names is that of a field which the version does not have.
pub fn check_versions<'n>(
    version: ApiVersion,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<(), ApiError> {
    let mut names = names.into_iter();
    let too_new = |name: &str| {
        !UNQUERYABLE.contains(&name) && since(name).is_some_and(|since| since > version)
    };
    if names.any(too_new) {
        Err(ApiError::not_acceptable())
    } else {
        Ok(())
    }
}

/// The name of a state at a version. There was no word for "available" before 1.2, and none for
/// waiting inspection before 1.39.
pub fn provision_state(state: ProvisionState, version: ApiVersion) -> Option<&'static str> {
    match state {
        ProvisionState::Available if version < since::AVAILABLE_STATE => None,
        ProvisionState::InspectWait if version < since::INSPECT_WAIT_STATE => {
            Some(ProvisionState::Inspecting.as_str())
        }
        other => Some(other.as_str()),
    }
}

/// What a caller sees of one node. The default is what everybody does: all fields, and no secrets.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sight<'a> {
    hidden: HiddenFields,
    /// The keys that open secrets in what belongs to the driver, for those who may see them.
    driver_secrets: Option<&'a KeyRing>,
    /// The same for `instance_info`.
    instance_secrets: Option<&'a KeyRing>,
}

/// Shows nodes to a caller. What does not depend on the node is asked once.
#[derive(Debug)]
pub struct Viewer<'a> {
    call: &'a Call,
    sees_all_fields: bool,
    sight: Sight<'a>,
}

impl<'a> Viewer<'a> {
    pub fn new(call: &'a Call) -> Self {
        let (policy, caller) = (&call.state.settings.policy, &call.ctx.credentials);
        let keys = |rule| {
            call.allows(rule, &Target::NONE)
                .then(|| call.state.db.keys())
        };
        Self {
            call,
            sees_all_fields: policy.sees_all_fields(caller),
            sight: Sight {
                hidden: HiddenFields::default(),
                driver_secrets: keys(Rule::ShowPassword),
                instance_secrets: keys(Rule::ShowInstanceSecrets),
            },
        }
    }

    /// Writes a node.
    pub fn write(&self, w: &mut JsonWriter, selection: Selection, node: &Node) {
        let id = node.id.to_string();
        let mut scene = Scene::new(self.call, &id);
        scene.sight = self.sight;
        if !self.sees_all_fields {
            let policy = &self.call.state.settings.policy;
            let caller = &self.call.ctx.credentials;
            scene.sight.hidden = policy.hidden_fields(caller, &Target::node(node));
        }
        view::write(w, FIELDS, selection, node, &scene);
    }
}

/// A node as a document of its own.
pub fn document(call: &Call, selection: Selection, node: &Node) -> Vec<u8> {
    let mut w = JsonWriter::with_capacity(6 * 1024);
    Viewer::new(call).write(&mut w, selection, node);
    w.finish()
}

/// The whole node as a document.
pub fn full(call: &Call, node: &Node) -> Vec<u8> {
    document(call, Selection::full(FIELDS, call.version()), node)
}

fn interface(w: &mut JsonWriter, node: &Node, kind: Kind) {
    let name = node.interfaces.get(kind);
    w.opt_str(Some(name).filter(|name| !name.is_empty()));
}

fn driver_info(w: &mut JsonWriter, node: &Node, scene: &Scene<'_>) {
    if scene.sight.hidden.driver_info {
        return notice(w, HiddenFields::DRIVER_INFO);
    }
    match opened(scene.sight.driver_secrets, &node.driver_info, scene.id) {
        Some(open) => w.map(&open),
        None => secret::map(w, &node.driver_info),
    }
}

fn driver_internal_info(w: &mut JsonWriter, node: &Node, scene: &Scene<'_>) {
    if scene.sight.hidden.driver_internal_info {
        return notice(w, HiddenFields::DRIVER_INTERNAL_INFO);
    }
    let info = node.driver_internal_info.public_json();
    match opened(scene.sight.driver_secrets, &info, scene.id) {
        Some(open) => w.map(&open),
        None => secret::map(w, &info),
    }
}

fn instance_info(w: &mut JsonWriter, node: &Node, scene: &Scene<'_>) {
    match opened(scene.sight.instance_secrets, &node.instance_info, scene.id) {
        Some(open) => w.map(&open),
        None => secret::instance_info(w, &node.instance_info),
    }
}

/// The map with its secrets, for those who may see them. One that does not open stays masked.
fn opened(keys: Option<&KeyRing>, map: &JsonMap, id: &str) -> Option<JsonMap> {
    keys?.open_map(map, id).ok()
}

/// What stands in place of an object that the caller may not see.
fn notice(w: &mut JsonWriter, text: &str) {
    w.begin_object();
    w.key("content");
    w.str(text);
    w.end_object();
}

fn chassis(w: &mut JsonWriter, node: &Node) {
    match node.chassis {
        Some(id) => w.plain(id),
        None => w.null(),
    }
}

fn conductor(w: &mut JsonWriter, node: &Node, scene: &Scene<'_>) {
    let host = scene
        .conductor
        .owner(node.id, &node.driver, &node.conductor_group);
    w.opt_str(host.as_deref());
}

fn traits(w: &mut JsonWriter, node: &Node, _: &Scene<'_>) {
    w.begin_array();
    for name in &node.traits {
        w.str(name);
    }
    w.end_array();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;
    use types::NodeId;

    /// The keys of a full node, by the version that brought them.
    const APPEARANCE: &[(u16, &str)] = &[
        (
            1,
            "uuid created_at updated_at chassis_uuid console_enabled driver driver_info extra \
             instance_info instance_uuid last_error links maintenance maintenance_reason ports \
             power_state properties provision_state provision_updated_at reservation \
             target_power_state target_provision_state",
        ),
        (3, "driver_internal_info"),
        (5, "name"),
        (6, "inspection_finished_at inspection_started_at"),
        (7, "clean_step"),
        (12, "raid_config target_raid_config"),
        (14, "states"),
        (20, "network_interface"),
        (21, "resource_class"),
        (24, "portgroups"),
        (
            31,
            "boot_interface console_interface deploy_interface inspect_interface \
             management_interface power_interface raid_interface vendor_interface",
        ),
        (32, "volume"),
        (33, "storage_interface"),
        (37, "traits"),
        (38, "rescue_interface"),
        (40, "bios_interface"),
        (42, "fault"),
        (44, "deploy_step"),
        (46, "conductor_group"),
        (47, "automated_clean"),
        (48, "protected protected_reason"),
        (49, "conductor"),
        (50, "owner"),
        (51, "description"),
        (52, "allocation_uuid"),
        (61, "retired retired_reason"),
        (65, "lessee"),
        (66, "network_data"),
        (75, "boot_mode secure_boot"),
        (82, "shard"),
        (83, "parent_node"),
        (86, "firmware_interface"),
        (87, "service_step"),
        (95, "disable_power_off"),
        (104, "instance_name"),
        (109, "health"),
    ];

    fn keys(document: &Value) -> BTreeSet<&str> {
        let object = document.as_object().unwrap();
        object.keys().map(String::as_str).collect()
    }

    #[tokio::test]
    async fn every_version_has_exactly_its_fields() {
        let service = Service::new();
        let node = service
            .store_node(Node::new(NodeId::generate(), "fake-hardware"))
            .await;
        for version in ApiVersion::all() {
            let expected: BTreeSet<&str> = APPEARANCE
                .iter()
                .filter(|(minor, _)| *minor <= version.0)
                .flat_map(|(_, names)| names.split_whitespace())
                .collect();
            let one = service
                .get(&format!("/v1/nodes/{}", node.id), version.0)
                .await;
            assert_eq!(keys(&one.json()), expected, "{version}");
            let list = service.get("/v1/nodes/detail", version.0).await;
            assert_eq!(list.json()["nodes"][0], one.json(), "{version}");
            let mut short: BTreeSet<&str> = DEFAULT_FIELDS.iter().copied().collect();
            short.insert("links");
            if version < since::NODE_NAME {
                short.remove("name");
            }
            let list = service.get("/v1/nodes", version.0).await;
            assert_eq!(keys(&list.json()["nodes"][0]), short, "{version}");
        }
    }

    #[tokio::test]
    async fn values_are_shown_as_clients_know_them() {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        let Value::Object(info) = json!({"a_password": "p", "b": "c"}) else {
            unreachable!()
        };
        node.driver_info = info;
        node.interfaces.set(Kind::Boot, "fake");
        let node = service.store_node(node).await;
        let shown = service
            .get(&format!("/nodes/{}", node.id), 115)
            .await
            .json();
        assert_eq!(
            shown["driver_info"],
            json!({"a_password": "******", "b": "c"})
        );
        assert_eq!(shown["boot_interface"], "fake");
        assert_eq!(shown["bios_interface"], Value::Null);
        assert_eq!(shown["conductor"], "cond1");
        assert_eq!(shown["extra"], json!({}));
        assert_eq!(shown["created_at"], node.created_at.to_string());
        assert_eq!(
            shown["volume"][1],
            json!({"href": format!("http://h:6385/nodes/{}/volume", node.id), "rel": "bookmark"})
        );
    }

    #[test]
    fn old_versions_have_fewer_words_for_states() {
        let name = |state, minor| provision_state(state, ApiVersion(minor));
        assert_eq!(name(ProvisionState::Available, 1), None);
        assert_eq!(name(ProvisionState::Available, 2), Some("available"));
        assert_eq!(name(ProvisionState::InspectWait, 38), Some("inspecting"));
        assert_eq!(name(ProvisionState::InspectWait, 39), Some("inspect wait"));
        assert_eq!(name(ProvisionState::Active, 1), Some("active"));
    }
}
