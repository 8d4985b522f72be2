//! The deploy interface `iscsi`: the agent exports its disk, and this conductor writes the image to
//! it, as Ironic up to version 17 did.
//!
//! The session is in user space: no kernel initiator, no other program, no block device here. The
//! disk is fenced twice. Before every part that is written, of the image or of what is beside it, it
//! is asked whether the lease still holds, and where it does not the connection is cut with whatever
//! is still on its way; and the disk is reserved with the lease's generation as the key, where the target knows
//! reservations: whoever was granted the node later takes the disk over, whoever was granted it
//! before cannot write any more. After a restart the disk is written from the start.

mod ephemeral;
mod fenced;
mod plan;
mod session;
mod target;
mod write;

use super::{drive, publish};
use crate::{
    core::Core,
    steps::StepResult,
    task::{Attempt, Stop, Task},
};
use drivers::{BootOption, DriverError, Failure, boot_option, iface::ImageWriter};
use image::{
    convert::{self, Options},
    source::FileSource,
};
use plan::Plan;
use session::Session;
use std::{
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use types::{JsonMap, NodeId, progress::Progress, pyrepr};

/// Whether this conductor writes the node's image itself.
pub(super) fn is_writer(task: &Task) -> bool {
    task.hardware.deploy.image_writer() == ImageWriter::Conductor
}

/// Whether the instance gets its kernel from the network.
pub(super) fn boots_from_network(task: &Task) -> bool {
    let default = task.settings().ramdisk.iscsi.boot_option;
    boot_option::of(&task.node, default) == BootOption::Network
}

/// What can be found out about the write while the machine is left alone; the image is here.
pub(super) async fn check(task: &Task) -> Result<(), DriverError> {
    let drive = drive::image(task).await?;
    let plan = Plan::of(task, drive)?;
    let image = publish::destination(task);
    let size = virtual_size(&image, task).await?;
    plan.check_size(size)?;
    ephemeral::check(&plan)
}

/// The step: brings the image to the disk.
pub(super) async fn write_image(task: &mut Task) -> Attempt<StepResult> {
    let written = match write(task).await {
        Ok(written) => written,
        Err(error) => {
            // What looks like a failure of the disk may be the fence.
            task.check_shutdown()?;
            if !task.core.may_act(task.node.lease_epoch) {
                return Err(Stop::LeaseLost);
            }
            return Ok(Err(error));
        }
    };
    let info = &mut task.node.driver_internal_info;
    if let Some(root) = written.identifier() {
        info.set_root_identifier(root);
    }
    info.set_deployment_uuids(written.to_map());
    if !info.is_whole_disk_image() {
        let said = &task.node.instance_info;
        let sizes = ["root_gb", "swap_mb", "ephemeral_gb"].map(|key| {
            let value = said.get(key).map(pyrepr::to_str).unwrap_or_default();
            let number = value.trim().parse::<u64>().unwrap_or(0);
            (key.to_owned(), number.into())
        });
        task.node
            .driver_internal_info
            .set_deployed_sizes(JsonMap::from_iter(sizes));
    }
    Ok(Ok(StepResult::Done))
}

async fn write(task: &mut Task) -> Result<write::Written, DriverError> {
    let failed = {
        let instance = task.node.instance_uuid.as_ref().map(ToString::to_string);
        let instance = instance.unwrap_or_else(|| task.id().to_string());
        move |why: String| {
            DriverError::Environment(Failure::new(format!(
                "Deploy failed for instance {instance}. Error: {why}"
            )))
        }
    };
    let chained = |error: DriverError| failed(types::error::chain(&error));
    let drive = drive::image(task).await.map_err(chained)?;
    let plan = Plan::of(task, drive).map_err(chained)?;
    let image = publish::ensure_here(task).await.map_err(chained)?;
    let made = ephemeral::make(task, &plan).await.map_err(chained)?;
    let core = Arc::clone(&task.core);
    core.begins(&task.node, "exporting the disk", STEP).await;
    let exported = target::start(task).await?;
    let session = match Session::open(task, &exported).await {
        Ok(session) => session,
        Err(error) => {
            target::stop(task, &exported).await;
            return Err(failed(error.to_string()));
        }
    };
    core.begins(&task.node, WRITING, STEP).await;
    let fence = Fence::of(task);
    let written = session
        .write(&image, plan, made, &options(task), fence)
        .await;
    // In any case: nobody else can write while the session is there.
    session.close(written.is_ok()).await;
    target::stop(task, &exported).await;
    let written = written.map_err(|error| failed(types::error::chain(&error)))?;
    if written.identifier().is_none() {
        return Err(DriverError::Environment(Failure::new(format!(
            "Couldn't determine the UUID of the root partition or the disk identifier after deploying node {}",
            task.id()
        ))));
    }
    Ok(written)
}

/// What progress is told of.
const STEP: &str = "write_image";
const WRITING: &str = "writing image";

/// The image was checked when it came here.
fn options(task: &Task) -> Options {
    let store = task.core.registry.images();
    Options {
        rules: store.map(|store| store.rules().clone()).unwrap_or_default(),
        table_memory: 1 << 30,
        ..Options::default()
    }
}

/// The size of the disk or partition that an image describes.
async fn virtual_size(image: &Path, task: &Task) -> Result<u64, DriverError> {
    let store = task.core.registry.images();
    let rules = store.map(|store| store.rules().clone()).unwrap_or_default();
    let path = image.to_owned();
    let found = tokio::task::spawn_blocking(move || {
        let source = FileSource::open(&path)?;
        image::store::virtual_size(&source, &rules)
    });
    let unusable = |why: String| {
        DriverError::Environment(Failure::new(format!("the image cannot be used: {why}")))
    };
    match found.await {
        Ok(found) => found.map_err(|error| unusable(types::error::chain(&error))),
        Err(error) => Err(unusable(error.to_string())),
    }
}

/// Ends a write whose node is somebody else's by now, and one that nobody waits for any more; tells
/// how far it is meanwhile.
struct Fence {
    core: Arc<Core>,
    node: NodeId,
    epoch: i64,
    began: Instant,
    /// Set when whoever started the write is gone.
    dropped: AtomicBool,
}

impl Fence {
    fn of(task: &Task) -> Self {
        Self {
            core: Arc::clone(&task.core),
            node: task.id(),
            epoch: task.node.lease_epoch,
            began: Instant::now(),
            dropped: AtomicBool::default(),
        }
    }

    /// Whether the disk may still be written.
    fn holds(&self) -> bool {
        self.core.may_act(self.epoch)
            && !self.core.stop.is_cancelled()
            && !self.dropped.load(Ordering::Relaxed)
    }

    /// To be called with every part of the image.
    fn pass(&self, now: convert::Progress) -> ControlFlow<()> {
        if !self.holds() {
            return ControlFlow::Break(());
        }
        let seconds = self.began.elapsed().as_secs();
        self.core.goes_on(
            self.node,
            Progress {
                phase: WRITING.to_owned(),
                bytes: now.done,
                total: now.total,
                rate: now.done.checked_div(seconds),
                command: Some(STEP.to_owned()),
            },
        );
        ControlFlow::Continue(())
    }
}
