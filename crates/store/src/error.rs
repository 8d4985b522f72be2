//! What can go wrong between us and the database.

use mysql_async::ServerError;
use tokio_rustls::rustls;

/// A value that must be unique and is taken. `Display` is the text that clients of Ironic
/// know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unique {
    #[error("A node with UUID {0} already exists.")]
    NodeUuid(String),
    #[error("A node with name {0} already exists.")]
    NodeName(String),
    #[error("Instance {0} is already associated with a node")]
    NodeInstance(String),
    #[error("A port with UUID {0} already exists.")]
    PortUuid(String),
    #[error("A port with name {0} already exists.")]
    PortName(String),
    #[error("A port with MAC address {0} already exists.")]
    PortAddress(String),
    #[error("A chassis with UUID {0} already exists.")]
    ChassisUuid(String),
    #[error("A portgroup with UUID {0} already exists.")]
    PortgroupUuid(String),
    #[error("A portgroup with name {0} already exists.")]
    PortgroupName(String),
    #[error("A portgroup with MAC address {0} already exists.")]
    PortgroupAddress(String),
    #[error("A volume connector with UUID {0} already exists.")]
    ConnectorUuid(String),
    #[error("A volume connector with type {kind} and connector ID {connector_id} already exists.")]
    Connector { kind: String, connector_id: String },
    #[error("A volume target with UUID {0} already exists.")]
    TargetUuid(String),
    #[error("A volume target with boot index '{0}' for the same node already exists.")]
    TargetBootIndex(i64),
    #[error("An allocation with UUID {0} already exists.")]
    AllocationUuid(String),
    #[error("An allocation with name {0} already exists.")]
    AllocationName(String),
    #[error("A deploy template with UUID {0} already exists.")]
    DeployTemplateUuid(String),
    #[error("A deploy template with name {0} already exists.")]
    DeployTemplateName(String),
    #[error("A runbook with UUID {0} already exists.")]
    RunbookUuid(String),
    #[error("A runbook with name {0} already exists.")]
    RunbookName(String),
    #[error("A rule with UUID {0} already exists.")]
    InspectionRuleUuid(String),
}

/// Variants are what callers decide on.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("row not found")]
    NotFound,
    #[error("the paging marker does not exist")]
    MarkerNotFound,
    #[error("cannot sort by '{0}': no such column")]
    BadSortKey(String),
    #[error("stale write: the row was changed by another process")]
    Stale,
    #[error("the row is reserved by {host}")]
    Locked { host: String },
    #[error("the lease on this node was lost to another conductor")]
    LeaseLost,
    #[error("duplicate value: {0}")]
    Duplicate(Unique),
    #[error("other rows still refer to this one")]
    NotEmpty,
    #[error("chassis {0} does not exist")]
    NoChassis(String),
    #[error("the port's node has no port group {0}")]
    NoPortgroup(String),
    #[error("the allocation no longer waits for a node")]
    NotAllocating,
    #[error("the node is not what the allocation asks for")]
    Unsuitable,
    /// A text that a column cannot hold; the message is for the client who sent it.
    #[error("Invalid value for {column}: {reason}.")]
    DoesNotFit {
        column: &'static str,
        reason: String,
    },
    #[error("the event log no longer reaches back to this cursor; the oldest event is {oldest}")]
    CursorTooOld { oldest: i64 },
    /// The log was restored from a backup, or made anew, since the cursor was read.
    #[error("unknown cursor: the event log never had it; its next event is {next}")]
    CursorUnknown { next: i64 },
    #[error("another process registered as conductor '{host}' after this one")]
    Superseded { host: String },
    #[error(
        "the database is a copy that 'corten migrate from-ironic --shadow' made of an Ironic that goes \
         on, and no conductor may serve it: look at it with 'corten api'; or stop the conductors of \
         Ironic and import again without --shadow"
    )]
    Shadow,
    #[error("the database is not reachable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the database refused a statement")]
    Sql(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("column '{column}' of table '{table}' holds a value that cannot be read: {reason}")]
    Corrupt {
        table: &'static str,
        column: String,
        reason: String,
    },
    #[error("cannot decrypt a secret: {0}")]
    Secret(String),
    #[error("{0}")]
    Schema(String),
    #[error("a database operation panicked; see the log")]
    Panicked,
}

