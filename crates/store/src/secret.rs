//! Secrets at rest: a ring of keys, and leaf values sealed one by one.
//!
//! A sealed value is a JSON string `corten:sealed:<key id>:<base64 of nonce and ciphertext>`. It
//! names its key, so several keys can be in use while they are being rotated, and it is bound to
//! its node or other resource, so it cannot be moved to another one. Reading opens nothing.
//!
//! The password of an address (`http://user:password@host/`) is sealed within its text, so that the
//! rest of the address can be read and compared without a key. There the base64 is the one for URLs.
//!
//! What is sealed is known by its place alone ([`SecretScope`]), never by how a text begins: clients may
//! write any text anywhere else, and it means nothing.

mod signing;

pub use signing::PublicKey;

use crate::StoreError;
use base64::{
    Engine as _,
    engine::general_purpose::{
        GeneralPurpose, STANDARD_NO_PAD as BASE64, URL_SAFE_NO_PAD as BASE64_URL,
    },
};
use ring::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom, SystemRandom},
};
use serde_json::Value;
use signing::SigningKey;
use std::{
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
};
use types::{JsonMap, hex, mask};

pub(crate) const PREFIX: &str = "corten:sealed:";

/// Where the sealed values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretScope {
    /// Under the keys that [`mask`] calls secret, and in the addresses of other texts, however deep.
    SecretKeys,
    /// The same, and under those that are secret at the top of an `instance_info`.
    InstanceInfo,
    /// Texts that are items of the list itself; items of other kinds are in clear.
    Items,
    /// The column as a whole.
    Whole,
}

/// What came of sealing the values of a row anew.
#[derive(Debug, Default)]
pub(crate) struct Resealed {
    pub(crate) changed: bool,
    /// Why some stay as they are.
    pub(crate) failures: Vec<String>,
}

/// The keys, newest first. Cheap to clone.
#[derive(Clone)]
pub struct KeyRing(Arc<Inner>);

struct Inner {
    file: Option<PathBuf>,
    keys: RwLock<Vec<Key>>,
}

#[derive(Clone)]
struct Key {
    id: String,
    key: Arc<LessSafeKey>,
    signing: SigningKey,
}

impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyRing")
            .field("file", &self.0.file)
            .finish_non_exhaustive()
    }
}

impl KeyRing {
    /// Reads the ring from a file of `id base64key` lines, newest first.
    pub fn load(file: &Path) -> Result<Self, StoreError> {
        let keys = read_keys(file)?;
        if let Some(whom) = readers(file) {
            tracing::warn!(
                file = %file.display(),
                "{whom} may read the key file, which opens every password in the database; run chmod 600 on it"
            );
        }
        Ok(Self(Arc::new(Inner {
            file: Some(file.to_owned()),
            keys: RwLock::new(keys),
        })))
    }

    /// Reads the ring, or makes one with a fresh key that only its owner may read.
    pub fn load_or_create(file: &Path) -> Result<Self, StoreError> {
        if !file.exists() {
            write_keys(file, &[fresh_line()?])?;
        }
        Self::load(file)
    }

    /// A ring of one key that is made from a passphrase. The salt makes it another one each time.
    pub fn from_passphrase(passphrase: &str, salt: &[u8]) -> Result<Self, StoreError> {
        // What OWASP asks for with this hash; it takes a good part of a second.
        const ROUNDS: std::num::NonZeroU32 = std::num::NonZeroU32::new(600_000).unwrap();
        let mut key = [0; 32];
        let hash = ring::pbkdf2::PBKDF2_HMAC_SHA256;
        ring::pbkdf2::derive(hash, ROUNDS, salt, passphrase.as_bytes(), &mut key);
        let key = parse_line(&format!("passphrase {}", BASE64.encode(key)))?;
        Ok(Self(Arc::new(Inner {
            file: None,
            keys: RwLock::new(vec![key]),
        })))
    }

