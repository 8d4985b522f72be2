//! Logins by HTTP Digest.

use super::{Account, locked};
use axum::http::{HeaderMap, header};
use proto::http_digest::{Algorithm, Challenge, Credentials};
use std::{collections::VecDeque, sync::Mutex};

/// How many challenges may be open.
const MOST: usize = 64;

/// Who lets clients in.
#[derive(Debug)]
pub(super) struct Doorman {
    account: Account,
    realm: String,
    nonces: Mutex<Nonces>,
}

#[derive(Debug, Default)]
struct Nonces {
    made: u64,
    /// Each with the highest count that was seen of it.
    open: VecDeque<(String, u32)>,
    /// Whether each may be used once only.
    is_brief: bool,
}

impl Doorman {
    pub(super) fn new(account: Account, realm: &str) -> Self {
        Self {
            account,
            realm: realm.to_owned(),
            nonces: Mutex::default(),
        }
    }

    /// From now on each challenge can be answered once.
    pub(super) fn be_brief(&self) {
        locked(&self.nonces).is_brief = true;
    }

    /// Whether the client is known; otherwise what it is asked.
    pub(super) fn admits(
        &self,
        headers: &HeaderMap,
        method: &str,
        path: &str,
    ) -> Result<(), String> {
        let told = headers.get(header::AUTHORIZATION);
        let told = told.and_then(|told| Credentials::parse(told.to_str().ok()?));
        let is_right = told.as_ref().is_some_and(|told| {
            told.user == self.account.user
                && told.realm == self.realm
                && told.uri == path
                && told.is_right(&self.account.password, method)
        });
        if let Some(told) = told.filter(|_| is_right)
            && self.is_new(&told)
        {
            return Ok(());
        }
        Err(self.challenge(is_right).header())
    }

    /// Whether the nonce is ours, and was not used so often before.
    fn is_new(&self, told: &Credentials) -> bool {
        let fresh = told.fresh.as_ref();
        let count = fresh.and_then(|fresh| u32::from_str_radix(&fresh.count, 16).ok());
        let mut nonces = locked(&self.nonces);
        let highest = if nonces.is_brief { 1 } else { u32::MAX };
        let mut open = nonces.open.iter_mut();
        match (open.find(|(nonce, _)| *nonce == told.nonce), count) {
            (Some((_, seen)), Some(count)) if count > *seen && count <= highest => {
                *seen = count;
                true
            }
            _ => false,
        }
    }

    fn challenge(&self, is_stale: bool) -> Challenge {
        let mut nonces = locked(&self.nonces);
        nonces.made += 1;
        let nonce = format!("{:016x}", nonces.made.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        nonces.open.push_back((nonce.clone(), 0));
        if nonces.open.len() > MOST {
            nonces.open.pop_front();
        }
        Challenge {
            realm: self.realm.clone(),
            nonce,
            opaque: None,
            algorithm: Algorithm::Md5,
            has_qop: true,
            is_stale,
        }
    }
}
