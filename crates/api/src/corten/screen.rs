//! `GET /corten/v1/nodes/{node}/screen`: the screen of a machine as a WebSocket, for viewers that
//! speak RFB, as noVNC does.
//!
//! The token in the address of the console is all that is asked for, as in Ironic: a user who may see
//! the console can pass its address on. Binary messages are the bytes of RFB, both ways; at the end
//! comes a text with the reason ([`super::console::notice`]). The token stands in the query, which is
//! not logged.

use super::console;
use crate::{call::Call, error::ApiError, reply::Reply};
use axum::http::StatusCode;
use std::{sync::PoisonError, time::Instant};
use types::{Fault, NodeId, console::ScreenToken};

/// Longer ones are none of ours.
const LONGEST_TOKEN: usize = 200;

pub(crate) async fn join(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["token"])?;
    let proof = call.handshake.accept();
    let proof = proof.map_err(|why| ApiError::service(why.status(), why.to_string()))?;
    let token = args.string("token")?.unwrap_or_default();
    // Names are not looked up before a token was shown: answers must not tell which nodes exist.
    let node: Result<NodeId, _> = call.param("node").parse();
    let (Ok(node), 1..=LONGEST_TOKEN) = (node, token.len()) else {
        return Err(Fault::WrongScreenToken.into());
    };
    admit(&call)?;
    let token = ScreenToken(token.to_owned());
    let mut who = call.ctx.caller.clone();
    if call.session.is_none() {
        // The name was not authenticated.
        (who.user, who.project) = (None, None);
    }
    let line = call.state.conductor.join_screen(&who, node, token).await;
    let line = line.map_err(|fault| match fault {
        Fault::NodeNotFound(_) | Fault::NoValidHost { .. } => Fault::WrongScreenToken,
        other => other,
    })?;
    tokio::spawn(async move {
        if let Some(socket) = call.handshake.open().await {
            // A viewer that is gone needs no reason.
            let _ = console::converse(line, socket).await;
        }
    });
    Ok(Reply::switching(proof))
}

/// Nobody has signed in here, and each visit costs a look at the node and lines in logs: an address
/// comes only so often, with the right token or with a guess.
fn admit(call: &Call) -> Result<(), ApiError> {
    let mut visits = call
        .state
        .screen_visits
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let admitted = visits.take(&call.address, Instant::now());
    admitted.map_err(|seconds| {
        ApiError::service(
            StatusCode::TOO_MANY_REQUESTS,
            format!("Too many screens were asked for. Please try again in {seconds} seconds."),
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::{Node, NodeId};

    const UPGRADE: [(&str, &str); 5] = [
        ("host", "h:6385"),
        ("connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("sec-websocket-version", "13"),
    ];

    #[tokio::test]
    async fn it_is_for_websockets_with_a_token_and_tells_nothing_else() {
        let service = Service::guarded();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let node = service.store_node(node).await;
        let path = format!("/corten/v1/nodes/{}/screen", node.id);
        // No credentials are needed; but this is no WebSocket.
        let answer = service.get(&path, 115).await;
        assert_eq!(answer.status, 426, "{}", answer.text);
        let ask = async |path: &str, query: &str| {
            let mut request = axum::http::Request::get(format!("{path}?{query}"));
            for (name, value) in UPGRADE {
                request = request.header(name, value);
            }
            // What hyper adds to a connection that can change.
            let body = axum::body::Body::empty();
            service.request(request.body(body).unwrap()).await.status
        };
        for query in ["", "token=", "token=x"] {
            // Without a connection there is nothing to change.
            assert_eq!(ask(&path, query).await, 426, "{query}");
        }
        assert_eq!(service.get(&format!("{path}?x=1"), 115).await.status, 400);
        assert!(service.conductor.asked.lock().unwrap().is_empty());
    }
}
