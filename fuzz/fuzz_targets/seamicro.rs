//! Documents as the manager of a SeaMicro chassis, or somebody who pretends to be one, may answer them,
//! and names as nodes may give them.
//!
//! Nothing may panic, and a name that is understood must survive being written and read again.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::seamicro::{self, ServerId, VolumeId};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let _ = seamicro::is_active(text);
    if let Ok(nics) = seamicro::nics(text) {
        assert!(nics.is_sorted_by_key(|nic| nic.number));
    }
    if let Ok(pools) = seamicro::pools_of_ironic(text) {
        for pool in pools {
            let name = format!("{pool}/a");
            assert!(VolumeId::parse(&name).is_some_and(|volume| volume.is_of_ironic()));
        }
    }
    if let Some(id) = ServerId::parse(text) {
        assert_eq!(ServerId::parse(&id.to_string()), Some(id));
    }
    if let Some(id) = VolumeId::parse(text) {
        assert_eq!(id.to_string(), text);
    }
    assert!(seamicro::percent_encoded(text).is_ascii());
});
