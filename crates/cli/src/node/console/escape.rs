//! Keys that do not go to the machine, in the manner of ssh: at the beginning of a line, an escape
//! character and another one.

use std::str::FromStr;

/// What keys mean.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    Type(Vec<u8>),
    Break,
    TakeOver,
    Help,
    Leave,
}

/// Reads keys.
#[derive(Debug, Clone)]
pub(super) struct Escape {
    character: Option<u8>,
    place: LinePosition,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinePosition {
    LineStart,
    Escaped,
    Within,
}

impl FromStr for Escape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let character = match text.as_bytes() {
            b"none" => None,
            [one] if one.is_ascii_graphic() => Some(*one),
            _ => return Err("write one character, or none".to_owned()),
        };
        Ok(Self {
            character,
            place: LinePosition::LineStart,
        })
    }
}

impl Escape {
    pub(super) fn leave(&self) -> String {
        match self.character {
            Some(character) => format!("leave with {}.", char::from(character)),
            None => "it ends when it is terminated".to_owned(),
        }
    }

    pub(super) fn help(&self) -> String {
        let escape = self.character.map_or(' ', char::from);
        format!(
            "{escape}.  leave\n{escape}B  send a break\n{escape}t  take over from whoever types\n\
             {escape}?  this list\n{escape}{escape}  a single {escape}"
        )
    }

    /// What these keys mean, after those before.
    pub(super) fn read(&mut self, keys: &[u8]) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut typed = Vec::new();
        for &key in keys {
            if self.place == LinePosition::Escaped {
                let action = match key {
                    b'.' => Some(Action::Leave),
                    b'B' | b'b' => Some(Action::Break),
                    b't' | b'T' => Some(Action::TakeOver),
                    b'?' => Some(Action::Help),
                    _ => None,
                };
                if let Some(action) = action {
                    if !typed.is_empty() {
                        actions.push(Action::Type(std::mem::take(&mut typed)));
                    }
                    actions.push(action);
                    self.place = LinePosition::LineStart;
                    continue;
                }
                typed.extend(self.character);
                // Doubled, it stands for itself.
                self.place = LinePosition::Within;
                if Some(key) == self.character {
                    continue;
                }
            } else if self.place == LinePosition::LineStart && Some(key) == self.character {
                self.place = LinePosition::Escaped;
                continue;
            }
            typed.push(key);
            self.place = match key {
                b'\r' | b'\n' => LinePosition::LineStart,
                _ => LinePosition::Within,
            };
        }
        if !typed.is_empty() {
            actions.push(Action::Type(typed));
        }
        actions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilde() -> Escape {
        "~".parse().unwrap()
    }

    fn typed(text: &str) -> Action {
        Action::Type(text.as_bytes().to_vec())
    }

    #[test]
    fn escapes_count_at_the_beginning_of_a_line() {
        let read = |keys: &str| tilde().read(keys.as_bytes());
        assert_eq!(read("~."), [Action::Leave]);
        assert_eq!(read("ls ~.\r"), [typed("ls ~.\r")]);
        assert_eq!(read("ls\r~."), [typed("ls\r"), Action::Leave]);
        assert_eq!(
            read("~B~t~?"),
            [Action::Break, Action::TakeOver, Action::Help]
        );
        assert_eq!(read("~~."), [typed("~.")]);
        assert_eq!(read("~x"), [typed("~x")]);
        assert_eq!(read("~\r~."), [typed("~\r"), Action::Leave]);
    }

    #[test]
    fn keys_may_come_one_by_one() {
        let mut escape = tilde();
        let mut actions = Vec::new();
        for key in b"a\r~." {
            actions.extend(escape.read(&[*key]));
        }
        assert_eq!(actions, [typed("a"), typed("\r"), Action::Leave]);
    }

    #[test]
    fn it_can_be_another_or_none() {
        let mut none: Escape = "none".parse().unwrap();
        assert_eq!(none.read(b"~."), [typed("~.")]);
        let mut percent: Escape = "%".parse().unwrap();
        assert_eq!(percent.read(b"~.\r%."), [typed("~.\r"), Action::Leave]);
        for bad in ["", "ab", "\n", "é"] {
            assert!(bad.parse::<Escape>().is_err(), "{bad:?}");
        }
    }
}
