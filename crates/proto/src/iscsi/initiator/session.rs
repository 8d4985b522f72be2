//! A session in its full feature phase, as the initiator sees it: commands, data, pings, the end.

use crate::iscsi::{
    DecodeError, NO_TAG,
    frame::{Frame, Framing},
    negotiation::Parameters,
    pdu::{
        Bhs, DataIn, DataOut, FINAL, LogoutRequest, NopIn, NopOut, Pdu, R2t, ScsiCommand,
        ScsiResponse, TaskRequest, TextRequest, TextResponse, command_flags, data_flags,
        encode_lun, text_flags,
    },
    scsi::{Sense, cdb::Cdb, status},
    sequence,
    text::{Assembler, Pairs},
};
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};

/// Data that a command takes or brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    None,
    /// As many bytes as there is room for.
    Read(u32),
    Write(Bytes),
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub lun: u16,
    pub cdb: Cdb,
    pub payload: Payload,
}

/// What can be called back (RFC 7143 §11.5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskFunction {
    AbortTask(u32),
    ResetUnit(u16),
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A part of what a command reads.
    Data {
        task: u32,
        offset: u32,
        data: Bytes,
    },
    /// A command ended.
    Done {
        task: u32,
        status: u8,
        sense: Option<Sense>,
        /// Bytes that the target did not transfer.
        underflow: u32,
    },
    /// The target refused a PDU.
    Rejected {
        task: u32,
        reason: u8,
    },
    /// The answer to a text request.
    Text(Pairs),
    /// The answer to a ping.
    Pong,
    /// The answer to task management: 0 is success.
    Managed {
        task: u32,
        response: u8,
    },
    /// The target wants the session to end, or ends it.
    LogoutRequested,
    LoggedOut,
}

/// Why a session cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error("the target is against the protocol: {0}")]
    Protocol(&'static str),
}

#[derive(Debug)]
struct Task {
    payload: Payload,
    lun: u64,
    /// How much data came, for commands that read.
    received: u32,
    data_sn: u32,
}

/// A session.
#[derive(Debug)]
pub struct Session {
    parameters: Parameters,
    cmd_sn: u32,
    max_cmd_sn: u32,
    exp_stat_sn: u32,
    next_task: u32,
    tasks: HashMap<u32, Task>,
    text: Assembler,
    control: VecDeque<(Bhs, Bytes)>,
    data: VecDeque<(Bhs, Bytes)>,
    events: VecDeque<Event>,
}

impl Session {
    /// After a login that began with `cmd_sn`.
    pub fn new(parameters: Parameters, cmd_sn: u32, exp_stat_sn: u32) -> Self {
        Self {
            parameters,
            cmd_sn,
            // One command may be sent before the target says how many.
            max_cmd_sn: cmd_sn,
            exp_stat_sn,
            next_task: 1,
            tasks: HashMap::new(),
            text: Assembler::default(),
            control: VecDeque::new(),
            data: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    pub fn receive_framing(&self) -> Framing {
        self.parameters.receive_framing()
    }

    pub fn send_framing(&self) -> Framing {
        self.parameters.send_framing()
    }

    /// Whether the target takes another command.
    pub fn has_room(&self) -> bool {
        !sequence::before(self.max_cmd_sn, self.cmd_sn)
    }

    /// Sends a command; its task tag. Without room it waits for none: ask [`Self::has_room`].
    pub fn submit(&mut self, command: Command) -> u32 {
        let task = self.next_tag();
        let lun = encode_lun(command.lun);
        let (flags, expected_length) = match &command.payload {
            Payload::None => (0, 0),
            Payload::Read(room) => (command_flags::READ, *room),
            Payload::Write(data) => (command_flags::WRITE, length(data)),
        };
        let (immediate, unsolicited) = self.split_first_burst(&command.payload);
        let follows = if unsolicited.is_empty() { FINAL } else { 0 };
        let pdu = ScsiCommand {
            flags: flags | command_flags::SIMPLE | follows,
            lun,
            task,
            expected_length,
            cdb: command.cdb,
        };
        let mut bhs = pdu.encode();
        bhs.set_cmd_sn(self.cmd_sn);
        self.cmd_sn = self.cmd_sn.wrapping_add(1);
        let start = length(&immediate);
        self.data.push_back((bhs, immediate));
        self.send_burst(task, lun, NO_TAG, start, unsolicited);
        let state = Task {
            payload: command.payload,
            lun,
            received: 0,
            data_sn: 0,
        };
        self.tasks.insert(task, state);
        task
    }

    /// What goes with the command, and what follows it without being asked for.
    fn split_first_burst(&self, payload: &Payload) -> (Bytes, Bytes) {
        let Payload::Write(data) = payload else {
            return (Bytes::new(), Bytes::new());
        };
        let burst = data.len().min(self.parameters.first_burst as usize);
        let immediate = match self.parameters.immediate_data {
            true => burst.min(self.parameters.send_segment as usize),
            false => 0,
        };
        let unsolicited = match self.parameters.initial_r2t {
            true => immediate,
            false => burst,
        };
        (data.slice(..immediate), data.slice(immediate..unsolicited))
    }

    /// Data in segments, of which the last closes the burst.
    fn send_burst(&mut self, task: u32, lun: u64, transfer: u32, start: u32, data: Bytes) {
        let segment = self.parameters.send_segment.max(512) as usize;
        let (mut at, mut data_sn) = (0, 0);
        while at < data.len() {
            let end = data.len().min(at + segment);
            let pdu = DataOut {
                flags: if end == data.len() { FINAL } else { 0 },
                lun,
                task,
                transfer,
                data_sn,
                offset: start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)),
            };
            self.data.push_back((pdu.encode(), data.slice(at..end)));
            data_sn += 1;
            at = end;
        }
    }

