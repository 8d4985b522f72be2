//! Tables with `+---+` borders, wrapped to a width if there is one to keep.
//!
//! Widths are counted in terminal columns, by a short list of wide and of zero-width ranges. It
//! leaves out what only a terminal can know (ambiguous widths, joined emoji); there a border may
//! be a column off.

use serde_json::Value;

use super::cell;
use crate::console::{GREEN, PLAIN, RED, YELLOW, printable};

/// How wide a table is if nothing in it is wrapped.
pub(super) fn width_of(titles: &[&str], rows: &[Vec<Value>]) -> usize {
    let head: Vec<String> = titles.iter().map(|&title| title.to_owned()).collect();
    let text = |value: &Value| printable(&cell::text(value));
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(text).collect())
        .collect();
    frame(head.len()) + natural_widths(&head, &cells).iter().sum::<usize>()
}

/// What borders and the spaces beside them take.
fn frame(columns: usize) -> usize {
    1 + 3 * columns
}

/// The colour of a cell that is good news or bad, by the column it is in; nothing for the others.
fn colour(title: &str, text: &str) -> &'static str {
    match title {
        "provision_state" | "State" | "Status" if text == "error" || text.ends_with("failed") => {
            RED
        }
        "provision_state" if text == "active" => GREEN,
        "provision_state" if text.ends_with("ing") || text.ends_with(" wait") => YELLOW,
        "State" if text == "dead" => RED,
        "maintenance" if text == "True" => YELLOW,
        "Result" if text == "False" => RED,
        _ => "",
    }
}

/// Draws rows under titles, with these columns to the right. Columns narrower than `narrowest` are
/// never made narrower, even if the table then overflows.
pub(super) fn draw(
    titles: &[&str],
    rows: &[Vec<&Value>],
    right: &[bool],
    narrowest: usize,
    max_width: Option<usize>,
    has_colour: bool,
) -> String {
    let head: Vec<String> = titles.iter().map(|&title| title.to_owned()).collect();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            row.iter()
                .map(|value| printable(&cell::text(value)))
                .collect()
        })
        .collect();

    let natural = natural_widths(&head, &cells);
    let widths = match max_width {
        Some(max_width) => fitted(&natural, max_width, narrowest),
        None => natural,
    };

    let mut table = String::new();
    border(&widths, &mut table);
    let plain = vec![""; head.len()];
    line(&head, &widths, right, &plain, &mut table);
    border(&widths, &mut table);
    for row in &cells {
        let pairs = titles.iter().zip(row);
        let colours: Vec<&str> = match has_colour {
            true => pairs.map(|(title, text)| colour(title, text)).collect(),
            false => plain.clone(),
        };
        line(row, &widths, right, &colours, &mut table);
    }
    border(&widths, &mut table);
    table
}

fn natural_widths(head: &[String], cells: &[Vec<String>]) -> Vec<usize> {
    let mut widths = vec![0; head.len()];
    for row in std::iter::once(head).chain(cells.iter().map(Vec::as_slice)) {
        for (widest, text) in widths.iter_mut().zip(row) {
            let longest = text.split('\n').map(width).max().unwrap_or(0);
            *widest = longest.max(*widest);
        }
    }
    widths
}

/// Shares the room: columns below the average keep their width, the others split what is left.
fn fitted(natural: &[usize], max_width: usize, narrowest: usize) -> Vec<usize> {
    let room = max_width.saturating_sub(frame(natural.len()));
    if natural.iter().sum::<usize>() <= room || natural.is_empty() {
        return natural.to_vec();
    }
    let average = room / natural.len();
    let small: usize = natural.iter().filter(|&&width| width <= average).sum();
    let large = natural
        .iter()
        .filter(|&&width| width > average)
        .count()
        .max(1);
    let mut left = room.saturating_sub(small);
    let share = left / large;
    let mut still = large;
    natural
        .iter()
        .map(|&width| {
            if width <= average {
                return width;
            }
            still -= 1;
            let given = if still == 0 { left } else { share };
            left = left.saturating_sub(share);
            given.max(narrowest).min(width)
        })
        .collect()
}

fn border(widths: &[usize], table: &mut String) {
    for width in widths {
        table.push('+');
        table.push_str(&"-".repeat(width + 2));
    }
    table.push_str("+\n");
}

