//! One connection: the socket, the protocol, and the jobs that the disk does for it.
//!
//! All of it is one task that never waits for the disk, so pings are answered while the disk is
//! busy: open-iscsi gives a target five seconds for that.

use super::target::{SessionHandle, SessionName, Shared, challenge};
use proto::iscsi::{
    DecodeError,
    frame::Frame,
    stream::{FrameReader, FrameWriter},
    target::{Connection, ConnectionError, JobResult, SessionType},
};
use std::{
    io,
    sync::{Arc, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};

/// How long a login may take.
const LOGIN: Duration = Duration::from_secs(15);

/// How long an initiator may be silent before it is pinged, and before it is given up.
const SILENCE: Duration = Duration::from_secs(60);

/// Jobs of one connection that the disk does at the same time.
const JOBS: usize = 16;

/// How much waits in the writer before more is taken from the connection.
const WRITE_AHEAD: usize = 1 << 20;

/// Slices of a vectored write.
const SLICES: usize = 64;

/// What small PDUs are read ahead into.
const READ_AHEAD: usize = 64 << 10;

/// How many seconds an initiator has to log out when the target stops.
const FAREWELL_SECONDS: u16 = 5;

/// Why a connection ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServeError {
    #[error("the connection broke")]
    Socket(#[from] io::Error),
    #[error("a PDU cannot be read")]
    Decode(#[from] DecodeError),
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("the initiator did not log in within {} seconds", LOGIN.as_secs())]
    SlowLogin,
    #[error("the initiator is silent")]
    Silent,
    #[error("another session took the place of this one")]
    Replaced,
}

/// Serves a connection until it ends, and until the disk does nothing for it any more.
pub(super) async fn run(stream: TcpStream, shared: &Arc<Shared>) -> Result<(), ServeError> {
    stream.set_nodelay(true)?;
    // The initiator looks for the address that it used (SendTargets), whatever others we have.
    let local = stream.local_addr()?;
    let portal = std::net::SocketAddr::new(local.ip().to_canonical(), local.port()).to_string();
    let access = Arc::clone(&shared.access);
    let connection = Connection::new(access, portal, shared.next_session(), challenge()?);
    let (read, write) = stream.into_split();
    let reader = FrameReader::new(connection.receive_framing());
    let mut server = Server {
        shared,
        connection,
        reader,
        writer: FrameWriter::default(),
        read: BufReader::with_capacity(READ_AHEAD, read),
        write,
        jobs: JoinSet::new(),
    };
    let login = timeout(LOGIN, server.log_in()).await;
    login.unwrap_or(Err(ServeError::SlowLogin))?;
    let Some(name) = server.session_name() else {
        // Discovery.
        return server.serve(&SessionHandle::default()).await;
    };
    let (handle, before) = shared.register(name.clone());
    if let Some(before) = before {
        // What the session of before still writes must not come after what this one writes.
        before.stop.cancel();
        before.ended.cancelled().await;
    }
    let served = server.serve(&handle).await;
    server.drain().await;
    shared.unregister(&name, &handle);
    served
}

struct Server<'a> {
    shared: &'a Shared,
    connection: Connection,
    reader: FrameReader,
    writer: FrameWriter,
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
    jobs: JoinSet<(u64, JobResult)>,
}

