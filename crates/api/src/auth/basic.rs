//! User names and passwords from a file in the format of `htpasswd -B`.
//!
//! The file may change at any time and counts from the next request on, so every request looks at
//! its size and time stamp. Hashing a password takes tens of milliseconds on purpose; whoever has
//! been verified once is therefore remembered by a keyed hash until the file's entry changes.
//! Digests other than bcrypt are not supported.

use super::{
    AuthRefusal,
    passwords::{Passwords, USUAL_COST, cost_of, unmatched},
};
use axum::http::HeaderValue;
use base64::Engine;
use ring::digest;
use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};
use tokio::task::spawn_blocking;

/// A file of users that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AuthFileError {
    #[error("the file of users {path} cannot be read")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the file of users {path} cannot be written")]
    Unwritable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(
        "only bcrypt passwords are supported, but that of {user} in {path} is none; `corten user \
         add {user}` gives a new one"
    )]
    NotBcrypt { path: PathBuf, user: String },
}

/// The users of one file.
#[derive(Debug)]
pub struct HttpBasic {
    path: PathBuf,
    known: Mutex<Known>,
    passwords: Passwords,
}

#[derive(Debug, Default)]
struct Known {
    stamp: Option<Stamp>,
    /// User name to bcrypt hash.
    entries: HashMap<String, String>,
    /// User name to keyed hash of the last password that was right.
    verified: HashMap<String, u128>,
}

/// What changes when the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
}

