//! Which agents write the same image now, and what they are told of one another
//! (`[corten]image_peers`).
//!
//! A conductor knows the images that it publishes itself. Of a raw one it lists what each block
//! hashes to, in the background and once, and tells agents of this service that list, a token, and
//! where other agents are that it told the same. All else is between the agents. Nothing waits for
//! a list: an agent that begins before it is made fetches the image by itself.
//!
//! All of this is in memory. After a restart there is a new token, and agents that begin then do not
//! know of earlier ones.

use super::publish;
use crate::task::Task;
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use image::{Format, blocks::BlockList, checksum::Algorithm};
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::Semaphore, task::spawn_blocking};
use types::{NodeId, internal_info::PreparedImage, pyrepr};

/// How many images are shared at a time; their lists are in memory.
const MOST_IMAGES: usize = 16;

/// How many other agents one is told of.
const MOST_TOLD: usize = 12;

/// How long an agent is taken to be there, if nobody says that it has left.
const LONGEST: Duration = Duration::from_secs(2 * 3600);

/// The images that agents share.
#[derive(Debug)]
pub(crate) struct ImagePeers {
    images: Mutex<HashMap<String, SharedImage>>,
    /// One list is made at a time.
    making: Semaphore,
}

impl Default for ImagePeers {
    fn default() -> Self {
        Self {
            images: Mutex::default(),
            making: Semaphore::new(1),
        }
    }
}

#[derive(Debug)]
enum ListState {
    Making,
    Made(Arc<BlockList>),
    /// The image is too large for one.
    Impossible,
}

struct SharedImage {
    list: ListState,
    token: String,
    members: Vec<Member>,
    used: Instant,
}

impl std::fmt::Debug for SharedImage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SharedImage({} agents)", self.members.len())
    }
}

/// An agent that writes an image.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    node: NodeId,
    url: String,
    certificate: Option<String>,
    /// The network that it was booted in, where several are known.
    network: Option<String>,
    since: Instant,
}

impl Member {
    fn address(&self) -> Value {
        json!({"url": self.url, "certificate": self.certificate})
    }
}

impl ImagePeers {
    fn images(&self) -> MutexGuard<'_, HashMap<String, SharedImage>> {
        self.images.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for an image whose list is to be made. `None` if it has one, or all others are
    /// being written.
    fn begin(&self, image: &str, now: Instant) -> Option<()> {
        let mut images = self.images();
        if let Some(known) = images.get_mut(image) {
            known.used = now;
            return None;
        }
        if images.len() >= MOST_IMAGES {
            let idle = images
                .iter()
                .filter(|(_, shared)| shared.members.is_empty());
            let oldest = idle.min_by_key(|(_, shared)| shared.used);
            let oldest = oldest.map(|(image, _)| image.clone())?;
            images.remove(&oldest);
        }
        let shared = SharedImage {
            list: ListState::Making,
            token: token()?,
            members: Vec::new(),
            used: now,
        };
        images.insert(image.to_owned(), shared);
        Some(())
    }

    /// The list is there, or is impossible; without either it may be tried again.
    fn made(&self, image: &str, list: Option<ListState>) {
        let mut images = self.images();
        match list {
            Some(list) => {
                if let Some(shared) = images.get_mut(image) {
                    shared.list = list;
                }
            }
            None => {
                images.remove(image);
            }
        }
    }

    /// An agent begins to write an image: what it is told, if it may share it.
    fn join(&self, image: &str, member: Member) -> Option<Value> {
        let mut images = self.images();
        let shared = images.get_mut(image)?;
        let ListState::Made(list) = &shared.list else {
            return None;
        };
        let now = member.since;
        shared.used = now;
        shared.members.retain(|other| {
            other.node != member.node && now.saturating_duration_since(other.since) < LONGEST
        });
        let others = shared.members.iter();
        let others: Vec<_> = others.filter(|m| m.network == member.network).collect();
        let peers = spread(&others, MOST_TOLD);
        let told = json!({
            "size": list.size(),
            "block_size": list.block_size(),
            "blocks": STANDARD.encode(list.to_bytes()),
            "token": shared.token,
            "own": member.address(),
            "peers": peers.iter().map(|peer| peer.address()).collect::<Vec<_>>(),
        });
        shared.members.push(member);
        Some(told)
    }

