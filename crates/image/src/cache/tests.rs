//! The rules of the cache, one by one.

use super::*;
use crate::{
    checksum::{Algorithm, Hasher},
    lab::{Served, Server, disk, http},
    source::FileRules,
};
use std::{
    fs,
    os::unix::fs::MetadataExt,
    time::{Duration, SystemTime},
};

struct Lab {
    folder: tempfile::TempDir,
    cache: Arc<Cache>,
    caches: Caches,
}

impl Lab {
    fn new(change: impl FnOnce(&mut CacheSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(folder.path(), "master", change);
        Self {
            caches: Caches::new(vec![cache.clone()]),
            folder,
            cache,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn wanted(&self, server: &Server, destination: &str) -> ImageRequest {
        ImageRequest {
            href: server.url("image"),
            source: None,
            destination: self.path(destination),
            raw: false,
            declared: None,
            checksum: None,
        }
    }

    async fn fetch(&self, wanted: &ImageRequest) -> Result<Outcome, ImageError> {
        self.cache.fetch(&self.caches, wanted).await
    }

    fn masters(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.cache.folder()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

fn open(folder: &Path, name: &str, change: impl FnOnce(&mut CacheSettings)) -> Arc<Cache> {
    let mut settings = CacheSettings {
        folder: folder.join(name),
        most_bytes: 1 << 30,
        ttl: Duration::from_secs(3600),
        priority: 50,
        rules: Some(Rules::default()),
        unpack: Unpack::Everything,
    };
    change(&mut settings);
    let context = Context {
        http: http(|_| {}),
        files: FileRules {
            allowed: vec![folder.to_owned()],
            ..FileRules::default()
        },
        downloads: Arc::new(Semaphore::new(20)),
        growth: 2.0,
    };
    Arc::new(Cache::open(settings, context).unwrap())
}

fn sum(bytes: &[u8]) -> Option<Checksum> {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    Some(Checksum::parse(&hasher.finish(), None, false).unwrap())
}

#[test]
fn names_are_those_of_ironic() {
    let name = |href: &str, raw| Master::of(Path::new("/x"), href, raw).name;
    let id = "7ff1f2b8-5f2b-4d6a-8b9f-0c3f3a0b5c11";
    assert_eq!(name(id, false), id);
    assert_eq!(
        name(&format!("glance://{id}"), true),
        format!("{id}.converted")
    );
    // uuid.uuid5(uuid.NAMESPACE_URL, 'http://images.example/debian.qcow2')
    assert_eq!(
        name("http://images.example/debian.qcow2", false),
        "e60f7955-4e60-5f31-8e54-6e39cc9784a9"
    );
    // Somebody gave an image of Glance this id.
    let chosen = "e60f7955-4e60-5f31-8e54-6e39cc9784a9";
    assert_ne!(name(&format!("glance://{chosen}"), false), chosen);
}

#[tokio::test]
async fn a_copy_is_fetched_once_and_linked() {
    let server = Server::of(disk(100_000, 40));
    let lab = Lab::new(|_| {});
    assert_eq!(
        lab.fetch(&lab.wanted(&server, "one")).await.unwrap(),
        Outcome::Downloaded
    );
    assert_eq!(
        lab.fetch(&lab.wanted(&server, "two")).await.unwrap(),
        Outcome::Hit
    );
    assert_eq!(
        lab.fetch(&lab.wanted(&server, "two")).await.unwrap(),
        Outcome::Present
    );
    assert_eq!(server.downloads(), 1);
    let [master] = &lab.masters()[..] else {
        panic!("{:?}", lab.masters())
    };
    assert_eq!(fs::metadata(master).unwrap().nlink(), 3);
    assert!(fs::read(lab.path("two")).unwrap() == disk(100_000, 40));
    // A destination that is something else is replaced.
    fs::remove_file(lab.path("two")).unwrap();
    fs::write(lab.path("two"), "other").unwrap();
    assert_eq!(
        lab.fetch(&lab.wanted(&server, "two")).await.unwrap(),
        Outcome::Hit
    );
    assert!(fs::read(lab.path("two")).unwrap() == disk(100_000, 40));
}

#[tokio::test]
async fn many_requests_share_one_download() {
    let server = Server::of(disk(300_000, 41));
    let lab = Arc::new(Lab::new(|_| {}));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..20 {
        let (lab, wanted) = (lab.clone(), lab.wanted(&server, &format!("node-{number}")));
        tasks.spawn(async move { lab.fetch(&wanted).await.unwrap() });
    }
    let outcomes = tasks.join_all().await;
    assert_eq!(
        outcomes
            .iter()
            .filter(|outcome| **outcome == Outcome::Downloaded)
            .count(),
        1
    );
    assert_eq!(server.downloads(), 1);
}

#[tokio::test]
async fn an_image_that_changed_is_fetched_again() {
    for (before, after) in [
        (
            Served::default(),
            Served {
                etag: Some("\"two\"".into()),
                ..Served::default()
            },
        ),
        // Without tags the time decides: newer than our copy.
        (
            Served {
                etag: None,
                ..Served::default()
            },
            Served {
                etag: None,
                modified: Some("Sun, 06 Nov 2089 08:49:37 GMT".into()),
                ..Served::default()
            },
        ),
        // Without either, nothing is ever known to be the same.
        (
            Served {
                etag: None,
                modified: None,
                ..Served::default()
            },
            Served {
                etag: None,
                modified: None,
                ..Served::default()
            },
        ),
    ] {
        let server = Server::start(Served {
            bytes: disk(9000, 42),
            ..before
        });
        let lab = Lab::new(|_| {});
        lab.fetch(&lab.wanted(&server, "one")).await.unwrap();
        server.change(|served| {
            *served = Served {
                bytes: disk(9000, 43),
                ..after
            }
        });
        assert_eq!(
            lab.fetch(&lab.wanted(&server, "one")).await.unwrap(),
            Outcome::Downloaded
        );
        assert!(fs::read(lab.path("one")).unwrap() == disk(9000, 43));
    }
    // An old time means that our copy is good, as does a time in one of the old forms.
    let server = Server::start(Served {
        bytes: disk(9000, 42),
        etag: None,
        modified: Some("Sunday, 06-Nov-94 08:49:37 GMT".into()),
        ..Served::default()
    });
    let lab = Lab::new(|_| {});
    lab.fetch(&lab.wanted(&server, "one")).await.unwrap();
    assert_eq!(
        lab.fetch(&lab.wanted(&server, "one")).await.unwrap(),
        Outcome::Present
    );
}

#[tokio::test]
async fn a_broken_copy_never_gets_a_name() {
    let image = disk(200_000, 44);
    let server = Server::of(image.clone());
    let lab = Lab::new(|_| {});
    let mut wanted = lab.wanted(&server, "one");
    wanted.checksum = sum(b"something else");
    let refused = lab.fetch(&wanted).await.unwrap_err();
    assert!(matches!(refused, ImageError::Checksum { .. }), "{refused}");
    server.change(|served| served.cuts = [1000, 0, 0, 0, 0, 0].into());
    wanted.checksum = None;
    assert!(lab.fetch(&wanted).await.unwrap_err().is_transient());
    wanted.declared = Some("qcow2".into());
    server.change(|served| served.cuts.clear());
    let refused = lab.fetch(&wanted).await.unwrap_err();
    assert!(
        matches!(refused, ImageError::WrongFormat { .. }),
        "{refused}"
    );
    assert_eq!(lab.masters(), Vec::<PathBuf>::new());
    assert!(!lab.path("one").exists());
    // And it works when nothing is wrong.
    wanted.declared = Some("raw".into());
    wanted.checksum = sum(&image);
    assert_eq!(lab.fetch(&wanted).await.unwrap(), Outcome::Downloaded);
}

#[tokio::test]
async fn a_copy_with_another_checksum_is_not_used() {
    let (image, other) = (disk(50_000, 45), disk(50_000, 46));
    let server = Server::of(image.clone());
    let lab = Lab::new(|_| {});
    let mut wanted = lab.wanted(&server, "one");
    wanted.checksum = sum(&image);
    lab.fetch(&wanted).await.unwrap();
    assert_eq!(lab.fetch(&wanted).await.unwrap(), Outcome::Present);
    // The server did not say that the image is another one; the checksum does.
    server.change(|served| served.bytes = other.clone());
    wanted.checksum = sum(&other);
    assert_eq!(lab.fetch(&wanted).await.unwrap(), Outcome::Downloaded);
    assert!(fs::read(lab.path("one")).unwrap() == other);
}

#[tokio::test]
async fn what_must_not_be_kept_is_not() {
    let server = Server::start(Served {
        bytes: disk(5000, 47),
        no_store: true,
        ..Served::default()
    });
    let lab = Lab::new(|_| {});
    lab.fetch(&lab.wanted(&server, "one")).await.unwrap();
    assert_eq!(lab.masters(), Vec::<PathBuf>::new());
    assert!(fs::read(lab.path("one")).unwrap() == disk(5000, 47));
    let local = lab.path("local image");
    fs::write(&local, disk(5000, 48)).unwrap();
    let mut wanted = lab.wanted(&server, "two");
    wanted.href = format!("file://{}", local.display());
    wanted.checksum = sum(&disk(5000, 48));
    lab.fetch(&wanted).await.unwrap();
    assert_eq!(
        fs::metadata(lab.path("two")).unwrap().ino(),
        fs::metadata(&local).unwrap().ino()
    );
    assert_eq!(lab.masters(), Vec::<PathBuf>::new());
    wanted.checksum = sum(b"");
    assert!(lab.fetch(&wanted).await.is_err());
    wanted.href = "file:///etc/passwd".into();
    assert!(matches!(
        lab.fetch(&wanted).await,
        Err(ImageError::Address { .. })
    ));
}

#[tokio::test]
async fn packed_images_are_unpacked_and_ramdisks_are_not() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&disk(50_000, 49)).unwrap();
    let packed = packer.finish().unwrap();
    let server = Server::of(packed.clone());
    let lab = Lab::new(|_| {});
    let mut wanted = lab.wanted(&server, "one");
    wanted.checksum = sum(&packed);
    wanted.raw = true;
    lab.fetch(&wanted).await.unwrap();
    assert!(fs::read(lab.path("one")).unwrap() == disk(50_000, 49));
    assert!(
        lab.masters()[0]
            .display()
            .to_string()
            .ends_with(".converted")
    );
    let lab = Lab::new(|settings| {
        settings.rules = None;
        settings.unpack = Unpack::Zstd;
    });
    lab.fetch(&lab.wanted(&server, "one")).await.unwrap();
    assert!(fs::read(lab.path("one")).unwrap() == packed);
}

#[tokio::test]
async fn unfinished_downloads_are_removed_at_start() {
    let lab = Lab::new(|_| {});
    let left = lab.cache.folder().join(".unfinished-abc");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("x.part"), "half").unwrap();
    let busy = master::Workshop::new(lab.cache.folder()).unwrap();
    open(lab.folder.path(), "master", |_| {});
    assert!(!left.exists());
    assert!(busy.path("").exists());
}

fn put(folder: &Path, name: &str, size: usize, age: u64) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, vec![1; size]).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(5_000_000_000 - age);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_times(fs::FileTimes::new().set_modified(time).set_accessed(time))
        .unwrap();
    path
}