impl StoreError {
    /// Whether the server rolled back the transaction for a transient reason, so that a retry may
    /// succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        // Two processes registered the same new host at once: the second finds the row next time.
        if self.violated_index().as_deref() == Some("conductors_hostname") {
            return true;
        }
        let (Self::Sql(source) | Self::Unavailable(source)) = self else {
            return false;
        };
        if let Some(error) = source.downcast_ref::<postgres::Error>() {
            return error.code().is_some_and(|code| {
                *code == postgres::error::SqlState::T_R_SERIALIZATION_FAILURE
                    || *code == postgres::error::SqlState::T_R_DEADLOCK_DETECTED
            });
        }
        mariadb_code(source.as_ref()).is_some_and(|code| mariadb::CONFLICTS.contains(&code))
    }

    /// Whether PostgreSQL gave up waiting for a lock, as it is told to when the schema is changed.
    pub(crate) fn is_busy(&self) -> bool {
        let (Self::Sql(source) | Self::Unavailable(source)) = self else {
            return false;
        };
        source
            .downcast_ref::<postgres::Error>()
            .and_then(postgres::Error::code)
            .is_some_and(|code| *code == postgres::error::SqlState::LOCK_NOT_AVAILABLE)
    }

    /// Whether the database or the way to it is lost.
    pub(crate) fn is_loss(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    /// Whether the values of a row are the reason: one that must be unique and is taken, that must be
    /// there and is not, or that the column does not hold. Another row may well be taken.
    pub(crate) fn is_about_values(&self) -> bool {
        let Self::Sql(source) = self else {
            return matches!(self, Self::DoesNotFit { .. });
        };
        if let Some(error) = source.downcast_ref::<postgres::Error>() {
            // Data exceptions, violated constraints, and a row that is too large for its index.
            const CLASSES: &[&str] = &["22", "23", "54000"];
            let code = error.code().map(postgres::error::SqlState::code);
            return code.is_some_and(|code| CLASSES.iter().any(|class| code.starts_with(class)));
        }
        if let Some(rusqlite::Error::SqliteFailure(code, _)) =
            source.downcast_ref::<rusqlite::Error>()
        {
            use rusqlite::ErrorCode as C;
            let codes = [C::ConstraintViolation, C::TypeMismatch, C::TooBig];
            return codes.contains(&code.code);
        }
        mariadb_code(source.as_ref()).is_some_and(|code| mariadb::VALUES.contains(&code))
    }

    /// The same as a transient error: callers retry later.
    pub(crate) fn into_unavailable(self) -> Self {
        match self {
            Self::Sql(source) => Self::Unavailable(source),
            other => other,
        }
    }

    /// Whether MariaDB says that what a change of the schema asks for is so already.
    pub(crate) fn is_done_already(&self) -> bool {
        let Self::Sql(source) = self else {
            return false;
        };
        mariadb_code(source.as_ref()).is_some_and(|code| mariadb::DONE_ALREADY.contains(&code))
    }

    /// The name of the unique index that was violated, if that is what happened.
    pub(crate) fn violated_index(&self) -> Option<String> {
        let Self::Sql(source) = self else { return None };
        if let Some(error) = source.downcast_ref::<postgres::Error>() {
            let db = error.as_db_error()?;
            (*db.code() == postgres::error::SqlState::UNIQUE_VIOLATION)
                .then(|| db.constraint().unwrap_or_default().to_owned())
        } else if let Some(error) = source.downcast_ref::<ServerError>() {
            (error.code == mariadb::DUPLICATE).then(|| mariadb::index_in(&error.message).to_owned())
        } else if let Some(rusqlite::Error::SqliteFailure(code, text)) =
            source.downcast_ref::<rusqlite::Error>()
        {
            // SQLite names the columns: "UNIQUE constraint failed: nodes.name".
            (code.code == rusqlite::ErrorCode::ConstraintViolation).then(|| {
                let text = text.as_deref().unwrap_or_default();
                text.rsplit(' ')
                    .next()
                    .unwrap_or_default()
                    .replace('.', "_")
            })
        } else {
            None
        }
    }
}

