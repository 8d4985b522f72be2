//! Discs: how they are made and where they are published.
//!
//! Everything of a node is under `redfish` in the root of HTTP: `boot-<node>-<random>.iso`,
//! `image-<node>-<random>.img` and `configdrive-<node>-<random>`. Files get their names when they are
//! complete. They hold the agent's token or the user's data, and the server gives them to whoever
//! names them, so nobody but the BMC may know the name. It is kept nowhere else than in the drive:
//! what belongs to a node is found by how its name begins, whoever made it. Where discs are served
//! from Swift, they are made here all the same, and go there when they are complete (`objects`).

#![expect(
    clippy::disallowed_methods,
    reason = "files are only touched within `blocking`"
)]

use super::objects::DiscContainer;
use crate::{
    DriverError, Failure,
    boot_image::{self, BootImages, Pair},
    iface::Machine,
};
use boot::cmdline::{self, Dialect, Parameters};
use image::{
    ImageError,
    bootiso::{Architecture, BootIso, Efi, EfiLoader, Inject, Isolinux},
    store::Purpose,
};
use openstack::{Caller, swift::Swift};
use proto::volume::Stamp;
use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};
use types::{NodeId, Timestamp, internal_info::objects::StoredObject};

/// What the configuration says about discs.
#[derive(Debug, Clone)]
pub struct DiscSettings {
    /// `[deploy]http_root`.
    pub http_root: PathBuf,
    /// Where BMCs see it, without a slash at the end.
    pub url: Option<String>,
    /// Where agents reach the API, if it is elsewhere than for others.
    pub callback_url: Option<String>,
    /// `[redfish]kernel_append_params`.
    pub append: String,
    pub file_mode: u32,
    pub dir_mode: Option<u32>,
    pub default_uefi: bool,
    /// `[inspector]force_dhcp`.
    pub force_dhcp: bool,
    /// Whom agents are to trust.
    pub ca_file: Option<PathBuf>,
    /// Images of EFI system partitions, for nodes that name none.
    pub bootloader: Option<String>,
    pub bootloader_by_arch: BTreeMap<String, String>,
    pub esp_image: Option<PathBuf>,
    /// Loaders by `cpu_arch`, from which such an image is made where there is none.
    pub grub_by_arch: BTreeMap<String, PathBuf>,
    pub shim_by_arch: BTreeMap<String, PathBuf>,
    pub grub_config_path: String,
    pub grub_template: Option<PathBuf>,
    pub isolinux: PathBuf,
    pub isolinux_template: Option<PathBuf>,
    pub ldlinux: Option<PathBuf>,
    /// Whether discs of operators and users are fetched to here, and not read from where they are.
    pub local: bool,
    /// Where BMCs fetch discs from instead, if that is Swift (`[redfish]use_swift`).
    pub swift: Option<DiscContainer>,
}

impl Default for DiscSettings {
    fn default() -> Self {
        Self {
            http_root: PathBuf::from("/httpboot"),
            url: None,
            callback_url: None,
            append: "nofb vga=normal".to_owned(),
            file_mode: 0o644,
            dir_mode: None,
            default_uefi: true,
            force_dhcp: false,
            ca_file: None,
            bootloader: None,
            bootloader_by_arch: BTreeMap::new(),
            esp_image: None,
            grub_by_arch: BTreeMap::new(),
            shim_by_arch: BTreeMap::new(),
            grub_config_path: "EFI/BOOT/grub.cfg".to_owned(),
            grub_template: None,
            isolinux: PathBuf::from("/usr/lib/syslinux/isolinux.bin"),
            isolinux_template: None,
            ldlinux: None,
            local: true,
            swift: None,
        }
    }
}

/// The kernel's command line, and who the disc says that it is from.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    text: String,
    publisher: String,
}

impl Line {
    pub(super) fn plain(text: String) -> Self {
        Self {
            text,
            publisher: String::new(),
        }
    }
}

