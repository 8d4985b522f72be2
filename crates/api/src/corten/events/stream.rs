//! The event log as Server-Sent Events.
//!
//! The log is read a page at a time, and the next page only when the connection has taken the last
//! one, so that a slow reader costs the memory of one page. The end of the log is shared by all
//! streams ([`super::tail`]). Nothing of a stream lives anywhere but in its connection: a client
//! that comes back says where it was, and reads on from the log.
//!
//! Who may read what is asked again from time to time, as tokens end and roles are taken away. A
//! reader that has lost its right, or fell behind what the log keeps, finds its stream ended and
//! learns why when it comes back.

use super::{
    Question, redact,
    tail::{Page, write_event},
};
use crate::{
    auth::Gate,
    call::Call,
    ctx::Ctx,
    reply::Reply,
    stream::{EVENT_STREAM, Reader, StreamRequest},
};
use axum::body::Body;
use bytes::Bytes;
use std::{convert::Infallible, time::Instant};
use store::{
    StoreError,
    event::{Bell, EventFilter},
};
use types::{
    event::LoggedEvent,
    metrics::{Raised, STREAMS},
};

/// A reader of the log.
struct Feed {
    call: Call,
    request: StreamRequest,
    question: Question,
    filter: EventFilter,
    cursor: i64,
    bell: Bell,
    /// What was read to see whether the cursor is good.
    first: Option<Page>,
    /// When the right to read was last looked at.
    admitted: Instant,
    /// When something was last sent.
    sent: Instant,
    _counted: Raised,
    /// The place among the streams of this reader.
    _place: Reader,
}

/// Opens a stream behind the cursor; fails when the log does not reach back to it.
pub(super) async fn open(
    call: Call,
    (request, place): (StreamRequest, Reader),
    question: Question,
    filter: EventFilter,
    cursor: i64,
) -> Result<Reply, StoreError> {
    let db = &call.state.db;
    let mut bell = Bell::of(db);
    bell.listen();
    let page = call.state.settings.stream.page;
    let first = call.state.tail.after(db, cursor, page, &filter).await?;
    let now = Instant::now();
    let feed = Feed {
        call,
        request,
        question,
        filter,
        cursor,
        bell,
        first: Some(first),
        admitted: now,
        sent: now,
        _counted: STREAMS.raise(),
        _place: place,
    };
    let pieces = futures_util::stream::unfold(feed, Feed::next);
    Ok(Reply::stream(EVENT_STREAM, Body::from_stream(pieces)))
}

