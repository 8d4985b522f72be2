//! `POST /corten/v1/nodes/{node}/bmc-password`: a new password for the account that the service logs
//! in to a machine's BMC with. No answer contains it.

use crate::{call::Call, error::ApiError, policy::Rule, reply::Reply, v1::subject};
use types::bmc_password::PasswordLength;

pub(crate) async fn post(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["length"])?;
    let length = match args.integer("length")? {
        None => PasswordLength::default(),
        Some(length) => {
            let length = u64::try_from(length).unwrap_or_default();
            PasswordLength::new(length).map_err(|error| ApiError::invalid(error.to_string()))?
        }
    };
    let node = subject::node_for(&call, Rule::CortenNodeRotateBmcPassword).await?;
    let conductor = &call.state.conductor;
    conductor
        .rotate_bmc_password(&call.ctx.caller, node.id, length)
        .await?;
    Ok(Reply::no_content())
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::json;
    use types::{Node, NodeId};

    async fn with_node(service: &Service) -> String {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.owner = Some("p1".into());
        let node = service.store_node(node).await;
        format!("/corten/v1/nodes/{}/bmc-password", node.id)
    }

    #[tokio::test]
    async fn it_is_for_the_administrators_of_the_system() {
        let service = Service::guarded();
        let path = with_node(&service).await;
        for (persona, status) in [
            ("admin@system", 204),
            ("member@system", 403),
            ("reader@system", 403),
            ("admin@p1", 403),
            ("admin@p2", 404),
        ] {
            let answer = service.send_as(persona, "POST", &path, json!({})).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
        let asked = service.conductor.asked.lock().unwrap().len();
        assert_eq!(asked, 1, "the conductor hears of one");
    }

    #[tokio::test]
    async fn lengths_that_no_bmc_takes_are_refused() {
        let service = Service::new();
        let path = with_node(&service).await;
        for length in [json!(11), json!(21), json!(-1), json!("x")] {
            let body = json!({"length": length});
            let answer = service.send("POST", &path, 1, body).await;
            assert_eq!(answer.status, 400, "{length}: {answer:?}");
        }
        let answer = service.send("POST", &path, 1, json!({"length": 20})).await;
        assert_eq!(answer.status, 204, "{answer:?}");
    }
}
