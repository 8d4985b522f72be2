//! Results on paper: a list or a single record, as a table for people or as JSON, CSV or bare
//! values for programs.
//!
//! Tables carry titles ("Provisioning State"); the formats for programs carry the API's field
//! names, which is what the stock client prints there. `-c` understands both spellings.

mod cell;
mod csv;
mod json;
mod table;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value};

use crate::console::Console;
use crate::error::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Table,
    /// For programs.
    Json,
    /// Values only, for shell scripts.
    Value,
    /// For spreadsheets.
    Csv,
}

/// How a command prints what it found.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// How to print the result
    #[arg(
        short = 'f',
        long = "format",
        value_name = "FORMAT",
        default_value = "table"
    )]
    format: Format,
    /// Print only this column, by its title or its field name (repeat for more)
    #[arg(short = 'c', long = "column", value_name = "COLUMN")]
    columns: Vec<String>,
    /// Widest table to draw; the terminal decides if not given
    #[arg(long, value_name = "COLUMNS", env = "CLIFF_MAX_TERM_WIDTH")]
    max_width: Option<usize>,
    /// Print JSON on one line
    #[arg(long)]
    noindent: bool,
}

/// A column of a list: its name in the API and its title in a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    key: String,
    title: String,
}

impl Column {
    pub(crate) fn new(key: &str, title: &str) -> Self {
        Self {
            key: key.to_owned(),
            title: title.to_owned(),
        }
    }

