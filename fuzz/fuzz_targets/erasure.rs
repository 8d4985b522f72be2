//! What an agent says that it erased: what is kept of it is bounded, and reads as it was written.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use serde_json::Value;
use types::{canonical, erasure::ErasureReport};

fuzz_target!(|data: &[u8]| {
    let Ok(result) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    let text = canonical::text(&result);
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(canonical::text(&read), text);
    let Some(Ok(report)) = ErasureReport::of_result(&result) else {
        return;
    };
    let kept = report.to_result();
    assert!(kept.to_string().len() < 4096 * (report.disks.len() + 1));
    assert_eq!(ErasureReport::of_result(&kept), Some(Ok(report)));
});
