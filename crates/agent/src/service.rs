//! The service's API, as far as an agent calls it.

use crate::config::{Config, Token};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};
use types::JsonMap;

/// A version of the API.
pub type Version = (u16, u16);

/// What is spoken with a service that does not say what it speaks.
const OLDEST: Version = (1, 31);

/// From here on heartbeats say what agent it is.
const AGENT_VERSION: Version = (1, 36);

/// From here on there are agent tokens; lookups speak no newer version.
const AGENT_TOKEN: Version = (1, 62);

/// From here on heartbeats bring a certificate; they speak no newer version.
const AGENT_VERIFY_CA: Version = (1, 68);

/// The header that names the version of the API.
const VERSION_HEADER: &str = "x-openstack-ironic-api-version";

/// How much of an answer goes into an error.
const TAIL: usize = 500;

/// The service did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// No URL of the service answered.
    #[error("no answer from {url}: {reason}")]
    Unreachable { url: String, reason: String },
    /// The service refused.
    #[error("HTTP error {status}: {text}")]
    Refused { status: StatusCode, text: String },
    /// What came is not what was asked for.
    #[error("{0}")]
    Nonsense(String),
}

/// The answer to a lookup.
#[derive(Debug, Clone)]
pub struct LookupAnswer {
    pub node: JsonMap,
    pub config: JsonMap,
}

/// What a heartbeat says.
#[derive(Debug)]
pub struct Heartbeat<'a> {
    pub node: &'a str,
    pub callback_url: &'a str,
    pub token: Option<&'a Token>,
    pub certificate: Option<&'a str>,
}

/// A service at one of several addresses, the one that answered last tried first.
#[derive(Debug)]
pub struct Service {
    client: Client,
    urls: Mutex<VecDeque<String>>,
    fixed_version: Option<Version>,
    version: Mutex<Option<Version>>,
    request_id: Option<String>,
}

impl Service {
    pub fn new(client: Client, config: &Config) -> Self {
        Self {
            client,
            urls: Mutex::new(config.api_urls.iter().cloned().collect()),
            fixed_version: config.api_version,
            version: Mutex::new(None),
            request_id: config.global_request_id.clone(),
        }
    }

    /// The addresses, the most promising first.
    pub fn urls(&self) -> Vec<String> {
        let urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
        urls.iter().cloned().collect()
    }

