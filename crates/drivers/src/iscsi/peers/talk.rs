//! What the initiator does with a target, whoever wrote that: the targets of the tests have one disk
//! of [`SIZE`] bytes, which is LUN 1 of [`TARGET`].

use super::super::{Credentials, InitiatorSettings, InitiatorTimeouts, IscsiDisk, IscsiError};
use bytes::Bytes;
use futures_util::future::join_all;
use proto::iscsi::initiator::LoginError;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};

pub(super) const TARGET: &str = "iqn.2026-01.org.example:disk";
pub(super) const SIZE: u64 = 64 << 20;

/// Bytes that are different everywhere.
pub(super) fn pattern(seed: u64, length: usize) -> Bytes {
    let mut number = seed;
    let bytes = std::iter::repeat_with(|| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        number.to_be_bytes()[2]
    });
    bytes.take(length).collect()
}

/// Writes, reads, makes zeros, and returns what is left of it: bytes from 512 on, of which those
/// between 1 and 6 MiB are zeros.
pub(super) async fn writes_and_reads(settings: &InitiatorSettings, digests: bool) -> Vec<u8> {
    let settings = InitiatorSettings {
        digests,
        ..settings.clone()
    };
    let disk = IscsiDisk::connect(settings).await.unwrap();
    assert_eq!((disk.size(), disk.block_size()), (SIZE, 512));
    let data = pattern(u64::from(digests), 9 << 20);
    disk.write_at(512, data.clone()).await.unwrap();
    assert!(disk.read_at(512, 9 << 20).await.unwrap() == data);
    disk.zero(1 << 20, 5 << 20).await.unwrap();
    let zeros = disk.read_at(1 << 20, 5 << 20).await.unwrap();
    assert!(zeros.iter().all(|byte| *byte == 0));
    disk.flush().await.unwrap();
    let beyond = disk.write_at(SIZE, data.slice(..512)).await;
    assert!(matches!(beyond, Err(IscsiError::OutOfRange(_))));
    disk.logout().await.unwrap();
    let mut left = data.to_vec();
    left[(1 << 20) - 512..(6 << 20) - 512].fill(0);
    left
}

/// The target wants `us` to know `twelveletters`, and is `tgt` with `otherletters` itself.
pub(super) async fn proves_who_it_is(settings: &InitiatorSettings) {
    let credentials = |name: &str, secret: &str| {
        Some(Credentials {
            name: name.to_owned(),
            secret: secret.to_owned(),
        })
    };
    let right = credentials("us", "twelveletters");
    for (chap, mutual_chap, works) in [
        (right.clone(), credentials("tgt", "otherletters"), true),
        (right.clone(), credentials("tgt", "wrongletters"), false),
        (credentials("us", "wrongletters"), None, false),
        (None, None, false),
        (right.clone(), None, true),
    ] {
        let offers_nothing = chap.is_none();
        let settings = InitiatorSettings {
            chap,
            mutual_chap,
            ..settings.clone()
        };
        match IscsiDisk::connect(settings).await {
            Ok(disk) => {
                assert!(works);
                disk.logout().await.unwrap();
            }
            Err(IscsiError::Login(
                LoginError::Authentication(_) | LoginError::TargetNotAuthentic,
            )) => assert!(!works),
            // LIO hangs up on those that offer no password.
            Err(IscsiError::Connection(_)) if offers_nothing => assert!(!works),
            Err(error) => panic!("{}", types::error::chain(&error)),
        }
    }
}

fn another(settings: &InitiatorSettings) -> InitiatorSettings {
    InitiatorSettings {
        initiator: "iqn.2026-01.org.example:other".to_owned(),
        ..settings.clone()
    }
}

/// Whoever loses the session, and meanwhile the disk to somebody else, writes nothing any more; also
/// if that other one has finished.
pub(super) async fn loses_the_disk_with_its_session(settings: &InitiatorSettings, finished: bool) {
    let (silencer, by_way) = Silencer::before(settings).await;
    let first = IscsiDisk::connect(by_way).await.unwrap();
    first.reserve(0x31).await.unwrap();
    let (listener, near) = silencer.falls_silent().await;
    let second = IscsiDisk::connect(another(settings)).await.unwrap();
    let reservation = second.reserve(0x32).await.unwrap();
    let block = pattern(4, 512);
    second.write_at(0, block.clone()).await.unwrap();
    if finished {
        second.release(reservation).await.unwrap();
    }
    let back = async {
        drop(near);
        let (mut near, _) = listener.accept().await.unwrap();
        let mut far = TcpStream::connect(settings.portal).await.unwrap();
        let _ = copy_bidirectional(&mut near, &mut far).await;
    };
    let (written, ()) = tokio::join!(first.write_at(0, pattern(5, 512)), back);
    assert!(
        matches!(written, Err(IscsiError::ReservationLost)),
        "{written:?}"
    );
    assert!(second.read_at(0, 512).await.unwrap() == block);
    if !finished {
        second.release(reservation).await.unwrap();
    }
    second.logout().await.unwrap();
}

