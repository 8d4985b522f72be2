//! clouds.yaml: named services and how to authenticate with them.
//!
//! Secrets may stand apart in secure.yaml beside it, which is laid over it. Vendor profiles and
//! `OS_CLOUD` left to guessing are left out: a cloud is named or not used.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::Error;
use crate::input;

/// The entry of a cloud, from the file given or the first folder that has one.
pub(super) fn find(name: &str, file: Option<PathBuf>, folders: &[PathBuf]) -> Result<Value, Error> {
    let Some(path) = file.or_else(|| first_of("clouds", folders)) else {
        let searched: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
        return Err(Error::usage(format!(
            "cloud '{name}' is asked for, and there is no clouds.yaml in {}",
            searched.join(", ")
        )));
    };
    let mut contents = read(&path)?;
    if let Some(secure) = first_of("secure", folders) {
        lay_over(&mut contents, read(&secure)?);
    }
    let clouds = contents.get("clouds").and_then(Value::as_object);
    clouds
        .and_then(|clouds| clouds.get(name))
        .cloned()
        .ok_or_else(|| {
            let known: Vec<&str> = clouds
                .into_iter()
                .flat_map(|clouds| clouds.keys())
                .map(String::as_str)
                .collect();
            Error::usage(format!(
                "{} has no cloud '{name}'; it has: {}",
                path.display(),
                if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                }
            ))
        })
}

fn first_of(stem: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders
        .iter()
        .flat_map(|folder| ["yaml", "yml", "json"].map(|end| folder.join(format!("{stem}.{end}"))))
        .find(|path| path.is_file())
}

fn read(path: &Path) -> Result<Value, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::usage(format!("cannot read {}: {error}", path.display())))?;
    input::yaml(&text)
        .map_err(|error| Error::usage(format!("{} is not YAML: {error}", path.display())))
}

/// Objects are merged, anything else is replaced.
fn lay_over(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                lay_over(below.entry(key).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}
