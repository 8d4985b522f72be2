//! BIOS, RAID, firmware, inspection and vendor methods of Redfish hardware, through the whole
//! service, on simulated machines of several makers.

mod bios;
mod firmware;
mod inspect;
pub(crate) mod machine;
mod raid;
mod vendor;
