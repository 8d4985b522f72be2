//! Pages of rows that are shown by a table of fields.

use crate::{
    args::Args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    page::{Paging, python_bool},
    patch,
    reply::Reply,
    route::Method,
    schema,
    view::{self, Field, Selection, ViewContext},
};
use axum::http::StatusCode;
use serde_json::Value;
use types::{
    ApiVersion,
    pyrepr::{repr_list, repr_str},
};

/// How often a patch is applied anew when somebody else changed the row meanwhile.
pub(super) const ATTEMPTS: usize = 3;

/// `PATCH` of what is below one of a list: the element after the name is taken for the patch.
pub(crate) async fn patch_part(call: Call) -> Result<Reply, ApiError> {
    call.refuse_args()?;
    schema::check("patch", &Value::from(call.param("part")), &patch::SCHEMA)?;
    Err(ApiError::resource_not_found())
}

/// A kind of resource as lists show it.
pub(crate) struct Collection<R: 'static> {
    /// The key of the list, which is also its path.
    pub(super) name: &'static str,
    pub(super) fields: &'static [Field<R>],
    /// What markers and links name a row by.
    pub(super) id: fn(&R) -> String,
}

impl<R> Collection<R> {
    /// One row. `fields` are the names asked for, or `None` for all.
    pub(super) fn document(&self, call: &Call, fields: Option<&[String]>, row: &R) -> Vec<u8> {
        let mut w = JsonWriter::with_capacity(1024);
        self.write(&mut w, call, self.selection(call, fields), row);
        w.finish()
    }

    /// A page of rows, with a link to the next one below `path`.
    pub(super) fn page(
        &self,
        call: &Call,
        path: &str,
        paging: &Paging,
        fields: Option<&[String]>,
        detail: Option<bool>,
        rows: &[R],
    ) -> Reply {
        let names: Option<Vec<&str>> =
            fields.map(|names| names.iter().map(String::as_str).collect());
        let detail: Vec<(&str, &str)> = detail
            .map(|detail| ("detail", python_bool(detail)))
            .into_iter()
            .collect();
        let last = rows.last().map(self.id);
        let next = paging.next(
            &call.ctx.base,
            path,
            &detail,
            names.as_deref(),
            rows.len(),
            last.as_deref(),
        );
        let selection = self.selection(call, fields);
        let mut w = JsonWriter::with_capacity(512 * rows.len() + 256);
        w.begin_object();
        w.key(self.name);
        w.begin_array();
        for row in rows {
            self.write(&mut w, call, selection, row);
        }
        w.end_array();
        if let Some(next) = next {
            w.key("next");
            w.str(&next);
        }
        w.end_object();
        Reply::ok(w.finish())
    }

    fn selection(&self, call: &Call, fields: Option<&[String]>) -> Selection {
        match fields {
            Some(fields) => Selection::named(self.fields, call.version(), fields),
            None => Selection::full(self.fields, call.version()),
        }
    }

    fn write(&self, w: &mut JsonWriter, call: &Call, selection: Selection, row: &R) {
        let id = (self.id)(row);
        view::write(w, self.fields, selection, row, &ViewContext::new(call, &id));
    }
}

/// How a request is refused whose version does not have the collection.
pub(super) fn absent(call: &Call) -> StatusCode {
    match call.method {
        Method::Get => StatusCode::NOT_FOUND,
        _ => StatusCode::METHOD_NOT_ALLOWED,
    }
}

/// 400 for a field that is none of `known`, in the words of the resources with strict queries.
pub(super) fn check_names(fields: Option<&[String]>, known: &[&str]) -> Result<(), ApiError> {
    let mut fields = fields.unwrap_or_default().iter();
    match fields.find(|field| !known.contains(&field.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(ApiError::invalid(format!(
            "Schema error: {} is not one of {}",
            repr_str(unknown),
            repr_list(known.iter().copied())
        ))),
    }
}

/// 400 for fields that no version has.
pub(super) fn check_known<R>(
    fields: Option<&[String]>,
    table: &[Field<R>],
) -> Result<(), ApiError> {
    check_known_at(fields, table, ApiVersion::MAX)
}

/// 400 for fields that this version does not have.
pub(super) fn check_known_at<R>(
    fields: Option<&[String]>,
    table: &[Field<R>],
    version: ApiVersion,
) -> Result<(), ApiError> {
    let known = table.iter().filter(|known| known.since <= version);
    let unknown: Vec<&str> = fields
        .unwrap_or_default()
        .iter()
        .map(String::as_str)
        .filter(|field| !known.clone().any(|known| known.name == *field))
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(format!(
        "Field(s) \"{}\" are not valid",
        unknown.join(", ")
    )))
}

/// 400 for any argument at all, in the words of the resources with strict queries.
pub(super) fn refuse_names(args: &Args) -> Result<(), ApiError> {
    let mut names: Vec<&str> = args.names().collect();
    if names.is_empty() {
        return Ok(());
    }
    names.sort_unstable();
    let verb = if names.len() == 1 { "was" } else { "were" };
    let names: Vec<String> = names.into_iter().map(repr_str).collect();
    Err(ApiError::invalid(format!(
        "Schema error: Additional properties are not allowed ({} {verb} unexpected)",
        names.join(", ")
    )))
}

/// 400 for a direction that is none, in the words of the resources with strict queries.
pub(super) fn check_direction(args: &Args) -> Result<(), ApiError> {
    match args.string("sort_dir")? {
        None | Some("asc" | "desc") => Ok(()),
        Some(other) => Err(ApiError::invalid(format!(
            "Schema error: {} is not one of ['asc', 'desc']",
            repr_str(other)
        ))),
    }
}
