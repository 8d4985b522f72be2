//! The index of kernel modules in a ramdisk: paths, dependencies, device aliases.
//!
//! Debian ships modules without the index of depmod, so `corten ramdisk build` writes this one, and
//! the ramdisk's init reads it. It is text, one fact a line: `m NAME PATH DEPENDENCIES…` for a
//! module, `a NAME PATTERN` for a device alias, `l NAME` for a module that is always loaded. Those
//! two programs read the modules and load them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

/// A module file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Module {
    /// The path from the root of the ramdisk, without a leading slash.
    pub path: String,
    /// Modules that must be loaded before it.
    pub needs: Vec<String>,
}

/// All modules of a ramdisk. Names are as [`name`] makes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    pub modules: BTreeMap<String, Module>,
    /// Module name and alias pattern, in the order in which they are tried.
    pub aliases: Vec<(String, String)>,
    /// Modules that are loaded at the start, whatever devices there are.
    pub always: Vec<String>,
}

/// The path of the index in the ramdisk.
pub const PATH: &str = "lib/modules/corten.index";

/// Normalizes a module name: the kernel treats `-` and `_` alike.
pub fn name(text: &str) -> String {
    text.replace('-', "_")
}

impl Index {
    /// Encodes the index.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        for (name, module) in &self.modules {
            let needs = module.needs.join(" ");
            let _ = writeln!(
                text,
                "{}",
                format!("m {name} {} {needs}", module.path).trim()
            );
        }
        for (name, pattern) in &self.aliases {
            let _ = writeln!(text, "a {name} {pattern}");
        }
        for name in &self.always {
            let _ = writeln!(text, "l {name}");
        }
        text
    }

    /// Decodes an index. Unknown lines are skipped: a ramdisk with fewer modules is better than
    /// none.
    pub fn decode(text: &str) -> Self {
        let mut index = Self::default();
        for line in text.lines() {
            let Some((kind, rest)) = line.split_once(' ') else {
                continue;
            };
            match kind {
                "m" => {
                    let mut words = rest.split(' ').map(str::to_owned);
                    if let (Some(name), Some(path)) = (words.next(), words.next()) {
                        let needs = words.collect();
                        index.modules.insert(name, Module { path, needs });
                    }
                }
                "a" => {
                    if let Some((name, pattern)) = rest.split_once(' ') {
                        index.aliases.push((name.to_owned(), pattern.to_owned()));
                    }
                }
                "l" => index.always.push(rest.to_owned()),
                _ => {}
            }
        }
        index
    }

    /// The modules for a device alias, or for a module name that the kernel requests.
    pub fn serving<'a>(&'a self, alias: &'a str) -> impl Iterator<Item = &'a str> {
        let alias = name(alias);
        let named = self.modules.get_key_value(&alias).map(|(name, _)| &**name);
        let matching = self
            .aliases
            .iter()
            .filter(move |(_, pattern)| matches(pattern.as_bytes(), alias.as_bytes()))
            .map(|(name, _)| &**name);
        named.into_iter().chain(matching)
    }

    /// A module and its dependencies, in the order in which to load them.
    pub fn order<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        fn visit<'a>(
            index: &'a Index,
            name: &'a str,
            seen: &mut BTreeSet<&'a str>,
            order: &mut Vec<&'a str>,
        ) {
            if !seen.insert(name) {
                return;
            }
            if let Some(module) = index.modules.get(name) {
                for need in &module.needs {
                    visit(index, need, seen, order);
                }
                order.push(name);
            }
        }
        let mut order = Vec::new();
        visit(self, name, &mut BTreeSet::new(), &mut order);
        order
    }
}

