//! A recorded terminal as a picture that moves: an asciicast (version 2) of what a command printed.
//!
//! `scripts/record-terminal` makes the recordings. Only as much of a terminal is known as the client
//! uses: lines, a last line that is written over, and colours. Without animation (or where motion is
//! not wanted) the picture shows how the terminal looked at the end.

use super::svg::{Picture, escaped, short};
use anyhow::{Context, Result};
use serde_json::Value;

/// The recording is played this much faster than it happened.
const SPEED: f64 = 2.0;
/// Seconds that the end stays before it begins again.
const REST: f64 = 6.0;
/// A recording shorter than that stands still.
const STILL: f64 = 2.0;
const CELL: (f64, f64) = (7.83, 18.0);
const PAD: f64 = 16.0;
const BAR: f64 = 34.0;

const STYLE: &str = "\
.term{fill:#0d1117;stroke:#30363d}.bar{fill:#21262d}\
text.t{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:13px;fill:#e6edf3;white-space:pre}\
.c1{font-weight:700}.c2{fill:#9198a1}.c31{fill:#ff7b72}.c32{fill:#3fb950}.c33{fill:#d29922}.c34{fill:#79c0ff}.c35{fill:#d2a8ff}.c36{fill:#56d4dd}\
text.cmd{fill:#79c0ff}";

/// Text in one style: the classes, and the characters.
type Span = (String, String);

#[derive(Clone, Default, PartialEq)]
struct Line {
    spans: Vec<Span>,
}

/// Something that is seen from one moment to another; to the end if there is no other.
struct Shown {
    row: usize,
    line: Line,
    from: f64,
    until: Option<f64>,
}

pub(super) fn draw(command: &str, recording: &str) -> Result<String> {
    let mut records = recording.lines();
    let head: Value = serde_json::from_str(records.next().context("an empty recording")?)?;
    let columns = head["width"]
        .as_u64()
        .context("a recording without width")?;
    let mut screen = Screen::default();
    let mut end = 0.0_f64;
    for record in records {
        let record: Value = serde_json::from_str(record)?;
        let at = record[0].as_f64().context("a record without a time")?;
        screen.write(at, record[2].as_str().unwrap_or_default());
        end = end.max(at);
    }
    screen.close(end);
    let still = end < STILL;
    let rows = screen
        .shown
        .iter()
        .map(|shown| shown.row + 1)
        .max()
        .unwrap_or(0)
        + 1;
    let rows = f64::from(u32::try_from(rows)?);
    let columns = f64::from(u32::try_from(columns)?);
    let size = (
        CELL.0.mul_add(columns, 2.0 * PAD),
        CELL.1.mul_add(rows, BAR + 2.0 * PAD),
    );
    let mut picture = Picture::new(command, size.0, size.1);
    picture.style(STYLE);
    picture.rect("term", (0.5, 0.5), (size.0 - 1.0, size.1 - 1.0), 8.0);
    picture.raw(&format!(
        r##"<path class="bar" d="M1 {BAR}V9a8 8 0 0 1 8-8H{}a8 8 0 0 1 8 8V{BAR}z"/>"##,
        short(size.0 - 9.0)
    ));
    for (x, colour) in [(20.0, "#ff5f57"), (40.0, "#febc2e"), (60.0, "#28c840")] {
        picture.raw(&format!(
            r#"<circle cx="{x}" cy="17" r="6" fill="{colour}"/>"#
        ));
    }
    let prompt = (PAD, BAR + PAD + 10.0);
    picture.text("t cmd", "start", prompt, &format!("$ {command}"));
    let total = end / SPEED + REST;
    let mut motion = String::new();
    let mut elements = Vec::new();
    for (index, shown) in screen.shown.iter().enumerate() {
        if shown.line.spans.is_empty() || (still && shown.until.is_some()) {
            continue;
        }
        let mut class = String::new();
        if !still {
            class = format!(" a{index}");
            motion += &animation(index, shown, total);
        }
        elements.push(element(shown, &class));
    }
    let hidden = if still { "" } else { ".gone{opacity:0}" };
    let calm = "@media(prefers-reduced-motion:reduce){text.t{animation:none!important}}";
    picture.style(&format!(
        "{hidden}{motion}{}",
        if still { "" } else { calm }
    ));
    for element in elements {
        picture.raw(&element);
    }
    Ok(picture.finish())
}

