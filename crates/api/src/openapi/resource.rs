//! The resources of the document: the tables of fields they are shown by.

use crate::{
    v1::driver,
    view::{
        self, Field,
        volume::{CONNECTOR, TARGET},
    },
};
use types::{ApiVersion, version::since};

/// A kind of thing that answers show.
#[derive(Debug)]
pub(crate) struct Resource {
    pub name: &'static str,
    /// Every field, with the version that has it first.
    pub fields: fn() -> Vec<(String, ApiVersion)>,
}

const fn resource(name: &'static str, fields: fn() -> Vec<(String, ApiVersion)>) -> Resource {
    Resource { name, fields }
}

pub(crate) static RESOURCES: &[Resource] = &[
    resource("Allocation", || of(view::allocation::FIELDS)),
    resource("BiosSetting", || of(view::bios::FIELDS)),
    resource("Chassis", || of(view::chassis::FIELDS)),
    resource("Conductor", || of(view::conductor::FIELDS)),
    resource("DeployTemplate", || of(view::deploy_template::FIELDS)),
    resource("Driver", drivers),
    resource("FirmwareComponent", || of(view::firmware::FIELDS)),
    resource("InspectionRule", || of(view::inspection_rule::FIELDS)),
    resource("Node", || of(view::node::FIELDS)),
    resource("Port", || of(view::port::FIELDS)),
    resource("Portgroup", || of(view::portgroup::FIELDS)),
    resource("Runbook", || of(view::runbook::FIELDS)),
    resource("VolumeConnector", || of(CONNECTOR)),
    resource("VolumeTarget", || of(TARGET)),
];

fn of<R>(table: &[Field<R>]) -> Vec<(String, ApiVersion)> {
    let fields = table.iter();
    fields
        .map(|field| (field.name.to_owned(), field.since))
        .collect()
}

/// Drivers have a pair of fields for each kind of interface.
fn drivers() -> Vec<(String, ApiVersion)> {
    let plain = [
        ("name", since::BASE),
        ("hosts", since::BASE),
        ("links", since::BASE),
        ("properties", since::STATES_LINK),
        ("type", since::DYNAMIC_DRIVERS),
    ];
    let plain = plain.map(|(name, since)| (name.to_owned(), since));
    let pairs = driver::KINDS.iter().flat_map(|(kind, since)| {
        let default = format!("default_{kind}_interface");
        let enabled = format!("enabled_{kind}_interfaces");
        [(default, *since), (enabled, *since)]
    });
    plain.into_iter().chain(pairs).collect()
}
