//! The logical units of a target: the disk, and a controller at number 0 that answers what an
//! initiator asks before it knows the disk.

use super::{
    DISK_LUN, Sense, cdb,
    cdb::{Cdb, opcode as op},
    inquiry,
    mode::{self, Control},
    opcodes,
    reservation::{MediumAccess, Reservations},
    transfer::Blocks,
};
use crate::field;
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};

/// Unit attentions that wait for one session.
const ATTENTION_LIMIT: usize = 8;

/// The largest list of parameters that a command may bring: of COMPARE AND WRITE both halves.
const PARAMETER_LIMIT: u32 = 131_072;

/// The disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Geometry {
    pub blocks: u64,
    pub block_size: u32,
    /// How many logical blocks are a physical one, as a power of two.
    pub physical_exponent: u8,
    pub serial: String,
    /// What makes the name of the disk unique; 60 bits of it are used.
    pub identity: u64,
    pub rotational: bool,
    pub read_only: bool,
    /// Whether blocks can be unmapped; they then read as zeros.
    pub unmap: bool,
}

impl Geometry {
    /// The most blocks of a command: 32 MiB.
    pub(super) fn transfer_limit(&self) -> u32 {
        (32 << 20) / self.block_size.max(1)
    }

    /// The most blocks that one command makes zero: 512 MiB.
    pub(super) fn zero_limit(&self) -> u32 {
        (512 << 20) / self.block_size.max(1)
    }

    pub(super) fn descriptor_limit(&self) -> u32 {
        256
    }

    pub(super) fn compare_limit(&self) -> u8 {
        let blocks = PARAMETER_LIMIT / 2 / self.block_size.max(1);
        u8::try_from(blocks).unwrap_or(u8::MAX)
    }
}

/// A session, as far as SCSI is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nexus {
    /// Different for each session.
    pub id: u64,
    /// The initiator port: the same if the initiator logs in again.
    pub port: String,
}

/// Bytes of the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub offset: u64,
    pub length: u64,
}

/// Work for the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskOp {
    Read(Range),
    /// Pieces that follow each other.
    Write {
        offset: u64,
        data: Vec<Bytes>,
    },
    /// Reads without handing the data out.
    Verify(Range),
    Compare {
        offset: u64,
        data: Vec<Bytes>,
    },
    /// Writes the second half of the data if the first half is what is there.
    CompareAndWrite {
        offset: u64,
        data: Bytes,
    },
    /// Writes a block again and again.
    WriteSame {
        range: Range,
        block: Bytes,
    },
    /// Makes ranges zero, by unmapping them where that is possible.
    Discard(Vec<Range>),
    Flush,
}

/// What to do about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Nothing but an answer.
    Reply(Vec<u8>),
    /// Reads, piece by piece.
    Read(Range),
    /// Writes, piece by piece, as data arrives. `sync`: on the medium before the command ends.
    Write {
        range: Range,
        sync: bool,
    },
    /// Compares with the medium, piece by piece, as data arrives.
    Compare(Range),
    Disk(DiskOp),
    /// The parameters are needed first; see [`Unit::finish`].
    Collect {
        length: u32,
        deferred: Deferred,
    },
}

/// A command that waits for its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deferred(DeferredCommand);

#[derive(Debug, Clone, PartialEq, Eq)]
enum DeferredCommand {
    Unmap,
    WriteSame { range: Range, unmap: bool },
    CompareAndWrite { offset: u64 },
    Reserve { action: u8, scope_and_type: u8 },
    ModeSelect { long: bool },
}

/// Why a command is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Check(Sense),
    Conflict,
}

/// The units and what sessions did to them.
#[derive(Debug)]
pub struct Unit {
    geometry: Geometry,
    target: String,
    control: Control,
    reservations: Reservations,
    /// The holder of a reservation by RESERVE (SPC-2 §5.5).
    reserved_by: Option<u64>,
    sessions: HashMap<u64, Session>,
}

#[derive(Debug)]
struct Session {
    port: String,
    attentions: VecDeque<Sense>,
}

type Planned = Result<Plan, Refused>;

