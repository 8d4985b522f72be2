//! One transfer: a machine, a socket, a file and a clock.

#![expect(clippy::disallowed_types, reason = "read in spawn_blocking")]

use crate::root::Opened;
use bytes::Bytes;
use proto::tftp::{
    ErrorCode, Mode, Packet, Request,
    sender::{Limits, Sender, Step},
};
use std::{fs::File, io, io::Read, os::unix::fs::FileExt, sync::Arc, time::Duration};
use tokio::{
    net::UdpSocket,
    time::{Instant, timeout_at},
};

/// As much of a file is read at a time.
const CHUNK: usize = 64 * 1024;
/// Text that is to be converted must be small; nobody boots from large text.
const LARGEST_TEXT: u64 = 1024 * 1024;
/// The longest pause between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How it ended.
#[derive(Debug)]
pub(super) enum How {
    Done,
    /// The client said nothing any more.
    Silent,
    /// The client said that it wants no more.
    Aborted(String),
}

#[derive(Debug)]
pub(super) struct End {
    pub(super) how: How,
    pub(super) bytes: u64,
    pub(super) size: u64,
    pub(super) resent: u64,
    pub(super) block_size: u16,
}

/// Runs a transfer to its end.
pub(super) async fn run(
    socket: &UdpSocket,
    request: &Request,
    opened: Opened,
    limits: Limits,
) -> io::Result<End> {
    let mut source = match request.mode {
        Mode::Octet => Source::file(opened.file, opened.size),
        Mode::Netascii if opened.size > LARGEST_TEXT => {
            let message = "the file is too large for this mode".to_owned();
            let packet = Packet::Error {
                code: ErrorCode::IllegalOperation,
                message: message.clone(),
            };
            socket.send(&packet.encode()).await?;
            let (size, block_size) = (opened.size, 0);
            return Ok(End {
                how: How::Aborted(message),
                bytes: 0,
                size,
                resent: 0,
                block_size,
            });
        }
        Mode::Netascii => Source::text(opened.file).await?,
    };
    let mut sender = Sender::new(request, source.size, limits);
    let how = match converse(socket, &mut sender, &mut source).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            let message = "the file changed".to_owned();
            let packet = Packet::Error {
                code: ErrorCode::Undefined,
                message: message.clone(),
            };
            socket.send(&packet.encode()).await?;
            How::Aborted(message)
        }
        other => other?,
    };
    Ok(End {
        how,
        bytes: sender.acknowledged(),
        size: source.size,
        resent: sender.resent(),
        block_size: sender.block_size(),
    })
}

async fn converse(socket: &UdpSocket, sender: &mut Sender, source: &mut Source) -> io::Result<How> {
    let mut buffer = [0; 1024];
    let mut wait = sender.timeout();
    let mut deadline = Instant::now() + wait;
    loop {
        loop {
            let packet = match sender.next_step() {
                Step::OptionAck(options) => Packet::OptionAck(options).encode(),
                Step::Block {
                    number,
                    offset,
                    length,
                } => {
                    let bytes = source.read(offset, length).await?;
                    Packet::Data {
                        block: number,
                        bytes: &bytes,
                    }
                    .encode()
                }
                Step::Wait => break,
                Step::Done => return Ok(How::Done),
                Step::GaveUp => return Ok(How::Silent),
            };
            // A full queue or a client that is gone shows in the answers that do not come.
            if let Err(error) = socket.send(&packet).await {
                tracing::trace!(%error, "a TFTP packet could not be sent");
            }
            // Only what is sent puts off the next attempt, not what a client repeats.
            deadline = Instant::now() + wait;
        }
        loop {
            let received = match timeout_at(deadline, socket.recv(&mut buffer)).await {
                Err(_) => {
                    sender.timed_out();
                    wait = (wait * 2).min(LONGEST_WAIT).max(sender.timeout());
                    break;
                }
                Ok(received) => received,
            };
            match received.map(|length| Packet::decode(&buffer[..length])) {
                Ok(Ok(Packet::Ack { block })) => {
                    let before = sender.acknowledged();
                    sender.acknowledge(block);
                    if sender.acknowledged() > before || block == 0 {
                        wait = sender.timeout();
                    }
                    break;
                }
                Ok(Ok(Packet::Error { code, message })) => {
                    return Ok(How::Aborted(format!("{code}: {message}")));
                }
                Ok(_) => {}
                // The port of the client is closed; it may be asked again until patience ends.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    tokio::time::sleep_until(deadline).await;
                    sender.timed_out();
                    break;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// The bytes of a file.
struct Source {
    kind: SourceContent,
    size: u64,
    /// What was read last, and where it begins.
    chunk: (u64, Bytes),
}

/// Where the bytes are.
enum SourceContent {
    File(Arc<File>),
    Memory(Bytes),
}

impl Source {
    fn file(file: File, size: u64) -> Self {
        Self {
            kind: SourceContent::File(Arc::new(file)),
            size,
            chunk: (0, Bytes::new()),
        }
    }

    /// A text, with the ends of lines that this mode wants.
    async fn text(mut file: File) -> io::Result<Self> {
        let text = tokio::task::spawn_blocking(move || {
            let mut text = Vec::new();
            Read::by_ref(&mut file)
                .take(LARGEST_TEXT)
                .read_to_end(&mut text)?;
            io::Result::Ok(to_netascii(&text))
        });
        let text = Bytes::from(text.await??);
        Ok(Self {
            size: text.len() as u64,
            kind: SourceContent::Memory(text),
            chunk: (0, Bytes::new()),
        })
    }

    async fn read(&mut self, offset: u64, length: usize) -> io::Result<Bytes> {
        if length == 0 {
            return Ok(Bytes::new());
        }
        let file = match &self.kind {
            SourceContent::Memory(bytes) => {
                let start = usize::try_from(offset).map_err(io::Error::other)?;
                return Ok(bytes.slice(start..start + length));
            }
            SourceContent::File(file) => file.clone(),
        };
        let within = |(start, bytes): &(u64, Bytes)| {
            let start = usize::try_from(offset.checked_sub(*start)?).ok()?;
            (start + length <= bytes.len()).then(|| bytes.slice(start..start + length))
        };
        if let Some(bytes) = within(&self.chunk) {
            return Ok(bytes);
        }
        let size = usize::try_from(self.size - offset)
            .unwrap_or(usize::MAX)
            .min(CHUNK.max(length));
        let chunk = tokio::task::spawn_blocking(move || {
            let mut chunk = vec![0; size];
            file.read_exact_at(&mut chunk, offset)?;
            io::Result::Ok(Bytes::from(chunk))
        });
        self.chunk = (offset, chunk.await??);
        within(&self.chunk).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

fn to_netascii(text: &[u8]) -> Vec<u8> {
    let mut converted = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'\n' => converted.extend(b"\r\n"),
            b'\r' => converted.extend(b"\r\0"),
            other => converted.push(*other),
        }
    }
    converted
}
