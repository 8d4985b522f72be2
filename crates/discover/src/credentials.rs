//! Who logs in to which BMC.
//!
//! One login for all, or a file that names one for each address or network. The narrowest entry
//! counts, and only that one: trying several would be guessing, and BMCs lock accounts for it.

use drivers::redfish::info::Login;
use outbound::Network;
use serde::Deserialize;
use std::{collections::BTreeMap, fmt, net::IpAddr};

/// Why a file of credentials cannot be used. Nothing of its content is repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialsError {
    #[error(
        "it is not of the form `10.0.0.0/24: {{username: …, password: …}}`, with `default` for all \
         other addresses"
    )]
    Form,
    #[error("its entry '{0}' is neither an address, nor a network, nor `default`")]
    Place(String),
    #[error("it has no entry")]
    Empty,
}

/// The logins; prints none of them.
#[derive(Clone, Default)]
pub struct Credentials {
    /// The narrowest first.
    entries: Vec<(Option<Network>, Login)>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries.len();
        f.debug_struct("Credentials")
            .field("entries", &entries)
            .finish()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoginEntry {
    username: String,
    password: String,
}

impl Credentials {
    /// The same for every BMC.
    pub fn everywhere(user: String, password: String) -> Self {
        Self {
            entries: vec![(None, Login { user, password })],
        }
    }

    /// Reads a file, in YAML or JSON.
    pub fn parse(text: &str) -> Result<Self, CredentialsError> {
        // What the parser says may quote the line, and the password stands in it.
        let file: BTreeMap<String, LoginEntry> =
            serde_saphyr::from_str(text).map_err(|_| CredentialsError::Form)?;
        let mut entries = Vec::new();
        for (place, entry) in file {
            let login = Login {
                user: entry.username,
                password: entry.password,
            };
            let network = match place.as_str() {
                "default" => None,
                text => {
                    let network = text.parse::<Network>();
                    Some(network.map_err(|_| CredentialsError::Place(place.clone()))?)
                }
            };
            entries.push((network, login));
        }
        if entries.is_empty() {
            return Err(CredentialsError::Empty);
        }
        entries.sort_by_key(|(network, _)| match network {
            Some(network) => -i16::from(network.prefix_length()),
            None => 1,
        });
        Ok(Self { entries })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Who logs in to the BMC at an address.
    pub fn of(&self, address: IpAddr) -> Option<&Login> {
        let holds = |network: &Option<Network>| network.is_none_or(|it| it.contains(address));
        let found = self.entries.iter().find(|(network, _)| holds(network));
        found.map(|(_, login)| login)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_entry_counts() {
        let text = "default: {username: a, password: p}\n\
                    10.0.0.0/8: {username: b, password: p}\n\
                    10.0.0.7: {username: c, password: p}\n\
                    10.0.0.0/24: {username: d, password: p}\n";
        let credentials = Credentials::parse(text).unwrap();
        let user = |address: &str| {
            let login = credentials.of(address.parse().unwrap()).unwrap();
            login.user.clone()
        };
        assert_eq!(user("10.0.0.7"), "c");
        assert_eq!(user("10.0.0.8"), "d");
        assert_eq!(user("10.1.0.8"), "b");
        assert_eq!(user("192.0.2.1"), "a");
        assert_eq!(user("fd00::1"), "a");
    }

    #[test]
    fn an_address_without_an_entry_is_not_logged_in_to() {
        let text = r#"{"10.0.0.0/24": {"username": "a", "password": "p"}}"#;
        let credentials = Credentials::parse(text).unwrap();
        assert!(credentials.of("10.0.1.1".parse().unwrap()).is_none());
        assert!(
            Credentials::default()
                .of("10.0.0.1".parse().unwrap())
                .is_none()
        );
    }

    #[test]
    fn no_complaint_about_a_file_repeats_its_passwords() {
        for text in [
            "default: {username: a, password: tops3cret, more: x}",
            "default: tops3cret",
            "- tops3cret",
            "rack7: {username: a, password: tops3cret}",
        ] {
            let refused = Credentials::parse(text).unwrap_err();
            assert!(!format!("{refused} {refused:?}").contains("tops3cret"));
        }
        let all = Credentials::everywhere("a".into(), "tops3cret".into());
        assert!(!format!("{all:?}").contains("tops3cret"));
        assert_eq!(
            Credentials::parse("{}").unwrap_err(),
            CredentialsError::Empty
        );
    }
}
