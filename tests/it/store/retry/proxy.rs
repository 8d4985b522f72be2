//! Stands between the store and MariaDB, and does to statements what clusters and networks do: a
//! commit is refused as Galera refuses it, or its answer never comes.

use crate::database::Database;
use std::{
    io::{Read, Result, Write},
    net::{Shutdown, TcpListener, TcpStream},
    os::unix::net::UnixStream,
    sync::{Arc, Mutex},
};
use store::{Location, MariaDb};

/// What becomes of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Pass,
    /// The server rolls back, and the client is told this error.
    Refuse(u16, &'static str),
    /// The connection ends, and the server never sees the statement.
    CutBefore,
    /// The server runs the statement, and the client is told this error.
    Deny(u16, &'static str),
    /// The server runs the statement, and the connection ends instead of an answer.
    CutAfter,
}

type Plan = Arc<Mutex<Box<dyn FnMut(&str) -> Act + Send>>>;

pub(super) struct Proxy {
    port: u16,
    database: String,
    plan: Plan,
}

impl Proxy {
    /// A proxy before the server of a database; it lets everything pass until it is told otherwise.
    pub(super) fn start(database: &Database) -> Self {
        let url = database.url();
        let (place, socket) = url.split_once("?unix_socket=").unwrap();
        let (_, name) = place.rsplit_once('/').unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            database: name.to_owned(),
            plan: Arc::new(Mutex::new(Box::new(|_| Act::Pass))),
        };
        let (plan, socket) = (Arc::clone(&proxy.plan), socket.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&socket).unwrap());
                // Answers have many small packets.
                client.set_nodelay(true).unwrap();
                serve(client, server, &plan);
            }
        });
        proxy
    }

    pub(super) fn plan(&self, plan: impl FnMut(&str) -> Act + Send + 'static) {
        *self.plan.lock().unwrap() = Box::new(plan);
    }

    pub(super) fn location(&self) -> Location {
        let rest = format!("root@127.0.0.1:{}/{}", self.port, self.database);
        Location::MariaDb(MariaDb::parse(&rest).unwrap())
    }
}

/// What happens instead of the server's next answer.
type Instead = Arc<Mutex<Option<Act>>>;

fn serve(client: TcpStream, server: UnixStream, plan: &Plan) {
    let instead = Instead::default();
    let (plan, answers) = (Arc::clone(plan), Arc::clone(&instead));
    let (from_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let (mut to_client, mut to_server) = (client, server);
    // An error is the end of either side, and takes the other with it.
    std::thread::spawn(move || {
        let _ = forward(from_client, &mut to_server, &plan, &instead);
        let _ = to_server.shutdown(Shutdown::Both);
    });
    std::thread::spawn(move || {
        let _ = answer(from_server, &mut to_client, &answers);
        let _ = to_client.shutdown(Shutdown::Both);
    });
}

/// Reads one packet: three bytes of length, a number, and the content.
fn packet(from: &mut impl Read) -> Result<Vec<u8>> {
    let mut packet = vec![0; 4];
    from.read_exact(&mut packet)?;
    let length =
        usize::from(packet[0]) | usize::from(packet[1]) << 8 | usize::from(packet[2]) << 16;
    packet.resize(4 + length, 0);
    from.read_exact(&mut packet[4..])?;
    Ok(packet)
}

fn framed(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], content].concat()
}

fn forward(
    mut client: TcpStream,
    server: &mut UnixStream,
    plan: &Plan,
    instead: &Instead,
) -> Result<()> {
    /// The commands that carry a statement as text.
    const QUERY: u8 = 3;
    const PREPARE: u8 = 22;
    /// What only the sequencer asks, which commits when it likes and is not what plans are for.
    const SEQUENCER: &str = "WHERE sequence IS NULL";
    let mut is_sequencer = false;
    loop {
        let packet = packet(&mut client)?;
        let act = match &packet[3..] {
            [0, command @ (QUERY | PREPARE), sql @ ..] => {
                let sql = String::from_utf8_lossy(sql);
                is_sequencer |= sql.contains(SEQUENCER);
                if *command == QUERY && !is_sequencer {
                    (plan.lock().unwrap())(&sql)
                } else {
                    Act::Pass
                }
            }
            _ => Act::Pass,
        };
        match act {
            Act::Pass => server.write_all(&packet)?,
            Act::CutBefore => return client.shutdown(Shutdown::Both),
            Act::CutAfter | Act::Deny(..) => {
                *instead.lock().unwrap() = Some(act);
                server.write_all(&packet)?;
            }
            Act::Refuse(..) => {
                *instead.lock().unwrap() = Some(act);
                server.write_all(&framed(0, b"\x03ROLLBACK"))?;
            }
        }
    }
}

fn answer(mut server: UnixStream, client: &mut TcpStream, instead: &Instead) -> Result<()> {
    loop {
        let packet = packet(&mut server)?;
        let act = instead.lock().unwrap().take();
        match act {
            Some(Act::Refuse(code, text) | Act::Deny(code, text)) => {
                let mut content = vec![0xff];
                content.extend(code.to_le_bytes());
                content.extend(b"#40001");
                content.extend(text.as_bytes());
                client.write_all(&framed(1, &content))?;
            }
            Some(_) => return Ok(()),
            None => client.write_all(&packet)?,
        }
    }
}
