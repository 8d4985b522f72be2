//! Reading words by the rules that old scripts rely on.
//!
//! They are those of Python's argparse: long options may be shortened as long as only one fits,
//! values stand after a space or an equals sign, words that look like negative numbers or hold a
//! space are values, and `--` ends the options. One rule is wider: arguments may stand on both sides
//! of options, where argparse forgets that it wanted more.

use std::collections::BTreeMap;

use super::grammar::{Argument, Takes};

/// What was given for each argument.
#[derive(Debug, Default)]
pub(super) struct Given {
    values: BTreeMap<&'static str, Vec<String>>,
    /// Old spellings that were used, and what to write instead.
    pub(super) former: Vec<(String, &'static str)>,
}

impl Given {
    pub(super) fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.all(key).last().map(String::as_str)
    }

    pub(super) fn all(&self, key: &str) -> &[String] {
        self.values.get(key).map_or(&[], Vec::as_slice)
    }

    /// A number, which parsing has made sure of.
    pub(super) fn number(&self, key: &str) -> Option<i64> {
        self.text(key).and_then(|text| text.trim().parse().ok())
    }
}

/// Why the words make no sense.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misread {
    /// Help was asked for.
    Help,
    Wrong(String),
}

fn wrong(argument: &Argument, what: &str) -> Misread {
    Misread::Wrong(format!("argument {}: {what}", argument.label()))
}

/// Words that have been read, and what is left of them.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) given: Given,
    pub(super) rest: Vec<String>,
}

/// Reads options up to the first word that is none; the rest begins with it.
pub(super) fn leading(arguments: &[&Argument], words: &[String]) -> Result<Read, Misread> {
    let mut reader = Reader::new(arguments, words);
    while let Some(word) = reader.words.get(reader.at) {
        if reader.find(word)? == Word::Value {
            break;
        }
        reader.step()?;
    }
    let rest = words.get(reader.at..).unwrap_or_default().to_vec();
    if !reader.unknown.is_empty() {
        return Err(Misread::Wrong(format!(
            "unrecognized arguments: {}",
            reader.unknown.join(" ")
        )));
    }
    Ok(Read {
        given: reader.given,
        rest,
    })
}

/// Reads all words; the rest is what no argument takes.
pub(super) fn whole(arguments: &[&Argument], words: &[String]) -> Result<Read, Misread> {
    let mut reader = Reader::new(arguments, words);
    while reader.at < words.len() {
        reader.step()?;
    }
    reader.finish()
}

/// What a word is.
#[derive(Debug, PartialEq)]
enum Word<'a> {
    Value,
    /// An option by the name it was called, and a value that is in the same word.
    Option(&'a Argument, &'static str, Option<String>),
    Help,
    /// No option follows.
    End,
    Unknown,
}

impl PartialEq for Argument {
    fn eq(&self, other: &Self) -> bool {
        self.names == other.names && self.key == other.key
    }
}

