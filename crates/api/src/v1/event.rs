//! `events`: what other services tell us. Nothing depends on it; it goes to the log.

use crate::{
    call::Call,
    error::ApiError,
    policy::{Rule, Target},
    reply::Reply,
    schema::{
        self, Schema, Type,
        format::{MAC, OPTIONAL_UUID, UUID},
    },
};
use serde_json::Value;
use types::version::since;

const EVENT: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "event",
            Schema {
                types: &[Type::String],
                options: &[
                    "network.bind_port",
                    "network.unbind_port",
                    "network.delete_port",
                ],
                ..Schema::ANY
            },
        ),
        ("port_id", UUID),
        ("mac_address", MAC),
        ("status", Schema::of(&[Type::String])),
        ("device_id", OPTIONAL_UUID),
        ("binding:host_id", OPTIONAL_UUID),
        ("binding:vnic_type", Schema::of(&[Type::String, Type::Null])),
    ],
    required: &["event", "port_id", "mac_address", "status"],
    closed: true,
    ..Schema::ANY
};

pub(crate) const BODY: Schema = Schema {
    types: &[Type::Object],
    properties: &[(
        "events",
        Schema {
            types: &[Type::Array],
            items: Some(&EVENT),
            min_items: 1,
            ..Schema::ANY
        },
    )],
    required: &["events"],
    closed: true,
    ..Schema::ANY
};

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    if call.version() < since::EVENTS {
        return Err(ApiError::not_in_this_version());
    }
    let body = call.body()?;
    schema::check_unnamed(&body, &BODY)?;
    call.permit(Rule::EventsPost, &Target::NONE)?;
    let events = body.get("events").and_then(Value::as_array);
    for event in events.into_iter().flatten() {
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
        tracing::info!(
            event = text("event"),
            port = text("port_id"),
            address = text("mac_address"),
            status = text("status"),
            "another service reports"
        );
    }
    Ok(Reply::no_content())
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};

    fn event(more: Value) -> Value {
        let mut event = json!({"event": "network.bind_port", "status": "ACTIVE",
            "port_id": "11111111-1111-1111-1111-111111111111",
            "mac_address": "52:54:00:00:00:01"});
        let map = event.as_object_mut().unwrap();
        map.extend(more.as_object().unwrap().clone());
        event
    }

    #[tokio::test]
    async fn events_are_taken_when_well_formed() {
        let service = Service::new();
        let post = |minor: u16, body: Value| service.send("POST", "/v1/events", minor, body);
        let fine = json!({"events": [event(json!({"device_id": null}))]});
        assert_eq!(post(54, fine.clone()).await.status.as_u16(), 204);
        let early = post(53, fine).await;
        assert_eq!(early.status.as_u16(), 404);
        assert_eq!(early.fault(), "The API is not supported for this version");
        for (body, text) in [
            (json!({}), "'events' is a required property"),
            (json!({"events": []}), "[] should be non-empty"),
            (
                json!({"events": [event(json!({"event": "zz"}))]}),
                "'zz' is not one of ['network.bind_port', 'network.unbind_port', 'network.delete_port']",
            ),
            (
                json!({"events": [event(json!({"port_id": "zz"}))]}),
                "'zz' is not a 'uuid'",
            ),
            (
                json!({"events": [event(json!({"mac_address": "zz"}))]}),
                "'zz' is not a 'mac-address'",
            ),
            (
                json!({"events": [event(json!({"x": 1}))]}),
                "Additional properties are not allowed ('x' was unexpected)",
            ),
        ] {
            let answer = post(115, body).await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault()),
                (400, format!("Schema error: {text}"))
            );
        }
    }
}
