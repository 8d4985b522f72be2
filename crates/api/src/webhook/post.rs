//! One delivery: an HTTP request, signed.

use super::WebhookSettings;
use outbound::Policy;
use reqwest::{StatusCode, Url, tls::Certificate};
use ring::hmac;
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;
use types::{
    Timestamp, WebhookId,
    error::chain,
    hex, metrics,
    webhook::{VerifyCa, Webhook},
};

/// What of an answer is read, so that the connection can be used again.
const ANSWER: usize = 16 * 1024;
/// How long a receiver may ask us to wait.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// Whoever posts for one webhook as it is now.
#[derive(Debug)]
pub(crate) struct Post {
    id: WebhookId,
    http: reqwest::Client,
    outbound: Policy,
    url: Url,
    key: hmac::Key,
}

/// What is delivered.
#[derive(Debug)]
pub(crate) struct Letter<'l> {
    /// What `Corten-Event` says.
    pub(crate) kind: &'l str,
    /// What tells repetitions by.
    pub(crate) delivery: String,
    /// How often it was tried, this time included.
    pub(crate) attempt: i64,
    pub(crate) body: Vec<u8>,
}

/// What became of a delivery.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Delivered(u16),
    /// The receiver does not exist any more (410).
    Gone,
    Failed {
        reason: String,
        status: Option<u16>,
        /// For how long the receiver wants to be left alone.
        pause: Option<Duration>,
    },
}

impl Outcome {
    fn failed(reason: impl Into<String>) -> Self {
        Self::Failed {
            reason: reason.into(),
            status: None,
            pause: None,
        }
    }
}

/// The address, if events can be posted there; otherwise why not.
pub(crate) fn address(text: &str) -> Result<Url, String> {
    // Parsing would leave them out, and what is shown would not be what is used.
    if text.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Err("it must not hold spaces or control characters".into());
    }
    let url = Url::parse(text).map_err(|error| format!("it is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it must begin with http:// or https://".into());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it must not hold a user name or a password: deliveries are signed".into());
    }
    Ok(url)
}

/// The authorities in a PEM text, if there are any.
pub(crate) fn authorities(pem: &str) -> Result<Vec<Certificate>, String> {
    match Certificate::from_pem_bundle(pem.as_bytes()) {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err("there is no certificate in it".into()),
        Err(error) => Err(chain(&error)),
    }
}

