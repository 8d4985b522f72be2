//! What machines boot: which kernel and ramdisk, with which parameters, and how they get here.
//!
//! All boot interfaces ask the same questions: which ramdisk a node has (its own, that of its
//! architecture, or the configured one), what its instance is (the disk, or a ramdisk or disc of the
//! user), and whether that is enough to work with. They differ in how the answer reaches the machine.

mod installer;

pub use installer::Installer;

use crate::{
    DriverError, Failure, boot_mode,
    boot_option::{self, BootOption},
    glance::{GlanceError, GlanceImages, Permission, Reference},
    iface::Machine,
    iface::RamdiskKind,
};
use image::{
    cache::ImageRequest,
    store::{ImageStore, Purpose},
};
use openstack::Caller;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};
use types::{InterfaceKind, JsonMap, Node, internal_info::GlanceImage, pyrepr};

/// A kernel and its ramdisk, by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub kernel: String,
    pub ramdisk: String,
}

/// What is named of a pair.
#[derive(Debug, PartialEq, Eq)]
enum Named {
    Both(Pair),
    /// Not all of it; which part is.
    Parts {
        kernel: bool,
        ramdisk: bool,
    },
}

/// Ramdisks of one kind, for nodes that name none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configured {
    pub kernel: Option<String>,
    pub ramdisk: Option<String>,
    /// By `cpu_arch`.
    pub kernel_by_arch: BTreeMap<String, String>,
    pub ramdisk_by_arch: BTreeMap<String, String>,
}

/// What the configuration says about what machines boot.
#[derive(Debug, Clone, Default)]
pub struct BootImageSettings {
    pub deploy: Configured,
    pub rescue: Configured,
    /// Whether half a pair is an error, and not merely passed over.
    pub strict: bool,
    /// Whether nodes are cleaned that do not say so themselves.
    pub automated_clean: bool,
    /// Where instances get their kernels that do not say.
    pub boot_option: BootOption,
    /// Whether the agent's kernel is told what the instance's is to be told.
    pub instance_parameters: InstanceParameters,
}

/// What of `kernel_append_params` of `instance_info`, which tenants write, the kernel of the agent's
/// ramdisk is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InstanceParameters {
    /// Nothing: they are for the instance.
    #[default]
    Never,
    /// Everything, unless it would take the agent over.
    Checked,
    /// Everything, as in Ironic.
    Always,
}

/// Names of kernel parameters by which whoever writes them takes over the ramdisk. A dot or a
/// hyphen at the end stands for all that begin so.
const TAKING_OVER: &[&str] = &[
    "ipa-",
    "corten.",
    "ir_pub_id",
    "init",
    "rdinit",
    "sshkey",
    "rootpwd",
    "rd.",
    "systemd.",
    "break",
    "single",
    "emergency",
    "rescue",
    "selinux",
    "enforcing",
    "apparmor",
    "coreos.",
    "ignition.",
    "ds",
    "cloud-config-url",
    "root",
    "ip",
    "nfsroot",
    "module_blacklist",
    "modprobe.",
    "--",
];

/// The first of the words that an agent must not be told.
fn taking_over(line: &str) -> Option<&str> {
    line.split_whitespace()
        .map(|word| word.trim_matches(['"', '\'']))
        .find(|word| {
            let name = word.split('=').next().unwrap_or_default();
            // The kernel does not tell one from the other.
            let name = name.replace('_', "-");
            TAKING_OVER.iter().any(|known| {
                let known = known.replace('_', "-");
                match known.ends_with(['-', '.']) && known != "--" {
                    true => name.starts_with(&known),
                    false => name == known,
                }
            })
        })
}

/// What an instance boots from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instance {
    Disk,
    /// The disk too, by way of the network.
    DiskByNetwork,
    /// A root on the disk, whose kernel comes from the network.
    Root {
        pair: Pair,
        /// The id of its filesystem, once it was written.
        uuid: Option<String>,
    },
    Ramdisk {
        pair: Pair,
        arguments: String,
    },
    Iso(String),
    /// The installer of an operating system, when it is told to install; the disk afterwards.
    Installer(Installer),
}

/// How long somebody may take to say that a file is there. A host that is gone says nothing.
const LOOK: Duration = Duration::from_secs(10);

