//! What some makes of BMC do differently, as data.
//!
//! A row names a maker, optionally a model and a range of firmware versions, and what is different
//! there. It is looked up once for each BMC. What is not in the table behaves as the standard says.

/// What is different.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quirks {
    /// A change of the boot target must name how long it holds, even if that does not change.
    pub names_enabled: bool,
    /// A change of the boot target must name the boot mode.
    pub names_mode: bool,
    /// The disk boots by another name once virtual media has been used.
    pub usb_cd_by_uefi: bool,
}
