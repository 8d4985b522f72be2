//! Where the value of an option came from.
//!
//! Every resolved value keeps this, so that an error, a warning and `corten config show` can all
//! point at the line to change. It is knowledge about the text only; it says nothing about what
//! the value means.

use std::{fmt, path::Path, sync::Arc};

/// The place that decided a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Not set: the option's own default.
    Default,
    /// Not set, and the default is a fact about this machine.
    Machine,
    /// Not set, and the default depends on how the service is run.
    Situation,
    /// A line of a configuration file; the first one if the value spans several.
    File { path: Arc<Path>, line: usize },
    /// An environment variable.
    Environment { variable: String },
    /// A `--set section.option=value` flag.
    Flag { option: String },
}

impl Source {
    /// Whether a person chose the value.
    pub fn is_given(&self) -> bool {
        !matches!(self, Self::Default | Self::Machine | Self::Situation)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Situation => f.write_str("default here"),
            Self::Machine => f.write_str("detected on this machine"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment { variable } => write!(f, "environment variable {variable}"),
            Self::Flag { option } => write!(f, "--set {option}"),
        }
    }
}

/// One value as it was written, before it is parsed.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub(super) section: String,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) source: Source,
}
