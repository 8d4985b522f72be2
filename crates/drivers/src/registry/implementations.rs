//! Every implementation that this build has, by kind and name.
//!
//! They are made once and shared by all nodes: an implementation keeps nothing about a node.

use super::{RegistrySettings, selection::Implemented};
use crate::{
    absent::Absent,
    agent::{AgentDeploy, AgentInspect, AgentPower, AgentRaid, AgentRescue},
    amt::{Amt, AmtMachine},
    anaconda::AnacondaDeploy,
    ansible::{AnsibleDeploy, Playbooks},
    autodetect::AutodetectDeploy,
    boot_image::BootImages,
    cisco::{Cimc, CimcServer, UcsServer, Ucsm},
    drac::{Drac, DracServer},
    external::External,
    fake::{Bench, Fake},
    iboot::{Iboot, IbootPower},
    iface::{self, Hardware, Interface, Monitor},
    ipmi::{Ipmi, IpmiConsole, IpmiManagement, IpmiPower, IpmiVendor},
    msftocs::{MsftOcs, MsftOcsBlade},
    netboot::Netboot,
    network::NeutronNetwork,
    noop::{Noop, NoopDeploy},
    ramdisk_deploy::RamdiskDeploy,
    recorder::Recorder,
    redfish::{
        Redfish, RedfishBios, RedfishFirmware, RedfishHttpBoot, RedfishInspect, RedfishManagement,
        RedfishMediaBoot, RedfishPower, RedfishRaid, RedfishVendor,
    },
    screen::{FakeGraphical, RedfishGraphical, Screens},
    seamicro::{SeaMicro, SeaMicroServer},
    snmp::{Snmp, SnmpPower},
    ssh::{Ssh, SshGuest},
    storage::{CinderStorage, ExternalStorage},
    wol::WolPower,
};
use boot::BootMethod;
use std::{collections::HashMap, io, sync::Arc};
use types::InterfaceKind;

type ByName<T> = HashMap<&'static str, Arc<T>>;

/// Declares one map for each kind, and what goes through all of them.
macro_rules! implementations {
    ($($kind:ident: $field:ident),* $(,)?) => {
        pub(super) struct Implementations {
            $($field: ByName<dyn iface::$kind>,)*
        }

        impl Implementations {
            /// Sorted names.
            pub(super) fn names(&self) -> Implemented {
                let mut all = Implemented::new();
                $(
                    let mut names: Vec<&'static str> = self.$field.keys().copied().collect();
                    names.sort_unstable();
                    all.insert(InterfaceKind::$kind, names);
                )*
                all
            }

            /// An implementation, as far as all kinds are alike.
            pub(super) fn interface(&self, kind: InterfaceKind, name: &str) -> Option<&dyn Interface> {
                match kind {
                    $(InterfaceKind::$kind => Some(&**self.$field.get(name)?),)*
                }
            }

            /// Puts together the implementations whose names `choose` tells, or names the kind for
            /// which there is none.
            pub(super) fn hardware<'n, E>(
                &self,
                choose: impl Fn(InterfaceKind) -> Result<&'n str, E>,
                absent: impl Fn(InterfaceKind) -> E,
            ) -> Result<Hardware, E> {
                Ok(Hardware {
                    $($field: {
                        let kind = InterfaceKind::$kind;
                        let found = self.$field.get(choose(kind)?);
                        Arc::clone(found.ok_or_else(|| absent(kind))?)
                    },)*
                })
            }
        }
    };
}

implementations! {
    Bios: bios,
    Boot: boot,
    Console: console,
    Deploy: deploy,
    Firmware: firmware,
    Inspect: inspect,
    Management: management,
    Network: network,
    Power: power,
    Raid: raid,
    Rescue: rescue,
    Storage: storage,
    Vendor: vendor,
}

