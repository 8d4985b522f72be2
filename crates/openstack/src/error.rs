//! Why a call failed.
//!
//! An [`Error`] says what was tried, and its source, the [`Reason`], why that failed; together they
//! read as one sentence (`types::error::chain`). Callers decide on the reason and on
//! [`Error::may_have_been_done`], never on a text.

use crate::{ErrorAnswer, Service};
use std::{error::Error as StdError, fmt, time::Duration};

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub request: Box<RequestContext>,
    pub reason: Reason,
}

/// What was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestContext {
    pub service: Service,
    /// The section of the configuration that the call was made by.
    pub section: &'static str,
    /// What was to be done to which object: `show port 9986ef93-…`.
    pub action: String,
    /// Method and URL, without query and credentials; nothing before the URL is known.
    pub url: Option<(String, String)>,
    pub is_write: bool,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// There is no such object, or the caller may not know of it.
    #[error("{0}")]
    NotFound(ErrorAnswer),
    /// The text cannot be an identifier, so that the service was not asked about it.
    #[error("'{0}' is not a valid identifier")]
    InvalidId(String),
    #[error("the name stands for several objects: {}", .0.join(", "))]
    Ambiguous(Vec<String>),
    #[error("{answer}")]
    Conflict {
        code: ConflictCode,
        answer: ErrorAnswer,
    },
    /// The credentials are wrong or do not suffice: 401 and 403.
    #[error("{0}")]
    Refused(ErrorAnswer),
    /// The service does not accept the request: any other status from 400 to 499.
    #[error("{0}")]
    Rejected(ErrorAnswer),
    /// It may work later.
    #[error(transparent)]
    Unavailable(Outage),
    #[error("timeout: no answer within {:.1} s", .after.as_secs_f64())]
    Timeout { after: Duration, was_sent: bool },
    #[error("the answer is too large: {0}")]
    TooLarge(String),
    /// What was answered makes no sense.
    #[error("unexpected answer: {0}")]
    Protocol(String),
    /// The contents of an image do not have the size or the checksum that Glance states.
    #[error("corrupt image data: {0}")]
    Corrupt(String),
    /// In the words of keystoneauth, which Ironic shows.
    #[error(
        "{} endpoint for {service_type} service{} not found",
        python_list(.interfaces),
        in_region(.region.as_deref())
    )]
    NotInCatalogue {
        service_type: String,
        interfaces: Vec<String>,
        region: Option<String>,
    },
    /// The configuration lacks something, or names a file that cannot be used.
    #[error("{0}")]
    NotConfigured(String),
}

/// Why a service cannot be used now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Outage {
    /// No connection: nothing was sent.
    #[error("cannot connect: {0}")]
    NotConnected(String),
    /// TLS failed: nothing was sent.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The connection broke before there was an answer.
    #[error("connection lost: {0}")]
    Broken(String),
    /// 429 and every status from 500 on.
    #[error("{0}")]
    Answered(ErrorAnswer),
}

/// Conflicts that callers treat differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictCode {
    /// The port is bound to a host; unbind it before its MAC address is changed.
    PortBound,
    /// Another port on the network has the MAC address.
    MacAddressInUse,
    Other(Option<String>),
}

impl ConflictCode {
    fn of(answer: &ErrorAnswer) -> Self {
        match answer.code.as_deref() {
            Some("PortBound") => Self::PortBound,
            Some("MacAddressInUse") => Self::MacAddressInUse,
            _ => Self::Other(answer.code.clone()),
        }
    }
}

impl Reason {
    /// What a status that is no success means.
    pub(crate) fn of(answer: ErrorAnswer) -> Self {
        match answer.status {
            404 => Self::NotFound(answer),
            409 => Self::Conflict {
                code: ConflictCode::of(&answer),
                answer,
            },
            401 | 403 => Self::Refused(answer),
            429 | 500.. => Self::Unavailable(Outage::Answered(answer)),
            400..=499 => Self::Rejected(answer),
            status => Self::Protocol(format!("status {status}")),
        }
    }