impl Server<'_> {
    fn session_name(&self) -> Option<SessionName> {
        let session = self.connection.logged_in()?;
        let normal = session.session_type == SessionType::Normal;
        normal.then(|| (session.initiator.to_ascii_lowercase(), session.isid))
    }

    /// The login, up to its last answer, which is left for [`Self::serve`] to send.
    async fn log_in(&mut self) -> Result<(), ServeError> {
        while self.connection.logged_in().is_none() {
            let read = self.read.read(self.reader.space()).await?;
            if read == 0 {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let Some(frame) = self.reader.filled(read)? else {
                continue;
            };
            let received = self.receive(frame);
            if received.is_err() || self.connection.logged_in().is_none() {
                self.fill_writer();
                self.flush().await?;
            }
            received?;
        }
        self.reader.set_framing(self.connection.receive_framing());
        Ok(())
    }

    fn receive(&mut self, frame: Frame) -> Result<(), ServeError> {
        let unit = self.shared.unit.lock();
        let mut unit = unit.unwrap_or_else(PoisonError::into_inner);
        Ok(self.connection.receive(&mut unit, frame)?)
    }

    async fn serve(&mut self, session: &SessionHandle) -> Result<(), ServeError> {
        let mut silent_at = Instant::now() + SILENCE;
        let mut pinged = false;
        let mut end_at = None;
        loop {
            self.start_jobs();
            self.fill_writer();
            if self.connection.is_over() && self.writer.is_empty() {
                self.write.shutdown().await?;
                return Ok(());
            }
            let slices = self.writer.slices(SLICES);
            tokio::select! {
                read = self.read.read(self.reader.space()), if !self.connection.is_congested() => {
                    let read = read?;
                    if read == 0 {
                        return Ok(());
                    }
                    drop(slices);
                    (silent_at, pinged) = (Instant::now() + SILENCE, false);
                    if let Some(frame) = self.reader.filled(read)? {
                        let received = self.receive(frame);
                        if received.is_err() {
                            self.fill_writer();
                            // What went wrong is told, if the initiator listens.
                            timeout(SILENCE, self.flush()).await.unwrap_or(Ok(()))?;
                        }
                        received?;
                    }
                }
                written = self.write.write_vectored(&slices), if !slices.is_empty() => {
                    let written = written?;
                    drop(slices);
                    self.writer.written(written);
                }
                Some(done) = self.jobs.join_next() => {
                    drop(slices);
                    self.finish(done);
                }
                () = session.stop.cancelled() => return Err(ServeError::Replaced),
                () = self.shared.stop.cancelled(), if end_at.is_none() => {
                    drop(slices);
                    self.connection.request_logout(FAREWELL_SECONDS);
                    let patience = Duration::from_secs(u64::from(FAREWELL_SECONDS));
                    end_at = Some(Instant::now() + patience);
                }
                () = sleep_until(end_at.unwrap_or(silent_at)), if end_at.is_some() => {
                    return Ok(());
                }
                () = sleep_until(silent_at) => {
                    drop(slices);
                    if pinged {
                        return Err(ServeError::Silent);
                    }
                    pinged = true;
                    silent_at = Instant::now() + SILENCE;
                    self.connection.ping();
                }
            }
        }
    }

    fn start_jobs(&mut self) {
        while self.jobs.len() < JOBS
            && let Some(job) = self.connection.job()
        {
            let disk = Arc::clone(&self.shared.disk);
            self.jobs.spawn_blocking(move || (job.id, disk.run(job.op)));
        }
    }

    fn finish(&mut self, done: Result<(u64, JobResult), tokio::task::JoinError>) {
        // Jobs are neither cancelled nor do they panic.
        if let Ok((id, result)) = done {
            let unit = self.shared.unit.lock();
            let mut unit = unit.unwrap_or_else(PoisonError::into_inner);
            self.connection.finished(&mut unit, id, result);
        }
    }

    fn fill_writer(&mut self) {
        while self.writer.remaining() < WRITE_AHEAD
            && let Some(out) = self.connection.output()
        {
            self.writer.push(&out.framing, out.bhs, out.data);
        }
    }

    async fn flush(&mut self) -> io::Result<()> {
        while !self.writer.is_empty() {
            let written = self
                .write
                .write_vectored(&self.writer.slices(SLICES))
                .await?;
            self.writer.written(written);
        }
        Ok(())
    }

    /// Waits for the disk, and frees what the session held.
    async fn drain(&mut self) {
        while self.jobs.join_next().await.is_some() {}
        let unit = self.shared.unit.lock();
        let mut unit = unit.unwrap_or_else(PoisonError::into_inner);
        self.connection.end(&mut unit);
    }
}
