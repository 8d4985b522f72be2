//! Posts spans to a collector, a batch at a time.

use super::{
    document::document,
    layer::{Finished, Spans},
};
use reqwest::{Client, StatusCode, Url};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Length of the queue of finished spans.
const WAITING: usize = 8192;
/// Spans per request.
const BATCH: usize = 512;
/// How long a span waits for others, to be sent in one batch.
const LINGER: Duration = Duration::from_secs(1);
/// Request timeout.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where traces go.
#[derive(Debug, Clone)]
pub struct TraceSettings {
    /// The address that takes `POST` of OTLP in JSON.
    pub endpoint: Url,
    /// TLS settings for an https collector.
    pub tls: tls::Client,
    /// Name of this host.
    pub host: String,
    /// Sampling: percentage of the traces started here that are recorded.
    pub percent: u32,
}

/// Why the exporter cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error(transparent)]
    Tls(#[from] tls::TlsError),
    #[error("cannot set up the HTTP client for the trace collector")]
    Client(#[source] reqwest::Error),
}

/// The sending half: to be run once there is a runtime.
#[derive(Debug)]
pub struct Exporter {
    client: Client,
    settings: TraceSettings,
    finished: mpsc::Receiver<Finished>,
    dropped: Arc<AtomicU64>,
}

impl Exporter {
    /// The layer that collects spans, and what sends them.
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub fn new(settings: TraceSettings) -> Result<(Spans, Self), TraceError> {
        let client = outbound::client()
            .timeout(PATIENCE)
            .tls_backend_preconfigured(settings.tls.config()?)
            .build()
            .map_err(TraceError::Client)?;
        let (sender, finished) = mpsc::channel(WAITING);
        let dropped = Arc::new(AtomicU64::new(0));
        let spans = Spans::new(sender, Arc::clone(&dropped), settings.percent);
        let exporter = Self {
            client,
            settings,
            finished,
            dropped,
        };
        Ok((spans, exporter))
    }

    /// Sends until it is told to stop, and then what is left.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut failing = false;
        let mut batch = Vec::new();
        loop {
            let taking = self.finished.recv_many(&mut batch, BATCH);
            let stopped = match stop.run_until_cancelled(taking).await {
                Some(0) => return,
                Some(_) => stop
                    .run_until_cancelled(tokio::time::sleep(LINGER))
                    .await
                    .is_none(),
                None => true,
            };
            while batch.len() < BATCH
                && let Ok(more) = self.finished.try_recv()
            {
                batch.push(more);
            }
            if !batch.is_empty() {
                self.post(&batch, &mut failing).await;
                batch.clear();
            } else if stopped {
                return;
            }
        }
    }

    async fn post(&self, batch: &[Finished], failing: &mut bool) {
        let body = document(&self.settings.host, batch).to_string();
        let request = self
            .client
            .post(self.settings.endpoint.clone())
            .header("content-type", "application/json")
            .body(body);
        let trouble = match request.send().await.map(|answer| answer.status()) {
            Ok(status) if status.is_success() => None,
            Ok(status) => Some(refused(status)),
            // Without the address, which may hold a token.
            Err(error) => Some(types::error::chain(&error.without_url())),
        };
        match trouble {
            None if *failing => {
                let dropped = self.dropped.load(Ordering::Relaxed);
                tracing::info!(dropped, "sending traces to the collector works again");
                *failing = false;
            }
            None => {}
            Some(trouble) => {
                let lost = batch.len() as u64;
                let dropped = self.dropped.fetch_add(lost, Ordering::Relaxed) + lost;
                if *failing {
                    tracing::debug!(
                        dropped,
                        trouble,
                        "sending traces to the collector failed: traces dropped"
                    );
                } else {
                    tracing::warn!(
                        dropped,
                        trouble,
                        "sending traces to the collector failed: traces dropped"
                    );
                    *failing = true;
                }
            }
        }
    }
}

fn refused(status: StatusCode) -> String {
    format!("the collector answered {status}")
}
