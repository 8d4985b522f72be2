//! Expressions in templates: names, texts, numbers, comparisons, logic and filters.

use super::{
    Value, Values,
    work::{TooMuch, Work},
};
use std::{borrow::Cow, cmp::Ordering};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    Constant(Value),
    /// `a.b.c`.
    Path(Vec<String>),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Compare(Box<Expression>, Comparison, Box<Expression>),
    /// `value | default(instead, also_if_false)`.
    Default {
        value: Box<Expression>,
        instead: Box<Expression>,
        also_if_false: bool,
    },
    Changed(Box<Expression>, Change),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    /// `'key' in map`, or a part of a text.
    In,
    NotIn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Lower,
    Upper,
    Trim,
}

impl Expression {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        // A long chain is as deep when its value is asked for.
        if text.len() > LONGEST {
            return Err(format!("an expression is longer than {LONGEST} bytes"));
        }
        let mut parser = Parser {
            words: words(text)?,
            at: 0,
            depth: 0,
        };
        let expression = parser.or()?;
        match parser.peek() {
            None => Ok(expression),
            Some(word) => Err(format!("{} is not expected in '{text}'", word.shown())),
        }
    }

    /// What it stands for. Texts may be long, so that none is copied unless it is changed.
    pub(super) fn value<'a>(
        &'a self,
        values: &'a Values,
        work: &mut Work,
    ) -> Result<Cow<'a, Value>, TooMuch> {
        work.spend(1)?;
        Ok(match self {
            Self::Constant(value) => Cow::Borrowed(value),
            Self::Path(names) => Cow::Borrowed(looked_up(values, names)),
            Self::Not(inner) => truth(!inner.value(values, work)?.is_true()),
            Self::And(left, right) => {
                let left = left.value(values, work)?;
                if left.is_true() {
                    right.value(values, work)?
                } else {
                    left
                }
            }
            Self::Or(left, right) => {
                let left = left.value(values, work)?;
                if left.is_true() {
                    left
                } else {
                    right.value(values, work)?
                }
            }
            Self::Compare(left, comparison, right) => {
                let (left, right) = (left.value(values, work)?, right.value(values, work)?);
                work.spend(comparison.cost(&left, &right))?;
                truth(comparison.holds(&left, &right))
            }
            Self::Default {
                value,
                instead,
                also_if_false,
            } => {
                let value = value.value(values, work)?;
                let missing = *value == Value::Undefined || (*also_if_false && !value.is_true());
                if missing {
                    instead.value(values, work)?
                } else {
                    value
                }
            }
            Self::Changed(inner, change) => {
                let value = inner.value(values, work)?;
                let text = value.shown();
                work.spend(text.len())?;
                Cow::Owned(Value::Text(match change {
                    Change::Lower => text.to_lowercase(),
                    Change::Upper => text.to_uppercase(),
                    Change::Trim => text.trim().to_owned(),
                }))
            }
        })
    }
}

fn truth<'a>(truth: bool) -> Cow<'a, Value> {
    Cow::Owned(Value::Truth(truth))
}

impl Expression {
    /// The first name in it that stands for nothing, unless `default` says what is shown then.
    pub(super) fn undefined(&self, values: &Values) -> Option<String> {
        match self {
            Self::Constant(_) | Self::Default { .. } => None,
            Self::Path(names) => {
                let missing = *looked_up(values, names) == Value::Undefined;
                missing.then(|| names.join("."))
            }
            Self::Not(inner) | Self::Changed(inner, _) => inner.undefined(values),
            Self::And(left, right) | Self::Or(left, right) | Self::Compare(left, _, right) => {
                left.undefined(values).or_else(|| right.undefined(values))
            }
        }
    }
}

