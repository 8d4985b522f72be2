//! What speaks IPMI at an address.
//!
//! Without a login two questions are asked, of which every BMC answers the first: how to log in, and
//! the GUID of the machine. With one, who made it, whether it is on, and the inventory record of the
//! machine are read in one session of version 2.0 with the rights of a user, which is closed at the
//! end. A BMC that only speaks version 1.5 is not logged in to, because the password would travel as
//! it is.

use crate::{
    Ports,
    found::{Bmc, IpmiVersion, Power, System, shown, telling},
};
use drivers::{
    ipmi::{
        link::{Link, LinkError, Patience, Peer},
        maker,
        scribe::Scribe,
        wire::{Conversation, Wire},
    },
    redfish::info::Login,
};
use proto::ipmi::{
    DecodeError, Privilege,
    client::{Credentials, Version, outside_answer, outside_request},
    command::{
        channel::{self, Capabilities},
        chassis,
        device::{self, DeviceId},
        fru::{self, Inventory},
    },
    crypto::Key,
    handshake::UserName,
    message::{Completion, Request, Route},
    suite::Suite,
};
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

/// How often a question is sent, and how long each time is waited for its answer.
const TRIES: u8 = 2;
/// The inventory record of the machine's main board.
const MAIN_RECORD: u8 = 0;
/// How much of an inventory record is read, and how much at a time: all of what describes the
/// machine stands at the start, and BMCs refuse larger pieces.
const MOST_RECORD: u16 = 1024;
const PIECE: u16 = 32;
/// SHA-256 first, and SHA-1 for those that have nothing better.
const SUITES: [u8; 2] = [17, 3];

/// The sockets that all questions share.
#[derive(Debug)]
pub(crate) struct Asker {
    wire: Arc<Wire>,
    port: u16,
    patience: Duration,
}

/// Why no BMC was met.
#[derive(Debug, thiserror::Error)]
pub enum NoBmc {
    #[error("no answer by IPMI")]
    Silent,
    #[error("it cannot be reached: {0}")]
    Network(io::Error),
    #[error("it does not say how to log in: {0}")]
    Refused(Completion),
    #[error("its answer makes no sense: {0}")]
    Nonsense(DecodeError),
}

/// What a BMC tells without a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) peer: SocketAddr,
    pub(crate) capabilities: Capabilities,
    pub(crate) guid: Option<Uuid>,
}

impl Asker {
    pub(crate) fn new(ports: Ports, patience: Duration) -> Self {
        Self {
            wire: Arc::default(),
            port: ports.ipmi,
            patience,
        }
    }

    /// Asks the usual port of an address.
    pub(crate) async fn greet_address(&self, address: IpAddr) -> Result<Greeting, NoBmc> {
        self.greet(SocketAddr::new(address, self.port)).await
    }

    pub(crate) async fn greet(&self, peer: SocketAddr) -> Result<Greeting, NoBmc> {
        let mut conversation = self.wire.talk(peer).await.map_err(NoBmc::Network)?;
        let question = channel::capabilities(Privilege::User);
        let (code, data) = self.ask(&mut conversation, &question).await?;
        if code != Completion::OK {
            return Err(NoBmc::Refused(code));
        }
        let capabilities = Capabilities::decode(&data).map_err(NoBmc::Nonsense)?;
        // Not every BMC tells it before a login.
        let guid = match self.ask(&mut conversation, &device::guid()).await {
            Ok((Completion::OK, data)) => <[u8; 16]>::try_from(data).ok(),
            _ => None,
        };
        Ok(Greeting {
            peer,
            capabilities,
            guid: guid.map(Uuid::from_bytes_le).and_then(telling),
        })
    }

    /// Asks outside a session. Datagrams that are no answer are dropped.
    async fn ask(
        &self,
        conversation: &mut Conversation,
        question: &Request,
    ) -> Result<(Completion, Vec<u8>), NoBmc> {
        for sequence in 1..=TRIES {
            let datagram = outside_request(question, sequence);
            conversation.send(&datagram).await.map_err(NoBmc::Network)?;
            let until = Instant::now() + self.patience;
            while let Ok(datagram) = timeout_at(until, conversation.receive()).await {
                // An answer to the first question that comes after the second was sent is as good.
                let answer = (1..=sequence)
                    .find_map(|sequence| outside_answer(&datagram, question, sequence));
                if let Some(answer) = answer {
                    return Ok(answer);
                }
            }
        }
        Err(NoBmc::Silent)
    }

