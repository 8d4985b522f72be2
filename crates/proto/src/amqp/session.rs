//! A publisher's side of a connection, without the socket.
//!
//! One connection, one channel, in confirm mode: the server says of each message that it has it.
//! The channel is worked through in order by the server, so that nobody has to wait for the answer
//! to a declaration before publishing; a declaration that is refused closes the channel, and then
//! no message behind it is confirmed.

use super::{
    DecodeError, Frame, Method, PROTOCOL_HEADER, Properties, Table, Value,
    field::Wire,
    frame::{self, OVERHEAD},
    method::{self, MULTIPLE},
};
use std::collections::VecDeque;

/// Frames before anything is agreed on; the protocol's own minimum.
const FIRST_FRAMES: u32 = 4096;
/// The largest frame that we want.
const FRAME_MAX: u32 = 131_072;
const CHANNEL: u16 = 1;

/// Who logs in where.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    pub user: String,
    pub password: String,
    pub vhost: String,
    /// Seconds without a sign of life after which a side is dead; 0 for never.
    pub heartbeat: u16,
    /// What the server's lists show for this connection.
    pub name: String,
}

/// The password stays hidden.
impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("user", &self.user)
            .field("vhost", &self.vhost)
            .field("heartbeat", &self.heartbeat)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What the server let us know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Messages may be published.
    Ready,
    /// The server has this message, or all up to it.
    Confirmed {
        tag: u64,
        multiple: bool,
    },
    /// The server could not take this message, or all up to it.
    Refused {
        tag: u64,
        multiple: bool,
    },
    /// A message found no queue.
    Returned {
        text: String,
    },
    /// No more messages for now.
    Blocked {
        reason: String,
    },
    Unblocked,
    /// The channel or the connection was closed by the server, with its reason.
    Closed {
        code: u16,
        text: String,
        /// The class of the method that it did not like; 0 if it was none.
        class: u16,
    },
    /// The server agreed to our close.
    Ended,
}

/// Why a connection cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error("the server offers no login that we know, only {0}")]
    NoMechanism(String),
    #[error("the server said something out of turn: method {0}.{1}")]
    OutOfTurn(u16, u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Tune,
    Open,
    Channel,
    Confirm,
    Ready,
    Over,
}

/// The conversation.
#[derive(Debug)]
pub struct Session {
    login: Login,
    stage: Stage,
    frame_max: u32,
    heartbeat: u16,
    tag: u64,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
    events: VecDeque<Event>,
}

impl Session {
    /// A conversation that begins with the protocol's header.
    pub fn new(login: Login) -> Self {
        Self {
            login,
            stage: Stage::Start,
            frame_max: FIRST_FRAMES,
            heartbeat: 0,
            tag: 0,
            inbox: Vec::new(),
            outbox: PROTOCOL_HEADER.to_vec(),
            events: VecDeque::new(),
        }
    }

    /// What is to be sent.
    pub fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    /// What happened.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The heartbeat that was agreed on, in seconds; 0 for none. To be asked once ready.
    pub fn heartbeat(&self) -> u16 {
        self.heartbeat
    }

    /// Takes what arrived.
    pub fn received(&mut self, bytes: &[u8]) -> Result<(), SessionError> {
        self.inbox.extend_from_slice(bytes);
        let mut read = 0;
        while let Some((frame, length)) = Frame::decode(&self.inbox[read..], self.frame_max)? {
            read += length;
            self.hear(frame)?;
        }
        self.inbox.drain(..read);
        Ok(())
    }

    /// A sign of life.
    pub fn beat(&mut self) {
        Frame::Heartbeat.encode(&mut self.outbox);
    }

    /// Sees to an exchange of type `topic`. With `passive` it must exist and may be any.
    pub fn declare_exchange(&mut self, exchange: &str, flags: u8) {
        self.say(Method::ExchangeDeclare {
            reserved: 0,
            exchange: exchange.into(),
            kind: "topic".into(),
            flags,
            arguments: Table::new(),
        });
    }

