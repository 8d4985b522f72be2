//! The shape of a node in a request.

use super::{Schema, Type};
use crate::check::network_data;
use Type::{Boolean, Null, Object, String as Text};

const OPTIONAL_TEXT: Schema = Schema::of(&[Text, Null]);
const OPTIONAL_OBJECT: Schema = Schema::of(&[Object, Null]);
/// Booleans may be written as words.
const OPTIONAL_FLAG: Schema = Schema::of(&[Text, Boolean, Null]);

/// The longest description.
pub const DESCRIPTION_LENGTH: usize = 4096;

/// The attributes of a node that a client may write on creation.
const CREATED: &[(&str, Schema)] = &[
    ("automated_clean", OPTIONAL_FLAG),
    ("bios_interface", OPTIONAL_TEXT),
    ("boot_interface", OPTIONAL_TEXT),
    ("boot_mode", OPTIONAL_TEXT),
    ("chassis_uuid", OPTIONAL_TEXT),
    ("conductor_group", OPTIONAL_TEXT),
    ("console_enabled", OPTIONAL_FLAG),
    ("console_interface", OPTIONAL_TEXT),
    ("deploy_interface", OPTIONAL_TEXT),
    (
        "description",
        Schema {
            max_length: DESCRIPTION_LENGTH,
            ..OPTIONAL_TEXT
        },
    ),
    ("disable_power_off", OPTIONAL_FLAG),
    ("driver", Schema::of(&[Text])),
    ("driver_info", OPTIONAL_OBJECT),
    ("extra", OPTIONAL_OBJECT),
    ("firmware_interface", OPTIONAL_TEXT),
    ("inspect_interface", OPTIONAL_TEXT),
    ("instance_info", OPTIONAL_OBJECT),
    (
        "instance_name",
        Schema {
            min_length: 1,
            max_length: 255,
            ..OPTIONAL_TEXT
        },
    ),
    ("instance_uuid", OPTIONAL_TEXT),
    ("lessee", OPTIONAL_TEXT),
    ("management_interface", OPTIONAL_TEXT),
    ("maintenance", OPTIONAL_FLAG),
    ("name", OPTIONAL_TEXT),
    (
        "network_data",
        Schema {
            any_of: &[
                Schema::of(&[Null]),
                Schema {
                    closed: true,
                    ..Schema::of(&[Object])
                },
                network_data::SCHEMA,
            ],
            ..Schema::ANY
        },
    ),
    ("network_interface", OPTIONAL_TEXT),
    ("owner", OPTIONAL_TEXT),
    (
        "parent_node",
        Schema {
            max_length: 36,
            ..OPTIONAL_TEXT
        },
    ),
    ("power_interface", OPTIONAL_TEXT),
    ("properties", OPTIONAL_OBJECT),
    ("raid_interface", OPTIONAL_TEXT),
    ("rescue_interface", OPTIONAL_TEXT),
    (
        "resource_class",
        Schema {
            max_length: 80,
            ..OPTIONAL_TEXT
        },
    ),
    ("retired", OPTIONAL_FLAG),
    ("retired_reason", OPTIONAL_TEXT),
    ("secure_boot", OPTIONAL_FLAG),
    ("shard", OPTIONAL_TEXT),
    ("storage_interface", OPTIONAL_TEXT),
    ("uuid", OPTIONAL_TEXT),
    ("vendor_interface", OPTIONAL_TEXT),
];

/// The body of a creation.
pub const CREATE: Schema = Schema {
    types: &[Object],
    properties: CREATED,
    required: &["driver"],
    closed: true,
    ..Schema::ANY
};

/// The same for attributes that exist only once a node does.
const PATCHED: [(&str, Schema); CREATED.len() + 2] = {
    let mut all = [("", Schema::ANY); CREATED.len() + 2];
    let mut i = 0;
    while i < CREATED.len() {
        all[i] = CREATED[i];
        i += 1;
    }
    all[i] = ("protected", OPTIONAL_FLAG);
    all[i + 1] = ("protected_reason", OPTIONAL_TEXT);
    all
};

/// The attributes that a patch leaves behind.
pub const PATCH: Schema = Schema {
    types: &[Object],
    properties: &PATCHED,
    required: &["driver"],
    closed: true,
    ..Schema::ANY
};

/// The shapes of nodes, with the `network_data` that is taken here.
#[derive(Debug, Clone, Copy)]
pub struct NodeShapes {
    pub create: &'static Schema,
    pub patch: &'static Schema,
    pub network_data: &'static Schema,
}

impl Default for NodeShapes {
    fn default() -> Self {
        Self {
            create: &CREATE,
            patch: &PATCH,
            network_data: &network_data::SCHEMA,
        }
    }
}

impl NodeShapes {
    /// With a shape of `network_data` that an operator wrote. Called once, when the service starts:
    /// what it makes is never given back.
    pub fn with_network_data(shape: Schema) -> Self {
        let property = Schema {
            any_of: Box::leak(Box::new([
                Schema::of(&[Null]),
                Schema {
                    closed: true,
                    ..Schema::of(&[Object])
                },
                shape,
            ])),
            ..Schema::ANY
        };
        let with = |schema: Schema| -> &'static Schema {
            let mut properties = schema.properties.to_vec();
            for (name, inner) in &mut properties {
                if *name == "network_data" {
                    *inner = property;
                }
            }
            Box::leak(Box::new(Schema {
                properties: properties.leak(),
                ..schema
            }))
        };
        Self {
            create: with(CREATE),
            patch: with(PATCH),
            network_data: Box::leak(Box::new(shape)),
        }
    }
}
