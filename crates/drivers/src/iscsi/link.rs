//! A connection to a target: the socket, the login, and PDUs in and out.

use super::{InitiatorSettings, IscsiError};
use proto::iscsi::{
    chap::{CHALLENGE_LENGTH, Challenge},
    frame::Frame,
    initiator::{Login, LoginStep, Session},
    stream::{FrameReader, FrameWriter},
};
use std::io;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::timeout,
};

/// The number of the first command of a session.
const FIRST_COMMAND: u32 = 1;

/// What small PDUs are read ahead into.
const READ_AHEAD: usize = 64 << 10;

/// How much waits in the writer before more is taken from the session.
const WRITE_AHEAD: usize = 1 << 20;

/// Slices of a vectored write.
const SLICES: usize = 64;

/// A connection after its login.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) session: Session,
    reader: FrameReader,
    writer: FrameWriter,
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
}

/// What a link did.
#[derive(Debug)]
pub(super) enum Progress {
    Received,
    Sent,
}

impl Link {
    /// Connects and logs in.
    pub(super) async fn open(
        settings: &InitiatorSettings,
        isid: [u8; 6],
        discovery: bool,
    ) -> Result<Self, IscsiError> {
        let opening = Self::log_in(settings, isid, discovery);
        let opened = timeout(settings.timeouts.login, opening).await;
        opened.unwrap_or(Err(IscsiError::Timeout))
    }

    async fn log_in(
        settings: &InitiatorSettings,
        isid: [u8; 6],
        discovery: bool,
    ) -> Result<Self, IscsiError> {
        let stream = TcpStream::connect(settings.portal).await?;
        stream.set_nodelay(true)?;
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::with_capacity(READ_AHEAD, read);
        let mut login = Login::new(settings.login(isid, discovery), challenge()?, FIRST_COMMAND);
        let (mut reader, mut writer) =
            (FrameReader::new(Default::default()), FrameWriter::default());
        let (mut bhs, mut data) = login.start();
        loop {
            writer.push(&Default::default(), bhs, data);
            send_all(&mut write, &mut writer).await?;
            let frame = receive(&mut read, &mut reader).await?;
            match login.response(&frame.bhs, &frame.data)? {
                LoginStep::Send(next, text) => (bhs, data) = (next, text),
                LoginStep::Done(parameters, _, stat_sn) => {
                    let session = Session::new(parameters, FIRST_COMMAND, stat_sn);
                    reader.set_framing(session.receive_framing());
                    return Ok(Self {
                        session,
                        reader,
                        writer,
                        read,
                        write,
                    });
                }
            }
        }
    }

    /// Sends what the session has to send and receives what comes; returns after either. A PDU
    /// that came is with the session then. May be cancelled.
    pub(super) async fn progress(&mut self) -> Result<Progress, IscsiError> {
        let framing = self.session.send_framing();
        while self.writer.remaining() < WRITE_AHEAD
            && let Some((bhs, data)) = self.session.output()
        {
            self.writer.push(&framing, bhs, data);
        }
        let slices = self.writer.slices(SLICES);
        tokio::select! {
            read = self.read.read(self.reader.space()) => {
                let read = read?;
                if read == 0 {
                    return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
                }
                if let Some(frame) = self.reader.filled(read)? {
                    self.session.receive(frame)?;
                }
                Ok(Progress::Received)
            }
            written = self.write.write_vectored(&slices), if !slices.is_empty() => {
                let written = written?;
                drop(slices);
                self.writer.written(written);
                Ok(Progress::Sent)
            }
        }
    }
}

async fn send_all(write: &mut OwnedWriteHalf, writer: &mut FrameWriter) -> io::Result<()> {
    while !writer.is_empty() {
        let written = write.write_vectored(&writer.slices(SLICES)).await?;
        writer.written(written);
    }
    Ok(())
}

async fn receive(
    read: &mut BufReader<OwnedReadHalf>,
    reader: &mut FrameReader,
) -> Result<Frame, IscsiError> {
    loop {
        let bytes = read.read(reader.space()).await?;
        if bytes == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        if let Some(frame) = reader.filled(bytes)? {
            return Ok(frame);
        }
    }
}

/// A challenge for CHAP.
fn challenge() -> io::Result<Challenge> {
    let mut random = [0; CHALLENGE_LENGTH + 1];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let [id, bytes @ ..] = random;
    Ok(Challenge {
        id,
        bytes: bytes.to_vec(),
    })
}

/// The initiator's part of a session's name: random (RFC 7143 §11.12.5, type 10b).
pub(super) fn new_isid() -> io::Result<[u8; 6]> {
    let mut isid = [0; 6];
    getrandom::fill(&mut isid).map_err(io::Error::other)?;
    isid[0] = 0x80;
    Ok(isid)
}
