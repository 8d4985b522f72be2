//! BIOS settings: those in effect, those that wait for a start, and what can be set at all.

use crate::{
    machine::{
        bios::{ATTRIBUTES, SettingKind},
        event::stamp,
        firmware::Component,
    },
    redfish::{
        answer::{self, Answer},
        body::{Fields, needed},
        call::{Call, add, link},
        message::{Message, Problem},
    },
};
use serde_json::{Map, Value, json};

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let (mut attributes, applied, version) = call.parts(|parts| {
        let version = parts.firmware.version(Component::Bios).map(str::to_owned);
        (parts.bios.current(), parts.bios.applied(), version)
    });
    let version = version.unwrap_or_else(|| call.machine.personality().bios_version.to_owned());
    attributes.insert("SystemBiosVersion".to_owned(), json!(version));
    let path = format!("{}/Bios", call.system());
    let settings_path = format!("{path}/{}", call.quirks.bios_settings);
    let mut settings = json!({
        "@odata.type": "#Settings.v1_3_5.Settings",
        "SettingsObject": link(&settings_path),
        "SupportedApplyTimes": ["OnReset"],
    });
    if let Some(applied) = applied {
        add(
            &mut settings,
            json!({
                "Time": stamp(applied),
                "Messages": [Message::new("Success", &[]).json()],
            }),
        );
    }
    if call.quirks.etag.in_settings {
        let tag = answer::etag(&staged(call, &settings_path), call.quirks.etag.are_weak);
        add(&mut settings, json!({ "ETag": tag }));
    }
    Ok(json!({
        "@odata.id": path,
        "@odata.type": "#Bios.v1_2_1.Bios",
        "Id": "Bios",
        "Name": "BIOS Configuration",
        "AttributeRegistry": call.quirks.bios_registry,
        "Attributes": attributes,
        "@Redfish.Settings": settings,
        "Actions": {
            "#Bios.ResetBios": {"target": format!("{path}/Actions/Bios.ResetBios")},
            "#Bios.ChangePassword": {"target": format!("{path}/Actions/Bios.ChangePassword")},
        },
    }))
}

fn staged(call: &Call<'_>, path: &str) -> Value {
    let attributes = call.parts(|parts| parts.bios.staged());
    json!({
        "@odata.id": path,
        "@odata.type": "#Bios.v1_2_1.Bios",
        "Id": call.quirks.bios_settings,
        "Name": "BIOS Configuration Pending Settings",
        "AttributeRegistry": call.quirks.bios_registry,
        "Attributes": attributes,
        "@Redfish.SettingsApplyTime": {
            "@odata.type": "#Settings.v1_3_5.PreferredApplyTime",
            "ApplyTime": "OnReset",
            "ApplyTime@Redfish.AllowableValues": ["OnReset"],
        },
    })
}

/// Whether the path is where the maker keeps staged settings.
fn check_place(call: &Call<'_>) -> Result<(), Problem> {
    if call.param("settings") == call.quirks.bios_settings {
        Ok(())
    } else {
        Err(call.absent())
    }
}

pub(crate) fn show_staged(call: &Call<'_>) -> Result<Value, Problem> {
    check_place(call)?;
    Ok(staged(call, call.path))
}

pub(crate) fn stage(call: &Call<'_>) -> Result<Answer, Problem> {
    check_place(call)?;
    let mut fields = Fields::of(call.body)?;
    let wanted = match fields.value("Attributes") {
        Some(Value::Object(wanted)) => wanted,
        Some(other) => return Err(Problem::wrong_type("Attributes", &other)),
        None => return Err(Problem::missing("Attributes")),
    };
    if let Some(mut time) = fields.object("@Redfish.SettingsApplyTime")? {
        time.choice("ApplyTime", &["OnReset"])?;
    }
    fields.end(&show_staged(call)?)?;
    call.parts(|parts| parts.bios.stage(&wanted))?;
    Ok(Answer::ok(show_staged(call)?))
}

pub(crate) fn reset(call: &Call<'_>) -> Result<Answer, Problem> {
    if !call.body.is_null() {
        Fields::of(call.body)?.end_action("Bios.ResetBios")?;
    }
    call.parts(|parts| parts.bios.stage_defaults());
    Ok(Answer::nothing())
}

pub(crate) fn change_password(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "Bios.ChangePassword";
    let mut fields = Fields::of(call.body)?;
    let name = needed(fields.text("PasswordName")?, ACTION, "PasswordName")?;
    let old = needed(fields.text("OldPassword")?, ACTION, "OldPassword")?;
    let new = needed(fields.text("NewPassword")?, ACTION, "NewPassword")?;
    fields.end_action(ACTION)?;
    call.parts(|parts| parts.bios.change_password(&name, &old, &new))?;
    Ok(Answer::nothing())
}

/// The registry of what can be set.
pub(crate) fn registry(call: &Call<'_>) -> Value {
    let attributes: Vec<Value> = ATTRIBUTES
        .iter()
        .map(|attribute| {
            let mut entry = json!({
                "AttributeName": attribute.name,
                "DisplayName": attribute.shown,
                "ReadOnly": attribute.is_read_only,
                "ResetRequired": true,
                "DefaultValue": attribute.kind.default(),
            });
            add(&mut entry, of_kind(attribute.kind));
            entry
        })
        .collect();
    json!({
        "@odata.type": "#AttributeRegistry.v1_3_8.AttributeRegistry",
        "Id": call.quirks.bios_registry,
        "Name": "BIOS Attribute Registry",
        "Language": "en",
        "OwningEntity": "Corten",
        "RegistryVersion": "1.0.0",
        "SupportedSystems": [{
            "ProductName": call.machine.personality().model,
            "FirmwareVersion": call.machine.personality().bios_version,
        }],
        "RegistryEntries": {"Attributes": attributes},
    })
}

fn of_kind(kind: SettingKind) -> Value {
    match kind {
        SettingKind::Choice(values) => {
            let values: Vec<Value> = values
                .iter()
                .map(|value| json!({"ValueName": value, "ValueDisplayName": value}))
                .collect();
            json!({"Type": "Enumeration", "Value": values})
        }
        SettingKind::Number {
            low, high, step, ..
        } => {
            let mut entry = Map::new();
            entry.insert("Type".to_owned(), json!("Integer"));
            entry.insert("LowerBound".to_owned(), json!(low));
            entry.insert("UpperBound".to_owned(), json!(high));
            entry.insert("ScalarIncrement".to_owned(), json!(step));
            Value::Object(entry)
        }
        SettingKind::Flag(_) => json!({"Type": "Boolean"}),
        SettingKind::Text { longest, .. } => {
            json!({"Type": "String", "MinLength": 0, "MaxLength": longest})
        }
    }
}
