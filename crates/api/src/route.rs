//! How a path finds its handler.
//!
//! The rules of the original do not fit a general router: the version element is optional, names
//! are checked while routing, and a wrong method must say which ones there are. So routes are data
//! and the matcher is a loop over them; there are few enough for that to cost less than a hash.

use crate::{
    args::{self, is_ident},
    call::Handler,
    error::ApiError,
};
use axum::http::{self, StatusCode};
use serde_json::Value;

/// The methods that routes know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    Delete,
    Get,
    Patch,
    Post,
    Put,
}

impl Method {
    pub fn of(method: &http::Method) -> Option<Self> {
        Some(match *method {
            http::Method::DELETE => Self::Delete,
            http::Method::GET => Self::Get,
            http::Method::PATCH => Self::Patch,
            http::Method::POST => Self::Post,
            http::Method::PUT => Self::Put,
            _ => return None,
        })
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Patch => "PATCH",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }
}

/// One row of the route table.
#[derive(Debug)]
pub struct Route {
    /// Elements below `/v1`; `{name}` stands for any one element.
    pub path: &'static str,
    pub methods: &'static [(Method, Handler)],
    /// The `Allow` header of a 405, where it is not simply the methods above.
    pub allow: Option<&'static str>,
}

/// What a 405 says below lists whose elements are names of resources, or of methods of vendors.
const NAMES_AND_WORDS: [&str; 2] = ["DELETE, GET, PATCH, POST", "DELETE, GET, PATCH, POST, PUT"];

/// What the original calls the name that is missing where a list's path ends in two slashes.
const NAMES: &[(&str, &str)] = &[
    ("nodes", "node_ident"),
    ("ports", "port_ident"),
    ("portgroups", "portgroup_ident"),
    ("chassis", "chassis_uuid"),
    ("drivers", "driver_name"),
    ("conductors", "hostname"),
    ("deploy_templates", "template_ident"),
    ("runbooks", "runbook_ident"),
    ("inspection_rules", "inspection_rule_uuid"),
    ("allocations", "allocation_ident"),
];

impl Route {
    fn has_words(&self) -> bool {
        self.allow
            .is_some_and(|allow| NAMES_AND_WORDS.contains(&allow))
    }

    fn knows(&self, method: Method) -> bool {
        self.methods.iter().any(|(known, _)| *known == method)
    }
}

/// Writes a row of the route table: a path, then methods with their handlers.
#[macro_export]
macro_rules! route {
    ($path:literal $(, allow $allow:literal)? => $($method:ident $handler:path),* $(,)?) => {
        $crate::route::Route {
            path: $path,
            methods: &[$(($crate::route::Method::$method, |call| Box::pin($handler(call)))),*],
            allow: {
                #[allow(unused_mut, unused_assignments)]
                let mut allow = None;
                $(allow = Some($allow);)?
                allow
            },
        }
    };
}

/// What stands below a node: a node of such a name cannot be addressed by it, and where we have no
/// row for it, it is missing rather than a mistaken name of a field.
const BELOW_NODES: &[&str] = &[
    "ports",
    "portgroups",
    "vifs",
    "volume",
    "traits",
    "bios",
    "allocation",
    "history",
    "inventory",
    "children",
    "firmware",
    "vmedia",
    "vendor_passthru",
];

