//! Which values are secret, and how they look to a reader who may not see them.
//!
//! The same rule decides what is encrypted in the database, so that a value masked on the wire is
//! never found in clear on disk.

use crate::JsonMap;
use serde_json::Value;
use std::{borrow::Cow, convert::Infallible, ops::Range};

/// What a reader sees instead of a secret.
pub const MASK: &str = "******";

/// A key is secret when its lower-case text contains one of these.
const SECRET_KEY_PARTS: &[&str] = &[
    "adminpass",
    "admin_pass",
    "password",
    "admin_password",
    "auth_token",
    "new_pass",
    "auth_password",
    "secret_uuid",
    "secret",
    "sys_pswd",
    "token",
    "configdrive",
    "chappassword",
    "encrypted_key",
    "private_key",
    "fernetkey",
    "sslkey",
    "passphrase",
    "cephclusterfsid",
    "octaviaheartbeatkey",
    "rabbitcookie",
    "cephmanilaclientkey",
    "pacemakerremoteauthkey",
    "designaterndckey",
    "cephadminkey",
    "heatauthencryptionkey",
    "cephclientkey",
    "keystonecredential",
    "barbicansimplecryptokek",
    "cephrgwkey",
    "swifthashsuffix",
    "migrationsshkey",
    "cephmdskey",
    "cephmonkey",
    "chapsecret",
    // Of Ceph, which Cinder hands out with the way to a volume.
    "keyring",
    // Ironic shows these three. A community that writes switches whole racks off, and the key of a
    // BMC or of a hypervisor's user is as good as a password.
    "snmp_community",
    "hex_kg_key",
    "ssh_key_contents",
    // Whoever has the signature of a temporary URL of Swift can read the object.
    "temp_url_sig",
];

/// Keys of `driver_info` that are secret though their name does not say so.
const SECRET_SNMP_KEYS: &[&str] = &["snmp_auth_key", "snmp_priv_key"];

/// Keys of `instance_info` that are secret there and at its top only: addresses with a signature.
pub const INSTANCE_SECRETS: &[&str] = &["image_url"];

/// Whether the value under this key is a secret.
pub fn is_secret_key(key: &str) -> bool {
    let lower = key.to_lowercase();
    SECRET_KEY_PARTS.iter().any(|part| lower.contains(part))
        || SECRET_SNMP_KEYS.contains(&lower.as_str())
}

/// A copy of `map` with every secret value replaced by [`MASK`].
///
/// An empty or null secret says nothing and is shown as it is not: Ironic masks it too.
pub fn masked(map: &JsonMap) -> JsonMap {
    map.iter()
        .map(|(key, value)| (key.clone(), masked_value(key, value)))
        .collect()
}

/// As [`masked`], and `image_url` is a secret too: it may carry a signed address.
pub fn masked_instance_info(map: &JsonMap) -> JsonMap {
    let mut out = masked(map);
    for key in INSTANCE_SECRETS {
        if let Some(url) = out.get_mut(*key) {
            *url = Value::from(MASK);
        }
    }
    out
}

fn masked_value(key: &str, value: &Value) -> Value {
    if is_secret_key(key) {
        return Value::from(MASK);
    }
    match value {
        Value::Object(inner) => Value::Object(masked(inner)),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| masked_value("", item)).collect())
        }
        Value::String(text) => Value::from(address(text)),
        other => other.clone(),
    }
}

/// Whether nothing in `map` needs masking, so that it can be shown without a copy.
pub fn is_clean(map: &JsonMap) -> bool {
    map.iter()
        .all(|(key, value)| !is_secret_key(key) && is_clean_value(value))
}

fn is_clean_value(value: &Value) -> bool {
    match value {
        Value::Object(inner) => is_clean(inner),
        Value::Array(items) => items.iter().all(is_clean_value),
        Value::String(text) => matches!(address(text), Cow::Borrowed(_)),
        _ => true,
    }
}

