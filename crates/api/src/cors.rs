//! Which pages of other sites may call us from a browser (`[cors]`).
//!
//! The rules are those of Ironic, whose library has its own reading of the standard: a
//! preflight that is refused is answered by 200 without any permission, one that is granted names
//! only what was asked for, and headers are added to every answer, errors included.

use axum::http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS,
        ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS,
        ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD,
        ORIGIN, VARY,
    },
};

/// Headers that a page may send without a word in the configuration.
const ALWAYS_ALLOWED: &[&str] = &[
    "accept",
    "accept-language",
    "content-type",
    "cache-control",
    "content-language",
    "expires",
    "last-modified",
    "pragma",
    "x-auth-token",
    "x-openstack-ironic-api-maximum-version",
    "x-openstack-ironic-api-minimum-version",
    "x-openstack-ironic-api-version",
];

/// What pages of other sites may do. Without origins, nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cors {
    /// Sites, as their browsers name them; `*` is any.
    pub allowed_origin: Vec<String>,
    /// Whether the browser may add what it knows about the user.
    pub allow_credentials: bool,
    /// Headers of answers that a page may read.
    pub expose_headers: Vec<String>,
    /// How many seconds a browser may remember a permission; zero leaves that to it.
    pub max_age: i64,
    pub allow_methods: Vec<String>,
    /// Headers that a page may send besides those that always may be.
    pub allow_headers: Vec<String>,
}

impl Default for Cors {
    fn default() -> Self {
        let methods = [
            "OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "PATCH",
        ];
        Self {
            allowed_origin: Vec::new(),
            allow_credentials: true,
            expose_headers: Vec::new(),
            max_age: 3600,
            allow_methods: methods.map(str::to_owned).to_vec(),
            allow_headers: Vec::new(),
        }
    }
}

impl Cors {
    /// The headers to be added to the answer to a request; none for most requests there are.
    pub fn headers(&self, method: &Method, request: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
        let Some(origin) = self.origin(request) else {
            return Vec::new();
        };
        let granted = if *method == Method::OPTIONS {
            self.preflight(request)
        } else {
            Some(self.exposed())
        };
        let Some(granted) = granted else {
            return Vec::new();
        };
        let mut headers = vec![
            (VARY, HeaderValue::from_static("Origin")),
            (ACCESS_CONTROL_ALLOW_ORIGIN, origin),
        ];
        if self.allow_credentials {
            let yes = HeaderValue::from_static("true");
            headers.push((ACCESS_CONTROL_ALLOW_CREDENTIALS, yes));
        }
        headers.extend(granted);
        headers
    }

    /// The origin as it is permitted, if it is.
    fn origin(&self, request: &HeaderMap) -> Option<HeaderValue> {
        if self.allowed_origin.is_empty() {
            return None;
        }
        let origin = request.get(ORIGIN)?;
        let is_allowed = |name: &[u8]| self.allowed_origin.iter().any(|o| o.as_bytes() == name);
        if is_allowed(origin.as_bytes()) {
            return Some(origin.clone());
        }
        is_allowed(b"*").then_some(HeaderValue::from_static("*"))
    }

    fn exposed(&self) -> Vec<(HeaderName, HeaderValue)> {
        let exposed = HeaderValue::try_from(self.expose_headers.join(","));
        exposed
            .into_iter()
            .filter(|value| !value.is_empty())
            .map(|value| (ACCESS_CONTROL_EXPOSE_HEADERS, value))
            .collect()
    }

