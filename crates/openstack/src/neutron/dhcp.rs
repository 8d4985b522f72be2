//! Which DHCP options make a machine boot from us.
//!
//! Neutron's DHCP agent (dnsmasq) hands them out; `tag:ipxe` is its tag for requests that come from
//! iPXE. Option 255 is what Ironic has always sent beside 66 and 150 for old firmware.

use serde::Serialize;

/// Neutron refuses longer values.
const LONGEST_VALUE: usize = 64;

/// One option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DhcpOption {
    #[serde(rename = "opt_name")]
    pub name: String,
    #[serde(rename = "opt_value")]
    pub value: String,
    pub ip_version: u8,
}

/// How a machine loads its boot file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootMethod {
    Pxe,
    Ipxe,
    Http,
    HttpIpxe,
}

/// What the options are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootFiles<'a> {
    pub method: BootMethod,
    /// `[pxe]tftp_server`.
    pub tftp_server: &'a str,
    /// `[DEFAULT]my_ipv6`, for IPv6 URLs instead of the above.
    pub ipv6_server: Option<&'a str>,
    /// `[deploy]http_url`.
    pub http_url: &'a str,
    /// For the machine's architecture and boot mode.
    pub boot_file: &'a str,
    /// For iPXE once it runs: `boot.ipxe`.
    pub ipxe_script: &'a str,
}

/// A boot file or URL that Neutron would not store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "The resulting boot file or URL length exceeds Neutron limitations. Please explore shorter \
     file names or hostnames."
)]
pub struct ValueTooLong;

/// The options of one version of IP. Only those of versions that a port has addresses of are
/// written to it ([`for_port`]).
pub fn boot_options(
    files: &BootFiles<'_>,
    ip_version: u8,
) -> Result<Vec<DhcpOption>, ValueTooLong> {
    let BootFiles {
        tftp_server,
        boot_file,
        ..
    } = *files;
    let http_url = files.http_url.trim_end_matches('/');
    let http_file = format!("{http_url}/{boot_file}");
    let script = format!("{http_url}/{}", files.ipxe_script);
    let mut options: Vec<(&str, String)> = Vec::new();
    if ip_version == 6 {
        // Everything is in the URL (RFC 5970, 3.1).
        let server = files.ipv6_server.unwrap_or(tftp_server);
        let server = match server.parse::<std::net::Ipv6Addr>() {
            Ok(address) => format!("[{address}]"),
            Err(_) => server.to_owned(),
        };
        let tftp_file = format!("tftp://{server}/{boot_file}");
        match files.method {
            BootMethod::Pxe => options.push(("59", tftp_file)),
            BootMethod::Http => options.push(("59", http_file)),
            BootMethod::Ipxe => {
                options.extend([("tag:!ipxe6,59", tftp_file), ("tag:ipxe6,59", script)]);
            }
            BootMethod::HttpIpxe => {
                options.extend([("tag:!ipxe6,59", http_file), ("tag:ipxe6,59", script)]);
            }
        }
    } else {
        match files.method {
            BootMethod::Pxe => options.push(("67", boot_file.to_owned())),
            BootMethod::Http => options.push(("67", http_file)),
            BootMethod::Ipxe => options.extend([
                ("tag:!ipxe,67", boot_file.to_owned()),
                ("tag:ipxe,67", script),
            ]),
            BootMethod::HttpIpxe => {
                options.extend([("tag:!ipxe,67", http_file), ("tag:ipxe,67", script)]);
            }
        }
        match files.method {
            BootMethod::Pxe | BootMethod::Ipxe => {
                let server = |name| (name, tftp_server.to_owned());
                options.extend(["66", "150", "255"].map(server));
            }
            // What UEFI's HTTP boot expects (UEFI 2.10, 24.7).
            BootMethod::Http | BootMethod::HttpIpxe => {
                options.push(("60", "HTTPClient".to_owned()));
            }
        }
    }
    if options
        .iter()
        .any(|(_, value)| value.chars().count() > LONGEST_VALUE)
    {
        return Err(ValueTooLong);
    }
    let option = |(name, value): (&str, String)| DhcpOption {
        name: name.to_owned(),
        value,
        ip_version,
    };
    Ok(options.into_iter().map(option).collect())
}

