//! Whole commands, from the words typed to what is asked of the service and what is printed.

use clap::{CommandFactory, Parser};
use serde_json::{Value, json};

use super::*;
use crate::canned::{self, Answer, Canned, RecordedRequest};
use crate::console::capture;

/// What the program is about.
#[derive(Parser)]
#[command(name = "corten")]
struct Line {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// How a command went.
pub(crate) struct Ran {
    pub(crate) code: u8,
    pub(crate) out: String,
    pub(crate) notes: String,
}

/// Runs a command line against a server. Words are split at spaces; what has spaces inside is
/// written with `␠` for each.
pub(crate) async fn corten(server: &Canned, line: &str) -> Ran {
    corten_with(
        &|name| (name == "OS_ENDPOINT").then(|| server.base.clone()),
        line,
    )
    .await
}

/// Runs a command line with these variables.
pub(crate) async fn corten_with(variable: &dyn Fn(&str) -> Option<String>, line: &str) -> Ran {
    corten_at(variable, capture::console(), line).await
}

/// Runs a command on a terminal of this width.
pub(crate) fn ran_on_terminal(
    width: usize,
    line: &str,
    answer: impl FnMut(&RecordedRequest) -> Answer + 'static,
) -> (Ran, Vec<RecordedRequest>) {
    canned::run(async {
        let server = Canned::with(answer).await;
        let (mut console, out, notes) = capture::console();
        console.width = Some(width);
        let variable = |name: &str| (name == "OS_ENDPOINT").then(|| server.base.clone());
        let ran = corten_at(&variable, (console, out, notes), line).await;
        (ran, server.asked())
    })
}

async fn corten_at(
    variable: &dyn Fn(&str) -> Option<String>,
    (console, out, notes): (Console, capture::Captured, capture::Captured),
    line: &str,
) -> Ran {
    let words = line.split_whitespace().map(|word| word.replace("␠", " "));
    let words = std::iter::once("corten".to_owned()).chain(words);
    let line = match Line::try_parse_from(words) {
        Ok(line) => line,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap();
            return Ran {
                code,
                out: String::new(),
                notes: error.to_string(),
            };
        }
    };
    let around = Surroundings {
        variable,
        folders: Vec::new(),
    };
    let code = execute(line.command, &line.global, &around, console).await;
    Ran {
        code,
        out: out.text(),
        notes: notes.text(),
    }
}

/// Runs a command against these answers.
pub(crate) fn ran(
    line: &str,
    answers: impl IntoIterator<Item = Answer>,
) -> (Ran, Vec<RecordedRequest>) {
    canned::run(async {
        let server = Canned::answers(answers).await;
        let ran = corten(&server, line).await;
        (ran, server.asked())
    })
}

/// What a command asks that is answered with 202 and nothing.
fn asks(line: &str) -> (String, Value) {
    let (ran, asked) = ran(line, [Answer::new(202, "")]);
    assert_eq!((ran.code, ran.notes.as_str()), (0, ""), "{line}");
    (asked[0].line.clone(), asked[0].body.clone())
}

#[test]
fn the_grammar_is_consistent() {
    Line::command().debug_assert();
}

#[test]
fn the_program_keeps_its_own_description() {
    let about = Line::command().get_about().map(ToString::to_string);
    assert_eq!(about.as_deref(), Some("What the program is about"));
}

#[test]
fn every_help_says_what_the_exit_codes_are() {
    for resource in ["node", "port", "volume", "allocation", "runbook", "driver"] {
        let Err(help) = Line::try_parse_from(["corten", resource, "--help"]) else {
            panic!("{resource}")
        };
        assert!(help.to_string().contains("Exit codes:"), "{resource}");
    }
}

#[test]
fn provision_verbs_ask_for_their_targets() {
    for (verb, target) in [
        ("manage", "manage"),
        ("provide", "provide"),
        ("inspect", "inspect"),
        ("adopt", "adopt"),
        ("abort", "abort"),
        ("deploy", "active"),
        ("rebuild", "rebuild"),
        ("undeploy", "deleted"),
        ("unrescue", "unrescue"),
        ("unhold", "unhold"),
    ] {
        let (line, body) = asks(&format!("node {verb} m1"));
        assert_eq!(line, "PUT /v1/nodes/m1/states/provision");
        assert_eq!(body, json!({"target": target}));
    }
}

