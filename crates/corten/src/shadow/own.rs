//! The questions that nobody else asks: those of a log, or a sweep over everything there is, paced.

use super::{
    check::Checker,
    request::{Read, Verb},
};
use axum::http::HeaderValue;
use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};
use store::{
    Db, Page, StoreError,
    node::{self, Columns, NodeFilter},
};
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use types::NodeId;

/// Versions of several years; each question is asked in another one.
const VERSIONS: &[&str] = &[
    "latest", "1.31", "1.95", "1.58", "1.81", "1.109", "1.11", "1.72",
];

/// Lists, asked in every version.
const LISTS: &[&str] = &[
    "nodes",
    "nodes/detail?limit=50",
    "nodes?limit=3&sort_key=name&sort_dir=desc",
    "nodes?associated=true",
    "nodes?maintenance=true",
    "nodes?provision_state=active",
    "ports",
    "ports/detail?limit=50",
    "portgroups",
    "portgroups/detail?limit=50",
    "chassis",
    "chassis/detail",
    "volume/connectors?detail=true&limit=50",
    "volume/targets?detail=true&limit=50",
    "allocations",
    "deploy_templates?detail=true",
    "runbooks?detail=true",
    "inspection_rules",
    "shards",
];

/// What is asked below each row; `*` is its UUID.
const OF_NODE: &[&str] = &[
    "nodes/*",
    "nodes/*/states",
    "nodes/*/traits",
    "nodes/*/bios",
    "nodes/*/firmware",
    "nodes/*/history",
    "nodes/*/inventory",
    "nodes/*/allocation",
    "nodes/*/ports/detail",
    "nodes/*/portgroups",
    "nodes/*/volume/connectors",
    "ports?node_uuid=*&detail=true",
];

/// How old a token is that was read from its file.
const TOKEN_AGE: Duration = Duration::from_secs(30);
/// So many nodes are looked up at a time.
const CHUNK: u32 = 200;

/// Asks for a token in a file, which is renewed by somebody else.
#[derive(Debug)]
pub(crate) struct TokenFile {
    path: Option<PathBuf>,
    /// What was read last, and when.
    known: Option<(Instant, Option<HeaderValue>)>,
}

impl TokenFile {
    pub(crate) fn new(path: Option<PathBuf>) -> Self {
        Self { path, known: None }
    }

    #[expect(clippy::disallowed_methods, reason = "read on a thread that may wait")]
    async fn token(&mut self) -> Option<HeaderValue> {
        let path = self.path.clone()?;
        if let Some((at, token)) = &self.known
            && at.elapsed() < TOKEN_AGE
        {
            return token.clone();
        }
        let read = tokio::task::spawn_blocking(move || std::fs::read_to_string(path));
        let token = match read.await.ok()? {
            Ok(text) => HeaderValue::from_str(text.trim()).ok(),
            Err(error) => {
                tracing::warn!(%error, "the file of --token-file cannot be read");
                None
            }
        };
        self.known = Some((Instant::now(), token.clone()));
        token
    }
}

/// What is asked by this service itself.
pub(crate) struct Asker {
    checker: Arc<Checker>,
    db: Db,
    token: TokenFile,
    pace: Interval,
}

impl Asker {
    /// `gap` is the time between two questions.
    pub(crate) fn new(checker: Arc<Checker>, db: Db, token: TokenFile, gap: Duration) -> Self {
        let mut pace = interval(gap);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            checker,
            db,
            token,
            pace,
        }
    }

    async fn ask(&mut self, read: Read) {
        self.pace.tick().await;
        let token = self.token.token().await;
        self.checker.ask(read.with_token(token)).await;
    }

    /// Asks for all of a log, again and again.
    pub(crate) async fn replay(mut self, reads: Vec<Read>, over: CancellationToken) {
        let replay = async {
            loop {
                for read in &reads {
                    self.ask(read.clone()).await;
                }
                tracing::debug!("all of the log was asked for");
            }
        };
        tokio::select! {
            () = over.cancelled() => {}
            () = replay => {}
        }
    }

    /// Asks for everything there is, again and again.
    pub(crate) async fn sweep(mut self, over: CancellationToken) {
        let sweep = async {
            let mut turn = 0;
            loop {
                self.lists().await;
                let mut after = None;
                loop {
                    // Which nodes there are is known here; Ironic need not be asked for that.
                    let nodes = nodes(&self.db, after).await;
                    let Some(last) = nodes.last() else { break };
                    after = Some(*last);
                    for node in nodes {
                        self.rows(node, &mut turn).await;
                    }
                }
                tracing::debug!("all lists and nodes were asked for");
            }
        };
        tokio::select! {
            () = over.cancelled() => {}
            () = sweep => {}
        }
    }

    async fn lists(&mut self) {
        for version in VERSIONS {
            for list in LISTS {
                if let Some(read) = Read::new(Verb::Get, &format!("/v1/{list}"), Some(version)) {
                    self.ask(read).await;
                }
            }
        }
    }

    async fn rows(&mut self, node: NodeId, turn: &mut usize) {
        for path in OF_NODE {
            let path = path.replace('*', &node.to_string());
            let version = VERSIONS.get(*turn % VERSIONS.len()).copied();
            *turn += 1;
            if let Some(read) = Read::new(Verb::Get, &format!("/v1/{path}"), version) {
                self.ask(read).await;
            }
        }
        // The next node in other versions, even if the numbers divide each other.
        *turn += 1;
    }
}

/// The nodes behind one, in the order of their UUIDs.
async fn nodes(db: &Db, after: Option<NodeId>) -> Vec<NodeId> {
    let page = Page {
        limit: CHUNK,
        marker: after.map(|node| node.to_string()),
        sort_key: "uuid".to_owned(),
        descending: false,
    };
    match node::list(db, NodeFilter::default(), page, Columns::Summary).await {
        Ok(nodes) => nodes.into_iter().map(|node| node.id).collect(),
        // The last one is gone: the next sweep finds the others.
        Err(StoreError::MarkerNotFound) => Vec::new(),
        Err(error) => {
            tracing::warn!(
                error = types::error::chain(&error),
                "the nodes cannot be listed"
            );
            Vec::new()
        }
    }
}
