//! The options before the sub-command: where the service is, who asks, and how to print.
//!
//! Each has a variable, as the old client has it. An address alone is enough for a service without
//! authentication; an address and a token need no Keystone; everything else logs in with it. The
//! second version of Keystone's API is not spoken: an address that names it is taken for the third.

mod password;

use std::time::Duration;

use super::Failure;
use super::grammar::{Argument, flag, former, option};
use super::parse::Given;
use super::version::Wish;
use crate::endpoint::{Endpoint, Surroundings};

/// The options, in the order of the usage.
pub(super) const OPTIONS: &[Argument] = &[
    flag(
        &["--insecure"],
        "insecure",
        "Do not verify the certificates of services.",
    ),
    option(
        &["--os-cacert"],
        "cacert",
        "<ca-certificate>",
        "File of certificate authorities to trust [OS_CACERT].",
    ),
    option(
        &["--os-cert"],
        "cert",
        "<certificate>",
        "File of our own certificate [OS_CERT].",
    ),
    option(
        &["--os-key"],
        "key",
        "<key>",
        "File of the key of our certificate [OS_KEY].",
    ),
    option(
        &["--timeout"],
        "timeout",
        "<seconds>",
        "How long to wait for an answer; 600 by default.",
    )
    .integer(),
    flag(
        &["--version"],
        "version",
        "Print the version of this program.",
    ),
    flag(
        &["--debug"],
        "debug",
        "Print every request and the status of its answer [IRONICCLIENT_DEBUG].",
    ),
    flag(&["--json"], "json", "Print JSON instead of tables."),
    flag(
        &["-v", "--verbose"],
        "verbose",
        "Accepted, and changes nothing.",
    ),
    former(&["--cert-file"], "cert", "--os-cert"),
    former(&["--key-file"], "key", "--os-key"),
    former(&["--ca-file"], "cacert", "--os-cacert"),
    option(
        &["--os-username"],
        "username",
        "USERNAME",
        "User [OS_USERNAME].",
    ),
    former(&["--os_username"], "username", "--os-username"),
    option(
        &["--os-password"],
        "password",
        "PASSWORD",
        "Password [OS_PASSWORD]; asked for on a terminal. The variable keeps it out of the list of \
         processes.",
    ),
    former(&["--os_password"], "password", "--os-password"),
    option(
        &["--os-tenant-id"],
        "tenant_id",
        "TENANT_ID",
        "Older name of --os-project-id [OS_TENANT_ID].",
    ),
    former(&["--os_tenant_id"], "tenant_id", "--os-tenant-id"),
    option(
        &["--os-tenant-name"],
        "tenant_name",
        "TENANT_NAME",
        "Older name of --os-project-name [OS_TENANT_NAME].",
    ),
    former(&["--os_tenant_name"], "tenant_name", "--os-tenant-name"),
    option(
        &["--os-auth-url"],
        "auth_url",
        "AUTH_URL",
        "Address of Keystone [OS_AUTH_URL].",
    ),
    former(&["--os_auth_url"], "auth_url", "--os-auth-url"),
    option(
        &["--os-region-name"],
        "region_name",
        "REGION_NAME",
        "Region to find the service in [OS_REGION_NAME].",
    ),
    former(&["--os_region_name"], "region_name", "--os-region-name"),
    option(
        &["--os-auth-token"],
        "token",
        "TOKEN",
        "A token you already have [OS_AUTH_TOKEN].",
    ),
    former(&["--os_auth_token"], "token", "--os-auth-token"),
    option(
        &["--ironic-url"],
        "endpoint",
        "ENDPOINT",
        "Address of the service [IRONIC_URL].",
    ),
    former(&["--ironic_url"], "endpoint", "--ironic-url"),
    option(
        &["--ironic-api-version"],
        "api_version",
        "IRONIC_API_VERSION",
        "1.N for a version of the API, latest for the newest that the old client knew, 1 for its \
         default of 1.9 [IRONIC_API_VERSION].",
    ),
    former(
        &["--ironic_api_version"],
        "api_version",
        "--ironic-api-version",
    ),
    option(
        &["--os-service-type"],
        "service_type",
        "SERVICE_TYPE",
        "Type of the service in the catalog [OS_SERVICE_TYPE].",
    ),
    former(&["--os_service_type"], "service_type", "--os-service-type"),
    option(
        &["--os-endpoint"],
        "endpoint",
        "ENDPOINT",
        "The same as --ironic-url [OS_SERVICE_ENDPOINT].",
    ),
    former(&["--os_endpoint"], "endpoint", "--os-endpoint"),
    option(
        &["--os-endpoint-type"],
        "interface",
        "INTERFACE",
        "publicURL, internalURL or adminURL [OS_ENDPOINT_TYPE].",
    ),
    former(&["--os_endpoint_type"], "interface", "--os-endpoint-type"),
    option(
        &["--os-user-domain-id"],
        "user_domain_id",
        "USER_DOMAIN_ID",
        "Domain of the user [OS_USER_DOMAIN_ID].",
    ),
    option(
        &["--os-user-domain-name"],
        "user_domain_name",
        "USER_DOMAIN_NAME",
        "The same by name [OS_USER_DOMAIN_NAME].",
    ),
    option(
        &["--os-project-id"],
        "project_id",
        "PROJECT_ID",
        "Project to ask for [OS_PROJECT_ID].",
    ),
    option(
        &["--os-project-name"],
        "project_name",
        "PROJECT_NAME",
        "The same by name [OS_PROJECT_NAME].",
    ),
    option(
        &["--os-project-domain-id"],
        "project_domain_id",
        "PROJECT_DOMAIN_ID",
        "Domain of the project [OS_PROJECT_DOMAIN_ID].",
    ),
    option(
        &["--os-project-domain-name"],
        "project_domain_name",
        "PROJECT_DOMAIN_NAME",
        "The same by name [OS_PROJECT_DOMAIN_NAME].",
    ),
    option(
        &["--max-retries"],
        "max_retries",
        "MAX_RETRIES",
        "How often to try again while a node is locked or the service is away; 5 by default, 0 for \
         never [IRONIC_MAX_RETRIES].",
    )
    .integer(),
    option(
        &["--retry-interval"],
        "retry_interval",
        "RETRY_INTERVAL",
        "Seconds between two tries; 2 by default [IRONIC_RETRY_INTERVAL].",
    )
    .integer(),
];

