//! The screen of a QEMU process, at a port that stays the same while processes come and go.
//!
//! QEMU serves VNC at a socket in the machine's folder; connections of the port are passed on to it. The
//! connections of a machine that is off end at once.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener as Bound},
    path::PathBuf,
};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, UnixStream},
    task::JoinSet,
};

/// Listens at a free port of the loopback, until the set is dropped.
pub(super) fn begin(socket: PathBuf, tasks: &mut JoinSet<()>) -> io::Result<SocketAddr> {
    let bound = Bound::bind((Ipv4Addr::LOCALHOST, 0))?;
    bound.set_nonblocking(true)?;
    let listener = TcpListener::from_std(bound)?;
    let address = listener.local_addr()?;
    tasks.spawn(serve(listener, socket));
    Ok(address)
}

async fn serve(listener: TcpListener, socket: PathBuf) {
    let mut viewers = JoinSet::new();
    while let Ok((mut viewer, _)) = listener.accept().await {
        while viewers.try_join_next().is_some() {}
        let socket = socket.clone();
        viewers.spawn(async move {
            if let Ok(mut screen) = UnixStream::connect(socket).await {
                // One of the two has gone.
                let _ = copy_bidirectional(&mut viewer, &mut screen).await;
            }
        });
    }
}
