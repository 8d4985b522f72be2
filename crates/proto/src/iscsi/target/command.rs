//! Commands and their data: what is asked of the disk, when data is asked for, and how a command
//! ends.

use super::{
    connection::{Connection, Job, JobResult, QUEUE_DEPTH, Queued, StatSn},
    task::{Burst, DataSink, Residual, Task, Transfer, Write, expected_lengths},
};
use crate::iscsi::{
    NO_TAG,
    pdu::{
        Bhs, DataIn, DataOut, FINAL, Pdu, R2t, ScsiCommand, ScsiResponse, data_flags, decode_lun,
        reject,
    },
    scsi::{DiskOp, Plan, Range, Refused, Sense, Unit, status},
};
use bytes::{Bytes, BytesMut};

/// How much data a connection asks for or holds at a time. An initiator can send more without
/// having been asked: the window times the first burst.
const HELD_LIMIT: u64 = 16 << 20;

/// How much is read from the disk at a time.
const READ_CHUNK: u64 = 1 << 20;

/// From so many pieces on they are put together: tiny ones cost more than their data.
const PIECES: usize = 256;

/// How much is written to the disk at a time.
const WRITE_CHUNK: u32 = 1 << 20;

impl Connection {
    pub(super) fn receive_command(
        &mut self,
        unit: &mut Unit,
        bhs: &Bhs,
        command: &ScsiCommand,
        data: Bytes,
    ) {
        let id = command.task;
        let Some(nexus) = self.nexus.clone() else {
            return;
        };
        if self.tasks.contains_key(&id) {
            return self.reject(bhs, reject::TASK_IN_PROGRESS);
        }
        // Immediate commands have no window; there is a limit all the same.
        if self.tasks.len() >= 2 * QUEUE_DEPTH as usize {
            return self.respond(
                unit,
                id,
                status::TASK_SET_FULL,
                None,
                Residual::default(),
                0,
            );
        }
        let plan = unit.plan(&nexus, decode_lun(command.lun), &command.cdb);
        let (takes, has) = expected_lengths(command);
        match plan {
            Err(refused) => {
                let residual = Residual::new(command.expected_length, 0);
                self.refuse(unit, id, refused, residual, 0);
            }
            Ok(Plan::Reply(reply)) => self.reply(unit, command, takes, reply),
            Ok(Plan::Read(range)) => self.start_read(unit, command, takes, range),
            Ok(Plan::Disk(op)) => {
                let residual = Residual::new(command.expected_length, 0);
                self.insert_task(command, Transfer::Single, residual);
                self.submit(id, op);
            }
            Ok(Plan::Write { range, sync }) => {
                let sink = DataSink::Medium { sync };
                self.start_write(unit, command, has, range, sink, data);
            }
            Ok(Plan::Compare(range)) => {
                self.start_write(unit, command, has, range, DataSink::Compare, data);
            }
            Ok(Plan::Collect { length, deferred }) => {
                let range = Range {
                    offset: 0,
                    length: u64::from(length),
                };
                if has < length {
                    let residual = Residual::new(has, u64::from(length));
                    let refused = Refused::Check(Sense::INVALID_FIELD);
                    return self.refuse(unit, id, refused, residual, 0);
                }
                let sink = DataSink::Parameters(Some(deferred));
                self.start_write(unit, command, has, range, sink, data);
            }
        }
    }

    fn insert_task(&mut self, command: &ScsiCommand, transfer: Transfer, residual: Residual) {
        let task = Task {
            lun: command.lun,
            transfer,
            jobs: 0,
            aborted: false,
            data_sn: 0,
            residual,
            held: 0,
        };
        self.tasks.insert(command.task, task);
    }

