//! Images that qemu-img made, compared with what qemu-img makes of them.

use super::{have, run};
use crate::{
    ImageError,
    convert::{Options, write},
    lab::{Served, Server, disk, http},
    sink::DiskSink,
    source::{FileSource, Source},
};
use std::{
    collections::VecDeque,
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

fn convert(source: &dyn Source, to: &Path, options: &Options) -> Result<(), ImageError> {
    // Whatever was on the disk must go.
    let size = source.read_at(24, 8).unwrap();
    let size = u64::from_be_bytes(size.try_into().unwrap());
    fs::write(to, vec![0xaa; usize::try_from(size).unwrap()]).unwrap();
    let mut sink = DiskSink::open(to).unwrap();
    write(source, &mut sink, options, &mut |_| {
        ControlFlow::Continue(())
    })?;
    Ok(())
}

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("raw"), disk(5 * 1024 * 1024 + 1536, 30)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An image of the raw disk, by `qemu-img convert` with these options.
    fn image(&self, options: &[&str]) -> PathBuf {
        let image = self.path("image.qcow2");
        let _ = fs::remove_file(&image);
        let mut arguments = vec!["convert", "-f", "raw", "-O", "qcow2"];
        arguments.extend(options);
        let (raw, to) = (self.path("raw"), image.clone());
        arguments.extend([raw.to_str().unwrap(), to.to_str().unwrap()]);
        run("qemu-img", arguments);
        image
    }

    /// Ours against what qemu-img says the image holds.
    #[track_caller]
    fn same(&self, image: &Path, what: &str) {
        let ours = self.path("ours");
        convert(
            &FileSource::open(image).unwrap(),
            &ours,
            &Options::default(),
        )
        .unwrap();
        let compare = [
            "compare",
            "-f",
            "raw",
            "-F",
            "qcow2",
            ours.to_str().unwrap(),
            image.to_str().unwrap(),
        ];
        let verdict = super::text("qemu-img", compare);
        assert!(verdict.contains("identical"), "{what}: {verdict}");
    }
}

#[test]
fn every_kind_of_image_is_read() {
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new();
    for options in [
        &["-o", "compat=0.10"][..],
        &["-o", "compat=1.1"],
        &["-o", "lazy_refcounts=on"],
        &["-o", "cluster_size=512"],
        &["-o", "cluster_size=4k"],
        &["-o", "cluster_size=2M"],
        &["-o", "refcount_bits=1"],
        &["-o", "refcount_bits=64"],
        &["-o", "preallocation=metadata"],
        &["-o", "preallocation=falloc"],
        &["-o", "extended_l2=on"],
        &["-o", "extended_l2=on,cluster_size=2M"],
        &["-S", "0"],
        &["-W"],
        &["-c"],
        &["-c", "-o", "cluster_size=512"],
        &["-c", "-o", "cluster_size=2M"],
        &["-c", "-o", "compat=0.10"],
        &["-c", "-o", "compression_type=zstd"],
        &["-c", "-o", "compression_type=zstd,cluster_size=4k"],
        &["-c", "-o", "compression_type=zstd,extended_l2=on"],
    ] {
        lab.same(&lab.image(options), &options.join(" "));
    }
}

#[test]
fn an_image_that_was_written_to_is_read() {
    if !have(&["qemu-img", "qemu-io"]) {
        return;
    }
    let lab = Lab::new();
    for options in [
        &["-o", "compat=1.1"][..],
        &["-c"],
        &["-o", "extended_l2=on"],
        &["-c", "-o", "compression_type=zstd"],
    ] {
        let image = lab.image(options);
        // Out of order, so that the file is; with zeros, holes and a snapshot.
        for command in [
            "write -P 1 4M 64k",
            "write -P 2 64k 3000",
            "write -z 1M 256k",
            "write -z -u 2M 100k",
            "discard 3M 128k",
            "write -P 3 130k 512",
            "discard 2560k 64k",
            "write -c -P 4 2560k 64k",
            "write -P 5 5m 1536",
        ] {
            run(
                "qemu-io",
                ["-f", "qcow2", "-c", command, image.to_str().unwrap()],
            );
        }
        run(
            "qemu-img",
            ["snapshot", "-c", "one", image.to_str().unwrap()],
        );
        run(
            "qemu-io",
            [
                "-f",
                "qcow2",
                "-c",
                "write -P 6 1M 2M",
                image.to_str().unwrap(),
            ],
        );
        lab.same(&image, &options.join(" "));
    }
}

