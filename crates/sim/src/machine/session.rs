//! Sessions of the web service: tokens, their time-out and their number.

use std::time::Duration;
use types::hex;

/// A session of a user.
#[derive(Debug)]
pub struct Session {
    pub number: u32,
    pub user: String,
    token: String,
    used: Duration,
}

/// The sessions of one BMC.
#[derive(Debug, Default)]
pub struct Sessions {
    open: Vec<Session>,
    last: u32,
}

impl Sessions {
    pub fn open(&self) -> &[Session] {
        &self.open
    }

    /// Logs in, unless there are too many already. Says the number and the token.
    pub fn log_in(&mut self, user: &str, now: Duration, limit: usize) -> Option<(u32, String)> {
        if self.open.len() >= limit {
            return None;
        }
        let token = token()?;
        self.last += 1;
        self.open.push(Session {
            number: self.last,
            user: user.to_owned(),
            token: token.clone(),
            used: now,
        });
        Some((self.last, token))
    }

    /// Whose token it is; using it puts its end off.
    pub fn user_of(&mut self, token: &str, now: Duration) -> Option<(u32, String)> {
        let session = self
            .open
            .iter_mut()
            .find(|session| session.token == token)?;
        session.used = now;
        Some((session.number, session.user.clone()))
    }

    pub fn log_out(&mut self, number: u32) -> bool {
        let before = self.open.len();
        self.open.retain(|session| session.number != number);
        self.open.len() < before
    }

    /// Ends those that were not used for so long.
    pub fn expire(&mut self, now: Duration, timeout: Duration) {
        self.open
            .retain(|session| now.saturating_sub(session.used) < timeout);
    }

    /// The BMC restarts, or loses its memory.
    pub fn forget(&mut self) {
        self.open.clear();
    }
}

/// A random token; `None` if the system provides no random numbers.
fn token() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex::encode(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_limited_and_end_by_themselves() {
        let s = Duration::from_secs;
        let mut sessions = Sessions::default();
        let (first, token) = sessions.log_in("ada", s(0), 2).unwrap();
        sessions.log_in("ada", s(0), 2).unwrap();
        assert_eq!(sessions.log_in("ada", s(0), 2), None);
        assert_eq!(
            sessions.user_of(&token, s(20)),
            Some((first, "ada".to_owned()))
        );
        assert_eq!(sessions.user_of("guess", s(20)), None);
        sessions.expire(s(30), s(30));
        assert_eq!(sessions.open().len(), 1);
        assert!(sessions.log_out(first));
        assert!(!sessions.log_out(first));
    }
}
