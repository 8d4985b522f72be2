//! Results on paper: a list or a single record, as a table for people or in a format for programs.
//!
//! The formats and options are those of the stock client (of cliff, which it is made with). `-c`
//! takes a name in any case, with spaces for underscores.

mod cell;
mod csv;
mod json;
mod shell;
mod table;
mod yaml;

pub(crate) use table::width;
pub(crate) use yaml::is_uuid;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use crate::console::Console;
use crate::error::Error;
use crate::listing;

pub(crate) use csv::Quote;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Table,
    Json,
    Value,
    Csv,
    Yaml,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordFormat {
    Table,
    Json,
    Value,
    Shell,
    Yaml,
}

/// How a list is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ListOutput {
    /// How to print the result
    #[arg(
        short = 'f',
        long = "format",
        value_name = "FORMAT",
        default_value = "table"
    )]
    format: ListFormat,
    #[command(flatten)]
    shape: Shape,
    /// With -f csv: what to put in quotes
    #[arg(long, value_name = "WHAT", default_value = "nonnumeric")]
    quote: Quote,
    /// Sort by this column (repeat for more); one that is not there is ignored
    #[arg(long, value_name = "COLUMN")]
    sort_column: Vec<String>,
    /// With --sort-column: the least first, which is the default
    #[arg(long)]
    sort_ascending: bool,
    /// With --sort-column: the greatest first
    #[arg(long, conflicts_with = "sort_ascending")]
    sort_descending: bool,
}

/// How a record is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct RecordOutput {
    /// How to print the result
    #[arg(
        short = 'f',
        long = "format",
        value_name = "FORMAT",
        default_value = "table"
    )]
    format: RecordFormat,
    #[command(flatten)]
    shape: Shape,
    /// With -f shell: begin every name with this
    #[arg(
        long,
        value_name = "PREFIX",
        default_value = "",
        hide_default_value = true
    )]
    prefix: String,
}

/// How what has no columns is printed: events as they come, and how the service fares.
#[derive(Debug, Args)]
pub(crate) struct LineOutput {
    /// How to print it
    #[arg(
        short = 'f',
        long = "format",
        value_name = "FORMAT",
        default_value = "table"
    )]
    pub(crate) format: LineFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    /// Lines for people
    #[value(alias = "text")]
    Table,
    /// A JSON object, on a line if more than one may come
    Json,
}

/// What lists and records have in common.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct Shape {
    /// Print only this column (repeat for more)
    #[arg(short = 'c', long = "column", value_name = "COLUMN")]
    columns: Vec<String>,
    /// With -f json: print it on one line
    #[arg(long)]
    noindent: bool,
    /// Widest table to draw; the terminal decides if not given
    #[arg(
        long,
        value_name = "COLUMNS",
        env = "CLIFF_MAX_TERM_WIDTH",
        hide_env = true
    )]
    max_width: Option<usize>,
    /// Draw tables no wider than the terminal, even if they do not go to it
    #[arg(long)]
    fit_width: bool,
    /// Draw a table even if there is nothing in it
    #[arg(long)]
    print_empty: bool,
}

/// What a terminal is taken to have when nothing is known of it.
const USUAL_WIDTH: usize = 80;

impl ListOutput {
    pub(crate) fn is_json(&self) -> bool {
        self.format == ListFormat::Json
    }

    pub(crate) fn is_table(&self) -> bool {
        self.format == ListFormat::Table
    }

    /// How wide a table may be of which somebody looks at a terminal and has left the choice of
    /// columns to us. Nothing where the result must be that of the stock client.
    pub(crate) fn room(&self, console: &Console) -> Option<usize> {
        let is_chosen = !self.shape.columns.is_empty() || !self.sort_column.is_empty();
        console.width.filter(|_| self.is_table() && !is_chosen)
    }
}

/// Prints a document as JSON, for what is more than a list.
pub(crate) fn print_json(
    console: &mut Console,
    output: &ListOutput,
    document: &Value,
) -> Result<(), Error> {
    console.print_data(&json::text(document, output.shape.noindent))
}

