//! Queries for nodes: any text is understood, or refused with the place of the mistake.

#![cfg_attr(fuzzing, no_main)]

use api::fleet::query::{self, LONGEST};
use corten_fuzz::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let length = text.chars().count();
    match query::parse(text, Some("rack")) {
        Ok(query) => assert!(length <= LONGEST && query.words.len() <= 32),
        Err(wrong) => {
            assert!(wrong.start <= wrong.end && wrong.end <= length, "{wrong:?}");
            assert!(!wrong.text.is_empty());
            // What is proposed is no longer wrong in the same way.
            if let Some(better) = wrong.suggestion {
                let again = query::parse(&better, Some("rack"));
                assert!(
                    again.map_or_else(|e| e.text != wrong.text, |_| true),
                    "{better}"
                );
            }
        }
    }
});
