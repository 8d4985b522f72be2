//! Paths below `nodes` whose words stand in another order than the table has them.
//!
//! Ironic's router (Pecan) looks for the name of a controller anywhere in a path; whatever else the
//! path has becomes the controller's arguments, in order, and the node is just the first of them.
//! So `nodes/states/power/n1`, `nodes/n1/states/power` and `nodes/n1/states/power/reboot` are the
//! same operation, and a node that the path does not name may be named by `node_ident`.

use super::{Method, pecan::BELOW_NODES};
use crate::{args::is_ident, error::ApiError};
use axum::http::StatusCode;

/// An operation on one node, with what the path says about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Operation<'e> {
    /// The row of the table.
    pub(super) path: &'static str,
    /// The node.
    pub(super) node: Option<&'e str>,
    /// What the row's other placeholder stands for.
    pub(super) element: Option<(&'static str, &'e str)>,
    /// Whether that placeholder has nothing to stand for.
    pub(super) lacks_element: bool,
    /// Arguments that the client put into the path.
    pub(super) args: Vec<(&'static str, &'e str)>,
    /// Whether there are more of them than the operation takes.
    pub(super) has_surplus: bool,
}

/// A row, the names of its arguments after the node, and how many of these belong to its path.
struct Leaf {
    path: &'static str,
    names: &'static [&'static str],
    in_path: bool,
}

const fn leaf(path: &'static str, names: &'static [&'static str]) -> Leaf {
    Leaf {
        path,
        names,
        in_path: false,
    }
}

const CONTROLLERS: [&str; 4] = ["states", "vendor_passthru", "management", "maintenance"];

/// Reads a path whose first element, `nodes`, is left out. `None` is for paths without one of the
/// controllers; the table has those.
pub(super) fn read<'e>(
    elements: &[&'e str],
    method: Option<Method>,
) -> Option<Result<Operation<'e>, ApiError>> {
    let at = elements.iter().position(|e| CONTROLLERS.contains(e))?;
    let (before, after) = (&elements[..at], &elements[at + 1..]);
    let found = match elements[at] {
        "states" => states(before, after, method),
        "management" => management(before, after, method),
        "maintenance" => match method {
            Some(Method::Put) => Ok((
                leaf("nodes/{node}/maintenance", &["reason"]),
                joined(before, after),
            )),
            Some(Method::Delete) => {
                Ok((leaf("nodes/{node}/maintenance", &[]), joined(before, after)))
            }
            _ => Err("DELETE, PUT"),
        },
        _ => Ok(vendor(before, after, method)),
    };
    Some(match found {
        Ok((leaf, arguments)) => bind(&leaf, &arguments),
        Err(allow) => Err(not_allowed(elements[0], allow)),
    })
}

type MatchedRoute<'e> = Result<(Leaf, Vec<&'e str>), &'static str>;

