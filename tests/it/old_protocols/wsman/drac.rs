//! Dell's servers with an iDRAC.

use super::{
    super::{
        bench::{Stand, chassis_settings},
        every_power_action,
    },
    run,
};
use drivers::{
    DriverError, Recorder, RecorderSettings,
    drac::{Drac, DracServer},
    iface::{Inspect, Inspection, Machine, Vendor},
};
use serde_json::{Value, json};
use sim::device::Fault;
use std::sync::Arc;
use types::{Inventory, JsonMap, LeaseProof, Node, NodeId, PowerTarget};

const NIC: &str = "NIC.Embedded.1-1-1";

/// Where a simulated server boots from in the order of the BIOS, the first one first.
fn place(device: &sim::device::drac::Device, word: &str, name: &str) -> String {
    let class = "DCIM_BootSourceSetting";
    device
        .property(class, "BIOSBootString", word, name)
        .unwrap()
}

#[tokio::test]
async fn a_server_with_an_idrac_is_switched() {
    for is_old in [false, true] {
        let (stand, device) = Stand::drac(is_old).await;
        let mut bench = stand.bench(json!({}));
        every_power_action(&mut bench).await;
        // The fourth was there already.
        assert_eq!(device.orders(), ["RequestStateChange"; 3]);
        bench.switch(PowerTarget::Reboot).await.unwrap();
        assert_eq!(device.starts().len(), 3);
        // A reset does not take its power away.
        bench.node.disable_power_off = Some(true);
        bench.switch(PowerTarget::Reboot).await.unwrap();
    }
    // The address under its older name.
    let (stand, _) = Stand::drac(false).await;
    let host = stand.address.ip().to_string();
    let bench = stand.bench(json!({"drac_address": null, "drac_host": host}));
    bench.state().await.unwrap();
}

#[tokio::test]
async fn a_boot_device_is_told_with_the_next_start() {
    for is_old in [false, true] {
        let (stand, device) = Stand::drac(is_old).await;
        // Lists come in several pages.
        device.page_by(1);
        let mut bench = stand.bench(json!({}));
        let found = bench.device().await.unwrap();
        assert_eq!(
            (found.device.as_deref(), found.persistent),
            (Some("disk"), Some(true))
        );
        // What is so already needs no job.
        bench.boot_from("disk", true).await.unwrap();
        bench.switch(PowerTarget::On).await.unwrap();
        assert_eq!(device.orders(), ["RequestStateChange"]);
        bench.boot_from("pxe", true).await.unwrap();
        assert_eq!(device.orders().len(), 1, "the iDRAC was told at once");
        let found = bench.device().await.unwrap();
        assert_eq!(found.device.as_deref(), Some("pxe"));
        bench.switch(PowerTarget::Reboot).await.unwrap();
        assert_eq!(
            device.orders()[1..],
            [
                "ChangeBootOrderByInstanceID",
                "CreateTargetedConfigJob",
                "RequestStateChange"
            ]
        );
        assert_eq!(place(&device, NIC, "CurrentAssignedSequence"), "0");
        assert!(device.starts()[1].contains(NIC), "{:?}", device.starts());
        assert_eq!(bench.node.driver_internal_info.drac_boot_device(), None);
        let found = bench.device().await.unwrap();
        assert_eq!(
            (found.device.as_deref(), found.persistent),
            (Some("pxe"), Some(true))
        );
        // Once, and then what was there before.
        bench.boot_from("cdrom", false).await.unwrap();
        bench.switch(PowerTarget::Reboot).await.unwrap();
        assert!(
            device.starts()[2].contains("Optical"),
            "{:?}",
            device.starts()
        );
        bench.switch(PowerTarget::Reboot).await.unwrap();
        assert!(device.starts()[3].contains(NIC), "{:?}", device.starts());
        let refused = bench.boot_from("bios", false).await.unwrap_err();
        assert_eq!(refused.kind(), "invalid");
    }
}

