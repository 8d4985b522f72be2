//! As much of ELF as tells what a kernel module or a program needs.
//!
//! Only 64-bit little-endian files, which all our machines have. Every offset is checked: the files
//! come from packages that somebody named on the command line.

/// What a program or library needs of others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Names of libraries.
    pub(super) libraries: Vec<String>,
    /// The loader, with a slash at its start.
    pub(super) loader: Option<String>,
}

const DYNAMIC_NEEDED: u64 = 1;

/// The strings `key=value` that a module says of itself.
pub(super) fn modinfo(file: &[u8]) -> Option<Vec<(String, String)>> {
    let (section, _) = section(file, ".modinfo")?;
    let strings = section.split(|byte| *byte == 0);
    let pairs = strings.filter_map(|text| {
        let text = std::str::from_utf8(text).ok()?;
        let (key, value) = text.split_once('=')?;
        Some((key.to_owned(), value.to_owned()))
    });
    Some(pairs.collect())
}

/// `None` if this is no program or library.
pub(super) fn needs(file: &[u8]) -> Option<Needs> {
    file.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let loader = section(file, ".interp")
        .map(|(bytes, _)| String::from_utf8_lossy(bytes).trim_end_matches('\0').into());
    let mut libraries = Vec::new();
    if let Some((entries, link)) = section(file, ".dynamic") {
        let (names, _) = section_at(file, link)?;
        let (entries, _) = entries.as_chunks::<16>();
        for entry in entries {
            if u64_at(entry, 0)? == DYNAMIC_NEEDED {
                let name = names.get(index(u64_at(entry, 8)?)?..)?;
                libraries.push(text(name));
            }
        }
    }
    Some(Needs { libraries, loader })
}

/// Contents of a section, and the section it points to.
fn section<'a>(file: &'a [u8], wanted: &str) -> Option<(&'a [u8], usize)> {
    file.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let count = usize::from(u16_at(file, 60)?);
    let (names, _) = section_at(file, usize::from(u16_at(file, 62)?))?;
    (0..count).find_map(|number| {
        let header = header(file, number)?;
        let name = names.get(index(u32_at(header, 0)?.into())?..)?;
        (text(name) == wanted).then(|| section_at(file, number))?
    })
}

fn section_at(file: &[u8], number: usize) -> Option<(&[u8], usize)> {
    let header = header(file, number)?;
    let start = index(u64_at(header, 24)?)?;
    let size = index(u64_at(header, 32)?)?;
    let bytes = file.get(start..start.checked_add(size)?)?;
    Some((bytes, index(u32_at(header, 40)?.into())?))
}

fn header(file: &[u8], number: usize) -> Option<&[u8]> {
    let table = index(u64_at(file, 40)?)?;
    let size = usize::from(u16_at(file, 58)?);
    let start = table.checked_add(number.checked_mul(size)?)?;
    file.get(start..start.checked_add(size)?)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

fn index(value: u64) -> Option<usize> {
    usize::try_from(value).ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn this_very_test_needs_the_c_library() {
        let file = std::fs::read("/proc/self/exe").unwrap();
        let needs = needs(&file).unwrap();
        let libraries = &needs.libraries;
        assert!(libraries.contains(&"libc.so.6".to_owned()), "{needs:?}");
        assert!(needs.loader.unwrap().starts_with('/'));
        assert_eq!(modinfo(&file), None);
    }

    #[test]
    fn a_module_says_what_it_is() {
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        let strings = b"\0.modinfo\0alias=pci:v1*\0depends=a,b\0";
        file.extend(strings);
        let table = file.len();
        file[40..48].copy_from_slice(&(table as u64).to_le_bytes());
        file[58] = 64;
        file[60] = 1;
        let mut header = vec![0; 64];
        header[0] = 1;
        header[24] = 64;
        header[32] = u8::try_from(strings.len()).unwrap();
        file.extend(header);
        let found = modinfo(&file).unwrap();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(found, [pair("alias", "pci:v1*"), pair("depends", "a,b")]);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(rest in prop::collection::vec(any::<u8>(), 0..300)) {
            let file = [&b"\x7fELF\x02\x01"[..], &rest].concat();
            let _ = (modinfo(&file), needs(&file));
        }
    }
}