    /// An answer that is there already.
    fn reply(&mut self, unit: &Unit, command: &ScsiCommand, takes: u32, mut data: Vec<u8>) {
        let residual = Residual::new(takes, data.len() as u64);
        data.truncate(takes as usize);
        if data.is_empty() {
            return self.respond(unit, command.task, status::GOOD, None, residual, 0);
        }
        self.insert_task(command, Transfer::Single, residual);
        self.hold(command.task, data.len() as u64);
        self.send_data(command.task, data.into(), 0, true);
    }

    fn start_read(&mut self, unit: &Unit, command: &ScsiCommand, takes: u32, range: Range) {
        let residual = Residual::new(takes, range.length);
        let rest = Range {
            length: range.length.min(u64::from(takes)),
            ..range
        };
        if rest.length == 0 {
            return self.respond(unit, command.task, status::GOOD, None, residual, 0);
        }
        self.insert_task(command, Transfer::Read { rest, sent: 0 }, residual);
        self.waiting.push_back(command.task);
        self.proceed();
    }

    fn start_write(
        &mut self,
        unit: &mut Unit,
        command: &ScsiCommand,
        has: u32,
        range: Range,
        sink: DataSink,
        data: Bytes,
    ) {
        let id = command.task;
        let residual = Residual::new(has, range.length);
        let total = u32::try_from(range.length).unwrap_or(u32::MAX).min(has);
        let first_burst = self.parameters.first_burst.min(has);
        // Without the final bit data follows that nobody asked for.
        let follows = command.flags & FINAL == 0 && has > 0;
        let burst = Burst {
            transfer: None,
            end: first_burst,
            data_sn: 0,
        };
        let mut write = Write {
            offset: range.offset,
            total,
            received: 0,
            burst: follows.then_some(burst),
            gathered: Vec::new(),
            gathered_bytes: 0,
            sink,
            failed: None,
        };
        let allowed = data.is_empty() || self.parameters.immediate_data;
        if !allowed || data.len() > first_burst as usize || follows && self.parameters.initial_r2t {
            (write.failed, write.burst) = (Some(Sense::UNEXPECTED_DATA), None);
        }
        self.insert_task(command, Transfer::Write(write), residual);
        self.absorb(id, data, false);
        self.go_on_writing(unit, id);
    }

    /// Data of a command.
    pub(super) fn receive_data(&mut self, unit: &mut Unit, pdu: &DataOut, data: Bytes) {
        // The command may have failed before all of its data was there.
        let Some(Task {
            transfer: Transfer::Write(write),
            ..
        }) = self.tasks.get_mut(&pdu.task)
        else {
            return;
        };
        let Some(burst) = write.burst.as_mut() else {
            return;
        };
        let transfer = burst.transfer.unwrap_or(NO_TAG);
        if pdu.transfer != transfer {
            return;
        }
        let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let end = pdu.offset.checked_add(length);
        let fits = end.is_some_and(|end| end <= burst.end);
        let last = pdu.flags & FINAL != 0;
        let solicited = burst.transfer.is_some();
        let complete = !last || !solicited || end == Some(burst.end);
        let follows = pdu.offset == write.received && pdu.data_sn == burst.data_sn;
        if !fits || !follows || !complete {
            write.failed.get_or_insert(Sense::DATA_OFFSET);
        }
        burst.data_sn = burst.data_sn.wrapping_add(1);
        if last || write.failed.is_some() {
            write.burst = None;
        }
        self.absorb(pdu.task, data, solicited);
        self.go_on_writing(unit, pdu.task);
    }

    /// Takes data for a command; what exceeds it is dropped. Data that was asked for is held since
    /// then.
    fn absorb(&mut self, id: u32, data: Bytes, solicited: bool) {
        let Some(Task {
            transfer: Transfer::Write(write),
            ..
        }) = self.tasks.get_mut(&id)
        else {
            return;
        };
        if write.failed.is_some() || data.is_empty() {
            return;
        }
        let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let used = write.total.saturating_sub(write.received).min(length);
        write.received = write.received.saturating_add(length);
        if used > 0 {
            if write.gathered.len() >= PIECES {
                let joined = join(std::mem::take(&mut write.gathered));
                write.gathered.push(joined);
            }
            write.gathered.push(data.slice(..used as usize));
            write.gathered_bytes += used;
        }
        if !solicited {
            self.hold(id, u64::from(used));
        }
    }