fn animation(index: usize, shown: &Shown, total: f64) -> String {
    let percent = |at: f64| {
        short(1000.0 * (at / SPEED) / total)
            .parse::<f64>()
            .unwrap_or(0.0)
            / 10.0
    };
    let from = percent(shown.from);
    let mut frames = format!("0%{{opacity:0}}{from:.2}%{{opacity:1}}");
    if let Some(until) = shown.until {
        frames += &format!("{:.2}%{{opacity:0}}", percent(until).max(from + 0.01));
    }
    format!(
        "@keyframes k{index}{{{frames}}}.a{index}{{animation:k{index} {total:.1}s step-end infinite}}"
    )
}

fn element(shown: &Shown, class: &str) -> String {
    let row = f64::from(u32::try_from(shown.row + 1).unwrap_or(0));
    let y = CELL.1.mul_add(row, BAR + PAD + 10.0);
    let gone = if shown.until.is_some() { " gone" } else { "" };
    let mut spans = String::new();
    for (classes, text) in &shown.line.spans {
        if classes.is_empty() {
            spans += &escaped(text);
        } else {
            spans += &format!(r#"<tspan class="{classes}">{}</tspan>"#, escaped(text));
        }
    }
    format!(
        r#"<text class="t{gone}{class}" x="{}" y="{}" xml:space="preserve">{spans}</text>"#,
        short(PAD),
        short(y)
    )
}

#[derive(Default)]
struct Screen {
    shown: Vec<Shown>,
    row: usize,
    /// The line that the cursor is in, and since when it looks like that.
    line: Line,
    since: f64,
    classes: String,
    /// The next character begins the line anew.
    returned: bool,
}

impl Screen {
    fn write(&mut self, at: f64, text: &str) {
        let before = self.line.clone();
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            rest = &rest[next.len_utf8()..];
            match next {
                '\r' => self.returned = true,
                '\n' => {
                    self.returned = false;
                    let line = std::mem::take(&mut self.line);
                    let from = if line == before { self.since } else { at };
                    self.show(line, from, None);
                    self.row += 1;
                    self.since = at;
                }
                '\x1b' => {
                    let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0);
                    let (code, after) = rest.split_at((end + 1).min(rest.len()));
                    rest = after;
                    self.obey(at, code);
                }
                next => {
                    if self.returned {
                        self.erase(at);
                    }
                    self.push(next);
                }
            }
        }
        if self.line != before {
            self.since = at;
        }
    }

    fn obey(&mut self, at: f64, code: &str) {
        if let Some(numbers) = code
            .strip_prefix('[')
            .and_then(|code| code.strip_suffix('m'))
        {
            let classes = numbers.split(';').filter(|n| !n.is_empty() && *n != "0");
            self.classes = classes
                .map(|n| format!("c{n}"))
                .collect::<Vec<_>>()
                .join(" ");
        } else if code.ends_with('K') {
            self.erase(at);
        }
    }

    /// What stood in the line is gone from now on.
    fn erase(&mut self, at: f64) {
        self.returned = false;
        let line = std::mem::take(&mut self.line);
        if !line.spans.is_empty() {
            let since = self.since;
            self.show(line, since, Some(at));
        }
        self.since = at;
    }

    fn push(&mut self, next: char) {
        match self.line.spans.last_mut() {
            Some((classes, text)) if *classes == self.classes => text.push(next),
            _ => self
                .line
                .spans
                .push((self.classes.clone(), next.to_string())),
        }
    }

    fn show(&mut self, line: Line, from: f64, until: Option<f64>) {
        self.shown.push(Shown {
            row: self.row,
            line,
            from,
            until,
        });
    }

    fn close(&mut self, at: f64) {
        let line = std::mem::take(&mut self.line);
        if !line.spans.is_empty() {
            let since = self.since.min(at);
            self.show(line, since, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_written_over_goes_and_others_stay() {
        let mut screen = Screen::default();
        screen.write(1.0, "\r\x1b[Kwaiting 1 s");
        screen.write(2.0, "\r\x1b[Kwaiting 2 s");
        screen.write(3.0, "\r\x1b[K\x1b[32mdone\x1b[0m\r\n");
        screen.close(3.0);
        let seen: Vec<_> = screen
            .shown
            .iter()
            .map(|s| (s.row, s.line.spans[0].1.as_str(), s.from, s.until))
            .collect();
        assert_eq!(
            seen,
            [
                (0, "waiting 1 s", 1.0, Some(2.0)),
                (0, "waiting 2 s", 2.0, Some(3.0)),
                (0, "done", 3.0, None),
            ]
        );
        assert_eq!(screen.shown[2].line.spans[0].0, "c32");
    }
}
