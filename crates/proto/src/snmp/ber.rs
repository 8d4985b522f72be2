//! The subset of BER that SNMP uses (RFC 3417 §8): one-byte tags, definite lengths.
//!
//! A reader takes one element after the other off the front of a slice; its errors name what it was
//! reading. Nothing recurses, so nested input cannot exhaust the stack.

use super::DecodeError;

/// Tags of the universal types; [`super::value`] has those of SNMP.
pub const INTEGER: u8 = 0x02;
pub const OCTETS: u8 = 0x04;
pub const NULL: u8 = 0x05;
pub const OBJECT_ID: u8 = 0x06;
pub const SEQUENCE: u8 = 0x30;

/// Takes elements off the front of a slice.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Where `rest` begins in the datagram.
    offset: usize,
}

impl<'a> Reader<'a> {
    /// A reader of a whole datagram.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            offset: 0,
        }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Where the next byte is in the datagram.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The type of the next element.
    pub fn peek(&self, what: &'static str) -> Result<u8, DecodeError> {
        let first = self.rest.first();
        first.copied().ok_or(DecodeError::Short { what })
    }

    /// Fails if there is anything left.
    pub fn end(&self, what: &'static str) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Long { what })
        }
    }

    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], DecodeError> {
        let split = self.rest.split_at_checked(count);
        let (taken, rest) = split.ok_or(DecodeError::Short { what })?;
        self.rest = rest;
        self.offset += count;
        Ok(taken)
    }

    fn byte(&mut self, what: &'static str) -> Result<u8, DecodeError> {
        Ok(self.take(1, what)?[0])
    }

    fn length(&mut self, what: &'static str) -> Result<usize, DecodeError> {
        let first = self.byte(what)?;
        if first < 0x80 {
            return Ok(first.into());
        }
        // Zero would be the indefinite form, which RFC 3417 §8 excludes. Four bytes can count more
        // than a datagram can hold.
        let count = usize::from(first & 0x7f);
        if !(1..=4).contains(&count) {
            return Err(DecodeError::Value { what });
        }
        let digits = self.take(count, what)?;
        Ok(digits
            .iter()
            .fold(0, |length, digit| length << 8 | usize::from(*digit)))
    }

    /// The next element, of whatever type: its tag, and a reader of its contents.
    pub fn element(&mut self, what: &'static str) -> Result<(u8, Reader<'a>), DecodeError> {
        let tag = self.byte(what)?;
        let length = self.length(what)?;
        let offset = self.offset;
        let rest = self.take(length, what)?;
        Ok((tag, Reader { rest, offset }))
    }

    /// The contents of the next element, which must have the tag `tag`.
    pub fn expect(&mut self, tag: u8, what: &'static str) -> Result<Reader<'a>, DecodeError> {
        match self.element(what)? {
            (found, contents) if found == tag => Ok(contents),
            (found, _) => Err(DecodeError::Tag { what, tag: found }),
        }
    }

    /// The contents of the next element, which must be a SEQUENCE.
    pub fn sequence(&mut self, what: &'static str) -> Result<Reader<'a>, DecodeError> {
        self.expect(SEQUENCE, what)
    }

    /// The bytes of the next element, which must be an OCTET STRING.
    pub fn octets(&mut self, what: &'static str) -> Result<&'a [u8], DecodeError> {
        self.expect(OCTETS, what).map(|contents| contents.rest)
    }

    /// The next element, which must be an INTEGER of 32 bits.
    pub fn integer(&mut self, what: &'static str) -> Result<i32, DecodeError> {
        signed(self.expect(INTEGER, what)?.rest, what)
    }
}

/// Decodes the contents of a signed number.
pub fn signed(bytes: &[u8], what: &'static str) -> Result<i32, DecodeError> {
    let Some(first) = bytes.first() else {
        return Err(DecodeError::Short { what });
    };
    if bytes.len() > 8 {
        return Err(DecodeError::Value { what });
    }
    let sign = if *first >= 0x80 { -1 } else { 0 };
    let number = bytes
        .iter()
        .fold(sign, |number: i64, byte| number << 8 | i64::from(*byte));
    i32::try_from(number).map_err(|_| DecodeError::Value { what })
}

/// Decodes the contents of an unsigned number. Some agents leave out the leading zero that keeps a
/// large number from looking negative; the tag already says that it is unsigned.
pub fn unsigned(bytes: &[u8], what: &'static str) -> Result<u64, DecodeError> {
    if bytes.is_empty() {
        return Err(DecodeError::Short { what });
    }
    let digits = match bytes {
        [0, digits @ ..] => digits,
        digits => digits,
    };
    if digits.len() > 8 {
        return Err(DecodeError::Value { what });
    }
    Ok(digits
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// Appends an element.
pub fn put(out: &mut Vec<u8>, tag: u8, contents: &[u8]) {
    out.push(tag);
    put_length(out, contents.len());
    out.extend_from_slice(contents);
}

/// Appends an element whose contents are written by a function.
pub fn put_with(out: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let mut contents = Vec::new();
    write(&mut contents);
    put(out, tag, &contents);
}

fn put_length(out: &mut Vec<u8>, length: usize) {
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            let bytes = length.to_be_bytes();
            let skipped = bytes.iter().take_while(|byte| **byte == 0).count();
            let digits = &bytes[skipped..];
            // At most eight digits, so the count fits.
            out.push(0x80 | u8::try_from(digits.len()).unwrap_or(0));
            out.extend_from_slice(digits);
        }
    }
}

/// Appends a signed number.
pub fn put_signed(out: &mut Vec<u8>, tag: u8, number: i32) {
    let bytes = number.to_be_bytes();
    // The shortest form: drop a leading byte that only repeats the sign of the next one.
    let mut digits = &bytes[..];
    while let [first, second, ..] = digits {
        let is_sign = matches!((first, second), (0, 0..0x80) | (0xff, 0x80..));
        if !is_sign {
            break;
        }
        digits = &digits[1..];
    }
    put(out, tag, digits);
}

/// Appends an unsigned number, with a leading zero where the highest bit is set.
pub fn put_unsigned(out: &mut Vec<u8>, tag: u8, number: u64) {
    let mut bytes = [0; 9];
    bytes[1..].copy_from_slice(&number.to_be_bytes());
    let mut digits = &bytes[..];
    while let [0, 0..0x80, ..] = digits {
        digits = &digits[1..];
    }
    put(out, tag, digits);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        let cases: &[(i32, &[u8])] = &[
            (0, &[2, 1, 0]),
            (127, &[2, 1, 127]),
            (128, &[2, 2, 0, 128]),
            (-1, &[2, 1, 255]),
            (-128, &[2, 1, 128]),
            (-129, &[2, 2, 255, 127]),
            (i32::MAX, &[2, 4, 127, 255, 255, 255]),
            (i32::MIN, &[2, 4, 128, 0, 0, 0]),
        ];
        for (number, bytes) in cases {
            let mut out = Vec::new();
            put_signed(&mut out, INTEGER, *number);
            assert_eq!(out, *bytes);
        }
        let mut out = Vec::new();
        put_unsigned(&mut out, 0x41, u32::MAX.into());
        assert_eq!(out, [0x41, 5, 0, 255, 255, 255, 255]);
    }

    #[test]
    fn lengths_have_two_forms_and_no_third() {
        let mut out = Vec::new();
        put(&mut out, OCTETS, &[7; 200]);
        assert_eq!(out[..3], [OCTETS, 0x81, 200]);
        assert_eq!(Reader::new(&out).octets("text"), Ok(&[7; 200][..]));
        let endless = [SEQUENCE, 0x80, 0, 0];
        assert!(Reader::new(&endless).sequence("list").is_err());
        let huge = [SEQUENCE, 0x84, 255, 255, 255, 255, 0];
        assert_eq!(
            Reader::new(&huge).sequence("list").err(),
            Some(DecodeError::Short { what: "list" })
        );
    }

    #[test]
    fn a_reader_knows_where_it_is() {
        let mut out = Vec::new();
        put_with(&mut out, SEQUENCE, |out| {
            put_signed(out, INTEGER, 3);
            put(out, OCTETS, b"abc");
        });
        let mut list = Reader::new(&out).sequence("list").unwrap();
        list.integer("number").unwrap();
        let text = list.expect(OCTETS, "text").unwrap();
        assert_eq!(&out[text.offset()..text.offset() + 3], b"abc");
        assert!(list.is_empty());
    }

    proptest! {
        #[test]
        fn numbers_come_back(signed: i32, plain: u64) {
            let mut out = Vec::new();
            put_signed(&mut out, INTEGER, signed);
            put_unsigned(&mut out, 0x46, plain);
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.integer("number"), Ok(signed));
            let contents = reader.expect(0x46, "number").unwrap();
            prop_assert_eq!(unsigned(contents.rest(), "number"), Ok(plain));
            prop_assert!(reader.is_empty());
        }
    }
}
