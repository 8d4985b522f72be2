//! How volume connectors and targets look.

use crate::view::{Field, secret};
use types::{VolumeConnector, VolumeTarget, version::since};

/// The fields of a connector, in the order of the documents.
pub(crate) static CONNECTOR: &[Field<VolumeConnector>] = &[
    Field::new("uuid", since::VOLUME, |w, c, _| w.plain(c.id)),
    Field::new("created_at", since::VOLUME, |w, c, _| w.time(c.created_at)),
    Field::new("updated_at", since::VOLUME, |w, c, _| {
        w.opt_time(c.updated_at)
    }),
    Field::new("type", since::VOLUME, |w, c, _| w.str(&c.kind)),
    Field::new("connector_id", since::VOLUME, |w, c, _| {
        w.str(&c.connector_id)
    }),
    Field::new("extra", since::VOLUME, |w, c, _| w.map(&c.extra)),
    Field::new("node_uuid", since::VOLUME, |w, c, _| w.plain(c.node)),
    Field::new("links", since::VOLUME, |w, _, s| {
        s.links(w, "volume/connectors")
    }),
];

/// What a list of connectors shows when nothing else is asked for.
pub(crate) const CONNECTOR_DEFAULT: &[&str] = &["uuid", "node_uuid", "type", "connector_id"];

/// What may be asked for, in the order in which a refusal lists it.
pub(crate) const CONNECTOR_QUERYABLE: &[&str] = &[
    "connector_id",
    "created_at",
    "extra",
    "links",
    "node_uuid",
    "type",
    "updated_at",
    "uuid",
];

/// The fields of a target, in the order of the documents.
pub(crate) static TARGET: &[Field<VolumeTarget>] = &[
    Field::new("uuid", since::VOLUME, |w, t, _| w.plain(t.id)),
    Field::new("created_at", since::VOLUME, |w, t, _| w.time(t.created_at)),
    Field::new("updated_at", since::VOLUME, |w, t, _| {
        w.opt_time(t.updated_at)
    }),
    Field::new("boot_index", since::VOLUME, |w, t, _| w.int(t.boot_index)),
    Field::new("extra", since::VOLUME, |w, t, _| w.map(&t.extra)),
    Field::new("properties", since::VOLUME, |w, t, _| {
        secret::map(w, &t.properties)
    }),
    Field::new("volume_id", since::VOLUME, |w, t, _| w.str(&t.volume_id)),
    Field::new("volume_type", since::VOLUME, |w, t, _| {
        w.str(&t.volume_type)
    }),
    Field::new("node_uuid", since::VOLUME, |w, t, _| w.plain(t.node)),
    Field::new("links", since::VOLUME, |w, _, s| {
        s.links(w, "volume/targets")
    }),
];

/// What a list of targets shows when nothing else is asked for.
pub(crate) const TARGET_DEFAULT: &[&str] = &[
    "uuid",
    "node_uuid",
    "volume_type",
    "boot_index",
    "volume_id",
];

/// What may be asked for, in the order in which a refusal lists it.
pub(crate) const TARGET_QUERYABLE: &[&str] = &[
    "boot_index",
    "created_at",
    "extra",
    "links",
    "node_uuid",
    "properties",
    "updated_at",
    "uuid",
    "volume_id",
    "volume_type",
];
