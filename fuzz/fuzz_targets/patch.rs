//! A JSON patch applied to a document, both as a client may choose them.
//!
//! The input is a JSON array of two: the document and the patch.

#![cfg_attr(fuzzing, no_main)]

use api::patch::Patch;
use corten_fuzz::fuzz_target;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Ok(Value::Array(mut parts)) = serde_json::from_slice(input) else {
        return;
    };
    let (Some(body), Some(Value::Object(document))) = (parts.pop(), parts.pop()) else {
        return;
    };
    let Ok(patch) = Patch::parse(&body) else {
        return;
    };
    if let Ok(patched) = patch.apply(document.clone()) {
        // Only what the patch speaks of may differ.
        for (name, value) in &document {
            assert!(patch.touches(name) || patched.get(name) == Some(value));
        }
    }
});