/// Prints a table among others, as wide as the terminal allows.
pub(crate) fn print_table(
    console: &mut Console,
    names: &[&str],
    rows: &[Vec<Value>],
) -> Result<(), Error> {
    let rows: Vec<Vec<&Value>> = rows.iter().map(|row| row.iter().collect()).collect();
    let right: Vec<bool> = match rows.first() {
        Some(first) => first.iter().map(|value| value.is_number()).collect(),
        None => vec![false; names.len()],
    };
    let width = console.width;
    let text = table::draw(names, &rows, &right, 8, width, console.colour);
    console.print(&text)
}

/// As [`print_table`], on a narrow terminal without columns that can be done without, the first of
/// them first.
pub(crate) fn print_fitting_table(
    console: &mut Console,
    names: &[&str],
    rows: &[Vec<Value>],
    spare: &[&str],
) -> Result<(), Error> {
    let kept = fitting(names, rows, spare, console.width);
    let names: Vec<&str> = kept
        .iter()
        .filter_map(|&at| names.get(at).copied())
        .collect();
    let kept_of = |row: &Vec<Value>| kept.iter().filter_map(|&at| row.get(at).cloned()).collect();
    let rows: Vec<Vec<Value>> = rows.iter().map(kept_of).collect();
    print_table(console, &names, &rows)
}

/// Which columns stay so that a table fits, by their places.
pub(crate) fn fitting(
    names: &[&str],
    rows: &[Vec<Value>],
    spare: &[&str],
    width: Option<usize>,
) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..names.len()).collect();
    let Some(width) = width else {
        return kept;
    };
    for name in spare {
        let titles: Vec<&str> = kept
            .iter()
            .filter_map(|&at| names.get(at).copied())
            .collect();
        let cells = |row: &'_ Vec<Value>| -> Vec<Value> {
            kept.iter().filter_map(|&at| row.get(at).cloned()).collect()
        };
        let rows: Vec<Vec<Value>> = rows.iter().map(cells).collect();
        if table::width_of(&titles, &rows) <= width {
            break;
        }
        kept.retain(|&at| names.get(at) != Some(name));
    }
    kept
}

/// Prints a document of many parts for programs.
pub(crate) fn print_document(console: &mut Console, document: &Value) -> Result<(), Error> {
    console.print_data(&json::text(document, false))
}

/// Prints rows under column names.
pub(crate) fn print_list(
    console: &mut Console,
    output: &ListOutput,
    names: &[&str],
    mut rows: Vec<Vec<Value>>,
) -> Result<(), Error> {
    for column in output.sort_column.iter().rev() {
        let Some(index) = names.iter().position(|name| plain(name) == plain(column)) else {
            continue;
        };
        rows.sort_by(|left, right| {
            let order = listing::compare(left.get(index), right.get(index));
            if output.sort_descending {
                order.reverse()
            } else {
                order
            }
        });
    }
    let chosen = choose(&output.shape.columns, names)?;
    let names: Vec<&str> = chosen
        .iter()
        .filter_map(|&index| names.get(index).copied())
        .collect();
    let rows: Vec<Vec<&Value>> = rows
        .iter()
        .map(|row| chosen.iter().filter_map(|&index| row.get(index)).collect())
        .collect();
    let objects = || {
        let object = |row: &Vec<&Value>| {
            let pairs = names.iter().zip(row);
            pairs
                .map(|(&name, &value)| (name.to_owned(), value.clone()))
                .collect()
        };
        Value::Array(rows.iter().map(object).map(Value::Object).collect())
    };
    let text = match output.format {
        ListFormat::Table if rows.is_empty() && !output.shape.print_empty => "\n".to_owned(),
        ListFormat::Table => {
            let right: Vec<bool> = match rows.first() {
                Some(first) => first.iter().map(|value| value.is_number()).collect(),
                None => vec![false; names.len()],
            };
            let width = output.shape.width(console);
            table::draw(&names, &rows, &right, 8, width, console.colour)
        }
        ListFormat::Json => json::text(&objects(), output.shape.noindent),
        ListFormat::Yaml => yaml::text(&objects()),
        ListFormat::Value => rows.iter().map(|row| cell::value_line(row)).collect(),
        ListFormat::Csv => csv::text(&names, &rows, output.quote),
    };
    // Tables are escaped cell by cell, and stay as they are.
    console.print_data(&text)
}

