//! Whole configurations, from files and flags to values, errors and warnings.

use super::*;
use crate::choice::{AuthStrategy, BootMode, TlsVersion};
use proptest::prelude::*;
use std::{fs, path::Path};
use tempfile::TempDir;

/// Writes files and loads them, with environment and flags on top.
struct Lab {
    dir: TempDir,
    sources: Sources,
}

impl Lab {
    fn new() -> Self {
        Self {
            dir: TempDir::new().unwrap(),
            sources: Sources::default(),
        }
    }

    fn file(mut self, text: impl AsRef<[u8]>) -> Self {
        let path = self
            .dir
            .path()
            .join(format!("{}.conf", self.sources.files.len()));
        fs::write(&path, text).unwrap();
        self.sources.files.push(path);
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.sources.env.push((name.into(), value.into()));
        self
    }

    fn set(mut self, flag: &str) -> Self {
        self.sources.sets.push(flag.to_owned());
        self
    }

    fn try_load(&self) -> Result<(Config, Vec<Warning>), ConfigError> {
        Config::load(self.sources.clone())
    }

    #[track_caller]
    fn load(&self) -> Config {
        self.try_load().unwrap().0
    }

    /// Warnings with the folder's name taken out.
    #[track_caller]
    fn warnings(&self) -> Vec<String> {
        let (_, warnings) = self.try_load().unwrap();
        warnings
            .iter()
            .map(|warning| self.relative(&warning.to_string()))
            .collect()
    }

    /// The error with the folder's name taken out.
    #[track_caller]
    fn error(&self) -> String {
        self.relative(&self.try_load().unwrap_err().to_string())
    }

    fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.dir.path().display()), "")
    }
}

#[test]
fn defaults_are_those_of_the_reference() {
    let config = Lab::new().load();
    assert!(!config.has_files());
    assert_eq!(*config.default.auth_strategy, AuthStrategy::Keystone);
    assert_eq!(config.api.host_ip.as_str(), "0.0.0.0");
    assert_eq!(*config.api.port, 6385);
    assert_eq!(*config.default.enabled_management_interfaces, None);
    assert_eq!(
        config.default.default_storage_interface.as_deref(),
        Some("noop")
    );
    assert_eq!(
        config.inspector.hooks.as_str(),
        config.inspector.default_hooks.as_str()
    );
    assert_eq!(config.inspector.cpu_capabilities["vmx"], "cpu_vt");
    assert_eq!(
        config.database.connection.expose(),
        "sqlite:////var/lib/corten/ironic.sqlite"
    );
    assert!(config.conductor.clean_step_priority_override.is_empty());
    assert!(!config.api.port.is_set());
    assert_eq!(config.api.port.source(), &Source::Default);
}

/// Every path that the service writes to, unless somebody names another.
#[test]
fn what_is_written_is_below_the_data_folder() {
    let check = |lab: Lab, outside: &[&str]| {
        let config = lab.set("corten.data_dir=/d").load();
        for (name, path) in [
            ("images_path", &config.pxe.images_path),
            ("instance_master_path", &config.pxe.instance_master_path),
            ("tftp_root", &config.pxe.tftp_root),
            ("tftp_master_path", &config.pxe.tftp_master_path),
            ("http_root", &config.deploy.http_root),
            ("iso_master_path", &config.deploy.iso_master_path),
            ("certificates_path", &config.agent.certificates_path),
            (
                "deploy_logs_local_path",
                &config.agent.deploy_logs_local_path,
            ),
            ("state_path", &config.default.state_path),
        ] {
            assert_eq!(!path.starts_with("/d"), outside.contains(&name), "{name}");
            assert!(!path.is_set());
        }
    };
    check(Lab::new(), &[]);
    check(
        Lab::new().file("[corten]\nhttp_listen = 10.0.0.1:80\n"),
        &[],
    );
    // Some other program hands these out, and looks for them where Ironic puts them.
    let file = "[deploy]\nhttp_url = http://10.0.0.1\n";
    check(Lab::new().file(file), &["tftp_root", "http_root"]);
    let named = Lab::new().file("[pxe]\ntftp_root = /t\n").load();
    assert_eq!(named.pxe.tftp_root.as_path(), Path::new("/t"));
}

