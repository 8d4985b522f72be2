//! A recording that somebody sent: reading it, and asking it what it holds and what it does not.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use sim::replay::Replay;

fuzz_target!(|input: &str| {
    let Ok(replay) = Replay::read(input, |_| ()) else {
        return;
    };
    for command in 0..4 {
        for data in [&[][..], &[1], &[0, 1, 2, 3, 4]] {
            replay.ipmi(0x20, 0, command, data);
            replay.ipmi(0x20, 6, command, data);
        }
    }
    replay.unknown();
    replay.user();
});
