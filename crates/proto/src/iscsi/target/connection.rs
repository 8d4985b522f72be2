//! A connection from its first PDU to its last: which PDU is answered how, and in which order
//! answers leave.

use super::{
    abort::Abort,
    login::{Access, LoggedIn, Login, PORTAL_GROUP, Progress, Refusal, SessionType},
    task::Task,
};
use crate::iscsi::{
    DecodeError, NO_TAG,
    chap::Challenge,
    frame::{Frame, Framing},
    negotiation::Parameters,
    pdu::{
        AsyncMessage, Bhs, FINAL, LogoutRequest, LogoutResponse, NopIn, NopOut, Pdu, Reject,
        TextRequest, TextResponse, reject, text_flags,
    },
    scsi::{DiskOp, Nexus, Unit},
    sequence,
    text::{Assembler, Pairs},
};
use bytes::Bytes;
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// Commands that an initiator may have under way.
pub(super) const QUEUE_DEPTH: u32 = 64;

/// Answers that wait for an initiator that does not read them: those to pings, which bring their
/// data back, and the others, whose data is limited elsewhere.
const CONTROL_LIMIT: usize = 64;
const REPLY_LIMIT: usize = 4096;

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConnectionError {
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error("the login was refused: {0}")]
    Login(#[from] Refusal),
    #[error("the initiator is against the protocol: {0}")]
    Protocol(&'static str),
}

/// Work for the disk, with a number by which its result is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub id: u64,
    pub op: DiskOp,
}

/// What came of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobResult {
    /// With what was read, where something was.
    Done(Bytes),
    /// The first byte that differs, counted from the start of the job.
    Miscompare(u32),
    /// The medium cannot be read or written.
    Failed,
}

/// A PDU to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    pub bhs: Bhs,
    pub data: Bytes,
    pub framing: Framing,
}

/// What becomes of StatSN when a PDU leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatSn {
    /// The PDU has a status of its own.
    Advances,
    /// It tells the next one.
    Next,
    /// It has none.
    Absent,
}

#[derive(Debug)]
pub(super) struct Queued {
    pub(super) bhs: Bhs,
    pub(super) data: Bytes,
    pub(super) stat_sn: StatSn,
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    pub(super) access: Arc<Access>,
    /// Address and port that the initiator connected to, as SendTargets names them.
    portal: String,
    session: u64,
    login: Option<Login>,
    logged_in: Option<LoggedIn>,
    pub(super) nexus: Option<Nexus>,
    pub(super) parameters: Parameters,
    /// How PDUs are framed that leave now; behind the parameters by one PDU at the end of a login.
    send_framing: Framing,
    stat_sn: u32,
    exp_cmd_sn: u32,
    max_cmd_sn: u32,
    text: Assembler,
    pub(super) tasks: HashMap<u32, Task>,
    /// Jobs under way: the tasks that they belong to, and how much data they write.
    pub(super) jobs: HashMap<u64, (u32, u64)>,
    pub(super) next_job: u64,
    pub(super) ready: VecDeque<Job>,
    /// Tasks that wait for room in memory.
    pub(super) waiting: VecDeque<u32>,
    /// Bytes of data that were asked for or are held, for tasks and in replies.
    pub(super) held_bytes: u64,
    pub(super) next_transfer: u32,
    pub(super) aborts: Vec<Abort>,
    /// Answers to pings, which overtake data.
    control: VecDeque<Queued>,
    pub(super) replies: VecDeque<Queued>,
    logged_out: bool,
}

impl Connection {
    /// `session` is a number that no other connection has. The challenge is random.
    pub fn new(access: Arc<Access>, portal: String, session: u64, challenge: Challenge) -> Self {
        // The identifier of a session is never 0 (RFC 7143 §11.12.6).
        let [.., high, low] = session.to_be_bytes();
        let tsih = u16::from_be_bytes([high, low]).max(1);
        let login = Login::new(Arc::clone(&access), challenge, tsih);
        Self {
            access,
            portal,
            session,
            login: Some(login),
            logged_in: None,
            nexus: None,
            parameters: Parameters::default(),
            send_framing: Framing::default(),
            stat_sn: 0,
            exp_cmd_sn: 0,
            max_cmd_sn: 0,
            text: Assembler::default(),
            tasks: HashMap::new(),
            jobs: HashMap::new(),
            next_job: 0,
            ready: VecDeque::new(),
            waiting: VecDeque::new(),
            held_bytes: 0,
            next_transfer: 0,
            aborts: Vec::new(),
            control: VecDeque::new(),
            replies: VecDeque::new(),
            logged_out: false,
        }
    }

    /// How the next PDU is to be read.
    pub fn receive_framing(&self) -> Framing {
        match self.logged_in {
            Some(_) => self.parameters.receive_framing(),
            None => Framing::default(),
        }
    }

    /// Who logged in, once that is done.
    pub fn logged_in(&self) -> Option<&LoggedIn> {
        self.logged_in.as_ref()
    }

