//! Talking to a node's BMC: the gate, the address, the link, and the rule for retries.
//!
//! A talk holds the gate, so its questions are not mixed with anybody else's. A question that the
//! BMC cannot answer for the moment (it is busy, has no room for a session, does not answer) is
//! asked again for a while; one that it refuses is not, since asking again would only lock the
//! account or load the BMC. Every failure says which BMC, which operation and why.

use super::{
    Info, IpmiSettings,
    link::{self, Link, LinkError, Patience, Peer},
    links::Links,
    scribe::Scribe,
};
use crate::{
    DriverError, Failure,
    gate::{GateError, GateSettings, Gates, Permit},
    iface::Machine,
    recorder::Recorder,
};
use proto::ipmi::{
    DecodeError,
    message::{Completion, Request},
};
use std::{error::Error, io, net::SocketAddr, sync::Arc};
use tokio::time::Instant;
use tracing::Instrument;

/// What all interfaces of IPMI hardware share.
#[derive(Debug)]
pub struct Ipmi {
    pub settings: IpmiSettings,
    links: Links,
    gates: Gates,
    recorder: Recorder,
}

/// Whether a request may be sent again when nobody knows if it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    Yes,
    /// Doing it twice is worse than not knowing.
    No,
}

impl Ipmi {
    pub fn new(settings: IpmiSettings) -> Self {
        let patience = Patience {
            first_wait: settings.first_wait,
            tries: settings.tries,
            ..Patience::default()
        };
        // A whole retry must fit, and the wait for somebody else's.
        let gate = GateSettings {
            deadline: settings.gate.deadline.max(settings.retry_for * 2),
            ..settings.gate.clone()
        };
        Self {
            links: Links::new(patience),
            gates: Gates::new(gate),
            recorder: Recorder::default(),
            settings,
        }
    }

    /// The same, noting what is said on tapes that others can read.
    pub fn recorded(mut self, recorder: Recorder) -> Self {
        self.recorder = recorder;
        self
    }

    /// Who writes down what is said to a BMC.
    pub fn scribe(&self, info: &Info, operation: &'static str) -> Scribe {
        let credentials = &info.credentials;
        let secrets = [&credentials.password, &credentials.bmc_key];
        let tape = self.recorder.of(info.node);
        let tape = tape.hiding(secrets.map(|key| key.as_bytes()));
        Scribe::new(tape, &info.peer(), operation)
    }

    /// What the node says about its BMC.
    pub fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        Info::of(machine.node, machine.driver_info, &self.settings)
    }

    /// Begins a conversation. `operation` is what messages call it.
    pub async fn talk(
        &self,
        info: &Info,
        operation: &'static str,
    ) -> Result<Talk<'_>, DriverError> {
        let named = Named {
            operation,
            peer: info.peer(),
        };
        let permit = self.gates.of(&named.peer).enter().await;
        let permit = permit.map_err(|error| named.gate(error))?;
        let address = self.resolve(info).await;
        let address = address.map_err(|error| named.unreachable(error))?;
        let peer = peer(info, address);
        Ok(Talk {
            ipmi: self,
            link: self.links.of(&peer),
            route: info.route,
            permit,
            scribe: self.scribe(info, operation),
            named,
        })
    }

    /// A link of its own to a BMC, which shares nothing with the talks.
    pub async fn apart(
        &self,
        info: &Info,
        operation: &'static str,
    ) -> Result<(Link, Named), DriverError> {
        let named = Named {
            operation,
            peer: info.peer(),
        };
        let address = self.resolve(info).await;
        let address = address.map_err(|error| named.unreachable(error))?;
        Ok((self.links.apart(&peer(info, address)), named))
    }

    /// Opens a session that nobody else uses, and closes it. It is tried once.
    pub async fn open_and_close(
        &self,
        info: &Info,
        operation: &'static str,
    ) -> Result<(), DriverError> {
        let (link, named) = self.apart(info, operation).await?;
        let scribe = self.scribe(info, operation);
        let permit = self.gates.of(&named.peer).enter().await;
        let permit = permit.map_err(|error| named.gate(error))?;
        let opened = permit.within(link.open(&scribe)).await;
        match opened.map_err(|error| named.gate(error))? {
            Ok(live) => {
                permit.heard();
                link.close(live).await;
                Ok(())
            }
            Err(error @ (LinkError::Silent { .. } | LinkError::Network { .. })) => {
                if let Err(rest) = permit.silent() {
                    tracing::warn!(bmc = named.peer, error = %rest, "a BMC does not answer");
                }
                Err(named.failed(error))
            }
            Err(error) => {
                permit.heard();
                Err(named.failed(error))
            }
        }
    }

    async fn resolve(&self, info: &Info) -> std::io::Result<SocketAddr> {
        self.settings.outbound.resolve(&info.host, info.port).await
    }
}

fn peer(info: &Info, address: SocketAddr) -> Peer {
    Peer {
        address,
        credentials: info.credentials.clone(),
        versions: info.versions.clone(),
    }
}

/// Operation and BMC, for messages.
#[derive(Debug, Clone)]
pub struct Named {
    operation: &'static str,
    peer: String,
}

impl Named {
    pub fn failed(&self, error: LinkError) -> DriverError {
        error.variant()(self.failure(error))
    }

