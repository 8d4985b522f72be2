//! A foreign row, read by the names of its columns. Nothing in it is believed: a value of another
//! kind than the column's is mended if that can be done, and becomes a finding.

use crate::{
    finding::{Finding, Findings, RowProblem},
    json,
};
use serde_json::Value;
use std::{collections::HashMap, fmt::Display, str::FromStr};
use store::ironic::{Cell, Scan};
use types::{JsonMap, Timestamp, words};

/// Where the columns of a scan are.
#[derive(Debug)]
pub(crate) struct Places {
    table: &'static str,
    at: HashMap<&'static str, usize>,
}

impl Places {
    pub(crate) fn of(scan: &Scan) -> Self {
        let fields = scan.fields.iter().map(|field| field.name);
        let names = fields.chain(scan.joins.iter().map(|join| join.name));
        Self {
            table: scan.table,
            at: names.zip(1..).collect(),
        }
    }
}

/// A row that is being read.
pub(crate) struct SourceRow<'a> {
    places: &'a Places,
    cells: Vec<Cell>,
    /// What findings call the row.
    pub(crate) label: String,
    findings: &'a mut Findings,
}

impl<'a> SourceRow<'a> {
    pub(crate) fn new(places: &'a Places, cells: Vec<Cell>, findings: &'a mut Findings) -> Self {
        let mut row = Self {
            places,
            cells,
            label: String::new(),
            findings,
        };
        row.label = match row.cell("uuid") {
            Cell::Text(uuid) if !uuid.is_empty() => shortened(uuid),
            _ => format!("id {}", row.key()),
        };
        row
    }

    /// The number that the row is paged by.
    pub(crate) fn key(&self) -> i64 {
        match self.cells.first() {
            Some(Cell::Int(key)) => *key,
            _ => 0,
        }
    }

    pub(crate) fn note(&mut self, column: impl Into<Option<&'static str>>, trouble: RowProblem) {
        self.findings.add(Finding {
            table: self.places.table,
            row: self.label.clone(),
            column: column.into(),
            trouble,
        });
    }

    fn cell(&self, name: &str) -> &Cell {
        let at = self.places.at.get(name);
        at.and_then(|at| self.cells.get(*at)).unwrap_or(&Cell::Null)
    }

    fn take(&mut self, name: &str) -> Cell {
        let at = self.places.at.get(name);
        let cell = at.and_then(|at| self.cells.get_mut(*at));
        cell.map_or(Cell::Null, |cell| std::mem::replace(cell, Cell::Null))
    }

