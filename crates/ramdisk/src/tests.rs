//! Ramdisks from packages that the tests make themselves, so that neither apt nor a network is needed.

use super::*;
use clap::Parser;
use proto::{cpio, modules};

#[derive(Debug, Parser)]
struct Program {
    #[command(subcommand)]
    command: Ramdisk,
}

/// An entry of a tar archive.
fn entry(path: &str, data: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..path.len()].copy_from_slice(path.as_bytes());
    block[100..107].copy_from_slice(b"0000644");
    block[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
    block[156] = b'0';
    block.extend(data);
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

/// A package of these files.
fn package(name: &str, depends: &str, files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let control = format!(
        "Package: {name}\nVersion: 1\nArchitecture: amd64\nDepends: {depends}\nDescription: x\n y\n"
    );
    let control = [entry("./control", control.as_bytes()), vec![0; 1024]].concat();
    let data: Vec<u8> = files
        .iter()
        .flat_map(|(path, data)| entry(path, data))
        .collect();
    let data = [data, vec![0; 1024]].concat();
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, data) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar", control),
        ("data.tar", data),
    ] {
        bytes.extend(
            format!(
                "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
                0,
                0,
                0,
                100_644,
                data.len()
            )
            .bytes(),
        );
        bytes.extend(&data);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

/// An ELF file with one section of this name.
fn elf(machine: u8, name: &str, contents: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 64];
    file[..6].copy_from_slice(b"\x7fELF\x02\x01");
    file[18] = machine;
    let strings = [b"\0", name.as_bytes(), b"\0"].concat();
    file.extend(&strings);
    file.extend(contents);
    let table = file.len();
    file[40..48].copy_from_slice(&(table as u64).to_le_bytes());
    file[58] = 64;
    file[60] = 2;
    for (name, at, size) in [
        (0, 64, strings.len()),
        (1, 64 + strings.len(), contents.len()),
    ] {
        let mut header = vec![0; 64];
        header[0] = name;
        header[24..32].copy_from_slice(&(at as u64).to_le_bytes());
        header[32..40].copy_from_slice(&(size as u64).to_le_bytes());
        file.extend(header);
    }
    file
}

fn kernel() -> Vec<u8> {
    let module = |info: &[u8]| elf(62, ".modinfo", info);
    package(
        "linux-image-6.1-test",
        "",
        &[
            ("./boot/vmlinuz-6.1-test", b"kernel".to_vec()),
            (
                "./lib/modules/6.1-test/kernel/drivers/net/virtio_net.ko",
                module(b"alias=virtio:d00000001v*\0depends=net_failover\0"),
            ),
            (
                "./lib/modules/6.1-test/kernel/net/net_failover.ko",
                module(b"depends=\0"),
            ),
            (
                "./lib/modules/6.1-test/kernel/sound/snd.ko",
                module(b"depends=\0"),
            ),
        ],
    )
}

fn build(folder: &Path, agent: &[u8], options: &str) -> anyhow::Result<()> {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("kernel.deb"), kernel()).unwrap();
    fs::write(folder.join("agent"), agent).unwrap();
    let folder = folder.display();
    let line = format!(
        "ramdisk build --bare --arch amd64 --profile virt --kernel {folder}/kernel.deb \
         --agent {folder}/agent --output {folder}/out --cache {folder}/cache {options}"
    );
    let Program {
        command: Ramdisk::Build(args),
    } = Program::try_parse_from(line.split_whitespace())?;
    super::build(&args, |_| ())
}

#[test]
fn the_same_parts_give_the_same_bytes_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two/deeper"));
    let agent = elf(62, ".text", b"code");
    for pack in ["gzip", "xz", "none"] {
        for folder in [&one, &two] {
            build(folder, &agent, &format!("--pack {pack}")).unwrap();
        }
        for file in ["kernel", "initramfs", "manifest.json"] {
            let read = |folder: &Path| fs::read(folder.join("out").join(file)).unwrap();
            assert!(read(&one) == read(&two), "{file} differs with {pack}");
        }
    }
    let archive = fs::read(one.join("out/initramfs")).unwrap();
    let entries: Vec<_> = cpio::entries(&archive).map(Result::unwrap).collect();
    let file = |path: &str| {
        let found = entries.iter().find(|(entry, _)| entry.name == path);
        found.map(|(_, data)| *data)
    };
    assert_eq!(file("init"), Some(&*agent));
    assert!(file(MARK).is_some());
    let index = format!("usr/{}", modules::PATH);
    let index = String::from_utf8(file(&index).unwrap().to_vec()).unwrap();
    let index = modules::Index::decode(&index);
    assert_eq!(index.order("virtio_net"), ["net_failover", "virtio_net"]);
    assert!(file(&index.modules["virtio_net"].path).is_some());
    assert!(!index.modules.contains_key("snd"));
}

#[test]
fn what_could_not_boot_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |agent: &[u8], options: &str| {
        let error = build(dir.path(), agent, options).unwrap_err();
        assert!(!dir.path().join("out/initramfs").exists());
        format!("{error:#}")
    };
    let agent = elf(62, ".text", b"");
    assert!(refused(b"#!/bin/sh\n", "").contains("not a program for amd64"));
    assert!(refused(&elf(183, ".text", b""), "").contains("not a program for amd64"));
    let dynamic = elf(62, ".interp", b"/lib64/ld.so\0");
    assert!(refused(&dynamic, "").contains("not statically linked"));
    assert!(refused(&agent, "--file x=y").contains("/PATH=FILE"));
    let key = dir.path().join("key");
    fs::write(&key, "-----BEGIN OPENSSH PRIVATE KEY-----").unwrap();
    assert!(refused(&agent, &format!("--key {}", key.display())).contains("private key"));
    let firmware = dir.path().join("f.deb");
    fs::write(&firmware, package("f", "", &[("./etc/x", Vec::new())])).unwrap();
    let option = format!("--firmware {}", firmware.display());
    assert!(refused(&agent, &option).contains("no firmware"));
    fs::write(&firmware, b"!<arch>\ncut").unwrap();
    assert!(refused(&agent, &option).contains("cannot read"));
}

#[test]
fn examples_of_certificates_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ca.deb");
    let files = [
        ("./usr/share/ca-certificates/mozilla/A.crt", b"one".to_vec()),
        (
            "./usr/share/doc/ca-certificates/examples/local/Local_Root_CA.crt",
            b"Dummy Root CA file; replace it".to_vec(),
        ),
        ("./usr/share/ca-certificates/mozilla/B.crt", b"two".to_vec()),
    ];
    fs::write(&path, package("ca-certificates", "", &files)).unwrap();
    let found = authorities(&Package::open(&path).unwrap()).unwrap();
    assert_eq!(found, b"one\ntwo\n");
}

#[test]
fn the_agent_is_beside_the_program_or_where_packages_put_it() {
    let folder = tempfile::tempdir().unwrap();
    let [beside, packaged] =
        ["bin/corten-agent", "lib/corten/corten-agent"].map(|path| folder.path().join(path));
    let program = beside.with_file_name("corten");
    for path in [&beside, &packaged] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    assert_eq!(installed_agent(&program), beside);
    fs::write(&packaged, "").unwrap();
    assert_eq!(installed_agent(&program), packaged);
    fs::write(&beside, "").unwrap();
    assert_eq!(installed_agent(&program), beside);
}
