//! Templates of operators, in the part of Jinja2 that Ironic's own templates use.
//!
//! Served are values (`{{ a.b }}`, with the filters `default`, `lower`, `upper` and `trim`), `if`
//! with `elif` and `else`, comparisons, `in`, `and`, `or`, `not`, comments, and dashes that eat space.
//! What else Jinja2 has is refused when the template is read. The one exception are `for` and `set`:
//! Ironic's template for iPXE has them in the part for several volumes; a template that gets there
//! is refused then.
//!
//! Users have templates too (`ks_template`), so that neither tags nor brackets may stand within each
//! other without end, and what a template writes and compares has a limit.

mod expression;
mod work;

use expression::Expression;
use std::{borrow::Cow, collections::BTreeMap};
use work::{TooMuch, Work};

type Values = BTreeMap<String, Value>;

/// A value in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(i64),
    Truth(bool),
    Map(BTreeMap<String, Value>),
    /// A name that stands for nothing. It is false, and shown as nothing.
    Undefined,
}

impl Value {
    fn is_true(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0,
            Self::Truth(truth) => *truth,
            Self::Map(map) => !map.is_empty(),
            Self::Undefined => false,
        }
    }
}

impl Value {
    /// As it is written into the text.
    fn shown(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Number(number) => number.to_string().into(),
            Self::Truth(true) => "True".into(),
            Self::Truth(false) => "False".into(),
            // Nobody shows a table in a boot configuration.
            Self::Map(_) | Self::Undefined => "".into(),
        }
    }

    /// How many bytes of text are in it.
    fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Map(map) => map.values().map(Self::length).sum(),
            Self::Number(_) | Self::Truth(_) | Self::Undefined => 1,
        }
    }
}

/// Why a template cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TemplateError {
    pub line: usize,
    pub reason: String,
}

/// A template that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Show {
        line: usize,
        expression: Expression,
    },
    If {
        branches: Vec<Branch>,
        otherwise: Vec<Part>,
    },
    /// Something that is not served, and may never be reached.
    Unserved(TemplateError),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Branch {
    line: usize,
    condition: Expression,
    parts: Vec<Part>,
}

impl Template {
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        // As Jinja2 does unless told otherwise.
        let text = text.strip_suffix('\n').unwrap_or(text);
        let mut reader = Reader {
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
        };
        let parts = reader.parts(&[])?;
        Ok(Self(parts))
    }

    pub fn render(&self, values: &BTreeMap<String, Value>) -> Result<String, TemplateError> {
        self.rendered(values, Missing::Empty)
    }

    /// The same, where a name that stands for nothing is an error and not shown as nothing.
    pub fn render_strictly(
        &self,
        values: &BTreeMap<String, Value>,
    ) -> Result<String, TemplateError> {
        self.rendered(values, Missing::Refused)
    }

    fn rendered(&self, values: &Values, missing: Missing) -> Result<String, TemplateError> {
        let mut rendering = Rendering {
            values,
            missing,
            work: Work::default(),
            line: 1,
            out: String::new(),
        };
        rendering.parts(&self.0)?;
        Ok(rendering.out)
    }
}

/// What becomes of a name that stands for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Empty,
    Refused,
}

/// A template that is being rendered.
struct Rendering<'a> {
    values: &'a Values,
    missing: Missing,
    work: Work,
    /// Where the last tag stood.
    line: usize,
    out: String,
}

