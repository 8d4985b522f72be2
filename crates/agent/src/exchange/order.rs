//! What the service says about an image that agents share: `image_peers` of `image_info`.

use super::MOST_PEERS;
use crate::{AgentError, command::invalid_params, config::Token};
use base64::{Engine, engine::general_purpose::STANDARD};
use image::blocks::BlockList;
use reqwest::Url;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{net::IpAddr, sync::Arc};
use types::JsonMap;

/// The key in `image_info`. Only agents of this service are told it.
const KEY: &str = "image_peers";

/// The longest certificate that is looked at.
const LONGEST_CERTIFICATE: usize = 16 << 10;

/// Where an agent serves, and how others know that it is the one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PeerAddress {
    /// Scheme, IP address and port.
    pub(crate) url: String,
    /// In PEM; where the scheme is https.
    pub(crate) certificate: Option<String>,
}

impl PeerAddress {
    /// The base of the agent's URLs, if connections may be made to it.
    pub(super) fn base(&self) -> Result<Url, String> {
        let wrong = |why: &str| format!("the address {:?} of an agent {why}", short(&self.url));
        let url = Url::parse(&self.url).map_err(|error| wrong(&format!("is no URL: {error}")))?;
        let host = url.host_str().unwrap_or_default();
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let is_plain = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        match url.scheme() {
            "http" | "https" if ip.is_some() && is_plain => Ok(url),
            _ => Err(wrong("is not http or https, an IP address and a port")),
        }
    }

    /// The one certificate that the agent may show; none where it is reached without TLS.
    pub(super) fn certificate(&self) -> Result<Option<CertificateDer<'static>>, String> {
        if self.base()?.scheme() == "http" {
            return Ok(None);
        }
        let wrong = || format!("the agent at {} has no usable certificate", self.url);
        let pem = self.certificate.as_deref().unwrap_or_default();
        if pem.len() > LONGEST_CERTIFICATE {
            return Err(wrong());
        }
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes());
        certificate.map(Some).map_err(|_| wrong())
    }
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

/// How an image is shared.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) list: Arc<BlockList>,
    /// Who has it may ask for blocks of this image.
    pub(super) token: Token,
    /// This agent, as others reach it.
    pub(super) own: PeerAddress,
    pub(super) peers: Vec<PeerAddress>,
}

/// As it is sent.
#[derive(Deserialize)]
struct Sent {
    size: u64,
    block_size: u32,
    blocks: String,
    token: String,
    own: PeerAddress,
    peers: Vec<PeerAddress>,
}

impl Order {
    /// Reads what `image_info` says about peers, if it does.
    pub(crate) fn read(image_info: &JsonMap) -> Result<Option<Self>, AgentError> {
        let refused = |why: String| invalid_params(format!("Image '{KEY}' is invalid: {why}"));
        let sent = match image_info.get(KEY) {
            None | Some(Value::Null) => return Ok(None),
            Some(sent) => sent,
        };
        let sent = Sent::deserialize(sent).map_err(|error| refused(error.to_string()))?;
        let list = STANDARD.decode(&sent.blocks);
        let list = list.map_err(|_| refused("the list of blocks is not base64".to_owned()))?;
        let list = BlockList::from_bytes(sent.size, sent.block_size, &list);
        let list = list.map_err(|error| refused(error.to_string()))?;
        if sent.token.is_empty() {
            return Err(refused("the token is empty".to_owned()));
        }
        sent.own.base().map_err(refused)?;
        let mut peers = sent.peers;
        peers.truncate(MOST_PEERS);
        for peer in &peers {
            peer.certificate().map_err(refused)?;
        }
        Ok(Some(Self {
            list: Arc::new(list),
            token: Token::new(sent.token),
            own: sent.own,
            peers,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(peers: Value) -> Result<Option<Order>, AgentError> {
        Order::read(json!({ KEY: peers }).as_object().unwrap())
    }

    #[test]
    fn only_what_is_complete_is_taken() {
        let list = BlockList::of(&[1; 9], 4).unwrap();
        let sent = json!({"size": 9, "block_size": 4, "blocks": STANDARD.encode(list.to_bytes()),
            "token": "secret", "own": {"url": "https://10.0.0.1:9999", "certificate": "x"},
            "peers": [{"url": "http://[fd00::2]:9999", "certificate": null}]});
        let order = read(sent.clone()).unwrap().unwrap();
        assert_eq!((*order.list == list, order.peers.len()), (true, 1));
        assert!(!format!("{order:?}").contains("secret"));
        assert!(read(Value::Null).unwrap().is_none());
        let url = |url: &str| json!([{"url": url, "certificate": "x"}]);
        for (key, odd) in [
            ("size", json!(20)),
            ("size", json!(-1)),
            ("block_size", json!(0)),
            ("blocks", json!("?")),
            ("blocks", json!("aaaa")),
            ("token", json!("")),
            ("own", json!({"url": "nowhere"})),
            ("peers", json!(null)),
            ("peers", url("https://10.0.0.2:9999")),
            ("peers", url("http://name:9999")),
            ("peers", url("http://u@10.0.0.2:9999")),
            ("peers", url("http://10.0.0.2:9999/path")),
            ("peers", url("file:///etc/passwd")),
        ] {
            let mut sent = sent.clone();
            sent[key] = odd.clone();
            let error = read(sent).unwrap_err();
            assert_eq!(error.code, 400, "{key} {odd}: {error}");
        }
        assert_eq!(read(json!(3)).unwrap_err().code, 400);
    }
}
