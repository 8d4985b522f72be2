//! Which of our crates may know which: the table that ARCHITECTURE.md draws.
//!
//! The arrows are what keeps a driver from reading the database and the API from calling hardware.
//! Cargo would accept any of them, so the manifests are compared with the table here. Development
//! dependencies count too: a test that needs a forbidden crate is in the wrong place.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::Path,
    process::Command,
};

/// A crate, and the crates of ours that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("types", &[]),
    // The client's side of TLS; who calls whom is its users' business.
    ("tls", &["types"]),
    // How HTTP servers accept, secure and limit connections.
    ("inbound", &[]),
    // How HTTP clients begin, and which addresses are connected to for others.
    ("outbound", &[]),
    // Other services of the cloud; what a flow does with them is its users' business.
    ("openstack", &["types", "tls", "outbound"]),
    // Byte formats: no sockets, no clocks, no randomness of their own.
    ("proto", &["types"]),
    // Images: where they come from, what they are, and writing them; knows no node.
    ("image", &["types", "proto", "tls", "outbound"]),
    ("store", &["types", "tls"]),
    // The ramdisk's program: a peer of the service, which it only meets over HTTP.
    (
        "agent",
        &["types", "proto", "image", "tls", "inbound", "outbound"],
    ),
    // Simulated hardware: what the drivers speak to in tests, so it must not share their code.
    ("sim", &["types", "proto"]),
    // Servers and the files they hand out; what a node is they learn from who publishes it.
    ("boot", &["types", "proto", "inbound"]),
    (
        "drivers",
        &[
            "types",
            "proto",
            "image",
            "boot",
            "tls",
            "outbound",
            "openstack",
        ],
    ),
    // Asks addresses who is there, in the words of the drivers; knows no node and no service.
    (
        "discover",
        &["types", "proto", "drivers", "tls", "outbound"],
    ),
    // Who is alive, whom a node belongs to, and the calls between processes.
    ("cluster", &["types", "store", "tls", "outbound"]),
    (
        "conductor",
        &[
            "types",
            "store",
            "drivers",
            "image",
            "boot",
            "cluster",
            "tls",
            "outbound",
            "openstack",
        ],
    ),
    ("api", &["types", "store", "tls", "outbound"]),
    // Ways out to systems that watch; what is told stands in the store.
    ("telemetry", &["types", "proto", "store", "tls", "outbound"]),
    // Reads and writes rows through the store; values of foreign rows are mapped without I/O.
    ("migrate", &["types", "store"]),
    // Speaks HTTP like any other client, so that nothing works for it alone.
    ("cli", &["tls", "outbound"]),
    // Options and their values; what they mean for a part is said in `corten`.
    ("config", &["types", "tls"]),
    // The built web page; a client of the API like any other.
    ("ui", &[]),
    // Builds what machines boot; serves nothing.
    ("ramdisk", &["types", "proto", "image"]),
    (
        "corten",
        &[
            "types",
            "proto",
            "image",
            "store",
            "boot",
            "discover",
            "drivers",
            "conductor",
            "api",
            "cli",
            "cluster",
            "sim",
            "telemetry",
            "migrate",
            "tls",
            "inbound",
            "outbound",
            "openstack",
            "config",
            "ramdisk",
            "ui",
        ],
    ),
    // Knows programs only: everything it does, an operator could do.
    ("corten-e2e", &[]),
    // Knows answers, not the code that gives them.
    ("scenario", &[]),
    // Knows programs only, and reads the tables at the end; the words for states are not worth a
    // copy.
    ("corten-chaos", &["types", "scenario"]),
    (
        "corten-tests",
        &[
            "types",
            "agent",
            "image",
            "proto",
            "image",
            "agent",
            "store",
            "boot",
            "drivers",
            "conductor",
            "api",
            "cli",
            "cluster",
            "corten",
            "migrate",
            "openstack",
            "outbound",
            "scenario",
            "sim",
        ],
    ),
    // Whatever reads what others wrote.
    (
        "corten-fuzz",
        &[
            "types",
            "api",
            "store",
            "proto",
            "drivers",
            "image",
            "migrate",
            "openstack",
            "sim",
        ],
    ),
    // Draws the tables of `types`; knows nothing else of the service.
    ("xtask", &["types", "scenario"]),
];

