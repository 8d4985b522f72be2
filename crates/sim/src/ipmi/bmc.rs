//! One BMC: datagrams in, datagrams out.

use super::{
    Options,
    command::{self, Call, Effect},
    console::Console,
    login::Opening,
    old::Challenge,
    rights,
};
use crate::machine::{Machine, account::User};
use proto::ipmi::{
    Privilege,
    command::{channel, device},
    message::{BMC, Completion, Message, NetFn},
    packet::{self, Packet, PayloadType, V15, V15Auth, V20},
    session::{self, Session as Wire},
};
use std::{
    net::Ipv4Addr,
    sync::Arc,
    time::{Duration, Instant},
};

/// Idle timeout of a session.
const IDLE: Duration = Duration::from_secs(60);
/// How many logins may be under way; the oldest one is given up for a new one.
const OPENINGS: usize = 64;

/// A BMC with its sessions.
#[derive(Debug)]
pub struct Bmc {
    pub(super) machine: Arc<Machine>,
    pub(super) options: Arc<Options>,
    /// Where it says it is.
    pub(super) endpoint: (Ipv4Addr, u16),
    pub(super) sessions: Vec<Session>,
    pub(super) openings: Vec<Opening>,
    pub(super) challenges: Vec<Challenge>,
    pub(super) console: Option<Console>,
    pub(super) memory: Memory,
    epoch: u32,
    draws: u64,
}

/// What commands remember from one to the next.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) sdr_reservation: u16,
    pub(super) sel_reservation: u16,
    pub(super) power_policy: u8,
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: u32,
    pub(super) wire: Wire,
    /// The number of the user, and the name.
    pub(super) user: (u8, String),
    /// What the session may be raised to, and what it has.
    pub(super) limit: Privilege,
    pub(super) level: Privilege,
    used: Instant,
    /// The last request's number, command and answer: a repeated request is not done again.
    last: Option<(u8, NetFn, u8, Vec<u8>)>,
}

impl Session {
    pub(super) fn new(id: u32, wire: Wire, user: (u8, String), limit: Privilege) -> Self {
        Self {
            id,
            wire,
            user,
            limit,
            level: limit.min(Privilege::User),
            used: Instant::now(),
            last: None,
        }
    }
}

/// What comes of a datagram.
#[derive(Debug, Default)]
pub struct Received {
    pub answers: Vec<Vec<u8>>,
    /// The BMC is to be restarted once the answers are sent.
    pub restarts: bool,
    /// A console was opened: [`Bmc::poll_console`] has something to say from now on.
    pub opens_console: bool,
}

impl Received {
    pub(super) fn answer(datagram: Vec<u8>) -> Self {
        Self {
            answers: vec![datagram],
            ..Self::default()
        }
    }
}

impl Bmc {
    pub fn new(machine: Arc<Machine>, options: Arc<Options>, endpoint: (Ipv4Addr, u16)) -> Self {
        Self {
            epoch: machine.epoch(),
            draws: machine.draw(u32::MAX),
            machine,
            options,
            endpoint,
            sessions: Vec::new(),
            openings: Vec::new(),
            challenges: Vec::new(),
            console: None,
            memory: Memory::default(),
        }
    }

    /// Bytes that differ each time. They come from the seed: this is no place for secrets.
    pub(super) fn random(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for half in bytes.as_chunks_mut::<8>().0 {
            self.draws = self.draws.wrapping_add(1);
            *half = crate::seed::mix(self.draws).to_le_bytes();
        }
        bytes
    }

    /// A number that no session has, and that is not zero.
    pub(super) fn fresh_id(&mut self) -> u32 {
        loop {
            let [a, b, c, d, ..] = self.random();
            let id = u32::from_le_bytes([a, b, c, d]);
            if id != 0 && !self.sessions.iter().any(|session| session.id == id) {
                return id;
            }
        }
    }

    /// Whether there is room for one more session.
    pub(super) fn has_room(&mut self) -> bool {
        self.tidy();
        self.sessions.len() < usize::from(self.machine.session_limit())
    }

    /// Forgets sessions that were left or that the restart of the BMC has ended.
    fn tidy(&mut self) {
        let epoch = self.machine.epoch();
        if epoch != self.epoch {
            self.epoch = epoch;
            self.sessions.clear();
            self.openings.clear();
            self.challenges.clear();
        }
        self.sessions
            .retain(|session| session.used.elapsed() < IDLE);
        let excess = self.openings.len().saturating_sub(OPENINGS);
        self.openings.drain(..excess);
        let excess = self.challenges.len().saturating_sub(OPENINGS);
        self.challenges.drain(..excess);
        let sessions = &self.sessions;
        self.console
            .take_if(|console| !sessions.iter().any(|session| session.id == console.session));
    }

