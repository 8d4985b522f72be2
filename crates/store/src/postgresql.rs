//! How a PostgreSQL server is reached, and under which TLS.
//!
//! Options that begin with `ssl` mean what they mean to libpq, with two differences that both ask
//! for more: without `sslrootcert`, `verify-full` takes the authorities of the machine instead of
//! those in somebody's home; and options that would change nothing are refused. The client that we
//! use knows only some of them, so they are taken out of the URL here. Files are read for each
//! connection: renewed certificates need no restart.

mod tls;

use crate::{
    StoreError,
    conn::Conn,
    error::{refuses_certificate, with_advice},
};
use ::tls::{Client, TlsError, Trust};
use postgres::{
    Config, NoTls,
    config::{Host, SslMode, TargetSessionAttrs},
    error::SqlState,
};
use std::{error::Error, fmt, path::PathBuf, time::Duration};
use tls::{Connector, Unshaken};
use types::percent;

/// Where the server is, who we are there, which database is ours, and how TLS is spoken.
#[derive(Clone)]
pub struct Postgres {
    config: Config,
    /// None where TLS is not spoken.
    tls: Option<Client>,
}

impl Postgres {
    /// Reads a `postgresql://` URL, or a connection string of words as libpq has it, in which only
    /// `sslmode` can be said about TLS. The reason of a refusal never holds the password.
    pub fn parse(url: &str) -> Result<Self, String> {
        if let Some(reason) = unescaped(url) {
            return Err(reason.into());
        }
        let mut asked = TlsOptions::default();
        let mut rest = url.to_owned();
        if let Some((place, query)) = url.split_once('?').filter(|_| url.contains("://")) {
            if query.contains('@') && !place.contains('@') {
                return Err(
                    "'?' in a user's name or password is written '%3F', and '@' in an \
                            option '%40'"
                        .into(),
                );
            }
            let mut others = Vec::new();
            for pair in query.split('&').filter(|pair| !pair.is_empty()) {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                let value = percent::decode(value).map_err(|error| error.to_string())?;
                if !asked.take(name, &value)? {
                    others.push(pair);
                }
            }
            rest = place.to_owned();
            if !others.is_empty() {
                rest = format!("{place}?{}", others.join("&"));
            }
        }
        let config = rest.parse::<Config>().map_err(|error| why(&error))?;
        let (mode, tls) = asked.settle(config.get_ssl_mode())?;
        Ok(Self::over(impatient(config), mode, tls))
    }

    fn over(mut config: Config, mode: SslMode, tls: Client) -> Self {
        // Without a host name, verify the address itself.
        if config.get_hosts().is_empty() {
            for address in config.get_hostaddrs().to_vec() {
                config.host(&address.to_string());
            }
        }
        // Of several servers only one can be written to, and the others answer too.
        let is_any = config.get_target_session_attrs() == TargetSessionAttrs::Any;
        if is_any && config.get_hosts().len().max(config.get_hostaddrs().len()) > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let is_socket = |host: &Host| matches!(host, Host::Unix(_));
        let is_near = config.get_hosts().iter().all(is_socket);
        // There is no TLS on unix sockets, whatever the mode.
        let mode = if is_near { SslMode::Disable } else { mode };
        config.ssl_mode(mode);
        Self {
            config,
            tls: (mode != SslMode::Disable).then_some(tls),
        }
    }

    /// Name of the database for logs: without its password.
    pub(crate) fn public(&self) -> String {
        let ports = self.config.get_ports();
        // One port for all hosts, or one for each.
        let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        let hosts = self.config.get_hosts().iter().enumerate();
        let hosts: Vec<String> = hosts
            .map(|(index, host)| match host {
                Host::Tcp(name) => format!("{name}:{}", port(index)),
                Host::Unix(folder) => folder.display().to_string(),
            })
            .collect();
        let database = self.config.get_dbname().or(self.config.get_user());
        format!(
            "postgresql://{}/{}",
            hosts.join(","),
            database.unwrap_or_default()
        )
    }

