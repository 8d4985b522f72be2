//! The config drive of `node deploy`: what cloud-init reads at the first start.
//!
//! It is sent as an object, from which the service builds a drive in OpenStack's layout:
//! `meta_data.json` with the host name and the SSH keys, `user_data`, `network_data.json`.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::network;
use crate::error::Error;

/// The largest file of keys.
const MOST_KEYS: u64 = 256 << 10;
/// The largest user data.
const MOST_USER_DATA: u64 = 16 << 20;
/// The largest description of networks.
const MOST_NETWORK: u64 = 256 << 10;

/// What the options say about the instance.
#[derive(Debug, Default)]
pub(super) struct Wishes<'a> {
    pub(super) ssh_keys: &'a [std::path::PathBuf],
    pub(super) hostname: Option<&'a str>,
    pub(super) user_data: Option<&'a Path>,
    pub(super) network: Option<&'a Path>,
}

/// A config drive, and the address that the machine will have by it.
#[derive(Debug, PartialEq)]
pub(super) struct Drive {
    pub(super) object: Value,
    pub(super) address: Option<String>,
}

impl Wishes<'_> {
    /// The drive, if anything was wished for. Reads the files.
    pub(super) fn drive(&self) -> Result<Option<Drive>, Error> {
        let mut meta = Map::new();
        if let Some(hostname) = self.hostname {
            meta.insert("hostname".to_owned(), json!(checked(hostname)?));
        }
        let mut keys = Vec::new();
        for path in self.ssh_keys {
            keys.extend(public_keys(&read(path, MOST_KEYS)?, path)?);
        }
        if !keys.is_empty() {
            let named = keys.into_iter().enumerate();
            let named: Map<String, Value> = named
                .map(|(index, key)| (format!("key-{index}"), Value::from(key)))
                .collect();
            meta.insert("public_keys".to_owned(), Value::Object(named));
        }
        let mut object = Map::new();
        let mut address = None;
        if let Some(path) = self.network {
            let text = read(path, MOST_NETWORK)?;
            let about = |why| Error::usage(format!("{}: {why}", path.display()));
            let value = crate::input::yaml(&text).map_err(about)?;
            let found = network::read(&value).map_err(|error| about(error.to_string()))?;
            address = found.first_address().map(|address| address.to_string());
            object.insert("network_data".to_owned(), found.document());
        }
        if let Some(path) = self.user_data {
            let text = read(path, MOST_USER_DATA)?;
            object.insert("user_data".to_owned(), json!(text));
        }
        if meta.is_empty() && object.is_empty() {
            return Ok(None);
        }
        object.insert("meta_data".to_owned(), Value::Object(meta));
        Ok(Some(Drive {
            object: Value::Object(object),
            address,
        }))
    }
}

fn read(path: &Path, most: u64) -> Result<String, Error> {
    let wrong = |why: String| Error::usage(format!("cannot read {}: {why}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if size.len() > most {
        return Err(wrong(format!("it has more than {} KiB", most >> 10)));
    }
    std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))
}

/// The keys of a file as `ssh-keygen` writes it, or of an `authorized_keys`.
fn public_keys(text: &str, path: &Path) -> Result<Vec<String>, Error> {
    const KINDS: &[&str] = &["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-"];
    let wrong = |why: &str| Error::usage(format!("{}: {why}", path.display()));
    if text.contains("PRIVATE KEY-----") {
        let hint = "the public key is beside it, in the file that ends with .pub";
        return Err(
            wrong("it is a private key, which must not leave this machine").with_hint(hint),
        );
    }
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let keys: Vec<String> = lines.map(str::to_owned).collect();
    let is_key = |line: &String| {
        let mut words = line.split_whitespace();
        words.any(|word| KINDS.iter().any(|kind| word.starts_with(kind))) && words.next().is_some()
    };
    match keys.iter().all(is_key) && !keys.is_empty() {
        true => Ok(keys),
        false => Err(wrong("it is no SSH public key")),
    }
}

/// A host name (RFC 1123 §2.1).
fn checked(name: &str) -> Result<&str, Error> {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    match name.len() <= 253 && name.split('.').all(is_label) {
        true => Ok(name),
        false => Err(Error::usage(format!("'{name}' is no host name"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(contents: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, contents).unwrap();
        file
    }

    #[test]
    fn a_drive_has_what_was_wished_for() {
        assert_eq!(Wishes::default().drive().unwrap(), None);
        let keys = [
            file("ssh-ed25519 AAAA me@here\n").path().to_owned(),
            file("").path().to_owned(),
        ];
        let missing = Wishes {
            ssh_keys: &keys,
            ..Wishes::default()
        };
        assert_eq!(missing.drive().unwrap_err().exit_code(), 2, "it is gone");
        let key = file("# mine\nssh-ed25519 AAAA me@here\nno-pty ssh-rsa BBBB\n");
        let data = file("#cloud-config\n");
        let net =
            file("links: [{name: eno1, mac: '52:54:00:00:00:01', addresses: [10.0.0.17/24]}]\n");
        let paths = [key.path().to_owned()];
        let wishes = Wishes {
            ssh_keys: &paths,
            hostname: Some("web-1.example.org"),
            user_data: Some(data.path()),
            network: Some(net.path()),
        };
        let drive = wishes.drive().unwrap().unwrap();
        assert_eq!(
            drive.object["meta_data"],
            json!({"hostname": "web-1.example.org", "public_keys": {
                "key-0": "ssh-ed25519 AAAA me@here", "key-1": "no-pty ssh-rsa BBBB"}})
        );
        assert_eq!(drive.object["user_data"], "#cloud-config\n");
        assert_eq!(drive.object["network_data"]["links"][0]["id"], "eno1");
        assert_eq!(drive.address.as_deref(), Some("10.0.0.17"));
    }

    #[test]
    fn a_private_key_never_leaves() {
        let secret = file("-----BEGIN OPENSSH PRIVATE KEY-----\nhush\n");
        let paths = [secret.path().to_owned()];
        let wishes = Wishes {
            ssh_keys: &paths,
            ..Wishes::default()
        };
        let refused = wishes.drive().unwrap_err();
        assert!(refused.message().contains("private key"));
        assert!(!refused.message().contains("hush"));
    }

    #[test]
    fn host_names_and_keys_are_checked() {
        for wrong in ["", "-a", "a-", "a..b", "a_b", "a b", &"x".repeat(64)] {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
        let path = Path::new("key");
        for wrong in ["", "# nothing", "hello", "ssh-ed25519"] {
            assert!(public_keys(wrong, path).is_err(), "{wrong}");
        }
    }
}
