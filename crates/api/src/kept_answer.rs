//! A cache of answers to reads, invalidated by every commit.
//!
//! Clients that poll a fleet repeat the same requests, and mostly nothing has changed in between.
//! An answer is made of the request, the database, who the conductors are, and settings that do not
//! change; so it may be given again as long as the database says that nothing was committed since,
//! by this process or by another ([`store::Db::revision`]). That question is asked for every
//! request. Nothing is taken for true because it was true a moment ago, and there is nothing that a
//! write could forget to invalidate.
//!
//! One commit voids everything that is kept. An answer is kept when it is asked for the second time
//! in the same state: a service that is written to between any two reads, or that is asked for each
//! of many nodes once, keeps nothing at all and pays for the question only. Only SQLite can be
//! asked; with the others nothing is kept.

use crate::{policy::Credentials, state::ApiState};
use axum::http::{HeaderMap, Method, Uri, header::ACCEPT};
use bytes::Bytes;
use std::{
    collections::{HashMap, HashSet},
    hash::BuildHasher,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use store::Revision;
use types::ApiVersion;

/// Routes whose answers are made of nothing else.
const ROUTES: &[&str] = &["nodes", "nodes/detail", "nodes/{node}"];
/// How many bytes are kept; with more, all are dropped.
const MOST: usize = 8 << 20;
/// Longer answers are not kept.
const LONGEST: usize = 4 << 20;
/// What an answer takes besides its text and its key.
const OVERHEAD: usize = 256;
/// How many requests are remembered that were asked once; with more, all are forgotten.
const MOST_ASKED: usize = 1 << 14;
/// Shorter answers are copied, because their buffers are larger than they are.
const SHORT: usize = 64 << 10;

/// All of a request that its answer depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// What links start with, path and query as they were sent, and what the client accepts.
    text: Vec<u8>,
    version: ApiVersion,
    credentials: Arc<Credentials>,
}

impl Key {
    /// `None` for requests that certainly have no answer here.
    pub(crate) fn new(
        (method, uri, headers): (&Method, &Uri, &HeaderMap),
        base: &str,
        version: ApiVersion,
        credentials: &Arc<Credentials>,
    ) -> Option<Self> {
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        // What becomes of the suffix is up to one of two headers.
        if method != Method::GET || path.contains(".json") {
            return None;
        }
        let mut accepted = headers.get_all(ACCEPT).into_iter();
        let accept = accepted.next().map_or(&b""[..], |value| value.as_bytes());
        if accepted.next().is_some() {
            return None;
        }
        let parts = [base.as_bytes(), path.as_bytes(), query.as_bytes(), accept];
        Some(Self {
            // None of them can have a line break.
            text: parts.join(&b'\n'),
            version,
            credentials: Arc::clone(credentials),
        })
    }
}

/// An answer that may be given again.
#[derive(Debug)]
pub(crate) struct KeptAnswer {
    /// As the route table has it, and what stood in the path for its placeholders.
    pub(crate) route: &'static str,
    pub(crate) params: Vec<(&'static str, String)>,
    pub(crate) body: Bytes,
}

/// Whether answers of a route are made of nothing else than what is said above.
pub(crate) fn is_kept(route: &str) -> bool {
    ROUTES.contains(&route)
}

/// What answers are made of, besides requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Snapshot {
    database: Revision,
    conductors: u64,
}

impl Snapshot {
    fn now(state: &ApiState) -> Option<Self> {
        Some(Self {
            database: state.db.revision()?,
            conductors: state.conductor.revision(),
        })
    }
}

/// Where an answer can be kept that is yet to be made.
#[derive(Debug)]
pub(crate) struct Slot {
    key: Key,
    before: Snapshot,
}

/// What is known of the answer to a request.
#[derive(Debug)]
pub(crate) enum Lookup {
    Kept(Arc<KeptAnswer>),
    /// Nothing; with a slot if the answer is worth keeping.
    Unknown(Option<Slot>),
}

#[derive(Debug, Default)]
struct Kept {
    /// What all of these were made of.
    snapshot: Option<Snapshot>,
    answers: HashMap<Key, Arc<KeptAnswer>>,
    bytes: usize,
    /// Hashes of the requests that were asked once since.
    asked: HashSet<u64>,
    /// Whether one was asked for since the last [`KeptAnswers::release`].
    is_used: bool,
}

