//! `corten apply`: the program against a whole service.

use crate::{database::Engine, lab::Lab, program};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use std::{fs::OpenOptions, io::Write, path::Path, process::Stdio};
use tokio::process::Command;

every_engine!(
    files_become_resources_and_then_nothing_is_left_to_do,
    only_what_a_set_made_is_pruned,
    what_fails_does_not_stop_the_rest,
);

/// How a run of the program ended.
struct Ran {
    code: i32,
    out: String,
    notes: String,
}

impl Ran {
    #[track_caller]
    fn fine(self) -> String {
        assert_eq!(self.code, 0, "{}{}", self.out, self.notes);
        self.out
    }
}

async fn corten(lab: &Lab, folder: &Path, arguments: &str) -> Ran {
    corten_with(lab, folder, arguments, Stdio::null()).await
}

async fn corten_with(lab: &Lab, folder: &Path, arguments: &str, input: Stdio) -> Ran {
    let output = Command::new(program::path())
        .args(arguments.split(' '))
        .current_dir(folder)
        .env("HOME", folder)
        .env("OS_ENDPOINT", format!("http://{}", lab.client.address))
        .stdin(input)
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        code: output.status.code().unwrap(),
        out: text(&output.stdout),
        notes: text(&output.stderr),
    }
}

async fn get(lab: &Lab, path: &str) -> Value {
    lab.client.get(path).await.expect(200).json()
}

/// The last line of a plan.
fn counts(out: &str) -> &str {
    let mut lines = out.lines();
    lines.rfind(|line| line.contains(" to create, ")).unwrap()
}

const RACK: &str = "
set: rack7
deploy_templates:
- name: CUSTOM_RESET
  steps:
  - {interface: bios, step: apply_configuration, priority: '150', args: {settings: [{name: a, value: b}]}}
  - {interface: raid, step: delete_configuration, priority: 160, args: {password: s3cret}}
runbooks:
- name: wipe
  description: erases everything
  public: true
  traits: [CUSTOM_B, CUSTOM_A]
  steps:
  - {interface: deploy, step: erase_devices_metadata, order: 1}
nodes:
- name: part
  driver: fake-hardware
  parent_node: web-1
- name: web-1
  driver: fake-hardware
  description: 'left'
  retired: true
  driver_info: {a: 1, fake_password: s3cret, url: 'http://u:s3cret@h/x'}
  properties: {cpu_arch: x86_64}
  extra: {rack: 7}
  traits: [CUSTOM_RESET, CUSTOM_A]
  portgroups:
  - name: bond0
    address: 52-54-00-00-00-0A
    ports:
    - address: 52:54:00:00:00:01
      local_link_connection: {switch_id: '0a:1b:2c:3d:4e:5f', port_id: e1}
  ports:
  - address: 52:54:00:00:00:02
    pxe_enabled: false
";

