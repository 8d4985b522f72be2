//! What the `Accept` header changes.
//!
//! We only have JSON. A client that refuses it gets a 406, and the few errors that Ironic's
//! web framework makes by itself come to such a client as plain text or a page, still inside
//! `error_message`.

use crate::{error::ApiError, json_writer::JsonWriter};
use axum::http::{
    HeaderMap, Method, StatusCode,
    header::{ACCEPT, HeaderValue},
};

/// What the client wants, as its `Accept` header says.
enum Wish {
    /// A header that cannot be understood refuses nothing.
    Anything,
    Ranges(Vec<Range>),
}

/// One item of the header.
struct Range {
    /// `type/subtype` in small letters; either may be `*`.
    kind: String,
    /// None of our types has parameters, so a type that demands some is not ours.
    has_parameters: bool,
    weight: f32,
}

impl Wish {
    fn read(text: &str) -> Self {
        split_unquoted(text, ',')
            .into_iter()
            .filter(|item| !item.is_empty())
            .map(Range::read)
            .collect::<Option<_>>()
            .map_or(Self::Anything, Self::Ranges)
    }

    /// The offer that is wanted most; the earliest of several.
    fn best<'a>(&self, offers: &[&'a str]) -> Option<&'a str> {
        let Self::Ranges(ranges) = self else {
            return offers.first().copied();
        };
        let mut best: Option<(&str, f32)> = None;
        for &offer in offers {
            // A name says more than a pattern; what is said first counts.
            let closest = ranges
                .iter()
                .rev()
                .max_by_key(|range| range.closeness(offer));
            let weight = closest
                .filter(|range| range.closeness(offer) > 0)
                .map_or(0.0, |range| range.weight);
            if weight > best.map_or(0.0, |(_, most)| most) {
                best = Some((offer, weight));
            }
        }
        best.map(|(offer, _)| offer)
    }
}

impl Range {
    fn read(item: &str) -> Option<Self> {
        let mut parts = split_unquoted(item, ';').into_iter();
        let kind = parts.next()?;
        let (family, name) = kind.split_once('/')?;
        if !is_token(family) || !is_token(name) {
            return None;
        }
        let mut range = Self {
            kind: kind.to_ascii_lowercase(),
            has_parameters: false,
            weight: 1.0,
        };
        let mut is_weighted = false;
        for part in parts {
            match part.split_once('=') {
                Some(("q" | "Q", weight)) if !is_weighted => {
                    range.weight = read_weight(weight)?;
                    is_weighted = true;
                }
                Some((name, value)) if is_token(name) && (is_token(value) || is_quoted(value)) => {
                    range.has_parameters |= !is_weighted;
                }
                // What follows the weight need not have a value.
                None if is_weighted && is_token(part) => {}
                _ => return None,
            }
        }
        Some(range)
    }

    /// How precisely this names a media type; 0 if it does not.
    fn closeness(&self, kind: &str) -> u8 {
        let family = kind.split('/').next().unwrap_or_default();
        if self.kind == kind {
            if self.has_parameters { 0 } else { 3 }
        } else if self.kind.strip_suffix("/*") == Some(family) {
            2
        } else {
            u8::from(self.kind == "*/*")
        }
    }
}

/// From 0 to 1 with at most three decimals.
fn read_weight(text: &str) -> Option<f32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_well_formed = matches!(whole, "0" | "1")
        && decimals.len() <= 3
        && decimals.bytes().all(|b| b.is_ascii_digit());
    let weight = text.parse().ok().filter(|_| is_well_formed)?;
    (weight <= 1.0).then_some(weight)
}

fn is_token(text: &str) -> bool {
    let is_fine = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_fine)
}

fn is_quoted(text: &str) -> bool {
    text.len() > 1 && text.starts_with('"') && text.ends_with('"')
}

/// The pieces between separators outside of quotes, without the blanks around them.
fn split_unquoted(text: &str, separator: char) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        let is_escape = quoted && !escaped && c == '\\';
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = is_escape;
        c == separator && !quoted
    })
    .map(|piece| piece.trim_matches([' ', '\t']))
    .collect()
}

