//! `/corten/v1/inspection_rules`: what rules can say, and what they would do to a node.
//!
//! A trial is made on what the last inspection of a node left, and on the node as it is now. Nothing
//! is written and nobody is called; the conductor does it with the code that inspection uses.

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    schema::{
        self,
        inspection_rule::{ACTIONS, CONDITIONS, Operator, TRIAL},
    },
    v1::inspection_rule,
};
use axum::http::StatusCode;
use serde_json::{Value, json};
use types::{
    InspectionRuleId, Inventory, JsonMap, Node,
    rpc::recipe::{RuleTrial, TrialReport, TriedRules},
};

/// The operators of conditions and actions, with their arguments.
pub(crate) async fn operators(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::InspectionRuleGet, &Target::NONE)?;
    let list = |table: &[Operator]| -> Vec<Value> {
        let rows = table.iter().map(|(op, required, optional)| {
            json!({"op": op, "required": required, "optional": optional, "about": about(op)})
        });
        rows.collect()
    };
    let document = json!({"conditions": list(CONDITIONS), "actions": list(ACTIONS)});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// What an operator means, for whoever writes a rule.
fn about(op: &str) -> &'static str {
    match op {
        "eq" => "All values are equal.",
        "lt" => "Each value is less than the next.",
        "gt" => "Each value is greater than the next.",
        "is-empty" => "The value is empty, or was not found.",
        "in-net" => "The address lies in the subnet.",
        "matches" => "The whole value fits the regular expression.",
        "contains" => "Part of the value fits the regular expression.",
        "one-of" => "The value is one of the values.",
        "is-none" => "The value is null.",
        "is-true" => "The value is true, yes, or a number other than 0.",
        "is-false" => "The value is false, no, 0 or null.",
        "fail" => "Ends the inspection with this message.",
        "log" => "Writes a line into the log of the conductor.",
        "set-attribute" => "Sets an attribute of the node, such as properties/cpu_arch.",
        "extend-attribute" => "Adds a value to a list of the node.",
        "del-attribute" => "Removes an attribute of the node.",
        "set-capability" => "Sets a capability of the node.",
        "unset-capability" => "Removes a capability of the node.",
        "add-trait" => "Adds a trait to the node.",
        "remove-trait" => "Takes a trait from the node.",
        "set-plugin-data" => "Sets a value of what the collectors found.",
        "extend-plugin-data" => "Adds a value to a list of what the collectors found.",
        "unset-plugin-data" => "Removes a value of what the collectors found.",
        "set-port-attribute" => "Sets an attribute of a port.",
        "extend-port-attribute" => "Adds a value to a list of a port.",
        "del-port-attribute" => "Removes an attribute of a port.",
        "api-call" => "Calls an address by GET.",
        _ => "",
    }
}

pub(crate) async fn post(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &TRIAL)?;
    call.permit(Rule::CortenInspectionRuleTry, &Target::NONE)?;
    let body = args::object(body);
    let ident = body.get("node").and_then(Value::as_str).unwrap_or_default();
    let node = lookup::node(&call, ident).await?;
    call.permit(Rule::NodeInventoryGet, &Target::node(&node))?;
    let rules = wanted(&call, &body).await?;
    let data = inventory(&call, &node).await?;
    let trial = RuleTrial { rules, data };
    let report = call.state.conductor.try_rules(node.id, trial).await?;
    Ok(Reply::ok(JsonWriter::document(&document(&node, report)?)))
}

async fn wanted(call: &Call, body: &JsonMap) -> Result<TriedRules, ApiError> {
    match (body.get("rule"), body.get("uuid").and_then(Value::as_str)) {
        (Some(_), Some(_)) => Err(ApiError::invalid(
            "Give a rule, or the UUID of a stored one, not both.",
        )),
        (Some(rule), None) => {
            let draft = inspection_rule::draft(rule)?;
            Ok(TriedRules::Draft {
                conditions: draft.conditions,
                actions: draft.actions,
            })
        }
        (None, Some(uuid)) => {
            let id = InspectionRuleId::from(uuid);
            let found = store::inspection_rule::find(&call.state.db, &id).await?;
            // One of the file of built-in rules is known to conductors only.
            match found {
                Some(_) => Ok(TriedRules::Stored(uuid.to_owned())),
                None => Err(ApiError::not_found(format!(
                    "Rule {uuid} could not be found."
                ))),
            }
        }
        (None, None) => Ok(TriedRules::All),
    }
}

async fn inventory(call: &Call, node: &Node) -> Result<Inventory, ApiError> {
    let found = match &call.state.inventories {
        None => store::inventory::find(&call.state.db, node.id).await?,
        Some(archive) => archive
            .find(node.id)
            .await
            .map_err(|why| ApiError::service(StatusCode::INTERNAL_SERVER_ERROR, why))?,
    };
    found.ok_or_else(|| {
        ApiError::not_found(format!(
            "Node {} has no stored inventory. Inspect it first.",
            node.name.clone().unwrap_or_else(|| node.id.to_string())
        ))
    })
}

fn document(node: &Node, report: TrialReport) -> Result<Value, ApiError> {
    let mut shown = serde_json::to_value(report)
        .map_err(|error| ApiError::from(types::Fault::Internal(error.to_string())))?;
    shown["node"] = json!(node.id);
    shown["name"] = json!(node.name);
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::json;
    use types::{Inventory, Node, NodeId};

    const PATH: &str = "/corten/v1/inspection_rules/try";

    async fn guarded() -> Service {
        let service = Service::guarded();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        node.owner = Some("p1".into());
        let node = service.store_node(node).await;
        store::inventory::save(&service.db, node.id, Inventory::default())
            .await
            .unwrap();
        service
    }

    #[tokio::test]
    async fn only_administrators_of_the_system_try_rules() {
        let service = guarded().await;
        let body = json!({"node": "n1"});
        for (persona, status) in [
            ("admin@system", 200),
            ("reader@system", 403),
            ("admin@p1", 403),
        ] {
            let answer = service.send_as(persona, "POST", PATH, body.clone()).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
    }

    #[tokio::test]
    async fn a_draft_is_checked_as_a_new_rule_is() {
        let service = guarded().await;
        let try_ = async |body| service.send_as("admin@system", "POST", PATH, body).await;
        let wrong = try_(json!({"node": "n1", "rule": {"actions": [{"op": "no", "args": []}]}}));
        let wrong = wrong.await;
        assert_eq!(wrong.status, 400, "{}", wrong.text);
        let missing = json!({"node": "n1", "rule": {"actions": [{"op": "fail", "args": {}}]}});
        assert_eq!(try_(missing).await.status, 400);
        assert_eq!(try_(json!({"node": "n2"})).await.status, 404);
        let unknown = try_(json!({"node": "n1", "uuid": "x"})).await;
        assert_eq!(unknown.status, 404, "{}", unknown.text);
        let both = json!({"node": "n1", "uuid": "x",
            "rule": {"actions": [{"op": "fail", "args": {"msg": "m"}}]}});
        assert_eq!(try_(both).await.status, 400);
    }

    #[tokio::test]
    async fn every_operator_is_explained() {
        let service = Service::new();
        let path = "/corten/v1/inspection_rules/operators";
        let shown = service.get(path, 1).await.json();
        for list in ["conditions", "actions"] {
            for row in shown[list].as_array().unwrap() {
                assert_ne!(row["about"], "", "{row}");
            }
        }
        assert_eq!(shown["conditions"][0]["required"], json!(["values"]));
    }
}
