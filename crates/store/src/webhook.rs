//! The webhooks table, and who posts for which of them.
//!
//! Two kinds of writers share a row and never overwrite each other. A change of the webhook's
//! definition raises its version; a delivery process names the version it read and the lease it
//! holds, and writes only its progress. If its write is refused, it reads the row again.

mod dead_letter;

pub use dead_letter::{bury, dead_letters, mark_for_replay, next_replay, replayed};

use crate::{
    Db, StoreError,
    conn::{Conn, P, Reader, Row},
    fit::Widths,
};
use serde_json::Value;
use std::sync::LazyLock;
use types::{
    Timestamp, WebhookId,
    webhook::{Delivery, VerifyCa, Webhook, WebhookLease},
};

/// How many webhooks there may be: each is a reader of the whole log.
pub const MOST: i64 = 100;

const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "description",
    "url",
    "secret",
    "verify_ca",
    "kinds",
    "node_uuid",
    "project",
    "enabled",
    "disabled_reason",
    "log_position",
    "failures",
    "next_attempt",
    "last_error",
    "last_success",
    "holder",
    "generation",
    "beat",
    "created_at",
    "updated_at",
    "id",
];
static WIDTHS: LazyLock<Widths> = LazyLock::new(|| Widths::of("webhooks"));
static SELECT: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {} FROM webhooks", COLUMNS.join(", ")));

/// The webhook with this UUID.
pub async fn find(db: &Db, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
    db.get(move |conn| load(conn, id)).await
}

fn load(conn: &mut Conn, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
    let sql = format!("{} WHERE uuid = $1", *SELECT);
    conn.query_opt(&sql, &[id.to_string().into()], decode)
}

/// All webhooks in order of creation.
pub async fn list(db: &Db) -> Result<Vec<Webhook>, StoreError> {
    db.read(|conn| conn.query(&format!("{} ORDER BY id", *SELECT), &[], decode))
        .await
}

/// Stores a new webhook, whose secret is still open; `None` when there are too many already.
pub async fn insert(db: &Db, webhook: Webhook) -> Result<Option<Webhook>, StoreError> {
    let keys = db.keys().clone();
    db.write(move |conn| {
        let count = conn.number("SELECT COUNT(*) FROM webhooks", &[])?;
        if count.unwrap_or(0) >= MOST {
            return Ok(None);
        }
        let id = webhook.id.to_string();
        let secret = keys.seal(&webhook.secret, &id)?;
        const INSERT: &str = "INSERT INTO webhooks (uuid, version, description, url, secret, \
            verify_ca, kinds, node_uuid, project, enabled, log_position, failures, generation, \
            beat, created_at) \
            VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 0, $11)";
        let mut values: Vec<P<'_>> = vec![id.as_str().into()];
        values.extend(described(&webhook, &secret));
        values.push(webhook.delivery.cursor.into());
        values.push(webhook.created_at.into());
        WIDTHS.check(&INSERTED, &values)?;
        conn.execute(INSERT, &values)?;
        load(conn, webhook.id)
    })
    .await
}

/// The columns of an insert, for what does not fit.
static INSERTED: [&str; 9] = [
    "uuid",
    "description",
    "url",
    "secret",
    "verify_ca",
    "kinds",
    "node_uuid",
    "project",
    "enabled",
];

/// What a webhook is, in the order of [`INSERTED`].
fn described<'w>(webhook: &'w Webhook, secret: &'w Value) -> [P<'w>; 8] {
    let kinds: Vec<&str> = webhook.kinds.iter().map(|kind| kind.as_str()).collect();
    [
        webhook.description.as_deref().into(),
        (&webhook.url).into(),
        P::json(secret),
        match &webhook.verify_ca {
            VerifyCa::System => "true".into(),
            VerifyCa::Nothing => "false".into(),
            VerifyCa::Authorities(pem) => pem.into(),
        },
        P::json(&kinds),
        webhook.node.map(|id| id.to_string()).into(),
        webhook.project.as_deref().into(),
        webhook.enabled.into(),
    ]
}

