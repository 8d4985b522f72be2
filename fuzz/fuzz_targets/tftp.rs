//! Packets of TFTP, and whole conversations with a sender.
//!
//! Nothing may panic; what is understood must survive being written and read again; and however a
//! client behaves, a transfer stays inside its file and comes to an end.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::tftp::{
    Packet,
    receiver::Receiver,
    sender::{Limits, Sender, Step},
};

const SIZE: u64 = 5000;

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    if let Ok(packet) = Packet::decode(bytes) {
        let again = packet.encode();
        assert_eq!(Packet::decode(&again), Ok(packet.clone()));
    }
    if choice % 2 == 1 {
        converse(bytes);
    }
});

/// A request, then what the client says: an acknowledgement, or silence.
fn converse(bytes: &[u8]) {
    let end = bytes.len().min(80);
    let Ok(Packet::Request(request)) = Packet::decode(&bytes[..end]) else {
        return;
    };
    let mut sender = Sender::new(&request, SIZE, Limits::default());
    let mut receiver = Receiver::new();
    for pair in bytes[end..].chunks_exact(2) {
        let mut sent = 0;
        loop {
            match sender.next_step() {
                Step::Block {
                    offset,
                    length,
                    number,
                } => {
                    assert!(offset + length as u64 <= SIZE);
                    let data = vec![0; length];
                    let _ = receiver.receive(
                        &request,
                        &Packet::Data {
                            block: number,
                            bytes: &data,
                        },
                    );
                    sent += 1;
                    assert!(sent <= u32::from(sender.window()));
                }
                Step::OptionAck(options) => {
                    let _ = receiver.receive(&request, &Packet::OptionAck(options));
                }
                Step::Wait => break,
                Step::Done | Step::GaveUp => return,
            }
        }
        match pair {
            [255, 255] => sender.timed_out(),
            [high, low] => sender.acknowledge(u16::from_be_bytes([*high, *low])),
            _ => {}
        }
    }
    assert!(sender.acknowledged() <= SIZE);
}
