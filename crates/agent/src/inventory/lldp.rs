//! What switches say of themselves (LLDP, IEEE 802.1AB).
//!
//! A switch sends a frame every half a minute; one frame from each interface is enough. Frames are
//! handed on as they came, field by field, for the service to make sense of.

use crate::netlink::{Link, Netlink};
use serde_json::{Value, json};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::Path,
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};
use types::hex;

const ETHERTYPE: u16 = 0x88cc;
/// Two addresses and the type.
const ETHERNET: usize = 14;
const LARGEST: usize = 1600;

/// Fields by interface: kind and contents.
pub type Heard = BTreeMap<String, Vec<(u8, Vec<u8>)>>;

/// What was heard when somebody asked first. Switches say the same again and again, and listening
/// takes half a minute.
pub fn heard(limit: Duration) -> Heard {
    static HEARD: OnceLock<Heard> = OnceLock::new();
    HEARD.get_or_init(|| listen(limit)).clone()
}

/// Listens on all interfaces of devices at once; those that hear nothing have no fields.
fn listen(limit: Duration) -> Heard {
    let links = Netlink::open().and_then(|mut kernel| kernel.links());
    let links: Vec<Link> = links
        .unwrap_or_default()
        .into_iter()
        .filter(|link| {
            let device = Path::new("/sys/class/net").join(&link.name).join("device");
            link.mac.is_some() && device.exists()
        })
        .collect();
    thread::scope(|scope| {
        let listeners: Vec<_> = links
            .iter()
            .map(|link| scope.spawn(move || listen_on(link, limit)))
            .collect();
        let heard = listeners.into_iter().zip(&links).map(|(listener, link)| {
            let fields = listener.join().unwrap_or_else(|_| Ok(Vec::new()));
            let fields = fields.unwrap_or_else(|error| {
                tracing::warn!("cannot listen for LLDP on {}: {error}", link.name);
                Vec::new()
            });
            (link.name.clone(), fields)
        });
        heard.collect()
    })
}

fn listen_on(link: &Link, limit: Duration) -> io::Result<Vec<(u8, Vec<u8>)>> {
    let until = Instant::now() + limit;
    let mut kernel = Netlink::open()?;
    let mut socket = open(link.index)?;
    kernel.hear_all_groups(link.index, true)?;
    let mut frame = [0; LARGEST];
    let heard = loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break Ok(Vec::new());
        }
        socket.set_read_timeout(Some(left))?;
        match socket.read(&mut frame) {
            Ok(count) if count > ETHERNET => break Ok(fields(&frame[ETHERNET..count])),
            Ok(_) => {}
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {}
                _ => break Err(error),
            },
        }
    };
    kernel.hear_all_groups(link.index, false)?;
    heard
}

/// A socket that hears frames of this kind on one interface.
#[allow(unsafe_code)]
fn open(index: u32) -> io::Result<Socket> {
    let protocol = i32::from(ETHERTYPE.to_be());
    let socket = Socket::new(Domain::PACKET, Type::RAW, Some(Protocol::from(protocol)))?;
    // `struct sockaddr_ll`: family, protocol, index, and what only a sender fills.
    let mut address = Vec::with_capacity(20);
    let family = u16::try_from(i32::from(Domain::PACKET)).map_err(io::Error::other)?;
    address.extend(family.to_ne_bytes());
    address.extend(ETHERTYPE.to_be_bytes());
    address.extend(index.to_ne_bytes());
    address.resize(20, 0);
    // SAFETY: the storage is at least as large as any address, so 20 bytes fit; they are a complete
    // sockaddr_ll, and the length says how many there are.
    let (_, address) = unsafe {
        SockAddr::try_init(|storage, length| {
            storage
                .cast::<u8>()
                .copy_from_nonoverlapping(address.as_ptr(), address.len());
            *length = 20;
            Ok(())
        })
    }?;
    socket.bind(&address)?;
    Ok(socket)
}

/// The fields of a frame: seven bits of kind, nine of length, and the contents.
fn fields(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut fields = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*head) & 0x1ff).min(rest.len());
        let (contents, rest) = rest.split_at(length);
        let kind = head[0] >> 1;
        fields.push((kind, contents.to_vec()));
        // What follows the end is padding of short frames.
        if kind == 0 {
            break;
        }
        bytes = rest;
    }
    fields
}

/// `[[kind, hexadecimal], …]`
pub(super) fn to_json(fields: &[(u8, Vec<u8>)]) -> Value {
    fields
        .iter()
        .map(|(kind, contents)| json!([kind, hex::encode(contents)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_frame() {
        let frame = [2, 3, 4, 0xaa, 0xbb, 6, 2, 0, 120, 0, 0, 0, 0, 0];
        let found = fields(&frame);
        let expected = [(1, vec![4, 0xaa, 0xbb]), (3, vec![0, 120]), (0, vec![])];
        assert_eq!(found, expected);
        assert_eq!(
            to_json(&found),
            json!([[1, "04aabb"], [3, "0078"], [0, ""]])
        );
        assert_eq!(fields(&[2, 200, 1]), [(1, vec![1])]);
        assert!(fields(&[2]).is_empty());
    }
}
