//! Every row of the option tables does what its mark says.
//!
//! Whether an option that acts does the right thing is a matter for the tests of the part that it
//! is for. Here it is enough that a value is read when the service starts: a row that somebody adds,
//! marks as acting and forgets fails.

use crate::{
    serve::{Plan, Role},
    settings,
};
use config::{
    Config, ConfigError, Definition, Mark, Shown, Sources, ValueKind, Warning, definitions,
};
use std::{collections::BTreeSet, fs};
use tempfile::TempDir;

/// What a file needs besides to start by.
const SMALLEST: &str = "[DEFAULT]\nauth_strategy = noauth\nenabled_hardware_types = fake-hardware\n\
    enabled_boot_interfaces = fake\nenabled_deploy_interfaces = fake\n";

/// Writes a file and loads it, with flags on top.
struct Lab {
    dir: TempDir,
    sources: Sources,
}

impl Lab {
    /// No file.
    fn new() -> Self {
        Self {
            dir: TempDir::new().unwrap(),
            sources: Sources::default(),
        }
    }

    fn file(text: &str) -> Self {
        let mut lab = Self::new();
        let path = lab.dir.path().join("0.conf");
        fs::write(&path, text).unwrap();
        lab.sources.files.push(path);
        lab
    }

    fn try_load(&self) -> Result<(Config, Vec<Warning>), ConfigError> {
        Config::load(self.sources.clone())
    }

    fn load(&self) -> Config {
        self.try_load().unwrap().0
    }

    /// Warnings with the folder's name taken out.
    fn warnings(&self) -> Vec<String> {
        let (_, warnings) = self.try_load().unwrap();
        let texts = warnings.iter().map(|warning| warning.to_string());
        texts.map(|text| self.relative(&text)).collect()
    }

    fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.dir.path().display()), "")
    }
}