#[test]
fn moves_take_along_what_they_need() {
    let steps = r#"[{"interface":"deploy","step":"x"}]"#;
    for (line, expected) in [
        (
            format!("node clean m1 --clean-steps {steps} --disable-ramdisk"),
            json!({"target": "clean", "clean_steps": [{"interface": "deploy", "step": "x"}],
                   "disable_ramdisk": true}),
        ),
        (
            "node service m1 --runbook CUSTOM_FIX".to_owned(),
            json!({"target": "service", "runbook": "CUSTOM_FIX"}),
        ),
        (
            format!(r#"node deploy m1 --deploy-steps {steps} --config-drive {{"meta_data":{{}}}}"#),
            json!({"target": "active", "deploy_steps": [{"interface": "deploy", "step": "x"}],
                   "configdrive": {"meta_data": {}}}),
        ),
        (
            "node rescue m1 --rescue-password s3cret".to_owned(),
            json!({"target": "rescue", "rescue_password": "s3cret"}),
        ),
    ] {
        assert_eq!(asks(&line).1, expected, "{line}");
    }
}

#[test]
fn moves_that_lack_something_are_usage_errors() {
    for line in [
        "node clean m1",
        "node service m1",
        "node rescue m1",
        "node clean m1 --runbook r --disable-ramdisk",
        "node clean m1 --clean-steps [] --runbook r",
        "node deploy",
        "node abort m1 --wait",
        "node set m1 --reset-interfaces",
        "node set m1 m2 --name x",
        "node power on m1 --power-timeout 0",
        "node power on m1 --soft",
        "node list --fields nonsense",
        "node list --long --fields uuid",
        "node list --sort name:sideways",
    ] {
        let (ran, asked) = ran(line, []);
        assert_eq!((ran.code, asked.len()), (2, 0), "{line}: {}", ran.notes);
    }
}

#[test]
fn waiting_ends_when_the_node_arrives() {
    let at = |state: &str, target: Value| {
        Answer::new(
            200,
            json!({"provision_state": state, "target_provision_state": target}),
        )
    };
    let (ran, asked) = ran(
        "node manage m1 --wait",
        [Answer::new(202, ""), at("manageable", json!(null))],
    );
    assert_eq!(
        (ran.code, ran.notes.as_str()),
        (0, "waiting for m1 to become manageable\n")
    );
    assert_eq!(
        asked[1].line,
        "GET /v1/nodes/m1?fields=uuid%2Cname%2Cprovision_state%2Ctarget_provision_state%2Clast_error"
    );
}

#[test]
fn waiting_fails_when_the_node_goes_astray() {
    let lost = json!({"provision_state": "enroll", "last_error": "no BMC"});
    let (ran, _) = ran(
        "node manage m1 --wait 60",
        [Answer::new(202, ""), Answer::new(200, lost)],
    );
    assert_eq!(ran.code, 1);
    assert!(
        ran.notes
            .ends_with("error: node m1: stays in state 'enroll' instead of 'manageable': no BMC\n"),
        "{}",
        ran.notes
    );
}

#[test]
fn power_and_maintenance() {
    for (line, request, body) in [
        (
            "power on m1",
            "PUT /v1/nodes/m1/states/power",
            json!({"target": "power on"}),
        ),
        (
            "power off m1 --soft --power-timeout 60",
            "PUT /v1/nodes/m1/states/power",
            json!({"target": "soft power off", "timeout": 60}),
        ),
        (
            "reboot m1",
            "PUT /v1/nodes/m1/states/power",
            json!({"target": "rebooting"}),
        ),
        (
            "reboot m1 --soft",
            "PUT /v1/nodes/m1/states/power",
            json!({"target": "soft rebooting"}),
        ),
        (
            "maintenance set m1 --reason fan␠broken",
            "PUT /v1/nodes/m1/maintenance",
            json!({"reason": "fan broken"}),
        ),
        (
            "maintenance set m1",
            "PUT /v1/nodes/m1/maintenance",
            json!({"reason": null}),
        ),
        (
            "maintenance unset m1",
            "DELETE /v1/nodes/m1/maintenance",
            json!(null),
        ),
        (
            "boot mode set m1 uefi",
            "PUT /v1/nodes/m1/states/boot_mode",
            json!({"target": "uefi"}),
        ),
        (
            "secure boot off m1",
            "PUT /v1/nodes/m1/states/secure_boot",
            json!({"target": false}),
        ),
        (
            "inject nmi m1",
            "PUT /v1/nodes/m1/management/inject_nmi",
            json!({}),
        ),
        (
            "console enable m1",
            "PUT /v1/nodes/m1/states/console",
            json!({"enabled": true}),
        ),
        (
            "vif attach m1 v --port-uuid p --vif-info a=1",
            "POST /v1/nodes/m1/vifs",
            json!({"id": "v", "port_uuid": "p", "a": 1}),
        ),
        ("vif detach m1 v", "DELETE /v1/nodes/m1/vifs/v", json!(null)),
        (
            "passthru call m1 blink --arg times=3",
            "POST /v1/nodes/m1/vendor_passthru/blink",
            json!({"times": 3}),
        ),
        (
            "passthru call m1 blink --http-method get",
            "GET /v1/nodes/m1/vendor_passthru/blink",
            json!(null),
        ),
        (
            "boot device set m1 pxe --persistent",
            "PUT /v1/nodes/m1/management/boot_device",
            json!({"boot_device": "pxe", "persistent": true}),
        ),
        (
            "boot device set m1 uefihttp",
            "PUT /v1/nodes/m1/management/boot_device",
            json!({"boot_device": "uefihttp", "persistent": false}),
        ),
    ] {
        let (asked, sent) = asks(&format!("node {line}"));
        assert_eq!((asked.as_str(), sent), (request, body), "{line}");
    }
}

#[test]
fn several_nodes_each_get_a_request() {
    let (ran, asked) = ran(
        "node power off m1 m2 m3",
        vec![Answer::new(202, ""), Answer::fault(400, "no")],
    );
    let lines: Vec<&str> = asked.iter().map(|asked| asked.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "PUT /v1/nodes/m1/states/power",
            "PUT /v1/nodes/m2/states/power"
        ],
        "stops at the first that fails"
    );
    assert_eq!((ran.code, ran.notes.as_str()), (1, "error: node m2: no\n"));
}

