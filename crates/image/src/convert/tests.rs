//! Images of every kind, over connections that break.

use super::*;
use crate::{
    checksum::{Algorithm, Hasher},
    lab::{Served, Server, disk, http},
    sink::DiskSink,
    source::MemorySource,
};
use flate2::{Compression, write::GzEncoder};
use std::{
    collections::VecDeque,
    io::{Seek, Write},
    sync::{Arc, Mutex},
};

/// A disk in memory, full of what an earlier owner left.
struct Old(Vec<u8>);

impl Old {
    fn disk(size: usize) -> Self {
        Self(vec![0xaa; size])
    }
}

impl Sink for Old {
    fn capacity(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
    fn write_at(&mut self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        let at = usize::try_from(offset).unwrap();
        self.0[at..at + data.len()].copy_from_slice(data);
        Ok(())
    }
    fn zero(&mut self, offset: u64, length: u64) -> std::io::Result<()> {
        let at = usize::try_from(offset).unwrap();
        self.0[at..at + usize::try_from(length).unwrap()].fill(0);
        Ok(())
    }
    fn finish(&mut self, _: u64) -> std::io::Result<()> {
        Ok(())
    }
}

fn sum(bytes: &[u8]) -> Checksum {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    Checksum::parse(&hasher.finish(), None, false).unwrap()
}

fn checked(bytes: &[u8]) -> Options {
    Options {
        checksum: Some(sum(bytes)),
        ..Options::default()
    }
}

fn go(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[tokio::main]
async fn over_http(
    server: &Server,
    options: Options,
    size: usize,
) -> Result<(Written, Vec<u8>), ImageError> {
    let source = http(|_| {}).open(&server.url("image")).await?;
    tokio::task::spawn_blocking(move || {
        let mut old = Old::disk(size);
        let written = write(&source, &mut old, &options, &mut go)?;
        Ok((written, old.0))
    })
    .await
    .unwrap()
}

#[test]
fn a_raw_image_replaces_what_was_there() {
    let image = disk(3_000_001, 1);
    let mut old = Old::disk(4_000_000);
    let written = write(
        &MemorySource::new(image.clone()),
        &mut old,
        &checked(&image),
        &mut go,
    )
    .unwrap();
    assert!(old.0[..image.len()] == image);
    assert!(old.0[image.len()..].iter().all(|byte| *byte == 0xaa));
    assert_eq!(written.image_bytes, 3_000_001);
    assert!(
        written.data_bytes < written.image_bytes,
        "zeros are not written"
    );
}

#[test]
fn a_file_gets_holes() {
    let mut file = tempfile::tempfile().unwrap();
    let mut image = vec![0; 8 << 20];
    image[5 << 20] = 1;
    let mut sink = DiskSink::of(file.try_clone().unwrap()).unwrap();
    write(
        &MemorySource::new(image.clone()),
        &mut sink,
        &Options::default(),
        &mut go,
    )
    .unwrap();
    let mut found = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut found).unwrap();
    assert!(found == image);
    let blocks = std::os::unix::fs::MetadataExt::blocks(&file.metadata().unwrap());
    assert!(blocks * 512 < 2 << 20, "{blocks} blocks");
}

#[test]
fn what_is_wrong_is_refused() {
    let image = disk(2 << 20, 2);
    let refused = |bytes: &[u8], options: &Options| {
        write(
            &MemorySource::new(bytes.to_vec()),
            &mut Old::disk(1 << 20),
            options,
            &mut go,
        )
        .unwrap_err()
    };
    assert!(matches!(
        refused(&image, &Options::default()),
        ImageError::DoesNotFit {
            needed: 2_097_152,
            ..
        }
    ));
    assert!(matches!(
        refused(&gzip(&image), &Options::default()),
        ImageError::DoesNotFit { .. }
    ));
    let small = &image[..1 << 20];
    assert!(matches!(
        refused(small, &checked(&image)),
        ImageError::Checksum { .. }
    ));
    let limited = Options {
        most_bytes: Some(1000),
        ..Options::default()
    };
    assert!(matches!(
        refused(small, &limited),
        ImageError::TooLarge { limit: 1000, .. }
    ));
    assert!(matches!(
        refused(&gzip(small), &limited),
        ImageError::TooLarge { limit: 1000, .. }
    ));
    let declared = Options {
        declared: Some("qcow2".into()),
        ..Options::default()
    };
    assert!(matches!(
        refused(small, &declared),
        ImageError::WrongFormat { .. }
    ));
    assert!(matches!(
        refused(&gzip(small), &declared),
        ImageError::WrongFormat { .. }
    ));
    let mut cut = gzip(small);
    cut.truncate(cut.len() - 5);
    assert!(matches!(
        refused(&cut, &Options::default()),
        ImageError::Packed { .. }
    ));
    assert!(matches!(
        refused(b"BZh91AY&SY", &Options::default()),
        ImageError::Unsupported { .. }
    ));
    assert!(matches!(
        refused(b"conectix", &Options::default()),
        ImageError::NotPermitted { .. }
    ));
    let nested = gzip(b"QFI\xfb\0\0\0\x02");
    assert!(matches!(
        refused(&nested, &Options::default()),
        ImageError::Unsafe { .. }
    ));
}

#[test]
fn the_writing_can_be_stopped() {
    let image = disk(4 << 20, 3);
    let seen = Arc::new(Mutex::new(0));
    let told = seen.clone();
    let stopped = write(
        &MemorySource::new(image),
        &mut Old::disk(4 << 20),
        &Options::default(),
        &mut move |progress| {
            *told.lock().unwrap() = progress.done;
            assert_eq!(progress.total, Some(4 << 20));
            if progress.done > 2 << 20 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    );
    assert!(matches!(stopped, Err(ImageError::Stopped { .. })));
    assert!(*seen.lock().unwrap() < 4 << 20);
}

/// Offsets that are the same in every run, and spread over the image.
fn cuts(count: usize, size: usize) -> VecDeque<usize> {
    let mut seed = 12345u64;
    (0..count)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(seed >> 33).unwrap() % (2 * size / count) + 1
        })
        .collect()
}