/// The whole of the `Accept` header.
fn accept(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(ACCEPT).into_iter();
    let lines: Vec<_> = lines
        .map(|v| String::from_utf8_lossy(v.as_bytes()))
        .collect();
    (!lines.is_empty()).then(|| lines.join(", "))
}

/// The one of some media types that the client wants most; the earliest of several. Without any
/// wish, all are wanted alike.
pub(crate) fn most_wanted<'a>(headers: &HeaderMap, offers: &[&'a str]) -> Option<&'a str> {
    match accept(headers) {
        Some(text) => Wish::read(&text).best(offers),
        None => offers.first().copied(),
    }
}

/// 406 unless the client takes JSON.
pub(crate) fn accepts_json(headers: &HeaderMap) -> Result<(), ApiError> {
    match accept(headers) {
        Some(text)
            if !text.is_empty()
                // Whoever names it first gets it, whatever is said about it.
                && !text.starts_with("application/json")
                && Wish::read(&text).best(&["application/json"]).is_none() =>
        {
            Err(ApiError::router(StatusCode::NOT_ACCEPTABLE, ""))
        }
        _ => Ok(()),
    }
}

/// The text inside `error_message` of a router error.
pub(crate) fn router_error_text(method: &Method, headers: &HeaderMap, error: &ApiError) -> String {
    let Some(accept) = accept(headers).filter(|text| text != "*/*") else {
        return error.envelope();
    };
    let wish = Wish::read(&accept);
    if wish.best(&["text/plain", "text/html", "application/json"]) == Some("application/json") {
        return error.envelope();
    }
    let description = match error {
        ApiError::Router { description, .. } => description.as_str(),
        ApiError::Service { text, .. } => text.as_str(),
    };
    let (_, text) = written(&wish, error.status(), |escape| {
        let description = escape(description);
        match error.status() {
            StatusCode::METHOD_NOT_ALLOWED => format!(
                "The method {method} is not allowed for this resource. <br /><br />\n{description}"
            ),
            // Ironic does not close its parenthesis either.
            StatusCode::NOT_ACCEPTABLE => format!(
                "The resource could not be generated that was acceptable to your browser\n\
                 (content of type {}. <br /><br />\n{description}",
                escape(&accept)
            ),
            StatusCode::NOT_FOUND => {
                format!("The resource could not be found.<br /><br />\n{description}\n\n")
            }
            _ => format!(
                "The server could not comply with the request since it is either malformed or \
                 otherwise incorrect.<br /><br />\n{description}\n\n"
            ),
        }
    });
    text
}

/// An error as Ironic's web framework writes it outside of the API proper: the type and the
/// text of the body.
pub(crate) fn framework_error(
    headers: &HeaderMap,
    status: StatusCode,
    explanation: &str,
    description: &str,
) -> (HeaderValue, String) {
    let wish = Wish::read(&accept(headers).unwrap_or_default());
    written(&wish, status, |escape| {
        format!(
            "{}<br /><br />\n{}\n\n",
            escape(explanation),
            escape(description)
        )
    })
}

/// An error in the form that is wanted: the type and the text. The content gets what makes a text
/// fit for that form.
fn written(
    wish: &Wish,
    status: StatusCode,
    content: impl Fn(fn(&str) -> String) -> String,
) -> (HeaderValue, String) {
    match wish.best(&["text/html", "application/json"]) {
        Some("text/html") => (
            HeaderValue::from_static("text/html; charset=UTF-8"),
            format!(
                "<html>\n <head>\n  <title>{status}</title>\n </head>\n <body>\n  \
                 <h1>{status}</h1>\n  {}\n </body>\n</html>",
                content(escape)
            ),
        ),
        Some(_) => {
            let mut w = JsonWriter::with_capacity(256);
            w.begin_object();
            w.key("message");
            w.str(&content(str::to_owned));
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
            format!("{status}\n\n{}", without_tags(&content(str::to_owned))),
        ),
    }
}

