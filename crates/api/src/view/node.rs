//! What a node looks like at each version.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{HiddenFields, Rule, Target},
    view::{
        self, Field, Selection, ViewContext,
        stored::{self, Masking},
    },
};
use std::{ops::Deref, sync::LazyLock};
use store::{
    KeyRing, StoreError,
    node::{Column, ColumnSet, NodeRow},
};
use types::{ApiVersion, Conductor, JsonMap, Node, ProvisionState, Timestamp, version::since};

/// A field that shows a column of the same name by one of the functions below.
macro_rules! column {
    ($name:literal, $since:ident, $show:ident) => {
        Field::new($name, since::$since, |w, n, _| {
            $show(w, n, const { Column::of($name) })
        })
    };
}

/// Every field of a node.
pub(crate) static FIELDS: &[Field<NodeRow>] = &[
    Field::new("uuid", since::BASE, |w, _, s| w.clean(s.id)),
    column!("created_at", BASE, time),
    column!("updated_at", BASE, time),
    column!("allocation_uuid", ALLOCATIONS, text),
    column!("automated_clean", AUTOMATED_CLEAN, switch),
    column!("bios_interface", BIOS, interface),
    column!("boot_interface", INTERFACE_FIELDS, interface),
    column!("boot_mode", BOOT_MODE, text),
    column!("chassis_uuid", BASE, text),
    column!("clean_step", CLEAN_STEP, object),
    Field::new("conductor", since::CONDUCTORS, conductor),
    column!("conductor_group", CONDUCTOR_GROUP, text),
    column!("console_enabled", BASE, flag),
    column!("console_interface", INTERFACE_FIELDS, interface),
    column!("deploy_interface", INTERFACE_FIELDS, interface),
    column!("deploy_step", DEPLOY_STEP, object),
    column!("description", DESCRIPTION, text),
    column!("disable_power_off", DISABLE_POWER_OFF, switch),
    column!("driver", BASE, text),
    Field::new("driver_info", since::BASE, driver_info),
    Field::new(
        "driver_internal_info",
        since::DRIVER_INTERNAL_INFO,
        driver_internal_info,
    ),
    column!("extra", BASE, object),
    column!("fault", FAULT, text),
    column!("firmware_interface", FIRMWARE, interface),
    column!("health", HEALTH, text),
    column!("inspect_interface", INTERFACE_FIELDS, interface),
    column!("inspection_finished_at", INSPECTION, time),
    column!("inspection_started_at", INSPECTION, time),
    Field::new("instance_info", since::BASE, instance_info),
    column!("instance_name", INSTANCE_NAME, text),
    column!("instance_uuid", BASE, text),
    Field::new("last_error", since::BASE, |w, n, s| {
        let hidden = s.viewer.hidden.last_error;
        let notice = hidden.then_some(HiddenFields::LAST_ERROR);
        w.opt_str(notice.or_else(|| n.text(const { Column::of("last_error") })));
    }),
    column!("lessee", LESSEE, text),
    column!("maintenance", BASE, flag),
    column!("maintenance_reason", BASE, text),
    column!("management_interface", INTERFACE_FIELDS, interface),
    column!("name", NODE_NAME, text),
    column!("network_data", NETWORK_DATA, object),
    column!("network_interface", NETWORK_INTERFACE, interface),
    column!("owner", OWNER, text),
    column!("parent_node", PARENT_NODE, text),
    column!("power_interface", INTERFACE_FIELDS, interface),
    column!("power_state", BASE, text),
    column!("properties", BASE, object),
    column!("protected", PROTECTED, flag),
    column!("protected_reason", PROTECTED, text),
    Field::new("provision_state", since::BASE, |w, n, s| {
        let state = n.text(const { Column::of("provision_state") });
        let state = state.and_then(|state| state.parse().ok());
        w.opt_str(state.and_then(|state| provision_state(state, s.version)));
    }),
    column!("provision_updated_at", BASE, time),
    column!("raid_config", RAID, object),
    column!("raid_interface", INTERFACE_FIELDS, interface),
    column!("rescue_interface", RESCUE, interface),
    Field::new("reservation", since::BASE, |w, n, s| {
        let hidden = s.viewer.hidden.reservation;
        let notice = hidden.then_some(HiddenFields::RESERVATION);
        w.opt_str(notice.or_else(|| n.text(const { Column::of("reservation") })));
    }),
    column!("resource_class", RESOURCE_CLASS, text),
    Field::new("retired", since::RETIRED, |w, n, _| {
        let on = n.flag(const { Column::of("retired") }) == Some(true);
        let is_unset = n.flag(const { Column::of("retired_unset") }) == Some(true);
        w.opt_bool((on || !is_unset).then_some(on));
    }),
    column!("retired_reason", RETIRED, text),
    column!("secure_boot", BOOT_MODE, switch),
    column!("service_step", SERVICE, object),
    column!("shard", SHARD, text),
    column!("storage_interface", STORAGE_INTERFACE, interface),
    column!("target_power_state", BASE, text),
    column!("target_provision_state", BASE, text),
    column!("target_raid_config", RAID, object),
    column!("traits", TRAITS, array),
    column!("vendor_interface", INTERFACE_FIELDS, interface),
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
pub(crate) const DEFAULT_FIELDS: &[&str] = &[
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
pub(crate) fn since(field: &str) -> Option<ApiVersion> {
    FIELDS.iter().find(|f| f.name == field).map(|f| f.since)
}

/// The fields of this name that the client may ask for, or why not.
pub(crate) fn select(version: ApiVersion, names: &[String]) -> Result<Selection, ApiError> {
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
pub(crate) fn check_versions<'n>(
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
pub(crate) fn provision_state(state: ProvisionState, version: ApiVersion) -> Option<&'static str> {
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
pub(crate) struct NodeVisibility<'a> {
    hidden: HiddenFields,
    /// The keys that open secrets in what belongs to the driver, for those who may see them.
    driver_secrets: Option<&'a KeyRing>,
    /// The same for `instance_info`.
    instance_secrets: Option<&'a KeyRing>,
}

/// Columns that fields need which are no columns themselves.
const OWNER: Column = Column::of("owner");
const LESSEE: Column = Column::of("lessee");
const DRIVER: Column = Column::of("driver");
const CONDUCTOR_GROUP: Column = Column::of("conductor_group");
const DRIVER_INFO: Column = Column::of("driver_info");
const DRIVER_INTERNAL_INFO: Column = Column::of("driver_internal_info");
const INSTANCE_INFO: Column = Column::of("instance_info");

/// What is needed to tell which conductor a node belongs to.
pub(crate) const OWNER_COLUMNS: ColumnSet = ColumnSet::ID.with(DRIVER).with(CONDUCTOR_GROUP);

/// The columns that each field of [`FIELDS`] is made of.
static COLUMNS: LazyLock<Vec<ColumnSet>> = LazyLock::new(|| {
    let of = |field: &Field<NodeRow>| match (field.name, Column::find(field.name)) {
        ("conductor", _) => OWNER_COLUMNS,
        ("retired", Some(column)) => ColumnSet::ID
            .with(column)
            .with(const { Column::of("retired_unset") }),
        (_, Some(column)) => ColumnSet::ID.with(column),
        // Links.
        (_, None) => ColumnSet::ID,
    };
    FIELDS.iter().map(of).collect()
});

/// The columns that these fields of a node are made of.
pub(crate) fn columns(selection: Selection) -> ColumnSet {
    let chosen = COLUMNS.iter().enumerate();
    let chosen = chosen.filter(|(index, _)| selection.has(*index));
    chosen.fold(ColumnSet::ID, |all, (_, columns)| all.and(*columns))
}

/// Shows nodes to a caller. What does not depend on the node is asked once.
#[derive(Debug)]
pub(crate) struct Viewer<C> {
    call: C,
    sees_all_fields: bool,
    /// Whether secrets are shown in what belongs to the driver, and in `instance_info`.
    shows_driver_secrets: bool,
    shows_instance_secrets: bool,
}

impl<C: Deref<Target = Call>> Viewer<C> {
    pub(crate) fn new(call: C) -> Self {
        let policy = &call.state.settings.policy;
        Self {
            sees_all_fields: policy.sees_all_fields(&call.ctx.credentials),
            shows_driver_secrets: call.allows(Rule::ShowPassword, &Target::NONE),
            shows_instance_secrets: call.allows(Rule::ShowInstanceSecrets, &Target::NONE),
            call,
        }
    }

    /// What must be read to show these fields.
    pub(crate) fn columns(&self, selection: Selection) -> ColumnSet {
        let shown = columns(selection);
        if self.sees_all_fields {
            shown
        } else {
            shown.with(OWNER).with(LESSEE)
        }
    }

    /// Writes a node.
    pub(crate) fn write(
        &self,
        w: &mut JsonWriter,
        selection: Selection,
        node: &NodeRow,
    ) -> Result<(), StoreError> {
        let call = &*self.call;
        let mut scene = ViewContext::new(call, node.uuid());
        let keys = call.state.db.keys();
        scene.viewer = NodeVisibility {
            hidden: if self.sees_all_fields {
                HiddenFields::default()
            } else {
                let target = Target::owned_node(node.text(OWNER), node.text(LESSEE));
                let policy = &call.state.settings.policy;
                policy.hidden_fields(&call.ctx.credentials, &target)
            },
            driver_secrets: self.shows_driver_secrets.then_some(keys),
            instance_secrets: self.shows_instance_secrets.then_some(keys),
        };
        view::write(w, FIELDS, selection, node, &scene);
        if w.is_corrupt() {
            return Err(node.corrupt_json());
        }
        Ok(())
    }
}

/// A node as a document of its own.
pub(crate) fn document(
    call: &Call,
    selection: Selection,
    node: &NodeRow,
) -> Result<Vec<u8>, StoreError> {
    let mut w = JsonWriter::with_capacity(6 * 1024);
    Viewer::new(call).write(&mut w, selection, node)?;
    Ok(w.finish())
}

/// The whole node as a document.
pub(crate) fn full(call: &Call, node: &Node) -> Result<Vec<u8>, StoreError> {
    let selection = Selection::full(FIELDS, call.version());
    document(call, selection, &NodeRow::of(node))
}

fn text(w: &mut JsonWriter, node: &NodeRow, column: Column) {
    w.opt_str(node.text(column));
}

/// A column that has a value in every row.
fn flag(w: &mut JsonWriter, node: &NodeRow, column: Column) {
    w.bool(node.flag(column).unwrap_or(false));
}

/// A column that is on, off or not set.
fn switch(w: &mut JsonWriter, node: &NodeRow, column: Column) {
    w.opt_bool(node.flag(column));
}

fn time(w: &mut JsonWriter, node: &NodeRow, column: Column) {
    w.opt_time(node.int(column).map(Timestamp));
}

fn object(w: &mut JsonWriter, node: &NodeRow, column: Column) {
    stored::object(w, node.text(column), Masking::NONE);
}

fn array(w: &mut JsonWriter, node: &NodeRow, column: Column) {
    stored::array(w, node.text(column));
}

fn interface(w: &mut JsonWriter, node: &NodeRow, column: Column) {
    w.opt_str(node.text(column).filter(|name| !name.is_empty()));
}

fn driver_info(w: &mut JsonWriter, node: &NodeRow, scene: &ViewContext<'_>) {
    if scene.viewer.hidden.driver_info {
        return notice(w, HiddenFields::DRIVER_INFO);
    }
    let info = node.text(DRIVER_INFO);
    info_map(
        w,
        info,
        scene.viewer.driver_secrets,
        scene.id,
        Masking::SECRETS,
    );
}

fn driver_internal_info(w: &mut JsonWriter, node: &NodeRow, scene: &ViewContext<'_>) {
    if scene.viewer.hidden.driver_internal_info {
        return notice(w, HiddenFields::DRIVER_INTERNAL_INFO);
    }
    let info = node.text(DRIVER_INTERNAL_INFO);
    info_map(
        w,
        info,
        scene.viewer.driver_secrets,
        scene.id,
        Masking::INTERNAL,
    );
}

fn instance_info(w: &mut JsonWriter, node: &NodeRow, scene: &ViewContext<'_>) {
    let info = node.text(INSTANCE_INFO);
    info_map(
        w,
        info,
        scene.viewer.instance_secrets,
        scene.id,
        Masking::INSTANCE,
    );
}

/// An object with its secrets for those who may see them, and masked for all others. One that does
/// not open stays masked.
fn info_map(
    w: &mut JsonWriter,
    info: Option<&str>,
    keys: Option<&KeyRing>,
    id: &str,
    masking: Masking,
) {
    if let (Some(keys), Some(text)) = (keys, info)
        && text != "{}"
        && let Ok(map) = serde_json::from_str::<JsonMap>(text)
        && let Ok(mut open) = keys.open_map(&map, id)
    {
        open.retain(|key, _| !masking.leaves_out(key));
        w.map(&open);
    } else {
        stored::object(w, info, masking);
    }
}

/// What stands in place of an object that the caller may not see.
fn notice(w: &mut JsonWriter, text: &str) {
    w.begin_object();
    w.key("content");
    w.str(text);
    w.end_object();
}

fn conductor(w: &mut JsonWriter, node: &NodeRow, scene: &ViewContext<'_>) {
    w.opt_str(owner(scene.conductor, node).as_deref());
}

/// The conductor that a node belongs to.
pub(crate) fn owner(conductor: &dyn Conductor, node: &NodeRow) -> Option<String> {
    let driver = node.text(DRIVER).unwrap_or_default();
    let group = node.text(CONDUCTOR_GROUP).unwrap_or_default();
    conductor.owner(node.id()?, driver, group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;
    use types::{InterfaceKind as Kind, NodeId};

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

    #[test]
    fn a_field_without_a_column_is_a_link_or_the_conductor() {
        let without = FIELDS.iter().map(|field| field.name);
        let without: Vec<&str> = without
            .filter(|name| Column::find(name).is_none())
            .collect();
        let links = ["links", "ports", "states", "portgroups", "volume"];
        assert_eq!(without, [&["conductor"], &links[..]].concat());
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