    /// Random bytes to make a key of a passphrase with.
    pub fn salt() -> Result<[u8; 16], StoreError> {
        let mut salt = [0; 16];
        SystemRandom::new()
            .fill(&mut salt)
            .map_err(|_| secret("the operating system provides no random numbers"))?;
        Ok(salt)
    }

    /// A ring that lives in memory only: what it seals opens nowhere else.
    pub fn ephemeral() -> Result<Self, StoreError> {
        let key = parse_line(&fresh_line()?)?;
        Ok(Self(Arc::new(Inner {
            file: None,
            keys: RwLock::new(vec![key]),
        })))
    }

    /// Puts a fresh key in front of the file's keys and uses it from now on. Older keys stay, so
    /// that everything sealed with them still opens.
    pub fn add_key(&self) -> Result<String, StoreError> {
        let file = self
            .0
            .file
            .as_ref()
            .ok_or_else(|| secret("this key ring was not read from a file"))?;
        let old = std::fs::read_to_string(file).map_err(|e| file_error(file, &e))?;
        let fresh = fresh_line()?;
        let lines: Vec<String> = std::iter::once(fresh.clone())
            .chain(old.lines().map(str::to_owned))
            .collect();
        write_keys(file, &lines)?;
        self.reload()?;
        Ok(fresh.split(' ').next().unwrap_or_default().to_owned())
    }

    fn reload(&self) -> Result<(), StoreError> {
        if let Some(file) = &self.0.file {
            let keys = read_keys(file)?;
            *self
                .0
                .keys
                .write()
                .unwrap_or_else(std::sync::PoisonError::into_inner) = keys;
        }
        Ok(())
    }

    /// Reads the file again where the caller's thread may wait for a disk: a worker of the runtime
    /// hands its other tasks over first.
    fn reload_aside(&self) -> Result<(), StoreError> {
        use tokio::runtime::{Handle, RuntimeFlavor};
        let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
        match flavor {
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(|| self.reload()),
            // A thread of the database, or a runtime with a single thread, as tests have.
            _ => self.reload(),
        }
    }

