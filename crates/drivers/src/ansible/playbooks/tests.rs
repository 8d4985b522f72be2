//! Playbooks run by a stand-in that notes how it was called.

#![expect(clippy::disallowed_types, reason = "a test may wait for its files")]

use super::*;
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{self, File},
    os::unix::{fs::PermissionsExt, process::CommandExt},
};
use types::Node;

struct Stage {
    dir: tempfile::TempDir,
    node: Node,
    info: JsonMap,
}

impl Stage {
    fn new(info: Value) -> Self {
        let mut node = Node::new(NodeId::generate(), "ipmi");
        node.extra.insert("a".into(), 1.into());
        Self {
            dir: tempfile::tempdir().unwrap(),
            node,
            info: info.as_object().cloned().unwrap(),
        }
    }

    /// A program that does this.
    fn program(&self, script: &str) -> AnsibleSettings {
        let path = self.dir.path().join("ansible-playbook");
        fs::write(
            &path,
            format!("#!/bin/sh\ncd '{}'\n{script}\n", self.dir.path().display()),
        )
        .unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        AnsibleSettings {
            program: path.display().to_string(),
            state: self.dir.path().join("state"),
            ..AnsibleSettings::default()
        }
    }

    fn machine(&mut self) -> Machine<'_> {
        Machine::new(&mut self.node, &self.info, &[])
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(name)).unwrap()
    }
}

const NOTES: &str = "printf '%s\\n' \"$@\" > arguments\n\
    printf '%s' \"$ANSIBLE_CONFIG\" > config\n\
    for word; do case $word in @*) cp \"${word#@}\" variables; stat -c %a \"${word#@}\" > mode;; esac; done";

#[tokio::test]
async fn a_playbook_that_is_watched_runs_to_its_end() {
    let mut stage = Stage::new(json!({}));
    // It starts the program that it is told.
    let launcher = stage.dir.path().join("launcher");
    let script = "#!/bin/sh\nwhile [ ! -x \"$1\" ]; do shift; done\nexec \"$@\"\n";
    fs::write(&launcher, script).unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    let settings = AnsibleSettings {
        launcher: Some(launcher),
        ..stage.program(NOTES)
    };
    let playbooks = Playbooks(settings);
    let played = playbooks
        .run(
            &stage.machine(),
            Action::Shutdown,
            PlaybookInput::default(),
            &[],
        )
        .await;
    played.unwrap();
    assert!(stage.read("arguments").contains("shutdown.yaml"));
}

#[tokio::test]
async fn the_program_is_called_as_ironic_calls_it() {
    let mut stage = Stage::new(json!({
        "ansible_deploy_playbook": "/elsewhere/own.yaml", "ansible_username": "me",
        "ansible_key_file": "/keys/k", "ansible_python_interpreter": "/usr/bin/python3",
    }));
    let settings = AnsibleSettings {
        verbosity: 3,
        key_folders: vec!["/keys".into()],
        extra_args: vec!["--timeout=9".to_owned()],
        ..stage.program(NOTES)
    };
    let state = settings.state.display().to_string();
    let playbooks = Playbooks(settings);
    assert_eq!(playbooks.remote(&stage.machine()).user, "me");
    let told = PlaybookInput {
        variables: JsonMap::from_iter([("nodes".to_owned(), json!([]))]),
        drive: Some("drive".to_owned()),
    };
    let tags = ["zap".to_owned(), "more".to_owned()];
    let played = playbooks
        .run(&stage.machine(), Action::Deploy, told, &tags)
        .await;
    played.unwrap();
    let id = stage.node.id;
    let drive = format!("{state}/{id}.cndrive");
    let expected = [
        format!("{state}/playbooks/own.yaml"),
        "-i".to_owned(),
        format!("{state}/playbooks/inventory"),
        "-e".to_owned(),
        format!("@{state}/{id}.yaml"),
        "--tags=zap,more".to_owned(),
        "--private-key=/keys/k".to_owned(),
        "-vvv".to_owned(),
        "--timeout=9".to_owned(),
    ];
    assert_eq!(
        stage.read("arguments").lines().collect::<Vec<_>>(),
        expected
    );
    assert_eq!(
        stage.read("config"),
        format!("{state}/playbooks/ansible.cfg")
    );
    assert_eq!(
        stage.read("variables").trim().replace(&drive, "DRIVE"),
        r#"{? !unsafe "ironic" : {? !unsafe "nodes" : [], ? !unsafe "configdrive" : {? !unsafe "type" : !unsafe "file", ? !unsafe "location" : !unsafe "DRIVE"}}, ? !unsafe "ansible_python_interpreter" : !unsafe "/usr/bin/python3"}"#
    );
    assert_eq!(stage.read("mode").trim(), "600");
    assert!(!Path::new(&format!("{state}/{id}.yaml")).exists());
    assert!(!Path::new(&drive).exists());
    assert!(Path::new(&format!("{state}/playbooks/deploy.yaml")).exists());
}

