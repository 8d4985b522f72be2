//! Calls between programs of two versions, while a cluster is upgraded host by host.
//!
//! A program of another version sends rows with fields that we do not have, or without fields that
//! we have. Unknown fields must not be dropped silently: such a call is refused, and the client
//! retries when all hosts are upgraded. Missing fields must not be taken for empty: a changed row
//! keeps the stored values of fields that its sender does not know.
//!
//! Between programs of the same version these checks are skipped.

#[cfg(test)]
mod written;

use crate::call::Call;
use serde_json::{Map, Value};
use store::{Db, StoreError};

/// The version of this program in its calls: equal versions have equal types.
pub(crate) fn program() -> String {
    let schema = store::schema_version();
    format!("{} schema {schema}", env!("CARGO_PKG_VERSION"))
}

/// Why a call cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("invalid JSON in a cluster call")]
    Unreadable(#[from] serde_json::Error),
    #[error("unknown field {0} in a cluster call")]
    Unknown(String),
    #[error("cannot read the row of a cluster call from the database")]
    Store(#[from] StoreError),
}

/// Reads a call, whichever version wrote it.
pub(crate) async fn read(db: &Db, text: &[u8]) -> Result<Call, DecodeError> {
    let call = serde_json::from_slice::<Call>(text);
    if let Ok(call) = call
        && call.program == program()
    {
        return Ok(call);
    }
    let mut told: Value = serde_json::from_slice(text)?;
    complete(db, &mut told).await?;
    let call: Call = serde_json::from_value(told.clone())?;
    match lost(&told, &serde_json::to_value(&call)?) {
        Some(field) => Err(DecodeError::Unknown(field)),
        None => Ok(call),
    }
}

/// Adds the stored values of fields that the sender of a changed row does not know.
async fn complete(db: &Db, told: &mut Value) -> Result<(), StoreError> {
    let Some((method, row)) = changed_row(told) else {
        return Ok(());
    };
    let Some(Value::Object(stored)) = stored(db, method, row).await? else {
        return Ok(());
    };
    for (field, value) in stored {
        row.entry(field).or_insert(value);
    }
    Ok(())
}

/// The row that a call wants changed, and the method that says which kind of row it is.
fn changed_row(told: &mut Value) -> Option<(&'static str, &mut Map<String, Value>)> {
    const METHODS: &[&str] = &[
        "update_node",
        "update_port",
        "update_portgroup",
        "update_connector",
        "update_target",
    ];
    let request = told.get_mut("request")?.as_object_mut()?;
    let (method, arguments) = request.iter_mut().next()?;
    let method = METHODS.iter().find(|known| *known == method)?;
    let row = match *method {
        "update_node" => arguments.get_mut("node")?,
        _ => arguments.get_mut(0)?,
    };
    Some((method, row.as_object_mut()?))
}

async fn stored(
    db: &Db,
    method: &str,
    row: &Map<String, Value>,
) -> Result<Option<Value>, StoreError> {
    fn told<T: serde::Serialize>(row: Option<T>) -> Option<Value> {
        // A row that cannot be serialized is refused when the call is decoded.
        row.and_then(|row| serde_json::to_value(row).ok())
    }
    let id = row.get("id").and_then(Value::as_str).unwrap_or_default();
    macro_rules! find {
        ($find:path) => {
            match id.parse() {
                Ok(id) => told($find(db, id).await?),
                Err(_) => None,
            }
        };
    }
    Ok(match method {
        "update_node" => find!(store::node::find),
        "update_port" => find!(store::port::find),
        "update_portgroup" => find!(store::portgroup::find),
        "update_connector" => find!(store::volume::connector::find),
        _ => find!(store::volume::target::find),
    })
}

/// The first field of the call that was lost in decoding. Fields with empty values may be lost.
fn lost(told: &Value, understood: &Value) -> Option<String> {
    match (told, understood) {
        (Value::Object(told), Value::Object(understood)) => {
            told.iter().find_map(|(name, value)| {
                let deeper = match understood.get(name) {
                    Some(known) => lost(value, known)?,
                    None if says_nothing(value) => return None,
                    None => return Some(name.clone()),
                };
                Some(format!("{name}.{deeper}"))
            })
        }
        (Value::Array(told), Value::Array(understood)) => {
            told.iter().enumerate().find_map(|(index, value)| {
                let known = understood.get(index).unwrap_or(&Value::Null);
                if known.is_null() && !says_nothing(value) {
                    return Some(index.to_string());
                }
                Some(format!("{index}.{}", lost(value, known)?))
            })
        }
        _ => None,
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallTarget;
    use serde_json::json;
    use store::{KeyRing, Location, Upgrade, node::Log};
    use types::{
        Caller, Node, NodeId,
        rpc::{NodeUpdate, Request},
    };

    fn database(folder: &tempfile::TempDir) -> Db {
        let place = Location::Sqlite(folder.path().join("db"));
        Db::open(&place, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap()
    }

    fn call(request: Request) -> Value {
        let call = Call {
            program: program(),
            place: CallTarget::Anybody,
            who: Caller::service(),
            trace: None,
            request: Box::new(request),
        };
        serde_json::to_value(call).unwrap()
    }

    fn update(node: Node) -> Value {
        let base_version = node.version;
        call(Request::update_node(NodeUpdate {
            node,
            base_version,
            reset_interfaces: false,
        }))
    }

    async fn told(db: &Db, call: &Value) -> Result<Call, DecodeError> {
        read(db, call.to_string().as_bytes()).await
    }

    #[tokio::test]
    async fn a_row_keeps_what_its_sender_knows_nothing_of() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder);
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.owner = Some("them".into());
        node.protected = true;
        let node = store::node::insert(&db, node, Log::default())
            .await
            .unwrap();
        let mut changed = node.clone();
        changed.description = Some("new".into());
        changed.extra.insert("a".into(), json!(1));

        let mut older = update(changed.clone());
        older["program"] = json!("0.0.1 schema 1");
        let row = older["request"]["update_node"]["node"]
            .as_object_mut()
            .unwrap();
        // As if these two came with our version; one of them is needed to read the row at all.
        row.remove("owner").unwrap();
        row.remove("protected").unwrap();
        let Request::update_node(update) = *told(&db, &older).await.unwrap().request else {
            panic!("another call");
        };
        assert_eq!(update.node, changed);
    }

    #[tokio::test]
    async fn what_is_not_understood_is_refused_unless_it_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder);
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let node = store::node::insert(&db, node, Log::default())
            .await
            .unwrap();
        let mut newer = update(node);
        newer["program"] = json!("99.0.0 schema 99");
        newer["who"]["colour"] = json!(null);
        newer["request"]["update_node"]["node"]["wheels"] = json!(0);
        assert!(told(&db, &newer).await.is_ok());
        newer["request"]["update_node"]["node"]["wheels"] = json!(4);
        let refused = told(&db, &newer).await.unwrap_err().to_string();
        assert!(
            refused.contains("request.update_node.node.wheels"),
            "{refused}"
        );
        newer["request"] = json!({"fly": "away"});
        assert!(matches!(
            told(&db, &newer).await,
            Err(DecodeError::Unreadable(_))
        ));
    }

    #[tokio::test]
    async fn one_of_ours_is_taken_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let db = database(&folder);
        let id = NodeId::generate();
        let same = call(Request::set_traits(id, vec!["CUSTOM_A".into()]));
        let read = told(&db, &same).await.unwrap();
        assert_eq!(call(*read.request), same);
        // Those that say nothing about their version are of another one.
        let mut silent = same.clone();
        silent.as_object_mut().unwrap().remove("program");
        assert!(told(&db, &silent).await.is_ok());
    }

    #[test]
    fn lost_fields_are_found_wherever_they_are() {
        let found = |told: Value, understood: Value| lost(&told, &understood);
        assert_eq!(found(json!({"a": [1, 2]}), json!({"a": [1, 2]})), None);
        let shorter = found(json!({"a": [1, 2]}), json!({"a": [1]}));
        assert_eq!(shorter.as_deref(), Some("a.1"));
        let deep = found(json!([{"a": {"b": true}}]), json!([{"a": {}}]));
        assert_eq!(deep.as_deref(), Some("0.a.b"));
        assert_eq!(found(json!({"a": false}), json!({})), None);
    }
}
