//! `runbooks/{runbook}/traits`: which machines may run it.

use super::{find, target};
use crate::{
    args::is_ident, call::Call, check::trait_names, error::ApiError, json_writer::JsonWriter,
    policy::Rule, reply::Reply,
};
use axum::http::StatusCode;
use types::{Runbook, version::since};

const EITHER_OR: &str = "A single runbook trait may be added via PUT /v1/runbooks/<runbook identifier>/traits/<trait> with no body, or all runbook traits may be replaced via PUT /v1/runbooks/<runbook identifier>/traits with the list of traits specified in the request body.";

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    check_traits(&call)?;
    call.no_args()?;
    let runbook = runbook(&call, Rule::RunbookGet).await?;
    let mut w = JsonWriter::with_capacity(256);
    w.begin_object();
    w.key("traits");
    w.begin_array();
    for name in &runbook.traits {
        w.str(name);
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

/// Replaces all traits.
pub(crate) async fn put_all(call: Call) -> Result<Reply, ApiError> {
    check_traits(&call)?;
    let body = call.body()?;
    let traits = trait_names::read_body(&body).map_err(ApiError::invalid)?;
    let runbook = runbook(&call, Rule::RunbookUpdate).await?;
    let Some(traits) = traits else {
        return Err(ApiError::invalid(EITHER_OR));
    };
    store::runbook::set_traits(&call.state.db, runbook.id, traits).await?;
    Ok(Reply::no_content())
}

/// Adds one trait.
pub(crate) async fn put_one(call: Call) -> Result<Reply, ApiError> {
    check_traits(&call)?;
    let body = call.body()?;
    let name = call.param("trait");
    trait_names::check_name("trait", name).map_err(ApiError::invalid)?;
    let also = trait_names::read_body(&body).map_err(ApiError::invalid)?;
    let runbook = runbook(&call, Rule::RunbookUpdate).await?;
    if also.is_some() {
        return Err(ApiError::invalid(EITHER_OR));
    }
    store::runbook::add_trait(&call.state.db, runbook.id, name).await?;
    let url = format!("runbooks/{}/traits/{name}", call.param("runbook"));
    Ok(Reply::no_content().at(call.ctx.url(&url)))
}

pub(crate) async fn delete_all(call: Call) -> Result<Reply, ApiError> {
    check_traits(&call)?;
    call.no_args()?;
    let runbook = runbook(&call, Rule::RunbookUpdate).await?;
    store::runbook::set_traits(&call.state.db, runbook.id, Vec::new()).await?;
    Ok(Reply::no_content())
}

/// Removes one trait. That it is not there is fine too.
pub(crate) async fn delete_one(call: Call) -> Result<Reply, ApiError> {
    check_traits(&call)?;
    call.no_args()?;
    let runbook = runbook(&call, Rule::RunbookUpdate).await?;
    store::runbook::remove_trait(&call.state.db, runbook.id, call.param("trait")).await?;
    Ok(Reply::no_content())
}

fn check_traits(call: &Call) -> Result<(), ApiError> {
    if call.version() < since::RUNBOOK_TRAITS {
        return Err(ApiError::router(
            StatusCode::NOT_FOUND,
            "The API version does not allow runbook traits",
        ));
    }
    Ok(())
}

/// The runbook that the path names, for an operation that `rule` is about.
async fn runbook(call: &Call, rule: Rule) -> Result<Runbook, ApiError> {
    let ident = call.param("runbook");
    if !is_ident(ident) {
        return Err(ApiError::invalid(format!(
            "Expected a logical name or UUID but received {ident}."
        )));
    }
    let runbook = find(call, ident).await?;
    call.permit(rule, &target(&runbook))?;
    Ok(runbook)
}