/// Where boot interfaces get images.
#[derive(Debug, Clone)]
pub struct BootImages {
    store: Option<Arc<ImageStore>>,
    glance: Option<GlanceImages>,
    settings: Arc<BootImageSettings>,
}

impl BootImages {
    pub fn new(store: Option<Arc<ImageStore>>, settings: BootImageSettings) -> Self {
        Self {
            store,
            glance: None,
            settings: Arc::new(settings),
        }
    }

    /// The same with images of Glance.
    pub fn with_glance(mut self, glance: Option<GlanceImages>) -> Self {
        self.glance = glance;
        self
    }

    /// The ramdisk of a node, or what is missing: `complaint` opens that sentence.
    ///
    /// The ramdisk for deployment has a rescue system too, so it serves where none is named for
    /// rescue.
    pub fn ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
        complaint: &str,
    ) -> Result<Pair, DriverError> {
        let named = self.named(machine, kind)?;
        let (kernel, ramdisk) = match named {
            Named::Both(pair) => return Ok(pair),
            Named::Parts { kernel, ramdisk } => (kernel, ramdisk),
        };
        if kind == RamdiskKind::Rescue
            && !kernel
            && !ramdisk
            && let Named::Both(pair) = self.named(machine, RamdiskKind::Deploy)?
        {
            return Ok(pair);
        }
        let word = kind.word();
        let missing: Vec<String> = [("kernel", kernel), ("ramdisk", ramdisk)]
            .into_iter()
            .filter(|(_, is_named)| !is_named)
            .map(|(part, _)| format!("'{word}{part}'"))
            .collect();
        Err(DriverError::InvalidParameter(format!(
            "{complaint}. Missing are: [{}]. Name them in the node's driver_info, or for all nodes in [conductor]{word}kernel and [conductor]{word}ramdisk; `corten ramdisk build` makes them",
            missing.join(", ")
        )))
    }

    /// Whether anything is said about what a machine boots to be rescued.
    pub fn has_own_rescue(&self, machine: &Machine<'_>) -> bool {
        let nothing = Named::Parts {
            kernel: false,
            ramdisk: false,
        };
        !matches!(self.named(machine, RamdiskKind::Rescue), Ok(named) if named == nothing)
    }

    /// What the node, its architecture or the configuration name.
    fn named(&self, machine: &Machine<'_>, kind: RamdiskKind) -> Result<Named, DriverError> {
        let configured = match kind {
            RamdiskKind::Deploy => &self.settings.deploy,
            RamdiskKind::Rescue => &self.settings.rescue,
        };
        let word = kind.word();
        let node = &machine.node;
        let own = |part: &str| text(machine.driver_info, &format!("{word}{part}"));
        let of_node = self.both(own("kernel"), own("ramdisk"), || {
            format!(
                "Node {} driver_info has an override for one of {word}kernel and {word}ramdisk, but not for the other. This configuration is ambiguous.",
                node.id
            )
        })?;
        let arch = text(&node.properties, "cpu_arch").unwrap_or_default();
        let by_arch = |table: &BTreeMap<String, String>| table.get(&arch).cloned();
        let of_arch = || {
            let kernel = by_arch(&configured.kernel_by_arch);
            let ramdisk = by_arch(&configured.ramdisk_by_arch);
            self.both(kernel, ramdisk, || {
                format!(
                    "Only one of [conductor]{word}kernel_by_arch and {word}ramdisk_by_arch has a value for {arch}. This configuration is ambiguous."
                )
            })
        };
        if let Some(pair) = of_node {
            return Ok(Named::Both(pair));
        }
        if let Some(pair) = of_arch()? {
            return Ok(Named::Both(pair));
        }
        let given = |value: &Option<String>| value.clone().filter(|text| !text.is_empty());
        Ok(
            match (given(&configured.kernel), given(&configured.ramdisk)) {
                (Some(kernel), Some(ramdisk)) => Named::Both(Pair { kernel, ramdisk }),
                (kernel, ramdisk) => Named::Parts {
                    kernel: kernel.is_some(),
                    ramdisk: ramdisk.is_some(),
                },
            },
        )
    }

    /// Both or none; one alone is passed over unless the operator wants to hear of it.
    fn both(
        &self,
        kernel: Option<String>,
        ramdisk: Option<String>,
        complaint: impl Fn() -> String,
    ) -> Result<Option<Pair>, DriverError> {
        match (kernel, ramdisk) {
            (Some(kernel), Some(ramdisk)) => Ok(Some(Pair { kernel, ramdisk })),
            (None, None) => Ok(None),
            _ if self.settings.strict => Err(DriverError::InvalidParameter(complaint())),
            _ => {
                tracing::warn!("{}", complaint());
                Ok(None)
            }
        }
    }

    /// Whether an agent's ramdisk is ever booted on this node: a node whose instance is a ramdisk
    /// needs one only to be cleaned.
    pub fn needs_agent(&self, node: &Node) -> bool {
        !boots_ramdisk(node)
            || node
                .automated_clean
                .unwrap_or(self.settings.automated_clean)
    }

    /// Whether a reference leads to an image at all.
    pub fn check_address(&self, what: &str, href: &str) -> Result<(), DriverError> {
        match Reference::read(href) {
            Ok(Reference::Stored(_)) => Err(DriverError::InvalidParameter(format!(
                "{what}: {href} is an image of the image store, which has whole systems and no kernels, ramdisks or loaders"
            ))),
            Ok(_) => Ok(()),
            Err(error) => Err(DriverError::InvalidParameter(format!("{what}: {error}"))),
        }
    }

    fn check_pair(&self, prefix: &str, pair: &Pair) -> Result<(), DriverError> {
        self.check_address(&format!("{prefix}kernel"), &pair.kernel)?;
        self.check_address(&format!("{prefix}ramdisk"), &pair.ramdisk)
    }

    /// Whether a node has a ramdisk that can be fetched; `complaint` as for [`Self::ramdisk`].
    pub fn check_ramdisk(
        &self,
        machine: &Machine<'_>,
        kind: RamdiskKind,
        complaint: &str,
    ) -> Result<(), DriverError> {
        let pair = self.ramdisk(machine, kind, complaint)?;
        self.check_pair(kind.word(), &pair)?;
        self.agent_parameters(machine).map(drop)
    }

    /// What the node says about the parameters of the agent's kernel.
    pub(crate) fn agent_parameters<'a>(
        &self,
        machine: &'a Machine<'_>,
    ) -> Result<Option<&'a str>, DriverError> {
        let of_driver = append_params(machine.driver_info);
        let of_instance = append_params(&machine.node.instance_info);
        match (self.settings.instance_parameters, of_instance) {
            (InstanceParameters::Never, _) | (_, None) => Ok(of_driver),
            (InstanceParameters::Always, given) => Ok(given),
            (InstanceParameters::Checked, Some(given)) => match taking_over(given) {
                None => Ok(Some(given)),
                Some(word) => Err(DriverError::InvalidParameter(format!(
                    "instance_info/kernel_append_params of node {} has '{word}' in it, which is not for instances to tell a ramdisk ([corten]instance_params_for_ramdisk)",
                    machine.node.id
                ))),
            },
        }
    }

    /// What the instance boots from, if that can be fetched.
    pub async fn check_instance(&self, machine: &Machine<'_>) -> Result<Instance, DriverError> {
        let (node, info) = (&*machine.node, machine.instance_info());
        let boot = self.boot_option(node);
        let instance = match image_of_ramdisk(node, info, boot) {
            None => instance(node, info, boot)?,
            Some(id) => {
                // Nothing is fetched yet, so nobody's permission is needed.
                let image = self
                    .look_up(&id, &machine.caller, Permission::Granted)
                    .await;
                let image = image.map_err(|error| match error {
                    DriverError::Environment(_) => DriverError::InvalidParameter(format!(
                        "Failed to connect to Glance to get the properties of the image {id}"
                    )),
                    other => other,
                })?;
                instance(node, &with_image(node, info, &image)?, boot)?
            }
        };
        match &instance {
            Instance::Disk | Instance::DiskByNetwork => {}
            Instance::Iso(iso) => self.check_address("boot_iso", iso)?,
            Instance::Ramdisk { pair, .. } | Instance::Root { pair, .. } => {
                self.check_pair("", pair)?;
            }
            Instance::Installer(installer) => {
                self.check_pair("", &installer.pair)?;
                let more = [
                    ("stage2", &installer.stage2),
                    ("ks_template", &installer.template),
                ];
                for (key, href) in more {
                    if let Some(href) = href {
                        self.check_address(key, href)?;
                    }
                }
            }
        }
        Ok(instance)
    }

    /// What the instance boots from, or what is missing for that. Where its image is one of Glance,
    /// that knows the kernel and the ramdisk.
    pub async fn instance(&self, machine: &mut Machine<'_>) -> Result<Instance, DriverError> {
        let boot = self.boot_option(machine.node);
        let Some(id) = image_of_ramdisk(machine.node, machine.instance_info(), boot) else {
            return instance(machine.node, machine.instance_info(), boot);
        };
        let known = machine.node.driver_internal_info.glance_image();
        let image = match known.filter(|known| known.id == id) {
            Some(known) => known,
            None => {
                let permission = Permission::Asked;
                let image = self.look_up(&id, &machine.caller, permission).await?;
                machine.node.driver_internal_info.set_glance_image(&image);
                image
            }
        };
        let info = with_image(machine.node, machine.instance_info(), &image)?;
        instance(machine.node, &info, boot)
    }

    /// Where the instance of a node gets its kernel.
    fn boot_option(&self, node: &Node) -> BootOption {
        boot_option::of(node, self.settings.boot_option)
    }

    async fn look_up(
        &self,
        id: &str,
        caller: &Caller,
        permission: Permission,
    ) -> Result<GlanceImage, DriverError> {
        let image = self.glance()?.find(id, caller, permission).await?;
        Ok(crate::glance::described(&image))
    }

    fn glance(&self) -> Result<&GlanceImages, DriverError> {
        self.glance.as_ref().ok_or_else(|| {
            DriverError::Environment(Failure::new("this service has no client of Glance"))
        })
    }

    /// Brings an image to a place of this machine.
    pub async fn fetch(
        &self,
        purpose: Purpose,
        what: &str,
        href: &str,
        destination: &Path,
        caller: &Caller,
    ) -> Result<(), DriverError> {
        self.check_address(what, href)?;
        let failed = |why: String| {
            let tried = format!("{what} cannot be fetched");
            DriverError::Environment(Failure::because(tried, why))
        };
        let Some(store) = &self.store else {
            return Err(failed("this service has no image cache".to_owned()));
        };
        let wanted = match Reference::read(href)? {
            Reference::Address(href) => ImageRequest {
                href,
                source: None,
                destination: destination.to_owned(),
                raw: false,
                declared: None,
                checksum: None,
            },
            Reference::Glance(id) => {
                let glance = self.glance()?;
                let found = glance.find(&id, caller, Permission::Asked).await;
                let image = found.map_err(|error| failed(error.to_string()))?;
                glance
                    .request(store, image, caller, destination, false)
                    .await?
            }
            Reference::Stored(_) => {
                return Err(failed("it is an image of the image store".to_owned()));
            }
        };
        match store.fetch(purpose, &wanted).await {
            Ok(_) => Ok(()),
            Err(error) => Err(failed(types::error::chain(&error))),
        }
    }

    /// A URL from which iPXE fetches an image of Glance by itself, where the operator wants that.
    pub async fn ipxe_url(
        &self,
        what: &str,
        href: &str,
        caller: &Caller,
    ) -> Result<Option<String>, DriverError> {
        let glance = self
            .glance
            .as_ref()
            .filter(|glance| glance.ipxe_from_swift());
        let (Some(glance), Reference::Glance(id)) = (glance, Reference::read(href)?) else {
            return Ok(None);
        };
        let failed = |error: GlanceError| {
            let tried = format!("{what} cannot be fetched");
            DriverError::Environment(Failure::because(tried, error))
        };
        let found = glance.find(&id, caller, Permission::Asked).await;
        found.map_err(failed)?;
        let url = glance.temp_url(&id).await.map_err(failed)?;
        Ok(Some(url.expose().to_owned()))
    }

    /// Whether somebody serves a file at this address now, as far as can be seen from here.
    pub async fn can_be_fetched(&self, url: &str) -> bool {
        let Some(store) = &self.store else {
            return false;
        };
        let opened = tokio::time::timeout(LOOK, store.http().open(url)).await;
        matches!(opened, Ok(Ok(_)))
    }

    /// Makes room in the caches, now that a node needs its images no more.
    pub async fn clean_up(&self) {
        if let Some(store) = &self.store {
            store.clean_up().await;
        }
    }

    pub fn store(&self) -> Option<&Arc<ImageStore>> {
        self.store.as_ref()
    }
}

