//! What Neutron says about a port.

use crate::{Reason, answer::parse_here};
use serde::{Deserialize, Deserializer};
use types::{JsonMap, port::MacAddress};

/// A port. Members that only some callers see (bindings are for admins) may be missing.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Port {
    pub id: String,
    #[serde(default)]
    pub name: String,
    pub network_id: String,
    #[serde(default)]
    pub mac_address: String,
    #[serde(default)]
    pub status: PortStatus,
    #[serde(default)]
    pub device_id: String,
    #[serde(default)]
    pub device_owner: String,
    #[serde(default)]
    pub fixed_ips: Vec<FixedIp>,
    #[serde(rename = "binding:host_id", default)]
    pub host_id: Option<String>,
    #[serde(rename = "binding:vif_type", default)]
    pub vif_type: Option<VifType>,
    #[serde(rename = "binding:vnic_type", default)]
    pub vnic_type: Option<String>,
    #[serde(rename = "binding:profile", default)]
    pub profile: Option<JsonMap>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FixedIp {
    #[serde(default)]
    pub subnet_id: Option<String>,
    #[serde(default)]
    pub ip_address: Option<String>,
}

/// Whether a port is plugged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PortStatus {
    Active,
    Down,
    Build,
    Error,
    /// `N/A`, or what a plugin made up.
    #[default]
    Unknown,
}

impl<'de> Deserialize<'de> for PortStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(match text.as_deref() {
            Some("ACTIVE") => Self::Active,
            Some("DOWN") => Self::Down,
            Some("BUILD") => Self::Build,
            Some("ERROR") => Self::Error,
            _ => Self::Unknown,
        })
    }
}

/// What binding a port to a host led to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum VifType {
    Unbound,
    /// No mechanism driver knows the link, or the switch refused.
    BindingFailed,
    /// Bound, in a way that only the mechanism driver knows.
    Bound(String),
}

impl From<String> for VifType {
    fn from(text: String) -> Self {
        match text.as_str() {
            "unbound" | "" => Self::Unbound,
            "binding_failed" => Self::BindingFailed,
            _ => Self::Bound(text),
        }
    }
}

/// How far a port that was bound has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingProgress {
    Active,
    Waiting,
    Failed,
}

impl Port {
    /// Reads one port, without the envelope.
    pub fn read(document: &[u8]) -> Result<Self, Reason> {
        parse_here(document)
    }

    /// Whether a host claims the port. Its MAC address cannot be changed then.
    pub fn is_bound(&self) -> bool {
        self.host_id.as_deref().is_some_and(|host| !host.is_empty())
    }

    /// Whether a host claims the port and a switch may pass its traffic. Who may not see how ports
    /// are bound cannot rule it out.
    pub fn may_be_plugged(&self) -> bool {
        let may = |kind: &VifType| matches!(kind, VifType::Bound(_));
        self.is_bound() && self.vif_type.as_ref().is_none_or(may)
    }

    /// The host that claims the port, if that is another one than `host`. A port with the address of
    /// `host` is its own: the host of a smart NIC may have been renamed.
    pub fn other_host(&self, host: &str, mac: Option<MacAddress>) -> Option<&str> {
        let is_own = mac.is_some() && self.mac() == mac;
        let other = self.host_id.as_deref();
        other.filter(|other| !other.is_empty() && *other != host && !is_own)
    }

    pub fn mac(&self) -> Option<MacAddress> {
        self.mac_address.parse().ok()
    }

    /// Ironic looks for the failure under a name that does not exist, and polls for 1000 s instead.
    pub fn binding_progress(&self) -> BindingProgress {
        match (&self.vif_type, &self.status) {
            (Some(VifType::BindingFailed), _) | (_, PortStatus::Error) => BindingProgress::Failed,
            (_, PortStatus::Active) => BindingProgress::Active,
            _ => BindingProgress::Waiting,
        }
    }

