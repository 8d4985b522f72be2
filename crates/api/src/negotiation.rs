//! What the `Accept` header changes.
//!
//! We only have JSON. A client that refuses it gets a 406, and the few errors that the original's
//! web framework makes by itself come to such a client as plain text or a page, still inside
//! `error_message`.

use crate::{error::ApiError, json_writer::JsonWriter};
use axum::http::{
    HeaderMap, StatusCode,
    header::{ACCEPT, HeaderValue},
};

/// Media ranges of the `Accept` header that are wanted at all, without their parameters, the most
/// wanted first.
fn ranges(headers: &HeaderMap) -> Option<Vec<String>> {
    let ranges = weighted_ranges(headers)?;
    Some(ranges.into_iter().map(|(range, _)| range).collect())
}

/// The one of some media types that the client wants most; the earliest of several. Without any
/// wish, all are wanted alike.
pub fn most_wanted<'a>(headers: &HeaderMap, offers: &[&'a str]) -> Option<&'a str> {
    let Some(ranges) = weighted_ranges(headers) else {
        return offers.first().copied();
    };
    let mut best: Option<(&str, f32)> = None;
    for &offer in offers {
        // A name says more than a pattern, and a longer pattern more than a shorter one.
        let fitting = ranges.iter().filter(|(range, _)| takes(range, offer));
        let closest = fitting.max_by_key(|(range, _)| (!range.contains('*'), range.len()));
        if let Some((_, weight)) = closest
            && best.is_none_or(|(_, most)| *weight > most)
        {
            best = Some((offer, *weight));
        }
    }
    best.map(|(offer, _)| offer)
}

fn weighted_ranges(headers: &HeaderMap) -> Option<Vec<(String, f32)>> {
    let text = headers.get(ACCEPT).map(HeaderValue::to_str)?.ok()?;
    if text.trim().is_empty() {
        return None;
    }
    let mut ranges: Vec<(String, f32)> = text
        .split(',')
        .filter_map(|item| {
            let mut parts = item.split(';').map(str::trim);
            let range = parts.next()?.to_ascii_lowercase();
            let weight = parts
                .find_map(|p| p.strip_prefix("q=")?.parse::<f32>().ok())
                .unwrap_or(1.0);
            (weight > 0.0 && !range.is_empty()).then_some((range, weight))
        })
        .collect();
    ranges.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(ranges)
}

fn takes(range: &str, kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    range == kind || range == "*/*" || range.strip_suffix("/*") == Some(family)
}

/// 406 unless the client takes JSON.
pub fn accepts_json(headers: &HeaderMap) -> Result<(), ApiError> {
    match ranges(headers) {
        Some(ranges) if !ranges.iter().any(|r| takes(r, "application/json")) => {
            Err(ApiError::router(StatusCode::NOT_ACCEPTABLE, ""))
        }
        _ => Ok(()),
    }
}

/// The text inside `error_message` of a router error.
pub fn router_error_text(headers: &HeaderMap, error: &ApiError) -> String {
    let Some(ranges) = ranges(headers).filter(|r| !matches!(r.as_slice(), [only] if only == "*/*"))
    else {
        return error.envelope();
    };
    let best = ranges.iter().find_map(|range| {
        ["application/json", "text/html", "text/plain"]
            .into_iter()
            .find(|kind| takes(range, kind))
    });
    if best == Some("application/json") {
        return error.envelope();
    }
    let accept = headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let status = error.status();
    let description = match error {
        ApiError::Router { description, .. } => description.as_str(),
        ApiError::Service { text, .. } => text.as_str(),
    };
    let explanation = match status {
        StatusCode::NOT_FOUND => "The resource could not be found.\n\n".to_owned(),
        StatusCode::NOT_ACCEPTABLE => format!(
            "The resource could not be generated that was acceptable to your browser (content of type {accept}. \n"
        ),
        StatusCode::METHOD_NOT_ALLOWED => {
            "The method is not allowed for this resource. \n".to_owned()
        }
        _ => "The server could not comply with the request since it is either malformed or otherwise incorrect.\n\n".to_owned(),
    };
    if best == Some("text/html") {
        return format!(
            "<html>\n <head>\n  <title>{status}</title>\n </head>\n <body>\n  <h1>{status}</h1>\n  {explanation}<br /><br />\n{}\n\n\n </body>\n</html>",
            escape(description)
        );
    }
    let tail = if status == StatusCode::NOT_ACCEPTABLE {
        " "
    } else {
        "   "
    };
    let gap = if status == StatusCode::NOT_ACCEPTABLE {
        "\n"
    } else {
        ""
    };
    format!("{status}\n\n{explanation}{gap}{description}{tail}")
}

