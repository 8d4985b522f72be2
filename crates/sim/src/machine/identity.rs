//! Who a machine is: computed from the seed, never stored.

use super::Machine;
use crate::seed::{self, Purpose};
use uuid::Uuid;

/// How many network interfaces a machine has.
pub const INTERFACES: u32 = 2;
/// The interface number of the BMC's own.
const BMC: u32 = u32::MAX;

impl Machine {
    fn number(&self, purpose: Purpose, detail: u32) -> u64 {
        seed::number(self.settings().seed, self.index(), purpose, detail)
    }

    pub fn name(&self) -> String {
        format!("sim-{}", self.index())
    }

    pub fn uuid(&self) -> Uuid {
        let high = self.number(Purpose::Uuid, 0).to_be_bytes();
        let low = self.number(Purpose::Uuid, 1).to_be_bytes();
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&high);
        bytes[8..].copy_from_slice(&low);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    pub fn serial(&self) -> String {
        let number = self.number(Purpose::Serial, 0) % 0x1000_0000;
        format!("{}{number:07X}", self.personality().serial_prefix)
    }

    pub fn asset_tag(&self) -> String {
        format!("asset-{}", self.index())
    }

    /// The address of a network interface of the machine, counted from zero.
    pub fn mac(&self, interface: u32) -> [u8; 6] {
        // Neighbours in one address range, as on a real board.
        let [a, b, c] = self.personality().oui;
        let base = self.number(Purpose::Mac, 0) & 0xff_fff0;
        let [_, d, e, f] = u32::try_from(base | u64::from(interface & 0xf))
            .unwrap_or_default()
            .to_be_bytes();
        [a, b, c, d, e, f]
    }

    /// The address of the BMC's own interface.
    pub fn bmc_mac(&self) -> [u8; 6] {
        self.mac(BMC)
    }

    /// A number of the machine's own, for what is made up and must stay the same.
    pub fn draw(&self, detail: u32) -> u64 {
        self.number(Purpose::Inventory, detail)
    }

    pub(super) fn sensor_draw(&self, sensor: u32) -> u64 {
        self.number(Purpose::Sensor, sensor)
    }
}
