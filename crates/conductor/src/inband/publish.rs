//! The image of an instance before its agent is booted: where it is, what it is, and how the agent
//! gets it.
//!
//! An agent that fetches the image itself is told its address, after a look at whether there is an
//! image and one that may be written. Otherwise the image comes here, is checked, made raw, and
//! linked to where the agent can fetch it. Either way nothing of what the instance says is changed:
//! what was found out is kept beside it ([`PreparedImage`]).

#![expect(
    clippy::disallowed_methods,
    reason = "files are only touched within `blocking`"
)]

use super::{
    glance, image_peers, iscsi,
    prepared::{self, replaced_sum},
    stored,
};
use crate::{Download, steps, task::Task};
use drivers::{DriverError, Failure, glance::Reference};
use image::{
    Format, ImageError,
    cache::ImageRequest,
    checksum::{self, Algorithm, Checksum},
    source,
    store::{ImageStore, Probed, Purpose, examine},
};
use serde_json::Value;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use types::{
    JsonMap, NodeId,
    image::ContentId,
    internal_info::{ImageChecksum, PreparedImage},
    pyrepr,
    step::StepKind,
    words,
};

/// Sees to it that the agent will find the image. The machine is not touched.
pub(super) async fn prepare(task: &mut Task) -> Result<(), DriverError> {
    prepared::forget(&mut task.node);
    let Some(store) = task.core.registry.images().cloned() else {
        return layout(task);
    };
    let source = given(&task.instance_addresses()?).remove("image_source");
    let source = source.ok_or_else(|| {
        DriverError::InvalidParameter("the instance has no image_source".to_owned())
    })?;
    let prepared = match Reference::read(&source)? {
        Reference::Glance(id) => glance::prepare(task, &store, &id).await?,
        Reference::Stored(_) => stored::prepare(task, &store).await?,
        Reference::Address(href) => match as_declared(task, &store, &href).await {
            Ok(prepared) => prepared,
            Err(ImageFailure::Other(error)) => return Err(error),
            Err(ImageFailure::Contradiction(error)) => {
                let Some(sum) = replaced_sum(&task.node.instance_info) else {
                    return Err(error);
                };
                as_before(task, &store, &href, &sum).await?
            }
        },
    };
    task.node.driver_internal_info.set_prepared_image(&prepared);
    image_peers::published(task, &prepared);
    layout(task)
}

/// Why an image cannot be deployed.
#[derive(Debug)]
pub(super) enum ImageFailure {
    /// It is not what the instance says of it.
    Contradiction(DriverError),
    Other(DriverError),
}

impl From<DriverError> for ImageFailure {
    fn from(error: DriverError) -> Self {
        Self::Other(error)
    }
}

impl From<ImageFailure> for DriverError {
    fn from(trouble: ImageFailure) -> Self {
        match trouble {
            ImageFailure::Contradiction(error) | ImageFailure::Other(error) => error,
        }
    }
}

/// The image as the instance describes it.
async fn as_declared(
    task: &Task,
    store: &Arc<ImageStore>,
    href: &str,
) -> Result<PreparedImage, ImageFailure> {
    let declared = given(&task.node.instance_info).remove("image_disk_format");
    if href.starts_with("file:") || download(task)? == Download::Local {
        let checksum = checksum_of(task, store, href).await?;
        return publish_address(task, store, href, declared, checksum).await;
    }
    let probed = store.probe(href, declared.as_deref()).await;
    let probed = probed.map_err(|error| trouble(href, &error))?;
    if probed.needs_conversion {
        tracing::info!(node = %task.id(), image = source::shown(href), "its server serves no ranges, so the image comes through here");
        let checksum = checksum_of(task, store, href).await?;
        return publish_address(task, store, href, declared, checksum).await;
    }
    check_memory(task, &probed)?;
    if task.settings().images.always_validate {
        validate(task, store, href, declared).await?;
    }
    Ok(PreparedImage {
        published: false,
        disk_format: probed.format.map(|format| word(format).to_owned()),
        checksum: None,
    })
}

/// The image of an instance whose checksum an older version replaced by that of the converted
/// image: what it becomes now must be what it became then.
async fn as_before(
    task: &Task,
    store: &Arc<ImageStore>,
    href: &str,
    sum: &ImageChecksum,
) -> Result<PreparedImage, DriverError> {
    let mut prepared = publish_address(task, store, href, None, None).await?;
    let algorithm: Algorithm = sum.algorithm.parse().map_err(|error| invalid(&error))?;
    let (image, rules) = (Places::of(task).image, store.rules().clone());
    let examined =
        blocking(move || examine(&image, &rules, algorithm).map_err(|error| unusable(&error)));
    let (_, found) = examined.await?;
    if found != sum.value {
        return Err(DriverError::InvalidParameter(format!(
            "image {} is not the one that was deployed before, and its checksum is not known: an older version of this service put that of the converted image in its place. Set image_checksum of the instance, and remove image_os_hash_algo, image_os_hash_value and image_disk_format",
            source::shown(href)
        )));
    }
    prepared.checksum = Some(sum.clone());
    Ok(prepared)
}