    /// The agent of a node writes no image any more, and will be gone.
    pub(super) fn leave(&self, node: NodeId) {
        for shared in self.images().values_mut() {
            shared.members.retain(|member| member.node != node);
        }
    }
}

/// At most so many, from all over the list, so that early ones are not told to everybody.
fn spread<'a>(members: &[&'a Member], most: usize) -> Vec<&'a Member> {
    let mut random = [0; 4];
    let start = match SystemRandom::new().fill(&mut random) {
        Ok(()) => u32::from_ne_bytes(random) as usize,
        Err(_) => 0,
    };
    let count = most.min(members.len());
    let at = |n: usize| (start % members.len() + n * members.len() / count) % members.len();
    (0..count).map(|n| members[at(n)]).collect()
}

fn token() -> Option<String> {
    let mut random = [0; 32];
    SystemRandom::new().fill(&mut random).ok()?;
    Some(URL_SAFE_NO_PAD.encode(random))
}

/// A name for an image that agents can share: it is published here, and raw.
fn shareable(prepared: &PreparedImage) -> Option<(Algorithm, &str)> {
    let format: Format = prepared.disk_format.as_deref()?.parse().ok()?;
    let is_raw = format.is_raw() || format == Format::Iso;
    let sum = prepared.checksum.as_ref()?;
    let algorithm = sum.algorithm.parse().ok()?;
    (prepared.published && is_raw).then_some((algorithm, sum.value.as_str()))
}

/// An image was published: its list is made, if agents are to share it.
pub(super) fn published(task: &Task, prepared: &PreparedImage) {
    if task.settings().images.peers
        && let Some((algorithm, sum)) = shareable(prepared)
    {
        make(task, algorithm, sum, publish::destination(task));
    }
}

fn make(task: &Task, algorithm: Algorithm, sum: &str, path: PathBuf) {
    let image = format!("{algorithm}:{sum}");
    let core = Arc::clone(&task.core);
    if core.image_peers.begin(&image, Instant::now()).is_none() {
        return;
    }
    let (sum, tasks) = (sum.to_owned(), core.tasks.clone());
    tasks.spawn(async move {
        let Some(Ok(_turn)) = core
            .stop
            .run_until_cancelled(core.image_peers.making.acquire())
            .await
        else {
            return;
        };
        let stop = core.stop.clone();
        let listed = spawn_blocking(move || {
            BlockList::of_file(&path, algorithm, &sum, &|| stop.is_cancelled())
        });
        let list = match listed.await {
            Ok(Ok(Some(list))) => Some(ListState::Made(Arc::new(list))),
            Ok(Ok(None)) => Some(ListState::Impossible),
            Ok(Err(error)) => {
                let error = types::error::chain(&error);
                tracing::warn!(
                    image,
                    error,
                    "agents do not share an image: its blocks could not be listed"
                );
                None
            }
            Err(_) => None,
        };
        core.image_peers.made(&image, list);
    });
}

