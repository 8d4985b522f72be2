//! The command line of `corten ramdisk`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Ramdisk {
    /// Build kernel and ramdisk that machines are deployed with
    Build(Box<Build>),
}

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Build {
    /// Folder to write kernel, initramfs and manifest.json to
    #[arg(long, value_name = "DIR", default_value = "ramdisk")]
    pub output: PathBuf,
    #[command(flatten)]
    pub parts: Parts,
    /// The agent, as a static program for the architecture
    /// [default: corten-agent beside this program, or in ../lib/corten from there]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
    /// Certificates that the agent trusts besides those of Mozilla, as PEM; may be repeated
    #[arg(long, value_name = "FILE")]
    pub ca: Vec<PathBuf>,
    /// Public SSH key for user rescue; may be repeated
    #[arg(long, value_name = "FILE")]
    pub key: Vec<PathBuf>,
    /// Leave out all programs but the agent, and all certificates but those of --ca
    #[arg(long)]
    pub bare: bool,
    /// Also write a disc that UEFI boots, with these parameters for the kernel
    #[arg(long, value_name = "PARAMETERS", num_args = 0..=1, default_missing_value = "")]
    pub iso: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = IMAGE_HELP)]
pub struct BuildImage {
    /// Folder to write the images, kernel, initramfs and manifest.json to
    #[arg(long, value_name = "DIR", default_value = "image")]
    pub output: PathBuf,
    #[command(flatten)]
    pub parts: Parts,
    /// Format of the images; may be repeated
    #[arg(long, value_enum, default_value = "qcow2")]
    pub format: Vec<ImageFormat>,
    /// Parameters for the kernel besides root= and those of consoles
    #[arg(long, value_name = "PARAMETERS", default_value = "")]
    pub parameters: String,
    /// Room on the root filesystem for more than what is installed
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    pub free: u32,
    /// Public SSH key that root may log in with, besides those of config drives; may be repeated
    #[arg(long, value_name = "FILE")]
    pub key: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImageFormat {
    Raw,
    Qcow2,
}

impl ImageFormat {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Qcow2 => "qcow2",
        }
    }
}

/// What packages and files it is made of.
#[derive(Debug, Args)]
pub struct Parts {
    /// What kind of machines it is for
    #[arg(long, value_enum, default_value_t = Profile::Server)]
    pub profile: Profile,
    /// Architecture of the machines [default: that of this program]
    #[arg(long, value_enum)]
    pub arch: Option<Architecture>,
    /// Package with the kernel, by file or by name
    /// [default: linux-image-ARCH, for virt linux-image-cloud-ARCH]
    #[arg(long, value_name = "FILE|PACKAGE")]
    pub kernel: Option<String>,
    /// Package with firmware for devices, by file or by name; may be repeated
    #[arg(long, value_name = "FILE|PACKAGE")]
    pub firmware: Vec<String>,
    /// More modules: a name, or a folder such as drivers/net/wireguard/; may be repeated
    #[arg(long, value_name = "NAME|FOLDER/")]
    pub module: Vec<String>,
    /// Files of a package, with the libraries they need; may be repeated
    #[arg(long, value_name = "PACKAGE:/PATH,…")]
    pub tool: Vec<String>,
    /// A file of this machine; may be repeated
    #[arg(long, value_name = "/PATH=FILE")]
    pub file: Vec<String>,
    /// How the ramdisk is packed [default: xz, for virt gzip, which unpacks faster]
    #[arg(long, value_enum)]
    pub pack: Option<Pack>,
    /// Suite that apt prefers, such as bookworm-backports
    #[arg(long, value_name = "NAME")]
    pub suite: Option<String>,
    /// Folder of packages that were fetched already
    /// [default: corten-packages in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

impl Parts {
    pub(crate) fn architecture(&self) -> Architecture {
        self.arch.unwrap_or(Architecture::native())
    }

    pub(crate) fn packing(&self) -> Pack {
        self.pack.unwrap_or(match self.profile {
            Profile::Server => Pack::Xz,
            Profile::Virt => Pack::Gzip,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// Real machines: drivers of the usual servers
    Server,
    /// Virtual machines and tests: small, starts fast
    Virt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Architecture {
    Amd64,
    Arm64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Pack {
    None,
    Gzip,
    Xz,
}

impl Profile {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Virt => "virt",
        }
    }
}

impl Architecture {
    /// Debian's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }

    /// That of this program.
    pub fn native() -> Self {
        if cfg!(target_arch = "aarch64") {
            Self::Arm64
        } else {
            Self::Amd64
        }
    }
}

impl Pack {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Xz => "xz",
        }
    }
}

const HELP: &str = "\
Packages come from apt, which must be there but installs nothing; or all of them as files.
The same packages and the same agent give the same bytes.

Examples:
  corten ramdisk build --output /srv/ramdisk
  corten ramdisk build --firmware firmware-bnx2x --firmware firmware-qlogic
  corten ramdisk build --profile virt --kernel ./linux-image-6.1.0-54-cloud-amd64_6.1.190-1_amd64.deb
  corten ramdisk build --tool fio:/usr/bin/fio --tool stress-ng:/usr/bin/stress-ng
  corten ramdisk build --iso 'ipa-api-url=http://10.0.0.1:6385 console=ttyS0'";

const IMAGE_HELP: &str = "\
Writes disk.FORMAT, which BIOS and UEFI boot (arm64: UEFI), and partition.FORMAT, the root filesystem
alone, with kernel and initramfs beside them for machines that boot from the network. The system is
busybox and dropbear. At each start it takes its name, SSH keys and network from its config drive;
root logs in by key only.

Packages come from apt, which must be there but installs nothing. No root, mounts or loop devices are
needed. The same packages give the same bytes.

Examples:
  corten image build --output /srv/images/small
  corten image build --profile virt --format raw --format qcow2
  corten image build --profile virt --tool ethtool:/usr/sbin/ethtool --free 1024";
