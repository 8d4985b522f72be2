//! People log in: to the installed system by SSH with the key of its config drive, to the rescue
//! system by SSH and on the serial console with the password that was asked for.

use super::{BOOT_PATIENCE, Flow, NODE};
use crate::{
    lan::ADDRESS,
    program::{command, output, run, wait},
};
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

const PASSWORD: &str = "look-inside-3";
/// A system that has just started makes a host key first, which an emulated processor takes long for.
const LOGIN_PATIENCE: Duration = Duration::from_secs(300);
const CONSOLE_PORT: u16 = 9023;
const TYPING_PAUSE: Duration = Duration::from_secs(3);

impl Flow<'_> {
    /// The public half of the leg's SSH key, which is made when it is first wanted.
    pub(super) fn key(&self) -> Result<String> {
        let file = self.key_file();
        if !file.exists() {
            let name = file.display().to_string();
            run(
                "ssh-keygen",
                &["-q", "-t", "ed25519", "-N", "", "-C", "e2e", "-f", &name],
            )?;
        }
        Ok(fs::read_to_string(file.with_extension("pub"))?
            .trim()
            .to_owned())
    }

    fn key_file(&self) -> PathBuf {
        self.folder.join("key")
    }

    /// The installed system has an address by DHCP, and its owner logs in.
    pub(super) fn lets_in(&self, from: usize) -> Result<()> {
        let said = self.machine.says("E2E network ", from, BOOT_PATIENCE)?;
        let address = said
            .rsplit_once("address=")
            .map(|(_, address)| address.trim().to_owned())
            .context("the installed system has no address")?;
        let key = self.key_file();
        let told = self.ssh("root", &address, "cat /proc/cmdline", &|ssh| {
            ssh.args(["-o", "PasswordAuthentication=no", "-i"])
                .arg(&key);
        })?;
        ensure!(told.contains("e2e.raid"), "this is another system: {told}");
        Ok(())
    }

    /// Rescued, logged in to in both ways, and back.
    pub(super) fn rescue(&self) -> Result<()> {
        self.asks(&["rescue", "--rescue-password", PASSWORD], "rescue")?;
        let timeline = self.service.json(&["node", "timeline", NODE])?;
        let address = timeline
            .pointer("/flows/0/address")
            .and_then(|address| address.as_str())
            .with_context(|| format!("the timeline names no address: {timeline}"))?;
        let ask = self.folder.join("password");
        fs::write(&ask, format!("#!/bin/sh\necho {PASSWORD}\n"))?;
        fs::set_permissions(&ask, fs::Permissions::from_mode(0o700))?;
        let line = "ls /etc/.rescued";
        let told = self.ssh("rescue", address, line, &|ssh| with_password(ssh, &ask))?;
        ensure!(told.contains("rescued"), "this is another system: {told}");
        self.logs_in_on_the_console()?;

        let before = self.machine.said();
        self.asks(&["unrescue"], "active")?;
        self.boots(before)?;
        self.lets_in(before)
    }

    /// Runs a command on the machine, as soon as that lets anybody in.
    fn ssh(
        &self,
        user: &str,
        address: &str,
        line: &str,
        more: &dyn Fn(&mut std::process::Command),
    ) -> Result<String> {
        let mut last = String::new();
        let told = wait(LOGIN_PATIENCE, || {
            let mut ssh = command("ssh");
            ssh.args([
                "-o",
                "StrictHostKeyChecking=no",
                "-o",
                "UserKnownHostsFile=/dev/null",
            ])
            .args(["-o", "ConnectTimeout=20", "-o", "NumberOfPasswordPrompts=1"])
            .args(["-o", "LogLevel=ERROR", "-F", "none"]);
            more(&mut ssh);
            ssh.arg(format!("{user}@{address}")).arg(line);
            match output(&mut ssh) {
                Ok(told) => Ok(Some(told)),
                Err(error) => {
                    last = format!("{error:#}");
                    Ok(None)
                }
            }
        });
        told.with_context(|| format!("{user} cannot log in at {address}: {last}"))
    }

    /// Types name and password on the serial line, through the service.
    fn logs_in_on_the_console(&self) -> Result<()> {
        let port = format!("ipmi_terminal_port={CONSOLE_PORT}");
        self.service
            .cli(&["node", "set", NODE, "--driver-info", &port])?;
        self.service.cli(&["node", "console", "enable", NODE])?;
        let place: SocketAddr = format!("{ADDRESS}:{CONSOLE_PORT}").parse()?;
        let mut line = wait(LOGIN_PATIENCE, || Ok(TcpStream::connect(place).ok()))
            .context("nobody serves the console")?;
        line.set_read_timeout(Some(Duration::from_millis(500)))?;
        // Whatever was on the line before is no prompt of ours.
        line.write_all(b"\n")?;
        hears(&mut line, &["login:"])?;
        line.write_all(b"rescue\n")?;
        hears(&mut line, &["assword:"])?;
        // What is typed in the moment after the question is thrown away, and a slow machine takes
        // long for a moment.
        thread::park_timeout(TYPING_PAUSE);
        line.write_all(format!("{PASSWORD}\n").as_bytes())?;
        let answer = hears(&mut line, &["incorrect", "# ", "$ "])?;
        ensure!(
            answer != "incorrect",
            "the password is refused on the console"
        );
        // What is typed is repeated, so what is looked for is not what is typed.
        line.write_all(b"echo \"on the $((40 + 2)) line\"\n")?;
        hears(&mut line, &["on the 42 line"])?;
        line.write_all(b"exit\n")?;
        self.service.cli(&["node", "console", "disable", NODE])?;
        Ok(())
    }
}

/// Has SSH ask a program for the password, since there is no terminal.
fn with_password(ssh: &mut std::process::Command, ask: &Path) {
    ssh.args(["-o", "PubkeyAuthentication=no"])
        .env("SSH_ASKPASS", ask)
        .env("SSH_ASKPASS_REQUIRE", "force")
        .env("DISPLAY", ":0");
}

/// Waits for one of these words on the serial line.
fn hears<'a>(line: &mut TcpStream, words: &[&'a str]) -> Result<&'a str> {
    let mut heard = String::new();
    let found = wait(LOGIN_PATIENCE, || {
        let mut bytes = [0; 4096];
        match line.read(&mut bytes) {
            Ok(0) => anyhow::bail!("the console was closed"),
            Ok(count) => heard += &String::from_utf8_lossy(bytes.get(..count).unwrap_or_default()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(words.iter().copied().find(|word| heard.contains(word)))
    });
    found.with_context(|| format!("the console does not say {words:?} but: {heard}"))
}
