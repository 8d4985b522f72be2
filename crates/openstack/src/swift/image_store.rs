//! Images that Glance keeps in Swift, handed to agents by temporary URLs (`[glance]swift_*`).

use super::{ObjectName, Swift, account_endpoint, temp_url::TempUrl};
use crate::{Deadline, Error, Reason, Secret, Service, endpoint};
use reqwest::Url;
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// URLs that are kept to be used again. More images than this are not deployed at a time.
const MOST_CACHED: usize = 1024;
/// The seed takes as many letters of an image's id.
const LONGEST_SEED: u8 = 32;

/// The options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageStoreSettings {
    /// Of the account that has the images, if it is not ours.
    pub temp_url_key: Option<Secret>,
    pub temp_url_duration: Duration,
    pub temp_url_cache_enabled: bool,
    pub expected_download_start_delay: Duration,
    pub endpoint_url: Option<String>,
    pub api_version: String,
    pub account: Option<String>,
    pub account_prefix: String,
    pub container: String,
    pub multiple_containers_seed: u8,
}

impl Default for ImageStoreSettings {
    fn default() -> Self {
        Self {
            temp_url_key: None,
            temp_url_duration: Duration::from_secs(1200),
            temp_url_cache_enabled: false,
            expected_download_start_delay: Duration::ZERO,
            endpoint_url: None,
            api_version: "v1".into(),
            account: None,
            account_prefix: "AUTH".into(),
            container: "glance".into(),
            multiple_containers_seed: 0,
        }
    }
}

impl ImageStoreSettings {
    /// Where an image is. Glance spreads images over containers by the first letters of their ids.
    fn object(&self, image: &str) -> ObjectName {
        let letters: String = image
            .chars()
            .filter(|letter| *letter != '-')
            .take(usize::from(self.multiple_containers_seed.min(LONGEST_SEED)))
            .collect();
        let container = match letters.is_empty() {
            true => self.container.clone(),
            false => format!("{}_{letters}", self.container),
        };
        ObjectName::new(container, image)
    }

    fn account(&self, project: Option<&str>) -> Option<String> {
        let of_project = || Some(format!("{}_{}", self.account_prefix, project?));
        self.account.clone().or_else(of_project)
    }
}

/// Makes temporary URLs of images.
#[derive(Debug)]
pub struct ImageStore {
    swift: Swift,
    settings: ImageStoreSettings,
    cached: Mutex<HashMap<String, TempUrl>>,
}

impl ImageStore {
    pub fn new(swift: Swift, settings: ImageStoreSettings) -> Self {
        Self {
            swift,
            settings,
            cached: Mutex::default(),
        }
    }

    /// A URL of the image that lasts long enough for a download to begin.
    pub async fn temp_url(&self, image: &str, deadline: Deadline) -> Result<TempUrl, Error> {
        if let Some(url) = self.cached(image) {
            return Ok(url);
        }
        if !endpoint::is_id(image) {
            let request = self.swift.session.context("make a temporary URL", false);
            return Err(Error::new(&request, Reason::InvalidId(image.to_owned())));
        }
        let account = self.account(deadline).await?;
        let key = match &self.settings.temp_url_key {
            Some(key) => key.clone(),
            None => self.swift.account_key(deadline).await?,
        };
        let name = self.settings.object(image);
        let lifetime = self.settings.temp_url_duration;
        let url = self
            .swift
            .sign(&account, &name, &key, lifetime, deadline)
            .await?;
        self.keep(image, &url);
        Ok(url)
    }

    async fn account(&self, deadline: Deadline) -> Result<Url, Error> {
        let request = self
            .swift
            .session
            .context("find the account of images", false);
        let failed = |reason| Error::new(&request, reason);
        let base = match &self.settings.endpoint_url {
            Some(address) => endpoint::api_root(Service::Swift, address, None)
                .map_err(|error| failed(Reason::NotConfigured(error.to_string())))?,
            None => self.swift.endpoint(deadline).await?,
        };
        let project = match &self.settings.account {
            Some(_) => None,
            None => self.swift.project_id(deadline).await?,
        };
        let account = self.settings.account(project.as_deref()).ok_or_else(|| {
            failed(Reason::NotConfigured(
                "swift_account is not set in [glance], and [swift] does not log in to a project"
                    .into(),
            ))
        })?;
        account_endpoint(&base, &self.settings.api_version, &account)
            .map_err(|error| failed(Reason::NotConfigured(error.to_string())))
    }

    /// A URL that was made before and can still be used.
    fn cached(&self, image: &str) -> Option<TempUrl> {
        let delay = self.settings.expected_download_start_delay;
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let url = cached.get(image).filter(|url| url.lasts(delay));
        url.cloned()
    }

    fn keep(&self, image: &str, url: &TempUrl) {
        if !self.settings.temp_url_cache_enabled {
            return;
        }
        let delay = self.settings.expected_download_start_delay;
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.retain(|_, url| url.lasts(delay));
        if cached.len() < MOST_CACHED {
            cached.insert(image.to_owned(), url.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: &str = "38982591-be80-42a3-85a5-9d43d0e9c8ec";

    #[test]
    fn the_seed_spreads_images_over_containers() {
        for (seed, container) in [
            (0, "glance"),
            (3, "glance_389"),
            (10, "glance_38982591be"),
            (32, "glance_38982591be8042a385a59d43d0e9c8ec"),
            (200, "glance_38982591be8042a385a59d43d0e9c8ec"),
        ] {
            let settings = ImageStoreSettings {
                multiple_containers_seed: seed,
                ..ImageStoreSettings::default()
            };
            let name = settings.object(IMAGE);
            assert_eq!((&*name.container, &*name.object), (container, IMAGE));
        }
    }

    #[test]
    fn the_account_is_that_of_our_project_unless_set() {
        let settings = ImageStoreSettings::default();
        assert_eq!(settings.account(Some("p")).as_deref(), Some("AUTH_p"));
        assert_eq!(settings.account(None), None);
        let fixed = ImageStoreSettings {
            account: Some("AUTH_images".into()),
            ..settings
        };
        assert_eq!(fixed.account(Some("p")).as_deref(), Some("AUTH_images"));
    }
}
