//! Our initiator and our target talk to each other, through bytes.

use super::*;
use crate::iscsi::{
    chap::{Challenge, Credentials},
    frame,
    negotiation::{Offer, Parameters},
    scsi::{DiskOp, Geometry, Sense, Unit, cdb, status},
    target::{Access, Connection, ConnectionError, Job, JobResult},
};
use bytes::Bytes;
use proptest::prelude::*;
use std::{collections::HashMap, sync::Arc};

const BLOCKS: u64 = 8192;
const BLOCK: usize = 512;

fn geometry() -> Geometry {
    Geometry {
        blocks: BLOCKS,
        block_size: 512,
        physical_exponent: 3,
        serial: "12".to_owned(),
        identity: 7,
        rotational: false,
        read_only: false,
        unmap: true,
    }
}

fn access() -> Access {
    Access {
        target: "iqn.2008-10.org.openstack:node".to_owned(),
        initiators: Some(vec!["iqn.2026-01.org.example:us".to_owned()]),
        chap: None,
        mutual_chap: None,
        offer: Offer::default(),
    }
}

fn settings() -> LoginSettings {
    LoginSettings {
        initiator: "iqn.2026-01.org.example:us".to_owned(),
        target: Some(access().target),
        isid: [0x80, 1, 2, 3, 4, 5],
        chap: None,
        mutual_chap: None,
        offer: Offer::default(),
    }
}

fn credentials(name: &str, secret: &str) -> Credentials {
    Credentials {
        name: name.to_owned(),
        secret: secret.to_owned(),
    }
}

fn challenge(id: u8) -> Challenge {
    Challenge {
        id,
        bytes: vec![id; 32],
    }
}

/// A target with its disk, and a session.
struct Pair {
    connection: Connection,
    unit: Unit,
    medium: Vec<u8>,
    session: Session,
}

/// Why a login did not lead to a session.
#[derive(Debug, PartialEq)]
enum Failed {
    Initiator(LoginError),
    Target(ConnectionError),
}

fn log_in(access: Access, settings: LoginSettings) -> Result<Pair, Failed> {
    let target = access.target.clone();
    let portal = "192.0.2.1:3260".to_owned();
    let mut connection = Connection::new(Arc::new(access), portal, 5, challenge(1));
    let mut unit = Unit::new(geometry(), &target);
    let mut login = Login::new(settings, challenge(2), 1);
    let (mut bhs, mut data) = login.start();
    loop {
        let mut bytes = Vec::new();
        connection.receive_framing().encode(bhs, &data, &mut bytes);
        let (sent, _) = frame::decode(&bytes, &connection.receive_framing())
            .unwrap()
            .unwrap();
        let refused = connection.receive(&mut unit, sent);
        let out = connection.output().expect("every request is answered");
        match login.response(&out.bhs, &out.data) {
            Ok(LoginStep::Send(next, text)) => (bhs, data) = (next, text),
            Ok(LoginStep::Done(parameters, tsih, stat_sn)) => {
                assert_ne!(tsih, 0);
                return Ok(Pair {
                    connection,
                    unit,
                    medium: vec![0; BLOCKS as usize * BLOCK],
                    session: Session::new(parameters, 1, stat_sn),
                });
            }
            Err(error) => return Err(Failed::Initiator(error)),
        }
        refused.map_err(Failed::Target)?;
    }
}

