//! What drivers have in common that speak WS-Management ([`proto::wsman`]): where a controller is, the
//! login, and what each answer means.
//!
//! With HTTP Digest nothing is told before the controller has asked for it, and Basic is never given
//! in its place, so that an impostor is not told the password.

use crate::{
    DriverError, Failure,
    chassis::{Ask, ManagerAddress, Managers, Talk},
    driver_info,
    error::Variant,
    iface::Machine,
    redfish::{
        address::{Origin, ROOT},
        wire::Answer,
    },
};
use proto::{
    http_digest::{Challenge, Signed},
    wsman::{Argument, CONTENT_TYPE, Reply, SoapFault, Target},
    xml::Element,
};
use reqwest::{Method, header::WWW_AUTHENTICATE};
use types::{JsonMap, pyrepr};

/// No class of a controller has more pages of a hundred objects.
const MOST_PAGES: u32 = 20;

/// How a controller is told who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoginScheme {
    Basic,
    Digest,
}

/// Who asks.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

/// A controller, as a node's `driver_info` names it.
pub(crate) struct Info {
    pub(crate) place: ManagerAddress,
    /// The path that is posted to.
    pub(crate) path: String,
    pub(crate) login: Login,
    pub(crate) scheme: LoginScheme,
}

/// The origin that a host, a port and a protocol make. `None` where the host is none: with a port, a
/// path or a login in it.
pub(crate) fn origin(is_secure: bool, host: &str, port: u16) -> Option<Origin> {
    let host = host.trim();
    let host = match host.parse::<std::net::Ipv6Addr>() {
        Ok(_) => format!("[{host}]"),
        Err(_) => host.to_owned(),
    };
    let protocol = if is_secure { "https" } else { "http" };
    let (origin, root) = Origin::parse(&format!("{protocol}://{host}:{port}"), None)?;
    (root == ROOT && origin.port() == port).then_some(origin)
}

/// The value of a key as text, if there is one.
pub(crate) fn given(driver_info: &JsonMap, key: &str) -> Option<String> {
    let value = driver_info.get(key).filter(|value| !value.is_null())?;
    Some(pyrepr::to_str(value).trim().to_owned())
}

/// A port that a node names, or the usual one.
pub(crate) fn port(driver_info: &JsonMap, key: &str, usual: u16) -> Result<u16, DriverError> {
    match given(driver_info, key) {
        None => Ok(usual),
        Some(text) => match text.parse() {
            Ok(0) | Err(_) => Err(DriverError::InvalidParameter(format!(
                "{key} \"{text}\" is not a valid port."
            ))),
            Ok(port) => Ok(port),
        },
    }
}

/// Complains about all keys at once that have no value.
pub(crate) fn require(driver_info: &JsonMap, keys: &[&str]) -> Result<(), DriverError> {
    let missing = driver_info::missing(driver_info, keys);
    if missing.is_empty() {
        return Ok(());
    }
    Err(DriverError::InvalidParameter(format!(
        "The following required properties are missing from the node's driver_info: {}",
        pyrepr::repr_list(missing)
    )))
}

/// A challenge, and how often it was answered.
struct Answered {
    challenge: Challenge,
    count: u32,
}

impl Answered {
    fn authorization(&self, login: &Login, path: &str) -> Result<String, DriverError> {
        Ok(self.challenge.answer(&Signed {
            user: &login.user,
            password: &login.password,
            method: "POST",
            uri: path,
            cnonce: &random()?,
            count: self.count,
        }))
    }
}

/// Thirty-two hexadecimal digits that nobody can guess.
fn random() -> Result<String, DriverError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let tried = "making a number that nobody can guess";
        DriverError::Environment(Failure::because(tried, error.to_string()))
    })?;
    Ok(types::hex::encode(&bytes))
}

