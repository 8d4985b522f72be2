//! Images of Glance: which references are Glance's, whether an image may be used, and how its
//! contents get here or to the machine.
//!
//! Ironic asks Glance for the same image four to six times in a deployment. Here whoever needs an
//! image asks once ([`GlanceImages::find`]) and keeps the answer.

mod error;
mod source;

pub use error::GlanceError;

use crate::DriverError;
use image::{
    cache::ImageRequest,
    checksum::Checksum,
    source::{FileRules, FileSource, Source},
    store::address,
};
use openstack::{
    Caller, Deadline, Services,
    glance::{
        Image, ImageReference,
        access::{AccessRules, ImageAccess, judge},
        image::ImageLayout,
    },
    swift::{
        image_store::{ImageStore, ImageStoreSettings},
        temp_url::TempUrl,
    },
};
use source::GlanceSource;
use std::{path::Path, sync::Arc, time::Duration};
use types::{
    image::{self as image_name, ImageName},
    internal_info::{GlanceImage, ImageChecksum},
};

/// How long everything about one question may take: login, retries and the answer.
const QUESTION: Duration = Duration::from_secs(120);

/// What the configuration says about images of Glance.
#[derive(Debug, Clone)]
pub struct GlanceSettings {
    pub access: AccessRules,
    /// Whether images whose `direct_url` is a file are read from there
    /// (`[glance]allowed_direct_url_schemes`).
    pub reads_files: bool,
    /// Where Glance keeps images in Swift.
    pub store: ImageStoreSettings,
    /// Whether iPXE fetches kernels and ramdisks from Swift (`[pxe]ipxe_use_swift`).
    pub ipxe_from_swift: bool,
}

impl Default for GlanceSettings {
    fn default() -> Self {
        Self {
            access: AccessRules {
                allow_via_auth_token: false,
                ignore_project_for_admins: true,
            },
            reads_files: false,
            store: ImageStoreSettings::default(),
            ipxe_from_swift: false,
        }
    }
}

/// A reference to an image, as `image_source`, `kernel` and their like have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The id of an image of Glance.
    Glance(String),
    /// The name of an image that this service keeps.
    Stored(ImageName),
    /// The address of a server or file.
    Address(String),
}

impl Reference {
    /// Reads a reference. An image of Glance is never found by its name.
    pub fn read(href: &str) -> Result<Self, DriverError> {
        if let Some(name) = image_name::reference(href) {
            let named = name.map(Self::Stored);
            return named.map_err(|error| DriverError::InvalidParameter(error.to_string()));
        }
        match ImageReference::read(href) {
            ImageReference::Glance(id) => Ok(Self::Glance(id)),
            ImageReference::InvalidGlance => Err(DriverError::InvalidParameter(format!(
                "Invalid image href {href}."
            ))),
            ImageReference::SchemelessName if !href.starts_with('/') => {
                Err(DriverError::InvalidParameter(format!(
                    "Validation of image href {href} failed, reason: Scheme-less image href is \
                     not a UUID."
                )))
            }
            ImageReference::SchemelessName | ImageReference::Other => match address(href) {
                Ok(address) => Ok(Self::Address(address)),
                Err(error) => Err(DriverError::InvalidParameter(types::error::chain(&error))),
            },
        }
    }

    /// What a copy in the cache is named by.
    pub fn cached_as(&self) -> String {
        match self {
            Self::Glance(id) => format!("glance://{id}"),
            Self::Stored(name) => format!("{}{name}", image_name::SCHEME),
            Self::Address(address) => address.clone(),
        }
    }
}

/// Whether it is still to be found out if somebody may use an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    Asked,
    /// It was found out when the work began that goes on now.
    Granted,
}

/// The images of Glance.
#[derive(Debug, Clone)]
pub struct GlanceImages {
    services: Arc<Services>,
    settings: Arc<GlanceSettings>,
    store: Arc<ImageStore>,
}

