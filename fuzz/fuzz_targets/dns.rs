//! Answers of a DNS server to dynamic updates, signed and not.
//!
//! Nothing may panic, and nothing is trusted that was not signed with the key.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::dns::{
    response::Response,
    tsig::Key,
    update::{Change, Update},
};

fuzz_target!(|input: &[u8]| {
    let Ok(response) = Response::decode(input) else {
        return;
    };
    assert_eq!(Response::decode(input), Ok(response.clone()));
    let (Ok(name), Ok(zone)) = ("corten".parse(), "example.org".parse()) else {
        return;
    };
    let key = Key {
        name,
        secret: b"not the one of the seeds".to_vec(),
    };
    let update = Update {
        zone,
        conditions: Vec::new(),
        changes: Vec::<Change>::new(),
        ttl: 0,
    };
    let request = key.sign(&update.encode(7), 1_800_000_000);
    assert!(
        key.verify(&request, input, &response, 1_800_000_000)
            .is_err()
    );
});
