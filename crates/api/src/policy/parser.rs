//! From the text of a policy expression to its meaning.
//!
//! The language is that of oslo.policy: words separated by blanks, of which `and`, `or` and `not`
//! (in any case) join checks, and parentheses that cling to the words. `not` binds tightest, then
//! `and`, then `or`. Ironic treats a rule with a syntax error as "deny everybody"; here it is an
//! error that says where, because a typing error in a policy should not wait to be found by the
//! user it locks out. Left out are the checks that ask another server (`http:`, `https:`).

use super::expression::{Check, Expression, Part, Subject, Template};

/// How deep parentheses and `not` may be nested. Evaluation recurses as deep.
const MAX_DEPTH: usize = 32;

/// Where and why a text is no expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {problem}")]
pub struct ParseError {
    /// Counted from 1.
    pub at: usize,
    pub problem: Problem,
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("there are only blanks; write \"\" for everybody and \"!\" for nobody")]
    Blank,
    #[error("a check is missing")]
    NoCheck,
    #[error("\"and\" or \"or\" is missing before this")]
    NoOperator,
    #[error("this parenthesis is not closed")]
    Unclosed,
    #[error("this parenthesis was not opened")]
    Unopened,
    #[error("nested more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("{0:?} is not a check, which is written kind:value")]
    NoColon(String),
    #[error("a parenthesis stands inside a word; put a blank between")]
    Glued,
    #[error("{0:?} is neither an attribute of the caller nor a literal")]
    BadSubject(String),
    #[error("no rule is named")]
    NoRuleName,
    #[error("checks that ask another server are not supported")]
    Remote,
    #[error("\"%\" must begin \"%(name)s\", or be doubled")]
    BadVariable,
}

/// Reads an expression. The empty text allows everything.
pub(crate) fn parse(text: &str) -> Result<Expression, ParseError> {
    if text.is_empty() {
        return Ok(Expression::Always);
    }
    let mut parser = Parser {
        tokens: tokenize(text),
        next: 0,
        depth: 0,
        end: text.chars().count() + 1,
    };
    if parser.tokens.is_empty() {
        return Err(error(1, Problem::Blank));
    }
    let expression = parser.any()?;
    match parser.peek() {
        None => Ok(expression),
        Some(Token {
            at,
            kind: TokenKind::Close,
        }) => Err(error(at, Problem::Unopened)),
        Some(Token { at, .. }) => Err(error(at, Problem::NoOperator)),
    }
}

/// Reads one check that stands alone, as in the old syntax of lists.
pub(crate) fn parse_check(text: &str) -> Result<Expression, ParseError> {
    match tokenize(text).as_slice() {
        [
            Token {
                at,
                kind: TokenKind::Word(word),
            },
        ] => check(*at, word),
        _ => Err(error(1, Problem::NoColon(text.to_owned()))),
    }
}

fn error(at: usize, problem: Problem) -> ParseError {
    ParseError { at, problem }
}