#[test]
fn fifty_cuts_do_no_harm() {
    let image = disk(5 << 20, 4);
    for bytes in [image.clone(), gzip(&image)] {
        for served in [
            Served::default(),
            Served {
                etag: None,
                ..Served::default()
            },
            Served {
                etag: Some("W/\"weak\"".into()),
                ..Served::default()
            },
            Served {
                etag: None,
                modified: None,
                ..Served::default()
            },
        ] {
            let cuts = cuts(50, bytes.len());
            let server = Server::start(Served {
                bytes: bytes.clone(),
                cuts,
                ..served
            });
            let (_, found) = over_http(&server, checked(&bytes), image.len()).unwrap();
            assert!(found == image);
            assert!(server.requests().len() > 20, "{}", server.requests().len());
        }
    }
}

#[test]
fn a_server_without_ranges_starts_again() {
    let image = disk(1 << 20, 5);
    let server = Server::start(Served {
        bytes: image.clone(),
        ranges: false,
        // The question for the first byte is answered with all of them.
        cuts: VecDeque::from([5, 500_000, 900_000]),
        ..Served::default()
    });
    let (_, found) = over_http(&server, checked(&image), image.len()).unwrap();
    assert!(found == image);
    assert_eq!(server.downloads(), 3);
}

#[test]
fn another_image_is_not_mixed_with_the_first() {
    let (image, other) = (disk(1 << 20, 6), disk(1 << 20, 7));
    for (before, after) in [
        (
            Served::default(),
            Served {
                etag: Some("\"two\"".into()),
                ..Served::default()
            },
        ),
        (
            Served {
                etag: None,
                ..Served::default()
            },
            Served {
                etag: None,
                modified: Some("Mon, 05 Oct 2020 10:00:01 GMT".into()),
                ..Served::default()
            },
        ),
    ] {
        let later = Served {
            bytes: other.clone(),
            ..after
        };
        let server = Server::start(Served {
            bytes: image.clone(),
            cuts: VecDeque::from([600_000]),
            later: Some((2, Box::new(later))),
            ..before
        });
        let refused = over_http(&server, Options::default(), image.len()).unwrap_err();
        assert!(matches!(refused, ImageError::Changed { .. }), "{refused}");
    }
}

#[test]
fn a_short_image_is_refused() {
    let image = disk(1 << 20, 8);
    let server = Server::start(Served {
        bytes: image.clone(),
        etag: None,
        modified: None,
        cuts: VecDeque::from([700_000]),
        later: Some((
            2,
            Box::new(Served {
                bytes: image[..800_000].to_vec(),
                etag: None,
                modified: None,
                ..Served::default()
            }),
        )),
        ..Served::default()
    });
    let refused = over_http(&server, Options::default(), image.len()).unwrap_err();
    assert!(matches!(refused, ImageError::Changed { .. }), "{refused}");
    // The server stops for good.
    let server = Server::start(Served {
        bytes: image.clone(),
        cuts: VecDeque::from([700_000, 0, 0, 0, 0, 0]),
        ..Served::default()
    });
    let refused = over_http(&server, Options::default(), image.len()).unwrap_err();
    assert!(refused.is_transient(), "{refused}");
}

