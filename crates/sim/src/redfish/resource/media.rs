//! Virtual media, under the manager or under the system, by action or by patch.

use crate::{
    backend::Order,
    machine::media::{Disc, SLOTS, image_name},
    redfish::{
        answer::{Answer, Body},
        body::{Fields, needed},
        call::{Call, add},
        fetch::ImageToFetch,
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

const PROTOCOLS: [&str; 8] = ["CIFS", "FTP", "SFTP", "HTTP", "HTTPS", "NFS", "SCP", "OEM"];
const METHODS: [&str; 2] = ["Stream", "Upload"];

/// Whether media are where the path looks for them.
fn check_place(call: &Call<'_>) -> Result<(), Problem> {
    let is_system = call.path.starts_with("/redfish/v1/Systems/");
    let quirks = &call.quirks.media;
    if if is_system {
        quirks.under_systems
    } else {
        quirks.under_managers
    } {
        Ok(())
    } else {
        Err(call.absent())
    }
}

fn slot(call: &Call<'_>) -> Result<usize, Problem> {
    check_place(call)?;
    let id = call.param("slot");
    let place = call.quirks.slots.iter().position(|known| *known == id);
    place.ok_or_else(|| call.absent())
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    check_place(call)?;
    Ok(call.collection(
        "VirtualMediaCollection",
        "Virtual Media Collection",
        call.quirks.slots,
    ))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let slot = slot(call)?;
    let (disc, verifies) = call.parts(|parts| {
        (
            parts.media.disc(slot).cloned(),
            parts.media.verifies_certificate(slot),
        )
    });
    let image = disc.as_ref().map(|disc| disc.image.as_str());
    let id = call.param("slot");
    let mut body = call.resource("#VirtualMedia.v1_6_3.VirtualMedia", id, "Virtual Media");
    add(
        &mut body,
        json!({
            "MediaTypes": SLOTS[slot].types,
            "Image": image,
            "ImageName": image.map(image_name),
            "Inserted": disc.as_ref().is_some_and(|disc| disc.is_inserted),
            "WriteProtected": disc.as_ref().is_none_or(|disc| disc.is_write_protected),
            "ConnectedVia": if disc.is_some() { "URI" } else { "NotConnected" },
            "UserName": disc.as_ref().and_then(|disc| disc.user_name.clone()),
            "Password": null,
            "TransferMethod": disc.as_ref().and_then(|disc| disc.transfer_method.clone()),
            "TransferProtocolType": disc.as_ref().and_then(|disc| disc.transfer_protocol.clone()),
            "VerifyCertificate": verifies,
        }),
    );
    if !call.quirks.media.by_patch {
        add(
            &mut body,
            json!({"Actions": {
                "#VirtualMedia.InsertMedia": {
                    "target": format!("{}/Actions/VirtualMedia.InsertMedia", call.path),
                },
                "#VirtualMedia.EjectMedia": {
                    "target": format!("{}/Actions/VirtualMedia.EjectMedia", call.path),
                },
            }}),
        );
    }
    Ok(body)
}

/// An image has to be somewhere on the network (or a file, which only a simulator can reach).
fn check_image(image: &str) -> Result<(), Problem> {
    let schemes = [
        "http://", "https://", "nfs://", "cifs://", "smb://", "//", "file:///",
    ];
    let has_scheme = schemes.iter().any(|scheme| image.starts_with(scheme));
    if has_scheme && !image.contains(char::is_whitespace) && !image_name(image).is_empty() {
        return Ok(());
    }
    let shown: String = image.chars().take(80).collect();
    Err(Problem::new("PropertyValueFormatError", &[&shown, "Image"]).about("Image"))
}

pub(crate) fn insert(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "VirtualMedia.InsertMedia";
    let slot = slot(call)?;
    let quirks = &call.quirks.media;
    if quirks.by_patch {
        return Err(call.absent());
    }
    let mut fields = Fields::of(call.body)?;
    let image = needed(fields.text("Image")?, ACTION, "Image")?;
    check_image(&image)?;
    let protocol = fields.choice("TransferProtocolType", &PROTOCOLS)?;
    let method = fields.choice("TransferMethod", &METHODS)?;
    if quirks.needs_protocol {
        needed(protocol, ACTION, "TransferProtocolType")?;
    }
    if quirks.refuses_flags {
        for flag in ["Inserted", "WriteProtected"] {
            if fields.value(flag).is_some() {
                let problem = Problem::new("ActionParameterNotSupported", &[flag, ACTION]);
                return Err(problem.about(flag));
            }
        }
    }
    let disc = Disc {
        image,
        is_inserted: fields.flag("Inserted")?.unwrap_or(true),
        is_write_protected: fields.flag("WriteProtected")?.unwrap_or(true),
        user_name: fields.text("UserName")?,
        transfer_method: method.map(str::to_owned),
        transfer_protocol: protocol.map(str::to_owned),
    };
    fields.text("Password")?;
    fields.text("MediaType")?;
    fields.end_action(ACTION)?;
    let wanted = put(call, slot, disc, false)?;
    Ok(Answer::nothing().wanting(wanted))
}

/// Puts a disc in. What a process has to fetch for it is returned.
fn put(
    call: &Call<'_>,
    slot: usize,
    disc: Disc,
    replaces: bool,
) -> Result<Option<ImageToFetch>, Problem> {
    let image = disc.is_inserted.then(|| disc.image.clone());
    call.parts(|parts| parts.media.insert(slot, disc, replaces))?;
    if !SLOTS[slot].is_optical {
        return Ok(None);
    }
    if let Some(url) = image.as_ref().filter(|image| image.starts_with("http")) {
        return Ok(call.machine.is_process().then(|| ImageToFetch {
            machine: call.machine.index(),
            slot,
            url: url.clone(),
        }));
    }
    let path = image.map(|image| image.strip_prefix("file://").unwrap_or(&image).into());
    call.machine.order(Order::Media(path));
    Ok(None)
}

fn take_out(call: &Call<'_>, slot: usize) {
    call.parts(|parts| parts.media.eject(slot));
    if SLOTS[slot].is_optical {
        call.machine.order(Order::Media(None));
        call.parts(|parts| parts.image_file = None);
    }
}

pub(crate) fn eject(call: &Call<'_>) -> Result<Answer, Problem> {
    let slot = slot(call)?;
    if call.quirks.media.by_patch {
        return Err(call.absent());
    }
    match call.body {
        Value::Null if call.quirks.media.eject_needs_body => {
            return Err(Problem::new("UnrecognizedRequestBody", &[]));
        }
        Value::Null => {}
        body => Fields::of(body)?.end_action("VirtualMedia.EjectMedia")?,
    }
    take_out(call, slot);
    Ok(Answer::nothing())
}

pub(crate) fn change(call: &Call<'_>) -> Result<Answer, Problem> {
    let slot = slot(call)?;
    let mut fields = Fields::of(call.body)?;
    let image = fields.text_or_null("Image")?;
    let inserted = fields.flag("Inserted")?;
    let protected = fields.flag("WriteProtected")?;
    let verifies = fields.flag("VerifyCertificate")?;
    let user_name = fields.text("UserName")?;
    fields.text("Password")?;
    let method = fields.choice("TransferMethod", &METHODS)?;
    let protocol = fields.choice("TransferProtocolType", &PROTOCOLS)?;
    fields.end(&show(call)?)?;
    let old = call.parts(|parts| parts.media.disc(slot).cloned());
    let mut wanted = None;
    match (image, old) {
        (Some(Some(image)), _) => {
            check_image(&image)?;
            let disc = Disc {
                image,
                is_inserted: inserted.unwrap_or(true),
                is_write_protected: protected.unwrap_or(true),
                user_name,
                transfer_method: method.map(str::to_owned),
                transfer_protocol: protocol.map(str::to_owned),
            };
            wanted = put(call, slot, disc, true)?;
        }
        (Some(None), _) => take_out(call, slot),
        (None, Some(old)) => {
            let disc = Disc {
                is_inserted: inserted.unwrap_or(old.is_inserted),
                is_write_protected: protected.unwrap_or(old.is_write_protected),
                ..old
            };
            wanted = put(call, slot, disc, true)?;
        }
        (None, None) if inserted == Some(true) => return Err(Problem::missing("Image")),
        (None, None) => {}
    }
    if let Some(verifies) = verifies {
        call.parts(|parts| parts.media.verify_certificate(slot, verifies));
    }
    Ok(Answer::of(StatusCode::OK, Body::None).wanting(wanted))
}
