//! Registries: what messages mean, and what BIOS settings there are.

use super::bios;
use crate::redfish::{
    call::{Call, add},
    message::Problem,
    message::{ENTRIES, REGISTRY, VERSION},
};
use serde_json::{Map, Value, json};

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let names = [REGISTRY, call.quirks.bios_registry];
    Ok(call.collection("MessageRegistryFileCollection", "Registry Files", names))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let id = call.param("registry");
    if id != REGISTRY && id != call.quirks.bios_registry {
        return Err(call.absent());
    }
    let mut body = call.resource(
        "#MessageRegistryFile.v1_1_3.MessageRegistryFile",
        id,
        "Registry File",
    );
    add(
        &mut body,
        json!({
            "Languages": ["en"],
            "Registry": id,
            "Location": [{"Language": "en", "Uri": format!("{}/registry", call.path)}],
        }),
    );
    Ok(body)
}

pub(crate) fn content(call: &Call<'_>) -> Result<Value, Problem> {
    let id = call.param("registry");
    if id == call.quirks.bios_registry {
        return Ok(bios::registry(call));
    }
    if id != REGISTRY {
        return Err(call.absent());
    }
    let messages: Map<String, Value> = ENTRIES
        .iter()
        .map(|entry| {
            let args = (1..=9)
                .filter(|n| entry.text.contains(&format!("%{n}")))
                .count();
            let message = json!({
                "Description": entry.text,
                "Message": entry.text,
                "Severity": entry.severity,
                "MessageSeverity": entry.severity,
                "NumberOfArgs": args,
                "ParamTypes": vec!["string"; args],
                "Resolution": entry.resolution,
            });
            (entry.key.to_owned(), message)
        })
        .collect();
    Ok(json!({
        "@odata.type": "#MessageRegistry.v1_6_2.MessageRegistry",
        "Id": format!("Base.{VERSION}"),
        "Name": "Base Message Registry",
        "Language": "en",
        "Description": "The messages of the Base registry that this service uses",
        "RegistryPrefix": "Base",
        "RegistryVersion": VERSION,
        "OwningEntity": "Corten",
        "Messages": messages,
    }))
}
