//! What `driver_info` may say of a hypervisor, and what is refused.

use super::*;
use serde_json::{Value, json};

const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----";

fn of(changes: Value) -> Result<Info, String> {
    let mut info = json!({
        "ssh_address": "10.0.0.9", "ssh_username": "me", "ssh_virt_type": "virsh",
        "ssh_key_contents": KEY,
    });
    for (key, value) in changes.as_object().unwrap() {
        info[key] = value.clone();
    }
    let settings = SshSettings {
        key_folders: vec!["/keys".into()],
        askpass: Some("/askpass".into()),
        ..SshSettings::default()
    };
    let info = info.as_object().unwrap();
    Info::of(NodeId::generate(), info, &settings).map_err(|error| error.to_string())
}

#[test]
fn what_is_not_said_is_as_usual() {
    let info = of(json!({})).unwrap();
    assert_eq!((info.port, info.peer().as_str()), (22, "10.0.0.9"));
    assert_eq!(info.host_key, HostKey::Known);
    assert!(info.secret == Secret::Key(format!("{KEY}\n")));
    assert_eq!(info.commands.libvirt_uri, "qemu:///system");
    assert!(!info.commands.is_headless);
}

#[test]
fn what_is_said_counts() {
    let info = of(json!({
        "ssh_key_contents": null, "ssh_key_filename": "/keys/a b", "ssh_port": "2222",
        "ssh_host_key": " ssh-ed25519 AAAA+/= root@host\n", "ssh_virt_type": "vbox",
        "vbox_use_headless": "true",
    }));
    let info = info.unwrap();
    assert!(info.secret == Secret::KeyFile("/keys/a b".into()));
    assert_eq!(info.peer(), "[10.0.0.9]:2222");
    assert_eq!(info.host_key, HostKey::This("ssh-ed25519 AAAA+/=".into()));
    assert!(info.commands.is_headless);
    let any = of(json!({"ssh_verify_host_key": "no", "ssh_host_key": "x"}));
    assert_eq!(any.unwrap().host_key, HostKey::Any);
    let password = json!({"ssh_key_contents": "", "ssh_password": "a b"});
    assert!(of(password).unwrap().secret == Secret::Password("a b".into()));
}

#[test]
fn what_is_wrong_is_found_and_no_secret_is_told() {
    for (changes, why) in [
        (
            json!({"ssh_address": "", "ssh_username": null}),
            "['ssh_address', 'ssh_username']",
        ),
        (json!({"ssh_address": "-oProxyCommand=x"}), "ssh_address"),
        (json!({"ssh_address": "a;b"}), "ssh_address"),
        (json!({"ssh_username": "-lroot"}), "ssh_username"),
        (json!({"ssh_username": "a$(b)"}), "ssh_username"),
        (
            json!({"ssh_virt_type": "xenserver"}),
            "'xenserver' is not a valid",
        ),
        (json!({"ssh_port": 0}), "ssh_port"),
        (json!({"ssh_port": "ssh"}), "ssh_port"),
        (json!({"ssh_password": "hunter2"}), "one and only one"),
        (json!({"ssh_key_contents": null}), "one and only one"),
        (json!({"ssh_key_contents": "hunter2"}), "not a private key"),
        (
            json!({"ssh_key_contents": null, "ssh_password": "hunter2\nx"}),
            "more than one line",
        ),
        (
            json!({"ssh_key_contents": null, "ssh_key_filename": "/etc/shadow"}),
            "ssh_key_paths",
        ),
        (
            json!({"ssh_key_contents": null, "ssh_key_filename": "/keys/../etc/shadow"}),
            "ssh_key_paths",
        ),
        (
            json!({"ssh_key_contents": null, "ssh_key_filename": "/keys/%h"}),
            "ssh_key_paths",
        ),
        (json!({"ssh_host_key": "AAAA"}), "ssh_host_key"),
        (json!({"ssh_host_key": "@revoked * AAAA"}), "ssh_host_key"),
        (
            json!({"ssh_host_key": "ssh-rsa AAAA\n* ssh-rsa BBBB"}),
            "ssh_host_key",
        ),
        (
            json!({"ssh_verify_host_key": "maybe"}),
            "ssh_verify_host_key",
        ),
    ] {
        let error = of(changes.clone()).map(|_| ()).unwrap_err();
        assert!(error.contains(why), "{changes}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}
