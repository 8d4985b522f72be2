//! What the service tells of a machine beside its fields.

use serde_json::{Value, json};

use crate::canned::Answer;
use crate::tests::ran;

#[test]
fn traits_in_both_word_orders() {
    for line in [
        "node trait add m1 CUSTOM_A CUSTOM_B",
        "node add trait m1 CUSTOM_A CUSTOM_B",
    ] {
        let (ran, asked) = ran(line, vec![Answer::new(204, ""); 2]);
        assert_eq!(ran.out, "Added trait CUSTOM_A\nAdded trait CUSTOM_B\n");
        assert_eq!(asked[1].line, "PUT /v1/nodes/m1/traits/CUSTOM_B");
    }
    let (_, asked) = ran("node remove trait m1 --all", [Answer::new(204, "")]);
    assert_eq!(asked[0].line, "DELETE /v1/nodes/m1/traits");
    assert_eq!(ran("node trait remove m1", []).0.code, 2);
    let listed = Answer::new(200, json!({"traits": ["CUSTOM_A"]}));
    assert_eq!(
        ran("node trait list m1 -f value", [listed]).0.out,
        "CUSTOM_A\n"
    );
}

#[test]
fn validation_is_sorted_and_titled() {
    let verdicts = json!({"power": {"result": true}, "boot": {"result": false, "reason": "no"}});
    let (ran, _) = ran("node validate m1 -f csv", [Answer::new(200, verdicts)]);
    assert_eq!(
        ran.out,
        "\"Interface\",\"Result\",\"Reason\"\n\"boot\",False,\"no\"\n\"power\",True,\"\"\n"
    );
}

#[test]
fn history_shows_events() {
    let event = json!({"uuid": "e", "created_at": "t", "severity": "ERROR", "event": "no power",
                       "links": []});
    let answer = Answer::new(200, json!({"history": [event.clone()]}));
    let (listed, asked) = ran("node history list m1 -f value", [answer]);
    assert_eq!(
        (listed.out.as_str(), asked[0].line.as_str()),
        ("e t ERROR no power\n", "GET /v1/nodes/m1/history")
    );
    let (got, asked) = ran("node history get m1 e -f value", [Answer::new(200, event)]);
    assert_eq!(
        (got.out.as_str(), asked[0].line.as_str()),
        ("e\nt\nERROR\nno power\n", "GET /v1/nodes/m1/history/e")
    );
}

#[test]
fn a_bios_setting_stands_under_its_own_name() {
    let setting = json!({"vt": {"name": "vt", "value": "on", "links": []}});
    let (shown, asked) = ran(
        "node bios setting show m1 vt -f value",
        [Answer::new(200, setting)],
    );
    assert_eq!(
        (shown.out.as_str(), asked[0].line.as_str()),
        ("vt\non\n", "GET /v1/nodes/m1/bios/vt")
    );
}

#[test]
fn an_inventory_is_written_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("inventory.json");
    let inventory = json!({"inventory": {"cpu": 4}, "plugin_data": {}});
    let line = format!("node inventory save m1 --file {}", file.display());
    let (saved, _) = ran(&line, [Answer::new(200, inventory.clone())]);
    assert_eq!((saved.code, saved.out.as_str()), (0, ""));
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), inventory);
}

#[test]
fn a_machine_that_was_not_inspected_is_told_by_its_name() {
    let row = json!({"error_message": {"faultstring":
        "Node inventory record for node 5 could not be found."}});
    for command in ["save", "show"] {
        let answers = [
            Answer::new(404, row.clone()),
            Answer::new(200, json!({"name": "m1"})),
        ];
        let (ran, asked) = ran(&format!("node inventory {command} m1"), answers);
        assert_eq!(ran.code, 1);
        assert_eq!(asked[1].line, "GET /v1/nodes/m1");
        assert_eq!(
            ran.notes,
            "error: node m1: there is no inventory: it was not inspected yet\n\
             hint: corten node inspect m1 --wait\n"
        );
    }
    let none = json!({"error_message": {"faultstring": "Node m1 could not be found."}});
    let answers = [Answer::new(404, none.clone()), Answer::new(404, none)];
    let (ran, _) = ran("node inventory show m1", answers);
    assert_eq!(ran.notes, "error: node m1: Node m1 could not be found.\n");
}

