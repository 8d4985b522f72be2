//! JSON from the database, copied into an answer.
//!
//! Stored JSON is compact and may hold any letter; answers have Ironic's spelling. The text is read
//! and written again value by value, without a tree in between, and secrets are masked on the way by
//! the same rule as in [`secret`](super::secret).

use super::secret::is_secret;
use crate::json_writer::JsonWriter;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::fmt;
use types::{
    InternalInfo,
    mask::{self, MASK},
};

/// What of an object is not shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Masking {
    /// Whether values of secret keys are masked, at any depth.
    masks: bool,
    /// Keys at the top whose values are masked too.
    also: &'static [&'static str],
    /// Keys at the top that are left out.
    left_out: &'static [&'static str],
}

impl Masking {
    pub(crate) const NONE: Self = Self {
        masks: false,
        also: &[],
        left_out: &[],
    };
    /// For what drivers are told.
    pub(crate) const SECRETS: Self = Self {
        masks: true,
        ..Self::NONE
    };
    /// For `instance_info`: its `image_url` is a secret too, it may carry a signature.
    pub(crate) const INSTANCE: Self = Self {
        also: mask::INSTANCE_SECRETS,
        ..Self::SECRETS
    };
    /// For `driver_internal_info`.
    pub(crate) const INTERNAL: Self = Self {
        left_out: InternalInfo::HIDDEN_KEYS,
        ..Self::SECRETS
    };

    pub(crate) fn leaves_out(&self, key: &str) -> bool {
        self.left_out.contains(&key)
    }

    fn below(self) -> Self {
        Self {
            masks: self.masks,
            ..Self::NONE
        }
    }
}

/// An object; one that is not set is empty.
pub(crate) fn object(w: &mut JsonWriter, text: Option<&str>, masking: Masking) {
    // Most are empty.
    match text {
        None | Some("{}") => w.raw(b"{}"),
        Some(text) => copy(w, text, '{', masking),
    }
}

/// A list.
pub(crate) fn array(w: &mut JsonWriter, text: Option<&str>) {
    match text {
        Some("[]") => w.raw(b"[]"),
        text => copy(w, text.unwrap_or_default(), '[', Masking::NONE),
    }
}

fn copy(w: &mut JsonWriter, text: &str, opening: char, masking: Masking) {
    let mut json = serde_json::Deserializer::from_str(text);
    let copied = Copied { w, masking }
        .deserialize(&mut json)
        .and_then(|()| json.end());
    if copied.is_err() || !text.starts_with(opening) {
        w.note_corrupt();
    }
}

/// A value that is written as it is read.
struct Copied<'w> {
    w: &'w mut JsonWriter,
    masking: Masking,
}

impl<'de> DeserializeSeed<'de> for Copied<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Copied<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.w.null();
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.w.bool(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.w.int(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.w.number(&value.into());
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("no number"))?;
        self.w.number(&number);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if self.masking.masks {
            self.w.str(&mask::address(text));
        } else {
            self.w.str(text);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let masking = self.masking.below();
        self.w.begin_array();
        while let Some(()) = items.next_element_seed(Copied { w: self.w, masking })? {}
        self.w.end_array();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<(), A::Error> {
        let Self { w, masking } = self;
        w.begin_object();
        while let Some(treatment) = pairs.next_key_seed(Key { w, masking })? {
            match treatment {
                Treatment::Copy => pairs.next_value_seed(Copied {
                    w,
                    masking: masking.below(),
                })?,
                Treatment::Mask => {
                    pairs.next_value::<IgnoredAny>()?;
                    w.str(MASK);
                }
                Treatment::LeaveOut => {
                    pairs.next_value::<IgnoredAny>()?;
                }
            }
        }
        w.end_object();
        Ok(())
    }
}

/// What becomes of the value behind a key.
enum Treatment {
    Copy,
    Mask,
    LeaveOut,
}

/// A key that is written as it is read.
struct Key<'w> {
    w: &'w mut JsonWriter,
    masking: Masking,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Treatment;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Treatment, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Treatment;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Treatment, E> {
        if self.masking.leaves_out(key) {
            return Ok(Treatment::LeaveOut);
        }
        self.w.any_key(key);
        let is_masked = self.masking.masks && (is_secret(key) || self.masking.also.contains(&key));
        Ok(if is_masked {
            Treatment::Mask
        } else {
            Treatment::Copy
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::secret;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use types::JsonMap;

    fn copied(text: &str, masking: Masking) -> String {
        let mut w = JsonWriter::default();
        object(&mut w, Some(text), masking);
        assert!(!w.is_corrupt(), "{text}");
        String::from_utf8(w.finish()).unwrap()
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            Just(json!("http://u:p@h")),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            let keys = "[a-z\u{e9}\"\n]{0,4}(_password|token|image_url)?";
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::vec((keys, inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_copy_is_what_the_tree_would_be_written_as(
            pairs in proptest::collection::vec(("[a-z_]{0,6}(password|image_url)?", any_json()), 0..4)
        ) {
            let map: JsonMap = pairs.into_iter().collect();
            let text = serde_json::to_string(&map).unwrap();
            // Read back, because a fraction may lose its last digit on the way.
            let map: JsonMap = serde_json::from_str(&text).unwrap();
            for (masking, write) in [
                (Masking::NONE, (|w, map| w.map(map)) as fn(&mut JsonWriter, &JsonMap)),
                (Masking::SECRETS, secret::map),
                (Masking::INSTANCE, secret::instance_info),
            ] {
                let mut w = JsonWriter::default();
                write(&mut w, &map);
                let expected = String::from_utf8(w.finish()).unwrap();
                prop_assert_eq!(copied(&text, masking), expected);
            }
        }
    }

    #[test]
    fn what_is_internal_is_left_out_at_the_top_only() {
        assert_eq!(
            copied(
                r#"{"a":{"last_error_code":1},"last_error_code":"x","b":2}"#,
                Masking::INTERNAL
            ),
            r#"{"a": {"last_error_code": 1}, "b": 2}"#
        );
    }

    #[test]
    fn what_is_no_object_is_corrupt() {
        for text in ["", "{", "[]", "null", "{} {}", "{\"a\":}", "x"] {
            let mut w = JsonWriter::default();
            object(&mut w, Some(text), Masking::NONE);
            assert!(w.is_corrupt(), "{text}");
        }
        let mut w = JsonWriter::default();
        array(&mut w, None);
        assert!(w.is_corrupt());
    }
}