    /// The name in metrics.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::InvalidId(_) => "invalid_id",
            Self::Ambiguous(_) => "ambiguous",
            Self::Conflict { .. } => "conflict",
            Self::Refused(_) => "refused",
            Self::Rejected(_) => "rejected",
            Self::Unavailable(_) => "unavailable",
            Self::Timeout { .. } => "timeout",
            Self::TooLarge(_) => "too_large",
            Self::Protocol(_) => "protocol",
            Self::Corrupt(_) => "corrupt",
            Self::NotInCatalogue { .. } => "not_in_catalogue",
            Self::NotConfigured(_) => "not_configured",
        }
    }

    fn answer(&self) -> Option<&ErrorAnswer> {
        match self {
            Self::NotFound(answer)
            | Self::Conflict { answer, .. }
            | Self::Refused(answer)
            | Self::Rejected(answer)
            | Self::Unavailable(Outage::Answered(answer)) => Some(answer),
            _ => None,
        }
    }
}

impl Error {
    pub(crate) fn new(request: &RequestContext, reason: Reason) -> Self {
        Self {
            request: Box::new(request.clone()),
            reason,
        }
    }

    pub fn is_not_found(&self) -> bool {
        matches!(self.reason, Reason::NotFound(_) | Reason::InvalidId(_))
    }

    /// Whether the same call may succeed later without anybody changing anything.
    pub fn is_temporary(&self) -> bool {
        matches!(self.reason, Reason::Unavailable(_) | Reason::Timeout { .. })
    }

    /// Whether a write may have been carried out although it failed here. If so, look for the object
    /// before the call is repeated.
    pub fn may_have_been_done(&self) -> bool {
        self.request.is_write
            && match &self.reason {
                Reason::Timeout { was_sent, .. } => *was_sent,
                Reason::Unavailable(Outage::Broken(_)) => true,
                Reason::Unavailable(Outage::Answered(answer)) => answer.status != 429,
                Reason::TooLarge(_) | Reason::Protocol(_) => true,
                _ => false,
            }
    }

    /// What an operator can do about it.
    pub fn remedy(&self) -> String {
        let (section, service) = (self.request.section, self.request.service);
        match &self.reason {
            Reason::Refused(_) if service == Service::Keystone => format!(
                "check username, password, project and domains in [{section}], and in Keystone that \
                 the account is not locked"
            ),
            Reason::Refused(_) => format!(
                "give the user of [{section}] the roles that {service} requires (usually service \
                 and admin in the service project)"
            ),
            Reason::NotInCatalogue { .. } => format!(
                "register the endpoint in Keystone, or correct region_name, valid_interfaces, \
                 service_type and service_name in [{section}], or set endpoint_override there"
            ),
            Reason::NotConfigured(_) => format!("complete [{section}] in the configuration"),
            Reason::Unavailable(Outage::Tls(_)) => format!(
                "check cafile, certfile, keyfile in [{section}] and whether the URL is https"
            ),
            Reason::Unavailable(Outage::NotConnected(_)) => {
                format!("check that {service} runs at this URL and that no firewall blocks it")
            }
            Reason::Unavailable(_) | Reason::Timeout { .. } => {
                format!("check the health and the logs of {service}, then try again")
            }
            Reason::Protocol(_) | Reason::TooLarge(_) => {
                format!("check that the URL in [{section}] or in the catalogue is {service}'s")
            }
            Reason::Corrupt(_) => "upload the image again".to_owned(),
            Reason::Rejected(answer) if answer.status == 413 => {
                format!("check the quotas and limits of {service}")
            }
            Reason::Rejected(_) => {
                format!("check what the logs of {service} say about the request")
            }
            Reason::Conflict { .. } => {
                format!("wait until nobody else works on it in {service}, then try again")
            }
            Reason::NotFound(_) | Reason::InvalidId(_) | Reason::Ambiguous(_) => {
                format!("compare the identifiers with what {service} has")
            }
        }
    }

