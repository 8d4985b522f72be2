//! The initiator against tgt, a target that others wrote.
//!
//! Where tgt is not installed the tests say so and do nothing, except in CI, where they fail.

use super::{Credentials, InitiatorSettings, IscsiDisk, IscsiError, IscsiMedium, discover};
use bytes::Bytes;
use image::disk::medium::Medium;
use proto::iscsi::initiator::LoginError;
use std::{
    net::SocketAddr,
    path::PathBuf,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tempfile::{NamedTempFile, TempDir};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    process::{Child, Command},
};

const TARGET: &str = "iqn.2026-01.org.example:disk";
const SIZE: u64 = 64 << 20;

/// tgt with one disk.
struct Tgt {
    process: Child,
    folder: TempDir,
    file: NamedTempFile,
    portal: SocketAddr,
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    folders
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

impl Tgt {
    /// `None` if it is not installed.
    async fn start() -> Option<Self> {
        let Some(program) = find("tgtd") else {
            assert!(std::env::var_os("CI").is_none(), "tgtd is not installed");
            println!("SKIPPED: tgtd is not installed");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let file = NamedTempFile::new().unwrap();
        file.as_file().set_len(SIZE).unwrap();
        // It takes no port 0, so it gets one that was free a moment ago.
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let portal = free.local_addr().unwrap();
        drop(free);
        let process = Command::new(&program)
            .args(["-f", "--iscsi", &format!("portal={portal}")])
            .env("TGT_IPC_SOCKET", folder.path().join("ipc"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // It does not end by SIGTERM while it has a target.
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut tgt = Self {
            process,
            folder,
            file,
            portal,
        };
        assert!(tgt.is_up().await, "tgtd ended");
        tgt.configure().await;
        Some(tgt)
    }

    async fn is_up(&mut self) -> bool {
        loop {
            if self.process.try_wait().unwrap().is_some() {
                return false;
            }
            if self.admin(&["--mode", "sys", "--op", "show"]).await {
                return true;
            }
            tokio::task::yield_now().await;
        }
    }

    async fn admin(&self, arguments: &[&str]) -> bool {
        let output = Command::new(find("tgtadm").unwrap())
            .args(["--lld", "iscsi"])
            .args(arguments)
            .env("TGT_IPC_SOCKET", self.folder.path().join("ipc"))
            .output()
            .await
            .unwrap();
        output.status.success()
    }

    async fn configure(&self) {
        let path = self.file.path().to_str().unwrap();
        for arguments in [
            format!("--mode target --op new --tid 1 -T {TARGET}"),
            format!("--mode logicalunit --op new --tid 1 --lun 1 -b {path}"),
            "--mode logicalunit --op update --tid 1 --lun 1 --params thin_provisioning=1"
                .to_owned(),
            "--mode target --op bind --tid 1 -I ALL".to_owned(),
        ] {
            self.must(&arguments).await;
        }
    }

    async fn must(&self, arguments: &str) {
        let words: Vec<&str> = arguments.split(' ').collect();
        assert!(self.admin(&words).await, "tgtadm {arguments}");
    }

    fn settings(&self) -> InitiatorSettings {
        InitiatorSettings::new("iqn.2026-01.org.example:conductor", self.portal, TARGET)
    }

    fn contents(&self) -> Vec<u8> {
        std::fs::read(self.file.path()).unwrap()
    }
}

/// Bytes that are different everywhere.
fn pattern(seed: u64, length: usize) -> Bytes {
    let mut number = seed;
    let bytes = std::iter::repeat_with(|| {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        number.to_be_bytes()[2]
    });
    bytes.take(length).collect()
}

#[tokio::test]
async fn targets_are_found() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    let targets = discover(&tgt.settings()).await.unwrap();
    assert_eq!(targets.len(), 1);
    assert_eq!(targets[0].name, TARGET);
    assert_eq!(targets[0].addresses, [format!("{},1", tgt.portal)]);
}

#[tokio::test]
async fn what_is_written_is_there() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    for digests in [false, true] {
        let settings = InitiatorSettings {
            digests,
            ..tgt.settings()
        };
        let disk = IscsiDisk::connect(settings).await.unwrap();
        assert_eq!((disk.size(), disk.block_size()), (SIZE, 512));
        let data = pattern(u64::from(digests), 9 << 20);
        disk.write_at(512, data.clone()).await.unwrap();
        disk.flush().await.unwrap();
        assert!(tgt.contents()[512..512 + data.len()] == data[..]);
        assert!(disk.read_at(512, 9 << 20).await.unwrap() == data);
        disk.zero(1 << 20, 5 << 20).await.unwrap();
        let zeros = disk.read_at(1 << 20, 5 << 20).await.unwrap();
        assert!(zeros.iter().all(|byte| *byte == 0));
        let beyond = disk.write_at(SIZE, data.slice(..512)).await;
        assert!(matches!(beyond, Err(IscsiError::OutOfRange(_))));
        disk.logout().await.unwrap();
    }
}

#[tokio::test]
async fn secrets_right_and_wrong() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    for arguments in [
        "--mode account --op new --user us --password twelveletters",
        "--mode account --op bind --tid 1 --user us",
        "--mode account --op new --user tgt --password otherletters",
        "--mode account --op bind --tid 1 --user tgt --outgoing",
    ] {
        tgt.must(arguments).await;
    }
    let credentials = |name: &str, secret: &str| {
        Some(Credentials {
            name: name.to_owned(),
            secret: secret.to_owned(),
        })
    };
    let right = credentials("us", "twelveletters");
    for (chap, mutual_chap, works) in [
        (right.clone(), None, true),
        (right.clone(), credentials("tgt", "otherletters"), true),
        (right.clone(), credentials("tgt", "wrongletters"), false),
        (credentials("us", "wrongletters"), None, false),
        (None, None, false),
    ] {
        let settings = InitiatorSettings {
            chap,
            mutual_chap,
            ..tgt.settings()
        };
        match IscsiDisk::connect(settings).await {
            Ok(disk) => {
                assert!(works);
                disk.logout().await.unwrap();
            }
            Err(IscsiError::Login(
                LoginError::Authentication(_) | LoginError::TargetNotAuthentic,
            )) => assert!(!works),
            Err(error) => panic!("{}", types::error::chain(&error)),
        }
    }
}

#[tokio::test]
async fn another_target_does_not_exist() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    let settings = InitiatorSettings {
        target: "iqn.2026-01.org.example:other".to_owned(),
        ..tgt.settings()
    };
    let error = IscsiDisk::connect(settings).await.unwrap_err();
    assert!(
        matches!(error, IscsiError::Login(LoginError::NotFound(_))),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_reservation_is_taken_over() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    let first = IscsiDisk::connect(tgt.settings()).await.unwrap();
    let second = InitiatorSettings {
        initiator: "iqn.2026-01.org.example:other".to_owned(),
        ..tgt.settings()
    };
    let second = IscsiDisk::connect(second).await.unwrap();
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
}

#[tokio::test(flavor = "multi_thread")]
async fn a_medium_writes_any_bytes_in_their_order() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    let disk = Arc::new(IscsiDisk::connect(tgt.settings()).await.unwrap());
    let mut medium = IscsiMedium::new(Arc::clone(&disk));
    let checked = tokio::task::spawn_blocking(move || {
        let mut model = vec![0u8; 8 << 20];
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        medium.zero(0, model.size()).unwrap();
        for round in 0..200u8 {
            // Many touch the same bytes, and few are whole blocks.
            let offset = random(6 << 20);
            let length = random(if round % 8 == 0 { 2 << 20 } else { 5000 });
            let bytes = vec![round; usize::try_from(length).unwrap()];
            for disk in [&mut medium as &mut dyn Medium, &mut model] {
                match round % 3 {
                    0 => disk.zero(offset, length).unwrap(),
                    _ => disk.write_at(offset, &bytes).unwrap(),
                }
            }
            let mut seen = vec![1; 700];
            medium.read_at(offset / 2, &mut seen).unwrap();
            let at = usize::try_from(offset / 2).unwrap();
            assert!(seen == model[at..at + 700], "round {round}");
        }
        medium.sync().unwrap();
        assert!(medium.write_at(SIZE - 1, &[1, 2]).is_err());
        model
    });
    let model = checked.await.unwrap();
    let seen = disk.read_at(0, model.size()).await.unwrap();
    assert!(seen == model);
    disk.logout().await.unwrap();
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

/// Whatever byte is the last one of a connection, everything that was acknowledged is there, and
/// the write goes on by itself.
#[tokio::test]
async fn a_cut_connection_loses_nothing() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    let limit = Arc::new(AtomicU64::new(u64::MAX));
    let portal = cutting_proxy(tgt.portal, Arc::clone(&limit)).await;
    let mut number = 5_u64;
    for round in 0..50 {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        // The login has some 600 bytes, the write 3 MiB.
        let cut = 1000 + (number >> 33) % (3 << 20);
        limit.store(cut, Ordering::SeqCst);
        let mut settings = InitiatorSettings {
            portal,
            ..tgt.settings()
        };
        settings.timeouts.recovery = Duration::from_secs(30);
        let disk = IscsiDisk::connect(settings).await.unwrap();
        let data = pattern(round, 3 << 20);
        let written = disk.write_at(round * 4096, data.clone()).await;
        written.unwrap_or_else(|error| panic!("cut at {cut}: {}", types::error::chain(&error)));
        let read = disk.read_at(round * 4096, 3 << 20).await.unwrap();
        assert!(read == data, "cut at {cut}");
        disk.logout().await.unwrap();
    }
}

#[tokio::test]
async fn a_target_that_is_gone_is_given_up() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    let mut settings = tgt.settings();
    settings.timeouts.recovery = Duration::from_millis(300);
    let disk = IscsiDisk::connect(settings).await.unwrap();
    drop(tgt);
    let error = disk.read_at(0, 512).await.unwrap_err();
    assert!(
        matches!(error, IscsiError::Connection(_) | IscsiError::LoggedOut),
        "{error:?}"
    );
}
