//! Which path is which resource: matching a path with the patterns of a table.

use super::{
    answer::Answer,
    call::{Call, Site, View},
    message::Problem,
};
use crate::{fault::Write, machine::Machine};
use hyper::Method;
use serde_json::Value;

pub(crate) type Show = fn(&Call<'_>) -> Result<Value, Problem>;
pub(crate) type Act = fn(&Call<'_>) -> Result<Answer, Problem>;

/// What can be done with the resources of a pattern.
pub(crate) struct Route {
    /// Segments in braces stand for any; `{system}`, `{manager}` and `{chassis}` name a machine.
    pub(crate) pattern: &'static str,
    pub(crate) show: Option<Show>,
    /// Shows something that is no resource.
    pub(crate) raw: Option<Act>,
    pub(crate) change: Option<Act>,
    pub(crate) post: Option<Act>,
    pub(crate) delete: Option<Act>,
    /// What a change is about, for faults that ignore changes.
    pub(crate) write: Write,
    /// Whether it is public: readable without authentication.
    pub(crate) is_open: bool,
    /// Whether changes are made however the machine is, because they are about the service.
    pub(crate) is_of_service: bool,
    /// Whether a read-only user may change it too, as far as it is their own.
    pub(crate) is_own: bool,
}

impl Route {
    const fn new(pattern: &'static str) -> Self {
        Self {
            pattern,
            show: None,
            raw: None,
            change: None,
            post: None,
            delete: None,
            write: Write::Other,
            is_open: false,
            is_of_service: false,
            is_own: false,
        }
    }

    pub(crate) const fn show(pattern: &'static str, show: Show) -> Self {
        Self {
            show: Some(show),
            ..Self::new(pattern)
        }
    }

    pub(crate) const fn raw(pattern: &'static str, raw: Act) -> Self {
        Self {
            raw: Some(raw),
            ..Self::new(pattern)
        }
    }

    pub(crate) const fn action(pattern: &'static str, post: Act) -> Self {
        Self {
            post: Some(post),
            ..Self::new(pattern)
        }
    }

    pub(crate) const fn change(mut self, change: Act) -> Self {
        self.change = Some(change);
        self
    }

    pub(crate) const fn post(mut self, post: Act) -> Self {
        self.post = Some(post);
        self
    }

    pub(crate) const fn delete(mut self, delete: Act) -> Self {
        self.delete = Some(delete);
        self
    }

    pub(crate) const fn open(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// The model itself obeys the faults about it.
    pub(crate) const fn about(mut self, write: Write) -> Self {
        self.write = write;
        self
    }

    pub(crate) const fn of_service(mut self) -> Self {
        self.is_of_service = true;
        self
    }

    pub(crate) const fn own(mut self) -> Self {
        self.is_own = true;
        self
    }

    /// What the header Allow says.
    pub(crate) fn allow(&self) -> String {
        let mut methods = Vec::new();
        if self.show.is_some() || self.raw.is_some() {
            methods.extend(["GET", "HEAD"]);
        }
        for (method, is_there) in [
            ("PATCH", self.change.is_some()),
            ("POST", self.post.is_some()),
            ("DELETE", self.delete.is_some()),
        ] {
            if is_there {
                methods.push(method);
            }
        }
        methods.join(", ")
    }

    /// What does what a method asks for.
    pub(crate) fn act(&self, method: &Method) -> Option<Act> {
        match *method {
            Method::PATCH => self.change,
            Method::POST => self.post,
            Method::DELETE => self.delete,
            _ => None,
        }
    }

    /// The parts of a path that the pattern leaves open, if it fits.
    pub(crate) fn fits<'a>(&self, path: &'a str) -> Option<Vec<(&'static str, &'a str)>> {
        let mut params = Vec::new();
        let mut segments = path.split('/');
        for expected in self.pattern.split('/') {
            let segment = segments.next()?;
            let name = expected
                .strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'));
            match name {
                Some(name) if !segment.is_empty() => params.push((name, segment)),
                None if expected == segment => {}
                _ => return None,
            }
        }
        segments.next().is_none().then_some(params)
    }
}

/// The machine that the parts of a path name; the BMC's own if they name none.
pub(crate) fn machine<'a>(site: &'a Site, params: &[(&'static str, &str)]) -> Option<&'a Machine> {
    let (name, id) = params.first().copied().unwrap_or_default();
    match name {
        "system" => site.find(View::System, id),
        "manager" => site.find(View::Manager, id),
        "chassis" => site.find(View::Chassis, id),
        _ => Some(site.host()),
    }
}