    /// What openstacksdk says about this failure, and keystoneauth about a failed login: Ironic
    /// quotes both in texts that clients know.
    pub fn sdk_text(&self) -> String {
        let url = self.request.url.as_ref().map_or("", |(_, url)| url);
        match (&self.reason, self.reason.answer()) {
            (_, Some(answer)) if self.request.service == Service::Keystone => {
                format!("{} (HTTP {})", answer.message, answer.status)
            }
            (_, Some(answer)) => answer.sdk_text(url),
            (Reason::Unavailable(outage), _) => {
                format!("Unable to establish connection to {url}: {outage}")
            }
            (Reason::Timeout { .. }, _) => format!("Request to {url} timed out"),
            (reason, _) => reason.to_string(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RequestContext {
            service,
            action,
            url,
            ..
        } = &*self.request;
        write!(f, "{service} could not {action}")?;
        match url {
            Some((method, url)) => write!(f, " ({method} {url})"),
            None => Ok(()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.reason)
    }
}

/// `['internal', 'public']`.
fn python_list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    format!("[{}]", names.join(", "))
}

fn in_region(region: Option<&str>) -> String {
    region
        .map(|region| format!(" in {region} region"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::error::chain;

    fn error(is_write: bool, reason: Reason) -> Error {
        Error {
            request: Box::new(RequestContext {
                service: Service::Neutron,
                section: "neutron",
                action: "show port P".into(),
                url: Some(("GET".into(), "http://n/v2.0/ports/P".into())),
                is_write,
            }),
            reason,
        }
    }

    fn answered(status: u16) -> Reason {
        Reason::of(ErrorAnswer::read(status, "", b"busy"))
    }

    #[test]
    fn an_error_reads_as_one_sentence() {
        assert_eq!(
            chain(&error(false, answered(503))),
            "Neutron could not show port P (GET http://n/v2.0/ports/P): HTTP 503 Service \
             Unavailable: busy"
        );
        let missing = Reason::NotInCatalogue {
            service_type: "network".into(),
            interfaces: vec!["internal".into(), "public".into()],
            region: Some("Nowhere".into()),
        };
        assert_eq!(
            missing.to_string(),
            "['internal', 'public'] endpoint for network service in Nowhere region not found"
        );
    }

    #[test]
    fn statuses_become_reasons() {
        assert!(matches!(answered(404), Reason::NotFound(_)));
        assert!(matches!(answered(409), Reason::Conflict { .. }));
        for status in [401, 403] {
            assert!(matches!(answered(status), Reason::Refused(_)));
        }
        for status in [400, 405, 413, 422] {
            assert!(matches!(answered(status), Reason::Rejected(_)));
        }
        for status in [429, 500, 502, 503, 504] {
            assert!(matches!(answered(status), Reason::Unavailable(_)));
        }
        assert!(matches!(answered(302), Reason::Protocol(_)));
    }

    #[test]
    fn only_writes_without_a_clear_answer_may_have_been_done() {
        let broken = || Reason::Unavailable(Outage::Broken("eof".into()));
        let timeout = |was_sent| Reason::Timeout {
            after: Duration::from_secs(1),
            was_sent,
        };
        for (reason, expected) in [
            (broken(), true),
            (timeout(true), true),
            (timeout(false), false),
            (answered(500), true),
            (answered(429), false),
            (answered(409), false),
            (
                Reason::Unavailable(Outage::NotConnected("refused".into())),
                false,
            ),
        ] {
            let text = reason.to_string();
            assert_eq!(
                error(true, reason.clone()).may_have_been_done(),
                expected,
                "{text}"
            );
            assert!(!error(false, reason).may_have_been_done(), "{text}");
        }
    }
}
