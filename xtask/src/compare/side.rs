//! One of the two services.

use anyhow::{Context, Result, bail, ensure};
use scenario::{Answer, Request, Session};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

/// Nothing that is asked takes longer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at a node that is waited for; there is nothing else to wait for from outside.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) struct Side {
    base: String,
    address: String,
    pub(super) session: Session,
}

impl Side {
    /// `open` says whether it lets us look for the name of its conductor.
    pub(super) fn new(base: &str, open: bool) -> Result<Self> {
        let address = base.strip_prefix("http://");
        let address = address.with_context(|| format!("{base} is no http:// address"))?;
        let mut side = Self {
            base: base.to_owned(),
            address: address.to_owned(),
            session: Session::new(base, "<host>"),
        };
        if open {
            let list = side.get("/v1/conductors")?;
            let host = list["conductors"][0]["hostname"].as_str();
            let host = host.with_context(|| format!("{base} has no conductor: {list}"))?;
            side.session = Session::new(base, host);
        }
        Ok(side)
    }

    /// Sends the request of an entry and returns what counts of the answer.
    pub(super) fn play(&mut self, entry: &Value) -> Result<Value> {
        let answer = self.send(&self.session.request(entry))?;
        Ok(self.session.answer(entry, &answer))
    }

    /// As [`Self::play`], with the path of what the request made.
    pub(super) fn play_and_tell(&mut self, entry: &Value) -> Result<(Value, Option<String>)> {
        let answer = self.send(&self.session.request(entry))?;
        let made = answer.header("location").filter(|_| answer.status == 201);
        let made = made.and_then(|location| location.strip_prefix(&self.base));
        let made = made.map(str::to_owned);
        Ok((self.session.answer(entry, &answer), made))
    }

    /// Waits until nobody works on a node, if there is such a node.
    pub(super) fn settle(&self, node: &str) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let document = self.get(&format!("/v1/nodes/{node}"))?;
            let busy = |field: &str| document.get(field).is_some_and(|value| !value.is_null());
            if !busy("reservation") && !busy("target_power_state") {
                return Ok(());
            }
            ensure!(
                Instant::now() < deadline,
                "{} never rests: {document}",
                self.base
            );
            pause();
        }
    }

    /// Waits for what the entry says.
    pub(super) fn wait(&mut self, entry: &Value) -> Result<()> {
        let (Some(path), Some(until)) = (
            entry["wait"]["path"].as_str(),
            entry["wait"]["until"].as_object(),
        ) else {
            return Ok(());
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            let document = self.get(path)?;
            if until
                .iter()
                .all(|(key, value)| document.get(key) == Some(value))
            {
                return Ok(());
            }
            ensure!(
                Instant::now() < deadline,
                "{}{path} never is {}: {document}",
                self.base,
                entry["wait"]["until"]
            );
            pause();
        }
    }

    fn get(&self, path: &str) -> Result<Value> {
        let entry = json!({"method": "GET", "path": path, "version": "1.115"});
        let answer = self.send(&self.session.request(&entry))?;
        serde_json::from_slice(&answer.body).with_context(|| answer.text())
    }

    fn send(&self, request: &Request) -> Result<Answer> {
        self.exchange(request)
            .with_context(|| format!("{} {}{}", request.method, self.base, request.path))
    }

    fn exchange(&self, request: &Request) -> Result<Answer> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", request.method, request.path).into_bytes();
        bytes.extend(b"Connection: close\r\n");
        let named = |(name, _): &(String, String)| name.eq_ignore_ascii_case("host");
        if !request.headers.iter().any(named) {
            bytes.extend(format!("Host: {}\r\n", self.address).bytes());
        }
        for (name, value) in &request.headers {
            bytes.extend(format!("{name}: {value}\r\n").bytes());
        }
        if let Some(body) = &request.body {
            bytes.extend(format!("Content-Length: {}\r\n", body.len()).bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(request.body.as_deref().unwrap_or_default());
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(&bytes)?;
        let mut received = Vec::new();
        stream.read_to_end(&mut received)?;
        match Answer::parse(&received, request.method == "HEAD") {
            Some(answer) => Ok(answer),
            None => bail!("cut short: {}", String::from_utf8_lossy(&received)),
        }
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "another service is polled, and there is no runtime here"
)]
fn pause() {
    thread::sleep(PAUSE);
}
