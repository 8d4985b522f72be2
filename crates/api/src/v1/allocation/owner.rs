//! Whom a new allocation belongs to, and who may create it.
//!
//! What somebody creates who does not speak for the whole system belongs to their project, unless
//! the operator lets them create allocations for others.

use crate::{
    call::Call,
    error::ApiError,
    policy::{Refusal, Rule, Target},
};

/// The owner of an allocation that the caller creates, if it may. `given` is what the body says.
pub(super) fn of_new(call: &Call, given: Option<String>) -> Result<Option<String>, ApiError> {
    let policy = &call.state.settings.policy;
    if policy.is_open() {
        return Ok(given);
    }
    let given = given.filter(|owner| !owner.is_empty());
    let project = call.ctx.caller.project.clone();
    let legacy = policy.honours_legacy();
    if let Err(refusal) = may_create(call, given.as_deref(), legacy) {
        let foreign = project.is_some() && given.is_some() && given != project;
        if foreign {
            return Err(refusal.into());
        }
        if given.is_some() && legacy {
            call.permit(Rule::AllocationCreatePreRbac, &Target::NONE)?;
        }
        call.permit(Rule::AllocationCreateRestricted, &Target::NONE)?;
        return Ok(project);
    }
    // Before there were scopes, nobody was made the owner of anything.
    if legacy || call.ctx.system_scope {
        return Ok(given);
    }
    let Some(asked) = given else {
        return Ok(project);
    };
    let restricted = !call.allows(Rule::AllocationCreateRestricted, &Target::NONE);
    if restricted && Some(&asked) != project.as_ref() {
        return Err(ApiError::forbidden(format!(
            "Cannot create allocation with an owner Project ID value {asked} not matching the \
             requester Project ID {}. Policy baremetal:allocation:create_restricted is required \
             for this capability.",
            project.as_deref().unwrap_or("None")
        )));
    }
    Ok(Some(asked))
}

fn may_create(call: &Call, owner: Option<&str>, legacy: bool) -> Result<(), Refusal> {
    call.permit(Rule::AllocationCreate, &Target::NONE)?;
    if legacy && owner.is_none() {
        call.permit(Rule::AllocationCreatePreRbac, &Target::NONE)?;
    }
    Ok(())
}
