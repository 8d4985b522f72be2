//! What is asked within a session, and the answers.

mod app;
mod bridge;
mod chassis;
mod dcmi;
mod sensor;
mod storage;
mod transport;
mod user;

use super::{
    Options,
    bmc::{Memory, Session, answer_to},
    rights,
};
use crate::{
    machine::{Machine, account::User},
    replay::ReplayAnswer,
};
use proto::ipmi::{
    command::channel::{self, PART},
    message::{Completion, Message, NetFn, SEND_MESSAGE},
};
use std::net::Ipv4Addr;

pub(super) use user::numbered;

/// The number of the only network channel.
pub(super) const CHANNEL: u8 = 1;

/// Everything that an answer may depend on.
pub(super) struct Call<'a> {
    pub(super) machine: &'a Machine,
    pub(super) options: &'a Options,
    pub(super) memory: &'a mut Memory,
    /// Where the BMC is.
    pub(super) endpoint: (Ipv4Addr, u16),
    /// The other sessions.
    pub(super) others: &'a [Session],
    /// The session that has the console.
    pub(super) console: Option<u32>,
    pub(super) session: &'a mut Session,
    /// The address of the controller that is asked.
    pub(super) responder: u8,
    pub(super) effect: &'a mut Option<Effect>,
}

/// What is to happen after the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    CloseSession(u32),
    RestartBmc,
    OpenConsole,
    /// There is no answer at all.
    StaySilent,
    CloseConsole,
}

pub(super) type Outcome = Result<Vec<u8>, Completion>;

/// The messages that answer a request: one, except where it is passed on.
pub(super) fn answers(call: &mut Call<'_>, request: &Message<'_>) -> Vec<Vec<u8>> {
    if (request.netfn, request.command) == (NetFn::APP, SEND_MESSAGE) {
        return bridge::answers(call, request);
    }
    let outcome = answer(call, request);
    vec![answer_to(request, outcome)]
}

/// What a controller says.
fn answer(call: &mut Call<'_>, request: &Message<'_>) -> Outcome {
    let (command, data) = (request.command, request.body);
    if let Some(replay) = &call.options.replay
        && !rights::is_about_sessions(request.netfn, command)
    {
        return match replay.ipmi(call.responder, request.netfn.0, command, data) {
            ReplayAnswer::Answer(answer) if answer.completion == Completion::OK.0 => {
                Ok(answer.data.into_vec())
            }
            ReplayAnswer::Answer(answer) => Err(Completion(answer.completion)),
            ReplayAnswer::Unknown => Err(Completion::INVALID_COMMAND),
            ReplayAnswer::Silence => {
                *call.effect = Some(Effect::StaySilent);
                Err(Completion::TIMEOUT)
            }
        };
    }
    match request.netfn {
        NetFn::CHASSIS => chassis::answer(call, command, data),
        NetFn::SENSOR => sensor::answer(call, command, data),
        NetFn::APP => app::answer(call, command, data),
        NetFn::STORAGE => storage::answer(call, command, data),
        NetFn::GROUP => dcmi::answer(call.machine, command, data),
        NetFn::TRANSPORT => transport::answer(call, command, data),
        _ => Err(Completion::INVALID_COMMAND),
    }
}

/// The number of the channel that is meant, if we have it.
pub(super) fn channel_number(byte: u8) -> Result<u8, Completion> {
    match byte & 0x0f {
        CHANNEL | channel::THIS_CHANNEL => Ok(CHANNEL),
        _ => Err(Completion::INVALID_FIELD),
    }
}

/// A part of the list of cipher suites.
pub(super) fn cipher_suites(options: &Options, data: &[u8]) -> Outcome {
    let &[channel, _payload, part, ..] = data else {
        return Err(Completion::WRONG_LENGTH);
    };
    let number = channel_number(channel)?;
    let list = channel::list_suites(&options.suites);
    let from = usize::from(part & 0x3f) * PART;
    let part = list.get(from..).unwrap_or_default();
    Ok([&[number], &part[..part.len().min(PART)]].concat())
}

/// Little-endian numbers at the start of the data.
fn u16_at(data: &[u8], at: usize) -> Result<u16, Completion> {
    match data.get(at..at + 2) {
        Some(&[low, high]) => Ok(u16::from_le_bytes([low, high])),
        _ => Err(Completion::WRONG_LENGTH),
    }
}

fn byte_at(data: &[u8], at: usize) -> Result<u8, Completion> {
    data.get(at).copied().ok_or(Completion::WRONG_LENGTH)
}

/// A user by number.
fn user_of(machine: &Machine, number: u8) -> Option<User> {
    numbered(&machine.users())
        .into_iter()
        .find(|(known, _)| *known == number)
        .map(|(_, user)| user)
}
