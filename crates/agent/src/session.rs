//! What an agent that is started again must know of the one before it.
//!
//! The service gives a node's token away once, and holds on to the address and the certificate that
//! came with it. An agent that died and that the ramdisk started again would be a stranger: all it
//! could do is to lock the machine down, and the service would wait until its patience ends. So who
//! the agent is to the service is kept in the ramdisk's memory, in a file that only root can read,
//! together with the last command: one that was under way has failed, and the service is told.
//!
//! Nothing is kept outside a ramdisk of ours, nor after the machine was handed over.

use crate::{config::Token, safety::Permit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    fmt, fs, io,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Where it is, under the root.
const PLACE: &str = "run/corten-agent/session";

/// Everything that is kept. What is empty is not known.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct SessionState {
    node: String,
    token: String,
    address: String,
    certificate: String,
    key: String,
    command: Option<Kept>,
}

/// The last command, and what came of it: neither a result nor an error while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) result: Option<Value>,
    pub(crate) error: Option<String>,
}

pub(crate) struct Session {
    /// Nowhere, if nothing is to be kept.
    path: Option<PathBuf>,
    known: Mutex<SessionState>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({:?})", self.path)
    }
}

impl Session {
    /// Reads what an agent before this one left. `root` is `/` but in tests.
    pub(crate) fn open(root: &Path, permit: Option<&Permit>) -> Self {
        let path = permit
            .filter(|permit| permit.is_of_ramdisk())
            .map(|_| root.join(PLACE));
        let text = path.as_ref().and_then(|path| fs::read(path).ok());
        let known = text.and_then(|text| serde_json::from_slice(&text).ok());
        Self {
            path,
            known: Mutex::new(known.unwrap_or_default()),
        }
    }

    fn known(&self) -> MutexGuard<'_, SessionState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The token that this node's agent had.
    pub(crate) fn token_of(&self, node: &str) -> Option<Token> {
        let known = self.known();
        let is_known = known.node == node && !known.token.is_empty();
        is_known.then(|| Token::new(known.token.as_str()))
    }

    pub(crate) fn keep_token(&self, node: &str, token: &Token) {
        self.keep(|known| {
            node.clone_into(&mut known.node);
            token.reveal().clone_into(&mut known.token);
        });
    }

    /// The certificate and the key, in PEM, that were shown at this address.
    pub(crate) fn identity(&self, address: &str) -> Option<(String, String)> {
        let known = self.known();
        let is_known = known.address == address && !known.certificate.is_empty();
        is_known.then(|| (known.certificate.clone(), known.key.clone()))
    }

    pub(crate) fn keep_identity(&self, address: &str, certificate: &str, key: &str) {
        self.keep(|known| {
            address.clone_into(&mut known.address);
            certificate.clone_into(&mut known.certificate);
            key.clone_into(&mut known.key);
        });
    }

    pub(crate) fn command(&self) -> Option<Kept> {
        self.known().command.clone()
    }

    pub(crate) fn keep_command(&self, command: Kept) {
        self.keep(|known| known.command = Some(command));
    }

    /// Deletes the session: a restarted agent must not continue it.
    pub(crate) fn forget(&self) {
        *self.known() = SessionState::default();
        let Some(path) = &self.path else { return };
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!("cannot delete the saved agent token: {error}");
            }
            _ => {}
        }
    }

    fn keep(&self, change: impl FnOnce(&mut SessionState)) {
        let mut known = self.known();
        change(&mut known);
        let Some(path) = &self.path else { return };
        if let Err(error) = write(path, &known) {
            tracing::warn!(
                "cannot save the agent's session, so a restarted agent cannot resume it: {error}"
            );
        }
    }
}

/// Atomically: a crash in the middle leaves the old file.
fn write(path: &Path, known: &SessionState) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("new");
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)?;
    file.write_all(&serde_json::to_vec(known)?)?;
    fs::rename(beside, path)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// The marks of a ramdisk, in a folder that stands for it.
    pub(crate) fn ramdisk(root: &Path) -> Permit {
        for (path, text) in [
            (crate::safety::MARK, ""),
            ("proc/mounts", "none / rootfs rw 0 0\n"),
            ("proc/cmdline", "quiet ipa-debug=0\n"),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Permit::from_marks(root).unwrap()
    }

    #[test]
    fn what_is_kept_is_kept_from_others_and_in_ramdisks_only() {
        let root = tempfile::tempdir().unwrap();
        let desk = Permit::from_operator();
        let token = Token::new("secret");
        for permit in [None, Some(&desk)] {
            let session = Session::open(root.path(), permit);
            session.keep_token("n", &token);
            assert!(session.token_of("n").unwrap().is("secret"));
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
        let permit = ramdisk(root.path());
        let session = Session::open(root.path(), Some(&permit));
        assert!(session.token_of("n").is_none() && session.token_of("").is_none());
        session.keep_token("n", &token);
        session.keep_identity("10.0.0.1", "c", "k");
        assert!(!format!("{session:?}").contains("secret"));
        let again = Session::open(root.path(), Some(&permit));
        assert!(again.token_of("n").unwrap().is("secret"));
        assert!(again.token_of("other").is_none());
        assert!(again.identity("10.0.0.1").is_some() && again.identity("10.0.0.2").is_none());
        let path = root.path().join(PLACE);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        again.forget();
        assert!(!path.exists() && again.token_of("n").is_none());
        again.forget();
    }
}
