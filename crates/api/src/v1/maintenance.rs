//! `maintenance`: a switch that keeps the service's hands off a node.

use crate::{call::Call, error::ApiError, policy::Rule, reply::Reply, v1::subject};

pub(crate) async fn put(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["reason"])?;
    let reason = args.string("reason")?.map(str::to_owned);
    set(&call, true, reason).await
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    set(&call, false, None).await
}

async fn set(call: &Call, on: bool, reason: Option<String>) -> Result<Reply, ApiError> {
    let rule = if on {
        Rule::NodeSetMaintenance
    } else {
        Rule::NodeClearMaintenance
    };
    let node = subject::node_for(call, rule).await?;
    let conductor = &call.state.conductor;
    conductor
        .set_maintenance(&call.ctx.caller, node.id, on, reason)
        .await
        .map_err(ApiError::from_node_write)?;
    Ok(Reply::accepted())
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{Fault, Node, NodeId};

    #[tokio::test]
    async fn the_switch_and_its_reason_are_passed_on() {
        let service = Service::new();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let path = format!(
            "/v1/nodes/{}/maintenance",
            service.store_node(node).await.id
        );
        for (method, body) in [
            ("PUT", json!({"reason": "disk swap"})),
            ("PUT", Value::Null),
            ("DELETE", Value::Null),
        ] {
            let answer = service.send(method, &path, 1, body).await;
            assert_eq!(answer.status.as_u16(), 202);
            assert_eq!(answer.header("location"), "");
        }
        let fault = Fault::NoValidHost {
            driver: "d".into(),
            group: String::new(),
        };
        service.conductor.refusals.lock().unwrap().push(fault);
        let refused = service.send("DELETE", &path, 1, Value::Null).await;
        assert_eq!(refused.status.as_u16(), 400);
        assert_eq!(
            service.conductor.asked.lock().unwrap()[..3],
            [
                r#"set_maintenance true "disk swap""#,
                "set_maintenance true null",
                "set_maintenance false null"
            ]
        );
    }
}
