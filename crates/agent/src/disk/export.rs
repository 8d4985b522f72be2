//! The root disk handed to a service that writes it over iSCSI, as Ironic up to version 17 does.
//!
//! While it is exported the disk is the initiator's. So every other command that changes disks ends
//! the export first, and a new export replaces an old one: there is one writer at a time.

use super::{medium::Disk, nodes, unfinished::Unfinished};
use crate::{
    AgentError,
    command::invalid_params,
    iscsi::{Credentials, Disk as TargetDisk, Target, TargetSettings},
    safety::Permit,
};
use serde_json::{Value, json};
use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    path::{Path, PathBuf},
};
use tokio::{net::TcpListener, sync::Mutex};
use types::JsonMap;

/// What the names of targets start with.
const PREFIX: &str = "iqn.2008-10.org.openstack:";
const PORT: u16 = 3260;

/// What a service may say. The last three are ours.
const KNOWN: &[&str] = &[
    "iqn",
    "portal_port",
    "wipe_disk_metadata",
    "initiator",
    "chap_username",
    "chap_password",
];

/// What a service asks for.
#[derive(Debug)]
pub struct Request {
    name: String,
    port: u16,
    /// Whether what makes the disk look like one is cleared first.
    wipe: bool,
    /// Who may log in; everybody where the service does not say.
    initiator: Option<String>,
    chap: Option<Credentials>,
}

impl Request {
    pub fn read(args: &JsonMap) -> Result<Self, AgentError> {
        if let Some(odd) = args.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            // Services that know agents of several ages look for the kind and the name.
            let text = format!("start_iscsi_target() got an unexpected keyword argument '{odd}'");
            return Err(AgentError::failed("TypeError", &text, text.clone()));
        }
        let wrong = |name: &str| invalid_params(format!("{name} of start_iscsi_target is odd"));
        let text = |name: &str| match args.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(wrong(name)),
        };
        let port = match args.get("portal_port") {
            None | Some(Value::Null) => PORT,
            Some(port) => port
                .as_u64()
                .and_then(|port| u16::try_from(port).ok())
                .ok_or_else(|| wrong("portal_port"))?,
        };
        let wipe = match args.get("wipe_disk_metadata") {
            None | Some(Value::Null) => false,
            Some(flag) => flag.as_bool().ok_or_else(|| wrong("wipe_disk_metadata"))?,
        };
        let chap = match (text("chap_username")?, text("chap_password")?) {
            (Some(name), Some(secret)) => Some(Credentials { name, secret }),
            (None, None) => None,
            _ => return Err(wrong("chap_username without chap_password, or that,")),
        };
        Ok(Self {
            name: text("iqn")?.unwrap_or_else(|| format!("{PREFIX}{}", uuid::Uuid::new_v4())),
            port,
            wipe,
            initiator: text("initiator")?,
            chap,
        })
    }
}

/// The export, if there is one.
#[derive(Debug, Default)]
pub struct Export(Mutex<Option<Running>>);

#[derive(Debug)]
struct Running {
    target: Target,
    device: PathBuf,
}

impl Export {
    /// Exports a disk, in place of whatever was exported.
    pub async fn start(
        &self,
        permit: &Permit,
        device: &Path,
        request: Request,
    ) -> Result<Value, AgentError> {
        let mut export = self.0.lock().await;
        end(export.take()).await?;
        if request.wipe {
            let cleared = Disk::open(device).and_then(|disk| Unfinished::new(disk)?.begin());
            cleared.map_err(|error| failed("the disk cannot be cleared", &error))?;
        }
        let disk = TargetDisk::open(device, permit);
        let disk = disk.map_err(|error| failed("the disk cannot be opened", &error))?;
        let listener = listen(request.port).await;
        let listener = listener.map_err(|error| failed("its port cannot be opened", &error))?;
        let name = request.name;
        let settings = TargetSettings {
            name: name.clone(),
            initiators: request.initiator.map(|name| vec![name]),
            addresses: None,
            chap: request.chap,
            mutual_chap: None,
        };
        let target = Target::start(listener, disk, settings);
        *export = Some(Running {
            target: target.map_err(|error| failed("it does not start", &error))?,
            device: device.to_owned(),
        });
        Ok(json!({"iscsi_target_iqn": name}))
    }

    /// Takes the disk back. Does nothing where none is exported.
    pub async fn stop(&self) -> Result<(), AgentError> {
        end(self.0.lock().await.take()).await
    }
}

async fn end(running: Option<Running>) -> Result<(), AgentError> {
    let Some(Running { target, device }) = running else {
        return Ok(());
    };
    let stopped = target.stop().await;
    stopped.map_err(|error| failed("it cannot be stopped", &error))?;
    // The kernel has not seen what was written.
    let disk = Disk::open_to_read(&device);
    let disk = disk.map_err(|error| super::failed(&device, "read", &error))?;
    nodes::reread(&disk).await
}

/// On all addresses of this machine: which of them the service uses is not known here.
async fn listen(port: u16) -> io::Result<TcpListener> {
    match TcpListener::bind(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))).await {
        Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
            TcpListener::bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))).await
        }
        bound => bound,
    }
}

fn failed(what: &str, error: &(dyn std::error::Error + 'static)) -> AgentError {
    let why = types::error::chain(error);
    AgentError::failed(
        "ISCSIError",
        "Error starting iSCSI target",
        format!("Error starting iSCSI target: {what}: {why}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn request(args: Value) -> Result<Request, AgentError> {
        Request::read(args.as_object().unwrap())
    }

    #[test]
    fn services_of_all_ages_are_understood() {
        let liberty = request(json!({"iqn": "iqn-x"})).unwrap();
        assert_eq!((liberty.port, liberty.wipe), (PORT, false));
        let later = json!({"iqn": "iqn-x", "portal_port": 3261, "wipe_disk_metadata": true});
        let later = request(later).unwrap();
        assert_eq!((later.port, later.wipe), (3261, true));
        assert!(request(json!({})).unwrap().name.starts_with(PREFIX));
        // Newton tries again without what it finds in this text.
        let odd = request(json!({"iqn": "x", "more": 1})).unwrap_err();
        assert_eq!(odd.kind, "TypeError");
        assert!(odd.to_string().contains("'more'"), "{odd}");
        assert!(request(json!({"portal_port": 70_000})).is_err());
        assert!(request(json!({"chap_username": "u"})).is_err());
    }

    #[tokio::test]
    async fn a_second_request_replaces_the_first_and_an_end_frees_the_port() {
        let disk = tempfile::NamedTempFile::new().unwrap();
        fs::write(disk.path(), vec![7; 4 << 20]).unwrap();
        let export = Export::default();
        let permit = Permit::from_operator();
        let free = TcpListener::bind("[::]:0").await.unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        for wipe in [false, true] {
            let asked = json!({"iqn": "iqn-x", "portal_port": port, "wipe_disk_metadata": wipe});
            let started = export
                .start(&permit, disk.path(), request(asked).unwrap())
                .await
                .unwrap();
            assert_eq!(started, json!({"iscsi_target_iqn": "iqn-x"}));
            assert_eq!(fs::read(disk.path()).unwrap()[0] == 0, wipe);
        }
        export.stop().await.unwrap();
        listen(port).await.unwrap();
        export.stop().await.unwrap();
    }
}
