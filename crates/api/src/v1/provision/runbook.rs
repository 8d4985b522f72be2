//! The steps of a clean or service request that come from a runbook.

use super::{ProvisionArgs, policy_steps};
use crate::{
    call::Call,
    check::target::{Meaning, Target as T},
    error::ApiError,
    lookup,
    policy::{Rule, Target},
    v1::runbook,
};
use serde_json::{Value, json};
use types::{Node, Runbook, pyrepr, version::since};

/// What a runbook puts in the place of a request's own arguments.
#[derive(Debug)]
pub(super) struct Plan {
    /// In the shape in which a user would ask for them.
    pub(super) steps: Vec<Value>,
    pub(super) disable_ramdisk: bool,
}

/// The runbook that a request names, if this caller may use it.
pub(super) async fn usable(
    call: &Call,
    asked: &ProvisionArgs<'_>,
    ident: &str,
) -> Result<Runbook, ApiError> {
    asked.needs(since::RUNBOOKS)?;
    if !types::id::is_uuid_like(ident) && !lookup::is_node_name(call, ident) {
        return Err(ApiError::invalid(format!(
            "Expected a logical name or UUID but received {ident}."
        )));
    }
    let runbook = runbook::find(call, ident).await?;
    call.permit(Rule::RunbookUse, &Target::runbook(runbook.owner.as_deref()))?;
    Ok(runbook)
}

/// Refuses a runbook that may not be used on this node.
pub(super) fn approved(call: &Call, runbook: &Runbook, node: &Node) -> Result<(), ApiError> {
    check_approval(call, runbook, node)?;
    // What no operator looked at is judged step by step.
    if runbook.owner.is_some() && !runbook.public {
        let steps = runbook.steps.iter();
        let named = steps.map(|step| (step.interface.as_str(), step.step.as_str()));
        policy_steps(call, named, &Target::node(node))?;
    }
    Ok(())
}

/// The plan of a runbook, once it may be used on this node.
pub(super) fn plan(
    call: &Call,
    node: &Node,
    asked: &ProvisionArgs<'_>,
    runbook: &Runbook,
) -> Result<Plan, ApiError> {
    check_approval(call, runbook, node)?;
    let own = match asked.target {
        Meaning::Target(T::Clean) => asked.clean_steps.is_some(),
        Meaning::Target(T::Service) => asked.service_steps.is_some(),
        _ => false,
    };
    if own {
        return Err(ApiError::invalid(format!(
            "Please provide either \"{}_steps\" or a runbook, but not both.",
            asked.word
        )));
    }
    approved(call, runbook, node)?;
    let keys = call.state.db.keys();
    let steps = runbook.steps.iter().map(|step| {
        let args = keys.open_map(&step.args, &runbook.id.to_string())?;
        Ok(json!({
            "interface": step.interface, "step": step.step, "args": args,
            "order": step.order.value(),
        }))
    });
    Ok(Plan {
        steps: steps.collect::<Result<_, store::StoreError>>()?,
        disable_ramdisk: runbook.disable_ramdisk,
    })
}

/// Operators approve runbooks for machines by traits; before runbooks had traits, by their name.
fn check_approval(call: &Call, runbook: &Runbook, node: &Node) -> Result<(), ApiError> {
    if call.version() < since::RUNBOOK_TRAITS {
        if node.traits.contains(&runbook.name) {
            return Ok(());
        }
        return Err(ApiError::invalid(format!(
            "This runbook has not been approved for use on this node {}. Please ask an administrator to add it to your node traits.",
            node.id
        )));
    }
    if runbook.traits.is_empty() {
        return Err(ApiError::invalid(format!(
            "Runbook {} has no traits configured. Please ask an administrator to add traits to the runbook.",
            runbook.id
        )));
    }
    if runbook.traits.iter().any(|name| node.traits.contains(name)) {
        return Ok(());
    }
    Err(ApiError::invalid(format!(
        "This runbook has not been approved for use on this node {}. The node does not have any of the runbook's traits {}. Please ask an administrator to add a matching trait to your node.",
        node.id,
        pyrepr::repr_list(runbook.traits.iter().map(String::as_str))
    )))
}

#[cfg(test)]
mod tests {
    use crate::testing::{Answer, Service};
    use serde_json::{Value, json};
    use types::{Node, NodeId, ProvisionState};

    const OWN: &str = r#"[{"interface": "bios", "step": "x"}]"#;

    async fn service(state: ProvisionState, traits: &[&str]) -> Service {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        node.provision_state = state;
        node.traits = traits.iter().map(|&t| t.to_owned()).collect();
        service.store_node(node).await;
        for (name, traits) in [
            ("CUSTOM_R", json!(["CUSTOM_A", "CUSTOM_B"])),
            ("CUSTOM_N", json!([])),
        ] {
            let steps = json!([
                {"interface": "bios", "step": "b", "args": {"password": "s3cret"}, "order": 2},
                {"interface": "vendor", "step": "a", "args": {}, "order": "1"},
            ]);
            let body = json!({"name": name, "steps": steps, "disable_ramdisk": true});
            let made = service.send("POST", "/v1/runbooks", 115, body).await;
            assert_eq!(made.status.as_u16(), 201, "{made:?}");
            let path = format!("/v1/runbooks/{name}/traits");
            let set = service
                .send("PUT", &path, 115, json!({"traits": traits}))
                .await;
            assert_eq!(set.status.as_u16(), 204, "{set:?}");
        }
        service.conductor.asked.lock().unwrap().clear();
        service
    }