/// A disc to be made.
pub(super) struct Disc {
    pub(super) pair: Pair,
    pub(super) line: Line,
    pub(super) inject: Vec<(String, Inject)>,
    pub(super) uefi: bool,
}

/// The discs of one node.
pub(super) struct Discs<'a> {
    pub(super) settings: &'a DiscSettings,
    pub(super) images: &'a BootImages,
    pub(super) node: NodeId,
    /// In whose name images are fetched.
    pub(super) caller: Caller,
    pub(super) swift: Option<&'a Swift>,
    /// The objects that the node's row has.
    pub(super) noted: Vec<StoredObject>,
}

const FOLDER: &str = "redfish";

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiscRole {
    Boot,
    Parameters,
    ConfigDrive,
}

impl DiscRole {
    pub(super) const ALL: [Self; 3] = [Self::Boot, Self::Parameters, Self::ConfigDrive];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Boot => "boot",
            Self::Parameters => "image",
            Self::ConfigDrive => "configdrive",
        }
    }

    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Boot => ".iso",
            Self::Parameters => ".img",
            Self::ConfigDrive => "",
        }
    }

    /// A name that nobody guesses.
    fn fresh_name(self, node: NodeId) -> Result<String, DriverError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| {
            DriverError::Environment(Failure::because("there is no randomness for a name", error))
        })?;
        let random = u128::from_be_bytes(random);
        Ok(format!(
            "{}-{node}-{random:032x}{}",
            self.word(),
            self.ending()
        ))
    }

    /// Whether a name is one of ours for a node; those of earlier versions have no random part.
    pub(super) fn is_of(self, node: NodeId, name: &str) -> bool {
        let rest = name.strip_prefix(&format!("{}-{node}", self.word()));
        let middle = rest.and_then(|rest| rest.strip_suffix(self.ending()));
        middle.is_some_and(|middle| {
            let random = middle.strip_prefix('-');
            middle.is_empty()
                || random.is_some_and(|random| {
                    random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
                })
        })
    }
}

