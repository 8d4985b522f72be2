//! The content header frame: the size of the body, and the properties (AMQP 0-9-1 §4.2.6.1).

use super::{
    DecodeError, Table,
    field::{Input, Wire},
};

/// The class `basic`, the only one with content.
const CLASS: u16 = 60;

/// The properties of a message; each may be absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Properties {
    pub content_type: Option<String>,
    pub content_encoding: Option<String>,
    pub headers: Option<Table>,
    /// 2 is persistent.
    pub delivery_mode: Option<u8>,
    pub priority: Option<u8>,
    pub correlation_id: Option<String>,
    pub reply_to: Option<String>,
    pub expiration: Option<String>,
    pub message_id: Option<String>,
    /// Seconds since 1970.
    pub timestamp: Option<u64>,
    pub kind: Option<String>,
    pub user_id: Option<String>,
    pub app_id: Option<String>,
    pub cluster_id: Option<String>,
}

impl Properties {
    /// Encodes the header of a body of `size` bytes.
    pub fn encode(&self, size: u64, out: &mut Vec<u8>) {
        CLASS.put(out);
        0_u16.put(out);
        size.put(out);
        let flags = out.len();
        out.extend_from_slice(&[0; 2]);
        let mut writer = Writer {
            out,
            flags: 0,
            bit: 16,
        };
        writer.field(&self.content_type);
        writer.field(&self.content_encoding);
        writer.field(&self.headers);
        writer.field(&self.delivery_mode);
        writer.field(&self.priority);
        writer.field(&self.correlation_id);
        writer.field(&self.reply_to);
        writer.field(&self.expiration);
        writer.field(&self.message_id);
        writer.field(&self.timestamp);
        writer.field(&self.kind);
        writer.field(&self.user_id);
        writer.field(&self.app_id);
        writer.field(&self.cluster_id);
        let set = writer.flags.to_be_bytes();
        out[flags..flags + 2].copy_from_slice(&set);
    }

    /// Decodes a header: the size of the body, and the properties.
    pub fn decode(bytes: &[u8]) -> Result<(u64, Self), DecodeError> {
        let mut input = Input::new(bytes);
        let class = u16::take(&mut input)?;
        let _weight = u16::take(&mut input)?;
        if class != CLASS {
            return Err(DecodeError::Method { class, method: 0 });
        }
        let size = u64::take(&mut input)?;
        let flags = u16::take(&mut input)?;
        if flags & 0b11 != 0 {
            // Bit 0 would announce further flags; `basic` has 14 properties, which fill bits 15 to
            // 2.
            return Err(DecodeError::Surplus);
        }
        let mut reader = Reader {
            input,
            flags,
            bit: 16,
        };
        let properties = Self {
            content_type: reader.field()?,
            content_encoding: reader.field()?,
            headers: reader.field()?,
            delivery_mode: reader.field()?,
            priority: reader.field()?,
            correlation_id: reader.field()?,
            reply_to: reader.field()?,
            expiration: reader.field()?,
            message_id: reader.field()?,
            timestamp: reader.field()?,
            kind: reader.field()?,
            user_id: reader.field()?,
            app_id: reader.field()?,
            cluster_id: reader.field()?,
        };
        reader.input.end()?;
        Ok((size, properties))
    }
}

/// Property flags: a bit for each property that is present, the first in the highest bit.
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    flags: u16,
    bit: u32,
}

impl Writer<'_> {
    fn field<T: Wire>(&mut self, value: &Option<T>) {
        self.bit -= 1;
        if let Some(value) = value {
            self.flags |= 1 << self.bit;
            value.put(self.out);
        }
    }
}

struct Reader<'a> {
    input: Input<'a>,
    flags: u16,
    bit: u32,
}

impl Reader<'_> {
    fn field<T: Wire>(&mut self) -> Result<Option<T>, DecodeError> {
        self.bit -= 1;
        if self.flags & (1 << self.bit) == 0 {
            return Ok(None);
        }
        T::take(&mut self.input).map(Some)
    }
}
