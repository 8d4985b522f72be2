//! Seeds, and changed copies of them, until the time is over.

use std::{
    env, fs,
    path::Path,
    sync::Mutex,
    time::{Duration, Instant},
};

/// What a target takes.
pub trait Input<'a>: Sized {
    /// `None` if the bytes are nothing of the kind.
    fn of(bytes: &'a [u8]) -> Option<Self>;
}

impl<'a> Input<'a> for &'a [u8] {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        Some(bytes)
    }
}

impl<'a> Input<'a> for &'a str {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        std::str::from_utf8(bytes).ok()
    }
}

/// What was being tried when something panicked.
static TRIED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Runs a target for as many seconds as the first argument says, two if there is none. The second
/// argument is the number that the changes are derived from.
pub fn run(name: &str, once: impl Fn(&[u8])) {
    let mut arguments = env::args().skip(1);
    let mut number = |usual| match arguments.next() {
        Some(text) => text.parse().expect("a number"),
        None => usual,
    };
    let (seconds, seed) = (number(2), number(1));
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        let tried = TRIED.lock().map(|bytes| hex(&bytes));
        eprintln!("the input was {}", tried.unwrap_or_default());
        usual(about);
    }));
    let seeds = seeds(name);
    let mut chance = Chance(seed * 2 + 1);
    let (end, mut runs) = (Instant::now() + Duration::from_secs(seconds), 0_u64);
    for bytes in &seeds {
        attempt(bytes, &once);
    }
    while Instant::now() < end {
        for _ in 0..64 {
            let mut bytes = seeds[chance.below(seeds.len())].clone();
            for _ in 0..=chance.below(6) {
                change(&mut bytes, &seeds, &mut chance);
            }
            attempt(&bytes, &once);
        }
        runs += 64;
    }
    println!("{name}: {} seeds, {runs} changed copies", seeds.len());
}

fn attempt(bytes: &[u8], once: &impl Fn(&[u8])) {
    // Nobody panics while the lock is held.
    *TRIED.lock().expect("the lock is whole") = bytes.to_vec();
    once(bytes);
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("seeds")
        .join(name);
    let mut seeds = vec![Vec::new()];
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        seeds.push(fs::read(entry.path()).expect("a seed can be read"));
    }
    assert!(
        seeds.len() > 1,
        "there are no seeds in {}",
        folder.display()
    );
    seeds
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], chance: &mut Chance) {
    const EDGES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, b'"', b'{', b'/'];
    let at = chance.below(bytes.len() + 1);
    match chance.below(7) {
        0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        1 if at < bytes.len() => bytes[at] = EDGES[chance.below(EDGES.len())],
        2 if at < bytes.len() => bytes[at] = chance.byte(),
        3 => bytes.truncate(at),
        4 => bytes.insert(at, chance.byte()),
        5 if at < bytes.len() => {
            let until = at + chance.below(bytes.len() - at) + 1;
            bytes.drain(at..until);
        }
        _ => {
            let other = &seeds[chance.below(seeds.len())];
            let from = chance.below(other.len() + 1);
            let until = from + chance.below(other.len() - from + 1);
            bytes.splice(at..at, other[from..until].iter().copied());
            bytes.truncate(1 << 16);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Numbers that look random and are the same for the same start.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Less than `limit`, which is not zero.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        (self.next() >> 32) as u8
    }
}