#[test]
fn an_empty_and_a_grown_image_are_read() {
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new();
    let image = lab.path("empty.qcow2");
    run(
        "qemu-img",
        [
            "create",
            "-q",
            "-f",
            "qcow2",
            image.to_str().unwrap(),
            "3000000",
        ],
    );
    lab.same(&image, "empty");
    let grown = lab.image(&["-c"]);
    run("qemu-img", ["resize", "-q", grown.to_str().unwrap(), "9M"]);
    lab.same(&grown, "grown");
}

#[test]
fn images_that_reach_outside_are_refused() {
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new();
    let (raw, image) = (lab.path("raw"), lab.path("bad.qcow2"));
    let refuse = |create: &[&str], text: &str| {
        let _ = fs::remove_file(&image);
        let mut arguments = vec!["create", "-q", "-f", "qcow2"];
        arguments.extend(create);
        arguments.extend([image.to_str().unwrap(), "6M"]);
        run("qemu-img", arguments);
        let refused = convert(
            &FileSource::open(&image).unwrap(),
            &lab.path("ours"),
            &Options::default(),
        );
        let refused = refused.unwrap_err();
        let why = std::error::Error::source(&refused).unwrap().to_string();
        assert!(why.contains(text), "{refused}: {why}");
    };
    refuse(&["-b", raw.to_str().unwrap(), "-F", "raw"], "backing file");
    let data = format!("data_file={}", lab.path("data").display());
    refuse(&["-o", &data], "another file");
    refuse(
        &[
            "--object",
            "secret,id=s,data=geheim",
            "-o",
            // Not LUKS, for which qemu-img measures the CPU, which fails on a busy machine.
            "encrypt.format=aes,encrypt.key-secret=s",
        ],
        "encrypted",
    );
}

#[tokio::main]
async fn over_http(server: &Server, to: PathBuf) -> Result<(), ImageError> {
    let source = http(|_| {}).open(&server.url("image")).await?;
    tokio::task::spawn_blocking(move || convert(&source, &to, &Options::default()))
        .await
        .unwrap()
}

#[test]
fn an_image_is_streamed_over_connections_that_break() {
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new();
    let raw = fs::read(lab.path("raw")).unwrap();
    for options in [&["-o", "cluster_size=64k"][..], &["-c"]] {
        let bytes = fs::read(lab.image(options)).unwrap();
        let cuts: VecDeque<usize> = (0..50)
            .map(|n| 1 + n * 7919 % (2 * bytes.len() / 50))
            .collect();
        let server = Server::start(Served {
            bytes,
            cuts,
            ..Served::default()
        });
        over_http(&server, lab.path("ours")).unwrap();
        assert!(fs::read(lab.path("ours")).unwrap()[..raw.len()] == raw);
        assert!(server.requests().len() > 30);
    }
}

#[test]
fn tables_that_changed_are_noticed() {
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new();
    let bytes = fs::read(lab.image(&[])).unwrap();
    let plain = Served {
        etag: None,
        modified: None,
        ..Served::default()
    };
    let server = Server::start(Served {
        bytes: bytes.clone(),
        ..plain.clone()
    });
    over_http(&server, lab.path("ours")).unwrap();
    let requests = server.requests().len();
    // The last request is for the whole file: now with another map, of the same length.
    let mut other = bytes.clone();
    let l1 = usize::try_from(u64::from_be_bytes(bytes[40..48].try_into().unwrap())).unwrap();
    let l2 = usize::try_from(
        u64::from_be_bytes(bytes[l1..l1 + 8].try_into().unwrap()) & 0x00ff_ffff_ffff_fe00,
    )
    .unwrap();
    let (one, two) = (bytes[l2..l2 + 8].to_vec(), bytes[l2 + 8..l2 + 16].to_vec());
    other[l2..l2 + 8].copy_from_slice(&two);
    other[l2 + 8..l2 + 16].copy_from_slice(&one);
    let later = Served {
        bytes: other,
        ..plain.clone()
    };
    let server = Server::start(Served {
        bytes,
        later: Some((requests - 1, Box::new(later))),
        ..plain
    });
    let refused = over_http(&server, lab.path("ours")).unwrap_err();
    assert!(refused.to_string().contains("tables"), "{refused}");
}

