//! Images of virtual media for machines that really read them.
//!
//! A purely simulated machine only remembers what is inserted. A process gets a copy: it is fetched
//! before the client is told that the medium is in, so that a start right after finds it.

use super::{message::Problem, post};
use crate::{Machine, backend::Order};
use hyper::StatusCode;
use std::{error::Error, io::Write};
use tempfile::NamedTempFile;

/// An image that is still to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImageToFetch {
    /// The machine that reads it.
    pub(crate) machine: u32,
    pub(crate) slot: usize,
    pub(crate) url: String,
}

/// Fetches the image and puts it into the drive of the process; the drive is empty if it fails.
pub(crate) async fn fetch(wanted: &ImageToFetch, machine: &Machine) -> Result<(), Problem> {
    match copy(&wanted.url).await {
        Ok(file) => {
            let path = file.path().to_owned();
            machine.parts(|parts| parts.image_file = Some(file.into_temp_path()));
            machine.order(Order::Media(Some(path)));
            Ok(())
        }
        Err(error) => {
            machine.parts(|parts| parts.media.eject(wanted.slot));
            let words = format!("the image cannot be fetched: {error}");
            Err(Problem::said(StatusCode::BAD_REQUEST, &words))
        }
    }
}

async fn copy(url: &str) -> Result<NamedTempFile, Box<dyn Error + Send + Sync>> {
    let client = post::client().ok_or("there is no client")?;
    let answer = client
        .get(url)
        .send()
        .await
        .map_err(reqwest::Error::without_url)?;
    let mut answer = answer
        .error_for_status()
        .map_err(reqwest::Error::without_url)?;
    let mut file = NamedTempFile::new()?;
    while let Some(bytes) = answer.chunk().await? {
        file.write_all(&bytes)?;
    }
    Ok(file)
}
