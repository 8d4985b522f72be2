//! The boot configuration of a node, in the language of its loader.
//!
//! All entries that a loader may be switched to are always there; the default says which one runs.
//! Names of entries, their order and the kernel lines are those that Ironic writes, because
//! operators' own tools look for them. Two things differ: an entry that boots the disk does so
//! (Ironic's for GRUB names a module of another loader), and what cannot be written safely is
//! refused.

pub mod grub;
pub mod ipxe;
pub mod operator;
pub mod pxelinux;

use crate::{
    cmdline::{self, Dialect},
    error::BootError,
    node::{Artifact, BootMethod, BootMode, NodeBoot, Source, Start, VolumeBoot},
    settings::BootFiles,
};
use std::time::Duration;

/// Stands for an entry's files when there are none.
const NO_KERNEL: &str = "no_kernel";
const NO_RAMDISK: &str = "no_ramdisk";

/// A kernel and its ramdisk, as the loader finds them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pair {
    pub kernel: String,
    pub ramdisk: String,
}

/// What all three languages need.
#[derive(Debug, Clone)]
pub struct Menu<'a> {
    pub default: &'static str,
    pub deploy: Pair,
    /// The name under which the kernel finds the ramdisk that iPXE loaded.
    pub initrd: String,
    pub instance: Pair,
    pub iso: Option<String>,
    pub append: &'a str,
    pub ramdisk_arguments: &'a str,
    pub kickstart: Option<&'a str>,
    pub source: Option<&'a Source>,
    pub disk: Option<&'a str>,
    /// The root of an instance whose kernel comes from the network. Only then is there an entry for
    /// it: Ironic has none any more.
    pub root: Option<&'a str>,
    pub volume: Option<&'a VolumeBoot>,
    pub tftp_server: &'a str,
    pub timeout: Duration,
    pub tells_address: bool,
}

/// Renders the configuration of a node.
pub fn render(files: &BootFiles, node: &NodeBoot) -> Result<String, BootError> {
    let refuse = |why: String| BootError::Node {
        node: node.node,
        why,
    };
    let dialect = match (node.way, node.mode) {
        (BootMethod::Ipxe | BootMethod::HttpIpxe, _) => Dialect::Ipxe,
        (BootMethod::Pxe, BootMode::Bios) => Dialect::Pxelinux,
        (BootMethod::Pxe, BootMode::Uefi) | (BootMethod::Http, _) => Dialect::Grub,
    };
    let menu = menu(files, node).map_err(refuse)?;
    let texts = [
        ("the kernel parameters", menu.append),
        ("ramdisk_kernel_arguments", menu.ramdisk_arguments),
        (
            "the address of the kickstart file",
            menu.kickstart.unwrap_or_default(),
        ),
        ("the identifier of the disk", menu.disk.unwrap_or_default()),
        ("the root of the instance", menu.root.unwrap_or_default()),
    ];
    for (what, text) in texts {
        cmdline::check(dialect, what, text).map_err(refuse)?;
    }
    let places = [&menu.deploy, &menu.instance].map(|pair| [&pair.kernel, &pair.ramdisk]);
    for place in places.into_iter().flatten().chain(&menu.iso) {
        cmdline::check(dialect, "the address of a file", place).map_err(refuse)?;
        if place.contains(char::is_whitespace) {
            return Err(refuse(format!(
                "the address of a file has a space in it: '{place}'"
            )));
        }
    }
    if let Some(volume) = menu.volume {
        check_volume(volume).map_err(refuse)?;
    }
    if let Some(template) = files.templates.find(dialect, node.cpu_arch.as_deref()) {
        let rendered = operator::render(template, dialect, &menu);
        return rendered.map_err(|error| refuse(format!("its template cannot be used: {error}")));
    }
    Ok(match dialect {
        Dialect::Ipxe => ipxe::render(&menu),
        Dialect::Pxelinux => pxelinux::render(&menu),
        Dialect::Grub => grub::render(&menu),
    })
}

