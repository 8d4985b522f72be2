//! A console between two processes: messages of both directions, encrypted and authenticated, on
//! one stream.
//!
//! A message is its length in four bytes and then the ciphertext. An idle side sends keep-alives,
//! and a side that receives nothing for [`SILENCE`] closes the stream.

use crate::seal::{Key, StreamKeys};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split},
    sync::mpsc,
    time::timeout,
};
use types::{
    Caller, Fault,
    console::{ConsoleInput, ConsoleLine, ConsoleOutput, ConsoleReader, ConsoleWriter},
    rpc::{Conductor, Request},
};

/// Interval of keep-alives.
const PULSE: Duration = Duration::from_secs(15);
/// Timeout without any message.
const SILENCE: Duration = Duration::from_secs(60);
/// The longest message; characters take up to four bytes of JSON each.
const LONGEST: usize = 1024 * 1024;
/// Length of the queue for a slow reader.
const QUEUE: usize = 64;
/// Associated data of every message of a stream.
const ABOUT: &[u8] = b"stream";

/// Whether a call is answered by a stream.
pub(crate) fn is_stream(request: &Request) -> bool {
    matches!(
        request,
        Request::join_console(..) | Request::join_screen(..)
    )
}

/// Has a conductor answer one of these calls.
pub(crate) async fn join(
    conductor: &dyn Conductor,
    who: &Caller,
    request: Request,
) -> Result<ConsoleLine, Fault> {
    match request {
        Request::join_console(node, wish) => conductor.join_console(who, node, wish).await,
        Request::join_screen(node, token) => conductor.join_screen(who, node, token).await,
        _ => Err(Fault::Internal("this call has no stream".to_owned())),
    }
}

/// Carries messages in both directions until one side ends; `None` is a keep-alive.
async fn carry<S, I, O>(
    stream: S,
    (incoming, outgoing): (Key, Key),
    to_us: mpsc::Sender<I>,
    mut from_us: mpsc::Receiver<O>,
) where
    S: AsyncRead + AsyncWrite,
    I: DeserializeOwned,
    O: Serialize,
{
    let (mut reads, mut writes) = split(stream);
    let reading = async {
        for number in 0.. {
            let next = timeout(SILENCE, receive(&mut reads, &incoming, number)).await;
            match next {
                Ok(Some(Some(message))) => {
                    if to_us.send(message).await.is_err() {
                        return;
                    }
                }
                Ok(Some(None)) => {}
                Ok(None) | Err(_) => return,
            }
        }
    };
    let writing = async {
        for number in 0.. {
            let message = match timeout(PULSE, from_us.recv()).await {
                Ok(Some(message)) => Some(message),
                Ok(None) => return,
                Err(_) => None,
            };
            let sent = transmit(&mut writes, &outgoing, number, message.as_ref());
            if !matches!(timeout(SILENCE, sent).await, Ok(Some(()))) {
                return;
            }
        }
    };
    tokio::select! {
        () = reading => {}
        () = writing => {}
    }
    // The peer may be gone already.
    let _ = writes.shutdown().await;
}

async fn receive<I: DeserializeOwned>(
    stream: &mut (impl AsyncRead + Unpin),
    key: &Key,
    number: u64,
) -> Option<Option<I>> {
    let length = usize::try_from(stream.read_u32().await.ok()?).ok()?;
    if length > LONGEST {
        return None;
    }
    let mut sealed = vec![0; length];
    stream.read_exact(&mut sealed).await.ok()?;
    let text = key.open(number, ABOUT, sealed).ok()?;
    serde_json::from_slice(&text).ok()
}

async fn transmit<O: Serialize>(
    stream: &mut (impl AsyncWrite + Unpin),
    key: &Key,
    number: u64,
    message: Option<&O>,
) -> Option<()> {
    let text = serde_json::to_vec(&message).ok()?;
    let sealed = key.seal(number, ABOUT, text).ok()?;
    let length = u32::try_from(sealed.len()).ok()?;
    stream.write_u32(length).await.ok()?;
    stream.write_all(&sealed).await.ok()?;
    stream.flush().await.ok()
}

/// The conductor's side: connects a stream with a console.
pub(crate) async fn serve<S>(stream: S, keys: StreamKeys, line: ConsoleLine)
where
    S: AsyncRead + AsyncWrite,
{
    let ConsoleLine {
        mut reader,
        mut writer,
    } = line;
    let (typed, mut inputs) = mpsc::channel::<ConsoleInput>(QUEUE);
    let (said, outputs) = mpsc::channel::<ConsoleOutput>(QUEUE);
    let typing = async {
        while let Some(input) = inputs.recv().await {
            if !writer.send(input).await {
                // The reading side returns the reason.
                std::future::pending::<()>().await;
            }
        }
    };
    let reading = async move {
        while let Some(output) = reader.next().await {
            if said.send(output).await.is_err() {
                return;
            }
        }
        drop(said);
        // What is queued still has to be carried; that ends the stream.
        std::future::pending::<()>().await;
    };
    let carrying = carry(stream, (keys.up, keys.down), typed, outputs);
    tokio::select! {
        () = carrying => {}
        () = typing => {}
        () = reading => {}
    }
}

