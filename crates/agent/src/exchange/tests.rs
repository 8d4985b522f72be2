//! Agents that write an image to files and get it from one another over HTTP, among peers that lie,
//! are slow, or are not there.

use super::*;
use crate::{
    AgentError,
    certificate::Identity,
    disk::{
        image::{Target, Written, write},
        lab::{Lab, MIB, Server, gpt_image},
    },
    hardware::Context,
    listen,
    safety::Permit,
};
use axum::{Router, body::Bytes, http::StatusCode, routing::any};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use image::{
    blocks::BlockList,
    checksum::{Algorithm, Hasher},
};
use serde_json::{Value, json};
use std::{net::Ipv4Addr, sync::atomic::AtomicUsize};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use types::JsonMap;

const SECRET: &str = "a token for this image";
const BLOCK: u32 = 256 << 10;
const IMAGE_MIB: usize = 32;

/// No peer is slow enough for these.
const PATIENT: Limits = Limits {
    slow: Duration::from_secs(120),
    pause: Duration::from_millis(5),
    patience: (Duration::from_secs(120), Duration::from_secs(120)),
};

/// These do not wait for peers.
const HASTY: Limits = Limits {
    slow: Duration::from_millis(300),
    pause: Duration::from_millis(5),
    patience: (Duration::from_millis(50), Duration::from_millis(50)),
};

/// An image of a disk of which no block is like another, or empty.
fn image() -> Vec<u8> {
    let mut image = gpt_image(IMAGE_MIB);
    let body = MIB..(IMAGE_MIB - 1) * MIB;
    for (number, chunk) in image[body].chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&(number as u64 + 1).to_le_bytes());
    }
    image
}

/// A server of peers, which ends when it is dropped.
struct Host {
    address: PeerAddress,
    _stop: DropGuard,
}

impl Host {
    async fn of(router: Router) -> Self {
        Self::secure(router, None).await
    }

    async fn secure(router: Router, identity: Option<Identity>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (scheme, certificate) = match &identity {
            Some(identity) => ("https", Some(identity.pem.clone())),
            None => ("http", None),
        };
        let adopted = crate::config::Config::from_parameters("").unwrap().adopted;
        let tls = identity.map(|identity| identity.server(&adopted).unwrap());
        let stop = CancellationToken::new();
        tokio::spawn(listen::serve(listener, tls, router, stop.clone()));
        Self {
            address: PeerAddress {
                url: format!("{scheme}://{address}"),
                certificate,
            },
            _stop: stop.drop_guard(),
        }
    }
}

/// An agent: a disk, and what it serves.
struct TestAgent {
    lab: Lab,
    exchanges: Exchanges,
    host: Host,
}

impl TestAgent {
    async fn new(limits: Limits) -> Self {
        let exchanges = Exchanges::with(limits);
        Self {
            lab: Lab::new(IMAGE_MIB + 16),
            host: Host::of(router(exchanges.clone())).await,
            exchanges,
        }
    }

    async fn secure(limits: Limits) -> Self {
        let (certificate, key) =
            Identity::generate(Ipv4Addr::LOCALHOST.into(), "a", Duration::ZERO).unwrap();
        let identity = Identity::from_pem(&certificate, &key).unwrap();
        let exchanges = Exchanges::with(limits);
        Self {
            lab: Lab::new(IMAGE_MIB + 16),
            host: Host::secure(router(exchanges.clone()), Some(identity)).await,
            exchanges,
        }
    }

    fn address(&self) -> PeerAddress {
        self.host.address.clone()
    }

    async fn write(&self, info: &JsonMap) -> Result<Written, AgentError> {
        let context = Context {
            exchanges: self.exchanges.clone(),
            ..self.lab.context()
        };
        let target = Target {
            device: &self.lab.disk,
            previous: None,
        };
        write(&Permit::from_operator(), info, target, &context).await
    }

    /// Whether the image is on the disk, but for its partition table, which is the disk's.
    fn has(&self, image: &[u8]) -> bool {
        let body = MIB..(IMAGE_MIB - 1) * MIB;
        self.lab.read()[body.clone()] == image[body]
    }
}