fn menu<'a>(files: &'a BootFiles, node: &'a NodeBoot) -> Result<Menu<'a>, String> {
    let unused = Pair {
        kernel: NO_KERNEL.to_owned(),
        ramdisk: NO_RAMDISK.to_owned(),
    };
    let mut menu = Menu {
        default: "deploy",
        deploy: Pair::default(),
        initrd: "deploy_ramdisk".to_owned(),
        instance: unused,
        iso: None,
        append: &node.append,
        ramdisk_arguments: "",
        kickstart: None,
        source: None,
        disk: None,
        root: None,
        volume: None,
        tftp_server: &files.tftp_server,
        timeout: files.ipxe_timeout,
        tells_address: node.tells_address,
    };
    let place = |name: &str, artifact: &Artifact| place(files, node, name, artifact);
    let pair = || {
        let places: Result<Vec<_>, _> = node
            .artifacts()
            .into_iter()
            .map(|(name, artifact)| place(name, artifact))
            .collect();
        let mut places = places?.into_iter();
        Ok::<_, String>(Pair {
            kernel: places.next().unwrap_or_default(),
            ramdisk: places.next().unwrap_or_default(),
        })
    };
    match &node.start {
        Start::Agent { ramdisk, .. } | Start::Rescue { ramdisk, .. } => {
            menu.deploy = pair()?;
            let own = if matches!(node.start, Start::Agent { .. }) {
                "deploy_ramdisk"
            } else {
                "rescue_ramdisk"
            };
            menu.initrd = match ramdisk {
                Artifact::File(_) => own.to_owned(),
                Artifact::Url(url) => file_name(url).unwrap_or(own).to_owned(),
            };
        }
        Start::Ramdisk { arguments, .. } => {
            menu.default = "boot_ramdisk";
            menu.instance = pair()?;
            menu.ramdisk_arguments = arguments;
        }
        Start::Root { root, .. } => {
            if root.contains(char::is_whitespace) {
                return Err("the root of the instance has a space in it".to_owned());
            }
            menu.default = "boot_partition";
            menu.instance = pair()?;
            menu.root = Some(root);
        }
        Start::Iso(iso) => {
            if !node.way.by_ipxe() {
                return Err(
                    "an ISO image can only be started by iPXE or as virtual media".to_owned(),
                );
            }
            menu.default = "boot_ramdisk";
            menu.iso = Some(place("boot_iso", iso)?);
        }
        Start::Anaconda {
            kickstart, source, ..
        } => {
            menu.default = "boot_anaconda";
            menu.instance = pair()?;
            menu.kickstart = Some(kickstart);
            menu.source = Some(source);
        }
        Start::Disk { identifier } => {
            menu.default = "boot_whole_disk";
            menu.disk = identifier.as_deref();
        }
        Start::Volume(volume) => {
            if !node.way.by_ipxe() {
                return Err("an iSCSI volume can only be started by iPXE".to_owned());
            }
            menu.default = "boot_iscsi";
            menu.volume = Some(volume);
        }
    }
    Ok(menu)
}

/// Whether all that a volume says can stand in a script of iPXE. The text of the error has no
/// password in it.
fn check_volume(volume: &VolumeBoot) -> Result<(), String> {
    let check = |what: &str, text: &str, is_word: bool| {
        cmdline::check(Dialect::Ipxe, what, text)?;
        // iPXE would put something else in its place.
        if text.contains("${") || (is_word && text.contains(char::is_whitespace)) {
            return Err(format!("{what} has a space or a ${{…}} in it"));
        }
        Ok(())
    };
    if let Some(initiator) = &volume.initiator {
        check("the name of the iSCSI initiator", initiator, true)?;
    }
    for disk in std::iter::once(&volume.root).chain(&volume.others) {
        if disk.urls.is_empty() {
            return Err("an iSCSI volume has no address".to_owned());
        }
        for url in &disk.urls {
            check("the address of an iSCSI volume", url, true)?;
        }
        if let Some(login) = &disk.login {
            check("the CHAP user of a volume", &login.username, false)?;
            check("the CHAP password of a volume", &login.password, false)?;
        }
    }
    Ok(())
}

