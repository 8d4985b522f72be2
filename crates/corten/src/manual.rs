//! `corten manual`: the help of every command as a manual page.
//!
//! Pages are made from the description that the command line is parsed with, so they cannot differ
//! from what is accepted. Packages install them.

#![expect(
    clippy::disallowed_methods,
    reason = "a command of its own: nothing is served beside it"
)]

use crate::{args::Program, console::print};
use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use std::{fs, path::Path, process::ExitCode};

/// The section of user commands.
const SECTION: &str = "1";

pub(crate) fn write(folder: &Path) -> anyhow::Result<ExitCode> {
    let mut program = Program::described();
    program.build();
    let written = pages(&program, "corten", folder)?;
    print(&format!("{written} pages in {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command and of all below it; says how many.
fn pages(command: &Command, name: &str, folder: &Path) -> anyhow::Result<usize> {
    let page = command.clone().name(name.to_owned()).display_name(name);
    let mut text = Vec::new();
    Man::new(page).section(SECTION).render(&mut text)?;
    let path = folder.join(format!("{name}.{SECTION}"));
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let visible = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help");
    let mut written = 1;
    for below in visible {
        let name = format!("{name}-{}", below.get_name());
        written += pages(below, &name, folder)?;
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page_and_hidden_ones_have_none() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let deploy = read("corten-node-deploy.1");
        assert!(deploy.contains("corten\\-node\\-deploy"), "{deploy}");
        assert!(deploy.contains("\\-\\-wait"), "{deploy}");
        assert!(read("corten.1").contains("SUBCOMMANDS"));
        assert!(!folder.path().join("corten-__complete.1").exists());
        let refused = write(&folder.path().join("absent")).unwrap_err();
        assert!(refused.to_string().starts_with("cannot write"), "{refused}");
    }
}
