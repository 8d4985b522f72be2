//! The options of `/healthcheck`.

use super::SettingsError;
use ::api::health::{Check, Health};
use ::outbound::Network;
use config::{Config, Setting};
use std::path::PathBuf;

pub(super) fn health(config: &Config) -> Result<Health, SettingsError> {
    let options = &config.healthcheck;
    let backends: &[String] = &options.backends;
    let has = |name: &str| backends.iter().any(|backend| backend == name);
    if has("disable_by_file") && has("enable_by_files") {
        return Err(wrong(
            &options.backends,
            "backends",
            "disable_by_file and enable_by_files exclude each other",
        ));
    }
    let checks: Result<Vec<_>, _> = backends.iter().map(|name| check(config, name)).collect();
    let sources = options.allowed_source_ranges.iter().map(|text| {
        text.parse::<Network>().map_err(|error| {
            let place = &options.allowed_source_ranges;
            wrong(place, "allowed_source_ranges", error)
        })
    });
    Ok(Health {
        enabled: *options.enabled,
        detailed: *options.detailed,
        checks: checks?,
        sources: sources.collect::<Result<_, _>>()?,
        ignore_proxied: *options.ignore_proxied_requests,
    })
}

fn check(config: &Config, name: &str) -> Result<Check, SettingsError> {
    let options = &config.healthcheck;
    Ok(match name {
        "disable_by_file" => {
            let path = (*options.disable_by_file_path).clone();
            Check::DisabledByFile(path.filter(|path| !path.as_os_str().is_empty()))
        }
        "disable_by_files_ports" => Check::DisabledByPortFile(port_file(config)?),
        "enable_by_files" => Check::EnabledByFiles(options.enable_by_file_paths.to_vec()),
        unknown => {
            let reason = format!(
                "unknown check '{unknown}': expected disable_by_file, disable_by_files_ports or enable_by_files"
            );
            return Err(wrong(&options.backends, "backends", reason));
        }
    })
}

/// The file for our port.
fn port_file(config: &Config) -> Result<Option<PathBuf>, SettingsError> {
    let pairs = &config.healthcheck.disable_by_file_paths;
    let mut ours = None;
    for pair in pairs.iter() {
        let parsed = pair.split_once(':').and_then(|(port, path)| {
            let port: u16 = port.trim().parse().ok()?;
            Some((port, PathBuf::from(path)))
        });
        let Some((port, path)) = parsed else {
            let reason = format!("'{pair}' is no port with a path, such as 6385:/run/disabled");
            return Err(wrong(pairs, "disable_by_file_paths", reason));
        };
        if port == *config.api.port {
            ours = Some(path);
        }
    }
    Ok(ours)
}

fn wrong<T>(place: &Setting<T>, option: &'static str, reason: impl ToString) -> SettingsError {
    SettingsError::Health {
        place: place.source().clone(),
        option,
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::alone, *};

    #[test]
    fn backends_become_checks() {
        let config = alone(&[
            "api.port=99",
            "healthcheck.enabled=true",
            "healthcheck.backends=disable_by_file,disable_by_files_ports",
            "healthcheck.disable_by_file_path=/d",
            "healthcheck.disable_by_file_paths=98:/no,99:/c:d",
            "healthcheck.allowed_source_ranges=10.0.0.0/8,::1",
        ]);
        let health = health(&config).unwrap();
        assert!(health.enabled && !health.detailed);
        assert_eq!(
            health.checks,
            [
                Check::DisabledByFile(Some("/d".into())),
                Check::DisabledByPortFile(Some("/c:d".into())),
            ]
        );
        assert_eq!(health.sources.len(), 2);
    }

    #[test]
    fn mistakes_are_named() {
        let refused = |sets: &[&str]| health(&alone(sets)).unwrap_err().to_string();
        let text = refused(&["healthcheck.backends=mine"]);
        assert!(
            text.contains("[healthcheck]backends: unknown check 'mine'"),
            "{text}"
        );
        let text = refused(&["healthcheck.backends=enable_by_files,disable_by_file"]);
        assert!(text.contains("exclude"), "{text}");
        let text = refused(&["healthcheck.allowed_source_ranges=10.0.0.1/8"]);
        assert!(text.contains("'10.0.0.1/8'"), "{text}");
        let text = refused(&[
            "healthcheck.backends=disable_by_files_ports",
            "healthcheck.disable_by_file_paths=/p",
        ]);
        assert!(text.contains("'/p'"), "{text}");
    }
}