    /// Gives data to the disk, asks for more, or ends the command.
    fn go_on_writing(&mut self, unit: &mut Unit, id: u32) {
        let Some(Task {
            transfer: Transfer::Write(write),
            jobs,
            aborted: false,
            ..
        }) = self.tasks.get_mut(&id)
        else {
            return;
        };
        let (complete, between_bursts) = (write.is_complete(), write.burst.is_none());
        let parameters = matches!(write.sink, DataSink::Parameters(_));
        let enough = between_bursts || write.gathered_bytes >= WRITE_CHUNK;
        if write.failed.is_none() && enough && !parameters && write.gathered_bytes > 0 {
            let offset = write.offset;
            write.offset += u64::from(std::mem::take(&mut write.gathered_bytes));
            let data = std::mem::take(&mut write.gathered);
            let op = match write.sink {
                DataSink::Compare => DiskOp::Compare { offset, data },
                _ => DiskOp::Write { offset, data },
            };
            self.submit(id, op);
        } else if complete && *jobs == 0 {
            return self.finish_write(unit, id);
        }
        if !complete && between_bursts && !self.waiting.contains(&id) {
            self.waiting.push_back(id);
            self.proceed();
        }
    }

    /// All data is there and on the disk, or the command failed.
    fn finish_write(&mut self, unit: &mut Unit, id: u32) {
        let (Some(nexus), Some(task)) = (self.nexus.clone(), self.tasks.get_mut(&id)) else {
            return;
        };
        let Transfer::Write(write) = &mut task.transfer else {
            return;
        };
        if let Some(sense) = write.failed {
            return self.finish(unit, id, Err(Refused::Check(sense)));
        }
        match &mut write.sink {
            DataSink::Medium { sync } => match std::mem::take(sync) {
                true => self.submit(id, DiskOp::Flush),
                false => self.finish(unit, id, Ok(())),
            },
            DataSink::Compare => self.finish(unit, id, Ok(())),
            DataSink::Parameters(deferred) => {
                let Some(deferred) = deferred.take() else {
                    return self.finish(unit, id, Ok(()));
                };
                let data = join(std::mem::take(&mut write.gathered));
                match unit.finish(&nexus, deferred, data) {
                    Ok(Plan::Disk(op)) => self.submit(id, op),
                    Ok(_) => self.finish(unit, id, Ok(())),
                    Err(refused) => self.finish(unit, id, Err(refused)),
                }
            }
        }
    }

    /// Lets commands go on that wait for room.
    fn proceed(&mut self) {
        while let Some(&id) = self.waiting.front() {
            let Some(task) = self.tasks.get_mut(&id).filter(|task| !task.aborted) else {
                self.waiting.pop_front();
                continue;
            };
            let room = HELD_LIMIT.saturating_sub(self.held_bytes);
            match &mut task.transfer {
                Transfer::Read { rest, .. } => {
                    let chunk = READ_CHUNK.min(u64::from(self.parameters.max_burst));
                    let length = rest.length.min(chunk);
                    if length > room && self.held_bytes > 0 {
                        return;
                    }
                    let offset = rest.offset;
                    rest.offset += length;
                    rest.length -= length;
                    self.waiting.pop_front();
                    self.hold(id, length);
                    self.submit(id, DiskOp::Read(Range { offset, length }));
                }
                Transfer::Write(write) => {
                    let left = write.total.saturating_sub(write.received);
                    let length = left.min(self.parameters.max_burst);
                    if u64::from(length) > room && self.held_bytes > 0 {
                        return;
                    }
                    let (lun, r2t_sn, offset) = (task.lun, task.data_sn, write.received);
                    task.data_sn += 1;
                    self.waiting.pop_front();
                    self.hold(id, u64::from(length));
                    self.send_r2t(id, lun, r2t_sn, offset, length);
                }
                Transfer::Single => {
                    self.waiting.pop_front();
                }
            }
        }
    }

