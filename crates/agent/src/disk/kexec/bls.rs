//! Entries of the Boot Loader Specification: a file for each kernel.

use super::{BootEntry, grub};
use std::{cmp::Ordering, collections::BTreeMap};

/// The default entry: the saved one, or the newest.
pub(super) fn default_of(
    entries: &BTreeMap<String, String>,
    environment: &BTreeMap<String, String>,
) -> Result<BootEntry, String> {
    let saved = environment
        .get("saved_entry")
        .and_then(|id| Some((id, entries.get(id)?)));
    let newest = || {
        entries
            .iter()
            .filter(|(id, text)| !id.contains("rescue") && field(text, "linux").is_some())
            .max_by(|a, b| {
                let version = |text: &str| field(text, "version").unwrap_or_default();
                versions(&version(a.1), &version(b.1)).then_with(|| versions(a.0, b.0))
            })
    };
    let (id, text) = saved.or_else(newest).ok_or("no entry has a kernel")?;
    let kernel = field(text, "linux").ok_or_else(|| format!("entry {id} has no kernel"))?;
    let expand = |text: String| grub::expand(&text, environment);
    Ok(BootEntry {
        kernel: expand(kernel),
        initrds: fields(text, "initrd")
            .flat_map(|line| {
                let line = expand(line);
                let paths: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                paths
            })
            .collect(),
        command_line: fields(text, "options")
            .map(expand)
            .collect::<Vec<_>>()
            .join(" "),
        filesystem: None,
    })
}

fn fields<'t>(text: &'t str, key: &str) -> impl Iterator<Item = String> + use<'t> {
    let key = key.to_owned();
    text.lines().filter_map(move |line| {
        let rest = line.trim_start().strip_prefix(key.as_str())?;
        let value = rest.strip_prefix([' ', '\t'])?;
        Some(value.trim().to_owned())
    })
}

fn field(text: &str, key: &str) -> Option<String> {
    fields(text, key).next()
}

/// Compares versions: runs of digits as numbers, the rest as text.
fn versions(a: &str, b: &str) -> Ordering {
    let runs = |text: &str| {
        let mut runs: Vec<(bool, String)> = Vec::new();
        for c in text.chars() {
            let digit = c.is_ascii_digit();
            match runs.last_mut() {
                Some((kind, run)) if *kind == digit => run.push(c),
                _ => runs.push((digit, c.to_string())),
            }
        }
        runs
    };
    let (a, b) = (runs(a), runs(b));
    for ((is_number, left), (_, right)) in a.iter().zip(&b) {
        let order = match (left.parse::<u64>(), right.parse::<u64>()) {
            (Ok(left), Ok(right)) if *is_number => left.cmp(&right),
            _ => left.cmp(right),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_saved_entry_wins_over_the_newest() {
        let entry = |version: &str| {
            format!(
                "title Fedora\nversion {version}\nlinux /vmlinuz-{version}\ninitrd /initramfs-{version}.img $tuned_initrd\n\
                 options root=UUID=1 ro $kernelopts\n# options no\n"
            )
        };
        let mut entries: BTreeMap<String, String> = ["6.9.1", "6.10.0"]
            .map(|version| (format!("m-{version}"), entry(version)))
            .into();
        entries.insert("m-0-rescue".into(), entry("9"));
        let mut environment: BTreeMap<String, String> =
            [("kernelopts".to_owned(), "quiet".to_owned())].into();
        let newest = default_of(&entries, &environment).unwrap();
        assert_eq!(newest.kernel, "/vmlinuz-6.10.0");
        assert_eq!(newest.initrds, ["/initramfs-6.10.0.img"]);
        assert_eq!(newest.command_line, "root=UUID=1 ro quiet");
        environment.insert("saved_entry".into(), "m-6.9.1".into());
        assert_eq!(
            default_of(&entries, &environment).unwrap().kernel,
            "/vmlinuz-6.9.1"
        );
        assert!(default_of(&[("x".into(), "title y".into())].into(), &environment).is_err());
    }
}
