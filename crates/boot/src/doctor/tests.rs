//! Timelines and what they mean, as a table.

use super::*;
use crate::log::{Event, Protocol, Unanswered};

const NOW: Timestamp = Timestamp(10_000 * 1_000_000);

fn discover(ipxe: bool) -> Event {
    Event::Discover {
        arch: Some("x86_64 UEFI (7)".to_owned()),
        ipxe,
        http: false,
        boots: true,
    }
}

fn offer() -> Event {
    Event::Offer {
        address: None,
        file: Some("snponly.efi".to_owned()),
        proxy: false,
    }
}

fn ack() -> Event {
    Event::Ack {
        address: None,
        file: None,
    }
}

fn published() -> Event {
    Event::Published {
        boot: "ipxe".to_owned(),
    }
}

fn sent(role: Role) -> Event {
    Event::Sent {
        protocol: Protocol::Http,
        role,
        path: format!("{role:?}"),
        bytes: 1,
        resent: 0,
    }
}

fn missing(role: Role) -> Event {
    Event::NotFound {
        protocol: Protocol::Http,
        role,
        path: format!("{role:?}"),
    }
}

fn stalled(role: Role) -> Event {
    Event::Stalled {
        protocol: Protocol::Tftp,
        role,
        path: "snponly.efi".to_owned(),
        bytes: 0,
        size: 9,
        block_size: 1468,
    }
}

/// The events at intervals of a second, the last of them `ago` seconds before now.
fn timeline(events: Vec<Event>, ago: i64) -> Vec<BootLogEntry> {
    let count = i64::try_from(events.len()).unwrap();
    let entries = events
        .into_iter()
        .zip(1..)
        .map(|(event, number): (_, i64)| {
            let at = NOW.plus_seconds(number - count - ago);
            BootLogEntry {
                at,
                last: at,
                times: 1,
                event,
            }
        });
    entries.collect()
}

#[test]
fn every_station_has_its_cause() {
    use Role::{Config, Kernel, Loader, Ramdisk, Script};
    let ignored = |why| Event::Ignored { why };
    let agent = || Event::Agent {
        what: "lookup".to_owned(),
    };
    let wrong = || Event::WrongFirmware {
        machine: "UEFI".to_owned(),
        node: "BIOS".to_owned(),
    };
    let start = || vec![published(), discover(false), offer(), ack()];
    let loaded = |mut more: Vec<Event>| {
        let mut events = start();
        events.push(sent(Loader));
        events.append(&mut more);
        events
    };
    let ipxe = |mut more: Vec<Event>| {
        let mut events = loaded(vec![discover(true), offer(), ack()]);
        events.append(&mut more);
        events
    };
    let table: Vec<(Vec<Event>, Cause)> = vec![
        (vec![], Cause::NothingSeen),
        (vec![published()], Cause::NothingSeen),
        (vec![published(), discover(false)], Cause::NotOurs),
        (
            vec![
                published(),
                discover(false),
                ignored(Unanswered::NotEnrolled),
            ],
            Cause::NotOurs,
        ),
        (
            vec![
                published(),
                discover(false),
                ignored(Unanswered::NothingToBoot),
            ],
            Cause::NothingToBoot,
        ),
        (
            vec![published(), discover(false), ignored(Unanswered::NoAddress)],
            Cause::NoAddress,
        ),
        // The ramdisk called, but what it became afterwards has no address.
        (
            ipxe(vec![
                sent(Ramdisk),
                agent(),
                Event::SwitchedToDisk,
                Event::Withdrawn,
                discover(false),
                ignored(Unanswered::NoAddress),
            ]),
            Cause::NoAddress,
        ),
        // What the machine's own system asks for is no boot.
        (
            ipxe(vec![
                sent(Ramdisk),
                agent(),
                Event::Withdrawn,
                discover(false),
                offer(),
                ack(),
            ]),
            Cause::Booted,
        ),
        (
            vec![published(), discover(false), offer()],
            Cause::OfferNotTaken,
        ),
        (
            vec![
                published(),
                discover(false),
                offer(),
                Event::TookOther {
                    server: [10, 0, 0, 9].into(),
                },
            ],
            Cause::OtherServer,
        ),
        (start(), Cause::LoaderNotAsked),
        (
            [start(), vec![missing(Loader)]].concat(),
            Cause::LoaderMissing,
        ),
        (
            [start(), vec![stalled(Loader)]].concat(),
            Cause::LoaderStalled,
        ),
        ([start(), vec![wrong()]].concat(), Cause::WrongFirmware),
        (loaded(vec![]), Cause::LoaderDoesNotRun),
        (loaded(vec![wrong()]), Cause::WrongFirmware),
        (loaded(vec![discover(true), offer()]), Cause::OfferNotTaken),
        (ipxe(vec![]), Cause::ScriptNotAsked),
        (ipxe(vec![missing(Script)]), Cause::ScriptMissing),
        (ipxe(vec![sent(Script)]), Cause::ConfigNotAsked),
        (
            ipxe(vec![sent(Script), missing(Config)]),
            Cause::ConfigMissing,
        ),
        (
            ipxe(vec![sent(Script), missing(Config), sent(Config)]),
            Cause::KernelNotAsked,
        ),
        (
            ipxe(vec![sent(Script), sent(Config), missing(Kernel)]),
            Cause::KernelMissing,
        ),
        (
            ipxe(vec![sent(Script), sent(Config), sent(Kernel)]),
            Cause::RamdiskNotAsked,
        ),
        (
            ipxe(vec![sent(Config), sent(Kernel), missing(Ramdisk)]),
            Cause::RamdiskMissing,
        ),
        (
            ipxe(vec![sent(Config), sent(Kernel), stalled(Ramdisk)]),
            Cause::FileStalled,
        ),
        (
            ipxe(vec![sent(Config), sent(Kernel), sent(Ramdisk)]),
            Cause::AgentSilent,
        ),
        (
            ipxe(vec![sent(Kernel), sent(Ramdisk), agent()]),
            Cause::Booted,
        ),
        (
            [start(), vec![Event::SwitchedToDisk, discover(false)]].concat(),
            Cause::FromDisk,
        ),
        (loaded(vec![missing(Role::Other)]), Cause::LoaderDoesNotRun),
        // A stall that was overcome is none, and neither is a doubt about another server.
        (
            loaded(vec![stalled(Loader), sent(Loader)]),
            Cause::LoaderDoesNotRun,
        ),
        // What was before the last publication does not count.
        (loaded(vec![sent(Kernel), published()]), Cause::NothingSeen),
    ];
    for (events, cause) in table {
        let diagnosis = diagnose(&timeline(events.clone(), 1000), NOW);
        assert_eq!(diagnosis.cause, cause, "{events:#?}\n{diagnosis:?}");
        assert!(!diagnosis.advice.is_empty() && diagnosis.finding.ends_with('.'));
    }
}

