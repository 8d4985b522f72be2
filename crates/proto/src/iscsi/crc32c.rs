//! CRC32C (Castagnoli), the digest of headers and data (RFC 7143 §13.1).
//!
//! Eight tables, so that eight bytes are taken at a time. The instruction of the processor would
//! be faster, but can only be called from `unsafe` code; digests are rarely switched on.

/// The polynomial 0x1edc6f41, bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let (mut byte, mut number) = (0, 0u32);
    while byte < 256 {
        let mut value = number;
        let mut bit = 0;
        while bit < 8 {
            value = (value >> 1) ^ (POLYNOMIAL & (value & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][byte] = value;
        (byte, number) = (byte + 1, number + 1);
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// A digest in the making.
#[derive(Debug, Clone, Copy)]
pub struct Crc32c(u32);

impl Default for Crc32c {
    fn default() -> Self {
        Self(!0)
    }
}

impl Crc32c {
    #[must_use]
    pub fn update(self, bytes: &[u8]) -> Self {
        let mut crc = self.0;
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let value = u64::from_le_bytes(*eight) ^ u64::from(crc);
            let [a, b, c, d, e, f, g, h] = value.to_le_bytes().map(usize::from);
            crc = TABLES[7][a]
                ^ TABLES[6][b]
                ^ TABLES[5][c]
                ^ TABLES[4][d]
                ^ TABLES[3][e]
                ^ TABLES[2][f]
                ^ TABLES[1][g]
                ^ TABLES[0][h];
        }
        for byte in rest {
            let [low, ..] = crc.to_le_bytes();
            crc = (crc >> 8) ^ TABLES[0][usize::from(low ^ byte)];
        }
        Self(crc)
    }

    /// The digest as it is on the wire.
    pub fn finish(self) -> [u8; 4] {
        (!self.0).to_le_bytes()
    }
}

/// The digest of some bytes, as it is on the wire.
pub fn digest(bytes: &[u8]) -> [u8; 4] {
    Crc32c::default().update(bytes).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 7143, appendix A.4.
    #[test]
    fn the_examples_of_the_standard() {
        let (mut up, mut down) = ([0; 32], [0; 32]);
        for index in 0..32 {
            (up[index as usize], down[index as usize]) = (index, 31 - index);
        }
        assert_eq!(digest(&[0; 32]), [0xaa, 0x36, 0x91, 0x8a]);
        assert_eq!(digest(&[0xff; 32]), [0x43, 0xab, 0xa8, 0x62]);
        assert_eq!(digest(&up), [0x4e, 0x79, 0xdd, 0x46]);
        assert_eq!(digest(&down), [0x5c, 0xdb, 0x3f, 0x11]);
    }

    #[test]
    fn pieces_make_the_same_digest() {
        let bytes: Vec<u8> = (0..=255).collect();
        for at in 0..bytes.len() {
            let (first, second) = bytes.split_at(at);
            let pieces = Crc32c::default().update(first).update(second).finish();
            assert_eq!(pieces, digest(&bytes));
        }
    }
}
