//! A sealed value as it may come back from a damaged or forged database row.
//!
//! Nothing that was not sealed with the key of the ring may open.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use serde_json::Value;
use std::sync::LazyLock;
use store::KeyRing;

/// A ring whose only key has a known id, so that inputs reach the decoder and the cipher.
static RING: LazyLock<KeyRing> = LazyLock::new(|| {
    let file = std::env::temp_dir().join(format!("corten-fuzz-keys-{}", std::process::id()));
    std::fs::write(&file, format!("k {}\n", "A".repeat(43))).expect("the file can be written");
    let ring = KeyRing::load(&file).expect("the ring was written above");
    // An unknown key makes the ring read its file again, which may as well be gone.
    std::fs::remove_file(&file).expect("the file was read above");
    ring
});

fuzz_target!(|input: &str| {
    for text in [input.to_owned(), format!("corten:sealed:k:{input}")] {
        assert!(RING.open(&Value::String(text), "node").is_err());
    }
});
