//! The command line of `corten image`.

use super::Format;
use clap::{Args, Subcommand};
use image::checksum::Algorithm;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Image {
    /// Tell what an image is, and whether machines would boot from it
    Inspect(Inspect),
    /// Make images to install machines with, from packages of Debian
    Build(Box<ramdisk::BuildImage>),
}

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Inspect {
    /// Image: of a disk, a partition or a disc, or a kernel or ramdisk
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Also print a checksum, as image_checksum takes it: md5, sha1, sha224, sha256, sha384 or
    /// sha512; may be repeated. Reads the whole file
    #[arg(long, value_name = "ALGORITHM")]
    pub checksum: Vec<Algorithm>,
    /// How it is printed
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

const HELP: &str = "\
Only headers, tables and the folders of EFI system partitions are read, unless a checksum is asked
for. Whether the image would be accepted is decided by the service's own rules, as they are without
configuration. Ends with 1 if it would be refused.

Examples:
  corten image inspect debian-12.qcow2
  corten image inspect debian-12.qcow2 --checksum sha256 --format json";
