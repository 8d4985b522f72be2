//! Rescue: hands the machine over to a user.
//!
//! The password goes to the file from which whoever started the agent makes a user, and the agent
//! stops: from then on the machine may be in a network of others.

use super::Params;
use crate::{AgentError, agent::Agent, command::invalid_params, safety};
use serde_json::Value;
use std::{fs, io, io::Write as _, os::unix::fs::OpenOptionsExt as _, path::Path};

/// Where the hash of the password goes, under the root.
pub(super) const PASSWORD: &str = "etc/ipa-rescue-config/ipa-rescue-password";

/// The file that says that the machine was handed over, under the root.
pub(crate) const RESCUED: &str = "etc/.rescued";

pub(super) fn finalize(agent: &Agent, params: &Params) -> Result<Value, AgentError> {
    agent.permit().ok_or_else(|| safety::refusal("rescue"))?;
    let password = params.text("rescue_password")?.unwrap_or_default();
    let is_hashed = params.flag("hashed")?.unwrap_or(false);
    write(&agent.config().root, &password, is_hashed)?;
    agent.session().forget();
    agent.stop_serving();
    Ok(Value::Null)
}

fn write(root: &Path, password: &str, is_hashed: bool) -> Result<(), AgentError> {
    if !is_hashed {
        return Err(invalid_params(
            "rescue password must be hashed: plain text is not accepted",
        ));
    }
    if password.is_empty() || password.contains([':', '\n']) {
        return Err(invalid_params("invalid hash of the rescue password"));
    }
    let put = || -> io::Result<()> {
        let path = root.join(PASSWORD);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(path)?;
        file.write_all(password.as_bytes())
    };
    put().map_err(|error| {
        AgentError::failed(
            "CommandExecutionError",
            "Command execution failed",
            format!("cannot write the rescue password: {error}"),
        )
    })?;
    if let Err(error) = fs::write(root.join(RESCUED), "") {
        tracing::warn!("cannot write the file that marks rescue as started: {error}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_hash_is_kept_from_others() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "$6$salt$hash", true).unwrap();
        let path = root.path().join(PASSWORD);
        assert_eq!(fs::read_to_string(&path).unwrap(), "$6$salt$hash");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert!(root.path().join(RESCUED).exists());
        for (password, hashed) in [("secret", false), ("", true), ("a:b", true), ("a\nb", true)] {
            assert!(write(root.path(), password, hashed).is_err());
        }
    }
}
