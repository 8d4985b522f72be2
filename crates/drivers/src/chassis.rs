//! What managers of chassis and BMCs have in common that speak HTTP, but not Redfish.
//!
//! [`ManagerAddress`] is where one is, and [`Talk`] a conversation with it: the gate, one exchange after the
//! other, what each status means, and a note for the flight recorder. Nothing is followed that
//! redirects: passwords go to the host that the node names.

use crate::{
    DriverError, Failure, GateSettings,
    error::Variant,
    gate::{GateError, Gates, Permit},
    iface::Machine,
    recorder::{self, Recorder, Tape},
    redfish::{
        address::Origin,
        info::{Tls, trust},
        wire::{self, Wire, WireError},
    },
};
use outbound::Policy;
use proto::xml;
use reqwest::Method;
use std::{error::Error, time::Duration};
use tls::Trust;
use tokio::time::{Instant, timeout};
use types::{
    pyrepr,
    recording::{Answer, Exchange, HttpAnswer, HttpQuestion, Question},
};

/// How long the last request of a conversation may take.
const FAREWELL: Duration = Duration::from_secs(10);

/// In place of a secret.
pub(crate) const MASK: &str = "******";

/// What operators can set about all of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChassisSettings {
    pub gate: GateSettings,
    /// Where managers may be.
    pub outbound: Policy,
    pub connect_timeout: Duration,
    pub read_timeout: Duration,
    /// Whom to trust where the node does not say.
    pub verify: Option<Trust>,
    /// Whether managers that do not speak TLS are left alone.
    pub require_tls: bool,
    /// How often a machine is looked at that is switched, where no option says.
    pub look_every: Duration,
}

impl Default for ChassisSettings {
    fn default() -> Self {
        Self {
            gate: GateSettings::default(),
            outbound: Policy::default(),
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(60),
            verify: None,
            require_tls: false,
            look_every: Duration::from_secs(1),
        }
    }
}

/// A protocol of such managers.
#[derive(Debug)]
pub(crate) struct ManagerProtocol {
    /// For the flight recorder.
    pub(crate) protocol: &'static str,
    /// The manager, as messages call it.
    pub(crate) noun: &'static str,
    /// The key of `driver_info` with its address.
    pub(crate) address: &'static str,
    /// The key that says whom to trust.
    pub(crate) verify: &'static str,
}

/// Where a manager is.
#[derive(Debug, Clone)]
pub(crate) struct ManagerAddress {
    pub(crate) origin: Origin,
    /// The path that its address ends with, without a slash at the end.
    pub(crate) root: String,
    tls: Tls,
}

/// What all managers of a kind share.
#[derive(Debug)]
pub(crate) struct Managers {
    kind: &'static ManagerProtocol,
    settings: ChassisSettings,
    wire: Wire,
    gates: Gates,
    recorder: Recorder,
}

/// A request.
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    /// Below the root, with its query.
    pub(crate) path: &'a str,
    /// User and password that HTTP carries.
    pub(crate) basic: Option<(&'a str, &'a str)>,
    /// Its type, and the text.
    pub(crate) body: Option<(&'static str, String)>,
    /// What the flight recorder keeps of the body, without what is secret in it.
    pub(crate) noted: Option<String>,
    /// Whether the answer is one that it keeps nothing of.
    pub(crate) is_secret: bool,
    /// Whether it ends something on the other side, so that it is sent even when the time of the
    /// operation is over.
    pub(crate) is_farewell: bool,
}

impl Managers {
    pub(crate) fn new(
        kind: &'static ManagerProtocol,
        settings: &ChassisSettings,
        recorder: &Recorder,
    ) -> Self {
        let wire = Wire::new(
            settings.connect_timeout,
            settings.read_timeout,
            settings.outbound.clone(),
        );
        Self {
            kind,
            wire: wire.with_verify_key(kind.verify),
            gates: Gates::new(settings.gate.clone()),
            settings: settings.clone(),
            recorder: recorder.clone(),
        }
    }