/// The times of the files are in the future, so that the time of their making does not count.
fn clean(folder: &Path, most_bytes: u64, amount: Option<u64>) -> u64 {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(5_000_000_000);
    room::clean(folder, most_bytes, Duration::from_secs(1000), amount, now)
}

#[test]
fn old_files_go_first_and_links_stay() {
    let folder = tempfile::tempdir().unwrap();
    let master = folder.path().join("master");
    fs::create_dir(&master).unwrap();
    let expired = put(&master, "expired", 10, 2000);
    let linked = put(&master, "linked", 10, 3000);
    fs::hard_link(&linked, folder.path().join("node")).unwrap();
    let old = put(&master, "old", 10, 500);
    let young = put(&master, "young", 10, 100);
    // Everything fits: only what nobody used for long goes.
    assert_eq!(clean(&master, 1000, None), 10);
    assert!(!expired.exists() && old.exists() && linked.exists());
    // Too large, counting what is linked: the oldest goes.
    assert_eq!(clean(&master, 25, None), 10);
    assert!(!old.exists() && young.exists());
    // An amount is more important than the size.
    assert_eq!(clean(&master, 1000, Some(5)), 10);
    assert!(!young.exists() && linked.exists());
    assert_eq!(clean(&master, 0, Some(5)), 0);
}

