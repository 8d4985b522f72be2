//! Boot entries that former systems left in the firmware.

use super::efi::Variables;
use crate::{AgentError, safety::Permit};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::path::Path;
use types::pyrepr;

/// What lies on disks, and the loaders of systems.
const USUAL: [&str; 3] = [r"^HD\(", r"shim.*\.efi", r"grub.*\.efi"];

/// Removes the boot entries whose device path fits one of the patterns, which are regular
/// expressions whatever the case. `root` is `/` but in tests.
pub fn clean(
    _permit: &Permit,
    root: &Path,
    match_patterns: Option<&Value>,
) -> Result<(), AgentError> {
    let patterns = patterns(match_patterns)?;
    let failed = |error: std::io::Error| {
        AgentError::failed(
            "CommandExecutionError",
            "Command execution failed",
            format!("cannot change the boot entries of the firmware: {error}"),
        )
    };
    let Some(variables) = Variables::open(root) else {
        return Err(failed(std::io::Error::other(
            "this machine was not started by UEFI",
        )));
    };
    for (number, entry) in variables.entries().map_err(failed)? {
        let path = entry.path_text();
        if patterns.iter().any(|pattern| pattern.is_match(&path)) {
            tracing::info!(
                number,
                label = entry.label,
                path,
                "removing a UEFI boot entry"
            );
            variables.remove(number).map_err(failed)?;
        }
    }
    Ok(())
}

fn patterns(given: Option<&Value>) -> Result<Vec<Regex>, AgentError> {
    let given = given.filter(|given| !given.is_null());
    let texts: Option<Vec<&str>> = match given {
        None => Some(USUAL.to_vec()),
        Some(Value::Array(list)) => list.iter().map(Value::as_str).collect(),
        Some(_) => None,
    };
    let compile = |text: &str| {
        let built = RegexBuilder::new(text).case_insensitive(true).build();
        built.ok()
    };
    let compiled: Option<Vec<Regex>> =
        texts.and_then(|texts| texts.into_iter().map(compile).collect());
    compiled.ok_or_else(|| {
        AgentError::refused(
            "InvalidCommandParamsError",
            "Invalid command parameters",
            format!(
                "The match_patterns must be a list of strings: {}",
                given.map(pyrepr::to_str).unwrap_or_default()
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::efi::LoadOption;
    use serde_json::json;
    use std::fs;

    #[test]
    fn what_systems_left_goes_and_the_firmwares_own_stays() {
        let dir = tempfile::tempdir().unwrap();
        let permit = Permit::from_operator();
        assert!(clean(&permit, dir.path(), None).is_err());
        fs::create_dir_all(dir.path().join("sys/firmware/efi/efivars")).unwrap();
        let variables = Variables::open(dir.path()).unwrap();
        let disk = LoadOption::on_gpt("debian", 1, [1; 16], (1, 2), "\\EFI\\x.efi");
        variables.add_first(&disk).unwrap();
        // The network card: PciRoot(0x0)/Pci(0x3,0x0)
        let card = [
            &[1, 0, 0, 0, 22, 0, b'n', 0, 0, 0][..],
            &[2, 1, 12, 0, 0xd0, 0x41, 3, 10, 0, 0, 0, 0],
            &[1, 1, 6, 0, 0, 3],
            &[0x7f, 0xff, 4, 0],
        ];
        let card = LoadOption::decode(&card.concat()).unwrap();
        assert_eq!(card.path_text(), "PciRoot(0x0)/Pci(0x3,0x0)");
        variables.add_first(&card).unwrap();
        for wrong in [json!("x"), json!([1]), json!(["("])] {
            let error = clean(&permit, dir.path(), Some(&wrong)).unwrap_err();
            assert_eq!(error.code, 400);
        }
        clean(&permit, dir.path(), Some(&json!(["nothing"]))).unwrap();
        assert_eq!(variables.entries().unwrap().len(), 2);
        clean(&permit, dir.path(), None).unwrap();
        let left = variables.entries().unwrap();
        assert_eq!(left.into_values().collect::<Vec<_>>(), [card]);
        clean(&permit, dir.path(), Some(&json!(["pciroot"]))).unwrap();
        assert!(variables.entries().unwrap().is_empty());
    }
}
