//! What a node's `driver_info` says about its hypervisor. Nothing here prints a password or a key.

use super::SshSettings;
use crate::{DriverError, ansible::is_host, driver_info};
use proto::hypervisor::{Commands, Family};
use std::path::{Component, Path, PathBuf};
use types::{JsonMap, NodeId, pyrepr, words};

/// `driver_info` keys and what they mean.
pub(super) const PROPERTIES: &[(&str, &str)] = &[
    (
        "ssh_address",
        "IP address or hostname of the hypervisor. Required.",
    ),
    ("ssh_username", "User to log in as. Required."),
    (
        "ssh_virt_type",
        "Virtualization software: virsh, vbox, vmware or parallels. Required.",
    ),
    (
        "ssh_key_contents",
        "Private key. One of this, ssh_key_filename and ssh_password is required.",
    ),
    (
        "ssh_key_filename",
        "File with a private key on the conductor, below a folder of [corten]ssh_key_paths.",
    ),
    ("ssh_password", "Password of the user."),
    ("ssh_port", "TCP port; defaults to 22. Optional."),
    (
        "ssh_host_key",
        "Public key of the hypervisor, as in its ssh_host_ed25519_key.pub. Optional.",
    ),
    (
        "ssh_verify_host_key",
        "Whether the hypervisor has to show a key that is known; defaults to true. Optional.",
    ),
    (
        "vbox_use_headless",
        "Whether VirtualBox starts virtual machines without a window; defaults to false. Optional.",
    ),
];

const REQUIRED: [&str; 3] = ["ssh_address", "ssh_username", "ssh_virt_type"];
const SECRETS: [&str; 3] = ["ssh_password", "ssh_key_contents", "ssh_key_filename"];

/// More than any private key has.
const LONGEST_KEY: usize = 64 << 10;

/// How a user shows who it is.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Secret {
    Password(String),
    Key(String),
    KeyFile(PathBuf),
}

/// Which keys a hypervisor may show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HostKey {
    /// One that the configuration knows.
    Known,
    /// This one: its type and its bytes.
    This(String),
    Any,
}

/// A hypervisor, and how it is reached.
#[derive(Clone)]
pub(super) struct Info {
    pub(super) node: NodeId,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: String,
    pub(super) secret: Secret,
    pub(super) host_key: HostKey,
    pub(super) commands: Commands,
}

fn invalid<T>(text: impl Into<String>) -> Result<T, DriverError> {
    Err(DriverError::InvalidParameter(text.into()))
}

fn flag(info: &JsonMap, key: &str, default: bool) -> Result<bool, DriverError> {
    match info.get(key) {
        None => Ok(default),
        Some(value) => match words::boolean_value(value) {
            Some(is) => Ok(is),
            None => invalid(format!(
                "{key} in driver_info is neither true nor false; {}",
                words::ACCEPTED
            )),
        },
    }
}

/// Whether SSH takes this for the name of a user and nothing else.
fn is_user(user: &str) -> bool {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "._-@+\\".contains(c);
    !user.is_empty() && !user.starts_with('-') && user.chars().all(is_known)
}

/// The type and the bytes of a public key, without its comment.
fn host_key(text: &str) -> Option<String> {
    let mut parts = text.split_whitespace();
    let (kind, bytes) = (parts.next()?, parts.next()?);
    let is_kind = |c: char| c.is_ascii_alphanumeric() || "-.@".contains(c);
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let fits = text.len() < LONGEST_KEY && !text.contains(['\n', '\r']);
    let is_key = kind.chars().all(is_kind) && !kind.starts_with(['-', '@']);
    (fits && is_key && bytes.chars().all(is_base64)).then(|| format!("{kind} {bytes}"))
}

