//! Whole commands, from the words typed to what is asked of the service and what is printed.
//!
//! Words are split at spaces; what has spaces inside is written with `␠` for each.

use serde_json::{Value, json};

use super::*;
use crate::canned::{self, Answer, Canned, RecordedRequest};
use crate::console::capture;

struct Ran {
    code: u8,
    out: String,
    notes: String,
    asked: Vec<RecordedRequest>,
}

fn ran(line: &str, answers: impl IntoIterator<Item = Answer>) -> Ran {
    called(Called::Corten, line, answers)
}

fn called(called: Called, line: &str, answers: impl IntoIterator<Item = Answer>) -> Ran {
    canned::run(async {
        let server = Canned::answers(answers).await;
        let base = server.base.clone();
        let variable = |name: &str| match name {
            "IRONIC_URL" => Some(base.clone()),
            "OS_AUTH_TOKEN" => Some("some-token".to_owned()),
            _ => None,
        };
        let around = Surroundings {
            variable: &variable,
            folders: Vec::new(),
        };
        let words = line.split_whitespace().map(|word| word.replace('␠', " "));
        let words: Vec<String> = words.collect();
        let (console, out, notes) = capture::console();
        let code = execute(&words, called, &around, console).await;
        Ran {
            code,
            out: out.text(),
            notes: notes.text(),
            asked: server.asked(),
        }
    })
}

/// Runs a command that succeeds with an empty answer, and looks at its only request.
#[track_caller]
fn asks(line: &str, expected: &str, body: Value) {
    let ran = ran(line, [Answer::new(202, "")]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, ""),
        "{line}: {}",
        ran.notes
    );
    let [asked] = ran.asked.as_slice() else {
        panic!("{line}: {:?}", ran.asked);
    };
    assert_eq!(asked.line, expected, "{line}");
    assert_eq!(asked.body, body, "{line}");
    assert_eq!(asked.header("x-auth-token"), Some("some-token"));
    assert_eq!(asked.header("x-openstack-ironic-api-version"), Some("1.9"));
}

#[test]
fn commands_that_change_a_node_ask_and_print_nothing() {
    asks(
        "node-set-power-state m1 reboot",
        "PUT /v1/nodes/m1/states/power",
        json!({"target": "rebooting"}),
    );
    asks(
        "node-set-power-state m1 off --soft --power-timeout 5",
        "PUT /v1/nodes/m1/states/power",
        json!({"target": "soft power off", "timeout": 5}),
    );
    asks(
        "node-set-maintenance m1 on --reason fans␠are␠loud",
        "PUT /v1/nodes/m1/maintenance",
        json!({"reason": "fans are loud"}),
    );
    asks(
        "node-set-maintenance m1 false",
        "DELETE /v1/nodes/m1/maintenance",
        Value::Null,
    );
    asks(
        "node-set-boot-device m1 pxe --persistent",
        "PUT /v1/nodes/m1/management/boot_device",
        json!({"boot_device": "pxe", "persistent": true}),
    );
    asks(
        "node-set-console-mode m1 yes",
        "PUT /v1/nodes/m1/states/console",
        json!({"enabled": true}),
    );
    asks(
        "node-set-provision-state m1 active --config-drive H4sI",
        "PUT /v1/nodes/m1/states/provision",
        json!({"target": "active", "configdrive": "H4sI"}),
    );
    asks(
        "node-set-provision-state m1 clean --clean-steps [{\"interface\":\"raid\",\"step\":\"x\"}]",
        "PUT /v1/nodes/m1/states/provision",
        json!({"target": "clean", "clean_steps": [{"interface": "raid", "step": "x"}]}),
    );
    asks(
        "node-vendor-passthru m1 reset warm=true --http-method PUT",
        "PUT /v1/nodes/m1/vendor_passthru/reset",
        json!({"warm": true}),
    );
    asks(
        "driver-vendor-passthru ipmi look --http_method get",
        "GET /v1/drivers/ipmi/vendor_passthru/look",
        Value::Null,
    );
    asks(
        "node-vif-attach m1 vif-1 --vif-info vlan=7",
        "POST /v1/nodes/m1/vifs",
        json!({"vlan": 7, "id": "vif-1"}),
    );
    asks(
        "node-set-target-raid-config m1 {\"logical_disks\":[]}",
        "PUT /v1/nodes/m1/states/raid",
        json!({"logical_disks": []}),
    );
}

