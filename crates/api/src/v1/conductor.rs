//! `conductors`: who does the work.

use crate::{
    args,
    call::Call,
    error::ApiError,
    page::{self, Paging},
    policy::{Rule, Target},
    reply::Reply,
    v1::collection::{self, Collection},
    view::conductor::{DEFAULT_FIELDS, FIELDS, QUERYABLE, Shown},
};
use serde_json::Value;
use types::{Timestamp, member::Member, version::since};

const UNSORTABLE: &[&str] = &["alive", "drivers"];

const KIND: Collection<Shown> = Collection {
    name: "conductors",
    fields: FIELDS,
    id: |row| row.member.hostname.clone(),
};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    available(&call)?;
    let args = call.args(&[
        "marker", "limit", "sort_key", "sort_dir", "fields", "detail",
    ])?;
    let marker = args.string("marker")?;
    args.integer("limit")?;
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    call.permit(Rule::ConductorGet, &Target::NONE)?;
    let fields = page::wanted_fields(&call, fields, detail, DEFAULT_FIELDS)?;
    collection::check_direction(&args)?;
    let paging = Paging::read(&call, &args, marker, UNSORTABLE)?;
    let rows = store::member::list(&call.state.db, paging.page())
        .await
        .map_err(|error| paging.refused(error, not_found))?;
    let rows: Vec<Shown> = rows.into_iter().map(|row| shown(&call, row)).collect();
    Ok(KIND.page(&call, KIND.name, &paging, fields.as_deref(), detail, &rows))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    available(&call)?;
    let fields = call.args(&["fields"])?.string_list("fields")?;
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    show(&call, fields.as_deref()).await
}

/// One attribute, named in the path.
pub(crate) async fn get_part(call: Call) -> Result<Reply, ApiError> {
    available(&call)?;
    call.no_args()?;
    let fields = args::string_list("fields", &Value::from(call.param("part")))?;
    show(&call, Some(&fields)).await
}

async fn show(call: &Call, fields: Option<&[String]>) -> Result<Reply, ApiError> {
    call.permit(Rule::ConductorGet, &Target::NONE)?;
    let hostname = call.param("conductor");
    let member = store::member::find(&call.state.db, hostname)
        .await?
        .ok_or_else(|| not_found(hostname))?;
    collection::check_known(fields, FIELDS)?;
    let shown = shown(call, member);
    Ok(Reply::ok(KIND.document(call, fields, &shown)))
}

fn available(call: &Call) -> Result<(), ApiError> {
    if call.version() < since::CONDUCTORS {
        return Err(ApiError::not_in_this_version());
    }
    Ok(())
}

fn not_found(hostname: &str) -> ApiError {
    ApiError::not_found(format!("Conductor {hostname} could not be found."))
}

/// Whether the conductor is alive is for display only: who may take over its work is decided
/// without the wall clock. That is asked only where nobody watches the conductor.
fn shown(call: &Call, member: Member) -> Shown {
    if let Some(alive) = call.state.conductor.is_alive(&member.hostname) {
        return Shown { alive, member };
    }
    let seen = member.updated_at.unwrap_or(member.created_at);
    let silent = Timestamp::now().seconds_since(seen);
    let limit = i64::try_from(call.state.settings.heartbeat_timeout_s).unwrap_or(i64::MAX);
    Shown {
        alive: member.online && silent <= limit,
        member,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Settings, testing::Service};
    use serde_json::json;
    use store::member::Registration;

    async fn service(settings: Settings) -> Service {
        let service = Service::with(settings);
        for hostname in ["cond1", "cond2"] {
            let new = Registration {
                hostname: hostname.into(),
                conductor_group: "g".into(),
                drivers: vec!["fake-hardware".into()],
                interfaces: Vec::new(),
                url: None,
            };
            store::member::register(&service.db, new).await.unwrap();
        }
        service
    }

    #[tokio::test]
    async fn conductors_are_paged_by_host_name() {
        let service = service(Settings::default()).await;
        let page = service.get("/v1/conductors?limit=1", 49).await.json();
        assert_eq!(page["conductors"][0]["hostname"], "cond1");
        assert_eq!(page["conductors"][0]["alive"], true);
        assert_eq!(page["conductors"][0]["drivers"], json!(null));
        let next = "http://h:6385/v1/conductors?sort_key=id&sort_dir=asc&fields=hostname,conductor_group,alive&limit=1&marker=cond1";
        assert_eq!(page["next"], next);
        let rest = service
            .get("/v1/conductors?marker=cond1&detail=true", 49)
            .await;
        let rest = rest.json();
        assert_eq!(rest["conductors"].as_array().unwrap().len(), 1);
        assert_eq!(rest["conductors"][0]["drivers"], json!(["fake-hardware"]));
        let one = service
            .get("/v1/conductors/cond2?fields=conductor_group", 49)
            .await;
        let one = one.json();
        assert_eq!(one["conductor_group"], "g");
        assert_eq!(one.as_object().unwrap().len(), 2);
    }

    #[tokio::test]
    async fn a_conductor_that_signed_off_is_not_alive() {
        let service = service(Settings::default()).await;
        let new = Registration {
            hostname: "cond3".into(),
            conductor_group: String::new(),
            drivers: Vec::new(),
            interfaces: Vec::new(),
            url: None,
        };
        let holder = store::member::register(&service.db, new).await.unwrap();
        store::member::sign_off(&service.db, &holder).await.unwrap();
        let shown = service.get("/v1/conductors/cond3", 115).await.json();
        assert_eq!(shown["alive"], false);
    }

    #[tokio::test]
    async fn what_cannot_be_found() {
        let service = service(Settings::default()).await;
        for (path, minor, status, text) in [
            ("", 48, 404, "The API is not supported for this version"),
            ("/nope", 115, 404, "Conductor nope could not be found."),
            (
                "?marker=nope",
                115,
                404,
                "Conductor nope could not be found.",
            ),
            (
                "?sort_key=alive",
                115,
                400,
                "The sort_key value alive is an invalid field for sorting",
            ),
            (
                "?fields=bogus",
                115,
                400,
                "Schema error: 'bogus' is not one of ['alive', 'conductor_group', 'created_at', 'drivers', 'hostname', 'links', 'updated_at']",
            ),
        ] {
            let answer = service.get(&format!("/v1/conductors{path}"), minor).await;
            let got = (answer.status.as_u16(), answer.fault());
            assert_eq!((got.0, got.1.as_str()), (status, text), "{path}");
        }
    }
}
