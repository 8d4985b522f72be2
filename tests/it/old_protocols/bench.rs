//! Simulated devices, and nodes that are behind them.

use drivers::{
    AmtSettings, ChassisSettings, CiscoSettings, DriverError, IbootSettings, Recorder,
    RecorderSettings, SeaMicroSettings,
    amt::{Amt, AmtMachine},
    cisco::{Cimc, CimcServer, UcsServer, Ucsm},
    drac::{Drac, DracServer},
    iboot::{Iboot, IbootPower},
    iface::{Machine, Management, Power, Vendor},
    msftocs::{MsftOcs, MsftOcsBlade},
    seamicro::{SeaMicro, SeaMicroServer},
};
use serde_json::{Value, json};
use sim::device::{self, Account, amt, drac, iboot, msftocs, nuova, seamicro};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, task::JoinHandle};
use types::{JsonMap, LeaseProof, Node, NodeId, PowerState, PowerTarget, rpc::BootDevice};

/// What no error and no recording may tell.
pub(super) const PASSWORD: &str = "hunter2-<&>";

pub(super) fn account() -> Account {
    Account {
        user: "admin".to_owned(),
        password: PASSWORD.to_owned(),
    }
}

/// Waits that fit programs on the same machine.
pub(super) fn iboot_settings() -> IbootSettings {
    let mut settings = IbootSettings {
        timeout: Duration::from_secs(20),
        retries: 2,
        pause: Duration::from_millis(5),
        reboot_delay: Duration::ZERO,
        ..IbootSettings::default()
    };
    settings.gate.interval = Duration::ZERO;
    settings
}

pub(super) fn chassis_settings() -> ChassisSettings {
    let mut settings = ChassisSettings {
        read_timeout: Duration::from_secs(20),
        look_every: Duration::from_millis(5),
        ..ChassisSettings::default()
    };
    settings.gate.interval = Duration::ZERO;
    settings
}

pub(super) fn cisco_settings(chassis: ChassisSettings) -> CiscoSettings {
    CiscoSettings {
        chassis,
        ucs_looks: 3,
        ucs_pause: Duration::from_millis(5),
        cimc_looks: 3,
        cimc_pause: Duration::from_millis(5),
    }
}

pub(super) fn seamicro_settings(chassis: ChassisSettings) -> SeaMicroSettings {
    SeaMicroSettings {
        chassis,
        retries: 2,
        action_timeout: Duration::from_millis(50),
        settle: Duration::ZERO,
    }
}

pub(super) fn amt_settings(chassis: ChassisSettings) -> AmtSettings {
    AmtSettings {
        chassis,
        attempts: 2,
        pause: Duration::from_millis(5),
        ..AmtSettings::default()
    }
}

/// Which driver it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Iboot,
    MsftOcs,
    Ucsm,
    Cimc,
    SeaMicro,
    Amt,
    Drac,
}

impl Kind {
    pub(super) const ALL: [Self; 7] = [
        Self::Iboot,
        Self::MsftOcs,
        Self::Ucsm,
        Self::Cimc,
        Self::SeaMicro,
        Self::Amt,
        Self::Drac,
    ];

    pub(super) fn driver_info(self, address: SocketAddr) -> Value {
        let url = format!("http://{address}");
        match self {
            Self::Iboot => json!({
                "iboot_address": address.ip().to_string(), "iboot_port": address.port(),
                "iboot_username": "admin", "iboot_password": PASSWORD,
            }),
            Self::MsftOcs => json!({
                "msftocs_base_url": url, "msftocs_blade_id": 2,
                "msftocs_username": "admin", "msftocs_password": PASSWORD,
            }),
            Self::Ucsm => json!({
                "ucs_address": url, "ucs_service_profile": "org-root/ls-node2",
                "ucs_username": "admin", "ucs_password": PASSWORD,
            }),
            Self::Cimc => json!({
                "cimc_address": url, "cimc_username": "admin", "cimc_password": PASSWORD,
            }),
            Self::SeaMicro => json!({
                "seamicro_api_endpoint": format!("{url}/v2.0"), "seamicro_server_id": "2/0",
                "seamicro_username": "admin", "seamicro_password": PASSWORD,
            }),
            Self::Amt => json!({
                "amt_address": address.ip().to_string(), "amt_port": address.port(),
                "amt_username": "admin", "amt_password": PASSWORD,
            }),
            Self::Drac => json!({
                "drac_address": address.ip().to_string(), "drac_port": address.port(),
                "drac_protocol": "http", "drac_username": "admin", "drac_password": PASSWORD,
            }),
        }
    }
}