impl Implementations {
    /// Fails when the journal of the fake hardware cannot be opened.
    pub(super) fn new(settings: &RegistrySettings, recorder: &Recorder) -> io::Result<Self> {
        use InterfaceKind as K;
        let agent = &settings.agent;
        let ipmi = Arc::new(Ipmi::new(settings.ipmi.clone()).recorded(recorder.clone()));
        let snmp = Snmp::new(settings.snmp.clone()).recorded(recorder.clone());
        let iboot = Iboot::new(settings.iboot.clone()).recorded(recorder.clone());
        let ocs = Arc::new(MsftOcs::new(&settings.chassis, recorder));
        let ocs = || Arc::new(MsftOcsBlade(Arc::clone(&ocs)));
        let ucsm = Arc::new(Ucsm::new(&settings.cisco, recorder));
        let ucsm = || Arc::new(UcsServer(Arc::clone(&ucsm)));
        let cimc = Arc::new(Cimc::new(&settings.cisco, recorder));
        let cimc = || Arc::new(CimcServer(Arc::clone(&cimc)));
        let seamicro = Arc::new(SeaMicro::new(&settings.seamicro, recorder));
        let seamicro = || Arc::new(SeaMicroServer(Arc::clone(&seamicro)));
        let ssh = Arc::new(Ssh::new(settings.ssh.clone(), recorder));
        let ssh = || Arc::new(SshGuest(Arc::clone(&ssh)));
        let amt = Arc::new(Amt::new(&settings.amt, recorder));
        let amt = || Arc::new(AmtMachine(Arc::clone(&amt)));
        let drac = Arc::new(Drac::new(&settings.chassis, recorder));
        let drac = || Arc::new(DracServer(Arc::clone(&drac)));
        let redfish = Redfish::new(settings.redfish.clone()).recorded(recorder.clone());
        let redfish = Arc::new(redfish);
        let redfish_management = |name| Arc::new(RedfishManagement::new(&redfish, name));
        let redfish_power = |name| {
            Arc::new(RedfishPower {
                redfish: Arc::clone(&redfish),
                name,
            })
        };
        let screens = Arc::new(Screens::new(settings.screens.clone()));
        let bench = Arc::new(Bench::new(settings.fake.clone())?);
        let fake = |kind| Arc::new(Fake::new(&bench, kind));
        let noop = Arc::new(Noop);
        let openstack = &settings.openstack;
        let networks = Arc::new(settings.networks.clone());
        let images = BootImages::new(settings.images.clone(), settings.boot_images.clone())
            .with_glance(settings.glance_images());
        let netboot_settings = Arc::new(settings.netboot.clone());
        let netboot = |way, name| {
            Arc::new(Netboot {
                way,
                name,
                services: settings.boot.clone(),
                images: images.clone(),
                settings: Arc::clone(&netboot_settings),
            })
        };
        let discs = Arc::new(settings.discs.clone());
        let disc_boot = |name| RedfishMediaBoot {
            redfish: Arc::clone(&redfish),
            images: images.clone(),
            settings: Arc::clone(&discs),
            openstack: settings.openstack.clone(),
            name,
        };
        let media_boot = |name| Arc::new(disc_boot(name));
        let http_boot = |name| Arc::new(RedfishHttpBoot(disc_boot(name)));
        Ok(Self {
            bios: by_name([
                fake(K::Bios),
                Arc::new(Absent::BIOS),
                Arc::new(RedfishBios::new(&redfish, "redfish")),
                Arc::new(RedfishBios::new(&redfish, "idrac-redfish")),
                Arc::new(RedfishBios::new(&redfish, "ilo")),
                Arc::new(RedfishBios::new(&redfish, "irmc")),
            ]),
            boot: by_name([
                fake(K::Boot),
                netboot(BootMethod::Pxe, "pxe"),
                netboot(BootMethod::Ipxe, "ipxe"),
                netboot(BootMethod::Http, "http"),
                netboot(BootMethod::HttpIpxe, "http-ipxe"),
                netboot(BootMethod::Pxe, "ilo-pxe"),
                netboot(BootMethod::Ipxe, "ilo-ipxe"),
                netboot(BootMethod::Pxe, "irmc-pxe"),
                media_boot("redfish-virtual-media"),
                media_boot("idrac-redfish-virtual-media"),
                media_boot("ilo-virtual-media"),
                media_boot("irmc-virtual-media"),
                http_boot("redfish-https"),
            ]),
            console: by_name([
                fake(K::Console),
                Arc::new(Absent::CONSOLE),
                Arc::new(IpmiConsole::new(Arc::clone(&ipmi))),
                Arc::new(FakeGraphical(Arc::clone(&screens))),
                Arc::new(RedfishGraphical {
                    screens,
                    redfish: Arc::clone(&redfish),
                }),
            ]),
            deploy: by_name([
                fake(K::Deploy),
                Arc::new(AutodetectDeploy),
                Arc::new(AgentDeploy::DIRECT),
                Arc::new(RamdiskDeploy),
                Arc::new(AgentDeploy::CUSTOM),
                Arc::new(AgentDeploy::ISCSI),
                Arc::new(AgentDeploy::BOOTC),
                Arc::new(NoopDeploy),
                Arc::new(AnacondaDeploy),
                Arc::new(AnsibleDeploy(Arc::new(Playbooks(settings.ansible.clone())))),
            ]),
            firmware: by_name([
                fake(K::Firmware),
                Arc::new(Absent::FIRMWARE),
                Arc::new(RedfishFirmware(Arc::clone(&redfish))),
            ]),
            inspect: by_name([
                fake(K::Inspect),
                Arc::new(Absent::INSPECT),
                Arc::new(AgentInspect::new(agent)),
                Arc::new(RedfishInspect::new(&redfish, "redfish")),
                Arc::new(RedfishInspect::new(&redfish, "idrac-redfish")),
                Arc::new(RedfishInspect::new(&redfish, "ilo")),
                Arc::new(RedfishInspect::new(&redfish, "irmc")),
                drac(),
            ]),
            management: by_name([
                fake(K::Management),
                noop.clone(),
                Arc::new(IpmiManagement::intel(&ipmi)),
                Arc::new(IpmiManagement::new(&ipmi)),
                redfish_management("redfish"),
                redfish_management("ilo"),
                redfish_management("ilo5"),
                redfish_management("irmc"),
                Arc::new(RedfishManagement::idrac(&redfish)),
                ocs(),
                ucsm(),
                cimc(),
                seamicro(),
                ssh(),
                amt(),
                drac(),
            ]),
            network: by_name([
                noop.clone(),
                Arc::new(NeutronNetwork::flat(
                    openstack.clone(),
                    Arc::clone(&networks),
                )),
                Arc::new(NeutronNetwork::neutron(openstack.clone(), networks)),
            ]),
            power: by_name([
                fake(K::Power),
                Arc::new(IpmiPower(Arc::clone(&ipmi))),
                redfish_power("redfish"),
                redfish_power("idrac-redfish"),
                redfish_power("ilo"),
                redfish_power("irmc"),
                Arc::new(AgentPower::new(agent)),
                Arc::new(SnmpPower(Arc::new(snmp))),
                Arc::new(WolPower(settings.outbound.clone())),
                Arc::new(IbootPower(Arc::new(iboot))),
                ocs(),
                ucsm(),
                cimc(),
                seamicro(),
                ssh(),
                amt(),
                drac(),
            ]),
            raid: by_name([
                fake(K::Raid),
                Arc::new(Absent::RAID),
                Arc::new(AgentRaid),
                Arc::new(RedfishRaid::new(&redfish, "redfish")),
                Arc::new(RedfishRaid::new(&redfish, "idrac-redfish")),
                Arc::new(RedfishRaid::new(&redfish, "ilo5")),
                Arc::new(RedfishRaid::new(&redfish, "irmc")),
            ]),
            rescue: by_name([
                fake(K::Rescue),
                Arc::new(Absent::RESCUE),
                Arc::new(AgentRescue),
            ]),
            storage: by_name([
                fake(K::Storage),
                noop,
                Arc::new(CinderStorage {
                    services: openstack.clone(),
                    settings: settings.cinder.clone(),
                }),
                Arc::new(ExternalStorage),
            ]),
            vendor: by_name([
                fake(K::Vendor),
                Arc::new(Absent::VENDOR),
                Arc::new(IpmiVendor(ipmi)),
                Arc::new(RedfishVendor::new(&redfish, "redfish")),
                Arc::new(RedfishVendor::new(&redfish, "idrac-redfish")),
                Arc::new(RedfishVendor::new(&redfish, "ilo")),
                seamicro(),
                drac(),
            ]),
        })
    }