impl Discs<'_> {
    /// The name of a file of ours in an address, as a drive shows it.
    pub(super) fn name_in<'u>(&self, kind: DiscRole, url: &'u str) -> Option<&'u str> {
        let path = url.split('?').next()?;
        let name = path.rsplit('/').next()?;
        kind.is_of(self.node, name).then_some(name)
    }

    /// Whether there is a disc to boot from.
    pub(super) async fn has_boot(&self) -> bool {
        if self.settings.swift.is_some() {
            return self.has_object(DiscRole::Boot).await;
        }
        let (folder, node) = (self.path(""), self.node);
        let found = blocking(move || Ok(files(&folder, node, &[DiscRole::Boot])));
        found.await.is_ok_and(|found| !found.is_empty())
    }

    /// Whether a file is here that is not older than this. Whoever shares the folder with another
    /// conductor finds what that one made; what is older belongs to something that is over.
    pub(super) async fn is_made_since(&self, name: &str, since: Timestamp) -> bool {
        let made = tokio::fs::metadata(self.path(name)).await;
        let made = made.and_then(|about| about.modified());
        let age = made.ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let seconds = age.and_then(|age| i64::try_from(age.as_secs()).ok());
        // Stamps of files may be in whole seconds.
        seconds.is_some_and(|seconds| seconds >= since.0.div_euclid(1_000_000))
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.settings.http_root.join(FOLDER).join(name)
    }

    /// Where the BMC finds a file.
    pub(super) fn url(&self, machine: &Machine<'_>, name: &str) -> Result<String, DriverError> {
        let own = boot_image::text(machine.driver_info, "external_http_url");
        let root = own.or_else(|| self.settings.url.clone());
        let root = root.ok_or_else(|| {
            DriverError::InvalidParameter(
                "Virtual media need an address that the BMC can fetch them from: set [deploy]external_http_url or [deploy]http_url".to_owned(),
            )
        })?;
        Ok(format!("{}/{FOLDER}/{name}", root.trim_end_matches('/')))
    }

    /// The command line of an agent's kernel. The publisher is on the disc and in the line, so that
    /// a ramdisk can tell its own disc from another.
    pub(super) fn line(&self, own: Option<&str>, mut parameters: Vec<(String, String)>) -> Line {
        let publisher = NodeId::generate().to_string();
        parameters.push(("ir_pub_id".to_owned(), publisher.clone()));
        let line = Parameters {
            own,
            default: &self.settings.append,
            agent: parameters
                .into_iter()
                .map(|(key, value)| (key, Some(value)))
                .collect(),
            ..Parameters::default()
        };
        Line {
            text: line.line(),
            publisher,
        }
    }

    async fn folder(&self) -> Result<(), DriverError> {
        let (path, mode) = (self.path(""), self.settings.dir_mode.unwrap_or(0o755));
        blocking(move || {
            if path.is_dir() {
                return Ok(());
            }
            fs::create_dir_all(&path)
                .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(mode)))
                .map_err(|error| unwritable(&path, error))
        })
        .await
    }

    /// The name of a new file; whatever was before it goes.
    async fn begin(&self, kind: DiscRole) -> Result<String, DriverError> {
        let name = kind.fresh_name(self.node)?;
        self.folder().await?;
        self.remove_files_of(&[kind]).await?;
        Ok(name)
    }

    /// Makes a disc and publishes it: under the name that a drive has already, or under a new one.
    pub(super) async fn publish(
        &self,
        machine: &Machine<'_>,
        disc: Disc,
        name: Option<String>,
    ) -> Result<String, DriverError> {
        let name = match name {
            Some(name) => name,
            None => self.begin(DiscRole::Boot).await?,
        };
        self.check_place(machine)?;
        let dialect = if disc.uefi {
            Dialect::Grub
        } else {
            Dialect::Pxelinux
        };
        cmdline::check(dialect, "the kernel parameters", &disc.line.text)
            .map_err(DriverError::InvalidParameter)?;
        self.folder().await?;
        let part = |name: &str| self.path(&format!(".{}-{name}", self.node));
        let parts = [part("kernel"), part("ramdisk"), part("esp")];
        let made = self.make(machine, disc, &name, &parts).await;
        for path in &parts {
            let _ = tokio::fs::remove_file(path).await;
        }
        made?;
        self.served(machine, DiscRole::Boot, &name).await
    }

    /// Brings what a disc is made of into the cache.
    pub(super) async fn fetch(&self, pair: &Pair) -> Result<(), DriverError> {
        self.folder().await?;
        for (what, href, name) in [
            ("the kernel", &pair.kernel, "kernel"),
            ("the ramdisk", &pair.ramdisk, "ramdisk"),
        ] {
            let path = self.path(&format!(".{}-{name}", self.node));
            let images = self.images;
            let fetched = images.fetch(Purpose::Boot, what, href, &path, &self.caller);
            let fetched = fetched.await;
            let _ = tokio::fs::remove_file(&path).await;
            fetched?;
        }
        Ok(())
    }

    async fn make(
        &self,
        machine: &Machine<'_>,
        disc: Disc,
        name: &str,
        [kernel, ramdisk, esp]: &[PathBuf; 3],
    ) -> Result<(), DriverError> {
        let images = self.images;
        let fetch = async |what, href: &str, path| {
            images
                .fetch(Purpose::Boot, what, href, path, &self.caller)
                .await
        };
        fetch("the kernel", &disc.pair.kernel, kernel).await?;
        fetch("the ramdisk", &disc.pair.ramdisk, ramdisk).await?;
        let arch = boot_image::text(&machine.node.properties, "cpu_arch");
        let arch = arch.unwrap_or_else(|| "x86_64".to_owned());
        let bootloader = self.bootloader(machine, &arch);
        if let (true, Some(href)) = (disc.uefi, &bootloader) {
            fetch("the boot loader", href, esp).await?;
        }
        let settings = self.settings.clone();
        let (kernel, ramdisk, esp) = (kernel.clone(), ramdisk.clone(), esp.clone());
        let (path, mode) = (self.path(name), self.settings.file_mode);
        blocking(move || {
            let efi = disc.uefi.then(|| {
                let given = bootloader
                    .map(|_| esp)
                    .or_else(|| settings.esp_image.clone());
                efi(&settings, &arch, given)
            });
            let bios = (!disc.uefi).then(|| isolinux(&settings));
            let iso = BootIso {
                kernel,
                ramdisk,
                parameters: disc.line.text,
                publisher: disc.line.publisher,
                inject: disc.inject,
                bios: bios.transpose()?,
                efi: efi.transpose()?,
                stamp: now(),
            };
            iso.write(&path).map_err(failed)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))
                .map_err(|error| unwritable(&path, error))
        })
        .await
    }

    fn bootloader(&self, machine: &Machine<'_>, arch: &str) -> Option<String> {
        let settings = self.settings;
        boot_image::text(machine.driver_info, "bootloader")
            .or_else(|| settings.bootloader_by_arch.get(arch).cloned())
            .or_else(|| settings.bootloader.clone())
    }

    /// Whether a disc that somebody made comes here for the BMC to fetch it.
    pub(super) fn is_copied(&self, href: &str, source: Option<&str>) -> bool {
        let local = source.map_or(self.settings.local, |source| source == "local");
        local || !(href.starts_with("http://") || href.starts_with("https://"))
    }

    /// Publishes a disc that somebody made, or leaves it where it is.
    pub(super) async fn publish_own(
        &self,
        machine: &Machine<'_>,
        href: &str,
        source: Option<&str>,
        name: Option<String>,
    ) -> Result<String, DriverError> {
        if let Some(other) = source.filter(|source| !matches!(*source, "local" | "http")) {
            return Err(DriverError::InvalidParameter(format!(
                "discs cannot be brought to the BMC by '{other}': only http and local are served"
            )));
        }
        if !self.is_copied(href, source) {
            return Ok(href.to_owned());
        }
        let name = match name {
            Some(name) => name,
            None => self.begin(DiscRole::Boot).await?,
        };
        self.check_place(machine)?;
        self.folder().await?;
        let path = self.path(&name);
        let images = self.images;
        images
            .fetch(Purpose::Iso, "the disc", href, &path, &self.caller)
            .await?;
        self.served(machine, DiscRole::Boot, &name).await
    }

    /// Publishes a medium with parameters.
    pub(super) async fn publish_parameters(
        &self,
        machine: &Machine<'_>,
        image: Vec<u8>,
    ) -> Result<String, DriverError> {
        self.publish_bytes(machine, DiscRole::Parameters, image)
            .await
    }

    pub(super) async fn publish_config_drive(
        &self,
        machine: &Machine<'_>,
        image: Vec<u8>,
    ) -> Result<String, DriverError> {
        self.publish_bytes(machine, DiscRole::ConfigDrive, image)
            .await
    }

    async fn publish_bytes(
        &self,
        machine: &Machine<'_>,
        kind: DiscRole,
        image: Vec<u8>,
    ) -> Result<String, DriverError> {
        let name = self.begin(kind).await?;
        self.check_place(machine)?;
        let (part, path) = (self.path(&format!(".{name}")), self.path(&name));
        let mode = self.settings.file_mode;
        blocking(move || {
            fs::write(&part, &image)
                .and_then(|()| fs::set_permissions(&part, fs::Permissions::from_mode(mode)))
                .and_then(|()| fs::rename(&part, &path))
                .map_err(|error| unwritable(&path, error))
        })
        .await?;
        self.served(machine, kind, &name).await
    }

    /// Where the BMC finds a file that is complete.
    async fn served(
        &self,
        machine: &Machine<'_>,
        kind: DiscRole,
        name: &str,
    ) -> Result<String, DriverError> {
        match &self.settings.swift {
            None => self.url(machine, name),
            Some(container) => {
                let stored = self.store(container, kind, name).await;
                // The copy here is of no use any more, and holds the same secrets.
                let _ = tokio::fs::remove_file(self.path(name)).await;
                stored
            }
        }
    }

    /// Whether there is a place that BMCs can fetch discs from.
    pub(super) fn check_place(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        match &self.settings.swift {
            None => self.url(machine, "").map(drop),
            Some(_) => self.client().map(drop),
        }
    }

    /// Removes everything of the node. Which objects are gone from Swift.
    pub(super) async fn remove(&self) -> Result<Vec<StoredObject>, DriverError> {
        let deleted = self.remove_kinds(&DiscRole::ALL).await?;
        self.images.clean_up().await;
        Ok(deleted)
    }

    /// Removes the files of the node that are here.
    pub(super) async fn remove_files(&self) -> Result<(), DriverError> {
        self.remove_files_of(&DiscRole::ALL).await?;
        self.images.clean_up().await;
        Ok(())
    }

    /// Removes what is of some kinds. Which objects are gone from Swift.
    pub(super) async fn remove_kinds(
        &self,
        kinds: &[DiscRole],
    ) -> Result<Vec<StoredObject>, DriverError> {
        self.remove_files_of(kinds).await?;
        Ok(self.delete(kinds).await)
    }

    /// Removes files of some kinds, whatever their names are.
    async fn remove_files_of(&self, kinds: &[DiscRole]) -> Result<(), DriverError> {
        let (folder, node, kinds) = (self.path(""), self.node, kinds.to_vec());
        blocking(move || {
            for path in files(&folder, node, &kinds) {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(unwritable(&path, error));
                    }
                    _ => {}
                }
            }
            Ok(())
        })
        .await
    }
}

