//! Contents that arrive whole, damaged, twice, or not at all.

use super::*;
use crate::{
    source::{FileRules, HttpSettings, MemorySource},
    store::{ImageStore, Shelf, StoreSettings},
};
use std::time::Duration;

fn store(dir: &Path, most_bytes: u64) -> ImageStore {
    let shelf = |name: &str| Shelf {
        folder: dir.join(name),
        most_bytes: 1 << 20,
        ttl: Duration::from_secs(60),
    };
    ImageStore::new(StoreSettings {
        boot: shelf("boot"),
        instance: shelf("instance"),
        iso: shelf("iso"),
        library: LibrarySettings {
            folder: dir.join("library"),
            most_bytes,
        },
        http: HttpSettings::default(),
        files: FileRules::default(),
        reserve: 0,
        downloads: 1,
        growth: 2.0,
        rules: Rules::default(),
        unpack: true,
    })
    .unwrap()
}

fn image() -> Vec<u8> {
    vec![7; 3 << 20]
}

fn sum(bytes: &[u8], algorithm: Algorithm) -> Checksum {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(bytes);
    Checksum::parse(&hasher.finish(), Some(algorithm.as_str()), true).unwrap()
}

async fn received(
    store: &ImageStore,
    bytes: Vec<u8>,
    checksum: Option<Checksum>,
) -> Result<Arrived, ImageError> {
    let source = Arc::new(MemorySource::new(bytes));
    store.receive(source, checksum, Arc::default()).await
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join("library")).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[tokio::test]
async fn the_same_bytes_are_kept_once_under_their_sum() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path(), 1 << 30);
    let library = store.library();
    for algorithm in [Algorithm::Sha256, Algorithm::Sha512] {
        let checksum = Some(sum(&image(), algorithm));
        let arrived = received(&store, image(), checksum).await.unwrap();
        assert_eq!(arrived.size, 3 << 20);
        library.keep(arrived).await.unwrap();
    }
    let content: ContentId = sum(&image(), Algorithm::Sha256).value().parse().unwrap();
    assert_eq!(names(dir.path()), [content.as_str()]);
    assert_eq!(
        library.contents().await.unwrap(),
        std::slice::from_ref(&content)
    );
    let there = dir.path().join("there");
    fs::write(&there, "older").unwrap();
    library.link(&content, &there).await.unwrap();
    assert_eq!(fs::read(&there).unwrap(), image());
    library.remove(&content).await.unwrap();
    assert!(!library.has(&content).await && there.exists());
}

#[tokio::test]
async fn what_is_not_what_it_should_be_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path(), 1 << 30);
    for algorithm in [Algorithm::Sha256, Algorithm::Sha512] {
        let wrong = sum(b"something else", algorithm);
        let refused = received(&store, image(), Some(wrong)).await.unwrap_err();
        assert!(matches!(refused, ImageError::Checksum { .. }), "{refused}");
    }
    // An archive of a ramdisk is nothing to install.
    let archive = [b"070701".as_slice(), &[b'0'; 200]].concat();
    let refused = received(&store, archive, None).await.unwrap_err();
    assert!(
        matches!(refused, ImageError::Unsupported { .. }),
        "{refused}"
    );
    drop(received(&store, image(), None).await.unwrap());
    assert!(names(dir.path()).is_empty());
}

#[tokio::test]
async fn an_image_that_is_too_large_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path(), 2 << 20);
    let refused = received(&store, image(), None).await.unwrap_err();
    assert!(matches!(refused, ImageError::TooLarge { .. }), "{refused}");
    assert!(names(dir.path()).is_empty());
}

#[tokio::test]
async fn a_reception_that_is_not_wanted_any_more_ends() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path(), 1 << 30);
    let meter = Arc::new(Meter::default());
    meter.stop();
    let source = Arc::new(MemorySource::new(image()));
    let ended = store.receive(source, None, meter).await.unwrap_err();
    assert!(matches!(ended, ImageError::Stopped { .. }), "{ended}");
}

#[tokio::test]
async fn what_a_killed_process_left_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let left = dir.path().join("library/.unfinished-x");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("image"), "half").unwrap();
    let store = store(dir.path(), 1 << 30);
    assert!(store.library().contents().await.unwrap().is_empty());
    assert!(!left.exists());
}
