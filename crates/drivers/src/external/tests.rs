//! Programs that keep to the protocol, and one that does not, against everything that calls them.

use super::{
    conformance::{Outcome, examine},
    *,
};
use crate::{
    DriverError, Recorder, Registry, RegistrySettings,
    iface::{Interface, Machine, Management, Power, Vendor},
    registry::RegistryError,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use tokio::time::timeout;
use types::{
    InterfaceKind, JsonMap, LeaseProof, Node, NodeId, PowerState, PowerTarget,
    step::{Step, StepOutcome},
};

/// Nothing that is not meant to takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that cargo built as an example.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let program = built.join("examples").join(name);
    assert!(program.exists(), "run cargo build -p drivers --examples");
    program
}

fn settings(folder: &TempDir) -> ExternalSettings {
    ExternalSettings {
        user: Some(User {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
        }),
        state: folder.path().join("state"),
        timeout: Duration::from_secs(20),
        pause: Duration::from_millis(1),
        ..ExternalSettings::default()
    }
}

/// A copy where only its owner can write, wherever the build is.
fn copied(name: &str, folder: &TempDir) -> PathBuf {
    let program = folder.path().join(format!("{name}.program"));
    std::fs::copy(example(name), &program).unwrap();
    program
}

struct Bench {
    driver: ExternalDriver,
    recorder: Recorder,
    all: Vec<External>,
    folder: TempDir,
}

impl Bench {
    async fn new(name: &str, change: impl FnOnce(&mut ExternalSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(&folder);
        change(&mut settings);
        let program = copied(name, &folder);
        let driver = load_one(&program, &settings).await.unwrap();
        let recorder = Recorder::default();
        Self {
            all: External::all(&driver, &recorder),
            driver,
            recorder,
            folder,
        }
    }

    async fn unruly() -> Self {
        Self::new("unruly_driver", |_| {}).await
    }

    fn of(&self, kind: InterfaceKind) -> &External {
        let mut all = self.all.iter();
        all.find(|one| one.spec().kind == kind).unwrap()
    }

    async fn power(&self, info: Value) -> Result<Option<PowerState>, DriverError> {
        let id = NodeId::generate();
        self.power_of(id, info).await
    }

    async fn power_of(&self, id: NodeId, info: Value) -> Result<Option<PowerState>, DriverError> {
        let info = info.as_object().unwrap().clone();
        let mut node = Node::new(id, "test");
        let machine = Machine::new(&mut node, &info, &[]);
        let asked = self.of(InterfaceKind::Power).get(&machine);
        timeout(PATIENCE, asked).await.expect("the call hangs")
    }

    async fn mood(&self, mood: &str) -> Result<Option<PowerState>, DriverError> {
        self.power(json!({"mood": mood})).await
    }

    /// It is there, whatever happened before.
    async fn is_well(&self) {
        assert_eq!(self.mood("good").await.unwrap(), Some(PowerState::On));
    }
}

#[tokio::test]
async fn errors_are_told_apart_by_their_codes() {
    let bench = Bench::unruly().await;
    for (code, kind) in [
        ("unreachable", "unreachable"),
        ("refused", "refused"),
        ("busy", "busy"),
        ("protocol", "protocol"),
        ("rejected", "rejected"),
        ("unfinished", "unfinished"),
        ("environment", "environment"),
        ("unsupported", "unsupported"),
        ("invalid", "invalid"),
        ("conflict", "invalid"),
        ("tired", "protocol"),
    ] {
        let error = bench.mood(&format!("code:{code}")).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{code}");
    }
    let error = bench.mood("nonsense").await.unwrap_err();
    assert_eq!(error.kind(), "protocol", "{error}");
    bench.is_well().await;
}

#[tokio::test]
async fn a_process_that_dies_is_started_again() {
    let bench = Bench::unruly().await;
    for _ in 0..3 {
        let error = bench.mood("die").await.unwrap_err();
        assert_eq!(error.kind(), "environment");
        let text = types::error::chain(&error);
        assert!(text.contains("exit status: 3"), "{text}");
        bench.is_well().await;
    }
}

#[tokio::test]
async fn one_that_hangs_is_killed_and_started_again() {
    let change = |settings: &mut ExternalSettings| settings.timeout = Duration::from_secs(1);
    let bench = Bench::new("unruly_driver", change).await;
    let error = bench.mood("hang").await.unwrap_err();
    assert_eq!(error.kind(), "unfinished");
    // Those that come meanwhile get an answer as well, if only that there is none.
    let well = async {
        while bench.mood("good").await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, well).await.unwrap();
}

/// Notes that it was started, and says who it is when it may.
const SLOW: &str = "#!/bin/sh
echo started >> DIR/starts
read -r hello
until [ -e DIR/go ]; do sleep 0.01; done
echo '{\"id\": 1, \"result\": {}}'
read -r call
echo '{\"id\": 2, \"result\": {}}'
read -r nothing
";

#[tokio::test]
async fn a_start_that_nobody_waits_for_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slow");
    let script = SLOW.replace("DIR", &folder.path().display().to_string());
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let host = Arc::new(Host::new(program::Program::at(&path), settings(&folder)));
    let call = |within| {
        let host = Arc::clone(&host);
        async move { host.call("ping", &JsonMap::new(), &[], within).await }
    };
    let starts = folder.path().join("starts");
    for _ in 0..3 {
        let early = call(Duration::from_millis(50)).await.unwrap_err();
        assert!(matches!(early, HostError::NotReady { .. }), "{early}");
    }
    std::fs::write(folder.path().join("go"), "").unwrap();
    call(PATIENCE).await.unwrap().unwrap();
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "started\n");
}

