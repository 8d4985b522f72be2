//! The rule that lets two versions serve one database, as a test of every migration.
//!
//! A program of version N keeps running while the database becomes N + 1. So a migration only adds:
//! tables, indexes without constraints, and columns that rows of N do without. Unused things are
//! removed later: N + 1 stops using them, and N + 2 may drop them, with a line that says so.
//!
//! Two more rules are about the code of N, which meets what it does not know: it names the columns
//! that it reads and those that it writes.

use super::{MIGRATIONS, steps::split};
use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

/// Migrations up to this one were made before versions served side by side.
const BEFORE_THE_RULE: i64 = 4;

/// How a migration says since when the program has no use for what it drops.
const UNUSED: &str = "-- Unused since version ";

/// What in a migration a program of the version before would stumble over.
fn objections(version: i64, text: &str) -> Vec<String> {
    let unused_since = text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix(UNUSED)?;
        rest.trim_end_matches('.').parse::<i64>().ok()
    });
    let may_drop = unused_since.is_some_and(|since| since < version);
    let mut new_tables = HashSet::new();
    let mut new_columns = HashSet::new();
    let mut objections = Vec::new();
    let statements = split(text);
    for sql in &statements {
        let words: Vec<&str> = sql.split_whitespace().collect();
        let table_at = |index: usize| words.get(index).copied().unwrap_or_default();
        let verdict = match words.as_slice() {
            ["CREATE", "TABLE", name, ..] => {
                new_tables.insert(*name);
                None
            }
            ["CREATE", "INDEX", ..] => None,
            ["CREATE", "UNIQUE", "INDEX", ..] => (!new_tables.contains(table_at(5)))
                .then_some("what programs of the version before write may not be unique"),
            ["ALTER", "TABLE", table, "ADD", "COLUMN", column, kind @ ..] => {
                new_columns.insert((*table, *column));
                let is_needed = kind.windows(2).any(|pair| pair == ["NOT", "NULL"]);
                let has_default = kind.contains(&"DEFAULT");
                let is_bound = ["UNIQUE", "REFERENCES", "CHECK"]
                    .iter()
                    .any(|word| kind.contains(word));
                if is_needed && !has_default {
                    Some("programs of the version before write rows without it: DEFAULT is missing")
                } else {
                    is_bound.then_some("programs of the version before know of no such bond")
                }
            }
            ["ALTER", "TABLE", _, "DROP", "COLUMN", ..] | ["DROP", "TABLE" | "INDEX", ..] => {
                (!may_drop).then_some("programs of the version before may use it")
            }
            ["INSERT", "INTO", table, ..] | ["DELETE", "FROM", table, ..] => (!new_tables
                .contains(table))
            .then_some("programs of the version before have not written it so"),
            ["UPDATE", table, "SET", column, "=", ..] => {
                (!new_columns.contains(&(*table, *column)) || sql.contains(','))
                    .then_some("only a column that is new may be filled, one at a time")
            }
            _ => Some("programs of the version before know nothing of it"),
        };
        if let Some(reason) = verdict {
            objections.push(format!("migration {version}: {reason}: {sql}"));
        }
    }
    objections
}

#[test]
fn programs_of_the_version_before_can_go_on() {
    let all: Vec<String> = (1..)
        .zip(MIGRATIONS)
        .filter(|(version, _)| *version > BEFORE_THE_RULE)
        .flat_map(|(version, text)| objections(version, text))
        .collect();
    assert_eq!(
        all,
        Vec::<String>::new(),
        "see docs/develop/adding-a-migration.md"
    );
}

#[test]
fn what_only_adds_is_accepted() {
    let text = "\
        CREATE TABLE letters (id {pk}, body {long} NOT NULL);\n\
        CREATE UNIQUE INDEX letters_body ON letters (body);\n\
        INSERT INTO letters (body) VALUES ('a');\n\
        ALTER TABLE nodes ADD COLUMN colour {text:255};\n\
        UPDATE nodes SET colour = owner;\n\
        ALTER TABLE nodes ADD COLUMN wheels BIGINT NOT NULL DEFAULT 4;\n\
        CREATE INDEX nodes_colour ON nodes (colour);\n";
    assert_eq!(objections(9, text), Vec::<String>::new());
}

#[test]
fn what_takes_something_away_is_found() {
    let refused = [
        "ALTER TABLE nodes ADD COLUMN wheels BIGINT NOT NULL;\n",
        "ALTER TABLE nodes ADD COLUMN wheels BIGINT UNIQUE;\n",
        "ALTER TABLE nodes RENAME COLUMN extra TO more;\n",
        "ALTER TABLE nodes DROP COLUMN extra;\n",
        "-- Unused since version 9.\nALTER TABLE nodes DROP COLUMN extra;\n",
        "ALTER TABLE nodes ALTER COLUMN extra SET NOT NULL;\n",
        "CREATE UNIQUE INDEX nodes_owner ON nodes (owner);\n",
        "DROP TABLE chassis;\n",
        "UPDATE nodes SET owner = lessee;\n",
        "DELETE FROM nodes WHERE owner IS NULL;\n",
        "CREATE TRIGGER t AFTER INSERT ON nodes;\n",
    ];
    for text in refused {
        assert_eq!(objections(9, text).len(), 1, "{text}");
    }
    let later = "-- Unused since version 8.\nALTER TABLE nodes DROP COLUMN extra;\n";
    assert_eq!(objections(9, later), Vec::<String>::new());
}

#[test]
fn statements_name_their_columns() {
    // In two pieces, so as not to be found here.
    let everything = ["SELECT ", "*"].concat();
    let (insert, values) = ("INSERT INTO ", " VALUES");
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or(&text);
        assert!(!code.contains(&everything), "{}", file.display());
        for (at, _) in code.match_indices(insert) {
            let rest = &code[at + insert.len()..];
            let name = rest.find(|c: char| !c.is_ascii_lowercase() && c != '_');
            let after = &rest[name.unwrap_or(rest.len())..];
            assert!(!after.starts_with(values), "{}: {rest:.60}", file.display());
        }
    }
}

/// The files of this crate, without those that are nothing but tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.file_name().is_some_and(|name| name != "additive.rs") {
            found.push(path);
        }
    }
    assert!(!found.is_empty(), "{}", folder.display());
    found
}
