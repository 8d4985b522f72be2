//! Installing from a container that brings its own installer (`bootc`).
//!
//! The agent fetches the container and runs it; from here it is told which one, and how to log in to
//! its registry. Credentials are the instance's, the node's, those of the operator's image server, or
//! those that a file names for the registry, in this order. Registries take a user with a password
//! (`user:password`), or the two as containers' tools keep them, in base64. Ironic sends the password
//! alone, which no registry takes.

use super::{drive, steps};
use crate::{steps::StepResult, task::Task};
use base64::{Engine, engine::general_purpose::STANDARD};
use drivers::{DriverError, Failure};
use serde_json::{Value, json};
use std::path::Path;
use tokio::io::AsyncReadExt;
use types::{JsonMap, pyrepr, step::StepKind};

const KEY: &str = "image_pull_secret";
/// No file of credentials is larger.
const MOST_BYTES: u64 = 1 << 20;

/// Has the agent install the container.
pub(super) async fn install(task: &mut Task) -> Result<StepResult, DriverError> {
    let node = task.id().to_string();
    let opened = task
        .core
        .db
        .keys()
        .open_map(&task.node.instance_info, &node);
    let info = opened.map_err(|error| task.closed("the instance", &error))?;
    let source = text(&info, "image_source").ok_or_else(|| {
        DriverError::InvalidParameter("the instance has no image_source".to_owned())
    })?;
    let drive = match info.get("configdrive").filter(|drive| pyrepr::truth(drive)) {
        Some(given) => drive::told(task, given.clone()).await?,
        None => Value::Null,
    };
    let login = login(task, &info, &source).await?;
    let inserted = drive::inserted(task, &drive);
    let step = json!({
        "interface": "deploy",
        "step": "execute_bootc_install",
        "args": {
            "image_source": source,
            "configdrive": drive,
            "oci_pull_secret": login.map(|login| STANDARD.encode(login)),
        },
    });
    let step = step.as_object().cloned().unwrap_or_default();
    steps::send_with(task, StepKind::Deploy, step, inserted).await
}

fn text(info: &JsonMap, key: &str) -> Option<String> {
    let value = info.get(key).filter(|value| pyrepr::truth(value))?;
    Some(pyrepr::to_str(value))
}

/// What the registry is shown, as tools for containers keep it.
async fn login(task: &Task, info: &JsonMap, source: &str) -> Result<Option<String>, DriverError> {
    let named = text(info, KEY).or_else(|| text(task.driver_info(), KEY));
    if let Some(named) = named {
        return Ok(Some(kept(&named)));
    }
    let images = &task.settings().images;
    // Only its host counts.
    let address = source.replacen("oci://", "https://", 1);
    let own = images.credentials.as_ref();
    if let Some(own) = own.filter(|own| own.are_for_address(&address)) {
        return Ok(Some(kept(&format!("{}:{}", own.user, own.password))));
    }
    match &images.registry_logins {
        Some(path) => of_file(path, registry(source)).await,
        None => Ok(None),
    }
}

/// A user and a password in base64; what has no colon is that already.
fn kept(secret: &str) -> String {
    match secret.contains(':') {
        true => STANDARD.encode(secret),
        false => secret.to_owned(),
    }
}

/// The host of a registry, with its port.
fn registry(source: &str) -> &str {
    let rest = source.strip_prefix("oci://").unwrap_or(source);
    rest.split('/').next().unwrap_or(rest)
}

/// What a file of logins has for a registry. It is read at each use: operators change it.
async fn of_file(path: &Path, registry: &str) -> Result<Option<String>, DriverError> {
    let unusable = |why: String| {
        let tried = format!(
            "[oci]authentication_config {} cannot be read",
            path.display()
        );
        DriverError::Environment(Failure::because(tried, why))
    };
    let file = tokio::fs::File::open(path).await;
    let file = file.map_err(|error| unusable(error.to_string()))?;
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES).read_to_end(&mut bytes).await;
    read.map_err(|error| unusable(error.to_string()))?;
    // What is wrong in it is not quoted: it may be a password.
    let logins: Value = serde_json::from_slice(&bytes)
        .map_err(|error| unusable(format!("line {} is no JSON", error.line())))?;
    let login = logins
        .get("auths")
        .and_then(|all| all.get(registry)?.get("auth"));
    Ok(login.and_then(Value::as_str).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_are_shown_what_tools_keep() {
        assert_eq!(kept("user:password"), STANDARD.encode("user:password"));
        assert_eq!(kept("dXNlcjpw"), "dXNlcjpw");
        assert_eq!(
            registry("oci://quay.example:5000/a/b:tag"),
            "quay.example:5000"
        );
    }

    #[tokio::test]
    async fn a_file_has_logins_by_registry_and_is_never_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("auth.json");
        let write = |text: &str| tokio::fs::write(&path, text.to_owned());
        write(r#"{"auths": {"quay.example": {"auth": "c2VjcmV0"}}}"#)
            .await
            .unwrap();
        let found = of_file(&path, "quay.example").await.unwrap();
        assert_eq!(found.as_deref(), Some("c2VjcmV0"));
        assert_eq!(of_file(&path, "other.example").await.unwrap(), None);
        write("{\"auths\": {\"quay.example\": {\"auth\": \"c2VjcmV0")
            .await
            .unwrap();
        let refused = of_file(&path, "quay.example").await.unwrap_err();
        let refused = types::error::chain(&refused);
        assert!(refused.contains("line 1 is no JSON"), "{refused}");
        assert!(!refused.contains("c2VjcmV0"), "{refused}");
        let gone = of_file(Path::new("/nonexistent"), "quay.example").await;
        assert!(gone.is_err());
    }
}
