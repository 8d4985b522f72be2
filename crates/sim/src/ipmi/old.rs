//! Sessions of version 1.5, from the side of the BMC.

use super::{
    bmc::{Bmc, Received, Session, answer_to},
    login,
};
use proto::ipmi::{
    Privilege,
    command::channel::ACTIVATE_SESSION,
    crypto::Key,
    message::{Completion, Message, NetFn},
    packet::{V15, V15Auth},
    session::{self, Session as Wire, V15Session},
};

/// A login that is under way.
#[derive(Debug)]
pub(super) struct Challenge {
    /// The number that stands for the session until there is one.
    id: u32,
    text: [u8; 16],
    user: (u8, String),
    password: Key,
    limit: Privilege,
}

const INVALID_NAME: Completion = Completion(0x81);
const ANONYMOUS_DISABLED: Completion = Completion(0x82);
const NO_SLOT: Completion = Completion(0x81);
const NO_SUCH_PRIVILEGE: Completion = Completion(0x86);

impl Bmc {
    pub(super) fn challenge(&mut self, data: &[u8]) -> Result<Vec<u8>, Completion> {
        let Some((&auth, name)) = data.split_first() else {
            return Err(Completion::WRONG_LENGTH);
        };
        self.accepted_auth(auth)?;
        let end = name.iter().position(|byte| *byte == 0);
        let name = String::from_utf8_lossy(&name[..end.unwrap_or(name.len())]).into_owned();
        let user = self.machine.user(&name).map_err(|_| {
            if name.is_empty() {
                ANONYMOUS_DISABLED
            } else {
                INVALID_NAME
            }
        })?;
        let (id, text) = (self.fresh_id(), self.random());
        self.challenges.push(Challenge {
            id,
            text,
            user: self.identified(&user),
            password: login::password(&user.password),
            limit: user.privilege,
        });
        Ok([&id.to_le_bytes()[..], &text].concat())
    }

    fn accepted_auth(&self, code: u8) -> Result<V15Auth, Completion> {
        V15Auth::of_code(code & 0x0f)
            .filter(|auth| self.options.v15.contains(auth))
            .ok_or(Completion::INVALID_FIELD)
    }

    /// A packet with a number: of a session, or of a login.
    pub(super) fn in_v15(&mut self, packet: &V15<'_>) -> Received {
        if let Some(mut session) = self.take_session(packet.session) {
            let opened = match &mut session.wire {
                Wire::V15(wire) => wire.open(packet).ok(),
                Wire::V20(_) => None,
            };
            return match opened {
                Some(payload) => self.in_session(session, payload),
                None => {
                    self.sessions.push(session);
                    Received::default()
                }
            };
        }
        self.activation(packet).unwrap_or_default()
    }

    fn activation(&mut self, packet: &V15<'_>) -> Option<Received> {
        let at = self
            .challenges
            .iter()
            .position(|challenge| challenge.id == packet.session)?;
        let request = Message::decode(packet.payload).ok()?;
        if (request.netfn, request.command) != (NetFn::APP, ACTIVATE_SESSION) {
            return None;
        }
        let challenge = self.challenges.remove(at);
        let password = session::short_password(&challenge.password);
        if !session::is_genuine_v15(packet, &password) {
            // A wrong password gets no answer.
            self.machine.note_bad_password(&challenge.user.1);
            return None;
        }
        self.machine.note_good_password(&challenge.user.1);
        let outcome = self.activate(packet.auth, &challenge, request.body);
        // The answer has the first number that the console asked for, and the temporary id.
        let first = match (&outcome, request.body.get(18..22)) {
            (Ok(_), Some(&[a, b, c, d])) => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        let answer = answer_to(&request, outcome);
        let datagram = session::seal_v15(packet.auth, packet.session, first, &password, &answer);
        Some(Received::answer(datagram))
    }

    fn activate(
        &mut self,
        sent: V15Auth,
        challenge: &Challenge,
        data: &[u8],
    ) -> Result<Vec<u8>, Completion> {
        let Some((&[auth, privilege], rest)) = data.split_first_chunk::<2>() else {
            return Err(Completion::WRONG_LENGTH);
        };
        let Some((text, rest)) = rest.split_first_chunk::<16>() else {
            return Err(Completion::WRONG_LENGTH);
        };
        let Some((outbound, _)) = rest.split_first_chunk::<4>() else {
            return Err(Completion::WRONG_LENGTH);
        };
        let auth = self.accepted_auth(auth)?;
        if auth != sent || *text != challenge.text {
            return Err(Completion::INVALID_FIELD);
        }
        let asked = Privilege::of_code(privilege & 0x0f).ok_or(Completion::INVALID_FIELD)?;
        if asked > challenge.limit {
            return Err(NO_SUCH_PRIVILEGE);
        }
        if !self.has_room() {
            return Err(NO_SLOT);
        }
        let id = self.fresh_id();
        let [a, b, c, d, ..] = self.random();
        // Not near the end of the numbers, and not zero.
        let inbound = u32::from_le_bytes([a, b, c, d & 0x7f]) | 1;
        // The answer itself takes the number that was asked for.
        let outbound = u32::from_le_bytes(*outbound).wrapping_add(1).max(1);
        let wire = V15Session::new(id, auth, &challenge.password, outbound, inbound);
        let user = challenge.user.clone();
        self.sessions
            .push(Session::new(id, Wire::V15(wire), user, asked));
        let mut answer = vec![auth as u8];
        answer.extend(id.to_le_bytes());
        answer.extend(inbound.to_le_bytes());
        answer.push(asked.code());
        Ok(answer)
    }
}