    fn send_r2t(&mut self, id: u32, lun: u64, r2t_sn: u32, offset: u32, length: u32) {
        let transfer = self.next_transfer_tag();
        if let Some(Task {
            transfer: Transfer::Write(write),
            ..
        }) = self.tasks.get_mut(&id)
        {
            write.burst = Some(Burst {
                transfer: Some(transfer),
                end: offset.saturating_add(length),
                data_sn: 0,
            });
        }
        let pdu = R2t {
            flags: FINAL,
            lun,
            task: id,
            transfer,
            r2t_sn,
            offset,
            length,
        };
        self.queue_reply(pdu.encode(), Bytes::new(), StatSn::Next);
    }

    fn submit(&mut self, id: u32, op: DiskOp) {
        let job = self.next_job;
        self.next_job += 1;
        if let Some(task) = self.tasks.get_mut(&id) {
            task.jobs += 1;
        }
        let data = match &op {
            DiskOp::Write { data, .. } | DiskOp::Compare { data, .. } => {
                data.iter().map(|piece| piece.len() as u64).sum()
            }
            _ => 0,
        };
        self.jobs.insert(job, (id, data));
        self.ready.push_back(Job { id: job, op });
    }

    /// The next job for the disk.
    pub fn job(&mut self) -> Option<Job> {
        self.ready.pop_front()
    }

    /// Takes the result of a job in.
    pub fn finished(&mut self, unit: &mut Unit, job: u64, result: JobResult) {
        let Some((id, written)) = self.jobs.remove(&job) else {
            return;
        };
        self.let_go(id, written);
        let Some(task) = self.tasks.get_mut(&id) else {
            return;
        };
        task.jobs = task.jobs.saturating_sub(1);
        if task.aborted {
            self.finish_abort(id);
            return self.proceed();
        }
        let failure = match &result {
            JobResult::Done(_) => None,
            JobResult::Miscompare(at) => Some(Sense::MISCOMPARE.at(*at)),
            JobResult::Failed => Some(match &task.transfer {
                Transfer::Read { .. } => Sense::READ_ERROR,
                _ => Sense::WRITE_ERROR,
            }),
        };
        match (&mut task.transfer, result, failure) {
            (Transfer::Read { rest, sent }, JobResult::Done(data), _) => {
                let offset = *sent;
                *sent += u32::try_from(data.len()).unwrap_or(0);
                let last = rest.length == 0;
                if !last {
                    self.waiting.push_back(id);
                }
                self.send_data(id, data, offset, last);
            }
            (Transfer::Write(write), _, failure) => {
                if let Some(sense) = failure {
                    write.failed.get_or_insert(sense);
                }
                self.go_on_writing(unit, id);
            }
            (_, _, Some(sense)) => self.finish(unit, id, Err(Refused::Check(sense))),
            (_, _, None) => self.finish(unit, id, Ok(())),
        }
        self.proceed();
    }