    /// Sends a request to the first address that can be reached.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        dress: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, ServiceError> {
        let mut failure =
            ServiceError::Nonsense("no URL of the service is configured (ipa-api-url)".to_owned());
        for (tried, url) in self.urls().into_iter().enumerate() {
            let mut request = self
                .client
                .request(method.clone(), format!("{url}{path}"))
                .header("accept", "application/json");
            if let Some(id) = &self.request_id {
                request = request.header("x-openstack-request-id", id);
            }
            match dress(request).send().await {
                Ok(answer) => {
                    let mut urls = self.urls.lock().unwrap_or_else(PoisonError::into_inner);
                    urls.rotate_left(tried);
                    return Ok(answer);
                }
                Err(error) => {
                    // The path of a request holds no secret, but its query may.
                    let reason = types::error::chain(&error.without_url());
                    tracing::debug!("no answer from {url}: {reason}");
                    failure = ServiceError::Unreachable { url, reason };
                }
            }
        }
        Err(failure)
    }

    /// The version that the service speaks unless asked otherwise.
    pub async fn version(&self) -> Version {
        let known = *self.version.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = self.fixed_version.or(known) {
            return version;
        }
        let asked = async {
            let answer = self.send(Method::GET, "/", |request| request).await?;
            let document: Value = json_of(answer).await?;
            document["default_version"]["version"]
                .as_str()
                .and_then(parse_version)
                .ok_or_else(|| {
                    ServiceError::Nonsense(
                        "no API version in the root document of the service".to_owned(),
                    )
                })
        };
        match asked.await {
            Ok(version) => {
                let mut known = self.version.lock().unwrap_or_else(PoisonError::into_inner);
                *known = Some(version);
                version
            }
            Err(error) => {
                tracing::warn!("cannot read the API version, falling back to the oldest: {error}");
                OLDEST
            }
        }
    }

    /// Whether the service takes a certificate with heartbeats.
    pub async fn takes_certificates(&self) -> bool {
        self.version().await >= AGENT_VERIFY_CA
    }

    /// Asks once which node has these MAC addresses.
    pub async fn lookup(
        &self,
        macs: &str,
        node: Option<&str>,
    ) -> Result<LookupAnswer, ServiceError> {
        let version = text(self.version().await.min(AGENT_TOKEN));
        let mut query = vec![("addresses", macs)];
        query.extend(node.map(|node| ("node_uuid", node)));
        let answer = self
            .send(Method::GET, "/v1/lookup", |request| {
                request.header(VERSION_HEADER, &version).query(&query)
            })
            .await?;
        let mut found: JsonMap = json_of(accepted(answer, StatusCode::OK).await?).await?;
        let mut part = |name: &str| match found.remove(name) {
            Some(Value::Object(part)) => Ok(part),
            _ => Err(ServiceError::Nonsense(format!(
                "the lookup answer lacks {name}"
            ))),
        };
        let (node, config) = (part("node")?, part("config")?);
        if !node.get("uuid").is_some_and(Value::is_string) {
            let text = "the lookup answer lacks a node".to_owned();
            return Err(ServiceError::Nonsense(text));
        }
        Ok(LookupAnswer { node, config })
    }

    /// Says once that this agent is there.
    pub async fn heartbeat(&self, heartbeat: &Heartbeat<'_>) -> Result<(), ServiceError> {
        let version = self.version().await;
        let mut body = json!({ "callback_url": heartbeat.callback_url });
        if version >= AGENT_TOKEN {
            body["agent_token"] = json!(heartbeat.token.map(Token::reveal));
        }
        if version >= AGENT_VERSION {
            body["agent_version"] = json!(crate::VERSION);
        }
        if version >= AGENT_VERIFY_CA
            && let Some(certificate) = heartbeat.certificate
        {
            body["agent_verify_ca"] = json!(certificate);
        }
        let version = text(version.min(AGENT_VERIFY_CA));
        let path = format!("/v1/heartbeat/{}", heartbeat.node);
        let answer = self
            .send(Method::POST, &path, |request| {
                request.header(VERSION_HEADER, &version).json(&body)
            })
            .await?;
        accepted(answer, StatusCode::ACCEPTED).await.map(drop)
    }
}

fn text((major, minor): Version) -> String {
    format!("{major}.{minor}")
}

fn parse_version(text: &str) -> Option<Version> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

async fn json_of<T: serde::de::DeserializeOwned>(answer: Response) -> Result<T, ServiceError> {
    let nonsense = |error: reqwest::Error| {
        let reason = types::error::chain(&error.without_url());
        ServiceError::Nonsense(format!("the answer is not JSON: {reason}"))
    };
    answer.json().await.map_err(nonsense)
}

/// The answer, if it has the status that stands for success.
pub(crate) async fn accepted(
    answer: Response,
    wanted: StatusCode,
) -> Result<Response, ServiceError> {
    let status = answer.status();
    if status == wanted {
        return Ok(answer);
    }
    let body = answer.text().await.unwrap_or_default();
    let text = fault(&body).unwrap_or_else(|| body[..body.floor_char_boundary(TAIL)].to_owned());
    Err(ServiceError::Refused { status, text })
}

/// The text of a fault, which may be JSON in a JSON string.
fn fault(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let error = match body.get("error_message") {
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(error) => error.clone(),
        None => body,
    };
    let text = error.get("faultstring").or_else(|| error.get("title"))?;
    text.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_in_both_forms() {
        let new = r#"{"error_message": {"faultstring": "no such node", "faultcode": "Client"}}"#;
        assert_eq!(fault(new).unwrap(), "no such node");
        let old = r#"{"error_message": "{\"faultstring\": \"gone\"}"}"#;
        assert_eq!(fault(old).unwrap(), "gone");
        assert_eq!(fault("<html>"), None);
        assert_eq!(fault("{}"), None);
    }

    #[test]
    fn versions_are_two_numbers() {
        assert_eq!(parse_version("1.68"), Some((1, 68)));
        assert_eq!(parse_version("new"), None);
        assert_eq!(text((1, 62)), "1.62");
    }
}
