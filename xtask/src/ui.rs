//! `cargo xtask ui`: the committed page belongs to its sources, and stands on few packages.
//!
//! Needs no Node: `ui/dist/MANIFEST` says what every source and every built file hashed to when the
//! page was built, and the lock file names the packages. `make ui-check` builds the page anew and
//! compares.

use anyhow::{Context, Result};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use types::hex;

const FOLDER: &str = "ui";
const MANIFEST: &str = "dist/MANIFEST";
const LOCK: &str = "package-lock.json";

/// Sources besides everything in `ui/src`.
const BESIDES: &[&str] = &[
    "build.mjs",
    "package-lock.json",
    "package.json",
    "tsconfig.json",
];

/// What the page may consist of …
const SHIPPED: &[&str] = &[
    "@novnc/novnc",
    "@preact/signals",
    "@preact/signals-core",
    "@xterm/addon-fit",
    "@xterm/xterm",
    "preact",
];

/// … and what it is built and tested with.
const TOOLS: &[&str] = &["axe-core", "esbuild", "playwright-core", "typescript"];

/// The same tools for other machines: one binary each, of which one is installed.
const PLATFORMS: &[&str] = &["@esbuild/", "@typescript/typescript-"];

const LICENCES: &[&str] = &["MIT", "Apache-2.0", "MPL-2.0", "BSD-3-Clause", "ISC"];

/// Signs of text that becomes a program or markup, and of things from elsewhere.
const FORBIDDEN: &[&str] = &[
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "cssText",
    "http://",
    "https://",
];

/// Examples of addresses that are shown and never fetched.
const EXAMPLES: &[&str] = &[
    "https://images.example/",
    "http://www.w3.org/2000/svg",
    "https://bmc.example",
];

pub(crate) fn check(root: &Path) -> Result<String> {
    let folder = root.join(FOLDER);
    let mut findings = hashes(&folder)?;
    let lock = fs::read_to_string(folder.join(LOCK)).context("cannot read the lock file")?;
    findings.extend(packages(&lock)?);
    findings.extend(words(&folder)?);
    let count = listed(&fs::read_to_string(folder.join(MANIFEST))?).len();
    super::verdict(findings, format!("{count} files are those of the manifest"))
}

/// Files that are not as the manifest says, that it does not know, or that are missing.
fn hashes(folder: &Path) -> Result<Vec<String>> {
    let manifest = fs::read_to_string(folder.join(MANIFEST))
        .context("there is no ui/dist/MANIFEST; run `make ui`")?;
    let listed = listed(&manifest);
    let mut there: Vec<PathBuf> = BESIDES.iter().map(PathBuf::from).collect();
    for part in ["src", "dist"] {
        walk(folder, Path::new(part), &mut there)?;
    }
    there.retain(|path| path != Path::new(MANIFEST));
    let mut findings = Vec::new();
    for path in &there {
        let name = path.display().to_string();
        let bytes =
            fs::read(folder.join(path)).with_context(|| format!("cannot read ui/{name}"))?;
        match listed.get(name.as_str()) {
            Some(hash) if *hash == hex::encode(&Sha256::digest(&bytes)) => {}
            Some(_) => findings.push(format!("ui/{name} is not what was built; run `make ui`")),
            None => findings.push(format!("ui/{name} is not in the manifest; run `make ui`")),
        }
    }
    let is_there = |name: &str| there.iter().any(|path| path == Path::new(name));
    let missing = listed.keys().filter(|name| !is_there(name));
    findings.extend(missing.map(|name| format!("ui/{name} is missing; run `make ui`")));
    Ok(findings)
}

/// The names of a manifest and their hashes.
fn listed(manifest: &str) -> BTreeMap<&str, &str> {
    let rows = manifest.lines().filter_map(|line| line.split_once("  "));
    rows.map(|(hash, name)| (name, hash)).collect()
}

fn walk(root: &Path, folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            walk(root, &path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// What is wrong with the packages of the lock file.
fn packages(lock: &str) -> Result<Vec<String>> {
    let lock: Value = serde_json::from_str(lock).context("the lock file is no JSON")?;
    let all = lock["packages"]
        .as_object()
        .context("it lists no packages")?;
    let mut findings = Vec::new();
    for (path, package) in all {
        let Some(name) = path.strip_prefix("node_modules/") else {
            continue;
        };
        let is_platform = PLATFORMS.iter().any(|start| name.starts_with(start));
        if !is_platform && !SHIPPED.contains(&name) && !TOOLS.contains(&name) {
            findings.push(format!("ui depends on {name}, which is not on the list"));
        }
        if !is_platform && SHIPPED.contains(&name) == (package["dev"] == true) {
            findings.push(format!("{name} is on the wrong side of shipped and tool"));
        }
        let licence = package["license"].as_str().unwrap_or("none");
        if !LICENCES.contains(&licence) {
            findings.push(format!("{name} has the licence {licence}"));
        }
        if package.get("resolved").is_some() {
            findings.push(format!("{name} names the place it came from"));
        }
        if package["integrity"].as_str().is_none() {
            findings.push(format!("{name} has no hash"));
        }
    }
    Ok(findings)
}

/// Places in the page's source that make text a program, or name another site.
fn words(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    walk(folder, Path::new("src"), &mut paths)?;
    let mut findings = Vec::new();
    for path in paths {
        let text = fs::read_to_string(folder.join(&path))?;
        for (index, line) in text.lines().enumerate() {
            let line = EXAMPLES
                .iter()
                .fold(line.to_owned(), |line, known| line.replace(known, ""));
            if let Some(word) = FORBIDDEN.iter().find(|word| line.contains(**word)) {
                findings.push(format!("ui/{}:{} has {word}", path.display(), index + 1));
            }
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_after_the_build_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let ui = folder.path();
        fs::create_dir_all(ui.join("src")).unwrap();
        fs::create_dir_all(ui.join("dist")).unwrap();
        let mut manifest = String::new();
        for name in BESIDES.iter().chain(&["src/main.tsx", "dist/index.html"]) {
            fs::write(ui.join(name), name).unwrap();
            manifest += &format!("{}  {name}\n", hex::encode(&Sha256::digest(name)));
        }
        fs::write(ui.join(MANIFEST), &manifest).unwrap();
        assert_eq!(hashes(ui).unwrap(), Vec::<String>::new());
        fs::write(ui.join("src/main.tsx"), "changed").unwrap();
        fs::write(ui.join("src/new.ts"), "new").unwrap();
        fs::remove_file(ui.join("dist/index.html")).unwrap();
        assert_eq!(hashes(ui).unwrap().len(), 3);
    }

    #[test]
    fn a_package_that_is_not_on_the_list_is_found() {
        let lock = |name: &str, rest: &str| {
            let text = format!(
                r#"{{"packages": {{"": {{}}, "node_modules/{name}": {{"integrity": "x"{rest}}}}}}}"#
            );
            packages(&text).unwrap().len()
        };
        assert_eq!(lock("preact", r#", "license": "MIT""#), 0);
        assert_eq!(lock("esbuild", r#", "license": "MIT", "dev": true"#), 0);
        assert_eq!(lock("left-pad", r#", "license": "MIT", "dev": true"#), 1);
        assert_eq!(lock("preact", r#", "license": "GPL-3.0""#), 1);
        assert_eq!(lock("preact", r#", "license": "MIT", "resolved": "x""#), 1);
    }
}
