//! What can go wrong while a node is made bootable, or while servers start.

use std::{io, path::PathBuf};
use types::NodeId;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    #[error("cannot {what} {}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("cannot listen for {service} on {address}")]
    Listen {
        service: &'static str,
        address: String,
        #[source]
        source: io::Error,
    },
    #[error("node {node} cannot boot: {why}")]
    Node { node: NodeId, why: String },
    #[error("{0}")]
    Settings(String),
}

impl BootError {
    pub(crate) fn file(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }
}