#[test]
fn deleting_goes_on_after_a_failure() {
    let (ran, asked) = ran(
        "node delete m1 m2 m3",
        [
            Answer::new(204, ""),
            Answer::fault(404, "Node m2 could not be found."),
            Answer::new(204, ""),
        ],
    );
    assert_eq!(asked.len(), 3);
    assert_eq!(ran.out, "Deleted node m1\nDeleted node m3\n");
    assert_eq!(
        (ran.code, ran.notes.as_str()),
        (1, "error: node m2: Node m2 could not be found.\n")
    );
}

#[test]
fn lists_filter_at_the_service() {
    let empty = Answer::new(200, json!({"nodes": []}));
    let (_, asked) = ran(
        "node list --provision-state clean␠failed --no-maintenance --associated --driver redfish \
         --resource-class a --chassis c --shards s1 s2 --sharded --include-children --marker u \
         --limit 5 --fields uuid name",
        [empty.clone()],
    );
    assert_eq!(
        asked[0].line,
        "GET /v1/nodes?fields=uuid%2Cname&associated=True&maintenance=False\
         &provision_state=clean+failed&driver=redfish&resource_class=a&chassis_uuid=c\
         &sharded=True&shard=s1%2Cs2&include_children=True&marker=u&limit=5"
    );
    let (_, asked) = ran("node list --long", [empty]);
    assert_eq!(asked[0].line, "GET /v1/nodes/detail");
}

#[test]
fn a_list_shows_the_usual_columns() {
    let nodes = json!({"nodes": [
        {"uuid": "u-2", "name": "b", "instance_uuid": null, "power_state": "power on",
         "provision_state": "active", "maintenance": false, "links": []},
        {"uuid": "u-1", "name": "a", "instance_uuid": null, "power_state": null,
         "provision_state": "enroll", "maintenance": true, "links": []},
    ]});
    let (ran, _) = ran("node list --sort name", [Answer::new(200, nodes)]);
    assert_eq!(
        ran.out,
        "\
+------+------+---------------+-------------+-----------------+-------------+
| uuid | name | instance_uuid | power_state | provision_state | maintenance |
+------+------+---------------+-------------+-----------------+-------------+
| u-1  | a    | None          | None        | enroll          | True        |
| u-2  | b    | None          | power on    | active          | False       |
+------+------+---------------+-------------+-----------------+-------------+
"
    );
}

#[test]
fn a_created_node_is_shown_without_its_links() {
    let (ran, asked) = ran(
        "node create --driver fake-hardware --name m1 --driver-info a=1 --bios-interface no-bios \
         --no-automated-clean -f json",
        [Answer::new(
            201,
            json!({"uuid": "u", "name": "m1", "links": [], "ports": []}),
        )],
    );
    assert_eq!(asked[0].line, "POST /v1/nodes");
    assert_eq!(
        asked[0].body,
        json!({"driver": "fake-hardware", "name": "m1", "driver_info": {"a": 1},
               "bios_interface": "no-bios", "automated_clean": false})
    );
    assert_eq!(
        serde_json::from_str::<Value>(&ran.out).unwrap(),
        json!({"uuid": "u", "name": "m1", "chassis_uuid": ""})
    );
}

