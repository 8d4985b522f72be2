//! Where the service is and how to show who we are.
//!
//! The names are the stock client's: options, then `OS_…` variables, then the cloud that
//! `--os-cloud` or `OS_CLOUD` names in clouds.yaml, then this machine. Keystone is left out: a
//! token must be at hand already, since this client does not ask for one.

mod clouds;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use serde_json::Value;

use crate::error::Error;
use crate::version::ApiVersion;

const THIS_MACHINE: &str = "http://127.0.0.1:6385";

/// The connection options, for the help of each kind of resource. In the help of every single
/// command they would bury what is special about it, so there only the first is listed.
pub(crate) const CONNECTION_HELP: &str = "\
Connection options, which may stand anywhere, and the variables that say the same:
  --os-endpoint URL        OS_ENDPOINT      the service [default: http://127.0.0.1:6385]
  --os-baremetal-endpoint-override URL      the same, before any other
                           OS_BAREMETAL_ENDPOINT_OVERRIDE
  --os-cloud NAME          OS_CLOUD         a cloud from clouds.yaml
  --os-auth-type TYPE      OS_AUTH_TYPE     none, http_basic or token
  --os-username NAME       OS_USERNAME      user name for http_basic
  --os-password PASSWORD   OS_PASSWORD      password for http_basic; the variable keeps it out of
                                            the list of processes
  --os-token TOKEN         OS_TOKEN         a Keystone token you already have
  --os-cacert FILE         OS_CACERT        certificate authorities to trust
  --os-cert FILE           OS_CERT          our own certificate
  --os-key FILE            OS_KEY           the key of our certificate
  --insecure               OS_INSECURE      do not verify the service's certificate
  --os-baremetal-api-version VERSION        1.N, or latest: the newest both sides know
                           OS_BAREMETAL_API_VERSION                      [default: latest]
  --max-retries NUMBER     how often to try again while a node is locked or the service is
                           overloaded [default: 5]
  --retry-interval SECONDS time between two tries [default: 2]";

// Not documented with `///`, which the command line parser would take for the description of the
// program this is part of.
//
// The options every client command takes, wherever they stand on the command line.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub struct Global {
    /// Address of the service; `corten node --help` has more such options
    /// [env: OS_ENDPOINT] [default: http://127.0.0.1:6385]
    #[arg(
        long,
        global = true,
        value_name = "URL",
        alias = "os-endpoint-override"
    )]
    os_endpoint: Option<String>,
    #[arg(long, global = true, hide = true, alias = "os-baremetal-endpoint")]
    os_baremetal_endpoint_override: Option<String>,
    #[arg(long, global = true, hide = true)]
    os_cloud: Option<String>,
    #[arg(long, global = true, hide = true, alias = "os-auth-plugin")]
    os_auth_type: Option<String>,
    #[arg(long, global = true, hide = true)]
    os_username: Option<String>,
    #[arg(long, global = true, hide = true)]
    os_password: Option<Secret>,
    #[arg(long, global = true, hide = true)]
    os_token: Option<Secret>,
    #[arg(long, global = true, hide = true)]
    os_cacert: Option<String>,
    #[arg(long, global = true, hide = true)]
    os_cert: Option<String>,
    #[arg(long, global = true, hide = true)]
    os_key: Option<String>,
    #[arg(long, global = true, hide = true)]
    insecure: bool,
    #[arg(long, global = true, hide = true)]
    os_baremetal_api_version: Option<String>,
    #[arg(long, global = true, hide = true, default_value_t = 5)]
    pub(crate) max_retries: u32,
    #[arg(long, global = true, hide = true, default_value_t = 2)]
    pub(crate) retry_interval: u32,
}

/// A password or token: used, never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

/// The service, found.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// Without a slash at the end and without the API's own prefix.
    pub(crate) base: String,
    pub(crate) auth: Auth,
    pub(crate) tls: Tls,
    /// The version somebody insists on.
    pub(crate) version: Option<ApiVersion>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Auth {
    None,
    Basic { username: String, password: Secret },
    Token(Secret),
}

