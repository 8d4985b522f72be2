//! Drivers that are programs of vendors.
//!
//! They are asked what they have before anything is served, because the registry is made from that.

#![expect(
    clippy::disallowed_methods,
    reason = "only called before anything is served"
)]

use super::SettingsError;
use anyhow::{Context, anyhow};
use config::Config;
use drivers::{
    RegistrySettings,
    external::{self, ExternalDriver, ExternalSettings, User},
};
use std::{env, fs, thread};

const USERS: &str = "/etc/passwd";
/// Where each program has a folder, in the data folder.
const FOLDER: &str = "drivers";
/// The same for another user, who has no way into the data folder.
const FOLDER_OF_OTHERS: &str = "/var/lib/corten-drivers";

/// How programs are run.
pub(super) fn driver_settings(config: &Config) -> Result<ExternalSettings, SettingsError> {
    let options = &config.corten;
    let user = options.driver_user.as_deref().map(|name| {
        let users = fs::read_to_string(USERS).unwrap_or_default();
        user_of(&users, name).ok_or_else(|| SettingsError::DriverUser {
            place: options.driver_user.source().clone(),
            user: name.to_owned(),
        })
    });
    let user = user.transpose()?;
    let state = match (&*options.driver_state_dir, user) {
        (Some(folder), _) => folder.clone(),
        (None, Some(user)) if user.uid != rustix::process::geteuid().as_raw() => {
            FOLDER_OF_OTHERS.into()
        }
        (None, _) => options.data_dir.join(FOLDER),
    };
    Ok(ExternalSettings {
        user,
        launcher: env::current_exe().ok(),
        state,
        memory: u64::from(*options.driver_memory) << 20,
        timeout: options.driver_timeout.duration(),
        calls: usize::try_from(*options.driver_calls).unwrap_or(usize::MAX),
        outbound: super::outbound::outbound(config)?,
        ..ExternalSettings::default()
    })
}

/// The user of this name in a file like /etc/passwd.
fn user_of(users: &str, name: &str) -> Option<User> {
    let mut lines = users.lines().map(|line| line.split(':'));
    lines.find_map(|mut fields| {
        let is_meant = fields.next()? == name;
        let (uid, gid) = (fields.nth(1)?, fields.next()?);
        let user = User {
            uid: uid.parse().ok()?,
            gid: gid.parse().ok()?,
        };
        is_meant.then_some(user)
    })
}

/// The same settings with the drivers of `[corten]driver_path`.
pub(crate) fn with_drivers(
    mut hardware: RegistrySettings,
    config: &Config,
) -> anyhow::Result<RegistrySettings> {
    let Some(folder) = &*config.corten.driver_path else {
        return Ok(hardware);
    };
    let settings = driver_settings(config)?;
    hardware.external = apart(external::load(folder, &settings))?.with_context(|| {
        format!(
            "[corten]driver_path ({})",
            config.corten.driver_path.source()
        )
    })?;
    for driver in &hardware.external {
        let declaration = &driver.declaration;
        tracing::info!(
            "driver program {} is {} {}",
            driver.program(),
            declaration.name,
            declaration.version
        );
    }
    Ok(hardware)
}

/// Runs to the end on a runtime and a thread of its own: a caller may be on a runtime or not.
fn apart(
    work: impl Future<Output = Result<Vec<ExternalDriver>, external::LoadError>> + Send,
) -> anyhow::Result<Result<Vec<ExternalDriver>, external::LoadError>> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        anyhow::Ok(runtime.block_on(work))
    };
    let done = thread::scope(|scope| scope.spawn(run).join());
    done.map_err(|_| anyhow!("the thread that asks drivers what they have panicked"))?
}

#[cfg(test)]
mod tests {
    use super::{super::tests::alone, *};

    #[test]
    fn users_are_found_by_their_names() {
        let users =
            "root:x:0:0:root:/root:/bin/bash\nbroken\ncorten-drivers:x:995:990::/:/bin/false\n";
        assert_eq!(
            user_of(users, "corten-drivers"),
            Some(User { uid: 995, gid: 990 })
        );
        assert_eq!(user_of(users, "corten"), None);
        assert_eq!(user_of(users, "broken"), None);
    }

    #[test]
    fn a_user_that_is_not_there_is_refused_by_its_place() {
        let config = alone(&["corten.driver_user=no-such-user"]);
        let error = driver_settings(&config).unwrap_err().to_string();
        assert!(error.contains("no user 'no-such-user'"), "{error}");
    }

    #[test]
    fn options_become_settings() {
        let config = alone(&[
            "corten.driver_memory=2",
            "corten.driver_timeout=7",
            "corten.driver_calls=3",
            "corten.data_dir=/data",
        ]);
        let settings = driver_settings(&config).unwrap();
        assert_eq!(settings.memory, 2 << 20);
        assert_eq!(settings.timeout.as_secs(), 7);
        assert_eq!(settings.calls, 3);
        assert_eq!(settings.state.to_str(), Some("/data/drivers"));
        assert_eq!(settings.user, None);
    }
}
