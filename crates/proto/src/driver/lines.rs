//! Lines out of what arrives in pieces, whatever their length.

/// Takes pieces and gives lines. Of a line that is too long it keeps the beginning only.
#[derive(Debug)]
pub struct Lines {
    line: Vec<u8>,
    longest: usize,
    is_cut: bool,
}

impl Lines {
    pub fn new(longest: usize) -> Self {
        Self {
            line: Vec::new(),
            longest,
            is_cut: false,
        }
    }

    /// Takes a piece; `each` gets every line that ends in it, without its end, and whether it was
    /// too long.
    pub fn feed(&mut self, piece: &[u8], mut each: impl FnMut(&[u8], bool)) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = match part.split_last() {
                Some((b'\n', text)) => (text, true),
                _ => (part, false),
            };
            let room = self.longest - self.line.len();
            self.line.extend_from_slice(&text[..text.len().min(room)]);
            self.is_cut |= text.len() > room;
            if ends {
                each(&self.line, self.is_cut);
                self.is_cut = false;
                self.line.clear();
                self.line.shrink_to(4096);
            }
        }
    }

    /// Whether the line that has begun is too long already.
    pub fn is_too_long(&self) -> bool {
        self.is_cut
    }

    /// What came after the last line.
    pub fn rest(&self) -> &[u8] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(pieces: &[&[u8]], longest: usize) -> Vec<(Vec<u8>, bool)> {
        let mut lines = Lines::new(longest);
        let mut all = Vec::new();
        for piece in pieces {
            lines.feed(piece, |line, cut| all.push((line.to_vec(), cut)));
        }
        all
    }

    #[test]
    fn lines_may_come_in_pieces() {
        let lines = all(&[b"ab", b"c\n\nd", b"ef", b"g\nh"], 4);
        let expected: [(&[u8], bool); 3] = [(b"abc", false), (b"", false), (b"defg", false)];
        assert_eq!(lines, expected.map(|(line, cut)| (line.to_vec(), cut)));
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_is_whole() {
        let lines = all(&[b"abcdef", b"ghi\nxy\n"], 4);
        assert_eq!(lines, [(b"abcd".to_vec(), true), (b"xy".to_vec(), false)]);
        let mut open = Lines::new(2);
        open.feed(b"abc", |_, _| panic!("no line has ended"));
        assert!(open.is_too_long());
        assert_eq!(open.rest(), b"ab");
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200), at in 1_usize..20) {
            let whole = all(&[&bytes], 16);
            let pieces: Vec<&[u8]> = bytes.chunks(at).collect();
            prop_assert_eq!(all(&pieces, 16), whole);
        }
    }
}
