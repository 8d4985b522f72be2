//! What a driver that is a program of its own may write: lines in pieces, answers, a declaration.
//!
//! The first byte says how long the pieces are. Nothing may panic, and no line may depend on where
//! the pieces end.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use drivers::external::Declaration;
use proto::driver::{Answer, Lines};

fuzz_target!(|input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else {
        return;
    };
    let all = |length: usize| {
        let mut lines = Lines::new(512);
        let mut all = Vec::new();
        for piece in bytes.chunks(length) {
            lines.feed(piece, |line, cut| all.push((line.to_vec(), cut)));
        }
        all
    };
    let lines = all(usize::from(*first) + 1);
    assert_eq!(lines, all(bytes.len().max(1)));
    for (line, _) in &lines {
        assert!(line.len() <= 512 && !line.contains(&b'\n'));
        let _ = Answer::parse(line);
    }
    if let Ok(Answer {
        outcome: Ok(said), ..
    }) = Answer::parse(bytes.trim_ascii())
    {
        let _ = Declaration::of(said);
    }
});