/// The API's side: a console at the other end of a stream.
pub(crate) fn line<S>(stream: S, keys: StreamKeys) -> ConsoleLine
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (said, outputs) = mpsc::channel(QUEUE);
    let (typed, inputs) = mpsc::channel(QUEUE);
    tokio::spawn(carry(stream, (keys.down, keys.up), said, inputs));
    ConsoleLine {
        reader: Box::new(Reader {
            outputs,
            has_ended: false,
        }),
        writer: Box::new(Writer(typed)),
    }
}

struct Reader {
    outputs: mpsc::Receiver<ConsoleOutput>,
    has_ended: bool,
}

#[async_trait::async_trait]
impl ConsoleReader for Reader {
    async fn next(&mut self) -> Option<ConsoleOutput> {
        if self.has_ended {
            return None;
        }
        let lost = || ConsoleOutput::Ended("connection to the conductor lost".into());
        let output = self.outputs.recv().await.unwrap_or_else(lost);
        self.has_ended = matches!(output, ConsoleOutput::Ended(_));
        Some(output)
    }
}

struct Writer(mpsc::Sender<ConsoleInput>);

#[async_trait::async_trait]
impl ConsoleWriter for Writer {
    async fn send(&mut self, input: ConsoleInput) -> bool {
        self.0.send(input).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::Secret;
    use std::future::pending;
    use tokio::io::duplex;

    /// A machine that repeats what it hears and ends on a break.
    fn echo() -> ConsoleLine {
        let (typed, heard) = mpsc::channel(1);
        ConsoleLine {
            reader: Box::new(Echo(heard)),
            writer: Box::new(Writer(typed)),
        }
    }

    struct Echo(mpsc::Receiver<ConsoleInput>);

    #[async_trait::async_trait]
    impl ConsoleReader for Echo {
        async fn next(&mut self) -> Option<ConsoleOutput> {
            match self.0.recv().await? {
                ConsoleInput::Characters(text) => Some(ConsoleOutput::Characters(text)),
                ConsoleInput::TakeOver => Some(ConsoleOutput::Writer(true)),
                ConsoleInput::Break => {
                    self.0.close();
                    Some(ConsoleOutput::Ended("a break".into()))
                }
            }
        }
    }

    fn keys(secret: &str) -> StreamKeys {
        StreamKeys::new(&Secret::new(secret).unwrap(), &[1; 16], &[2; 16], 3)
    }

    const SECRET: &str = "0123456789abcdef";

    #[tokio::test]
    async fn both_ends_are_carried_until_the_console_ends() {
        let (here, there) = duplex(100);
        let serving = tokio::spawn(serve(there, keys(SECRET), echo()));
        let mut line = line(here, keys(SECRET));
        let long: Vec<u8> = (0..100_000u32).map(|n| n.to_be_bytes()[3]).collect();
        for text in [b"hello".to_vec(), long] {
            let typed = ConsoleInput::Characters(text.clone());
            assert!(line.writer.send(typed).await);
            let said = ConsoleOutput::Characters(text);
            assert_eq!(line.reader.next().await, Some(said));
        }
        assert!(line.writer.send(ConsoleInput::TakeOver).await);
        assert_eq!(line.reader.next().await, Some(ConsoleOutput::Writer(true)));
        assert!(line.writer.send(ConsoleInput::Break).await);
        let ended = ConsoleOutput::Ended("a break".into());
        assert_eq!(line.reader.next().await, Some(ended));
        assert_eq!(line.reader.next().await, None);
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn who_leaves_ends_the_stream() {
        let (here, there) = duplex(100);
        let serving = tokio::spawn(serve(there, keys(SECRET), echo()));
        drop(line(here, keys(SECRET)));
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn what_is_not_genuine_is_not_said() {
        let (here, there) = duplex(100);
        let serving = tokio::spawn(async move {
            tokio::select! {
                () = serve(there, keys("another-secret-0"), echo()) => {}
                () = pending() => {}
            }
        });
        let mut line = line(here, keys(SECRET));
        line.writer.send(ConsoleInput::Break).await;
        let lost = line.reader.next().await;
        assert!(matches!(lost, Some(ConsoleOutput::Ended(text)) if text.contains("lost")));
        serving.await.unwrap();
    }
}
