//! Answers that are sent compressed: those whose size grows with the fleet, and the document.
//!
//! Only where a client asks for it, only `gzip`, and never what a client sent back at it next to a
//! secret: these answers hold no credentials.

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, VARY},
    },
    response::Response,
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// Routes whose answers are compressed.
const ROUTES: &[&str] = &[
    "corten/v1/nodes",
    "corten/v1/fleet",
    "corten/v1/fleet/map",
    "corten/v1/failures",
    "corten/v1/openapi",
    "corten/v1/openapi.json",
];
/// Shorter answers are not worth it.
const SHORT: usize = 1024;

/// Whether an answer of this route is compressed for this client.
pub(crate) fn is_wanted(route: &str, headers: &HeaderMap) -> bool {
    ROUTES.contains(&route) && accepts_gzip(headers)
}

/// Whether a client takes `gzip` (RFC 9110, 12.5.3); a quality of zero means no.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).into_iter();
    let codings = values.filter_map(|value| value.to_str().ok());
    codings.flat_map(|text| text.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let refused = parts.any(|part| {
            let quality = part.strip_prefix("q=").or(part.strip_prefix("Q="));
            quality.is_some_and(|q| q.trim().parse::<f32>().is_ok_and(|q| q <= 0.0))
        });
        is_gzip && !refused
    })
}

/// The same answer compressed, if it has a length and is worth it.
pub(crate) fn compressed(body: Bytes, mut response: Response) -> Response {
    if response.status() != StatusCode::OK || body.len() < SHORT {
        return response;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    let Ok(packed) = encoder.write_all(&body).and_then(|()| encoder.finish()) else {
        return response;
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(packed.len()));
    headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
    *response.body_mut() = Body::from(packed);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use axum::http::Request;
    use http_body_util::BodyExt;
    use std::io::Read;

    #[test]
    fn clients_say_whether_they_take_it() {
        for (value, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0", false),
            ("identity", false),
            ("xgzip", false),
        ] {
            let headers =
                HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(value))]);
            assert_eq!(accepts_gzip(&headers), expected, "{value}");
        }
    }

    #[tokio::test]
    async fn the_document_is_the_same_compressed() {
        let service = Service::new();
        let ask = async |coding: &str| {
            let request = Request::builder()
                .uri("/corten/v1/openapi.json")
                .header("accept-encoding", coding)
                .body(Body::empty());
            let response = crate::respond(service.state(), request.unwrap()).await;
            let (parts, body) = response.into_parts();
            (parts.headers, body.collect().await.unwrap().to_bytes())
        };
        let (headers, plain) = ask("identity").await;
        assert!(!headers.contains_key(CONTENT_ENCODING));
        let (headers, packed) = ask("gzip").await;
        assert_eq!(headers[CONTENT_ENCODING], "gzip");
        assert_eq!(headers[CONTENT_LENGTH], packed.len().to_string());
        assert!(packed.len() * 4 < plain.len());
        let mut unpacked = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
        decoder.read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain);
    }
}