/// A value that says something, as text.
pub(crate) fn text(info: &JsonMap, key: &str) -> Option<String> {
    let value = info.get(key)?;
    pyrepr::truth(value).then(|| pyrepr::to_str(value))
}

/// Whether the instance is a ramdisk, by the node's deploy interface.
pub fn boots_ramdisk(node: &Node) -> bool {
    deploy_interface(node) == "ramdisk"
}

/// Whether an installer installs the instance, by the node's deploy interface.
pub fn is_installed(node: &Node) -> bool {
    deploy_interface(node) == crate::anaconda::NAME
}

/// The deploy interface that counts for the instance.
pub(crate) fn deploy_interface(node: &Node) -> &str {
    let kind = InterfaceKind::Deploy;
    let overridden = node.instance_info.get(kind.field()).and_then(Value::as_str);
    overridden.unwrap_or_else(|| node.interfaces.get(kind))
}

/// The id of the image of Glance that has the kernel and the ramdisk of an instance.
fn image_of_ramdisk(node: &Node, info: &JsonMap, boot: BootOption) -> Option<String> {
    let given = |key: &str| text(info, key).is_some();
    let says_itself = given("boot_iso") || (given("kernel") && given("ramdisk"));
    let installs = is_installed(node);
    if installs && given("stage2") && given("ks_template") && says_itself {
        return None;
    }
    let whole = text(info, "image_type").is_some_and(|kind| kind == "whole-disk");
    let needs_pair = boots_ramdisk(node) || boot == BootOption::Network;
    if !installs && (!needs_pair || says_itself || whole) {
        return None;
    }
    match Reference::read(&text(info, "image_source")?) {
        Ok(Reference::Glance(id)) => Some(id),
        _ => None,
    }
}

