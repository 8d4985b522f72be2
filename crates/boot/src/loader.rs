//! Boot loaders and the files that are no node's own, put into the roots when the service starts.

use crate::{
    config::{grub, ipxe},
    error::BootError,
    place,
    settings::{BOOT_SCRIPT, BootFiles},
};
use std::path::Path;

/// Copies the configured loaders into both roots and writes the files that every machine reads.
///
/// Doing it again changes nothing, so it is done at every start.
pub fn place_common(files: &BootFiles) -> Result<(), BootError> {
    for root in [&files.tftp_root, &files.http_root] {
        place::folder(root, files.dir_mode)?;
        for (name, original) in &files.loaders {
            // The name may not lead out of the root.
            if Path::new(name).file_name() != Some(name.as_ref()) {
                return Err(BootError::Settings(format!(
                    "[pxe]loader_file_paths: '{name}' must be a plain file name"
                )));
            }
            place::copy(original, &root.join(name), files.file_mode)?;
        }
        place::folder(&root.join("grub"), files.dir_mode)?;
        let first = grub::first_stage(&files.tftp_root);
        place::write(
            &root.join("grub/grub.cfg"),
            first.as_bytes(),
            files.file_mode,
        )?;
    }
    let script = ipxe::boot_script(&files.config_subdir, files.ipxe_fallback_script.as_deref());
    place::write(
        &files.http_root.join(BOOT_SCRIPT),
        script.as_bytes(),
        files.file_mode,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::BTreeMap, fs};

    #[test]
    fn loaders_come_into_both_roots() {
        let dir = tempfile::tempdir().unwrap();
        let original = dir.path().join("snponly.efi");
        fs::write(&original, "loader").unwrap();
        let mut files = BootFiles {
            tftp_root: dir.path().join("tftp"),
            http_root: dir.path().join("http"),
            loaders: BTreeMap::from([("x.efi".to_owned(), original)]),
            ..BootFiles::default()
        };
        for _ in 0..2 {
            place_common(&files).unwrap();
        }
        for root in [&files.tftp_root, &files.http_root] {
            assert_eq!(fs::read(root.join("x.efi")).unwrap(), b"loader");
            let first = fs::read_to_string(root.join("grub/grub.cfg")).unwrap();
            assert!(first.contains(&format!(
                "source {}/$net_default_mac.conf",
                files.tftp_root.display()
            )));
        }
        assert!(files.http_root.join("boot.ipxe").exists());
        files.loaders.insert("../x".to_owned(), "/dev/null".into());
        assert!(
            place_common(&files)
                .unwrap_err()
                .to_string()
                .contains("plain file name")
        );
        files.loaders = BTreeMap::from([("y".to_owned(), "/nonexistent".into())]);
        assert!(place_common(&files).is_err());
    }
}
