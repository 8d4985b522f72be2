//! Images of filesystems, written from their layout.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use crate::ImageError;
use proto::volume::Segment;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Where the external files of a layout are.
pub type Files = BTreeMap<String, PathBuf>;

/// Writes an image. A file that is no longer as long as it was when the layout was made is an error.
pub fn write(segments: &[Segment], files: &Files, out: &mut dyn Write) -> Result<(), ImageError> {
    let failed = || ImageError::write("the medium");
    for segment in segments {
        match segment {
            Segment::Bytes(bytes) => out.write_all(bytes).map_err(failed())?,
            Segment::Zeros(length) => {
                io::copy(&mut io::repeat(0).take(*length), out).map_err(failed())?;
            }
            Segment::File { path, length } => {
                let path = files.get(path).map_or(Path::new(path), PathBuf::as_path);
                copy(path, *length, out)?;
            }
        }
    }
    Ok(())
}

fn copy(path: &Path, length: u64, out: &mut dyn Write) -> Result<(), ImageError> {
    let image = || path.display().to_string();
    let unreadable = |source| ImageError::Read {
        image: image(),
        source,
    };
    let mut file = File::open(path).map_err(unreadable)?;
    // One byte more than wanted shows a file that has grown.
    let mut limited = Read::by_ref(&mut file).take(length);
    let copied = io::copy(&mut limited, out).map_err(ImageError::write("the medium"))?;
    let more = file.read(&mut [0; 1]).map_err(unreadable)?;
    if copied != length || more > 0 {
        return Err(ImageError::Changed {
            image: image(),
            what: "its size is another one",
        });
    }
    Ok(())
}

/// Writes an image to a new file, which is only there under its name when it is complete.
pub fn write_file(segments: &[Segment], files: &Files, path: &Path) -> Result<(), ImageError> {
    let failed = || ImageError::write(path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder).map_err(failed())?;
    for segment in segments {
        let file = temporary.as_file_mut();
        match segment {
            // A new file reads as zeros where nothing was written.
            Segment::Zeros(length) => {
                let ahead = i64::try_from(*length).unwrap_or(i64::MAX);
                file.seek(SeekFrom::Current(ahead)).map_err(failed())?;
            }
            other => write(std::slice::from_ref(other), files, file)?,
        }
    }
    let length = segments.iter().map(Segment::length).sum();
    temporary.as_file().set_len(length).map_err(failed())?;
    temporary.as_file().sync_all().map_err(failed())?;
    // Readable for the server that hands it out.
    let readable = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    temporary
        .as_file()
        .set_permissions(readable)
        .map_err(failed())?;
    temporary
        .persist(path)
        .map_err(|error| failed()(error.error))?;
    Ok(())
}
