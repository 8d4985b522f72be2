//! Tells the service manager how the service is: the protocol of systemd's `Type=notify`, which is
//! a datagram of lines to the socket that `NOTIFY_SOCKET` names.
//!
//! Without that variable nothing is told, and nothing that goes wrong here keeps the service from
//! its work.

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    os::{
        linux::net::SocketAddrExt,
        unix::{
            ffi::OsStrExt,
            net::{SocketAddr, UnixDatagram},
        },
    },
    time::Duration,
};

/// The service manager (systemd), if `NOTIFY_SOCKET` is set.
#[derive(Debug)]
pub(crate) struct Manager(Option<OsString>);

impl Manager {
    pub(crate) fn from_environment() -> Self {
        Self(env::var_os("NOTIFY_SOCKET").filter(|path| !path.is_empty()))
    }

    /// Requests are answered.
    pub(crate) fn ready(&self, status: &str) {
        self.tell(&format!("READY=1\nSTATUS={status}"));
    }

    /// The end has begun, and will take no longer than this.
    pub(crate) fn stopping(&self, within: Duration) {
        let micros = within.as_micros();
        self.tell(&format!(
            "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC={micros}"
        ));
    }

    /// The status line for `systemctl status`.
    pub(crate) fn status(&self, status: &str) {
        self.tell(&format!("STATUS={status}"));
    }

    fn tell(&self, message: &str) {
        let Some(path) = &self.0 else { return };
        if let Err(error) = send(path, message) {
            tracing::warn!(%error, "cannot notify the service manager (NOTIFY_SOCKET)");
        }
    }
}

fn send(path: &OsStr, message: &str) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    // Non-blocking: a stalled service manager must not stall us.
    socket.set_nonblocking(true)?;
    let address = match path.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(path)?,
    };
    socket.send_to_addr(message.as_bytes(), &address)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(socket: &UnixDatagram) -> String {
        let mut buffer = [0; 256];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    #[test]
    fn a_manager_hears_of_start_and_stop() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        let manager = Manager(Some(path.into_os_string()));
        manager.ready("listening");
        assert_eq!(heard(&socket), "READY=1\nSTATUS=listening");
        manager.status("draining");
        assert_eq!(heard(&socket), "STATUS=draining");
        manager.stopping(Duration::from_secs(81));
        let stopping = "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=81000000";
        assert_eq!(heard(&socket), stopping);
    }

    #[test]
    fn abstract_names_are_understood_and_silence_is_no_error() {
        let name = format!("corten-notify-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        Manager(Some(format!("@{name}").into())).status("here");
        assert_eq!(heard(&socket), "STATUS=here");
        Manager(None).ready("nobody asked");
        Manager(Some("/nonexistent/socket".into())).ready("nobody listens");
    }
}
