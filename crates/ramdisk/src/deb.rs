//! Debian packages, read without the tools of Debian.
//!
//! A package is an `ar` archive of two tar archives: what it says of itself, and its files.

use super::tar::{self, Header};
use anyhow::{Context as _, bail};
use image::{Packing, unpack::unpacked};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};
use types::hex;

const MAGIC: &[u8] = b"!<arch>\n";
const MEMBER: usize = 60;

/// A package file.
#[derive(Debug, Clone)]
pub(super) struct Package {
    path: PathBuf,
    /// Start and length of each member, by name.
    members: BTreeMap<String, (u64, u64)>,
    fields: BTreeMap<String, String>,
}

impl Package {
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let about = || format!("cannot read {} as a Debian package", path.display());
        let members = members(path).with_context(about)?;
        let mut package = Self {
            path: path.to_owned(),
            members,
            fields: BTreeMap::new(),
        };
        let mut text = String::new();
        package
            .each("control.tar", |header, data| {
                if header.path == "control" {
                    data.read_to_string(&mut text)?;
                }
                Ok(())
            })
            .with_context(about)?;
        let fields = text.lines().filter_map(|line| line.split_once(": "));
        package.fields = fields
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        if package.field("Package").is_empty() {
            bail!("{} has no package name", path.display());
        }
        Ok(package)
    }

    pub(super) fn name(&self) -> &str {
        self.field("Package")
    }

    pub(super) fn version(&self) -> &str {
        self.field("Version")
    }

    pub(super) fn architecture(&self) -> &str {
        self.field("Architecture")
    }

    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// What it depends on, of alternatives the first.
    pub(super) fn depends(&self) -> Vec<String> {
        let all = [self.field("Pre-Depends"), self.field("Depends")].join(",");
        let names = all.split(',').filter_map(|group| {
            let first = group.split('|').next()?.trim();
            let name = first.split([' ', '(', ':']).next()?;
            (!name.is_empty()).then(|| name.to_owned())
        });
        names.collect()
    }

    /// Shows every file of the package.
    pub(super) fn each_file(
        &self,
        visit: impl FnMut(&Header, &mut dyn Read) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.each("data.tar", visit)
            .with_context(|| format!("cannot read {}", self.path.display()))
    }

    /// The hash of the package file, for reproducible builds.
    pub(super) fn sha256(&self) -> anyhow::Result<String> {
        file_sha256(&self.path)
    }

    fn each(
        &self,
        stem: &str,
        visit: impl FnMut(&Header, &mut dyn Read) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let found = self
            .members
            .iter()
            .find_map(|(name, place)| Some((name.strip_prefix(stem)?, *place)));
        let (packing, (start, length)) =
            found.with_context(|| format!("the package has no {stem}"))?;
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(start))?;
        let source = BufReader::new(file).take(length);
        let packing = match packing {
            "" => return tar::each(source, visit),
            ".gz" => Packing::Gzip,
            ".xz" => Packing::Xz,
            ".zst" => Packing::Zstd,
            other => bail!("unknown compression of {stem}: {other}"),
        };
        let source = unpacked(packing, source).context("cannot start the decompressor")?;
        tar::each(source, visit)
    }
}

/// The hash of a file, of any size.
pub(super) fn file_sha256(path: &Path) -> anyhow::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut HashWriter(&mut hash))?;
    Ok(hex::encode(&hash.finalize()))
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn members(path: &Path) -> anyhow::Result<BTreeMap<String, (u64, u64)>> {
    let mut file = File::open(path)?;
    let mut magic = [0; 8];
    file.read_exact(&mut magic)?;
    if magic != MAGIC {
        bail!("not a Debian package");
    }
    let end = file.metadata()?.len();
    let mut members = BTreeMap::new();
    let mut at = MAGIC.len() as u64;
    while at < end {
        let mut header = [0; MEMBER];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut header)?;
        let name = String::from_utf8_lossy(&header[..16]);
        let name = name.trim_end().trim_end_matches('/').to_owned();
        let size = String::from_utf8_lossy(&header[48..58]);
        let size: u64 = size
            .trim_end()
            .parse()
            .context("invalid size of an archive member")?;
        let start = at + MEMBER as u64;
        if start.checked_add(size).is_none_or(|after| after > end) {
            bail!("the package is truncated");
        }
        members.insert(name, (start, size));
        at = (start + size).next_multiple_of(2);
    }
    Ok(members)
}