/// Brings an image here that the agent will fetch by itself, only to see that it is what it should
/// be.
async fn validate(
    task: &Task,
    store: &Arc<ImageStore>,
    href: &str,
    declared: Option<String>,
) -> Result<(), ImageFailure> {
    // What was brought before says nothing about the image of today.
    discard(task.id(), Places::of(task)).await;
    let places = Places::of(task);
    let wanted = ImageRequest {
        href: href.to_owned(),
        source: None,
        destination: places.image.clone(),
        raw: false,
        declared,
        checksum: checksum_of(task, store, href).await?,
    };
    let brought = bring(store, &places, &wanted, Algorithm::Sha256).await;
    discard(task.id(), places).await;
    brought.map(|_| ())
}

/// An image that is not written as it arrives must fit into the memory beside the agent, where
/// operators say how much that needs.
pub(super) fn check_memory(task: &Task, probed: &Probed) -> Result<(), DriverError> {
    const MEBIBYTE: u64 = 1 << 20;
    let reserved = task.settings().images.agent_memory;
    let memory = task.node.properties.get("memory_mb").map(pyrepr::to_str);
    let memory = memory.and_then(|text| text.trim().parse::<u64>().ok());
    let streamed = task.settings().ramdisk.stream_raw_images
        && probed.format.is_some_and(|format| format.is_raw());
    let (Some(memory), Some(size), false) = (memory, probed.size, streamed || reserved == 0) else {
        return Ok(());
    };
    let needed = size.saturating_add(reserved.saturating_mul(MEBIBYTE));
    if needed <= memory.saturating_mul(MEBIBYTE) {
        return Ok(());
    }
    Err(DriverError::InvalidParameter(format!(
        "Memory size is too small for requested image, if it is less than (image size + reserved \
         RAM size), will break the IPA deployments. Image size: {} MiB, Memory size: {memory} MiB, \
         Reserved size: {reserved} MiB.",
        size / MEBIBYTE
    )))
}

/// Values that say something, as texts.
fn given(info: &JsonMap) -> std::collections::BTreeMap<String, String> {
    let said = info.iter().filter(|(_, value)| pyrepr::truth(value));
    said.map(|(key, value)| (key.clone(), pyrepr::to_str(value)))
        .collect()
}

/// How the image gets to the machine: as the instance, the node or the configuration says.
pub(super) fn download(task: &Task) -> Result<Download, DriverError> {
    let key = "image_download_source";
    let said = given(&task.node.instance_info).remove(key);
    let said = said.or_else(|| given(task.driver_info()).remove(key));
    if iscsi::is_writer(task) {
        // It is written from here.
        return Ok(Download::Local);
    }
    Ok(match said.as_deref() {
        None => task.settings().images.download,
        Some("http") => Download::Http,
        Some("local") => Download::Local,
        Some("swift") => Download::Swift,
        Some(other) => {
            return Err(DriverError::InvalidParameter(format!(
                "image_download_source is '{other}'; valid are http, local and swift"
            )));
        }
    })
}

/// What agents call a format; a disk with partitions is raw to them.
fn word(format: Format) -> &'static str {
    if format.is_raw() {
        "raw"
    } else {
        format.as_str()
    }
}

/// Brings an image of a server or file here and links it to where agents can fetch it.
async fn publish_address(
    task: &Task,
    store: &Arc<ImageStore>,
    href: &str,
    declared: Option<String>,
    checksum: Option<Checksum>,
) -> Result<PreparedImage, ImageFailure> {
    let algorithm = checksum.as_ref().map(|checksum| checksum.algorithm);
    let wanted = ImageRequest {
        href: href.to_owned(),
        source: None,
        destination: destination(task),
        raw: wants_raw(task),
        declared,
        checksum,
    };
    publish(task, store, &wanted, algorithm).await
}