#[test]
fn no_more_than_the_amount_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let oldest = put(folder.path(), "a", 10, 9000);
    let older = put(folder.path(), "b", 10, 8000);
    assert_eq!(clean(folder.path(), 0, Some(10)), 10);
    assert!(!oldest.exists() && older.exists());
}

#[tokio::test]
async fn room_is_made_in_the_order_of_priority() {
    let folder = tempfile::tempdir().unwrap();
    let discs = open(folder.path(), "discs", |settings| settings.priority = 75);
    let images = open(folder.path(), "images", |settings| settings.priority = 50);
    let disc = put(discs.folder(), "disc", 1000, 10);
    let image = put(images.folder(), "image", 1000, 10);
    // As if the disk had 5,000 bytes, of which the files of both caches take their part.
    fn free(folder: &Path) -> u64 {
        let parent = folder.parent().unwrap();
        let used: u64 = ["discs", "images"]
            .iter()
            .flat_map(|name| fs::read_dir(parent.join(name)).unwrap())
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        5000 - used
    }
    let caches = Caches::new(vec![images.clone(), discs.clone()]).with_free(free);
    caches.make_room(images.folder(), 2900).await.unwrap();
    assert!(disc.exists() && image.exists());
    caches.make_room(images.folder(), 3900).await.unwrap();
    assert!(!disc.exists() && image.exists());
    let refused = caches.make_room(images.folder(), 6000).await.unwrap_err();
    assert!(
        matches!(
            refused,
            ImageError::NoSpace {
                needed: 6000,
                free: 5000,
                ..
            }
        ),
        "{refused}"
    );
}