/// A text with the passwords of the addresses in it replaced by [`MASK`].
pub fn address(text: &str) -> Cow<'_, str> {
    let masked = replace_passwords(text, |_| Ok::<_, Infallible>(Some(MASK.to_owned())));
    match masked {
        Ok(Some(masked)) => Cow::Owned(masked),
        Ok(None) => Cow::Borrowed(text),
        Err(never) => match never {},
    }
}

/// A text in which `replace` chose another password for some of the addresses in it; `None` when it
/// stays as it is.
pub fn replace_passwords<E>(
    text: &str,
    mut replace: impl FnMut(&str) -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    let mut out = String::new();
    let (mut copied, mut looked) = (0, 0);
    for (colon, _) in text.match_indices("://") {
        let found = password_in_address(text, colon).filter(|it| it.start >= looked);
        let Some(password) = found else { continue };
        looked = password.end;
        if let Some(other) = replace(&text[password.clone()])? {
            out.push_str(&text[copied..password.start]);
            out.push_str(&other);
            copied = password.end;
        }
    }
    if copied == 0 {
        return Ok(None);
    }
    out.push_str(&text[copied..]);
    Ok(Some(out))
}

/// A sentence with what looks like a secret in it replaced by [`MASK`].
///
/// Sentences quote what others wrote: a step with its arguments, a BMC's answer, an address. What
/// counts are values that stand beside a secret key (`'password': 'x'`, `token=x`) and passwords
/// in addresses (`http://user:x@host`). A secret without a name beside it cannot be told from any
/// other word.
pub fn text(sentence: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < sentence.len() {
        let rest = &sentence[at..];
        let (secret, next) = match rest.find(|c: char| c.is_ascii_alphanumeric() || c == ':') {
            None => break,
            Some(skipped) => {
                let start = at + skipped;
                if sentence[start..].starts_with(':') {
                    (password_in_address(sentence, start), start + 1)
                } else {
                    let end = start + word_length(&sentence[start..]);
                    (value_beside(sentence, start, end), end)
                }
            }
        };
        at = next;
        if let Some(secret) = secret {
            out.push_str(&sentence[copied..secret.start]);
            out.push_str(MASK);
            copied = secret.end;
            at = secret.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(sentence);
    }
    out.push_str(&sentence[copied..]);
    Cow::Owned(out)
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
        .unwrap_or(text.len())
}

/// The value that follows the secret key at `start..end`, without its quotes.
fn value_beside(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    if !is_secret_key(&text[start..end]) {
        return None;
    }
    let mut at = end;
    let quote = text[..start].chars().next_back();
    let quoted = quote.filter(|c| matches!(c, '\'' | '"')).is_some_and(|c| {
        let closes = text[at..].starts_with(c);
        at += usize::from(closes);
        closes
    });
    at += spaces(&text[at..]);
    match text[at..].chars().next()? {
        '=' => {}
        // After a bare word a colon is punctuation; after a quoted one it is part of a map.
        ':' if quoted => {}
        _ => return None,
    }
    at += 1;
    at += spaces(&text[at..]);
    let value = &text[at..];
    let length = match value.chars().next()? {
        quote @ ('\'' | '"') => {
            at += 1;
            until_closed(&value[1..], quote)
        }
        '{' | '[' => bracketed(value),
        _ => value
            .find(|c: char| c.is_whitespace() || ",;&)}]'\"".contains(c))
            .unwrap_or(value.len()),
    };
    let value = &text[at..at + length];
    let is_nothing = matches!(value, "" | "None" | "null" | "True" | "False" | MASK);
    (!is_nothing).then_some(at..at + length)
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// How far it is to the closing quote; a backslash takes the next character along.
fn until_closed(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// The length of a list or map, brackets included.
fn bracketed(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}

/// The password of an address whose `://` begins at `colon`.
fn password_in_address(text: &str, colon: usize) -> Option<Range<usize>> {
    let start = colon + "://".len();
    let host = text[colon..].strip_prefix("://")?;
    let end = host
        .find(|c: char| c.is_whitespace() || "/?#'\"<>".contains(c))
        .unwrap_or(host.len());
    let (user, _) = host[..end].rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let start = start + name.len() + 1;
    (!password.is_empty() && password != MASK).then_some(start..start + password.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn secrets_are_masked_at_any_depth() {
        let info = map(json!({
            "ipmi_password": "p", "snmp_auth_key": "k", "address": "10.0.0.1",
            "snmp_community_write": "c", "ipmi_hex_kg_key": "00",
            "ssh_key_contents": "k",
            "nested": {"API_TOKEN": 5, "list": [{"sslKey": "x", "b": 1}, "http://u:p@h/x"]},
        }));
        assert!(!is_clean(&info));
        assert_eq!(
            Value::Object(masked(&info)),
            json!({
                "ipmi_password": MASK, "snmp_auth_key": MASK, "address": "10.0.0.1",
                "snmp_community_write": MASK, "ipmi_hex_kg_key": MASK,
                "ssh_key_contents": MASK,
                "nested": {
                    "API_TOKEN": MASK,
                    "list": [{"sslKey": MASK, "b": 1}, "http://u:******@h/x"],
                },
            })
        );
        assert!(is_clean(&map(json!({"a": {"b": ["c", "http://u@h/x"]}}))));
        assert!(!is_clean(&map(json!({"a": ["http://u:p@h/x"]}))));
    }

    #[test]
    fn passwords_of_addresses_are_masked_and_nothing_else() {
        for (said, shown) in [
            ("http://u:p@h:80/x", "http://u:******@h:80/x"),
            ("https://u:p:q@h", "https://u:******@h"),
            ("a://u:p@h b://v:q@i", "a://u:******@h b://v:******@i"),
            ("http://u:x://y@h", "http://u:x://y@h"),
        ] {
            assert_eq!(address(said), shown);
            assert_eq!(address(&address(said)), shown);
        }
        for plain in [
            "http://u@h",
            "http://h/a:b@c",
            "password=x",
            "://",
            "u:p@h",
            "",
        ] {
            assert_eq!(address(plain), plain);
        }
    }

    #[test]
    fn the_image_url_of_an_instance_is_masked() {
        let info = map(json!({"image_url": "http://h/i?sig=1", "image_source": "s"}));
        assert_eq!(
            Value::Object(masked_instance_info(&info)),
            json!({"image_url": MASK, "image_source": "s"})
        );
    }

    #[test]
    fn secrets_inside_sentences_are_masked() {
        for (said, shown) in [
            (
                "clean step {'step': 'x', 'args': {'password': 'hunt\\'er2', 'token': \"t\"}} failed",
                "clean step {'step': 'x', 'args': {'password': '******', 'token': \"******\"}} failed",
            ),
            (
                "GET /v1?agent_token=abc&x=1 got 500",
                "GET /v1?agent_token=******&x=1 got 500",
            ),
            (
                r#"{"auth_token": 5, "secret": {"a": [1]}, "b": 2}"#,
                r#"{"auth_token": ******, "secret": ******, "b": 2}"#,
            ),
            (
                "no image at http://u:p:w@h:80/x?y, nor at https://h/a@b",
                "no image at http://u:******@h:80/x?y, nor at https://h/a@b",
            ),
            ("password = x;y", "password = ******;y"),
        ] {
            assert_eq!(text(said), shown);
            assert_eq!(text(&text(said)), shown, "a second time changes nothing");
        }
        for harmless in [
            "A non-empty \"rescue_password\" is required",
            "Invalid or missing agent token received.",
            "the token: none was given",
            "'password': None, 'token': '', token=",
            "12:30 ://",
            "größe='ü'",
            "",
        ] {
            assert_eq!(text(harmless), harmless);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_sentence_can_be_looked_at(sentence in "(.|password|token|=|:|'|\"|://|@|\\\\|[{}]){0,40}") {
            let once = text(&sentence).into_owned();
            let _ = text(&once);
        }
    }
}
