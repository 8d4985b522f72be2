//! The data types of methods and headers: numbers, strings, tables (AMQP 0-9-1 §4.2.5).

use super::DecodeError;

/// How deeply tables and arrays may nest: a hostile server must not exhaust our stack.
const DEPTH: u32 = 16;

/// A table: keys in the order in which they were written.
pub type Table = Vec<(String, Value)>;

/// A value of a table. The type letters are those of RabbitMQ, which differ from the grammar in the
/// specification (`s` is a short integer, not a short string).
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Bool(bool),
    I8(i8),
    U8(u8),
    I16(i16),
    U16(u16),
    I32(i32),
    U32(u32),
    I64(i64),
    F32(u32),
    F64(u64),
    Decimal {
        scale: u8,
        value: i32,
    },
    /// A long string: usually text, but any bytes are allowed.
    Text(Vec<u8>),
    Array(Vec<Value>),
    /// Seconds since 1970.
    Time(u64),
    Table(Table),
    Void,
    Bytes(Vec<u8>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// A type with one encoding on the wire.
pub trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(input: &mut Input<'_>) -> Result<Self, DecodeError>;
}

/// The rest of the bytes to decode.
#[derive(Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
    depth: u32,
}

impl<'a> Input<'a> {
    /// The start of a payload.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, depth: 0 }
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Fails if there is anything left.
    pub fn end(self) -> Result<(), DecodeError> {
        if self.bytes.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Surplus)
        }
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(length)
            .ok_or(DecodeError::Short)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or(DecodeError::Short)?;
        self.bytes = rest;
        Ok(*taken)
    }

    /// The next `length` bytes, one level deeper.
    fn inner(&mut self, length: u32) -> Result<Input<'a>, DecodeError> {
        if self.depth >= DEPTH {
            return Err(DecodeError::Depth);
        }
        let length = usize::try_from(length).map_err(|_| DecodeError::Short)?;
        Ok(Input {
            bytes: self.slice(length)?,
            depth: self.depth + 1,
        })
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }
            fn take(input: &mut Input<'_>) -> Result<Self, DecodeError> {
                input.array().map(Self::from_be_bytes)
            }
        }
    )*};
}

numbers!(u8, i8, u16, i16, u32, i32, u64, i64);

/// A short string: at most 255 bytes. A longer one is cut at a character; our names are shorter.
impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        let end = self.floor_char_boundary(255);
        out.push(u8::try_from(end).unwrap_or(u8::MAX));
        out.extend_from_slice(&self.as_bytes()[..end]);
    }

    fn take(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let length = u8::take(input)?;
        let bytes = input.slice(usize::from(length))?;
        let text = std::str::from_utf8(bytes).map_err(|_| DecodeError::Text)?;
        Ok(text.to_owned())
    }
}

/// A long string, which may be any bytes.
impl Wire for Vec<u8> {
    fn put(&self, out: &mut Vec<u8>) {
        measured(out, |out| out.extend_from_slice(self));
    }

    fn take(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let length = u32::take(input)?;
        let length = usize::try_from(length).map_err(|_| DecodeError::Short)?;
        Ok(input.slice(length)?.to_vec())
    }
}

impl Wire for Table {
    fn put(&self, out: &mut Vec<u8>) {
        measured(out, |out| {
            for (key, value) in self {
                key.put(out);
                value.put(out);
            }
        });
    }

    fn take(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let length = u32::take(input)?;
        let mut inner = input.inner(length)?;
        let mut table = Self::new();
        while !inner.is_empty() {
            table.push((String::take(&mut inner)?, Value::take(&mut inner)?));
        }
        Ok(table)
    }
}

/// Writes a length of 32 bits and then the contents.
fn measured(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    let length = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

impl Wire for Value {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bool(value) => out.extend_from_slice(&[b't', u8::from(*value)]),
            Self::I8(value) => tagged(out, b'b', value),
            Self::U8(value) => tagged(out, b'B', value),
            Self::I16(value) => tagged(out, b's', value),
            Self::U16(value) => tagged(out, b'u', value),
            Self::I32(value) => tagged(out, b'I', value),
            Self::U32(value) => tagged(out, b'i', value),
            Self::I64(value) => tagged(out, b'l', value),
            Self::F32(bits) => tagged(out, b'f', bits),
            Self::F64(bits) => tagged(out, b'd', bits),
            Self::Decimal { scale, value } => {
                tagged(out, b'D', scale);
                value.put(out);
            }
            Self::Text(text) => tagged(out, b'S', text),
            Self::Array(items) => {
                out.push(b'A');
                measured(out, |out| items.iter().for_each(|item| item.put(out)));
            }
            Self::Time(seconds) => tagged(out, b'T', seconds),
            Self::Table(table) => tagged(out, b'F', table),
            Self::Void => out.push(b'V'),
            Self::Bytes(bytes) => tagged(out, b'x', bytes),
        }
    }

    fn take(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(match u8::take(input)? {
            b't' => Self::Bool(u8::take(input)? != 0),
            b'b' => Self::I8(Wire::take(input)?),
            b'B' => Self::U8(Wire::take(input)?),
            b's' => Self::I16(Wire::take(input)?),
            b'u' => Self::U16(Wire::take(input)?),
            b'I' => Self::I32(Wire::take(input)?),
            b'i' => Self::U32(Wire::take(input)?),
            b'l' => Self::I64(Wire::take(input)?),
            b'f' => Self::F32(Wire::take(input)?),
            b'd' => Self::F64(Wire::take(input)?),
            b'D' => Self::Decimal {
                scale: Wire::take(input)?,
                value: Wire::take(input)?,
            },
            b'S' => Self::Text(Wire::take(input)?),
            b'A' => {
                let length = u32::take(input)?;
                let mut inner = input.inner(length)?;
                let mut items = Vec::new();
                while !inner.is_empty() {
                    items.push(Self::take(&mut inner)?);
                }
                Self::Array(items)
            }
            b'T' => Self::Time(Wire::take(input)?),
            b'F' => Self::Table(Wire::take(input)?),
            b'V' => Self::Void,
            b'x' => Self::Bytes(Wire::take(input)?),
            other => return Err(DecodeError::FieldType(other)),
        })
    }
}

fn tagged(out: &mut Vec<u8>, tag: u8, value: &impl Wire) {
    out.push(tag);
    value.put(out);
}
