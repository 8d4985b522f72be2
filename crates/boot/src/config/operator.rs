//! Boot configurations from templates of operators (`[pxe]pxe_config_template` and its kin).
//!
//! A template sees the names that Ironic gives to its own. Ironic renders it for the ramdisk and
//! rewrites the line with the default when the machine is to boot something else; the same is done
//! here.

use super::{Menu, Pair};
use crate::{
    cmdline::Dialect,
    node::Source,
    template::{Template, TemplateError, Value},
};
use std::{collections::BTreeMap, path::Path, time::Duration};

/// The templates that there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Templates {
    pub pxelinux: Option<Template>,
    pub grub: Option<Template>,
    pub ipxe: Option<Template>,
    /// Instead of the first two, by `cpu_arch`.
    pub by_arch: BTreeMap<String, Template>,
    /// The script that every iPXE starts with.
    pub boot_script: Option<Template>,
    /// The file that GRUB reads first.
    pub first_stage: Option<Template>,
}

impl Templates {
    pub(super) fn find(&self, dialect: Dialect, cpu_arch: Option<&str>) -> Option<&Template> {
        let own = match dialect {
            Dialect::Ipxe => return self.ipxe.as_ref(),
            Dialect::Pxelinux => self.pxelinux.as_ref(),
            Dialect::Grub => self.grub.as_ref(),
        };
        let of_arch = cpu_arch.and_then(|arch| self.by_arch.get(arch));
        of_arch.or(own)
    }
}

/// Tries a template for the configuration of a node, so that most mistakes show at the start.
pub fn check(template: &Template) -> Result<(), TemplateError> {
    let pair = || Pair {
        kernel: "kernel".to_owned(),
        ramdisk: "ramdisk".to_owned(),
    };
    let menu = Menu {
        default: "deploy",
        deploy: pair(),
        initrd: "ramdisk".to_owned(),
        instance: pair(),
        iso: None,
        append: "append",
        ramdisk_arguments: "",
        kickstart: None,
        source: None,
        disk: None,
        root: None,
        volume: None,
        tftp_server: "192.0.2.1",
        timeout: Duration::ZERO,
        tells_address: false,
    };
    template.render(&values(&menu)).map(|_| ())
}

pub(super) fn render(
    template: &Template,
    dialect: Dialect,
    menu: &Menu<'_>,
) -> Result<String, TemplateError> {
    let text = template.render(&values(menu))?;
    Ok(switched(&text, dialect, menu.default))
}

fn values(menu: &Menu<'_>) -> BTreeMap<String, Value> {
    let text = |text: &str| Value::Text(text.to_owned());
    let milliseconds = i64::try_from(menu.timeout.as_millis()).unwrap_or(i64::MAX);
    let mut options = vec![
        ("deployment_aki_path", text(&menu.deploy.kernel)),
        ("deployment_ari_path", text(&menu.deploy.ramdisk)),
        ("aki_path", text(&menu.instance.kernel)),
        ("ari_path", text(&menu.instance.ramdisk)),
        ("pxe_append_params", text(menu.append)),
        ("ramdisk_opts", text(menu.ramdisk_arguments)),
        ("initrd_filename", text(&menu.initrd)),
        ("tftp_server", text(menu.tftp_server)),
        ("ipxe_timeout", Value::Number(milliseconds)),
    ];
    if let Some(iso) = &menu.iso {
        options.push(("boot_iso_url", text(iso)));
    }
    if let Some(kickstart) = menu.kickstart {
        options.push(("ks_cfg_url", text(kickstart)));
    }
    match menu.source {
        Some(Source::Repository(url)) => options.push(("repo_url", text(url))),
        Some(Source::Stage2(url)) => options.push(("stage2_url", text(url))),
        None => {}
    }
    if let Some(volume) = menu.volume {
        options.push(("boot_from_volume", Value::Truth(true)));
        options.push(("iscsi_boot_url", text(&volume.root.urls.join(" "))));
        if let Some(login) = &volume.root.login {
            options.push(("username", text(&login.username)));
            options.push(("password", text(&login.password)));
        }
        if let Some(initiator) = &volume.initiator {
            options.push(("iscsi_initiator_iqn", text(initiator)));
        }
        // Ironic's template goes through them by `for`, which is refused: better than a machine
        // without its disks.
        options.push(("iscsi_volumes", Value::Truth(!volume.others.is_empty())));
    }
    let options = options
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    BTreeMap::from([
        ("pxe_options".to_owned(), Value::Map(options.collect())),
        (
            "DISK_IDENTIFIER".to_owned(),
            text(menu.disk.unwrap_or_default()),
        ),
        ("ROOT".to_owned(), text(menu.root.unwrap_or_default())),
    ])
}

/// Makes the first line that names the default name this one.
fn switched(text: &str, dialect: Dialect, default: &str) -> String {
    let mut done = false;
    let lines = text.lines().map(|line| {
        let now = match dialect {
            Dialect::Ipxe => line
                .strip_prefix("goto ")
                .map(|_| format!("goto {default}")),
            Dialect::Pxelinux => line
                .strip_prefix("default ")
                .map(|_| format!("default {default}")),
            Dialect::Grub => ["set default=", "default="]
                .into_iter()
                .find(|prefix| line.starts_with(prefix))
                .map(|prefix| format!("{prefix}{default}")),
        };
        let now = now.filter(|_| !done);
        done |= now.is_some();
        now.unwrap_or_else(|| line.to_owned()) + "\n"
    });
    lines.collect()
}

/// The script that every iPXE starts with, from a template.
pub(crate) fn boot_script(
    template: &Template,
    config_subdir: &str,
    fallback: Option<&str>,
) -> Result<String, TemplateError> {
    let folder = Value::Text(format!("{config_subdir}/"));
    let mut values = BTreeMap::from([("ipxe_for_mac_uri".to_owned(), folder)]);
    if let Some(script) = fallback {
        values.insert(
            "ipxe_fallback_script".to_owned(),
            Value::Text(script.to_owned()),
        );
    }
    template.render(&values)
}

/// The file that GRUB reads first, from a template.
pub(crate) fn first_stage(template: &Template, tftp_root: &Path) -> Result<String, TemplateError> {
    let root = Value::Text(tftp_root.display().to_string());
    template.render(&BTreeMap::from([("tftp_root".to_owned(), root)]))
}
