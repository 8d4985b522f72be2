//! Setting up TLS without keeping the runtime waiting.
//!
//! CA certificates are files, and a file can be on a disk or a server that does not answer. They
//! are read on separate threads, a few at a time and with a timeout; a hanging thread keeps its
//! permit, so that the number of hanging threads is bounded. Paths from users of the API have
//! permits of their own.

use crate::{Client, TlsError, Trust, files};
use rustls::{
    ClientConfig, DEFAULT_VERSIONS, SupportedProtocolVersion,
    crypto::{CryptoProvider, ring},
};
use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

/// Timeout for reading files.
const DEADLINE: Duration = Duration::from_secs(10);

static OPERATORS: Semaphore = Semaphore::const_new(16);
static OTHERS: Semaphore = Semaphore::const_new(4);

impl Client {
    /// As [`Client::config`], for callers on a runtime.
    pub async fn load(self) -> Result<ClientConfig, TlsError> {
        self.load_with(ring::default_provider(), DEFAULT_VERSIONS.to_vec())
            .await
    }

    /// As [`Client::config_with`], for callers on a runtime.
    pub async fn load_with(
        self,
        provider: CryptoProvider,
        versions: Vec<&'static SupportedProtocolVersion>,
    ) -> Result<ClientConfig, TlsError> {
        if self.certificate.is_none() && !self.trust.reads_files() {
            return self.config_with(provider, &versions);
        }
        let places = places(&self.trust);
        read(places, move || self.config_with(provider, &versions)).await?
    }
}

impl Trust {
    fn reads_files(&self) -> bool {
        match self {
            Self::Machine | Self::Path(_) | Self::AnyName(_) | Self::Named(_) => true,
            Self::Only(_) | Self::Anyone | Self::Nobody => false,
        }
    }

    /// When the CA certificates were last modified, if the file system tells.
    pub async fn written(&self) -> Result<Option<SystemTime>, TlsError> {
        let path = match self {
            Self::Path(path) | Self::AnyName(path) => path.clone(),
            Self::Named(path) if !files::is_blocked(path) => path.clone(),
            _ => return Ok(None),
        };
        read(places(self), move || modified(&path)).await
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|found| found.modified()).ok()
}

fn places(trust: &Trust) -> &'static Semaphore {
    match trust {
        Trust::Named(_) => &OTHERS,
        _ => &OPERATORS,
    }
}

async fn read<T: Send + 'static>(
    places: &'static Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TlsError> {
    let done = timeout(DEADLINE, async {
        // The semaphore is never closed.
        let place = places.acquire().await.ok();
        spawn_blocking(move || {
            let _place = place;
            work()
        })
        .await
    });
    match done.await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(TlsError::Setup(error.to_string())),
        Err(_) => {
            let seconds = DEADLINE.as_secs();
            Err(TlsError::Setup(format!(
                "timeout: CA certificates could not be read within {seconds} s"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn files_that_hang_are_given_up_and_keep_their_place() {
        static PLACES: Semaphore = Semaphore::const_new(1);
        let (release, hanging) = mpsc::channel::<()>();
        let first = tokio::spawn(read(&PLACES, move || hanging.recv().is_ok()));
        tokio::task::yield_now().await;
        // The next one does not even begin.
        let second = tokio::spawn(read(&PLACES, || true));
        tokio::task::yield_now().await;
        advance(DEADLINE * 2).await;
        for given_up in [first, second] {
            let error = given_up.await.unwrap().unwrap_err().to_string();
            assert!(error.contains("within 10 s"), "{error}");
        }
        release.send(()).unwrap();
        assert!(read(&PLACES, || true).await.unwrap());
    }
}