fn states<'e>(before: &[&'e str], after: &[&'e str], method: Option<Method>) -> MatchedRoute<'e> {
    if let Some(at) = after.iter().position(|e| *e == "console") {
        let before = [before, &after[..at]].concat();
        let arguments = joined(&before, &after[at + 1..]);
        let path = "nodes/{node}/states/console";
        return match method {
            Some(Method::Get) => Ok((leaf(path, &[]), arguments)),
            Some(Method::Put) => Ok((leaf(path, &["enabled"]), arguments)),
            _ => Err("GET, PUT"),
        };
    }
    match method {
        Some(Method::Get) => Ok((leaf("nodes/{node}/states", &[]), joined(before, after))),
        Some(Method::Put) => {
            let mut words = after.iter().filter(|e| !e.is_empty());
            let leaf = match words.next() {
                Some(&"power") => leaf("nodes/{node}/states/power", &["target", "timeout"]),
                Some(&"provision") => leaf(
                    "nodes/{node}/states/provision",
                    &[
                        "target",
                        "configdrive",
                        "clean_steps",
                        "deploy_steps",
                        "rescue_password",
                        "disable_ramdisk",
                        "service_steps",
                        "runbook",
                    ],
                ),
                Some(&"raid") => leaf("nodes/{node}/states/raid", &["target_raid_config"]),
                Some(&"boot_mode") => leaf("nodes/{node}/states/boot_mode", &["target"]),
                Some(&"secure_boot") => leaf("nodes/{node}/states/secure_boot", &["target"]),
                _ => return Err("GET"),
            };
            let rest: Vec<&str> = words.copied().collect();
            Ok((leaf, joined(before, &rest)))
        }
        _ => Err("GET"),
    }
}

fn management<'e>(
    before: &[&'e str],
    after: &[&'e str],
    method: Option<Method>,
) -> MatchedRoute<'e> {
    let (first, rest) = after.split_first().ok_or("")?;
    match (*first, method) {
        ("boot_device", Some(Method::Get)) => {
            let words: Vec<&str> = rest.iter().copied().filter(|e| !e.is_empty()).collect();
            match words.split_last() {
                Some((&"supported", words)) => {
                    let path = "nodes/{node}/management/boot_device/supported";
                    Ok((leaf(path, &[]), joined(before, words)))
                }
                _ => Ok((
                    leaf("nodes/{node}/management/boot_device", &[]),
                    joined(before, rest),
                )),
            }
        }
        ("boot_device", Some(Method::Put)) => Ok((
            leaf(
                "nodes/{node}/management/boot_device",
                &["boot_device", "persistent"],
            ),
            joined(before, rest),
        )),
        ("inject_nmi", Some(Method::Put)) => Ok((
            leaf("nodes/{node}/management/inject_nmi", &[]),
            joined(before, rest),
        )),
        ("indicators", Some(Method::Get)) if rest.is_empty() => Ok((
            leaf("nodes/{node}/management/indicators", &[]),
            before.to_vec(),
        )),
        ("indicators", Some(Method::Get | Method::Put)) => {
            let names: &[&str] = match method {
                Some(Method::Put) => &["indicator", "state"],
                _ => &["indicator"],
            };
            let leaf = Leaf {
                path: "nodes/{node}/management/indicators/{indicator}",
                names,
                in_path: true,
            };
            Ok((leaf, joined(before, rest)))
        }
        _ => Err(""),
    }
}

fn vendor<'e>(
    before: &[&'e str],
    after: &[&'e str],
    method: Option<Method>,
) -> (Leaf, Vec<&'e str>) {
    let words: Vec<&str> = after.iter().copied().filter(|e| !e.is_empty()).collect();
    if let (Some((&"methods", words)), Some(Method::Get)) = (words.split_last(), method) {
        let path = "nodes/{node}/vendor_passthru/methods";
        return (leaf(path, &[]), joined(before, words));
    }
    let arguments = joined(before, after);
    let leaf = match arguments.len() {
        0 | 1 => leaf("nodes/{node}/vendor_passthru", &[]),
        _ => Leaf {
            path: "nodes/{node}/vendor_passthru/{method}",
            names: &["method"],
            in_path: true,
        },
    };
    (leaf, arguments)
}

/// Empty elements count only before the controller.
fn joined<'e>(before: &[&'e str], after: &[&'e str]) -> Vec<&'e str> {
    let after = after.iter().filter(|e| !e.is_empty());
    before.iter().chain(after).copied().collect()
}

fn bind<'e>(leaf: &Leaf, arguments: &[&'e str]) -> Result<Operation<'e>, ApiError> {
    let mut arguments = arguments.iter().copied();
    let node = arguments.next();
    if let Some(node) = node.filter(|node| !is_ident(node)) {
        return Err(ApiError::invalid(format!(
            "Expected UUID or name for node_ident: {node}"
        )));
    }
    let mut names = leaf.names.iter().copied();
    let element = match leaf.in_path {
        true => names.next().zip(arguments.next()),
        false => None,
    };
    let args = names.by_ref().zip(arguments.by_ref()).collect();
    Ok(Operation {
        path: leaf.path,
        node,
        element,
        lacks_element: leaf.in_path && element.is_none(),
        args,
        has_surplus: arguments.next().is_some(),
    })
}