impl Feed {
    /// The next piece of the stream; none when it ends.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let text = match self.first.take() {
            Some(page) => {
                // Comes at once, so that clients and proxies see that all is well.
                let retry = self.call.state.settings.stream.retry.as_millis();
                let head = format!("retry: {retry}\n: events follow\n\n");
                head + &self.piece(page).await?
            }
            None => self.news().await?,
        };
        self.sent = Instant::now();
        Some((Ok(Bytes::from(text)), self))
    }

    /// Events as soon as there are any, or a sign of life.
    async fn news(&mut self) -> Option<String> {
        loop {
            let settings = &self.call.state.settings.stream;
            let (keep_alive, recheck, limit) =
                (settings.keep_alive, settings.recheck, settings.page);
            if self.admitted.elapsed() >= recheck && !self.is_admitted().await {
                return None;
            }
            self.bell.listen();
            let state = &self.call.state;
            let page = state
                .tail
                .after(&state.db, self.cursor, limit, &self.filter);
            let page = match page.await {
                Ok(page) => page,
                Err(error) => {
                    tracing::debug!(
                        request_id = self.call.ctx.caller.request_id,
                        error = %types::error::chain(&error),
                        "a stream of events ends"
                    );
                    return None;
                }
            };
            let more = !page.at_end;
            let text = self.piece(page).await?;
            if !text.is_empty() {
                return Some(text);
            }
            let left = keep_alive.saturating_sub(self.sent.elapsed());
            let rang = more || tokio::time::timeout(left, self.bell.rings()).await.is_ok();
            if !rang || left.is_zero() {
                // The cursor goes on even if nothing was for this reader; otherwise it would be
                // too old some day.
                return Some(format!(": still here\nid: {}\n\n", self.cursor));
            }
        }
    }

    /// A page as the caller may see it; none when that cannot be found out.
    async fn piece(&mut self, page: Page) -> Option<String> {
        self.cursor = page.next;
        let Call { state, ctx, .. } = &self.call;
        if state.settings.policy.sees_all_fields(&ctx.credentials) {
            let texts = page.events.iter().map(|told| told.text.as_str());
            return Some(texts.collect());
        }
        let events = page.events.iter().map(|told| told.event.clone());
        let mut events: Vec<LoggedEvent> = events.collect();
        redact(&self.call, &mut events).await.ok()?;
        let mut text = String::with_capacity(300 * events.len());
        for event in &events {
            write_event(&mut text, event);
        }
        Some(text)
    }

    /// Whether the caller is still who it was and may still read; what it may read is as of now.
    async fn is_admitted(&mut self) -> bool {
        let gate = Gate::of(&self.call.state);
        let Ok(identity) = self.request.identity(&gate).await else {
            return false;
        };
        let ctx = &self.call.ctx;
        self.call.ctx = Ctx::new(
            ctx.version,
            identity,
            ctx.caller.request_id.clone(),
            ctx.base.clone(),
            ctx.json_suffix,
        );
        let Ok(filter) = self.question.filter(&self.call).await else {
            return false;
        };
        self.filter = filter;
        self.admitted = Instant::now();
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Auth, Settings,
        auth::HttpBasic,
        policy::{Policy, PolicyOptions},
        stream::StreamSettings,
        testing::Service,
    };
    use axum::{
        body::Body,
        http::{Request, Response},
    };
    use base64::{Engine, prelude::BASE64_STANDARD};
    use http_body_util::BodyExt;
    use serde_json::{Value, json};
    use std::{sync::Arc, time::Duration};
    use store::node::{Fence, Log};
    use types::{
        Caller, Node, NodeId, Timestamp,
        event::{EventKind, NewEvent},
    };

    fn settings() -> Settings {
        Settings {
            stream: StreamSettings {
                page: 2,
                ..StreamSettings::default()
            },
            ..Settings::default()
        }
    }

    async fn tell(service: &Service, node: &mut Node, kind: EventKind, text: &str) {
        let event = NewEvent::new(node, kind, text, json!({"t": text}), &Caller::service());
        let saved = store::node::save(&service.db, node.clone(), Fence::Free, Log::event(event));
        *node = saved.await.unwrap();
    }

    async fn open(service: &Service, query: &str, headers: &[(&str, &str)]) -> Response<Body> {
        let mut request = Request::builder()
            .uri(format!("/corten/v1/events?{query}"))
            .header("accept", "text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        service.respond(request.body(Body::empty()).unwrap()).await
    }

    /// The next piece as text; none when the stream has ended.
    async fn piece(response: &mut Response<Body>) -> Option<String> {
        let frame = response.body_mut().frame().await?.unwrap();
        Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
    }

    /// Texts of the events in a piece.
    fn texts(piece: &str) -> Vec<String> {
        let data = piece.lines().filter_map(|line| line.strip_prefix("data: "));
        data.map(|data| {
            let event: Value = serde_json::from_str(data).unwrap();
            event["text"].as_str().unwrap().to_owned()
        })
        .collect()
    }

    #[tokio::test]
    async fn events_come_as_they_happen_and_from_where_the_reader_was() {
        let service = Service::with(settings());
        let mut node = service
            .store_node(Node::new(NodeId::generate(), "fake-hardware"))
            .await;
        for text in ["a", "b", "c"] {
            tell(&service, &mut node, EventKind::Power, text).await;
        }
        let mut stream = open(&service, "after=0", &[("last-event-id", "1")]).await;
        assert_eq!(stream.status(), 200);
        let headers = stream.headers();
        assert_eq!(headers["content-type"], "text/event-stream");
        assert_eq!(headers["cache-control"], "no-store");
        assert!(!headers.contains_key("content-length"));
        let first = piece(&mut stream).await.unwrap();
        assert!(first.starts_with("retry: 2000\n"), "{first}");
        assert!(
            first.contains("\n\nid: 2\nevent: power\ndata: {\"cursor\":2,"),
            "{first}"
        );
        assert_eq!(texts(&first), ["b", "c"]);
        tell(&service, &mut node, EventKind::Step, "line\nend").await;
        let next = piece(&mut stream).await.unwrap();
        assert_eq!(texts(&next), ["line\nend"]);
        assert!(
            next.starts_with("id: 4\nevent: step\n") && next.ends_with("}\n\n"),
            "{next}"
        );
        // Without any place to begin at, only what is to come.
        let mut late = open(&service, "", &[]).await;
        assert_eq!(
            texts(&piece(&mut late).await.unwrap()),
            Vec::<String>::new()
        );
    }

    #[tokio::test]
    async fn nobody_reads_more_streams_than_their_share() {
        let mut settings = settings();
        settings.stream.per_user = 2;
        let service = Service::with(settings);
        let first = open(&service, "", &[]).await;
        let second = open(&service, "", &[]).await;
        assert_eq!(
            (first.status().as_u16(), second.status().as_u16()),
            (200, 200)
        );
        assert_eq!(open(&service, "", &[]).await.status(), 429);
        drop(first);
        assert_eq!(open(&service, "", &[]).await.status(), 200);
    }

    #[tokio::test]
    async fn filters_pass_over_the_rest_and_move_on() {
        let mut settings = settings();
        settings.stream.keep_alive = Duration::ZERO;
        let service = Service::with(settings);
        let mut node = service
            .store_node(Node::new(NodeId::generate(), "fake-hardware"))
            .await;
        for (kind, text) in [
            (EventKind::Power, "on"),
            (EventKind::Step, "step"),
            (EventKind::Error, "oh"),
        ] {
            tell(&service, &mut node, kind, text).await;
        }
        for query in ["kind=power&kind=error", "kind=power,error"] {
            let mut stream = open(&service, &format!("after=0&{query}"), &[]).await;
            assert_eq!(texts(&piece(&mut stream).await.unwrap()), ["on", "oh"]);
        }
        let mut stream = open(&service, "after=0&kind=console", &[]).await;
        assert_eq!(
            texts(&piece(&mut stream).await.unwrap()),
            Vec::<String>::new()
        );
        let alive = piece(&mut stream).await.unwrap();
        assert_eq!(alive, ": still here\nid: 3\n\n");
        let refused = open(&service, "kind=nothing", &[]).await;
        assert_eq!(refused.status(), 400);
        for id in ["x", "1 2", "-1"] {
            let refused = open(&service, "", &[("last-event-id", id)]).await;
            assert_eq!(refused.status(), 400, "{id}");
        }
    }

    #[tokio::test]
    async fn whoever_comes_too_late_is_told_where_to_go_on() {
        let service = Service::with(settings());
        let mut node = service
            .store_node(Node::new(NodeId::generate(), "fake-hardware"))
            .await;
        for text in ["a", "b"] {
            tell(&service, &mut node, EventKind::Power, text).await;
        }
        let end = Timestamp::now().plus_seconds(60);
        store::event::purge(&service.db, end, 1).await.unwrap();
        let gone = open(&service, "after=0", &[]).await;
        assert_eq!(gone.status(), 410);
        let body = gone.into_body().collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["oldest"], 2);
        let mut fine = open(&service, "after=0", &[("last-event-id", "1")]).await;
        assert_eq!(texts(&piece(&mut fine).await.unwrap()), ["b"]);
    }

    #[tokio::test]
    async fn a_reader_sees_its_projects_nodes_for_as_long_as_they_are() {
        let policy = Policy::load(None, &PolicyOptions::default()).unwrap();
        let mut settings = settings();
        settings.policy = Arc::new(policy);
        settings.stream.recheck = Duration::ZERO;
        settings.stream.keep_alive = Duration::ZERO;
        let service = Service::with(settings);
        let mut theirs = Node::new(NodeId::generate(), "fake-hardware");
        theirs.owner = Some("p1".into());
        let mut theirs = service.store_node(theirs).await;
        let mut other = service
            .store_node(Node::new(NodeId::generate(), "fake-hardware"))
            .await;
        tell(&service, &mut other, EventKind::Power, "other").await;
        tell(&service, &mut theirs, EventKind::Power, "theirs").await;
        let reader = [("x-roles", "reader"), ("x-project-id", "p1")];
        let mut stream = open(&service, "after=0", &reader).await;
        assert_eq!(texts(&piece(&mut stream).await.unwrap()), ["theirs"]);
        let asked = open(&service, "after=0&project=p2", &reader).await;
        assert_eq!(asked.status(), 403);
        let mut all = open(
            &service,
            "after=0&project=p1",
            &[("x-roles", "reader"), ("openstack-system-scope", "all")],
        )
        .await;
        assert_eq!(texts(&piece(&mut all).await.unwrap()), ["theirs"]);
        // The node goes to somebody else, and what happens then is not for this reader.
        theirs.owner = Some("p2".into());
        tell(&service, &mut theirs, EventKind::Power, "given away").await;
        assert_eq!(piece(&mut stream).await.unwrap(), ": still here\nid: 3\n\n");
        theirs.owner = Some("p1".into());
        tell(&service, &mut theirs, EventKind::Power, "back").await;
        assert_eq!(texts(&piece(&mut stream).await.unwrap()), ["back"]);
    }

    #[tokio::test]
    async fn a_stream_ends_with_the_right_to_read_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let hash = bcrypt::hash("pass", 4).unwrap();
        std::fs::write(&file, format!("reader:{hash}\n")).unwrap();
        let mut settings = settings();
        settings.auth = Auth::HttpBasic(Arc::new(HttpBasic::open(file.path()).unwrap()));
        settings.stream.recheck = Duration::ZERO;
        settings.stream.keep_alive = Duration::ZERO;
        let service = Service::with(settings);
        assert_eq!(open(&service, "", &[]).await.status(), 401);
        let reader = format!("Basic {}", BASE64_STANDARD.encode("reader:pass"));
        let mut stream = open(&service, "", &[("authorization", &reader)]).await;
        assert!(piece(&mut stream).await.is_some());
        assert!(piece(&mut stream).await.is_some());
        std::fs::write(&file, "").unwrap();
        assert_eq!(piece(&mut stream).await, None);
    }
}
