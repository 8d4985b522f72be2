//! What a policy expression says, apart from how it is written.
//!
//! The tree keeps the writer's grouping, so that a printed expression reads back as the same tree.
//! It knows nothing about callers or rules: names in it may mean nothing at all, which is found
//! out when a whole policy is put together.

use std::fmt;

/// A condition on who asks and what is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    /// `@`, or nothing at all.
    Always,
    /// `!`
    Never,
    Check(Check),
    Not(Box<Expression>),
    /// Two or more, joined by `and`.
    All(Vec<Expression>),
    /// Two or more, joined by `or`.
    Any(Vec<Expression>),
}

/// One comparison, `kind:value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Check {
    /// `rule:name`: another rule decides.
    Rule(String),
    /// `role:name`: the caller has this role.
    Role(Template),
    /// Anything else: what stands on the left, as text, equals what stands on the right.
    Same { left: Subject, right: Template },
}

/// The left side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// An attribute of the caller, such as `project_id`.
    Caller(String),
    /// `'text'` or `"text"`.
    Quoted { quote: char, text: String },
    /// `True`, `False`, `None` or a number: means its own spelling.
    Constant(String),
}

/// Text with `%(name)s` in it, to be filled in with attributes of the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(pub Vec<Part>);

/// A piece of a [`Template`]. Two texts never stand side by side, and none is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Variable(String),
}

impl Expression {
    /// Calls `visit` with every check in the tree, left to right.
    pub(crate) fn for_each_check(&self, visit: &mut dyn FnMut(&Check)) {
        match self {
            Self::Always | Self::Never => {}
            Self::Check(check) => visit(check),
            Self::Not(inner) => inner.for_each_check(visit),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.for_each_check(visit));
            }
        }
    }

    /// Either of the two. Alternatives of `self` are not nested once more.
    pub(crate) fn or(self, other: Self) -> Self {
        match self {
            Self::Any(mut parts) => {
                parts.push(other);
                Self::Any(parts)
            }
            first => Self::Any(vec![first, other]),
        }
    }
}

impl Template {
    /// The text, if nothing has to be filled in.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    write!(f, " {word} ")?;
                }
                grouped(f, part)?;
            }
            Ok(())
        };
        match self {
            Self::Always => f.write_str("@"),
            Self::Never => f.write_str("!"),
            Self::Check(check) => check.fmt(f),
            Self::Not(inner) => {
                f.write_str("not ")?;
                grouped(f, inner)
            }
            Self::All(parts) => joined(f, parts, "and"),
            Self::Any(parts) => joined(f, parts, "or"),
        }
    }
}

/// Writes a part of a larger expression. Parentheses stand also where the grammar could do without
/// them: few readers know by heart which of `and` and `or` binds tighter.
fn grouped(f: &mut fmt::Formatter<'_>, part: &Expression) -> fmt::Result {
    match part {
        Expression::All(_) | Expression::Any(_) => write!(f, "({part})"),
        _ => write!(f, "{part}"),
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(name) => write!(f, "rule:{name}"),
            Self::Role(name) => write!(f, "role:{name}"),
            Self::Same { left, right } => write!(f, "{left}:{right}"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caller(name) | Self::Constant(name) => f.write_str(name),
            Self::Quoted { quote, text } => write!(f, "{quote}{text}{quote}"),
        }
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(&text.replace('%', "%%")),
            Part::Variable(name) => write!(f, "%({name})s"),
        })
    }
}