#[tokio::test]
async fn a_call_without_an_answer_harms_no_other() {
    let change = |settings: &mut ExternalSettings| settings.timeout = Duration::from_secs(2);
    let bench = Bench::new("unruly_driver", change).await;
    let about = |bench: &Bench| {
        let link = bench.driver.clone();
        async move { link.host.call("ping", &JsonMap::new(), &[], PATIENCE).await }
    };
    let (silent, good) = tokio::join!(bench.mood("silent"), bench.mood("good"));
    assert_eq!(silent.unwrap_err().kind(), "unfinished");
    assert_eq!(good.unwrap(), Some(PowerState::On));
    // It answers, so it is left alone.
    assert!(about(&bench).await.is_ok());
    bench.is_well().await;
}

/// How many calls the program has at a time in the test below.
const FEW: usize = 4;

#[tokio::test]
async fn machines_that_never_answer_leave_room_for_others() {
    let change = |settings: &mut ExternalSettings| {
        settings.timeout = Duration::from_secs(1);
        settings.calls = FEW;
    };
    let bench = Bench::new("unruly_driver", change).await;
    let dead: Vec<_> = (0..FEW).map(|_| NodeId::generate()).collect();
    let ask = |id: &NodeId| bench.power_of(*id, json!({"mood": "silent"}));
    // They take all calls that there are.
    for outcome in futures_util::future::join_all(dead.iter().map(ask)).await {
        assert_eq!(outcome.unwrap_err().kind(), "unfinished");
    }
    for outcome in futures_util::future::join_all(dead.iter().map(ask)).await {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), "unreachable");
        let text = types::error::chain(&error);
        assert!(text.contains("left alone"), "{text}");
    }
    bench.is_well().await;
}

#[tokio::test]
async fn nonsense_floods_and_long_lines_end_with_the_process() {
    let bench = Bench::unruly().await;
    assert_eq!(bench.mood("garbage").await.unwrap(), Some(PowerState::On));
    for (mood, why) in [
        ("flood", "lines that are no answers"),
        ("long", "more than 1024 KiB"),
    ] {
        let error = bench.mood(mood).await.unwrap_err();
        let text = types::error::chain(&error);
        assert!(text.contains(why), "{mood}: {text}");
        assert_eq!(error.kind(), "environment", "{mood}");
        bench.is_well().await;
    }
    // What it says beside its answers goes to the log, as much as fits.
    let shouted = json!({"mood": "shout", "unruly_password": "hunter2"});
    assert_eq!(bench.power(shouted).await.unwrap(), Some(PowerState::On));
}

