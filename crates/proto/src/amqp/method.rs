//! Methods: the commands of the protocol (AMQP 0-9-1 §4.2.4), those that a publisher sends and
//! receives.
//!
//! Successive bit arguments share one byte on the wire (§4.2.5.2), so they share a field here too;
//! the constants name their bits. `basic.nack`, `confirm.*` and `connection.blocked` are extensions
//! of RabbitMQ.

use super::{
    DecodeError, Table,
    field::{Input, Wire},
};

/// Bit of [`Method::ExchangeDeclare`] and [`Method::QueueDeclare`]: it must exist, and is not made.
pub const PASSIVE: u8 = 1;
/// Bit of both: it survives a restart of the server.
pub const DURABLE: u8 = 1 << 1;
/// Bit of [`Method::ExchangeDeclare`].
pub const EXCHANGE_AUTO_DELETE: u8 = 1 << 2;
/// Bit of [`Method::QueueDeclare`].
pub const QUEUE_AUTO_DELETE: u8 = 1 << 3;
/// Bit of [`Method::BasicPublish`]: the server returns a message that it cannot route to a queue.
pub const MANDATORY: u8 = 1;
/// Bit of [`Method::BasicAck`] and [`Method::BasicNack`]: all messages up to the tag.
pub const MULTIPLE: u8 = 1;

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident ($class:literal, $method:literal) { $($field:ident: $kind:ty),* })*) => {
        /// A method with its arguments.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Method {
            $($(#[$doc])* $name { $($field: $kind),* },)*
        }

        impl Method {
            /// Class and number.
            pub fn id(&self) -> (u16, u16) {
                match self {
                    $(Self::$name { .. } => ($class, $method),)*
                }
            }

            /// Encodes the payload of a method frame.
            pub fn encode(&self, out: &mut Vec<u8>) {
                let (class, method) = self.id();
                class.put(out);
                method.put(out);
                match self {
                    $(Self::$name { $($field),* } => {
                        $($field.put(out);)*
                    })*
                }
            }

            /// Decodes the payload of a method frame.
            pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
                let input = &mut Input::new(bytes);
                let (class, method) = (u16::take(input)?, u16::take(input)?);
                let decoded = match (class, method) {
                    $(($class, $method) => Self::$name {
                        $($field: Wire::take(input)?),*
                    },)*
                    _ => return Err(DecodeError::Method { class, method }),
                };
                if input.is_empty() { Ok(decoded) } else { Err(DecodeError::Surplus) }
            }
        }
    };
}

methods! {
    ConnectionStart (10, 10) {
        major: u8, minor: u8, properties: Table, mechanisms: Vec<u8>, locales: Vec<u8>
    }
    ConnectionStartOk (10, 11) {
        properties: Table, mechanism: String, response: Vec<u8>, locale: String
    }
    /// A further challenge of the login, which neither of our mechanisms has.
    ConnectionSecure (10, 20) { challenge: Vec<u8> }
    ConnectionTune (10, 30) { channel_max: u16, frame_max: u32, heartbeat: u16 }
    ConnectionTuneOk (10, 31) { channel_max: u16, frame_max: u32, heartbeat: u16 }
    ConnectionOpen (10, 40) { vhost: String, reserved_1: String, reserved_2: u8 }
    ConnectionOpenOk (10, 41) { reserved: String }
    ConnectionClose (10, 50) { code: u16, text: String, class: u16, method: u16 }
    ConnectionCloseOk (10, 51) {}
    /// The server accepts no messages for now: memory or disk alarm.
    ConnectionBlocked (10, 60) { reason: String }
    ConnectionUnblocked (10, 61) {}
    ChannelOpen (20, 10) { reserved: String }
    ChannelOpenOk (20, 11) { reserved: Vec<u8> }
    ChannelFlow (20, 20) { active: u8 }
    ChannelFlowOk (20, 21) { active: u8 }
    ChannelClose (20, 40) { code: u16, text: String, class: u16, method: u16 }
    ChannelCloseOk (20, 41) {}
    ExchangeDeclare (40, 10) {
        reserved: u16, exchange: String, kind: String, flags: u8, arguments: Table
    }
    ExchangeDeclareOk (40, 11) {}
    QueueDeclare (50, 10) { reserved: u16, queue: String, flags: u8, arguments: Table }
    QueueDeclareOk (50, 11) { queue: String, messages: u32, consumers: u32 }
    QueueBind (50, 20) {
        reserved: u16, queue: String, exchange: String, routing_key: String, no_wait: u8,
        arguments: Table
    }
    QueueBindOk (50, 21) {}
    BasicPublish (60, 40) { reserved: u16, exchange: String, routing_key: String, flags: u8 }
    BasicReturn (60, 50) { code: u16, text: String, exchange: String, routing_key: String }
    BasicAck (60, 80) { tag: u64, flags: u8 }
    BasicNack (60, 120) { tag: u64, flags: u8 }
    ConfirmSelect (85, 10) { no_wait: u8 }
    ConfirmSelectOk (85, 11) {}
}
