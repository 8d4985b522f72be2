//! The service without sockets: who may do what, what is refused, and what stays as it was.

mod bench;
mod refusals;

use super::{Options, quirks::Quirks};
use crate::{
    fault::{Faults, HttpFaults, Ignore},
    machine::{
        Settings,
        account::User,
        boot::{Device, Enabled, Firmware},
    },
    personality::Personality,
};
use bench::Bench;
use hyper::StatusCode;
use proto::ipmi::Privilege;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const SYSTEM: &str = "/redfish/v1/Systems/1";
const SESSIONS: &str = "/redfish/v1/SessionService/Sessions";
const VOLUMES: &str = "/redfish/v1/Systems/1/Storage/1/Volumes";

#[test]
fn strangers_see_the_root_and_nothing_else() {
    let bench = Bench::new();
    for open in [
        "/redfish",
        "/redfish/v1/",
        "/redfish/v1/odata",
        "/redfish/v1/$metadata",
    ] {
        assert_eq!(
            bench.stranger("GET", open, None).status,
            StatusCode::OK,
            "{open}"
        );
    }
    for (method, path) in [
        ("GET", SYSTEM),
        ("GET", "/redfish/v1/Nothing"),
        ("POST", SYSTEM),
    ] {
        let answer = bench.stranger(method, path, None);
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        assert!(answer.header("www-authenticate").is_some());
    }
}

#[test]
fn a_session_is_opened_used_and_closed() {
    let bench = Bench::new();
    let body = json!({"UserName": "admin", "Password": "password"});
    let opened = bench.stranger("POST", SESSIONS, Some(&body));
    assert_eq!(opened.status, StatusCode::CREATED);
    assert!(
        !opened.body.to_string().contains("password\""),
        "{}",
        opened.body
    );
    let token = opened.header("x-auth-token").unwrap();
    let location = opened.header("location").unwrap();
    assert_eq!(
        bench.with_token(&token, "GET", SYSTEM).status,
        StatusCode::OK
    );
    assert_eq!(
        bench.with_token(&token, "DELETE", &location).status,
        StatusCode::NO_CONTENT
    );
    let after = bench.with_token(&token, "GET", SYSTEM);
    assert_eq!(after.status, StatusCode::UNAUTHORIZED);
    assert_eq!(after.message(), "Base.1.18.NoValidSession");
    let wrong = json!({"UserName": "admin", "Password": "guess"});
    let refused = bench.stranger("POST", SESSIONS, Some(&wrong));
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert!(!refused.body.to_string().contains("guess"));
}