#[tokio::test]
async fn a_thousand_machines_share_a_process() {
    let bench = Bench::unruly().await;
    let asked = (0..1000).map(|i| {
        let mood = if i % 2 == 0 { "slow" } else { "good" };
        bench.mood(mood)
    });
    for state in futures_util::future::join_all(asked).await {
        assert_eq!(state.unwrap(), Some(PowerState::On));
    }
    assert!(bench.recorder.bytes() > 0);
}

/// The most memory that this process ever had, in KiB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let words = line.unwrap().split_whitespace().next();
    words.unwrap().parse().unwrap()
}

#[tokio::test]
async fn whatever_a_program_says_memory_stays_bounded() {
    /// Far less than what is said: a line of 2 MiB, endless lines, 25 MB beside the answers.
    const MOST_GROWTH: u64 = 48 << 10;
    let change = |settings: &mut ExternalSettings| settings.timeout = Duration::from_secs(5);
    let bench = Bench::new("unruly_driver", change).await;
    bench.is_well().await;
    let before = most_memory();
    for mood in ["long", "flood", "shout", "garbage"] {
        let _ = bench.mood(mood).await;
        bench.is_well().await;
    }
    let asked = (0..1000).map(|i| {
        bench.mood(match i % 20 {
            0 => "silent",
            1 => "slow",
            _ => "good",
        })
    });
    let outcomes = futures_util::future::join_all(asked).await;
    for (i, outcome) in outcomes.into_iter().enumerate() {
        match i % 20 {
            0 => assert_eq!(outcome.unwrap_err().kind(), "unfinished"),
            _ => assert_eq!(outcome.unwrap(), Some(PowerState::On)),
        }
    }
    let grown = most_memory() - before;
    assert!(grown < MOST_GROWTH, "{grown} KiB");
}

#[tokio::test]
async fn a_thousand_machines_outlive_a_program_that_hangs() {
    let change = |settings: &mut ExternalSettings| settings.timeout = Duration::from_secs(1);
    let bench = Bench::new("unruly_driver", change).await;
    // One of them is bad, and takes the process away from all others.
    let asked = (0..1000).map(|i| bench.mood(if i == 10 { "hang" } else { "good" }));
    let outcomes = futures_util::future::join_all(asked).await;
    assert_eq!(outcomes.len(), 1000);
    for outcome in outcomes {
        if let Err(error) = outcome {
            let kinds = ["unfinished", "environment", "busy"];
            assert!(kinds.contains(&error.kind()), "{error}");
        }
    }
    let well = async {
        while bench.mood("good").await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, well).await.unwrap();
}

#[tokio::test]
async fn secrets_are_not_repeated_and_calls_are_recorded() {
    let bench = Bench::unruly().await;
    let id = NodeId::generate();
    let info = json!({"mood": "repeat", "unruly_password": "hunter2-and-more", "other": "x"});
    let error = bench.power_of(id, info).await.unwrap_err();
    let text = types::error::chain(&error);
    assert!(text.contains("****** is wrong"), "{text}");
    let recording = bench.recorder.read(id);
    let kept = serde_json::to_string(&recording).unwrap();
    assert!(!kept.contains("hunter2"), "{kept}");
    // Nor is what the interface did not declare passed on.
    assert!(!kept.contains("\"other\""), "{kept}");
    let [exchange] = &recording.exchanges[..] else {
        panic!("{kept}");
    };
    assert_eq!(exchange.summary, "power.get → refused: ****** is wrong");
}

#[tokio::test]
async fn a_process_has_nothing_that_it_does_not_need() {
    let bench = Bench::unruly().await;
    let error = bench.mood("about").await.unwrap_err();
    let text = types::error::chain(&error);
    let (_, about) = text.split_once('{').unwrap();
    let about: Value = serde_json::from_str(&format!("{{{about}")).unwrap();
    let variables = about["variables"].as_array().unwrap().iter();
    let variables: BTreeSet<&str> = variables.filter_map(Value::as_str).collect();
    assert_eq!(variables, BTreeSet::from(["HOME", "LANG", "PATH"]));
    let folder = bench.folder.path().join("state/unruly_driver.program");
    assert_eq!(about["folder"], folder.to_str().unwrap());
}