#[test]
fn only_a_machine_that_is_awaited_and_never_heard_is_silent() {
    let silent = |events| is_silent(&timeline(events, 0));
    assert!(silent(vec![published()]));
    assert!(silent(vec![published(), discover(false), published()]));
    // After a restart nobody knows what was heard before.
    assert!(!silent(vec![]));
    assert!(!silent(vec![published(), discover(false)]));
    assert!(!silent(vec![published(), Event::SwitchedToDisk]));
    assert!(!silent(vec![published(), Event::Withdrawn]));
}

#[test]
fn a_machine_gets_its_time() {
    let events = || vec![published(), discover(false), offer(), ack()];
    assert_eq!(diagnose(&timeline(events(), 5), NOW).cause, Cause::UnderWay);
    assert_eq!(
        diagnose(&timeline(vec![published()], 5), NOW).cause,
        Cause::UnderWay
    );
    // Nobody waits for a machine that is no longer booted: it did not come further than this.
    let mut over = events();
    over.push(Event::Withdrawn);
    assert_eq!(
        diagnose(&timeline(over, 2), NOW).cause,
        Cause::LoaderNotAsked
    );
    // Nor does anybody wait for one whose ramdisk has called and is done.
    let mut done = events();
    let agent = Event::Agent {
        what: "heartbeat".to_owned(),
    };
    done.extend([sent(Role::Ramdisk), agent, Event::Withdrawn]);
    let diagnosis = diagnose(&timeline(done, 2), NOW);
    assert_eq!(diagnosis.cause, Cause::Booted);
    assert!(!diagnosis.finding.contains("booting"), "{diagnosis:?}");
    // What is certain is said at once.
    let mut gone = events();
    gone.push(missing(Role::Loader));
    assert_eq!(
        diagnose(&timeline(gone, 0), NOW).cause,
        Cause::LoaderMissing
    );
    // A ramdisk may take longer than a loader.
    let mut up = events();
    up.extend([sent(Role::Kernel), sent(Role::Ramdisk)]);
    assert_eq!(
        diagnose(&timeline(up.clone(), 100), NOW).cause,
        Cause::UnderWay
    );
    assert_eq!(diagnose(&timeline(up, 300), NOW).cause, Cause::AgentSilent);
}
