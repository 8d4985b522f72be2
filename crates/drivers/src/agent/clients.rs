//! The HTTP clients that agents are talked to with.
//!
//! A client holds a configuration of TLS, which takes milliseconds and maybe all authorities of the
//! machine to make, so it is kept for the next command. Agents that are trusted for the same reason
//! share one: all that speak plain HTTP, and all that one authority vouches for. An agent with a
//! certificate of its own has a client of its own, and gets another one when it starts again, since
//! it makes a certificate each time.

use super::client::{AgentError, ClientSettings};
use reqwest::{Client, Url};
use rustls::pki_types::{CertificateDer, pem::PemObject};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use tls::{TlsError, Trust};

/// How many clients are kept. With more agents at work than this, some are made anew.
const MOST: usize = 512;

/// After this time authorities are read again, which may have been renewed.
const FRESH: Duration = Duration::from_secs(60);

/// For how long a connection waits for the next command. No machine restarts in this time, so a
/// command is never sent to a connection whose other end is gone without a word.
const IDLE: Duration = Duration::from_secs(5);

/// What clients differ by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    trust: Trust,
    /// What [`outbound::Policy::is_own_port`] says.
    own_port: bool,
}

#[derive(Debug)]
struct Kept {
    http: Client,
    made: Instant,
    used: Instant,
}

#[derive(Debug, Default)]
pub(super) struct Clients(Mutex<HashMap<Key, Kept>>);

impl Clients {
    /// The client for an agent at this address that showed this certificate.
    pub(super) async fn get(
        &self,
        settings: &ClientSettings,
        base: &Url,
        certificate: Option<&str>,
        verify: Option<Trust>,
    ) -> Result<Client, AgentError> {
        let key = Key {
            trust: trust(settings, base, certificate, verify)?,
            own_port: settings.outbound.is_own_port(base),
        };
        if let Some(http) = self.kept(&key, Instant::now()) {
            return Ok(http);
        }
        let http = build(settings, &key).await?;
        self.keep(key, http.clone(), Instant::now());
        Ok(http)
    }

    fn kept(&self, key: &Key, now: Instant) -> Option<Client> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all.get_mut(key)?;
        let reads_no_files = matches!(key.trust, Trust::Only(_) | Trust::Anyone | Trust::Nobody);
        if !reads_no_files && now.duration_since(kept.made) >= FRESH {
            return None;
        }
        kept.used = now;
        Some(kept.http.clone())
    }

    fn keep(&self, key: Key, http: Client, now: Instant) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST && !all.contains_key(&key) {
            let oldest = all.iter().min_by_key(|(_, kept)| kept.used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                all.remove(&oldest);
            }
        }
        let kept = Kept {
            http,
            made: now,
            used: now,
        };
        all.insert(key, kept);
    }
}

/// An agent makes a certificate for itself when it starts and sends it with its reports, which its
/// token vouches for. The certificate is pinned: a server that presents exactly this one is the
/// agent. Its validity dates and its name are not checked, because the clock of a freshly started
/// machine is often wrong.
fn trust(
    settings: &ClientSettings,
    base: &Url,
    certificate: Option<&str>,
    verify: Option<Trust>,
) -> Result<Trust, AgentError> {
    if base.scheme() == "http" {
        return Ok(Trust::Nobody);
    }
    match certificate.map(|pem| CertificateDer::from_pem_slice(pem.as_bytes())) {
        Some(Ok(certificate)) => Ok(Trust::Only(certificate)),
        Some(Err(_)) => Err(AgentError::Connection(
            "the certificate that the agent sent is none".into(),
        )),
        None => Ok(verify.unwrap_or_else(|| settings.verify.clone())),
    }
}

async fn build(settings: &ClientSettings, key: &Key) -> Result<Client, AgentError> {
    let loaded = tls::Client::from(key.trust.clone())
        .load_speaking(&settings.spoken)
        .await;
    let tls = loaded.map_err(|error| {
        if let TlsError::Unusable { path, reason } = &error {
            tracing::warn!(path, reason, "authorities that a node names cannot be read");
        }
        AgentError::Connection(error.to_string())
    })?;
    let http = outbound::client()
        .timeout(settings.timeout)
        .pool_idle_timeout(IDLE)
        .tls_backend_preconfigured(tls);
    let http = settings.outbound.guard(http, key.own_port).build();
    http.map_err(|error| AgentError::Connection(types::error::chain(&error.without_url())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn key(number: usize) -> Key {
        Key {
            trust: Trust::Path(PathBuf::from(number.to_string())),
            own_port: false,
        }
    }

    async fn made(trust: Trust) -> Client {
        let key = Key {
            trust,
            own_port: false,
        };
        build(&ClientSettings::default(), &key).await.unwrap()
    }

    fn count(clients: &Clients) -> usize {
        clients.0.lock().unwrap().len()
    }

    #[tokio::test]
    async fn agents_that_are_trusted_alike_share_a_client() {
        let clients = Clients::default();
        let settings = ClientSettings {
            // A file that is not there: reading it would fail.
            verify: Trust::Path("/nowhere/authorities.pem".into()),
            ..ClientSettings::default()
        };
        let ask = async |url: &str, certificate: Option<&str>| {
            let url = Url::parse(url).unwrap();
            clients.get(&settings, &url, certificate, None).await
        };
        for url in ["http://192.0.2.1:9999/", "http://192.0.2.2:9999/"] {
            ask(url, None).await.unwrap();
        }
        assert_eq!(count(&clients), 1);
        let own = |text: &str| {
            format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
        };
        let (one, two) = (own("b25l"), own("dHdv"));
        for certificate in [&one, &two, &one] {
            let url = "https://192.0.2.1:9999/";
            ask(url, Some(certificate)).await.unwrap();
        }
        assert_eq!(count(&clients), 3);
        let refused = ask("https://192.0.2.1/", None).await.unwrap_err();
        assert!(refused.to_string().contains("authorities.pem"), "{refused}");
        assert!(ask("https://192.0.2.1/", Some("none")).await.is_err());
        assert_eq!(count(&clients), 3);
    }

    #[tokio::test]
    async fn no_more_are_kept_than_there_is_room_for_and_files_are_read_again() {
        let clients = Clients::default();
        let (http, now) = (made(Trust::Anyone).await, Instant::now());
        let at = |number: usize| now + Duration::from_millis(number as u64);
        for number in 0..=MOST {
            clients.keep(key(number), http.clone(), at(number));
        }
        assert_eq!(count(&clients), MOST);
        assert!(clients.kept(&key(0), at(MOST)).is_none());
        assert!(clients.kept(&key(1), at(MOST)).is_some());
        // The one that was used last is the last to go.
        clients.keep(key(0), http.clone(), at(MOST));
        assert!(clients.kept(&key(1), at(MOST)).is_some());
        assert!(clients.kept(&key(2), at(MOST)).is_none());
        assert!(clients.kept(&key(1), now + FRESH * 2).is_none());
    }
}
