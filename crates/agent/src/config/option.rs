//! Options by name, and what their texts mean.

use super::{Args, ConfigError};
use std::{collections::BTreeMap, str::FromStr, time::Duration};
use types::words;

/// Texts by the names that configuration files use.
#[derive(Debug, Default)]
pub(super) struct Options(BTreeMap<String, String>);

impl Options {
    pub(super) fn add(&mut self, options: BTreeMap<String, String>) {
        self.0.extend(options);
    }

    /// Kernel parameters: those of the agent, and the few of others that it reads.
    pub(super) fn add_parameters(&mut self, parameters: BTreeMap<String, String>) {
        for (name, value) in parameters {
            let name = match name.strip_prefix("ipa-") {
                Some("ip-lookup-timeout") => "ip_lookup_sleep".to_owned(),
                Some(name) => name.replace('-', "_"),
                None => name,
            };
            self.0.insert(name, value);
        }
    }

    pub(super) fn add_flags(&mut self, args: &Args) -> Result<(), ConfigError> {
        let mut set = |name: &str, value: String| self.0.insert(name.to_owned(), value);
        if let Some(url) = &args.api_url {
            set("api_url", url.clone());
        }
        if let Some(cafile) = &args.cafile {
            set("cafile", cafile.display().to_string());
        }
        for (name, flag) in [("insecure", args.insecure), ("debug", args.debug)] {
            if flag {
                set(name, "true".to_owned());
            }
        }
        for (prefix, given) in [("listen", &args.listen), ("advertise", &args.advertise)] {
            let Some(given) = given else { continue };
            let (host, port) = given.rsplit_once(':').ok_or_else(|| ConfigError::Value {
                name: format!("--{prefix}"),
                value: given.clone(),
                expected: "HOST:PORT".to_owned(),
            })?;
            let host = host.trim_matches(['[', ']']);
            set(&format!("{prefix}_host"), host.to_owned());
            set(&format!("{prefix}_port"), port.to_owned());
        }
        Ok(())
    }

    /// A text that is not empty.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|text| !text.is_empty()).cloned()
    }

    pub(super) fn flag(&self, name: &str, usual: bool) -> Result<bool, ConfigError> {
        let Some(text) = self.text(name) else {
            return Ok(usual);
        };
        words::boolean(&text).ok_or_else(|| wrong(name, text, "true or false"))
    }

    pub(super) fn number<T: FromStr>(&self, name: &str, usual: T) -> Result<T, ConfigError> {
        let Some(text) = self.text(name) else {
            return Ok(usual);
        };
        text.parse()
            .map_err(|_| wrong(name, text, "a number in range"))
    }

    pub(super) fn seconds(&self, name: &str, usual: u32) -> Result<Duration, ConfigError> {
        let seconds = self.number(name, f64::from(usual))?;
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| wrong(name, seconds.to_string(), "a number of seconds"))
    }

    /// One of these texts, the first unless something else is said.
    pub(super) fn choice(&self, name: &str, choices: &[&str]) -> Result<String, ConfigError> {
        match self.text(name) {
            None => Ok(choices.first().copied().unwrap_or_default().to_owned()),
            Some(text) if choices.contains(&text.as_str()) => Ok(text),
            Some(text) => {
                let expected = format!("one of {}", choices.join(", "));
                Err(wrong(name, text, &expected))
            }
        }
    }

    /// URLs without a trailing slash; `mdns` is passed on, for the caller to refuse or resolve.
    pub(super) fn urls(&self, name: &str) -> Result<Vec<String>, ConfigError> {
        let urls = super::list(&self.text(name).unwrap_or_default());
        for url in &urls {
            let is_url = url.starts_with("http://") || url.starts_with("https://");
            if !is_url && url != "mdns" {
                return Err(wrong(name, url.clone(), "a URL of http or https"));
            }
        }
        let bare = |url: String| url.trim_end_matches('/').to_owned();
        Ok(urls.into_iter().map(bare).collect())
    }

    pub(super) fn version(&self, name: &str) -> Result<Option<(u16, u16)>, ConfigError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let parsed = text
            .split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        match parsed {
            Some(version) => Ok(Some(version)),
            None => Err(wrong(name, text, "a version such as 1.68")),
        }
    }
}

fn wrong(name: &str, value: String, expected: &str) -> ConfigError {
    ConfigError::Value {
        name: name.to_owned(),
        value,
        expected: expected.to_owned(),
    }
}
