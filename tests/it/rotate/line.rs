//! The line to a BMC, which goes dead at a chosen packet: with a question the BMC never hears it,
//! with an answer it has done what it was asked and nobody hears of it.

use std::{io, net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UdpSocket},
    sync::watch,
    task::JoinSet,
};

/// How many packets have passed since it was last asked, and at which the line goes dead.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    passed: usize,
    end: Option<usize>,
    is_dead: bool,
    /// The first packet after the watched thing happened.
    seen_at: Option<usize>,
}

/// Something about the BMC that may have happened by now.
pub(super) type Watched = Box<dyn Fn() -> bool + Send + Sync>;

struct Ends {
    state: watch::Sender<State>,
    watched: Watched,
}

/// A line; gone with the value.
pub(super) struct Line {
    pub(super) port: u16,
    ends: Arc<Ends>,
    _tasks: JoinSet<()>,
}

impl Line {
    pub(super) async fn udp(bmc: u16, watched: Watched) -> Self {
        let outside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = outside.local_addr().unwrap().port();
        let ends = Ends::new(watched);
        let mut tasks = JoinSet::new();
        tasks.spawn(datagrams(outside, bmc, Arc::clone(&ends)));
        Self {
            port,
            ends,
            _tasks: tasks,
        }
    }

    pub(super) async fn tcp(bmc: u16, watched: Watched) -> Self {
        let outside = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = outside.local_addr().unwrap().port();
        let ends = Ends::new(watched);
        let mut tasks = JoinSet::new();
        tasks.spawn(connections(outside, bmc, Arc::clone(&ends)));
        Self {
            port,
            ends,
            _tasks: tasks,
        }
    }

    /// Lets everything through, and counts anew.
    pub(super) fn opens(&self) {
        self.ends.state.send_replace(State::default());
    }

    /// The same, up to a packet, which counts from zero.
    pub(super) fn dies_at(&self, packet: usize) {
        self.opens();
        self.ends
            .state
            .send_modify(|state| state.end = Some(packet));
    }

    pub(super) async fn is_dead(&self) {
        let mut seen = self.ends.state.subscribe();
        seen.wait_for(|state| state.is_dead).await.unwrap();
    }

    pub(super) fn passed(&self) -> usize {
        self.ends.state.borrow().passed
    }

    /// The first packet after the watched thing had happened.
    pub(super) fn seen_at(&self) -> Option<usize> {
        self.ends.state.borrow().seen_at
    }
}

impl Ends {
    fn new(watched: Watched) -> Arc<Self> {
        Arc::new(Self {
            state: watch::Sender::new(State::default()),
            watched,
        })
    }

    /// Whether the next packet may pass.
    fn pass(&self) -> bool {
        let has_happened = (self.watched)();
        let mut may_pass = false;
        self.state.send_modify(|state| {
            if has_happened {
                state.seen_at.get_or_insert(state.passed);
            }
            state.is_dead |= state.end == Some(state.passed);
            may_pass = !state.is_dead;
            state.passed += usize::from(may_pass);
        });
        may_pass
    }
}

async fn datagrams(outside: UdpSocket, bmc: u16, ends: Arc<Ends>) {
    let inside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    inside.connect(("127.0.0.1", bmc)).await.unwrap();
    let mut client: Option<SocketAddr> = None;
    let (mut there, mut back) = ([0; 2048], [0; 2048]);
    loop {
        tokio::select! {
            got = outside.recv_from(&mut there) => {
                let Ok((length, from)) = got else { continue };
                client = Some(from);
                if ends.pass() {
                    let _ = inside.send(&there[..length]).await;
                }
            }
            got = inside.recv(&mut back) => {
                let (Ok(length), Some(client)) = (got, client) else { continue };
                if ends.pass() {
                    let _ = outside.send_to(&back[..length], client).await;
                }
            }
        }
    }
}

async fn connections(outside: TcpListener, bmc: u16, ends: Arc<Ends>) {
    let mut all = JoinSet::new();
    loop {
        let Ok((client, _)) = outside.accept().await else {
            continue;
        };
        let ends = Arc::clone(&ends);
        all.spawn(async move {
            let _ = connection(client, bmc, &ends).await;
        });
    }
}

async fn connection(mut client: TcpStream, bmc: u16, ends: &Ends) -> io::Result<()> {
    let mut server = TcpStream::connect(("127.0.0.1", bmc)).await?;
    let (mut there, mut back) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
    // A connection that has lost something stays dead when the line is opened again.
    let mut is_dead = false;
    loop {
        tokio::select! {
            got = client.read(&mut there) => match got? {
                0 => return Ok(()),
                length => {
                    is_dead = is_dead || !ends.pass();
                    if !is_dead {
                        server.write_all(&there[..length]).await?;
                    }
                }
            },
            got = server.read(&mut back) => match got? {
                0 => return Ok(()),
                length => {
                    is_dead = is_dead || !ends.pass();
                    if !is_dead {
                        client.write_all(&back[..length]).await?;
                    }
                }
            },
        }
    }
}
