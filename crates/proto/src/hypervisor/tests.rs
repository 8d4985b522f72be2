//! Commands of each family, quoted, and answers of all kinds.

use super::*;
use proptest::prelude::*;

fn commands(family: Family) -> Commands {
    Commands {
        family,
        libvirt_uri: "qemu:///system".to_owned(),
        is_headless: false,
    }
}

fn guest(name: &str) -> Guest {
    Guest::parse(name).unwrap()
}

#[test]
fn names_that_could_be_more_are_not_taken() {
    for plain in ["web-1", "a b", "Ärger", "{0c-1}", "a@b:c(1)"] {
        assert!(Guest::parse(plain).is_some(), "{plain}");
    }
    let long = "a".repeat(256);
    for odd in [
        "", " a", "a ", "-a", "a'b", "a\"b", "a;b", "a$b", "a`b", "a\nb", "a/b", "a\\b", "a|b",
        "a&b", "a>b", "a*", "a?", "a~", "a!", "a#", "a\0b", &long,
    ] {
        assert_eq!(Guest::parse(odd), None, "{odd:?}");
    }
}

#[test]
fn commands_are_those_of_each_hypervisor() {
    let name = guest("web 1");
    let virsh = commands(Family::Virsh);
    assert_eq!(
        virsh.list(),
        "LC_ALL=C /usr/bin/virsh --connect 'qemu:///system' list --all --name"
    );
    assert!(virsh.start(&name).ends_with(" start 'web 1'"));
    assert!(virsh.stop(&name).ends_with(" destroy 'web 1'"));
    let mut vbox = commands(Family::VirtualBox);
    assert_eq!(
        vbox.start(&name),
        "LC_ALL=C /usr/bin/VBoxManage startvm 'web 1'"
    );
    vbox.is_headless = true;
    assert!(vbox.start(&name).ends_with(" --type headless"));
    assert_eq!(
        commands(Family::Vmware).stop(&guest("7")),
        "LC_ALL=C /bin/vim-cmd vmsvc/power.off '7'"
    );
    assert_eq!(
        commands(Family::Parallels).stop(&name),
        "LC_ALL=C /usr/bin/prlctl stop 'web 1' --kill"
    );
    let all = commands(Family::Parallels).describe_all(&[guest("a"), guest("b")], "end");
    assert_eq!(
        all,
        "LC_ALL=C /usr/bin/prlctl list -j -i 'a'; echo 'end'; \
         LC_ALL=C /usr/bin/prlctl list -j -i 'b'; echo 'end'"
    );
    let odd = Commands {
        libvirt_uri: "qemu:///a'b".to_owned(),
        ..virsh
    };
    assert!(odd.list().contains(r"--connect 'qemu:///a'\''b' list"));
}

#[test]
fn lists_are_read() {
    let names = |family, answer: &str| -> Vec<String> {
        let guests = commands(family).guests(answer);
        guests.iter().map(ToString::to_string).collect()
    };
    assert_eq!(names(Family::Virsh, "a\nb c\n-x\nd;e\n\n"), ["a", "b c"]);
    let vms = "\"we{b\" {0c-1f}\n\"<inaccessible>\" {no}\n\"b\" {2a}\n";
    assert_eq!(names(Family::VirtualBox, vms), ["0c-1f", "2a"]);
    let all = "Vmid  Name  File\n12  web 1  [ds] a.vmx  debian\n3  b  [ds] b.vmx\nmore words\n";
    assert_eq!(names(Family::Vmware, all), ["12", "3"]);
    assert_eq!(names(Family::Parallels, "NAME\nweb 1\nb\n"), ["web 1", "b"]);
    let many = "a\n".repeat(MOST_GUESTS + 1);
    assert_eq!(names(Family::Virsh, &many).len(), MOST_GUESTS);
}

#[test]
fn running_machines_are_told_apart() {
    let runs = |family, name: &str, answer: &str| commands(family).is_running(&guest(name), answer);
    assert_eq!(runs(Family::Virsh, "a", "a b\na\n"), Some(true));
    assert_eq!(runs(Family::Virsh, "a", "a b\n"), Some(false));
    assert_eq!(runs(Family::VirtualBox, "0c", "\"a\" {0c}\n"), Some(true));
    assert_eq!(
        runs(Family::VirtualBox, "0c", "\"{0c}\" {1d}\n"),
        Some(false)
    );
    let state = |word: &str| format!("Retrieved runtime info\n{word}\n");
    assert_eq!(runs(Family::Vmware, "1", &state("Powered on")), Some(true));
    assert_eq!(
        runs(Family::Vmware, "1", &state("Powered off")),
        Some(false)
    );
    assert_eq!(runs(Family::Vmware, "1", &state("Suspended")), None);
    assert_eq!(runs(Family::Parallels, "b", "NAME\nb\n"), Some(true));
}

