//! Secrets that were given to a program, so that they are not found in what it says.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, PoisonError},
};
use types::mask::{self, MASK};

/// How many are remembered. A program may say later what it was told before.
const MOST: usize = 4096;
/// Shorter ones would blot out half of every text.
const SHORTEST: usize = 4;

/// What a program was told and must not repeat.
#[derive(Debug, Default)]
pub(super) struct Secrets(Mutex<Known>);

#[derive(Default)]
struct Known {
    order: VecDeque<String>,
    all: HashSet<String>,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.all.len())
    }
}

impl Secrets {
    pub(super) fn learn(&self, secrets: &[String]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for secret in secrets {
            if secret.len() >= SHORTEST && known.all.insert(secret.clone()) {
                known.order.push_back(secret.clone());
                if known.order.len() > MOST
                    && let Some(oldest) = known.order.pop_front()
                {
                    known.all.remove(&oldest);
                }
            }
        }
    }

    /// A text without them.
    pub(super) fn blot(&self, text: &str) -> String {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blot(text, known.order.iter())
    }
}

/// A text without these secrets, and without others that look like some.
pub(super) fn blot<'s>(text: &str, secrets: impl Iterator<Item = &'s String>) -> String {
    let mut out = text.to_owned();
    for secret in secrets {
        if secret.len() >= SHORTEST && out.contains(secret.as_str()) {
            out = out.replace(secret.as_str(), MASK);
        }
    }
    mask::text(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_not_repeated() {
        let secrets = Secrets::default();
        secrets.learn(&["hunter2".to_owned(), "abc".to_owned()]);
        let said = secrets.blot("login with hunter2 failed, password=other, abc");
        assert_eq!(said, "login with ****** failed, password=******, abc");
    }

    #[test]
    fn only_so_many_are_remembered() {
        let secrets = Secrets::default();
        for i in 0..MOST + 10 {
            secrets.learn(&[format!("secret-{i:06}")]);
        }
        assert_eq!(secrets.0.lock().unwrap().order.len(), MOST);
        assert_eq!(secrets.blot("secret-000000"), "secret-000000");
        assert_eq!(secrets.blot("secret-004100"), MASK);
    }
}