#[tokio::test]
async fn a_small_file_that_unpacks_to_more_than_the_disk_has_is_refused() {
    use std::io::Write as _;
    let mut lab = Lab::new(|_| {});
    let caches = |free, reserve| {
        let caches = Caches::new(vec![lab.cache.clone()]);
        caches.with_free(free).leaving(reserve)
    };
    let (scarce, reserved) = (caches(|_| 1 << 20, 0), caches(|_| 8 << 20, 6 << 20));
    let (plenty, none) = (caches(|_| 8 << 20, 1 << 20), caches(|_| 8 << 20, 16 << 20));
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![0; 4 << 20]).unwrap();
    let server = Server::of(packer.finish().unwrap());
    for caches in [scarce, reserved] {
        lab.caches = caches;
        let refused = lab.fetch(&lab.wanted(&server, "node")).await.unwrap_err();
        assert!(matches!(refused, ImageError::TooLarge { .. }), "{refused}");
        assert!(lab.masters().is_empty(), "nothing is left of it");
    }
    lab.caches = none;
    let refused = lab.fetch(&lab.wanted(&server, "node")).await.unwrap_err();
    assert!(matches!(refused, ImageError::NoSpace { .. }), "{refused}");
    lab.caches = plenty;
    lab.fetch(&lab.wanted(&server, "node")).await.unwrap();
}

#[tokio::test]
async fn what_comes_without_end_leaves_the_reserve_of_the_disk() {
    let mut lab = Lab::new(|_| {});
    /// As a disk of 56 MiB with nothing else on it.
    fn free(folder: &Path) -> u64 {
        fn used(folder: &Path) -> u64 {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries
                .map(|entry| match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => used(&entry.path()),
                    Ok(metadata) => metadata.len(),
                    Err(_) => 0,
                })
                .sum()
        }
        (56 << 20) - used(folder).min(56 << 20)
    }
    let caches = Caches::new(vec![lab.cache.clone()]).with_free(free);
    lab.caches = caches.leaving(24 << 20);
    let server = Server::start(Served {
        bytes: disk(100 << 20, 44),
        announce_length: false,
        ranges: false,
        ..Served::default()
    });
    let refused = lab.fetch(&lab.wanted(&server, "node")).await.unwrap_err();
    let ImageError::NoSpace { needed, .. } = refused else {
        panic!("{refused:?}");
    };
    assert!(needed < 56 << 20, "{needed}");
    assert!(lab.masters().is_empty(), "nothing is left of it");
}