/// The answers that a service keeps.
#[derive(Debug, Default)]
pub(crate) struct KeptAnswers(Mutex<Kept>);

impl KeptAnswers {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a request, if it is known.
    pub(crate) fn find(&self, state: &ApiState, key: Key) -> Lookup {
        let Some(now) = Snapshot::now(state) else {
            return Lookup::Unknown(None);
        };
        let mut kept = self.lock();
        let mut void = None;
        if kept.snapshot != Some(now) {
            void = Some(kept.clear());
            kept.snapshot = Some(now);
        }
        kept.is_used = true;
        let lookup = match kept.answers.get(&key) {
            Some(answer) => Lookup::Kept(Arc::clone(answer)),
            None => {
                let is_first = kept.note(&key);
                Lookup::Unknown((!is_first).then_some(Slot { key, before: now }))
            }
        };
        drop(kept);
        drop(void);
        lookup
    }

    /// Keeps an answer if nothing has happened while it was made.
    pub(crate) fn keep(&self, state: &ApiState, slot: Slot, mut answer: KeptAnswer) {
        let size = answer.body.len() + slot.key.text.len() + OVERHEAD;
        if size > LONGEST || Snapshot::now(state) != Some(slot.before) {
            return;
        }
        if answer.body.len() < SHORT {
            answer.body = Bytes::copy_from_slice(&answer.body);
        }
        let mut kept = self.lock();
        if kept.snapshot != Some(slot.before) || kept.answers.contains_key(&slot.key) {
            return;
        }
        let void = (kept.bytes + size > MOST).then(|| kept.clear());
        kept.bytes += size;
        kept.answers.insert(slot.key, Arc::new(answer));
        drop(kept);
        drop(void);
    }

    /// Frees the cache if there was no request since the last call.
    pub(crate) fn release(&self) {
        let mut kept = self.lock();
        if !mem::take(&mut kept.is_used) {
            let void = kept.clear();
            kept.asked = HashSet::new();
            drop(kept);
            drop(void);
        }
    }
}

impl Kept {
    /// Empties the cache; the caller drops the entries after it has released the lock.
    fn clear(&mut self) -> HashMap<Key, Arc<KeptAnswer>> {
        self.bytes = 0;
        self.asked.clear();
        mem::take(&mut self.answers)
    }

