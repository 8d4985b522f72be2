//! The publisher's side of a connection, without the socket.
//!
//! One connection and one channel, in confirm mode (an extension of RabbitMQ): the server confirms
//! each message. The server processes a channel in order, so a client need not wait for the answer
//! to a declaration before it publishes: a refused declaration closes the channel, and then no
//! later message is confirmed.

use super::{
    DecodeError, Frame, Method, PROTOCOL_HEADER, Properties, Table, Value,
    field::Wire,
    frame::{self, OVERHEAD},
    method::{self, MULTIPLE},
};
use std::collections::VecDeque;

/// The largest frame before tuning: `frame-min-size` of AMQP 0-9-1.
const FIRST_FRAMES: u32 = 4096;
/// The largest frame that we negotiate.
const FRAME_MAX: u32 = 131_072;
const CHANNEL: u16 = 1;

/// The credentials and parameters of a connection.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    pub user: String,
    pub password: String,
    pub vhost: String,
    /// The heartbeat interval that we propose, in seconds; 0 for none.
    pub heartbeat: u16,
    /// The connection name that RabbitMQ's tools show.
    pub name: String,
}

/// Hides the password.
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

/// What happened on the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Messages may be published.
    Ready,
    /// The server has stored this message, or all up to it (`basic.ack`).
    Confirmed {
        tag: u64,
        multiple: bool,
    },
    /// The server could not store this message, or all up to it (`basic.nack`).
    Refused {
        tag: u64,
        multiple: bool,
    },
    /// The server could not route a message to a queue (`basic.return`). A confirmation follows.
    Returned {
        text: String,
    },
    /// Stop publishing: the server is out of memory or disk space.
    Blocked {
        reason: String,
    },
    Unblocked,
    /// The channel or the connection was closed by the server, with its reason.
    Closed {
        code: u16,
        text: String,
        /// The class of the method that failed; 0 if the error was not caused by one.
        class: u16,
    },
    /// The server agreed to our close.
    Ended,
}

/// Why a connection cannot continue.
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

/// The state of the connection.
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
    /// A new connection; its first output is the protocol header.
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

    /// Takes the bytes to send.
    pub fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    /// Takes the next event.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The negotiated heartbeat in seconds; 0 for none. Valid once the session is ready.
    pub fn heartbeat(&self) -> u16 {
        self.heartbeat
    }

    /// Takes received bytes in; frames may be split anywhere.
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

    /// Queues a heartbeat frame.
    pub fn beat(&mut self) {
        Frame::Heartbeat.encode(&mut self.outbox);
    }

    /// Declares an exchange of type `topic`. With the flag `PASSIVE` it must exist, of any type.
    pub fn declare_exchange(&mut self, exchange: &str, flags: u8) {
        self.say(Method::ExchangeDeclare {
            reserved: 0,
            exchange: exchange.into(),
            kind: "topic".into(),
            flags,
            arguments: Table::new(),
        });
    }

    /// Declares a queue and binds it to `exchange`, with its name as the routing key.
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

    /// Publishes a message as `mandatory`; returns the delivery tag of its confirmation.
    ///
    /// In confirm mode both sides count published messages from 1; the tag is not on the wire.
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

    /// Closes the connection; [`Event::Ended`] is the answer.
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
            // Content frames belong to a returned message; `basic.return` had the reason.
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
            // After the close, methods that the server sent before it are ignored.
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
            // AMQPLAIN sends a field table without its length.
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
        // Zero means no limit; less than frame-min-size is invalid.
        self.frame_max = match frame_max {
            0 => FRAME_MAX,
            limit => limit.clamp(FIRST_FRAMES, FRAME_MAX),
        };
        // The shorter interval; zero on one side leaves the choice to the other.
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
