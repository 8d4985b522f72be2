//! Messages as machines, relays or somebody who pretends to be one may send them.
//!
//! The first byte chooses the family. Nothing may panic, and what is understood must survive being
//! written and read again.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::dhcp::{
    options::{code, nested, routes},
    pxe,
    v4::Message,
    v6::{self, Association, Packet},
};

fuzz_target!(|input: &[u8]| {
    match input.split_first() {
        Some((choice, bytes)) if choice % 2 == 0 => version_4(bytes),
        Some((_, bytes)) => version_6(bytes),
        None => {}
    }
});

fn version_4(bytes: &[u8]) {
    let Ok(message) = Message::decode(bytes) else {
        return;
    };
    let again = message.encode(65_000);
    if let Ok(again) = again {
        assert_eq!(Message::decode(&again), Ok(message.clone()));
    }
    // In little room it is written whole or not at all.
    if let Ok(small) = message.encode(300) {
        assert_eq!(Message::decode(&small), Ok(message.clone()));
    }
    let _ = message
        .reply(proto::dhcp::v4::MessageType::Offer, [10, 0, 0, 1].into())
        .encode(message.room());
    for code in [code::VENDOR, code::RELAY_AGENT, code::IPXE] {
        let _ = message.options.get(code).map(nested);
    }
    let _ = message.options.get(code::CLASSLESS_ROUTES).map(routes);
    let _ = message
        .options
        .get(code::CLIENT_ARCH)
        .map(pxe::architectures);
    let _ = message
        .options
        .get(code::CLIENT_NDI)
        .map(pxe::driver_interface);
    let class = message.options.get(code::USER_CLASS).unwrap_or_default();
    let _ = pxe::is_user_class(class, pxe::IPXE_CLASS);
}

fn version_6(bytes: &[u8]) {
    let Ok(packet) = Packet::decode(bytes) else {
        return;
    };
    assert_eq!(Packet::decode(&packet.encode_reply()), Ok(packet.clone()));
    let options = &packet.message.options;
    for association in options.all(v6::code::IA_NA) {
        if let Ok(association) = Association::decode(association) {
            let _ = association.addresses();
            assert_eq!(Association::decode(&association.encode()), Ok(association));
        }
    }
    for code in [
        v6::code::USER_CLASS,
        v6::code::VENDOR_CLASS,
        v6::code::BOOT_PARAMETERS,
    ] {
        let _ = options.get(code).map(v6::items);
    }
    let _ = options.get(v6::code::CLIENT_ID).map(v6::mac_of_duid);
    let _ = packet.answer(packet.message.clone()).encode_reply();
}
