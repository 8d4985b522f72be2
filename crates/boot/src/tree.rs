//! The files of a node under the roots of TFTP and HTTP, with the names that loaders look for.
//!
//! | loader | asks for |
//! |---|---|
//! | PXELINUX | `pxelinux.cfg/<system uuid>`, `pxelinux.cfg/01-aa-bb-…` |
//! | GRUB | `aa:bb:….conf` through `grub/grub.cfg`; some builds `grub.cfg-01-aa-bb-…` or `<address>.conf` |
//! | iPXE | `pxelinux.cfg/aa-bb-…` through `boot.ipxe` |
//!
//! All of them are links to `<node>/config`. Everything is written so that repeating it changes
//! nothing, and what an older publication of the node left behind is taken away.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use crate::{
    config,
    error::BootError,
    node::{Artifact, BootMethod, BootMode, NodeBoot},
    place,
    settings::BootFiles,
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use types::NodeId;

/// Writes a node's files and links. Links and files of `before` that are no longer wanted go.
pub fn publish(
    files: &BootFiles,
    boot: &NodeBoot,
    before: Option<&NodeBoot>,
) -> Result<(), BootError> {
    let text = config::render(files, boot)?;
    let root = root(files, boot.way);
    let folder = root.join(boot.node.to_string());
    place::folder(&folder, files.dir_mode)?;
    place::folder(&root.join(&files.config_subdir), files.dir_mode)?;
    let mut wanted = BTreeSet::from(["config".to_owned()]);
    for (name, artifact) in boot.artifacts() {
        if let Artifact::File(original) = artifact {
            place::link_or_copy(original, &folder.join(name), files.file_mode)?;
            wanted.insert(name.to_owned());
        }
    }
    // The configuration last: whoever reads it finds what it names.
    place::write(&folder.join("config"), text.as_bytes(), files.file_mode)?;
    let links = links(files, boot);
    for link in &links {
        place::symbolic_link(&folder.join("config"), link)?;
    }
    if let Some(before) = before {
        let old = self::links(files, before);
        for link in old.difference(&links) {
            remove_own_link(files, link, boot.node)?;
        }
        if before.way.in_http_root() != boot.way.in_http_root() {
            place::remove_folder(&self::root(files, before.way).join(boot.node.to_string()))?;
        }
        for (name, _) in before.artifacts() {
            if !wanted.contains(name) {
                place::remove(&folder.join(name))?;
            }
        }
    }
    Ok(())
}

/// Writes a file beside those of a node that machines fetch by HTTP. It goes with them.
pub fn add(files: &BootFiles, node: NodeId, name: &str, content: &[u8]) -> Result<(), BootError> {
    let folder = files.http_root.join(node.to_string());
    place::folder(&folder, files.dir_mode)?;
    place::write(&folder.join(name), content, files.file_mode)
}

/// Whether a node's files and links are there as [`publish`] would write them.
pub fn is_complete(files: &BootFiles, boot: &NodeBoot) -> bool {
    let folder = root(files, boot.way).join(boot.node.to_string());
    let config = folder.join("config");
    let Ok(text) = config::render(files, boot) else {
        return false;
    };
    let is_there = |(name, artifact): &(&str, &Artifact)| {
        matches!(artifact, Artifact::Url(_)) || folder.join(name).exists()
    };
    fs::read_to_string(&config).is_ok_and(|found| found == text)
        && boot.artifacts().iter().all(is_there)
        && links(files, boot).iter().all(|link| link.exists())
}

/// Removes everything of a node; the folders that nodes share stay.
pub fn withdraw(files: &BootFiles, node: NodeId, boot: Option<&NodeBoot>) -> Result<(), BootError> {
    for link in boot.map(|boot| links(files, boot)).unwrap_or_default() {
        remove_own_link(files, &link, node)?;
    }
    for root in [&files.tftp_root, &files.http_root] {
        place::remove_folder(&root.join(node.to_string()))?;
    }
    Ok(())
}

