//! `volume/connectors`: how machines present themselves to a storage network.

use super::{Volume, map, rows_of, text};
use crate::{
    args::object,
    call::Call,
    error::ApiError,
    schema::{Schema, Type},
    v1::collection::Collection,
    view::volume::{CONNECTOR, CONNECTOR_DEFAULT, CONNECTOR_QUERYABLE},
};
use serde_json::{Value, json};
use store::{Db, Page, StoreError, volume::VolumeFilter};
use types::{Fault, JsonMap, NodeId, VolumeConnector, VolumeConnectorId};

/// Everything that a client may say about a connector.
pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("connector_id", Schema::of(&[Type::String])),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        ("node_uuid", Schema::of(&[Type::String])),
        ("type", Schema::of(&[Type::String])),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
    ],
    required: &["connector_id", "node_uuid", "type"],
    closed: true,
    ..Schema::ANY
};

impl Volume for VolumeConnector {
    type Id = VolumeConnectorId;

    const KIND: Collection<Self> = Collection {
        name: "connectors",
        fields: CONNECTOR,
        id: |row| row.id.to_string(),
    };
    const NAME: &'static str = "connector";
    const IDENT: &'static str = "connector_uuid";
    const PATH: &'static str = "volume/connectors";
    const SCHEMA: &'static Schema = &SCHEMA;
    const ALLOWED: &'static [&'static str] = &["connector_id", "extra", "node_uuid", "type"];
    const QUERYABLE: &'static [&'static str] = CONNECTOR_QUERYABLE;
    const DEFAULT: &'static [&'static str] = CONNECTOR_DEFAULT;
    const UNSORTABLE: &'static [&'static str] = &["extra"];

    rows_of!(connector: create_connector, update_connector, destroy_connector);

    fn empty(id: Self::Id, node: NodeId) -> Self {
        Self::new(id, node, "", "")
    }

    fn apply(&mut self, body: &Value) -> Result<(), ApiError> {
        self.kind = text(body, "type");
        self.connector_id = text(body, "connector_id");
        self.extra = map(body, "extra");
        Ok(())
    }

    fn attributes(&self) -> JsonMap {
        object(json!({
            "connector_id": self.connector_id,
            "extra": self.extra,
            "node_uuid": self.node.to_string(),
            "type": self.kind,
        }))
    }

    fn shown(self, _: &Call) -> Self {
        self
    }

    fn not_found(uuid: &str) -> ApiError {
        Fault::ConnectorNotFound(uuid.to_owned()).into()
    }
}
