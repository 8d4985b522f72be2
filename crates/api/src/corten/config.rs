//! `GET /corten/v1/config`: the configuration of the process that answers, and where each value is
//! from. Secrets are masked before they come here.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    settings::ShownOption,
};
use serde_json::{Value, json};

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenConfigGet, &Target::NONE)?;
    let settings = &call.state.settings;
    let options: Vec<Value> = settings.shown_options.iter().map(document).collect();
    let document = json!({
        "host": settings.host,
        "role": settings.role,
        "version": env!("CARGO_PKG_VERSION"),
        "options": options,
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

fn document(option: &ShownOption) -> Value {
    json!({
        "section": option.section,
        "name": option.name,
        "values": option.values,
        "is_masked": option.is_masked,
        "is_set": option.is_set,
        "source": option.source,
        "default": option.default,
        "about": option.about,
        "effect": option.effect,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn administrators_of_the_system_see_the_configuration() {
        let service = Service::guarded();
        for (persona, status) in [
            ("admin@system", 200),
            ("reader@system", 403),
            ("admin@p1", 403),
        ] {
            let answer = service.get_as(persona, "/corten/v1/config").await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
    }
}