    /// A text, without what no database of ours holds.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        let text = match self.take(name) {
            Cell::Null => return None,
            Cell::Int(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Text(text) => text,
            Cell::Damaged(text) => {
                self.note(name, RowProblem::BadEncoding);
                text
            }
        };
        if text.contains('\0') {
            self.note(name, RowProblem::Nul);
            return Some(text.replace('\0', "\u{fffd}"));
        }
        Some(text)
    }

    /// A text of at most so many characters.
    pub(crate) fn short_text(&mut self, name: &'static str, most: usize) -> Option<String> {
        let text = self.text(name)?;
        // Bytes first: counting characters is only needed for texts that might be too long.
        if text.len() > most && text.chars().count() > most {
            self.note(name, RowProblem::TooLong(most));
            return Some(text.chars().take(most).collect());
        }
        Some(text)
    }

    /// A text that names a value.
    pub(crate) fn parsed<T: FromStr>(&mut self, name: &'static str, instead: &str) -> Option<T> {
        let text = self.text(name)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(_) => {
                let (value, instead) = (shortened(&text), instead.to_owned());
                self.note(name, RowProblem::Unknown { value, instead });
                None
            }
        }
    }

    /// The UUID of the row; a row without one is left out.
    pub(crate) fn id<T: FromStr + Display>(&mut self) -> Option<T> {
        let Some(text) = self.text("uuid").filter(|text| !text.is_empty()) else {
            self.note(None, RowProblem::NoUuid);
            return None;
        };
        match uuid(&text) {
            Some(id) => {
                let id: T = id;
                let spelled = id.to_string();
                if spelled != text {
                    self.note("uuid", RowProblem::Spelled(spelled));
                }
                Some(id)
            }
            None => {
                self.note(None, RowProblem::BadUuid(shortened(&text)));
                None
            }
        }
    }

    /// The UUID of another row, spelled as that row is; what is none counts as absent.
    pub(crate) fn link<T: FromStr>(&mut self, name: &'static str) -> Option<T> {
        let text = self.text(name)?;
        uuid(&text)
    }

    /// The node that the row belongs to; a row of no node is left out.
    pub(crate) fn node(&mut self) -> Option<types::NodeId> {
        let node = self.link("node_uuid");
        if node.is_none() {
            self.note(None, RowProblem::NoOwner("node"));
        }
        node
    }

    pub(crate) fn int(&mut self, name: &'static str) -> Option<i64> {
        let number = match self.take(name) {
            Cell::Null => return None,
            Cell::Int(number) => Some(number),
            // Exactly the floating-point numbers without a fraction that an integer holds.
            Cell::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                number.to_string().parse().ok()
            }
            Cell::Real(_) | Cell::Damaged(_) => None,
            Cell::Text(text) => text.trim().parse().ok(),
        };
        if number.is_none() {
            let wanted = "a number";
            self.note(
                name,
                RowProblem::WrongKind {
                    wanted,
                    instead: "unset",
                },
            );
        }
        number
    }

    pub(crate) fn flag(&mut self, name: &'static str) -> Option<bool> {
        let flag = match self.take(name) {
            Cell::Null => return None,
            Cell::Int(number) => Some(number != 0),
            Cell::Text(text) => words::boolean(&text),
            Cell::Real(_) | Cell::Damaged(_) => None,
        };
        if flag.is_none() {
            let wanted = "true or false";
            self.note(
                name,
                RowProblem::WrongKind {
                    wanted,
                    instead: "unset",
                },
            );
        }
        flag
    }

    /// A flag that must be set.
    pub(crate) fn flag_or(&mut self, name: &'static str, default: bool) -> bool {
        self.flag(name).unwrap_or_else(|| {
            self.note(
                name,
                RowProblem::Unset(if default { "true" } else { "false" }),
            );
            default
        })
    }

    pub(crate) fn time(&mut self, name: &'static str) -> Option<Timestamp> {
        let time = match self.take(name) {
            Cell::Null => return None,
            Cell::Text(text) => self::time(&text),
            Cell::Int(_) | Cell::Real(_) | Cell::Damaged(_) => None,
        };
        if time.is_none() {
            let wanted = "a time";
            self.note(
                name,
                RowProblem::WrongKind {
                    wanted,
                    instead: "unset",
                },
            );
        }
        time
    }

    /// When the row was created, and last changed. Rows that do not say so are of the time of the
    /// import.
    pub(crate) fn times(&mut self, now: Timestamp) -> (Timestamp, Option<Timestamp>) {
        let (created, updated) = (self.time("created_at"), self.time("updated_at"));
        let created = created.unwrap_or_else(|| {
            let (time, words) = match updated {
                Some(updated) => (updated, "the time of the last change"),
                None => (now, "the time of the import"),
            };
            self.note("created_at", RowProblem::Unset(words));
            time
        });
        (created, updated)
    }

    fn json(&mut self, name: &'static str) -> Option<Value> {
        let text = match self.take(name) {
            Cell::Null => return None,
            Cell::Text(text) => text,
            Cell::Damaged(text) => {
                self.note(name, RowProblem::BadEncoding);
                text
            }
            Cell::Int(_) | Cell::Real(_) => "0".to_owned(),
        };
        if text == "{}" {
            return Some(Value::Object(JsonMap::new()));
        }
        match json::read(&text) {
            Ok((value, replaced)) => {
                if replaced.not_finite {
                    self.note(name, RowProblem::NotFinite);
                }
                if replaced.half_surrogate {
                    self.note(name, RowProblem::HalfSurrogate);
                }
                if replaced.big_integer {
                    self.note(name, RowProblem::BigInteger);
                }
                Some(value)
            }
            Err(error) => {
                self.note(name, RowProblem::NotJson(error.to_string()));
                None
            }
        }
    }

    /// A JSON object; `NULL` and `null` are empty ones, as for Ironic.
    pub(crate) fn map(&mut self, name: &'static str) -> JsonMap {
        match self.json(name) {
            None | Some(Value::Null) => JsonMap::new(),
            Some(Value::Object(map)) => map,
            Some(_) => {
                let wanted = "an object";
                self.note(name, RowProblem::WrongJson { wanted });
                JsonMap::new()
            }
        }
    }

    /// A JSON list, if there is one.
    pub(crate) fn list(&mut self, name: &'static str) -> Option<Vec<Value>> {
        match self.json(name) {
            None | Some(Value::Null) => None,
            Some(Value::Array(items)) => Some(items),
            Some(_) => {
                let wanted = "a list";
                self.note(name, RowProblem::WrongJson { wanted });
                None
            }
        }
    }

    /// A JSON list of texts; items of other kinds are written out.
    pub(crate) fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        let items = self.list(name)?;
        let text = |item| match item {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Some(items.into_iter().map(text).collect())
    }
}