/// The files of a node, those included that were never finished.
fn files(folder: &Path, node: NodeId, kinds: &[DiscRole]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        let name = name.strip_prefix('.').unwrap_or(name);
        kinds.iter().any(|kind| kind.is_of(node, name))
    });
    ours.map(|entry| entry.path()).collect()
}

/// What UEFI starts from the disc: an image that somebody made, or one that is made from loaders.
fn efi(settings: &DiscSettings, arch: &str, image: Option<PathBuf>) -> Result<Efi, DriverError> {
    let loader = match image {
        Some(image) => EfiLoader::Image(image),
        None => {
            let grub = settings.grub_by_arch.get(arch).filter(|path| path.exists());
            let Some(grub) = grub else {
                return Err(DriverError::Environment(Failure::new(format!(
                    "there is nothing to boot {arch} machines by UEFI from a disc: set [DEFAULT]esp_image, [conductor]bootloader, or [corten]grub_by_arch to where GRUB is (Debian: grub-efi-amd64-signed)"
                ))));
            };
            let shim = settings.shim_by_arch.get(arch).filter(|path| path.exists());
            EfiLoader::Programs {
                architecture: if arch == "aarch64" || arch == "arm64" {
                    Architecture::Aarch64
                } else {
                    Architecture::X86_64
                },
                shim: shim.cloned(),
                grub: grub.clone(),
            }
        }
    };
    Ok(Efi {
        loader,
        config_path: settings.grub_config_path.clone(),
        template: settings.grub_template.as_deref().map(read).transpose()?,
    })
}

