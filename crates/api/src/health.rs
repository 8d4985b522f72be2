//! `/healthcheck`: whether a load balancer should send us requests.
//!
//! As in Ironic it stands before authentication, answers every method, and has the text,
//! page or JSON of Ironic's library. What it tells in detail about Python has no counterpart
//! here. Ours also says 503 when the database does not answer: such a service can do nothing.

use crate::{negotiation, peer::Peer, state::ApiState};
use axum::{
    body::Body,
    http::{HeaderValue, Method, StatusCode, header, request::Parts},
    response::Response,
};
use outbound::Network;
use serde_json::json;
use std::{path::PathBuf, time::Duration};
use tokio::task::spawn_blocking;
use types::Timestamp;

const PATH: &str = "/healthcheck";

/// A database that takes longer is as good as none for whoever waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Headers of proxies.
const PROXY_HEADERS: &[&str] = &[
    "x-forwarded",
    "x-forwarded-proto",
    "x-forwarded-host",
    "x-forwarded-for",
    "x-forwarded-prefix",
];

/// A reason for or against requests, besides the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Check {
    /// The operator takes this service out by creating a file.
    DisabledByFile(Option<PathBuf>),
    /// The same with a file for each port; this is the one for ours.
    DisabledByPortFile(Option<PathBuf>),
    /// All these files must exist.
    EnabledByFiles(Vec<PathBuf>),
}

/// What the operator can change about `/healthcheck`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    pub enabled: bool,
    /// Whether more is told than the bare reasons.
    pub detailed: bool,
    pub checks: Vec<Check>,
    /// Who may ask; anybody if empty.
    pub sources: Vec<Network>,
    /// Requests that came through a proxy are not for us.
    pub ignore_proxied: bool,
}

/// What a check found.
struct Finding {
    kind: &'static str,
    fine: bool,
    reason: &'static str,
    details: String,
}

impl Check {
    #[expect(
        clippy::disallowed_methods,
        reason = "only called from threads that may wait"
    )]
    fn run(&self) -> Finding {
        let finding = |kind, fine, reason, details: String| Finding {
            kind,
            fine,
            reason,
            details,
        };
        match self {
            Self::DisabledByFile(file) => {
                let kind = "DisableByFileHealthcheck";
                match file {
                    None => {
                        let unset = "No 'disable_by_file_path' configuration value specified";
                        finding(kind, true, "OK", unset.to_owned())
                    }
                    Some(path) if path.exists() => {
                        let found = format!("Path '{}' was found", path.display());
                        finding(kind, false, "DISABLED BY FILE", found)
                    }
                    Some(path) => {
                        let missing = format!("Path '{}' was not found", path.display());
                        finding(kind, true, "OK", missing)
                    }
                }
            }
            Self::DisabledByPortFile(file) => {
                let kind = "DisableByFilesPortsHealthcheck";
                match file {
                    Some(path) if path.exists() => {
                        finding(kind, false, "DISABLED BY FILE", String::new())
                    }
                    _ => finding(kind, true, "OK", String::new()),
                }
            }
            Self::EnabledByFiles(files) => {
                let kind = "EnableByFilesHealthcheck";
                match files.iter().find(|path| !path.exists()) {
                    Some(path) => {
                        let missing = format!("File path {} is missing", path.display());
                        finding(kind, false, "FILE PATH MISSING", missing)
                    }
                    None => {
                        let all = "Specified file paths are available";
                        finding(kind, true, "OK", all.to_owned())
                    }
                }
            }
        }
    }
}

