//! Whether the scenarios ask everything that can be asked.

use api::{
    route::{self, Method},
    route_table::ROUTES,
};
use scenario::file::{self, Scenario};
use std::collections::BTreeMap;

/// Methods of paths that the original answers with a fault whatever is sent.
const NEVER_SUCCEED: &[(&str, &str)] = &[];

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
    // What is ours alone has no original to be compared with.
    for row in ROUTES.iter().filter(|row| !row.path.starts_with("corten/")) {
        for method in row
            .methods
            .iter()
            .map(|(method, _)| Method::as_str(*method))
        {
            let (good, bad) = seen.get(&(row.path, method)).copied().unwrap_or_default();
            let hopeless = NEVER_SUCCEED.contains(&(method, row.path));
            match (good, hopeless) {
                (false, false) => missing.push(format!("{method} {} with success", row.path)),
                (true, true) => missing.push(format!("{method} {} does succeed", row.path)),
                _ => {}
            }
            if !bad {
                missing.push(format!("{method} {} without success", row.path));
            }
        }
    }
    assert!(missing.is_empty(), "not asked:\n{}", missing.join("\n"));
}