/// Brings an image here and links it to where agents can fetch it. `algorithm` is that of the sum
/// which is known of it.
pub(super) async fn publish(
    task: &Task,
    store: &Arc<ImageStore>,
    wanted: &ImageRequest,
    algorithm: Option<Algorithm>,
) -> Result<PreparedImage, ImageFailure> {
    let is_served = !iscsi::is_writer(task);
    if is_served {
        url(task)?;
    }
    let places = Places::of(task);
    // The sum that was given is of the image as its server has it; here it may be converted.
    let algorithm = match algorithm {
        None | Some(Algorithm::Md5 | Algorithm::Sha1) => Algorithm::Sha256,
        Some(better) => better,
    };
    let (format, sum) = bring(store, &places, wanted, algorithm).await?;
    if is_served {
        let (link, target) = (places.link.clone(), places.image.clone());
        blocking(move || symbolic_link(&target, &link)).await?;
    }
    Ok(PreparedImage {
        published: is_served,
        disk_format: Some(word(format).to_owned()),
        checksum: Some(ImageChecksum {
            algorithm: algorithm.as_str().to_owned(),
            value: sum,
        }),
    })
}

/// Links a content of the image store to where agents can fetch it, as it is.
pub(super) async fn publish_file(
    task: &Task,
    store: &ImageStore,
    content: &ContentId,
) -> Result<(), DriverError> {
    let is_served = !iscsi::is_writer(task);
    if is_served {
        url(task)?;
    }
    let places = Places::of(task);
    let folder = places.folder.clone();
    blocking(move || fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error)))
        .await?;
    let linked = store.library().link(content, &places.image).await;
    linked.map_err(|error| unusable(&error))?;
    if is_served {
        let (link, target) = (places.link.clone(), places.image.clone());
        blocking(move || symbolic_link(&target, &link)).await?;
    }
    Ok(())
}

/// Whether the image is made raw when it comes here. What is written from here is converted on its
/// way to the disk.
pub(super) fn wants_raw(task: &Task) -> bool {
    task.settings().images.raw && !iscsi::is_writer(task)
}

/// Where the image of a node is put.
pub(super) fn destination(task: &Task) -> PathBuf {
    Places::of(task).image
}

/// The end of the address under which a node's image is published.
pub(super) fn place(task: &Task) -> String {
    format!("/{}/{}", task.settings().images.subdir, task.id())
}

/// Where agents find an image that is published here.
pub(super) fn url(task: &Task) -> Result<String, DriverError> {
    let Some(root_url) = &task.settings().images.http_url else {
        return Err(DriverError::InvalidParameter(
            "the image comes through this service, and agents do not know where to fetch it: set [deploy]http_url".to_owned(),
        ));
    };
    Ok(format!("{root_url}{}", place(task)))
}

/// Brings an image here; what it is then, and its sum.
async fn bring(
    store: &Arc<ImageStore>,
    places: &Places,
    wanted: &ImageRequest,
    algorithm: Algorithm,
) -> Result<(Format, String), ImageFailure> {
    let folder = places.folder.clone();
    blocking(move || fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error)))
        .await?;
    let fetched = store.fetch(Purpose::Instance, wanted).await;
    fetched.map_err(|error| trouble(&wanted.href, &error))?;
    let (image, rules) = (places.image.clone(), store.rules().clone());
    let examined =
        blocking(move || examine(&image, &rules, algorithm).map_err(|error| unusable(&error)));
    Ok(examined.await?)
}

/// Brings the image here that a conductor before brought to itself, unless the agent is at it
/// already. Whether anything had to be done.
///
/// What the image became then is what it must be now.
pub(super) async fn restore(task: &mut Task) -> Result<bool, DriverError> {
    let keys = task.core.db.keys();
    let opened = keys.open_map(&task.node.instance_info, &task.id().to_string());
    let info = opened.unwrap_or_default();
    let Some(mut prepared) = prepared::image_of(&task.node, &info, &place(task)) else {
        return Ok(false);
    };
    let told = steps::current(&task.node, StepKind::Deploy);
    let source = given(&info).remove("image_source");
    let (Some(_), Some(source), Some(sum)) = (
        &task.settings().images.http_url,
        source,
        prepared.checksum.clone(),
    ) else {
        return Ok(false);
    };
    if !prepared.published || told.is_some_and(|step| step.name() == "deploy.write_image") {
        return Ok(false);
    }
    let Some(store) = task.core.registry.images().cloned() else {
        return Ok(false);
    };
    bring_again(task, &store, &source, &sum).await?;
    let places = Places::of(task);
    let (link, target) = (places.link.clone(), places.image.clone());
    blocking(move || symbolic_link(&target, &link)).await?;
    // A deployment that an older version began says so from now on as well.
    prepared.published = true;
    task.node.driver_internal_info.set_prepared_image(&prepared);
    Ok(true)
}

