//! The SHA-256 of every block of a raw image.
//!
//! Whoever has the list can take the blocks from anybody, in any order: what does not match is
//! thrown away. The service makes the list from the image whose checksum it has checked, and hands
//! it to agents that get their image from one another. Blocks are 1 MiB, and larger where the list
//! would become longer than 1 MiB.

#[cfg(feature = "server")]
use crate::{
    ImageError,
    checksum::{Algorithm, Hasher},
    source::{FileSource, Source as _},
};
use sha2::{Digest, Sha256};
use types::hex;

/// The smallest block that is made here.
#[cfg(feature = "server")]
const SMALLEST: u32 = 1 << 20;
const LARGEST: u32 = 4 << 20;

/// The most blocks of a list, which is 1 MiB long then. The largest image has 128 GiB.
const MOST_BLOCKS: usize = 32768;

const HASH: usize = 32;

/// Why something is no list of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadBlocks {
    #[error("blocks of {0} bytes are too small or too large")]
    BlockSize(u32),
    #[error("an image of {0} bytes is empty or too large for a list of blocks")]
    ImageSize(u64),
    #[error("the list has {given} bytes; an image of this size needs {needed}")]
    Length { given: usize, needed: usize },
}

/// What each block of an image must hash to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockList {
    size: u64,
    block_size: u32,
    hashes: Vec<[u8; HASH]>,
    /// What a whole block of zeros hashes to.
    zeros: [u8; HASH],
}

impl BlockList {
    /// Takes a list as [`BlockList::to_bytes`] made it, for an image of `size` bytes. Blocks may be
    /// smaller than those that are made here.
    pub fn from_bytes(size: u64, block_size: u32, bytes: &[u8]) -> Result<Self, BadBlocks> {
        if block_size == 0 || block_size > LARGEST {
            return Err(BadBlocks::BlockSize(block_size));
        }
        let count = usize::try_from(size.div_ceil(u64::from(block_size)));
        let count = count.ok().filter(|count| (1..=MOST_BLOCKS).contains(count));
        let count = count.ok_or(BadBlocks::ImageSize(size))?;
        let (hashes, rest) = bytes.as_chunks::<HASH>();
        if hashes.len() != count || !rest.is_empty() {
            return Err(BadBlocks::Length {
                given: bytes.len(),
                needed: count * HASH,
            });
        }
        Ok(Self::new(size, block_size, hashes.to_vec()))
    }

    fn new(size: u64, block_size: u32, hashes: Vec<[u8; HASH]>) -> Self {
        let length = usize::try_from(block_size).unwrap_or_default();
        Self {
            size,
            block_size,
            hashes,
            zeros: hash(&vec![0; length]),
        }
    }

    /// Makes the list of an image in memory, with blocks of a size that the caller chooses.
    pub fn of(image: &[u8], block_size: u32) -> Result<Self, BadBlocks> {
        let length = usize::try_from(block_size).unwrap_or_default().max(1);
        let list: Vec<u8> = image.chunks(length).flat_map(hash).collect();
        Self::from_bytes(image.len() as u64, block_size, &list)
    }

    /// Makes the list of a file, if the file has the checksum that it should have. `None` if it has
    /// not, or is too large for a list. `stops` is asked now and then. Blocks.
    #[cfg(feature = "server")]
    pub fn of_file(
        path: &std::path::Path,
        algorithm: Algorithm,
        checksum: &str,
        stops: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, ImageError> {
        let source = FileSource::open(path)?;
        let size = source.stat().size.unwrap_or(0);
        let Some(block_size) = block_size_for(size) else {
            return Ok(None);
        };
        let mut stream = source.stream()?;
        let mut hasher = Hasher::new(algorithm);
        let mut hashes = Vec::new();
        let mut block = vec![0; usize::try_from(block_size).unwrap_or_default()];
        let mut left = size;
        while left > 0 {
            let length = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
            let Some(part) = block.get_mut(..length).filter(|_| !stops()) else {
                return Err(ImageError::Stopped {
                    image: source.shown().to_owned(),
                });
            };
            std::io::Read::read_exact(&mut stream, part)
                .map_err(|error| ImageError::from_read(error, source.shown()))?;
            hasher.update(part);
            hashes.push(hash(part));
            left -= length as u64;
        }
        let is_right = hasher.finish() == checksum;
        Ok(is_right.then(|| Self::new(size, block_size, hashes)))
    }

    /// The hashes one after the other.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.hashes.concat()
    }

    /// A name for the list, and so for the image: the same only where all of it is the same.
    pub fn id(&self) -> String {
        let mut all = Sha256::new();
        all.update(self.size.to_be_bytes());
        all.update(self.block_size.to_be_bytes());
        all.update(self.to_bytes());
        hex::encode(&all.finalize())
    }