    /// Where the manager of a machine is. That there is an address was checked.
    pub(crate) fn place(&self, machine: &Machine<'_>) -> Result<ManagerAddress, DriverError> {
        let given = machine.driver_info.get(self.kind.address);
        let address = given.map(pyrepr::to_str).unwrap_or_default();
        let node = machine.node.id;
        if address.contains('@') {
            return Err(DriverError::InvalidParameter(format!(
                "driver_info/{} on node {node} must not hold a name or a password; other keys of \
                 driver_info are for these",
                self.kind.address
            )));
        }
        let Some((origin, root)) = Origin::parse(address.trim(), None) else {
            return Err(DriverError::InvalidParameter(format!(
                "{} \"{address}\" of node {node} is not the address of a {}.",
                self.kind.address, self.kind.noun
            )));
        };
        let root = match root.as_str() {
            crate::redfish::address::ROOT => String::new(),
            path => path.trim_end_matches('/').to_owned(),
        };
        self.place_at(machine, origin, root)
    }

    /// The same where other keys of the node say which host it is, and which path.
    pub(crate) fn place_at(
        &self,
        machine: &Machine<'_>,
        origin: Origin,
        root: String,
    ) -> Result<ManagerAddress, DriverError> {
        let node = machine.node.id;
        if self.settings.require_tls && !origin.is_secure() {
            return Err(DriverError::InvalidParameter(format!(
                "driver_info/{} on node {node} is an address without TLS, which [corten]bmc_require_tls forbids",
                self.kind.address
            )));
        }
        let usual = self.settings.verify.as_ref();
        Ok(ManagerAddress {
            origin,
            root,
            tls: Tls {
                verify: trust(node, self.kind.verify, machine.driver_info, usual)?,
                minimum: None,
                ciphers: None,
            },
        })
    }

    /// Begins a conversation. `operation` is what messages call it, machine included.
    pub(crate) async fn talk(
        &self,
        machine: &Machine<'_>,
        place: ManagerAddress,
        operation: String,
        secret: &str,
    ) -> Result<Talk<'_>, DriverError> {
        let peer = place.origin.to_string();
        let named = Named {
            tried: format!("{operation} by {} {peer}", self.kind.noun),
            operation,
        };
        let permit = self.gates.of(&peer).enter().await;
        let permit = permit.map_err(|error| error.variant()(named.failure(error)))?;
        let mut talk = Talk {
            managers: self,
            place,
            permit,
            named,
            tape: self.recorder.of(machine.node.id),
            secrets: Vec::new(),
        };
        talk.hide(secret);
        Ok(talk)
    }
}

#[derive(Debug)]
struct Named {
    operation: String,
    tried: String,
}

impl Named {
    fn failure(&self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
        Failure::because(self.tried.clone(), cause)
    }
}

/// A conversation with a manager.
pub(crate) struct Talk<'m> {
    managers: &'m Managers,
    place: ManagerAddress,
    permit: Permit,
    named: Named,
    tape: Tape,
    secrets: Vec<String>,
}

