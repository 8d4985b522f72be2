//! A dnsmasq that somebody else runs, told about nodes by files.
//!
//! dnsmasq reads changed files in both folders by itself; a host that is to be left alone is told
//! so instead of being removed, because removal would only be seen after a restart.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use crate::{dhcp_options::DhcpOption, error::BootError, node::NodeBoot, place};
use std::{
    fs,
    net::IpAddr,
    path::{Path, PathBuf},
};
use types::{NodeId, port::MacAddress};

/// Where its files are: the section `[dnsmasq]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dnsmasq {
    pub options_dir: PathBuf,
    pub hosts_dir: PathBuf,
    pub lease_file: PathBuf,
}

impl Dnsmasq {
    /// Gives a node its options; the tag ties its ports to them and to no older ones.
    pub fn update(
        &self,
        node: &NodeBoot,
        tag: &str,
        options: &[DhcpOption],
    ) -> Result<(), BootError> {
        let lines = options
            .iter()
            .map(|option| format!("tag:{tag},{},{}\n", option.name, option.value));
        let lines: String = lines.collect();
        place::write(&self.options_file(node.node), lines.as_bytes(), 0o644)?;
        for port in &node.ports {
            let line = format!("{},set:{tag},set:ironic\n", port.mac);
            place::write(&self.host_file(&port.mac), line.as_bytes(), 0o644)?;
        }
        Ok(())
    }

    /// Tells dnsmasq to leave a node's ports alone.
    pub fn clean(&self, node: NodeId, ports: &[MacAddress]) -> Result<(), BootError> {
        for mac in ports {
            place::write(
                &self.host_file(mac),
                format!("{mac},ignore\n").as_bytes(),
                0o644,
            )?;
        }
        place::remove(&self.options_file(node))
    }

    /// The addresses that dnsmasq has leased to these ports.
    pub fn addresses(&self, ports: &[MacAddress]) -> Result<Vec<IpAddr>, BootError> {
        let text = fs::read_to_string(&self.lease_file);
        let text = text.map_err(BootError::file("read", &self.lease_file))?;
        Ok(leased(&text, ports))
    }

    fn options_file(&self, node: NodeId) -> PathBuf {
        file(&self.options_dir, &node.to_string())
    }

    fn host_file(&self, mac: &MacAddress) -> PathBuf {
        file(&self.hosts_dir, &mac.to_string())
    }
}

fn file(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("ironic-{name}.conf"))
}

/// Lines of a lease file are: expiry, hardware address, address, name, client identifier.
fn leased(text: &str, ports: &[MacAddress]) -> Vec<IpAddr> {
    let lines = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let mac: MacAddress = words.next()?.parse().ok()?;
        let address: IpAddr = words.next()?.parse().ok()?;
        ports.contains(&mac).then_some(address)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choice::tests::node,
        dhcp_options::dhcp_options,
        node::{BootMethod, BootMode},
        settings::BootFiles,
    };

    #[test]
    fn files_are_those_of_the_reference() {
        let dir = tempfile::tempdir().unwrap();
        let dnsmasq = Dnsmasq {
            options_dir: dir.path().to_owned(),
            hosts_dir: dir.path().to_owned(),
            lease_file: dir.path().join("leases"),
        };
        let node = node(BootMethod::Pxe, BootMode::Bios);
        let options = dhcp_options(&BootFiles::default(), &node).unwrap();
        dnsmasq.update(&node, "t-1", &options).unwrap();
        let read = |name: String| fs::read_to_string(dir.path().join(name)).unwrap();
        let options = format!("ironic-{}.conf", node.node);
        let host = || read("ironic-52:54:00:01:02:03.conf".to_owned());
        assert!(read(options.clone()).starts_with("tag:t-1,67,pxelinux.0\ntag:t-1,66,127.0.0.1\n"));
        assert_eq!(host(), "52:54:00:01:02:03,set:t-1,set:ironic\n");
        dnsmasq.clean(node.node, &[node.ports[0].mac]).unwrap();
        assert_eq!(host(), "52:54:00:01:02:03,ignore\n");
        assert!(!dir.path().join(options).exists());
    }

    #[test]
    fn leases_are_found_by_port() {
        let text = "1700000000 52:54:00:01:02:03 10.0.0.7 host 01:52\nduid 00:01\n\
                    1700000000 52:54:00:01:02:04 10.0.0.8 * *\n";
        let addresses = leased(text, &["52:54:00:01:02:03".parse().unwrap()]);
        assert_eq!(addresses, ["10.0.0.7".parse::<IpAddr>().unwrap()]);
    }
}
