//! Processors, memory and network interfaces of a machine.

use crate::{
    machine::identity::INTERFACES,
    redfish::{
        call::{Call, add, healthy, link},
        message::Problem,
    },
};
use serde_json::{Value, json};
use types::port::MacAddress;

pub(crate) const PROCESSORS: u32 = 2;
pub(crate) const CORES: u32 = 16;
pub(crate) const PROCESSOR_MODEL: &str = "Simulated Processor 6226";
pub(crate) const MODULES: u32 = 4;
pub(crate) const MODULE_GIB: u32 = 32;

/// The place of a thing whose names are numbers from one on.
fn place(call: &Call<'_>, param: &str, prefix: &str, count: u32) -> Result<u32, Problem> {
    let number = call.param(param).strip_prefix(prefix);
    let number: Option<u32> = number.and_then(|number| number.parse().ok());
    let place = number.and_then(|number| number.checked_sub(1));
    place
        .filter(|place| *place < count)
        .ok_or_else(|| call.absent())
}

pub(crate) fn processors(call: &Call<'_>) -> Result<Value, Problem> {
    let names = (1..=PROCESSORS).map(|number| format!("CPU{number}"));
    Ok(call.collection("ProcessorCollection", "Processors", names))
}

pub(crate) fn processor(call: &Call<'_>) -> Result<Value, Problem> {
    let place = place(call, "processor", "CPU", PROCESSORS)?;
    let id = call.param("processor");
    let mut body = call.resource("#Processor.v1_18_0.Processor", id, "Processor");
    add(
        &mut body,
        json!({
            "Socket": format!("CPU.Socket.{}", place + 1),
            "ProcessorType": "CPU",
            "ProcessorArchitecture": "x86",
            "InstructionSet": "x86-64",
            "Manufacturer": "Corten",
            "Model": PROCESSOR_MODEL,
            "MaxSpeedMHz": 3700,
            "TotalCores": CORES,
            "TotalThreads": CORES * 2,
            "ProcessorId": {
                "VendorId": "GenuineIntel",
                "EffectiveFamily": "0x6",
                "EffectiveModel": "0x55",
                "Step": "0x7",
            },
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn memory(call: &Call<'_>) -> Result<Value, Problem> {
    let names = (1..=MODULES).map(|number| format!("DIMM{number}"));
    Ok(call.collection("MemoryCollection", "Memory Modules", names))
}

pub(crate) fn module(call: &Call<'_>) -> Result<Value, Problem> {
    let place = place(call, "module", "DIMM", MODULES)?;
    let id = call.param("module");
    let mut body = call.resource("#Memory.v1_19_0.Memory", id, "Memory Module");
    add(
        &mut body,
        json!({
            "MemoryType": "DRAM",
            "MemoryDeviceType": "DDR4",
            "CapacityMiB": MODULE_GIB * 1024,
            "OperatingSpeedMhz": 2933,
            "DataWidthBits": 64,
            "BusWidthBits": 72,
            "ErrorCorrection": "MultiBitECC",
            "Manufacturer": "Corten",
            "PartNumber": "SIM-DDR4-32",
            "SerialNumber": format!("{:08X}", call.machine.draw(100 + place) & 0xffff_ffff),
            "DeviceLocator": id,
            "Status": healthy(),
        }),
    );
    Ok(body)
}

/// An address as Redfish writes it.
pub(crate) fn mac_text(mac: [u8; 6]) -> String {
    MacAddress::from(mac).to_string()
}

pub(crate) fn interfaces(call: &Call<'_>) -> Result<Value, Problem> {
    let names = (1..=INTERFACES).map(|number| format!("NIC.{number}"));
    Ok(call.collection("EthernetInterfaceCollection", "Ethernet Interfaces", names))
}

pub(crate) fn interface(call: &Call<'_>) -> Result<Value, Problem> {
    let place = place(call, "interface", "NIC.", INTERFACES)?;
    let id = call.param("interface");
    let mut body = call.resource(
        "#EthernetInterface.v1_12_2.EthernetInterface",
        id,
        "Ethernet Interface",
    );
    let mac = mac_text(call.machine.mac(place));
    add(
        &mut body,
        json!({
            "MACAddress": mac,
            "PermanentMACAddress": mac,
            "SpeedMbps": 25_000,
            "FullDuplex": true,
            "LinkStatus": if place == 0 { "LinkUp" } else { "LinkDown" },
            "InterfaceEnabled": true,
            "Status": healthy(),
            "Links": {"Chassis": link(&call.chassis())},
        }),
    );
    Ok(body)
}
