//! Opening sessions of version 2.0, from the side of the BMC.

use super::bmc::{Bmc, Session};
use proto::ipmi::{
    Privilege,
    crypto::{self, Key},
    handshake::{
        Exchange, OpenRequest, OpenResponse, Opened, Rakp1, Rakp2, Rakp3, Rakp4, Status,
        SystemProof,
    },
    packet::PayloadType,
    session::{Session as Wire, V20Session},
    suite::{Algorithms, Suite},
};

/// A login that is under way.
#[derive(Debug)]
pub(super) struct Opening {
    system: u32,
    console: u32,
    algorithms: Algorithms,
    /// What was asked for at first; none stands for as much as possible.
    privilege: Option<Privilege>,
    /// Once the console has said who it is.
    named: Option<Box<Named>>,
    /// Once there is a session: what was said last, in case that it got lost.
    last: Option<Vec<u8>>,
}

impl Opening {
    /// Whether the session is in use, so that the last handshake answer is not repeated any more.
    pub(super) fn is_over(&self, used: u32) -> bool {
        self.system == used && self.last.is_some()
    }
}

#[derive(Debug)]
struct Named {
    exchange: Exchange,
    user: (u8, String),
    limit: Privilege,
}

/// What is sent back.
type Answer = Option<(PayloadType, Vec<u8>)>;

/// The part of a role that is a privilege.
const LEVEL: u8 = 0x0f;

impl Bmc {
    pub(super) fn open_session(&mut self, payload: &[u8]) -> Answer {
        let request = OpenRequest::decode(payload).ok()?;
        let response = match request {
            Ok(request) => OpenResponse {
                tag: request.tag,
                console: request.console,
                outcome: self.grant(&request),
            },
            Err((tag, console, status)) => OpenResponse {
                tag,
                console,
                outcome: Err(status),
            },
        };
        Some((PayloadType::OpenSessionResponse, response.encode()))
    }

    fn grant(&mut self, request: &OpenRequest) -> Result<Opened, Status> {
        if request.console == 0 {
            return Err(Status::INVALID_SESSION);
        }
        let known = Suite::of_algorithms(request.algorithms);
        if !known.is_some_and(|suite| self.options.suites.contains(&suite)) {
            return Err(Status::NO_SUITE);
        }
        if !self.has_room() {
            return Err(Status::NO_RESOURCES);
        }
        let system = self.fresh_id();
        self.openings.push(Opening {
            system,
            console: request.console,
            algorithms: request.algorithms,
            privilege: request.privilege,
            named: None,
            last: None,
        });
        let privilege = request.privilege.unwrap_or(Privilege::Administrator);
        Ok(Opened {
            privilege: privilege.code(),
            system,
            algorithms: request.algorithms,
        })
    }

    pub(super) fn rakp1(&mut self, payload: &[u8]) -> Answer {
        let first = Rakp1::decode(payload).ok()?;
        let at = self
            .openings
            .iter()
            .position(|opening| opening.system == first.system)?;
        let random = self.random();
        let (console, outcome) = {
            let outcome = self.prove(at, &first, random);
            (self.openings[at].console, outcome)
        };
        if outcome.is_err() {
            self.openings.remove(at);
        }
        let second = Rakp2 {
            tag: first.tag,
            console,
            outcome,
        };
        Some((PayloadType::Rakp2, second.encode()))
    }

    fn prove(&mut self, at: usize, first: &Rakp1, random: [u8; 16]) -> Result<SystemProof, Status> {
        let name = String::from_utf8_lossy(first.user.as_bytes()).into_owned();
        let asked = Privilege::of_code(first.role & LEVEL).ok_or(Status::INVALID_ROLE)?;
        // Do not reveal whether an account is unknown or locked.
        let user = self
            .machine
            .user(&name)
            .map_err(|_| Status::UNAUTHORIZED_NAME)?;
        let limit = user.privilege;
        if asked > limit {
            return Err(Status::UNAUTHORIZED_ROLE);
        }
        let opening = &self.openings[at];
        // A repeated message gets the same answer: the console may already act on the first one.
        let random = match &opening.named {
            Some(named) if named.exchange.console_random == first.console_random => {
                named.exchange.system_random
            }
            _ => random,
        };
        let exchange = Exchange {
            algorithms: opening.algorithms,
            console: opening.console,
            system: opening.system,
            console_random: first.console_random,
            system_random: random,
            guid: self.guid(),
            role: first.role,
            user: first.user.clone(),
            password: password(&user.password),
            bmc_key: self.options.bmc_key.clone(),
        };
        let proof = SystemProof {
            random,
            guid: exchange.guid,
            code: exchange.system_code(),
        };
        let user = self.identified(&user);
        let opening = &mut self.openings[at];
        let limit = asked.min(opening.privilege.unwrap_or(Privilege::Oem));
        opening.named = Some(Box::new(Named {
            exchange,
            user,
            limit,
        }));
        Ok(proof)
    }

    pub(super) fn rakp3(&mut self, payload: &[u8]) -> Answer {
        let third = Rakp3::decode(payload).ok()?;
        let opening = self
            .openings
            .iter_mut()
            .find(|opening| opening.system == third.system)?;
        if let Some(last) = &opening.last {
            return Some((PayloadType::Rakp4, last.clone()));
        }
        let named = *opening.named.take()?;
        let console = opening.console;
        let Ok(code) = third.outcome else {
            // The console has seen that we do not know the same password.
            self.machine.note_bad_password(&named.user.1);
            return None;
        };
        let fourth = Rakp4 {
            tag: third.tag,
            console,
            outcome: self.admit(named, &code),
        };
        let encoded = fourth.encode();
        let again = self
            .openings
            .iter_mut()
            .find(|opening| opening.system == third.system);
        if let Some(opening) = again {
            opening.last = Some(encoded.clone());
        }
        Some((PayloadType::Rakp4, encoded))
    }

    fn admit(&mut self, named: Named, code: &[u8]) -> Result<Vec<u8>, Status> {
        let Named {
            exchange,
            user,
            limit,
        } = named;
        let expected = exchange.console_code();
        if !expected.is_empty() && !crypto::is_same(&expected, code) {
            self.machine.note_bad_password(&user.1);
            return Err(Status::INVALID_CHECK_VALUE);
        }
        if !self.has_room() {
            return Err(Status::NO_RESOURCES);
        }
        self.machine.note_good_password(&user.1);
        let id = exchange.system;
        let wire = V20Session::new(id, exchange.console, exchange.algorithms, exchange.keys());
        let session = Session::new(id, Wire::V20(wire), user, limit);
        self.sessions.push(session);
        Ok(exchange.check_value())
    }
}

/// The part of a password that fits.
pub(super) fn password(text: &str) -> Key {
    let bytes = text.as_bytes();
    Key::new(&bytes[..bytes.len().min(Key::SIZE)]).unwrap_or_default()
}
