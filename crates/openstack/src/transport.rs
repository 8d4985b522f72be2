//! HTTP to one cloud: connections, TLS, timeouts and retries, for logins and for calls.

use crate::{
    Deadline, Outage, Reason,
    retry::{AttemptEnd, Failures, RetryPolicy, chance},
    settings::TlsFiles,
};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, header};
use std::{error::Error, time::Duration};
use tokio::sync::OnceCell;
use types::error::chain;

/// How long to wait for a connection when no option says so.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for the next bytes of an answer when no option says so. Ironic waits for ever.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// What connections are made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TransportSettings {
    pub(crate) tls: TlsFiles,
    pub(crate) timeout: Option<Duration>,
    /// Any address of the cloud, to tell whether a proxy can reach it.
    pub(crate) address: Option<Url>,
}

/// A pool of connections. CA files are read at the first call: a service that is configured but
/// never used costs nothing.
#[derive(Debug)]
pub(crate) struct Transport {
    settings: TransportSettings,
    client: OnceCell<Client>,
}

impl Transport {
    pub(crate) fn new(settings: TransportSettings) -> Self {
        Self {
            settings,
            client: OnceCell::new(),
        }
    }

    pub(crate) fn settings(&self) -> &TransportSettings {
        &self.settings
    }

    pub(crate) async fn client(&self) -> Result<&Client, Reason> {
        self.client.get_or_try_init(|| build(&self.settings)).await
    }

    /// Sends what `request` makes until there is an answer that is not worth another attempt.
    pub(crate) async fn exchange(
        &self,
        request: impl Fn(&Client) -> RequestBuilder,
        is_idempotent: bool,
        policy: &RetryPolicy,
        deadline: Deadline,
    ) -> Result<Response, Reason> {
        let patience = deadline.remaining();
        let timeout = |was_sent| Reason::Timeout {
            after: patience,
            was_sent,
        };
        let client = deadline
            .limit(self.client())
            .await
            .ok_or(timeout(false))??;
        let mut failures = Failures::default();
        loop {
            let sent = deadline.limit(request(client).send()).await;
            let outcome = sent.ok_or(timeout(true))?;
            let end = match &outcome {
                Ok(response) => match busy(response) {
                    Some(end) => end,
                    None => return outcome.map_err(failure),
                },
                Err(error) if error.is_connect() => AttemptEnd::NotConnected,
                Err(_) => AttemptEnd::Broken,
            };
            let pause = policy.pause(&mut failures, end, is_idempotent, chance());
            match pause {
                Some(pause) if pause < deadline.remaining() => {
                    tracing::debug!(?end, ?pause, "an OpenStack service is asked again");
                    // Its connection is not kept open during the pause.
                    drop(outcome);
                    deadline.sleep(pause).await;
                }
                _ => return outcome.map_err(failure),
            }
        }
    }
}

fn busy(response: &Response) -> Option<AttemptEnd> {
    let status = response.status();
    let is_busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    is_busy.then(|| AttemptEnd::Busy {
        status: status.as_u16(),
        retry_after: response
            .headers()
            .get(header::RETRY_AFTER)
            // The form with a date is rare, and depends on two clocks.
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs),
    })
}

/// Why there is no answer. The URL is left out: errors name it without its query.
fn failure(error: reqwest::Error) -> Reason {
    let error = error.without_url();
    let text = deepest(&error);
    if let Some(cause) = tls::failure(&error) {
        let advice = tls::advice(&error, "");
        return Reason::Unavailable(Outage::Tls(format!("{cause}{advice}")));
    }
    Reason::Unavailable(if error.is_connect() {
        Outage::NotConnected(text)
    } else {
        Outage::Broken(text)
    })
}

/// The innermost cause says what happened; the layers above it only repeat that it did.
fn deepest(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

async fn build(settings: &TransportSettings) -> Result<Client, Reason> {
    let config = settings.tls.client().load().await;
    let config = config.map_err(|error| Reason::NotConfigured(error.to_string()))?;
    // Redirects are not followed: tokens must not travel to a host that neither the operator nor
    // Keystone named.
    let builder = match &settings.address {
        Some(address) => outbound::client_for(address.as_str()),
        None => outbound::client_by_proxy(),
    };
    let builder = builder
        .connect_timeout(settings.timeout.unwrap_or(CONNECT_TIMEOUT))
        .read_timeout(settings.timeout.unwrap_or(READ_TIMEOUT))
        .tls_backend_preconfigured(config);
    builder
        .build()
        .map_err(|error| Reason::NotConfigured(format!("cannot set up HTTP: {}", chain(&error))))
}
