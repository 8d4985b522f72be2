//! Commands and what the disk makes of them.

use super::*;
use bytes::Bytes;

fn unit() -> Unit {
    let geometry = Geometry {
        blocks: 1000,
        block_size: 512,
        physical_exponent: 0,
        serial: "0123".to_owned(),
        identity: 0x1234,
        rotational: false,
        read_only: false,
        unmap: true,
    };
    Unit::new(geometry, "iqn.2008-10.org.openstack:node")
}

fn nexus(id: u64) -> Nexus {
    Nexus {
        id,
        port: format!("iqn.example:{id},i,0x800000000000"),
    }
}

fn reply(unit: &mut Unit, lun: u16, cdb: cdb::Cdb) -> Vec<u8> {
    match unit.plan(&nexus(1), Some(lun), &cdb) {
        Ok(Plan::Reply(data)) => data,
        other => panic!("{other:?}"),
    }
}

fn sense(unit: &mut Unit, lun: u16, cdb: cdb::Cdb) -> Sense {
    match unit.plan(&nexus(1), Some(lun), &cdb) {
        Err(Refused::Check(sense)) => sense,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_units_are() {
    let unit = &mut unit();
    assert_eq!(reply(unit, 1, cdb::inquiry(None, 96))[0], 0x00);
    assert_eq!(reply(unit, 0, cdb::inquiry(None, 96))[0], 0x0c);
    assert_eq!(reply(unit, 2, cdb::inquiry(None, 96))[0], 0x7f);
    assert_eq!(reply(unit, 1, cdb::inquiry(None, 5)).len(), 5);
    let luns = reply(unit, 0, cdb::report_luns(64));
    assert_eq!((luns[3], luns[9], luns[17]), (16, 0, 1));
    let pages = reply(unit, 1, cdb::inquiry(Some(0), 96));
    assert_eq!(pages[4..], [0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2]);
    for page in pages[4..].iter().copied() {
        let data = reply(unit, 1, cdb::inquiry(Some(page), 255));
        assert_eq!(data[1], page);
        assert_eq!(usize::from(data[3]) + 4, data.len());
    }
    let capacity = reply(unit, 1, cdb::read_capacity_16(32));
    assert_eq!(capacity[..12], [0, 0, 0, 0, 0, 0, 3, 231, 0, 0, 2, 0]);
    assert_eq!(sense(unit, 2, cdb::test_unit_ready()), Sense::NO_SUCH_UNIT);
    assert_eq!(sense(unit, 0, cdb::read_16(0, 1)), Sense::INVALID_OPCODE);
}

#[test]
fn nothing_outside_of_the_disk() {
    let unit = &mut unit();
    for (block, count) in [(1000, 1), (999, 2), (u64::MAX, 1), (u64::MAX, u32::MAX)] {
        for cdb in [
            cdb::read_16(block, count),
            cdb::write_16(block, count),
            cdb::write_same_16(block, count, false),
        ] {
            assert_eq!(sense(unit, 1, cdb), Sense::OUT_OF_RANGE, "{block} {count}");
        }
    }
    let whole = unit.plan(&nexus(1), Some(1), &cdb::read_16(0, 1000));
    let range = Range {
        offset: 0,
        length: 512_000,
    };
    assert_eq!(whole, Ok(Plan::Read(range)));
}

/// Carries out a change of reservations.
fn reserve(
    unit: &mut Unit,
    id: u64,
    action: u8,
    kind: ReservationType,
    keys: (u64, u64),
) -> Result<(), Refused> {
    let (cdb, list) = cdb::persistent_reserve_out(action, Some(kind), keys.0, keys.1);
    match unit.plan(&nexus(id), Some(1), &cdb)? {
        Plan::Collect { length, deferred } => {
            assert_eq!(length, 24);
            let data = Bytes::copy_from_slice(&list);
            unit.finish(&nexus(id), deferred, data).map(drop)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reservation_keeps_others_from_writing() {
    use cdb::action::{PREEMPT, REGISTER, RELEASE, RESERVE};
    let unit = &mut unit();
    let kind = ReservationType::WriteExclusive;
    for id in [1, 2] {
        unit.attach(&nexus(id));
    }
    let conflict = Err(Refused::Conflict);
    assert_eq!(
        reserve(unit, 1, RESERVE, kind, (7, 0)),
        conflict,
        "not registered"
    );
    for id in [1, 2] {
        assert_eq!(reserve(unit, id, REGISTER, kind, (0, 10 + id)), Ok(()));
    }
    assert_eq!(reserve(unit, 1, RESERVE, kind, (11, 0)), Ok(()));
    assert_eq!(reserve(unit, 2, RESERVE, kind, (12, 0)), conflict);
    let write = cdb::write_16(0, 1);
    assert!(unit.plan(&nexus(1), Some(1), &write).is_ok());
    assert_eq!(
        unit.plan(&nexus(2), Some(1), &write),
        Err(Refused::Conflict)
    );
    assert!(unit.plan(&nexus(2), Some(1), &cdb::read_16(0, 1)).is_ok());
    // The second one takes it over; the first hears of it once.
    assert_eq!(reserve(unit, 2, PREEMPT, kind, (12, 11)), Ok(()));
    assert_eq!(sense(unit, 1, write), Sense::REGISTRATIONS_PREEMPTED);
    assert_eq!(
        unit.plan(&nexus(1), Some(1), &write),
        Err(Refused::Conflict)
    );
    assert!(unit.plan(&nexus(2), Some(1), &write).is_ok());
    assert_eq!(reserve(unit, 2, RELEASE, kind, (12, 0)), Ok(()));
    assert!(unit.plan(&nexus(1), Some(1), &write).is_ok());
}

#[test]
fn a_reservation_by_session_ends_with_it() {
    let unit = &mut unit();
    let mut reserve = [0; 16];
    reserve[0] = cdb::opcode::RESERVE_6;
    for id in [1, 2] {
        unit.attach(&nexus(id));
    }
    assert!(unit.plan(&nexus(1), Some(1), &reserve).is_ok());
    assert_eq!(
        unit.plan(&nexus(2), Some(1), &cdb::test_unit_ready()),
        Err(Refused::Conflict)
    );
    unit.detach(&nexus(1));
    assert!(
        unit.plan(&nexus(2), Some(1), &cdb::test_unit_ready())
            .is_ok()
    );
}

#[test]
fn sense_data_in_both_formats() {
    for sense in [Sense::MISCOMPARE.at(77), Sense::WRITE_PROTECTED] {
        let plain = Sense::new(sense.key, sense.code, sense.qualifier);
        assert_eq!(Sense::decode(&sense.encode()), Some(plain));
        assert_eq!(Sense::decode(&sense.encode_descriptor()), Some(plain));
    }
    assert_eq!(Sense::decode(&[]), None);
    assert_eq!(
        Sense::OUT_OF_RANGE.to_string(),
        "ILLEGAL REQUEST (ASC 21h, ASCQ 00h)"
    );
}
