//! Virtual media: images that look like discs in a machine's drives.
//!
//! The service is told an address and reads the image itself; making an image available at one is
//! somebody else's work. Drives belong to the machine, or on older services to its manager. What
//! was inserted or ejected is looked at afterwards.

use super::put;
use crate::{
    DriverError, boot_image,
    iface::Machine,
    redfish::{Info, Redfish, RedfishError, Resource, Talk},
};
use serde_json::{Value, json};
use tokio::time::Instant;
use types::JsonMap;

const INSERT: &str = "#VirtualMedia.InsertMedia";
const EJECT: &str = "#VirtualMedia.EjectMedia";

/// How the BMC is to fetch discs, by a key of `driver_info`.
const TRANSPORT: &str = "vmedia_transport_protocol";

/// How often an insertion is tried on a service that fails, and how long to wait between: it may
/// still be busy with what was ejected.
const TRIES: u32 = 3;

/// How often a drive is asked for in one try: once plainly, and once for each parameter that a
/// service may insist on.
const FORMS: usize = 4;

/// What Redfish calls a kind of device.
fn word_of(device: &str) -> Option<&'static str> {
    Some(match device {
        "cdrom" => "CD",
        "floppy" => "Floppy",
        "disk" => "USBStick",
        _ => return None,
    })
}

fn known(device: &str) -> Result<&'static str, DriverError> {
    word_of(device).ok_or_else(|| {
        DriverError::InvalidParameter(format!("Invalid virtual media device {device} specified."))
    })
}

/// Whether a drive takes a kind of medium; one for DVDs takes CDs too.
fn takes(drive: &Resource, word: &str) -> bool {
    let types = drive.texts("MediaTypes");
    types.contains(&word) || word == "CD" && types.contains(&"DVD")
}

fn is_inserted(drive: &Resource) -> bool {
    match drive.bool("Inserted") {
        Some(inserted) => inserted,
        None => drive.str("Image").is_some_and(|image| !image.is_empty()),
    }
}

async fn drives(talk: &Talk<'_>, of: &Resource) -> Result<Vec<Resource>, RedfishError> {
    match of.link("VirtualMedia") {
        Some(collection) => talk.collection(collection).await,
        None => Ok(Vec::new()),
    }
}

/// Those who may have drives: the machine if it has, else its managers.
async fn owners(talk: &Talk<'_>) -> Result<Vec<Resource>, RedfishError> {
    let system = talk.system().await?;
    if system.link("VirtualMedia").is_some() {
        return Ok(vec![system]);
    }
    let mut managers = talk.managers(&system).await?;
    managers.retain(|manager| manager.link("VirtualMedia").is_some());
    Ok(managers)
}

pub(in crate::redfish) async fn list(
    redfish: &Redfish,
    info: &Info,
) -> Result<Vec<JsonMap>, DriverError> {
    let talk = redfish.talk(info, "reading the virtual media").await?;
    for owner in owners(&talk).await? {
        let found = drives(&talk, &owner).await?;
        if found.is_empty() {
            continue;
        }
        return Ok(found
            .iter()
            .map(|drive| {
                let mut shown = put("media_types", json!(drive.texts("MediaTypes")));
                let value = |place: &str| drive.at(place).cloned().unwrap_or(Value::Null);
                shown.insert("inserted".into(), value("Inserted"));
                shown.insert("image".into(), value("Image"));
                shown
            })
            .collect());
    }
    Err(DriverError::InvalidParameter(
        "No suitable virtual media device found".to_owned(),
    ))
}