    /// What a browser that asks beforehand is told, if all it asks for is allowed.
    fn preflight(&self, request: &HeaderMap) -> Option<Vec<(HeaderName, HeaderValue)>> {
        let method = request.get(ACCESS_CONTROL_REQUEST_METHOD)?;
        let known = |name: &String| name.as_bytes() == method.as_bytes();
        if !self.allow_methods.iter().any(known) {
            return None;
        }
        let asked = match request.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            Some(value) => value.to_str().ok()?,
            None => "",
        };
        let asked: Vec<&str> = asked
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        if !asked.iter().all(|name| self.allows_header(name)) {
            return None;
        }
        let mut headers = Vec::new();
        if self.max_age != 0 {
            headers.push((ACCESS_CONTROL_MAX_AGE, HeaderValue::from(self.max_age)));
        }
        headers.push((ACCESS_CONTROL_ALLOW_METHODS, method.clone()));
        if !asked.is_empty() {
            let names = HeaderValue::try_from(asked.join(",")).ok()?;
            headers.push((ACCESS_CONTROL_ALLOW_HEADERS, names));
        }
        Some(headers)
    }

    fn allows_header(&self, name: &str) -> bool {
        let configured = self.allow_headers.iter().map(String::as_str);
        let mut allowed = ALWAYS_ALLOWED.iter().copied().chain(configured);
        allowed.any(|known| known.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shop() -> Cors {
        Cors {
            allowed_origin: vec!["https://a.example".into(), "http://b.example:8080".into()],
            allow_headers: vec!["X-Mine".into()],
            ..Cors::default()
        }
    }

    #[track_caller]
    fn check(cors: &Cors, method: Method, request: &[(&'static str, &str)], expected: &str) {
        let request = request
            .iter()
            .map(|(name, value)| {
                let name = HeaderName::from_static(name);
                (name, HeaderValue::from_str(value).unwrap())
            })
            .collect();
        let headers = cors.headers(&method, &request);
        let lines: Vec<String> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        assert_eq!(lines.join("\n"), expected);
    }

    const A: (&str, &str) = ("origin", "https://a.example");
    const GET: (&str, &str) = ("access-control-request-method", "GET");

    #[test]
    fn answers_name_the_origin_they_are_for() {
        let granted = "vary: Origin\n\
            access-control-allow-origin: https://a.example\n\
            access-control-allow-credentials: true";
        check(&shop(), Method::GET, &[A], granted);
        check(&shop(), Method::GET, &[], "");
        check(&shop(), Method::GET, &[("origin", "https://a.examplE")], "");
        check(&Cors::default(), Method::GET, &[A], "");
        let anybody = Cors {
            allowed_origin: vec!["*".into()],
            allow_credentials: false,
            expose_headers: vec!["X-One".into(), "X-Two".into()],
            ..Cors::default()
        };
        check(
            &anybody,
            Method::PATCH,
            &[A],
            "vary: Origin\n\
             access-control-allow-origin: *\n\
             access-control-expose-headers: X-One,X-Two",
        );
    }

    #[test]
    fn a_preflight_is_granted_as_a_whole_or_not_at_all() {
        let ask = "access-control-request-headers";
        check(
            &shop(),
            Method::OPTIONS,
            &[A, GET, (ask, "X-Auth-Token, x-mine,,content-type")],
            "vary: Origin\n\
             access-control-allow-origin: https://a.example\n\
             access-control-allow-credentials: true\n\
             access-control-max-age: 3600\n\
             access-control-allow-methods: GET\n\
             access-control-allow-headers: X-Auth-Token,x-mine,content-type",
        );
        check(
            &shop(),
            Method::OPTIONS,
            &[A, GET, (ask, "accept, x-z")],
            "",
        );
        check(&shop(), Method::OPTIONS, &[A], "");
        check(&shop(), Method::OPTIONS, &[GET], "");
        let lower = ("access-control-request-method", "get");
        check(&shop(), Method::OPTIONS, &[A, lower], "");
        let forgetful = Cors {
            max_age: 0,
            ..shop()
        };
        check(
            &forgetful,
            Method::OPTIONS,
            &[A, GET],
            "vary: Origin\n\
             access-control-allow-origin: https://a.example\n\
             access-control-allow-credentials: true\n\
             access-control-allow-methods: GET",
        );
    }
}
