//! How a MariaDB server is reached, and what a connection to it is told first.
//!
//! URLs are those that SQLAlchemy and PyMySQL understand, because operators have them in their
//! configuration. Options that begin with `ssl_` mean what they mean there, except that the host
//! name is always verified with the certificate. See docs/decisions/0012-mariadb-client.md.

use crate::{
    StoreError,
    conn::{Conn, MariaDbConn},
    error::{refuses_certificate, with_advice},
};
use mysql_async::{ClientIdentity, IoError, OptsBuilder, SslOpts};
use std::{fmt, io, path::PathBuf, time::Duration};
use tls::{Client, Trust};
use types::{percent, words};

/// Where the server is, who we are there, and which database is ours.
#[derive(Clone, PartialEq, Eq)]
pub struct MariaDb {
    user: Option<String>,
    password: Option<String>,
    host: String,
    port: u16,
    /// A socket of this machine, instead of host and port.
    socket: Option<String>,
    database: String,
    connect_timeout: Duration,
    read_timeout: Duration,
    write_timeout: Duration,
    /// None where TLS is not spoken.
    tls: Option<Client>,
}

/// How long connecting may take, with TLS, the login and the settings of the session.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take: longer than any wait for a lock. A server that is silent for so
/// long is taken for lost.
const ANSWER: Duration = Duration::from_secs(60);

/// What every session is told.
///
/// - Collations compare bytes and mind spaces at the end, as the other engines do. A server that
///   does not know this one is not MariaDB.
/// - Values that do not fit are errors; quotes and the bar mean what they mean on other engines.
/// - Each statement sees what is committed when it starts, as on PostgreSQL. With a snapshot for
///   the whole transaction, what is read under a row lock could be older than the lock.
/// - A transaction that waits ten seconds for a lock is run again from its start, and one whose
///   process stands still lets go of its locks.
const SESSION: &[&str] = &[
    "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin",
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,\
     NO_ENGINE_SUBSTITUTION,NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT', \
     autocommit = 1, innodb_lock_wait_timeout = 10, lock_wait_timeout = 30, \
     idle_transaction_timeout = 15, default_storage_engine = InnoDB",
    "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
];

/// What a session is told that reads or writes the database of another program. The server converts
/// texts from whatever character set a table has.
const FOREIGN_SESSION: &[&str] = &[
    "SET NAMES utf8mb4",
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,ANSI_QUOTES', autocommit = 1",
];

/// The server has no such character set or collation.
const NO_COLLATION: u16 = 1273;