    /// Takes a datagram in.
    pub fn receive(&mut self, datagram: &[u8]) -> Received {
        if self.machine.is_bmc_away() || self.machine.faults().silent {
            return Received::default();
        }
        self.tidy();
        match Packet::decode(datagram) {
            Ok(Packet::Ping { tag }) => Received::answer(packet::pong(tag)),
            Ok(Packet::V15(packet)) if packet.session == 0 => self.bare_v15(&packet),
            Ok(Packet::V15(packet)) => self.in_v15(&packet),
            Ok(Packet::V20(packet)) if packet.session == 0 => self.bare_v20(&packet),
            Ok(Packet::V20(packet)) => self.in_v20(&packet),
            Ok(Packet::Pong { .. }) | Err(_) => Received::default(),
        }
    }

    fn bare_v15(&mut self, packet: &V15<'_>) -> Received {
        match self.bare(packet.payload) {
            Some(answer) => {
                let datagram = session::seal_v15(V15Auth::None, 0, 0, &[0; 16], &answer);
                Received::answer(datagram)
            }
            None => Received::default(),
        }
    }

    fn bare_v20(&mut self, packet: &V20<'_>) -> Received {
        let answer = match packet.kind {
            PayloadType::OpenSessionRequest => self.open_session(packet.payload),
            PayloadType::Rakp1 => self.rakp1(packet.payload),
            PayloadType::Rakp3 => self.rakp3(packet.payload),
            PayloadType::Ipmi => self
                .bare(packet.payload)
                .map(|answer| (PayloadType::Ipmi, answer)),
            _ => None,
        };
        match answer {
            Some((kind, payload)) => {
                Received::answer(proto::ipmi::client::unprotected(kind, &payload))
            }
            None => Received::default(),
        }
    }

    /// The answer to what may be asked without a session.
    fn bare(&mut self, payload: &[u8]) -> Option<Vec<u8>> {
        let request = request_in(payload)?;
        let outcome = match (request.netfn, request.command) {
            (NetFn::APP, channel::GET_CAPABILITIES) => self.capabilities(request.body),
            (NetFn::APP, channel::GET_CHALLENGE) => self.challenge(request.body),
            (NetFn::APP, channel::GET_CIPHER_SUITES) => {
                command::cipher_suites(&self.options, request.body)
            }
            (NetFn::APP, device::GET_GUID) => Ok(self.guid().to_vec()),
            _ => Err(Completion::PRIVILEGE),
        };
        Some(answer_to(&request, outcome))
    }

    /// The number of the machine as BIOS and BMCs write it.
    pub(super) fn guid(&self) -> [u8; 16] {
        self.machine.uuid().to_bytes_le()
    }

    fn capabilities(&self, data: &[u8]) -> Result<Vec<u8>, Completion> {
        let &[channel, _privilege, ..] = data else {
            return Err(Completion::WRONG_LENGTH);
        };
        let number = command::channel_number(channel)?;
        let kinds = |auths: &[V15Auth]| auths.iter().fold(0, |bits, auth| bits | 1 << *auth as u8);
        let users = self.machine.users();
        let capabilities = channel::Capabilities {
            channel: number,
            v15: kinds(&self.options.v15),
            has_bmc_key: !self.options.bmc_key.is_empty(),
            has_named: users.iter().any(|user| !user.name.is_empty()),
            has_anonymous: users.iter().any(|user| user.name.is_empty()),
            speaks_v15: !self.options.v15.is_empty(),
            speaks_v20: !self.options.suites.is_empty(),
        };
        Ok(capabilities.encode(channel & channel::ASK_FOR_V20 != 0))
    }

    fn in_v20(&mut self, packet: &V20<'_>) -> Received {
        let Some(mut session) = self.take_session(packet.session) else {
            return Received::default();
        };
        let opened = match &mut session.wire {
            Wire::V20(wire) => wire.open(packet).ok().map(|payload| payload.into_owned()),
            Wire::V15(_) => None,
        };
        if opened.is_some() {
            self.openings
                .retain(|opening| !opening.is_over(packet.session));
        }
        match (packet.kind, opened) {
            (PayloadType::Ipmi, Some(payload)) => self.in_session(session, &payload),
            (PayloadType::Sol, Some(payload)) => self.in_console(session, &payload),
            _ => {
                self.sessions.push(session);
                Received::default()
            }
        }
    }

