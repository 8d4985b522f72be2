//! `vendor_passthru`: methods that only one driver has, and their list.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
    v1::{legacy, subject},
};
use serde_json::{Value, json};
use types::rpc::{DriverName, VendorAnswer};

pub(crate) async fn methods(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeVendorPassthru).await?;
    let methods = call.state.conductor.vendor_methods(node.id).await?;
    let document: Value = methods
        .into_iter()
        .map(|method| {
            let about = json!({
                "http_methods": method.http_methods,
                "async": method.r#async,
                "description": method.description,
                "attach": method.attach,
                "require_exclusive_lock": method.require_exclusive_lock,
            });
            (method.name, about)
        })
        .collect::<types::JsonMap>()
        .into();
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// Calls the method that the path names.
pub(crate) async fn call_method(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    run(&call, call.param("method"), body).await
}

/// Calls the method that the query names.
pub(crate) async fn call_by_query(call: Call) -> Result<Reply, ApiError> {
    let (body, args) = call.body_and_args(&["method"])?;
    args.require("method")?;
    let method = args.string("method")?.unwrap_or_default();
    run(&call, method, body).await
}

async fn run(call: &Call, method: &str, body: Value) -> Result<Reply, ApiError> {
    if legacy::is_method(call, method) {
        return legacy::report(call, method, body).await;
    }
    let node = subject::node_for(call, Rule::NodeVendorPassthru).await?;
    let arguments = match body {
        Value::Object(map) => map,
        Value::Null => types::JsonMap::new(),
        Value::Array(items) if items.is_empty() => types::JsonMap::new(),
        other => {
            let methods = call.state.conductor.vendor_methods(node.id).await?;
            if !methods.iter().any(|known| known.name == method) {
                return Err(no_handler(method));
            }
            return Err(ApiError::invalid(format!(
                "The request body must be a JSON object, not {}",
                types::pyrepr::repr(&other)
            )));
        }
    };
    let verb = call.method.as_str().to_owned();
    let caller = &call.ctx.caller;
    let answer = call
        .state
        .conductor
        .vendor_call(caller, node.id, method.to_owned(), verb, arguments)
        .await?;
    Ok(match answer {
        VendorAnswer::Accepted => Reply::accepted(),
        VendorAnswer::Done(value) => Reply::ok(JsonWriter::document(&value)),
    })
}

/// The methods of a driver itself: no driver of this build has any.
pub(crate) async fn driver_methods(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    known_driver(&call).await?;
    Ok(Reply::ok(JsonWriter::document(&json!({}))))
}

pub(crate) async fn driver_call(call: Call) -> Result<Reply, ApiError> {
    call.refuse_query()?;
    if legacy::is_lookup(&call) {
        return legacy::lookup(&call).await;
    }
    known_driver(&call).await?;
    Err(no_handler(call.param("method")))
}

fn no_handler(method: &str) -> ApiError {
    ApiError::invalid(format!("No handler for method {method}"))
}

pub(crate) async fn driver_no_method(_: Call) -> Result<Reply, ApiError> {
    Err(ApiError::missing_parameter("method"))
}

async fn known_driver(call: &Call) -> Result<(), ApiError> {
    call.permit(Rule::DriverVendorPassthru, &Target::NONE)?;
    let driver = DriverName(call.param("driver").to_owned());
    call.state.conductor.driver_properties(driver).await?;
    Ok(())
}