#[test]
fn servers_that_are_busy_are_asked_again() {
    let image = disk(100_000, 9);
    let server = Server::of(image.clone());
    server.change(|served| served.failures = VecDeque::from([503, 500]));
    let (_, found) = over_http(&server, checked(&image), image.len()).unwrap();
    assert!(found == image);
    for status in [403, 404] {
        server.change(|served| served.failures = VecDeque::from([status]));
        let before = server.requests().len();
        let refused = over_http(&server, Options::default(), image.len()).unwrap_err();
        assert!(matches!(refused, ImageError::Status { status: found, .. } if found == status));
        assert_eq!(server.requests().len(), before + 1);
    }
}

#[test]
fn an_image_of_unknown_length_is_read_to_its_end() {
    let image = disk(300_000, 10);
    let server = Server::start(Served {
        bytes: image.clone(),
        ranges: false,
        announce_length: false,
        ..Served::default()
    });
    let (written, found) = over_http(&server, checked(&image), image.len()).unwrap();
    assert!(found == image);
    assert_eq!(written.source_bytes, 300_000);
}

#[test]
fn credentials_stay_with_their_host() {
    let image = disk(1000, 11);
    let target = Server::of(image.clone());
    let first = Server::start(Served {
        redirect: Some(target.url("elsewhere")),
        ..Served::default()
    });
    let ask = |server: &Server, hosts: Vec<String>| {
        let url = server.url("image");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let client = http(|settings| {
            settings.credentials = Some(crate::source::Credentials {
                user: "u".into(),
                password: "p".into(),
                hosts,
            });
        });
        runtime.block_on(client.open(&url)).map(|_| ())
    };
    ask(&first, vec![]).unwrap();
    assert!(first.requests()[0].contains("authorization: basic"));
    assert!(!target.requests()[0].contains("authorization"));
    ask(&target, vec!["elsewhere.example".into()]).unwrap();
    assert!(!target.requests()[1].contains("authorization"));
}

/// A disk that only looks at where it is written to.
struct Counting {
    end: u64,
}

impl Counting {
    const CAPACITY: u64 = 1 << 30;

    fn reach(&mut self, offset: u64, length: u64) -> std::io::Result<()> {
        self.end = self.end.max(offset + length);
        assert!(self.end <= Self::CAPACITY);
        Ok(())
    }
}

impl Sink for Counting {
    fn capacity(&self) -> Option<u64> {
        Some(Self::CAPACITY)
    }
    fn write_at(&mut self, offset: u64, data: &[u8]) -> std::io::Result<()> {
        self.reach(offset, data.len() as u64)
    }
    fn zero(&mut self, offset: u64, length: u64) -> std::io::Result<()> {
        self.reach(offset, length)
    }
    fn finish(&mut self, length: u64) -> std::io::Result<()> {
        assert_eq!(self.end, length);
        Ok(())
    }
}

/// What the fuzzer does for longer: images of every format, each with some bytes changed.
#[test]
fn damaged_images_do_no_harm() {
    let seeds = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/image");
    let rounds = std::env::var("CORTEN_FUZZ_ROUNDS").map_or(40, |rounds| rounds.parse().unwrap());
    let mut seed = 99u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let options = Options {
        most_bytes: Some(16 << 20),
        table_memory: 1 << 20,
        ..Options::default()
    };
    for file in std::fs::read_dir(seeds).unwrap() {
        let good = std::fs::read(file.unwrap().path()).unwrap();
        write(
            &MemorySource::new(good.clone()),
            &mut Counting { end: 0 },
            &options,
            &mut go,
        )
        .unwrap();
        for _ in 0..rounds {
            let mut bad = good.clone();
            for _ in 0..=random(4) {
                // Headers and tables are near the start.
                let reach = [120, 600, 2048, bad.len()][random(4)].min(bad.len());
                let at = random(reach);
                bad[at] = [0, 1, 0x7f, 0x80, 0xff, u8::try_from(random(256)).unwrap()][random(6)];
            }
            if random(5) == 0 {
                bad.truncate(random(bad.len()));
            }
            let _ = write(
                &MemorySource::new(bad),
                &mut Counting { end: 0 },
                &options,
                &mut go,
            );
        }
    }
}
