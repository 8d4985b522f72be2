//! The query language of `/corten/v1/nodes` and of `corten node list --where`.
//!
//! Words are joined by *and*. [`parse`] turns a text into words, or says which word it does not
//! understand and where it stands; what the words mean for a fleet is in [`super::filter`]. Whatever
//! is sent here was typed by a person, so a mistake is answered with what was probably meant. The
//! parser is bounded and cannot fail otherwise (`fuzz/fuzz_targets/fleet_query.rs`).

mod cursor;
mod similar;

use super::look::Look;
use cursor::Cursor;
use std::ops::Range;
use types::{PowerState, ProvisionState, node::NodeFault};

/// Longer queries are refused, in characters.
pub const LONGEST: usize = 1000;
const MOST_WORDS: usize = 32;
const MOST_VALUES: usize = 64;

types::wire_enum! {
    /// What a word can ask about.
    pub enum Key {
        Name = "name",
        State = "state",
        Class = "class",
        Driver = "driver",
        Conductor = "conductor",
        Group = "group",
        Chassis = "chassis",
        Shard = "shard",
        Owner = "owner",
        Lessee = "lessee",
        Power = "power",
        Maint = "maint",
        Retired = "retired",
        Protected = "protected",
        Fault = "fault",
        Trait = "trait",
        Error = "error",
        Cause = "cause",
        Instance = "instance",
        Mac = "mac",
        Bmc = "bmc",
        Uuid = "uuid",
        /// Written `extra.KEY`, with the key of the configuration.
        Extra = "extra",
    }
}

/// How long ago something may be, for `age>1h`.
const AGE: &str = "age";

/// A value as it was written, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    pub text: String,
    /// Whether anything may stand before the text, and behind it.
    pub open_start: bool,
    pub open_end: bool,
}

impl Pattern {
    fn exact(text: &str) -> Self {
        Self {
            text: text.to_lowercase(),
            open_start: false,
            open_end: false,
        }
    }

    /// Whether a value in lower case fits. An empty pattern fits what has no value.
    pub fn fits(&self, value: &str) -> bool {
        match (self.open_start, self.open_end) {
            (false, false) => value == self.text,
            (false, true) => value.starts_with(&self.text) && !value.is_empty(),
            (true, false) => value.ends_with(&self.text) && !value.is_empty(),
            (true, true) => value.contains(&self.text) && !value.is_empty(),
        }
    }

    fn is_open(&self) -> bool {
        self.open_start || self.open_end
    }
}

/// What a word asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// A part of name, UUID, instance, MAC or BMC address.
    Anywhere(Pattern),
    OneOf(Key, Vec<Pattern>),
    /// `maint`, `retired` and `protected`.
    Flag(Key, bool),
    States(Vec<ProvisionState>),
    /// Longer in its state than this many seconds, or shorter.
    Age {
        is_longer: bool,
        seconds: i64,
    },
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub is_negated: bool,
    pub test: Test,
}

/// A query that was understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pub words: Vec<Word>,
}

/// A word that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct QueryError {
    pub text: String,
    /// The word, and where it begins and ends, in characters.
    pub word: String,
    pub start: usize,
    pub end: usize,
    /// What the word should probably be.
    pub suggestion: Option<String>,
}

/// Reads a query. `extra` is the key of `extra` that may be asked about.
pub fn parse(text: &str, extra: Option<&str>) -> Result<Query, QueryError> {
    let mut cursor = Cursor::new(text);
    if cursor.len() > LONGEST {
        let text = format!("A query has at most {LONGEST} characters.");
        return Err(cursor.error_at(LONGEST, text, None));
    }
    let mut query = Query::default();
    let mut values = 0;
    while cursor.next_word() {
        let word = word(&mut cursor, extra)?;
        values += match &word.test {
            Test::OneOf(_, patterns) => patterns.len(),
            Test::States(states) => states.len().min(1),
            _ => 1,
        };
        query.words.push(word);
        if query.words.len() > MOST_WORDS || values > MOST_VALUES {
            let text = format!("A query has at most {MOST_WORDS} words and {MOST_VALUES} values.");
            return Err(cursor.error(text, None));
        }
    }
    Ok(query)
}