    /// Logs in, and adds what the BMC tells of itself and of its machine.
    pub(crate) async fn interview(&self, greeting: &Greeting, login: &Login, bmc: &mut Bmc) {
        let Some(credentials) = credentials(login) else {
            bmc.remarks
                .push("IPMI has no room for so long a name or password".to_owned());
            return;
        };
        if !greeting.capabilities.speaks_v20 {
            let text =
                "it speaks IPMI 1.5 only, which shows the password to the network; not logged in";
            bmc.remarks.push(text.to_owned());
            return;
        }
        let peer = Peer {
            address: greeting.peer,
            credentials,
            versions: SUITES
                .into_iter()
                .filter_map(Suite::of_id)
                .map(Version::V20)
                .collect(),
        };
        let patience = Patience {
            first_wait: self.patience,
            tries: u32::from(TRIES),
            ..Patience::default()
        };
        let link = Link::new(Arc::clone(&self.wire), peer, patience);
        if let Err(error) = describe(&link, bmc).await {
            let reason = types::error::chain(&error);
            bmc.remarks.push(format!("IPMI: {reason}"));
        }
        link.hang_up().await;
    }
}

fn credentials(login: &Login) -> Option<Credentials> {
    Some(Credentials {
        user: UserName::new(login.user.as_bytes())?,
        password: Key::new(login.password.as_bytes())?,
        bmc_key: Key::default(),
        privilege: Privilege::User,
    })
}

async fn describe(link: &Link, bmc: &mut Bmc) -> Result<(), LinkError> {
    let ask = async |request: Request| link.ask(&Scribe::idle(), &Route::Direct, &request).await;
    let id = ask(device::id()).await?;
    if let Ok(id) = DeviceId::decode(&id) {
        let (major, minor) = (id.firmware_major, id.firmware_minor);
        bmc.firmware
            .get_or_insert_with(|| format!("{major}.{minor:02x}"));
        if id.manufacturer != 0 && bmc.maker.is_none() {
            bmc.maker = shown(&maker::name(id.manufacturer));
        }
    }
    let mut system = System {
        uuid: bmc.uuid,
        ..System::default()
    };
    if let Ok(data) = ask(chassis::status()).await {
        let status = chassis::Status::decode(&data).ok();
        system.power = status.map(|status| match status.is_on {
            true => Power::On,
            false => Power::Off,
        });
    }
    if let Some(record) = record(link).await? {
        fill(&mut system, &record);
    }
    bmc.systems.push(system);
    Ok(())
}

/// The inventory record; nothing where there is none, or none that can be read.
async fn record(link: &Link) -> Result<Option<Inventory>, LinkError> {
    let ask = async |request: Request| {
        link.try_ask(&Scribe::idle(), &Route::Direct, &request)
            .await
    };
    let (code, data) = ask(fru::info(MAIN_RECORD)).await?;
    let size = match (code, fru::size(&data)) {
        (Completion::OK, Ok((size, _))) => size.min(MOST_RECORD),
        _ => return Ok(None),
    };
    let mut bytes = Vec::new();
    let mut offset = 0;
    while offset < size {
        let count = u8::try_from(PIECE.min(size - offset)).unwrap_or(u8::MAX);
        let (code, data) = ask(fru::read(MAIN_RECORD, offset, count)).await?;
        let (Completion::OK, Ok(part)) = (code, fru::part(&data)) else {
            break;
        };
        let Some(length) = u16::try_from(part.len()).ok().filter(|length| *length > 0) else {
            break;
        };
        bytes.extend(part);
        offset = offset.saturating_add(length);
    }
    Ok(Inventory::decode(&bytes).ok())
}

fn fill(system: &mut System, record: &Inventory) {
    let product = record.product.as_ref();
    let board = record.board.as_ref();
    let of_product =
        |text: &dyn Fn(&fru::ProductArea) -> &str| product.and_then(|it| shown(text(it)));
    let of_board = |text: &dyn Fn(&fru::BoardArea) -> &str| board.and_then(|it| shown(text(it)));
    system.maker = of_product(&|it| &it.manufacturer).or_else(|| of_board(&|it| &it.manufacturer));
    system.model = of_product(&|it| &it.name).or_else(|| of_board(&|it| &it.product));
    system.serial = of_product(&|it| &it.serial).or_else(|| of_board(&|it| &it.serial));
}

impl Greeting {
    /// Adds what is known by now.
    pub(crate) fn tell(&self, bmc: &mut Bmc) {
        let version = match self.capabilities.speaks_v20 {
            true => IpmiVersion::V20,
            false => IpmiVersion::V15,
        };
        bmc.ipmi = Some((self.peer, version));
        bmc.has_nameless_account = self.capabilities.has_anonymous;
        bmc.uuid = bmc.uuid.or(self.guid);
    }
}