    /// Sees to a queue, and to its getting what is published to `exchange` under its name.
    pub fn declare_queue(&mut self, queue: &str, exchange: &str, flags: u8, arguments: Table) {
        self.say(Method::QueueDeclare {
            reserved: 0,
            queue: queue.into(),
            flags,
            arguments,
        });
        self.say(Method::QueueBind {
            reserved: 0,
            queue: queue.into(),
            exchange: exchange.into(),
            routing_key: queue.into(),
            no_wait: 0,
            arguments: Table::new(),
        });
    }

    /// Publishes a message that must reach a queue; returns the tag that its confirmation has.
    pub fn publish(
        &mut self,
        exchange: &str,
        routing_key: &str,
        properties: &Properties,
        body: &[u8],
    ) -> u64 {
        self.say(Method::BasicPublish {
            reserved: 0,
            exchange: exchange.into(),
            routing_key: routing_key.into(),
            flags: method::MANDATORY,
        });
        let header = Frame::Header {
            channel: CHANNEL,
            size: body.len() as u64,
            properties: properties.clone(),
        };
        header.encode(&mut self.outbox);
        let most = usize::try_from(self.frame_max - OVERHEAD).unwrap_or(usize::MAX);
        for piece in body.chunks(most) {
            frame::put_body(&mut self.outbox, CHANNEL, piece);
        }
        self.tag += 1;
        self.tag
    }

    /// Says farewell; [`Event::Ended`] answers it.
    pub fn close(&mut self) {
        let farewell = Method::ConnectionClose {
            code: 200,
            text: "bye".into(),
            class: 0,
            method: 0,
        };
        self.say_on(0, farewell);
    }

    fn say(&mut self, method: Method) {
        self.say_on(CHANNEL, method);
    }

    fn say_on(&mut self, channel: u16, method: Method) {
        Frame::Method { channel, method }.encode(&mut self.outbox);
    }

    fn hear(&mut self, frame: Frame) -> Result<(), SessionError> {
        match frame {
            Frame::Method { method, .. } => self.answer(method),
            // Whatever says nothing besides being there, and messages that come back, of which the
            // method said enough.
            Frame::Heartbeat | Frame::Header { .. } | Frame::Body { .. } => Ok(()),
        }
    }

    fn answer(&mut self, method: Method) -> Result<(), SessionError> {
        match (self.stage, method) {
            (Stage::Start, Method::ConnectionStart { mechanisms, .. }) => {
                self.log_in(&mechanisms)?;
                self.stage = Stage::Tune;
            }
            (
                Stage::Tune,
                Method::ConnectionTune {
                    channel_max,
                    frame_max,
                    heartbeat,
                },
            ) => {
                self.tune(channel_max, frame_max, heartbeat);
                self.stage = Stage::Open;
            }
            (Stage::Open, Method::ConnectionOpenOk { .. }) => {
                let reserved = String::new();
                self.say(Method::ChannelOpen { reserved });
                self.stage = Stage::Channel;
            }
            (Stage::Channel, Method::ChannelOpenOk { .. }) => {
                self.say(Method::ConfirmSelect { no_wait: 0 });
                self.stage = Stage::Confirm;
            }
            (Stage::Confirm, Method::ConfirmSelectOk {}) => {
                self.events.push_back(Event::Ready);
                self.stage = Stage::Ready;
            }
            (Stage::Ready, method) => self.work(method)?,
            (
                stage,
                Method::ConnectionClose {
                    code, text, class, ..
                },
            ) => {
                self.say_on(0, Method::ConnectionCloseOk {});
                self.closed(stage, code, text, class);
            }
            // A farewell of ours crosses whatever the server was about to say.
            (Stage::Over, _) => {}
            (_, other) => {
                let (class, method) = other.id();
                return Err(SessionError::OutOfTurn(class, method));
            }
        }
        Ok(())
    }

