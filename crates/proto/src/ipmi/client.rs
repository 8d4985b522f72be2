//! The console's side of opening a session, as a state machine without a socket.
//!
//! The owner of the socket sends what each [`Step`] says, retransmits after a timeout
//! ([`Login::repeat`]), and decides when to give up. A datagram that does not belong to the
//! exchange changes nothing: anybody can send one.

use super::{
    Privilege,
    command::channel::{
        ACTIVATE_SESSION as ACTIVATE, ASK_FOR_V20, GET_CAPABILITIES, GET_CHALLENGE,
        PER_MESSAGE_DISABLED, SET_PRIVILEGE, THIS_CHANNEL,
    },
    crypto::{self, Key},
    handshake::{
        Exchange, NAME_ONLY, OpenRequest, OpenResponse, Opened, Rakp1, Rakp2, Rakp3, Rakp4, Status,
        UserName,
    },
    message::{Completion, Message, NetFn, Request, Route},
    packet::{Packet, PayloadType, V15Auth, V20},
    session::{self, Session, V15Session, V20Session},
    suite::Suite,
};

/// The user who logs in, and the secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: UserName,
    pub password: Key,
    /// K_g; empty where the BMC has none.
    pub bmc_key: Key,
    pub privilege: Privilege,
}

/// The version of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V15,
    V20(Suite),
}

/// Random values, which must be different for each login.
#[derive(Debug, Clone, Copy)]
pub struct Nonce {
    pub session: u32,
    pub random: [u8; 16],
    pub tag: u8,
    pub iv: [u8; 16],
}

/// Why there is no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    #[error("the BMC refused: {0}")]
    Refused(Status),
    #[error("the BMC answered {0} to {1}")]
    Failed(Completion, &'static str),
    #[error("the user name or the password is wrong")]
    WrongPassword,
    #[error("the BMC key (K_g) is wrong")]
    WrongBmcKey,
    #[error("the BMC chose other algorithms than those asked for")]
    Downgraded,
    #[error("the BMC does not speak IPMI 2.0")]
    NoVersion20,
    #[error("the BMC offers no way of authentication that we have")]
    NoAuthentication,
    #[error("the BMC grants no more than privilege level {0}")]
    Privilege(u8),
}

/// What to do next.
#[derive(Debug)]
pub enum Step {
    /// The datagram does not belong to this exchange.
    Ignore,
    Send(Vec<u8>),
    Done(Session),
}

#[derive(Debug)]
enum State {
    Capabilities,
    Opening,
    Proving {
        opened: Opened,
    },
    Checking(Box<Exchange>),
    /// Version 1.5: waiting for the challenge.
    Challenge {
        auth: V15Auth,
    },
    Activating {
        auth: V15Auth,
        temporary: u32,
    },
    /// The session is open; this message raises its privilege level.
    Raising {
        session: Box<Session>,
        message: Vec<u8>,
    },
    Ended,
}

/// A login in progress.
#[derive(Debug)]
pub struct Login {
    credentials: Credentials,
    version: Version,
    nonce: Nonce,
    state: State,
    last: Vec<u8>,
    sequence: u8,
    /// Version 1.5: the BMC said that it puts no AuthCode on the packets of a session.
    is_per_message_disabled: bool,
}

impl Login {
    /// The state machine, and the first datagram to send.
    pub fn start(credentials: Credentials, version: Version, nonce: Nonce) -> (Self, Vec<u8>) {
        let mut login = Self {
            credentials,
            version,
            nonce,
            state: State::Capabilities,
            last: Vec::new(),
            sequence: 0,
            is_per_message_disabled: false,
        };
        let first = login.ask_capabilities();
        login.last.clone_from(&first);
        (login, first)
    }

    /// The datagram to retransmit after a timeout. `iv` must be random.
    pub fn repeat(&mut self, iv: [u8; 16]) -> Vec<u8> {
        match &mut self.state {
            // Inside the session a retransmission needs a new sequence number: the BMC drops a
            // number that it has seen as a replay.
            State::Raising { session, message } => session.seal(message, iv),
            _ => self.last.clone(),
        }
    }