/// The variables that say the same as an option.
const VARIABLES: &[(&str, &[&str])] = &[
    ("cacert", &["OS_CACERT"]),
    ("cert", &["OS_CERT"]),
    ("key", &["OS_KEY"]),
    ("debug", &["IRONICCLIENT_DEBUG"]),
    ("username", &["OS_USERNAME"]),
    ("password", &["OS_PASSWORD"]),
    ("tenant_id", &["OS_TENANT_ID"]),
    ("tenant_name", &["OS_TENANT_NAME"]),
    ("auth_url", &["OS_AUTH_URL"]),
    ("region_name", &["OS_REGION_NAME"]),
    ("token", &["OS_AUTH_TOKEN"]),
    ("endpoint", &["IRONIC_URL", "OS_SERVICE_ENDPOINT"]),
    ("api_version", &["IRONIC_API_VERSION"]),
    ("service_type", &["OS_SERVICE_TYPE"]),
    ("interface", &["OS_ENDPOINT_TYPE"]),
    ("user_domain_id", &["OS_USER_DOMAIN_ID"]),
    ("user_domain_name", &["OS_USER_DOMAIN_NAME"]),
    ("project_id", &["OS_PROJECT_ID"]),
    ("project_name", &["OS_PROJECT_NAME"]),
    ("project_domain_id", &["OS_PROJECT_DOMAIN_ID"]),
    ("project_domain_name", &["OS_PROJECT_DOMAIN_NAME"]),
    ("max_retries", &["IRONIC_MAX_RETRIES"]),
    ("retry_interval", &["IRONIC_RETRY_INTERVAL"]),
];

/// What the connection is made of, under the names that Keystone's settings have.
const CONNECTION: &[&str] = &[
    "endpoint",
    "auth_url",
    "username",
    "token",
    "region_name",
    "interface",
    "service_type",
    "user_domain_id",
    "user_domain_name",
    "project_domain_id",
    "project_domain_name",
    "cacert",
    "cert",
    "key",
];

/// The options as they were given, over the variables.
pub(super) struct Globals<'a> {
    given: &'a Given,
    around: &'a Surroundings<'a>,
}