#[derive(Debug, Clone, Copy)]
struct Token<'t> {
    at: usize,
    kind: TokenKind<'t>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind<'t> {
    Open,
    Close,
    And,
    Or,
    Not,
    Word(&'t str),
}

/// Splits at blanks, and parentheses off both ends of what is between. Those inside belong to
/// variables.
fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 1;
    for piece in text.split(char::is_whitespace) {
        let inner = piece.trim_start_matches('(');
        let word = inner.trim_end_matches(')');
        let opened = piece.len() - inner.len();
        let word_at = at + opened;
        let word_len = word.chars().count();
        tokens.extend((at..word_at).map(|at| Token {
            at,
            kind: TokenKind::Open,
        }));
        let kind = match word.to_lowercase().as_str() {
            "" => None,
            "and" => Some(TokenKind::And),
            "or" => Some(TokenKind::Or),
            "not" => Some(TokenKind::Not),
            _ => Some(TokenKind::Word(word)),
        };
        tokens.extend(kind.map(|kind| Token { at: word_at, kind }));
        let closed = inner.len() - word.len();
        tokens.extend((0..closed).map(|i| Token {
            at: word_at + word_len + i,
            kind: TokenKind::Close,
        }));
        at += opened + word_len + closed + 1;
    }
    tokens
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    depth: usize,
    /// The position after the last character.
    end: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).copied()
    }

    /// Steps over the next token if it is `kind`.
    fn take(&mut self, kind: TokenKind<'_>) -> bool {
        let found = self.peek().is_some_and(|token| token.kind == kind);
        self.next += usize::from(found);
        found
    }

    fn any(&mut self) -> Result<Expression, ParseError> {
        let mut parts = vec![self.all()?];
        while self.take(TokenKind::Or) {
            parts.push(self.all()?);
        }
        Ok(single_or(parts, Expression::Any))
    }

    fn all(&mut self) -> Result<Expression, ParseError> {
        let mut parts = vec![self.one()?];
        while self.take(TokenKind::And) {
            parts.push(self.one()?);
        }
        Ok(single_or(parts, Expression::All))
    }

    fn one(&mut self) -> Result<Expression, ParseError> {
        let Some(Token { at, kind }) = self.peek() else {
            return Err(error(self.end, Problem::NoCheck));
        };
        match kind {
            TokenKind::And | TokenKind::Or | TokenKind::Close => {
                return Err(error(at, Problem::NoCheck));
            }
            TokenKind::Word(word) => {
                self.next += 1;
                return check(at, word);
            }
            TokenKind::Not | TokenKind::Open => {}
        }
        self.next += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(error(at, Problem::TooDeep));
        }
        let expression = if kind == TokenKind::Not {
            Expression::Not(Box::new(self.one()?))
        } else {
            let inner = self.any()?;
            if !self.take(TokenKind::Close) {
                return Err(match self.peek() {
                    Some(token) => error(token.at, Problem::NoOperator),
                    None => error(at, Problem::Unclosed),
                });
            }
            inner
        };
        self.depth -= 1;
        Ok(expression)
    }
}

/// What `join` makes of several; one alone stays what it is.
fn single_or(mut parts: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            join(parts)
        }
        None => Expression::Never,
    }
}

/// A word that is no operator.
fn check(at: usize, word: &str) -> Result<Expression, ParseError> {
    match word {
        "@" => return Ok(Expression::Always),
        "!" => return Ok(Expression::Never),
        _ => {}
    }
    let Some((kind, value)) = word.split_once(':') else {
        return Err(error(at, Problem::NoColon(word.to_owned())));
    };
    if let Some(i) = kind.find(['(', ')']) {
        return Err(error(at + count(kind, i), Problem::Glued));
    }
    let value_at = at + kind.chars().count() + 1;
    let check = match kind {
        "http" | "https" => return Err(error(at, Problem::Remote)),
        "rule" if value.is_empty() => return Err(error(value_at, Problem::NoRuleName)),
        "rule" => match value.find(['(', ')']) {
            None => Check::Rule(value.to_owned()),
            Some(i) => return Err(error(value_at + count(value, i), Problem::Glued)),
        },
        "role" => Check::Role(template(value_at, value)?),
        _ => Check::Same {
            left: subject(kind).ok_or_else(|| error(at, Problem::BadSubject(kind.to_owned())))?,
            right: template(value_at, value)?,
        },
    };
    Ok(Expression::Check(check))
}

/// How many characters the first `bytes` bytes are.
fn count(text: &str, bytes: usize) -> usize {
    text[..bytes].chars().count()
}

fn subject(kind: &str) -> Option<Subject> {
    for quote in ['\'', '"'] {
        if let Some(rest) = kind.strip_prefix(quote) {
            let text = rest.strip_suffix(quote)?;
            let plain = !text.contains([quote, '\\']);
            return plain.then(|| Subject::Quoted {
                quote,
                text: text.to_owned(),
            });
        }
    }
    let number =
        kind.bytes().all(|b| b.is_ascii_digit()) && (kind == "0" || !kind.starts_with('0'));
    if matches!(kind, "True" | "False" | "None") || (number && !kind.is_empty()) {
        return Some(Subject::Constant(kind.to_owned()));
    }
    let named = kind.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && kind
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    named.then(|| Subject::Caller(kind.to_owned()))
}

