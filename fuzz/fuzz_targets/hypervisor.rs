//! What a hypervisor, or somebody who pretends to be one, may answer to commands.
//!
//! Nothing may panic or take long. A name that is taken has nothing in it that could end its quotes,
//! and a description that is changed boots from what was asked for.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::hypervisor::{Commands, Family, sections, with_boot_device};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    for family in Family::ALL {
        let commands = Commands {
            family,
            libvirt_uri: "qemu:///system".to_owned(),
            is_headless: false,
        };
        for guest in commands.guests(text) {
            let name = guest.to_string();
            assert!(!name.starts_with('-') && !name.contains(['\'', '\n', '\\', '\0']));
            assert!(commands.start(&guest).contains(&format!("'{name}'")));
            let _ = commands.is_running(&guest, text);
        }
        for mac in commands.macs(text) {
            assert_eq!(mac.len(), 12);
        }
        let _ = commands.boot_device(text);
    }
    if let Ok(changed) = with_boot_device(text, "network") {
        let again = with_boot_device(&changed, "network");
        assert_eq!(again.as_ref(), Ok(&changed));
    }
    let _ = sections(text, "end").len();
});