    /// The name of the last request, for error messages about a timeout.
    pub fn waiting_for(&self) -> &'static str {
        match self.state {
            State::Capabilities => "Get Channel Authentication Capabilities",
            State::Opening => "Open Session",
            State::Proving { .. } => "RAKP message 1",
            State::Checking(_) => "RAKP message 3",
            State::Challenge { .. } => "Get Session Challenge",
            State::Activating { .. } => "Activate Session",
            State::Raising { .. } => "Set Session Privilege Level",
            State::Ended => "nothing",
        }
    }

    /// Whether the last request named the user. A timeout here means a wrong user name on some
    /// BMCs: they answered so far, but do not answer RAKP Message 1 of a user that they do not
    /// know.
    pub fn has_named_user(&self) -> bool {
        matches!(self.state, State::Proving { .. })
    }

    /// Takes a datagram in. After an error the login has ended.
    pub fn receive(&mut self, datagram: &[u8]) -> Result<Step, LoginError> {
        let step = match std::mem::replace(&mut self.state, State::Ended) {
            State::Capabilities => self.on_capabilities(datagram),
            State::Opening => self.on_opened(datagram),
            State::Proving { opened } => self.on_proof(opened, datagram),
            State::Checking(exchange) => self.on_check(exchange, datagram),
            State::Challenge { auth } => self.on_challenge(auth, datagram),
            State::Activating { auth, temporary } => self.on_active(auth, temporary, datagram),
            State::Raising { session, message } => self.on_raised(session, message, datagram),
            State::Ended => Ok(Step::Ignore),
        }?;
        if let Step::Send(bytes) = &step {
            self.last.clone_from(bytes);
        }
        Ok(step)
    }

    /// Stays in the state, because the datagram does not belong to it.
    fn stay(&mut self, state: State) -> Result<Step, LoginError> {
        self.state = state;
        Ok(Step::Ignore)
    }

    /// A request outside any session.
    fn bare(&mut self, command: u8, data: &[u8]) -> Vec<u8> {
        self.sequence = (self.sequence + 1) & 0x3f;
        let request = Request::new(NetFn::APP, command, data);
        Route::Direct.envelope(&request, self.sequence)
    }

    fn ask_capabilities(&mut self) -> Vec<u8> {
        let wanted = match self.version {
            Version::V15 => 0,
            Version::V20(_) => ASK_FOR_V20,
        };
        let data = [wanted | THIS_CHANNEL, self.credentials.privilege.code()];
        let message = self.bare(GET_CAPABILITIES, &data);
        session::seal_v15(V15Auth::None, 0, 0, &[0; 16], &message)
    }

    fn on_capabilities(&mut self, datagram: &[u8]) -> Result<Step, LoginError> {
        let Some((code, data)) = self.bare_answer(datagram, GET_CAPABILITIES) else {
            return self.stay(State::Capabilities);
        };
        let (Completion::OK, [_channel, kinds, status, extended, ..]) = (code, &data[..]) else {
            // A BMC with version 2.0 only may reject this request (IPMI 2.0 §22.13); try to open a
            // session, whose response is decisive.
            if let Version::V20(suite) = self.version {
                return Ok(self.open(suite));
            }
            return Err(LoginError::Failed(
                code,
                "Get Channel Authentication Capabilities",
            ));
        };
        match self.version {
            Version::V20(suite) => {
                let has_extended = kinds & 0x80 != 0;
                if has_extended && extended & 0x02 == 0 {
                    return Err(LoginError::NoVersion20);
                }
                Ok(self.open(suite))
            }
            Version::V15 => {
                self.is_per_message_disabled = status & PER_MESSAGE_DISABLED != 0;
                let offers = |auth: V15Auth| kinds & (1 << auth as u8) != 0;
                let empty = self.credentials.password.is_empty() && status & 0x03 != 0;
                let auth = [V15Auth::Md5, V15Auth::Straight]
                    .into_iter()
                    .find(|auth| offers(*auth))
                    .or_else(|| (offers(V15Auth::None) || empty).then_some(V15Auth::None))
                    .ok_or(LoginError::NoAuthentication)?;
                Ok(self.ask_challenge(auth))
            }
        }
    }

    fn open(&mut self, suite: Suite) -> Step {
        self.state = State::Opening;
        let request = OpenRequest {
            tag: self.nonce.tag,
            // Zero: the highest level that the suite allows. Set Session Privilege Level asks for
            // the one that is needed.
            privilege: None,
            console: self.nonce.session,
            algorithms: suite.algorithms,
        };
        Step::Send(unprotected(
            PayloadType::OpenSessionRequest,
            &request.encode(),
        ))
    }

    fn on_opened(&mut self, datagram: &[u8]) -> Result<Step, LoginError> {
        let Version::V20(suite) = self.version else {
            return self.stay(State::Opening);
        };
        let ours = payload(datagram, PayloadType::OpenSessionResponse)
            .and_then(|bytes| OpenResponse::decode(bytes).ok())
            .filter(|answer| answer.tag == self.nonce.tag);
        let Some(answer) = ours else {
            return self.stay(State::Opening);
        };
        let opened = answer.outcome.map_err(LoginError::Refused)?;
        if answer.console != self.nonce.session {
            return self.stay(State::Opening);
        }
        if opened.algorithms != suite.algorithms {
            return Err(LoginError::Downgraded);
        }
        let first = Rakp1 {
            tag: self.nonce.tag,
            system: opened.system,
            console_random: self.nonce.random,
            role: self.role(),
            user: self.credentials.user.clone(),
        };
        self.state = State::Proving { opened };
        Ok(Step::Send(unprotected(PayloadType::Rakp1, &first.encode())))
    }

    fn role(&self) -> u8 {
        NAME_ONLY | self.credentials.privilege.code()
    }

    fn on_proof(&mut self, opened: Opened, datagram: &[u8]) -> Result<Step, LoginError> {
        let ours = payload(datagram, PayloadType::Rakp2)
            .and_then(|bytes| Rakp2::decode(bytes).ok())
            .filter(|answer| answer.tag == self.nonce.tag);
        let Some(answer) = ours else {
            return self.stay(State::Proving { opened });
        };
        let proof = answer.outcome.map_err(|status| match status {
            Status::UNAUTHORIZED_NAME => LoginError::WrongPassword,
            other => LoginError::Refused(other),
        })?;
        if answer.console != self.nonce.session {
            return self.stay(State::Proving { opened });
        }
        let exchange = Exchange {
            algorithms: opened.algorithms,
            console: self.nonce.session,
            system: opened.system,
            console_random: self.nonce.random,
            system_random: proof.random,
            guid: proof.guid,
            role: self.role(),
            user: self.credentials.user.clone(),
            password: self.credentials.password.clone(),
            bmc_key: self.credentials.bmc_key.clone(),
        };
        let expected = exchange.system_code();
        // With RAKP-none there is no code.
        if !expected.is_empty() && !crypto::is_same(&expected, &proof.code) {
            return Err(LoginError::WrongPassword);
        }
        let third = Rakp3 {
            tag: self.nonce.tag,
            system: opened.system,
            outcome: Ok(exchange.console_code()),
        };
        self.state = State::Checking(Box::new(exchange));
        Ok(Step::Send(unprotected(PayloadType::Rakp3, &third.encode())))
    }

    fn on_check(&mut self, exchange: Box<Exchange>, datagram: &[u8]) -> Result<Step, LoginError> {
        let ours = payload(datagram, PayloadType::Rakp4)
            .and_then(|bytes| Rakp4::decode(bytes).ok())
            .filter(|answer| answer.tag == self.nonce.tag);
        let Some(answer) = ours else {
            return self.stay(State::Checking(exchange));
        };
        let theirs = answer.outcome.map_err(|status| match status {
            Status::INVALID_CHECK_VALUE => LoginError::WrongPassword,
            other => LoginError::Refused(other),
        })?;
        let expected = exchange.check_value();
        if !expected.is_empty() && !crypto::is_same(&expected, &theirs) {
            return Err(LoginError::WrongBmcKey);
        }
        let session = V20Session::new(
            exchange.console,
            exchange.system,
            exchange.algorithms,
            exchange.keys(),
        );
        Ok(self.raise(Session::V20(session)))
    }

    fn ask_challenge(&mut self, auth: V15Auth) -> Step {
        self.state = State::Challenge { auth };
        let mut data = vec![auth as u8];
        data.extend(self.credentials.user.as_bytes());
        data.resize(1 + UserName::SIZE, 0);
        let message = self.bare(GET_CHALLENGE, &data);
        Step::Send(session::seal_v15(V15Auth::None, 0, 0, &[0; 16], &message))
    }

    fn on_challenge(&mut self, auth: V15Auth, datagram: &[u8]) -> Result<Step, LoginError> {
        let Some((code, data)) = self.bare_answer(datagram, GET_CHALLENGE) else {
            return self.stay(State::Challenge { auth });
        };
        match code {
            Completion::OK => {}
            // Get Session Challenge: invalid user name, or null user name not enabled.
            Completion(0x81 | 0x82) => return Err(LoginError::WrongPassword),
            other => return Err(LoginError::Failed(other, "Get Session Challenge")),
        }
        let Some((temporary, challenge)) = data.split_first_chunk::<4>() else {
            return self.stay(State::Challenge { auth });
        };
        let temporary = u32::from_le_bytes(*temporary);
        let mut data = vec![auth as u8, self.credentials.privilege.code()];
        data.extend(challenge);
        data.resize(2 + 16, 0);
        // The initial outbound sequence number: that of the BMC's first packet.
        data.extend(1u32.to_le_bytes());
        let message = self.bare(ACTIVATE, &data);
        let password = session::short_password(&self.credentials.password);
        self.state = State::Activating { auth, temporary };
        Ok(Step::Send(session::seal_v15(
            auth, temporary, 0, &password, &message,
        )))
    }

    fn on_active(
        &mut self,
        auth: V15Auth,
        temporary: u32,
        datagram: &[u8],
    ) -> Result<Step, LoginError> {
        let Some((code, data)) = self.bare_answer(datagram, ACTIVATE) else {
            return self.stay(State::Activating { auth, temporary });
        };
        match code {
            // A refusal may come without AuthCode: a session must not.
            Completion::OK if self.is_genuine(auth, datagram) => {}
            Completion::OK => return self.stay(State::Activating { auth, temporary }),
            Completion(0x81..=0x83) => {
                return Err(LoginError::Refused(Status::NO_RESOURCES));
            }
            Completion(0x86) => return Err(LoginError::Refused(Status::UNAUTHORIZED_ROLE)),
            other => return Err(LoginError::Failed(other, "Activate Session")),
        }
        let [granted, a, b, c, d, e, f, g, h, ..] = data[..] else {
            return self.stay(State::Activating { auth, temporary });
        };
        let later = V15Auth::of_code(granted & 0x0f).ok_or(LoginError::NoAuthentication)?;
        // The BMC chooses the authentication type of the session's packets. It answers `none` when
        // per-message authentication is disabled.
        let session = V15Session::new(
            u32::from_le_bytes([a, b, c, d]),
            later,
            &self.credentials.password,
            u32::from_le_bytes([e, f, g, h]),
            1,
        );
        Ok(self.raise(Session::V15(session)))
    }

    /// Whether the answer to Activate Session comes from one who knows the password (IPMI 2.0
    /// §22.17). With per-message authentication disabled, BMCs may answer without AuthCode.
    fn is_genuine(&self, auth: V15Auth, datagram: &[u8]) -> bool {
        let Ok(Packet::V15(packet)) = Packet::decode(datagram) else {
            return false;
        };
        if packet.auth == V15Auth::None && self.is_per_message_disabled {
            return true;
        }
        let password = session::short_password(&self.credentials.password);
        packet.auth == auth && session::is_genuine_v15(&packet, &password)
    }

    /// Raises the privilege level: a session starts at User level at most (IPMI 2.0 §22.18).
    fn raise(&mut self, mut session: Session) -> Step {
        let message = self.bare(SET_PRIVILEGE, &[self.credentials.privilege.code()]);
        let datagram = session.seal(&message, self.nonce.iv);
        self.state = State::Raising {
            session: Box::new(session),
            message,
        };
        Step::Send(datagram)
    }

    fn on_raised(
        &mut self,
        mut session: Box<Session>,
        message: Vec<u8>,
        datagram: &[u8],
    ) -> Result<Step, LoginError> {
        let answer = session.open(datagram).ok().and_then(|(kind, payload)| {
            (kind == PayloadType::Ipmi).then_some(())?;
            answer_to(&payload, SET_PRIVILEGE, self.sequence)
        });
        let Some((code, data)) = answer else {
            return self.stay(State::Raising { session, message });
        };
        match (code, data.first()) {
            // Some BMCs grant the level and send no data.
            (Completion::OK, None) => Ok(Step::Done(*session)),
            (Completion::OK, Some(level)) if *level >= self.credentials.privilege.code() => {
                Ok(Step::Done(*session))
            }
            (Completion::OK, Some(level)) => Err(LoginError::Privilege(*level)),
            (Completion(0x80 | 0x81), _) => Err(LoginError::Refused(Status::UNAUTHORIZED_ROLE)),
            (other, _) => Err(LoginError::Failed(other, "Set Session Privilege Level")),
        }
    }

    /// The response to the last request, if the datagram is one outside a session.
    fn bare_answer(&self, datagram: &[u8], command: u8) -> Option<(Completion, Vec<u8>)> {
        let Ok(Packet::V15(packet)) = Packet::decode(datagram) else {
            return None;
        };
        answer_to(packet.payload, command, self.sequence)
    }
}

