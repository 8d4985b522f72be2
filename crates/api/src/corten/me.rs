//! `GET /corten/v1/me`: who is asking, and what they may do.

use super::session::mode;
use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
};
use serde_json::json;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["node"])?;
    let node = match args.uuid_or_name("node")? {
        Some(ident) => Some(lookup::node(&call, ident).await?),
        None => None,
    };
    let target = node.as_ref().map_or(Target::NONE, Target::node);
    let rules = Rule::ALL.iter().filter(|rule| call.allows(**rule, &target));
    let (settings, credentials) = (&call.state.settings, &call.ctx.credentials);
    let project = credentials.project_id.as_deref();
    let own = Target::of_all_kinds(project, project);
    let own_rules = Rule::ALL
        .iter()
        .filter(|rule| project.is_some() && call.allows(**rule, &own));
    let document = json!({
        "mode": mode(&settings.auth),
        "user": call.ctx.caller.user,
        "project": credentials.project_id,
        "system_scope": credentials.system_scope,
        "roles": credentials.roles.names(),
        "is_open": !settings.auth.has_rules(),
        "session": call.session.as_ref().map(|session| json!({
            "expires_at": session.end.to_string(),
        })),
        "version": env!("CARGO_PKG_VERSION"),
        "api_version": settings.max_version.to_string(),
        "group_key": settings.group_key,
        "node": node.as_ref().map(|node| node.id),
        "rules": rules.map(|rule| rule.name()).collect::<Vec<_>>(),
        "own_rules": own_rules.map(|rule| rule.name()).collect::<Vec<_>>(),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}
