//! What an instance says about the installer that installs it.

use super::{Pair, both_given, text};
use crate::DriverError;
use types::{JsonMap, Node};

/// What an installer is made of, by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installer {
    pub pair: Pair,
    /// The rest of it, where that does not come with what it installs.
    pub stage2: Option<String>,
    /// The template of its kickstart file, if there is one of its own.
    pub template: Option<String>,
    /// What the name of the image ends with, which tells the installer what it is.
    pub extension: Option<String>,
}

/// What the name of a live image may end with, where an installer knows what to do with it.
const EXTENSIONS: &[&str] = &[
    ".img", ".tar", ".tbz", ".tgz", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz",
];
/// The property of an image that says what its name ends with.
pub(super) const EXTENSION: &str = "disk_file_extension";

/// The installer of an instance, or what is missing for it.
pub(super) fn read(
    node: &Node,
    info: &JsonMap,
    iso: Option<String>,
    source: Option<String>,
) -> Result<Installer, DriverError> {
    let Some(source) = source else {
        return Err(DriverError::InvalidParameter(format!(
            "Cannot validate image information for node {} because one or more parameters are missing from its instance_info and insufficient information is present to boot from a remote volume. Missing are: ['image_source']",
            node.id
        )));
    };
    if iso.is_some() {
        return Err(both_given());
    }
    let (Some(kernel), Some(ramdisk)) = (text(info, "kernel"), text(info, "ramdisk")) else {
        // Half a pair is no pair.
        return Err(DriverError::InvalidParameter(format!(
            "Image {source} is missing the following properties: kernel, ramdisk; set them in instance_info of the node"
        )));
    };
    let noted = &node.driver_internal_info;
    let frozen = noted.installer_stage2().map(str::to_owned);
    let template = text(info, "ks_template");
    let ending = EXTENSIONS
        .iter()
        .rev()
        .find(|known| source.ends_with(**known));
    let said = text(info, EXTENSION).filter(|said| EXTENSIONS.contains(&said.as_str()));
    Ok(Installer {
        pair: Pair { kernel, ramdisk },
        stage2: frozen.or_else(|| text(info, "stage2")),
        template: template.or_else(|| noted.installer_template().map(str::to_owned)),
        extension: said.or_else(|| ending.map(|ending| (*ending).to_owned())),
    })
}
