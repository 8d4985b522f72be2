//! New passwords for BMCs: that they are in use afterwards and known to nobody, what is refused, and
//! that no death of the service locks it out.
//!
//! The BMCs are our simulators, which keep accounts and lock them after three wrong passwords.

mod killed;
mod line;
mod refused;
mod service;

use serde_json::{Value, json};
use sim::{
    Layout, Machines, Settings,
    fault::Faults,
    ipmi,
    machine::account::User,
    redfish::{self, certificate, server::Serving},
};
use std::{net::Ipv4Addr, sync::Arc};

const USER: &str = "admin";
const PASSWORD: &str = "the-first-password";

/// After so many wrong passwords in a row nobody gets in any more, ever.
const LOCKOUT: u8 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Ipmi,
    Redfish,
}

impl Protocol {
    const ALL: [Self; 2] = [Self::Ipmi, Self::Redfish];

    fn interface(self) -> &'static str {
        match self {
            Self::Ipmi => "ipmitool",
            Self::Redfish => "redfish",
        }
    }

    fn key(self) -> &'static str {
        match self {
            Self::Ipmi => "ipmi_password",
            Self::Redfish => "redfish_password",
        }
    }
}

/// A simulated BMC, there for as long as the value is.
struct Bmc {
    protocol: Protocol,
    machines: Machines,
    port: u16,
    _server: Box<dyn Send>,
}

impl Bmc {
    async fn new(protocol: Protocol) -> Self {
        let settings = Settings {
            users: Arc::new([
                User::administrator("root", "somebody-else"),
                User::administrator(USER, PASSWORD),
            ]),
            ..Settings::default()
        };
        let machines = sim::machines(1, &Arc::new(settings));
        let layout = Layout::Ports {
            address: Ipv4Addr::LOCALHOST.into(),
            first: 0,
        };
        let (port, server): (u16, Box<dyn Send>) = match protocol {
            Protocol::Ipmi => {
                let options = ipmi::Options::default();
                let server = ipmi::server::Server::start(&machines, options, layout).await;
                let server = server.unwrap();
                (server.endpoint(0).unwrap().port(), Box::new(server))
            }
            Protocol::Redfish => {
                let serving = Serving {
                    layout,
                    options: Arc::new(redfish::Options::default()),
                    group: 1,
                    tls: certificate::self_signed().unwrap(),
                };
                let server = redfish::server::Server::start(&machines, serving).await;
                let server = server.unwrap();
                (server.endpoint(0).unwrap().port(), Box::new(server))
            }
        };
        let bmc = Self {
            protocol,
            machines,
            port,
            _server: server,
        };
        bmc.fails(Faults::default());
        bmc
    }

    /// Has these faults, and locks accounts.
    fn fails(&self, faults: Faults) {
        self.machines[0].set_faults(Some(Faults {
            lockout_after: Some(LOCKOUT),
            ..faults
        }));
    }

    fn password(&self) -> String {
        let users = self.machines[0].users();
        let user = users.into_iter().find(|user| user.name == USER);
        user.unwrap().password
    }

    /// Tells whether it has another password than the first.
    fn has_new_password(&self) -> line::Watched {
        let machines = Arc::clone(&self.machines);
        Box::new(move || {
            let users = machines[0].users();
            users
                .iter()
                .any(|user| user.name == USER && user.password != PASSWORD)
        })
    }

    /// Somebody else gives it a password, and logs in.
    fn set_password(&self, password: &str) {
        self.restores(password);
        self.machines[0].note_good_password(USER);
    }

    /// Somebody else gives it a password, and does not log in.
    fn restores(&self, password: &str) {
        self.machines[0].change_users(|users| {
            let user = users.iter_mut().find(|user| user.name == USER);
            user.unwrap().password = password.to_owned();
        });
    }

    /// A node whose BMC this is, at a port that may be that of something before it.
    fn node(&self, name: &str, port: u16) -> Value {
        let info = match self.protocol {
            Protocol::Ipmi => json!({
                "ipmi_address": "127.0.0.1", "ipmi_port": port, "ipmi_username": USER,
                "ipmi_password": PASSWORD,
            }),
            Protocol::Redfish => json!({
                "redfish_address": format!("http://127.0.0.1:{port}"),
                "redfish_username": USER, "redfish_password": PASSWORD,
            }),
        };
        json!({
            "name": name, "driver": "fake-hardware", "resource_class": "gold",
            "management_interface": self.protocol.interface(), "driver_info": info,
        })
    }
}

/// Where a change is asked for.
fn path(node: &str) -> String {
    format!("/corten/v1/nodes/{node}/bmc-password")
}