/// What the service says.
fn info(source: &Server, image: &[u8], own: &PeerAddress, peers: &[PeerAddress]) -> JsonMap {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(image);
    let list = BlockList::of(image, BLOCK).unwrap();
    let url = source.url();
    let info = json!({"id": "image", "urls": [url], "disk_format": "raw",
        "os_hash_algo": "sha256", "os_hash_value": hasher.finish(), "node_uuid": "n",
        "image_peers": {"size": list.size(), "block_size": BLOCK, "token": SECRET,
            "blocks": STANDARD.encode(list.to_bytes()), "own": own, "peers": peers}});
    match info {
        Value::Object(info) => info,
        _ => unreachable!(),
    }
}

/// How many bytes of the image were asked of the source.
fn served(source: &Server) -> usize {
    let served = source.served.lock().unwrap();
    let ranges = served.requests.iter().map(|request| {
        let range = request
            .lines()
            .find_map(|line| line.strip_prefix("range: bytes="));
        let Some((from, to)) = range.and_then(|range| range.split_once('-')) else {
            return served.bytes.len();
        };
        to.parse::<usize>().unwrap() + 1 - from.parse::<usize>().unwrap()
    });
    ranges.sum()
}

/// A client of a peer, as one that has this token.
async fn ask(address: &PeerAddress, path: &str, token: &str) -> (u16, usize) {
    let client = outbound::client()
        .tls_backend_preconfigured(tls::Client::from(tls::Trust::Nobody).config().unwrap())
        .build()
        .unwrap();
    let url = format!("{}/v1/image_peers/{path}", address.url);
    let request = client.get(url).header(serve::TOKEN_HEADER, token);
    let answer = request.send().await.unwrap();
    (
        answer.status().as_u16(),
        answer.bytes().await.unwrap().len(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_agents_take_less_than_two_images_from_the_source() {
    let image = image();
    let source = Server::of(image.clone());
    let mut agents: Vec<Arc<TestAgent>> = Vec::new();
    let mut infos = Vec::new();
    for _ in 0..8 {
        let agent = TestAgent::new(PATIENT).await;
        let before: Vec<_> = agents.iter().map(|agent| agent.address()).collect();
        infos.push(info(&source, &image, &agent.address(), &before));
        agents.push(Arc::new(agent));
    }
    let mut writing = tokio::task::JoinSet::new();
    for (agent, info) in agents.iter().cloned().zip(infos) {
        writing.spawn(async move { agent.write(&info).await });
    }
    while let Some(written) = writing.join_next().await {
        written.unwrap().unwrap();
    }
    for agent in &agents {
        assert!(agent.has(&image));
    }
    let (served, most) = (served(&source), 2 * image.len());
    println!(
        "8 agents took {served} bytes of {} from the source",
        image.len()
    );
    assert!(served <= most, "{served} bytes, and at most {most}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_alone_reads_the_image_once_and_serves_it_to_the_next() {
    let image = image();
    let source = Server::of(image.clone());
    let first = TestAgent::new(HASTY).await;
    let told = info(&source, &image, &first.address(), &[]);
    first.write(&told).await.unwrap();
    assert!(first.has(&image));
    // One byte is asked for to see what there is, and nothing for the zeros before the last block.
    assert_eq!(served(&source), image.len() + 1 - 3 * BLOCK as usize);
    let before = served(&source);
    let next = TestAgent::new(PATIENT).await;
    let told = info(&source, &image, &next.address(), &[first.address()]);
    next.write(&told).await.unwrap();
    assert!(next.has(&image));
    // Each looks at the first MiB itself. The last blocks of the image are not there any more as they
    // were: the copy of the table has moved to the end of the disk.
    let more = served(&source) - before;
    assert!(more <= 8 * MIB, "{more} bytes");
}

/// A peer that says it has everything, and answers requests for blocks with `block`.
async fn pretender<F, R>(block: F) -> (Host, Arc<AtomicUsize>)
where
    F: Fn(Bytes) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Result<Vec<u8>, StatusCode>> + Send + 'static,
{
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let everything = vec![0xff; IMAGE_MIB * MIB / BLOCK as usize / 8];
    let router = Router::new()
        .route(
            "/v1/image_peers/{image}",
            any(move || async move { everything.clone() }),
        )
        .route(
            "/v1/image_peers/{image}/{block}",
            any(move |body| {
                count.fetch_add(1, Ordering::SeqCst);
                block(body)
            }),
        );
    (Host::of(router).await, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_that_lie_are_slow_or_dead_do_no_harm() {
    let image = image();
    let source = Server::of(image.clone());
    let (liar, lies) = pretender(async |_| Ok(vec![7; BLOCK as usize])).await;
    let (short, shorts) = pretender(async |_| Ok(vec![7; 5])).await;
    let (endless, _) = pretender(async |_| Ok(vec![7; 2 * BLOCK as usize])).await;
    let (silent, waits) = pretender(async |_| std::future::pending().await).await;
    let (broken, _) = pretender(async |_| Err(StatusCode::INTERNAL_SERVER_ERROR)).await;
    let (empty, _) = pretender(async |_| Err(StatusCode::GONE)).await;
    let dead = Host::of(Router::new()).await.address;
    let nonsense = Host::of(Router::new().fallback(async || "nonsense")).await;
    let hosts = [&liar, &short, &endless, &silent, &broken, &empty, &nonsense];
    let mut peers: Vec<_> = hosts.iter().map(|host| host.address.clone()).collect();
    peers.push(dead);
    let agent = TestAgent::new(HASTY).await;
    let told = info(&source, &image, &agent.address(), &peers);
    agent.write(&told).await.unwrap();
    assert!(agent.has(&image));
    // One wrong answer is enough. They may not even have been asked before all was here.
    for asked in [lies, shorts, waits] {
        assert!(asked.load(Ordering::SeqCst) <= 1);
    }
    assert!(served(&source) > image.len() - MIB);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_liar_is_left_alone_while_an_honest_peer_brings_everything() {
    let image = image();
    let source = Server::of(image.clone());
    let honest = TestAgent::new(PATIENT).await;
    let told = info(&source, &image, &honest.address(), &[]);
    honest.write(&told).await.unwrap();
    let (liar, lies) = pretender(async |_| Ok(vec![7; BLOCK as usize])).await;
    let before = served(&source);
    let agent = TestAgent::new(PATIENT).await;
    let peers = [liar.address.clone(), honest.address()];
    let told = info(&source, &image, &agent.address(), &peers);
    agent.write(&told).await.unwrap();
    assert!(agent.has(&image));
    // It says that it has the last blocks, which the honest one has not, so it was asked.
    assert_eq!(lies.load(Ordering::SeqCst), 1);
    let more = served(&source) - before;
    assert!(more <= 8 * MIB, "{more} bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_tls_only_the_certificate_that_was_named_is_believed() {
    let image = image();
    let source = Server::of(image.clone());
    let first = TestAgent::secure(PATIENT).await;
    let told = info(&source, &image, &first.address(), &[]);
    first.write(&told).await.unwrap();
    let before = served(&source);
    let second = TestAgent::secure(PATIENT).await;
    let told = info(&source, &image, &second.address(), &[first.address()]);
    second.write(&told).await.unwrap();
    assert!(second.has(&image));
    let more = served(&source) - before;
    assert!(more <= 8 * MIB, "{more} bytes");
    let before = served(&source);
    let third = TestAgent::secure(HASTY).await;
    let wrong = PeerAddress {
        certificate: second.address().certificate,
        ..first.address()
    };
    let told = info(&source, &image, &third.address(), &[wrong]);
    third.write(&told).await.unwrap();
    assert!(third.has(&image));
    assert!(served(&source) - before > image.len() - MIB);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_is_not_the_listed_one_is_not_shared() {
    let image = image();
    let source = Server::of(image.clone());
    let agent = TestAgent::new(HASTY).await;
    let mut told = info(&source, &image, &agent.address(), &[]);
    // Of another size: then the checksum of the whole decides.
    let other = info(&source, &image[..MIB], &agent.address(), &[]);
    told["image_peers"] = other["image_peers"].clone();
    agent.write(&told).await.unwrap();
    assert!(agent.has(&image) && agent.exchanges.current().is_none());
    // Of the same size: the source is not what the service said.
    let mut changed = image.clone();
    changed[9 * MIB] ^= 1;
    let told = info(&source, &changed, &agent.address(), &[]);
    let error = agent.write(&told).await.unwrap_err();
    assert_eq!(error.kind, "ImageChecksumError", "{error}");
    assert!(agent.exchanges.current().is_none());
    let lab = agent.lab.read();
    assert!(lab[..MIB].iter().all(|byte| *byte == 0), "no table");
    // Bad orders change nothing.
    let mut told = info(&source, &image, &agent.address(), &[]);
    told["image_peers"]["block_size"] = json!(0);
    assert_eq!(agent.write(&told).await.unwrap_err().code, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_does_not_fit_is_refused_in_the_usual_words() {
    let image = image();
    let source = Server::of(image.clone());
    let agent = TestAgent::new(HASTY).await;
    std::fs::File::options()
        .write(true)
        .open(&agent.lab.disk)
        .unwrap()
        .set_len(20 << 20)
        .unwrap();
    let told = info(&source, &image, &agent.address(), &[]);
    let error = agent.write(&told).await.unwrap_err();
    assert_eq!(error.kind, "ImageWriteError", "{error}");
    assert!(agent.exchanges.current().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_have_the_token_gets_nothing() {
    let image = image();
    let source = Server::of(image.clone());
    let agent = TestAgent::new(HASTY).await;
    let told = info(&source, &image, &agent.address(), &[]);
    let id = BlockList::of(&image, BLOCK).unwrap().id();
    let address = agent.address();
    let block = format!("{id}/20");
    assert_eq!(ask(&address, &block, SECRET).await.0, 404, "not yet");
    agent.write(&told).await.unwrap();
    assert_eq!(ask(&address, &block, SECRET).await, (200, BLOCK as usize));
    assert_eq!(ask(&address, &block, "another").await.0, 404);
    assert_eq!(ask(&address, &block, "").await.0, 404);
    assert_eq!(ask(&address, "other/20", SECRET).await.0, 404);
    for (odd, status) in [("999999", 410), ("-1", 400), ("x", 400)] {
        assert_eq!(
            ask(&address, &format!("{id}/{odd}"), SECRET).await.0,
            status
        );
    }
    // What is on the disk now is not the image.
    let mut bytes = agent.lab.read();
    bytes[20 * BLOCK as usize] ^= 1;
    std::fs::write(&agent.lab.disk, bytes).unwrap();
    assert_eq!(ask(&address, &block, SECRET).await.0, 410);
    // An agent sends no more copies of an image than its limit.
    let exchange = agent.exchanges.current().unwrap();
    let all = image.len() as u64 * MOST_COPIES;
    exchange.given.store(all, Ordering::SeqCst);
    assert_eq!(ask(&address, &format!("{id}/21"), SECRET).await.0, 410);
    agent.exchanges.end();
    assert_eq!(ask(&address, &format!("{id}/21"), SECRET).await.0, 404);
}

#[tokio::test]
async fn there_is_room_for_so_many_peers() {
    let image = image();
    let source = Server::of(image.clone());
    let exchanges = Exchanges::default();
    let peer = |number: usize| PeerAddress {
        url: format!("http://10.0.0.{number}:9999"),
        certificate: None,
    };
    let order = Order::read(&info(&source, &image, &peer(0), &[peer(1)])).unwrap();
    let nowhere = Path::new("/nonexistent");
    let (exchange, mut introduced) = exchanges.begin(&order.unwrap(), nowhere, 0);
    assert!((2..MOST_PEERS).all(|number| exchange.admit(peer(number))));
    assert!(!exchange.admit(peer(MOST_PEERS)));
    assert!(exchange.admit(peer(1)) && exchange.admit(peer(2)), "known");
    for number in 2..MOST_PEERS {
        assert_eq!(introduced.recv().await, Some(peer(number)));
    }
    assert!(introduced.try_recv().is_err());
}
