//! What machines said about themselves, and what happened to them.

use crate::{finding::RowProblem, row::SourceRow};
use store::load::{Inventoried, OfNode};
use types::{
    BiosSetting, FirmwareComponent, Inventory, ProvisionState, Timestamp, event::HistoryEntry,
};

pub(crate) fn bios(row: &mut SourceRow<'_>, now: Timestamp) -> Option<OfNode<BiosSetting>> {
    let node = row.node()?;
    let Some(name) = row.short_text("name", 255) else {
        row.note(None, RowProblem::Lacks("name"));
        return None;
    };
    row.label = format!("{node} {name}");
    let (created_at, updated_at) = row.times(now);
    let setting = BiosSetting {
        value: row.text("value"),
        attribute_type: row.text("attribute_type"),
        // Settings of the first releases have none, and are shown with an empty list.
        allowable_values: row.texts("allowable_values").or(Some(Vec::new())),
        lower_bound: row.int("lower_bound"),
        upper_bound: row.int("upper_bound"),
        min_length: row.int("min_length"),
        max_length: row.int("max_length"),
        read_only: row.flag("read_only"),
        reset_required: row.flag("reset_required"),
        unique: row.flag("unique"),
        created_at,
        updated_at,
        name,
    };
    Some(OfNode { node, row: setting })
}

pub(crate) fn firmware(
    row: &mut SourceRow<'_>,
    now: Timestamp,
) -> Option<OfNode<FirmwareComponent>> {
    let node = row.node()?;
    let Some(component) = row.short_text("component", 255) else {
        row.note(None, RowProblem::Lacks("component"));
        return None;
    };
    let (created_at, updated_at) = row.times(now);
    let component = FirmwareComponent {
        component,
        initial_version: row.text("initial_version"),
        current_version: row.text("current_version"),
        last_version_flashed: row.text("last_version_flashed"),
        vendor: row.text("vendor"),
        model: row.text("model"),
        serial_number: row.text("serial_number"),
        created_at,
        updated_at,
    };
    Some(OfNode {
        node,
        row: component,
    })
}

pub(crate) fn inventory(row: &mut SourceRow<'_>, now: Timestamp) -> Option<OfNode<Inventoried>> {
    let node = row.node()?;
    row.label = node.to_string();
    let (created_at, updated_at) = row.times(now);
    let found = Inventory {
        inventory: row.map("inventory_data"),
        plugin_data: row.map("plugin_data"),
    };
    let found = Inventoried {
        found,
        created_at,
        updated_at,
    };
    Some(OfNode { node, row: found })
}

pub(crate) fn history(row: &mut SourceRow<'_>, now: Timestamp) -> Option<HistoryEntry> {
    let (id, node) = (row.id()?, row.node()?);
    let (created_at, _) = row.times(now);
    let is_error = match row.text("severity").as_deref() {
        None | Some("") => None,
        Some("ERROR") => Some(true),
        Some("INFO") => Some(false),
        Some(other) => {
            let value = other.chars().take(60).collect();
            let instead = "none".to_owned();
            row.note("severity", RowProblem::Unknown { value, instead });
            None
        }
    };
    let some = |text: Option<String>| text.filter(|text| !text.is_empty());
    Some(HistoryEntry {
        row: 0,
        id,
        node,
        created_at,
        conductor: some(row.short_text("conductor", 255)),
        user: row.short_text("user", 255),
        project: row.short_text("project", 255),
        is_error,
        event_type: some(row.short_text("event_type", 255)),
        event: row.text("event").unwrap_or_default(),
        state: row.parsed::<ProvisionState>("state", "none"),
        target_provision_state: row.parsed::<ProvisionState>("target_provision_state", "none"),
        duration_seconds: row.int("duration_seconds"),
    })
}
