//! What all parts of a running agent share.

use crate::{
    command::Commands,
    config::{Config, Token},
    exchange::Exchanges,
    hardware::{Context, Managers},
    journal::Journal,
    progress::Progress,
    safety::Permit,
    service::LookupAnswer,
    session::Session,
};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex, PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use types::{JsonMap, Timestamp, mask::MASK};

/// Length of the shortest valid token.
const SHORTEST_TOKEN: usize = 32;

/// The service gave the node's token to another agent, so this agent cannot authenticate.
#[derive(Debug, thiserror::Error)]
#[error(
    "the service has given this node's token away already, to somebody else or to an agent that ran \
     here before: this one must not be trusted, nor trust anybody"
)]
pub struct Untrusted;

/// A running agent.
#[derive(Debug)]
pub struct Agent {
    config: RwLock<Arc<Config>>,
    permit: Option<Permit>,
    token: Mutex<Option<Token>>,
    node: Mutex<Option<JsonMap>>,
    progress: Progress,
    exchanges: Exchanges,
    managers: Managers,
    commands: Commands,
    journal: Journal,
    session: Session,
    started_at: f64,
    heartbeat: Notify,
    stop: CancellationToken,
    is_locked_down: AtomicBool,
}

impl Agent {
    pub fn new(
        config: Config,
        permit: Option<Permit>,
        managers: Managers,
        journal: Journal,
    ) -> Arc<Self> {
        let session = Session::open(&config.root, permit.as_ref());
        Arc::new(Self {
            commands: Commands::after(session.command()),
            session,
            token: Mutex::new(config.agent_token.clone()),
            config: RwLock::new(Arc::new(config)),
            permit,
            node: Mutex::default(),
            progress: Progress::default(),
            exchanges: Exchanges::default(),
            managers,
            journal,
            // Times are far from where whole microseconds could not be told apart.
            #[allow(clippy::cast_precision_loss)]
            started_at: Timestamp::now().0 as f64 / 1e6,
            heartbeat: Notify::new(),
            stop: CancellationToken::new(),
            is_locked_down: AtomicBool::new(false),
        })
    }

    pub fn config(&self) -> Arc<Config> {
        let config = self.config.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&config)
    }

    pub fn permit(&self) -> Option<&Permit> {
        self.permit.as_ref()
    }

    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    pub fn exchanges(&self) -> &Exchanges {
        &self.exchanges
    }

    pub fn managers(&self) -> &Managers {
        &self.managers
    }

    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The session for the next agent process, should this one crash.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// What hardware managers work with.
    pub fn context(&self) -> Context {
        Context {
            config: self.config(),
            permit: self.permit.clone(),
            progress: self.progress.clone(),
            exchanges: self.exchanges.clone(),
        }
    }

    /// The answer of `/v1/status`.
    pub fn status(&self) -> Value {
        json!({"started_at": self.started_at, "version": crate::VERSION})
    }

    pub fn token(&self) -> Option<Token> {
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        token.clone()
    }

    /// The node as the service described it last.
    pub fn node(&self) -> Option<JsonMap> {
        let node = self.node.lock().unwrap_or_else(PoisonError::into_inner);
        node.clone()
    }

    pub fn node_uuid(&self) -> Option<String> {
        let node = self.node()?;
        node.get("uuid")?.as_str().map(str::to_owned)
    }

    /// Remembers a node as a command brought it.
    pub fn remember(&self, node: &JsonMap) {
        let mut kept = self.node.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(node.clone());
    }

    /// Applies a lookup answer: node, configuration, token.
    pub fn adopt(&self, found: &LookupAnswer) -> Result<(), Untrusted> {
        self.remember(&found.node);
        {
            let mut config = self.config.write().unwrap_or_else(PoisonError::into_inner);
            Arc::make_mut(&mut config).adopted.adopt(&found.config);
        }
        let told = found.config.get("agent_token").and_then(Value::as_str);
        let node = found.node.get("uuid").and_then(Value::as_str);
        let node = node.unwrap_or_default();
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        match told {
            Some(told) if told.len() >= SHORTEST_TOKEN => {
                let told = Token::new(told);
                self.session.keep_token(node, &told);
                *token = Some(told);
            }
            Some(MASK) if token.is_none() => {
                *token = Some(self.session.token_of(node).ok_or(Untrusted)?);
                tracing::warn!(
                    "an agent ran on this machine before: continuing with its saved token"
                );
            }
            Some(MASK) => tracing::info!("keeping the agent token that was given at boot"),
            Some(_) => {
                tracing::warn!("the service sent an invalid agent token (too short): ignored")
            }
            None => {}
        }
        Ok(())
    }

    /// Sends a heartbeat soon.
    pub fn want_heartbeat(&self) {
        self.heartbeat.notify_one();
    }

    pub(crate) async fn heartbeat_wanted(&self) {
        self.heartbeat.notified().await;
    }

    /// Stops serving once what is being answered has been answered.
    pub fn stop_serving(&self) {
        self.stop.cancel();
    }

    /// Cancelled when the agent is to serve no longer.
    pub fn stopping(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Stops serving, and then cuts the machine off the network.
    pub fn lock_down(&self) {
        self.is_locked_down.store(true, Ordering::SeqCst);
        self.stop_serving();
    }

    pub fn is_locked_down(&self) -> bool {
        self.is_locked_down.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(line: &str) -> Arc<Agent> {
        let config = Config::from_parameters(line).unwrap();
        Agent::new(config, None, Managers::default(), Journal::default())
    }

    fn found(token: Value) -> LookupAnswer {
        let part = |value: Value| value.as_object().unwrap().clone();
        LookupAnswer {
            node: part(json!({"uuid": "u"})),
            config: part(json!({"heartbeat_timeout": 20, "agent_token": token})),
        }
    }

    #[test]
    fn an_agent_that_is_started_again_goes_on() {
        let root = tempfile::tempdir().unwrap();
        let permit = crate::session::tests::ramdisk(root.path());
        let start = || {
            let mut config = Config::from_parameters("").unwrap();
            config.root = root.path().to_owned();
            let permit = Some(permit.clone());
            Agent::new(config, permit, Managers::default(), Journal::default())
        };
        let token = "x".repeat(43);
        start().adopt(&found(json!(token))).unwrap();
        let again = start();
        again.adopt(&found(json!("******"))).unwrap();
        assert!(again.token().unwrap().is(&token));
        // The token of another node is not valid.
        let mut other = found(json!("******"));
        other.node.insert("uuid".into(), json!("v"));
        assert!(start().adopt(&other).is_err());
        again.session().forget();
        assert!(start().adopt(&found(json!("******"))).is_err());
    }

    #[test]
    fn tokens_follow_the_rules() {
        let new = agent("");
        let token = "x".repeat(43);
        new.adopt(&found(json!(token))).unwrap();
        assert!(new.token().unwrap().is(&token));
        assert_eq!(new.node_uuid().unwrap(), "u");
        assert_eq!(new.config().adopted.heartbeat_timeout.as_secs(), 20);
        // A masked token is one that this agent, or another one, already has.
        new.adopt(&found(json!("******"))).unwrap();
        assert!(new.token().unwrap().is(&token));
        let other = agent("");
        assert!(other.adopt(&found(json!("******"))).is_err());
        let told = agent("ipa-agent-token=abc");
        told.adopt(&found(json!("******"))).unwrap();
        assert!(told.token().unwrap().is("abc"));
        for nothing in [json!(null), json!("short"), json!(3)] {
            let agent = agent("");
            agent.adopt(&found(nothing)).unwrap();
            assert!(agent.token().is_none());
        }
    }
}