    /// Adds those of a program, or names the first whose name is taken.
    pub(super) fn add(
        &mut self,
        external: Vec<External>,
    ) -> Result<(), (InterfaceKind, &'static str)> {
        use InterfaceKind as K;
        for one in external {
            let (kind, name) = (one.spec().kind, one.name());
            if self.interface(kind, name).is_some() {
                return Err((kind, name));
            }
            let one = Arc::new(one);
            match kind {
                K::Bios => drop(self.bios.insert(name, one)),
                K::Firmware => drop(self.firmware.insert(name, one)),
                K::Inspect => drop(self.inspect.insert(name, one)),
                K::Management => drop(self.management.insert(name, one)),
                K::Power => drop(self.power.insert(name, one)),
                K::Raid => drop(self.raid.insert(name, one)),
                K::Vendor => drop(self.vendor.insert(name, one)),
                // No declaration has these (`external::Declaration`).
                K::Boot | K::Console | K::Deploy | K::Network | K::Rescue | K::Storage => {}
            }
        }
        Ok(())
    }

    /// The power and management implementations of these names, or the kind that has none.
    pub(super) fn monitor(&self, power: &str, management: &str) -> Result<Monitor, InterfaceKind> {
        let power = self.power.get(power).ok_or(InterfaceKind::Power)?;
        let management = self.management.get(management);
        Ok(Monitor {
            power: Arc::clone(power),
            management: Arc::clone(management.ok_or(InterfaceKind::Management)?),
        })
    }

    /// The deploy implementation of this name.
    pub(super) fn deploy(&self, name: &str) -> Option<&Arc<dyn iface::Deploy>> {
        self.deploy.get(name)
    }

    /// The RAID implementation of this name.
    pub(super) fn raid(&self, name: &str) -> Option<&Arc<dyn iface::Raid>> {
        self.raid.get(name)
    }
}

fn by_name<T: Interface + ?Sized, const N: usize>(all: [Arc<T>; N]) -> ByName<T> {
    all.into_iter().map(|one| (one.name(), one)).collect()
}
