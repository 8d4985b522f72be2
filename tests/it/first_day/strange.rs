//! Listeners that are no BMCs, and count what they are asked.

use std::{
    net::Ipv4Addr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, UdpSocket},
};

/// What a listener does with who comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// Closes at once.
    HangsUp,
    /// Takes everything and says nothing.
    KeepsSilent,
    /// Sends bytes without end.
    Babbles,
    /// Answers like a web server of something else.
    ServesWeb,
    /// Answers like a web server whose body never ends.
    ServesForEver,
}

impl Manner {
    pub(super) const ALL: [Self; 5] = [
        Self::HangsUp,
        Self::KeepsSilent,
        Self::Babbles,
        Self::ServesWeb,
        Self::ServesForEver,
    ];
}

/// How often a listener was asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) connections: AtomicUsize,
    pub(super) datagrams: AtomicUsize,
}

impl Asked {
    pub(super) fn counts(&self) -> (usize, usize) {
        let of = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        (of(&self.connections), of(&self.datagrams))
    }
}

/// Listens on the ports of Redfish (without TLS) and IPMI of an address.
pub(super) async fn listen(address: Ipv4Addr, manner: Manner) -> Arc<Asked> {
    let asked = Arc::new(Asked::default());
    let tcp = TcpListener::bind((address, 443)).await.unwrap();
    let udp = UdpSocket::bind((address, 623)).await.unwrap();
    let counts = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = tcp.accept().await {
            counts.connections.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(serve(stream, manner));
        }
    });
    let counts = Arc::clone(&asked);
    tokio::spawn(async move {
        let mut buffer = [0; 512];
        while let Ok((length, sender)) = udp.recv_from(&mut buffer).await {
            counts.datagrams.fetch_add(1, Ordering::SeqCst);
            let answer: &[u8] = match manner {
                Manner::HangsUp | Manner::KeepsSilent => continue,
                // What was asked, back again; and noise.
                Manner::ServesWeb => buffer.get(..length).unwrap_or_default(),
                Manner::Babbles | Manner::ServesForEver => &[0xff; 400],
            };
            let _ = udp.send_to(answer, sender).await;
        }
    });
    asked
}

async fn serve(mut stream: TcpStream, manner: Manner) {
    let mut buffer = [0; 4096];
    match manner {
        Manner::HangsUp => {}
        Manner::KeepsSilent => {
            while stream
                .read(&mut buffer)
                .await
                .is_ok_and(|length| length > 0)
            {}
        }
        Manner::Babbles => while stream.write_all(&[0x5a; 4096]).await.is_ok() {},
        Manner::ServesWeb => {
            let _ = stream.read(&mut buffer).await;
            let page = "<html>printer</html>";
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", page.len());
            let _ = stream.write_all(format!("{head}{page}").as_bytes()).await;
        }
        Manner::ServesForEver => {
            let _ = stream.read(&mut buffer).await;
            let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            let mut going = stream.write_all(head).await;
            while going.is_ok() {
                let chunk = format!("1000\r\n{}\r\n", "[".repeat(4096));
                going = stream.write_all(chunk.as_bytes()).await;
                tokio::time::sleep(Duration::from_micros(50)).await;
            }
        }
    }
}
