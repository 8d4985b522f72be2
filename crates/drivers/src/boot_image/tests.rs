//! What is fetched and what is refused.

use super::*;
use serde_json::json;
use types::NodeId;

fn node(deploy: &str, instance: Value) -> Node {
    let mut node = Node::new(NodeId::generate(), "ipmi");
    node.interfaces.set(InterfaceKind::Deploy, deploy);
    node.instance_info = instance.as_object().cloned().unwrap();
    node
}

fn images(strict: bool) -> BootImages {
    let table = |name: &str| BTreeMap::from([("aarch64".to_owned(), name.to_owned())]);
    let deploy = Configured {
        kernel: Some("http://c/k".to_owned()),
        ramdisk: Some("http://c/r".to_owned()),
        kernel_by_arch: table("http://a/k"),
        ramdisk_by_arch: table("http://a/r"),
    };
    let settings = BootImageSettings {
        deploy,
        strict,
        ..BootImageSettings::default()
    };
    BootImages::new(None, settings)
}

#[test]
fn the_nearest_pair_counts() {
    let mut node = node("direct", json!({}));
    let mut own = JsonMap::new();
    let kernel = |images: &BootImages, node: &mut Node, own: &JsonMap| {
        let machine = Machine::new(node, own, &[]);
        images
            .ramdisk(&machine, RamdiskKind::Deploy, "Cannot")
            .map(|pair| pair.kernel)
    };
    assert_eq!(
        kernel(&images(false), &mut node, &own).unwrap(),
        "http://c/k"
    );
    node.properties.insert("cpu_arch".into(), "aarch64".into());
    assert_eq!(
        kernel(&images(false), &mut node, &own).unwrap(),
        "http://a/k"
    );
    own.insert("deploy_kernel".into(), "http://n/k".into());
    assert_eq!(
        kernel(&images(false), &mut node, &own).unwrap(),
        "http://a/k"
    );
    let strict = kernel(&images(true), &mut node, &own)
        .unwrap_err()
        .to_string();
    assert!(strict.contains("ambiguous"), "{strict}");
    own.insert("deploy_ramdisk".into(), "http://n/r".into());
    assert_eq!(
        kernel(&images(true), &mut node, &own).unwrap(),
        "http://n/k"
    );
}

#[test]
fn what_deploys_a_node_rescues_it_where_nothing_else_is_named() {
    let mut node = node("direct", json!({}));
    let rescue = |images: &BootImages, node: &mut Node, own: &JsonMap| {
        let machine = Machine::new(node, own, &[]);
        let pair = images.ramdisk(&machine, RamdiskKind::Rescue, "Cannot boot");
        pair.map(|pair| pair.kernel).map_err(|e| e.to_string())
    };
    let mut own = JsonMap::new();
    let lent = rescue(&images(false), &mut node, &own);
    assert_eq!(lent.as_deref(), Ok("http://c/k"));

    let none = BootImages::new(None, BootImageSettings::default());
    let missing = rescue(&none, &mut node, &own).unwrap_err();
    let begin = "Cannot boot. Missing are: ['rescue_kernel', 'rescue_ramdisk']. ";
    assert!(missing.starts_with(begin), "{missing}");
    for help in ["[conductor]rescue_kernel", "corten ramdisk build"] {
        assert!(missing.contains(help), "{missing}");
    }

    own.insert("rescue_kernel".into(), "http://n/k".into());
    own.insert("rescue_ramdisk".into(), "http://n/r".into());
    let named = rescue(&images(false), &mut node, &own);
    assert_eq!(named.as_deref(), Ok("http://n/k"));
}

