//! How a firmware component looks. It has no links: there is nothing below the list.

use crate::view::Field;
use types::{FirmwareComponent, version::since};

/// The fields of a component, in the order in which a refusal lists them.
pub(crate) static FIELDS: &[Field<FirmwareComponent>] = &[
    Field::new("created_at", since::FIRMWARE, |w, f, _| {
        w.time(f.created_at)
    }),
    Field::new("updated_at", since::FIRMWARE, |w, f, _| {
        w.opt_time(f.updated_at)
    }),
    Field::new("component", since::FIRMWARE, |w, f, _| w.str(&f.component)),
    Field::new("initial_version", since::FIRMWARE, |w, f, _| {
        w.opt_str(f.initial_version.as_deref())
    }),
    Field::new("current_version", since::FIRMWARE, |w, f, _| {
        w.opt_str(f.current_version.as_deref())
    }),
    Field::new("last_version_flashed", since::FIRMWARE, |w, f, _| {
        w.opt_str(f.last_version_flashed.as_deref())
    }),
    Field::new("vendor", since::FIRMWARE_MAKER, |w, f, _| {
        w.opt_str(f.vendor.as_deref())
    }),
    Field::new("model", since::FIRMWARE_MAKER, |w, f, _| {
        w.opt_str(f.model.as_deref())
    }),
    Field::new("serial_number", since::FIRMWARE_MAKER, |w, f, _| {
        w.opt_str(f.serial_number.as_deref())
    }),
];

/// What is always shown.
pub(crate) const ALWAYS: [&str; 2] = ["created_at", "updated_at"];
