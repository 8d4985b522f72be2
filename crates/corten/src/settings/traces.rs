//! The options of traces.

use super::SettingsError;
use config::Config;
use telemetry::trace::TraceSettings;
use tls::Trust;

/// Where traces go; nowhere unless a collector is named.
pub fn traces(config: &Config) -> Result<Option<TraceSettings>, SettingsError> {
    let options = &config.corten;
    let Some(endpoint) = &*options.otlp_endpoint else {
        return Ok(None);
    };
    let endpoint = endpoint.as_str().parse();
    let endpoint = endpoint.map_err(|_| SettingsError::Traces {
        place: options.otlp_endpoint.source().clone(),
    })?;
    let authorities = (*options.otlp_ca_file).clone();
    Ok(Some(TraceSettings {
        endpoint,
        tls: authorities.map_or(Trust::Machine, Trust::Path).into(),
        host: config.default.host.to_string(),
        percent: *options.otlp_percent,
    }))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::alone, *};

    #[test]
    fn traces_are_made_for_a_collector_only() {
        assert!(traces(&alone(&[])).unwrap().is_none());
        let config = alone(&[
            "corten.otlp_endpoint=http://c:4318/v1/traces",
            "corten.otlp_percent=10",
            "DEFAULT.host=h",
        ]);
        let traces = traces(&config).unwrap().unwrap();
        assert_eq!(traces.endpoint.as_str(), "http://c:4318/v1/traces");
        assert_eq!((traces.percent, traces.host.as_str()), (10, "h"));
    }
}
