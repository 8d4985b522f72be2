//! Bytes as a client of an iBoot, or somebody who pretends to be one, may send them.
//!
//! Nothing may panic, and what is understood must survive being written and read again.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::iboot::Request;

fuzz_target!(|input: &[u8]| {
    if let Ok(Some(request)) = Request::decode(input) {
        let again = Request::decode(&request.encode());
        assert_eq!(again, Ok(Some(request)));
    }
});