    /// Whether the initiator said goodbye and all was answered.
    pub fn is_over(&self) -> bool {
        self.logged_out && self.control.is_empty() && self.replies.is_empty()
    }

    /// Whether nothing more should be read until answers have left.
    pub fn is_congested(&self) -> bool {
        self.control.len() > CONTROL_LIMIT || self.replies.len() > REPLY_LIMIT
    }

    /// Bytes of data that were asked for or are held.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    #[cfg(test)]
    pub(in crate::iscsi) fn set_parameters(&mut self, parameters: Parameters) {
        self.parameters = parameters;
        self.send_framing = parameters.send_framing();
    }

    /// Whether the disk has nothing left to do for this connection.
    pub fn is_idle(&self) -> bool {
        self.tasks.is_empty() && self.jobs.is_empty() && self.aborts.is_empty()
    }

    /// Frees what the unit keeps for the session.
    pub fn end(&mut self, unit: &mut Unit) {
        if let Some(nexus) = self.nexus.take() {
            unit.detach(&nexus);
        }
    }

    /// Pings the initiator; it answers, or it is gone.
    pub fn ping(&mut self) {
        let ping = NopIn {
            flags: FINAL,
            task: NO_TAG,
            transfer: self.next_transfer_tag(),
            ..NopIn::default()
        };
        self.queue_control(ping.encode(), Bytes::new(), StatSn::Next);
    }

    /// Asks the initiator to log out (RFC 7143 §11.9.1, event 1).
    pub fn request_logout(&mut self, seconds: u16) {
        let message = AsyncMessage {
            flags: FINAL,
            task: NO_TAG,
            event: 1,
            parameter3: seconds,
            ..AsyncMessage::default()
        };
        self.queue_control(message.encode(), Bytes::new(), StatSn::Advances);
    }

    /// Takes a PDU in. After an error the connection is to be closed, once what is queued has left.
    pub fn receive(&mut self, unit: &mut Unit, frame: Frame) -> Result<(), ConnectionError> {
        if self.login.is_some() {
            return self.receive_login(unit, &frame);
        }
        let bhs = frame.bhs;
        let Ok(pdu) = Pdu::decode(&bhs) else {
            self.reject(&bhs, reject::NOT_SUPPORTED);
            return Ok(());
        };
        if self.logged_out {
            return Ok(());
        }
        let discovery = self
            .logged_in
            .as_ref()
            .is_some_and(|session| session.session_type == SessionType::Discovery);
        match pdu {
            Pdu::DataOut(_) if discovery => {}
            Pdu::DataOut(data_out) => self.receive_data(unit, &data_out, frame.data),
            Pdu::Snack(_) => self.reject(&bhs, reject::SNACK),
            _ if !self.is_in_order(&bhs)? => {}
            Pdu::NopOut(nop) => self.answer_ping(&nop, frame.data),
            Pdu::TextRequest(request) => self.answer_text(&request, &frame.data)?,
            Pdu::LogoutRequest(request) => self.answer_logout(&request),
            Pdu::ScsiCommand(command) if !discovery => {
                self.receive_command(unit, &bhs, &command, frame.data);
            }
            Pdu::TaskRequest(request) if !discovery => self.manage_task(unit, &request),
            Pdu::LoginRequest(_) => {
                return Err(ConnectionError::Protocol("a second login"));
            }
            _ => self.reject(&bhs, reject::NOT_SUPPORTED),
        }
        Ok(())
    }

    /// The next PDU to send.
    pub fn output(&mut self) -> Option<Outgoing> {
        let queued = self.control.pop_front().or_else(|| {
            let reply = self.replies.pop_front()?;
            self.reply_left(&reply);
            Some(reply)
        })?;
        let mut bhs = queued.bhs;
        match queued.stat_sn {
            StatSn::Advances => {
                bhs.set_stat_sn(self.stat_sn);
                self.stat_sn = self.stat_sn.wrapping_add(1);
            }
            StatSn::Next => bhs.set_stat_sn(self.stat_sn),
            StatSn::Absent => {}
        }
        bhs.set_window(self.exp_cmd_sn, self.window_end());
        let framing = self.send_framing;
        if self.logged_in.is_some() {
            self.send_framing = self.parameters.send_framing();
        }
        Some(Outgoing {
            bhs,
            data: queued.data,
            framing,
        })
    }

    /// MaxCmdSN: it never goes back (RFC 7143 §4.2.2.1).
    fn window_end(&mut self) -> u32 {
        let used = u32::try_from(self.tasks.len()).unwrap_or(QUEUE_DEPTH);
        let used = used.min(QUEUE_DEPTH);
        let end = self
            .exp_cmd_sn
            .wrapping_add(QUEUE_DEPTH - used)
            .wrapping_sub(1);
        if sequence::before(self.max_cmd_sn, end) {
            self.max_cmd_sn = end;
        }
        self.max_cmd_sn
    }

