//! Swift: objects that expire by themselves, and temporary URLs that need no token.
//!
//! Swift always gets the token of its own section, whoever caused the call.

pub mod image_store;
mod info;
pub mod temp_url;

pub use crate::call::Upload;
pub use info::Info;

use crate::{
    Caller, Deadline, Error, Reason, Secret, Service,
    call::{Call, Content},
    endpoint::{self, escape_path},
    session::{Answer, Session},
};
use bytes::Bytes;
use md5::{Digest as _, Md5};
use reqwest::{Method, Url};
use ring::digest::{SHA256, digest};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use temp_url::TempUrl;
use tokio::time::Instant;
use types::hex;

/// How long what a cluster can do is not asked again.
const INFO_LIFETIME: Duration = Duration::from_secs(600);
/// How long the key of the account is not asked for again. Whoever changes it keeps the old one as
/// the second key for longer than that, or URLs that machines have become invalid as well.
const KEY_LIFETIME: Duration = Duration::from_secs(60);

/// A client of Swift.
#[derive(Debug, Clone)]
pub struct Swift {
    pub(crate) session: Arc<Session>,
    info: Arc<Mutex<Option<(Instant, Info)>>>,
    account_key: Arc<Mutex<Option<(Instant, Secret)>>>,
}

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ObjectName {
    pub container: String,
    pub object: String,
}

/// What is stored.
#[derive(Clone)]
pub enum ObjectData {
    Bytes(Bytes),
    /// Too large for memory. With its MD5 sum, Swift checks what arrives.
    Upload {
        source: Arc<dyn Upload>,
        md5: Option<String>,
    },
}

impl std::fmt::Debug for ObjectData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Upload { source, .. } => write!(f, "{} bytes", source.length()),
        }
    }
}

/// What Swift says about an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    pub length: Option<u64>,
    pub etag: Option<String>,
}

impl ObjectName {
    pub fn new(container: impl Into<String>, object: impl Into<String>) -> Self {
        Self {
            container: container.into(),
            object: object.into(),
        }
    }

    /// The path below the account, not escaped. Nothing for names that a URL cannot have: `.` and
    /// `..` are resolved by every client and server.
    fn path(&self) -> Option<String> {
        let has_dots = self
            .object
            .split('/')
            .any(|part| matches!(part, "." | ".."));
        (is_container_name(&self.container) && !has_dots && !self.object.is_empty())
            .then(|| format!("/{}/{}", self.container, self.object))
    }
}

