//! What a batch would do. Nothing is written.

use super::members::Member;
use crate::{call::Call, error::ApiError, json_writer::JsonWriter, reply::Reply};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::sync::Arc;
use types::{Caller, Fault, ProvisionState as S, batch::BatchAction, rpc::Plan};

/// Of how many nodes the plan is told.
const MOST: usize = 500;
/// How many conductors are asked at a time.
const AT_ONCE: usize = 20;

pub(super) async fn answer(
    call: &Call,
    action: BatchAction,
    members: &[Member],
    waves: &[u64],
) -> Result<Reply, ApiError> {
    let of_waves = waves.iter().zip(1i64..).flat_map(|(size, wave)| {
        let size = usize::try_from(*size).unwrap_or(usize::MAX);
        std::iter::repeat_n(wave, size)
    });
    let action = Arc::new(action);
    let planned = members.iter().zip(of_waves).take(MOST).zip(0i64..);
    let asked = planned.map(|((member, wave), place)| {
        let action = Arc::clone(&action);
        async move {
            let plan = plan(call, member, &action).await?;
            let refusal = plan.refusal.clone().map(ApiError::from);
            Ok::<_, ApiError>(json!({
                "place": place,
                "node": member.id,
                "name": member.name,
                "wave": wave,
                "is_accepted": refusal.is_none(),
                "refusal": refusal.as_ref().map(|refusal| json!({
                    "status": refusal.status().as_u16(), "text": refusal.text(),
                })),
                "states": plan.states,
            }))
        }
    });
    // Collected first: a stream over a closure that borrows is not `Send` for every lifetime.
    let asked: Vec<_> = asked.collect();
    let mut nodes: Vec<Value> = Vec::new();
    let mut answers = stream::iter(asked).buffered(AT_ONCE);
    while let Some(node) = answers.next().await {
        nodes.push(node?);
    }
    let accepted = nodes
        .iter()
        .filter(|node| node["is_accepted"] == true)
        .count();
    let document = json!({
        "action": action.kind(),
        "target": action.word(),
        "node_count": members.len(),
        "waves": waves,
        "accepted": accepted,
        "refused": nodes.len() - accepted,
        "left_out": members.len() - nodes.len(),
        "nodes": nodes,
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

async fn plan(call: &Call, member: &Member, action: &BatchAction) -> Result<Plan, ApiError> {
    let who: &Caller = &call.ctx.caller;
    match action {
        BatchAction::Provision { word, request } => {
            let mut request = request.clone();
            // That there is one is enough.
            if let Some(Some(drive)) = request.configdrive_mut() {
                *drive = Value::String(String::new());
            }
            let planned = call
                .state
                .conductor
                .plan(who, member.id, word.clone(), request);
            match planned.await {
                Ok(plan) => Ok(plan),
                Err(fault @ (Fault::Unavailable | Fault::Internal(_))) => Err(fault.into()),
                Err(fault) => Ok(refused(fault)),
            }
        }
        BatchAction::Power { target, .. } => {
            let seen = store::batch::look(&call.state.db, vec![member.id]).await?;
            Ok(match seen.first().map(|seen| seen.provision_state) {
                None => refused(Fault::NodeNotFound(member.id.to_string())),
                Some(state @ (S::Cleaning | S::CleanWait)) => {
                    refused(Fault::InvalidStateRequested {
                        action: target.to_string(),
                        node: member.id.to_string(),
                        state: state.to_string(),
                    })
                }
                Some(_) => Plan::default(),
            })
        }
        BatchAction::Maintenance { .. } => Ok(Plan::default()),
    }
}

fn refused(fault: Fault) -> Plan {
    Plan {
        refusal: Some(fault),
        ..Plan::default()
    }
}
