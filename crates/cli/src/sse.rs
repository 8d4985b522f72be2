//! Server-Sent Events as text: pieces of a stream in, events out.
//!
//! The rules are those of the HTML standard. A piece may end anywhere, in the middle of a
//! character or between the two halves of a line end. An event whose blank line has not come is
//! not there yet: when the connection breaks, it is lost and comes again.

/// No event is nearly as long; whatever sends one is no event log.
const LONGEST: usize = 16 * 1024 * 1024;

/// What a stream says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Event {
        kind: String,
        data: String,
        /// Where the stream is with this event, as far as it has said so.
        id: String,
    },
    /// The stream is here now, and nothing happened for us on the way.
    Place(String),
    /// After how many milliseconds to come back if the connection breaks.
    Retry(u64),
}

/// A line or an event that is too long to be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Reads a stream piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    /// The last character was a carriage return: a line feed now belongs to it.
    returned: bool,
    /// Whether the first line has been read, which may begin with a byte order mark.
    begun: bool,
    kind: String,
    data: String,
    id: String,
    moved: bool,
}

impl Parser {
    /// What the next piece completes.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<Vec<Item>, TooLong> {
        let mut items = Vec::new();
        for &byte in piece {
            let returned = std::mem::replace(&mut self.returned, byte == b'\r');
            match byte {
                b'\n' if returned => {}
                b'\n' | b'\r' => {
                    let line = std::mem::take(&mut self.line);
                    items.extend(self.read(&line));
                }
                other => self.line.push(other),
            }
            if self.line.len() + self.data.len() > LONGEST {
                return Err(TooLong);
            }
        }
        Ok(items)
    }

    fn read(&mut self, line: &[u8]) -> Option<Item> {
        let line = String::from_utf8_lossy(line);
        let mut line = &*line;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.kind),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => {
                value.clone_into(&mut self.id);
                self.moved = true;
            }
            "retry" if value.bytes().all(|b| b.is_ascii_digit()) => {
                return value.parse().ok().map(Item::Retry);
            }
            // Comments, and what nobody knows yet.
            _ => {}
        }
        None
    }

    /// A blank line ends an event, if there is one.
    fn dispatch(&mut self) -> Option<Item> {
        let (kind, mut data) = (
            std::mem::take(&mut self.kind),
            std::mem::take(&mut self.data),
        );
        let moved = std::mem::take(&mut self.moved);
        if data.pop().is_none() {
            return moved.then(|| Item::Place(self.id.clone()));
        }
        let kind = if kind.is_empty() {
            "message".to_owned()
        } else {
            kind
        };
        let id = self.id.clone();
        Some(Item::Event { kind, data, id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(pieces: &[&[u8]]) -> Vec<Item> {
        let mut parser = Parser::default();
        let read = pieces.iter().map(|piece| parser.push(piece).unwrap());
        read.flatten().collect()
    }

    fn event(kind: &str, data: &str, id: &str) -> Item {
        Item::Event {
            kind: kind.into(),
            data: data.into(),
            id: id.into(),
        }
    }

    #[test]
    fn the_examples_of_the_standard() {
        let stream = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
        assert_eq!(
            parse(&[stream.as_bytes()]),
            [
                event("message", "first event", "1"),
                event("message", "second event", ""),
                event("message", " third event", ""),
            ]
        );
        let stream = "data\n\ndata\ndata\n\ndata:";
        assert_eq!(
            parse(&[stream.as_bytes()]),
            [event("message", "", ""), event("message", "\n", "")]
        );
        assert_eq!(
            parse(&[b"\xef\xbb\xbfdata:test\r\rdata: test\r\n\r\n"]),
            [event("message", "test", ""), event("message", "test", "")]
        );
    }

    #[test]
    fn places_and_retries_are_no_events() {
        assert_eq!(
            parse(&[b"retry: 2000\n: hi\n\nid: 7\n\nretry: x\nid: a\0b\n\nevent: lost\n\n"]),
            [Item::Retry(2000), Item::Place("7".into())]
        );
    }

    #[test]
    fn what_never_ends_is_refused() {
        let mut parser = Parser::default();
        let piece = vec![b'x'; LONGEST];
        assert_eq!(parser.push(&piece), Ok(Vec::new()));
        assert_eq!(parser.push(b"x"), Err(TooLong));
    }

    /// Cuts a stream into pieces at these places.
    fn cut<'s>(stream: &'s [u8], places: &[prop::sample::Index]) -> Vec<&'s [u8]> {
        let mut at: Vec<usize> = places.iter().map(|p| p.index(stream.len() + 1)).collect();
        at.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for to in at.into_iter().chain([stream.len()]) {
            pieces.push(&stream[from..to]);
            from = to;
        }
        pieces
    }

    prop_compose! {
        /// An event as text and as what it is read as.
        fn written()(
            kind in "[a-z]{1,8}",
            lines in prop::collection::vec("[^\r\n\u{0}]{0,20}", 1..4),
            id in "[0-9]{1,9}",
            end in prop::sample::select(vec!["\n", "\r", "\r\n"]),
            comment in prop::option::of("[^\r\n]{0,10}"),
        ) -> (String, Item) {
            let mut text = String::new();
            if let Some(comment) = comment {
                text.push_str(&format!(":{comment}{end}"));
            }
            text.push_str(&format!("id: {id}{end}event: {kind}{end}"));
            for line in &lines {
                text.push_str(&format!("data: {line}{end}"));
            }
            text.push_str(end);
            (text, event(&kind, &lines.join("\n"), &id))
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_wherever_it_is_cut(
            events in prop::collection::vec(written(), 0..6),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let stream: String = events.iter().map(|(text, _)| text.as_str()).collect();
            let expected: Vec<Item> = events.into_iter().map(|(_, item)| item).collect();
            prop_assert_eq!(parse(&cut(stream.as_bytes(), &places)), expected);
        }

        #[test]
        fn any_bytes_read_the_same_wherever_they_are_cut(
            stream in prop::collection::vec(
                prop_oneof![any::<u8>(), prop::sample::select(b"\r\n:data id".to_vec())], 0..200),
            places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            prop_assert_eq!(parse(&cut(&stream, &places)), parse(&[&stream]));
        }
    }
}