fn looked_up<'a>(values: &'a Values, names: &[String]) -> &'a Value {
    let Some((first, rest)) = names.split_first() else {
        return &Value::Undefined;
    };
    match (values.get(first), rest) {
        (None, _) => &Value::Undefined,
        (Some(value), []) => value,
        (Some(Value::Map(map)), rest) => looked_up(map, rest),
        (Some(_), _) => &Value::Undefined,
    }
}

impl Comparison {
    /// How many bytes are looked at.
    fn cost(self, left: &Value, right: &Value) -> usize {
        match (left, right) {
            (Value::Text(_), Value::Text(text)) if matches!(self, Self::In | Self::NotIn) => {
                text.len()
            }
            (Value::Text(left), Value::Text(right)) => left.len().min(right.len()),
            (Value::Map(left), Value::Map(_)) => left.values().map(Value::length).sum(),
            _ => 0,
        }
    }

    fn holds(self, left: &Value, right: &Value) -> bool {
        let order = match (left, right) {
            (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
            (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
            _ => None,
        };
        match self {
            Self::Equal => left == right,
            Self::Unequal => left != right,
            Self::Less => order == Some(Ordering::Less),
            Self::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::More => order == Some(Ordering::Greater),
            Self::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Self::In => is_in(left, right),
            Self::NotIn => !is_in(left, right),
        }
    }
}

fn is_in(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Text(key), Value::Map(map)) => map.contains_key(key),
        (Value::Text(part), Value::Text(text)) => text.contains(part.as_str()),
        _ => false,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Name(String),
    Text(String),
    Number(i64),
    Sign(&'static str),
}

impl Word {
    fn shown(&self) -> String {
        match self {
            Self::Name(name) => format!("'{name}'"),
            Self::Text(text) => format!("the text '{text}'"),
            Self::Number(number) => format!("{number}"),
            Self::Sign(sign) => format!("'{sign}'"),
        }
    }
}

/// Longer signs first, so that none is taken for the beginning of another.
const SIGNS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "|", "(", ")", ",", "."];

fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            words.push(Word::Sign(sign));
            sign.len()
        } else if first == '\'' || first == '"' {
            let inside = &rest[1..];
            let end = inside.find(first).ok_or("a text is not closed")?;
            words.push(Word::Text(inside[..end].to_owned()));
            end + 2
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit());
            let end = end.unwrap_or(rest.len());
            let number = rest[..end].parse();
            words.push(Word::Number(
                number.map_err(|_| "a number is too large".to_owned())?,
            ));
            end
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let end = end.unwrap_or(rest.len());
            words.push(Word::Name(rest[..end].to_owned()));
            end
        } else {
            return Err(format!("'{first}' is not served in '{text}'"));
        };
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

/// Conditions of templates are shorter than this, in bytes.
const LONGEST: usize = 4096;

/// How deep brackets may stand within each other.
const DEEPEST: usize = 16;

struct Parser {
    words: Vec<Word>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Word> {
        self.words.get(self.at)
    }

    fn takes(&mut self, word: &Word) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn takes_name(&mut self, name: &str) -> bool {
        let found = matches!(self.peek(), Some(Word::Name(found)) if found == name);
        self.at += usize::from(found);
        found
    }

    fn needs(&mut self, sign: &'static str) -> Result<(), String> {
        if self.takes(&Word::Sign(sign)) {
            return Ok(());
        }
        Err(format!("'{sign}' is missing"))
    }

