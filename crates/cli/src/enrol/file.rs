//! Tables of machines in files: CSV with column names, YAML or JSON with a list of objects.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use super::{Row, csv};
use crate::error::Error;
use crate::input;

/// More than any rack room needs; a file that is larger is another one than was meant.
const LARGEST_FILE: u64 = 16 << 20;
const MOST_ROWS: usize = 20_000;

pub(super) fn read(path: &Path) -> Result<Vec<Row>, Error> {
    let wrong = |what: &str| Error::failed(format!("{}: {what}", path.display()));
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut text));
    let length = read.map_err(|error| wrong(&format!("cannot be read: {error}")))?;
    if u64::try_from(length).is_ok_and(|length| length > LARGEST_FILE) {
        return Err(wrong(
            "it has more than 16 MiB, which is no table of machines",
        ));
    }
    let rows = match path.extension().and_then(|end| end.to_str()) {
        Some("csv") => of_csv(&text),
        // The message of a parser may quote the line, and passwords stand in it.
        Some("json") => serde_json::from_str(&text)
            .map_err(|error| format!("line {}: it is no JSON", error.line()))
            .and_then(of_list),
        Some("yaml" | "yml") => input::yaml(&text)
            .map_err(|_| "it is no YAML".to_owned())
            .and_then(of_list),
        _ => {
            return Err(wrong(
                "the name of a table ends in .csv, .yaml, .yml or .json",
            ));
        }
    };
    let rows = rows.map_err(|error| wrong(&error))?;
    match rows.len() {
        0 => Err(wrong("there is no machine in it")),
        length if length > MOST_ROWS => Err(wrong(&format!(
            "it has more than {MOST_ROWS} rows; enrol them in parts"
        ))),
        _ => Ok(rows),
    }
}

fn of_csv(text: &str) -> Result<Vec<Row>, String> {
    let mut records = csv::read(text)?.into_iter();
    let Some(head) = records.next() else {
        return Ok(Vec::new());
    };
    let names: Vec<String> = head.cells.iter().map(|name| name.to_lowercase()).collect();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(format!(
                "line {}: column {} has no name",
                head.line,
                index + 1
            ));
        }
        if names.iter().take(index).any(|before| before == name) {
            return Err(format!("line {}: two columns are called {name}", head.line));
        }
    }
    let rows = records.map(|record| {
        if record.cells.len() > names.len() {
            return Err(format!(
                "line {} has {} cells, and there are {} columns; put cells with commas in quotes",
                record.line,
                record.cells.len(),
                names.len()
            ));
        }
        let cells = names.iter().zip(record.cells);
        let fields = cells
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(name, cell)| (name.clone(), Value::String(cell)));
        Ok(Row {
            place: format!("line {}", record.line),
            fields: fields.collect(),
        })
    });
    rows.collect()
}

/// A list of objects, or one under `nodes`, as in the files of `corten create`.
fn of_list(value: Value) -> Result<Vec<Row>, String> {
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut file) if file.len() == 1 => match file.remove("nodes") {
            Some(Value::Array(list)) => list,
            _ => return Err(EXPECTED.to_owned()),
        },
        _ => return Err(EXPECTED.to_owned()),
    };
    let rows = list.into_iter().enumerate().map(|(index, item)| {
        let place = format!("item {}", index + 1);
        match item {
            Value::Object(fields) => Ok(Row {
                fields: flat(fields),
                place,
            }),
            _ => Err(format!("{place} is no object")),
        }
    });
    rows.collect()
}

const EXPECTED: &str = "it is no list of machines";

/// `{"driver_info": {"a": 1}}` as `driver_info.a`, and nothing that is null.
fn flat(fields: Map<String, Value>) -> Map<String, Value> {
    let mut flat = Map::new();
    for (name, value) in fields {
        match value {
            Value::Null => {}
            Value::Object(inner) => {
                let inner = inner.into_iter().filter(|(_, value)| !value.is_null());
                flat.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            value => {
                flat.insert(name, value);
            }
        }
    }
    flat
}
