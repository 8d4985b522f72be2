//! What a list of connectors or targets is asked for.

use super::{Volume, check_version};
use crate::{call::Call, error::ApiError, lookup, page::Paging, policy::Rule, v1::collection};
use store::{StoreError, volume::VolumeFilter};

const LIST_ARGS: &[&str] = &[
    "node", "marker", "limit", "sort_key", "sort_dir", "fields", "detail", "project",
];

/// What a list was asked for.
pub(super) struct Query {
    pub(super) fields: Option<Vec<String>>,
    pub(super) detail: Option<bool>,
    pub(super) filter: VolumeFilter,
    pub(super) paging: Paging,
}

impl Query {
    /// Reads the arguments of a list. The node in the path goes before the one in the query.
    pub(super) async fn read<V: Volume>(call: &Call) -> Result<Self, ApiError> {
        check_version(call)?;
        let args = call.args(LIST_ARGS)?;
        if args.has("project") {
            let text = "Additional properties are not allowed ('project' was unexpected)";
            return Err(ApiError::invalid(format!("Schema error: {text}")));
        }
        let (node, marker) = (args.uuid_or_name("node")?, args.uuid("marker")?);
        args.integer("limit")?;
        let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
        collection::check_names(fields.as_deref(), V::QUERYABLE)?;
        collection::check_direction(&args)?;
        let above = match call.param("node") {
            "" => None,
            above => Some(lookup::node_by_uuid(call, above).await?.id),
        };
        let project = call.project_of_list(Rule::VolumeListAll, Rule::VolumeList)?;
        let fields = match (fields, detail) {
            (Some(_), Some(true)) => {
                return Err(ApiError::invalid(
                    "Can't fetch a subset of fields with 'detail' set",
                ));
            }
            (None, Some(true)) => None,
            (Some(fields), _) => Some(fields),
            (None, _) => Some(V::DEFAULT.iter().map(|name| (*name).to_owned()).collect()),
        };
        let paging = Paging::read(call, &args, marker, V::UNSORTABLE)?;
        if paging.sort_key == "node_uuid" {
            // A column of ours, but not one of Ironic.
            return Err(StoreError::BadSortKey(paging.sort_key).into());
        }
        let node = match (above, node) {
            (Some(above), _) => Some(above),
            (None, Some(ident)) => Some(lookup::node(call, ident).await?.id),
            (None, None) => None,
        };
        Ok(Self {
            fields,
            detail,
            filter: VolumeFilter { node, project },
            paging,
        })
    }
}
