//! Reading tar archives as packages hold them: POSIX and GNU headers, long names of both kinds.
//!
//! Hard links and devices are left out: no package that goes into a ramdisk has any.

use anyhow::{Context as _, bail};
use std::io::{self, Read};

const BLOCK: usize = 512;
/// A name longer than this is no name.
const LONGEST_NAME: u64 = 64 << 10;

/// What stands before the data of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Without `./` at its start and a slash at its end.
    pub(super) path: String,
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Link(String),
    Other,
}

/// Shows every entry to `visit`, which may read its data or leave them.
pub(super) fn each(
    mut source: impl Read,
    mut visit: impl FnMut(&Header, &mut dyn Read) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (mut long_path, mut long_link) = (None, None);
    loop {
        let mut block = [0; BLOCK];
        source
            .read_exact(&mut block)
            .context("the archive is truncated")?;
        if block.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let size = number(&block[124..136]).context("invalid size of an archive entry")?;
        let padding = size.wrapping_neg() % BLOCK as u64;
        let mut data = (&mut source).take(size);
        match block[156] {
            b'L' => long_path = Some(name(&mut data)?),
            b'K' => long_link = Some(name(&mut data)?),
            b'x' => {
                for (key, value) in extended(&name(&mut data)?) {
                    match key {
                        "path" => long_path = Some(value.to_owned()),
                        "linkpath" => long_link = Some(value.to_owned()),
                        _ => {}
                    }
                }
            }
            b'g' => {}
            kind => {
                let path = long_path.take().unwrap_or_else(|| short_path(&block));
                let target = long_link.take().unwrap_or_else(|| text(&block[157..257]));
                let header = Header {
                    path: plain(&path)?,
                    mode: u32::try_from(number(&block[100..108]).unwrap_or(0))? & 0o7777,
                    size,
                    kind: match kind {
                        b'0' | 0 => EntryKind::File,
                        b'5' => EntryKind::Folder,
                        b'2' => EntryKind::Link(target),
                        _ => EntryKind::Other,
                    },
                };
                visit(&header, &mut data).with_context(|| header.path.clone())?;
            }
        }
        io::copy(&mut data, &mut io::sink())?;
        let left = data.limit();
        if left > 0 {
            bail!("the archive is truncated");
        }
        io::copy(&mut (&mut source).take(padding), &mut io::sink())?;
    }
}

/// A path that stays inside.
fn plain(path: &str) -> anyhow::Result<String> {
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    if parts.contains(&"..") {
        bail!("the archive has a path outside its root: {path}");
    }
    Ok(parts.join("/"))
}

fn name(data: &mut io::Take<impl Read>) -> anyhow::Result<String> {
    if data.limit() > LONGEST_NAME {
        bail!("the archive has a name of {} bytes", data.limit());
    }
    let mut bytes = Vec::new();
    data.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes)
        .trim_end_matches('\0')
        .to_owned())
}

/// Lines of `LENGTH KEY=VALUE`.
fn extended(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .filter_map(|line| line.split_once(' ')?.1.split_once('='))
}

fn short_path(block: &[u8; BLOCK]) -> String {
    let name = text(&block[..100]);
    let prefix = if &block[257..262] == b"ustar" && block[262] == 0 {
        text(&block[345..500])
    } else {
        String::new()
    };
    if prefix.is_empty() {
        name
    } else {
        format!("{prefix}/{name}")
    }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&field[..end.unwrap_or(field.len())]).into_owned()
}

fn number(field: &[u8]) -> Option<u64> {
    u64::from_str_radix(text(field).trim(), 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(path: &str, kind: u8, size: usize) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[..path.len()].copy_from_slice(path.as_bytes());
        block[100..107].copy_from_slice(b"0000755");
        block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
        block[156] = kind;
        block[157..160].copy_from_slice(b"a/b");
        block
    }

    fn padded(data: &[u8]) -> Vec<u8> {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(BLOCK), 0);
        data
    }

    fn read(archive: &[u8]) -> anyhow::Result<Vec<(Header, Vec<u8>)>> {
        let mut entries = Vec::new();
        each(archive, |header, data| {
            let mut bytes = Vec::new();
            data.read_to_end(&mut bytes)?;
            entries.push((header.clone(), bytes));
            Ok(())
        })?;
        Ok(entries)
    }

    #[test]
    fn files_folders_links_and_long_names() {
        let long = "x/".repeat(120);
        let archive = [
            block("./d/", b'5', 0),
            block("./d/f", b'0', 5),
            padded(b"hello"),
            block("././@LongLink", b'L', long.len()),
            padded(long.as_bytes()),
            block("short", b'2', 0),
            block("pax", b'x', 14),
            padded(b"14 path=other\n"),
            block("wrong", b'0', 0),
            vec![0; BLOCK * 2],
        ]
        .concat();
        let entries = read(&archive).unwrap();
        let paths: Vec<&str> = entries.iter().map(|(header, _)| &*header.path).collect();
        assert_eq!(paths, ["d", "d/f", long.trim_end_matches('/'), "other"]);
        assert_eq!(entries[1].1, b"hello");
        assert_eq!(entries[1].0.mode, 0o755);
        assert_eq!(entries[2].0.kind, EntryKind::Link("a/b".to_owned()));
        assert_eq!(entries[0].0.kind, EntryKind::Folder);
    }

    #[test]
    fn what_is_cut_or_leads_outside_is_refused() {
        let archive = [block("f", b'0', 5), padded(b"hello")].concat();
        assert!(read(&archive).is_err());
        assert!(read(&archive[..600]).is_err());
        let outside = [block("../f", b'0', 0), vec![0; BLOCK]].concat();
        assert!(read(&outside).unwrap_err().to_string().contains("outside"));
    }
}