/// A link may meanwhile be another node's: a port moved. It is removed only if it leads to ours.
fn remove_own_link(files: &BootFiles, link: &Path, node: NodeId) -> Result<(), BootError> {
    let target = fs::read_link(link).unwrap_or_default();
    let ours = target
        .components()
        .any(|part| part.as_os_str() == node.to_string().as_str());
    debug_assert!(link.starts_with(&files.tftp_root) || link.starts_with(&files.http_root));
    if ours { place::remove(link) } else { Ok(()) }
}

fn root(files: &BootFiles, way: BootMethod) -> &Path {
    if way.in_http_root() {
        &files.http_root
    } else {
        &files.tftp_root
    }
}

/// The names under which loaders look for the node's configuration.
fn links(files: &BootFiles, boot: &NodeBoot) -> BTreeSet<PathBuf> {
    let root = root(files, boot.way);
    let configs = root.join(&files.config_subdir);
    let mut links = BTreeSet::new();
    for port in &boot.ports {
        let dashed = port.mac.to_string().replace(':', "-");
        links.insert(configs.join(match (boot.way.by_ipxe(), port.infiniband) {
            (true, _) => dashed.clone(),
            (false, true) => format!("20-{dashed}"),
            (false, false) => format!("01-{dashed}"),
        }));
        links.insert(root.join(format!("grub.cfg-01-{dashed}")));
        links.insert(root.join(format!("{}.conf", port.mac)));
    }
    if !boot.way.by_ipxe() {
        // The text comes from a machine's inventory: only what looks like a UUID becomes a name.
        let uuid = boot
            .system_uuid
            .iter()
            .map(|uuid| uuid.to_ascii_lowercase());
        let uuid = uuid.filter(|uuid| uuid.parse::<NodeId>().is_ok());
        links.extend(uuid.map(|uuid| configs.join(uuid)));
        if boot.mode == BootMode::Uefi {
            let fixed = boot.ports.iter().flat_map(|port| &port.addresses);
            let all = boot.addresses.iter().chain(fixed);
            links.extend(all.map(|address| root.join(format!("{address}.conf"))));
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choice::tests::node,
        node::{BootPort, Start},
    };
    use std::os::unix::fs::PermissionsExt;

    struct TestFiles {
        dir: tempfile::TempDir,
        files: BootFiles,
    }

    fn here() -> TestFiles {
        let dir = tempfile::tempdir().unwrap();
        for name in ["kernel", "ramdisk"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let files = BootFiles {
            tftp_root: dir.path().join("tftp"),
            http_root: dir.path().join("http"),
            http_url: Some("http://h".to_owned()),
            ..BootFiles::default()
        };
        TestFiles { dir, files }
    }

    impl TestFiles {
        fn boot(&self, way: BootMethod, mode: BootMode) -> NodeBoot {
            let file = |name: &str| Artifact::File(self.dir.path().join(name));
            NodeBoot {
                start: Start::Agent {
                    kernel: file("kernel"),
                    ramdisk: file("ramdisk"),
                },
                ..node(way, mode)
            }
        }

        /// Everything under the roots, by relative path; links with where they lead.
        fn listing(&self) -> Vec<String> {
            let mut found = Vec::new();
            let mut folders = vec![self.files.tftp_root.clone(), self.files.http_root.clone()];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                    let path = entry.path();
                    let name = path
                        .strip_prefix(self.dir.path())
                        .unwrap()
                        .display()
                        .to_string();
                    match fs::read_link(&path) {
                        Ok(target) => found.push(format!("{name} -> {}", target.display())),
                        Err(_) if path.is_dir() => folders.push(path),
                        Err(_) => found.push(name),
                    }
                }
            }
            found.sort();
            found
        }
    }

    const UUID: &str = "11111111-2222-4333-8444-555555555555";

    #[test]
    fn names_are_those_of_the_reference() {
        let place = here();
        let mut boot = place.boot(BootMethod::Pxe, BootMode::Uefi);
        boot.addresses = vec!["10.0.0.9".parse().unwrap()];
        boot.system_uuid = Some("AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE".to_owned());
        let mut infiniband = BootPort::new([2; 6].into());
        infiniband.infiniband = true;
        boot.ports.push(infiniband);
        for _ in 0..2 {
            publish(&place.files, &boot, Some(&boot)).unwrap();
        }
        let expected = [
            format!("tftp/02:02:02:02:02:02.conf -> {UUID}/config"),
            format!("tftp/10.0.0.9.conf -> {UUID}/config"),
            format!("tftp/{UUID}/config"),
            format!("tftp/{UUID}/deploy_kernel"),
            format!("tftp/{UUID}/deploy_ramdisk"),
            format!("tftp/52:54:00:01:02:03.conf -> {UUID}/config"),
            format!("tftp/grub.cfg-01-02-02-02-02-02-02 -> {UUID}/config"),
            format!("tftp/grub.cfg-01-52-54-00-01-02-03 -> {UUID}/config"),
            format!("tftp/pxelinux.cfg/01-52-54-00-01-02-03 -> ../{UUID}/config"),
            format!("tftp/pxelinux.cfg/20-02-02-02-02-02-02 -> ../{UUID}/config"),
            format!("tftp/pxelinux.cfg/aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee -> ../{UUID}/config"),
        ];
        assert_eq!(place.listing(), expected);
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(place.files.tftp_root.join(UUID)), 0o755);
        assert_eq!(mode(place.files.tftp_root.join(UUID).join("config")), 0o644);
        withdraw(&place.files, boot.node, Some(&boot)).unwrap();
        withdraw(&place.files, boot.node, Some(&boot)).unwrap();
        assert_eq!(place.listing(), Vec::<String>::new());
        assert!(place.files.tftp_root.join("pxelinux.cfg").is_dir());
    }

    #[test]
    fn another_way_leaves_nothing_of_the_first() {
        let place = here();
        let first = place.boot(BootMethod::Pxe, BootMode::Bios);
        publish(&place.files, &first, None).unwrap();
        let second = place.boot(BootMethod::Http, BootMode::Uefi);
        publish(&place.files, &second, Some(&first)).unwrap();
        assert!(
            place.listing().iter().all(|name| name.starts_with("http/")),
            "{:?}",
            place.listing()
        );
        let disk = NodeBoot {
            start: Start::Disk { identifier: None },
            ..second.clone()
        };
        publish(&place.files, &disk, Some(&second)).unwrap();
        assert!(!place.listing().iter().any(|name| name.contains("kernel")));
        let config = fs::read_to_string(place.files.http_root.join(UUID).join("config")).unwrap();
        assert!(config.starts_with("set default=boot_whole_disk"));
    }

    #[test]
    fn a_link_that_another_node_took_over_stays() {
        let place = here();
        let first = place.boot(BootMethod::Ipxe, BootMode::Bios);
        publish(&place.files, &first, None).unwrap();
        let other = NodeBoot {
            node: NodeId::generate(),
            ..first.clone()
        };
        publish(&place.files, &other, None).unwrap();
        withdraw(&place.files, first.node, Some(&first)).unwrap();
        let link = place.files.http_root.join("pxelinux.cfg/52-54-00-01-02-03");
        assert_eq!(
            fs::read_link(link).unwrap(),
            Path::new("..").join(other.node.to_string()).join("config")
        );
    }

    #[test]
    fn what_cannot_be_rendered_changes_nothing() {
        let place = here();
        let mut boot = place.boot(BootMethod::Ipxe, BootMode::Bios);
        boot.append = "a\nb".to_owned();
        assert!(publish(&place.files, &boot, None).is_err());
        assert_eq!(place.listing(), Vec::<String>::new());
        let missing = Artifact::File(place.dir.path().join("none"));
        boot.append.clear();
        boot.start = Start::Agent {
            kernel: missing.clone(),
            ramdisk: missing,
        };
        assert!(publish(&place.files, &boot, None).is_err());
        assert!(!place.listing().iter().any(|name| name.contains("config")));
    }
}