fn check<T>(sense: Sense) -> Result<T, Refused> {
    Err(Refused::Check(sense))
}

impl Unit {
    pub fn new(geometry: Geometry, target: &str) -> Self {
        Self {
            geometry,
            target: target.to_owned(),
            control: Control::default(),
            reservations: Reservations::default(),
            reserved_by: None,
            sessions: HashMap::new(),
        }
    }

    pub fn attach(&mut self, nexus: &Nexus) {
        let session = Session {
            port: nexus.port.clone(),
            attentions: VecDeque::new(),
        };
        self.sessions.insert(nexus.id, session);
    }

    pub fn detach(&mut self, nexus: &Nexus) {
        self.sessions.remove(&nexus.id);
        self.release(nexus.id);
    }

    /// LOGICAL UNIT RESET: reservations by RESERVE end, and the other sessions are told.
    pub fn reset(&mut self, nexus: &Nexus) {
        self.reserved_by = None;
        self.control = Control::default();
        self.notify_others(nexus.id, Sense::RESET);
    }

    /// Sense data as the initiators want it.
    pub fn encode_sense(&self, sense: Sense) -> Vec<u8> {
        if self.control.descriptor_sense {
            return sense.encode_descriptor();
        }
        sense.encode().to_vec()
    }

    fn release(&mut self, id: u64) {
        if self.reserved_by == Some(id) {
            self.reserved_by = None;
        }
    }

    fn notify_others(&mut self, id: u64, sense: Sense) {
        let others = self.sessions.iter_mut().filter(|(other, _)| **other != id);
        others.for_each(|(_, session)| session.notify(sense));
    }

    /// What to do about a command to a unit.
    pub fn plan(&mut self, nexus: &Nexus, lun: Option<u16>, cdb: &Cdb) -> Planned {
        match (lun, cdb[0]) {
            (_, op::INQUIRY) => self.inquiry(lun, cdb),
            (_, op::REPORT_LUNS) => report_luns(cdb),
            (_, op::REQUEST_SENSE) => self.request_sense(nexus, lun, cdb),
            (Some(0), op::TEST_UNIT_READY) => Ok(Plan::Reply(Vec::new())),
            (Some(0), _) => check(Sense::INVALID_OPCODE),
            (Some(DISK_LUN), _) => self.plan_disk(nexus, cdb),
            _ => check(Sense::NO_SUCH_UNIT),
        }
    }

    fn plan_disk(&mut self, nexus: &Nexus, cdb: &Cdb) -> Planned {
        if let Some(sense) = self.take_attention(nexus) {
            return check(sense);
        }
        self.check_reservation(nexus, cdb)?;
        match cdb[0] {
            op::TEST_UNIT_READY => Ok(Plan::Reply(Vec::new())),
            op::READ_CAPACITY_10 => self.read_capacity_10(cdb),
            op::SERVICE_ACTION_IN_16 => self.service_action_in(cdb),
            op::MAINTENANCE_IN => maintenance_in(cdb),
            op::MODE_SENSE_6 => {
                let data = mode::sense(cdb, false, &self.geometry, self.control)?;
                Ok(reply(data, u64::from(cdb[4])))
            }
            op::MODE_SENSE_10 => {
                let data = mode::sense(cdb, true, &self.geometry, self.control)?;
                Ok(reply(data, be16(cdb, 7)))
            }
            op::MODE_SELECT_6 => mode_select(cdb, false, u32::from(cdb[4])),
            op::MODE_SELECT_10 => mode_select(cdb, true, u32::from(field16(cdb, 7))),
            op::READ_6 | op::READ_10 | op::READ_12 | op::READ_16 => {
                Ok(Plan::Read(self.transfer(cdb)?))
            }
            op::WRITE_6 | op::WRITE_10 | op::WRITE_12 | op::WRITE_16 => self.write(cdb),
            op::WRITE_AND_VERIFY_10 | op::WRITE_AND_VERIFY_12 | op::WRITE_AND_VERIFY_16 => {
                self.write(cdb)
            }
            op::VERIFY_10 | op::VERIFY_12 | op::VERIFY_16 => self.verify(cdb),
            op::PREFETCH_10 | op::PREFETCH_16 => {
                self.range(cdb)?;
                Ok(Plan::Reply(Vec::new()))
            }
            op::SYNCHRONIZE_CACHE_10 | op::SYNCHRONIZE_CACHE_16 => {
                self.range(cdb)?;
                Ok(Plan::Disk(DiskOp::Flush))
            }
            op::WRITE_SAME_10 | op::WRITE_SAME_16 => self.write_same(cdb),
            op::UNMAP => self.unmap(cdb),
            op::COMPARE_AND_WRITE => self.compare_and_write(cdb),
            op::START_STOP_UNIT => start_stop(cdb),
            op::RESERVE_6 | op::RESERVE_10 => self.reserve(nexus),
            op::RELEASE_6 | op::RELEASE_10 => {
                self.release(nexus.id);
                Ok(Plan::Reply(Vec::new()))
            }
            op::PERSISTENT_RESERVE_IN => {
                let data = self.reservations.read(cdb[1] & 0x1f)?;
                Ok(reply(data, be16(cdb, 7)))
            }
            op::PERSISTENT_RESERVE_OUT => Ok(Plan::Collect {
                length: collectable(field::be32(cdb, 5).unwrap_or(0))?,
                deferred: Deferred(DeferredCommand::Reserve {
                    action: cdb[1] & 0x1f,
                    scope_and_type: cdb[2],
                }),
            }),
            _ => check(Sense::INVALID_OPCODE),
        }
    }