impl<'a> Rendering<'a> {
    fn parts(&mut self, parts: &'a [Part]) -> Result<(), TemplateError> {
        for part in parts {
            match part {
                Part::Text(text) => self.write(text)?,
                Part::Show { line, expression } => {
                    self.line = *line;
                    let undefined = match self.missing {
                        Missing::Empty => None,
                        Missing::Refused => expression.undefined(self.values),
                    };
                    if let Some(name) = undefined {
                        return Err(self.error(format!("'{name}' is undefined")));
                    }
                    let value = self.value(expression)?;
                    self.write(&value.shown())?;
                }
                Part::Unserved(error) => return Err(error.clone()),
                Part::If {
                    branches,
                    otherwise,
                } => {
                    let mut taken = otherwise;
                    for branch in branches {
                        self.line = branch.line;
                        if self.value(&branch.condition)?.is_true() {
                            taken = &branch.parts;
                            break;
                        }
                    }
                    self.parts(taken)?;
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, expression: &'a Expression) -> Result<Cow<'a, Value>, TemplateError> {
        let value = expression.value(self.values, &mut self.work);
        value.map_err(|TooMuch| self.too_much())
    }

    fn write(&mut self, text: &str) -> Result<(), TemplateError> {
        let spent = self.work.spend(text.len());
        spent.map_err(|TooMuch| self.too_much())?;
        self.out.push_str(text);
        Ok(())
    }

    fn too_much(&self) -> TemplateError {
        let limit = work::MOST >> 20;
        self.error(format!(
            "the template writes and compares more than {limit} MiB in all"
        ))
    }

    fn error(&self, reason: String) -> TemplateError {
        TemplateError {
            line: self.line,
            reason,
        }
    }
}

#[derive(Debug)]
enum Token<'a> {
    Text(&'a str),
    Show { line: usize, inside: &'a str },
    Tag { line: usize, inside: &'a str },
}

/// Texts, values and tags in order. A dash at the edge of a tag eats the space beyond it.
fn tokens(text: &str) -> Result<Vec<Token<'_>>, TemplateError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut eats = false;
    let mut line = 1;
    loop {
        let (before, after) = rest.split_at(opening_in(rest).unwrap_or(rest.len()));
        line += lines_in(before);
        let before = if eats { before.trim_start() } else { before };
        if after.is_empty() {
            tokens.push(Token::Text(before));
            return Ok(tokens);
        }
        let (opening, after) = after.split_at(2);
        let closing = match opening {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let end = after.find(closing).ok_or_else(|| TemplateError {
            line,
            reason: format!("'{opening}' is not closed"),
        })?;
        let (inside, after) = (&after[..end], &after[end + 2..]);
        let lines_inside = lines_in(inside);
        let (dash_before, inside) = match inside.strip_prefix('-') {
            Some(inside) => (true, inside),
            None => (false, inside.strip_prefix('+').unwrap_or(inside)),
        };
        let (dash_behind, inside) = match inside.strip_suffix('-') {
            Some(inside) => (true, inside),
            None => (false, inside.strip_suffix('+').unwrap_or(inside)),
        };
        tokens.push(Token::Text(if dash_before {
            before.trim_end()
        } else {
            before
        }));
        let inside = inside.trim();
        match opening {
            "{{" => tokens.push(Token::Show { line, inside }),
            "{%" => tokens.push(Token::Tag { line, inside }),
            _ => {}
        }
        eats = dash_behind;
        line += lines_inside;
        rest = after;
    }
}

/// Where the next value, tag or comment begins.
fn opening_in(text: &str) -> Option<usize> {
    let braces = text.match_indices('{').map(|(at, _)| at);
    let mut braces =
        braces.filter(|at| matches!(text.as_bytes().get(at + 1), Some(b'{' | b'%' | b'#')));
    braces.next()
}

fn lines_in(text: &str) -> usize {
    text.matches('\n').count()
}

/// How deep tags may stand within each other.
const DEEPEST: usize = 32;

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// Everything up to one of these tags, which is left for the caller; up to the end without.
    fn parts(&mut self, ends: &[&str]) -> Result<Vec<Part>, TemplateError> {
        let mut parts = Vec::new();
        while let Some(token) = self.tokens.get(self.at) {
            match *token {
                Token::Text("") => self.at += 1,
                Token::Text(text) => {
                    parts.push(Part::Text(text.to_owned()));
                    self.at += 1;
                }
                Token::Show { line, inside } => {
                    parts.push(match Expression::parse(inside) {
                        Ok(expression) => Part::Show { line, expression },
                        Err(reason) => Part::Unserved(TemplateError { line, reason }),
                    });
                    self.at += 1;
                }
                Token::Tag { line, inside } => {
                    let word = word(inside);
                    if ends.contains(&word) {
                        return Ok(parts);
                    }
                    self.at += 1;
                    parts.push(self.tag(line, word, inside)?);
                }
            }
        }
        if ends.is_empty() {
            return Ok(parts);
        }
        Err(TemplateError {
            line: self.last_line(),
            reason: format!("'{}' is missing", ends[ends.len() - 1]),
        })
    }

    fn tag(&mut self, line: usize, word: &str, inside: &'a str) -> Result<Part, TemplateError> {
        let unserved = |reason: String| TemplateError { line, reason };
        if self.depth == DEEPEST {
            return Err(unserved(format!(
                "tags stand deeper than {DEEPEST} within each other"
            )));
        }
        self.depth += 1;
        let part = self.tag_within(line, word, inside);
        self.depth -= 1;
        part
    }

    fn tag_within(
        &mut self,
        line: usize,
        word: &str,
        inside: &'a str,
    ) -> Result<Part, TemplateError> {
        let unserved = |reason: String| TemplateError { line, reason };
        match word {
            "if" => self.condition(line, inside),
            "set" => Ok(Part::Unserved(unserved("'set' is not served".to_owned()))),
            "for" => {
                self.parts(&["endfor"])?;
                self.at += 1;
                Ok(Part::Unserved(unserved("'for' is not served".to_owned())))
            }
            other => Err(unserved(format!(
                "'{other}' is not served; if, elif, else and endif are"
            ))),
        }
    }

    fn condition(&mut self, line: usize, inside: &'a str) -> Result<Part, TemplateError> {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        let (mut line, mut inside) = (line, inside);
        loop {
            let condition = inside.split_once(char::is_whitespace);
            let condition = condition.map_or("", |(_, condition)| condition);
            let condition =
                Expression::parse(condition).map_err(|reason| TemplateError { line, reason })?;
            branches.push(Branch {
                line,
                condition,
                parts: self.parts(&["elif", "else", "endif"])?,
            });
            let Some(&Token::Tag {
                line: next_line,
                inside: next,
            }) = self.tokens.get(self.at)
            else {
                break;
            };
            self.at += 1;
            match word(next) {
                "elif" => (line, inside) = (next_line, next),
                "else" => {
                    otherwise = self.parts(&["endif"])?;
                    self.at += 1;
                    break;
                }
                _ => break,
            }
        }
        Ok(Part::If {
            branches,
            otherwise,
        })
    }

    fn last_line(&self) -> usize {
        let mut lines = self.tokens.iter().filter_map(|token| match token {
            Token::Show { line, .. } | Token::Tag { line, .. } => Some(*line),
            Token::Text(_) => None,
        });
        lines.next_back().unwrap_or(1)
    }
}

fn word(inside: &str) -> &str {
    inside.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> BTreeMap<String, Value> {
        let text = |text: &str| Value::Text(text.to_owned());
        let options = [
            ("kernel", text("http://h/k")),
            ("empty", text("")),
            ("timeout", Value::Number(20)),
        ];
        let options = options.map(|(name, value)| (name.to_owned(), value));
        BTreeMap::from([
            ("o".to_owned(), Value::Map(BTreeMap::from(options))),
            ("ID".to_owned(), text("0x1")),
        ])
    }

    #[track_caller]
    fn check(template: &str, expected: &str) {
        let rendered = Template::parse(template).unwrap().render(&values());
        assert_eq!(rendered.as_deref(), Ok(expected), "{template}");
    }

    #[test]
    fn values_are_put_in() {
        check("a {{ o.kernel }} {{ID}}\n", "a http://h/k 0x1");
        check("[{{ nothing }}{{ o.nothing.at_all }}]", "[]");
        check(
            "{{ o.empty|default('d', true) }}{{ o.empty|default('d') }}",
            "d",
        );
        check("{{ o.nothing | default(\"x\") | upper }}", "X");
        check("${mac} {# a remark #}{{ o.timeout }}", "${mac} 20");
    }

    #[test]
    fn conditions_choose() {
        check(
            "{% if o.timeout > 0 %}--timeout {{ o.timeout }} {% endif %}k",
            "--timeout 20 k",
        );
        check(
            "{% if o.empty %}a{% elif ID == '0x1' %}b{% else %}c{% endif %}",
            "b",
        );
        check("{% if not ID or o.nothing %}a{% else %}c{% endif %}", "c");
        check("{% if ID and (o.timeout <= 20) %}a{% endif %}", "a");
        check("x\n{%- if ID -%}\n a {% endif -%} \n y", "xa y");
    }

    #[test]
    fn a_key_is_looked_for() {
        check("{% if 'kernel' in o %}a{% endif %}", "a");
        check("{% if 'nothing' in o %}a{% else %}b{% endif %}", "b");
        check("{% if 'nothing' not in o and ID %}a{% endif %}", "a");
        check("{% if not 'kernel' in o %}a{% endif %}", "");
        check("{% if 'x' in ID %}a{% endif %}", "a");
    }

    #[test]
    fn a_name_for_nothing_is_refused_where_that_is_asked_for() {
        let strictly = |text: &str| Template::parse(text).unwrap().render_strictly(&values());
        assert_eq!(strictly("a {{ ID }}"), Ok("a 0x1".to_owned()));
        assert_eq!(strictly("{{ o.no | default('d') }}"), Ok("d".to_owned()));
        let refused = strictly("a\n{{ o.no }}").unwrap_err();
        assert_eq!(refused.to_string(), "line 2: 'o.no' is undefined");
        // What is not reached is not looked at.
        let hidden = "{% if o.empty %}{{ nothing }}{% endif %}";
        assert_eq!(strictly(hidden), Ok(String::new()));
    }

    #[test]
    fn what_is_not_served_is_refused_with_its_line() {
        for (template, line, word) in [
            ("a\n{% include 'x' %}", 2, "include"),
            ("a\n\n{% if x %}", 3, "endif"),
            ("{{ a", 1, "not closed"),
            ("{% if a ** 2 %}{% endif %}", 1, "'*'"),
        ] {
            let refused = Template::parse(template).unwrap_err();
            assert_eq!(refused.line, line, "{template}");
            assert!(refused.reason.contains(word), "{refused}");
        }
    }

    #[test]
    fn nothing_stands_within_itself_without_end() {
        let deep = |count: usize| "{% if ID %}".repeat(count) + &"{% endif %}".repeat(count);
        assert!(Template::parse(&deep(DEEPEST)).is_ok());
        assert!(Template::parse(&deep(100_000)).is_err());
        let brackets = |count: usize| {
            format!(
                "{{% if {}ID{} %}}{{% endif %}}",
                "(".repeat(count),
                ")".repeat(count)
            )
        };
        assert!(Template::parse(&brackets(8)).is_ok());
        assert!(Template::parse(&brackets(100_000)).is_err());
        let negations = format!("{{% if {} ID %}}{{% endif %}}", "not ".repeat(1000));
        assert!(Template::parse(&negations).is_err());
    }

    #[test]
    fn what_a_template_writes_and_compares_has_a_limit() {
        let large = |bytes: usize| {
            let text = |byte: &str| Value::Text(byte.repeat(bytes));
            BTreeMap::from([("a".to_owned(), text("a")), ("b".to_owned(), text("a"))])
        };
        let rendered = |template: &str, bytes: usize| {
            let template = Template::parse(template).unwrap();
            template.render_strictly(&large(bytes))
        };
        let half = work::MOST / 2;
        assert_eq!(rendered("{{ a }}", half).unwrap().len(), half);
        for greedy in [
            "{{ a }}\n{{ a }}",
            "{{ a }}\n{% if 'b' in a %}{% endif %}",
            "{{ a }}\n{% if a == b %}{% endif %}",
            "{{ a }}\n{{ a | trim | default('d') }}",
            "{{ a }}\n{% if not a %}{% elif a | lower | upper %}{% endif %}",
        ] {
            let refused = rendered(greedy, half).unwrap_err();
            assert_eq!(refused.line, 2, "{greedy}");
            assert!(refused.reason.contains("more than 128 MiB"), "{refused}");
        }
        // To ask for a value, and whether it is there, takes no time.
        let asking = "{% if a and b != '' and a > 'b' %}x{% endif %}".repeat(1000);
        assert_eq!(rendered(&asking, half), Ok(String::new()));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([{}%#'()| a-z.]|\\{%|%\\}|\\{\\{|\\}\\}|if |endif|in |not ){0,80}") {
            if let Ok(template) = Template::parse(&text) {
                let _ = template.render(&values());
                let _ = template.render_strictly(&values());
            }
        }
    }

    #[test]
    fn loops_are_refused_only_when_they_are_reached() {
        let volumes = "{% if v %}\n{% for i, x in enumerate(v) %}{% set d = 1 + i %}\
                       {{ '0x%x' % d }}{% endfor %}{% endif %}ok";
        check(volumes, "ok");
        let reached = Template::parse("{{ a }}\n{% for x in y %}{{ x }}{% endfor %}").unwrap();
        assert_eq!(reached.render(&values()).unwrap_err().line, 2);
    }
}