/// A simulated device that is served.
pub(super) struct Stand {
    pub(super) kind: Kind,
    pub(super) address: SocketAddr,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Drop for Stand {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Stand {
    async fn listener() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    pub(super) async fn http(kind: Kind, router: axum::Router) -> Self {
        let (listener, address) = Self::listener().await;
        Self {
            kind,
            address,
            serving: tokio::spawn(device::serve(listener, router)),
        }
    }

    pub(super) async fn iboot() -> (Self, Arc<iboot::Iboot>) {
        let device = Arc::new(iboot::Iboot::new(account(), 4));
        let (listener, address) = Self::listener().await;
        let stand = Self {
            kind: Kind::Iboot,
            address,
            serving: tokio::spawn(iboot::serve(listener, Arc::clone(&device))),
        };
        (stand, device)
    }

    pub(super) async fn msftocs() -> (Self, Arc<msftocs::Manager>) {
        let manager = msftocs::Manager::new(account(), 4);
        let stand = Self::http(Kind::MsftOcs, manager.router()).await;
        (stand, manager)
    }

    pub(super) async fn ucsm() -> (Self, Arc<nuova::Device>) {
        let device = nuova::Device::new(account(), nuova::ManagerModel::UcsManager, 4);
        let stand = Self::http(Kind::Ucsm, device.router()).await;
        (stand, device)
    }

    pub(super) async fn cimc() -> (Self, Arc<nuova::Device>) {
        let device = nuova::Device::new(account(), nuova::ManagerModel::Imc, 1);
        let stand = Self::http(Kind::Cimc, device.router()).await;
        (stand, device)
    }

    pub(super) async fn seamicro() -> (Self, Arc<seamicro::Chassis>) {
        let chassis = seamicro::Chassis::new(account(), 4);
        let stand = Self::http(Kind::SeaMicro, chassis.router()).await;
        (stand, chassis)
    }

    pub(super) async fn amt() -> (Self, Arc<amt::Device>) {
        let device = amt::Device::new(account());
        let stand = Self::http(Kind::Amt, device.router()).await;
        (stand, device)
    }

    pub(super) async fn drac(is_old: bool) -> (Self, Arc<drac::Device>) {
        let device = drac::Device::new(account(), is_old);
        let stand = Self::http(Kind::Drac, device.router()).await;
        (stand, device)
    }

    /// One of this kind, about which nothing is to be asked.
    pub(super) async fn of(kind: Kind) -> Self {
        match kind {
            Kind::Iboot => Self::iboot().await.0,
            Kind::MsftOcs => Self::msftocs().await.0,
            Kind::Ucsm => Self::ucsm().await.0,
            Kind::Cimc => Self::cimc().await.0,
            Kind::SeaMicro => Self::seamicro().await.0,
            Kind::Amt => Self::amt().await.0,
            Kind::Drac => Self::drac(false).await.0,
        }
    }

    pub(super) fn bench(&self, changes: Value) -> Bench {
        let chassis = chassis_settings();
        Bench::new(self.kind, self.address, changes, chassis, iboot_settings())
    }
}

/// A node, without a service around it.
pub(super) struct Bench {
    power: Arc<dyn Power>,
    management: Option<Arc<dyn Management>>,
    vendor: Option<Arc<dyn Vendor>>,
    pub(super) node: Node,
    info: JsonMap,
    pub(super) recorder: Recorder,
}

impl Bench {
    pub(super) fn new(
        kind: Kind,
        address: SocketAddr,
        changes: Value,
        chassis: ChassisSettings,
        iboot: IbootSettings,
    ) -> Self {
        let mut info = kind.driver_info(address);
        for (key, value) in changes.as_object().unwrap() {
            info[key] = value.clone();
        }
        let recorder = Recorder::new(RecorderSettings::default());
        fn both<T: Power + Management + 'static>(
            one: T,
        ) -> (Arc<dyn Power>, Option<Arc<dyn Management>>) {
            let one = Arc::new(one);
            (Arc::clone(&one) as Arc<dyn Power>, Some(one))
        }
        let cisco = cisco_settings(chassis.clone());
        let mut vendor = None;
        let (power, management) = match kind {
            Kind::Iboot => {
                let iboot = Iboot::new(iboot).recorded(recorder.clone());
                let power = Arc::new(IbootPower(Arc::new(iboot)));
                (power as Arc<dyn Power>, None)
            }
            Kind::MsftOcs => both(MsftOcsBlade(Arc::new(MsftOcs::new(&chassis, &recorder)))),
            Kind::Ucsm => both(UcsServer(Arc::new(Ucsm::new(&cisco, &recorder)))),
            Kind::Cimc => both(CimcServer(Arc::new(Cimc::new(&cisco, &recorder)))),
            Kind::SeaMicro => {
                let settings = seamicro_settings(chassis);
                let server = SeaMicroServer(Arc::new(SeaMicro::new(&settings, &recorder)));
                vendor = Some(Arc::new(server.clone()) as Arc<dyn Vendor>);
                both(server)
            }
            Kind::Amt => {
                let amt = Amt::new(&amt_settings(chassis), &recorder);
                both(AmtMachine(Arc::new(amt)))
            }
            Kind::Drac => both(DracServer(Arc::new(Drac::new(&chassis, &recorder)))),
        };
        let Value::Object(info) = info else {
            unreachable!()
        };
        Self {
            power,
            management,
            vendor,
            node: Node::new(NodeId::generate(), "test"),
            info,
            recorder,
        }
    }

    pub(super) fn power(&self) -> &Arc<dyn Power> {
        &self.power
    }

    pub(super) fn management(&self) -> &Arc<dyn Management> {
        self.management.as_ref().unwrap()
    }

    fn lease(&self) -> LeaseProof {
        LeaseProof::granted(self.node.id, 1)
    }

    pub(super) async fn state(&self) -> Result<Option<PowerState>, DriverError> {
        let mut node = self.node.clone();
        self.power
            .get(&Machine::new(&mut node, &self.info, &[]))
            .await
    }

    pub(super) async fn switch(&mut self, target: PowerTarget) -> Result<(), DriverError> {
        let lease = self.lease();
        let mut machine = Machine::new(&mut self.node, &self.info, &[]);
        let limit = Some(1);
        self.power.set(&lease, &mut machine, target, limit).await
    }

    pub(super) async fn device(&self) -> Result<BootDevice, DriverError> {
        let mut node = self.node.clone();
        let machine = Machine::new(&mut node, &self.info, &[]);
        self.management().boot_device(&machine).await
    }

    pub(super) async fn boot_from(
        &mut self,
        device: &str,
        persistent: bool,
    ) -> Result<(), DriverError> {
        let (lease, management) = (self.lease(), Arc::clone(self.management()));
        let mut machine = Machine::new(&mut self.node, &self.info, &[]);
        management
            .set_boot_device(&lease, &mut machine, device, persistent)
            .await
    }

    /// Calls a method of the driver's own.
    pub(super) async fn call(
        &mut self,
        method: &str,
        arguments: Value,
    ) -> Result<Value, DriverError> {
        let lease = self.lease();
        let vendor = Arc::clone(self.vendor.as_ref().unwrap());
        let mut machine = Machine::new(&mut self.node, &self.info, &[]);
        let arguments = arguments.as_object().unwrap();
        vendor
            .call(Some(&lease), &mut machine, method, arguments)
            .await
    }

    pub(super) async fn valid(&self) -> Result<(), DriverError> {
        let mut node = self.node.clone();
        self.power
            .validate(&Machine::new(&mut node, &self.info, &[]))
            .await
    }

    /// What the flight recorder has.
    pub(super) fn recorded(&self) -> String {
        serde_json::to_string(&self.recorder.read(self.node.id)).unwrap()
    }
}
