//! `textwrap.fill`: text in lines of a width, broken where Python breaks it.
//!
//! That is at spaces, after hyphens within words and around dashes between words; a word that is
//! longer than a line is cut, after a hyphen if it has one.

/// Tabs end at multiples of this many columns.
const TAB: usize = 8;

/// Text in lines of at most `width` letters.
pub(in super::super) fn fill(text: &str, width: usize) -> String {
    let width = width.max(1);
    let mut chunks = chunks(&spaced(text));
    chunks.reverse();
    let mut lines: Vec<String> = Vec::new();
    while let Some(first) = chunks.last() {
        if is_space(first) && !lines.is_empty() {
            chunks.pop();
        }
        let mut line: Vec<Vec<char>> = Vec::new();
        let mut length = 0;
        while let Some(chunk) = chunks.pop_if(|chunk| length + chunk.len() <= width) {
            length += chunk.len();
            line.push(chunk);
        }
        if let Some(chunk) = chunks.last_mut().filter(|chunk| chunk.len() > width) {
            let rest = chunk.split_off(cut(chunk, width - length));
            line.push(std::mem::replace(chunk, rest));
        }
        line.pop_if(|chunk| is_space(chunk));
        if !line.is_empty() {
            lines.push(line.concat().into_iter().collect());
        }
    }
    lines.join("\n")
}

/// Where a word that fits no line is cut when this much room is left.
fn cut(chunk: &[char], room: usize) -> usize {
    let hyphen = chunk.iter().take(room).rposition(|letter| *letter == '-');
    match hyphen {
        Some(at) if chunk.iter().take(at).any(|letter| *letter != '-') => at + 1,
        _ => room,
    }
}

/// The text with tabs as spaces, and with every other white space as one.
fn spaced(text: &str) -> Vec<char> {
    let mut spaced = Vec::with_capacity(text.len());
    let mut column = 0;
    for letter in text.chars() {
        match letter {
            '\t' => {
                let wide = TAB - column % TAB;
                spaced.extend(std::iter::repeat_n(' ', wide));
                column += wide;
            }
            '\n' | '\r' => {
                spaced.push(' ');
                column = 0;
            }
            '\u{b}' | '\u{c}' => {
                spaced.push(' ');
                column += 1;
            }
            letter => {
                spaced.push(letter);
                column += 1;
            }
        }
    }
    spaced
}

fn is_space(chunk: &[char]) -> bool {
    chunk.iter().all(|letter| letter.is_whitespace())
}

fn is_letter(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Letters and the marks that belong to a word.
fn is_word_or_mark(letter: char) -> bool {
    is_word(letter) || matches!(letter, '!' | '"' | '\'' | '&' | '.' | ',' | '?')
}

/// The pieces between which a line may end.
fn chunks(text: &[char]) -> Vec<Vec<char>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = chunk_end(text, start);
        chunks.push(text.get(start..end).unwrap_or_default().to_vec());
        start = end;
    }
    chunks
}

/// Where the piece that begins here ends.
fn chunk_end(text: &[char], start: usize) -> usize {
    let at = |index: usize| text.get(index).copied();
    let before = |index: usize, back: usize| index.checked_sub(back).and_then(at);
    let run = |from: usize, letter: char| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|found| **found == letter).count()
    };
    let spaces = run(start, ' ');
    if spaces > 0 {
        return start + spaces;
    }
    // The letter before is looked at first, so that a row of dashes is counted only once.
    let dash_follows = |index: usize| {
        before(index, 1).is_some_and(is_word_or_mark) && {
            let dashes = run(index, '-');
            dashes >= 2 && at(index + dashes).is_some_and(is_word)
        }
    };
    if dash_follows(start) {
        return start + run(start, '-');
    }
    let mut end = start + 1;
    loop {
        // Python prefers to end after a hyphen, then at the end of the word, then before a dash.
        if at(end) == Some('-') && breaks_after_hyphen(text, end) {
            return end + 1;
        }
        if at(end).is_none_or(|letter| letter == ' ') || dash_follows(end) {
            return end;
        }
        end += 1;
    }
}

/// Whether the hyphen at this index is one within a word.
fn breaks_after_hyphen(text: &[char], hyphen: usize) -> bool {
    let at = |index: Option<usize>| index.and_then(|index| text.get(index)).copied();
    let back = |many: usize| at(hyphen.checked_sub(many));
    let letter = |found: Option<char>| found.is_some_and(is_letter);
    let two_letters = letter(back(1)) && letter(back(2));
    let short_part =
        back(1).is_some_and(is_word_or_mark) && back(2) == Some('-') && letter(back(3));
    let next = |many: usize| at(hyphen.checked_add(many));
    let goes_on = letter(next(1)) && (letter(next(2)) || (next(2) == Some('-') && letter(next(3))));
    (two_letters || short_part) && goes_on
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, width: usize, expected: &[&str]) {
        assert_eq!(fill(text, width).split('\n').collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lines_end_at_spaces() {
        check(
            "the BMC said no and left",
            12,
            &["the BMC said", "no and left"],
        );
        check("a  b   c", 4, &["a  b", "c"]);
        check("  leads", 20, &["  leads"]);
        check("ends  ", 20, &["ends"]);
        check("", 20, &[""]);
    }

    #[test]
    fn line_ends_are_spaces_and_tabs_are_widened() {
        check("a\nb\r\nc\u{b}d", 20, &["a b  c d"]);
        check("a\tb", 20, &["a       b"]);
    }

    #[test]
    fn words_break_after_hyphens() {
        check("a well-known fact", 8, &["a well-", "known", "fact"]);
        // Not between digits, as in dates and addresses.
        check("on 2026-11-18 late", 8, &["on 2026-", "11-18", "late"]);
        check("x-y-z", 3, &["x-", "y-z"]);
        check("wait -- for it--now", 9, &["wait --", "for it--", "now"]);
    }

    #[test]
    fn long_words_are_cut() {
        check("0123456789abcdef", 6, &["012345", "6789ab", "cdef"]);
        check("ab 0123456789", 6, &["ab 012", "345678", "9"]);
        check("--------", 5, &["-----", "---"]);
        check(
            "1be26c0b-03f2-4d2e-ae87-c02d7f33c123",
            20,
            &["1be26c0b-03f2-4d2e-", "ae87-c02d7f33c123"],
        );
    }

    proptest! {
        #[test]
        fn lines_fit_and_no_letter_is_lost(text in "[a-c \\-\\n.é]{0,200}", width in 1usize..40) {
            let filled = fill(&text, width);
            prop_assert!(filled.split('\n').all(|line| line.chars().count() <= width));
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&filled), letters(&text));
        }
    }
}
