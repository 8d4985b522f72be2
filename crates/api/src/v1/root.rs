//! The documents that tell clients which versions and resources there are.

use crate::{call::Call, error::ApiError, json_writer::JsonWriter, reply::Reply};
use types::{ApiVersion, version::since};

/// Resources that every version has.
const BASE_RESOURCES: &[&str] = &["chassis", "nodes", "ports", "drivers"];

/// Resources that appeared later.
const LATER_RESOURCES: &[(ApiVersion, &str)] = &[
    (since::RAMDISK_ENDPOINTS, "lookup"),
    (since::RAMDISK_ENDPOINTS, "heartbeat"),
    (since::PORTGROUPS, "portgroups"),
    (since::VOLUME, "volume"),
    (since::CONDUCTORS, "conductors"),
    (since::ALLOCATIONS, "allocations"),
    (since::EVENTS, "events"),
    (since::DEPLOY_TEMPLATES, "deploy_templates"),
    (since::SHARD, "shards"),
    (since::CONTINUE_INSPECTION, "continue_inspection"),
    (since::RUNBOOKS, "runbooks"),
    (since::INSPECTION_RULES, "inspection_rules"),
];

/// `/`: the versions we speak.
pub(crate) async fn root(call: Call) -> Result<Reply, ApiError> {
    let mut w = JsonWriter::with_capacity(1024);
    w.begin_object();
    w.key("name");
    w.str("OpenStack Ironic API");
    w.key("description");
    w.str(
        "Ironic is an OpenStack project which enables the provision and management of baremetal machines.",
    );
    w.key("default_version");
    version(&mut w, &call);
    w.key("versions");
    w.begin_array();
    version(&mut w, &call);
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

/// `/v1`: the resources of the requested version.
pub(crate) async fn v1(call: Call) -> Result<Reply, ApiError> {
    let base = call.ctx.base.as_str();
    let mut w = JsonWriter::with_capacity(4096);
    w.begin_object();
    w.key("id");
    w.str("v1");
    w.key("links");
    w.begin_array();
    w.link(&[base, "/v1/"], "self");
    w.raw(br#"{"href": "https://docs.openstack.org//ironic/latest/contributor//webapi.html", "rel": "describedby", "type": "text/html"}"#);
    w.end_array();
    w.key("media_types");
    w.raw(br#"{"base": "application/json", "type": "application/vnd.openstack.ironic.v1+json"}"#);
    let later = LATER_RESOURCES
        .iter()
        .filter(|(since, _)| call.version() >= *since)
        .map(|(_, name)| name);
    for name in BASE_RESOURCES.iter().chain(later) {
        w.key(name);
        w.begin_array();
        w.link(&[base, "/v1/", name, "/"], "self");
        w.link(&[base, "/", name, "/"], "bookmark");
        w.end_array();
    }
    w.key("version");
    version(&mut w, &call);
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

fn version(w: &mut JsonWriter, call: &Call) {
    w.begin_object();
    w.key("id");
    w.str("v1");
    w.key("links");
    w.begin_array();
    w.link(&[&call.ctx.base, "/v1/"], "self");
    w.end_array();
    w.key("status");
    w.str("CURRENT");
    w.key("min_version");
    w.plain(ApiVersion::MIN);
    w.key("version");
    w.plain(call.state.settings.max_version);
    w.end_object();
}
