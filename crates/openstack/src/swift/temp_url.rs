//! Temporary URLs: a path, an expiry, and an HMAC over both (Swift's `tempurl` middleware).

use crate::{Secret, endpoint::escape_path};
use reqwest::Url;
use ring::hmac;
use std::{fmt, time::Duration};
use types::{Timestamp, hex, wire_enum};

wire_enum! {
    /// How a URL is signed. Swift tells the digest by the length of the signature.
    pub enum Digest {
        Sha1 = "sha1",
        Sha256 = "sha256",
        Sha512 = "sha512",
    }
}

impl Digest {
    fn algorithm(self) -> hmac::Algorithm {
        match self {
            Self::Sha1 => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            Self::Sha256 => hmac::HMAC_SHA256,
            Self::Sha512 => hmac::HMAC_SHA512,
        }
    }
}

/// A URL that needs no token. Whoever has it can read the object, so it is a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct TempUrl {
    url: Url,
    expires: Timestamp,
}

impl TempUrl {
    /// Signs `GET` (which also allows `HEAD`) of a path below an account.
    pub(super) fn sign(
        account: &Url,
        path: &str,
        key: &Secret,
        digest: Digest,
        lifetime: Duration,
    ) -> Self {
        let lifetime = i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX);
        // Swift compares with its wall clock, so this must be ours.
        let expires = Timestamp::now().plus_seconds(lifetime);
        Self::until(account, path, key, digest, expires)
    }

    fn until(account: &Url, path: &str, key: &Secret, digest: Digest, expires: Timestamp) -> Self {
        let root = account.path().trim_end_matches('/');
        let seconds = expires.0.div_euclid(1_000_000);
        // Swift signs the path as WSGI has it, without escapes.
        let account_path = types::percent::decode(root).unwrap_or_else(|_| root.into());
        let signed = format!("GET\n{seconds}\n{account_path}{path}");
        let key = hmac::Key::new(digest.algorithm(), key.expose().as_bytes());
        let signature = hex::encode(hmac::sign(&key, signed.as_bytes()).as_ref());
        let mut url = account.clone();
        url.set_path(&format!("{root}{}", escape_path(path)));
        let query = format!("temp_url_sig={signature}&temp_url_expires={seconds}");
        url.set_query(Some(&query));
        Self { url, expires }
    }

    pub fn expose(&self) -> &str {
        self.url.as_str()
    }

    /// The same with a name for the file: some BMCs only take URLs that end in `.iso`.
    pub fn with_filename(&self, name: &str) -> Self {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("filename", name);
        Self {
            url,
            ..self.clone()
        }
    }

    pub fn expires(&self) -> Timestamp {
        self.expires
    }

    /// Whether it can be used for so much longer.
    pub fn lasts(&self, time: Duration) -> bool {
        let needed = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        self.expires > Timestamp::now().plus_seconds(needed)
    }
}

impl fmt::Debug for TempUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TempUrl({})", crate::endpoint::shown(&self.url))
    }
}

/// The address of a cluster: an account's without `/v1/AUTH_…`.
pub(super) fn cluster_root(account: &Url) -> Url {
    let mut root = account.clone();
    let path = account.path().trim_end_matches('/').to_owned();
    let mut segments: Vec<&str> = path.split('/').collect();
    // From the version on; it is the last but one, unless the address is a root already.
    if let Some(at) = segments
        .iter()
        .rposition(|part| matches!(*part, "v1" | "v1.0"))
    {
        segments.truncate(at);
    }
    root.set_path(&segments.join("/"));
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECT: &str = "d5f20490ecac44f0a2a8d3c3ac15d86a";
    const OBJECT: &str = "/glance/38982591-be80-42a3-85a5-9d43d0e9c8ec";

    fn account() -> Url {
        Url::parse(&format!("http://s:8080/v1/AUTH_{PROJECT}")).unwrap()
    }

    fn url(path: &str, digest: Digest) -> TempUrl {
        let expires = Timestamp(1_794_800_905_000_000);
        let key = Secret::from("lab-key-1");
        TempUrl::until(&account(), path, &key, digest, expires)
    }

    /// Made by openstacksdk for Ironic, and accepted by Swift.
    #[test]
    fn a_recorded_signature_is_made_again() {
        assert_eq!(
            url(OBJECT, Digest::Sha1).expose(),
            format!(
                "http://s:8080/v1/AUTH_{PROJECT}{OBJECT}\
                 ?temp_url_sig=fd08203c1ab1f01affd3eee45781550cd1523e9b\
                 &temp_url_expires=1794800905"
            )
        );
    }

    #[test]
    fn signatures_differ_in_length_and_are_hidden() {
        for (digest, length) in [
            (Digest::Sha1, 40),
            (Digest::Sha256, 64),
            (Digest::Sha512, 128),
        ] {
            let url = url(OBJECT, digest);
            let signature = url.expose().split_once("sig=").unwrap().1;
            let signature = signature.split_once('&').unwrap().0;
            assert_eq!(signature.len(), length);
            assert!(!format!("{url:?}").contains(signature));
        }
        let named = url(OBJECT, Digest::Sha1).with_filename("boot-N.iso");
        assert!(named.expose().ends_with("&filename=boot-N.iso"));
    }

    #[test]
    fn expiry_is_compared_with_what_is_left() {
        let key = Secret::from("k");
        let hour = Duration::from_secs(3600);
        let url = TempUrl::sign(&account(), OBJECT, &key, Digest::Sha256, hour);
        assert!(url.lasts(Duration::from_secs(3000)));
        assert!(!url.lasts(Duration::from_secs(4000)));
    }

    #[test]
    fn the_root_of_a_cluster_is_above_the_version() {
        for (account, root) in [
            ("http://s:8080/v1/AUTH_p", "http://s:8080/"),
            ("http://rgw/swift/v1/AUTH_p", "http://rgw/swift"),
            ("http://s:8080/", "http://s:8080/"),
            ("http://s/v1", "http://s/"),
        ] {
            let account = Url::parse(account).unwrap();
            assert_eq!(cluster_root(&account).as_str(), root);
        }
    }
}
