//! What Ironic's router (Pecan) makes of paths that a table of routes does not explain.
//!
//! Pecan walks a path through controllers, and each takes what it likes: names are judged before the
//! method, lists before their version, surplus elements last or never. Clients see which complaint
//! comes first, so the order is kept.

use super::{MatchedRoute, Method, Route, matches, not_allowed, positional, refused_method, rows};
use crate::{
    args::{self, is_ident},
    call::Call,
    error::ApiError,
    reply::Reply,
};
use axum::http::StatusCode;
use serde_json::Value;
use types::{ApiVersion, pyrepr::repr_str, version::since};

/// What stands below a node: a node of such a name cannot be addressed by it, and where we have no
/// row for it, it is missing rather than a mistaken name of a field.
pub(super) const BELOW_NODES: &[&str] = &[
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

/// What versions before do not route at all, whatever the method.
pub(super) const GATED: &[(&str, ApiVersion)] = &[
    ("portgroups", since::PORTGROUP_LINKS),
    ("vifs", since::VIFS),
    ("bios", since::BIOS),
    ("allocation", since::ALLOCATIONS),
    ("history", since::NODE_HISTORY),
    ("inventory", since::NODE_INVENTORY),
    ("firmware", since::FIRMWARE),
    ("vmedia", since::VIRTUAL_MEDIA),
];

/// What Ironic calls the name that is missing where a list's path ends in two slashes.
pub(super) const NAMES: &[(&str, &str)] = &[
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

/// What routing says about the name of a node.
pub(super) fn judge_node(ident: &str) -> Result<(), ApiError> {
    if BELOW_NODES.contains(&ident) {
        return Err(ApiError::router(StatusCode::NOT_FOUND, ""));
    }
    if !is_ident(ident) {
        let text = format!("Expected UUID or name for node: {ident}");
        return Err(ApiError::router(StatusCode::BAD_REQUEST, text));
    }
    Ok(())
}

/// What a version does not have yet is said before anything else about the path.
pub(super) fn not_yet_there(
    elements: &[&str],
    method: Option<Method>,
    version: ApiVersion,
) -> Option<ApiError> {
    let (since, what) = match elements {
        ["portgroups", ident, "ports", ..] if is_ident(ident) => (since::PORTGROUP_LINKS, ""),
        ["volume", _, ..] => (since::VOLUME, ""),
        ["nodes", ident, "volume", _, ..] if is_ident(ident) => (since::VOLUME, ""),
        // Ironic looks at the path before it judges the version of the list.
        ["runbooks", _, "traits", ..] if version < since::RUNBOOK_TRAITS => {
            let text = "The API version does not allow runbook traits";
            return Some(ApiError::router(StatusCode::NOT_FOUND, text));
        }
        ["runbooks", ..] => (since::RUNBOOKS, "runbooks"),
        ["deploy_templates", ..] => (since::DEPLOY_TEMPLATES, "deploy templates"),
        _ => return None,
    };
    if version >= since {
        return None;
    }
    Some(match (what, method) {
        ("", _) => ApiError::router(StatusCode::NOT_FOUND, ""),
        (what, method) => {
            let status = match method {
                Some(Method::Get) => StatusCode::NOT_FOUND,
                _ => StatusCode::METHOD_NOT_ALLOWED,
            };
            ApiError::router(status, format!("The API version does not allow {what}"))
        }
    })
}

/// Lists that judge their version before they find a path too long.
pub(super) fn list_not_yet_there(
    elements: &[&str],
    method: Option<Method>,
    version: ApiVersion,
) -> Option<ApiError> {
    let (since, what) = match (elements, method) {
        (["shards", _, _, ..], Some(Method::Get)) => (since::SHARD, "shards"),
        (["allocations", _, _, _, ..] | ["allocations", ""], Some(Method::Get)) => {
            (since::ALLOCATIONS, "allocations")
        }
        (
            ["inspection_rules", _, _, ..] | ["inspection_rules", ""],
            Some(Method::Get | Method::Delete),
        ) => (since::INSPECTION_RULES, "inspection rules"),
        (["portgroups", _, _, _, ..] | ["portgroups", ""], Some(Method::Get))
            if version < since::PORTGROUPS =>
        {
            return Some(ApiError::not_in_this_version());
        }
        (["portgroups", _, below, ..], Some(Method::Delete))
            if *below != "ports" && version < since::PORTGROUPS =>
        {
            return Some(ApiError::not_in_this_version());
        }
        (["conductors", ""], Some(Method::Get)) if version < since::CONDUCTORS => {
            return Some(ApiError::not_in_this_version());
        }
        _ => return None,
    };
    let status = match method {
        Some(Method::Get) => StatusCode::NOT_FOUND,
        _ => StatusCode::METHOD_NOT_ALLOWED,
    };
    let text = format!("The API version does not allow {what}");
    (version < since).then(|| ApiError::service(status, text))
}

/// Whether Ironic finds an operation for a `GET` and notices only then that its path is too long:
/// what the client accepts is judged before that.
pub fn is_too_long(elements: &[&str], version: ApiVersion) -> bool {
    let mut plain = without_gaps(elements);
    if plain.len() > 1 && plain[0].is_empty() {
        plain.remove(0);
    }
    match plain.as_slice() {
        ["volume", word, ..] => {
            version >= since::VOLUME && !matches!(*word, "connectors" | "targets")
        }
        ["nodes", _, word, ..] if is_gated(word, version) => false,
        ["nodes", ident, word, _, ..] => {
            let is_early = *word == "volume" && version < since::VOLUME;
            judge_node(ident).is_ok() && !is_early
        }
        [list, _, _, ..] => NAMES.iter().any(|(name, _)| name == list) || *list == "shards",
        _ => false,
    }
}

/// Whether the version does not have this part of a node yet.
pub(super) fn is_gated(word: &str, version: ApiVersion) -> bool {
    let gate = GATED.iter().find(|(gated, _)| *gated == word);
    gate.is_some_and(|(_, since)| version < *since)
}

/// What drivers and chassis have below them may stand anywhere after the name of their list; the
/// other elements are arguments, in order.
pub(super) fn reordered<'e>(elements: &[&'e str], method: Option<Method>) -> Vec<&'e str> {
    let [list, below @ ..] = elements else {
        return elements.to_vec();
    };
    let words: &[&str] = match *list {
        "drivers" => &["raid", "vendor_passthru"],
        // `GET` tells a chassis from its nodes by where the word stands.
        "chassis" if method != Some(Method::Get) => &["nodes"],
        _ => &[],
    };
    let at = below.iter().position(|element| words.contains(element));
    // The methods of a driver are listed only where that is the last word.
    let at = at.filter(|at| !below[..*at].contains(&"methods"));
    match at.map(|at| (below[at], [&below[..at], &below[at + 1..]].concat())) {
        Some((word, arguments)) if !arguments.is_empty() => {
            let (first, rest) = arguments.split_at(1);
            [&[*list], first, &[word], rest].concat()
        }
        _ => elements.to_vec(),
    }
}

