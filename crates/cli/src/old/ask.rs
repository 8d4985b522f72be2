//! Asking the service: retries, versions and errors as the old client has them, and `--debug`.

use std::cell::Cell;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use super::failure::Failure;
use super::global::{Globals, Retries};
use super::pretty::Table;
use super::python;
use super::version::{Supported, Wish};
use crate::Session;
use crate::client::{Call, NEWEST_VERSION};
use crate::error::{self, Error};
use crate::version::ApiVersion;

const OLDEST_VERSION: &str = "x-openstack-ironic-api-minimum-version";
const REQUEST_ID: &str = "x-openstack-request-id";
/// What a debug line shows in the place of a secret.
const HIDDEN: &str = "***";
/// Parts of names whose values are secrets.
const SECRET: &[&str] = &[
    "pass",
    "secret",
    "token",
    "key",
    "credential",
    "community",
    "configdrive",
];

/// A command under way.
pub(super) struct Context {
    pub(super) session: Session,
    wish: Cell<Wish>,
    /// Whether the version was lowered already.
    lowered: Cell<bool>,
    retries: Retries,
    pub(super) json: bool,
    debug: bool,
}

impl Context {
    pub(super) fn new(
        session: Session,
        wish: Wish,
        retries: Retries,
        globals: &Globals<'_>,
    ) -> Self {
        Self {
            session,
            wish: Cell::new(wish),
            lowered: Cell::new(false),
            retries,
            json: globals.has_json(),
            debug: globals.has_debug(),
        }
    }

    /// Makes a request, again if what stands in its way may pass. An answer without a body is
    /// `null`.
    pub(super) async fn ask(&self, call: &Call) -> Result<Value, Failure> {
        let mut tries = 0;
        loop {
            match self.ask_once(call).await {
                Err(failure) if failure.may_pass() && tries < self.retries.most => {
                    tries += 1;
                    let most = self.retries.most + 1;
                    self.trace(&format!(
                        "Error contacting Ironic server: {}. Attempt {tries} of {most}",
                        failure.detail()
                    ));
                    tokio::time::sleep(Duration::from_secs(self.retries.interval.into())).await;
                }
                ended => return ended,
            }
        }
    }

    async fn ask_once(&self, call: &Call) -> Result<Value, Failure> {
        loop {
            let response = self.exchange(call).await?;
            let status = response.status();
            if status == StatusCode::NOT_ACCEPTABLE
                && let Some(supported) = supported(&response)
            {
                let version = supported.instead_of(self.wish.get(), self.lowered.replace(true))?;
                self.wish.set(Wish::AtMost(version));
                self.session.client.speak(version);
                self.trace(&format!("Negotiated API version is {version}"));
                continue;
            }
            let request = response.headers().get(REQUEST_ID);
            let request = request.and_then(|id| id.to_str().ok()).map(str::to_owned);
            let body = response.bytes().await;
            let body = body.map_err(|error| self.unreachable(call, error.to_string()))?;
            if !status.is_success() {
                return Err(refused(status, &body, request));
            }
            return match body.is_empty() {
                true => Ok(Value::Null),
                false => serde_json::from_slice(&body).map_err(|error| {
                    Failure::failed(format!("Could not decode response body as JSON: {error}"))
                }),
            };
        }
    }

    async fn exchange(&self, call: &Call) -> Result<reqwest::Response, Failure> {
        let client = &self.session.client;
        self.trace(&self.curl(call)?);
        let answer = tokio::time::timeout(self.retries.patience, client.answer(call)).await;
        let response = match answer {
            Err(_) => return Err(self.unreachable(call, "no answer in time".to_owned())),
            Ok(Err(error)) if error.is_unreachable() => {
                return Err(self.unreachable(call, error.message().to_owned()));
            }
            Ok(other) => other?,
        };
        self.trace(&format!("RESP: [{}]", response.status().as_u16()));
        Ok(response)
    }

    fn unreachable(&self, call: &Call, cause: String) -> Failure {
        match self.session.client.url(call) {
            Ok(url) => Failure::Unreachable {
                url: url.to_string(),
                cause,
            },
            Err(error) => error.into(),
        }
    }