    /// Goes on with a command when its parameters are there. The plan is a reply or work for the
    /// disk.
    pub fn finish(&mut self, nexus: &Nexus, deferred: Deferred, data: Bytes) -> Planned {
        match deferred.0 {
            DeferredCommand::Unmap => self.unmap_list(&data),
            DeferredCommand::WriteSame { range, unmap } => {
                if data.len() != self.geometry.block_size as usize {
                    return check(Sense::INVALID_FIELD);
                }
                let zeros = data.iter().all(|byte| *byte == 0);
                if unmap && zeros {
                    return Ok(Plan::Disk(DiskOp::Discard(vec![range])));
                }
                Ok(Plan::Disk(DiskOp::WriteSame { range, block: data }))
            }
            DeferredCommand::CompareAndWrite { offset } => {
                Ok(Plan::Disk(DiskOp::CompareAndWrite { offset, data }))
            }
            DeferredCommand::Reserve {
                action,
                scope_and_type,
            } => {
                let changed =
                    self.reservations
                        .change(&nexus.port, action, scope_and_type, &data)?;
                for (port, sense) in changed {
                    let sessions = self.sessions.values_mut();
                    let told = sessions.filter(|session| session.port == port);
                    told.for_each(|session| session.notify(sense));
                }
                Ok(Plan::Reply(Vec::new()))
            }
            DeferredCommand::ModeSelect { long } => {
                let control = mode::select(&data, long, self.control)?;
                if control != self.control {
                    self.control = control;
                    self.notify_others(nexus.id, Sense::MODE_CHANGED);
                }
                Ok(Plan::Reply(Vec::new()))
            }
        }
    }

    fn take_attention(&mut self, nexus: &Nexus) -> Option<Sense> {
        self.sessions.get_mut(&nexus.id)?.attentions.pop_front()
    }

    fn check_reservation(&self, nexus: &Nexus, cdb: &Cdb) -> Result<(), Refused> {
        let other = self.reserved_by.is_some_and(|id| id != nexus.id);
        let releases = matches!(cdb[0], op::RELEASE_6 | op::RELEASE_10);
        if other && !releases {
            return Err(Refused::Conflict);
        }
        if !self.reservations.admits(&nexus.port, medium_access(cdb)) {
            return Err(Refused::Conflict);
        }
        Ok(())
    }

    fn reserve(&mut self, nexus: &Nexus) -> Planned {
        // The two kinds of reservations exclude each other (SPC-4 §5.13.3).
        if !self.reservations.is_empty() {
            return Err(Refused::Conflict);
        }
        self.reserved_by = Some(nexus.id);
        Ok(Plan::Reply(Vec::new()))
    }

