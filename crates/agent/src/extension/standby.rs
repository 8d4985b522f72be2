//! Writing images, and what goes with it. Hardware managers do it; here is what they are asked.

use super::Params;
use crate::{AgentError, agent::Agent, command::invalid_params, hardware::Call};
use serde_json::Value;
use std::sync::Arc;
use types::JsonMap;

/// Has a hardware manager do what a command says.
pub(super) async fn run(
    agent: &Arc<Agent>,
    command: &str,
    params: &Params,
) -> Result<Value, AgentError> {
    let method = match command {
        "prepare_image" | "cache_image" => "write_image",
        "sync" => "full_sync",
        other => other,
    };
    let node = agent.node().unwrap_or_default();
    let args = params.without(&[]);
    let call = Call {
        method,
        kind: None,
        node: &node,
        ports: &[],
        args: &args,
    };
    agent.managers().dispatch(&agent.context(), &call).await
}

/// Whether an image can be written from what was said about it.
pub(super) fn validate(image_info: &JsonMap, md5_enabled: bool) -> Result<(), AgentError> {
    for field in ["id", "urls"] {
        if !image_info.contains_key(field) {
            return Err(invalid_params(format!("Image is missing '{field}' field.")));
        }
    }
    let urls = image_info.get("urls").and_then(Value::as_array);
    if urls.is_none_or(Vec::is_empty) {
        return Err(invalid_params(
            "Image 'urls' must be a list with at least one element.",
        ));
    }
    let text = |field: &str| match image_info.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text)),
        Some(_) => Err(invalid_params(format!(
            "Image '{field}' must be a non-empty string."
        ))),
    };
    let checksum = text("checksum")?;
    let os_hash = text("os_hash_algo")?.zip(text("os_hash_value")?);
    // Only MD5 is so short.
    let is_good = |sum: &String| md5_enabled || sum.len() > 32 || sum.contains("://");
    if os_hash.is_some() || checksum.is_some_and(is_good) {
        return Ok(());
    }
    Err(invalid_params(
        "Image checksum is not available, either the 'checksum' field or the 'os_hash_algo' and \
         'os_hash_value' fields pair must be set for image verification.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_image_has_an_address_and_a_checksum() {
        let check = |value: Value| validate(value.as_object().unwrap(), false);
        let sum = "a".repeat(64);
        check(json!({"id": "i", "urls": ["u"], "checksum": sum})).unwrap();
        check(json!({"id": "i", "urls": ["u"], "os_hash_algo": "sha512", "os_hash_value": "x"}))
            .unwrap();
        let md5 = json!({"id": "i", "urls": ["u"], "checksum": "a".repeat(32)});
        assert!(check(md5.clone()).is_err());
        validate(md5.as_object().unwrap(), true).unwrap();
        for odd in [
            json!({"urls": ["u"], "checksum": sum}),
            json!({"id": "i", "checksum": sum}),
            json!({"id": "i", "urls": [], "checksum": sum}),
            json!({"id": "i", "urls": "u", "checksum": sum}),
            json!({"id": "i", "urls": ["u"]}),
            json!({"id": "i", "urls": ["u"], "checksum": ""}),
            json!({"id": "i", "urls": ["u"], "checksum": 3}),
            json!({"id": "i", "urls": ["u"], "os_hash_algo": "sha512"}),
        ] {
            let error = check(odd.clone()).expect_err(&odd.to_string());
            assert_eq!(error.kind, "InvalidCommandParamsError");
        }
    }
}