/// Whether a path is ours, if anybody may ask.
pub fn is_asked(health: &Health, path: &str) -> bool {
    let below = path.strip_prefix(PATH);
    health.enabled && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The answer, or nothing if the request is to be treated as any other.
pub async fn answer(state: &ApiState, parts: &Parts) -> Option<Response> {
    let health = &state.settings.health;
    if !is_asked(health, parts.uri.path()) || !is_admitted(health, parts) {
        return None;
    }
    let checks = health.checks.clone();
    let looked = spawn_blocking(move || checks.iter().map(Check::run).collect()).await;
    let mut findings: Vec<Finding> = looked.unwrap_or_default();
    // A database that answers is not mentioned, so that a healthy service looks like Ironic.
    findings.extend(ask_database(state).await);
    let is_healthy = findings.iter().all(|finding| finding.fine);
    let status = match (is_healthy, &parts.method) {
        (true, &Method::HEAD) => StatusCode::NO_CONTENT,
        (true, _) => StatusCode::OK,
        (false, _) => StatusCode::SERVICE_UNAVAILABLE,
    };
    let offers = ["text/plain", "text/html", "application/json"];
    let wanted = if parts.method == Method::HEAD {
        None
    } else {
        negotiation::most_wanted(&parts.headers, &offers)
    };
    let (kind, text) = match wanted {
        Some("application/json") => ("application/json", as_json(health, &findings)),
        Some("text/html") => ("text/html; charset=UTF-8", as_page(health, &findings)),
        _ if parts.method == Method::HEAD => ("text/plain; charset=UTF-8", String::new()),
        _ => ("text/plain; charset=UTF-8", as_text(&findings)),
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    if status != StatusCode::NO_CONTENT {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(text.len()));
        *response.body_mut() = Body::from(text);
    }
    Some(response)
}

fn is_admitted(health: &Health, parts: &Parts) -> bool {
    if !health.sources.is_empty() {
        let peer = Peer::of(&parts.extensions);
        let inside = |Peer(address)| health.sources.iter().any(|range| range.contains(address));
        if !peer.is_some_and(inside) {
            return false;
        }
    }
    let is_proxied = || {
        let mut named = PROXY_HEADERS
            .iter()
            .filter_map(|name| parts.headers.get(*name));
        named.any(|value| !value.is_empty())
    };
    !(health.ignore_proxied && is_proxied())
}

/// What is wrong with the database, if something is.
async fn ask_database(state: &ApiState) -> Option<Finding> {
    let details = match tokio::time::timeout(PATIENCE, state.db.ping()).await {
        Ok(Ok(())) => return None,
        Ok(Err(error)) => types::error::chain(&error),
        Err(_) => format!("no answer within {PATIENCE:?}"),
    };
    tracing::warn!("the database does not answer: {details}");
    Some(Finding {
        kind: "DatabaseHealthcheck",
        fine: false,
        reason: "DATABASE UNAVAILABLE",
        // Why is for the log only; it may name hosts and users.
        details: "The log says why".to_owned(),
    })
}

fn as_text(findings: &[Finding]) -> String {
    let reasons: Vec<&str> = findings.iter().map(|finding| finding.reason).collect();
    reasons.join("\n")
}

fn as_json(health: &Health, findings: &[Finding]) -> String {
    let reasons = findings.iter().map(|finding| {
        if health.detailed {
            let (class, details) = (finding.kind, &finding.details);
            json!({"class": class, "details": details, "reason": finding.reason})
        } else {
            json!(finding.reason)
        }
    });
    let reasons: Vec<_> = reasons.collect();
    let document = if health.detailed {
        let (now, version) = (Timestamp::now().to_string(), env!("CARGO_PKG_VERSION"));
        json!({"corten_version": version, "detailed": true, "now": now, "reasons": reasons})
    } else {
        json!({"detailed": false, "reasons": reasons})
    };
    indented(&document)
}

/// Four spaces a level, as Ironic writes it.
fn indented(document: &serde_json::Value) -> String {
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut writer = serde_json::Serializer::with_formatter(&mut text, formatter);
    match serde::Serialize::serialize(document, &mut writer) {
        Ok(()) => String::from_utf8(text).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

fn as_page(health: &Health, findings: &[Finding]) -> String {
    let mut page = String::from("<HTML>\n<HEAD><TITLE>Healthcheck Status</TITLE></HEAD>\n<BODY>\n");
    let heads: &[&str] = if health.detailed {
        page.push_str("<H1>Server status</H1>\n");
        page.push_str(&format!(
            "<B>Current time:</B><PRE>{}</PRE>\n<HR></HR>\n",
            Timestamp::now()
        ));
        &["Kind", "Reason", "Details"]
    } else {
        page.push('\n');
        &["Reason"]
    };
    page.push_str(&format!(
        "<H2>Result of {} checks:</H2>\n<TABLE bgcolor=\"#ffffff\" border=\"1\">\n<TBODY>\n<TR>\n",
        findings.len()
    ));
    if !health.detailed {
        page.push('\n');
    }
    for head in heads {
        page.push_str(&format!("<TH>\n{head}\n</TH>\n"));
    }
    page.push_str("</TR>\n");
    for finding in findings {
        page.push_str("<TR>\n");
        if health.detailed {
            page.push_str(&format!("    <TD>{}</TD>", finding.kind));
        }
        page.push_str(&format!("\n    <TD>{}</TD>\n", finding.reason));
        if health.detailed {
            page.push_str(&format!("    <TD>{}</TD>", escaped(&finding.details)));
        }
        page.push_str("\n</TR>");
    }
    page.push_str("\n</TBODY>\n</TABLE>\n<HR></HR>\n\n</BODY>\n</HTML>");
    page
}

/// A path may hold anything.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\'', "&#39;")
        .replace('"', "&#34;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Settings,
        testing::{Answer, Service},
    };
    use axum::http::Request;

    const UNHEALTHY: &str = "/nonexistent/but/required";

    fn service(health: Health) -> Service {
        Service::with(Settings {
            health: Health {
                enabled: true,
                ..health
            },
            ..Settings::default()
        })
    }

    async fn ask(service: &Service, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(Peer([10, 0, 0, 1].into()));
        service.request(request).await
    }

    #[tokio::test]
    async fn answers_have_the_form_that_is_wanted() {
        let service = service(Health {
            checks: vec![Check::DisabledByFile(None)],
            ..Health::default()
        });
        let plain = ask(&service, "GET", "/healthcheck", &[("accept", "image/png")]).await;
        assert_eq!((plain.status.as_u16(), plain.text.as_str()), (200, "OK"));
        assert_eq!(plain.header("content-type"), "text/plain; charset=UTF-8");
        assert!(plain.header("x-openstack-request-id").starts_with("req-"));
        let json = [(
            "accept",
            "text/html;q=0.8, application/json;q=0.9, */*;q=0.1",
        )];
        let json = ask(&service, "DELETE", "/healthcheck/foo", &json).await;
        let text = "{\n    \"detailed\": false,\n    \"reasons\": [\n        \"OK\"\n    ]\n}";
        assert_eq!(json.text, text);
        let page = ask(&service, "GET", "/healthcheck", &[("accept", "text/html")]).await;
        // As long as Ironic's.
        assert_eq!(
            (page.header("content-length"), page.text.len()),
            ("239", 239)
        );
        let head = ask(&service, "HEAD", "/healthcheck", &[]).await;
        assert_eq!(
            (head.status.as_u16(), head.header("content-type")),
            (204, "")
        );
        let options = ask(&service, "OPTIONS", "/healthcheck", &[]).await;
        assert_eq!(
            (options.status.as_u16(), options.text.as_str()),
            (200, "OK")
        );
        for path in ["/healthcheck.json", "/healthchecks"] {
            assert_eq!(ask(&service, "GET", path, &[]).await.status, 404, "{path}");
        }
    }

    #[tokio::test]
    async fn files_take_a_service_out() {
        let exists = std::env::current_dir().unwrap();
        let service = service(Health {
            detailed: true,
            checks: vec![
                Check::DisabledByFile(Some(exists.clone())),
                Check::DisabledByPortFile(Some(exists)),
                Check::EnabledByFiles(vec![UNHEALTHY.into()]),
            ],
            ..Health::default()
        });
        let plain = ask(&service, "GET", "/healthcheck", &[]).await;
        assert_eq!(plain.status, 503);
        assert_eq!(
            plain.text,
            "DISABLED BY FILE\nDISABLED BY FILE\nFILE PATH MISSING"
        );
        let json = [("accept", "application/json")];
        let json = ask(&service, "GET", "/healthcheck", &json).await.json();
        let missing = format!("File path {UNHEALTHY} is missing");
        assert_eq!(json["reasons"][2]["details"], missing);
        assert_eq!(ask(&service, "HEAD", "/healthcheck", &[]).await.status, 503);
    }

    #[tokio::test]
    async fn some_requests_are_not_for_it() {
        let elsewhere = service(Health {
            sources: vec!["192.168.0.0/16".parse().unwrap()],
            ..Health::default()
        });
        assert_eq!(
            ask(&elsewhere, "GET", "/healthcheck", &[]).await.status,
            404
        );
        let here = service(Health {
            sources: vec![
                "192.168.0.0/16".parse().unwrap(),
                "10.0.0.1".parse().unwrap(),
            ],
            ignore_proxied: true,
            ..Health::default()
        });
        assert_eq!(ask(&here, "GET", "/healthcheck", &[]).await.text, "");
        let proxied = [("x-forwarded-proto", "http")];
        assert_eq!(
            ask(&here, "GET", "/healthcheck", &proxied).await.status,
            404
        );
        let off = Service::new();
        assert_eq!(ask(&off, "GET", "/healthcheck", &[]).await.status, 404);
    }
}