#[test]
fn a_list_asks_for_what_it_shows_and_follows_pages_up_to_its_limit() {
    let node = |name: &str| json!({"uuid": name, "name": null, "maintenance": false});
    let line =
        "node-list --limit 3 --sort-key Provisioning␠State --associated no --fields uuid name";
    let first =
        json!({"nodes": [node("a"), node("b")], "next": "http://elsewhere/v1/nodes?marker=b"});
    let second =
        json!({"nodes": [node("c"), node("d")], "next": "http://elsewhere/v1/nodes?marker=d"});
    let ran = ran(line, [Answer::new(200, first), Answer::new(200, second)]);
    assert_eq!(ran.code, 0, "{}", ran.notes);
    let lines: Vec<&str> = ran.asked.iter().map(|asked| asked.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "GET /v1/nodes?limit=3&sort_key=provision_state&fields=uuid%2Cname&associated=False",
            "GET /v1/nodes?marker=b",
        ]
    );
    assert_eq!(
        ran.out,
        "\
+------+------+
| UUID | Name |
+------+------+
| a    | None |
| b    | None |
| c    | None |
+------+------+
"
    );
}

#[test]
fn without_a_limit_there_is_one_page_and_detail_is_part_of_the_path() {
    let page = json!({"ports": [{"uuid": "p"}], "next": "http://h/v1/ports?marker=p"});
    let detailed = ran("node-port-list --detail m1", [Answer::new(200, page)]);
    assert_eq!(detailed.asked.len(), 1);
    assert_eq!(detailed.asked[0].line, "GET /v1/nodes/m1/ports/detail");
    let line = "volume-connector-list --detail -n m1";
    let queried = ran(line, [Answer::new(200, json!({"connectors": []}))]);
    assert_eq!(
        queried.asked[0].line,
        "GET /v1/volume/connectors?detail=True&node=m1"
    );
}

