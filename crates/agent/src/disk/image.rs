//! Writing an image: validated, fetched, checked and written in one pass, with no copy in between.
//!
//! Everything that can be refused is refused before the first byte is written. From then on the disk
//! is [`Unfinished`] until the image proved right and everything that belongs beside it is in its
//! place. What IPA does twice, reading into memory and then to the disk, is done once; its
//! `stream_raw_images` therefore makes no difference.

mod info;
mod partition;
mod shared;
mod whole;

pub use info::validate;

use super::{
    medium::{Disk, Window},
    unfinished::Unfinished,
};
use crate::{
    AgentError, config::Config, exchange::Exchanges, hardware::Context, progress::Progress,
    safety::Permit,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use image::{
    ImageError,
    convert::{self, Options},
    inspect::Rules,
    source::{Credentials, Http, HttpSettings, HttpSource},
};
use info::Info;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use types::{JsonMap, error::chain};

/// What is on the disk now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub image_id: String,
    /// What the image hashes to; the id is but the end of its address.
    hash: Option<String>,
    pub device: PathBuf,
    /// The filesystem of the root, or the number of a disk that has a whole-disk image.
    pub root_uuid: Option<String>,
    pub efi_uuid: Option<String>,
    pub prep_uuid: Option<String>,
    /// The nodes of partitions by IPA's names for them; empty for whole-disk images.
    pub partitions: BTreeMap<&'static str, String>,
    is_uefi: bool,
    is_partition_image: bool,
    has_prep: bool,
}

impl Written {
    /// The result of the command in words.
    pub fn text(&self) -> String {
        let root = self.root_uuid.as_deref().unwrap_or("None");
        let mut text = format!(
            "image ({}) written to device {} root_uuid={root}",
            self.image_id,
            self.device.display()
        );
        if let Some(efi) = self.efi_uuid.as_ref().filter(|_| self.is_uefi) {
            text.push_str(&format!(" efi_system_partition_uuid={efi}"));
        }
        text
    }

    /// The answer to `standby.get_partition_uuids`.
    pub fn uuids(&self) -> JsonMap {
        let mut map = JsonMap::new();
        if self.is_partition_image {
            map.insert("partitions".to_owned(), json!(self.partitions));
        }
        map.insert("root uuid".to_owned(), json!(self.root_uuid));
        if self.is_partition_image {
            map.insert("efi system partition uuid".to_owned(), json!(self.efi_uuid));
        }
        if self.has_prep {
            map.insert("PReP Boot partition uuid".to_owned(), json!(self.prep_uuid));
        }
        map
    }
}

/// Where an image goes.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub device: &'a Path,
    /// What this agent wrote before: the same image of a disk is not written again.
    pub previous: Option<&'a Written>,
}

/// Brings an image, and the config drive under `configdrive` of `image_info`, to a disk.
pub async fn write(
    permit: &Permit,
    image_info: &JsonMap,
    Target { device, previous }: Target<'_>,
    Context {
        config,
        progress,
        exchanges,
        ..
    }: &Context,
) -> Result<Written, AgentError> {
    let info = Info::parse(image_info, config)?;
    let http = http(config, image_info)?;
    let drive = match &info.config_drive {
        Some(text) => {
            progress.phase("fetching the config drive");
            Some(super::configdrive::fetch(text, &http).await?)
        }
        None => None,
    };
    if let Some(previous) = previous
        && info.partitions.is_none()
        && previous.image_id == info.id
        && previous.hash.is_some()
        && previous.hash == info.hash_text()
        && previous.device == device
    {
        tracing::info!(
            image = info.id,
            "image is already on the disk: not written again"
        );
        if let Some(text) = &info.config_drive {
            super::configdrive::write(permit, device, text, config).await?;
        }
        return Ok(previous.clone());
    }
    super::raid::release(permit, device, config).await;
    let job = Job {
        info: &info,
        device,
        config,
        progress,
        exchanges,
        http,
    };
    match &info.partitions {
        None => whole::write(&job, drive).await,
        Some(wanted) => partition::write(&job, wanted, drive).await,
    }
}

/// What both kinds of images need.
struct Job<'a> {
    info: &'a Info,
    device: &'a Path,
    config: &'a Config,
    progress: &'a Progress,
    exchanges: &'a Exchanges,
    http: Http,
}