impl MariaDb {
    /// Reads what stands behind `mysql://`: `user:password@host:port/database?option=value`. The
    /// reason of a refusal never holds the password.
    pub fn parse(rest: &str) -> Result<Self, String> {
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        // A password may hold slashes and at-signs when its author forgot to encode them.
        let (login, place) = match place.rsplit_once('@') {
            Some((login, place)) => (Some(login), place),
            None => (None, place),
        };
        let (address, database) = place.split_once('/').unwrap_or((place, ""));
        let (host, port) = split_port(address)?;
        let (user, password) = match login.map(|login| login.split_once(':').ok_or(login)) {
            Some(Ok((user, password))) => (Some(decoded(user)?), Some(decoded(password)?)),
            Some(Err(user)) => (Some(decoded(user)?), None),
            None => (None, None),
        };
        let mut parsed = Self {
            user,
            password,
            host,
            port,
            socket: None,
            database: database.to_owned(),
            connect_timeout: CONNECT,
            read_timeout: ANSWER,
            write_timeout: ANSWER,
            tls: None,
        };
        let mut asked = TlsOptions::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(&value.replace('+', " "))?;
            if !asked.take(name, &value)? {
                parsed.set(name, &value)?;
            }
        }
        parsed.tls = asked.settle()?;
        if parsed.database.is_empty() {
            return Err("the URL names no database: mysql://user:password@host/database".into());
        }
        Ok(parsed)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let seconds = || match value.parse::<u64>() {
            Ok(seconds @ 1..) => Ok(Duration::from_secs(seconds)),
            _ => Err(format!("'{name}' is a number of seconds")),
        };
        match name {
            "unix_socket" => self.socket = Some(value.to_owned()),
            "connect_timeout" => self.connect_timeout = seconds()?,
            "read_timeout" => self.read_timeout = seconds()?,
            "write_timeout" => self.write_timeout = seconds()?,
            // What they ask for is always so here, or only means something in Python.
            "charset" | "use_unicode" | "binary_prefix" | "local_infile" | "autocommit" => {}
            _ => return Err(format!("unknown option '{name}' for MariaDB")),
        }
        Ok(())
    }

    /// Name of the database for logs: without its password.
    pub(crate) fn public(&self) -> String {
        match &self.socket {
            Some(socket) => format!("mysql://{socket}/{}", self.database),
            None => format!("mysql://{}:{}/{}", self.host, self.port, self.database),
        }
    }

    /// The same, for statements that take long: changes of large tables.
    pub(crate) fn patient(&self) -> Self {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        Self {
            read_timeout: DAY,
            ..self.clone()
        }
    }

    /// A connection for the service itself.
    pub(crate) fn connect(&self) -> Result<Conn, StoreError> {
        self.connect_with(SESSION)
    }

    /// A connection that reads a database of another program, on MySQL too.
    pub(crate) fn connect_to_read(&self) -> Result<Conn, StoreError> {
        self.patient().connect_with(FOREIGN_SESSION)
    }

    fn connect_with(&self, session: &[&str]) -> Result<Conn, StoreError> {
        let tls = self.tls.as_ref().map(ssl_options).transpose()?;
        let options = OptsBuilder::default()
            .user(self.user.clone())
            .pass(self.password.clone())
            .ip_or_hostname(self.host.clone())
            .tcp_port(self.port)
            .socket(self.socket.clone())
            // A named host means TCP, not a local socket.
            .prefer_socket(false)
            .db_name(Some(self.database.clone()))
            .ssl_opts(tls)
            // Fenced updates count the rows that they found, whether or not they changed.
            .client_found_rows(true)
            // Statements are kept by our own text of them.
            .stmt_cache_size(0)
            .init(session.to_vec());
        // The client has no timeouts of its own; a statement is sent and answered under one.
        let answer = self.write_timeout + self.read_timeout;
        match MariaDbConn::connect(options.into(), self.connect_timeout, answer) {
            Ok(client) => Ok(Conn::MariaDb(Box::new(client))),
            Err(mysql_async::Error::Server(error)) if error.code == NO_COLLATION => {
                Err(StoreError::Schema(
                    "the server is not MariaDB 10.5 or newer, and no other speaker of its \
                     protocol is supported"
                        .into(),
                ))
            }
            Err(mysql_async::Error::Io(IoError::Io(error))) if refuses_certificate(&error) => {
                const CERTIFICATE: &str = "name the certificate that signed the server's with \
                    ssl_ca=FILE in [database]connection, or say ssl_verify_cert=false to accept \
                    any certificate";
                Err(StoreError::Unavailable(with_advice(&error, CERTIFICATE)))
            }
            Err(error) => Err(StoreError::from(error).into_unavailable()),
        }
    }
}

/// Waits for the server, and not for longer than `limit`.
pub(crate) async fn in_time<T>(
    limit: Duration,
    answer: impl Future<Output = mysql_async::Result<T>>,
) -> mysql_async::Result<T> {
    match tokio::time::timeout(limit, answer).await {
        Ok(outcome) => outcome,
        Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
    }
}

impl fmt::Debug for MariaDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MariaDb")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("socket", &self.socket)
            .field("database", &self.database)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

fn decoded(text: &str) -> Result<String, String> {
    let decoded = percent::decode(text).map_err(|error| error.to_string())?;
    Ok(decoded.into_owned())
}

