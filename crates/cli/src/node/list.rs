//! `corten node list`: which machines there are.

use clap::Args;

use super::field;
use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::listing::{self, PageArgs, field_names};
use crate::output::OutputArgs;

const EXAMPLES: &str = "\
Examples:
  corten node list --provision-state active --sort name
  corten node list --maintenance --fields name maintenance_reason
  corten node list -f json --limit 0
";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    #[command(flatten)]
    page: PageArgs,
    /// Only those in maintenance
    #[arg(long, conflicts_with = "no_maintenance", help_heading = "Filters")]
    maintenance: bool,
    /// Only those not in maintenance
    #[arg(long, help_heading = "Filters")]
    no_maintenance: bool,
    /// Only retired ones
    #[arg(long, conflicts_with = "no_retired", help_heading = "Filters")]
    retired: bool,
    /// Only those not retired
    #[arg(long, help_heading = "Filters")]
    no_retired: bool,
    /// Only those with this fault, such as `power failure`
    #[arg(long, value_name = "FAULT", help_heading = "Filters")]
    fault: Option<String>,
    /// Only those with an instance
    #[arg(long, conflicts_with = "unassociated", help_heading = "Filters")]
    associated: bool,
    /// Only those without an instance
    #[arg(long, help_heading = "Filters")]
    unassociated: bool,
    /// Only those in this provision state, such as available or `clean failed`
    #[arg(long, value_name = "STATE", help_heading = "Filters")]
    provision_state: Option<String>,
    /// Only those of this driver
    #[arg(long, value_name = "DRIVER", help_heading = "Filters")]
    driver: Option<String>,
    /// Only those of this resource class
    #[arg(long, value_name = "CLASS", help_heading = "Filters")]
    resource_class: Option<String>,
    /// Only those of this conductor group
    #[arg(long, value_name = "GROUP", help_heading = "Filters")]
    conductor_group: Option<String>,
    /// Only those this conductor cares for
    #[arg(long, value_name = "HOST", help_heading = "Filters")]
    conductor: Option<String>,
    /// Only those of this chassis
    #[arg(long, value_name = "UUID", help_heading = "Filters")]
    chassis: Option<String>,
    /// Only those of this owner
    #[arg(long, value_name = "PROJECT", help_heading = "Filters")]
    owner: Option<String>,
    /// Only those of this lessee
    #[arg(long, value_name = "PROJECT", help_heading = "Filters")]
    lessee: Option<String>,
    /// Only those whose description has this in it
    #[arg(long, value_name = "TEXT", help_heading = "Filters")]
    description_contains: Option<String>,
    /// Only those with an instance of this name
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    instance_name: Option<String>,
    /// Only those in a shard
    #[arg(long, conflicts_with = "unsharded", help_heading = "Filters")]
    sharded: bool,
    /// Only those in no shard
    #[arg(long, help_heading = "Filters")]
    unsharded: bool,
    /// Only those in these shards
    #[arg(long, value_name = "SHARD", num_args = 1.., help_heading = "Filters")]
    shards: Vec<String>,
    /// Nodes that are parts of others as well
    #[arg(long, conflicts_with = "parent_node", help_heading = "Filters")]
    include_children: bool,
    /// Only parts of this node
    #[arg(long, value_name = "NODE", help_heading = "Filters")]
    parent_node: Option<String>,
    /// Show everything about them
    #[arg(long, conflicts_with = "fields", help_heading = "Output")]
    long: bool,
    /// Fetch and show only these fields; a wrong name is answered with all there are
    #[arg(
        long,
        value_name = "FIELD",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = field_names(field::NAMES),
        hide_possible_values = true,
        help_heading = "Output"
    )]
    fields: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

impl List {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let path: &[&str] = if self.long {
            &["nodes", "detail"]
        } else {
            &["nodes"]
        };
        let choice = |yes: bool, no: bool| match (yes, no) {
            (true, _) => Some("True"),
            (_, true) => Some("False"),
            _ => None,
        };
        let shards = (!self.shards.is_empty()).then(|| self.shards.join(","));
        let call = Call::get(path)?
            .fields(&self.fields)
            .query_if("associated", choice(self.associated, self.unassociated))
            .query_if("maintenance", choice(self.maintenance, self.no_maintenance))
            .query_if("retired", choice(self.retired, self.no_retired))
            .query_if("fault", self.fault)
            .query_if("provision_state", self.provision_state)
            .query_if("driver", self.driver)
            .query_if("resource_class", self.resource_class)
            .query_if("chassis_uuid", self.chassis)
            .query_if("conductor_group", self.conductor_group)
            .query_if("conductor", self.conductor)
            .query_if("owner", self.owner)
            .query_if("lessee", self.lessee)
            .query_if("sharded", choice(self.sharded, self.unsharded))
            .query_if("shard", shards)
            .query_if("parent_node", self.parent_node)
            .query_if("include_children", choice(self.include_children, false))
            .query_if("description_contains", self.description_contains)
            .query_if("instance_name", self.instance_name);
        let asked: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        let shown = match (self.long, asked.is_empty()) {
            (true, _) => field::DETAILED,
            (false, true) => field::BRIEF,
            (false, false) => &asked,
        };
        listing::fetch_and_print(session, call, "nodes", &self.page, shown, &self.output).await
    }
}