#[derive(Debug, Default)]
pub(crate) struct Tls {
    pub(crate) insecure: bool,
    pub(crate) cacert: Option<PathBuf>,
    /// Our certificate, and its key if that is in another file.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
}

/// What one source says; what it does not say, the next one may.
#[derive(Default)]
struct Settings {
    endpoint: Option<String>,
    auth_type: Option<String>,
    username: Option<String>,
    password: Option<Secret>,
    token: Option<Secret>,
    cacert: Option<String>,
    cert: Option<String>,
    key: Option<String>,
    insecure: Option<bool>,
    api_version: Option<String>,
}

/// The outside world as far as finding the service needs it.
pub(crate) struct Surroundings<'a> {
    /// A variable of the environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    /// Folders that may hold clouds.yaml, the first that does wins.
    pub(crate) folders: Vec<PathBuf>,
}

impl Surroundings<'static> {
    pub(crate) fn real() -> Self {
        let mut folders = vec![PathBuf::from(".")];
        let config = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::home_dir().map(|home| home.join(".config")));
        folders.extend(config.map(|config| config.join("openstack")));
        folders.push(PathBuf::from("/etc/openstack"));
        Self {
            variable: &|name| std::env::var(name).ok(),
            folders,
        }
    }
}

impl Endpoint {
    /// Finds the service.
    pub(crate) fn find(global: &Global, around: &Surroundings<'_>) -> Result<Self, Error> {
        let variable = |name: &str| (around.variable)(name).filter(|value| !value.is_empty());
        let mut settings = Settings::of_options(global).or(Settings::of_variables(&variable)?);
        if let Some(name) = global.os_cloud.clone().or_else(|| variable("OS_CLOUD")) {
            let file = variable("OS_CLIENT_CONFIG_FILE").map(PathBuf::from);
            let cloud = clouds::find(&name, file, &around.folders)?;
            settings = settings.or(Settings::of_cloud(&cloud));
        }
        settings.resolve()
    }
}

impl Settings {
    fn of_options(global: &Global) -> Self {
        let endpoint = &global.os_baremetal_endpoint_override;
        Self {
            endpoint: endpoint.clone().or_else(|| global.os_endpoint.clone()),
            auth_type: global.os_auth_type.clone(),
            username: global.os_username.clone(),
            password: global.os_password.clone(),
            token: global.os_token.clone(),
            cacert: global.os_cacert.clone(),
            cert: global.os_cert.clone(),
            key: global.os_key.clone(),
            insecure: global.insecure.then_some(true),
            api_version: global.os_baremetal_api_version.clone(),
        }
    }