    /// Those of the names that no key of the ring has.
    pub fn missing<'a>(&self, names: impl IntoIterator<Item = &'a String>) -> Vec<String> {
        let unknown = |name: &&String| self.find(name).is_none();
        names.into_iter().filter(unknown).cloned().collect()
    }

    fn newest(&self) -> Option<Key> {
        self.0
            .keys
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .first()
            .cloned()
    }

    fn find(&self, id: &str) -> Option<Key> {
        let keys = self
            .0
            .keys
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        keys.iter().find(|key| key.id == id).cloned()
    }

    /// Seals every secret leaf of `map` that is not sealed yet. `subject` is the UUID of
    /// the node or other resource.
    pub fn seal_map(&self, map: &mut JsonMap, subject: &str) -> Result<(), StoreError> {
        if mask::is_clean(map) {
            return Ok(());
        }
        for (key, value) in map.iter_mut() {
            self.seal_value(key, value, subject)?;
        }
        Ok(())
    }

    /// The same for values under keys that are secret in this map only.
    pub fn seal_keys(
        &self,
        map: &mut JsonMap,
        keys: &[&str],
        subject: &str,
    ) -> Result<(), StoreError> {
        for key in keys {
            if let Some(value) = map.get_mut(*key) {
                self.seal_secret(value, subject)?;
            }
        }
        Ok(())
    }

    fn seal_secret(&self, value: &mut Value, subject: &str) -> Result<(), StoreError> {
        // What looks sealed but does not open came from a client: it is a plain value.
        if !value.is_null() && self.open(value, subject).is_err() {
            *value = self.seal(value, subject)?;
        }
        Ok(())
    }

    fn seal_value(&self, key: &str, value: &mut Value, subject: &str) -> Result<(), StoreError> {
        if mask::is_secret_key(key) {
            return self.seal_secret(value, subject);
        }
        match value {
            Value::Object(inner) => {
                for (key, value) in inner.iter_mut() {
                    self.seal_value(key, value, subject)?;
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.seal_value("", item, subject)?;
                }
            }
            Value::String(text) => self.seal_address(text, subject)?,
            _ => {}
        }
        Ok(())
    }

    /// Seals the passwords of the addresses in a text that are not sealed yet.
    pub(crate) fn seal_address(&self, text: &mut String, subject: &str) -> Result<(), StoreError> {
        let sealed = mask::replace_passwords(text, |password| {
            let plain = Value::from(password);
            if self.open(&plain, subject).is_ok() {
                return Ok(None);
            }
            let sealed = self.seal_as(&plain, subject, BASE64_URL)?;
            Ok::<_, StoreError>(Some(sealed))
        })?;
        if let Some(sealed) = sealed {
            *text = sealed;
        }
        Ok(())
    }

    /// A copy of `map` with every sealed leaf opened.
    pub fn open_map(&self, map: &JsonMap, subject: &str) -> Result<JsonMap, StoreError> {
        let mut open = map.clone();
        for (key, value) in &mut open {
            if mask::INSTANCE_SECRETS.contains(&key.as_str()) {
                // In other maps than an instance's this is any client's text.
                if let Ok(opened) = self.open(value, subject) {
                    *value = opened;
                    continue;
                }
            }
            each_under_key(key, value, &mut |leaf, _| {
                *leaf = self.open(leaf, subject)?;
                Ok(())
            })?;
        }
        Ok(open)
    }

    /// A copy of `map` with the passwords inside of URLs decrypted, to connect to those URLs. All
    /// other secrets stay encrypted.
    pub fn open_addresses(&self, map: &JsonMap, subject: &str) -> Result<JsonMap, StoreError> {
        let mut open = map.clone();
        for text in open.values_mut() {
            if let Value::String(text) = text {
                *text = self.open_address(text, subject)?;
            }
        }
        Ok(open)
    }

    /// A text with the passwords of the addresses in it opened.
    pub fn open_address(&self, text: &str, subject: &str) -> Result<String, StoreError> {
        let mut text = text.to_owned();
        each_in_text(&mut text, &mut |leaf, _| {
            *leaf = self.open(leaf, subject)?;
            Ok(())
        })?;
        Ok(text)
    }

    /// Seals the leaves of `map` with the newest key. One that does not open stays as it is.
    pub(crate) fn reseal_map(
        &self,
        map: &mut JsonMap,
        place: SecretScope,
        subject: &str,
    ) -> Resealed {
        let mut value = Value::Object(std::mem::take(map));
        let resealed = self.reseal(&mut value, place, subject);
        if let Value::Object(kept) = value {
            *map = kept;
        }
        resealed
    }

    /// The same for a column of any kind.
    pub(crate) fn reseal(&self, value: &mut Value, place: SecretScope, subject: &str) -> Resealed {
        let newest = self
            .newest()
            .map(|key| format!("{PREFIX}{}:", key.id))
            .unwrap_or_default();
        let mut resealed = Resealed::default();
        let visited = each(value, place, &mut |leaf, base64| {
            if leaf.as_str().is_some_and(|text| text.starts_with(&newest)) {
                return Ok(());
            }
            let fresh = self
                .open(leaf, subject)
                .and_then(|plain| self.seal_as(&plain, subject, base64));
            match fresh {
                Ok(fresh) => {
                    *leaf = fresh.into();
                    resealed.changed = true;
                }
                Err(error) => resealed.failures.push(types::error::chain(&error)),
            }
            Ok(())
        });
        if let Err(error) = visited {
            resealed.failures.push(types::error::chain(&error));
        }
        resealed
    }

    /// Seals one whole value.
    /// Seals something that is not in the database, for a purpose that [`KeyRing::open`] names again.
    pub fn seal_for(&self, value: &Value, purpose: &str) -> Result<String, StoreError> {
        self.seal_as(value, purpose, BASE64)
    }

    pub(crate) fn seal(&self, value: &Value, subject: &str) -> Result<Value, StoreError> {
        self.seal_as(value, subject, BASE64).map(Value::String)
    }

    fn seal_as(
        &self,
        value: &Value,
        subject: &str,
        base64: GeneralPurpose,
    ) -> Result<String, StoreError> {
        let Key { id, key, .. } = self
            .newest()
            .ok_or_else(|| secret("the key ring is empty"))?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new()
            .fill(&mut nonce)
            .map_err(|_| secret("the operating system provides no random numbers"))?;
        let mut bytes = value.to_string().into_bytes();
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(subject.as_bytes()),
            &mut bytes,
        )
        .map_err(|_| secret("cannot encrypt the value"))?;
        let sealed = [&nonce[..], &bytes].concat();
        Ok(format!("{PREFIX}{id}:{}", base64.encode(sealed)))
    }

    /// Opens one sealed value.
    pub fn open(&self, value: &Value, subject: &str) -> Result<Value, StoreError> {
        let rest = value.as_str().and_then(|text| text.strip_prefix(PREFIX));
        let (id, data) = rest
            .and_then(|rest| rest.split_once(':'))
            .ok_or_else(|| secret("the value is not encrypted"))?;
        let key = match self.find(id) {
            Some(key) => key,
            // Another process may have rotated the key since we read the file.
            None => {
                self.reload_aside()?;
                self.find(id)
                    .ok_or_else(|| secret(format!("key '{id}' is not in the key file")))?
            }
        };
        let damaged =
            || secret("decryption failed: the value is damaged or was moved from another row");
        let decoded = BASE64.decode(data).or_else(|_| BASE64_URL.decode(data));
        let mut bytes = decoded.map_err(|_| damaged())?;
        if bytes.len() < NONCE_LEN {
            return Err(damaged());
        }
        let mut sealed = bytes.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&bytes).map_err(|_| damaged())?;
        let plain = key
            .key
            .open_in_place(nonce, Aad::from(subject.as_bytes()), &mut sealed)
            .map_err(|_| damaged())?;
        serde_json::from_slice(plain).map_err(|_| damaged())
    }
}