#[test]
fn an_instance_is_its_disk_unless_it_is_a_ramdisk() {
    let found = |node: &Node| instance(node, &node.instance_info, BootOption::Local);
    assert_eq!(
        found(&node("direct", json!({"kernel": "k"}))).unwrap(),
        Instance::Disk
    );
    let iso = node("ramdisk", json!({"boot_iso": "http://h/x"}));
    assert_eq!(found(&iso).unwrap(), Instance::Iso("http://h/x".to_owned()));
    // An image of a whole disk was put there by somebody else.
    for whole in [
        json!({"image_source": "http://h/i"}),
        json!({"image_source": "http://h/i", "kernel": "k", "image_type": "whole-disk"}),
    ] {
        assert_eq!(found(&node("ramdisk", whole)).unwrap(), Instance::Disk);
    }
    let pair = json!({"kernel": "k", "ramdisk": "r", "ramdisk_kernel_arguments": "a=b"});
    assert!(matches!(
        found(&node("ramdisk", pair)).unwrap(),
        Instance::Ramdisk { arguments, .. } if arguments == "a=b"
    ));
    for (info, text) in [
        (json!({"boot_iso": "x", "image_source": "y"}), "same time"),
        (json!({"kernel": "k"}), "Missing are: ['ramdisk']"),
        (json!({}), "Missing are: ['kernel', 'ramdisk']"),
        (
            json!({"image_source": "http://h/i", "image_type": "partition"}),
            "missing the following properties: kernel, ramdisk",
        ),
    ] {
        let refused = found(&node("ramdisk", info)).unwrap_err().to_string();
        assert!(refused.contains(text), "{refused}");
    }
}

#[test]
fn who_is_never_cleaned_needs_no_agent() {
    let images = images(false);
    let mut ramdisk = node("ramdisk", json!({}));
    assert!(!images.needs_agent(&ramdisk) && images.needs_agent(&node("direct", json!({}))));
    ramdisk.automated_clean = Some(true);
    assert!(images.needs_agent(&ramdisk));
}

#[test]
fn capabilities_have_known_values() {
    let mut wrong = node("direct", json!({"capabilities": {"disk_label": "bsd"}}));
    let refused = check_capabilities(&wrong).unwrap_err().to_string();
    assert_eq!(
        refused,
        "The parameter 'disk_label' from instance_info['capabilities'] has an invalid value: 'bsd'. Acceptable values are: msdos, gpt."
    );
    wrong.instance_info.clear();
    wrong
        .properties
        .insert("capabilities".into(), "boot_mode:uefi,other:x".into());
    check_capabilities(&wrong).unwrap();
}

#[test]
fn a_tenant_does_not_write_the_command_line_of_the_agent() {
    let told = |way: InstanceParameters, instance: &str, driver: Value| {
        let mut node = node("direct", json!({"kernel_append_params": instance}));
        let driver = driver.as_object().cloned().unwrap();
        let settings = BootImageSettings {
            instance_parameters: way,
            ..BootImageSettings::default()
        };
        let machine = Machine::new(&mut node, &driver, &[]);
        let images = BootImages::new(None, settings);
        let agent = images.agent_parameters(&machine);
        // Whatever the agent is told, the instance is told its own.
        assert_eq!(instance_parameters(&machine), Some(instance));
        agent
            .map(|own| own.map(str::to_owned))
            .map_err(|error| error.to_string())
    };
    let console = || json!({"kernel_append_params": "console=ttyS1"});
    use InstanceParameters::{Always, Checked, Never};
    assert_eq!(told(Never, "nomodeset", json!({})), Ok(None));
    let machines = Ok(Some("console=ttyS1".to_owned()));
    assert_eq!(told(Never, "corten.shell", console()), machines);
    let instances = Ok(Some("nomodeset console=ttyS0 %default%".to_owned()));
    let harmless = "nomodeset console=ttyS0 %default%";
    assert_eq!(told(Checked, harmless, console()), instances);
    for word in [
        "corten.shell",
        "ipa-insecure=1",
        "ipa_insecure=1",
        "rdinit=/bin/sh",
        "init=/bin/sh",
        "\"sshkey=a b\"",
        "rootpwd=x",
        "rd.break",
        "systemd.unit=rescue.target",
        "--",
    ] {
        let line = format!("nomodeset {word}");
        let refused = told(Checked, &line, console()).unwrap_err();
        assert!(refused.contains("instance_params_for_ramdisk"), "{refused}");
        assert_eq!(told(Always, &line, console()), Ok(Some(line)));
    }
}
