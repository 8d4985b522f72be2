//! The BMC itself, its sessions, channels and payloads.

use super::{CHANNEL, Call, Effect, Outcome, byte_at, channel_number, cipher_suites, user};
use crate::ipmi::console;
use proto::ipmi::{
    Privilege,
    command::{
        channel,
        device::{self, DeviceId},
        payload::{self, Activated},
    },
    message::{BMC, Completion},
    session::Session as Wire,
    suite::{Confidentiality, Integrity},
};

const SELF_TEST: u8 = 0x04;
const GET_DEVICE_GUID: u8 = 0x08;
const GET_GLOBAL_ENABLES: u8 = 0x2f;
const GET_SESSION_INFO: u8 = 0x3d;
const GET_CHANNEL_ACCESS: u8 = 0x41;
const GET_CHANNEL_INFO: u8 = 0x42;
const GET_PAYLOAD_STATUS: u8 = 0x4a;
const GET_PAYLOAD_INSTANCE: u8 = 0x4b;
const SET_PAYLOAD_ACCESS: u8 = 0x4c;
const GET_PAYLOAD_ACCESS: u8 = 0x4d;
const GET_PAYLOADS: u8 = 0x4e;
const GET_PAYLOAD_VERSION: u8 = 0x4f;

/// Everything went well.
const SELF_TEST_OK: [u8; 2] = [0x55, 0x00];
const EXCEEDS_LIMIT: Completion = Completion(0x81);
const NO_SUCH_SESSION: Completion = Completion(0x87);
/// The kinds of payloads by number: messages, and serial over LAN.
const SOL: u8 = 1;
const PAYLOAD_UNAVAILABLE: Completion = Completion(0x80);
const ENCRYPTION_IMPOSSIBLE: Completion = Completion(0x83);

pub(super) fn answer(call: &mut Call<'_>, command: u8, data: &[u8]) -> Outcome {
    match command {
        device::GET_ID => Ok(device_id(call)),
        device::COLD_RESET | device::WARM_RESET => {
            *call.effect = Some(Effect::RestartBmc);
            Ok(Vec::new())
        }
        SELF_TEST => Ok(SELF_TEST_OK.to_vec()),
        GET_DEVICE_GUID | device::GET_GUID => Ok(call.machine.uuid().to_bytes_le().to_vec()),
        // The event log is on.
        GET_GLOBAL_ENABLES => Ok(vec![0x08]),
        channel::SET_PRIVILEGE => set_privilege(call, data),
        device::CLOSE_SESSION => close_session(call, data),
        GET_SESSION_INFO => session_info(call, data),
        GET_CHANNEL_ACCESS => {
            channel_number(byte_at(data, 0)?)?;
            // Always there, for administrators, nothing switched off.
            Ok(vec![0x02, Privilege::Administrator.code()])
        }
        GET_CHANNEL_INFO => match byte_at(data, 0)? & 0x0f {
            // 802.3, IPMB, sessions of many users; numbers of the standard's own makers' list.
            CHANNEL | channel::THIS_CHANNEL => {
                Ok(vec![CHANNEL, 0x04, 0x01, 0x80, 0xf2, 0x1b, 0x00, 0, 0])
            }
            // The bus inside, without sessions.
            0 => Ok(vec![0, 0x01, 0x01, 0x00, 0xf2, 0x1b, 0x00, 0, 0]),
            _ => Err(Completion::INVALID_FIELD),
        },
        channel::GET_CIPHER_SUITES => cipher_suites(call.options, data),
        user::SET_ACCESS
        | user::GET_ACCESS
        | user::SET_NAME
        | user::GET_NAME
        | user::SET_PASSWORD => user::answer(call, command, data),
        payload::ACTIVATE => activate(call, data),
        payload::DEACTIVATE => deactivate(call, data),
        GET_PAYLOAD_STATUS => match byte_at(data, 0)? {
            SOL => Ok(vec![1, u8::from(call.console.is_some()), 0]),
            _ => Err(Completion::INVALID_FIELD),
        },
        GET_PAYLOAD_INSTANCE => {
            let owner = call.console.unwrap_or_default();
            Ok([&owner.to_le_bytes()[..], &[0; 8]].concat())
        }
        SET_PAYLOAD_ACCESS => Ok(Vec::new()),
        GET_PAYLOAD_ACCESS => Ok(vec![1 << SOL, 0, 0, 0]),
        // Messages and serial over LAN, and the six that open sessions.
        GET_PAYLOADS => Ok(vec![0x03, 0x00, 0x3f, 0x00, 0, 0, 0, 0]),
        GET_PAYLOAD_VERSION => match byte_at(data, 1)? {
            0 | SOL => Ok(vec![0x10]),
            _ => Err(PAYLOAD_UNAVAILABLE),
        },
        _ => Err(Completion::INVALID_COMMAND),
    }
}

