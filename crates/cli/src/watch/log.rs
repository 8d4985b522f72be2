//! The service's event log, read on from a cursor.
//!
//! A stream is asked for; a service that has none answers the same request with a page, and is then
//! asked again and again, each time waiting for something to happen. Either way the cursor is all
//! there is to know, so that whatever breaks is mended by asking again.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::Value;

use crate::Session;
use crate::client::{Call, Followed};
use crate::error::Error;
use crate::sse::{Item, Parser};

/// How many events to take at once.
const BATCH: u32 = 200;
/// A stream gives a sign of life every quarter of a minute; one without any for so long is dead.
const SILENCE: Duration = Duration::from_secs(60);

/// Which events to show.
#[derive(Debug, Default)]
pub(crate) struct EventFilter {
    pub(crate) node: Option<String>,
    pub(crate) kinds: Vec<String>,
    pub(crate) project: Option<String>,
}

/// A place in the event log.
pub(crate) struct Log {
    cursor: u64,
    wanted: EventFilter,
    stream: Option<Box<Stream>>,
    silent: bool,
}

/// A stream that is open.
struct Stream {
    response: reqwest::Response,
    parser: Parser,
    heard: Instant,
}

/// How the service answered: with a page of events, or with a stream.
enum EventSource {
    Page(Vec<Value>, u64),
    Stream(Box<Stream>),
}

impl Log {
    /// Begins after a cursor, or else at this moment.
    pub(crate) async fn open(
        session: &Session,
        after: Option<u64>,
        wanted: EventFilter,
    ) -> Result<Self, Error> {
        let mut log = Self {
            cursor: after.unwrap_or(0),
            wanted,
            stream: None,
            silent: false,
        };
        if after.is_none() {
            log.go_to_end(session).await?;
        }
        Ok(log)
    }

    /// Without a cursor the service begins at the end. Should it begin at the start instead, what
    /// has been is passed over unread.
    async fn go_to_end(&mut self, session: &Session) -> Result<(), Error> {
        let mut cursor = None;
        loop {
            let call = self.call(cursor, 0)?;
            let answer = session.client.send_once(&call).await.map_err(explained);
            match answer.and_then(page) {
                Ok((events, next)) => {
                    self.cursor = next;
                    if events.is_empty() {
                        return Ok(());
                    }
                    cursor = Some(next);
                }
                Err(error) => cursor = Some(before_oldest(&error).ok_or(error)?),
            }
        }
    }

    /// The next events; none if nothing happened for so many seconds.
    pub(crate) async fn next(
        &mut self,
        session: &Session,
        patience: u32,
    ) -> Result<Vec<Value>, Error> {
        if self.stream.is_some() {
            return self.read(session, patience).await;
        }
        let call = self.call(Some(self.cursor), patience)?;
        let asked = match session.client.follow(&call).await.map_err(explained) {
            Ok(Followed::Stream(response)) => Ok(EventSource::Stream(Box::new(Stream {
                response,
                parser: Parser::default(),
                heard: Instant::now(),
            }))),
            Ok(Followed::Document(document)) => {
                page(document).map(|(events, next)| EventSource::Page(events, next))
            }
            Err(error) => Err(error),
        };
        if asked.is_ok() && std::mem::take(&mut self.silent) {
            session.console.note("the service is back");
        }
        match asked {
            Ok(EventSource::Page(events, next)) => {
                self.cursor = next;
                Ok(events)
            }
            Ok(EventSource::Stream(stream)) => {
                self.stream = Some(stream);
                self.read(session, patience).await
            }
            Err(error) => {
                self.cope(session, error).await?;
                Ok(Vec::new())
            }
        }
    }

    /// What a stream has to say within so many seconds.
    async fn read(&mut self, session: &Session, patience: u32) -> Result<Vec<Value>, Error> {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(patience.into());
        let mut events = Vec::new();
        while let Some(stream) = &mut self.stream {
            let piece = match tokio::time::timeout_at(deadline, stream.response.chunk()).await {
                Err(_) if stream.heard.elapsed() < SILENCE => return Ok(events),
                Ok(Ok(Some(piece))) => piece,
                // It has ended, or is dead. The cursor is where it was.
                _ => {
                    self.stream = None;
                    session.client.pause().await;
                    return Ok(events);
                }
            };
            stream.heard = Instant::now();
            let items = stream.parser.push(&piece);
            let items = items.map_err(|_| Error::failed("the service sends no events"))?;
            for item in items {
                let id = match item {
                    Item::Event { data, id, .. } => {
                        let event = serde_json::from_str(&data);
                        let event = event.map_err(|error| {
                            Error::failed(format!(
                                "the service sent an event that is none: {error}"
                            ))
                        })?;
                        events.push(event);
                        id
                    }
                    Item::Place(id) => id,
                    Item::Retry(_) => continue,
                };
                if let Ok(cursor) = id.parse() {
                    self.cursor = cursor;
                }
            }
            if !events.is_empty() {
                return Ok(events);
            }
        }
        Ok(events)
    }

    /// Goes on after what passes by itself.
    async fn cope(&mut self, session: &Session, error: Error) -> Result<(), Error> {
        if error.is_unreachable() || error.status().is_some_and(|status| status >= 500) {
            if !std::mem::replace(&mut self.silent, true) {
                let note = format!("{}; trying on", error.message());
                session.console.note(&note);
            }
            session.client.pause().await;
            return Ok(());
        }
        let cursor = before_oldest(&error).ok_or(error)?;
        session.console.note(&format!(
            "the service no longer remembers what came after {}; going on with the oldest it has",
            self.cursor
        ));
        self.cursor = cursor;
        Ok(())
    }

    fn call(&self, after: Option<u64>, wait: u32) -> Result<Call, Error> {
        let mut call = Call::own(Method::GET, &["events"])?
            .query_if("after", after)
            .query("limit", BATCH)
            .query("wait", wait)
            .query_if("node", self.wanted.node.as_ref())
            .query_if("project", self.wanted.project.as_ref());
        for kind in &self.wanted.kinds {
            call = call.query("kind", kind);
        }
        Ok(call)
    }
}

/// A page of the log, and where to go on.
fn page(mut answer: Value) -> Result<(Vec<Value>, u64), Error> {
    let next = answer.get("next").and_then(Value::as_u64);
    match (answer.get_mut("events").map(Value::take), next) {
        (Some(Value::Array(events)), Some(next)) => Ok((events, next)),
        _ => Err(Error::failed(
            "the service sent something that is no list of events",
        )),
    }
}

fn explained(error: Error) -> Error {
    if error.status() == Some(404) {
        Error::failed("this service keeps no event log to follow")
            .with_hint("only Corten does; use --wait to wait for a state of a node")
    } else {
        error
    }
}

/// Where to go on when a cursor is too old: just before the oldest event there is.
fn before_oldest(error: &Error) -> Option<u64> {
    let body = error.body().filter(|_| error.status() == Some(410))?;
    let places = [body.get("oldest"), body.pointer("/error/oldest")];
    let oldest = places.into_iter().flatten().find_map(Value::as_u64)?;
    Some(oldest.saturating_sub(1))
}
