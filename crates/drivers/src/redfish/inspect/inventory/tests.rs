//! Inventories of made-up machines.

use super::*;

fn resource(body: Value) -> Resource {
    Resource::new("/r/1", None, body.as_object().cloned().unwrap())
}

fn parts() -> Parts {
    Parts {
        system: resource(json!({
            "Id": "1",
            "Manufacturer": "Corten",
            "Model": "M1",
            "SerialNumber": "SN1",
            "UUID": "38947555-7742-3448-3784-823347823834",
            "MemorySummary": {"TotalSystemMemoryGiB": 96},
            "ProcessorSummary": {"Count": 2, "LogicalProcessorCount": 8},
            "Boot": {"BootSourceOverrideMode": "UEFI"},
        })),
        processors: vec![
            resource(
                json!({"InstructionSet": "x86-64", "Model": "X", "MaxSpeedMHz": 3700,
                "TotalThreads": 16}),
            ),
            resource(json!({"InstructionSet": "x86-64", "TotalThreads": 16})),
        ],
        interfaces: vec![
            resource(json!({"Id": "nic1", "MACAddress": "52:54:00:AA:BB:01", "SpeedMbps": 25000})),
            resource(json!({"Id": "nic2", "MACAddress": "none"})),
        ],
        storage: Some(vec![Storage {
            storage: resource(
                json!({"Id": "RAID.1", "Name": "PERC", "StorageControllers": [
                {"MemberId": "0", "Name": "PERC H740P", "SupportedRAIDTypes": ["RAID1"],
                 "Status": {"Health": "OK", "State": "Enabled"}}]}),
            ),
            drives: vec![
                resource(
                    json!({"Id": "d0", "Name": "Disk 0", "CapacityBytes": 100 * GIB,
                    "MediaType": "SSD", "Protocol": "SAS", "Model": "S"}),
                ),
                resource(
                    json!({"Id": "d1", "Name": "Disk 1", "CapacityBytes": 2 * GIB,
                    "MediaType": "HDD"}),
                ),
            ],
            volumes: Vec::new(),
        }]),
        pcie_functions: vec![
            resource(json!({"VendorId": "0x8086", "DeviceId": "0x1572",
                "DeviceClass": "NetworkController"})),
            resource(json!({"Id": "2"})),
        ],
        ..Parts::default()
    }
}

#[test]
fn a_machine_is_told_in_a_ramdisks_words() {
    let told = Value::Object(inventory(&parts()));
    assert_eq!(told["memory"]["physical_mb"], 98304);
    assert_eq!(
        told["cpu"],
        json!({"count": 32, "architecture": "x86_64", "model_name": "X", "frequency": 3700})
    );
    assert_eq!(
        told["interfaces"],
        json!([{"mac_address": "52:54:00:aa:bb:01", "name": "nic1", "speed_mbps": 25000}])
    );
    assert_eq!(told["disks"][0]["rotational"], false);
    assert_eq!(told["disks"][1]["size"], 2 * GIB);
    assert_eq!(told["storage_controllers"][0]["id"], "RAID.1");
    assert_eq!(
        told["storage_controllers"][0]["storage_controllers"][0]["raid_types"],
        json!(["RAID1"])
    );
    assert_eq!(
        told["storage_controllers"][0]["drives"][0]["protocol"],
        "SAS"
    );
    assert_eq!(
        told["pci_devices"],
        json!([{"class": "NetworkController", "product_id": "0x1572", "vendor_id": "0x8086"}])
    );
    assert_eq!(told["system_vendor"]["product_name"], "M1");
    assert_eq!(told["boot"], json!({"current_boot_mode": "uefi"}));
}

#[test]
fn a_machine_that_tells_nothing_is_no_mistake() {
    let told = Value::Object(inventory(&Parts::default()));
    assert_eq!(
        told,
        json!({"cpu": {"count": 0, "architecture": ""}, "interfaces": []})
    );
    assert_eq!(local_gb(&Parts::default()), 0);
    assert_eq!(memory_mb(&Resource::default()), None);
}

#[test]
fn the_smallest_disk_that_holds_a_system_counts() {
    let mut parts = parts();
    assert_eq!(local_gb(&parts), 99);
    if let Some(subsystems) = &mut parts.storage {
        subsystems[0].volumes = vec![resource(json!({"CapacityBytes": 50 * GIB}))];
    }
    assert_eq!(local_gb(&parts), 49, "volumes come before drives");
    parts.simple_storage = vec![resource(json!({"Devices": [
        {"Name": "a", "CapacityBytes": GIB}, {"Name": "b", "CapacityBytes": 30 * GIB}]}))];
    assert_eq!(local_gb(&parts), 29);
    parts.storage = None;
    let told = Value::Object(inventory(&parts));
    assert_eq!(
        told["disks"],
        json!([{"name": "a", "size": GIB}, {"name": "b", "size": 30 * GIB}])
    );
}

#[test]
fn neighbours_are_told_by_port() {
    let ports = [
        resource(json!({"Id": "NIC.1-1", "Ethernet": {"LLDPReceive": {
            "ChassisId": "aa:bb", "PortId": "Eth1", "ManagementVlanId": 0}}})),
        resource(json!({"Id": "NIC.1-2", "Ethernet": {"LLDPReceive": {}}})),
    ];
    assert_eq!(
        Value::Object(neighbours(&ports)),
        json!({"NIC.1-1": {"switch_chassis_id": "aa:bb", "switch_port_id": "Eth1"}})
    );
}
