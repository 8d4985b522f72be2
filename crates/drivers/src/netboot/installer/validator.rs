//! Has kickstart files looked at by pykickstart, where that is installed: only it knows their grammar.
//!
//! The program is given a copy, in a folder of its own where it also puts what it makes of it: the file
//! has the token and the user's data in it, and the program leaves its part behind. The folder is removed
//! whatever happens. `%ksappend`, by which the program would read any file of this host and fetch any
//! address, is for the installer to follow, and a comment in the copy; `%include` the program follows
//! only where it is told to.

use super::Temporary;
use crate::{DriverError, Failure};
use std::{
    ffi::OsStr,
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
};
use types::hex;

pub(super) const PROGRAM: &str = "ksvalidator";
/// As long as a program may look at a file of some hundred lines.
const PATIENCE: Duration = Duration::from_secs(60);
/// So much of what it says is read, of each stream.
const MOST_READ: u64 = 1 << 16;
/// So many characters of the reason are told.
const MOST_TOLD: usize = 1000;
/// What the program says of every file.
const REMARK: &str = "Checking kickstart file";
const APPEND: &str = "%ksappend";
const COMMENT: &str = "#ksappend";

/// Has a kickstart file looked at, and gives it back.
pub(super) async fn validate(
    program: &OsStr,
    text: String,
    token: &str,
) -> Result<String, DriverError> {
    let failed = |what: &str, error| {
        DriverError::Environment(Failure::because(format!("cannot {what}"), error))
    };
    let mut random = [0; 16];
    let filled = getrandom::fill(&mut random).map_err(io::Error::other);
    filled.map_err(|error| failed("make a random name", error))?;
    let path = std::env::temp_dir().join(format!("corten-ks-{}", hex::encode(&random)));
    let folder = Temporary::new(path.clone());
    let place = path.clone();
    let written = tokio::task::spawn_blocking(move || (write(&place, &text), text));
    let (written, text) = written
        .await
        .map_err(|error| failed("write a kickstart file", io::Error::other(error)))?;
    let file = written.map_err(|error| failed("copy the kickstart file", error))?;
    let looked = tokio::time::timeout(PATIENCE, run(program, &file, &path)).await;
    folder.remove().await;
    let said = match looked {
        Ok(Ok(said)) => said,
        Ok(Err(error)) if error.kind() == io::ErrorKind::NotFound => {
            tracing::debug!("{PROGRAM} is not installed, so kickstart files are not validated");
            return Ok(text);
        }
        Ok(Err(error)) => return Err(failed("run ksvalidator", error)),
        Err(_) => {
            return Err(DriverError::Unfinished(Failure::new(format!(
                "{PROGRAM} took longer than {} s",
                PATIENCE.as_secs()
            ))));
        }
    };
    if said.status.success() {
        return Ok(text);
    }
    Err(DriverError::InvalidParameter(format!(
        "The kickstart file generated does not pass validation. The ksvalidator tool returned the following error: {}",
        said.reason(token)
    )))
}

/// Makes the folder with the copy that is looked at.
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "called on a thread that may wait"
)]
fn write(folder: &Path, text: &str) -> io::Result<PathBuf> {
    std::fs::DirBuilder::new().mode(0o700).create(folder)?;
    let path = folder.join("ks.cfg");
    let mut options = std::fs::File::options();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    // Wherever it stands: what a line is, Python sees differently.
    file.write_all(text.replace(APPEND, COMMENT).as_bytes())?;
    Ok(path)
}

/// What the program came to.
struct Said {
    status: ExitStatus,
    streams: [Vec<u8>; 2],
}

#[expect(
    clippy::disallowed_methods,
    reason = "the grammar of kickstart files is known by pykickstart only"
)]
async fn run(program: &OsStr, file: &Path, folder: &Path) -> io::Result<Said> {
    let mut child = Command::new(program)
        .arg(file)
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (out, err, status) = tokio::try_join!(read(out), read(err), child.wait())?;
    Ok(Said {
        status,
        streams: [out, err],
    })
}

/// The beginning of a stream, which is read to its end.
async fn read(stream: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut said = Vec::new();
    if let Some(mut stream) = stream {
        let mut start = (&mut stream).take(MOST_READ);
        start.read_to_end(&mut said).await?;
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    }
    Ok(said)
}

