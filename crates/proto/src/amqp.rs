//! AMQP 0-9-1, as far as it takes to publish: frames, methods, contents, and the conversation.
//!
//! [`frame`] cuts the stream, [`method`] and [`content`] are what frames hold, [`field`] is what
//! those are made of. [`session`] is a publisher without a socket: it is given what arrived and
//! says what to send. Consuming is left out; whoever reads our messages is somebody else.

pub mod content;
pub mod field;
pub mod frame;
pub mod method;
pub mod session;

pub use content::Properties;
pub use field::{Table, Value};
pub use frame::{Frame, PROTOCOL_HEADER};
pub use method::Method;
pub use session::{Event, Login, Session, SessionError};

/// Bytes that are not what they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("a frame ends in the middle of a field")]
    Short,
    #[error("a frame of {size} bytes is larger than the {limit} that were agreed on")]
    TooLarge { size: u64, limit: u32 },
    #[error("a frame does not end where it says")]
    NoEnd,
    #[error("frames of type {0} are unknown")]
    FrameType(u8),
    #[error("method {class}.{method} is unknown")]
    Method { class: u16, method: u16 },
    #[error("fields of type '{}' are unknown", char::from(*.0))]
    FieldType(u8),
    #[error("tables are nested too deeply")]
    Depth,
    #[error("a text is not UTF-8")]
    Text,
    #[error("a frame is longer than what it holds")]
    Surplus,
    #[error("the other side speaks another protocol")]
    Protocol,
}

#[cfg(test)]
mod tests;
