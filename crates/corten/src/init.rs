//! `corten init`: from an unpacked program to a service that can be started.
//!
//! First everything is decided ([`answers`]); then it is made in a folder of its own beside its
//! place ([`pieces`]); then the configuration ([`text`]) is loaded as the service loads it; and only
//! then everything is moved to its place, the configuration last. So a configuration file that is
//! there stands for all the rest, and a run that was cut off is simply repeated: what it has moved
//! already is kept.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a command of its own, which serves nothing"
)]

mod answers;
mod pieces;
mod place;
mod text;

use crate::{
    args::{self, Common, SignIn},
    console::{note, print},
    serve::{self, Plan, Role},
    sources,
};
use answers::Answers;
use anyhow::{Context, bail};
use pieces::{Pieces, Staging};
use place::InstallPaths;
use std::{fs, path::Path, process::ExitCode};

pub(crate) fn run(args: &args::Init) -> anyhow::Result<ExitCode> {
    let place = InstallPaths::choose(args)?;
    refuse_overwriting(&place, args.force)?;
    let answers = Answers::gather(args, &place)?;
    let pieces = put(args, &answers, &place)?;
    finish(args, &answers, &place, &pieces)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes everything, checks it, and moves it to its place.
fn put<'a>(
    args: &args::Init,
    answers: &Answers,
    place: &'a InstallPaths,
) -> anyhow::Result<Pieces<'a>> {
    let staging = Staging::open(place)?;
    let pieces = Pieces::make(args, answers, place, &staging)?;
    check(&text::text(answers, &pieces.staged(), place), &staging)?;
    let text = text::text(answers, &pieces.settled(), place);
    pieces.settle()?;
    staging.close()?;
    place.write_config(&text)?;
    Ok(pieces)
}

/// The file that packages install, which serves this host only.
const PACKAGED: &str = include_str!("../../../packaging/corten.conf");

/// A file of the operator's is never replaced unasked; one that is as the package installed it is.
fn refuse_overwriting(place: &InstallPaths, force: bool) -> anyhow::Result<()> {
    let is_packaged = fs::read_to_string(&place.config).is_ok_and(|text| text == PACKAGED);
    if place.config.exists() && !force && !is_packaged {
        let shown = place.config.display();
        bail!(
            "{shown} is there already; `corten doctor --config-file {shown}` checks it, --force \
             replaces it and keeps the old one beside it"
        );
    }
    Ok(())
}

/// Loads the configuration as the service will.
fn check(text: &str, staging: &Staging) -> anyhow::Result<()> {
    let file = staging.path().join("corten.conf");
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    let common = Common {
        config_file: vec![file],
        ..Common::default()
    };
    let cannot = "the configuration that was put together cannot be served; nothing was written";
    let (config, _) = sources::load(&common).context(cannot)?;
    serve::in_runtime(async {
        let plan = Plan::new(&config, Role::All).context(cannot)?;
        plan.check_hardware().context(cannot)
    })
}

/// Says what to do next.
fn finish(
    args: &args::Init,
    answers: &Answers,
    place: &InstallPaths,
    pieces: &Pieces,
) -> anyhow::Result<()> {
    let config = place.config.display();
    print(&format!("{config} is written. Next:"))?;
    print(&format!("  corten doctor --config-file {config}"))?;
    print(&format!("  {}", place.start()))?;
    print(&format!(
        "  corten discover --range {} --username BMC_USER --verify-ca false --enrol",
        answers.attached.network
    ))?;
    print("")?;
    match answers.auth {
        answers::Auth::None => {
            note(
                "note: no password is asked for, so the API is for this host only: machines cannot call it, and nothing that boots a ramdisk works",
            );
        }
        _ => print(&client(answers, place, pieces))?,
    }
    if !pieces.has_ramdisk() {
        let ca = pieces
            .certificate()
            .map(|path| format!(" --ca {}", path.display()));
        note(&format!(
            "note: there is no ramdisk yet: corten ramdisk build --output {}{}",
            pieces.settled().ramdisk.display(),
            ca.unwrap_or_default()
        ));
    }
    if text::loaders().is_empty() {
        note(
            "note: there are no boot loaders here; on Debian: apt install ipxe pxelinux syslinux-common shim-signed grub-efi-amd64-signed",
        );
    }
    if let (Some(SignIn::Keystone), true) = (args.auth, args.no_tls) {
        note("note: tokens of Keystone travel without TLS");
    }
    Ok(())
}

/// What clients need to know.
fn client(answers: &Answers, place: &InstallPaths, pieces: &Pieces) -> String {
    let scheme = if pieces.certificate().is_some() {
        "https"
    } else {
        "http"
    };
    let mut text = format!(
        "For clients:\n  export OS_ENDPOINT={scheme}://{}:6385",
        answers.attached.address
    );
    if let Some(certificate) = pieces.certificate() {
        text += &format!(" OS_CACERT={}", certificate.display());
    }
    if let answers::Auth::Local { user, .. } | answers::Auth::HttpBasic { user, .. } = &answers.auth
    {
        let password = match pieces.has_password_file() {
            true => format!("\"$(cat {})\"", shown(&place.password_file())),
            false => "…".to_owned(),
        };
        text += &format!(" OS_AUTH_TYPE=http_basic OS_USERNAME={user} OS_PASSWORD={password}");
    }
    text
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