/// How often a request is tried again, and how long each try may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Retries {
    pub(super) most: u32,
    pub(super) interval: u32,
    pub(super) patience: Duration,
}

impl<'a> Globals<'a> {
    pub(super) fn new(given: &'a Given, around: &'a Surroundings<'a>) -> Self {
        Self { given, around }
    }

    fn value(&self, key: &str) -> Option<String> {
        let named = self.given.text(key).map(str::to_owned);
        let variables = VARIABLES.iter().find(|(known, _)| *known == key);
        let filled = |text: &String| !text.is_empty();
        named.filter(filled).or_else(|| {
            let (_, names) = variables?;
            let mut values = names.iter().filter_map(|name| (self.around.variable)(name));
            values.find(filled)
        })
    }

    pub(super) fn has_json(&self) -> bool {
        self.given.has("json")
    }

    pub(super) fn has_debug(&self) -> bool {
        self.given.has("debug") || self.value("debug").is_some()
    }

    pub(super) fn version(&self) -> Result<Wish, Failure> {
        Wish::read(self.value("api_version").as_deref())
    }

    pub(super) fn retries(&self) -> Result<Retries, Failure> {
        let number = |key: &str, default: i64| match self.value(key) {
            None => Ok(default),
            Some(text) => text.trim().parse::<i64>().map_err(|_| {
                let option = key.replace('_', "-");
                Failure::program(format!("argument --{option}: invalid int value: '{text}'"))
            }),
        };
        let at_least = |least: u32, key: &str, default: i64| {
            u32::try_from(number(key, default)?)
                .ok()
                .filter(|number| *number >= least)
                .ok_or_else(|| {
                    let option = key.replace('_', "-");
                    Failure::failed(format!("You must provide value >= {least} for --{option}"))
                })
        };
        let seconds = u64::try_from(number("timeout", 600)?).unwrap_or(600);
        Ok(Retries {
            most: at_least(0, "max_retries", 5)?,
            interval: at_least(1, "retry_interval", 2)?,
            patience: Duration::from_secs(seconds.max(1)),
        })
    }

    /// Where the service is, and how to show who we are.
    pub(super) fn endpoint(&self) -> Result<Endpoint, Failure> {
        let mut values: Vec<(&'static str, String)> = CONNECTION
            .iter()
            .filter_map(|key| Some((*key, self.value(key)?)))
            .collect();
        let has = |key: &str| self.value(key).is_some();
        let project_id = self.value("project_id").or_else(|| self.value("tenant_id"));
        let project_name = self
            .value("project_name")
            .or_else(|| self.value("tenant_name"));
        let logs_in = has("auth_url") && has("username") && has("password");
        let method = match (has("endpoint"), has("token")) {
            (true, true) => "admin_token",
            (true, false) if !logs_in => "none",
            (false, true) if has("auth_url") => "token",
            _ => {
                let password = self.credentials(project_id.is_some() || project_name.is_some())?;
                values.push(("password", password));
                "password"
            }
        };
        values.push(("auth_type", method.to_owned()));
        values.extend(project_id.map(|id| ("project_id", id)));
        values.extend(project_name.map(|name| ("project_name", name)));
        let insecure = self.given.has("insecure");
        Ok(Endpoint::of_values(values, insecure)?)
    }

    /// The password, if everything else that Keystone wants is there.
    fn credentials(&self, has_project: bool) -> Result<String, Failure> {
        let missing = |what: &str| Err(Failure::failed(format!("You must provide {what}")));
        if self.value("username").is_none() {
            return missing("a username via either --os-username or via env[OS_USERNAME]");
        }
        let password = self.value("password").or_else(password::ask);
        let Some(password) = password.filter(|password| !password.is_empty()) else {
            return missing(
                "a password via either --os-password, env[OS_PASSWORD], or prompted response",
            );
        };
        if !has_project {
            return missing(
                "a project name or project id via --os-project-name, --os-project-id, \
                 env[OS_PROJECT_ID] or env[OS_PROJECT_NAME].",
            );
        }
        if self.value("auth_url").is_none() {
            return missing("an auth url via either --os-auth-url or via env[OS_AUTH_URL]");
        }
        Ok(password)
    }
}

#[cfg(test)]
mod tests;
