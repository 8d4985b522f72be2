//! Datagrams that anybody may send to a simulated BMC, before and after a session is open.
//!
//! The first byte chooses how the rest is wrapped: as a datagram of its own, as a request within a
//! session, or as serial data. Nothing may panic.

#![cfg_attr(fuzzing, no_main)]

use corten_fuzz::fuzz_target;
use proto::ipmi::{
    Privilege,
    client::{Credentials, Login, Nonce, Step, Version},
    command::payload,
    crypto::Key,
    handshake::UserName,
    message::{NetFn, Request, Route},
    packet::PayloadType,
    session::Session,
    suite::Suite,
};
use sim::{
    Machine, Settings,
    ipmi::{Options, bmc::Bmc},
};
use std::{net::Ipv4Addr, sync::Arc};

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    let options = Options {
        suites: Suite::ALL.to_vec(),
        ..Options::default()
    };
    let machine = Arc::new(Machine::new(0, Arc::new(Settings::default())));
    let mut bmc = Bmc::new(machine, Arc::new(options), (Ipv4Addr::LOCALHOST, 623));
    match choice % 3 {
        0 => {
            bmc.receive(bytes);
        }
        1 => requests(&mut bmc, bytes),
        _ => serial(&mut bmc, bytes),
    }
    bmc.poll_console(true);
});

/// A session that hides nothing, so that what is sent is what the fuzzer chose.
fn log_in(bmc: &mut Bmc) -> Session {
    let credentials = Credentials {
        user: UserName::new(b"admin").unwrap(),
        password: Key::new(b"password").unwrap(),
        bmc_key: Key::default(),
        privilege: Privilege::Administrator,
    };
    let nonce = Nonce {
        session: 1,
        random: [2; 16],
        tag: 3,
        iv: [4; 16],
    };
    let version = Version::V20(Suite::of_id(1).unwrap());
    let (mut login, mut datagram) = Login::start(credentials, version, nonce);
    loop {
        let answers = bmc.receive(&datagram).answers;
        match login.receive(&answers[0]).unwrap() {
            Step::Send(next) => datagram = next,
            Step::Done(session) => return session,
            Step::Ignore => unreachable!("the BMC answers what it is asked"),
        }
    }
}

/// Requests one after the other: function, command, length and data.
fn requests(bmc: &mut Bmc, mut bytes: &[u8]) {
    let mut session = log_in(bmc);
    let mut sequence = 0;
    while let [netfn, command, length, rest @ ..] = bytes {
        let (data, rest) = rest.split_at(rest.len().min(usize::from(length % 64)));
        bytes = rest;
        sequence = (sequence + 1) & 0x3f;
        let request = Request::new(NetFn(netfn & 0x3e), *command, data);
        let message = Route::Direct.envelope(&request, sequence);
        bmc.receive(&session.seal(&message, [5; 16]));
    }
}

fn serial(bmc: &mut Bmc, bytes: &[u8]) {
    let mut session = log_in(bmc);
    let message = Route::Direct.envelope(&payload::activate(false, false), 1);
    bmc.receive(&session.seal(&message, [5; 16]));
    if let Session::V20(session) = &mut session {
        for packet in bytes.chunks(32) {
            bmc.receive(&session.seal(PayloadType::Sol, packet, [5; 16]));
        }
    }
}
