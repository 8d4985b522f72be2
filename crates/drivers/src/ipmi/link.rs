//! One BMC: its session, and questions asked through it.
//!
//! A link has one conversation at a time. The session is kept for a while after a question, because
//! the next one often follows, and is closed properly when it does not: BMCs have room for few. A
//! session that the BMC has forgotten (it restarted, or somebody else needed the room) shows by
//! silence; then a new one is opened, once.

use super::{
    scribe::Scribe,
    wire::{Conversation, Wire},
};
use crate::{DriverError, error::Variant};
use proto::ipmi::{
    client::{Credentials, Login, LoginError, Nonce, Step, Version},
    command::device,
    handshake::Status,
    message::{Bridged, Completion, Message, Request, Route, SEND_MESSAGE, bridged_answer},
    packet::PayloadType,
    session::Session,
    suite::Suite,
};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout_at},
};

/// Where a BMC is and how to log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    pub address: SocketAddr,
    pub credentials: Credentials,
    /// What to try, in this order. The first that the BMC accepts is remembered.
    pub versions: Vec<Version>,
}

/// Why a question has no answer. The texts do not name the BMC: whoever tells them does, once.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("the BMC did not answer {question} (asked {times} times)")]
    Silent {
        peer: SocketAddr,
        question: &'static str,
        times: u32,
    },
    #[error(
        "no session with the BMC, which did not answer {question} (asked {times} times): it may not know the user"
    )]
    Mute {
        peer: SocketAddr,
        question: &'static str,
        times: u32,
    },
    #[error("no session with the BMC")]
    Login {
        peer: SocketAddr,
        source: LoginError,
    },
    #[error("the BMC answered: {code}")]
    Refused { peer: SocketAddr, code: Completion },
    #[error("the BMC answered nonsense")]
    Nonsense {
        peer: SocketAddr,
        source: proto::ipmi::DecodeError,
    },
    #[error("the network to the BMC")]
    Network { peer: SocketAddr, source: io::Error },
}

/// What a completion code that is no success means for whoever asked.
pub fn variant(code: Completion) -> Variant {
    match code {
        code if code.is_passing() => DriverError::Busy,
        Completion::PRIVILEGE => DriverError::Refused,
        _ => DriverError::Rejected,
    }
}

/// What a login that failed means for whoever wanted a session.
fn login_variant(error: &LoginError) -> Variant {
    match error {
        LoginError::Refused(Status::NO_RESOURCES | Status::NO_RESOURCES_FOR_ROLE) => {
            DriverError::Busy
        }
        LoginError::Refused(
            Status::INVALID_SESSION
            | Status::INVALID_AUTHENTICATION
            | Status::INVALID_INTEGRITY
            | Status::INVALID_CONFIDENTIALITY
            | Status::NO_SUITE,
        )
        | LoginError::Downgraded
        | LoginError::NoVersion20
        | LoginError::NoAuthentication => DriverError::Protocol,
        LoginError::Failed(code, _) => variant(*code),
        LoginError::Refused(_)
        | LoginError::WrongPassword
        | LoginError::WrongBmcKey
        | LoginError::Privilege(_) => DriverError::Refused,
    }
}

impl LinkError {
    /// What it means for whoever asked.
    pub fn variant(&self) -> Variant {
        match self {
            Self::Silent { .. } | Self::Network { .. } => DriverError::Unreachable,
            // It answered before it was told who asks.
            Self::Mute { .. } => DriverError::Refused,
            Self::Login { source, .. } => login_variant(source),
            Self::Refused { code, .. } => variant(*code),
            Self::Nonsense { .. } => DriverError::Protocol,
        }
    }

    /// Whether the same question may be answered a moment later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Silent { .. } | Self::Network { .. } => true,
            Self::Login {
                source: LoginError::Refused(Status::NO_RESOURCES | Status::NO_RESOURCES_FOR_ROLE),
                ..
            } => true,
            Self::Login {
                source: LoginError::Failed(code, _),
                ..
            }
            | Self::Refused { code, .. } => code.is_passing(),
            Self::Mute { .. } | Self::Login { .. } | Self::Nonsense { .. } => false,
        }
    }
}

