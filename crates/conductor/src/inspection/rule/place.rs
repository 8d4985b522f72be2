//! How a value is laid out in a text: the part of a field after the colon, such as `>12` or `03d`.
//!
//! The subset of Python's format language that makes sense for JSON values: fill, alignment, sign,
//! width, precision, and the types `s`, `d`, `x`, `X`, `o`, `b` and `f`.

use serde_json::Value;
use types::pyrepr;

/// A wider field than this is a slip of the pen.
const WIDEST: usize = 4096;

#[derive(Debug, Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    plus: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
    kind: Option<char>,
}

/// The value as the format wants it; none when the two do not go together.
pub(super) fn laid_out(value: &Value, spec: &str) -> Option<String> {
    if spec.is_empty() {
        return Some(pyrepr::to_str(value));
    }
    let spec = Spec::parse(spec)?;
    let (text, numeric) = match value {
        Value::String(text) if matches!(spec.kind, None | Some('s')) && !spec.plus => {
            let most = spec.precision.unwrap_or(usize::MAX);
            (text.chars().take(most).collect(), false)
        }
        Value::Bool(on) => (number(&spec, i64::from(*on))?, true),
        Value::Number(found) => match found.as_i64() {
            Some(found) if spec.kind != Some('f') => (number(&spec, found)?, true),
            _ => (fraction(&spec, found.as_f64()?)?, true),
        },
        _ => return None,
    };
    Some(spec.pad(text, numeric))
}

fn number(spec: &Spec, value: i64) -> Option<String> {
    let size = value.unsigned_abs();
    let digits = match spec.kind {
        None | Some('d') => size.to_string(),
        Some('x') => format!("{size:x}"),
        Some('X') => format!("{size:X}"),
        Some('o') => format!("{size:o}"),
        Some('b') => format!("{size:b}"),
        _ => return None,
    };
    (spec.precision.is_none()).then(|| format!("{}{digits}", spec.sign(value < 0)))
}

fn fraction(spec: &Spec, value: f64) -> Option<String> {
    let digits = match (spec.kind, spec.precision) {
        (Some('f'), precision) => format!("{:.*}", precision.unwrap_or(6), value.abs()),
        (None, None) => pyrepr::to_str(&Value::from(value.abs())),
        _ => return None,
    };
    Some(format!("{}{digits}", spec.sign(value < 0.0)))
}

impl Spec {
    fn parse(text: &str) -> Option<Self> {
        let mut spec = Self::default();
        let chars: Vec<char> = text.chars().collect();
        let is_align = |c: Option<&char>| matches!(c, Some('<' | '>' | '^' | '='));
        let mut at = 0;
        if is_align(chars.get(1)) {
            spec.fill = chars.first().copied();
            spec.align = chars.get(1).copied();
            at = 2;
        } else if is_align(chars.first()) {
            spec.align = chars.first().copied();
            at = 1;
        }
        if let Some('+' | '-') = chars.get(at) {
            spec.plus = chars[at] == '+';
            at += 1;
        }
        if chars.get(at) == Some(&'0') {
            spec.zeros = true;
            at += 1;
        }
        spec.width = digits(&chars, &mut at)?.unwrap_or(0);
        if chars.get(at) == Some(&'.') {
            at += 1;
            spec.precision = Some(digits(&chars, &mut at)??);
        }
        spec.kind = chars.get(at).copied();
        let known = spec.kind.is_none_or(|kind| "sdxXobf".contains(kind));
        (known && chars.len() <= at + 1).then_some(spec)
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    fn pad(&self, text: String, numeric: bool) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        let default = if numeric { '>' } else { '<' };
        let (fill, align) = match (self.align, self.zeros) {
            (Some(align), zeros) => (self.fill.unwrap_or(if zeros { '0' } else { ' ' }), align),
            (None, true) if numeric => ('0', '='),
            (None, true) => ('0', default),
            (None, false) => (' ', default),
        };
        let run = |n: usize| std::iter::repeat_n(fill, n).collect::<String>();
        match align {
            '<' => text + &run(missing),
            '^' => run(missing / 2) + &text + &run(missing - missing / 2),
            '=' => {
                let digits = text.trim_start_matches(['-', '+']);
                let sign = &text[..text.len() - digits.len()];
                format!("{sign}{}{digits}", run(missing))
            }
            _ => run(missing) + &text,
        }
    }
}

/// A number, if there is one; none when it is beyond reason.
fn digits(chars: &[char], at: &mut usize) -> Option<Option<usize>> {
    let start = *at;
    while chars.get(*at).is_some_and(char::is_ascii_digit) {
        *at += 1;
    }
    if start == *at {
        return Some(None);
    }
    let text: String = chars[start..*at].iter().collect();
    let number = text.parse().ok().filter(|n| *n <= WIDEST)?;
    Some(Some(number))
}
