//! Secure boot: the switch, and the databases of keys.

use crate::{
    machine::secure_boot::{DATABASES, RESET_KEYS},
    redfish::{
        answer::{Answer, Body},
        body::{Fields, needed},
        call::{Call, add, link},
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let (wanted, current, mode) = call.parts(|parts| {
        let state = &parts.secure_boot;
        (state.is_asked_for, state.is_in_effect(), state.mode())
    });
    let mut body = call.resource(
        "#SecureBoot.v1_1_2.SecureBoot",
        "SecureBoot",
        "UEFI Secure Boot",
    );
    add(
        &mut body,
        json!({
            "SecureBootEnable": wanted,
            "SecureBootCurrentBoot": if current { "Enabled" } else { "Disabled" },
            "SecureBootMode": mode,
            "SecureBootDatabases": link(&format!("{}/SecureBootDatabases", call.path)),
            "Actions": {"#SecureBoot.ResetKeys": {
                "target": format!("{}/Actions/SecureBoot.ResetKeys", call.path),
                "ResetKeysType@Redfish.AllowableValues": RESET_KEYS,
            }},
        }),
    );
    Ok(body)
}

pub(crate) fn change(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let wanted = fields.flag("SecureBootEnable")?;
    fields.end(&show(call)?)?;
    let is_uefi = call.machine.boot().mode == crate::machine::boot::Firmware::Uefi;
    match wanted {
        Some(true) if !is_uefi => {
            let words = "secure boot needs the machine to boot by UEFI";
            return Err(Problem::said(StatusCode::BAD_REQUEST, words).about("SecureBootEnable"));
        }
        Some(wanted) => call.parts(|parts| parts.secure_boot.is_asked_for = wanted),
        None => {}
    }
    Ok(Answer::of(StatusCode::OK, Body::None))
}

pub(crate) fn reset_keys(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "SecureBoot.ResetKeys";
    let mut fields = Fields::of(call.body)?;
    let kind = needed(fields.text("ResetKeysType")?, ACTION, "ResetKeysType")?;
    fields.end_action(ACTION)?;
    call.parts(|parts| parts.secure_boot.reset_keys(&kind))?;
    Ok(Answer::nothing())
}

/// The database of a name, and whether it is the one with the factory's keys.
fn database<'a>(call: &'a Call<'_>) -> Result<(&'a str, bool), Problem> {
    let id = call.param("database");
    let (name, is_factory) = match id.strip_suffix("Default") {
        Some(name) => (name, true),
        None => (id, false),
    };
    if DATABASES.contains(&name) {
        Ok((name, is_factory))
    } else {
        Err(call.absent())
    }
}

pub(crate) fn databases(call: &Call<'_>) -> Result<Value, Problem> {
    let factory = DATABASES.iter().map(|name| format!("{name}Default"));
    let names = DATABASES
        .iter()
        .map(|name| (*name).to_owned())
        .chain(factory);
    Ok(call.collection(
        "SecureBootDatabaseCollection",
        "UEFI Secure Boot Databases",
        names,
    ))
}

pub(crate) fn show_database(call: &Call<'_>) -> Result<Value, Problem> {
    let (name, is_factory) = database(call)?;
    let keys = if is_factory {
        1
    } else {
        call.parts(|parts| parts.secure_boot.keys_in(name))
    };
    let id = call.param("database");
    let mut body = call.resource(
        "#SecureBootDatabase.v1_0_2.SecureBootDatabase",
        id,
        &format!("{id} Database"),
    );
    add(
        &mut body,
        json!({
            "DatabaseId": id,
            "Description": format!("{keys} keys"),
        }),
    );
    if !is_factory {
        add(
            &mut body,
            json!({"Actions": {"#SecureBootDatabase.ResetKeys": {
                "target": format!("{}/Actions/SecureBootDatabase.ResetKeys", call.path),
                "ResetKeysType@Redfish.AllowableValues": ["ResetAllKeysToDefault", "DeleteAllKeys"],
            }}}),
        );
    }
    Ok(body)
}

pub(crate) fn reset_database(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "SecureBootDatabase.ResetKeys";
    let (name, is_factory) = database(call)?;
    if is_factory {
        return Err(call.absent());
    }
    let mut fields = Fields::of(call.body)?;
    let kinds = ["ResetAllKeysToDefault", "DeleteAllKeys"];
    let kind = needed(
        fields.choice("ResetKeysType", &kinds)?,
        ACTION,
        "ResetKeysType",
    )?;
    fields.end_action(ACTION)?;
    // Without its platform key a machine is without an owner; the others matter to nobody here.
    let kind = if name == "PK" && kind == "DeleteAllKeys" {
        "DeletePK"
    } else {
        kind
    };
    call.parts(|parts| parts.secure_boot.reset_keys(kind))?;
    Ok(Answer::nothing())
}