    fn or(&mut self) -> Result<Expression, String> {
        let mut left = self.and()?;
        while self.takes_name("or") {
            left = Expression::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expression, String> {
        let mut left = self.not()?;
        while self.takes_name("and") {
            left = Expression::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expression, String> {
        let mut negations = 0;
        while self.takes_name("not") {
            negations += 1;
        }
        let inner = self.comparison()?;
        Ok(match negations {
            0 => inner,
            1 => Expression::Not(Box::new(inner)),
            _ => return Err("'not' stands twice".to_owned()),
        })
    }

    fn comparison(&mut self) -> Result<Expression, String> {
        let left = self.filtered()?;
        for (sign, comparison) in [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::AtMost),
            (">=", Comparison::AtLeast),
            ("<", Comparison::Less),
            (">", Comparison::More),
        ] {
            if self.takes(&Word::Sign(sign)) {
                let right = self.filtered()?;
                return Ok(Expression::Compare(
                    Box::new(left),
                    comparison,
                    Box::new(right),
                ));
            }
        }
        let at = self.at;
        let negated = self.takes_name("not");
        if self.takes_name("in") {
            let comparison = match negated {
                true => Comparison::NotIn,
                false => Comparison::In,
            };
            let right = Box::new(self.filtered()?);
            return Ok(Expression::Compare(Box::new(left), comparison, right));
        }
        self.at = at;
        Ok(left)
    }

    fn filtered(&mut self) -> Result<Expression, String> {
        let mut value = self.primary()?;
        while self.takes(&Word::Sign("|")) {
            let Some(Word::Name(name)) = self.peek().cloned() else {
                return Err("a filter's name is missing".to_owned());
            };
            self.at += 1;
            let mut arguments = self.arguments()?.into_iter();
            let value_before = Box::new(value);
            value = match name.as_str() {
                "default" | "d" => Expression::Default {
                    value: value_before,
                    instead: Box::new(
                        arguments
                            .next()
                            .unwrap_or(Expression::Constant(Value::Text(String::new()))),
                    ),
                    also_if_false: arguments
                        .next()
                        .is_some_and(|also| also == Expression::Constant(Value::Truth(true))),
                },
                "lower" => Expression::Changed(value_before, Change::Lower),
                "upper" => Expression::Changed(value_before, Change::Upper),
                "trim" => Expression::Changed(value_before, Change::Trim),
                other => return Err(format!("the filter '{other}' is not served")),
            };
            if arguments.next().is_some() {
                return Err(format!("the filter '{name}' has too many arguments"));
            }
        }
        Ok(value)
    }

    fn arguments(&mut self) -> Result<Vec<Expression>, String> {
        let mut arguments = Vec::new();
        if !self.takes(&Word::Sign("(")) {
            return Ok(arguments);
        }
        if self.takes(&Word::Sign(")")) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.primary()?);
            if !self.takes(&Word::Sign(",")) {
                break;
            }
        }
        self.needs(")")?;
        Ok(arguments)
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let word = self.peek().cloned();
        self.at += 1;
        match word {
            Some(Word::Text(text)) => Ok(Expression::Constant(Value::Text(text))),
            Some(Word::Number(number)) => Ok(Expression::Constant(Value::Number(number))),
            Some(Word::Name(name)) => match name.as_str() {
                "true" | "True" => Ok(Expression::Constant(Value::Truth(true))),
                "false" | "False" => Ok(Expression::Constant(Value::Truth(false))),
                "none" | "None" => Ok(Expression::Constant(Value::Undefined)),
                _ => self.path(name),
            },
            Some(Word::Sign("(")) => {
                if self.depth == DEEPEST {
                    return Err(format!(
                        "brackets stand deeper than {DEEPEST} within each other"
                    ));
                }
                self.depth += 1;
                let inner = self.or()?;
                self.depth -= 1;
                self.needs(")")?;
                Ok(inner)
            }
            Some(word) => Err(format!("{} is not expected", word.shown())),
            None => Err("a value is missing".to_owned()),
        }
    }

    fn path(&mut self, first: String) -> Result<Expression, String> {
        let mut names = vec![first];
        while self.takes(&Word::Sign(".")) {
            let Some(Word::Name(name)) = self.peek().cloned() else {
                return Err("a name is missing behind '.'".to_owned());
            };
            self.at += 1;
            names.push(name);
        }
        if self.peek() == Some(&Word::Sign("(")) {
            return Err(format!("the function '{}' is not served", names.join(".")));
        }
        Ok(Expression::Path(names))
    }
}
