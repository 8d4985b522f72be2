//! The text format of `ironic.conf`, as oslo.config reads it.
//!
//! A line is a `[section]`, an assignment (`name = value` or `name: value`, whichever sign comes
//! first), a comment (`#` or `;` in the first column) or, when it begins with a blank, the
//! continuation of the value above. A blank line ends a value. One pair of quotes around the first
//! line of a value is removed; there are no comments behind a value.
//!
//! Two things are more forgiving than Ironic, which refuses both: a byte order mark is
//! skipped, and options before the first header belong to `[DEFAULT]`. What names and values mean
//! is decided elsewhere.

use super::error::SyntaxFault;

/// The section for options that stand before any header.
pub(super) const DEFAULT_SECTION: &str = "DEFAULT";

/// One assignment. `line` counts from one and is that of the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) section: String,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) line: usize,
}

/// A syntax error in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) line: usize,
    pub(super) fault: SyntaxFault,
}

/// Reads a whole file's text; assignments keep their order and may repeat.
pub(super) fn parse(text: &str) -> Result<Vec<Assignment>, SyntaxError> {
    let mut section = DEFAULT_SECTION.to_owned();
    let mut assignments: Vec<Assignment> = Vec::new();
    let mut open = false;
    for (index, line) in text
        .strip_prefix('\u{feff}')
        .unwrap_or(text)
        .lines()
        .enumerate()
    {
        let number = index + 1;
        let refuse = |fault| SyntaxError {
            line: number,
            fault,
        };
        let line = line.trim_end();
        if line.starts_with([' ', '\t']) {
            let Some(current) = assignments.last_mut().filter(|_| open) else {
                return Err(refuse(SyntaxFault::NothingToContinue));
            };
            current.value.push('\n');
            current.value.push_str(line.trim_start());
            continue;
        }
        open = false;
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            let name = header
                .strip_suffix(']')
                .ok_or(refuse(SyntaxFault::NoSectionEnd))?;
            if name.is_empty() {
                return Err(refuse(SyntaxFault::NoSectionName));
            }
            section = name.to_owned();
            continue;
        }
        let (name, value) = line
            .split_once(['=', ':'])
            .ok_or(refuse(SyntaxFault::NoAssignment))?;
        let name = name.trim();
        if name.is_empty() {
            return Err(refuse(SyntaxFault::NoName));
        }
        assignments.push(Assignment {
            section: section.clone(),
            name: name.to_owned(),
            value: without_outer_quotes(value.trim()).to_owned(),
            line: number,
        });
        open = true;
    }
    Ok(assignments)
}

/// The value as it must be written so that [`parse`] reads it back.
///
/// Blank lines inside a value and blanks around its later lines have no spelling in this format
/// and are lost.
pub(super) fn written(value: &str) -> String {
    let mut lines = value.lines();
    let first = lines.next().unwrap_or_default();
    let mut out = if first.trim() != first || without_outer_quotes(first) != first {
        format!("\"{first}\"")
    } else {
        first.to_owned()
    };
    for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
        out.push_str("\n    ");
        out.push_str(line);
    }
    out
}

/// Removes one pair of equal quotes. A single quote character counts as both ends of a pair, as
/// it does in Ironic.
fn without_outer_quotes(value: &str) -> &str {
    for quote in ['"', '\''] {
        if value.len() == 1 && value.starts_with(quote) {
            return "";
        }
        if let Some(inner) = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, &str, usize)]) {
        let found = parse(text).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|a| {
                (
                    a.section.as_str(),
                    a.name.as_str(),
                    a.value.as_str(),
                    a.line,
                )
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[track_caller]
    fn refused(text: &str, line: usize, fault: SyntaxFault) {
        assert_eq!(parse(text), Err(SyntaxError { line, fault }));
    }

    #[test]
    fn assignments_use_the_first_sign() {
        check(
            "[api]\nport = 1\nhost_ip: ::\nk:v=w\nl = a:b=c\n",
            &[
                ("api", "port", "1", 2),
                ("api", "host_ip", "::", 3),
                ("api", "k", "v=w", 4),
                ("api", "l", "a:b=c", 5),
            ],
        );
    }

    #[test]
    fn comments_count_only_in_the_first_column() {
        check(
            "# a = 1\n; b = 2\nc = 3 # not a comment\n",
            &[("DEFAULT", "c", "3 # not a comment", 3)],
        );
    }

    #[test]
    fn indented_lines_continue_a_value() {
        check(
            "[a]\nx = 1\n  2\n\t# 3\n[b]\ny =\n  v\r\nz=\n",
            &[
                ("a", "x", "1\n2\n# 3", 2),
                ("b", "y", "\nv", 6),
                ("b", "z", "", 8),
            ],
        );
    }

    #[test]
    fn a_blank_line_or_a_comment_ends_a_value() {
        refused("x = 1\n\n  2\n", 3, SyntaxFault::NothingToContinue);
        refused("x = 1\n# c\n  2\n", 3, SyntaxFault::NothingToContinue);
        refused("[a]\n  2\n", 2, SyntaxFault::NothingToContinue);
    }

    #[test]
    fn one_pair_of_quotes_is_removed() {
        check(
            "a = \"x y \"\nb = 'q'\nc = \"\nd = \"x'\ne = \"p\" \"q\"\n",
            &[
                ("DEFAULT", "a", "x y ", 1),
                ("DEFAULT", "b", "q", 2),
                ("DEFAULT", "c", "", 3),
                ("DEFAULT", "d", "\"x'", 4),
                ("DEFAULT", "e", "p\" \"q", 5),
            ],
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        check("\u{feff}[api]\nport=1", &[("api", "port", "1", 2)]);
    }

    #[test]
    fn lines_of_no_known_form_are_refused() {
        refused("[a]\nport\n", 2, SyntaxFault::NoAssignment);
        refused("= 1\n", 1, SyntaxFault::NoName);
        refused("[api\n", 1, SyntaxFault::NoSectionEnd);
        refused("[api] # c\n", 1, SyntaxFault::NoSectionEnd);
        refused("[]\n", 1, SyntaxFault::NoSectionName);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,200}") {
            parse(&text).ok();
        }

        #[test]
        fn no_text_of_its_own_signs_makes_it_panic(text in "[\\[\\]=:#; \t\r\n\"'$a]{0,60}") {
            parse(&text).ok();
        }

        #[test]
        fn what_is_written_reads_back(value in "[ -~é]{0,20}(\n[!-~]{1,8}){0,3}") {
            let text = format!("[s]\nname = {}\n", written(&value));
            let read = parse(&text).unwrap();
            prop_assert_eq!(read.len(), 1);
            prop_assert_eq!(&read[0].value, &value);
        }
    }
}
