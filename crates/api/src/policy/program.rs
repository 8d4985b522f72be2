//! Rules made ready to be asked: every name is looked up once, when the policy is loaded.
//!
//! What names nothing becomes a test that fails. Rules that lead back to themselves, or on through
//! too many others, are refused, so that asking always ends and never recurses far.

use super::{
    PolicyError,
    credentials::{Attribute, Credentials, Target, Value, Variable},
    expression::{Check, Expression, Part, Subject, Template},
};
use std::collections::HashMap;

/// The longest way from a rule through others.
const MAX_CHAIN: usize = 32;

/// A rule's expression with its names resolved.
#[derive(Debug, Clone)]
enum Test {
    Always,
    Never,
    /// Another rule, by its place.
    Rule(usize),
    /// A role, in lower case.
    Role(String),
    RoleFrom(Pattern),
    Same {
        left: Left,
        right: Pattern,
    },
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
}

#[derive(Debug, Clone)]
enum Left {
    Attribute(Attribute),
    Text(String),
}

/// The right side of a comparison.
#[derive(Debug, Clone)]
enum Pattern {
    Text(String),
    Variable(Variable),
    Mixed(Vec<Piece>),
}

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Variable(Variable),
}

/// All rules of a policy, by place.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    tests: Vec<Test>,
    /// The project whose services have elevated access, if any has.
    service_project: Option<String>,
}

impl Program {
    /// Resolves `rules`, which are (name, expression). References to rules that do not exist mean
    /// the rule at `fallback`, or fail.
    pub(super) fn build(
        rules: &[(&str, &Expression)],
        fallback: Option<usize>,
        service_project: Option<String>,
    ) -> Result<Self, PolicyError> {
        let places: HashMap<&str, usize> = rules
            .iter()
            .enumerate()
            .map(|(place, (name, _))| (*name, place))
            .collect();
        let resolver = Resolver { places, fallback };
        let tests: Vec<Test> = rules
            .iter()
            .map(|(_, expression)| resolver.test(expression))
            .collect();
        let mut survey = Survey {
            tests: &tests,
            rules,
            heights: vec![None; tests.len()],
            trail: Vec::new(),
        };
        for place in 0..tests.len() {
            survey.height(place)?;
        }
        Ok(Self {
            tests,
            service_project,
        })
    }

    /// Whether the rule at `place` holds. One that does not exist never does.
    pub(super) fn holds(&self, place: usize, caller: &Credentials, target: &Target<'_>) -> bool {
        let question = Question {
            program: self,
            caller,
            target,
        };
        self.tests
            .get(place)
            .is_some_and(|test| question.holds(test))
    }
}

struct Resolver<'a> {
    places: HashMap<&'a str, usize>,
    fallback: Option<usize>,
}

impl Resolver<'_> {
    fn test(&self, expression: &Expression) -> Test {
        let each = |parts: &[Expression]| parts.iter().map(|part| self.test(part)).collect();
        match expression {
            Expression::Always => Test::Always,
            Expression::Never => Test::Never,
            Expression::Check(check) => self.check(check).unwrap_or(Test::Never),
            Expression::Not(inner) => Test::Not(Box::new(self.test(inner))),
            Expression::All(parts) => Test::All(each(parts)),
            Expression::Any(parts) => Test::Any(each(parts)),
        }
    }

    /// None when a name in it means nothing.
    fn check(&self, check: &Check) -> Option<Test> {
        Some(match check {
            Check::Rule(name) => {
                Test::Rule(self.places.get(name.as_str()).copied().or(self.fallback)?)
            }
            Check::Role(name) => match pattern(name)? {
                Pattern::Text(text) => Test::Role(text.to_lowercase()),
                pattern => Test::RoleFrom(pattern),
            },
            Check::Same { left, right } => Test::Same {
                left: match left {
                    Subject::Caller(name) => Left::Attribute(Attribute::of_name(name)?),
                    Subject::Quoted { text, .. } | Subject::Constant(text) => {
                        Left::Text(text.clone())
                    }
                },
                right: pattern(right)?,
            },
        })
    }
}

