//! cpio archives in the "new ASCII" format (newc), which Linux unpacks as initramfs
//! (`Documentation/driver-api/early-userspace/buffer-format.rst` of the kernel).
//!
//! The encoder makes headers and padding; the caller writes the data between them and can copy it
//! from files. The decoder accepts several archives one after the other, with zeros between them,
//! as the kernel does. Hard links and checksums are left out.

const MAGIC: &[u8] = b"070701";
const HEADER: usize = 110;
const TRAILER: &str = "TRAILER!!!";

/// Bits of [`CpioEntry::mode`] that say what an entry is.
pub mod kind {
    pub const FILE: u32 = 0o100_000;
    pub const FOLDER: u32 = 0o040_000;
    pub const LINK: u32 = 0o120_000;
    pub const CHARACTER: u32 = 0o020_000;
    pub const BLOCK: u32 = 0o060_000;
}

/// The header of a file, before its data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpioEntry {
    /// Without a slash at its start.
    pub name: String,
    pub inode: u32,
    /// Kind and permissions.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub links: u32,
    /// Seconds since 1970.
    pub modified: u32,
    /// The length of the data; the data of a symbolic link is its target.
    pub size: u32,
    /// Major and minor number, of a device.
    pub device: (u32, u32),
}

/// Why an archive cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CpioError {
    #[error("this is no cpio archive of the new kind")]
    Magic,
    #[error("the cpio archive ends early")]
    Truncated,
    #[error("a field of the cpio archive is no hexadecimal number")]
    Number,
    #[error("a name in the cpio archive is not understood")]
    Name,
}

impl CpioEntry {
    /// Encodes header and name, padded to where the data starts. The padding is right only at an
    /// offset that is a multiple of four.
    pub fn encode(&self) -> Vec<u8> {
        let name_size = u32::try_from(self.name.len() + 1).unwrap_or(u32::MAX);
        let fields = [
            self.inode,
            self.mode,
            self.uid,
            self.gid,
            self.links,
            self.modified,
            self.size,
            0,
            0,
            self.device.0,
            self.device.1,
            name_size,
            0,
        ];
        let mut bytes = MAGIC.to_vec();
        for field in fields {
            bytes.extend(format!("{field:08x}").into_bytes());
        }
        bytes.extend(self.name.as_bytes());
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    /// How many zeros follow the data, up to a multiple of four.
    pub fn padding(&self) -> usize {
        usize::try_from(self.size.wrapping_neg() % 4).unwrap_or(0)
    }

    fn decode(bytes: &[u8]) -> Result<Self, CpioError> {
        let head = bytes.get(..HEADER).ok_or(CpioError::Truncated)?;
        if !head.starts_with(MAGIC) {
            return Err(CpioError::Magic);
        }
        let field = |index: usize| {
            let at = MAGIC.len() + index * 8;
            let digits = head
                .get(at..at + 8)
                .and_then(|digits| std::str::from_utf8(digits).ok());
            let digits = digits.filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()));
            digits
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or(CpioError::Number)
        };
        let name_size = usize::try_from(field(11)?).unwrap_or(usize::MAX);
        let end = HEADER.checked_add(name_size).ok_or(CpioError::Truncated)?;
        let name = bytes.get(HEADER..end).ok_or(CpioError::Truncated)?;
        let name = name.strip_suffix(&[0]).ok_or(CpioError::Name)?;
        let name = std::str::from_utf8(name).map_err(|_| CpioError::Name)?;
        if name.contains('\0') {
            return Err(CpioError::Name);
        }
        Ok(Self {
            name: name.to_owned(),
            inode: field(0)?,
            mode: field(1)?,
            uid: field(2)?,
            gid: field(3)?,
            links: field(4)?,
            modified: field(5)?,
            size: field(6)?,
            device: (field(9)?, field(10)?),
        })
    }
}

/// The entry that ends an archive.
pub fn trailer() -> Vec<u8> {
    let end = CpioEntry {
        name: TRAILER.to_owned(),
        links: 1,
        ..CpioEntry::default()
    };
    end.encode()
}

/// The entries of one archive or of several concatenated ones, with their data.
#[derive(Debug)]
pub struct Entries<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Decodes archives in memory.
pub fn entries(bytes: &[u8]) -> Entries<'_> {
    Entries { bytes, at: 0 }
}

impl<'a> Entries<'a> {
    fn read(&mut self) -> Result<Option<(CpioEntry, &'a [u8])>, CpioError> {
        loop {
            while self.bytes.get(self.at) == Some(&0) {
                self.at += 1;
            }
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            if rest.is_empty() {
                return Ok(None);
            }
            let entry = CpioEntry::decode(rest)?;
            let data = (HEADER + entry.name.len() + 1).next_multiple_of(4);
            let size = usize::try_from(entry.size).map_err(|_| CpioError::Truncated)?;
            let end = data.checked_add(size).ok_or(CpioError::Truncated)?;
            let content = rest.get(data..end).ok_or(CpioError::Truncated)?;
            self.at += end.next_multiple_of(4);
            if entry.name != TRAILER {
                return Ok(Some((entry, content)));
            }
        }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(CpioEntry, &'a [u8]), CpioError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read();
        if read.is_err() {
            // After an error the start of the next entry is unknown: end the iteration.
            self.at = self.bytes.len();
        }
        read.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, data) in files {
            let entry = CpioEntry {
                name: name.clone(),
                mode: kind::FILE | 0o644,
                links: 1,
                size: u32::try_from(data.len()).unwrap(),
                ..CpioEntry::default()
            };
            bytes.extend(entry.encode());
            bytes.extend(data);
            bytes.resize(bytes.len() + entry.padding(), 0);
        }
        bytes.extend(trailer());
        bytes
    }

    #[test]
    fn archives_may_follow_each_other() {
        let mut bytes = archive(&[("first".into(), b"1".to_vec())]);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes.extend(archive(&[("second".into(), b"22".to_vec())]));
        let found: Vec<_> = entries(&bytes).map(|entry| entry.unwrap()).collect();
        assert_eq!(found[0].0.name, "first");
        assert_eq!(
            (found[1].0.name.as_str(), found[1].1),
            ("second", &b"22"[..])
        );
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_cut_archive_is_an_error() {
        let bytes = archive(&[("x".into(), vec![1; 100])]);
        let cut = entries(&bytes[..150]).last();
        assert_eq!(cut, Some(Err(CpioError::Truncated)));
    }

    proptest! {
        #[test]
        fn files_survive(files in proptest::collection::vec(("[a-z/]{1,30}", proptest::collection::vec(any::<u8>(), 0..50)), 0..8)) {
            let bytes = archive(&files);
            let found: Vec<_> = entries(&bytes).map(|entry| entry.map(|(e, d)| (e.name, d.to_vec()))).collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(found, files);
        }

        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), magic in any::<bool>()) {
            let bytes = if magic { [MAGIC, &bytes].concat() } else { bytes };
            assert!(entries(&bytes).count() < 300);
        }
    }
}