fn template(at: usize, text: &str) -> Result<Template, ParseError> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let here = at + count(text, text.len() - rest.len());
        if c != '%' {
            if matches!(c, '(' | ')') {
                return Err(error(here, Problem::Glued));
            }
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        } else if let Some(after) = rest.strip_prefix("%%") {
            plain.push('%');
            rest = after;
        } else {
            let bad = || error(here, Problem::BadVariable);
            let inner = rest.strip_prefix("%(").ok_or_else(bad)?;
            let (name, after) = inner.split_once(")s").ok_or_else(bad)?;
            if name.is_empty() || name.contains(['(', ')', '%']) {
                return Err(bad());
            }
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Variable(name.to_owned()));
            rest = after;
        }
    }
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(Template(parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    #[track_caller]
    fn check(text: &str, printed: &str) {
        assert_eq!(parse(text).map(|e| e.to_string()), Ok(printed.to_owned()));
    }

    #[test]
    fn operators_bind_as_expected() {
        check("", "@");
        check("@", "@");
        check("!", "!");
        check("role:a", "role:a");
        check(
            "role:a or role:b and not role:c",
            "role:a or (role:b and not role:c)",
        );
        check(
            "(role:a OR role:b) And role:c",
            "(role:a or role:b) and role:c",
        );
        check("((role:a))", "role:a");
        check("not not ( role:a )", "not not role:a");
        check("a:1 and b:2 and c:3", "a:1 and b:2 and c:3");
        check("(a:1 and b:2) and c:3", "(a:1 and b:2) and c:3");
        check("\ta:1\n or\u{a0}b:2 ", "a:1 or b:2");
    }

    #[test]
    fn both_sides_of_a_check_are_understood() {
        let left = |kind: &str| match parse(&format!("{kind}:x")) {
            Ok(Expression::Check(Check::Same { left, .. })) => left,
            other => panic!("{other:?}"),
        };
        assert_eq!(left("user_id"), Subject::Caller("user_id".into()));
        assert_eq!(
            left("user.domain-id"),
            Subject::Caller("user.domain-id".into())
        );
        for constant in ["True", "False", "None", "0", "42"] {
            assert_eq!(left(constant), Subject::Constant(constant.into()));
        }
        assert_eq!(
            left("'x\"'"),
            Subject::Quoted {
                quote: '\'',
                text: "x\"".into()
            }
        );
        let right = |text: &str| match parse(&format!("role:{text}")) {
            Ok(Expression::Check(Check::Role(template))) => template.0,
            other => panic!("{other:?}"),
        };
        let text = |text: &str| Part::Text(text.into());
        assert_eq!(right(""), []);
        assert_eq!(right("a:b"), [text("a:b")]);
        assert_eq!(right("50%%"), [text("50%")]);
        assert_eq!(
            right("a%(b.c)sd%(e)s"),
            [
                text("a"),
                Part::Variable("b.c".into()),
                text("d"),
                Part::Variable("e".into())
            ]
        );
    }

    #[track_caller]
    fn refuse(text: &str, at: usize, problem: Problem) {
        assert_eq!(parse(text), Err(ParseError { at, problem }), "{text}");
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        use Problem::*;
        refuse("  ", 1, Blank);
        refuse("role:a or", 10, NoCheck);
        refuse("and role:a", 1, NoCheck);
        refuse("()", 2, NoCheck);
        refuse("not", 4, NoCheck);
        refuse("role:a role:b", 8, NoOperator);
        refuse("(role:ä role:b)", 9, NoOperator);
        refuse("role:a (role:b)", 8, NoOperator);
        refuse("role:ä or ((role:b)", 11, Unclosed);
        refuse("role:a)", 7, Unopened);
        refuse("role:a or )role:b", 11, Glued);
        refuse("role:a or admin", 11, NoColon("admin".into()));
        refuse("\"quoted\"", 1, NoColon("\"quoted\"".into()));
        refuse("not(role:a)", 4, Glued);
        refuse("role:a)or(role:b", 7, Glued);
        refuse("rule:a)or(role:b", 7, Glued);
        refuse(":x", 1, BadSubject(String::new()));
        refuse("007:x", 1, BadSubject("007".into()));
        refuse("'a:x", 1, BadSubject("'a".into()));
        refuse("'it''s':x", 1, BadSubject("'it''s'".into()));
        refuse("a:x or rule:", 13, NoRuleName);
        refuse("http://h/p", 1, Remote);
        refuse("a:%x", 3, BadVariable);
        refuse("ä:é%(b)", 4, BadVariable);
        refuse("a:%()s", 3, BadVariable);
        refuse("a:%(b)d", 3, BadVariable);
    }

    #[test]
    fn depth_has_a_limit() {
        let nested = |depth: usize| format!("{}a:x{}", "(".repeat(depth), ")".repeat(depth));
        check(&nested(MAX_DEPTH), "a:x");
        refuse(&nested(MAX_DEPTH + 1), MAX_DEPTH + 1, Problem::TooDeep);
        refuse(&"not ".repeat(100_000), MAX_DEPTH * 4 + 1, Problem::TooDeep);
        // Side by side there may be as many as one likes.
        assert!(parse(&vec!["(a:x)"; 1000].join(" or not ")).is_ok());
    }

    #[test]
    fn old_lists_hold_single_checks_only() {
        assert!(parse_check("role:a").is_ok());
        assert_eq!(parse_check("@"), Ok(Expression::Always));
        for text in ["", "role:a b:c", "(role:a)", "not role:a", "and", "admin"] {
            assert!(parse_check(text).is_err(), "{text}");
        }
    }

    fn template_strategy() -> impl Strategy<Value = Template> {
        let part = prop_oneof![
            "[a-zäß%:'./-]{1,6}".prop_map(Part::Text),
            "[a-z_]{1,5}(\\.[a-z]{1,5})?".prop_map(Part::Variable),
        ];
        vec(part, 0..4).prop_map(|parts| {
            let mut merged: Vec<Part> = Vec::new();
            for part in parts {
                match (merged.last_mut(), part) {
                    (Some(Part::Text(text)), Part::Text(more)) => text.push_str(&more),
                    (_, part) => merged.push(part),
                }
            }
            Template(merged)
        })
    }

    fn check_strategy() -> impl Strategy<Value = Check> {
        let name = "[A-Z_a-z][a-z0-9_.-]{0,8}".prop_filter("has a meaning of its own", |name| {
            !["rule", "role", "http", "https", "True", "False", "None"].contains(&name.as_str())
        });
        let subject = prop_oneof![
            name.prop_map(Subject::Caller),
            "True|False|None|0|[1-9][0-9]{0,3}".prop_map(Subject::Constant),
            ("'|\"", "[a-z!@#]{0,5}").prop_map(|(quote, text)| Subject::Quoted {
                quote: if quote == "'" { '\'' } else { '"' },
                text,
            }),
        ];
        prop_oneof![
            "[a-z:_%]{1,12}".prop_map(Check::Rule),
            template_strategy().prop_map(Check::Role),
            (subject, template_strategy()).prop_map(|(left, right)| Check::Same { left, right }),
        ]
    }

    fn expression_strategy() -> impl Strategy<Value = Expression> {
        let leaf = prop_oneof![
            1 => Just(Expression::Always),
            1 => Just(Expression::Never),
            6 => check_strategy().prop_map(Expression::Check),
        ];
        leaf.prop_recursive(5, 30, 4, |inner| {
            prop_oneof![
                inner.clone().prop_map(|e| Expression::Not(Box::new(e))),
                vec(inner.clone(), 2..4).prop_map(Expression::All),
                vec(inner, 2..4).prop_map(Expression::Any),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            if let Err(error) = parse(&text) {
                prop_assert!(error.at >= 1 && error.at <= text.chars().count() + 1);
            }
        }

        #[test]
        fn any_words_are_read_or_refused(
            words in vec("\\(|\\)|and|or|not|role:[a%(]{0,3}|%\\(|\\)s|:|'|x:%\\(y\\)s| ", 0..20)
        ) {
            for text in [words.join(" "), words.concat()] {
                if let Ok(expression) = parse(&text) {
                    prop_assert_eq!(parse(&expression.to_string()), Ok(expression));
                }
            }
        }

        #[test]
        fn what_is_printed_reads_back(expression in expression_strategy()) {
            prop_assert_eq!(parse(&expression.to_string()), Ok(expression));
        }
    }
}