#[test]
fn setting_patches_and_raid_goes_first() {
    let (ran, asked) = ran(
        r#"node set m1 --driver ipmi --reset-interfaces --protected --target-raid-config {"a":1}"#,
        [Answer::new(204, ""), Answer::new(200, "{}")],
    );
    assert_eq!(ran.code, 0, "{}", ran.notes);
    assert_eq!(asked[0].line, "PUT /v1/nodes/m1/states/raid");
    assert_eq!(asked[0].body, json!({"a": 1}));
    assert_eq!(asked[1].line, "PATCH /v1/nodes/m1?reset_interfaces=True");
    assert_eq!(
        asked[1].body,
        json!([
            {"op": "add", "path": "/driver", "value": "ipmi"},
            {"op": "add", "path": "/protected", "value": true},
        ])
    );
}

#[test]
fn unsetting_removes_and_raid_becomes_empty() {
    let (_, asked) = ran(
        "node unset m1 --target-raid-config --owner --instance-info image_source",
        [Answer::new(204, ""), Answer::new(200, "{}")],
    );
    assert_eq!(asked[0].body, json!({}));
    assert_eq!(
        asked[1].body,
        json!([
            {"op": "remove", "path": "/owner"},
            {"op": "remove", "path": "/instance_info/image_source"},
        ])
    );
}

#[test]
fn nothing_to_set_is_remarked_and_no_failure() {
    for line in [
        "node set m1",
        "node unset m1",
        "port set p",
        "chassis unset c",
    ] {
        let (ran, asked) = ran(line, []);
        assert_eq!((ran.code, asked.len()), (0, 0), "{line}");
        assert!(ran.notes.starts_with("nothing to change"), "{line}");
    }
}

#[test]
fn nobody_there_is_exit_code_three() {
    let code = canned::run(async {
        let mut server = Canned::answers([]).await;
        let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        server.base = format!("http://{}", gone.local_addr().unwrap());
        drop(gone);
        corten(&server, "conductor list").await.code
    });
    assert_eq!(code, 3);
}

/// Each way of speaking past each other is told with the other address.
#[test]
fn http_and_https_that_were_mixed_up_are_told() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    // What TLS servers send to plain HTTP is an alert (RFC 8446, section 6).
    const ALERT: &[u8] = b"\x15\x03\x01\x00\x02\x02\x46";
    const BAD: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
    for (scheme, answer, hint) in [
        ("http", ALERT, "try https://"),
        ("https", BAD, "try http://"),
    ] {
        let told = canned::run(async {
            let mut server = Canned::answers([]).await;
            let other = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            server.base = format!("{scheme}://{}", other.local_addr().unwrap());
            tokio::spawn(async move {
                loop {
                    let (mut stream, _) = other.accept().await.unwrap();
                    let _ = stream.read(&mut [0; 4096]).await;
                    let _ = stream.write_all(answer).await;
                }
            });
            corten(&server, "conductor list").await.notes
        });
        assert!(told.contains(hint), "{scheme}: {told}");
    }
}

#[test]
fn connection_options_stand_anywhere() {
    canned::run(async {
        let server = Canned::answers(vec![Answer::new(200, json!({"conductors": []})); 2]).await;
        for line in ["--os-token t conductor list", "conductor list --os-token t"] {
            assert_eq!(corten(&server, line).await.code, 0);
        }
        let tokens = server.asked();
        assert!(
            tokens
                .iter()
                .all(|asked| asked.header("x-auth-token") == Some("t"))
        );
    });
}

#[test]
fn a_closed_output_is_no_failure() {
    canned::run(async {
        let server = Canned::answers([Answer::new(200, json!({"conductors": []}))]).await;
        let line =
            Line::try_parse_from(["corten", "conductor", "list"]).unwrap_or_else(|_| panic!());
        let variable = |name: &str| (name == "OS_ENDPOINT").then(|| server.base.clone());
        let around = Surroundings {
            variable: &variable,
            folders: Vec::new(),
        };
        let code = execute(line.command, &line.global, &around, capture::closed()).await;
        assert_eq!(code, 0);
    });
}