async fn files_become_resources_and_then_nothing_is_left_to_do(engine: Engine) {
    let lab = Lab::start(engine).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rack7.yaml");
    std::fs::write(&file, RACK).unwrap();

    // A plan shows everything but secrets, and does nothing.
    let plan = corten(&lab, folder.path(), "apply rack7.yaml --plan")
        .await
        .fine();
    assert_eq!(
        counts(&plan),
        "7 to create, 0 to change, 0 to delete, 0 as described"
    );
    assert!(
        plan.contains("+ node web-1  (rack7.yaml: nodes, item 2)"),
        "{plan}"
    );
    assert!(
        plan.contains("    driver_info.fake_password: ******"),
        "{plan}"
    );
    assert!(!plan.contains("s3cret"), "{plan}");
    assert_eq!(get(&lab, "/v1/nodes").await["nodes"], json!([]));
    // There is no terminal to ask at.
    let asked = corten(&lab, folder.path(), "apply rack7.yaml").await;
    assert_eq!(asked.code, 2, "{}", asked.notes);
    assert!(asked.notes.contains("--yes"), "{}", asked.notes);
    assert_eq!(get(&lab, "/v1/nodes").await["nodes"], json!([]));

    corten(&lab, folder.path(), "apply rack7.yaml --yes")
        .await
        .fine();
    let web = get(&lab, "/v1/nodes/web-1").await;
    assert_eq!(web["retired"], true);
    assert_eq!(web["extra"], json!({"rack": 7, "corten_set": "rack7"}));
    assert_eq!(
        get(&lab, "/v1/nodes/part").await["parent_node"],
        web["uuid"]
    );
    let bond = get(&lab, "/v1/portgroups/bond0").await;
    assert_eq!(bond["address"], "52:54:00:00:00:0a");
    let ports = get(&lab, "/v1/ports/detail?sort_key=address").await;
    assert_eq!(ports["ports"][0]["portgroup_uuid"], bond["uuid"]);
    assert_eq!(ports["ports"][1]["node_uuid"], web["uuid"]);
    assert_eq!(ports["ports"][1]["pxe_enabled"], false);
    assert_eq!(
        get(&lab, "/v1/runbooks/wipe").await["traits"],
        json!(["CUSTOM_A", "CUSTOM_B"])
    );

    // Again: nothing to do, and nothing is asked. Masked secrets are no differences.
    let same = "0 to create, 0 to change, 0 to delete, 7 as described";
    let again = corten(&lab, folder.path(), "apply rack7.yaml").await.fine();
    assert_eq!(counts(&again), same);
    let secrets = corten(&lab, folder.path(), "apply rack7.yaml --set-secrets --plan")
        .await
        .fine();
    assert_eq!(
        counts(&secrets),
        "0 to create, 2 to change, 0 to delete, 5 as described"
    );

    // What others wrote where no file says anything stays; what files say is put right.
    let patch = json!([
        {"op": "replace", "path": "/description", "value": "right"},
        {"op": "add", "path": "/extra/theirs", "value": 1},
        {"op": "remove", "path": "/driver_info/a"},
    ]);
    lab.client.patch("/v1/nodes/web-1", patch).await.expect(200);
    std::fs::write(
        &file,
        RACK.replace("[CUSTOM_RESET, CUSTOM_A]", "[CUSTOM_RESET]")
            .replace("order: 1}", "order: 2}")
            .replace("cpu_arch: x86_64", "cpu_arch: null")
            .replace("switch_id: '0a:1b:2c:3d:4e:5f', port_id: e1", "port_id: e2"),
    )
    .unwrap();
    let changed = corten(&lab, folder.path(), "apply rack7.yaml --yes -f json")
        .await
        .fine();
    let lines: Vec<Value> = changed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let node = lines.iter().find(|line| line["kind"] == "node").unwrap();
    assert_eq!(
        (&node["action"], &node["name"]),
        (&json!("change"), &json!("web-1"))
    );
    assert_eq!(
        node["changes"],
        json!([
            {"field": "description", "from": "right", "to": "left"},
            {"field": "driver_info.a", "from": null, "to": 1},
            {"field": "properties.cpu_arch", "from": "x86_64", "to": null},
            {"field": "traits", "from": ["CUSTOM_A", "CUSTOM_RESET"], "to": ["CUSTOM_RESET"]},
        ])
    );
    assert_eq!(lines.len(), 3, "{changed}");
    let web = get(&lab, "/v1/nodes/web-1").await;
    assert_eq!(web["extra"]["theirs"], 1);
    assert_eq!(web["traits"], json!(["CUSTOM_RESET"]));
    let ports = get(&lab, "/v1/ports/detail?sort_key=address").await;
    assert_eq!(
        ports["ports"][0]["local_link_connection"],
        json!({"switch_id": "0a:1b:2c:3d:4e:5f", "port_id": "e2"})
    );
    let again = corten(&lab, folder.path(), "apply rack7.yaml --yes")
        .await
        .fine();
    assert_eq!(counts(&again), same);
    lab.stop().await;
}