    async fn send(service: &Service, minor: u16, body: Value) -> Answer {
        let path = "/v1/nodes/n1/states/provision";
        service.send("PUT", path, minor, body).await
    }

    #[tokio::test]
    async fn the_steps_run_in_the_order_in_which_they_were_given() {
        for (state, target) in [
            (ProvisionState::Manageable, "clean"),
            (ProvisionState::Active, "service"),
        ] {
            let service = service(state, &["CUSTOM_B", "CUSTOM_R"]).await;
            for minor in [115, 111] {
                let body = json!({"target": target, "runbook": "CUSTOM_R"});
                let answer = send(&service, minor, body).await;
                assert_eq!(answer.status.as_u16(), 202, "{answer:?}");
                let asked = service.conductor.asked.lock().unwrap().remove(0);
                let first = format!(
                    r#"provision "{target}" {{"verb":"{target}","steps":[{{"interface":"bios","step":"b","args":{{"password":"s3cret"}}"#
                );
                assert!(asked.starts_with(&first), "{asked}");
                assert!(
                    asked.contains(r#""step":"a""#) && asked.contains(r#""disable_ramdisk":true"#),
                    "{asked}"
                );
            }
        }
    }

    #[tokio::test]
    async fn what_is_refused_first_is_told() {
        use ProvisionState::{Active, Manageable};
        let own: Value = serde_json::from_str(OWN).unwrap();
        for (state, traits, minor, body, status, text) in [
            (
                Manageable,
                &["CUSTOM_A"][..],
                91,
                json!({"target": "clean", "runbook": "CUSTOM_R"}),
                406,
                "Request not acceptable.",
            ),
            (
                Manageable,
                &[],
                115,
                json!({"target": "clean", "runbook": "a b"}),
                400,
                "Expected a logical name or UUID but received a b.",
            ),
            (
                Manageable,
                &[],
                115,
                json!({"target": "clean", "runbook": "r"}),
                404,
                "Runbook r could not be found.",
            ),
            (
                Manageable,
                &[],
                115,
                json!({"target": "clean", "runbook": "CUSTOM_N"}),
                400,
                "has no traits configured. Please ask an administrator to add traits to the runbook.",
            ),
            (
                Manageable,
                &["CUSTOM_R"],
                115,
                json!({"target": "clean", "runbook": "CUSTOM_R"}),
                400,
                "The node does not have any of the runbook's traits ['CUSTOM_A', 'CUSTOM_B']. Please ask an administrator to add a matching trait to your node.",
            ),
            (
                Manageable,
                &["CUSTOM_A"],
                111,
                json!({"target": "clean", "runbook": "CUSTOM_R"}),
                400,
                "Please ask an administrator to add it to your node traits.",
            ),
            (
                Manageable,
                &["CUSTOM_A"],
                115,
                json!({"target": "clean", "runbook": "CUSTOM_R", "clean_steps": own}),
                400,
                "Please provide either \"clean_steps\" or a runbook, but not both.",
            ),
            (
                Active,
                &["CUSTOM_A"],
                115,
                json!({"target": "service", "runbook": "CUSTOM_R", "service_steps": own}),
                400,
                "Please provide either \"service_steps\" or a runbook, but not both.",
            ),
            (
                Manageable,
                &["CUSTOM_A"],
                115,
                json!({"target": "clean", "runbook": "CUSTOM_R", "service_steps": own}),
                400,
                "\"runbooks\" is only valid when setting target provision state to any of ['clean', 'service']",
            ),
            (
                Active,
                &["CUSTOM_A"],
                115,
                json!({"target": "service", "runbook": "CUSTOM_R", "clean_steps": own}),
                400,
                "\"runbooks\" is only valid when setting target provision state to any of ['clean', 'service']",
            ),
            (
                Manageable,
                &["CUSTOM_A"],
                115,
                json!({"target": "provide", "runbook": "CUSTOM_R"}),
                400,
                "disable_ramdisk is supported only with manual cleaning or servicing",
            ),
            (
                Active,
                &["CUSTOM_R"],
                107,
                json!({"target": "service", "runbook": "CUSTOM_R"}),
                406,
                "disable_ramdisk is not acceptable in this API version",
            ),
            (
                Manageable,
                &["CUSTOM_A"],
                115,
                json!({"target": "clean", "runbook": ""}),
                400,
                "\"clean_steps\" is required when setting target provision state to clean",
            ),
        ] {
            let service = service(state, traits).await;
            let answer = send(&service, minor, body.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "{body}: {answer:?}");
            assert!(answer.fault().ends_with(text), "{body}: {}", answer.fault());
            assert!(service.conductor.asked.lock().unwrap().is_empty(), "{body}");
        }
    }
}
