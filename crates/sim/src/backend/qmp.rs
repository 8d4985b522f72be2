//! QEMU's monitor protocol: JSON objects, one a line, over a Unix socket.
//!
//! Commands are sent without waiting for what they return: what matters comes as events, and a
//! command that fails is written to the log.

use serde_json::{Value, json};
use std::{io, path::Path};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
};

/// The side that sends commands.
#[derive(Debug)]
pub(super) struct Commands(OwnedWriteHalf);

/// The side that hears what happens.
#[derive(Debug)]
pub(super) struct Events {
    reader: BufReader<OwnedReadHalf>,
    /// The incomplete next line, kept because a read may be cancelled and retried.
    line: Vec<u8>,
}

/// Something that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Reset,
    Other,
}

/// Connects, and agrees on the protocol.
pub(super) async fn connect(path: &Path) -> io::Result<(Commands, Events)> {
    let (reader, writer) = UnixStream::connect(path).await?.into_split();
    let mut commands = Commands(writer);
    commands.send("qmp_capabilities", Value::Null).await?;
    let events = Events {
        reader: BufReader::new(reader),
        line: Vec::new(),
    };
    Ok((commands, events))
}

impl Commands {
    pub(super) async fn send(&mut self, command: &str, arguments: Value) -> io::Result<()> {
        let mut line = match arguments {
            Value::Null => json!({"execute": command}),
            arguments => json!({"execute": command, "arguments": arguments}),
        }
        .to_string();
        line.push('\n');
        self.0.write_all(line.as_bytes()).await
    }
}

impl Events {
    /// The next event; none at the end of the connection.
    pub(super) async fn next(&mut self) -> io::Result<Option<Event>> {
        loop {
            if self.reader.read_until(b'\n', &mut self.line).await? == 0 {
                return Ok(None);
            }
            let event = understood(&self.line);
            self.line.clear();
            if event.is_some() {
                return Ok(event);
            }
        }
    }
}

fn understood(line: &[u8]) -> Option<Event> {
    let value: Value = serde_json::from_slice(line).ok()?;
    if let Some(error) = value.get("error") {
        tracing::warn!(%error, "QEMU refused a QMP command");
    }
    // Firmware resets the machine on its way up, which is no boot of its own.
    let is_own = value.pointer("/data/guest") == Some(&Value::Bool(true));
    match value.get("event")?.as_str()? {
        "RESET" if !is_own => Some(Event::Reset),
        _ => Some(Event::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_from_answers() {
        let reset = |guest: bool| format!(r#"{{"event": "RESET", "data": {{"guest": {guest}}}}}"#);
        assert_eq!(understood(reset(false).as_bytes()), Some(Event::Reset));
        assert_eq!(understood(reset(true).as_bytes()), Some(Event::Other));
        assert_eq!(understood(br#"{"event": "RESUME"}"#), Some(Event::Other));
        assert_eq!(understood(br#"{"return": {}}"#), None);
        assert_eq!(understood(b"nonsense"), None);
    }
}