impl Pair {
    /// Everything that both have to say, until both are silent.
    fn talk(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let mut silent = true;
            while let Some((bhs, data)) = self.session.output() {
                silent = false;
                let mut bytes = Vec::new();
                self.session.send_framing().encode(bhs, &data, &mut bytes);
                let framing = self.connection.receive_framing();
                let (frame, _) = frame::decode(&bytes, &framing).unwrap().unwrap();
                self.connection.receive(&mut self.unit, frame).unwrap();
            }
            while let Some(job) = self.connection.job() {
                silent = false;
                self.run(job);
            }
            while let Some(out) = self.connection.output() {
                silent = false;
                let mut bytes = Vec::new();
                out.framing.encode(out.bhs, &out.data, &mut bytes);
                let framing = self.session.receive_framing();
                let (frame, _) = frame::decode(&bytes, &framing).unwrap().unwrap();
                self.session.receive(frame).unwrap();
            }
            while let Some(event) = self.session.event() {
                events.push(event);
            }
            if silent {
                return events;
            }
        }
    }

    fn run(&mut self, job: Job) {
        let mut data = Bytes::new();
        match job.op {
            DiskOp::Read(range) => {
                let start = range.offset as usize;
                data = self.medium[start..start + range.length as usize]
                    .to_vec()
                    .into();
            }
            DiskOp::Write { offset, data } => {
                let bytes = data.concat();
                let start = offset as usize;
                self.medium[start..start + bytes.len()].copy_from_slice(&bytes);
            }
            DiskOp::Discard(ranges) => {
                for range in ranges {
                    let start = range.offset as usize;
                    self.medium[start..start + range.length as usize].fill(0);
                }
            }
            DiskOp::Flush => {}
            other => panic!("{other:?} is not expected"),
        }
        let result = JobResult::Done(data);
        self.connection.finished(&mut self.unit, job.id, result);
    }

    fn send(&mut self, cdb: cdb::Cdb, payload: Payload) -> u32 {
        let lun = 1;
        self.session.submit(Command { lun, cdb, payload })
    }

    /// One command: its status, its sense, its data.
    fn command(&mut self, cdb: cdb::Cdb, payload: Payload) -> (u8, Option<Sense>, Vec<u8>) {
        let task = self.send(cdb, payload);
        let mut read = Vec::new();
        for event in self.talk() {
            match event {
                Event::Data { data, .. } => read.extend_from_slice(&data),
                Event::Done {
                    task: done,
                    status,
                    sense,
                    ..
                } => {
                    assert_eq!(done, task);
                    return (status, sense, read);
                }
                other => panic!("{other:?} is not expected"),
            }
        }
        panic!("the command has no end");
    }
}

#[test]
fn a_login_without_a_secret() {
    let pair = log_in(access(), settings()).unwrap_or_else(|failed| panic!("{failed:?}"));
    let session = pair.connection.logged_in().unwrap();
    assert_eq!(session.initiator, "iqn.2026-01.org.example:us");
    assert_eq!(session.parameters.send_segment, 262_144);
    assert_eq!(session.parameters.receive_segment, 262_144);
    assert!(!session.parameters.initial_r2t);
}

fn failure(access: Access, settings: LoginSettings) -> Failed {
    log_in(access, settings).err().expect("the login fails")
}

#[test]
fn who_is_not_let_in() {
    let stranger = LoginSettings {
        initiator: "iqn.2026-01.org.example:them".to_owned(),
        ..settings()
    };
    assert_eq!(
        failure(access(), stranger),
        Failed::Initiator(LoginError::Authorization(0x0202))
    );
    let elsewhere = LoginSettings {
        target: Some("iqn.2026-01.org.example:other".to_owned()),
        ..settings()
    };
    assert_eq!(
        failure(access(), elsewhere),
        Failed::Initiator(LoginError::NotFound(0x0203))
    );
    let secret = Access {
        chap: Some(credentials("us", "twelve letters")),
        ..access()
    };
    let wrong = Failed::Initiator(LoginError::Authentication(0x0201));
    assert_eq!(failure(secret.clone(), settings()), wrong);
    for (name, word) in [("us", "twelve Letters"), ("we", "twelve letters")] {
        let settings = LoginSettings {
            chap: Some(credentials(name, word)),
            ..settings()
        };
        assert_eq!(failure(secret.clone(), settings), wrong);
    }
    // Whoever has a secret does not go without.
    let careful = LoginSettings {
        chap: Some(credentials("us", "twelve letters")),
        ..settings()
    };
    assert_eq!(failure(access(), careful), wrong);
}

