//! One use of a serial line, from the first user to the last.

use super::{Serial, USERS};
use std::time::Duration;
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until},
};
use types::console::{ConsoleInput, ConsoleOutput, ConsoleWish};

/// Longer than any process lives.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// What users want of a session.
pub(super) enum Order {
    Join {
        id: u64,
        wish: ConsoleWish,
        /// Whether this is our own log, which nobody counts as a user.
        is_keeper: bool,
        to: mpsc::Sender<ConsoleOutput>,
        answer: oneshot::Sender<Result<(), &'static str>>,
    },
    TakeOver(u64),
    Leave(u64),
}

struct User {
    id: u64,
    is_keeper: bool,
    to: mpsc::Sender<ConsoleOutput>,
    lost: u64,
}

impl User {
    /// Passes something on if there is room.
    fn tell(&mut self, output: ConsoleOutput) {
        if self.lost > 0 && self.to.try_send(ConsoleOutput::Lost(self.lost)).is_ok() {
            self.lost = 0;
        }
        let length = match &output {
            ConsoleOutput::Characters(characters) => characters.len() as u64,
            _ => 0,
        };
        if self.lost > 0 || self.to.try_send(output).is_err() {
            self.lost += length;
        }
    }
}

/// Waits until the console is switched off.
async fn off(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stopped| *stopped).await;
}

pub(super) struct Session {
    serial: Box<dyn Serial>,
    orders: mpsc::UnboundedReceiver<Order>,
    typed: mpsc::Receiver<(u64, ConsoleInput)>,
    idle: Duration,
    stop: watch::Receiver<bool>,
    users: Vec<User>,
    writer: Option<u64>,
}

impl Session {
    pub(super) fn new(
        serial: Box<dyn Serial>,
        orders: mpsc::UnboundedReceiver<Order>,
        typed: mpsc::Receiver<(u64, ConsoleInput)>,
        idle: Option<Duration>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self {
            serial,
            orders,
            typed,
            idle: idle.unwrap_or(NEVER),
            stop,
            users: Vec::new(),
            writer: None,
        }
    }

    pub(super) async fn run(mut self) {
        let reason = self.pump().await;
        // From here on nobody can join; whoever tries opens the line anew.
        self.orders.close();
        for user in &mut self.users {
            user.tell(ConsoleOutput::Ended(reason.clone()));
        }
        self.users.clear();
        self.serial.close().await;
    }

    /// Goes on until there is a reason not to.
    async fn pump(&mut self) -> String {
        let mut quiet = Instant::now() + self.idle;
        loop {
            let has_room = self.serial.has_room();
            tokio::select! {
                () = off(&mut self.stop) => {
                    return "the console was switched off".to_owned();
                }
                order = self.orders.recv() => {
                    match order {
                        Some(order) => self.follow(order),
                        None => return "nobody is left".to_owned(),
                    }
                    if self.users.is_empty() {
                        return "nobody is left".to_owned();
                    }
                }
                Some((id, input)) = self.typed.recv(), if has_room => {
                    if self.writer == Some(id) {
                        self.type_in(&input);
                        quiet = Instant::now() + self.idle;
                    }
                }
                // Not before somebody is there: what a machine says at first would be lost.
                heard = self.serial.next(), if !self.users.is_empty() => match heard {
                    Ok(characters) => {
                        quiet = Instant::now() + self.idle;
                        for user in &mut self.users {
                            user.tell(ConsoleOutput::Characters(characters.clone()));
                        }
                    }
                    Err(error) => return format!("the console was lost: {error}"),
                },
                () = sleep_until(quiet) => {
                    self.send_away("nothing was said for a long time");
                    if self.users.is_empty() {
                        return "nobody is left".to_owned();
                    }
                    quiet = Instant::now() + self.idle;
                }
            }
        }
    }

    fn type_in(&mut self, input: &ConsoleInput) {
        match input {
            ConsoleInput::Characters(characters) => self.serial.push(characters),
            ConsoleInput::Break => self.serial.send_break(),
            ConsoleInput::TakeOver => {}
        }
    }

    fn follow(&mut self, order: Order) {
        match order {
            Order::Join {
                id,
                wish,
                is_keeper,
                to,
                answer,
            } => {
                let full = self.users.len() >= USERS;
                let answered = answer.send(match full {
                    true => Err("the console has no room for another user"),
                    false => Ok(()),
                });
                if full || answered.is_err() {
                    return;
                }
                self.users.push(User {
                    id,
                    is_keeper,
                    to,
                    lost: 0,
                });
                if wish.take_over || (wish.write && self.writer.is_none()) {
                    self.hand_over(id);
                } else {
                    self.tell(id, ConsoleOutput::Writer(false));
                }
            }
            Order::TakeOver(id) => self.hand_over(id),
            Order::Leave(id) => {
                self.users.retain(|user| user.id != id);
                if self.writer == Some(id) {
                    self.writer = None;
                }
            }
        }
    }

    fn hand_over(&mut self, id: u64) {
        if self.writer == Some(id) || !self.users.iter().any(|user| user.id == id) {
            return;
        }
        if let Some(before) = self.writer.replace(id) {
            self.tell(before, ConsoleOutput::Writer(false));
        }
        self.tell(id, ConsoleOutput::Writer(true));
    }

    fn tell(&mut self, id: u64, output: ConsoleOutput) {
        if let Some(user) = self.users.iter_mut().find(|user| user.id == id) {
            user.tell(output);
        }
    }

    /// Sends everybody away but our own log.
    fn send_away(&mut self, reason: &str) {
        self.writer = None;
        self.users.retain_mut(|user| {
            if !user.is_keeper {
                user.tell(ConsoleOutput::Ended(reason.to_owned()));
            }
            user.is_keeper
        });
    }
}