struct Reader<'a> {
    arguments: &'a [&'a Argument],
    words: &'a [String],
    at: usize,
    /// Whether `--` was met.
    ended: bool,
    given: Given,
    places: Vec<String>,
    unknown: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(arguments: &'a [&'a Argument], words: &'a [String]) -> Self {
        Self {
            arguments,
            words,
            at: 0,
            ended: false,
            given: Given::default(),
            places: Vec::new(),
            unknown: Vec::new(),
        }
    }

    fn named(&self, name: &str) -> Option<(&'a Argument, &'static str)> {
        self.arguments.iter().find_map(|argument| {
            let found = argument.names.iter().find(|known| **known == name)?;
            Some((*argument, *found))
        })
    }

    fn find(&self, word: &str) -> Result<Word<'a>, Misread> {
        if self.ended || !word.starts_with('-') || word.len() == 1 {
            return Ok(Word::Value);
        }
        if word == "--" {
            return Ok(Word::End);
        }
        if matches!(word, "-h" | "--help") {
            return Ok(Word::Help);
        }
        if let Some((argument, name)) = self.named(word) {
            return Ok(Word::Option(argument, name, None));
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        if let Some((argument, name)) = self.named(name) {
            return Ok(Word::Option(argument, name, value));
        }
        let mut fitting: Vec<(&Argument, &'static str)> = Vec::new();
        if name.starts_with("--") {
            for argument in self.arguments {
                let names = argument.names.iter().copied();
                fitting.extend(
                    names
                        .filter(|known| known.starts_with(name))
                        .map(|known| (*argument, known)),
                );
            }
        } else if let Some((short, attached)) = word.split_at_checked(2)
            && let Some((argument, name)) = self.named(short)
        {
            return Ok(Word::Option(argument, name, Some(attached.to_owned())));
        }
        match fitting.as_slice() {
            [] if is_negative_number(word) || word.contains(' ') => Ok(Word::Value),
            [] => Ok(Word::Unknown),
            [(argument, name)] => Ok(Word::Option(argument, name, value)),
            several => {
                let names: Vec<&str> = several.iter().map(|(_, name)| *name).collect();
                Err(Misread::Wrong(format!(
                    "ambiguous option: {word} could match {}",
                    names.join(", ")
                )))
            }
        }
    }

    /// The words from here on that are values.
    fn values(&self, most: usize) -> Result<Vec<String>, Misread> {
        let mut values = Vec::new();
        for word in self.words.iter().skip(self.at).take(most) {
            if self.find(word)? != Word::Value {
                break;
            }
            values.push(word.clone());
        }
        Ok(values)
    }

    fn step(&mut self) -> Result<(), Misread> {
        let Some(word) = self.words.get(self.at) else {
            return Ok(());
        };
        self.at += 1;
        match self.find(word)? {
            Word::Help => return Err(Misread::Help),
            Word::End => self.ended = true,
            Word::Value => self.places.push(word.clone()),
            Word::Unknown => self.unknown.push(word.clone()),
            Word::Option(argument, name, value) => self.option(argument, name, value)?,
        }
        Ok(())
    }

    fn option(
        &mut self,
        argument: &'a Argument,
        name: &'static str,
        value: Option<String>,
    ) -> Result<(), Misread> {
        if let Some(instead) = argument.instead {
            self.given.former.push((name.to_owned(), instead));
        }
        let most = match argument.takes {
            Takes::Nothing => 0,
            Takes::One | Takes::Each | Takes::Perhaps => 1,
            Takes::Any | Takes::Several => usize::MAX,
        };
        let values = match value {
            Some(value) if argument.takes == Takes::Nothing => {
                let what = format!("ignored explicit argument '{value}'");
                return Err(wrong(argument, &what));
            }
            Some(value) => vec![value],
            None => {
                let values = self.values(most)?;
                self.at += values.len();
                values
            }
        };
        match (argument.takes, values.len()) {
            (Takes::One | Takes::Each, 0) => Err(wrong(argument, "expected one argument")),
            (Takes::Several, 0) => Err(wrong(argument, "expected at least one argument")),
            _ => self.set(argument, values),
        }
    }

    fn set(&mut self, argument: &Argument, values: Vec<String>) -> Result<(), Misread> {
        for value in &values {
            check(argument, value)?;
        }
        let values_so_far = &mut self.given.values;
        match argument.takes {
            Takes::Each => values_so_far
                .entry(argument.key)
                .or_default()
                .extend(values),
            // Of a list that is given twice the old client takes the first.
            Takes::Several if argument.is_option() => {
                values_so_far.entry(argument.key).or_insert(values);
            }
            _ => {
                values_so_far.insert(argument.key, values);
            }
        }
        Ok(())
    }

    /// Deals out the words that have places, and looks for what is missing.
    fn finish(mut self) -> Result<Read, Misread> {
        let mut missing = Vec::new();
        let mut places = std::mem::take(&mut self.places).into_iter().peekable();
        for argument in self.arguments {
            if argument.is_option() {
                if argument.required && !self.given.has(argument.key) {
                    missing.push(argument.label());
                }
                continue;
            }
            let most = match argument.takes {
                Takes::Any | Takes::Several => usize::MAX,
                _ => 1,
            };
            let taken: Vec<String> = places.by_ref().take(most).collect();
            match (argument.takes, taken.is_empty()) {
                (Takes::One | Takes::Several, true) => missing.push(argument.label()),
                (_, true) => {}
                (_, false) => self.set(argument, taken)?,
            }
        }
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Err(Misread::Wrong(format!(
                "the following arguments are required: {missing}"
            )));
        }
        self.unknown.extend(places);
        Ok(Read {
            given: self.given,
            rest: self.unknown,
        })
    }
}

fn check(argument: &Argument, value: &str) -> Result<(), Misread> {
    if argument.integer && value.trim().parse::<i64>().is_err() {
        return Err(wrong(argument, &format!("invalid int value: '{value}'")));
    }
    if !argument.choices.is_empty() && !argument.choices.contains(&value) {
        return Err(wrong(argument, &invalid_choice(value, argument.choices)));
    }
    Ok(())
}

pub(super) fn invalid_choice(value: &str, choices: &[&str]) -> String {
    let choices: Vec<String> = choices.iter().map(|choice| format!("'{choice}'")).collect();
    format!(
        "invalid choice: '{value}' (choose from {})",
        choices.join(", ")
    )
}

fn is_negative_number(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|digits| {
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        all_digits(whole) && all_digits(part) && !part.is_empty()
    })
}

#[cfg(test)]
mod tests;
