//! Booting the installer of an operating system: its files, and the kickstart file that tells it what
//! to do.
//!
//! Everything of it is fetched by HTTP, whatever way the kernel comes: the second stage as
//! `<node>/LiveOS/squashfs.img`, where Anaconda looks for it, and the kickstart file as
//! `<node>/ks.cfg`. That holds the token that reports show and the user's data, and every client that knows the
//! node may fetch it: it is withdrawn with the rest when the deployment is over.

mod temporary;
mod validator;

use super::{Netboot, blocking};
use crate::{
    DriverError, Failure,
    boot_image::{self, Installer, Instance},
    iface::{InstallerOrder, InstallerSource, Machine},
};
use boot::{
    BootFiles, Source, Start,
    kickstart::{self, Kickstart, KickstartError},
    template::Template,
    tree,
};
use image::store::Purpose;
use std::{
    io,
    path::{Path, PathBuf},
};
use temporary::Temporary;
use tokio::io::AsyncReadExt;
use types::NodeId;

const KICKSTART: &str = "ks.cfg";
const STAGE2: &str = "LiveOS/squashfs.img";
/// No template of a reasonable kind is larger.
const MOST_TEMPLATE: u64 = 1 << 16;

/// What was fetched.
pub(super) struct InstallerFiles {
    installer: Installer,
    template: Template,
    /// What is installed, as the installer finds it.
    image: String,
}

