//! `POST /corten/v1/agent/progress/{node}`: an agent tells how far it is.
//!
//! It shows the token that its reports show, in a header, and needs no other credentials. Only our
//! own agents know this; others are told on their kernel's command line and do not mind.

use crate::{call::Call, error::ApiError, reply::Reply, schema, v1::ramdisk};
use serde_json::Value;
use types::progress::Progress;

pub(crate) async fn post(call: Call) -> Result<Reply, ApiError> {
    let path = format!("/corten/v1/agent/progress/{}", call.param("node"));
    ramdisk::check_enabled(&call, &path)?;
    let progress = read(&call.body()?)?;
    let node = ramdisk::reporting_node(&call, call.param("node")).await?;
    let conductor = &call.state.conductor;
    let token = call.agent_token.reveal().map(str::to_owned);
    let noted = conductor.note_progress(node.id, token, progress).await;
    noted.map_err(|fault| ramdisk::not_taken(&node, fault))?;
    Ok(Reply::accepted())
}

fn read(body: &Value) -> Result<Progress, ApiError> {
    schema::check_unnamed(body, &schema::progress::PROGRESS)?;
    let word = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |name: &str| match body.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => whole(value)
            .map(Some)
            .ok_or_else(|| ApiError::invalid(format!("'{name}' is too large."))),
    };
    Ok(Progress {
        phase: word("phase").unwrap_or_default(),
        bytes: number("bytes")?.unwrap_or(0),
        total: number("total")?,
        rate: number("rate")?,
        command: word("command").filter(|command| !command.is_empty()),
    })
}

/// Rates may come with fractions, which say nothing.
fn whole(value: &Value) -> Option<u64> {
    if let Some(whole) = value.as_u64() {
        return Some(whole);
    }
    let number = value.as_f64()?;
    // Above this, numbers with fractions do not exist, and no machine has so many bytes.
    const MOST: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked"
    )]
    (0.0..MOST).contains(&number).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use axum::http::Request;
    use serde_json::json;
    use types::{Node, NodeId};

    #[test]
    fn nonsense_is_refused() {
        for body in [
            json!([]),
            json!("writing"),
            json!({}),
            json!({"phase": ""}),
            json!({"phase": 7}),
            json!({"phase": "a\nb"}),
            json!({"phase": "x".repeat(101)}),
            json!({"phase": "x", "bytes": -1}),
            json!({"phase": "x", "bytes": "1"}),
            json!({"phase": "x", "bytes": 1e300}),
            json!({"phase": "x", "total": [1]}),
            json!({"phase": "x", "rate": true}),
            json!({"phase": "x", "command": {}}),
            json!({"phase": "x", "colour": "red"}),
        ] {
            assert!(read(&body).is_err(), "{body}");
        }
        let sent = json!({"phase": "writing image", "bytes": 5, "total": null, "rate": 2.75,
            "command": ""});
        let expected = Progress {
            phase: "writing image".into(),
            bytes: 5,
            total: None,
            rate: Some(2),
            command: None,
        };
        assert_eq!(read(&sent).unwrap(), expected);
    }

    #[tokio::test]
    async fn the_token_is_in_a_header_and_nothing_else_is_asked_for() {
        let service = Service::guarded();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let node = service.store_node(node).await;
        let path = format!("/corten/v1/agent/progress/{}", node.id);
        let send = async |body: Value| {
            let request = Request::post(&path)
                .header("content-type", "application/json")
                .header("x-corten-agent-token", "t0ken")
                .body(body.to_string().into());
            service.request(request.unwrap()).await.status.as_u16()
        };
        assert_eq!(
            send(json!({"phase": "writing image", "bytes": 7})).await,
            202
        );
        assert_eq!(send(json!({"phase": 7})).await, 400);
        let asked = service.conductor.asked.lock().unwrap();
        let progress = Progress {
            phase: "writing image".into(),
            bytes: 7,
            ..Progress::default()
        };
        let expected = format!(r#"note_progress "t0ken" {}"#, json!(progress));
        assert_eq!(*asked, [expected]);
    }
}