/// Brings an image once more, which must be what it was.
async fn bring_again(
    task: &mut Task,
    store: &Arc<ImageStore>,
    source: &str,
    sum: &ImageChecksum,
) -> Result<(), DriverError> {
    let algorithm: Algorithm = sum.algorithm.parse().map_err(|error| invalid(&error))?;
    let places = Places::of(task);
    let wanted = match Reference::read(source)? {
        Reference::Glance(id) => glance::request_again(task, store, &id).await?,
        Reference::Stored(_) => match stored::again(task, store, sum).await? {
            Some(wanted) => wanted,
            None => return Ok(()),
        },
        Reference::Address(href) => ImageRequest {
            href,
            source: None,
            destination: places.image.clone(),
            raw: wants_raw(task),
            declared: None,
            checksum: None,
        },
    };
    let (_, found) = bring(store, &places, &wanted, algorithm).await?;
    if found == sum.value {
        return Ok(());
    }
    Err(DriverError::Environment(Failure::new(format!(
        "image {} is not what it was when the deployment began",
        source::shown(&wanted.href)
    ))))
}

/// The image that is written from here, where it may be another conductor that brought it.
pub(super) async fn ensure_here(task: &mut Task) -> Result<PathBuf, DriverError> {
    let image = destination(task);
    let path = image.clone();
    if blocking(move || Ok(path.is_file())).await? {
        return Ok(image);
    }
    let source = given(&task.instance_addresses()?).remove("image_source");
    let prepared = task.node.driver_internal_info.prepared_image();
    let sum = prepared.and_then(|prepared| prepared.checksum);
    let (Some(store), Some(source), Some(sum)) =
        (task.core.registry.images().cloned(), source, sum)
    else {
        return Err(DriverError::Environment(Failure::new(
            "the image is not here, and it is not known where to get it",
        )));
    };
    bring_again(task, &store, &source, &sum).await?;
    Ok(image)
}

/// What the image must hash to, by what the instance says.
async fn checksum_of(
    task: &Task,
    store: &ImageStore,
    href: &str,
) -> Result<Option<Checksum>, DriverError> {
    let settings = &task.settings().images;
    let mut given = given(&task.instance_addresses()?);
    let beside = given.remove("image_os_hash_algo");
    let text = match (
        given.remove("image_os_hash_value"),
        given.remove("image_checksum"),
    ) {
        (Some(value), _) => value,
        (None, Some(sum)) => sum,
        (None, None) => return Ok(None),
    };
    if text.contains("://") && !settings.checksum_files {
        return Err(DriverError::InvalidParameter(
            "image_checksum is an address, which [conductor]disable_support_for_checksum_files forbids".to_owned(),
        ));
    }
    let sum = checksum::resolve(
        store.http(),
        &text,
        beside.as_deref(),
        href,
        settings.allow_md5,
    );
    sum.await.map(Some).map_err(|error| failed(href, &error))
}

/// Where the image of a node is.
struct Places {
    folder: PathBuf,
    image: PathBuf,
    link: PathBuf,
}

impl Places {
    fn of(task: &Task) -> Self {
        let (settings, node): (_, NodeId) = (&task.settings().images, task.id());
        let folder = settings.folder.join(node.to_string());
        Self {
            image: folder.join("disk"),
            folder,
            link: settings
                .http_root
                .join(&settings.subdir)
                .join(node.to_string()),
        }
    }
}

/// Removes the node's image and the link to it; the copy in the cache stays.
pub(super) async fn remove(task: &mut Task) {
    prepared::forget(&mut task.node);
    task.core.image_peers.leave(task.id());
    discard(task.id(), Places::of(task)).await;
    if let Some(store) = task.core.registry.images() {
        store.clean_up().await;
    }
}

/// Drops the cached copy of the node's image, where the operator wants that after a failure.
pub(super) async fn forget_cached(task: &Task) {
    if !task.settings().clear_image_cache_on_deploy_failure {
        return;
    }
    let source = given(&task.node.instance_info).remove("image_source");
    let (Some(store), Some(source)) = (task.core.registry.images(), source) else {
        return;
    };
    let Ok(reference) = Reference::read(&source) else {
        return;
    };
    let href = reference.cached_as();
    if let Err(error) = store.forget(Purpose::Instance, &href).await {
        tracing::warn!(node = %task.id(), error = types::error::chain(&error), "the image of a failed deploy stays in the cache");
    }
}