fn word(cursor: &mut Cursor<'_>, extra: Option<&str>) -> Result<Word, QueryError> {
    let is_negated = cursor.eat('-');
    let test = test(cursor, extra)?;
    Ok(Word { is_negated, test })
}

fn test(cursor: &mut Cursor<'_>, extra: Option<&str>) -> Result<Test, QueryError> {
    if let Some((name, sign)) = cursor.name() {
        return match sign {
            ':' => keyed(cursor, &name, extra),
            _ => aged(cursor, &name, sign == '>'),
        };
    }
    let mut pattern = value(cursor)?;
    if pattern.text.is_empty() {
        return Err(cursor.error("There is nothing to look for here.".into(), None));
    }
    (pattern.open_start, pattern.open_end) = (true, true);
    Ok(Test::Anywhere(pattern))
}

fn keyed(cursor: &mut Cursor<'_>, name: &str, extra: Option<&str>) -> Result<Test, QueryError> {
    let lower = name.to_lowercase();
    if lower == AGE {
        let text = "An age is compared: age>1h or age<30m.".to_owned();
        return Err(cursor.error(text, None));
    }
    let key = match (lower.strip_prefix("extra."), extra) {
        (Some(asked), Some(known)) if asked == known.to_lowercase() => Some(Key::Extra),
        (Some(_), _) => None,
        (None, _) => lower.parse::<Key>().ok().filter(|key| *key != Key::Extra),
    };
    let Some(key) = key else {
        let mut known: Vec<&str> = Key::ALL.iter().map(|key| key.as_str()).collect();
        known.retain(|name| *name != Key::Extra.as_str());
        let extra = extra.map(|extra| format!("extra.{extra}"));
        known.extend(extra.as_deref());
        return Err(unknown(cursor, "key", name, &known, |meant| {
            cursor.word().replacen(name, meant, 1)
        }));
    };
    let mut patterns = values(cursor)?;
    match key {
        Key::State => states(cursor, &patterns),
        Key::Maint | Key::Retired | Key::Protected => flag(cursor, key, &patterns),
        Key::Power => {
            let known: Vec<&str> = PowerState::ALL.iter().map(|s| s.as_str()).collect();
            for Value { pattern, .. } in &mut patterns {
                // People say "on"; the API says "power on".
                let long = format!("power {}", pattern.text);
                if known.contains(&long.as_str()) && !pattern.is_open() {
                    *pattern = Pattern::exact(&long);
                }
            }
            check(cursor, "power state", &patterns, &known)?;
            Ok(one_of(key, patterns))
        }
        Key::Fault => {
            let known: Vec<&str> = NodeFault::ALL.iter().map(|f| f.as_str()).collect();
            check(cursor, "fault", &patterns, &known)?;
            Ok(one_of(key, patterns))
        }
        _ => Ok(one_of(key, patterns)),
    }
}

fn one_of(key: Key, values: Vec<Value>) -> Test {
    Test::OneOf(key, values.into_iter().map(|value| value.pattern).collect())
}

/// Refuses values that nothing can have.
fn check(
    cursor: &Cursor<'_>,
    what: &str,
    values: &[Value],
    known: &[&str],
) -> Result<(), QueryError> {
    let is_known = |Value { pattern, .. }: &&Value| {
        pattern.is_open() || pattern.text.is_empty() || known.contains(&pattern.text.as_str())
    };
    let Some(wrong) = values.iter().find(|value| !is_known(value)) else {
        return Ok(());
    };
    let wrong = &wrong.pattern;
    Err(unknown(cursor, what, &wrong.text, known, |meant| {
        let same = values.iter().filter(|value| value.pattern == *wrong);
        cursor.word_with(same.map(|value| &value.place), &quoted(meant))
    }))
}