impl Post {
    pub(crate) async fn new(
        webhook: &Webhook,
        secret: &str,
        settings: &WebhookSettings,
    ) -> Result<Self, String> {
        let url = address(&webhook.url)?;
        let timeout = settings.timeout;
        // There is one in this process anyway; only the first to come installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = outbound::client_for(url.as_str())
            .pool_max_idle_per_host(1)
            .connect_timeout(timeout / 2)
            .timeout(timeout);
        builder = match &webhook.verify_ca {
            // Reading the machine's authorities takes long, and nobody asks for them here.
            _ if url.scheme() == "http" => builder.tls_certs_only([]),
            VerifyCa::System => builder,
            VerifyCa::Nothing => builder
                .tls_certs_only([])
                .tls_danger_accept_invalid_certs(true),
            VerifyCa::Authorities(pem) => builder.tls_certs_only(authorities(pem)?),
        };
        let outbound = settings.outbound.clone();
        builder = outbound.guard(builder, outbound.is_own_port(&url));
        // The authorities of the machine are files.
        let built = spawn_blocking(|| builder.build()).await;
        let built = built.map_err(|error| error.to_string())?;
        Ok(Self {
            id: webhook.id,
            http: built.map_err(|error| chain(&error))?,
            outbound,
            url,
            key: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()),
        })
    }

    /// The id of the delivery of an event.
    pub(crate) fn delivery(&self, cursor: i64) -> String {
        format!("{}-{cursor}", self.id)
    }

    /// Delivers once.
    pub(crate) async fn send(&self, letter: Letter<'_>) -> Outcome {
        let began = Instant::now();
        let outcome = self.exchange(letter).await;
        let name = match &outcome {
            Outcome::Delivered(_) => "delivered",
            Outcome::Gone => "gone",
            Outcome::Failed { .. } => "failed",
        };
        metrics::DELIVERIES.observe([name], began.elapsed());
        outcome
    }

    async fn exchange(&self, letter: Letter<'_>) -> Outcome {
        if let Err(refused) = self.outbound.check(&self.url) {
            return Outcome::failed(refused.to_string());
        }
        let at = Timestamp::now().0 / 1_000_000;
        let request = self
            .http
            .post(self.url.clone())
            .header("content-type", "application/json")
            .header("corten-event", letter.kind)
            .header("corten-webhook", self.id.to_string())
            .header("corten-delivery", letter.delivery)
            .header("corten-attempt", letter.attempt)
            .header("corten-signature", signature(&self.key, at, &letter.body))
            .body(letter.body);
        let mut response = match request.send().await {
            Ok(response) => response,
            // The address may hold what others should not read.
            Err(error) => return Outcome::failed(unreachable(&error.without_url())),
        };
        let status = response.status();
        if status == StatusCode::GONE {
            return Outcome::Gone;
        }
        let pause = response.headers().get("retry-after");
        let pause = pause.and_then(|value| value.to_str().ok()?.parse().ok());
        let pause = pause.map(|seconds| Duration::from_secs(seconds).min(LONGEST_PAUSE));
        let mut read = 0;
        while read < ANSWER
            && let Ok(Some(piece)) = response.chunk().await
        {
            read += piece.len();
        }
        if status.is_success() {
            return Outcome::Delivered(status.as_u16());
        }
        let reason = if status.is_redirection() {
            format!("the receiver answered {status}; redirects are not followed")
        } else {
            format!("the receiver answered {status}")
        };
        Outcome::Failed {
            reason,
            status: Some(status.as_u16()),
            pause,
        }
    }
}

/// Why a receiver cannot be reached, and what to do where its certificate is the reason.
fn unreachable(error: &reqwest::Error) -> String {
    const CERTIFICATE: &str = "; set verify_ca of the webhook to the certificate that signed the \
        receiver's, as PEM (`corten webhook set WEBHOOK --ca-file FILE`), or to false \
        (`--no-verify`) to accept any certificate";
    let advice = tls::advice(error, CERTIFICATE);
    format!("{}{advice}", chain(error))
}

/// What proves to a receiver who sent a body, and when.
fn signature(key: &hmac::Key, at: i64, body: &[u8]) -> String {
    let mut context = hmac::Context::with_key(key);
    context.update(format!("{at}.").as_bytes());
    context.update(body);
    format!("t={at},v1={}", hex::encode(context.sign().as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_everybody_else() {
        // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac hush-hush-hush-hush
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"hush-hush-hush-hush");
        assert_eq!(
            signature(&key, 1_700_000_000, br#"{"a":1}"#),
            "t=1700000000,v1=c464f361fc98bf97f1bb38eb769f574bb14a2cc303bbf33b5aa6bcfd17f23afb"
        );
    }

    #[test]
    fn only_what_can_be_posted_to_is_an_address() {
        for fine in ["http://h/x?y=z", "https://[::1]:8443/hook"] {
            assert!(address(fine).is_ok(), "{fine}");
        }
        for bad in [
            "",
            "h/x",
            "ftp://h/",
            "file:///etc/passwd",
            "unix:/run/x",
            "http://u@h/",
            "http://u:p@h/",
            "http://h/x\r\nHost: other",
            "http://h/a b",
            " http://h/",
        ] {
            assert!(address(bad).is_err(), "{bad}");
        }
        assert!(authorities("").is_err());
        assert!(authorities("/etc/ssl/certs/ca.pem").is_err());
    }
}