/// A UUID of random bits (RFC 9562 section 5.4).
fn request_id() -> Result<String, DriverError> {
    let digits = random()?;
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    Ok(format!(
        "{}-{}-4{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    ))
}

/// A conversation with a controller.
pub(crate) struct WsMan<'m> {
    talk: Talk<'m>,
    /// The URL of the service.
    to: String,
    path: String,
    login: Login,
    scheme: LoginScheme,
    answered: Option<Answered>,
}

impl<'m> WsMan<'m> {
    /// Begins a conversation. `operation` is what messages call it.
    pub(crate) async fn open(
        managers: &'m Managers,
        machine: &Machine<'_>,
        info: Info,
        operation: &str,
    ) -> Result<Self, DriverError> {
        let to = format!("{}{}", info.place.origin, info.path);
        let talk = managers.talk(
            machine,
            info.place,
            operation.to_owned(),
            &info.login.password,
        );
        Ok(Self {
            talk: talk.await?,
            to,
            path: info.path,
            login: info.login,
            scheme: info.scheme,
            answered: None,
        })
    }

    /// An error of this conversation.
    pub(crate) fn error(&self, variant: Variant, text: impl Into<String>) -> DriverError {
        self.talk.error(variant, text.into())
    }

    /// What a controller says, short enough for an error and without the password.
    pub(crate) fn quoted(&self, said: &str) -> String {
        self.talk.quoted(said)
    }

    /// From now on this is not to be read in errors and recordings.
    pub(crate) fn hide(&mut self, secret: &str) {
        self.talk.hide(secret);
    }

    /// Reads an object.
    pub(crate) async fn get(&mut self, resource: &str) -> Result<Reply, DriverError> {
        let body = self.target(resource, &[]).get(&request_id()?);
        self.post(body).await
    }

    /// Calls a method of an object.
    pub(crate) async fn invoke(
        &mut self,
        resource: &str,
        selectors: &[(&str, &str)],
        method: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Reply, DriverError> {
        let target = self.target(resource, selectors);
        let body = target.invoke(&request_id()?, method, arguments);
        self.post(body).await
    }

    /// Reads all objects of a class, or those that a query chooses.
    pub(crate) async fn enumerate(
        &mut self,
        resource: &str,
        query: Option<&str>,
    ) -> Result<Vec<Element>, DriverError> {
        let body = self.target(resource, &[]).enumerate(&request_id()?, query);
        let mut reply = self.post(body).await?;
        let mut all = reply.items();
        let mut pages = 1;
        while let Some(context) = reply.context() {
            if pages == MOST_PAGES {
                let class = class(resource);
                let text = format!("it sends more than {MOST_PAGES} pages of {class}");
                return Err(self.error(DriverError::Protocol, text));
            }
            pages += 1;
            let body = self.target(resource, &[]).pull(&request_id()?, context);
            reply = self.post(body).await?;
            all.extend(reply.items());
        }
        Ok(all)
    }

    fn target<'a>(&'a self, resource: &'a str, selectors: &'a [(&'a str, &'a str)]) -> Target<'a> {
        Target {
            to: &self.to,
            resource,
            selectors,
        }
    }

    async fn post(&mut self, body: String) -> Result<Reply, DriverError> {
        let login = &self.login;
        let basic = (self.scheme == LoginScheme::Basic)
            .then_some((login.user.as_str(), login.password.as_str()));
        let ask = Ask {
            method: Method::POST,
            // The path is the root of the place.
            path: "",
            basic,
            noted: Some(body.clone()),
            body: Some((CONTENT_TYPE, body)),
            is_secret: false,
            is_farewell: false,
        };
        loop {
            let (count, authorization) = match &mut self.answered {
                None => (0, None),
                Some(answered) => {
                    answered.count += 1;
                    let authorization = answered.authorization(&self.login, &self.path)?;
                    (answered.count, Some(authorization))
                }
            };
            let answer = self.talk.exchange(&ask, authorization.as_deref()).await?;
            if answer.status != 401 || self.scheme == LoginScheme::Basic {
                return self.reply(&answer);
            }
            let challenge = self.challenge(&answer)?;
            match count {
                1 if challenge.is_stale => {
                    let text = "it finds the answer to its challenge stale at once";
                    return Err(self.error(DriverError::Protocol, text));
                }
                1 => return self.reply(&answer),
                // Nothing was answered yet; or a challenge was answered before, and may be too old by
                // now also where it does not say so.
                _ => {
                    self.answered = Some(Answered {
                        challenge,
                        count: 0,
                    });
                }
            }
        }
    }

    /// What the controller asks of whoever logs in.
    fn challenge(&self, answer: &Answer) -> Result<Challenge, DriverError> {
        let headers = answer.headers.get_all(WWW_AUTHENTICATE).iter();
        let headers = headers.filter_map(|header| header.to_str().ok());
        Challenge::choose(headers).map_err(|error| self.talk.error(DriverError::Refused, error))
    }

    fn reply(&self, answer: &Answer) -> Result<Reply, DriverError> {
        let text = String::from_utf8_lossy(&answer.body);
        let complaint = self.talk.complaint(answer.status, &text);
        // What is wrong is said in the document, where there is one and the login is not at fault.
        if matches!(answer.status, 300..=399 | 401 | 403)
            && let Some(complaint) = complaint
        {
            return Err(complaint);
        }
        match (Reply::parse(&text), complaint) {
            (Ok(Err(fault)), _) => Err(self.refusal(&fault)),
            (_, Some(complaint)) => Err(complaint),
            (Ok(Ok(reply)), None) => Ok(reply),
            (Err(error), None) => {
                let text = format!("its answer makes no sense: {error}");
                Err(self.error(DriverError::Protocol, text))
            }
        }
    }

    fn refusal(&self, fault: &SoapFault) -> DriverError {
        let variant: Variant = match fault.code.as_deref() {
            Some("AccessDenied") => DriverError::Refused,
            // It has as much to do as it can, or did not get it done (DSP0226 section 14.6).
            Some("Concurrency" | "QuotaLimit" | "TimedOut") => DriverError::Busy,
            _ => DriverError::Rejected,
        };
        let said = self.quoted(&fault.to_string());
        self.error(variant, format!("it answers with a fault: {said}"))
    }
}

/// The name of a class, from its URI.
fn class(resource: &str) -> &str {
    resource.rsplit('/').next().unwrap_or(resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_host_only() {
        for (host, expected) in [
            ("bmc.example", "http://bmc.example:16992"),
            (" 192.0.2.7 ", "http://192.0.2.7:16992"),
            ("fd00::1", "http://[fd00::1]:16992"),
            ("[fd00::1]", "http://[fd00::1]:16992"),
        ] {
            assert_eq!(origin(false, host, 16992).unwrap().to_string(), expected);
        }
        for host in [
            "", "a b", "a:1", "a/wsman", "http://a", "u:p@a", "a?", "a#", "a\\b",
        ] {
            assert!(origin(false, host, 16992).is_none(), "{host}");
        }
        // The usual port of a protocol is one too.
        assert_eq!(origin(true, "a", 443).unwrap().port(), 443);
    }

    #[test]
    fn requests_have_a_uuid_each() {
        let ids = [request_id().unwrap(), request_id().unwrap()];
        assert_ne!(ids[0], ids[1]);
        assert!(ids.iter().all(|id| types::id::is_uuid_like(id)), "{ids:?}");
    }
}