/// Below a chassis, where the nodes are not right behind its name or are followed by nothing but
/// slashes.
pub(super) fn below_chassis(
    table: &[Route],
    elements: &[&str],
    method: Option<Method>,
) -> Option<Result<MatchedRoute, ApiError>> {
    let ["chassis", below @ ..] = elements else {
        return None;
    };
    if let [_, flag, .., "nodes"] = below
        && *flag != "nodes"
    {
        let not_found = ApiError::resource_not_found;
        match method {
            Some(Method::Patch) => {
                let flag = args::boolean("reset_interfaces", &Value::from(*flag));
                return Some(Err(flag.err().unwrap_or_else(not_found)));
            }
            Some(Method::Delete) => return Some(Err(not_found())),
            _ => {}
        }
    }
    if method != Some(Method::Get) {
        return None;
    }
    let at = below.iter().position(|element| *element == "nodes")?;
    let (before, after) = (&below[..at], &below[at + 1..]);
    let single = |node: &str| rows(table, &["chassis", "nodes", "nodes", node], method);
    Some(match (before, after) {
        ([], ["detail"]) => rows(table, &["chassis", "nodes"], method),
        ([], [chassis, "detail"]) => {
            let earlier = no_uuid("chassis_uuid", chassis);
            Err(earlier.unwrap_or_else(ApiError::resource_not_found))
        }
        ([], [node] | [node, _]) if !node.is_empty() => single(node),
        ([chassis], ["", ..]) if after.iter().all(|element| element.is_empty()) => single(chassis),
        ([chassis, instance, ..], []) => {
            let earlier = no_uuid("chassis_uuid", chassis);
            let earlier = earlier.or_else(|| no_uuid("instance_uuid", instance));
            Err(earlier.unwrap_or_else(|| ApiError::router(StatusCode::NOT_FOUND, "")))
        }
        _ => return None,
    })
}

