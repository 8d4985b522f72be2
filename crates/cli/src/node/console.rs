//! `corten node console`: a machine's serial console in the terminal, and switching access to it.

mod escape;
mod terminal;

use clap::Args;
use futures_util::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::report::shown;
use super::{about, each};
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::console::{Notes, printable};
use crate::error::Error;
use escape::{Action, Escape};
use terminal::{Keyboard, RawMode};

pub(super) fn leaves() -> Vec<Leaf> {
    const PATH: &[&str] = &["states", "console"];
    vec![
        Leaf::new("node console", "The serial console", Connect::run),
        shown(
            "node console show",
            "Show whether the console can be reached, and where",
            PATH,
        ),
        each(
            "node console enable",
            "Let the console be reached",
            (Method::PUT, PATH),
            Some(json!({"enabled": true})),
        ),
        each(
            "node console disable",
            "Close the console",
            (Method::PUT, PATH),
            Some(json!({"enabled": false})),
        ),
    ]
}

#[derive(Debug, Args)]
#[command(after_help = "\
The console must be enabled: corten node console enable NODE
At the beginning of a line these do not go to the machine:
  ~.  leave      ~B  send a break      ~t  take over from whoever types
  ~?  this list  ~~  a single ~
")]
struct Connect {
    /// Name or UUID
    node: String,
    /// Only watch
    #[arg(long)]
    read_only: bool,
    /// Type, even if somebody else does
    #[arg(long, conflicts_with = "read_only")]
    take_over: bool,
    /// Character that begins what does not go to the machine, or none
    #[arg(short = 'e', long, value_name = "CHARACTER", default_value = "~")]
    escape: Escape,
}

type Socket = WebSocketStream<reqwest::Upgraded>;

impl Connect {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["nodes", &self.node, "console"])?
            .query("mode", if self.read_only { "read" } else { "write" })
            .query_if("take_over", self.take_over.then_some("true"));
        let connected = session.client.upgrade(&call).await;
        let stream = connected.map_err(|error| self.explain(error))?;
        let mut socket = WebSocketStream::from_raw_socket(stream, Role::Client, None).await;
        let (node, leave) = (&self.node, self.escape.leave());
        session
            .console
            .note(&format!("connected to {node}; {leave}"));
        let ended = {
            // Before anything is read, so that no key is seen twice.
            let _raw = RawMode::enter();
            converse(session, &mut socket, self.escape).await
        };
        session.console.note("");
        ended.map_err(|error| about(error, &self.node))
    }

    fn explain(&self, error: Error) -> Error {
        let is_off = error.message().contains("is off");
        let error = about(error, &self.node);
        if is_off {
            let hint = format!("switch it on: corten node console enable {}", self.node);
            return error.with_hint(hint);
        }
        error
    }
}

/// Passes characters on until the user leaves or the console ends.
async fn converse(
    session: &mut Session,
    socket: &mut Socket,
    mut escape: Escape,
) -> Result<(), Error> {
    let mut keyboard = Keyboard::listen();
    // The terminal is put right before we go, whoever sends us away.
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let notes = session.console.notes();
    loop {
        tokio::select! {
            typed = keyboard.next() => {
                let Some(typed) = typed else {
                    return leave(socket).await;
                };
                for action in escape.read(&typed) {
                    match action {
                        Action::Type(characters) => send(socket, Message::Binary(characters.into())).await?,
                        Action::Break => command(socket, "break").await?,
                        Action::TakeOver => command(socket, "take_over").await?,
                        Action::Help => remark(&notes, &escape.help()),
                        Action::Leave => return leave(socket).await,
                    }
                }
            }
            message = socket.next() => match message {
                Some(Ok(Message::Binary(characters))) => session.console.bytes(&characters)?,
                Some(Ok(Message::Text(text))) => heed(&notes, &text)?,
                Some(Ok(Message::Close(_))) | None => {
                    return Err(Error::failed("the service closed the console"));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(lost(&error)),
            },
            _ = terminate.recv() => return leave(socket).await,
            _ = hangup.recv() => return leave(socket).await,
            _ = interrupt.recv() => return leave(socket).await,
        }
    }
}

fn lost(error: &dyn std::error::Error) -> Error {
    Error::unreachable(format!("the connection was lost: {error}"))
}

async fn send(socket: &mut Socket, message: Message) -> Result<(), Error> {
    socket.send(message).await.map_err(|error| lost(&error))
}

async fn command(socket: &mut Socket, name: &str) -> Result<(), Error> {
    let text = json!({"type": name}).to_string();
    send(socket, Message::Text(text.into())).await
}

/// Says good-bye; whether anybody hears it does not matter.
async fn leave(socket: &mut Socket) -> Result<(), Error> {
    let _ = socket.close(None).await;
    Ok(())
}

/// What the service says about the console.
fn heed(notes: &Notes, text: &str) -> Result<(), Error> {
    let notice: Value = serde_json::from_str(text).unwrap_or_default();
    let field = |name: &str| notice.get(name);
    match field("type").and_then(Value::as_str) {
        Some("writer") if field("writer") == Some(&json!(true)) => remark(notes, "you type"),
        Some("writer") => remark(notes, "you only watch"),
        Some("lost") => {
            let bytes = field("bytes").and_then(Value::as_u64).unwrap_or(0);
            remark(notes, &format!("{bytes} characters were lost"));
        }
        Some("ended") => {
            let reason = field("reason").and_then(Value::as_str);
            return Err(Error::failed(reason.unwrap_or("the console ended")));
        }
        _ => {}
    }
    Ok(())
}

/// A remark between what the machine says. The terminal may be raw.
fn remark(notes: &Notes, text: &str) {
    for line in text.lines() {
        notes.say(&format!("\r[{}]\r", printable(line)));
    }
}
