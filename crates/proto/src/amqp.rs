//! AMQP 0-9-1 for a publisher: frames, methods, content headers, and the exchange with the server.
//!
//! [`frame`] splits the stream, [`method`] and [`content`] are the payloads of frames, [`field`]
//! are the types that those consist of. [`session`] is a publisher without a socket: the caller
//! passes in what arrived and sends what it returns. Consuming is left out. Why this is not a
//! crate: `docs/decisions/0006-notifications.md`.

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

/// Why bytes cannot be decoded.
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
