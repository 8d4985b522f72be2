//! Takes bytes and numbers off the front of a slice. Errors name what was being read.

/// There are fewer bytes than are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Short {
    pub(crate) what: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { rest: bytes, what }
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Short> {
        let split = self.rest.split_at_checked(count);
        let (taken, rest) = split.ok_or(Short { what: self.what })?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let split = self.rest.split_first_chunk::<N>();
        let (taken, rest) = split.ok_or(Short { what: self.what })?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Short> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16_be(&mut self) -> Result<u16, Short> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u16_le(&mut self) -> Result<u16, Short> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32_be(&mut self) -> Result<u32, Short> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u32_le(&mut self) -> Result<u32, Short> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