    /// Pings the target; [`Event::Pong`] is the answer.
    pub fn ping(&mut self) {
        let pdu = NopOut {
            flags: FINAL,
            task: self.next_tag(),
            transfer: NO_TAG,
            ..NopOut::default()
        };
        self.queue_immediate(pdu.encode(), Bytes::new());
    }

    /// Asks for the targets behind this address.
    pub fn send_targets(&mut self) {
        let mut pairs = Pairs::default();
        pairs.push("SendTargets", "All");
        let pdu = TextRequest {
            flags: FINAL,
            task: self.next_tag(),
            transfer: NO_TAG,
            ..TextRequest::default()
        };
        self.queue_immediate(pdu.encode(), pairs.encode());
    }

    /// Calls commands back; the tag of the request.
    pub fn manage(&mut self, function: TaskFunction) -> u32 {
        let task = self.next_tag();
        let mut pdu = TaskRequest {
            task,
            referenced: NO_TAG,
            ..TaskRequest::default()
        };
        match function {
            TaskFunction::AbortTask(referenced) => {
                pdu.function = FINAL | 1;
                pdu.referenced = referenced;
                pdu.lun = self.tasks.get(&referenced).map_or(0, |task| task.lun);
            }
            TaskFunction::ResetUnit(lun) => {
                pdu.function = FINAL | 5;
                pdu.lun = encode_lun(lun);
            }
        }
        self.queue_immediate(pdu.encode(), Bytes::new());
        task
    }

    /// Ends the session; [`Event::LoggedOut`] is the answer.
    pub fn logout(&mut self) {
        let pdu = LogoutRequest {
            reason: FINAL,
            task: self.next_tag(),
            ..LogoutRequest::default()
        };
        self.queue_immediate(pdu.encode(), Bytes::new());
    }

    /// Immediate PDUs carry the number of the next command and do not use it up.
    fn queue_immediate(&mut self, bhs: Bhs, data: Bytes) {
        let mut bhs = bhs.immediate();
        bhs.set_cmd_sn(self.cmd_sn);
        self.control.push_back((bhs, data));
    }

    fn next_tag(&mut self) -> u32 {
        loop {
            let tag = self.next_task;
            self.next_task = self.next_task.wrapping_add(1);
            if tag != NO_TAG && !self.tasks.contains_key(&tag) {
                return tag;
            }
        }
    }

    /// The next PDU to send.
    pub fn output(&mut self) -> Option<(Bhs, Bytes)> {
        let (mut bhs, data) = self.control.pop_front().or_else(|| self.data.pop_front())?;
        bhs.set_exp_stat_sn(self.exp_stat_sn);
        Some((bhs, data))
    }

    /// Takes the next event.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Takes a PDU in.
    pub fn receive(&mut self, frame: Frame) -> Result<(), SessionError> {
        let Frame { bhs, data } = frame;
        let pdu = Pdu::decode(&bhs)?;
        self.learn_window(&bhs);
        match pdu {
            Pdu::DataIn(pdu) => {
                if pdu.flags & data_flags::STATUS != 0 {
                    self.learn_status(&bhs);
                }
                self.receive_data(&pdu, data)?;
            }
            Pdu::R2t(pdu) => self.answer_r2t(&pdu)?,
            Pdu::NopIn(nop) => self.receive_nop(&bhs, &nop, &data),
            Pdu::ScsiResponse(response) => {
                self.learn_status(&bhs);
                self.receive_response(&response, &data);
            }
            Pdu::TextResponse(response) => {
                self.learn_status(&bhs);
                self.receive_text(&response, &data)?;
            }
            Pdu::TaskResponse(response) => {
                self.learn_status(&bhs);
                let (task, response) = (response.task, response.response);
                self.events.push_back(Event::Managed { task, response });
            }
            Pdu::LogoutResponse(_) => {
                self.learn_status(&bhs);
                self.events.push_back(Event::LoggedOut);
            }
            Pdu::AsyncMessage(message) => {
                self.learn_status(&bhs);
                // Events 1 to 4 are about the session; 0 is about the unit, which will say so
                // again at the next command.
                if (1..=4).contains(&message.event) {
                    self.events.push_back(Event::LogoutRequested);
                }
            }
            Pdu::Reject(pdu) => {
                self.learn_status(&bhs);
                let header = data
                    .first_chunk()
                    .ok_or(SessionError::Protocol("a reject"))?;
                let task = Bhs(*header).task();
                self.tasks.remove(&task);
                let reason = pdu.reason;
                self.events.push_back(Event::Rejected { task, reason });
            }
            _ => return Err(SessionError::Protocol("a PDU of an initiator came")),
        }
        Ok(())
    }

