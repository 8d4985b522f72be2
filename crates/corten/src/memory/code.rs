//! Code that is not run any more does not count as memory of the process.
//!
//! The kernel maps pages of the program 64 KiB at a time, so the start alone (command line, tables of
//! options, migrations) maps nearly all of it, and a process that does nothing looks as large as its
//! program. Once the process is idle, its code is unmapped; what still runs is mapped again from the
//! page cache, by a few hundred faults of a microsecond each.

#![expect(
    clippy::disallowed_methods,
    reason = "/proc answers without a disk, and this runs on a thread that may wait"
)]

use std::{fs, io, ops::Range, path::Path};

/// Unmaps the program's code. Returns how many bytes of addresses that were.
pub(super) fn unmap() -> io::Result<usize> {
    let program = fs::read_link("/proc/self/exe")?;
    let maps = fs::read_to_string("/proc/self/maps")?;
    let mut total = 0;
    for range in code_of(&program, &maps) {
        total += range.len();
        unmap_range(&range)?;
    }
    Ok(total)
}

#[allow(unsafe_code)]
fn unmap_range(range: &Range<usize>) -> io::Result<()> {
    let start = std::ptr::without_provenance_mut(range.start);
    // SAFETY: the range is one mapping of the program's own file that cannot be written to, so every
    // page of it is what the file has, and the next access reads that again (madvise(2),
    // MADV_DONTNEED on a private mapping of a file). No thread can observe a difference.
    let result = unsafe { libc::madvise(start, range.len(), libc::MADV_DONTNEED) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The mappings of the program's code in the text of /proc/self/maps (proc_pid_maps(5)).
///
/// Only executable ones: of those that can merely be read, one holds addresses that the dynamic
/// linker has written, which the file does not have.
fn code_of<'a>(program: &'a Path, maps: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    maps.lines().filter_map(move |line| {
        let mut words = line.split_ascii_whitespace();
        let (addresses, rights) = (words.next()?, words.next()?);
        if rights != "r-xp" || Path::new(words.nth(3)?) != program {
            return None;
        }
        let (start, end) = addresses.split_once('-')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        (start < end).then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
5581a3e00000-5581a4513000 r--p 00000000 fe:00 1234 /usr/bin/corten
5581a4514000-5581a5f37000 r-xp 00713000 fe:00 1234 /usr/bin/corten
5581a5f37000-5581a6050000 r--p 02135000 fe:00 1234 /usr/bin/corten
5581a6050000-5581a6059000 rw-p 0224e000 fe:00 1234 /usr/bin/corten
7f0000000000-7f0000155000 r-xp 00026000 fe:00 99 /usr/lib/x86_64-linux-gnu/libc.so.6
7f0000200000-7f0000201000 rwxp 00000000 00:00 0
7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0 [vdso]
";

    #[test]
    fn only_code_of_the_program_itself_is_unmapped() {
        let found: Vec<_> = code_of(Path::new("/usr/bin/corten"), MAPS).collect();
        assert_eq!(found, vec![0x5581_a451_4000..0x5581_a5f3_7000]);
        assert_eq!(code_of(Path::new("/usr/bin/other"), MAPS).count(), 0);
    }

    #[test]
    fn the_process_goes_on_after_its_code_was_unmapped() {
        assert!(unmap().unwrap() > 0);
        assert_eq!("7".parse(), Ok(7));
    }
}
