//! A verb for many nodes: what can be judged of it before any of them is asked.

use super::{ARGUMENTS, ProvisionArgs, children_exist, runbook};
use crate::{
    args::Args,
    call::Call,
    check::configdrive,
    corten::batches::members::Member,
    error::ApiError,
    policy::{Rule, Target},
};
use std::collections::HashSet;
use types::rpc::ProvisionRequest;

/// What is asked of all of them, with the word that the client used, if the caller may ask it of
/// each of them. Whether a node can do it in its state is found out when its turn comes.
pub(crate) async fn for_many(
    call: &Call,
    args: &mut Args,
    members: &[Member],
) -> Result<(String, ProvisionRequest), ApiError> {
    args.allow(ARGUMENTS)?;
    let plan;
    let mut asked = ProvisionArgs::read(args, call.version())?;
    let mut judged = HashSet::new();
    for member in members {
        if !judged.insert((&member.owner, &member.lessee)) {
            continue;
        }
        let target = Target::owned_node(member.owner.as_deref(), member.lessee.as_deref());
        call.permit(Rule::NodeSetProvisionState, &target)?;
        if asked.runbook.is_none() {
            asked.permit_steps(call, &target)?;
        }
    }
    configdrive::check(asked.configdrive, asked.target, asked.version)
        .map_err(ApiError::invalid)?;
    if let (Some(ident), Some((first, others))) = (asked.runbook, members.split_first()) {
        let usable = runbook::usable(call, &asked, ident).await?;
        for other in others {
            runbook::approved(call, &usable, &other.node())?;
        }
        plan = runbook::plan(call, &first.node(), &asked, &usable)?;
        asked.adopt(&plan);
    }
    if let Some(first) = members.first() {
        asked.check_arguments(&first.node())?;
    }
    let mut request = asked.request(call)?;
    children_exist(call, &request).await?;
    let word = asked.word.to_owned();
    if let (Some(drive), Some(place)) = (args.take("configdrive"), request.configdrive_mut())
        && configdrive::is_given(&drive)
    {
        *place = Some(drive);
    }
    Ok((word, request))
}