/// What the instance says of itself, completed by what Glance says of its image.
fn with_image(node: &Node, info: &JsonMap, image: &GlanceImage) -> Result<JsonMap, DriverError> {
    let mut info = info.clone();
    info.entry("image_type")
        .or_insert_with(|| image.image_type().into());
    let mut missing = Vec::new();
    let installs = is_installed(node);
    let mut parts = vec![
        ("kernel", "kernel_id", &image.kernel_id),
        ("ramdisk", "ramdisk_id", &image.ramdisk_id),
    ];
    if installs {
        parts.push(("stage2", "stage2_id", &image.stage2_id));
        for (key, value) in [
            ("ks_template", &image.ks_template),
            (installer::EXTENSION, &image.disk_file_extension),
        ] {
            if let (None, Some(value)) = (text(&info, key), value) {
                info.insert(key.to_owned(), value.clone().into());
            }
        }
    }
    for (key, property, id) in parts {
        match id {
            _ if text(&info, key).is_some() => {}
            Some(id) => {
                info.insert(key.to_owned(), id.clone().into());
            }
            None => missing.push(property),
        }
    }
    if missing.is_empty() || (image.is_whole_disk && !installs) {
        return Ok(info);
    }
    Err(DriverError::InvalidParameter(format!(
        "Image {0} is missing the following properties: {1}; set them in Glance (openstack image set --property {2}=UUID {0}), or what they stand for in instance_info of the node",
        image.id,
        missing.join(", "),
        missing.first().copied().unwrap_or_default()
    )))
}