#[tokio::test]
async fn a_boot_device_that_was_not_told_stays() {
    let (stand, device) = Stand::drac(false).await;
    let mut bench = stand.bench(json!({}));
    bench.boot_from("pxe", true).await.unwrap();
    device.set_ready(false);
    let busy = bench.switch(PowerTarget::On).await.unwrap_err();
    assert_eq!(busy.kind(), "busy");
    let text = types::error::chain(&busy);
    assert!(text.contains("is not ready (LCStatus 3)"), "{text}");
    assert!(device.starts().is_empty(), "it was started all the same");
    device.set_ready(true);
    // Somebody's settings wait for a restart.
    let mut server = Server::new(&stand);
    let change = json!({"BootMode": "Uefi"});
    server.call("set_bios_config", change).await.unwrap();
    let made = server.call("commit_bios_config", json!({})).await.unwrap();
    let busy = bench.switch(PowerTarget::On).await.unwrap_err();
    assert_eq!(busy.kind(), "busy");
    let text = types::error::chain(&busy);
    assert!(text.contains(made["job_id"].as_str().unwrap()), "{text}");
    let kept = bench.node.driver_internal_info.drac_boot_device();
    assert_eq!(kept, Some(("pxe", true)));
}

/// Somebody who ends between telling the iDRAC and starting the server leaves nothing in the way.
#[tokio::test]
async fn a_boot_device_that_was_told_is_not_told_again() {
    for (device_name, is_persistent) in [("pxe", true), ("pxe", false)] {
        let (stand, device) = Stand::drac(false).await;
        let mut bench = stand.bench(json!({}));
        bench.boot_from(device_name, is_persistent).await.unwrap();
        let before = bench.node.clone();
        device.break_with(Fault::Stuck);
        let error = bench.switch(PowerTarget::On).await.unwrap_err();
        assert_eq!(error.kind(), "unfinished");
        device.break_with(Fault::None);
        bench.node = before;
        bench.switch(PowerTarget::On).await.unwrap();
        let jobs = device.orders();
        let jobs = jobs.iter().filter(|one| *one == "CreateTargetedConfigJob");
        assert_eq!(jobs.count(), 1);
        assert!(device.starts()[0].contains(NIC), "{:?}", device.starts());
        assert_eq!(bench.node.driver_internal_info.drac_boot_device(), None);
    }
}

/// A node and its server, for interfaces that the bench does not have.
struct Server {
    server: DracServer,
    node: Node,
    info: JsonMap,
    recorder: Recorder,
}

impl Server {
    fn new(stand: &Stand) -> Self {
        let recorder = Recorder::new(RecorderSettings::default());
        let drac = Drac::new(&chassis_settings(), &recorder);
        let info = stand.kind.driver_info(stand.address);
        Self {
            server: DracServer(Arc::new(drac)),
            node: Node::new(NodeId::generate(), "test"),
            info: info.as_object().unwrap().clone(),
            recorder,
        }
    }

    async fn call(&mut self, method: &str, arguments: Value) -> Result<Value, DriverError> {
        let lease = LeaseProof::granted(self.node.id, 1);
        let mut machine = Machine::new(&mut self.node, &self.info, &[]);
        let arguments = arguments.as_object().unwrap();
        self.server
            .call(Some(&lease), &mut machine, method, arguments)
            .await
    }

    async fn refused(&mut self, method: &str, arguments: Value) -> String {
        let error = self.call(method, arguments).await.unwrap_err();
        types::error::chain(&error)
    }

    async fn inspected(&mut self) -> Inventory {
        let lease = LeaseProof::granted(self.node.id, 1);
        let mut machine = Machine::new(&mut self.node, &self.info, &[]);
        let done = self.server.inspect(&lease, &mut machine).await.unwrap();
        assert_eq!(done, Inspection::Done);
        machine.found.inventory.unwrap()
    }
}

