//! Streams that the usual programs packed.

use super::{have, run};
use crate::{
    ImageError,
    checksum::Checksum,
    convert::{Options, write},
    lab::disk,
    sink::DiskSink,
    source::FileSource,
};
use std::{fs, ops::ControlFlow, path::Path};

fn unpack(path: &Path) -> Result<Vec<u8>, ImageError> {
    let out = tempfile::NamedTempFile::new().unwrap();
    let mut sink = DiskSink::open(out.path()).unwrap();
    // Checksums are those of the packed file, and taken by another program.
    let sum = super::text("sha512sum", [path]);
    let options = Options {
        checksum: Some(Checksum::parse(&sum[..128], None, false).unwrap()),
        ..Options::default()
    };
    let source = FileSource::open(path).unwrap();
    write(&source, &mut sink, &options, &mut |_| {
        ControlFlow::Continue(())
    })?;
    Ok(fs::read(out.path()).unwrap())
}

#[test]
fn every_packer_is_understood() {
    if !have(&["gzip", "xz", "zstd", "sha512sum"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (disk(1_500_000, 20), disk(300_001, 21));
    for (name, bytes) in [("a", &first), ("b", &second)] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let whole = [first, second].concat();
    for (program, options) in [
        ("gzip", &["-1"][..]),
        ("gzip", &["-9"]),
        ("xz", &["-0"]),
        ("xz", &["-9", "--check=sha256"]),
        ("xz", &["-6", "--block-size=100000", "--check=crc32"]),
        ("zstd", &["-1", "-q"]),
        ("zstd", &["-19", "-q", "--long=27"]),
        ("zstd", &["-3", "-q", "--no-check"]),
    ] {
        // Two streams one after the other, as parallel packers and `cat` make them.
        let pack = |name: &str| {
            let file = folder.path().join(name);
            let arguments = options
                .iter()
                .map(|o| o.to_string())
                .chain(["-c".into(), file.display().to_string()]);
            run(program, arguments)
        };
        let packed = folder.path().join("packed");
        fs::write(&packed, [pack("a"), pack("b")].concat()).unwrap();
        assert!(unpack(&packed).unwrap() == whole, "{program} {options:?}");
    }
}

#[test]
fn damage_is_noticed() {
    if !have(&["gzip", "xz", "zstd", "sha512sum"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, disk(2_000_000, 22)).unwrap();
    for program in ["gzip", "xz", "zstd"] {
        let good = run(program, ["-c".as_ref(), plain.as_os_str()]);
        let packed = folder.path().join("packed");
        for damage in [good.len() / 2, good.len() - 3] {
            let mut bad = good.clone();
            bad[damage] ^= 0x40;
            fs::write(&packed, &bad).unwrap();
            assert!(unpack(&packed).is_err(), "{program}: byte {damage} changed");
            fs::write(&packed, &good[..damage]).unwrap();
            assert!(unpack(&packed).is_err(), "{program}: cut at {damage}");
        }
    }
}