impl Swift {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self {
            session,
            info: Arc::default(),
            account_key: Arc::default(),
        }
    }

    /// Stores an object, which Swift deletes after `expires_after`. The container is made if it is
    /// not there. Repeating it replaces the object and renews its expiry.
    pub async fn put(
        &self,
        name: &ObjectName,
        data: ObjectData,
        expires_after: Option<Duration>,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let call = put_call(name, data, expires_after);
        match self.send(call.clone(), deadline).await {
            // The container is missing: rare after the first time, so it is not looked for before.
            Err(error) if error.is_not_found() => {
                self.create_container(&name.container, deadline).await?;
                self.send(call, deadline).await.map(drop)
            }
            outcome => outcome.map(drop),
        }
    }

    /// Makes a container; one that is there stays as it is.
    pub async fn create_container(&self, name: &str, deadline: Deadline) -> Result<(), Error> {
        let action = format!("create container {name}");
        let call = match is_container_name(name) {
            true => Ok(Call::fixed(Method::PUT, &format!("/{name}"), action)),
            false => Err((action, Reason::InvalidId(name.to_owned()))),
        };
        self.send(call, deadline).await.map(drop)
    }

    pub async fn has_container(&self, name: &str, deadline: Deadline) -> Result<bool, Error> {
        let action = format!("look up container {name}");
        let call = match is_container_name(name) {
            true => Ok(Call::fixed(Method::HEAD, &format!("/{name}"), action)),
            false => Err((action, Reason::InvalidId(name.to_owned()))),
        };
        match self.send(call, deadline).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads an object of at most `limit` bytes.
    pub async fn get(
        &self,
        name: &ObjectName,
        limit: usize,
        deadline: Deadline,
    ) -> Result<Bytes, Error> {
        let call = object_call(Method::GET, "read", name).map(|call| call.limit(limit));
        self.send(call, deadline).await?.bytes().await
    }

    pub async fn head(&self, name: &ObjectName, deadline: Deadline) -> Result<ObjectInfo, Error> {
        let call = object_call(Method::HEAD, "look up", name);
        let answer = self.send(call, deadline).await?;
        let text = |name| answer.headers().get(name)?.to_str().ok().map(str::to_owned);
        Ok(ObjectInfo {
            length: text("content-length").and_then(|length| length.parse().ok()),
            etag: text("etag").map(|etag| etag.trim_matches('"').to_owned()),
        })
    }

    /// Deletes an object; says whether it was there.
    pub async fn delete(&self, name: &ObjectName, deadline: Deadline) -> Result<bool, Error> {
        match self
            .send(object_call(Method::DELETE, "delete", name), deadline)
            .await
        {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A URL that anybody can read the object by for a while.
    pub async fn temp_url(
        &self,
        name: &ObjectName,
        lifetime: Duration,
        deadline: Deadline,
    ) -> Result<TempUrl, Error> {
        let account = self.session.endpoint(deadline).await?;
        let key = self.account_key(deadline).await?;
        self.sign(&account, name, &key, lifetime, deadline).await
    }

    /// A temporary URL below an account, by a key that is known.
    async fn sign(
        &self,
        account: &Url,
        name: &ObjectName,
        key: &Secret,
        lifetime: Duration,
        deadline: Deadline,
    ) -> Result<TempUrl, Error> {
        let digest = self.info(account, deadline).await?.digest();
        let path = name.path().ok_or_else(|| {
            let request = self.session.context("make a temporary URL", false);
            Error::new(&request, Reason::InvalidId(name.object.clone()))
        })?;
        Ok(TempUrl::sign(account, &path, key, digest, lifetime))
    }

    /// The secret that the account's temporary URLs are signed with.
    pub async fn account_key(&self, deadline: Deadline) -> Result<Secret, Error> {
        let known = self
            .account_key
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some((when, key)) = known
            && when.elapsed() < KEY_LIFETIME
        {
            return Ok(key);
        }
        let key = self.ask_account_key(deadline).await?;
        *self
            .account_key
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), key.clone()));
        Ok(key)
    }

    async fn ask_account_key(&self, deadline: Deadline) -> Result<Secret, Error> {
        let call = Call::fixed(Method::HEAD, "/", "show its account");
        let answer = self.send(Ok(call), deadline).await?;
        let names = [
            "x-account-meta-temp-url-key",
            "x-account-meta-temp-url-key-2",
        ];
        let mut keys = names.iter().filter_map(|name| {
            let value = answer.headers().get(*name)?.to_str().ok()?;
            (!value.is_empty()).then(|| Secret::from(value))
        });
        keys.next().ok_or_else(|| {
            Error::new(
                &answer.request,
                Reason::NotConfigured(
                    "Swift temporary URLs require a shared secret to be created. You must provide \
                     \"swift_temp_url_key\" as a config option or pre-generate the key on the \
                     project used to access Swift."
                        .into(),
                ),
            )
        })
    }

    /// What the cluster can do.
    pub async fn info(&self, account: &Url, deadline: Deadline) -> Result<Info, Error> {
        let known = self
            .info
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some((when, info)) = known
            && when.elapsed() < INFO_LIFETIME
        {
            return Ok(info);
        }
        let mut call = Call::fixed(Method::GET, "/info", "list its capabilities");
        call.base = Some(temp_url::cluster_root(account));
        let info = match self.send(Ok(call), deadline).await {
            Ok(answer) => answer.json().await?,
            // Ceph's gateway, or a cluster that does not tell.
            Err(Error {
                reason: Reason::NotFound(_) | Reason::Refused(_) | Reason::Rejected(_),
                ..
            }) => Info::default(),
            Err(error) => return Err(error),
        };
        let now = Instant::now();
        *self.info.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, Info::clone(&info)));
        Ok(info)
    }

    async fn send(
        &self,
        call: Result<Call, (String, Reason)>,
        deadline: Deadline,
    ) -> Result<Answer, Error> {
        self.session.send(call, &Caller::service(), deadline).await
    }

    /// The project of `[swift]`.
    pub(crate) async fn project_id(&self, deadline: Deadline) -> Result<Option<String>, Error> {
        self.session.project_id(deadline).await
    }

    pub(crate) async fn endpoint(&self, deadline: Deadline) -> Result<Url, Error> {
        self.session.endpoint(deadline).await
    }
}

fn is_container_name(name: &str) -> bool {
    !name.is_empty() && !name.contains('/') && !matches!(name, "." | "..")
}