/// Takes a sealed value, and how one is written in its place.
type Visit<'a> = &'a mut dyn FnMut(&mut Value, GeneralPurpose) -> Result<(), StoreError>;

/// Calls `visit` for every sealed value of a column.
fn each(value: &mut Value, place: SecretScope, visit: Visit<'_>) -> Result<(), StoreError> {
    match (place, value) {
        (SecretScope::InstanceInfo, Value::Object(map)) => {
            for (key, value) in map {
                match mask::INSTANCE_SECRETS.contains(&key.as_str()) && is_sealed(value) {
                    true => visit(value, BASE64)?,
                    false => each_under_key(key, value, &mut *visit)?,
                }
            }
            Ok(())
        }
        (SecretScope::SecretKeys, value) => each_under_key("", value, visit),
        (SecretScope::Items, Value::Array(items)) => items
            .iter_mut()
            .filter(|item| is_sealed(item))
            .try_for_each(|item| visit(item, BASE64)),
        (SecretScope::Whole, value) if is_sealed(value) => visit(value, BASE64),
        _ => Ok(()),
    }
}

fn each_under_key(key: &str, value: &mut Value, visit: Visit<'_>) -> Result<(), StoreError> {
    if mask::is_secret_key(key) {
        return match is_sealed(value) {
            true => visit(value, BASE64),
            false => Ok(()),
        };
    }
    match value {
        Value::Object(inner) => inner
            .iter_mut()
            .try_for_each(|(key, value)| each_under_key(key, value, &mut *visit)),
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| each_under_key("", item, &mut *visit)),
        Value::String(text) => each_in_text(text, visit),
        _ => Ok(()),
    }
}