impl HttpBasic {
    /// Reads the file once, so that a broken one is found at the start and not by a user.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, AuthFileError> {
        let path = path.into();
        let entries = read(&path).map_err(|source| AuthFileError::Unreadable {
            path: path.clone(),
            source,
        })?;
        if let Some((user, _)) = entries.iter().find(|(_, hash)| !is_bcrypt(hash)) {
            let user = user.clone();
            return Err(AuthFileError::NotBcrypt { path, user });
        }
        Ok(Self {
            path,
            known: Mutex::default(),
            passwords: Passwords::new(),
        })
    }

    /// The name of the user whose credentials the header carries that came from an address.
    pub(super) async fn verify(
        &self,
        authorization: Option<&HeaderValue>,
        address: &str,
    ) -> Result<String, AuthRefusal> {
        let (user, password) = credentials(authorization)?;
        self.verify_password(user, password, address).await
    }

    /// The same for a name and a password.
    async fn verify_password(
        &self,
        user: String,
        password: Vec<u8>,
        address: &str,
    ) -> Result<String, AuthRefusal> {
        let hash = match self.entry(&user).await? {
            PasswordRecord::Hash(hash) => hash,
            PasswordRecord::Unknown { cost } => {
                // Takes as long as a wrong password: timing must not tell which users exist.
                let hash = unmatched(cost);
                self.passwords.matches(address, password, hash).await?;
                tracing::info!(user, "unknown user");
                return Err(AuthRefusal::Wrong);
            }
        };
        let digest = self.passwords.digest(&user, &hash, &password);
        if self.known().verified.get(&user) == Some(&digest) {
            return Ok(user);
        }
        if !self.passwords.matches(address, password, hash).await? {
            tracing::info!(user, "wrong password");
            return Err(AuthRefusal::Wrong);
        }
        self.known().verified.insert(user.clone(), digest);
        Ok(user)
    }

    /// The stamp of a user's entry, if the password is right.
    pub(crate) async fn log_in(
        &self,
        user: &str,
        password: &str,
        address: &str,
    ) -> Result<String, AuthRefusal> {
        let (user, password) = (user.to_owned(), password.as_bytes().to_vec());
        let user = self.verify_password(user, password, address).await?;
        match self.entry(&user).await? {
            PasswordRecord::Hash(hash) => Ok(stamp(&user, &hash)),
            PasswordRecord::Unknown { .. } => Err(AuthRefusal::Wrong),
        }
    }

    /// Whether the entry of a user is the one that the stamp was made of.
    pub(crate) async fn is_current(&self, user: &str, known: &str) -> Result<bool, AuthRefusal> {
        Ok(match self.entry(user).await? {
            PasswordRecord::Hash(hash) => stamp(user, &hash) == known,
            PasswordRecord::Unknown { .. } => false,
        })
    }

    /// The present bcrypt hash of a user.
    async fn entry(&self, user: &str) -> Result<PasswordRecord, AuthRefusal> {
        let (path, stamp) = (self.path.clone(), self.known().stamp);
        // Neither on this thread nor while others wait for the lock.
        let looked = spawn_blocking(move || changed(&path, stamp)).await;
        let looked = looked.unwrap_or_else(|error| Err(io::Error::other(error)));
        let looked = looked.map_err(|error| {
            tracing::error!(path = %self.path.display(), %error, "the file of users cannot be read");
            AuthRefusal::Broken("Problem reading auth user file".into())
        })?;
        let mut known = self.known();
        if let Some((stamp, entries)) = looked {
            known.entries = entries;
            known.verified.clear();
            known.stamp = Some(stamp);
        }
        let Some(hash) = known.entries.get(user) else {
            let costs = known.entries.values().filter_map(|hash| cost_of(hash));
            return Ok(PasswordRecord::Unknown {
                cost: costs.max().unwrap_or(USUAL_COST),
            });
        };
        if !is_bcrypt(hash) {
            let text = format!("Only bcrypt digested passwords are supported for {user}");
            return Err(AuthRefusal::Broken(text));
        }
        Ok(PasswordRecord::Hash(hash.clone()))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing is left half-written when a holder panics: every change is one insertion.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is in the file, if it is not what it was. Blocks.
#[expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]
fn changed(
    path: &Path,
    before: Option<Stamp>,
) -> io::Result<Option<(Stamp, HashMap<String, String>)>> {
    let metadata = fs::metadata(path)?;
    let stamp = Stamp {
        modified: metadata.modified()?,
        length: metadata.len(),
    };
    match before == Some(stamp) {
        true => Ok(None),
        false => Ok(Some((stamp, read(path)?))),
    }
}

/// The entries of the file. The first line of a user counts.
#[expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]
fn read(path: &Path) -> io::Result<HashMap<String, String>> {
    let mut entries = HashMap::new();
    for line in fs::read_to_string(path)?.lines() {
        if let Some((user, hash)) = line.trim().split_once(':') {
            entries
                .entry(user.to_owned())
                .or_insert_with(|| hash.to_owned());
        }
    }
    Ok(entries)
}

/// What the file says about a user.
enum PasswordRecord {
    /// A bcrypt hash.
    Hash(String),
    /// Nothing; with what it costs to verify the password of those that it has.
    Unknown { cost: u32 },
}

/// Says which entry it was, and nothing about the password.
pub(super) fn stamp(user: &str, hash: &str) -> String {
    let entry = format!("{user}:{hash}");
    types::hex::encode(digest::digest(&digest::SHA256, entry.as_bytes()).as_ref())
}

fn is_bcrypt(hash: &str) -> bool {
    ["$2y$", "$2a$", "$2b$"]
        .iter()
        .any(|prefix| hash.starts_with(prefix))
}

/// User name and password out of the header.
pub(super) fn credentials(
    authorization: Option<&HeaderValue>,
) -> Result<(String, Vec<u8>), AuthRefusal> {
    let value = authorization.ok_or(AuthRefusal::Missing)?;
    let text = value.to_str().map_err(|_| AuthRefusal::Header)?.trim();
    let (scheme, token) = text
        .split_once(char::is_whitespace)
        .ok_or(AuthRefusal::Header)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(AuthRefusal::Scheme(scheme.to_owned()));
    }
    let pair = base64::engine::general_purpose::STANDARD
        .decode(token.trim_start())
        .map_err(|_| AuthRefusal::Token)?;
    let colon = pair
        .iter()
        .position(|&b| b == b':')
        .ok_or(AuthRefusal::Token)?;
    let user = String::from_utf8(pair[..colon].to_vec()).map_err(|_| AuthRefusal::Token)?;
    Ok((user, pair[colon + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        auth::{
            Auth,
            passwords::{LONGEST_QUEUE, MOST_OF_ONE},
        },
        testing::{authenticate, parts},
    };
    use std::{
        sync::Arc,
        task::{Context, Waker},
        time::Duration,
    };

    /// A file of its own for one test, removed at the end.
    struct Users(PathBuf);

    impl Users {
        fn new(text: &str) -> Self {
            let path = std::env::temp_dir().join(format!("users-{}", uuid::Uuid::new_v4()));
            fs::write(&path, text).unwrap();
            Self(path)
        }
        /// Writes the file anew with a time stamp that certainly differs.
        fn rewrite(&self, text: &str, age: u64) {
            fs::write(&self.0, text).unwrap();
            let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + age);
            let file = fs::File::options().append(true).open(&self.0).unwrap();
            file.set_modified(then).unwrap();
        }
    }

    impl Drop for Users {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn entry(user: &str, password: &str) -> String {
        format!("{user}:{}\n", bcrypt::hash(password, 4).unwrap())
    }

    async fn ask(auth: &Auth, value: Option<&str>) -> Result<Option<String>, AuthRefusal> {
        let header = value.map(|value| ("authorization", value));
        let request = parts("/v1/nodes", header.as_slice());
        let identity = authenticate(auth, &request).await?;
        Ok(identity.user)
    }

    fn basic(user: &str, password: &str) -> String {
        let pair = format!("{user}:{password}");
        let token = base64::engine::general_purpose::STANDARD.encode(pair);
        format!("Basic {token}")
    }

    #[tokio::test]
    async fn the_right_password_passes_and_others_do_not() {
        let users = Users::new(&entry("admin", "s3cret:with colon"));
        let auth = Auth::HttpBasic(Arc::new(HttpBasic::open(&users.0).unwrap()));
        let right = basic("admin", "s3cret:with colon");
        // The second time the answer comes from memory.
        for _ in 0..2 {
            assert_eq!(ask(&auth, Some(&right)).await, Ok(Some("admin".into())));
        }
        let lower = right.replace("Basic", "basic  ");
        assert_eq!(ask(&auth, Some(&lower)).await, Ok(Some("admin".into())));
        for (user, password) in [("admin", "wrong"), ("nobody", "s3cret:with colon")] {
            let wrong = basic(user, password);
            assert_eq!(ask(&auth, Some(&wrong)).await, Err(AuthRefusal::Wrong));
        }
    }

    #[tokio::test]
    async fn an_unknown_user_costs_as_much_as_a_wrong_password() {
        let users = Users::new(&entry("admin", "x"));
        let basic = HttpBasic::open(&users.0).unwrap();
        assert!(matches!(
            basic.entry("nobody").await,
            Ok(PasswordRecord::Unknown { cost: 4 })
        ));
        // The work is really done: the hash is one, and nothing matches it.
        for cost in [4, 5] {
            let hash = unmatched(cost);
            assert_eq!(cost_of(&hash), Some(cost));
            for password in ["", "x", "nobody"] {
                assert!(!bcrypt::verify(password, &hash).unwrap());
            }
        }
    }

    #[test]
    fn work_keeps_its_place_when_its_request_is_given_up() {
        // One thread for work, which is busy, so that what is begun does not end.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(1)
            .build()
            .unwrap();
        let users = Users::new(&entry("admin", "x"));
        let basic = HttpBasic::open(&users.0).unwrap();
        let cores = basic.passwords.room.available_permits();
        runtime.block_on(async {
            let (go, wait) = std::sync::mpsc::channel::<()>();
            let busy = tokio::task::spawn_blocking(move || wait.recv());
            let addresses: Vec<_> = (0..cores + LONGEST_QUEUE).map(|n| n.to_string()).collect();
            let passwords = &basic.passwords;
            let from = |address| passwords.matches(address, b"wrong".to_vec(), unmatched(4));
            let asks = || Box::pin(from("6.6.6.6"));
            let mut waker = Context::from_waker(Waker::noop());
            let begun = addresses.iter().map(|address| Box::pin(from(address)));
            let mut begun: Vec<_> = begun.collect();
            for verifying in &mut begun {
                assert!(verifying.as_mut().poll(&mut waker).is_pending());
            }
            assert_eq!(asks().await, Err(AuthRefusal::Busy));
            assert_eq!(basic.passwords.room.available_permits(), 0);
            // All clients go away. Those that waited are gone; what was begun will be done.
            drop(begun);
            assert_eq!(basic.passwords.room.available_permits(), 0);
            assert_eq!(basic.passwords.queue.available_permits(), LONGEST_QUEUE);
            go.send(()).unwrap();
            busy.await.unwrap().unwrap();
            assert_eq!(asks().await, Ok(false));
        });
    }

    #[test]
    fn one_address_does_not_take_all_places() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(1)
            .build()
            .unwrap();
        let users = Users::new(&entry("admin", "x"));
        let basic = HttpBasic::open(&users.0).unwrap();
        let passwords = &basic.passwords;
        runtime.block_on(async {
            let (go, wait) = std::sync::mpsc::channel::<()>();
            let busy = tokio::task::spawn_blocking(move || wait.recv());
            let from =
                |address| Box::pin(passwords.matches(address, b"wrong".to_vec(), unmatched(4)));
            let mut waker = Context::from_waker(Waker::noop());
            let mut flood: Vec<_> = (0..MOST_OF_ONE).map(|_| from("6.6.6.6")).collect();
            for verifying in &mut flood {
                assert!(verifying.as_mut().poll(&mut waker).is_pending());
            }
            assert_eq!(from("6.6.6.6").await, Err(AuthRefusal::Busy));
            let mut other = from("10.0.0.1");
            assert!(other.as_mut().poll(&mut waker).is_pending());
            go.send(()).unwrap();
            busy.await.unwrap().unwrap();
            // Those of the flood are given up, and others have their turn.
            drop(flood);
            assert_eq!(other.await, Ok(false));
            assert_eq!(from("6.6.6.6").await, Ok(false));
        });
    }

    #[tokio::test]
    async fn malformed_headers_are_told_apart() {
        let users = Users::new(&entry("admin", "x"));
        let auth = Auth::HttpBasic(Arc::new(HttpBasic::open(&users.0).unwrap()));
        assert_eq!(ask(&auth, None).await, Err(AuthRefusal::Missing));
        assert_eq!(ask(&auth, Some("Basic")).await, Err(AuthRefusal::Header));
        assert_eq!(ask(&auth, Some("")).await, Err(AuthRefusal::Header));
        assert_eq!(
            ask(&auth, Some("Bearer abc")).await,
            Err(AuthRefusal::Scheme("Bearer".into()))
        );
        // Not base64; base64 without a colon inside.
        for token in ["Basic %%%", "Basic YWJj"] {
            assert_eq!(ask(&auth, Some(token)).await, Err(AuthRefusal::Token));
        }
    }

    #[tokio::test]
    async fn public_paths_need_no_password() {
        let users = Users::new(&entry("admin", "x"));
        let auth = Auth::HttpBasic(Arc::new(HttpBasic::open(&users.0).unwrap()));
        let anonymous = authenticate(&auth, &parts("/v1/lookup", &[])).await;
        assert_eq!(anonymous.unwrap().user, None);
    }

    #[tokio::test]
    async fn a_changed_file_counts_at_once() {
        let users = Users::new("");
        users.rewrite(&entry("admin", "old"), 1);
        let auth = Auth::HttpBasic(Arc::new(HttpBasic::open(&users.0).unwrap()));
        assert!(ask(&auth, Some(&basic("admin", "old"))).await.is_ok());
        users.rewrite(&entry("admin", "new"), 2);
        assert_eq!(
            ask(&auth, Some(&basic("admin", "old"))).await,
            Err(AuthRefusal::Wrong)
        );
        assert!(ask(&auth, Some(&basic("admin", "new"))).await.is_ok());
        users.rewrite("admin:plain\n", 3);
        assert!(matches!(
            ask(&auth, Some(&basic("admin", "plain"))).await,
            Err(AuthRefusal::Broken(_))
        ));
        fs::remove_file(&users.0).unwrap();
        assert!(matches!(
            ask(&auth, Some(&basic("admin", "new"))).await,
            Err(AuthRefusal::Broken(_))
        ));
    }

    #[test]
    fn a_broken_file_is_found_at_the_start() {
        let users = Users::new("admin:plain\n");
        assert!(matches!(
            HttpBasic::open(&users.0),
            Err(AuthFileError::NotBcrypt { user, .. }) if user == "admin"
        ));
        assert!(matches!(
            HttpBasic::open("/nonexistent/users"),
            Err(AuthFileError::Unreadable { .. })
        ));
    }

    #[tokio::test]
    async fn the_api_asks_for_credentials_before_anything_else() {
        let users = Users::new(&entry("admin", "x"));
        let settings = crate::Settings {
            auth: Auth::HttpBasic(Arc::new(HttpBasic::open(&users.0).unwrap())),
            ..crate::Settings::default()
        };
        let service = crate::testing::Service::with(settings);
        for (path, status) in [
            ("/v1/nope", 401),
            ("/v1/nodes", 401),
            ("/", 200),
            ("/v1/", 200),
        ] {
            let answer = service.get(path, 115).await;
            assert_eq!(answer.status.as_u16(), status, "{path}");
            let versioned = !answer.header("x-openstack-ironic-api-version").is_empty();
            assert_eq!(versioned, status == 200, "{path}");
            assert!(answer.header("x-openstack-request-id").starts_with("req-"));
        }
        let request = axum::http::Request::get("/v1/chassis")
            .header("authorization", basic("admin", "x"))
            .body(axum::body::Body::empty())
            .unwrap();
        assert_eq!(service.request(request).await.status.as_u16(), 200);
    }
}