fn states(cursor: &Cursor<'_>, values: &[Value]) -> Result<Test, QueryError> {
    let mut known: Vec<&str> = Look::ALL.iter().map(|look| look.as_str()).collect();
    known.extend(ProvisionState::ALL.iter().map(|state| state.as_str()));
    check(cursor, "state", values, &known)?;
    let fits = |state: &&ProvisionState| {
        let look = Look::of(**state).as_str();
        let is_meant = |p: &Pattern| p.fits(state.as_str()) || !p.is_open() && p.text == look;
        values.iter().any(|value| is_meant(&value.pattern))
    };
    let states = ProvisionState::ALL.iter().filter(fits).copied().collect();
    Ok(Test::States(states))
}

fn flag(cursor: &Cursor<'_>, key: Key, values: &[Value]) -> Result<Test, QueryError> {
    let is_on = match values {
        [Value { pattern, .. }] if !pattern.is_open() => match pattern.text.as_str() {
            "yes" | "true" | "on" => Some(true),
            "no" | "false" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    };
    is_on.map(|is_on| Test::Flag(key, is_on)).ok_or_else(|| {
        let text = format!("\"{key}\" is either yes or no.");
        cursor.error(text, Some(format!("{key}:yes")))
    })
}

fn aged(cursor: &mut Cursor<'_>, name: &str, is_longer: bool) -> Result<Test, QueryError> {
    if name.to_lowercase() != AGE {
        let text = format!("Only \"{AGE}\" can be compared, as in age>1h.");
        return Err(cursor.error(text, None));
    }
    let written = cursor.rest_of_word();
    let wrong = |cursor: &Cursor<'_>| {
        let text = "An age is a number and s, m, h or d, as in 90m.".to_owned();
        cursor.error(text, None)
    };
    let unit = match written.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3600,
        Some('d') => 86_400,
        _ => return Err(wrong(cursor)),
    };
    let number: Option<i64> = written[..written.len() - 1].parse().ok();
    match number.filter(|number| (0..1_000_000).contains(number)) {
        Some(number) => Ok(Test::Age {
            is_longer,
            seconds: number * unit,
        }),
        None => Err(wrong(cursor)),
    }
}

/// A value of a key, and where it stands in the query, in bytes.
struct Value {
    pattern: Pattern,
    place: Range<usize>,
}

/// Values with commas between them.
fn values(cursor: &mut Cursor<'_>) -> Result<Vec<Value>, QueryError> {
    let mut values = Vec::new();
    loop {
        let start = cursor.at();
        let pattern = value(cursor)?;
        let place = start..cursor.at();
        values.push(Value { pattern, place });
        if !cursor.eat(',') {
            return Ok(values);
        }
    }
}

fn value(cursor: &mut Cursor<'_>) -> Result<Pattern, QueryError> {
    let mut open_start = cursor.eat('*');
    let is_quoted = cursor.peek() == Some('"');
    let (text, mut open_end) = if is_quoted {
        let text = cursor.quoted()?;
        (text, cursor.eat('*'))
    } else {
        let text = cursor.plain();
        match text.strip_suffix('*') {
            Some(cut) => (cut.to_owned(), true),
            None => (text, false),
        }
    };
    if !cursor.is_at_end_of_value() {
        let text = "A comma or a space is missing behind the quotes.".to_owned();
        return Err(cursor.error(text, None));
    }
    if text.is_empty() && !is_quoted {
        if !open_start && !open_end {
            let text = "A value is missing; \"\" means none.".to_owned();
            return Err(cursor.error(text, None));
        }
        // A star alone stands for any value.
        (open_start, open_end) = (true, true);
    }
    Ok(Pattern {
        text: text.to_lowercase(),
        open_start,
        open_end,
    })
}

fn unknown(
    cursor: &Cursor<'_>,
    what: &str,
    name: &str,
    known: &[&str],
    rewrite: impl Fn(&str) -> String,
) -> QueryError {
    let meant = similar::nearest(name, known);
    let text = match meant {
        Some(meant) => {
            format!("There is no {what} \"{name}\"; \"{meant}\" was probably meant.")
        }
        None => format!(
            "There is no {what} \"{name}\". There are: {}.",
            known.join(", ")
        ),
    };
    cursor.error(text, meant.map(rewrite))
}

/// A value as it is written in a query.
pub fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@');
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
#[path = "query/tests.rs"]
mod tests;
