//! The client for the service: whom it trusts, how it appears, how long it waits.

use crate::config::Config;
use anyhow::Context;
use reqwest::Client;
use rustls::{
    crypto::ring,
    version::{TLS12, TLS13},
};

/// A client as the configuration wants it.
pub(crate) fn client(config: &Config) -> anyhow::Result<Client> {
    let versions: &[_] = match config.adopted.tls_min_version.as_str() {
        "1.3" => &[&TLS13],
        _ => &[&TLS13, &TLS12],
    };
    let tls = tls::Client {
        trust: config.client_tls.trust(),
        certificate: config.client_tls.identity.clone(),
    };
    outbound::client()
        .user_agent(concat!("corten-agent/", env!("CARGO_PKG_VERSION")))
        .timeout(config.http_request_timeout)
        .connect_timeout(config.http_request_timeout)
        .tls_backend_preconfigured(tls.config_with(ring::default_provider(), versions)?)
        .build()
        .context("cannot set up the HTTP client")
}