/// Writes what a webhook is, if its row still has the version `webhook.version`. A secret that is
/// not given stays as it was. Whatever kept the webhook from being served is forgotten.
pub async fn update(
    db: &Db,
    webhook: Webhook,
    secret: Option<String>,
) -> Result<Webhook, StoreError> {
    let keys = db.keys().clone();
    db.write(move |conn| {
        let id = webhook.id.to_string();
        let sealed = match &secret {
            Some(secret) => keys.seal(&Value::from(secret.as_str()), &id)?,
            None => webhook.secret.clone(),
        };
        const UPDATE: &str = "UPDATE webhooks SET description = $1, url = $2, secret = $3, \
            verify_ca = $4, kinds = $5, node_uuid = $6, project = $7, enabled = $8, \
            disabled_reason = NULL, failures = 0, next_attempt = NULL, version = version + 1, \
            updated_at = $9 WHERE uuid = $10 AND version = $11";
        let mut values = described(&webhook, &sealed).to_vec();
        values.push(Timestamp::now().into());
        values.push(id.as_str().into());
        WIDTHS.check(&INSERTED[1..], &values)?;
        values.push(webhook.version.into());
        match (conn.execute(UPDATE, &values)?, load(conn, webhook.id)?) {
            (_, None) => Err(StoreError::NotFound),
            (0, Some(_)) => Err(StoreError::Stale),
            (_, Some(changed)) => Ok(changed),
        }
    })
    .await
}

/// Removes a webhook and what could not be delivered to it.
pub async fn delete(db: &Db, id: WebhookId) -> Result<(), StoreError> {
    db.write(move |conn| {
        let id = id.to_string();
        let letters = "DELETE FROM webhook_dead_letters WHERE webhook_uuid = $1";
        conn.execute(letters, &[(&id).into()])?;
        conn.execute_on("DELETE FROM webhooks WHERE uuid = $1", &[(&id).into()])
    })
    .await
}

/// Has everything behind a cursor delivered again.
pub async fn seek(db: &Db, id: WebhookId, cursor: i64) -> Result<(), StoreError> {
    db.write(move |conn| {
        const SEEK: &str = "UPDATE webhooks SET log_position = $1, failures = 0, \
            next_attempt = NULL, version = version + 1 WHERE uuid = $2";
        conn.execute_on(SEEK, &[cursor.into(), id.to_string().into()])
    })
    .await
}

/// What a webhook's deliveries are signed with.
pub fn secret_of(db: &Db, webhook: &Webhook) -> Result<String, StoreError> {
    let open = db.keys().open(&webhook.secret, &webhook.id.to_string())?;
    match open {
        Value::String(secret) => Ok(secret),
        _ => Err(StoreError::Secret(
            "the secret of a webhook is not text".into(),
        )),
    }
}

/// Takes the lease of a webhook in the state that was read: free, or held by a dead process. False
/// when that state has changed.
pub async fn claim(
    db: &Db,
    id: WebhookId,
    seen: &WebhookLease,
    me: &str,
) -> Result<bool, StoreError> {
    let (seen, me) = (seen.clone(), me.to_owned());
    db.write(move |conn| {
        // Two statements, as NULL equals nothing.
        let holder = match &seen.holder {
            Some(_) => "holder IS NOT NULL",
            None => "holder IS NULL",
        };
        let sql = format!(
            "UPDATE webhooks SET holder = $1, generation = generation + 1, beat = 0 \
             WHERE uuid = $2 AND generation = $3 AND beat = $4 AND {holder}"
        );
        let params = [
            (&me).into(),
            id.to_string().into(),
            seen.generation.into(),
            seen.beat.into(),
        ];
        Ok(conn.execute(&sql, &params)? > 0)
    })
    .await
}

/// Renews every lease that is still `me`'s.
pub async fn renew(db: &Db, me: &str) -> Result<(), StoreError> {
    let me = me.to_owned();
    db.write(move |conn| {
        let sql = "UPDATE webhooks SET beat = beat + 1 WHERE holder = $1";
        conn.execute(sql, &[(&me).into()]).map(|_| ())
    })
    .await
}

/// Gives all leases back.
pub async fn release(db: &Db, me: &str) -> Result<(), StoreError> {
    let me = me.to_owned();
    db.write(move |conn| {
        let sql = "UPDATE webhooks SET holder = NULL WHERE holder = $1";
        conn.execute(sql, &[(&me).into()]).map(|_| ())
    })
    .await
}

