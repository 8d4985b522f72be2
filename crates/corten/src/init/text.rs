//! The configuration file, with a comment on everything that an operator may want to change.

use super::{
    answers::{Answers, Auth},
    pieces::Paths,
    place::InstallPaths,
};
use std::path::Path;

/// Loaders by the name that machines ask for, and where Debian's packages put them.
const LOADERS: &[(&str, &str)] = &[
    ("undionly.kpxe", "/usr/lib/ipxe/undionly.kpxe"),
    ("snponly.efi", "/usr/lib/ipxe/snponly.efi"),
    ("pxelinux.0", "/usr/lib/PXELINUX/pxelinux.0"),
    ("ldlinux.c32", "/usr/lib/syslinux/modules/bios/ldlinux.c32"),
    // Starts the disk of a machine that boots from the network every time; with what it loads.
    ("chain.c32", "/usr/lib/syslinux/modules/bios/chain.c32"),
    (
        "libcom32.c32",
        "/usr/lib/syslinux/modules/bios/libcom32.c32",
    ),
    ("libutil.c32", "/usr/lib/syslinux/modules/bios/libutil.c32"),
    ("bootx64.efi", "/usr/lib/shim/shimx64.efi.signed"),
    (
        "grubx64.efi",
        "/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed",
    ),
];

/// Those that are here.
pub(super) fn loaders() -> Vec<String> {
    let here = LOADERS.iter().filter(|(_, path)| Path::new(path).is_file());
    here.map(|(name, path)| format!("{name}:{path}")).collect()
}

pub(super) fn text(answers: &Answers, paths: &Paths, place: &InstallPaths) -> String {
    let sections = [
        general(answers, paths, place),
        api(answers, paths),
        keystone(answers),
        machines(answers, paths),
        boot(answers, place),
    ];
    sections.concat()
}

fn general(answers: &Answers, paths: &Paths, place: &InstallPaths) -> String {
    let address = answers.attached.address;
    let auth = match &answers.auth {
        Auth::None => "# No password is asked for, so the API is for this host only.\n\
             auth_strategy = noauth\n"
            .to_owned(),
        Auth::Local { user, .. } => format!(
            "# Users, groups, roles and tokens are in the database; {user} is administrator, and makes\n\
             # others: corten user add NAME, corten role grant ROLE --user NAME.\n\
             auth_strategy = local\n"
        ),
        Auth::HttpBasic { .. } => format!(
            "# Names and passwords in a file: corten user add NAME --config-file {}\n\
             auth_strategy = http_basic\nhttp_basic_auth_user_file = {}\n",
            place.config.display(),
            paths.users.display()
        ),
        Auth::Keystone { .. } => "# Users have tokens of Keystone; see [keystone_authtoken].\n\
             auth_strategy = keystone\n"
            .to_owned(),
    };
    format!(
        "# Written by `corten init`. The format and the names are those of ironic.conf; what is not here\n\
         # has the default of Ironic, but for folders, which are below [corten]data_dir. All options:\n\
         # corten config show --all --config-file {config}\n\
         \n\
         [DEFAULT]\n\
         {auth}\
         # Where machines reach this host.\n\
         my_ip = {address}\n\
         \n\
         # What machines are driven by. A node chooses among these; the first of a list that fits is its\n\
         # default.\n\
         enabled_hardware_types = ipmi,redfish\n\
         enabled_bios_interfaces = no-bios,redfish\n\
         enabled_boot_interfaces = ipxe,pxe,redfish-virtual-media\n\
         enabled_console_interfaces = no-console,ipmitool-socat\n\
         enabled_deploy_interfaces = direct,ramdisk\n\
         enabled_firmware_interfaces = no-firmware,redfish\n\
         enabled_inspect_interfaces = agent,redfish,no-inspect\n\
         enabled_management_interfaces = ipmitool,redfish\n\
         enabled_network_interfaces = noop\n\
         enabled_power_interfaces = ipmitool,redfish\n\
         enabled_raid_interfaces = no-raid,agent,redfish\n\
         enabled_rescue_interfaces = agent,no-rescue\n\
         enabled_storage_interfaces = noop\n\
         enabled_vendor_interfaces = no-vendor,ipmitool,redfish\n\
         default_network_interface = noop\n\
         default_inspect_interface = agent\n\
         default_rescue_interface = agent\n\
         # Machines with IPMI have a serial console: corten node set NODE --console-interface ipmitool-socat\n\
         default_console_interface = no-console\n\
         \n",
        config = place.config.display(),
    )
}

fn api(answers: &Answers, paths: &Paths) -> String {
    let host = match answers.auth {
        Auth::None => "127.0.0.1".to_owned(),
        _ => answers.attached.address.to_string(),
    };
    let mut text = format!(
        "[api]\n\
         # Users and machines reach the API here.\n\
         host_ip = {host}\n\
         port = 6385\n"
    );
    if answers.has_tls {
        text += &format!(
            "# The certificate is signed by itself; clients name it as OS_CACERT. To use another one,\n\
             # replace both files, and build the ramdisk with --ca.\n\
             enable_ssl_api = true\n\
             \n\
             [ssl]\n\
             cert_file = {certificate}\n\
             key_file = {key}\n\
             \n\
             [agent]\n\
             # What ramdisks that come by virtual media are told to trust.\n\
             api_ca_file = {certificate}\n",
            certificate = paths.certificate.display(),
            key = paths.certificate_key.display(),
        );
    }
    text + "\n"
}