#[test]
fn without_a_file_ramdisks_speak_on_the_serial_port() {
    let parameters = |lab: Lab| lab.load().pxe.kernel_append_params.to_string();
    assert!(parameters(Lab::new()).ends_with("console=ttyS0"));
    let file = Lab::new().file("[DEFAULT]\nhost = h\n");
    assert_eq!(parameters(file), "nofb vga=normal");
    let written = Lab::new().set("pxe.kernel_append_params=quiet");
    assert_eq!(parameters(written), "quiet");
    let shown = Lab::new().load();
    assert_eq!(
        shown.pxe.kernel_append_params.source().to_string(),
        "default here"
    );
}

#[test]
fn names_are_unique_and_every_row_has_help() {
    let mut names: Vec<_> = definitions().map(|d| (d.section, d.name)).collect();
    let rows = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), rows);
    for definition in definitions() {
        assert!(definition.help.ends_with('.'), "{definition:?}");
    }
}

#[test]
fn the_tables_are_data_too() {
    let depth = definitions()
        .find(|d| d.name == "max_json_body_depth")
        .unwrap();
    assert_eq!(
        (depth.section, depth.default, depth.limits),
        ("api", Some("25"), Some("8.."))
    );
    assert_eq!(depth.kind.to_string(), "whole number");
    let strategy = definitions().find(|d| d.name == "auth_strategy").unwrap();
    assert_eq!(
        strategy.kind.to_string(),
        "one of noauth, keystone, http_basic, local"
    );
}

#[test]
fn rows_stand_with_their_own_definitions() {
    let config = Lab::new().set("api.port=1").set("vnc.port=2").load();
    let rows = config.rows();
    assert_eq!(rows.len(), definitions().count());
    for (row, definition) in rows.iter().zip(definitions()) {
        assert_eq!(
            (row.definition.section, row.definition.name),
            (definition.section, definition.name)
        );
    }
    let shown = |section| {
        let row = rows
            .iter()
            .find(|r| r.definition.section == section && r.definition.name == "port");
        row.unwrap().texts.clone()
    };
    assert_eq!(
        (shown("api"), shown("vnc")),
        (vec!["1".to_owned()], vec!["2".to_owned()])
    );
}

#[test]
fn stronger_sources_win() {
    let lab = Lab::new()
        .file("[api]\nport = 1\nmax_limit = 1\nport = 2\nhost_ip = ::1\n")
        .file("[api]\nport = 3\n");
    assert_eq!(*lab.load().api.port, 3);
    let lab = lab.env("CORTEN_API__PORT", "4");
    assert_eq!(*lab.load().api.port, 4);
    let lab = lab.set("api.port=5").set("api.port = 6");
    let config = lab.load();
    assert_eq!(*config.api.port, 6);
    assert_eq!(*config.api.max_limit, 1);
    assert_eq!(config.api.host_ip.as_str(), "::1");
    assert!(config.has_files());
    assert_eq!(config.api.port.source().to_string(), "--set api.port");
    assert_eq!(
        lab.relative(&config.api.max_limit.source().to_string()),
        "0.conf:3"
    );
}

#[test]
fn a_value_that_equals_the_default_is_still_set() {
    let config = Lab::new().file("[api]\nport = 6385\n").load();
    assert!(config.api.port.is_set());
}

#[test]
fn the_environment_is_upper_case_and_may_hold_other_things() {
    let lab = Lab::new()
        .env("CORTEN_DEFAULT__HOST", "c1")
        .env("CORTEN_OSLO_MESSAGING_RABBIT__SSL", "1")
        .env("CORTEN_LOG", "debug")
        .env("CORTEN___X", "1")
        .env("API__PORT", "1");
    let config = lab.load();
    assert_eq!(config.default.host.as_str(), "c1");
    assert!(*config.oslo_messaging_rabbit.ssl);
    assert_eq!(
        config.default.host.source().to_string(),
        "environment variable CORTEN_DEFAULT__HOST"
    );
    assert!(lab.warnings().is_empty());
}

#[cfg(unix)]
#[test]
fn only_our_own_variables_must_be_text() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt};
    let bytes = || OsString::from_vec(vec![0xff]);
    let mut lab = Lab::new();
    lab.sources.env.push(("LS_COLORS".into(), bytes()));
    lab.sources.env.push((bytes(), bytes()));
    lab.load();
    lab.sources.env.push(("CORTEN_API__PORT".into(), bytes()));
    assert_eq!(
        lab.error(),
        "environment variable CORTEN_API__PORT does not hold UTF-8 text"
    );
}