pub(crate) fn check(root: &Path) -> Result<String> {
    let (crates, findings) = compare(&metadata(root)?)?;
    super::verdict(findings, format!("{crates} crates"))
}

/// The crates of the service and those that each depends on, tests left out.
pub(crate) fn dependencies(root: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let metadata = metadata(root)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let folder = root.join("crates");
    let ours: Vec<&Value> = packages
        .filter(|package| {
            let manifest = package["manifest_path"].as_str();
            manifest.is_some_and(|manifest| Path::new(manifest).starts_with(&folder))
        })
        .collect();
    let name = |package: &Value| package["name"].as_str().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = ours.iter().map(|package| name(package)).collect();
    let known = |package: &Value| {
        let all = package["dependencies"].as_array().into_iter().flatten();
        let linked = all.filter(|dependency| dependency["kind"].is_null());
        let known = linked.map(name).filter(|one| names.contains(one));
        known.collect()
    };
    Ok(ours
        .iter()
        .map(|package| (name(package), known(package)))
        .collect())
}

/// What cargo knows of our crates.
fn metadata(root: &Path) -> Result<Value> {
    // Set by `cargo xtask`: the cargo of the pinned toolchain, not just any.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("cannot start cargo")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata is no JSON")
}

/// How many crates there are, and what is wrong with their arrows.
fn compare(metadata: &Value) -> Result<(usize, Vec<String>)> {
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let ours: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
            findings.push(format!("{name} is not in the table of xtask/src/arrows.rs"));
            continue;
        };
        let dependencies = package["dependencies"].as_array();
        let known: BTreeSet<&str> = dependencies
            .into_iter()
            .flatten()
            .filter_map(|dependency| dependency["name"].as_str())
            .filter(|dependency| ours.contains(dependency))
            .collect();
        for dependency in known {
            if !allowed.contains(&dependency) {
                findings.push(format!("{name} must not depend on {dependency}"));
            }
        }
    }
    Ok((packages.len(), findings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn findings(packages: Value) -> Vec<String> {
        compare(&json!({ "packages": packages })).unwrap().1
    }

    #[test]
    fn the_service_is_wired_by_the_binary_alone() {
        let fine = json!([
            {"name": "types", "dependencies": [{"name": "serde"}]},
            {"name": "api", "dependencies": [{"name": "types"}]},
            {"name": "corten", "dependencies": [{"name": "api"}, {"name": "types"}]},
        ]);
        assert_eq!(findings(fine), Vec::<String>::new());
    }

    #[test]
    fn an_arrow_upward_is_found_whatever_its_kind() {
        let wrong = json!([
            {"name": "drivers", "dependencies": [{"name": "store", "kind": "dev"}]},
            {"name": "store", "dependencies": []},
        ]);
        assert_eq!(findings(wrong), ["drivers must not depend on store"]);
    }

    #[test]
    fn a_new_crate_needs_a_row() {
        let new = json!([{"name": "newcomer", "dependencies": []}]);
        assert_eq!(
            findings(new),
            ["newcomer is not in the table of xtask/src/arrows.rs"]
        );
    }

    #[test]
    fn the_table_has_no_circle() {
        // Every crate stands below the crates that may know it.
        let position = |name: &&str| ALLOWED.iter().position(|(known, _)| *known == *name);
        for (index, (name, allowed)) in ALLOWED.iter().enumerate() {
            for dependency in *allowed {
                assert!(position(dependency) < Some(index), "{name} → {dependency}");
            }
        }
    }
}
