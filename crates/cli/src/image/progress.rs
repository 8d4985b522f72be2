//! Staying until the service has an image, with how far it is in sight.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::{about, architectures, one};
use crate::Session;
use crate::console::ERASE;
use crate::error::Error;
use crate::watch::status::{self, text};

/// How often the service is asked.
const PAUSE: Duration = Duration::from_secs(1);

/// Waits until an image is ready, and says what it is.
pub(super) async fn follow(session: &mut Session, image: &str) -> Result<(), Error> {
    let mut told = PrintedProgress::default();
    loop {
        let shown = session.client.send(&one(Method::GET, image)?).await;
        let shown = shown.map_err(|error| about(error, image))?;
        match text(&shown, "state").as_str() {
            "ready" => {
                told.end(session)?;
                let error = text(&shown, "last_error");
                if !error.is_empty() {
                    let text = format!("it stays what it was: {error}");
                    return Err(about(Error::failed(text), image));
                }
                return session.console.line(&summary(&shown));
            }
            "failed" => {
                told.end(session)?;
                let error = Error::failed(text(&shown, "last_error"));
                let hint = format!("`corten image refresh {image}` tries again");
                return Err(about(error, image).with_hint(hint));
            }
            state => told.say(session, image, state, &shown)?,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// What was said already: a terminal has one line that changes, a file a line for every tenth.
#[derive(Debug, Default)]
pub(super) struct PrintedProgress {
    tenth: Option<u64>,
    state: String,
}

impl PrintedProgress {
    pub(super) fn say(
        &mut self,
        session: &mut Session,
        image: &str,
        state: &str,
        shown: &Value,
    ) -> Result<(), Error> {
        let (done, total) = (number(shown, "done_bytes"), number(shown, "total_bytes"));
        let told = status::written(&json!({"phase": state, "bytes": done, "total": total}));
        if session.console.width.is_some() {
            return session.console.print(&format!("{ERASE}{image}  {told}"));
        }
        let tenth = total
            .filter(|total| *total > 0)
            .map(|total| done.unwrap_or(0).saturating_mul(10) / total);
        if tenth != self.tenth || state != self.state {
            (self.tenth, self.state) = (tenth, state.to_owned());
            session.console.note(&format!("{image}  {told}"));
        }
        Ok(())
    }

    /// Whatever comes next begins on a line of its own.
    pub(super) fn end(&self, session: &mut Session) -> Result<(), Error> {
        match session.console.width {
            Some(_) => session.console.print(ERASE),
            None => Ok(()),
        }
    }
}

fn number(image: &Value, key: &str) -> Option<u64> {
    image.get(key)?.as_u64()
}

/// `debian-13 is ready: qcow2, x86_64, boots by BIOS and UEFI, sha256 …`.
pub(super) fn summary(image: &Value) -> String {
    let survey = image.get("survey").unwrap_or(&Value::Null);
    let mut parts = vec![text(survey, "format")];
    parts.push(architectures(image));
    let boots = |kind: &str| survey.pointer(&format!("/{kind}/boots")) == Some(&json!("yes"));
    parts.push(match (boots("bios"), boots("uefi")) {
        (true, true) => "boots by BIOS and UEFI".to_owned(),
        (true, false) => "boots by BIOS".to_owned(),
        (false, true) => "boots by UEFI".to_owned(),
        (false, false) => String::new(),
    });
    parts.push(format!("sha256 {}", text(image, "sha256")));
    parts.retain(|part| !part.is_empty());
    format!("{} is ready: {}", text(image, "name"), parts.join(", "))
}
