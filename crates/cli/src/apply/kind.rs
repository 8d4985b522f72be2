//! The kinds of resources that files describe, and what may be said of each.

use serde_json::{Map, Value};

/// In the order in which they are created: what others refer to comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum ResourceKind {
    Template,
    Runbook,
    Node,
    PortGroup,
    Port,
}

/// What the value of a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Flag,
    /// An object of which each key is set by itself; keys that no file names stay as they are.
    Keys,
    /// An object that is set whole.
    Object,
    /// Words in any order.
    Words,
    /// Steps in any order.
    Steps,
    /// The name or UUID of another resource.
    Reference(ResourceKind),
}

/// What a field must be, for messages.
impl Form {
    pub(super) fn accepts(self, value: &Value) -> Result<(), &'static str> {
        let (fits, expected) = match self {
            Self::Text | Self::Reference(_) => (
                value.is_string() || value.is_null(),
                "a text: put numbers in quotes",
            ),
            Self::Flag => (value.is_boolean() || value.is_null(), "true or false"),
            Self::Keys | Self::Object => (value.is_object() || value.is_null(), "an object"),
            Self::Words => {
                let words = value.as_array();
                let fits = words.is_some_and(|words| words.iter().all(Value::is_string));
                (fits, "a list of words")
            }
            Self::Steps => {
                let steps = value.as_array();
                let fits = steps.is_some_and(|steps| steps.iter().all(Value::is_object));
                (fits, "a list of steps, which are objects")
            }
        };
        if fits { Ok(()) } else { Err(expected) }
    }
}

use Form::{Flag, Keys, Object, Reference, Steps, Text, Words};

impl ResourceKind {
    pub(super) const ALL: [Self; 5] = [
        Self::Template,
        Self::Runbook,
        Self::Node,
        Self::PortGroup,
        Self::Port,
    ];

    /// The key of a list in files and in answers, and the collection in the API.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Template => "deploy_templates",
            Self::Runbook => "runbooks",
            Self::Node => "nodes",
            Self::PortGroup => "portgroups",
            Self::Port => "ports",
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Template => "deploy template",
            Self::Runbook => "runbook",
            Self::Node => "node",
            Self::PortGroup => "port group",
            Self::Port => "port",
        }
    }

    /// What one is recognised by, besides its UUID, the first that is there.
    pub(super) fn identities(self) -> &'static [&'static str] {
        match self {
            Self::Port => &["address"],
            Self::PortGroup => &["name", "address"],
            Self::Template | Self::Runbook | Self::Node => &["name"],
        }
    }

    /// The lists that may stand inside one, and the field by which their members belong to it.
    pub(super) fn inside(self) -> &'static [(Self, &'static str)] {
        match self {
            Self::Node => &[(Self::PortGroup, "node_uuid"), (Self::Port, "node_uuid")],
            Self::PortGroup => &[(Self::Port, "portgroup_uuid")],
            Self::Template | Self::Runbook | Self::Port => &[],
        }
    }

    pub(super) fn form(self, field: &str) -> Option<Form> {
        let mut fields = self.fields().iter();
        fields
            .find(|(name, _)| *name == field)
            .map(|(_, form)| *form)
    }

    /// Every field that a file may have.
    pub(super) fn fields(self) -> &'static [(&'static str, Form)] {
        match self {
            Self::Template => &[
                ("uuid", Text),
                ("name", Text),
                ("extra", Keys),
                ("steps", Steps),
            ],
            Self::Runbook => &[
                ("uuid", Text),
                ("name", Text),
                ("description", Text),
                ("disable_ramdisk", Flag),
                ("extra", Keys),
                ("owner", Text),
                ("public", Flag),
                ("steps", Steps),
                ("traits", Words),
            ],
            Self::Node => &[
                ("uuid", Text),
                ("name", Text),
                ("automated_clean", Flag),
                ("bios_interface", Text),
                ("boot_interface", Text),
                ("chassis_uuid", Text),
                ("conductor_group", Text),
                ("console_interface", Text),
                ("deploy_interface", Text),
                ("description", Text),
                ("disable_power_off", Flag),
                ("driver", Text),
                ("driver_info", Keys),
                ("extra", Keys),
                ("firmware_interface", Text),
                ("inspect_interface", Text),
                ("instance_info", Keys),
                ("lessee", Text),
                ("management_interface", Text),
                ("network_data", Object),
                ("network_interface", Text),
                ("owner", Text),
                ("parent_node", Reference(Self::Node)),
                ("power_interface", Text),
                ("properties", Keys),
                ("protected", Flag),
                ("protected_reason", Text),
                ("raid_interface", Text),
                ("rescue_interface", Text),
                ("resource_class", Text),
                ("retired", Flag),
                ("retired_reason", Text),
                ("shard", Text),
                ("storage_interface", Text),
                ("traits", Words),
                ("vendor_interface", Text),
            ],
            Self::PortGroup => &[
                ("uuid", Text),
                ("name", Text),
                ("address", Text),
                ("category", Text),
                ("extra", Keys),
                ("mode", Text),
                ("node_uuid", Reference(Self::Node)),
                ("physical_network", Text),
                ("properties", Keys),
                ("standalone_ports_supported", Flag),
            ],
            Self::Port => &[
                ("uuid", Text),
                ("address", Text),
                ("available_for_dynamic_portgroup", Flag),
                ("category", Text),
                ("description", Text),
                ("extra", Keys),
                ("is_smartnic", Flag),
                ("local_link_connection", Keys),
                ("name", Text),
                ("node_uuid", Reference(Self::Node)),
                ("physical_network", Text),
                ("portgroup_uuid", Reference(Self::PortGroup)),
                ("pxe_enabled", Flag),
                ("vendor", Text),
            ],
        }
    }

    /// Whether a field can be given when one is created; the others follow.
    pub(super) fn is_created_with(self, field: &str) -> bool {
        match self {
            Self::Node => !matches!(field, "traits" | "protected" | "protected_reason"),
            Self::Runbook => field != "traits",
            Self::Template | Self::PortGroup | Self::Port => true,
        }
    }
}

/// A value as the service keeps it, where that differs from what people write.
pub(super) fn normal(field: &str, value: Value) -> Value {
    match (field, value) {
        ("address", Value::String(mac)) => Value::String(mac.to_lowercase().replace('-', ":")),
        ("uuid" | "conductor_group", Value::String(text)) => Value::String(text.to_lowercase()),
        ("steps", Value::Array(steps)) => steps.into_iter().map(with_arguments).collect(),
        (_, value) => value,
    }
}

/// A step with arguments: Ironic fails at a changed runbook whose steps have none.
fn with_arguments(mut step: Value) -> Value {
    if let Some(step) = step.as_object_mut() {
        step.entry("args")
            .or_insert_with(|| Value::Object(Map::new()));
    }
    step
}