    fn inquiry(&self, lun: Option<u16>, cdb: &Cdb) -> Planned {
        let (vital, page) = (cdb[1] & 0x01 != 0, cdb[2]);
        let data = match (vital, page) {
            (true, page) => inquiry::page(lun, page, &self.geometry, &self.target)?,
            (false, 0) => inquiry::standard(lun),
            _ => return check(Sense::INVALID_FIELD),
        };
        Ok(reply(data, be16(cdb, 3)))
    }

    fn request_sense(&mut self, nexus: &Nexus, lun: Option<u16>, cdb: &Cdb) -> Planned {
        let sense = match lun {
            Some(DISK_LUN) => self.take_attention(nexus).unwrap_or(Sense::NONE),
            Some(0) => Sense::NONE,
            _ => Sense::NO_SUCH_UNIT,
        };
        let data = if cdb[1] & 0x01 != 0 {
            sense.encode_descriptor()
        } else {
            sense.encode().to_vec()
        };
        Ok(reply(data, u64::from(cdb[4])))
    }

    fn read_capacity_10(&self, cdb: &Cdb) -> Planned {
        let partial = cdb[8] & 0x01 != 0;
        if !partial && field::be32(cdb, 2) != Some(0) {
            return check(Sense::INVALID_FIELD);
        }
        let last = u32::try_from(self.geometry.blocks.saturating_sub(1)).unwrap_or(u32::MAX);
        let mut data = last.to_be_bytes().to_vec();
        data.extend_from_slice(&self.geometry.block_size.to_be_bytes());
        Ok(Plan::Reply(data))
    }

    fn service_action_in(&self, cdb: &Cdb) -> Planned {
        if cdb[1] & 0x1f != cdb::action::READ_CAPACITY_16 {
            return check(Sense::INVALID_FIELD);
        }
        let mut data = vec![0; 32];
        let last = self.geometry.blocks.saturating_sub(1);
        field::put(&mut data, 0, &last.to_be_bytes());
        field::put(&mut data, 8, &self.geometry.block_size.to_be_bytes());
        data[13] = self.geometry.physical_exponent & 0x0f;
        // Blocks can be unmapped, and read as zeros then (LBPME, LBPRZ).
        data[14] = if self.geometry.unmap { 0xc0 } else { 0 };
        let room = field::be32(cdb, 10).unwrap_or(0);
        Ok(reply(data, u64::from(room)))
    }

    /// What a command reads or writes. Protection information is not supported.
    fn transfer(&self, cdb: &Cdb) -> Result<Range, Refused> {
        let six = cdb[0] < 0x20;
        if !six && cdb[1] >> 5 != 0 {
            return check(Sense::INVALID_FIELD);
        }
        let range = self.range(cdb)?;
        let limit = u64::from(self.geometry.transfer_limit());
        if range.length > limit * u64::from(self.geometry.block_size) {
            return check(Sense::INVALID_FIELD);
        }
        Ok(range)
    }

    fn range(&self, cdb: &Cdb) -> Result<Range, Refused> {
        let blocks = Blocks::decode(cdb).ok_or(Refused::Check(Sense::INVALID_FIELD))?;
        self.blocks(blocks.first, blocks.count)
    }

    fn blocks(&self, first: u64, count: u64) -> Result<Range, Refused> {
        let end = first.checked_add(count);
        if end.is_none_or(|end| end > self.geometry.blocks) {
            return check(Sense::OUT_OF_RANGE);
        }
        let size = u64::from(self.geometry.block_size);
        Ok(Range {
            offset: first * size,
            length: count * size,
        })
    }

    fn writable(&self) -> Result<(), Refused> {
        if self.geometry.read_only || self.control.write_protect {
            return check(Sense::WRITE_PROTECTED);
        }
        Ok(())
    }