impl Talk<'_> {
    /// An error of this conversation.
    pub(crate) fn error(
        &self,
        variant: Variant,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> DriverError {
        variant(self.named.failure(cause))
    }

    /// What a manager says, short enough for an error and without the password.
    pub(crate) fn quoted(&self, said: &str) -> String {
        let known = self.secrets.iter().filter(|secret| !secret.is_empty());
        let said = known.fold(said.to_owned(), |said, secret| {
            said.replace(secret.as_str(), MASK)
        });
        proto::driver::plain(&said, 200)
    }

    /// From now on this is not to be read either, wherever it turns up, be it as XML writes it.
    pub(crate) fn hide(&mut self, secret: &str) {
        self.secrets.push(secret.to_owned());
        self.secrets.push(xml::escaped(secret));
        let secrets = self.secrets.iter().map(String::as_bytes);
        self.tape = self.tape.clone().hiding(secrets);
    }

    /// Asks once; the text of a good answer.
    pub(crate) async fn ask(&self, ask: &Ask<'_>) -> Result<String, DriverError> {
        let answer = self.exchange(ask, None).await?;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        match self.complaint(answer.status, &text) {
            Some(error) => Err(error),
            None => Ok(text),
        }
    }

    /// Asks once; `None` where the answer is that there is no such thing.
    pub(crate) async fn find(&self, ask: &Ask<'_>) -> Result<Option<String>, DriverError> {
        let answer = self.exchange(ask, None).await?;
        if answer.status == 404 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        match self.complaint(answer.status, &text) {
            Some(error) => Err(error),
            None => Ok(Some(text)),
        }
    }

    /// Asks once, with an `Authorization` header if there is one; the answer, be it good or bad.
    pub(crate) async fn exchange(
        &self,
        ask: &Ask<'_>,
        authorization: Option<&str>,
    ) -> Result<wire::Answer, DriverError> {
        let path = format!("{}{}", self.place.root, ask.path);
        let noted = ask.noted.as_deref();
        let began = Instant::now();
        let sent = self.managers.wire.other(
            &self.place.origin,
            &self.place.tls,
            &ask.method,
            &path,
            |mut request| {
                if let Some((user, password)) = ask.basic {
                    request = request.basic_auth(user, Some(password));
                }
                if let Some(authorization) = authorization {
                    request = request.header("Authorization", authorization);
                }
                match &ask.body {
                    Some((content_type, body)) => request
                        .header("Content-Type", *content_type)
                        .body(body.clone()),
                    None => request,
                }
            },
        );
        let sent = match ask.is_farewell {
            true => timeout(FAREWELL, sent)
                .await
                .map_err(|_| GateError::Deadline { after: FAREWELL }),
            false => self.permit.within(sent).await,
        };
        let sent = sent.map_err(|error| self.error(error.variant(), error))?;
        let exchange = Exchange {
            peer: self.place.origin.to_string(),
            operation: self.named.operation.clone().into(),
            question: Question::Http(HttpQuestion {
                protocol: Some(self.managers.kind.protocol.into()),
                method: ask.method.to_string().into(),
                path,
                headers: Vec::new(),
                body: noted.and_then(|noted| recorder::body(noted.as_bytes())),
            }),
            answer: sent.as_ref().ok().map(|answer| {
                Answer::Http(HttpAnswer {
                    status: answer.status,
                    headers: Vec::new(),
                    body: recorder::body(&answer.body).filter(|_| !ask.is_secret),
                })
            }),
            failure: sent.as_ref().err().map(ToString::to_string),
        };
        self.tape.note(exchange, began.elapsed());
        match sent {
            Ok(answer) => {
                self.permit.heard();
                Ok(answer)
            }
            Err(error) => {
                if matches!(error, WireError::Wrong(_)) {
                    self.permit.heard();
                } else if let Err(rest) = self.permit.silent() {
                    let text = format!("{error}; {rest}");
                    tracing::warn!(manager = %self.place.origin, error = text, "a manager does not answer");
                    return Err(self.error(DriverError::Unreachable, text));
                }
                Err(self.error(error.variant(), error))
            }
        }
    }

    /// What is wrong with an answer, as far as its status tells.
    pub(crate) fn complaint(&self, status: u16, text: &str) -> Option<DriverError> {
        let variant: Variant = match status {
            200..=299 => return None,
            300..=399 => {
                let text = format!("it redirects elsewhere (HTTP {status}), which is not followed");
                return Some(self.error(DriverError::Protocol, text));
            }
            401 | 403 => DriverError::Refused,
            503 => DriverError::Busy,
            _ => DriverError::Rejected,
        };
        let text = match self.quoted(text).as_str() {
            "" => format!("it answers HTTP {status}"),
            said => format!("it answers HTTP {status}: {said}"),
        };
        Some(self.error(variant, text))
    }
}