#[tokio::test]
async fn a_failure_is_told_with_the_last_words() {
    let mut stage = Stage::new(json!({}));
    let playbooks =
        Playbooks(stage.program("yes a line | head -100; echo fatal: no disk >&2; exit 2"));
    let played = playbooks
        .run(
            &stage.machine(),
            Action::Clean,
            PlaybookInput::default(),
            &[],
        )
        .await;
    let told = types::error::chain(&played.unwrap_err());
    assert!(told.contains("exit status: 2"), "{told}");
    assert!(
        told.contains("fatal: no disk") && told.contains("clean.yaml"),
        "{told}"
    );
    assert!(told.lines().count() <= 2 * TAIL + 1, "{told}");
}

#[tokio::test]
async fn a_line_without_an_end_does_not_fill_the_memory() {
    let mut stage = Stage::new(json!({}));
    let playbooks = Playbooks(stage.program("head -c 3000000 /dev/zero | tr '\\0' x; exit 1"));
    let played = playbooks
        .run(
            &stage.machine(),
            Action::Deploy,
            PlaybookInput::default(),
            &[],
        )
        .await;
    let told = types::error::chain(&played.unwrap_err());
    assert!(told.len() < 2 * LONGEST, "{}", told.len());
}

#[tokio::test]
async fn a_missing_program_is_told_before_anything_is_done() {
    let mut stage = Stage::new(json!({}));
    let settings = AnsibleSettings {
        program: "no-such-ansible-playbook".to_owned(),
        ..stage.program("")
    };
    let told = Playbooks(settings).check(&stage.machine()).await;
    let told = told.unwrap_err().to_string();
    assert!(
        told.contains("needs no-such-ansible-playbook, which is not installed here"),
        "{told}"
    );
}

#[tokio::test]
async fn nodes_name_only_folders_that_the_operator_allows() {
    for (own, is_allowed) in [
        ("/site/playbooks/special", true),
        ("/more/a", true),
        ("/tmp/evil", false),
        ("/site/playbooks/../../tmp", false),
        ("/site/playbooks-evil", false),
    ] {
        let mut stage = Stage::new(json!({"ansible_playbooks_path": own}));
        let settings = AnsibleSettings {
            folder: Some("/site/playbooks".into()),
            allowed: vec!["/more".into()],
            ..stage.program("")
        };
        let found = Playbooks(settings).folder(&stage.machine());
        assert_eq!(found.is_ok(), is_allowed, "{own}");
    }
}

