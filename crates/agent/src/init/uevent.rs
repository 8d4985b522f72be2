//! Devices: those that are there, and those that come later.
//!
//! Every device says in `modalias` what it is. Those known to the kernel at the start are looked up
//! in /sys; for the others the kernel sends a message. It is listened to before the looking starts,
//! so none is missed; a device seen twice costs nothing.

use super::{console, module::Loader};
use rustix::{
    fd::OwnedFd,
    io::Errno,
    net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, netlink, recv, socket_with},
};
use std::{fs, io, path::Path, sync::Arc};

/// Messages of the kernel, and not those of programs.
const KERNEL: u32 = 1;
const ROOM: usize = 16 << 10;
/// Machines with hundreds of disks say much at once.
const BACKLOG: usize = 16 << 20;

pub(super) fn spawn(modules: Arc<Loader>) -> io::Result<()> {
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::KOBJECT_UEVENT),
    )?;
    let _ = rustix::net::sockopt::set_socket_recv_buffer_size_force(&socket, BACKLOG);
    bind(&socket, &netlink::SocketAddrNetlink::new(0, KERNEL))?;
    super::spawn("devices", move || listen(&socket, &modules))
}

fn listen(socket: &OwnedFd, modules: &Loader) {
    let mut bytes = vec![0; ROOM];
    loop {
        match recv(socket, &mut bytes[..], RecvFlags::empty()) {
            Ok((count, _)) => {
                if let Some(alias) = bytes.get(..count).and_then(added) {
                    modules.serve(&alias);
                }
            }
            Err(Errno::INTR) => {}
            // Some messages were lost; /sys still knows the devices.
            Err(Errno::NOBUFS) => coldplug(modules, Path::new("/sys/devices")),
            Err(error) => {
                console::say(&format!(
                    "cannot listen for device events (uevents) any more: {error}"
                ));
                return;
            }
        }
    }
}

/// What a device calls itself that was added.
fn added(message: &[u8]) -> Option<String> {
    let mut fields = message
        .split(|byte| *byte == 0)
        .filter_map(|field| std::str::from_utf8(field).ok());
    let wanted = fields.next()?.starts_with("add@");
    let alias = fields.find_map(|field| field.strip_prefix("MODALIAS="))?;
    wanted.then(|| alias.to_owned())
}

/// Loads modules for all devices below a folder of /sys.
pub(super) fn coldplug(modules: &Loader, folder: &Path) {
    // Links lead back and forth between devices; the tree itself has none.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            coldplug(modules, &entry.path());
        } else if entry.file_name() == "modalias"
            && let Ok(alias) = fs::read_to_string(entry.path())
        {
            modules.serve(&alias);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_kernel() {
        let message = b"add@/devices/x\0ACTION=add\0MODALIAS=pci:v1\0SEQNUM=7\0";
        assert_eq!(added(message).as_deref(), Some("pci:v1"));
        assert_eq!(added(b"remove@/devices/x\0MODALIAS=pci:v1\0"), None);
        assert_eq!(added(b"add@/devices/x\0ACTION=add\0"), None);
        assert_eq!(added(b"\xff\0"), None);
    }
}
