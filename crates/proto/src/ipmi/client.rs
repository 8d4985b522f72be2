//! Our side of opening a session, as a machine that is fed with datagrams.
//!
//! The machine never waits and never repeats itself: whoever owns the socket sends what it is told
//! to, sends it again when no answer comes ([`Login::repeat`]), and gives up when it has waited long
//! enough. A datagram that does not belong to the conversation changes nothing.

use super::{
    Privilege,
    command::channel::{
        ACTIVATE_SESSION as ACTIVATE, ASK_FOR_V20, GET_CAPABILITIES, GET_CHALLENGE, SET_PRIVILEGE,
        THIS_CHANNEL,
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

/// Who wants to log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: UserName,
    pub password: Key,
    /// Empty where the BMC has none.
    pub bmc_key: Key,
    pub privilege: Privilege,
}

/// Which kind of session is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V15,
    V20(Suite),
}

/// What must be different each time.
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
    /// The datagram had nothing to do with us.
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
    /// Version 1.5: a challenge is awaited.
    Challenge {
        auth: V15Auth,
    },
    Activating {
        auth: V15Auth,
        temporary: u32,
    },
    /// The session is there; it is to be given its rights by this message.
    Raising {
        session: Box<Session>,
        message: Vec<u8>,
    },
    Ended,
}

/// A session that is being opened.
#[derive(Debug)]
pub struct Login {
    credentials: Credentials,
    version: Version,
    nonce: Nonce,
    state: State,
    last: Vec<u8>,
    sequence: u8,
}

impl Login {
    /// The machine, and the first datagram to send.
    pub fn start(credentials: Credentials, version: Version, nonce: Nonce) -> (Self, Vec<u8>) {
        let mut login = Self {
            credentials,
            version,
            nonce,
            state: State::Capabilities,
            last: Vec::new(),
            sequence: 0,
        };
        let first = login.ask_capabilities();
        login.last.clone_from(&first);
        (login, first)
    }

    /// What was sent last, to be sent again when nothing came back. `iv` must be random.
    pub fn repeat(&mut self, iv: [u8; 16]) -> Vec<u8> {
        match &mut self.state {
            // Sealed anew: a BMC drops what has the number of a packet that it has seen.
            State::Raising { session, message } => session.seal(message, iv),
            _ => self.last.clone(),
        }
    }

    /// What the last thing sent was, for messages about silence.
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

    /// Whether the BMC, which has answered so far, was just told who wants to log in: some say
    /// nothing to users whom they do not know.
    pub fn has_named_user(&self) -> bool {
        matches!(self.state, State::Proving { .. })
    }

    /// Takes a datagram in. After an error the machine is of no more use.
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

    /// Stays in a state, because a datagram was not for it.
    fn stay(&mut self, state: State) -> Result<Step, LoginError> {
        self.state = state;
        Ok(Step::Ignore)
    }

    /// A message outside of any session.
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
            // A BMC that only knows version 2.0 may not like the question; the next one tells.
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
            // The highest that the suite allows: the session asks for its level by itself later.
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
        // Nothing to compare where nobody proves anything.
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
            // Invalid user name, or no null users.
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
        // The number of the first packet that the BMC sends us.
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
            Completion::OK => {}
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
        // Packets of the session itself may go without a code only if the BMC asks for none.
        let session = V15Session::new(
            u32::from_le_bytes([a, b, c, d]),
            later,
            &self.credentials.password,
            u32::from_le_bytes([e, f, g, h]),
            1,
        );
        Ok(self.raise(Session::V15(session)))
    }

    /// Sessions begin with the rights of a user.
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
            // Some BMCs answer with nothing: they have no more to give, but gave it.
            (Completion::OK, None) => Ok(Step::Done(*session)),
            (Completion::OK, Some(level)) if *level >= self.credentials.privilege.code() => {
                Ok(Step::Done(*session))
            }
            (Completion::OK, Some(level)) => Err(LoginError::Privilege(*level)),
            (Completion(0x80 | 0x81), _) => Err(LoginError::Refused(Status::UNAUTHORIZED_ROLE)),
            (other, _) => Err(LoginError::Failed(other, "Set Session Privilege Level")),
        }
    }

    /// The answer to the last request, if it came outside of a session.
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

/// A payload outside of a session.
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
