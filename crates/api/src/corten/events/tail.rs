//! The end of the event log, which all streams of a process share.
//!
//! Most streams are at the end of the log and wait for the same events. So each event is read and
//! encoded once for all of them, and the last ones are kept in memory. A stream that is further
//! behind reads the log itself, and so does one that is restricted to a project, because whose a
//! node is stands in the database. What a reader may not see is taken out later, for each reader.

use std::{
    collections::VecDeque,
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use store::{
    Db, StoreError,
    event::{self, Bell, EventFilter},
};
use types::event::LoggedEvent;

/// How many events are kept, and how many bytes of their texts.
const MOST: usize = 1000;
const MOST_BYTES: usize = 4 << 20;

/// After this time the log is polled even without a wake-up from the bell: an event that was
/// appended without one must not wait for the next.
const STALE: Duration = Duration::from_secs(1);

/// An event as streams send it.
#[derive(Debug)]
pub(super) struct Encoded {
    pub(super) event: LoggedEvent,
    pub(super) text: String,
}

impl From<LoggedEvent> for Encoded {
    fn from(event: LoggedEvent) -> Self {
        let mut text = String::new();
        write_event(&mut text, &event);
        Self { event, text }
    }
}

pub(super) fn write_event(text: &mut String, event: &LoggedEvent) {
    // On one line: line ends inside of texts are escaped.
    let data = event.document();
    let (id, kind) = (event.cursor, event.kind);
    let _ = write!(text, "id: {id}\nevent: {kind}\ndata: {data}\n\n");
}

/// Some events in their order, as [`store::event::EventPage`].
#[derive(Debug)]
pub(super) struct Page {
    pub(super) events: Vec<Arc<Encoded>>,
    pub(super) next: i64,
    pub(super) at_end: bool,
}

/// The end of the event log.
#[derive(Debug, Default)]
pub(crate) struct EventTail {
    ring: Mutex<Option<Ring>>,
    /// Held by the one stream that reads on for all.
    reading: tokio::sync::Mutex<Option<Reading>>,
}

/// All events behind `begin`, up to `end`.
#[derive(Debug)]
struct Ring {
    begin: i64,
    end: i64,
    /// Whether the log had no more when it was read.
    at_end: bool,
    events: VecDeque<Arc<Encoded>>,
    bytes: usize,
}

#[derive(Debug)]
struct Reading {
    bell: Bell,
    at: Instant,
    #[cfg(test)]
    times: usize,
}

/// Where a cursor is.
enum CursorPosition {
    /// Before what is kept, or nothing is kept.
    Outside,
    /// Among what is kept, with events behind it.
    Inside(Page),
    /// At the end of what is kept, or behind it.
    AtEnd,
}

impl EventTail {
    /// Events behind a cursor, at most `limit`; see [`store::event::after`].
    pub(super) async fn after(
        &self,
        db: &Db,
        cursor: i64,
        limit: u32,
        filter: &EventFilter,
    ) -> Result<Page, StoreError> {
        if filter.project.is_some() {
            return self.read_log(db, cursor, limit, filter).await;
        }
        match self.place(cursor, limit, filter) {
            CursorPosition::Inside(page) => return Ok(page),
            CursorPosition::Outside => return self.read_log(db, cursor, limit, filter).await,
            CursorPosition::AtEnd => {}
        }
        match self.read_on(db, cursor).await {
            // Events between the end and the cursor were lost; what the cursor is worth is seen
            // when the log itself is read.
            Err(StoreError::CursorTooOld { .. } | StoreError::CursorUnknown { .. }) => {
                self.forget();
            }
            read => read?,
        }
        match self.place(cursor, limit, filter) {
            CursorPosition::Inside(page) => Ok(page),
            CursorPosition::AtEnd if self.ends_at(cursor) => Ok(Page {
                events: Vec::new(),
                next: cursor,
                at_end: true,
            }),
            // The ring is stale: no stream has read for so long that one page did not reach the
            // cursor.
            CursorPosition::AtEnd | CursorPosition::Outside => {
                self.forget();
                self.read_log(db, cursor, limit, filter).await
            }
        }
    }

    /// Reads the log for one stream. Once that has come to its end, what follows is for all.
    async fn read_log(
        &self,
        db: &Db,
        cursor: i64,
        limit: u32,
        filter: &EventFilter,
    ) -> Result<Page, StoreError> {
        let page = event::after(db, cursor, limit, filter.clone()).await?;
        if page.at_end {
            self.lock().get_or_insert_with(|| Ring::new(page.next));
        }
        let events = page.events.into_iter();
        Ok(Page {
            events: events.map(|event| Arc::new(event.into())).collect(),
            next: page.next,
            at_end: page.at_end,
        })
    }

    /// Reads what is behind the end of the ring, unless somebody else has done so meanwhile or
    /// nothing can have happened.
    async fn read_on(&self, db: &Db, cursor: i64) -> Result<(), StoreError> {
        let mut last = self.reading.lock().await;
        let Some((end, at_end)) = self.lock().as_ref().map(|ring| (ring.end, ring.at_end)) else {
            return Ok(());
        };
        if end > cursor {
            return Ok(());
        }
        let is_current = |last: &Reading| last.at.elapsed() < STALE && !last.bell.has_rung();
        if end == cursor && at_end && last.as_ref().is_some_and(is_current) {
            return Ok(());
        }
        let reading = last.get_or_insert_with(|| Reading {
            bell: Bell::of(db),
            at: Instant::now(),
            #[cfg(test)]
            times: 0,
        });
        reading.bell.listen();
        reading.at = Instant::now();
        #[cfg(test)]
        {
            reading.times += 1;
        }
        let limit = u32::try_from(MOST).unwrap_or(u32::MAX);
        let page = event::after(db, end, limit, EventFilter::default()).await?;
        if let Some(ring) = self.lock().as_mut().filter(|ring| ring.end == end) {
            for event in page.events {
                ring.push(event.into());
            }
            (ring.end, ring.at_end) = (page.next, page.at_end);
        }
        Ok(())
    }

    fn place(&self, cursor: i64, limit: u32, filter: &EventFilter) -> CursorPosition {
        match self.lock().as_ref() {
            Some(ring) if cursor >= ring.end => CursorPosition::AtEnd,
            Some(ring) if cursor >= ring.begin => {
                CursorPosition::Inside(ring.page(cursor, limit, filter))
            }
            _ => CursorPosition::Outside,
        }
    }

    fn ends_at(&self, cursor: i64) -> bool {
        self.lock().as_ref().is_some_and(|ring| ring.end == cursor)
    }

    fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Ring>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    fn new(end: i64) -> Self {
        Self {
            begin: end,
            end,
            at_end: true,
            events: VecDeque::new(),
            bytes: 0,
        }
    }

    fn push(&mut self, event: Encoded) {
        self.bytes += event.text.len();
        self.events.push_back(Arc::new(event));
        while self.events.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.events.pop_front() else {
                return;
            };
            self.bytes -= oldest.text.len();
            self.begin = oldest.event.cursor;
        }
    }

    fn page(&self, cursor: i64, limit: u32, filter: &EventFilter) -> Page {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let first = self.events.partition_point(|e| e.event.cursor <= cursor);
        let fits = |told: &&Arc<Encoded>| {
            let event = &told.event;
            filter.node.is_none_or(|node| node == event.node)
                && (filter.kinds.is_empty() || filter.kinds.contains(&event.kind))
        };
        let fitting = self.events.range(first..).filter(fits).take(limit);
        let events: Vec<Arc<Encoded>> = fitting.cloned().collect();
        let full = events.last().filter(|_| events.len() == limit);
        let next = full.map_or(self.end, |last| last.event.cursor);
        Page {
            events,
            next,
            at_end: self.at_end && next >= self.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::json;
    use store::node::{Fence, Log};
    use types::{
        Caller, Node, NodeId,
        event::{EventKind, NewEvent},
    };

    static ALL: EventFilter = EventFilter {
        node: None,
        project: None,
        kinds: Vec::new(),
    };

    struct World {
        service: Service,
        node: Node,
        tail: EventTail,
    }

    impl World {
        async fn new() -> Self {
            let service = Service::new();
            let node = Node::new(NodeId::generate(), "fake-hardware");
            Self {
                node: service.store_node(node).await,
                service,
                tail: EventTail::default(),
            }
        }

        async fn tell(&mut self, texts: &[&str]) {
            let event = |text: &&str| {
                let caller = Caller::service();
                NewEvent::new(&self.node, EventKind::Power, *text, json!({}), &caller)
            };
            let log = Log {
                events: texts.iter().map(event).collect(),
                ..Log::default()
            };
            let saved = store::node::save(&self.service.db, self.node.clone(), Fence::Free, log);
            self.node = saved.await.unwrap();
        }

        async fn read(&self, cursor: i64, filter: &EventFilter) -> (Vec<String>, i64) {
            let page = self.tail.after(&self.service.db, cursor, 3, filter).await;
            let page = page.unwrap();
            let texts = page.events.iter().map(|told| told.event.text.clone());
            (texts.collect(), page.next)
        }

        async fn times(&self) -> usize {
            self.tail
                .reading
                .lock()
                .await
                .as_ref()
                .map_or(0, |r| r.times)
        }

        fn kept(&self) -> (i64, usize) {
            let ring = self.tail.lock();
            let ring = ring.as_ref().unwrap();
            (ring.begin, ring.events.len())
        }
    }

    fn told(texts: &[&str], next: i64) -> (Vec<String>, i64) {
        (texts.iter().map(|&text| text.to_owned()).collect(), next)
    }

    #[tokio::test]
    async fn many_readers_at_the_end_make_one_query() {
        let mut world = World::new().await;
        assert_eq!(world.read(0, &ALL).await, told(&[], 0));
        for (number, text) in [(1, "a"), (2, "b")] {
            world.tell(&[text]).await;
            let reads = (0..50).map(|_| world.read(number - 1, &ALL));
            for read in futures_util::future::join_all(reads).await {
                assert_eq!(read, told(&[text], number));
            }
            let queries = usize::try_from(number).unwrap();
            assert_eq!(world.times().await, queries);
        }
        // Nothing has happened since.
        assert_eq!(world.read(2, &ALL).await, told(&[], 2));
        assert_eq!(world.times().await, 2);
        let other = EventFilter {
            kinds: vec![EventKind::Step],
            ..EventFilter::default()
        };
        assert_eq!(world.read(0, &other).await, told(&[], 2));
        let theirs = EventFilter::from(world.node.id);
        assert_eq!(world.read(1, &theirs).await, told(&["b"], 2));
        let strange = EventFilter::from(NodeId::generate());
        assert_eq!(world.read(1, &strange).await, told(&[], 2));
        assert_eq!(world.times().await, 2);
    }

    #[tokio::test]
    async fn a_slow_reader_reads_the_log_itself_and_misses_nothing() {
        let mut world = World::new().await;
        world.tell(&["before"]).await;
        assert_eq!(world.read(1, &ALL).await, told(&[], 1));
        let texts: Vec<String> = (0..MOST + 10).map(|number| number.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        world.tell(&texts).await;
        let (mut fast, mut slow) = (1, 0);
        while fast < 1011 {
            fast = world.read(fast, &ALL).await.1;
        }
        assert_eq!(world.kept(), (11, MOST));
        let mut seen = Vec::new();
        while slow < 1011 {
            let (texts, next) = world.read(slow, &ALL).await;
            seen.extend(texts);
            slow = next;
        }
        assert_eq!(seen[0], "before");
        assert_eq!(seen[1..], texts);
    }

    #[tokio::test]
    async fn after_a_restart_or_a_long_silence_the_log_is_read_again() {
        let mut world = World::new().await;
        world.tell(&["a"]).await;
        assert_eq!(world.read(1, &ALL).await, told(&[], 1));
        world.tell(&["b"]).await;
        assert_eq!(world.read(1, &ALL).await, told(&["b"], 2));
        world.tail = EventTail::default();
        assert_eq!(world.read(0, &ALL).await, told(&["a", "b"], 2));
        // More has happened than is read at once, and the next reader begins behind it.
        let many = vec!["x"; 2 * MOST];
        world.tell(&many).await;
        let newest = store::event::newest(&world.service.db).await.unwrap();
        assert_eq!(world.read(newest, &ALL).await, told(&[], newest));
        world.tell(&["c"]).await;
        assert_eq!(world.read(newest, &ALL).await, told(&["c"], newest + 1));
        assert_eq!(world.kept(), (newest, 1));
    }

    #[tokio::test]
    async fn a_cursor_that_the_log_never_had_is_refused() {
        let mut world = World::new().await;
        world.tell(&["a"]).await;
        assert_eq!(world.read(1, &ALL).await, told(&[], 1));
        let beyond = world.tail.after(&world.service.db, 7, 3, &ALL).await;
        assert!(matches!(beyond, Err(StoreError::CursorUnknown { .. })));
        assert_eq!(world.read(0, &ALL).await, told(&["a"], 1));
    }
}
