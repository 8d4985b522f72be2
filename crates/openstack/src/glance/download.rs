//! The contents of an image.
//!
//! Ironic takes whatever Glance sends: an error page became a deployed image. Here the status, the
//! size and the checksum decide. A connection that breaks is taken up again where it broke, by a
//! range request; the checksum covers the whole.

use super::Image;
use crate::{
    Caller, Deadline, Error, Outage, Reason, RequestContext, call::Call, session::Session,
};
use bytes::Bytes;
use md5::{Digest, Md5};
use reqwest::{Method, Response, StatusCode, header::CONTENT_RANGE};
use ring::digest;
use std::{fmt, sync::Arc};
use types::hex;

/// How often a broken download is continued.
const CONTINUATIONS: u32 = 3;

/// An image that is being read. Dropping it closes the connection.
pub struct Download {
    session: Arc<Session>,
    caller: Caller,
    deadline: Deadline,
    id: String,
    request: RequestContext,
    response: Response,
    /// What Glance states.
    size: Option<u64>,
    checksum: Option<Checksum>,
    received: u64,
    continuations: u32,
    is_complete: bool,
}

struct Checksum {
    hasher: Hasher,
    expected: String,
}

enum Hasher {
    Md5(Md5),
    Sha(digest::Context),
}

impl Hasher {
    fn new(algorithm: &str) -> Option<Self> {
        let sha = match algorithm {
            "md5" => return Some(Self::Md5(Md5::new())),
            "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            "sha256" => &digest::SHA256,
            "sha384" => &digest::SHA384,
            "sha512" => &digest::SHA512,
            _ => return None,
        };
        Some(Self::Sha(digest::Context::new(sha)))
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Md5(hasher) => hasher.update(bytes),
            Self::Sha(context) => context.update(bytes),
        }
    }

    fn finish(self) -> String {
        match self {
            Self::Md5(hasher) => hex::encode(&hasher.finalize()),
            Self::Sha(context) => hex::encode(context.finish().as_ref()),
        }
    }
}

impl Checksum {
    /// The strong one if we know its algorithm, else MD5.
    fn of(image: &Image) -> Option<Self> {
        let strong = image
            .os_hash_algo
            .as_deref()
            .zip(image.os_hash_value.as_deref());
        let weak = image.checksum.as_deref().map(|value| ("md5", value));
        [strong, weak]
            .into_iter()
            .flatten()
            .find_map(|(name, value)| {
                Some(Self {
                    hasher: Hasher::new(name)?,
                    expected: value.to_lowercase(),
                })
            })
    }
}

impl Download {
    pub(super) async fn open(
        session: Arc<Session>,
        image: &Image,
        caller: Caller,
        deadline: Deadline,
    ) -> Result<Self, Error> {
        let (response, request) = ask(&session, &image.id, 0, &caller, deadline).await?;
        let download = Self {
            session,
            caller,
            deadline,
            id: image.id.clone(),
            request,
            response,
            size: image.size,
            checksum: Checksum::of(image),
            received: 0,
            continuations: 0,
            is_complete: false,
        };
        if download.response.status() == StatusCode::NO_CONTENT {
            // Glance's answer for an image that nothing was uploaded to.
            return Err(download.corrupt("there are no data".into()));
        }
        Ok(download)
    }

    /// The next bytes; nothing after the last ones, when size and checksum were found right.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_complete {
            return Ok(None);
        }
        loop {
            let patience = self.deadline.remaining();
            let piece = self.deadline.limit(self.response.chunk()).await;
            let timeout = Reason::Timeout {
                after: patience,
                was_sent: true,
            };
            let piece = piece.ok_or_else(|| Error::new(&self.request, timeout))?;
            match piece {
                Ok(Some(piece)) => return self.take(piece).map(Some),
                Ok(None) if self.size.is_none_or(|size| self.received >= size) => {
                    return self.finish();
                }
                Ok(None) => {
                    let text = format!("the answer ended after {} bytes", self.received);
                    self.proceed(text).await?;
                }
                Err(error) => {
                    self.proceed(types::error::chain(&error.without_url()))
                        .await?
                }
            }
        }
    }

    fn take(&mut self, piece: Bytes) -> Result<Bytes, Error> {
        self.received += piece.len() as u64;
        if let Some(size) = self.size
            && self.received > size
        {
            return Err(self.corrupt(format!("longer than the {size} bytes that Glance states")));
        }
        if let Some(checksum) = &mut self.checksum {
            checksum.hasher.update(&piece);
        }
        Ok(piece)
    }

    fn finish(&mut self) -> Result<Option<Bytes>, Error> {
        if let Some(Checksum { hasher, expected }) = self.checksum.take() {
            let actual = hasher.finish();
            if actual != expected {
                let text = format!("the checksum is {actual}, and Glance states {expected}");
                return Err(self.corrupt(text));
            }
        }
        self.is_complete = true;
        Ok(None)
    }

    /// Continues after the bytes that are here.
    async fn proceed(&mut self, why: String) -> Result<(), Error> {
        let broken = |request: &RequestContext| {
            Error::new(request, Reason::Unavailable(Outage::Broken(why.clone())))
        };
        if self.continuations >= CONTINUATIONS {
            return Err(broken(&self.request));
        }
        self.continuations += 1;
        tracing::debug!(
            image = self.id,
            self.received,
            why,
            "a download is continued"
        );
        let session = Arc::clone(&self.session);
        let asked = ask(
            &session,
            &self.id,
            self.received,
            &self.caller,
            self.deadline,
        )
        .await;
        let (response, _) = asked?;
        let is_rest =
            response.status() == StatusCode::PARTIAL_CONTENT && starts_at(&response, self.received);
        if !is_rest && self.received > 0 {
            return Err(broken(&self.request));
        }
        self.response = response;
        Ok(())
    }

    fn corrupt(&self, text: String) -> Error {
        Error::new(&self.request, Reason::Corrupt(text))
    }
}

async fn ask(
    session: &Session,
    id: &str,
    from: u64,
    caller: &Caller,
    deadline: Deadline,
) -> Result<(Response, RequestContext), Error> {
    let action = format!("send the data of image {id}");
    let call = Call::about(Method::GET, "images", id, "/file", action).map(|call| match from {
        0 => call,
        from => call.header("range", format!("bytes={from}-")),
    });
    let answer = session.send(call, caller, deadline).await?;
    Ok((answer.response, answer.request))
}

/// Whether a partial answer begins with this byte: `bytes 100-199/200`.
fn starts_at(response: &Response, from: u64) -> bool {
    let range = response.headers().get(CONTENT_RANGE);
    let range = range.and_then(|value| value.to_str().ok()?.trim().strip_prefix("bytes "));
    let start = range.and_then(|range| range.split_once('-')?.0.trim().parse().ok());
    start == Some(from)
}

impl fmt::Debug for Download {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download")
            .field("id", &self.id)
            .field("size", &self.size)
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}
