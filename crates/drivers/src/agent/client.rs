//! Telling an agent what to do, and asking how far it is.
//!
//! An agent runs one command at a time and remembers them all. A command whose answer got lost is
//! therefore looked for in that list before it is sent again. The token goes into the address, as
//! agents want it, and into no message: texts about a failed call name the node's agent without its
//! query. Agents from before there were tokens answer with 400 to an address that has one.

use super::{
    clients::Clients,
    outgoing::{Echo, Inserted, Outgoing},
};
use crate::answer::{self, AnswerError, Arriving};
use outbound::Policy;
use reqwest::{Method, StatusCode, Url};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::time::Duration;
use tls::{Oldest, Spoken, Trust};
use tracing::Instrument;
use types::{JsonMap, pyrepr};

/// How agents are talked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// `[agent]command_timeout`.
    pub timeout: Duration,
    /// `[agent]max_command_attempts`.
    pub attempts: u32,
    /// `[agent]command_wait_attempts` and `…_interval`.
    pub wait_attempts: u32,
    pub wait_interval: Duration,
    /// `[agent]verify_ca`, for agents that sent no certificate.
    pub verify: Trust,
    /// `[agent]tls_minimum_version` and `tls_ciphers`.
    pub spoken: Spoken,
    /// Where agents may be.
    pub outbound: Policy,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            attempts: 3,
            wait_attempts: 100,
            wait_interval: Duration::from_secs(6),
            verify: Trust::Machine,
            spoken: Spoken {
                oldest: Oldest::V13,
                ciphers: None,
            },
            outbound: Policy::default(),
        }
    }
}

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Whether the agent got the command is not known, or it certainly did not.
    #[error("Connection to agent failed: {0}")]
    Connection(String),
    #[error("the agent is busy with another command: {0}")]
    Busy(String),
    #[error("the agent refused {command}: {reason} (status {status})")]
    Refused {
        command: String,
        status: u16,
        reason: String,
    },
    #[error("the agent's answer to {command} makes no sense: {reason}")]
    Nonsense { command: String, reason: String },
    #[error("the agent did not finish {command} in time")]
    Timeout { command: String },
}

/// Where a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandStatus {
    Running,
    Succeeded,
    Failed,
    /// The agent's hardware managers have changed since the steps were asked for.
    VersionMismatch,
}

/// A command as the agent remembers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub id: Option<String>,
    /// Without the extension.
    pub name: String,
    pub status: CommandStatus,
    pub error: Value,
    pub result: Value,
}

#[derive(Deserialize)]
struct WireCommand {
    #[serde(default)]
    id: Option<String>,
    command_name: String,
    command_status: String,
    #[serde(default)]
    command_error: Value,
    #[serde(default)]
    command_result: Value,
}

impl TryFrom<WireCommand> for Command {
    type Error = String;

    fn try_from(wire: WireCommand) -> Result<Self, String> {
        let status = match wire.command_status.as_str() {
            "RUNNING" => CommandStatus::Running,
            "SUCCEEDED" => CommandStatus::Succeeded,
            "FAILED" => CommandStatus::Failed,
            "CLEAN_VERSION_MISMATCH" | "VERSION_MISMATCH" => CommandStatus::VersionMismatch,
            other => return Err(format!("unknown status '{other}'")),
        };
        Ok(Self {
            id: wire.id,
            name: wire.command_name,
            status,
            error: wire.command_error,
            result: wire.command_result,
        })
    }
}

impl Command {
    /// What went wrong, for people.
    pub fn complaint(&self) -> String {
        let part = |key: &str| {
            let text = self.error.get(key)?;
            pyrepr::truth(text).then(|| pyrepr::to_str(text))
        };
        match &self.error {
            Value::Null => "Invalid agent response".to_owned(),
            Value::Object(_) => part("details")
                .or_else(|| part("message"))
                .unwrap_or_else(|| pyrepr::repr(&self.error)),
            other => pyrepr::to_str(other),
        }
    }
}

/// Talks to agents.
#[derive(Debug)]
pub struct AgentClient {
    settings: ClientSettings,
    clients: Clients,
}

impl AgentClient {
    pub fn new(settings: ClientSettings) -> Self {
        Self {
            settings,
            clients: Clients::default(),
        }
    }

