//! Packing the archive in ways that every kernel of Debian unpacks.
//!
//! xz is the smallest. gzip takes a tenth of the time to unpack, which counts where a processor is
//! emulated. zstd would be the better middle, but has no good encoder without C.

use crate::{Architecture, Pack};
use flate2::{Compression, GzBuilder};
use lzma_rust2::{CheckType, FilterType, XzOptions, XzWriter};
use std::io::{self, Write as _};

pub(super) fn pack(archive: &[u8], how: Pack, architecture: Architecture) -> io::Result<Vec<u8>> {
    match how {
        Pack::None => Ok(archive.to_vec()),
        Pack::Gzip => {
            // No name, no time, no system: the same bytes everywhere.
            let builder = GzBuilder::new().mtime(0).operating_system(255);
            let mut writer = builder.write(Vec::new(), Compression::best());
            writer.write_all(archive)?;
            writer.finish()
        }
        Pack::Xz => {
            let mut options = XzOptions::with_preset(9);
            // The only check that the kernel's decoder knows besides none.
            options.set_check_sum_type(CheckType::Crc32);
            options.lzma_options.dict_size = DICTIONARY;
            if architecture == Architecture::Amd64 {
                options.prepend_pre_filter(FilterType::BcjX86, 0);
            }
            let mut writer = XzWriter::new(Vec::new(), options)?;
            writer.write_all(archive)?;
            writer.finish()
        }
    }
}

/// What the machine needs of memory beside the archive while it unpacks.
const DICTIONARY: u32 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Packing, unpack::unpacked};
    use std::io::Read as _;

    #[test]
    fn what_is_packed_comes_out_again() {
        let archive: Vec<u8> = (0..200_000u32)
            .flat_map(|n| (n / 7).to_le_bytes())
            .collect();
        for (how, packing) in [(Pack::Gzip, Packing::Gzip), (Pack::Xz, Packing::Xz)] {
            let packed = pack(&archive, how, Architecture::Amd64).unwrap();
            assert!(packed.len() < archive.len() / 4);
            assert_eq!(packed, pack(&archive, how, Architecture::Amd64).unwrap());
            let mut back = Vec::new();
            let mut reader = unpacked(packing, &packed[..]).unwrap();
            reader.read_to_end(&mut back).unwrap();
            assert!(back == archive, "{how:?}");
        }
    }
}