/// A page as plain text: only its breaks end lines.
fn without_tags(page: &str) -> String {
    let page = page
        .replace('\n', " ")
        .replace('\r', "")
        .replace("<br />", "\n");
    let mut text = String::with_capacity(page.len());
    let mut rest = page.as_str();
    while let Some((before, tag)) = rest.split_once('<') {
        let Some((_, after)) = tag.split_once('>') else {
            break;
        };
        text.push_str(before);
        rest = after;
    }
    text + rest
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            c if c.is_ascii() => out.push(c),
            c => out.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(accept: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))])
    }

    #[test]
    fn the_frameworks_errors_come_in_the_wanted_form() {
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
        check(&headers("zz"), "text/html; charset=UTF-8", page);
        check(&headers("*/*"), "text/html; charset=UTF-8", page);
        check(
            &headers("application/json"),
            "application/json",
            r#"{"message": "Later.<br /><br />\nIt is down.\n\n", "code": "503 Service Unavailable", "title": "Service Unavailable"}"#,
        );
        let text = "503 Service Unavailable\n\nLater.\n\n It is down.  ";
        check(&headers("text/plain"), "text/plain; charset=UTF-8", text);
        check(&HeaderMap::new(), "text/plain; charset=UTF-8", text);
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
            "application/json;q=0",
            "",
            "zz",
        ] {
            assert!(accepts_json(&headers(fine)).is_ok(), "{fine}");
        }
        for bad in [
            "text/html",
            "application/xml",
            "*/*, application/json;q=0",
            "text/html, application/json; charset=utf-8",
        ] {
            assert!(accepts_json(&headers(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn wishes_are_weighed() {
        let best = |accept| Wish::read(accept).best(&["text/html", "application/json"]);
        for (accept, expected) in [
            ("application/json, text/html", Some("text/html")),
            ("text/*;q=0.1,*/*;q=0.5", Some("application/json")),
            ("*/*, text/html;q=0", Some("application/json")),
            (
                "application/json;q=0.3, application/json;q=0",
                Some("application/json"),
            ),
            (", ,TEXT/HTML;q=0.5;more", Some("text/html")),
            ("", None),
            ("*/json", None),
            ("text/html;level=1", None),
            (
                r#"text/html;a="b,\"c", application/json"#,
                Some("application/json"),
            ),
        ] {
            assert_eq!(best(accept), expected, "{accept}");
        }
        for malformed in [
            "zz",
            "*",
            "a/b;",
            "a/b;q=2",
            "a/b;q=0.1234",
            "a/b;q=1.1",
            "a/b;c",
            "a/",
        ] {
            assert_eq!(best(malformed), Some("text/html"), "{malformed}");
        }
    }

    #[test]
    fn router_errors_follow_the_wish() {
        let error = ApiError::router(StatusCode::NOT_FOUND, "");
        let text = |accept| router_error_text(&Method::GET, &headers(accept), &error);
        let none = router_error_text(&Method::GET, &HeaderMap::new(), &error);
        assert_eq!(none, error.envelope());
        assert_eq!(text("*/*"), error.envelope());
        assert_eq!(text("application/json"), error.envelope());
        for plain in ["application/xml", "", "application/json; charset=utf-8"] {
            assert_eq!(
                text(plain),
                "404 Not Found\n\nThe resource could not be found.\n\n   ",
                "{plain}"
            );
        }
        assert_eq!(
            text("text/html"),
            "<html>\n <head>\n  <title>404 Not Found</title>\n </head>\n <body>\n  <h1>404 Not \
             Found</h1>\n  The resource could not be found.<br /><br />\n\n\n\n </body>\n</html>"
        );
        assert_eq!(
            text("text/plain, application/json"),
            r#"{"message": "The resource could not be found.<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"}"#
        );
        let error = ApiError::router(StatusCode::NOT_ACCEPTABLE, "");
        assert_eq!(
            router_error_text(&Method::GET, &headers("application/xml"), &error),
            "406 Not Acceptable\n\nThe resource could not be generated that was acceptable to your browser (content of type application/xml. \n\n "
        );
        let error = ApiError::router(StatusCode::METHOD_NOT_ALLOWED, "<b>'é'");
        let text = |accept| router_error_text(&Method::PUT, &headers(accept), &error);
        let content = "The method PUT is not allowed for this resource. ";
        let plain = text("text/plain");
        assert_eq!(
            plain,
            format!("405 Method Not Allowed\n\n{content}\n\n 'é'")
        );
        let page = text("text/html");
        assert!(page.contains("&lt;b&gt;&#x27;&#233;&#x27;"), "{page}");
    }
}
