//! `GET /corten/v1/shadow`: how the answers of this service compare with those of the Ironic whose copy
//! it shows (`corten shadow`). Null where it is the shadow of none.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
};
use serde_json::json;

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenShadowGet, &Target::NONE)?;
    let shadow = call.state.shadow.as_ref().map(|shadow| shadow.report());
    Ok(Reply::ok(JsonWriter::document(&json!({"shadow": shadow}))))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn administrators_of_the_system_see_that_this_is_no_shadow() {
        let service = Service::guarded();
        for (persona, status) in [
            ("admin@system", 200),
            ("reader@system", 403),
            ("admin@p1", 403),
        ] {
            let answer = service.get_as(persona, "/corten/v1/shadow").await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
            let is_told = answer.text == r#"{"shadow": null}"#;
            assert_eq!(is_told, status == 200, "{}", answer.text);
        }
    }
}