/// What a BIOS starts from the disc. Debian has it elsewhere than the option's default says.
fn isolinux(settings: &DiscSettings) -> Result<Isolinux, DriverError> {
    const DEBIAN: &str = "/usr/lib/ISOLINUX/isolinux.bin";
    const DEBIAN_LIBRARY: &str = "/usr/lib/syslinux/modules/bios/ldlinux.c32";
    let places = [settings.isolinux.clone(), PathBuf::from(DEBIAN)];
    let Some(program) = places.into_iter().find(|path| path.exists()) else {
        return Err(DriverError::Environment(Failure::new(format!(
            "there is nothing to boot machines by BIOS from a disc: {} does not exist; set [DEFAULT]isolinux_bin (Debian: isolinux)",
            settings.isolinux.display()
        ))));
    };
    let library = settings.ldlinux.clone();
    let library = library.or_else(|| Some(PathBuf::from(DEBIAN_LIBRARY)).filter(|p| p.exists()));
    let template = settings.isolinux_template.as_deref();
    Ok(Isolinux {
        program,
        library,
        template: template.map(read).transpose()?,
    })
}

fn read(path: &Path) -> Result<String, DriverError> {
    fs::read_to_string(path).map_err(|error| {
        let tried = format!("cannot read {}", path.display());
        DriverError::Environment(Failure::because(tried, error))
    })
}

