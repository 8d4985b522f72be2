//! The newest lines of the agent's own log, for the command that returns logs.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};
use tracing_subscriber::fmt::MakeWriter;

/// How many bytes are kept.
const ROOM: usize = 1 << 20;

/// A log in memory. Clones are the same log.
#[derive(Debug, Clone, Default)]
pub struct Journal(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    entries: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Journal {
    pub fn text(&self) -> Vec<u8> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.entries.iter().flatten().copied().collect()
    }
}

impl Write for Journal {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.bytes += entry.len();
        lines.entries.push_back(entry.to_owned());
        while lines.bytes > ROOM {
            let Some(oldest) = lines.entries.pop_front() else {
                break;
            };
            lines.bytes -= oldest.len();
        }
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Journal {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_are_kept() {
        let mut journal = Journal::default();
        let line = [b'x'; 1000];
        for _ in 0..2000 {
            journal.write_all(&line).unwrap();
        }
        journal.clone().write_all(b"last\n").unwrap();
        let text = journal.text();
        assert!(text.len() <= ROOM && text.len() > ROOM - 2000);
        assert!(text.ends_with(b"last\n"));
    }
}