pub(super) async fn takes_a_reservation_over(settings: &InitiatorSettings) {
    let first = IscsiDisk::connect(settings.clone()).await.unwrap();
    let second = IscsiDisk::connect(another(settings)).await.unwrap();
    let block = pattern(3, 512);
    first.reserve(0x21).await.unwrap();
    let refused = second.write_at(0, block.clone()).await;
    assert!(matches!(refused, Err(IscsiError::Reserved)), "{refused:?}");
    let refused = second.reserve(0x11).await;
    assert!(matches!(refused, Err(IscsiError::Reserved)), "{refused:?}");
    let taken = second.reserve(0x22).await.unwrap();
    second.write_at(0, block.clone()).await.unwrap();
    let refused = first.write_at(0, block.clone()).await;
    assert!(matches!(refused, Err(IscsiError::Reserved)), "{refused:?}");
    second.release(taken).await.unwrap();
    first.write_at(0, block).await.unwrap();
    for disk in [first, second] {
        disk.logout().await.unwrap();
    }
}

/// Sessions that are all there before the first of them writes, each to a part of its own.
pub(super) async fn has_many_sessions(settings: &InitiatorSettings, count: u64) {
    let disks = join_all((0..count).map(|number| {
        let initiator = format!("iqn.2026-01.org.example:conductor.{number}");
        IscsiDisk::connect(InitiatorSettings {
            initiator,
            ..settings.clone()
        })
    }));
    let disks: Vec<IscsiDisk> = disks.await.into_iter().map(Result::unwrap).collect();
    let part = 64 << 10;
    let work = disks.iter().enumerate().map(async |(number, disk)| {
        let number = number as u64;
        let data = pattern(number, 64 << 10);
        disk.write_at(number * part, data).await.unwrap();
        disk.flush().await.unwrap();
    });
    join_all(work).await;
    // What one wrote another reads.
    for (number, disk) in disks.iter().rev().enumerate() {
        let number = number as u64;
        let seen = disk.read_at(number * part, part).await.unwrap();
        assert!(seen == pattern(number, 64 << 10), "part {number}");
    }
    for ended in join_all(disks.iter().map(IscsiDisk::logout)).await {
        ended.unwrap();
    }
}

/// Passes bytes on, and cuts the connection when so many have passed.
async fn cutting_proxy(portal: SocketAddr, limit: Arc<AtomicU64>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let far = TcpStream::connect(portal).await.unwrap();
            tokio::spawn(pass(near, far, Arc::clone(&limit)));
        }
    });
    address
}

async fn pass(mut near: TcpStream, mut far: TcpStream, limit: Arc<AtomicU64>) {
    let left = limit.swap(u64::MAX, Ordering::SeqCst);
    if left == u64::MAX {
        let _ = copy_bidirectional(&mut near, &mut far).await;
        return;
    }
    let ((mut near_read, mut near_write), (mut far_read, mut far_write)) =
        (near.split(), far.split());
    let down = async {
        let _ = tokio::io::copy(&mut far_read, &mut near_write).await;
    };
    let up = async {
        let (mut left, mut buffer) = (left, vec![0; 65_536]);
        while left > 0 {
            let most = buffer.len().min(usize::try_from(left).unwrap());
            let Ok(read @ 1..) = near_read.read(&mut buffer[..most]).await else {
                return;
            };
            if far_write.write_all(&buffer[..read]).await.is_err() {
                return;
            }
            left -= read as u64;
        }
    };
    tokio::select! {
        () = down => {}
        () = up => {}
    }
}