/// The right to write how far a webhook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    pub id: WebhookId,
    /// The version of the row that the poster works by.
    pub version: i64,
    pub holder: String,
    pub generation: i64,
}

impl Fence {
    fn params(&self) -> [P<'_>; 4] {
        [
            self.id.to_string().into(),
            self.version.into(),
            (&self.holder).into(),
            self.generation.into(),
        ]
    }
}

/// Everything up to `cursor` is done; `delivered` tells whether some of it was delivered.
pub async fn advance(
    db: &Db,
    fence: &Fence,
    cursor: i64,
    delivered: bool,
) -> Result<(), StoreError> {
    let fence = fence.clone();
    db.write(move |conn| {
        if !delivered {
            const SKIP: &str = "UPDATE webhooks SET log_position = $1 \
                WHERE uuid = $2 AND version = $3 AND holder = $4 AND generation = $5";
            return fenced(conn, SKIP, &fence, &[cursor.into()]);
        }
        const DONE: &str = "UPDATE webhooks SET log_position = $1, failures = 0, \
            next_attempt = NULL, last_error = NULL, last_success = $2 \
            WHERE uuid = $3 AND version = $4 AND holder = $5 AND generation = $6";
        let values = [cursor.into(), Timestamp::now().into()];
        fenced(conn, DONE, &fence, &values)
    })
    .await
}

/// The event behind `cursor` could not be delivered and is tried again.
pub async fn postpone(
    db: &Db,
    fence: &Fence,
    cursor: i64,
    failures: i64,
    next_attempt: Timestamp,
    error: &str,
) -> Result<(), StoreError> {
    let (fence, error) = (fence.clone(), error.to_owned());
    db.write(move |conn| {
        const LATER: &str = "UPDATE webhooks SET log_position = $1, failures = $2, \
            next_attempt = $3, last_error = $4 \
            WHERE uuid = $5 AND version = $6 AND holder = $7 AND generation = $8";
        let values = [
            cursor.into(),
            failures.into(),
            next_attempt.into(),
            (&error).into(),
        ];
        fenced(conn, LATER, &fence, &values)
    })
    .await
}

/// Disables the webhook until a user enables it again.
pub async fn disable(db: &Db, fence: &Fence, reason: &str) -> Result<(), StoreError> {
    let (fence, reason) = (fence.clone(), reason.to_owned());
    db.write(move |conn| {
        const OFF: &str = "UPDATE webhooks SET enabled = $1, disabled_reason = $2, \
            version = version + 1 \
            WHERE uuid = $3 AND version = $4 AND holder = $5 AND generation = $6";
        fenced(conn, OFF, &fence, &[false.into(), (&reason).into()])
    })
    .await
}

/// Runs a statement whose last four values are those of the fence.
fn fenced(conn: &mut Conn, sql: &str, fence: &Fence, values: &[P<'_>]) -> Result<(), StoreError> {
    let mut params = values.to_vec();
    params.extend(fence.params());
    match conn.execute(sql, &params)? {
        0 => Err(StoreError::Stale),
        _ => Ok(()),
    }
}

fn decode(row: &Row<'_>) -> Result<Webhook, StoreError> {
    let r = &mut Reader::new(row, "webhooks", COLUMNS);
    let mut webhook = Webhook {
        id: r.parsed()?,
        version: r.int()?,
        description: r.opt_text()?,
        url: r.text()?,
        secret: r.json()?,
        verify_ca: match r.text()?.as_str() {
            "true" => VerifyCa::System,
            "false" => VerifyCa::Nothing,
            pem => VerifyCa::Authorities(pem.to_owned()),
        },
        kinds: r.json()?,
        node: r.opt_parsed()?,
        project: r.opt_text()?,
        enabled: r.boolean()?,
        disabled_reason: r.opt_text()?,
        delivery: Delivery {
            cursor: r.int()?,
            failures: r.int()?,
            next_attempt: r.opt_time()?,
            last_error: r.opt_text()?,
            last_success: r.opt_time()?,
            lease: WebhookLease {
                holder: r.opt_text()?,
                generation: r.int()?,
                beat: r.int()?,
            },
        },
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        row: 0,
    };
    webhook.row = r.int()?;
    Ok(webhook)
}
