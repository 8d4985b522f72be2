//! Differences that are meant.

use serde_json::Value;

/// A recorded answer that ours differs from.
struct Difference {
    recording: &'static str,
    /// Name of the request.
    name: &'static str,
    /// The status of ours.
    status: u64,
    reason: &'static str,
}

const DIFFERENCES: &[Difference] = &[
    Difference {
        recording: "faults",
        name: "list: fields conductor",
        status: 200,
        reason: "the original fails on a request that has nothing wrong with it",
    },
    Difference {
        recording: "faults",
        name: "list: fields chassis_uuid",
        status: 200,
        reason: "the original fails on a request that has nothing wrong with it",
    },
    Difference {
        recording: "faults",
        name: "patch: automated_clean removed",
        status: 200,
        reason: "the original fails on a request that has nothing wrong with it",
    },
];

/// What ours answers where it differs from the original on purpose.
pub(super) fn status(recording: &str, name: &str) -> Option<u64> {
    let found = DIFFERENCES
        .iter()
        .find(|d| d.recording == recording && d.name == name);
    found.map(|d| d.status)
}

/// A row that excuses nothing any more must go.
pub(super) fn check_all_used(recording: &str, used: &[&str]) {
    for row in DIFFERENCES.iter().filter(|row| row.recording == recording) {
        let name = row.name;
        assert!(used.contains(&name), "no request {name} ({})", row.reason);
    }
}

/// A recorded document as this build would show it: it does not have the deploy interface `direct`.
pub(super) fn document(recorded: &Value) -> Value {
    match recorded {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let mut value = document(value);
                if key == "enabled_deploy_interfaces"
                    && let Value::Array(names) = &mut value
                {
                    names.retain(|name| name != "direct");
                }
                (key.clone(), value)
            })
            .collect(),
        Value::Array(items) => items.iter().map(document).collect(),
        Value::String(text) => text.replace("['direct', 'fake']", "['fake']").into(),
        other => other.clone(),
    }
}