impl Job<'_> {
    fn open(&self) -> Result<Disk, AgentError> {
        Disk::open(self.device)
            .map_err(|error| self.write_error(&format!("cannot open the device: {error}")))
    }

    /// The config drive as this disk needs it.
    fn suited(
        &self,
        drive: Option<Vec<u8>>,
        sector_size: u32,
    ) -> Result<Option<Vec<u8>>, AgentError> {
        let rebuild = self.config.config_drive_rebuild;
        let suited = |drive| super::configdrive::suited(drive, sector_size, rebuild);
        drive.map(suited).transpose()
    }

    /// The first address that answers, and what the image must be.
    async fn source(&self) -> Result<(HttpSource, Options), AgentError> {
        self.progress.phase("asking for the image");
        let checksum = self.info.checksum(&self.http).await;
        let checksum = checksum.map_err(|error| self.image_error(error))?;
        let adopted = &self.config.adopted;
        let permitted = adopted.permitted_image_formats.iter();
        let options = Options {
            checksum: Some(checksum),
            declared: self.info.disk_format.clone(),
            rules: Rules {
                permitted: permitted.filter_map(|name| name.parse().ok()).collect(),
                deep: !adopted.disable_deep_image_inspection,
            },
            ..Options::default()
        };
        let mut failures = Vec::new();
        for url in &self.info.urls {
            match self.http.open(url).await {
                Ok(source) => return Ok((source, options)),
                // The server is there and says no: the others are not asked either.
                Err(error @ ImageError::Status { status, .. }) if status < 500 => {
                    return Err(AgentError {
                        kind: "ImageDownloadFatalError",
                        ..self.image_error(error)
                    });
                }
                Err(error) => failures.push(chain(&error)),
            }
        }
        Err(self.download_error(&failures.join("\n ")))
    }

    /// Brings the image to a place on the disk. Dropping the future cancels the write.
    async fn stream(
        &self,
        source: HttpSource,
        options: Options,
        disk: Unfinished<Disk>,
        place: (u64, u64),
    ) -> Result<Unfinished<Disk>, AgentError> {
        if let Some(order) = &self.info.order {
            let start = shared::start(order, &source, &options, place.1).await;
            if let Some(start) = start.map_err(|error| self.image_error(error))? {
                let written = shared::write(self, order, &source, &start, disk, place).await;
                return written.map_err(|error| self.image_error(error));
            }
            tracing::info!("the image is not one that agents can get from one another");
        }
        self.stream_alone(source, options, disk, place).await
    }

    async fn stream_alone(
        &self,
        source: HttpSource,
        options: Options,
        mut disk: Unfinished<Disk>,
        (offset, length): (u64, u64),
    ) -> Result<Unfinished<Disk>, AgentError> {
        struct Stop(Arc<AtomicBool>);
        impl Drop for Stop {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        self.progress.phase("writing image");
        let stop = Stop(Arc::default());
        let stopped = Arc::clone(&stop.0);
        let progress = self.progress.clone();
        let until = self
            .config
            .download
            .max_duration
            .map(|most| Instant::now() + most);
        let work = tokio::task::spawn_blocking(move || {
            let mut watch = |now: convert::Progress| {
                progress.bytes(now.done, now.total);
                let late = until.is_some_and(|until| Instant::now() > until);
                if late || stopped.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let written = Window::new(&mut disk, offset, length)
                .map_err(|source| ImageError::Write {
                    what: "the disk".to_owned(),
                    source,
                })
                .and_then(|mut window| convert::write(&source, &mut window, &options, &mut watch));
            (disk, written)
        });
        let (disk, written) = work.await.map_err(|error| {
            self.write_error(&format!("internal error: the write task panicked: {error}"))
        })?;
        match written {
            Ok(_) => Ok(disk),
            Err(error) => Err(self.image_error(error)),
        }
    }

    fn image_error(&self, error: ImageError) -> AgentError {
        match error {
            ImageError::Stopped { .. } => AgentError {
                code: 408,
                ..AgentError::failed(
                    "ImageDownloadTimeoutError",
                    "Image download timeout",
                    format!(
                        "Download of image {} failed: it took longer than the allowed time",
                        self.info.id
                    ),
                )
            },
            ImageError::Checksum {
                expected, found, ..
            } => AgentError::failed(
                "ImageChecksumError",
                "Error verifying image checksum",
                format!(
                    "Image failed to verify against checksum. location: {}; image ID: {}; image \
                     checksum: {expected}; verification checksum: {found}",
                    self.device.display(),
                    self.info.id
                ),
            ),
            ImageError::DoesNotFit {
                needed, capacity, ..
            } if self.info.partitions.is_some() => AgentError::refused(
                "InvalidCommandParamsError",
                "Invalid command parameters",
                format!(
                    "Root partition is too small for requested image. Image virtual size: {} MB, \
                     Root size: {} MB",
                    needed.div_ceil(1 << 20),
                    capacity >> 20
                ),
            ),
            ImageError::DoesNotFit { .. } | ImageError::Write { .. } => {
                self.write_error(&chain(&error))
            }
            ImageError::BadChecksum { .. } => AgentError::refused(
                "InvalidCommandParamsError",
                "Invalid command parameters",
                chain(&error),
            ),
            ImageError::Unsafe { .. }
            | ImageError::NotPermitted { .. }
            | ImageError::WrongFormat { .. }
            | ImageError::Unsupported { .. }
            | ImageError::Scattered { .. }
            | ImageError::Packed { .. }
            | ImageError::Qcow2 { .. } => AgentError::failed(
                "InvalidImage",
                "The provided image is not valid for use",
                chain(&error),
            ),
            other => self.download_error(&chain(&other)),
        }
    }

    fn download_error(&self, reason: &str) -> AgentError {
        AgentError::failed(
            "ImageDownloadError",
            "Error downloading image",
            format!("Download of image {} failed: {reason}", self.info.id),
        )
    }

    fn write_error(&self, reason: &str) -> AgentError {
        AgentError::failed(
            "ImageWriteError",
            "Error writing image to device",
            format!(
                "Writing image to device {} failed: {reason}",
                self.device.display()
            ),
        )
    }

    fn io_error(&self, error: &std::io::Error) -> AgentError {
        self.write_error(&error.to_string())
    }
}

/// A client for the servers of images, with what the service says about them.
pub(super) fn http(config: &Config, image_info: &JsonMap) -> Result<Http, AgentError> {
    let refused = |details: String| {
        AgentError::refused(
            "InvalidCommandParamsError",
            "Invalid command parameters",
            details,
        )
    };
    let text = |key: &str| image_info.get(key).and_then(Value::as_str);
    let authorization = match text("image_request_authorization").filter(|t| !t.is_empty()) {
        Some(packed) => {
            let bytes = STANDARD.decode(packed).ok();
            let value = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            Some(value.ok_or_else(|| refused("image_request_authorization is not base64".into()))?)
        }
        None => None,
    };
    let (strategy, user, password) = match text("image_server_auth_strategy") {
        Some(strategy) => (
            strategy,
            text("image_server_user"),
            text("image_server_password"),
        ),
        None => {
            let server = &config.image_server;
            (
                server.auth_strategy.as_str(),
                server.user.as_deref(),
                server.password.as_ref().map(|password| password.reveal()),
            )
        }
    };
    let credentials = match (strategy, user, password) {
        ("http_basic", Some(user), Some(password)) => Some(Credentials {
            user: user.to_owned(),
            password: password.to_owned(),
            hosts: Vec::new(),
        }),
        ("http_basic", ..) => {
            return Err(AgentError::failed(
                "ImageDownloadError",
                "Error downloading image",
                "the user or the password for the image server is missing",
            ));
        }
        _ => None,
    };
    // There is one client; the proxy is that of the image's own scheme.
    let scheme = image_info
        .get("urls")
        .and_then(|urls| urls.get(0)?.as_str()?.split_once("://"))
        .map_or("http", |(scheme, _)| scheme);
    let proxy = image_info
        .get("proxies")
        .and_then(|proxies| proxies.get(scheme)?.as_str());
    let settings = HttpSettings {
        trust: config.client_tls.trust(),
        certificate_advice: "; give the ramdisk the certificate that signed the server's (ipa-cafile), or \
            ipa-insecure=1 on its kernel command line to accept any certificate",
        credentials,
        authorization,
        connect_timeout: config.download.connection_timeout,
        read_timeout: config.download.connection_timeout,
        retries: config.download.retries,
        retry_pause: config.download.retry_interval,
        proxies: proxy.into_iter().map(str::to_owned).collect(),
        no_proxy: text("no_proxy").map(str::to_owned),
        ..HttpSettings::default()
    };
    Http::new(settings).map_err(|error| {
        AgentError::failed(
            "ImageDownloadError",
            "Error downloading image",
            chain(&error),
        )
    })
}

#[cfg(test)]
mod tests;
