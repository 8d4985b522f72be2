//! Whether the scenarios ask everything that can be asked.

use api::{
    route::{self, Method},
    route_table::ROUTES,
};
use scenario::file::{self, Scenario};
use std::collections::BTreeMap;

/// What Ironic answers with a fault whatever is sent: names that are missing, and elements
/// below resources that have none.
const NEVER_SUCCEED: &[&str] = &[
    "DELETE allocations",
    "DELETE allocations/{allocation}/{part}",
    "DELETE chassis",
    "DELETE chassis/nodes",
    "DELETE chassis/{chassis}/nodes",
    "DELETE chassis/{chassis}/nodes/{fields}",
    "DELETE chassis/{chassis}/{part}",
    "DELETE deploy_templates",
    "DELETE drivers/{driver}/vendor_passthru",
    "DELETE inspection_rules",
    "DELETE nodes",
    "DELETE nodes/{node}/portgroups/{portgroup}",
    "DELETE nodes/{node}/portgroups/{portgroup}/ports",
    "DELETE nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "DELETE nodes/{node}/ports",
    "DELETE nodes/{node}/ports/{port}",
    "DELETE nodes/{node}/vifs",
    "DELETE nodes/{node}/vmedia/{device}",
    "DELETE nodes/{node}/volume/connectors",
    "DELETE nodes/{node}/volume/connectors/{connector}",
    "DELETE nodes/{node}/volume/targets",
    "DELETE nodes/{node}/volume/targets/{target}",
    "DELETE nodes/{node}/{fields}",
    "DELETE portgroups",
    "DELETE portgroups/{portgroup}/ports",
    "DELETE portgroups/{portgroup}/ports/{port}",
    "DELETE ports",
    "DELETE ports/{port}/{part}",
    "DELETE runbooks",
    "DELETE volume/connectors",
    "DELETE volume/connectors/{connector}/{part}",
    "DELETE volume/targets",
    "DELETE volume/targets/{target}/{part}",
    "GET chassis/nodes",
    "GET chassis/{chassis}/nodes/{fields}",
    "GET drivers/properties",
    "GET drivers/{driver}/vendor_passthru",
    "GET nodes/{node}/detail",
    "GET nodes/{node}/portgroups/{portgroup}",
    "GET nodes/{node}/portgroups/{portgroup}/ports",
    "GET nodes/{node}/portgroups/{portgroup}/ports/detail",
    "GET nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "GET nodes/{node}/portgroups/{portgroup}/{part}",
    "GET nodes/{node}/ports/{port}",
    "GET nodes/{node}/volume/connectors/{connector}",
    "GET nodes/{node}/volume/targets/{target}",
    "GET portgroups/{portgroup}/detail",
    "GET portgroups/{portgroup}/ports/{port}",
    "GET shards/{shard}",
    "PATCH allocations",
    "PATCH allocations/{allocation}/{part}",
    "PATCH chassis",
    "PATCH chassis/nodes",
    "PATCH chassis/{chassis}/nodes",
    "PATCH chassis/{chassis}/nodes/{fields}",
    "PATCH chassis/{chassis}/{part}",
    "PATCH deploy_templates",
    "PATCH deploy_templates/{template}/{part}",
    "PATCH drivers/{driver}/vendor_passthru",
    "PATCH inspection_rules",
    "PATCH inspection_rules/{rule}/{part}",
    "PATCH nodes",
    "PATCH nodes/{node}/portgroups",
    "PATCH nodes/{node}/portgroups/{portgroup}",
    "PATCH nodes/{node}/portgroups/{portgroup}/ports",
    "PATCH nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "PATCH nodes/{node}/portgroups/{portgroup}/{part}",
    "PATCH nodes/{node}/ports",
    "PATCH nodes/{node}/ports/{port}",
    "PATCH nodes/{node}/volume/connectors",
    "PATCH nodes/{node}/volume/connectors/{connector}",
    "PATCH nodes/{node}/volume/targets",
    "PATCH nodes/{node}/volume/targets/{target}",
    "PATCH nodes/{node}/{fields}",
    "PATCH portgroups",
    "PATCH portgroups/{portgroup}/ports",
    "PATCH portgroups/{portgroup}/ports/{port}",
    "PATCH portgroups/{portgroup}/{part}",
    "PATCH ports",
    "PATCH ports/{port}/{part}",
    "PATCH runbooks",
    "PATCH runbooks/{runbook}/{part}",
    "PATCH volume/connectors",
    "PATCH volume/connectors/{connector}/{part}",
    "PATCH volume/targets",
    "PATCH volume/targets/{target}/{part}",
    "POST allocations/{allocation}",
    "POST allocations/{allocation}/{part}",
    "POST chassis/nodes",
    "POST chassis/{chassis}",
    "POST chassis/{chassis}/nodes",
    "POST chassis/{chassis}/nodes/{fields}",
    "POST chassis/{chassis}/{part}",
    "POST deploy_templates/{template}",
    "POST deploy_templates/{template}/{part}",
    "POST drivers/{driver}/vendor_passthru",
    "POST events/{event}",
    "POST heartbeat",
    "POST inspection_rules/{rule}",
    "POST inspection_rules/{rule}/{part}",
    "POST nodes/{node}",
    "POST nodes/{node}/portgroups",
    "POST nodes/{node}/portgroups/{portgroup}",
    "POST nodes/{node}/portgroups/{portgroup}/ports",
    "POST nodes/{node}/portgroups/{portgroup}/ports/{port}",
    "POST nodes/{node}/portgroups/{portgroup}/{part}",
    "POST nodes/{node}/ports",
    "POST nodes/{node}/ports/{port}",
    "POST nodes/{node}/vifs/{vif}",
    "POST nodes/{node}/vmedia/{device}",
    "POST nodes/{node}/volume/connectors",
    "POST nodes/{node}/volume/connectors/{connector}",
    "POST nodes/{node}/volume/targets",
    "POST nodes/{node}/volume/targets/{target}",
    "POST nodes/{node}/{fields}",
    "POST portgroups/{portgroup}",
    "POST portgroups/{portgroup}/ports",
    "POST portgroups/{portgroup}/ports/{port}",
    "POST portgroups/{portgroup}/{part}",
    "POST ports/{port}",
    "POST ports/{port}/{part}",
    "POST runbooks/{runbook}",
    "POST runbooks/{runbook}/{part}",
    "POST volume/connectors/{connector}",
    "POST volume/connectors/{connector}/{part}",
    "POST volume/targets/{target}",
    "POST volume/targets/{target}/{part}",
    "PUT drivers/{driver}/vendor_passthru",
];

