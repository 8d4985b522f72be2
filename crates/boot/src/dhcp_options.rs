//! The boot options of a node, for a DHCP server that somebody else runs.
//!
//! These are the lists that Neutron's ports and dnsmasq's files carry: options by number, some for
//! iPXE only, by the tag that those servers set for it.

use crate::{
    choice,
    error::BootError,
    node::{BootMethod, NodeBoot},
    settings::{BOOT_SCRIPT, BootFiles},
};

/// An option of one family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DhcpOption {
    pub name: String,
    pub value: String,
    pub ip_version: u8,
}

/// Longer values do not fit into what Neutron keeps.
const LONGEST: usize = 64;

/// The options of a node, of both families.
pub fn dhcp_options(files: &BootFiles, node: &NodeBoot) -> Result<Vec<DhcpOption>, BootError> {
    let mut options = Vec::new();
    for version in [4, 6] {
        let list = of_version(files, node, version)?;
        options.extend(list.into_iter().map(|(name, value)| DhcpOption {
            name,
            value,
            ip_version: version,
        }));
    }
    Ok(options)
}

fn of_version(
    files: &BootFiles,
    node: &NodeBoot,
    version: u8,
) -> Result<Vec<(String, String)>, BootError> {
    let refuse = |why: &str| BootError::Node {
        node: node.node,
        why: why.to_owned(),
    };
    let v6 = version == 6;
    let file = choice::loader(files, node.way, node.cpu_arch.as_deref(), node.mode);
    let http_url = || {
        let missing = "[deploy]http_url is not set, and the boot interface needs it";
        files.http_url.as_deref().ok_or_else(|| refuse(missing))
    };
    let by_http = node.way.by_http_boot();
    let file = if by_http {
        format!("{}/{file}", http_url()?)
    } else if v6 {
        let server = files.tftp_server_v6.as_ref().unwrap_or(&files.tftp_server);
        format!("tftp://{}/{file}", bracketed(server))
    } else {
        file
    };
    if file.len() > LONGEST {
        return Err(refuse(
            "the name of its boot file is longer than 64 characters",
        ));
    }
    let (number, tag) = if v6 { ("59", "ipxe6") } else { ("67", "ipxe") };
    let mut options = Vec::new();
    if node.way.by_ipxe() {
        options.push((format!("tag:!{tag},{number}"), file));
        options.push((
            format!("tag:{tag},{number}"),
            format!("{}/{BOOT_SCRIPT}", http_url()?),
        ));
    } else {
        options.push((number.to_owned(), file));
    }
    if by_http && !v6 {
        options.push(("60".to_owned(), "HTTPClient".to_owned()));
    }
    if !v6 && matches!(node.way, BootMethod::Pxe | BootMethod::Ipxe) {
        // The last is no option: it is dnsmasq's word for the server in the header.
        for number in ["66", "150", "255"] {
            options.push((number.to_owned(), files.tftp_server.clone()));
        }
    }
    Ok(options)
}

/// An address as it stands in a URL.
fn bracketed(host: &str) -> String {
    if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{choice::tests::node, node::BootMode};

    fn list(way: BootMethod, mode: BootMode) -> Vec<(String, String, u8)> {
        let files = BootFiles {
            tftp_server: "192.0.2.1".to_owned(),
            tftp_server_v6: Some("2001:db8::1".to_owned()),
            http_url: Some("http://192.0.2.1:8080".to_owned()),
            ..BootFiles::default()
        };
        let options = dhcp_options(&files, &node(way, mode)).unwrap();
        options
            .into_iter()
            .map(|option| (option.name, option.value, option.ip_version))
            .collect()
    }

    fn rows(rows: &[(&str, &str, u8)]) -> Vec<(String, String, u8)> {
        rows.iter()
            .map(|(name, value, version)| ((*name).to_owned(), (*value).to_owned(), *version))
            .collect()
    }

    #[test]
    fn options_are_those_of_the_reference() {
        assert_eq!(
            list(BootMethod::Pxe, BootMode::Uefi),
            rows(&[
                ("67", "bootx64.efi", 4),
                ("66", "192.0.2.1", 4),
                ("150", "192.0.2.1", 4),
                ("255", "192.0.2.1", 4),
                ("59", "tftp://[2001:db8::1]/bootx64.efi", 6),
            ])
        );
        assert_eq!(
            list(BootMethod::Ipxe, BootMode::Bios),
            rows(&[
                ("tag:!ipxe,67", "undionly.kpxe", 4),
                ("tag:ipxe,67", "http://192.0.2.1:8080/boot.ipxe", 4),
                ("66", "192.0.2.1", 4),
                ("150", "192.0.2.1", 4),
                ("255", "192.0.2.1", 4),
                ("tag:!ipxe6,59", "tftp://[2001:db8::1]/undionly.kpxe", 6),
                ("tag:ipxe6,59", "http://192.0.2.1:8080/boot.ipxe", 6),
            ])
        );
        assert_eq!(
            list(BootMethod::Http, BootMode::Uefi),
            rows(&[
                ("67", "http://192.0.2.1:8080/bootx64.efi", 4),
                ("60", "HTTPClient", 4),
                ("59", "http://192.0.2.1:8080/bootx64.efi", 6),
            ])
        );
        assert_eq!(
            list(BootMethod::HttpIpxe, BootMode::Uefi),
            rows(&[
                ("tag:!ipxe,67", "http://192.0.2.1:8080/snponly.efi", 4),
                ("tag:ipxe,67", "http://192.0.2.1:8080/boot.ipxe", 4),
                ("60", "HTTPClient", 4),
                ("tag:!ipxe6,59", "http://192.0.2.1:8080/snponly.efi", 6),
                ("tag:ipxe6,59", "http://192.0.2.1:8080/boot.ipxe", 6),
            ])
        );
    }

    #[test]
    fn what_cannot_be_told_is_refused() {
        let files = BootFiles {
            pxe_loader: "l".repeat(65),
            ..BootFiles::default()
        };
        assert!(dhcp_options(&files, &node(BootMethod::Pxe, BootMode::Bios)).is_err());
        assert!(
            dhcp_options(
                &BootFiles::default(),
                &node(BootMethod::Ipxe, BootMode::Bios)
            )
            .is_err()
        );
    }
}
