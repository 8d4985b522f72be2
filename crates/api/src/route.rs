//! How a path finds its handler.
//!
//! The rules of Ironic do not fit a general router: the version element is optional, names
//! are checked while routing, and a wrong method must say which ones there are. So routes are data
//! and the matcher is a loop over them; there are few enough for that to cost less than a hash.

mod pecan;
mod positional;

pub use pecan::{check_detail, is_too_long, reads_arguments};

use crate::{args::is_ident, call::Handler, error::ApiError, v1::inspection_rule};
use axum::http::{self, StatusCode};
use pecan::{
    BELOW_NODES, NAMES, below_chassis, below_nodes, judge_node, list_not_yet_there, not_yet_there,
    nothing_fits, reordered, surplus, without_gaps,
};
use types::ApiVersion;

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

/// A route that was found, with what its placeholders stand for.
#[derive(Debug)]
pub struct MatchedRoute {
    /// The row's path.
    pub path: &'static str,
    pub handler: Handler,
    /// Without `node` where the row has one, the node is named among the arguments.
    pub params: Vec<(&'static str, String)>,
    /// Arguments that the client put into the path.
    pub args: Vec<(&'static str, String)>,
}

/// Finds the handler for path elements (those below `/v1`), a method and a version.
pub fn find(
    table: &[Route],
    elements: &[&str],
    method: Option<Method>,
    version: ApiVersion,
) -> Result<MatchedRoute, ApiError> {
    let found = find_by_rows(table, elements, method, version);
    // Where Pecan finds nothing, it takes the first element for a name after all, empty or not.
    match (&found, elements) {
        (Err(ApiError::Router { status, .. }), [list @ ("nodes" | "portgroups"), "", ..])
            if *status != StatusCode::BAD_REQUEST =>
        {
            let what = list.trim_end_matches('s');
            let text = format!("Expected UUID or name for {what}: ");
            Err(ApiError::router(StatusCode::BAD_REQUEST, text))
        }
        _ => found,
    }
}

fn find_by_rows(
    table: &[Route],
    elements: &[&str],
    method: Option<Method>,
    version: ApiVersion,
) -> Result<MatchedRoute, ApiError> {
    // The first element behind the nodes of a chassis is taken for a node while routing.
    if let ["chassis", "nodes", node, ..] = elements
        && !node.is_empty()
    {
        judge_node(node)?;
    }
    if let Some(found) = below_chassis(table, elements, method) {
        return found;
    }
    let elements = &*reordered(elements, method);
    if let (["nodes", _, "volume", _, ..], None) = (elements, method)
        && let Some(error) = not_yet_there(elements, method, version)
    {
        return Err(error);
    }
    if let Some(found) = below_nodes(table, elements, method, version) {
        return found;
    }
    if let ["nodes" | "ports" | "portgroups" | "chassis", "", "detail"] = elements
        && method == Some(Method::Get)
    {
        return Err(ApiError::resource_not_found());
    }
    let plain = without_gaps(elements);
    if let Some(error) = not_yet_there(&plain, method, version) {
        return Err(error);
    }
    if let Some(error) = list_not_yet_there(&plain, method, version) {
        return Err(error);
    }
    // Ironic judges the name of a rule before it counts the parts behind it.
    if let (["inspection_rules", rule, _, _, ..], Some(Method::Get)) = (&*plain, method) {
        inspection_rule::check_uuid(rule)?;
    }
    match rows(table, &plain, method) {
        // A list takes the first elements after its name for arguments, and looks at no others
        // before it has judged these.
        Err(error)
            if error.status() == StatusCode::NOT_FOUND
                && !matches!(method, Some(Method::Get) | None) =>
        {
            surplus(table, &plain, method).unwrap_or(Err(error))
        }
        found => found,
    }
}

fn rows(
    table: &[Route],
    elements: &[&str],
    method: Option<Method>,
) -> Result<MatchedRoute, ApiError> {
    if let ["lookup", ""] = elements
        && method == Some(Method::Get)
    {
        return Err(refused_method("GET".to_owned()));
    }
    if let [list @ .., ""] = elements {
        let name = NAMES.iter().find(|(path, _)| matches(path, list));
        return match name {
            Some((_, name)) if method == Some(Method::Get) => {
                Err(ApiError::missing_parameter(name))
            }
            _ => rows(table, list, method),
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
    let is_judged_here = !route.path.starts_with("heartbeat");
    for (name, value) in params.iter().filter(|_| is_judged_here) {
        if *name == "fields" && route.path.starts_with("chassis/") && !is_ident(value) {
            return Err(ApiError::router(
                StatusCode::BAD_REQUEST,
                format!("Expected UUID or name for node: {value}"),
            ));
        }
        // Ironic looks at these two while it routes, hence the other envelope.
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
        Some(handler) => Ok(MatchedRoute {
            path: route.path,
            handler,
            params,
            args: Vec::new(),
        }),
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
    refused_method(allow)
}

fn refused_method(allow: String) -> ApiError {
    ApiError::Router {
        status: StatusCode::METHOD_NOT_ALLOWED,
        description: String::new(),
        allow: Some(allow),
        version_range: false,
    }
}

/// Whether a path of the table fits the elements of a request's path.
pub fn matches(path: &'static str, elements: &[&str]) -> bool {
    // Every request is compared with most rows, and nearly all of them differ in the first element.
    if let Some(first) = elements.first()
        && !path.starts_with(first)
        && !path.starts_with('{')
    {
        return false;
    }
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
        find(TABLE, &elements(path), Some(method), ApiVersion::MAX).map(|found| found.params)
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
        let look = |path, method| find(TABLE, &elements(path), Some(method), ApiVersion::MAX);
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
    fn a_slash_after_detail_is_one_too_many() {
        assert!(check_detail("nodes/detail", "/v1/nodes/detail").is_ok());
        assert!(check_detail("nodes/detail", "/v1/nodes/detail/").is_err());
        assert!(check_detail("nodes/{node}/detail", "/v1/nodes/n/detail/").is_ok());
        assert!(check_detail("nodes", "/v1/nodes/").is_ok());
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
