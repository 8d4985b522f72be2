//! A portal before an agent's target: it counts who is connected, and ends or holds a conversation
//! at the moment that a test names.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
};
use tokio_util::sync::CancellationToken;

/// The length of what every PDU starts with.
const HEADER: usize = 48;

/// Nothing healthy takes longer.
const PATIENCE: Duration = Duration::from_secs(90);

/// The status of a command that was not carried out, for the reason that comes with it.
pub(super) const CHECK_CONDITION: u8 = 0x02;
/// The status of a command that met the reservation of somebody else.
pub(super) const RESERVATION_CONFLICT: u8 = 0x18;

/// A PDU of the initiator, by what it asks for, and which of those it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    opcode: u8,
    command: Option<u8>,
    action: Option<u8>,
    nth: u32,
}

impl Moment {
    pub(super) const LOGIN: Self = Self::pdu(0x03);
    pub(super) const LOGOUT: Self = Self::pdu(0x06);
    pub(super) const REGISTER: Self = Self::reservation(6);
    pub(super) const RESERVE: Self = Self::reservation(1);

    const fn pdu(opcode: u8) -> Self {
        Self {
            opcode,
            command: None,
            action: None,
            nth: 1,
        }
    }

    const fn reservation(action: u8) -> Self {
        Self {
            command: Some(0x5f),
            action: Some(action),
            ..Self::pdu(0x01)
        }
    }

    const fn command(command: u8, nth: u32) -> Self {
        Self {
            command: Some(command),
            nth,
            ..Self::pdu(0x01)
        }
    }

    pub(super) const fn write(nth: u32) -> Self {
        Self::command(0x8a, nth)
    }

    pub(super) const fn flush(nth: u32) -> Self {
        Self::command(0x91, nth)
    }

    pub(super) const fn read(nth: u32) -> Self {
        Self::command(0x88, nth)
    }

    fn fits(&self, header: &[u8; HEADER]) -> bool {
        let is = |wanted: Option<u8>, given: u8| wanted.is_none_or(|wanted| wanted == given);
        header[0] & 0x3f == self.opcode
            && is(self.command, header[32])
            && is(self.action, header[33] & 0x1f)
    }
}

/// What happens to a conversation at its moment.
#[derive(Debug, Clone, Copy)]
enum Act {
    /// Nothing is passed on any more.
    Silence,
    /// The same, until it is let go.
    Hold,
    /// It is cut, and nobody comes in any more.
    Death,
}

struct Shared {
    portal: SocketAddr,
    armed: Mutex<Option<(Moment, Act)>>,
    reached: watch::Sender<bool>,
    go: CancellationToken,
    /// What was asked when it was let go, and how that was answered.
    asked: Mutex<Option<[u8; 4]>>,
    answered: watch::Sender<Option<u8>>,
    dead: CancellationToken,
    open: watch::Sender<usize>,
}

pub(super) struct Portal {
    pub(super) port: u16,
    shared: Arc<Shared>,
}

impl Portal {
    /// Passes everything on.
    pub(super) async fn before(portal: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            portal: SocketAddr::from(([127, 0, 0, 1], portal)),
            armed: Mutex::default(),
            reached: watch::Sender::new(false),
            go: CancellationToken::new(),
            asked: Mutex::default(),
            answered: watch::Sender::new(None),
            dead: CancellationToken::new(),
            open: watch::Sender::new(0),
        });
        tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self { port, shared }
    }

    /// Falls silent when the moment comes.
    pub(super) fn falls_silent_at(&self, moment: Moment) {
        self.arm(moment, Act::Silence);
    }

    /// Holds a conversation when the moment comes, until [`Self::lets_go`].
    pub(super) fn holds_at(&self, moment: Moment) {
        self.arm(moment, Act::Hold);
    }

    /// Ends for good when the moment comes.
    pub(super) fn dies_at(&self, moment: Moment) {
        self.arm(moment, Act::Death);
    }

    fn arm(&self, moment: Moment, act: Act) {
        self.shared.reached.send_replace(false);
        *self.shared.armed.lock().unwrap() = Some((moment, act));
    }

    /// Waits until the moment has come.
    pub(super) async fn is_reached(&self) {
        let mut reached = self.shared.reached.subscribe();
        let reached = tokio::time::timeout(PATIENCE, reached.wait_for(|reached| *reached)).await;
        reached.expect("the moment does not come").unwrap();
    }

    /// Passes on what was held; the status that the target answers with, or `None` where it takes
    /// the command.
    pub(super) async fn lets_go(&self) -> Option<u8> {
        let mut answered = self.shared.answered.subscribe();
        self.shared.go.cancel();
        let status = tokio::time::timeout(PATIENCE, answered.wait_for(Option::is_some)).await;
        let status = *status.expect("the target does not answer").unwrap();
        status.filter(|status| *status != TAKEN)
    }

    /// Waits until nobody is connected.
    pub(super) async fn is_left(&self) {
        let mut open = self.shared.open.subscribe();
        let left = tokio::time::timeout(PATIENCE, open.wait_for(|open| *open == 0)).await;
        left.expect("a session is left").unwrap();
    }
}