/// How the loader names a file.
fn place(
    files: &BootFiles,
    node: &NodeBoot,
    name: &str,
    artifact: &Artifact,
) -> Result<String, String> {
    match (artifact, node.way) {
        (Artifact::Url(url), BootMethod::Ipxe | BootMethod::HttpIpxe) => Ok(url.clone()),
        (Artifact::Url(url), _) => Err(format!(
            "its loader cannot fetch {url}; the file must be here"
        )),
        (Artifact::File(_), BootMethod::Pxe) => Ok(format!("{}/{name}", node.node)),
        // GRUB over HTTP takes a path from the root of the server that it came from.
        (Artifact::File(_), BootMethod::Http) => Ok(format!("/{}/{name}", node.node)),
        (Artifact::File(_), BootMethod::Ipxe | BootMethod::HttpIpxe) => {
            let url = files
                .http_url
                .as_ref()
                .ok_or("[deploy]http_url is not set, and iPXE needs it")?;
            Ok(format!("{url}/{}/{name}", node.node))
        }
    }
}

/// The last part of a URL's path: the name that iPXE gives a file.
fn file_name(url: &str) -> Option<&str> {
    let path = url.split(['?', '#']).next()?;
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let (_, name) = path.trim_end_matches('/').rsplit_once('/')?;
    (!name.is_empty()).then_some(name)
}

/// The kernel's words of an instance whose root is on the disk.
fn on_disk(root: &str, append: &str) -> String {
    format!("root={root} ro text {append}")
}