#[test]
fn sessions_are_limited_and_gone_after_a_restart() {
    let bench = Bench::new();
    bench.faults(Faults {
        session_limit: Some(2),
        ..Faults::default()
    });
    let body = json!({"UserName": "admin", "Password": "password"});
    let open = || bench.stranger("POST", SESSIONS, Some(&body));
    let token = open().header("x-auth-token").unwrap();
    open();
    let third = open();
    assert_eq!(third.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(third.message(), "Base.1.18.SessionLimitExceeded");
    bench.machine().restart_bmc();
    assert_eq!(
        bench.with_token(&token, "GET", SYSTEM).status,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(open().status, StatusCode::CREATED);
}

#[test]
fn who_may_only_look_changes_nothing_but_their_password() {
    let bench = Bench::with(Settings {
        users: Arc::new([
            User::administrator("admin", "password"),
            User::new("eve", "evening", Privilege::User),
        ]),
        ..Settings::default()
    });
    let eve =
        |method, path: &str, body: &Value| bench.user("eve:evening", method, path, Some(body));
    assert_eq!(eve("GET", SYSTEM, &Value::Null).status, StatusCode::OK);
    let on = json!({"ResetType": "On"});
    let reset = format!("{SYSTEM}/Actions/ComputerSystem.Reset");
    assert_eq!(eve("POST", &reset, &on).status, StatusCode::FORBIDDEN);
    let role = json!({"RoleId": "Administrator"});
    let accounts = "/redfish/v1/AccountService/Accounts";
    assert_eq!(
        eve("PATCH", &format!("{accounts}/3"), &role).status,
        StatusCode::FORBIDDEN
    );
    let password = json!({"Password": "tomorrow"});
    assert_eq!(
        eve("PATCH", &format!("{accounts}/2"), &password).status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        eve("PATCH", &format!("{accounts}/3"), &password).status,
        StatusCode::OK
    );
    assert_eq!(
        eve("GET", SYSTEM, &Value::Null).status,
        StatusCode::UNAUTHORIZED
    );
    assert!(bench.machine().log_in("eve", "tomorrow").is_ok());
}

#[test]
fn accounts_are_made_changed_and_deleted() {
    let bench = Bench::new();
    let accounts = "/redfish/v1/AccountService/Accounts";
    let ada = json!({"UserName": "ada", "Password": "engine", "RoleId": "Operator"});
    let made = bench.ask("POST", accounts, &ada);
    assert_eq!(made.status, StatusCode::CREATED);
    let uri = made.header("location").unwrap();
    assert_eq!(
        bench.ask("POST", accounts, &ada).status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        bench.machine().log_in("ada", "engine").unwrap().privilege,
        Privilege::Operator
    );
    assert_eq!(
        bench.ask("PATCH", &uri, &json!({"Enabled": false})).status,
        StatusCode::OK
    );
    assert!(bench.machine().log_in("ada", "engine").is_err());
    assert_eq!(
        bench.ask("DELETE", &uri, &Value::Null).status,
        StatusCode::NO_CONTENT
    );
    assert_eq!(bench.get(&uri).status, StatusCode::NOT_FOUND);
}

#[test]
fn a_locked_account_is_told_apart_from_a_wrong_password() {
    let bench = Bench::new();
    bench.faults(Faults {
        lockout_after: Some(2),
        ..Faults::default()
    });
    for _ in 0..2 {
        let refused = bench.user("admin:guess", "GET", SYSTEM, None);
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    }
    let locked = bench.get(SYSTEM);
    assert_eq!(locked.status, StatusCode::UNAUTHORIZED);
    assert!(locked.body.to_string().contains("Locked"));
}

#[test]
fn what_is_set_here_is_what_the_machine_boots() {
    let bench = Bench::new();
    let boot = json!({"Boot": {
        "BootSourceOverrideTarget": "Pxe",
        "BootSourceOverrideEnabled": "Continuous",
        "BootSourceOverrideMode": "Legacy",
    }});
    assert_eq!(bench.ask("PATCH", SYSTEM, &boot).status, StatusCode::OK);
    let chosen = bench.machine().boot();
    assert_eq!(
        (chosen.device, chosen.enabled, chosen.mode),
        (Device::Pxe, Enabled::Continuous, Firmware::Legacy)
    );
    assert_eq!(
        bench.get(&format!("{SYSTEM}/Bios")).body["Attributes"]["BootMode"],
        "Bios"
    );
    bench.reset("On");
    assert_eq!(
        bench.machine().last_boot(),
        Some((Firmware::Legacy, Device::Pxe))
    );
    bench.patch_bios(&json!({"BootMode": "Uefi"}));
    assert_eq!(
        bench.get(SYSTEM).body["Boot"]["BootSourceOverrideMode"],
        "Legacy"
    );
    bench.reset("ForceRestart");
    assert_eq!(
        bench.get(SYSTEM).body["Boot"]["BootSourceOverrideMode"],
        "UEFI"
    );
}

#[test]
fn nobody_overwrites_what_they_have_not_seen() {
    let bench = Bench::new();
    let body = json!({"AssetTag": "one"});
    let tag = bench.get(SYSTEM).header("etag").unwrap();
    assert_eq!(
        bench
            .tagged("PATCH", SYSTEM, &body, "if-match", &tag)
            .status,
        StatusCode::OK
    );
    let stale = bench.tagged(
        "PATCH",
        SYSTEM,
        &json!({"AssetTag": "two"}),
        "if-match",
        &tag,
    );
    assert_eq!(stale.status, StatusCode::PRECONDITION_FAILED);
    assert_eq!(bench.get(SYSTEM).body["AssetTag"], "one");
    let tag = bench.get(SYSTEM).header("etag").unwrap();
    let same = bench.tagged("GET", SYSTEM, &Value::Null, "if-none-match", &tag);
    assert_eq!(same.status, StatusCode::NOT_MODIFIED);
    let careful = Bench::of("fujitsu");
    let refused = careful.ask("PATCH", "/redfish/v1/Systems/0", &body);
    assert_eq!(refused.status, StatusCode::PRECONDITION_REQUIRED);
}

#[test]
fn long_collections_come_in_pages() {
    let bench = Bench::served(Options {
        page: Some(2),
        ..Options::default()
    });
    let sensors = "/redfish/v1/Chassis/1/Sensors";
    let first = bench.get(sensors).body;
    let all = first["Members@odata.count"].as_u64().unwrap();
    let (mut seen, mut next) = (0, Some(sensors.to_owned()));
    while let Some(uri) = next {
        let page = bench.get(&uri).body;
        seen += page["Members"].as_array().unwrap().len() as u64;
        next = page["Members@odata.nextLink"].as_str().map(str::to_owned);
    }
    assert_eq!(seen, all);
    let expanded = bench.get(&format!("{sensors}?$expand=.($levels=1)")).body;
    assert_eq!(expanded["Members"][0]["ReadingType"], "Temperature");
}

#[test]
fn ignored_writes_are_accepted_and_forgotten() {
    let bench = Bench::new();
    bench.faults(Faults {
        ignore: Ignore::Everything,
        ..Faults::default()
    });
    let before = bench.everything();
    let media = "/redfish/v1/Managers/BMC/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia";
    for (method, path, body, status) in [
        (
            "POST",
            media,
            json!({"Image": "http://h/a.iso"}),
            StatusCode::NO_CONTENT,
        ),
        (
            "POST",
            VOLUMES,
            json!({"RAIDType": "RAID1"}),
            StatusCode::CREATED,
        ),
        (
            "PATCH",
            "/redfish/v1/Systems/1/Bios/Settings",
            json!({"Attributes": {"NumLock": false}}),
            StatusCode::OK,
        ),
        (
            "PATCH",
            SYSTEM,
            json!({"IndicatorLED": "Lit", "AssetTag": "x", "Boot": {
                "BootSourceOverrideTarget": "UefiHttp",
                "BootSourceOverrideEnabled": "Once",
                "HttpBootUri": "http://h/x",
            }}),
            StatusCode::OK,
        ),
        (
            "POST",
            "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset",
            json!({"ResetType": "On"}),
            StatusCode::NO_CONTENT,
        ),
    ] {
        assert_eq!(bench.ask(method, path, &body).status, status, "{path}");
    }
    assert_eq!(bench.everything(), before);
}

#[test]
fn firmware_that_is_starting_refuses_changes() {
    let bench = Bench::new();
    bench.http_faults(HttpFaults {
        busy_in_post: true,
        refuse_on: true,
        ..HttpFaults::default()
    });
    let boot = json!({"Boot": {"BootSourceOverrideTarget": "Pxe"}});
    let refused = bench.ask("PATCH", SYSTEM, &boot);
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(
        refused
            .message()
            .ends_with("UnableToModifyDuringSystemPOST")
    );
    let reset = "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset";
    let refused = bench.ask("POST", reset, &json!({"ResetType": "On"}));
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(!bench.machine().power().is_on);
    let other = bench.ask("POST", reset, &json!({"ResetType": "ForceOn"}));
    assert_eq!(other.status, StatusCode::NO_CONTENT);
    assert!(bench.machine().power().is_on);
}

#[test]
fn work_takes_its_time_and_is_waited_for() {
    let bench = Bench::served(Options {
        task_time: Duration::from_secs(3600),
        ..Options::default()
    });
    let accepted = bench.ask("POST", VOLUMES, &json!({"RAIDType": "RAID5"}));
    assert_eq!(accepted.status, StatusCode::ACCEPTED);
    assert_eq!(accepted.body["TaskState"], "Running");
    let monitor = accepted.header("location").unwrap();
    assert_eq!(bench.get(&monitor).status, StatusCode::ACCEPTED);
    let task = accepted.body["@odata.id"].as_str().unwrap();
    assert_eq!(bench.get(task).status, StatusCode::OK);
    assert_eq!(bench.get(VOLUMES).body["Members@odata.count"], 0);
    assert_eq!(
        bench.ask("DELETE", task, &Value::Null).status,
        StatusCode::CONFLICT
    );
}

#[test]
fn work_that_fails_says_so_and_leaves_no_trace() {
    let bench = Bench::new();
    bench.http_faults(HttpFaults {
        fail_tasks: true,
        ..HttpFaults::default()
    });
    let body = json!({"RAIDType": "RAID5", "@Redfish.OperationApplyTime": "OnReset"});
    let accepted = bench.ask("POST", VOLUMES, &body);
    assert_eq!(accepted.body["TaskState"], "Pending");
    bench.reset("On");
    let task = bench.get(accepted.body["@odata.id"].as_str().unwrap()).body;
    assert_eq!(
        (&task["TaskState"], &task["TaskStatus"]),
        (&json!("Exception"), &json!("Critical"))
    );
    assert_eq!(bench.get(VOLUMES).body["Members@odata.count"], 0);
}

#[test]
fn an_update_of_the_bmc_restarts_it() {
    let bench = Bench::new();
    let action = "/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate";
    let body = json!({"ImageURI": "http://h/bmc-9.9.bin"});
    assert_eq!(
        bench.ask("POST", action, &body).status,
        StatusCode::ACCEPTED
    );
    let manager = bench.get("/redfish/v1/Managers/BMC").body;
    assert_eq!(manager["FirmwareVersion"], "9.9");
    assert!(bench.machine().is_bmc_away());
}

#[test]
fn several_machines_are_systems_of_one_service() {
    let bench = Bench::group(3);
    let systems = bench.get("/redfish/v1/Systems").body;
    assert_eq!(systems["Members@odata.count"], 3);
    let reset = "/redfish/v1/Systems/sim-1/Actions/ComputerSystem.Reset";
    assert_eq!(
        bench.ask("POST", reset, &json!({"ResetType": "On"})).status,
        StatusCode::NO_CONTENT
    );
    let power =
        |name: &str| bench.get(&format!("/redfish/v1/Systems/{name}")).body["PowerState"].clone();
    assert_eq!(
        [power("sim-0"), power("sim-1"), power("sim-2")],
        ["Off", "On", "Off"]
    );
    let volumes = "/redfish/v1/Systems/sim-2/Storage/1/Volumes";
    let body = json!({"RAIDType": "RAID1", "@Redfish.OperationApplyTime": "OnReset"});
    let accepted = bench.ask("POST", volumes, &body);
    let task = accepted.body["@odata.id"].as_str().unwrap();
    assert_eq!(bench.get(task).body["TaskState"], "Pending");
}

#[test]
fn every_link_of_every_maker_leads_somewhere() {
    for quirks in Quirks::ALL {
        assert!(Personality::of_name(quirks.name).is_some());
        let bench = Bench::of(quirks.name);
        let found = bench.everything();
        assert!(found.len() > 80, "{}: {}", quirks.name, found.len());
        for (uri, body) in &found {
            let shown = body["@odata.id"].as_str();
            let is_registry = uri.ends_with("/registry");
            assert!(
                is_registry || shown == Some(uri) || uri == "/redfish/v1",
                "{uri}: {shown:?}"
            );
        }
    }
}
