//! The OpenAPI document of this API, put together from the tables that requests are served by.
//!
//! What exists comes from the route table, what resources look like from the tables of fields,
//! what bodies may hold from the schemas they are checked with. What only handlers know (the
//! arguments of each operation, the form of small answers) is in [`operation`], and tests hold it
//! against the handlers. Rows of the route table that exist only to refuse in the words of Ironic
//! are left out.

pub(crate) mod argument;
pub(crate) mod operation;
pub(crate) mod resource;
mod shape;
#[cfg(test)]
mod tests;

use crate::stream::EVENT_STREAM;
use operation::{Answer, Body, OPERATIONS, Operation};
use serde_json::{Map, Value, json};
use shape::json_schema;
use types::ApiVersion;

/// What can go wrong with any operation, and the envelope it comes in.
const REFUSALS: &[(&str, &str, &[&str])] = &[
    (
        "400",
        "The request makes no sense here.",
        &["Error", "BareError"],
    ),
    ("401", "Credentials are missing or wrong.", &["AuthError"]),
    ("403", "The caller may not do this.", &["Error"]),
    (
        "404",
        "Something that the request names does not exist.",
        &["Error"],
    ),
    ("405", "The path does not have this method.", &["Error"]),
    (
        "406",
        "Another API version, or another media type, is needed.",
        &["Error"],
    ),
    ("408", "The body did not arrive in time.", &["BareError"]),
    ("409", "The state of something is in the way.", &["Error"]),
    ("413", "The body is too large.", &["BareError"]),
    (
        "500",
        "Corten itself failed; the log has details.",
        &["Error", "AuthError"],
    ),
    (
        "503",
        "A part of Corten is busy or away; asking again may help.",
        &["Error", "AuthError"],
    ),
];

/// The whole document.
pub(crate) fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Corten",
            "summary": "Bare metal provisioning.",
            "description": "The Bare Metal API of OpenStack, and what Corten adds to it. Which \
                fields and operations there are depends on the API version that a request names.",
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {"basic": []}, {}],
        "paths": paths(),
        "components": {
            "parameters": {"version": version_parameter()},
            "schemas": schemas(),
            "responses": refusals(),
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "X-Auth-Token",
                    "description": "A token of Keystone, with [DEFAULT]auth_strategy=keystone, or of a local user, with local.",
                },
                "basic": {
                    "type": "http",
                    "scheme": "basic",
                    "description": "Name and password, with [DEFAULT]auth_strategy=http_basic or local.",
                },
            },
        },
    })
}

fn paths() -> Value {
    let mut paths = Map::new();
    for operation in OPERATIONS.iter().copied().flatten() {
        let item = paths
            .entry(operation.full_path())
            .or_insert_with(|| Value::Object(Map::new()));
        let method = operation.method.as_str().to_ascii_lowercase();
        item[method] = described(operation);
    }
    Value::Object(paths)
}

fn described(operation: &Operation) -> Value {
    let mut document = json!({
        "operationId": operation.id(),
        "summary": operation.summary,
        "tags": [operation.tag()],
        "parameters": parameters(operation),
        "responses": responses(operation),
    });
    if operation.since > ApiVersion::MIN {
        document["description"] = format!("Since API version {}.", operation.since).into();
    }
    if let Some(body) = request_body(operation) {
        document["requestBody"] = body;
    }
    if operation.is_public {
        document["security"] = json!([]);
    }
    document
}

fn parameters(operation: &Operation) -> Vec<Value> {
    let placeholders = operation
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = placeholders.map(|name| {
        let schema = json!({"type": "string", "minLength": 1});
        json!({"name": name, "in": "path", "required": true, "schema": schema})
    });
    let in_query = operation.query.iter().map(|name| {
        let schema = argument::schema(operation.path, name).map_or(json!(true), json_schema);
        json!({"name": name, "in": "query", "schema": schema})
    });
    let version = json!({"$ref": "#/components/parameters/version"});
    let place = operation.media.contains(&EVENT_STREAM).then(|| {
        let description = "Where a stream goes on that was interrupted; instead of `after`.";
        json!({
            "name": "Last-Event-ID",
            "in": "header",
            "description": description,
            "schema": {"type": "string", "pattern": "^[0-9]*$"},
        })
    });
    in_path
        .chain(in_query)
        .chain(place)
        .chain([version])
        .collect()
}

fn request_body(operation: &Operation) -> Option<Value> {
    let (schema, required) = match operation.body {
        Body::None => return None,
        Body::Named { names, required } => {
            let properties: Map<String, Value> = names
                .iter()
                .filter_map(|name| {
                    let schema = argument::schema(operation.path, name)?;
                    Some(((*name).to_owned(), json_schema(schema)))
                })
                .collect();
            let mut schema = json!({
                "type": "object",
                "properties": properties,
                "additionalProperties": false,
            });
            if !required.is_empty() {
                schema["required"] = json!(required);
            }
            (schema, !required.is_empty())
        }
        Body::Whole(schema) => (json_schema(schema), true),
        Body::Patch => (json!({"$ref": "#/components/schemas/Patch"}), true),
        Body::Free => (json!({"type": "object"}), false),
    };
    Some(json!({"required": required, "content": {"application/json": {"schema": schema}}}))
}