    /// The size of the image.
    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn block_size(&self) -> u32 {
        self.block_size
    }

    /// How many blocks there are.
    pub fn count(&self) -> usize {
        self.hashes.len()
    }

    /// Where a block is: its offset and its length.
    pub fn range(&self, block: usize) -> (u64, usize) {
        let offset = block as u64 * u64::from(self.block_size);
        let left = self.size.saturating_sub(offset);
        let length = left.min(u64::from(self.block_size));
        (offset, usize::try_from(length).unwrap_or_default())
    }

    /// Whether these are the bytes of this block.
    pub fn is_block(&self, block: usize, bytes: &[u8]) -> bool {
        let (_, length) = self.range(block);
        let known = self.hashes.get(block);
        bytes.len() == length && known.is_some_and(|known| *known == hash(bytes))
    }

    /// Whether a block is known to be all zeros. Of a shorter last block it is not known.
    pub fn is_zero(&self, block: usize) -> bool {
        self.hashes.get(block) == Some(&self.zeros)
    }
}

fn hash(bytes: &[u8]) -> [u8; HASH] {
    Sha256::digest(bytes).into()
}

/// The size of blocks for an image; none if it is empty or too large.
#[cfg(feature = "server")]
fn block_size_for(size: u64) -> Option<u32> {
    let mut block_size = SMALLEST;
    while size.div_ceil(u64::from(block_size)) > MOST_BLOCKS as u64 {
        block_size *= 2;
        if block_size > LARGEST {
            return None;
        }
    }
    (size > 0).then_some(block_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_block_is_known_by_its_bytes_and_place() {
        let image: Vec<u8> = [[1; 4], [0; 4], [1; 4], [2; 4]].concat()[..14].to_vec();
        let list = BlockList::of(&image, 4).unwrap();
        assert_eq!((list.size(), list.count()), (14, 4));
        assert_eq!(list.range(3), (12, 2));
        assert!(list.is_block(0, &[1; 4]) && list.is_block(2, &[1; 4]));
        assert!(list.is_block(3, &[2; 2]) && !list.is_block(3, &[2; 4]));
        assert!(!list.is_block(1, &[1; 4]) && !list.is_block(4, &[]));
        assert!(list.is_zero(1) && !list.is_zero(0) && !list.is_zero(4));
        let again = BlockList::from_bytes(14, 4, &list.to_bytes()).unwrap();
        assert_eq!(again, list);
        let other = BlockList::of(&[1; 14], 4).unwrap();
        assert_ne!(list.id(), other.id());
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let refused =
            |size, block, length| BlockList::from_bytes(size, block, &vec![0; length]).unwrap_err();
        assert_eq!(refused(1, 0, 32), BadBlocks::BlockSize(0));
        assert_eq!(
            refused(1, LARGEST + 1, 32),
            BadBlocks::BlockSize(LARGEST + 1)
        );
        assert_eq!(refused(0, 4, 0), BadBlocks::ImageSize(0));
        assert_eq!(refused(u64::MAX, 4, 32), BadBlocks::ImageSize(u64::MAX));
        for given in [0, 31, 33, 64] {
            let needed = 32;
            assert_eq!(refused(4, 4, given), BadBlocks::Length { given, needed });
        }
    }

    #[cfg(feature = "server")]
    #[test]
    fn a_file_must_have_its_checksum() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("image");
        let image = vec![7; (2 << 20) + 5];
        std::fs::write(&path, &image).unwrap();
        let mut hasher = Hasher::new(Algorithm::Sha512);
        hasher.update(&image);
        let sum = hasher.finish();
        let of = |sum: &str| BlockList::of_file(&path, Algorithm::Sha512, sum, &|| false).unwrap();
        assert_eq!(of(&sum), Some(BlockList::of(&image, SMALLEST).unwrap()));
        assert_eq!(of("another"), None);
        let stopped = BlockList::of_file(&path, Algorithm::Sha512, &sum, &|| true);
        assert!(matches!(stopped, Err(ImageError::Stopped { .. })));
        assert_eq!(block_size_for(0), None);
        assert_eq!(block_size_for(32 << 30), Some(1 << 20));
        assert_eq!(block_size_for((32 << 30) + 1), Some(2 << 20));
        assert_eq!(block_size_for(128 << 30), Some(4 << 20));
        assert_eq!(block_size_for((128 << 30) + 1), None);
    }

    proptest! {
        #[test]
        fn no_list_panics(size: u64, block_size: u32, bytes: Vec<u8>, block: usize) {
            if let Ok(list) = BlockList::from_bytes(size, block_size % (LARGEST + 2), &bytes) {
                let block = block % (list.count() + 1);
                let _ = (list.range(block), list.is_zero(block), list.is_block(block, &bytes));
                prop_assert_eq!(list.to_bytes(), bytes);
            }
        }
    }
}
