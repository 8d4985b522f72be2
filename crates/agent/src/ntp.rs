//! The time of day from a time server, in one question and one answer (SNTP, RFC 4330).
//!
//! Machines that were just switched on seldom know the time, and certificates are good from a time
//! on. An agent needs no better clock than that, so no daemon is kept.

use crate::safety::Permit;
use anyhow::{Context, bail};
use rustix::time::{ClockId, Timespec, clock_settime};
use std::time::{Duration, Instant};
use tokio::{
    net::{UdpSocket, lookup_host},
    time::timeout,
};

const PORT: u16 = 123;

/// How long a server may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often a server is asked.
const ATTEMPTS: u32 = 3;

/// From 1900, where the protocol counts from, to 1970.
const EPOCHS: u64 = 2_208_988_800;

/// Sets the clock by a server.
pub(crate) async fn set_clock(server: &str, _permit: &Permit) -> anyhow::Result<()> {
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => (
            host,
            port.parse().context("invalid port of the NTP server")?,
        ),
        _ => (server, PORT),
    };
    let now = ask(host, port).await?;
    let time = Timespec {
        tv_sec: i64::try_from(now.as_secs())?,
        tv_nsec: i64::from(now.subsec_nanos()),
    };
    clock_settime(ClockId::Realtime, time).context("cannot set the clock")
}

/// The time since 1970 by a server.
async fn ask(host: &str, port: u16) -> anyhow::Result<Duration> {
    let there = lookup_host((host, port))
        .await?
        .next()
        .context("DNS lookup found no address for the NTP server")?;
    let here = if there.is_ipv4() {
        "0.0.0.0:0"
    } else {
        "[::]:0"
    };
    let socket = UdpSocket::bind(here).await?;
    socket.connect(there).await?;
    // Version 4, client; the rest may be empty but for a mark that the answer repeats.
    let mut question = [0u8; 48];
    question[0] = 0b00_100_011;
    getrandom::fill(&mut question[40..])?;
    for _ in 0..ATTEMPTS {
        let asked = Instant::now();
        socket.send(&question).await?;
        let mut answer = [0u8; 48];
        if let Ok(Ok(48)) = timeout(PATIENCE, socket.recv(&mut answer)).await
            && answer[24..32] == question[40..]
        {
            return Ok(parse(&answer)? + asked.elapsed() / 2);
        }
    }
    bail!("timeout: no answer from NTP server {host}")
}

/// When the server sent its answer.
fn parse(answer: &[u8; 48]) -> anyhow::Result<Duration> {
    let (mode, stratum) = (answer[0] & 0b111, answer[1]);
    if mode != 4 || stratum == 0 {
        bail!("the NTP server is not synchronized");
    }
    let word = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|i| answer[at + i]));
    // Of two eras of 136 years the one that is not over.
    let seconds = u64::from(word(40));
    let seconds = match seconds.checked_sub(EPOCHS) {
        Some(seconds) => seconds,
        None => seconds + (1 << 32) - EPOCHS,
    };
    let nanos = (u64::from(word(44)) * 1_000_000_000) >> 32;
    Ok(Duration::from_secs(seconds) + Duration::from_nanos(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_tells_the_time() {
        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let serve = async {
            let mut question = [0u8; 48];
            let (_, client) = server.recv_from(&mut question).await.unwrap();
            let mut answer = [0u8; 48];
            answer[0] = 0b00_100_100;
            answer[1] = 1;
            answer[24..32].copy_from_slice(&question[40..]);
            let seconds = u32::try_from(EPOCHS + 1000).unwrap();
            answer[40..44].copy_from_slice(&seconds.to_be_bytes());
            answer[44] = 0x80;
            server.send_to(&answer, client).await.unwrap();
        };
        let (now, ()) = tokio::join!(ask("127.0.0.1", port), serve);
        let now = now.unwrap();
        assert!(now >= Duration::from_millis(1_000_500) && now < Duration::from_secs(1010));
    }

    #[test]
    fn a_server_without_the_time_is_not_believed() {
        let mut answer = [0u8; 48];
        assert!(parse(&answer).is_err());
        answer[0] = 4;
        assert!(parse(&answer).is_err());
        answer[1] = 2;
        // The era after 2036.
        assert!(parse(&answer).unwrap() > Duration::from_secs(2_085_000_000));
    }
}