    fn trace(&self, text: &str) {
        if self.debug {
            let text = crate::console::printable(text);
            self.session.console.note(&format!("DEBUG {text}"));
        }
    }

    /// The request as a command that can be pasted, but for its secrets.
    fn curl(&self, call: &Call) -> Result<String, Error> {
        let client = &self.session.client;
        let mut line = format!(
            "REQ: curl -g -i -X {} {} -H \"Accept: application/json\" -H \
             \"X-OpenStack-Ironic-API-Version: {}\"",
            call.method(),
            client.url(call)?,
            client.version()
        );
        if client.has_token() {
            line += &format!(" -H \"X-Auth-Token: {HIDDEN}\"");
        }
        if let Some(body) = call.sent() {
            let body = hidden(body).to_string().replace('\'', "'\\''");
            line += &format!(" -H \"Content-Type: application/json\" -d '{body}'");
        }
        Ok(line)
    }

    pub(super) fn print(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.session.console.print(text)?)
    }

    /// Prints something as JSON if that is wanted, else as a table.
    pub(super) fn show(&mut self, document: &Value, table: &Table) -> Result<(), Failure> {
        match self.json {
            true => {
                let text = python::dumps(document) + "\n";
                Ok(self.session.console.print_data(&text)?)
            }
            false => self.print(&table.draw()),
        }
    }
}

fn supported(response: &reqwest::Response) -> Option<Supported> {
    let version = |name: &str| -> Option<ApiVersion> {
        response.headers().get(name)?.to_str().ok()?.parse().ok()
    };
    Some(Supported {
        oldest: version(OLDEST_VERSION)?,
        newest: version(NEWEST_VERSION)?,
    })
}

fn refused(status: StatusCode, body: &[u8], request: Option<String>) -> Failure {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = error::fault(&body)
        .or_else(|| status.canonical_reason().map(str::to_owned))
        .unwrap_or_else(|| "HTTP Error".to_owned());
    Failure::Refused {
        status: status.as_u16(),
        message,
        request,
    }
}

/// A body with its secrets left out, in objects and in patches.
fn hidden(body: &Value) -> Value {
    let is_secret = |name: &str| {
        let name = name.to_lowercase();
        SECRET.iter().any(|part| name.contains(part))
    };
    match body {
        Value::Object(members) => {
            let path = members.get("path").and_then(Value::as_str);
            let is_patched = path.is_some_and(is_secret);
            let member = |(name, value): (&String, &Value)| {
                let value = match is_secret(name) || (is_patched && name == "value") {
                    true => Value::from(HIDDEN),
                    false => hidden(value),
                };
                (name.clone(), value)
            };
            Value::Object(members.iter().map(member).collect())
        }
        Value::Array(items) => items.iter().map(hidden).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_debug_line_has_no_secret() {
        let body = json!([
            {"op": "add", "path": "/driver_info/ipmi_password", "value": "s3"},
            {"op": "add", "path": "/driver_info", "value": {"ipmi_address": "a", "snmp_community": "s3"}},
        ]);
        assert_eq!(
            hidden(&body),
            json!([
                {"op": "add", "path": "/driver_info/ipmi_password", "value": "***"},
                {"op": "add", "path": "/driver_info", "value": {"ipmi_address": "a", "snmp_community": "***"}},
            ])
        );
    }

    #[test]
    fn a_refusal_is_told_with_its_status() {
        let body = json!({"error_message": json!({"faultstring": "Node x could not be found."}).to_string()});
        let told = refused(
            StatusCode::NOT_FOUND,
            body.to_string().as_bytes(),
            Some("req-1".to_owned()),
        );
        let expected = "Node x could not be found. (HTTP 404) (Request-ID: req-1)";
        assert_eq!(told.text(), expected);
        let told = refused(StatusCode::SERVICE_UNAVAILABLE, b"<html>", None);
        assert_eq!(told.text(), "Service Unavailable (HTTP 503)");
        let told = refused(StatusCode::UNAUTHORIZED, b"", None);
        assert_eq!(told.text(), "Invalid OpenStack Identity credentials");
        assert_eq!(told.detail(), "Unauthorized (HTTP 401)");
    }
}