/// Calls `visit` for every sealed password of the addresses in a text.
fn each_in_text(text: &mut String, visit: Visit<'_>) -> Result<(), StoreError> {
    let changed = mask::replace_passwords(text, |password| {
        if !is_sealed_password(password) {
            return Ok(None);
        }
        let mut leaf = Value::from(password);
        visit(&mut leaf, BASE64_URL)?;
        Ok::<_, StoreError>(leaf.as_str().map(str::to_owned))
    })?;
    if let Some(changed) = changed {
        *text = changed;
    }
    Ok(())
}

/// Whether a password of an address is a sealed one. Shorter texts that begin alike were written by
/// a client, before passwords of addresses were sealed.
fn is_sealed_password(password: &str) -> bool {
    let data = password
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once(':'));
    let bytes = data.and_then(|(_, data)| BASE64_URL.decode(data).ok());
    bytes.is_some_and(|bytes| bytes.len() > NONCE_LEN + AES_256_GCM.tag_len())
}

fn is_sealed(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(PREFIX))
}

/// The names of the keys that the values of a column are sealed with.
pub(crate) fn key_names(mut value: Value, place: SecretScope) -> Vec<String> {
    let mut names = Vec::new();
    let visited = each(&mut value, place, &mut |leaf, _| {
        let rest = leaf.as_str().and_then(|text| text.strip_prefix(PREFIX));
        let name = rest.and_then(|rest| rest.split_once(':'));
        names.extend(name.map(|(name, _)| name.to_owned()));
        Ok(())
    });
    debug_assert!(visited.is_ok(), "looking at names cannot fail");
    names
}

/// Who may read a file besides its owner.
fn readers(file: &Path) -> Option<&'static str> {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::metadata(file).ok()?.permissions().mode() {
        mode if mode & 0o007 != 0 => Some("every user of this machine"),
        mode if mode & 0o070 != 0 => Some("the group of its owner"),
        _ => None,
    }
}

fn secret(text: impl Into<String>) -> StoreError {
    StoreError::Secret(text.into())
}

fn file_error(file: &Path, error: &std::io::Error) -> StoreError {
    secret(format!("key file {}: {error}", file.display()))
}

fn fresh_line() -> Result<String, StoreError> {
    let mut bytes = [0; 36];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| secret("the operating system provides no random numbers"))?;
    let (id, key) = bytes.split_at(4);
    Ok(format!("k{} {}", hex::encode(id), BASE64.encode(key)))
}

fn parse_line(line: &str) -> Result<Key, StoreError> {
    let (id, data) = line
        .trim()
        .split_once(' ')
        .ok_or_else(|| secret("a line contains no key"))?;
    // Sealed values name their key, also within addresses.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !id.chars().all(is_plain) {
        return Err(secret(format!(
            "invalid name of key '{id}': only letters, digits, '-', '_' and '.' are allowed"
        )));
    }
    let bytes = BASE64
        .decode(data.trim().trim_end_matches('='))
        .map_err(|_| secret(format!("key '{id}' is not base64")))?;
    let key = UnboundKey::new(&AES_256_GCM, &bytes)
        .map_err(|_| secret(format!("key '{id}' is not 32 bytes long")))?;
    Ok(Key {
        id: id.to_owned(),
        key: Arc::new(LessSafeKey::new(key)),
        signing: SigningKey::derived_from(&bytes)?,
    })
}

fn read_keys(file: &Path) -> Result<Vec<Key>, StoreError> {
    let text = std::fs::read_to_string(file).map_err(|e| file_error(file, &e))?;
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let keys: Vec<Key> = lines.map(parse_line).collect::<Result<_, _>>()?;
    if keys.is_empty() {
        return Err(secret(format!(
            "key file {} contains no key",
            file.display()
        )));
    }
    Ok(keys)
}