const DOMAIN: &str = "<domain type='kvm'>
  <name>a</name>
  <metadata><x:y xmlns:x='u'><boot dev='kept'/><os>&amp;</os></x:y></metadata>
  <!-- <os><boot dev='comment'/></os> -->
  <os>
    <type arch='x86_64'>hvm</type>
    <boot dev='hd'/>
    <boot dev='cdrom'></boot>
  </os>
  <devices>
    <disk type='file'><boot order='1'/><target dev='vda'/></disk>
    <interface type='network'><mac address='52:54:00:AB:cd:01'/><boot order=\"2\"/></interface>
    <interface type='network'><mac address='52:54:00:ab:cd:02'/></interface>
    <graphics passwd='a>b'/>
  </devices>
</domain>
";

#[test]
fn machines_are_described() {
    let virsh = commands(Family::Virsh);
    assert_eq!(virsh.macs(DOMAIN), ["525400abcd01", "525400abcd02"]);
    assert_eq!(virsh.boot_device(DOMAIN), Some("disk"));
    assert!(virsh.macs("error: no domain").is_empty());
    let vbox = commands(Family::VirtualBox);
    let info = "name=\"a\"\nboot1=\"net\"\nboot2=\"disk\"\nmacaddress1=\"080027ABCDEF\"\nmacaddressx=\"080027ABCDEE\"\n";
    assert_eq!(vbox.macs(info), ["080027abcdef"]);
    assert_eq!(vbox.boot_device(info), Some("pxe"));
    assert_eq!(vbox.boot_device("boot1=\"floppy\""), None);
    let devices = "   macAddress = \"00:0c:29:AA:bb:cc\",\n   addressType = \"x\",\n";
    assert_eq!(commands(Family::Vmware).macs(devices), ["000c29aabbcc"]);
    let parallels = commands(Family::Parallels);
    let json = r#"[{"Hardware": {"net0": {"mac": "001C42AABBCC"}}, "mac": 3}]"#;
    assert_eq!(parallels.macs(json), ["001c42aabbcc"]);
    let list = "Name: a\nBoot order: net0 hdd0 cdrom0 \n";
    assert_eq!(parallels.boot_device(list), Some("pxe"));
}

#[test]
fn a_domain_boots_from_one_device_and_is_else_the_same() {
    let changed = with_boot_device(DOMAIN, "network").unwrap();
    assert_eq!(commands(Family::Virsh).boot_device(&changed), Some("pxe"));
    let expected = DOMAIN
        .trim()
        .replace("<boot dev='hd'/>", "")
        .replace("<boot dev='cdrom'></boot>", "")
        .replace("<boot order='1'/>", "")
        .replace("<boot order=\"2\"/>", "")
        .replace(
            "\n  </os>\n  <devices>",
            "\n  <boot dev=\"network\"/></os>\n  <devices>",
        );
    assert_eq!(changed, expected);
    // Once more is nothing new.
    let again = with_boot_device(&changed, "network").unwrap();
    assert_eq!(again, changed);
    for odd in ["<domain/>", "<domain><os/></domain>", "<a><os></os></a>"] {
        let found = with_boot_device(odd, "hd");
        assert_eq!(found, Err(DomainError::NoSystem), "{odd}");
    }
    let declared = "<!DOCTYPE a><domain><os></os></domain>";
    assert!(matches!(
        with_boot_device(declared, "hd"),
        Err(DomainError::Xml(_))
    ));
}

#[test]
fn sections_end_with_a_line_of_their_own() {
    assert_eq!(sections("a\nend\nb\r\nend", "end"), ["a\n", "\nb\r\n"]);
    assert_eq!(sections("a end\nend b\nxend\n", "end"), [""; 0]);
    assert_eq!(sections("end\nend\n", "end"), ["", "\n"]);
}

#[test]
fn addresses_are_compared_without_marks() {
    for same in ["52:54:00:AB:CD:EF", "52-54-00-ab-cd-ef", "525400ABCDEF"] {
        assert_eq!(plain_mac(same).as_deref(), Some("525400abcdef"));
    }
    for odd in ["", "52:54", "52:54:00:ab:cd:eg", "525400abcdef00"] {
        assert_eq!(plain_mac(odd), None);
    }
}

proptest! {
    #[test]
    fn nothing_that_is_answered_breaks_anything(answer in ".*", boundary in "[a-f0-9]{1,4}") {
        for family in Family::ALL {
            let commands = commands(family);
            let _ = commands.guests(&answer);
            let _ = commands.macs(&answer);
            let _ = commands.boot_device(&answer);
        }
        let _ = with_boot_device(&answer, "hd");
        let _ = sections(&answer, &boundary);
    }
}