/// What the instance boots from, or what is missing for that. `info` is what it says of itself.
fn instance(node: &Node, info: &JsonMap, boot: BootOption) -> Result<Instance, DriverError> {
    let (iso, source) = (text(info, "boot_iso"), text(info, "image_source"));
    if is_installed(node) {
        return installer::read(node, info, iso, source).map(Instance::Installer);
    }
    // As in Ironic: an image of a whole disk counts as written, even if no deploy of ours wrote it.
    let whole = iso.is_none() && source.is_some() && is_of_whole_disk(info);
    let by_network = boot == BootOption::Network && source.is_some();
    if by_network && whole {
        return Ok(Instance::DiskByNetwork);
    }
    if !(boots_ramdisk(node) || by_network) || whole {
        return Ok(Instance::Disk);
    }
    if let Some(iso) = iso {
        if source.is_some() {
            return Err(both_given());
        }
        return Ok(Instance::Iso(iso));
    }
    let (kernel, ramdisk) = (text(info, "kernel"), text(info, "ramdisk"));
    if let (Some(kernel), Some(ramdisk)) = (&kernel, &ramdisk) {
        let pair = Pair {
            kernel: kernel.clone(),
            ramdisk: ramdisk.clone(),
        };
        if by_network {
            let uuid = node.driver_internal_info.root_identifier();
            return Ok(Instance::Root {
                pair,
                uuid: uuid.map(str::to_owned),
            });
        }
        return Ok(Instance::Ramdisk {
            pair,
            arguments: text(info, "ramdisk_kernel_arguments").unwrap_or_default(),
        });
    }
    let missing: Vec<&str> = [("kernel", &kernel), ("ramdisk", &ramdisk)]
        .into_iter()
        .filter(|(_, value)| value.is_none())
        .map(|(key, _)| key)
        .collect();
    Err(DriverError::InvalidParameter(match source {
        Some(source) if kernel.is_none() && ramdisk.is_none() => format!(
            "Image {source} is missing the following properties: {}; set them in instance_info of the node",
            missing.join(", ")
        ),
        _ => format!(
            "Cannot validate image information for node {} because one or more parameters are missing from its instance_info and insufficient information is present to boot from a remote volume. Missing are: [{}]",
            node.id,
            missing
                .iter()
                .map(|key| format!("'{key}'"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }))
}

/// Whether the image of an instance is one of a whole disk, as far as the instance itself tells.
pub fn is_of_whole_disk(info: &JsonMap) -> bool {
    match text(info, "image_type") {
        Some(kind) => kind == "whole-disk",
        None => text(info, "kernel").is_none() && text(info, "ramdisk").is_none(),
    }
}

/// A disc and an image of a disk are not booted at the same time.
fn both_given() -> DriverError {
    DriverError::InvalidParameter(
        "An 'image_source' and 'boot_iso' parameter may not be specified at the same time"
            .to_owned(),
    )
}

/// Whether what the node says about booting means something, whatever it is to boot.
pub fn check_soundness(node: &Node) -> Result<(), DriverError> {
    check_capabilities(node)?;
    let given = |key: &str| text(&node.instance_info, key).is_some();
    if given("image_source") && given("boot_iso") {
        return Err(both_given());
    }
    Ok(())
}

/// Whether the capabilities that mean something have values that mean something.
pub(crate) fn check_capabilities(node: &Node) -> Result<(), DriverError> {
    const KNOWN: [(&str, [&str; 2]); 3] = [
        ("boot_mode", ["bios", "uefi"]),
        ("secure_boot", ["true", "false"]),
        ("disk_label", ["msdos", "gpt"]),
    ];
    let instance = boot_mode::instance_capabilities(node);
    for (name, values) in KNOWN {
        let tied = boot_mode::capability(node, name);
        let asked = instance.get(name).filter(|value| pyrepr::truth(value));
        for (field, value) in [
            ("properties/capabilities", tied),
            ("instance_info['capabilities']", asked.map(pyrepr::to_str)),
        ] {
            if let Some(value) = value
                && !value.is_empty()
                && !values.contains(&value.as_str())
            {
                return Err(DriverError::InvalidParameter(format!(
                    "The parameter '{name}' from {field} has an invalid value: '{value}'. Acceptable values are: {}.",
                    values.join(", ")
                )));
            }
        }
    }
    Ok(())
}

/// What the node itself says about the kernel parameters of its instance: the instance before the
/// machine.
pub(crate) fn instance_parameters<'a>(machine: &'a Machine<'_>) -> Option<&'a str> {
    append_params(&machine.node.instance_info).or_else(|| append_params(machine.driver_info))
}

fn append_params(info: &JsonMap) -> Option<&str> {
    info.get("kernel_append_params").and_then(Value::as_str)
}

#[cfg(test)]
#[path = "boot_image/tests.rs"]
mod tests;