impl Netboot {
    /// Whether an installer can fetch what it needs: it knows HTTP only.
    pub(super) fn check_installer_place(&self) -> Result<(), DriverError> {
        let files = self.services.as_ref().map(boot::Boot::files);
        if files.is_some_and(|files| files.http_url.is_none()) {
            return Err(DriverError::InvalidParameter(
                "'kickstart' boot option is set on the node but no HTTP URL or HTTP root was specified"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    fn installer_place(&self, node: NodeId) -> Result<(&BootFiles, PathBuf, String), DriverError> {
        self.check_installer_place()?;
        let files = self.services()?.files();
        let folder = files.http_root.join(node.to_string());
        let url = files.http_url.clone().unwrap_or_default();
        Ok((files, folder, format!("{url}/{node}")))
    }

    /// Brings everything here that the installer needs, and freezes what the node says of it.
    pub(super) async fn fetch_installer_files(
        &self,
        machine: &mut Machine<'_>,
        source: &InstallerSource,
    ) -> Result<InstallerFiles, DriverError> {
        let Instance::Installer(installer) = self.images.instance(machine).await? else {
            return Err(DriverError::InvalidParameter(format!(
                "node {} has no installer to boot",
                machine.node.id
            )));
        };
        let (_, folder, url) = self.installer_place(machine.node.id)?;
        let is_tree = matches!(source, InstallerSource::Tree(_));
        self.artifacts(machine, "", &installer.pair).await?;
        match (&installer.stage2, is_tree) {
            (_, true) => {}
            (Some(stage2), false) => {
                self.bring(machine, "stage2", stage2, &folder.join(STAGE2))
                    .await?;
                machine
                    .node
                    .driver_internal_info
                    .set_installer_stage2(stage2);
            }
            (None, false) => {
                let source = boot_image::text(machine.instance_info(), "image_source");
                return Err(DriverError::InvalidParameter(format!(
                    "'stage2_id' is missing from the properties of the OS image {}. The anaconda deploy interface requires this to be set with the OS image or in instance_info['stage2']. ",
                    image::source::shown(&source.unwrap_or_default())
                )));
            }
        }
        let template = self.template(machine, &installer, &folder).await?;
        let image = match source {
            InstallerSource::Tree(url) | InstallerSource::Url(url) => url.clone(),
            InstallerSource::Published => {
                let source = boot_image::text(machine.instance_info(), "image_source");
                let extension = installer.extension.as_deref().unwrap_or_default();
                let name = format!("liveimg{extension}");
                let path = folder.join(&name);
                let source = source.unwrap_or_default();
                self.bring(machine, "the image", &source, &path).await?;
                format!("{url}/{name}")
            }
        };
        Ok(InstallerFiles {
            installer,
            template,
            image,
        })
    }

    async fn bring(
        &self,
        machine: &Machine<'_>,
        what: &str,
        href: &str,
        path: &Path,
    ) -> Result<(), DriverError> {
        if let Some(folder) = path.parent() {
            let made = tokio::fs::create_dir_all(folder).await;
            made.map_err(|error| unusable("make the folder", folder, error))?;
        }
        self.images
            .fetch(Purpose::Iso, what, href, path, &machine.caller)
            .await
    }

    /// The template of the kickstart file: the instance's, its image's, or that of the service.
    async fn template(
        &self,
        machine: &mut Machine<'_>,
        installer: &Installer,
        folder: &Path,
    ) -> Result<Template, DriverError> {
        let text = match (&installer.template, &self.settings.kickstart_template) {
            (Some(href), configured) if !is_configured(href, configured.as_deref()) => {
                let path = folder.join("ks.cfg.template");
                let fetched = Temporary::new(path.clone());
                self.bring(machine, "ks_template", href, &path).await?;
                let text = read(&path).await;
                fetched.remove().await;
                let noted = &mut machine.node.driver_internal_info;
                noted.set_installer_template(href);
                text?
            }
            (_, Some(path)) => {
                let noted = &mut machine.node.driver_internal_info;
                noted.set_installer_template(&format!("file://{}", path.display()));
                read(path).await?
            }
            (_, None) => kickstart::BUNDLED.to_owned(),
        };
        blocking(move || Ok(kickstart::check(&text)))
            .await?
            .map_err(invalid)
    }

    /// Publishes the installer with its kickstart file.
    pub(super) async fn publish_installer(
        &self,
        machine: &mut Machine<'_>,
        order: &InstallerOrder,
    ) -> Result<(), DriverError> {
        let fetched = self.fetch_installer_files(machine, &order.source).await?;
        let node = machine.node.id;
        let (files, _, url) = self.installer_place(node)?;
        let is_tree = matches!(order.source, InstallerSource::Tree(_));
        let kickstart = Kickstart {
            liveimg_url: fetched.image.clone(),
            is_tree,
            agent_token: order.token.clone(),
            heartbeat_url: order.heartbeat_url.clone(),
            insecure_heartbeat: self.settings.insecure_heartbeat,
            config_drive: order.config_drive.clone(),
        };
        let (template, files) = (fetched.template, files.clone());
        let rendered = blocking(move || Ok(kickstart.render(&template))).await?;
        let text = rendered.map_err(invalid)?;
        let text = validator::validate(validator::PROGRAM.as_ref(), text, &order.token).await?;
        blocking(move || tree::add(&files, node, KICKSTART, text.as_bytes())).await?;
        let pair = &fetched.installer.pair;
        let (kernel, ramdisk) = self.artifacts(machine, "", pair).await?;
        let start = Start::Anaconda {
            kernel,
            ramdisk,
            kickstart: format!("{url}/{KICKSTART}"),
            source: match is_tree {
                true => Source::Repository(fetched.image),
                false => Source::Stage2(url),
            },
        };
        let append = self.parameters(boot_image::instance_parameters(machine), &[]);
        let boot = self.node_boot(machine, start, append).await?;
        self.publish(machine, boot).await
    }
}

/// Whether a template is the one of the configuration, which is read where it is.
fn is_configured(href: &str, configured: Option<&Path>) -> bool {
    configured.is_some_and(|path| href == format!("file://{}", path.display()))
}

fn invalid(error: KickstartError) -> DriverError {
    DriverError::InvalidParameter(error.to_string())
}

fn unusable(what: &str, path: &Path, error: io::Error) -> DriverError {
    let tried = format!("cannot {what} {}", path.display());
    DriverError::Environment(Failure::because(tried, error))
}

async fn read(path: &Path) -> Result<String, DriverError> {
    let failed = |error| unusable("read the kickstart template", path, error);
    let file = tokio::fs::File::open(path).await.map_err(failed)?;
    let mut bytes = Vec::new();
    let mut limited = file.take(MOST_TEMPLATE + 1);
    limited.read_to_end(&mut bytes).await.map_err(failed)?;
    if bytes.len() as u64 > MOST_TEMPLATE {
        return Err(DriverError::InvalidParameter(format!(
            "the kickstart template is larger than {MOST_TEMPLATE} bytes"
        )));
    }
    String::from_utf8(bytes)
        .map_err(|_| DriverError::InvalidParameter("the kickstart template is no text".to_owned()))
}
