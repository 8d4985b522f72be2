//! Boot loaders and the files that are no node's own, put into the roots when the service starts.

use crate::{
    config::{grub, ipxe, operator},
    error::BootError,
    node::Artifact,
    place,
    settings::{BOOT_SCRIPT, BootFiles, DISCOVERY_SCRIPT, Discovery},
    template::TemplateError,
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
        let first = match &files.templates.first_stage {
            Some(template) => operator::first_stage(template, &files.tftp_root)
                .map_err(|error| unusable("initial_grub_template", &error))?,
            None => grub::first_stage(&files.tftp_root),
        };
        place::write(
            &root.join("grub/grub.cfg"),
            first.as_bytes(),
            files.file_mode,
        )?;
    }
    let discovery = match (&files.ipxe_fallback_script, &files.discovery) {
        (None, Some(discovery)) => place_discovery(files, discovery),
        _ => None,
    };
    let fallback = files.ipxe_fallback_script.as_deref().or(discovery);
    let folder = &files.config_subdir;
    let script = match &files.templates.boot_script {
        Some(template) => operator::boot_script(template, folder, fallback)
            .map_err(|error| unusable("ipxe_boot_script", &error))?,
        None => ipxe::boot_script(folder, fallback),
    };
    place::write(
        &files.http_root.join(BOOT_SCRIPT),
        script.as_bytes(),
        files.file_mode,
    )
}

fn unusable(option: &str, error: &TemplateError) -> BootError {
    BootError::Settings(format!("[pxe]{option}: {error}"))
}

/// Publishes what unknown machines boot. Without it the service starts all the same: nodes that are
/// enrolled need nothing of it.
fn place_discovery(files: &BootFiles, discovery: &Discovery) -> Option<&'static str> {
    let folder = files.http_root.join("discovery");
    let placed = || -> Result<(), BootError> {
        place::folder(&folder, files.dir_mode)?;
        let address = |name: &str, artifact: &Artifact| match artifact {
            Artifact::Url(url) => Ok(url.clone()),
            Artifact::File(original) => {
                place::link_or_copy(original, &folder.join(name), files.file_mode)?;
                Ok::<_, BootError>(format!("discovery/{name}"))
            }
        };
        let kernel = address("kernel", &discovery.kernel)?;
        let ramdisk = address("ramdisk", &discovery.ramdisk)?;
        let script = ipxe::discovery_script(&kernel, &ramdisk, &discovery.append);
        let path = files.http_root.join(DISCOVERY_SCRIPT);
        place::write(&path, script.as_bytes(), files.file_mode)
    };
    match placed() {
        Ok(()) => Some(DISCOVERY_SCRIPT),
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::warn!(
                error,
                "machines that nobody enrolled cannot be discovered: what they boot cannot be published"
            );
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Template;
    use std::{collections::BTreeMap, fs};

    #[test]
    fn what_unknown_machines_boot_is_published_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("k"), "kernel").unwrap();
        let append = "ipa-inspection-callback-url=http://api/v1/continue_inspection";
        let mut files = BootFiles {
            tftp_root: dir.path().join("tftp"),
            http_root: dir.path().join("http"),
            discovery: Some(Discovery {
                kernel: Artifact::File(dir.path().join("k")),
                ramdisk: Artifact::Url("http://images/ramdisk".to_owned()),
                append: append.to_owned(),
            }),
            ..BootFiles::default()
        };
        let read = |name: &str| fs::read_to_string(dir.path().join("http").join(name));
        place_common(&files).unwrap();
        assert!(
            read(BOOT_SCRIPT)
                .unwrap()
                .contains("chain discovery.ipxe ||")
        );
        let script = read(DISCOVERY_SCRIPT).unwrap();
        for line in [
            &format!(
                "kernel discovery/kernel {append} BOOTIF=${{mac}} initrd=ramdisk || goto fail"
            ),
            "initrd --name ramdisk http://images/ramdisk || goto fail",
        ] {
            assert!(
                script.lines().any(|have| have == line),
                "{line} in {script}"
            );
        }
        assert_eq!(read("discovery/kernel").unwrap(), "kernel");
        // A script of the operator counts more, and a ramdisk that is missing does no harm.
        files.ipxe_fallback_script = Some("own.ipxe".to_owned());
        place_common(&files).unwrap();
        assert!(!read(BOOT_SCRIPT).unwrap().contains("discovery.ipxe"));
        files.ipxe_fallback_script = None;
        fs::remove_file(dir.path().join("k")).unwrap();
        place_common(&files).unwrap();
        assert!(!read(BOOT_SCRIPT).unwrap().contains("discovery.ipxe"));
    }

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
        let parse = |text: &str| Some(Template::parse(text).unwrap());
        files.templates.boot_script = parse("chain {{ ipxe_for_mac_uri }}${mac:hexhyp}");
        files.templates.first_stage = parse("source {{ tftp_root }}/x");
        place_common(&files).unwrap();
        let script = fs::read(files.http_root.join("boot.ipxe")).unwrap();
        assert_eq!(script, b"chain pxelinux.cfg/${mac:hexhyp}");
        let first = fs::read_to_string(files.http_root.join("grub/grub.cfg")).unwrap();
        assert_eq!(first, format!("source {}/x", files.tftp_root.display()));
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