/// The kernel's words for where Anaconda's installer is.
fn anaconda(menu: &Menu<'_>) -> String {
    let kickstart = menu.kickstart.unwrap_or_default();
    let source = match menu.source {
        Some(Source::Repository(url)) => format!("inst.repo={url}"),
        Some(Source::Stage2(url)) => format!("inst.stage2={url}"),
        None => "inst.stage2=".to_owned(),
    };
    format!("text {} inst.ks={kickstart} {source}", menu.append)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choice::tests::node,
        node::{ChapLogin, IscsiVolume},
        template::Template,
    };
    use std::path::PathBuf;

    fn files() -> BootFiles {
        BootFiles {
            http_url: Some("http://10.0.0.1:8080".to_owned()),
            ..BootFiles::default()
        }
    }

    /// Templates as operators have them: Ironic's own, with a remark.
    #[test]
    fn a_template_of_the_operator_replaces_what_is_built_in() {
        let parse = |text: &str| Some(Template::parse(text).unwrap());
        let ipxe = "#!ipxe\n# mine\ngoto deploy\n\n:deploy\nkernel \
            {% if pxe_options.ipxe_timeout > 0 %}--timeout {{ pxe_options.ipxe_timeout }} \
            {% endif %}{{ pxe_options.deployment_aki_path }} {{ \
            pxe_options.pxe_append_params|default(\"\", true) }} BOOTIF=${mac} || goto retry\n\
            {%- if pxe_options.boot_from_volume %}\n{% for i, v in enumerate(x) %}{% endfor %}\
            {%- endif %}\n:boot_whole_disk\nsanboot --no-describe\n";
        let mut files = files();
        files.ipxe_timeout = Duration::from_secs(20);
        files.templates.ipxe = parse(ipxe);
        files.templates.pxelinux = parse("default deploy\n# mine\n");
        files
            .templates
            .by_arch
            .extend([("aarch64".to_owned(), Template::parse("# arm").unwrap())]);
        let mut node = local(BootMethod::Ipxe, BootMode::Bios);
        let text = render(&files, &node).unwrap();
        let kernel = format!("kernel --timeout 20000 http://10.0.0.1:8080/{}/", node.node);
        assert!(text.contains("goto deploy\n"), "{text}");
        assert!(text.contains(&kernel), "{text}");
        assert!(
            text.contains("BOOTIF=${mac} || goto retry\n:boot_whole_disk\n"),
            "{text}"
        );
        node.start = Start::Disk { identifier: None };
        let text = render(&files, &node).unwrap();
        assert!(
            text.starts_with("#!ipxe\n# mine\ngoto boot_whole_disk\n"),
            "{text}"
        );
        node.way = BootMethod::Pxe;
        assert_eq!(
            render(&files, &node).unwrap(),
            "default boot_whole_disk\n# mine\n"
        );
        node.cpu_arch = Some("aarch64".to_owned());
        assert_eq!(render(&files, &node).unwrap(), "# arm\n");
        // Nobody replaced what GRUB reads.
        node.cpu_arch = None;
        node.mode = BootMode::Uefi;
        assert!(render(&files, &node).unwrap().contains("set timeout=5"));
    }

    fn local(way: BootMethod, mode: BootMode) -> NodeBoot {
        let file = |name: &str| Artifact::File(PathBuf::from(name));
        NodeBoot {
            start: Start::Agent {
                kernel: file("/k"),
                ramdisk: file("/r"),
            },
            ..node(way, mode)
        }
    }

    #[test]
    fn a_root_on_the_disk_gets_its_kernel_from_the_network() {
        let file = |name: &str| Artifact::File(PathBuf::from(name));
        let boots = |way, mode, root: &str| NodeBoot {
            start: Start::Root {
                kernel: file("/k"),
                ramdisk: file("/r"),
                root: root.to_owned(),
            },
            append: "console=ttyS0".to_owned(),
            ..node(way, mode)
        };
        let words = "root=UUID=1-2 ro text console=ttyS0";
        for (way, mode, default, kernel) in [
            (
                BootMethod::Pxe,
                BootMode::Bios,
                "default boot_partition",
                format!(
                    "label boot_partition\nkernel {UUID}/kernel\nappend initrd={UUID}/ramdisk {words}\n"
                ),
            ),
            (
                BootMethod::Pxe,
                BootMode::Uefi,
                "set default=boot_partition",
                format!(
                    "    linux {UUID}/kernel {words} boot_server=127.0.0.1\n    initrd {UUID}/ramdisk\n"
                ),
            ),
            (
                BootMethod::Ipxe,
                BootMode::Bios,
                "goto boot_partition",
                format!(
                    "kernel http://10.0.0.1:8080/{UUID}/kernel {words} initrd=ramdisk || goto retry\n"
                ),
            ),
        ] {
            let text = render(&files(), &boots(way, mode, "UUID=1-2")).unwrap();
            assert!(text.lines().any(|line| line == default), "{text}");
            assert!(text.contains(&kernel), "{text}");
            assert!(render(&files(), &boots(way, mode, "UUID=1 init=/bin/sh")).is_err());
            assert!(
                !render(&files(), &local(way, mode))
                    .unwrap()
                    .contains("boot_partition")
            );
        }
        // Templates of that time have the entry.
        let mut files = files();
        let template = "default deploy\nlabel boot_partition\nappend root={{ ROOT }} ro\n";
        files.templates.pxelinux = Some(Template::parse(template).unwrap());
        let text = render(&files, &boots(BootMethod::Pxe, BootMode::Bios, "UUID=1-2")).unwrap();
        assert_eq!(
            text,
            "default boot_partition\nlabel boot_partition\nappend root=UUID=1-2 ro\n"
        );
    }

    fn lines(way: BootMethod, mode: BootMode) -> Vec<String> {
        let text = render(&files(), &local(way, mode)).unwrap();
        text.lines().map(|line| line.trim().to_owned()).collect()
    }

    const UUID: &str = "11111111-2222-4333-8444-555555555555";

    #[test]
    fn pxelinux_reads_relative_paths() {
        let lines = lines(BootMethod::Pxe, BootMode::Bios);
        assert_eq!(lines[0], "default deploy");
        assert!(lines.contains(&format!("kernel {UUID}/deploy_kernel")));
        let append = format!(
            "append initrd={UUID}/deploy_ramdisk selinux=0 troubleshoot=0 text nofb vga=normal \
             ipa-api-url=http://api:6385"
        );
        assert!(lines.contains(&append), "{lines:#?}");
        assert!(lines.contains(&"ipappend 2".to_owned()));
        assert!(lines.contains(&"append mbr:{{ DISK_IDENTIFIER }}".to_owned()));
        let labels: Vec<_> = lines
            .iter()
            .filter_map(|line| line.strip_prefix("label "))
            .collect();
        assert_eq!(
            labels,
            ["deploy", "boot_whole_disk", "boot_ramdisk", "boot_anaconda"]
        );
    }

    #[test]
    fn grub_reads_menu_entries() {
        let lines = lines(BootMethod::Pxe, BootMode::Uefi);
        assert_eq!(lines[0], "set default=deploy");
        let linux = format!(
            "linux {UUID}/deploy_kernel selinux=0 troubleshoot=0 text nofb vga=normal \
             ipa-api-url=http://api:6385 boot_server=127.0.0.1 BOOTIF=$net_default_mac"
        );
        assert!(lines.contains(&linux), "{lines:#?}");
        assert!(lines.contains(&format!("initrd {UUID}/deploy_ramdisk")));
        let entries: Vec<_> = lines
            .iter()
            .filter(|line| line.starts_with("menuentry"))
            .collect();
        assert_eq!(entries.len(), 4);
        let http = render(&files(), &local(BootMethod::Http, BootMode::Uefi)).unwrap();
        assert!(http.contains(&format!("initrd /{UUID}/deploy_ramdisk")));
    }

    #[test]
    fn ipxe_reads_addresses_and_tries_again() {
        let lines = lines(BootMethod::Ipxe, BootMode::Uefi);
        assert_eq!(lines[0], "#!ipxe");
        assert!(lines.contains(&"goto deploy".to_owned()));
        let kernel = format!(
            "kernel http://10.0.0.1:8080/{UUID}/deploy_kernel selinux=0 troubleshoot=0 text nofb \
             vga=normal ipa-api-url=http://api:6385 BOOTIF=${{mac}} initrd=deploy_ramdisk || goto retry"
        );
        assert!(lines.contains(&kernel), "{lines:#?}");
        assert!(!lines.iter().any(|line| line.contains("iscsi")));
        let waiting = BootFiles {
            ipxe_timeout: Duration::from_secs(60),
            ..files()
        };
        let text = render(&waiting, &local(BootMethod::Ipxe, BootMode::Bios)).unwrap();
        assert!(text.contains(&format!(
            "initrd --timeout 60000 http://10.0.0.1:8080/{UUID}/deploy_ramdisk"
        )));
    }

    #[test]
    fn the_default_follows_what_is_started() {
        let file = |name: &str| Artifact::File(PathBuf::from(name));
        let ramdisk = Start::Ramdisk {
            kernel: file("/k"),
            ramdisk: file("/r"),
            arguments: "a=1".to_owned(),
        };
        let disk = |id: Option<&str>| Start::Disk {
            identifier: id.map(str::to_owned),
        };
        let anaconda = Start::Anaconda {
            kernel: file("/k"),
            ramdisk: file("/r"),
            kickstart: "http://c/ks.cfg".to_owned(),
            source: Source::Repository("http://mirror/".to_owned()),
        };
        let table = [
            (
                BootMethod::Pxe,
                BootMode::Bios,
                ramdisk.clone(),
                "default boot_ramdisk",
            ),
            (
                BootMethod::Pxe,
                BootMode::Bios,
                ramdisk.clone(),
                "root=/dev/ram0 text nofb vga=normal ipa-api-url=http://api:6385 a=1",
            ),
            (
                BootMethod::Pxe,
                BootMode::Uefi,
                ramdisk.clone(),
                "set default=boot_ramdisk",
            ),
            (
                BootMethod::Ipxe,
                BootMode::Uefi,
                ramdisk,
                "goto boot_ramdisk",
            ),
            (
                BootMethod::Pxe,
                BootMode::Bios,
                disk(Some("0x1234")),
                "append mbr:0x1234",
            ),
            (BootMethod::Pxe, BootMode::Bios, disk(None), "localboot 0"),
            (
                BootMethod::Pxe,
                BootMode::Uefi,
                disk(None),
                "set default=boot_whole_disk",
            ),
            (
                BootMethod::Ipxe,
                BootMode::Bios,
                disk(None),
                "goto boot_whole_disk",
            ),
            (
                BootMethod::Ipxe,
                BootMode::Bios,
                Start::Iso(file("/i")),
                "/boot_iso",
            ),
            (
                BootMethod::Pxe,
                BootMode::Uefi,
                anaconda.clone(),
                "inst.ks=http://c/ks.cfg inst.repo=http://mirror/",
            ),
            (
                BootMethod::Ipxe,
                BootMode::Uefi,
                anaconda,
                "goto boot_anaconda",
            ),
        ];
        for (way, mode, start, expected) in table {
            let node = NodeBoot {
                start,
                ..node(way, mode)
            };
            let text = render(&files(), &node).unwrap();
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
    }

    #[test]
    fn what_a_loader_cannot_do_is_refused() {
        let iso = NodeBoot {
            start: Start::Iso(Artifact::File("/i".into())),
            ..node(BootMethod::Pxe, BootMode::Bios)
        };
        assert!(render(&files(), &iso).is_err());
        assert!(render(&files(), &node(BootMethod::Pxe, BootMode::Bios)).is_err());
        assert!(
            render(
                &BootFiles::default(),
                &local(BootMethod::Ipxe, BootMode::Bios)
            )
            .is_err()
        );
        let wicked = NodeBoot {
            append: "a || shell".to_owned(),
            ..local(BootMethod::Ipxe, BootMode::Bios)
        };
        assert!(
            render(&files(), &wicked)
                .unwrap_err()
                .to_string()
                .contains("takes for a command")
        );
    }

    #[test]
    fn a_ramdisk_from_elsewhere_keeps_its_name() {
        let text = render(&files(), &node(BootMethod::Ipxe, BootMode::Uefi)).unwrap();
        assert!(text.contains("initrd=ramdisk ||"), "{text}");
        assert_eq!(file_name("http://h/v1/a/obj?temp_url_sig=1"), Some("obj"));
        assert_eq!(file_name("http://h"), None);
    }

    fn volume(others: usize) -> VolumeBoot {
        let disk = |number: usize| IscsiVolume {
            urls: vec![format!(
                "iscsi:192.0.2.10::3260:1:iqn.2010-10.org.openstack:volume-{number}"
            )],
            login: Some(ChapLogin {
                username: format!("user{number}"),
                password: format!("secret{number}"),
            }),
        };
        VolumeBoot {
            initiator: Some("iqn.2017-05.org.openstack:lab-initiator".to_owned()),
            root: disk(0),
            others: (1..=others).map(disk).collect(),
        }
    }

    fn boots(volume: VolumeBoot) -> NodeBoot {
        NodeBoot {
            start: Start::Volume(volume),
            ..node(BootMethod::Ipxe, BootMode::Uefi)
        }
    }

    #[test]
    fn ipxe_hooks_a_volume_and_boots_it() {
        let text = render(&files(), &boots(volume(0))).unwrap();
        assert!(text.contains("\ngoto boot_iscsi\n"), "{text}");
        let entry = "
:boot_iscsi
imgfree
set username user0
set password secret0
set initiator-iqn iqn.2017-05.org.openstack:lab-initiator
sanhook --drive 0x80 iscsi:192.0.2.10::3260:1:iqn.2010-10.org.openstack:volume-0 || goto fail_iscsi_retry
sanboot --no-describe || goto fail_iscsi_retry

:fail_iscsi_retry
";
        assert!(text.contains(entry), "{text}");
        // Nobody else's script has the entry.
        let other = render(&files(), &local(BootMethod::Ipxe, BootMode::Uefi)).unwrap();
        assert!(!other.contains("iscsi"));
    }

    #[test]
    fn further_volumes_have_logins_of_their_own() {
        let mut boot = volume(2);
        boot.others[1].login = None;
        boot.others[1]
            .urls
            .push("iscsi:192.0.2.11::3260:1:iqn.x".to_owned());
        let text = render(&files(), &boots(boot)).unwrap();
        let entry = "volume-0 || goto fail_iscsi_retry
set username user1
set password secret1
sanhook --drive 0x81 iscsi:192.0.2.10::3260:1:iqn.2010-10.org.openstack:volume-1 || goto fail_iscsi_retry
clear username
clear password
sanhook --drive 0x82 iscsi:192.0.2.10::3260:1:iqn.2010-10.org.openstack:volume-2 iscsi:192.0.2.11::3260:1:iqn.x || goto fail_iscsi_retry
set username user0
set password secret0
sanboot --no-describe";
        assert!(text.contains(entry), "{text}");
    }

    #[test]
    fn what_a_volume_says_cannot_become_a_command() {
        let refused = |change: &dyn Fn(&mut VolumeBoot)| {
            let mut boot = volume(1);
            change(&mut boot);
            let error = render(&files(), &boots(boot)).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        };
        refused(&|boot| boot.root.urls[0].push_str(" || shell"));
        refused(&|boot| boot.others[0].urls[0].push_str("\nshell"));
        refused(&|boot| boot.root.urls.clear());
        refused(&|boot| boot.initiator = Some("iqn.x\nshell".to_owned()));
        refused(&|boot| {
            let login = boot.root.login.as_mut().unwrap();
            login.password.push_str("${net0/mac}");
        });
        // PXELINUX and GRUB have no words for it.
        let mut boot = boots(volume(0));
        boot.way = BootMethod::Pxe;
        assert!(render(&files(), &boot).is_err());
        assert!(!format!("{boot:?}").contains("secret"));
    }

    #[test]
    fn a_template_of_the_operator_sees_the_volume() {
        let template = "#!ipxe\ngoto deploy\n{%- if pxe_options.boot_from_volume %}\n:boot_iscsi\n\
            set username {{ pxe_options.username }}\nset password {{ pxe_options.password }}\n\
            set initiator-iqn {{ pxe_options.iscsi_initiator_iqn }}\n\
            sanhook {{ pxe_options.iscsi_boot_url }}\n{%- if pxe_options.iscsi_volumes %}\n\
            {% for i, v in enumerate(pxe_options.iscsi_volumes) %}{% endfor %}{% endif %}\n{%- endif %}\n";
        let mut files = files();
        files.templates.ipxe = Some(Template::parse(template).unwrap());
        let text = render(&files, &boots(volume(0))).unwrap();
        assert!(
            text.starts_with(
                "#!ipxe\ngoto boot_iscsi\n:boot_iscsi\nset username user0\nset password secret0\n"
            ),
            "{text}"
        );
        assert!(text.contains("sanhook iscsi:192.0.2.10::3260:1:"), "{text}");
        // What it would leave out is refused.
        assert!(render(&files, &boots(volume(1))).is_err());
    }
}