    pub(super) fn take_session(&mut self, id: u32) -> Option<Session> {
        let at = self.sessions.iter().position(|session| session.id == id)?;
        Some(self.sessions.swap_remove(at))
    }

    /// A request within a session, which is kept unless it was closed.
    pub(super) fn in_session(&mut self, mut session: Session, payload: &[u8]) -> Received {
        session.used = Instant::now();
        let Some(request) = request_in(payload) else {
            self.sessions.push(session);
            return Received::default();
        };
        let mut received = Received::default();
        let repeated = session
            .last
            .as_ref()
            .filter(|(sequence, netfn, number, _)| {
                (*sequence, *netfn, *number) == (request.sequence, request.netfn, request.command)
            });
        let (messages, effect) = match repeated {
            Some((.., answer)) => (vec![answer.clone()], None),
            None => self.execute(&mut session, &request),
        };
        if let Some(last) = messages.last() {
            let last = last.clone();
            session.last = Some((request.sequence, request.netfn, request.command, last));
        }
        for message in messages {
            let iv = self.random();
            received.answers.push(session.wire.seal(&message, iv));
        }
        match effect {
            Some(Effect::CloseSession(id)) if id == session.id => {
                self.close_console_of(id);
                return received;
            }
            Some(Effect::CloseSession(id)) => {
                self.close_console_of(id);
                self.sessions.retain(|other| other.id != id);
            }
            Some(Effect::RestartBmc) => received.restarts = true,
            Some(Effect::OpenConsole) => {
                self.open_console(session.id);
                received.opens_console = true;
            }
            Some(Effect::CloseConsole) => self.console = None,
            Some(Effect::StaySilent) => {
                received.answers.clear();
                session.last = None;
            }
            None => {}
        }
        self.sessions.push(session);
        received
    }

    /// Keeps a session that was just used.
    pub(super) fn keep(&mut self, mut session: Session) {
        session.used = Instant::now();
        self.sessions.push(session);
    }

    fn execute(
        &mut self,
        session: &mut Session,
        request: &Message<'_>,
    ) -> (Vec<Vec<u8>>, Option<Effect>) {
        let mut effect = None;
        if let Some(code) = self.refusal(session, request) {
            return (vec![answer_to(request, Err(code))], None);
        }
        let mut call = Call {
            machine: &self.machine,
            options: &self.options,
            memory: &mut self.memory,
            endpoint: self.endpoint,
            others: &self.sessions,
            console: self.console.as_ref().map(|console| console.session),
            session,
            responder: BMC,
            effect: &mut effect,
        };
        (command::answers(&mut call, request), effect)
    }

    /// Why a request is not even looked at.
    fn refusal(&self, session: &Session, request: &Message<'_>) -> Option<Completion> {
        let needed = rights::needed(request.netfn, request.command);
        if needed > session.level {
            return Some(Completion::PRIVILEGE);
        }
        let wrong = self.machine.faults().completion?;
        // Injected faults spare opening and closing sessions; otherwise clients would never get to
        // the faulty command.
        (!rights::is_about_sessions(request.netfn, request.command)).then_some(Completion(wrong))
    }

    /// The number of a user: the one without a name is the first.
    pub(super) fn user_number(&self, name: &str) -> u8 {
        command::numbered(&self.machine.users())
            .into_iter()
            .find(|(_, user)| user.name == name)
            .map_or(1, |(number, _)| number)
    }

    pub(super) fn identified(&self, user: &User) -> (u8, String) {
        (self.user_number(&user.name), user.name.clone())
    }
}

/// A request to a controller here, if that is what the bytes are.
fn request_in(payload: &[u8]) -> Option<Message<'_>> {
    Message::decode(payload)
        .ok()
        .filter(|message| !message.netfn.is_answer() && message.to == BMC)
}

/// The message that answers a request.
pub(super) fn answer_to(request: &Message<'_>, outcome: Result<Vec<u8>, Completion>) -> Vec<u8> {
    let body = match outcome {
        Ok(data) => [vec![Completion::OK.0], data].concat(),
        Err(code) => vec![code.0],
    };
    request.answer_with(&body).encode()
}
