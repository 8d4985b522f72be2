//! Managers that are programs: whoever builds a ramdisk adds one to a folder, and no rebuild of the
//! agent is needed.
//!
//! A program speaks the protocol of drivers from outside ([`proto::driver`]), as those of the service
//! do: it reads calls, one a line, from its standard input and writes the answers to its standard
//! output. It is started for each question, told all that it is to answer at once, and ends with its
//! input. What it does cannot be seen from here, so steps need a permit.

use super::{Call, Context, HardwareManager, Refusal, StepKind};
use crate::{AgentError, exec};
use async_trait::async_trait;
use proto::driver::{self, Answer, Code, Refusal as Said};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};
use types::JsonMap;

/// Where the programs are, under the root.
const FOLDER: &str = "etc/corten-agent/managers.d";

/// The calls of a hardware manager, besides those that every program has.
const STEPS: &str = "manager.steps";
const STEP: &str = "manager.step";

/// Timeout of a step: practically unlimited, since burn-in takes days.
const STEP_TIMEOUT: Duration = Duration::from_secs(30 * 24 * 3600);

/// A program that is a manager.
#[derive(Debug)]
pub struct External {
    program: PathBuf,
    class: String,
    name: String,
    version: String,
    support: u32,
}

impl External {
    /// The programs of the folder that answer, in the order of their names.
    pub async fn load(root: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(root.join(FOLDER)) else {
            return Vec::new();
        };
        let is_program = |path: &PathBuf| {
            fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        };
        let mut programs: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(is_program)
            .collect();
        programs.sort();
        let mut managers = Vec::new();
        for program in programs {
            match Self::open(&program).await {
                Ok(manager) => managers.push(manager),
                Err(error) => tracing::warn!(
                    "ignoring external hardware manager {}: {error}",
                    program.display()
                ),
            }
        }
        managers
    }

    async fn open(program: &Path) -> Result<Self, AgentError> {
        let answer = converse(program, None, exec::USUAL).await?;
        let answer = answer.map_err(|said| misbehaved(program, &said.message))?;
        let version = answer.get("protocol").and_then(Value::as_u64);
        if version != Some(driver::VERSION) {
            let what = format!(
                "it does not speak version {} of the protocol",
                driver::VERSION
            );
            return Err(misbehaved(program, &what));
        }
        let file = program.file_name().unwrap_or_default().to_string_lossy();
        let text = |key: &str, usual: &str| {
            let told = answer.get(key).and_then(Value::as_str);
            told.unwrap_or(usual).to_owned()
        };
        let level = answer.get("support").and_then(Value::as_u64);
        let level = level.ok_or_else(|| misbehaved(program, "no support level in its answer"))?;
        let name = text("name", &file);
        Ok(Self {
            program: program.to_owned(),
            class: text("class", &name),
            version: text("version", "0"),
            support: u32::try_from(level).unwrap_or(u32::MAX),
            name,
        })
    }
}

#[async_trait]
impl HardwareManager for External {
    fn class(&self) -> &str {
        &self.class
    }

    fn version(&self) -> (&str, &str) {
        (&self.name, &self.version)
    }

    async fn evaluate(&self, _context: &Context) -> u32 {
        self.support
    }

    async fn steps(
        &self,
        _context: &Context,
        kind: StepKind,
        node: &JsonMap,
        ports: &[Value],
    ) -> Result<Vec<JsonMap>, Refusal> {
        let question = json!({"kind": kind.as_str(), "node": node, "ports": ports});
        let call = Some((STEPS, question));
        let answer = match converse(&self.program, call, exec::USUAL).await? {
            Ok(answer) => answer,
            Err(said) if said.code == Code::Unsupported => return Err(Refusal::Incompatible),
            Err(said) => return Err(misbehaved(&self.program, &said.message).into()),
        };
        let odd = || {
            misbehaved(
                &self.program,
                "its steps are not a list of objects with a step",
            )
        };
        let list = answer
            .get("steps")
            .and_then(Value::as_array)
            .ok_or_else(odd)?;
        let step = |step: &Value| match step.as_object() {
            Some(step) if step.get("step").is_some_and(Value::is_string) => Ok(usual(step)),
            _ => Err(odd()),
        };
        Ok(list.iter().map(step).collect::<Result<_, _>>()?)
    }

    async fn call(&self, context: &Context, call: &Call<'_>) -> Result<Value, Refusal> {
        let Some(kind) = call.kind else {
            return Err(Refusal::Incompatible);
        };
        context.permit(call.method)?;
        let question = json!({
            "kind": kind.as_str(),
            "step": call.method,
            "node": call.node,
            "ports": call.ports,
            "args": call.args,
        });
        match converse(&self.program, Some((STEP, question)), STEP_TIMEOUT).await? {
            Ok(mut answer) => Ok(answer.remove("value").unwrap_or_default()),
            Err(said) if said.code == Code::Unsupported => Err(Refusal::Incompatible),
            Err(said) => {
                let (kind, message) = match kind {
                    StepKind::Clean => ("CleaningError", "Clean step failed"),
                    StepKind::Deploy => ("DeploymentError", "Deploy step failed"),
                    StepKind::Service => ("ServicingError", "Service step failed"),
                };
                Err(AgentError::failed(kind, message, said.message).into())
            }
        }
    }
}

