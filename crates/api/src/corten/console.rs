//! `GET /corten/v1/nodes/{node}/console`: a machine's serial console as a WebSocket.
//!
//! Binary messages are characters, both ways. Text messages are small JSON objects about the
//! console itself: the client sends `{"type": "break"}` and `{"type": "take_over"}`, the service
//! `writer`, `lost` and `ended` ([`notice`]). Rights are asked before the connection changes, and
//! so is the conductor, so that whatever is wrong is an ordinary answer.

use crate::{
    call::Call, error::ApiError, policy::Rule, reply::Reply, v1::subject, websocket::Socket,
};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, interval_at};
use tokio_tungstenite::tungstenite::{
    Error, Message, Utf8Bytes,
    protocol::{CloseFrame, frame::coding::CloseCode},
};
use types::console::{ConsoleInput, ConsoleLine, ConsoleOutput, ConsoleWish};

/// How often a client is asked whether it is there; one that does not say so before the next time
/// is gone.
const PULSE: Duration = Duration::from_secs(30);

pub(crate) async fn join(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["mode", "take_over"])?;
    let mode = args.string("mode")?;
    let take_over = args.boolean("take_over")?.unwrap_or(false);
    let write = match mode {
        None | Some("write") => true,
        Some("read") => false,
        Some(other) => {
            return Err(ApiError::invalid(format!(
                "mode is read or write, not {other}"
            )));
        }
    };
    if take_over && !write {
        return Err(ApiError::invalid("Who only reads takes nothing over."));
    }
    let node = subject::node_for(&call, Rule::NodeGetConsole).await?;
    let proof = call.handshake.accept();
    let proof = proof.map_err(|why| ApiError::service(why.status(), why.to_string()))?;
    let wish = ConsoleWish { write, take_over };
    let conductor = &call.state.conductor;
    let line = conductor.join_console(&call.ctx.caller, node.id, wish);
    let line = line.await?;
    tokio::spawn(async move {
        if let Some(socket) = call.handshake.open().await {
            // Whoever is gone does not want to know why.
            let _ = converse(line, socket).await;
        }
    });
    Ok(Reply::switching(proof))
}

/// Passes characters on until one of the two has enough.
pub(super) async fn converse(mut line: ConsoleLine, mut socket: Socket) -> Result<(), Error> {
    let mut pulse = interval_at(Instant::now() + PULSE, PULSE);
    let mut is_there = true;
    loop {
        tokio::select! {
            message = socket.next() => {
                is_there = true;
                let input = match message {
                    None => return Ok(()),
                    Some(message) => match message? {
                        Message::Binary(characters) => {
                            Some(ConsoleInput::Characters(characters.to_vec()))
                        }
                        Message::Text(text) => command(&text),
                        Message::Close(_) => return socket.close(None).await,
                        _ => continue,
                    },
                };
                let Some(input) = input else {
                    return bye(&mut socket, CloseCode::Unsupported, "no such command").await;
                };
                if !line.writer.send(input).await {
                    return bye(&mut socket, CloseCode::Away, "the console has ended").await;
                }
            }
            output = line.reader.next() => match output {
                Some(ConsoleOutput::Characters(characters)) => {
                    socket.send(Message::Binary(characters.into())).await?;
                }
                Some(other) => {
                    let text = notice(&other).to_string();
                    socket.send(Message::Text(text.into())).await?;
                }
                None => return bye(&mut socket, CloseCode::Normal, "").await,
            },
            _ = pulse.tick() => {
                if !std::mem::take(&mut is_there) {
                    return Ok(());
                }
                socket.send(Message::Ping(Vec::new().into())).await?;
            }
        }
    }
}

/// What a client wants besides typing.
fn command(text: &Utf8Bytes) -> Option<ConsoleInput> {
    let command: Value = serde_json::from_str(text).ok()?;
    match command.get("type")?.as_str()? {
        "break" => Some(ConsoleInput::Break),
        "take_over" => Some(ConsoleInput::TakeOver),
        _ => None,
    }
}

/// What a client is told besides what the machine says.
fn notice(output: &ConsoleOutput) -> Value {
    match output {
        ConsoleOutput::Characters(_) => Value::Null,
        ConsoleOutput::Writer(is_writer) => json!({"type": "writer", "writer": is_writer}),
        ConsoleOutput::Lost(bytes) => json!({"type": "lost", "bytes": bytes}),
        ConsoleOutput::Ended(reason) => json!({"type": "ended", "reason": reason}),
    }
}

async fn bye(socket: &mut Socket, code: CloseCode, reason: &'static str) -> Result<(), Error> {
    let reason = Utf8Bytes::from_static(reason);
    socket.close(Some(CloseFrame { code, reason })).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use types::{Node, NodeId};

    #[tokio::test]
    async fn a_request_that_is_no_websocket_is_told_so_after_its_rights() {
        let service = Service::guarded();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.owner = Some("p1".into());
        let node = service.store_node(node).await;
        let path = format!("/corten/v1/nodes/{}/console", node.id);
        for (persona, status) in [
            ("member@p1", 426),
            ("reader@p1", 403),
            ("reader@system", 403),
            ("admin@p2", 404),
        ] {
            let answer = service.get_as(persona, &path).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
        for query in ["mode=type", "mode=read&take_over=true", "x=1"] {
            let answer = service
                .get_as("member@p1", &format!("{path}?{query}"))
                .await;
            assert_eq!(answer.status, 400, "{query}");
        }
        assert!(service.conductor.asked.lock().unwrap().is_empty());
    }

    #[test]
    fn texts_are_commands_and_notices() {
        let read = |text: &'static str| command(&Utf8Bytes::from_static(text));
        assert_eq!(read(r#"{"type": "break"}"#), Some(ConsoleInput::Break));
        assert_eq!(
            read(r#"{"type":"take_over"}"#),
            Some(ConsoleInput::TakeOver)
        );
        for bad in ["", "break", "[]", r#"{"type": 1}"#, r#"{"type": "x"}"#] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(
            notice(&ConsoleOutput::Writer(true)).to_string(),
            r#"{"type":"writer","writer":true}"#
        );
    }
}