    /// The agent at this address, which showed this certificate and knows this token, if it knows
    /// any.
    pub async fn agent(
        &self,
        url: &str,
        certificate: Option<&str>,
        verify: Option<Trust>,
        token: Option<&str>,
    ) -> Result<Agent<'_>, AgentError> {
        let failed = |reason: String| AgentError::Connection(reason);
        let base = Url::parse(&format!("{}/v1/commands/", url.trim_end_matches('/')))
            .map_err(|_| failed(format!("'{url}' is not an address")))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(failed(format!("'{url}' is not an address of HTTP")));
        }
        let outbound = &self.settings.outbound;
        let refused = |error: outbound::Refused| failed(error.to_string());
        outbound.check(&base).map_err(refused)?;
        let http = self
            .clients
            .get(&self.settings, &base, certificate, verify)
            .await?;
        Ok(Agent {
            client: self,
            base,
            http,
            token: token.map(str::to_owned),
        })
    }
}

/// One agent.
#[derive(Debug)]
pub struct Agent<'a> {
    client: &'a AgentClient,
    base: Url,
    http: reqwest::Client,
    token: Option<String>,
}

/// The largest answer to a command, in bytes; an inventory has some hundred kilobytes.
const LARGEST: usize = 4 << 20;
/// The largest answer that may have logs in it: that of the command that collects them, and the
/// list of commands, which repeats it.
const LARGEST_WITH_LOGS: usize = 32 << 20;
/// How much an agent may repeat of the config drives that it was given.
const LARGEST_ECHO: usize = 512 << 20;
/// The command whose answer is as large as the logs of a machine.
const COLLECT_LOGS: &str = "log.collect_system_logs";

/// What an agent says when it refuses.
#[derive(Debug, Default, Deserialize)]
struct Complaint {
    faultstring: Option<String>,
}

