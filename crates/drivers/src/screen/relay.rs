//! One viewer's conversation with a server, from the greeting to the end.

use super::Stream;
use proto::rfb::{client::Filter, greeting::Greeting};
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split},
    sync::{mpsc, watch},
    time::{Instant, sleep, sleep_until, timeout},
};
use types::console::{ConsoleInput, ConsoleOutput};

/// How long either side may take for what it is sent, and a viewer for its greeting.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// How much is read from a server at a time.
const PIECE: usize = 32 * 1024;

pub(super) struct Relay {
    pub(super) is_read_only: bool,
    pub(super) idle: Option<Duration>,
    /// How long the viewer may stay.
    pub(super) left: Duration,
    pub(super) stop: watch::Receiver<bool>,
}

/// When something was last said.
struct Pulse(Mutex<Instant>);

impl Pulse {
    fn beat(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Relay {
    /// Passes on until there is a reason not to, which it returns.
    pub(super) async fn run(
        self,
        server: Box<dyn Stream>,
        mut input: mpsc::Receiver<ConsoleInput>,
        shown: &mpsc::Sender<ConsoleOutput>,
    ) -> String {
        let Self {
            is_read_only,
            idle,
            left,
            mut stop,
        } = self;
        let pulse = Pulse(Mutex::new(Instant::now()));
        let off = async {
            let _ = stop.wait_for(|stopped| *stopped).await;
        };
        let conversing = async {
            let rest = match timeout(PATIENCE, greet(&mut input, shown)).await {
                Ok(Ok(rest)) => rest,
                Ok(Err(reason)) => return reason,
                Err(_) => return "the viewer did not say what it speaks".to_owned(),
            };
            let (from, to) = split(server);
            tokio::select! {
                reason = show(from, shown, &pulse) => reason,
                reason = listen(to, input, Filter::new(is_read_only), rest, &pulse) => reason,
            }
        };
        tokio::select! {
            reason = conversing => reason,
            () = off => "the console was switched off".to_owned(),
            () = sleep(left) => "the token of the console has ended".to_owned(),
            () = silence(idle, &pulse) => "nothing happened for a long time".to_owned(),
        }
    }
}

async fn silence(idle: Option<Duration>, pulse: &Pulse) {
    let Some(idle) = idle else {
        return std::future::pending().await;
    };
    loop {
        let until = pulse.last() + idle;
        if until <= Instant::now() {
            return;
        }
        sleep_until(until).await;
    }
}

const LEFT: &str = "the viewer left";

/// Greets a viewer, and returns what it has said already beyond that.
async fn greet(
    input: &mut mpsc::Receiver<ConsoleInput>,
    shown: &mpsc::Sender<ConsoleOutput>,
) -> Result<Vec<u8>, String> {
    let mut greeting = Greeting::default();
    let say = async |bytes: &[u8]| {
        let said = shown.send(ConsoleOutput::Characters(bytes.to_vec())).await;
        said.map_err(|_| LEFT.to_owned())
    };
    say(greeting.begin()).await?;
    let mut heard = Vec::new();
    loop {
        let needed = greeting.needs();
        if needed == 0 {
            return Ok(heard);
        }
        if heard.len() < needed {
            match input.recv().await {
                Some(ConsoleInput::Characters(bytes)) => heard.extend(bytes),
                Some(_) => {}
                None => return Err(LEFT.to_owned()),
            }
            continue;
        }
        let said: Vec<u8> = heard.drain(..needed).collect();
        let answer = greeting.take(&said).map_err(|error| error.to_string())?;
        say(answer).await?;
    }
}

async fn show(
    mut from: impl AsyncRead + Unpin,
    shown: &mpsc::Sender<ConsoleOutput>,
    pulse: &Pulse,
) -> String {
    let mut buffer = vec![0; PIECE];
    loop {
        let count = match from.read(&mut buffer).await {
            Ok(0) => return "the VNC server closed the connection".to_owned(),
            Ok(count) => count,
            Err(error) => return format!("the VNC server was lost: {error}"),
        };
        pulse.beat();
        let piece = ConsoleOutput::Characters(buffer[..count].to_vec());
        match shown.send_timeout(piece, PATIENCE).await {
            Ok(()) => {}
            Err(mpsc::error::SendTimeoutError::Closed(_)) => return LEFT.to_owned(),
            Err(mpsc::error::SendTimeoutError::Timeout(_)) => {
                return "the viewer does not take what it is sent".to_owned();
            }
        }
    }
}

async fn listen(
    mut to: impl AsyncWrite + Unpin,
    mut input: mpsc::Receiver<ConsoleInput>,
    mut filter: Filter,
    first: Vec<u8>,
    pulse: &Pulse,
) -> String {
    let mut said = first;
    loop {
        let passed = match filter.pass(&said) {
            Ok(passed) => passed,
            Err(error) => return error.to_string(),
        };
        if !passed.is_empty() {
            pulse.beat();
            match timeout(PATIENCE, to.write_all(&passed)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return format!("the VNC server was lost: {error}"),
                Err(_) => return "the VNC server does not take what it is sent".to_owned(),
            }
        }
        said = loop {
            match input.recv().await {
                Some(ConsoleInput::Characters(bytes)) => break bytes,
                // Of serial consoles.
                Some(ConsoleInput::Break | ConsoleInput::TakeOver) => {}
                None => return LEFT.to_owned(),
            }
        };
    }
}
