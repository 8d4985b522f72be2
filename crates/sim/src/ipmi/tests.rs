//! A BMC without a socket, and our client's half of the conversation.

use super::{bmc::Bmc, *};
use crate::{Machine, Settings, machine::boot::Device};
use proptest::prelude::*;
use proto::ipmi::{
    Privilege,
    client::{Credentials, Login, LoginError, Nonce, Step, Version},
    command::{boot, chassis, device},
    handshake::UserName,
    message::{Completion, Message, Request, Route},
    packet::{Packet, V15},
    session::Session,
};
use std::{net::Ipv4Addr, sync::Arc};

fn bmc(options: Options) -> Bmc {
    let machine = Arc::new(Machine::new(0, Arc::new(Settings::default())));
    Bmc::new(machine, Arc::new(options), (Ipv4Addr::LOCALHOST, 623))
}

fn every_suite() -> Options {
    Options {
        suites: Suite::ALL.to_vec(),
        v15: vec![V15Auth::Md5],
        ..Options::default()
    }
}

fn credentials(password: &str) -> Credentials {
    Credentials {
        user: UserName::new(b"admin").unwrap(),
        password: Key::new(password.as_bytes()).unwrap(),
        bmc_key: Key::default(),
        privilege: Privilege::Administrator,
    }
}

const NONCE: Nonce = Nonce {
    session: 7,
    random: [8; 16],
    tag: 9,
    iv: [10; 16],
};

/// Logs in over a line that loses every n-th answer.
fn log_in(
    bmc: &mut Bmc,
    version: Version,
    password: &str,
    lose_every: usize,
) -> Result<Session, LoginError> {
    let (mut login, mut datagram) = Login::start(credentials(password), version, NONCE);
    for count in 1.. {
        let answers = bmc.receive(&datagram).answers;
        let Some(answer) = answers.first().filter(|_| count % lose_every != 0) else {
            assert!(count < 50, "waiting for {}", login.waiting_for());
            datagram = login.repeat([11; 16]);
            continue;
        };
        match login.receive(answer)? {
            Step::Send(next) => datagram = next,
            Step::Done(session) => return Ok(session),
            Step::Ignore => panic!("an answer that nobody understands"),
        }
    }
    unreachable!()
}

fn ask(bmc: &mut Bmc, session: &mut Session, request: &Request) -> (Completion, Vec<u8>) {
    let message = Route::Direct.envelope(request, 1);
    let datagram = session.seal(&message, [12; 16]);
    let answers = bmc.receive(&datagram).answers;
    let (_, payload) = session.open(&answers[0]).unwrap();
    let (code, data) = Message::decode(&payload).unwrap().answer().unwrap();
    (code, data.to_vec())
}

#[test]
fn sessions_open_over_lines_that_lose_answers() {
    for lose_every in [2, 3, 4, 1000] {
        for suite in Suite::ALL {
            let mut bmc = bmc(every_suite());
            let version = Version::V20(*suite);
            let mut session = log_in(&mut bmc, version, "password", lose_every).unwrap();
            let (code, data) = ask(&mut bmc, &mut session, &device::id());
            assert_eq!((code, data[0]), (Completion::OK, 0x20), "{suite:?}");
        }
    }
    let mut bmc = bmc(every_suite());
    let mut session = log_in(&mut bmc, Version::V15, "password", 1000).unwrap();
    assert_eq!(ask(&mut bmc, &mut session, &device::id()).0, Completion::OK);
}

/// IPMI 1.5: the answer to Activate Session names the session, so whoever forges it would have the
/// console talk to another.
#[test]
fn a_session_of_version_15_is_only_taken_from_one_who_knows_the_password() {
    let mut bmc = bmc(every_suite());
    let (mut login, mut datagram) = Login::start(credentials("password"), Version::V15, NONCE);
    while login.waiting_for() != "Activate Session" {
        let answers = bmc.receive(&datagram).answers;
        let Step::Send(next) = login.receive(&answers[0]).unwrap() else {
            panic!("an answer that nobody understands");
        };
        datagram = next;
    }
    let answer = bmc.receive(&datagram).answers.remove(0);
    let Ok(Packet::V15(packet)) = Packet::decode(&answer) else {
        panic!("not a packet of version 1.5");
    };
    let without = V15 {
        auth: V15Auth::None,
        code: None,
        ..packet.clone()
    };
    let mut payload = packet.payload.to_vec();
    // The session id, and the checksum after it that anybody can make right.
    payload[8] ^= 1;
    let end = payload.len() - 1;
    payload[end] = payload[3..end]
        .iter()
        .fold(0u8, |sum, byte| sum.wrapping_sub(*byte));
    let altered = V15 {
        payload: &payload,
        ..packet.clone()
    };
    for forged in [without.encode(), altered.encode()] {
        let step = login.receive(&forged).unwrap();
        assert!(matches!(step, Step::Ignore), "{step:?}");
        assert_eq!(login.waiting_for(), "Activate Session");
    }
    assert!(matches!(login.receive(&answer), Ok(Step::Send(_))));
}