/// Prints one thing, a line for each of its fields.
pub(crate) fn print_record(
    console: &mut Console,
    output: &RecordOutput,
    record: &Map<String, Value>,
) -> Result<(), Error> {
    let names: Vec<&str> = record.keys().map(String::as_str).collect();
    let chosen = choose(&output.shape.columns, &names)?;
    let fields: Map<String, Value> = record
        .iter()
        .enumerate()
        .filter(|(index, _)| chosen.contains(index))
        .map(|(_, (name, value))| (name.clone(), value.clone()))
        .collect();
    let text = match output.format {
        RecordFormat::Table if fields.is_empty() && !output.shape.print_empty => "\n".to_owned(),
        RecordFormat::Table => {
            let names: Vec<Value> = fields.keys().cloned().map(Value::String).collect();
            let rows: Vec<Vec<&Value>> = names
                .iter()
                .zip(fields.values())
                .map(|(name, value)| vec![name, value])
                .collect();
            let width = output.shape.width(console);
            let titles = ["Field", "Value"];
            table::draw(&titles, &rows, &[false, false], 16, width, console.colour)
        }
        RecordFormat::Json => json::text(&Value::Object(fields), output.shape.noindent),
        RecordFormat::Yaml => fields
            .into_iter()
            .map(|field| yaml::text(&Value::Object(Map::from_iter([field]))))
            .collect(),
        RecordFormat::Value => fields
            .values()
            .map(|value| cell::value_line(&[value]))
            .collect(),
        RecordFormat::Shell => shell::text(&output.prefix, &fields),
    };
    console.print_data(&text)
}

/// Lists of words read better as words with commas between them.
pub(crate) fn join_lists(fields: &mut Map<String, Value>) {
    for (_, value) in fields.iter_mut() {
        if let Value::Array(items) = value {
            let words = items.iter().map(|item| match item {
                Value::String(word) => word.clone(),
                other => other.to_string(),
            });
            *value = Value::String(words.collect::<Vec<_>>().join(", "));
        }
    }
}

impl Shape {
    fn width(&self, console: &Console) -> Option<usize> {
        let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
        let fitted = || {
            self.fit_width
                .then(|| columns().filter(|&width| width > 0).unwrap_or(USUAL_WIDTH))
        };
        self.max_width
            .filter(|&width| width > 0)
            .or(console.width)
            .or_else(fitted)
    }
}

/// A name as it is compared.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(' ', "_")
}

