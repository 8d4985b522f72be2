//! HTTP for rules that call an address.
//!
//! The answer's body is nobody's business and is not read. Each try has its own deadline; what is
//! likely to pass (no connection, 429 and the like) is tried again with growing pauses.

use super::{
    rule::fetch::{Call, Fetch},
    settings::InspectionSettings,
};
use async_trait::async_trait;
use outbound::Policy;
use reqwest::{Client, Proxy, StatusCode, Url};
use std::time::Duration;
use tls::Trust;

/// The longest pause between two tries.
const LONGEST_PAUSE_S: f64 = 120.0;
/// How many redirects are followed.
const REDIRECTS: usize = 10;
/// Answers that may be another one next time.
const PASSING: &[u16] = &[429, 500, 502, 503, 504];

/// Makes calls with the certificates that the operator trusts, to where connections may lead.
#[derive(Debug, Clone)]
pub(super) struct Http {
    trust: Trust,
    outbound: Policy,
}

impl Http {
    pub(super) fn new(settings: &InspectionSettings) -> Self {
        Self {
            trust: settings.trust.clone(),
            outbound: settings.outbound.clone(),
        }
    }

    async fn client(&self, call: &Call) -> Result<Client, String> {
        let trust = if call.url.starts_with("https://") {
            self.trust.clone()
        } else {
            Trust::Nobody
        };
        let tls = tls::Client::from(trust).load().await;
        let url = self.judged(&call.url)?;
        let mut builder = outbound::client()
            .timeout(call.timeout)
            .redirect(self.outbound.redirects(REDIRECTS))
            .tls_backend_preconfigured(tls.map_err(|error| error.to_string())?);
        let mut own_port = self.outbound.is_own_port(&url);
        for (scheme, address) in &call.proxies {
            own_port |= self.outbound.is_own_port(&self.judged(address)?);
            let proxy = match scheme.as_str() {
                "http" => Proxy::http(address),
                "https" => Proxy::https(address),
                "all" => Proxy::all(address),
                other => return Err(format!("there is no proxy for '{other}'")),
            };
            builder = builder.proxy(proxy.map_err(|error| said(&error))?);
        }
        let builder = self.outbound.guard(builder, own_port);
        builder.build().map_err(|error| said(&error))
    }

    /// An address that may be connected to, as far as that can be told before its name is resolved.
    fn judged(&self, address: &str) -> Result<Url, String> {
        let url = Url::parse(address).map_err(|error| error.to_string())?;
        let judged = self.outbound.check(&url);
        judged.map_err(|refused| refused.to_string())?;
        Ok(url)
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
                Err(error) => {
                    let is_final = error.is_builder() || outbound::refusal(&error).is_some();
                    (Err(said(&error)), !is_final)
                }
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
    const CERTIFICATE: &str = "; set [DEFAULT]webserver_verify_ca to a file on the conductor with \
        the certificate that signed the server's, or to False to accept any certificate";
    text.push_str(tls::advice(error, CERTIFICATE));
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
