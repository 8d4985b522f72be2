//! RFB, from machines and from viewers.
//!
//! Nothing may panic; what a login asks for next is never much; and of a viewer who only watches nothing
//! comes through that the machine would notice.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::rfb::{
    client::{ClientMessage, Filter},
    greeting::Greeting,
    login::Login,
};

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    match choice % 3 {
        0 => log_in(bytes, choice & 0x80 != 0),
        1 => greet(bytes),
        _ => watch(bytes, usize::from(choice / 3).max(1)),
    }
});

fn log_in(mut bytes: &[u8], has_password: bool) {
    let mut login = Login::new(has_password.then_some("password"));
    while login.needs() > 0 {
        assert!(login.needs() <= 4096);
        let Some((next, rest)) = bytes.split_at_checked(login.needs()) else {
            return;
        };
        bytes = rest;
        match login.take(next) {
            Ok(said) => assert!(said.len() <= 16),
            Err(error) => {
                assert!(error.to_string().len() < 4096);
                return;
            }
        }
    }
}

fn greet(mut bytes: &[u8]) {
    let mut greeting = Greeting::default();
    while greeting.needs() > 0 {
        let Some((next, rest)) = bytes.split_at_checked(greeting.needs()) else {
            return;
        };
        bytes = rest;
        if greeting.take(next).is_err() {
            return;
        }
    }
}

fn watch(bytes: &[u8], piece: usize) {
    let (mut watching, mut typing) = (Filter::new(true), Filter::new(false));
    let mut passed = Vec::new();
    let mut typed = 0;
    for piece in bytes.chunks(piece) {
        let (Ok(seen), Ok(more)) = (watching.pass(piece), typing.pass(piece)) else {
            break;
        };
        passed.extend(seen);
        typed += more.len();
    }
    assert!(passed.len() <= typed && typed <= bytes.len());
    let mut rest = passed.get(1..).unwrap_or_default();
    while let Ok(Some((message, length))) = ClientMessage::first(rest) {
        assert!(!message.is_input());
        rest = &rest[length..];
    }
    assert!(rest.is_empty());
}