    /// Data to the initiator, cut into segments; `last` ends the command.
    fn send_data(&mut self, id: u32, data: Bytes, start: u32, last: bool) {
        let segment = self.parameters.send_segment.max(512) as usize;
        let Some(task) = self.tasks.get_mut(&id) else {
            return;
        };
        let (residual, lun) = (task.residual, task.lun);
        let mut at = 0;
        let mut queued = Vec::new();
        while at < data.len() {
            let end = data.len().min(at + segment);
            let closes = end == data.len();
            let mut pdu = DataIn {
                flags: if closes { FINAL } else { 0 },
                lun,
                task: id,
                transfer: NO_TAG,
                data_sn: task.data_sn,
                offset: start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)),
                ..DataIn::default()
            };
            let mut stat_sn = StatSn::Absent;
            if closes && last {
                pdu.flags |= data_flags::STATUS | residual.flags;
                pdu.residual = residual.count;
                stat_sn = StatSn::Advances;
            }
            task.data_sn += 1;
            // From here on it is held by the queue.
            task.held = task.held.saturating_sub((end - at) as u64);
            queued.push((pdu.encode(), data.slice(at..end), stat_sn));
            at = end;
        }
        for (bhs, data, stat_sn) in queued {
            self.queue_reply(bhs, data, stat_sn);
        }
        if last {
            self.remove_task(id);
        }
    }

    /// Ends a command without data.
    pub(super) fn finish(&mut self, unit: &Unit, id: u32, outcome: Result<(), Refused>) {
        let Some(task) = self.remove_task(id) else {
            return;
        };
        match outcome {
            Ok(()) => self.respond(unit, id, status::GOOD, None, task.residual, task.data_sn),
            Err(refused) => self.refuse(unit, id, refused, task.residual, task.data_sn),
        }
    }

    fn refuse(&mut self, unit: &Unit, id: u32, refused: Refused, residual: Residual, data_sn: u32) {
        let (status, sense) = match refused {
            Refused::Check(sense) => (status::CHECK_CONDITION, Some(sense)),
            Refused::Conflict => (status::RESERVATION_CONFLICT, None),
        };
        self.respond(unit, id, status, sense, residual, data_sn);
    }

    fn respond(
        &mut self,
        unit: &Unit,
        id: u32,
        status: u8,
        sense: Option<Sense>,
        residual: Residual,
        data_sn: u32,
    ) {
        let pdu = ScsiResponse {
            flags: FINAL | residual.flags,
            status,
            task: id,
            exp_data_sn: data_sn,
            residual: residual.count,
            ..ScsiResponse::default()
        };
        let data = sense.map_or_else(Bytes::new, |sense| {
            let sense = unit.encode_sense(sense);
            let length = u16::try_from(sense.len()).unwrap_or(0);
            [&length.to_be_bytes()[..], &sense].concat().into()
        });
        self.queue_reply(pdu.encode(), data, StatSn::Advances);
    }

    pub(super) fn remove_task(&mut self, id: u32) -> Option<Task> {
        let task = self.tasks.remove(&id)?;
        // The tag may be used again.
        self.waiting.retain(|waiting| *waiting != id);
        self.held_bytes = self.held_bytes.saturating_sub(task.held);
        Some(task)
    }

    fn hold(&mut self, id: u32, bytes: u64) {
        if let Some(task) = self.tasks.get_mut(&id) {
            task.held += bytes;
            self.held_bytes += bytes;
        }
    }

    fn let_go(&mut self, id: u32, bytes: u64) {
        if let Some(task) = self.tasks.get_mut(&id) {
            let bytes = bytes.min(task.held);
            task.held -= bytes;
            self.held_bytes = self.held_bytes.saturating_sub(bytes);
        }
    }

    /// Data in a reply that leaves, or that is dropped, is no longer held.
    pub(super) fn let_go_of(&mut self, reply: &Queued) {
        if let Ok(Pdu::DataIn(_)) = Pdu::decode(&reply.bhs) {
            self.held_bytes = self.held_bytes.saturating_sub(reply.data.len() as u64);
        }
    }

    pub(super) fn reply_left(&mut self, reply: &Queued) {
        self.let_go_of(reply);
        self.proceed();
    }
}

fn join(pieces: Vec<Bytes>) -> Bytes {
    if let [one] = &pieces[..] {
        return one.clone();
    }
    let mut joined = BytesMut::new();
    for piece in pieces {
        joined.extend_from_slice(&piece);
    }
    joined.freeze()
}
