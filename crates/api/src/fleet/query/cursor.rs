//! A place in the text of a query.

use super::QueryError;
use std::ops::Range;

/// Where the parser is.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// In bytes: the next character, and the beginning of the word.
    at: usize,
    begin: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            begin: 0,
        }
    }

    /// In characters.
    pub(super) fn len(&self) -> usize {
        self.text.chars().count()
    }

    /// The next character, in bytes from the beginning of the query.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    /// Goes to the next word; false at the end.
    pub(super) fn next_word(&mut self) -> bool {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.begin = self.at;
        self.at < self.text.len()
    }

    /// The word from its beginning to the next space that is not in quotes.
    pub(super) fn word(&self) -> &'a str {
        let from = self.text.get(self.begin..).unwrap_or_default();
        let (mut in_quotes, mut is_escaped) = (false, false);
        let end = from.find(|c: char| {
            if is_escaped {
                is_escaped = false;
                return false;
            }
            match c {
                '\\' if in_quotes => is_escaped = true,
                '"' => in_quotes = !in_quotes,
                c if c.is_whitespace() && !in_quotes => return true,
                _ => {}
            }
            false
        });
        &from[..end.unwrap_or(from.len())]
    }

    /// The word with other text at some places, which are in order and inside the word.
    pub(super) fn word_with<'r>(
        &self,
        places: impl Iterator<Item = &'r Range<usize>>,
        other: &str,
    ) -> String {
        let mut text = String::new();
        let mut copied = self.begin;
        for place in places {
            text += self.text.get(copied..place.start).unwrap_or_default();
            text += other;
            copied = place.end;
        }
        let end = self.begin + self.word().len();
        text + self.text.get(copied..end).unwrap_or_default()
    }

    /// A name and the sign behind it, if that is what comes next. Addresses are no names: they have
    /// colons, and nothing but hexadecimal digits between them.
    pub(super) fn name(&mut self) -> Option<(String, char)> {
        let rest = self.rest();
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        let is_part = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '.' | '*');
        if word.chars().all(is_part) && word.contains(':') {
            return None;
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let end = rest.find(|c: char| !is_name(c))?;
        let sign = rest[end..].chars().next()?;
        if end == 0 || !matches!(sign, ':' | '<' | '>') {
            return None;
        }
        self.at += end + sign.len_utf8();
        Some((rest[..end].to_owned(), sign))
    }

    /// Everything up to the next comma or space.
    pub(super) fn plain(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| c == ',' || c == '"' || c.is_whitespace());
        let text = &rest[..end.unwrap_or(rest.len())];
        self.at += text.len();
        text.to_owned()
    }

    /// Everything up to the next space.
    pub(super) fn rest_of_word(&mut self) -> String {
        let rest = self.rest();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    /// What stands in quotes; a backslash takes the next character as it is.
    pub(super) fn quoted(&mut self) -> Result<String, QueryError> {
        self.eat('"');
        let mut text = String::new();
        loop {
            let closing = match self.bump() {
                None => "\"",
                Some('"') => return Ok(text),
                Some('\\') => match self.bump() {
                    // Quotes right behind the backslash would be part of the value.
                    None => "\\\"",
                    Some(escaped) => {
                        text.push(escaped);
                        continue;
                    }
                },
                Some(other) => {
                    text.push(other);
                    continue;
                }
            };
            let text = "The quotes are not closed.".to_owned();
            return Err(self.error(text, Some(format!("{}{closing}", self.word()))));
        }
    }

    pub(super) fn is_at_end_of_value(&self) -> bool {
        self.peek().is_none_or(|c| c == ',' || c.is_whitespace())
    }

    /// What is wrong with the word.
    pub(super) fn error(&self, text: String, suggestion: Option<String>) -> QueryError {
        let word = self.word();
        let start = self.text[..self.begin].chars().count();
        QueryError {
            text,
            word: word.to_owned(),
            start,
            end: start + word.chars().count(),
            suggestion,
        }
    }

    /// The same, of everything behind a number of characters.
    pub(super) fn error_at(
        &self,
        start: usize,
        text: String,
        suggestion: Option<String>,
    ) -> QueryError {
        QueryError {
            text,
            word: String::new(),
            start,
            end: self.len(),
            suggestion,
        }
    }
}
