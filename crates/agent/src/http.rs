//! The client for the service: whom it trusts, how it appears, how long it waits.

use crate::config::Config;
use anyhow::{Context, anyhow};
use reqwest::{Certificate, Client, Identity, redirect, tls::Version};
use std::{fs, path::Path};

/// A client as the configuration wants it.
pub(crate) fn client(config: &Config) -> anyhow::Result<Client> {
    // There is one in this process anyway; only the first to come installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let tls = &config.client_tls;
    let oldest = match config.adopted.tls_min_version.as_str() {
        "1.3" => Version::TLS_1_3,
        _ => Version::TLS_1_2,
    };
    let mut builder = Client::builder()
        .user_agent(concat!("corten-agent/", env!("CARGO_PKG_VERSION")))
        .timeout(config.http_request_timeout)
        .connect_timeout(config.http_request_timeout)
        .redirect(redirect::Policy::none())
        .tls_version_min(oldest)
        .no_proxy();
    let trusted = match &tls.cafile {
        Some(path) => Certificate::from_pem_bundle(&read(path)?)
            .with_context(|| format!("{} holds no certificates", path.display()))?,
        None => image::source::system_authorities(),
    };
    builder = builder.tls_certs_only(trusted);
    if tls.insecure {
        builder = builder.tls_danger_accept_invalid_certs(true);
    }
    if let Some((certificate, key)) = &tls.identity {
        let pem = [read(certificate)?, vec![b'\n'], read(key)?].concat();
        let identity = Identity::from_pem(&pem)
            .map_err(|_| anyhow!("{} is no certificate with a key", certificate.display()))?;
        builder = builder.identity(identity);
    }
    builder.build().context("no client can be made")
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}
