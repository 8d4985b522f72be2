//! How a path finds its handler.
//!
//! The rules of the original do not fit a general router: the version element is optional, names
//! are checked while routing, and a wrong method must say which ones there are. So routes are data
//! and the matcher is a loop over them; there are few enough for that to cost less than a hash.

use crate::{args::is_ident, call::Handler, error::ApiError};
use axum::http::{self, StatusCode};

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

/// What a 405 says below lists whose elements are names of resources.
const NAMES_AND_WORDS: &str = "DELETE, GET, PATCH, POST";

impl Route {
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
    pub handler: Handler,
    pub params: Vec<(&'static str, String)>,
}

/// Finds the handler for path elements (those below `/v1`) and a method.
pub fn find(table: &[Route], elements: &[&str], method: Option<Method>) -> Result<Found, ApiError> {
    let mut fitting = table.iter().filter(|route| matches(route.path, elements));
    let first = fitting
        .next()
        .ok_or_else(|| ApiError::router(StatusCode::NOT_FOUND, ""))?;
    // A list has words of its own, like `detail`, only for methods that it knows; for all others
    // they are names like any other.
    let route = match method {
        Some(method) if first.allow == Some(NAMES_AND_WORDS) && !first.knows(method) => fitting
            .find(|route| route.allow.is_none_or(|a| a == NAMES_AND_WORDS) && route.knows(method))
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
        Some(handler) => Ok(Found { handler, params }),
        None => Err(not_allowed(route)),
    }
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

/// Splits a decoded path into elements: without empty ones at either end.
pub fn elements(path: &str) -> Vec<&str> {
    let path = path.strip_prefix('/').unwrap_or(path).trim_end_matches('/');
    if path.is_empty() {
        return Vec::new();
    }
    path.split('/').collect()
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