    /// The versions of IP that it has addresses of.
    pub fn ip_versions(&self) -> Vec<u8> {
        let addresses = self
            .fixed_ips
            .iter()
            .filter_map(|ip| ip.ip_address.as_deref());
        let mut versions: Vec<u8> = addresses
            .filter_map(|address| address.parse().ok())
            .map(|address: std::net::IpAddr| if address.is_ipv4() { 4 } else { 6 })
            .collect();
        versions.sort_unstable();
        versions.dedup();
        versions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// As recorded.
    pub(crate) fn recorded() -> Value {
        json!({
            "id": "0f3ab5d1-fe15-4596-8d16-dec14fa3f2f5", "name": "",
            "network_id": "dd3ad833-7c73-4acc-8ae5-303acbc0acf2",
            "project_id": "d5f20490ecac44f0a2a8d3c3ac15d86a",
            "mac_address": "52:54:00:00:10:09", "admin_state_up": true, "status": "ACTIVE",
            "device_id": "bd3f4ea2-e7f6-4de7-a90d-33de349dd227",
            "device_owner": "baremetal:none",
            "fixed_ips": [{"subnet_id": "7a051691-0b25-4496-9c0c-f870bbd353e2",
                           "ip_address": "198.51.100.40"}],
            "allowed_address_pairs": [], "extra_dhcp_opts": [],
            "security_groups": ["cebc866a-4144-4af1-8312-7b34e47701ea"], "description": "",
            "binding:vnic_type": "baremetal",
            "binding:profile": {"local_link_information": [{"switch_id": "00:11:22:33:44:55"}]},
            "binding:host_id": "bd3f4ea2-e7f6-4de7-a90d-33de349dd227",
            "binding:vif_type": "other",
            "binding:vif_details": {"bound_drivers": {"0": "genericswitch"}},
            "port_security_enabled": true, "tags": [], "revision_number": 5,
        })
    }

    fn port(changes: &Value) -> Port {
        let mut document = recorded();
        for (name, value) in changes.as_object().into_iter().flatten() {
            document[name] = value.clone();
        }
        Port::read(document.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn bindings_are_judged_by_their_values() {
        for (changes, progress) in [
            (json!({}), BindingProgress::Active),
            (json!({"status": "DOWN"}), BindingProgress::Waiting),
            (json!({"status": "BUILD"}), BindingProgress::Waiting),
            (json!({"status": "ERROR"}), BindingProgress::Failed),
            (
                json!({"status": "DOWN", "binding:vif_type": "binding_failed"}),
                BindingProgress::Failed,
            ),
            (json!({"status": null}), BindingProgress::Waiting),
        ] {
            assert_eq!(port(&changes).binding_progress(), progress, "{changes}");
        }
        assert!(port(&json!({})).is_bound());
        assert!(!port(&json!({"binding:host_id": ""})).is_bound());
        assert!(!port(&json!({"binding:host_id": null})).is_bound());
        for (changes, plugged) in [
            (json!({}), true),
            (json!({"status": "DOWN"}), true),
            (json!({"binding:vif_type": null}), true),
            (json!({"binding:vif_type": "unbound"}), false),
            (json!({"binding:vif_type": "binding_failed"}), false),
            (json!({"binding:host_id": ""}), false),
        ] {
            assert_eq!(port(&changes).may_be_plugged(), plugged, "{changes}");
        }
        for (changes, other) in [
            (json!({"binding:host_id": "b"}), Some("b")),
            (json!({"binding:host_id": "a"}), None),
            (json!({"binding:host_id": ""}), None),
            (json!({"binding:host_id": null}), None),
            (
                json!({"binding:host_id": "b", "mac_address": "52:54:00:00:00:01"}),
                None,
            ),
        ] {
            let mac = "52:54:00:00:00:01".parse().ok();
            assert_eq!(port(&changes).other_host("a", mac), other, "{changes}");
        }
        let both = json!({"fixed_ips": [
            {"subnet_id": "s", "ip_address": "2001:db8::1"},
            {"subnet_id": "t", "ip_address": "192.0.2.1"},
            {"subnet_id": "t", "ip_address": "garbage"},
            {"subnet_id": "t"},
        ]});
        assert_eq!(port(&both).ip_versions(), [4, 6]);
        assert_eq!(port(&json!({"fixed_ips": []})).first_subnet(), None);
    }

    proptest! {
        #[test]
        fn damaged_ports_are_read_or_refused(
            name in "(binding:(host_id|vif_type|profile|vnic_type)|status|fixed_ips|id|mac_address)",
            text: String,
            shape in 0..6,
        ) {
            let mut document = recorded();
            document[&name] = match shape {
                0 => Value::Null,
                1 => json!(text),
                2 => json!([text]),
                3 => json!({text.clone(): 1}),
                4 => json!([{"subnet_id": text, "ip_address": text}]),
                _ => json!(-1),
            };
            if let Ok(port) = Port::read(document.to_string().as_bytes()) {
                port.binding_progress();
                port.ip_versions();
                port.first_subnet();
            }
        }
    }
}