impl GlanceImages {
    pub fn new(services: Arc<Services>, settings: GlanceSettings) -> Self {
        let store = ImageStore::new(services.swift().clone(), settings.store.clone());
        Self {
            services,
            settings: Arc::new(settings),
            store: Arc::new(store),
        }
    }

    /// An image that is there and that the caller may use.
    pub async fn find(
        &self,
        id: &str,
        caller: &Caller,
        permission: Permission,
    ) -> Result<Image, GlanceError> {
        let deadline = Deadline::after(QUESTION);
        let failed = |error| GlanceError::of(id, error);
        let glance = self.services.glance();
        let image = glance.image(id, caller, deadline).await.map_err(failed)?;
        if !image.is_active() {
            return Err(GlanceError::Inactive(id.to_owned()));
        }
        if permission == Permission::Granted {
            return Ok(image);
        }
        let (rules, user) = (self.settings.access, caller.image_user());
        // The login is only needed for images that others do not see.
        let verdict = match judge(&image, rules, user, None) {
            ImageAccess::Allowed => ImageAccess::Allowed,
            ImageAccess::Denied | ImageAccess::AskMembers => {
                let project = glance.project_id(deadline).await.map_err(failed)?;
                match judge(&image, rules, user, project.as_deref()) {
                    ImageAccess::AskMembers => {
                        let members = glance.members(id, caller, deadline).await;
                        let members = members.map_err(failed)?;
                        match project.is_some_and(|project| members.contains(&project)) {
                            true => ImageAccess::Allowed,
                            false => ImageAccess::Denied,
                        }
                    }
                    verdict => verdict,
                }
            }
        };
        match verdict {
            ImageAccess::Allowed => Ok(image),
            ImageAccess::Denied | ImageAccess::AskMembers => {
                Err(GlanceError::NotFound(id.to_owned()))
            }
        }
    }

    /// A request for the image itself. What arrives is compared with the checksum of Glance. Files
    /// are read within the rules of `store`.
    pub async fn request(
        &self,
        store: &image::store::ImageStore,
        image: Image,
        caller: &Caller,
        destination: &Path,
        raw: bool,
    ) -> Result<ImageRequest, DriverError> {
        let href = format!("glance://{}", image.id);
        let (source, checksum) = match self.file_of(&image) {
            Some(file) => (open_file(store.files(), file).await?, checksum(&image)),
            None => {
                let glance = self.services.glance().clone();
                let source = GlanceSource::new(glance, image.clone(), caller.clone());
                // The source compares by itself.
                (Arc::new(source) as Arc<dyn Source>, None)
            }
        };
        Ok(ImageRequest {
            href,
            source: Some(source),
            destination: destination.to_owned(),
            raw,
            declared: image.disk_format,
            checksum,
        })
    }

    /// A URL by which a machine fetches an image from Swift, for a while.
    pub async fn temp_url(&self, id: &str) -> Result<TempUrl, GlanceError> {
        let url = self.store.temp_url(id, Deadline::after(QUESTION)).await;
        url.map_err(|error| GlanceError::of(id, error))
    }

    /// Whether iPXE fetches kernels and ramdisks from Swift.
    pub fn ipxe_from_swift(&self) -> bool {
        self.settings.ipxe_from_swift
    }

    /// The address of the file that an image is, if files are read.
    fn file_of<'i>(&self, image: &'i Image) -> Option<&'i str> {
        let address = image.direct_url.as_deref()?;
        (self.settings.reads_files && address.starts_with("file:///")).then_some(address)
    }
}

/// What a deployment remembers of an image.
pub fn described(image: &Image) -> GlanceImage {
    let property = |name: &str| image.property(name).map(str::to_owned);
    let hash = image.os_hash_algo.clone().zip(image.os_hash_value.clone());
    GlanceImage {
        id: image.id.clone(),
        is_whole_disk: image.layout() == ImageLayout::WholeDisk,
        kernel_id: property("kernel_id"),
        ramdisk_id: property("ramdisk_id"),
        rootfs_uuid: property("rootfs_uuid"),
        stage2_id: property("stage2_id"),
        ks_template: property("ks_template"),
        disk_file_extension: property("disk_file_extension"),
        disk_format: image.disk_format.clone(),
        container_format: image.container_format.clone(),
        checksum: image.checksum.clone(),
        os_hash: hash.map(|(algorithm, value)| ImageChecksum { algorithm, value }),
    }
}