fn responses(operation: &Operation) -> Value {
    let mut responses = Map::new();
    for status in operation.success {
        let mut response = json!({"description": "Done."});
        let schema = match operation.answer {
            Answer::Nothing => None,
            Answer::One(name) => Some(reference(name)),
            Answer::Many(key, name) => Some(list(key, name)),
            Answer::Shape(schema) => Some(json_schema(schema)),
            Answer::Named(name) => {
                let entries = json!({"type": "object", "additionalProperties": reference(name)});
                Some(entries)
            }
            Answer::Free => Some(json!(true)),
        };
        // What may be done at once or later has nothing to show in the second case.
        let is_later = *status == 202 && operation.success.len() > 1;
        if let Some(schema) = schema.filter(|_| !is_later) {
            let content = operation.media.iter().map(|media| {
                let schema = if *media == operation::JSON {
                    schema.clone()
                } else {
                    json!({"type": "string"})
                };
                ((*media).to_owned(), json!({"schema": schema}))
            });
            response["content"] = Value::Object(content.collect());
        }
        responses.insert(status.to_string(), response);
    }
    for (status, ..) in REFUSALS {
        let refusal = format!("#/components/responses/{}", response_name(status));
        responses.insert((*status).to_owned(), json!({"$ref": refusal}));
    }
    for (status, description, schema) in operation.special {
        let content = json!({"application/json": {"schema": json_schema(schema)}});
        let special = json!({"description": description, "content": content});
        responses.insert(status.to_string(), special);
    }
    Value::Object(responses)
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn list(key: &str, name: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            key: {"type": "array", "items": reference(name)},
            "next": {"type": "string", "description": "Where the next page is, if there is one."},
        },
        "required": [key],
        "additionalProperties": false,
    })
}

fn response_name(status: &str) -> String {
    format!("Refused{status}")
}

fn refusals() -> Value {
    let responses = REFUSALS.iter().map(|(status, description, envelopes)| {
        let mut schemas: Vec<Value> = envelopes.iter().map(|name| reference(name)).collect();
        let schema = match schemas.len() {
            1 => schemas.remove(0),
            _ => json!({"anyOf": schemas}),
        };
        let content = json!({"application/json": {"schema": schema}});
        let response = json!({"description": description, "content": content});
        (response_name(status), response)
    });
    Value::Object(responses.collect())
}

fn version_parameter() -> Value {
    json!({
        "name": "X-OpenStack-Ironic-API-Version",
        "in": "header",
        "description": "The API version to be spoken; without it, the oldest one.",
        "schema": {
            "type": "string",
            "pattern": "^(latest|1\\.[1-9][0-9]{0,2})$",
            "default": ApiVersion::MIN.to_string(),
        },
        "example": ApiVersion::MAX.to_string(),
    })
}

fn schemas() -> Value {
    let mut schemas = Map::new();
    for resource in resource::RESOURCES {
        let properties: Map<String, Value> = (resource.fields)()
            .into_iter()
            .map(|(name, since)| {
                let mut schema = shape::field(resource.name, &name).map_or(json!({}), json_schema);
                if since > ApiVersion::MIN {
                    schema["description"] = format!("Since API version {since}.").into();
                }
                (name, schema)
            })
            .collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        });
        schemas.insert(resource.name.to_owned(), schema);
    }
    schemas.insert("Patch".to_owned(), json_schema(&crate::patch::SCHEMA));
    let text = json!({"type": "string"});
    schemas.insert(
        "Error".to_owned(),
        json!({
            "type": "object",
            "description": "The text is itself a JSON object, with a faultstring or a description.",
            "properties": {"error_message": text},
            "required": ["error_message"],
            "additionalProperties": false,
        }),
    );
    schemas.insert(
        "BareError".to_owned(),
        json!({
            "type": "object",
            "description": "A refusal by what stands before the operations.",
            "properties": {"faultcode": text, "faultstring": text},
            "required": ["faultcode", "faultstring"],
            "additionalProperties": false,
        }),
    );
    schemas.insert(
        "AuthError".to_owned(),
        json!({
            "type": "object",
            "description": "A refusal for want of credentials.",
            "properties": {
                "error": {
                    "type": "object",
                    "properties": {
                        "message": text,
                        "code": {"type": "integer"},
                        "title": text,
                    },
                },
            },
            "required": ["error"],
        }),
    );
    Value::Object(schemas)
}

impl Operation {
    /// The path with its version element, as a client writes it.
    pub(crate) fn full_path(&self) -> String {
        match self.path {
            "" => "/".to_owned(),
            path if path == "v1" || path.starts_with("corten/") => format!("/{path}"),
            path => format!("/v1/{path}"),
        }
    }

    /// A name for the operation: its method and the words of its path.
    pub(crate) fn id(&self) -> String {
        let path = self.path.replace("openapi.json", "openapi");
        let words = path.split(['/', '_']).filter(|word| !word.is_empty());
        let mut id = self.method.as_str().to_ascii_lowercase();
        if self.path.is_empty() {
            id.push_str("Versions");
        }
        for word in words {
            if word.starts_with('{') {
                id.push_str("By");
            }
            let word = word.trim_matches(['{', '}']);
            let (first, rest) = word.split_at(word.len().min(1));
            id.push_str(&first.to_ascii_uppercase());
            id.push_str(rest);
        }
        id
    }

    /// The resource that the operation belongs to.
    fn tag(&self) -> &'static str {
        match self.path.split('/').next() {
            None | Some("" | "v1") => "versions",
            Some("lookup" | "heartbeat" | "continue_inspection") => "ramdisk",
            Some(first) => first,
        }
    }
}
