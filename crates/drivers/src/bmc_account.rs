//! The account that a node logs in to its BMC with, and a new password for it.
//!
//! Here is what a password is made of and which accounts are the same; how a BMC is told is in
//! `ipmi::account` and `redfish::account`. When it is told, and what is remembered of it, is the
//! conductor's: nothing here decides which of two passwords is kept.

use crate::{DriverError, Failure, iface::Machine, ipmi, redfish};
use async_trait::async_trait;
use std::{error::Error, fmt};
use types::{JsonMap, LeaseProof, bmc_password::PasswordLength};

/// Exactly 64, so that every byte has six bits of use. Nothing that a shell, a URL or the parser of
/// a BMC takes for something else.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A password of an account; prints nothing of itself.
#[derive(Clone, PartialEq, Eq)]
pub struct BmcPassword(String);

impl fmt::Debug for BmcPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BmcPassword(…)")
    }
}

impl BmcPassword {
    /// One that is known already.
    pub fn known(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// One that nobody can guess. It begins with a letter, and has letters of both cases, a digit
    /// and a mark, because many BMCs ask for these.
    pub fn random(length: PasswordLength) -> Result<Self, DriverError> {
        loop {
            let mut bytes = vec![0; length.get()];
            getrandom::fill(&mut bytes).map_err(|error| {
                let cause: Box<dyn Error + Send + Sync> = error.to_string().into();
                DriverError::Environment(Failure::because("making a password", cause))
            })?;
            if let Some(password) = spelled(&bytes) {
                return Ok(Self(password));
            }
        }
    }

    /// To be sent or sealed; never to be logged or told.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// The password that random bytes mean, unless it lacks something. Leaving those out makes all
/// others as likely as each other.
fn spelled(bytes: &[u8]) -> Option<String> {
    let letters = bytes
        .iter()
        .filter_map(|byte| ALPHABET.get(usize::from(byte & 0x3f)));
    let text: String = letters.map(|letter| char::from(*letter)).collect();
    let has = |wanted: fn(&char) -> bool| text.chars().any(|c| wanted(&c));
    let is_complete = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_digit)
        && has(char::is_ascii_punctuation);
    is_complete.then_some(text)
}

/// What speaks to the BMC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Ipmi,
    Redfish,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ipmi => "IPMI",
            Self::Redfish => "Redfish",
        })
    }
}

/// An account of a BMC, as a node's `driver_info` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub protocol: Protocol,
    /// In lower case.
    pub host: String,
    pub port: u16,
    pub user: String,
    /// The key of `driver_info` that holds its password.
    pub key: &'static str,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        let name = match self.user.as_str() {
            "" => "without a name".to_owned(),
            user => format!("{user:?}"),
        };
        write!(f, "account {name} of the BMC at {host} port {port}")
    }
}

impl Account {
    /// Whether a password of the one may be that of the other. BMCs use one account for all protocols,
    /// which have different ports.
    pub fn may_be(&self, other: &Self) -> bool {
        self.user == other.user
            && self.host == other.host
            && (self.protocol != other.protocol || self.port == other.port)
    }

    /// All accounts that a `driver_info` names, whether the node uses them or not. Its secrets may be
    /// sealed.
    pub fn all_in(driver_info: &JsonMap) -> Vec<Self> {
        let mut all = redfish::info::accounts(driver_info);
        all.extend(ipmi::info::account(driver_info));
        all
    }
}

/// What a BMC answers to a name and a password.
#[derive(Debug)]
pub enum LoginAnswer {
    Accepted,
    /// Wrong, or locked: it does not tell.
    Refused(DriverError),
}

/// Hardware whose password can be changed.
#[async_trait]
pub trait BmcAccount: Send + Sync {
    /// The account that the node logs in with.
    fn account(&self, machine: &Machine<'_>) -> Result<Account, DriverError>;

    /// Gives it another password, by the present one in `driver_info`. Fails also where the BMC may
    /// have taken it.
    async fn set_password(
        &self,
        lease: &LeaseProof,
        machine: &Machine<'_>,
        new: &BmcPassword,
    ) -> Result<(), DriverError>;

    /// Logs in with a password, in a session of its own and once: BMCs lock accounts after a few
    /// wrong ones. An error tells nothing about the password.
    async fn log_in(
        &self,
        machine: &Machine<'_>,
        password: &BmcPassword,
    ) -> Result<LoginAnswer, DriverError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn passwords_have_what_bmcs_ask_for() {
        let mut seen = std::collections::HashSet::new();
        for length in [12, 16, 20] {
            let length = PasswordLength::new(length).unwrap();
            for _ in 0..200 {
                let password = BmcPassword::random(length).unwrap();
                let text = password.expose();
                assert_eq!(text.len(), length.get());
                assert!(text.bytes().all(|byte| ALPHABET.contains(&byte)), "{text}");
                assert_eq!(format!("{password:?}"), "BmcPassword(…)");
                assert!(seen.insert(text.to_owned()), "twice the same");
            }
        }
    }

    #[test]
    fn what_lacks_something_is_no_password() {
        let spell = |text: &str| {
            let bytes = text.bytes();
            let bytes: Vec<u8> = bytes
                .map(|c| u8::try_from(ALPHABET.iter().position(|a| *a == c).unwrap()).unwrap())
                .collect();
            spelled(&bytes)
        };
        assert_eq!(spell("aB3-").as_deref(), Some("aB3-"));
        for text in ["aB33", "ab3-", "AB3-", "aBc-", "3aB-", "-aB3"] {
            assert_eq!(spell(text), None, "{text}");
        }
    }

    #[test]
    fn accounts_are_the_same_by_host_and_user() {
        let all = |info: serde_json::Value| Account::all_in(info.as_object().unwrap());
        let ipmi = all(json!({"ipmi_address": "BMC.example", "ipmi_username": "admin"}));
        let both = all(json!({
            "redfish_address": "https://bmc.example", "redfish_username": "admin",
            "ipmi_address": "bmc.example", "ipmi_username": "other",
        }));
        assert_eq!((ipmi.len(), both.len()), (1, 2));
        assert!(ipmi[0].may_be(&both[0]), "one account for both protocols");
        assert!(!ipmi[0].may_be(&both[1]), "another user");
        let another = all(json!({
            "ipmi_address": "bmc.example", "ipmi_port": 6230, "ipmi_username": "admin",
        }));
        assert!(!ipmi[0].may_be(&another[0]), "another port is another BMC");
        assert!(all(json!({"ssh_address": "h"})).is_empty());
        assert_eq!(
            ipmi[0].to_string(),
            "account \"admin\" of the BMC at bmc.example port 623"
        );
    }
}