/// The numbers of MariaDB's errors, as far as they decide something.
mod mariadb {
    pub(super) const DUPLICATE: u16 = 1062;

    /// A lock was waited for too long; a deadlock, which is also what Galera calls a transaction
    /// that lost against one of another node; a table that was changed since the transaction began;
    /// a node of Galera that is not part of its cluster.
    pub(super) const CONFLICTS: &[u16] = &[1205, 1213, 1412, NOT_IN_CLUSTER];

    pub(super) const NOT_IN_CLUSTER: u16 = 1047;

    /// Transient: no room on the disk or in memory (1021, 1037, 1041, 1114); too many connections
    /// of all or of this user (1040, 1203, 1226); a server that stops (1053) or is read-only (1290,
    /// 1836); broken network connections (1152 to 1161); a commit of which the server does not know
    /// what became of it, as when a node of Galera leaves its cluster meanwhile (1180); killed
    /// connections and statements (1317, 1927), and timeouts (1969, 4031).
    pub(super) const PASSES: &[u16] = &[
        1021,
        1037,
        1040,
        1041,
        NOT_IN_CLUSTER,
        1053,
        1114,
        1152,
        1158,
        1159,
        1160,
        1161,
        1180,
        1203,
        1226,
        1290,
        1317,
        1836,
        1927,
        1969,
        4031,
    ];

    /// The table is there, the column is there, the index is there; the column to be dropped or
    /// renamed is not.
    pub(super) const DONE_ALREADY: &[u16] = &[1050, 1060, 1061, 1091, 1054];

    /// About values: taken (1062, 1586), absent (1048, 1364), too long or too large (1118, 1264, 1265,
    /// 1406, 1690), of another kind (1292, 1366), or against a constraint (1451, 1452, 4025).
    pub(super) const VALUES: &[u16] = &[
        1048, 1062, 1118, 1264, 1265, 1292, 1364, 1366, 1406, 1451, 1452, 1586, 1690, 4025,
    ];

    /// The index in "Duplicate entry 'value' for key 'index'"; the value may hold anything.
    pub(super) fn index_in(message: &str) -> &str {
        let (_, index) = message.rsplit_once("for key '").unwrap_or_default();
        index.trim_end_matches('\'')
    }
}

