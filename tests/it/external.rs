//! Drivers that are programs of their own, through the whole service: a life, a kill in the middle of
//! a step, and the conformance test of the command line.

use crate::{http::Answer, port, program, program::Program};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
    process::Command,
};

const PATIENCE: Duration = Duration::from_secs(90);

/// A program that cargo built as an example of the crate `drivers`.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let program = built.join("examples").join(name);
    assert!(program.exists(), "run cargo build -p drivers --examples");
    program
}

fn open(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A folder with drivers, and a service that serves them.
struct Site {
    folder: TempDir,
    arguments: Vec<String>,
}

impl Site {
    fn new(programs: &[&str], types: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Another user finds the way to the programs.
        open(folder.path());
        let drivers = folder.path().join("drivers");
        fs::create_dir(&drivers).unwrap();
        open(&drivers);
        for name in programs {
            fs::copy(example(name), drivers.join(name)).unwrap();
        }
        let at = |name: &str| folder.path().join(name).display().to_string();
        let mut arguments = vec!["serve".into(), "--data-dir".into(), at("data")];
        let settings = [
            "api.port=0".into(),
            "DEFAULT.host=driver-test".into(),
            "conductor.automated_clean=false".into(),
            "corten.step_poll_interval=1".into(),
            "DEFAULT.default_boot_interface=fake".into(),
            "DEFAULT.default_deploy_interface=fake".into(),
            format!("DEFAULT.enabled_hardware_types={types}"),
            format!("corten.driver_path={}", drivers.display()),
            format!("corten.driver_state_dir={}", at("state")),
            format!("corten.driver_user={}", user()),
        ];
        for setting in settings {
            arguments.extend(["--set".to_owned(), setting]);
        }
        Self { folder, arguments }
    }

    async fn start(&self) -> Program {
        Program::start(&self.arguments, &self.folder.path().join("log")).await
    }

    /// What the state-file driver keeps of a machine; nothing before it changed it.
    fn machine(&self, name: &str) -> Value {
        let file = format!("state/state_file_driver/{name}.json");
        match fs::read(self.folder.path().join(file)) {
            Ok(text) => serde_json::from_slice(&text).unwrap(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Value::Null,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Another user than this one, if this one may become it and it finds the way to the program.
fn user() -> String {
    let id = |option: &str| {
        let output = std::process::Command::new("id")
            .arg(option)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let is_open = |path: &Path| {
        let mode = fs::metadata(path).map_or(0, |about| about.permissions().mode());
        mode & 0o001 != 0
    };
    let has_way = program::path().ancestors().all(is_open);
    match id("-u") == "0" && has_way {
        true => "nobody".to_owned(),
        false => id("-un"),
    }
}

struct Machine<'a> {
    service: &'a Program,
    path: String,
}

impl<'a> Machine<'a> {
    async fn enroll(service: &'a Program, name: &str, body: Value) -> Self {
        let mut body = body;
        body["name"] = name.into();
        service.client.post("/v1/nodes", body).await.expect(201);
        Self {
            service,
            path: format!("/v1/nodes/{name}"),
        }
    }

    async fn asks(&self, body: Value) {
        let path = format!("{}/states/provision", self.path);
        self.service.client.put(&path, body).await.expect(202);
    }

    async fn show(&self) -> Value {
        self.service.client.get(&self.path).await.expect(200).json()
    }

    async fn until(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let end = tokio::time::Instant::now() + PATIENCE;
        loop {
            let node = self.show().await;
            if fits(&node) {
                return node;
            }
            let log = || self.service.log();
            assert!(
                tokio::time::Instant::now() < end,
                "{what}: {node:#}\n{}",
                log()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn reaches(&self, state: &str) -> Value {
        let node = self.until(state, |node| {
            node["reservation"].is_null()
                && (node["provision_state"] == state || !node["last_error"].is_null())
        });
        let node = node.await;
        assert_eq!(
            node["last_error"],
            Value::Null,
            "{node:#}\n{}",
            self.service.log()
        );
        node
    }

    async fn get(&self, rest: &str) -> Answer {
        let path = format!("{}/{rest}", self.path);
        self.service.client.get(&path).await
    }
}

fn count_down(from: u64) -> Value {
    json!({"interface": "management", "step": "count_down", "args": {"from": from}})
}

#[tokio::test]
async fn a_machine_of_a_program_lives() {
    let site = Site::new(&["state_file_driver"], "state-file");
    let service = site.start().await;
    let drivers = service.client.get("/v1/drivers").await.expect(200).json();
    let names: Vec<_> = drivers["drivers"].as_array().unwrap().iter().collect();
    assert_eq!(names[0]["name"], "state-file");
    let properties = service
        .client
        .get("/v1/drivers/state-file/properties")
        .await;
    let properties = properties.expect(200).json();
    let meaning = &properties["state_file"];
    assert_eq!(*meaning, "Name of the machine's file. Required.");

    let machine = Machine::enroll(&service, "m0", json!({"driver": "state-file"})).await;
    let valid = machine.get("validate").await.expect(200).json();
    assert_eq!(valid["power"]["result"], false);
    let reason = valid["power"]["reason"].as_str().unwrap();
    assert!(reason.contains("state_file"), "{reason}");

    let info = json!({"state_file": "m1", "state_file_password": "hunter2"});
    let image = json!({"image_source": "http://192.0.2.2/image", "root_gb": 10});
    let body = json!({"driver": "state-file", "driver_info": info, "instance_info": image});
    let machine = Machine::enroll(&service, "m1", body).await;
    let shown = machine.show().await;
    assert_eq!(shown["driver_info"]["state_file_password"], "******");
    let valid = machine.get("validate").await.expect(200).json();
    for kind in ["power", "management", "deploy"] {
        assert_eq!(valid[kind]["result"], true, "{valid:#}");
    }
    machine.asks(json!({"target": "manage"})).await;
    machine.reaches("manageable").await;
    let path = format!("{}/states/power", machine.path);
    let on = json!({"target": "power on"});
    service.client.put(&path, on).await.expect(202);
    machine
        .until("power on", |node| node["power_state"] == "power on")
        .await;
    assert_eq!(site.machine("m1")["power"], "power on");
    let path = format!("{}/management/boot_device", machine.path);
    let device = json!({"boot_device": "pxe", "persistent": true});
    service.client.put(&path, device).await.expect(204);
    assert_eq!(site.machine("m1")["device"], "pxe");
    let devices = machine
        .get("management/boot_device/supported")
        .await
        .expect(200)
        .json();
    assert_eq!(devices["supported_boot_devices"], json!(["pxe", "disk"]));
    let methods = machine
        .get("vendor_passthru/methods")
        .await
        .expect(200)
        .json();
    assert_eq!(methods["history"]["http_methods"], json!(["GET"]));
    let history = machine
        .get("vendor_passthru?method=history")
        .await
        .expect(200);
    assert_eq!(history.json(), json!({"switched": 1}));

    machine
        .asks(json!({"target": "clean", "clean_steps": [count_down(1)], "disable_ramdisk": true}))
        .await;
    machine.reaches("manageable").await;
    assert_eq!(site.machine("m1")["counted"], 0);
    machine.asks(json!({"target": "provide"})).await;
    machine.reaches("available").await;
    let mut step = count_down(3);
    step["priority"] = 50.into();
    machine
        .asks(json!({"target": "active", "deploy_steps": [step]}))
        .await;
    let counting = machine.until("the step", |_| site.machine("m1")["counted"] == 2);
    counting.await;
    machine.reaches("active").await;
    assert_eq!(site.machine("m1")["counted"], 0);

    let uuid = machine.show().await["uuid"].as_str().unwrap().to_owned();
    let recorded = service
        .client
        .get(&format!("/corten/v1/nodes/{uuid}/recorder"))
        .await;
    let recorded = recorded.expect(200).json().to_string();
    assert!(
        recorded.contains("management.set_boot_device"),
        "{recorded}"
    );
    let log = service.log();
    for text in [&recorded, &log] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    service.stop().await;
}

#[tokio::test]
async fn a_step_survives_a_kill_and_the_program_does_not_survive_the_service() {
    let site = Site::new(&["state_file_driver"], "state-file");
    let service = site.start().await;
    let info = json!({"state_file": "m1"});
    let body = json!({"driver": "state-file", "driver_info": info});
    let machine = Machine::enroll(&service, "m1", body).await;
    machine.asks(json!({"target": "manage"})).await;
    machine.reaches("manageable").await;
    machine
        .asks(json!({"target": "clean", "clean_steps": [count_down(6)], "disable_ramdisk": true}))
        .await;
    machine
        .until("the step", |_| site.machine("m1")["counted"] == 4)
        .await;
    let log = service.log();
    let (_, pid) = log.rsplit_once("the driver runs as process ").unwrap();
    let pid: u32 = pid
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let process = PathBuf::from(format!("/proc/{pid}"));
    assert!(process.exists());
    service.kill().await;
    let gone = async {
        while process.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone)
        .await
        .expect("the program lives on");
    let service = site.start().await;
    let machine = Machine {
        service: &service,
        path: "/v1/nodes/m1".to_owned(),
    };
    machine.reaches("manageable").await;
    // It went on from its handle, and did not begin anew.
    assert_eq!(site.machine("m1")["counted"], 0);
    service.stop().await;
}

/// Kills the service in the middle of a step, and starts it again; what becomes of the node, and how
/// often the step was begun.
async fn killed_within(step: &str) -> (Value, usize) {
    let site = Site::new(&["unruly_driver"], "unruly");
    let service = site.start().await;
    let body = json!({"driver": "unruly", "driver_info": {"mood": "good"}});
    let machine = Machine::enroll(&service, "m1", body).await;
    machine.asks(json!({"target": "manage"})).await;
    machine.reaches("manageable").await;
    let steps = json!([{"interface": "management", "step": step}]);
    machine
        .asks(json!({"target": "clean", "clean_steps": steps, "disable_ramdisk": true}))
        .await;
    let file = |name: &str| site.folder.path().join("state/unruly_driver").join(name);
    let begun = || {
        let runs = fs::read_to_string(file(&format!("{step}.runs")));
        runs.map_or(0, |runs| runs.lines().count())
    };
    machine.until("the step", |_| begun() == 1).await;
    service.kill().await;
    fs::write(file("release"), "").unwrap();
    let service = site.start().await;
    let machine = Machine {
        service: &service,
        path: "/v1/nodes/m1".to_owned(),
    };
    let node = machine.until("the end of the step", |node| {
        let state = node["provision_state"].as_str().unwrap();
        node["reservation"].is_null() && ["manageable", "clean failed"].contains(&state)
    });
    let node = node.await;
    service.stop().await;
    (node, begun())
}

#[tokio::test]
async fn a_step_that_may_be_repeated_is_after_a_kill() {
    let (node, begun) = killed_within("again").await;
    assert_eq!(node["provision_state"], "manageable", "{node:#}");
    assert_eq!(begun, 2);
}

#[tokio::test]
async fn a_step_that_may_not_be_repeated_fails_after_a_kill() {
    let (node, begun) = killed_within("once").await;
    assert_eq!(node["provision_state"], "clean failed", "{node:#}");
    let error = node["last_error"].as_str().unwrap();
    assert!(error.contains("it must not be done twice"), "{error}");
    assert_eq!(begun, 1);
}

/// What the program says about itself runs with as little as it needs.
#[tokio::test]
async fn a_program_has_less_rights_than_the_service() {
    let site = Site::new(&["unruly_driver"], "unruly");
    let service = site.start().await;
    let info = json!({"mood": "about", "unruly_password": "hunter2"});
    let body = json!({"driver": "unruly", "driver_info": info});
    let machine = Machine::enroll(&service, "m1", body).await;
    machine.asks(json!({"target": "manage"})).await;
    let failed = machine
        .until("an error", |node| !node["last_error"].is_null())
        .await;
    let text = failed["last_error"].as_str().unwrap();
    let start = text
        .find("{\"files\"")
        .or_else(|| text.find("{\"uid\""))
        .unwrap_or_else(|| panic!("{text}"));
    let about = serde_json::Deserializer::from_str(&text[start..])
        .into_iter::<Value>()
        .next();
    let about = about.unwrap().unwrap();
    assert_eq!(about["no_new_privs"], true, "{about}");
    assert_eq!(about["files"], 0, "{about}");
    if user() == "nobody" {
        let uid = about["uid"].as_str().unwrap();
        assert!(!uid.split_whitespace().any(|id| id == "0"), "{about}");
        assert_eq!(
            about["groups"].as_str().unwrap().trim(),
            "Groups:",
            "{about}"
        );
    }
    service.stop().await;
}

#[tokio::test]
async fn names_that_are_taken_keep_the_service_from_starting() {
    let site = Site::new(&["state_file_driver"], "state-file");
    let drivers = site.folder.path().join("drivers");
    fs::copy(example("state_file_driver"), drivers.join("twin")).unwrap();
    let log = site.folder.path().join("log");
    let program = Command::new(program::path());
    let refused = Program::try_start(program, &site.arguments, &log).await;
    let text = refused.err().unwrap();
    assert!(
        text.contains("driver program twin has a power interface 'state-file'"),
        "{text}"
    );
}

async fn tested(program: &Path, more: &[&str]) -> (bool, String) {
    let output = Command::new(program::path())
        .args(["driver", "test"])
        .arg(program)
        .args(more)
        .stdin(Stdio::null())
        .output();
    let output = tokio::time::timeout(PATIENCE, output)
        .await
        .unwrap()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

#[tokio::test]
async fn the_command_line_tells_good_drivers_from_bad_ones() {
    let folder = tempfile::tempdir().unwrap();
    let copied = |name: &str| {
        let to = folder.path().join(name);
        fs::copy(example(name), &to).unwrap();
        to
    };
    let (is_good, table) = tested(&copied("state_file_driver"), &["--change"]).await;
    assert!(is_good, "{table}");
    assert!(
        table.contains("management state-file: clean step count_down"),
        "{table}"
    );
    assert!(table.contains(" 0 failed"), "{table}");
    let (is_good, table) = tested(&copied("unruly_driver"), &[]).await;
    assert!(!is_good, "{table}");
    let (is_good, table) = tested(&folder.path().join("missing"), &[]).await;
    assert!(!is_good && table.contains("cannot be looked at"), "{table}");
}

/// The example in Python, if there is a Python.
async fn python_example(folder: &TempDir) -> Option<PathBuf> {
    let has_python = Command::new("/usr/bin/python3")
        .arg("--version")
        .output()
        .await;
    if !has_python.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no /usr/bin/python3");
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/redfish_driver.py");
    let driver = folder.path().join("redfish_driver.py");
    fs::copy(source, &driver).unwrap();
    open(&driver);
    Some(driver)
}

/// What it tells others of who it is, it does not tell to whom a BMC sends it.
#[tokio::test]
async fn the_python_example_follows_no_redirect() {
    let folder = tempfile::tempdir().unwrap();
    let Some(driver) = python_example(&folder).await else {
        return;
    };
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}/", elsewhere.local_addr().unwrap());
    let bmc = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", bmc.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        loop {
            let (mut client, _) = bmc.accept().await.unwrap();
            let _ = client.read(&mut [0; 4096]).await;
            let answer = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: {target}\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let _ = client.write_all(answer.as_bytes()).await;
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    let info = folder.path().join("machine.json");
    let about = json!({"example_address": address, "example_password": "hunter2"});
    fs::write(&info, about.to_string()).unwrap();
    let info = info.display().to_string();
    let (is_good, table) = tested(&driver, &["--change", "--node-info", &info]).await;
    assert!(!is_good && table.contains("HTTP 307"), "{table}");
    assert!(asked.load(Ordering::Relaxed) > 0);
    let followed = tokio::time::timeout(Duration::ZERO, elsewhere.accept()).await;
    assert!(followed.is_err(), "somebody else was asked: {followed:?}");
}

/// The example in Python drives simulated machines over Redfish.
#[tokio::test]
async fn the_python_example_drives_a_simulated_machine() {
    let folder = tempfile::tempdir().unwrap();
    let Some(driver) = python_example(&folder).await else {
        return;
    };
    let port = port::free().to_string();
    let mut sim = Command::new(program::path())
        .args(["sim", "--machines", "1", "--redfish-port", &port])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(sim.stdout.take().unwrap()).lines();
    let ready = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("ready") {
                return;
            }
        }
        panic!("the simulator ended");
    };
    tokio::time::timeout(PATIENCE, ready).await.unwrap();
    let info = folder.path().join("machine.json");
    let address = format!("http://127.0.0.1:{port}");
    let about = json!({"driver_info": {
        "example_address": address, "example_username": "admin", "example_password": "password",
    }});
    fs::write(&info, about.to_string()).unwrap();
    let info = info.display().to_string();
    let (is_good, table) = tested(&driver, &["--change", "--node-info", &info]).await;
    assert!(is_good, "{table}");
    let wrong = folder.path().join("wrong.json");
    let about = json!({"example_address": address, "example_password": "wrong-one"});
    fs::write(&wrong, about.to_string()).unwrap();
    let wrong = wrong.display().to_string();
    let (is_good, table) = tested(&driver, &["--node-info", &wrong]).await;
    assert!(!is_good && table.contains("HTTP 401"), "{table}");
    assert!(!table.contains("wrong-one"), "{table}");
}