#[test]
fn secrets_in_both_directions() {
    let both = Access {
        chap: Some(credentials("us", "twelve letters")),
        mutual_chap: Some(credentials("target", "other letters")),
        ..access()
    };
    let with = |name: &str, secret: &str| LoginSettings {
        chap: both.chap.clone(),
        mutual_chap: Some(credentials(name, secret)),
        ..settings()
    };
    assert!(log_in(both.clone(), with("target", "other letters")).is_ok());
    let wrong = Failed::Initiator(LoginError::TargetNotAuthentic);
    for (name, secret) in [("target", "no letters"), ("x", "other letters")] {
        assert_eq!(failure(both.clone(), with(name, secret)), wrong);
    }
    // The same secret for both proves nothing.
    let same = Access {
        mutual_chap: Some(credentials("target", "twelve letters")),
        ..both.clone()
    };
    assert_eq!(failure(same, with("target", "twelve letters")), wrong);
}

#[test]
fn a_challenge_that_comes_back_is_not_answered() {
    let both = Access {
        chap: Some(credentials("us", "twelve letters")),
        mutual_chap: Some(credentials("target", "other letters")),
        ..access()
    };
    let unit = &mut Unit::new(geometry(), "t");
    let mut connection = Connection::new(Arc::new(both), String::new(), 5, challenge(1));
    let thief = LoginSettings {
        chap: Some(credentials("us", "twelve letters")),
        mutual_chap: Some(credentials("target", "other letters")),
        ..settings()
    };
    // The target's own challenge, sent back to it.
    let mut login = Login::new(thief, challenge(2), 1);
    let (mut bhs, mut data) = login.start();
    let refused = loop {
        let text = String::from_utf8(data.to_vec()).unwrap();
        let reflected = text.replace(&"02".repeat(32), &"01".repeat(32));
        let frame = frame::Frame {
            bhs,
            data: reflected.into(),
        };
        if let Err(error) = connection.receive(unit, frame) {
            break error;
        }
        let out = connection.output().unwrap();
        match login.response(&out.bhs, &out.data).unwrap() {
            LoginStep::Send(next, text) => (bhs, data) = (next, text),
            LoginStep::Done(..) => panic!("the target let a thief in"),
        }
    };
    assert!(matches!(refused, ConnectionError::Login(_)), "{refused}");
}