async fn only_what_a_set_made_is_pruned(engine: Engine) {
    let lab = Lab::start(engine).await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: Value| {
        std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    };
    let node = |name: &str| json!({"name": name, "driver": "fake-hardware"});
    lab.client
        .post("/v1/nodes", node("theirs"))
        .await
        .expect(201);
    let mut with_port = node("two");
    with_port["ports"] = json!([{"address": "52:54:00:00:00:01"}]);
    write(
        "a.json",
        json!({"set": "a", "nodes": [node("one"), with_port]}),
    );
    write("b.json", json!({"set": "b", "nodes": [node("three")]}));
    corten(&lab, folder.path(), "apply a.json --yes")
        .await
        .fine();
    corten(&lab, folder.path(), "apply b.json --yes")
        .await
        .fine();

    // Files of two sets are not one, and no set takes what is of another.
    let both = corten(&lab, folder.path(), "apply a.json b.json --plan").await;
    assert!(
        both.notes
            .contains("it is of the set b, and a.json is of the set a"),
        "{}",
        both.notes
    );
    write(
        "b.json",
        json!({"set": "b", "nodes": [node("three"), node("one")]}),
    );
    let stolen = corten(&lab, folder.path(), "apply b.json --yes").await;
    assert_eq!(stolen.code, 1);
    assert!(
        stolen.notes.contains("(node one): it is of the set a"),
        "{}",
        stolen.notes
    );

    write("a.json", json!({"set": "a", "nodes": [node("one")]}));
    let kept = corten(&lab, folder.path(), "apply a.json --yes")
        .await
        .fine();
    assert!(
        kept.contains("no file describes any more: node two, port 52:54:00:00:00:01; they stay"),
        "{kept}"
    );
    get(&lab, "/v1/nodes/two").await;

    // A machine in use is never pruned.
    let two = lab.machine(get(&lab, "/v1/nodes/two").await["uuid"].as_str().unwrap());
    let instance = json!([{"op": "add", "path": "/instance_uuid",
        "value": "5f0ad1a6-2b1c-4b9a-9d1e-1f2e3d4c5b6a"}]);
    two.patch(instance).await.expect(200);
    let used = corten(&lab, folder.path(), "apply a.json --prune --yes").await;
    assert_eq!(used.code, 1);
    assert!(
        used.notes
            .contains("node two: no file describes it, and it is in use"),
        "{}",
        used.notes
    );
    two.patch(json!([{"op": "remove", "path": "/instance_uuid"}]))
        .await
        .expect(200);

    let pruned = corten(&lab, folder.path(), "apply a.json --prune --yes")
        .await
        .fine();
    assert_eq!(
        counts(&pruned),
        "0 to create, 0 to change, 1 to delete, 1 as described"
    );
    lab.client.get("/v1/nodes/two").await.expect(404);
    assert_eq!(get(&lab, "/v1/ports").await["ports"], json!([]));
    for name in ["theirs", "one", "three"] {
        get(&lab, &format!("/v1/nodes/{name}")).await;
    }
    lab.stop().await;
}

async fn what_fails_does_not_stop_the_rest(engine: Engine) {
    let lab = Lab::start(engine).await;
    let folder = tempfile::tempdir().unwrap();
    let file = "nodes:
- {name: bad, driver: none-such, ports: [{address: '52:54:00:00:00:01'}]}
- {name: good, driver: fake-hardware, ports: [{address: '52:54:00:00:00:02'}]}
";
    std::fs::write(folder.path().join("a.yml"), file).unwrap();
    let ran = corten(&lab, folder.path(), "apply a.yml --yes").await;
    assert_eq!(ran.code, 1);
    for expected in [
        "node bad (a.yml: nodes, item 1): ",
        "port 52:54:00:00:00:01 (a.yml: nodes, item 1, ports, item 1): not done, because node bad is not there",
        "port 52:54:00:00:00:02: created",
    ] {
        assert!(ran.notes.contains(expected), "{}", ran.notes);
    }
    // Mended, the same file goes on from there.
    std::fs::write(
        folder.path().join("a.yml"),
        file.replace("none-such", "fake-hardware"),
    )
    .unwrap();
    let out = corten(&lab, folder.path(), "apply a.yml --yes")
        .await
        .fine();
    assert_eq!(
        counts(&out),
        "2 to create, 0 to change, 0 to delete, 2 as described"
    );
    lab.stop().await;
}

/// A terminal at which this was typed. The first end is the person's, and keeps it open.
fn typed(text: &str) -> (std::fs::File, Stdio) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let mut options = OpenOptions::new();
    let program = options.read(true).write(true);
    let program = program.open(name.to_str().unwrap()).unwrap();
    let mut person = std::fs::File::from(person);
    person.write_all(text.as_bytes()).unwrap();
    (person, program.into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_is_asked_before_anything_is_changed() {
    let lab = Lab::start(Engine::Sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    let file = "nodes: [{name: one, driver: fake-hardware}]";
    std::fs::write(folder.path().join("a.yaml"), file).unwrap();
    for (answer, code, count) in [("no\n", 1, 0), ("\n", 1, 0), ("yes\n", 0, 1)] {
        let (_person, input) = typed(answer);
        let ran = corten_with(&lab, folder.path(), "apply a.yaml", input).await;
        assert_eq!(ran.code, code, "{answer}: {}", ran.notes);
        assert_eq!(
            counts(&ran.out),
            "1 to create, 0 to change, 0 to delete, 0 as described"
        );
        let nodes = get(&lab, "/v1/nodes").await;
        assert_eq!(nodes["nodes"].as_array().unwrap().len(), count, "{answer}");
    }
    lab.stop().await;
}