    fn write(&self, cdb: &Cdb) -> Planned {
        let range = self.transfer(cdb)?;
        self.writable()?;
        let verifies = matches!(
            cdb[0],
            op::WRITE_AND_VERIFY_10 | op::WRITE_AND_VERIFY_12 | op::WRITE_AND_VERIFY_16
        );
        // FUA; six bytes have no room for it. What is to be verified has to be on the medium.
        let sync = verifies || cdb[0] >= 0x20 && cdb[1] & 0x08 != 0;
        Ok(Plan::Write { range, sync })
    }

    fn verify(&self, cdb: &Cdb) -> Planned {
        let range = self.transfer(cdb)?;
        match cdb[1] >> 1 & 0x03 {
            0 => Ok(Plan::Disk(DiskOp::Verify(range))),
            1 => Ok(Plan::Compare(range)),
            _ => check(Sense::INVALID_FIELD),
        }
    }

    fn write_same(&self, cdb: &Cdb) -> Planned {
        let long = cdb[0] == op::WRITE_SAME_16;
        let (unmap, no_data) = (cdb[1] & 0x08 != 0, long && cdb[1] & 0x01 != 0);
        // Neither protection, anchors nor counting blocks (PBDATA, LBDATA).
        if cdb[1] & 0xf6 != 0 || unmap && !self.geometry.unmap {
            return check(Sense::INVALID_FIELD);
        }
        let range = self.range(cdb)?;
        self.writable()?;
        let size = self.geometry.block_size;
        let limit = u64::from(self.geometry.zero_limit()) * u64::from(size);
        if range.length == 0 || range.length > limit {
            return check(Sense::INVALID_FIELD);
        }
        if no_data {
            return Ok(Plan::Disk(DiskOp::Discard(vec![range])));
        }
        Ok(Plan::Collect {
            length: size,
            deferred: Deferred(DeferredCommand::WriteSame { range, unmap }),
        })
    }

    fn unmap(&self, cdb: &Cdb) -> Planned {
        if !self.geometry.unmap {
            return check(Sense::INVALID_OPCODE);
        }
        // No anchors.
        if cdb[1] & 0x01 != 0 {
            return check(Sense::INVALID_FIELD);
        }
        self.writable()?;
        Ok(Plan::Collect {
            length: u32::from(field16(cdb, 7)),
            deferred: Deferred(DeferredCommand::Unmap),
        })
    }

    /// The parameters of UNMAP (SBC-3 §5.28).
    fn unmap_list(&self, data: &[u8]) -> Planned {
        if data.is_empty() {
            return Ok(Plan::Reply(Vec::new()));
        }
        let length = usize::from(field::be16(data, 2).unwrap_or(0));
        let (Some(list), true) = (data.get(8..), data.len() >= 8) else {
            return check(Sense::PARAMETER_LENGTH);
        };
        // What is cut off by the length of the list is ignored.
        let (descriptors, _) = list.get(..length).unwrap_or(list).as_chunks::<16>();
        let too_many = descriptors.len() > self.geometry.descriptor_limit() as usize;
        let mut total = 0;
        let mut ranges = Vec::new();
        for descriptor in descriptors {
            let first = field::be64(descriptor, 0).unwrap_or(0);
            let count = u64::from(field::be32(descriptor, 8).unwrap_or(0));
            total += count;
            let range = self.blocks(first, count)?;
            if range.length > 0 {
                ranges.push(range);
            }
        }
        if too_many || total > u64::from(self.geometry.zero_limit()) {
            return check(Sense::INVALID_PARAMETER);
        }
        Ok(Plan::Disk(DiskOp::Discard(ranges)))
    }

    fn compare_and_write(&self, cdb: &Cdb) -> Planned {
        if cdb[1] >> 5 != 0 || cdb[13] > self.geometry.compare_limit() {
            return check(Sense::INVALID_FIELD);
        }
        let range = self.range(cdb)?;
        self.writable()?;
        if range.length == 0 {
            return Ok(Plan::Reply(Vec::new()));
        }
        let length = u32::try_from(range.length * 2).unwrap_or(u32::MAX);
        Ok(Plan::Collect {
            length: collectable(length)?,
            deferred: Deferred(DeferredCommand::CompareAndWrite {
                offset: range.offset,
            }),
        })
    }
}

