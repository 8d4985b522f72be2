//! `/corten/v1/images`: images that the service keeps under names, for `image://NAME`.
//!
//! A conductor fetches what is named here and machines get it, so only administrators of the system
//! add and remove images; readers of the system see them. What may be a secret in an address is
//! not shown. A client that has the image as a file sends it in parts ([`put_content`]).

#[cfg(test)]
mod tests;

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    schema::{
        self,
        image::{IMAGE, PART},
    },
};
use reqwest::Url;
use serde_json::{Value, json};
use store::image::{self, Inserted};
use types::{
    ImageId, JsonMap, Timestamp,
    id::canonical,
    image::{ImageCopy, ImageName, ImageSource, ImageState, ImageSum, StoredImage},
    rpc::HostName,
};

/// How many nodes a refusal names.
const MOST_NAMED: usize = 5;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenImageGet, &Target::NONE)?;
    let rows = image::list(&call.state.db).await?;
    let rows: Vec<Value> = rows.iter().map(document).collect();
    Ok(Reply::ok(JsonWriter::document(&json!({"images": rows}))))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenImageGet, &Target::NONE)?;
    let row = find(&call).await?;
    let db = &call.state.db;
    let copies = match &row.content {
        Some(content) => image::copies_of(db, &content.id).await?,
        None => Vec::new(),
    };
    let users = image::users(db, &row.name).await?;
    let mut shown = document(&row);
    shown["copies"] = copies.iter().map(copy).collect();
    shown["nodes"] = users.iter().map(|(id, _)| id.to_string()).collect();
    Ok(Reply::ok(JsonWriter::document(&shown)))
}

pub(crate) async fn create(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &IMAGE)?;
    call.permit(Rule::CortenImageCreate, &Target::NONE)?;
    let body = args::object(body);
    let (row, source) = described(&call, &body)?;
    let is_upload = row.state == ImageState::Uploading;
    let name = row.name.clone();
    let mut row = match image::insert(&call.state.db, row, source).await? {
        Inserted::Row(row) => *row,
        Inserted::NameTaken => {
            return Err(ApiError::conflict(format!(
                "An image with name {name} already exists."
            )));
        }
        Inserted::TooMany => {
            let text = format!("There are {} images already.", image::MOST);
            return Err(ApiError::conflict(text));
        }
    };
    if is_upload {
        if let Err(fault) = call.state.conductor.begin_upload(row.id).await {
            // No conductor takes it, so the row goes.
            image::delete(&call.state.db, row.id).await?;
            return Err(fault.into());
        }
        row = found(&call, row.id).await?;
    }
    let location = format!("{}/corten/v1/images/{}", call.ctx.base, row.id);
    Ok(Reply::created(
        JsonWriter::document(&document(&row)),
        location,
    ))
}

/// Has an image fetched again.
pub(crate) async fn refresh(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenImageUpdate, &Target::NONE)?;
    let row = find(&call).await?;
    if row.origin.is_none() {
        return Err(ApiError::conflict(format!(
            "Image {} was uploaded and has no address to be fetched from.",
            row.name
        )));
    }
    image::requeue(&call.state.db, row.id).await?;
    Ok(Reply::accepted())
}

/// Takes a part of an image that the client sends.
pub(crate) async fn put_content(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &PART)?;
    call.permit(Rule::CortenImageCreate, &Target::NONE)?;
    let mut body = args::object(body);
    let row = find(&call).await?;
    let (ImageState::Uploading, Some(holder)) = (row.state, &row.holder) else {
        let why = row.last_error.map(|why| format!(": {why}"));
        return Err(ApiError::conflict(format!(
            "Image {} does not wait for an upload: it is {}{}",
            row.name,
            row.state,
            why.unwrap_or_default()
        )));
    };
    let offset = body.get("offset").and_then(Value::as_u64).unwrap_or(0);
    let data = match body.remove("data") {
        Some(Value::String(data)) => data,
        _ => String::new(),
    };
    let host = HostName(holder.host.clone());
    let conductor = &call.state.conductor;
    let received = conductor.upload_part(host, row.id, offset, data).await?;
    let document = json!({"received": received, "size": row.total_bytes});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["force"])?;
    let is_forced = args.boolean("force")?.unwrap_or(false);
    call.permit(Rule::CortenImageDelete, &Target::NONE)?;
    let row = find(&call).await?;
    let users = image::users(&call.state.db, &row.name).await?;
    if !users.is_empty() && !is_forced {
        let named = users.iter().take(MOST_NAMED);
        let named: Vec<String> = named
            .map(|(id, name)| name.clone().unwrap_or_else(|| id.to_string()))
            .collect();
        let more = if users.len() > MOST_NAMED {
            ", …"
        } else {
            ""
        };
        return Err(ApiError::conflict(format!(
            "Image {} is the instance's image of {} nodes: {}{more}. They could not be rebuilt; \
             say force to remove it all the same.",
            row.name,
            users.len(),
            named.join(", "),
        )));
    }
    image::delete(&call.state.db, row.id).await?;
    Ok(Reply::no_content())
}

