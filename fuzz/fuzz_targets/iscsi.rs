//! PDUs of iSCSI, the texts of its login, and whole conversations with either side.
//!
//! Nothing may panic; what is understood must survive being written and read again; a target asks
//! its disk for nothing outside of it, and holds no more data than it is allowed to.

#![cfg_attr(fuzzing, no_main)]

use bytes::Bytes;
use corten_fuzz::fuzz_target;
use proto::iscsi::{
    chap::Challenge,
    frame::{self, Frame, Framing},
    initiator::{Command, Login, LoginSettings, Payload, Session},
    negotiation::{Offer, Parameters},
    pdu::{Bhs, LoginRequest, Pdu},
    scsi::{DiskOp, Geometry, Range, Unit, cdb},
    target::{Access, Connection, Job, JobResult},
    text::Pairs,
};
use std::sync::Arc;

const BLOCKS: u64 = 4096;
const SIZE: u64 = BLOCKS * 512;
/// What is asked for, and what may come without being asked for: the window times the first burst.
const HELD: u64 = (16 << 20) + (1 << 20) + 128 * 262_144;

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else {
        return;
    };
    let framing = Framing {
        header_digest: choice & 0x10 != 0,
        data_digest: choice & 0x20 != 0,
        segment_limit: 1 << 16,
    };
    match choice % 5 {
        0 => read_frame(bytes, &framing),
        1 => read_text(bytes),
        2 => log_in(bytes),
        3 => serve(bytes),
        _ => drive(bytes),
    }
});

fn read_frame(bytes: &[u8], framing: &Framing) {
    let Ok(Some((frame, length))) = frame::decode(bytes, framing) else {
        return;
    };
    assert!(length <= bytes.len());
    if let Ok(pdu) = Pdu::decode(&frame.bhs) {
        assert_eq!(Pdu::decode(&pdu.encode()), Ok(pdu));
    }
    let mut again = Vec::new();
    let mut bhs = frame.bhs;
    // What is written has no additional headers.
    bhs.0[4] = 0;
    framing.encode(bhs, &frame.data, &mut again);
    let decoded = frame::decode(&again, framing);
    assert!(matches!(decoded, Ok(Some((same, _))) if same.data == frame.data));
}

fn read_text(bytes: &[u8]) {
    if let Ok(pairs) = Pairs::decode(bytes) {
        assert_eq!(Pairs::decode(&pairs.encode()), Ok(pairs));
    }
}

fn access() -> Arc<Access> {
    Arc::new(Access {
        target: "iqn.t".to_owned(),
        initiators: None,
        chap: None,
        mutual_chap: None,
        offer: Offer::default(),
    })
}

fn unit() -> Unit {
    let geometry = Geometry {
        blocks: BLOCKS,
        block_size: 512,
        physical_exponent: 0,
        serial: "1".to_owned(),
        identity: 1,
        rotational: false,
        read_only: false,
        unmap: true,
    };
    Unit::new(geometry, "iqn.t")
}

fn challenge() -> Challenge {
    Challenge {
        id: 1,
        bytes: vec![1; 32],
    }
}

/// PDUs one after the other, as far as they are whole.
fn frames(mut bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    while let Ok(Some((frame, length))) = frame::decode(bytes, &Framing::default()) {
        bytes = &bytes[length..];
        frames.push(frame);
    }
    frames
}

/// Whatever an initiator says first, and whatever a target answers to our login.
fn log_in(bytes: &[u8]) {
    let (mut unit, mut connection) = (
        unit(),
        Connection::new(access(), "p".into(), 1, challenge()),
    );
    let settings = LoginSettings {
        initiator: "iqn.i".to_owned(),
        target: Some("iqn.t".to_owned()),
        isid: [1; 6],
        chap: None,
        mutual_chap: None,
        offer: Offer::default(),
    };
    let mut login = Login::new(settings, challenge(), 1);
    login.start();
    for frame in frames(bytes) {
        let _ = login.response(&frame.bhs, &frame.data);
        if connection.receive(&mut unit, frame).is_err() {
            return;
        }
        while connection.output().is_some() {}
    }
}

/// A target in its full feature phase, with a disk that answers now and then.
fn serve(bytes: &[u8]) {
    let (mut unit, mut connection) = (
        unit(),
        Connection::new(access(), "p".into(), 1, challenge()),
    );
    let mut text = Pairs::default();
    text.push("InitiatorName", "iqn.i");
    text.push("TargetName", "iqn.t");
    text.push("InitialR2T", "No");
    let login = LoginRequest {
        flags: 0x87,
        ..LoginRequest::default()
    };
    let frame = Frame {
        bhs: login.encode(),
        data: text.encode(),
    };
    connection
        .receive(&mut unit, frame)
        .expect("the login is right");
    assert!(connection.logged_in().is_some());
    let mut next = 0_u32;
    for (at, mut frame) in frames(bytes).into_iter().enumerate() {
        // Commands in their order, else nearly all of them would be ignored.
        if !matches!(frame.bhs.opcode(), 0x05 | 0x10) && !frame.bhs.is_immediate() {
            frame.bhs.set_cmd_sn(next);
            next += 1;
        }
        if connection.receive(&mut unit, frame).is_err() {
            return;
        }
        if at % 3 == 2 {
            work(&mut connection, &mut unit);
        }
        assert!(connection.held_bytes() <= HELD);
    }
    work(&mut connection, &mut unit);
    connection.end(&mut unit);
}

fn work(connection: &mut Connection, unit: &mut Unit) {
    while let Some(Job { id, op }) = connection.job() {
        let mut data = Bytes::new();
        match op {
            DiskOp::Read(range) => {
                inside(range);
                data = vec![0; range.length as usize].into();
            }
            DiskOp::Verify(range) | DiskOp::WriteSame { range, .. } => inside(range),
            DiskOp::Discard(ranges) => ranges.into_iter().for_each(inside),
            DiskOp::Write { offset, data } | DiskOp::Compare { offset, data } => {
                let length = data.iter().map(|piece| piece.len() as u64).sum();
                inside(Range { offset, length });
            }
            DiskOp::CompareAndWrite { offset, data } => {
                inside(Range {
                    offset,
                    length: data.len() as u64 / 2,
                });
            }
            DiskOp::Flush => {}
        }
        connection.finished(unit, id, JobResult::Done(data));
        while let Some(out) = connection.output() {
            assert!(out.data.len() <= out.framing.segment_limit);
        }
    }
    while connection.output().is_some() {}
}

fn inside(range: Range) {
    assert!(range.offset + range.length <= SIZE);
}

/// A session of ours with a target that says anything.
fn drive(bytes: &[u8]) {
    let mut session = Session::new(Parameters::default(), 1, 0);
    let mut sent = 0;
    for frame in frames(bytes) {
        if session.has_room() && sent < 32 {
            let data = Bytes::from_static(&[0; 1024]);
            let (cdb, payload) = match sent % 2 {
                0 => (cdb::read_16(0, 2), Payload::Read(1024)),
                _ => (cdb::write_16(0, 2), Payload::Write(data)),
            };
            session.submit(Command {
                lun: 1,
                cdb,
                payload,
            });
            sent += 1;
        }
        let Bhs(_) = frame.bhs;
        if session.receive(frame).is_err() {
            return;
        }
        while session.output().is_some() {}
        while session.event().is_some() {}
    }
}