#[test]
fn a_node_is_made_of_pairs_and_printed_field_by_field() {
    let line = "node-create -d ipmi -i ipmi_address=10.1.2.3 --driver_info ipmi_port=623 -p cpus=8";
    let made = json!({"uuid": "u", "driver": "ipmi", "driver_info": {"ipmi_port": 623}});
    let ran = ran(line, [Answer::new(201, made)]);
    assert_eq!(ran.asked[0].line, "POST /v1/nodes");
    assert_eq!(
        ran.asked[0].body,
        json!({
            "driver": "ipmi",
            "driver_info": {"ipmi_address": "10.1.2.3", "ipmi_port": 623},
            "properties": {"cpus": 8},
        })
    );
    assert!(
        ran.out
            .contains("| driver_info          | {'ipmi_port': 623} |"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("| extra                |                    |"),
        "{}",
        ran.out
    );
    // The command and the option are each told of once.
    assert_eq!(
        ran.notes,
        "hint: `ironic node-create` is an old name; today: corten node create\n\
         hint: --driver_info is an old spelling of --driver-info\n"
    );
}

#[test]
fn an_instance_must_be_on_one_node() {
    let line = "node-show --instance i1";
    let found = ran(line, [Answer::new(200, json!({"nodes": [{"uuid": "u"}]}))]);
    assert_eq!(found.asked[0].line, "GET /v1/nodes/detail?instance_uuid=i1");
    assert_eq!(found.code, 0);
    let missing = ran(line, [Answer::new(200, json!({"nodes": []}))]);
    assert_eq!(missing.code, 1);
    assert!(
        missing.notes.ends_with("\nNot Found (HTTP 404)\n"),
        "{}",
        missing.notes
    );
}

#[test]
fn what_cannot_be_deleted_does_not_keep_the_others() {
    let answers = || {
        [
            Answer::fault(404, "Node a could not be found."),
            Answer::new(204, ""),
        ]
    };
    let nodes = ran("node-delete a b", answers());
    assert_eq!((nodes.code, nodes.out.as_str()), (1, "Deleted node b\n"));
    assert!(
        nodes
            .notes
            .ends_with("\nFailed to delete node a: Node a could not be found. (HTTP 404)\n")
    );
    // Chassis are deleted up to the first that cannot be.
    let chassis = ran("chassis-delete a b", answers());
    assert_eq!((chassis.code, chassis.out.as_str()), (1, ""));
    assert_eq!(chassis.asked.len(), 1);
}

#[test]
fn conflicts_and_overload_are_tried_again_as_often_as_asked_for() {
    let busy = || Answer::fault(409, "Node m1 is locked");
    let line = "--max-retries 1 --retry-interval 1 node-set-power-state m1 on";
    let passed = ran(line, [busy(), Answer::new(202, "")]);
    assert_eq!((passed.code, passed.asked.len()), (0, 2));
    let stayed = ran(line, [busy(), Answer::new(503, "")]);
    assert_eq!((stayed.code, stayed.asked.len()), (1, 2));
    assert!(stayed.notes.ends_with("\nService Unavailable (HTTP 503)\n"));
    let never = ran("--max-retries 0 node-set-power-state m1 on", [busy()]);
    assert_eq!((never.code, never.asked.len()), (1, 1));
}

#[test]
fn a_version_is_lowered_unless_somebody_insists_on_it() {
    let refused = || {
        Answer::fault(406, "no")
            .header("x-openstack-ironic-api-minimum-version", "1.1")
            .header("x-openstack-ironic-api-maximum-version", "1.6")
    };
    let list = Answer::new(200, json!({"chassis": []}));
    let lowered = ran("chassis-list", [refused(), list.clone()]);
    assert_eq!(lowered.code, 0, "{}", lowered.notes);
    let version = lowered.asked[1].header("x-openstack-ironic-api-version");
    assert_eq!(version, Some("1.6"));
    let insisted = ran("--ironic-api-version 1.8 chassis-list", [refused(), list]);
    assert_eq!((insisted.code, insisted.asked.len()), (1, 1));
    assert!(
        insisted.notes.contains("range is 1.1 to 1.6"),
        "{}",
        insisted.notes
    );
}

#[test]
fn debugging_shows_requests_without_secrets() {
    let line = "--debug node-update m1 add driver_info/ipmi_password=s3cret name=x";
    let ran = ran(line, [Answer::new(200, json!({"uuid": "u"}))]);
    assert!(
        ran.notes.contains("curl -g -i -X PATCH http://127.0.0.1:"),
        "{}",
        ran.notes
    );
    assert!(ran.notes.contains("X-Auth-Token: ***"), "{}", ran.notes);
    assert!(ran.notes.contains("RESP: [200]"), "{}", ran.notes);
    for secret in ["s3cret", "some-token"] {
        assert!(!ran.notes.contains(secret), "{}", ran.notes);
    }
}

#[test]
fn a_command_line_that_is_wrong_asks_nobody() {
    for (line, expected) in [
        (
            "node-show",
            "ironic node-show: error: the following arguments are required: <id>\n",
        ),
        (
            "node-show ␠",
            "ironic node-show: error: <id> cannot be empty or only have blank spaces\n",
        ),
        (
            "node-lst",
            "ironic: error: argument <subcommand>: invalid choice: 'node-lst' (choose from ",
        ),
        (
            "node-list --json",
            "ironic: error: unrecognized arguments: --json\n",
        ),
        (
            "node-list --limit -1",
            "ironic node-list: error: Expected non-negative --limit, got -1\n",
        ),
        (
            "node-set-maintenance m1 off --reason x",
            "error: Cannot set \"reason\" when turning off maintenance mode.\n",
        ),
        (
            "node-set-provision-state m1 abort --wait",
            "error: --wait is not supported for provision state 'abort'\n",
        ),
    ] {
        let ran = ran(line, []);
        assert_eq!((ran.code, ran.asked.len()), (2, 0), "{line}: {}", ran.notes);
        assert!(
            ran.notes.contains("usage: ironic "),
            "{line}: {}",
            ran.notes
        );
        assert!(ran.notes.contains(expected), "{line}: {}", ran.notes);
    }
}

#[test]
fn the_name_ironic_alone_is_reserved() {
    for line in ["", "--debug", "--os-auth-token x"] {
        let ironic = called(Called::Ironic, line, []);
        assert_eq!((ironic.code, ironic.out.as_str()), (2, ""), "{line}");
        assert!(ironic.notes.contains("reserved"), "{}", ironic.notes);
        assert!(ironic.notes.contains("corten serve"), "{}", ironic.notes);
    }
    let help = called(Called::Ironic, "help node-list", []);
    assert!(
        help.out.starts_with("usage: ironic node-list"),
        "{}",
        help.out
    );
    assert_eq!(called(Called::Corten, "", []).code, 0);
}

#[test]
fn a_service_that_is_away_is_told_with_its_address() {
    let line = "--max-retries 0 --ironic-url http://127.0.0.1:1 node-list";
    let ran = ran(line, []);
    assert_eq!(ran.code, 1);
    let expected = "Unable to establish connection to http://127.0.0.1:1/v1/nodes: ";
    assert!(ran.notes.contains(expected), "{}", ran.notes);
}

#[test]
fn commands_of_the_documentation_can_be_checked() {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
    assert!(check(&words("--ironic-api-version 1.11 node-list --detail")).is_ok());
    assert!(check(&words("help")).is_ok());
    for wrong in ["node-lst", "node-list --nope", "node-show", "--debug"] {
        assert!(check(&words(wrong)).is_err(), "{wrong}");
    }
}
