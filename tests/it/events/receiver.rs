//! A receiver of webhooks that misbehaves as it is told: refuses, hangs up before or after it has
//! read, and is away for a while.

use crate::port;
use ring::hmac;
use serde_json::Value;
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

/// What a receiver does with a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Answer(u16),
    /// Takes it, and goes without a word.
    TakeAndHangUp,
    /// Goes without having taken it.
    HangUp,
    /// Sends the poster elsewhere.
    Redirect,
}

/// A delivery.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) attempt: u64,
    pub(crate) body: Value,
    /// Whether the receiver took it.
    pub(crate) taken: bool,
}

type Mind = Box<dyn FnMut(&Delivery) -> Deed + Send>;

struct Shared {
    secret: Mutex<String>,
    mind: Mutex<Mind>,
    deliveries: Mutex<Vec<Delivery>>,
    count: watch::Sender<usize>,
}

pub(crate) struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    serving: Mutex<Option<JoinHandle<()>>>,
}

impl Receiver {
    pub(crate) async fn start(mind: impl FnMut(&Delivery) -> Deed + Send + 'static) -> Self {
        // It comes back there.
        let address = SocketAddr::from(([127, 0, 0, 1], port::free()));
        let listener = TcpListener::bind(address).await.unwrap();
        let shared = Arc::new(Shared {
            secret: Mutex::default(),
            mind: Mutex::new(Box::new(mind)),
            deliveries: Mutex::default(),
            count: watch::Sender::new(0),
        });
        let serving = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self {
            address,
            shared,
            serving: Mutex::new(Some(serving)),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?x=1", self.address)
    }

    /// What deliveries must be signed with; nothing is delivered before it is known.
    pub(crate) fn trusts(&self, secret: &str) {
        secret.clone_into(&mut self.shared.secret.lock().unwrap());
    }

    /// Behaves otherwise from now on.
    pub(crate) fn changes_its_mind(&self, mind: impl FnMut(&Delivery) -> Deed + Send + 'static) {
        *self.shared.mind.lock().unwrap() = Box::new(mind);
    }

    /// Ends as a process does that is killed: connections break, and nobody listens.
    pub(crate) async fn dies(&self) {
        let serving = self.serving.lock().unwrap().take().unwrap();
        serving.abort();
        let _ = serving.await;
    }

    /// Comes back at the same address.
    pub(crate) async fn comes_back(&self) {
        let listener = loop {
            match TcpListener::bind(self.address).await {
                Ok(listener) => break listener,
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    tokio::task::yield_now().await;
                }
                Err(error) => panic!("{error}"),
            }
        };
        let serving = tokio::spawn(serve(listener, Arc::clone(&self.shared)));
        *self.serving.lock().unwrap() = Some(serving);
    }

    /// Everything that came, first to last.
    pub(crate) fn deliveries(&self) -> Vec<Delivery> {
        self.shared.deliveries.lock().unwrap().clone()
    }

    /// What was taken, each once, in the order in which it was first taken. Whatever was taken
    /// again must be the same.
    pub(crate) fn taken(&self) -> Vec<Delivery> {
        let mut first: HashMap<String, Delivery> = HashMap::new();
        let mut order = Vec::new();
        for delivery in self.deliveries().into_iter().filter(|d| d.taken) {
            match first.get(&delivery.id) {
                Some(known) => assert_eq!(known.body, delivery.body, "{}", delivery.id),
                None => {
                    first.insert(delivery.id.clone(), delivery.clone());
                    order.push(delivery);
                }
            }
        }
        order
    }

    /// Waits until what came satisfies a test.
    pub(crate) async fn until(&self, what: &str, fits: impl Fn(&Self) -> bool) {
        let mut count = self.shared.count.subscribe();
        let patience = std::time::Duration::from_secs(90);
        let wait = async {
            loop {
                count.borrow_and_update();
                if fits(self) {
                    return;
                }
                count.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(patience, wait).await.is_err() {
            panic!("waited in vain for {what}: {:#?}", self.deliveries());
        }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    // Connections end with the receiver.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        connections.spawn(converse(stream, Arc::clone(&shared)));
    }
}

/// Reads deliveries from a connection, one after the other, until one of the two hangs up.
async fn converse(mut stream: TcpStream, shared: Arc<Shared>) -> Option<()> {
    let mut received = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = received.windows(4).position(|w| w == b"\r\n\r\n") {
                break received.drain(..end + 4).collect::<Vec<u8>>();
            }
            read(&mut stream, &mut received).await?;
        };
        let head = String::from_utf8(head).unwrap();
        let header = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            let mut found = lines.filter(|(n, _)| n.eq_ignore_ascii_case(name));
            found.next().map(|(_, value)| value.to_owned())
        };
        assert!(head.starts_with("POST /hook?x=1 HTTP/1.1\r\n"), "{head}");
        let length: usize = header("content-length").unwrap().parse().unwrap();
        while received.len() < length {
            read(&mut stream, &mut received).await?;
        }
        let body: Vec<u8> = received.drain(..length).collect();
        let secret = shared.secret.lock().unwrap().clone();
        is_signed(&secret, &header("corten-signature").unwrap(), &body);
        let mut delivery = Delivery {
            id: header("corten-delivery").unwrap(),
            kind: header("corten-event").unwrap(),
            attempt: header("corten-attempt").unwrap().parse().unwrap(),
            body: serde_json::from_slice(&body).unwrap(),
            taken: false,
        };
        let deed = (shared.mind.lock().unwrap())(&delivery);
        delivery.taken = matches!(deed, Deed::TakeAndHangUp | Deed::Answer(200..=299));
        shared.deliveries.lock().unwrap().push(delivery);
        shared.count.send_modify(|count| *count += 1);
        let answer = match deed {
            Deed::TakeAndHangUp | Deed::HangUp => return None,
            Deed::Answer(status) => format!("HTTP/1.1 {status} X\r\ncontent-length: 2\r\n\r\nok"),
            Deed::Redirect => "HTTP/1.1 307 X\r\nlocation: http://127.0.0.1:9/\r\n\
                content-length: 0\r\n\r\n"
                .to_owned(),
        };
        stream.write_all(answer.as_bytes()).await.ok()?;
    }
}

async fn read(stream: &mut TcpStream, received: &mut Vec<u8>) -> Option<()> {
    let mut piece = [0; 4096];
    match stream.read(&mut piece).await {
        Ok(0) | Err(_) => None,
        Ok(count) => {
            received.extend(&piece[..count]);
            Some(())
        }
    }
}

/// As the documentation tells receivers to check it.
fn is_signed(secret: &str, header: &str, body: &[u8]) {
    let (time, hex) = header.split_once(",v1=").unwrap();
    let time = time.strip_prefix("t=").unwrap();
    let signature: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signed = [time.as_bytes(), b".", body].concat();
    hmac::verify(&key, &signed, &signature).expect("a wrong signature");
}
