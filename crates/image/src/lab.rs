//! A web server for tests that breaks connections where it is told to, and other things servers do.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use crate::source::{Http, HttpSettings};

/// What the server has and how it behaves; tests change it while it runs.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    pub(crate) bytes: Vec<u8>,
    pub(crate) etag: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) ranges: bool,
    pub(crate) no_store: bool,
    pub(crate) announce_length: bool,
    /// After how many bytes of the body the next connections break.
    pub(crate) cuts: VecDeque<usize>,
    /// Statuses for the next requests instead of an answer.
    pub(crate) failures: VecDeque<u16>,
    /// The heads of all requests so far.
    pub(crate) requests: Vec<String>,
    /// Replaces what is served, after so many requests.
    pub(crate) later: Option<(usize, Box<Served>)>,
    /// Where requests are sent on to.
    pub(crate) redirect: Option<String>,
}

impl Default for Served {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            etag: Some("\"one\"".into()),
            modified: Some("Mon, 05 Oct 2020 10:00:00 GMT".into()),
            ranges: true,
            no_store: false,
            announce_length: true,
            cuts: VecDeque::new(),
            failures: VecDeque::new(),
            requests: Vec::new(),
            later: None,
            redirect: None,
        }
    }
}

pub(crate) struct Server {
    pub(crate) served: Arc<Mutex<Served>>,
    port: u16,
}

impl Server {
    pub(crate) fn start(served: Served) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = Arc::new(Mutex::new(served));
        let shared = served.clone();
        // Ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = shared.clone();
                thread::spawn(move || {
                    let _ = serve(&stream, &shared);
                });
            }
        });
        Self { served, port }
    }

    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        Self::start(Served {
            bytes,
            ..Served::default()
        })
    }

    pub(crate) fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Served)) {
        change(&mut self.served.lock().unwrap());
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.served.lock().unwrap().requests.clone()
    }

    /// Requests for more than the first byte.
    pub(crate) fn downloads(&self) -> usize {
        let requests = self.requests();
        requests
            .iter()
            .filter(|head| !head.contains("range: bytes=0-0\r\n"))
            .count()
    }
}

/// A client that does not wait long.
pub(crate) fn http(change: impl FnOnce(&mut HttpSettings)) -> Http {
    let mut settings = HttpSettings {
        retry_pause: Duration::from_millis(1),
        retries: 3,
        ..HttpSettings::default()
    };
    change(&mut settings);
    Http::new(settings).unwrap()
}

fn serve(stream: &TcpStream, shared: &Mutex<Served>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let head = head.to_lowercase();
        let (answer, body, complete) = answer(&head, &mut shared.lock().unwrap());
        let mut stream = stream;
        stream.write_all(answer.as_bytes())?;
        stream.write_all(&body)?;
        if !complete {
            return Ok(());
        }
    }
}

fn answer(head: &str, served: &mut Served) -> (String, Vec<u8>, bool) {
    served.requests.push(head.to_owned());
    if served
        .later
        .as_ref()
        .is_some_and(|(after, _)| served.requests.len() > *after)
    {
        let (_, later) = served.later.take().unwrap();
        *served = Served {
            requests: std::mem::take(&mut served.requests),
            ..*later
        };
    }
    if let Some(status) = served.failures.pop_front() {
        return (
            format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n"),
            Vec::new(),
            true,
        );
    }
    if let Some(to) = &served.redirect {
        let answer = format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
        return (answer, Vec::new(), true);
    }
    let header = |name: &str| {
        let line = head
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.map(|value| value.trim().to_owned())
    };
    let size = served.bytes.len();
    let mut lines = String::new();
    if let Some(etag) = &served.etag {
        lines += &format!("etag: {etag}\r\n");
    }
    if let Some(modified) = &served.modified {
        lines += &format!("last-modified: {modified}\r\n");
    }
    if served.no_store {
        lines += "cache-control: no-store\r\n";
    }
    let same = header("if-range").is_none_or(|tag| {
        [&served.etag, &served.modified]
            .into_iter()
            .flatten()
            .any(|known| known.to_lowercase() == tag)
    });
    let range = header("range").filter(|_| served.ranges && same);
    let (status, body) = match range {
        Some(_) if size == 0 => ("416 No".to_owned(), Vec::new()),
        Some(range) => {
            let (first, last) = range
                .strip_prefix("bytes=")
                .unwrap()
                .split_once('-')
                .unwrap();
            let first: usize = first.parse().unwrap();
            let last = last.parse().unwrap_or(size - 1).min(size - 1);
            lines += &format!("content-range: bytes {first}-{last}/{size}\r\n");
            (
                "206 Partial".to_owned(),
                served.bytes[first..=last].to_vec(),
            )
        }
        None => ("200 OK".to_owned(), served.bytes.clone()),
    };
    if served.announce_length {
        lines += &format!("content-length: {}\r\n", body.len());
    } else {
        lines += "connection: close\r\n";
    }
    // The question for the first byte is not worth a cut.
    let cut = if body.len() > 1 {
        served.cuts.pop_front()
    } else {
        None
    };
    let sent = cut.map_or(body.len(), |cut| cut.min(body.len()));
    let complete = sent == body.len() && served.announce_length;
    (
        format!("HTTP/1.1 {status}\r\n{lines}\r\n"),
        body[..sent].to_vec(),
        complete,
    )
}

/// Bytes that look like a disk: text, noise and long runs of zeros.
pub(crate) fn disk(size: usize, mut seed: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size);
    while bytes.len() < size {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let run = usize::try_from(seed >> 45).unwrap() % (300 << 10) + 1;
        let start = bytes.len();
        match seed >> 33 & 3 {
            0 => bytes.resize(start + run, 0),
            1 => bytes.extend(b"a line of text that packs well\n".iter().cycle().take(run)),
            _ => {
                let mut noise = seed;
                bytes.extend((0..run).map(|_| {
                    noise = noise
                        .wrapping_mul(2_862_933_555_777_941_757)
                        .wrapping_add(3_037_000_493);
                    noise.to_be_bytes()[0]
                }));
            }
        }
    }
    bytes.truncate(size);
    // No format may be seen in it by chance.
    bytes[..4].fill(b'x');
    bytes[510] = 0;
    bytes
}
