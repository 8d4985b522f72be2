//! Accounts over IPMI: by number, of which the first is the user without a name.

use super::{Call, Outcome, byte_at, channel_number, user_of};
use crate::machine::account::User;
use proto::ipmi::{Privilege, message::Completion};

pub(super) const SET_ACCESS: u8 = 0x43;
pub(super) const GET_ACCESS: u8 = 0x44;
pub(super) const SET_NAME: u8 = 0x45;
pub(super) const GET_NAME: u8 = 0x46;
pub(super) const SET_PASSWORD: u8 = 0x47;

/// How many users there can be.
const SLOTS: u8 = 10;
const ANONYMOUS: u8 = 1;
/// Neither enabled nor anything else: what an empty slot has.
const NO_ACCESS: u8 = 0x0f;
const WRONG_PASSWORD: Completion = Completion(0x80);

/// Users with their numbers.
pub(in crate::ipmi) fn numbered(users: &[User]) -> Vec<(u8, User)> {
    let mut next = ANONYMOUS;
    let numbered = users.iter().map(|user| {
        if user.name.is_empty() {
            return (ANONYMOUS, user.clone());
        }
        next = next.saturating_add(1);
        (next, user.clone())
    });
    numbered.collect()
}

pub(super) fn answer(call: &Call<'_>, command: u8, data: &[u8]) -> Outcome {
    match command {
        GET_ACCESS => get_access(call, data),
        SET_ACCESS => set_access(call, data),
        GET_NAME => {
            let number = slot(byte_at(data, 0)?)?;
            let user = user_of(call.machine, number);
            let mut name = user.map_or_else(Vec::new, |user| user.name.into_bytes());
            name.resize(16, 0);
            Ok(name)
        }
        SET_NAME => set_name(call, data),
        SET_PASSWORD => set_password(call, data),
        _ => Err(Completion::INVALID_COMMAND),
    }
}

fn slot(byte: u8) -> Result<u8, Completion> {
    match byte & 0x3f {
        number @ 1..=SLOTS => Ok(number),
        _ => Err(Completion::INVALID_FIELD),
    }
}

fn get_access(call: &Call<'_>, data: &[u8]) -> Outcome {
    channel_number(byte_at(data, 0)?)?;
    let number = slot(byte_at(data, 1)?)?;
    let users = call.machine.users();
    let enabled = users.iter().filter(|user| user.is_enabled).count();
    let enabled = u8::try_from(enabled).unwrap_or(SLOTS);
    let user = user_of(call.machine, number);
    let access = user.as_ref().map_or(NO_ACCESS, |user| {
        // May use IPMI messages and log in.
        0x30 | user.privilege.code()
    });
    let status = match &user {
        Some(user) if user.is_enabled => 0x40,
        Some(_) => 0x80,
        None => 0,
    };
    let fixed = u8::from(users.iter().any(|user| user.name.is_empty()));
    Ok(vec![SLOTS, status | enabled, fixed, access])
}

/// Changes a user by number; there is no slot for one that was not named.
fn change(
    call: &Call<'_>,
    number: u8,
    change: impl FnOnce(&mut User) -> Result<(), Completion>,
) -> Outcome {
    if call.machine.ignores(crate::fault::Write::Other) {
        return Ok(Vec::new());
    }
    let name = user_of(call.machine, number).ok_or(Completion::INVALID_FIELD)?;
    let name = name.name;
    call.machine.change_users(|users| {
        let user = users.iter_mut().find(|user| user.name == name);
        user.map_or(Err(Completion::INVALID_FIELD), change)
    })?;
    Ok(Vec::new())
}

fn set_access(call: &Call<'_>, data: &[u8]) -> Outcome {
    let (first, number) = (byte_at(data, 0)?, slot(byte_at(data, 1)?)?);
    channel_number(first)?;
    let level = Privilege::of_code(byte_at(data, 2)? & 0x0f);
    change(call, number, |user| {
        // "No access" keeps the privilege and takes the right to log in.
        user.is_enabled = level.is_some();
        user.privilege = level.unwrap_or(user.privilege);
        Ok(())
    })
}

fn set_name(call: &Call<'_>, data: &[u8]) -> Outcome {
    let number = slot(byte_at(data, 0)?)?;
    let name = data.get(1..17).ok_or(Completion::WRONG_LENGTH)?;
    let end = name.iter().position(|byte| *byte == 0);
    let name = String::from_utf8(name[..end.unwrap_or(16)].to_vec())
        .map_err(|_| Completion::INVALID_FIELD)?;
    if number == ANONYMOUS {
        return Err(Completion::INVALID_FIELD);
    }
    if user_of(call.machine, number).is_some() {
        return change(call, number, |user| {
            user.name = name;
            Ok(())
        });
    }
    if !call.machine.ignores(crate::fault::Write::Other) {
        call.machine.change_users(|users| {
            let mut user = User::new(&name, "", Privilege::User);
            user.is_enabled = false;
            users.push(user);
        });
    }
    Ok(Vec::new())
}

fn set_password(call: &Call<'_>, data: &[u8]) -> Outcome {
    let number = slot(byte_at(data, 0)?)?;
    let password = || {
        let bytes = data.get(2..).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0);
        String::from_utf8(bytes[..end.unwrap_or(bytes.len())].to_vec())
            .map_err(|_| Completion::INVALID_FIELD)
    };
    match byte_at(data, 1)? & 3 {
        0 => change(call, number, |user| {
            user.is_enabled = false;
            Ok(())
        }),
        1 => change(call, number, |user| {
            user.is_enabled = true;
            Ok(())
        }),
        2 => {
            let password = password()?;
            change(call, number, |user| {
                user.password = password;
                Ok(())
            })
        }
        _ => {
            let user = user_of(call.machine, number).ok_or(Completion::INVALID_FIELD)?;
            match password()? == user.password {
                true => Ok(Vec::new()),
                false => Err(WRONG_PASSWORD),
            }
        }
    }
}
