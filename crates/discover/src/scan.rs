//! Going through many addresses at a time, politely.
//!
//! New addresses are begun at a limited rate, so that neither a switch nor an ARP table is flooded;
//! at most so many are open at a time, since each may hold a file; and at most so many BMCs are
//! logged in to at a time. Each BMC has one conversation at a time, one question after the other.

use crate::{
    Credentials,
    found::{Bmc, ProbeResult},
    ipmi::{self, NoBmc},
    redfish::{self, Greeting},
};
use outbound::Policy;
use std::{net::IpAddr, num::NonZeroU32, sync::Arc, time::Duration};
use tls::Trust;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval},
};

/// How many addresses are begun together, between two pauses.
const TICK: Duration = Duration::from_millis(10);

/// Where BMCs listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    pub redfish: u16,
    /// Whether Redfish is spoken without TLS there.
    pub is_plain_http: bool,
    pub ipmi: u16,
}

impl Default for Ports {
    fn default() -> Self {
        Self {
            redfish: 443,
            is_plain_http: false,
            ipmi: 623,
        }
    }
}

/// How much is done at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// New addresses in a second.
    pub rate: NonZeroU32,
    /// Addresses that are waited for at a time.
    pub open: usize,
    /// BMCs that are logged in to at a time.
    pub logins: usize,
    /// How long an address may take to be there: for a connection, and for each of two datagrams.
    pub patience: Duration,
}

/// A scan: what to ask, as whom, and how fast.
#[derive(Debug)]
pub struct Scan {
    pub ports: Ports,
    pub credentials: Credentials,
    /// Which certificates a password is sent to.
    pub verify: Trust,
    pub limits: Limits,
}

struct Asking {
    redfish: redfish::Asker,
    ipmi: ipmi::Asker,
    credentials: Credentials,
    logins: Semaphore,
}

impl Scan {
    /// Asks all addresses, and hands out what is found as it comes; ends early when the receiver is
    /// gone.
    pub async fn run(self, addresses: Vec<IpAddr>, found: mpsc::Sender<ProbeResult>) {
        let limits = self.limits;
        let asking = Arc::new(Asking {
            redfish: redfish::Asker::new(
                self.ports,
                limits.patience,
                self.verify,
                Policy::default(),
            ),
            ipmi: ipmi::Asker::new(self.ports, limits.patience),
            credentials: self.credentials,
            logins: Semaphore::new(limits.logins.max(1)),
        });
        let open = Arc::new(Semaphore::new(limits.open.max(1)));
        let mut pace = Pace::new(limits.rate);
        let mut tasks = JoinSet::new();
        for address in addresses {
            pace.wait().await;
            // Never closed, so there is always a permit some day.
            let Ok(permit) = Arc::clone(&open).acquire_owned().await else {
                break;
            };
            if found.is_closed() {
                break;
            }
            while tasks.try_join_next().is_some() {}
            let (asking, found) = (Arc::clone(&asking), found.clone());
            tasks.spawn(async move {
                if let Some(what) = asking.ask(address).await {
                    let _ = found.send(what).await;
                }
                drop(permit);
            });
        }
        while tasks.join_next().await.is_some() {}
    }
}

impl Asking {
    async fn ask(&self, address: IpAddr) -> Option<ProbeResult> {
        let (service, controller) = tokio::join!(
            self.redfish.greet(address),
            self.ipmi.greet_address(address)
        );
        let mut bmc = Bmc::new(address);
        let mut other = None;
        let mut origin = None;
        match service {
            Greeting::Nothing => {}
            Greeting::Other(why) => other = Some(why),
            Greeting::Service { origin: at, root } => {
                redfish::tell(&at, &root, &mut bmc);
                origin = Some(at);
            }
        }
        let greeting = match controller {
            Ok(greeting) => Some(greeting),
            Err(NoBmc::Silent | NoBmc::Network(_)) => None,
            Err(error @ (NoBmc::Refused(_) | NoBmc::Nonsense(_))) => {
                let text = format!("it answers by IPMI, but {error}");
                other = Some(other.map_or(text.clone(), |why| format!("{why}; {text}")));
                None
            }
        };
        if let Some(greeting) = &greeting {
            greeting.tell(&mut bmc);
        }
        if origin.is_none() && greeting.is_none() {
            return other.map(|why| ProbeResult::Other { address, why });
        }
        bmc.remarks.extend(other);
        if let Some(login) = self.credentials.of(address)
            && let Ok(_turn) = self.logins.acquire().await
        {
            if let Some(origin) = &origin {
                self.redfish.interview(origin, login, &mut bmc).await;
            }
            // A login that was refused is not tried again by another way in.
            if let Some(greeting) = &greeting
                && origin.is_none()
            {
                self.ipmi.interview(greeting, login, &mut bmc).await;
            }
        }
        Some(ProbeResult::Bmc(Box::new(bmc)))
    }
}

/// Lets so many through in a second, evenly.
struct Pace {
    tick: tokio::time::Interval,
    each: u32,
    left: u32,
}

impl Pace {
    fn new(rate: NonZeroU32) -> Self {
        let ticks = u32::try_from(Duration::from_secs(1).as_millis() / TICK.as_millis());
        let ticks = ticks.unwrap_or(1);
        let each = rate.get().div_ceil(ticks);
        // Slow rates have longer pauses in place of smaller shares.
        let pause = Duration::from_secs(1) * each / rate.get();
        let mut tick = interval(pause);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            tick,
            each,
            left: 0,
        }
    }

    async fn wait(&mut self) -> Instant {
        if self.left == 0 {
            let at = self.tick.tick().await;
            self.left = self.each - 1;
            return at;
        }
        self.left -= 1;
        Instant::now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn passed_in(rate: u32, time: Duration) -> u32 {
        let mut pace = Pace::new(NonZeroU32::new(rate).unwrap());
        let began = Instant::now();
        let mut passed = 0;
        while pace.wait().await.duration_since(began) < time {
            passed += 1;
        }
        passed
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_rate_pass_in_a_second() {
        for rate in [1, 3, 50, 1000, 5000] {
            let passed = passed_in(rate, Duration::from_secs(4)).await;
            let expected = rate * 4;
            // The first share is let through at once.
            let slack = rate.div_ceil(100);
            assert!(
                (expected..=expected + slack).contains(&passed),
                "{rate}: {passed}"
            );
        }
    }
}