    fn receive_login(&mut self, unit: &mut Unit, frame: &Frame) -> Result<(), ConnectionError> {
        let (Ok(Pdu::LoginRequest(request)), Some(mut login)) =
            (Pdu::decode(&frame.bhs), self.login.take())
        else {
            return Err(ConnectionError::Protocol("no login"));
        };
        self.exp_cmd_sn = frame.bhs.cmd_sn();
        self.max_cmd_sn = self.exp_cmd_sn.wrapping_add(QUEUE_DEPTH - 1);
        let (response, pairs, progress) = login.request(&request, &frame.data);
        self.queue_control(response.encode(), pairs.encode(), StatSn::Advances);
        match progress {
            Progress::Continues => self.login = Some(login),
            Progress::Finished => {
                let session = login.logged_in();
                self.parameters = session.parameters;
                if session.session_type == SessionType::Normal {
                    let isid = u64::from_be_bytes(pad(session.isid));
                    let nexus = Nexus {
                        id: self.session,
                        port: format!("{},i,0x{isid:012x}", session.initiator),
                    };
                    unit.attach(&nexus);
                    self.nexus = Some(nexus);
                }
                self.logged_in = Some(session);
            }
            Progress::Refused(refusal) => return Err(refusal.into()),
        }
        Ok(())
    }

    /// Whether a command is the next one. Commands outside of the window are ignored without a
    /// word (RFC 7143 §4.2.2.1); a hole within it cannot happen on one connection.
    fn is_in_order(&mut self, bhs: &Bhs) -> Result<bool, ConnectionError> {
        let number = bhs.cmd_sn();
        if bhs.is_immediate() {
            return Ok(true);
        }
        let end = self.window_end();
        if !sequence::within(number, self.exp_cmd_sn, end) {
            return Ok(false);
        }
        if number != self.exp_cmd_sn {
            return Err(ConnectionError::Protocol("a command is missing"));
        }
        self.exp_cmd_sn = self.exp_cmd_sn.wrapping_add(1);
        Ok(true)
    }

    fn answer_ping(&mut self, nop: &NopOut, data: Bytes) {
        // Without a task it is the answer to a ping of ours.
        if nop.task == NO_TAG {
            return;
        }
        let answer = NopIn {
            flags: FINAL,
            lun: nop.lun,
            task: nop.task,
            transfer: NO_TAG,
        };
        let room = self.parameters.send_segment as usize;
        let data = data.slice(..data.len().min(room));
        self.queue_control(answer.encode(), data, StatSn::Advances);
    }

    fn answer_text(&mut self, request: &TextRequest, data: &[u8]) -> Result<(), ConnectionError> {
        let continues = request.flags & text_flags::CONTINUE != 0;
        let Some(pairs) = self.text.part(data, continues)? else {
            let answer = TextResponse {
                task: request.task,
                transfer: self.next_transfer_tag(),
                ..TextResponse::default()
            };
            self.queue_control(answer.encode(), Bytes::new(), StatSn::Advances);
            return Ok(());
        };
        let mut answers = Pairs::default();
        for (key, value) in pairs.iter() {
            if key != "SendTargets" {
                answers.push(key, "NotUnderstood");
            } else if ["All", "", self.access.target.as_str()].contains(&value) {
                answers.push("TargetName", self.access.target.clone());
                answers.push("TargetAddress", format!("{},{PORTAL_GROUP}", self.portal));
            }
        }
        let answer = TextResponse {
            flags: FINAL,
            task: request.task,
            transfer: NO_TAG,
            ..TextResponse::default()
        };
        self.queue_control(answer.encode(), answers.encode(), StatSn::Advances);
        Ok(())
    }

    /// Tasks that are under way end without an answer.
    fn answer_logout(&mut self, request: &LogoutRequest) {
        let recovery = request.reason & 0x7f == 2;
        let answer = LogoutResponse {
            flags: FINAL,
            // Recovery of connections is not supported.
            response: if recovery { 2 } else { 0 },
            task: request.task,
            ..LogoutResponse::default()
        };
        self.logged_out = !recovery;
        self.queue_reply(answer.encode(), Bytes::new(), StatSn::Advances);
    }

    pub(super) fn reject(&mut self, bhs: &Bhs, reason: u8) {
        let pdu = Reject {
            flags: FINAL,
            reason,
            task: NO_TAG,
        };
        let header = Bytes::copy_from_slice(&bhs.0);
        self.queue_control(pdu.encode(), header, StatSn::Advances);
    }

    pub(super) fn next_transfer_tag(&mut self) -> u32 {
        self.next_transfer = self.next_transfer.wrapping_add(1);
        if self.next_transfer == NO_TAG {
            self.next_transfer = 0;
        }
        self.next_transfer
    }

    pub(super) fn queue_control(&mut self, bhs: Bhs, data: Bytes, stat_sn: StatSn) {
        self.control.push_back(Queued { bhs, data, stat_sn });
    }

    pub(super) fn queue_reply(&mut self, bhs: Bhs, data: Bytes, stat_sn: StatSn) {
        self.replies.push_back(Queued { bhs, data, stat_sn });
    }
}

fn pad(isid: [u8; 6]) -> [u8; 8] {
    let [a, b, c, d, e, f] = isid;
    [0, 0, a, b, c, d, e, f]
}
