//! A real OpenSSH server on loopback that lets one key in.

use crate::port;
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

/// A server that runs.
pub(crate) struct Sshd {
    process: Child,
    pub(crate) port: u16,
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn keygen(path: &Path) -> bool {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(path)
        .status();
    made.is_ok_and(|status| status.success())
}

/// Starts a server. Its key is `host` in the folder, and the one that it lets in is `user`; `more` is
/// what else its configuration says.
pub(crate) async fn start(folder: &Path, more: &str) -> Option<Sshd> {
    let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].into_iter();
    let program = program.map(Path::new).find(|path| path.exists())?;
    if !keygen(&folder.join("host")) || !keygen(&folder.join("user")) {
        return None;
    }
    let port = port::free();
    let here = folder.display();
    let config = format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {here}/host\n\
         AuthorizedKeysFile {here}/user.pub\nStrictModes no\nUsePAM no\nPidFile none\n\
         PasswordAuthentication no\nPermitRootLogin prohibit-password\n{more}"
    );
    fs::write(folder.join("sshd_config"), config).unwrap();
    // Where it wants to be told apart from users.
    let _ = fs::create_dir_all("/run/sshd");
    let process = Command::new(program)
        .args(["-D", "-e", "-f"])
        .arg(folder.join("sshd_config"))
        .stdin(Stdio::null())
        .stderr(fs::File::create(folder.join("sshd.log")).unwrap())
        .spawn()
        .ok()?;
    let mut server = Sshd { process, port };
    while tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .is_err()
    {
        if let Ok(Some(_)) = server.process.try_wait() {
            println!("{}", fs::read_to_string(folder.join("sshd.log")).unwrap());
            return None;
        }
        tokio::task::yield_now().await;
    }
    Some(server)
}

/// Who runs the tests, and may log in.
pub(crate) fn user() -> String {
    let name = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(name.stdout).unwrap().trim().to_owned()
}