fn mariadb_code(source: &(dyn std::error::Error + Send + Sync + 'static)) -> Option<u16> {
    Some(source.downcast_ref::<ServerError>()?.code)
}

impl From<mysql_async::Error> for StoreError {
    fn from(error: mysql_async::Error) -> Self {
        use mysql_async::{Error, IoError};
        // Only the error inside is kept: the outer ones repeat its message.
        match error {
            Error::Server(error) if mariadb::PASSES.contains(&error.code) => {
                Self::Unavailable(Box::new(error))
            }
            Error::Server(error) => Self::Sql(Box::new(error)),
            Error::Io(IoError::Io(error)) => Self::Unavailable(Box::new(error)),
            Error::Io(error) => Self::Unavailable(Box::new(error)),
            // After any other protocol error the state of the connection is unknown.
            Error::Driver(error) => Self::Unavailable(Box::new(error)),
            error => Self::Sql(Box::new(error)),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as C;
        // Nothing is wrong with the statement: the disk is full, read-only or broken, or another
        // program holds the file.
        let passes = [
            C::DiskFull,
            C::ReadOnly,
            C::SystemIoFailure,
            C::CannotOpen,
            C::DatabaseBusy,
        ];
        if error
            .sqlite_error_code()
            .is_some_and(|code| passes.contains(&code))
        {
            Self::Unavailable(Box::new(error))
        } else {
            Self::Sql(Box::new(error))
        }
    }
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        // Classes of transient errors: 08 broken connections, 53 no room or memory, 57P a server
        // that stops, starts or terminated us, 57014 statement timeout, 58 broken files, 25006
        // read-only server, 25P03 idle-in-transaction timeout.
        const PASSES: &[&str] = &["08", "53", "57P", "57014", "58", "25006", "25P03"];
        let gone = match error.code().map(postgres::error::SqlState::code) {
            Some(code) => PASSES.iter().any(|class| code.starts_with(class)),
            None => error.is_closed() || has_io_cause(&error),
        };
        if gone {
            Self::Unavailable(Box::new(error))
        } else {
            Self::Sql(Box::new(error))
        }
    }
}

/// Whether TLS did not come about because the server's certificate is not accepted.
pub(crate) fn refuses_certificate(error: &std::io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    matches!(inner, Some(rustls::Error::InvalidCertificate(_)))
}

/// An error with what to set in the configuration against it. What is advised stands at the end,
/// so the error is a sentence from here on.
pub(crate) fn with_advice(
    error: &(dyn std::error::Error + 'static),
    advice: &'static str,
) -> Box<dyn std::error::Error + Send + Sync> {
    format!("{}; {advice}", types::error::chain(error)).into()
}

fn has_io_cause(error: &postgres::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if error.is::<std::io::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mariadb(code: u16, message: &str) -> StoreError {
        let (state, message) = ("HY000".to_owned(), message.to_owned());
        StoreError::from(mysql_async::Error::Server(ServerError {
            state,
            message,
            code,
        }))
    }

    #[test]
    fn a_violated_index_is_found_in_the_message() {
        for value in ["a", "for key 'ports_name'", "it's"] {
            let text = format!("Duplicate entry '{value}' for key 'nodes_name'");
            let found = mariadb(1062, &text).violated_index();
            assert_eq!(found.as_deref(), Some("nodes_name"));
        }
        assert_eq!(mariadb(1064, "for key 'nodes_name'").violated_index(), None);
        let host = "Duplicate entry 'h' for key 'conductors_hostname'";
        assert!(mariadb(1062, host).is_retryable());
    }

    #[test]
    fn only_values_are_the_fault_of_a_row() {
        for (code, expected) in [
            (1062, true),
            (1406, true),
            (1048, true),
            // A missing right, an unknown column, a lock, a lost server.
            (1142, false),
            (1054, false),
            (1205, false),
            (1927, false),
        ] {
            assert_eq!(mariadb(code, "x").is_about_values(), expected, "{code}");
        }
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        sqlite
            .execute_batch("CREATE TABLE t (a NOT NULL UNIQUE); INSERT INTO t VALUES (1)")
            .unwrap();
        for (sql, expected) in [
            ("INSERT INTO t VALUES (1)", true),
            ("INSERT INTO t VALUES (NULL)", true),
            ("INSERT INTO t VALUES (2, 3)", false),
            ("INSERT INTO u VALUES (1)", false),
        ] {
            let error = StoreError::from(sqlite.execute_batch(sql).unwrap_err());
            assert_eq!(error.is_about_values(), expected, "{sql}");
        }
    }

    #[test]
    fn conflicts_and_losses_are_told_apart() {
        for (code, retryable, loss) in [
            (1205, true, false),
            (1213, true, false),
            (1047, true, true),
            (1927, false, true),
            (1053, false, true),
            (1180, false, true),
            (1290, false, true),
            (1406, false, false),
        ] {
            let error = mariadb(code, "x");
            assert_eq!(error.is_retryable(), retryable, "{code}");
            assert_eq!(error.is_loss(), loss, "{code}");
        }
        let cut = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        assert!(StoreError::from(mysql_async::Error::from(cut)).is_loss());
    }
}
