//! How a MariaDB server is reached, and what a connection to it is told first.
//!
//! URLs are those that SQLAlchemy and PyMySQL understand, because operators have them in their
//! configuration. There is no TLS on this way (nor on PostgreSQL's); options that ask for it are
//! refused instead of ignored. See docs/decisions/0004-mariadb.md.

use crate::{
    StoreError,
    conn::{Conn, MariaDbConn},
};
use mysql::{OptsBuilder, consts::CapabilityFlags};
use std::{fmt, time::Duration};

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
}

/// How long connecting may take.
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
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            parsed.set(name, &decoded(&value.replace('+', " "))?)?;
        }
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
            "ssl_disabled" if is_true(value) => {}
            name if name == "ssl" || name.starts_with("ssl_") => {
                return Err(format!(
                    "'{name}' asks for TLS, and this program reaches MariaDB without it; use a \
                     unix socket, or a tunnel that ends on this host"
                ));
            }
            _ => return Err(format!("there is no option '{name}' for MariaDB")),
        }
        Ok(())
    }

    /// How it is called where anybody may read it.
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

    pub(crate) fn connect(&self) -> Result<Conn, StoreError> {
        let options = OptsBuilder::new()
            .user(self.user.clone())
            .pass(self.password.clone())
            .ip_or_hostname(Some(self.host.clone()))
            .tcp_port(self.port)
            .socket(self.socket.clone())
            // Somebody who names a host means its port, not whatever socket it has.
            .prefer_socket(false)
            .db_name(Some(self.database.clone()))
            .tcp_connect_timeout(Some(self.connect_timeout))
            .read_timeout(Some(self.read_timeout))
            .write_timeout(Some(self.write_timeout))
            // Fenced updates count the rows that they found, whether or not they changed.
            .additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS)
            // Statements are kept by our own text of them.
            .stmt_cache_size(0)
            .init(SESSION.to_vec());
        match mysql::Conn::new(options) {
            Ok(client) => Ok(Conn::MariaDb(Box::new(MariaDbConn::new(client)))),
            Err(mysql::Error::MySqlError(error)) if error.code == NO_COLLATION => {
                Err(StoreError::Schema(
                    "the server is not MariaDB 10.5 or newer, and no other speaker of its \
                     protocol is supported"
                        .into(),
                ))
            }
            Err(error) => Err(StoreError::Unavailable(Box::new(error))),
        }
    }
}

impl fmt::Debug for MariaDb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MariaDb")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("socket", &self.socket)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

fn is_true(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "true" | "1" | "yes")
}

/// `host`, `host:port`, `[address]` or `[address]:port`.
fn split_port(address: &str) -> Result<(String, u16), String> {
    const PORT: u16 = 3306;
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest
                .split_once(']')
                .ok_or("the address of the host lacks its closing bracket")?;
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
            .map_err(|_| "what stands behind the host is not a port")?,
    };
    let host = if host.is_empty() { "localhost" } else { host };
    Ok((host.to_owned(), port))
}

/// Resolves `%40` and the like.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let escaped = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        match escaped {
            Some(value) if byte == b'%' => {
                bytes.push(value);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "a part of the URL is not UTF-8 once decoded".into())
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
    fn what_cannot_be_done_is_refused_without_the_password() {
        for (url, words) in [
            ("u:secret@h", "names no database"),
            ("u:secret@h/", "names no database"),
            ("u:secret@h:port/d", "not a port"),
            ("u:secret@[::1/d", "closing bracket"),
            ("u:secret@h/d?ssl_ca=/ca.pem", "'ssl_ca' asks for TLS"),
            ("u:secret@h/d?ssl=true", "'ssl' asks for TLS"),
            ("u:secret@h/d?ssl_disabled=no", "asks for TLS"),
            ("u:secret@h/d?read_timeout=0", "number of seconds"),
            ("u:secret@h/d?init_command=x", "no option 'init_command'"),
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
