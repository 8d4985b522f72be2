//! Masks secrets in values.
//!
//! A secret option is hidden whole. Any other value that holds a URL loses the credentials in it:
//! such URLs turn up in all sorts of options, while scheme and host are what one needs to see when
//! a connection fails.

use super::value::ValueKind;
use types::mask::{MASK, is_secret_key};

/// The text as it may be shown.
pub(super) fn masked(text: &str, kind: &ValueKind) -> String {
    if kind.is_secret() && !text.is_empty() {
        MASK.to_owned()
    } else {
        without_credentials(text)
    }
}

/// Hides what stands between `://` and the last `@`, because a password may itself hold slashes
/// and further `@`s, and the values of query parameters whose names speak of secrets.
pub(super) fn without_credentials(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let (credentials, rest) = match rest.rsplit_once('@') {
        Some((_, rest)) => (format!("{MASK}@"), rest),
        None => (String::new(), rest),
    };
    let shown = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if is_secret_key(name) => format!("{name}={MASK}"),
        _ => pair.to_owned(),
    };
    let rest = match rest.split_once('?') {
        Some((path, query)) => {
            format!(
                "{path}?{}",
                query.split('&').map(shown).collect::<Vec<_>>().join("&")
            )
        }
        None => rest.to_owned(),
    };
    format!("{scheme}://{credentials}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_whole() {
        assert_eq!(
            masked("a://b", &ValueKind::Optional(&ValueKind::Secret)),
            MASK
        );
        assert_eq!(masked("", &ValueKind::Secret), "");
    }

    #[test]
    fn urls_lose_their_credentials() {
        for (text, shown) in [
            ("plain @ text", "plain @ text"),
            ("rabbit://", "rabbit://"),
            ("sqlite:////var/lib/x.sqlite", "sqlite:////var/lib/x.sqlite"),
            (
                "mysql+pymysql://u:p/q@x@db:3306/n?charset=utf8",
                "mysql+pymysql://******@db:3306/n?charset=utf8",
            ),
            ("rabbit://u:p@a:1,u:p@b:2/v", "rabbit://******@b:2/v"),
            (
                "postgresql://db/n?user=u&password=p&x",
                "postgresql://db/n?user=u&password=******&x",
            ),
            ("a=http://u:p@h", "a=http://******@h"),
        ] {
            assert_eq!(masked(text, &ValueKind::Text), shown);
        }
    }
}
