//! How a machine presents itself to Cinder: made of its volume connectors.

use serde::{Deserialize, Serialize};

/// A volume connector of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectorRecord<'a> {
    /// `iqn`, `ip`, `wwpn`, `wwnn`; others are ignored.
    pub connector_type: &'a str,
    pub connector_id: &'a str,
}

/// The connector of a request to Cinder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connector {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiator: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wwpns: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wwnns: Vec<String>,
    /// The node.
    pub host: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multipath: bool,
}

/// A node that no volume can be connected to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "Insufficient or incompatible volume connection records for node {node}. Valid connector \
     types: wwpn, wwnn, iqn"
)]
pub struct NoUsableConnector {
    node: String,
}

impl Connector {
    /// Of the connectors of a node, in their order. The caller warns about types that are ignored.
    pub fn of(node: &str, records: &[ConnectorRecord<'_>]) -> Result<Self, NoUsableConnector> {
        let of_type = |connector_type| {
            let matching = records
                .iter()
                .filter(move |record| record.connector_type == connector_type);
            matching.map(|record| record.connector_id.to_owned())
        };
        let connector = Self {
            initiator: of_type("iqn").next(),
            ip: of_type("ip").next(),
            wwpns: of_type("wwpn").collect(),
            wwnns: of_type("wwnn").collect(),
            host: node.to_owned(),
            multipath: records.len() > 1,
        };
        let is_usable = connector.initiator.is_some()
            || !connector.wwpns.is_empty()
            || !connector.wwnns.is_empty();
        match is_usable {
            true => Ok(connector),
            false => Err(NoUsableConnector {
                node: node.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const IQN: &str = "iqn.2017-05.org.openstack:lab-initiator";

    fn connector(records: &[(&str, &str)]) -> Result<Value, NoUsableConnector> {
        let records: Vec<_> = records
            .iter()
            .map(|(connector_type, connector_id)| ConnectorRecord {
                connector_type,
                connector_id,
            })
            .collect();
        Connector::of("N", &records).map(|connector| json!(connector))
    }

    #[test]
    fn connectors_are_as_recorded() {
        assert_eq!(
            connector(&[("iqn", IQN)]),
            Ok(json!({"initiator": IQN, "host": "N"}))
        );
        assert_eq!(
            connector(&[("iqn", IQN), ("ip", "192.0.2.77")]),
            Ok(json!({"initiator": IQN, "ip": "192.0.2.77", "host": "N", "multipath": true}))
        );
        assert_eq!(
            connector(&[("wwpn", "a"), ("wwpn", "b"), ("wwnn", "c"), ("mac", "d")]),
            Ok(json!({"wwpns": ["a", "b"], "wwnns": ["c"], "host": "N", "multipath": true}))
        );
        for useless in [&[][..], &[("ip", "192.0.2.77")], &[("mac", "d")]] {
            let error = connector(useless).unwrap_err();
            assert_eq!(
                error.to_string(),
                "Insufficient or incompatible volume connection records for node N. Valid \
                 connector types: wwpn, wwnn, iqn"
            );
        }
    }
}
