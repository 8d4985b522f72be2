//! The inventory of the machine as IPMI stores it.

use super::Machine;
use crate::fault::Write;
use proto::ipmi::command::fru::{self, BoardArea, ChassisArea, ProductArea};

/// How many bytes there are for it.
pub const SIZE: usize = 1024;
/// A rack mount chassis.
const RACK_MOUNT: u8 = 23;
/// Minutes from 1996 to the day on which all boards were made.
const MADE: u32 = 14_200_000;

impl Machine {
    /// The whole storage.
    pub fn fru(&self) -> Vec<u8> {
        if let Some(written) = &self.state().fru {
            return written.to_vec();
        }
        let maker = self.personality();
        let serial = self.serial();
        let mut bytes = fru::encode(
            &ChassisArea {
                kind: RACK_MOUNT,
                part_number: format!("{}-CH1", maker.serial_prefix),
                serial: serial.clone(),
                extra: Vec::new(),
            },
            &BoardArea {
                made: Some(MADE),
                manufacturer: maker.manufacturer.to_owned(),
                product: maker.model.to_owned(),
                serial: serial.clone(),
                part_number: format!("{}-MB1", maker.serial_prefix),
                extra: Vec::new(),
            },
            &ProductArea {
                manufacturer: maker.manufacturer.to_owned(),
                name: maker.model.to_owned(),
                part_number: format!("{}-PN1", maker.serial_prefix),
                version: "01".to_owned(),
                serial,
                asset_tag: self.asset_tag(),
                extra: Vec::new(),
            },
        );
        bytes.resize(SIZE, 0);
        bytes
    }

    /// Writes at an offset; how many bytes there was room for.
    pub fn write_fru(&self, offset: usize, bytes: &[u8]) -> usize {
        let mut all = self.fru();
        let Some(room) = all.get_mut(offset..) else {
            return 0;
        };
        let count = room.len().min(bytes.len());
        room[..count].copy_from_slice(&bytes[..count]);
        if !self.ignores(Write::Other) {
            self.state().fru = Some(all.into());
        }
        count
    }
}