#[test]
fn a_repeated_request_is_done_once() {
    let mut bmc = bmc(Options::default());
    let version = Version::V20(Suite::of_id(17).unwrap());
    let mut session = log_in(&mut bmc, version, "password", 1000).unwrap();
    let reset = chassis::control(chassis::Control::Reset);
    for _ in 0..3 {
        assert_eq!(ask(&mut bmc, &mut session, &reset).0, Completion::OK);
    }
    assert_eq!(bmc.machine.history().len(), 1);
}

#[test]
fn a_replayed_packet_is_not_heard() {
    let mut bmc = bmc(Options::default());
    let version = Version::V20(Suite::of_id(3).unwrap());
    let mut session = log_in(&mut bmc, version, "password", 1000).unwrap();
    let message = Route::Direct.envelope(&chassis::status(), 1);
    let datagram = session.seal(&message, [12; 16]);
    assert_eq!(bmc.receive(&datagram).answers.len(), 1);
    assert_eq!(bmc.receive(&datagram).answers.len(), 0);
}

#[test]
fn wrong_passwords_and_full_tables_are_told_apart() {
    let version = Version::V20(Suite::of_id(17).unwrap());
    let mut bmc = bmc(Options::default());
    let wrong = log_in(&mut bmc, version, "wrong", 1000).unwrap_err();
    assert_eq!(wrong, LoginError::WrongPassword);
    let limit = bmc.machine.session_limit();
    for _ in 0..limit {
        log_in(&mut bmc, version, "password", 1000).unwrap();
    }
    let full = log_in(&mut bmc, version, "password", 1000).unwrap_err();
    assert!(matches!(full, LoginError::Refused(_)), "{full}");
}

#[test]
fn a_closed_session_makes_room() {
    let version = Version::V20(Suite::of_id(17).unwrap());
    let mut bmc = bmc(Options::default());
    let mut session = log_in(&mut bmc, version, "password", 1000).unwrap();
    let Session::V20(wire) = &session else {
        panic!("not of version 2.0");
    };
    let close = device::close_session(wire.theirs);
    assert_eq!(ask(&mut bmc, &mut session, &close).0, Completion::OK);
    assert!(bmc.sessions.is_empty());
    assert!(bmc.openings.is_empty());
}

#[test]
fn boot_flags_are_those_of_the_machine() {
    let version = Version::V20(Suite::of_id(17).unwrap());
    let mut bmc = bmc(Options::default());
    let mut session = log_in(&mut bmc, version, "password", 1000).unwrap();
    let flags = boot::Flags::new(boot::Device::CDROM, true, true);
    assert_eq!(
        ask(&mut bmc, &mut session, &boot::set_flags(&flags)).0,
        Completion::OK
    );
    assert_eq!(bmc.machine.boot().device, Device::Cdrom);
    let (_, data) = ask(&mut bmc, &mut session, &boot::get_flags());
    let read = boot::Parameter::decode(&data).unwrap();
    assert_eq!(read.flags(), Ok(flags));
    let strange = Request::new(proto::ipmi::message::NetFn::CHASSIS, 8, [5, 0x80, 0x30]);
    let (code, _) = ask(&mut bmc, &mut session, &strange);
    assert_eq!(code, Completion::WRONG_LENGTH);
}

proptest! {
    /// Whoever is logged in may ask anything; nothing may make the BMC fall over.
    #[test]
    fn any_request_has_an_answer(
        netfn in 0u8..0x40, command: u8, data in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut bmc = bmc(Options { suites: Suite::ALL.to_vec(), ..Options::default() });
        let version = Version::V20(Suite::of_id(1).unwrap());
        let mut session = log_in(&mut bmc, version, "password", 1000).unwrap();
        let netfn = proto::ipmi::message::NetFn(netfn & !1);
        let message = Route::Direct.envelope(&Request::new(netfn, command, data), 1);
        let datagram = session.seal(&message, [12; 16]);
        prop_assert!(!bmc.receive(&datagram).answers.is_empty());
        bmc.poll_console(true);
    }

    #[test]
    fn any_bytes_are_heard_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let mut bmc = bmc(every_suite());
        bmc.receive(&bytes);
        bmc.receive(&[&[6, 0, 0xff, 7], &bytes[..]].concat());
        bmc.receive(&[&[6, 0, 0xff, 7, 6], &bytes[..]].concat());
    }
}
