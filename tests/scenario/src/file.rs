//! The files of `tests/golden` and `tests/scenarios`.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What an entry says about its request; everything else in it is about the answer.
const REQUEST: &[&str] = &[
    "name", "method", "path", "version", "headers", "body", "raw_body", "save", "wait", "varies",
];

/// A file of requests.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The name of the file, without its ending: what lists of differences call it.
    pub name: String,
    /// All of its text, for the UUIDs it mentions.
    pub text: String,
    pub content: Content,
}

/// The two forms of files.
#[derive(Debug, Clone)]
pub enum Content {
    /// Requests in their order.
    Requests(Vec<Value>),
    /// One document, read at every version: pairs of the version it looks so from, and its look.
    Document { path: String, looks: Vec<Value> },
}

impl Scenario {
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(path).with_context(|| path.display().to_string())
    }

    fn parse(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let content = match serde_json::from_str(&text)? {
            Value::Array(entries) => Content::Requests(entries),
            document => Content::Document {
                path: document["path"].as_str().context("no path")?.to_owned(),
                looks: document["documents"]
                    .as_array()
                    .context("no documents")?
                    .clone(),
            },
        };
        Ok(Self {
            name: name.into_owned(),
            text,
            content,
        })
    }

    /// The requests of a file that holds requests.
    pub fn requests(&self) -> Result<&[Value]> {
        match &self.content {
            Content::Requests(entries) => Ok(entries),
            Content::Document { .. } => bail!("{} holds a document, not requests", self.name),
        }
    }
}

/// The files of a folder, by name, except those that are something else.
pub fn in_folder(folder: &Path, except: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.extension().is_some_and(|e| e == "json") && !except.contains(&stem.as_ref()) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The answer of an entry.
pub fn recorded(entry: &Value) -> Value {
    let fields = entry.as_object().into_iter().flatten();
    fields
        .filter(|(key, _)| !REQUEST.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The entry with another answer.
pub fn with_answer(entry: &Value, answer: &Value) -> Value {
    let request = entry.as_object().into_iter().flatten();
    let request = request.filter(|(key, _)| REQUEST.contains(&key.as_str()));
    let answer = answer.as_object().into_iter().flatten();
    request
        .chain(answer)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// A list with one item a line, so that a change is one line of a diff.
pub fn lines(items: &[Value]) -> String {
    let items: Vec<String> = items.iter().map(spaced).collect();
    format!("[\n{}\n]", items.join(",\n"))
}

/// JSON on one line that a person can read.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let fields = map
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}