#[tokio::test]
async fn settings_of_the_bios_are_changed_by_a_job() {
    let (stand, device) = Stand::drac(false).await;
    device.page_by(2);
    let mut bench = stand.bench(json!({}));
    let mut server = Server::new(&stand);
    let all = server.call("get_bios_config", json!({})).await.unwrap();
    assert_eq!(all.as_object().unwrap().len(), 7);
    assert_eq!(all["ProcVirtualization"]["current_value"], "Disabled");
    assert_eq!(all["AcPwrRcvryUserDelay"]["lower_bound"], 60);
    assert_eq!(all["SystemModelName"]["pcre_regex"], json!(null));
    // Nothing to do, and nothing that the server has.
    let same = json!({"ProcVirtualization": "Disabled", "NoSuchSetting": "1"});
    let answer = server.call("set_bios_config", same).await.unwrap();
    assert_eq!(answer["commit_required"], false);
    assert!(device.orders().is_empty());
    let wrong = json!({"Proc1NumCores": "1", "AssetTag": "much too long"});
    let text = server.refused("set_bios_config", wrong).await;
    assert!(
        text.contains("AssetTag must have 0 to 10 characters"),
        "{text}"
    );
    assert!(text.contains("Proc1NumCores is read-only"), "{text}");
    assert!(device.orders().is_empty());
    let text = server.refused("set_bios_config", json!({})).await;
    assert!(text.contains("No BIOS setting was given"), "{text}");

    let change = json!({"ProcVirtualization": "Enabled", "AcPwrRcvryUserDelay": 90});
    let answer = server.call("set_bios_config", change.clone()).await;
    let answer = answer.unwrap();
    assert_eq!(answer["commit_required"], true);
    assert_eq!(answer["commit_needed"], true);
    let all = server.call("get_bios_config", json!({})).await.unwrap();
    assert_eq!(all["AcPwrRcvryUserDelay"]["pending_value"], 90);
    let answer = server.call("abandon_bios_config", json!({})).await;
    assert_eq!(answer.unwrap(), json!({"abandoned": null}));
    let all = server.call("get_bios_config", json!({})).await.unwrap();
    assert_eq!(all["AcPwrRcvryUserDelay"]["pending_value"], json!(null));

    server.call("set_bios_config", change).await.unwrap();
    let made = server.call("commit_bios_config", json!({})).await.unwrap();
    assert_eq!(made["reboot_required"], true);
    let jobs = server.call("list_unfinished_jobs", json!({})).await;
    let jobs = jobs.unwrap();
    assert_eq!(jobs["unfinished_jobs"][0]["id"], made["job_id"]);
    assert_eq!(jobs["unfinished_jobs"][0]["status"], "Scheduled");
    // Until the server starts there is no other change, and the settings are as they were.
    let next = json!({"BootMode": "Uefi"});
    let text = server.refused("set_bios_config", next).await;
    assert!(text.contains("it has unfinished jobs"), "{text}");
    let text = server.refused("commit_bios_config", json!({})).await;
    assert!(text.contains("it has unfinished jobs"), "{text}");
    let text = server.refused("abandon_bios_config", json!({})).await;
    assert!(text.contains("BIOS019: A job is scheduled"), "{text}");
    bench.switch(PowerTarget::On).await.unwrap();
    let all = server.call("get_bios_config", json!({})).await.unwrap();
    assert_eq!(all["ProcVirtualization"]["current_value"], "Enabled");
    assert_eq!(all["AcPwrRcvryUserDelay"]["current_value"], 90);
    let jobs = server.call("list_unfinished_jobs", json!({})).await;
    assert_eq!(jobs.unwrap(), json!({"unfinished_jobs": []}));

    // With a restart at once.
    let change = json!({"BootMode": "Uefi"});
    server.call("set_bios_config", change).await.unwrap();
    let text = server
        .refused("commit_bios_config", json!({"reboot": "perhaps"}))
        .await;
    assert!(text.contains("reboot must be true or false"), "{text}");
    let made = server
        .call("commit_bios_config", json!({"reboot": true}))
        .await;
    assert_eq!(made.unwrap()["reboot_required"], false);
    let mode = device.property(
        "DCIM_BIOSEnumeration",
        "AttributeName",
        "BootMode",
        "CurrentValue",
    );
    assert_eq!(mode.as_deref(), Some("Uefi"));
}

/// What a setting is called says that its value is nobody's business.
#[tokio::test]
async fn passwords_of_the_bios_are_not_recorded() {
    let (stand, _) = Stand::drac(false).await;
    let mut server = Server::new(&stand);
    let change = json!({"SetupPassword": "sesame-open", "AssetTag": "sesame-open"});
    let text = server.refused("set_bios_config", change).await;
    assert!(!text.contains("sesame"), "{text}");
    let change = json!({"SysPassword": "sesame", "AssetTag": "sesame"});
    server.call("set_bios_config", change).await.unwrap();
    let kept = serde_json::to_string(&server.recorder.read(server.node.id)).unwrap();
    assert!(kept.contains("SetAttributes_INPUT"), "{kept}");
    assert!(!kept.contains("sesame"), "{kept}");
}