    /// RFC 7143 §4.2.2.1: what is older than what is known is ignored.
    fn learn_window(&mut self, bhs: &Bhs) {
        let (exp, max) = (bhs.exp_cmd_sn(), bhs.max_cmd_sn());
        let sane = !sequence::before(max, exp.wrapping_sub(1));
        if sane && sequence::before(self.max_cmd_sn, max) {
            self.max_cmd_sn = max;
        }
    }

    fn learn_status(&mut self, bhs: &Bhs) {
        self.exp_stat_sn = bhs.stat_sn().wrapping_add(1);
    }

    fn receive_data(&mut self, pdu: &DataIn, data: Bytes) -> Result<(), SessionError> {
        // The command may have been called back.
        let Some(task) = self.tasks.get_mut(&pdu.task) else {
            return Ok(());
        };
        let end = pdu.offset.checked_add(length(&data));
        let fits =
            matches!(task.payload, Payload::Read(room) if end.is_some_and(|end| end <= room));
        if !fits || pdu.offset != task.received || pdu.data_sn != task.data_sn {
            return Err(SessionError::Protocol("data came that does not fit"));
        }
        task.received += length(&data);
        task.data_sn = task.data_sn.wrapping_add(1);
        self.events.push_back(Event::Data {
            task: pdu.task,
            offset: pdu.offset,
            data,
        });
        if pdu.flags & data_flags::STATUS != 0 {
            self.tasks.remove(&pdu.task);
            self.events.push_back(Event::Done {
                task: pdu.task,
                status: pdu.status,
                sense: None,
                underflow: underflow(pdu.flags, pdu.residual),
            });
        }
        Ok(())
    }

    fn receive_response(&mut self, response: &ScsiResponse, data: &[u8]) {
        if self.tasks.remove(&response.task).is_none() {
            return;
        }
        let sense = data.split_first_chunk::<2>();
        let sense = sense.and_then(|(_, sense)| Sense::decode(sense));
        // A response other than 0 means that the target failed without a status.
        let status = match response.response {
            0 => response.status,
            _ => status::BUSY,
        };
        self.events.push_back(Event::Done {
            task: response.task,
            status,
            sense,
            underflow: underflow(response.flags, response.residual),
        });
    }

    fn answer_r2t(&mut self, pdu: &R2t) -> Result<(), SessionError> {
        let Some(task) = self.tasks.get(&pdu.task) else {
            return Ok(());
        };
        let Payload::Write(data) = &task.payload else {
            return Err(SessionError::Protocol("data is asked of a command without"));
        };
        let end = pdu.offset.checked_add(pdu.length);
        let Some(end) = end.filter(|end| *end as usize <= data.len() && pdu.length > 0) else {
            return Err(SessionError::Protocol(
                "data is asked for that is not there",
            ));
        };
        let data = data.slice(pdu.offset as usize..end as usize);
        let lun = task.lun;
        self.send_burst(pdu.task, lun, pdu.transfer, pdu.offset, data);
        Ok(())
    }

    fn receive_nop(&mut self, bhs: &Bhs, nop: &NopIn, data: &Bytes) {
        if nop.task != NO_TAG {
            self.learn_status(bhs);
            self.events.push_back(Event::Pong);
        }
        if nop.transfer != NO_TAG {
            let pdu = NopOut {
                flags: FINAL,
                lun: nop.lun,
                task: NO_TAG,
                transfer: nop.transfer,
            };
            let room = self.parameters.send_segment as usize;
            let data = data.slice(..data.len().min(room));
            self.queue_immediate(pdu.encode(), data);
        }
    }

    fn receive_text(&mut self, response: &TextResponse, data: &[u8]) -> Result<(), SessionError> {
        let continues = response.flags & text_flags::CONTINUE != 0 || response.flags & FINAL == 0;
        match self.text.part(data, continues)? {
            Some(pairs) => self.events.push_back(Event::Text(pairs)),
            None => {
                let pdu = TextRequest {
                    flags: FINAL,
                    task: response.task,
                    transfer: response.transfer,
                    ..TextRequest::default()
                };
                self.queue_immediate(pdu.encode(), Bytes::new());
            }
        }
        Ok(())
    }
}

fn length(data: &Bytes) -> u32 {
    u32::try_from(data.len()).unwrap_or(u32::MAX)
}

fn underflow(flags: u8, residual: u32) -> u32 {
    if flags & data_flags::UNDERFLOW != 0 {
        residual
    } else {
        0
    }
}