/// What the agent of this node is told about others that write the same image, if it may be told
/// something: an agent of another make might refuse what it does not know.
pub(super) fn told(task: &Task, prepared: &PreparedImage) -> Option<Value> {
    if !task.settings().images.peers {
        return None;
    }
    let (algorithm, sum) = shareable(prepared)?;
    let info = &task.node.driver_internal_info;
    let url = info.agent_url()?;
    let certificate = info.agent_certificate();
    let is_ours = info
        .agent_version()
        .is_some_and(|version| version.starts_with("corten-"));
    let is_known = certificate.is_some() || url.starts_with("http://");
    if !is_ours || !is_known {
        return None;
    }
    // After a restart nobody knows it.
    make(task, algorithm, sum, publish::destination(task));
    let network = task.driver_info().get("provisioning_network");
    let member = Member {
        node: task.id(),
        url: url.trim_end_matches('/').to_owned(),
        certificate: certificate.map(str::to_owned),
        network: network
            .filter(|name| pyrepr::truth(name))
            .map(pyrepr::to_str),
        since: Instant::now(),
    };
    task.core
        .image_peers
        .join(&format!("{algorithm}:{sum}"), member)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(network: Option<&str>) -> Member {
        let node = NodeId::generate();
        Member {
            node,
            url: format!("https://{node}"),
            certificate: Some("pem".to_owned()),
            network: network.map(str::to_owned),
            since: Instant::now(),
        }
    }

    /// An image whose list is there.
    fn shared() -> ImagePeers {
        let peers = ImagePeers::default();
        peers.begin("i", Instant::now()).unwrap();
        let list = BlockList::of(&[1; 9], 4).unwrap();
        peers.made("i", Some(ListState::Made(Arc::new(list))));
        peers
    }

    #[test]
    fn agents_are_told_of_those_before_them() {
        let peers = shared();
        let (first, second, elsewhere) = (member(None), member(None), member(Some("n")));
        assert_eq!(peers.join("other", first.clone()), None);
        let alone = peers.join("i", first.clone()).unwrap();
        assert_eq!(alone["peers"], json!([]));
        assert_eq!(
            (&alone["size"], &alone["block_size"]),
            (&json!(9), &json!(4))
        );
        assert_eq!(alone["own"]["url"], first.url);
        let told = peers.join("i", second.clone()).unwrap();
        assert_eq!(told["peers"], json!([first.address()]));
        assert_eq!(told["token"], alone["token"]);
        assert_eq!(peers.join("i", elsewhere).unwrap()["peers"], json!([]));
        // One that asks again is not its own peer, and one that has left is nobody's.
        assert_eq!(
            peers.join("i", second.clone()).unwrap()["peers"],
            told["peers"]
        );
        peers.leave(first.node);
        assert_eq!(peers.join("i", second).unwrap()["peers"], json!([]));
        assert!(!format!("{peers:?}").contains(alone["token"].as_str().unwrap()));
    }

    #[test]
    fn everybody_is_told_of_few() {
        let peers = shared();
        for before in 0..40 {
            let told = peers.join("i", member(None)).unwrap();
            let mut urls: Vec<_> = told["peers"].as_array().unwrap().iter().collect();
            urls.sort_by_key(|peer| peer["url"].to_string());
            urls.dedup();
            assert_eq!(urls.len(), MOST_TOLD.min(before));
        }
    }

    #[test]
    fn an_agent_that_nobody_heard_of_for_long_is_not_told() {
        let peers = shared();
        let old = member(None);
        peers.join("i", old.clone()).unwrap();
        let mut later = member(None);
        later.since = old.since + LONGEST;
        assert_eq!(peers.join("i", later).unwrap()["peers"], json!([]));
    }

    #[test]
    fn few_images_are_known_and_those_in_use_stay() {
        let peers = shared();
        assert_eq!(peers.begin("i", Instant::now()), None);
        let writer = member(None);
        peers.join("i", writer.clone()).unwrap();
        for n in 0..2 * MOST_IMAGES {
            peers.begin(&n.to_string(), Instant::now()).unwrap();
        }
        assert_eq!(peers.images().len(), MOST_IMAGES);
        assert!(peers.join("i", writer).is_some());
        // One that is not made yet, or cannot be, is not shared; one that failed is tried again.
        let newest = (2 * MOST_IMAGES - 1).to_string();
        assert_eq!(peers.join(&newest, member(None)), None);
        peers.made(&newest, Some(ListState::Impossible));
        assert_eq!(peers.join(&newest, member(None)), None);
        peers.made(&newest, None);
        assert!(peers.begin(&newest, Instant::now()).is_some());
    }

    #[test]
    fn only_raw_images_that_are_published_here_are_shared() {
        let prepared = |published, format: &str| PreparedImage {
            published,
            disk_format: Some(format.to_owned()),
            checksum: Some(types::internal_info::ImageChecksum {
                algorithm: "sha256".to_owned(),
                value: "a".to_owned(),
            }),
        };
        let raw = prepared(true, "raw");
        assert_eq!(shareable(&raw), Some((Algorithm::Sha256, "a")));
        assert!(shareable(&prepared(true, "iso")).is_some());
        assert!(shareable(&prepared(false, "raw")).is_none());
        assert!(shareable(&prepared(true, "qcow2")).is_none());
        let packed = PreparedImage {
            disk_format: None,
            ..raw
        };
        assert!(shareable(&packed).is_none());
    }
}