/// What an URL says about TLS.
#[derive(Debug, Default)]
struct TlsOptions {
    anything: bool,
    disabled: bool,
    authorities: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    verify: Option<bool>,
    identity: Option<bool>,
}

impl TlsOptions {
    /// Whether the option was one of ours.
    fn take(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let file = || match value {
            "" => Err(format!("'{name}' names no file")),
            path => Ok(Some(PathBuf::from(path))),
        };
        let flag = || words::boolean(value).ok_or_else(|| format!("'{name}' is true or false"));
        match name {
            "ssl_disabled" => {
                self.disabled = flag()?;
                return Ok(true);
            }
            "ssl_ca" => self.authorities = file()?,
            "ssl_cert" => self.certificate = file()?,
            "ssl_key" => self.key = file()?,
            "ssl_verify_cert" => self.verify = Some(flag()?),
            // The name that PyMySQL has, and the one that SQLAlchemy has.
            "ssl_verify_identity" | "ssl_check_hostname" => self.identity = Some(flag()?),
            _ => return Ok(false),
        }
        self.anything = true;
        Ok(true)
    }

    /// The resulting TLS settings. With CA certificates, chain and host name are verified.
    fn settle(self) -> Result<Option<Client>, String> {
        if self.disabled || !self.anything {
            return Ok(None);
        }
        let certificate = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err("'ssl_cert' and 'ssl_key' belong together".into()),
        };
        let verify = self.verify.unwrap_or(self.authorities.is_some());
        let trust = match self.authorities {
            _ if !verify && self.identity != Some(true) => Trust::Anyone,
            None => return Err("certificates can be verified with 'ssl_ca' only".into()),
            // The client's own switch for this does nothing with the errors of today's rustls.
            Some(_) if self.identity == Some(false) => {
                return Err(
                    "certificates are not verified without their names here: leave out \
                     'ssl_verify_identity' and 'ssl_check_hostname', or say \
                     'ssl_verify_cert=false' to verify nothing"
                        .into(),
                );
            }
            Some(file) => Trust::Path(file),
        };
        Ok(Some(Client { trust, certificate }))
    }
}

/// The same for the client library. It does not name the faulty file, so files are checked before.
fn ssl_options(tls: &Client) -> Result<SslOpts, StoreError> {
    let usable = tls.config();
    usable.map_err(|error| StoreError::Unavailable(Box::new(error)))?;
    let identity = tls.certificate.clone();
    let options = SslOpts::default().with_client_identity(
        identity.map(|(certificate, key)| ClientIdentity::new(certificate.into(), key.into())),
    );
    Ok(match &tls.trust {
        Trust::Path(file) => options
            // Only the operator's authorities count, no public ones.
            .with_disable_built_in_roots(true)
            .with_root_certs(vec![file.clone().into()]),
        _ => options.with_danger_accept_invalid_certs(true),
    })
}

