//! The log: lines for people, or JSON for machines, on standard error.
//!
//! The level comes from `[DEFAULT]debug`; `CORTEN_LOG` overrides it with a filter such as
//! `conductor=debug,info`. Files and rotation are left to whoever runs the service.

use crate::config::{Config, choice::LogFormat};
use anyhow::{Context, anyhow};
use std::io::{self, IsTerminal};
use tracing::Level;
use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    filter::{FilterExt, Targets},
    fmt,
    layer::{Filter, SubscriberExt},
    reload,
    util::SubscriberInitExt,
};

/// The variable with a filter that wins over the configuration.
const VARIABLE: &str = "CORTEN_LOG";

/// Our own crates. Those of others say nothing of use at debug level, and a lot of it.
const OURS: &[&str] = &["api", "conductor", "corten", "drivers", "store"];

/// The log of this process, whose level can be changed while it runs.
pub(crate) struct Log {
    filter: reload::Handle<AnyFilter, Registry>,
    usual: Level,
}

/// Starts the log of this process; `usual` is the level without any wish.
pub(crate) fn start(config: &Config, usual: Level) -> anyhow::Result<Log> {
    let (filter, handle) = reload::Layer::new(wanted(config, usual)?);
    let lines = fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none());
    let lines = match *config.corten.log_format {
        LogFormat::Text => lines.compact().boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .try_init()
        .context("the log cannot be started")?;
    Ok(Log {
        filter: handle,
        usual,
    })
}

impl Log {
    /// Does what the configuration now says about the level. The format stays as it is.
    pub(crate) fn adjust(&self, config: &Config) -> anyhow::Result<()> {
        let filter = wanted(config, self.usual)?;
        self.filter.reload(filter).context("the log is gone")
    }
}

fn wanted(config: &Config, usual: Level) -> anyhow::Result<AnyFilter> {
    match std::env::var(VARIABLE) {
        Ok(wish) if !wish.is_empty() => chosen(&wish),
        _ => Ok(configured(*config.default.debug, usual)),
    }
}

type AnyFilter = Box<dyn Filter<Registry> + Send + Sync>;

fn chosen(wish: &str) -> anyhow::Result<AnyFilter> {
    let filter = EnvFilter::try_new(wish);
    let filter = filter.map_err(|error| anyhow!("{VARIABLE}={wish} is no filter: {error}"))?;
    Ok(FilterExt::boxed(filter))
}

fn configured(debug: bool, usual: Level) -> AnyFilter {
    let mut targets = Targets::new().with_default(usual);
    if debug {
        targets = targets.with_targets(OURS.iter().map(|&name| (name, Level::DEBUG)));
    }
    FilterExt::boxed(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_is_none_is_refused() {
        assert!(chosen("conductor=debug,info").is_ok());
        let Err(refused) = chosen("conductor=loud") else {
            panic!("accepted");
        };
        assert!(
            refused.to_string().contains("CORTEN_LOG=conductor=loud"),
            "{refused}"
        );
    }
}