/// Who asks for what there is not hears first what is wrong with the first element.
fn not_allowed(ident: &str, allow: &'static str) -> ApiError {
    if BELOW_NODES.contains(&ident) {
        return ApiError::router(StatusCode::NOT_FOUND, "");
    }
    if !is_ident(ident) {
        let text = format!("Expected UUID or name for node: {ident}");
        return ApiError::router(StatusCode::BAD_REQUEST, text);
    }
    super::refused_method(allow.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(path: &str, method: Method) -> Result<(String, Vec<String>), (u16, String)> {
        let elements: Vec<&str> = path.split('/').collect();
        match read(&elements, Some(method)).expect("a controller") {
            Ok(found) if found.has_surplus => Err((404, String::new())),
            Ok(found) if found.lacks_element => Err((400, found.path.to_owned())),
            Ok(found) => {
                let mut said: Vec<String> = found.node.into_iter().map(str::to_owned).collect();
                let named = found.element.into_iter().chain(found.args);
                said.extend(named.map(|(name, value)| format!("{name}={value}")));
                Ok((found.path.to_owned(), said))
            }
            Err(ApiError::Router { status, allow, .. }) => {
                Err((status.as_u16(), allow.unwrap_or_default()))
            }
            Err(ApiError::Service { status, text, .. }) => Err((status.as_u16(), text)),
        }
    }

    #[test]
    fn the_controller_may_stand_anywhere() {
        for (path, method, row, said) in [
            ("states/n", Method::Get, "states", "n"),
            ("n/states", Method::Get, "states", "n"),
            ("states", Method::Get, "states", ""),
            ("states/console/n", Method::Get, "states/console", "n"),
            ("states/n/console", Method::Get, "states/console", "n"),
            ("states/power/n", Method::Put, "states/power", "n"),
            (
                "n/states/power/reboot",
                Method::Put,
                "states/power",
                "n target=reboot",
            ),
            (
                "states/power/n/reboot/5",
                Method::Put,
                "states/power",
                "n target=reboot timeout=5",
            ),
            (
                "n/states/provision/manage",
                Method::Put,
                "states/provision",
                "n target=manage",
            ),
            (
                "maintenance/n/why",
                Method::Put,
                "maintenance",
                "n reason=why",
            ),
            ("maintenance/n", Method::Delete, "maintenance", "n"),
            (
                "management/boot_device/n",
                Method::Get,
                "management/boot_device",
                "n",
            ),
            (
                "management/boot_device/n/supported",
                Method::Get,
                "management/boot_device/supported",
                "n",
            ),
            (
                "n/management/boot_device/pxe",
                Method::Put,
                "management/boot_device",
                "n boot_device=pxe",
            ),
            (
                "n/management/indicators",
                Method::Get,
                "management/indicators",
                "n",
            ),
            (
                "n/management/indicators/i@c/on",
                Method::Put,
                "management/indicators/{indicator}",
                "n indicator=i@c state=on",
            ),
            (
                "vendor_passthru/n/methods",
                Method::Get,
                "vendor_passthru/methods",
                "n",
            ),
            (
                "vendor_passthru/n/methods",
                Method::Put,
                "vendor_passthru/{method}",
                "n method=methods",
            ),
        ] {
            let found = look(path, method).expect(path);
            let said: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
            assert_eq!(found, (format!("nodes/{{node}}/{row}"), said), "{path}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_in_order() {
        for (path, method, status, text) in [
            ("n/states/x", Method::Put, 405, "GET"),
            ("states/n", Method::Post, 405, "GET"),
            ("n/states/console/x", Method::Delete, 405, "GET, PUT"),
            ("management/n", Method::Get, 405, ""),
            ("n/maintenance", Method::Get, 405, "DELETE, PUT"),
            ("@/states", Method::Put, 400, ""),
            (
                "@/states",
                Method::Get,
                400,
                "Expected UUID or name for node_ident: @",
            ),
            ("ports/states", Method::Put, 404, ""),
            ("n/states/x", Method::Get, 404, ""),
            (
                "management/indicators/n",
                Method::Get,
                400,
                "nodes/{node}/management/indicators/{indicator}",
            ),
        ] {
            assert_eq!(
                look(path, method).unwrap_err(),
                (status, text.to_owned()),
                "{path}"
            );
        }
    }
}
