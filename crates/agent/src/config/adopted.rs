//! What the service says at lookup, and what holds before.

use super::{ConfigError, option::Options};
use serde_json::Value;
use std::time::Duration;
use types::JsonMap;

/// How often IPA's services expect a heartbeat at least.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(300);

/// The service's rules for this agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Adopted {
    pub heartbeat_timeout: Duration,
    /// Whether MD5 may vouch for an image.
    pub md5_enabled: bool,
    pub disable_deep_image_inspection: bool,
    pub permitted_image_formats: Vec<String>,
    /// Whether BIOS machines may get a boot loader from what their image brings.
    pub enable_bios_bootloader_install: bool,
    /// Whether asking the machine for its BMC's address is of no use.
    pub skip_bmc_detect: bool,
    /// The oldest TLS spoken, `1.2` or `1.3`.
    pub tls_min_version: String,
    /// Names of OpenSSL, separated by colons.
    pub tls_cipher_suites: Option<String>,
    /// What steps may be run from containers, as sent.
    pub containers: JsonMap,
}

impl Adopted {
    pub(super) fn from_options(options: &Options) -> Result<Self, ConfigError> {
        let formats = options
            .text("permitted_image_formats")
            .unwrap_or_else(|| "raw,gpt,qcow2".to_owned());
        Ok(Self {
            heartbeat_timeout: HEARTBEAT_TIMEOUT,
            md5_enabled: options.flag("md5_enabled", false)?,
            disable_deep_image_inspection: options.flag("disable_deep_image_inspection", false)?,
            permitted_image_formats: super::list(&formats),
            enable_bios_bootloader_install: options
                .flag("enable_bios_bootloader_install", false)?,
            skip_bmc_detect: false,
            tls_min_version: options.choice("tls_min_version", &["1.2", "1.3"])?,
            tls_cipher_suites: options.text("tls_cipher_suites"),
            containers: JsonMap::new(),
        })
    }

    /// Takes over what the service says. What it does not say, or says in another shape, stays.
    pub fn adopt(&mut self, config: &JsonMap) {
        let flag = |name: &str, here: &mut bool| {
            if let Some(Value::Bool(flag)) = config.get(name) {
                *here = *flag;
            }
        };
        flag("agent_md5_checksum_enable", &mut self.md5_enabled);
        flag(
            "disable_deep_image_inspection",
            &mut self.disable_deep_image_inspection,
        );
        flag(
            "enable_bios_bootloader_install",
            &mut self.enable_bios_bootloader_install,
        );
        flag("agent_skip_bmc_detect", &mut self.skip_bmc_detect);
        let seconds = config.get("heartbeat_timeout").and_then(Value::as_f64);
        if let Some(timeout) = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()) {
            self.heartbeat_timeout = timeout;
        }
        if let Some(formats) = config
            .get("permitted_image_formats")
            .and_then(Value::as_array)
        {
            let texts = formats.iter().filter_map(Value::as_str);
            self.permitted_image_formats = texts.map(str::to_owned).collect();
        }
        let text = |name: &str| config.get(name).and_then(Value::as_str);
        if let Some(version @ ("1.2" | "1.3")) = text("tls_min_version") {
            version.clone_into(&mut self.tls_min_version);
        }
        if let Some(suites) = text("tls_cipher_suites") {
            self.tls_cipher_suites = Some(suites.to_owned());
        }
        if let Some(Value::Object(containers)) = config.get("agent_containers") {
            self.containers = containers.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use serde_json::json;

    #[test]
    fn what_is_not_said_stays() {
        let mut adopted = Config::from_parameters("").unwrap().adopted;
        let before = adopted.clone();
        let odd = json!({"heartbeat_timeout": -1, "tls_min_version": "1.0", "agent_md5_checksum_enable": null});
        adopted.adopt(odd.as_object().unwrap());
        assert_eq!(adopted, before);
        let said = json!({
            "heartbeat_timeout": 30, "tls_min_version": "1.3", "agent_md5_checksum_enable": true,
            "permitted_image_formats": ["raw", "iso"], "agent_skip_bmc_detect": true,
            "enable_bios_bootloader_install": true, "tls_cipher_suites": null,
            "agent_containers": {"runner": "podman"},
        });
        adopted.adopt(said.as_object().unwrap());
        assert_eq!(adopted.heartbeat_timeout, Duration::from_secs(30));
        assert_eq!(adopted.permitted_image_formats, ["raw", "iso"]);
        assert_eq!(adopted.tls_min_version, "1.3");
        assert!(adopted.md5_enabled && adopted.skip_bmc_detect);
        assert!(adopted.enable_bios_bootloader_install);
        assert_eq!(adopted.containers["runner"], "podman");
    }
}