impl Agent<'_> {
    fn address(&self, query: &[(&str, &str)]) -> Url {
        let mut url = self.base.clone();
        let token = self.token.as_deref().map(|token| ("agent_token", token));
        let pairs: Vec<_> = query.iter().copied().chain(token).collect();
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(pairs);
        }
        url
    }

    /// Everything the agent was told since it started, oldest first.
    pub async fn commands(&self) -> Result<Vec<Command>, AgentError> {
        #[derive(Deserialize)]
        struct All {
            commands: Vec<WireCommand>,
        }
        let url = self.address(&[]);
        let mut tries = 0;
        let all = loop {
            tries += 1;
            match self
                .send::<All>(Method::GET, url.clone(), None, "the list of commands")
                .await
            {
                Err(AgentError::Connection(_)) if tries < self.client.settings.attempts => {}
                other => break other?,
            }
        };
        let nonsense = |reason: String| AgentError::Nonsense {
            command: "the list of commands".into(),
            reason,
        };
        let commands = all.commands.into_iter().map(Command::try_from);
        commands.collect::<Result<_, _>>().map_err(nonsense)
    }

    /// Starts a command; `wait` has the agent answer when it is done, which is for short ones.
    pub async fn command(
        &self,
        name: &str,
        params: JsonMap,
        wait: bool,
    ) -> Result<Command, AgentError> {
        self.start(name, params, None, wait).await
    }

    /// Starts a command that has a large text among its parameters.
    pub async fn command_with(
        &self,
        name: &str,
        params: JsonMap,
        inserted: Option<Inserted>,
    ) -> Result<Command, AgentError> {
        self.start(name, params, inserted, false).await
    }

    async fn start(
        &self,
        name: &str,
        params: JsonMap,
        inserted: Option<Inserted>,
        wait: bool,
    ) -> Result<Command, AgentError> {
        let body = Outgoing::new(&json!({"name": name, "params": params}), inserted);
        drop(params);
        let url = self.address(&[("wait", if wait { "true" } else { "false" })]);
        let mut tries = 0;
        loop {
            tries += 1;
            match self
                .send(Method::POST, url.clone(), Some(&body), name)
                .await
            {
                Ok(answer) => return self.understood(answer, name),
                Err(AgentError::Connection(reason)) => {
                    // It may have arrived all the same.
                    if let Some(running) = self.running(name).await {
                        return Ok(running);
                    }
                    if tries >= self.client.settings.attempts {
                        return Err(AgentError::Connection(reason));
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Runs a command to its end, however long it takes, by asking for it.
    pub async fn complete(&self, name: &str, params: JsonMap) -> Result<Command, AgentError> {
        let settings = &self.client.settings;
        let mut last = self.command(name, params, false).await?;
        let mut asked = 0;
        while last.status == CommandStatus::Running {
            if asked >= settings.wait_attempts {
                return Err(AgentError::Timeout {
                    command: name.to_owned(),
                });
            }
            asked += 1;
            tokio::time::sleep(settings.wait_interval).await;
            let found = self.commands().await?;
            if let Some(newest) = found.into_iter().rev().find(|c| c.name == last.name) {
                last = newest;
            }
        }
        Ok(last)
    }

    async fn running(&self, name: &str) -> Option<Command> {
        let last = self.commands().await.ok()?.pop()?;
        (last.name == short(name) && last.status == CommandStatus::Running).then_some(last)
    }

    fn understood(&self, wire: WireCommand, name: &str) -> Result<Command, AgentError> {
        let nonsense = |reason: String| AgentError::Nonsense {
            command: name.to_owned(),
            reason,
        };
        let command = Command::try_from(wire).map_err(nonsense)?;
        // A mistake in what we sent, not of the machine.
        if command.error.get("type").and_then(Value::as_str) == Some("TypeError") {
            return Err(nonsense(command.complaint()));
        }
        Ok(command)
    }

    async fn send<T: DeserializeOwned + Send + 'static>(
        &self,
        method: Method,
        url: Url,
        body: Option<&Outgoing>,
        name: &str,
    ) -> Result<T, AgentError> {
        // Not the whole address, which holds the token.
        let span = tracing::debug_span!(
            target: "spans", "agent", otel.kind = "client", otel.name = format!("agent {name}"),
            server.address = self.base.host_str(), otel.error = tracing::field::Empty,
        );
        let sending = Box::pin(self.exchange(method, url, body, name));
        let outcome = sending.instrument(span.clone()).await;
        if let Err(error) = &outcome {
            span.record("otel.error", error.to_string());
        }
        outcome
    }

    async fn exchange<T: DeserializeOwned + Send + 'static>(
        &self,
        method: Method,
        url: Url,
        body: Option<&Outgoing>,
        name: &str,
    ) -> Result<T, AgentError> {
        let nonsense = |error: AnswerError| AgentError::Nonsense {
            command: name.to_owned(),
            reason: error.to_string(),
        };
        let may_have_logs = method == Method::GET || name == COLLECT_LOGS;
        let mut request = self.http.request(method, url);
        if let Some(body) = body {
            request = body.of(request);
        }
        let mut response = request
            .send()
            .await
            .map_err(|error| AgentError::Connection(self.unreachable(error)))?;
        let status = response.status();
        let largest = if may_have_logs && status.is_success() {
            LARGEST_WITH_LOGS
        } else {
            LARGEST
        };
        let mut arriving = Arriving::new(largest);
        let mut echo = Echo::new(LARGEST_ECHO);
        let mut kept = Vec::new();
        loop {
            let chunk = arriving.piece(response.chunk()).await.map_err(nonsense)?;
            let Some(chunk) =
                chunk.map_err(|error| AgentError::Connection(self.unreachable(error)))?
            else {
                break;
            };
            kept.clear();
            echo.leave_out(&chunk, &mut kept).map_err(nonsense)?;
            arriving.add(&kept).await.map_err(nonsense)?;
        }
        let arrived = arriving.finish();
        if status.is_success() {
            return answer::parse(arrived.bytes).await.map_err(nonsense);
        }
        let complaint: Complaint = answer::parse(arrived.bytes).await.unwrap_or_default();
        let reason = complaint
            .faultstring
            .unwrap_or_else(|| "no reason given".to_owned());
        if status == StatusCode::CONFLICT || reason.to_lowercase().contains("agent is busy") {
            return Err(AgentError::Busy(reason));
        }
        Err(AgentError::Refused {
            command: name.to_owned(),
            status: status.as_u16(),
            reason,
        })
    }

    /// What went wrong with the connection, without the address, which holds the token.
    fn unreachable(&self, error: reqwest::Error) -> String {
        let host = self.base.host_str().unwrap_or_default();
        let port = self.base.port_or_known_default().unwrap_or_default();
        format!("{host}:{port}: {}", said(error))
    }
}

/// A command's name without its extension.
pub fn short(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, short)| short)
}

fn said(error: reqwest::Error) -> String {
    const CERTIFICATE: &str = "; an agent sends its own certificate with its heartbeats, and only \
        that one is accepted. For agents that send none, set agent_verify_ca in driver_info, or \
        [agent]verify_ca for all nodes, to a file on the conductor with the certificate that \
        signed theirs, or to False to accept any certificate";
    let error = error.without_url();
    let advice = tls::advice(&error, CERTIFICATE);
    format!("{}{advice}", types::error::chain(&error))
}
