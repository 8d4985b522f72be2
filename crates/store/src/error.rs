//! What can go wrong between us and the database.

/// A value that must be unique and is taken. `Display` is the text that clients of the original
/// service know.
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
    #[error("a value is taken: {0}")]
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
        // Classes of what passes: 08 are broken connections, 53 no room or memory, 57P a server
        // that stops, starts or was told to drop us, 57014 a statement that took too long, 58
        // broken files, 25006 a server that may only be read, 25P03 a transaction that stood still.
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