/// `host`, `host:port`, `[address]` or `[address]:port`.
fn split_port(address: &str) -> Result<(String, u16), String> {
    const PORT: u16 = 3306;
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest
                .split_once(']')
                .ok_or("closing bracket missing in the host address")?;
            (host, rest.strip_prefix(':'))
        }
        None => match address.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    let port = match port {
        None | Some("") => PORT,
        // Not repeated in the message: with a bad URL this may be part of a password.
        Some(digits) => digits
            .parse()
            .map_err(|_| "the text after the host name is not a port number")?,
    };
    let host = if host.is_empty() { "localhost" } else { host };
    Ok((host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> MariaDb {
        MariaDb::parse(url).unwrap()
    }

    #[test]
    fn urls_of_sqlalchemy_are_understood() {
        let full = parsed("iro%6eic:p%40ss%2Fw:rd@db.example:3307/ironic?charset=utf8");
        assert_eq!(full.user.as_deref(), Some("ironic"));
        assert_eq!(full.password.as_deref(), Some("p@ss/w:rd"));
        assert_eq!((full.host.as_str(), full.port), ("db.example", 3307));
        assert_eq!((full.database.as_str(), full.socket), ("ironic", None));

        let raw = parsed("u:a@b/c@h/d");
        assert_eq!(raw.password.as_deref(), Some("a@b/c"));
        assert_eq!((raw.host.as_str(), raw.port), ("h", 3306));

        let socket =
            parsed("root@/corten?unix_socket=/run/my%20sql/s&read_timeout=5&ssl_disabled=True");
        assert_eq!(socket.socket.as_deref(), Some("/run/my sql/s"));
        assert_eq!(
            (socket.user.as_deref(), socket.password),
            (Some("root"), None)
        );
        assert_eq!(socket.read_timeout, Duration::from_secs(5));

        let v6 = parsed("[fd00::1]:3310/d");
        assert_eq!((v6.host.as_str(), v6.port), ("fd00::1", 3310));
        assert_eq!(parsed("[::1]/d").port, 3306);
    }

    #[test]
    fn options_of_tls_are_those_of_pymysql() {
        let tls = |options: &str| parsed(&format!("u@h/d?{options}")).tls;
        let of = |trust| Some(Client::from(trust));
        let verified = || of(Trust::Path("/c a".into()));
        for none in ["", "charset=utf8", "ssl_ca=/c&ssl_disabled=true"] {
            assert_eq!(tls(none), None, "{none}");
        }
        for full in [
            "ssl_ca=/c%20a",
            "ssl_ca=/c+a&ssl_verify_cert=true&ssl_disabled=false",
            "ssl_ca=/c+a&ssl_verify_identity=true",
            "ssl_ca=/c+a&ssl_check_hostname=True&ssl_verify_cert=0",
        ] {
            assert_eq!(tls(full), verified(), "{full}");
        }
        for blind in ["ssl_verify_cert=false", "ssl_ca=/c&ssl_verify_cert=false"] {
            assert_eq!(tls(blind), of(Trust::Anyone), "{blind}");
        }
        let shown = tls("ssl_cert=/c&ssl_key=/k").unwrap();
        assert_eq!(shown.certificate, Some(("/c".into(), "/k".into())));
        assert_eq!(shown.trust, Trust::Anyone);
    }

    #[test]
    fn what_cannot_be_done_is_refused_without_the_password() {
        for (url, words) in [
            ("u:secret@h", "names no database"),
            ("u:secret@h/", "names no database"),
            ("u:secret@h:port/d", "not a port"),
            ("u:secret@[::1/d", "closing bracket"),
            ("u:secret@h/d?ssl=true", "unknown option 'ssl'"),
            ("u:secret@h/d?ssl_cipher=x", "unknown option 'ssl_cipher'"),
            ("u:secret@h/d?ssl_ca=", "'ssl_ca' names no file"),
            ("u:secret@h/d?ssl_disabled=x", "'ssl_disabled' is true"),
            ("u:secret@h/d?ssl_cert=/c", "belong together"),
            ("u:secret@h/d?ssl_key=/k", "belong together"),
            ("u:secret@h/d?ssl_verify_cert=1", "with 'ssl_ca' only"),
            ("u:secret@h/d?ssl_verify_identity=1", "with 'ssl_ca' only"),
            (
                "u:secret@h/d?ssl_ca=/c&ssl_check_hostname=false",
                "without their names",
            ),
            ("u:secret@h/d?read_timeout=0", "number of seconds"),
            (
                "u:secret@h/d?init_command=x",
                "unknown option 'init_command'",
            ),
            ("u:secret%ff@h/d", "not UTF-8"),
        ] {
            let refused = MariaDb::parse(url).unwrap_err();
            assert!(refused.contains(words), "{url}: {refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
        let shown = format!("{:?}", parsed("u:secret@h/d"));
        assert!(
            !shown.contains("secret") && shown.contains("\"h\""),
            "{shown}"
        );
    }
}
