//! `GET /corten/v1/image-caches` and `GET /corten/v1/boot`: what conductors hold on their disks and
//! serve in their networks.
//!
//! Each conductor that is alive is asked, all at once; one that does not answer is shown so.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    standing::Standing,
};
use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use std::{collections::HashMap, time::Duration};
use store::{
    Page,
    node::{Column, ColumnSet},
};
use types::{
    Fault, NodeId, Timestamp,
    rpc::{
        HostName,
        holdings::{BootReport, BootWish, ImageCache},
    },
};

/// How long a conductor is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many conductors are asked.
const MOST: usize = 64;
/// How many leases and published nodes of a conductor one answer has.
const MOST_ROWS: i64 = 1000;

pub(crate) async fn image_caches(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["conductor"])?;
    let only = args.string("conductor")?;
    call.permit(Rule::CortenImageGet, &Target::NONE)?;
    let asked = hosts(&call, only).await?.into_iter().map(|host| async {
        let report = within(call.state.conductor.image_caches(HostName(host.clone()))).await;
        shown(host, report, |report| {
            let caches: Vec<Value> = report.caches.iter().map(cache).collect();
            Map::from_iter([("caches".to_owned(), json!(caches))])
        })
    });
    let conductors = join_all(asked).await;
    let document = json!({"at": Timestamp::now().to_string(), "conductors": conductors});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn boot(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["conductor", "q", "offset", "limit"])?;
    let only = args.string("conductor")?;
    let wish = BootWish {
        text: args.string("q")?.map(str::to_owned),
        offset: bounded(args.integer("offset")?, 0, i64::from(u32::MAX)),
        limit: bounded(args.integer("limit")?.or(Some(100)), 1, MOST_ROWS),
    };
    call.permit(Rule::CortenBootGet, &Target::NONE)?;
    let asked = hosts(&call, only).await?.into_iter().map(|host| async {
        let conductor = &call.state.conductor;
        let asked = conductor.boot_services(HostName(host.clone()), wish.clone());
        (host, within(asked).await)
    });
    let reports = join_all(asked).await;
    let names = names(&call, &reports).await?;
    let conductors = reports
        .into_iter()
        .map(|(host, report)| shown(host, report, |report| served(report, &names)));
    let document = json!({
        "at": Timestamp::now().to_string(),
        "conductors": conductors.collect::<Vec<Value>>(),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

fn bounded(given: Option<i64>, least: i64, most: i64) -> u32 {
    let number = given.unwrap_or(least).clamp(least, most);
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The conductors that are alive, or the one that is wanted.
async fn hosts(call: &Call, only: Option<&str>) -> Result<Vec<String>, ApiError> {
    let members = store::member::list(&call.state.db, Page::first(u32::MAX)).await?;
    let limit = i64::try_from(call.state.settings.heartbeat_timeout_s).unwrap_or(i64::MAX);
    let now = Timestamp::now();
    let alive = members.into_iter().filter(|member| {
        let watched = call.state.conductor.is_alive(&member.hostname);
        let standing = Standing::of(member, watched, limit, now);
        matches!(standing, Standing::Alive | Standing::Leaving)
    });
    let hosts: Vec<String> = alive.map(|member| member.hostname).collect();
    match only {
        None => Ok(hosts.into_iter().take(MOST).collect()),
        Some(only) if hosts.iter().any(|host| host == only) => Ok(vec![only.to_owned()]),
        Some(only) => Err(ApiError::not_found(format!(
            "No conductor {only} is alive."
        ))),
    }
}

async fn within<T>(asked: impl Future<Output = Result<T, Fault>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(fault)) => Err(fault.to_string()),
        Err(_) => Err(format!("no answer within {} seconds", PATIENCE.as_secs())),
    }
}

fn shown<T>(
    host: String,
    report: Result<T, String>,
    document: impl FnOnce(T) -> Map<String, Value>,
) -> Value {
    let (mut map, error) = match report {
        Ok(report) => (document(report), None),
        Err(error) => (Map::new(), Some(error)),
    };
    map.insert("host".to_owned(), json!(host));
    map.insert("error".to_owned(), json!(error));
    Value::Object(map)
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}

fn cache(cache: &ImageCache) -> Value {
    let copies = cache.copies.iter().map(|copy| {
        json!({
            "file": copy.file, "source": copy.source, "bytes": copy.bytes,
            "fetched_at": time(copy.fetched_at), "used_at": time(copy.used_at),
            "users": copy.users,
        })
    });
    let downloads = cache.downloads.iter().map(|download| {
        json!({
            "source": download.source, "since": download.since.to_string(),
            "bytes": download.bytes, "total": download.total,
        })
    });
    json!({
        "purpose": cache.purpose, "folder": cache.folder, "bytes": cache.bytes,
        "most_bytes": cache.most_bytes, "ttl_s": cache.ttl_s, "free_bytes": cache.free_bytes,
        "files": cache.files,
        "copies": copies.collect::<Vec<_>>(), "downloads": downloads.collect::<Vec<_>>(),
    })
}

const NAME: Column = Column::of("name");

type Names = HashMap<NodeId, String>;

/// The names of the nodes in reports.
async fn names(
    call: &Call,
    reports: &[(String, Result<BootReport, String>)],
) -> Result<Names, ApiError> {
    let known = reports
        .iter()
        .filter_map(|(_, report)| report.as_ref().ok());
    let ids = known.flat_map(|report| {
        let leased = report.leases.iter().filter_map(|lease| lease.node);
        leased.chain(report.published.iter().map(|node| node.node))
    });
    let ids: Vec<NodeId> = ids.collect();
    let db = &call.state.db;
    let columns = ColumnSet::ID.with(NAME);
    let read = store::node::show_some(db, &ids, columns, Names::new(), |names, row| {
        if let (Some(id), Some(name)) = (row.id(), row.text(NAME)) {
            names.insert(id, name.to_owned());
        }
        Ok(())
    });
    Ok(read.await?)
}

fn served(report: BootReport, names: &Names) -> Map<String, Value> {
    let name = |node: NodeId| names.get(&node).cloned();
    let services = report.services.iter().map(|service| {
        json!({
            "name": service.name, "addresses": service.addresses, "detail": service.detail,
        })
    });
    let networks = report.networks.iter().map(|network| {
        json!({
            "network": network.network, "interface": network.interface,
            "first": network.range.as_ref().map(|range| &range.0),
            "last": network.range.as_ref().map(|range| &range.1),
            "size": network.size, "used": network.used,
            "lease_seconds": network.lease_seconds,
        })
    });
    let leases = report.leases.iter().map(|lease| {
        json!({
            "address": lease.address, "mac": lease.mac, "until": lease.until.to_string(),
            "used": lease.used, "node": lease.node, "name": lease.node.and_then(name),
        })
    });
    let published = report.published.iter().map(|node| {
        let files = node.files.iter();
        let files = files.map(|(name, source)| json!({"name": name, "source": source}));
        json!({
            "node": node.node, "name": name(node.node), "macs": node.macs, "way": node.way,
            "mode": node.mode, "starts": node.starts, "files": files.collect::<Vec<_>>(),
        })
    });
    let map = json!({
        "services": services.collect::<Vec<_>>(),
        "networks": networks.collect::<Vec<_>>(),
        "leases_total": report.leases_total,
        "leases": leases.collect::<Vec<_>>(),
        "published_total": report.published_total,
        "published": published.collect::<Vec<_>>(),
    });
    crate::args::object(map)
}
