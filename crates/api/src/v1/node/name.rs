//! Which names a node may have.

use crate::{call::Call, error::ApiError, lookup};
use serde_json::Value;
use types::{id::is_uuid_like, pyrepr, version::since};

/// Words that stand in paths where a name could stand.
const RESERVED: &[&str] = &[
    "maintenance",
    "management",
    "states",
    "vendor_passthru",
    "detail",
    "validate",
];

/// Refuses a name. `complaint` is what the message says before the name in quotes.
pub(crate) fn check(call: &Call, name: &Value, complaint: &str) -> Result<(), ApiError> {
    call.require(since::NODE_NAME)?;
    let well_formed = name
        .as_str()
        .filter(|text| lookup::is_node_name(call, text) && !is_uuid_like(text));
    let Some(text) = well_formed else {
        return Err(ApiError::invalid(format!(
            "{complaint} '{}'",
            pyrepr::to_str(name)
        )));
    };
    if RESERVED.contains(&text) {
        return Err(ApiError::invalid(format!(
            "The word \"{text}\" is reserved and can not be used as a node name. Reserved words are: {}.",
            RESERVED.join(", ")
        )));
    }
    Ok(())
}