#[test]
fn vendor_methods_are_listed() {
    let methods = json!({"blink": {"http_methods": ["POST", "PUT"], "async": true,
                                   "description": "d", "attach": false}});
    let line = "driver passthru list redfish -f csv";
    let (listed, asked) = ran(line, [Answer::new(200, methods)]);
    assert_eq!(
        asked[0].line,
        "GET /v1/drivers/redfish/vendor_passthru/methods"
    );
    assert_eq!(
        listed.out,
        "\"name\",\"http_methods\",\"async\",\"description\",\"attach\"\n\
         \"blink\",\"POST, PUT\",True,\"d\",False\n"
    );
}

#[test]
fn the_event_log_of_a_bmc_is_listed_and_cleared() {
    let entry = |id: &str, severity: Value, text: &str| {
        json!({"id": id, "log": "SEL", "at": null, "severity": severity, "sensor_type": "Fan",
            "sensor": "FAN1", "text": text, "is_asserted": true, "raw": "00"})
    };
    let log = json!({"node_uuid": "u", "is_cut": true, "has_overflown": true, "entries": [
        entry("1", json!("OK"), "fan present"),
        entry("2", json!("Critical"), "fan failed"),
        entry("3", json!(null), "event type 0x70, state 2"),
    ]});
    let (told, asked) = ran("node sel list m1 -f csv", [Answer::new(200, log.clone())]);
    assert_eq!(asked[0].line, "GET /corten/v1/nodes/m1/sel");
    assert_eq!(told.out.lines().count(), 4, "{}", told.out);
    assert!(
        told.out
            .contains("\"2\",\"\",\"Critical\",\"Fan\",\"FAN1\",\"fan failed\"")
    );
    assert!(told.notes.contains("more entries"), "{}", told.notes);
    assert!(told.notes.contains("drops entries"), "{}", told.notes);
    let line = "node sel list m1 -f json --severity warning";
    let (told, _) = ran(line, [Answer::new(200, log)]);
    let entries: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(entries.as_array().unwrap().len(), 1);
    assert_eq!(entries[0]["raw"], "00");
    let answers = [Answer::new(204, ""), Answer::fault(409, "locked")];
    let (told, asked) = ran("node sel clear m1 m2", answers);
    assert_eq!(asked[1].line, "DELETE /corten/v1/nodes/m2/sel");
    assert_eq!(told.out, "The log of m1 is empty\n");
    assert!(told.notes.contains("m2") && told.notes.contains("locked"));
    assert_eq!(told.code, 1);
}

#[test]
fn passwords_of_many_bmcs_are_changed_and_every_failure_is_told() {
    let (told, asked) = ran(
        "node rotate-password m1 m2 --length 20 --at-once 1",
        [Answer::fault(400, "too short"), Answer::new(204, "")],
    );
    assert_eq!(told.out, "The BMC of m2 has a new password\n");
    let notes = &told.notes;
    assert!(
        notes.contains("m1") && notes.contains("too short"),
        "{notes}"
    );
    assert_eq!(told.code, 1);
    assert_eq!(asked[0].line, "POST /corten/v1/nodes/m1/bmc-password");
    assert_eq!(asked[0].body, json!({"length": 20}));
    assert_eq!(asked[1].line, "POST /corten/v1/nodes/m2/bmc-password");

    let listed = json!({"nodes": [{"uuid": "u1", "name": null}, {"uuid": "u2", "name": "m2"}]});
    let answers = [
        Answer::new(200, listed),
        Answer::new(204, ""),
        Answer::new(204, ""),
    ];
    let (told, asked) = ran("node rotate-password --class gold --at-once 1", answers);
    assert_eq!(told.code, 0, "{}", told.notes);
    assert!(
        asked[0].line.contains("resource_class=gold"),
        "{}",
        asked[0].line
    );
    assert_eq!(asked[1].line, "POST /corten/v1/nodes/u1/bmc-password");
    assert_eq!(asked[2].line, "POST /corten/v1/nodes/m2/bmc-password");

    let none = Answer::new(200, json!({"nodes": []}));
    assert_eq!(ran("node rotate-password --class gold", [none]).0.code, 1);
    for wrong in ["", "m1 --class gold", "m1 --length 8", "m1 --at-once 0"] {
        let (told, _) = ran(&format!("node rotate-password {wrong}"), []);
        assert_eq!(told.code, 2, "{wrong}");
    }
}