/// The elements without the empty ones between others. At the end they mean something.
pub(super) fn without_gaps<'e>(elements: &[&'e str]) -> Vec<&'e str> {
    let last = elements.len().saturating_sub(1);
    let kept = |(at, element): &(usize, &&str)| *at == 0 || *at == last || !element.is_empty();
    let elements = elements.iter().enumerate().filter(kept);
    elements.map(|(_, element)| *element).collect()
}

/// What is judged below nodes before the table is asked.
pub(super) fn below_nodes(
    table: &[Route],
    elements: &[&str],
    method: Option<Method>,
    version: ApiVersion,
) -> Option<Result<MatchedRoute, ApiError>> {
    let ["nodes", below @ ..] = elements else {
        return None;
    };
    let dense: Vec<&str> = below.iter().copied().filter(|e| !e.is_empty()).collect();
    if let [ident, word, ..] = &*dense
        && is_ident(ident)
        && is_gated(word, version)
    {
        return Some(Err(ApiError::router(StatusCode::NOT_FOUND, "")));
    }
    // Traits were nothing special once, and so are taken for what is below any node.
    if let [ident, "traits", ..] = below
        && version < since::TRAITS
        && is_ident(ident)
        && method != Some(Method::Put)
    {
        let route = table
            .iter()
            .find(|route| route.path == "nodes/{node}/{fields}")?;
        if method.is_none() {
            return Some(Err(not_allowed(route)));
        }
        let (_, handler) = route
            .methods
            .iter()
            .find(|(known, _)| Some(*known) == method)?;
        let params = [("node", *ident), ("fields", "traits")];
        return Some(Ok(MatchedRoute {
            path: route.path,
            handler: *handler,
            params: params.map(|(name, value)| (name, value.to_owned())).into(),
            args: Vec::new(),
        }));
    }
    let operation = match positional::read(below, method)? {
        Ok(operation) => operation,
        Err(error) => return Some(Err(error)),
    };
    let route = table.iter().find(|route| route.path == operation.path)?;
    let handler = route
        .methods
        .iter()
        .find(|(known, _)| Some(*known) == method);
    let Some((_, handler)) = handler else {
        return Some(Err(not_allowed(route)));
    };
    let owned = |(name, value): (&'static str, &str)| (name, value.to_owned());
    let params = operation.node.map(|node| ("node", node));
    Some(Ok(MatchedRoute {
        path: route.path,
        handler: if operation.lacks_element {
            |call| Box::pin(no_indicator(call))
        } else if operation.has_surplus {
            |call| Box::pin(too_long(call))
        } else {
            *handler
        },
        params: params
            .into_iter()
            .chain(operation.element)
            .map(owned)
            .collect(),
        args: operation.args.into_iter().map(owned).collect(),
    }))
}

/// A path with more elements than its operation has arguments: that is noticed last.
async fn too_long(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    Err(ApiError::router(StatusCode::NOT_FOUND, ""))
}

/// An indicator that the path does not name. Surplus arguments are noticed first.
async fn no_indicator(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    Err(ApiError::missing_parameter("indicator"))
}

/// A list in detail is found only where its own name stands right before: Ironic looks at the path
/// as it was sent, so that a slash at its end is one too many.
pub fn check_detail(route: &str, sent: &str) -> Result<(), ApiError> {
    let Some(list) = route.strip_suffix("/detail") else {
        return Ok(());
    };
    let list = list.rsplit('/').next().unwrap_or_default();
    if list.starts_with('{') || sent.rsplit('/').nth(1) == Some(list) {
        return Ok(());
    }
    Err(ApiError::resource_not_found())
}

/// The same path without its last elements, as far as that is a row of a list.
pub(super) fn surplus(
    table: &[Route],
    elements: &[&str],
    method: Option<Method>,
) -> Option<Result<MatchedRoute, ApiError>> {
    if let (
        Some(Method::Patch),
        ["nodes", _, "ports", _, patch, ..] | ["portgroups", _, "ports", _, patch, ..],
    ) = (method, elements)
    {
        let text = format!(
            "Schema error for patch: {} is not of type 'array'",
            repr_str(patch)
        );
        return Some(Err(ApiError::invalid(text)));
    }
    if let (Some(Method::Post), ["nodes", _, "vifs", _, _, ..]) = (method, elements) {
        return Some(rows(table, &elements[..4], method));
    }
    let mut shorter = elements;
    while let [rest @ .., _] = shorter {
        shorter = rest;
        let route = table.iter().find(|route| matches(route.path, shorter));
        if let Some(route) = route {
            return route.has_words().then(|| rows(table, shorter, method));
        }
    }
    None
}

/// Why there is nothing at such a path. Surplus elements are noticed last: after a wrong method
/// where nothing stands below a name, and after a name that cannot be one.
pub(super) fn nothing_fits(table: &[Route], elements: &[&str], method: Option<Method>) -> ApiError {
    let earlier = match *elements {
        [
            "lookup" | "heartbeat" | "events" | "conductors" | "shards",
            _,
            _,
            ..,
        ] => rows(table, &elements[..2], method)
            .err()
            .filter(|error| error.status() == StatusCode::METHOD_NOT_ALLOWED),
        // Methods that no list knows are refused before the path is found too long.
        [
            "ports" | "portgroups" | "chassis" | "deploy_templates" | "runbooks" | "allocations"
            | "inspection_rules",
            ..,
        ]
        | ["volume", "connectors" | "targets", ..]
        | ["nodes", _, "volume", "connectors" | "targets", ..]
            if method.is_none() =>
        {
            Some(refused_method("DELETE, GET, PATCH, POST".to_owned()))
        }
        // What is no part of a node is an argument of the node's own operations.
        ["nodes", ident, word, _, ..] if method.is_none() && !BELOW_NODES.contains(&word) => {
            let allow = "DELETE, GET, PATCH, POST".to_owned();
            Some(
                judge_node(ident)
                    .err()
                    .unwrap_or_else(|| refused_method(allow)),
            )
        }
        ["continue_inspection", data, ..] if method == Some(Method::Post) => {
            let data = repr_str(data);
            let text = format!("Schema error for data: {data} is not of type 'object'");
            Some(ApiError::invalid(text))
        }
        ["continue_inspection", _, ..] => Some(refused_method("POST".to_owned())),
        ["drivers", _, "raid", ..] => Some(refused_method(String::new())),
        // Below these two, lists have been looked for already.
        ["volume", "connectors" | "targets", ..]
        | ["nodes", _, "volume", "connectors" | "targets", ..]
            if method != Some(Method::Get) =>
        {
            None
        }
        ["drivers", ..] | ["volume", ..] | ["nodes", _, "volume", ..]
            if method != Some(Method::Get) =>
        {
            Some(refused_method("GET".to_owned()))
        }
        ["nodes", _, "allocation" | "children", _, ..] if method == Some(Method::Get) => {
            let above = table
                .iter()
                .find(|route| matches(route.path, &elements[..3]));
            above.map(not_allowed)
        }
        ["nodes" | "runbooks", _, "traits", _, _, ..] => rows(table, &elements[..4], method)
            .err()
            .filter(|error| error.status() == StatusCode::METHOD_NOT_ALLOWED),
        ["nodes", _, "volume", "connectors", ident, ..] if method == Some(Method::Get) => {
            no_uuid("connector_uuid", ident)
        }
        ["nodes", _, "volume", "targets", ident, ..] if method == Some(Method::Get) => {
            no_uuid("target_uuid", ident)
        }
        ["nodes", _, "ports", _, _]
        | ["portgroups", _, "ports", _, _]
        | ["nodes", _, "portgroups", _, "ports", _, _]
            if method == Some(Method::Get) =>
        {
            Some(ApiError::invalid("Malformed request URI."))
        }
        ["nodes", _, word, _, ..] if BELOW_NODES.contains(&word) => {
            rows(table, &elements[..3], method)
                .err()
                .filter(|error| error.status() == StatusCode::METHOD_NOT_ALLOWED)
        }
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

/// Whether Ironic reads the arguments of a request while it routes it: not where there is nothing,
/// or not yet.
pub fn reads_arguments(table: &[Route], elements: &[&str], version: ApiVersion) -> bool {
    let since = match elements.first() {
        Some(&"runbooks") => since::RUNBOOKS,
        Some(&"deploy_templates") => since::DEPLOY_TEMPLATES,
        _ => ApiVersion::MIN,
    };
    let mut firsts = table
        .iter()
        .filter_map(|route| route.path.split('/').next());
    version >= since && firsts.any(|first| elements.first() == Some(&first))
}
