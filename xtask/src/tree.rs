//! The files of the repository, found by walking it.
//!
//! Walking rather than asking git keeps the checks working in an unpacked archive and sees files
//! that are not added yet. Build output and fuzzing finds are left out.

use anyhow::{Context, Result};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Folders that hold nothing anybody wrote.
const GENERATED: &[&str] = &[
    ".git",
    "target",
    "corpus",
    "artifacts",
    "__pycache__",
    "node_modules",
];

/// The top of the repository.
pub(crate) fn root() -> Result<PathBuf> {
    // `cargo xtask` says where it found us, which holds even if the build is older than the move.
    let here = env::var_os("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into());
    let root = Path::new(&here)
        .parent()
        .context("xtask has no parent folder")?;
    Ok(root.to_owned())
}

/// A text file of the repository.
pub(crate) struct Text {
    /// Relative to the top.
    pub(crate) path: PathBuf,
    pub(crate) content: String,
}

/// All text files, sorted by path. Files that are not UTF-8 are data and left out.
pub(crate) fn texts(root: &Path) -> Result<Vec<Text>> {
    let mut paths = Vec::new();
    walk(root, &mut paths)?;
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let Ok(content) = String::from_utf8(bytes) else {
            continue;
        };
        let path = path.strip_prefix(root).unwrap_or(&path).to_owned();
        texts.push(Text { path, content });
    }
    Ok(texts)
}

/// Whether a path names Rust source.
pub(crate) fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !GENERATED.iter().any(|name| entry.file_name() == *name) {
                walk(&entry.path(), paths)?;
            }
        } else if kind.is_file() {
            paths.push(entry.path());
        }
    }
    Ok(())
}