#[test]
fn discovery_names_the_address_in_use() {
    let nameless = LoginSettings {
        target: None,
        ..settings()
    };
    let mut pair = log_in(access(), nameless).unwrap_or_else(|failed| panic!("{failed:?}"));
    pair.session.send_targets();
    let events = pair.talk();
    let [Event::Text(pairs)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(pairs.get("TargetName"), Some(access().target.as_str()));
    assert_eq!(pairs.get("TargetAddress"), Some("192.0.2.1:3260,1"));
    // There is no disk in a discovery session.
    pair.send(cdb::test_unit_ready(), Payload::None);
    assert!(matches!(pair.talk()[..], [Event::Rejected { .. }]));
}

#[test]
fn pings_and_the_end() {
    let mut pair = log_in(access(), settings()).unwrap_or_else(|failed| panic!("{failed:?}"));
    pair.session.ping();
    assert_eq!(pair.talk(), [Event::Pong]);
    pair.connection.ping();
    assert_eq!(pair.talk(), []);
    pair.connection.request_logout(5);
    assert_eq!(pair.talk(), [Event::LogoutRequested]);
    pair.session.logout();
    assert_eq!(pair.talk(), [Event::LoggedOut]);
    assert!(pair.connection.is_over());
}

#[test]
fn a_ping_overtakes_a_busy_disk() {
    let mut pair = log_in(access(), settings()).unwrap_or_else(|failed| panic!("{failed:?}"));
    pair.send(cdb::read_16(0, 8), Payload::Read(4096));
    pair.session.ping();
    while let Some((bhs, data)) = pair.session.output() {
        let frame = frame::Frame { bhs, data };
        pair.connection.receive(&mut pair.unit, frame).unwrap();
    }
    let job = pair.connection.job().unwrap();
    let out = pair.connection.output().unwrap();
    assert_eq!(out.bhs.opcode(), 0x20, "the ping is answered first");
    assert!(pair.connection.output().is_none());
    pair.run(job);
    assert!(pair.connection.output().is_some());
}

#[test]
fn an_aborted_command_is_not_answered() {
    let mut pair = log_in(access(), settings()).unwrap_or_else(|failed| panic!("{failed:?}"));
    let task = pair.send(cdb::read_16(0, 8), Payload::Read(4096));
    let abort = pair.session.manage(TaskFunction::AbortTask(task));
    // Immediate PDUs overtake commands; here the command comes first.
    let abort_pdu = pair.session.output().unwrap();
    let command = pair.session.output().unwrap();
    let mut job = None;
    for (bhs, data) in [command, abort_pdu] {
        let frame = frame::Frame { bhs, data };
        pair.connection.receive(&mut pair.unit, frame).unwrap();
        job = job.or_else(|| pair.connection.job());
    }
    assert!(
        pair.connection.output().is_none(),
        "the disk still works for it"
    );
    pair.run(job.unwrap());
    let managed = Event::Managed {
        task: abort,
        response: 0,
    };
    assert_eq!(pair.talk(), [managed]);
    assert!(pair.connection.is_idle());
    pair.session.manage(TaskFunction::AbortTask(task));
    assert!(matches!(
        pair.talk()[..],
        [Event::Managed { response: 1, .. }]
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever was agreed on, what is written is what is read.
    #[test]
    fn data_arrives_whole(
        digests: bool,
        initial_r2t: bool,
        immediate_data: bool,
        segment in 512_u32..20_000,
        bursts in (512_u32..30_000, 512_u32..30_000),
        writes in proptest::collection::vec((0_u64..1000, 1_u32..80, any::<u8>()), 1..12),
    ) {
        let mut pair = log_in(access(), settings()).unwrap_or_else(|failed| panic!("{failed:?}"));
        let parameters = Parameters {
            header_digest: digests,
            data_digest: digests,
            send_segment: segment,
            receive_segment: segment,
            max_burst: bursts.0.max(bursts.1),
            first_burst: bursts.0.min(bursts.1),
            initial_r2t,
            immediate_data,
            max_outstanding_r2t: 1,
        };
        pair.session = Session::new(parameters, 1, 0);
        pair.connection.set_parameters(parameters);
        let mut expected = vec![0; BLOCKS as usize * BLOCK];
        for (block, count, value) in writes {
            let data: Vec<u8> = (0..count as usize * BLOCK).map(|at| value ^ at as u8).collect();
            let start = block as usize * BLOCK;
            expected[start..start + data.len()].copy_from_slice(&data);
            let (status, ..) = pair.command(cdb::write_16(block, count), Payload::Write(data.into()));
            prop_assert_eq!(status, status::GOOD);
        }
        prop_assert!(pair.medium == expected);
        let (_, _, read) = pair.command(cdb::read_16(0, 1100), Payload::Read(1100 * 512));
        prop_assert!(read == expected[..1100 * BLOCK]);
        prop_assert!(pair.connection.is_idle());
        prop_assert_eq!(pair.connection.held_bytes(), 0);
    }
}

#[test]
fn many_commands_at_once() {
    let mut pair = log_in(access(), settings()).unwrap_or_else(|failed| panic!("{failed:?}"));
    pair.command(cdb::test_unit_ready(), Payload::None);
    let mut sent = HashMap::new();
    while pair.session.has_room() {
        let block = sent.len() as u64;
        let data = vec![block as u8; BLOCK];
        let task = pair.send(cdb::write_16(block, 1), Payload::Write(data.into()));
        sent.insert(task, block);
    }
    assert!(sent.len() >= 32, "{} commands at a time", sent.len());
    for event in pair.talk() {
        let Event::Done { task, status, .. } = event else {
            panic!("{event:?}");
        };
        assert_eq!(status, status::GOOD);
        sent.remove(&task);
    }
    assert!(sent.is_empty() && pair.session.has_room());
    assert_eq!(pair.medium[40 * BLOCK], 40);
}
