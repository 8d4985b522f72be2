//! A driver from outside in Rust: machines that are files in the folder where it runs.
//!
//! A vendor's own driver replaces `Machine` and keeps the rest: a thread for each call, so that a slow
//! machine holds up no other; answers under one lock, so that lines do not mix; everything that must
//! survive a restart in the handle of a step or on disk, never in memory.
//!
//! `cargo build --release -p drivers --example state_file_driver`, then
//! `corten driver test target/release/examples/state_file_driver --change`.

#![allow(
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program of its own, whose error output is its log, and which may wait for its files"
)]

use serde_json::{Value, json};
use std::{
    fs,
    io::{self, BufRead, Write},
    path::PathBuf,
    sync::{Arc, Mutex},
    thread,
};

/// Code and text of an error.
type Problem = (&'static str, String);

fn declaration() -> Value {
    let properties = json!([
        {"name": "state_file", "description": "Name of the machine's file", "required": true},
        {"name": "state_file_password", "description": "Must be the file's", "secret": true},
    ]);
    let step = |kind: &str| {
        json!({
            "kind": kind, "name": "count_down",
            "args": [{"name": "from", "description": "How many seconds it takes"}],
            "on_restart": {"poll": "it cannot be told whether it began to count"},
        })
    };
    json!({
        "protocol": 1, "name": "state-file", "version": "1.0",
        "hardware_types": [{"name": "state-file", "interfaces": {
            "power": ["state-file"], "management": ["state-file", "noop"],
            "boot": ["ipxe", "pxe", "fake"], "deploy": ["direct", "fake"],
            "vendor": ["state-file", "no-vendor"],
        }}],
        "interfaces": [
            {"kind": "power", "name": "state-file", "properties": properties,
             "targets": ["power on", "power off"]},
            {"kind": "management", "name": "state-file", "properties": properties,
             "boot_devices": ["pxe", "disk"], "features": ["sensors", "validate"],
             "steps": [step("clean"), step("deploy"), step("service")]},
            {"kind": "vendor", "name": "state-file", "properties": properties, "methods": [{
                "name": "history", "http_methods": ["GET"], "description": "How often it was switched",
            }]},
        ],
        "example": {"driver_info": {"state_file": "example"}},
    })
}

/// A machine, which is a file.
struct Machine {
    file: PathBuf,
    state: Value,
}

impl Machine {
    fn of(params: &Value) -> Result<Self, Problem> {
        let info = &params["node"]["driver_info"];
        let name = info["state_file"].as_str().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-');
        if !is_name {
            return Err((
                "invalid",
                "state_file must be letters, digits and '-'".into(),
            ));
        }
        let file = PathBuf::from(format!("{name}.json"));
        let state = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| ("protocol", format!("{}: {error}", file.display())))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                json!({"power": "power off", "device": "disk", "switched": 0})
            }
            Err(error) => return Err(("unreachable", format!("{}: {error}", file.display()))),
        };
        match &state["password"] {
            Value::Null => {}
            password if *password == info["state_file_password"] => {}
            _ => return Err(("refused", "state_file_password is wrong".into())),
        }
        Ok(Self { file, state })
    }

    /// The file is there as a whole or not at all, also if this program is killed.
    fn save(&self) -> Result<Value, Problem> {
        let new = self.file.with_extension("new");
        let written = fs::write(&new, self.state.to_string());
        written
            .and_then(|()| fs::rename(&new, &self.file))
            .map_err(|error| ("unreachable", format!("{}: {error}", self.file.display())))?;
        Ok(json!({}))
    }
}

fn carry_out(method: &str, params: &Value) -> Result<Value, Problem> {
    match method {
        "hello" => return Ok(declaration()),
        "ping" => return Ok(json!({})),
        _ => {}
    }
    // Methods before machines: what is not there is not there for any machine.
    const METHODS: &[&str] = &[
        "validate",
        "power.get",
        "power.set",
        "management.boot_device",
        "management.set_boot_device",
        "management.sensors",
        "step.run",
        "step.poll",
        "vendor.call",
    ];
    if !METHODS.contains(&method) {
        return Err(("unsupported", format!("there is no method {method}")));
    }
    let mut machine = Machine::of(params)?;
    let wanted = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
    match method {
        "power.get" => Ok(json!({"state": machine.state["power"]})),
        "power.set" => {
            machine.state["power"] = match &*wanted("target") {
                target @ ("power on" | "power off") => target.into(),
                other => return Err(("invalid", format!("there is no target '{other}'"))),
            };
            let switched = machine.state["switched"].as_u64().unwrap_or(0);
            machine.state["switched"] = (switched + 1).into();
            machine.save()
        }
        "management.boot_device" => {
            Ok(json!({"device": machine.state["device"], "persistent": true}))
        }
        "management.set_boot_device" => {
            machine.state["device"] = wanted("device").into();
            machine.save()
        }
        "management.sensors" => {
            let degrees = if machine.state["power"] == "power on" {
                42.0
            } else {
                21.0
            };
            Ok(json!({"sensors": {"Temperature": {"CPU": {"reading_celsius": degrees}}}}))
        }
        "vendor.call" => Ok(json!({"value": {"switched": machine.state["switched"]}})),
        // Each call counts one second down; the handle is all that is remembered.
        "step.run" | "step.poll" if wanted("step") == "count_down" => {
            let from = params["args"]["from"].as_u64().unwrap_or(2);
            let left = params["handle"]["left"].as_u64().unwrap_or(from);
            machine.state["counted"] = left.into();
            machine.save()?;
            Ok(match left {
                0 => json!({}),
                _ => json!({"wait": {
                    "reason": format!("{left} more"), "after_s": 1, "handle": {"left": left - 1},
                }}),
            })
        }
        "step.run" | "step.poll" => {
            Err(("invalid", format!("there is no step {}", wanted("step"))))
        }
        _ => Ok(json!({})),
    }
}

fn main() {
    let out = Arc::new(Mutex::new(io::stdout()));
    let mut calls = Vec::new();
    for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
        let Ok(call) = serde_json::from_slice::<Value>(&line) else {
            eprintln!("a line that is no call is passed over");
            continue;
        };
        // A call without an id wants no answer; that one is cancelled makes no difference here.
        let (Some(id), Some(method)) = (call["id"].as_u64(), call["method"].as_str()) else {
            continue;
        };
        let (out, method) = (Arc::clone(&out), method.to_owned());
        calls.retain(|call: &thread::JoinHandle<()>| !call.is_finished());
        calls.push(thread::spawn(move || {
            let answer = match carry_out(&method, &call["params"]) {
                Ok(result) => json!({"id": id, "result": result}),
                Err((code, message)) => {
                    json!({"id": id, "error": {"code": code, "message": message}})
                }
            };
            if let Ok(mut out) = out.lock() {
                let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
            }
        }));
    }
    for call in calls {
        let _ = call.join();
    }
}
