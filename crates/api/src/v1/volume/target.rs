//! `volume/targets`: the remote volumes themselves.

use super::{Volume, map, rows_of, text};
use crate::{
    args::{self, object},
    call::Call,
    error::ApiError,
    policy::{HiddenFields, Rule, Target},
    schema::{Schema, Type},
    v1::collection::Collection,
    view::volume::{TARGET, TARGET_DEFAULT, TARGET_QUERYABLE},
};
use serde_json::{Value, json};
use store::{Db, Page, StoreError, volume::VolumeFilter};
use types::{Fault, JsonMap, NodeId, VolumeTarget, VolumeTargetId};

/// Everything that a client may say about a target.
pub(crate) const SCHEMA: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("boot_index", Schema::of(&[Type::Integer])),
        ("extra", Schema::of(&[Type::Object, Type::Null])),
        ("node_uuid", Schema::of(&[Type::String])),
        ("properties", Schema::of(&[Type::Object, Type::Null])),
        ("volume_id", Schema::of(&[Type::String])),
        ("volume_type", Schema::of(&[Type::String])),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
    ],
    required: &["boot_index", "node_uuid", "volume_id", "volume_type"],
    closed: true,
    ..Schema::ANY
};

impl Volume for VolumeTarget {
    type Id = VolumeTargetId;

    const KIND: Collection<Self> = Collection {
        name: "targets",
        fields: TARGET,
        id: |row| row.id.to_string(),
    };
    const NAME: &'static str = "target";
    const IDENT: &'static str = "target_uuid";
    const PATH: &'static str = "volume/targets";
    const SCHEMA: &'static Schema = &SCHEMA;
    const ALLOWED: &'static [&'static str] = &[
        "boot_index",
        "extra",
        "node_uuid",
        "properties",
        "volume_id",
        "volume_type",
    ];
    const QUERYABLE: &'static [&'static str] = TARGET_QUERYABLE;
    const DEFAULT: &'static [&'static str] = TARGET_DEFAULT;
    const UNSORTABLE: &'static [&'static str] = &["extra", "properties"];

    rows_of!(target: create_target, update_target, destroy_target);

    fn empty(id: Self::Id, node: NodeId) -> Self {
        Self::new(id, node, "", 0, "")
    }

    fn apply(&mut self, body: &Value) -> Result<(), ApiError> {
        let index = body.get("boot_index").unwrap_or(&Value::Null);
        self.boot_index = args::integer("boot_index", index)?;
        if i32::try_from(self.boot_index).is_err() {
            return Err(ApiError::invalid(format!(
                "Invalid boot_index: {} is out of range",
                self.boot_index
            )));
        }
        self.volume_id = text(body, "volume_id");
        self.volume_type = text(body, "volume_type");
        self.properties = map(body, "properties");
        self.extra = map(body, "extra");
        Ok(())
    }

    fn attributes(&self) -> JsonMap {
        object(json!({
            "boot_index": self.boot_index,
            "extra": self.extra,
            "node_uuid": self.node.to_string(),
            "properties": self.properties,
            "volume_id": self.volume_id,
            "volume_type": self.volume_type,
        }))
    }

    /// How to get at a volume is not for everybody.
    fn shown(mut self, call: &Call) -> Self {
        if !call.allows(Rule::VolumeViewTargetProperties, &Target::NONE) {
            let notice = Value::from(HiddenFields::TARGET_PROPERTIES);
            self.properties = JsonMap::from_iter([("redacted_contents".to_owned(), notice)]);
        }
        self
    }

    fn not_found(uuid: &str) -> ApiError {
        Fault::TargetNotFound(uuid.to_owned()).into()
    }
}
