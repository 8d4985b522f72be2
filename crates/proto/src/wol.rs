//! Wake-on-LAN: AMD's magic packet (its publication 20213), which a network card waits for while the
//! machine is off.
//!
//! Six bytes of 0xff and sixteen copies of the card's address, anywhere in a packet. The password
//! of some cards (SecureOn) is left out, as in Ironic.

/// The length of a magic packet.
pub const LENGTH: usize = 6 + 16 * 6;

/// The packet that wakes the machine with this network card.
pub fn magic_packet(address: [u8; 6]) -> [u8; LENGTH] {
    let mut packet = [0xff; LENGTH];
    for copy in packet[6..].as_chunks_mut::<6>().0 {
        *copy = address;
    }
    packet
}

/// The address of the card that a packet wakes; `None` if it is not a magic packet.
pub fn woken(packet: &[u8]) -> Option<[u8; 6]> {
    packet.windows(LENGTH).find_map(|window| {
        let (head, copies) = window.split_first_chunk::<6>()?;
        let (copies, _) = copies.as_chunks::<6>();
        let address = *copies.first()?;
        let is_magic = *head == [0xff; 6] && copies.iter().all(|copy| *copy == address);
        is_magic.then_some(address)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_packet_is_six_times_all_ones_and_sixteen_times_the_address() {
        let packet = magic_packet([0x52, 0x54, 0, 1, 2, 3]);
        assert_eq!(packet.len(), 102);
        assert_eq!(packet[..6], [0xff; 6]);
        assert_eq!(packet[6..12], [0x52, 0x54, 0, 1, 2, 3]);
        assert_eq!(packet[96..], [0x52, 0x54, 0, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn a_card_hears_its_address_anywhere_in_a_packet(
            address: [u8; 6], before in proptest::collection::vec(0u8..255, 0..20)
        ) {
            let packet = [&before[..], &magic_packet(address)].concat();
            prop_assert_eq!(woken(&packet), Some(address));
            prop_assert_eq!(woken(&packet[..packet.len() - 1]), None);
        }
    }
}