/// An error as the original's web framework writes it outside of the API proper: the type and the
/// text of the body. A page is what everybody gets who does not ask for something else.
pub fn framework_error(
    headers: &HeaderMap,
    status: StatusCode,
    explanation: &str,
    description: &str,
) -> (HeaderValue, String) {
    let ranges = ranges(headers).unwrap_or_else(|| vec!["*/*".to_owned()]);
    let best = ranges.iter().find_map(|range| {
        ["text/html", "application/json"]
            .into_iter()
            .find(|kind| takes(range, kind))
    });
    let inner = format!("{explanation}<br /><br />\n{description}\n\n");
    match best {
        Some("text/html") => (
            HeaderValue::from_static("text/html; charset=UTF-8"),
            format!(
                "<html>\n <head>\n  <title>{status}</title>\n </head>\n <body>\n  \
                 <h1>{status}</h1>\n  {inner}\n </body>\n</html>"
            ),
        ),
        Some(_) => {
            let mut w = JsonWriter::with_capacity(256);
            w.begin_object();
            w.key("message");
            w.str(&inner);
            w.key("code");
            w.str(&status.to_string());
            w.key("title");
            w.str(status.canonical_reason().unwrap_or_default());
            w.end_object();
            let body = String::from_utf8(w.finish()).unwrap_or_default();
            (HeaderValue::from_static("application/json"), body)
        }
        None => (
            HeaderValue::from_static("text/plain; charset=UTF-8"),
            format!("{status}\n\n{explanation}\n\n {description}  "),
        ),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(accept: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))])
    }

    #[test]
    fn the_frameworks_errors_are_pages_unless_something_else_is_wanted() {
        let check = |headers: &HeaderMap, kind: &str, text: &str| {
            let (found, body) = framework_error(
                headers,
                StatusCode::SERVICE_UNAVAILABLE,
                "Later.",
                "It is down.",
            );
            assert_eq!(found, kind);
            assert_eq!(body, text);
        };
        let page = "<html>\n <head>\n  <title>503 Service Unavailable</title>\n </head>\n <body>\n  \
                    <h1>503 Service Unavailable</h1>\n  Later.<br /><br />\nIt is down.\n\n\n \
                    </body>\n</html>";
        check(&HeaderMap::new(), "text/html; charset=UTF-8", page);
        check(&headers("*/*"), "text/html; charset=UTF-8", page);
        check(
            &headers("application/json"),
            "application/json",
            r#"{"message": "Later.<br /><br />\nIt is down.\n\n", "code": "503 Service Unavailable", "title": "Service Unavailable"}"#,
        );
        check(
            &headers("text/plain"),
            "text/plain; charset=UTF-8",
            "503 Service Unavailable\n\nLater.\n\n It is down.  ",
        );
    }

    #[test]
    fn json_is_all_we_have() {
        assert!(accepts_json(&HeaderMap::new()).is_ok());
        for fine in [
            "*/*",
            "application/json",
            "application/*",
            "text/html, application/json;q=0.1",
            "text/html,application/xhtml+xml,*/*;q=0.8",
            "application/json; charset=utf-8",
        ] {
            assert!(accepts_json(&headers(fine)).is_ok(), "{fine}");
        }
        for bad in ["text/html", "application/xml", "application/json;q=0"] {
            assert!(accepts_json(&headers(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn router_errors_follow_the_wish() {
        let error = ApiError::router(StatusCode::NOT_FOUND, "");
        let text = |accept| router_error_text(&headers(accept), &error);
        assert_eq!(text("*/*"), error.envelope());
        assert_eq!(text("application/json"), error.envelope());
        assert_eq!(
            text("application/xml"),
            "404 Not Found\n\nThe resource could not be found.\n\n   "
        );
        assert!(text("text/html").starts_with("<html>"));
        let error = ApiError::router(StatusCode::NOT_ACCEPTABLE, "");
        assert_eq!(
            router_error_text(&headers("application/xml"), &error),
            "406 Not Acceptable\n\nThe resource could not be generated that was acceptable to your browser (content of type application/xml. \n\n "
        );
    }
}
