//! The network of the BMC, and the settings of the serial console.

use super::{CHANNEL, Call, Outcome, byte_at, channel_number};
use proto::ipmi::{Privilege, message::Completion, packet::V15Auth};

const SET_LAN: u8 = 0x01;
const GET_LAN: u8 = 0x02;
const SET_SOL: u8 = 0x21;
const GET_SOL: u8 = 0x22;
/// What every answer about a parameter begins with.
const REVISION: u8 = 0x11;
const UNSUPPORTED: Completion = Completion(0x80);
const READ_ONLY: Completion = Completion(0x82);
/// The address was given by hand.
const STATIC: u8 = 1;

pub(super) fn answer(call: &Call<'_>, command: u8, data: &[u8]) -> Outcome {
    match command {
        GET_LAN => parameter(data, |number, set| lan(call, number, set)),
        GET_SOL => parameter(data, |number, _| sol(call, number)),
        // The addresses are those of the simulator; the rest may be written and is not kept.
        SET_LAN => match byte_at(data, 1)? {
            3 | 5 => Err(READ_ONLY),
            _ => channel_number(byte_at(data, 0)?).map(|_| Vec::new()),
        },
        SET_SOL => channel_number(byte_at(data, 0)?).map(|_| Vec::new()),
        _ => Err(Completion::INVALID_COMMAND),
    }
}

fn parameter(data: &[u8], value: impl FnOnce(u8, u8) -> Option<Vec<u8>>) -> Outcome {
    let &[channel, number, set, _block, ..] = data else {
        return Err(Completion::WRONG_LENGTH);
    };
    channel_number(channel)?;
    // Only the revision is asked for.
    if channel & 0x80 != 0 {
        return Ok(vec![REVISION]);
    }
    let value = value(number, set).ok_or(UNSUPPORTED)?;
    Ok([vec![REVISION], value].concat())
}

fn lan(call: &Call<'_>, number: u8, set: u8) -> Option<Vec<u8>> {
    let auths = call
        .options
        .v15
        .iter()
        .fold(0, |bits, auth: &V15Auth| bits | 1 << *auth as u8);
    let suites = &call.options.suites;
    let count = u8::try_from(suites.len()).unwrap_or(u8::MAX);
    Some(match number {
        0 => vec![0],
        1 => vec![auths],
        // For each of callback, user, operator, administrator and OEM.
        2 => vec![auths, auths, auths, auths, 0],
        3 => call.endpoint.0.octets().to_vec(),
        4 => vec![STATIC],
        5 => call.machine.bmc_mac().to_vec(),
        6 => vec![255, 0, 0, 0],
        // Time to live, no fragments, precedence.
        7 => vec![0x40, 0x40, 0x10],
        8 => call.endpoint.1.to_le_bytes().to_vec(),
        // Neither announcements nor answers to ARP by the BMC itself.
        10 => vec![0x00],
        11 => vec![0x00],
        12 | 14 => vec![0; 4],
        13 | 15 => vec![0; 6],
        16 => {
            let mut community = b"public".to_vec();
            community.resize(18, 0);
            community
        }
        17 => vec![0],
        20 => vec![0, 0],
        21 => vec![0],
        22 => vec![count],
        23 => {
            let mut ids = vec![0];
            ids.extend(suites.iter().map(|suite| suite.id));
            ids.resize(17, 0);
            ids
        }
        24 => {
            // Four bits for each suite: all are good for administrators.
            let mut levels = vec![0u8; 9];
            for place in 0..suites.len().min(16) {
                levels[1 + place / 2] |= Privilege::Administrator.code() << (place % 2 * 4);
            }
            levels
        }
        25 => vec![set, 0, 0, 0],
        26 => vec![0; 6],
        _ => return None,
    })
}

fn sol(call: &Call<'_>, number: u8) -> Option<Vec<u8>> {
    /// The number of 115200 baud.
    const FASTEST: u8 = 0x0a;
    Some(match number {
        0 => vec![0],
        1 => vec![1],
        // Encrypted and authenticated if the session is, for users and above.
        2 => vec![0x02],
        // Waits 60 ms for more, sends 96 characters at the least.
        3 => vec![12, 96],
        // Sends again 7 times, after 500 ms.
        4 => vec![7, 50],
        5 | 6 => vec![FASTEST],
        7 => vec![CHANNEL],
        8 => call.endpoint.1.to_le_bytes().to_vec(),
        _ => return None,
    })
}
