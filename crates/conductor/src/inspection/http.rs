//! HTTP for rules that call an address.
//!
//! The answer's body is nobody's business and is not read. Each try has its own deadline; what is
//! likely to pass (no connection, 429 and the like) is tried again with growing pauses.

use super::{
    rule::fetch::{Call, Fetch},
    settings::InspectionSettings,
};
use async_trait::async_trait;
use reqwest::{Client, Proxy, StatusCode};
use std::time::Duration;
use tls::Trust;

/// The longest pause between two tries.
const LONGEST_PAUSE_S: f64 = 120.0;
/// Answers that may be another one next time.
const PASSING: &[u16] = &[429, 500, 502, 503, 504];

/// Makes calls with the certificates that the operator trusts.
#[derive(Debug, Clone)]
pub(super) struct Http {
    trust: Trust,
}

impl Http {
    pub(super) fn new(settings: &InspectionSettings) -> Self {
        Self {
            trust: settings.trust.clone(),
        }
    }

    async fn client(&self, call: &Call) -> Result<Client, String> {
        let trust = if call.url.starts_with("https://") {
            self.trust.clone()
        } else {
            Trust::Nobody
        };
        let tls = tls::Client::from(trust).load().await;
        let mut builder = Client::builder()
            .user_agent(concat!("corten/", env!("CARGO_PKG_VERSION")))
            .timeout(call.timeout)
            .tls_backend_preconfigured(tls.map_err(|error| error.to_string())?)
            .no_proxy();
        for (scheme, address) in &call.proxies {
            let proxy = match scheme.as_str() {
                "http" => Proxy::http(address),
                "https" => Proxy::https(address),
                "all" => Proxy::all(address),
                other => return Err(format!("there is no proxy for '{other}'")),
            };
            builder = builder.proxy(proxy.map_err(|error| said(&error))?);
        }
        builder.build().map_err(|error| said(&error))
    }
}

#[async_trait]
impl Fetch for Http {
    async fn get(&self, call: &Call) -> Result<(), String> {
        let client = self.client(call).await?;
        let mut tries = 0;
        loop {
            let mut request = client.get(&call.url);
            for (name, value) in &call.headers {
                request = request.header(name, value);
            }
            let (outcome, passing) = match request.send().await {
                Ok(answer) => {
                    let status = answer.status();
                    (judge(status, &call.url), PASSING.contains(&status.as_u16()))
                }
                Err(error) => (Err(said(&error)), !error.is_builder()),
            };
            if outcome.is_ok() || !passing || tries >= call.retries {
                return outcome;
            }
            tries += 1;
            tokio::time::sleep(pause(call, tries)).await;
        }
    }
}

fn judge(status: StatusCode, url: &str) -> Result<(), String> {
    let whose = match status.as_u16() {
        400..=499 => "Client",
        500..=599 => "Server",
        _ => return Ok(()),
    };
    let reason = status.canonical_reason().unwrap_or_default();
    Err(format!(
        "{} {whose} Error: {reason} for url: {url}",
        status.as_u16()
    ))
}

/// What went wrong, without the address, which the caller names.
fn said(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&error.to_string());
        cause = error.source();
    }
    if error.is_timeout() {
        return "no answer in time".into();
    }
    if text.is_empty() {
        text = "the request cannot be made".into();
    }
    text
}

/// The first is tried again at once, then the pauses double.
fn pause(call: &Call, tries: u32) -> Duration {
    if tries <= 1 {
        return Duration::ZERO;
    }
    let factor = 2_f64.powi(i32::try_from(tries - 1).unwrap_or(i32::MAX));
    let seconds = (call.backoff_s * factor).min(LONGEST_PAUSE_S);
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests;
