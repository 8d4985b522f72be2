//! `GET /corten/v1/nodes/{node}/sensors`: what a machine's sensors say right now, in the form that
//! Ironic sends to those who collect it.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use serde_json::json;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::CortenNodeGetSensors).await?;
    let sensors = call.state.conductor.sensors(node.id).await?;
    let document = json!({"node_uuid": node.id.to_string(), "sensors": sensors});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::{Fault, Node, NodeId};

    #[tokio::test]
    async fn readings_are_shown_as_the_driver_tells_them() {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        let node = service.store_node(node).await;
        let answer = service.get("/corten/v1/nodes/n1/sensors", 115).await;
        assert_eq!(
            answer.text,
            format!(
                r#"{{"node_uuid": "{}", "sensors": {{"Fan": {{"FAN 1": {{"Sensor Reading": "1200 RPM"}}}}}}}}"#,
                node.id
            )
        );
        let unsupported = Fault::Unsupported {
            driver: "fake-hardware".into(),
            extension: "get_sensors_data".into(),
        };
        service.conductor.refusals.lock().unwrap().push(unsupported);
        let answer = service.get("/corten/v1/nodes/n1/sensors", 115).await;
        assert_eq!(answer.status, 400);
        assert!(answer.fault().contains("get_sensors_data"), "{answer:?}");
        let answer = service.get("/corten/v1/nodes/n1/sensors?x=1", 115).await;
        assert_eq!(answer.status, 400);
        let answer = service.get("/corten/v1/nodes/n2/sensors", 115).await;
        assert_eq!(answer.status, 404);
    }
}
