//! `corten config show`: the configuration as the service would read it.

use crate::{
    args,
    console::{note, print},
    sources,
};
use config::Shown;
use std::process::ExitCode;

pub(crate) fn run(args: &args::Show) -> anyhow::Result<ExitCode> {
    let (config, warnings) = sources::load(&args.common)?;
    for warning in warnings {
        note(&format!("warning: {warning}"));
    }
    let shown = if args.all { Shown::All } else { Shown::Set };
    print(config.to_ini(shown).trim_end())?;
    Ok(ExitCode::SUCCESS)
}
