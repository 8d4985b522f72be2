//! The power button, and the BMC's request to switch off that looks the same.

use super::{console, end};
use rustix::system::RebootCommand;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// `struct input_event`: two words of time, then kind, code and value.
const EVENT: usize = 2 * size_of::<usize>() + 8;
const KIND_KEY: u16 = 1;
const KEY_POWER: u16 = 116;
const PRESSED: i32 = 1;

/// Waits at every button that there is now. Buttons of ACPI are never plugged in later.
pub(super) fn spawn() -> io::Result<()> {
    for device in buttons(Path::new("/sys/class/input")) {
        super::spawn("button", move || {
            if watch(&device).is_ok() {
                console::say("the power button was pressed");
                end(RebootCommand::PowerOff);
            }
        })?;
    }
    Ok(())
}

/// Device files of inputs that have a power button.
fn buttons(class: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(class).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| name.starts_with("event"))
        .filter(|name| {
            let keys = fs::read_to_string(class.join(name).join("device/capabilities/key"));
            keys.is_ok_and(|keys| has_key(&keys, KEY_POWER.into()))
        })
        .map(|name| Path::new("/dev/input").join(name))
        .collect()
}

/// The kernel writes bits as words of 64 bits, the highest first.
fn has_key(bits: &str, key: usize) -> bool {
    let word = bits.split_whitespace().rev().nth(key / 64);
    let word = word.and_then(|word| u64::from_str_radix(word, 16).ok());
    word.is_some_and(|word| word >> (key % 64) & 1 == 1)
}

/// Returns when the button is pressed.
fn watch(device: &Path) -> io::Result<()> {
    let mut device = File::open(device)?;
    let mut event = [0; EVENT];
    loop {
        device.read_exact(&mut event)?;
        if is_press(&event) {
            return Ok(());
        }
    }
}

fn is_press(event: &[u8; EVENT]) -> bool {
    let [.., k0, k1, c0, c1, v0, v1, v2, v3] = *event;
    u16::from_ne_bytes([k0, k1]) == KIND_KEY
        && u16::from_ne_bytes([c0, c1]) == KEY_POWER
        && i32::from_ne_bytes([v0, v1, v2, v3]) == PRESSED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_inputs_have_the_button() {
        let dir = tempfile::tempdir().unwrap();
        for (name, keys) in [
            ("event0", "10000000000000 0\n"),
            ("event1", "ffefffffffffffff fffffffffffffffe\n"),
            ("mouse0", "10000000000000 0\n"),
        ] {
            let folder = dir.path().join(name).join("device/capabilities");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("key"), keys).unwrap();
        }
        assert_eq!(buttons(dir.path()), [Path::new("/dev/input/event0")]);
        assert!(buttons(Path::new("/nowhere")).is_empty());
    }

    #[test]
    fn only_a_press_counts() {
        let mut event = [0; EVENT];
        event[EVENT - 8..].copy_from_slice(&[1, 0, 116, 0, 1, 0, 0, 0]);
        assert!(is_press(&event));
        event[EVENT - 4] = 0;
        assert!(!is_press(&event));
    }
}
