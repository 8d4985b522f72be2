//! What can go wrong between us and the database.

/// A value that must be unique and is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unique {
    NodeUuid(String),
    NodeName(String),
    NodeInstance(String),
    PortUuid(String),
    PortName(String),
    PortAddress(String),
    ChassisUuid(String),
}

/// Variants are what callers decide on.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no such row")]
    NotFound,
    #[error("the paging marker does not exist")]
    MarkerNotFound,
    #[error("there is no column '{0}' to sort by")]
    BadSortKey(String),
    #[error("the row was changed meanwhile")]
    Stale,
    #[error("the row is reserved by {host}")]
    Locked { host: String },
    #[error("the lease on this node was lost to another conductor")]
    LeaseLost,
    #[error("a value is taken: {0:?}")]
    Duplicate(Unique),
    #[error("other rows still refer to this one")]
    NotEmpty,
    #[error("chassis {0} does not exist")]
    NoChassis(String),
    /// A text that a column cannot hold; the message is for the client who sent it.
    #[error("Invalid value for {column}: {reason}.")]
    DoesNotFit {
        column: &'static str,
        reason: String,
    },
    #[error("the event log no longer reaches back to this cursor; the oldest event is {oldest}")]
    CursorTooOld { oldest: i64 },
    #[error("a later process registered as conductor '{host}'")]
    Superseded { host: String },
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
    #[error("a secret cannot be opened: {0}")]
    Secret(String),
    #[error("{0}")]
    Schema(String),
    #[error("a database job panicked; see the log")]
    Panicked,
}

impl StoreError {
    /// Whether the same transaction may succeed when it is simply run again.
    pub(crate) fn is_retryable(&self) -> bool {
        // Two processes registered the same new host at once: the second finds the row next time.
        if self.violated_index().as_deref() == Some("conductors_hostname") {
            return true;
        }
        let Self::Sql(source) = self else {
            return false;
        };
        let Some(error) = source.downcast_ref::<postgres::Error>() else {
            return false;
        };
        error.code().is_some_and(|code| {
            *code == postgres::error::SqlState::T_R_SERIALIZATION_FAILURE
                || *code == postgres::error::SqlState::T_R_DEADLOCK_DETECTED
        })
    }

    /// The name of the unique index that was violated, if that is what happened.
    pub(crate) fn violated_index(&self) -> Option<String> {
        let Self::Sql(source) = self else { return None };
        if let Some(error) = source.downcast_ref::<postgres::Error>() {
            let db = error.as_db_error()?;
            (*db.code() == postgres::error::SqlState::UNIQUE_VIOLATION)
                .then(|| db.constraint().unwrap_or_default().to_owned())
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

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(Box::new(error))
    }
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        // Class 08 are broken connections, 57P a server that stops, starts or was told to drop us.
        let gone = match error.code().map(postgres::error::SqlState::code) {
            Some(code) => code.starts_with("08") || code.starts_with("57P"),
            None => error.is_closed() || has_io_cause(&error),
        };
        if gone {
            Self::Unavailable(Box::new(error))
        } else {
            Self::Sql(Box::new(error))
        }
    }
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
