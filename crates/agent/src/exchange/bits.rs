//! A bit for each block: what agents tell one another they have.

/// As it is sent: eight blocks a byte, the first in the lowest bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bits(Vec<u8>);

impl Bits {
    /// None of so many blocks.
    pub(super) fn none(count: usize) -> Self {
        Self(vec![0; Self::bytes_for(count)])
    }

    /// How long the bits of so many blocks are.
    pub(super) fn bytes_for(count: usize) -> usize {
        count.div_ceil(8)
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.0.clone()
    }

    pub(super) fn has(&self, block: usize) -> bool {
        let byte = self.0.get(block / 8).copied().unwrap_or(0);
        byte & (1 << (block % 8)) != 0
    }

    pub(super) fn set(&mut self, block: usize) {
        if let Some(byte) = self.0.get_mut(block / 8) {
            *byte |= 1 << (block % 8);
        }
    }

    pub(super) fn clear(&mut self, block: usize) {
        if let Some(byte) = self.0.get_mut(block / 8) {
            *byte &= !(1 << (block % 8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_is_one_block() {
        let mut bits = Bits::none(9);
        assert_eq!(bits.to_bytes().len(), 2);
        bits.set(8);
        bits.set(1);
        bits.set(99);
        assert_eq!(bits.to_bytes(), [0b10, 1]);
        assert!(bits.has(1) && bits.has(8) && !bits.has(0) && !bits.has(99));
        bits.clear(1);
        assert_eq!(Bits::from_bytes(vec![0, 1]), bits);
    }
}