/// Which columns were asked for, in the order the result has them.
fn choose(wanted: &[String], names: &[&str]) -> Result<Vec<usize>, Error> {
    if wanted.is_empty() {
        return Ok((0..names.len()).collect());
    }
    let wanted_plain: Vec<String> = wanted.iter().map(|name| plain(name)).collect();
    let chosen: Vec<usize> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| wanted_plain.contains(&plain(name)))
        .map(|(index, _)| index)
        .collect();
    if chosen.is_empty() && !names.is_empty() {
        return Err(Error::usage(format!(
            "no column is called {}; there are {}",
            wanted.join(" or "),
            names.join(", ")
        )));
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::capture;
    use clap::Command;
    use serde_json::json;

    fn parsed<A: Args>(line: &str) -> A {
        let command = A::augment_args(Command::new("test"));
        let words = std::iter::once("test").chain(line.split_whitespace());
        A::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
    }

    fn list(line: &str) -> String {
        let (mut console, out, _) = capture::console();
        let names = ["uuid", "provision_state", "maintenance"];
        let rows = vec![
            vec![json!("u-1"), json!("active"), json!(false)],
            vec![json!("u-2"), json!(null), json!(true)],
        ];
        print_list(&mut console, &parsed(line), &names, rows).unwrap();
        out.text()
    }

    fn record(line: &str) -> String {
        let (mut console, out, _) = capture::console();
        let record = json!({"name": "a", "extra": {"k": [1, null]}, "owner": null});
        let record = record.as_object().unwrap();
        print_record(&mut console, &parsed(line), record).unwrap();
        out.text()
    }

    #[test]
    fn a_list_in_every_format() {
        assert!(list("").contains("| uuid | provision_state | maintenance |"));
        assert_eq!(
            list("-f csv"),
            "\"uuid\",\"provision_state\",\"maintenance\"\n\
             \"u-1\",\"active\",False\n\"u-2\",\"\",True\n"
        );
        let parsed: Value = serde_json::from_str(&list("-f json")).unwrap();
        assert_eq!(
            parsed[1],
            json!({"uuid": "u-2", "provision_state": null, "maintenance": true})
        );
        assert_eq!(list("-f value"), "u-1 active False\nu-2 None True\n");
        assert_eq!(
            list("-f yaml -c uuid -c provision_state"),
            "- provision_state: active\n  uuid: u-1\n- provision_state: null\n  uuid: u-2\n"
        );
    }

    #[test]
    fn columns_are_chosen_and_sorted_by_in_any_spelling() {
        let expected = "u-1 active\nu-2 None\n";
        assert_eq!(list("-f value -c Provision_State -c UUID"), expected);
        assert_eq!(
            list("-f value --sort-column Maintenance --sort-descending -c uuid"),
            "u-2\nu-1\n"
        );
        assert_eq!(
            list("-f value --sort-column nonsense --sort-column provision_state -c uuid"),
            "u-1\nu-2\n"
        );
    }

    #[test]
    fn an_empty_table_is_drawn_if_asked_for() {
        let empty = |line: &str| {
            let (mut console, out, _) = capture::console();
            print_list(&mut console, &parsed(line), &["uuid"], Vec::new()).unwrap();
            out.text()
        };
        assert_eq!(empty(""), "\n");
        assert_eq!(
            empty("--print-empty"),
            "+------+\n| uuid |\n+------+\n+------+\n"
        );
    }

    #[test]
    fn an_unknown_column_is_a_usage_error() {
        let error = choose(&["nope".into()], &["uuid"]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert_eq!(error.message(), "no column is called nope; there are uuid");
        assert!(choose(&["nope".into()], &[]).unwrap().is_empty());
    }

    #[test]
    fn lists_of_words_are_joined() {
        let mut fields = json!({"a": ["x", "y"], "b": [1], "c": "z"})
            .as_object()
            .unwrap()
            .clone();
        join_lists(&mut fields);
        assert_eq!(
            Value::Object(fields),
            json!({"a": "x, y", "b": "1", "c": "z"})
        );
    }

    #[test]
    fn a_record_in_every_format() {
        assert_eq!(
            record(""),
            "+-------+------------------+\n\
             | Field | Value            |\n\
             +-------+------------------+\n\
             | name  | a                |\n\
             | extra | {\"k\": [1, null]} |\n\
             | owner | None             |\n\
             +-------+------------------+\n"
        );
        assert_eq!(
            record("-f value -c owner -c extra"),
            "{\"k\": [1, null]}\nNone\n"
        );
        assert_eq!(
            record("-f shell --prefix m1_"),
            "m1_name=\"a\"\nm1_extra=\"{\\\"k\\\": [1, null]}\"\nm1_owner=\"None\"\n"
        );
        assert_eq!(
            record("-f yaml"),
            "name: a\nextra:\n  k:\n  - 1\n  - null\nowner: null\n"
        );
        assert_eq!(record("-f json -c name"), "{\n  \"name\": \"a\"\n}\n");
    }
}