#[test]
fn without_ranges_or_memory_the_conductor_must_convert() {
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new();
    let image = lab.image(&["-c", "-o", "cluster_size=512"]);
    let server = Server::start(Served {
        bytes: fs::read(&image).unwrap(),
        ranges: false,
        ..Served::default()
    });
    let refused = over_http_unprepared(&server, lab.path("ours")).unwrap_err();
    assert!(matches!(refused, ImageError::NoRanges { .. }), "{refused}");
    assert!(refused.to_string().contains("does not serve ranges"));
    let options = Options {
        table_memory: 10_000,
        ..Options::default()
    };
    let refused = convert(
        &FileSource::open(&image).unwrap(),
        &lab.path("ours"),
        &options,
    )
    .unwrap_err();
    assert!(matches!(refused, ImageError::Scattered { .. }), "{refused}");
}

#[tokio::main]
async fn over_http_unprepared(server: &Server, to: PathBuf) -> Result<(), ImageError> {
    let source = http(|_| {}).open(&server.url("image")).await?;
    tokio::task::spawn_blocking(move || {
        let mut sink = DiskSink::open(&to_new(&to)).unwrap();
        write(&source, &mut sink, &Options::default(), &mut |_| {
            ControlFlow::Continue(())
        })
        .map(|_| ())
    })
    .await
    .unwrap()
}

fn to_new(path: &Path) -> PathBuf {
    fs::write(path, b"").unwrap();
    path.to_owned()
}

#[tokio::test]
async fn the_cache_converts_to_raw() {
    use crate::cache::{Cache, CacheSettings, Caches, Context, ImageRequest, Outcome, Unpack};
    use std::{sync::Arc, time::Duration};
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new();
    let server = Server::of(fs::read(lab.image(&["-c"])).unwrap());
    let settings = CacheSettings {
        folder: lab.path("master"),
        most_bytes: 1 << 30,
        ttl: Duration::from_secs(60),
        priority: 50,
        rules: Some(crate::inspect::Rules::default()),
        unpack: Unpack::Everything,
    };
    let context = Context {
        http: http(|_| {}),
        files: crate::source::FileRules::default(),
        downloads: Arc::new(tokio::sync::Semaphore::new(1)),
        growth: 2.0,
    };
    let cache = Arc::new(Cache::open(settings, context).unwrap());
    let caches = Caches::new(vec![cache.clone()]);
    let raw = fs::read(lab.path("raw")).unwrap();
    for (name, outcome) in [("one", Outcome::Downloaded), ("two", Outcome::Hit)] {
        let wanted = ImageRequest {
            href: server.url("image"),
            source: None,
            destination: lab.path(name),
            raw: true,
            declared: Some("qcow2".into()),
            checksum: None,
        };
        assert_eq!(cache.fetch(&caches, &wanted).await.unwrap(), outcome);
        assert!(fs::read(lab.path(name)).unwrap() == raw);
    }
    assert_eq!(fs::read_dir(cache.folder()).unwrap().count(), 1);
}

#[test]
fn a_qcow2_file_of_ours_is_sound_and_says_the_same() {
    if !have(&["qemu-img"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [raw, out] = ["raw", "qcow2"].map(|name| folder.path().join(name));
    let file = fs::File::create(&raw).unwrap();
    // Not a whole number of clusters, and more than one table.
    file.set_len((1 << 30) + 5120).unwrap();
    for at in [0, 70_000, 600 << 20, (1 << 30) + 4990] {
        std::os::unix::fs::FileExt::write_all_at(&file, b"something", at).unwrap();
    }
    crate::qcow2::write(&raw, &out).unwrap();
    let [raw, out] = [&raw, &out].map(|path| path.to_str().unwrap());
    run("qemu-img", ["check", "-f", "qcow2", out]);
    run(
        "qemu-img",
        ["compare", "-f", "raw", "-F", "qcow2", raw, out],
    );
    assert!(fs::metadata(out).unwrap().len() < 2 << 20);
}