fn device_id(call: &Call<'_>) -> Vec<u8> {
    let maker = call.machine.personality();
    let id = DeviceId {
        // A satellite is known by its address.
        device: call.responder,
        revision: 1,
        firmware_major: maker.bmc_firmware.0,
        firmware_minor: maker.bmc_firmware.1,
        ipmi_version: (2, 0),
        // Sensors, records, log, inventory, bridge and chassis; no events of its own.
        support: if call.responder == BMC { 0xcf } else { 0x00 },
        manufacturer: maker.iana,
        product: maker.product,
        is_updating: false,
    };
    let mut bytes = id.encode();
    bytes.extend([0; 4]);
    bytes
}

fn set_privilege(call: &mut Call<'_>, data: &[u8]) -> Outcome {
    let session = &mut *call.session;
    match byte_at(data, 0)? & 0x0f {
        0 => {}
        code => {
            let asked = Privilege::of_code(code).ok_or(Completion::INVALID_FIELD)?;
            if asked > session.limit {
                return Err(EXCEEDS_LIMIT);
            }
            session.level = asked;
        }
    }
    Ok(vec![session.level.code()])
}

fn close_session(call: &mut Call<'_>, data: &[u8]) -> Outcome {
    let id = data.first_chunk().ok_or(Completion::WRONG_LENGTH)?;
    let id = u32::from_le_bytes(*id);
    let is_own = id == call.session.id;
    if !is_own {
        if !call.others.iter().any(|session| session.id == id) {
            return Err(NO_SUCH_SESSION);
        }
        if call.session.level < Privilege::Administrator {
            return Err(Completion::PRIVILEGE);
        }
    }
    *call.effect = Some(Effect::CloseSession(id));
    Ok(Vec::new())
}

fn session_info(call: &Call<'_>, data: &[u8]) -> Outcome {
    let active = u8::try_from(call.others.len() + 1).unwrap_or(u8::MAX);
    let possible = u8::try_from(call.machine.session_limit()).unwrap_or(u8::MAX);
    let session = match byte_at(data, 0)? {
        0 | 1 => &*call.session,
        number => match call.others.get(usize::from(number) - 2) {
            Some(session) => session,
            None => return Ok(vec![0, possible, active]),
        },
    };
    let is_v20 = matches!(session.wire, Wire::V20(_));
    Ok(vec![
        1,
        possible,
        active,
        session.user.0,
        session.level.code(),
        u8::from(is_v20) << 4 | CHANNEL,
    ])
}

fn activate(call: &mut Call<'_>, data: &[u8]) -> Outcome {
    let &[SOL, instance, options, ..] = data else {
        return Err(PAYLOAD_UNAVAILABLE);
    };
    if instance & 0x0f != 1 {
        return Err(Completion::INVALID_FIELD);
    }
    let Wire::V20(wire) = &call.session.wire else {
        return Err(PAYLOAD_UNAVAILABLE);
    };
    let hides = wire.algorithms.confidentiality != Confidentiality::None;
    let protects = wire.algorithms.integrity != Integrity::None;
    if options & 0x80 != 0 && !hides || options & 0x40 != 0 && !protects {
        return Err(ENCRYPTION_IMPOSSIBLE);
    }
    if call.console.is_some() {
        return Err(Completion(payload::ALREADY_ACTIVE));
    }
    *call.effect = Some(Effect::OpenConsole);
    let answer = Activated {
        inbound_size: console::SIZE,
        outbound_size: console::SIZE,
        port: call.endpoint.1,
    };
    Ok(answer.encode())
}

fn deactivate(call: &mut Call<'_>, data: &[u8]) -> Outcome {
    if byte_at(data, 0)? != SOL {
        return Err(Completion::INVALID_FIELD);
    }
    if call.console.is_none() {
        return Err(Completion(payload::ALREADY_INACTIVE));
    }
    *call.effect = Some(Effect::CloseConsole);
    Ok(Vec::new())
}
