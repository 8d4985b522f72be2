//! Pages of lists: which part the client asks for, and where the next one is.

use crate::{args::Args, call::Call, error::ApiError};
use std::fmt::Write as _;
use store::{Page, StoreError};
use types::version::since;

/// The argument names that every paged list takes.
pub(crate) const PAGE_ARGS: [&str; 4] = ["limit", "marker", "sort_key", "sort_dir"];

/// Which fields a list shows: those asked for, else the default ones, else, with `detail`, all
/// (`None`).
pub(crate) fn wanted_fields(
    call: &Call,
    fields: Option<Vec<String>>,
    detail: Option<bool>,
    default: &[&str],
) -> Result<Option<Vec<String>>, ApiError> {
    if let Some(detail) = detail
        && call.version() < since::DETAIL_QUERY
    {
        return Err(ApiError::invalid(format!(
            "Invalid query parameter ?detail={} received.",
            python_bool(detail)
        )));
    }
    match (fields, detail) {
        (Some(_), Some(true)) => Err(ApiError::invalid(
            "Can not specify ?detail=True and fields in the same request.",
        )),
        (Some(fields), _) => Ok(Some(fields)),
        (None, Some(true)) => Ok(None),
        (None, _) => Ok(Some(
            default.iter().map(|name| (*name).to_owned()).collect(),
        )),
    }
}

/// How Python writes a boolean, for links to the next page.
pub(crate) fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// What the client asked for.
#[derive(Debug, Clone)]
pub(crate) struct Paging {
    pub limit: u32,
    pub marker: Option<String>,
    pub sort_key: String,
    descending: bool,
}

impl Paging {
    /// Reads limit and order. `marker` comes checked already, because what it looks like differs
    /// from resource to resource. Keys in `unsortable` hold objects, not values.
    pub(crate) fn read(
        call: &Call,
        args: &Args,
        marker: Option<&str>,
        unsortable: &[&str],
    ) -> Result<Self, ApiError> {
        let limit = args.integer("limit")?;
        let sort_key = args.string("sort_key")?.unwrap_or("id");
        let direction = args.string("sort_dir")?.unwrap_or("asc");
        let max = call.state.settings.max_limit;
        let limit = match limit {
            None => max,
            Some(limit) if limit <= 0 => return Err(ApiError::invalid("Limit must be positive")),
            Some(limit) => u32::try_from(limit).unwrap_or(max).min(max),
        };
        let descending = match direction {
            "asc" => false,
            "desc" => true,
            other => {
                return Err(ApiError::invalid(format!(
                    "Invalid sort direction: {other}. Acceptable values are 'asc' or 'desc'"
                )));
            }
        };
        if unsortable.contains(&sort_key) {
            return Err(ApiError::invalid(format!(
                "The sort_key value {sort_key} is an invalid field for sorting"
            )));
        }
        Ok(Self {
            limit,
            marker: marker.map(str::to_owned),
            sort_key: sort_key.to_owned(),
            descending,
        })
    }

    /// The same for the store.
    pub(crate) fn page(&self) -> Page {
        Page {
            limit: self.limit,
            marker: self.marker.clone(),
            // An empty key is taken, kept in links, and means the default.
            sort_key: match self.sort_key.as_str() {
                "" => "id".to_owned(),
                key => key.to_owned(),
            },
            descending: self.descending,
        }
    }

    /// The store's "no such marker" is the 404 that names it.
    pub(crate) fn refused(
        &self,
        error: StoreError,
        missing: impl FnOnce(&str) -> ApiError,
    ) -> ApiError {
        match error {
            StoreError::MarkerNotFound => missing(self.marker.as_deref().unwrap_or_default()),
            other => other.into(),
        }
    }

    pub(crate) fn sort_dir(&self) -> &'static str {
        if self.descending { "desc" } else { "asc" }
    }

    /// Where the next page is, if this one is full. `collection` may bring a query along; `extra`
    /// goes between the order and the fields;
    /// all other filters are lost, as in Ironic.
    pub(crate) fn next(
        &self,
        base: &str,
        collection: &str,
        extra: &[(&str, &str)],
        fields: Option<&[&str]>,
        shown: usize,
        last_id: Option<&str>,
    ) -> Option<String> {
        let last_id = last_id.filter(|_| u32::try_from(shown) == Ok(self.limit))?;
        let joint = if collection.contains('?') { '&' } else { '?' };
        let mut url = format!(
            "{base}/v1/{collection}{joint}sort_key={}&sort_dir={}&",
            self.sort_key,
            self.sort_dir()
        );
        for (name, value) in extra {
            // Writing to a string cannot fail.
            let _ = write!(url, "{name}={value}&");
        }
        if let Some(fields) = fields.filter(|fields| !fields.is_empty()) {
            let _ = write!(url, "fields={}&", fields.join(","));
        }
        let _ = write!(url, "limit={}&marker={last_id}", self.limit);
        Some(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_link_exists_for_full_pages_only() {
        let paging = Paging {
            limit: 1,
            marker: None,
            sort_key: "name".into(),
            descending: true,
        };
        let next = |shown| {
            paging.next(
                "http://h",
                "nodes",
                &[("detail", "True")],
                Some(&["uuid", "name"]),
                shown,
                Some("u"),
            )
        };
        assert_eq!(
            next(1).unwrap(),
            "http://h/v1/nodes?sort_key=name&sort_dir=desc&detail=True&fields=uuid,name&limit=1&marker=u"
        );
        assert_eq!(next(0), None);
        assert_eq!(paging.next("b", "nodes", &[], None, 1, None), None);
    }
}