#[test]
fn repeated_options_accumulate_over_files_but_not_over_layers() {
    let lab = Lab::new()
        .file("[ipmi]\nadditional_retryable_ipmi_errors = a\nadditional_retryable_ipmi_errors = b, c\n")
        .file("[ipmi]\nadditional_retryable_ipmi_errors = d\n");
    let errors = |lab: &Lab| lab.load().ipmi.additional_retryable_ipmi_errors.to_vec();
    assert_eq!(errors(&lab), ["a", "b, c", "d"]);
    let lab = lab
        .set("ipmi.additional_retryable_ipmi_errors=x")
        .set("ipmi.additional_retryable_ipmi_errors=y");
    assert_eq!(errors(&lab), ["x", "y"]);
}

#[test]
fn what_is_overridden_is_not_looked_at() {
    let config = Lab::new()
        .file("[api]\npublic_endpoint = $nope\npublic_endpoint = http://h\n")
        .load();
    assert_eq!(
        config.api.public_endpoint.as_ref().unwrap().as_str(),
        "http://h"
    );
    let config = Lab::new()
        .file("[api]\nport = x\n")
        .set("api.port=1")
        .load();
    assert_eq!(*config.api.port, 1);
}

#[test]
fn repeated_pairs_are_checked_one_by_one() {
    let text = "[conductor]\nclean_step_priority_override = deploy.erase_devices:0\n\
                clean_step_priority_override = raid.apply:10,bios.reset:20\n";
    let config = Lab::new().file(text).load();
    let overrides = &config.conductor.clean_step_priority_override;
    assert_eq!(overrides.len(), 2);
    assert_eq!(overrides[1]["bios.reset"], 20);
    let text = "[conductor]\nclean_step_priority_override = a.b:first\n\
                clean_step_priority_override = a.b:1\n";
    assert_eq!(
        Lab::new().file(text).error(),
        "0.conf:2: [conductor] clean_step_priority_override = a.b:first: expected a whole number"
    );
}

#[test]
fn sections_are_compared_without_case_except_the_default_one() {
    let lab = Lab::new().file("[API]\nport = 1\n[default]\nhost = x\n");
    assert_eq!(*lab.load().api.port, 1);
    assert_eq!(lab.load().default.host.as_str(), "localhost");
    assert_eq!(
        lab.warnings(),
        [
            "0.conf:4: the options of the unknown section [default] are ignored; did you mean [DEFAULT]?"
        ]
    );
}

#[test]
fn facts_about_the_machine_are_defaults() {
    let mut lab = Lab::new();
    lab.sources.machine = Machine {
        host: "c$1".into(),
        address: "192.0.2.7".parse().unwrap(),
        temp_dir: "/t".into(),
    };
    let config = lab.load();
    assert_eq!(config.default.host.as_str(), "c$1");
    assert_eq!(config.pxe.tftp_server.as_str(), "192.0.2.7");
    assert_eq!(
        config.vnc.container_publish_port.as_str(),
        "192.0.2.7::5900"
    );
    assert_eq!(config.default.tempdir.as_path(), Path::new("/t"));
    assert!(!config.default.host.is_set());
    let config = lab.set("DEFAULT.my_ip=192.0.2.8").load();
    assert_eq!(config.console.socat_address.to_string(), "192.0.2.8");
}

#[test]
fn data_dir_moves_what_lies_in_it() {
    let config = Lab::new().set("corten.data_dir=/srv/c").load();
    assert_eq!(
        config.database.connection.expose(),
        "sqlite:////srv/c/ironic.sqlite"
    );
    assert_eq!(config.default.state_path.as_path(), Path::new("/srv/c"));
}

#[test]
fn every_bad_value_is_named_with_its_place() {
    let lab = Lab::new()
        .file("[api]\nport = 99999\n\n[DEFAULT]\nauth_strategy = none\n")
        .env("CORTEN_API__MAX_JSON_BODY_DEPTH", "7")
        .set("deploy.fast_track=maybe");
    assert_eq!(
        lab.error(),
        "0.conf:5: [DEFAULT] auth_strategy = none: expected one of noauth, keystone, http_basic, local\n\
         0.conf:2: [api] port = 99999: must be at most 65535\n\
         environment variable CORTEN_API__MAX_JSON_BODY_DEPTH: [api] max_json_body_depth = 7: \
         must be at least 8\n\
         --set deploy.fast_track: [deploy] fast_track = maybe: \
         expected true or false (also 1/0, yes/no, on/off)"
    );
    let Err(ConfigError::Invalid(InvalidOptions(options))) = lab.try_load() else {
        panic!("expected bad values")
    };
    assert_eq!((options[1].section, options[1].option), ("api", "port"));
    assert_eq!(options[1].reason, Reason::AtMost("65535".into()));
}

