//! The policy: built-in rules, and what the operator's files override.
//!
//! Rules matter only where callers are known with their roles: to Keystone, or as local users. With
//! `noauth` and `http_basic` everybody who gets in may do everything, but what the rules say about secrets counts there too.
//! Files are read once; a change needs a restart.

#![expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]

use ::api::policy::{Policy, PolicyError, PolicyOptions};
use config::{Config, Source, choice::AuthStrategy};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// There are no rules to go by.
#[derive(Debug, thiserror::Error)]
pub enum PolicyFileError {
    #[error("{place}: [oslo_policy]policy_file: file not found: {}", path.display())]
    Missing { place: Source, path: PathBuf },
    #[error("{place}: [oslo_policy]policy_dirs: cannot read the folder {}", path.display())]
    Folder {
        place: Source,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

/// The rules in force. What is odd about them ([`Policy::warnings`]) is for the caller to say.
pub fn policy(config: &Config) -> Result<Policy, PolicyFileError> {
    let files = files(config)?;
    let general = &config.default;
    let elevated = *general.rbac_service_role_elevated_access;
    let options = PolicyOptions {
        enforce_new_defaults: *config.oslo_policy.enforce_new_defaults,
        default_rule: config.oslo_policy.policy_default_rule.to_string(),
        service_project: elevated.then(|| general.rbac_service_project_name.to_string()),
    };
    let policy = Policy::load(files.iter().map(PathBuf::as_path), &options)?;
    let strategy = &general.auth_strategy;
    let alone = !config.has_files() && !strategy.is_set();
    let has_roles = matches!(**strategy, AuthStrategy::Keystone | AuthStrategy::Local);
    let verified = !alone && has_roles;
    Ok(if verified { policy } else { policy.opened() })
}

/// The files to read, of which later ones win.
fn files(config: &Config) -> Result<Vec<PathBuf>, PolicyFileError> {
    let options = &config.oslo_policy;
    let mut files: Vec<PathBuf> = policy_file(config)?.into_iter().collect();
    let place = options.policy_dirs.source();
    for folder in options.policy_dirs.iter() {
        let folder = beside(config, folder);
        files.extend(files_in(&folder).map_err(|source| PolicyFileError::Folder {
            place: place.clone(),
            path: folder,
            source,
        })?);
    }
    Ok(files)
}

/// The policy file. It is optional, but a file that was configured must exist.
fn policy_file(config: &Config) -> Result<Option<PathBuf>, PolicyFileError> {
    let option = &config.oslo_policy.policy_file;
    let path = beside(config, option);
    if path.is_file() {
        return Ok(Some(path));
    }
    if option.is_set() {
        return Err(PolicyFileError::Missing {
            place: option.source().clone(),
            path,
        });
    }
    // The default was once a file of JSON, and such files are still in use.
    let former = path.with_extension("json");
    Ok(former.is_file().then_some(former))
}

/// The visible files of a folder in the order of their names; none if there is no such folder.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !hidden && entry.path().is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// A path as the configuration means it: beside the file that counts most, or, without one, where
/// the program was started.
fn beside(config: &Config, path: &Path) -> PathBuf {
    let folder = config.files().last().and_then(|file| file.parent());
    match folder {
        Some(folder) => folder.join(path),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::api::policy::{Credentials, Roles, Rule, Target};
    use config::Sources;

    /// A folder with these files, and the configuration of its `corten.conf`.
    fn lab(files: &[(&str, &str)]) -> (tempfile::TempDir, Config) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let sources = Sources {
            files: vec![folder.path().join("corten.conf")],
            ..Sources::default()
        };
        let config = Config::load(sources).unwrap().0;
        (folder, config)
    }

    fn allows(policy: &Policy, rule: Rule) -> bool {
        let caller = Credentials {
            roles: Roles::listed(["reader"]),
            project_id: Some("p".into()),
            ..Credentials::default()
        };
        policy.allows(rule, &caller, &Target::NONE)
    }

    #[test]
    fn without_a_file_the_defaults_count() {
        let (_folder, config) = lab(&[("corten.conf", "")]);
        let policy = policy(&config).unwrap();
        assert!(!policy.is_open());
        assert!(allows(&policy, Rule::NodeList) && !allows(&policy, Rule::NodeListAll));
    }

    #[test]
    fn files_are_found_beside_the_configuration_and_later_ones_win() {
        let (_folder, config) = lab(&[
            ("corten.conf", ""),
            (
                "policy.yaml",
                "\"baremetal:node:list\": \"!\"\n\"baremetal:shards:get\": \"@\"\n\
                 \"baremetal:conductor:get\": \"@\"\n",
            ),
            ("policy.d/10.yaml", "\"baremetal:node:list\": \"@\"\n"),
            ("policy.d/20.json", "{\"baremetal:conductor:get\": \"!\"}"),
            ("policy.d/.swp", "not a policy"),
        ]);
        let policy = policy(&config).unwrap();
        assert!(allows(&policy, Rule::NodeList));
        assert!(allows(&policy, Rule::ShardsGet));
        assert!(!allows(&policy, Rule::ConductorGet));
    }

    #[test]
    fn the_former_default_is_still_read() {
        let (_folder, config) = lab(&[
            ("corten.conf", ""),
            ("policy.json", "{\"baremetal:shards:get\": \"@\"}"),
        ]);
        assert!(allows(&policy(&config).unwrap(), Rule::ShardsGet));
    }

    #[test]
    fn a_file_that_was_asked_for_must_be_there_and_make_sense() {
        let (_folder, config) = lab(&[("corten.conf", "[oslo_policy]\npolicy_file = mine.yaml\n")]);
        let refused = policy(&config).unwrap_err().to_string();
        assert!(
            refused.contains("corten.conf:2: [oslo_policy]policy_file"),
            "{refused}"
        );
        assert!(refused.ends_with("/mine.yaml"), "{refused}");
        let (_folder, config) = lab(&[("corten.conf", ""), ("policy.yaml", "a: role:x or\n")]);
        let refused = policy(&config).unwrap_err();
        assert!(matches!(refused, PolicyFileError::Policy(_)), "{refused}");
    }

    #[test]
    fn where_nobody_is_verified_everything_but_secrets_is_open() {
        let (_folder, config) = lab(&[
            ("corten.conf", "[DEFAULT]\nauth_strategy = noauth\n"),
            ("policy.yaml", "\"baremetal:node:list\": \"!\"\n"),
        ]);
        let policy = policy(&config).unwrap();
        assert!(policy.is_open() && allows(&policy, Rule::NodeList));
        assert!(!allows(&policy, Rule::ShowPassword));
    }

    #[test]
    fn options_reach_the_rules() {
        let text = "[DEFAULT]\nrbac_service_role_elevated_access = true\n\
            rbac_service_project_name = infra\n[oslo_policy]\nenforce_new_defaults = false\n";
        let (_folder, config) = lab(&[("corten.conf", text)]);
        let policy = policy(&config).unwrap();
        let caller = |role: &str, name: &str| Credentials {
            roles: Roles::listed([role]),
            project_id: Some("p".into()),
            project_name: Some(name.into()),
            ..Credentials::default()
        };
        let lists = |caller| policy.allows(Rule::NodeListAll, &caller, &Target::NONE);
        assert!(lists(caller("service", "infra")));
        assert!(!lists(caller("service", "service")));
        assert!(
            lists(caller("admin", "any")),
            "what was allowed before scopes"
        );
    }
}