    /// A field of the API under its usual title.
    pub(crate) fn field(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            title: title(key),
        }
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

/// A title out of a field name: words capitalised, short forms in capitals, and the few that are
/// called something else.
fn title(key: &str) -> String {
    let special = match key {
        "duration_seconds" => Some("Duration (seconds)"),
        "event" => Some("Description of the event"),
        "event_type" => Some("Event Origin Type"),
        "hosts" => Some("Active host(s)"),
        "is_smartnic" => Some("Is Smart NIC port"),
        "network_data" => Some("Network Configuration"),
        "provision_state" => Some("Provisioning State"),
        "pxe_enabled" => Some("PXE boot enabled"),
        "raid_config" => Some("Current RAID configuration"),
        "target_raid_config" => Some("Target RAID configuration"),
        _ => None,
    };
    if let Some(special) = special {
        return special.to_owned();
    }
    let words = key.split('_').map(|word| match word {
        "bios" | "id" | "pxe" | "raid" | "uuid" => word.to_uppercase(),
        _ => {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_uppercase().chain(letters).collect()
            })
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Prints rows under columns.
pub(crate) fn print_list(
    console: &mut Console,
    args: &OutputArgs,
    columns: &[Column],
    rows: &[Vec<Value>],
) -> Result<(), Error> {
    let names = columns
        .iter()
        .map(|column| [column.key.as_str(), column.title.as_str()]);
    let chosen = choose(&args.columns, names)?;
    let columns: Vec<&Column> = chosen
        .iter()
        .filter_map(|&index| columns.get(index))
        .collect();
    let rows: Vec<Vec<&Value>> = rows
        .iter()
        .map(|row| chosen.iter().filter_map(|&index| row.get(index)).collect())
        .collect();
    let text = match args.format {
        Format::Table => {
            let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
            table::draw(&titles, &rows, 8, args.width(console))
        }
        Format::Json => {
            let objects = rows.iter().map(|row| {
                let pairs = columns.iter().zip(row);
                pairs
                    .map(|(column, &value)| (column.key.clone(), value.clone()))
                    .collect()
            });
            json::text(
                &Value::Array(objects.map(Value::Object).collect()),
                args.noindent,
            )
        }
        Format::Value => rows.iter().map(|row| cell::value_line(row)).collect(),
        Format::Csv => {
            let keys: Vec<&str> = columns.iter().map(|column| column.key.as_str()).collect();
            csv::text(&keys, &rows)
        }
    };
    console.print(&text)
}

/// Prints one thing, a line for each of its fields.
pub(crate) fn print_record(
    console: &mut Console,
    args: &OutputArgs,
    record: &Map<String, Value>,
) -> Result<(), Error> {
    let chosen = choose(&args.columns, record.keys().map(|key| [key.as_str(), ""]))?;
    let fields: Vec<(&String, &Value)> = record
        .iter()
        .enumerate()
        .filter(|(index, _)| chosen.contains(index))
        .map(|(_, pair)| pair)
        .collect();
    let text = match args.format {
        Format::Table => {
            let names: Vec<Value> = fields
                .iter()
                .map(|(name, _)| Value::String((*name).clone()))
                .collect();
            let rows: Vec<Vec<&Value>> = names
                .iter()
                .zip(&fields)
                .map(|(name, (_, value))| vec![name, *value])
                .collect();
            table::draw(&["Field", "Value"], &rows, 16, args.width(console))
        }
        Format::Json => {
            let object = fields
                .iter()
                .map(|(name, value)| ((*name).clone(), (*value).clone()));
            json::text(&Value::Object(object.collect()), args.noindent)
        }
        Format::Value => fields
            .iter()
            .map(|(_, value)| cell::value_line(&[value]))
            .collect(),
        Format::Csv => {
            let (keys, row): (Vec<&str>, Vec<&Value>) = fields
                .iter()
                .map(|(name, value)| (name.as_str(), *value))
                .unzip();
            csv::text(&keys, &[row])
        }
    };
    console.print(&text)
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

impl OutputArgs {
    fn width(&self, console: &Console) -> Option<usize> {
        self.max_width.filter(|&width| width > 0).or(console.width)
    }
}

/// Which columns were asked for, in the order the list has them.
fn choose<'a>(
    wanted: &[String],
    names: impl Iterator<Item = [&'a str; 2]>,
) -> Result<Vec<usize>, Error> {
    let plain = |name: &str| name.trim().to_lowercase().replace(' ', "_");
    let wanted_plain: Vec<String> = wanted.iter().map(|name| plain(name)).collect();
    let mut known = Vec::new();
    let mut chosen = Vec::new();
    for (index, spellings) in names.enumerate() {
        known.push(spellings[0]);
        if wanted.is_empty()
            || spellings
                .iter()
                .any(|name| wanted_plain.contains(&plain(name)))
        {
            chosen.push(index);
        }
    }
    if chosen.is_empty() && !known.is_empty() {
        return Err(Error::usage(format!(
            "no column is called {}; there are {}",
            wanted.join(" or "),
            known.join(", ")
        )));
    }
    Ok(chosen)
}

#[cfg(test)]
impl OutputArgs {
    pub(crate) fn of(format: Format, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        Self {
            format,
            columns,
            max_width: None,
            noindent: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::capture;
    use serde_json::json;

    fn list(format: Format, only: &[&str]) -> String {
        let (mut console, out, _) = capture::console();
        let columns = ["uuid", "provision_state", "maintenance"].map(Column::field);
        let rows = [
            vec![json!("u-1"), json!("active"), json!(false)],
            vec![json!("u-2"), json!(null), json!(true)],
        ];
        print_list(&mut console, &OutputArgs::of(format, only), &columns, &rows).unwrap();
        out.text()
    }

    fn record(format: Format, only: &[&str]) -> String {
        let (mut console, out, _) = capture::console();
        let record = json!({"name": "a", "extra": {"k": [1, null]}, "owner": null});
        let record = record.as_object().unwrap();
        print_record(&mut console, &OutputArgs::of(format, only), record).unwrap();
        out.text()
    }

    #[test]
    fn titles_read_like_english() {
        for (key, expected) in [
            ("uuid", "UUID"),
            ("instance_uuid", "Instance UUID"),
            ("provision_state", "Provisioning State"),
            ("bios_interface", "BIOS Interface"),
            ("last_error", "Last Error"),
        ] {
            assert_eq!(title(key), expected);
        }
    }

    #[test]
    fn people_get_titles_and_programs_get_field_names() {
        assert!(list(Format::Table, &[]).contains("| UUID | Provisioning State | Maintenance |"));
        assert_eq!(
            list(Format::Csv, &[]),
            "\"uuid\",\"provision_state\",\"maintenance\"\n\
             \"u-1\",\"active\",False\n\"u-2\",\"\",True\n"
        );
        let parsed: Value = serde_json::from_str(&list(Format::Json, &[])).unwrap();
        assert_eq!(
            parsed[1],
            json!({"uuid": "u-2", "provision_state": null, "maintenance": true})
        );
        assert_eq!(
            list(Format::Value, &[]),
            "u-1 active False\nu-2 None True\n"
        );
    }

    #[test]
    fn columns_are_chosen_by_either_name() {
        let expected = "u-1 active\nu-2 None\n";
        assert_eq!(list(Format::Value, &["provision_state", "uuid"]), expected);
        assert_eq!(
            list(Format::Value, &["UUID", "Provisioning State"]),
            expected
        );
    }

    #[test]
    fn an_unknown_column_is_a_usage_error() {
        let error = choose(&["nope".into()], [["uuid", "UUID"]].into_iter()).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert_eq!(error.message(), "no column is called nope; there are uuid");
        assert!(
            choose(&["nope".into()], std::iter::empty())
                .unwrap()
                .is_empty()
        );
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
            record(Format::Table, &[]),
            "+-------+------------------+\n\
             | Field | Value            |\n\
             +-------+------------------+\n\
             | name  | a                |\n\
             | extra | {\"k\": [1, null]} |\n\
             | owner | None             |\n\
             +-------+------------------+\n"
        );
        assert_eq!(
            record(Format::Value, &["owner", "extra"]),
            "{\"k\": [1, null]}\nNone\n"
        );
        assert_eq!(record(Format::Csv, &["name"]), "\"name\"\n\"a\"\n");
        assert_eq!(record(Format::Json, &["name"]), "{\n  \"name\": \"a\"\n}\n");
    }
}