#[tokio::test]
async fn addresses_are_judged_before_a_program_hears_of_them() {
    let denied = outbound::Network::parse("10.0.0.0/8").unwrap();
    let outbound = outbound::Policy::new(denied, Vec::new(), Vec::new());
    let change = |settings: &mut ExternalSettings| settings.outbound = outbound;
    let bench = Bench::new("unruly_driver", change).await;
    let error = bench
        .power(json!({"unruly_address": "http://10.1.2.3/"}))
        .await;
    let text = types::error::chain(&error.unwrap_err());
    assert!(text.contains("networks_denied"), "{text}");
    let bad = bench
        .power(json!({"unruly_address": "a b"}))
        .await
        .unwrap_err();
    assert_eq!(bad.kind(), "invalid");
    let good = bench.power(json!({"unruly_address": "127.0.0.1:80"})).await;
    assert_eq!(good.unwrap(), Some(PowerState::On));
}

#[tokio::test]
async fn files_that_others_can_change_are_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let program = copied("state_file_driver", &folder);
    let mode = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&program, permissions).unwrap();
    };
    for (bits, why) in [
        (0o777, "can be written by others"),
        (0o775, "can be written by others"),
        (0o644, "no file that can be run"),
    ] {
        mode(bits);
        let error = load_one(&program, &settings(&folder)).await.unwrap_err();
        let text = types::error::chain(&error);
        assert!(text.contains(why), "{bits:o}: {text}");
    }
    mode(0o755);
    load_one(&program, &settings(&folder)).await.unwrap();
    if rustix::process::geteuid().is_root() {
        let nobody_named = ExternalSettings {
            user: None,
            ..settings(&folder)
        };
        let error = load_one(&program, &nobody_named).await.unwrap_err();
        let text = types::error::chain(&error);
        assert!(text.contains("[corten]driver_user"), "{text}");
        std::os::unix::fs::chown(&program, Some(12345), None).unwrap();
        let error = load_one(&program, &settings(&folder)).await.unwrap_err();
        let text = types::error::chain(&error);
        assert!(text.contains("belongs to user 12345"), "{text}");
    }
}