/// Writes over connections that are cut at random places, every other time to a disk that is
/// reserved.
pub(super) async fn survives_cuts(settings: &InitiatorSettings, rounds: u64) {
    let limit = Arc::new(AtomicU64::new(u64::MAX));
    let portal = cutting_proxy(settings.portal, Arc::clone(&limit)).await;
    let mut number = 5_u64;
    for round in 0..rounds {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        // The login has some 600 bytes, the write 3 MiB.
        let cut = 1000 + (number >> 33) % (3 << 20);
        limit.store(cut, Ordering::SeqCst);
        let mut settings = InitiatorSettings {
            portal,
            ..settings.clone()
        };
        settings.timeouts.recovery = Duration::from_secs(30);
        let disk = IscsiDisk::connect(settings.clone()).await.unwrap();
        let held = match round % 2 {
            0 => Some(disk.reserve(round + 1).await.unwrap()),
            _ => None,
        };
        let data = pattern(round, 3 << 20);
        let written = disk.write_at(round * 4096, data.clone()).await;
        written.unwrap_or_else(|error| panic!("cut at {cut}: {}", types::error::chain(&error)));
        let read = disk.read_at(round * 4096, 3 << 20).await.unwrap();
        assert!(read == data, "cut at {cut}");
        if let Some(held) = held {
            let other = IscsiDisk::connect(another(&settings)).await.unwrap();
            let refused = other.write_at(0, pattern(1, 512)).await;
            assert!(matches!(refused, Err(IscsiError::Reserved)), "{refused:?}");
            other.logout().await.unwrap();
            disk.release(held).await.unwrap();
        }
        disk.logout().await.unwrap();
    }
}

/// A connection that falls silent when it is told to, and the listener that it came by.
struct Silencer {
    tell: oneshot::Sender<()>,
    silent: JoinHandle<(TcpListener, TcpStream)>,
}

impl Silencer {
    /// What a session by way of it is opened with. Whatever waits for the target waits long.
    async fn before(settings: &InitiatorSettings) -> (Self, InitiatorSettings) {
        const LONG: Duration = Duration::from_secs(36_000);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (portal, by_way) = (settings.portal, listener.local_addr().unwrap());
        let (tell, told) = oneshot::channel();
        let silent = tokio::spawn(async move {
            let (mut near, _) = listener.accept().await.unwrap();
            let mut far = TcpStream::connect(portal).await.unwrap();
            tokio::select! {
                ended = copy_bidirectional(&mut near, &mut far) => panic!("{ended:?}"),
                _ = told => (listener, near),
            }
        });
        let settings = InitiatorSettings {
            portal: by_way,
            timeouts: InitiatorTimeouts {
                login: LONG,
                command: LONG,
                silence: LONG,
                recovery: LONG,
            },
            ..settings.clone()
        };
        (Self { tell, silent }, settings)
    }

    async fn falls_silent(self) -> (TcpListener, TcpStream) {
        self.tell.send(()).unwrap();
        self.silent.await.unwrap()
    }
}

/// Whoever leaves while the session is lost is not kept until it is restored.
pub(super) async fn leaves_a_lost_session(settings: &InitiatorSettings) {
    let (silencer, settings) = Silencer::before(settings).await;
    let disk = IscsiDisk::connect(settings).await.unwrap();
    let (listener, near) = silencer.falls_silent().await;
    drop(near);
    // The login that is to restore the session gets no answer.
    let _silent = listener.accept().await.unwrap();
    let (read, left) = tokio::join!(disk.read_at(0, 512), disk.logout());
    assert!(matches!(read, Err(IscsiError::LoggedOut)), "{read:?}");
    assert!(matches!(left, Err(IscsiError::LoggedOut)), "{left:?}");
}

/// A target that does not answer to the farewell is left without one.
pub(super) async fn leaves_a_silent_target(settings: &InitiatorSettings) {
    let (silencer, settings) = Silencer::before(settings).await;
    let disk = IscsiDisk::connect(settings).await.unwrap();
    let (_listener, mut near) = silencer.falls_silent().await;
    // From here on time passes while everybody waits.
    tokio::time::pause();
    let left = disk.logout().await;
    assert!(matches!(left, Err(IscsiError::Timeout)), "{left:?}");
    near.read_to_end(&mut Vec::new()).await.unwrap();
}

/// What was still on its way is not sent any more.
pub(super) async fn hangs_up(settings: &InitiatorSettings) {
    let (silencer, settings) = Silencer::before(settings).await;
    let disk = IscsiDisk::connect(settings).await.unwrap();
    let (_listener, mut near) = silencer.falls_silent().await;
    let block = pattern(1, 512);
    let (written, ()) = tokio::join!(disk.write_at(0, block), async { disk.abandon() });
    assert!(matches!(written, Err(IscsiError::LoggedOut)), "{written:?}");
    let later = disk.write_at(0, pattern(2, 512)).await;
    assert!(matches!(later, Err(IscsiError::LoggedOut)), "{later:?}");
    near.read_to_end(&mut Vec::new()).await.unwrap();
}