    pub(crate) fn connect(&self) -> Result<Conn, StoreError> {
        /// A process that stands still in the middle of a transaction lets go of its locks.
        const SESSION: &str = "SET idle_in_transaction_session_timeout = '15s'";
        let connected = match &self.tls {
            None => self.config.connect(NoTls),
            Some(tls) => {
                let config = tls.config();
                let config = config.map_err(|e: TlsError| StoreError::Unavailable(Box::new(e)))?;
                match self.config.connect(Connector::new(config)) {
                    Err(error) if self.may_do_without(&error) => {
                        let mut plain = self.config.clone();
                        plain.ssl_mode(SslMode::Disable);
                        // Should this fail too, what went wrong first tells more.
                        plain.connect(NoTls).map_err(|_| error)
                    }
                    other => other,
                }
            }
        };
        let mut client = connected.map_err(|error| {
            const CERTIFICATE: &str = "name the certificate that signed the server's with \
                sslrootcert=FILE in [database]connection, or say sslmode=require to accept any \
                certificate";
            let handshake = unshaken(&error);
            StoreError::Unavailable(match handshake {
                Some(Unshaken(cause)) if refuses_certificate(cause) => {
                    with_advice(&error, CERTIFICATE)
                }
                _ => Box::new(error),
            })
        })?;
        client.batch_execute(SESSION)?;
        Ok(Conn::postgres(client))
    }

    /// Whether TLS is only preferred, and is what the server does not want of us.
    fn may_do_without(&self, error: &postgres::Error) -> bool {
        let handshake = unshaken(error).is_some();
        let refused = error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION);
        self.config.get_ssl_mode() == SslMode::Prefer && (handshake || refused)
    }
}

/// Why there is no TLS with the server, if that is what went wrong.
fn unshaken(error: &postgres::Error) -> Option<&Unshaken> {
    error.source()?.downcast_ref()
}

/// What a user's name or password holds that would be taken for a part of the URL. The parts would
/// be wrong then, and a piece of the password could be taken for a host and told.
fn unescaped(url: &str) -> Option<&'static str> {
    let (_, rest) = url.split_once("://")?;
    let place = rest.split('?').next().unwrap_or_default();
    let (authority, path) = place.split_once('/').unwrap_or((place, ""));
    if path.contains('@') {
        return Some("'/' in a user's name or password is written '%2F', and '@' '%40'");
    }
    (authority.matches('@').count() > 1)
        .then_some("'@' in a user's name or password is written '%40', and '/' '%2F'")
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Postgres({}, {:?})", self.public(), self.tls)
    }
}

