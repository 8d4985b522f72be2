//! `transport_url`, as oslo.messaging reads it:
//! `rabbit://user:password@host:port,user:password@host:port/vhost?option=value`.

use std::fmt;
use types::percent;

const PORT: u16 = 5672;

/// One server with user name and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Host {
    pub name: String,
    pub port: u16,
    pub user: String,
    pub password: String,
}

/// Host and port, as one writes them.
impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]:{}", self.name, self.port)
        } else {
            write!(f, "{}:{}", self.name, self.port)
        }
    }
}

/// The password stays hidden.
impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{self}", self.user)
    }
}

/// The parsed `transport_url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Never empty.
    pub hosts: Vec<Host>,
    pub vhost: String,
    /// Options in the address, which win over those of `[oslo_messaging_rabbit]`.
    pub options: Vec<(String, String)>,
}

/// An address that cannot be used. It does not quote what may be a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("it must begin with rabbit:// (or kombu://)")]
    Scheme,
    #[error("the port of a host is not a number between 1 and 65535")]
    Port,
    #[error("a host name is missing")]
    Name,
    #[error("invalid percent-encoding: % must be followed by two hexadecimal digits of UTF-8 text")]
    Percent,
}

impl Address {
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::Scheme)?;
        // `rabbit+driver`: the part after `+` selects kombu's driver, which does not matter here.
        let scheme = scheme.split('+').next().unwrap_or_default();
        if !matches!(scheme, "rabbit" | "kombu") {
            return Err(AddressError::Scheme);
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut hosts = hosts
            .split(',')
            .filter(|host| !host.is_empty())
            .map(host)
            .collect::<Result<Vec<_>, _>>()?;
        if hosts.is_empty() {
            hosts.push(host("localhost")?);
        }
        let vhost = match decoded(path)? {
            path if path.is_empty() => "/".to_owned(),
            path => path,
        };
        let options = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| Ok((decoded(name)?, decoded(value)?)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            hosts,
            vhost,
            options,
        })
    }

    /// An option of the address; the last one wins.
    pub fn option(&self, name: &str) -> Option<&str> {
        let mut found = self.options.iter().rev();
        found
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

fn host(text: &str) -> Result<Host, AddressError> {
    let (login, place) = match text.rsplit_once('@') {
        Some((login, place)) => (Some(login), place),
        None => (None, text),
    };
    let (user, password) = match login.map(|login| login.split_once(':').unwrap_or((login, ""))) {
        Some((user, password)) => (decoded(user)?, decoded(password)?),
        // RabbitMQ's default account.
        None => ("guest".to_owned(), "guest".to_owned()),
    };
    let (name, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (name, port) = rest.split_once(']').ok_or(AddressError::Name)?;
            (name, port.strip_prefix(':'))
        }
        None => match place.rsplit_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (place, None),
        },
    };
    if name.is_empty() {
        return Err(AddressError::Name);
    }
    let port = match port.filter(|port| !port.is_empty()) {
        Some(port) => port.parse().map_err(|_| AddressError::Port)?,
        None => PORT,
    };
    if port == 0 {
        return Err(AddressError::Port);
    }
    Ok(Host {
        name: name.to_owned(),
        port,
        user,
        password,
    })
}

fn decoded(text: &str) -> Result<String, AddressError> {
    let decoded = percent::decode_strictly(text).map_err(|_| AddressError::Percent)?;
    Ok(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_oslo_reads_them() {
        let shown = |text: &str| {
            let address = Address::parse(text).unwrap();
            let hosts: Vec<String> = address
                .hosts
                .iter()
                .map(|host| format!("{}:{}@{host}", host.user, host.password))
                .collect();
            (hosts.join(" "), address.vhost)
        };
        for (text, hosts, vhost) in [
            ("rabbit://", "guest:guest@localhost:5672", "/"),
            ("rabbit://h", "guest:guest@h:5672", "/"),
            ("rabbit://u:p@h:1/", "u:p@h:1", "/"),
            ("rabbit://u:p@h:1//", "u:p@h:1", "/"),
            ("rabbit://u:p@h:1/%2F", "u:p@h:1", "/"),
            ("rabbit://u:p@h:1/cloud", "u:p@h:1", "cloud"),
            (
                "kombu+memory://u:p%40%2f:x@[::1]/v",
                "u:p@/:x@[::1]:5672",
                "v",
            ),
            (
                "rabbit://a:b@h1:1,c:d@h2/v?ssl=1",
                "a:b@h1:1 c:d@h2:5672",
                "v",
            ),
        ] {
            assert_eq!(shown(text), (hosts.to_owned(), vhost.to_owned()), "{text}");
        }
        let address = Address::parse("rabbit://h/?ssl=0&ssl=1&ssl_ca_file=%2Fca.pem").unwrap();
        assert_eq!(address.option("ssl"), Some("1"));
        assert_eq!(address.option("ssl_ca_file"), Some("/ca.pem"));
        assert_eq!(address.option("heartbeat_rate"), None);
    }

    #[test]
    fn what_cannot_be_used_is_refused_without_quoting_it() {
        for (text, error) in [
            ("", AddressError::Scheme),
            ("amqp1://h", AddressError::Scheme),
            ("kafka://h", AddressError::Scheme),
            ("rabbit://u:sesame@h:70000", AddressError::Port),
            ("rabbit://u:sesame@h:0", AddressError::Port),
            ("rabbit://u:sesame@:5672", AddressError::Name),
            ("rabbit://u:sesame@[::1:5672", AddressError::Name),
            ("rabbit://u:%zz@h", AddressError::Percent),
            ("rabbit://u:%ff@h", AddressError::Percent),
        ] {
            let refused = Address::parse(text).unwrap_err();
            assert_eq!(refused, error, "{text}");
            assert!(!refused.to_string().contains("sesame"));
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let address = Address::parse("rabbit://u:sesame@h:1,v:sesame@i").unwrap();
        assert!(!format!("{address:?}").contains("sesame"));
    }
}