/// Replaces the file in one step, so that no reader ever sees half a ring.
fn write_keys(file: &Path, lines: &[String]) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt;
    let temporary = file.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut out = std::fs::OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(&temporary)?;
        out.write_all(lines.join("\n").as_bytes())?;
        out.write_all(b"\n")?;
        out.sync_all()?;
        std::fs::rename(&temporary, file)
    };
    write().map_err(|e| file_error(file, &e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn secrets_are_sealed_and_open_only_for_their_node() {
        let ring = KeyRing::ephemeral().unwrap();
        let plain = map(json!({"ipmi_password": "hunter2", "n": {"token": [1, 2]}, "a": "b"}));
        let mut sealed = plain.clone();
        ring.seal_map(&mut sealed, "node-1").unwrap();
        assert!(!serde_json::to_string(&sealed).unwrap().contains("hunter2"));
        assert_eq!(sealed["a"], "b");
        assert_eq!(ring.open_map(&sealed, "node-1").unwrap(), plain);
        assert!(ring.open_map(&sealed, "node-2").is_err());
        let again = sealed.clone();
        ring.seal_map(&mut sealed, "node-1").unwrap();
        assert_eq!(sealed, again, "what is sealed stays as it is");
    }

    #[test]
    fn passwords_of_addresses_are_sealed_where_they_stand() {
        let dir = tempfile::tempdir().unwrap();
        let ring = KeyRing::load_or_create(&dir.path().join("keys")).unwrap();
        let plain = map(json!({
            "redfish_address": "https://root:hush-%2F+~1@bmc.example:8443/redfish",
            "list": ["x", {"image": "http://u:hush-2@a/ http://v:hush-3@b/"}],
            "image_url": "http://u:hush-4@h/i", "kernel": "http://user@h/k", "a": "b:c@d",
        }));
        let mut sealed = plain.clone();
        ring.seal_map(&mut sealed, "n").unwrap();
        let text = serde_json::to_string(&sealed).unwrap();
        assert!(!text.contains("hush"), "{text}");
        // The rest can be read, and readers see what they saw before.
        assert_eq!(mask::masked(&sealed), mask::masked(&plain));
        assert_eq!(
            (&sealed["kernel"], &sealed["a"]),
            (&plain["kernel"], &plain["a"])
        );
        assert_eq!(ring.open_map(&sealed, "n").unwrap(), plain);
        assert!(ring.open_map(&sealed, "another").is_err());
        let again = sealed.clone();
        ring.seal_map(&mut sealed, "n").unwrap();
        assert_eq!(sealed, again, "what is sealed stays as it is");
        assert_eq!(key_names(json!(sealed), SecretScope::SecretKeys).len(), 4);
        // Only what is at the top is fetched from; the rest stays sealed.
        let opened = ring.open_addresses(&sealed, "n").unwrap();
        assert_eq!(opened["redfish_address"], plain["redfish_address"]);
        assert_eq!(opened["list"], sealed["list"]);

        let newest = ring.add_key().unwrap();
        let resealed = ring.reseal_map(&mut sealed, SecretScope::SecretKeys, "n");
        assert!(resealed.changed && resealed.failures.is_empty());
        let names = key_names(json!(sealed), SecretScope::SecretKeys);
        assert!(names.iter().all(|name| *name == newest), "{names:?}");
        assert_eq!(ring.open_map(&sealed, "n").unwrap(), plain);
    }

    #[test]
    fn a_client_cannot_pass_off_a_password_of_an_address_as_sealed() {
        let ring = KeyRing::ephemeral().unwrap();
        let long = format!("http://u:corten:sealed:k0:{}@h/", "A".repeat(60));
        for text in ["http://u:corten:sealed:k0:AAAA@h/", &long] {
            let forged = map(json!({"foo": text}));
            let mut sealed = forged.clone();
            ring.seal_map(&mut sealed, "n").unwrap();
            assert_ne!(sealed, forged);
            assert_eq!(ring.open_map(&sealed, "n").unwrap(), forged);
        }
        // One that was written before passwords of addresses were sealed means nothing.
        let old = map(json!({"foo": "http://u:corten:sealed:k0:AAAA@h/"}));
        assert_eq!(ring.open_map(&old, "n").unwrap(), old);
    }

    #[test]
    fn a_client_cannot_pass_off_a_text_as_sealed() {
        let ring = KeyRing::ephemeral().unwrap();
        let forged = map(json!({"password": "corten:sealed:k0:AAAA"}));
        let mut sealed = forged.clone();
        ring.seal_map(&mut sealed, "n").unwrap();
        assert_eq!(ring.open_map(&sealed, "n").unwrap(), forged);
    }

    #[test]
    fn a_text_that_begins_like_a_sealed_one_means_nothing_elsewhere() {
        let ring = KeyRing::ephemeral().unwrap();
        let text = "corten:sealed:k0:AAAA";
        let plain = map(json!({"foo": text, "list": [text, {"deep": text}], "password": "p"}));
        let mut sealed = plain.clone();
        ring.seal_map(&mut sealed, "n").unwrap();
        assert_eq!(ring.open_map(&sealed, "n").unwrap(), plain);
        let names = key_names(Value::Object(sealed.clone()), SecretScope::SecretKeys);
        assert_eq!(names.len(), 1, "only the password is sealed");
        let resealed = ring.reseal_map(&mut sealed, SecretScope::SecretKeys, "n");
        assert!(!resealed.changed && resealed.failures.is_empty());
        // Rules in clear hold objects, whatever is in them.
        let rule = json!([{"args": {"value": text}}]);
        assert!(key_names(rule, SecretScope::Items).is_empty());
        assert_eq!(key_names(json!([text]), SecretScope::Items), ["k0"]);
    }

    #[test]
    fn one_damaged_value_does_not_keep_the_others_from_being_sealed_anew() {
        let dir = tempfile::tempdir().unwrap();
        let ring = KeyRing::load_or_create(&dir.path().join("keys")).unwrap();
        let mut values = map(json!({"a_password": "a", "b_password": "b"}));
        ring.seal_map(&mut values, "n").unwrap();
        values["a_password"] = json!("corten:sealed:k0:AAAA");
        let before = values.clone();
        ring.add_key().unwrap();
        let resealed = ring.reseal_map(&mut values, SecretScope::SecretKeys, "n");
        assert!(resealed.changed);
        assert_eq!(resealed.failures.len(), 1, "{:?}", resealed.failures);
        assert!(resealed.failures[0].contains("key 'k0' is not in"));
        assert_eq!(values["a_password"], before["a_password"]);
        assert_ne!(values["b_password"], before["b_password"]);
    }

    #[test]
    fn a_key_file_that_others_may_read_is_noticed() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("keys");
        KeyRing::load_or_create(&file).unwrap();
        assert_eq!(readers(&file), None);
        for (mode, whom) in [(0o644, "every user"), (0o640, "the group")] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert!(readers(&file).unwrap().starts_with(whom), "{mode:o}");
        }
    }

    #[test]
    fn after_a_rotation_another_process_opens_new_and_old_values() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("keys");
        let ours = KeyRing::load_or_create(&file).unwrap();
        let theirs = KeyRing::load(&file).unwrap();
        let mut old = map(json!({"password": "x"}));
        ours.seal_map(&mut old, "n").unwrap();
        ours.add_key().unwrap();
        let mut new = old.clone();
        assert!(
            ours.reseal_map(&mut new, SecretScope::SecretKeys, "n")
                .changed
        );
        assert_ne!(old, new);
        assert!(
            !ours
                .reseal_map(&mut new, SecretScope::SecretKeys, "n")
                .changed
        );
        for sealed in [&old, &new] {
            assert_eq!(
                theirs.open_map(sealed, "n").unwrap(),
                map(json!({"password": "x"}))
            );
        }
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}
