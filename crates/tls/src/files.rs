//! Certificates and keys in files.
//!
//! A path may come from a user of the API, who must not be able to read files of this host. So only
//! regular files are read, up to a size and number that CA certificates need (a terminal, a pipe or
//! a random device never ends), and all failures look alike to that user.
//!
//! Everything here blocks.

use crate::TlsError;
use rustix::fs::OFlags;
use rustls::{
    RootCertStore,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};
use std::{
    collections::HashSet,
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};
use types::path::without_dots;

/// The bundle of all public CAs has a quarter of this.
const LARGEST_FILE: u64 = 1 << 20;

/// Limits for one directory: files that are read, and entries that are looked at. CA directories
/// have two or three names for each file.
const MOST_FILES: usize = 256;
const MOST_ENTRIES: usize = 4096;

/// Folders without certificates, but with files that never end or have side effects when opened.
const BLOCKED: [&str; 4] = ["/dev", "/proc", "/sys", "/run"];

/// The CA certificates of a file, or of all files of a directory.
pub(crate) fn authorities(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let wrong = |error: io::Error| TlsError::file(path, &error);
    if !fs::metadata(path).map_err(wrong)?.is_dir() {
        for certificate in certificates(path)? {
            let added = roots.add(certificate);
            added.map_err(|error| TlsError::file(path, &error))?;
        }
        return Ok(roots);
    }
    let mut seen = HashSet::new();
    for entry in fs::read_dir(path).map_err(wrong)?.take(MOST_ENTRIES) {
        let file = entry.map_err(wrong)?.path();
        // Other files may lie there too.
        let Ok(found) = fs::metadata(&file) else {
            continue;
        };
        if !is_readable(&found) || !seen.insert((found.dev(), found.ino())) {
            continue;
        }
        if seen.len() > MOST_FILES {
            let text = format!("the folder has more than {MOST_FILES} files");
            return Err(TlsError::file(path, &text));
        }
        let found = certificates(&file);
        roots.add_parsable_certificates(found.into_iter().flatten());
    }
    if roots.is_empty() {
        return Err(TlsError::file(
            path,
            &"no certificate in the files of this folder",
        ));
    }
    Ok(roots)
}

/// The same for a path from a user of the API: the error does not reveal what is on this host.
pub(crate) fn named_authorities(path: &Path) -> Result<RootCertStore, TlsError> {
    let unusable = |reason: String| TlsError::Unusable {
        path: path.display().to_string(),
        reason,
    };
    if is_blocked(path) {
        return Err(unusable(
            "CA certificates are not read from this path".into(),
        ));
    }
    let real = path
        .canonicalize()
        .map_err(|error| unusable(error.to_string()))?;
    if is_blocked(&real) {
        let text = format!("symbolic link to {}", real.display());
        return Err(unusable(text));
    }
    authorities(&real).map_err(|error| unusable(error.to_string()))
}

/// Whether a path, as it is written, must not be opened for a user of the API.
pub fn is_blocked(path: &Path) -> bool {
    let plain = without_dots(path);
    !plain.is_absolute() || BLOCKED.iter().any(|blocked| plain.starts_with(blocked))
}

pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(TlsError::file(path, &"the file contains no certificate")),
        Err(error) => Err(TlsError::file(path, &error)),
    }
}

pub(crate) fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let text = read(path)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        pem::Error::NoItemsFound => TlsError::file(path, &"the file contains no private key"),
        error => TlsError::file(path, &error),
    })
}

fn is_readable(found: &Metadata) -> bool {
    found.is_file() && found.len() <= LARGEST_FILE
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    let wrong = |error: io::Error| TlsError::file(path, &error);
    // Check before opening, because opening a device can have side effects; then open non-blocking
    // and check again, because the file may have been replaced meanwhile (TOCTOU).
    check(path, &fs::metadata(path).map_err(wrong)?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map_err(wrong)?;
    check(path, &File::metadata(&opened).map_err(wrong)?)?;
    let mut bytes = Vec::new();
    let mut limited = opened.take(LARGEST_FILE);
    limited.read_to_end(&mut bytes).map_err(wrong)?;
    Ok(bytes)
}

fn check(path: &Path, found: &Metadata) -> Result<(), TlsError> {
    if !found.is_file() {
        return Err(TlsError::file(path, &"not a regular file"));
    }
    if !is_readable(found) {
        let text = format!("the file is larger than {} KiB", LARGEST_FILE / 1024);
        return Err(TlsError::file(path, &text));
    }
    Ok(())
}

#[cfg(test)]
#[path = "files/tests.rs"]
mod tests;