    /// Whether a request is asked for the first time. One of many may be taken for another.
    fn note(&mut self, key: &Key) -> bool {
        if self.asked.len() >= MOST_ASKED {
            self.asked.clear();
        }
        let hash = self.answers.hasher().hash_one(key);
        self.asked.insert(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use axum::{body::Body, http::Request};
    use http_body_util::BodyExt;
    use std::sync::atomic::Ordering;
    use store::node::{Fence, Log};
    use types::{Node, NodeId};

    const MARK: &str = "kept";

    /// A service that keeps answers, and a node.
    async fn service() -> (Service, ApiState, Node) {
        let service = Service::new();
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let node = service.store_node(node).await;
        let state = service.state();
        (service, state, node)
    }

    async fn ask(state: &ApiState, path: &str, headers: &[(&str, &str)]) -> String {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        let body = crate::respond(state.clone(), request).await.into_body();
        String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    fn count(state: &ApiState) -> usize {
        state.kept.lock().answers.len()
    }

    /// Makes kept answers recognizable.
    fn mark(state: &ApiState) {
        for answer in state.kept.lock().answers.values_mut() {
            *answer = Arc::new(KeptAnswer {
                route: answer.route,
                params: Vec::new(),
                body: Bytes::from_static(MARK.as_bytes()),
            });
        }
    }

    #[tokio::test]
    async fn an_answer_is_given_again_until_anything_is_written() {
        let (service, state, node) = service().await;
        for path in [
            format!("/v1/nodes/{}", node.id),
            "/v1/nodes".to_owned(),
            "/v1/nodes/detail?limit=2".to_owned(),
        ] {
            let first = ask(&state, &path, &[]).await;
            assert!(first.contains(&node.id.to_string()), "{first}");
            assert_eq!(ask(&state, &path, &[]).await, first);
            assert_eq!(count(&state), 1, "{path}");
            mark(&state);
            assert_eq!(ask(&state, &path, &[]).await, MARK);
            let now = store::node::find(&service.db, node.id).await.unwrap();
            let mut now = now.unwrap();
            now.last_error = Some(format!("seen at {path}"));
            store::node::save(&service.db, now, Fence::Free, Log::default())
                .await
                .unwrap();
            let fresh = ask(&state, &path, &[]).await;
            assert_ne!(fresh, MARK);
            assert!(!path.contains("detail") || fresh.contains("seen at"));
            assert_eq!(count(&state), 0, "{path}");
        }
    }

    #[tokio::test]
    async fn a_write_of_another_process_is_noticed() {
        let (service, state, _) = service().await;
        for _ in 0..2 {
            ask(&state, "/v1/nodes", &[]).await;
        }
        mark(&state);
        let other = store::Db::open(
            service.db.location(),
            service.db.keys().clone(),
            store::Upgrade::Run,
        );
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let (other, id) = (other.unwrap(), node.id.to_string());
        store::node::insert(&other, node, Log::default())
            .await
            .unwrap();
        assert!(ask(&state, "/v1/nodes", &[]).await.contains(&id));
    }

    #[tokio::test]
    async fn other_requests_and_other_conductors_get_answers_of_their_own() {
        let (service, state, node) = service().await;
        let path = format!("/v1/nodes/{}", node.id);
        for _ in 0..2 {
            ask(&state, &path, &[]).await;
        }
        mark(&state);
        for headers in [
            ("x-openstack-ironic-api-version", "1.50"),
            ("host", "other:6385"),
            ("accept", "application/xml"),
            ("x-roles", "reader"),
            ("x-project-id", "p1"),
            ("openstack-system-scope", "all"),
        ] {
            assert_ne!(ask(&state, &path, &[headers]).await, MARK, "{headers:?}");
        }
        for other in ["?fields=uuid", "/", ".json"] {
            let path = format!("{path}{other}");
            assert_ne!(ask(&state, &path, &[]).await, MARK, "{path}");
        }
        assert_eq!(ask(&state, &path, &[]).await, MARK);
        service.conductor.revision.fetch_add(1, Ordering::Relaxed);
        assert_ne!(ask(&state, &path, &[]).await, MARK);
    }

    #[tokio::test]
    async fn refusals_and_other_routes_are_not_kept() {
        let (_service, state, node) = service().await;
        for path in [
            "/v1/nodes/nobody".to_owned(),
            "/v1/drivers".to_owned(),
            format!("/v1/nodes/{}/states", node.id),
        ] {
            for _ in 0..3 {
                ask(&state, &path, &[]).await;
            }
            assert_eq!(count(&state), 0, "{path}");
        }
    }

    #[tokio::test]
    async fn memory_is_bounded_and_given_back_when_nobody_asks() {
        let (_service, state, node) = service().await;
        for _ in 0..2 {
            ask(&state, &format!("/v1/nodes/{}", node.id), &[]).await;
        }
        let before = Snapshot::now(&state).unwrap();
        let keep = |number: usize, length: usize| {
            let parts = crate::testing::parts(&format!("/v1/nodes?limit={number}"), &[]);
            let asked = (&parts.method, &parts.uri, &parts.headers);
            let credentials = Arc::new(Credentials::default());
            let key = Key::new(asked, "", ApiVersion::MAX, &credentials).unwrap();
            let answer = KeptAnswer {
                route: "nodes",
                params: Vec::new(),
                body: Bytes::from(vec![0; length]),
            };
            state.kept.keep(&state, Slot { key, before }, answer);
        };
        keep(0, LONGEST);
        assert_eq!(count(&state), 1);
        for number in 0..40 {
            keep(number, 1 << 20);
            assert!(state.kept.lock().bytes <= MOST);
        }
        assert!(count(&state) > 0);
        state.release_memory();
        assert!(count(&state) > 0);
        state.release_memory();
        assert_eq!((count(&state), state.kept.lock().bytes), (0, 0));
    }
}