/// How patient a link is.
#[derive(Debug, Clone)]
pub struct Patience {
    /// How long the first wait for an answer is; each next one is as much longer.
    pub first_wait: Duration,
    /// How often a datagram is sent before the BMC counts as silent.
    pub tries: u32,
    /// How long an idle session is kept.
    pub keep: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_secs(1),
            tries: 4,
            keep: Duration::from_secs(15),
        }
    }
}

/// One BMC.
#[derive(Debug)]
pub struct Link {
    peer: Peer,
    patience: Patience,
    wire: Arc<Wire>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    live: Option<Live>,
    /// Which of the versions the BMC has accepted.
    accepted: Option<Version>,
}

/// An open session, and what is needed to use it.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) conversation: Conversation,
    pub(super) session: Session,
    pub(super) sequence: u8,
    used: Instant,
}

impl Live {
    pub(super) fn begun(conversation: Conversation, session: Session) -> Self {
        Self {
            conversation,
            session,
            sequence: 0,
            used: Instant::now(),
        }
    }
}

/// Bytes that nobody can guess.
pub(super) fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

impl Link {
    pub fn new(wire: Arc<Wire>, peer: Peer, patience: Patience) -> Self {
        Self {
            peer,
            patience,
            wire,
            state: Mutex::default(),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.peer.address
    }

    /// Whether the link leads where it should, with the credentials that it should have.
    pub fn is_to(&self, peer: &Peer) -> bool {
        self.peer == *peer
    }

    /// The data of the answer, if the BMC, or the controller that the way leads to, did what it was
    /// asked.
    pub async fn ask(
        &self,
        scribe: &Scribe,
        route: &Route,
        request: &Request,
    ) -> Result<Vec<u8>, LinkError> {
        let (code, data) = self.try_ask(scribe, route, request).await?;
        match code {
            Completion::OK => Ok(data),
            code => Err(LinkError::Refused {
                peer: self.peer.address,
                code,
            }),
        }
    }

    /// The answer, whatever its completion code.
    pub async fn try_ask(
        &self,
        scribe: &Scribe,
        route: &Route,
        request: &Request,
    ) -> Result<(Completion, Vec<u8>), LinkError> {
        let mut state = self.state.lock().await;
        let kept = state.live.take().filter(|live| !self.is_stale(live));
        let is_fresh = kept.is_none();
        let live = match kept {
            Some(live) => live,
            None => self.log_in(scribe, &mut state.accepted).await?,
        };
        match self.exchange(scribe, live, route, request).await {
            Ok((live, answer)) => {
                state.live = Some(live);
                Ok(answer)
            }
            // The BMC may have forgotten the session; a fresh one tells.
            Err(LinkError::Silent { .. }) if !is_fresh => {
                let live = self.log_in(scribe, &mut state.accepted).await?;
                let (live, answer) = self.exchange(scribe, live, route, request).await?;
                state.live = Some(live);
                Ok(answer)
            }
            Err(error) => Err(error),
        }
    }

    /// As [`Link::try_ask`], for what must not happen twice: a session that may be gone is tried with
    /// a harmless question first, so that silence afterwards is never answered by asking again in
    /// another session.
    pub async fn try_ask_once(
        &self,
        scribe: &Scribe,
        route: &Route,
        request: &Request,
    ) -> Result<(Completion, Vec<u8>), LinkError> {
        let mut state = self.state.lock().await;
        let kept = state.live.take().filter(|live| !self.is_stale(live));
        let proven = match kept {
            Some(live) => match self
                .exchange(scribe, live, &Route::Direct, &device::id())
                .await
            {
                Ok((live, _)) => Some(live),
                Err(LinkError::Silent { .. }) => None,
                Err(error) => return Err(error),
            },
            None => None,
        };
        let live = match proven {
            Some(live) => live,
            None => self.log_in(scribe, &mut state.accepted).await?,
        };
        let (live, answer) = self.exchange(scribe, live, route, request).await?;
        state.live = Some(live);
        Ok(answer)
    }

    fn is_stale(&self, live: &Live) -> bool {
        live.used.elapsed() > self.patience.keep
    }

    /// Closes the session if nobody has needed it for a while. Returns whether there is none left.
    pub async fn let_go(&self) -> bool {
        // Somebody is talking right now.
        let Ok(mut state) = self.state.try_lock() else {
            return false;
        };
        match state.live.take() {
            None => true,
            Some(live) if self.is_stale(&live) => {
                self.close(live).await;
                true
            }
            Some(live) => {
                state.live = Some(live);
                false
            }
        }
    }

    /// Ends the session now.
    pub async fn hang_up(&self) {
        let live = self.state.lock().await.live.take();
        if let Some(live) = live {
            self.close(live).await;
        }
    }

    /// A new session, which the link does not keep.
    pub(super) async fn open(&self, scribe: &Scribe) -> Result<Live, LinkError> {
        self.log_in(scribe, &mut None).await
    }

    /// Best effort: a BMC that does not hear it ends the session by itself after a minute.
    pub(super) async fn close(&self, mut live: Live) {
        let id = match &live.session {
            Session::V15(session) => session.id,
            Session::V20(session) => session.theirs,
        };
        let message = Route::Direct.envelope(&device::close_session(id), live.sequence);
        if let Ok(iv) = random() {
            let datagram = live.session.seal(&message, iv);
            let _ = live.conversation.send(&datagram).await;
        }
    }

    async fn log_in(
        &self,
        scribe: &Scribe,
        accepted: &mut Option<Version>,
    ) -> Result<Live, LinkError> {
        if let Some(version) = *accepted {
            return self.log_in_by(scribe, version).await;
        }
        let mut versions = self.peer.versions.iter().copied().peekable();
        while let Some(version) = versions.next() {
            match self.log_in_by(scribe, version).await {
                Ok(live) => {
                    *accepted = Some(version);
                    return Ok(live);
                }
                Err(LinkError::Login { source, .. })
                    if versions.peek().is_some() && is_about_version(source) => {}
                Err(error) => return Err(error),
            }
        }
        Err(LinkError::Login {
            peer: self.peer.address,
            source: LoginError::NoAuthentication,
        })
    }

    async fn log_in_by(&self, scribe: &Scribe, version: Version) -> Result<Live, LinkError> {
        let peer = self.peer.address;
        let network = |source| LinkError::Network { peer, source };
        let nonce = nonce().map_err(network)?;
        let conversation = self.wire.talk(peer).await.map_err(network)?;
        let (mut login, first) = Login::start(self.peer.credentials.clone(), version, nonce);
        let began = Instant::now();
        let mut phase = login.waiting_for();
        let outcome = self.walk(&mut login, first, conversation, &mut phase).await;
        let noted = outcome.as_ref().map(|_| ()).map_err(|error| (error, phase));
        scribe.login(began, &self.peer, version, noted);
        outcome
    }

    /// Goes through the steps of a login. `phase` is the last thing that was sent.
    async fn walk(
        &self,
        login: &mut Login,
        mut datagram: Vec<u8>,
        mut conversation: Conversation,
        phase: &mut &'static str,
    ) -> Result<Live, LinkError> {
        let peer = self.peer.address;
        let network = |source| LinkError::Network { peer, source };
        loop {
            *phase = login.waiting_for();
            let mut times = 0;
            let step = loop {
                if times == self.patience.tries {
                    let question = login.waiting_for();
                    return Err(if login.has_named_user() {
                        LinkError::Mute {
                            peer,
                            question,
                            times,
                        }
                    } else {
                        LinkError::Silent {
                            peer,
                            question,
                            times,
                        }
                    });
                }
                times += 1;
                conversation.send(&datagram).await.map_err(network)?;
                let until = Instant::now() + self.patience.first_wait * times;
                if let Some(step) = next_step(login, &mut conversation, until, peer).await? {
                    break step;
                }
                datagram = login.repeat(random().map_err(network)?);
            };
            match step {
                Step::Send(next) => datagram = next,
                Step::Done(session) => return Ok(Live::begun(conversation, session)),
                Step::Ignore => {}
            }
        }
    }

    /// Asks within a session. After an error the session is of no more use.
    pub(super) async fn exchange(
        &self,
        scribe: &Scribe,
        mut live: Live,
        route: &Route,
        request: &Request,
    ) -> Result<(Live, (Completion, Vec<u8>)), LinkError> {
        let began = Instant::now();
        let answer = self.send_and_wait(&mut live, route, request).await;
        scribe.message(began, route, request, answer.as_ref());
        Ok((live, answer?))
    }

    async fn send_and_wait(
        &self,
        live: &mut Live,
        route: &Route,
        request: &Request,
    ) -> Result<(Completion, Vec<u8>), LinkError> {
        let peer = self.peer.address;
        let network = |source| LinkError::Network { peer, source };
        live.sequence = (live.sequence + 1) & 0x3f;
        let message = route.envelope(request, live.sequence);
        for times in 1..=self.patience.tries {
            // Sealed anew each time: a repeated packet would be dropped as such. The number inside
            // stays, by which the BMC knows a repeated question.
            let iv = random().map_err(network)?;
            let datagram = live.session.seal(&message, iv);
            live.conversation.send(&datagram).await.map_err(network)?;
            let until = Instant::now() + self.patience.first_wait * times;
            while let Ok(datagram) = timeout_at(until, live.conversation.receive()).await {
                let opened = live.session.open(&datagram);
                let Ok((PayloadType::Ipmi, payload)) = opened else {
                    continue;
                };
                if let Some(answer) = self.answer_in(&payload, route, request, live.sequence)? {
                    live.used = Instant::now();
                    return Ok(answer);
                }
            }
        }
        Err(LinkError::Silent {
            peer,
            question: "a request",
            times: self.patience.tries,
        })
    }

    /// The answer in a message, or nothing when it is another one's or still to come.
    fn answer_in(
        &self,
        payload: &[u8],
        route: &Route,
        request: &Request,
        sequence: u8,
    ) -> Result<Option<(Completion, Vec<u8>)>, LinkError> {
        let peer = self.peer.address;
        let nonsense = |source| LinkError::Nonsense { peer, source };
        let Ok(message) = Message::decode(payload) else {
            return Ok(None);
        };
        if message.sequence != sequence {
            return Ok(None);
        }
        let is_bridge = *route != Route::Direct && message.command == SEND_MESSAGE;
        if is_bridge && request.command != SEND_MESSAGE {
            return Ok(match bridged_answer(&message).map_err(nonsense)? {
                Bridged::Forwarded => None,
                Bridged::Refused(code) => Some((code, Vec::new())),
                Bridged::Answered(code, data) => Some((code, data)),
            });
        }
        if message.command != request.command {
            return Ok(None);
        }
        let (code, data) = message.answer().map_err(nonsense)?;
        Ok(Some((code, data.to_vec())))
    }
}

fn nonce() -> io::Result<Nonce> {
    Ok(Nonce {
        // Zero means "no session".
        session: u32::from_le_bytes(random()?) | 1,
        random: random()?,
        tag: random::<1>()?[0],
        iv: random()?,
    })
}

/// The next step of a login, or nothing when the time is over.
async fn next_step(
    login: &mut Login,
    conversation: &mut Conversation,
    until: Instant,
    peer: SocketAddr,
) -> Result<Option<Step>, LinkError> {
    while let Ok(datagram) = timeout_at(until, conversation.receive()).await {
        let step = login
            .receive(&datagram)
            .map_err(|source| LinkError::Login { peer, source })?;
        if !matches!(step, Step::Ignore) {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

/// Whether another version or cipher suite may do better.
fn is_about_version(error: LoginError) -> bool {
    matches!(
        error,
        LoginError::Refused(
            Status::NO_SUITE
                | Status::INVALID_AUTHENTICATION
                | Status::INVALID_INTEGRITY
                | Status::INVALID_CONFIDENTIALITY
        ) | LoginError::Downgraded
            | LoginError::NoVersion20
    )
}

/// The suites that are tried when the operator names none: the strongest first.
pub fn usual_versions() -> Vec<Version> {
    [17, 3]
        .into_iter()
        .filter_map(Suite::of_id)
        .map(Version::V20)
        .collect()
}