impl Session {
    /// The same condition is reported once.
    fn notify(&mut self, sense: Sense) {
        if self.attentions.len() < ATTENTION_LIMIT && !self.attentions.contains(&sense) {
            self.attentions.push_back(sense);
        }
    }
}

/// What a command does to the medium (SPC-4 table 46, SBC-3 table 13).
fn medium_access(cdb: &Cdb) -> MediumAccess {
    match cdb[0] {
        op::READ_6
        | op::READ_10
        | op::READ_12
        | op::READ_16
        | op::VERIFY_10
        | op::VERIFY_12
        | op::VERIFY_16
        | op::PREFETCH_10
        | op::PREFETCH_16 => MediumAccess::Read,
        op::WRITE_6
        | op::WRITE_10
        | op::WRITE_12
        | op::WRITE_16
        | op::WRITE_AND_VERIFY_10
        | op::WRITE_AND_VERIFY_12
        | op::WRITE_AND_VERIFY_16
        | op::WRITE_SAME_10
        | op::WRITE_SAME_16
        | op::UNMAP
        | op::COMPARE_AND_WRITE
        | op::SYNCHRONIZE_CACHE_10
        | op::SYNCHRONIZE_CACHE_16
        | op::MODE_SELECT_6
        | op::MODE_SELECT_10
        | op::RESERVE_6
        | op::RESERVE_10
        | op::RELEASE_6
        | op::RELEASE_10 => MediumAccess::Write,
        _ => MediumAccess::None,
    }
}

/// An answer that is cut to the room that the initiator has.
fn reply(mut data: Vec<u8>, room: u64) -> Plan {
    data.truncate(usize::try_from(room).unwrap_or(usize::MAX));
    Plan::Reply(data)
}

fn field16(cdb: &Cdb, at: usize) -> u16 {
    field::be16(cdb, at).unwrap_or(0)
}

fn be16(cdb: &Cdb, at: usize) -> u64 {
    u64::from(field16(cdb, at))
}

fn collectable(length: u32) -> Result<u32, Refused> {
    if length > PARAMETER_LIMIT {
        return check(Sense::PARAMETER_LENGTH);
    }
    Ok(length)
}

/// Both units.
fn report_luns(cdb: &Cdb) -> Planned {
    let room = field::be32(cdb, 6).unwrap_or(0);
    if cdb[2] > 2 || room < 16 {
        return check(Sense::INVALID_FIELD);
    }
    let units: &[u16] = match cdb[2] {
        // Well known logical units: there are none.
        1 => &[],
        _ => &[0, DISK_LUN],
    };
    let length = u32::try_from(units.len() * 8).unwrap_or(0);
    let mut data = length.to_be_bytes().to_vec();
    data.extend_from_slice(&[0; 4]);
    for unit in units {
        data.extend_from_slice(&crate::iscsi::pdu::encode_lun(*unit).to_be_bytes());
    }
    Ok(reply(data, u64::from(room)))
}

fn maintenance_in(cdb: &Cdb) -> Planned {
    if cdb[1] & 0x1f != cdb::action::REPORT_SUPPORTED_OPCODES {
        return check(Sense::INVALID_FIELD);
    }
    let room = field::be32(cdb, 6).unwrap_or(0);
    Ok(reply(opcodes::report(cdb)?, u64::from(room)))
}

fn mode_select(cdb: &Cdb, long: bool, length: u32) -> Planned {
    // Pages in their standard format (PF), and nothing is saved (SP).
    if cdb[1] & 0x10 == 0 || cdb[1] & 0x01 != 0 {
        return check(Sense::INVALID_FIELD);
    }
    Ok(Plan::Collect {
        length: collectable(length)?,
        deferred: Deferred(DeferredCommand::ModeSelect { long }),
    })
}

/// The medium can neither be ejected nor stopped; what a stop promises is that the cache is written.
fn start_stop(cdb: &Cdb) -> Planned {
    if cdb[4] & 0x02 != 0 {
        return check(Sense::INVALID_FIELD);
    }
    Ok(Plan::Disk(DiskOp::Flush))
}
