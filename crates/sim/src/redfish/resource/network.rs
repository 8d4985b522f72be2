//! The network adapter in the chassis: its ports, its functions, and the PCIe device it is.

use super::hardware::mac_text;
use crate::{
    machine::{firmware::Component, identity::INTERFACES},
    redfish::{
        call::{Call, add, healthy, link},
        message::Problem,
    },
};
use serde_json::{Value, json};

pub(crate) const ADAPTERS: u32 = 1;
const ADAPTER: &str = "NIC.1";

fn check(call: &Call<'_>, param: &str) -> Result<(), Problem> {
    if call.param(param) == ADAPTER {
        Ok(())
    } else {
        Err(call.absent())
    }
}

fn adapter_uri(call: &Call<'_>) -> String {
    format!("{}/NetworkAdapters/{ADAPTER}", call.chassis())
}

fn device_uri(call: &Call<'_>) -> String {
    format!("{}/PCIeDevices/{ADAPTER}", call.chassis())
}

fn version(call: &Call<'_>) -> String {
    let version = call.parts(|parts| parts.firmware.version(Component::Nic).map(str::to_owned));
    version.unwrap_or_else(|| super::update::NIC_VERSION.to_owned())
}

/// The place of a port or function, counted from zero.
fn place(call: &Call<'_>, param: &str) -> Result<u32, Problem> {
    check(call, "adapter")?;
    let number: Option<u32> = call.param(param).parse().ok();
    let place = number.and_then(|number| number.checked_sub(1));
    place
        .filter(|place| *place < INTERFACES)
        .ok_or_else(|| call.absent())
}

pub(crate) fn adapters(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(call.collection("NetworkAdapterCollection", "Network Adapters", [ADAPTER]))
}

pub(crate) fn adapter(call: &Call<'_>) -> Result<Value, Problem> {
    check(call, "adapter")?;
    let mut body = call.resource(
        "#NetworkAdapter.v1_11_0.NetworkAdapter",
        ADAPTER,
        "Network Adapter",
    );
    let path = call.path;
    add(
        &mut body,
        json!({
            "Manufacturer": "Corten",
            "Model": "SIM25G",
            "PartNumber": "SIM25G-2P",
            "SerialNumber": format!("NIC{:07X}", call.machine.draw(500) & 0xfff_ffff),
            "Controllers": [{
                "FirmwarePackageVersion": version(call),
                "ControllerCapabilities": {
                    "NetworkPortCount": INTERFACES,
                    "NetworkDeviceFunctionCount": INTERFACES,
                },
                "Links": {"PCIeDevices": [link(&device_uri(call))]},
            }],
            "Ports": link(&format!("{path}/Ports")),
            "NetworkDeviceFunctions": link(&format!("{path}/NetworkDeviceFunctions")),
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn ports(call: &Call<'_>) -> Result<Value, Problem> {
    check(call, "adapter")?;
    Ok(call.collection("PortCollection", "Ports", 1..=INTERFACES))
}

pub(crate) fn port(call: &Call<'_>) -> Result<Value, Problem> {
    let place = place(call, "port")?;
    let id = call.param("port");
    let mut body = call.resource("#Port.v1_14_0.Port", id, "Port");
    add(
        &mut body,
        json!({
            "PortId": id,
            "PortProtocol": "Ethernet",
            "PortType": "BidirectionalPort",
            "LinkStatus": if place == 0 { "LinkUp" } else { "LinkDown" },
            "CurrentSpeedGbps": if place == 0 { 25 } else { 0 },
            "MaxSpeedGbps": 25,
            "Ethernet": {"AssociatedMACAddresses": [mac_text(call.machine.mac(place))]},
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn functions(call: &Call<'_>) -> Result<Value, Problem> {
    check(call, "adapter")?;
    let kind = "NetworkDeviceFunctionCollection";
    Ok(call.collection(kind, "Network Device Functions", 1..=INTERFACES))
}

pub(crate) fn function(call: &Call<'_>) -> Result<Value, Problem> {
    let place = place(call, "function")?;
    let id = call.param("function");
    let mac = mac_text(call.machine.mac(place));
    let mut body = call.resource(
        "#NetworkDeviceFunction.v1_9_1.NetworkDeviceFunction",
        id,
        "Network Device Function",
    );
    add(
        &mut body,
        json!({
            "NetDevFuncType": "Ethernet",
            "NetDevFuncCapabilities": ["Ethernet"],
            "DeviceEnabled": true,
            "Ethernet": {"MACAddress": mac, "PermanentMACAddress": mac},
            "Links": {"PhysicalNetworkPortAssignment": link(&format!("{}/Ports/{id}", adapter_uri(call)))},
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn devices(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(call.collection("PCIeDeviceCollection", "PCIe Devices", [ADAPTER]))
}

pub(crate) fn device(call: &Call<'_>) -> Result<Value, Problem> {
    check(call, "device")?;
    let mut body = call.resource("#PCIeDevice.v1_15_0.PCIeDevice", ADAPTER, "Network Adapter");
    let path = call.path;
    add(
        &mut body,
        json!({
            "Manufacturer": "Corten",
            "Model": "SIM25G",
            "SerialNumber": format!("NIC{:07X}", call.machine.draw(500) & 0xfff_ffff),
            "FirmwareVersion": version(call),
            "DeviceType": "MultiFunction",
            "PCIeInterface": {
                "PCIeType": "Gen3",
                "MaxPCIeType": "Gen3",
                "LanesInUse": 8,
                "MaxLanes": 8,
            },
            "PCIeFunctions": link(&format!("{path}/PCIeFunctions")),
            "Links": {"Chassis": [link(&call.chassis())]},
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn pcie_functions(call: &Call<'_>) -> Result<Value, Problem> {
    check(call, "device")?;
    Ok(call.collection("PCIeFunctionCollection", "PCIe Functions", 1..=INTERFACES))
}

pub(crate) fn pcie_function(call: &Call<'_>) -> Result<Value, Problem> {
    check(call, "device")?;
    let number: Option<u32> = call.param("function").parse().ok();
    let number = number.filter(|number| (1..=INTERFACES).contains(number));
    let number = number.ok_or_else(|| call.absent())?;
    let id = call.param("function");
    let mut body = call.resource("#PCIeFunction.v1_6_0.PCIeFunction", id, "PCIe Function");
    add(
        &mut body,
        json!({
            "FunctionId": number - 1,
            "FunctionType": "Physical",
            "DeviceClass": "NetworkController",
            "DeviceId": "0x1015",
            "VendorId": "0x15b3",
            "ClassCode": "0x020000",
            "RevisionId": "0x00",
            "SubsystemId": "0x0020",
            "SubsystemVendorId": "0x15b3",
            "Links": {"PCIeDevice": link(&device_uri(call))},
            "Status": healthy(),
        }),
    );
    Ok(body)
}