/// What the simulated hardware of the recordings cannot do.
const NEEDS_HARDWARE: &[&str] = &[
    "POST continue_inspection",
    "DELETE drivers/{driver}/vendor_passthru/{method}",
    "DELETE nodes/{node}/vendor_passthru",
    "DELETE nodes/{node}/vendor_passthru/{method}",
    "GET drivers/{driver}/vendor_passthru/{method}",
    "GET nodes/{node}/inventory",
    "GET nodes/{node}/vendor_passthru",
    "GET nodes/{node}/vendor_passthru/{method}",
    "GET nodes/{node}/vmedia",
    "PATCH drivers/{driver}/vendor_passthru/{method}",
    "PATCH nodes/{node}/vendor_passthru",
    "PATCH nodes/{node}/vendor_passthru/{method}",
    "POST drivers/{driver}/vendor_passthru/{method}",
    "PUT drivers/{driver}/vendor_passthru/{method}",
    "PUT nodes/{node}/management/indicators/{indicator}",
    "PUT nodes/{node}/management/inject_nmi",
    "PUT nodes/{node}/vendor_passthru",
    "PUT nodes/{node}/vendor_passthru/{method}",
];

#[test]
fn every_method_of_every_path_is_asked_with_success_and_without() {
    let mut seen: BTreeMap<(&str, &str), (bool, bool)> = BTreeMap::new();
    let mut files = file::in_folder(&super::path("scenarios"), &["known"]).unwrap();
    files.extend(["faults", "answers"].map(|name| super::path(&format!("golden/{name}.json"))));
    for path in files {
        let scenario = Scenario::read(&path).unwrap();
        for entry in scenario.requests().unwrap() {
            let path = entry["path"].as_str().unwrap();
            let path = path.split('?').next().unwrap().trim_matches('/');
            let path = path.strip_prefix("v1/").unwrap_or(path);
            let elements: Vec<&str> = path.split('/').collect();
            // Where the controller comes first, no row has the path as it stands.
            if let [
                "nodes",
                "states" | "management" | "maintenance" | "vendor_passthru",
                ..,
            ] = elements[..]
            {
                continue;
            }
            let row = ROUTES
                .iter()
                .find(|row| route::matches(row.path, &elements));
            let Some(row) = row else { continue };
            let method = entry["method"].as_str().unwrap();
            let method = row.methods.iter().find(|(m, _)| m.as_str() == method);
            let Some((method, _)) = method else { continue };
            let (good, bad) = seen.entry((row.path, method.as_str())).or_default();
            let fine = entry["status"].as_u64().unwrap() < 300;
            *good |= fine;
            *bad |= !fine;
        }
    }
    let mut missing = Vec::new();
    // Requests that only Corten has cannot be compared with Ironic.
    for row in ROUTES.iter().filter(|row| !row.path.starts_with("corten/")) {
        for method in row
            .methods
            .iter()
            .map(|(method, _)| Method::as_str(*method))
        {
            let (good, bad) = seen.get(&(row.path, method)).copied().unwrap_or_default();
            let request = format!("{method} {}", row.path);
            let mut hopeless = NEVER_SUCCEED.iter().chain(NEEDS_HARDWARE);
            let hopeless = hopeless.any(|known| *known == request);
            match (good, hopeless) {
                (false, false) => missing.push(format!("{request} with success")),
                (true, true) => missing.push(format!("{request} does succeed")),
                _ => {}
            }
            if !bad {
                missing.push(format!("{request} without success"));
            }
        }
    }
    assert!(missing.is_empty(), "not asked:\n{}", missing.join("\n"));
}