    fn work(&mut self, method: Method) -> Result<(), SessionError> {
        match method {
            Method::BasicAck { tag, flags } => self.events.push_back(Event::Confirmed {
                tag,
                multiple: flags & MULTIPLE != 0,
            }),
            Method::BasicNack { tag, flags } => self.events.push_back(Event::Refused {
                tag,
                multiple: flags & MULTIPLE != 0,
            }),
            Method::BasicReturn { text, .. } => self.events.push_back(Event::Returned { text }),
            Method::ConnectionBlocked { reason } => {
                self.events.push_back(Event::Blocked { reason });
            }
            Method::ConnectionUnblocked {} => self.events.push_back(Event::Unblocked),
            Method::ChannelFlow { active } => {
                self.say(Method::ChannelFlowOk { active });
                self.events.push_back(match active {
                    0 => Event::Blocked {
                        reason: "flow".into(),
                    },
                    _ => Event::Unblocked,
                });
            }
            Method::ChannelClose {
                code, text, class, ..
            } => {
                self.say(Method::ChannelCloseOk {});
                self.closed(Stage::Ready, code, text, class);
            }
            Method::ConnectionClose {
                code, text, class, ..
            } => {
                self.say_on(0, Method::ConnectionCloseOk {});
                self.closed(Stage::Ready, code, text, class);
            }
            Method::ConnectionCloseOk {} => {
                self.stage = Stage::Over;
                self.events.push_back(Event::Ended);
            }
            Method::ExchangeDeclareOk {}
            | Method::QueueDeclareOk { .. }
            | Method::QueueBindOk {} => {}
            other => {
                let (class, method) = other.id();
                return Err(SessionError::OutOfTurn(class, method));
            }
        }
        Ok(())
    }

    fn closed(&mut self, stage: Stage, code: u16, text: String, class: u16) {
        self.stage = Stage::Over;
        if stage != Stage::Over {
            self.events.push_back(Event::Closed { code, text, class });
        }
    }

    fn log_in(&mut self, offered: &[u8]) -> Result<(), SessionError> {
        let offered = String::from_utf8_lossy(offered).into_owned();
        let has = |name| offered.split(' ').any(|one| one == name);
        let (mechanism, response) = if has("PLAIN") {
            let response = ["", &self.login.user, &self.login.password].join("\0");
            ("PLAIN", response.into_bytes())
        } else if has("AMQPLAIN") {
            let table: Table = vec![
                ("LOGIN".into(), Value::from(self.login.user.as_str())),
                ("PASSWORD".into(), Value::from(self.login.password.as_str())),
            ];
            let mut response = Vec::new();
            table.put(&mut response);
            // The fields of a table, but not their length.
            ("AMQPLAIN", response.split_off(4))
        } else {
            return Err(SessionError::NoMechanism(offered));
        };
        let capabilities: Table = [
            "publisher_confirms",
            "basic.nack",
            "connection.blocked",
            "authentication_failure_close",
        ]
        .map(|name| (name.to_owned(), true.into()))
        .into();
        let properties = vec![
            ("product".into(), "Corten".into()),
            ("connection_name".into(), self.login.name.as_str().into()),
            ("capabilities".into(), Value::Table(capabilities)),
        ];
        let locale = "en_US".to_owned();
        let (mechanism, channel) = (mechanism.to_owned(), 0);
        self.say_on(
            channel,
            Method::ConnectionStartOk {
                properties,
                mechanism,
                response,
                locale,
            },
        );
        Ok(())
    }

    fn tune(&mut self, channel_max: u16, frame_max: u32, heartbeat: u16) {
        // Nought sets no limit; less than the minimum is nonsense.
        self.frame_max = match frame_max {
            0 => FRAME_MAX,
            limit => limit.clamp(FIRST_FRAMES, FRAME_MAX),
        };
        // The shorter of the two, unless one side wants none.
        self.heartbeat = match (heartbeat, self.login.heartbeat) {
            (0, other) | (other, 0) => other,
            (theirs, ours) => theirs.min(ours),
        };
        let answer = Method::ConnectionTuneOk {
            channel_max,
            frame_max: self.frame_max,
            heartbeat: self.heartbeat,
        };
        self.say_on(0, answer);
        let open = Method::ConnectionOpen {
            vhost: self.login.vhost.clone(),
            reserved_1: String::new(),
            reserved_2: 0,
        };
        self.say_on(0, open);
    }
}

#[cfg(test)]
mod tests;