impl Said {
    /// Why the file was refused. The program quotes it, with the token in it.
    fn reason(&self, token: &str) -> String {
        let streams = self.streams.each_ref();
        let [out, err] = streams.map(|stream| String::from_utf8_lossy(stream));
        let lines = out.lines().chain(err.lines()).map(str::trim);
        let lines: Vec<&str> = lines
            .filter(|line| !line.is_empty() && !line.starts_with(REMARK))
            .collect();
        let reason = lines.join(" ").replace(token, "******");
        match reason.char_indices().nth(MOST_TOLD) {
            Some((at, _)) => format!("{}…", reason.get(..at).unwrap_or_default()),
            None if reason.is_empty() => format!("{PROGRAM} gave no reason: {}", self.status),
            None => reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    /// A program that does this, beside which it keeps what it saw.
    struct Stage(tempfile::TempDir);

    impl Stage {
        fn new(script: &str) -> Self {
            let stage = Self(tempfile::tempdir().unwrap());
            let folder = stage.0.path().display();
            let text = format!("#!/bin/sh\nkept='{folder}'\n{script}\n");
            fs::write(stage.program(), text).unwrap();
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(stage.program(), mode).unwrap();
            stage
        }

        fn program(&self) -> PathBuf {
            self.0.path().join(PROGRAM)
        }

        async fn validate(&self, text: &str) -> Result<String, DriverError> {
            validate(self.program().as_ref(), text.to_owned(), "a-token").await
        }

        fn kept(&self, name: &str) -> String {
            fs::read_to_string(self.0.path().join(name)).unwrap()
        }

        /// The folder that the program was given is gone.
        fn nothing_is_left(&self) -> bool {
            !Path::new(self.kept("folder").trim()).exists()
        }
    }

    const NOTES: &str = "cp \"$1\" \"$kept/seen\"; echo \"$TMPDIR\" > \"$kept/folder\"; \
        stat -c %a \"$TMPDIR\" \"$1\" > \"$kept/modes\"; cp \"$1\" \"$TMPDIR/tmp-ks.cfg\"";

    #[tokio::test]
    async fn the_program_sees_a_copy_that_names_no_other_files() {
        let stage = Stage::new(NOTES);
        let text = "text\n%ksappend /etc/shadow\nx\u{2028}%ksappend http://h/\n";
        assert_eq!(stage.validate(text).await.unwrap(), text);
        let seen = stage.kept("seen");
        assert!(!seen.contains(APPEND), "{seen}");
        assert!(seen.starts_with("text\n#ksappend /etc/shadow\n"), "{seen}");
        assert_eq!(stage.kept("modes"), "700\n600\n");
        assert!(stage.nothing_is_left());
    }

    #[tokio::test]
    async fn the_reason_is_told_without_the_token_and_not_at_any_length() {
        let stage = Stage::new(&format!(
            "{NOTES}; printf '\\nChecking kickstart file %s\\n\\n' \"$1\"; \
             echo 'The following problem occurred on line 3 of the kickstart file:'; echo; \
             echo 'Unknown command: a-token'; echo 'More' >&2; exit 1"
        ));
        let refused = stage.validate("text").await.unwrap_err().to_string();
        let end = "following error: The following problem occurred on line 3 of the kickstart file: Unknown command: ****** More";
        assert!(refused.ends_with(end), "{refused}");
        assert!(stage.nothing_is_left());
        let endless = Stage::new(&format!(
            "{NOTES}; head -c 3000000 /dev/zero | tr '\\0' x; exit 1"
        ));
        let refused = endless.validate("text").await.unwrap_err().to_string();
        assert!(
            refused.ends_with("xxx…") && refused.len() < 2000,
            "{}",
            refused.len()
        );
        let silent = Stage::new(&format!("{NOTES}; exit 2"));
        let refused = silent.validate("text").await.unwrap_err().to_string();
        assert!(
            refused.contains("gave no reason: exit status: 2"),
            "{refused}"
        );
    }

    #[tokio::test]
    async fn a_service_without_the_program_validates_nothing() {
        let stage = Stage::new(NOTES);
        fs::remove_file(stage.program()).unwrap();
        assert_eq!(stage.validate("text").await.unwrap(), "text");
    }

    #[test]
    fn a_validation_that_is_cancelled_leaves_nothing() {
        // Without a writer the FIFO keeps the program from ending.
        let stage = Stage::new(&format!(
            "{NOTES}; mkfifo \"$kept/begun\"; read x < \"$kept/begun\""
        ));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let begun = stage.0.path().join("begun");
        runtime.block_on(async {
            tokio::select! {
                ended = stage.validate("text") => panic!("{ended:?}"),
                () = async {
                    while !begun.exists() {
                        tokio::task::yield_now().await;
                    }
                } => {}
            }
        });
        // It waits for what was begun on other threads.
        drop(runtime);
        assert!(stage.nothing_is_left());
    }
}
