//! Another agent, as one asks it for blocks.

use super::{Order, PeerAddress, bits::Bits, serve::TOKEN_HEADER};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use std::time::Duration;
use tls::Trust;

/// Why a peer did not bring what it was asked for.
#[derive(Debug)]
pub(super) enum PeerFailure {
    /// It does not have the image, or not yet.
    Unknown,
    /// It does not have the block any more, or cannot serve it just now.
    NotNow,
    /// It is not there, too slow, or makes no sense.
    Broken(String),
}

impl From<reqwest::Error> for PeerFailure {
    fn from(error: reqwest::Error) -> Self {
        Self::Broken(types::error::chain(&error.without_url()))
    }
}

#[derive(Debug)]
pub(super) struct Peer {
    client: Client,
    base: Url,
    order: Order,
    image: String,
}

impl Peer {
    /// `slow` is how long each answer may take. Nothing is asked yet.
    pub(super) fn new(
        address: &PeerAddress,
        order: &Order,
        slow: Duration,
    ) -> Result<Self, String> {
        let trust = match address.certificate()? {
            Some(certificate) => Trust::Only(certificate),
            None => Trust::Nobody,
        };
        let tls = tls::Client::from(trust).config();
        let client = outbound::client()
            .user_agent(concat!("corten-agent/", env!("CARGO_PKG_VERSION")))
            .timeout(slow)
            .connect_timeout(slow)
            .tls_backend_preconfigured(tls.map_err(|error| error.to_string())?)
            .build();
        Ok(Self {
            client: client.map_err(|error| types::error::chain(&error))?,
            base: address.base()?,
            order: order.clone(),
            image: order.list.id(),
        })
    }

    /// Introduces this agent, and asks what the peer has.
    pub(super) async fn blocks(&self) -> Result<Bits, PeerFailure> {
        let path = format!("/v1/image_peers/{}", self.image);
        let request = self.client.post(self.url(&path)).json(&self.order.own);
        let answer = self.send(request).await?;
        let length = Bits::bytes_for(self.order.list.count());
        Ok(Bits::from_bytes(exactly(answer, length).await?))
    }

    /// A block, which may be anything of its length.
    pub(super) async fn block(&self, block: usize) -> Result<Vec<u8>, PeerFailure> {
        let path = format!("/v1/image_peers/{}/{block}", self.image);
        let answer = self.send(self.client.get(self.url(&path))).await?;
        let (_, length) = self.order.list.range(block);
        exactly(answer, length).await
    }

    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }

    async fn send(&self, request: RequestBuilder) -> Result<Response, PeerFailure> {
        let request = request.header(TOKEN_HEADER, self.order.token.reveal());
        let answer = request.send().await?;
        match answer.status() {
            StatusCode::OK => Ok(answer),
            StatusCode::NOT_FOUND => Err(PeerFailure::Unknown),
            StatusCode::GONE | StatusCode::SERVICE_UNAVAILABLE => Err(PeerFailure::NotNow),
            status => Err(PeerFailure::Broken(format!("HTTP status {status}"))),
        }
    }
}

/// The body of an answer, which must have this length. No more than that is kept.
async fn exactly(mut answer: Response, length: usize) -> Result<Vec<u8>, PeerFailure> {
    let wrong = || PeerFailure::Broken(format!("an answer that has not {length} bytes"));
    let mut bytes = Vec::with_capacity(length);
    while let Some(chunk) = answer.chunk().await? {
        if chunk.len() > length - bytes.len() {
            return Err(wrong());
        }
        bytes.extend_from_slice(&chunk);
    }
    if bytes.len() == length {
        Ok(bytes)
    } else {
        Err(wrong())
    }
}
