//! An iBoot with a number of relays, all of them off.
//!
//! One connection may carry several orders. A wrong sequence number, user or password is answered as
//! an order that failed.

use super::{Account, Fault, locked};
use proto::iboot::{DONE, FAILED, HELLO, LONGEST_NAME, Login, Order, Request};
use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};

/// How long a client may take for its next order.
const PATIENCE: Duration = Duration::from_secs(60);
/// No order is longer.
const LONGEST: usize = 128;

/// A device.
#[derive(Debug)]
pub struct Iboot {
    account: Account,
    state: Mutex<State>,
    sequence: AtomicU16,
}

#[derive(Debug)]
struct State {
    relays: Vec<bool>,
    orders: Vec<(u8, bool)>,
    fault: Fault,
}

impl Iboot {
    pub fn new(account: Account, relays: u8) -> Self {
        Self {
            account,
            state: Mutex::new(State {
                relays: vec![false; usize::from(relays)],
                orders: Vec::new(),
                fault: Fault::None,
            }),
            // So that it does not begin where clients may think it does.
            sequence: AtomicU16::new(65_530),
        }
    }

    /// Whether a relay, counted from one, is on.
    pub fn is_on(&self, relay: u8) -> bool {
        let place = usize::from(relay).checked_sub(1);
        let state = locked(&self.state);
        place.and_then(|place| state.relays.get(place).copied()) == Some(true)
    }

    /// Orders that were accepted: relay, and whether on.
    pub fn orders(&self) -> Vec<(u8, bool)> {
        locked(&self.state).orders.clone()
    }

    pub fn break_with(&self, fault: Fault) {
        locked(&self.state).fault = fault;
    }

    fn fault(&self) -> Fault {
        locked(&self.state).fault
    }

    fn knows(&self, login: &Login) -> bool {
        let cut = |text: &str| text.bytes().take(LONGEST_NAME).collect::<Vec<u8>>();
        login.user == cut(&self.account.user) && login.password == cut(&self.account.password)
    }

    fn answer(&self, request: &Request) -> Vec<u8> {
        let mut state = locked(&self.state);
        match state.fault {
            Fault::Refuses => return vec![FAILED],
            Fault::Garbage => return vec![0x7f; state.relays.len().max(1)],
            _ => {}
        }
        if !self.knows(&request.login) {
            return vec![FAILED];
        }
        let done = match &request.order {
            Order::Get => return state.relays.iter().map(|on| u8::from(*on)).collect(),
            Order::KeepAlive => true,
            // What is pulsed comes back by itself; nobody looks as fast as that.
            Order::Pulse { relay, .. } => *relay != 0 && usize::from(*relay) <= state.relays.len(),
            Order::Change { relay, state: to } => state.switch(*relay, *to),
            Order::ChangeAll(states) => {
                for (relay, to) in (1..=u8::MAX).zip(states) {
                    state.switch(relay, *to);
                }
                true
            }
        };
        vec![if done { DONE } else { FAILED }]
    }
}

impl State {
    fn switch(&mut self, relay: u8, to: u8) -> bool {
        let is_stuck = self.fault == Fault::Stuck;
        let place = usize::from(relay).checked_sub(1);
        let Some(at) = place.and_then(|place| self.relays.get_mut(place)) else {
            return false;
        };
        let on = match to {
            Order::OFF => false,
            Order::ON => true,
            Order::AS_IT_IS => return true,
            _ => return false,
        };
        self.orders.push((relay, on));
        if !is_stuck {
            *at = on;
        }
        true
    }
}

/// Answers clients, until the socket fails or the future is dropped.
pub async fn serve(listener: TcpListener, device: Arc<Iboot>) -> io::Result<()> {
    let mut clients = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await?;
        while clients.try_join_next().is_some() {}
        let device = Arc::clone(&device);
        clients.spawn(async move {
            if let Err(error) = talk(client, &device).await {
                tracing::debug!(%error, "a client of the iBoot went away");
            }
        });
    }
}

async fn talk(mut client: TcpStream, device: &Iboot) -> io::Result<()> {
    let mut hello = [0; HELLO.len()];
    timeout(PATIENCE, client.read_exact(&mut hello)).await??;
    if hello != *HELLO {
        return Err(io::Error::other("it does not say hello"));
    }
    if device.fault() == Fault::Silent {
        std::future::pending::<()>().await;
    }
    let mut sequence = device.sequence.fetch_add(3, Ordering::Relaxed);
    client.write_all(&sequence.to_le_bytes()).await?;
    let mut bytes = Vec::new();
    loop {
        let request = loop {
            if let Some(request) = Request::decode(&bytes).map_err(io::Error::other)? {
                break request;
            }
            let mut piece = [0; LONGEST];
            let read = timeout(PATIENCE, client.read(&mut piece)).await??;
            if read == 0 {
                return Ok(());
            }
            bytes.extend(piece.iter().take(read));
            if bytes.len() > LONGEST {
                return Err(io::Error::other("it says more than one order"));
            }
        };
        bytes.clear();
        match device.fault() {
            Fault::Closes => return Ok(()),
            Fault::Stalls => std::future::pending().await,
            _ => {}
        }
        let expected = sequence.wrapping_add(1);
        let answer = match request.sequence == expected {
            true => device.answer(&request),
            false => vec![FAILED],
        };
        sequence = expected.wrapping_add(1);
        // In pieces, as a device with a small window does.
        for byte in answer {
            client.write_all(&[byte]).await?;
        }
    }
}
