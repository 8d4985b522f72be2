//! NVMe disks erase themselves: by a new key if they encrypt, else all of their cells.

use super::failed;
use crate::{AgentError, disk::sys, safety::Permit};
use std::{
    fs::{self, File},
    path::Path,
};
use types::erasure::ErasureMethod;

const FORMAT: u8 = 0x80;
/// Formatting a large disk takes minutes, erasing all cells hours.
const TIMEOUT_MS: u32 = 6 * 3600 * 1000;

/// Returns how the disk erased itself.
pub(super) async fn erase(_permit: &Permit, path: &Path) -> Result<ErasureMethod, AgentError> {
    let path = path.to_owned();
    let work = tokio::task::spawn_blocking(move || {
        let shown = path.display();
        let failure = |what: &str, error: std::io::Error| {
            failed(format!("Failed to {what} device {shown}: {error}"))
        };
        let file = File::options().read(true).write(true).open(&path);
        let file = file.map_err(|error| failure("open", error))?;
        let namespace = namespace(&path);
        let identify = |of| {
            let about = sys::nvme_identify(&file, of);
            about.map_err(|error| failure("fetch NVMe capabilities for", error))
        };
        let (controller, own) = (identify(None)?, identify(Some(namespace))?);
        let Some((setting, method)) = setting(&controller, &own) else {
            return Err(failed(format!(
                "the NVMe device {shown} does not support the format command"
            )));
        };
        sys::nvme_command(&file, FORMAT, namespace, setting, TIMEOUT_MS)
            .map_err(|error| failure("nvme format", error))?;
        Ok(method)
    });
    work.await.unwrap_or_else(|error| {
        Err(failed(format!(
            "internal error: the erase task panicked: {error}"
        )))
    })
}

/// The argument of the format command: how to erase, with the format of the sectors as it is.
fn setting(controller: &[u8], namespace: &[u8]) -> Option<(u32, ErasureMethod)> {
    let can_format = controller.get(256)? & 2 != 0;
    let can_rekey = controller.get(524)? & 4 != 0;
    let format = u32::from(*namespace.get(26)?);
    // Four bits of the number have always been there; the two above came later.
    let format = format & 0x1f | (format & 0x60) << 7;
    let (erase, method): (u32, _) = match can_rekey {
        true => (2, ErasureMethod::NvmeCryptographicErase),
        false => (1, ErasureMethod::NvmeFormat),
    };
    can_format.then_some((erase << 9 | format, method))
}

/// The number of a namespace, from sysfs; its name need not have it.
fn namespace(path: &Path) -> u32 {
    let name = path.file_name().unwrap_or_default();
    let root = path.parent().and_then(Path::parent).unwrap_or(path);
    let told = fs::read_to_string(root.join("sys/block").join(name).join("nsid"));
    let told = told.ok().and_then(|text| text.trim().parse().ok());
    told.unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_way_is_chosen() {
        let (mut about, mut own) = (vec![0; 4096], vec![0; 4096]);
        assert_eq!(setting(&about, &own), None);
        about[256] = 2;
        assert_eq!(
            setting(&about, &own),
            Some((1 << 9, ErasureMethod::NvmeFormat))
        );
        about[524] = 4;
        own[26] = 0x21;
        assert_eq!(
            setting(&about, &own),
            Some((2 << 9 | 0x1000 | 1, ErasureMethod::NvmeCryptographicErase))
        );
        assert_eq!(setting(&[], &[]), None);
    }
}
