//! Finding the programs of a folder and asking each who it is.

use super::{
    Declaration, ExternalDriver, ExternalSettings, HostError, Unfit, host::Host, program::Program,
};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Why drivers from outside cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the folder of drivers {} cannot be read", .0.display())]
    Folder(PathBuf, #[source] io::Error),
    #[error(transparent)]
    Program(HostError),
    #[error("driver program {program} declares what cannot be served")]
    Declaration { program: String, source: Unfit },
}

/// All programs of a folder. To be called before anything is served.
pub async fn load(
    folder: &Path,
    settings: &ExternalSettings,
) -> Result<Vec<ExternalDriver>, LoadError> {
    let programs = Program::all(folder).map_err(|error| LoadError::Folder(folder.into(), error))?;
    let mut drivers = Vec::new();
    for program in programs {
        drivers.push(described(program, settings.clone()).await?);
    }
    Ok(drivers)
}

/// One program.
pub async fn load_one(
    program: &Path,
    settings: &ExternalSettings,
) -> Result<ExternalDriver, LoadError> {
    described(Program::at(program), settings.clone()).await
}

async fn described(
    program: Program,
    settings: ExternalSettings,
) -> Result<ExternalDriver, LoadError> {
    let name = program.name.clone();
    let host = Host::new(program, settings);
    let said = host.describe().await.map_err(LoadError::Program)?;
    let declaration = Declaration::of(said).map_err(|source| LoadError::Declaration {
        program: name,
        source,
    })?;
    Ok(ExternalDriver {
        declaration: Arc::new(declaration),
        host: Arc::new(host),
    })
}
