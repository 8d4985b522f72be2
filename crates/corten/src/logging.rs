//! The log: lines for people, or JSON for machines, on standard error.
//!
//! The level comes from `[DEFAULT]debug`; `CORTEN_LOG` overrides it with a filter such as
//! `conductor=debug,info`. Files and rotation are left to whoever runs the service.

use crate::settings;
use anyhow::{Context, anyhow};
use config::{Config, choice::LogFormat};
use std::io::{self, IsTerminal, Write};
use telemetry::trace::{Exporter, Spans};
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
const OURS: &[&str] = &[
    "api",
    "conductor",
    "corten",
    "drivers",
    "store",
    "telemetry",
];

/// The log of this process, whose level can be changed while it runs.
pub(crate) struct Log {
    filter: reload::Handle<AnyFilter, Registry>,
    usual: Level,
    /// The exporter of traces, until it is started.
    exporter: Option<Exporter>,
}

/// Starts the log of this process; `usual` is the level without any wish.
pub(crate) fn start(config: &Config, usual: Level) -> anyhow::Result<Log> {
    let (filter, handle) = reload::Layer::new(wanted(config, usual)?);
    let lines = fmt::layer()
        .with_writer(|| OneLine(io::stderr()))
        .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none());
    let lines = match format(config) {
        LogFormat::Text => lines.compact().boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let registry = tracing_subscriber::registry().with(lines.with_filter(filter));
    let (started, exporter) = match settings::traces(config)? {
        Some(traces) => {
            let made = Exporter::new(traces).context("cannot set up tracing")?;
            let (spans, exporter) = made;
            let spans = spans.with_filter(Spans::filter());
            (registry.with(spans).try_init(), Some(exporter))
        }
        None => (registry.try_init(), None),
    };
    started.context("cannot start logging")?;
    Ok(Log {
        filter: handle,
        usual,
        exporter,
    })
}

/// What lines look like: Ironic's option counts where ours is not set.
fn format(config: &Config) -> LogFormat {
    let own = &config.corten.log_format;
    match *config.default.use_json && !own.is_set() {
        true => LogFormat::Json,
        false => **own,
    }
}

/// Keeps every entry on a line of its own, and readable from left to right.
///
/// Entries quote what BMCs, ramdisks and clients wrote. A line break in it must not look like the
/// beginning of another entry. Entries arrive here one by one, each with its final line break.
struct OneLine<W>(W);

impl<W: Write> Write for OneLine<W> {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let text = entry.strip_suffix(b"\n").unwrap_or(entry);
        let text = String::from_utf8_lossy(text);
        if !text.contains(is_misleading) {
            self.0.write_all(entry)?;
            return Ok(entry.len());
        }
        let mut line = String::with_capacity(entry.len() + 16);
        for character in text.chars() {
            match character {
                '\n' => line.push_str("\\n"),
                '\r' => line.push_str("\\r"),
                // The same escape in text as in JSON.
                other if is_misleading(other) => {
                    line.push_str(&format!("\\u{:04x}", u32::from(other)));
                }
                other => line.push(other),
            }
        }
        line.push('\n');
        self.0.write_all(line.as_bytes())?;
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether some reader takes a character for the end of a line, or for a change of the direction
/// of writing (Unicode Standard Annexes 14 and 9).
fn is_misleading(character: char) -> bool {
    matches!(
        character,
        '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

impl Log {
    /// What sends traces, if any are made; once.
    pub(crate) fn take_exporter(&mut self) -> Option<Exporter> {
        self.exporter.take()
    }

    /// Does what the configuration now says about the level. The format stays as it is.
    pub(crate) fn adjust(&self, config: &Config) -> anyhow::Result<()> {
        let filter = wanted(config, self.usual)?;
        self.filter
            .reload(filter)
            .context("cannot change the log filter")
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
    let filter =
        filter.map_err(|error| anyhow!("invalid log filter {VARIABLE}={wish}: {error}"))?;
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
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(text);
            Ok(text.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_others_wrote_begins_no_line() {
        for compact in [true, false] {
            let kept = Kept::default();
            let writer = kept.clone();
            let lines = fmt::layer()
                .with_writer(move || OneLine(writer.clone()))
                .with_ansi(false);
            let lines = if compact {
                lines.compact().boxed()
            } else {
                lines.json().flatten_event(true).boxed()
            };
            let log = tracing_subscriber::registry().with(lines);
            tracing::subscriber::with_default(log, || {
                let forged =
                    "x\r\n2026-01-01T00:00:00Z  INFO audit: granted\u{2028}y\u{202e}z ü\x0bv";
                tracing::info!(target: "audit", user = forged, roles = %forged, "{forged}");
                tracing::info!("second");
            });
            let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
            assert_eq!(text.lines().count(), 2, "{text}");
            assert!(text.ends_with('\n') && !text.contains('\r'), "{text}");
            assert!(text.contains("x\\r\\n2026"), "{text}");
            assert!(text.contains("granted\\u2028y\\u202ez ü"), "{text}");
            assert!(!text.contains(['\u{2028}', '\u{202e}']), "{text}");
        }
    }

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

    #[test]
    fn ironic_s_option_for_json_counts_unless_ours_is_set() {
        for (sets, wanted) in [
            (&[][..], LogFormat::Text),
            (&["DEFAULT.use_json=true"], LogFormat::Json),
            (&["corten.log_format=json"], LogFormat::Json),
            (
                &["DEFAULT.use_json=true", "corten.log_format=text"],
                LogFormat::Text,
            ),
        ] {
            let sources = config::Sources {
                sets: sets.iter().map(|&set| set.to_owned()).collect(),
                ..config::Sources::default()
            };
            let (config, _) = Config::load(sources).unwrap();
            assert_eq!(format(&config), wanted, "{sets:?}");
        }
    }
}
