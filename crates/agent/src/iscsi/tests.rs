//! The target over a socket: strangers, garbage, and its end. What initiators make of it is tested
//! with those of others, in `peers`.

use super::{Disk, Target, TargetSettings};
use crate::safety::Permit;
use proto::iscsi::{
    frame::{self, Framing},
    pdu::{LoginRequest, Pdu, ScsiCommand, command_flags, encode_lun},
    scsi::cdb,
    text::Pairs,
};
use std::{io::Write, net::SocketAddr};
use tempfile::NamedTempFile;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

pub(super) const NAME: &str = "iqn.2008-10.org.openstack:8e5a2c9d";

/// A target with a file of some size behind it.
pub(super) struct Lab {
    pub(super) file: NamedTempFile,
    pub(super) target: Target,
}

pub(super) fn settings() -> TargetSettings {
    TargetSettings {
        name: NAME.to_owned(),
        initiators: None,
        addresses: None,
        chap: None,
        mutual_chap: None,
    }
}

pub(super) async fn start(megabytes: u64, settings: TargetSettings) -> Lab {
    let file = NamedTempFile::new().unwrap();
    file.as_file().set_len(megabytes << 20).unwrap();
    let disk = Disk::open(file.path(), &Permit::from_operator()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = Target::start(listener, disk, settings).unwrap();
    Lab { file, target }
}

/// The status of a login by this name.
async fn log_in(address: SocketAddr, initiator: &str, target: &str) -> (TcpStream, [u8; 2]) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut pairs = Pairs::default();
    pairs.push("InitiatorName", initiator);
    pairs.push("TargetName", target);
    let request = LoginRequest {
        flags: 0x87,
        ..LoginRequest::default()
    };
    let mut bytes = Vec::new();
    Framing::default().encode(request.encode().immediate(), &pairs.encode(), &mut bytes);
    stream.write_all(&bytes).await.unwrap();
    let mut answer = Vec::new();
    loop {
        if let Some((frame, _)) = frame::decode(&answer, &Framing::default()).unwrap() {
            let Ok(Pdu::LoginResponse(response)) = Pdu::decode(&frame.bhs) else {
                panic!("{frame:?}");
            };
            return (stream, [response.status_class, response.status_detail]);
        }
        assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn only_the_expected_initiator_comes_in() {
    let expected = TargetSettings {
        initiators: Some(vec!["iqn.2026-01.org.example:conductor".to_owned()]),
        ..settings()
    };
    let lab = start(1, expected).await;
    let address = lab.target.address();
    let ours = "iqn.2026-01.org.example:conductor";
    assert_eq!(log_in(address, ours, NAME).await.1, [0, 0]);
    assert_eq!(
        log_in(address, "iqn.2026-01.org.example:x", NAME).await.1,
        [2, 2]
    );
    assert_eq!(log_in(address, ours, "iqn.other").await.1, [2, 3]);
}

#[tokio::test]
async fn another_address_is_not_answered() {
    let expected = TargetSettings {
        addresses: Some(vec!["192.0.2.7".parse().unwrap()]),
        ..settings()
    };
    let lab = start(1, expected).await;
    let mut stream = TcpStream::connect(lab.target.address()).await.unwrap();
    let mut byte = [0];
    assert!(matches!(stream.read(&mut byte).await, Ok(0) | Err(_)));
}

#[tokio::test]
async fn the_same_secret_for_both_directions_is_refused() {
    let credentials = |name: &str| super::Credentials {
        name: name.to_owned(),
        secret: "twelve letters".to_owned(),
    };
    let same = TargetSettings {
        chap: Some(credentials("a")),
        mutual_chap: Some(credentials("b")),
        ..settings()
    };
    let file = NamedTempFile::new().unwrap();
    let disk = Disk::open(file.path(), &Permit::from_operator()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    assert!(Target::start(listener, disk, same).is_err());
}

#[tokio::test]
async fn garbage_ends_its_own_connection_only() {
    let lab = start(1, settings()).await;
    let address = lab.target.address();
    let (mut good, status) = log_in(address, "iqn.a", NAME).await;
    assert_eq!(status, [0, 0]);
    let mut number = 1_u64;
    for _ in 0..50 {
        let mut garbage = vec![0; 4096];
        for byte in &mut garbage {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            *byte = number.to_be_bytes()[3];
        }
        let mut stream = TcpStream::connect(address).await.unwrap();
        // It may be closed before all is written.
        let _ = stream.write_all(&garbage).await;
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    }
    // The session from before still answers a ping.
    let nop = proto::iscsi::pdu::NopOut {
        flags: 0x80,
        task: 3,
        transfer: u32::MAX,
        ..Default::default()
    };
    let mut bytes = Vec::new();
    Framing::default().encode(nop.encode().immediate(), b"", &mut bytes);
    good.write_all(&bytes).await.unwrap();
    let mut answer = [0; 48];
    good.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer[0], 0x20);
}

#[tokio::test]
async fn a_second_login_ends_the_first_session() {
    let lab = start(1, settings()).await;
    let (mut first, _) = log_in(lab.target.address(), "iqn.a", NAME).await;
    let (_second, status) = log_in(lab.target.address(), "iqn.a", NAME).await;
    assert_eq!(status, [0, 0]);
    let mut rest = Vec::new();
    assert!(matches!(first.read_to_end(&mut rest).await, Ok(0) | Err(_)));
}

#[tokio::test]
async fn stopping_asks_the_initiator_to_log_out() {
    let mut lab = start(1, settings()).await;
    lab.file.write_all(b"x").unwrap();
    let (mut stream, _) = log_in(lab.target.address(), "iqn.a", NAME).await;
    let stopped = tokio::spawn(lab.target.stop());
    let mut message = [0; 48];
    stream.read_exact(&mut message).await.unwrap();
    assert_eq!((message[0], message[36]), (0x32, 1));
    drop(stream);
    stopped.await.unwrap().unwrap();
}

/// A write of 64 KiB in one PDU, as the keys that a login does not mention allow it.
fn write_command(value: u8) -> Vec<u8> {
    let data = vec![value; 65_536];
    let command = ScsiCommand {
        flags: 0x80 | command_flags::WRITE,
        lun: encode_lun(1),
        task: 9,
        expected_length: 65_536,
        cdb: cdb::write_16(8, 128),
    };
    let mut bytes = Vec::new();
    Framing::default().encode(command.encode(), &data, &mut bytes);
    bytes
}

#[tokio::test]
async fn a_cut_connection_harms_no_later_one() {
    let lab = start(1, settings()).await;
    let address = lab.target.address();
    let mut number = 3_u64;
    for value in 1..=50 {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let command = write_command(value);
        let cut = usize::try_from(number >> 33).unwrap() % command.len();
        let (mut first, _) = log_in(address, "iqn.a", NAME).await;
        first.write_all(&command[..cut]).await.unwrap();
        drop(first);
        let (mut second, status) = log_in(address, "iqn.a", NAME).await;
        assert_eq!(status, [0, 0]);
        second.write_all(&command).await.unwrap();
        let mut answer = [0; 48];
        second.read_exact(&mut answer).await.unwrap();
        assert_eq!((answer[0], answer[3]), (0x21, 0), "cut at {cut}");
        let stored = std::fs::read(lab.file.path()).unwrap();
        let written = &stored[4096..4096 + 65_536];
        assert!(written.iter().all(|byte| *byte == value), "cut at {cut}");
    }
}