/// Texts of which one at least is good for an option of this kind, and not its default.
fn candidates(kind: &ValueKind) -> Vec<String> {
    let texts: &[&str] = match kind {
        ValueKind::Text | ValueKind::Secret => &["x"],
        ValueKind::SecretUrl => &["rabbit://h"],
        ValueKind::Path => &["/x"],
        ValueKind::VerifyCa => &["/x.pem"],
        ValueKind::Boolean => &["true", "false"],
        ValueKind::Integer | ValueKind::Number | ValueKind::Seconds | ValueKind::Port => {
            &["7", "61", "3"]
        }
        ValueKind::Octal => &["0600"],
        ValueKind::PortRange => &["1000:2000"],
        ValueKind::IpAddress => &["192.0.2.9"],
        ValueKind::HostAddress => &["h.example.org"],
        ValueKind::Url => &["http://h.example.org"],
        ValueKind::Choice(names) => names,
        ValueKind::Optional(inner) | ValueKind::List(inner) | ValueKind::Repeated(inner) => {
            return candidates(inner);
        }
        ValueKind::Pairs(inner) => {
            let values = candidates(inner);
            return values.iter().map(|value| format!("a:{value}")).collect();
        }
    };
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn texts_of(config: &Config, definition: &Definition) -> Vec<String> {
    let mut rows = config.rows().into_iter();
    let row = rows.find(|row| {
        (row.definition.section, row.definition.name) == (definition.section, definition.name)
    });
    row.unwrap().texts
}

/// A file that sets one option, in its second line, to something other than its default.
fn changed(definition: &Definition) -> Lab {
    let default = Lab::new().load();
    let Definition { section, name, .. } = definition;
    for text in candidates(&definition.kind) {
        let lab = Lab::file(&format!("[{section}]\n{name} = {text}\n{SMALLEST}"));
        let Ok((config, _)) = lab.try_load() else {
            continue;
        };
        if texts_of(&config, definition) != texts_of(&default, definition) {
            return lab;
        }
    }
    panic!("no candidate is good for [{section}] {name}");
}

/// Starts as far as everything is known to be sound.
fn start(lab: &Lab) -> Result<Vec<String>, String> {
    match Plan::new(&lab.load(), Role::All) {
        Ok(_) => Ok(lab.warnings()),
        Err(error) => Err(lab.relative(&format!("{error:#}"))),
    }
}

#[test]
fn options_without_effect_are_told_once_with_place_and_reason() {
    for definition in definitions() {
        let Mark::Warns(reason) = definition.mark else {
            continue;
        };
        let Definition { section, name, .. } = definition;
        assert_eq!(
            start(&changed(definition)),
            Ok(vec![format!(
                "0.conf:2: [{section}] {name} has no effect: {reason}"
            )])
        );
    }
}

#[test]
fn options_that_promise_what_is_not_there_stop_the_start() {
    for definition in definitions() {
        let Mark::Stops(reason) = definition.mark else {
            continue;
        };
        let Definition { section, name, .. } = definition;
        let lab = changed(definition);
        let texts = texts_of(&lab.load(), definition).join(", ");
        assert_eq!(
            start(&lab),
            Err(format!("0.conf:2: [{section}] {name} = {texts}: {reason}"))
        );
    }
}

#[test]
fn options_that_act_are_not_remarked_upon() {
    for definition in definitions().filter(|definition| definition.mark == Mark::Acts) {
        let lab = changed(definition);
        assert_eq!(lab.warnings(), Vec::<String>::new());
        assert!(lab.load().check_served().is_ok(), "{definition:?}");
    }
}

#[test]
fn a_default_that_is_written_out_is_not_remarked_upon() {
    for definition in definitions() {
        let Definition {
            section,
            name,
            default,
            ..
        } = definition;
        let text = default.unwrap_or_default();
        let lab = Lab::file(&format!("[{section}]\n{name} = {text}\n{SMALLEST}"));
        assert_eq!(lab.warnings(), Vec::<String>::new());
        assert!(lab.load().check_served().is_ok(), "{definition:?}");
    }
}

/// Options that act only by being referred to (`$name`).
const REFERRED_TO: &[(&str, &str)] = &[
    ("DEFAULT", "pybasedir"),
    ("DEFAULT", "bindir"),
    ("DEFAULT", "state_path"),
    ("DEFAULT", "tempdir"),
    ("inspector", "default_hooks"),
    ("redfish", "default_inspection_hooks"),
];

/// Options that are read before anything is planned, by `logging::start`.
const READ_BEFORE: &[(&str, &str)] = &[("DEFAULT", "use_json"), ("corten", "log_format")];

/// Whole configurations, which together need every option that acts: each of them on top of a file
/// that writes out all defaults, because some options count only where they are written, and on top
/// of an empty one.
const CONFIGURATIONS: &[&[&str]] = &[
    // Everything that is switched on by another option.
    &[
        "DEFAULT.auth_strategy=http_basic",
        "DEFAULT.notification_level=info",
        "DEFAULT.enabled_management_interfaces=fake",
        "DEFAULT.enabled_power_interfaces=fake",
        "DEFAULT.rbac_service_role_elevated_access=true",
        "api.enable_ssl_api=true",
        "api.cert_file=/c",
        "api.key_file=/k",
        "corten.cluster_secret=0123456789abcdef",
        "corten.cluster_ca_file=/ca",
        "corten.dns_update_server=10.0.0.53",
        "corten.dns_update_zone=example.org",
        "corten.dns_update_key_name=corten",
        "corten.dns_update_key=c2VjcmV0",
        "corten.dhcp=server",
        "corten.dhcp_networks=10.0.0.0/24 interface=x",
        "corten.otlp_endpoint=http://h",
        "corten.console_log_dir=/l",
        "json_rpc.use_ssl=true",
        "json_rpc.cert_file=/c",
        "json_rpc.key_file=/k",
        "database.connection=postgresql://u:p@h/d",
        "deploy.configdrive_use_object_store=true",
        "deploy.http_url=http://h",
        "deploy.image_server_auth_strategy=http_basic",
        "deploy.image_server_user=u",
        "deploy.image_server_password=p",
        "dhcp.dhcp_provider=dnsmasq",
        "healthcheck.enabled=true",
        "agent.deploy_logs_storage_backend=swift",
        "inventory.data_backend=swift",
        "redfish.use_swift=true",
        "metrics.backend=statsd",
        "metrics.prepend_host=true",
        "oslo_messaging_notifications.driver=messagingv2",
        "oslo_messaging_notifications.transport_url=rabbit://h",
        "oslo_messaging_rabbit.ssl=true",
        "sensor_data.send_sensor_data=true",
    ],
    // A socket, certificates in the other place, the other bus, a cluster without TLS.
    &[
        "DEFAULT.auth_strategy=noauth",
        "DEFAULT.notification_level=info",
        "api.unix_socket=/s",
        "healthcheck.backends=disable_by_file,disable_by_files_ports",
        "api.enable_ssl_api=true",
        "corten.cluster_secret=0123456789abcdef",
        "database.connection=postgresql://u:p@h/d",
        "oslo_messaging_notifications.driver=messagingv2",
    ],
    &[
        "DEFAULT.auth_strategy=noauth",
        "healthcheck.backends=enable_by_files",
    ],
    // A provider of OpenID Connect.
    &[
        "DEFAULT.auth_strategy=local",
        "corten.oidc_issuer=https://id",
        "corten.oidc_audience=a",
        "corten.oidc_roles=a=>admin@system",
    ],
    // The ways to log in to Keystone.
    &[
        "keystone_authtoken.auth_url=http://k",
        "keystone_authtoken.username=u",
        "keystone_authtoken.user_domain_name=d",
        "keystone_authtoken.password=p",
        "keystone_authtoken.project_name=p",
        "keystone_authtoken.default_domain_name=d",
    ],
    &[
        "keystone_authtoken.auth_url=http://k",
        "keystone_authtoken.auth_type=token",
        "keystone_authtoken.token=t",
    ],
    &[
        "keystone_authtoken.auth_url=http://k",
        "keystone_authtoken.auth_type=v3applicationcredential",
        "keystone_authtoken.application_credential_name=n",
        "keystone_authtoken.application_credential_secret=s",
        "keystone_authtoken.user_id=u",
    ],
];

/// Everything that is made of a configuration when the service starts.
fn read_all(config: &Config) {
    Plan::new(config, Role::All).ok();
    let access = settings::access(config);
    if let Ok(access) = &access {
        settings::api(config, access).ok();
    }
    settings::address(config);
    settings::limits(config);
    settings::tls(config).ok();
    settings::cluster(config).ok();
    settings::conductor(config).ok();
    settings::hardware(config).ok();
    settings::drivers_outside::driver_settings(config).ok();
    settings::boot(config).ok();
    settings::images(config).ok();
    settings::key_file(config);
    settings::metrics(config).ok();
    settings::traps(config).ok();
    settings::statsd(config);
    settings::notifications(config).ok();
    settings::policy(config).ok();
    settings::traces(config).ok();
    settings::keystone_remarks(config);
}

#[test]
fn what_acts_is_read_and_nothing_else() {
    let mut read: BTreeSet<_> = REFERRED_TO.iter().chain(READ_BEFORE).copied().collect();
    let defaults = Lab::new().load().to_ini(Shown::All);
    for sets in CONFIGURATIONS {
        for file in [defaults.as_str(), ""] {
            let mut lab = Lab::file(file);
            lab.sources.sets = sets.iter().map(|&set| set.to_owned()).collect();
            let config = lab.load();
            read_all(&config);
            read.extend(config.read_options());
        }
    }
    let acting: BTreeSet<_> = definitions()
        .filter(|definition| definition.mark == Mark::Acts)
        .map(|definition| (definition.section, definition.name))
        .collect();
    let silent: Vec<_> = acting.difference(&read).collect();
    assert!(
        silent.is_empty(),
        "marked as acting, but nothing reads them: {silent:?}"
    );
    let marked: Vec<_> = read.difference(&acting).collect();
    assert!(
        marked.is_empty(),
        "marked as doing nothing, but something reads them: {marked:?}"
    );
}
