//! How a conductor is, seen from here. Only for display: who may take over its work is decided
//! without the wall clock.

use types::{Timestamp, lease::SIGNED_OFF, member::Member};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Alive,
    /// It ends what it has begun.
    Leaving,
    /// It should have given a sign of life, and has not.
    Silent,
    /// It signed off.
    Stopped,
}

impl Standing {
    pub(crate) const ALL: [Self; 4] = [Self::Alive, Self::Leaving, Self::Silent, Self::Stopped];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Leaving => "leaving",
            Self::Silent => "silent",
            Self::Stopped => "stopped",
        }
    }

    /// By whoever watches it, else by the wall clock. A watcher that has just started has not seen
    /// those that started with it, so a conductor that has signed lately is alive all the same.
    pub(crate) fn of(member: &Member, watched: Option<bool>, limit_s: i64, now: Timestamp) -> Self {
        if member.counter == SIGNED_OFF {
            return Self::Stopped;
        }
        let seen = member.updated_at.unwrap_or(member.created_at);
        let recent = now.seconds_since(seen) <= limit_s;
        match (member.online, watched) {
            (false, _) if recent => Self::Leaving,
            (true, Some(true)) => Self::Alive,
            (true, _) if recent => Self::Alive,
            _ => Self::Silent,
        }
    }
}
