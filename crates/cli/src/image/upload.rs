//! Sending an image from here, part by part.
//!
//! The file is read twice: once for its sum, which the service checks the parts against, and once to
//! be sent. What fails on the way is removed again, so that the name is free.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::progress::{PrintedProgress, summary};
use super::{about, one};
use crate::Session;
use crate::client::Call;
use crate::error::Error;

/// Bytes in a part: in base64 it fits into the smallest body that the service takes by default.
const PART: usize = 512 << 10;

/// Sends a file as the image of this name.
pub(super) async fn send(
    session: &mut Session,
    name: &str,
    path: &Path,
    expected: Option<&str>,
) -> Result<(), Error> {
    let unreadable =
        |error: std::io::Error| Error::usage(format!("cannot read {}: {error}", path.display()));
    session.console.note(&format!("reading {}", path.display()));
    let (sum, size) = summed(path).map_err(unreadable)?;
    if let Some(expected) = expected
        && !expected.eq_ignore_ascii_case(&sum)
    {
        return Err(Error::usage(format!(
            "the SHA-256 of {} is {sum}",
            path.display()
        )));
    }
    let body = json!({"name": name, "size": size, "checksum": format!("sha256:{sum}")});
    let call = Call::own(Method::POST, &["images"])?.body(body);
    let made = session.client.send(&call).await;
    made.map_err(|error| about(error, name))?;
    let mut told = PrintedProgress::default();
    let sent = parts(session, name, path, size, &mut told).await;
    told.end(session)?;
    match sent {
        Ok(()) => {
            let shown = session.client.send(&one(Method::GET, name)?).await?;
            session.console.line(&summary(&shown))
        }
        Err(error) => {
            // A half image is of no use; if this fails too, the first error is the one to tell.
            let _ = session.client.send(&one(Method::DELETE, name)?).await;
            Err(about(error, name))
        }
    }
}

fn summed(path: &Path) -> std::io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let (mut hasher, mut size) = (Sha256::new(), 0);
    let mut chunk = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        hasher.update(chunk.get(..read).unwrap_or_default());
        size += read as u64;
    }
    let digits = hasher.finalize();
    let digits = digits.iter().map(|byte| format!("{byte:02x}"));
    Ok((digits.collect(), size))
}

async fn parts(
    session: &mut Session,
    name: &str,
    path: &Path,
    size: u64,
    told: &mut PrintedProgress,
) -> Result<(), Error> {
    let unreadable =
        |error: std::io::Error| Error::failed(format!("cannot read {}: {error}", path.display()));
    let mut file = File::open(path).map_err(unreadable)?;
    let mut sent = 0;
    loop {
        let mut part = Vec::new();
        let read = file.by_ref().take(PART as u64).read_to_end(&mut part);
        read.map_err(unreadable)?;
        if part.is_empty() && sent > 0 {
            return Err(Error::failed("the file changed while it was sent"));
        }
        let data = BASE64_STANDARD.encode(&part);
        let call = Call::own(Method::PUT, &["images", name, "content"])?;
        let call = call.body(json!({"offset": sent, "data": data}));
        let answer = session.client.send(&call).await?;
        sent += part.len() as u64;
        let received = answer.get("received").and_then(Value::as_u64);
        if received != Some(sent) {
            return Err(Error::failed("the service lost a part of it"));
        }
        if sent >= size {
            return Ok(());
        }
        let shown = json!({"done_bytes": sent, "total_bytes": size});
        told.say(session, name, "sending", &shown)?;
    }
}
