//! The same numbers for statsd: sent every ten seconds, as the page for Prometheus has them.
//!
//! A gauge is a gauge there too. Of durations, what came since the last time is sent: how many, as
//! a counter, and how long they took on average, as a timer. Labels become parts of the name. UDP
//! loses what nobody receives, which is how statsd wants it.

use std::{collections::HashMap, net::SocketAddr, time::Duration};
use store::Db;
use tokio::{
    net::{UdpSocket, lookup_host},
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;
use types::error::chain;

const INTERVAL: Duration = Duration::from_secs(10);

/// As much as fits into one packet on any network.
const PACKET: usize = 1400;

/// Where numbers are sent, and what their names begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statsd {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// With a dot at its end, or empty.
    pub(crate) prefix: String,
}

impl Statsd {
    /// Sends in the background until `stop`. A conductor that was silent for that long is
    /// shown as gone.
    pub(crate) fn start(self, db: &Db, silence: Duration, stop: &CancellationToken) {
        let (db, stop, silence_s) = (db.clone(), stop.clone(), silence.as_secs());
        tokio::spawn(async move {
            stop.run_until_cancelled(self.send_again_and_again(db, silence_s))
                .await
        });
    }

    async fn send_again_and_again(self, db: Db, silence_s: u64) {
        let mut seen = HashMap::new();
        let mut beats = interval(INTERVAL);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            beats.tick().await;
            let page = match api::metrics::page(&db, silence_s).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::warn!(
                        error = chain(&error),
                        "cannot collect metrics from the database"
                    );
                    continue;
                }
            };
            let lines = lines(&page, &self.prefix, &mut seen);
            if let Err(error) = self.send(&lines).await {
                tracing::debug!(host = self.host, %error, "cannot send metrics to statsd");
            }
        }
    }

    /// The name is looked up each time: the server may move.
    async fn send(&self, lines: &[String]) -> std::io::Result<()> {
        let found = lookup_host((self.host.as_str(), self.port)).await?.next();
        let Some(server) = found else {
            return Ok(());
        };
        let own: SocketAddr = if server.is_ipv4() {
            ([0, 0, 0, 0], 0).into()
        } else {
            ([0u16; 8], 0).into()
        };
        let socket = UdpSocket::bind(own).await?;
        let mut packet = String::new();
        for line in lines {
            if !packet.is_empty() && packet.len() + line.len() + 1 > PACKET {
                socket.send_to(packet.as_bytes(), server).await?;
                packet.clear();
            }
            if !packet.is_empty() {
                packet.push('\n');
            }
            packet.push_str(line);
        }
        if !packet.is_empty() {
            socket.send_to(packet.as_bytes(), server).await?;
        }
        Ok(())
    }
}

/// What is sent of a page; `seen` has the sums and counts of the one before.
fn lines(page: &str, prefix: &str, seen: &mut HashMap<String, f64>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut sum = 0.0;
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let Some((sample, value)) = line.rsplit_once(' ') else {
            continue;
        };
        let Ok(value) = value.parse::<f64>() else {
            continue;
        };
        let family = sample.split('{').next().unwrap_or_default();
        let mut since = |value: f64| value - seen.insert(sample.to_owned(), value).unwrap_or(0.0);
        if family.ends_with("_bucket") {
            continue;
        } else if family.ends_with("_sum") {
            sum = since(value);
        } else if let Some(family) = family.strip_suffix("_count") {
            // The page has the sum right before the count.
            let count = since(value);
            if count > 0.0 {
                let name = name(family.trim_end_matches("_seconds"), sample);
                lines.push(format!("{prefix}{name}:{}|ms", 1000.0 * sum / count));
                lines.push(format!("{prefix}{name}_count:{count}|c"));
            }
        } else {
            lines.push(format!("{prefix}{}:{value}|g", name(family, sample)));
        }
    }
    lines
}

/// A name with the values of its labels behind it, without what means something to statsd.
fn name(family: &str, sample: &str) -> String {
    let mut name = family.to_owned();
    let labels = sample.split_once('{').map_or("", |(_, labels)| labels);
    for value in labels.split('"').skip(1).step_by(2) {
        name.push('.');
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        name.extend(value.chars().map(plain));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_gauges_timers_and_counters() {
        let page = |count: u32, sum: &str| {
            format!(
                "# TYPE a histogram\na_seconds_bucket{{k=\"x y\",le=\"1\"}} 9\n\
                 a_seconds_sum{{k=\"x y\"}} {sum}\na_seconds_count{{k=\"x y\"}} {count}\n\
                 # TYPE g gauge\ng 7\n"
            )
        };
        let mut seen = HashMap::new();
        let first = lines(&page(4, "2"), "p.", &mut seen);
        assert_eq!(first, ["p.a.x_y:500|ms", "p.a.x_y_count:4|c", "p.g:7|g"]);
        // Only what came since.
        let second = lines(&page(5, "2.25"), "p.", &mut seen);
        assert_eq!(second, ["p.a.x_y:250|ms", "p.a.x_y_count:1|c", "p.g:7|g"]);
        assert_eq!(lines(&page(5, "2.25"), "p.", &mut seen), ["p.g:7|g"]);
    }

    #[tokio::test]
    async fn packets_are_of_a_size_that_arrives() {
        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let statsd = Statsd {
            host: "127.0.0.1".to_owned(),
            port: server.local_addr().unwrap().port(),
            prefix: String::new(),
        };
        let sent: Vec<_> = (0..200).map(|n| format!("corten_a.b{n}:1|c")).collect();
        statsd.send(&sent).await.unwrap();
        let mut received = Vec::new();
        let mut buffer = [0; 65536];
        while received.len() < sent.len() {
            let length = server.recv(&mut buffer).await.unwrap();
            assert!(length <= PACKET);
            let text = str::from_utf8(&buffer[..length]).unwrap();
            received.extend(text.split('\n').map(str::to_owned));
        }
        assert_eq!(received, sent);
    }
}