pub(super) fn failed(error: ImageError) -> DriverError {
    DriverError::Environment(Failure::new(types::error::chain(&error)))
}

fn unwritable(path: &Path, error: io::Error) -> DriverError {
    let tried = format!("cannot write {}", path.display());
    DriverError::Environment(Failure::because(tried, error))
}

/// The time that discs carry.
pub fn now() -> Stamp {
    let text = Timestamp::now().naive();
    let part = |from: usize, to: usize| text.get(from..to).and_then(|digits| digits.parse().ok());
    let small = |from, to, least: u8| {
        let number: Option<u16> = part(from, to);
        number
            .and_then(|number| u8::try_from(number).ok())
            .unwrap_or(least)
    };
    Stamp {
        year: part(0, 4).unwrap_or(1980),
        month: small(5, 7, 1),
        day: small(8, 10, 1),
        hour: small(11, 13, 0),
        minute: small(14, 16, 0),
        second: small(17, 19, 0),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DriverError> + Send + 'static,
) -> Result<T, DriverError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(DriverError::Environment(Failure::because(
            "a worker ended early",
            error,
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_be_guessed_and_tell_whose_they_are() {
        let (node, other) = (NodeId::generate(), NodeId::generate());
        for kind in DiscRole::ALL {
            let name = kind.fresh_name(node).unwrap();
            assert_ne!(name, kind.fresh_name(node).unwrap());
            assert!(kind.is_of(node, &name), "{name}");
            assert!(!kind.is_of(other, &name), "{name}");
            for another in DiscRole::ALL.into_iter().filter(|another| *another != kind) {
                assert!(!another.is_of(node, &name), "{name}");
            }
        }
        // What earlier versions made is found too; what a BMC makes up is not.
        assert!(DiscRole::Boot.is_of(node, &format!("boot-{node}.iso")));
        for odd in ["-..", "-x", "-0123", "", "/../../etc/passwd"] {
            let name = format!("boot-{node}{odd}");
            assert!(!DiscRole::Boot.is_of(node, &name), "{name}");
        }
    }

    #[test]
    fn nothing_of_a_node_is_overlooked() {
        let folder = tempfile::tempdir().unwrap();
        let (node, other) = (NodeId::generate(), NodeId::generate());
        for name in [
            format!("boot-{node}.iso"),
            DiscRole::Boot.fresh_name(node).unwrap(),
            format!(".{}", DiscRole::ConfigDrive.fresh_name(node).unwrap()),
            DiscRole::Boot.fresh_name(other).unwrap(),
        ] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        assert_eq!(files(folder.path(), node, &DiscRole::ALL).len(), 3);
        assert_eq!(files(folder.path(), node, &[DiscRole::Boot]).len(), 2);
        assert!(files(&folder.path().join("none"), node, &DiscRole::ALL).is_empty());
    }
}
