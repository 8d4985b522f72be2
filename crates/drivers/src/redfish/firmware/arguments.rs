//! Arguments of steps that update firmware.

use super::components::NIC;
use crate::DriverError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::pyrepr;

/// What kind of thing gets new firmware; each has its own way of taking it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirmwareComponent {
    Bios,
    Bmc,
    Nic,
    Unknown,
}

/// One image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Update {
    pub(super) component: Option<String>,
    pub(super) url: String,
    /// Seconds that are to pass after it.
    pub(super) wait: Option<u64>,
}

impl Update {
    pub(super) fn kind(&self) -> FirmwareComponent {
        match self.component.as_deref() {
            Some("bios") => FirmwareComponent::Bios,
            Some("bmc") => FirmwareComponent::Bmc,
            Some(name) if name.starts_with(NIC) => FirmwareComponent::Nic,
            _ => FirmwareComponent::Unknown,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.component.as_deref().unwrap_or("firmware")
    }
}

/// The argument of the firmware interface's step.
pub(super) fn settings(list: Option<&Value>) -> Result<Vec<Update>, DriverError> {
    of_list(list, &["component", "url"], &["component", "url", "wait"])
}

/// The argument of the management interface's step.
pub(super) fn images(list: Option<&Value>) -> Result<Vec<Update>, DriverError> {
    let known = ["url", "checksum", "wait", "source"];
    of_list(list, &["url", "checksum"], &known)
}

fn of_list(
    list: Option<&Value>,
    required: &[&str],
    known: &[&str],
) -> Result<Vec<Update>, DriverError> {
    let list = list.unwrap_or(&Value::Null);
    let shown = pyrepr::repr(list);
    let refused = |why: String| {
        DriverError::InvalidParameter(format!("Invalid firmware update {shown}. Errors: {why}"))
    };
    let items = list
        .as_array()
        .ok_or_else(|| refused(format!("{shown} is not of type 'array'")))?;
    if items.is_empty() {
        return Err(refused("[] should be non-empty".into()));
    }
    let updates = items.iter().map(|item| update(item, required, known));
    updates.collect::<Result<_, _>>().map_err(refused)
}

fn update(item: &Value, required: &[&str], known: &[&str]) -> Result<Update, String> {
    let shown = pyrepr::repr(item);
    let map = item
        .as_object()
        .ok_or_else(|| format!("{shown} is not of type 'object'"))?;
    if let Some(missing) = required.iter().find(|key| !map.contains_key(**key)) {
        return Err(format!("'{missing}' is a required property"));
    }
    if let Some(odd) = map.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!(
            "Additional properties are not allowed ('{odd}' was unexpected)"
        ));
    }
    let text = |key: &str| match map.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Err("'' should be non-empty".to_owned()),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("{} is not of type 'string'", pyrepr::repr(other))),
    };
    let component = text("component")?;
    if let Some(name) = &component
        && !matches!(name.as_str(), "bios" | "bmc")
        && !name.starts_with(NIC)
    {
        return Err(format!(
            "{} is not valid under any of the given schemas",
            pyrepr::repr_str(name)
        ));
    }
    text("checksum")?;
    let wait = match map.get("wait") {
        None => None,
        Some(wait) => match wait.as_i64() {
            None => return Err(format!("{} is not of type 'integer'", pyrepr::repr(wait))),
            Some(seconds) if seconds < 1 => {
                return Err(format!("{seconds} is less than the minimum of 1"));
            }
            Some(seconds) => u64::try_from(seconds).ok(),
        },
    };
    let source = text("source")?;
    let url = text("url")?.unwrap_or_default();
    let lower = url.to_lowercase();
    let is_served = lower.starts_with("http://") || lower.starts_with("https://");
    if !is_served || source.is_some_and(|source| source != "http") {
        return Err(format!(
            "{url}: this build hands images to BMCs only as they are served by http or https"
        ));
    }
    Ok(Update {
        component,
        url,
        wait,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal(list: Value) -> String {
        let refused = settings(Some(&list)).unwrap_err();
        assert!(matches!(refused, DriverError::InvalidParameter(_)));
        let text = refused.to_string();
        let start = format!("Invalid firmware update {}. Errors: ", pyrepr::repr(&list));
        text.strip_prefix(&start).unwrap().to_owned()
    }

    #[test]
    fn arguments_are_looked_over() {
        let one = |extra: Value| {
            let mut item = json!({"component": "bmc", "url": "http://h/f.bin"});
            let extra = extra.as_object().unwrap().clone();
            item.as_object_mut().unwrap().extend(extra);
            json!([item])
        };
        assert!(settings(Some(&one(json!({"wait": 5})))).is_ok());
        assert!(settings(Some(&one(json!({"component": "nic:A1"})))).is_ok());
        for (list, why) in [
            (json!([]), "[] should be non-empty"),
            (json!({}), "{} is not of type 'array'"),
            (
                json!([{"url": "http://h/f"}]),
                "'component' is a required property",
            ),
            (
                one(json!({"component": "disk"})),
                "'disk' is not valid under any of the given schemas",
            ),
            (one(json!({"wait": 0})), "0 is less than the minimum of 1"),
            (one(json!({"url": ""})), "'' should be non-empty"),
            (
                one(json!({"checksum": "abc"})),
                "Additional properties are not allowed ('checksum' was unexpected)",
            ),
        ] {
            assert_eq!(refusal(list), why);
        }
        let local = refusal(one(json!({"url": "file:///f"})));
        assert!(local.contains("only as they are served by http"), "{local}");
        let listed = json!([{"url": "https://h/f", "checksum": "abc", "wait": 1}]);
        assert_eq!(
            images(Some(&listed)).unwrap()[0].kind(),
            FirmwareComponent::Unknown
        );
        assert!(images(Some(&json!([{"url": "https://h/f"}]))).is_err());
        assert!(settings(None).is_err());
    }
}