impl Info {
    pub(super) fn of(
        node: NodeId,
        driver_info: &JsonMap,
        settings: &SshSettings,
    ) -> Result<Self, DriverError> {
        let missing = driver_info::missing(driver_info, &REQUIRED);
        if !missing.is_empty() {
            return invalid(format!(
                "SSHPowerDriver requires the following parameters to be set in node's driver_info: {}.",
                pyrepr::repr_list(missing)
            ));
        }
        let text = |key: &str| {
            let value = driver_info.get(key).map(pyrepr::to_str);
            value.unwrap_or_default()
        };
        let host = text("ssh_address").trim().to_owned();
        if !is_host(&host) {
            return invalid("ssh_address in driver_info is neither an IP address nor a host name");
        }
        let user = text("ssh_username");
        if !is_user(&user) {
            return invalid(
                "ssh_username in driver_info is not the name of a user: letters, digits and . _ - @ + \\ are taken, and no - at the beginning",
            );
        }
        let kind = text("ssh_virt_type");
        let Some(family) = Family::of_word(&kind) else {
            return invalid(format!(
                "SSHPowerDriver '{kind}' is not a valid virt_type, Supported virtualization types are: virsh, vbox, vmware, parallels"
            ));
        };
        let port = match driver_info.get("ssh_port") {
            None => 22,
            Some(value) => match pyrepr::to_str(value).trim().parse() {
                Ok(0) | Err(_) => {
                    return invalid(format!(
                        "ssh_port {} in driver_info is not a valid port",
                        pyrepr::repr(value)
                    ));
                }
                Ok(port) => port,
            },
        };
        let verifies = flag(driver_info, "ssh_verify_host_key", true)?;
        let key = driver_info.get("ssh_host_key");
        let key = key.filter(|key| !key.is_null()).map(pyrepr::to_str);
        let host_key = match (key, verifies) {
            (_, false) => HostKey::Any,
            (None, true) => HostKey::Known,
            (Some(key), true) => match host_key(key.trim()) {
                Some(key) => HostKey::This(key),
                None => {
                    return invalid(
                        "ssh_host_key in driver_info is not a public key: type and base64, as in ssh_host_ed25519_key.pub",
                    );
                }
            },
        };
        Ok(Self {
            node,
            host,
            port,
            user,
            secret: secret(node, driver_info, settings)?,
            host_key,
            commands: Commands {
                family,
                libvirt_uri: settings.libvirt_uri.clone(),
                is_headless: family == Family::VirtualBox
                    && flag(driver_info, "vbox_use_headless", false)?,
            },
        })
    }

    /// The hypervisor as messages name it, and as files of host keys do.
    pub(super) fn peer(&self) -> String {
        match self.port {
            22 => self.host.clone(),
            port => format!("[{}]:{port}", self.host),
        }
    }
}

fn secret(
    node: NodeId,
    driver_info: &JsonMap,
    settings: &SshSettings,
) -> Result<Secret, DriverError> {
    let missing = driver_info::missing(driver_info, &SECRETS);
    let given: Vec<&str> = SECRETS
        .into_iter()
        .filter(|key| !missing.contains(key))
        .collect();
    let [key] = given.as_slice() else {
        return invalid(
            "SSHPowerDriver requires one and only one of password, key_contents and key_filename to be set.",
        );
    };
    let text = driver_info
        .get(*key)
        .map(pyrepr::to_str)
        .unwrap_or_default();
    match *key {
        "ssh_password" if settings.askpass.is_none() => {
            invalid("ssh_password in driver_info cannot be used here: nothing could tell it to SSH")
        }
        "ssh_password" if text.contains(['\n', '\r', '\0']) => {
            invalid("ssh_password in driver_info has more than one line")
        }
        "ssh_password" => Ok(Secret::Password(text)),
        "ssh_key_contents" => {
            let is_key = text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----");
            match is_key && text.len() < LONGEST_KEY {
                // OpenSSH reads none whose last line does not end.
                true => Ok(Secret::Key(text.trim_end().to_owned() + "\n")),
                false => invalid("ssh_key_contents in driver_info is not a private key"),
            }
        }
        _ => {
            let path = PathBuf::from(&text);
            match is_allowed(&path, &settings.key_folders) {
                true => Ok(Secret::KeyFile(path)),
                false => invalid(format!(
                    "ssh_key_filename {} of node {node} is not below a folder of [corten]ssh_key_paths: this service reads it",
                    pyrepr::repr_str(&text)
                )),
            }
        }
    }
}

/// Whether a path is below one of these folders, and has nothing in it that SSH would replace.
fn is_allowed(path: &Path, folders: &[PathBuf]) -> bool {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let is_plain = |text: &str| !text.contains(['%', '~', '$', '\n']);
    !climbs
        && path.to_str().is_some_and(is_plain)
        && folders.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
#[path = "info/tests.rs"]
mod tests;
