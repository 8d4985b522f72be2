//! Config drives: text in base64, a file of it, or a folder to make one of.
//!
//! A folder becomes an ISO 9660 image by one of the usual programs, as the old client had it, which
//! is packed with gzip. The image is read from the program's output, within a limit, and never put
//! into a file of a name that others could guess.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::input;
use crate::old::Failure;

/// Programs that make images, with the words before the common ones.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("genisoimage", &[]),
    ("mkisofs", &[]),
    ("xorriso", &["-as", "genisoimage"]),
];
const PUBLISHER: &str = "ironicclient-configdrive 0.1";
/// The label by which systems find their config drive.
const LABEL: &str = "config-2";
/// Larger drives are refused by the service anyway.
const LARGEST: u64 = 64 << 20;

/// What to send for a config drive.
pub(super) fn read(word: &str) -> Result<Value, Failure> {
    let path = Path::new(word);
    if path.is_dir() {
        return made(path);
    }
    if path.is_file() {
        return Ok(input::config_drive(word)?);
    }
    Ok(word.into())
}

fn made(folder: &Path) -> Result<Value, Failure> {
    for (program, words) in PROGRAMS {
        let mut command = Command::new(program);
        command
            .args(*words)
            .args(["-ldots", "-allow-lowercase", "-allow-multidot", "-l"])
            .args(["-publisher", PUBLISHER, "-quiet", "-J", "-r", "-V", LABEL])
            .arg(folder);
        match image(&mut command) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(cannot(&error.to_string())),
            Ok(Err(told)) => return Err(cannot(&told)),
            Ok(Ok(image)) => return packed(&image).map_err(|error| cannot(&error.to_string())),
        }
    }
    Err(cannot("genisoimage, mkisofs or xorriso must be installed"))
}

fn cannot(why: &str) -> Failure {
    Failure::usage(format!("Error generating the config drive. {why}"))
}

/// The image a program writes to its output, or why there is none. What the program has to say it
/// says itself.
fn image(command: &mut Command) -> std::io::Result<Result<Vec<u8>, String>> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut image = Vec::new();
    if let Some(output) = child.stdout.take() {
        output.take(LARGEST + 1).read_to_end(&mut image)?;
    }
    let status = child.wait()?;
    if image.len() as u64 > LARGEST {
        return Ok(Err(format!("It is larger than {LARGEST} bytes.")));
    }
    Ok(match status.success() {
        true => Ok(image),
        false => Err(format!("The program ended with {status}.")),
    })
}

fn packed(image: &[u8]) -> std::io::Result<Value> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(image)?;
    Ok(BASE64_STANDARD.encode(packed.finish()?).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("openstack/latest")).unwrap();
        let file = folder.path().join("openstack/latest/meta_data.json");
        std::fs::write(file, "{}").unwrap();
        folder
    }

    #[test]
    fn words_are_sent_as_they_are_and_files_by_what_is_in_them() {
        assert_eq!(read("H4sIAAAA").unwrap(), Value::from("H4sIAAAA"));
        let folder = folder();
        let file = folder.path().join("drive.gz");
        std::fs::write(&file, b"\x1f\x8b\x08rest").unwrap();
        let expected = BASE64_STANDARD.encode(b"\x1f\x8b\x08rest");
        assert_eq!(read(file.to_str().unwrap()).unwrap(), Value::from(expected));
    }

    /// Where no program is installed that makes images, the error must name one.
    #[test]
    fn a_folder_becomes_an_image_with_the_right_label() {
        let folder = folder();
        match read(folder.path().to_str().unwrap()) {
            Err(failure) => assert!(failure.text().contains("genisoimage"), "{}", failure.text()),
            Ok(drive) => {
                let packed = BASE64_STANDARD.decode(drive.as_str().unwrap()).unwrap();
                let mut image = Vec::new();
                GzDecoder::new(&packed[..]).read_to_end(&mut image).unwrap();
                assert_eq!(&image[0x8001..0x8006], b"CD001");
                assert!(image[0x8028..].starts_with(LABEL.as_bytes()));
            }
        }
    }

    #[test]
    fn a_program_that_fails_is_told_from_one_that_is_not_there() {
        let missing = image(&mut Command::new("no-such-program-anywhere"));
        assert_eq!(missing.unwrap_err().kind(), std::io::ErrorKind::NotFound);
        let failing = image(&mut Command::new("false")).unwrap();
        assert!(failing.unwrap_err().contains("ended with"));
        let image = image(Command::new("echo").arg("image")).unwrap();
        assert_eq!(image.unwrap(), b"image\n");
    }
}