#[tokio::test]
async fn a_server_is_inspected_without_starting_it() {
    let (stand, device) = Stand::drac(false).await;
    let mut server = Server::new(&stand);
    let Inventory { inventory, .. } = server.inspected().await;
    assert_eq!(inventory["memory"], json!({"physical_mb": 32768}));
    assert_eq!(inventory["cpu"]["count"], 32);
    assert_eq!(inventory["cpu"]["architecture"], "x86_64");
    let macs = inventory["interfaces"].as_array().unwrap().iter();
    let macs: Vec<&Value> = macs.map(|one| &one["mac_address"]).collect();
    assert_eq!(macs, ["b0:83:fe:c6:6f:a1", "b0:83:fe:c6:6f:a2"]);
    assert_eq!(inventory["system_vendor"]["serial_number"], "C0RTEN1");
    let properties = &server.node.properties;
    assert_eq!(properties["memory_mb"], 32768);
    assert_eq!(properties["local_gb"], 185);
    assert!(device.orders().is_empty() && device.starts().is_empty());
}

#[tokio::test]
async fn the_client_of_idracs_is_served() {
    const SCRIPT: &str = r#"
import sys
from dracclient import client, constants, exceptions

host, port, user, password = sys.argv[1:]

def connect(password):
    return client.DRACClient(host, user, password, port=int(port), protocol="http",
                             ready_retries=1, ssl_retries=1)

drac = connect(password)
assert drac.get_power_state() == constants.POWER_OFF
drac.set_power_state(constants.POWER_ON)
assert drac.get_power_state() == constants.POWER_ON
try:
    drac.set_power_state(constants.POWER_ON)
except exceptions.DRACOperationFailed:
    pass
else:
    raise SystemExit("it was on")
modes = {mode.id: mode for mode in drac.list_boot_modes()}
assert modes["IPL"].is_next and not modes["UEFI"].is_next, modes
devices = drac.list_boot_devices()["IPL"]
assert "HardDisk" in devices[0].id, devices
nic = next(one.id for one in devices if "NIC" in one.id)
drac.change_boot_device_order("IPL", nic)
assert drac.list_boot_devices()["IPL"][0].id == nic
settings = drac.list_bios_settings()
assert settings["ProcVirtualization"].current_value == "Disabled", settings
assert settings["AssetTag"].pcre_regex, settings["AssetTag"]
result = drac.set_bios_settings({"ProcVirtualization": "Enabled"})
assert result["is_commit_required"], result
job = drac.commit_pending_bios_changes()
assert drac.get_job(job).status == "Scheduled"
assert [one.id for one in drac.list_jobs(only_unfinished=True)] == [job]
drac.set_power_state(constants.REBOOT)
assert drac.list_jobs(only_unfinished=True) == []
assert drac.list_bios_settings()["ProcVirtualization"].current_value == "Enabled"
drac.set_bios_settings({"BootMode": "Uefi"})
drac.abandon_pending_bios_changes()
assert drac.list_bios_settings()["BootMode"].pending_value is None
assert len(drac.list_cpus()) == 2 and len(drac.list_memory()) == 2
assert sorted(nic.mac for nic in drac.list_nics())[0] == "B0:83:FE:C6:6F:A1"
assert drac.get_system().model == "PowerEdge R630"
try:
    connect("wrong").get_power_state()
except exceptions.WSManInvalidResponse as error:
    assert "401" in str(error), error
else:
    raise SystemExit("a wrong password is accepted")
"#;
    for page in [100, 2] {
        let (stand, device) = Stand::drac(false).await;
        device.page_by(page);
        if run(SCRIPT, stand.address).await {
            assert_eq!(place(&device, NIC, "CurrentAssignedSequence"), "0");
            assert_eq!(device.starts().len(), 2);
        }
    }
}
