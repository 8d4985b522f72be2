//! The scripts of the system, run by the shell's own tools; the system itself is started in
//! `tests/boots.rs`.

use super::*;
use proto::modules::{Index, Module};
use std::{
    io::Write as _,
    process::{Command, Stdio},
};

/// What the system makes of a JSON text; `None` where there is no busybox.
fn flat(json: &str) -> Option<String> {
    let script = FILES.iter().find(|(path, ..)| path.ends_with("json.awk"));
    let child = Command::new("busybox")
        .args(["awk", script.unwrap().2])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        assert!(std::env::var_os("CI").is_none(), "busybox is not installed");
        println!("SKIPPED: busybox is not installed");
        return None;
    };
    let mut input = child.stdin.take().unwrap();
    input.write_all(json.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_config_drive_is_read() {
    let json = r#"{"hostname": "web-1", "public_keys": {"mine": "ssh-ed25519 AAAA me\n"},
        "keys": [{"data": "ssh-rsa B", "n": -1.5}, {"none": null}], "u": "\u0041\u00e9\"",
        "empty": {}, "list": [], "yes" : true}"#;
    if let Some(found) = flat(json) {
        assert_eq!(
            found,
            ".hostname\tweb-1\n.public_keys.mine\tssh-ed25519 AAAA me \n\
             .keys[0].data\tssh-rsa B\n.keys[0].n\t-1.5\n.keys[1].none\tnull\n.u\tA?\"\n.yes\ttrue\n"
        );
    }
}

#[test]
fn what_is_no_json_ends() {
    for text in [
        "",
        "{",
        "{\"a\":\"x",
        "{\"a\" 3}",
        "[1,,2]",
        "]]",
        &"[".repeat(9000),
    ] {
        if let Some(found) = flat(text) {
            assert!(found.lines().count() <= 1, "{text}: {found}");
        }
    }
    // A value cannot pretend to be another line.
    if let Some(found) = flat("{\"a\": \"x\\n.hostname\\tevil\", \"b\": \"1\n.c\t2\"}") {
        assert_eq!(found, ".a\tx .hostname evil\n.b\t1 .c 2\n");
    }
}

#[test]
fn modules_are_listed_as_modprobe_reads_them() {
    let module = |path: &str, needs: &[&str]| Module {
        path: format!("usr/lib/modules/6.1/kernel/{path}"),
        needs: needs.iter().map(|need| (*need).to_owned()).collect(),
    };
    let mut index = Index::default();
    for (name, path, needs) in [
        ("a", "x/a.ko", &["b"][..]),
        ("b", "b.ko", &["c"]),
        ("c", "c.ko", &[]),
    ] {
        index.modules.insert(name.to_owned(), module(path, needs));
    }
    index.aliases.push(("a".to_owned(), "pci:v1*".to_owned()));
    let kernel = Kernel {
        release: "6.1".to_owned(),
        image: Vec::new(),
        index,
    };
    let mut tree = Tree::default();
    add_module_lists(&kernel, &mut tree);
    let text = |name: &str| match tree.get(&format!("usr/lib/modules/6.1/{name}")) {
        Some(Node::File { data, .. }) => String::from_utf8(data.clone()).unwrap(),
        other => panic!("{other:?}"),
    };
    let needs = "kernel/x/a.ko: kernel/b.ko kernel/c.ko\nkernel/b.ko: kernel/c.ko\nkernel/c.ko:\n";
    assert_eq!(text("modules.dep"), needs);
    assert_eq!(text("modules.alias"), "alias pci:v1* a\n");
}

#[test]
fn ids_depend_on_the_contents_alone() {
    let ids = |seed: u8| Ids { seed: [seed; 32] };
    assert_eq!(ids(1).uuid("root"), ids(1).uuid("root"));
    assert_ne!(ids(1).uuid("root"), ids(2).uuid("root"));
    assert_ne!(ids(1).uuid("root"), ids(1).uuid("disk"));
    assert_eq!(ids(1).uuid("root")[6] >> 4, 8);
}