/// A step with what the service wants to read in every one.
fn usual(step: &JsonMap) -> JsonMap {
    let mut full = step.clone();
    for (key, value) in [
        ("priority", json!(0)),
        ("interface", json!("deploy")),
        ("reboot_requested", json!(false)),
    ] {
        full.entry(key).or_insert(value);
    }
    full
}

/// Says hello, and makes a call after it. What comes back is the answer to the call, or to `hello`
/// if there is none.
async fn converse(
    program: &Path,
    call: Option<(&str, Value)>,
    limit: Duration,
) -> Result<Result<JsonMap, Said>, AgentError> {
    let role = json!({"protocol": driver::VERSION, "role": "hardware-manager"});
    let map = |value: Value| match value {
        Value::Object(map) => map,
        _ => JsonMap::new(),
    };
    let mut lines = driver::call(1, driver::HELLO, &map(role));
    let (mut method, mut awaited) = (driver::HELLO, 1);
    if let Some((asked, params)) = call {
        lines.extend(driver::call(2, asked, &map(params)));
        (method, awaited) = (asked, 2);
    }
    let text = exec::converse(program, method, &lines, limit).await?;
    let mut answers = text
        .lines()
        .filter_map(|line| Answer::parse(line.as_bytes()).ok())
        .filter(|answer| answer.id == awaited);
    let answer = answers.next().map(|answer| answer.outcome);
    answer.ok_or_else(|| misbehaved(program, &format!("it did not answer {method}")))
}

fn misbehaved(program: &Path, what: &str) -> AgentError {
    AgentError::failed(
        "HardwareManagerConfigurationError",
        "Hardware manager configuration error",
        format!("{}: {what}", program.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hardware::{Managers, support, tests::context},
        safety::Permit,
    };

    const PROGRAM: &str = r#"#!/bin/sh
while read -r call; do
  case $call in
  *'"method":"hello"'*) echo '{"id": 1, "result": {"protocol": 1, "support": 3, "name": "acme", "version": "7", "class": "Acme"}}' ;;
  *'"method":"manager.steps"'*) echo '{"id": 2, "result": {"steps": [{"step": "tune", "priority": 5}, {"step": "erase_devices"}]}}' ;;
  *'"step":"tune"'*) echo 'a line that is no answer'; echo '{"id": 2, "result": {"value": {"tuned": true}}}' ;;
  *'"step":"fail"'*) echo '{"id": 2, "error": {"code": "rejected", "message": "it broke"}}' ;;
  *'"step":"crash"'*) echo oops >&2; exit 3 ;;
  *'"step":"silent"'*) ;;
  *) echo '{"id": 2, "error": {"code": "unsupported", "message": "no"}}' ;;
  esac
done
"#;

    fn folder(programs: &[(&str, &str, u32)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        for (name, text, mode) in programs {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
        }
        root
    }

    #[tokio::test]
    async fn a_program_offers_steps_and_carries_them_out() {
        let root = folder(&[("acme", PROGRAM, 0o755)]);
        let mut found = External::load(root.path()).await;
        let mut context = context();
        let manager: Box<dyn HardwareManager> = Box::new(found.remove(0));
        assert_eq!(manager.version(), ("acme", "7"));
        let node = JsonMap::new();
        let steps = manager
            .steps(&context, StepKind::Clean, &node, &[])
            .await
            .unwrap();
        assert_eq!(steps[0]["step"], "tune");
        assert_eq!(steps[1]["priority"], 0);
        let managers = Managers::new(&context, vec![manager]).await;
        let call = |method| Call {
            method,
            kind: Some(StepKind::Clean),
            node: &node,
            ports: &[],
            args: &node,
        };
        let refused = managers
            .dispatch(&context, &call("tune"))
            .await
            .unwrap_err();
        assert!(refused.details.contains("--allow-destructive"), "{refused}");
        context.permit = Some(Permit::from_operator());
        let done = managers.dispatch(&context, &call("tune")).await.unwrap();
        assert_eq!(done["tuned"], true);
        let error = managers
            .dispatch(&context, &call("fail"))
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind, error.details.as_str()),
            ("CleaningError", "it broke")
        );
        let error = managers
            .dispatch(&context, &call("crash"))
            .await
            .unwrap_err();
        assert!(error.details.contains("oops"), "{error}");
        let error = managers
            .dispatch(&context, &call("silent"))
            .await
            .unwrap_err();
        assert!(error.details.contains("did not answer"), "{error}");
        let error = managers
            .dispatch(&context, &call("other"))
            .await
            .unwrap_err();
        assert_eq!(error.kind, "HardwareManagerMethodNotFound");
    }

    #[tokio::test]
    async fn what_is_no_manager_is_passed_over() {
        let root = folder(&[
            ("notes.txt", "hello", 0o644),
            ("silent", "#!/bin/sh\n", 0o755),
            ("list", "#!/bin/sh\necho '[]'\n", 0o755),
            (
                "level",
                "#!/bin/sh\necho '{\"id\":1,\"result\":{\"protocol\":1}}'\n",
                0o755,
            ),
            (
                "future",
                "#!/bin/sh\necho '{\"id\":1,\"result\":{\"protocol\":2,\"support\":3}}'\n",
                0o755,
            ),
            (
                "none",
                "#!/bin/sh\necho '{\"id\":1,\"result\":{\"protocol\":1,\"support\":0}}'\n",
                0o755,
            ),
        ]);
        let found = External::load(root.path()).await;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].support, support::NONE);
        assert_eq!(found[0].class, "none");
        assert!(External::load(Path::new("/nowhere")).await.is_empty());
    }
}
