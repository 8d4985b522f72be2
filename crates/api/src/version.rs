//! Which API version a request gets.
//!
//! Two headers can ask for one; the general one wins. Without either the answer is the oldest.

use crate::error::ApiError;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use std::{borrow::Cow, sync::LazyLock};
use types::ApiVersion;

/// The header that clients of this service use.
pub(crate) const HEADER: &str = "x-openstack-ironic-api-version";
/// The header that all services of that family share: `OpenStack-API-Version: baremetal 1.90`.
const COMMON_HEADER: &str = "openstack-api-version";
const COMMON: HeaderName = HeaderName::from_static(COMMON_HEADER);
const OWN: HeaderName = HeaderName::from_static(HEADER);
const SERVICE: &str = "baremetal";

/// Every version as a header says it, in order.
static HEADER_VALUES: LazyLock<Vec<HeaderValue>> = LazyLock::new(|| {
    let texts = ApiVersion::all().map(|version| version.to_string());
    texts.filter_map(|text| text.try_into().ok()).collect()
});

/// What a header says of a version, if there is such a version.
pub(crate) fn header_value(version: ApiVersion) -> Option<HeaderValue> {
    let at = version.0.checked_sub(ApiVersion::MIN.0)?;
    HEADER_VALUES.get(usize::from(at)).cloned()
}

/// The version to serve, or a 406.
pub(crate) fn negotiate(headers: &HeaderMap, max: ApiVersion) -> Result<ApiVersion, ApiError> {
    let Some(asked) = asked_for(headers) else {
        return Ok(ApiVersion::MIN);
    };
    if asked.eq_ignore_ascii_case("latest") {
        return Ok(max);
    }
    let (major, minor) = parse(asked).ok_or_else(|| {
        ApiError::router(
            StatusCode::NOT_ACCEPTABLE,
            "Invalid value for X-OpenStack-Ironic-API-Version header",
        )
    })?;
    let range = || {
        format!(
            "The supported version range is: [{}, {max}].",
            ApiVersion::MIN
        )
    };
    if major != "1" {
        return Err(out_of_range(format!(
            "Mutually exclusive versions requested. Version {major}.{minor} requested but not supported by this service. {}",
            range()
        )));
    }
    match minor.parse().map(ApiVersion) {
        Ok(version) if (ApiVersion::MIN..=max).contains(&version) => Ok(version),
        _ => Err(out_of_range(format!(
            "Version {major}.{minor} was requested but the minor version is not supported by this service. {}",
            range()
        ))),
    }
}

/// Whether the client's own version header names a version that still knew the `.json` suffix.
pub(crate) fn knows_json_suffix(headers: &HeaderMap) -> bool {
    headers
        .get(&OWN)
        .and_then(|value| value.to_str().ok())
        .and_then(parse)
        .and_then(|(_, minor)| minor.parse().ok())
        .is_some_and(|minor| (1..types::version::since::NO_JSON_SUFFIX.0).contains(&minor))
}

fn out_of_range(description: String) -> ApiError {
    ApiError::Router {
        status: StatusCode::NOT_ACCEPTABLE,
        description,
        allow: None,
        version_range: true,
    }
}

fn asked_for(headers: &HeaderMap) -> Option<&str> {
    let last_wins = |name: &HeaderName| headers.get_all(name).into_iter().rev();
    let common = last_wins(&COMMON)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.rsplit(','))
        .find_map(|item| {
            let (service, version) = item.trim().split_once(char::is_whitespace)?;
            service
                .eq_ignore_ascii_case(SERVICE)
                .then_some(version.trim())
        });
    common
        .or_else(|| {
            // A value that is no text is as unparsable as any other nonsense.
            let value = last_wins(&OWN).next()?;
            let text = value.to_str().unwrap_or("?");
            Some(text.rsplit(',').next().unwrap_or_default().trim())
        })
        .filter(|text| !text.is_empty())
}

/// Two whole numbers around the first dot, however large.
fn parse(text: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let (major, minor) = text.split_once('.')?;
    Some((whole_number(major)?, whole_number(minor)?))
}

/// The shortest way to write a number; leading zeros, a plus and blanks are fine.
fn whole_number(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(match digits.trim_start_matches('0') {
        "" => Cow::Borrowed("0"),
        digits if sign.is_empty() => Cow::Borrowed(digits),
        digits => Cow::Owned(format!("{sign}{digits}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in list {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    #[track_caller]
    fn check(list: &[(&'static str, &'static str)], minor: u16) {
        let version = negotiate(&headers(list), ApiVersion::MAX).unwrap();
        assert_eq!(version, ApiVersion(minor));
    }

    #[track_caller]
    fn refused(list: &[(&'static str, &'static str)], text: &str, range: bool) {
        match negotiate(&headers(list), ApiVersion::MAX) {
            Err(ApiError::Router {
                status,
                description,
                version_range,
                ..
            }) => {
                assert_eq!(status, StatusCode::NOT_ACCEPTABLE);
                assert_eq!(description, text);
                assert_eq!(version_range, range);
            }
            other => panic!("{list:?}: {other:?}"),
        }
    }

    #[test]
    fn every_spelling_of_a_supported_version() {
        check(&[], 1);
        check(&[(HEADER, "")], 1);
        check(&[(HEADER, "  ")], 1);
        check(&[(HEADER, " 1.90 ")], 90);
        check(&[(HEADER, "1.01")], 1);
        check(&[(HEADER, "01.5")], 5);
        check(&[(HEADER, "1.+5")], 5);
        check(&[(HEADER, "LaTeSt")], 115);
        check(&[(HEADER, "1.5, 1.7")], 7);
        check(&[(COMMON_HEADER, "baremetal 1.80")], 80);
        check(&[(COMMON_HEADER, "compute 2.1, BareMetal  latest")], 115);
        check(&[(COMMON_HEADER, "compute 2.1"), (HEADER, "1.6")], 6);
        check(&[(HEADER, "1.6"), (COMMON_HEADER, "baremetal 1.7")], 7);
    }

    #[test]
    fn every_kind_of_refusal() {
        for bad in ["abc", "1", "1.2.3", "1.x", "1.", "1.-"] {
            refused(
                &[(HEADER, bad)],
                "Invalid value for X-OpenStack-Ironic-API-Version header",
                false,
            );
        }
        refused(
            &[(HEADER, "1.116")],
            "Version 1.116 was requested but the minor version is not supported by this service. The supported version range is: [1.1, 1.115].",
            true,
        );
        refused(
            &[(HEADER, "1.099999999999999999999")],
            "Version 1.99999999999999999999 was requested but the minor version is not supported by this service. The supported version range is: [1.1, 1.115].",
            true,
        );
        refused(
            &[(HEADER, "1.0")],
            "Version 1.0 was requested but the minor version is not supported by this service. The supported version range is: [1.1, 1.115].",
            true,
        );
        refused(
            &[(HEADER, "2.1")],
            "Mutually exclusive versions requested. Version 2.1 requested but not supported by this service. The supported version range is: [1.1, 1.115].",
            true,
        );
    }

    #[test]
    fn only_an_explicit_old_version_drops_the_json_suffix() {
        assert!(knows_json_suffix(&headers(&[(HEADER, "1.90")])));
        assert!(!knows_json_suffix(&headers(&[(HEADER, "1.91")])));
        assert!(!knows_json_suffix(&headers(&[(HEADER, "latest")])));
        assert!(!knows_json_suffix(&headers(&[])));
    }
}