/// A new image as a body describes it.
fn described(call: &Call, body: &JsonMap) -> Result<(StoredImage, ImageSource), ApiError> {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let name: ImageName = text("name")
        .unwrap_or_default()
        .parse()
        .map_err(|error: types::image::BadImageName| ApiError::invalid(error.to_string()))?;
    let refused = |name: &str, why: String| ApiError::invalid(format!("{name}: {why}"));
    let checksum = text("checksum").map(str::parse::<ImageSum>).transpose();
    let checksum = checksum.map_err(|error| refused("checksum", error.to_string()))?;
    let address = |name: &str| -> Result<Option<Url>, ApiError> {
        let given = text(name).map(|given| address(call, given));
        given.transpose().map_err(|why| refused(name, why))
    };
    let (url, list) = (address("url")?, address("checksum_url")?);
    let size = body.get("size").and_then(Value::as_u64);
    if checksum.is_some() && list.is_some() {
        return Err(ApiError::invalid("Say one of checksum and checksum_url."));
    }
    let is_upload = match (&url, size, &checksum) {
        (Some(_), None, _) => false,
        (None, Some(_), Some(sum)) if sum.content().is_some() => true,
        _ => {
            return Err(ApiError::invalid(
                "Say where the image is (url), or send it: then say how large it is (size) and \
                 its SHA-256 (checksum).",
            ));
        }
    };
    let shown = |url: &Url| {
        let mut plain = url.clone();
        plain.set_query(None);
        plain.set_fragment(None);
        plain.to_string()
    };
    let row = StoredImage {
        id: ImageId::generate(),
        version: 0,
        name,
        origin: url.as_ref().map(shown),
        checksum_origin: list.as_ref().map(shown),
        checksum: checksum.map(|sum| sum.as_str().to_owned()),
        source: Value::Null,
        state: match is_upload {
            true => ImageState::Uploading,
            false => ImageState::Queued,
        },
        content: None,
        holder: None,
        done_bytes: 0,
        total_bytes: size,
        last_error: None,
        created_at: Timestamp::now(),
        updated_at: None,
    };
    let source = ImageSource {
        url: url.map(String::from),
        checksum_url: list.map(String::from),
    };
    Ok((row, source))
}

/// An address that a conductor may be sent to. What it leads to is judged again when it is used.
fn address(call: &Call, given: &str) -> Result<Url, String> {
    // Parsing would leave them out, and what is shown would not be what is used.
    if given.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Err("it must not hold spaces or control characters".to_owned());
    }
    let url = Url::parse(given).map_err(|error| format!("it is no URL: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it has a user or a password in it, which are kept in [deploy]image_server_user and image_server_password".to_owned());
    }
    match url.scheme() {
        "file" => Ok(url),
        "http" | "https" => {
            let judged = call.state.settings.webhooks.outbound.check(&url);
            judged.map_err(|refused| refused.to_string())?;
            Ok(url)
        }
        _ => Err("only http, https and file are served".to_owned()),
    }
}

async fn find(call: &Call) -> Result<StoredImage, ApiError> {
    let ident = call.param("image");
    let db = &call.state.db;
    let found = match (canonical::<ImageId>(ident), ident.parse::<ImageName>()) {
        (Some(id), _) => image::find(db, id).await?,
        (None, Ok(name)) => image::named(db, &name).await?,
        (None, Err(_)) => None,
    };
    found.ok_or_else(|| not_found(ident))
}

async fn found(call: &Call, id: ImageId) -> Result<StoredImage, ApiError> {
    let row = image::find(&call.state.db, id).await?;
    row.ok_or_else(|| not_found(&id.to_string()))
}

fn not_found(ident: &str) -> ApiError {
    ApiError::not_found(format!("Image {ident} could not be found."))
}

fn document(row: &StoredImage) -> Value {
    let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let content = row.content.as_ref();
    json!({
        "uuid": row.id,
        "name": row.name,
        "state": row.state,
        "url": row.origin,
        "checksum": row.checksum,
        "checksum_url": row.checksum_origin,
        "sha256": content.map(|content| &content.id),
        "size": content.map(|content| content.size),
        "survey": content.map(|content| &content.survey),
        "fetched_at": time(content.map(|content| content.fetched_at)),
        "conductor": row.holder.as_ref().map(|holder| &holder.host),
        "done_bytes": row.done_bytes,
        "total_bytes": row.total_bytes,
        "last_error": row.last_error,
        "created_at": row.created_at.to_string(),
        "updated_at": time(row.updated_at),
    })
}

fn copy(copy: &ImageCopy) -> Value {
    json!({
        "conductor": copy.conductor,
        "url": copy.url,
        "created_at": copy.created_at.to_string(),
    })
}
