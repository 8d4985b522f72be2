//! `POST /runbooks`, and whom a new one belongs to.

use super::{EARLY_SCHEMA, KIND, SCHEMA, apply, check_version, permit_steps};
use crate::{
    args,
    call::Call,
    error::ApiError,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, Schema},
};
use serde_json::Value;
use types::{Runbook, RunbookId, notification::Action, version::since};

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    let body = call.body()?;
    call.permit(Rule::RunbookCreate, &Target::NONE)?;
    schema::check("runbook", &body, schema_for(&call))?;
    let id = args::new_id(&body, RunbookId::generate)?;
    let body = args::object(body);
    let mut runbook = Runbook::new(id, "", Vec::new());
    apply(&body, &mut runbook)?;
    permit_steps(&call, &runbook)?;
    claim(&call, &mut runbook)?;
    let told = call.begin(Action::Create, &runbook).await;
    let runbook = told
        .failed(store::runbook::insert(&call.state.db, runbook, told.end()).await)
        .await?;
    let location = call.ctx.url(&format!("runbooks/{}", runbook.id));
    Ok(Reply::created(
        KIND.document(&call, None, &runbook),
        location,
    ))
}

/// `POST /runbooks/{runbook}`: nothing is created at a place of the client's choice.
pub(crate) async fn create_at(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.refuse_args()?;
    let given = Value::from(call.param("runbook"));
    schema::check("runbook", &given, schema_for(&call))?;
    Err(ApiError::resource_not_found())
}

fn schema_for(call: &Call) -> &'static Schema {
    if call.version() < since::RUNBOOK_TRAITS {
        &EARLY_SCHEMA
    } else {
        &SCHEMA
    }
}

/// What somebody creates who does not speak for the whole system belongs to their project.
fn claim(call: &Call, runbook: &mut Runbook) -> Result<(), ApiError> {
    if call.ctx.system_scope {
        return Ok(());
    }
    let project = &call.ctx.caller.project;
    if runbook.owner.is_some() && runbook.owner != *project {
        return Err(ApiError::invalid(
            "Cannot create a runbook as a project scoped admin with an owner other than your own project.",
        ));
    }
    if runbook.public && project.is_some() {
        return Err(ApiError::invalid(
            "Cannot create a public runbook as a project scoped admin.",
        ));
    }
    runbook.owner.clone_from(project);
    Ok(())
}