/// In place of a status: the target asks for the data of the command, or has done it.
const TAKEN: u8 = 0xff;

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        // In this order: whoever comes back right after the end must not get in because this task
        // was late.
        let near = tokio::select! {
            biased;
            () = shared.dead.cancelled() => return,
            near = listener.accept() => near,
        };
        let Ok((near, _)) = near else { return };
        shared.open.send_modify(|open| *open += 1);
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            // However it ends: it is over.
            let _ = pass(near, &shared).await;
            shared.open.send_modify(|open| *open -= 1);
        });
    }
}

async fn pass(near: TcpStream, shared: &Shared) -> io::Result<()> {
    let far = TcpStream::connect(shared.portal).await?;
    let ((near_read, near_write), (far_read, far_write)) = (near.into_split(), far.into_split());
    tokio::select! {
        ended = there(near_read, far_write, shared) => ended,
        ended = back(far_read, near_write, shared) => ended,
    }
}

/// From the initiator to the target.
async fn there(
    mut near: OwnedReadHalf,
    mut far: OwnedWriteHalf,
    shared: &Shared,
) -> io::Result<()> {
    let mut header = [0; HEADER];
    loop {
        near.read_exact(&mut header).await?;
        match shared.act(&header) {
            None => {}
            Some(Act::Death) => {
                shared.dead.cancel();
                return Ok(());
            }
            Some(Act::Silence) => {
                tokio::io::copy(&mut near, &mut tokio::io::sink()).await?;
                return Ok(());
            }
            Some(Act::Hold) => {
                shared.go.cancelled().await;
                *shared.asked.lock().unwrap() = header[16..20].try_into().ok();
            }
        }
        far.write_all(&header).await?;
        tokio::io::copy(&mut (&mut near).take(rest(&header)), &mut far).await?;
    }
}

/// From the target to the initiator.
async fn back(mut far: OwnedReadHalf, mut near: OwnedWriteHalf, shared: &Shared) -> io::Result<()> {
    const RESPONSE: u8 = 0x21;
    let mut header = [0; HEADER];
    loop {
        far.read_exact(&mut header).await?;
        let asked = *shared.asked.lock().unwrap();
        if asked.is_some_and(|task| header[16..20] == task) {
            let status = match (header[0] & 0x3f, header[3]) {
                (RESPONSE, status @ 1..) => status,
                _ => TAKEN,
            };
            shared.answered.send_replace(Some(status));
        }
        near.write_all(&header).await?;
        tokio::io::copy(&mut (&mut far).take(rest(&header)), &mut near).await?;
    }
}

/// How much of a PDU comes after its header.
fn rest(header: &[u8; HEADER]) -> u64 {
    let data = u32::from_be_bytes([0, header[5], header[6], header[7]]);
    u64::from(header[4]) * 4 + u64::from(data.next_multiple_of(4))
}

impl Shared {
    /// What is to be done where a moment has come.
    fn act(&self, header: &[u8; HEADER]) -> Option<Act> {
        let mut armed = self.armed.lock().unwrap();
        let (moment, act) = armed.as_mut().filter(|(moment, _)| moment.fits(header))?;
        moment.nth -= 1;
        if moment.nth > 0 {
            return None;
        }
        let act = *act;
        *armed = None;
        self.reached.send_replace(true);
        Some(act)
    }
}
