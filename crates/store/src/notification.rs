//! Notifications on their way out: a table that is filled with each change and emptied by a sender.
//!
//! The message is written in the transaction of the change, with the object as that transaction
//! leaves it. So a message bus that is away loses nothing, and a message about something that was
//! not committed cannot exist. It does not stand in the event log itself: a message is as large as
//! the object, and the log is kept for weeks, while a message is wanted once.
//!
//! Beginnings and failures change no row. They are written by themselves, in order with the rest;
//! what cannot be written is told to the log of the service only, because a request must not fail
//! for the sake of a notification about it.
//!
//! Whether anybody wants notifications is settled when the service starts. Where nobody does,
//! nothing here costs more than looking at that.

mod sender;

pub use sender::{
    Claim, Claimant, Seen, claim, discard, oldest, pending, release, renew, sent, wait,
};

use crate::{
    Db, StoreError,
    conn::Conn,
    node::{self, Log},
};
use std::sync::Arc;
use types::{
    Caller, Timestamp,
    notification::{Action, Level, Message, Notice, Status, Subject},
};

/// What is told, and in whose name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationFilter {
    /// Notifications below this are not written.
    pub level: Level,
    /// The host in the name of the publisher.
    pub host: String,
}

/// A message that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    pub id: i64,
    pub level: Level,
    /// JSON text, without an envelope.
    pub body: String,
}

/// Where messages go, if notifications are enabled.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(Option<Arc<NotificationFilter>>);

impl Outbox {
    /// Writes what the log has to say about `subject`, as part of a transaction.
    pub(crate) fn tell(
        &self,
        conn: &mut Conn,
        log: &Log,
        subject: &impl Subject,
    ) -> Result<(), StoreError> {
        let Some(wanted) = &self.0 else {
            return Ok(());
        };
        for notice in &log.notices {
            if notice.level() >= wanted.level {
                let at = Timestamp::now();
                let message = notice.message(subject, &log.caller, &wanted.host, at);
                insert(conn, &message, at)?;
            }
        }
        Ok(())
    }

    /// As [`Outbox::tell`], about something that the transaction is going to remove. It is looked
    /// for only if anybody wants to know.
    pub(crate) fn tell_gone<S: Subject>(
        &self,
        conn: &mut Conn,
        log: &Log,
        find: impl FnOnce(&mut Conn) -> Result<Option<S>, StoreError>,
    ) -> Result<(), StoreError> {
        if self.0.is_none() || log.notices.is_empty() {
            return Ok(());
        }
        match find(conn)? {
            Some(subject) => self.tell(conn, log, &subject),
            None => Ok(()),
        }
    }
}

impl Db {
    /// Has notifications written from now on. To be called once, before anything is served.
    pub fn want_notifications(&self, wanted: NotificationFilter) {
        // A second call would only repeat the first: there is one configuration.
        let _ = self.0.notifications.set(Arc::new(wanted));
    }

    /// Whether notifications are written at all.
    pub fn notifies(&self) -> bool {
        self.0.notifications.get().is_some()
    }

    pub(crate) fn outbox(&self) -> Outbox {
        Outbox(self.0.notifications.get().cloned())
    }

    /// Writes something that notifications may tell of, and wakes whoever sends them.
    pub(crate) fn told<T: Send + 'static>(
        &self,
        body: impl Fn(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> {
        let answer = self.write_now(body);
        async move {
            let written = answer.await?;
            self.announce();
            Ok(written)
        }
    }

    /// Writes one object with all that the log says of it, and tells of it as it is now stored.
    pub(crate) fn keep<T: Subject + Send + 'static>(
        &self,
        log: Log,
        body: impl Fn(&mut Conn) -> Result<T, StoreError> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> {
        let outbox = self.outbox();
        self.told(move |conn| {
            let stored = body(conn)?;
            node::append(conn, &log)?;
            outbox.tell(conn, &log, &stored)?;
            Ok(stored)
        })
    }
}

/// Tells of something that changes no row.
pub async fn tell(db: &Db, caller: &Caller, subject: &impl Subject, notice: Notice) {
    if let Some(wanted) = db.outbox().0
        && notice.level() >= wanted.level
    {
        let at = Timestamp::now();
        let message = notice.message(subject, caller, &wanted.host, at);
        write(db, message, at).await;
    }
}

async fn write(db: &Db, message: Message, at: Timestamp) {
    let event_type = message.event_type.clone();
    match db.write(move |conn| insert(conn, &message, at)).await {
        Ok(()) => db.announce(),
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::warn!(%event_type, %error, "could not store a notification: dropped");
        }
    }
}

fn insert(conn: &mut Conn, message: &Message, at: Timestamp) -> Result<(), StoreError> {
    const INSERT: &str = "INSERT INTO notifications (level, body, created_at) VALUES ($1, $2, $3)";
    let params = [
        message.level.as_str().into(),
        (&message.body).into(),
        at.into(),
    ];
    conn.execute(INSERT, &params).map(|_| ())
}

/// A request that was announced: what follows is its end or its failure.
#[derive(Debug)]
#[must_use = "an announced request must come to an end"]
pub struct Announced(Option<Box<Request>>);

#[derive(Debug)]
struct Request {
    db: Db,
    wanted: Arc<NotificationFilter>,
    caller: Caller,
    action: Action,
    object: &'static str,
    payload: serde_json::Value,
}

/// Tells that a request about `subject` begins.
pub async fn begin(db: &Db, caller: &Caller, action: Action, subject: &impl Subject) -> Announced {
    let Some(wanted) = db.outbox().0 else {
        return Announced(None);
    };
    let request = Request {
        db: db.clone(),
        wanted,
        caller: caller.clone(),
        action,
        object: subject.object(),
        payload: match action {
            Action::Create => subject.payload(action).unborn().into_value(),
            _ => subject.payload(action).into_value(),
        },
    };
    request.tell(Status::Start).await;
    Announced(Some(Box::new(request)))
}

/// As [`begin`], about something that is looked for only if anybody wants to know.
pub async fn begin_with<S: Subject>(
    db: &Db,
    caller: &Caller,
    action: Action,
    find: impl Future<Output = Result<Option<S>, StoreError>>,
) -> Announced {
    if !db.notifies() {
        return Announced(None);
    }
    match find.await {
        Ok(Some(subject)) => begin(db, caller, action, &subject).await,
        // The request itself finds out, and says so to its client.
        Ok(None) | Err(_) => Announced(None),
    }
}

impl Announced {
    /// What the transaction is to tell that makes the change: its end.
    pub fn end(&self) -> Log {
        let Some(request) = &self.0 else {
            return Log::default();
        };
        Log {
            notices: vec![Notice::new(request.action, Status::End)],
            caller: request.caller.clone(),
            ..Log::default()
        }
    }

    /// The request came to this; its end was told by the transaction that made the change.
    pub async fn failed<T, E>(&self, outcome: Result<T, E>) -> Result<T, E> {
        if let (Some(request), Err(_)) = (&self.0, &outcome) {
            request.tell(Status::Error).await;
        }
        outcome
    }
}

impl Request {
    async fn tell(&self, status: Status) {
        let notice = Notice::new(self.action, status);
        if notice.level() < self.wanted.level {
            return;
        }
        let (at, payload) = (Timestamp::now(), self.payload.clone());
        let message = notice.told(self.object, payload, &self.caller, &self.wanted.host, at);
        write(&self.db, message, at).await;
    }
}
