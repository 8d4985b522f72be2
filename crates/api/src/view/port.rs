//! How a port looks.

use crate::{check::local_link, json_writer::JsonWriter, view::Field};
use types::{Port, version::since};

/// The fields of a port, in the order of the documents.
pub(crate) static FIELDS: &[Field<Port>] = &[
    Field::new("uuid", since::BASE, |w, p, _| w.plain(p.id)),
    Field::new("created_at", since::BASE, |w, p, _| w.time(p.created_at)),
    Field::new("updated_at", since::BASE, |w, p, _| {
        w.opt_time(p.updated_at)
    }),
    Field::new("address", since::BASE, |w, p, _| w.plain(p.address)),
    Field::new("extra", since::BASE, |w, p, _| w.map(&p.extra)),
    Field::new("internal_info", since::PORT_INTERNAL_INFO, |w, p, _| {
        w.map(&p.internal_info)
    }),
    Field::new("is_smartnic", since::SMARTNIC, |w, p, _| {
        w.opt_bool(p.is_smartnic)
    }),
    Field::new(
        "local_link_connection",
        since::PORT_CONNECTIVITY,
        |w, p, s| match local_link::shown(&p.local_link_connection, s.version) {
            Some(link) => w.map(link),
            None => empty(w),
        },
    ),
    Field::new("physical_network", since::PHYSICAL_NETWORK, |w, p, _| {
        w.opt_str(p.physical_network.as_deref())
    }),
    Field::new("pxe_enabled", since::PORT_CONNECTIVITY, |w, p, _| {
        w.bool(p.pxe_enabled)
    }),
    Field::new("node_uuid", since::BASE, |w, p, _| w.plain(p.node)),
    Field::new("name", since::PORT_NAME, |w, p, _| {
        w.opt_str(p.name.as_deref())
    }),
    Field::new("description", since::PORT_DESCRIPTION, |w, p, _| {
        w.opt_str(p.description.as_deref())
    }),
    Field::new("vendor", since::PORT_VENDOR, |w, p, _| {
        w.opt_str(p.vendor.as_deref())
    }),
    Field::new("category", since::PORT_CATEGORY, |w, p, _| {
        w.opt_str(p.category.as_deref())
    }),
    Field::new(
        "available_for_dynamic_portgroup",
        since::PORT_DYNAMIC_PORTGROUP,
        |w, p, _| w.bool(p.available_for_dynamic_portgroup),
    ),
    Field::new("links", since::BASE, |w, _, s| s.links(w, "ports")),
    Field::new("portgroup_uuid", since::PORTGROUP_LINKS, |w, p, _| {
        w.opt_str(p.portgroup.as_deref())
    }),
];

/// What a list shows when nothing else is asked for.
pub(crate) const DEFAULT_FIELDS: &[&str] = &["uuid", "address"];

fn empty(w: &mut JsonWriter) {
    w.begin_object();
    w.end_object();
}