/// Matches the kernel's alias patterns: `*`, `?` and `[…]`. The text was normalized by [`name`]; a
/// `-` within brackets of a pattern is a range and stays. Backtracks to the last `*` only, so it
/// cannot take exponential time.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, t));
                p += 1;
                continue;
            }
            None if t == text.len() => return true,
            None => None,
            Some(_) => text.get(t).and_then(|byte| one(&pattern[p..], *byte)),
        };
        if let Some(width) = step {
            p += width;
            t += 1;
        } else if let Some((after, from)) = star.filter(|(_, from)| *from < text.len()) {
            star = Some((after, from + 1));
            (p, t) = (after, from + 1);
        } else {
            return false;
        }
    }
}

/// The length of the pattern's first element, if it matches the byte.
fn one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern.first()? {
        b'?' => Some(1),
        b'[' => {
            let end = pattern.iter().position(|byte| *byte == b']')?;
            let set = &pattern[1..end];
            let mut at = 0;
            while at < set.len() {
                let last = match set.get(at + 1..at + 3) {
                    Some([b'-', last]) => *last,
                    _ => set[at],
                };
                if (set[at]..=last).contains(&byte) {
                    return Some(end + 1);
                }
                at += if last == set[at] { 1 } else { 3 };
            }
            None
        }
        literal => (*literal == byte).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Index {
        let module = |path: &str, needs: &[&str]| Module {
            path: path.to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
        };
        Index {
            modules: [
                ("e1000e".to_owned(), module("k/e1000e.ko", &["ptp"])),
                ("pps_core".to_owned(), module("k/pps_core.ko", &[])),
                (
                    "ptp".to_owned(),
                    module("k/ptp.ko", &["pps_core", "absent"]),
                ),
            ]
            .into(),
            aliases: vec![(
                "e1000e".to_owned(),
                "pci:v00008086d000010D3sv*sd*bc*sc*i*".to_owned(),
            )],
            always: vec!["ptp".to_owned()],
        }
    }

    #[test]
    fn text_and_back() {
        assert_eq!(Index::decode(&sample().encode()), sample());
        assert_eq!(Index::decode("x\nm\nm a\na b\n\nz q r\n"), Index::default());
    }

    #[test]
    fn needs_come_first_and_circles_end() {
        let mut index = sample();
        assert_eq!(index.order("e1000e"), ["pps_core", "ptp", "e1000e"]);
        assert!(index.order("absent").is_empty());
        let pps = index.modules.get_mut("pps_core").unwrap();
        pps.needs.push("e1000e".to_owned());
        assert_eq!(index.order("ptp"), ["e1000e", "pps_core", "ptp"]);
    }

    #[test]
    fn devices_find_their_module() {
        let index = sample();
        let found = |alias: &str| index.serving(alias).map(str::to_owned).collect::<Vec<_>>();
        let device = "pci:v00008086d000010D3sv00008086sd0000A01Fbc02sc00i00";
        assert_eq!(found(device), ["e1000e"]);
        assert_eq!(found("pps-core"), ["pps_core"]);
        assert!(found("pci:v00008086d000010D4sv0sd0bc02sc00i00").is_empty());
    }

    #[test]
    fn patterns_are_the_kernels() {
        let check = |pattern: &str, text: &str, expected: bool| {
            let found = matches(pattern.as_bytes(), text.as_bytes());
            assert_eq!(found, expected, "{pattern} {text}");
        };
        check("a*c*e", "abcde", true);
        check("a*c*e", "abcdef", false);
        check("", "", true);
        check("*", "", true);
        check("?", "", false);
        check("usb:v05ACp*d[0-9]*", "usb:v05ACp1d7x", true);
        check("usb:v05ACp*d[0-9]*", "usb:v05ACp1dx", false);
        check("[abc]x", "bx", true);
        check("[abc", "a", false);
        check("a**b", "ab", true);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".{0,200}", pattern in "[a-c*?\\[\\]-]{0,12}", alias in "[a-c-]{0,12}") {
            let _ = Index::decode(&text).encode();
            let _ = matches(pattern.as_bytes(), alias.as_bytes());
        }
    }
}
