//! `GET /corten/v1/openapi.json`: what this API is, for programs. Anybody may read it: it says
//! nothing about this service but its version.

use crate::{call::Call, error::ApiError, openapi, reply::Reply};
use std::sync::LazyLock;

/// The same for every request.
static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| openapi::document().to_string().into_bytes());

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    Ok(Reply::ok(TEXT.clone()))
}
