//! Commands of the service, and their results.
//!
//! One runs at a time. Synchronous commands are answered with their result; asynchronous ones run
//! in the background, and the service polls for the result. Results are kept as long as the agent
//! runs: the service finds its earlier commands in the list.

use crate::{AgentError, agent::Agent, extension, session::Kept};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::watch;
use types::JsonMap;
use uuid::Uuid;

/// How far a command is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Running,
    Succeeded(Value),
    Failed(AgentError),
}

/// IPA's name of the failure that has a status of its own.
pub(crate) const VERSION_MISMATCH: &str = "VersionMismatch";

/// A command that was begun.
#[derive(Debug)]
pub struct Command {
    id: String,
    name: String,
    state: watch::Sender<State>,
}

impl Command {
    fn new(name: &str, state: State) -> Arc<Self> {
        Self::with_id(Uuid::new_v4().to_string(), name, state)
    }

    fn with_id(id: String, name: &str, state: State) -> Arc<Self> {
        Arc::new(Self {
            id,
            name: name.to_owned(),
            state: watch::Sender::new(state),
        })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    fn is_done(&self) -> bool {
        *self.state.borrow() != State::Running
    }

    /// Waits for the end.
    pub async fn join(&self) {
        // `self` owns the sender, so the channel is open.
        let _ = self
            .state
            .subscribe()
            .wait_for(|state| *state != State::Running)
            .await;
    }

    /// The record for the next agent process, should this one crash.
    fn kept(&self, state: &State) -> Kept {
        let (result, error) = match state {
            State::Running => (None, None),
            State::Succeeded(result) => (Some(result.clone()), None),
            State::Failed(error) => (None, Some(error.to_string())),
        };
        Kept {
            id: self.id.clone(),
            name: self.name.clone(),
            result,
            error,
        }
    }

    /// As the service reads it.
    pub fn document(&self) -> Value {
        let (status, error, result) = match &*self.state.borrow() {
            State::Running => ("RUNNING", Value::Null, Value::Null),
            State::Succeeded(result) => ("SUCCEEDED", Value::Null, result.clone()),
            State::Failed(error) if error.kind == VERSION_MISMATCH => {
                ("CLEAN_VERSION_MISMATCH", error.document(), Value::Null)
            }
            State::Failed(error) => ("FAILED", error.document(), Value::Null),
        };
        json!({
            "id": self.id,
            "command_name": self.name,
            "command_status": status,
            "command_error": error,
            "command_result": result,
        })
    }
}

/// The commands of one agent, or of one flow, oldest first.
#[derive(Debug, Default)]
pub struct Commands {
    list: Mutex<Vec<Arc<Command>>>,
    /// Held while a command is begun, and until it ends if it ends soon.
    turn: tokio::sync::Mutex<()>,
}

impl Commands {
    /// The commands of a restarted agent: the last command of the crashed process is known, and has
    /// failed if it was running.
    pub(crate) fn after(last: Option<Kept>) -> Self {
        let commands = Self::default();
        if let Some(last) = last {
            let state = match (last.result, last.error) {
                (Some(result), _) => State::Succeeded(result),
                (None, error) => State::Failed(AgentError::failed(
                    "CommandExecutionError",
                    "Command execution failed",
                    error.unwrap_or_else(|| {
                        "the agent crashed during this command and was restarted".to_owned()
                    }),
                )),
            };
            commands.keep(&Command::with_id(last.id, &last.name, state));
        }
        commands
    }

    pub fn list(&self) -> Vec<Arc<Command>> {
        let list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.clone()
    }

    pub fn find(&self, id: &str) -> Result<Arc<Command>, AgentError> {
        let found = self.list().into_iter().find(|command| command.id == id);
        found.ok_or_else(|| not_found("Command Result", id))
    }

    /// Starts a command. An invalid request is refused, and does not appear in the list.
    pub async fn begin(
        &self,
        agent: &Arc<Agent>,
        name: &str,
        params: JsonMap,
    ) -> Result<Arc<Command>, AgentError> {
        let _turn = self.turn.lock().await;
        let (extension, short) = name.split_once('.').ok_or_else(|| {
            invalid_command("Command name must be of the form <extension>.<name>")
        })?;
        if let Some(last) = self.list().last()
            && !last.is_done()
        {
            return Err(AgentError {
                code: 409,
                ..AgentError::failed(
                    "AgentIsBusy",
                    "Agent is busy",
                    format!("executing command {}", last.name),
                )
            });
        }
        let entry = extension::find(extension, short)?;
        extension::validate(entry, &params, &agent.config())?;
        tracing::info!("command {name} started");
        if entry.is_async {
            agent.progress().command(name);
            let command = Command::new(short, State::Running);
            self.keep(&command);
            // Commands inside a flow are not recorded in the session.
            let is_own = std::ptr::eq(self, agent.commands());
            if is_own {
                let session = agent.session();
                session.keep_command(command.kept(&State::Running));
            }
            let (agent, running) = (Arc::clone(agent), Arc::clone(&command));
            tokio::spawn(async move {
                let state = match guarded(&agent, entry, params).await {
                    Ok(Value::String(text)) => {
                        State::Succeeded(json!({"result": format!("{}: {text}", running.name)}))
                    }
                    Ok(result) => State::Succeeded(result),
                    Err(error) => State::Failed(error),
                };
                note(&running.name, &state);
                if is_own {
                    agent.session().keep_command(running.kept(&state));
                }
                running.state.send_replace(state);
                agent.want_heartbeat();
            });
            return Ok(command);
        }
        let state = match guarded(agent, entry, params).await {
            Ok(Value::String(text)) => State::Succeeded(json!({"result": text})),
            Ok(result) => State::Succeeded(result),
            // Invalid parameters are reported at once.
            Err(error) if error.kind.starts_with("InvalidCommand") => return Err(error),
            Err(error) => State::Failed(error),
        };
        note(name, &state);
        // As in IPA, only what failed has the extension in its name.
        let shown = match &state {
            State::Failed(_) => name,
            _ => short,
        };
        let command = Command::new(shown, state);
        self.keep(&command);
        Ok(command)
    }

    fn keep(&self, command: &Arc<Command>) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(Arc::clone(command));
    }
}

/// Runs a command so that a panic fails the command and not the agent.
async fn guarded(
    agent: &Arc<Agent>,
    entry: &'static extension::CommandSpec,
    params: JsonMap,
) -> Result<Value, AgentError> {
    let run = AssertUnwindSafe(extension::run(agent, entry, params)).catch_unwind();
    run.await.unwrap_or_else(|_| {
        Err(AgentError::failed(
            "CommandExecutionError",
            "Command execution failed",
            "internal error (panic) in the agent: see the agent's log",
        ))
    })
}

fn note(name: &str, state: &State) {
    match state {
        State::Failed(error) => tracing::error!("command {name} failed: {error}"),
        _ => tracing::info!("command {name} succeeded"),
    }
}

pub(crate) fn invalid_command(details: impl Into<String>) -> AgentError {
    AgentError::refused("InvalidCommandError", "Invalid command", details)
}

pub(crate) fn invalid_params(details: impl Into<String>) -> AgentError {
    AgentError::refused(
        "InvalidCommandParamsError",
        "Invalid command parameters",
        details,
    )
}

pub(crate) fn not_found(what: &str, id: &str) -> AgentError {
    AgentError {
        code: 404,
        ..AgentError::failed(
            "RequestedObjectNotFoundError",
            "Not found",
            format!("{what} with id {id} not found."),
        )
    }
}