fn object_call(method: Method, verb: &str, name: &ObjectName) -> Result<Call, (String, Reason)> {
    let action = format!("{verb} object {}/{}", name.container, name.object);
    match name.path() {
        Some(path) => Ok(Call::fixed(method, &path, action)),
        None => Err((action, Reason::InvalidId(name.object.clone()))),
    }
}

fn put_call(
    name: &ObjectName,
    data: ObjectData,
    expires_after: Option<Duration>,
) -> Result<Call, (String, Reason)> {
    let mut call = object_call(Method::PUT, "store", name)?;
    if let Some(lifetime) = expires_after {
        // 0 would be refused.
        call = call.header("x-delete-after", lifetime.as_secs().max(1).to_string());
    }
    let (content, md5, sha256) = match data {
        ObjectData::Bytes(bytes) => {
            let md5 = hex::encode(&Md5::digest(&bytes));
            let sha256 = hex::encode(digest(&SHA256, &bytes).as_ref());
            (Content::Bytes(bytes), Some(md5), Some(sha256))
        }
        ObjectData::Upload { source, md5 } => (Content::Upload(source), md5, None),
    };
    if let Some(md5) = md5 {
        // Swift refuses contents with another sum.
        call = call
            .header("etag", md5.clone())
            .header("x-object-meta-x-sdk-md5", md5);
    }
    if let Some(sha256) = sha256 {
        call = call.header("x-object-meta-x-sdk-sha256", sha256);
    }
    Ok(call.content(content))
}

/// The endpoint of another account of the same cluster.
pub(crate) fn account_endpoint(
    base: &Url,
    api_version: &str,
    account: &str,
) -> Result<Url, endpoint::InvalidEndpoint> {
    let root = temp_url::cluster_root(base);
    let version = escape_path(api_version);
    let root = root.as_str().trim_end_matches('/');
    let address = format!("{root}/{version}/{}", escape_path(account));
    endpoint::api_root(Service::Swift, &address, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_carry_their_sums_and_expiry() {
        let name = ObjectName::new("ironic_configdrive_container", "configdrive-N");
        let data = ObjectData::Bytes(Bytes::from_static(b"drive"));
        let call = put_call(&name, data, Some(Duration::from_secs(1920))).unwrap();
        let root = Url::parse("http://s/v1/AUTH_p").unwrap();
        assert_eq!(
            call.url(&root).as_str(),
            "http://s/v1/AUTH_p/ironic_configdrive_container/configdrive-N"
        );
        let header = |name| {
            call.headers
                .iter()
                .find(|header| header.0 == name)
                .map(|h| &*h.1)
        };
        assert_eq!(header("x-delete-after"), Some("1920"));
        let md5 = "4aa1e7414849577e6d4c076c08782d3a";
        assert_eq!(header("x-object-meta-x-sdk-md5"), Some(md5));
        assert_eq!(header("etag"), Some(md5));
        assert_eq!(
            header("x-object-meta-x-sdk-sha256"),
            Some("7062520c5a0ea9deac825278c9f4f0cbad48864b2c7d0c7f1ebccdb752afb058")
        );
    }

    #[test]
    fn names_cannot_leave_their_container() {
        for (container, object) in [
            ("", "o"),
            ("c", ""),
            ("..", "o"),
            ("a/b", "o"),
            ("c", "../x"),
            ("c", "x/./y"),
        ] {
            let name = ObjectName::new(container, object);
            assert!(object_call(Method::GET, "read", &name).is_err(), "{name:?}");
        }
        let odd = ObjectName::new("c d", "a/b?c#d%");
        let call = object_call(Method::GET, "read", &odd).unwrap();
        let root = Url::parse("http://s/v1/AUTH_p").unwrap();
        assert_eq!(
            call.url(&root).as_str(),
            "http://s/v1/AUTH_p/c%20d/a/b%3Fc%23d%25"
        );
    }

    #[test]
    fn other_accounts_are_beside_ours() {
        let base = Url::parse("http://s:8080/v1/AUTH_p").unwrap();
        let endpoint = account_endpoint(&base, "v1", "AUTH_q").unwrap();
        assert_eq!(endpoint.as_str(), "http://s:8080/v1/AUTH_q");
        let base = Url::parse("http://rgw/swift/v1/AUTH_p").unwrap();
        let endpoint = account_endpoint(&base, "v1", "AUTH_q").unwrap();
        assert_eq!(endpoint.as_str(), "http://rgw/swift/v1/AUTH_q");
    }
}
