//! The serial port: what the machine prints, and what is typed.
//!
//! A purely simulated machine prints a few lines when it boots and a prompt, and echoes what is
//! typed. What it printed is kept for those who come later, up to a limit, and only once somebody
//! has looked: machines without readers keep nothing.

use super::{Machine, State};
use crate::backend::Order;
use std::{collections::VecDeque, sync::Arc};
use tokio::sync::Notify;

/// How many characters are kept.
const KEPT: usize = 16 * 1024;

/// The output, and a notifier for its readers.
#[derive(Debug, Default)]
pub(crate) struct Console {
    text: VecDeque<u8>,
    /// How many characters were printed before those that are kept.
    dropped: u64,
    more: Arc<Notify>,
}

impl Console {
    fn print(&mut self, text: &[u8]) {
        self.text.extend(text);
        let excess = self.text.len().saturating_sub(KEPT);
        self.text.drain(..excess);
        self.dropped += excess as u64;
        self.more.notify_waiters();
    }
}

/// A reader's position in the console output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConsolePosition(u64);

impl Machine {
    /// Begins to read: the place, which is before everything that is kept, and the bell that rings
    /// when there is more.
    pub fn open_console(&self) -> (ConsolePosition, Arc<Notify>) {
        let mut state = self.state();
        if state.console.is_none() {
            state.console = Some(Box::default());
            if state.power.is_on && !self.is_process() {
                self.print_boot(&mut state);
            }
        }
        let console = state.console.get_or_insert_default();
        (ConsolePosition(console.dropped), Arc::clone(&console.more))
    }

    /// What was printed since a place, which is moved.
    pub fn read_console(&self, place: &mut ConsolePosition, most: usize) -> Vec<u8> {
        let state = self.state();
        let Some(console) = &state.console else {
            return Vec::new();
        };
        let from = place.0.max(console.dropped);
        let skip = usize::try_from(from - console.dropped).unwrap_or(usize::MAX);
        let text: Vec<u8> = console.text.iter().copied().skip(skip).take(most).collect();
        *place = ConsolePosition(from + text.len() as u64);
        text
    }

    /// Input from a client.
    pub fn type_in(&self, characters: &[u8]) {
        if self.is_process() {
            self.order(Order::Type(characters.to_vec()));
            return;
        }
        let mut state = self.state();
        // The machine does not read its serial line.
        if !state.power.is_on {
            return;
        }
        let prompt = format!("\r\n{} login: ", self.name());
        if let Some(console) = &mut state.console {
            for character in characters {
                match character {
                    b'\r' | b'\n' => console.print(prompt.as_bytes()),
                    other => console.print(&[*other]),
                }
            }
        }
    }

    /// What the process behind the machine prints.
    pub fn report_text(&self, text: &[u8]) {
        self.state().console.get_or_insert_default().print(text);
    }

    pub(super) fn print_boot(&self, state: &mut State) {
        let last = state.boot.last.unwrap_or_else(|| state.boot.choice());
        let Some(console) = &mut state.console else {
            return;
        };
        let text = format!(
            "{} {} BIOS {}\r\nserial {}\r\nBooting by {:?} from {:?}\r\n{} login: ",
            self.personality().manufacturer,
            self.personality().model,
            self.personality().bios_version,
            self.serial(),
            last.0,
            last.1,
            self.name(),
        );
        console.print(text.as_bytes());
    }
}
