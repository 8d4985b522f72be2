//! How our schemas, and the types of fields, are written in the language of JSON Schema.

use crate::schema::{Schema, Type};
use serde_json::{Map, Value, json};

const TEXT: Schema = Schema::of(&[Type::String]);
const OPTIONAL_TEXT: Schema = Schema::of(&[Type::String, Type::Null]);
const FLAG: Schema = Schema::of(&[Type::Boolean]);
const OPTIONAL_FLAG: Schema = Schema::of(&[Type::Boolean, Type::Null]);
const NUMBER: Schema = Schema::of(&[Type::Integer]);
const OPTIONAL_NUMBER: Schema = Schema::of(&[Type::Integer, Type::Null]);
const OBJECT: Schema = Schema::of(&[Type::Object]);
const LIST: Schema = Schema::of(&[Type::Array]);
const OPTIONAL_TEXTS: Schema = Schema {
    types: &[Type::Array, Type::Null],
    items: Some(&TEXT),
    ..Schema::ANY
};

/// A list of texts.
pub(super) const TEXTS: Schema = Schema {
    types: &[Type::Array],
    items: Some(&TEXT),
    ..Schema::ANY
};

/// Where something is.
pub(super) const LINKS: Schema = Schema {
    types: &[Type::Array],
    items: Some(&Schema {
        types: &[Type::Object],
        properties: &[("href", TEXT), ("rel", TEXT), ("type", TEXT)],
        required: &["href", "rel"],
        closed: true,
        ..Schema::ANY
    }),
    ..Schema::ANY
};

/// The type of a field by its name, which means the same in nearly every resource that has it.
pub(super) fn field(resource: &str, name: &str) -> Option<&'static Schema> {
    Some(match name {
        "properties" if resource == "Driver" => &LINKS,
        "uuid" | "driver" | "hostname" | "component" | "phase" | "type" | "connector_id"
        | "volume_id" | "volume_type" | "node_uuid" | "severity" | "event" | "event_type"
        | "created_at" | "mode" => match name {
            // An allocation has no node before one is found; modes came later than rows.
            "node_uuid" | "mode" => &OPTIONAL_TEXT,
            _ => &TEXT,
        },
        "console_enabled"
        | "maintenance"
        | "protected"
        | "disable_power_off"
        | "pxe_enabled"
        | "available_for_dynamic_portgroup"
        | "standalone_ports_supported"
        | "disable_ramdisk"
        | "public"
        | "sensitive"
        | "alive" => &FLAG,
        // Rows of an older Ironic that were imported have none.
        "retired" | "is_smartnic" | "dynamic_portgroup" => &OPTIONAL_FLAG,
        "automated_clean" | "secure_boot" | "read_only" | "reset_required" | "unique" => {
            &OPTIONAL_FLAG
        }
        "boot_index" | "priority" => &NUMBER,
        "lower_bound" | "upper_bound" | "min_length" | "max_length" | "duration_seconds" => {
            &OPTIONAL_NUMBER
        }
        "extra"
        | "properties"
        | "driver_info"
        | "instance_info"
        | "driver_internal_info"
        | "raid_config"
        | "target_raid_config"
        | "network_data"
        | "clean_step"
        | "deploy_step"
        | "service_step"
        | "internal_info"
        | "local_link_connection" => &OBJECT,
        "links" | "ports" | "portgroups" | "states" | "volume" => &LINKS,
        "steps" | "actions" | "conditions" | "nodes" => &LIST,
        "traits" | "candidate_nodes" | "drivers" | "hosts" => &TEXTS,
        "allowable_values" => &OPTIONAL_TEXTS,
        "address"
        | "allocation_uuid"
        | "attribute_type"
        | "boot_mode"
        | "category"
        | "chassis_uuid"
        | "conductor"
        | "conductor_group"
        | "current_version"
        | "description"
        | "fault"
        | "health"
        | "initial_version"
        | "inspection_finished_at"
        | "inspection_started_at"
        | "instance_name"
        | "instance_uuid"
        | "last_error"
        | "last_version_flashed"
        | "lessee"
        | "maintenance_reason"
        | "model"
        | "name"
        | "owner"
        | "parent_node"
        | "physical_network"
        | "portgroup_uuid"
        | "power_state"
        | "project"
        | "protected_reason"
        | "provision_state"
        | "provision_updated_at"
        | "reservation"
        | "resource_class"
        | "retired_reason"
        | "serial_number"
        | "shard"
        | "state"
        | "target_power_state"
        | "target_provision_state"
        | "updated_at"
        | "user"
        | "value"
        | "vendor" => &OPTIONAL_TEXT,
        name if name.starts_with("enabled_") && name.ends_with("_interfaces") => &TEXTS,
        name if name.ends_with("_interface") => &OPTIONAL_TEXT,
        _ => return None,
    })
}

/// A schema of ours as JSON Schema 2020-12.
pub(super) fn json_schema(schema: &Schema) -> Value {
    let mut out = Map::new();
    let mut add = |key: &str, value: Value| out.insert(key.to_owned(), value);
    let names: Vec<&str> = schema.types.iter().map(|kind| kind.name()).collect();
    match names.as_slice() {
        [] => {}
        [one] => drop(add("type", json!(one))),
        several => drop(add("type", json!(several))),
    }
    if !schema.options.is_empty() {
        let mut options: Vec<Value> = schema.options.iter().map(|text| json!(text)).collect();
        if schema.types.contains(&Type::Null) {
            options.push(Value::Null);
        }
        add("enum", options.into());
    }
    if !schema.properties.is_empty() {
        let properties = schema.properties.iter();
        let properties: Map<String, Value> = properties
            .map(|(name, schema)| ((*name).to_owned(), json_schema(schema)))
            .collect();
        add("properties", properties.into());
    }
    if !schema.required.is_empty() {
        add("required", json!(schema.required));
    }
    if schema.closed {
        add("additionalProperties", json!(false));
    }
    if !schema.dependent.is_empty() {
        let dependent: Map<String, Value> = schema
            .dependent
            .iter()
            .map(|(name, others)| ((*name).to_owned(), json!(others)))
            .collect();
        add("dependentRequired", dependent.into());
    }
    if schema.min_length > 0 {
        add("minLength", json!(schema.min_length));
    }
    if schema.max_length < usize::MAX {
        add("maxLength", json!(schema.max_length));
    }
    match schema.pattern {
        Some(pattern) if pattern.text.starts_with('^') => {
            add("pattern", json!(pattern.text));
        }
        // Not every test of ours is a regular expression.
        Some(pattern) => drop(add("description", json!(pattern.text))),
        None => {}
    }
    if let Some(format) = schema.format {
        add("format", json!(format.name));
        // Not every reader knows this one.
        if format.name == "mac-address" {
            add("pattern", json!("^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$"));
        }
    }
    if let Some(minimum) = schema.minimum {
        let key = if schema.exclusive_minimum {
            "exclusiveMinimum"
        } else {
            "minimum"
        };
        add(key, json!(minimum));
    }
    if let Some(maximum) = schema.maximum {
        add("maximum", json!(maximum));
    }
    if let Some(items) = schema.items {
        add("items", json_schema(items));
    }
    if schema.min_items > 0 {
        add("minItems", json!(schema.min_items));
    }
    for (key, alternatives) in [("anyOf", schema.any_of), ("oneOf", schema.one_of)] {
        if !alternatives.is_empty() {
            let alternatives: Vec<Value> = alternatives.iter().map(json_schema).collect();
            add(key, alternatives.into());
        }
    }
    Value::Object(out)
}