    /// The BMC answered with something else than success.
    pub fn answered(&self, what: &str, code: Completion) -> DriverError {
        link::variant(code)(self.failure(format!("{what}: {code}")))
    }

    fn failure(&self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
        let tried = format!("IPMI call failed: {}. BMC {}", self.operation, self.peer);
        Failure::because(tried, cause)
    }

    fn gate(&self, error: GateError) -> DriverError {
        error.variant()(self.failure(error))
    }

    fn unreachable(&self, error: io::Error) -> DriverError {
        DriverError::Unreachable(self.failure(error))
    }
}

/// A conversation with one BMC.
#[derive(Debug)]
pub struct Talk<'a> {
    ipmi: &'a Ipmi,
    link: Arc<Link>,
    route: proto::ipmi::message::Route,
    permit: Permit,
    named: Named,
    scribe: Scribe,
}

impl Talk<'_> {
    /// The data of the answer, if the BMC did what it was asked.
    pub async fn ask(&self, request: &Request) -> Result<Vec<u8>, DriverError> {
        let (code, data) = self.try_ask(request, Again::Yes).await?;
        self.accept(code, data)
    }

    /// As [`Talk::ask`], for what must not happen twice.
    pub async fn ask_once(&self, request: &Request) -> Result<Vec<u8>, DriverError> {
        let (code, data) = self.try_ask(request, Again::No).await?;
        self.accept(code, data)
    }

    fn accept(&self, code: Completion, data: Vec<u8>) -> Result<Vec<u8>, DriverError> {
        match code {
            Completion::OK => Ok(data),
            code => Err(self.answered(code)),
        }
    }

    /// The answer, unless its completion code says that it may be another one in a moment and is so
    /// until the end.
    pub async fn try_ask(
        &self,
        request: &Request,
        again: Again,
    ) -> Result<(Completion, Vec<u8>), DriverError> {
        let until = Instant::now() + self.ipmi.settings.retry_for;
        loop {
            let error = match self.once(request, again).await? {
                Ok((code, _)) if code.is_passing() => LinkError::Refused {
                    peer: self.link.address(),
                    code,
                },
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let is_answer = matches!(error, LinkError::Refused { .. });
            let may_repeat = error.is_passing() && (is_answer || again == Again::Yes);
            let pause = self
                .ipmi
                .settings
                .retry_pause
                .max(self.ipmi.settings.gate.interval);
            if !may_repeat || Instant::now() + pause >= until {
                return Err(self.named.failed(error));
            }
            tracing::debug!(
                bmc = self.named.peer,
                operation = self.named.operation,
                error = types::error::chain(&error),
                "asking a BMC again"
            );
            tokio::time::sleep(pause).await;
        }
    }

    /// One try. The outer error ends the talk.
    async fn once(
        &self,
        request: &Request,
        again: Again,
    ) -> Result<Result<(Completion, Vec<u8>), LinkError>, DriverError> {
        let asked = async {
            match again {
                Again::Yes => self.link.try_ask(&self.scribe, &self.route, request).await,
                Again::No => {
                    self.link
                        .try_ask_once(&self.scribe, &self.route, request)
                        .await
                }
            }
        };
        let span = tracing::debug_span!(
            target: "spans", "ipmi", otel.kind = "client",
            otel.name = format!("ipmi {}", self.named.operation),
            server.address = self.named.peer, otel.error = tracing::field::Empty,
        );
        let answer = self.permit.within(asked).instrument(span.clone()).await;
        let answer = answer.map_err(|error| self.named.gate(error))?;
        if let Err(error) = &answer {
            span.record("otel.error", types::error::chain(error));
        }
        match &answer {
            Err(LinkError::Silent { .. } | LinkError::Network { .. }) => {
                if let Err(error) = self.permit.silent() {
                    tracing::warn!(bmc = self.named.peer, %error, "a BMC does not answer");
                    let silence = answer.err().map(|silence| types::error::chain(&silence));
                    let text = format!("{}; {error}", silence.unwrap_or_default());
                    return Err(DriverError::Unreachable(self.named.failure(text)));
                }
            }
            _ => self.permit.heard(),
        }
        Ok(answer)
    }

    /// Asks, and reads the answer.
    pub async fn read<T>(
        &self,
        request: &Request,
        decode: impl FnOnce(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<T, DriverError> {
        let data = self.ask(request).await?;
        decode(&data).map_err(|error| self.nonsense(error))
    }

    pub fn nonsense(&self, error: DecodeError) -> DriverError {
        let cause = Failure::because("the answer makes no sense", error);
        DriverError::Protocol(self.named.failure(cause))
    }

    /// The BMC answered with something else than success.
    pub fn answered(&self, code: Completion) -> DriverError {
        self.named.answered("the BMC answered", code)
    }

    /// The BMC cannot do what this operation is for.
    pub fn rejected(&self, cause: String) -> DriverError {
        DriverError::Rejected(self.named.failure(cause))
    }

    pub fn peer(&self) -> &str {
        &self.named.peer
    }

    /// Forgets the session, which the BMC is about to do as well.
    pub async fn hang_up(&self) {
        self.link.hang_up().await;
    }
}

#[cfg(test)]
mod tests;
