//! Talking to a PDU: the gate, the address, the engine, and the rule for retries.
//!
//! A talk holds the gate, so that one PDU answers one question at a time, however many machines
//! hang on it. A question that is not answered is repeated as often as configured; one that is
//! refused is not. Every failure says which PDU and outlet, which operation and why.

use super::{Info, SnmpSettings};
use crate::{
    DriverError, Failure,
    error::Variant,
    gate::{GateError, Gates, Permit},
    ipmi::wire::{Conversation, Wire},
    recorder::{Recorder, Tape},
};
use proto::snmp::{
    ErrorStatus, Oid, Pdu, PduKind, Value,
    client::{Access, Client, IgnoreReason, ResponseVerdict},
};
use std::{
    collections::HashMap,
    error::Error,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{sync::OwnedMutexGuard, time::Instant};
use types::recording::{Answer, Exchange, Question, SnmpMessage};

/// How often a PDU may ask us to begin anew within one question: once for its engine, once for its
/// clock, and both once more should it restart meanwhile.
const RESTARTS: u32 = 4;
/// From so many engines on, those that nobody talks to are forgotten.
const MANY: usize = 1024;

type Clients = HashMap<(SocketAddr, Access), Arc<tokio::sync::Mutex<Client>>>;

/// What all PDUs share.
#[derive(Debug)]
pub struct Snmp {
    pub settings: SnmpSettings,
    wire: Wire,
    gates: Gates,
    clients: Mutex<Clients>,
    started: Instant,
    salt: AtomicU64,
    recorder: Recorder,
}

impl Snmp {
    pub fn new(settings: SnmpSettings) -> Self {
        Self {
            wire: Wire::default(),
            gates: Gates::new(settings.gate.clone()),
            clients: Mutex::default(),
            started: Instant::now(),
            salt: AtomicU64::new(random()),
            recorder: Recorder::default(),
            settings,
        }
    }

    /// The same, noting what is said on tapes that others can read.
    pub fn recorded(mut self, recorder: Recorder) -> Self {
        self.recorder = recorder;
        self
    }

    /// Begins a conversation. `purpose` is what messages call it.
    pub async fn talk(&self, info: &Info, purpose: &'static str) -> Result<Talk<'_>, DriverError> {
        let named = Named {
            peer: info.peer(),
            outlet: info.outlet,
            purpose,
        };
        let outbound = &self.settings.outbound;
        let address = outbound.resolve(&info.host, info.port).await;
        let address =
            address.map_err(|error| DriverError::Unreachable(named.failure("GET", error)))?;
        let permit = self.gates.of(&address.to_string()).enter().await;
        let permit = permit.map_err(|error| named.gate("GET", error))?;
        let client = self.client(address, &info.access).await;
        let client =
            client.map_err(|error| DriverError::Environment(named.failure("GET", error)))?;
        let conversation = self.wire.talk(address).await;
        let conversation =
            conversation.map_err(|error| DriverError::Unreachable(named.failure("GET", error)))?;
        Ok(Talk {
            snmp: self,
            is_community: matches!(info.access, Access::Community { .. }),
            conversation,
            client: client.lock_owned().await,
            permit,
            named,
            tape: self.recorder.of(info.node),
        })
    }

    /// What is known about an agent under an access; made where nothing is.
    async fn client(
        &self,
        address: SocketAddr,
        access: &Access,
    ) -> Result<Arc<tokio::sync::Mutex<Client>>, tokio::task::JoinError> {
        let key = (address, access.clone());
        if let Some(client) = self.clients().get(&key) {
            return Ok(Arc::clone(client));
        }
        let access = access.clone();
        // Keys out of passwords take a while on purpose.
        let client = tokio::task::spawn_blocking(|| Client::new(access)).await?;
        let mut clients = self.clients();
        if clients.len() >= MANY && clients.len().is_power_of_two() {
            clients.retain(|_, client| Arc::strong_count(client) > 1);
        }
        let client = clients
            .entry(key)
            .or_insert_with(|| Arc::new(client.into()));
        Ok(Arc::clone(client))
    }

    /// No code panics while it holds the map.
    fn clients(&self) -> std::sync::MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn random() -> u64 {
    // Without randomness the numbers are only predictable; nothing else depends on them.
    getrandom::u64().unwrap_or_default()
}

/// PDU, outlet and purpose, for messages.
#[derive(Debug, Clone)]
struct Named {
    peer: String,
    outlet: u32,
    purpose: &'static str,
}

impl Named {
    fn failure(&self, operation: &str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
        let tried = format!(
            "SNMP operation '{operation}' failed: {} of outlet {} of PDU {}",
            self.purpose, self.outlet, self.peer
        );
        Failure::because(tried, cause)
    }

    fn gate(&self, operation: &str, error: GateError) -> DriverError {
        error.variant()(self.failure(operation, error))
    }
}

/// A conversation with one PDU.
#[derive(Debug)]
pub struct Talk<'a> {
    snmp: &'a Snmp,
    is_community: bool,
    conversation: Conversation,
    client: OwnedMutexGuard<Client>,
    permit: Permit,
    named: Named,
    tape: Tape,
}

impl Talk<'_> {
    /// The value of an object; nothing if the PDU has no such object.
    pub async fn get(&mut self, oid: &Oid) -> Result<Option<Value>, DriverError> {
        let operation = "GET";
        let question = Pdu::ask(PduKind::Get, id(), [oid.clone()]);
        let answer = self.ask(operation, &question).await?;
        match answer.status {
            ErrorStatus::NONE => {}
            ErrorStatus::NO_SUCH_NAME => return Ok(None),
            other => return Err(self.refused(operation, oid, other)),
        }
        match answer.bindings.into_iter().next() {
            Some((name, value)) if name == *oid => Ok(Some(value).filter(|v| !v.is_absent())),
            _ => Err(self.protocol(operation, "the answer is about another object")),
        }
    }

    /// Writes an object.
    pub async fn set(&mut self, oid: &Oid, value: Value) -> Result<(), DriverError> {
        let operation = "SET";
        let question = Pdu::set(id(), oid.clone(), value);
        let answer = self.ask(operation, &question).await?;
        match answer.status {
            ErrorStatus::NONE => Ok(()),
            other => Err(self.refused(operation, oid, other)),
        }
    }

    fn refused(&self, operation: &str, oid: &Oid, status: ErrorStatus) -> DriverError {
        let cause = format!("it answered {status} for {oid}");
        variant(status)(self.named.failure(operation, cause))
    }

    /// What the PDU answers cannot be of a PDU of its kind.
    pub fn protocol(&self, operation: &str, cause: &str) -> DriverError {
        DriverError::Protocol(self.named.failure(operation, cause))
    }

    /// The PDU does not have what the operation is about.
    pub fn rejected(&self, operation: &str, cause: &str) -> DriverError {
        DriverError::Rejected(self.named.failure(operation, cause))
    }

    async fn ask(&mut self, operation: &str, question: &Pdu) -> Result<Pdu, DriverError> {
        let began = Instant::now();
        let answer = self.exchange(operation, question).await;
        if self.tape.is_running() {
            let exchange = Exchange {
                peer: self.named.peer.clone(),
                operation: self.named.purpose.into(),
                question: Question::Snmp(noted(question)),
                answer: answer.as_ref().ok().map(|pdu| Answer::Snmp(noted(pdu))),
                failure: answer
                    .as_ref()
                    .err()
                    .map(|error| types::error::chain(error)),
            };
            self.tape.note(exchange, began.elapsed());
        }
        answer
    }

    async fn exchange(&mut self, operation: &str, question: &Pdu) -> Result<Pdu, DriverError> {
        let settings = &self.snmp.settings;
        let (mut sent, mut restarts) = (0, 0);
        loop {
            let salt = self.snmp.salt.fetch_add(1, Ordering::Relaxed);
            let datagram = self.client.ask(question, self.now(), salt);
            let network = self.conversation.send(&datagram).await;
            network
                .map_err(|error| DriverError::Unreachable(self.named.failure(operation, error)))?;
            sent += 1;
            let (permit, named) = (&self.permit, self.named.clone());
            let heard = permit
                .within(hear(
                    &mut self.conversation,
                    &mut self.client,
                    question,
                    self.snmp.started,
                    settings.timeout,
                ))
                .await;
            let heard = heard.map_err(|error| named.gate(operation, error))?;
            match heard {
                Some(ResponseVerdict::Answer(pdu)) => {
                    self.permit.heard();
                    return Ok(pdu);
                }
                Some(ResponseVerdict::Refused(refusal)) => {
                    self.permit.heard();
                    self.client.forget();
                    return Err(DriverError::Refused(self.named.failure(operation, refusal)));
                }
                Some(ResponseVerdict::SendAgain) => {
                    restarts += 1;
                    sent = 0;
                    if restarts > RESTARTS {
                        self.client.forget();
                        let cause = "its engine or its clock is another one each time";
                        return Err(self.protocol(operation, cause));
                    }
                }
                Some(ResponseVerdict::Ignored(noise @ IgnoreReason::Decode(_)))
                    if sent > settings.retries =>
                {
                    self.client.forget();
                    self.permit.heard();
                    return Err(DriverError::Protocol(self.named.failure(operation, noise)));
                }
                Some(ResponseVerdict::Ignored(_)) | None if sent > settings.retries => {
                    self.client.forget();
                    return Err(self.silent(operation, sent));
                }
                Some(ResponseVerdict::Ignored(_)) | None => {}
            }
        }
    }

    fn now(&self) -> u64 {
        self.snmp.started.elapsed().as_secs()
    }

    fn silent(&self, operation: &str, sent: u32) -> DriverError {
        let waited = self.snmp.settings.timeout.saturating_mul(sent);
        let hint = if self.is_community {
            "; it may be off, or not accept the community"
        } else {
            ""
        };
        let mut cause = format!("no answer within {:.1} s{hint}", waited.as_secs_f64());
        if let Err(error) = self.permit.silent() {
            tracing::warn!(pdu = self.named.peer, %error, "a PDU does not answer");
            cause = format!("{cause}; {error}");
        }
        DriverError::Unreachable(self.named.failure(operation, cause))
    }
}

/// A message as the flight recorder keeps it: what tells who asks is not in a PDU.
fn noted(pdu: &Pdu) -> SnmpMessage {
    let kind = match (pdu.kind, pdu.status) {
        (PduKind::Get, _) => "get".into(),
        (PduKind::GetNext, _) => "get next".into(),
        (PduKind::Set, _) => "set".into(),
        (_, ErrorStatus::NONE) => "response".into(),
        (_, status) => status.to_string().into(),
    };
    let variables = pdu.bindings.iter().map(|(name, value)| match value {
        Value::Null => (name.to_string(), String::new()),
        value => (name.to_string(), value.to_string()),
    });
    SnmpMessage {
        kind,
        variables: variables.collect(),
    }
}

/// What an error of an agent means for whoever asked.
fn variant(status: ErrorStatus) -> Variant {
    match status {
        ErrorStatus::NO_ACCESS
        | ErrorStatus::AUTHORIZATION
        | ErrorStatus::NOT_WRITABLE
        | ErrorStatus::READ_ONLY => DriverError::Refused,
        // resourceUnavailable, RFC 3416 §3.
        ErrorStatus(13) => DriverError::Busy,
        _ => DriverError::Rejected,
    }
}

/// What the first datagram that says something says; if none does in time, what was wrong with the
/// last one, or nothing.
async fn hear(
    conversation: &mut Conversation,
    client: &mut Client,
    question: &Pdu,
    started: Instant,
    limit: Duration,
) -> Option<ResponseVerdict> {
    let mut last = None;
    let listen = async {
        loop {
            let datagram = conversation.receive().await;
            match client.hear(question, &datagram, started.elapsed().as_secs()) {
                ResponseVerdict::Ignored(noise) => {
                    tracing::debug!(%noise, "not the answer of a PDU");
                    last = Some(ResponseVerdict::Ignored(noise));
                }
                heard => return heard,
            }
        }
    };
    match tokio::time::timeout(limit, listen).await {
        Ok(heard) => Some(heard),
        Err(_) => last,
    }
}

/// The id of a question: hard to guess, never negative, never zero.
fn id() -> i32 {
    i32::try_from(random() >> 33).unwrap_or(0).max(1)
}

#[cfg(test)]
mod tests;