    fn of_variables(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let insecure = variable("OS_INSECURE").map(|text| match text.to_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(true),
            "0" | "false" | "no" | "off" => Ok(false),
            _ => Err(Error::usage(format!(
                "OS_INSECURE is '{text}'; write true or false"
            ))),
        });
        let endpoint = variable("OS_BAREMETAL_ENDPOINT_OVERRIDE");
        Ok(Self {
            endpoint: endpoint.or_else(|| variable("OS_ENDPOINT")),
            auth_type: variable("OS_AUTH_TYPE"),
            username: variable("OS_USERNAME"),
            password: variable("OS_PASSWORD").map(Secret),
            token: variable("OS_TOKEN").map(Secret),
            cacert: variable("OS_CACERT"),
            cert: variable("OS_CERT"),
            key: variable("OS_KEY"),
            insecure: insecure.transpose()?,
            api_version: variable("OS_BAREMETAL_API_VERSION"),
        })
    }

    fn of_cloud(cloud: &Value) -> Self {
        let text = |value: Option<&Value>| match value? {
            Value::String(text) => Some(text.clone()),
            // A password of digits is a number to YAML.
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let top = |key: &str| text(cloud.get(key));
        let auth = |key: &str| text(cloud.get("auth").and_then(|auth| auth.get(key)));
        let version = top("baremetal_default_microversion");
        Self {
            endpoint: top("baremetal_endpoint_override").or_else(|| auth("endpoint")),
            auth_type: top("auth_type"),
            username: auth("username"),
            password: auth("password").map(Secret),
            token: auth("token").map(Secret),
            cacert: top("cacert"),
            cert: top("cert"),
            key: top("key"),
            insecure: cloud
                .get("verify")
                .and_then(Value::as_bool)
                .map(|verify| !verify),
            // "1" is how clouds.yaml names the major version, which says nothing new.
            api_version: version
                .or_else(|| top("baremetal_api_version"))
                .filter(|version| version != "1"),
        }
    }

    fn or(self, next: Self) -> Self {
        Self {
            endpoint: self.endpoint.or(next.endpoint),
            auth_type: self.auth_type.or(next.auth_type),
            username: self.username.or(next.username),
            password: self.password.or(next.password),
            token: self.token.or(next.token),
            cacert: self.cacert.or(next.cacert),
            cert: self.cert.or(next.cert),
            key: self.key.or(next.key),
            insecure: self.insecure.or(next.insecure),
            api_version: self.api_version.or(next.api_version),
        }
    }

    fn resolve(self) -> Result<Endpoint, Error> {
        let auth = auth(self.auth_type, self.username, self.password, self.token)?;
        let version = match self.api_version.as_deref() {
            None | Some("latest") => None,
            Some(text) => Some(text.parse().map_err(Error::usage)?),
        };
        let identity = match (self.cert, self.key) {
            (Some(cert), key) => {
                let key = key.unwrap_or_else(|| cert.clone());
                Some((PathBuf::from(cert), PathBuf::from(key)))
            }
            (None, Some(_)) => {
                return Err(Error::usage(
                    "--os-key is the key of a certificate; add --os-cert",
                ));
            }
            (None, None) => None,
        };
        Ok(Endpoint {
            base: base(self.endpoint.as_deref().unwrap_or(THIS_MACHINE))?,
            auth,
            tls: Tls {
                insecure: self.insecure.unwrap_or(false),
                cacert: self.cacert.map(PathBuf::from),
                identity,
            },
            version,
        })
    }
}

fn auth(
    auth_type: Option<String>,
    username: Option<String>,
    password: Option<Secret>,
    token: Option<Secret>,
) -> Result<Auth, Error> {
    let implied = if token.is_some() { "token" } else { "none" };
    match auth_type.as_deref().unwrap_or(implied) {
        "none" => Ok(Auth::None),
        "http_basic" => match (username, password) {
            (Some(username), Some(password)) => Ok(Auth::Basic { username, password }),
            _ => Err(Error::usage(
                "http_basic needs a user name and a password: OS_USERNAME and OS_PASSWORD",
            )),
        },
        "token" | "v3token" | "admin_token" => match token {
            Some(token) => Ok(Auth::Token(token)),
            None => Err(Error::usage("token authentication needs a token: OS_TOKEN")),
        },
        other => Err(Error::usage(format!(
            "authentication type '{other}' is not supported; there are none, http_basic and token"
        ))
        .with_hint(
            "for a service behind Keystone, get a token elsewhere (openstack token issue) and \
             give it with OS_TOKEN and OS_ENDPOINT",
        )),
    }
}

/// The address without what every request adds to it.
fn base(address: &str) -> Result<String, Error> {
    let url = reqwest::Url::parse(address)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| {
            Error::usage(format!(
                "'{address}' is no address of a service; write http://HOST:PORT"
            ))
        })?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(Error::usage(format!(
            "'{address}' has more than an address in it"
        )));
    }
    let trimmed = address.trim_end_matches('/');
    Ok(trimmed
        .strip_suffix("/v1")
        .unwrap_or(trimmed)
        .trim_end_matches('/')
        .to_owned())
}

#[cfg(test)]
mod tests;