/// What users may have the service connect to, where it tells them apart.
fn outbound(answers: &Answers) -> &'static str {
    match answers.auth {
        Auth::None | Auth::HttpBasic { .. } => "",
        Auth::Local { .. } | Auth::Keystone { .. } => {
            "# Users cannot have the service connect to this host itself, unless BMCs or images are here:\n\
             #networks_allowed = 127.0.0.0/8\n"
        }
    }
}

fn keystone(answers: &Answers) -> String {
    let Auth::Keystone {
        url,
        user,
        project,
        password,
    } = &answers.auth
    else {
        return String::new();
    };
    format!(
        "[keystone_authtoken]\n\
         # The account by which tokens of users are checked.\n\
         auth_type = password\n\
         auth_url = {url}\n\
         www_authenticate_uri = {url}\n\
         username = {user}\n\
         user_domain_name = Default\n\
         project_name = {project}\n\
         project_domain_name = Default\n\
         password = {}\n\
         \n",
        // A dollar sign would begin the name of another option.
        password.replace('$', "$$")
    )
}

fn machines(answers: &Answers, paths: &Paths) -> String {
    let ramdisk = paths.ramdisk.display();
    let images = paths.images.display();
    let mut text = format!(
        "[conductor]\n\
         # The ramdisk that machines boot while they are worked on: corten ramdisk build --output {ramdisk}\n\
         deploy_kernel = file://{ramdisk}/kernel\n\
         deploy_ramdisk = file://{ramdisk}/initramfs\n\
         rescue_kernel = file://{ramdisk}/kernel\n\
         rescue_ramdisk = file://{ramdisk}/initramfs\n\
         # Images of yours lie here, and are named as file://{images}/NAME; http and https addresses\n\
         # work as well.\n\
         file_url_allowed_paths = {images},{ramdisk}\n\
         \n\
         [deploy]\n\
         # Where machines fetch boot files and images.\n\
         http_url = http://{address}:8080\n\
         # Between two users only the partition tables and file systems are erased, which takes seconds.\n\
         # Erasing whole disks takes hours or days: erase_devices_priority = 10.\n\
         erase_devices_priority = 0\n\
         erase_devices_metadata_priority = 10\n\
         \n\
         [inspector]\n\
         # What inspection writes into properties of nodes.\n\
         hooks = $default_hooks,cpus,memory,root-device\n\
         \n",
        address = answers.attached.address
    );
    if let Some(driver) = &answers.discovery {
        text += &format!(
            "[auto_discovery]\n\
             # Machines that are not enrolled boot the ramdisk, and are enrolled when it reports. At most\n\
             # [corten]auto_discovery_limit of them wait in `enroll` at a time.\n\
             enabled = true\n\
             driver = {driver}\n\
             \n"
        );
    }
    text
}

fn boot(answers: &Answers, place: &InstallPaths) -> String {
    let at = answers.attached;
    let (first, last) = answers.range;
    let mut network = format!("{} interface={}", at.network, answers.interface);
    if !answers.is_proxy {
        network += &format!(" range={first}-{last}");
        if let Some(router) = answers.router {
            network += &format!(" router={router}");
        }
        if !answers.dns.is_empty() {
            let servers: Vec<String> = answers.dns.iter().map(ToString::to_string).collect();
            network += &format!(" dns={}", servers.join("+"));
        }
    }
    let (role, about) = match answers.is_proxy {
        true => (
            "proxy",
            "# Another server gives addresses; this one only says what to boot.",
        ),
        false => (
            "server",
            "# This host gives addresses to machines that are enrolled. If another DHCP server is there, set\n\
             # dhcp = proxy.",
        ),
    };
    let loaders = loaders();
    let loader_line = match loaders.is_empty() {
        true => "# There were no loaders on this host. On Debian they are in ipxe, pxelinux, syslinux-common,\n\
             # shim-signed and grub-efi-amd64-signed; then:\n\
             #loader_file_paths = undionly.kpxe:/usr/lib/ipxe/undionly.kpxe,snponly.efi:/usr/lib/ipxe/snponly.efi"
            .to_owned(),
        false => format!("loader_file_paths = {}", loaders.join(",")),
    };
    let others = match answers.discovery {
        Some(_) => "boot",
        None => "ignore",
    };
    format!(
        "[pxe]\n\
         # What kernels of ramdisks are told; the last console is the one that is read.\n\
         kernel_append_params = nofb vga=normal console=tty0 console=ttyS0\n\
         # Loaders, by the name that machines ask for.\n\
         {loader_line}\n\
         \n\
         [redfish]\n\
         # The same for machines that boot from virtual media.\n\
         kernel_append_params = nofb vga=normal console=tty0 console=ttyS0\n\
         \n\
         [corten]\n\
         # Database, keys, leases, images: everything that is kept.\n\
         data_dir = {data}\n\
         {outbound}\
         # Consoles are reached by `corten node console`; a TCP port is for nodes that name one.\n\
         console_needs_port = false\n\
         tftp_listen = {address}:69\n\
         http_listen = {address}:8080\n\
         {about}\n\
         dhcp = {role}\n\
         dhcp_networks = {network}\n\
         # What machines get that are not enrolled: ignore, address or boot.\n\
         dhcp_others = {others}\n",
        data = place.data.display(),
        outbound = outbound(answers),
        address = at.address,
    )
}
