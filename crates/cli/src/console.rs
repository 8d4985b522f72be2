//! The terminal: results go to one writer, remarks to another, and nothing else prints.
//!
//! Commands write through here instead of `println!` so that a closed pipe ends the program
//! quietly, tests can read what a command said, and colour and width are decided in one place.

use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::rc::Rc;

use crate::error::Error;

pub(crate) const RED: &str = "\u{1b}[31m";
pub(crate) const GREEN: &str = "\u{1b}[32m";
pub(crate) const YELLOW: &str = "\u{1b}[33m";
pub(crate) const PLAIN: &str = "\u{1b}[0m";
/// To the start of the line, and nothing on it any more.
pub(crate) const ERASE: &str = "\r\u{1b}[K";

/// Where results and remarks go.
pub(crate) struct Console {
    out: Box<dyn Write>,
    notes: Notes,
    /// Columns to fit tables into; nothing when the output is not a terminal.
    pub(crate) width: Option<usize>,
    pub(crate) colour: bool,
    /// Whether the output is read by a terminal, and not by a program or a file.
    terminal: bool,
}

/// Remarks beside the results: progress, hints, errors. The client shares it with the commands,
/// to say when it tries again.
#[derive(Clone)]
pub(crate) struct Notes {
    writer: Rc<RefCell<Box<dyn Write>>>,
    colour: bool,
}

impl Notes {
    pub(crate) fn new(writer: Box<dyn Write>, colour: bool) -> Self {
        Self {
            writer: Rc::new(RefCell::new(writer)),
            colour,
        }
    }

    /// Says a line of an error, whose first word stands out on a terminal.
    pub(crate) fn complain(&self, line: &str) {
        for (word, colour) in [("error:", RED), ("hint:", YELLOW)] {
            if self.colour
                && let Some(rest) = line.strip_prefix(word)
            {
                return self.say(&format!("{colour}{word}{PLAIN}{rest}"));
            }
        }
        self.say(line);
    }

    /// Says something. A remark that cannot be delivered is dropped: there is no better place.
    pub(crate) fn say(&self, text: &str) {
        let mut writer = self.writer.borrow_mut();
        let _ = writeln!(writer, "{text}").and_then(|()| writer.flush());
    }
}

impl Console {
    /// The process's own standard output and error.
    pub(crate) fn standard() -> Self {
        let stdout = std::io::stdout();
        let terminal = stdout.is_terminal();
        let width = terminal.then(|| window_width(&stdout)).flatten();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Self {
            out: Box::new(stdout),
            notes: Notes::new(
                Box::new(std::io::stderr()),
                std::io::stderr().is_terminal() && !plain,
            ),
            width,
            colour: terminal && !plain,
            terminal,
        }
    }

    pub(crate) fn notes(&self) -> Notes {
        self.notes.clone()
    }

    pub(crate) fn note(&self, text: &str) {
        self.notes.say(text);
    }

    /// Prints finished text and makes sure it has left.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Error> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()?;
        Ok(())
    }

    /// Prints what is for programs. They get it as it is; a terminal would obey what machines and
    /// other users wrote into it.
    pub(crate) fn print_data(&mut self, text: &str) -> Result<(), Error> {
        match self.terminal {
            true => self.print(&printable(text)),
            false => self.print(text),
        }
    }

    /// Passes on what a machine says, as it is.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.out.write_all(bytes)?;
        self.out.flush()?;
        Ok(())
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<(), Error> {
        self.print(&format!("{text}\n"))
    }
}

fn window_width(stdout: &std::io::Stdout) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stdout).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col))
}

/// Text as it may appear on a terminal: control characters are spelled out, because names and
/// error texts come from machines and must not be able to move the cursor or retitle the window.
pub(crate) fn printable(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => clean.push('\n'),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\t' | '\r' => clean.push(' '),
            // Those turn text around, so that it reads as another than it is.
            turning if is_bidirectional(turning) => clean.extend(turning.escape_default()),
            control if control.is_control() => clean.extend(control.escape_default()),
            other => clean.push(other),
        }
    }
    clean
}

fn is_bidirectional(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
pub(crate) mod capture {
    //! A console that keeps what it is told.

    use super::*;

    #[derive(Clone, Default)]
    pub(crate) struct Captured(Rc<RefCell<Vec<u8>>>);

    impl Captured {
        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.borrow().clone()).unwrap()
        }
    }

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// A console, what it printed, and what it remarked.
    pub(crate) fn console() -> (Console, Captured, Captured) {
        let (out, notes) = (Captured::default(), Captured::default());
        let console = Console {
            out: Box::new(out.clone()),
            notes: Notes::new(Box::new(notes.clone()), false),
            width: None,
            colour: false,
            terminal: false,
        };
        (console, out, notes)
    }

    /// The same, if a terminal reads it.
    pub(crate) fn terminal() -> (Console, Captured) {
        let (console, out, _) = console();
        let console = Console {
            terminal: true,
            ..console
        };
        (console, out)
    }

    /// A console whose reader has gone.
    pub(crate) fn closed() -> Console {
        struct ClosedScreen;
        impl Write for ClosedScreen {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        Console {
            out: Box::new(ClosedScreen),
            ..console().0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_told_apart() {
        let error = capture::closed().line("x").unwrap_err();
        assert_eq!(error.exit_code(), 0);
    }

    #[test]
    fn an_error_is_red_on_a_terminal_only() {
        for (colour, expected) in [
            (false, "error: no\n"),
            (true, "\u{1b}[31merror:\u{1b}[0m no\n"),
        ] {
            let said = capture::Captured::default();
            Notes::new(Box::new(said.clone()), colour).complain("error: no");
            assert_eq!(said.text(), expected);
        }
    }

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(printable("a\u{1b}[31mb\tc\r\nd\re"), "a\\u{1b}[31mb c\nd e");
        assert_eq!(printable("größe 東京"), "größe 東京");
        assert_eq!(printable("a\u{9b}2Jb"), "a\\u{9b}2Jb");
        assert_eq!(printable("x\u{202e}fdp.exe"), "x\\u{202e}fdp.exe");
        assert_eq!(printable("שלום \u{2067}a"), "שלום \\u{2067}a");
    }

    #[test]
    fn what_is_for_programs_is_harmless_on_a_terminal_and_untouched_elsewhere() {
        let text = "m1\u{1b}]0;title\u{7}\u{9b}31m\u{202e}\n";
        let (mut console, out) = capture::terminal();
        console.print_data(text).unwrap();
        assert_eq!(out.text(), "m1\\u{1b}]0;title\\u{7}\\u{9b}31m\\u{202e}\n");
        let (mut console, out, _) = capture::console();
        console.print_data(text).unwrap();
        assert_eq!(out.text(), text);
    }
}
