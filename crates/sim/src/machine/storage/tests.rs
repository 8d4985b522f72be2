//! What volumes can be made, and what is refused.

use super::*;

fn wanted(level: Level, bytes: Option<u64>, drives: &[usize]) -> VolumeRequest {
    VolumeRequest {
        controller: 0,
        name: None,
        level,
        bytes,
        drives: drives.to_vec(),
    }
}

#[test]
fn drives_are_chosen_if_none_are_given_and_used_up() {
    let mut storage = Storage::default();
    let first = storage.create(&wanted(Level::Raid1, None, &[])).unwrap();
    assert_eq!(storage.volume(0, first).unwrap().drives, [0, 1]);
    assert_eq!(storage.volume(0, first).unwrap().bytes, DRIVES[0].bytes);
    let second = storage
        .create(&wanted(Level::Raid0, None, &[3, 2]))
        .unwrap();
    assert_eq!(
        storage.volume(0, second).unwrap().bytes,
        2 * DRIVES[0].bytes
    );
    storage
        .create(&wanted(Level::Raid0, None, &[]))
        .unwrap_err();
    storage.delete(0, first).unwrap();
    storage.delete(0, first).unwrap_err();
    storage.create(&wanted(Level::Raid0, None, &[])).unwrap();
}

#[test]
fn volumes_share_the_same_drives_while_there_is_room() {
    let mut storage = Storage::default();
    let half = DRIVES[0].bytes / 2 / BLOCK * BLOCK;
    storage
        .create(&wanted(Level::Raid1, Some(half), &[0, 1]))
        .unwrap();
    storage
        .create(&wanted(Level::Raid1, Some(half + 4096), &[0, 1]))
        .unwrap_err();
    storage
        .create(&wanted(Level::Raid1, Some(half), &[1, 2]))
        .unwrap_err();
    storage
        .create(&wanted(Level::Raid1, Some(half), &[0, 1]))
        .unwrap();
    storage.clear(0);
    assert_eq!(storage.volumes(0).count(), 0);
}

#[test]
fn what_cannot_be_made_is_refused() {
    let mut storage = Storage::default();
    storage
        .create(&wanted(Level::Raid1, None, &[0, 1, 2]))
        .unwrap_err();
    storage
        .create(&wanted(Level::Raid5, None, &[0, 1]))
        .unwrap_err();
    storage
        .create(&wanted(Level::Raid0, None, &[4]))
        .unwrap_err();
    storage
        .create(&wanted(Level::Raid0, None, &[9]))
        .unwrap_err();
    storage
        .create(&wanted(Level::Raid0, Some(0), &[0]))
        .unwrap_err();
    storage
        .create(&wanted(Level::Raid60, None, &[]))
        .unwrap_err();
    storage.set_raw(0, true).unwrap();
    storage
        .create(&wanted(Level::Raid0, None, &[0]))
        .unwrap_err();
    assert_eq!(storage.volumes(0).count(), 0);
    storage.create(&wanted(Level::Raid0, None, &[1])).unwrap();
    storage.set_raw(1, true).unwrap_err();
}