#[tokio::test]
async fn nodes_name_only_keys_that_the_operator_allows() {
    for (own, is_allowed) in [
        ("/keys/special/k", true),
        ("/etc/ironic/other", true),
        ("/srv/.ssh/id_ed25519", false),
        ("/keys/../srv/.ssh/id_ed25519", false),
        ("keys/k", false),
    ] {
        let mut stage = Stage::new(json!({"ansible_key_file": own}));
        let playbooks = Playbooks(AnsibleSettings {
            key_file: Some("/etc/ironic/key".into()),
            key_folders: vec!["/keys".into()],
            ..stage.program("")
        });
        let machine = stage.machine();
        let checked = playbooks.check(&machine).await;
        assert_eq!(checked.is_ok(), is_allowed, "{own}: {checked:?}");
        let played = playbooks.run(&machine, Action::Clean, PlaybookInput::default(), &[]);
        assert_eq!(played.await.is_ok(), is_allowed, "{own}");
    }
}

#[tokio::test]
async fn what_could_be_more_than_a_name_never_reaches_the_program() {
    for evil in ["{{ lookup('pipe', 'id') }}", "-oProxyCommand=id"] {
        for key in ["ansible_username", "ansible_python_interpreter"] {
            let mut stage = Stage::new(json!({ key: evil }));
            let playbooks = Playbooks(stage.program(NOTES));
            let machine = stage.machine();
            let told = playbooks.check(&machine).await.unwrap_err().to_string();
            assert!(told.starts_with(key), "{told}");
            let played = playbooks.run(&machine, Action::Deploy, PlaybookInput::default(), &[]);
            assert!(played.await.is_err());
            assert!(!stage.dir.path().join("arguments").exists());
        }
    }
    let mut stage = Stage::new(json!({}));
    stage.node.extra.insert("{{ evil }}".into(), 1.into());
    let playbooks = Playbooks(stage.program(NOTES));
    let told = playbooks.check(&stage.machine()).await.unwrap_err();
    assert!(told.to_string().contains("in extra"), "{told}");
}

/// Whether a process is there and no corpse.
fn lives(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat"));
    status.is_ok_and(|status| !status.contains(") Z "))
}

async fn dies(pid: &str) {
    while lives(pid) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn processes_of_a_playbook_end_when_its_worker_is_gone() {
    let mut stage = Stage::new(json!({}));
    let script = "sh -c 'echo $$ > child.part; mv child.part child; exec sleep 1000' &\nwait";
    let playbooks = Playbooks(stage.program(script));
    let note = stage.dir.path().join("child");
    let started = async {
        while !note.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    {
        let machine = stage.machine();
        tokio::select! {
            played = playbooks.run(&machine, Action::Deploy, PlaybookInput::default(), &[]) => {
                panic!("{played:?}")
            }
            () = started => {}
        }
    }
    dies(stage.read("child").trim()).await;
    let state = fs::read_dir(stage.dir.path().join("state")).unwrap();
    let files = state.map(|entry| entry.unwrap().file_name());
    let mut files: Vec<_> = files.map(|name| name.into_string().unwrap()).collect();
    files.sort_unstable();
    assert_eq!(
        files,
        [format!("{}.lock", stage.node.id), "playbooks".to_owned()]
    );
}

#[tokio::test]
async fn a_playbook_of_a_service_that_was_killed_is_no_second_writer() {
    let mut stage = Stage::new(json!({}));
    let settings = stage.program(NOTES);
    let lock = settings.state.join(format!("{}.lock", stage.node.id));
    fs::create_dir_all(&settings.state).unwrap();
    let file = File::create(&lock).unwrap();
    flock(&file, FlockOperation::LockExclusive).unwrap();
    let mut left = std::process::Command::new("sleep")
        .arg("1000")
        .stdin(Stdio::from(file))
        .process_group(0)
        .spawn()
        .unwrap();
    let (playbooks, machine) = (Playbooks(settings), stage.machine());
    let played = playbooks.run(&machine, Action::Deploy, PlaybookInput::default(), &[]);
    played.await.unwrap();
    let ended = left.wait().unwrap();
    assert!(!ended.success(), "{ended}");
    assert!(stage.read("arguments").contains("deploy.yaml"));
}
