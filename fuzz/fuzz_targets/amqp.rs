//! Frames of AMQP, and whole conversations with a server that says anything.
//!
//! Nothing may panic; what is understood must survive being written and read again; and a session
//! never keeps more than a frame of what it was given.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::amqp::{Frame, Login, Properties, Session};

const LIMIT: u32 = 131_072;

fuzz_target!(|input: &[u8]| {
    if let Ok(Some((frame, length))) = Frame::decode(input, LIMIT) {
        assert!(length <= input.len());
        let mut again = Vec::new();
        frame.encode(&mut again);
        assert_eq!(Frame::decode(&again, LIMIT), Ok(Some((frame, again.len()))));
    }
    converse(input);
});

fn converse(input: &[u8]) {
    let mut session = Session::new(Login {
        user: "u".into(),
        password: "p".into(),
        vhost: "/".into(),
        heartbeat: 60,
        name: "fuzz".into(),
    });
    for piece in input.chunks(17) {
        if session.received(piece).is_err() {
            return;
        }
        while session.event().is_some() {}
        session.publish("x", "k", &Properties::default(), piece);
        session.output();
    }
}