fn pattern(template: &Template) -> Option<Pattern> {
    if let Some(text) = template.as_text() {
        return Some(Pattern::Text(text.to_owned()));
    }
    if let [Part::Variable(name)] = template.0.as_slice() {
        return Variable::of_name(name).map(Pattern::Variable);
    }
    let pieces = template.0.iter().map(|part| match part {
        Part::Text(text) => Some(Piece::Text(text.clone())),
        Part::Variable(name) => Variable::of_name(name).map(Piece::Variable),
    });
    pieces.collect::<Option<_>>().map(Pattern::Mixed)
}

/// Walks from rule to rule before anybody asks.
struct Survey<'a> {
    tests: &'a [Test],
    rules: &'a [(&'a str, &'a Expression)],
    heights: Vec<Option<usize>>,
    /// The rules on the way here.
    trail: Vec<usize>,
}

impl Survey<'_> {
    /// How many rules are passed at most when the one at `place` is asked.
    fn height(&mut self, place: usize) -> Result<usize, PolicyError> {
        if let Some(height) = self.heights[place] {
            return Ok(height);
        }
        if let Some(start) = self.trail.iter().position(|passed| *passed == place) {
            let circle = self.trail[start..].iter().chain([&place]);
            return Err(PolicyError::Circle {
                rules: circle
                    .map(|place| self.rules[*place].0.to_owned())
                    .collect(),
            });
        }
        let too_long = || PolicyError::TooLong {
            rule: self.rules[self.trail.first().copied().unwrap_or(place)]
                .0
                .to_owned(),
        };
        if self.trail.len() >= MAX_CHAIN {
            return Err(too_long());
        }
        let mut next = Vec::new();
        references(&self.tests[place], &mut next);
        self.trail.push(place);
        let mut height = 1;
        for place in next {
            height = height.max(1 + self.height(place)?);
        }
        self.trail.pop();
        if height > MAX_CHAIN {
            return Err(PolicyError::TooLong {
                rule: self.rules[place].0.to_owned(),
            });
        }
        self.heights[place] = Some(height);
        Ok(height)
    }
}

fn references(test: &Test, found: &mut Vec<usize>) {
    match test {
        Test::Rule(place) => found.push(*place),
        Test::Not(inner) => references(inner, found),
        Test::All(parts) | Test::Any(parts) => {
            parts.iter().for_each(|part| references(part, found));
        }
        Test::Always | Test::Never | Test::Role(_) | Test::RoleFrom(_) | Test::Same { .. } => {}
    }
}

/// One caller asking about one target.
struct Question<'a> {
    program: &'a Program,
    caller: &'a Credentials,
    target: &'a Target<'a>,
}

impl<'a> Question<'a> {
    fn holds(&self, test: &Test) -> bool {
        match test {
            Test::Always => true,
            Test::Never => false,
            Test::Rule(place) => self.program.holds(*place, self.caller, self.target),
            Test::Role(role) => self.caller.roles.contains(role),
            Test::RoleFrom(pattern) => self
                .fill_in(pattern)
                .is_some_and(|role| self.caller.roles.contains(&role.to_lowercase())),
            Test::Same { left, right } => self.same(left, right),
            Test::Not(inner) => !self.holds(inner),
            Test::All(parts) => parts.iter().all(|part| self.holds(part)),
            Test::Any(parts) => parts.iter().any(|part| self.holds(part)),
        }
    }

    fn same(&self, left: &Left, right: &Pattern) -> bool {
        match (left, right) {
            (Left::Attribute(left), Pattern::Variable(right)) => {
                left.of(self.caller).is_same(self.value(*right))
            }
            (Left::Attribute(left), Pattern::Text(right)) => left.of(self.caller).is_written(right),
            (Left::Attribute(left), right) => self
                .fill_in(right)
                .is_some_and(|right| left.of(self.caller).is_written(&right)),
            (Left::Text(left), right) => self.fill_in(right).is_some_and(|right| *left == right),
        }
    }

    fn value(&self, variable: Variable) -> Value<'a> {
        let service_project = self.program.service_project.as_deref();
        variable.of(self.caller, self.target, service_project)
    }

    /// The text of a pattern; none when something in it is missing.
    fn fill_in(&self, pattern: &Pattern) -> Option<String> {
        match pattern {
            Pattern::Text(text) => Some(text.clone()),
            Pattern::Variable(variable) => self.value(*variable).as_text().map(str::to_owned),
            Pattern::Mixed(pieces) => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => Some(text.as_str()),
                    Piece::Variable(variable) => self.value(*variable).as_text(),
                })
                .collect(),
        }
    }
}