/// What an URL says about TLS.
#[derive(Debug, Default)]
struct TlsOptions {
    mode: Option<Mode>,
    authorities: Option<Authorities>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

#[derive(Debug)]
enum Authorities {
    Machine,
    File(PathBuf),
}

impl TlsOptions {
    /// Whether the option was one of ours.
    fn take(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let file = || match value {
            "" => Err(format!("'{name}' names no file")),
            path => Ok(PathBuf::from(path)),
        };
        match name {
            "sslmode" => self.mode = Some(mode(value)?),
            "sslrootcert" if value == "system" => self.authorities = Some(Authorities::Machine),
            "sslrootcert" => self.authorities = Some(Authorities::File(file()?)),
            "sslcert" => self.certificate = Some(file()?),
            "sslkey" => self.key = Some(file()?),
            "sslnegotiation" => return Ok(false),
            name if name.starts_with("ssl") => {
                return Err(format!("unknown option '{name}' for PostgreSQL"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What all of it comes to; `known` is the mode that the client's own parser found.
    fn settle(self, known: SslMode) -> Result<(SslMode, Client), String> {
        let mode = match (self.mode, &self.authorities) {
            (Some(mode), _) => mode,
            // Without a look at names the authorities of the machine vouch for everybody.
            (None, Some(Authorities::Machine)) => Mode::VerifyFull,
            (None, _) => match known {
                SslMode::Disable => Mode::Disable,
                SslMode::Require => Mode::Require,
                _ => Mode::Prefer,
            },
        };
        let certificate = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err("'sslcert' and 'sslkey' belong together".into()),
        };
        let trust = match (mode, self.authorities) {
            (Mode::Disable, authorities) if authorities.is_some() || certificate.is_some() => {
                return Err("with sslmode=disable, no other option can begin with 'ssl'".into());
            }
            (Mode::Prefer, Some(_)) => {
                return Err(
                    "with sslmode=prefer nobody looks at certificates, so 'sslrootcert' asks for \
                     another one: verify-full, or verify-ca if names do not matter"
                        .into(),
                );
            }
            (Mode::Require | Mode::VerifyCa, Some(Authorities::Machine)) => {
                return Err("'sslrootcert=system' needs sslmode=verify-full".into());
            }
            (Mode::VerifyCa, None) => {
                return Err("sslmode=verify-ca needs 'sslrootcert'".into());
            }
            (Mode::Disable | Mode::Prefer | Mode::Require, None) => Trust::Anyone,
            (Mode::Disable, Some(_)) => Trust::Nobody,
            (Mode::Require | Mode::VerifyCa, Some(Authorities::File(file))) => Trust::AnyName(file),
            (Mode::VerifyFull, Some(Authorities::File(file))) => Trust::Path(file),
            (Mode::VerifyFull, Some(Authorities::Machine) | None) => Trust::Machine,
        };
        let mode = match mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::Require | Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        };
        Ok((mode, Client { trust, certificate }))
    }
}

fn mode(text: &str) -> Result<Mode, String> {
    match text {
        "disable" => Ok(Mode::Disable),
        "prefer" => Ok(Mode::Prefer),
        "require" => Ok(Mode::Require),
        "verify-ca" => Ok(Mode::VerifyCa),
        "verify-full" => Ok(Mode::VerifyFull),
        _ => Err("'sslmode' is disable, prefer, require, verify-ca or verify-full".into()),
    }
}

/// What is wrong with a connection string, without the connection string.
fn why(error: &postgres::Error) -> String {
    let cause = error.source();
    cause.map_or_else(|| error.to_string(), ToString::to_string)
}

/// A server that vanished does not say so, and the kernel would wait for it for a quarter of an
/// hour, or for ever where nothing is under way. What the URL says about this holds.
fn impatient(mut config: Config) -> Config {
    const SILENCE: Duration = Duration::from_secs(10);
    const STOCK_IDLE: Duration = Duration::from_secs(2 * 60 * 60);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(SILENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
    if config.get_keepalives_idle() == STOCK_IDLE {
        config.keepalives_idle(SILENCE);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(SILENCE / 3);
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(options: &str, expected: Option<(SslMode, Trust)>) {
        let url = format!("postgresql://u:p%3Fw@h:5433/d{options}");
        let parsed = Postgres::parse(&url).unwrap();
        let mode = parsed.config.get_ssl_mode();
        let found = parsed.tls.map(|tls| (mode, tls.trust));
        assert_eq!(found, expected, "{options}");
        assert_eq!(parsed.config.get_password(), Some(b"p?w".as_slice()));
        assert_eq!(parsed.config.get_dbname(), Some("d"));
    }

    #[test]
    fn modes_mean_what_they_mean_to_libpq() {
        use SslMode::{Prefer, Require};
        let file = || PathBuf::from("/ca a.pem");
        check("", Some((Prefer, Trust::Anyone)));
        check("?sslmode=disable", None);
        check("?sslmode=prefer&", Some((Prefer, Trust::Anyone)));
        let require = "?application_name=x&sslmode=require";
        check(require, Some((Require, Trust::Anyone)));
        for mode in ["require", "verify-ca"] {
            let options = format!("?sslrootcert=/ca%20a.pem&sslmode={mode}");
            check(&options, Some((Require, Trust::AnyName(file()))));
        }
        let full = "?sslmode=verify-full&connect_timeout=3&sslrootcert=/ca%20a.pem";
        check(full, Some((Require, Trust::Path(file()))));
        for machine in ["sslmode=verify-full", "sslrootcert=system"] {
            check(&format!("?{machine}"), Some((Require, Trust::Machine)));
        }

        let shown = Postgres::parse("postgresql://h/d?sslcert=/c&sslkey=/k").unwrap();
        let pair = Some((PathBuf::from("/c"), PathBuf::from("/k")));
        assert_eq!(shown.tls.unwrap().certificate, pair);
    }

    #[test]
    fn of_several_servers_the_one_that_can_be_written_to_is_taken() {
        for (url, expected) in [
            ("postgresql://h/d", TargetSessionAttrs::Any),
            ("postgresql://a,b:5433/d", TargetSessionAttrs::ReadWrite),
            (
                "hostaddr=10.0.0.1,10.0.0.2 dbname=d",
                TargetSessionAttrs::ReadWrite,
            ),
            (
                "postgresql://a,b/d?target_session_attrs=any",
                TargetSessionAttrs::ReadWrite,
            ),
            (
                "postgresql://h/d?target_session_attrs=read-write",
                TargetSessionAttrs::ReadWrite,
            ),
        ] {
            let parsed = Postgres::parse(url).unwrap();
            assert_eq!(parsed.config.get_target_session_attrs(), expected, "{url}");
        }
    }

    #[test]
    fn sockets_have_no_tls() {
        for near in [
            "postgresql:///d?host=/run/pg&user=u&sslmode=require",
            "host=/run/pg user=u dbname=d",
        ] {
            let near = Postgres::parse(near).unwrap();
            assert!(near.tls.is_none());
            assert_eq!(near.public(), "postgresql:///run/pg/d");
        }
        let address = Postgres::parse("hostaddr=10.0.0.1 dbname=d sslmode=require").unwrap();
        assert_eq!(address.public(), "postgresql://10.0.0.1:5432/d");
        assert!(address.tls.is_some());
    }

    #[test]
    fn a_password_that_is_not_escaped_is_told_and_how_it_is() {
        for url in [
            "postgresql://u:s3/cret@db/corten",
            "postgresql://u:s3@cret@db/corten",
        ] {
            let reason = Postgres::parse(url).unwrap_err();
            assert!(
                reason.contains("'%2F'") && reason.contains("'%40'"),
                "{reason}"
            );
            assert!(!reason.contains("cret"), "{reason}");
        }
        assert!(Postgres::parse("postgresql://u:s3%2Fcret%40@db/corten").is_ok());
    }

    #[test]
    fn nonsense_is_refused_by_its_name_and_without_the_password() {
        for (options, words) in [
            ("sslmode=allow", "'sslmode' is disable, prefer"),
            ("sslmode=", "'sslmode' is disable, prefer"),
            ("sslmode=verify-ca", "needs 'sslrootcert'"),
            (
                "sslmode=require&sslrootcert=system",
                "needs sslmode=verify-full",
            ),
            ("sslrootcert=/ca.pem", "with sslmode=prefer nobody looks"),
            (
                "sslmode=disable&sslrootcert=/ca.pem",
                "with sslmode=disable",
            ),
            (
                "sslmode=disable&sslcert=/c&sslkey=/k",
                "with sslmode=disable",
            ),
            ("sslcert=/c", "belong together"),
            ("sslkey=/k", "belong together"),
            ("sslrootcert=", "'sslrootcert' names no file"),
            ("sslcrl=/crl.pem", "unknown option 'sslcrl'"),
            ("ssl_ca=/ca.pem", "unknown option 'ssl_ca'"),
            ("color=blue", "unknown option `color`"),
            ("channel_binding=maybe", "channel_binding"),
        ] {
            let url = format!("postgresql://u:secret@h/d?{options}");
            let refused = Postgres::parse(&url).unwrap_err();
            assert!(refused.contains(words), "{options}: {refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
        for url in [
            "postgresql://u:a?secret=x@h/d",
            "postgresql://u:a?secret@h/d",
            "postgresql://u:secret@h:port/d",
            "postgresql://u:secret%ff@h/d?sslmode=%ff",
        ] {
            let refused = Postgres::parse(url).unwrap_err();
            assert!(!refused.contains("secret"), "{refused}");
        }
        let shown = Postgres::parse("postgresql://u:secret@h/d").unwrap();
        let shown = format!("{shown:?}");
        assert!(
            !shown.contains("secret") && shown.contains("//h:5432/d"),
            "{shown}"
        );
    }
}
