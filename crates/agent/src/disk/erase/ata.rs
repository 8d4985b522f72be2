//! SATA disks erase themselves when their security feature is told to, by `hdparm`.

use super::failed;
use crate::{AgentError, exec, safety::Permit};
use std::{path::Path, time::Duration};
use types::erasure::ErasureMethod;

/// Erasing every sector of a large disk takes most of a day.
const PATIENCE: Duration = Duration::from_secs(48 * 3600);

/// How the disk erased itself; nothing if it has no way to.
pub(super) async fn erase(
    _permit: &Permit,
    path: &Path,
) -> Result<Option<ErasureMethod>, AgentError> {
    let name = path.to_string_lossy();
    // A machine without SATA disks needs no hdparm; disks that are none are no failure either.
    let Ok(mut lines) = security(&name).await else {
        return Ok(None);
    };
    let says = |lines: &[String], what: &str| lines.iter().any(|line| line == what);
    if !says(&lines, "supported") {
        return Ok(None);
    }
    if !says(&lines, "not frozen") {
        return Err(failed(format!(
            "Block device {name} is frozen and cannot be erased"
        )));
    }
    if !says(&lines, "not locked") {
        unlock(&name).await;
        lines = security(&name).await?;
    }
    if !says(&lines, "not locked") {
        return Err(failed(format!(
            "Block device {name} already has a security password set"
        )));
    }
    if says(&lines, "not enabled") {
        let args = ["--user-master", "u", "--security-set-pass", "NULL", &name];
        let set = exec::run("hdparm", &args, exec::USUAL).await;
        set.map_err(|error| {
            failed(format!(
                "Security password set failed for device {name}: {error}"
            ))
        })?;
    }
    let (way, method) = if says(&lines, "not supported: enhanced erase") {
        ("--security-erase", ErasureMethod::AtaSecureErase)
    } else {
        (
            "--security-erase-enhanced",
            ErasureMethod::AtaEnhancedSecureErase,
        )
    };
    let args = ["--user-master", "u", way, "NULL", &name];
    if let Err(error) = exec::run("hdparm", &args, PATIENCE).await {
        // A locked disk could not be overwritten either.
        unlock(&name).await;
        return Err(failed(format!("Erase failed for device {name}: {error}")));
    }
    if says(&security(&name).await?, "not enabled") {
        Ok(Some(method))
    } else {
        Err(failed(format!(
            "An unknown error occurred erasing block device {name}"
        )))
    }
}

/// Tries the passwords that an earlier attempt may have left.
async fn unlock(name: &str) {
    for password in ["NULL", ""] {
        let args = ["--user-master", "u", "--security-unlock", password, name];
        if exec::run("hdparm", &args, exec::USUAL).await.is_ok() {
            return;
        }
    }
}

async fn security(name: &str) -> Result<Vec<String>, AgentError> {
    let said = exec::run("hdparm", &["-I", name], exec::USUAL).await?;
    Ok(security_lines(&said))
}

/// The lines below `Security:`, which are indented.
fn security_lines(said: &str) -> Vec<String> {
    said.lines()
        .skip_while(|line| line.trim_end() != "Security:")
        .skip(1)
        .take_while(|line| line.starts_with('\t'))
        .map(|line| line.trim().replace('\t', " "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_security_counts() {
        let said = "/dev/sda:\n\tsupported\nSecurity: \n\tMaster password revision code = 65534\n\
                    \t\tsupported\n\tnot\tenabled\n\tnot\tlocked\nChecksum: correct\n\tnot\tfrozen\n";
        assert_eq!(
            security_lines(said),
            [
                "Master password revision code = 65534",
                "supported",
                "not enabled",
                "not locked"
            ]
        );
        assert!(security_lines("nothing").is_empty());
    }
}