#[test]
fn a_default_is_not_blamed_for_what_it_refers_to() {
    let refused = Lab::new().set("DEFAULT.my_ip=host").error();
    assert_eq!(
        refused,
        "--set DEFAULT.my_ip: [DEFAULT] my_ip = host: expected an IP address"
    );
}

#[test]
fn errors_do_not_tell_secrets() {
    let refused = Lab::new()
        .file("[database]\nconnection = mysql://u:pa$word@db/x\n")
        .error();
    assert_eq!(
        refused,
        "0.conf:2: [database] connection = mysql://******@db/x: \
         $word names no option; write $$ for a dollar sign"
    );
    assert_eq!(
        Lab::new().set("password=hunter2").error(),
        "--set password: expected section.option=value"
    );
}

#[test]
fn unreadable_files_are_named() {
    let mut lab = Lab::new();
    lab.sources.files.push(lab.dir.path().join("missing.conf"));
    let refused = lab.try_load().unwrap_err();
    assert_eq!(
        lab.relative(&refused.to_string()),
        "cannot read the configuration file missing.conf"
    );
    assert!(std::error::Error::source(&refused).is_some());
    let refused = Lab::new().file(b"[api]\n\nport = \xff\n").error();
    assert_eq!(refused, "0.conf:3: the line is not UTF-8 text");
    let refused = Lab::new().file("[api]\nport\n").error();
    assert_eq!(
        refused,
        "0.conf:2: expected 'option = value', found neither '=' nor ':'"
    );
}

#[test]
fn malformed_flags_are_refused() {
    for flag in ["port", "port=1", ".port=1", "api.=1", "=1", "api.port"] {
        let refused = Lab::new().set(flag).try_load().unwrap_err();
        assert!(
            matches!(refused, ConfigError::Flag { .. }),
            "{flag}: {refused}"
        );
    }
}

#[test]
fn an_empty_value_unsets() {
    let config = Lab::new().set("DEFAULT.default_storage_interface=").load();
    assert_eq!(*config.default.default_storage_interface, None);
    assert!(config.default.default_storage_interface.is_set());
}

#[test]
fn lists_are_of_their_type() {
    let config = Lab::new()
        .set("api.disallowed_enrollment_boot_modes=bios, uefi")
        .load();
    assert_eq!(
        *config.api.disallowed_enrollment_boot_modes,
        [BootMode::Bios, BootMode::Uefi]
    );
    let refused = Lab::new().set("console.port_range=1:2,3").error();
    assert!(
        refused.ends_with("expected a range of ports such as 10000:20000"),
        "{refused}"
    );
}

#[test]
fn misspelt_names_are_warned_about() {
    let lab = Lab::new()
        .file("[api]\nprot = 1\nhostip = ::\nworkers_pool_size = 9\nfoo = 1\n")
        .env("CORTEN_IPMI__DEBGU", "1")
        .set("conducter.automated_clean=false")
        .set("conducter.node_history=false");
    assert_eq!(
        lab.warnings(),
        [
            "0.conf:2: unknown option 'prot' in section [api] is ignored; did you mean 'port'?",
            "0.conf:3: unknown option 'hostip' in section [api] is ignored; did you mean 'host_ip'?",
            "0.conf:4: unknown option 'workers_pool_size' in section [api] is ignored; \
             it belongs in section [conductor]",
            "0.conf:5: unknown option 'foo' in section [api] is ignored",
            "environment variable CORTEN_IPMI__DEBGU: unknown option 'debgu' in section [ipmi] \
             is ignored; did you mean 'debug'?",
            "--set conducter.automated_clean: the options of the unknown section [conducter] \
             are ignored; did you mean [conductor]?",
        ]
    );
}

