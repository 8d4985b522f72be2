//! How a port group looks.
//!
//! Lists show every field at every version; only single documents hide those that came later. That
//! is how Ironic does it, hence the second table.

use crate::view::Field;
use types::{ApiVersion, Portgroup, version::since};

/// The fields of a port group, in the order of the documents.
pub(crate) static FIELDS: &[Field<Portgroup>] = &[
    Field::new("uuid", since::BASE, |w, g, _| w.plain(g.id)),
    Field::new("created_at", since::BASE, |w, g, _| w.time(g.created_at)),
    Field::new("updated_at", since::BASE, |w, g, _| {
        w.opt_time(g.updated_at)
    }),
    Field::new("address", since::BASE, |w, g, _| {
        w.opt_str(g.address.map(String::from).as_deref())
    }),
    Field::new("extra", since::BASE, |w, g, _| w.map(&g.extra)),
    Field::new("internal_info", since::BASE, |w, g, _| {
        w.map(&g.internal_info)
    }),
    Field::new("mode", since::BASE, |w, g, _| w.opt_str(g.mode.as_deref())),
    Field::new("name", since::BASE, |w, g, _| w.opt_str(g.name.as_deref())),
    Field::new("node_uuid", since::BASE, |w, g, _| w.plain(g.node)),
    Field::new("physical_network", since::BASE, |w, g, _| {
        w.opt_str(g.physical_network.as_deref())
    }),
    Field::new("properties", since::BASE, |w, g, _| w.map(&g.properties)),
    Field::new("standalone_ports_supported", since::BASE, |w, g, _| {
        w.bool(g.standalone_ports_supported)
    }),
    Field::new("category", since::BASE, |w, g, _| {
        w.opt_str(g.category.as_deref())
    }),
    Field::new("dynamic_portgroup", since::BASE, |w, g, _| {
        w.opt_bool(g.dynamic_portgroup)
    }),
    Field::new("ports", since::BASE, |w, _, s| {
        s.links_below(w, "portgroups", "ports")
    }),
    Field::new("links", since::BASE, |w, _, s| s.links(w, "portgroups")),
];

/// Fields that single documents show later than 1.23.
const LATER: &[(&str, ApiVersion)] = &[
    ("mode", since::PORTGROUP_MODE),
    ("properties", since::PORTGROUP_MODE),
    ("physical_network", since::PORTGROUP_PHYSICAL_NETWORK),
    ("category", since::PORTGROUP_CATEGORY),
    ("dynamic_portgroup", since::PORT_DYNAMIC_PORTGROUP),
];

/// Whether a single document shows the field.
pub(crate) fn is_shown(field: &str, version: ApiVersion) -> bool {
    !LATER
        .iter()
        .any(|(name, first)| *name == field && version < *first)
}

/// Whether the field may be asked for. Ironic forgot two of the later ones.
pub(crate) fn is_askable(field: &str, version: ApiVersion) -> bool {
    matches!(field, "physical_network" | "category") || is_shown(field, version)
}

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: &[&str] = &["uuid", "address", "name"];

/// What may be asked for, in the order in which a refusal lists it.
pub(crate) const QUERYABLE: &[&str] = &[
    "address",
    "category",
    "created_at",
    "dynamic_portgroup",
    "extra",
    "internal_info",
    "links",
    "mode",
    "name",
    "node_uuid",
    "physical_network",
    "ports",
    "properties",
    "standalone_ports_supported",
    "updated_at",
    "uuid",
];