/// Whether a temporary URL leads to an object now.
pub async fn check_temp_url(
    store: &image::store::ImageStore,
    url: &TempUrl,
) -> Result<(), DriverError> {
    let opened = store.http().open_own(url.expose()).await;
    opened.map(drop).map_err(|error| {
        DriverError::InvalidParameter(match error {
            // As Ironic says it, which asks by HEAD; the address is a secret.
            image::ImageError::Status { status, .. } => format!(
                "Validation of image href secreturl failed, reason: Got HTTP code {status} instead \
                 of 200 in response to HEAD request."
            ),
            other => types::error::chain(&other),
        })
    })
}

/// Opens a file that Glance names. Users may have told Glance where an image is, so a file of this
/// service is none.
async fn open_file(rules: &FileRules, address: &str) -> Result<Arc<dyn Source>, DriverError> {
    let (rules, address) = (rules.clone(), address.to_owned());
    let open = move || FileSource::open(&rules.path_of_service(&address)?);
    let opened = tokio::task::spawn_blocking(open).await;
    let failed = |error: &(dyn std::error::Error + 'static)| {
        let why = types::error::chain(error);
        DriverError::Environment(crate::Failure::new(format!(
            "the file that Glance names as direct_url cannot be read: {why}"
        )))
    };
    match opened {
        Ok(Ok(source)) => Ok(Arc::new(source)),
        Ok(Err(error)) => Err(failed(&error)),
        Err(error) => Err(failed(&error)),
    }
}

/// The strongest checksum that Glance states.
fn checksum(image: &Image) -> Option<Checksum> {
    let strong = image
        .os_hash_value
        .as_deref()
        .and_then(|value| Checksum::parse(value, image.os_hash_algo.as_deref(), true).ok());
    let weak = || Checksum::parse(image.checksum.as_deref()?, Some("md5"), true).ok();
    strong.or_else(weak)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";

    #[test]
    fn references_are_told_apart_and_names_are_refused() {
        let glance = Reference::Glance(ID.to_owned());
        assert_eq!(Reference::read(ID).unwrap(), glance);
        assert_eq!(Reference::read(&format!("glance://{ID}")).unwrap(), glance);
        assert_eq!(glance.cached_as(), format!("glance://{ID}"));
        let refused = |href: &str| Reference::read(href).unwrap_err().to_string();
        assert_eq!(
            refused("lab-disk"),
            "Validation of image href lab-disk failed, reason: Scheme-less image href is not a \
             UUID."
        );
        assert_eq!(
            refused("glance://lab-disk"),
            "Invalid image href glance://lab-disk."
        );
        let address = |text: &str| Reference::Address(text.to_owned());
        assert_eq!(Reference::read("/a/b").unwrap(), address("file:///a/b"));
        assert_eq!(
            Reference::read("http://h/i").unwrap(),
            address("http://h/i")
        );
        assert!(refused("ftp://h/i").contains("only http, https and file"));
    }

    fn image(more: &str) -> Image {
        let document = format!(r#"{{"id": "{ID}", "status": "active"{more}}}"#);
        Image::read(document.as_bytes()).unwrap()
    }

    #[test]
    fn the_strongest_checksum_counts() {
        let md5 = "a971d786d4f48a112b8cde9a342e00dd";
        let sha256 = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
        let both = format!(
            r#", "checksum": "{md5}", "os_hash_algo": "sha256", "os_hash_value": "{sha256}""#
        );
        let text = |image: &Image| checksum(image).map(|sum| sum.to_string());
        assert!(text(&image(&both)).unwrap().contains(sha256));
        // An algorithm that is not known leaves the other.
        let odd = both.replace("sha256\"", "blake3\"");
        assert!(text(&image(&odd)).unwrap().contains(md5));
        assert_eq!(text(&image("")), None);
    }
}
