//! `GET /corten/v1/fleet` and `…/fleet/map`: how many nodes there are of each sort, and where.

use super::query;
use crate::{
    call::Call,
    error::ApiError,
    fleet::{
        filter::Filter,
        group::{self, Counts, GroupBy, Groups},
        look::Look,
        viewer::Viewer,
    },
    json_writer::JsonWriter,
    reply::Reply,
};
use ring::digest;
use serde_json::{Map, Value, json};
use types::{ProvisionState, Timestamp, node::NodeFault};

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["by", "q"])?;
    let viewer = Viewer::of(&call)?;
    let by = args
        .string("by")?
        .map(|by| read_by(&call, by))
        .transpose()?;
    let query = match query::read(&call, args.string("q")?) {
        Ok(query) => query,
        Err(refusal) => return Ok(*refusal),
    };
    let (state, now) = (&call.state, Timestamp::now());
    let extra = state.settings.group_key.clone();
    let asked = state.fleet.ask(state, move |index| {
        let mut filter = Filter::new(index, &query, &viewer, now);
        group::census(&mut filter, by, extra.as_deref())
    });
    let census = asked.await?;
    let total = u32::try_from(census.total).unwrap_or(u32::MAX);
    let mut document = counts(&census.all, total);
    document.insert("cursor".into(), json!(census.cursor));
    document.insert("by".into(), json!(args.string("by")?));
    document.insert("left_out".into(), json!(census.groups.left_out));
    let groups = census.groups.groups.iter().map(|group| {
        let mut shown = counts(&group.facts, group.total);
        shown.insert("name".into(), name(&group.name));
        shown.insert("q".into(), json!(group.query));
        Value::Object(shown)
    });
    document.insert("groups".into(), groups.collect());
    Ok(Reply::ok(JsonWriter::document(&Value::Object(document))))
}

pub(crate) async fn map(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["by", "q"])?;
    let viewer = Viewer::of(&call)?;
    let asked_by = args.string("by")?.unwrap_or(GroupBy::Class.as_str());
    let by = read_by(&call, asked_by)?;
    let query = match query::read(&call, args.string("q")?) {
        Ok(query) => query,
        Err(refusal) => return Ok(*refusal),
    };
    let (state, now) = (&call.state, Timestamp::now());
    let extra = state.settings.group_key.clone();
    let asked = state.fleet.ask(state, move |index| {
        let mut filter = Filter::new(index, &query, &viewer, now);
        group::map(&mut filter, by, extra.as_deref())
    });
    let map = asked.await?;
    let Groups { groups, left_out } = map.groups;
    let groups = groups.into_iter().map(|group| {
        json!({
            "name": name(&group.name),
            "q": group.query,
            "total": group.total,
            "cells": group.facts.finish(),
        })
    });
    let groups: Value = groups.collect();
    // Not of the cursor: events that change no cell change no map.
    let digest = digest::digest(&digest::SHA256, groups.to_string().as_bytes());
    let tag = format!("\"{}\"", types::hex::encode(&digest.as_ref()[..16]));
    if call.if_none_match.as_deref() == Some(tag.as_str()) {
        return Ok(Reply::not_modified(tag));
    }
    let letters: Map<String, Value> = Look::ALL
        .iter()
        .map(|look| (look.letter(false).to_string(), json!(look)))
        .collect();
    let document = json!({
        "cursor": map.cursor,
        "by": asked_by,
        "total": map.total,
        "letters": letters,
        "groups": groups,
        "left_out": left_out,
    });
    Ok(Reply::ok(JsonWriter::document(&document)).tagged(tag))
}

fn read_by(call: &Call, by: &str) -> Result<GroupBy, ApiError> {
    let extra = call.state.settings.group_key.as_deref();
    GroupBy::read(by, extra).ok_or_else(|| {
        let mut known: Vec<String> = GroupBy::ALL
            .iter()
            .filter(|by| **by != GroupBy::Extra)
            .map(|by| by.to_string())
            .collect();
        known.extend(extra.map(|extra| format!("extra.{extra}")));
        ApiError::invalid(format!(
            "Nodes cannot be grouped by \"{}\". It can be: {}.",
            crate::error::start_of(by),
            known.join(", ")
        ))
    })
}

/// Null for the group of nodes without a value.
fn name(name: &str) -> Value {
    json!(Some(name).filter(|name| !name.is_empty()))
}

fn counts(counts: &Counts, total: u32) -> Map<String, Value> {
    let looks = Look::ALL
        .iter()
        .map(|look| (look.to_string(), json!(counts.of_look(*look))));
    let states = ProvisionState::ALL.iter().zip(counts.states);
    let states = states.map(|(state, count)| (state.as_str(), count));
    let faults = NodeFault::ALL.iter().zip(counts.faults);
    let faults = faults.map(|(fault, count)| (fault.as_str(), count));
    Map::from_iter([
        ("total".into(), json!(total)),
        ("looks".into(), Value::Object(looks.collect())),
        ("states".into(), present(states)),
        ("maintenance".into(), json!(counts.maintenance)),
        ("faults".into(), present(faults)),
    ])
}

/// What there is at least one of.
fn present<'a>(counts: impl Iterator<Item = (&'a str, u32)>) -> Value {
    let present = counts.filter(|(_, count)| *count > 0);
    Value::Object(
        present
            .map(|(name, count)| (name.to_owned(), json!(count)))
            .collect(),
    )
}
