//! What `driver_info` may say where somebody writes it who does not run this service.
//!
//! An owner may change where a node's BMC is. The service then goes there, with the password that
//! the owner is not shown, and reads the files of authorities that the owner names. So whoever is
//! not trusted with every node brings the secrets along when the place changes, and names only
//! files that the operator meant for that. The operator is whoever may enrol nodes for everybody
//! (`baremetal:node:create`).

use crate::{
    call::Call,
    error::ApiError,
    patch::Patch,
    policy::{Rule, Target},
};
use serde_json::Value;
use std::{collections::HashSet, path::Path};
use types::{JsonMap, mask, path::without_dots};

/// Keys that decide where the secrets go whose names begin the same way.
const PLACES: &[(&str, &[&str])] = &[
    (
        "redfish_",
        &["redfish_address", "redfish_system_id", "redfish_verify_ca"],
    ),
    ("ipmi_", &["ipmi_address", "ipmi_port"]),
    ("snmp_", &["snmp_address", "snmp_port"]),
    ("ilo_", &["ilo_address", "client_port", "ilo_verify_ca"]),
    ("irmc_", &["irmc_address", "irmc_port", "irmc_verify_ca"]),
    ("iboot_", &["iboot_address", "iboot_port"]),
    ("msftocs_", &["msftocs_base_url", "msftocs_verify_ca"]),
    ("ucs_", &["ucs_address", "ucs_verify_ca"]),
    ("cimc_", &["cimc_address", "cimc_verify_ca"]),
    (
        "amt_",
        &["amt_address", "amt_port", "amt_protocol", "amt_verify_ca"],
    ),
    (
        "drac_",
        &[
            "drac_address",
            "drac_host",
            "drac_port",
            "drac_path",
            "drac_protocol",
            "drac_verify_ca",
        ],
    ),
    (
        "seamicro_",
        &["seamicro_api_endpoint", "seamicro_verify_ca"],
    ),
    (
        "ssh_",
        &[
            "ssh_address",
            "ssh_port",
            "ssh_host_key",
            "ssh_verify_host_key",
        ],
    ),
    // Without an address of its own the screen is where the BMC is.
    ("vnc_", &["vnc_address", "vnc_port", "redfish_address"]),
];

/// Whether the caller is trusted with every node.
fn is_operator(call: &Call) -> bool {
    call.allows(Rule::NodeCreate, &Target::NONE)
}

/// Looks at the `driver_info` that a caller wants a new node to have.
pub(super) fn check_new(call: &Call, driver_info: &JsonMap) -> Result<(), ApiError> {
    if is_operator(call) {
        return Ok(());
    }
    check_authorities(call, &JsonMap::new(), driver_info)
}

/// Looks at what a patch makes of the `driver_info` of a node.
pub(super) fn check_change(
    call: &Call,
    patch: &Patch,
    before: &JsonMap,
    after: &JsonMap,
) -> Result<(), ApiError> {
    if !patch.touches("driver_info") || is_operator(call) {
        return Ok(());
    }
    check_authorities(call, before, after)?;
    if call.state.settings.bmc_change_needs_secrets
        && !call.allows(Rule::ShowPassword, &Target::NONE)
    {
        check_secrets(patch, before, after)?;
    }
    Ok(())
}

/// Whether new paths of authorities are among those that everybody may name.
fn check_authorities(call: &Call, before: &JsonMap, after: &JsonMap) -> Result<(), ApiError> {
    let allowed = &call.state.settings.verify_ca_paths;
    for (key, value) in after {
        if !key.ends_with("_verify_ca") || before.get(key) == Some(value) {
            continue;
        }
        // Words for yes and no are told apart from paths as those who use them do.
        let path = value.as_str().filter(|text| text.contains('/'));
        let Some(path) = path.map(|text| without_dots(Path::new(text))) else {
            continue;
        };
        if !allowed
            .iter()
            .any(|allowed| path.starts_with(without_dots(allowed)))
        {
            return Err(ApiError::invalid(format!(
                "driver_info/{key} names a path that is not below one of [corten]verify_ca_paths. Only administrators of the whole system may name others."
            )));
        }
    }
    Ok(())
}

/// Whether all secrets are brought along that would go to another place.
fn check_secrets(patch: &Patch, before: &JsonMap, after: &JsonMap) -> Result<(), ApiError> {
    let written = Written::of(patch);
    for (family, places) in PLACES {
        let moved: Vec<&str> = places
            .iter()
            .copied()
            .filter(|key| place(before, key) != place(after, key))
            .collect();
        if moved.is_empty() {
            continue;
        }
        let missing: Vec<&str> = before
            .iter()
            .filter(|(key, value)| key.starts_with(family) && holds_secret(key, value))
            .map(|(key, _)| key.as_str())
            .filter(|key| !written.holds(key))
            .collect();
        if !missing.is_empty() {
            return Err(ApiError::invalid(format!(
                "A change of {} sends secrets that you are not shown to another place. Give these driver_info keys in the same request: {}",
                moved.join(", "),
                missing.join(", ")
            )));
        }
    }
    Ok(())
}

/// A value without the password of an address: that is sealed in one and open in the other, and
/// leads nowhere else.
fn place(info: &JsonMap, key: &str) -> Option<Value> {
    Some(match info.get(key)? {
        Value::String(text) => mask::address(text).into(),
        other => other.clone(),
    })
}

fn holds_secret(key: &str, value: &Value) -> bool {
    mask::is_secret_key(key) && !value.is_null() && value != ""
}

/// Keys of `driver_info` that operations write or remove, by themselves or all at once.
struct Written<'p> {
    all: bool,
    keys: HashSet<&'p str>,
}

impl<'p> Written<'p> {
    fn of(patch: &'p Patch) -> Self {
        let paths = patch
            .0
            .iter()
            .filter_map(|op| op.path.strip_prefix("/driver_info"));
        Self {
            all: paths.clone().any(str::is_empty),
            keys: paths.filter_map(|path| path.strip_prefix('/')).collect(),
        }
    }

    fn holds(&self, key: &str) -> bool {
        self.all || self.keys.contains(key)
    }
}

#[cfg(test)]
#[path = "guard/tests.rs"]
mod tests;