async fn discard(node: NodeId, places: Places) {
    let removed = blocking(move || {
        let gone = |result: io::Result<()>, path: &Path| match result {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(path, &error)),
            _ => Ok(()),
        };
        gone(fs::remove_file(&places.link), &places.link)?;
        gone(fs::remove_dir_all(&places.folder), &places.folder)
    })
    .await;
    if let Err(error) = removed {
        tracing::warn!(%node, error = types::error::chain(&error), "the image of an instance could not be removed");
    }
}

/// What a partition image needs to know: sizes that the instance gives in its own units.
pub(super) fn layout(task: &mut Task) -> Result<(), DriverError> {
    let whole = task.node.driver_internal_info.is_whole_disk_image();
    if whole || task.node.instance_info.get("image_source").is_none() {
        return Ok(());
    }
    let format = task.settings().images.ephemeral_format.clone();
    let info = &mut task.node.instance_info;
    let wrong = |param: &str, reason: String| {
        DriverError::InvalidParameter(format!("Invalid parameter {param}: {reason}"))
    };
    let number = |key: &str| -> Result<Option<i64>, DriverError> {
        let Some(value) = info.get(key).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let text = pyrepr::to_str(value);
        let parsed = text.trim().parse().map(Some);
        parsed.map_err(|_| wrong(key, format!("{text} is not an integer value.")))
    };
    let Some(root) = number("root_gb")?.filter(|size| *size != 0) else {
        return Err(DriverError::InvalidParameter(
            "Some parameters were missing in node's instance_info. Missing are: ['root_gb']"
                .to_owned(),
        ));
    };
    let swap = number("swap_mb")?.unwrap_or(0);
    let ephemeral = number("ephemeral_gb")?.unwrap_or(0);
    for (key, size) in [
        ("root_gb", root),
        ("swap_mb", swap),
        ("ephemeral_gb", ephemeral),
    ] {
        if !(0..1 << 40).contains(&size) {
            return Err(wrong(key, format!("{size} is no size.")));
        }
    }
    let preserve = match info.get("preserve_ephemeral") {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) if text.is_empty() => false,
        Some(value) => words::boolean_value(value).ok_or_else(|| {
            let given = pyrepr::to_str(value);
            let reason = format!("Unrecognized value '{given}', {}", words::ACCEPTED);
            wrong("preserve_ephemeral", reason)
        })?,
    };
    if ephemeral > 0 && !info.get("ephemeral_format").is_some_and(pyrepr::truth) {
        info.insert("ephemeral_format".into(), format.into());
    }
    for (key, value) in [
        ("root_mb", Value::from(root * 1024)),
        ("swap_mb", swap.into()),
        ("ephemeral_mb", (ephemeral * 1024).into()),
        ("preserve_ephemeral", preserve.into()),
    ] {
        info.insert(key.into(), value);
    }
    Ok(())
}

/// Makes or replaces a link; a reader sees the old one or the new one.
fn symbolic_link(target: &Path, link: &Path) -> Result<(), DriverError> {
    let folder = link.parent().unwrap_or(Path::new("/"));
    let beside = link.with_extension("new");
    fs::create_dir_all(folder)
        .and_then(|()| match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .and_then(|()| std::os::unix::fs::symlink(target, &beside))
        .and_then(|()| fs::rename(&beside, link))
        .map_err(|error| unwritable(link, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> DriverError {
    DriverError::Environment(Failure::new(format!(
        "cannot write {}: {error}",
        path.display()
    )))
}

fn invalid(error: &ImageError) -> DriverError {
    DriverError::InvalidParameter(types::error::chain(error))
}

fn failed(href: &str, error: &ImageError) -> DriverError {
    if let ImageError::Service { source, .. } = error {
        // It names the image.
        return DriverError::Environment(Failure::new(source.to_string()));
    }
    let (image, why) = (source::shown(href), types::error::chain(error));
    // Which of the instance's fields that was is not the image's to know.
    let field = match error {
        ImageError::WrongFormat { .. } => " by image_disk_format of the instance",
        _ => "",
    };
    DriverError::Environment(Failure::new(format!(
        "image {image} cannot be deployed: {why}{field}"
    )))
}

fn trouble(href: &str, error: &ImageError) -> ImageFailure {
    let failed = failed(href, error);
    match error {
        ImageError::WrongFormat { .. } | ImageError::Checksum { .. } => {
            ImageFailure::Contradiction(failed)
        }
        _ => ImageFailure::Other(failed),
    }
}

fn unusable(error: &ImageError) -> DriverError {
    let why = types::error::chain(error);
    DriverError::Environment(Failure::new(format!("the image cannot be used: {why}")))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DriverError> + Send + 'static,
) -> Result<T, DriverError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(DriverError::Environment(Failure::new(format!(
            "a worker ended early: {error}"
        )))),
    }
}