/// The options for the versions of IP that a port has addresses of; none without an address.
pub fn for_port(
    files: &BootFiles<'_>,
    port: &super::Port,
) -> Result<Vec<DhcpOption>, ValueTooLong> {
    let versions = port.ip_versions();
    let options: Result<Vec<_>, _> = versions
        .into_iter()
        .map(|version| boot_options(files, version))
        .collect();
    Ok(options?.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neutron::Port;
    use serde_json::json;

    fn files(method: BootMethod, boot_file: &str) -> BootFiles<'_> {
        BootFiles {
            method,
            tftp_server: "192.0.2.1",
            ipv6_server: None,
            http_url: "http://httpd.example:8080",
            boot_file,
            ipxe_script: "boot.ipxe",
        }
    }

    #[track_caller]
    fn check(method: BootMethod, file: &str, ip_version: u8, expected: &[(&str, &str)]) {
        let options = boot_options(&files(method, file), ip_version).unwrap();
        let pairs: Vec<_> = options.iter().map(|o| (&*o.name, &*o.value)).collect();
        assert_eq!(pairs, expected);
        assert!(options.iter().all(|option| option.ip_version == ip_version));
    }

    /// As recorded from Ironic.
    #[test]
    fn each_way_to_boot_has_its_options() {
        let script = "http://httpd.example:8080/boot.ipxe";
        let server = |name| (name, "192.0.2.1");
        check(
            BootMethod::Pxe,
            "pxelinux.0",
            4,
            &[
                ("67", "pxelinux.0"),
                server("66"),
                server("150"),
                server("255"),
            ],
        );
        check(
            BootMethod::Ipxe,
            "undionly.kpxe",
            4,
            &[
                ("tag:!ipxe,67", "undionly.kpxe"),
                ("tag:ipxe,67", script),
                server("66"),
                server("150"),
                server("255"),
            ],
        );
        check(
            BootMethod::Http,
            "pxelinux.0",
            4,
            &[
                ("67", "http://httpd.example:8080/pxelinux.0"),
                ("60", "HTTPClient"),
            ],
        );
        check(
            BootMethod::HttpIpxe,
            "undionly.kpxe",
            4,
            &[
                ("tag:!ipxe,67", "http://httpd.example:8080/undionly.kpxe"),
                ("tag:ipxe,67", script),
                ("60", "HTTPClient"),
            ],
        );
        check(
            BootMethod::Pxe,
            "bootx64.efi",
            6,
            &[("59", "tftp://192.0.2.1/bootx64.efi")],
        );
        check(
            BootMethod::Ipxe,
            "snponly.efi",
            6,
            &[
                ("tag:!ipxe6,59", "tftp://192.0.2.1/snponly.efi"),
                ("tag:ipxe6,59", script),
            ],
        );
        check(
            BootMethod::Http,
            "bootx64.efi",
            6,
            &[("59", "http://httpd.example:8080/bootx64.efi")],
        );
        let v6 = BootFiles {
            ipv6_server: Some("2001:db8::1"),
            ..files(BootMethod::Pxe, "bootx64.efi")
        };
        let options = boot_options(&v6, 6).unwrap();
        assert_eq!(options[0].value, "tftp://[2001:db8::1]/bootx64.efi");
    }

    #[test]
    fn a_port_gets_what_its_addresses_can_use() {
        let port = |addresses: &[&str]| {
            let ips: Vec<_> = addresses
                .iter()
                .map(|ip| json!({"ip_address": ip}))
                .collect();
            let document = json!({"id": "p", "network_id": "n", "fixed_ips": ips});
            Port::read(document.to_string().as_bytes()).unwrap()
        };
        let files = files(BootMethod::Http, "bootx64.efi");
        let count = |addresses: &[&str]| for_port(&files, &port(addresses)).unwrap().len();
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&["192.0.2.7"]), 2);
        assert_eq!(count(&["2001:db8::7"]), 1);
        assert_eq!(count(&["192.0.2.7", "2001:db8::7"]), 3);
    }

    #[test]
    fn long_urls_are_refused_before_neutron_does() {
        let long = "x".repeat(60);
        let files = files(BootMethod::Http, &long);
        assert_eq!(boot_options(&files, 4), Err(ValueTooLong));
    }
}