/// One row, which takes as many lines as its tallest cell.
fn line(row: &[String], widths: &[usize], right: &[bool], colours: &[&str], table: &mut String) {
    let wrapped: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|(text, &width)| wrap(text, width))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(1);
    for index in 0..height {
        let columns = wrapped.iter().zip(widths).zip(right).zip(colours);
        for (((pieces, &room), &to_the_right), &colour) in columns {
            let piece = pieces.get(index).map_or("", String::as_str);
            let padding = " ".repeat(room.saturating_sub(width(piece)));
            let (before, after) = if to_the_right {
                (padding.as_str(), "")
            } else {
                ("", padding.as_str())
            };
            table.push_str("| ");
            table.push_str(before);
            if colour.is_empty() || piece.is_empty() {
                table.push_str(piece);
            } else {
                table.push_str(&format!("{colour}{piece}{PLAIN}"));
            }
            table.push_str(after);
            table.push(' ');
        }
        table.push_str("|\n");
    }
}

/// Breaks text at spaces where it can and inside words where it must.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut current = String::new();
        for word in paragraph.split(' ') {
            let gap = usize::from(!current.is_empty());
            if width(&current) + gap + width(word) <= room {
                current.push_str(&" ".repeat(gap));
                current.push_str(word);
                continue;
            }
            if !current.is_empty() {
                lines.push(std::mem::take(&mut current));
            }
            for character in word.chars() {
                if width(&current) + character_width(character) > room && !current.is_empty() {
                    lines.push(std::mem::take(&mut current));
                }
                current.push(character);
            }
        }
        lines.push(current);
    }
    lines
}

/// Columns the text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(character_width).sum()
}

fn character_width(character: char) -> usize {
    match u32::from(character) {
        // Combining marks, zero-width spaces and joiners, variation selectors.
        0x0300..=0x036f | 0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f => {
            0
        }
        // Hangul, CJK with its punctuation and compatibility forms, full-width forms, emoji.
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe4f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn drawn(titles: &[&str], rows: &[Vec<Value>], max_width: Option<usize>) -> String {
        let rows: Vec<Vec<&Value>> = rows.iter().map(|row| row.iter().collect()).collect();
        let right: Vec<bool> = rows[0].iter().map(|value| value.is_number()).collect();
        draw(titles, &rows, &right, 8, max_width, false)
    }

    #[test]
    fn a_failed_state_is_red_and_borders_stay_in_line() {
        let state = json!("deploy failed");
        let rows = [vec![&state]];
        let table = draw(&["provision_state"], &rows, &[false], 8, None, true);
        let row = table.lines().nth(3).unwrap();
        assert_eq!(row, "| \u{1b}[31mdeploy failed\u{1b}[0m   |");
    }

    #[test]
    fn numbers_stand_right_and_wide_letters_count_twice() {
        assert_eq!(
            drawn(
                &["Name", "Count"],
                &[
                    vec![json!("東京"), json!(7)],
                    vec![json!("é e\u{301}"), json!(1000)]
                ],
                None
            ),
            "\
+------+-------+
| Name | Count |
+------+-------+
| 東京 |     7 |
| é e\u{301}  |  1000 |
+------+-------+
"
        );
    }

    #[test]
    fn long_text_wraps_at_spaces_and_long_words_are_cut() {
        assert_eq!(
            drawn(
                &["Field", "Value"],
                &[vec![
                    json!("error"),
                    json!("the BMC said no 0123456789abcdef\nand left")
                ]],
                Some(24)
            ),
            "\
+-------+--------------+
| Field | Value        |
+-------+--------------+
| error | the BMC said |
|       | no           |
|       | 0123456789ab |
|       | cdef         |
|       | and left     |
+-------+--------------+
"
        );
    }

    #[test]
    fn columns_are_not_squeezed_below_the_narrowest() {
        assert_eq!(fitted(&[40, 40], 10, 8), [8, 8]);
        assert_eq!(fitted(&[5, 40, 40], 60, 8), [5, 22, 23]);
        assert_eq!(fitted(&[5, 6], 60, 8), [5, 6]);
        assert_eq!(fitted(&[], 10, 8), Vec::<usize>::new());
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        let rows = [vec![
            json!("x".repeat(90)),
            json!("y z ".repeat(40)),
            json!("short"),
        ]];
        let table = drawn(&["A", "B", "C"], &rows, Some(72));
        assert!(table.lines().all(|line| width(line) <= 72), "{table}");
    }

    #[test]
    fn terminal_codes_do_not_get_through() {
        let table = drawn(&["A"], &[vec![json!("\u{1b}]0;owned\u{7}")]], None);
        assert!(!table.contains('\u{1b}') && !table.contains('\u{7}'));
        assert!(table.contains("\\u{1b}]0;owned\\u{7}"));
    }
}
