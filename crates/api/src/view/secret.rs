//! Writing user data without its secrets.
//!
//! Which keys are secret is said by `types::mask`. Asking it costs a scan for dozens of words, and a
//! list asks for the same few keys over and over, so each thread remembers the answers.

use crate::json_writer::JsonWriter;
use serde_json::Value;
use std::cell::RefCell;
use types::{
    JsonMap,
    mask::{self, MASK},
};

/// How many keys a thread remembers. Keys are chosen by users: a newcomer takes the place of the key
/// that hashes alike, so that the memory cannot grow.
const REMEMBERED_KEYS: usize = 1024;

/// A key, and whether it is secret.
type Remembered = Option<(Box<str>, bool)>;

thread_local! {
    static KNOWN: RefCell<Vec<Remembered>> = RefCell::new(vec![None; REMEMBERED_KEYS]);
}

/// Whether the value under this key is a secret.
pub(super) fn is_secret(key: &str) -> bool {
    KNOWN.with_borrow_mut(|known| {
        let slot = &mut known[place(key)];
        match slot {
            Some((seen, secret)) if **seen == *key => *secret,
            _ => {
                let secret = mask::is_secret_key(key);
                *slot = Some((key.into(), secret));
                secret
            }
        }
    })
}

/// Where a key is remembered (FNV-1a).
fn place(key: &str) -> usize {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % REMEMBERED_KEYS as u64).unwrap_or(0)
}

/// The map with every secret value masked.
pub(crate) fn map(w: &mut JsonWriter, map: &JsonMap) {
    masked_map(w, map, &[]);
}

/// As [`map`], for `instance_info`: its `image_url` is a secret too, it may carry a signature.
pub(crate) fn instance_info(w: &mut JsonWriter, map: &JsonMap) {
    masked_map(w, map, mask::INSTANCE_SECRETS);
}

fn masked_map(w: &mut JsonWriter, map: &JsonMap, extra: &[&str]) {
    w.begin_object();
    for (key, inner) in map {
        w.any_key(key);
        if is_secret(key) || extra.contains(&key.as_str()) {
            w.str(MASK);
        } else {
            value(w, inner);
        }
    }
    w.end_object();
}

fn value(w: &mut JsonWriter, inner: &Value) {
    match inner {
        Value::Object(inner) => map(w, inner),
        Value::Array(items) => {
            w.begin_array();
            for item in items {
                value(w, item);
            }
            w.end_array();
        }
        Value::String(text) => w.str(&mask::address(text)),
        plain => w.value(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn written(map: &JsonMap, write: fn(&mut JsonWriter, &JsonMap)) -> Value {
        let mut w = JsonWriter::default();
        write(&mut w, map);
        serde_json::from_slice(&w.finish()).unwrap()
    }

    #[test]
    fn the_image_url_is_masked_only_at_the_top() {
        let Value::Object(info) = json!({"image_url": "u", "a": {"image_url": "v", "token": 1}})
        else {
            unreachable!()
        };
        assert_eq!(
            written(&info, instance_info),
            json!({"image_url": MASK, "a": {"image_url": "v", "token": MASK}})
        );
    }

    proptest! {
        #[test]
        fn masking_while_writing_equals_masking_a_copy(
            keys in proptest::collection::vec("[a-z_]{0,6}(pass(word|phrase)|token|key)?", 0..6)
        ) {
            let value = json!("http://u:p@h");
            let inner: JsonMap = keys.iter().map(|k| (k.clone(), value.clone())).collect();
            let mut outer = inner.clone();
            outer.insert("nested".into(), json!([{"x": inner}]));
            prop_assert_eq!(written(&outer, map), Value::Object(mask::masked(&outer)));
        }
    }
}