/// A UUID in the form that our tables have: with hyphens and in lower case, or with none.
fn uuid<T: FromStr>(text: &str) -> Option<T> {
    let is_form = matches!(text.len(), 32 | 36);
    text.parse().ok().filter(|_| is_form && text.is_ascii())
}

/// A time as any of the engines writes it, which is always UTC.
fn time(text: &str) -> Option<Timestamp> {
    const LONGEST: usize = 40;
    if text.len() > LONGEST {
        return None;
    }
    Timestamp::from_naive(&text.trim().replacen(' ', "T", 1))
}

/// The beginning of a value, for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    text.chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout;
    use types::NodeId;

    fn read<T>(
        column: &'static str,
        cell: Cell,
        read: impl FnOnce(&mut SourceRow<'_>) -> T,
    ) -> (T, Vec<RowProblem>) {
        let places = Places::of(&layout::NODES);
        let mut cells = vec![Cell::Null; places.at.len() + 1];
        cells[0] = Cell::Int(7);
        cells[places.at[column]] = cell;
        let mut findings = Findings::default();
        let value = read(&mut SourceRow::new(&places, cells, &mut findings));
        let troubles = findings.kept().iter().map(|f| f.trouble.clone()).collect();
        (value, troubles)
    }

    fn cell(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    #[test]
    fn times_are_read_as_every_engine_writes_them() {
        let seconds = 1_710_009_941_000_000;
        for (text, expected) in [
            ("2024-03-09 18:45:41", Some(seconds)),
            ("2024-03-09 18:45:41.000000", Some(seconds)),
            ("2024-03-09 18:45:41.25", Some(seconds + 250_000)),
            ("2024-03-09T18:45:41", Some(seconds)),
            ("0000-00-00 00:00:00", None),
            ("infinity", None),
            ("", None),
        ] {
            assert_eq!(time(text), expected.map(Timestamp), "{text}");
        }
    }

    #[test]
    fn a_uuid_in_capitals_is_spelled_anew_and_what_is_none_leaves_the_row_out() {
        let upper = "1141DD17-E32E-4026-8215-F3963FCFAE39";
        let (id, troubles) = read("uuid", cell(upper), |row| row.id::<NodeId>());
        assert_eq!(id.unwrap().to_string(), upper.to_lowercase());
        assert_eq!(troubles, [RowProblem::Spelled(upper.to_lowercase())]);
        for (given, expected) in [
            (cell("not-a-uuid"), RowProblem::BadUuid("not-a-uuid".into())),
            (cell(""), RowProblem::NoUuid),
            (Cell::Null, RowProblem::NoUuid),
        ] {
            let (id, troubles) = read("uuid", given, |row| row.id::<NodeId>());
            assert!(id.is_none() && expected.leaves_out());
            assert_eq!(troubles, [expected]);
        }
    }

    #[test]
    fn odd_json_becomes_a_finding_and_an_empty_value() {
        for (given, expected) in [
            (cell("null"), vec![]),
            (Cell::Null, vec![]),
            (
                cell("[1]"),
                vec![RowProblem::WrongJson {
                    wanted: "an object",
                }],
            ),
            (
                Cell::Int(3),
                vec![RowProblem::WrongJson {
                    wanted: "an object",
                }],
            ),
        ] {
            let (map, troubles) = read("extra", given, |row| row.map("extra"));
            assert_eq!((map, troubles), (JsonMap::new(), expected));
        }
        let (map, troubles) = read("extra", cell(""), |row| row.map("extra"));
        assert!(map.is_empty() && matches!(troubles[..], [RowProblem::NotJson(_)]));
    }

    #[test]
    fn sqlite_may_hold_anything_anywhere() {
        let flag = |cell| read("protected", cell, |row| row.flag("protected"));
        assert_eq!(flag(Cell::Int(1)).0, Some(true));
        assert_eq!(flag(cell("false")).0, Some(false));
        let (unset, troubles) = flag(cell("maybe"));
        assert_eq!((unset, troubles.len()), (None, 1));
        let (id, _) = read("allocation_id", Cell::Real(4.0), |row| {
            row.int("allocation_id")
        });
        assert_eq!(id, Some(4));
        let long = "ü".repeat(300);
        let (name, troubles) = read("name", cell(&long), |row| row.short_text("name", 255));
        assert_eq!(name.unwrap().chars().count(), 255);
        assert_eq!(troubles, [RowProblem::TooLong(255)]);
    }
}
