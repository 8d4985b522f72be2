//! What operators say about a machine's BMC.

use types::{JsonMap, pyrepr};

/// The keys that have no value. As in Ironic, what Python takes for false is none.
pub(crate) fn missing<'k>(driver_info: &JsonMap, keys: &[&'k str]) -> Vec<&'k str> {
    let has = |key: &str| driver_info.get(key).is_some_and(pyrepr::truth);
    keys.iter().copied().filter(|key| !has(key)).collect()
}
