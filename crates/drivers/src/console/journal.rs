//! What machines say on their serial lines, in files.
//!
//! Each machine has a file of its own, which is put aside when it is full; the oldest one put
//! aside is deleted. Only the machine's side is kept, as it is: what users type is not in it,
//! unless the machine repeats it. A line that is lost is opened again for as long as the console
//! is on.

#![expect(clippy::disallowed_types, reason = "written in spawn_blocking")]

use super::Hub;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
    time::Duration,
};
use tokio::time::sleep;
use types::console::{ConsoleOutput, ConsoleWish};

/// How long to wait before a lost line is opened again, at first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(300));

/// Where logs of consoles go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    pub folder: PathBuf,
    /// How many bytes a file may have.
    pub bytes: u64,
    /// How many full files are kept besides.
    pub kept: u32,
}

struct Journal {
    settings: LogSettings,
    name: String,
    file: File,
    length: u64,
}

impl Journal {
    #[expect(
        clippy::disallowed_methods,
        reason = "only called from threads that may wait"
    )]
    fn open(settings: LogSettings, name: String) -> io::Result<Self> {
        fs::create_dir_all(&settings.folder)?;
        let path = settings.folder.join(format!("{name}.log"));
        // Passwords are typed on consoles, and some programs show them.
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)?;
        let length = file.metadata()?.len();
        Ok(Self {
            settings,
            name,
            file,
            length,
        })
    }

    fn path(&self, age: u32) -> PathBuf {
        let folder = &self.settings.folder;
        match age {
            0 => folder.join(format!("{}.log", self.name)),
            age => folder.join(format!("{}.log.{age}", self.name)),
        }
    }

    fn write(&mut self, characters: &[u8]) -> io::Result<()> {
        if self.length > 0 && self.length + characters.len() as u64 > self.settings.bytes {
            self.turn()?;
        }
        self.file.write_all(characters)?;
        self.length += characters.len() as u64;
        Ok(())
    }

    /// Puts the full file aside.
    #[expect(
        clippy::disallowed_methods,
        reason = "only called from threads that may wait"
    )]
    fn turn(&mut self) -> io::Result<()> {
        if self.settings.kept == 0 {
            self.file.set_len(0)?;
            self.length = 0;
            return Ok(());
        }
        for age in (0..self.settings.kept).rev() {
            match fs::rename(self.path(age), self.path(age + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        *self = Self::open(self.settings.clone(), self.name.clone())?;
        Ok(())
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// Keeps a log until the console is switched off.
pub(super) async fn keep(hub: Hub, settings: LogSettings, name: String) {
    let file = name.clone();
    let mut journal = match blocking(move || Journal::open(settings, file)).await {
        Ok(journal) => journal,
        Err(error) => {
            tracing::error!(node = name, %error, "the log of a console cannot be opened");
            return;
        }
    };
    let mut stop = hub.0.stop.subscribe();
    let mut pause = PAUSE.0;
    while !*stop.borrow() {
        match hub.enter(ConsoleWish::default(), true).await {
            Ok(mut line) => {
                pause = PAUSE.0;
                while let Some(output) = line.reader.next().await {
                    let ConsoleOutput::Characters(characters) = output else {
                        continue;
                    };
                    let written = blocking(move || {
                        journal.write(&characters)?;
                        Ok(journal)
                    });
                    journal = match written.await {
                        Ok(journal) => journal,
                        Err(error) => {
                            tracing::error!(node = name, %error, "the log of a console ends");
                            return;
                        }
                    };
                }
            }
            Err(error) => {
                tracing::warn!(node = name, %error, "the log of a console has to wait");
            }
        }
        tokio::select! {
            () = sleep(pause) => pause = (pause * 2).min(PAUSE.1),
            _ = stop.wait_for(|stopped| *stopped) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_files_are_put_aside_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let settings = LogSettings {
            folder: folder.path().join("logs"),
            bytes: 10,
            kept: 2,
        };
        let mut journal = Journal::open(settings.clone(), "n".into()).unwrap();
        for text in ["one......", "two......", "three....", "four.....", "5"] {
            journal.write(text.as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(settings.folder.join(name)).unwrap();
        assert_eq!(read("n.log"), "four.....5");
        assert_eq!(read("n.log.1"), "three....");
        assert_eq!(read("n.log.2"), "two......");
        assert_eq!(fs::read_dir(&settings.folder).unwrap().count(), 3);
        drop(journal);
        let mut journal = Journal::open(settings.clone(), "n".into()).unwrap();
        journal.write(b"later").unwrap();
        assert_eq!(read("n.log"), "later");
        assert_eq!(read("n.log.1"), "four.....5");
    }
}