/// Empties the drives for a device and puts an image into the first that takes it.
pub(in crate::redfish) async fn insert(
    redfish: &Redfish,
    machine: &Machine<'_>,
    info: &Info,
    device: &str,
    url: &str,
) -> Result<(), DriverError> {
    let word = known(device)?;
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err(DriverError::InvalidParameter(format!(
            "Publishing images is not supported for driver {}",
            machine.node.driver
        )));
    }
    check_transport(machine, Some(url))?;
    let mut talk = redfish.talk(info, "inserting virtual media").await?;
    let mut causes = Vec::new();
    let system = talk.system().await?;
    let slot = talk.quirks(machine.node, &system).await?.media_slot;
    for owner in owners(&talk).await? {
        let mut tries = 1;
        loop {
            let outcome = insert_into(&mut talk, &owner, word, url, slot, &mut causes).await;
            match outcome {
                Ok(true) => return Ok(()),
                Ok(false) => break,
                Err(error) if error.status().is_some_and(|status| status >= 500) => {
                    causes.push(error.to_string());
                    if tries == TRIES {
                        break;
                    }
                    tries += 1;
                    let pause = talk.settings.server_retry_pause;
                    talk.rest(pause).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    let node = info.node;
    let text = match causes.as_slice() {
        [] => format!("No suitable virtual media device found for node {node} to mount the image"),
        [first, .., last] if first != last => format!(
            "Virtual media mount failed for node {node} after multiple attempts. First error: {first}. Last error: {last}"
        ),
        [first, ..] => format!("Virtual media mount failed for node {node}. Error: {first}"),
    };
    Err(DriverError::InvalidParameter(text))
}

/// Whether discs reach the BMC as the node wants it. BMCs get an address, by HTTP or HTTPS.
pub(in crate::redfish) fn check_transport(
    machine: &Machine<'_>,
    url: Option<&str>,
) -> Result<(), DriverError> {
    let Some(asked) = boot_image::text(machine.driver_info, TRANSPORT) else {
        return Ok(());
    };
    let known = ["HTTP", "HTTPS"].into_iter();
    let mut served = known.filter(|known| url.is_none_or(|url| protocol(url) == *known));
    if served.any(|served| served.eq_ignore_ascii_case(&asked)) {
        return Ok(());
    }
    let node = machine.node.id;
    Err(DriverError::InvalidParameter(match url {
        None => format!(
            "Node {node} requested transport protocol {asked} via driver_info/{TRANSPORT}, but this service only has HTTP and HTTPS. Change or remove it"
        ),
        Some(url) => format!(
            "Node {node} requested transport protocol {asked} via driver_info/{TRANSPORT}, but the image is served by {}. Remove it, or change [deploy]http_url or the address of the image",
            protocol(url)
        ),
    }))
}

/// What an address begins with, as Redfish calls it.
fn protocol(url: &str) -> &'static str {
    match url.starts_with("https:") {
        true => "HTTPS",
        false => "HTTP",
    }
}

/// Tries the drives of one owner; whether one of them took the image.
async fn insert_into(
    talk: &mut Talk<'_>,
    owner: &Resource,
    word: &str,
    url: &str,
    slot: Option<&str>,
    causes: &mut Vec<String>,
) -> Result<bool, RedfishError> {
    // What is in there may be reported for a while after it was ejected, so nothing is believed.
    for drive in drives(talk, owner).await? {
        if takes(&drive, word)
            && is_inserted(&drive)
            && let Err(error) = eject(talk, &drive).await
        {
            let error = types::error::chain(&error);
            tracing::debug!(bmc = talk.peer(), error, "a medium cannot be ejected");
        }
    }
    for drive in drives(talk, owner).await? {
        if slot.is_some_and(|slot| slot != drive.id()) || !takes(&drive, word) {
            continue;
        }
        match put_in(talk, &drive, url).await {
            Ok(false) => {}
            Ok(true) => {
                check(talk, &drive).await?;
                return Ok(true);
            }
            // Some drives are for the maker's own console only.
            Err(error) if matches!(error.status(), Some(400 | 404 | 405)) => {
                causes.push(error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Asks a drive to take an image; whether it knows how to.
async fn put_in(talk: &Talk<'_>, drive: &Resource, url: &str) -> Result<bool, RedfishError> {
    let mut body = put("Image", url.into());
    if drive.action(INSERT).is_none() {
        if drive.action(EJECT).is_some() {
            return Ok(false);
        }
        // Some have no such action, and are written to instead.
        body.insert("Inserted".into(), true.into());
        body.insert("WriteProtected".into(), true.into());
        talk.patch(drive, &body).await?;
        return Ok(true);
    }
    for _ in 1..FORMS {
        let Err(error) = talk.action(drive, INSERT, &body).await else {
            return Ok(true);
        };
        let Some((key, value)) = demanded(&error, &body, url) else {
            return Err(error);
        };
        if key == "UserName" {
            body.insert("Password".into(), value.into());
        }
        body.insert(key.into(), value.into());
    }
    talk.action(drive, INSERT, &body).await.map(|_| true)
}

/// A parameter that the standard calls optional and the service misses.
fn demanded(
    error: &RedfishError,
    body: &JsonMap,
    url: &str,
) -> Option<(&'static str, &'static str)> {
    [
        ("TransferProtocolType", protocol(url)),
        ("TransferMethod", "Stream"),
        ("UserName", "none"),
    ]
    .into_iter()
    .find(|(key, _)| !body.contains_key(*key) && error.mentions(key))
}

/// Whether the medium is there; a service may take its time to read it.
async fn check(talk: &mut Talk<'_>, drive: &Resource) -> Result<(), RedfishError> {
    let (watch, limit) = (talk.settings.watch_insert, talk.settings.insert_wait);
    let until = Instant::now() + limit;
    loop {
        let found = talk.get(&drive.path).await?;
        if is_inserted(&found) {
            return Ok(());
        }
        if !watch || Instant::now() >= until {
            return Err(DriverError::NotKept {
                peer: talk.peer().to_owned(),
                what: "virtual medium",
                asked: format!("an image in {}", drive.id()),
                found: "an empty drive".to_owned(),
            }
            .into());
        }
        let pause = talk.settings.insert_pause;
        talk.rest(pause).await?;
    }
}

/// Empties one drive.
pub(in crate::redfish) async fn eject(
    talk: &Talk<'_>,
    drive: &Resource,
) -> Result<(), RedfishError> {
    let outcome = if drive.action(EJECT).is_some() {
        talk.action(drive, EJECT, &JsonMap::new()).await
    } else {
        let mut body = put("Image", Value::Null);
        body.insert("Inserted".into(), false.into());
        talk.patch(drive, &body).await
    };
    // A service may refuse to empty what is empty.
    let found = talk.get(&drive.path).await?;
    match outcome {
        _ if !is_inserted(&found) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(DriverError::NotKept {
            peer: talk.peer().to_owned(),
            what: "virtual medium",
            asked: format!("{} to be empty", drive.id()),
            found: "an image".to_owned(),
        }
        .into()),
    }
}

/// Empties the drives for the devices named, or all, of the machine and of its managers.
pub(in crate::redfish) async fn eject_all(
    redfish: &Redfish,
    info: &Info,
    devices: Option<&[String]>,
) -> Result<(), DriverError> {
    let words: Option<Vec<&str>> = devices
        .map(|devices| devices.iter().map(|device| known(device)).collect())
        .transpose()?;
    let talk = redfish.talk(info, "ejecting virtual media").await?;
    let system = talk.system().await?;
    let managers = talk.managers(&system).await?;
    let mut seen = Vec::new();
    for owner in std::iter::once(&system).chain(&managers) {
        let Some(collection) = owner.link("VirtualMedia") else {
            continue;
        };
        // Some show the same drives in both places.
        for member in talk.members(collection).await? {
            if seen.contains(&member) {
                continue;
            }
            let drive = talk.get(&member).await?;
            seen.push(member);
            let is_meant = words
                .as_ref()
                .is_none_or(|words| words.iter().any(|word| takes(&drive, word)));
            if is_meant && is_inserted(&drive) {
                eject(&talk, &drive).await?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Node, NodeId};

    #[test]
    fn only_what_is_served_can_be_asked_for() {
        let mut node = Node::new(NodeId::generate(), "redfish");
        let mut checked = |asked: Value, url: Option<&str>| {
            let info = put(TRANSPORT, asked);
            check_transport(&Machine::new(&mut node, &info, &[]), url)
        };
        for (asked, url) in [
            (json!(null), None),
            (json!("HTTP"), None),
            (json!("https"), None),
            (json!("HTTP"), Some("http://h/a")),
            (json!("HTTPS"), Some("https://h/a")),
        ] {
            checked(asked, url).unwrap();
        }
        for asked in ["NFS", "CIFS", "SMB", "x"] {
            let told = checked(json!(asked), None).unwrap_err().to_string();
            assert!(told.contains(asked) && told.contains(TRANSPORT), "{told}");
        }
        let told = checked(json!("HTTPS"), Some("http://h/a")).unwrap_err();
        assert!(told.to_string().contains("served by HTTP."), "{told}");
        checked(json!("HTTP"), Some("https://h/a")).unwrap_err();
    }

    #[test]
    fn drives_take_what_they_say() {
        let drive = |types: Value| Resource::new("/v/1", None, put("MediaTypes", types));
        assert!(takes(&drive(json!(["CD", "DVD"])), "CD"));
        assert!(takes(&drive(json!(["DVD"])), "CD"));
        assert!(!takes(&drive(json!(["DVD"])), "Floppy"));
        assert!(!takes(&drive(json!(null)), "CD"));
        let mut image = drive(json!([]));
        assert!(!is_inserted(&image));
        image.body.insert("Image".into(), "http://a".into());
        assert!(is_inserted(&image));
        image.body.insert("Inserted".into(), false.into());
        assert!(!is_inserted(&image));
    }
}
