//! A bad network between us and a BMC: datagrams get lost, come twice or overtake each other, as a
//! seed says; or nothing arrives at all.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};
use tokio::{net::UdpSocket, task::JoinHandle};

/// How bad the network is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Faults {
    pub(super) seed: u64,
    /// Out of a hundred datagrams, how many get lost, come twice, or wait for the next one.
    pub(super) lost: u64,
    pub(super) twice: u64,
    pub(super) late: u64,
    /// How many of the first datagrams get lost besides.
    pub(super) first: u32,
}

/// A relay; gone with the value.
pub(super) struct Relay {
    pub(super) port: u16,
    is_cut: Arc<AtomicBool>,
    seen: Arc<AtomicU32>,
    task: JoinHandle<()>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Relay {
    pub(super) async fn to(bmc: u16, faults: Faults) -> Self {
        let outside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let inside = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        inside.connect(("127.0.0.1", bmc)).await.unwrap();
        let port = outside.local_addr().unwrap().port();
        let (is_cut, seen) = (Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
        let task = tokio::spawn(run(
            outside,
            inside,
            faults,
            Arc::clone(&is_cut),
            Arc::clone(&seen),
        ));
        Self {
            port,
            is_cut,
            seen,
            task,
        }
    }

    /// Lets nothing through any more, or everything again.
    pub(super) fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::SeqCst);
    }

    /// How many datagrams came from our side.
    pub(super) fn seen(&self) -> u32 {
        self.seen.load(Ordering::SeqCst)
    }
}

async fn run(
    outside: UdpSocket,
    inside: UdpSocket,
    faults: Faults,
    is_cut: Arc<AtomicBool>,
    seen: Arc<AtomicU32>,
) {
    let mut dice = Dice(faults.seed | 1);
    let mut client: Option<SocketAddr> = None;
    let (mut there, mut back) = ([0; 2048], [0; 2048]);
    // What waits to be overtaken, for each direction.
    let (mut late_there, mut late_back) = (None, None);
    loop {
        tokio::select! {
            got = outside.recv_from(&mut there) => {
                let Ok((length, from)) = got else { continue };
                client = Some(from);
                let number = seen.fetch_add(1, Ordering::SeqCst);
                if is_cut.load(Ordering::SeqCst) || number < faults.first {
                    continue;
                }
                for datagram in dice.fate(&faults, &there[..length], &mut late_there) {
                    let _ = inside.send(&datagram).await;
                }
            }
            got = inside.recv(&mut back) => {
                let (Ok(length), Some(client)) = (got, client) else { continue };
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                for datagram in dice.fate(&faults, &back[..length], &mut late_back) {
                    let _ = outside.send_to(&datagram, client).await;
                }
            }
        }
    }
}

/// Xorshift: the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % 100
    }

    /// What comes out of the network when a datagram goes in.
    fn fate(
        &mut self,
        faults: &Faults,
        datagram: &[u8],
        late: &mut Option<Vec<u8>>,
    ) -> Vec<Vec<u8>> {
        let roll = self.roll();
        let datagram = datagram.to_vec();
        let mut out = Vec::new();
        if roll < faults.lost {
        } else if roll < faults.lost + faults.twice {
            out.extend([datagram.clone(), datagram]);
        } else if roll < faults.lost + faults.twice + faults.late && late.is_none() {
            *late = Some(datagram);
            return out;
        } else {
            out.push(datagram);
        }
        out.extend(late.take());
        out
    }
}