/// A route that was found, with what its placeholders stand for.
#[derive(Debug)]
pub struct Found {
    /// The row's path.
    pub path: &'static str,
    pub handler: Handler,
    pub params: Vec<(&'static str, String)>,
}

/// Finds the handler for path elements (those below `/v1`) and a method.
pub fn find(table: &[Route], elements: &[&str], method: Option<Method>) -> Result<Found, ApiError> {
    if let [list @ .., ""] = elements {
        let name = NAMES.iter().find(|(path, _)| matches(path, list));
        return match name {
            Some((_, name)) if method == Some(Method::Get) => {
                Err(ApiError::missing_parameter(name))
            }
            _ => find(table, list, method),
        };
    }
    let mut fitting = table.iter().filter(|route| matches(route.path, elements));
    let Some(first) = fitting.next() else {
        return Err(nothing_fits(table, elements, method));
    };
    // A list has words of its own, like `detail`, only for methods that it knows; for all others
    // they are names like any other.
    let route = match method {
        Some(method) if first.has_words() && !first.knows(method) => fitting
            .find(|route| (route.allow.is_none() || route.has_words()) && route.knows(method))
            .unwrap_or(first),
        _ => first,
    };
    let params: Vec<(&'static str, String)> = route
        .path
        .split('/')
        .zip(elements)
        .filter_map(|(pattern, element)| Some((placeholder(pattern)?, (*element).to_owned())))
        .collect();
    for (name, value) in &params {
        // The original looks at these two while it routes, hence the other envelope.
        if matches!(*name, "node" | "fields") && BELOW_NODES.contains(&value.as_str()) {
            return Err(ApiError::router(StatusCode::NOT_FOUND, ""));
        }
        if matches!(*name, "node" | "portgroup") && !is_ident(value) {
            return Err(ApiError::router(
                StatusCode::BAD_REQUEST,
                format!("Expected UUID or name for {name}: {value}"),
            ));
        }
    }
    let handler = route
        .methods
        .iter()
        .find(|(known, _)| Some(*known) == method)
        .map(|(_, handler)| *handler);
    match handler {
        Some(handler) => Ok(Found {
            path: route.path,
            handler,
            params,
        }),
        None => Err(not_allowed(route)),
    }
}

/// Why there is nothing at such a path. Surplus elements are noticed last: after a wrong method
/// where nothing stands below a name, and after a name that cannot be one.
fn nothing_fits(table: &[Route], elements: &[&str], method: Option<Method>) -> ApiError {
    let earlier = match *elements {
        [
            "lookup" | "heartbeat" | "events" | "conductors" | "shards",
            _,
            _,
            ..,
        ] => find(table, &elements[..2], method)
            .err()
            .filter(|error| error.status() == StatusCode::METHOD_NOT_ALLOWED),
        ["chassis", ident, ..] if method == Some(Method::Get) => no_uuid("chassis_uuid", ident),
        ["volume", "connectors", ident, ..] if method == Some(Method::Get) => {
            no_uuid("connector_uuid", ident)
        }
        ["volume", "targets", ident, ..] if method == Some(Method::Get) => {
            no_uuid("target_uuid", ident)
        }
        _ => None,
    };
    earlier.unwrap_or_else(|| ApiError::router(StatusCode::NOT_FOUND, ""))
}

fn no_uuid(name: &str, ident: &str) -> Option<ApiError> {
    args::uuid(name, &Value::from(ident)).err()
}

fn not_allowed(route: &Route) -> ApiError {
    let allow = route.allow.map_or_else(
        || {
            let mut methods: Vec<Method> = route.methods.iter().map(|(m, _)| *m).collect();
            methods.sort_unstable();
            let names: Vec<&str> = methods.into_iter().map(Method::as_str).collect();
            names.join(", ")
        },
        str::to_owned,
    );
    ApiError::Router {
        status: StatusCode::METHOD_NOT_ALLOWED,
        description: String::new(),
        allow: Some(allow),
        version_range: false,
    }
}

/// Whether a path of the table fits the elements of a request's path.
pub fn matches(path: &'static str, elements: &[&str]) -> bool {
    let mut patterns = path.split('/');
    let fits = elements.iter().all(|element| {
        patterns
            .next()
            .is_some_and(|pattern| pattern == *element || placeholder(pattern).is_some())
    });
    fits && patterns.next().is_none()
}

fn placeholder(pattern: &'static str) -> Option<&'static str> {
    pattern.strip_prefix('{')?.strip_suffix('}')
}

/// Splits a decoded path into elements. One slash at the end means nothing, more are one empty
/// element.
pub fn elements(path: &str) -> Vec<&str> {
    let inner = path.strip_prefix('/').unwrap_or(path).trim_end_matches('/');
    if inner.is_empty() {
        return Vec::new();
    }
    let nobody = path.ends_with("//").then_some("");
    inner.split('/').chain(nobody).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{call::Call, reply::Reply};

    async fn handler(_: Call) -> Result<Reply, ApiError> {
        Ok(Reply::accepted())
    }

    static TABLE: &[Route] = &[
        route!("nodes" => Get handler, Post handler),
        route!("nodes/detail" => Get handler),
        route!("nodes/{node}" => Get handler, Delete handler),
        route!("nodes/{node}/traits/{trait}", allow "X" => Put handler),
    ];

    fn look(path: &str, method: Method) -> Result<Vec<(&'static str, String)>, ApiError> {
        find(TABLE, &elements(path), Some(method)).map(|found| found.params)
    }

    #[track_caller]
    fn refused(path: &str, method: Method, status: u16, detail: &str) {
        match look(path, method) {
            Err(ApiError::Router {
                status: found,
                description,
                allow,
                ..
            }) => {
                assert_eq!(found.as_u16(), status, "{path}");
                assert_eq!(allow.unwrap_or(description), detail, "{path}");
            }
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn paths_find_their_rows() {
        assert_eq!(look("/nodes", Method::Get).unwrap(), []);
        assert_eq!(look("/nodes///", Method::Post).unwrap(), []);
        assert_eq!(look("/nodes/detail", Method::Get).unwrap(), []);
        assert_eq!(
            look("/nodes/n1/traits/T", Method::Put).unwrap(),
            [("node", "n1".to_owned()), ("trait", "T".to_owned())]
        );
    }

    #[test]
    fn a_mistake_before_a_surplus_element_is_said_first() {
        static TABLE: &[Route] = &[
            route!("lookup/{part}", allow "GET" =>),
            route!("events/{event}" => Post handler),
            route!("vendor/methods", allow "DELETE, GET, PATCH, POST, PUT" => Get handler),
            route!("vendor/{method}" => Get handler, Put handler),
        ];
        let look = |path, method| find(TABLE, &elements(path), Some(method));
        let allowed = |path| match look(path, Method::Get).unwrap_err() {
            ApiError::Router { allow, .. } => allow,
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(allowed("/lookup/x/y/z").as_deref(), Some("GET"));
        assert_eq!(allowed("/events/x/y").as_deref(), Some("POST"));
        for (path, method, status) in [
            ("/events/x/y", Method::Post, 404),
            ("/chassis/x/y/z/w", Method::Get, 400),
            ("/chassis/x/y/z/w", Method::Put, 404),
            ("/volume/targets/x/y/z", Method::Get, 400),
        ] {
            let error = look(path, method).unwrap_err();
            assert_eq!(error.status().as_u16(), status, "{path}");
        }
        let found = look("/vendor/methods", Method::Put).unwrap();
        assert_eq!(found.params, [("method", "methods".to_owned())]);
        assert!(
            look("/vendor/methods", Method::Get)
                .unwrap()
                .params
                .is_empty()
        );
    }

    #[test]
    fn what_is_not_there_is_said_in_the_routers_words() {
        refused("/nope", Method::Get, 404, "");
        refused("//nodes", Method::Get, 404, "");
        refused("/nodes/n/x", Method::Get, 404, "");
        refused("/nodes/n1/traits/T/x", Method::Put, 404, "");
        refused("/nodes/ports", Method::Get, 404, "");
        refused("/nodes", Method::Put, 405, "GET, POST");
        refused("/nodes/n", Method::Put, 405, "DELETE, GET");
        refused("/nodes/n/traits/t", Method::Get, 405, "X");
        refused(
            "/nodes/a b",
            Method::Get,
            400,
            "Expected UUID or name for node: a b",
        );
    }
}
