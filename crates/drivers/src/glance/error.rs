//! What is wrong with an image of Glance.
//!
//! Where Ironic has a text that clients know it begins with that one. Ironic calls every other failure
//! "The image is required to be in an active state"; here it says what failed. What to do about it is
//! always told.

use crate::{DriverError, Failure};
use openstack::{Error, Outage, Reason, Service};
use std::fmt;

/// Why an image cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub enum GlanceError {
    /// There is none with this id, or not for this caller.
    NotFound(String),
    /// Glance does not let the caller see it.
    NotAuthorized(String),
    /// It has no contents yet, was deactivated, or is being deleted.
    Inactive(String),
    /// No connection to Glance, or none that lasted.
    Unreachable(Error),
    Failed {
        id: String,
        error: Error,
    },
}

impl GlanceError {
    pub fn of(id: &str, error: Error) -> Self {
        let id = id.to_owned();
        if error.request.service != Service::Glance {
            return Self::Failed { id, error };
        }
        match &error.reason {
            Reason::NotFound(_) | Reason::InvalidId(_) => Self::NotFound(id),
            Reason::Refused(answer) if answer.status == 403 => Self::NotAuthorized(id),
            Reason::Unavailable(Outage::NotConnected(_) | Outage::Broken(_) | Outage::Tls(_)) => {
                Self::Unreachable(error)
            }
            _ => Self::Failed { id, error },
        }
    }
}

impl fmt::Display for GlanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(id) => write!(
                f,
                "Image {id} could not be found. Glance has none with this id for us; check the \
                 reference, and whether the image is shared with the project of [glance]"
            ),
            Self::NotAuthorized(id) => write!(
                f,
                "Not authorized for image {id}. Glance refused it; give the user, or that of \
                 [glance], the role that its policy requires, and check that the image was not \
                 deactivated"
            ),
            Self::Inactive(id) => write!(
                f,
                "Image {id} is unacceptable: The image is required to be in an active state. \
                 Glance shows another one; upload the contents of the image, or reactivate it"
            ),
            Self::Unreachable(error) => {
                let url = error.request.url.as_ref().map_or("", |(_, url)| url);
                let endpoint = url.split("/v2/").next().unwrap_or(url);
                let (text, remedy) = (error.sdk_text(), error.remedy());
                write!(
                    f,
                    "Connection to glance endpoint {endpoint} failed: {text}; {remedy}"
                )
            }
            Self::Failed { id, error } => {
                let why = types::error::chain(error);
                write!(f, "Image {id} cannot be used: {why}; {}", error.remedy())
            }
        }
    }
}

impl std::error::Error for GlanceError {}

impl From<GlanceError> for DriverError {
    fn from(error: GlanceError) -> Self {
        let text = error.to_string();
        match error {
            GlanceError::NotFound(_) | GlanceError::NotAuthorized(_) | GlanceError::Inactive(_) => {
                Self::InvalidParameter(text)
            }
            GlanceError::Unreachable(_) | GlanceError::Failed { .. } => {
                Self::Environment(Failure::new(text))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openstack::{ErrorAnswer, RequestContext};

    const URL: &str = "http://g:9292/v2/images/I";

    fn error(service: Service, reason: Reason) -> Error {
        Error {
            request: Box::new(RequestContext {
                service,
                section: "glance",
                action: "show image I".into(),
                url: Some(("GET".into(), URL.into())),
                is_write: false,
            }),
            reason,
        }
    }

    fn text(reason: Reason) -> String {
        GlanceError::of("I", error(Service::Glance, reason)).to_string()
    }

    fn answer(status: u16) -> ErrorAnswer {
        ErrorAnswer::read(status, "", b"busy")
    }

    #[test]
    fn failures_have_the_texts_of_ironic_where_those_are_true() {
        for (reason, begin) in [
            (
                Reason::NotFound(answer(404)),
                "Image I could not be found. ",
            ),
            (Reason::Refused(answer(403)), "Not authorized for image I. "),
        ] {
            let text = text(reason);
            assert!(text.starts_with(begin), "{text}");
            assert!(text.contains("Glance") && text.contains("; "), "{text}");
        }
        let closed = Reason::Unavailable(Outage::Broken("eof".into()));
        assert!(text(closed).starts_with(
            "Connection to glance endpoint http://g:9292 failed: Unable to establish connection \
             to http://g:9292/v2/images/I: "
        ));
        for reason in [
            Reason::Refused(answer(401)),
            Reason::Unavailable(Outage::Answered(answer(500))),
            Reason::Unavailable(Outage::Answered(answer(503))),
            Reason::Protocol("not JSON".into()),
        ] {
            let text = text(reason);
            assert!(text.starts_with("Image I cannot be used: Glance could not show image I"));
            assert!(!text.contains("active state"), "{text}");
            assert!(text.contains("; "), "{text}");
        }
        // What Swift or Keystone do not find is not the image.
        let key = error(Service::Swift, Reason::NotFound(answer(404)));
        let text = GlanceError::of("I", key).to_string();
        assert!(text.starts_with("Image I cannot be used: Swift"), "{text}");
    }
}
