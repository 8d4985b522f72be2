//! The options of deployment by playbooks.

use config::Config;
use drivers::ansible::AnsibleSettings;
use std::env;

pub(super) fn ansible(config: &Config) -> AnsibleSettings {
    let options = &config.ansible;
    let debug = *config.default.debug;
    let verbosity = options.verbosity.unwrap_or(if debug { 4 } else { 0 });
    let verbosity = u8::try_from(verbosity).unwrap_or(4);
    let extra = options.ansible_extra_args.as_deref().unwrap_or_default();
    let certificate = (*options.image_store_certfile).clone();
    AnsibleSettings {
        program: options.ansible_playbook_script.to_string(),
        launcher: env::current_exe().ok(),
        extra_args: words(extra),
        verbosity,
        folder: (*options.playbooks_path).clone(),
        allowed: config.corten.ansible_playbooks_paths.to_vec(),
        state: config.corten.data_dir.join("ansible"),
        config_file: (*options.config_file_path).clone(),
        deploy_playbook: options.default_deploy_playbook.to_string(),
        shutdown_playbook: options.default_shutdown_playbook.to_string(),
        clean_playbook: options.default_clean_playbook.to_string(),
        clean_steps: options.default_clean_steps_config.to_string(),
        user: options.default_username.to_string(),
        key_file: (*options.default_key_file).clone(),
        key_folders: config.corten.ansible_key_paths.to_vec(),
        python: (*options.default_python_interpreter).clone(),
        power_off_looks: *options.post_deploy_get_power_state_retries,
        power_off_pause: options
            .post_deploy_get_power_state_retry_interval
            .duration(),
        extra_memory: u64::from(*options.extra_memory),
        image_insecure: *options.image_store_insecure,
        image_cafile: (*options.image_store_cafile).clone(),
        image_certificate: certificate.zip((*options.image_store_keyfile).clone()),
        image_tls_minimum: Some(
            config
                .default
                .webserver_tls_minimum_version
                .as_str()
                .to_owned(),
        ),
        image_tls_ciphers: (*config.default.webserver_tls_ciphers).clone(),
        silence: super::conductor::silence(config),
        ..AnsibleSettings::default()
    }
}

/// Splits arguments at spaces outside of quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::{super::tests::filed, *};

    #[test]
    fn options_reach_their_settings() {
        let settings = ansible(&filed(
            "[ansible]\nansible_playbook_script = /opt/ap\nansible_extra_args = --timeout=9 -e 'a b'\n\
             verbosity = 2\nplaybooks_path = /p\nconfig_file_path = /a.cfg\nextra_memory = 20\n\
             image_store_certfile = /c\nimage_store_keyfile = /k\ndefault_username = u\n\
             default_key_file = /key\npost_deploy_get_power_state_retries = 1\n\
             [corten]\ndata_dir = /d\nansible_playbooks_paths = /q,/r\n\
             ansible_key_paths = /keys\n[conductor]\nheartbeat_timeout = 40\n",
        ));
        assert_eq!(settings.program, "/opt/ap");
        assert_eq!(settings.extra_args, ["--timeout=9", "-e", "a b"]);
        assert_eq!((settings.verbosity, settings.extra_memory), (2, 20));
        assert_eq!(settings.folder, Some("/p".into()));
        assert_eq!(settings.config_file, Some("/a.cfg".into()));
        assert_eq!(settings.allowed.len(), 2);
        assert_eq!(settings.key_folders, [std::path::Path::new("/keys")]);
        assert_eq!(settings.state, std::path::Path::new("/d/ansible"));
        assert_eq!(settings.image_certificate, Some(("/c".into(), "/k".into())));
        assert_eq!(settings.key_file, Some("/key".into()));
        assert_eq!(settings.power_off_looks, 1);
        assert_eq!(settings.silence.as_secs(), 40);
        let debug = ansible(&filed("[DEFAULT]\ndebug = true\n"));
        assert_eq!((debug.verbosity, debug.config_file), (4, None));
    }

    #[test]
    fn arguments_are_split_as_a_shell_does() {
        assert_eq!(words("a  'b c'd \"\" "), ["a", "b cd", ""]);
        assert!(words(" ").is_empty());
    }
}
