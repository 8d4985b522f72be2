//! JSON of a foreign database: whatever is in a column is read or refused, and what is strict JSON
//! stays what it is. What is written back is ASCII and is read as the same.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok((value, replaced)) = migrate::json::read(text) else {
        return;
    };
    if let Ok(strict) = serde_json::from_str::<Value>(text) {
        assert_eq!(value, strict);
        assert!(!replaced.not_finite && !replaced.half_surrogate);
    }
    let written = migrate::json::write(&value);
    assert!(written.is_ascii());
    let again = migrate::json::read(&written).expect("what was written can be read");
    assert_eq!(again.0, value);
});
