//! The initiator against LIO, the target of Linux, which runs in a virtual machine with a kernel of
//! its own: `tests/peers/with-lio cargo nextest run … lio`. Without it the tests say so and do nothing.
//!
//! The machine is emulated, and one processor of it serves all sessions, so they are fewer here.

use super::talk::{self, SIZE, TARGET};
use crate::iscsi::{InitiatorSettings, IscsiDisk, discover};
use std::net::SocketAddr;

/// The same disk behind a target that asks for a password.
const SECRET: &str = "iqn.2026-01.org.example:secret";

fn settings(target: &str) -> Option<InitiatorSettings> {
    let Ok(portal) = std::env::var("CORTEN_TEST_LIO") else {
        println!("SKIPPED: run it by tests/peers/with-lio");
        return None;
    };
    let portal: SocketAddr = portal.parse().unwrap();
    let initiator = "iqn.2026-01.org.example:conductor";
    let mut settings = InitiatorSettings::new(initiator, portal, target);
    // Pings wait while everything else is written by a processor that is emulated.
    settings.timeouts.silence = std::time::Duration::from_secs(60);
    settings.timeouts.login = std::time::Duration::from_secs(60);
    Some(settings)
}

/// One after the other: there is one disk.
#[tokio::test]
async fn lio_is_written_and_read() {
    let (Some(open), Some(secret)) = (settings(TARGET), settings(SECRET)) else {
        return;
    };
    let found = discover(&open).await.unwrap();
    let mut names: Vec<_> = found.iter().map(|target| target.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, [TARGET, SECRET]);
    for digests in [false, true] {
        let left = talk::writes_and_reads(&open, digests).await;
        // Another session sees it.
        let disk = IscsiDisk::connect(open.clone()).await.unwrap();
        let seen = disk.read_at(512, 9 << 20).await.unwrap();
        assert!(seen == left);
        let end = disk.read_at(SIZE - 512, 512).await.unwrap();
        assert_eq!(end.len(), 512);
        disk.logout().await.unwrap();
    }
    println!("written and read, with and without digests");
    talk::proves_who_it_is(&secret).await;
    println!("passwords right and wrong");
    talk::takes_a_reservation_over(&open).await;
    println!("a reservation was taken over");
    for finished in [false, true] {
        talk::loses_the_disk_with_its_session(&open, finished).await;
    }
    println!("a disk that was lost is not written");
    talk::survives_cuts(&open, 50).await;
    println!("50 cut connections");
    talk::has_many_sessions(&open, 100).await;
    println!("100 sessions at once");
}
