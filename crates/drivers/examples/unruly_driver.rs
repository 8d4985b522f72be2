//! A driver from outside that breaks the rules when its machine tells it to, for tests.
//!
//! `driver_info.mood` chooses what `power.get` does. A step notes that it was begun, and is done when
//! there is a file `release`. Every other call is answered well.

#![allow(
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program of its own, which sleeps where a test wants it to"
)]

use serde_json::{Value, json};
use std::{
    env, fs,
    io::{self, BufRead, Write},
    process, thread,
    time::Duration,
};

fn declaration() -> Value {
    let properties = json!([
        {"name": "mood", "description": "What it does"},
        {"name": "unruly_password", "description": "Secret", "secret": true},
        {"name": "unruly_address", "description": "Where it is", "address": true},
    ]);
    json!({
        "protocol": 1, "name": "unruly", "version": "1.0",
        "hardware_types": [{"name": "unruly", "interfaces": {
            "power": ["unruly"], "management": ["unruly"], "boot": ["fake"], "deploy": ["fake"],
        }}],
        "interfaces": [
            {"kind": "power", "name": "unruly", "properties": properties,
             "targets": ["power on", "power off"]},
            {"kind": "management", "name": "unruly", "boot_devices": ["pxe"], "steps": [
                {"kind": "clean", "name": "again", "on_restart": "repeat"},
                {"kind": "clean", "name": "once",
                 "on_restart": {"fail": "it must not be done twice"}},
            ]},
        ],
    })
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        process::exit(1);
    }
}

fn forever() -> ! {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

/// The last line of the answer to `power.get`, if there is to be one.
fn moody(params: &Value) -> Value {
    let info = &params["node"]["driver_info"];
    let on = json!({"result": {"state": "power on"}});
    match info["mood"].as_str().unwrap_or_default() {
        "die" => process::exit(3),
        // It does not even read any more.
        "hang" => forever(),
        "garbage" => {
            for _ in 0..20 {
                say("this is no answer");
                say("{\"id\": 4711, \"result\": {}}");
            }
            on
        }
        "flood" => loop {
            say("{}");
        },
        "shout" => {
            let password = info["unruly_password"].as_str().unwrap_or_default();
            eprintln!("logging in with {password} now");
            for _ in 0..5_000 {
                eprintln!("{}", "x".repeat(5_000));
            }
            on
        }
        "long" => {
            say(&"x".repeat(2 << 20));
            on
        }
        "nonsense" => json!({"result": {"state": "sideways"}}),
        "empty" => json!({"result": "on"}),
        "repeat" => {
            let password = info["unruly_password"].as_str().unwrap_or_default();
            json!({"error": {"code": "refused", "message": format!("{password} is wrong")}})
        }
        "about" => {
            let files = fs::read_dir("/proc/self/fd")
                .map(|all| all.count())
                .unwrap_or(0);
            let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
            let about = json!({
                "uid": status.lines().find(|line| line.starts_with("Uid:")),
                "groups": status.lines().find(|line| line.starts_with("Groups:")),
                "no_new_privs": status.contains("NoNewPrivs:\t1"),
                // Those of standard streams, and the one that reads the folder.
                "files": files - 4,
                "variables": env::vars().map(|(name, _)| name).collect::<Vec<_>>(),
                "folder": env::current_dir().ok(),
                "pid": process::id(),
            });
            json!({"error": {"code": "rejected", "message": about.to_string()}})
        }
        code => match code.strip_prefix("code:") {
            Some(code) => json!({"error": {"code": code, "message": "as you wish"}}),
            None => on,
        },
    }
}

/// Begins a step; whether it is done.
fn step(params: &Value) -> bool {
    let name = params["step"].as_str().unwrap_or_default();
    let file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(format!("{name}.runs"));
    let noted = file.and_then(|mut file| file.write_all(b"begun\n"));
    noted.is_ok() && fs::exists("release").unwrap_or(false)
}

fn main() {
    for line in io::stdin().lock().split(b'\n').map_while(Result::ok) {
        let Ok(call) = serde_json::from_slice::<Value>(&line) else {
            continue;
        };
        let Some(id) = call["id"].as_u64() else {
            continue;
        };
        let answer = move |mut body: Value| {
            body["id"] = id.into();
            say(&body.to_string());
        };
        match call["method"].as_str().unwrap_or_default() {
            "hello" => answer(json!({"result": declaration()})),
            // Slow ones hold up nobody.
            "power.get" if call["params"]["node"]["driver_info"]["mood"] == "slow" => {
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(200));
                    answer(json!({"result": {"state": "power on"}}));
                });
            }
            "power.get" if call["params"]["node"]["driver_info"]["mood"] == "silent" => {}
            "power.get" => answer(moody(&call["params"])),
            "step.run" if !step(&call["params"]) => {}
            "management.boot_device" => answer(json!({"result": {"device": "pxe"}})),
            _ => answer(json!({"result": {}})),
        }
    }
}
