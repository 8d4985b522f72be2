//! The addresses of a node's BMC, by which a machine that reports can be recognised.

use super::hook::is_loopback;
use std::time::Duration;
use types::{JsonMap, Node};

/// How long a name may take to become addresses.
const PATIENCE: Duration = Duration::from_secs(5);

/// Notes the addresses that `driver_info` tells, names and what they stand for.
pub(crate) async fn note(node: &mut Node) {
    let mut all: Vec<String> = Vec::new();
    for host in hosts(&node.driver_info) {
        let query = tokio::time::timeout(PATIENCE, tokio::net::lookup_host((host.as_str(), 0)));
        match query.await {
            Ok(Ok(found)) => all.extend(found.map(|address| address.ip().to_string())),
            Ok(Err(error)) => {
                tracing::warn!(node = %node.id, host, %error, "a BMC's name cannot be resolved");
                continue;
            }
            Err(_) => {
                tracing::warn!(node = %node.id, host, "a BMC's name cannot be resolved in time");
                continue;
            }
        }
        all.push(host);
    }
    all.retain(|address| !is_loopback(address));
    all.sort();
    all.dedup();
    if all.is_empty() {
        node.driver_internal_info.forget_bmc_addresses();
    } else {
        node.driver_internal_info.set_bmc_addresses(all);
    }
}

/// The hosts that `…_address` keys name, be it in a URL.
fn hosts(driver_info: &JsonMap) -> Vec<String> {
    let bridged = driver_info
        .get("ipmi_bridging")
        .is_some_and(|mode| mode != "no");
    let addresses = driver_info.iter().filter(|(key, _)| {
        // Behind a bridge, all machines have the same address.
        key.ends_with("_address") && !(bridged && key.starts_with("ipmi_"))
    });
    addresses
        .filter_map(|(_, value)| value.as_str())
        .map(host)
        .filter(|host| !host.is_empty())
        .collect()
}

/// The host of a URL, or the text itself, without brackets.
fn host(address: &str) -> String {
    let host = match address.split_once("//") {
        None => address,
        Some((_, rest)) => {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            let place = authority.rsplit('@').next().unwrap_or_default();
            match place
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'))
            {
                Some((v6, _)) => v6,
                None => place.split(':').next().unwrap_or_default(),
            }
        }
    };
    host.trim_matches(['[', ']']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{super::subject::tests::map, *};
    use serde_json::json;
    use types::{NodeId, internal_info::LOOKUP_BMC_ADDRESSES};

    #[test]
    fn hosts_are_found_in_all_spellings() {
        for (address, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("[2001:db8::9]", "2001:db8::9"),
            ("https://192.0.2.7/redfish", "192.0.2.7"),
            ("https://u:p@bmc.example:8000", "bmc.example"),
            ("https://[2001:db8::9]:8000/x", "2001:db8::9"),
            ("//h", "h"),
            ("https://", ""),
        ] {
            assert_eq!(host(address), expected, "{address}");
        }
    }

    #[tokio::test]
    async fn addresses_are_noted_without_loopback_and_bridges() {
        let mut node = Node::new(NodeId::generate(), "ipmi");
        node.driver_info = map(json!({
            "ipmi_address": "192.0.2.77", "redfish_address": "https://[2001:db8::9]/redfish",
            "deploy_kernel": "http://192.0.2.1/k", "odd_address": 5, "local_address": "127.0.0.1",
        }));
        note(&mut node).await;
        assert_eq!(
            node.driver_internal_info
                .raw_json()
                .get(LOOKUP_BMC_ADDRESSES),
            Some(&json!(["192.0.2.77", "2001:db8::9"]))
        );
        node.driver_info = map(json!({"ipmi_address": "192.0.2.77", "ipmi_bridging": "single"}));
        note(&mut node).await;
        assert_eq!(
            node.driver_internal_info
                .raw_json()
                .get(LOOKUP_BMC_ADDRESSES),
            None
        );
    }
}
