//! A machine's console, as whoever uses it sees it.
//!
//! Everybody who joins a console reads what the machine says; one at a time may type. The line is
//! a pair of ends with plain messages, not of sockets, so that it can be carried to another
//! process as they are. The screen of a graphical console is such a pair too: its characters are the
//! bytes of RFB, and each viewer has one of its own.

use serde::{Deserialize, Serialize};

/// How somebody wants to join.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleWish {
    /// To type as well, if nobody else does.
    pub write: bool,
    /// To type even if somebody else does, who may only read from then on.
    pub take_over: bool,
}

/// What lets viewers see the screen of a machine. Never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScreenToken(pub String);

impl std::fmt::Debug for ScreenToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ScreenToken").finish_non_exhaustive()
    }
}

/// What a user sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsoleInput {
    Characters(Vec<u8>),
    /// The signal that is no character.
    Break,
    /// To be the one who types from now on.
    TakeOver,
}

/// What a user gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsoleOutput {
    Characters(Vec<u8>),
    /// Whether what the user types goes to the machine from now on.
    Writer(bool),
    /// So many bytes were lost, because the user took them too slowly.
    Lost(u64),
    /// Why the console has ended. Nothing follows.
    Ended(String),
}

/// The end of a console that is read from.
#[async_trait::async_trait]
pub trait ConsoleReader: Send {
    /// `None` when it is over.
    async fn next(&mut self) -> Option<ConsoleOutput>;
}

/// The end of a console that is written to. Dropping it leaves the console.
#[async_trait::async_trait]
pub trait ConsoleWriter: Send {
    /// Waits until there is room. Returns whether the console is still there.
    async fn send(&mut self, input: ConsoleInput) -> bool;
}

/// A user's two ends of a console.
pub struct ConsoleLine {
    pub reader: Box<dyn ConsoleReader>,
    pub writer: Box<dyn ConsoleWriter>,
}

impl std::fmt::Debug for ConsoleLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConsoleLine")
    }
}
