//! What operators can set about how the images of instances reach their agents.

use image::source::Credentials;
use std::path::PathBuf;

/// `[agent]image_download_source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Download {
    /// The agent fetches the image from where it is.
    Http,
    /// It comes through this service.
    Local,
    /// It comes from Swift, which is not served.
    Swift,
}

/// Names and defaults follow the options of Ironic.
#[derive(Debug, Clone)]
pub struct ImageSettings {
    pub download: Download,
    /// Whether images that come through this service are made raw.
    pub raw: bool,
    /// `[pxe]images_path`: one folder a node.
    pub folder: PathBuf,
    pub http_root: PathBuf,
    /// `[deploy]http_image_subdir`, where agents find links to the images.
    pub subdir: String,
    /// Where agents see `http_root`, without a slash at the end.
    pub http_url: Option<String>,
    pub allow_md5: bool,
    /// Whether a checksum may be the address of a list of checksums.
    pub checksum_files: bool,
    pub ephemeral_format: String,
    /// `[conductor]conductor_always_validates_images`: images that agents fetch by themselves are
    /// fetched and checked here before.
    pub always_validate: bool,
    /// `[agent]memory_consumed_by_agent`, in MiB: images that must fit into the memory of a machine
    /// must leave that much; zero for no check.
    pub agent_memory: u64,
    /// For image servers that want to know who asks.
    pub credentials: Option<Credentials>,
    /// `[corten]image_peers`: whether agents get the blocks of an image from one another too.
    pub peers: bool,
    /// `[oci]authentication_config`: credentials by registry.
    pub registry_logins: Option<PathBuf>,
}

impl Default for ImageSettings {
    fn default() -> Self {
        Self {
            download: Download::Http,
            raw: true,
            folder: PathBuf::from("/var/lib/ironic/images/"),
            http_root: PathBuf::from("/httpboot"),
            subdir: "agent_images".to_owned(),
            http_url: None,
            allow_md5: true,
            checksum_files: true,
            ephemeral_format: "ext4".to_owned(),
            always_validate: false,
            agent_memory: 0,
            credentials: None,
            peers: false,
            registry_logins: None,
        }
    }
}