#[tokio::test]
async fn what_is_no_driver_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let change = ExternalSettings {
        start_timeout: Duration::from_secs(2),
        ..settings(&folder)
    };
    for (text, why) in [
        ("#!/bin/sh\nexit 7\n", "exit status: 7"),
        ("#!/bin/sh\ncat >/dev/null\n", "did not answer"),
        (
            "#!/bin/sh\nread x; echo '{\"id\":1,\"result\":{}}'; cat >/dev/null\n",
            "missing field",
        ),
        (
            "#!/bin/sh\nread x; echo '{\"id\":1,\"error\":{\"code\":\"unsupported\",\"message\":\"too new\"}}'; cat >/dev/null\n",
            "too new",
        ),
    ] {
        let program = folder.path().join("other");
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let error = load_one(&program, &change).await.unwrap_err();
        let said = types::error::chain(&error);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[tokio::test]
async fn names_stand_in_the_registry_once() {
    let folder = tempfile::tempdir().unwrap();
    let program = copied("state_file_driver", &folder);
    let driver = load_one(&program, &settings(&folder)).await.unwrap();
    let mut wanted = RegistrySettings::default();
    wanted.external.push(driver.clone());
    wanted.enable_hardware_types(vec!["state-file".into()]);
    let registry = Registry::new(&wanted).unwrap();
    let types: Vec<_> = registry.hardware_types().collect();
    assert_eq!(types, ["state-file"]);
    let defaults = registry.defaults("state-file").unwrap();
    assert_eq!(defaults.get(InterfaceKind::Power), "state-file");
    assert_eq!(defaults.get(InterfaceKind::Management), "state-file");
    let properties = registry.driver_properties("state-file").unwrap();
    let known = (
        "state_file".to_owned(),
        "Name of the machine's file. Required.".to_owned(),
    );
    assert!(properties.contains(&known), "{properties:?}");
    wanted.external.push(driver);
    let twice = Registry::new(&wanted).unwrap_err();
    assert!(matches!(twice, RegistryError::Taken { .. }), "{twice}");
}

#[tokio::test]
async fn a_machine_of_the_example_lives() {
    let bench = Bench::new("state_file_driver", |_| {}).await;
    let (power, management) = (
        bench.of(InterfaceKind::Power),
        bench.of(InterfaceKind::Management),
    );
    let info = json!({"state_file": "m1"}).as_object().unwrap().clone();
    let id = NodeId::generate();
    let (mut node, lease) = (Node::new(id, "state-file"), LeaseProof::granted(id, 1));
    let mut machine = Machine::new(&mut node, &info, &[]);
    power.validate(&machine).await.unwrap();
    // Flows restart machines, and this program only knows on and off.
    for target in [PowerTarget::Reboot, PowerTarget::Off] {
        power.set(&lease, &mut machine, target, None).await.unwrap();
        let state = power.get(&machine).await.unwrap();
        assert_eq!(state, Some(target.end_state()));
    }
    management
        .set_boot_device(&lease, &mut machine, "pxe", true)
        .await
        .unwrap();
    let device = management.boot_device(&machine).await.unwrap();
    assert_eq!(device.device.as_deref(), Some("pxe"));
    let refused = management
        .set_boot_device(&lease, &mut machine, "floppy", true)
        .await;
    assert_eq!(refused.unwrap_err().kind(), "invalid");
    assert!(management.health(&machine).await.is_err());
    let sensors = management.sensors(&machine).await.unwrap();
    assert_eq!(sensors["Temperature"]["CPU"]["reading_celsius"], 21.0);
    let vendor = bench.of(InterfaceKind::Vendor);
    let nothing = JsonMap::new();
    let history = Vendor::call(vendor, None, &mut machine, "history", &nothing).await;
    assert_eq!(history.unwrap(), json!({"switched": 3}));
    assert!(Vendor::check(vendor, "future", &nothing).is_err());

    let mut step = Step::offered(InterfaceKind::Management, &management.steps()[0]);
    step.args.insert("from".into(), 1.into());
    let first = management
        .run_step(&lease, &mut machine, &step)
        .await
        .unwrap();
    assert!(matches!(first, StepOutcome::Again { .. }), "{first:?}");
    assert_eq!(machine.step_state().unwrap()["handle"], json!({"left": 0}));
    let last = management
        .run_step(&lease, &mut machine, &step)
        .await
        .unwrap();
    assert_eq!(last, StepOutcome::Done);

    let other = LeaseProof::granted(NodeId::generate(), 1);
    let lapsed = power.set(&other, &mut machine, PowerTarget::On, None).await;
    assert!(matches!(lapsed, Err(DriverError::LeaseLapsed)));
}

#[tokio::test]
async fn the_example_keeps_to_the_protocol_and_the_unruly_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let program = copied("state_file_driver", &folder);
    let report = examine(&program, &settings(&folder), None, true).await;
    let failed: Vec<_> = report
        .0
        .iter()
        .filter(|v| v.outcome == Outcome::Failed)
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(report.0.len() > 20, "{}", report.0.len());
    // That one answers everything well, also what makes no sense.
    let program = copied("unruly_driver", &folder);
    let report = examine(&program, &settings(&folder), None, false).await;
    let failed = |check: &str| {
        let mut all = report.0.iter();
        all.any(|v| v.outcome == Outcome::Failed && v.check.contains(check))
    };
    assert!(failed("a method that nobody has"), "{report:#?}");
    assert!(failed("power.get without parameters"), "{report:#?}");
    assert!(failed("a version that it does not speak") || report.has_failure());
}
