//! Volume connectors and targets.

use crate::{finding::RowProblem, row::SourceRow};
use types::{Timestamp, VolumeConnector, VolumeTarget};

pub(crate) fn connector(row: &mut SourceRow<'_>, now: Timestamp) -> Option<VolumeConnector> {
    let (id, node) = (row.id()?, row.node()?);
    let kind = row.short_text("type", 32).unwrap_or_default();
    let Some(name) = row.short_text("connector_id", 255) else {
        row.note(None, RowProblem::Lacks("connector_id"));
        return None;
    };
    let mut connector = VolumeConnector::new(id, node, kind, name);
    connector.extra = row.map("extra");
    (connector.created_at, connector.updated_at) = row.times(now);
    Some(connector)
}

pub(crate) fn target(row: &mut SourceRow<'_>, now: Timestamp) -> Option<VolumeTarget> {
    let (id, node) = (row.id()?, row.node()?);
    let kind = row.short_text("volume_type", 64).unwrap_or_default();
    let Some(boot_index) = row.int("boot_index") else {
        row.note(None, RowProblem::Lacks("boot_index"));
        return None;
    };
    let volume = row.short_text("volume_id", 36);
    if volume.is_none() {
        row.note("volume_id", RowProblem::Unset("an empty text"));
    }
    let mut target = VolumeTarget::new(id, node, kind, boot_index, volume.unwrap_or_default());
    target.properties = row.map("properties");
    target.extra = row.map("extra");
    (target.created_at, target.updated_at) = row.times(now);
    Some(target)
}
