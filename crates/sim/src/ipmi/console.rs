//! Serial over LAN, from the side of the BMC.

use super::bmc::{Bmc, Received, Session};
use crate::machine::console::ConsolePosition;
use proto::ipmi::{
    packet::PayloadType,
    session::Session as Wire,
    sol::{SolEnd, SolPacket},
};
use std::sync::Arc;
use tokio::sync::Notify;

/// The largest packet, header included.
pub(super) const SIZE: u16 = 200;
/// How often a packet is sent before the console counts as gone.
const TRIES: u32 = 8;

/// An open console.
#[derive(Debug)]
pub(super) struct Console {
    pub(super) session: u32,
    end: SolEnd,
    place: ConsolePosition,
    more: Arc<Notify>,
    tries: u32,
}

impl Bmc {
    pub(super) fn open_console(&mut self, session: u32) {
        let (place, more) = self.machine.open_console();
        self.console = Some(Console {
            session,
            end: SolEnd::new(SIZE),
            place,
            more,
            tries: 0,
        });
    }

    pub(super) fn close_console_of(&mut self, session: u32) {
        self.console.take_if(|console| console.session == session);
    }

    /// The bell that rings when the machine has printed something; none without a console.
    pub fn console_bell(&self) -> Option<Arc<Notify>> {
        let console = self.console.as_ref()?;
        Some(Arc::clone(&console.more))
    }

    /// A packet of serial data from the console.
    pub(super) fn in_console(&mut self, session: Session, payload: &[u8]) -> Received {
        let id = session.id;
        self.keep(session);
        let Ok(packet) = SolPacket::decode(payload) else {
            return Received::default();
        };
        let Some(console) = self
            .console
            .as_mut()
            .filter(|console| console.session == id)
        else {
            return Received::default();
        };
        let input = console.end.receive(&packet, false);
        if console.end.repeat().is_none() {
            console.tries = 0;
        }
        if !input.characters.is_empty() {
            self.machine.type_in(&input.characters);
        }
        let mut answers = Vec::new();
        if let Some(reply) = input.reply {
            answers.extend(self.seal_for_console(&reply));
        }
        answers.extend(self.poll_console(false));
        Received {
            answers,
            ..Received::default()
        }
    }

    /// What is to be sent to the console now: what the machine has printed, or, if `again`, what
    /// was not acknowledged.
    pub fn poll_console(&mut self, again: bool) -> Vec<Vec<u8>> {
        let Some(console) = &mut self.console else {
            return Vec::new();
        };
        if console.end.waiting() < usize::from(SIZE) {
            let text = self.machine.read_console(&mut console.place, 1024);
            console.end.push(&text);
        }
        let packet = match console.end.take() {
            Some(packet) => packet,
            None if again => {
                let Some(packet) = console.end.repeat().cloned() else {
                    return Vec::new();
                };
                console.tries += 1;
                if console.tries >= TRIES {
                    self.console = None;
                    return Vec::new();
                }
                packet
            }
            None => return Vec::new(),
        };
        self.seal_for_console(&packet).into_iter().collect()
    }

    fn seal_for_console(&mut self, packet: &SolPacket) -> Option<Vec<u8>> {
        let iv = self.random();
        let id = self.console.as_ref()?.session;
        let session = self.sessions.iter_mut().find(|session| session.id == id)?;
        match &mut session.wire {
            Wire::V20(wire) => Some(wire.seal(PayloadType::Sol, &packet.encode(), iv)),
            Wire::V15(_) => None,
        }
    }
}