fn answer_to(message: &[u8], command: u8, sequence: u8) -> Option<(Completion, Vec<u8>)> {
    let message = Message::decode(message).ok()?;
    if message.command != command || message.sequence != sequence {
        return None;
    }
    let (code, data) = message.answer().ok()?;
    Some((code, data.to_vec()))
}

/// Encodes a request outside a session (IPMI 2.0 §13.7), such as the few that need no login.
pub fn outside_request(request: &Request, sequence: u8) -> Vec<u8> {
    let message = Route::Direct.envelope(request, sequence);
    session::seal_v15(V15Auth::None, 0, 0, &[0; 16], &message)
}

/// The answer to [`outside_request`], if the datagram is one.
pub fn outside_answer(
    datagram: &[u8],
    request: &Request,
    sequence: u8,
) -> Option<(Completion, Vec<u8>)> {
    let Ok(Packet::V15(packet)) = Packet::decode(datagram) else {
        return None;
    };
    answer_to(packet.payload, request.command, sequence)
}

/// Encodes a payload outside a session: session id and sequence number are zero.
pub fn unprotected(kind: PayloadType, payload: &[u8]) -> Vec<u8> {
    V20 {
        kind,
        encrypted: false,
        session: 0,
        sequence: 0,
        payload,
        trailer: None,
    }
    .encode(None)
}

/// The payload of a datagram outside of a session, if it is of this kind.
fn payload(datagram: &[u8], kind: PayloadType) -> Option<&[u8]> {
    match Packet::decode(datagram) {
        Ok(Packet::V20(packet)) if packet.kind == kind && packet.session == 0 => {
            Some(packet.payload)
        }
        _ => None,
    }
}
