//! The initiator against tgt, a target that others wrote; [`lio`] is another.
//!
//! Where tgt is not installed the tests say so and do nothing, except in CI, where they fail.

mod lio;
mod talk;

use super::{InitiatorSettings, IscsiDisk, IscsiError, IscsiMedium, discover};
use image::disk::medium::Medium;
use proto::iscsi::initiator::LoginError;
use std::{net::SocketAddr, path::PathBuf, process::Stdio, sync::Arc, time::Duration};
use talk::{SIZE, TARGET};
use tempfile::{NamedTempFile, TempDir};
use tokio::{
    net::TcpListener,
    process::{Child, Command},
};

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
        let data = talk::writes_and_reads(&tgt.settings(), digests).await;
        assert!(tgt.contents()[512..512 + data.len()] == data[..]);
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
    talk::proves_who_it_is(&tgt.settings()).await;
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
    talk::takes_a_reservation_over(&tgt.settings()).await;
}

#[tokio::test]
async fn a_disk_that_somebody_else_had_meanwhile_is_not_written() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    for finished in [false, true] {
        talk::loses_the_disk_with_its_session(&tgt.settings(), finished).await;
    }
}

#[tokio::test]
async fn two_hundred_sessions_at_once() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    talk::has_many_sessions(&tgt.settings(), 200).await;
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

/// Whatever byte is the last one of a connection, everything that was acknowledged is there, and
/// the write goes on by itself.
#[tokio::test]
async fn a_cut_connection_loses_nothing() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    talk::survives_cuts(&tgt.settings(), 50).await;
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

#[tokio::test]
async fn nobody_is_kept_by_a_session_that_is_to_end() {
    let Some(tgt) = Tgt::start().await else {
        return;
    };
    talk::leaves_a_lost_session(&tgt.settings()).await;
    talk::hangs_up(&tgt.settings()).await;
    talk::leaves_a_silent_target(&tgt.settings()).await;
}