#[test]
fn options_of_libraries_are_named_with_the_reason_unless_they_ask_for_what_happens_anyway() {
    let lab = Lab::new().file(
        "[DEFAULT]\nlog_dir = /var/log\nuse_stderr = true\nuse_syslog = False\n\
         [oslo_messaging_rabbit]\nssl = true\nrabbit_retry_interval = 1.0\n\
         [cors]\nallowed_origin = *\n[neutron]\nauth_url = http://x\npasscode = p\n\
         auth_section = mine\n[mine]\nusername = u\n[database]\nmax_retries = -1\n\
         [swift]\nregion_name = r\n[profiler]\nenabled = true\n[inspector]\npassword = hunter2\n",
    );
    let warnings = lab.warnings();
    for (warning, named) in warnings.iter().zip([
        "0.conf:2: [DEFAULT] log_dir has no effect: the log goes to standard error",
        "0.conf:12: [neutron] passcode has no effect: only ways to log in that are not there",
        "0.conf:17: [database] max_retries has no effect: connections to the database",
        "0.conf:21: [profiler] enabled has no effect: traces are sent",
        "0.conf:23: [inspector] password has no effect: inspection is part of this service",
    ]) {
        assert!(warning.starts_with(named), "{warning}");
    }
    assert_eq!(warnings.len(), 5, "{warnings:?}");
    assert!(!warnings.iter().any(|warning| warning.contains("hunter2")));
}

#[test]
fn misspelt_options_of_libraries_are_unknown() {
    let lab = Lab::new().file(
        "[DEFAULT]\nlog_fiel = /x\n[keystone_authtoken]\nendpoint_override = http://x\n\
         [neutron]\nadd_all_prots = 1\n[pxe]\nauth_url = http://x\n\
         [oslo_messaging_rabbit]\nrabbit_retry_intervall = 3\n",
    );
    assert_eq!(
        lab.warnings(),
        [
            "0.conf:2: unknown option 'log_fiel' in section [DEFAULT] is ignored; \
             did you mean 'log_file'?",
            "0.conf:4: unknown option 'endpoint_override' in section [keystone_authtoken] is \
             ignored",
            "0.conf:6: unknown option 'add_all_prots' in section [neutron] is ignored; \
             did you mean 'add_all_ports'?",
            "0.conf:8: unknown option 'auth_url' in section [pxe] is ignored",
            "0.conf:10: unknown option 'rabbit_retry_intervall' in section \
             [oslo_messaging_rabbit] is ignored; did you mean 'rabbit_retry_interval'?",
        ]
    );
}

#[test]
fn former_names_still_work() {
    let lab = Lab::new().file("[api]\ntls_minimum_version = 1.2\n");
    assert_eq!(*lab.load().api.server_tls_minimum_version, TlsVersion::V1_2);
    assert_eq!(
        lab.warnings(),
        [
            "0.conf:2: option 'tls_minimum_version' in section [api] is now called \
          'server_tls_minimum_version' in section [api]"
        ]
    );
    let lab =
        Lab::new().file("[api]\nserver_tls_minimum_version = 1.3\ntls_minimum_version = 1.2\n");
    assert_eq!(*lab.load().api.server_tls_minimum_version, TlsVersion::V1_3);
    let lab = lab.file("[api]\ntls_minimum_version = 1.2\n");
    assert_eq!(*lab.load().api.server_tls_minimum_version, TlsVersion::V1_2);
}

#[test]
fn a_listing_shows_sources_and_hides_secrets() {
    let lab = Lab::new()
        .file("[database]\nconnection = mysql://u:hunter2@db/x\n[api]\nport = 1\n")
        .set("deploy.image_server_password=hunter2")
        .set("deploy.http_url=http://u:hunter2@h/")
        .set("DEFAULT.default_storage_interface=")
        .set("ipmi.additional_retryable_ipmi_errors=a$$b")
        .set("ipmi.additional_retryable_ipmi_errors= c ");
    let config = lab.load();
    assert_eq!(
        lab.relative(&config.to_ini(Shown::Set)),
        "[DEFAULT]\n\
         # --set DEFAULT.default_storage_interface\n# default_storage_interface is not set\n\n\
         [api]\n# 0.conf:4\nport = 1\n\n\
         [database]\n# 0.conf:2\n# connection = mysql://******@db/x\n\n\
         [deploy]\n# --set deploy.http_url\n# http_url = http://******@h/\n\
         # --set deploy.image_server_password\n# image_server_password = ******\n\n\
         [ipmi]\n# --set ipmi.additional_retryable_ipmi_errors\n\
         # has no effect: IPMI is spoken by this process and not by ipmitool\n\
         additional_retryable_ipmi_errors = a$$b\nadditional_retryable_ipmi_errors = c\n"
    );
    assert!(
        config
            .to_ini(Shown::All)
            .contains("\n# default\nmax_limit = 1000\n")
    );
    assert!(!format!("{config:?}").contains("hunter2"));
}

/// The texts of all options, but for those that are masked and so cannot be read back.
fn texts(config: &Config) -> Vec<Vec<String>> {
    config
        .rows()
        .into_iter()
        .filter(|row| !row.is_masked)
        .map(|row| row.texts)
        .collect()
}

#[test]
fn a_listing_of_defaults_reads_back() {
    let config = Lab::new().load();
    let listing = Lab::new().file(config.to_ini(Shown::All));
    assert_eq!(listing.warnings(), Vec::<String>::new());
    assert_eq!(texts(&listing.load()), texts(&config));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_file_makes_it_panic(
        name in prop::sample::select(vec!["host", "port", "my_ip", "api", "params"]),
        text in "[\\[\\]=:#; \t\n\"'${}.,\\\\a-d0é]{0,60}",
    ) {
        Lab::new().file(format!("[api]\n{name} = {text}\n[mdns]\n{text}")).try_load().ok();
    }

    #[test]
    fn a_rendered_configuration_reads_back(
        host in "[ -\\[\\]-~é]{0,12}(\n[!-\\[\\]-~]{1,6})?",
        port in any::<u16>(),
        limit in any::<i64>(),
        growth in 1.0..1e9_f64,
        types in prop::collection::vec("[ -&(-\\[\\]-~]{0,8}", 0..4),
        params in prop::collection::btree_map("[a-z]{1,4}", "[ -!#-\\[\\]-~]{0,8}", 0..4),
        errors in prop::collection::vec("[!-\\[\\]-~]{1,8}", 0..3),
        clean in any::<bool>(),
    ) {
        // With a file on both sides: without one some defaults are others.
        let mut lab = Lab::new()
            .file("")
            .set(&format!("api.port={port}"))
            .set(&format!("api.max_limit={limit}"))
            .set(&format!("DEFAULT.raw_image_growth_factor={growth}"))
            .set(&format!("conductor.automated_clean={clean}"));
        let dollars = |text: &str| text.replace('$', "$$");
        lab = lab.set(&format!("DEFAULT.host={}", dollars(&host)));
        lab = lab.set(&format!("DEFAULT.enabled_hardware_types={}", dollars(&types.texts()[0])));
        lab = lab.set(&format!("mdns.params={}", dollars(&params.texts()[0])));
        for error in &errors {
            lab = lab.set(&format!("ipmi.additional_retryable_ipmi_errors={}", dollars(error)));
        }
        let config = lab.load();
        prop_assert_eq!(&*config.default.enabled_hardware_types, &types);
        prop_assert_eq!(&*config.mdns.params, &params);
        for shown in [Shown::Set, Shown::All] {
            let again = Lab::new().file(config.to_ini(shown)).load();
            prop_assert_eq!(texts(&again), texts(&config));
        }
    }
}

#[test]
fn every_stop_is_told_at_once_and_without_secrets() {
    let lab = Lab::new()
        .file("[json_rpc]\nunix_socket = /s\n[api]\nmiddleware = http://u:hunter2@h/\n")
        .set("cifs.password=hunter2");
    let refused = lab.relative(&lab.load().check_served().unwrap_err().to_string());
    assert!(
        refused.contains("0.conf:2: [json_rpc] unix_socket = /s: "),
        "{refused}"
    );
    assert!(
        refused.contains("0.conf:4: [api] middleware = "),
        "{refused}"
    );
    assert!(!refused.contains("hunter2"), "{refused}");
    assert!(!lab.warnings().concat().contains("hunter2"));
}

#[test]
fn a_listing_shows_marks() {
    let listing = Lab::new()
        .set("api.api_workers=2")
        .load()
        .to_ini(Shown::Set);
    let expected = "[api]\n# --set api.api_workers\n# has no effect: one process ";
    assert!(listing.starts_with(expected), "{listing}");
}
